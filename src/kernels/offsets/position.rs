//! Lines and columns: from the text around the offset if the line is short, else from the index.

use super::index::Index;
use super::lookup::IndexLookup;
use super::{
    ABSENT, BLOCK_BYTES, BLOCK_CHUNKS, BYTES, CHARS, CHUNK_BYTES, ChunkMarks, LINES, MarkPlace, Text, UTF16,
    byte_at, chunks, first_bits, marks, nth_mark, partial_chunks,
};
use crate::kernels::kernel::{Backend, Kernel, Task, run_separately};
use crate::sequence::is_continuation;

/// The bytes that are searched for the start or the end of a line.
const NEAR_BYTES: usize = BLOCK_BYTES;
/// The number of chunks of these bytes.
const NEAR_CHUNKS: usize = BLOCK_CHUNKS;

impl<I: Backend> IndexLookup<'_, I> {
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

    /// Returns the number of marks of a kind, or of bytes, before a byte.
    #[inline(always)]
    fn rank_of(self, kind: usize, byte: usize) -> usize {
        match kind {
            CHARS => self.rank::<CHARS>(byte),
            UTF16 => self.rank::<UTF16>(byte),
            _ => byte,
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

    const TASK: Task = Task::Further;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> [usize; 2] {
        let &FindPosition { index, text, kinds: [source, column], offset } = self;
        let lookup = IndexLookup { isa, index, text };
        let byte = match source {
            CHARS => lookup.place_of::<CHARS>(offset).byte,
            UTF16 => lookup.place_of::<UTF16>(offset).byte,
            _ => lookup.place_of::<BYTES>(offset).byte,
        };
        let byte = byte - usize::from(lookup.is_between_pair(byte));
        let line = lookup.rank::<LINES>(byte);
        let nearby = match column {
            CHARS => lookup.column_nearby::<CHARS>(byte),
            UTF16 => lookup.column_nearby::<UTF16>(byte),
            _ => lookup.column_nearby::<BYTES>(byte),
        };
        match nearby {
            Some(column) => [line, column],
            None => [line, run_separately(isa, &FarColumn { index, text, kind: column, line, byte })],
        }
    }
}

/// Finds the column of a byte of a line that starts far before it.
struct FarColumn<'a> {
    index: &'a Index,
    text: Text<'a>,
    kind: usize,
    line: usize,
    byte: usize,
}

impl Kernel for &FarColumn<'_> {
    type Output = usize;

    const TASK: Task = Task::Further;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> usize {
        let &FarColumn { index, text, kind, line, byte } = self;
        let lookup = IndexLookup { isa, index, text };
        let [start, end] = [lookup.line_start(line), byte].map(|byte| lookup.rank_of(kind, byte));
        end.saturating_sub(start)
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

    const TASK: Task = Task::Further;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> usize {
        let &OffsetOf { index, text, kinds: [source, target], line, column } = self;
        let lookup = IndexLookup { isa, index, text };
        let start = lookup.line_start(line);
        // The text starts at its first byte, even if that is a continuation byte.
        let is_start = column == 0 && (start == 0 || !is_continuation(byte_at(text, start)));
        let nearby = match source {
            _ if is_start => Some(start),
            CHARS => lookup.byte_nearby::<CHARS>(start, column),
            UTF16 => lookup.byte_nearby::<UTF16>(start, column),
            _ => lookup.byte_nearby::<BYTES>(start, column),
        };
        let byte = match nearby {
            Some(byte) => byte,
            None => run_separately(isa, &FarByte { index, text, kind: source, line, start, column }),
        };
        match target {
            CHARS => lookup.offset_of::<CHARS>(byte),
            UTF16 => lookup.offset_of::<UTF16>(byte),
            _ => lookup.offset_of::<BYTES>(byte),
        }
    }
}

/// Finds the byte at a column far from the start of its line, or the end of the line without its line end.
struct FarByte<'a> {
    index: &'a Index,
    text: Text<'a>,
    kind: usize,
    line: usize,
    start: usize,
    column: usize,
}

impl Kernel for &FarByte<'_> {
    type Output = usize;

    const TASK: Task = Task::Further;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> usize {
        let &FarByte { index, text, kind, line, start, column } = self;
        let lookup = IndexLookup { isa, index, text };
        let marks = if kind == BYTES { index.byte_count() } else { index.count(kind) };
        let mark = lookup.rank_of(kind, start).checked_add(column);
        if let Some(mark) = mark.filter(|&mark| mark < marks) {
            let byte = match kind {
                CHARS => lookup.select::<CHARS>(mark).byte,
                UTF16 => lookup.select::<UTF16>(mark).byte,
                _ => mark,
            };
            // Faster than the end of the line, and it usually suffices.
            if lookup.rank::<LINES>(byte) == line {
                return byte - usize::from(lookup.is_between_pair(byte));
            }
        }
        lookup.content_end(line, start)
    }
}
