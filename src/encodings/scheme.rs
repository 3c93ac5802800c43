//! Encoding schemes: stateless mappings between characters and bytes (Unicode 16, section 3.10).
//!
//! Each converts to and from UTF-8, so that any two convert by way of it.

use super::{SingleByteEncoding, bom, code_units, surrogates};
use crate::allocation::AllocError;
use crate::error::Utf8Error;
use crate::kernels::encode::unit::SourceUnit;
use crate::kernels::order::Order;
use crate::kernels::validate::rules::Utf8;
use crate::kernels::validate::{check, search_start};
use crate::sequence::LATIN1;
use crate::sequence::boundary::cut;
use crate::sequence::{ErrorKind, Sequence, decode_one, incomplete_suffix};
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::{MaybeUninit, put, try_append};
use crate::simd::{Utf16, paired};

/// An encoding scheme.
#[derive(Clone, Copy, Debug)]
pub enum Scheme {
    /// US-ASCII.
    Ascii,
    /// ISO 8859-1, as Python has it.
    Latin1,
    /// Another encoding of one byte a character.
    SingleByte(&'static SingleByteEncoding),
    /// UTF-8.
    Utf8,
    /// UTF-16 in a byte order.
    Utf16(Order),
    /// UTF-32 in a byte order.
    Utf32(Order),
}

/// The start of some bytes in a scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecodedChar {
    /// A character and its length in bytes.
    Char(char, usize),
    Malformed(Malformed),
}

/// A malformed sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// Its length in bytes.
    pub length: usize,
    /// CPython's reason.
    pub reason: &'static str,
    /// Whether it can be the start of a character if more bytes follow.
    pub is_incomplete: bool,
}

/// CPython's reason for undefined bytes and unmappable characters of single-byte encodings.
pub(crate) const UNDEFINED: &str = "character maps to <undefined>";

impl Scheme {
    /// The UTF-16 and UTF-32 schemes with a fixed byte order. UTF-32 comes first, as its byte order mark begins with
    /// the one of UTF-16.
    pub(crate) const WIDE: [Self; 4] = [
        Self::Utf32(Order::Little),
        Self::Utf32(Order::Big),
        Self::Utf16(Order::Little),
        Self::Utf16(Order::Big),
    ];

    /// Returns the name of Python's codec, or `None` for a single-byte encoding, which has a name of its own.
    pub(crate) const fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::Ascii => "ascii",
            Self::Latin1 => "iso8859-1",
            Self::SingleByte(_) => return None,
            Self::Utf8 => "utf-8",
            Self::Utf16(Order::Little) => "utf-16-le",
            Self::Utf16(Order::Big) => "utf-16-be",
            Self::Utf32(Order::Little) => "utf-32-le",
            Self::Utf32(Order::Big) => "utf-32-be",
        })
    }

    /// Returns the byte order mark; it is empty if the scheme has none.
    pub(crate) const fn bom(self) -> &'static [u8] {
        match self {
            Self::Ascii | Self::Latin1 | Self::SingleByte(_) => b"",
            Self::Utf8 => &bom::BOM,
            Self::Utf16(Order::Little) => bom::UTF_16_LE,
            Self::Utf16(Order::Big) => bom::UTF_16_BE,
            Self::Utf32(Order::Little) => bom::UTF_32_LE,
            Self::Utf32(Order::Big) => bom::UTF_32_BE,
        }
    }

    /// Returns the length of a code unit in bytes.
    pub(crate) const fn unit_bytes(self) -> usize {
        match self {
            Self::Ascii | Self::Latin1 | Self::SingleByte(_) | Self::Utf8 => 1,
            Self::Utf16(_) => 2,
            Self::Utf32(_) => 4,
        }
    }

    /// Returns the number of bytes at the end of `data` that can be the start of a character which later bytes
    /// complete.
    pub fn incomplete_suffix(self, data: &[u8]) -> usize {
        match self {
            Self::Ascii | Self::Latin1 | Self::SingleByte(_) => 0,
            // As in CPython, since "surrogatepass" needs the third byte of a surrogate.
            Self::Utf8 if surrogates::ends_inside(data) => surrogates::UTF8_BYTES - 1,
            Self::Utf8 => incomplete_suffix(data),
            Self::Utf16(order) => {
                let odd = data.len() % 2;
                match data[..data.len() - odd].last_chunk() {
                    Some(&last) if surrogates::is_high(order.u16(last).into()) => 2 + odd,
                    _ => odd,
                }
            }
            Self::Utf32(_) => data.len() % 4,
        }
    }

    /// Returns the first bytes of `data`, about `length` of them, that do not end inside a character. With a length of
    /// 8 or more they are not empty unless `data` is.
    pub fn head(self, data: &[u8], length: usize) -> &[u8] {
        if data.len() <= length { data } else { &data[..length - self.incomplete_suffix(&data[..length])] }
    }

    /// Divides `data` into steps of about `length` bytes that do not end inside a character.
    pub fn chunks(self, data: &[u8], length: usize) -> impl Iterator<Item = &[u8]> {
        cut(data, move |rest| self.head(rest, length))
    }

    /// Decodes the start of `data`, which is not empty.
    pub(crate) fn decode_one(self, data: &[u8]) -> DecodedChar {
        let malformed = |length, reason, is_incomplete| {
            DecodedChar::Malformed(Malformed { length, reason, is_incomplete })
        };
        let scalar =
            |value, length| char::from_u32(value).map(|character| DecodedChar::Char(character, length));
        match self {
            Self::Ascii if !data[0].is_ascii() => malformed(1, "ordinal not in range(128)", false),
            Self::Ascii | Self::Latin1 => DecodedChar::Char(data[0].into(), 1),
            Self::Utf8 if data.first().is_some_and(u8::is_ascii) => DecodedChar::Char(data[0].into(), 1),
            Self::SingleByte(encoding) => match encoding.char_of(data[0]) {
                Some(character) => DecodedChar::Char(character, 1),
                None => malformed(1, UNDEFINED, false),
            },
            Self::Utf8 => match decode_one(data) {
                Some(Sequence::Char(character, length)) => DecodedChar::Char(character, length),
                Some(Sequence::Malformed(kind, length)) => {
                    let error = Utf8Error::new(0, kind, &data[..length]);
                    malformed(length, error.reason(), utf8_is_incomplete(kind, data.len()))
                }
                None => malformed(0, "", true),
            },
            Self::Utf16(order) => {
                let (units, _) = data.as_chunks();
                let mut units = units.iter().map(|&unit| order.u16(unit));
                let [first, second] = [units.next(), units.next()];
                let pair = [first.unwrap_or_default(), second.unwrap_or_default()];
                match (first, second) {
                    (None, _) => malformed(data.len(), "truncated data", true),
                    (Some(first), None) if surrogates::is_high(first.into()) => {
                        malformed(data.len(), "unexpected end of data", true)
                    }
                    (Some(first), _) => {
                        let reason = if surrogates::is_high(first.into()) {
                            "illegal UTF-16 surrogate"
                        } else {
                            "illegal encoding"
                        };
                        Utf16::first(paired(&pair))
                            .and_then(|(value, count)| scalar(value, 2 * count))
                            .unwrap_or(malformed(2, reason, false))
                    }
                }
            }
            Self::Utf32(order) => match data.first_chunk() {
                None => malformed(data.len(), "truncated data", true),
                Some(&unit) => {
                    let value = order.u32(unit);
                    let reason = if surrogates::SURROGATES.contains(&value) {
                        "code point in surrogate code point range(0xd800, 0xe000)"
                    } else {
                        "code point not in range(0x110000)"
                    };
                    scalar(value, 4).unwrap_or(malformed(4, reason, false))
                }
            },
        }
    }

    /// Decodes `data`, of which the last code unit may be incomplete. Yields `None` for each malformed sequence.
    pub(crate) fn chars(self, data: &[u8]) -> impl Iterator<Item = Option<char>> {
        let mut rest = &data[..data.len() - data.len() % self.unit_bytes()];
        core::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let (character, length) = match self.decode_one(rest) {
                DecodedChar::Char(character, length) => (Some(character), length),
                DecodedChar::Malformed(malformed) => (None, malformed.length),
            };
            rest = &rest[length..];
            Some(character)
        })
    }

    /// Returns the surrogate at the start of `data` and its length in bytes. The scheme does not allow it but has a
    /// form for it.
    #[inline]
    pub(crate) fn decode_surrogate(self, data: &[u8]) -> Option<(u16, usize)> {
        let value = match self {
            Self::Utf8 => return surrogates::decode_utf8(data).map(|value| (value, surrogates::UTF8_BYTES)),
            Self::Utf16(order) => order.u16(*data.first_chunk()?).into(),
            Self::Utf32(order) => order.u32(*data.first_chunk()?),
            Self::Ascii | Self::Latin1 | Self::SingleByte(_) => return None,
        };
        surrogates::SURROGATES.contains(&value).then_some((value as u16, self.unit_bytes()))
    }

    /// Writes the form that the scheme has for a surrogate, though it does not allow it. Returns whether it has one.
    pub(crate) fn encode_surrogate(self, surrogate: u16, mut put: impl FnMut(&[u8])) -> bool {
        match self {
            Self::Utf8 => put(&surrogates::encode_utf8(surrogate)),
            Self::Utf16(order) => put(&order.of(surrogate.to_be_bytes())),
            Self::Utf32(order) => put(&order.of(u32::from(surrogate).to_be_bytes())),
            Self::Ascii | Self::Latin1 | Self::SingleByte(_) => return false,
        }
        true
    }

    /// Appends one character. Returns whether the scheme has it.
    pub(crate) fn encode_one(self, character: char, out: &mut Vec<u8>) -> bool {
        let value = u32::from(character);
        match self {
            Self::Ascii | Self::Utf8 if character.is_ascii() => out.push(value as u8),
            Self::Latin1 if value <= 0xFF => out.push(value as u8),
            Self::Ascii | Self::Latin1 => return false,
            Self::SingleByte(encoding) => match encoding.byte_of(character) {
                Some(byte) => out.push(byte),
                None => return false,
            },
            Self::Utf8 => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            Self::Utf16(order) => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    out.extend(order.of(unit.to_be_bytes()));
                }
            }
            Self::Utf32(order) => out.extend(order.of(value.to_be_bytes())),
        }
        true
    }

    /// Returns whether the scheme has a code point; none allows surrogates.
    pub(crate) fn has(self, value: u32) -> bool {
        char::from_u32(value).is_some_and(|character| match self {
            Self::Ascii => character.is_ascii(),
            Self::Latin1 => value <= 0xFF,
            Self::SingleByte(encoding) => encoding.byte_of(character).is_some(),
            Self::Utf8 | Self::Utf16(_) | Self::Utf32(_) => true,
        })
    }

    /// Returns the length of `data` in UTF-8 in bytes. Returns `None` if it finds `data` ill-formed; the schemes whose
    /// length needs no check leave that to [`fill_utf8`](Self::fill_utf8).
    pub(crate) fn utf8_length(self, by: Implementation, data: &[u8]) -> Option<usize> {
        match self {
            Self::Ascii => by.is_ascii(data).then_some(data.len()),
            Self::Latin1 => Some(by.utf8_length(data)),
            Self::SingleByte(encoding) => encoding.length_in_utf8(by, data),
            Self::Utf8 => by.is_valid(data).then_some(data.len()),
            Self::Utf16(order) => code_units::utf8_length::<u16>(by, data, order),
            Self::Utf32(order) => code_units::utf8_length::<u32>(by, data, order),
        }
    }

    /// Writes `data`, for which [`utf8_length`](Self::utf8_length) returned a length, as UTF-8 into `out`, which has at
    /// least that length. Returns the number of bytes written; `None` if `data` is ill-formed.
    pub(crate) fn fill_utf8(
        self,
        by: Implementation,
        data: &[u8],
        out: &mut [MaybeUninit<u8>],
    ) -> Option<usize> {
        let (written, whole) = match self {
            Self::Ascii | Self::Utf8 => (put(out, data), true),
            Self::Latin1 => (by.encode(data, out).written, true),
            Self::SingleByte(encoding) => encoding.fill_utf8(by, data, out),
            Self::Utf16(order) => code_units::encode::<u16>(by, data, order, out),
            Self::Utf32(order) => code_units::encode::<u32>(by, data, order, out),
        };
        whole.then_some(written)
    }

    /// Appends `data` as UTF-8 to `text`. Returns whether it is well-formed; if not, nothing is appended.
    pub(crate) fn append_utf8(
        self,
        by: Implementation,
        data: &[u8],
        text: &mut Vec<u8>,
    ) -> Result<bool, AllocError> {
        match self.utf8_length(by, data) {
            Some(length) => try_append(text, length, |out| self.fill_utf8(by, data, out)),
            None => Ok(false),
        }
    }

    /// Returns the length of UTF-8 `text` in this scheme in bytes. Returns `None` if `text` is not valid, or if it
    /// finds a character that the scheme does not have; single-byte encodings leave that to [`fill`](Self::fill).
    pub(crate) fn length(self, by: Implementation, text: &[u8]) -> Option<usize> {
        let measure = by.measure(text)?;
        match self {
            Self::Ascii => (measure.largest == 0).then_some(text.len()),
            Self::Latin1 => (measure.largest <= LATIN1).then_some(measure.chars),
            Self::SingleByte(_) => Some(measure.chars),
            Self::Utf8 => Some(text.len()),
            Self::Utf16(_) => Some(2 * measure.utf16_count),
            Self::Utf32(_) => Some(4 * measure.chars),
        }
    }

    /// Writes `text`, for which [`length`](Self::length) returned a length, in this scheme into `out`, which has at
    /// least that length. Returns the number of bytes written; `None` if the scheme does not have a character.
    pub(crate) fn fill(self, by: Implementation, text: &[u8], out: &mut [MaybeUninit<u8>]) -> Option<usize> {
        let (written, whole) = match self {
            Self::Ascii | Self::Utf8 => (put(out, text), true),
            Self::Latin1 => (by.fill(text, out), true),
            Self::SingleByte(encoding) => encoding.fill(by, text, out),
            Self::Utf16(order) => (code_units::decode::<u16>(by, text, order, out), true),
            Self::Utf32(order) => (code_units::decode::<u32>(by, text, order, out), true),
        };
        whole.then_some(written)
    }

    /// Returns the number of bytes before the first malformed sequence of `data`.
    #[cold]
    pub(crate) fn well_formed_up_to(self, by: Implementation, data: &[u8]) -> usize {
        let found = match self {
            Self::Ascii => data.iter().position(|byte| !byte.is_ascii()),
            Self::Latin1 => None,
            Self::SingleByte(encoding) => encoding.first_undefined(by, data),
            Self::Utf8 => return valid_up_to(by, data),
            Self::Utf16(order) => return code_units::well_formed_up_to::<u16>(by, data, order),
            Self::Utf32(order) => return code_units::well_formed_up_to::<u32>(by, data, order),
        };
        found.unwrap_or(data.len())
    }

    /// Returns the number of bytes of UTF-8 `text` before the first that is invalid or of a character that the scheme
    /// does not have.
    #[cold]
    pub(crate) fn mappable_up_to(self, by: Implementation, text: &[u8]) -> usize {
        let valid = valid_up_to(by, text);
        let text = &text[..valid];
        let found = match self {
            Self::Ascii => text.iter().position(|byte| !byte.is_ascii()),
            Self::Latin1 => text.iter().position(|&byte| byte > LATIN1),
            Self::SingleByte(encoding) => encoding.first_unmappable(by, text).map(|(at, _)| at),
            Self::Utf8 | Self::Utf16(_) | Self::Utf32(_) => None,
        };
        found.unwrap_or(valid)
    }
}

/// Returns whether an error of this kind at the end of UTF-8, with this many bytes from its start to the end, may be
/// none once more bytes follow. As in CPython, a surrogate's third byte is awaited, since "surrogatepass" needs it.
pub fn utf8_is_incomplete(kind: ErrorKind, bytes_to_end: usize) -> bool {
    match kind {
        ErrorKind::Truncated => true,
        ErrorKind::Surrogate => bytes_to_end == surrogates::UTF8_BYTES - 1,
        _ => false,
    }
}

/// Returns the number of bytes of `text` before the first error of UTF-8: all if there is none.
fn valid_up_to(by: Implementation, text: &[u8]) -> usize {
    let mut at = match by.run(check(text, Utf8)).valid {
        all if all == text.len() => return all,
        valid => search_start(text, valid),
    };
    while let Some(Sequence::Char(_, length)) = decode_one(&text[at..]) {
        at += length;
    }
    at
}
