//! Repair of bytes that are not UTF-8, and of strs with surrogates.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction, PyString};

use leadbyte::bindings::kernels::{CodeUnit, Source, pair};
use leadbyte::bindings::repair::{MeasuredRepair, REPLACEMENT, well_formed};
use leadbyte::bindings::sequence::{CHUNK_BYTES, cut, incomplete_suffix};
use leadbyte::bindings::simd::{Implementation, MaybeUninit, put};

use super::arguments::{Optional, text_argument};
use super::buffer::{copied_bytes, detached, new_bytes, snapshot, supervised};
use super::encode::{encode, first_run};
use super::functions::is_valid;
use super::interpreter::guarded;
use super::string::{Fill, Kind, Utf8OrUnits, exact, new_str};

/// The functions of this file that Python can call.
pub(super) fn exported<'py>(module: &Bound<'py, PyModule>) -> PyResult<Vec<Bound<'py, PyCFunction>>> {
    Ok(vec![
        wrap_pyfunction!(_repair_prefix, module)?,
        wrap_pyfunction!(repair, module)?,
        wrap_pyfunction!(to_well_formed, module)?,
    ])
}

/// Return data as valid UTF-8: each error (maximal subpart) is replaced by replacement; '' drops it.
///
/// If data is bytes that are valid already, it is returned itself. The default gives the result of
/// data.decode('utf-8', 'replace').encode(). data: any bytes-like object with a contiguous buffer. Raises
/// UnicodeEncodeError if replacement has a surrogate.
///
/// >>> leadbyte.repair(b'caf\xe9')
/// b'caf\xef\xbf\xbd'
#[pyfunction]
#[pyo3(
    signature = (data, /, *, replacement = Optional(None)),
    text_signature = "(data, /, *, replacement='\\ufffd')"
)]
pub(super) fn repair<'py>(
    data: &Bound<'py, PyAny>,
    replacement: Optional<'py>,
) -> PyResult<Bound<'py, PyBytes>> {
    guarded(|| {
        let replacement = replacement.0.as_ref();
        let replacement =
            replacement.map(|text| text_argument(text, "repair", "'replacement'")).transpose()?;
        let bytes = snapshot(data)?;
        let repaired = repaired(&bytes, replacement, bytes.as_bytes().len())?;
        Ok(repaired.unwrap_or(bytes))
    })
}

/// Repair a chunk of data; return the valid UTF-8 and the number of bytes consumed.
///
/// Unless it is the last chunk, a sequence that is incomplete at its end is not consumed.
#[pyfunction]
#[pyo3(signature = (data, replacement, last, /))]
pub(super) fn _repair_prefix<'py>(
    data: &Bound<'py, PyAny>,
    replacement: &Bound<'py, PyString>,
    last: bool,
) -> PyResult<(Bound<'py, PyBytes>, usize)> {
    guarded(|| {
        let bytes = snapshot(data)?;
        let all = bytes.as_bytes();
        let finished = if last { all.len() } else { all.len() - incomplete_suffix(all) };
        let repaired = match repaired(&bytes, Some(replacement), finished)? {
            Some(repaired) => repaired,
            None if finished == all.len() => bytes,
            None => copied_bytes(data.py(), &all[..finished])?,
        };
        Ok((repaired, finished))
    })
}

/// Returns the first `length` bytes, repaired; `None` if they are valid.
fn repaired<'py>(
    bytes: &Bound<'py, PyBytes>,
    replacement: Option<&Bound<'py, PyString>>,
    length: usize,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let py = bytes.py();
    let data = &bytes.as_bytes()[..length];
    let replacement = replacement.map(|replacement| encode(replacement, None)).transpose()?;
    if is_valid(py, data)? {
        return Ok(None);
    }
    let replacement = replacement.as_ref().map_or(REPLACEMENT.as_bytes(), |bytes| bytes.as_bytes());
    let repair = supervised(py, length, |progress| {
        MeasuredRepair::of(Implementation::active(), data, replacement, progress)
    })?;
    let fill = |out: &mut [MaybeUninit<u8>]| supervised(py, length, |progress| repair.write(out, progress));
    // SAFETY: `write` writes as many bytes as it returns.
    unsafe { new_bytes(py, repair.length(), fill) }.map(Some)
}

/// Return the text without surrogates: surrogate pairs are joined, lone surrogates become U+FFFD.
///
/// UTF-8 can encode the result, which is what a UTF-16 decoder makes of such text. A str without surrogates that is not
/// an instance of a subclass is returned itself.
///
/// >>> leadbyte.to_well_formed('\ud83d\ude00 \ud83d') == '\U0001f600 \ufffd'
/// True
#[pyfunction]
#[pyo3(signature = (text, /))]
pub(super) fn to_well_formed<'py>(text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    guarded(|| {
        let text = text_argument(text, "to_well_formed", "1")?;
        match Utf8OrUnits::of(text)? {
            Utf8OrUnits::Utf8(_) | Utf8OrUnits::Latin1(_) => exact(text),
            Utf8OrUnits::Ucs2(units) => joined(text, units),
            Utf8OrUnits::Ucs4(units) => joined(text, units),
        }
    })
}

fn joined<'py, U: Source>(text: &Bound<'py, PyString>, units: &[U]) -> PyResult<Bound<'py, PyString>> {
    let py = text.py();
    if first_run(py, units)?.is_none() {
        return exact(text);
    }
    let (length, largest) = detached(py, size_of_val(units), |poller| {
        let (mut length, mut largest) = (0, 0);
        for piece in pieces(units) {
            for value in well_formed(piece) {
                length += 1;
                largest = largest.max(value);
            }
            poller.advance(size_of_val(piece))?;
        }
        Ok((length, largest))
    })?;
    new_str(py, length, Kind::of(largest), WellFormed { py, units })
}

/// Splits the units into pieces of about [`CHUNK_BYTES`]; none ends inside a surrogate pair.
fn pieces<U: Source>(units: &[U]) -> impl Iterator<Item = &[U]> {
    cut(units, |rest| {
        let end = rest.len().min(CHUNK_BYTES);
        let pair = rest.get(end).is_some_and(|&next| pair(rest[end - 1].value(), next.value()).is_some());
        &rest[..end + usize::from(pair)]
    })
}

/// Units whose surrogates are joined or replaced.
struct WellFormed<'py, 'a, U> {
    py: Python<'py>,
    units: &'a [U],
}

// SAFETY: `put` writes as many units as it returns.
unsafe impl<S: Source> Fill for WellFormed<'_, '_, S> {
    type Failure = PyErr;

    fn fill<U: CodeUnit>(self, out: &mut [MaybeUninit<U>]) -> PyResult<usize> {
        detached(self.py, size_of_val(self.units), |poller| {
            let mut written = 0;
            for piece in pieces(self.units) {
                for scalar in well_formed(piece) {
                    written += put(&mut out[written..], &[U::of(scalar).0]);
                }
                poller.advance(size_of_val(piece))?;
            }
            Ok(written)
        })
    }
}
