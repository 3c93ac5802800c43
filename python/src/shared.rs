//! State of objects that several threads, and calls within calls, may use.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, MutexGuard};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

/// Locks a state, detached while it waits. A panic of another call does not matter: it leaves a state as it was, or one
/// that can be used.
pub(super) fn locked<'a, T>(py: Python<'_>, state: &'a Mutex<T>) -> MutexGuard<'a, T> {
    state.lock_py_attached(py).unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// A state that the call at work takes, so that nothing is locked meanwhile: the handler of a signal may call another.
pub(super) struct Exclusive<T>(Mutex<Option<Box<T>>>);

impl<T> Exclusive<T> {
    pub(super) fn new(state: T) -> Self {
        Self(Mutex::new(Some(Box::new(state))))
    }

    /// Calls `work` with the state, which is kept whatever happens.
    ///
    /// Raises ValueError if a call is at work, as a generator does.
    pub(super) fn with<R>(&self, py: Python<'_>, work: impl FnOnce(&mut T) -> PyResult<R>) -> PyResult<R> {
        self.advance(py, "another call is already executing", |mut state| {
            let outcome = catch_unwind(AssertUnwindSafe(|| work(&mut state)));
            Ok((outcome, Some(state)))
        })?
        .unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Calls `work` with the state, of which there is no more than what it returns: nothing after an exception.
    ///
    /// Raises ValueError with the message if there is none, or a call is at work.
    pub(super) fn advance<R>(
        &self,
        py: Python<'_>,
        message: &'static str,
        work: impl FnOnce(Box<T>) -> PyResult<(R, Option<Box<T>>)>,
    ) -> PyResult<R> {
        let taken = locked(py, &self.0).take();
        let (result, state) = work(taken.ok_or_else(|| PyValueError::new_err(message))?)?;
        *locked(py, &self.0) = state;
        Ok(result)
    }
}
