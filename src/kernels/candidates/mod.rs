//! Candidates: where characters may be that are hidden, so that only these are looked up.
//!
//! Hidden characters (controls, marks of direction, joiners, variation selectors, tags, noncharacters) are few, and the
//! text around them is not: three bytes in a row distinguish nearly all of them. The bits of each byte are looked up
//! once as the first, once as the second and once as the third of three; a bit that all three have is a pattern. That
//! is the lookup of [`errors`](super::errors) with one byte more. A pattern may have characters that are not hidden,
//! never too few: the caller decodes the candidates.
//!
//! 1. In text that is mostly ASCII each group of four blocks is first tested for being plain: ASCII without controls.
//!    It has no candidates then, and the caller learns that it is valid.
//! 2. In other text no group is. There the first two bytes show which blocks may have candidates (suspects), by two
//!    thirds of the lookups or less. Which of both a text is shows the stretch before, and the first group of this one.
//!    Where nearly all blocks are suspects, as with emoji, some stretches do without.
//! 3. Only in the blocks that are left the candidates are found. The tests before set flags, and no branch depends on a
//!    single one: that a lone word is not ASCII is not predicted.
//!
//! Tried and lost, on Russian text with AVX-512: lookups in tables of 128 entries (`vpermi2b`, two instructions of port
//! 5) instead of 64 for leads and continuation bytes apart (`vpermb`); a test of each block instead of four (28 instead
//! of 34 GB/s); leads alone as suspects (28, Chinese 21, Hindi 49 instead of 41; with AVX2 Chinese 11 instead of 18,
//! Russian 20 instead of 17); all three bytes (33, Chinese 31 instead of 35, Hindi 32); controls by comparisons in
//! [`find`](CandidateFinder::find), which LLVM 22 takes apart lane by lane; closures in the kernel, which are not
//! compiled for the instruction set.

use core::marker::PhantomData;

#[cfg(target_arch = "x86_64")]
pub(super) mod byte_table;
pub(crate) mod finder;
pub(super) mod nibbles;
pub(super) mod patterns;
pub(super) mod scalar;

pub(crate) use finder::GROUP_BYTES;
use finder::{ALL_BLOCKS, CandidateFinder, GROUP_BLOCKS};
use patterns::WINDOW_BYTES;
pub(crate) use patterns::{BLOCK_BYTES, Hidden, HiddenOrPrivate, NonAscii, PatternSet};

use super::kernel::{Backend, Kernel, Task};

/// The maximum number of groups, blocks and bytes that are searched at once.
const MAX_GROUPS: usize = 64;
const MAX_BLOCKS: usize = MAX_GROUPS * GROUP_BLOCKS;
pub(crate) const MAX_BYTES: usize = MAX_GROUPS * GROUP_BYTES;
/// The number of words with a bit for each block.
const MAX_WORDS: usize = MAX_BLOCKS / 64;
/// The number of groups that have a bit for each block in a word.
const WORD_GROUPS: usize = 64 / GROUP_BLOCKS;
/// The share of blocks that are suspects, as a fraction, from which these are not looked for, and for how many
/// stretches.
const MANY_SUSPECTS: (u32, u32) = (15 * GROUP_BLOCKS as u32, 16);
const UNSELECTIVE: u8 = 3;
/// The share of groups that are not plain, as a fraction, from which text is not mostly ASCII.
const DENSE_SHARE: (u32, usize) = (2, 3);

/// Where candidates are among some bytes.
#[derive(Clone, Debug)]
pub(crate) struct Candidates {
    /// A bit for each group that may not be valid UTF-8 by itself, the lowest for the first.
    pub unknown: u64,
    /// Whether that is most of them.
    pub dense: bool,
    /// For how many stretches suspects are not looked for, as nearly all blocks had some.
    unselective: u8,
    /// A bit for each block that has candidates, the lowest of the first word for the first.
    blocks: [u64; MAX_WORDS],
    /// For each of these blocks a bit for each byte that a candidate may start at.
    bytes: [u64; MAX_BLOCKS],
}

impl Default for Candidates {
    fn default() -> Self {
        Self { unknown: 0, dense: false, unselective: 0, blocks: [0; MAX_WORDS], bytes: [0; MAX_BLOCKS] }
    }
}

impl Candidates {
    /// Removes the first candidate, and returns its offset.
    #[inline]
    pub fn next(&mut self) -> Option<usize> {
        for (word, blocks) in self.blocks.iter_mut().enumerate() {
            if *blocks != 0 {
                let block = word * 64 + blocks.trailing_zeros() as usize;
                let bytes = self.bytes.get_mut(block)?;
                let at = block * BLOCK_BYTES + bytes.trailing_zeros() as usize;
                *bytes &= bytes.wrapping_sub(1);
                if *bytes == 0 {
                    *blocks &= *blocks - 1;
                }
                return Some(at);
            }
        }
        None
    }

    /// Removes all candidates.
    pub fn clear(&mut self) {
        self.blocks = [0; MAX_WORDS];
    }
}

/// Finds the candidates among the first bytes of some data.
pub(crate) struct FindCandidates<'a, P> {
    /// The bytes, and those after them, of which two belong to patterns.
    pub data: &'a [u8],
    /// The number of bytes, at most [`MAX_BYTES`].
    pub length: usize,
    /// The candidates of the bytes before, which these replace.
    pub candidates: &'a mut Candidates,
    pub patterns: PhantomData<P>,
}

impl<P: PatternSet> Kernel for FindCandidates<'_, P> {
    type Output = ();

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) {
        let Self { data, length, candidates, .. } = self;
        let (groups, rest) = data[..length].as_chunks::<GROUP_BYTES>();
        let groups = &groups[..groups.len().min(MAX_GROUPS)];
        let mut unknown = u64::MAX.checked_shr(64 - groups.len() as u32).unwrap_or_default();
        let stays_dense = match groups.first() {
            Some(group) => candidates.dense && !I::CandidateFinder::is_plain(isa, group),
            None => false,
        };
        if !stays_dense {
            unknown = 0;
            for (number, group) in groups.iter().enumerate() {
                unknown |= u64::from(!I::CandidateFinder::is_plain(isa, group)) << number;
            }
        }
        candidates.dense = unknown.count_ones() * DENSE_SHARE.1 as u32 > groups.len() as u32 * DENSE_SHARE.0;
        let mut suspects = [0_u64; MAX_WORDS];
        let mut left = unknown;
        while left != 0 {
            let group = left.trailing_zeros() as usize;
            let window = data.get(group * GROUP_BYTES..).unwrap_or_default().first_chunk();
            let blocks = match (window, groups.get(group)) {
                (Some(_), _) if candidates.dense && candidates.unselective != 0 => ALL_BLOCKS,
                (Some(window), _) if candidates.dense => I::CandidateFinder::suspects::<P>(isa, window),
                (_, Some(group)) => Self::not_plain(isa, group),
                (_, None) => break,
            };
            suspects[group / WORD_GROUPS] |= blocks << (group % WORD_GROUPS * GROUP_BLOCKS);
            left &= left - 1;
        }
        let found: u32 = suspects.iter().map(|blocks| blocks.count_ones()).sum();
        candidates.unselective = match candidates.unselective {
            0 if candidates.dense && found * MANY_SUSPECTS.1 > unknown.count_ones() * MANY_SUSPECTS.0 => {
                UNSELECTIVE
            }
            stretches => stretches.saturating_sub(1),
        };
        let tail = groups.len();
        if !rest.is_empty() && tail < MAX_GROUPS {
            unknown |= 1 << tail;
            suspects[tail / WORD_GROUPS] |= Self::not_plain(isa, rest) << (tail % WORD_GROUPS * GROUP_BLOCKS);
        }
        for (word, suspects) in suspects.into_iter().enumerate() {
            let (mut blocks, mut left) = (suspects, suspects);
            while left != 0 {
                let block = word * 64 + left.trailing_zeros() as usize;
                let ahead = data.get(block * BLOCK_BYTES..).unwrap_or_default();
                let bytes = match ahead.first_chunk() {
                    Some(window) => I::CandidateFinder::find::<P>(isa, window),
                    None => Self::find_last(isa, ahead),
                };
                candidates.bytes[block] = bytes;
                blocks ^= u64::from(bytes == 0) << (block % 64);
                left &= left - 1;
            }
            candidates.blocks[word] = blocks;
        }
        // Candidates of the last block may lie behind the end.
        let last = length / BLOCK_BYTES;
        if let Some(bytes) = candidates.bytes.get_mut(last) {
            *bytes &= (1 << (length % BLOCK_BYTES)) - 1;
            candidates.blocks[last / 64] &= !(u64::from(*bytes == 0) << (last % 64));
        }
        candidates.unknown = unknown;
    }
}

impl<P: PatternSet> FindCandidates<'_, P> {
    /// Returns a bit for each block of a group, or of the start of one, that may not be plain.
    #[inline(always)]
    fn not_plain<I: Backend>(isa: I, group: &[u8]) -> u64 {
        let mut bits = 0;
        let (blocks, rest) = group.as_chunks::<BLOCK_BYTES>();
        for (number, block) in blocks.iter().enumerate() {
            bits |= u64::from(!I::CandidateFinder::is_plain(isa, block)) << number;
        }
        bits | u64::from(!rest.is_empty()) << blocks.len()
    }

    /// Returns the candidates of the last block of some data, which may be shorter than a window.
    #[inline(always)]
    fn find_last<I: Backend>(isa: I, data: &[u8]) -> u64 {
        let mut window = [0; WINDOW_BYTES];
        window[..data.len()].copy_from_slice(data);
        I::CandidateFinder::find::<P>(isa, &window)
    }
}
