//! Instruction sets: vector operations, and the choice among instruction sets. Nothing here knows an algorithm.
//!
//! Each instruction set is a *token*: a type whose only constructor is the check that the CPU has it. A function
//! that holds a token may therefore call its operations, all of which are safe. Algorithms are generic over
//! [`Isa`] and its subtraits and `#[inline(always)]` throughout; [`Isa::call`] is the trampoline that compiles one
//! with the instruction set enabled.
//!
//! Some operations have no instruction in every instruction set: [`compress`] and [`lookup128`] build them from
//! those that there are.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod compress;
pub(crate) mod dispatch;
#[cfg(any(feature = "arrow", feature = "bindings"))]
pub mod huge_pages;
mod lookup128;
mod masks;
#[cfg(target_arch = "aarch64")]
mod neon;
mod number;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse42;
pub(crate) mod uninit;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::Avx512;
pub(crate) use lookup128::ByteClasses;
#[cfg(target_arch = "aarch64")]
pub(crate) use neon::Neon;
pub use number::Number;
pub(crate) use number::{Utf16, bytes_of, paired};
pub(crate) use scalar::Scalar;
#[cfg(target_arch = "x86_64")]
pub(crate) use sse42::Sse42;

use uninit::MaybeUninit;

/// Has the CPU fetch the cache line of an address that will soon be read. The address need not be valid.
#[inline(always)]
#[cfg_attr(not(feature = "arrow"), expect(dead_code))]
pub fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch changes nothing but caches and never faults, and all CPUs of x86-64 have it.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Defines operations of an instruction set's token: each body is compiled with the features enabled, where its
/// intrinsics are safe to call.
macro_rules! operations {
    ($features:literal: $(
        fn $name:ident $(<const $constant:ident: $kind:ty>)? ($($arg:ident: $type:ty),*) -> $result:ty =
            $body:expr;
    )*) => {$(
        #[inline(always)]
        fn $name $(<const $constant: $kind>)? (self, $($arg: $type),*) -> $result {
            #[inline]
            #[target_feature(enable = $features)]
            fn operation $(<const $constant: $kind>)? ($($arg: $type),*) -> $result {
                $body
            }
            // SAFETY: `self` proves that the CPU has these features.
            unsafe { operation $(::<$constant>)? ($($arg),*) }
        }
    )*};
}
use operations;

/// Work to be compiled for the instruction set `I`.
pub trait Work<I> {
    /// Its result.
    type Output;

    /// Does the work. Must be `#[inline(always)]`, like all that it calls, to be compiled for `isa`.
    fn run(self, isa: I) -> Self::Output;
}

/// An instruction set: a vector of bytes and the operations that all instruction sets have.
pub trait Isa: Copy {
    /// Some bytes, processed at once.
    type Vector: Copy;

    /// Bytes in a vector: a power of two, at most 64.
    const WIDTH: usize;

    /// Its name, as `LEADBYTE_ISA` takes it.
    const NAME: &'static str;

    /// The fastest instruction set for comparisons whose results are added up, where this one is available.
    type Counter: Count;

    /// Returns the token of [`Counter`](Self::Counter).
    fn counter(self) -> Self::Counter;

    /// The instruction set for work that takes nearly as long without vectors of this one: a lesser one where few CPUs
    /// have nothing better.
    type Further: Isa;

    /// Returns the token of [`Further`](Self::Further).
    fn further(self) -> Self::Further;

    /// Runs `work` compiled for this instruction set.
    fn call<W: Work<Self>>(self, work: W) -> W::Output;

    /// Loads the vector at `bytes[at..]`. Panics if it would reach past the end; where the length is known, the
    /// compiler makes that check.
    fn load(self, bytes: &[u8], at: usize) -> Self::Vector;

    /// Returns `byte` in every lane.
    fn splat(self, byte: u8) -> Self::Vector;

    /// Returns the bitwise and.
    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns the bitwise or.
    fn or(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns `a + b` in each lane, modulo 256.
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns the larger of each two lanes.
    fn max(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns whether any lane is 0x80 or more.
    fn any_non_ascii(self, v: Self::Vector) -> bool;

    /// Returns a bit for each lane, the lowest for the first lane, that is set if the lane is not 0.
    fn nonzero(self, v: Self::Vector) -> u64;

    /// Returns the largest lane.
    fn reduce_max(self, v: Self::Vector) -> u8;

    /// Returns the sum of all lanes.
    fn reduce_sum(self, v: Self::Vector) -> usize;

    /// Returns the index of the bit that is set in `bits` with `n` set bits below it, at most 63; 64 if there is none.
    #[inline(always)]
    fn nth_bit(self, bits: u64, n: u32) -> u32 {
        (0..n).fold(bits, |bits, _| bits & bits.wrapping_sub(1)).trailing_zeros()
    }

    /// Starts to load the cache line of `bytes[at]` from memory; `at` may be anywhere.
    #[inline(always)]
    fn prefetch<T>(self, values: &[T], at: usize) {
        let _ = (values, at);
    }

    /// Returns how many of the values are at most `bound`.
    #[inline(always)]
    fn count_at_most<const N: usize>(self, values: &[u16; N], bound: u16) -> usize {
        usize::from(values.iter().fold(0_u16, |count, &value| count + u16::from(value <= bound)))
    }

    /// Returns the bitwise or of all vectors of a block, a whole number of vectors that the compiler knows.
    #[inline(always)]
    fn or_all(self, block: &[u8]) -> Self::Vector {
        let mut any = self.load(block, 0);
        let mut at = Self::WIDTH;
        while at < block.len() {
            any = self.or(any, self.load(block, at));
            at += Self::WIDTH;
        }
        any
    }

    /// Returns whether every byte of a block, a whole number of vectors, is below 0x80.
    #[inline(always)]
    fn is_ascii<const N: usize>(self, block: &[u8; N]) -> bool {
        !self.any_non_ascii(self.or_all(block))
    }

    /// Returns a bit for each byte, the lowest for the first byte, that is set if the byte is not 0.
    #[inline(always)]
    fn nonzero_bits(self, bytes: &[u8; 64]) -> u64 {
        let mut bits = 0;
        let mut at = 0;
        while at < bytes.len() {
            bits |= self.nonzero(self.load(bytes, at)) << at;
            at += Self::WIDTH;
        }
        bits
    }
}

/// Instruction sets that count in the lanes of a vector. Lanes wrap at 256.
pub trait Count: Isa {
    /// Adds 1 to each lane of `counts` whose lane in `v` is a continuation byte.
    fn count_continuations(self, counts: Self::Vector, v: Self::Vector) -> Self::Vector;

    /// Adds 1 to each lane of `counts` where `v` equals `byte`.
    fn count_equal(self, counts: Self::Vector, v: Self::Vector, byte: Self::Vector) -> Self::Vector;

    /// Adds 1 to each lane of `counts` where `v` is at least `bound`, which must be 0x80 or more.
    fn count_at_least(self, counts: Self::Vector, v: Self::Vector, bound: Self::Vector) -> Self::Vector;

    /// Loads all of `bytes`, at most [`WIDTH`](Isa::WIDTH), and 0 into the lanes after them. Reads nothing else.
    fn load_partial(self, bytes: &[u8]) -> Self::Vector;

    /// Loads the last `count` bytes into the last lanes, and 0 into the lanes before them. There must be at least
    /// [`WIDTH`](Isa::WIDTH) bytes, of which at most these are loaded.
    #[inline(always)]
    fn load_last(self, bytes: &[u8], count: usize) -> Self::Vector {
        let last = self.load(bytes, bytes.len() - Self::WIDTH);
        self.and(last, self.load(&LAST_LANES, LAST_LANES.len() / 2 - Self::WIDTH + count))
    }
}

/// Masks of the last lanes: a vector that ends `n` bytes after the middle has `n` lanes of FF, after lanes of 0.
const LAST_LANES: [u8; 128] = {
    let mut lanes = [0; 128];
    let mut lane = lanes.len() / 2;
    while lane < lanes.len() {
        lanes[lane] = 0xFF;
        lane += 1;
    }
    lanes
};

/// Instruction sets with vector registers.
pub(crate) trait Simd: Isa {
    /// Returns `a - b` in each lane, 0 where `b` is larger.
    fn saturating_sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
}

/// Instruction sets with a lookup of each lane in a table of 16 entries.
pub(crate) trait Lookup: Count + Simd {
    /// Makes a table for [`lookup`](Self::lookup).
    fn table(self, entries: &[u8; 16]) -> Self::Vector;

    /// Returns `table[index]` in each lane; `index` must be below 16.
    fn lookup(self, table: Self::Vector, index: Self::Vector) -> Self::Vector;

    /// Returns `table[index]` in each lane, by the low four bits of `index`; 0 if its bit 7 is set.
    #[cfg_attr(not(feature = "unicode"), allow(dead_code))]
    fn lookup_or_zero(self, table: Self::Vector, index: Self::Vector) -> Self::Vector;

    /// Returns the high four bits of each lane.
    fn high_nibbles(self, v: Self::Vector) -> Self::Vector;

    /// Returns the bits that two tables have in common for each lane, by its high and by its low four bits.
    #[inline(always)]
    fn lookup_nibbles(self, high: &[u8; 16], low: &[u8; 16], v: Self::Vector) -> Self::Vector {
        let by_high = self.lookup(self.table(high), self.high_nibbles(v));
        self.and(by_high, self.lookup(self.table(low), self.and(v, self.splat(0x0F))))
    }

    /// Returns the bitwise exclusive or.
    fn xor(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns the bits of `a` that are not set in `b`.
    fn and_not(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns all bits of each lane where `a` is `b`, else none.
    fn equal_lanes(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns all bits of each lane where `v` is below `bound` as a signed number, else none.
    fn below_signed(self, v: Self::Vector, bound: Self::Vector) -> Self::Vector;

    /// Returns the smaller of each two lanes as signed numbers.
    fn min_signed(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns whether any bit is set.
    fn any(self, v: Self::Vector) -> bool;

    /// Returns in each lane the lane `N` before it, 1 to 3; 0 in the first `N` lanes.
    fn prev<const N: usize>(self, v: Self::Vector) -> Self::Vector;
}

/// Instruction sets with a lookup of each lane in a table of 128 entries by one instruction, and with lane masks;
/// a vector is a block of 64 bytes.
#[cfg(target_arch = "x86_64")]
pub(crate) trait Permute: Simd {
    /// A bit for each lane, the lowest for the first lane.
    type Mask: Copy;

    /// The instruction set with vectors of half the size.
    type Half: Lookup;

    /// Returns the token of [`Half`](Self::Half).
    fn half(self) -> Self::Half;

    /// Loads all of `bytes`, at most 32, and 0 into the lanes after them. Reads nothing else.
    fn load_partial_half(self, bytes: &[u8]) -> <Self::Half as Isa>::Vector;

    /// Makes a table for [`lookup`](Self::lookup).
    fn table(self, entries: &[u8; 128]) -> [Self::Vector; 2];

    /// Returns `table[index]` in each lane, by the low seven bits of `index`.
    fn lookup(self, table: [Self::Vector; 2], index: Self::Vector) -> Self::Vector;

    /// Returns `table[index]` in each lane, by the low six bits of `index`.
    #[cfg_attr(not(feature = "unicode"), allow(dead_code))]
    fn lookup64(self, table: Self::Vector, index: Self::Vector) -> Self::Vector;

    /// Loads all of `bytes`, at most 64, and 0 into the lanes after them. Reads nothing else.
    fn load_partial(self, bytes: &[u8]) -> Self::Vector;

    /// Returns the lanes where `a` is below `a_bound` and `b` below `b_bound`.
    fn both_below(
        self,
        a: Self::Vector,
        a_bound: Self::Vector,
        b: Self::Vector,
        b_bound: Self::Vector,
    ) -> Self::Mask;

    /// Returns the mask with these bits.
    fn mask(self, bits: u64) -> Self::Mask;

    /// Returns a bit for each lane of `v` that is at least `bound`.
    fn at_least_bits(self, v: Self::Vector, bound: Self::Vector) -> u64;

    /// Returns a bit for each lane of `v` that equals the lane of `other`.
    fn equal_bits(self, v: Self::Vector, other: Self::Vector) -> u64;

    /// Returns a bit for each lane of `v` that has any of the bits of `bits`.
    fn test_bits(self, v: Self::Vector, bits: Self::Vector) -> u64;

    /// Returns a bit for each lane of `v` that is a continuation byte.
    fn continuation_bits(self, v: Self::Vector) -> u64;

    /// Returns in each lane of `kept` the lane before it, 0 in the others; the lane before the first is the last
    /// one of `before`.
    fn prev_where(self, kept: Self::Mask, v: Self::Vector, before: Self::Vector) -> Self::Vector;

    /// Returns the lanes of `kept`, 0 in the others.
    fn retain(self, kept: Self::Mask, v: Self::Vector) -> Self::Vector;

    /// Returns for each bit the entry of the truth table `TABLE`, eight bits, numbered by the bits of `a` (4),
    /// `b` (2) and `c` (1).
    fn ternary<const TABLE: i32>(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;
}

/// Instruction sets that look lanes up in tables of 128 entries, by whatever instructions.
#[cfg_attr(not(feature = "unicode"), allow(dead_code))]
pub(crate) trait Lookup128: Simd {
    /// Returns `table[v & 0x7F]` of each table, in each lane.
    fn lookup128<const TABLES: usize>(
        self,
        tables: [&[u8; 128]; TABLES],
        v: Self::Vector,
    ) -> [Self::Vector; TABLES];

    /// Returns the bits of each byte.
    fn lookup_classes(self, classes: &ByteClasses, v: Self::Vector) -> Self::Vector;
}

/// Instruction sets with operations on lanes of 16 and 32 bits, and shuffles of 16 bytes. A *part* is 16 bytes.
pub(crate) trait Lanes16: Lookup {
    /// Returns `unit` in every lane of 16 bits.
    fn splat16(self, unit: u16) -> Self::Vector;

    /// Returns `unit` in every lane of 32 bits.
    fn splat32(self, unit: u32) -> Self::Vector;

    /// Returns all bits of each lane of 16 bits where `a` is `b`, else none.
    fn equal16(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns all bits of each lane of 32 bits where `a` is `b`, else none.
    fn equal32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns `a + b` in each lane of 16 bits.
    fn add16(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Shifts each lane of 16 bits left by `N` bits.
    fn shl16<const N: i32>(self, v: Self::Vector) -> Self::Vector;

    /// Shifts each lane of 16 bits right by `N` bits.
    fn shr16<const N: i32>(self, v: Self::Vector) -> Self::Vector;

    /// Shifts each lane of 32 bits left by `N` bits.
    fn shl32<const N: i32>(self, v: Self::Vector) -> Self::Vector;

    /// Shifts each lane of 32 bits right by `N` bits.
    fn shr32<const N: i32>(self, v: Self::Vector) -> Self::Vector;

    /// Returns lanes of `a` where all bits of `mask` are set, and of `b` where none is.
    fn select16(self, mask: Self::Vector, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns 16 bits for each part: one for each of its eight lanes of 16 bits, which are all ones or all zeros,
    /// then zeros.
    fn mask_bits16(self, v: Self::Vector) -> u32;

    /// Returns 16 bits for each part: the bits of its lower four lanes of 16 bits in `a`, then in `b`, and the bits of
    /// the upper four.
    fn mask_bits16_pair(self, a: Self::Vector, b: Self::Vector) -> u32;

    /// Interleaves the bytes of `a` and `b`, of the lower halves and of the upper ones.
    fn interleave(self, a: Self::Vector, b: Self::Vector) -> [Self::Vector; 2];

    /// Interleaves the lanes of 16 bits of `a` and `b`: the lower four of each part, and the upper four.
    fn interleave16(self, a: Self::Vector, b: Self::Vector) -> [Self::Vector; 2];

    /// Narrows the lanes of 16 bits of `a`, then of `b`, which fit into 8.
    fn narrow16(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Narrows the lanes of 32 bits of `a`, then of `b`, which fit into 16.
    fn narrow32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Narrows the lanes of 16 bits of both, which must be below 0x8000, to 255 where they do not fit into 8. Their
    /// order is unspecified.
    fn saturate16(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Narrows the lanes of 32 bits of both, which must be below 0x8000_0000, to 0xFFFF where they do not fit into 16.
    /// Their order is unspecified.
    fn saturate32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns in each lane of 16 bits the lane before it; before the first lane is the last of `before`.
    fn prev16(self, v: Self::Vector, before: Self::Vector) -> Self::Vector;

    /// Stores the vector at `out[at..]`. Panics if it would reach past the end; where the length is known, the
    /// compiler makes that check.
    fn store(self, v: Self::Vector, out: &mut [MaybeUninit<u8>], at: usize);

    /// Stores the bytes of one part in the given order at `out[at..]`. Panics as [`store`](Self::store) does.
    fn store_shuffled(
        self,
        v: Self::Vector,
        part: usize,
        order: &[u8; 16],
        out: &mut [MaybeUninit<u8>],
        at: usize,
    );
}

/// Instruction sets that compress the lanes of a mask and extract unaligned bit fields; a vector is 64 bytes, 32
/// lanes of 16 bits or 16 of 32.
#[cfg(target_arch = "x86_64")]
pub(crate) trait Compress: Permute {
    /// Returns `unit` in every lane of 16 bits.
    fn splat16(self, unit: u16) -> Self::Vector;

    /// Returns `unit` in every lane of 32 bits.
    fn splat32(self, unit: u32) -> Self::Vector;

    /// Returns a bit for each lane of 16 bits, the lowest for the first lane, that is at least `bound`.
    fn at_least16(self, v: Self::Vector, bound: Self::Vector) -> u32;

    /// Returns a bit for each lane of 32 bits, the lowest for the first lane, that is at least `bound`.
    fn at_least32(self, v: Self::Vector, bound: Self::Vector) -> u16;

    /// Returns `a + b` in each lane of 16 bits.
    fn add16(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns `a + b` in each lane of 32 bits.
    fn add32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns lanes of 16 bits, `a + b` where the mask has a bit, else `a`.
    fn add16_where(self, mask: u32, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns lanes of 16 bits, of `a` where the mask has a bit, else of `b`.
    fn select16(self, mask: u32, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns the smaller of each two lanes of 16 bits.
    fn min16(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Shifts each lane of 16 bits left by `N` bits.
    fn shl16<const N: u32>(self, v: Self::Vector) -> Self::Vector;

    /// Returns lanes of 16 bits, of `v` shifted left by `N` bits where the mask has a bit, else of `other`.
    fn shl16_where<const N: u32>(self, mask: u32, v: Self::Vector, other: Self::Vector) -> Self::Vector;

    /// Returns lanes of 16 bits, of `v` shifted right by `N` bits where the mask has a bit, else of `other`.
    fn shr16_where<const N: u32>(self, mask: u32, v: Self::Vector, other: Self::Vector) -> Self::Vector;

    /// Returns lanes of 32 bits, of `v` shifted left by `N` bits where the mask has a bit, else of `other`.
    fn shl32_where<const N: u32>(self, mask: u16, v: Self::Vector, other: Self::Vector) -> Self::Vector;

    /// Returns lanes of 32 bits, `v | bits` where the mask has a bit, else `v`.
    fn or32_where(self, mask: u16, v: Self::Vector, bits: Self::Vector) -> Self::Vector;

    /// Returns in each byte eight bits of its 64-bit word in `v`, from the bit offset in `offsets` on.
    fn multishift(self, offsets: Self::Vector, v: Self::Vector) -> Self::Vector;

    /// Returns `v[index]` in each lane of 16 bits.
    fn permute16(self, index: Self::Vector, v: Self::Vector) -> Self::Vector;

    /// Returns in each lane of 16 bits the indexed lane of `a`, or by a higher index of `b`.
    fn permute16_pair(self, a: Self::Vector, index: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns in each byte the indexed byte of `a`, or by a higher index of `b`.
    fn permute8_pair(self, a: Self::Vector, index: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Loads 32 bytes at `bytes[at..]`, each into a lane of 16 bits.
    fn load_widened(self, bytes: &[u8], at: usize) -> Self::Vector;

    /// Loads all of `bytes`, at most 32, each into a lane of 16 bits, and 0 into the lanes after them.
    fn load_partial_widened(self, bytes: &[u8]) -> Self::Vector;

    /// Interleaves the bytes of `a` and `b`, of the lower halves and of the upper ones.
    fn interleave(self, a: Self::Vector, b: Self::Vector) -> [Self::Vector; 2];

    /// Returns a quarter of the lanes, widened to 32 bits: their bytes are given plane by plane, the lowest first.
    fn interleave3(self, planes: [Self::Vector; 3], quarter: usize) -> Self::Vector;

    /// Returns the bytes that have a bit in `kept`, one after another.
    fn compress(self, kept: u64, v: Self::Vector) -> Self::Vector;

    /// Deposits the lowest bits of `bits` at the bits that are set in `mask`.
    fn deposit_bits(self, bits: u64, mask: u64) -> u64;

    /// Stores the vector at `out[at..]`. Panics if it would reach past the end; where the length is known, the
    /// compiler makes that check.
    fn store(self, v: Self::Vector, out: &mut [MaybeUninit<u8>], at: usize);

    /// Stores the first bytes, as many as `out` holds.
    fn store_partial(self, v: Self::Vector, out: &mut [MaybeUninit<u8>]);
}

/// Instruction sets with flags for the lanes of a vector of bytes, which can be moved to and from a word.
pub(crate) trait Planes: Lookup128 {
    /// A flag for each lane: a bit, or the highest bit of a byte.
    type Flags: Copy;

    /// Loads as many of `bytes[at..]` as there are lanes, and 0 into the lanes after them. Reads nothing else.
    fn load_partial_at(self, bytes: &[u8], at: usize) -> Self::Vector;

    /// Returns the lanes of `v` that are at least `bound`, which must be 0x80 or more.
    fn at_least(self, v: Self::Vector, bound: Self::Vector) -> Self::Flags;

    /// Returns the lanes of `v` that are at least `bound`, which must be 0x80 or more, and perhaps the lanes of ASCII.
    fn at_least_or_ascii(self, v: Self::Vector, bound: Self::Vector) -> Self::Flags;

    /// Returns the lanes of `v` that are at least 0x80.
    fn non_ascii(self, v: Self::Vector) -> Self::Flags;

    /// Returns a bit for each lane of `v`, the lowest for the first lane, that is not a continuation byte.
    fn lead_bits(self, v: Self::Vector) -> u64;

    /// Returns the flags as bits, the lowest for the first lane.
    fn bits(self, flags: Self::Flags) -> u64;

    /// Returns the bits as flags.
    fn flags(self, bits: u64) -> Self::Flags;

    /// Returns the lanes of two vectors that are equal.
    fn equal(self, a: Self::Vector, b: Self::Vector) -> Self::Flags;

    /// Returns the lanes that are flagged in both.
    fn and_flags(self, a: Self::Flags, b: Self::Flags) -> Self::Flags;

    /// Returns the lanes that are flagged in either.
    fn or_flags(self, a: Self::Flags, b: Self::Flags) -> Self::Flags;

    /// Returns lanes of `yes` where the flag is set, and of `no` elsewhere.
    fn blend(self, flags: Self::Flags, yes: Self::Vector, no: Self::Vector) -> Self::Vector;

    /// Returns lanes of `v` where the flag is set, and 0 elsewhere.
    fn retain(self, flags: Self::Flags, v: Self::Vector) -> Self::Vector;

    /// Returns bits of `a` where `mask` is set, and of `b` elsewhere.
    fn select_bits(self, mask: Self::Vector, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Shifts each lane left by `N` bits. The lowest `N` bits are unspecified.
    fn shl<const N: i32>(self, v: Self::Vector) -> Self::Vector;

    /// Shifts each lane right by `N` bits. The highest `N` bits are unspecified.
    fn shr<const N: i32>(self, v: Self::Vector) -> Self::Vector;
}

/// Instruction sets that compare the bytes of a block: a bit for each, the lowest for the first.
pub trait Masks: Isa {
    /// Returns the bytes that are not continuation bytes.
    fn leads(self, block: &[u8; 64]) -> u64;

    /// Returns the bytes that are at least `bound`, which must be 0x80 or more.
    fn at_least_in(self, block: &[u8; 64], bound: u8) -> u64;

    /// Returns the bytes that equal `byte`.
    fn equal_in(self, block: &[u8; 64], byte: u8) -> u64;
}

/// Instruction sets that store code units, whose bytes are given plane by plane, the lowest first; planes that are
/// not given are 0.
pub(crate) trait StoreUnits<U>: Planes {
    /// Stores every lane of `v` as a unit.
    fn store_widened<const N: usize>(self, v: Self::Vector, out: &mut [MaybeUninit<U>; N]);

    /// Stores the units whose lanes have a bit in `kept`, one after another. `N` is the number of lanes. All of
    /// `out` may be written.
    fn store_compressed<const PLANES: usize, const N: usize>(
        self,
        kept: u64,
        planes: [Self::Vector; PLANES],
        out: &mut [MaybeUninit<U>; N],
    );

    /// Stores the first of the units whose lanes have a bit in `kept`, as many as `out` holds; there must not be
    /// fewer.
    fn store_compressed_partial<const PLANES: usize>(
        self,
        kept: u64,
        planes: [Self::Vector; PLANES],
        out: &mut [MaybeUninit<U>],
    );
}

/// Instruction sets that shuffle 16 bytes at a time.
pub(crate) trait Shuffle: Planes {
    /// The instruction set with vectors of 16 bytes.
    type Vector16: Vector16;

    /// Returns the token of [`Vector16`](Self::Vector16).
    fn vector16(self) -> Self::Vector16;

    /// Returns the eight lanes of `v` from `at` on, a multiple of eight, as the first lanes; the others are
    /// unspecified.
    fn eight_lanes(self, v: Self::Vector, at: usize) -> <Self::Vector16 as Isa>::Vector;

    /// Interleaves the eight lanes from `at` on, a multiple of eight, of two vectors.
    fn interleave_eight(self, a: Self::Vector, b: Self::Vector, at: usize)
    -> <Self::Vector16 as Isa>::Vector;
}

/// Instruction sets with vectors of 16 bytes.
pub(crate) trait Vector16: Lanes16 {
    /// Stores a vector. Panics unless `out` has just its size; where that is known, the compiler makes that check.
    fn store_units<U>(self, v: Self::Vector, out: &mut [MaybeUninit<U>]);

    /// Stores the lower half of a vector.
    fn store_half(self, v: Self::Vector, out: &mut [MaybeUninit<u8>; 8]);
}

/// Returns fewer than 16 bytes as two little-endian numbers, by loads that overlap.
#[inline(always)]
pub(crate) fn partial_words(bytes: &[u8]) -> [u64; 2] {
    let length = bytes.len();
    if let (Some(&first), Some(&last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        // The shift is by one to eight bytes, in two parts since a shift by eight has no effect.
        let second = u64::from_le_bytes(last) >> (8 * (15 - length)) >> 8;
        return [u64::from_le_bytes(first), second];
    }
    let word = match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(&first), Some(&last)) => {
            u64::from(u32::from_le_bytes(first)) | u64::from(u32::from_le_bytes(last)) << (8 * (length - 4))
        }
        // The first, the middle and the last of one to three bytes; some of them are the same.
        _ => [0, length / 2, length.saturating_sub(1)]
            .iter()
            .filter_map(|&at| Some(u64::from(*bytes.get(at)?) << (8 * at)))
            .fold(0, |word, byte| word | byte),
    };
    [word, 0]
}
