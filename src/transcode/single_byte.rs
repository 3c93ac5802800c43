//! Single-byte encodings to and from UTF-8.

use super::TranscodeError;
use crate::encodings::SingleByteEncoding;
use crate::kernels::counts::Measure;
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::unfilled;

impl SingleByteEncoding {
    /// Returns the number of bytes that `data` takes in UTF-8, or the largest number there is if that is less. Returns
    /// `None` if a byte is undefined.
    pub fn utf8_length(&self, data: &[u8]) -> Option<usize> {
        self.utf8_length_by(Implementation::active(), data)
    }

    /// Converts bytes of this encoding to UTF-8. Returns the number of bytes written.
    ///
    /// # Errors
    /// [`TranscodeError::Undefined`] for the first undefined byte; [`TranscodeError::BufferTooSmall`].
    pub fn to_utf8(&self, data: &[u8], out: &mut [u8]) -> Result<usize, TranscodeError> {
        self.to_utf8_by(Implementation::active(), data, out)
    }

    /// Converts UTF-8 to bytes of this encoding. Returns the number of bytes written, one for each character.
    ///
    /// # Errors
    /// [`TranscodeError::Invalid`] if `text` is not UTF-8; [`TranscodeError::Unmappable`] for the first character that
    /// the encoding does not have; [`TranscodeError::BufferTooSmall`].
    pub fn from_utf8(&self, text: &[u8], out: &mut [u8]) -> Result<usize, TranscodeError> {
        self.from_utf8_by(Implementation::active(), text, out)
    }
}

#[doc(hidden)]
impl SingleByteEncoding {
    /// Runs only the kernel. Returns the number of bytes written, and whether every byte is defined.
    pub fn fill_utf8_by(&self, by: Implementation, data: &[u8], out: &mut [u8]) -> (usize, bool) {
        self.fill_utf8(by, data, unfilled(out))
    }

    /// Runs only the kernel. Returns the number of bytes written, and whether the encoding has every character.
    pub fn fill_by(&self, by: Implementation, text: &[u8], out: &mut [u8]) -> (usize, bool) {
        self.fill(by, text, unfilled(out))
    }

    pub fn utf8_length_by(&self, by: Implementation, data: &[u8]) -> Option<usize> {
        self.length_in_utf8(by, data)
    }

    pub fn to_utf8_by(
        &self,
        by: Implementation,
        data: &[u8],
        out: &mut [u8],
    ) -> Result<usize, TranscodeError> {
        // A byte becomes at most three: a buffer of that size needs no measuring.
        if out.len() / 3 >= data.len()
            && let (written, true) = self.fill_utf8(by, data, unfilled(out))
        {
            return Ok(written);
        }
        let Some(needed) = self.length_in_utf8(by, data) else {
            let at = self.first_undefined(by, data).unwrap_or(data.len());
            return Err(TranscodeError::Undefined { at, byte: data.get(at).copied().unwrap_or_default() });
        };
        let out = out.get_mut(..needed).ok_or(TranscodeError::BufferTooSmall { needed })?;
        Ok(self.fill_utf8(by, data, unfilled(out)).0)
    }

    pub fn from_utf8_by(
        &self,
        by: Implementation,
        text: &[u8],
        out: &mut [u8],
    ) -> Result<usize, TranscodeError> {
        let Some(Measure { chars: needed, .. }) = by.measure(text) else {
            return by.validate(text).map(|_| 0).map_err(TranscodeError::Invalid);
        };
        let out = out.get_mut(..needed).ok_or(TranscodeError::BufferTooSmall { needed })?;
        let (written, all) = self.fill(by, text, unfilled(out));
        match if all { None } else { self.first_unmappable(by, text) } {
            Some((at, character)) => Err(TranscodeError::Unmappable { at, character }),
            None => Ok(written),
        }
    }
}
