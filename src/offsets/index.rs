//! An index of a text that is kept elsewhere.

use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::pieces::Frozen;
use super::{Newlines, OffsetError, Position, Unit};
use crate::kernels;
use crate::kernels::offsets::{
    Convert, ConvertMany, FillIndex, FindPosition, Index, LINES, OffsetOf, SUPER_BYTES, Text, byte_at,
};
use crate::progress::{Poll, Stopped};
use crate::sequence::boundary::{CHUNK_BYTES, floor_boundary};
use crate::sequence::{Sequence, decode_one, is_continuation};
use crate::simd::dispatch::Implementation;
use crate::threads;

/// The number of offsets that are converted at a time, so that they stay in cache between two steps.
const BATCH: usize = 2048;

/// An index of a text, which is given to every query.
///
/// If that is another text, or it changes meanwhile, results are wrong, but still offsets of the text that was indexed.
#[derive(Clone)]
pub struct OffsetIndex {
    index: Index,
    validity: Validity,
    /// Whether the text has errors, each of which is one character.
    is_broken: bool,
}

/// The validity of a text, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Validity {
    /// Each lead byte is a character: it is valid, but for surrogates of a string.
    Known,
    /// It may have errors.
    Unknown,
}

impl OffsetIndex {
    /// Builds the index on `threads` threads (0: one for each core), this one included, and calls `poll` on this one
    /// after every mebibyte.
    pub fn build(
        text: &[u8],
        validity: Validity,
        newlines: Newlines,
        threads: usize,
        poll: Poll<'_>,
    ) -> Result<Self, Stopped> {
        let implementation = Implementation::active();
        let is_broken = AtomicBool::new(false);
        let check = |start, end| {
            let part = text.get(floor_boundary(text, start)..floor_boundary(text, end)).unwrap_or_default();
            if validity == Validity::Unknown && !implementation.is_valid(part) {
                is_broken.store(true, Ordering::Relaxed);
            }
        };
        let index = Self::fill(Text::valid(text), newlines, threads, poll, check)?;
        if !is_broken.into_inner() {
            return Ok(Self { index, validity, is_broken: false });
        }
        let index = Self::fill(Text::broken(text), newlines, threads, poll, |_, _| ())?;
        Ok(Self { index, validity, is_broken: true })
    }

    /// Fills in an index, and calls `check` with the start and the end of each part while it is in the cache.
    fn fill(
        text: Text<'_>,
        newlines: Newlines,
        threads: usize,
        poll: Poll<'_>,
        check: impl Fn(usize, usize) + Sync,
    ) -> Result<Index, Stopped> {
        let implementation = Implementation::active();
        let line_ends = newlines.line_ends();
        let mut index = Index::empty(text.len(), line_ends)?;
        let parts = Mutex::new(index.parts(CHUNK_BYTES / SUPER_BYTES));
        let take = || {
            let part = parts.lock().unwrap_or_else(PoisonError::into_inner).next()?;
            let range = part.range();
            implementation.run(FillIndex { text, line_ends, part });
            check(range.start, range.end);
            Some(())
        };
        threads::collect(threads, text.len().div_ceil(CHUNK_BYTES), take, poll)?;
        drop(parts);
        Ok(index.complete()?)
    }

    /// Returns the text to look for marks in.
    #[inline]
    fn text<'a>(&self, text: &'a [u8]) -> Text<'a> {
        if self.is_broken { Text::broken(text) } else { Text::valid(text) }
    }

    /// Returns the index with its text, to be edited: with the characters of the text.
    pub(super) fn with<'a>(&'a self, text: &'a [u8]) -> Frozen<'a> {
        Frozen { index: &self.index, text: self.text(text) }
    }

    /// Returns the index with its text, to be edited: with the bytes of the text, whose marks are unspecified if it has
    /// errors.
    pub(super) fn with_bytes<'a>(&'a self, text: &'a [u8]) -> Frozen<'a> {
        Frozen { index: &self.index, text: Text::valid(text) }
    }

    /// Returns the validity of the text, as far as it was known when it was indexed.
    pub(super) fn validity(&self) -> Validity {
        self.validity
    }

    /// Returns whether the text has errors.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Returns the number of units.
    #[inline]
    pub fn count(&self, unit: Unit) -> usize {
        match unit {
            Unit::Byte => self.index.byte_count(),
            _ => self.index.count(unit.kind()),
        }
    }

    /// Returns the number of lines.
    #[inline]
    pub fn line_count(&self) -> usize {
        self.index.count(LINES) + 1
    }

    /// Returns the size of the index in memory.
    pub fn memory_bytes(&self) -> usize {
        self.index.memory_bytes()
    }

    /// Returns an error if an offset is beyond the end.
    #[inline]
    fn check(&self, offset: usize, unit: Unit) -> Result<(), OffsetError> {
        OffsetError::beyond(offset, unit, self.count(unit))
    }

    /// Converts an offset; with `strict` one inside a character is an error.
    #[inline]
    pub fn convert(
        &self,
        text: &[u8],
        offset: usize,
        [source, target]: [Unit; 2],
        strict: bool,
    ) -> Result<usize, OffsetError> {
        self.check(offset, source)?;
        let kinds = [source.kind(), target.kind()];
        let converted = kernels::run(&Convert { index: &self.index, text: self.text(text), kinds, offset });
        if strict && converted.inside {
            return Err(self.inside_char(text, offset, source));
        }
        Ok(converted.offset)
    }

    /// Converts offsets, as many as `out` has places; after an error these have unspecified values.
    pub fn convert_many(
        &self,
        text: &[u8],
        offsets: &[usize],
        [source, target]: [Unit; 2],
        strict: bool,
        out: &mut [usize],
    ) -> Result<(), OffsetError> {
        let kinds = [source.kind(), target.kind()];
        for (offsets, out) in offsets.chunks(BATCH).zip(out.chunks_mut(BATCH)) {
            let highest = offsets.iter().copied().fold(0, usize::max);
            self.check(highest, source)?;
            for (place, &offset) in out.iter_mut().zip(offsets) {
                *place = offset;
            }
            let mut inside =
                kernels::run(ConvertMany { index: &self.index, text: self.text(text), kinds, offsets: out });
            if strict && source == Unit::Byte {
                let end = self.index.byte_count();
                let is_inside = |byte: &usize| {
                    (1..end).contains(byte) && is_continuation(byte_at(self.text(text), *byte))
                };
                inside = offsets.iter().position(is_inside);
            }
            if let Some(&offset) = inside.filter(|_| strict).and_then(|index| offsets.get(index)) {
                return Err(self.inside_char(text, offset, source));
            }
        }
        Ok(())
    }

    /// Returns the error for an offset inside a character.
    #[cold]
    fn inside_char(&self, text: &[u8], offset: usize, unit: Unit) -> OffsetError {
        let kinds = [unit.kind(), Unit::Byte.kind()];
        let first_byte =
            kernels::run(&Convert { index: &self.index, text: self.text(text), kinds, offset }).offset;
        let (start, length) = match unit {
            Unit::Byte => (first_byte, offset.saturating_sub(first_byte)),
            Unit::Char | Unit::Utf16 => (offset.saturating_sub(1), 0),
        };
        let char = char_at(text.get(first_byte..).unwrap_or_default(), length);
        OffsetError::InsideChar { offset, unit, start, char }
    }

    /// Returns the line and the column of an offset.
    #[inline]
    pub fn position(
        &self,
        text: &[u8],
        offset: usize,
        [unit, column_unit]: [Unit; 2],
    ) -> Result<Position, OffsetError> {
        self.check(offset, unit)?;
        let kinds = [unit.kind(), column_unit.kind()];
        let [line, character] =
            kernels::run(&FindPosition { index: &self.index, text: self.text(text), kinds, offset });
        Ok(Position { line, character })
    }

    /// Returns the offset of a line and a column.
    #[inline]
    pub fn offset(
        &self,
        text: &[u8],
        Position { line, character: column }: Position,
        [unit, column_unit]: [Unit; 2],
    ) -> Result<usize, OffsetError> {
        OffsetError::no_such_line(line, self.line_count())?;
        let kinds = [column_unit.kind(), unit.kind()];
        Ok(kernels::run(&OffsetOf { index: &self.index, text: self.text(text), kinds, line, column }))
    }

    /// Returns the bytes between two offsets; none if the second is not after the first.
    pub fn slice<'a>(
        &self,
        text: &'a [u8],
        [start, end]: [usize; 2],
        unit: Unit,
    ) -> Result<&'a [u8], OffsetError> {
        let start = self.convert(text, start, [unit, Unit::Byte], false)?;
        let end = self.convert(text, end, [unit, Unit::Byte], false)?;
        Ok(text.get(start..end).unwrap_or_default())
    }
}

/// Returns the character at the start of `bytes` if it is longer than `length`: further continuation bytes may follow
/// it.
pub(super) fn char_at(bytes: &[u8], length: usize) -> Option<char> {
    match decode_one(bytes) {
        Some(Sequence::Char(char, all)) if all > length => Some(char),
        _ => None,
    }
}
