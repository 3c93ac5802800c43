//! Modified UTF-8: the strings of Java, as `java.io.DataInput`, class files and JNI have them.
//!
//! It is [CESU-8](super::cesu8) with two differences. U+0000 is `C0 80`, so that no byte is 00, which is not allowed;
//! and surrogates may stand alone, as a Java string is any sequence of units of UTF-16. The length that
//! `DataOutput` writes before it is no part of it.

use super::VariantError;
use super::surrogates::MUTF8;
use crate::simd::dispatch::Implementation;

/// Whether `data` is Modified UTF-8.
///
/// ```
/// use leadbyte::variants::mutf8;
/// assert!(mutf8::is_valid(b"a\xC0\x80b"));
/// assert!(mutf8::is_valid(b"\xED\xA0\xBD")); // half a pair
/// assert!(!mutf8::is_valid(b"a\0b"));
/// assert!(!mutf8::is_valid("😀".as_bytes())); // four bytes
/// ```
#[inline]
pub fn is_valid(data: &[u8]) -> bool {
    Implementation::active().is_valid_mutf8(data)
}

/// The UTF-16 that `data` is a form of, or the first error. Surrogates that stand alone come out as they are.
///
/// ```
/// use leadbyte::variants::mutf8;
/// assert_eq!(mutf8::decode(b"\xC0\x80\xED\xA0\xBD"), Ok(vec![0, 0xD83D]));
/// let error = mutf8::decode(b"a\0").unwrap_err();
/// assert_eq!((error.start(), error.end(), error.reason()), (1, 2, "null byte"));
/// ```
pub fn decode(data: &[u8]) -> Result<Vec<u16>, VariantError> {
    Implementation::active().decode_mutf8(data)
}

/// The Modified UTF-8 of UTF-16, which may be ill-formed.
///
/// ```
/// use leadbyte::variants::mutf8;
/// assert_eq!(mutf8::encode(&[0x61, 0, 0xD83D, 0xDE00]), b"a\xC0\x80\xED\xA0\xBD\xED\xB8\x80");
/// ```
pub fn encode(units: &[u16]) -> Vec<u8> {
    Implementation::active().encode_mutf8(units)
}

#[doc(hidden)]
impl Implementation {
    #[inline]
    pub fn is_valid_mutf8(self, data: &[u8]) -> bool {
        MUTF8.is_valid_patiently(self, data)
    }

    pub fn decode_mutf8(self, data: &[u8]) -> Result<Vec<u16>, VariantError> {
        MUTF8.decode_to_utf16(self, data)
    }

    pub fn encode_mutf8(self, units: &[u16]) -> Vec<u8> {
        MUTF8.encode_utf16(self, units)
    }
}
