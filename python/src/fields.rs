//! Helpers of the classes that consist of named fields.

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// What `__reduce__` returns: a function and its arguments.
pub(super) type Reduced<'py, Arguments> = PyResult<(Bound<'py, PyAny>, Arguments)>;

/// Returns the repr `Name(field=value, ...)`.
pub(super) fn repr(name: &str, fields: &Bound<'_, PyDict>) -> PyResult<String> {
    let fields = fields
        .iter()
        .map(|(field, value)| Ok(format!("{field}={}", value.repr()?)))
        .collect::<PyResult<Vec<_>>>()?;
    Ok(format!("{name}({})", fields.join(", ")))
}
