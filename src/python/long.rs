//! Integers to the forms of RFC 2279 and longer ones, and back.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::buffer::{detached, incomplete, new_bytes, snapshot};
use super::errors::decode_error;
use super::functions::count_chars;
use super::interpreter::guarded;
use crate::Implementation;
use crate::allocation::{product, sum};
use crate::simd::Number;
use crate::simd::uninit::{MaybeUninit, as_room};
use crate::variants::long::{EXTENDED, Integer, Long, RFC2279};

/// So many integers stay in the second-level cache.
const BLOCK: usize = 16 << 10;

/// The forms of this name.
fn named(name: &str) -> PyResult<Long> {
    let known = [RFC2279, EXTENDED].into_iter().find(|long| long.name == name);
    known.ok_or_else(|| PyValueError::new_err(format!("no forms of integers: {name:?}")))
}

/// The integers that bytes are the forms of, 4 or 8 bytes each, and how many bytes they stand for: unless these are
/// the last, what is unfinished at their end is left.
#[pyfunction]
#[pyo3(signature = (forms, data, last, /))]
pub(super) fn _decode_long<'py>(
    forms: &str,
    data: &Bound<'py, PyAny>,
    last: bool,
) -> PyResult<(Bound<'py, PyBytes>, usize)> {
    guarded(|| {
        let long = named(forms)?;
        let bytes = snapshot(data)?;
        let all = bytes.as_bytes();
        let finished = if last { all.len() } else { all.len() - long.unfinished(all) };
        let integers = match u32::try_from(long.largest()) {
            Ok(_) => decode::<u32>(long, &bytes, finished),
            Err(_) => decode::<u64>(long, &bytes, finished),
        };
        Ok((integers?, finished))
    })
}

fn decode<'py, N: Integer + Number + Send>(
    long: Long,
    bytes: &Bound<'py, PyBytes>,
    finished: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = bytes.py();
    let data = &bytes.as_bytes()[..finished];
    let length = count_chars(py, data)?;
    let fill = |out: &mut [MaybeUninit<u8>]| {
        let room = as_room::<N>(out).ok_or_else(|| incomplete(0, length))?;
        let decoded = detached(py, finished, |poller| {
            long.decode(Implementation::active(), data, room, |work| poller.advance(work))
        })?;
        match decoded {
            Ok(written) => Ok(written * size_of::<N>()),
            Err(error) => Err(decode_error(long.name, bytes, error.into())),
        }
    };
    // SAFETY: `decode` writes as many integers as it returns.
    unsafe { new_bytes(py, product(length, size_of::<N>())?, fill) }
}

/// The forms of integers, which are of so many bytes each, signed or not.
#[pyfunction]
#[pyo3(signature = (forms, integers, size, signed, least, /))]
pub(super) fn _encode_long<'py>(
    forms: &str,
    integers: &Bound<'py, PyAny>,
    size: usize,
    signed: bool,
    least: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    guarded(|| {
        let long = named(forms)?;
        let bytes = snapshot(integers)?;
        let data = bytes.as_bytes();
        if !matches!(size, 1 | 2 | 4 | 8) || !data.len().is_multiple_of(size) {
            return Err(PyValueError::new_err(format!("no integers of {size} bytes")));
        }
        if !(1..=long.longest).contains(&least) {
            let message = format!("min_length must be between 1 and {}, not {least}", long.longest);
            return Err(PyValueError::new_err(message));
        }
        let (py, implementation) = (integers.py(), Implementation::active());
        let mut values = vec![];
        let length = detached(py, data.len(), |poller| {
            let mut length = 0;
            for (index, block) in data.chunks(BLOCK * size).enumerate() {
                read(block, size, signed, &mut values);
                let some = long.length(implementation, &values, least).map_err(|at| {
                    let value = values[at];
                    let told = if signed { value.cast_signed().to_string() } else { value.to_string() };
                    let (index, largest) = (index * BLOCK + at, long.largest());
                    PyValueError::new_err(format!(
                        "{told} at index {index} is not between 0 and {largest:#X}"
                    ))
                })?;
                length = sum(length, some)?;
                poller.advance(block.len())?;
            }
            Ok(length)
        })?;
        let fill = |out: &mut [MaybeUninit<u8>]| {
            detached(py, data.len(), |poller| {
                let mut written = 0;
                for block in data.chunks(BLOCK * size) {
                    read(block, size, signed, &mut values);
                    written += long.encode(implementation, &values, least, &mut out[written..]);
                    poller.advance(block.len())?;
                }
                Ok(written)
            })
        };
        // SAFETY: `encode` writes as many bytes as it returns.
        unsafe { new_bytes(py, length, fill) }
    })
}

/// Reads integers of the machine's byte order; negative ones become larger than any that is encoded.
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
