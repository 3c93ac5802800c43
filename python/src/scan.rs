//! The classes `Scan` and `Scanner`.

use std::sync::Mutex;

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};

use super::buffer::{Buffer, polled};
use super::errors::ErrorSpan;
use super::fields::{self, reduced};
use super::interpreter::guarded;
use super::list::Int;
use super::shared::locked;
use super::string::Text;
use super::type_errors::wrong_type;

/// Extracts a number of threads; 0 means one for each core. Raises ValueError for a negative number.
pub(super) fn threads_argument(threads: &Bound<'_, PyAny>) -> PyResult<usize> {
    let wrong = |given: String| {
        PyValueError::new_err(format!("threads must be a positive number, or 0 for one per core{given}"))
    };
    match threads.extract::<i64>() {
        Err(error) if error.is_instance_of::<PyOverflowError>(threads.py()) => Err(wrong(String::new())),
        Err(error) => Err(error),
        Ok(number) => usize::try_from(number).map_err(|_| wrong(format!(", not {number}"))),
    }
}

pub(super) fn scan_with<'py>(py: Python<'py>, data: &[u8], threads: usize) -> PyResult<Bound<'py, Scan>> {
    Bound::new(py, Scan(scanner_over(py, data, threads, 1)?.finish()))
}

/// Returns a scanner that has scanned `data` and keeps the first `errors` errors.
fn scanner_over(py: Python<'_>, data: &[u8], threads: usize, errors: usize) -> PyResult<leadbyte::Scanner> {
    polled(py, data.len(), |poll| {
        let mut scanner = leadbyte::Scanner::keeping(errors);
        scanner.update_with(data, threads, poll)?;
        Ok(scanner)
    })
}

/// What scan finds: counts, validity and the first error.
#[pyclass(frozen, eq, hash, module = "leadbyte")]
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Scan(leadbyte::Scan);

impl Scan {
    /// Returns the fields by name.
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("byte_count", self.byte_count())?;
        dict.set_item("char_count", self.char_count())?;
        dict.set_item("utf16_count", self.utf16_count())?;
        dict.set_item("newline_count", self.newline_count())?;
        dict.set_item("ascii", self.ascii())?;
        dict.set_item("max_char_width", self.max_char_width())?;
        dict.set_item("bom", self.bom())?;
        dict.set_item("valid", self.valid())?;
        dict.set_item("error", self.error())?;
        dict.set_item("error_count", self.error_count())?;
        Ok(dict)
    }
}

#[pymethods]
impl Scan {
    /// The length in bytes.
    #[getter]
    fn byte_count(&self) -> Int {
        Int(self.0.byte_count)
    }

    /// The number of characters, counted by their lead bytes, as by count_chars.
    #[getter]
    fn char_count(&self) -> Int {
        Int(self.0.char_count)
    }

    /// The number of UTF-16 code units, as counted by count_utf16.
    #[getter]
    fn utf16_count(&self) -> Int {
        Int(self.0.utf16_count)
    }

    /// The number of line feeds.
    #[getter]
    fn newline_count(&self) -> Int {
        Int(self.0.newline_count)
    }

    /// Whether every byte is below 0x80.
    #[getter]
    fn ascii(&self) -> bool {
        self.0.ascii
    }

    /// The maximum length in bytes that a lead byte announces, 1 to 4; 0 if there is no lead byte.
    #[getter]
    fn max_char_width(&self) -> u8 {
        self.0.max_char_width
    }

    /// Whether the bytes begin with a byte order mark, EF BB BF.
    #[getter]
    fn bom(&self) -> bool {
        self.0.bom
    }

    /// Whether the bytes are UTF-8.
    #[getter]
    fn valid(&self) -> bool {
        self.0.valid
    }

    /// The first error, with its location, or None.
    #[getter]
    fn error(&self) -> Option<ErrorSpan> {
        self.0.error.map(|error| ErrorSpan::new(error, &[], self.0.error_location))
    }

    /// The number of errors, as iterated by iter_errors.
    #[getter]
    fn error_count(&self) -> Int {
        Int(self.0.error_count)
    }

    /// Return the fields by name, for JSON; error as the dict of its as_dict().
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        guarded(|| {
            let dict = self.fields(py)?;
            if let Some(error) = self.error() {
                dict.set_item("error", error.as_dict(py)?)?;
            }
            Ok(dict)
        })
    }

    #[staticmethod]
    fn _restore(fields: &Bound<'_, PyDict>) -> PyResult<Self> {
        guarded(|| {
            let field = |name| fields.as_any().get_item(name);
            let error: Option<Bound<'_, ErrorSpan>> = field("error")?.extract()?;
            Ok(Self(leadbyte::Scan {
                byte_count: field("byte_count")?.extract()?,
                char_count: field("char_count")?.extract()?,
                utf16_count: field("utf16_count")?.extract()?,
                newline_count: field("newline_count")?.extract()?,
                ascii: field("ascii")?.extract()?,
                max_char_width: field("max_char_width")?.extract()?,
                bom: field("bom")?.extract()?,
                valid: field("valid")?.extract()?,
                error: error.as_ref().map(|span| span.get().error),
                error_location: error.and_then(|span| span.get().location().map(|found| found.location())),
                error_count: field("error_count")?.extract()?,
            }))
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        guarded(|| reduced(slf.getattr("_restore")?, (slf.get().fields(slf.py())?,)))
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        guarded(|| fields::repr("Scan", &self.fields(py)?))
    }
}

/// A mergeable fold: takes data in chunks of any size, cut anywhere, and returns the Scan of the whole.
///
/// update(data) scans the data that follows; merge(other) merges what other has scanned, as the data that follows;
/// finish() returns the Scan. A Scanner can be pickled, so that parts can be scanned in other processes.
///
/// >>> scanner = leadbyte.Scanner()
/// >>> scanner.update(b'\xe2\x82')
/// >>> scanner.update(b'\xac')
/// >>> scanner.finish().char_count
/// 1
#[pyclass(frozen, module = "leadbyte")]
pub(super) struct Scanner(Mutex<RunningScanner>);

#[derive(Clone)]
struct RunningScanner {
    scanner: leadbyte::Scanner,
    finished: bool,
}

impl Scanner {
    fn new_keeping(errors: usize) -> Self {
        Self::of(leadbyte::Scanner::keeping(errors))
    }

    /// Returns a scanner that may scan the data that follows.
    pub(super) fn of(scanner: leadbyte::Scanner) -> Self {
        Self(Mutex::new(RunningScanner { scanner, finished: false }))
    }

    fn with<T>(&self, py: Python<'_>, work: impl FnOnce(&mut RunningScanner) -> T) -> T {
        work(&mut locked(py, &self.0))
    }

    /// Merges the data that follows; raises ValueError if the scanner has finished.
    fn add(&self, py: Python<'_>, next: &leadbyte::Scanner) -> PyResult<()> {
        self.with(py, |state| {
            if state.finished {
                return Err(PyValueError::new_err("this Scanner has finished; start a new one"));
            }
            state.scanner.merge(next);
            Ok(())
        })
    }
}

/// The errors that a Scanner has kept: an object in Python for each would take much more memory at once.
#[pyclass(frozen, module = "leadbyte._leadbyte")]
struct KeptErrors(Mutex<std::vec::IntoIter<leadbyte::LocatedError>>);

#[pymethods]
impl KeptErrors {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// Returns an error, its line and column, and the bytes before and after it.
    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        guarded(|| {
            let Some(found) = locked(py, &self.0).next() else { return Ok(None) };
            let [before, after] = [found.before, found.after].map(|bytes| PyBytes::new(py, bytes.as_slice()));
            let span = ErrorSpan::new(found.error, found.after.as_slice(), None);
            (span, found.location.line, found.location.column, before, after).into_bound_py_any(py).map(Some)
        })
    }
}

#[pymethods]
impl Scanner {
    #[new]
    fn new() -> PyResult<Self> {
        guarded(|| Ok(Self::new_keeping(1)))
    }

    /// Return a Scanner that keeps the first errors for _errors.
    #[staticmethod]
    fn _keeping(errors: usize) -> PyResult<Self> {
        guarded(|| Ok(Self::new_keeping(errors)))
    }

    /// Scan the data that follows. If a signal handler raises meanwhile, the Scanner is unchanged.
    ///
    /// Raises ValueError after finish.
    #[pyo3(signature = (data, /))]
    fn update(&self, data: &Bound<'_, PyAny>) -> PyResult<()> {
        guarded(|| {
            let py = data.py();
            let errors = self.with(py, |state| state.scanner.limit());
            let next = scanner_over(py, Buffer::of(data)?.as_slice(), 1, errors)?;
            self.add(py, &next)
        })
    }

    /// Merge what other has scanned, as the data that follows; other is unchanged.
    ///
    /// Raises ValueError after finish.
    #[pyo3(signature = (other, /))]
    fn merge(&self, other: &Bound<'_, PyAny>) -> PyResult<()> {
        guarded(|| {
            let other = other.cast::<Self>().map_err(|_| wrong_type(other, "merge", "1", "Scanner"))?;
            // A copy, so that two scanners are never locked at once and one may be merged with itself.
            let next = other.get().with(other.py(), |state| state.scanner.clone());
            self.add(other.py(), &next)
        })
    }

    /// Return the Scan of all data. Further data is refused afterwards.
    fn finish(&self, py: Python<'_>) -> PyResult<Scan> {
        guarded(|| {
            Ok({
                self.with(py, |state| {
                    state.finished = true;
                    Scan(state.scanner.finish())
                })
            })
        })
    }

    /// The number of bytes scanned so far.
    #[getter]
    fn byte_count(&self, py: Python<'_>) -> Int {
        Int(self.with(py, |state| state.scanner.byte_count()))
    }

    /// Return an iterator over the errors kept, each as (ErrorSpan, line, column, bytes before, bytes after).
    fn _errors(&self, py: Python<'_>) -> PyResult<KeptErrors> {
        guarded(|| {
            let errors = self.with(py, |state| state.scanner.errors());
            Ok(KeptErrors(Mutex::new(errors.into_iter())))
        })
    }

    #[staticmethod]
    fn _restore(state: &[u8], finished: bool) -> PyResult<Self> {
        guarded(|| {
            let scanner = leadbyte::Scanner::from_state(state)
                .ok_or_else(|| PyValueError::new_err("not the state of a Scanner of this version"))?;
            Ok(Self(Mutex::new(RunningScanner { scanner, finished })))
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        guarded(|| {
            let py = slf.py();
            let state = slf.get().with(py, |state| state.clone());
            let arguments = (PyBytes::new(py, &state.scanner.state()), state.finished);
            reduced(slf.getattr("_restore")?, arguments)
        })
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        guarded(|| {
            let Int(byte_count) = self.byte_count(py);
            Text(format!("<leadbyte.Scanner of {byte_count} bytes>")).into_pyobject(py)
        })
    }
}
