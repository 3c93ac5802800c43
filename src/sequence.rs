//! One UTF-8 sequence: the definition that everything else is measured against.
//!
//! A character (a *scalar value*: a code point from U+0000 to U+10FFFF that is not a surrogate) is
//! written in one to four bytes. The bits of its number are laid into a form, from the low end:
//!
//! | characters | bytes | form |
//! |---|---|---|
//! | U+0000 to U+007F | 1 | `0xxxxxxx` |
//! | U+0080 to U+07FF | 2 | `110xxxxx 10xxxxxx` |
//! | U+0800 to U+FFFF | 3 | `1110xxxx 10xxxxxx 10xxxxxx` |
//! | U+10000 to U+10FFFF | 4 | `11110xxx 10xxxxxx 10xxxxxx 10xxxxxx` |
//!
//! Bytes that begin with the bits `10` are *continuation bytes*, all others are *lead bytes*. So any
//! byte indicates by itself whether a character starts there, and the lead byte alone how long it is:
//! UTF-8 is self-synchronizing, and characters are counted by counting lead bytes.
//!
//! Not every filled form is UTF-8. Each character has just one form, the shortest; longer ones are
//! *overlong* and refused (else `C0 AF` would smuggle a slash past a filter that looks for `2F`).
//! Surrogates (U+D800 to U+DFFF) are halves of UTF-16 pairs and no characters. The table
//! [`WELL_FORMED`] states all of that by the range of the first two bytes; it is the one in RFC 3629,
//! section 4, and Unicode 16, table 3-7.

use core::ops::RangeInclusive;

use crate::error::ErrorKind;

/// One row of the table of well-formed sequences.
#[derive(Clone, Debug)]
pub struct Form {
    /// The first byte.
    pub lead: RangeInclusive<u8>,
    /// The second byte, where there is one; all further ones are 80 to BF.
    pub second: RangeInclusive<u8>,
    /// The length of the sequence in bytes.
    pub length: usize,
}

pub(crate) const fn form(lead: RangeInclusive<u8>, second: RangeInclusive<u8>, length: usize) -> Form {
    Form { lead, second, length }
}

/// The well-formed sequences (RFC 3629, section 4): what is not in this table is not UTF-8.
pub const WELL_FORMED: [Form; 9] = [
    form(0x00..=0x7F, 0x80..=0xBF, 1), // U+0000 to U+007F
    form(0xC2..=0xDF, 0x80..=0xBF, 2), // U+0080 to U+07FF; C0 and C1 would be overlong
    form(0xE0..=0xE0, 0xA0..=0xBF, 3), // U+0800 to U+0FFF; below A0 it would be overlong
    form(0xE1..=0xEC, 0x80..=0xBF, 3), // U+1000 to U+CFFF
    form(0xED..=0xED, 0x80..=0x9F, 3), // U+D000 to U+D7FF; from A0 on the surrogates
    form(0xEE..=0xEF, 0x80..=0xBF, 3), // U+E000 to U+FFFF
    form(0xF0..=0xF0, 0x90..=0xBF, 4), // U+10000 to U+3FFFF; below 90 it would be overlong
    form(0xF1..=0xF3, 0x80..=0xBF, 4), // U+40000 to U+FFFFF
    form(0xF4..=0xF4, 0x80..=0x8F, 4), // U+100000 to U+10FFFF; from 90 on there is nothing
];

/// For each byte the row of [`WELL_FORMED`] that it leads, or the number of rows.
const ROW_OF_LEAD: [u8; 256] = {
    let mut rows = [WELL_FORMED.len() as u8; 256];
    let mut row = 0;
    while row < WELL_FORMED.len() {
        let mut lead = *WELL_FORMED[row].lead.start() as usize;
        while lead <= *WELL_FORMED[row].lead.end() as usize {
            rows[lead] = row as u8;
            lead += 1;
        }
        row += 1;
    }
    rows
};

/// The row of [`WELL_FORMED`] that sequences starting with `lead` follow, if there are any.
pub fn form_of(lead: u8) -> Option<&'static Form> {
    WELL_FORMED.get(usize::from(ROW_OF_LEAD[usize::from(lead)]))
}

/// Whether `byte` is `10xxxxxx`. All other bytes are lead bytes.
#[inline]
pub const fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// How long the sequence is that `lead` starts, 1 to 4 bytes; `None` if it starts none.
///
/// ```
/// use leadbyte::sequence_length;
/// assert_eq!(sequence_length("€".as_bytes()[0]), Some(3));
/// assert_eq!(sequence_length(0x80), None); // a continuation byte
/// assert_eq!(sequence_length(0xFF), None); // never occurs
/// ```
pub fn sequence_length(lead: u8) -> Option<usize> {
    form_of(lead).map(|form| form.length)
}

/// The first sequence of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sequence {
    /// A character and its length in bytes.
    Char(char, usize),
    /// What is wrong, and the length of the maximal subpart in bytes: as much as could have been
    /// the start of a character, and at least one byte.
    Broken(ErrorKind, usize),
}

impl Sequence {
    /// The length in bytes.
    pub const fn length(self) -> usize {
        match self {
            Self::Char(_, length) | Self::Broken(_, length) => length,
        }
    }
}

/// Reads the character at the start of `bytes`, or what is wrong there; `None` if there are no bytes.
///
/// A sequence that is good as far as `bytes` go is broken by [`ErrorKind::Truncated`].
///
/// ```
/// use leadbyte::{ErrorKind, sequence::{Sequence, decode_one}};
/// assert_eq!(decode_one("€ 5".as_bytes()), Some(Sequence::Char('€', 3)));
/// assert_eq!(decode_one(b"\xC0\xB1"), Some(Sequence::Broken(ErrorKind::Overlong, 1)));
/// assert_eq!(decode_one(b"\xE2\x82"), Some(Sequence::Broken(ErrorKind::Truncated, 2)));
/// ```
pub fn decode_one(bytes: &[u8]) -> Option<Sequence> {
    let &lead = bytes.first()?;
    let Some(form) = form_of(lead) else {
        return Some(Sequence::Broken(wrong_lead(lead), 1));
    };
    let mut value = u32::from(lead) & payload_mask(form.length);
    for at in 1..form.length {
        let Some(&byte) = bytes.get(at) else {
            return Some(Sequence::Broken(ErrorKind::Truncated, at));
        };
        if !is_continuation(byte) {
            return Some(Sequence::Broken(ErrorKind::MissingContinuation, at));
        }
        if at == 1 && !form.second.contains(&byte) {
            return Some(Sequence::Broken(wrong_second(lead), at));
        }
        value = value << 6 | u32::from(byte & 0x3F);
    }
    // The table lets only scalar values through; were it wrong, U+FFFD would show it in every test.
    Some(Sequence::Char(char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER), form.length))
}

/// The kind of error of a byte that starts no well-formed sequence.
fn wrong_lead(lead: u8) -> ErrorKind {
    match lead {
        0x80..=0xBF => ErrorKind::UnexpectedContinuation,
        0xC0..=0xC1 => ErrorKind::Overlong,
        0xF5..=0xF7 => ErrorKind::TooLarge,
        _ => ErrorKind::InvalidStart,
    }
}

/// The kind of error of a continuation byte that `lead`'s row does not allow in second place.
fn wrong_second(lead: u8) -> ErrorKind {
    match lead {
        0xED => ErrorKind::Surrogate,
        0xF4 => ErrorKind::TooLarge,
        _ => ErrorKind::Overlong,
    }
}

/// The bits that the lead byte of a sequence of `length` bytes gives to the character's number.
const fn payload_mask(length: usize) -> u32 {
    match length {
        1 => 0x7F,
        _ => 0x7F >> length,
    }
}

/// Writes `character` into `buffer` and returns the bytes used.
///
/// ```
/// assert_eq!(leadbyte::sequence::encode_one('€', &mut [0; 4]), [0xE2, 0x82, 0xAC]);
/// ```
pub fn encode_one(character: char, buffer: &mut [u8; 4]) -> &[u8] {
    let mut value = u32::from(character);
    let length = match value {
        0x0000..=0x007F => 1,
        0x0080..=0x07FF => 2,
        0x0800..=0xFFFF => 3,
        _ => 4,
    };
    // Six bits a continuation byte, from the low end; the lead byte takes what is left.
    for byte in buffer[1..length].iter_mut().rev() {
        *byte = 0x80 | (value & 0x3F) as u8;
        value >>= 6;
    }
    buffer[0] = match length {
        1 => value as u8,
        _ => !(0xFF >> length) | value as u8,
    };
    &buffer[..length]
}

/// How many bytes `lead` announces by the number of its leading one bits, well-formed or not:
/// 1 to 8 for a lead byte (5 to 8 are the forms that RFC 3629 gave up or never had), 0 for a
/// continuation byte.
pub const fn announced_length(lead: u8) -> usize {
    match lead.leading_ones() {
        0 => 1,
        1 => 0,
        ones => ones as usize,
    }
}

/// Returns the value of the payload bits of a complete sequence of any announced length, ignoring all other rules.
fn decoded_value(bytes: &[u8]) -> Option<u64> {
    let (&lead, continuations) = bytes.split_first()?;
    let length = announced_length(lead);
    if length != bytes.len() || length < 2 || !continuations.iter().all(|&byte| is_continuation(byte)) {
        return None;
    }
    let payload = u64::from(lead) & (0x7F >> length);
    Some(continuations.iter().fold(payload, |value, &byte| value << 6 | u64::from(byte & 0x3F)))
}

/// Describes an error, given the bytes of its span, which may include the stray continuation bytes after it that
/// belong to the same malformed sequence.
///
/// ```
/// use leadbyte::{ErrorKind, sequence::describe};
/// assert_eq!(describe(b"\xC0\xB1", ErrorKind::Overlong), "overlong encoding of U+0031 \"1\"");
/// assert_eq!(describe(b"\xE2", ErrorKind::MissingContinuation), "truncated 3-byte sequence (1 of 3 bytes)");
/// assert_eq!(describe(b"\xFF", ErrorKind::InvalidStart), "FF never occurs in UTF-8");
/// ```
pub fn describe(bytes: &[u8], kind: ErrorKind) -> String {
    let lead = bytes.first().copied().unwrap_or_default();
    let announced = announced_length(lead);
    let present = bytes.len();
    let never = format!("{lead:02X} never occurs in UTF-8");
    let starts = |what: &str| match form_of(lead) {
        Some(_) => {
            let hex = bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ");
            format!("{hex} starts {what}")
        }
        None => format!("{never} (would start {what})"),
    };
    match (kind, decoded_value(bytes)) {
        (ErrorKind::UnexpectedContinuation, _) => format!("unexpected continuation byte {lead:02X}"),
        (ErrorKind::Overlong, Some(value)) => format!("overlong encoding of {}", name_value(value)),
        (ErrorKind::Overlong, None) => starts("an overlong encoding"),
        (ErrorKind::Surrogate, Some(value)) => format!("surrogate U+{value:04X} encoded in UTF-8"),
        (ErrorKind::Surrogate, None) => starts("an encoded surrogate"),
        (ErrorKind::TooLarge, Some(value)) => format!("U+{value:04X} is above U+10FFFF"),
        (ErrorKind::TooLarge, None) => starts("a sequence above U+10FFFF"),
        (ErrorKind::InvalidStart, _) if announced <= 6 => starts(&format!("a {announced}-byte sequence")),
        (ErrorKind::InvalidStart, _) => never,
        (ErrorKind::Truncated, _) => {
            format!(
                "truncated {announced}-byte sequence ({present} of {announced} bytes) at the end of the data"
            )
        }
        (ErrorKind::MissingContinuation, _) => {
            format!("truncated {announced}-byte sequence ({present} of {announced} bytes)")
        }
    }
}

/// `U+0031 "1"`; control characters and the like without the quotation.
fn name_value(value: u64) -> String {
    match u32::try_from(value).ok().and_then(char::from_u32) {
        Some(c) if !c.is_control() && !c.is_whitespace() => format!("U+{value:04X} \"{c}\""),
        _ => format!("U+{value:04X}"),
    }
}
