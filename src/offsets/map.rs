//! The map of a text that does not change.

use super::{Newlines, OffsetError, OffsetIndex, Position, Unit, Validity};
use crate::progress::{uninterrupted, unpolled};

/// A text with an index of its characters, UTF-16 code units and lines, which converts offsets.
///
/// Each conversion takes some tens of nanoseconds, however long the text is; the index takes 2.5 % of the size of a
/// long text, and some KiB for a short one. The text is anything that gives bytes: a `&str`, a `Vec<u8>`, a
/// memory-mapped file. It need not be valid UTF-8: each error counts as one character, as in what
/// [`String::from_utf8_lossy`] returns; lookups then take about a microsecond, some where most bytes are errors.
///
/// An offset inside a character counts as the offset of its start. Offsets beyond the end are errors. Line ends are LF,
/// CR LF and CR unless [`Newlines::Lf`] is chosen; the text after the last one is a line, even if it is empty.
///
/// The bytes must stay the same. If they do not, results are wrong.
///
/// ```
/// use leadbyte::{OffsetMap, Position, Unit};
/// let map = OffsetMap::new("let s = \"😀\";\r\nnext");
/// assert_eq!(map.convert(13, Unit::Byte, Unit::Utf16), Ok(11));
/// assert_eq!(map.position(13, Unit::Byte, Unit::Utf16), Ok(Position { line: 0, character: 11 }));
/// assert_eq!(map.line_count(), 2);
///
/// let error = map.convert(99, Unit::Char, Unit::Byte).unwrap_err();
/// assert_eq!(error.to_string(), "char offset 99 is out of range: the text has 18 chars");
/// ```
#[derive(Clone)]
pub struct OffsetMap<T> {
    text: T,
    index: OffsetIndex,
}

impl<T: AsRef<[u8]>> OffsetMap<T> {
    /// Indexes a text, whose lines end with LF, CR LF or CR.
    pub fn new(text: T) -> Self {
        Self::with_threads(text, Newlines::Universal, 1)
    }

    /// Indexes a text on several threads; 0 means one for each core.
    ///
    /// ```
    /// use leadbyte::{Newlines, OffsetMap};
    /// assert_eq!(OffsetMap::with_threads("one\rtwo\n", Newlines::Lf, 0).line_count(), 2);
    /// ```
    pub fn with_threads(text: T, newlines: Newlines, threads: usize) -> Self {
        let index = uninterrupted(OffsetIndex::build(
            text.as_ref(),
            Validity::Unknown,
            newlines,
            threads,
            &mut unpolled,
        ));
        Self { text, index }
    }

    /// Returns the text.
    pub fn text(&self) -> &T {
        &self.text
    }

    /// Returns the text without its index.
    pub fn into_text(self) -> T {
        self.text
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

    /// Returns the size of the index in memory, in bytes.
    pub fn index_bytes(&self) -> usize {
        self.index.memory_bytes()
    }

    /// Converts an offset to another unit, rounding down to the start of a character.
    ///
    /// Returns an error if the offset is beyond the end.
    ///
    /// ```
    /// use leadbyte::{OffsetMap, Unit};
    /// let map = OffsetMap::new("a€😀");
    /// assert_eq!(map.convert(4, Unit::Byte, Unit::Char), Ok(2));
    /// assert_eq!(map.convert(3, Unit::Utf16, Unit::Byte), Ok(4)); // between the surrogates
    /// assert!(map.convert(5, Unit::Utf16, Unit::Byte).is_err());
    /// ```
    #[inline]
    pub fn convert(&self, offset: usize, source: Unit, target: Unit) -> Result<usize, OffsetError> {
        self.index.convert(self.text.as_ref(), offset, [source, target], false)
    }

    /// Converts an offset to another unit, as [`convert`](Self::convert) does, but returns an error if it is inside a
    /// character.
    ///
    /// ```
    /// use leadbyte::{OffsetMap, Unit};
    /// let map = OffsetMap::new("a€");
    /// assert_eq!(map.convert_strict(1, Unit::Byte, Unit::Char), Ok(1));
    /// let error = map.convert_strict(2, Unit::Byte, Unit::Char).unwrap_err();
    /// assert_eq!(error.to_string(), "byte 2 is inside the character U+20AC \"€\" that starts at byte 1");
    /// ```
    pub fn convert_strict(&self, offset: usize, source: Unit, target: Unit) -> Result<usize, OffsetError> {
        self.index.convert(self.text.as_ref(), offset, [source, target], true)
    }

    /// Converts many offsets, in any order, as [`convert`](Self::convert) does; several times as fast in long texts.
    ///
    /// Returns an error if an offset is beyond the end; the values in `out` are then unspecified.
    ///
    /// # Panics
    /// If `out` is not as long as `offsets`.
    ///
    /// ```
    /// use leadbyte::{OffsetMap, Unit};
    /// let map = OffsetMap::new("a€😀");
    /// let mut chars = [0; 3];
    /// assert_eq!(map.convert_many(&[8, 1, 4], Unit::Byte, Unit::Char, &mut chars), Ok(()));
    /// assert_eq!(chars, [3, 1, 2]);
    /// assert!(map.convert_many(&[1, 2, 9], Unit::Byte, Unit::Char, &mut chars).is_err());
    /// ```
    pub fn convert_many(
        &self,
        offsets: &[usize],
        source: Unit,
        target: Unit,
        out: &mut [usize],
    ) -> Result<(), OffsetError> {
        assert_eq!(offsets.len(), out.len(), "`out` must be as long as `offsets`");
        self.index.convert_many(self.text.as_ref(), offsets, [source, target], false, out)
    }

    /// Converts many offsets as [`convert_many`](Self::convert_many) does, but returns an error if one of them is
    /// inside a character.
    ///
    /// # Panics
    /// If `out` is not as long as `offsets`.
    ///
    /// ```
    /// use leadbyte::{OffsetMap, Unit};
    /// let map = OffsetMap::new("a😀");
    /// assert!(map.convert_many_strict(&[0, 1, 3], Unit::Utf16, Unit::Char, &mut [0; 3]).is_ok());
    /// assert!(map.convert_many_strict(&[0, 1, 2], Unit::Utf16, Unit::Char, &mut [0; 3]).is_err());
    /// ```
    pub fn convert_many_strict(
        &self,
        offsets: &[usize],
        source: Unit,
        target: Unit,
        out: &mut [usize],
    ) -> Result<(), OffsetError> {
        assert_eq!(offsets.len(), out.len(), "`out` must be as long as `offsets`");
        self.index.convert_many(self.text.as_ref(), offsets, [source, target], true, out)
    }

    /// Returns the line and the column of an offset, both from 0; the column counts `column_unit`.
    ///
    /// An offset inside a character counts as the offset of its start, and one between CR and LF as the offset of the
    /// CR. Returns an error if the offset is beyond the end.
    ///
    /// ```
    /// use leadbyte::{OffsetMap, Position, Unit};
    /// let map = OffsetMap::new("one\n😀 two");
    /// assert_eq!(map.position(9, Unit::Byte, Unit::Utf16), Ok(Position { line: 1, character: 3 }));
    /// assert!(map.position(13, Unit::Byte, Unit::Utf16).is_err());
    /// ```
    #[inline]
    pub fn position(&self, offset: usize, unit: Unit, column_unit: Unit) -> Result<Position, OffsetError> {
        self.index.position(self.text.as_ref(), offset, [unit, column_unit])
    }

    /// Returns the offset of a position whose column counts `column_unit`.
    ///
    /// A column inside a character counts as the column of its start, and one past the end of its line as the end,
    /// before the line end. Returns an error if there is no such line.
    ///
    /// ```
    /// use leadbyte::{OffsetMap, Position, Unit};
    /// let map = OffsetMap::new("one\r\n😀 two");
    /// let offset = |line, character| map.offset(Position { line, character }, Unit::Byte, Unit::Utf16);
    /// assert_eq!((offset(1, 3), offset(0, 99)), (Ok(10), Ok(3)));
    /// assert_eq!(offset(2, 0).unwrap_err().to_string(), "line 2 is out of range: the text has 2 lines, 0 to 1");
    /// ```
    #[inline]
    pub fn offset(&self, position: Position, unit: Unit, column_unit: Unit) -> Result<usize, OffsetError> {
        self.index.offset(self.text.as_ref(), position, [unit, column_unit])
    }

    /// Returns the bytes between two offsets, each rounded down to the start of a character; none if the second is not
    /// after the first.
    ///
    /// Returns an error if an offset is beyond the end.
    ///
    /// ```
    /// use leadbyte::{OffsetMap, Unit};
    /// let map = OffsetMap::new("a€😀!");
    /// assert_eq!(map.slice(1, 4, Unit::Utf16), Ok("€😀".as_bytes()));
    /// assert!(map.slice(1, 6, Unit::Utf16).is_err());
    /// ```
    pub fn slice(&self, start: usize, end: usize, unit: Unit) -> Result<&[u8], OffsetError> {
        self.index.slice(self.text.as_ref(), [start, end], unit)
    }
}

impl<T: core::fmt::Debug> core::fmt::Debug for OffsetMap<T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("OffsetMap").field("text", &self.text).finish_non_exhaustive()
    }
}
