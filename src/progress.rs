//! Progress of long work, which its caller may stop.
//!
//! Work that may be long takes one of these types, not any function, so that there is one copy of it for all
//! callers.

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

/// Is called with the number of bytes processed since the last call; an error stops the work, which returns it at once.
pub type Progress<'a> = &'a mut dyn FnMut(usize) -> Result<(), Stopped>;

/// Is called from time to time; an error stops the work, which returns it at once.
pub type Poll<'a> = &'a mut dyn FnMut() -> Result<(), Stopped>;

/// The [`Progress`] of work that nothing interrupts.
pub fn unobserved(_: usize) -> Result<(), Stopped> {
    Ok(())
}

/// The [`Poll`] of work that nothing interrupts.
pub(crate) fn unpolled() -> Result<(), Stopped> {
    Ok(())
}

/// Returns the result of work that nothing interrupts. Panics or aborts as std does if memory is exhausted.
pub(crate) fn uninterrupted<T>(outcome: Result<T, Stopped>) -> T {
    match outcome {
        Ok(done) => done,
        Err(Stopped::Alloc(error)) => error.raise(),
        Err(Stopped::Interrupted) => unreachable!("nothing interrupts it"),
    }
}
