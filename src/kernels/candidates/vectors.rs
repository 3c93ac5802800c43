//! Candidates by vectors.

use super::finder::{CandidateFinder, GROUP_BYTES, GROUP_WINDOW_BYTES};
use super::patterns::{BLOCK_BYTES, CONTROLS, PatternSet, WINDOW_BYTES};
use crate::simd::Planes;

/// Finds candidates by vectors.
pub(crate) struct VectorFinder;

impl<I: Planes> CandidateFinder<I> for VectorFinder {
    #[inline(always)]
    fn find<P: PatternSet>(isa: I, window: &[u8; WINDOW_BYTES]) -> u64 {
        let mut bits = 0;
        let mut at = 0;
        while at < BLOCK_BYTES {
            let found = or_found::<I, P>(isa, isa.splat(0), window, at);
            bits |= isa.nonzero(found) << at;
            at += I::WIDTH;
        }
        bits
    }

    #[inline(always)]
    fn has_candidates<P: PatternSet>(isa: I, window: &[u8; GROUP_WINDOW_BYTES]) -> bool {
        let mut any = isa.splat(0);
        let mut at = 0;
        while at < GROUP_BYTES {
            any = or_found::<I, P>(isa, any, window, at);
            at += I::WIDTH;
        }
        isa.nonzero(any) != 0
    }

    #[inline(always)]
    fn is_plain(isa: I, group: &[u8; GROUP_BYTES]) -> bool {
        let (mut controls, mut most) = (isa.splat(0), isa.splat(0));
        let mut at = 0;
        while at < GROUP_BYTES {
            let here = isa.load(group, at);
            most = isa.max(most, here);
            controls = isa.or_in_set(controls, &CONTROLS, here);
            at += I::WIDTH;
        }
        !isa.any_non_ascii(most) && isa.nonzero(controls) == 0
    }

    #[inline(always)]
    fn is_ascii(isa: I, group: &[u8; GROUP_BYTES]) -> bool {
        isa.is_ascii(group)
    }
}

/// Returns `any`, with other bits set, too, in the lane of each byte of the vector at `at` that a candidate may start
/// at.
#[inline(always)]
fn or_found<I: Planes, P: PatternSet>(isa: I, any: I::Vector, window: &[u8], at: usize) -> I::Vector {
    let (here, next) = (isa.load(window, at), isa.load(window, at + 1));
    let third = isa.load(window, at + 2);
    let mut any = any;
    for patterns in P::PATTERNS {
        let pairs = isa
            .and(isa.lookup_leads(&patterns.first, here), isa.lookup_continuations(&patterns.second, next));
        let thirds = isa.lookup_continuations(&patterns.third, third);
        any = isa.or(any, isa.and(pairs, isa.or(thirds, isa.splat(patterns.of_two))));
    }
    isa.or_in_set(any, &CONTROLS, here)
}
