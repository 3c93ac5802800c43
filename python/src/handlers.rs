//! Error handlers: the meaning of their names, and calls of those that are functions of Python.
//!
//! What CPython's handlers do is in `error_handler` of the crate and runs without a call. CPython looks some of them
//! up, so that a user can register another function under their names; then that is called.

use std::ffi::{CStr, CString, c_int};

use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction, PyString, PyTuple};

use leadbyte::bindings::allocation::Grow;
use leadbyte::bindings::encodings::{ErrorHandler, Fault};

use super::arguments::text_argument;
use super::buffer::snapshot;
use super::calls::{self, call_method, call_one};
use super::errors::{SURROGATES, UTF8, decode_exception, encode_exception};
use super::string::Units;
use super::work_error::memory_error;

/// The name of an error handler.
pub(super) enum Name {
    BuiltIn(ErrorHandler),
    /// Any other name in UTF-8, as CPython takes it.
    Other(CString),
}

impl Name {
    /// Returns the argument `errors` of `function`; `None` means "strict".
    pub(super) fn of(errors: Option<&Bound<'_, PyAny>>, function: &str) -> PyResult<Option<Self>> {
        let Some(errors) = errors else { return Ok(None) };
        let name = text_argument(errors, function, "'errors'")?;
        let encoded;
        let bytes = match Units::of(name)? {
            Units::Ascii(b"strict") => return Ok(None),
            Units::Ascii(bytes) => bytes,
            _ => {
                encoded = name.encode_utf8()?;
                encoded.as_bytes()
            }
        };
        if let Some(handler) = ErrorHandler::from_name(bytes, name_of) {
            return Ok(Some(Self::BuiltIn(handler)));
        }
        let mut owned = vec![];
        owned.grow(bytes.len() + 1).map_err(memory_error)?; // and the zero at its end
        owned.extend_from_slice(bytes);
        let name = CString::new(owned).map_err(|_| PyValueError::new_err("embedded null character"))?;
        Ok(Some(Self::Other(name)))
    }
}

/// The meaning of an error handler's name.
pub(super) enum Handler<'py> {
    BuiltIn(ErrorHandler),
    Registered(Bound<'py, PyAny>),
}

/// The codecs of CPython whose treatment of error handlers is matched here.
#[derive(Clone, Copy)]
pub(super) enum Codec {
    Utf8Decoder,
    Utf8Encoder,
    /// A codec that calls every handler.
    Variant,
}

/// How a codec finds a handler.
enum HandlerLookup {
    /// By its name alone: registering another function has no effect.
    Fixed,
    /// In the registry, where CPython's own function has this name.
    Registry(&'static str),
    /// In the registry, and it is called in any case.
    Called,
}

impl Codec {
    #[inline]
    fn lookup(self, handler: ErrorHandler) -> HandlerLookup {
        use ErrorHandler::{
            BackslashReplace, Ignore, NameReplace, Replace, Strict, SurrogateEscape, SurrogatePass,
            XmlCharRefReplace,
        };
        match (self, handler) {
            (Self::Variant, SurrogatePass) | (Self::Utf8Decoder, SurrogatePass) => {
                HandlerLookup::Registry("surrogatepass")
            }
            (Self::Variant, _) => HandlerLookup::Called,
            (_, Strict) => HandlerLookup::Registry("strict_errors"),
            (_, Ignore | Replace | SurrogateEscape) => HandlerLookup::Fixed,
            (Self::Utf8Decoder, BackslashReplace) => HandlerLookup::Registry("backslashreplace_errors"),
            (Self::Utf8Decoder, XmlCharRefReplace | NameReplace(_)) => HandlerLookup::Called,
            (Self::Utf8Encoder, BackslashReplace | XmlCharRefReplace | SurrogatePass) => HandlerLookup::Fixed,
            (Self::Utf8Encoder, NameReplace(_)) => HandlerLookup::Registry("namereplace_errors"),
        }
    }

    /// Finds the handler of this name. Raises LookupError if there is none.
    pub(super) fn find<'py>(self, py: Python<'py>, name: Option<&Name>) -> PyResult<Handler<'py>> {
        let handler = match name {
            None => ErrorHandler::Strict,
            Some(Name::BuiltIn(handler)) => *handler,
            Some(Name::Other(name)) => return registered(py, name).map(Handler::Registered),
        };
        let own = match self.lookup(handler) {
            HandlerLookup::Fixed => return Ok(Handler::BuiltIn(handler)),
            HandlerLookup::Registry(own) => Some(own),
            HandlerLookup::Called => None,
        };
        let function = registered(py, handler.name())?;
        match own {
            Some(own) if function.cast_exact::<PyCFunction>().is_ok() => {
                let found = function.getattr("__name__")?;
                Ok(if found.eq(own)? { Handler::BuiltIn(handler) } else { Handler::Registered(function) })
            }
            _ => Ok(Handler::Registered(function)),
        }
    }
}

/// Returns the name of a character in the Unicode Standard; none is known while the interpreter shuts down.
pub(super) fn name_of(character: char) -> Option<String> {
    let name = |py: Python<'_>| {
        let unicodedata = py.import("unicodedata").ok()?;
        let name = call_method(&unicodedata, intern!(py, "name"), (character,)).ok()?;
        name.extract().ok()
    };
    Python::try_attach(name).flatten()
}

/// Returns the handler that is registered under a name. Raises LookupError if there is none.
pub(super) fn registered<'py>(py: Python<'py>, name: &CStr) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the thread is attached, and `name` ends with a zero.
    let function = unsafe { ffi::PyCodec_LookupError(name.as_ptr()) };
    // SAFETY: `function` is a new reference, or null with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(py, function) }
}

/// The use of a registered handler in one call of a codec: it gets the same exception object for each error.
pub(super) struct Calls<'py> {
    handler: Bound<'py, PyAny>,
    /// The name of the encoding in the exception.
    encoding: &'static str,
    exception: Option<Bound<'py, PyAny>>,
}

impl<'py> Calls<'py> {
    pub(super) fn of(handler: Bound<'py, PyAny>, encoding: &'static str) -> Self {
        Self { handler, encoding, exception: None }
    }

    /// Calls the handler for a fault in `bytes`. Returns the replacement, and the bytes and the offset at which
    /// decoding continues.
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

    /// Returns the exception for this fault.
    fn for_bytes(&mut self, bytes: &Bound<'py, PyBytes>, fault: Fault) -> PyResult<Bound<'py, PyAny>> {
        let Some(exception) = &self.exception else {
            let exception = decode_exception(self.encoding, bytes, fault)?;
            return Ok(self.exception.insert(exception).clone());
        };
        set_fault(exception, fault)?;
        Ok(exception.clone())
    }

    /// Calls the handler for a run of surrogates in `text`, which has `length` code points. Returns the replacement, a
    /// str or bytes, and the index at which encoding continues.
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

    /// Returns the exception to raise for a run of surrogates: the object that the handler got.
    pub(super) fn refuse(&mut self, text: &Bound<'py, PyString>, run: (usize, usize)) -> PyErr {
        self.for_run(text, run).map_or_else(|error| error, PyErr::from_value)
    }

    /// Returns the exception for this run of surrogates.
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
        let result = call_one(&self.handler, exception)?;
        match result.cast::<PyTuple>() {
            Ok(pair) if pair.len() == 2 => Ok((pair.get_item(0)?, pair.get_item(1)?)),
            _ => Err(PyTypeError::new_err(wrong)),
        }
    }
}

/// Returns the exception that CPython raises for `fault` if its handler replaced others before: the object made for the
/// `first`, with the fields of `fault`.
pub(super) fn raised_after(bytes: &Bound<'_, PyBytes>, first: Fault, fault: Fault) -> PyErr {
    let exception = decode_exception(UTF8, bytes, first).and_then(|exception| {
        set_fault(&exception, fault)?;
        Ok(exception)
    });
    exception.map_or_else(|failure| failure, PyErr::from_value)
}

/// Sets the fields of a UnicodeDecodeError.
fn set_fault(exception: &Bound<'_, PyAny>, fault: Fault) -> PyResult<()> {
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

/// Converts the result of a C function to the exception that it has set, if it is not 0.
fn check(py: Python<'_>, outcome: c_int) -> PyResult<()> {
    if outcome == 0 { Ok(()) } else { Err(PyErr::fetch(py)) }
}

/// Returns the position that a handler returned, by its `__index__`.
fn index(place: &Bound<'_, PyAny>) -> PyResult<isize> {
    let number = calls::index(place)?;
    // SAFETY: `number` is a live int.
    match unsafe { ffi::PyLong_AsSsize_t(number.as_ptr()) } {
        -1 => PyErr::take(place.py()).map_or(Ok(-1), Err),
        index => Ok(index),
    }
}

/// Returns a position within `length`; a negative one counts from the end.
fn within(place: isize, length: usize) -> PyResult<usize> {
    let at = if place < 0 { place.wrapping_add_unsigned(length) } else { place };
    usize::try_from(at)
        .ok()
        .filter(|&at| at <= length)
        .ok_or_else(|| PyIndexError::new_err(format!("position {at} from error handler out of bounds")))
}
