//! Repair of text that was decoded in the wrong encoding.

use std::cell::RefCell;

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction, PyDict, PyList, PyString};

use leadbyte::bindings::allocation::{AllocError, try_extend, try_push};
use leadbyte::bindings::kernels::Source;
use leadbyte::bindings::mojibake::{
    Blocks, Column, Fallback, Knowledge, LineEncoding, Stretch, explain_with, read_mixed_with,
};
use leadbyte::bindings::progress::{Poll, Stopped};
use leadbyte::bindings::simd::try_append;
use leadbyte::mojibake::{MixedLine, Repair};
use leadbyte::{count_chars, count_newlines};

use super::arguments::text_argument;
use super::buffer::{copied_bytes, detached, polled, snapshot};
use super::decode::decode_generalized;
use super::encode::{Utf8Target, encode_steps, length};
use super::interpreter::guarded;
use super::list::{each, extracted, list_of};
use super::shared::Exclusive;
use super::string::{Units, exact};
use super::transcode::Encoding;
use super::type_errors::wrong_type;
use super::work_error::memory_error;

/// The functions of this file that Python can call.
pub(super) fn exported<'py>(module: &Bound<'py, PyModule>) -> PyResult<Vec<Bound<'py, PyCFunction>>> {
    Ok(vec![
        wrap_pyfunction!(_read_mixed, module)?,
        wrap_pyfunction!(_undo_mojibake, module)?,
        wrap_pyfunction!(_undo_mojibake_of_column, module)?,
    ])
}

/// A repaired stretch: its start and end in characters; its first and last line; the encodings of the wrong decodings;
/// the number of sequences and of undamaged characters; the language; the cost in bits before and after.
type StretchFields = (
    (usize, usize),
    (usize, usize),
    Vec<(&'static str, &'static str)>,
    (usize, usize),
    Option<&'static str>,
    (f32, f32),
);

/// Return the repaired text and the fields of each repaired stretch; the text itself if there is none.
#[pyfunction]
#[pyo3(signature = (text, function, languages = None, /))]
pub(super) fn _undo_mojibake<'py>(
    text: &Bound<'py, PyAny>,
    function: &str,
    languages: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| {
        let text = text_argument(text, function, "1")?;
        undo(text, &knowledge(languages, function)?)?.into_bound_py_any(text.py())
    })
}

/// Return a list of the texts of an iterable, repaired as cells of one column. None stays None.
#[pyfunction]
#[pyo3(signature = (texts, languages, /))]
pub(super) fn _undo_mojibake_of_column<'py>(
    texts: &Bound<'py, PyAny>,
    languages: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    guarded(|| {
        let own = knowledge(languages, FUNCTION)?;
        // The column, and the kind of each cell that is not None.
        let state = RefCell::new((Column::new(own.clone()), vec![]));
        let cells = each(texts, FUNCTION, "repairing", "str", |item| {
            let (column, kinds) = &mut *state.borrow_mut();
            let kind = with_utf8(text_argument(item, FUNCTION, "1")?, |bytes, poll| {
                Ok(match leadbyte::validate(bytes) {
                    Ok(text) if column.add(text, poll)? => Cell::Suspicious,
                    Ok(_) => Cell::Clean,
                    Err(_) => Cell::Apart,
                })
            })?;
            try_push(kinds, kind.unwrap_or(Cell::Ascii)).map_err(memory_error)?;
            Ok(item.clone())
        })?;
        let (column, kinds) = state.into_inner();
        let knowledge = polled(texts.py(), usize::MAX, |poll| column.finish(poll))?;
        let kinds = RefCell::new(kinds.into_iter());
        // Columns repeat cells.
        let repaired = PyDict::new(texts.py());
        each(&cells, FUNCTION, "repairing", "str", |cell| {
            let text = text_argument(cell, FUNCTION, "1")?;
            let knowledge = match kinds.borrow_mut().next() {
                Some(Cell::Ascii) => return exact(text),
                Some(Cell::Clean) if !knowledge.has_damage() => return exact(text),
                Some(Cell::Apart) => &own,
                _ => &knowledge,
            };
            let text = exact(text)?;
            if let Some(known) = repaired.get_item(&text)? {
                return Ok(if known.eq(&text)? { text } else { known.cast_into()? });
            }
            let (new, _) = undo(&text, knowledge)?;
            repaired.set_item(&text, &new)?;
            Ok(new)
        })
    })
}

/// A cell of a column.
enum Cell {
    Ascii,
    Clean,
    /// It has traces of damage.
    Suspicious,
    /// It has lone surrogates: it is repaired as if it were the only one.
    Apart,
}

/// The name of the function in messages about its arguments.
const FUNCTION: &str = "repair_many";

/// Returns the knowledge about a text in these languages. Raises ValueError for a tag that is not known.
pub(super) fn knowledge(languages: Option<&Bound<'_, PyAny>>, function: &str) -> PyResult<Knowledge> {
    let Some(languages) = languages else { return Ok(Knowledge::default()) };
    if languages.is_instance_of::<PyString>() {
        return Err(wrong_type(languages, function, "'languages'", "an iterable of str"));
    }
    let tags = extracted(languages, |tag| {
        let tag = text_argument(tag, function, "'languages'")?;
        Ok(tag.to_string_lossy().into_owned())
    })?;
    Knowledge::of_languages(&tags).map_err(|unknown| PyValueError::new_err(unknown.to_string()))
}

/// Returns the result of `work` on a text in generalized UTF-8, and a function that polls; `None` for ASCII.
fn with_utf8<T: Send>(
    text: &Bound<'_, PyString>,
    work: impl FnOnce(&[u8], Poll<'_>) -> Result<T, Stopped> + Send,
) -> PyResult<Option<T>> {
    match Units::of(text)? {
        Units::Ascii(_) => Ok(None),
        Units::Latin1(units) => with_utf8_of(text.py(), units, work).map(Some),
        Units::Ucs2(units) => with_utf8_of(text.py(), units, work).map(Some),
        Units::Ucs4(units) => with_utf8_of(text.py(), units, work).map(Some),
    }
}

fn with_utf8_of<U: Source, T: Send>(
    py: Python<'_>,
    units: &[U],
    work: impl FnOnce(&[u8], Poll<'_>) -> Result<T, Stopped> + Send,
) -> PyResult<T> {
    let length = length(py, units, Utf8Target)?;
    detached(py, length, |poller| {
        let mut bytes = vec![];
        let mut encoded = Ok(());
        try_append(&mut bytes, length, |out| {
            let written = encode_steps(units, Utf8Target, out, poller).map(|encoded| encoded.written);
            written.map_err(|error| encoded = Err(error)).ok()
        })
        .map_err(memory_error)?;
        encoded?;
        poller.polled(|poll| work(&bytes, poll))
    })
}

fn undo<'py>(
    text: &Bound<'py, PyString>,
    knowledge: &Knowledge,
) -> PyResult<(Bound<'py, PyString>, Bound<'py, PyList>)> {
    let py = text.py();
    let repaired = with_utf8(text, |bytes, poll| Repaired::of(bytes, knowledge, poll))?;
    match repaired.filter(|repaired| !repaired.stretches.is_empty()) {
        Some(Repaired { bytes, stretches, .. }) => {
            Ok((decode_generalized(&copied_bytes(py, &bytes)?)?, list_of(py, stretches)?))
        }
        None => Ok((exact(text)?, PyList::empty(py))),
    }
}

/// A repaired text in generalized UTF-8.
#[derive(Default)]
struct Repaired {
    bytes: Vec<u8>,
    stretches: Vec<StretchFields>,
    /// The number of characters and lines so far.
    chars: usize,
    lines: usize,
}

impl Repaired {
    /// Repairs the parts of a text between surrogates.
    fn of(bytes: &[u8], knowledge: &Knowledge, poll: Poll<'_>) -> Result<Self, Stopped> {
        let mut repaired = Self::default();
        for chunk in bytes.utf8_chunks() {
            let text = chunk.valid();
            repaired.push(text, &explain_with(text, knowledge, poll)?)?;
            try_extend(&mut repaired.bytes, chunk.invalid())?;
            // The three bytes of a surrogate are three chunks.
            repaired.chars += usize::from(chunk.invalid().first() == Some(&0xED));
        }
        Ok(repaired)
    }

    /// Adds the next part of the text, as it was and as repaired.
    fn push(&mut self, text: &str, repair: &Repair<'_>) -> Result<(), AllocError> {
        try_extend(&mut self.bytes, repair.text.as_bytes())?;
        let mut at = 0;
        for stretch in &repair.stretches {
            self.advance(&text[at..stretch.bytes.start]);
            let start = (self.chars, self.lines);
            self.advance(&text[stretch.bytes.clone()]);
            at = stretch.bytes.end;
            self.add(stretch, start)?;
        }
        self.advance(&text[at..]);
        Ok(())
    }

    fn advance(&mut self, text: &str) {
        self.chars += count_chars(text.as_bytes());
        self.lines += count_newlines(text.as_bytes());
    }

    fn add(&mut self, stretch: &Stretch, (start, lines): (usize, usize)) -> Result<(), AllocError> {
        let last = lines + stretch.lines.end() - stretch.lines.start();
        let mut readings = vec![];
        for reading in &stretch.readings {
            try_push(&mut readings, (reading.encoding, reading.misread_as))?;
        }
        let fields = (
            (start, self.chars),
            (lines + 1, last + 1),
            readings,
            (stretch.sequences, stretch.undamaged),
            stretch.language,
            stretch.bits,
        );
        try_push(&mut self.stretches, fields)
    }
}

/// The fields of a line in another encoding: its number, the encoding, and whether only a part of it is in that.
fn fields(line: MixedLine) -> (usize, &'static str, bool) {
    (line.line, line.encoding, line.in_parts)
}

/// Return the text of data whose lines are UTF-8 or in other encodings, and the fields of the others.
/// With a fallback they are in that encoding and not numbered; ValueError if it is a form of Unicode or lacks ASCII.
#[pyfunction]
#[pyo3(signature = (data, fallback = None, /))]
pub(super) fn _read_mixed<'py>(
    data: &Bound<'py, PyAny>,
    fallback: Option<&Encoding>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| {
        let py = data.py();
        let fallback = fallback.map(|encoding| Fallback::of(encoding.encoding()).ok_or(encoding)).transpose();
        let fallback = fallback.map_err(|encoding| {
            let name = &encoding.encoding().name;
            PyValueError::new_err(format!(
                "fallback must be a legacy encoding that contains ASCII, not {name}"
            ))
        })?;
        let bytes = snapshot(data)?;
        let bytes = bytes.as_bytes();
        let (text, others) =
            polled(py, bytes.len(), |poll| read_mixed_with(bytes, fallback, &mut None, poll))?;
        let others = list_of(py, others.into_iter().map(fields))?;
        (decode_generalized(&copied_bytes(py, text.as_bytes())?)?, others).into_bound_py_any(py)
    })
}

/// Repairs a text block by block, with the result of the whole text, but for lines of megabytes. An exception ends it.
#[pyclass(frozen, module = "leadbyte._leadbyte", name = "_MojibakeBlocks")]
pub(super) struct MojibakeBlocks(Exclusive<BlocksState>);

struct BlocksState {
    blocks: Blocks,
    /// The encoding of the last line that was not UTF-8.
    encoding: Option<LineEncoding>,
    /// The characters and lines of the blocks before.
    before: Repaired,
}

impl MojibakeBlocks {
    /// Runs work on the state, which is lost if it fails.
    fn advance<T>(&self, py: Python<'_>, work: impl FnOnce(&mut BlocksState) -> PyResult<T>) -> PyResult<T> {
        self.0.advance(py, "this repair has failed, or is at work", |mut state| {
            let result = work(&mut state)?;
            Ok((result, Some(state)))
        })
    }
}

#[pymethods]
impl MojibakeBlocks {
    #[new]
    #[pyo3(signature = (languages, /))]
    fn new(languages: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        guarded(|| {
            let blocks = Blocks::new(&knowledge(languages, "repair")?);
            let state = BlocksState { blocks, encoding: None, before: Repaired::default() };
            Ok(Self(Exclusive::new(state)))
        })
    }

    /// Return the next lines as UTF-8, and the fields of those that were not; the number of the first line is 1.
    fn read<'py>(&self, lines: &Bound<'py, PyBytes>) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| {
            let (py, bytes) = (lines.py(), lines.as_bytes());
            let (text, others) = self.advance(py, |state| {
                polled(py, bytes.len(), |poll| read_mixed_with(bytes, None, &mut state.encoding, poll))
            })?;
            let others = list_of(py, others.into_iter().map(fields))?;
            (copied_bytes(py, text.as_bytes())?, others).into_bound_py_any(py)
        })
    }

    /// Repair all blocks of UTF-8 that are complete; return their text, the fields of each stretch, and their length in
    /// bytes. The rest must be at the start of the next call; is_last ends the text.
    fn repair<'py>(&self, text: &Bound<'py, PyBytes>, is_last: bool) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| {
            let (py, bytes) = (text.py(), text.as_bytes());
            let text = leadbyte::validate(bytes)
                .map_err(|error| PyValueError::new_err(format!("not UTF-8 at byte {}", error.start())))?;
            let (repaired, stretches, done) =
                self.advance(py, |state| polled(py, bytes.len(), |poll| state.repair(text, is_last, poll)))?;
            (copied_bytes(py, &repaired)?, list_of(py, stretches)?, done).into_bound_py_any(py)
        })
    }
}

impl BlocksState {
    fn repair(
        &mut self,
        text: &str,
        is_last: bool,
        poll: Poll<'_>,
    ) -> Result<(Vec<u8>, Vec<StretchFields>, usize), Stopped> {
        let mut done = 0;
        while let Some(length) = Blocks::length(&text[done..], is_last) {
            let block = &text[done..done + length];
            let repair = self.blocks.repair(block, poll)?;
            self.before.push(block, &repair)?;
            done += length;
        }
        let Repaired { bytes, stretches, .. } = &mut self.before;
        Ok((std::mem::take(bytes), std::mem::take(stretches), done))
    }
}
