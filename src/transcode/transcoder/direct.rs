//! Conversions with UTF-8 at one end, which need no intermediate text and whose output length is measured first.

use crate::allocation::sum;
use crate::encodings::scheme::Scheme;
use crate::progress::{Progress, Stopped};
use crate::sequence::boundary::CHUNK_BYTES;
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::MaybeUninit;

/// A conversion with UTF-8 at one end, of data without malformed or unmappable parts.
#[derive(Clone, Copy)]
pub enum Direct {
    /// From an encoding of this crate to UTF-8.
    ToUtf8(Scheme),
    /// From UTF-8 to an encoding of this crate.
    FromUtf8(Scheme),
}

impl Direct {
    fn source(self) -> Scheme {
        match self {
            Self::ToUtf8(scheme) => scheme,
            Self::FromUtf8(_) => Scheme::Utf8,
        }
    }

    /// Returns the part of `data` before a character that is incomplete at its end.
    pub fn complete(self, data: &[u8]) -> &[u8] {
        &data[..data.len() - self.source().incomplete_suffix(data)]
    }

    /// Returns the length of the output in bytes, or `None` if `data` is found to have malformed or unmappable parts.
    pub fn length(self, data: &[u8], progress: Progress<'_>) -> Result<Option<usize>, Stopped> {
        let by = Implementation::active();
        let mut length = 0;
        for step in self.source().chunks(data, CHUNK_BYTES) {
            let measured = match self {
                Self::ToUtf8(scheme) => scheme.utf8_length(by, step),
                Self::FromUtf8(scheme) => scheme.length(by, step),
            };
            let Some(measured) = measured else { return Ok(None) };
            length = sum(length, measured)?;
            progress(step.len())?;
        }
        Ok(Some(length))
    }

    /// Converts `data` into `out`, which has the [`length`](Self::length) of the output. Returns the number of bytes
    /// written, or `None` if `data` has malformed or unmappable parts.
    pub fn fill(
        self,
        data: &[u8],
        out: &mut [MaybeUninit<u8>],
        progress: Progress<'_>,
    ) -> Result<Option<usize>, Stopped> {
        let by = Implementation::active();
        let mut written = 0;
        for step in self.source().chunks(data, CHUNK_BYTES) {
            let out = &mut out[written..];
            let filled = match self {
                Self::ToUtf8(scheme) => scheme.fill_utf8(by, step, out),
                Self::FromUtf8(scheme) => scheme.fill(by, step, out),
            };
            let Some(filled) = filled else { return Ok(None) };
            written += filled;
            progress(step.len())?;
        }
        Ok(Some(written))
    }
}
