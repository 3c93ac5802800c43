//! Reading of files, one or all of those below paths.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction};
use pyo3::{PyTraverseError, PyVisit};

use leadbyte::bindings::sequence::CHUNK_BYTES;
use leadbyte::bindings::simd::{MaybeUninit, put};

use super::buffer::{copied_bytes, new_bytes};
use super::calls::{call, call_method};
use super::detect::Detection;
use super::interpreter::guarded;
use super::list::Int;
use super::scan::Scanner;
use super::shared::locked;
use crate::files::FileOutcome;
use crate::files::FileTask;
use crate::files::Pool;
use crate::files::PoolItem;
use crate::files::Selection;
use crate::files::TableFormats;
use crate::files::Walk;

/// The functions of this file that Python can call.
pub(super) fn exported<'py>(module: &Bound<'py, PyModule>) -> PyResult<Vec<Bound<'py, PyCFunction>>> {
    Ok(vec![wrap_pyfunction!(_read, module)?])
}

/// Return the next length bytes of a raw file, or fewer at its end, as file.read(length) does.
///
/// The result is in huge pages if it is large, as page faults would take longer than reading.
#[pyfunction]
#[pyo3(signature = (file, length, /))]
pub(super) fn _read<'py>(file: &Bound<'py, PyAny>, length: usize) -> PyResult<Bound<'py, PyBytes>> {
    guarded(|| {
        let py = file.py();
        let mut read = 0;
        let fill = |out: &mut [MaybeUninit<u8>]| {
            while read < length {
                let size = CHUNK_BYTES.min(length - read);
                let piece = call_method(file, intern!(py, "read"), (size,))?;
                let piece = piece.cast::<PyBytes>()?.as_bytes();
                if piece.is_empty() {
                    // The file has become shorter.
                    out[read..].fill(MaybeUninit::new(0));
                    break;
                }
                if piece.len() > length - read {
                    return Err(PyOSError::new_err("read() returned more bytes than it was asked for"));
                }
                read += put(&mut out[read..], piece);
            }
            Ok(length)
        };
        // SAFETY: `put` writes as many bytes as it returns, and the rest is filled with zeros.
        let bytes = unsafe { new_bytes(py, length, fill) }?;
        if read == length { Ok(bytes) } else { copied_bytes(py, &bytes.as_bytes()[..read]) }
    })
}

/// How often a caller that waits is called.
const WAITING_INTERVAL: Duration = Duration::from_millis(50);

/// An iterator over the files of paths, with the results of other threads for each.
///
/// An item is (path, named, result). The result is None if the caller is to read the file, a Scanner or a Detection,
/// the reason why the file is skipped, or an OSError. By the task "fold", neighbouring valid files are one item with
/// the path of the first, whose result is their number and the sums of their bytes and characters.
#[pyclass(frozen, name = "_FileReader", module = "leadbyte._leadbyte")]
pub(super) struct FileReader {
    pool: Mutex<Pool>,
    /// Apart from the pool, which is locked while the caller is called.
    byte_count: Arc<AtomicU64>,
    waiting: Py<PyAny>,
}

type FileResult<'py> = (Bound<'py, PyAny>, bool, Option<Bound<'py, PyAny>>);

#[pymethods]
impl FileReader {
    /// Read files by a task: "list", "scan", "fold" or "detect".
    ///
    /// Files with one of the extensions of tables, or that start with one of its bytes, are not scanned if they were
    /// named, if binary files are read, or if the third item of tables is true. Then directories that are tables of
    /// Delta or Iceberg are not searched, and skipped with the reason "table". waiting() is called now and then while
    /// the next file is waited for. Raises ValueError for a wrong pattern.
    #[new]
    #[pyo3(signature = (
        paths, task, /, *, directories, ignore, hidden, exclude, jobs, errors, binary, tables, waiting
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        paths: Vec<PathBuf>,
        task: &str,
        directories: bool,
        ignore: bool,
        hidden: bool,
        exclude: Vec<OsString>,
        jobs: usize,
        errors: usize,
        binary: bool,
        tables: (Vec<String>, Vec<Vec<u8>>, bool),
        waiting: Py<PyAny>,
    ) -> PyResult<Self> {
        guarded(|| {
            let (extensions, magic, below_directories) = tables;
            let selection = Selection { directories, ignore, hidden, exclude, tables: below_directories };
            selection.check().map_err(PyValueError::new_err)?;
            let task = match task {
                "scan" | "fold" => FileTask::Scan { errors, binary, fold: task == "fold" },
                "detect" => FileTask::Detect,
                _ => FileTask::List,
            };
            let tables = TableFormats { extensions, magic, below_directories };
            let pool = Pool::new(Walk::new(paths, selection), task, tables, jobs.max(1));
            Ok(Self { byte_count: pool.byte_count(), pool: Mutex::new(pool), waiting })
        })
    }

    /// `waiting` usually belongs to what has this reader.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.waiting)
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        guarded(|| {
            let item = {
                let mut pool = locked(py, &self.pool);
                match pool.next_ready() {
                    Some(item) => Some(item),
                    None => {
                        let pool: &mut Pool = &mut pool;
                        py.detach(|| pool.next(self.poller()))?
                    }
                }
            };
            item.map(|item| result(py, item)?.into_bound_py_any(py)).transpose()
        })
    }

    /// Return the number of bytes read since the last call.
    fn _take_byte_count(&self) -> PyResult<Int> {
        guarded(|| Ok(Int(self.byte_count.swap(0, Ordering::Relaxed))))
    }
}

impl FileReader {
    /// Returns a function that checks for signals and calls the caller now and then; the thread must be detached.
    fn poller(&self) -> impl FnMut() -> PyResult<()> {
        let mut last = Instant::now();
        move || {
            if last.elapsed() < WAITING_INTERVAL {
                return Ok(());
            }
            last = Instant::now();
            // While the interpreter shuts down, no thread can attach.
            Python::try_attach(|py| {
                py.check_signals()?;
                call(self.waiting.bind(py), ()).map(drop)
            })
            .unwrap_or(Ok(()))
        }
    }
}

fn result(py: Python<'_>, item: PoolItem) -> PyResult<FileResult<'_>> {
    let result = match item.outcome {
        FileOutcome::Valid { files, byte_count, char_count } => {
            Some((files, byte_count, char_count).into_pyobject(py)?.into_any())
        }
        FileOutcome::Unread | FileOutcome::Long => None,
        FileOutcome::Scanned(scanner) => Some(Bound::new(py, Scanner::of(scanner))?.into_any()),
        FileOutcome::Detected(found) => Some(Bound::new(py, Detection::of(found))?.into_any()),
        FileOutcome::Skipped(reason) => Some(reason.into_pyobject(py)?.into_any()),
        FileOutcome::Failed(error) => Some(os_error(&error).into_value(py).into_bound(py).into_any()),
    };
    Ok((path_object(py, &item.path)?, item.named, result))
}

/// Returns a path as `os.fsdecode` takes it: in bytes on POSIX, as Python's file system encoding may not be UTF-8.
#[cfg(unix)]
fn path_object<'py>(py: Python<'py>, path: &Path) -> PyResult<Bound<'py, PyAny>> {
    use std::os::unix::ffi::OsStrExt;
    Ok(PyBytes::new(py, path.as_os_str().as_bytes()).into_any())
}

#[cfg(not(unix))]
fn path_object<'py>(py: Python<'py>, path: &Path) -> PyResult<Bound<'py, PyAny>> {
    Ok(path.as_os_str().into_pyobject(py)?.into_any())
}

/// Returns the OSError with the number of an error, of which Python knows the class, and its text.
fn os_error(error: &io::Error) -> PyErr {
    let text = error.to_string();
    match error.raw_os_error() {
        Some(code) => {
            let text = text.strip_suffix(&format!(" (os error {code})")).map_or(text.clone(), str::to_owned);
            PyOSError::new_err((code, text))
        }
        None => PyOSError::new_err(text),
    }
}
