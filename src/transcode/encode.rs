//! Encoding to UTF-8.

use super::TranscodeError;
use crate::kernels::encode::{Encoded, Source};
use crate::simd::dispatch::Implementation;
use crate::simd::paired;
use crate::simd::uninit::unfilled;

/// Returns the number of bytes that Latin-1 text takes in UTF-8.
///
/// ```
/// assert_eq!(leadbyte::transcode::utf8_length_of_latin1(b"caf\xE9"), 5);
/// ```
pub fn utf8_length_of_latin1(units: &[u8]) -> usize {
    Implementation::active().utf8_length(units)
}

/// Returns the number of bytes that UTF-16 text takes in UTF-8; a lone surrogate takes three.
///
/// ```
/// assert_eq!(leadbyte::transcode::utf8_length_of_utf16(&[0x20AC, 0xD803, 0xDC0C]), 7);
/// ```
pub fn utf8_length_of_utf16(units: &[u16]) -> usize {
    Implementation::active().utf8_length(paired(units))
}

/// Returns the number of bytes that UTF-32 text takes in UTF-8; a surrogate takes three.
///
/// ```
/// assert_eq!(leadbyte::transcode::utf8_length_of_utf32(&[0x20AC, 0x10348]), 7);
/// ```
pub fn utf8_length_of_utf32(units: &[u32]) -> usize {
    Implementation::active().utf8_length(units)
}

/// Encodes Latin-1 to UTF-8. Returns the number of bytes.
///
/// ```
/// use leadbyte::transcode::{TranscodeError, latin1_to_utf8};
/// let mut out = [0; 5];
/// assert_eq!(latin1_to_utf8(b"caf\xE9", &mut out), Ok(5));
/// assert_eq!(&out, "café".as_bytes());
/// assert_eq!(latin1_to_utf8(b"\xE9\xE9\xE9", &mut out), Err(TranscodeError::BufferTooSmall { needed: 6 }));
/// ```
pub fn latin1_to_utf8(units: &[u8], out: &mut [u8]) -> Result<usize, TranscodeError> {
    Implementation::active().encode_into(units, out)
}

/// Encodes UTF-16, in the machine's byte order, to UTF-8. Returns the number of bytes.
///
/// ```
/// use leadbyte::transcode::{TranscodeError, utf16_to_utf8};
/// let mut out = [0; 8];
/// assert_eq!(utf16_to_utf8(&[0xD803, 0xDC0C], &mut out), Ok(4));
/// assert_eq!(&out[..4], "𐰌".as_bytes());
/// let error = utf16_to_utf8(&[0x31, 0xD803], &mut out).unwrap_err();
/// assert_eq!(error, TranscodeError::NotScalar { at: 1, value: 0xD803 });
/// ```
pub fn utf16_to_utf8(units: &[u16], out: &mut [u8]) -> Result<usize, TranscodeError> {
    Implementation::active().encode_into(paired(units), out)
}

/// Encodes UTF-32, in the machine's byte order, to UTF-8. Returns the number of bytes.
///
/// ```
/// use leadbyte::transcode::{TranscodeError, utf32_to_utf8};
/// let mut out = [0; 8];
/// assert_eq!(utf32_to_utf8(&[0x10348, 0x31], &mut out), Ok(5));
/// let error = utf32_to_utf8(&[0x110000], &mut out).unwrap_err();
/// assert_eq!(error, TranscodeError::NotScalar { at: 0, value: 0x110000 });
/// ```
pub fn utf32_to_utf8(units: &[u32], out: &mut [u8]) -> Result<usize, TranscodeError> {
    Implementation::active().encode_into(units, out)
}

#[doc(hidden)]
impl Implementation {
    pub fn utf8_length_of_latin1(self, units: &[u8]) -> usize {
        self.utf8_length(units)
    }

    pub fn utf8_length_of_utf16(self, units: &[u16]) -> usize {
        self.utf8_length(paired(units))
    }

    pub fn utf8_length_of_utf32(self, units: &[u32]) -> usize {
        self.utf8_length(units)
    }

    pub fn latin1_to_utf8(self, units: &[u8], out: &mut [u8]) -> Result<usize, TranscodeError> {
        self.encode_into(units, out)
    }

    pub fn utf16_to_utf8(self, units: &[u16], out: &mut [u8]) -> Result<usize, TranscodeError> {
        self.encode_into(paired(units), out)
    }

    pub fn utf32_to_utf8(self, units: &[u32], out: &mut [u8]) -> Result<usize, TranscodeError> {
        self.encode_into(units, out)
    }

    /// Runs only the kernel, as [`encode_utf16`](Self::encode_utf16).
    pub fn encode_latin1(self, units: &[u8], out: &mut [u8]) -> (usize, bool) {
        self.encode_some(units, out)
    }

    /// Runs only the kernel, where each surrogate is lone, as [`encode_utf16`](Self::encode_utf16).
    pub fn encode_ucs2(self, units: &[u16], out: &mut [u8]) -> (usize, bool) {
        self.encode_some(units, out)
    }

    /// Runs only the kernel. Returns the number of bytes written, and whether every unit was part of a scalar value.
    pub fn encode_utf16(self, units: &[u16], out: &mut [u8]) -> (usize, bool) {
        self.encode_some(paired(units), out)
    }

    /// Runs only the kernel, as [`encode_utf16`](Self::encode_utf16).
    pub fn encode_utf32(self, units: &[u32], out: &mut [u8]) -> (usize, bool) {
        self.encode_some(units, out)
    }

    /// Returns the number of bytes that UCS-2 takes in UTF-8; every surrogate takes three.
    pub fn utf8_length_of_ucs2(self, units: &[u16]) -> usize {
        self.utf8_length(units)
    }

    /// Returns the number of UCS-2 code units before the first surrogate.
    pub fn scalar_up_to_of_ucs2(self, units: &[u16]) -> usize {
        self.scalar_up_to(units)
    }

    /// Returns the number of UTF-16 code units before the first lone surrogate.
    pub fn scalar_up_to_of_utf16(self, units: &[u16]) -> usize {
        self.scalar_up_to(paired(units))
    }

    /// Returns the number of UTF-32 code units before the first that is not a scalar value.
    pub fn scalar_up_to_of_utf32(self, units: &[u32]) -> usize {
        self.scalar_up_to(units)
    }

    #[inline]
    fn encode_some<U: Source>(self, units: &[U], out: &mut [u8]) -> (usize, bool) {
        let Encoded { written, scalar } = self.encode(units, unfilled(out));
        (written, scalar)
    }

    #[inline]
    fn encode_into<U: Source>(self, units: &[U], out: &mut [u8]) -> Result<usize, TranscodeError> {
        let needed = self.utf8_length(units);
        let output = out.get_mut(..needed).ok_or(TranscodeError::BufferTooSmall { needed })?;
        let encoded = self.encode(units, unfilled(output));
        if encoded.scalar {
            return Ok(encoded.written);
        }
        let at = self.scalar_up_to(units);
        let value = U::first(&units[at..]).map_or(0, |(value, _)| value);
        Err(TranscodeError::NotScalar { at, value })
    }
}
