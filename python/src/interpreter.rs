//! The interpreter, exceptions in it, and panics that become exceptions.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::exceptions::{PyImportError, PyMemoryError, PySystemError};
use pyo3::ffi;
use pyo3::prelude::*;

/// Raises ImportError outside the main interpreter: PyO3 keeps classes and modules for the whole process, but the
/// objects of one interpreter must not be used by another.
pub(super) fn require_main(_py: Python<'_>) -> PyResult<()> {
    // SAFETY: the thread is attached, as the token proves, so there is a current interpreter.
    let current = unsafe { ffi::PyInterpreterState_Get() };
    // SAFETY: the runtime is initialized.
    let main = unsafe { ffi::PyInterpreterState_Main() };
    if current == main {
        return Ok(());
    }
    let message = "leadbyte does not support sub-interpreters; import it in the main interpreter";
    Err(PyImportError::new_err(message))
}

/// Sets `error` as the exception of this thread.
///
/// PyO3 does not know that the thread is attached when CPython calls the functions of `fastcall.rs`; references that
/// are then dropped without a token, as those in `error` are, would be released only later. So the thread attaches
/// through PyO3 if it can: while the interpreter shuts down it cannot, and a late release does no harm.
pub(super) fn restore(py: Python<'_>, error: PyErr) {
    let mut error = Some(error);
    let mut restore = || {
        if let Some(error) = error.take() {
            error.restore(py);
        }
    };
    if Python::try_attach(|_| restore()).is_none() {
        restore();
    }
}

/// What PyO3 panics with where CPython has no memory for an object, after it has reported the MemoryError.
const NO_OBJECT: &str = "PyObject pointer is null";

/// Runs the body of a function that Python calls; a panic, which is a bug of this library, becomes a SystemError, but a
/// MemoryError where PyO3 panics because memory is exhausted.
///
/// PyO3 would raise a `PanicException`, which `except Exception` does not catch.
#[inline]
pub(super) fn guarded<T>(body: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    let body = || {
        #[cfg(feature = "panic-injection")]
        injection::panic_if_requested();
        body()
    };
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| Err(panicked(payload.as_ref())))
}

#[cold]
fn panicked(payload: &(dyn Any + Send)) -> PyErr {
    match message_of(payload) {
        NO_OBJECT => PyMemoryError::new_err(()),
        _ => PySystemError::new_err(panic_message(payload)),
    }
}

/// Returns the message for users of a panic, which is a bug of this library.
pub(super) fn panic_message(payload: &(dyn Any + Send)) -> String {
    format!("internal error, please report it: {}", message_of(payload))
}

fn message_of(payload: &(dyn Any + Send)) -> &str {
    match payload.downcast_ref::<&str>() {
        Some(message) => message,
        None => payload.downcast_ref::<String>().map_or("no message", String::as_str),
    }
}

/// Panics on request, so that tests can show that every function is guarded.
#[cfg(feature = "panic-injection")]
pub(super) mod injection {
    use std::sync::atomic::{AtomicBool, Ordering};

    use pyo3::prelude::*;

    static REQUESTED: AtomicBool = AtomicBool::new(false);

    /// Make the next guarded call panic, or not.
    #[pyfunction]
    pub(crate) fn _panic_in_next_call(enabled: bool) {
        REQUESTED.store(enabled, Ordering::Relaxed);
    }

    pub(crate) fn panic_if_requested() {
        assert!(!REQUESTED.swap(false, Ordering::Relaxed), "injected");
    }
}
