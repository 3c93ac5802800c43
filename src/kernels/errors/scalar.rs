//! Sequences by arithmetic on eight bytes at once, for CPUs without table lookups ("SIMD within a register"). No branch
//! depends on the bytes, except that eight bytes of ASCII take a shorter path.

use super::sequences::{BLOCK_BYTES, SequenceFinder, Sequences, WINDOW_BYTES};
use crate::sequence::{FOUR_BYTE_LEAD, LATIN1, THREE_BYTE_LEAD};
use crate::simd::{Isa, Scalar};

/// A bit for each of eight bytes.
const ASCII: u64 = (1 << Scalar::WIDTH) - 1;

/// Finds sequences by arithmetic.
pub(crate) struct Arithmetic;

impl<I> SequenceFinder<I> for Arithmetic {
    #[inline(always)]
    fn find(_: I, window: &[u8; WINDOW_BYTES]) -> Sequences {
        find(window)
    }
}

/// Returns the sequences that start in a block. (Not inlined, as it takes some thousand instructions.)
#[inline(never)]
fn find(window: &[u8; WINDOW_BYTES]) -> Sequences {
    let mut all = Sequences::default();
    for at in (0..BLOCK_BYTES).step_by(Scalar::WIDTH) {
        let [here, one, two, three] = [0, 1, 2, 3].map(|after| Scalar.load(window, at + after));
        if !Scalar.any_non_ascii(here) {
            all.well_formed |= ASCII << at;
            continue;
        }
        // The high bit of each lane is the result.
        let continuation = |v: u64| v & !(v << 1);
        let is = |byte| Scalar.equal(here, byte);
        let at_least = |v, bound| Scalar.at_least(v, Scalar.splat(bound));
        let bits = |v| Scalar.high_bits(v);
        let from_a0 = at_least(one, 0xA0);
        let from_90 = at_least(one, 0x90);
        let refused = is(0xE0) & !from_a0 | is(0xED) & from_a0 | is(0xF0) & !from_90 | is(0xF4) & from_90;
        let lead = at_least(here, 0xC2) & !at_least(here, 0xF5);
        let second = lead & continuation(one) & !refused;
        let from_three = at_least(here, THREE_BYTE_LEAD);
        let from_four = at_least(here, FOUR_BYTE_LEAD);
        let third = second & from_three & continuation(two);
        let fourth = third & from_four & continuation(three);
        let well_formed = !here | second & !from_three | third & !from_four | fourth;
        let sequences = Sequences {
            second: bits(second),
            third: bits(third),
            fourth: bits(fourth),
            well_formed: bits(well_formed),
            beyond_latin1: bits(second & at_least(here, LATIN1 + 1)),
        };
        all.add(sequences, at);
    }
    all
}
