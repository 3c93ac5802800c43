//! Errors of the variants.

use core::fmt;

/// A malformed sequence of a variant: the bytes from `start` to `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariantError {
    pub(crate) variant: &'static str,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) reason: &'static str,
}

impl VariantError {
    /// Returns the offset of the first malformed byte.
    pub const fn start(&self) -> usize {
        self.start
    }

    /// Returns the offset after the last malformed byte.
    pub const fn end(&self) -> usize {
        self.end
    }

    /// Returns the reason: "lone surrogate", "surrogate pair", "four-byte form", "null byte" or "overlong form", or one
    /// of CPython's UTF-8 decoder.
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

#[cfg(feature = "arrow")]
impl From<VariantError> for crate::encodings::Fault {
    fn from(error: VariantError) -> Self {
        Self { start: error.start, end: error.end, reason: error.reason }
    }
}
