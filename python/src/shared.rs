//! State of objects that several threads, and calls within calls, may use.

use std::sync::{Mutex, MutexGuard};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

/// Locks a state, detached while it waits. A panic of another call does not matter: it leaves a state as it was, or one
/// that can be used.
pub(super) fn locked<'a, T>(py: Python<'_>, state: &'a Mutex<T>) -> MutexGuard<'a, T> {
    state.lock_py_attached(py).unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// The state of an iterator or a search, which the call at work takes, so that nothing is locked meanwhile: the handler
/// of a signal may call another.
pub(super) struct Exclusive<T>(Mutex<Option<Box<T>>>);

impl<T> Exclusive<T> {
    pub(super) fn new(state: T) -> Self {
        Self(Mutex::new(Some(Box::new(state))))
    }

    /// Calls `work` with the state.
    ///
    /// Raises ValueError if a call is at work, as a generator does.
    pub(super) fn with<R>(&self, py: Python<'_>, work: impl FnOnce(&mut T) -> PyResult<R>) -> PyResult<R> {
        let Some(mut state) = locked(py, &self.0).take() else {
            return Err(PyValueError::new_err("another call is already executing"));
        };
        let outcome = work(&mut state);
        *locked(py, &self.0) = Some(state);
        outcome
    }
}
