//! The errors of some bytes, in order: the basis of error lists, error handlers and repairs.

use core::convert::Infallible;
use core::iter::FusedIterator;

use crate::allocation::try_push;
use crate::boundary::{CHUNK_BYTES, floor_boundary, head};
use crate::error::Utf8Error;
use crate::kernels::validate::rules::Utf8;
use crate::kernels::validate::{ValidUpTo, check};
use crate::sequence::{Sequence, decode_one};
use crate::simd::dispatch::Implementation;

/// The size in bytes of the first chunk that is searched after an error, as errors seldom come alone.
const WARY_CHUNK_BYTES: usize = 1024;
/// The number of valid bytes whose validation takes about as long as one error.
pub(crate) const ERROR_COST_BYTES: usize = 1024;
/// The maximum distance in bytes of errors that are dense, as in text of another encoding: there the next is searched
/// for character by character.
const DENSE_BYTES: usize = 4;
/// The maximum distance in bytes from the end of what a validation pass found valid to the error.
const PASS_PRECISION_BYTES: usize = 8;

/// An iterator over the errors of some bytes.
#[derive(Clone, Debug)]
pub struct ErrorIter<'a> {
    implementation: Implementation,
    data: &'a [u8],
    /// The offset up to which `data` was searched; a character or an error ends there.
    at: usize,
    /// Whether another error is expected soon.
    wary: bool,
    /// Whether it is expected within a few bytes.
    dense: bool,
    /// The offset of the end of the last error.
    last_end: usize,
}

impl<'a> ErrorIter<'a> {
    pub(crate) fn new(implementation: Implementation, data: &'a [u8]) -> Self {
        Self::starting_at(implementation, data, 0)
    }

    /// Iterates over the errors of `data[at..]`; offsets still count from the start of `data`.
    pub(crate) fn starting_at(implementation: Implementation, data: &'a [u8], at: usize) -> Self {
        Self { implementation, data, at, wary: false, dense: false, last_end: at }
    }

    /// Returns the next error, or `None` if the rest is valid.
    pub(crate) fn next_error(&mut self) -> Option<Utf8Error> {
        match self.next_error_with(|| Ok::<(), Infallible>(())) {
            Ok(error) => error,
            Err(never) => match never {},
        }
    }

    /// Returns the next error. Calls `poll` after every chunk of [`CHUNK_BYTES`]; an error of it is returned at once.
    #[inline(always)]
    pub(crate) fn next_error_with<E>(
        &mut self,
        mut poll: impl FnMut() -> Result<(), E>,
    ) -> Result<Option<Utf8Error>, E> {
        while self.at < self.data.len() {
            if self.dense
                && let Some(error) = self.error_within(DENSE_BYTES)
            {
                return Ok(Some(error));
            }
            let rest = &self.data[self.at..];
            let (chunk, valid);
            if self.wary {
                chunk = head(rest, WARY_CHUNK_BYTES);
                valid = self.implementation.run(ValidUpTo(chunk));
            } else {
                chunk = head(rest, CHUNK_BYTES);
                valid = self.implementation.run(check(chunk, Utf8)).valid;
            }
            if valid == chunk.len() {
                self.at += valid;
                if !self.wary {
                    poll()?;
                }
                self.wary = false;
                self.dense = false;
            } else if let Some(error) = self.error_after(valid) {
                return Ok(Some(error));
            }
        }
        Ok(None)
    }

    /// Returns the error that a validation pass found after the next `valid` bytes. If the memory changes meanwhile,
    /// there may be none any more.
    #[inline(always)] // otherwise each error is stored and reloaded in parts of different sizes
    pub(crate) fn error_after(&mut self, valid: usize) -> Option<Utf8Error> {
        let broken = self.at + valid;
        if valid > 0 {
            // It may start in the character before.
            self.at = floor_boundary(self.data, broken - 1).max(self.at);
        }
        self.error_within((broken + PASS_PRECISION_BYTES).saturating_sub(self.at))
    }

    /// Returns the error that starts within the next `length` bytes, searched for character by character.
    #[inline(always)]
    fn error_within(&mut self, length: usize) -> Option<Utf8Error> {
        let from = self.at;
        while self.at - from < length
            && let Some(sequence) = decode_one(&self.data[self.at..])
        {
            let start = self.at;
            self.at += sequence.length();
            if let Sequence::Malformed(kind, _) = sequence {
                self.wary = true;
                self.dense = start - self.last_end < DENSE_BYTES;
                self.last_end = self.at;
                return Some(Utf8Error::new(start as u64, kind, &self.data[start..self.at]));
            }
        }
        None
    }

    /// Returns the offset in bytes up to which errors were searched for.
    pub fn searched(&self) -> usize {
        self.at
    }
}

impl Iterator for ErrorIter<'_> {
    type Item = Utf8Error;

    fn next(&mut self) -> Option<Utf8Error> {
        self.next_error()
    }
}

impl FusedIterator for ErrorIter<'_> {}

/// A buffer of the errors of some bytes, to iterate over them more than once.
///
/// Up to [`MAX_KEPT`](Self::MAX_KEPT) errors are kept, as far as memory suffices; the others are searched for again.
pub(crate) struct ErrorBuffer<'a> {
    kept: Vec<Utf8Error>,
    /// The iterator over the others; `None` if all are kept.
    rest: Option<ErrorIter<'a>>,
}

impl<'a> ErrorBuffer<'a> {
    /// The maximum number of errors that are kept, in 16 MiB.
    const MAX_KEPT: usize = 1 << 20;

    /// Finds the errors of `data` and calls `see` with each, until it returns false.
    ///
    /// Calls `progress` with the number of bytes processed since the last call. An error of either is returned at once.
    #[inline(always)]
    pub(crate) fn of<E, W: FnMut(usize) -> Result<(), E>>(
        implementation: Implementation,
        data: &'a [u8],
        mut see: impl FnMut(&Utf8Error, &mut W) -> Result<bool, E>,
        mut progress: W,
    ) -> Result<Self, E> {
        let mut errors = Self { kept: vec![], rest: None };
        let mut search = ErrorIter::new(implementation, data);
        loop {
            let before = search.searched();
            let Some(error) = search.next_error_with(|| progress(CHUNK_BYTES))? else { break };
            progress(ERROR_COST_BYTES)?;
            if !see(&error, &mut progress)? {
                break;
            }
            if errors.rest.is_some() {
                continue;
            }
            if errors.kept.len() >= Self::MAX_KEPT || try_push(&mut errors.kept, error).is_err() {
                errors.rest = Some(ErrorIter::starting_at(implementation, data, before));
            }
        }
        Ok(errors)
    }

    /// Iterates over the errors, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Utf8Error> {
        self.kept.iter().copied().chain(self.rest.clone().into_iter().flatten())
    }
}

/// Returns a lazy iterator over the errors of `data`, with the spans of CPython and of [`str::from_utf8`].
///
/// ```
/// let errors: Vec<_> = leadbyte::iter_errors(b"a\xFFb\xC0\xB1").map(|error| error.start()).collect();
/// assert_eq!(errors, [1, 3, 4]);
/// assert_eq!(leadbyte::iter_errors("fine".as_bytes()).next(), None);
/// ```
pub fn iter_errors(data: &[u8]) -> ErrorIter<'_> {
    Implementation::active().iter_errors(data)
}

#[doc(hidden)]
impl Implementation {
    pub fn iter_errors(self, data: &[u8]) -> ErrorIter<'_> {
        ErrorIter::new(self, data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::implementations;
    use crate::sequence::MAX_INCOMPLETE_BYTES;

    /// Where a pass stops earlier, the errors are the same, but the search by character takes longer.
    #[test]
    fn passes_stop_near_the_first_error() {
        let check_passes = |data: &[u8], start: usize| {
            for implementation in implementations() {
                let checked = implementation.run(check(data, Utf8)).valid;
                for valid in [implementation.run(ValidUpTo(data)), checked] {
                    let within = start.saturating_sub(PASS_PRECISION_BYTES)..=start + MAX_INCOMPLETE_BYTES;
                    assert!(within.contains(&valid), "{}: {valid}, not {start}", implementation.name());
                }
            }
        };
        for fill in ["a", "é", "€", "😀", "a\né€😀, "] {
            let text = fill.repeat(1500 / fill.len());
            for broken in [&b"\xFF"[..], b"\x80", b"\xE2\x82", b"\xED\xA0\x80", b"\xF4\x90"] {
                for (start, _) in text.char_indices().step_by(5) {
                    let (before, after) = text.as_bytes().split_at(start);
                    check_passes(&[before, broken].concat(), start);
                    check_passes(&[before, broken, after].concat(), start);
                }
            }
        }
    }
}
