//! Candidates without vectors: bits looked up byte by byte.

use core::ops::Range;

use super::finder::{BLOCK_BYTES, CandidateFinder, WINDOW_BYTES};
use super::patterns::{Patterns, is_control};

/// Finds candidates byte by byte.
pub(crate) struct ByteFinder;

impl<I> CandidateFinder<I> for ByteFinder {
    #[inline(always)]
    fn find(_: I, patterns: &Patterns, window: &[u8; WINDOW_BYTES]) -> u64 {
        let mut bits = 0;
        for at in 0..BLOCK_BYTES {
            let [here, next, third] = [window[at], window[at + 1], window[at + 2]];
            let is_candidate = match here {
                0..0x80 => is_control(here),
                _ => patterns.matches([here, next, third]),
            };
            bits |= u64::from(is_candidate) << at;
        }
        bits
    }

    #[inline(always)]
    fn suspects(_: I, _: &Patterns, run: &[u8]) -> Range<usize> {
        let (blocks, _) = run.as_chunks::<BLOCK_BYTES>();
        match blocks.iter().position(|block| !is_plain(block)) {
            Some(number) => number..number + 1,
            None => blocks.len()..blocks.len(),
        }
    }

    #[inline(always)]
    fn is_plain<const N: usize>(_: I, blocks: &[u8; N]) -> bool {
        is_plain(blocks)
    }
}

/// Returns whether some bytes are ASCII, and no controls but tabs and line feeds.
#[inline(always)]
fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte.is_ascii() && !is_control(byte))
}
