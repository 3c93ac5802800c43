//! Modified UTF-8: the encoding of strings in `java.io.DataInput`, Java class files and JNI.
//!
//! It is [CESU-8](super::cesu8) with two differences. U+0000 is `C0 80`, and a byte 00 is not allowed; and lone
//! surrogates are allowed, as a Java string is any sequence of UTF-16 code units. The length that `DataOutput` writes
//! before a string is not part of it.

use super::VariantError;
use super::surrogates::MUTF8;
use crate::simd::dispatch::Implementation;

/// Returns whether `data` is Modified UTF-8.
///
/// ```
/// use leadbyte::variants::mutf8;
/// assert!(mutf8::is_valid(b"a\xC0\x80b"));
/// assert!(mutf8::is_valid(b"\xED\xA0\xBD")); // a lone surrogate
/// assert!(!mutf8::is_valid(b"a\0b"));
/// assert!(!mutf8::is_valid("😀".as_bytes())); // four bytes
/// ```
#[inline]
pub fn is_valid(data: &[u8]) -> bool {
    Implementation::active().is_valid_mutf8(data)
}

/// Decodes `data` to UTF-16, or returns the first error. Surrogates that stand alone come out as they are.
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
        MUTF8.is_valid_at_once(self, data)
    }

    pub fn decode_mutf8(self, data: &[u8]) -> Result<Vec<u16>, VariantError> {
        MUTF8.decode_to_utf16(self, data)
    }

    pub fn encode_mutf8(self, units: &[u16]) -> Vec<u8> {
        MUTF8.encode_utf16(self, units)
    }
}
