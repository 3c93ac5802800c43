//! The search for what programs that load JSON lines refuse, piece by piece.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyList};

use leadbyte::bindings::allocation::{AllocError, try_extend, try_push, try_push_str};
use leadbyte::bindings::jsonl::{Edit, Finding, JsonLines, Kind, Record, Replacement, edited};
use leadbyte::bindings::simd::Implementation;

use super::buffer::{Buffer, copied_bytes, detached};
use super::interpreter::guarded;
use super::list::{Int, list_of, tuple_of};
use super::shared::Exclusive;
use super::string::Text;
use super::work_error::memory_error;

/// A record with findings: its start, its line, the kind and the start of the first, its JSON Pointer, their number.
type InvalidRecord = (u64, u64, &'static str, u64, Option<String>, u64);

/// What of a state does not only grow.
struct Before {
    lines: JsonLines,
    found_count: usize,
    record_count: usize,
    last_record: Option<InvalidRecord>,
}

/// A search in JSON lines that come in pieces, cut anywhere; with a replacement, also their repair.
#[pyclass(frozen, name = "_JsonLines", module = "leadbyte._leadbyte")]
pub(super) struct JsonLinesSearch(Exclusive<State>);

struct State {
    lines: JsonLines,
    replacement: Option<Replacement>,
    limit: usize,
    /// The first findings, with their JSON Pointers and whether they are in keys.
    found: Vec<(Finding, Option<String>, bool)>,
    /// The records with findings that were not taken yet, if these are wanted.
    records: Option<Vec<InvalidRecord>>,
}

impl State {
    fn before(&self) -> Result<Before, AllocError> {
        let records = self.records.as_deref().unwrap_or_default();
        let copied = |&(start, line, kind, first, ref pointer, count): &InvalidRecord| {
            let mut copy = String::new();
            try_push_str(&mut copy, pointer.as_deref().unwrap_or_default())?;
            Ok((start, line, kind, first, pointer.is_some().then_some(copy), count))
        };
        Ok(Before {
            lines: self.lines.try_clone()?,
            found_count: self.found.len(),
            record_count: records.len(),
            last_record: records.last().map(copied).transpose()?,
        })
    }

    /// Makes a state as it was before a search.
    fn restore(&mut self, before: Before) {
        self.lines = before.lines;
        self.found.truncate(before.found_count);
        if let Some(records) = &mut self.records {
            // The search may have changed the last one.
            records.truncate(before.record_count.saturating_sub(1));
            records.extend(before.last_record);
        }
    }

    /// Searches a piece, or without one ends the text; returns the repaired text, `None` if it is the piece itself.
    fn search(&mut self, piece: Option<&[u8]>) -> Result<Option<Vec<u8>>, AllocError> {
        let Self { lines, replacement, limit, found, records } = self;
        let data = piece.unwrap_or_default();
        let start = lines.searched();
        let mut waiting = vec![];
        try_extend(&mut waiting, lines.waiting())?;
        let mut edits: Vec<Edit<'_>> = vec![];
        let mut take = |finding: &Finding, record: &Record| {
            if found.len() < *limit {
                try_push(found, (*finding, record.pointer()?, record.in_key()))?;
            }
            if let Some(records) = records {
                add_to(records, finding, record)?;
            }
            match replacement.as_ref().and_then(|replacement| replacement.of(finding)) {
                Some(text) => try_push(
                    &mut edits,
                    ((finding.start - start) as usize, (finding.end - start) as usize, text),
                ),
                None => Ok(()),
            }
        };
        match piece {
            Some(piece) => lines.update(piece, &mut take)?,
            None => lines.finish(&mut take)?,
        }
        let length = (lines.searched() - start) as usize;
        let is_unchanged = edits.is_empty() && waiting.is_empty() && length == data.len();
        if replacement.is_none() || is_unchanged {
            return Ok(None);
        }
        edited([&waiting, data], length, &edits).map(Some)
    }
}

/// Adds a finding to the records with findings; a byte order mark before a record counts only if there is no other.
fn add_to(records: &mut Vec<InvalidRecord>, finding: &Finding, record: &Record) -> Result<(), AllocError> {
    let start = finding.record_start;
    if let Some(last) = records.last_mut().filter(|last| last.0 == start) {
        if last.2 != Kind::Bom.name() {
            last.5 += 1;
            return Ok(());
        }
        records.pop();
    }
    try_push(records, (start, finding.line, finding.kind.name(), finding.start, record.pointer()?, 1))
}

impl JsonLinesSearch {
    /// Searches a piece, or without one ends the text. An exception has no effect on the state.
    fn search<'py>(&self, py: Python<'py>, piece: Option<&[u8]>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let length = piece.map_or(0, <[u8]>::len);
        self.0.with(py, |state| {
            let before = state.before().map_err(memory_error)?;
            let text =
                detached(py, length, |_| state.search(piece).map_err(|error| memory_error(error).into()))
                    .and_then(|text| text.map(|text| copied_bytes(py, &text)).transpose());
            if text.is_err() {
                state.restore(before);
            }
            text
        })
    }
}

/// Returns a JSON Pointer as an object.
fn pointer_object<'py>(py: Python<'py>, pointer: Option<&String>) -> PyResult<Bound<'py, PyAny>> {
    pointer.map(Text).into_bound_py_any(py)
}

#[pymethods]
impl JsonLinesSearch {
    #[new]
    #[pyo3(signature = (limit, /, *, replacement = None, records = false))]
    fn new(limit: usize, replacement: Option<&str>, records: bool) -> PyResult<Self> {
        guarded(|| {
            let replacement = replacement.map(|text| {
                Replacement::new(text).map_err(memory_error)?.ok_or_else(|| {
                    PyValueError::new_err(
                        "the replacement must not have quotation marks, backslashes or control characters",
                    )
                })
            });
            let state = State {
                lines: JsonLines::new(Implementation::active()),
                replacement: replacement.transpose()?,
                limit,
                found: vec![],
                records: records.then(Vec::new),
            };
            Ok(Self(Exclusive::new(state)))
        })
    }

    /// Search the piece that follows; return the repaired text so far, None if it is the piece itself. After an
    /// exception it was not searched.
    #[pyo3(signature = (data, /))]
    fn update<'py>(&self, data: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        guarded(|| self.search(data.py(), Some(Buffer::of(data)?.as_slice())))
    }

    /// End the text, whose last record may be incomplete; return the rest of the repaired text, or None.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        guarded(|| self.search(py, None))
    }

    /// The number of findings.
    #[getter]
    fn finding_count(&self, py: Python<'_>) -> PyResult<Int> {
        guarded(|| self.0.with(py, |state| Ok(Int(state.lines.finding_count()))))
    }

    /// The number of records with findings.
    #[getter]
    fn invalid_record_count(&self, py: Python<'_>) -> PyResult<Int> {
        guarded(|| self.0.with(py, |state| Ok(Int(state.lines.invalid_record_count()))))
    }

    /// Whether the last record is not complete.
    #[getter]
    fn is_truncated(&self, py: Python<'_>) -> PyResult<bool> {
        guarded(|| self.0.with(py, |state| Ok(state.lines.is_truncated())))
    }

    /// Return the first findings, at most as many as the limit, each with its kind, start and end, its line and column,
    /// its bytes, the JSON Pointer and whether it is in a key.
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        guarded(|| {
            self.0.with(py, |state| {
                let found = state.found.iter().map(|(finding, pointer, in_key)| {
                    let Finding { kind, start, end, line, column, .. } = *finding;
                    let [start, end, line, column] =
                        [start, end, line, column].map(|number| Int(number).into_bound_py_any(py));
                    tuple_of(
                        py,
                        [
                            Text(kind.name()).into_bound_py_any(py)?,
                            start?,
                            end?,
                            line?,
                            column?,
                            copied_bytes(py, finding.bytes())?.into_any(),
                            pointer_object(py, pointer.as_ref())?,
                            PyBool::new(py, *in_key).to_owned().into_any(),
                        ],
                    )
                });
                list_of(py, found.collect::<PyResult<Vec<_>>>()?)
            })
        })
    }

    /// Return the records with findings that were not returned before.
    fn take_records<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        guarded(|| {
            self.0.with(py, |state| {
                let Some(records) = &mut state.records else { return list_of::<Int>(py, []) };
                let objects = records.iter().map(|(start, line, kind, first, pointer, count)| {
                    let [start, line, first, count] =
                        [start, line, first, count].map(|number| Int(*number).into_bound_py_any(py));
                    let kind = Text(kind).into_bound_py_any(py)?;
                    tuple_of(py, [start?, line?, kind, first?, pointer_object(py, pointer.as_ref())?, count?])
                });
                let taken = list_of(py, objects.collect::<PyResult<Vec<_>>>()?)?;
                records.clear();
                Ok(taken)
            })
        })
    }
}
