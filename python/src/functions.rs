//! The functions of the package, and the docstrings of those in the static table of `fastcall.rs`.

use std::ffi::CStr;

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction, PyDict, PyTuple};

use leadbyte::Unit;
use leadbyte::bindings::error_iter;
use leadbyte::bindings::location::locate_with;
use leadbyte::bindings::simd::{Implementation, MaybeUninit, put};

use super::arguments::{Optional, choice_argument};
use super::buffer::{Buffer, copied_bytes, copy, for_each_chunk, new_bytes, polled, snapshot};
use super::errors::{ErrorIterator, UTF8, decode_error};
use super::interpreter::guarded;
use super::list::{Int, tuple_of};
use super::location::Location;

/// The functions of this file that Python can call.
pub(super) fn exported<'py>(module: &Bound<'py, PyModule>) -> PyResult<Vec<Bound<'py, PyCFunction>>> {
    Ok(vec![
        wrap_pyfunction!(_announced_length, module)?,
        wrap_pyfunction!(add_bom, module)?,
        wrap_pyfunction!(ceil_boundary, module)?,
        wrap_pyfunction!(count_newlines, module)?,
        wrap_pyfunction!(count_utf16, module)?,
        wrap_pyfunction!(count_widths, module)?,
        wrap_pyfunction!(cpu_info, module)?,
        wrap_pyfunction!(floor_boundary, module)?,
        wrap_pyfunction!(has_bom, module)?,
        wrap_pyfunction!(is_ascii, module)?,
        wrap_pyfunction!(is_boundary, module)?,
        wrap_pyfunction!(iter_errors, module)?,
        wrap_pyfunction!(locate, module)?,
        wrap_pyfunction!(sequence_length, module)?,
        wrap_pyfunction!(strip_bom, module)?,
        wrap_pyfunction!(validate, module)?,
    ])
}

pub(super) const IS_VALID_DOC: &CStr = c"is_valid(data, /)
--

Return whether the bytes are UTF-8 (RFC 3629): no overlong encodings, no surrogates, nothing above U+10FFFF.

data: any bytes-like object with a contiguous buffer; it is not copied.

>>> leadbyte.is_valid('Hello \\u043c\\u0438\\u0440'.encode())
True
>>> leadbyte.is_valid(b'\\xc0\\xb1')  # an overlong encoding of '1'
False
";

pub(super) const COUNT_CHARS_DOC: &CStr = c"count_chars(data, /)
--

Return the number of characters, counted by their lead bytes: all bytes but 80 to BF.

data: any bytes-like object with a contiguous buffer; it is not copied. It need not be valid. On
invalid data the number may be less than len(data.decode(errors='replace')), where each stray
continuation byte becomes a U+FFFD.

>>> leadbyte.count_chars('Hello \\u043c\\u0438\\u0440'.encode())
9
";

pub(super) const SCAN_DOC: &CStr = c"scan(data, /, *, threads=1)
--

Return a Scan: validity, the first error, and counts of characters, UTF-16 code units and newlines, in one pass.

data: any bytes-like object with a contiguous buffer; it is not copied.
threads: the number of threads; 0 means one for each core. Raises ValueError if it is negative.

>>> leadbyte.scan('\\u20ac 5\\n'.encode()).char_count
4
";

pub(super) const DECODE_DOC: &CStr = c"decode(data, /, *, errors='strict')
--

Decode UTF-8 to a str, with the result or exception of bytes(data).decode('utf-8', errors). For other encodings see
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

Encode a str as UTF-8, with the result or exception of text.encode('utf-8', errors).

errors: the policy for surrogates, the only code points that UTF-8 cannot encode: 'strict', 'ignore', 'replace',
'backslashreplace', 'xmlcharrefreplace', 'namereplace', 'surrogateescape', 'surrogatepass', or a name that was
registered with codecs.register_error. Raises UnicodeEncodeError, or LookupError for an unknown name once there is
a surrogate.

>>> leadbyte.encode('\\u20ac')
b'\\xe2\\x82\\xac'
";

pub(super) const ENCODE_INTO_DOC: &CStr =
    c"encode_into(text, buffer, /, *, offset=0, errors='strict')
--

Encode a str as UTF-8 into a buffer. Return the number of bytes written and the number of characters read.

Encoding stops before the first character that does not fit, so that text[read:] is left. Other bytes of the buffer
remain as they are. This is TextEncoder.encodeInto of the WHATWG Encoding Standard, with error handlers.

buffer: any writable bytes-like object with a contiguous buffer. Raises TypeError for others. The buffer cannot be
resized before the call returns.
offset: the number of bytes of the buffer before the first one to write. Raises IndexError unless it is between 0 and
the length of the buffer: a negative offset does not count from the end, unlike in struct.pack_into.
errors: the policy for surrogates, as for leadbyte.encode. A replacement is written as a whole or not at all. If an
exception is raised, the characters before the one in question have been written.

>>> buffer = bytearray(8)
>>> leadbyte.encode_into('caf\\xe9 \\u20ac', buffer)  # three bytes for the last
(6, 5)
>>> buffer[:6] == 'caf\\xe9 '.encode()
True
";

pub(super) const ENCODED_LENGTH_DOC: &CStr = c"encoded_length(text, /)
--

Return the length of encode(text) in bytes, without encoding. Raises UnicodeEncodeError if text has a surrogate.

>>> leadbyte.encoded_length('\\u20ac 5')
5
";

pub(super) fn is_valid(py: Python<'_>, data: &[u8]) -> PyResult<bool> {
    let mut valid = true;
    for_each_chunk(py, data, |chunk| {
        valid = leadbyte::is_valid(chunk);
        valid
    })?;
    Ok(valid)
}

/// Returns the sum of what `count` returns for each chunk of `data`.
fn sum_of_chunks(py: Python<'_>, data: &[u8], count: fn(&[u8]) -> usize) -> PyResult<usize> {
    let mut total = 0;
    for_each_chunk(py, data, |chunk| {
        total += count(chunk);
        true
    })?;
    Ok(total)
}

pub(super) fn count_chars(py: Python<'_>, data: &[u8]) -> PyResult<usize> {
    sum_of_chunks(py, data, leadbyte::count_chars)
}

/// Raise the UnicodeDecodeError that bytes(data).decode() raises, or return None if data is UTF-8.
///
/// data: any bytes-like object with a contiguous buffer; it is copied only for an exception.
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
        // The exception needs bytes that do not change, and the error in these.
        let bytes = snapshot(data)?;
        if !bytes.is(data) {
            error = first_error(py, bytes.as_bytes())?;
        }
        error.map_or(Ok(()), |error| Err(decode_error(UTF8, &bytes, error.into())))
    })
}

/// Borrows the text of bytes that are UTF-8; raises what [`validate`] raises for others.
pub(super) fn valid_text<'a>(data: &'a Bound<'_, PyBytes>) -> PyResult<&'a str> {
    let bytes = data.as_bytes();
    if let Some(error) = first_error(data.py(), bytes)? {
        return Err(decode_error(UTF8, data, error.into()));
    }
    // SAFETY: the bytes were searched for errors and have none, and a bytes object never changes.
    Ok(unsafe { str::from_utf8_unchecked(bytes) })
}

fn first_error(py: Python<'_>, data: &[u8]) -> PyResult<Option<leadbyte::Utf8Error>> {
    polled(py, data.len(), |poll| error_iter::first_error(Implementation::active(), data, poll))
}

/// Return whether every byte is below 0x80.
///
/// data: any bytes-like object with a contiguous buffer; it is not copied.
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(super) fn is_ascii(data: &Bound<'_, PyAny>) -> PyResult<bool> {
    guarded(|| {
        let mut ascii = true;
        for_each_chunk(data.py(), Buffer::of(data)?.as_slice(), |chunk| {
            ascii = leadbyte::is_ascii(chunk);
            ascii
        })?;
        Ok(ascii)
    })
}

/// Return the numbers of lead bytes that announce sequences of 1, 2, 3 and 4 bytes, as a tuple.
///
/// Below 80 announces 1, C0-DF 2, E0-EF 3 and F0-FF 4, valid or not; the sum is count_chars(data).
///
/// >>> leadbyte.count_widths('$\u00a2\u20ac'.encode())
/// (1, 1, 1, 0)
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(super) fn count_widths<'py>(data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
    guarded(|| {
        let py = data.py();
        let mut widths = [0; 4];
        for_each_chunk(py, Buffer::of(data)?.as_slice(), |chunk| {
            for (width, count) in widths.iter_mut().zip(leadbyte::count_widths(chunk)) {
                *width += count;
            }
            true
        })?;
        let [one, two, three, four] = widths.map(|count| Int::from(count).into_bound_py_any(py));
        tuple_of(py, [one?, two?, three?, four?])
    })
}

/// Return the number of UTF-16 code units: one for each character, two from U+10000 on.
///
/// It is count_chars(data) plus the number of lead bytes F0-FF; data need not be valid.
///
/// >>> leadbyte.count_utf16('a\U0001f600'.encode())
/// 3
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(super) fn count_utf16(data: &Bound<'_, PyAny>) -> PyResult<Int> {
    guarded(|| sum_of_chunks(data.py(), Buffer::of(data)?.as_slice(), leadbyte::count_utf16).map(Int::from))
}

/// Return the number of line feeds (0A).
///
/// >>> leadbyte.count_newlines(b'one\ntwo\n')
/// 2
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(super) fn count_newlines(data: &Bound<'_, PyAny>) -> PyResult<Int> {
    guarded(|| {
        sum_of_chunks(data.py(), Buffer::of(data)?.as_slice(), leadbyte::count_newlines).map(Int::from)
    })
}

/// Return the length of a sequence in bytes, 1 to 4, from its first byte (an int) alone.
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
                return Err(wrong("a number outside 0 to 255"));
            }
            number => number?,
        };
        let byte = u8::try_from(number).map_err(|_| wrong(&number.to_string()))?;
        leadbyte::sequence_length(byte).ok_or_else(|| wrong(&format!("0x{byte:02x}")))
    })
}

/// Return a lazy iterator over all errors, each an ErrorSpan.
///
/// Spans and reasons are the same as in UnicodeDecodeError: maximal subparts (Unicode 16, table 3-8). The
/// iterator holds data's buffer, so a bytearray cannot be resized until it is dropped.
///
/// locations: whether each ErrorSpan has the location of its first byte. The data between two errors is counted once,
/// whereas locate counts from the start in each call.
///
/// >>> [error.start for error in leadbyte.iter_errors(b'a\xffb\xc0\xb1')]
/// [1, 3, 4]
/// >>> for error in leadbyte.iter_errors(b'caf\xe9\n\xff', locations=True):
/// ...     print(error.location.line, error.location.column, error.kind)
/// 1 4 missing_continuation
/// 2 1 invalid_start
#[pyfunction]
#[pyo3(signature = (data, /, *, locations = false))]
pub(super) fn iter_errors(data: &Bound<'_, PyAny>, locations: bool) -> PyResult<ErrorIterator> {
    guarded(|| ErrorIterator::over(data, locations))
}

/// Extracts the argument `name`, an offset between 0 and `length`, the length of `whole`, both included; raises
/// IndexError for others.
pub(super) fn offset_argument(
    name: &str,
    offset: &Bound<'_, PyAny>,
    length: usize,
    whole: &str,
) -> PyResult<usize> {
    let valid = natural_number(offset)?.filter(|&offset| offset <= length);
    valid.ok_or_else(|| out_of_range(name, length as u64, &format!("length of the {whole}")))
}

/// Extracts an integer; returns `None` for one that no offset can be.
pub(super) fn natural_number(offset: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    match offset.extract::<isize>() {
        Err(error) if error.is_instance_of::<PyOverflowError>(offset.py()) => Ok(None),
        number => Ok(number?.try_into().ok()),
    }
}

/// Returns the IndexError for an offset that is not between 0 and `length`, which is described by `what`.
pub(super) fn out_of_range(name: &str, length: u64, what: &str) -> PyErr {
    PyIndexError::new_err(format!("{name} out of range: it must be between 0 and {length}, the {what}"))
}

/// The units of an offset, by their names.
const UNITS: [(&str, Unit); 3] = [("byte", Unit::Byte), ("char", Unit::Char), ("utf16", Unit::Utf16)];

/// Returns the name of a unit in the plural.
pub(super) fn plural(unit: Unit) -> &'static str {
    match unit {
        Unit::Byte => "bytes",
        Unit::Char => "characters",
        Unit::Utf16 => "UTF-16 code units",
    }
}

/// Return the Location of the character at an offset: line, columns, and offsets in characters and bytes.
///
/// Lines end with a line feed; lines and columns count from 1, offsets from 0. A byte inside a character, or inside an
/// error's span, has the line and columns of its first byte, a low surrogate the columns of its character. The end of
/// the data has a location too. data need not be valid: each error counts as one character, as in
/// data.decode(errors='replace'), so lines and columns are those that editors show, but for a byte order mark, which
/// counts as a character and which they hide; count_chars may count fewer.
///
/// unit: what offset counts: 'byte', 'char' or 'utf16' (UTF-16 code units); raises ValueError for another. Raises
/// IndexError if offset is out of range. Each call counts from the start; for many, see leadbyte.iter_errors.
///
/// >>> leadbyte.locate(b'one\ntwo', 5)
/// Location(line=2, column=2, utf16_column=2, char_offset=5, byte_offset=5)
/// >>> leadbyte.locate('\U0001f600 ok'.encode(), 3, unit='utf16')
/// Location(line=1, column=3, utf16_column=4, char_offset=2, byte_offset=5)
/// >>> leadbyte.locate(b'one', 4)
/// Traceback (most recent call last):
/// IndexError: offset out of range: it must be between 0 and 3, the number of bytes in the data
#[pyfunction]
#[pyo3(
    signature = (data, /, offset, *, unit = Optional(None)),
    text_signature = "(data, /, offset, *, unit='byte')"
)]
pub(super) fn locate(
    data: &Bound<'_, PyAny>,
    offset: &Bound<'_, PyAny>,
    unit: Optional<'_>,
) -> PyResult<Location> {
    guarded(|| {
        let unit = unit.0.map_or(Ok(Unit::Byte), |unit| choice_argument(&unit, "locate", "unit", &UNITS))?;
        // No data is as long as the maximum.
        let offset = natural_number(offset)?.unwrap_or(usize::MAX);
        let buffer = Buffer::of(data)?;
        let bytes = buffer.as_slice();
        let counted = match unit {
            Unit::Byte => bytes.len().min(offset),
            Unit::Char | Unit::Utf16 => bytes.len(),
        };
        let located = polled(data.py(), counted, |poll| {
            locate_with(Implementation::active(), bytes, offset, unit, poll)
        })?;
        located.map(Location::from).map_err(|length| {
            out_of_range("offset", length, &format!("number of {} in the data", plural(unit)))
        })
    })
}

/// Return whether byte i is a boundary: a lead byte, or the end of data.
///
/// Beyond the end there is none. Raises IndexError if i is negative.
///
/// >>> leadbyte.is_boundary('1\u20ac'.encode(), 1), leadbyte.is_boundary('1\u20ac'.encode(), 2)
/// (True, False)
#[pyfunction]
#[pyo3(signature = (data, /, i))]
pub(super) fn is_boundary(data: &Bound<'_, PyAny>, i: &Bound<'_, PyAny>) -> PyResult<bool> {
    guarded(|| Ok(leadbyte::is_boundary(Buffer::of(data)?.as_slice(), index_argument(i)?)))
}

/// Return the nearest boundary at or before byte i, at most three bytes back; len(data) if i is beyond it.
///
/// If no boundary is near, i is among stray continuation bytes, and is returned. Raises IndexError if i is negative.
///
/// >>> leadbyte.floor_boundary('1\u20ac'.encode(), 3)
/// 1
#[pyfunction]
#[pyo3(signature = (data, /, i))]
pub(super) fn floor_boundary(data: &Bound<'_, PyAny>, i: &Bound<'_, PyAny>) -> PyResult<Int> {
    guarded(|| Ok(leadbyte::floor_boundary(Buffer::of(data)?.as_slice(), index_argument(i)?).into()))
}

/// Return the nearest boundary at or after byte i, at most three bytes ahead; len(data) if i is beyond it.
///
/// If no boundary is near, stray continuation bytes follow: then the end of the character that byte i is within is
/// returned, or else i. Raises IndexError if i is negative.
///
/// >>> leadbyte.ceil_boundary('1\u20ac'.encode(), 3)
/// 4
#[pyfunction]
#[pyo3(signature = (data, /, i))]
pub(super) fn ceil_boundary(data: &Bound<'_, PyAny>, i: &Bound<'_, PyAny>) -> PyResult<Int> {
    guarded(|| Ok(leadbyte::ceil_boundary(Buffer::of(data)?.as_slice(), index_argument(i)?).into()))
}

/// Extracts an index from 0 on, capped at the maximum of `usize`; raises IndexError for a negative one.
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

/// Return whether data begins with the byte order mark of UTF-8, EF BB BF.
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(super) fn has_bom(data: &Bound<'_, PyAny>) -> PyResult<bool> {
    guarded(|| Ok(Buffer::of(data)?.as_slice().starts_with(&leadbyte::BOM)))
}

/// Return the bytes without a byte order mark at the start; the same object if data is bytes without one.
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(super) fn strip_bom<'py>(data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    guarded(|| {
        let buffer = Buffer::of(data)?;
        match buffer.as_slice().strip_prefix(&leadbyte::BOM) {
            Some(rest) => copied_bytes(data.py(), rest),
            None => snapshot(data),
        }
    })
}

/// Return the bytes with a byte order mark at the start; the same object if data is bytes with one.
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(super) fn add_bom<'py>(data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    guarded(|| {
        let buffer = Buffer::of(data)?;
        let bytes = buffer.as_slice();
        if bytes.starts_with(&leadbyte::BOM) {
            return snapshot(data);
        }
        let fill = |out: &mut [MaybeUninit<u8>]| {
            let written = put(out, &leadbyte::BOM);
            Ok(written + copy(data.py(), bytes, &mut out[written..])?)
        };
        // SAFETY: `put` and `copy` write as many bytes as they return.
        unsafe { new_bytes(data.py(), leadbyte::BOM.len() + bytes.len(), fill) }
    })
}

/// Return the instruction sets of this CPU and those in use, as a dict.
///
/// 'detected': the names of the instruction sets found, from the least to the most capable; 'implementations':
/// those that leadbyte has code for, at present all; 'override': the value of the environment variable
/// LEADBYTE_ISA, or None; 'functions': the instruction set that each function uses.
#[pyfunction]
pub(super) fn cpu_info(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    guarded(|| {
        let info = PyDict::new(py);
        let found = leadbyte::cpu_info();
        info.set_item("detected", found.detected)?;
        info.set_item("implementations", found.implementations)?;
        info.set_item("override", found.requested.unwrap_or_default())?;
        let functions = PyDict::new(py);
        for (isa, names) in [
            (
                found.active,
                &[
                    "decode",
                    "encode",
                    "encode_into",
                    "encoded_length",
                    "is_valid",
                    "iter_errors",
                    "lines",
                    "repair",
                    "scan",
                    "to_well_formed",
                    "validate",
                ] as &[_],
            ),
            (
                found.counting,
                &[
                    "count_chars",
                    "count_newlines",
                    "count_utf16",
                    "count_widths",
                    "is_ascii",
                    "locate",
                    "truncate",
                ],
            ),
            (
                found.further,
                &[
                    "audit",
                    "casefold",
                    "count_graphemes",
                    "graphemes",
                    "is_equivalent",
                    "is_normalized",
                    "normalize",
                    "sanitize",
                    "search",
                ],
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

/// Return the length in bytes that a lead byte announces by its leading one bits, up to 8; 0 for a continuation byte.
#[pyfunction]
#[pyo3(signature = (lead, /))]
pub(super) fn _announced_length(lead: u8) -> PyResult<usize> {
    guarded(|| Ok(leadbyte::bindings::sequence::announced_length(lead)))
}
