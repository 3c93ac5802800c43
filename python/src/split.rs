//! Splitting bytes-like objects: the offsets of equal parts, and views of chunks.

use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction, PyList, PyMemoryView};
use pyo3::{PyTraverseError, PyVisit, intern};

use leadbyte::bindings::cut::{Boundary, ChunkCutter, MIN_CHUNK_BYTES, Utf8Text, points};
use leadbyte::bindings::sequence::{MAX_BYTES_TO_LEAD, is_continuation};
use leadbyte::bindings::unicode::{ClusterWalk, independent_start};

use super::arguments::{Optional, choice_argument, number_argument};
use super::buffer::{Buffer, ItemPoller, supervised};
use super::interpreter::guarded;
use super::list::{Int, list_of, slice_of};
use super::shared::locked;

/// The functions of this file that Python can call.
pub(super) fn exported<'py>(module: &Bound<'py, PyModule>) -> PyResult<Vec<Bound<'py, PyCFunction>>> {
    Ok(vec![
        wrap_pyfunction!(_floor_cluster, module)?,
        wrap_pyfunction!(_split_points, module)?,
        wrap_pyfunction!(chunks, module)?,
    ])
}

const BOUNDARIES: [(&str, Boundary); 3] =
    [("char", Boundary::Char), ("line", Boundary::Line), ("grapheme", Boundary::Grapheme)];

/// Return n + 1 offsets that split data into parts of about equal sizes.
#[pyfunction]
#[pyo3(signature = (data, n, boundary, /))]
pub(super) fn _split_points<'py>(
    data: &Bound<'py, PyAny>,
    n: &Bound<'py, PyAny>,
    boundary: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyList>> {
    guarded(|| {
        let n = number_argument(n, "n", 1)?;
        let boundary = choice_argument(boundary, "split_points", "boundary", &BOUNDARIES)?;
        let buffer = Buffer::of(data)?;
        let bytes = buffer.as_slice();
        // Many points take as long as many bytes.
        let work = bytes.len().max(n);
        let points = supervised(data.py(), work, |progress| points(bytes, n, boundary, progress))?;
        list_of(data.py(), points.into_iter().map(|point| Int(point as u64)))
    })
}

/// Return the last cluster boundary up to an offset, and the walk to there: a state, and the start of the cluster of
/// the last character. Offsets may be before the window.
///
/// window: some of the data; it includes the character at `to`, where a character starts. walk: the walk to the start
/// of the window, whose state is None at the start of the data; or None if it is not known, then the result may be
/// None, too.
#[pyfunction]
#[pyo3(signature = (window, to, walk, /))]
pub(super) fn _floor_cluster(
    window: &Bound<'_, PyBytes>,
    to: usize,
    walk: Option<(Option<u8>, i64)>,
) -> PyResult<Option<(i64, u8, i64)>> {
    guarded(|| {
        let text = Utf8Text(window.as_bytes());
        supervised(window.py(), text.0.len(), |mut progress| {
            let (mut walk, before) = match walk {
                Some((state, start)) => (ClusterWalk::continuing(state), start),
                None => {
                    // The first bytes may belong to a character that starts before the window.
                    let first =
                        text.0.iter().take(MAX_BYTES_TO_LEAD).position(|&byte| !is_continuation(byte));
                    let from = first.unwrap_or(MAX_BYTES_TO_LEAD);
                    match independent_start(text, from, to, &mut progress)? {
                        Some(start) => (ClusterWalk::starting_at(start), 0),
                        None => return Ok(None),
                    }
                }
            };
            let offset = |found: Option<usize>| found.map_or(before, |found| found as i64);
            let floor = offset(walk.floor(text, to, &mut progress)?);
            Ok(Some((floor, walk.state(), offset(walk.start()))))
        })
    })
}

/// Return an iterator of memoryviews: data in chunks of at most max_bytes, each as long as possible.
///
/// Nothing is copied; joined, the chunks are data. The iterator holds data's buffer, so a bytearray cannot be resized
/// until it and the views are dropped.
///
/// data: any bytes-like object with a contiguous buffer, as an mmap of a file; it need not be UTF-8.
/// max_bytes: raises ValueError if it is less than 4, the length of the longest character.
/// boundary: where data is cut. 'char': between characters, by floor_boundary; 'line': after line feeds, so that CR LF
/// stays whole (a CR alone ends no line); 'grapheme': between extended grapheme clusters (UAX 29), in which an error
/// counts as U+FFFD does. A line or a cluster that is longer than max_bytes is cut between characters.
///
/// >>> [bytes(chunk) for chunk in leadbyte.chunks(b'one\ntwo\nthree\n', 9, boundary='line')]
/// [b'one\ntwo\n', b'three\n']
/// >>> leadbyte.chunks(b'text', 3)
/// Traceback (most recent call last):
/// ValueError: max_bytes must be at least 4, not 3
#[pyfunction]
#[pyo3(
    signature = (data, max_bytes, /, *, boundary = Optional(None)),
    text_signature = "(data, max_bytes, /, *, boundary='char')"
)]
pub(super) fn chunks<'py>(
    data: &Bound<'py, PyAny>,
    max_bytes: &Bound<'py, PyAny>,
    boundary: Optional<'py>,
) -> PyResult<ChunkIterator> {
    guarded(|| {
        let max_bytes = number_argument(max_bytes, "max_bytes", MIN_CHUNK_BYTES)?;
        let boundary = boundary.0.map(|name| choice_argument(&name, "chunks", "boundary", &BOUNDARIES));
        let cutter = ChunkCutter::new(max_bytes, boundary.transpose()?.unwrap_or_default());
        Ok(ChunkIterator {
            view: view_of_bytes(data)?.unbind(),
            cutter: Mutex::new(cutter),
            poller: ItemPoller::default(),
        })
    })
}

/// Returns a memoryview of the bytes of an object.
pub(super) fn view_of_bytes<'py>(data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    // Raises what all functions raise for an object that is not bytes-like.
    let empty = Buffer::of(data)?.as_slice().is_empty();
    let py = data.py();
    if empty {
        return Ok(PyMemoryView::from(&PyBytes::new(py, b""))?.into_any());
    }
    PyMemoryView::from(data)?.call_method1(intern!(py, "cast"), ("B",))
}

/// The iterator that chunks returns.
#[pyclass(frozen, module = "leadbyte._leadbyte")]
pub(super) struct ChunkIterator {
    /// A memoryview of bytes, so that the memory is not moved.
    view: Py<PyAny>,
    cutter: Mutex<ChunkCutter>,
    poller: ItemPoller,
}

#[pymethods]
impl ChunkIterator {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        guarded(|| {
            self.poller.count(py)?;
            let lock = || locked(py, &self.cutter);
            let view = self.view.bind(py);
            let buffer = Buffer::of(view)?;
            let data = buffer.as_slice();
            let mut before = *lock();
            loop {
                // Not locked: a signal's handler may ask this very iterator for its next chunk.
                let start = before.start();
                let work = data.len().saturating_sub(start).min(before.max_bytes());
                let (cutter, end) = supervised(py, work, |progress| {
                    let mut cutter = before;
                    let end = cutter.next(data, progress)?;
                    Ok((cutter, end))
                })?;
                let mut kept = lock();
                if kept.start() == start {
                    *kept = cutter;
                    drop(kept);
                    let Some(end) = end else { return Ok(None) };
                    return slice_of(view, start, end).map(Some);
                }
                // Another caller has taken this chunk meanwhile.
                before = *kept;
            }
        })
    }

    /// Visits the data. The iterator is immutable, so another member of a reference cycle must be cleared.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.view)
    }
}
