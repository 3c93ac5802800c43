//! The class `IncrementalValidator`, and the function that the incremental decoder is built on.

use std::sync::Mutex;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyString};

use super::buffer::{Buffer, for_each_chunk};
use super::decode;
use super::errors::ErrorSpan;
use super::interpreter::guarded;

/// Decode a chunk of UTF-8 as codecs.utf_8_decode(data, errors, last) does; return the text and the number of bytes
/// consumed.
///
/// Unless it is the last chunk, a sequence that is incomplete at its end is not consumed.
#[pyfunction]
#[pyo3(signature = (data, errors = None, last = false, /))]
pub(super) fn _decode_prefix<'py>(
    data: &Bound<'py, PyAny>,
    errors: Option<&Bound<'py, PyAny>>,
    last: bool,
) -> PyResult<(Bound<'py, PyString>, usize)> {
    guarded(|| decode::decode_prefix(data, errors, last))
}

/// Validates data that arrives in chunks, cut anywhere, also inside a character.
///
/// update(data) validates the next chunk and returns whether all bytes so far can be the start of valid UTF-8; finish()
/// returns whether all of them are valid. Only the bytes of an incomplete character are kept.
///
/// >>> validator = leadbyte.IncrementalValidator()
/// >>> validator.update(b'\xe2\x82'), validator.pending
/// (True, b'\xe2\x82')
/// >>> validator.finish()
/// False
#[pyclass(frozen, module = "leadbyte")]
#[derive(Default)]
pub(super) struct IncrementalValidator(Mutex<State>);

#[derive(Clone, Default)]
struct State {
    validator: leadbyte::IncrementalValidator,
    finished: bool,
    /// The number of changes, by which concurrent updates are noticed.
    version: u64,
}

impl IncrementalValidator {
    fn with<T>(&self, py: Python<'_>, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.0.lock_py_attached(py).unwrap_or_else(|poisoned| poisoned.into_inner()))
    }
}

#[pymethods]
impl IncrementalValidator {
    #[new]
    fn new() -> PyResult<Self> {
        guarded(|| Ok(Self::default()))
    }

    /// Validate the next chunk; return whether all bytes so far can be the start of valid UTF-8.
    ///
    /// After an error further chunks are ignored. Raises ValueError after finish, until reset.
    #[pyo3(signature = (data, /))]
    fn update(&self, data: &Bound<'_, PyAny>) -> PyResult<bool> {
        guarded(|| {
            let py = data.py();
            let buffer = Buffer::of(data)?;
            loop {
                // Not locked while the interpreter may be detached, and a signal handler may use this very object.
                let mut next = self.with(py, |state| state.clone());
                if next.finished {
                    return Err(PyValueError::new_err(
                        "this IncrementalValidator has finished; reset it first",
                    ));
                }
                let version = next.version;
                for_each_chunk(py, buffer.as_slice(), |chunk| next.validator.update(chunk))?;
                next.version += 1;
                let valid = next.validator.error().is_none();
                // If another caller has updated it meanwhile, this chunk follows theirs.
                let taken = self.with(py, |state| {
                    let unchanged = state.version == version;
                    if unchanged {
                        *state = next;
                    }
                    unchanged
                });
                if taken {
                    return Ok(valid);
                }
            }
        })
    }

    /// Return whether all bytes are valid UTF-8: an incomplete character at their end is an error now.
    fn finish(&self, py: Python<'_>) -> PyResult<bool> {
        guarded(|| {
            Ok({
                self.with(py, |state| {
                    state.finished = true;
                    state.version += 1;
                    state.validator.finish()
                })
            })
        })
    }

    /// Reset to the initial state.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        guarded(|| {
            self.with(py, |state| *state = State { version: state.version + 1, ..State::default() });
            Ok(())
        })
    }

    /// The first error, or None; its offsets count from the start of the first chunk, in bytes.
    #[getter]
    fn error(&self, py: Python<'_>) -> Option<ErrorSpan> {
        self.with(py, |state| state.validator.error()).map(|error| ErrorSpan::new(error, &[], None))
    }

    /// The last bytes, up to three, if they are the start of a character that is not complete.
    #[getter]
    fn pending<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        self.with(py, |state| PyBytes::new(py, state.validator.pending()))
    }
}
