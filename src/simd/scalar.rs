//! No instruction set at all: a vector is a `u64`, its eight bytes handled at once by arithmetic
//! ("SIMD within a register").

use super::uninit::MaybeUninit;
use super::{Count, Isa};
use crate::kernels::encode::OneByOne;
use crate::kernels::page::Tables;
use crate::kernels::rules::{Rules, Utf8};
use crate::kernels::{Counts, Findings, Kernel, Task, automaton, decode};

/// Every CPU has this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scalar;

const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
const PAIRS: u64 = 0x00FF_00FF_00FF_00FF;
const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);

// Not inlined, as those of the other instruction sets cannot be: so the code of each kernel can be found, and
// the choice among them stays short.
#[inline(never)]
fn trampoline<K: Kernel>(isa: Scalar, kernel: K) -> K::Output {
    kernel.run(isa)
}

impl Isa for Scalar {
    type Vector = u64;

    const WIDTH: usize = 8;

    type Counter = Self;

    type Encoder = OneByOne;

    #[inline(always)]
    fn counter(self) -> Self {
        self
    }

    #[inline]
    fn call<K: Kernel>(self, kernel: K) -> K::Output {
        trampoline(self, kernel)
    }

    fn name(self, _: Task) -> &'static str {
        "scalar"
    }

    #[inline(always)]
    fn is_valid<R: Rules, const ANY: bool>(self, data: &[u8]) -> bool {
        self.validate::<R, false, false>(data).valid == data.len()
    }

    #[inline(always)]
    fn measure<const ANY: bool>(self, data: &[u8]) -> Option<Counts> {
        let found = self.validate::<Utf8, true, false>(data);
        (found.valid == data.len()).then_some(found.counts)
    }

    #[inline(always)]
    fn counts(self, data: &[u8]) -> Counts {
        automaton::counts(self, data)
    }

    #[inline(always)]
    fn valid_up_to(self, data: &[u8]) -> usize {
        automaton::valid_up_to(data)
    }

    #[inline(always)]
    fn validate<R: Rules, const MEASURE: bool, const LINES: bool>(self, data: &[u8]) -> Findings {
        automaton::validate::<Self, R, MEASURE, LINES>(self, data)
    }

    #[inline(always)]
    fn decode_checked_latin1(self, data: &[u8], out: &mut [MaybeUninit<u8>]) -> Option<usize> {
        decode::measured(self, data, out)
    }

    #[inline(always)]
    fn decode_latin1<const ANY: bool>(self, data: &[u8], out: &mut [MaybeUninit<u8>]) -> usize {
        decode::one_by_one(data, out)
    }

    #[inline(always)]
    fn decode_checked_utf16(self, data: &[u8], out: &mut [MaybeUninit<u16>]) -> Option<usize> {
        decode::measured(self, data, out)
    }

    #[inline(always)]
    fn decode_utf16<const ANY: bool>(self, data: &[u8], out: &mut [MaybeUninit<u16>]) -> usize {
        decode::one_by_one(data, out)
    }

    #[inline(always)]
    fn decode_checked_utf32(self, data: &[u8], out: &mut [MaybeUninit<u32>]) -> Option<usize> {
        decode::measured(self, data, out)
    }

    #[inline(always)]
    fn decode_page(self, page: &Tables, data: &[u8], out: &mut [MaybeUninit<u8>]) -> (usize, bool) {
        decode::page::one_by_one(page, data, out)
    }

    #[inline(always)]
    fn decode_utf32<const ANY: bool>(self, data: &[u8], out: &mut [MaybeUninit<u32>]) -> usize {
        decode::one_by_one(data, out)
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
    fn or(self, a: u64, b: u64) -> u64 {
        a | b
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
    fn largest(self, v: u64) -> u8 {
        v.to_le_bytes().into_iter().fold(0, u8::max)
    }

    #[inline(always)]
    fn nonzero_bits(self, bytes: &[u8; 64]) -> u64 {
        let mut bits = 0;
        for (place, &eight) in bytes.as_chunks().0.iter().enumerate() {
            // The high bits of the lanes are multiplied to where they stand side by side, in the highest byte.
            let high = (nonzero(u64::from_le_bytes(eight)) & HIGH) >> 7;
            bits |= high.wrapping_mul(0x0102_0408_1020_4080) >> 56 << (8 * place);
        }
        bits
    }
}

impl Count for Scalar {
    #[inline(always)]
    fn tally_continuations(self, tally: u64, v: u64) -> u64 {
        add(tally, (v >> 7) & !(v >> 6) & ONES)
    }

    #[inline(always)]
    fn tally_equal(self, tally: u64, v: u64, byte: u64) -> u64 {
        add(tally, !nonzero(v ^ byte) >> 7 & ONES)
    }

    #[inline(always)]
    fn tally_at_least(self, tally: u64, v: u64, bound: u64) -> u64 {
        let low = (v | HIGH) - (bound & !HIGH);
        add(tally, (v & low) >> 7 & ONES)
    }

    #[inline(always)]
    fn sum(self, v: u64) -> usize {
        // Neighbours added up to pairs, and the pairs to the highest of them.
        let pairs = (v & PAIRS) + (v >> 8 & PAIRS);
        (pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48) as usize
    }
}

/// The high bit is set in just the lanes that are not 0.
#[inline(always)]
fn nonzero(v: u64) -> u64 {
    ((v & !HIGH) + !HIGH) | v
}

/// Adds lane by lane, with no carry from one to the next.
#[inline(always)]
fn add(a: u64, b: u64) -> u64 {
    ((a & !HIGH) + (b & !HIGH)) ^ ((a ^ b) & HIGH)
}
