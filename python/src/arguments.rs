//! Arguments of functions.

use std::convert::Infallible;

use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::string::{Units, exact};
use super::type_errors::wrong_type;

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

/// Extracts the choice that `function` takes as its argument `name`: one of some strs in ASCII.
///
/// Raises ValueError for another.
pub(super) fn choice_argument<T: Copy>(
    choice: &Bound<'_, PyAny>,
    function: &str,
    name: &str,
    choices: &[(&str, T)],
) -> PyResult<T> {
    let Ok(text) = choice.cast::<PyString>() else {
        return Err(wrong_type(choice, function, &format!("'{name}'"), "str"));
    };
    let given = Units::of(text)?;
    let chosen = choices.iter().find(|(known, _)| given == Units::Ascii(known.as_bytes()));
    chosen.map(|&(_, value)| value).ok_or_else(|| {
        let known: Vec<_> = choices.iter().map(|(known, _)| format!("'{known}'")).collect();
        let (last, others) = known.split_last().map_or(("", &[] as &[_]), |(last, others)| (last, others));
        match exact(text).and_then(|text| text.repr()) {
            Ok(given) => {
                PyValueError::new_err(format!("{name} must be {} or {last}, not {given}", others.join(", ")))
            }
            Err(error) => error,
        }
    })
}

/// Extracts the argument `name`, a number from `least` on, capped at the maximum of `usize`.
///
/// Raises ValueError for a smaller one.
pub(super) fn number_argument(number: &Bound<'_, PyAny>, name: &str, least: usize) -> PyResult<usize> {
    let value = match number.extract::<usize>() {
        Err(error) if !error.is_instance_of::<PyOverflowError>(number.py()) => return Err(error),
        // It is negative, or too large.
        Err(_) if number.call_method0(intern!(number.py(), "__index__"))?.lt(0)? => None,
        Err(_) => Some(usize::MAX),
        Ok(value) => Some(value).filter(|&value| value >= least),
    };
    match value {
        Some(value) => Ok(value),
        None => {
            Err(PyValueError::new_err(format!("{name} must be at least {least}, not {}", number.repr()?)))
        }
    }
}
