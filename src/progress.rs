//! Progress of long work, which its caller may stop.
//!
//! Work takes any function that reports progress, with any error. Where all callers pass these types, there is one copy
//! of it in the extension module.

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
