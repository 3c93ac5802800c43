//! The rows of an explanation: characters and malformed sequences, as `leadbyte.explain` of the package has them.

use core::fmt::Write;

use leadbyte::sequence::{Sequence, announced_length, decode_one};
use leadbyte::variants::cesu8;
use leadbyte::{ErrorKind, Utf8Error};

use crate::json::Json;

/// A character or a malformed sequence of bytes.
pub(crate) struct Row<'a> {
    /// The offset of the first byte.
    start: usize,
    /// The number of characters before it, where each error is a U+FFFD.
    index: usize,
    bytes: &'a [u8],
    content: Result<char, Utf8Error>,
}

/// Iterates over the rows of `data`.
pub(crate) fn rows(data: &[u8]) -> impl Iterator<Item = Row<'_>> {
    let (mut start, mut index) = (0, 0);
    core::iter::from_fn(move || {
        let row = Row::at(data, start, index)?;
        start += row.bytes.len();
        index += match &row.content {
            Ok(_) => 1,
            // Each byte after the first error is an error of its own.
            Err(error) => 1 + row.bytes.len() - error.bytes().len(),
        };
        Some(row)
    })
}

impl<'a> Row<'a> {
    fn at(data: &'a [u8], start: usize, index: usize) -> Option<Self> {
        let rest = &data[start..];
        let (length, content) = match decode_one(rest)? {
            Sequence::Char(character, length) => (length, Ok(character)),
            Sequence::Malformed(kind, length) => {
                let error = Utf8Error::new(start as u64, kind, &rest[..length]);
                (length + malformed_length(&error, rest, length), Err(error))
            }
        };
        Some(Self { start, index, bytes: &rest[..length], content })
    }

    /// Returns the kind of error.
    pub(crate) fn kind(&self) -> Option<ErrorKind> {
        self.content.as_ref().err().map(Utf8Error::kind)
    }

    /// Returns the number of UTF-16 code units of the character; 0 for an error.
    pub(crate) fn utf16_count(&self) -> u64 {
        self.content.as_ref().map_or(0, |character| character.len_utf16() as u64)
    }

    /// Writes the row, with the names of `Row.as_dict` of the package.
    pub(crate) fn write(&self, json: &mut Json) {
        json.object(|json| {
            json.name("index").plain(self.index);
            json.name("start").plain(self.start);
            json.name("end").plain(self.start + self.bytes.len());
            json.name("kind").optional(self.kind().map(ErrorKind::name));
            json.name("utf8_hex").string(&hexadecimal(self.bytes));
            json.name("utf8_bits").array(|json| {
                for &byte in self.bytes {
                    let (marker, payload) = split_bits(byte);
                    json.array(|json| {
                        json.string(&marker);
                        json.string(&payload);
                    });
                }
            });
            match &self.content {
                Ok(character) => write_char(json, *character),
                Err(error) => {
                    json.name("reason").string(error.reason());
                    json.name("decoded_value").optional(decoded_value(self.bytes).map(notation));
                    json.name("message").string(&error.message(&self.bytes[error.bytes().len()..]));
                }
            }
        });
    }
}

fn write_char(json: &mut Json, character: char) {
    let number = u32::from(character);
    json.name("char").string(character.encode_utf8(&mut [0; 4]));
    json.name("number").plain(number);
    json.name("code_point").string(&notation(number.into()));
    json.name("binary").string(&format!("{number:b}"));
    let units =
        character.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("{unit:04X}")).collect::<Vec<_>>();
    json.name("utf16_hex").string(&units.join(" "));
}

/// Returns the number of bytes after the `length` bytes of an error that belong to the same malformed sequence: those
/// that its first byte announces, and the second half of an encoded surrogate pair.
fn malformed_length(error: &Utf8Error, rest: &[u8], length: usize) -> usize {
    const SURROGATE: usize = 3;
    let more = error.continued(&rest[length..]).len();
    let is_pair = length + more == SURROGATE && rest.get(..2 * SURROGATE).is_some_and(cesu8::is_valid);
    if is_pair && error.kind() == ErrorKind::Surrogate { more + SURROGATE } else { more }
}

/// Returns the value of the payload bits of a malformed sequence if it is complete.
fn decoded_value(bytes: &[u8]) -> Option<u64> {
    if let Ok([high, low]) = cesu8::decode(bytes).as_deref() {
        return char::decode_utf16([*high, *low])
            .next()?
            .ok()
            .map(|character| u64::from(u32::from(character)));
    }
    (announced_length(*bytes.first()?) == bytes.len()).then(|| {
        bytes.iter().fold(0, |value, &byte| {
            let bits = 7_u32.saturating_sub(byte.leading_ones());
            value << bits | u64::from(byte) & ((1 << bits) - 1)
        })
    })
}

/// Returns the marker bits of a byte, up to its first zero, and its payload bits.
fn split_bits(byte: u8) -> (String, String) {
    let mut marker = format!("{byte:08b}");
    let payload = marker.split_off(marker.find('0').map_or(marker.len(), |zero| zero + 1));
    (marker, payload)
}

/// Returns `U+20AC`.
fn notation(number: u64) -> String {
    format!("U+{number:04X}")
}

/// Returns `E2 82 AC`.
fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        let space = if text.is_empty() { "" } else { " " };
        write!(text, "{space}{byte:02X}").expect("a String takes everything");
    }
    text
}
