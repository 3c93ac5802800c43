//! Lists of any length, tuples, slices and numbers without PyO3's panics, and functions that take an iterable and
//! return a list.

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyIndexError, PyMemoryError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyFloat, PyInt, PyIterator, PyList, PySequence, PyString, PyTuple};

use leadbyte::bindings::allocation::{Grow, try_push};
use leadbyte::bindings::simd::prefetch;

use super::buffer::{SignalPoller, incomplete};
use super::calls::{length_hint, next};
use super::type_errors::wrong_type;
use super::work_error::memory_error;

/// Returns a new list of `items`. Raises MemoryError where PyO3's own conversion would panic.
pub(super) fn list_of<'py, T: IntoPyObject<'py>>(
    py: Python<'py>,
    items: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
) -> PyResult<Bound<'py, PyList>> {
    let items = items.into_iter();
    let length = isize::try_from(items.len()).map_err(|_| PyMemoryError::new_err(()))?;
    // SAFETY: the thread is attached, and `length` is not negative.
    let object = unsafe { ffi::PyList_New(length) };
    // SAFETY: `object` is a new reference, or null with an exception set.
    let list = unsafe { Bound::from_owned_ptr_or_err(py, object)? };
    let mut count = 0;
    for (index, item) in (0..length).zip(items) {
        let item = item.into_bound_py_any(py)?;
        // SAFETY: `object` is a live list whose slot at `index` is still empty; the list takes the reference.
        unsafe { ffi::PyList_SET_ITEM(object, index, item.into_ptr()) };
        count = index + 1;
    }
    // No code in Python may see an empty slot.
    if count != length {
        return Err(incomplete(count as usize, length as usize));
    }
    // SAFETY: its type is list.
    Ok(unsafe { list.cast_into_unchecked() })
}

/// Returns a new tuple of `items`. Raises MemoryError where PyO3's own conversion would panic.
pub(super) fn tuple_of<'py, const N: usize>(
    py: Python<'py>,
    items: [Bound<'py, PyAny>; N],
) -> PyResult<Bound<'py, PyTuple>> {
    // SAFETY: the thread is attached, and no array is longer than `isize::MAX` bytes.
    let object = unsafe { ffi::PyTuple_New(N as isize) };
    // SAFETY: `object` is a new reference, or null with an exception set.
    let tuple = unsafe { Bound::from_owned_ptr_or_err(py, object)? };
    for (index, item) in (0..).zip(items) {
        // SAFETY: `object` is a live tuple whose slot at `index` is still empty; the tuple takes the reference.
        unsafe { ffi::PyTuple_SET_ITEM(object, index, item.into_ptr()) };
    }
    // SAFETY: its type is tuple.
    Ok(unsafe { tuple.cast_into_unchecked() })
}

/// Returns the items of a sequence from `start` to `end`, as `sequence[start:end]` does.
///
/// (`PySlice::new` leaks its three integers, and takes one for which there is no memory for None.)
pub(super) fn slice_of<'py>(
    sequence: &Bound<'py, PyAny>,
    start: usize,
    end: usize,
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: any object may be taken for a sequence; others raise TypeError.
    let sequence = unsafe { sequence.cast_unchecked::<PySequence>() };
    sequence.get_slice(start, end).map(Bound::into_any)
}

/// An integer that becomes an object. Raises MemoryError where PyO3's own conversion would panic.
pub(super) struct Int(pub u64);

impl From<usize> for Int {
    fn from(number: usize) -> Self {
        Self(number as u64)
    }
}

impl<'py> IntoPyObject<'py> for Int {
    type Target = PyInt;
    type Output = Bound<'py, PyInt>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        // SAFETY: the thread is attached.
        let object = unsafe { ffi::PyLong_FromUnsignedLongLong(self.0) };
        // SAFETY: `object` is a new reference, or null with an exception set.
        let integer = unsafe { Bound::from_owned_ptr_or_err(py, object)? };
        // SAFETY: its type is int.
        Ok(unsafe { integer.cast_into_unchecked() })
    }
}

/// A float that becomes an object. Raises MemoryError where PyO3's own conversion would panic.
pub(super) struct Float(pub f64);

impl<'py> IntoPyObject<'py> for Float {
    type Target = PyFloat;
    type Output = Bound<'py, PyFloat>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        // SAFETY: the thread is attached.
        let object = unsafe { ffi::PyFloat_FromDouble(self.0) };
        // SAFETY: `object` is a new reference, or null with an exception set.
        let float = unsafe { Bound::from_owned_ptr_or_err(py, object)? };
        // SAFETY: its type is float.
        Ok(unsafe { float.cast_into_unchecked() })
    }
}

/// Whether there is the GIL; without it, objects have longer headers.
const HAS_GIL: bool = size_of::<ffi::PyObject>() == 2 * size_of::<usize>();

/// The most strs in a [`Queue`]. Of these lines of text, 64 stay in the first-level cache.
const QUEUE_LENGTH: usize = 64;

/// Strs that wait to be taken, which needs no lock.
pub(super) struct Queue {
    /// Owned references, or null.
    places: [AtomicPtr<ffi::PyObject>; QUEUE_LENGTH],
    /// The index of the next one; all places are null if it is beyond the last.
    next: AtomicUsize,
}

impl Default for Queue {
    fn default() -> Self {
        let places = [const { AtomicPtr::new(ptr::null_mut()) }; QUEUE_LENGTH];
        Self { places, next: AtomicUsize::new(QUEUE_LENGTH) }
    }
}

impl Queue {
    /// Takes the next str, if there is one.
    #[inline(always)]
    pub(super) fn take<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyString>> {
        // With the GIL, no other thread comes here meanwhile, and two plain accesses take less time than an atomic one.
        let index = match HAS_GIL {
            true => {
                let index = self.next.load(Ordering::Relaxed);
                self.next.store(index.saturating_add(1), Ordering::Relaxed);
                index
            }
            false => self.next.fetch_add(1, Ordering::AcqRel),
        };
        let object = Self::take_from(self.places.get(index)?);
        if object.is_null() {
            // Those after it are null, too, with the GIL; without it another thread may have taken this one early.
            return if HAS_GIL { None } else { self.take(py) };
        }
        // SAFETY: `object` is a reference that the place owned, to a str, as `fill` put it there.
        let text = unsafe { Bound::from_owned_ptr(py, object) };
        // SAFETY: its type is str.
        Some(unsafe { text.cast_into_unchecked() })
    }

    /// Takes the value of a place; only one caller gets it.
    #[inline(always)]
    fn take_from(place: &AtomicPtr<ffi::PyObject>) -> *mut ffi::PyObject {
        if !HAS_GIL {
            return place.swap(ptr::null_mut(), Ordering::AcqRel);
        }
        let object = place.load(Ordering::Relaxed);
        place.store(ptr::null_mut(), Ordering::Relaxed);
        object
    }

    /// Fills the queue, whose places have all been given out, with what `next` returns, up to `None`. Returns whether
    /// that came: the queue may be full before. Only one thread may do this at a time.
    pub(super) fn fill<'py>(&self, mut next: impl FnMut() -> Option<Bound<'py, PyString>>) -> bool {
        // Nothing is taken before all is there: the order would be another.
        self.next.store(QUEUE_LENGTH, Ordering::Release);
        let mut ended = false;
        for place in &self.places {
            // Without the GIL, the thread to which this place was given out may not have taken its str yet.
            if !HAS_GIL && !place.load(Ordering::Acquire).is_null() {
                continue;
            }
            let Some(text) = next() else {
                ended = true;
                break;
            };
            place.store(text.into_ptr(), Ordering::Release);
        }
        self.next.store(0, Ordering::Release);
        ended
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // While the interpreter shuts down no thread can attach, and memory is no longer freed.
        Python::try_attach(|py| while self.take(py).is_some() {});
    }
}

/// The items of an iterable. A list's items are read by index, which takes less time than by an iterator.
enum Items<'a, 'py> {
    List(&'a Bound<'py, PyList>),
    Iterator(Bound<'py, PyIterator>),
}

impl<'a, 'py> Items<'a, 'py> {
    fn of(items: &'a Bound<'py, PyAny>) -> PyResult<Self> {
        match items.cast_exact() {
            Ok(list) => Ok(Self::List(list)),
            Err(_) => items.try_iter().map(Self::Iterator),
        }
    }

    /// Returns the number of items, as far as it is known.
    fn expected_count(&self) -> PyResult<usize> {
        match self {
            Self::List(list) => Ok(list.len()),
            Self::Iterator(iterator) => length_hint(iterator),
        }
    }

    /// Returns the next item, which follows `count` others; `None` after the last. A list may have changed its length.
    #[inline]
    fn next(&mut self, count: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self {
            Self::List(list) if count < list.len() => {
                prefetch_item(list, count + PREFETCH_ITEMS);
                match list.get_item(count) {
                    // Without the GIL, another thread may have shortened it since.
                    Err(error) if error.is_instance_of::<PyIndexError>(list.py()) => Ok(None),
                    item => item.map(Some),
                }
            }
            Self::List(_) => Ok(None),
            Self::Iterator(iterator) => next(iterator),
        }
    }
}

/// How many items ahead memory is fetched.
const PREFETCH_ITEMS: usize = 12;

/// The number of cache lines of an item that are fetched; the CPU itself fetches more where these are read in order.
const PREFETCH_LINES: usize = 8;

/// The size in bytes of a cache line.
const LINE_BYTES: usize = 64;

/// Fetches the first memory of an item that will soon be read, if there is one: of many items, most are in no cache,
/// and to wait for each takes longer than to process it.
#[inline(always)]
fn prefetch_item(list: &Bound<'_, PyList>, index: usize) {
    // Without the GIL, another thread may free the list's array.
    if HAS_GIL && index < list.len() {
        // SAFETY: the thread is attached, so with the GIL nothing changes the list, and the index is within it.
        let item = unsafe { ffi::PyList_GET_ITEM(list.as_ptr(), index.cast_signed()) };
        for line in 0..PREFETCH_LINES {
            prefetch(item.wrapping_byte_add(line * LINE_BYTES));
        }
    }
}

/// Returns a new list of the results of `work` for each item; None stays None. `function` takes an iterable of the
/// `expected` types. `work` may call back into Python, which may change the iterable. An exception gets a note that it
/// occurred while `doing` the item.
#[inline]
pub(super) fn each<'py, T>(
    items: &Bound<'py, PyAny>,
    function: &str,
    doing: &str,
    expected: &str,
    work: impl Fn(&Bound<'py, PyAny>) -> PyResult<Bound<'py, T>>,
) -> PyResult<Bound<'py, PyList>> {
    let is_one_item = items.is_instance_of::<PyString>()
        || items.is_instance_of::<PyBytes>()
        || items.is_instance_of::<PyByteArray>();
    if is_one_item {
        return Err(wrong_type(items, function, "1", &format!("an iterable of {expected}")));
    }
    let py = items.py();
    let mut items = Items::of(items)?;
    let mut results = vec![];
    results.grow(items.expected_count()?).map_err(memory_error)?;
    let mut poller = SignalPoller::default();
    // `results` has a result for each item so far.
    while let Some(item) = items.next(results.len())? {
        let result = match item.is_none() {
            true => item,
            false => match work(&item) {
                Ok(result) => result.into_any(),
                Err(error) => {
                    return Err(with_item(py, error, doing, results.len()));
                }
            },
        };
        poller.advance_attached(py, ITEM_BYTES)?;
        try_push(&mut results, result).map_err(memory_error)?;
    }
    list_of(py, results)
}

/// Returns what `extract` returns for each item of an iterable.
pub(super) fn extracted<T>(
    items: &Bound<'_, PyAny>,
    extract: impl Fn(&Bound<'_, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    let py = items.py();
    let mut items = Items::of(items)?;
    let mut extracts = vec![];
    extracts.grow(items.expected_count()?).map_err(memory_error)?;
    let mut poller = SignalPoller::default();
    while let Some(item) = items.next(extracts.len())? {
        try_push(&mut extracts, extract(&item)?).map_err(memory_error)?;
        poller.advance_attached(py, size_of::<T>())?;
    }
    Ok(extracts)
}

/// The most bytes of an item that are processed without looking for signals.
const ITEM_BYTES: usize = 4 << 10;

/// Returns the exception with a note that it occurred while `doing` an item. Python 3.10 has no notes; and the
/// exception matters more than a note that cannot be added, as where memory is exhausted.
#[cold]
fn with_item(py: Python<'_>, error: PyErr, doing: &str, index: usize) -> PyErr {
    if !error.is_instance_of::<PyMemoryError>(py) {
        let note = format!("while {doing} item {index}");
        let _ = error.value(py).call_method1(intern!(py, "add_note"), (note,));
    }
    error
}
