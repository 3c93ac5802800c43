//! The TypeError for an argument of a wrong type.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// Returns the TypeError that CPython raises for an argument of a wrong type.
#[cold]
pub(super) fn wrong_type(given: &Bound<'_, PyAny>, function: &str, argument: &str, expected: &str) -> PyErr {
    type_error(given, |name| format!("{function}() argument {argument} must be {expected}, not {name}"))
}

/// Returns a TypeError with the message for the name of the type of `given`.
#[cold]
pub(super) fn type_error(given: &Bound<'_, PyAny>, message: impl FnOnce(&str) -> String) -> PyErr {
    let name = if given.is_none() {
        Ok("None".into())
    } else {
        given.get_type().name().map(|name| name.to_string())
    };
    match name {
        Ok(name) => PyTypeError::new_err(message(&name)),
        Err(error) => error,
    }
}
