//! Candidates by lookups of the high and the low four bits of bytes.
//!
//! 1. Suspects have a bit in common by both halves of the first byte, and by the low half of the second; there are two
//!    tables for that, of which one has the second bytes from 80 to 9F, and the other those from A0 on. The lookups of
//!    which the index has bit 7 set give 0, so two additions choose the table: 13 operations for a vector. To keep
//!    flags of the blocks takes longer than a branch for each, which is seldom taken.
//! 2. In blocks with suspects the third byte is looked up, too. The suspects left are mostly candidates, and looked at
//!    one by one.
//!
//! Tried and lost, in loops of their own with AVX2 on an Intel Xeon, in nanoseconds for 64 bytes of Russian, French and
//! Chinese text together with the validation by three bytes (2.7): this takes 6.1, 6.0, 5.7. Flags of the blocks in a
//! word 6.3, 6.5, 6.1; leads alone, then the rest in suspects, 5.9, 5.5, 7.6; one table for the second byte, with 80 to
//! 9F suspect everywhere, 6.4, 6.0, 8.2; all three bytes, which need no look at single blocks, 7.1, 7.1, 6.9. By the
//! low half of the second byte alone, 10 operations, 5.8, 5.5, 5.3, but private use is not distinguished from the
//! punctuation of Chinese.

use core::ops::Range;

use super::finder::{BLOCK_BYTES, CandidateFinder, LOOKAHEAD_BYTES, WINDOW_BYTES};
use super::patterns::{LOW_SECONDS, Patterns, Suspects, is_control};
use crate::simd::{Lookup, Planes};

/// Finds candidates by lookups of four bits.
pub(crate) struct NibbleFinder;

impl<I: Lookup + Planes> CandidateFinder<I> for NibbleFinder {
    #[inline(always)]
    fn find(isa: I, patterns: &Patterns, window: &[u8; WINDOW_BYTES]) -> u64 {
        let mut suspects = 0;
        let mut at = 0;
        while at < BLOCK_BYTES {
            let Suspects { third_high, third_low, .. } = &patterns.suspects;
            let thirds = isa.lookup_nibbles(third_high, third_low, isa.load(window, at + 2));
            let suspected = isa.and(suspected(isa, &patterns.suspects, window, at), thirds);
            suspects |= isa.nonzero(suspected) << at;
            at += I::WIDTH;
        }
        let mut bits = 0;
        while suspects != 0 {
            let at = suspects.trailing_zeros() as usize;
            let is_candidate = window[at..]
                .first_chunk()
                .is_some_and(|&bytes: &[u8; 3]| is_control(bytes[0]) || patterns.matches(bytes));
            bits |= u64::from(is_candidate) << at;
            suspects &= suspects - 1;
        }
        bits
    }

    #[inline(always)]
    fn suspects(isa: I, patterns: &Patterns, run: &[u8]) -> Range<usize> {
        let mut number = 0;
        let mut ahead = run;
        while let Some(window) = ahead.first_chunk::<WINDOW_BYTES>() {
            let mut any = isa.splat(0);
            let mut at = 0;
            while at < BLOCK_BYTES {
                any = isa.or(any, suspected(isa, &patterns.suspects, window, at));
                at += I::WIDTH;
            }
            if isa.any(any) {
                return number..number + 1;
            }
            number += 1;
            ahead = &ahead[BLOCK_BYTES..];
        }
        number..number
    }

    #[inline(always)]
    fn is_plain<const N: usize>(isa: I, blocks: &[u8; N]) -> bool {
        let mut largest = isa.splat(0);
        let mut at = 0;
        while at < N {
            largest = isa.max(largest, plain_below(isa, isa.load(blocks, at)));
            at += I::WIDTH;
        }
        !isa.any(isa.saturating_sub(largest, isa.splat(NOT_PLAIN - 1)))
    }
}

const _: () = assert!(LOOKAHEAD_BYTES >= 1);

/// Returns lanes that are not 0 at least where a candidate may start, for the vector at `at`.
#[inline(always)]
fn suspected<I: Lookup + Planes>(isa: I, suspects: &Suspects, window: &[u8], at: usize) -> I::Vector {
    let (here, next) = (isa.load(window, at), isa.load(window, at + 1));
    let firsts = isa.lookup_nibbles(&suspects.first_high, &suspects.first_low, here);
    let [low, high] = &suspects.second;
    let seconds = isa.or(
        isa.lookup_or_zero(isa.table(low), isa.add(next, isa.splat(0u8.wrapping_sub(LOW_SECONDS)))),
        isa.lookup_or_zero(isa.table(high), isa.add(next, isa.splat(0x80u8.wrapping_sub(LOW_SECONDS)))),
    );
    isa.and(firsts, seconds)
}

/// The number from which on lanes are not plain.
const NOT_PLAIN: u8 = 0x7F - b' ';
/// By the low four bits of a tab and a line feed what makes these plain.
const SPACES: [u8; 16] = {
    let mut spaces = [0; 16];
    spaces[b'\t' as usize] = b' ';
    spaces[b'\n' as usize] = b' ';
    spaces
};

/// Returns numbers that are below [`NOT_PLAIN`] in the lanes that are ASCII, and no controls but tabs and line feeds.
#[inline(always)]
fn plain_below<I: Lookup + Planes>(isa: I, here: I::Vector) -> I::Vector {
    // Controls become E0 and above, and the bytes from 7F on come after the others.
    let below = isa.add(here, isa.splat(0u8.wrapping_sub(b' ')));
    // In the index bit 7 is clear for 00 to 0F, and for bytes from 90 on: these become at most the byte itself.
    isa.add(below, isa.lookup_or_zero(isa.table(&SPACES), isa.add(here, isa.splat(0x70))))
}
