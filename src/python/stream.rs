//! The class `IncrementalValidator`, and what the incremental decoder is made of.

use std::sync::Mutex;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyString};

use super::buffer::{Buffer, for_each_chunk};
use super::decode;
use super::errors::ErrorSpan;
use super::interpreter::guarded;

/// What codecs.utf_8_decode(data, errors, final) gives or raises: a text, and how many bytes it stands for.
///
/// Unless they are the last, a character that is unfinished at the end of data is left.
#[pyfunction]
#[pyo3(signature = (data, errors = None, last = false, /))]
pub(super) fn _decode_prefix<'py>(
    data: &Bound<'py, PyAny>,
    errors: Option<&Bound<'py, PyAny>>,
    last: bool,
) -> PyResult<(Bound<'py, PyString>, usize)> {
    guarded(|| decode::decode_prefix(data, errors, last))
}

/// Says of text that arrives in pieces, cut anywhere, whether it is UTF-8.
///
/// update(data) takes what follows and returns whether all so far can be the start of a text; finish() returns
/// whether all of it is one. Nothing is kept but the bytes of an unfinished character.
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
    validator: crate::IncrementalValidator,
    finished: bool,
    /// How often it was changed.
    turn: u64,
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

    /// Take the bytes that follow; return whether all so far can be the start of a text. After an error nothing
    /// more is taken.
    ///
    /// Raises ValueError after finish, until reset.
    #[pyo3(signature = (data, /))]
    fn update(&self, data: &Bound<'_, PyAny>) -> PyResult<bool> {
        guarded(|| {
            let py = data.py();
            let buffer = Buffer::of(data)?;
            loop {
                // Not locked while the interpreter may be detached, and a signal's handler may ask for this very one.
                let mut next = self.with(py, |state| state.clone());
                if next.finished {
                    return Err(PyValueError::new_err(
                        "this IncrementalValidator has finished; reset it first",
                    ));
                }
                let turn = next.turn;
                for_each_chunk(py, buffer.as_slice(), |step| next.validator.update(step))?;
                next.turn += 1;
                let valid = next.validator.error().is_none();
                // If somebody else had a turn meanwhile, this piece follows theirs.
                let taken = self.with(py, |state| {
                    let unchanged = state.turn == turn;
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

    /// Return whether all that was taken is a text: a character that is unfinished now is an error.
    fn finish(&self, py: Python<'_>) -> PyResult<bool> {
        guarded(|| {
            Ok({
                self.with(py, |state| {
                    state.finished = true;
                    state.turn += 1;
                    state.validator.finish()
                })
            })
        })
    }

    /// Forget all: what follows is another text.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        guarded(|| {
            self.with(py, |state| *state = State { turn: state.turn + 1, ..State::default() });
            Ok(())
        })
    }

    /// The first error, or None; its offsets count from the start of the text, in bytes.
    #[getter]
    fn error(&self, py: Python<'_>) -> Option<ErrorSpan> {
        self.with(py, |state| state.validator.error()).map(ErrorSpan::new)
    }

    /// The last bytes taken, if they start a character that is not finished: up to three.
    #[getter]
    fn pending<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        self.with(py, |state| PyBytes::new(py, state.validator.pending()))
    }
}
