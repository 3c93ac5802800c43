//! Data with errors as text: measured first, then decoded into just the storage that it needs.
//!
//! 1. Measuring tells apart the parts that are valid, which are decoded as any valid data is, and the parts with
//!    errors, for which there are kernels of their own. These take up to twice the time, but the same for any errors.
//! 2. A part with errors begins where validation finds one, and ends after [`CALM_BYTES`] without any.

use core::iter;

use crate::allocation::{AllocError, try_push};
use crate::error_iter::ErrorIter;
use crate::kernels::decode::with_errors::{DecodeWithErrors, ErrorUnits};
use crate::kernels::decode::{LATIN1, Unit};
use crate::kernels::errors::{CountErrors, ErrorCounts};
use crate::kernels::validate::{CountsOf, search_start, survey};
use crate::sequence::boundary::{CHUNK_BYTES, chunks, head};
use crate::simd::dispatch::Implementation;
#[cfg(feature = "python")]
use crate::simd::uninit::unfilled;
use crate::simd::uninit::{MaybeUninit, put};

/// Bytes without an error after which validation takes over again.
const CALM_BYTES: usize = 1024;
/// The most bytes with errors that are measured at once.
const MAX_STEP_BYTES: usize = 16 << 10;
/// The bytes for each error, at most, among which another is expected soon.
const DENSE_BYTES: usize = 128;

/// Data that may have errors, measured.
pub(crate) struct WithErrors<'a> {
    implementation: Implementation,
    data: &'a [u8],
    /// The offsets where the parts end but the last: a valid one, one with errors, and so on.
    ends: Vec<usize>,
    counts: ErrorCounts,
}

impl<'a> WithErrors<'a> {
    /// Measures `data`.
    ///
    /// Calls `progress` with the number of bytes processed since the last call; an error of it is returned at once.
    pub(crate) fn of<E: From<AllocError>>(
        implementation: Implementation,
        data: &'a [u8],
        mut progress: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut all = Self { implementation, data, ends: vec![], counts: ErrorCounts::default() };
        let (mut at, mut step) = (0, CALM_BYTES);
        while at < data.len() {
            let start = at;
            let is_valid = all.ends.len().is_multiple_of(2);
            let ended;
            if is_valid {
                let chunk = head(&data[at..], CHUNK_BYTES);
                let length = all.count_valid(chunk);
                at += length;
                ended = length < chunk.len();
                step = CALM_BYTES;
            } else {
                let chunk = head(&data[at..], step);
                let counts = implementation.run(CountErrors(chunk));
                all.counts = all.counts.plus(counts);
                at += chunk.len();
                ended = counts.errors == 0;
                let dense = counts.errors * DENSE_BYTES >= chunk.len();
                step = if dense { MAX_STEP_BYTES.min(2 * step) } else { CALM_BYTES };
            }
            if ended {
                try_push(&mut all.ends, at)?;
            }
            progress(at - start)?;
        }
        Ok(all)
    }

    /// Counts over `chunk` as far as it is valid, and returns the number of these bytes.
    fn count_valid(&mut self, chunk: &[u8]) -> usize {
        let count = |data| self.implementation.run(CountsOf(data));
        let findings = self.implementation.run(survey(chunk));
        let valid = match findings.valid {
            all if all == chunk.len() => all,
            broken => search_start(chunk, broken),
        };
        let counts = match chunk.get(findings.counted..valid) {
            Some(uncounted) => findings.counts.plus(count(uncounted)),
            None => count(&chunk[..valid]),
        };
        self.counts = self.counts.plus(ErrorCounts {
            chars: valid - counts.continuations,
            continuations: counts.continuations,
            four_byte_chars: counts.four_byte_leads,
            beyond_latin1: counts.largest > LATIN1,
            errors: 0,
        });
        valid
    }

    /// Returns the implementation that measured it.
    pub(crate) fn implementation(&self) -> Implementation {
        self.implementation
    }

    /// Returns the length of the data in bytes.
    pub(crate) fn length(&self) -> usize {
        self.data.len()
    }

    /// Returns counts over all of the data.
    pub(crate) fn counts(&self) -> ErrorCounts {
        self.counts
    }

    /// Returns the number of bytes that belong to no character.
    pub(crate) fn error_bytes(&self) -> usize {
        self.data.len() - self.counts.chars - self.counts.continuations
    }

    /// Iterates over the parts of the data, each with whether it is valid.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&'a [u8], bool)> {
        let starts = iter::once(0).chain(self.ends.iter().copied());
        let ends = self.ends.iter().copied().chain([self.data.len()]);
        let valid = [true, false].into_iter().cycle();
        starts.zip(ends).zip(valid).map(|((start, end), valid)| (&self.data[start..end], valid))
    }

    /// Decodes the data into `out`, which has the length of the result, and returns the number of units written. Parts
    /// with errors are decoded by `decode`.
    ///
    /// Calls `progress` with the number of bytes processed since the last call; an error of it is returned at once.
    #[inline(always)]
    fn decode_parts<U: Unit, E>(
        &self,
        out: &mut [MaybeUninit<U>],
        mut progress: impl FnMut(usize) -> Result<(), E>,
        decode: impl Fn(&[u8], &mut [MaybeUninit<U>]) -> usize,
    ) -> Result<usize, E> {
        let mut written = 0;
        for (part, valid) in self.parts() {
            for data in chunks(part, CHUNK_BYTES) {
                let out = &mut out[written..];
                written += if valid { self.implementation.fill(data, out) } else { decode(data, out) };
                progress(data.len())?;
            }
        }
        Ok(written)
    }

    /// Decodes the data into `out`, which has the length of the result, and returns the number of units written. Errors
    /// become `units`.
    ///
    /// Calls `progress` with the number of bytes processed since the last call; an error of it is returned at once.
    pub(crate) fn decode<U: Unit, E>(
        &self,
        units: ErrorUnits,
        out: &mut [MaybeUninit<U>],
        progress: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<usize, E> {
        self.decode_parts(out, progress, |data, out| {
            self.implementation.run(DecodeWithErrors { data, out, units })
        })
    }

    /// Decodes the data into `out`, which has the length of the result, and returns the number of units written. Each
    /// byte of an error becomes four ASCII characters, which `escape` returns.
    ///
    /// Calls `progress` with the number of bytes processed since the last call; an error of it is returned at once.
    #[cfg(feature = "python")]
    pub(crate) fn decode_escaped<U: Unit, E>(
        &self,
        escape: impl Fn(u8) -> [u8; 4],
        out: &mut [MaybeUninit<U>],
        progress: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<usize, E> {
        let escaped = |bytes: &[u8], out: &mut [MaybeUninit<u8>]| {
            bytes.iter().fold(0, |written, &byte| written + put(&mut out[written..], &escape(byte)))
        };
        self.decode_parts(out, progress, |data, out| {
            let mut buffer = [0; 4 * STEP_BYTES];
            let mut written = 0;
            for step in chunks(data, STEP_BYTES) {
                let length = splice(self.implementation, step, unfilled(&mut buffer), escaped);
                written += self.implementation.fill(&buffer[..length], &mut out[written..]);
            }
            written
        })
    }
}

/// Bytes that are escaped before they are decoded.
#[cfg(feature = "python")]
const STEP_BYTES: usize = 1024;

/// Writes `data` with each error replaced by what `replace` writes, given the bytes of the error, into `out`. Returns
/// the number of bytes written.
pub(crate) fn splice(
    implementation: Implementation,
    data: &[u8],
    out: &mut [MaybeUninit<u8>],
    mut replace: impl FnMut(&[u8], &mut [MaybeUninit<u8>]) -> usize,
) -> usize {
    let (mut at, mut written) = (0, 0);
    for error in ErrorIter::new(implementation, data) {
        let (start, end) = (error.start() as usize, error.end() as usize);
        written += put(&mut out[written..], &data[at..start]);
        written += replace(&data[start..end], &mut out[written..]);
        at = end;
    }
    written + put(&mut out[written..], &data[at..])
}
