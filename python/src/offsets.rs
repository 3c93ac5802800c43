//! The classes `OffsetMap` and `Position`.

use std::ffi::CStr;

use pyo3::PyClass;
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::True;
use pyo3::types::{PyByteArray, PyDict, PyIterator, PyMemoryView, PyString, PyTuple};
use pyo3::{PyTraverseError, PyVisit};

use leadbyte::bindings::allocation::{Grow, product};
use leadbyte::bindings::encodings::ErrorHandler;
use leadbyte::bindings::offsets::{OffsetIndex, Validity};
use leadbyte::{Newlines, OffsetError, Unit};

use super::arguments::{Optional, choice_argument};
use super::buffer::{HeldBuffer, IntegerBuffer, Integers, copied_bytes, detached, polled};
use super::encode::encode;
use super::fields::{self, reduced};
use super::functions::{natural_number, out_of_range, plural};
use super::handlers::Name;
use super::interpreter::guarded;
use super::list::{Int, extracted, list_of, slice_of};
use super::scan::threads_argument;
use super::string::{Text, Utf8OrUnits, exact};
use super::work_error::memory_error;

pub(super) const CONVERT_DOC: &CStr = c"convert($self, offset, /, source, target, *, strict=False)
--

Convert an offset from one unit to another.

strict: raise ValueError for an offset inside a character instead of rounding down to its start.

>>> offsets = leadbyte.OffsetMap('a\\u20ac')
>>> offsets.convert(3, 'byte', 'char')
1
>>> offsets.convert(3, 'byte', 'char', strict=True)
Traceback (most recent call last):
ValueError: byte 3 is inside the character U+20AC \"\u{20ac}\" that starts at byte 1
";

pub(super) const POSITION_DOC: &CStr =
    c"position($self, offset, /, *, unit='byte', column_unit='utf16')
--

Return the Position, line and column, of an offset.

unit: what offset counts. column_unit: what the column counts. An offset inside a character counts as the offset of
its start, one between CR and LF as the offset of the CR.

>>> leadbyte.OffsetMap('one\\n\\U0001f600 two').position(9)
Position(line=1, character=3)
";

pub(super) const OFFSET_DOC: &CStr =
    c"offset($self, line, character, /, *, unit='byte', column_unit='utf16')
--

Return the offset of a line and a column, both from 0.

A column inside a character counts as the column of its start, one past the end of its line as the end, before the
line end. Raises IndexError if there is no such line, or for a negative column. unit: what the offset counts.
column_unit: what the column counts.

>>> offsets = leadbyte.OffsetMap('one\\r\\n\\U0001f600 two')
>>> offsets.offset(1, 3), offsets.offset(0, 99)
(10, 3)
>>> offsets.offset(2, 0)
Traceback (most recent call last):
IndexError: line out of range: it must be between 0 and 1, the last line
";

/// Extracts what ends lines.
pub(super) fn newlines_argument(newlines: &Optional<'_>, function: &str) -> PyResult<Newlines> {
    newlines.0.as_ref().map_or(Ok(Newlines::Universal), |newlines| {
        choice_argument(newlines, function, "newlines", &Newlines::NAMES)
    })
}

/// How lone surrogates of a str are encoded: as three bytes, as CPython's error handler does it.
pub(super) const SURROGATES: Name = Name::BuiltIn(ErrorHandler::SurrogatePass);

/// A line and a column, both from 0, as in the Language Server Protocol. It can be unpacked.
///
/// >>> line, character = leadbyte.Position(2, 5)
#[pyclass(frozen, eq, ord, hash, module = "leadbyte")]
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Position {
    line: usize,
    character: usize,
}

impl From<leadbyte::Position> for Position {
    fn from(leadbyte::Position { line, character }: leadbyte::Position) -> Self {
        Self { line, character }
    }
}

#[pymethods]
impl Position {
    #[new]
    fn new(line: usize, character: usize) -> PyResult<Self> {
        guarded(|| Ok(Self { line, character }))
    }

    /// The line, from 0.
    #[getter]
    fn line(&self) -> Int {
        self.line.into()
    }

    /// The column, from 0: the number of units between the start of the line and the offset.
    #[getter]
    fn character(&self) -> Int {
        self.character.into()
    }

    /// Return the fields by name.
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        guarded(|| {
            let dict = PyDict::new(py);
            dict.set_item("line", self.line())?;
            dict.set_item("character", self.character())?;
            Ok(dict)
        })
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        guarded(|| PyTuple::new(py, [self.line, self.character])?.try_iter())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        guarded(|| reduced(slf.get_type().into_any(), (slf.get().line, slf.get().character)))
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        guarded(|| fields::repr("Position", &self.as_dict(py)?))
    }
}

/// Returns the representation of an offset map.
pub(super) fn repr<'py>(py: Python<'py>, class: &str, byte_count: usize) -> PyResult<Bound<'py, PyString>> {
    let bytes = if byte_count == 1 { "byte" } else { "bytes" };
    Text(format!("<leadbyte.{class} of {byte_count} {bytes}>")).into_pyobject(py)
}

/// A text with an index of its characters, UTF-16 code units and lines, which converts offsets.
///
/// Each conversion takes some tens of nanoseconds, however long the text is. The index takes 2.5 % of the UTF-8 of a
/// long text, and some KiB for a short one.
///
/// text_or_data: a str, or a bytes-like object, which is not copied and must not change: if it does, results are
/// wrong. The UTF-8 of a str that is not ASCII is kept beside it; lone surrogates count as three bytes. Bytes need not
/// be valid: each error counts as one character, as in data.decode(errors='replace'); lookups then take microseconds.
/// newlines: what ends lines: 'universal' (LF, CR LF and CR, as in the Language Server Protocol) or 'lf'. The text
/// after the last line end is a line, even if it is empty.
/// threads: the number of threads that build the index; 0 means one for each core.
///
/// Units are 'byte', 'char' and 'utf16' (UTF-16 code units), or 'utf-8', 'utf-32' and 'utf-16', as the Language Server
/// Protocol calls them. An offset inside a character counts as the offset of its start. Raises IndexError for offsets
/// beyond the end, ValueError for an unknown unit.
///
/// >>> text = 'x = "\U0001f600"\ny'
/// >>> offsets = leadbyte.OffsetMap(text)
/// >>> offsets.convert(6, 'char', 'utf16'), offsets.convert(6, 'char', 'byte')
/// (7, 9)
/// >>> offsets.convert(99, 'char', 'byte')
/// Traceback (most recent call last):
/// IndexError: offset out of range: it must be between 0 and 9, the number of characters in the text
#[pyclass(frozen, generic, module = "leadbyte")]
pub(super) struct OffsetMap {
    text: MapText,
    index: OffsetIndex,
    newlines: Newlines,
}

/// The text of a map.
pub(super) enum MapText {
    Data(HeldBuffer),
    /// A str, and its UTF-8 unless that is in memory anyhow.
    Str(Py<PyString>, Option<HeldBuffer>),
}

impl MapText {
    pub(super) fn of(text_or_data: &Bound<'_, PyAny>) -> PyResult<Self> {
        // SAFETY: it becomes a part of a map; on the way there, the thread is attached.
        let held = |data: &Bound<'_, PyAny>| unsafe { HeldBuffer::of(data) };
        let Ok(text) = text_or_data.cast::<PyString>() else {
            return held(text_or_data).map(Self::Data);
        };
        let text = exact(text)?;
        let utf8 = match Utf8OrUnits::of(&text)? {
            Utf8OrUnits::Utf8(_) => None,
            _ => Some(held(encode(&text, Some(&SURROGATES))?.as_any())?),
        };
        Ok(Self::Str(text.unbind(), utf8))
    }

    #[inline]
    pub(super) fn as_slice<'a>(&'a self, py: Python<'a>) -> PyResult<&'a [u8]> {
        match self {
            Self::Data(data) | Self::Str(_, Some(data)) => Ok(data.as_slice()),
            Self::Str(text, None) => match Utf8OrUnits::of(text.bind(py))? {
                Utf8OrUnits::Utf8(utf8) => Ok(utf8),
                // CPython keeps the UTF-8 of a str as long as the str.
                _ => Err(PyValueError::new_err("the UTF-8 of the text is gone")),
            },
        }
    }

    /// Returns whether it is a str.
    pub(super) fn is_str(&self) -> bool {
        matches!(self, Self::Str(..))
    }

    /// Returns the validity of its bytes, as far as it is known: the bytes of a str have no errors but lone surrogates,
    /// which are characters.
    fn validity(&self) -> Validity {
        if self.is_str() { Validity::Known } else { Validity::Unknown }
    }

    /// Visits the data, for the cycle collector.
    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self {
            Self::Data(data) => data.traverse(visit),
            // A str, and bytes, refer to nothing.
            Self::Str(..) => Ok(()),
        }
    }
}

/// Indexes a text.
pub(super) fn build_index(
    py: Python<'_>,
    text: &MapText,
    newlines: Newlines,
    threads: usize,
) -> PyResult<OffsetIndex> {
    let bytes = text.as_slice(py)?;
    let validity = text.validity();
    polled(py, bytes.len(), |poll| OffsetIndex::build(bytes, validity, newlines, threads, poll))
}

/// Returns the exception for an offset that cannot be converted.
#[cold]
pub(super) fn conversion_error(name: &str, error: &OffsetError) -> PyErr {
    match *error {
        OffsetError::OutOfRange { unit, count, .. } => {
            out_of_range(name, count as u64, &format!("number of {} in the text", plural(unit)))
        }
        OffsetError::NoSuchLine { count, .. } => PyIndexError::new_err(format!(
            "line out of range: it must be between 0 and {}, the last line",
            count.saturating_sub(1)
        )),
        OffsetError::InsideChar { .. } => PyValueError::new_err(error.to_string()),
    }
}

/// Extracts an offset, a line or a column; the maximum, which none can have, for integers that are not offsets.
#[inline]
pub(super) fn any_offset(offset: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(natural_number(offset)?.unwrap_or(usize::MAX))
}

/// Extracts a unit.
#[inline]
pub(super) fn unit_argument(unit: &Bound<'_, PyAny>, function: &str, name: &str) -> PyResult<Unit> {
    choice_argument(unit, function, name, &Unit::NAMES)
}

/// A class of maps of offsets, with lookups that raise exceptions.
pub(super) trait Lookups: PyClass<Frozen = True> + Sync {
    fn convert(&self, py: Python<'_>, offset: usize, units: [Unit; 2], strict: bool) -> PyResult<usize>;

    fn position(&self, py: Python<'_>, offset: usize, units: [Unit; 2]) -> PyResult<Position>;

    fn offset(&self, py: Python<'_>, line: usize, character: usize, units: [Unit; 2]) -> PyResult<usize>;
}

impl Lookups for OffsetMap {
    #[inline]
    fn convert(&self, py: Python<'_>, offset: usize, units: [Unit; 2], strict: bool) -> PyResult<usize> {
        let converted = self.index.convert(self.text.as_slice(py)?, offset, units, strict);
        converted.map_err(|error| conversion_error("offset", &error))
    }

    #[inline]
    fn position(&self, py: Python<'_>, offset: usize, units: [Unit; 2]) -> PyResult<Position> {
        let position = self.index.position(self.text.as_slice(py)?, offset, units);
        position.map(Position::from).map_err(|error| conversion_error("offset", &error))
    }

    #[inline]
    fn offset(&self, py: Python<'_>, line: usize, character: usize, units: [Unit; 2]) -> PyResult<usize> {
        let position = leadbyte::Position { line, character };
        let offset = self.index.offset(self.text.as_slice(py)?, position, units);
        offset.map_err(|error| conversion_error("offset", &error))
    }
}

#[pymethods]
impl OffsetMap {
    #[new]
    #[pyo3(
        signature = (text_or_data, /, *, newlines = Optional(None), threads = Optional(None)),
        text_signature = "(text_or_data, /, *, newlines='universal', threads=1)"
    )]
    fn new(text_or_data: &Bound<'_, PyAny>, newlines: Optional<'_>, threads: Optional<'_>) -> PyResult<Self> {
        guarded(|| {
            let newlines = newlines_argument(&newlines, "OffsetMap")?;
            let threads = threads.0.map_or(Ok(1), |threads| threads_argument(&threads))?;
            let py = text_or_data.py();
            let text = MapText::of(text_or_data)?;
            let index = build_index(py, &text, newlines, threads)?;
            Ok(Self { text, index, newlines })
        })
    }

    /// The length in bytes.
    #[getter]
    fn byte_count(&self) -> Int {
        self.index.count(Unit::Byte).into()
    }

    /// The number of characters.
    #[getter]
    fn char_count(&self) -> Int {
        self.index.count(Unit::Char).into()
    }

    /// The number of UTF-16 code units.
    #[getter]
    fn utf16_count(&self) -> Int {
        self.index.count(Unit::Utf16).into()
    }

    /// The number of lines: one more than there are line ends.
    #[getter]
    fn line_count(&self) -> Int {
        self.index.line_count().into()
    }

    /// Convert many offsets from one unit to another, in any order.
    ///
    /// offsets: an iterable of ints, which gives a list; or a buffer of int32 or int64, such as a NumPy array, which
    /// gives a memoryview of int64. Raises TypeError for other buffers.
    /// out: a writable buffer of as many int32 or int64, which is filled and returned; it may be offsets itself. Raises
    /// OverflowError for an offset that does not fit. After an exception its values are unspecified.
    ///
    /// >>> leadbyte.OffsetMap('a\u20ac').convert_many([0, 1, 2], 'char', 'byte')
    /// [0, 1, 4]
    #[pyo3(
        signature = (offsets, /, source, target, *, out = None)
    )]
    fn convert_many<'py>(
        &self,
        py: Python<'py>,
        offsets: &Bound<'py, PyAny>,
        source: &Bound<'_, PyAny>,
        target: &Bound<'_, PyAny>,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| {
            let units = [
                unit_argument(source, "convert_many", "source")?,
                unit_argument(target, "convert_many", "target")?,
            ];
            let text = self.text.as_slice(py)?;
            converted_many(offsets, out, |offsets, out| {
                self.index.convert_many(text, offsets, units, false, out)
            })
        })
    }

    /// Return the text between two offsets, as str or bytes, whichever was given; empty if end is not after start.
    ///
    /// An offset inside a character counts as the offset of its start. unit: what the offsets count.
    ///
    /// >>> leadbyte.OffsetMap('a\u20ac\U0001f600!').slice(1, 4, unit='utf16') == '\u20ac\U0001f600'
    /// True
    #[pyo3(signature = (start, end, /, *, unit))]
    fn slice<'py>(
        &self,
        py: Python<'py>,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
        unit: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| {
            let unit = unit_argument(unit, "slice", "unit")?;
            let (start, end) = (any_offset(start)?, any_offset(end)?);
            let bytes = self.text.as_slice(py)?;
            let converted = |name, offset, target| {
                let converted = self.index.convert(bytes, offset, [unit, target], false);
                converted.map_err(|error| conversion_error(name, &error))
            };
            match &self.text {
                MapText::Data(_) => {
                    let (start, end) =
                        (converted("start", start, Unit::Byte)?, converted("end", end, Unit::Byte)?);
                    let slice = bytes.get(start..end).unwrap_or_default();
                    copied_bytes(py, slice).map(Bound::into_any)
                }
                MapText::Str(text, _) => {
                    let (start, end) =
                        (converted("start", start, Unit::Char)?, converted("end", end, Unit::Char)?);
                    slice_of(text.bind(py), start, end)
                }
            }
        })
    }

    #[staticmethod]
    fn _restore(text: &Bound<'_, PyAny>, newlines: &Bound<'_, PyAny>) -> PyResult<Self> {
        let newlines = Optional(Some(newlines.clone()));
        Self::new(text, newlines, Optional(None))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        guarded(|| {
            let (py, this) = (slf.py(), slf.get());
            let text = match &this.text {
                MapText::Data(data) => copied_bytes(py, data.as_slice())?.into_any(),
                MapText::Str(text, _) => text.bind(py).clone().into_any(),
            };
            reduced(slf.getattr("_restore")?, (text, this.newlines.name()))
        })
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (_memo, /))]
    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        guarded(|| repr(py, "OffsetMap", self.index.count(Unit::Byte)))
    }

    /// Return the size of the index in memory in bytes, without the text.
    fn __sizeof__(&self) -> PyResult<Int> {
        guarded(|| Ok((size_of::<Self>() + self.index.memory_bytes()).into()))
    }

    /// Visits the data. The map is immutable, so another member of a reference cycle must be cleared.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.text.traverse(&visit)
    }
}

/// Extracts a column; raises IndexError for a negative one.
#[inline]
pub(super) fn column_argument(character: &Bound<'_, PyAny>) -> PyResult<usize> {
    match natural_number(character)? {
        Some(column) => Ok(column),
        None if character.lt(0)? => {
            Err(PyIndexError::new_err("character out of range: it must not be negative"))
        }
        None => Ok(usize::MAX),
    }
}

/// The number of offsets that are converted between two checks for signals.
const CHUNK_OFFSETS: usize = 16 << 10;

/// About the number of bytes that are read from memory to convert an offset.
const OFFSET_COST_BYTES: usize = 64;

/// Where offsets come from.
enum OffsetSource<'a> {
    Values(Vec<usize>),
    Items(Integers<'a>),
}

/// Converts an iterable or a buffer of offsets by `convert`, into `out` or a new object, which is returned.
pub(super) fn converted_many<'py>(
    offsets: &Bound<'py, PyAny>,
    out: Option<Bound<'py, PyAny>>,
    convert: impl Fn(&[usize], &mut [usize]) -> Result<(), OffsetError> + Sync,
) -> PyResult<Bound<'py, PyAny>> {
    let py = offsets.py();
    let buffer = IntegerBuffer::of(offsets, "offsets")?;
    let source = match &buffer {
        Some(buffer) => OffsetSource::Items(buffer.items()),
        None => OffsetSource::Values(extracted(offsets, any_offset)?),
    };
    let count = match &source {
        OffsetSource::Values(values) => values.len(),
        OffsetSource::Items(items) => items.count(),
    };
    let result = match (out, &source) {
        (Some(out), _) => out,
        (None, OffsetSource::Items(_)) => new_items(py, count)?,
        (None, OffsetSource::Values(_)) => {
            let mut converted = vec![];
            converted.grow(count).map_err(memory_error)?;
            each_chunk(py, source, count, convert, |_, chunk| {
                converted.extend_from_slice(chunk);
                Ok(())
            })?;
            return list_of(py, converted.into_iter().map(|offset| Int(offset as u64))).map(Bound::into_any);
        }
    };
    let written = IntegerBuffer::writable(&result, "out")?;
    let items = written.items();
    if items.count() != count {
        let given = items.count();
        return Err(PyValueError::new_err(format!("out must have {count} items, not {given}")));
    }
    each_chunk(py, source, count, convert, |first, chunk| {
        let wrong = items.write(first, chunk).and_then(|index| Some((first + index, chunk.get(index)?)));
        wrong.map_or(Ok(()), |(index, offset)| {
            Err(PyOverflowError::new_err(format!("offset {offset} does not fit in out[{index}]; pass int64")))
        })
    })?;
    drop(written);
    Ok(result)
}

/// Converts offsets chunk by chunk, and gives each chunk with the index of its first offset to `put`.
fn each_chunk(
    py: Python<'_>,
    source: OffsetSource<'_>,
    count: usize,
    convert: impl Fn(&[usize], &mut [usize]) -> Result<(), OffsetError> + Sync,
    mut put: impl FnMut(usize, &[usize]) -> PyResult<()> + Send,
) -> PyResult<()> {
    detached(py, count.saturating_mul(OFFSET_COST_BYTES), |poller| {
        let length = count.min(CHUNK_OFFSETS);
        let (mut offsets, mut converted) = (vec![], vec![]);
        offsets.grow(length).map_err(memory_error)?;
        offsets.resize(length, 0);
        converted.grow(length).map_err(memory_error)?;
        converted.resize(length, 0);
        for first in (0..count).step_by(CHUNK_OFFSETS) {
            let length = (count - first).min(CHUNK_OFFSETS);
            let offsets = match &source {
                OffsetSource::Values(values) => &values[first..first + length],
                OffsetSource::Items(items) => {
                    items.read(first, &mut offsets[..length]);
                    &offsets[..length]
                }
            };
            let converted = &mut converted[..length];
            convert(offsets, converted).map_err(|error| {
                let index = match error {
                    OffsetError::OutOfRange { count, .. } => {
                        offsets.iter().position(|&offset| offset > count)
                    }
                    _ => None,
                };
                conversion_error(&format!("offsets[{}]", first + index.unwrap_or(0)), &error)
            })?;
            put(first, converted)?;
            poller.advance(length * OFFSET_COST_BYTES)?;
        }
        Ok(())
    })
}

/// Returns a new memoryview of as many int64.
fn new_items(py: Python<'_>, count: usize) -> PyResult<Bound<'_, PyAny>> {
    let memory =
        PyByteArray::new_with(py, product(count, size_of::<i64>()).map_err(memory_error)?, |_| Ok(()))?;
    PyMemoryView::from(memory.as_any())?.call_method1("cast", ("q",))
}
