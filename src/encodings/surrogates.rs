//! Surrogates: the code points U+D800 to U+DFFF, two of which make a character beyond U+FFFF in UTF-16.
//!
//! UTF-8 has none. Generalized UTF-8 (the WTF-8 specification, section 3.2) writes a lone one as any other code point
//! of three bytes: ED, A0 to BF, 80 to BF.

use core::ops::RangeInclusive;

pub(crate) use crate::kernels::encode::{is_high_surrogate as is_high, pair as decode_pair};
use crate::sequence::is_continuation;

/// All surrogates.
pub const SURROGATES: RangeInclusive<u32> = 0xD800..=0xDFFF;

/// The low surrogates that CPython's handler "surrogateescape" (PEP 383) gives for the bytes 80 to FF.
pub(crate) const ESCAPED: RangeInclusive<u32> = 0xDC80..=0xDCFF;

/// The number of bytes of a surrogate in generalized UTF-8.
pub const UTF8_BYTES: usize = 3;

/// Returns the surrogate that `bytes` begin with in generalized UTF-8, if they do.
#[inline]
pub(crate) fn decode_utf8(bytes: &[u8]) -> Option<u16> {
    match *bytes {
        [0xED, second @ 0xA0..=0xBF, third, ..] if is_continuation(third) => {
            Some(0xD000 | u16::from(second & 0x3F) << 6 | u16::from(third & 0x3F))
        }
        _ => None,
    }
}

/// Returns a surrogate in generalized UTF-8.
pub(crate) fn encode_utf8(surrogate: u16) -> [u8; UTF8_BYTES] {
    [0xED, 0x80 | (surrogate >> 6 & 0x3F) as u8, 0x80 | (surrogate & 0x3F) as u8]
}

/// Returns whether the last two bytes of `data` start a surrogate whose third byte is still to come.
pub(crate) fn ends_inside(data: &[u8]) -> bool {
    matches!(data, [.., 0xED, 0xA0..=0xBF])
}

/// Returns whether `data` ends with a high surrogate in generalized UTF-8.
pub fn ends_with_high(data: &[u8]) -> bool {
    matches!(data, [.., 0xED, 0xA0..=0xAF, _])
}

/// Returns the byte that "surrogateescape" gave this surrogate for, if there is one.
#[inline]
pub(crate) fn unescape(value: u32) -> Option<u8> {
    ESCAPED.contains(&value).then_some(value as u8)
}
