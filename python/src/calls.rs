//! Calls of Python code, which may never return.
//!
//! Before version 3.14, CPython ends a daemon thread that resumes after the interpreter has shut down by unwinding its
//! stack. That must not cross Rust code, whose destructors would use Python objects, and where it would abort the
//! process. Such a thread waits for the process to end instead, as in CPython itself from 3.14 on.
//!
//! PyO3 declares the functions of CPython as ones that never unwind, for which the compiler leaves out whatever would
//! wait. So those that run Python code are called here, as functions that may unwind, by an address that the compiler
//! does not know.

use core::ffi::c_int;
use core::hint::black_box;
use core::{mem, ptr};
use std::thread;

use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyString, PyTuple};

/// Returns a function of CPython as one that may unwind.
macro_rules! unwinding {
    ($function:path as fn($($argument:ty),*) -> $result:ty) => {{
        type Declared = unsafe extern "C" fn($($argument),*) -> $result;
        type Unwinding = unsafe extern "C-unwind" fn($($argument),*) -> $result;
        // SAFETY: the function is compiled from C, where both are the same.
        unsafe { mem::transmute::<Declared, Unwinding>(black_box($function as Declared)) }
    }};
}

/// Waits for the process to end when it is dropped, unless a panic drops it.
struct Wait;

impl Drop for Wait {
    fn drop(&mut self) {
        while !thread::panicking() {
            thread::park();
        }
    }
}

/// Returns the result of `call`, or waits for the process to end if that unwinds.
#[inline(always)]
fn waiting<T>(call: impl FnOnce() -> T) -> T {
    let wait = Wait;
    let result = call();
    mem::forget(wait);
    result
}

/// Calls an object with positional arguments.
pub(super) fn call<'py, A>(callable: &Bound<'py, PyAny>, arguments: A) -> PyResult<Bound<'py, PyAny>>
where
    A: IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error: Into<PyErr>>,
{
    let arguments = arguments.into_pyobject(callable.py()).map_err(Into::into)?;
    called(callable, &arguments)
}

fn called<'py>(callable: &Bound<'py, PyAny>, arguments: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
    let call =
        unwinding!(ffi::PyObject_Call as fn(*mut PyObject, *mut PyObject, *mut PyObject) -> *mut PyObject);
    // SAFETY: both objects are alive, and without keywords their dictionary is null.
    let result = waiting(|| unsafe { call(callable.as_ptr(), arguments.as_ptr(), ptr::null_mut()) });
    owned(callable.py(), result)
}

/// Calls an object with one argument: without a tuple where it can, as handlers are called for each error.
pub(super) fn call_one<'py>(
    callable: &Bound<'py, PyAny>,
    argument: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    type Unwinding = unsafe extern "C-unwind" fn(
        *mut PyObject,
        *const *mut PyObject,
        usize,
        *mut PyObject,
    ) -> *mut PyObject;
    // SAFETY: it is a live object.
    let Some(vectorcall) = (unsafe { ffi::PyVectorcall_Function(callable.as_ptr()) }) else {
        return call(callable, (argument,));
    };
    // SAFETY: as for `unwinding`.
    let vectorcall = unsafe { mem::transmute::<ffi::vectorcallfunc, Unwinding>(vectorcall) };
    // The place before the argument is for `self`, which the callee may put there.
    let mut arguments = [ptr::null_mut(), argument.as_ptr()];
    let first = arguments.as_mut_ptr().wrapping_add(1);
    let count = 1 | ffi::PY_VECTORCALL_ARGUMENTS_OFFSET;
    // SAFETY: both objects are alive, and there is one argument, without keywords.
    let result = waiting(|| unsafe { vectorcall(callable.as_ptr(), first, count, ptr::null_mut()) });
    owned(callable.py(), result)
}

/// Calls a method of an object with positional arguments.
pub(super) fn call_method<'py, A>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
    arguments: A,
) -> PyResult<Bound<'py, PyAny>>
where
    A: IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error: Into<PyErr>>,
{
    let get = unwinding!(ffi::PyObject_GetAttr as fn(*mut PyObject, *mut PyObject) -> *mut PyObject);
    // SAFETY: both objects are alive.
    let method = waiting(|| unsafe { get(object.as_ptr(), name.as_ptr()) });
    call(&owned(object.py(), method)?, arguments)
}

/// Returns the next item of an iterator; `None` after the last.
pub(super) fn next<'py>(iterator: &Bound<'py, PyIterator>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let next = unwinding!(ffi::PyIter_Next as fn(*mut PyObject) -> *mut PyObject);
    // SAFETY: it is a live iterator.
    let item = waiting(|| unsafe { next(iterator.as_ptr()) });
    if item.is_null() {
        return PyErr::take(iterator.py()).map_or(Ok(None), Err);
    }
    owned(iterator.py(), item).map(Some)
}

/// Returns the number of items that an iterator expects, 0 if it does not know.
pub(super) fn length_hint(iterator: &Bound<'_, PyIterator>) -> PyResult<usize> {
    let hint = unwinding!(ffi::PyObject_LengthHint as fn(*mut PyObject, ffi::Py_ssize_t) -> ffi::Py_ssize_t);
    // SAFETY: it is a live object.
    let hint = waiting(|| unsafe { hint(iterator.as_ptr(), 0) });
    usize::try_from(hint).map_err(|_| PyErr::fetch(iterator.py()))
}

/// Returns a number as an int, by its `__index__`.
pub(super) fn index<'py>(number: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let index = unwinding!(ffi::PyNumber_Index as fn(*mut PyObject) -> *mut PyObject);
    // SAFETY: it is a live object.
    let result = waiting(|| unsafe { index(number.as_ptr()) });
    owned(number.py(), result)
}

/// Requests the buffer of an object. Returns whether `view` was filled; else an exception is set, unless the exporter
/// has set none.
///
/// # Safety
/// `view` must be writable, and stay where it is until it is released.
pub(super) unsafe fn fill_buffer(object: &Bound<'_, PyAny>, view: *mut ffi::Py_buffer, flags: c_int) -> bool {
    let get = unwinding!(ffi::PyObject_GetBuffer as fn(*mut PyObject, *mut ffi::Py_buffer, c_int) -> c_int);
    // SAFETY: the object is alive, and the caller answers for the view.
    waiting(|| unsafe { get(object.as_ptr(), view, flags) }) == 0
}

/// Returns what a function of CPython returned: a new reference, or null with an exception set.
fn owned<'py>(py: Python<'py>, result: *mut PyObject) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: each of the functions above returns one or the other.
    unsafe { Bound::from_owned_ptr_or_err(py, result) }
}
