//! Bytes-like objects as slices, without copying, and work on them with the interpreter detached.

use std::ffi::{CStr, c_int};
use std::marker::PhantomData;
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use std::{mem, ptr, slice};

use pyo3::exceptions::{PyBufferError, PyMemoryError, PySystemError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyString};
use pyo3::{PyTraverseError, PyVisit};

use leadbyte::bindings::progress::{Poll, Progress, Stopped};
use leadbyte::bindings::sequence::{CHUNK_BYTES, chunks};
use leadbyte::bindings::simd::{MaybeUninit, huge_pages, put, unfilled};

use super::calls::fill_buffer;
use super::shared::locked;
use super::type_errors::{str_for_bytes, type_error, wrong_type};
use super::work_error::WorkError;

/// The least number of bytes that are processed detached from the interpreter: below, detaching costs more than it
/// gains.
const MIN_DETACHED_BYTES: usize = 128 << 10;

/// How often a long call checks for signals.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// The bytes of a bytes-like object, for as long as a call lasts.
///
/// Another thread or another process may change them meanwhile. The result is then unspecified, but nothing here may
/// rely on reading the same byte twice.
pub(super) struct Buffer<'a, 'py> {
    bytes: &'a [u8],
    /// Keeps the object from giving its memory away.
    _view: Option<BufferView<'py>>,
}

impl<'a, 'py> Buffer<'a, 'py> {
    /// Borrows the bytes of `object`.
    ///
    /// Raises what CPython's own decoder raises for an object without a contiguous buffer, and TypeError for a buffer
    /// of items other than bytes and integers.
    pub(super) fn of(object: &'a Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = object.cast_exact::<PyBytes>() {
            return Ok(Self { bytes: bytes.as_bytes(), _view: None });
        }
        let view = BufferView::of(object, READABLE)?;
        // SAFETY: the exporter keeps `length` bytes at `start` allocated until the view is released, which is when
        // `self` is dropped; no slice of `as_slice` outlives `self`. Python code, another thread or another process
        // may write to them meanwhile, which no lock of ours prevents. Rust's rules know no such memory; this relies on
        // reads of a changing byte giving some byte, and the kernels, which check every offset that they compute from
        // bytes, never read or write outside a slice whatever they read.
        let bytes = unsafe { slice::from_raw_parts(view.raw.start(), view.raw.length()) };
        Ok(Self { bytes, _view: Some(view) })
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        self.bytes
    }
}

/// The memory of a writable bytes-like object, for as long as a call lasts.
///
/// Another thread or another process may read and write it meanwhile, so nothing here reads it.
pub(super) struct WritableBuffer<'py>(BufferView<'py>);

impl<'py> WritableBuffer<'py> {
    /// Borrows the memory of `object`, which is an argument of `function`: a position from 1 on.
    ///
    /// Raises TypeError, as `readinto` does, for an object without a writable contiguous buffer, and for a buffer of
    /// items other than bytes and integers.
    pub(super) fn of(object: &Bound<'py, PyAny>, function: &str, argument: &str) -> PyResult<Self> {
        BufferView::of(object, ffi::PyBUF_WRITABLE).map(Self).map_err(|error| {
            match is_unsuitable(object, &error) {
                true => wrong_type(object, function, argument, "read-write bytes-like object"),
                false => error,
            }
        })
    }

    /// Returns the length in bytes.
    pub(super) fn len(&self) -> usize {
        self.0.raw.length()
    }

    /// Returns the memory from byte `offset` on, which is at most the length.
    pub(super) fn starting_at(&mut self, offset: usize) -> &mut [MaybeUninit<u8>] {
        // SAFETY: the exporter keeps `length` writable bytes at `start` allocated until the view is released, which is
        // when `self` is dropped. The slice borrows `self`, so it is the only one here. Others may access the memory
        // meanwhile, which no lock of ours prevents; nothing is read through this slice, so all that changes for them
        // is which of the bytes that both write remain.
        let memory =
            unsafe { slice::from_raw_parts_mut(self.0.raw.start().cast_mut().cast(), self.0.raw.length()) };
        &mut memory[offset..]
    }
}

/// Returns whether `object` raised `error` because it has no writable contiguous buffer.
fn is_unsuitable(object: &Bound<'_, PyAny>, error: &PyErr) -> bool {
    let py = object.py();
    error.is_instance_of::<PyBufferError>(py)
        || error.is_instance_of::<PyValueError>(py) // NumPy's, for a read-only array
        || (error.is_instance_of::<PyTypeError>(py) && !has_buffer(object))
}

/// Returns whether an object has a buffer of any kind.
fn has_buffer(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: `object` is alive.
    unsafe { ffi::PyObject_CheckBuffer(object.as_ptr()) != 0 }
}

/// Returns the bytes of a bytes-like object as they are now: the object itself if it is exactly `bytes`, which never
/// change, else a copy, since even a read-only view may be one of memory that changes.
pub(super) fn snapshot<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    match object.cast_exact::<PyBytes>() {
        Ok(bytes) => Ok(bytes.clone()),
        Err(_) => copied_bytes(object.py(), Buffer::of(object)?.as_slice()),
    }
}

/// Returns a new bytes object with a copy of `bytes`.
#[inline]
pub(super) fn copied_bytes<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    if bytes.len() >= huge_pages::MIN_FRESH_BYTES {
        // SAFETY: `copy` writes as many bytes as it returns.
        return unsafe { new_bytes(py, bytes.len(), |out| copy(py, bytes, out)) };
    }
    // SAFETY: the thread is attached, and `bytes` has that length.
    owned(py, unsafe { ffi::PyBytes_FromStringAndSize(bytes.as_ptr().cast(), bytes.len().cast_signed()) })
}

/// Takes what a function of the C API returned: a new reference to bytes, or null with an exception set.
#[inline]
fn owned(py: Python<'_>, object: *mut ffi::PyObject) -> PyResult<Bound<'_, PyBytes>> {
    // SAFETY: `object` is a new reference, or null.
    let bytes = unsafe { Bound::from_owned_ptr_or_err(py, object)? };
    // SAFETY: its type is bytes.
    Ok(unsafe { bytes.cast_into_unchecked() })
}

/// Returns a new bytes object of `length` bytes that `fill` writes, from the start on; it returns how many it wrote.
///
/// Raises SystemError if these are not all, MemoryError if memory is exhausted.
///
/// # Safety
/// `fill` writes as many bytes as it returns.
#[inline(always)] // so that the results of a short call stay in registers
pub(super) unsafe fn new_bytes(
    py: Python<'_>,
    length: usize,
    fill: impl FnOnce(&mut [MaybeUninit<u8>]) -> PyResult<usize>,
) -> PyResult<Bound<'_, PyBytes>> {
    if length <= 1 {
        // CPython shares these objects, which must not be written to.
        let mut only = [0];
        let written = fill(unfilled(&mut only[..length]))?;
        return complete(written, length, copied_bytes(py, &only[..length])?);
    }
    let size = isize::try_from(length).map_err(|_| PyMemoryError::new_err(()))?;
    // SAFETY: the thread is attached, `size` is not negative, and without a source the bytes are to be filled.
    let object = unsafe { ffi::PyBytes_FromStringAndSize(ptr::null(), size) };
    let bytes = owned(py, object)?;
    // SAFETY: `object` is a live bytes object.
    let start = unsafe { ffi::PyBytes_AS_STRING(object) }.cast_mut().cast();
    huge_pages::advise(start, length);
    // SAFETY: the object has `length` bytes, and no other reference to it exists yet.
    let written = fill(unsafe { slice::from_raw_parts_mut(start.cast(), length) })?;
    complete(written, length, bytes)
}

/// A bytes object that is written before its length is known; nothing is left of it if it is dropped.
struct BytesWriter(*mut ffi::compat::PyBytesWriter);

impl Drop for BytesWriter {
    fn drop(&mut self) {
        // SAFETY: the writer is alive, or null, and the thread is attached.
        unsafe { ffi::compat::PyBytesWriter_Discard(self.0) };
    }
}

/// Returns a new bytes object of as many bytes as `fill` writes, from the start on: at least two, at most `capacity`.
/// It returns how many it wrote.
///
/// Raises MemoryError if memory is exhausted.
///
/// # Safety
/// `fill` writes as many bytes as it returns.
pub(super) unsafe fn new_bytes_up_to(
    py: Python<'_>,
    capacity: usize,
    fill: impl FnOnce(&mut [MaybeUninit<u8>]) -> PyResult<usize>,
) -> PyResult<Bound<'_, PyBytes>> {
    let size = isize::try_from(capacity).map_err(|_| PyMemoryError::new_err(()))?;
    // SAFETY: the thread is attached.
    let writer = BytesWriter(unsafe { ffi::compat::PyBytesWriter_Create(size) });
    if writer.0.is_null() {
        return Err(PyErr::fetch(py));
    }
    // SAFETY: the writer is alive.
    let start = unsafe { ffi::compat::PyBytesWriter_GetData(writer.0) }.cast();
    huge_pages::advise(start, capacity);
    // SAFETY: the writer has `capacity` bytes, and nothing else accesses them.
    let written = fill(unsafe { slice::from_raw_parts_mut(start.cast(), capacity) })?.min(capacity);
    let writer = mem::ManuallyDrop::new(writer);
    // SAFETY: the writer is alive, and is not used again; it has as many bytes.
    owned(py, unsafe { ffi::compat::PyBytesWriter_FinishWithSize(writer.0, written.cast_signed()) })
}

/// Returns `filled` if all of it was written: an object with gaps must not get out.
#[inline]
fn complete<T>(written: usize, length: usize, filled: T) -> PyResult<T> {
    if written == length { Ok(filled) } else { Err(incomplete(written, length)) }
}

/// Returns the SystemError for a result that was not filled, which is a bug of this library.
#[cold]
pub(super) fn incomplete(written: usize, length: usize) -> PyErr {
    PySystemError::new_err(format!("internal error: {written} of {length} units; please report it"))
}

/// Copies `values` to the start of `out`, which is at least as long; detached if they are many. Returns their number.
#[inline]
pub(super) fn copy<T: Copy + Send + Sync>(
    py: Python<'_>,
    values: &[T],
    out: &mut [MaybeUninit<T>],
) -> PyResult<usize> {
    if size_of_val(values) < MIN_DETACHED_BYTES {
        return Ok(put(out, values));
    }
    detached(py, size_of_val(values), |poller| {
        let mut written = 0;
        for chunk in values.chunks(CHUNK_BYTES / size_of::<T>()) {
            written += put(&mut out[written..], chunk);
            poller.advance(size_of_val(chunk))?;
        }
        Ok(written)
    })
}

/// The bytes of a bytes-like object, for as long as an object of ours lives that holds them.
///
/// They may change meanwhile, like the bytes of a [`Buffer`].
pub(super) struct HeldBuffer(RawView);

// SAFETY: nothing here is bound to a thread; the view is read by all and released by the last.
unsafe impl Send for HeldBuffer {}
// SAFETY: as above.
unsafe impl Sync for HeldBuffer {}

impl HeldBuffer {
    /// Borrows the bytes of `object`; raises what [`Buffer::of`] raises.
    ///
    /// # Safety
    /// It becomes a part of a Python object, or is dropped while the thread is attached. CPython deallocates objects
    /// with the thread attached.
    pub(super) unsafe fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(BufferView::of(object, READABLE)?.raw))
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        // SAFETY: as in `Buffer::of`, for as long as `self` lives, which the slice borrows.
        unsafe { slice::from_raw_parts(self.0.start(), self.0.length()) }
    }

    /// Visits the object whose bytes these are, for the cycle collector.
    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let object: *const *mut ffi::PyObject = &raw const self.0.0.obj;
        // SAFETY: the field is a reference that the view owns, or null, and `Py` has the layout of a pointer.
        let object = unsafe { &*object.cast::<Option<Py<PyAny>>>() };
        visit.call(object)
    }
}

/// The memory of a contiguous buffer of signed integers of 32 or 64 bits, for as long as a call lasts.
///
/// Another such buffer may have the same memory, and another thread may read and write it meanwhile, so there are no
/// references to it.
pub(super) struct IntegerBuffer<'py> {
    view: BufferView<'py>,
    wide: bool,
}

impl<'py> IntegerBuffer<'py> {
    /// Borrows the items of the argument `name`; returns `None` if it has no buffer.
    ///
    /// Raises TypeError for other items, and if they are not contiguous.
    pub(super) fn of(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Option<Self>> {
        if !has_buffer(object) {
            return Ok(None);
        }
        Self::requested(object, name, READABLE).map(Some).map_err(|error| {
            match is_unsuitable(object, &error) {
                true => type_error(object, |given| {
                    format!("{name} must be contiguous, as numpy.ascontiguousarray makes them; this {given} is not")
                }),
                false => error,
            }
        })
    }

    /// Borrows the items of the argument `name`, to write to them; raises TypeError if that is impossible.
    pub(super) fn writable(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Self> {
        Self::requested(object, name, ffi::PyBUF_WRITABLE).map_err(|error| {
            match is_unsuitable(object, &error) {
                true => type_error(object, |given| {
                    format!("{name} must be a writable, contiguous buffer of int32 or int64, not {given}")
                }),
                false => error,
            }
        })
    }

    fn requested(object: &Bound<'py, PyAny>, name: &str, access: c_int) -> PyResult<Self> {
        let view = BufferView::requested(object, ffi::PyBUF_ND | ffi::PyBUF_FORMAT | access)?;
        let format = view.raw.format().unwrap_or(c"B");
        match view.raw.0.itemsize {
            4 if is_native_signed(format.to_bytes()) => Ok(Self { view, wide: false }),
            8 if is_native_signed(format.to_bytes()) => Ok(Self { view, wide: true }),
            _ => Err(PyTypeError::new_err(format!(
                "the items of {name} must be int32 or int64; their format is {:?}",
                format.to_string_lossy()
            ))),
        }
    }

    pub(super) fn items(&self) -> Integers<'_> {
        let width = if self.wide { 8 } else { 4 };
        let (start, count) = (self.view.raw.start().cast_mut(), self.view.raw.length() / width);
        Integers { start, count, wide: self.wide, buffer: PhantomData }
    }
}

/// Returns whether the items of a format are signed integers in the byte order of this machine.
fn is_native_signed(format: &[u8]) -> bool {
    let native = if cfg!(target_endian = "little") { b'<' } else { b'>' };
    let item = match format {
        [b'@' | b'=', item] => item,
        [order, item] if *order == native => item,
        [item] => item,
        _ => return false,
    };
    b"ilqn".contains(item)
}

/// The integers of an [`IntegerBuffer`].
#[derive(Clone, Copy)]
pub(super) struct Integers<'a> {
    start: *mut u8,
    count: usize,
    wide: bool,
    buffer: PhantomData<&'a ()>,
}

// SAFETY: the memory may be accessed from any thread while the buffer, which is borrowed, keeps it allocated.
unsafe impl Send for Integers<'_> {}
// SAFETY: as above; there are no references to the memory.
unsafe impl Sync for Integers<'_> {}

impl Integers<'_> {
    /// Returns the number of items.
    pub(super) fn count(self) -> usize {
        self.count
    }

    /// Copies the items from `first` on, as many as `out` has places; the maximum takes the place of negative ones.
    ///
    /// # Panics
    /// If there are fewer.
    pub(super) fn read(self, first: usize, out: &mut [usize]) {
        assert!(first <= self.count && out.len() <= self.count - first, "items beyond the end");
        for (index, place) in out.iter_mut().enumerate() {
            let at = (first + index) * if self.wide { 8 } else { 4 };
            // SAFETY: the item is one of `count`, as just checked, which the buffer keeps allocated.
            let item = unsafe { self.start.add(at) };
            *place = if self.wide {
                // SAFETY: as above; an item has eight bytes.
                unsafe { item.cast::<i64>().read_unaligned() }.try_into().unwrap_or(usize::MAX)
            } else {
                // SAFETY: as above; an item has four bytes.
                unsafe { item.cast::<i32>().read_unaligned() }.try_into().unwrap_or(usize::MAX)
            };
        }
    }

    /// Writes items from `first` on; returns the index of the first value that does not fit, if there is one.
    ///
    /// # Panics
    /// If there are fewer items than values. The buffer must be a writable one.
    pub(super) fn write(self, first: usize, values: &[usize]) -> Option<usize> {
        assert!(first <= self.count && values.len() <= self.count - first, "items beyond the end");
        for (index, &value) in values.iter().enumerate() {
            let at = (first + index) * if self.wide { 8 } else { 4 };
            // SAFETY: the item is one of `count`, as just checked, which the buffer keeps allocated.
            let item = unsafe { self.start.add(at) };
            if self.wide {
                let Ok(value) = i64::try_from(value) else { return Some(index) };
                // SAFETY: as above; an item has eight bytes.
                unsafe { item.cast::<i64>().write_unaligned(value) };
            } else {
                let Ok(value) = i32::try_from(value) else { return Some(index) };
                // SAFETY: as above; an item has four bytes.
                unsafe { item.cast::<i32>().write_unaligned(value) };
            }
        }
        None
    }
}

/// The access that a [`BufferView`] asks for: to read, unless it is `PyBUF_WRITABLE`.
const READABLE: c_int = ffi::PyBUF_SIMPLE;

/// A view of an object's memory through the buffer protocol.
///
/// It uses the raw protocol, the only way to accept exactly what CPython's own decoder accepts. The token keeps the
/// view on its thread, so releasing it needs no attaching, which could fail while the interpreter shuts down.
struct BufferView<'py> {
    raw: RawView,
    _py: Python<'py>,
}

/// A filled view, which is dropped while the thread is attached.
struct RawView(Box<ffi::Py_buffer>);

impl<'py> BufferView<'py> {
    fn of(object: &Bound<'py, PyAny>, access: c_int) -> PyResult<Self> {
        // Without a format in the request, items of every kind look like bytes. Exporters that do not know the
        // request, and objects without a buffer, get the request of CPython's decoder, and raise what they raise there.
        if object.is_exact_instance_of::<PyByteArray>() {
            return Self::requested(object, ffi::PyBUF_SIMPLE | access);
        }
        let view = match Self::requested(object, ffi::PyBUF_ND | ffi::PyBUF_FORMAT | access) {
            Ok(view) => view,
            Err(_) => Self::requested(object, ffi::PyBUF_SIMPLE | access)?,
        };
        match view.raw.format() {
            None => Ok(view),
            Some(format) if holds_bytes_or_integers(format.to_bytes()) => Ok(view),
            Some(format) => Err(wrong_format(object, format)),
        }
    }

    fn requested(object: &Bound<'py, PyAny>, flags: c_int) -> PyResult<Self> {
        let py = object.py();
        let mut raw = Box::new(mem::MaybeUninit::<ffi::Py_buffer>::zeroed());
        // SAFETY: `raw` is writable and stays where it is.
        if !unsafe { fill_buffer(object, raw.as_mut_ptr(), flags) } {
            let error = PyErr::take(py).unwrap_or_else(|| PyBufferError::new_err("no buffer"));
            return Err(if object.is_instance_of::<PyString>() { str_for_bytes(object) } else { error });
        }
        // SAFETY: success means that the view is initialised.
        Ok(Self { raw: RawView(unsafe { raw.assume_init() }), _py: py })
    }
}

impl RawView {
    /// Returns the address of the first byte; never null.
    fn start(&self) -> *const u8 {
        if self.0.buf.is_null() { ptr::dangling() } else { self.0.buf.cast() }
    }

    fn length(&self) -> usize {
        if self.0.buf.is_null() { 0 } else { self.0.len.cast_unsigned() }
    }

    /// Returns the format of the items, as in the module `struct`; `None` means unsigned bytes.
    fn format(&self) -> Option<&CStr> {
        // SAFETY: a format is a string that ends with a zero and lasts as long as the view.
        (!self.0.format.is_null()).then(|| unsafe { CStr::from_ptr(self.0.format) })
    }
}

impl Drop for RawView {
    fn drop(&mut self) {
        // SAFETY: the view was filled and is released once. The thread is attached: the token of a `BufferView` proves
        // it, and the caller of `HeldBuffer::of` promises it.
        unsafe { ffi::PyBuffer_Release(&raw mut *self.0) }
    }
}

/// Returns whether the items of a format are bytes, bools or integers, one or several of a type.
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
        _ => "neither bytes nor integers; cast a memoryview of it to 'B' for the memory itself",
    };
    type_error(object, |given| {
        format!(
            "a bytes-like object is required, but the buffer of this {given} has the format {:?}: its items are {items}",
            format.to_string_lossy()
        )
    })
}

/// Checks for signals, and lets other threads run, between the items of an iterator: what collects all of them, such as
/// list, does not.
#[derive(Default)]
pub(super) struct ItemPoller {
    /// The number of items, without some that several threads took at once.
    items: AtomicUsize,
    poller: Mutex<SignalPoller>,
}

impl ItemPoller {
    /// The number of items after which the clock is read.
    const ITEMS: usize = 256;

    /// Counts an item. Nothing may be locked, as the handler of a signal may ask the same iterator for its next item.
    ///
    /// Raises what a signal handler raises.
    #[inline]
    pub(super) fn count(&self, py: Python<'_>) -> PyResult<()> {
        let items = self.items.load(Relaxed);
        self.items.store(items.wrapping_add(1), Relaxed);
        if items.is_multiple_of(Self::ITEMS) { self.poll(py) } else { Ok(()) }
    }

    #[cold]
    fn poll(&self, py: Python<'_>) -> PyResult<()> {
        let mut poller = mem::take(&mut *locked(py, &self.poller));
        let outcome = poller.advance_attached(py, CHUNK_BYTES);
        *locked(py, &self.poller) = poller;
        Ok(outcome?)
    }
}

/// Checks for signals while a long call runs, so that Ctrl-C can interrupt it.
#[derive(Default)]
pub(super) struct SignalPoller {
    /// When signals were last checked for, or when the work started.
    last_check: Option<Instant>,
    /// The number of bytes processed since the clock was last read.
    unpolled_bytes: usize,
}

impl SignalPoller {
    /// Records `bytes` more bytes of work done detached, and polls once these come to a chunk.
    ///
    /// Raises what a signal handler raises.
    #[inline]
    pub(super) fn advance(&mut self, bytes: usize) -> Result<(), WorkError> {
        if self.is_chunk_done(bytes) { self.poll() } else { Ok(()) }
    }

    /// Records `bytes` more bytes of work done attached, and once these come to a chunk, polls and lets other threads
    /// run.
    ///
    /// Raises what a signal handler raises.
    #[inline]
    pub(super) fn advance_attached(&mut self, py: Python<'_>, bytes: usize) -> Result<(), WorkError> {
        if !(self.is_chunk_done(bytes) && self.is_due()) {
            return Ok(());
        }
        py.check_signals()?;
        py.detach(|| ());
        self.last_check = Some(Instant::now());
        Ok(())
    }

    /// Checks for signals if the last check is long ago. The thread must be detached.
    ///
    /// Raises what a signal handler raises.
    pub(super) fn poll(&mut self) -> Result<(), WorkError> {
        if !self.is_due() {
            return Ok(());
        }
        // While the interpreter shuts down, no thread can attach, and no signal handler runs.
        let outcome = Python::try_attach(|py| py.check_signals()).unwrap_or(Ok(()));
        self.last_check = Some(Instant::now());
        outcome.map_err(WorkError::from)
    }

    /// Runs `work` on data, with a function to which it reports its progress in bytes, as to `advance`.
    ///
    /// Raises what a signal handler raises, and MemoryError.
    pub(super) fn supervised<T>(
        &mut self,
        work: impl FnOnce(Progress<'_>) -> Result<T, Stopped>,
    ) -> Result<T, WorkError> {
        self.supervised_with(work, |stopped| WorkError::from(stopped).into())
    }

    /// Runs `work` as `supervised` does. Raises what a signal handler raises, and otherwise the exception for the error
    /// of `work`.
    pub(super) fn supervised_with<T, E>(
        &mut self,
        work: impl FnOnce(Progress<'_>) -> Result<T, E>,
        exception: impl FnOnce(E) -> PyErr,
    ) -> Result<T, WorkError> {
        let mut raised = None;
        let outcome = work(&mut |bytes| {
            self.advance(bytes).map_err(|error| {
                raised = Some(error);
                Stopped::Interrupted
            })
        });
        outcome.map_err(|error| raised.unwrap_or_else(|| exception(error).into()))
    }

    /// Runs `work` on data, with a function that polls.
    ///
    /// Raises what a signal handler raises, and MemoryError.
    pub(super) fn polled<T>(
        &mut self,
        work: impl FnOnce(Poll<'_>) -> Result<T, Stopped>,
    ) -> Result<T, WorkError> {
        self.supervised(|progress| work(&mut || progress(CHUNK_BYTES)))
    }

    /// Adds to the bytes processed, and returns whether they come to a chunk, which starts again then.
    #[inline]
    fn is_chunk_done(&mut self, bytes: usize) -> bool {
        self.unpolled_bytes = self.unpolled_bytes.saturating_add(bytes);
        let done = self.unpolled_bytes >= CHUNK_BYTES;
        if done {
            self.unpolled_bytes = 0;
        }
        done
    }

    fn is_due(&mut self) -> bool {
        self.last_check.get_or_insert_with(Instant::now).elapsed() >= SIGNAL_INTERVAL
    }
}

/// Runs `work` on `length` bytes of data, detached from the interpreter if they are many.
///
/// Raises what `work` raises, and what a signal handler raises, also after the work.
pub(super) fn detached<T: Send>(
    py: Python<'_>,
    length: usize,
    work: impl FnOnce(&mut SignalPoller) -> Result<T, WorkError> + Send,
) -> PyResult<T> {
    let outcome = detached_change(py, length, work)?;
    if length >= MIN_DETACHED_BYTES {
        // Many calls that are too short to poll may follow each other, as for the items of a list.
        py.check_signals()?;
    }
    Ok(outcome)
}

/// Runs `work` as `detached` does, for work that changes something at its end: after it no signal handler runs, whose
/// exception would look as if nothing had changed.
///
/// Raises what `work` raises.
pub(super) fn detached_change<T: Send>(
    py: Python<'_>,
    length: usize,
    work: impl FnOnce(&mut SignalPoller) -> Result<T, WorkError> + Send,
) -> PyResult<T> {
    /// Not inlined, so that `work` is compiled once, not once for each of the two ways to run it.
    #[inline(never)]
    fn run<T>(
        work: impl FnOnce(&mut SignalPoller) -> Result<T, WorkError>,
        poller: &mut SignalPoller,
    ) -> PyResult<T> {
        work(poller).map_err(PyErr::from)
    }
    let mut poller = SignalPoller::default();
    if length < MIN_DETACHED_BYTES { run(work, &mut poller) } else { py.detach(|| run(work, &mut poller)) }
}

/// Runs `work` on `length` bytes of data as `detached` does, with a function to which it reports its progress in bytes.
///
/// Raises what a signal handler raises, and MemoryError.
pub(super) fn supervised<T: Send>(
    py: Python<'_>,
    length: usize,
    work: impl FnOnce(Progress<'_>) -> Result<T, Stopped> + Send,
) -> PyResult<T> {
    detached(py, length, |poller| poller.supervised(work))
}

/// Runs `work` on `length` bytes of data as `detached` does, with a function that polls.
///
/// Raises what a signal handler raises, and MemoryError.
pub(super) fn polled<T: Send>(
    py: Python<'_>,
    length: usize,
    work: impl FnOnce(Poll<'_>) -> Result<T, Stopped> + Send,
) -> PyResult<T> {
    detached(py, length, |poller| poller.polled(work))
}

/// Runs `search` on `length` bytes of data: first attached, and again from the start, detached, if its result is not in
/// the first `MIN_DETACHED_BYTES`.
///
/// This is for a search that is repeated for each of many errors: while another thread runs Python code, each release
/// of the interpreter takes milliseconds. `search` reports its work, in bytes, to the function that it gets.
pub(super) fn searched<T: Send>(
    py: Python<'_>,
    length: usize,
    mut search: impl FnMut(Progress<'_>) -> Result<T, Stopped> + Send,
) -> PyResult<T> {
    let (mut left, mut far) = (MIN_DETACHED_BYTES, false);
    let near = search(&mut |bytes| {
        left = left.saturating_sub(bytes);
        far = left == 0;
        if far { Err(Stopped::Interrupted) } else { Ok(()) }
    });
    if far { supervised(py, length, search) } else { near.map_err(|stopped| WorkError::from(stopped).into()) }
}

/// Runs `work` on consecutive chunks of `data`, until it returns false.
pub(super) fn for_each_chunk(
    py: Python<'_>,
    data: &[u8],
    mut work: impl FnMut(&[u8]) -> bool + Send,
) -> PyResult<()> {
    if data.len() < MIN_DETACHED_BYTES {
        work(data);
        return Ok(());
    }
    detached(py, data.len(), |poller| {
        for chunk in chunks(data, CHUNK_BYTES) {
            if !work(chunk) {
                break;
            }
            poller.poll()?;
        }
        Ok(())
    })
}
