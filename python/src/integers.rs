//! Integers to the forms of RFC 2279 and longer ones, and back.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction};

use leadbyte::bindings::allocation::{product, sum};
use leadbyte::bindings::simd::{Implementation, MaybeUninit, Number, as_numbers_mut};
use leadbyte::bindings::variants::{EXTENDED, Integer, IntegerForms, RFC2279};

use super::buffer::{detached, incomplete, new_bytes, snapshot, supervised};
use super::errors::decode_error;
use super::functions::{count_chars, natural_number};
use super::interpreter::guarded;
use super::work_error::memory_error;

/// The functions of this file that Python can call.
pub(super) fn exported<'py>(module: &Bound<'py, PyModule>) -> PyResult<Vec<Bound<'py, PyCFunction>>> {
    Ok(vec![wrap_pyfunction!(_decode_integers, module)?, wrap_pyfunction!(_encode_integers, module)?])
}

/// The number of integers that are encoded at once; they stay in the second-level cache.
const BLOCK_INTEGERS: usize = 16 << 10;

/// Returns the forms of this name.
fn named(name: &str) -> PyResult<IntegerForms> {
    let known = [RFC2279, EXTENDED].into_iter().find(|forms| forms.name == name);
    known.ok_or_else(|| PyValueError::new_err(format!("no forms of integers: {name:?}")))
}

/// Return the integers that bytes are the forms of, 4 or 8 bytes each, and the number of bytes decoded. Unless the
/// bytes are the last, an incomplete form at their end is left.
#[pyfunction]
#[pyo3(signature = (forms, data, last, /))]
pub(super) fn _decode_integers<'py>(
    forms: &str,
    data: &Bound<'py, PyAny>,
    last: bool,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| {
        let forms = named(forms)?;
        let bytes = snapshot(data)?;
        let all = bytes.as_bytes();
        let complete = if last { all.len() } else { all.len() - forms.incomplete_suffix(all) };
        let integers = match u32::try_from(forms.largest()) {
            Ok(_) => decode::<u32>(forms, &bytes, complete),
            Err(_) => decode::<u64>(forms, &bytes, complete),
        };
        (integers?, complete).into_bound_py_any(data.py())
    })
}

fn decode<'py, N: Integer + Number + Send>(
    forms: IntegerForms,
    bytes: &Bound<'py, PyBytes>,
    complete: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = bytes.py();
    let data = &bytes.as_bytes()[..complete];
    let length = count_chars(py, data)?;
    let fill = |out: &mut [MaybeUninit<u8>]| {
        let out = as_numbers_mut::<N>(out).ok_or_else(|| incomplete(0, length))?;
        let decoded =
            supervised(py, complete, |progress| forms.decode(Implementation::active(), data, out, progress))?;
        match decoded {
            Ok(written) => Ok(written * size_of::<N>()),
            Err(error) => Err(decode_error(forms.name, bytes, error.into())),
        }
    };
    // SAFETY: `decode` writes as many integers as it returns.
    unsafe { new_bytes(py, product(length, size_of::<N>()).map_err(memory_error)?, fill) }
}

/// Return the forms of integers, of at least `least` bytes each. The integers have `size` bytes each in native byte
/// order.
#[pyfunction]
#[pyo3(signature = (forms, integers, size, signed, least, /))]
pub(super) fn _encode_integers<'py>(
    forms: &str,
    integers: &Bound<'py, PyAny>,
    size: usize,
    signed: bool,
    least: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    guarded(|| {
        let forms = named(forms)?;
        let bytes = snapshot(integers)?;
        let data = bytes.as_bytes();
        if !matches!(size, 1 | 2 | 4 | 8) || !data.len().is_multiple_of(size) {
            return Err(PyValueError::new_err(format!("no integers of {size} bytes")));
        }
        let possible = natural_number(least)?.filter(|number| (1..=forms.longest).contains(number));
        let Some(least) = possible else {
            let message =
                format!("min_length must be between 1 and {}, not {}", forms.longest, least.repr()?);
            return Err(PyValueError::new_err(message));
        };
        let (py, implementation) = (integers.py(), Implementation::active());
        let mut values = vec![];
        let length = detached(py, data.len(), |poller| {
            let mut length = 0;
            for (index, block) in data.chunks(BLOCK_INTEGERS * size).enumerate() {
                read(block, size, signed, &mut values);
                let some = forms.length(implementation, &values, least).map_err(|at| {
                    let value = values[at];
                    let shown = if signed { value.cast_signed().to_string() } else { value.to_string() };
                    let (index, largest) = (index * BLOCK_INTEGERS + at, forms.largest());
                    PyValueError::new_err(format!(
                        "{shown} at index {index} is not between 0 and {largest:#X}"
                    ))
                })?;
                length = sum(length, some).map_err(memory_error)?;
                poller.advance(block.len())?;
            }
            Ok(length)
        })?;
        let fill = |out: &mut [MaybeUninit<u8>]| {
            detached(py, data.len(), |poller| {
                let mut written = 0;
                for block in data.chunks(BLOCK_INTEGERS * size) {
                    read(block, size, signed, &mut values);
                    written += forms.encode(implementation, &values, least, &mut out[written..]);
                    poller.advance(block.len())?;
                }
                Ok(written)
            })
        };
        // SAFETY: `encode` writes as many bytes as it returns.
        unsafe { new_bytes(py, length, fill) }
    })
}

/// Reads integers in native byte order; negative ones become larger than any that has a form.
fn read(bytes: &[u8], size: usize, signed: bool, values: &mut Vec<u64>) {
    fn each<const N: usize>(bytes: &[u8], values: &mut Vec<u64>, value: impl Fn([u8; N]) -> u64) {
        values.extend(bytes.as_chunks().0.iter().map(|&bytes| value(bytes)));
    }
    values.clear();
    match (size, signed) {
        (1, false) => each(bytes, values, |[byte]| byte.into()),
        (1, true) => each(bytes, values, |bytes| i64::from(i8::from_ne_bytes(bytes)).cast_unsigned()),
        (2, false) => each(bytes, values, |bytes| u16::from_ne_bytes(bytes).into()),
        (2, true) => each(bytes, values, |bytes| i64::from(i16::from_ne_bytes(bytes)).cast_unsigned()),
        (4, false) => each(bytes, values, |bytes| u32::from_ne_bytes(bytes).into()),
        (4, true) => each(bytes, values, |bytes| i64::from(i32::from_ne_bytes(bytes)).cast_unsigned()),
        _ => each(bytes, values, u64::from_ne_bytes),
    }
}
