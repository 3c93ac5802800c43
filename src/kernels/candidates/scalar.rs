//! Candidates without vectors: bits looked up byte by byte.

use super::finder::{CandidateFinder, GROUP_BYTES, GROUP_WINDOW_BYTES};
use super::patterns::{BLOCK_BYTES, CONTROLS, PatternSet, Patterns, WINDOW_BYTES};

const DELETE: u8 = 0x7F;

/// Finds candidates byte by byte.
pub(crate) struct ByteFinder;

impl<I> CandidateFinder<I> for ByteFinder {
    #[inline(always)]
    fn find<P: PatternSet>(_: I, window: &[u8; WINDOW_BYTES]) -> u64 {
        find(P::PATTERNS, window)
    }

    #[inline(always)]
    fn has_candidates<P: PatternSet>(_: I, _: &[u8; GROUP_WINDOW_BYTES]) -> bool {
        // To find where they are takes no longer.
        true
    }

    #[inline(always)]
    fn is_plain(_: I, group: &[u8; GROUP_BYTES]) -> bool {
        group.iter().all(|&byte| matches!(byte, b'\t' | b'\n' | b' '..DELETE))
    }

    #[inline(always)]
    fn is_ascii(_: I, group: &[u8; GROUP_BYTES]) -> bool {
        group.is_ascii()
    }
}

/// Returns the candidates of a block. (Not inlined, as it is long.)
#[inline(never)]
fn find(patterns: &[&Patterns], window: &[u8; WINDOW_BYTES]) -> u64 {
    let mut bits = 0;
    for at in 0..BLOCK_BYTES {
        let [here, next, third] = [window[at], window[at + 1], window[at + 2]];
        let is_candidate = match here {
            b' '..DELETE => false,
            DELETE => true,
            0..0x80 => CONTROLS.contains(here),
            _ => patterns.iter().any(|patterns| {
                let third = patterns.third.bits(third) | patterns.of_two;
                patterns.first.bits(here) & patterns.second.bits(next) & third != 0
            }),
        };
        bits |= u64::from(is_candidate) << at;
    }
    bits
}
