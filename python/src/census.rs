//! The number of occurrences of each character of a text.

use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyList, PyString};

use leadbyte::bindings::allocation::AllocError;
use leadbyte::bindings::census::{Census, Entry};
use leadbyte::bindings::sequence::chunks;
use leadbyte::bindings::transcode::utf8_to_utf32;

use super::buffer::{detached, snapshot};
use super::functions::validate;
use super::interpreter::guarded;
use super::list::list_of;
use super::string::Units;
use super::work_error::memory_error;

/// The functions of this file that Python can call.
pub(super) fn exported<'py>(module: &Bound<'py, PyModule>) -> PyResult<Vec<Bound<'py, PyCFunction>>> {
    Ok(vec![wrap_pyfunction!(_census, module)?])
}

/// The number of code points that are decoded at once: they stay in the first-level cache beside their counts.
const BLOCK: usize = 4 << 10;

/// Return a list of (code point, number of occurrences, name of its script) of a str or of UTF-8, in ascending order.
///
/// Raises UnicodeDecodeError for bytes that are not UTF-8.
#[pyfunction]
#[pyo3(signature = (text_or_data, /))]
pub(super) fn _census<'py>(text_or_data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    guarded(|| list_of(text_or_data.py(), entries(text_or_data)?))
}

fn entries(text_or_data: &Bound<'_, PyAny>) -> PyResult<Vec<Entry>> {
    let py = text_or_data.py();
    if let Ok(text) = text_or_data.cast::<PyString>() {
        return match Units::of(text)? {
            Units::Ascii(units) | Units::Latin1(units) => of_units(py, units),
            Units::Ucs2(units) => of_units(py, units),
            Units::Ucs4(units) => of_units(py, units),
        };
    }
    let bytes = snapshot(text_or_data)?;
    validate(bytes.as_any())?;
    let data = bytes.as_bytes();
    of_pieces(py, data.len(), chunks(data, BLOCK), |census, chunk, buffer| {
        // The bytes were just validated.
        let decoded = utf8_to_utf32(chunk, buffer).unwrap_or(0);
        census.add(&buffer[..decoded])
    })
}

fn of_units<U: Copy + Into<u32> + Sync>(py: Python<'_>, units: &[U]) -> PyResult<Vec<Entry>> {
    of_pieces(py, size_of_val(units), units.chunks(BLOCK), |census, piece, _| census.add(piece))
}

/// Returns the census of `pieces`, which have `length` bytes in all; `add` adds each.
fn of_pieces<'a, U: Sync + 'a>(
    py: Python<'_>,
    length: usize,
    pieces: impl Iterator<Item = &'a [U]> + Send,
    mut add: impl FnMut(&mut Census, &[U], &mut [u32]) -> Result<(), AllocError> + Send,
) -> PyResult<Vec<Entry>> {
    detached(py, length, |poller| {
        let mut census = Census::empty();
        let mut buffer = vec![0; BLOCK];
        for piece in pieces {
            add(&mut census, piece, &mut buffer).map_err(memory_error)?;
            poller.advance(size_of_val(piece))?;
        }
        Ok(census.entries().map_err(memory_error)?)
    })
}
