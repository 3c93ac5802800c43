//! The exceptions of work that ends early.

use pyo3::exceptions::{PyMemoryError, PyRuntimeError};
use pyo3::prelude::*;

use leadbyte::bindings::allocation::AllocError;
use leadbyte::bindings::progress::Stopped;

/// A failed allocation of the crate becomes an exception here and nowhere else.
#[cold]
pub(crate) fn memory_error(_: AllocError) -> PyErr {
    PyMemoryError::new_err(())
}

/// Why work of the crate ended early that runs Python code meanwhile, or polls signals.
pub(crate) struct WorkError(PyErr);

impl From<AllocError> for WorkError {
    fn from(error: AllocError) -> Self {
        Self(memory_error(error))
    }
}

impl From<Stopped> for WorkError {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Alloc(error) => error.into(),
            Stopped::Interrupted => PyRuntimeError::new_err("interrupted").into(),
        }
    }
}

impl From<PyErr> for WorkError {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}

impl From<WorkError> for PyErr {
    fn from(error: WorkError) -> Self {
        error.0
    }
}
