//! Candidates: where characters may be that are hidden, so that only these are looked up.
//!
//! Hidden characters (controls, marks of direction, joiners, variation selectors, tags, noncharacters) are few, and the
//! text around them is not: three bytes in a row distinguish nearly all of them. The bits of each byte are looked up by
//! its high and its low four bits, once as the first, once as the second and once as the third of three; a bit that all
//! three have is a pattern. That is the lookup of [`errors`](super::errors) with one byte more. A pattern may have
//! characters that are not hidden, never too few: the caller decodes the candidates.
//!
//! Groups of ASCII without controls take a shorter path, of one lookup, and the caller learns that they are valid.

use core::marker::PhantomData;

pub(crate) mod finder;
pub(super) mod patterns;
pub(super) mod scalar;
pub(super) mod vectors;

pub(crate) use finder::GROUP_BYTES;
use finder::{CandidateFinder, GROUP_BLOCKS};
use patterns::{BLOCK_BYTES, WINDOW_BYTES};
pub(crate) use patterns::{Hidden, HiddenOrPrivate, NonAscii, PatternSet};

use super::kernel::{Backend, Kernel, Task};

/// The maximum number of groups, blocks and bytes that are searched at once.
const MAX_GROUPS: usize = 64;
pub(crate) const MAX_BLOCKS: usize = MAX_GROUPS * GROUP_BLOCKS;
pub(crate) const MAX_BYTES: usize = MAX_GROUPS * GROUP_BYTES;

/// Groups of bytes, a bit for each, the lowest for the first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Groups {
    /// Groups that may not be valid UTF-8 by themselves.
    pub unknown: u64,
    /// Groups with candidates.
    pub candidates: u64,
}

/// Finds the candidates among the first bytes of some data, and the groups of them that have some.
pub(crate) struct FindCandidates<'a, P> {
    /// The bytes, and those after them, of which two belong to patterns.
    pub data: &'a [u8],
    /// The number of bytes, at most [`MAX_BYTES`].
    pub length: usize,
    /// For each block of a group with candidates, a bit for each byte that a candidate may start at;
    /// the lowest bit is for the first byte.
    pub words: &'a mut [u64; MAX_BLOCKS],
    pub patterns: PhantomData<P>,
}

impl<P: PatternSet> Kernel for FindCandidates<'_, P> {
    type Output = Groups;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> Groups {
        let Self { data, length, words, .. } = self;
        let mut groups = Groups::default();
        let (mut was_ascii, mut had_candidates) = (true, false);
        for (number, words) in words.as_chunks_mut::<GROUP_BLOCKS>().0.iter_mut().enumerate() {
            let start = number * GROUP_BYTES;
            let Some(rest) = data.get(start..length).filter(|rest| !rest.is_empty()) else { break };
            // Text changes seldom between ASCII and not. (No closure, since it would not be compiled for the
            // instruction set.)
            was_ascii = match rest.first_chunk() {
                Some(group) if was_ascii || I::CandidateFinder::is_ascii(isa, group) => {
                    I::CandidateFinder::is_plain(isa, group)
                }
                _ => false,
            };
            if was_ascii {
                continue;
            }
            groups.unknown |= 1 << number;
            // Candidates seldom come alone.
            let window = data.get(start..).unwrap_or_default().first_chunk();
            if let Some(window) = window
                && !had_candidates
                && rest.len() >= GROUP_BYTES
                && !I::CandidateFinder::has_candidates::<P>(isa, window)
            {
                continue;
            }
            let mut any = 0;
            for (at, word) in (start..).step_by(BLOCK_BYTES).zip(words) {
                *word = Self::find(isa, data.get(at..).unwrap_or_default());
                if length < at + BLOCK_BYTES {
                    *word &= !(u64::MAX << length.saturating_sub(at));
                }
                any |= *word;
            }
            had_candidates = any != 0;
            groups.candidates |= u64::from(had_candidates) << number;
        }
        groups
    }
}

impl<P: PatternSet> FindCandidates<'_, P> {
    /// Returns the candidates of the first block of some data.
    #[inline(always)]
    fn find<I: Backend>(isa: I, data: &[u8]) -> u64 {
        if let Some(window) = data.first_chunk() {
            return I::CandidateFinder::find::<P>(isa, window);
        }
        let mut window = [0; WINDOW_BYTES];
        window[..data.len()].copy_from_slice(data);
        I::CandidateFinder::find::<P>(isa, &window)
    }
}
