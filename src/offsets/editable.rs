//! The map of a text that is edited.

use core::ops::Range;

use super::index::char_at;
use super::pieces::{Cursor, Pieces, Preceding};
use super::{Newlines, OffsetError, OffsetIndex, Position, Unit, Validity};
use crate::allocation::{AllocError, Grow, or_raise};
use crate::kernels::offsets::{ABSENT, CHARS, LINES, MarkPlace, Text};
use crate::progress::{uninterrupted, unpolled};
use crate::sequence::boundary::MAX_BYTES_TO_LEAD;
use crate::sequence::is_continuation;

/// The maximum length of a character in bytes.
const MAX_CHAR_BYTES: usize = 4;

/// An index of a text that is edited; the text before all edits is kept elsewhere and given to every call.
///
/// If that is another text, or it changes meanwhile, results are wrong, but still offsets of the text indexed.
///
/// Errors depend on the bytes around them, so a text that has any is kept twice: its bytes, and its characters, which
/// have other bytes in the place of errors.
pub struct EditableIndex {
    index: OffsetIndex,
    /// The bytes. Their marks are the characters, until other marks are computed.
    pieces: Pieces,
    /// The characters, once the text has or had errors.
    chars: Option<Pieces>,
}

impl Clone for EditableIndex {
    fn clone(&self) -> Self {
        let copied = |pieces: &Pieces| or_raise(pieces.copied());
        let (pieces, chars) = (copied(&self.pieces), self.chars.as_ref().map(copied));
        Self { index: self.index.clone(), pieces, chars }
    }
}

impl EditableIndex {
    /// Makes the indexed text editable.
    pub fn new(index: OffsetIndex, text: &[u8]) -> Result<Self, AllocError> {
        let pieces = Pieces::new(index.with_bytes(text))?;
        let chars = if index.is_broken() { Some(Pieces::new(index.with(text))?) } else { None };
        Ok(Self { index, pieces, chars })
    }

    /// Returns the pieces whose marks are the characters.
    fn chars(&self) -> &Pieces {
        self.chars.as_ref().unwrap_or(&self.pieces)
    }

    fn cursor<'a>(&'a self, text: &'a [u8]) -> Cursor<'a> {
        self.chars().cursor(self.index.with(text))
    }

    /// Returns the number of units.
    pub fn count(&self, unit: Unit) -> usize {
        let sums = self.chars().sums();
        match unit {
            Unit::Byte => sums.bytes,
            Unit::Char | Unit::Utf16 => sums.marks[unit.kind()],
        }
    }

    /// Returns the number of lines.
    pub fn line_count(&self) -> usize {
        self.chars().sums().marks[LINES] + 1
    }

    /// Returns an error if an offset is beyond the end.
    pub fn check(&self, offset: usize, unit: Unit) -> Result<(), OffsetError> {
        OffsetError::beyond(offset, unit, self.count(unit))
    }

    /// Returns an error unless a range of bytes is in the text.
    pub fn check_range(&self, start: usize, end: usize) -> Result<Range<usize>, OffsetError> {
        self.check(end, Unit::Byte)?;
        OffsetError::beyond(start, Unit::Byte, end)?;
        Ok(start..end)
    }

    /// Converts an offset; with `strict` one inside a character is an error.
    pub fn convert(
        &self,
        text: &[u8],
        offset: usize,
        [source, target]: [Unit; 2],
        strict: bool,
    ) -> Result<usize, OffsetError> {
        self.check(offset, source)?;
        let mut cursor = self.cursor(text);
        let (place, converted) = match (source, target) {
            (Unit::Byte, Unit::Char | Unit::Utf16) => {
                let (place, before) = cursor.start_of(offset);
                (place, before.marks[target.kind()])
            }
            _ => {
                let place = cursor.place_of(offset, source);
                (place, cursor.offset_of(place.byte, target))
            }
        };
        if strict && place.second {
            return Err(self.inside_char(text, offset, source, place.byte));
        }
        Ok(converted)
    }

    /// Returns the error for an offset inside the character that starts at `start`.
    #[cold]
    fn inside_char(&self, text: &[u8], offset: usize, unit: Unit, start: usize) -> OffsetError {
        let mut bytes = Vec::new();
        let end = start.saturating_add(MAX_CHAR_BYTES).min(self.count(Unit::Byte));
        // Without memory for some bytes, the character is not named.
        let _ = self.pieces.append_to(self.index.with_bytes(text), start..end, &mut bytes);
        let (start, length) = match unit {
            Unit::Byte => (start, offset.saturating_sub(start)),
            Unit::Char | Unit::Utf16 => (offset.saturating_sub(1), 0),
        };
        OffsetError::InsideChar { offset, unit, start, char: char_at(&bytes, length) }
    }

    /// Returns the line and the column of an offset.
    pub fn position(
        &self,
        text: &[u8],
        offset: usize,
        [unit, column_unit]: [Unit; 2],
    ) -> Result<Position, OffsetError> {
        self.check(offset, unit)?;
        let mut cursor = self.cursor(text);
        let (mut byte, mut before) = match unit {
            Unit::Byte => {
                let (place, before) = cursor.start_of(offset);
                (place.byte, before)
            }
            Unit::Char | Unit::Utf16 => {
                let byte = cursor.place_of(offset, unit).byte;
                (byte, cursor.before(byte))
            }
        };
        if before.carriage_return && before.byte == Some(b'\n') {
            byte -= 1;
            before = cursor.before(byte);
        }
        let line = before.marks[LINES];
        let start = cursor.line_start(line);
        let character = match column_unit {
            Unit::Byte => byte.saturating_sub(start),
            Unit::Char | Unit::Utf16 => {
                let kind = column_unit.kind();
                before.marks[kind].saturating_sub(cursor.before(start).marks[kind])
            }
        };
        Ok(Position { line, character })
    }

    /// Returns the offset of a line and a column.
    pub fn offset(
        &self,
        text: &[u8],
        Position { line, character: column }: Position,
        [unit, column_unit]: [Unit; 2],
    ) -> Result<usize, OffsetError> {
        OffsetError::no_such_line(line, self.line_count())?;
        let mut cursor = self.cursor(text);
        let start = cursor.line_start(line);
        let before = cursor.before(start);
        if column == 0 && (start == 0 || !before.byte.is_some_and(is_continuation)) {
            return Ok(cursor.offset_of(start, unit));
        }
        let (byte, before) = match column_unit {
            Unit::Byte => {
                let end = self.count(Unit::Byte);
                let (place, before) = cursor.start_of(start.saturating_add(column).min(end));
                (place.byte, before)
            }
            Unit::Char | Unit::Utf16 => {
                let kind = column_unit.kind();
                let mark = before.marks[kind].saturating_add(column);
                let byte = cursor.find(kind, mark).byte;
                (byte, cursor.before(byte))
            }
        };
        let byte = match before {
            // The end of the line takes longer to find, and this usually suffices.
            Preceding { marks, .. } if marks[LINES] > line => self.content_end(&mut cursor, line, start),
            Preceding { marks, carriage_return: true, byte: Some(b'\n') } if marks[LINES] == line => {
                byte.saturating_sub(1)
            }
            Preceding { marks, .. } => {
                return Ok(if unit == Unit::Byte { byte } else { marks[unit.kind()] });
            }
        };
        Ok(cursor.offset_of(byte, unit))
    }

    /// Returns the end of a line without its line end, given its start.
    fn content_end(&self, cursor: &mut Cursor<'_>, line: usize, start: usize) -> usize {
        if line + 1 >= self.line_count() {
            return self.count(Unit::Byte);
        }
        let last = cursor.line_start(line + 1).saturating_sub(1);
        let before = cursor.before(last);
        let of_pair = last > start && before.carriage_return && before.byte == Some(b'\n');
        last - usize::from(of_pair)
    }

    /// Returns the range of bytes between two offsets; an empty one if the second is not after the first.
    pub fn range(
        &self,
        text: &[u8],
        [start, end]: [usize; 2],
        unit: Unit,
    ) -> Result<Range<usize>, OffsetError> {
        let start = self.convert(text, start, [unit, Unit::Byte], false)?;
        let end = self.convert(text, end, [unit, Unit::Byte], false)?;
        Ok(start..end.max(start))
    }

    /// Returns the bytes of a range, which must be in the text.
    pub fn bytes(&self, text: &[u8], range: Range<usize>) -> Result<Vec<u8>, AllocError> {
        let mut bytes = Vec::new();
        self.pieces.append_to(self.index.with_bytes(text), range, &mut bytes)?;
        Ok(bytes)
    }

    /// Replaces a range of bytes, which must be in the text. If memory is exhausted, nothing has changed.
    pub fn replace(&mut self, text: &[u8], range: Range<usize>, data: &[u8]) -> Result<(), AllocError> {
        if self.remains_valid(text, &range, data) {
            return self.pieces.replace(self.index.with(text), range, data);
        }
        if self.chars.is_none() {
            self.chars = Some(self.pieces.copied()?);
        }
        let (changed, new_chars) = self.changed_chars(text, &range, data)?;
        let replaced = self.bytes(text, range.clone())?;
        let Self { index, pieces, chars: Some(chars), .. } = self else { return Ok(()) };
        let new_range = range.start..range.start + data.len();
        pieces.replace(index.with_bytes(text), range, data)?;
        chars.replace(index.with(text), changed, &new_chars).inspect_err(|_| {
            // There was memory for these bytes before.
            let _ = pieces.replace(index.with_bytes(text), new_range, &replaced);
        })
    }

    /// Returns whether all bytes are characters after a range was replaced, as they were before.
    fn remains_valid(&self, text: &[u8], range: &Range<usize>, data: &[u8]) -> bool {
        if self.chars.is_some() {
            return false;
        }
        if self.index.validity() == Validity::Known {
            return true;
        }
        let mut cursor = self.cursor(text);
        let mut is_boundary = |at| !cursor.byte(at).is_some_and(is_continuation);
        is_boundary(range.start)
            && (range.is_empty() || is_boundary(range.end))
            && crate::validate::is_valid(data)
    }

    /// Returns the range of bytes whose characters may change if a range is replaced, and their new characters.
    fn changed_chars(
        &self,
        text: &[u8],
        range: &Range<usize>,
        data: &[u8],
    ) -> Result<(Range<usize>, Vec<u8>), AllocError> {
        let count = self.pieces.sums().bytes;
        let start = range.start.saturating_sub(MAX_BYTES_TO_LEAD);
        let end = range.end.saturating_add(MAX_BYTES_TO_LEAD).min(count);
        // Bytes that are as near to those have an influence on them.
        let around =
            start.saturating_sub(MAX_BYTES_TO_LEAD)..end.saturating_add(MAX_BYTES_TO_LEAD).min(count);
        let mut bytes = self.bytes(text, around.start..range.start)?;
        let after = self.bytes(text, range.end..around.end)?;
        bytes.grow(data.len() + after.len())?;
        bytes.extend_from_slice(data);
        bytes.extend_from_slice(&after);
        let mut chars = Vec::new();
        let length = end - start - range.len() + data.len();
        chars.grow(length)?;
        chars.resize(length, ABSENT);
        Text::broken(&bytes).copy_to(start - around.start, &mut chars);
        Ok((start..end, chars))
    }
}

impl Cursor<'_> {
    /// Returns the start of the character of a byte, whether the byte is another one of it, and the marks before it.
    fn start_of(&mut self, byte: usize) -> (MarkPlace, Preceding) {
        let before = self.before(byte);
        if byte == 0 || !before.byte.is_some_and(is_continuation) {
            return (MarkPlace { byte, second: false }, before);
        }
        let start = match before.marks[CHARS] {
            0 => 0,
            chars => self.find(CHARS, chars - 1).byte,
        };
        (MarkPlace { byte: start, second: true }, self.before(start))
    }

    /// Returns the place of an offset, which must not be beyond the end.
    fn place_of(&mut self, offset: usize, unit: Unit) -> MarkPlace {
        match unit {
            Unit::Byte => self.start_of(offset).0,
            // The text starts at its first byte, even if that is a continuation byte.
            Unit::Char | Unit::Utf16 if offset == 0 => MarkPlace { byte: 0, second: false },
            Unit::Char | Unit::Utf16 => self.find(unit.kind(), offset),
        }
    }

    /// Returns the offset of a byte, which starts a character.
    fn offset_of(&mut self, byte: usize, unit: Unit) -> usize {
        match unit {
            Unit::Byte => byte,
            Unit::Char | Unit::Utf16 => self.before(byte).marks[unit.kind()],
        }
    }

    /// Returns the byte at which a line starts; it must exist.
    fn line_start(&mut self, line: usize) -> usize {
        line.checked_sub(1).map_or(0, |line_end| self.find(LINES, line_end).byte + 1)
    }
}

/// An [`OffsetMap`](super::OffsetMap) of a text that is edited: the same conversions, and [`replace`](Self::replace).
///
/// The time of an edit, 1 to 3 microseconds, does not grow with the text, but with the text inserted, or removed where
/// a text has errors; the first edit that makes an error takes as long as a copy of all text inserted before, which is
/// then kept twice. Only inserted text is owned, and short stretches between edits, so a memory-mapped file can be
/// edited, too. The bytes given first must stay the same.
///
/// ```
/// use leadbyte::{EditableOffsetMap, Position, Unit};
/// let mut map = EditableOffsetMap::new("let s = 'мир';\nnext");
/// map.replace(9, 15, "😀\n".as_bytes())?;
/// assert_eq!(map.to_bytes(), "let s = '😀\n';\nnext".as_bytes());
/// assert_eq!(map.position(14, Unit::Byte, Unit::Utf16), Ok(Position { line: 1, character: 0 }));
///
/// let error = map.replace(5, 99, b"").unwrap_err();
/// assert_eq!(error.to_string(), "byte offset 99 is out of range: the text has 21 bytes");
/// # Ok::<(), leadbyte::OffsetError>(())
/// ```
#[derive(Clone)]
pub struct EditableOffsetMap<T> {
    text: T,
    index: EditableIndex,
}

impl<T: AsRef<[u8]>> EditableOffsetMap<T> {
    /// Indexes a text, whose lines end with LF, CR LF or CR.
    pub fn new(text: T) -> Self {
        Self::with_newlines(text, Newlines::Universal)
    }

    /// Indexes a text whose lines end as given.
    ///
    /// ```
    /// use leadbyte::{EditableOffsetMap, Newlines};
    /// assert_eq!(EditableOffsetMap::with_newlines("one\rtwo\n", Newlines::Lf).line_count(), 2);
    /// ```
    pub fn with_newlines(text: T, newlines: Newlines) -> Self {
        let bytes = text.as_ref();
        let index = uninterrupted(OffsetIndex::build(bytes, Validity::Unknown, newlines, 1, &mut unpolled));
        let index = or_raise(EditableIndex::new(index, bytes));
        Self { text, index }
    }

    /// Replaces the bytes from `start` to `end` by `data`, which may be any bytes.
    ///
    /// Returns an error if `end` is beyond the end, or `start` beyond `end`; nothing has changed then.
    ///
    /// ```
    /// use leadbyte::{EditableOffsetMap, Unit};
    /// let mut map = EditableOffsetMap::new("one\n");
    /// assert_eq!(map.replace(3, 4, b"\r"), Ok(()));
    /// assert_eq!(map.replace(4, 4, b"\n"), Ok(())); // CR and LF are one line end
    /// assert_eq!((map.byte_count(), map.line_count()), (5, 2));
    /// assert!(map.replace(2, 1, b"").is_err());
    /// ```
    pub fn replace(&mut self, start: usize, end: usize, data: &[u8]) -> Result<(), OffsetError> {
        let range = self.index.check_range(start, end)?;
        or_raise(self.index.replace(self.text.as_ref(), range, data));
        Ok(())
    }

    /// Returns a copy of the text.
    pub fn to_bytes(&self) -> Vec<u8> {
        or_raise(self.index.bytes(self.text.as_ref(), 0..self.byte_count()))
    }

    /// Returns the length in bytes.
    pub fn byte_count(&self) -> usize {
        self.index.count(Unit::Byte)
    }

    /// Returns the number of characters.
    pub fn char_count(&self) -> usize {
        self.index.count(Unit::Char)
    }

    /// Returns the number of UTF-16 code units.
    pub fn utf16_count(&self) -> usize {
        self.index.count(Unit::Utf16)
    }

    /// Returns the number of lines: one more than there are line ends.
    pub fn line_count(&self) -> usize {
        self.index.line_count()
    }

    /// Converts an offset to another unit, as [`OffsetMap::convert`](super::OffsetMap::convert) does.
    ///
    /// ```
    /// use leadbyte::{EditableOffsetMap, Unit};
    /// let map = EditableOffsetMap::new("a€😀");
    /// assert_eq!(map.convert(8, Unit::Byte, Unit::Utf16), Ok(4));
    /// assert!(map.convert(9, Unit::Byte, Unit::Utf16).is_err());
    /// ```
    pub fn convert(&self, offset: usize, source: Unit, target: Unit) -> Result<usize, OffsetError> {
        self.index.convert(self.text.as_ref(), offset, [source, target], false)
    }

    /// Converts an offset to another unit, as [`OffsetMap::convert_strict`](super::OffsetMap::convert_strict) does.
    ///
    /// ```
    /// use leadbyte::{EditableOffsetMap, Unit};
    /// let map = EditableOffsetMap::new("a€");
    /// assert_eq!(map.convert_strict(1, Unit::Byte, Unit::Char), Ok(1));
    /// assert!(map.convert_strict(2, Unit::Byte, Unit::Char).is_err());
    /// ```
    pub fn convert_strict(&self, offset: usize, source: Unit, target: Unit) -> Result<usize, OffsetError> {
        self.index.convert(self.text.as_ref(), offset, [source, target], true)
    }

    /// Returns the line and the column of an offset, as [`OffsetMap::position`](super::OffsetMap::position) does.
    ///
    /// ```
    /// use leadbyte::{EditableOffsetMap, Position, Unit};
    /// let map = EditableOffsetMap::new("one\ntwo");
    /// assert_eq!(map.position(5, Unit::Byte, Unit::Utf16), Ok(Position { line: 1, character: 1 }));
    /// assert!(map.position(8, Unit::Byte, Unit::Utf16).is_err());
    /// ```
    pub fn position(&self, offset: usize, unit: Unit, column_unit: Unit) -> Result<Position, OffsetError> {
        self.index.position(self.text.as_ref(), offset, [unit, column_unit])
    }

    /// Returns the offset of a position, as [`OffsetMap::offset`](super::OffsetMap::offset) does.
    ///
    /// ```
    /// use leadbyte::{EditableOffsetMap, Position, Unit};
    /// let map = EditableOffsetMap::new("one\ntwo");
    /// assert_eq!(map.offset(Position { line: 1, character: 99 }, Unit::Byte, Unit::Utf16), Ok(7));
    /// assert!(map.offset(Position { line: 2, character: 0 }, Unit::Byte, Unit::Utf16).is_err());
    /// ```
    pub fn offset(&self, position: Position, unit: Unit, column_unit: Unit) -> Result<usize, OffsetError> {
        self.index.offset(self.text.as_ref(), position, [unit, column_unit])
    }

    /// Returns a copy of the bytes between two offsets, each rounded down to the start of a character; none if the
    /// second is not after the first.
    ///
    /// ```
    /// use leadbyte::{EditableOffsetMap, Unit};
    /// let map = EditableOffsetMap::new("a€😀!");
    /// assert_eq!(map.slice(1, 3, Unit::Char), Ok("€😀".into()));
    /// assert!(map.slice(1, 5, Unit::Char).is_err());
    /// ```
    pub fn slice(&self, start: usize, end: usize, unit: Unit) -> Result<Vec<u8>, OffsetError> {
        let range = self.index.range(self.text.as_ref(), [start, end], unit)?;
        Ok(or_raise(self.index.bytes(self.text.as_ref(), range)))
    }
}

impl<T: core::fmt::Debug> core::fmt::Debug for EditableOffsetMap<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("EditableOffsetMap").field("original", &self.text).finish_non_exhaustive()
    }
}
