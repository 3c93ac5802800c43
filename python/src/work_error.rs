//! The exceptions of work that ends early.

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

use leadbyte::bindings::allocation::AllocError;

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
