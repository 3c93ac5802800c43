//! The class `ErrorSpan`, the iterator over all errors, and the exceptions of decoding and encoding.

use std::ffi::CStr;
use std::hash::{Hash, Hasher};
use std::sync::Mutex;

use pyo3::exceptions::{PyUnicodeDecodeError, PyUnicodeEncodeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMemoryView, PyString, PyTuple};
use pyo3::{PyTraverseError, PyVisit};

use leadbyte::bindings::allocation::written;
use leadbyte::bindings::encodings::Fault;
use leadbyte::bindings::error_iter::ErrorSearch;
use leadbyte::bindings::location::LocationCounter;
use leadbyte::bindings::sequence::CHUNK_BYTES;
use leadbyte::bindings::simd::Implementation;
use leadbyte::{ErrorKind, Utf8Error};

use super::buffer::{Buffer, ItemPoller, copied_bytes, for_each_chunk, searched};
use super::fields::{self, reduced};
use super::interpreter::guarded;
use super::list::Int;
use super::location::Location;
use super::shared::locked;
use super::string::Text;
use super::work_error::{WorkError, memory_error};

/// An error: the bytes start to end are not UTF-8, with CPython's reason and a kind.
///
/// kind is one of unexpected_continuation, overlong, too_large, invalid_start, surrogate, truncated and
/// missing_continuation; data holds the invalid bytes, one to three; message is a sentence for people. location is None
/// unless locations were asked for.
#[pyclass(frozen, eq, hash, module = "leadbyte")]
pub(super) struct ErrorSpan {
    pub(super) error: Utf8Error,
    /// The bytes after it, as far as they are known, padded with zeros: a message names those that its lead byte
    /// announces, but they are not part of the error.
    following: [u8; MAX_FOLLOWING_BYTES],
    /// On the heap, so that other spans remain small: a larger object takes longer to make.
    location: Option<Box<leadbyte::Location>>,
}

/// The most bytes after an error that a message has: F5 to F7 announce three. Messages about longer forms name the lead
/// byte only.
const MAX_FOLLOWING_BYTES: usize = 3;

impl PartialEq for ErrorSpan {
    fn eq(&self, other: &Self) -> bool {
        (self.error, &self.location) == (other.error, &other.location)
    }
}

impl Eq for ErrorSpan {}

impl Hash for ErrorSpan {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.error, &self.location).hash(state);
    }
}

impl ErrorSpan {
    /// Makes the span of an error with the bytes after it, as far as they are known.
    pub(super) fn new(error: Utf8Error, after: &[u8], location: Option<leadbyte::Location>) -> Self {
        let mut following = [0; _];
        for (place, &byte) in following.iter_mut().zip(after) {
            *place = byte;
        }
        Self { error, following, location: location.map(Box::new) }
    }

    fn following(&self) -> &[u8] {
        self.error.continued(&self.following)
    }

    /// Returns the fields by name, with `data` as given, but the location, which not every span has.
    fn fields<'py>(&self, py: Python<'py>, data: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("start", self.start())?;
        dict.set_item("end", self.end())?;
        dict.set_item("reason", self.reason())?;
        dict.set_item("kind", self.kind())?;
        dict.set_item("data", data)?;
        Ok(dict)
    }
}

/// The name of UTF-8 in exceptions.
pub(super) const UTF8: &str = "utf-8";

/// Returns the exception that CPython's decoder of an encoding raises for an error in `bytes`.
#[cold]
pub(super) fn decode_exception<'py>(
    encoding: &'static str,
    bytes: &Bound<'py, PyBytes>,
    fault: Fault,
) -> PyResult<Bound<'py, PyAny>> {
    let Fault { start, end, reason } = fault;
    bytes.py().get_type::<PyUnicodeDecodeError>().call1((encoding, bytes, start, end, reason))
}

/// Returns the [`decode_exception`] as an error to raise.
#[cold]
pub(super) fn decode_error(encoding: &'static str, bytes: &Bound<'_, PyBytes>, fault: Fault) -> PyErr {
    decode_exception(encoding, bytes, fault).map_or_else(|failure| failure, PyErr::from_value)
}

/// CPython's reason why surrogates cannot be encoded.
pub(super) const SURROGATES: &CStr = c"surrogates not allowed";

/// Returns the exception that CPython's encoder of an encoding raises for a run of surrogates in `text`.
#[cold]
pub(super) fn encode_exception<'py>(
    encoding: &'static str,
    text: &Bound<'py, PyString>,
    (start, end): (usize, usize),
) -> PyResult<Bound<'py, PyAny>> {
    let reason = SURROGATES.to_str().unwrap_or_default();
    text.py().get_type::<PyUnicodeEncodeError>().call1((encoding, text, start, end, reason))
}

/// Returns the [`encode_exception`] as an error to raise.
#[cold]
pub(super) fn encode_error(encoding: &'static str, text: &Bound<'_, PyString>, run: (usize, usize)) -> PyErr {
    encode_exception(encoding, text, run).map_or_else(|failure| failure, PyErr::from_value)
}

#[pymethods]
impl ErrorSpan {
    /// The offset of the first invalid byte.
    #[getter]
    fn start(&self) -> Int {
        Int(self.error.start())
    }

    /// The offset after the last invalid byte.
    #[getter]
    fn end(&self) -> Int {
        Int(self.error.end())
    }

    /// The reason, as in UnicodeDecodeError.reason.
    #[getter]
    fn reason(&self) -> Text<&'static str> {
        Text(self.error.reason())
    }

    /// A sentence for people about the malformed character that starts here, 'overlong encoding of U+0031 "1"', with
    /// the continuation bytes after the error where they are known: in the results of iter_errors, not of chunks.
    #[getter]
    fn message(&self) -> PyResult<Text<String>> {
        written(|out| self.error.write_message(out, self.following())).map(Text).map_err(memory_error)
    }

    /// The kind of the error, by its name.
    #[getter]
    fn kind(&self) -> Text<&'static str> {
        Text(self.error.kind().name())
    }

    /// The invalid bytes, one to three.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        copied_bytes(py, self.error.bytes())
    }

    /// The Location of the first invalid byte if iter_errors was called with locations=True, else None.
    #[getter]
    pub(super) fn location(&self) -> Option<Location> {
        self.location.as_ref().map(|location| (**location).into())
    }

    /// Return the fields by name, for JSON, and the message: data as hexadecimal digits, 'e2 82', which bytes.fromhex
    /// reads. If there is a location, its fields are a dict, too.
    pub(super) fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        guarded(|| {
            let data = self.data(py)?.call_method1(intern!(py, "hex"), (" ",))?;
            let dict = self.fields(py, data)?;
            dict.set_item("message", self.message()?)?;
            if let Some(location) = self.location() {
                dict.set_item("location", location.as_dict(py)?)?;
            }
            Ok(dict)
        })
    }

    #[staticmethod]
    fn _restore(
        start: u64,
        kind: &str,
        data: &[u8],
        following: &[u8],
        location: Option<&Bound<'_, Location>>,
    ) -> PyResult<Self> {
        guarded(|| {
            let location = location.map(|location| location.get().location());
            let kind = ErrorKind::ALL.into_iter().find(|known| known.name() == kind);
            match kind {
                Some(kind) if (1..=Utf8Error::MAX_BYTES).contains(&data.len()) => {
                    Ok(Self::new(Utf8Error::new(start, kind, data), following, location))
                }
                _ => Err(PyValueError::new_err("not the state of an ErrorSpan")),
            }
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        guarded(|| {
            let this = slf.get();
            let following = copied_bytes(slf.py(), this.following())?;
            let state = (this.start(), this.kind(), this.data(slf.py())?, following, this.location());
            reduced(slf.getattr("_restore")?, state)
        })
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        guarded(|| {
            let fields = self.fields(py, self.data(py)?.into_any())?;
            if let Some(location) = self.location() {
                fields.set_item("location", location)?;
            }
            fields::repr("ErrorSpan", &fields)
        })
    }
}

/// The iterator that iter_errors returns.
#[pyclass(frozen, module = "leadbyte._leadbyte")]
pub(super) struct ErrorIterator {
    /// Exact bytes, or a memoryview, so that the memory is not moved.
    data: Py<PyAny>,
    /// Locked as a whole: the counter of another thread would count the bytes of an error as characters.
    state: Mutex<Found>,
    poller: ItemPoller,
}

/// How far an iterator is.
#[derive(Clone, Copy)]
struct Found {
    search: ErrorSearch,
    /// The counts of the data before the last error that was found, and of this, if locations were asked for.
    counter: Option<LocationCounter>,
}

/// Returns the bytes of data after an error in it.
fn after(data: &[u8], error: Utf8Error) -> &[u8] {
    data.get(error.end() as usize..).unwrap_or_default()
}

impl ErrorIterator {
    pub(super) fn over(data: &Bound<'_, PyAny>, locations: bool) -> PyResult<Self> {
        // Raises what all functions raise for an object that is not bytes-like.
        Buffer::of(data)?;
        let data = match data.cast_exact::<PyBytes>() {
            Ok(bytes) => bytes.clone().into_any(),
            Err(_) => PyMemoryView::from(data)?.into_any(),
        };
        let search = ErrorSearch::starting_at(Implementation::active(), 0);
        let counter = locations.then(LocationCounter::default);
        Ok(Self {
            data: data.unbind(),
            state: Mutex::new(Found { search, counter }),
            poller: ItemPoller::default(),
        })
    }
}

#[pymethods]
impl ErrorIterator {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<ErrorSpan>> {
        guarded(|| {
            self.poller.count(py)?;
            let data = self.data.bind(py);
            let buffer = Buffer::of(data)?;
            let immutable = data.is_exact_instance_of::<PyBytes>();
            let data = buffer.as_slice();
            let mut known = locked(py, &self.state);
            if immutable && known.counter.is_none() && known.search.is_next_known() {
                let error = known.search.next(data, &mut || Ok(())).map_err(WorkError::from)?;
                return Ok(error.map(|error| ErrorSpan::new(error, after(data, error), None)));
            }
            drop(known);
            loop {
                let Found { search: before, mut counter } = *locked(py, &self.state);
                let start = before.searched();
                let mut search = before;
                // Not locked: a signal's handler may ask this very iterator for its next error.
                let error = searched(py, data.len().saturating_sub(start), |progress| {
                    search = before;
                    search.next(data, &mut || progress(CHUNK_BYTES))
                })?;
                if !immutable {
                    // The validity of data that may change is not kept from call to call.
                    search = ErrorSearch::starting_at(Implementation::active(), search.searched());
                }
                let location = match (&mut counter, error) {
                    (Some(counter), Some(error)) => {
                        for_each_chunk(py, counter.rest(data, error.start()), |chunk| {
                            counter.advance_valid(Implementation::active(), chunk);
                            true
                        })?;
                        let location = counter.location();
                        counter.advance_error(&error);
                        Some(location)
                    }
                    _ => None,
                };
                let mut kept = locked(py, &self.state);
                // Else another caller has taken this error meanwhile.
                if kept.search.searched() == start {
                    *kept = Found { search, counter };
                    drop(kept);
                    return Ok(error.map(|error| ErrorSpan::new(error, after(data, error), location)));
                }
            }
        })
    }

    /// Visits the data. The iterator is immutable, so another member of a reference cycle must be cleared.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.data)
    }
}
