//! Escapes in strings (RFC 8259, section 7).

use core::ops::RangeInclusive;

/// The length of `\u0000`.
pub(super) const UNICODE_ESCAPE_BYTES: usize = 6;

const HIGH_SURROGATES: RangeInclusive<u16> = 0xD800..=0xDBFF;
const LOW_SURROGATES: RangeInclusive<u16> = 0xDC00..=0xDFFF;

/// What a backslash in a string starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escape {
    /// Another escape, of some bytes, or a pair of surrogates.
    Other(usize),
    /// An escape of a surrogate without its other half.
    LoneSurrogate,
    /// The escape of U+0000.
    Nul,
    /// The first bytes of an escape, which something else follows.
    Unfinished(usize),
    /// What follows the data decides.
    Unknown,
}

impl Escape {
    /// Returns the number of bytes; of one that is unknown, all that there are.
    pub(super) fn length(self, data: &[u8]) -> usize {
        match self {
            Self::Other(length) | Self::Unfinished(length) => length,
            Self::LoneSurrogate | Self::Nul => UNICODE_ESCAPE_BYTES,
            Self::Unknown => data.len(),
        }
    }

    /// Returns what the backslash at the start of `data` starts.
    #[inline]
    pub(super) fn at_start(data: &[u8]) -> Self {
        match data.get(1) {
            None => return Self::Unknown,
            Some(b'u') => {}
            Some(b' '..=b'~') => return Self::Other(2),
            Some(_) => return Self::Unfinished(1),
        }
        let value = match unicode_escape(data) {
            Ok(value) => value,
            Err(length) if length == data.len() => return Self::Unknown,
            Err(length) => return Self::Unfinished(length),
        };
        if value == 0 {
            return Self::Nul;
        }
        if LOW_SURROGATES.contains(&value) {
            return Self::LoneSurrogate;
        }
        if !HIGH_SURROGATES.contains(&value) {
            return Self::Other(UNICODE_ESCAPE_BYTES);
        }
        let rest = data.get(UNICODE_ESCAPE_BYTES..).unwrap_or_default();
        match unicode_escape(rest) {
            Ok(next) if LOW_SURROGATES.contains(&next) => Self::Other(2 * UNICODE_ESCAPE_BYTES),
            Err(length) if length == rest.len() => Self::Unknown,
            _ => Self::LoneSurrogate,
        }
    }
}

/// Returns the UTF-16 code unit that `data` starts with an escape of, or the number of bytes that start one.
#[inline]
pub(super) fn unicode_escape(data: &[u8]) -> Result<u16, usize> {
    if let Some(&[b'\\', b'u', first, second, third, fourth]) = data.first_chunk() {
        let [first, second, third, fourth] = [first, second, third, fourth].map(hex_digit);
        if (first | second | third | fourth) < 16 {
            return Ok(u16::from(first << 4 | second) << 8 | u16::from(third << 4 | fourth));
        }
    }
    Err(started_length(data))
}

/// Returns the number of bytes at the start of `data` that start an escape of a code unit, but do not complete it.
#[cold]
fn started_length(data: &[u8]) -> usize {
    let starts = data.iter().enumerate().take_while(|&(at, &byte)| match at {
        0 => byte == b'\\',
        1 => byte == b'u',
        2..UNICODE_ESCAPE_BYTES => hex_digit(byte) < 16,
        _ => false,
    });
    starts.count()
}

/// Returns the value of a hexadecimal digit; more than 15 for another byte.
#[inline]
fn hex_digit(byte: u8) -> u8 {
    HEX_DIGITS[usize::from(byte)]
}

static HEX_DIGITS: [u8; 256] = {
    let mut values = [u8::MAX; 256];
    let mut digit = 0;
    while digit < 16 {
        values[b"0123456789abcdef"[digit] as usize] = digit as u8;
        values[b"0123456789ABCDEF"[digit] as usize] = digit as u8;
        digit += 1;
    }
    values
};

/// Returns the code units of the escapes that `data` starts with, and the number of their bytes.
pub(super) fn code_units(data: &[u8]) -> (impl Iterator<Item = u16> + '_, usize) {
    let units = || data.chunks(UNICODE_ESCAPE_BYTES).map_while(|chunk| unicode_escape(chunk).ok());
    // Decoders of UTF-16 ask once more after the end.
    (units().fuse(), UNICODE_ESCAPE_BYTES * units().count())
}

#[cfg(test)]
mod tests {
    use super::Escape::{self, LoneSurrogate, Nul, Other, Unfinished, Unknown};

    #[test]
    fn escapes_are_known_once_their_bytes_are() {
        let escapes: &[(&[u8], Escape)] = &[
            (br"\n.", Other(2)),
            (br"\\u0000", Other(2)),
            (br"\u0430", Other(6)),
            (br"\u0000", Nul),
            (br"\ud83d\ude00", Other(12)),
            (br"\uD83D\uDE00", Other(12)),
            (br"\ud83d\u0430", LoneSurrogate),
            (br"\ud83d\ud83d", LoneSurrogate),
            (br"\ud83d\ude0.", LoneSurrogate),
            (br"\ud83d\\ude00", LoneSurrogate),
            (br"\ud83d.", LoneSurrogate),
            (br"\ude00", LoneSurrogate),
            (br"\ud7ff", Other(6)),
            (br"\ue000", Other(6)),
            (br"\ud83.", Unfinished(5)),
            (br"\u.", Unfinished(2)),
            (b"\\\n", Unfinished(1)),
            (b"\\\xFF", Unfinished(1)),
            (br"\", Unknown),
            (br"\u", Unknown),
            (br"\u000", Unknown),
            (br"\ud83d", Unknown),
            (br"\ud83d\ude0", Unknown),
        ];
        for &(data, expected) in escapes {
            assert_eq!(Escape::at_start(data), expected, "{}", data.escape_ascii());
            // No further byte changes it.
            if expected != Unknown {
                for more in [&b"\""[..], b"0", br"\ude00", b"\xFF"] {
                    assert_eq!(Escape::at_start(&[data, more].concat()), expected);
                }
            }
        }
    }
}
