//! Counting bytes of some kind.
//!
//! 1. Every comparison leaves 0 or 1 in a lane; lanes are added up as bytes, for as long as they
//!    cannot overflow, and summed then.
//! 2. Four vectors at a time, two accumulators, so that the additions do not wait for each other.
//! 3. The end is copied into a block of zeros, which are no byte that anyone counts (a test that
//!    zero would pass is not possible: no counter here matches it).
//!
//! Characters are counted by their lead bytes, that is as bytes that are not continuation bytes,
//! without decoding (the observation is old; see Pike and Thompson, "Hello World", 1993).

use super::{Counts, FOUR, Kernel};
use crate::simd::Isa;

/// What is counted: adds 1 to the lanes of an accumulator where a vector has it.
trait Matcher<I: Isa>: Copy {
    fn tally(self, isa: I, tally: I::Vector, v: I::Vector) -> I::Vector;
}

#[derive(Clone, Copy)]
struct Continuation;

impl<I: Isa> Matcher<I> for Continuation {
    #[inline(always)]
    fn tally(self, isa: I, tally: I::Vector, v: I::Vector) -> I::Vector {
        isa.tally_continuations(tally, v)
    }
}

/// This byte, which is not 0.
#[derive(Clone, Copy)]
struct Equal(u8);

impl<I: Isa> Matcher<I> for Equal {
    #[inline(always)]
    fn tally(self, isa: I, tally: I::Vector, v: I::Vector) -> I::Vector {
        isa.tally_equal(tally, v, isa.splat(self.0))
    }
}

/// This byte, which is 80 or more, and those above it.
#[derive(Clone, Copy)]
struct AtLeast(u8);

impl<I: Isa> Matcher<I> for AtLeast {
    #[inline(always)]
    fn tally(self, isa: I, tally: I::Vector, v: I::Vector) -> I::Vector {
        isa.tally_at_least(tally, v, isa.splat(self.0))
    }
}

/// Bytes in a step of the main loop: four vectors of the widest kind.
const STEP: usize = 256;

#[inline(always)]
fn count<I: Isa, M: Matcher<I>>(isa: I, data: &[u8], matcher: M) -> usize {
    let zero = isa.splat(0);
    let mut total = 0;
    let (steps, rest) = data.as_chunks::<STEP>();
    // Each step adds at most STEP / WIDTH / 2 to a lane of either accumulator.
    for group in steps.chunks(255 / (STEP / I::WIDTH / 2).max(1)) {
        let (mut even, mut odd) = (zero, zero);
        for step in group {
            let mut at = 0;
            while at < STEP {
                even = matcher.tally(isa, even, isa.load(step, at));
                odd = matcher.tally(isa, odd, isa.load(step, at + I::WIDTH));
                at += 2 * I::WIDTH;
            }
        }
        total += isa.sum(even) + isa.sum(odd);
    }
    let mut tally = zero;
    let (blocks, rest) = rest.as_chunks::<64>();
    for block in blocks {
        tally = count_block(isa, block, matcher, tally);
    }
    if !rest.is_empty() {
        let mut block = [0; 64];
        block[..rest.len()].copy_from_slice(rest);
        tally = count_block(isa, &block, matcher, tally);
    }
    total + isa.sum(tally)
}

#[inline(always)]
fn count_block<I: Isa, M: Matcher<I>>(
    isa: I,
    block: &[u8; 64],
    matcher: M,
    mut tally: I::Vector,
) -> I::Vector {
    let mut at = 0;
    while at < 64 {
        tally = matcher.tally(isa, tally, isa.load(block, at));
        at += I::WIDTH;
    }
    tally
}

/// Bytes at or above `bound`, which must be 80 or more.
#[inline(always)]
pub(super) fn count_at_least<I: Isa>(isa: I, data: &[u8], bound: u8) -> usize {
    count(isa, data, AtLeast(bound))
}

/// All of [`Counts`]. Each pass reads what the one before left in the cache, if `data` is small.
#[inline(always)]
pub(super) fn count_all<I: Isa>(isa: I, data: &[u8]) -> Counts {
    let largest = largest(isa, data);
    Counts {
        continuations: if largest < 0x80 { 0 } else { count(isa, data, Continuation) },
        fours: if largest < FOUR { 0 } else { count(isa, data, AtLeast(FOUR)) },
        newlines: count(isa, data, Equal(b'\n')),
        largest,
    }
}

#[inline(always)]
fn largest<I: Isa>(isa: I, data: &[u8]) -> u8 {
    let mut largest = isa.splat(0);
    let (blocks, rest) = data.as_chunks::<64>();
    for block in blocks {
        let mut at = 0;
        while at < 64 {
            largest = isa.max(largest, isa.load(block, at));
            at += I::WIDTH;
        }
    }
    rest.iter().copied().fold(isa.largest(largest), u8::max)
}

/// Counts continuation bytes.
pub(crate) struct Continuations<'a>(pub &'a [u8]);

impl Kernel for Continuations<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        count(isa, self.0, Continuation)
    }
}

/// Counts bytes at or above a bound, which must be 80 or more.
pub(crate) struct AtOrAbove<'a>(pub &'a [u8], pub u8);

impl Kernel for AtOrAbove<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        count(isa, self.0, AtLeast(self.1))
    }
}

/// Counts a byte other than 0.
pub(crate) struct Occurrences<'a>(pub &'a [u8], pub u8);

impl Kernel for Occurrences<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        count(isa, self.0, Equal(self.1))
    }
}

/// Counts all of [`Counts`].
pub(crate) struct All<'a>(pub &'a [u8]);

impl Kernel for All<'_> {
    type Output = Counts;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Counts {
        count_all(isa, self.0)
    }
}

/// Whether every byte is below 80.
pub(crate) struct Ascii<'a>(pub &'a [u8]);

impl Kernel for Ascii<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> bool {
        let (steps, rest) = self.0.as_chunks::<STEP>();
        for step in steps {
            let mut all = isa.load(step, 0);
            let mut at = I::WIDTH;
            while at < STEP {
                all = isa.or(all, isa.load(step, at));
                at += I::WIDTH;
            }
            if isa.any_non_ascii(all) {
                return false;
            }
        }
        let (blocks, rest) = rest.as_chunks::<8>();
        blocks.iter().fold(0, |all, &block| all | u64::from_ne_bytes(block)) & u64::from_ne_bytes([0x80; 8])
            == 0
            && rest.iter().all(u8::is_ascii)
    }
}
