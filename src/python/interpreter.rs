//! The interpreter that is served, and exceptions set in it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{mem, thread};

use pyo3::exceptions::{PyImportError, PySystemError};
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
/// CPython calls the functions of `fastcall.rs` without PyO3's knowing that the thread is attached; references which
/// are then dropped without a token, as those inside of `error` are, are released some time later. So PyO3 is told,
/// if it can be: while the interpreter shuts down PyO3 cannot attach, and later does no harm.
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

/// Runs `call`, which runs Python code.
///
/// Before version 3.14, CPython ends a daemon thread that wants to go on once the interpreter has shut down, by
/// unwinding its stack. That must not go through Rust code, whose destructors would use Python objects, and which
/// aborts the process: such a thread waits instead for the process to end, as it does from 3.14 on.
#[inline]
pub(super) fn call_python<T>(call: impl FnOnce() -> T) -> T {
    struct Wait;

    impl Drop for Wait {
        fn drop(&mut self) {
            while !thread::panicking() {
                thread::park();
            }
        }
    }

    let wait = Wait;
    let result = call();
    mem::forget(wait);
    result
}

/// Runs the body of a function that Python calls: a panic, which is a fault of this library, is a SystemError.
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
    let message = match payload.downcast_ref::<&str>() {
        Some(message) => message,
        None => payload.downcast_ref::<String>().map_or("no message", String::as_str),
    };
    PySystemError::new_err(format!("internal error, please report it: {message}"))
}

/// Panics on request, by which tests show that every function is guarded.
#[cfg(feature = "panic-injection")]
pub(super) mod injection {
    use std::sync::atomic::{AtomicBool, Ordering};

    use pyo3::prelude::*;

    static REQUESTED: AtomicBool = AtomicBool::new(false);

    /// Have the next guarded call panic, or not.
    #[pyfunction]
    pub(in crate::python) fn _panic_in_next_call(wanted: bool) {
        REQUESTED.store(wanted, Ordering::Relaxed);
    }

    pub(super) fn panic_if_requested() {
        assert!(!REQUESTED.swap(false, Ordering::Relaxed), "injected");
    }
}
