//! Validation: whether bytes are UTF-8, and the first error.

use crate::error::Utf8Error;
use crate::kernels;
use crate::kernels::validate::IsValid;
use crate::kernels::validate::rules::Utf8;
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

/// The length in bytes up to which data is first tested as a whole, as keys and fields are mostly valid.
const SHORT_BYTES: usize = 256;

#[doc(hidden)]
impl Implementation {
    pub fn validate(self, data: &[u8]) -> Result<&str, Utf8Error> {
        let is_known_valid = data.len() <= SHORT_BYTES && self.run(IsValid::<_, true>(data, Utf8));
        match if is_known_valid { None } else { self.first_error(data) } {
            Some(error) => Err(error),
            // SAFETY: the test, or the search for an error, has just gone through all of `data`.
            None => Ok(unsafe { str::from_utf8_unchecked(data) }),
        }
    }
}
