//! Marks of a few bytes that have no index.

use super::{
    CHARS, CHUNK_BYTES, ChunkMarks, KINDS, LINES, LineEnds, MarkPlace, Text, UTF16, byte_at, chunks, marks,
    nth_of_chunk, partial_chunks,
};
use crate::kernels::kernel::{Backend, Kernel, Task};

/// Counts the marks of each kind.
pub(crate) struct CountMarks<'a> {
    pub bytes: &'a [u8],
    pub line_ends: LineEnds,
}

impl Kernel for &CountMarks<'_> {
    type Output = [usize; KINDS];

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> [usize; KINDS] {
        let &CountMarks { bytes, line_ends } = self;
        let mut counts = [0; KINDS];
        for at in (0..bytes.len()).step_by(CHUNK_BYTES) {
            let units = marks_at::<I, UTF16>(isa, line_ends, bytes, at);
            counts[CHARS] += units.once.count_ones() as usize;
            counts[UTF16] += units.count();
            counts[LINES] += marks_at::<I, LINES>(isa, line_ends, bytes, at).count();
        }
        counts
    }
}

/// Finds the place of mark `n` of a kind.
pub(crate) struct FindMark<'a> {
    pub bytes: &'a [u8],
    pub line_ends: LineEnds,
    pub kind: usize,
    pub n: usize,
}

impl Kernel for &FindMark<'_> {
    type Output = Option<MarkPlace>;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> Option<MarkPlace> {
        match self.kind {
            CHARS => self.find::<I, CHARS>(isa),
            UTF16 => self.find::<I, UTF16>(isa),
            _ => self.find::<I, LINES>(isa),
        }
    }
}

impl FindMark<'_> {
    #[inline(always)]
    fn find<I: Backend, const KIND: usize>(&self, isa: I) -> Option<MarkPlace> {
        let mut left = self.n;
        for at in (0..self.bytes.len()).step_by(CHUNK_BYTES) {
            let marks = marks_at::<I, KIND>(isa, self.line_ends, self.bytes, at);
            let count = marks.count();
            if left < count {
                let place = nth_of_chunk(isa, marks, left as u32);
                return Some(MarkPlace { byte: at + place.byte, ..place });
            }
            left -= count;
        }
        None
    }
}

/// Returns the marks of the chunk at `at`.
#[inline(always)]
fn marks_at<I: Backend, const KIND: usize>(
    isa: I,
    line_ends: LineEnds,
    bytes: &[u8],
    at: usize,
) -> ChunkMarks {
    let bytes = Text::valid(bytes);
    let partial;
    let chunk: &[[u8; CHUNK_BYTES]; 1] = match chunks(bytes, at) {
        Some(chunk) => chunk,
        None => {
            partial = partial_chunks(bytes, at);
            &partial
        }
    };
    marks::<I, KIND, _>(isa, line_ends, chunk, 0, byte_at(bytes, at + CHUNK_BYTES))
}
