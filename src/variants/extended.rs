//! The forms of [`rfc2279`](super::rfc2279) and two more, for integers up to 42 bits: the lead bytes FE of seven bytes
//! and FF of eight, which no standard defines.
//!
//! | integers | bytes | form |
//! |---|---|---|
//! | to FFFFFFFFF | 7 | `11111110` and six times `10xxxxxx` |
//! | to 3FFFFFFFFFF | 8 | `11111111` and seven times |

use super::VariantError;
use super::integers::{EXTENDED, ValueTooLarge};
use crate::simd::dispatch::Implementation;

/// The length of the longest form in bytes.
pub const MAX_BYTES: usize = EXTENDED.longest;

/// The largest integer that has a form.
pub const MAX_VALUE: u64 = EXTENDED.largest();

/// Decodes forms to integers, or returns the first error.
///
/// ```
/// use leadbyte::variants::extended;
/// assert_eq!(extended::decode(b"\xFE\x82\x80\x80\x80\x80\x80"), Ok(vec![1 << 31]));
/// let error = extended::decode(b"\xFE\x81\xBF\xBF\xBF\xBF\xBF").unwrap_err();
/// assert_eq!((error.start(), error.reason()), (0, "overlong form"));
/// ```
pub fn decode(data: &[u8]) -> Result<Vec<u64>, VariantError> {
    Implementation::active().decode_extended(data)
}

/// Encodes integers, each in its shortest form of at least `min_length` bytes.
///
/// # Panics
/// If there are no forms of `min_length` bytes.
///
/// ```
/// use leadbyte::variants::extended;
/// assert_eq!(extended::encode(&[extended::MAX_VALUE], 1), Ok(b"\xFF\xBF\xBF\xBF\xBF\xBF\xBF\xBF".to_vec()));
/// assert!(extended::encode(&[extended::MAX_VALUE + 1], 1).is_err());
/// ```
pub fn encode(values: &[u64], min_length: usize) -> Result<Vec<u8>, ValueTooLarge> {
    Implementation::active().encode_extended(values, min_length)
}

#[doc(hidden)]
impl Implementation {
    pub fn decode_extended(self, data: &[u8]) -> Result<Vec<u64>, VariantError> {
        EXTENDED.decode_all(self, data)
    }

    pub fn encode_extended(self, values: &[u64], min_length: usize) -> Result<Vec<u8>, ValueTooLarge> {
        EXTENDED.encode_all(self, values, min_length)
    }
}
