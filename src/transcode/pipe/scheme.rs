//! Encoding schemes: how the characters of a text are bytes.
//!
//! Each turns into UTF-8, and UTF-8 into each, so that any two meet there. None has a state: what a character is does
//! not depend on those before it.

use super::words;
use crate::boundary::cut;
use crate::error_iter::ErrorIter;
use crate::kernels::decode::LATIN1;
use crate::kernels::encode::{Source, Utf16, is_first_half};
use crate::kernels::order::Order;
use crate::sequence::{Sequence, decode_one};
use crate::simd::dispatch::Implementation;
use crate::simd::paired;
use crate::simd::uninit::{MaybeUninit, put};
use crate::stream::unfinished;
use crate::transcode::Page;
use crate::{ErrorKind, Utf8Error};

/// An encoding scheme.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scheme {
    Ascii,
    Latin1,
    /// A single-byte encoding.
    Page(&'static Page),
    Utf8,
    Utf16(Order),
    Utf32(Order),
}

/// What stands first in some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum First {
    /// A character, in so many bytes.
    Char(char, usize),
    /// None.
    Broken(Broken),
}

/// So many bytes that are no character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken {
    /// How many.
    pub length: usize,
    /// Why, in CPython's words.
    pub reason: &'static str,
    /// Whether they may be the start of one, if more follows.
    pub waits: bool,
}

/// Where a byte or a character is nothing in a table.
pub(crate) const UNDEFINED: &str = "character maps to <undefined>";

impl Scheme {
    /// What a byte order mark is in this scheme; nothing if it has none.
    pub(crate) fn mark(self) -> &'static [u8] {
        match self {
            Self::Ascii | Self::Latin1 | Self::Page(_) => b"",
            Self::Utf8 => &crate::BOM,
            Self::Utf16(Order::Little) => b"\xFF\xFE",
            Self::Utf16(Order::Big) => b"\xFE\xFF",
            Self::Utf32(Order::Little) => b"\xFF\xFE\0\0",
            Self::Utf32(Order::Big) => b"\0\0\xFE\xFF",
        }
    }

    /// How many bytes at the end of `data` may be the start of a character that goes on after them.
    pub(crate) fn unfinished(self, data: &[u8]) -> usize {
        match self {
            Self::Ascii | Self::Latin1 | Self::Page(_) => 0,
            // The third byte of a surrogate is waited for, as there are handlers that need it.
            Self::Utf8 if matches!(data, [.., 0xED, 0xA0..=0xBF]) => 2,
            Self::Utf8 => unfinished(data),
            Self::Utf16(order) => {
                let odd = data.len() % 2;
                match data[..data.len() - odd].last_chunk() {
                    Some(&last) if is_first_half(order.u16(last).into()) => 2 + odd,
                    _ => odd,
                }
            }
            Self::Utf32(_) => data.len() % 4,
        }
    }

    /// The first bytes of `data`, about `length` of them, that do not end within a character. With a length of 8 or
    /// more there are some, if there are any.
    pub(crate) fn head(self, data: &[u8], length: usize) -> &[u8] {
        if data.len() <= length { data } else { &data[..length - self.unfinished(&data[..length])] }
    }

    /// All of `data`, by steps of about `length` bytes that do not end within a character.
    pub(crate) fn steps(self, data: &[u8], length: usize) -> impl Iterator<Item = &[u8]> {
        cut(data, move |rest| self.head(rest, length))
    }

    /// What stands first in `data`, of which there are some.
    pub(crate) fn first(self, data: &[u8]) -> First {
        let broken = |length, reason, waits| First::Broken(Broken { length, reason, waits });
        let scalar = |value, length| char::from_u32(value).map(|character| First::Char(character, length));
        match self {
            Self::Ascii if !data[0].is_ascii() => broken(1, "ordinal not in range(128)", false),
            Self::Ascii | Self::Latin1 => First::Char(data[0].into(), 1),
            Self::Page(page) => match page.char_of(data[0]) {
                Some(character) => First::Char(character, 1),
                None => broken(1, UNDEFINED, false),
            },
            Self::Utf8 => match decode_one(data) {
                Some(Sequence::Char(character, length)) => First::Char(character, length),
                Some(Sequence::Broken(kind, length)) => {
                    let waits =
                        kind == ErrorKind::Truncated || kind == ErrorKind::Surrogate && data.len() == 2;
                    broken(length, Utf8Error::new(0, kind, &data[..length]).reason(), waits)
                }
                None => broken(0, "", true),
            },
            Self::Utf16(order) => {
                let (units, _) = data.as_chunks();
                let mut units = units.iter().map(|&unit| order.u16(unit));
                let [first, second] = [units.next(), units.next()];
                let pair = [first.unwrap_or_default(), second.unwrap_or_default()];
                match (first, second) {
                    (None, _) => broken(data.len(), "truncated data", true),
                    (Some(first), None) if is_first_half(first.into()) => {
                        broken(data.len(), "unexpected end of data", true)
                    }
                    (Some(first), _) => {
                        let reason = if is_first_half(first.into()) {
                            "illegal UTF-16 surrogate"
                        } else {
                            "illegal encoding"
                        };
                        Utf16::first(paired(&pair))
                            .and_then(|(value, count)| scalar(value, 2 * count))
                            .unwrap_or(broken(2, reason, false))
                    }
                }
            }
            Self::Utf32(order) => match data.first_chunk() {
                None => broken(data.len(), "truncated data", true),
                Some(&unit) => {
                    let value = order.u32(unit);
                    let reason = match value {
                        0xD800..=0xDFFF => "code point in surrogate code point range(0xd800, 0xe000)",
                        _ => "code point not in range(0x110000)",
                    };
                    scalar(value, 4).unwrap_or(broken(4, reason, false))
                }
            },
        }
    }

    /// The surrogate that stands first in `data`, which the scheme does not allow but could hold.
    pub(crate) fn surrogate(self, data: &[u8]) -> Option<(u32, usize)> {
        let (value, length) = match self {
            Self::Utf8 => match *data.first_chunk()? {
                [0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF] => {
                    (0xD000 | u32::from(second & 0x3F) << 6 | u32::from(third & 0x3F), 3)
                }
                _ => return None,
            },
            Self::Utf16(order) => (order.u16(*data.first_chunk()?).into(), 2),
            Self::Utf32(order) => (order.u32(*data.first_chunk()?), 4),
            Self::Ascii | Self::Latin1 | Self::Page(_) => return None,
        };
        (0xD800..0xE000).contains(&value).then_some((value, length))
    }

    /// How many bytes `data` take in UTF-8; perhaps `None` if they are not well-formed.
    pub(crate) fn utf8_length(self, by: Implementation, data: &[u8]) -> Option<usize> {
        match self {
            Self::Ascii => by.is_ascii(data).then_some(data.len()),
            Self::Latin1 => Some(by.utf8_length(data)),
            Self::Page(page) => page.utf8_length(data),
            Self::Utf8 => by.is_valid(data).then_some(data.len()),
            Self::Utf16(order) => words::utf8_length::<u16>(by, data, order),
            Self::Utf32(order) => words::utf8_length::<u32>(by, data, order),
        }
    }

    /// Writes `data`, well-formed as far as [`utf8_length`](Self::utf8_length) tells, as UTF-8 into `out`, which has at
    /// least the room. Returns how many bytes these were; `None` if the data are not well-formed.
    pub(crate) fn fill_utf8(
        self,
        by: Implementation,
        data: &[u8],
        out: &mut [MaybeUninit<u8>],
    ) -> Option<usize> {
        let (written, whole) = match self {
            Self::Ascii | Self::Utf8 => (put(out, data), true),
            Self::Latin1 => (by.encode(data, out).written, true),
            Self::Page(page) => page.fill_utf8(by, data, out),
            Self::Utf16(order) => words::encode::<u16>(by, data, order, out),
            Self::Utf32(order) => words::encode::<u32>(by, data, order, out),
        };
        whole.then_some(written)
    }

    /// How many bytes `text`, in UTF-8, takes; perhaps `None` if it is not valid, or has characters that the
    /// scheme lacks.
    pub(crate) fn length(self, by: Implementation, text: &[u8]) -> Option<usize> {
        let measure = by.measure(text)?;
        match self {
            Self::Ascii => (measure.largest == 0).then_some(text.len()),
            Self::Latin1 => (measure.largest <= LATIN1).then_some(measure.chars),
            Self::Page(_) => Some(measure.chars),
            Self::Utf8 => Some(text.len()),
            Self::Utf16(_) => Some(2 * measure.utf16_count),
            Self::Utf32(_) => Some(4 * measure.chars),
        }
    }

    /// Writes `text`, valid UTF-8 that the scheme has as far as [`length`](Self::length) tells, into `out`, which has at
    /// least the room. Returns how many bytes these were; `None` if the scheme lacks some of it.
    pub(crate) fn fill(self, by: Implementation, text: &[u8], out: &mut [MaybeUninit<u8>]) -> Option<usize> {
        let (written, whole) = match self {
            Self::Ascii | Self::Utf8 => (put(out, text), true),
            Self::Latin1 => (by.fill(text, out), true),
            Self::Page(page) => page.fill(by, text, out),
            Self::Utf16(order) => (words::decode::<u16>(by, text, order, out), true),
            Self::Utf32(order) => (words::decode::<u32>(by, text, order, out), true),
        };
        whole.then_some(written)
    }

    /// How many of the first bytes of `data` are well-formed.
    #[cold]
    pub(crate) fn well_formed_up_to(self, by: Implementation, data: &[u8]) -> usize {
        let found = match self {
            Self::Ascii => data.iter().position(|byte| !byte.is_ascii()),
            Self::Latin1 => None,
            Self::Page(page) => page.first_undefined(by, data),
            Self::Utf8 => valid_up_to(by, data),
            Self::Utf16(order) => return words::well_formed_up_to::<u16>(by, data, order),
            Self::Utf32(order) => return words::well_formed_up_to::<u32>(by, data, order),
        };
        found.unwrap_or(data.len())
    }

    /// How many of the first bytes of `text`, in UTF-8, are valid and characters that the scheme has.
    #[cold]
    pub(crate) fn has_up_to(self, by: Implementation, text: &[u8]) -> usize {
        let valid = valid_up_to(by, text).unwrap_or(text.len());
        let text = &text[..valid];
        let found = match self {
            Self::Ascii => text.iter().position(|byte| !byte.is_ascii()),
            Self::Latin1 => text.iter().position(|&byte| byte > LATIN1),
            Self::Page(page) => page.first_missing(by, text).map(|(at, _)| at),
            Self::Utf8 | Self::Utf16(_) | Self::Utf32(_) => None,
        };
        found.unwrap_or(valid)
    }

    /// Appends one code point, if the scheme has it; with `surrogates` also such a one if the scheme could hold it.
    pub(crate) fn push(self, value: u32, surrogates: bool, out: &mut Vec<u8>) -> bool {
        let Some(character) = char::from_u32(value) else {
            match self {
                _ if !surrogates => return false,
                Self::Utf8 => {
                    out.extend([0xED, 0x80 | (value >> 6 & 0x3F) as u8, 0x80 | (value & 0x3F) as u8])
                }
                Self::Utf16(order) => out.extend(order.of((value as u16).to_be_bytes())),
                Self::Utf32(order) => out.extend(order.of(value.to_be_bytes())),
                Self::Ascii | Self::Latin1 | Self::Page(_) => return false,
            }
            return true;
        };
        match self {
            Self::Ascii if character.is_ascii() => out.push(value as u8),
            Self::Latin1 if value <= 0xFF => out.push(value as u8),
            Self::Ascii | Self::Latin1 => return false,
            Self::Page(page) => match page.byte_of(character) {
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

    /// The bytes of a code unit.
    pub(crate) fn unit(self) -> usize {
        match self {
            Self::Ascii | Self::Latin1 | Self::Page(_) | Self::Utf8 => 1,
            Self::Utf16(_) => 2,
            Self::Utf32(_) => 4,
        }
    }
}

/// How many of the first bytes of `text` are valid UTF-8, if not all are.
fn valid_up_to(by: Implementation, text: &[u8]) -> Option<usize> {
    ErrorIter::new(by, text).next_error().map(|error| error.start() as usize)
}
