//! Data whose lines are in several encodings: UTF-8 and single-byte encodings.

use super::charset::Charset;
use super::score::score;
use crate::allocation::{AllocError, Grow, or_raise, try_push, try_push_str};

/// The usual encodings of lines that are not UTF-8. The first two cost nothing.
const LIKELY: [Charset; 7] = [
    Charset::WINDOWS_1252,
    Charset::WINDOWS_1251,
    Charset::WINDOWS_1250,
    Charset::WINDOWS_1253,
    Charset::WINDOWS_1254,
    Charset::KOI8_R,
    Charset::IBM866,
];

/// The costs in bits of another encoding than the first two, of another than that of the line before, and of UTF-8 in
/// parts of the line.
const LESS_LIKELY: f32 = 8.0;
const TURN: f32 = 10.0;
const PARTS: f32 = 6.0;

/// A line that is not UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MixedLine {
    /// Its number, from 1.
    pub line: usize,
    /// The encoding in which it was decoded, as a whole or in its bytes that are not UTF-8.
    pub encoding: &'static str,
}

/// Decodes lines that are UTF-8, and others in their most likely encoding. Returns the text, and the other lines.
///
/// ```
/// use leadbyte::mojibake::{MixedLine, read_mixed};
/// let data = b"\xD0\x9F\xD1\x80\xD0\xB8\xD0\xB2\xD0\xB5\xD1\x82\n\xCF\xF0\xE8\xE2\xE5\xF2, \xEC\xE8\xF0\n";
/// let (text, others) = read_mixed(data);
/// assert_eq!(text, "Привет\nПривет, мир\n");
/// assert_eq!(others, [MixedLine { line: 2, encoding: "windows-1251" }]);
/// ```
pub fn read_mixed(data: &[u8]) -> (String, Vec<MixedLine>) {
    or_raise(read_mixed_with(data, || Ok(())))
}

/// Decodes as [`read_mixed`] does. Calls `poll` before each line that is not UTF-8 and after each
/// [`POLL_INTERVAL_BYTES`](super::POLL_INTERVAL_BYTES) of text that is scored, and stops if that returns an error.
pub(crate) fn read_mixed_with<E: From<AllocError>>(
    data: &[u8],
    mut poll: impl FnMut() -> Result<(), E>,
) -> Result<(String, Vec<MixedLine>), E> {
    let mut text = String::new();
    text.grow(data.len())?;
    let mut others = vec![];
    let mut last = None;
    for (line, bytes) in (1..).zip(data.split_inclusive(|&byte| byte == b'\n')) {
        if let Ok(valid) = core::str::from_utf8(bytes) {
            try_push_str(&mut text, valid)?;
            continue;
        }
        poll()?;
        let (charset, read) = read(bytes, last, &mut poll)?;
        last = Some(charset);
        try_push_str(&mut text, &read)?;
        try_push(&mut others, MixedLine { line, encoding: charset.name() })?;
    }
    Ok((text, others))
}

/// Returns the most likely encoding and text of a line after another in the encoding `last`.
fn read<E: From<AllocError>>(
    bytes: &[u8],
    last: Option<Charset>,
    poll: &mut impl FnMut() -> Result<(), E>,
) -> Result<(Charset, String), E> {
    let mut best = (f32::INFINITY, Charset::WINDOWS_1252, String::new());
    for (place, charset) in LIKELY.into_iter().enumerate() {
        let turn = if last.is_none_or(|last| last == charset) { 0.0 } else { TURN };
        let cost = turn + if place < 2 { 0.0 } else { LESS_LIKELY };
        for (text, parts) in [(whole(bytes, charset)?, 0.0), (in_parts(bytes, charset)?, PARTS)] {
            let score = score(&text, poll)?;
            let bits = score.bits + score.doubt + cost + parts;
            if bits < best.0 {
                best = (bits, charset, text);
            }
        }
    }
    Ok((best.1, best.2))
}

/// Decodes all bytes in an encoding; undefined ones become U+FFFD.
fn whole(bytes: &[u8], charset: Charset) -> Result<String, AllocError> {
    let mut text = String::new();
    read_as(charset, bytes, &mut text)?;
    Ok(text)
}

/// Decodes UTF-8, and the other bytes in an encoding.
fn in_parts(bytes: &[u8], charset: Charset) -> Result<String, AllocError> {
    let mut text = String::new();
    for part in bytes.utf8_chunks() {
        try_push_str(&mut text, part.valid())?;
        read_as(charset, part.invalid(), &mut text)?;
    }
    Ok(text)
}

fn read_as(charset: Charset, bytes: &[u8], text: &mut String) -> Result<(), AllocError> {
    for &byte in bytes {
        let character = charset.character(byte).unwrap_or(char::REPLACEMENT_CHARACTER);
        try_push_str(text, character.encode_utf8(&mut [0; 4]))?;
    }
    Ok(())
}
