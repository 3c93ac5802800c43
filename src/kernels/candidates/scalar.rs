//! Candidates without vectors: bits looked up byte by byte.

use super::finder::{ALL_BLOCKS, CandidateFinder, GROUP_WINDOW_BYTES};
use super::patterns::{BLOCK_BYTES, PatternSet, Patterns, WINDOW_BYTES, is_control};

/// Finds candidates byte by byte.
pub(crate) struct ByteFinder;

impl<I> CandidateFinder<I> for ByteFinder {
    #[inline(always)]
    fn find<P: PatternSet>(_: I, window: &[u8; WINDOW_BYTES]) -> u64 {
        find(P::PATTERNS, window)
    }

    #[inline(always)]
    fn suspects<P: PatternSet>(_: I, _: &[u8; GROUP_WINDOW_BYTES]) -> u64 {
        // To find where they are takes no longer.
        ALL_BLOCKS
    }

    #[inline(always)]
    fn is_plain<const N: usize>(_: I, blocks: &[u8; N]) -> bool {
        blocks.iter().all(|&byte| byte.is_ascii() && !is_control(byte))
    }
}

/// Returns the candidates of a block. (Not inlined, as it is long.)
#[inline(never)]
fn find(patterns: &[&Patterns], window: &[u8; WINDOW_BYTES]) -> u64 {
    let mut bits = 0;
    for at in 0..BLOCK_BYTES {
        let [here, next, third] = [window[at], window[at + 1], window[at + 2]];
        let is_candidate = match here {
            0..0x80 => is_control(here),
            _ => patterns.iter().any(|patterns| {
                let third = patterns.third.bits(third) | patterns.of_two;
                patterns.first.bits(here) & patterns.second.bits(next) & third != 0
            }),
        };
        bits |= u64::from(is_candidate) << at;
    }
    bits
}
