//! What is wrong gives way to something that is right: in bytes and in str.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use super::arguments::{Optional, text_argument};
use super::buffer::{copied_bytes, detached, new_bytes, snapshot};
use super::encode::{encode, first_run};
use super::functions::is_valid;
use super::interpreter::guarded;
use super::string::{Fill, Kind, Units, exact, new_str};
use crate::Implementation;
use crate::boundary::{CHUNK_BYTES, cut};
use crate::kernels::decode::Unit;
use crate::kernels::encode::{Source, pair};
use crate::repair::{REPLACEMENT, Repair, well_formed};
use crate::simd::uninit::{MaybeUninit, put};
use crate::stream::unfinished;

/// Valid UTF-8 of data: each error (maximal subpart) gives way to replacement, '' drops it.
///
/// The same object if data are bytes that are valid already. With the default it is what
/// data.decode('utf-8', 'replace').encode() gives. data: any bytes-like object with a contiguous buffer. Raises
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

/// The same for data that go on, unless they are the last: what is unfinished at their end is left. Returns the
/// valid UTF-8, and how many bytes it stands for.
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
        let finished = if last { all.len() } else { all.len() - unfinished(all) };
        let repaired = match repaired(&bytes, Some(replacement), finished)? {
            Some(repaired) => repaired,
            None if finished == all.len() => bytes,
            None => copied_bytes(data.py(), &all[..finished])?,
        };
        Ok((repaired, finished))
    })
}

/// The first `length` bytes, repaired; `None` if they are valid.
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
    let repair = detached(py, length, |poller| {
        Repair::of(Implementation::active(), data, replacement, |work| poller.advance(work))
    })?;
    let fill = |out: &mut [MaybeUninit<u8>]| {
        detached(py, length, |poller| repair.write(out, |work| poller.advance(work)))
    };
    // SAFETY: `write` writes as many bytes as it returns.
    unsafe { new_bytes(py, repair.length(), fill) }.map(Some)
}

/// The text without surrogates: pairs of them are joined, lone ones become U+FFFD.
///
/// The same object if there are none and it is exactly a str. So it is a text that UTF-8 can hold, and what a decoder
/// of UTF-16 makes of it.
///
/// >>> leadbyte.to_well_formed('\ud83d\ude00 \ud83d') == '\U0001f600 \ufffd'
/// True
#[pyfunction]
#[pyo3(signature = (text, /))]
pub(super) fn to_well_formed<'py>(text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    guarded(|| {
        let text = text_argument(text, "to_well_formed", "1")?;
        match Units::of(text)? {
            Units::Ascii(_) | Units::Latin1(_) => exact(text),
            Units::Ucs2(units) => joined(text, units),
            Units::Ucs4(units) => joined(text, units),
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

/// The units in pieces of about [`CHUNK_BYTES`]; none ends inside a pair of surrogates.
fn pieces<U: Source>(units: &[U]) -> impl Iterator<Item = &[U]> {
    cut(units, |rest| {
        let end = rest.len().min(CHUNK_BYTES);
        let pair = rest.get(end).is_some_and(|&next| pair(rest[end - 1].value(), next.value()).is_some());
        &rest[..end + usize::from(pair)]
    })
}

/// Code points that are written without surrogates.
struct WellFormed<'py, 'a, U> {
    py: Python<'py>,
    units: &'a [U],
}

// SAFETY: `put` writes as many units as it returns.
unsafe impl<S: Source> Fill for WellFormed<'_, '_, S> {
    type Failure = PyErr;

    fn fill<U: Unit>(self, out: &mut [MaybeUninit<U>]) -> PyResult<usize> {
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
