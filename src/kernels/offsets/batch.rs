//! Lookups of many offsets: what each one needs from memory is fetched before it, so that they do not wait in turn.

use super::index::{BLOCKS, Index, SUPER_BYTES};
use super::lookup::{IndexLookup, RankStart};
use super::{BLOCK_BYTES, BLOCK_CHUNKS, BYTES, CHARS, CHUNK_BYTES, Text, UTF16};
use crate::kernels::kernel::{Backend, Kernel, Task};

/// The number of ranks to fetch ahead.
const RANKS_AHEAD: usize = 16;
/// The number of offsets that go through the stages of a select together.
const GROUP: usize = 32;
/// The number of `u16` in a cache line.
const NUMBERS_IN_LINE: usize = CHUNK_BYTES / size_of::<u16>();

impl<I: Backend> IndexLookup<'_, I> {
    /// Fetches what [`rank`](Self::rank) needs.
    #[inline(always)]
    fn prefetch_rank<const KIND: usize>(self, byte: usize) {
        let edge = RankStart::nearest(byte);
        if let Some(record) = self.index.records.get(edge.at / SUPER_BYTES)
            && let Some(numbers) = record.0.get(KIND)
        {
            self.isa.prefetch(numbers, edge.at % SUPER_BYTES / BLOCK_BYTES);
        }
        self.isa.prefetch(self.text.valid, edge.start);
        self.isa.prefetch(self.text.valid, edge.start + CHUNK_BYTES);
        self.isa.prefetch(self.text.valid, edge.start + 2 * CHUNK_BYTES - 1);
    }

    /// Replaces bytes by their offsets in another unit.
    #[inline(always)]
    fn offsets_of<const KIND: usize>(self, bytes: &mut [usize]) {
        for at in 0..bytes.len() {
            if let Some(&ahead) = bytes.get(at + RANKS_AHEAD) {
                self.prefetch_rank::<KIND>(ahead);
            }
            bytes[at] = self.offset_of::<KIND>(bytes[at]);
        }
    }

    /// Replaces offsets by their bytes. Returns the index of the first one inside a character.
    #[inline(always)]
    fn bytes_of<const KIND: usize>(self, offsets: &mut [usize]) -> Option<usize> {
        let mut inside = None;
        for (group, offsets) in offsets.chunks_mut(GROUP).enumerate() {
            let mut stages = [(0, 0); GROUP];
            let count = self.index.count(KIND);
            for (stage, &offset) in stages.iter_mut().zip(&*offsets) {
                stage.0 = self.super_block::<KIND>(offset.min(count.saturating_sub(1)));
                if let Some(record) = self.index.records.get(stage.0) {
                    for line in 0..BLOCKS / NUMBERS_IN_LINE {
                        self.isa.prefetch(&record.0[KIND], line * NUMBERS_IN_LINE);
                    }
                }
            }
            for (stage, &offset) in stages.iter_mut().zip(&*offsets) {
                *stage = self.block::<KIND>(stage.0, offset.min(count.saturating_sub(1)));
                for chunk in 0..BLOCK_CHUNKS {
                    self.isa.prefetch(self.text.valid, stage.0 + chunk * CHUNK_BYTES);
                }
            }
            for (index, (stage, offset)) in stages.into_iter().zip(offsets).enumerate() {
                if *offset == 0 {
                    // The text starts there, with or without a lead byte.
                } else if *offset >= count {
                    *offset = self.index.byte_count();
                } else {
                    let place = self.within_block::<KIND>(stage.0, stage.1);
                    *offset = place.byte;
                    if place.second && inside.is_none() {
                        inside = Some(group * GROUP + index);
                    }
                }
            }
        }
        inside
    }
}

/// Converts offsets in place, which must not be beyond the end.
pub(crate) struct ConvertMany<'a> {
    pub index: &'a Index,
    pub text: Text<'a>,
    /// The kinds of marks that the source and the target count, or bytes.
    pub kinds: [usize; 2],
    pub offsets: &'a mut [usize],
}

impl Kernel for ConvertMany<'_> {
    /// The index of the first offset inside a character.
    type Output = Option<usize>;

    const TASK: Task = Task::Further;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> Option<usize> {
        let Self { index, text, kinds: [source, target], offsets } = self;
        let lookup = IndexLookup { isa, index, text };
        let inside = match source {
            CHARS => lookup.bytes_of::<CHARS>(offsets),
            UTF16 => lookup.bytes_of::<UTF16>(offsets),
            _ => None,
        };
        match target {
            CHARS => lookup.offsets_of::<CHARS>(offsets),
            UTF16 => lookup.offsets_of::<UTF16>(offsets),
            _ if source == BYTES => lookup.offsets_of::<BYTES>(offsets),
            _ => {}
        }
        inside
    }
}
