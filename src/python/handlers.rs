//! Error handlers: which one a name means, and calls of those that are not built in.
//!
//! What is built into CPython's codec runs natively here. CPython itself looks up "strict", "backslashreplace" on
//! decoding, "surrogatepass" on decoding, and "namereplace", so somebody may have registered something else under
//! these names; then that is called.

use std::ffi::{CStr, CString, c_int};

use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction, PyString, PyTuple};

use super::arguments::text_argument;
use super::buffer::snapshot;
use super::encode::encode;
use super::errors::{Fault, SURROGATES, UTF8, decode_exception, encode_exception};
use super::interpreter::call_python;
use super::string::Units;
use crate::allocation::Grow;

/// The name of an error handler, as CPython takes it.
pub(super) struct Name(CString);

impl Name {
    /// The argument `errors` of `function`; without one it is "strict".
    pub(super) fn of(errors: Option<&Bound<'_, PyAny>>, function: &str) -> PyResult<Option<Self>> {
        let Some(errors) = errors else { return Ok(None) };
        let name = text_argument(errors, function, "'errors'")?;
        let encoded;
        let bytes = match Units::of(name)? {
            Units::Ascii(b"strict") => return Ok(None),
            Units::Ascii(bytes) => bytes,
            _ => {
                encoded = encode(name, None)?;
                encoded.as_bytes()
            }
        };
        let mut owned = vec![];
        owned.grow(bytes.len() + 1)?; // and the zero at its end
        owned.extend_from_slice(bytes);
        let name = CString::new(owned).map_err(|_| PyValueError::new_err("embedded null character"))?;
        Ok(Some(Self(name)))
    }
}

/// What the name of an error handler means.
pub(super) enum Handler<'py, B> {
    BuiltIn(B),
    Registered(Bound<'py, PyAny>),
}

/// How names become handlers, for one direction.
pub(super) trait BuiltIn: Sized + Copy {
    /// Those that no registration changes.
    fn fixed(name: &[u8]) -> Option<Self>;

    /// Those that are looked up, and the name of the function that is found there unless somebody has registered
    /// another.
    fn looked_up(name: &[u8]) -> Option<(Self, &'static str)>;

    fn find<'py>(py: Python<'py>, name: Option<&Name>) -> PyResult<Handler<'py, Self>> {
        let name: &CStr = name.map_or(c"strict", |name| &name.0);
        if let Some(handler) = Self::fixed(name.to_bytes()) {
            return Ok(Handler::BuiltIn(handler));
        }
        let function = registered(py, name)?;
        match Self::looked_up(name.to_bytes()) {
            Some((handler, own)) if function.cast_exact::<PyCFunction>().is_ok() => {
                let found = function.getattr("__name__")?;
                Ok(if found.eq(own)? { Handler::BuiltIn(handler) } else { Handler::Registered(function) })
            }
            _ => Ok(Handler::Registered(function)),
        }
    }
}

/// The handler that is registered under a name; LookupError if there is none.
pub(super) fn registered<'py>(py: Python<'py>, name: &CStr) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the thread is attached, and `name` ends with a zero.
    let function = unsafe { ffi::PyCodec_LookupError(name.as_ptr()) };
    // SAFETY: `function` is a new reference, or null with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(py, function) }
}

/// One call's use of a registered handler: it gets the same exception again and again.
pub(super) struct Calls<'py> {
    handler: Bound<'py, PyAny>,
    /// Which encoding the exception tells of.
    encoding: &'static str,
    exception: Option<Bound<'py, PyAny>>,
}

impl<'py> Calls<'py> {
    pub(super) fn of(handler: Bound<'py, PyAny>, encoding: &'static str) -> Self {
        Self { handler, encoding, exception: None }
    }

    /// Hands over an error in `bytes`: what is written instead, in which bytes decoding goes on, and where.
    pub(super) fn decoding(
        &mut self,
        bytes: &Bound<'py, PyBytes>,
        fault: Fault,
    ) -> PyResult<(Bound<'py, PyString>, Bound<'py, PyBytes>, usize)> {
        let py = bytes.py();
        let exception = self.for_bytes(bytes, fault)?;
        let wrong = "decoding error handler must return (str, int) tuple";
        let (replacement, place) = self.call(&exception, wrong)?;
        let replacement = replacement.cast_into::<PyString>().map_err(|_| PyTypeError::new_err(wrong))?;
        let place = index(&place)?;
        // SAFETY: `exception` is a live UnicodeDecodeError.
        let object = unsafe { ffi::PyUnicodeDecodeError_GetObject(exception.as_ptr()) };
        // SAFETY: `object` is a new reference, or null with an exception set.
        let object = unsafe { Bound::from_owned_ptr_or_err(py, object)? };
        let object = snapshot(&object)?;
        let at = within(place, object.as_bytes().len())?;
        Ok((replacement, object, at))
    }

    /// The exception, about this error.
    fn for_bytes(&mut self, bytes: &Bound<'py, PyBytes>, fault: Fault) -> PyResult<Bound<'py, PyAny>> {
        let Some(exception) = &self.exception else {
            let exception = decode_exception(self.encoding, bytes, fault)?;
            return Ok(self.exception.insert(exception).clone());
        };
        retell(exception, fault)?;
        Ok(exception.clone())
    }

    /// Hands over a run of surrogates in `text`, `length` characters: what is written instead, a str or bytes, and
    /// where encoding goes on.
    pub(super) fn encoding(
        &mut self,
        text: &Bound<'py, PyString>,
        length: usize,
        run: (usize, usize),
    ) -> PyResult<(Bound<'py, PyAny>, usize)> {
        let exception = self.for_run(text, run)?;
        let wrong = "encoding error handler must return (str/bytes, int) tuple";
        let (replacement, place) = self.call(&exception, wrong)?;
        let place = index(&place)?;
        if !replacement.is_instance_of::<PyString>() && !replacement.is_instance_of::<PyBytes>() {
            return Err(PyTypeError::new_err(wrong));
        }
        Ok((replacement, within(place, length)?))
    }

    /// What is raised for a run of surrogates: the exception that the handler knows.
    pub(super) fn refuse(&mut self, text: &Bound<'py, PyString>, run: (usize, usize)) -> PyErr {
        self.for_run(text, run).map_or_else(|error| error, PyErr::from_value)
    }

    /// The exception, about this run of surrogates.
    fn for_run(
        &mut self,
        text: &Bound<'py, PyString>,
        (start, end): (usize, usize),
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = text.py();
        let Some(exception) = &self.exception else {
            let exception = encode_exception(self.encoding, text, (start, end))?;
            return Ok(self.exception.insert(exception).clone());
        };
        // SAFETY: `exception` is a live UnicodeEncodeError.
        check(py, unsafe { ffi::PyUnicodeEncodeError_SetStart(exception.as_ptr(), start.cast_signed()) })?;
        // SAFETY: as above.
        check(py, unsafe { ffi::PyUnicodeEncodeError_SetEnd(exception.as_ptr(), end.cast_signed()) })?;
        // SAFETY: as above, and the reason ends with a zero.
        check(py, unsafe { ffi::PyUnicodeEncodeError_SetReason(exception.as_ptr(), SURROGATES.as_ptr()) })?;
        Ok(exception.clone())
    }

    fn call(
        &self,
        exception: &Bound<'py, PyAny>,
        wrong: &'static str,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let result = call_python(|| self.handler.call1((exception,)))?;
        match result.cast::<PyTuple>() {
            Ok(pair) if pair.len() == 2 => Ok((pair.get_item(0)?, pair.get_item(1)?)),
            _ => Err(PyTypeError::new_err(wrong)),
        }
    }
}

/// What CPython raises for `error` if its handler could mend others: the exception that was made for the `first`.
pub(super) fn raised_after(bytes: &Bound<'_, PyBytes>, first: Fault, error: Fault) -> PyErr {
    let exception = decode_exception(UTF8, bytes, first).and_then(|exception| {
        retell(&exception, error)?;
        Ok(exception)
    });
    exception.map_or_else(|failure| failure, PyErr::from_value)
}

/// Makes a UnicodeDecodeError tell of another error.
fn retell(exception: &Bound<'_, PyAny>, fault: Fault) -> PyResult<()> {
    let py = exception.py();
    let (start, end) = (fault.start.cast_signed(), fault.end.cast_signed());
    let reason = CString::new(fault.reason).unwrap_or_default();
    // SAFETY: `exception` is a live UnicodeDecodeError.
    check(py, unsafe { ffi::PyUnicodeDecodeError_SetStart(exception.as_ptr(), start) })?;
    // SAFETY: as above.
    check(py, unsafe { ffi::PyUnicodeDecodeError_SetEnd(exception.as_ptr(), end) })?;
    // SAFETY: as above, and the reason ends with a zero.
    check(py, unsafe { ffi::PyUnicodeDecodeError_SetReason(exception.as_ptr(), reason.as_ptr()) })
}

/// The exception that a function of the C API has set, if it says so.
fn check(py: Python<'_>, outcome: c_int) -> PyResult<()> {
    if outcome == 0 { Ok(()) } else { Err(PyErr::fetch(py)) }
}

/// A place as a handler gives it, by its `__index__`.
fn index(place: &Bound<'_, PyAny>) -> PyResult<isize> {
    // SAFETY: `place` is a live object, and the thread is attached.
    let number = call_python(|| unsafe { ffi::PyNumber_Index(place.as_ptr()) });
    // SAFETY: `number` is a new reference, or null with an exception set.
    let number = unsafe { Bound::from_owned_ptr_or_err(place.py(), number)? };
    // SAFETY: `number` is a live int.
    match unsafe { ffi::PyLong_AsSsize_t(number.as_ptr()) } {
        -1 => PyErr::take(place.py()).map_or(Ok(-1), Err),
        index => Ok(index),
    }
}

/// A place within `length`; a negative one counts from the end.
fn within(place: isize, length: usize) -> PyResult<usize> {
    let at = if place < 0 { place.wrapping_add_unsigned(length) } else { place };
    usize::try_from(at)
        .ok()
        .filter(|&at| at <= length)
        .ok_or_else(|| PyIndexError::new_err(format!("position {at} from error handler out of bounds")))
}
