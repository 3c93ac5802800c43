//! Single lookups: rank, select and the start of a character.

use super::index::{BLOCKS, Index, SUPER_BYTES};
use super::{
    ABSENT, BLOCK_BYTES, BLOCK_CHUNKS, BYTES, CHARS, CHUNK_BYTES, ChunkMarks, KINDS, LINES, MarkPlace, Text,
    UTF16, byte_at, chunks, first_bits, marks, nth_mark, partial_chunks,
};
use crate::kernels::kernel::{Backend, Kernel, Task};
use crate::sequence::FOUR_BYTE_LEAD;
use crate::sequence::is_continuation;

/// The bytes on each side of a block's edge that a rank counts in.
const HALF_BYTES: usize = BLOCK_BYTES / 2;
/// The number of chunks of these bytes.
const HALF_CHUNKS: usize = HALF_BYTES / CHUNK_BYTES;

/// An index with its text and an instruction set.
#[derive(Clone, Copy)]
pub(super) struct IndexLookup<'a, I> {
    pub isa: I,
    pub index: &'a Index,
    pub text: Text<'a>,
}

/// Where a rank starts to count.
#[derive(Clone, Copy)]
pub(super) struct RankStart {
    /// The nearest edge of a block.
    pub at: usize,
    /// The start of the bytes to count in: the edge, or half a block before it.
    pub start: usize,
}

impl RankStart {
    #[inline(always)]
    pub fn nearest(byte: usize) -> Self {
        let at = (byte + HALF_BYTES) & !(BLOCK_BYTES - 1);
        Self { at, start: at - HALF_BYTES * usize::from(byte < at) }
    }
}

impl<I: Backend> IndexLookup<'_, I> {
    /// Returns the number of marks before the block at `edge`.
    #[inline(always)]
    fn before<const KIND: usize>(self, edge: usize) -> usize {
        let super_block = edge / SUPER_BYTES;
        let base = self.index.bases.get(super_block).map_or(0, |base| base[KIND]);
        let record = self.index.records.get(super_block);
        base + record.map_or(0, |record| usize::from(record.0[KIND][edge % SUPER_BYTES / BLOCK_BYTES]))
    }

    /// Returns the number of marks before byte `byte`, which must be at most the length of the text.
    #[inline(always)]
    pub fn rank<const KIND: usize>(self, byte: usize) -> usize {
        self.rank_and_start::<KIND>(byte).0
    }

    /// Returns the number of marks before byte `byte`, and whether the byte is one.
    #[inline(always)]
    pub fn rank_and_start<const KIND: usize>(self, byte: usize) -> (usize, bool) {
        if KIND == BYTES {
            return (byte, true);
        }
        let edge = RankStart::nearest(byte);
        let partial;
        let chunks: &[[u8; CHUNK_BYTES]; HALF_CHUNKS] = match chunks(self.text, edge.start) {
            Some(chunks) => chunks,
            None => {
                partial = partial_chunks(self.text, edge.start);
                &partial
            }
        };
        let next = if KIND == LINES { byte_at(self.text, edge.start + HALF_BYTES) } else { ABSENT };
        let distance = byte - edge.start;
        // All bits where marks are counted from the byte to the edge after it, and subtracted.
        let backwards = u64::from(byte < edge.at).wrapping_neg();
        let (mut count, mut starts) = (0, 0);
        for index in 0..HALF_CHUNKS {
            let marks = marks::<I, KIND, _>(self.isa, self.index.line_ends, chunks, index, next);
            let before = first_bits(distance.saturating_sub(index * CHUNK_BYTES));
            count += marks.among(before ^ backwards).count();
            starts |= if distance / CHUNK_BYTES == index { marks.once } else { 0 };
        }
        let backwards = backwards as usize;
        let rank = self.before::<KIND>(edge.at).wrapping_add((count ^ backwards).wrapping_sub(backwards));
        // If the text has changed, there may be more marks than before the edge.
        let rank = rank.min(self.index.count(KIND));
        (rank, starts >> (distance % CHUNK_BYTES) & 1 != 0)
    }

    /// Returns the super block of mark `n`.
    #[inline(always)]
    pub fn super_block<const KIND: usize>(self, n: usize) -> usize {
        let Some(samples) = self.index.samples.get(KIND) else { return 0 };
        let sample = |at| samples.super_blocks.get(at).map_or(0, |&super_block| super_block as usize);
        let (mut low, mut high) = (sample(n >> samples.shift), sample((n >> samples.shift) + 1));
        let bases = &self.index.bases;
        let ends_before = |super_block: usize| bases.get(super_block + 1).is_some_and(|base| base[KIND] <= n);
        while high > low + 8 {
            let middle = low + (high - low) / 2;
            (low, high) = if ends_before(middle) { (middle + 1, high) } else { (low, middle) };
        }
        // Nearly always one of the first three, without a branch on which.
        low += usize::from(ends_before(low));
        low += usize::from(ends_before(low));
        while ends_before(low) {
            low += 1;
        }
        low
    }

    /// Returns the start of the block of mark `n`, given its super block, and the number of marks in it before `n`.
    #[inline(always)]
    pub fn block<const KIND: usize>(self, super_block: usize, n: usize) -> (usize, usize) {
        let base = self.index.bases.get(super_block).map_or(0, |base| base[KIND]);
        let within = n.wrapping_sub(base) as u16;
        let Some(record) = self.index.records.get(super_block) else { return (0, usize::from(within)) };
        let numbers = &record.0[KIND];
        // The first number is 0.
        let block = self.isa.count_at_most(numbers, within).saturating_sub(1) % BLOCKS;
        (super_block * SUPER_BYTES + block * BLOCK_BYTES, usize::from(within.wrapping_sub(numbers[block])))
    }

    /// Returns the place of mark `n` in the block at `start`.
    #[inline(always)]
    pub fn within_block<const KIND: usize>(self, start: usize, n: usize) -> MarkPlace {
        let partial;
        let chunks: &[[u8; CHUNK_BYTES]; BLOCK_CHUNKS] = match chunks(self.text, start) {
            Some(chunks) => chunks,
            None => {
                partial = partial_chunks(self.text, start);
                &partial
            }
        };
        let next = if KIND == LINES { byte_at(self.text, start + BLOCK_BYTES) } else { ABSENT };
        let mut all = [ChunkMarks::default(); BLOCK_CHUNKS];
        for (index, of_chunk) in all.iter_mut().enumerate() {
            *of_chunk = marks::<I, KIND, _>(self.isa, self.index.line_ends, chunks, index, next);
        }
        // There is one, unless the text has changed.
        let place = nth_mark(self.isa, all, n).unwrap_or(MarkPlace { byte: BLOCK_BYTES, second: false });
        MarkPlace { byte: (start + place.byte).min(self.index.byte_count()), ..place }
    }

    /// Returns the place of mark `n`, which must exist.
    #[inline(always)]
    pub fn select<const KIND: usize>(self, n: usize) -> MarkPlace {
        if KIND == BYTES {
            return MarkPlace { byte: n, second: false };
        }
        let super_block = self.super_block::<KIND>(n);
        let (start, within) = self.block::<KIND>(super_block, n);
        self.within_block::<KIND>(start, within)
    }

    /// Returns the place of offset `n`, which must be at most the number of marks; the end of the text has one, too.
    #[inline(always)]
    pub fn place_of<const KIND: usize>(self, n: usize) -> MarkPlace {
        match n {
            _ if KIND == BYTES => self.place_of_byte(n),
            // Continuation bytes before the first lead byte belong to no character, but the text starts with them.
            0 => MarkPlace { byte: 0, second: false },
            _ if n >= self.index.count(KIND) => MarkPlace { byte: self.index.byte_count(), second: false },
            _ => self.select::<KIND>(n),
        }
    }

    /// Returns the start of the character of a byte, and whether the byte is another one of it.
    #[inline(always)]
    fn place_of_byte(self, byte: usize) -> MarkPlace {
        let inside = byte < self.index.byte_count() && is_continuation(byte_at(self.text, byte));
        MarkPlace { byte: if inside { self.start_of(byte) } else { byte }, second: inside && byte > 0 }
    }

    /// Returns the last lead byte before a byte, or 0.
    #[cold]
    #[inline(never)]
    fn start_of(self, byte: usize) -> usize {
        self.isa.call(StartOf { index: self.index, text: self.text, byte })
    }

    /// Returns the offset of a byte; if it is inside a character, the offset of the character's start.
    #[inline(always)]
    pub fn offset_of<const KIND: usize>(self, byte: usize) -> usize {
        if KIND == BYTES {
            return self.place_of_byte(byte).byte;
        }
        let (rank, starts) = self.rank_and_start::<KIND>(byte);
        if KIND == CHARS {
            // At the end of the text no character starts, nor is it inside one.
            return rank.saturating_sub(usize::from(!starts & (byte < self.index.byte_count())));
        }
        let inside = !starts & (byte < self.index.byte_count());
        match self.lead_before(byte) {
            // The marks of a character that starts before the byte count, but the byte is inside it.
            Some(lead) => rank.saturating_sub(usize::from(inside) << usize::from(lead >= FOUR_BYTE_LEAD)),
            None if inside => self.rank::<KIND>(self.start_of(byte)),
            None => rank,
        }
    }

    /// Returns the last lead byte among the three bytes before a byte.
    #[inline(always)]
    fn lead_before(self, byte: usize) -> Option<u8> {
        let start = byte.checked_sub(3)?;
        let [first, second, third] = match self.text.valid.get(start..).and_then(<[u8]>::first_chunk) {
            Some(&bytes) => bytes,
            None => bytes_at(self.text, start),
        };
        let lead = if is_continuation(second) { first } else { second };
        let lead = if is_continuation(third) { lead } else { third };
        (!is_continuation(lead)).then_some(lead)
    }

    /// Returns the byte at which a line starts; its number must be at most the number of line ends.
    #[inline(always)]
    pub fn line_start(self, line: usize) -> usize {
        if line == 0 { 0 } else { (self.select::<LINES>(line - 1).byte + 1).min(self.index.byte_count()) }
    }
}

/// Returns the three bytes at `at`.
#[cold]
#[inline(never)]
fn bytes_at(text: Text<'_>, at: usize) -> [u8; 3] {
    let mut bytes = [ABSENT; 3];
    text.copy_to(at, &mut bytes);
    bytes
}

/// Finds the last lead byte before a byte.
struct StartOf<'a> {
    index: &'a Index,
    text: Text<'a>,
    byte: usize,
}

impl Kernel for StartOf<'_> {
    type Output = usize;

    const TASK: Task = Task::Further;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> usize {
        let Self { index, text, byte } = self;
        let lookup = IndexLookup { isa, index, text };
        match lookup.rank::<CHARS>(byte) {
            0 => 0,
            rank => lookup.select::<CHARS>((rank - 1).min(index.count(CHARS).saturating_sub(1))).byte,
        }
    }
}

/// The numbers of marks of each kind before a byte, which must be at most the length of the text.
pub(crate) struct Ranks<'a> {
    pub index: &'a Index,
    pub text: Text<'a>,
    pub byte: usize,
}

impl Kernel for &Ranks<'_> {
    type Output = [usize; KINDS];

    const TASK: Task = Task::Further;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> [usize; KINDS] {
        let &Ranks { index, text, byte } = self;
        let lookup = IndexLookup { isa, index, text };
        [lookup.rank::<CHARS>(byte), lookup.rank::<UTF16>(byte), lookup.rank::<LINES>(byte)]
    }
}

/// Finds the place of mark `n` of a kind, which must exist.
pub(crate) struct Select<'a> {
    pub index: &'a Index,
    pub text: Text<'a>,
    pub kind: usize,
    pub n: usize,
}

impl Kernel for &Select<'_> {
    type Output = MarkPlace;

    const TASK: Task = Task::Further;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> MarkPlace {
        let &Select { index, text, kind, n } = self;
        let lookup = IndexLookup { isa, index, text };
        match kind {
            CHARS => lookup.select::<CHARS>(n),
            UTF16 => lookup.select::<UTF16>(n),
            _ => lookup.select::<LINES>(n),
        }
    }
}

/// Converts an offset, which must not be beyond the end.
///
/// It is run by reference, as are other single lookups: a copy of words that were just stored, by wider loads, waits
/// until they are in the cache, and so for all lookups before it (25 instead of 7 ns for a rank in 10 KB, 170 instead
/// of 12 ns in 10 MB).
pub(crate) struct Convert<'a> {
    pub index: &'a Index,
    pub text: Text<'a>,
    /// The kinds of marks that the source and the target count, or bytes.
    pub kinds: [usize; 2],
    pub offset: usize,
}

/// An offset in another unit.
pub(crate) struct Converted {
    /// The offset; if it was inside a character, the offset of the character's start.
    pub offset: usize,
    /// Whether it was inside a character.
    pub inside: bool,
}

impl Kernel for &Convert<'_> {
    type Output = Converted;

    const TASK: Task = Task::Further;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> Converted {
        let &Convert { index, text, kinds: [source, target], offset } = self;
        let lookup = IndexLookup { isa, index, text };
        let place = match source {
            CHARS => lookup.place_of::<CHARS>(offset),
            UTF16 => lookup.place_of::<UTF16>(offset),
            // What counts bytes rounds down itself.
            _ if target == CHARS || target == UTF16 => {
                let inside =
                    is_continuation(byte_at(text, offset)) && (1..index.byte_count()).contains(&offset);
                MarkPlace { byte: offset, second: inside }
            }
            _ => lookup.place_of::<BYTES>(offset),
        };
        let offset = match target {
            CHARS => lookup.offset_of::<CHARS>(place.byte),
            UTF16 => lookup.offset_of::<UTF16>(place.byte),
            _ => place.byte,
        };
        Converted { offset, inside: place.second }
    }
}
