//! Bytes-like objects: to a slice without copying, and work on it with the interpreter detached.

use std::marker::PhantomData;
use std::time::{Duration, Instant};
use std::{mem, ptr, slice};

use pyo3::exceptions::{PyBufferError, PyMemoryError, PyRuntimeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

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
pub(super) struct Buffer<'a> {
    bytes: &'a [u8],
    /// Keeps the object from giving its memory away.
    _view: Option<View>,
    _object: PhantomData<&'a Bound<'a, PyAny>>,
}

impl<'a> Buffer<'a> {
    pub(super) fn of(object: &'a Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.cast_exact::<PyBytes>() {
            return Ok(Self { bytes: bytes.as_bytes(), _view: None, _object: PhantomData });
        }
        let view = View::of(object)?;
        // SAFETY: the memory lasts until the view is released, which is when `self` is dropped.
        let bytes = unsafe { slice::from_raw_parts(view.start(), view.length()) };
        Ok(Self { bytes, _view: Some(view), _object: PhantomData })
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
        return new_bytes(py, bytes.len(), |out| Ok(put(out, bytes)));
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

/// New bytes, `length` of them, as `fill` writes them: it returns how many it wrote, which must be all.
/// MemoryError if there is no room.
#[inline(always)] // a short call is not to wait for results that go through memory
pub(super) fn new_bytes(
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
    PyRuntimeError::new_err(format!("internal error: {written} of {length} units; please report it"))
}

/// A buffer for longer than a call.
pub(super) struct Held(Memory);

enum Memory {
    Bytes(Py<PyBytes>),
    View(View),
}

impl Held {
    pub(super) fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(match object.cast_exact::<PyBytes>() {
            Ok(bytes) => Memory::Bytes(bytes.clone().unbind()),
            Err(_) => Memory::View(View::of(object)?),
        }))
    }

    pub(super) fn as_slice(&self, py: Python<'_>) -> &[u8] {
        match &self.0 {
            Memory::Bytes(bytes) => bytes.as_bytes(py),
            // SAFETY: the memory lasts until the view is released, which is when `self` is dropped.
            Memory::View(view) => unsafe { slice::from_raw_parts(view.start(), view.length()) },
        }
    }
}

/// A view of an object's memory through the buffer protocol.
///
/// The raw protocol, because it is the only way that takes just what CPython's own decoder takes.
struct View(Box<ffi::Py_buffer>);

// SAFETY: the memory of a view may be read from any thread, and `drop` attaches to release it.
unsafe impl Send for View {}
// SAFETY: nothing can be changed through a shared view.
unsafe impl Sync for View {}

impl View {
    fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut view = Box::new(mem::MaybeUninit::<ffi::Py_buffer>::zeroed());
        // SAFETY: `object` is alive, `view` is writable, and the thread is attached.
        let failed =
            unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), view.as_mut_ptr(), ffi::PyBUF_SIMPLE) };
        if failed != 0 {
            return Err(PyErr::take(object.py()).unwrap_or_else(|| PyBufferError::new_err("no buffer")));
        }
        // SAFETY: success means that the view is filled.
        Ok(Self(unsafe { view.assume_init() }))
    }

    /// The first byte; never null.
    fn start(&self) -> *const u8 {
        if self.0.buf.is_null() { ptr::dangling() } else { self.0.buf.cast() }
    }

    fn length(&self) -> usize {
        if self.0.buf.is_null() { 0 } else { self.0.len.cast_unsigned() }
    }
}

impl Drop for View {
    fn drop(&mut self) {
        Python::attach(|_| {
            // SAFETY: the view was filled, is released once, and the thread is attached.
            unsafe { ffi::PyBuffer_Release(&raw mut *self.0) }
        });
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
        self.work += bytes;
        if self.work < STEP {
            return Ok(());
        }
        self.work = 0;
        self.poll()
    }

    /// To be called from time to time while detached; the error is what a signal's handler raised.
    pub(super) fn poll(&mut self) -> PyResult<()> {
        let since = *self.since.get_or_insert_with(Instant::now);
        if since.elapsed() < PATIENCE {
            return Ok(());
        }
        let outcome = Python::attach(|py| py.check_signals());
        self.since = Some(Instant::now());
        outcome
    }
}

/// Runs `work` on `length` bytes of data, detached from the interpreter if they are many.
pub(super) fn detached<T: Send>(
    py: Python<'_>,
    length: usize,
    work: impl FnOnce(&mut Patience) -> PyResult<T> + Send,
) -> PyResult<T> {
    let mut patience = Patience::default();
    if length < LARGE { work(&mut patience) } else { py.detach(|| work(&mut patience)) }
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
