//! Compressing byte planes into code units where no instruction does so: eight lanes at a time, by a shuffle from a
//! table of all sets of eight.
//!
//! The eight lanes of two planes are interleaved first, so that one shuffle moves both bytes of a unit. Whole vectors
//! are stored, and the bytes after the units are overwritten by the next.

use super::uninit::MaybeUninit;
use super::{Isa, Lanes16, Lookup, Shuffle, StoreUnits, Vector16};

/// Lanes that one shuffle compresses.
const GROUP_LANES: usize = 8;
/// The largest number of lanes that a vector has.
const MAX_LANES: usize = 64;

/// For each set of eight lanes of `bytes` bytes each, the offsets of the bytes of the lanes in it.
const fn shuffles(bytes: usize) -> [[u8; 16]; 256] {
    let mut table = [[0; 16]; 256];
    let mut set = 0;
    while set < 256 {
        let mut lane = 0;
        let mut to = 0;
        while lane < GROUP_LANES {
            if set >> lane & 1 != 0 {
                let mut byte = 0;
                while byte < bytes {
                    table[set][to] = (lane * bytes + byte) as u8;
                    to += 1;
                    byte += 1;
                }
            }
            lane += 1;
        }
        set += 1;
    }
    table
}

static SHUFFLES_OF_BYTES: [[u8; 16]; 256] = shuffles(1);
static SHUFFLES_OF_PAIRS: [[u8; 16]; 256] = shuffles(2);

/// A code unit of which eight are stored at a time.
pub(super) trait GroupUnit: Copy + Default {
    /// Stores the units of the eight lanes from `at` on, as far as they have a bit in `kept`.
    fn store_compressed<I: Shuffle>(
        isa: I,
        kept: u64,
        planes: &[I::Vector],
        at: usize,
        out: &mut [MaybeUninit<Self>; GROUP_LANES],
    );

    /// Stores the eight lanes from `at` on, which are bytes, as units.
    fn store_widened<I: Shuffle>(isa: I, v: I::Vector, at: usize, out: &mut [MaybeUninit<Self>; GROUP_LANES]);
}

type SixteenBytes<I> = <<I as Shuffle>::Vector16 as Isa>::Vector;

/// Returns the lanes of `v` that have a bit in the lowest eight of `kept`.
#[inline(always)]
fn compress<I: Shuffle>(
    isa: I,
    kept: u64,
    shuffles: &[[u8; 16]; 256],
    v: SixteenBytes<I>,
) -> SixteenBytes<I> {
    let isa = isa.vector16();
    isa.lookup(v, isa.load(&shuffles[usize::from(kept as u8)], 0))
}

impl GroupUnit for u8 {
    #[inline(always)]
    fn store_compressed<I: Shuffle>(
        isa: I,
        kept: u64,
        planes: &[I::Vector],
        at: usize,
        out: &mut [MaybeUninit<u8>; GROUP_LANES],
    ) {
        let bytes = compress(isa, kept >> at, &SHUFFLES_OF_BYTES, isa.eight_lanes(planes[0], at));
        isa.vector16().store_half(bytes, out);
    }

    #[inline(always)]
    fn store_widened<I: Shuffle>(isa: I, v: I::Vector, at: usize, out: &mut [MaybeUninit<u8>; GROUP_LANES]) {
        isa.vector16().store_half(isa.eight_lanes(v, at), out);
    }
}

impl GroupUnit for u16 {
    #[inline(always)]
    fn store_compressed<I: Shuffle>(
        isa: I,
        kept: u64,
        planes: &[I::Vector],
        at: usize,
        out: &mut [MaybeUninit<u16>; GROUP_LANES],
    ) {
        let pairs = isa.interleave_eight(planes[0], planes[1], at);
        isa.vector16().store_units(compress(isa, kept >> at, &SHUFFLES_OF_PAIRS, pairs), out);
    }

    #[inline(always)]
    fn store_widened<I: Shuffle>(isa: I, v: I::Vector, at: usize, out: &mut [MaybeUninit<u16>; GROUP_LANES]) {
        isa.vector16().store_units(isa.interleave_eight(v, isa.splat(0), at), out);
    }
}

impl GroupUnit for u32 {
    #[inline(always)]
    fn store_compressed<I: Shuffle>(
        isa: I,
        kept: u64,
        planes: &[I::Vector],
        at: usize,
        out: &mut [MaybeUninit<u32>; GROUP_LANES],
    ) {
        let pairs = |a, b| compress(isa, kept >> at, &SHUFFLES_OF_PAIRS, isa.interleave_eight(a, b, at));
        let low = pairs(planes[0], planes[1]);
        let high = match planes {
            [_, _, top] => pairs(*top, isa.splat(0)),
            _ => isa.vector16().splat(0),
        };
        store_interleaved(isa, low, high, out);
    }

    #[inline(always)]
    fn store_widened<I: Shuffle>(isa: I, v: I::Vector, at: usize, out: &mut [MaybeUninit<u32>; GROUP_LANES]) {
        store_interleaved(isa, isa.interleave_eight(v, isa.splat(0), at), isa.vector16().splat(0), out);
    }
}

/// Stores units of which the lower and the upper halves are given.
#[inline(always)]
fn store_interleaved<I: Shuffle>(
    isa: I,
    low: SixteenBytes<I>,
    high: SixteenBytes<I>,
    out: &mut [MaybeUninit<u32>; GROUP_LANES],
) {
    let isa = isa.vector16();
    let [first, second] = isa.interleave16(low, high);
    let (start, end) = out.split_at_mut(GROUP_LANES / 2);
    isa.store_units(first, start);
    isa.store_units(second, end);
}

impl<I: Shuffle, U: GroupUnit> StoreUnits<U> for I {
    #[inline(always)]
    fn store_widened<const N: usize>(self, v: Self::Vector, out: &mut [MaybeUninit<U>; N]) {
        let mut at = 0;
        while at < I::WIDTH {
            if let Some(out) = out[at..].first_chunk_mut() {
                U::store_widened(self, v, at, out);
            }
            at += GROUP_LANES;
        }
    }

    #[inline(always)]
    fn store_compressed<const PLANES: usize, const N: usize>(
        self,
        kept: u64,
        planes: [Self::Vector; PLANES],
        out: &mut [MaybeUninit<U>; N],
    ) {
        let mut at = 0;
        while at < I::WIDTH {
            let before = (kept & !(u64::MAX << at)).count_ones() as usize;
            if let Some(out) = out.get_mut(before..)
                && let Some(out) = out.first_chunk_mut()
            {
                U::store_compressed(self, kept, &planes, at, out);
            }
            at += GROUP_LANES;
        }
    }

    #[inline(always)]
    fn store_compressed_partial<const PLANES: usize>(
        self,
        kept: u64,
        planes: [Self::Vector; PLANES],
        out: &mut [MaybeUninit<U>],
    ) {
        let mut all = [MaybeUninit::new(U::default()); MAX_LANES];
        self.store_compressed(kept, planes, &mut all);
        if let Some(units) = all.get(..out.len()) {
            out.copy_from_slice(units);
        }
    }
}
