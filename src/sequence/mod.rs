//! The definition of UTF-8, one sequence at a time. All kernels are tested against it.
//!
//! A character (a *scalar value*: a code point from U+0000 to U+10FFFF that is not a surrogate) is encoded in one to
//! four bytes. The bits of its code point fill the `x` of a form:
//!
//! | characters | bytes | form |
//! |---|---|---|
//! | U+0000 to U+007F | 1 | `0xxxxxxx` |
//! | U+0080 to U+07FF | 2 | `110xxxxx 10xxxxxx` |
//! | U+0800 to U+FFFF | 3 | `1110xxxx 10xxxxxx 10xxxxxx` |
//! | U+10000 to U+10FFFF | 4 | `11110xxx 10xxxxxx 10xxxxxx 10xxxxxx` |
//!
//! Bytes that begin with the bits `10` are *continuation bytes*, all others are *lead bytes*. So each byte alone shows
//! whether a character starts there, and the lead byte alone how long it is: UTF-8 is self-synchronizing, and the
//! number of characters is the number of lead bytes.
//!
//! Not every filled form is UTF-8. Each character has one form, the shortest; longer ones are *overlong* and rejected
//! (else `C0 AF` would pass a slash through a filter that searches for `2F`). Surrogates (U+D800 to U+DFFF) are code
//! units of UTF-16 and not characters. The table [`WELL_FORMED`] contains these rules as ranges of the first two bytes;
//! it is the table in RFC 3629, section 4, and Unicode 16, table 3-7.

pub(crate) mod boundary;
pub(crate) mod characters;

use core::fmt;
use core::ops::{Range, RangeInclusive};

use crate::allocation::{or_raise, written};

/// One row of the table of well-formed sequences.
#[derive(Clone, Debug)]
pub struct Form {
    /// The first byte.
    pub lead: RangeInclusive<u8>,
    /// The second byte, if there is one; all later ones are 80 to BF.
    pub second: RangeInclusive<u8>,
    /// The length of the sequence in bytes.
    pub length: usize,
}

pub(crate) const fn form(lead: RangeInclusive<u8>, second: RangeInclusive<u8>, length: usize) -> Form {
    Form { lead, second, length }
}

/// The well-formed sequences (RFC 3629, section 4); all others are not UTF-8.
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

/// The lowest lead byte of a three-byte sequence.
pub(crate) const THREE_BYTE_LEAD: u8 = 0xE0;

/// The lowest lead byte of a four-byte sequence.
pub(crate) const FOUR_BYTE_LEAD: u8 = 0xF0;

/// The largest byte of Latin-1's characters in UTF-8: C3 leads U+00C0 to U+00FF.
pub(crate) const LATIN1: u8 = 0xC3;

/// The index in [`WELL_FORMED`] of bytes that start no sequence.
const NO_ROW: usize = WELL_FORMED.len();

/// The index in [`WELL_FORMED`] for each lead byte.
const ROW_OF_LEAD: [u8; 256] = {
    let mut rows = [NO_ROW as u8; 256];
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

/// Returns the row of [`WELL_FORMED`] for a lead byte, or `None` if no sequence starts with it.
pub fn form_of(lead: u8) -> Option<&'static Form> {
    WELL_FORMED.get(usize::from(ROW_OF_LEAD[usize::from(lead)]))
}

/// Returns whether `byte` is `10xxxxxx`. All other bytes are lead bytes.
#[inline]
pub const fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// Returns the length of the sequences that `lead` starts, 1 to 4 bytes; `None` if it starts none.
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

/// The kind of an error of UTF-8, determined by its first two bytes.
///
/// The first row of this table that fits gives the kind:
///
/// | bytes | kind |
/// |---|---|
/// | 80–BF as lead | [`UnexpectedContinuation`](Self::UnexpectedContinuation) |
/// | C0, C1 | [`Overlong`](Self::Overlong) |
/// | F5–F7 | [`TooLarge`](Self::TooLarge) |
/// | F8–FF | [`InvalidStart`](Self::InvalidStart) |
/// | E0 then 80–9F, F0 then 80–8F | [`Overlong`](Self::Overlong) |
/// | ED then A0–BF | [`Surrogate`](Self::Surrogate) |
/// | F4 then 90–BF | [`TooLarge`](Self::TooLarge) |
/// | end of data inside a well-formed start | [`Truncated`](Self::Truncated) |
/// | anything else | [`MissingContinuation`](Self::MissingContinuation) |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// A continuation byte without a lead byte.
    UnexpectedContinuation,
    /// A longer form than the shortest of a character.
    Overlong,
    /// A value beyond U+10FFFF.
    TooLarge,
    /// A byte that never occurs in UTF-8 (F8–FF).
    InvalidStart,
    /// A surrogate, U+D800 to U+DFFF, which is not a character.
    Surrogate,
    /// The data ends inside a sequence that is well-formed so far.
    Truncated,
    /// A sequence that is well-formed so far is truncated by another lead byte.
    MissingContinuation,
}

impl ErrorKind {
    /// Every kind, in the order of the table above.
    pub const ALL: [Self; 7] = [
        Self::UnexpectedContinuation,
        Self::Overlong,
        Self::TooLarge,
        Self::InvalidStart,
        Self::Surrogate,
        Self::Truncated,
        Self::MissingContinuation,
    ];

    /// Returns the name in `snake_case`, as in the Python package.
    ///
    /// ```
    /// assert_eq!(leadbyte::ErrorKind::TooLarge.name(), "too_large");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnexpectedContinuation => "unexpected_continuation",
            Self::Overlong => "overlong",
            Self::TooLarge => "too_large",
            Self::InvalidStart => "invalid_start",
            Self::Surrogate => "surrogate",
            Self::Truncated => "truncated",
            Self::MissingContinuation => "missing_continuation",
        }
    }
}

/// The start of some bytes: a character or an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sequence {
    /// A character and its length in bytes.
    Char(char, usize),
    /// The kind of the error, and the length in bytes of the maximal subpart: the longest start of a well-formed
    /// sequence, or one byte.
    Malformed(ErrorKind, usize),
}

impl Sequence {
    /// Returns the length in bytes.
    pub const fn length(self) -> usize {
        match self {
            Self::Char(_, length) | Self::Malformed(_, length) => length,
        }
    }

    /// Returns the number of UTF-16 code units of the character, or of U+FFFD in the place of the error.
    pub(crate) const fn utf16_length(self) -> u64 {
        match self {
            Self::Char('\u{10000}'.., _) => 2,
            _ => 1,
        }
    }
}

/// Decodes the character or the error at the start of `bytes`; `None` if there are no bytes.
///
/// A sequence that is well-formed up to the end of `bytes` is an error of the kind [`ErrorKind::Truncated`].
///
/// ```
/// use leadbyte::{ErrorKind, sequence::{Sequence, decode_one}};
/// assert_eq!(decode_one("€ 5".as_bytes()), Some(Sequence::Char('€', 3)));
/// assert_eq!(decode_one(b"\xC0\xB1"), Some(Sequence::Malformed(ErrorKind::Overlong, 1)));
/// assert_eq!(decode_one(b"\xE2\x82"), Some(Sequence::Malformed(ErrorKind::Truncated, 2)));
/// ```
pub fn decode_one(bytes: &[u8]) -> Option<Sequence> {
    let &lead = bytes.first()?;
    let Some(form) = form_of(lead) else {
        return Some(Sequence::Malformed(wrong_lead(lead), 1));
    };
    let mut value = u32::from(lead) & payload_mask(form.length);
    for at in 1..form.length {
        let Some(&byte) = bytes.get(at) else {
            return Some(Sequence::Malformed(ErrorKind::Truncated, at));
        };
        if !is_continuation(byte) {
            return Some(Sequence::Malformed(ErrorKind::MissingContinuation, at));
        }
        if at == 1 && !form.second.contains(&byte) {
            return Some(Sequence::Malformed(wrong_second(lead), at));
        }
        value = value << 6 | u32::from(byte & 0x3F);
    }
    // The table allows scalar values only.
    Some(Sequence::Char(char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER), form.length))
}

/// Walks over the characters that start in a range of `data`. Returns the offset after the last, or of the first
/// malformed sequence the offset, the kind and the length.
pub(crate) fn first_malformed(data: &[u8], range: Range<usize>) -> Result<usize, (usize, ErrorKind, usize)> {
    let mut at = range.start;
    while at < range.end
        && let Some(sequence) = decode_one(&data[at..])
    {
        match sequence {
            Sequence::Char(_, length) => at += length,
            Sequence::Malformed(kind, length) => return Err((at, kind, length)),
        }
    }
    Ok(at)
}

/// The most bytes of a sequence that is not complete.
pub(crate) const MAX_INCOMPLETE_BYTES: usize = 3;

/// Returns the number of bytes at the end of `data` that start a character which later bytes can complete: 0 to 3.
pub fn incomplete_suffix(data: &[u8]) -> usize {
    let tail = &data[data.len().saturating_sub(MAX_INCOMPLETE_BYTES)..];
    let lead = tail.iter().rposition(|&byte| !is_continuation(byte));
    let last = lead.map_or(&[] as &[u8], |at| &tail[at..]);
    match decode_one(last) {
        Some(Sequence::Malformed(ErrorKind::Truncated, length)) => length,
        _ => 0,
    }
}

/// Returns the kind of the error of `length` bytes, its maximal subpart, at the start of `rest`.
#[inline(always)]
pub(crate) fn malformed_kind(rest: &[u8], length: usize) -> ErrorKind {
    let Some(&lead) = rest.first() else { return ErrorKind::Truncated };
    let end = match rest.get(length) {
        None => 2,
        Some(&byte) => usize::from(length == 1 && is_continuation(byte)),
    };
    KINDS[usize::from(lead)][end]
}

/// The kinds of errors by their first byte: of those that end before a lead byte or after two bytes, of those that end
/// before a continuation byte that their first byte does not allow, and of those at the end of the data.
static KINDS: [[ErrorKind; 3]; 256] = {
    let mut kinds = [[ErrorKind::Truncated; 3]; 256];
    let mut lead = 0;
    while lead < kinds.len() {
        kinds[lead] = match ROW_OF_LEAD[lead] as usize {
            NO_ROW => [wrong_lead(lead as u8); 3],
            _ => [ErrorKind::MissingContinuation, wrong_second(lead as u8), ErrorKind::Truncated],
        };
        lead += 1;
    }
    kinds
};

/// Returns the kind of the error of a byte that starts no well-formed sequence.
const fn wrong_lead(lead: u8) -> ErrorKind {
    match lead {
        0x80..=0xBF => ErrorKind::UnexpectedContinuation,
        0xC0..=0xC1 => ErrorKind::Overlong,
        0xF5..=0xF7 => ErrorKind::TooLarge,
        _ => ErrorKind::InvalidStart,
    }
}

/// Returns the kind of the error of a second byte 80 to BF that the row of `lead` does not allow.
const fn wrong_second(lead: u8) -> ErrorKind {
    match lead {
        0xED => ErrorKind::Surrogate,
        0xF4 => ErrorKind::TooLarge,
        _ => ErrorKind::Overlong,
    }
}

/// Returns the mask of the bits of the code point in the lead byte of a sequence of `length` bytes.
const fn payload_mask(length: usize) -> u32 {
    match length {
        1 => 0x7F,
        _ => 0x7F >> length,
    }
}

/// Encodes `character` into `buffer`. Returns the bytes used.
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
    // Six bits for each continuation byte, from the low end; the lead byte has the rest.
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

/// The most bytes that a lead byte announces by its leading one bits.
pub(crate) const MAX_ANNOUNCED_BYTES: usize = 8;

/// Returns the number of bytes that `lead` announces by its leading one bits, well-formed or not: 1 to 8 for a lead
/// byte (5 and 6 are forms that RFC 3629 removed, 7 and 8 are in no standard), 0 for a continuation byte.
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
    or_raise(written(|out| write_description(out, bytes, kind)))
}

/// Writes what [`describe`] returns.
pub(crate) fn write_description(out: &mut dyn fmt::Write, bytes: &[u8], kind: ErrorKind) -> fmt::Result {
    let lead = bytes.first().copied().unwrap_or_default();
    let announced = announced_length(lead);
    let starts = |out: &mut dyn fmt::Write, what: fmt::Arguments<'_>| {
        if form_of(lead).is_none() {
            return write!(out, "{lead:02X} never occurs in UTF-8 (would start {what})");
        }
        for byte in bytes {
            write!(out, "{byte:02X} ")?;
        }
        write!(out, "starts {what}")
    };
    match (kind, decoded_value(bytes)) {
        (ErrorKind::UnexpectedContinuation, _) => write!(out, "unexpected continuation byte {lead:02X}"),
        (ErrorKind::Overlong, Some(value)) => write!(out, "overlong encoding of {}", Named(value)),
        (ErrorKind::Overlong, None) => starts(out, format_args!("an overlong encoding")),
        (ErrorKind::Surrogate, Some(value)) => write!(out, "surrogate U+{value:04X} encoded in UTF-8"),
        (ErrorKind::Surrogate, None) => starts(out, format_args!("an encoded surrogate")),
        (ErrorKind::TooLarge, Some(value)) => write!(out, "U+{value:04X} is above U+10FFFF"),
        (ErrorKind::TooLarge, None) => starts(out, format_args!("a sequence above U+10FFFF")),
        (ErrorKind::InvalidStart, _) if announced <= 6 => {
            starts(out, format_args!("a {announced}-byte sequence"))
        }
        (ErrorKind::InvalidStart, _) => write!(out, "{lead:02X} never occurs in UTF-8"),
        (ErrorKind::Truncated | ErrorKind::MissingContinuation, _) => {
            let present = bytes.len();
            write!(out, "truncated {announced}-byte sequence ({present} of {announced} bytes)")?;
            if kind == ErrorKind::Truncated { out.write_str(" at the end of the data") } else { Ok(()) }
        }
    }
}

/// A code point as `U+0031 "1"`; without the character if that cannot be seen, or changes others: a control, a space, a
/// mark.
pub(crate) struct Named(pub u64);

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "U+{:04X}", self.0)?;
        match u32::try_from(self.0).ok().and_then(char::from_u32) {
            // With others `escape_debug` begins with a backslash.
            Some(c) if !c.is_whitespace() && (c.is_ascii_graphic() || c.escape_debug().next() == Some(c)) => {
                write!(f, " \"{c}\"")
            }
            _ => Ok(()),
        }
    }
}
