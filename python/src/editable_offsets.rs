//! The class `EditableOffsetMap`.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use pyo3::{PyTraverseError, PyVisit};

use leadbyte::bindings::offsets::EditableIndex;
use leadbyte::{Newlines, OffsetError, Unit};

use super::arguments::Optional;
use super::buffer::{copied_bytes, detached, detached_change, snapshot};
use super::decode::decode;
use super::encode::encode;
use super::fields::reduced;
use super::functions::out_of_range;
use super::interpreter::guarded;
use super::list::Int;
use super::offsets::{
    Lookups, MapText, Position, SURROGATES, any_offset, build_index, conversion_error, converted_many,
    newlines_argument, repr, unit_argument,
};
use super::work_error::memory_error;

/// An OffsetMap of a text that is edited: the same conversions, and replace.
///
/// The time of an edit, 1 to 3 microseconds, does not grow with the text, but with the text inserted, or removed where
/// a text has errors. Only inserted text is owned, so a mapped file can be edited, too: the file itself does not
/// change, and must not.
///
/// text_or_data, newlines: as for OffsetMap.
///
/// >>> offsets = leadbyte.EditableOffsetMap('one\ntwo')
/// >>> offsets.replace(3, 3, ' \U0001f600')
/// >>> offsets.convert(8, 'byte', 'utf16'), offsets.line_count
/// (6, 2)
/// >>> offsets.replace(0, 99, '')
/// Traceback (most recent call last):
/// IndexError: end out of range: it must be between 0 and 12, the number of bytes in the text
#[pyclass(frozen, generic, module = "leadbyte")]
pub(super) struct EditableOffsetMap {
    /// The text before all edits.
    text: MapText,
    /// A thread that has locked it neither waits for the interpreter nor runs Python code, so that threads that hold
    /// the interpreter may wait for it. (PyO3's `lock_py_attached` locks before it attaches again.)
    index: Mutex<EditableIndex>,
    newlines: Newlines,
}

impl EditableOffsetMap {
    fn lock(&self) -> MutexGuard<'_, EditableIndex> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the index, and lets other threads run while that takes time.
    fn lock_attached(&self, py: Python<'_>) -> MutexGuard<'_, EditableIndex> {
        loop {
            match self.index.try_lock() {
                Ok(index) => return index,
                Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => py.detach(|| drop(self.lock())),
            }
        }
    }

    /// Returns a copy of a range of the text, as str or bytes, whichever the text is.
    fn copied<'py>(
        &self,
        py: Python<'py>,
        range_in: impl Fn(&EditableIndex) -> PyResult<Range<usize>> + Send + Sync,
    ) -> PyResult<Bound<'py, PyAny>> {
        let text = self.text.as_slice(py)?;
        let length = range_in(&self.lock_attached(py))?.len();
        let bytes = detached(py, length, |_| {
            let index = self.lock();
            Ok(index.bytes(text, range_in(&index)?).map_err(memory_error)?)
        })?;
        let bytes = copied_bytes(py, &bytes)?.into_any();
        if self.text.is_str() { decode(&bytes, Some(&SURROGATES)).map(Bound::into_any) } else { Ok(bytes) }
    }

    /// Returns the bytes that an argument inserts.
    fn inserted<'py>(&self, data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        if let Ok(text) = data.cast::<PyString>() {
            return encode(text, if self.text.is_str() { Some(&SURROGATES) } else { None });
        }
        let bytes = snapshot(data)?;
        if self.text.is_str() {
            decode(bytes.as_any(), None)?;
        }
        Ok(bytes)
    }
}

impl Lookups for EditableOffsetMap {
    fn convert(&self, py: Python<'_>, offset: usize, units: [Unit; 2], strict: bool) -> PyResult<usize> {
        let text = self.text.as_slice(py)?;
        let converted = self.lock_attached(py).convert(text, offset, units, strict);
        converted.map_err(|error| conversion_error("offset", &error))
    }

    fn position(&self, py: Python<'_>, offset: usize, units: [Unit; 2]) -> PyResult<Position> {
        let text = self.text.as_slice(py)?;
        let position = self.lock_attached(py).position(text, offset, units);
        position.map(Position::from).map_err(|error| conversion_error("offset", &error))
    }

    fn offset(&self, py: Python<'_>, line: usize, character: usize, units: [Unit; 2]) -> PyResult<usize> {
        let text = self.text.as_slice(py)?;
        let offset = self.lock_attached(py).offset(text, leadbyte::Position { line, character }, units);
        offset.map_err(|error| conversion_error("offset", &error))
    }
}

#[pymethods]
impl EditableOffsetMap {
    #[new]
    #[pyo3(
        signature = (text_or_data, /, *, newlines = Optional(None)),
        text_signature = "(text_or_data, /, *, newlines='universal')"
    )]
    fn new(text_or_data: &Bound<'_, PyAny>, newlines: Optional<'_>) -> PyResult<Self> {
        guarded(|| {
            let py = text_or_data.py();
            let newlines = newlines_argument(&newlines, "EditableOffsetMap")?;
            let text = MapText::of(text_or_data)?;
            let index = EditableIndex::new(build_index(py, &text, newlines, 1)?, text.as_slice(py)?)
                .map_err(memory_error)?;
            Ok(Self { text, index: Mutex::new(index), newlines })
        })
    }

    /// Replace the bytes from start to end by data.
    ///
    /// start, end: offsets in bytes; raises IndexError if they are out of range. data: a str or a bytes-like object.
    ///
    /// A map of a str remains text: raises ValueError for an offset inside a character, UnicodeDecodeError for data
    /// that is not UTF-8. In a map of bytes, a str is encoded: raises UnicodeEncodeError for lone surrogates. After an
    /// exception nothing has changed. Ctrl-C does not stop an insertion, which takes up to 1.2 s for 100 MB (AMD, Zen
    /// 3), nor a deletion, which takes 0.12 s for 100 MB of data with errors anywhere; other threads run meanwhile.
    ///
    /// >>> offsets = leadbyte.EditableOffsetMap('a\u20ac')
    /// >>> offsets.replace(1, 4, 'bc')
    /// >>> offsets.slice(0, 3, unit='byte')
    /// 'abc'
    /// >>> offsets.replace(1, 9, '')
    /// Traceback (most recent call last):
    /// IndexError: end out of range: it must be between 0 and 3, the number of bytes in the text
    #[pyo3(signature = (start, end, data, /))]
    fn replace(
        &self,
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        end: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        guarded(|| {
            let (start, end) = (any_offset(start)?, any_offset(end)?);
            let inserted = self.inserted(data)?;
            let (inserted, text) = (inserted.as_bytes(), self.text.as_slice(py)?);
            detached_change(py, inserted.len().max(end.saturating_sub(start)), |_| {
                let mut index = self.lock();
                let count = index.count(Unit::Byte);
                if end > count {
                    return Err(out_of_range("end", count as u64, "number of bytes in the text").into());
                }
                if start > end {
                    return Err(out_of_range("start", end as u64, "end of the range").into());
                }
                if self.text.is_str() {
                    for (name, offset) in [("start", start), ("end", end)] {
                        let boundary = index.convert(text, offset, [Unit::Byte; 2], true);
                        boundary.map_err(|error| conversion_error(name, &error))?;
                    }
                }
                Ok(index.replace(text, start..end, inserted).map_err(memory_error)?)
            })
        })
    }

    /// The text after all edits, as a str or bytes, whichever it was made of; a copy.
    ///
    /// >>> offsets = leadbyte.EditableOffsetMap(b'one')
    /// >>> offsets.replace(3, 3, b' two')
    /// >>> offsets.text
    /// b'one two'
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| self.copied(py, |index| Ok(0..index.count(Unit::Byte))))
    }

    /// The length in bytes.
    #[getter]
    fn byte_count(&self, py: Python<'_>) -> Int {
        self.lock_attached(py).count(Unit::Byte).into()
    }

    /// The number of characters.
    #[getter]
    fn char_count(&self, py: Python<'_>) -> Int {
        self.lock_attached(py).count(Unit::Char).into()
    }

    /// The number of UTF-16 code units.
    #[getter]
    fn utf16_count(&self, py: Python<'_>) -> Int {
        self.lock_attached(py).count(Unit::Utf16).into()
    }

    /// The number of lines: one more than there are line ends.
    #[getter]
    fn line_count(&self, py: Python<'_>) -> Int {
        self.lock_attached(py).line_count().into()
    }

    /// Convert many offsets from one unit to another, as OffsetMap.convert_many does.
    #[pyo3(signature = (offsets, /, source, target, *, out = None))]
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
                let index = self.lock();
                for (place, &offset) in out.iter_mut().zip(offsets) {
                    *place = index.convert(text, offset, units, false)?;
                }
                Ok(())
            })
        })
    }

    /// Return the text between two offsets, as OffsetMap.slice does.
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
            let text = self.text.as_slice(py)?;
            self.copied(py, |index| {
                let byte_of = |name, offset| {
                    let byte = index.convert(text, offset, [unit, Unit::Byte], false);
                    byte.map_err(|error: OffsetError| conversion_error(name, &error))
                };
                let (start, end) = (byte_of("start", start)?, byte_of("end", end)?);
                Ok(start..end.max(start))
            })
        })
    }

    #[staticmethod]
    fn _restore(text: &Bound<'_, PyAny>, newlines: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::new(text, Optional(Some(newlines.clone())))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        guarded(|| {
            let this = slf.get();
            let text = this.text(slf.py())?;
            reduced(slf.getattr("_restore")?, (text, this.newlines.name()))
        })
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        guarded(|| repr(py, "EditableOffsetMap", self.lock_attached(py).count(Unit::Byte)))
    }

    /// Visits the data. The map holds the same as long as it lives, so another member of a reference cycle must be
    /// cleared.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.text.traverse(&visit)
    }
}
