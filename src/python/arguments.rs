//! Arguments of functions: those that are optional, and what is raised for those of a wrong type.

use std::convert::Infallible;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The value of an optional argument, if it was passed. Python's None is a value like others, while PyO3 takes it for
/// the lack of an `Option`.
pub(super) struct Optional<'py>(pub Option<Bound<'py, PyAny>>);

impl<'py> FromPyObject<'_, 'py> for Optional<'py> {
    type Error = Infallible;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> Result<Self, Infallible> {
        Ok(Self(Some(object.to_owned())))
    }
}

/// The str that a function takes as an argument, which is a number, or a name in quotes.
#[inline(always)]
pub(super) fn text_argument<'a, 'py>(
    text: &'a Bound<'py, PyAny>,
    function: &str,
    argument: &str,
) -> PyResult<&'a Bound<'py, PyString>> {
    text.cast::<PyString>().map_err(|_| wrong_type(text, function, argument, "str"))
}

/// What CPython raises for an argument of a wrong type.
#[cold]
pub(super) fn wrong_type(given: &Bound<'_, PyAny>, function: &str, argument: &str, expected: &str) -> PyErr {
    let name = if given.is_none() {
        Ok("None".into())
    } else {
        given.get_type().name().map(|name| name.to_string())
    };
    match name {
        Ok(name) => {
            PyTypeError::new_err(format!("{function}() argument {argument} must be {expected}, not {name}"))
        }
        Err(error) => error,
    }
}
