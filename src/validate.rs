//! Validation: whether bytes are UTF-8, and the first error.

use crate::error::Utf8Error;
use crate::error_iter::ErrorIter;
use crate::kernels;
use crate::kernels::count::{Ascii, Counts};
use crate::kernels::validate::rules::Utf8;
use crate::kernels::validate::{self, CountsOf, IsValid};
use crate::simd::dispatch::Implementation;

/// Returns whether `data` is UTF-8 (RFC 3629): no overlong encodings, no surrogates, nothing above U+10FFFF.
///
/// ```
/// assert!(leadbyte::is_valid("Hello мир €".as_bytes()));
/// assert!(!leadbyte::is_valid(b"\xC0\xB1")); // an overlong encoding of "1"
/// ```
#[inline]
pub fn is_valid(data: &[u8]) -> bool {
    kernels::run(IsValid::<_, true>(data, Utf8))
}

/// Returns `data` as a `str`, or the first error.
///
/// ```
/// assert_eq!(leadbyte::validate("мир".as_bytes()), Ok("мир"));
/// let error = leadbyte::validate(b"to \xFF end").unwrap_err();
/// assert_eq!((error.start(), error.end()), (3, 4));
/// ```
pub fn validate(data: &[u8]) -> Result<&str, Utf8Error> {
    Implementation::active().validate(data)
}

/// Returns whether every byte of `data` is below 80.
///
/// ```
/// assert!(leadbyte::is_ascii(b"plain"));
/// assert!(!leadbyte::is_ascii("naïve".as_bytes()));
/// ```
pub fn is_ascii(data: &[u8]) -> bool {
    Implementation::active().is_ascii(data)
}

/// The size of a text in other encodings, and its widest character.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measure {
    /// The number of characters.
    pub chars: usize,
    /// The number of UTF-16 code units.
    pub utf16_count: usize,
    /// The largest byte from 80 on, but F0 for any from there on; 0 if there is none. It determines the width of the
    /// widest character; C4 or more means that there is one above U+00FF.
    pub largest: u8,
}

impl Measure {
    #[inline]
    fn of(data: &[u8], counts: Counts) -> Self {
        let chars = data.len() - counts.continuations;
        Self { chars, utf16_count: chars + counts.four_byte_leads, largest: counts.largest }
    }

    /// Returns the measure of a text and the next one together.
    pub(crate) fn plus(self, next: Self) -> Self {
        Self {
            chars: self.chars + next.chars,
            utf16_count: self.utf16_count + next.utf16_count,
            largest: self.largest.max(next.largest),
        }
    }
}

#[doc(hidden)]
impl Implementation {
    #[inline]
    pub fn is_valid(self, data: &[u8]) -> bool {
        self.run(IsValid::<_, true>(data, Utf8))
    }

    /// Measures `data`; `None` if it is not UTF-8.
    pub fn measure(self, data: &[u8]) -> Option<Measure> {
        Some(Measure::of(data, self.run(validate::Measure::<true>(data))?))
    }

    /// Measures `data` that is known to be valid.
    pub(crate) fn measure_valid(self, data: &[u8]) -> Measure {
        Measure::of(data, self.run(CountsOf(data)))
    }

    pub fn validate(self, data: &[u8]) -> Result<&str, Utf8Error> {
        match ErrorIter::new(self, data).next_error() {
            Some(error) => Err(error),
            // SAFETY: the search for an error has just gone through all of `data`.
            None => Ok(unsafe { str::from_utf8_unchecked(data) }),
        }
    }

    pub fn is_ascii(self, data: &[u8]) -> bool {
        self.run(Ascii(data))
    }
}
