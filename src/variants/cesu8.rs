//! CESU-8: UTF-16 whose code units are encoded as UTF-8 encodes characters (Unicode Technical Report 26).
//!
//! Up to U+FFFF it equals UTF-8. A character beyond is six bytes, a surrogate pair of three bytes each; the four-byte
//! form of UTF-8 and lone surrogates are not allowed.

use super::VariantError;
use super::surrogates::CESU8;
use crate::simd::dispatch::Implementation;
use crate::simd::paired;
use crate::transcode::TranscodeError;

/// Returns whether `data` is CESU-8.
///
/// ```
/// use leadbyte::variants::cesu8;
/// assert!(cesu8::is_valid("мир €".as_bytes()));
/// assert!(cesu8::is_valid(b"\xED\xA0\xBD\xED\xB8\x80"));
/// assert!(!cesu8::is_valid("😀".as_bytes())); // four bytes
/// assert!(!cesu8::is_valid(b"\xED\xA0\xBD")); // a lone surrogate
/// ```
#[inline]
pub fn is_valid(data: &[u8]) -> bool {
    Implementation::active().is_valid_cesu8(data)
}

/// Decodes `data` to UTF-16, or returns the first error.
///
/// ```
/// use leadbyte::variants::cesu8;
/// assert_eq!(cesu8::decode(b"5 \xED\xA0\xBD\xED\xB8\x80"), Ok(vec![0x35, 0x20, 0xD83D, 0xDE00]));
/// let error = cesu8::decode(b"5 \xED\xA0\xBD").unwrap_err();
/// assert_eq!((error.start(), error.end(), error.reason()), (2, 5, "lone surrogate"));
/// ```
pub fn decode(data: &[u8]) -> Result<Vec<u16>, VariantError> {
    Implementation::active().decode_cesu8(data)
}

/// Encodes UTF-16 to CESU-8.
///
/// ```
/// use leadbyte::transcode::TranscodeError;
/// use leadbyte::variants::cesu8;
/// assert_eq!(cesu8::encode(&[0xD83D, 0xDE00]), Ok(b"\xED\xA0\xBD\xED\xB8\x80".to_vec()));
/// assert_eq!(cesu8::encode(&[0x35, 0xD83D]), Err(TranscodeError::NotScalar { at: 1, value: 0xD83D }));
/// ```
pub fn encode(units: &[u16]) -> Result<Vec<u8>, TranscodeError> {
    Implementation::active().encode_cesu8(units)
}

#[doc(hidden)]
impl Implementation {
    #[inline]
    pub fn is_valid_cesu8(self, data: &[u8]) -> bool {
        CESU8.is_valid_at_once(self, data)
    }

    pub fn decode_cesu8(self, data: &[u8]) -> Result<Vec<u16>, VariantError> {
        CESU8.decode_to_utf16(self, data)
    }

    pub fn encode_cesu8(self, units: &[u16]) -> Result<Vec<u8>, TranscodeError> {
        match self.scalar_up_to(paired(units)) {
            at if at < units.len() => Err(TranscodeError::NotScalar { at, value: units[at].into() }),
            _ => Ok(CESU8.encode_utf16(self, units)),
        }
    }
}
