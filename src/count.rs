//! Counts of characters, UTF-16 code units and newlines. The data need not be valid.

use crate::kernels;
use crate::kernels::count::{Chars, CountNewlines, Utf16Units, Widths};
use crate::simd::dispatch::Implementation;

/// Counts the characters: the lead bytes, which are all bytes but 80 to BF.
///
/// On invalid data it still counts lead bytes, while decoding with U+FFFD for each error may give more characters (a
/// stray continuation byte is not a lead byte, but becomes one U+FFFD).
///
/// ```
/// assert_eq!(leadbyte::count_chars("Hello мир".as_bytes()), 9);
/// ```
#[inline]
pub fn count_chars(data: &[u8]) -> usize {
    kernels::run(Chars(data))
}

/// Counts the lead bytes by the length in bytes that they announce: 1 (below 80), 2 (C0–DF), 3 (E0–EF) and 4 (F0–FF),
/// valid or not. Their sum is [`count_chars`].
///
/// ```
/// assert_eq!(leadbyte::count_widths("$¢€𐍈".as_bytes()), [1, 1, 1, 1]);
/// ```
pub fn count_widths(data: &[u8]) -> [usize; 4] {
    kernels::run(Widths(data))
}

/// Counts the UTF-16 code units: one for each character, two from U+10000 on (lead bytes F0–FF).
///
/// ```
/// assert_eq!(leadbyte::count_utf16("a😀".as_bytes()), 3);
/// ```
#[inline]
pub fn count_utf16(data: &[u8]) -> usize {
    kernels::run(Utf16Units(data))
}

/// Counts the line feeds (0A).
///
/// ```
/// assert_eq!(leadbyte::count_newlines(b"one\ntwo\n"), 2);
/// ```
#[inline]
pub fn count_newlines(data: &[u8]) -> usize {
    kernels::run(CountNewlines(data))
}

#[doc(hidden)]
impl Implementation {
    pub fn count_chars(self, data: &[u8]) -> usize {
        self.run(Chars(data))
    }

    pub fn count_widths(self, data: &[u8]) -> [usize; 4] {
        self.run(Widths(data))
    }

    pub fn count_utf16(self, data: &[u8]) -> usize {
        self.run(Utf16Units(data))
    }

    pub fn count_newlines(self, data: &[u8]) -> usize {
        self.run(CountNewlines(data))
    }
}
