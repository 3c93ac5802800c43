//! Data whose lines are in several encodings: UTF-8 and legacy ones.

use super::blocks::POLL_INTERVAL_BYTES;
use super::charset::Charset;
use super::score::score;
use crate::allocation::{AllocError, Grow, try_push, try_push_str};
use crate::detect::{Encodings, Query, TextEnd, rank_with};
use crate::encodings::SingleByteEncoding;
#[cfg(feature = "bindings")]
use crate::encodings::high_half::HighHalf;
#[cfg(feature = "bindings")]
use crate::encodings::registry::{Encoding, Mapping};
#[cfg(feature = "bindings")]
use crate::encodings::scheme::Scheme;
use crate::language::Languages;
use crate::progress::{Poll, Stopped, uninterrupted, unpolled};

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

/// The likely encodings with Latin letters. Words in another have two bytes in a row that are not UTF-8.
const LATIN: [Charset; 3] = [Charset::WINDOWS_1252, Charset::WINDOWS_1250, Charset::WINDOWS_1254];

/// The encodings of several bytes a character in which lines may be, with their names. The decoders of GB 18030 and GBK
/// are the same.
const MULTI_BYTE: [LineEncoding; 5] = [
    LineEncoding::MultiByte(encoding_rs::SHIFT_JIS, "shift_jis"),
    LineEncoding::MultiByte(encoding_rs::EUC_JP, "euc-jp"),
    LineEncoding::MultiByte(encoding_rs::EUC_KR, "euc-kr"),
    LineEncoding::MultiByte(encoding_rs::GB18030, "gb18030"),
    LineEncoding::MultiByte(encoding_rs::BIG5, "big5"),
];

/// The percentage of confidence from which on a line is in one of these: of 60,000 lines of translations in 20
/// languages and the single-byte encodings of these, 2 were.
const SURE: u8 = 90;

/// The costs in bits of another encoding than the first two, of another than the previous line's, and of UTF-8 in parts
/// of the line.
const LESS_LIKELY: f32 = 8.0;
const TURN: f32 = 10.0;
const PARTS: f32 = 6.0;

/// A line that is not UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MixedLine {
    /// Its number, from 1.
    pub line: usize,
    /// The encoding in which it was decoded.
    pub encoding: &'static str,
    /// Whether only its bytes that are not UTF-8 were decoded in that encoding, as others are UTF-8.
    pub in_parts: bool,
}

/// Decodes lines that are UTF-8, and others in their most likely encoding. Returns the text, and the other lines.
///
/// These encodings are Windows-1252, 1251, 1250, 1253 and 1254, KOI8-R and IBM866, and Shift_JIS, EUC-JP, EUC-KR,
/// GB 18030 and Big5 where a line surely is in one, or follows a line that is.
///
/// ```
/// use leadbyte::mojibake::{MixedLine, read_mixed};
/// let data = b"\xD0\x9F\xD1\x80\xD0\xB8\xD0\xB2\xD0\xB5\xD1\x82\n\xCF\xF0\xE8\xE2\xE5\xF2, \xEC\xE8\xF0\n";
/// let (text, others) = read_mixed(data);
/// assert_eq!(text, "Привет\nПривет, мир\n");
/// assert_eq!(others, [MixedLine { line: 2, encoding: "windows-1251", in_parts: false }]);
/// ```
pub fn read_mixed(data: &[u8]) -> (String, Vec<MixedLine>) {
    uninterrupted(read_mixed_with(data, None, &mut None, &mut unpolled))
}

/// Decodes lines that are UTF-8, and others in an encoding of the WHATWG Encoding Standard, as a whole or only in their
/// bytes that are not UTF-8, whichever is more likely. Malformed bytes become U+FFFD.
///
/// ```
/// use leadbyte::mojibake::read_mixed_as;
/// let data = b"caf\xC3\xA9\n\xA4\xA4\xA4\xE5\n";
/// assert_eq!(read_mixed_as(data, encoding_rs::BIG5), "café\n中文\n");
/// assert_eq!(read_mixed_as(b"caf\xE9", encoding_rs::WINDOWS_1252), "café");
/// ```
pub fn read_mixed_as(data: &[u8], fallback: &'static encoding_rs::Encoding) -> String {
    let fallback = Some(Fallback::standard(fallback));
    uninterrupted(read_mixed_with(data, fallback, &mut None, &mut unpolled)).0
}

/// The encoding of a line that is not UTF-8.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum LineEncoding {
    /// A character set that mojibake is made with.
    Charset(Charset),
    /// An encoding of several bytes a character, with its name.
    MultiByte(&'static encoding_rs::Encoding, &'static str),
}

impl LineEncoding {
    fn name(self) -> &'static str {
        match self {
            Self::Charset(charset) => charset.name(),
            Self::MultiByte(_, name) => name,
        }
    }

    /// Returns the encoding of several bytes a character.
    fn standard(self) -> Option<&'static encoding_rs::Encoding> {
        match self {
            Self::Charset(_) => None,
            Self::MultiByte(standard, _) => Some(standard),
        }
    }

    /// Returns the text of bytes in this encoding, if it has several bytes a character and none is malformed.
    fn well_formed(self, bytes: &[u8]) -> Result<Option<String>, AllocError> {
        let Some(standard) = self.standard() else { return Ok(None) };
        let mut text = String::new();
        Fallback::MultiByte(standard).decode(bytes, &mut text)?;
        Ok(if text.contains(char::REPLACEMENT_CHARACTER) { None } else { Some(text) })
    }
}

/// Decodes as [`read_mixed`] does, or bytes that are not UTF-8 in the encoding `fallback`; these lines are not
/// reported. `last` is the encoding of the last line before that was not UTF-8, and becomes the encoding of the last
/// one. Calls `poll` before each line that is not UTF-8 and after each `POLL_INTERVAL_BYTES` of text that is scored,
/// and stops if that returns an error.
pub fn read_mixed_with(
    data: &[u8],
    fallback: Option<Fallback>,
    last: &mut Option<LineEncoding>,
    poll: Poll<'_>,
) -> Result<(String, Vec<MixedLine>), Stopped> {
    let mut text = String::new();
    text.grow(data.len())?;
    let mut others = vec![];
    for (line, bytes) in (1..).zip(data.split_inclusive(|&byte| byte == b'\n')) {
        if let Ok(valid) = core::str::from_utf8(bytes) {
            try_push_str(&mut text, valid)?;
            continue;
        }
        poll()?;
        if let Some(fallback) = fallback {
            try_push_str(&mut text, &more_likely(bytes, fallback, poll)?.text)?;
            continue;
        }
        let (encoding, Decoded { text: read, in_parts, .. }) = read(bytes, *last, poll)?;
        *last = Some(encoding);
        try_push_str(&mut text, &read)?;
        try_push(&mut others, MixedLine { line, encoding: encoding.name(), in_parts })?;
    }
    Ok((text, others))
}

/// A decoded line.
struct Decoded {
    text: String,
    /// Its cost in bits.
    bits: f32,
    in_parts: bool,
}

/// Returns the most likely encoding and text of a line after another in the encoding `last`.
fn read(
    bytes: &[u8],
    last: Option<LineEncoding>,
    poll: Poll<'_>,
) -> Result<(LineEncoding, Decoded), Stopped> {
    let is_latin = !has_pairs(bytes);
    if !is_latin && let Some(found) = read_multi_byte(bytes, last, poll)? {
        return Ok(found);
    }
    let last = match last {
        Some(LineEncoding::Charset(charset)) => Some(charset),
        _ => None,
    };
    let mut best =
        (Charset::WINDOWS_1252, Decoded { text: String::new(), bits: f32::INFINITY, in_parts: false });
    for (place, charset) in LIKELY.into_iter().enumerate() {
        if is_latin && last != Some(charset) && !LATIN.contains(&charset) {
            continue;
        }
        let turn = if last.is_none_or(|last| last == charset) { 0.0 } else { TURN };
        let cost = turn + if place < 2 { 0.0 } else { LESS_LIKELY };
        let mut decoded = more_likely(bytes, Fallback::Charset(charset), poll)?;
        decoded.bits += cost;
        if decoded.bits < best.1.bits {
            best = (charset, decoded);
        }
    }
    Ok((LineEncoding::Charset(best.0), best.1))
}

/// Returns the encoding of several bytes a character that a line surely is in, or the one of the line before unless it
/// surely is in another, and its text; `None` if it is in none.
fn read_multi_byte(
    bytes: &[u8],
    last: Option<LineEncoding>,
    poll: Poll<'_>,
) -> Result<Option<(LineEncoding, Decoded)>, Stopped> {
    let mut may_be = false;
    for encoding in MULTI_BYTE {
        may_be = may_be || encoding.well_formed(bytes)?.is_some();
    }
    if !may_be {
        return Ok(None);
    }
    let query = Query { end: TextEnd::Complete, ..Query::of(&Encodings::ALL) };
    let found = rank_with(bytes, query, poll)?.first;
    let encoding = if found.percent >= SURE {
        let standard =
            found.standard().map(|it| if it == encoding_rs::GBK { encoding_rs::GB18030 } else { it });
        MULTI_BYTE.into_iter().find(|encoding| encoding.standard() == standard)
    } else {
        last
    };
    let Some(encoding) = encoding else { return Ok(None) };
    let text = encoding.well_formed(bytes)?;
    Ok(text.map(|text| (encoding, Decoded { text, bits: 0.0, in_parts: false })))
}

/// Returns whether two bytes in a row are not UTF-8.
fn has_pairs(bytes: &[u8]) -> bool {
    let mut run = 0;
    bytes.utf8_chunks().any(|chunk| {
        run = chunk.invalid().len() + if chunk.valid().is_empty() { run } else { 0 };
        run >= 2
    })
}

/// Decodes a line in an encoding, as a whole or in its bytes that are not UTF-8, whichever is more likely.
fn more_likely(bytes: &[u8], fallback: Fallback, poll: Poll<'_>) -> Result<Decoded, Stopped> {
    let mut whole = String::new();
    fallback.decode(bytes, &mut whole)?;
    let in_parts = decode_in_parts(bytes, fallback, poll)?;
    let mut bits = |text: &str| score(text, Languages::default(), poll).map(|score| score.bits);
    let costs = [bits(&whole)?, bits(&in_parts)? + PARTS];
    Ok(if costs[0] <= costs[1] {
        Decoded { text: whole, bits: costs[0], in_parts: false }
    } else {
        Decoded { text: in_parts, bits: costs[1], in_parts: true }
    })
}

/// Decodes a line in an encoding where its bytes are not UTF-8.
fn decode_in_parts(bytes: &[u8], fallback: Fallback, poll: Poll<'_>) -> Result<String, Stopped> {
    let mut text = String::new();
    let mut rest = bytes;
    let mut polled = rest.len();
    while let Some(part) = rest.utf8_chunks().next() {
        try_push_str(&mut text, part.valid())?;
        rest = &rest[part.valid().len()..];
        let length = match fallback {
            Fallback::MultiByte(encoding) => decode_run(encoding, rest, &mut text)?,
            _ => {
                fallback.decode(part.invalid(), &mut text)?;
                part.invalid().len()
            }
        };
        rest = &rest[length..];
        if polled - rest.len() >= POLL_INTERVAL_BYTES {
            polled = rest.len();
            poll()?;
        }
    }
    Ok(text)
}

/// Decodes bytes up to the first ASCII character after a whole other one, and returns their number. (Among characters
/// of two bytes or more some look like UTF-8 by chance, and some have bytes of ASCII.)
fn decode_run(
    encoding: &'static encoding_rs::Encoding,
    bytes: &[u8],
    text: &mut String,
) -> Result<usize, AllocError> {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut buffer = [0; MAX_DECODED_BYTES];
    let Ok(buffer) = str::from_utf8_mut(&mut buffer) else { return Ok(bytes.len()) };
    for at in 0..bytes.len() {
        let is_last = at + 1 == bytes.len();
        let (_, _, written, _) = decoder.decode_to_str(&bytes[at..=at], buffer, is_last);
        try_push_str(text, &buffer[..written])?;
        if written > 0 && !is_last && bytes[at + 1].is_ascii() {
            // What a malformed sequence may have left.
            let (_, _, written, _) = decoder.decode_to_str(b"", buffer, true);
            try_push_str(text, &buffer[..written])?;
            return Ok(at + 1);
        }
    }
    Ok(bytes.len())
}

/// More bytes of UTF-8 than a decoder can give for one byte and those that it has kept.
const MAX_DECODED_BYTES: usize = 64;

/// The encoding of bytes that are not UTF-8.
#[derive(Clone, Copy)]
pub enum Fallback {
    /// A character set that mojibake is made with.
    Charset(Charset),
    /// Another single-byte encoding.
    SingleByte(&'static SingleByteEncoding),
    /// An encoding of several bytes a character.
    MultiByte(&'static encoding_rs::Encoding),
}

impl Fallback {
    /// Returns the fallback to an encoding of the WHATWG Encoding Standard.
    fn standard(encoding: &'static encoding_rs::Encoding) -> Self {
        SingleByteEncoding::of(encoding).map_or(Self::MultiByte(encoding), Self::SingleByte)
    }

    /// Returns the fallback to an encoding, if it has several characters beyond ASCII and is not a form of Unicode.
    #[cfg(feature = "bindings")]
    pub fn of(encoding: &Encoding) -> Option<Self> {
        match encoding.mapping {
            Mapping::Scheme(Scheme::SingleByte(encoding)) => Some(Self::SingleByte(encoding)),
            Mapping::Scheme(Scheme::Latin1) => {
                SingleByteEncoding::shared(&HighHalf::Latin1.chars()).map(Self::SingleByte)
            }
            Mapping::Legacy(encoding) if encoding.is_ascii_compatible() => Some(Self::MultiByte(encoding)),
            _ => None,
        }
    }

    /// Appends the text of bytes in the encoding; malformed and undefined bytes become U+FFFD.
    fn decode(self, bytes: &[u8], text: &mut String) -> Result<(), AllocError> {
        if let Self::MultiByte(encoding) = self {
            let mut decoder = encoding.new_decoder_without_bom_handling();
            text.grow(decoder.max_utf8_buffer_length(bytes.len()).ok_or(AllocError::CapacityOverflow)?)?;
            let _ = decoder.decode_to_string(bytes, text, true);
            return Ok(());
        }
        for &byte in bytes {
            let character = match self {
                Self::Charset(charset) => charset.character(byte),
                Self::SingleByte(encoding) => encoding.char_of(byte),
                Self::MultiByte(_) => None,
            };
            let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
            try_push_str(text, character.encode_utf8(&mut [0; 4]))?;
        }
        Ok(())
    }
}
