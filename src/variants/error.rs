//! What can be wrong with bytes that should be of a variant.

use core::fmt;

/// One error in bytes that should be of a variant: those from `start` to `end` are not allowed there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariantError {
    pub(crate) variant: &'static str,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) reason: &'static str,
}

impl VariantError {
    /// Offset of the first bad byte.
    pub const fn start(&self) -> usize {
        self.start
    }

    /// Offset just past the last bad byte.
    pub const fn end(&self) -> usize {
        self.end
    }

    /// Why they are bad: "lone surrogate", "surrogate pair", "four-byte form", "null byte" or "overlong form", where
    /// that is the reason; else in the words of CPython's decoder of UTF-8.
    ///
    /// ```
    /// let error = leadbyte::variants::cesu8::decode("😀".as_bytes()).unwrap_err();
    /// assert_eq!((error.start(), error.end(), error.reason()), (0, 4, "four-byte form"));
    /// ```
    pub const fn reason(&self) -> &'static str {
        self.reason
    }
}

impl fmt::Display for VariantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid {} at byte {}: {}", self.variant, self.start, self.reason)
    }
}

impl core::error::Error for VariantError {}
