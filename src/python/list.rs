//! Lists of any length.

use pyo3::IntoPyObject;
use pyo3::prelude::*;
use pyo3::types::PyList;

/// A new list of `items`; MemoryError where PyO3's own conversion would panic.
pub(super) fn list_of<'py, T: IntoPyObject<'py>>(
    py: Python<'py>,
    items: impl IntoIterator<Item = T>,
) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for item in items {
        list.append(item)?;
    }
    Ok(list)
}
