//! The class `Location`.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use super::fields::{self, reduced};
use super::interpreter::guarded;
use super::list::Int;

/// The location of a character: line and columns from 1, char_offset and byte_offset from 0.
#[pyclass(frozen, eq, hash, module = "leadbyte")]
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Location(leadbyte::Location);

impl From<leadbyte::Location> for Location {
    fn from(location: leadbyte::Location) -> Self {
        Self(location)
    }
}

impl Location {
    pub(super) fn location(&self) -> leadbyte::Location {
        self.0
    }
}

#[pymethods]
impl Location {
    /// The line, from 1. Lines end with a line feed.
    #[getter]
    fn line(&self) -> Int {
        Int(self.0.line)
    }

    /// The column in characters, from 1.
    #[getter]
    fn column(&self) -> Int {
        Int(self.0.column)
    }

    /// The column in UTF-16 code units, from 1.
    #[getter]
    fn utf16_column(&self) -> Int {
        Int(self.0.utf16_column)
    }

    /// The number of characters before it.
    #[getter]
    fn char_offset(&self) -> Int {
        Int(self.0.char_offset)
    }

    /// The number of bytes before it; for an offset in bytes, that offset.
    #[getter]
    fn byte_offset(&self) -> Int {
        Int(self.0.byte_offset)
    }

    /// Return the fields by name.
    pub(super) fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        guarded(|| {
            let dict = PyDict::new(py);
            dict.set_item("line", self.line())?;
            dict.set_item("column", self.column())?;
            dict.set_item("utf16_column", self.utf16_column())?;
            dict.set_item("char_offset", self.char_offset())?;
            dict.set_item("byte_offset", self.byte_offset())?;
            Ok(dict)
        })
    }

    #[staticmethod]
    fn _restore(
        line: u64,
        column: u64,
        utf16_column: u64,
        char_offset: u64,
        byte_offset: u64,
    ) -> PyResult<Self> {
        guarded(|| Ok(Self(leadbyte::Location { line, column, utf16_column, char_offset, byte_offset })))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        guarded(|| {
            let leadbyte::Location { line, column, utf16_column, char_offset, byte_offset } = slf.get().0;
            reduced(slf.getattr("_restore")?, (line, column, utf16_column, char_offset, byte_offset))
        })
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        guarded(|| fields::repr("Location", &self.as_dict(py)?))
    }
}
