//! UTF-8 as it was before 2003: forms of one to six bytes, for integers up to 7FFFFFFF (RFC 2279, and RFC 2044 before).
//!
//! The values are integers and not characters, which end at U+10FFFF; surrogates are not special. Each integer has one
//! valid form, the shortest. *Overlong* forms are errors, but can be encoded on request.
//!
//! | integers | bytes | form |
//! |---|---|---|
//! | to 1FFFFF | 4 | `11110xxx` and three times `10xxxxxx` |
//! | to 3FFFFFF | 5 | `111110xx` and four times |
//! | to 7FFFFFFF | 6 | `1111110x` and five times |

use super::VariantError;
use super::integers::{RFC2279, ValueTooLarge};
use crate::simd::dispatch::Implementation;

/// The length of the longest form in bytes.
pub const MAX_BYTES: usize = RFC2279.longest;

/// The largest integer that has a form.
pub const MAX_VALUE: u32 = RFC2279.largest() as u32;

/// Decodes forms to integers, or returns the first error.
///
/// ```
/// use leadbyte::variants::rfc2279;
/// assert_eq!(rfc2279::decode(b"1\xF8\x88\x80\x80\x80\xED\xA0\x80"), Ok(vec![0x31, 0x200000, 0xD800]));
/// let error = rfc2279::decode(b"1\xC0\xB1").unwrap_err();
/// assert_eq!((error.start(), error.reason()), (1, "overlong form"));
/// ```
pub fn decode(data: &[u8]) -> Result<Vec<u32>, VariantError> {
    Implementation::active().decode_rfc2279(data)
}

/// Encodes integers, each in its shortest form of at least `min_length` bytes.
///
/// # Panics
/// If there are no forms of `min_length` bytes.
///
/// ```
/// use leadbyte::variants::rfc2279;
/// assert_eq!(rfc2279::encode(&[0x7FFF_FFFF], 1), Ok(b"\xFD\xBF\xBF\xBF\xBF\xBF".to_vec()));
/// assert_eq!(rfc2279::encode(&[0x31], 2), Ok(b"\xC0\xB1".to_vec())); // overlong
/// let error = rfc2279::encode(&[0, 0x8000_0000], 1).unwrap_err();
/// assert_eq!(error.to_string(), "0x80000000 at index 1 is beyond 0x7FFFFFFF");
/// ```
pub fn encode(values: &[u64], min_length: usize) -> Result<Vec<u8>, ValueTooLarge> {
    Implementation::active().encode_rfc2279(values, min_length)
}

#[doc(hidden)]
impl Implementation {
    pub fn decode_rfc2279(self, data: &[u8]) -> Result<Vec<u32>, VariantError> {
        RFC2279.decode_all(self, data)
    }

    pub fn encode_rfc2279(self, values: &[u64], min_length: usize) -> Result<Vec<u8>, ValueTooLarge> {
        RFC2279.encode_all(self, values, min_length)
    }
}
