//! No vector registers: a vector is a `u64`, whose eight bytes are processed at once by arithmetic ("SIMD within a
//! register").

use super::{Count, Isa, Work, partial_words};

/// Every CPU has this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scalar;

const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
const PAIRS: u64 = 0x00FF_00FF_00FF_00FF;
const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);

// Not inlined, like the kernels of the other instruction sets, which cannot be: so the code of each kernel can be
// found, and the dispatch stays short.
#[inline(never)]
fn trampoline<W: Work<Scalar>>(isa: Scalar, work: W) -> W::Output {
    work.run(isa)
}

impl Isa for Scalar {
    type Vector = u64;

    const WIDTH: usize = 8;

    const NAME: &'static str = "scalar";

    type Counter = Self;

    #[inline(always)]
    fn counter(self) -> Self {
        self
    }

    type Further = Self;

    #[inline(always)]
    fn further(self) -> Self {
        self
    }

    #[inline]
    fn call<W: Work<Self>>(self, work: W) -> W::Output {
        trampoline(self, work)
    }

    #[inline(always)]
    fn load(self, bytes: &[u8], at: usize) -> u64 {
        let mut lanes = [0; Self::WIDTH];
        lanes.copy_from_slice(&bytes[at..at + Self::WIDTH]);
        u64::from_le_bytes(lanes)
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> u64 {
        ONES * u64::from(byte)
    }

    #[inline(always)]
    fn and(self, a: u64, b: u64) -> u64 {
        a & b
    }

    #[inline(always)]
    fn or(self, a: u64, b: u64) -> u64 {
        a | b
    }

    #[inline(always)]
    fn add(self, a: u64, b: u64) -> u64 {
        // No carry goes from one lane to the next.
        ((a & !HIGH) + (b & !HIGH)) ^ ((a ^ b) & HIGH)
    }

    #[inline(always)]
    fn max(self, a: u64, b: u64) -> u64 {
        // A borrow leaves the high bit of a lane clear where the low seven bits of `a` are smaller.
        let low = (a | HIGH) - (b & !HIGH);
        let a_is_larger = ((a & !b) | (!(a ^ b) & low)) & HIGH;
        let mask = (a_is_larger >> 7) * 0xFF;
        (a & mask) | (b & !mask)
    }

    #[inline(always)]
    fn any_non_ascii(self, v: u64) -> bool {
        v & HIGH != 0
    }

    #[inline(always)]
    fn reduce_max(self, v: u64) -> u8 {
        v.to_le_bytes().into_iter().fold(0, u8::max)
    }

    #[inline(always)]
    fn reduce_sum(self, v: u64) -> usize {
        // Neighbours are added up to pairs, and the pairs in the highest of them.
        let pairs = (v & PAIRS) + (v >> 8 & PAIRS);
        (pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48) as usize
    }

    #[inline(always)]
    fn nonzero(self, v: u64) -> u64 {
        self.high_bits(nonzero(v))
    }
}

/// Comparisons, whose results are the high bits of the lanes; other bits are unspecified.
impl Scalar {
    /// Returns the lanes of `v` that equal `byte`.
    #[inline(always)]
    pub(crate) fn equal(self, v: u64, byte: u8) -> u64 {
        !nonzero(v ^ self.splat(byte))
    }

    /// Returns the lanes of `v` that are at least the lanes of `bound`, which must be 0x80 or more.
    #[inline(always)]
    pub(crate) fn at_least(self, v: u64, bound: u64) -> u64 {
        v & ((v | HIGH) - (bound & !HIGH))
    }

    /// Returns the high bits of the lanes that are at least 0x80, and no other bits.
    #[inline(always)]
    pub(crate) fn non_ascii(self, v: u64) -> u64 {
        v & HIGH
    }

    /// Returns the high bit of each lane, the lowest for the first lane.
    #[inline(always)]
    pub(crate) fn high_bits(self, v: u64) -> u64 {
        // The multiplication brings them side by side, into the highest byte.
        ((v & HIGH) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
    }
}

// At most 255 additions keep each lane from overflowing, so a plain addition does: counting of ASCII is twice as fast.
impl Count for Scalar {
    #[inline(always)]
    fn count_continuations(self, counts: u64, v: u64) -> u64 {
        counts + ((v >> 7) & !(v >> 6) & ONES)
    }

    #[inline(always)]
    fn count_equal(self, counts: u64, v: u64, byte: u64) -> u64 {
        counts + (!nonzero(v ^ byte) >> 7 & ONES)
    }

    #[inline(always)]
    fn count_at_least(self, counts: u64, v: u64, bound: u64) -> u64 {
        counts + (self.at_least(v, bound) >> 7 & ONES)
    }

    #[inline(always)]
    fn load_partial(self, bytes: &[u8]) -> u64 {
        match bytes.first_chunk::<8>() {
            Some(all) => self.load(all, 0),
            None => partial_words(bytes)[0],
        }
    }
}

/// Returns the high bit in each lane that is not 0; other bits are unspecified.
#[inline(always)]
fn nonzero(v: u64) -> u64 {
    ((v & !HIGH) + !HIGH) | v
}
