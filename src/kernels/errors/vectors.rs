//! Sequences by vectors: two lookups in tables of bytes, and comparisons.

use super::sequences::{
    BLOCK_BYTES, LEADS, LOOKAHEAD_BYTES, SECONDS, SequenceFinder, Sequences, WINDOW_BYTES,
};
use crate::sequence::{FOUR_BYTE_LEAD, LATIN1, THREE_BYTE_LEAD};
use crate::simd::Planes;

/// Returns the sequences that start in the lanes of `here`, given the bytes one, two and three after each. There are as
/// many bits as lanes.
#[inline(always)]
pub(crate) fn sequences_of<I: Planes>(
    isa: I,
    here: I::Vector,
    next: [I::Vector; LOOKAHEAD_BYTES],
) -> Sequences {
    let pairs = isa.and(isa.lookup_classes(&LEADS, here), isa.lookup_classes(&SECONDS, next[0]));
    let second = isa.nonzero(pairs);
    let at_least = |bound| isa.bits(isa.at_least(here, isa.splat(bound)));
    let from_three = at_least(THREE_BYTE_LEAD);
    let from_four = at_least(FOUR_BYTE_LEAD);
    let third = second & from_three & !isa.lead_bits(next[1]);
    let fourth = third & from_four & !isa.lead_bits(next[2]);
    let ascii = !isa.bits(isa.non_ascii(here)) & (u64::MAX >> (64 - I::WIDTH));
    Sequences {
        second,
        third,
        fourth,
        well_formed: ascii | second & !from_three | third & !from_four | fourth,
        beyond_latin1: second & at_least(LATIN1 + 1),
    }
}

/// Finds sequences by vectors.
pub(crate) struct Vectors;

impl<I: Planes> SequenceFinder<I> for Vectors {
    #[inline(always)]
    fn find(isa: I, window: &[u8; WINDOW_BYTES]) -> Sequences {
        let mut all = Sequences::default();
        let mut at = 0;
        while at < BLOCK_BYTES {
            let next = [isa.load(window, at + 1), isa.load(window, at + 2), isa.load(window, at + 3)];
            all.add(sequences_of(isa, isa.load(window, at), next), at);
            at += I::WIDTH;
        }
        all
    }
}
