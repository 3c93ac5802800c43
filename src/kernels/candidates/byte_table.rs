//! Candidates by lookups of the low six bits of bytes, which leads and continuation bytes are distinguished by.

use super::finder::{ALL_BLOCKS, CandidateFinder, GROUP_BYTES, GROUP_WINDOW_BYTES};
use super::patterns::{CONTROL_SUMS, PatternSet, Patterns, WINDOW_BYTES};
use crate::simd::Permute;

/// Finds candidates by lookups of six bits.
pub(crate) struct ByteTableFinder;

/// Bytes in a table: of the continuation bytes, and of those from C0 on, which follow.
const BYTES: usize = 64;
/// The truth table of bits that are set in `a` (4), or in `b` (2) and not in `c` (1).
const OR_AND_NOT: i32 = 0b1111_0100;

impl<I: Permute> CandidateFinder<I> for ByteTableFinder {
    #[inline(always)]
    fn find<P: PatternSet>(isa: I, window: &[u8; WINDOW_BYTES]) -> u64 {
        let mut any = isa.splat(0);
        for patterns in P::PATTERNS {
            let thirds = isa.lookup64(isa.load(patterns.third.upper(), 0), isa.load(window, 2));
            let thirds = isa.or(thirds, isa.splat(patterns.of_two));
            any = isa.or(any, isa.and(pairs(isa, patterns, window, 0), thirds));
        }
        let controls = or_controls(isa, isa.splat(0), isa.load(window, 0));
        isa.nonzero(any) | isa.at_least_bits(controls, isa.splat(0x80))
    }

    #[inline(always)]
    fn suspects<P: PatternSet>(isa: I, window: &[u8; GROUP_WINDOW_BYTES]) -> u64 {
        let (mut any, mut controls) = (isa.splat(0), isa.splat(0));
        let mut at = 0;
        while at < GROUP_BYTES {
            for patterns in P::PATTERNS {
                any = isa.or(any, pairs(isa, patterns, window, at));
            }
            controls = or_controls(isa, controls, isa.load(window, at));
            at += I::WIDTH;
        }
        // A test of each block takes longer than to look at four.
        if isa.any_non_ascii(controls) || isa.nonzero(any) != 0 { ALL_BLOCKS } else { 0 }
    }

    #[inline(always)]
    fn is_plain<const N: usize>(isa: I, blocks: &[u8; N]) -> bool {
        let mut any = isa.splat(0);
        let mut at = 0;
        while at < N {
            let here = isa.load(blocks, at);
            any = isa.or(any, isa.or(here, control_sums(isa, here)));
            at += I::WIDTH;
        }
        !isa.any_non_ascii(any)
    }
}

/// Returns the patterns that the first and second bytes have in common, for the vector at `at`.
#[inline(always)]
fn pairs<I: Permute>(isa: I, patterns: &Patterns, window: &[u8], at: usize) -> I::Vector {
    // Other than lead bytes become BF, which has the same place in the table as FF.
    let leads = isa.max(isa.load(window, at), isa.splat(0xBF));
    isa.and(
        isa.lookup64(isa.load(patterns.first.upper(), BYTES), leads),
        isa.lookup64(isa.load(patterns.second.upper(), 0), isa.load(window, at + 1)),
    )
}

/// Returns the bytes of ASCII with bit 7 set in controls, and anything in other lanes.
#[inline(always)]
fn control_sums<I: Permute>(isa: I, here: I::Vector) -> I::Vector {
    isa.add(here, isa.lookup64(isa.load(&CONTROL_SUMS, 0), here))
}

/// Returns `controls` with bit 7 set in the lanes that are controls, too.
#[inline(always)]
fn or_controls<I: Permute>(isa: I, controls: I::Vector, here: I::Vector) -> I::Vector {
    isa.ternary::<OR_AND_NOT>(controls, control_sums(isa, here), here)
}
