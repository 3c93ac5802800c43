//! The TypeError for an argument of a wrong type.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};

/// Returns the TypeError that CPython raises for an argument of a wrong type, with the way from bytes to str.
#[cold]
pub(super) fn wrong_type(given: &Bound<'_, PyAny>, function: &str, argument: &str, expected: &str) -> PyErr {
    let is_bytes = given.is_instance_of::<PyBytes>() || given.is_instance_of::<PyByteArray>();
    // Names in quotes belong to options.
    let is_undecoded = is_bytes && expected == "str" && !argument.starts_with('\'');
    let way = if is_undecoded { "; leadbyte.decode returns the str of UTF-8" } else { "" };
    type_error(given, |name| format!("{function}() argument {argument} must be {expected}, not {name}{way}"))
}

/// Returns the TypeError that CPython raises for a str in the place of a bytes-like object, with the way.
#[cold]
pub(super) fn str_for_bytes(given: &Bound<'_, PyAny>) -> PyErr {
    type_error(given, |name| {
        format!("a bytes-like object is required, not '{name}'; leadbyte.encode returns the UTF-8 of a str")
    })
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
