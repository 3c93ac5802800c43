//! The index: numbers of marks before blocks and super blocks.

use core::ops::Range;

use super::{
    ABSENT, BLOCK_BYTES, BLOCK_CHUNKS, CHARS, CHUNK_BYTES, KINDS, LINES, LineEnds, Text, UTF16, byte_at,
    chunks, marks, partial_chunks,
};
use crate::allocation::{AllocError, Grow};
use crate::kernels::kernel::{Backend, Kernel, Task, run_separately};
use crate::kernels::validate::IsValid;
use crate::kernels::validate::rules::Utf8;
use crate::sequence::FOUR_BYTE_LEAD;
use crate::simd::Count;

/// The size of a super block: as many bytes as allow relative numbers of 16 bits, with two marks a byte.
pub(crate) const SUPER_BYTES: usize = 32 << 10;
/// The number of blocks in a super block.
pub(super) const BLOCKS: usize = SUPER_BYTES / BLOCK_BYTES;

/// Of each kind, the number of marks in a super block before each of its blocks.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Record(pub(super) [[u16; BLOCKS]; KINDS]);

/// The super blocks of marks 0, `1 << shift`, `2 << shift` and so on, and the last super block.
#[derive(Clone, Default)]
pub(super) struct Samples {
    pub(super) shift: u32,
    pub(super) super_blocks: Vec<u32>,
}

/// An index of a text. A text shorter than half a block has no records, as ranks start at byte 0.
#[derive(Clone)]
pub(crate) struct Index {
    pub(super) line_ends: LineEnds,
    /// The length of the text.
    byte_count: usize,
    /// The numbers of marks before each super block, and at last the numbers of the whole text.
    pub(super) bases: Vec<[usize; KINDS]>,
    pub(super) records: Vec<Record>,
    pub(super) samples: [Samples; KINDS],
}

/// Consecutive super blocks whose part of an index is to be filled in by [`FillIndex`].
pub(crate) struct IndexPart<'a> {
    /// The offset of the first one in the text.
    start: usize,
    records: &'a mut [Record],
    counts: &'a mut [[usize; KINDS]],
}

impl IndexPart<'_> {
    /// Returns the bytes of the text that the part is of, if it has as many.
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + self.records.len() * SUPER_BYTES
    }
}

impl Index {
    /// Returns the index of an empty text, with memory for `byte_count` bytes, which is to be filled in part by part.
    pub fn empty(byte_count: usize, line_ends: LineEnds) -> Result<Self, AllocError> {
        // One more than there are full ones: where the text ends, ranks are looked up, too.
        let super_blocks = byte_count / SUPER_BYTES + 1;
        let (mut bases, mut records) = (Vec::new(), Vec::new());
        bases.grow(super_blocks + 1)?;
        bases.resize(super_blocks + 1, [0; KINDS]);
        records.grow(super_blocks)?;
        records.resize(super_blocks, Record([[0; BLOCKS]; KINDS]));
        Ok(Self { line_ends, byte_count, bases, records, samples: Default::default() })
    }

    /// Returns all of the index in parts of some super blocks, to be filled in in any order.
    pub fn parts(&mut self, super_blocks: usize) -> impl Iterator<Item = IndexPart<'_>> {
        let parts = self.records.chunks_mut(super_blocks).zip(self.bases.chunks_mut(super_blocks));
        parts.enumerate().map(move |(index, (records, counts))| IndexPart {
            start: index * super_blocks * SUPER_BYTES,
            records,
            counts,
        })
    }

    /// Adds up the counts of the parts and takes the samples.
    pub fn complete(mut self) -> Result<Self, AllocError> {
        let mut totals = [0; KINDS];
        for base in &mut self.bases {
            let counts = core::mem::replace(base, totals);
            for (total, count) in totals.iter_mut().zip(counts) {
                *total += count;
            }
        }
        for (kind, samples) in self.samples.iter_mut().enumerate() {
            *samples = Samples::of(&self.bases, kind)?;
        }
        if self.byte_count < BLOCK_BYTES / 2 {
            self.records = Vec::new();
        }
        Ok(self)
    }

    /// Returns the length of the text.
    #[inline(always)]
    pub fn byte_count(&self) -> usize {
        self.byte_count
    }

    /// Returns the bytes that end lines.
    #[inline]
    pub fn line_ends(&self) -> LineEnds {
        self.line_ends
    }

    /// Returns the number of marks of a kind.
    #[inline(always)]
    pub fn count(&self, kind: usize) -> usize {
        self.bases.last().map_or(0, |totals| totals[kind])
    }

    /// Returns the size of the index in memory.
    pub fn memory_bytes(&self) -> usize {
        let samples: usize = self.samples.iter().map(|samples| samples.super_blocks.capacity()).sum();
        self.bases.capacity() * size_of::<[usize; KINDS]>()
            + self.records.capacity() * size_of::<Record>()
            + samples * size_of::<u32>()
    }
}

impl Samples {
    /// Returns about one sample for each super block, however many marks there are.
    fn of(bases: &[[usize; KINDS]], kind: usize) -> Result<Self, AllocError> {
        let last = bases.len() - 2;
        let total = bases[last + 1][kind];
        let shift = (total / (last + 1)).max(1).ilog2();
        let mut super_blocks = Vec::new();
        super_blocks.grow((total >> shift) + 2)?;
        let mut super_block = 0;
        for sample in 0..=total >> shift {
            while super_block < last && bases[super_block + 1][kind] <= sample << shift {
                super_block += 1;
            }
            super_blocks.push(super_block as u32);
        }
        super_blocks.push(last as u32);
        Ok(Self { shift, super_blocks })
    }
}

/// Fills in a part of an index: the numbers of its records, and the counts of its super blocks.
pub(crate) struct FillIndex<'a> {
    pub text: Text<'a>,
    pub line_ends: LineEnds,
    pub part: IndexPart<'a>,
}

impl Kernel for FillIndex<'_> {
    type Output = ();

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) {
        let Self { text, line_ends, part } = self;
        let mut at = part.start;
        for (record, counts) in part.records.iter_mut().zip(part.counts) {
            let mut sums = [0_u32; KINDS];
            for block in 0..BLOCKS {
                for (numbers, sum) in record.0.iter_mut().zip(sums) {
                    numbers[block] = sum as u16;
                }
                if at < text.len() {
                    add_block(isa, text, line_ends, at, &mut sums);
                }
                at += BLOCK_BYTES;
            }
            *counts = sums.map(|sum| sum as usize);
        }
    }
}

/// Adds the numbers of marks of the block at `at`.
#[inline(always)]
fn add_block<I: Backend>(isa: I, text: Text<'_>, line_ends: LineEnds, at: usize, sums: &mut [u32; KINDS]) {
    let partial;
    let is_valid = |window| run_separately(isa, IsValid::<_, true>(window, Utf8));
    let chunks: &[[u8; CHUNK_BYTES]; BLOCK_CHUNKS] =
        match chunks(text, at).or_else(|| text.valid_chunks(at, is_valid)) {
            Some(chunks) => chunks,
            None => {
                partial = partial_chunks(text, at);
                &partial
            }
        };
    let lines = || {
        let next = byte_at(text, at + BLOCK_BYTES);
        let of_chunk = |index| marks::<I, LINES, _>(isa, line_ends, chunks, index, next).once.count_ones();
        (0..BLOCK_CHUNKS).map(of_chunk).sum::<u32>()
    };
    // Where a comparison does not give the mask of a chunk, adding up lanes takes less time.
    if I::WIDTH == CHUNK_BYTES {
        for index in 0..BLOCK_CHUNKS {
            let units = marks::<I, UTF16, _>(isa, line_ends, chunks, index, ABSENT);
            sums[CHARS] += units.once.count_ones();
            sums[UTF16] += units.count() as u32;
        }
        sums[LINES] += lines();
        return;
    }
    let counts = BlockCounts::of(isa.counter(), chunks.as_flattened());
    let chars = (BLOCK_BYTES - counts.continuations) as u32;
    sums[CHARS] += chars;
    sums[UTF16] += chars + counts.four_byte_leads as u32;
    let has_carriage_returns = counts.carriage_returns > 0 && line_ends == LineEnds::UNIVERSAL;
    sums[LINES] += if has_carriage_returns { lines() } else { counts.line_feeds as u32 };
}

/// Counts over a block.
struct BlockCounts {
    continuations: usize,
    four_byte_leads: usize,
    line_feeds: usize,
    carriage_returns: usize,
}

impl BlockCounts {
    #[inline(always)]
    fn of<I: Count>(isa: I, block: &[u8]) -> Self {
        const { assert!(BLOCK_BYTES / I::WIDTH <= 255, "no lane overflows") };
        let [mut continuations, mut four_byte_leads, mut line_feeds, mut carriage_returns] =
            [isa.splat(0); 4];
        let mut at = 0;
        while at < BLOCK_BYTES {
            let v = isa.load(block, at);
            continuations = isa.count_continuations(continuations, v);
            four_byte_leads = isa.count_at_least(four_byte_leads, v, isa.splat(FOUR_BYTE_LEAD));
            line_feeds = isa.count_equal(line_feeds, v, isa.splat(b'\n'));
            carriage_returns = isa.count_equal(carriage_returns, v, isa.splat(b'\r'));
            at += I::WIDTH;
        }
        Self {
            continuations: isa.reduce_sum(continuations),
            four_byte_leads: isa.reduce_sum(four_byte_leads),
            line_feeds: isa.reduce_sum(line_feeds),
            carriage_returns: isa.reduce_sum(carriage_returns),
        }
    }
}
