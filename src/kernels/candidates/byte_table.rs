//! Candidates by lookups of the low six bits of bytes, which leads and continuation bytes are distinguished by.
//!
//! All three bytes of a pattern are looked up, so that in text of most languages a run of blocks has no bit, and one
//! test is enough for it: of nine operations for 64 bytes, four are lookups, which have one port on Intel.
//!
//! Tried and lost, on Russian text: lookups in tables of 128 entries (`vpermi2b`, two instructions of that port)
//! instead of 64 for leads and continuation bytes apart (`vpermb`); the first two bytes alone as suspects, which are in
//! every second kilobyte; a test after each kilobyte instead of after the stretch (0.52 of the speed of `is_valid`
//! instead of 0.56).

use core::ops::Range;

use super::finder::{BLOCK_BYTES, CandidateFinder, WINDOW_BYTES};
use super::patterns::{CONTROL_SUMS, Patterns};
use crate::simd::Permute;

/// Finds candidates by lookups of six bits.
pub(crate) struct ByteTableFinder;

/// The truth table of bits that are set in `a` (4), or in `b` (2) and not in `c` (1).
const OR_AND_NOT: i32 = 0b1111_0100;
/// The truth table of bits that are set in `a` (4), or in both `b` (2) and `c` (1).
const OR_AND: i32 = 0b1111_1000;

impl<I: Permute> CandidateFinder<I> for ByteTableFinder {
    #[inline(always)]
    fn find(isa: I, patterns: &Patterns, window: &[u8; WINDOW_BYTES]) -> u64 {
        Found::new(isa).with(&Tables::of(isa, patterns), window).bits()
    }

    #[inline(always)]
    fn suspects(isa: I, patterns: &Patterns, run: &[u8]) -> Range<usize> {
        let tables = Tables::of(isa, patterns);
        let mut found = Found::new(isa);
        let mut ahead = run;
        while let Some(window) = ahead.first_chunk() {
            found = found.with(&tables, window);
            ahead = &ahead[BLOCK_BYTES..];
        }
        // To test each block takes longer than to look at them again.
        let blocks = run.len() / BLOCK_BYTES;
        if found.bits() == 0 { blocks..blocks } else { 0..blocks }
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

/// The tables of patterns in vectors.
struct Tables<V> {
    first: V,
    second: V,
    third: V,
}

impl<V> Tables<V> {
    #[inline(always)]
    fn of<I: Permute<Vector = V>>(isa: I, patterns: &Patterns) -> Self {
        let Patterns { first, second, third, .. } = patterns;
        Self { first: isa.load(first, 0), second: isa.load(second, 0), third: isa.load(third, 0) }
    }
}

/// The lanes of some blocks in which candidates start.
#[derive(Clone, Copy)]
struct Found<I: Permute> {
    isa: I,
    /// Not 0 where a pattern starts.
    patterns: I::Vector,
    /// Bit 7 is set where a control is.
    controls: I::Vector,
}

impl<I: Permute> Found<I> {
    #[inline(always)]
    fn new(isa: I) -> Self {
        Self { isa, patterns: isa.splat(0), controls: isa.splat(0) }
    }

    /// Adds the candidates of a block.
    #[inline(always)]
    fn with(self, tables: &Tables<I::Vector>, window: &[u8; WINDOW_BYTES]) -> Self {
        let Self { isa, patterns, controls } = self;
        let here = isa.load(window, 0);
        // Other than lead bytes become BF, which has the same place in the table as FF.
        let firsts = isa.lookup64(tables.first, isa.max(here, isa.splat(0xBF)));
        let seconds = isa.lookup64(tables.second, isa.load(window, 1));
        let thirds = isa.lookup64(tables.third, isa.load(window, 2));
        Self {
            isa,
            patterns: isa.ternary::<OR_AND>(patterns, isa.and(firsts, seconds), thirds),
            controls: isa.ternary::<OR_AND_NOT>(controls, control_sums(isa, here), here),
        }
    }

    /// Returns a bit for each lane in which something was found.
    #[inline(always)]
    fn bits(self) -> u64 {
        self.isa.nonzero(self.patterns) | self.isa.at_least_bits(self.controls, self.isa.splat(0x80))
    }
}

/// Returns the bytes of ASCII with bit 7 set in controls, and anything in other lanes.
#[inline(always)]
fn control_sums<I: Permute>(isa: I, here: I::Vector) -> I::Vector {
    isa.add(here, isa.lookup64(isa.load(&CONTROL_SUMS, 0), here))
}
