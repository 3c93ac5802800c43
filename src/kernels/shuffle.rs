//! Squeezing planes into code units where no instruction does so: eight lanes at a time, by a shuffle from a
//! table of all sets of eight.
//!
//! The eight are zipped first, so that one shuffle moves both bytes of a unit; whole vectors are written, and
//! what is beyond the units is written over by the next.

use crate::simd::uninit::MaybeUninit;
use crate::simd::{Isa, Lookup, Shuffle, Sixteen};

/// So many lanes go through the table at once.
const GROUP: usize = 8;
/// The most lanes that a vector has.
const MOST: usize = 64;

/// For each set of eight lanes the places of the lanes in it, for lanes of so many bytes.
const fn places(bytes: usize) -> [[u8; 16]; 256] {
    let mut table = [[0; 16]; 256];
    let mut set = 0;
    while set < 256 {
        let mut lane = 0;
        let mut place = 0;
        while lane < GROUP {
            if set >> lane & 1 != 0 {
                let mut byte = 0;
                while byte < bytes {
                    table[set][place] = (lane * bytes + byte) as u8;
                    place += 1;
                    byte += 1;
                }
            }
            lane += 1;
        }
        set += 1;
    }
    table
}

static BYTES: [[u8; 16]; 256] = places(1);
static PAIRS: [[u8; 16]; 256] = places(2);

/// A code unit that is written eight at a time.
pub(crate) trait Shuffled: Copy + Default {
    /// Writes the units of the eight lanes from `at` on, those that have a bit in `owners`.
    fn put<I: Shuffle>(
        isa: I,
        owners: u64,
        planes: &[I::Vector],
        at: usize,
        room: &mut [MaybeUninit<Self>; GROUP],
    );

    /// Writes the units of all eight lanes, which are bytes.
    fn widen<I: Shuffle>(isa: I, v: I::Vector, at: usize, room: &mut [MaybeUninit<Self>; GROUP]);
}

type Half<I> = <<I as Shuffle>::Sixteen as Isa>::Vector;

/// The lanes of `v` that have a bit in the lowest eight of `owners`.
#[inline(always)]
fn squeezed<I: Shuffle>(isa: I, owners: u64, table: &[[u8; 16]; 256], v: Half<I>) -> Half<I> {
    let isa = isa.sixteen();
    isa.lookup(v, isa.load(&table[usize::from(owners as u8)], 0))
}

impl Shuffled for u8 {
    #[inline(always)]
    fn put<I: Shuffle>(
        isa: I,
        owners: u64,
        planes: &[I::Vector],
        at: usize,
        room: &mut [MaybeUninit<u8>; GROUP],
    ) {
        isa.sixteen().store_half(squeezed(isa, owners >> at, &BYTES, isa.eight(planes[0], at)), room);
    }

    #[inline(always)]
    fn widen<I: Shuffle>(isa: I, v: I::Vector, at: usize, room: &mut [MaybeUninit<u8>; GROUP]) {
        isa.sixteen().store_half(isa.eight(v, at), room);
    }
}

impl Shuffled for u16 {
    #[inline(always)]
    fn put<I: Shuffle>(
        isa: I,
        owners: u64,
        planes: &[I::Vector],
        at: usize,
        room: &mut [MaybeUninit<u16>; GROUP],
    ) {
        let pairs = isa.zip_eight(planes[0], planes[1], at);
        isa.sixteen().store_all(squeezed(isa, owners >> at, &PAIRS, pairs), room);
    }

    #[inline(always)]
    fn widen<I: Shuffle>(isa: I, v: I::Vector, at: usize, room: &mut [MaybeUninit<u16>; GROUP]) {
        isa.sixteen().store_all(isa.zip_eight(v, isa.splat(0), at), room);
    }
}

impl Shuffled for u32 {
    #[inline(always)]
    fn put<I: Shuffle>(
        isa: I,
        owners: u64,
        planes: &[I::Vector],
        at: usize,
        room: &mut [MaybeUninit<u32>; GROUP],
    ) {
        let low = squeezed(isa, owners >> at, &PAIRS, isa.zip_eight(planes[0], planes[1], at));
        let high = match planes {
            [_, _, top] => squeezed(isa, owners >> at, &PAIRS, isa.zip_eight(*top, isa.splat(0), at)),
            _ => isa.sixteen().splat(0),
        };
        store_zipped(isa, low, high, room);
    }

    #[inline(always)]
    fn widen<I: Shuffle>(isa: I, v: I::Vector, at: usize, room: &mut [MaybeUninit<u32>; GROUP]) {
        store_zipped(isa, isa.zip_eight(v, isa.splat(0), at), isa.sixteen().splat(0), room);
    }
}

/// Writes units of which the lower and the upper halves are given.
#[inline(always)]
fn store_zipped<I: Shuffle>(isa: I, low: Half<I>, high: Half<I>, room: &mut [MaybeUninit<u32>; GROUP]) {
    let isa = isa.sixteen();
    let [first, second] = isa.zip_pairs(low, high);
    let (start, end) = room.split_at_mut(GROUP / 2);
    isa.store_all(first, start);
    isa.store_all(second, end);
}

/// As [`Put::widen`](crate::simd::Put::widen).
#[inline(always)]
pub(crate) fn widen<I: Shuffle, U: Shuffled, const N: usize>(
    isa: I,
    v: I::Vector,
    room: &mut [MaybeUninit<U>; N],
) {
    let mut at = 0;
    while at < I::WIDTH {
        if let Some(room) = room[at..].first_chunk_mut() {
            U::widen(isa, v, at, room);
        }
        at += GROUP;
    }
}

/// As [`Put::put`](crate::simd::Put::put).
#[inline(always)]
pub(crate) fn put<I: Shuffle, U: Shuffled, const PLANES: usize, const N: usize>(
    isa: I,
    owners: u64,
    planes: [I::Vector; PLANES],
    room: &mut [MaybeUninit<U>; N],
) {
    let mut at = 0;
    while at < I::WIDTH {
        let before = (owners & !(u64::MAX << at)).count_ones() as usize;
        if let Some(room) = room.get_mut(before..)
            && let Some(room) = room.first_chunk_mut()
        {
            U::put(isa, owners, &planes, at, room);
        }
        at += GROUP;
    }
}

/// As [`Put::put_some`](crate::simd::Put::put_some).
#[inline(always)]
pub(crate) fn put_some<I: Shuffle, U: Shuffled, const PLANES: usize>(
    isa: I,
    owners: u64,
    planes: [I::Vector; PLANES],
    room: &mut [MaybeUninit<U>],
) {
    let mut all = [MaybeUninit::new(U::default()); MOST];
    put(isa, owners, planes, &mut all);
    if let Some(units) = all.get(..room.len()) {
        room.copy_from_slice(units);
    }
}
