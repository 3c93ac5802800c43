//! Repair of bytes that are not UTF-8, and of strs with surrogates.

use std::ops::Range;

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction, PyString, PyTuple};

use leadbyte::Substitution;
use leadbyte::bindings::kernels::{CodeUnit, Source, pair};
use leadbyte::bindings::repair::{MeasuredRepair, REPLACEMENT, Replacement, well_formed};
use leadbyte::bindings::sequence::{CHUNK_BYTES, cut, incomplete_suffix};
use leadbyte::bindings::simd::{Implementation, MaybeUninit, put};

use super::arguments::{Optional, choice_argument, text_argument};
use super::buffer::{copied_bytes, detached, new_bytes, snapshot, supervised};
use super::encode::{encode, first_run};
use super::functions::is_valid;
use super::interpreter::guarded;
use super::string::{Fill, Kind, Utf8OrUnits, exact, new_str};

/// The functions of this file that Python can call.
pub(super) fn exported<'py>(module: &Bound<'py, PyModule>) -> PyResult<Vec<Bound<'py, PyCFunction>>> {
    Ok(vec![
        wrap_pyfunction!(_count_replacements, module)?,
        wrap_pyfunction!(_repair_chunk, module)?,
        wrap_pyfunction!(_substitutions, module)?,
        wrap_pyfunction!(repair, module)?,
        wrap_pyfunction!(to_well_formed, module)?,
    ])
}

/// Returns the substitution of a name.
///
/// Raises ValueError for another name.
fn substitution_argument(name: &Bound<'_, PyAny>, function: &str) -> PyResult<Substitution> {
    let named = Substitution::ALL.map(|each| (each.name(), each));
    choice_argument(name, function, "substitution", &named)
}

/// Return data as valid UTF-8: errors are replaced by replacement; '' drops them.
///
/// substitution is the program whose number of replacements the result has: 'whatwg' (one for each maximal subpart, as
/// data.decode('utf-8', 'replace') has it, and the Encoding Standard, Rust, ICU, Node.js, Polars, Spark's
/// make_valid_utf8), 'java' (one for a surrogate; also Spark's encode), 'okio' (one for a lead byte and the
/// continuation bytes that it announces; also kotlinx-io), 'go' (one for each byte, as range over a string) or
/// 'go-runs' (one for all bytes between characters, as strings.ToValidUTF8).
///
/// If data is bytes that are valid already, it is returned itself. data: any bytes-like object with a contiguous
/// buffer. Raises UnicodeEncodeError if replacement has a surrogate, ValueError for another substitution.
///
/// >>> leadbyte.repair(b'caf\xe9')
/// b'caf\xef\xbf\xbd'
/// >>> leadbyte.repair(b'\xed\xa0\x80', replacement='?'), leadbyte.repair(b'\xed\xa0\x80', replacement='?',
/// ...     substitution='java')
/// (b'???', b'?')
#[pyfunction]
#[pyo3(
    signature = (data, /, *, replacement = Optional(None), substitution = Optional(None)),
    text_signature = "(data, /, *, replacement='\\ufffd', substitution='whatwg')"
)]
pub(super) fn repair<'py>(
    data: &Bound<'py, PyAny>,
    replacement: Optional<'py>,
    substitution: Optional<'py>,
) -> PyResult<Bound<'py, PyBytes>> {
    guarded(|| {
        let replacement = replacement.0.as_ref();
        let replacement =
            replacement.map(|text| text_argument(text, "repair", "'replacement'")).transpose()?;
        let substitution = substitution.0.as_ref();
        let substitution = substitution.map(|name| substitution_argument(name, "repair")).transpose()?;
        let bytes = snapshot(data)?;
        let all = 0..bytes.as_bytes().len();
        let repaired = repaired(&bytes, all, replacement, substitution.unwrap_or_default())?;
        Ok(repaired.unwrap_or(bytes))
    })
}

/// Repair data[start:], a chunk of data; return the valid UTF-8 and the offset up to which it was repaired.
///
/// The last bytes before start are those before the chunk. Unless it is the last chunk, a sequence that is incomplete
/// at its end is not repaired.
#[pyfunction]
#[pyo3(signature = (data, start, replacement, substitution, last, /))]
pub(super) fn _repair_chunk<'py>(
    data: &Bound<'py, PyAny>,
    start: usize,
    replacement: &Bound<'py, PyString>,
    substitution: &Bound<'py, PyAny>,
    last: bool,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| {
        let substitution = substitution_argument(substitution, "_repair_chunk")?;
        let bytes = snapshot(data)?;
        let all = bytes.as_bytes();
        let start = start.min(all.len());
        let end = if last { all.len() } else { all.len() - incomplete_suffix(&all[start..]) };
        let repaired = match repaired(&bytes, start..end, Some(replacement), substitution)? {
            Some(repaired) => repaired,
            None if (start, end) == (0, all.len()) => bytes,
            None => copied_bytes(data.py(), &all[start..end])?,
        };
        (repaired, end).into_bound_py_any(data.py())
    })
}

/// Return the number of replacements of the error data[start:end].
#[pyfunction]
#[pyo3(signature = (data, start, end, substitution, /))]
pub(super) fn _count_replacements(
    data: &Bound<'_, PyBytes>,
    start: usize,
    end: usize,
    substitution: &Bound<'_, PyAny>,
) -> PyResult<usize> {
    guarded(|| {
        let substitution = substitution_argument(substitution, "_count_replacements")?;
        let data = data.as_bytes();
        let start = start.min(data.len());
        Ok(substitution.replacements(data, start, end.saturating_sub(start)))
    })
}

/// Return the names of the ways of substitution.
#[pyfunction]
pub(super) fn _substitutions(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    guarded(|| PyTuple::new(py, Substitution::ALL.map(Substitution::name)))
}

/// Returns a range of the bytes, repaired; `None` if they are valid.
fn repaired<'py>(
    bytes: &Bound<'py, PyBytes>,
    range: Range<usize>,
    replacement: Option<&Bound<'py, PyString>>,
    substitution: Substitution,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let py = bytes.py();
    let (start, length) = (range.start, range.len());
    let all = &bytes.as_bytes()[..range.end];
    let replacement = replacement.map(|replacement| encode(replacement, None)).transpose()?;
    if is_valid(py, &all[start..])? {
        return Ok(None);
    }
    let text = replacement.as_ref().map_or(REPLACEMENT.as_bytes(), |bytes| bytes.as_bytes());
    let replacement = Replacement { text, substitution };
    let repair = supervised(py, length, |progress| {
        MeasuredRepair::after(Implementation::active(), all, start, replacement, progress)
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
