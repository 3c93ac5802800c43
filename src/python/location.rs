//! The class `Location`.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::fields::{self, Reduced};
use super::interpreter::guarded;

/// The location of a byte: line and column from 1 (columns in chars), char from 0, and byte_offset.
#[pyclass(frozen, eq, hash, get_all, module = "leadbyte")]
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Location {
    /// The line, from 1. Lines end with a line feed.
    line: u64,
    /// The column in characters, from 1.
    column: u64,
    /// The index of the character, from 0.
    char: u64,
    /// The offset in bytes that was asked for.
    byte_offset: u64,
}

impl From<crate::Location> for Location {
    fn from(location: crate::Location) -> Self {
        let crate::Location { line, column, char, byte_offset } = location;
        Self { line, column, char, byte_offset }
    }
}

#[pymethods]
impl Location {
    /// Return the fields by name.
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        guarded(|| {
            let dict = PyDict::new(py);
            dict.set_item("line", self.line)?;
            dict.set_item("column", self.column)?;
            dict.set_item("char", self.char)?;
            dict.set_item("byte_offset", self.byte_offset)?;
            Ok(dict)
        })
    }

    #[staticmethod]
    fn _restore(line: u64, column: u64, char: u64, byte_offset: u64) -> PyResult<Self> {
        guarded(|| Ok(Self { line, column, char, byte_offset }))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (u64, u64, u64, u64)> {
        guarded(|| {
            let this = slf.get();
            Ok((slf.getattr("_restore")?, (this.line, this.column, this.char, this.byte_offset)))
        })
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        guarded(|| fields::repr("Location", &self.as_dict(py)?))
    }
}
