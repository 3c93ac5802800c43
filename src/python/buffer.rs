//! Bytes-like objects: to a slice without copying, and work on it with the interpreter detached.

use std::ffi::{CStr, c_int};
use std::time::{Duration, Instant};
use std::{mem, ptr, slice};

use pyo3::exceptions::{PyBufferError, PyMemoryError, PyRuntimeError, PySystemError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};

use super::interpreter::call_python;
use super::memory;
use crate::boundary::{STEP, steps};
use crate::simd::uninit::{MaybeUninit, put, unfilled};

/// From this size on work goes on detached: below, letting go of the interpreter costs more than it
/// gives.
const LARGE: usize = 128 << 10;

/// How long work may go on before it asks whether the user wants it to stop.
const PATIENCE: Duration = Duration::from_millis(50);

/// The bytes of a bytes-like object, for as long as a call lasts.
///
/// They may change meanwhile, by another thread or another process: wrong answers are then the
/// caller's own, but nothing here may rely on seeing the same byte twice.
pub(super) struct Buffer<'a, 'py> {
    bytes: &'a [u8],
    /// Keeps the object from giving its memory away.
    _view: Option<View<'py>>,
}

impl<'a, 'py> Buffer<'a, 'py> {
    /// Raises what CPython's own decoder raises for an object that has no contiguous buffer, and TypeError for a
    /// buffer of items other than bytes and integers.
    pub(super) fn of(object: &'a Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.cast_exact::<PyBytes>() {
            return Ok(Self { bytes: bytes.as_bytes(), _view: None });
        }
        let view = View::of(object)?;
        // SAFETY: the exporter keeps `length` bytes at `start` allocated until the view is released, which is when
        // `self` is dropped; no slice of `as_slice` outlives `self`. Python code, another thread or another process
        // may write to them meanwhile, which no lock of ours prevents. Rust's rules know no such memory; what is
        // relied on is that a byte that changes is read as some byte, and the kernels, which check every offset that
        // they compute from bytes, never read or write outside a slice whatever they read.
        let bytes = unsafe { slice::from_raw_parts(view.start(), view.length()) };
        Ok(Self { bytes, _view: Some(view) })
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        self.bytes
    }
}

/// The bytes of a bytes-like object as they are now: the object itself if it is exactly `bytes`, which never
/// change, else a copy. A read-only view may still be one of memory that changes.
pub(super) fn snapshot<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    match object.cast_exact::<PyBytes>() {
        Ok(bytes) => Ok(bytes.clone()),
        Err(_) => same_bytes(object.py(), Buffer::of(object)?.as_slice()),
    }
}

/// New bytes, the same as these.
#[inline]
pub(super) fn same_bytes<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    if bytes.len() >= memory::FRESH {
        // SAFETY: `copy` writes as many bytes as it returns.
        return unsafe { new_bytes(py, bytes.len(), |out| copy(py, bytes, out)) };
    }
    // SAFETY: the thread is attached, and `bytes` are so many.
    owned(py, unsafe { ffi::PyBytes_FromStringAndSize(bytes.as_ptr().cast(), bytes.len().cast_signed()) })
}

/// What a function gave that returns new bytes, or null with an exception set.
#[inline]
fn owned(py: Python<'_>, object: *mut ffi::PyObject) -> PyResult<Bound<'_, PyBytes>> {
    // SAFETY: `object` is a new reference, or null.
    let bytes = unsafe { Bound::from_owned_ptr_or_err(py, object)? };
    // SAFETY: its type is bytes.
    Ok(unsafe { bytes.cast_into_unchecked() })
}

/// New bytes, `length` of them, as `fill` writes them: it returns how many it wrote, from the start on. SystemError if
/// these are not all, MemoryError if memory is exhausted.
///
/// # Safety
/// `fill` writes as many bytes as it returns.
#[inline(always)] // a short call is not to wait for results that go through memory
pub(super) unsafe fn new_bytes(
    py: Python<'_>,
    length: usize,
    fill: impl FnOnce(&mut [MaybeUninit<u8>]) -> PyResult<usize>,
) -> PyResult<Bound<'_, PyBytes>> {
    if length <= 1 {
        // CPython shares these, and they must not be written to.
        let mut only = [0];
        let written = fill(unfilled(&mut only[..length]))?;
        return complete(written, length, same_bytes(py, &only[..length])?);
    }
    let size = isize::try_from(length).map_err(|_| PyMemoryError::new_err(()))?;
    // SAFETY: the thread is attached, `size` is not negative, and without a source the bytes are to be filled.
    let object = unsafe { ffi::PyBytes_FromStringAndSize(ptr::null(), size) };
    let bytes = owned(py, object)?;
    // SAFETY: `object` is a live bytes object.
    let start = unsafe { ffi::PyBytes_AS_STRING(object) }.cast_mut().cast();
    memory::expect_much(start, length);
    // SAFETY: there is room for `length` bytes, and nobody else knows the object yet.
    let written = fill(unsafe { slice::from_raw_parts_mut(start.cast(), length) })?;
    complete(written, length, bytes)
}

/// Better no bytes than some with gaps.
#[inline]
fn complete<T>(written: usize, length: usize, filled: T) -> PyResult<T> {
    if written == length { Ok(filled) } else { Err(incomplete(written, length)) }
}

/// What tells that a result was not filled: a fault of ours.
#[cold]
pub(super) fn incomplete(written: usize, length: usize) -> PyErr {
    PySystemError::new_err(format!("internal error: {written} of {length} units; please report it"))
}

/// Copies `values` to the start of `out`, which has room for them; detached if they are many. Returns how many there
/// are.
#[inline]
pub(super) fn copy<T: Copy + Send + Sync>(
    py: Python<'_>,
    values: &[T],
    out: &mut [MaybeUninit<T>],
) -> PyResult<usize> {
    if size_of_val(values) < LARGE {
        return Ok(put(out, values));
    }
    detached(py, size_of_val(values), |patience| {
        let mut written = 0;
        for step in values.chunks(STEP / size_of::<T>()) {
            written += put(&mut out[written..], step);
            patience.worked(size_of_val(step))?;
        }
        Ok(written)
    })
}

/// A view of an object's memory through the buffer protocol.
///
/// The raw protocol, because it is the only way that takes just what CPython's own decoder takes. The token keeps it
/// on the thread, which is attached when the view is released: nothing has to be attached for that, which could
/// fail while the interpreter shuts down.
struct View<'py> {
    raw: Box<ffi::Py_buffer>,
    _py: Python<'py>,
}

impl<'py> View<'py> {
    fn of(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        // Without a format in the request, items of every kind look like bytes. Exporters that do not know the
        // request, and objects without a buffer, are asked as CPython's decoder asks, and raise what they raise there.
        if object.is_exact_instance_of::<PyByteArray>() {
            return Self::requested(object, ffi::PyBUF_SIMPLE);
        }
        let view = match Self::requested(object, ffi::PyBUF_ND | ffi::PyBUF_FORMAT) {
            Ok(view) => view,
            Err(_) => Self::requested(object, ffi::PyBUF_SIMPLE)?,
        };
        match view.format() {
            None => Ok(view),
            Some(format) if holds_bytes_or_integers(format.to_bytes()) => Ok(view),
            Some(format) => Err(wrong_format(object, format)),
        }
    }

    fn requested(object: &Bound<'py, PyAny>, flags: c_int) -> PyResult<Self> {
        let py = object.py();
        let mut raw = Box::new(mem::MaybeUninit::<ffi::Py_buffer>::zeroed());
        // SAFETY: `object` is alive, `raw` is writable and stays where it is, and the thread is attached.
        let failed =
            call_python(|| unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), raw.as_mut_ptr(), flags) });
        if failed != 0 {
            return Err(PyErr::take(py).unwrap_or_else(|| PyBufferError::new_err("no buffer")));
        }
        // SAFETY: success means that the view is filled.
        Ok(Self { raw: unsafe { raw.assume_init() }, _py: py })
    }

    /// The first byte; never null.
    fn start(&self) -> *const u8 {
        if self.raw.buf.is_null() { ptr::dangling() } else { self.raw.buf.cast() }
    }

    fn length(&self) -> usize {
        if self.raw.buf.is_null() { 0 } else { self.raw.len.cast_unsigned() }
    }

    /// The format of the items, as in the module struct; `None` means unsigned bytes.
    fn format(&self) -> Option<&CStr> {
        // SAFETY: a format is a string that ends with a zero and lasts as long as the view.
        (!self.raw.format.is_null()).then(|| unsafe { CStr::from_ptr(self.raw.format) })
    }
}

impl Drop for View<'_> {
    fn drop(&mut self) {
        // SAFETY: the view was filled and is released once; the token proves that the thread is attached.
        unsafe { ffi::PyBuffer_Release(&raw mut *self.raw) }
    }
}

/// Whether items of a format are bytes, bools or integers, one or several of a type.
fn holds_bytes_or_integers(format: &[u8]) -> bool {
    let order = usize::from(matches!(format, [b'@' | b'=' | b'<' | b'>' | b'!', ..]));
    let digits = format[order..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    matches!(&format[order + digits..], [item] if b"cbB?hHiIlLqQnNsx".contains(item))
}

#[cold]
fn wrong_format(object: &Bound<'_, PyAny>, format: &CStr) -> PyErr {
    let items = match format.to_bytes().trim_ascii_start().last() {
        Some(b'O') => "Python objects; pass them one by one",
        Some(b'u' | b'w') => "characters; pass them as a str",
        _ => "neither bytes nor integers; pass its tobytes() if the memory itself is meant",
    };
    match object.get_type().name() {
        Ok(given) => PyTypeError::new_err(format!(
            "a bytes-like object is required, but the buffer of this {given} has the format {:?}: its items are {items}",
            format.to_string_lossy()
        )),
        Err(error) => error,
    }
}

/// Asks now and then whether the user wants a long call to stop.
#[derive(Default)]
pub(super) struct Patience {
    since: Option<Instant>,
    /// How much work was done since it was last asked.
    work: usize,
}

impl Patience {
    /// To be called after some work, told in bytes, that may be little: asks the clock only after much.
    #[inline]
    pub(super) fn worked(&mut self, bytes: usize) -> PyResult<()> {
        self.work = self.work.saturating_add(bytes);
        if self.work < STEP {
            return Ok(());
        }
        self.work = 0;
        self.poll()
    }

    /// To be called from time to time while detached; the error is what a signal's handler raised.
    pub(super) fn poll(&mut self) -> PyResult<()> {
        if !self.is_over() {
            return Ok(());
        }
        // While the interpreter shuts down, nobody can attach, and no signal's handler runs.
        let outcome = Python::try_attach(|py| py.check_signals()).unwrap_or(Ok(()));
        self.since = Some(Instant::now());
        outcome
    }

    /// As [`worked`](Self::worked), of work that is done attached: other threads get their turn too.
    #[inline]
    pub(super) fn worked_attached(&mut self, py: Python<'_>, bytes: usize) -> PyResult<()> {
        self.work = self.work.saturating_add(bytes);
        if self.work < STEP {
            return Ok(());
        }
        self.work = 0;
        if !self.is_over() {
            return Ok(());
        }
        py.check_signals()?;
        py.detach(|| ());
        self.since = Some(Instant::now());
        Ok(())
    }

    fn is_over(&mut self) -> bool {
        self.since.get_or_insert_with(Instant::now).elapsed() >= PATIENCE
    }
}

/// Runs `work` on `length` bytes of data, detached from the interpreter if they are many.
pub(super) fn detached<T: Send>(
    py: Python<'_>,
    length: usize,
    work: impl FnOnce(&mut Patience) -> PyResult<T> + Send,
) -> PyResult<T> {
    let mut patience = Patience::default();
    if length < LARGE {
        return work(&mut patience);
    }
    let outcome = py.detach(|| work(&mut patience))?;
    // Many calls that are too short to look for signals may follow each other, as for the items of a list.
    py.check_signals()?;
    Ok(outcome)
}

/// Runs `search` on `length` bytes of data: attached, and anew or further detached only if it finds nothing near.
///
/// This is for a search that is made for each of many errors: while another thread runs Python code, each release of the
/// interpreter takes milliseconds. `search` reports its work, in bytes, to the function that it gets.
pub(super) fn searched<T: Send>(
    py: Python<'_>,
    length: usize,
    mut search: impl FnMut(&mut dyn FnMut(usize) -> PyResult<()>) -> PyResult<T> + Send,
) -> PyResult<T> {
    let (mut left, mut far) = (LARGE, false);
    let near = search(&mut |bytes| {
        left = left.saturating_sub(bytes);
        far = left == 0;
        if far { Err(PyRuntimeError::new_err("nothing is near")) } else { Ok(()) }
    });
    if !far {
        return near;
    }
    detached(py, length, |patience| search(&mut |bytes| patience.worked(bytes)))
}

/// Runs `work` on one step of `data` after another, until it returns false.
pub(super) fn in_steps(
    py: Python<'_>,
    data: &[u8],
    mut work: impl FnMut(&[u8]) -> bool + Send,
) -> PyResult<()> {
    if data.len() < LARGE {
        work(data);
        return Ok(());
    }
    detached(py, data.len(), |patience| {
        for step in steps(data, STEP) {
            if !work(step) {
                break;
            }
            patience.poll()?;
        }
        Ok(())
    })
}
