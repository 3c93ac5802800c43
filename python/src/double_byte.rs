//! Encodings of one or two bytes a character, by tables of what Python's codecs have.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use leadbyte::bindings::encodings::double_byte;
use leadbyte::bindings::simd::try_append;

use super::buffer::copied_bytes;
use super::interpreter::guarded;
use super::string::{Units, str_of_units};
use super::work_error::memory_error;

/// The most characters of a call, in which other threads do not run.
const MAX_STEP: usize = 32 << 10;

/// Decodes characters of one or two bytes, as far as it has them: `singles` are 256 and `pairs` are 65,536 characters,
/// U+FFFF for each that is missing.
#[pyclass(frozen, module = "leadbyte._leadbyte", name = "_DoubleByteDecoder")]
pub(super) struct DoubleByteDecoder(double_byte::DoubleByteDecoder);

#[pymethods]
impl DoubleByteDecoder {
    #[new]
    #[pyo3(signature = (singles, pairs, /))]
    fn new(singles: &Bound<'_, PyString>, pairs: &Bound<'_, PyString>) -> PyResult<Self> {
        guarded(|| {
            double_byte::DoubleByteDecoder::new(units_of(singles)?, units_of(pairs)?)
                .map_err(memory_error)?
                .map(Self)
                .ok_or_else(not_a_table)
        })
    }

    /// Return the text of the bytes from the offset `at` on, up to a character that is missing or 32 Ki of them, and
    /// the number of bytes read.
    #[pyo3(signature = (data, at, /))]
    fn decode_from<'py>(&self, data: &Bound<'py, PyBytes>, at: usize) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| {
            let bytes = data.as_bytes().get(at..).unwrap_or_default();
            let (mut units, mut read) = (vec![], 0);
            try_append(&mut units, bytes.len().min(MAX_STEP), |out| {
                let written;
                (read, written) = self.0.decode(bytes, out);
                Some(written)
            })
            .map_err(memory_error)?;
            (str_of_units(data.py(), &units)?, read).into_bound_py_any(data.py())
        })
    }
}

/// Encodes to one or two bytes each, as far as it has them: `table` has for each character up to U+FFFF a character
/// with the number of its bytes in big-endian order, U+FFFF for each that is missing.
#[pyclass(frozen, module = "leadbyte._leadbyte", name = "_DoubleByteEncoder")]
pub(super) struct DoubleByteEncoder(double_byte::DoubleByteEncoder);

#[pymethods]
impl DoubleByteEncoder {
    #[new]
    #[pyo3(signature = (table, /))]
    fn new(table: &Bound<'_, PyString>) -> PyResult<Self> {
        guarded(|| {
            double_byte::DoubleByteEncoder::new(units_of(table)?)
                .map_err(memory_error)?
                .map(Self)
                .ok_or_else(not_a_table)
        })
    }

    /// Return the bytes of the text from the character `at` on, up to one that is missing or 32 Ki of them, and the
    /// number of characters read.
    #[pyo3(signature = (text, at, /))]
    fn encode_from<'py>(&self, text: &Bound<'py, PyString>, at: usize) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| {
            let encoded = match Units::of(text)? {
                Units::Ascii(units) | Units::Latin1(units) => self.encode(text.py(), units, at),
                Units::Ucs2(units) => self.encode(text.py(), units, at),
                Units::Ucs4(units) => self.encode(text.py(), units, at),
            };
            encoded?.into_bound_py_any(text.py())
        })
    }
}

impl DoubleByteEncoder {
    fn encode<'py, U: Copy + Into<u32>>(
        &self,
        py: Python<'py>,
        units: &[U],
        at: usize,
    ) -> PyResult<(Bound<'py, PyBytes>, usize)> {
        let rest = units.get(at..).unwrap_or_default();
        let units = &rest[..rest.len().min(MAX_STEP)];
        let (mut bytes, mut read) = (vec![], 0);
        try_append(&mut bytes, 2 * units.len(), |out| {
            let written;
            (read, written) = self.0.encode(units, out);
            Some(written)
        })
        .map_err(memory_error)?;
        Ok((copied_bytes(py, &bytes)?, read))
    }
}

/// Borrows the entries of a table.
fn units_of<'a>(table: &'a Bound<'_, PyString>) -> PyResult<&'a [u16]> {
    match Units::of(table)? {
        Units::Ucs2(units) => Ok(units),
        _ => Err(not_a_table()),
    }
}

#[cold]
fn not_a_table() -> PyErr {
    PyValueError::new_err("not a table of characters, or not one with ASCII")
}
