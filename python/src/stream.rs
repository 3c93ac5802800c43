//! The class `IncrementalValidator`, and the function that the incremental decoder is built on.

use std::sync::Mutex;

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction, PyTuple};

use leadbyte::Utf8Error;
use leadbyte::bindings::location::LocationCounter;
use leadbyte::bindings::simd::Implementation;

use super::buffer::{Buffer, copied_bytes, for_each_chunk};
use super::decode;
use super::errors::ErrorSpan;
use super::fields::reduced;
use super::interpreter::guarded;
use super::list::{Int, tuple_of};
use super::location::Location;
use super::shared::locked;

/// The functions of this file that Python can call.
pub(super) fn exported<'py>(module: &Bound<'py, PyModule>) -> PyResult<Vec<Bound<'py, PyCFunction>>> {
    Ok(vec![wrap_pyfunction!(_decode_prefix, module)?])
}

/// Decode a chunk of UTF-8 as codecs.utf_8_decode(data, errors, last) does; return the text and the number of bytes
/// consumed.
///
/// Unless it is the last chunk, a sequence that is incomplete at its end is not consumed.
#[pyfunction]
#[pyo3(signature = (data, errors = None, last = false, /))]
pub(super) fn _decode_prefix<'py>(
    data: &Bound<'py, PyAny>,
    errors: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = PyAnyMethods::is_truthy)] last: bool,
) -> PyResult<Bound<'py, PyTuple>> {
    guarded(|| {
        let (text, length) = decode::decode_prefix(data, errors, last)?;
        tuple_of(data.py(), [text.into_any(), Int(length as u64).into_bound_py_any(data.py())?])
    })
}

/// Validates data that arrives in chunks, cut anywhere, also inside a character.
///
/// update(data) validates the next chunk and returns whether all bytes so far can be the start of valid UTF-8; finish()
/// returns whether all of them are valid. Only the bytes of an incomplete character are kept. With locations=True the
/// error has its location, for which lines and characters are counted as the chunks pass.
///
/// >>> validator = leadbyte.IncrementalValidator()
/// >>> validator.update(b'\xe2\x82'), validator.pending
/// (True, b'\xe2\x82')
/// >>> validator.finish()
/// False
#[pyclass(frozen, module = "leadbyte")]
#[derive(Default)]
pub(super) struct IncrementalValidator(Mutex<RunningValidator>);

#[derive(Clone, Default)]
struct RunningValidator {
    validator: leadbyte::IncrementalValidator,
    /// The counts of the data before the error, or before a character that is not complete, if locations were asked
    /// for.
    counter: Option<LocationCounter>,
    finished: bool,
    /// The number of changes, by which concurrent updates are noticed.
    version: u64,
}

impl RunningValidator {
    /// Validates the next bytes, and counts those before an error.
    fn update(&mut self, data: &[u8]) -> bool {
        let Some(counter) = &mut self.counter else { return self.validator.update(data) };
        if self.validator.error().is_some() {
            return false;
        }
        let mut pending = [0; Utf8Error::MAX_BYTES];
        let length = self.validator.pending().len();
        pending[..length].copy_from_slice(self.validator.pending());
        let before = self.validator.taken() - length as u64;
        let valid = self.validator.update(data);
        let settled = self.validator.taken() - self.validator.pending().len() as u64;
        let end = self.validator.error().map_or(settled, |error| error.start());
        let count = end.saturating_sub(before) as usize;
        let of_pending = count.min(length);
        for bytes in [&pending[..of_pending], data.get(..count - of_pending).unwrap_or_default()] {
            counter.advance_valid(Implementation::active(), bytes);
        }
        valid
    }

    fn error(&self) -> Option<ErrorSpan> {
        let location = self.counter.map(|counter| counter.location());
        self.validator.error().map(|error| ErrorSpan::new(error, &[], location))
    }
}

impl IncrementalValidator {
    fn with<T>(&self, py: Python<'_>, work: impl FnOnce(&mut RunningValidator) -> T) -> T {
        work(&mut locked(py, &self.0))
    }
}

#[pymethods]
impl IncrementalValidator {
    #[new]
    #[pyo3(signature = (*, locations = false))]
    fn new(locations: bool) -> PyResult<Self> {
        guarded(|| {
            let state = RunningValidator {
                counter: locations.then(LocationCounter::default),
                ..RunningValidator::default()
            };
            Ok(Self(Mutex::new(state)))
        })
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
                for_each_chunk(py, buffer.as_slice(), |chunk| next.update(chunk))?;
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
            self.with(py, |state| {
                let counter = state.counter.map(|_| LocationCounter::default());
                *state =
                    RunningValidator { counter, version: state.version + 1, ..RunningValidator::default() };
            });
            Ok(())
        })
    }

    /// The first error, or None; its offsets count from the start of the first chunk, in bytes.
    #[getter]
    fn error(&self, py: Python<'_>) -> Option<ErrorSpan> {
        self.with(py, |state| state.error())
    }

    #[staticmethod]
    fn _restore(
        taken: u64,
        pending: &[u8],
        error: Option<&Bound<'_, ErrorSpan>>,
        location: Option<&Bound<'_, Location>>,
        finished: bool,
    ) -> PyResult<Self> {
        guarded(|| {
            let wrong = || PyValueError::new_err("not the state of an IncrementalValidator");
            let error = error.map(|span| span.get().error);
            let validator =
                leadbyte::IncrementalValidator::from_state(taken, pending, error).ok_or_else(wrong)?;
            let end = error.map_or(taken, |error| error.start());
            let counter = match location {
                Some(location) => {
                    Some(LocationCounter::at(location.get().location(), end).ok_or_else(wrong)?)
                }
                None => None,
            };
            Ok(Self(Mutex::new(RunningValidator { validator, counter, finished, version: 0 })))
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        guarded(|| {
            let py = slf.py();
            let RunningValidator { validator, counter, finished, .. } =
                slf.get().with(py, |state| state.clone());
            let error = validator.error().map(|error| ErrorSpan::new(error, &[], None));
            let location = counter.map(|counter| Location::from(counter.location()));
            let pending = PyBytes::new(py, validator.pending());
            let state = (validator.taken(), pending, error, location, finished);
            reduced(slf.getattr("_restore")?, state)
        })
    }

    /// The last bytes, up to three, if they are the start of a character that is not complete.
    #[getter]
    fn pending<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.with(py, |state| copied_bytes(py, state.validator.pending()))
    }
}
