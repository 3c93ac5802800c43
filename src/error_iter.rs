//! The valid and the invalid runs of some bytes, in order: what error lists, handlers and repairs are
//! made of.

use core::convert::Infallible;
use core::iter::FusedIterator;

use crate::allocation::try_push;
use crate::boundary::{CHUNK_BYTES, floor_boundary, head};
use crate::error::Utf8Error;
use crate::kernels::rules::Utf8;
use crate::kernels::{self, ValidUpTo};
use crate::sequence::{Sequence, decode_one};
use crate::simd::dispatch::Implementation;

/// Errors seldom come alone: after one, so many bytes are looked through in expectation of the next.
const NEAR: usize = 1024;
/// An error takes about as long as so many bytes without one.
pub(crate) const ERROR_COST_BYTES: usize = 1024;
/// Where errors follow each other within so many bytes, as in text of another encoding, the next is looked for
/// character by character.
const CLOSE: usize = 4;
/// Within so many bytes a pass names the one that breaks a rule.
const PRECISION: usize = 8;

/// Finds the errors of `data`, one after another.
#[derive(Clone, Debug)]
pub struct ErrorIter<'a> {
    implementation: Implementation,
    data: &'a [u8],
    /// Up to here `data` has been looked through; a character or an error ends here.
    at: usize,
    /// Whether another error is expected soon.
    wary: bool,
    /// Whether it is expected at once.
    dense: bool,
    /// Where the last error ended.
    last: usize,
}

impl<'a> ErrorIter<'a> {
    pub(crate) fn new(implementation: Implementation, data: &'a [u8]) -> Self {
        Self::starting_at(implementation, data, 0)
    }

    /// Looks at `data[at..]` only; offsets still count from the start of `data`.
    pub(crate) fn starting_at(implementation: Implementation, data: &'a [u8], at: usize) -> Self {
        Self { implementation, data, at, wary: false, dense: false, last: at }
    }

    /// The next error, or `None` if the rest is valid.
    pub(crate) fn next_error(&mut self) -> Option<Utf8Error> {
        match self.next_error_with(|| Ok::<(), Infallible>(())) {
            Ok(error) => error,
            Err(never) => match never {},
        }
    }

    /// The next error; calls `poll` about every mebibyte, and stops if that returns an error.
    #[inline(always)]
    pub(crate) fn next_error_with<E>(
        &mut self,
        mut poll: impl FnMut() -> Result<(), E>,
    ) -> Result<Option<Utf8Error>, E> {
        while self.at < self.data.len() {
            if self.dense
                && let Some(error) = self.error_within(CLOSE)
            {
                return Ok(Some(error));
            }
            let rest = &self.data[self.at..];
            let (step, valid);
            if self.wary {
                step = head(rest, NEAR);
                valid = self.implementation.run(ValidUpTo(step));
            } else {
                step = head(rest, CHUNK_BYTES);
                valid = self.implementation.run(kernels::check(step, Utf8)).valid;
            }
            if valid == step.len() {
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

    /// The error that a pass found at the next `valid` bytes' end, or just after. If memory changes meanwhile,
    /// it may be gone.
    #[inline(always)] // else each error goes through memory, in pieces that do not fit each other
    pub(crate) fn error_after(&mut self, valid: usize) -> Option<Utf8Error> {
        let broken = self.at + valid;
        if valid > 0 {
            // It may have begun with the character before.
            self.at = floor_boundary(self.data, broken - 1).max(self.at);
        }
        self.error_within((broken + PRECISION).saturating_sub(self.at))
    }

    /// The error that starts within the next `length` bytes, looked for character by character.
    #[inline(always)]
    fn error_within(&mut self, length: usize) -> Option<Utf8Error> {
        let from = self.at;
        while self.at - from < length
            && let Some(sequence) = decode_one(&self.data[self.at..])
        {
            let start = self.at;
            self.at += sequence.length();
            if let Sequence::Broken(kind, _) = sequence {
                self.wary = true;
                self.dense = start - self.last < CLOSE;
                self.last = self.at;
                return Some(Utf8Error::new(start as u64, kind, &self.data[start..self.at]));
            }
        }
        None
    }

    /// Up to which offset errors were looked for.
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

/// The errors of some data, for whoever goes through them twice.
///
/// They are searched once and kept, but not without end: those after the first many, or those that there is no memory
/// for, are searched again.
pub(crate) struct ErrorBuffer<'a> {
    kept: Vec<Utf8Error>,
    /// What searches for the others; `None` if all are kept.
    rest: Option<ErrorIter<'a>>,
}

impl<'a> ErrorBuffer<'a> {
    /// So many are kept, in 16 MB.
    const KEPT: usize = 1 << 20;

    /// Searches `data` and shows each error to `see`, which returns whether it wants more. Tells `worked`
    /// how much was done, in bytes, and stops if that returns an error.
    #[inline(always)]
    pub(crate) fn of<E, W: FnMut(usize) -> Result<(), E>>(
        implementation: Implementation,
        data: &'a [u8],
        mut see: impl FnMut(&Utf8Error, &mut W) -> Result<bool, E>,
        mut worked: W,
    ) -> Result<Self, E> {
        let mut errors = Self { kept: vec![], rest: None };
        let mut runs = ErrorIter::new(implementation, data);
        loop {
            let before = runs.searched();
            let Some(error) = runs.next_error_with(|| worked(CHUNK_BYTES))? else { break };
            worked(ERROR_COST_BYTES)?;
            if !see(&error, &mut worked)? {
                break;
            }
            if errors.rest.is_some() {
                continue;
            }
            if errors.kept.len() >= Self::KEPT || try_push(&mut errors.kept, error).is_err() {
                errors.rest = Some(ErrorIter::starting_at(implementation, data, before));
            }
        }
        Ok(errors)
    }

    /// The errors, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Utf8Error> {
        self.kept.iter().copied().chain(self.rest.clone().into_iter().flatten())
    }
}

/// All errors of `data`, found as they are asked for; spans are those of CPython and of
/// [`str::from_utf8`].
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
