//! Candidates: where characters may be that are hidden, so that only these are looked up.
//!
//! Hidden characters (controls, marks of direction, joiners, variation selectors, tags, noncharacters) are few, and the
//! text around them is not: three bytes in a row distinguish nearly all of them. The bits of each byte are looked up
//! once as the first, once as the second and once as the third of three; a bit that all three have is a pattern. That
//! is the lookup of [`errors`](super::errors) with one byte more. A pattern may have characters that are not hidden,
//! never too few: the caller decodes the candidates.
//!
//! 1. The search observes the pass that validates: it sees each stretch of a few kilobytes while that is in the
//!    first-level cache. Where the pass tests groups for being ASCII, in text that mostly is, the test is for being
//!    plain, without controls, and plain groups are not seen.
//! 2. A cheaper test shows which blocks of the stretch may have candidates, the suspects. What that is depends on the
//!    instruction set: see [`byte_table`] and [`nibbles`].
//! 3. Only in suspects the candidates are found. The pass ends after a stretch with which there are enough, and the
//!    caller continues after it.
//!
//! Tried and lost: a pass of its own, after the validation of eight stretches (with AVX-512 Russian 0.48 of the speed
//! of [`is_valid`](crate::is_valid) instead of 0.56, English 0.42 instead of 0.57); a branch for each block with
//! candidates (Persian 0.09 instead of 0.10); controls by comparisons, which LLVM 22 takes apart lane by lane; closures
//! in the kernel, which are not compiled for the instruction set.

#[cfg(target_arch = "x86_64")]
pub(super) mod byte_table;
pub(crate) mod finder;
pub(super) mod nibbles;
mod patterns;
pub(super) mod scalar;

use finder::{BLOCK_BYTES, CandidateFinder, LOOKAHEAD_BYTES, WINDOW_BYTES};
pub(crate) use patterns::Patterns;

use super::kernel::{Backend, Kernel, Task};
use super::validate::observer::{Observer, PassState};
use super::validate::validator::{Findings, Validator};
use crate::simd::Work;

/// The maximum number of blocks with candidates: of the bytes before the first stretch, and of a stretch.
const MAX_BLOCKS: usize = 128;
/// The number of blocks with candidates after which a search ends with its stretch, which has less than the others.
const ENOUGH_BLOCKS: usize = 7;

/// Where candidates are among some bytes.
#[derive(Clone, Debug)]
pub(crate) struct Candidates {
    /// The number of blocks with candidates, and of those before the first that still has some.
    blocks: usize,
    passed: usize,
    /// The offsets of these blocks.
    offsets: [u32; MAX_BLOCKS],
    /// For each of these blocks a bit for each byte that a candidate may start at.
    bytes: [u64; MAX_BLOCKS],
    /// What the pass kept.
    state: PassState,
}

impl Default for Candidates {
    fn default() -> Self {
        let (offsets, bytes) = ([0; MAX_BLOCKS], [0; MAX_BLOCKS]);
        Self { blocks: 0, passed: 0, offsets, bytes, state: PassState::default() }
    }
}

impl Candidates {
    /// Removes the first candidate, and returns its offset.
    #[inline]
    pub fn next(&mut self) -> Option<usize> {
        if self.passed == self.blocks {
            return None;
        }
        let bytes = self.bytes.get_mut(self.passed)?;
        let at = self.offsets[self.passed] as usize + bytes.trailing_zeros() as usize;
        *bytes &= bytes.wrapping_sub(1);
        self.passed += usize::from(*bytes == 0);
        Some(at)
    }

    /// Returns whether a search ends with these.
    pub fn are_enough(&self) -> bool {
        self.blocks >= ENOUGH_BLOCKS
    }

    /// Removes all candidates, and forgets the text before.
    pub fn restart(&mut self) {
        self.clear();
        self.state = PassState::default();
    }

    /// Removes all candidates.
    pub fn clear(&mut self) {
        (self.blocks, self.passed) = (0, 0);
    }

    /// Adds the candidates of a block, if it has some. (Without a branch, which would often be mispredicted.)
    #[inline(always)]
    fn add(&mut self, at: usize, bytes: u64) {
        if let (Some(offset), Some(place)) =
            (self.offsets.get_mut(self.blocks), self.bytes.get_mut(self.blocks))
        {
            (*offset, *place) = (at as u32, bytes);
            self.blocks += usize::from(bytes != 0);
        }
    }
}

/// Validates data, at most 4 GiB, and finds the candidates in it, up to the end of the stretch with which these are
/// enough.
pub(crate) struct FindCandidates<'a> {
    pub data: &'a [u8],
    pub patterns: &'static Patterns,
    /// Those found before, which these replace.
    pub candidates: &'a mut Candidates,
}

impl Kernel for FindCandidates<'_> {
    /// Where it ended; the counted bytes are those that were searched.
    type Output = Findings;

    const TASK: Task = Task::Further;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> Findings {
        let Self { data, patterns, candidates } = self;
        candidates.clear();
        I::Validator::observe(isa, data, &mut Search { patterns, candidates })
    }
}

/// A search in the bytes that it sees.
struct Search<'a> {
    patterns: &'static Patterns,
    candidates: &'a mut Candidates,
}

impl<I: Backend> Observer<I> for Search<'_> {
    #[inline(always)]
    fn is_plain<const N: usize>(isa: I, block: &[u8; N]) -> bool {
        I::CandidateFinder::is_plain(isa, block)
    }

    #[inline(always)]
    fn see(&mut self, isa: I, data: &[u8], start: usize, end: usize) {
        let Self { patterns, candidates } = self;
        isa.call(See { data, start, end, patterns, candidates });
    }

    #[inline(always)]
    fn see_groups<const GROUP: usize>(&mut self, isa: I, data: &[u8], start: usize, groups: u64) {
        let Self { patterns, candidates } = self;
        if groups != 0 {
            isa.call(SeeGroups::<GROUP> { data, start, groups, patterns, candidates });
        }
    }

    #[inline(always)]
    fn has_enough(&self) -> bool {
        self.candidates.are_enough()
    }

    #[inline(always)]
    fn state(&self) -> PassState {
        self.candidates.state
    }

    #[inline(always)]
    fn keep(&mut self, state: PassState) {
        self.candidates.state = state;
    }
}

/// Adds the candidates in the bytes from `start` to `end`. It is compiled separately, as the pass calls it in many
/// places.
struct See<'a> {
    data: &'a [u8],
    start: usize,
    end: usize,
    patterns: &'static Patterns,
    candidates: &'a mut Candidates,
}

impl<I: Backend> Work<I> for See<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, isa: I) {
        let Self { data, start, end, patterns, candidates } = self;
        let mut at = start;
        while at < end {
            // Whole blocks with the bytes after them, but at the ends of the data.
            let whole = end.min(data.len().saturating_sub(LOOKAHEAD_BYTES)).saturating_sub(at) / BLOCK_BYTES;
            let Some(run) = data.get(at..at + whole * BLOCK_BYTES + LOOKAHEAD_BYTES).filter(|_| whole != 0)
            else {
                candidates.add_padded(isa, patterns, data, at, end);
                at += BLOCK_BYTES;
                continue;
            };
            let suspects = I::CandidateFinder::suspects(isa, patterns, run);
            at += suspects.end * BLOCK_BYTES;
            let mut block = at - suspects.len() * BLOCK_BYTES;
            while block < at
                && let Some(window) = data.get(block..).and_then(<[u8]>::first_chunk)
            {
                candidates.add(block, I::CandidateFinder::find(isa, patterns, window));
                block += BLOCK_BYTES;
            }
        }
    }
}

/// Adds the candidates in groups of `GROUP` bytes, of which the first is at `start`, that have a bit in `groups`.
struct SeeGroups<'a, const GROUP: usize> {
    data: &'a [u8],
    start: usize,
    groups: u64,
    patterns: &'static Patterns,
    candidates: &'a mut Candidates,
}

impl<I: Backend, const GROUP: usize> Work<I> for SeeGroups<'_, GROUP> {
    type Output = ();

    #[inline(always)]
    fn run(self, isa: I) {
        let Self { data, start, groups, patterns, candidates } = self;
        let mut left = groups;
        let mut end = None;
        while left != 0 {
            let group = start + left.trailing_zeros() as usize * GROUP;
            let mut at = group;
            while at < group + GROUP {
                match data.get(at..).and_then(<[u8]>::first_chunk) {
                    Some(window) => candidates.add(at, I::CandidateFinder::find(isa, patterns, window)),
                    // Only the last block may end with the data.
                    None => end = Some(at),
                }
                at += BLOCK_BYTES;
            }
            left &= left - 1;
        }
        if let Some(at) = end {
            candidates.add_padded(isa, patterns, data, at, at + BLOCK_BYTES);
        }
    }
}

impl Candidates {
    /// Adds the candidates of the block at `at`, as far as it is before `end`. The data may end in its window.
    #[inline(always)]
    fn add_padded<I: Backend>(&mut self, isa: I, patterns: &Patterns, data: &[u8], at: usize, end: usize) {
        let mut window = [0; WINDOW_BYTES];
        let ahead = &data[at..];
        let known = ahead.len().min(WINDOW_BYTES);
        window[..known].copy_from_slice(&ahead[..known]);
        let bytes = I::CandidateFinder::find(isa, patterns, &window);
        self.add(at, bytes & (u64::MAX >> (BLOCK_BYTES - BLOCK_BYTES.min(end - at))));
    }
}

const _: () = assert!(BLOCK_BYTES == 64, "a block has a bit for each byte in a word");
