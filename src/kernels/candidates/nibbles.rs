//! Candidates by lookups of the high and the low four bits of bytes.

use super::finder::{CandidateFinder, GROUP_BLOCKS, GROUP_WINDOW_BYTES};
use super::patterns::{BLOCK_BYTES, CONTROLS_BY_HIGH, CONTROLS_BY_LOW, PatternSet, WINDOW_BYTES};
use crate::simd::{Lookup, Planes};

/// Finds candidates by lookups of four bits.
pub(crate) struct NibbleFinder;

impl<I: Lookup + Planes> CandidateFinder<I> for NibbleFinder {
    #[inline(always)]
    fn find<P: PatternSet>(isa: I, window: &[u8; WINDOW_BYTES]) -> u64 {
        let mut bits = 0;
        let mut at = 0;
        while at < BLOCK_BYTES {
            bits |= isa.nonzero(found::<I, P>(isa, window, at)) << at;
            at += I::WIDTH;
        }
        bits
    }

    #[inline(always)]
    fn suspects<P: PatternSet>(isa: I, window: &[u8; GROUP_WINDOW_BYTES]) -> u64 {
        let mut blocks = 0;
        let mut block = 0;
        while block < GROUP_BLOCKS {
            let mut any = isa.splat(0);
            let start = block * BLOCK_BYTES;
            let mut at = start;
            while at < start + BLOCK_BYTES {
                any = isa.or(any, suspected::<I, P>(isa, window, at));
                at += I::WIDTH;
            }
            blocks |= u64::from(isa.any(any)) << block;
            block += 1;
        }
        blocks
    }

    #[inline(always)]
    fn is_plain<const N: usize>(isa: I, blocks: &[u8; N]) -> bool {
        let mut any = isa.splat(0);
        let mut at = 0;
        while at < N {
            any = isa.or(any, not_plain(isa, isa.load(blocks, at)));
            at += I::WIDTH;
        }
        !isa.any(any)
    }
}

/// Returns lanes that are not 0 where a candidate may start, for the vector at `at`.
#[inline(always)]
fn found<I: Lookup + Planes, P: PatternSet>(isa: I, window: &[u8], at: usize) -> I::Vector {
    let (here, next) = (isa.load(window, at), isa.load(window, at + 1));
    let third = isa.load(window, at + 2);
    let mut found = isa.lookup_nibbles(&CONTROLS_BY_HIGH, &CONTROLS_BY_LOW, here);
    for patterns in P::PATTERNS {
        let pairs =
            isa.and(isa.lookup_classes(&patterns.first, here), isa.lookup_classes(&patterns.second, next));
        let thirds = isa.lookup_classes(&patterns.third, third);
        found = isa.or(found, isa.and(pairs, isa.or(thirds, isa.splat(patterns.of_two))));
    }
    found
}

/// Returns lanes that are not 0 at least where a candidate may start, for the vector at `at`.
#[inline(always)]
fn suspected<I: Lookup + Planes, P: PatternSet>(isa: I, window: &[u8], at: usize) -> I::Vector {
    let Some(suspects) = P::SUSPECTS else { return found::<I, P>(isa, window, at) };
    let (here, next) = (isa.load(window, at), isa.load(window, at + 1));
    let firsts = isa.lookup_nibbles(&suspects.first_high, &suspects.first_low, here);
    isa.and(firsts, isa.lookup(isa.table(&suspects.second_low), isa.and(next, isa.splat(0x0F))))
}

/// Returns all bits of the lanes that are not ASCII, or controls but a tab and a line feed, and none of the others.
#[inline(always)]
fn not_plain<I: Lookup + Planes>(isa: I, here: I::Vector) -> I::Vector {
    // Increased by one, just these are less than 21 as signed numbers, and a tab and a line feed, 0A and 0B.
    let next = isa.add(here, isa.splat(1));
    let even = isa.and(next, isa.splat(0xFE));
    isa.and_not(isa.below_signed(next, isa.splat(0x21)), isa.equal_lanes(even, isa.splat(0x0A)))
}
