//! CESU-8: UTF-16, each unit written as UTF-8 writes a character (Unicode Technical Report 26).
//!
//! Up to U+FFFF it is UTF-8. A character beyond takes six bytes, a pair of surrogates of three bytes each, where
//! UTF-8 has a form of four bytes; that form is not allowed, nor are surrogates that stand alone.

use super::VariantError;
use super::surrogates::CESU8;
use crate::simd::dispatch::Implementation;
use crate::simd::paired;
use crate::transcode::TranscodeError;

/// Whether `data` is CESU-8.
///
/// ```
/// use leadbyte::variants::cesu8;
/// assert!(cesu8::is_valid("мир €".as_bytes()));
/// assert!(cesu8::is_valid(b"\xED\xA0\xBD\xED\xB8\x80"));
/// assert!(!cesu8::is_valid("😀".as_bytes())); // four bytes
/// assert!(!cesu8::is_valid(b"\xED\xA0\xBD")); // half a pair
/// ```
#[inline]
pub fn is_valid(data: &[u8]) -> bool {
    Implementation::active().is_valid_cesu8(data)
}

/// The UTF-16 that `data` is a form of, or the first error.
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

/// The CESU-8 of UTF-16.
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
        CESU8.is_valid_patiently(self, data)
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
