//! Whether bytes are UTF-8, and the first place where they are not.

use crate::error::Utf8Error;
use crate::error_iter::ErrorIter;
use crate::kernels::{self, Counts, IsValid, rules::Utf8, tally::Ascii};
use crate::simd::dispatch::{self, Implementation};

/// Whether `data` is UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing beyond
/// U+10FFFF.
///
/// ```
/// assert!(leadbyte::is_valid("Hello мир €".as_bytes()));
/// assert!(!leadbyte::is_valid(b"\xC0\xB1")); // an overlong form of "1"
/// ```
#[inline]
pub fn is_valid(data: &[u8]) -> bool {
    dispatch::run(IsValid::<_, true>(data, Utf8))
}

/// The text that `data` holds, or the first error.
///
/// ```
/// assert_eq!(leadbyte::validate("мир".as_bytes()), Ok("мир"));
/// let error = leadbyte::validate(b"to \xFF end").unwrap_err();
/// assert_eq!((error.start(), error.end()), (3, 4));
/// ```
pub fn validate(data: &[u8]) -> Result<&str, Utf8Error> {
    Implementation::active().validate(data)
}

/// Whether every byte of `data` is below 0x80.
///
/// ```
/// assert!(leadbyte::is_ascii(b"plain"));
/// assert!(!leadbyte::is_ascii("naïve".as_bytes()));
/// ```
pub fn is_ascii(data: &[u8]) -> bool {
    Implementation::active().is_ascii(data)
}

/// What it takes to hold a text in other forms.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measure {
    /// Characters.
    pub chars: usize,
    /// UTF-16 code units.
    pub utf16_count: usize,
    /// The largest byte from 80 on, but F0 for any from there on; 0 if there is none. It tells the
    /// widest character, and C4 or more that there is one beyond U+00FF.
    pub largest: u8,
}

impl Measure {
    #[inline]
    fn of(data: &[u8], counts: Counts) -> Self {
        let chars = data.len() - counts.continuations;
        Self { chars, utf16_count: chars + counts.fours, largest: counts.largest }
    }

    /// The measure of two texts, one after the other.
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

    /// What it takes to hold `data` in other forms; `None` if they are not UTF-8.
    pub fn measure(self, data: &[u8]) -> Option<Measure> {
        Some(Measure::of(data, self.run(kernels::Measure::<true>(data))?))
    }

    /// The same of `data` that are valid.
    pub(crate) fn measure_valid(self, data: &[u8]) -> Measure {
        Measure::of(data, self.run(kernels::CountsOf(data)))
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
