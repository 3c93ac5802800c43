//! Helpers of the classes that consist of named fields. What they return are objects, as PyO3 panics where it makes one
//! of a result and there is no memory.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use super::list::tuple_of;
use super::string::Text;

/// Returns what `__reduce__` returns: a function and its arguments.
pub(super) fn reduced<'py>(
    function: Bound<'py, PyAny>,
    arguments: impl IntoPyObject<'py>,
) -> PyResult<Bound<'py, PyTuple>> {
    let py = function.py();
    let arguments = arguments.into_bound_py_any(py)?;
    tuple_of(py, [function, arguments])
}

/// Returns the repr `Name(field=value, ...)`.
pub(super) fn repr<'py>(name: &str, fields: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyString>> {
    let text = fields
        .iter()
        .map(|(field, value)| Ok(format!("{field}={}", value.repr()?)))
        .collect::<PyResult<Vec<_>>>()?
        .join(", ");
    Text(format!("{name}({text})")).into_pyobject(fields.py())
}
