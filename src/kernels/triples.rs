//! Eight characters of three bytes in a row, as Chinese has, by words of eight bytes.

use crate::simd::{Isa, Scalar};

/// Their bytes.
pub(super) const TRIPLES_BYTES: usize = 24;

/// Returns 0 if the bytes at `at` have the form of eight characters of three bytes.
#[inline(always)]
pub(super) fn other_than_triples(bytes: &[u8], at: usize) -> u64 {
    let mut other = 0;
    for word in 0..TRIPLES_BYTES / 8 {
        // The form starts with another of its bytes in each word.
        let form = |bytes: [u8; 3]| repeated([0, 1, 2].map(|byte| bytes[(8 * word + byte) % 3]));
        let word = Scalar.load(bytes, at + 8 * word);
        other |= word & form([0xF0, 0xC0, 0xC0]) ^ form([0xE0, 0x80, 0x80]);
    }
    other
}

/// Returns three bytes over and over.
#[inline(always)]
pub(super) const fn repeated([first, second, third]: [u8; 3]) -> u64 {
    u64::from_le_bytes([first, second, third, first, second, third, first, second])
}
