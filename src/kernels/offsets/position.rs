//! Lines and columns: from the text around the offset if the line is short, else from the index.

use super::index::Index;
use super::lookup::IndexLookup;
use super::{
    ABSENT, BLOCK_BYTES, BLOCK_CHUNKS, BYTES, CHARS, CHUNK_BYTES, ChunkMarks, LINES, MarkPlace, Text, UTF16,
    byte_at, chunks, first_bits, marks, nth_mark, partial_chunks,
};
use crate::kernels::kernel::{Backend, Kernel, Task};
use crate::sequence::is_continuation;

/// The bytes that are searched for the start or the end of a line.
const NEAR_BYTES: usize = BLOCK_BYTES;
/// The number of chunks of these bytes.
const NEAR_CHUNKS: usize = BLOCK_CHUNKS;

impl<I: Backend> IndexLookup<'_, I> {
    /// Returns the line and the column of a byte that is a boundary.
    #[inline(always)]
    fn position<const KIND: usize>(self, byte: usize) -> [usize; 2] {
        let byte = byte - usize::from(self.is_between_pair(byte));
        let line = self.rank::<LINES>(byte);
        let column = match self.column_nearby::<KIND>(byte) {
            Some(column) => column,
            None => self.rank::<KIND>(byte).saturating_sub(self.rank::<KIND>(self.line_start(line))),
        };
        [line, column]
    }

    /// Returns the column of a byte if its line starts nearby.
    #[inline(always)]
    fn column_nearby<const KIND: usize>(self, byte: usize) -> Option<usize> {
        let start = byte.saturating_sub(NEAR_BYTES);
        let partial;
        let chunks: &[[u8; CHUNK_BYTES]; NEAR_CHUNKS] = match chunks(self.text, start) {
            Some(chunks) => chunks,
            None => {
                partial = partial_chunks(self.text, start);
                &partial
            }
        };
        let next = byte_at(self.text, start + NEAR_BYTES);
        let (mut column, mut line_end_seen) = (0, start == 0);
        // No bits once the start of the line was seen, which lies at the start of the text or after a line end.
        let mut within_line = u64::MAX;
        for index in (0..NEAR_CHUNKS).rev() {
            let before = first_bits((byte - start).saturating_sub(index * CHUNK_BYTES));
            let line_ends = marks::<I, LINES, _>(self.isa, self.index.line_ends, chunks, index, next);
            let ends = line_ends.once & before;
            let of_line = !first_bits(CHUNK_BYTES - ends.leading_zeros() as usize) & before & within_line;
            let marks = marks::<I, KIND, _>(self.isa, self.index.line_ends, chunks, index, ABSENT);
            column += marks.among(of_line).count();
            within_line &= u64::from(ends != 0).wrapping_sub(1);
            line_end_seen |= ends != 0;
        }
        line_end_seen.then_some(column)
    }

    /// Returns the byte at a column of a line, or the end of the line without its line end. The number of the line must
    /// be at most the number of line ends.
    #[inline(always)]
    fn byte_of<const KIND: usize>(self, line: usize, column: usize) -> usize {
        let start = self.line_start(line);
        // The text starts at its first byte, even if that is a continuation byte.
        if column == 0 && (start == 0 || !is_continuation(byte_at(self.text, start))) {
            return start;
        }
        if let Some(byte) = self.byte_nearby::<KIND>(start, column) {
            return byte;
        }
        let marks = if KIND == BYTES { self.index.byte_count() } else { self.index.count(KIND) };
        match self.rank::<KIND>(start).checked_add(column) {
            Some(mark) if mark < marks => {
                let byte = self.select::<KIND>(mark).byte;
                // Faster than the end of the line, and it usually suffices.
                if self.rank::<LINES>(byte) == line {
                    byte - usize::from(self.is_between_pair(byte))
                } else {
                    self.content_end(line, start)
                }
            }
            _ => self.content_end(line, start),
        }
    }

    /// Returns whether a byte is the LF of a CR LF.
    #[inline(always)]
    fn is_between_pair(self, byte: usize) -> bool {
        byte > 0 && self.index.line_ends.is_pair(byte_at(self.text, byte - 1), byte_at(self.text, byte))
    }

    /// Returns the byte at a column of the line that starts at `start`, if it or the end of the line is nearby.
    #[inline(always)]
    fn byte_nearby<const KIND: usize>(self, start: usize, column: usize) -> Option<usize> {
        let partial;
        let chunks: &[[u8; CHUNK_BYTES]; NEAR_CHUNKS] = match chunks(self.text, start) {
            Some(chunks) => chunks,
            None => {
                partial = partial_chunks(self.text, start);
                &partial
            }
        };
        let mut all = [ChunkMarks::default(); NEAR_CHUNKS];
        let (mut length, mut line_end_seen) = (0, false);
        // No bits once the end of the line was seen.
        let mut within_line = u64::MAX;
        for (index, (of_chunk, chunk)) in all.iter_mut().zip(chunks).enumerate() {
            let ends = self.index.line_ends.within(self.isa, chunk);
            let of_line = first_bits(ends.trailing_zeros() as usize) & within_line;
            length += of_line.count_ones() as usize;
            let marks = marks::<I, KIND, _>(self.isa, self.index.line_ends, chunks, index, ABSENT);
            *of_chunk = marks.among(of_line);
            within_line &= u64::from(ends != 0).wrapping_sub(1);
            line_end_seen |= ends != 0;
        }
        let rest = self.index.byte_count().saturating_sub(start);
        match nth_mark(self.isa, all, column) {
            Some(MarkPlace { byte, .. }) => Some(start + byte.min(rest)),
            None if line_end_seen || rest <= NEAR_BYTES => Some(start + length.min(rest)),
            None => None,
        }
    }

    /// Returns the end of a line without its line end, given its start.
    #[inline(always)]
    fn content_end(self, line: usize, start: usize) -> usize {
        if line >= self.index.count(LINES) {
            return self.index.byte_count();
        }
        let end = self.select::<LINES>(line).byte;
        end - usize::from(end > start && self.is_between_pair(end))
    }
}

/// Finds the line and the column of an offset, which must not be beyond the end.
pub(crate) struct FindPosition<'a> {
    pub index: &'a Index,
    pub text: Text<'a>,
    /// The kinds of marks that the offset and columns count, or bytes.
    pub kinds: [usize; 2],
    pub offset: usize,
}

impl Kernel for &FindPosition<'_> {
    /// The line and the column, from 0.
    type Output = [usize; 2];

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> [usize; 2] {
        let &FindPosition { index, text, kinds: [source, column], offset } = self;
        let lookup = IndexLookup { isa, index, text };
        let byte = match source {
            CHARS => lookup.place_of::<CHARS>(offset).byte,
            UTF16 => lookup.place_of::<UTF16>(offset).byte,
            _ => lookup.place_of::<BYTES>(offset).byte,
        };
        match column {
            CHARS => lookup.position::<CHARS>(byte),
            UTF16 => lookup.position::<UTF16>(byte),
            _ => lookup.position::<BYTES>(byte),
        }
    }
}

/// Finds the offset of a column of a line, whose number must be at most the number of line ends.
pub(crate) struct OffsetOf<'a> {
    pub index: &'a Index,
    pub text: Text<'a>,
    /// The kinds of marks that columns and the offset count, or bytes.
    pub kinds: [usize; 2],
    pub line: usize,
    pub column: usize,
}

impl Kernel for &OffsetOf<'_> {
    type Output = usize;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> usize {
        let &OffsetOf { index, text, kinds: [source, target], line, column } = self;
        let lookup = IndexLookup { isa, index, text };
        let byte = match source {
            CHARS => lookup.byte_of::<CHARS>(line, column),
            UTF16 => lookup.byte_of::<UTF16>(line, column),
            _ => lookup.byte_of::<BYTES>(line, column),
        };
        match target {
            CHARS => lookup.offset_of::<CHARS>(byte),
            UTF16 => lookup.offset_of::<UTF16>(byte),
            _ => lookup.offset_of::<BYTES>(byte),
        }
    }
}
