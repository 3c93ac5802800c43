//! The functions that are called most often on short data, and single lookups of offset maps: static method tables with
//! CPython's fastest calling convention, at two thirds of the cost of `#[pyfunction]`.

use std::ffi::{CStr, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::{ptr, slice};

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyTuple, PyType};

use leadbyte::Unit;

use super::arguments::text_argument;
use super::buffer::Buffer;
use super::editable_offsets::EditableOffsetMap;
use super::handlers::Name;
use super::interpreter::{guarded, restore};
use super::lines::LineIterator;
use super::offsets::{Lookups, OffsetMap, any_offset, column_argument, unit_argument};
use super::scan::{scan_with, threads_argument};
use super::string::Units;
use super::{decode, encode, encode_into, functions, offsets, unicode};

/// Adds the functions of this file to `module`.
pub(super) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    // SAFETY: the table is static, ends with a zeroed entry, and CPython does not write to it.
    let failed = unsafe { ffi::PyModule_AddFunctions(module.as_ptr(), METHODS.0.as_ptr().cast_mut()) };
    if failed != 0 {
        return Err(PyErr::fetch(module.py()));
    }
    METHODS.0.iter().take_while(|method| !method.ml_name.is_null()).try_for_each(|method| {
        // SAFETY: the names are static text that ends with a zero.
        let name = unsafe { CStr::from_ptr(method.ml_name) };
        module.index()?.append(name)
    })
}

struct MethodTable<const N: usize>([ffi::PyMethodDef; N]);

// SAFETY: the table holds pointers to static text and to functions, and is never written to.
unsafe impl<const N: usize> Sync for MethodTable<N> {}

static METHODS: MethodTable<12> = MethodTable([
    positional(c"is_valid", is_valid, functions::IS_VALID_DOC),
    positional(c"count_chars", count_chars, functions::COUNT_CHARS_DOC),
    with_keywords(c"scan", scan, functions::SCAN_DOC),
    with_keywords(c"decode", decode, functions::DECODE_DOC),
    with_keywords(c"encode", encode, functions::ENCODE_DOC),
    with_keywords(c"encode_into", encode_into, functions::ENCODE_INTO_DOC),
    positional(c"encoded_length", encoded_length, functions::ENCODED_LENGTH_DOC),
    positional(c"normalize", normalize, unicode::NORMALIZE_DOC),
    positional(c"is_normalized", is_normalized, unicode::IS_NORMALIZED_DOC),
    positional(c"count_graphemes", count_graphemes, unicode::COUNT_GRAPHEMES_DOC),
    positional(c"casefold", casefold, unicode::CASEFOLD_DOC),
    ffi::PyMethodDef::zeroed(),
]);

const fn positional(
    name: &'static CStr,
    function: ffi::PyCFunctionFast,
    doc: &'static CStr,
) -> ffi::PyMethodDef {
    method(name, ffi::PyMethodDefPointer { PyCFunctionFast: function }, ffi::METH_FASTCALL, doc)
}

const fn with_keywords(
    name: &'static CStr,
    function: ffi::PyCFunctionFastWithKeywords,
    doc: &'static CStr,
) -> ffi::PyMethodDef {
    let pointer = ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: function };
    method(name, pointer, ffi::METH_FASTCALL | ffi::METH_KEYWORDS, doc)
}

const fn method(
    name: &'static CStr,
    function: ffi::PyMethodDefPointer,
    flags: c_int,
    doc: &'static CStr,
) -> ffi::PyMethodDef {
    ffi::PyMethodDef { ml_name: name.as_ptr(), ml_meth: function, ml_flags: flags, ml_doc: doc.as_ptr() }
}

static OFFSET_MAP: MethodTable<3> = MethodTable(lookups::<OffsetMap>());
static EDITABLE_OFFSET_MAP: MethodTable<3> = MethodTable(lookups::<EditableOffsetMap>());

const fn lookups<C: Lookups>() -> [ffi::PyMethodDef; 3] {
    [
        with_keywords(c"convert", convert::<C>, offsets::CONVERT_DOC),
        with_keywords(c"position", position::<C>, offsets::POSITION_DOC),
        with_keywords(c"offset", offset::<C>, offsets::OFFSET_DOC),
    ]
}

/// Adds the single lookups to the classes of offset maps.
pub(super) fn add_lookups(py: Python<'_>) -> PyResult<()> {
    add_methods(&py.get_type::<OffsetMap>(), &OFFSET_MAP)?;
    add_methods(&py.get_type::<EditableOffsetMap>(), &EDITABLE_OFFSET_MAP)
}

fn add_methods<const N: usize>(class: &Bound<'_, PyType>, methods: &'static MethodTable<N>) -> PyResult<()> {
    methods.0.iter().try_for_each(|method| {
        // SAFETY: the class is alive, and the table is static and not written to.
        let descriptor =
            unsafe { ffi::PyDescr_NewMethod(class.as_type_ptr(), ptr::from_ref(method).cast_mut()) };
        // SAFETY: it is a new reference, or null with an exception set.
        let descriptor = unsafe { Bound::from_owned_ptr_or_err(class.py(), descriptor)? };
        // SAFETY: the names are static text that ends with a zero.
        class.setattr(unsafe { CStr::from_ptr(method.ml_name) }, descriptor)
    })
}

/// The function with which PyO3 iterates over lines.
static NEXT_LINE: OnceLock<ffi::iternextfunc> = OnceLock::new();

/// Lets the lines that have been made be taken without PyO3, at half of the cost.
pub(super) fn speed_up_lines(py: Python<'_>) {
    let class = py.get_type::<LineIterator>();
    // SAFETY: the class is alive, and no other thread has a reference to it yet.
    let slot = unsafe { &mut (*class.as_type_ptr()).tp_iternext };
    if let Some(function) = *slot {
        NEXT_LINE.get_or_init(|| function);
        *slot = Some(next_line);
    }
}

unsafe extern "C" fn next_line(lines: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: CPython calls slots with the thread attached.
    let py = unsafe { Python::assume_attached() };
    // SAFETY: CPython passes a live object, and holds it until the call returns.
    let object = unsafe { Borrowed::from_ptr(py, lines) };
    // SAFETY: it is one of the class whose slot this is.
    let iterator = unsafe { object.cast_unchecked::<LineIterator>() };
    match (iterator.get().next_ready(py), NEXT_LINE.get()) {
        (Some(line), _) => line.into_ptr(),
        // SAFETY: the function was in the slot.
        (None, Some(next)) => unsafe { next(lines) },
        (None, None) => ptr::null_mut(),
    }
}

/// A call's arguments.
struct Arguments<'py> {
    py: Python<'py>,
    function: &'static str,
    /// The positional arguments, then the values of the keyword arguments.
    values: &'py [*mut ffi::PyObject],
    positional: usize,
    keywords: *mut ffi::PyObject,
}

impl<'py> Arguments<'py> {
    /// Returns the positional arguments, all of which are required.
    fn positional<const N: usize>(&self) -> PyResult<[Bound<'py, PyAny>; N]> {
        if let (Some(arguments), true) = (self.values.first_chunk(), self.positional == N) {
            // SAFETY: CPython passes live objects and holds them until the call returns.
            return Ok(arguments.map(|argument| unsafe { Bound::from_borrowed_ptr(self.py, argument) }));
        }
        let message = format!(
            "{}() takes exactly {N} positional argument{} ({} given)",
            self.function,
            if N == 1 { "" } else { "s" },
            self.positional
        );
        Err(PyTypeError::new_err(message))
    }

    /// Returns the values of arguments, of these names in ASCII, that were passed. The first `positional` may be passed
    /// by position, and only so if their name is empty.
    #[inline]
    fn bound<const N: usize>(
        &self,
        names: [&str; N],
        positional: usize,
    ) -> PyResult<[Option<Borrowed<'py, 'py, PyAny>>; N]> {
        let mut values = [None; N];
        let (given, by_keyword) = self.values.split_at(self.positional);
        if given.len() > positional {
            let message = format!(
                "{}() takes at most {positional} positional arguments ({} given)",
                self.function,
                given.len()
            );
            return Err(PyTypeError::new_err(message));
        }
        for (place, &value) in values.iter_mut().zip(given) {
            // SAFETY: CPython passes live objects and holds them until the call returns.
            *place = Some(unsafe { Borrowed::from_ptr(self.py, value) });
        }
        if by_keyword.is_empty() {
            return Ok(values);
        }
        for ((place, value), name) in values.iter_mut().zip(self.keywords(names)?).zip(names) {
            if place.is_some() && value.is_some() {
                let message = format!("{}() got multiple values for argument '{name}'", self.function);
                return Err(PyTypeError::new_err(message));
            }
            *place = place.or(value);
        }
        Ok(values)
    }

    /// Returns the exception for a call without the first `required` arguments.
    #[cold]
    fn missing(&self, required: usize) -> PyErr {
        PyTypeError::new_err(format!(
            "{}() requires {required} argument{} ({} given by position)",
            self.function,
            if required == 1 { "" } else { "s" },
            self.positional
        ))
    }

    /// Returns the values of the function's keyword arguments, of these names in ASCII, that were passed.
    fn keywords<const N: usize>(&self, names: [&str; N]) -> PyResult<[Option<Borrowed<'py, 'py, PyAny>>; N]> {
        let mut values = [None; N];
        if self.keywords.is_null() {
            return Ok(values);
        }
        // SAFETY: if there are keywords, CPython passes their names as a live tuple.
        let given = unsafe { Bound::from_borrowed_ptr(self.py, self.keywords) };
        for (name, &value) in given.cast::<PyTuple>()?.iter().zip(&self.values[self.positional..]) {
            let units = Units::of(name.cast()?)?;
            let is_name = |known: &&str| !known.is_empty() && units == Units::Ascii(known.as_bytes());
            let Some(index) = names.iter().position(is_name) else {
                let message =
                    format!("{}() got an unexpected keyword argument {}", self.function, name.repr()?);
                return Err(PyTypeError::new_err(message));
            };
            // SAFETY: CPython passes live objects and holds them until the call returns.
            values[index] = Some(unsafe { Borrowed::from_ptr(self.py, value) });
        }
        Ok(values)
    }
}

/// Runs the body of a function; errors and panics become exceptions.
///
/// # Safety
/// The arguments are those that CPython calls a `METH_FASTCALL` function with.
unsafe fn trampoline<'py, T>(
    function: &'static str,
    values: *const *mut ffi::PyObject,
    positional: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
    body: impl FnOnce(Arguments<'py>) -> PyResult<Bound<'py, T>>,
) -> *mut ffi::PyObject {
    // SAFETY: CPython calls functions with the thread attached.
    let py = unsafe { Python::assume_attached() };
    let positional = positional.cast_unsigned();
    let named = match keywords.is_null() {
        true => 0,
        // SAFETY: if there are keywords, CPython passes their names as a live tuple.
        false => unsafe { ffi::PyTuple_GET_SIZE(keywords) }.cast_unsigned(),
    };
    let values = match values.is_null() {
        true => &[],
        // SAFETY: CPython passes an array of the positional arguments and the keywords' values.
        false => unsafe { slice::from_raw_parts(values, positional + named) },
    };
    let arguments = Arguments { py, function, values, positional, keywords };
    match guarded(|| body(arguments)) {
        Ok(result) => result.into_ptr(),
        Err(error) => {
            restore(py, error);
            ptr::null_mut()
        }
    }
}

/// Runs the usual call of a function, with one positional argument and no keywords: returns the result of `work`, or
/// `None` if the trampoline must run instead. Results stay in registers: memory would take longer than the rest of a
/// short call.
///
/// # Safety
/// The arguments are those that CPython calls a `METH_FASTCALL` function with.
#[inline(always)]
unsafe fn fast_path<'py, T>(
    values: *const *mut ffi::PyObject,
    positional: ffi::Py_ssize_t,
    keywords: *mut ffi::PyObject,
    work: impl FnOnce(&Bound<'py, PyAny>) -> Option<Bound<'py, T>>,
) -> Option<*mut ffi::PyObject> {
    if positional != 1 || !keywords.is_null() {
        return None;
    }
    // SAFETY: CPython calls functions with the thread attached.
    let py = unsafe { Python::assume_attached() };
    // SAFETY: CPython passes an array of `positional` arguments, here one.
    let only = unsafe { *values };
    // SAFETY: CPython passes live objects and holds them until the call returns.
    let only = unsafe { Borrowed::from_ptr(py, only) };
    Some(catch_unwind(AssertUnwindSafe(|| work(&only))).ok()??.into_ptr())
}

/// Defines a function that takes positional arguments only.
macro_rules! positional_function {
    ($name:ident, |$arguments:ident| $body:expr) => {
        unsafe extern "C" fn $name(
            _module: *mut ffi::PyObject,
            values: *mut *mut ffi::PyObject,
            count: ffi::Py_ssize_t,
        ) -> *mut ffi::PyObject {
            // SAFETY: CPython calls it as the table declares.
            unsafe { trampoline(stringify!($name), values, count, ptr::null_mut(), |$arguments| $body) }
        }
    };
}

/// Defines a function that takes keyword arguments, too, perhaps with a [`fast_path`].
macro_rules! keyword_function {
    ($name:ident, $(fast_path = $work:path,)? |$arguments:ident| $body:expr) => {
        unsafe extern "C" fn $name(
            _module: *mut ffi::PyObject,
            values: *const *mut ffi::PyObject,
            count: ffi::Py_ssize_t,
            keywords: *mut ffi::PyObject,
        ) -> *mut ffi::PyObject {
            $(
                // SAFETY: CPython calls it as the table declares.
                if let Some(result) = unsafe { fast_path(values, count, keywords, $work) } {
                    return result;
                }
            )?
            // SAFETY: CPython calls it as the table declares.
            unsafe { trampoline(stringify!($name), values, count, keywords, |$arguments| $body) }
        }
    };
}

positional_function!(is_valid, |arguments| {
    let [data] = arguments.positional()?;
    let valid = functions::is_valid(arguments.py, Buffer::of(&data)?.as_slice())?;
    Ok(PyBool::new(arguments.py, valid).to_owned())
});

positional_function!(count_chars, |arguments| {
    let [data] = arguments.positional()?;
    let chars = functions::count_chars(arguments.py, Buffer::of(&data)?.as_slice())?;
    Ok(PyInt::new(arguments.py, chars))
});

keyword_function!(scan, |arguments| {
    let [data] = arguments.positional()?;
    let [threads] = arguments.keywords(["threads"])?;
    let threads = threads.map_or(Ok(1), |threads| threads_argument(&threads))?;
    scan_with(arguments.py, Buffer::of(&data)?.as_slice(), threads)
});

keyword_function!(decode, fast_path = decode::decode_short, |arguments| {
    let [data] = arguments.positional()?;
    let [errors] = arguments.keywords(["errors"])?;
    let name = Name::of(errors.as_deref(), "decode")?;
    decode::decode(&data, name.as_ref())
});

keyword_function!(encode, fast_path = encode::encode_short, |arguments| {
    let [text] = arguments.positional()?;
    let [errors] = arguments.keywords(["errors"])?;
    let name = Name::of(errors.as_deref(), "encode")?;
    encode::encode(text_argument(&text, "encode", "1")?, name.as_ref())
});

keyword_function!(encode_into, |arguments| {
    let [text, buffer] = arguments.positional()?;
    let [offset, errors] = arguments.keywords(["offset", "errors"])?;
    let text = text_argument(&text, "encode_into", "1")?;
    let name = Name::of(errors.as_deref(), "encode_into")?;
    encode_into::encode_into(text, &buffer, offset.as_deref(), name.as_ref())?.into_pyobject(arguments.py)
});

positional_function!(encoded_length, |arguments| {
    let [text] = arguments.positional()?;
    let length = encode::encoded_length(text_argument(&text, "encoded_length", "1")?)?;
    Ok(PyInt::new(arguments.py, length))
});

positional_function!(normalize, |arguments| {
    let [form, text] = arguments.positional()?;
    unicode::normalize(&form, &text)
});

positional_function!(is_normalized, |arguments| {
    let [form, text] = arguments.positional()?;
    Ok(PyBool::new(arguments.py, unicode::is_normalized(&form, &text)?).to_owned())
});

positional_function!(count_graphemes, |arguments| {
    let [text] = arguments.positional()?;
    Ok(PyInt::new(arguments.py, unicode::count_graphemes(&text)?))
});

positional_function!(casefold, |arguments| {
    let [text] = arguments.positional()?;
    unicode::casefold(&text)
});

/// Defines a method of the classes of offset maps.
macro_rules! lookup_method {
    ($name:ident, |$map:ident, $arguments:ident| $body:expr) => {
        unsafe extern "C" fn $name<C: Lookups>(
            object: *mut ffi::PyObject,
            values: *const *mut ffi::PyObject,
            count: ffi::Py_ssize_t,
            keywords: *mut ffi::PyObject,
        ) -> *mut ffi::PyObject {
            // SAFETY: CPython calls methods with the thread attached.
            let py = unsafe { Python::assume_attached() };
            // SAFETY: CPython passes a live object, and holds it until the call returns.
            let object = unsafe { Borrowed::from_ptr(py, object) };
            // SAFETY: CPython checks that it is one of the class whose method this is.
            let $map = unsafe { object.cast_unchecked::<C>() };
            // SAFETY: CPython calls it as the table declares.
            unsafe { trampoline(stringify!($name), values, count, keywords, |$arguments| $body) }
        }
    };
}

lookup_method!(convert, |map, arguments| {
    let [Some(offset), Some(source), Some(target), strict] =
        arguments.bound(["", "source", "target", "strict"], 3)?
    else {
        return Err(arguments.missing(3));
    };
    let units = [unit_argument(&source, "convert", "source")?, unit_argument(&target, "convert", "target")?];
    let strict = strict.map_or(Ok(false), |strict| strict.extract())?;
    let converted = map.get().convert(arguments.py, any_offset(&offset)?, units, strict)?;
    Ok(PyInt::new(arguments.py, converted))
});

lookup_method!(position, |map, arguments| {
    let [Some(offset), unit, column_unit] = arguments.bound(["", "unit", "column_unit"], 1)? else {
        return Err(arguments.missing(1));
    };
    let units = optional_units("position", unit, column_unit)?;
    Bound::new(arguments.py, map.get().position(arguments.py, any_offset(&offset)?, units)?)
});

lookup_method!(offset, |map, arguments| {
    let [Some(line), Some(character), unit, column_unit] =
        arguments.bound(["", "", "unit", "column_unit"], 2)?
    else {
        return Err(arguments.missing(2));
    };
    let units = optional_units("offset", unit, column_unit)?;
    let (line, character) = (any_offset(&line)?, column_argument(&character)?);
    Ok(PyInt::new(arguments.py, map.get().offset(arguments.py, line, character, units)?))
});

/// Returns the units of an offset and of a column.
#[inline]
fn optional_units(
    function: &str,
    unit: Option<Borrowed<'_, '_, PyAny>>,
    column_unit: Option<Borrowed<'_, '_, PyAny>>,
) -> PyResult<[Unit; 2]> {
    Ok([
        unit.map_or(Ok(Unit::Byte), |unit| unit_argument(&unit, function, "unit"))?,
        column_unit.map_or(Ok(Unit::Utf16), |unit| unit_argument(&unit, function, "column_unit"))?,
    ])
}
