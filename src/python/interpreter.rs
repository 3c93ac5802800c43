//! One interpreter a process: what PyO3 keeps of classes and modules is shared by all of them, but their objects
//! must not be.

use std::sync::atomic::{AtomicI64, Ordering};

use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;

/// No interpreter's number.
const NOBODY: i64 = -1;

/// Makes the module that of the interpreter which imports it first; an ImportError to all others.
pub(super) fn claim(py: Python<'_>) -> PyResult<()> {
    static OWNER: AtomicI64 = AtomicI64::new(NOBODY);
    // SAFETY: the thread is attached, so there is an interpreter.
    let interpreter = unsafe { ffi::PyInterpreterState_Get() };
    // SAFETY: `interpreter` is the one that is running.
    let number = unsafe { ffi::PyInterpreterState_GetID(interpreter) };
    if number == NOBODY {
        return Err(PyErr::fetch(py));
    }
    match OWNER.compare_exchange(NOBODY, number, Ordering::Relaxed, Ordering::Relaxed) {
        Err(owner) if owner != number => Err(PyImportError::new_err(
            "leadbyte serves one interpreter a process, and another one has imported it already",
        )),
        _ => Ok(()),
    }
}
