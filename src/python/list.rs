//! Lists of any length.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyMemoryError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyList;

/// Returns a new list of `items`. Raises MemoryError where PyO3's own conversion would panic.
pub(super) fn list_of<'py, T: IntoPyObject<'py>>(
    py: Python<'py>,
    items: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
) -> PyResult<Bound<'py, PyList>> {
    let items = items.into_iter();
    let length = isize::try_from(items.len()).map_err(|_| PyMemoryError::new_err(()))?;
    // SAFETY: the thread is attached, and `length` is not negative.
    let object = unsafe { ffi::PyList_New(length) };
    // SAFETY: `object` is a new reference, or null with an exception set.
    let list = unsafe { Bound::from_owned_ptr_or_err(py, object)? };
    for (index, item) in (0..length).zip(items) {
        let item = item.into_bound_py_any(py)?;
        // SAFETY: `object` is a live list whose slot at `index` is still empty; the list takes the reference.
        unsafe { ffi::PyList_SET_ITEM(object, index, item.into_ptr()) };
    }
    // SAFETY: its type is list.
    Ok(unsafe { list.cast_into_unchecked() })
}
