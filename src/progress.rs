//! Progress of long work, which its caller may stop.
//!
//! Work takes these types, or any function that reports progress, with any error. Where all callers pass these types,
//! there is one copy of it in the extension module.

use crate::allocation::AllocError;

/// Why work ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Memory is exhausted.
    Alloc(AllocError),
    /// The caller stopped it, and knows why.
    Interrupted,
}

impl From<AllocError> for Stopped {
    fn from(error: AllocError) -> Self {
        Self::Alloc(error)
    }
}

/// Is called with the number of bytes processed; an error stops the work.
pub type Progress<'a> = &'a mut dyn FnMut(usize) -> Result<(), Stopped>;

/// Is called from time to time; an error stops the work.
pub type Poll<'a> = &'a mut dyn FnMut() -> Result<(), Stopped>;

/// Does work that nothing interrupts. Panics or aborts as std does if memory is exhausted.
#[cfg_attr(not(feature = "detect"), expect(dead_code))]
pub(crate) fn uninterrupted<T>(work: impl FnOnce(Poll<'_>) -> Result<T, Stopped>) -> T {
    match work(&mut || Ok(())) {
        Ok(done) => done,
        Err(Stopped::Alloc(error)) => error.raise(),
        Err(Stopped::Interrupted) => unreachable!("nothing interrupts it"),
    }
}
