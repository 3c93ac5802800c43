//! The exceptions of columns.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyUnicodeDecodeError, PyUnicodeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;

use leadbyte::bindings::columns::{ColumnError, ConversionError};

use super::buffer::copied_bytes;
use super::errors::{UTF8, decode_exception};
use super::transcode::unmappable;
use super::work_error::memory_error;

/// Returns the exception for an error in a column.
#[cold]
pub(super) fn exception(py: Python<'_>, error: ColumnError) -> PyErr {
    match error {
        ColumnError::Type(message) => PyTypeError::new_err(message),
        ColumnError::Malformed(_) | ColumnError::Interrupted => PyValueError::new_err(error.to_string()),
        ColumnError::Overflow => PyOverflowError::new_err(error.to_string()),
        ColumnError::Alloc(error) => memory_error(error),
        ColumnError::Row(error) => {
            let raised = copied_bytes(py, &error.data)
                .and_then(|bytes| decode_exception(UTF8, &bytes, error.error.into()))
                .map_or_else(|failure| failure, PyErr::from_value);
            in_row(py, raised, error.row)
        }
        ColumnError::Conversion(error) => in_row(py, conversion_exception(py, &error), error.row),
    }
}

/// Returns the exception that Python's codecs raise for a row.
fn conversion_exception(py: Python<'_>, error: &ConversionError) -> PyErr {
    let ConversionError { encoding, data, is_unmappable, fault, .. } = error;
    if *is_unmappable {
        return unmappable(py, encoding, data, *fault);
    }
    match copied_bytes(py, data) {
        Ok(bytes) => PyUnicodeDecodeError::new_err((
            encoding.clone(),
            bytes.unbind(),
            fault.start,
            fault.end,
            fault.reason,
        )),
        Err(failure) => failure,
    }
}

/// Returns the exception of a row, with its number as the attribute `row` and in a note.
fn in_row(py: Python<'_>, raised: PyErr, row: usize) -> PyErr {
    let exception = raised.value(py);
    let noted = || {
        if !exception.is_instance_of::<PyUnicodeError>() {
            return Ok(()); // there was no memory for it
        }
        exception.setattr(intern!(py, "row"), row)?;
        if let Some(add_note) = exception.getattr_opt(intern!(py, "add_note"))? {
            add_note.call1((format!("in row {row}"),))?;
        }
        Ok(())
    };
    noted().map_or_else(|failure| failure, |()| raised.clone_ref(py))
}
