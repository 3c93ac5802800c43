//! Decoding from UTF-8.

use super::TranscodeError;
use crate::kernels;
use crate::kernels::decode::ErrorUnits;
use crate::kernels::decode::{CodeUnit, DecodeChecked};
use crate::kernels::errors::ErrorCounts;
use crate::kernels::validate::CountsIfValid;
use crate::progress::{uninterrupted, unobserved};
use crate::sequence::LATIN1;
use crate::sequence::{Sequence, decode_one};
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::unfilled;
use crate::with_errors::{Division, WithErrors};

/// Decodes UTF-8 to Latin-1: each character is one byte, and none is beyond U+00FF. Returns the number of
/// bytes.
///
/// ```
/// use leadbyte::transcode::{TranscodeError, utf8_to_latin1};
/// let mut out = [0; 5];
/// assert_eq!(utf8_to_latin1("café".as_bytes(), &mut out), Ok(4));
/// assert_eq!(&out[..4], b"caf\xE9");
/// let error = utf8_to_latin1("5 €".as_bytes(), &mut out).unwrap_err();
/// assert_eq!(error, TranscodeError::Unmappable { at: 2, character: '€' });
/// ```
pub fn utf8_to_latin1(data: &[u8], out: &mut [u8]) -> Result<usize, TranscodeError> {
    decoded(data, out)
}

/// Decodes UTF-8 to UTF-16 in the machine's byte order. Returns the number of code units; characters
/// beyond U+FFFF take two (RFC 2781).
///
/// ```
/// use leadbyte::transcode::{TranscodeError, utf8_to_utf16};
/// let mut out = [0; 2];
/// assert_eq!(utf8_to_utf16("𐰌".as_bytes(), &mut out), Ok(2));
/// assert_eq!(out, [0xD803, 0xDC0C]);
/// assert_eq!(utf8_to_utf16(b"123", &mut out), Err(TranscodeError::BufferTooSmall { needed: 3 }));
/// ```
pub fn utf8_to_utf16(data: &[u8], out: &mut [u16]) -> Result<usize, TranscodeError> {
    decoded(data, out)
}

/// Decodes UTF-8 to UTF-32 in the machine's byte order: each character is one code unit. Returns how many
/// there are.
///
/// ```
/// use leadbyte::transcode::{TranscodeError, utf8_to_utf32};
/// let mut out = [0; 4];
/// assert_eq!(utf8_to_utf32("€ 5".as_bytes(), &mut out), Ok(3));
/// assert_eq!(out[0], 0x20AC);
/// assert!(matches!(utf8_to_utf32(b"\xFF", &mut out), Err(TranscodeError::Invalid(_))));
/// ```
pub fn utf8_to_utf32(data: &[u8], out: &mut [u32]) -> Result<usize, TranscodeError> {
    decoded(data, out)
}

/// Decodes bytes that should be UTF-8 to UTF-16 in the machine's byte order, where each error (maximal subpart) becomes
/// U+FFFD, as in [`String::from_utf8_lossy`]. Returns the number of code units, at most one for each byte.
///
/// Where errors are frequent it takes up to three times the time of [`utf8_to_utf16`], among ASCII ten times. The only
/// error is [`TranscodeError::BufferTooSmall`].
///
/// ```
/// use leadbyte::transcode::{TranscodeError, utf8_to_utf16_lossy};
/// let mut out = [0; 5];
/// assert_eq!(utf8_to_utf16_lossy(b"caf\xE9", &mut out), Ok(4));
/// assert_eq!(out[3], 0xFFFD);
/// assert_eq!(utf8_to_utf16_lossy(b"\xFF", &mut []), Err(TranscodeError::BufferTooSmall { needed: 1 }));
/// ```
pub fn utf8_to_utf16_lossy(data: &[u8], out: &mut [u16]) -> Result<usize, TranscodeError> {
    Implementation::active().utf8_to_utf16_lossy(data, out)
}

/// Decodes bytes that should be UTF-8 to UTF-32 in the machine's byte order, where each error (maximal subpart) becomes
/// U+FFFD, as in [`String::from_utf8_lossy`]. Returns the number of code units, at most one for each byte.
///
/// Where errors are frequent it takes up to three times the time of [`utf8_to_utf32`], among ASCII ten times. The only
/// error is [`TranscodeError::BufferTooSmall`].
///
/// ```
/// use leadbyte::transcode::utf8_to_utf32_lossy;
/// let mut out = [0; 3];
/// assert_eq!(utf8_to_utf32_lossy(b"\xE2\x82 5", &mut out), Ok(3));
/// assert_eq!(out, [0xFFFD, 0x20, 0x35]);
/// ```
pub fn utf8_to_utf32_lossy(data: &[u8], out: &mut [u32]) -> Result<usize, TranscodeError> {
    Implementation::active().utf8_to_utf32_lossy(data, out)
}

#[inline]
fn decoded<U: CodeUnit>(data: &[u8], out: &mut [U]) -> Result<usize, TranscodeError> {
    kernels::run(DecodeChecked { data, out: unfilled(out) })
        .ok_or_else(|| Implementation::active().refusal::<U>(data))
}

#[doc(hidden)]
impl Implementation {
    pub fn utf8_to_latin1(self, data: &[u8], out: &mut [u8]) -> Result<usize, TranscodeError> {
        self.decoded(data, out)
    }

    pub fn utf8_to_utf16(self, data: &[u8], out: &mut [u16]) -> Result<usize, TranscodeError> {
        self.decoded(data, out)
    }

    pub fn utf8_to_utf32(self, data: &[u8], out: &mut [u32]) -> Result<usize, TranscodeError> {
        self.decoded(data, out)
    }

    pub fn utf8_to_utf16_lossy(self, data: &[u8], out: &mut [u16]) -> Result<usize, TranscodeError> {
        self.decoded_lossy(data, out, |counts| counts.four_byte_chars)
    }

    pub fn utf8_to_utf32_lossy(self, data: &[u8], out: &mut [u32]) -> Result<usize, TranscodeError> {
        self.decoded_lossy(data, out, |_| 0)
    }

    /// Decodes as [`utf8_to_utf16_lossy`]; `pairs` returns the number of characters that take two units.
    fn decoded_lossy<U: CodeUnit>(
        self,
        data: &[u8],
        out: &mut [U],
        pairs: impl Fn(ErrorCounts) -> usize,
    ) -> Result<usize, TranscodeError> {
        let measured = uninterrupted(WithErrors::of(self, data, Division::DECODED, &mut unobserved));
        let counts = measured.counts();
        let needed = counts.chars + counts.errors + pairs(counts);
        let out = out.get_mut(..needed).ok_or(TranscodeError::BufferTooSmall { needed })?;
        let units = ErrorUnits::Each(char::REPLACEMENT_CHARACTER as u16);
        Ok(uninterrupted(measured.decode(units, unfilled(out), &mut unobserved)))
    }

    fn decoded<U: CodeUnit>(self, data: &[u8], out: &mut [U]) -> Result<usize, TranscodeError> {
        self.run(DecodeChecked { data, out: unfilled(out) }).ok_or_else(|| self.refusal::<U>(data))
    }

    /// Decodes `data`, which must be valid, into `out`, which has just its length in Latin-1. Whatever the data is,
    /// nothing else is written.
    pub fn fill_latin1(self, data: &[u8], out: &mut [u8]) -> usize {
        self.fill(data, unfilled(out))
    }

    /// Decodes `data`, which must be valid, into `out`, which has just its length in UTF-16.
    pub fn fill_utf16(self, data: &[u8], out: &mut [u16]) -> usize {
        self.fill(data, unfilled(out))
    }

    /// Decodes `data`, which must be valid, into `out`, which has just its length in UTF-32.
    pub fn fill_utf32(self, data: &[u8], out: &mut [u32]) -> usize {
        self.fill(data, unfilled(out))
    }

    /// Returns why `data` was not decoded: an error, a character that the form lacks, or a short output.
    #[cold]
    fn refusal<U: CodeUnit>(self, data: &[u8]) -> TranscodeError {
        if let Some(error) = self.first_error(data) {
            return TranscodeError::Invalid(error);
        }
        let counts = self.run(CountsIfValid::<true>(data)).unwrap_or_default();
        match U::needed(data.len(), &counts) {
            Some(needed) => TranscodeError::BufferTooSmall { needed },
            None => beyond_latin1(data),
        }
    }
}

/// Returns the error for the first character beyond U+00FF.
#[cold]
fn beyond_latin1(data: &[u8]) -> TranscodeError {
    let at = data.iter().position(|&byte| byte > LATIN1).unwrap_or(data.len());
    match decode_one(&data[at..]) {
        Some(Sequence::Char(character, _)) => TranscodeError::Unmappable { at, character },
        _ => TranscodeError::Unmappable { at, character: char::REPLACEMENT_CHARACTER },
    }
}
