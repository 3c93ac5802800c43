//! Arguments of functions: optional ones, and the TypeError for a wrong type.

use std::convert::Infallible;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The value of an optional argument, if it was passed. None counts as a value, while PyO3 takes it for the absence of
/// an `Option`.
pub(super) struct Optional<'py>(pub Option<Bound<'py, PyAny>>);

impl<'py> FromPyObject<'_, 'py> for Optional<'py> {
    type Error = Infallible;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> Result<Self, Infallible> {
        Ok(Self(Some(object.to_owned())))
    }
}

/// Returns the str that `function` takes as `argument`, which is a position from 1 on, or a name in quotes.
///
/// Raises TypeError for anything else.
#[inline(always)]
pub(super) fn text_argument<'a, 'py>(
    text: &'a Bound<'py, PyAny>,
    function: &str,
    argument: &str,
) -> PyResult<&'a Bound<'py, PyString>> {
    text.cast::<PyString>().map_err(|_| wrong_type(text, function, argument, "str"))
}

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
