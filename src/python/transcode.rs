//! From one encoding to another, bytes to bytes.

use std::sync::Mutex;

use pyo3::exceptions::{PyTypeError, PyUnicodeDecodeError, PyUnicodeEncodeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyString};

use super::buffer::{copied_bytes, detached, new_bytes, snapshot};
use super::decode::decode_generalized;
use super::interpreter::{call_python, guarded};
use crate::allocation::sum;
use crate::simd::uninit::{MaybeUninit, put};
use crate::transcode::pipe::handling::Handling;
use crate::transcode::pipe::{Marking, Pipe, Stop, Way, encoding};

/// An encoding that is converted natively.
#[pyclass(frozen, module = "leadbyte._leadbyte", name = "_Encoding")]
pub(super) struct Encoding(encoding::Encoding);

#[pymethods]
impl Encoding {
    /// The encoding of Python's codec of this name, if it is one of Unicode or a part of it, else None.
    #[staticmethod]
    fn unicode(name: &str) -> PyResult<Option<Self>> {
        guarded(|| Ok(encoding::Encoding::unicode(name).map(Self)))
    }

    /// The single-byte encoding that has these characters for the bytes from 80 on, U+FFFE for those without; None if it
    /// cannot be handled like that.
    #[staticmethod]
    fn page(name: &str, high: &Bound<'_, PyString>) -> PyResult<Option<Self>> {
        guarded(|| {
            let high: Vec<Option<char>> = high
                .to_cow()?
                .chars()
                .map(|character| (character != '\u{FFFE}').then_some(character))
                .collect();
            Ok(high.try_into().ok().and_then(|high| encoding::Encoding::page(name, &high)).map(Self))
        })
    }

    /// The encoding of this label in the WHATWG's Encoding Standard, or None.
    #[staticmethod]
    fn whatwg(label: &str) -> PyResult<Option<Self>> {
        guarded(|| Ok(encoding::Encoding::whatwg(label).map(Self)))
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// A byte order mark in this encoding; empty if it has none.
    #[getter]
    fn mark<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.mark())
    }
}

/// A conversion that goes on from piece to piece.
#[pyclass(frozen, module = "leadbyte._leadbyte", name = "_Pipe")]
pub(super) struct Converter(Mutex<Option<State>>);

struct State {
    pipe: Pipe,
    /// The last bytes of what came, if a character is not finished with them.
    kept: Vec<u8>,
}

#[pymethods]
impl Converter {
    #[new]
    fn new(source: &Encoding, target: &Encoding, errors: &str, marking: Option<&str>) -> PyResult<Self> {
        guarded(|| State::new(source, target, errors, marking).map(|state| Self(Mutex::new(Some(state)))))
    }

    /// What the next bytes become; after the last there are no more. If that raises, nothing more is taken, either.
    #[pyo3(signature = (data, /, *, last))]
    fn feed<'py>(&self, data: &Bound<'py, PyAny>, last: bool) -> PyResult<Bound<'py, PyBytes>> {
        guarded(|| {
            let py = data.py();
            let data = snapshot(data)?;
            let lock = || self.0.lock_py_attached(py).unwrap_or_else(|poisoned| poisoned.into_inner());
            // Nobody else has it while the interpreter may be detached.
            let taken = lock().take();
            let Some(mut state) = taken else {
                return Err(PyValueError::new_err("this Transcoder has finished, has failed, or is at work"));
            };
            let bytes = state.feed(&data, last)?;
            if !last {
                *lock() = Some(state);
            }
            Ok(bytes)
        })
    }
}

/// What data in one encoding are in another.
#[pyfunction]
#[pyo3(signature = (data, source, target, errors, marking, /))]
pub(super) fn _transcode<'py>(
    data: &Bound<'py, PyAny>,
    source: &Encoding,
    target: &Encoding,
    errors: &str,
    marking: Option<&str>,
) -> PyResult<Bound<'py, PyBytes>> {
    guarded(|| State::new(source, target, errors, marking)?.feed(&snapshot(data)?, true))
}

impl State {
    fn new(source: &Encoding, target: &Encoding, errors: &str, marking: Option<&str>) -> PyResult<Self> {
        let handling = Handling::named(errors, name_of)
            .ok_or_else(|| PyValueError::new_err(format!("not a built-in error handler: {errors:?}")))?;
        let marking = match marking {
            None => Marking::Natural,
            Some("keep") => Marking::Keep,
            Some("strip") => Marking::Strip,
            Some("add") => Marking::Add,
            Some(other) => {
                return Err(PyValueError::new_err(format!("not a policy for byte order marks: {other:?}")));
            }
        };
        Ok(Self { pipe: Pipe::new(source.0.clone(), target.0.clone(), handling, marking), kept: vec![] })
    }

    fn feed<'py>(&mut self, data: &Bound<'py, PyBytes>, last: bool) -> PyResult<Bound<'py, PyBytes>> {
        let py = data.py();
        let data = match self.kept.is_empty() {
            true => data.clone(),
            false => joined(py, &self.kept, data.as_bytes())?,
        };
        self.kept.clear();
        let all = data.as_bytes();
        let Some((mark, start)) = self.pipe.begin(all, last) else {
            self.kept.extend_from_slice(all);
            return copied_bytes(py, b"");
        };
        let rest = &all[start..];
        if let Some(way) = self.pipe.way() {
            let whole = if last { rest } else { way.whole(rest) };
            if let Some(converted) = straight(py, way, whole, mark)? {
                self.kept.extend_from_slice(&rest[whole.len()..]);
                return Ok(converted);
            }
        }
        let mut out = mark.to_vec();
        let converted = detached(py, rest.len(), |poller| {
            Ok(self.pipe.convert::<PyErr>(rest, last, &mut out, |bytes| poller.advance(bytes)))
        })?;
        match converted {
            Ok(read) => {
                self.kept.extend_from_slice(&rest[read..]);
                copied_bytes(py, &out)
            }
            Err(stop) => Err(self.exception(&data, start, stop)),
        }
    }

    /// What is raised for what stops a conversion of `data` from `start` on.
    #[cold]
    fn exception(&self, data: &Bound<'_, PyBytes>, from: usize, stop: Stop<PyErr>) -> PyErr {
        let py = data.py();
        match stop {
            Stop::Wanted(error) => error,
            Stop::Broken { .. } if !self.pipe.handling().decodes() => {
                PyTypeError::new_err("don't know how to handle UnicodeDecodeError in error callback")
            }
            Stop::Broken { start, end, reason } => {
                let told = self.pipe.source_told();
                let object = match self.pipe.lately() {
                    [] => Ok(data.clone()),
                    lately => joined(py, lately, data.as_bytes()),
                };
                match object {
                    Ok(object) => PyUnicodeDecodeError::new_err((
                        told,
                        object.unbind(),
                        from + start,
                        from + end,
                        reason,
                    )),
                    Err(error) => error,
                }
            }
            Stop::Lacking { text, start, end, reason } => {
                let chars = crate::count_chars;
                let name = self.pipe.target().told.to_string();
                match copied_bytes(py, &text).and_then(|bytes| decode_generalized(&bytes)) {
                    Ok(object) => PyUnicodeEncodeError::new_err((
                        name,
                        object.unbind(),
                        chars(&text[..start]),
                        chars(&text[..end]),
                        reason,
                    )),
                    Err(error) => error,
                }
            }
        }
    }
}

/// What becomes of `data`, after a mark, if nothing stops it.
fn straight<'py>(
    py: Python<'py>,
    way: Way,
    data: &[u8],
    mark: &[u8],
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let measured = detached(py, data.len(), |poller| way.length(data, |bytes| poller.advance(bytes)))?;
    let Some(length) = measured else { return Ok(None) };
    let mut stopped = false;
    let fill = |out: &mut [MaybeUninit<u8>]| {
        let start = put(out, mark);
        let filled = detached(py, data.len(), |poller| {
            way.fill(data, &mut out[start..], |bytes| poller.advance(bytes))
        })?;
        stopped = filled.is_none();
        Ok(start + filled.unwrap_or(0))
    };
    // SAFETY: `put` writes as many bytes as it returns, and so does a conversion.
    let bytes = unsafe { new_bytes(py, sum(mark.len(), length)?, fill) };
    if stopped { Ok(None) } else { bytes.map(Some) }
}

/// New bytes, those of both.
fn joined<'py>(py: Python<'py>, first: &[u8], second: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let fill = |out: &mut [MaybeUninit<u8>]| {
        let start = put(out, first);
        Ok(start + put(&mut out[start..], second))
    };
    // SAFETY: `put` writes as many bytes as it returns.
    unsafe { new_bytes(py, sum(first.len(), second.len())?, fill) }
}

/// The name that the Unicode standard gives a character; none is known while the interpreter shuts down.
fn name_of(character: char) -> Option<String> {
    let name = |py: Python<'_>| {
        let name = py.import("unicodedata").ok()?.call_method1("name", (character,)).ok()?;
        name.extract().ok()
    };
    Python::try_attach(|py| call_python(|| name(py))).flatten()
}
