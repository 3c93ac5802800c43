//! The functions of the package, apart from classes. The docstrings of those in the static table stand
//! here too.

use std::ffi::CStr;

use pyo3::exceptions::{PyIndexError, PyOverflowError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use super::buffer::{Buffer, copied_bytes, copy, detached, for_each_chunk, new_bytes, snapshot};
use super::errors::{ErrorIterator, ErrorSpan, UTF8, decode_error};
use super::interpreter::guarded;
use super::location::Location;
use crate::Implementation;
use crate::error_iter::ErrorIter;
use crate::location::{Place, sequence_start};
use crate::simd::uninit::{MaybeUninit, put};

pub(super) const IS_VALID_DOC: &CStr = c"is_valid(data, /)
--

Whether the bytes are UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing beyond U+10FFFF.

data: any bytes-like object with a contiguous buffer; it is not copied.

>>> leadbyte.is_valid('Hello \\u043c\\u0438\\u0440'.encode())
True
>>> leadbyte.is_valid(b'\\xc0\\xb1')  # an overlong form of '1'
False
";

pub(super) const COUNT_CHARS_DOC: &CStr = c"count_chars(data, /)
--

The number of characters: of lead bytes, that is bytes other than 80 to BF.

data: any bytes-like object with a contiguous buffer; it is not copied. It need not be valid. On
invalid data the number may be less than len(data.decode(errors='replace')), where each stray
continuation byte becomes a U+FFFD.

>>> leadbyte.count_chars('Hello \\u043c\\u0438\\u0440'.encode())
9
";

pub(super) const SCAN_DOC: &CStr = c"scan(data, /, *, threads=1)
--

Validate and count in one pass: a Scan.

data: any bytes-like object with a contiguous buffer; it is not copied.
threads: how many to use; 0 means one for each core. Raises ValueError if it is negative.

>>> leadbyte.scan('\\u20ac 5\\n'.encode()).char_count
4
";

pub(super) const DECODE_DOC: &CStr = c"decode(data, /, *, errors='strict')
--

The text that UTF-8 bytes hold: what bytes(data).decode('utf-8', errors) gives or raises. For other encodings see
leadbyte.transcode.

data: any bytes-like object with a contiguous buffer. bytes are not copied; others are, since they may change.
errors: 'strict', 'ignore', 'replace', 'backslashreplace', 'surrogateescape', 'surrogatepass', or a name that was
registered with codecs.register_error. Raises UnicodeDecodeError, or LookupError for an unknown name once there is
an error.

>>> leadbyte.decode(b'caf\\xc3\\xa9') == 'caf\\xe9'
True
>>> leadbyte.decode(b'caf\\xe9', errors='backslashreplace')
'caf\\\\xe9'
";

pub(super) const ENCODE_DOC: &CStr = c"encode(text, /, *, errors='strict')
--

The text as UTF-8 bytes: what text.encode('utf-8', errors) gives or raises.

errors: what to do with surrogates, the only characters that UTF-8 does not have: 'strict', 'ignore', 'replace',
'backslashreplace', 'xmlcharrefreplace', 'namereplace', 'surrogateescape', 'surrogatepass', or a name that was
registered with codecs.register_error. Raises UnicodeEncodeError, or LookupError for an unknown name once there is
a surrogate.

>>> leadbyte.encode('\\u20ac')
b'\\xe2\\x82\\xac'
";

pub(super) const ENCODED_LEN_DOC: &CStr = c"encoded_length(text, /)
--

The length of encode(text) in bytes, without making it. Raises UnicodeEncodeError if text has a surrogate.

>>> leadbyte.encoded_length('\\u20ac 5')
5
";

pub(super) fn is_valid(py: Python<'_>, data: &[u8]) -> PyResult<bool> {
    let mut valid = true;
    for_each_chunk(py, data, |step| {
        valid = crate::is_valid(step);
        valid
    })?;
    Ok(valid)
}

/// The sum of what `count` gives for each step of `data`.
fn sum_steps(py: Python<'_>, data: &[u8], count: fn(&[u8]) -> usize) -> PyResult<usize> {
    let mut total = 0;
    for_each_chunk(py, data, |step| {
        total += count(step);
        true
    })?;
    Ok(total)
}

pub(super) fn count_chars(py: Python<'_>, data: &[u8]) -> PyResult<usize> {
    sum_steps(py, data, crate::count_chars)
}

/// Raise the UnicodeDecodeError that bytes(data).decode() raises, or return None if data is UTF-8.
///
/// data: any bytes-like object with a contiguous buffer; it is copied only to raise.
///
/// >>> leadbyte.validate(b'caf\xe9')
/// Traceback (most recent call last):
/// UnicodeDecodeError: 'utf-8' codec can't decode byte 0xe9 in position 3: unexpected end of data
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(super) fn validate(data: &Bound<'_, PyAny>) -> PyResult<()> {
    guarded(|| {
        let py = data.py();
        let mut error = first_error(py, Buffer::of(data)?.as_slice())?;
        if error.is_none() {
            return Ok(());
        }
        // The exception needs bytes that stay as they are, and the error as it is in those.
        let bytes = snapshot(data)?;
        if !bytes.is(data) {
            error = first_error(py, bytes.as_bytes())?;
        }
        error.map_or(Ok(()), |error| Err(decode_error(UTF8, &bytes, error.into())))
    })
}

/// The text that bytes are; raises what [`validate`] does if they are not UTF-8.
pub(super) fn valid_text<'a>(data: &'a Bound<'_, PyBytes>) -> PyResult<&'a str> {
    let bytes = data.as_bytes();
    if let Some(error) = first_error(data.py(), bytes)? {
        return Err(decode_error(UTF8, data, error.into()));
    }
    // SAFETY: they have no error, and bytes never change.
    Ok(unsafe { str::from_utf8_unchecked(bytes) })
}

fn first_error(py: Python<'_>, data: &[u8]) -> PyResult<Option<crate::Utf8Error>> {
    detached(py, data.len(), |poller| {
        ErrorIter::new(Implementation::active(), data).next_error_with(|| poller.poll())
    })
}

/// Whether every byte is below 0x80.
///
/// data: any bytes-like object with a contiguous buffer; it is not copied.
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(super) fn is_ascii(data: &Bound<'_, PyAny>) -> PyResult<bool> {
    guarded(|| {
        let mut ascii = true;
        for_each_chunk(data.py(), Buffer::of(data)?.as_slice(), |step| {
            ascii = crate::is_ascii(step);
            ascii
        })?;
        Ok(ascii)
    })
}

/// The number of lead bytes by the length they announce: (1, 2, 3, 4 bytes).
///
/// Below 80 announces 1, C0-DF 2, E0-EF 3 and F0-FF 4, valid or not; the sum is count_chars(data).
///
/// >>> leadbyte.count_widths('$\u00a2\u20ac'.encode())
/// (1, 1, 1, 0)
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(super) fn count_widths(data: &Bound<'_, PyAny>) -> PyResult<(usize, usize, usize, usize)> {
    guarded(|| {
        let mut widths = (0, 0, 0, 0);
        for_each_chunk(data.py(), Buffer::of(data)?.as_slice(), |step| {
            let [one, two, three, four] = crate::count_widths(step);
            widths = (widths.0 + one, widths.1 + two, widths.2 + three, widths.3 + four);
            true
        })?;
        Ok(widths)
    })
}

/// The number of UTF-16 code units: one a character, two from U+10000 on.
///
/// It is count_chars(data) plus the number of lead bytes F0-FF; data need not be valid.
///
/// >>> leadbyte.count_utf16('a\U0001f600'.encode())
/// 3
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(super) fn count_utf16(data: &Bound<'_, PyAny>) -> PyResult<usize> {
    guarded(|| sum_steps(data.py(), Buffer::of(data)?.as_slice(), crate::count_utf16))
}

/// The number of line feeds (0A).
///
/// >>> leadbyte.count_newlines(b'one\ntwo\n')
/// 2
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(super) fn count_newlines(data: &Bound<'_, PyAny>) -> PyResult<usize> {
    guarded(|| sum_steps(data.py(), Buffer::of(data)?.as_slice(), crate::count_newlines))
}

/// How long a sequence is, 1 to 4 bytes, from its first byte (an int) alone.
///
/// Raises ValueError for a byte that starts no sequence: 80-C1 and F5-FF.
///
/// >>> leadbyte.sequence_length('\u20ac'.encode()[0])
/// 3
#[pyfunction]
#[pyo3(signature = (lead_byte, /))]
pub(super) fn sequence_length(lead_byte: &Bound<'_, PyAny>) -> PyResult<usize> {
    guarded(|| {
        let wrong = |what: &str| {
            PyValueError::new_err(format!(
                "lead_byte must be a byte that starts a UTF-8 sequence, not {what}"
            ))
        };
        let number = match lead_byte.extract::<i64>() {
            Err(error) if error.is_instance_of::<PyOverflowError>(lead_byte.py()) => {
                return Err(wrong("a number that is no byte"));
            }
            number => number?,
        };
        let byte = u8::try_from(number).map_err(|_| wrong(&number.to_string()))?;
        crate::sequence_length(byte).ok_or_else(|| wrong(&format!("0x{byte:02x}")))
    })
}

/// All errors, found as they are asked for: an iterator of ErrorSpan.
///
/// Spans and reasons are those of UnicodeDecodeError: maximal subparts (Unicode 16, table 3-8). The
/// iterator holds data's buffer, so a bytearray cannot be resized until it is dropped.
///
/// >>> [error.start for error in leadbyte.iter_errors(b'a\xffb\xc0\xb1')]
/// [1, 3, 4]
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(super) fn iter_errors(data: &Bound<'_, PyAny>) -> PyResult<ErrorIterator> {
    guarded(|| ErrorIterator::over(data))
}

/// An offset between 0 and `length`, both included.
fn offset_argument(offset: &Bound<'_, PyAny>, length: usize) -> PyResult<usize> {
    let outside = || {
        PyIndexError::new_err(format!(
            "offset out of range: it must be between 0 and {length}, the length of the data"
        ))
    };
    let number = match offset.extract::<isize>() {
        Err(error) if error.is_instance_of::<PyOverflowError>(offset.py()) => return Err(outside()),
        number => number?,
    };
    usize::try_from(number).ok().filter(|&offset| offset <= length).ok_or_else(outside)
}

/// Where byte offset stands: a Location with line, column and char.
///
/// Lines end with a line feed; lines and columns count from 1, columns in characters. A byte inside a
/// character, or inside an error's span, has the place of its first byte. len(data) has a place too.
///
/// Raises IndexError if offset is out of range.
///
/// >>> leadbyte.locate(b'one\ntwo', 5)
/// Location(line=2, column=2, char=5, byte_offset=5)
#[pyfunction]
#[pyo3(signature = (data, /, offset))]
pub(super) fn locate(data: &Bound<'_, PyAny>, offset: &Bound<'_, PyAny>) -> PyResult<Location> {
    guarded(|| {
        let buffer = Buffer::of(data)?;
        let bytes = buffer.as_slice();
        let offset = offset_argument(offset, bytes.len())?;
        let mut place = Place::default();
        for_each_chunk(data.py(), &bytes[..sequence_start(bytes, offset)], |step| {
            place.advance(Implementation::active(), step);
            true
        })?;
        Ok(Location::from(place.location(offset as u64)))
    })
}

/// Whether a character starts at byte i: it is a lead byte, or i is len(data).
///
/// Beyond the end none starts. Raises IndexError if i is negative.
///
/// >>> leadbyte.is_boundary('1\u20ac'.encode(), 1), leadbyte.is_boundary('1\u20ac'.encode(), 2)
/// (True, False)
#[pyfunction]
#[pyo3(signature = (data, /, i))]
pub(super) fn is_boundary(data: &Bound<'_, PyAny>, i: &Bound<'_, PyAny>) -> PyResult<bool> {
    guarded(|| Ok(crate::is_boundary(Buffer::of(data)?.as_slice(), index_argument(i)?)))
}

/// The nearest boundary at or before byte i, at most three bytes back; len(data) if i is beyond it.
///
/// Where there is none, i is among stray continuation bytes and comes back itself. Raises IndexError if
/// i is negative.
///
/// >>> leadbyte.floor_boundary('1\u20ac'.encode(), 3)
/// 1
#[pyfunction]
#[pyo3(signature = (data, /, i))]
pub(super) fn floor_boundary(data: &Bound<'_, PyAny>, i: &Bound<'_, PyAny>) -> PyResult<usize> {
    guarded(|| Ok(crate::floor_boundary(Buffer::of(data)?.as_slice(), index_argument(i)?)))
}

/// The nearest boundary at or after byte i, at most three bytes ahead; len(data) if i is beyond it.
///
/// Where there is none, i is among stray continuation bytes and comes back itself. Raises IndexError if
/// i is negative.
///
/// >>> leadbyte.ceil_boundary('1\u20ac'.encode(), 3)
/// 4
#[pyfunction]
#[pyo3(signature = (data, /, i))]
pub(super) fn ceil_boundary(data: &Bound<'_, PyAny>, i: &Bound<'_, PyAny>) -> PyResult<usize> {
    guarded(|| Ok(crate::ceil_boundary(Buffer::of(data)?.as_slice(), index_argument(i)?)))
}

/// An index from 0 on; one that is too large for any data becomes the largest.
fn index_argument(i: &Bound<'_, PyAny>) -> PyResult<usize> {
    i.extract().or_else(|error: PyErr| {
        if !error.is_instance_of::<PyOverflowError>(i.py()) {
            return Err(error);
        }
        if i.call_method0(intern!(i.py(), "__index__"))?.lt(0)? {
            return Err(PyIndexError::new_err("i out of range: it must not be negative"));
        }
        Ok(usize::MAX)
    })
}

/// Whether data begin with a byte order mark, EF BB BF.
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(super) fn has_bom(data: &Bound<'_, PyAny>) -> PyResult<bool> {
    guarded(|| Ok(Buffer::of(data)?.as_slice().starts_with(&crate::BOM)))
}

/// The bytes without a byte order mark at the start; the same object if data are bytes without one.
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(super) fn strip_bom<'py>(data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    guarded(|| {
        let buffer = Buffer::of(data)?;
        match buffer.as_slice().strip_prefix(&crate::BOM) {
            Some(rest) => copied_bytes(data.py(), rest),
            None => snapshot(data),
        }
    })
}

/// The bytes with a byte order mark at the start; the same object if data are bytes that have one.
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(super) fn add_bom<'py>(data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    guarded(|| {
        let buffer = Buffer::of(data)?;
        let bytes = buffer.as_slice();
        if bytes.starts_with(&crate::BOM) {
            return snapshot(data);
        }
        let fill = |out: &mut [MaybeUninit<u8>]| {
            let written = put(out, &crate::BOM);
            Ok(written + copy(data.py(), bytes, &mut out[written..])?)
        };
        // SAFETY: `put` and `copy` write as many bytes as they return.
        unsafe { new_bytes(data.py(), crate::BOM.len() + bytes.len(), fill) }
    })
}

/// The instruction sets of this CPU and what is used of them, as a dict.
///
/// 'detected': names of the instruction sets found, from the least to the most able; 'implementations':
/// those for which leadbyte has code of its own, at present all; 'override': what the environment
/// variable LEADBYTE_ISA asks for, or None; 'functions': the instruction set that each function uses.
#[pyfunction]
pub(super) fn cpu_info(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    guarded(|| {
        let info = PyDict::new(py);
        let found = crate::cpu_info();
        info.set_item("detected", found.detected)?;
        info.set_item("implementations", found.implementations)?;
        info.set_item("override", found.requested.unwrap_or_default())?;
        let functions = PyDict::new(py);
        for (isa, names) in [
            (
                found.active,
                &[
                    "count_graphemes",
                    "decode",
                    "encode",
                    "encoded_length",
                    "search",
                    "graphemes",
                    "is_normalized",
                    "is_valid",
                    "iter_errors",
                    "normalize",
                    "repair",
                    "is_equivalent",
                    "scan",
                    "to_well_formed",
                    "validate",
                ] as &[_],
            ),
            (
                found.counting,
                &["count_chars", "count_newlines", "count_utf16", "count_widths", "is_ascii", "locate"],
            ),
        ] {
            for name in names {
                functions.set_item(name, isa)?;
            }
        }
        info.set_item("functions", functions)?;
        Ok(info)
    })
}

/// How many bytes a lead byte announces, in UTF-8 as it was first meant, of up to eight bytes; 0 for
/// a continuation byte.
#[pyfunction]
#[pyo3(signature = (lead, /))]
pub(super) fn _announced_length(lead: u8) -> PyResult<usize> {
    guarded(|| Ok(crate::sequence::announced_length(lead)))
}

/// What is wrong with bytes, an error's data with the continuation bytes after it, in words.
#[pyfunction]
#[pyo3(signature = (span, following, /))]
pub(super) fn _describe(span: &Bound<'_, ErrorSpan>, following: &[u8]) -> PyResult<String> {
    guarded(|| {
        Ok({
            let error = span.get().error();
            crate::sequence::describe(&[error.bytes(), following].concat(), error.kind())
        })
    })
}
