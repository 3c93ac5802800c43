//! Comparisons of the bytes of a block as bits, built from comparisons of vectors.

use super::{Isa, Masks, Planes, Scalar};

/// The size of a block in bytes: one for each bit of a mask.
const BLOCK_BYTES: usize = 64;

impl<I: Planes> Masks for I {
    #[inline(always)]
    fn leads(self, block: &[u8; BLOCK_BYTES]) -> u64 {
        let mut bits = 0;
        let mut at = 0;
        while at < BLOCK_BYTES {
            bits |= self.lead_bits(self.load(block, at)) << at;
            at += Self::WIDTH;
        }
        bits
    }

    #[inline(always)]
    fn at_least_in(self, block: &[u8; BLOCK_BYTES], bound: u8) -> u64 {
        let bound = self.splat(bound);
        let mut bits = 0;
        let mut at = 0;
        while at < BLOCK_BYTES {
            bits |= self.bits(self.at_least(self.load(block, at), bound)) << at;
            at += Self::WIDTH;
        }
        bits
    }

    #[inline(always)]
    fn equal_in(self, block: &[u8; BLOCK_BYTES], byte: u8) -> u64 {
        let byte = self.splat(byte);
        let mut bits = 0;
        let mut at = 0;
        while at < BLOCK_BYTES {
            bits |= self.bits(self.equal(self.load(block, at), byte)) << at;
            at += Self::WIDTH;
        }
        bits
    }
}

// Not inlined, as each takes some 150 instructions, many times in each kernel.
impl Masks for Scalar {
    #[inline(never)]
    fn leads(self, block: &[u8; BLOCK_BYTES]) -> u64 {
        let continuations = |v: u64| v & !(v << 1);
        !self.words(block, continuations)
    }

    #[inline(never)]
    fn at_least_in(self, block: &[u8; BLOCK_BYTES], bound: u8) -> u64 {
        let bound = self.splat(bound);
        self.words(block, |v| self.at_least(v, bound))
    }

    #[inline(never)]
    fn equal_in(self, block: &[u8; BLOCK_BYTES], byte: u8) -> u64 {
        self.words(block, |v| self.equal(v, byte))
    }
}

impl Scalar {
    /// Returns the high bits of what `compare` gives for each word of the block.
    #[inline(always)]
    fn words(self, block: &[u8; BLOCK_BYTES], compare: impl Fn(u64) -> u64) -> u64 {
        let mut bits = 0;
        let mut at = 0;
        while at < BLOCK_BYTES {
            bits |= self.high_bits(compare(self.load(block, at))) << at;
            at += Self::WIDTH;
        }
        bits
    }
}
