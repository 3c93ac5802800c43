//! WTF-8: an extension of UTF-8 for potentially ill-formed UTF-16, such as Windows file names and JavaScript strings
//! (Simon Sapin, "The WTF-8 encoding", <https://simonsapin.github.io/wtf-8/>).
//!
//! A lone surrogate has three bytes. A pair is a character of four bytes, as in UTF-8; two surrogates of three bytes
//! that would be a pair are not allowed, so that each text has one form.

use super::VariantError;
use super::surrogates::{WTF8, encode_wtf8, wtf8_length};
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::filled;

/// Returns whether `data` is WTF-8.
///
/// ```
/// use leadbyte::variants::wtf8;
/// assert!(wtf8::is_valid("мир 😀".as_bytes()));
/// assert!(wtf8::is_valid(b"\xED\xA0\xBD \xED\xB8\x80"));
/// assert!(!wtf8::is_valid(b"\xED\xA0\xBD\xED\xB8\x80")); // a pair
/// ```
#[inline]
pub fn is_valid(data: &[u8]) -> bool {
    Implementation::active().is_valid_wtf8(data)
}

/// Decodes `data` to UTF-16, or returns the first error.
///
/// ```
/// use leadbyte::variants::wtf8;
/// assert_eq!(wtf8::decode(b"\xF0\x9F\x98\x80\xED\xA0\xBD"), Ok(vec![0xD83D, 0xDE00, 0xD83D]));
/// let error = wtf8::decode(b"\xED\xA0\xBD\xED\xB8\x80").unwrap_err();
/// assert_eq!((error.start(), error.end(), error.reason()), (0, 6, "surrogate pair"));
/// ```
pub fn decode(data: &[u8]) -> Result<Vec<u16>, VariantError> {
    Implementation::active().decode_wtf8(data)
}

/// Encodes UTF-16 to WTF-8, which may be ill-formed.
///
/// ```
/// use leadbyte::variants::wtf8;
/// assert_eq!(wtf8::encode(&[0xD83D, 0xDE00, 0xD83D]), b"\xF0\x9F\x98\x80\xED\xA0\xBD");
/// ```
pub fn encode(units: &[u16]) -> Vec<u8> {
    Implementation::active().encode_wtf8(units)
}

#[doc(hidden)]
impl Implementation {
    #[inline]
    pub fn is_valid_wtf8(self, data: &[u8]) -> bool {
        WTF8.is_valid_at_once(self, data)
    }

    pub fn decode_wtf8(self, data: &[u8]) -> Result<Vec<u16>, VariantError> {
        WTF8.decode_to_utf16(self, data)
    }

    pub fn encode_wtf8(self, units: &[u16]) -> Vec<u8> {
        filled(wtf8_length(self, units), |out| encode_wtf8(self, units, out))
    }
}
