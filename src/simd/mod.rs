//! Instruction sets: the vector operations that kernels may use, and the choice among them.
//!
//! Each instruction set is a *token*: a type whose only constructor is the check that the CPU has
//! it. So a kernel that holds a token may call its operations, all of them safe. Kernels are generic
//! over [`Isa`] and `#[inline(always)]` throughout; [`Isa::call`] is the trampoline that compiles
//! one with the instruction set switched on.
//!
//! To add an instruction set: one file here, and its token in [`dispatch`]: a variant, a row, and an arm.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub(crate) mod dispatch;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse42;
pub(crate) mod uninit;

pub(crate) use scalar::Scalar;

use crate::kernels::encode::page::PageEncoder;
use crate::kernels::encode::{Encoder, Utf16};
use crate::kernels::page::{self, Tables};
use crate::kernels::rules::Rules;
use crate::kernels::{Counts, Findings, Kernel, Task};
use uninit::MaybeUninit;

/// Writes operations of an instruction set's token: each body is compiled with the features switched on,
/// where its intrinsics are safe to call.
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

/// What an instruction set says that leaves no kind of work to another; the file's `trampoline` has its
/// features switched on.
macro_rules! for_itself {
    ($name:literal) => {
        type Counter = Self;

        #[inline(always)]
        fn counter(self) -> Self {
            self
        }

        #[inline]
        fn call<K: Kernel>(self, kernel: K) -> K::Output {
            // SAFETY: `self` proves that the CPU has what the trampoline enables.
            unsafe { trampoline(self, kernel) }
        }

        fn name(self, _: Task) -> &'static str {
            $name
        }
    };
}
use for_itself;

/// Bits of 64 bytes, vector by vector.
macro_rules! bits_by_lookup {
    () => {
        #[inline(always)]
        fn nonzero_bits(self, bytes: &[u8; 64]) -> u64 {
            let mut bits = 0;
            let mut at = 0;
            while at < 64 {
                bits |= Lookup::nonzero(self, self.load(bytes, at)) << at;
                at += Self::WIDTH;
            }
            bits
        }
    };
}
use bits_by_lookup;

/// Validation as [`kernels::pass`](crate::kernels::pass) does it, with this checker.
macro_rules! by_pass {
    ($checker:ident) => {
        #[inline(always)]
        fn is_valid<R: Rules, const ANY: bool>(self, data: &[u8]) -> bool {
            pass::is_valid::<Self, $checker<Self, R>, ANY>(self, data)
        }

        #[inline(always)]
        fn measure<const ANY: bool>(self, data: &[u8]) -> Option<Counts> {
            pass::measure::<Self, $checker<Self, Utf8>, ANY>(self, data)
        }

        #[inline(always)]
        fn counts(self, data: &[u8]) -> Counts {
            pass::counts::<Self, $checker<Self, Utf8>>(self, data)
        }

        #[inline(always)]
        fn valid_up_to(self, data: &[u8]) -> usize {
            pass::valid_up_to::<Self, $checker<Self, Utf8>>(self, data)
        }

        #[inline(always)]
        fn validate<R: Rules, const MEASURE: bool, const LINES: bool>(self, data: &[u8]) -> Findings {
            pass::validate::<Self, $checker<Self, R>, MEASURE, LINES>(self, data)
        }
    };
}
use by_pass;

/// Decoding as [`kernels::planes`](crate::kernels::planes) does it, by vectors of this width, of which some
/// are asked at once what they hold.
macro_rules! by_planes {
    ($width:literal, $group:literal) => {
        by_planes!(u8, decode_latin1, decode_checked_latin1, $width, $group);
        by_planes!(u16, decode_utf16, decode_checked_utf16, $width, $group);
        by_planes!(u32, decode_utf32, decode_checked_utf32, $width, $group);

        #[inline(always)]
        fn decode_page(self, page: &Tables, data: &[u8], out: &mut [MaybeUninit<u8>]) -> (usize, bool) {
            planes::decode_page::<Self, $width, { $width + 3 }, $group, { $group + 3 }>(self, page, data, out)
        }
    };
    ($unit:ty, $decode:ident, $decode_checked:ident, $width:literal, $group:literal) => {
        #[inline(always)]
        fn $decode<const ANY: bool>(self, data: &[u8], out: &mut [MaybeUninit<$unit>]) -> usize {
            planes::decode::<Self, $unit, ANY, $width, { $width + 3 }, $group, { $group + 3 }>(
                self, data, out,
            )
        }

        #[inline(always)]
        fn $decode_checked(self, data: &[u8], out: &mut [MaybeUninit<$unit>]) -> Option<usize> {
            planes::decode_checked(self, data, out)
        }
    };
}
use by_planes;

/// An instruction set: a vector of bytes and what can be done with it.
pub(crate) trait Isa: Copy {
    /// Some bytes, handled at once.
    type Vector: Copy;

    /// How many bytes a vector holds: a power of two, at most 64.
    const WIDTH: usize;

    /// The instruction set that counts best where this one is to be had.
    type Counter: Count;

    fn counter(self) -> Self::Counter;

    /// Runs `kernel` compiled for this instruction set.
    fn call<K: Kernel>(self, kernel: K) -> K::Output;

    /// The name of the instruction set that does this kind of work.
    fn name(self, task: Task) -> &'static str;

    /// Whether `data` are valid by these rules, by the same algorithm; without `ANY` they are more than fit into one vector.
    fn is_valid<R: Rules, const ANY: bool>(self, data: &[u8]) -> bool;

    /// What `data` hold, newlines left out, if they are valid; without `ANY` they are more than fit into one
    /// vector.
    fn measure<const ANY: bool>(self, data: &[u8]) -> Option<Counts>;

    /// What `data` hold, newlines left out, valid or not.
    fn counts(self, data: &[u8]) -> Counts;

    /// How many bytes of `data` break no rule, where some are expected to.
    fn valid_up_to(self, data: &[u8]) -> usize;

    /// Validates by these rules, with the algorithm that suits this instruction set best.
    fn validate<R: Rules, const MEASURE: bool, const LINES: bool>(self, data: &[u8]) -> Findings;

    /// Decodes, as [`Decode`](crate::kernels::decode::Decode) says, to Latin-1; without `ANY` it is more than
    /// fits into one vector.
    fn decode_latin1<const ANY: bool>(self, data: &[u8], out: &mut [MaybeUninit<u8>]) -> usize;

    /// Decodes to UTF-16.
    fn decode_utf16<const ANY: bool>(self, data: &[u8], out: &mut [MaybeUninit<u16>]) -> usize;

    /// Decodes to UTF-32.
    fn decode_utf32<const ANY: bool>(self, data: &[u8], out: &mut [MaybeUninit<u32>]) -> usize;

    /// Decodes, as [`DecodeChecked`](crate::kernels::decode::DecodeChecked) says, to Latin-1.
    fn decode_checked_latin1(self, data: &[u8], out: &mut [MaybeUninit<u8>]) -> Option<usize>;

    /// Decodes the same way to UTF-16.
    fn decode_checked_utf16(self, data: &[u8], out: &mut [MaybeUninit<u16>]) -> Option<usize>;

    /// Decodes the same way to UTF-32.
    fn decode_checked_utf32(self, data: &[u8], out: &mut [MaybeUninit<u32>]) -> Option<usize>;

    /// Decodes to bytes of a page, as [`DecodePage`](crate::kernels::decode::page::DecodePage) says.
    fn decode_page(self, page: &Tables, data: &[u8], out: &mut [MaybeUninit<u8>]) -> (usize, bool);

    /// The algorithm that encodes best here.
    type Encoder: Encoder<Self, u8>
        + Encoder<Self, u16>
        + Encoder<Self, Utf16>
        + Encoder<Self, u32>
        + PageEncoder<Self>;

    /// The vector at `bytes[at..]`. Panics if it would reach past the end; where the length is known, the
    /// compiler makes that check.
    fn load(self, bytes: &[u8], at: usize) -> Self::Vector;

    /// `byte` in every lane.
    fn splat(self, byte: u8) -> Self::Vector;

    /// Bitwise or.
    fn or(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// The larger of each two lanes.
    fn max(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Whether any lane is 0x80 or more.
    fn any_non_ascii(self, v: Self::Vector) -> bool;

    /// The bits that are set in any vector of a block, some whole vectors of a number that the compiler knows.
    #[inline(always)]
    fn union(self, block: &[u8]) -> Self::Vector {
        let mut any = self.load(block, 0);
        let mut at = Self::WIDTH;
        while at < block.len() {
            any = self.or(any, self.load(block, at));
            at += Self::WIDTH;
        }
        any
    }

    /// Whether every byte of a block, some whole vectors, is below 0x80.
    #[inline(always)]
    fn is_ascii<const N: usize>(self, block: &[u8; N]) -> bool {
        !self.any_non_ascii(self.union(block))
    }

    /// The largest lane.
    fn largest(self, v: Self::Vector) -> u8;

    /// A bit for each byte, the first's the lowest, that is not 0.
    #[cfg_attr(not(feature = "unicode"), expect(dead_code))]
    fn nonzero_bits(self, bytes: &[u8; 64]) -> u64;
}

/// Instruction sets to count with: lane by lane.
pub(crate) trait Count: Isa {
    /// Adds 1 to each lane of `tally` whose lane in `v` is a continuation byte. Lanes wrap at 256.
    fn tally_continuations(self, tally: Self::Vector, v: Self::Vector) -> Self::Vector;

    /// Adds 1 to each lane of `tally` where `v` equals `byte`.
    fn tally_equal(self, tally: Self::Vector, v: Self::Vector, byte: Self::Vector) -> Self::Vector;

    /// Adds 1 to each lane of `tally` where `v` is at least `bound`, which must be 0x80 or more.
    fn tally_at_least(self, tally: Self::Vector, v: Self::Vector, bound: Self::Vector) -> Self::Vector;

    /// The sum of all lanes.
    fn sum(self, v: Self::Vector) -> usize;
}

/// Instruction sets that can look sixteen-entry tables up lane by lane.
pub(crate) trait Lookup: Count {
    /// A table for [`lookup`](Self::lookup).
    fn table(self, entries: &[u8; 16]) -> Self::Vector;

    /// `table[index]` in each lane; `index` below 16.
    fn lookup(self, table: Self::Vector, index: Self::Vector) -> Self::Vector;

    /// The high four bits of each lane.
    fn high_nibbles(self, v: Self::Vector) -> Self::Vector;

    /// `a - b` in each lane, 0 where `b` is larger.
    fn saturating_sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Bitwise and.
    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Bitwise exclusive or.
    fn xor(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Whether any bit is set.
    fn any(self, v: Self::Vector) -> bool;

    /// A bit for each lane, the first lane's the lowest, that is set if the lane is not 0.
    fn nonzero(self, v: Self::Vector) -> u64;

    /// What stands `N` bytes, 1 to 3, before each lane, if zeros stand before the first.
    fn behind<const N: usize>(self, v: Self::Vector) -> Self::Vector;

    /// All of `bytes`, at most [`WIDTH`](Isa::WIDTH) of them, and 0 in the lanes after them. Reads
    /// nothing else.
    fn load_start(self, bytes: &[u8]) -> Self::Vector;
}

/// Instruction sets that look 128-entry tables up lane by lane, and have lane masks; a vector is a
/// block of 64 bytes.
pub(crate) trait Permute: Isa {
    /// A bit for each lane, the first lane's the lowest.
    type Mask: Copy;

    /// The instruction set with vectors of half the size, for what fits into one.
    type Half: Lookup;

    fn half(self) -> Self::Half;

    /// All of `bytes`, at most 32 of them, and 0 in the lanes after them. Reads nothing else.
    fn load_start_of_half(self, bytes: &[u8]) -> <Self::Half as Isa>::Vector;

    /// A table for [`lookup`](Self::lookup).
    fn table(self, entries: &[u8; 128]) -> [Self::Vector; 2];

    /// `table[index]` in each lane, by the low seven bits of `index`.
    fn lookup(self, table: [Self::Vector; 2], index: Self::Vector) -> Self::Vector;

    /// All of `bytes`, at most 64 of them, and 0 in the lanes after them. Reads nothing else.
    fn load_start(self, bytes: &[u8]) -> Self::Vector;

    /// Where `a` is below `a_bound` and `b` below `b_bound`.
    fn both_below(
        self,
        a: Self::Vector,
        a_bound: Self::Vector,
        b: Self::Vector,
        b_bound: Self::Vector,
    ) -> Self::Mask;

    /// The mask with these bits.
    fn mask(self, bits: u64) -> Self::Mask;

    /// A bit for each lane of `v` that is at least `bound`.
    fn at_least(self, v: Self::Vector, bound: Self::Vector) -> u64;

    /// A bit for each lane of `v` that has some of the bits of `bits`.
    fn having(self, v: Self::Vector, bits: Self::Vector) -> u64;

    /// A bit for each lane of `v` that is a continuation byte.
    fn continuations(self, v: Self::Vector) -> u64;

    /// The vector's lanes, each moved to the next place where `kept` allows it, else 0; into the first
    /// place comes the last lane of `before`.
    fn moved_up(self, kept: Self::Mask, v: Self::Vector, before: Self::Vector) -> Self::Vector;

    /// The lanes where `kept` allows it, else 0.
    fn only(self, kept: Self::Mask, v: Self::Vector) -> Self::Vector;

    /// Lane by lane, `a + b`.
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Bit by bit the entry of `TABLE`, eight bits, that is numbered by the bits of `a` (4), `b` (2) and
    /// `c` (1).
    fn ternary<const TABLE: i32>(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;
}

/// Instruction sets that look things up in tables of 128.
pub(crate) trait LookupSeven: Isa {
    /// `table[v & 0x7F]` of each table, in each lane.
    fn lookup_seven<const TABLES: usize>(
        self,
        tables: [&[u8; 128]; TABLES],
        v: Self::Vector,
    ) -> [Self::Vector; TABLES];

    /// The sum of all lanes.
    fn sum(self, v: Self::Vector) -> usize;
}

impl<I: Lookup + Planes> LookupSeven for I {
    #[inline(always)]
    fn lookup_seven<const TABLES: usize>(
        self,
        tables: [&[u8; 128]; TABLES],
        v: Self::Vector,
    ) -> [Self::Vector; TABLES] {
        page::lookup_seven(self, tables, v)
    }

    #[inline(always)]
    fn sum(self, v: Self::Vector) -> usize {
        Count::sum(self, v)
    }
}

/// Instruction sets that bring bytes into another order by a table; parts of 16 bytes each for itself.
pub(crate) trait Units: Lookup {
    /// `unit` in every lane of 16 bits.
    fn splat16(self, unit: u16) -> Self::Vector;

    /// `unit` in every lane of 32 bits.
    fn splat32(self, unit: u32) -> Self::Vector;

    /// All bits of each lane of 16 bits where `a` is `b`, else none.
    fn equal16(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// `a + b` in each lane of 16 bits.
    fn add16(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Each lane of 16 bits moved up by `N` bits.
    fn up16<const N: i32>(self, v: Self::Vector) -> Self::Vector;

    /// Each lane of 16 bits moved down by `N` bits.
    fn down16<const N: i32>(self, v: Self::Vector) -> Self::Vector;

    /// Lanes of `a` where all bits of `mask` are set, and of `b` where none is.
    fn select(self, mask: Self::Vector, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// For each part 16 bits: one for each of its eight lanes of 16 bits, which are all ones or all zeros,
    /// and zeros.
    fn bits_of_eight(self, v: Self::Vector) -> u32;

    /// For each part 16 bits: those of its lower four lanes of 16 bits in `a`, then in `b`, and those of the
    /// upper four.
    fn bits_of_four(self, a: Self::Vector, b: Self::Vector) -> u32;

    /// Bytes of `a` and `b` in turns: those of the lower halves, and of the upper ones.
    fn zipped(self, a: Self::Vector, b: Self::Vector) -> [Self::Vector; 2];

    /// Lanes of 16 bits of `a` and `b` in turns: the lower four of each part, and the upper four.
    fn interleaved(self, a: Self::Vector, b: Self::Vector) -> [Self::Vector; 2];

    /// The lanes of 16 bits of `a`, then of `b`, which fit into 8.
    fn narrowed16(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// The lanes of 32 bits of `a`, then of `b`, which fit into 16.
    fn narrowed32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Half a vector of bytes at `bytes[at..]`, each in a lane of 16 bits.
    fn load_widened(self, bytes: &[u8], at: usize) -> Self::Vector;

    /// The lanes of 16 bits, each moved to the next place; into the first comes the last of `before`.
    fn one_before16(self, v: Self::Vector, before: Self::Vector) -> Self::Vector;

    /// Writes the vector to `out[at..]`. Panics if it would reach past the end; where the length is known,
    /// the compiler makes that check.
    fn store(self, v: Self::Vector, out: &mut [MaybeUninit<u8>], at: usize);

    /// Writes the bytes of one part that `order` names to `out[at..]`. Panics as `store` does.
    fn store_shuffled(
        self,
        v: Self::Vector,
        part: usize,
        order: &[u8; 16],
        out: &mut [MaybeUninit<u8>],
        at: usize,
    );
}

/// Instruction sets that gather eight bits from anywhere in a word into each byte, and squeeze the lanes out
/// that a mask does not keep; a vector is 64 bytes, or 32 units of 16 bits, or 16 of 32.
pub(crate) trait Squeeze: Permute {
    /// `unit` in every lane of 16 bits.
    fn splat16(self, unit: u16) -> Self::Vector;

    /// `unit` in every lane of 32 bits.
    fn splat32(self, unit: u32) -> Self::Vector;

    /// A bit for each lane of 16 bits, the first lane's the lowest, that is at least `bound`.
    fn at_least16(self, v: Self::Vector, bound: Self::Vector) -> u32;

    /// The same for lanes of 32 bits.
    fn at_least32(self, v: Self::Vector, bound: Self::Vector) -> u16;

    /// `a + b` in each lane of 16 bits.
    fn add16(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// `a + b` in each lane of 32 bits.
    fn add32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Lanes of 16 bits, `a + b` where the mask has a bit, and else `a`.
    fn add16_where(self, mask: u32, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Lanes of 16 bits, of `a` where the mask has a bit, and else of `b`.
    fn select16(self, mask: u32, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// The smaller of each two lanes of 16 bits.
    fn min16(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Each lane of 16 bits moved up by `N` bits.
    fn up16<const N: u32>(self, v: Self::Vector) -> Self::Vector;

    /// In the lanes of 16 bits where the mask has a bit those of `v`, moved up by `N` bits, and else those
    /// of `other`.
    fn up16_where<const N: u32>(self, mask: u32, v: Self::Vector, other: Self::Vector) -> Self::Vector;

    /// The same, moved down.
    fn down16_where<const N: u32>(self, mask: u32, v: Self::Vector, other: Self::Vector) -> Self::Vector;

    /// The same for lanes of 32 bits, moved up.
    fn up32_where<const N: u32>(self, mask: u16, v: Self::Vector, other: Self::Vector) -> Self::Vector;

    /// The bits of `bits` set in the lanes of 32 bits where the mask has a bit.
    fn or32_where(self, mask: u16, v: Self::Vector, bits: Self::Vector) -> Self::Vector;

    /// In each byte the eight bits from the place on that `places` has there, of the 64 bits around it.
    fn gathered(self, places: Self::Vector, v: Self::Vector) -> Self::Vector;

    /// In each lane of 16 bits the lane of `v` that `index` has there.
    fn permute16(self, index: Self::Vector, v: Self::Vector) -> Self::Vector;

    /// The same of both vectors, `a` having the lower numbers.
    fn permute16_of_two(self, a: Self::Vector, index: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// 32 bytes at `bytes[at..]`, each in a lane of 16 bits.
    fn load_widened(self, bytes: &[u8], at: usize) -> Self::Vector;

    /// All of `bytes`, at most 32 of them, each in a lane of 16 bits, and 0 in the lanes after them.
    fn load_start_widened(self, bytes: &[u8]) -> Self::Vector;

    /// Bytes of `a` and `b` in turns: those of the lower halves, and of the upper ones.
    fn zipped(self, a: Self::Vector, b: Self::Vector) -> [Self::Vector; 2];

    /// A quarter of the lanes, each of 32 bits: its bytes are given plane by plane, the lowest first.
    fn zipped_of_three(self, planes: [Self::Vector; 3], quarter: usize) -> Self::Vector;

    /// In each byte that of both vectors which `index` has there, `a` having the lower numbers.
    fn permute8_of_two(self, a: Self::Vector, index: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// The bytes that `kept` has a bit for, one after another.
    fn squeezed(self, kept: u64, v: Self::Vector) -> Self::Vector;

    /// The lowest bits of `bits`, each to the next place where `places` has one.
    fn deposit(self, bits: u64, places: u64) -> u64;

    /// Writes the vector to `out[at..]`. Panics if it would reach past the end; where the length is known,
    /// the compiler makes that check.
    fn store(self, v: Self::Vector, out: &mut [MaybeUninit<u8>], at: usize);

    /// Writes the first bytes, as many as `out` has room for.
    fn store_start(self, v: Self::Vector, out: &mut [MaybeUninit<u8>]);
}

/// What is nothing but the bits of an integer.
///
/// # Safety
/// The type has no padding, and any bits are a value of it.
pub(crate) unsafe trait Number: Copy {}

// SAFETY: an integer.
unsafe impl Number for u8 {}
// SAFETY: an integer.
unsafe impl Number for u16 {}
// SAFETY: an integer, by its layout.
unsafe impl Number for Utf16 {}
// SAFETY: an integer.
unsafe impl Number for u32 {}
// SAFETY: an integer.
unsafe impl Number for u64 {}

/// The same units, as UTF-16.
pub(crate) fn paired(units: &[u16]) -> &[Utf16] {
    // SAFETY: `Utf16` is a `u16` by its layout.
    unsafe { &*(core::ptr::from_ref(units) as *const [Utf16]) }
}

/// The bytes of some numbers.
#[inline(always)]
pub(crate) fn bytes_of<N: Number>(numbers: &[N]) -> &[u8] {
    // SAFETY: these are the same bytes, all of which have values, for as long; a byte is aligned anywhere.
    unsafe { core::slice::from_raw_parts(numbers.as_ptr().cast(), size_of_val(numbers)) }
}

/// Instruction sets whose vectors of bytes give up single bits, to decode by byte planes.
pub(crate) trait Planes: LookupSeven {
    /// A flag for each lane: a bit, or the highest bit of a byte.
    type Flags: Copy;

    /// As many of `bytes[at..]` as there are lanes, and 0 in the lanes after them. Reads nothing else.
    fn load_some(self, bytes: &[u8], at: usize) -> Self::Vector;

    /// The lanes of `v` that are at least `bound`, which must be 0x80 or more.
    fn at_least(self, v: Self::Vector, bound: Self::Vector) -> Self::Flags;

    /// The lanes of `v` that are at least `bound`, which must be 0x80 or more, and perhaps those of ASCII.
    fn at_least_or_ascii(self, v: Self::Vector, bound: Self::Vector) -> Self::Flags;

    /// The lanes of `v` that are at least 0x80.
    fn non_ascii(self, v: Self::Vector) -> Self::Flags;

    /// A bit for each lane of `v`, the first lane's the lowest, that is no continuation byte.
    fn leads(self, v: Self::Vector) -> u64;

    /// The flags as bits.
    fn bits(self, flags: Self::Flags) -> u64;

    /// The bits as flags.
    fn flags(self, bits: u64) -> Self::Flags;

    /// The lanes of two vectors that are equal.
    fn equal(self, a: Self::Vector, b: Self::Vector) -> Self::Flags;

    /// Where both of two flags are set.
    fn both(self, a: Self::Flags, b: Self::Flags) -> Self::Flags;

    /// Where one of two flags is set.
    fn either(self, a: Self::Flags, b: Self::Flags) -> Self::Flags;

    /// Lanes of `yes` where the flag is set, and of `no` elsewhere.
    fn pick(self, flags: Self::Flags, yes: Self::Vector, no: Self::Vector) -> Self::Vector;

    /// Lanes of `v` where the flag is set, and 0 elsewhere.
    fn only(self, flags: Self::Flags, v: Self::Vector) -> Self::Vector;

    /// `a - b` in each lane, 0 where `b` is larger.
    fn saturating_sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Bitwise and.
    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Bits of `a` where `mask` has them, and of `b` elsewhere.
    fn mix(self, mask: Self::Vector, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Each lane's bits moved up by `N`. What comes in from below may be anything.
    fn up<const N: i32>(self, v: Self::Vector) -> Self::Vector;

    /// Each lane's bits moved down by `N`. What comes in from above may be anything.
    fn down<const N: i32>(self, v: Self::Vector) -> Self::Vector;

    /// Lane by lane, `a + b`.
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
}

/// Instruction sets that make code units of byte planes.
pub(crate) trait Put<U>: Planes {
    /// Every lane a unit.
    fn widen<const N: usize>(self, v: Self::Vector, room: &mut [MaybeUninit<U>; N]);

    /// The units whose lanes have a bit in `owners`, one after the other; of each the lowest bytes are given,
    /// and the others are 0. `N` is the number of lanes. All of `room` may be written.
    fn put<const PLANES: usize, const N: usize>(
        self,
        owners: u64,
        planes: [Self::Vector; PLANES],
        room: &mut [MaybeUninit<U>; N],
    );

    /// The first of these units: there may be more than there is room for, but not fewer.
    fn put_some<const PLANES: usize>(
        self,
        owners: u64,
        planes: [Self::Vector; PLANES],
        room: &mut [MaybeUninit<U>],
    );
}

/// Instruction sets that shuffle sixteen bytes at a time.
pub(crate) trait Shuffle: Planes {
    /// The instruction set with vectors of sixteen bytes.
    type Sixteen: Sixteen;

    fn sixteen(self) -> Self::Sixteen;

    /// The eight lanes of `v` from `at` on, a multiple of eight, as the first lanes; any after them.
    fn eight(self, v: Self::Vector, at: usize) -> <Self::Sixteen as Isa>::Vector;

    /// These lanes of two vectors by turns.
    fn zip_eight(self, a: Self::Vector, b: Self::Vector, at: usize) -> <Self::Sixteen as Isa>::Vector;
}

/// Instruction sets with vectors of sixteen bytes.
pub(crate) trait Sixteen: Lookup {
    /// All lanes of two bytes by turns.
    fn zip_pairs(self, a: Self::Vector, b: Self::Vector) -> [Self::Vector; 2];

    /// Writes a vector. Panics unless `room` has just its size; where that is known, the compiler makes that
    /// check.
    fn store_all<U>(self, v: Self::Vector, room: &mut [MaybeUninit<U>]);

    /// Writes the lower half of a vector.
    fn store_half(self, v: Self::Vector, room: &mut [MaybeUninit<u8>; 8]);
}

/// Code units as [`kernels::shuffle`](crate::kernels::shuffle) makes them.
macro_rules! by_shuffle {
    ($isa:ty) => {
        impl<U: Shuffled> Put<U> for $isa {
            #[inline(always)]
            fn widen<const N: usize>(self, v: Self::Vector, room: &mut [MaybeUninit<U>; N]) {
                shuffle::widen(self, v, room);
            }

            #[inline(always)]
            fn put<const PLANES: usize, const N: usize>(
                self,
                owners: u64,
                planes: [Self::Vector; PLANES],
                room: &mut [MaybeUninit<U>; N],
            ) {
                shuffle::put(self, owners, planes, room);
            }

            #[inline(always)]
            fn put_some<const PLANES: usize>(
                self,
                owners: u64,
                planes: [Self::Vector; PLANES],
                room: &mut [MaybeUninit<U>],
            ) {
                shuffle::put_some(self, owners, planes, room);
            }
        }
    };
}
use by_shuffle;

/// Runs a kernel from within another, but compiled by itself: what is short is not held up by what the longer
/// one needs. (At the trampolines `inline(never)` did not keep them out of each other with rustc 1.95.)
#[inline(never)]
pub(crate) fn apart<I: Isa, K: Kernel>(isa: I, kernel: K) -> K::Output {
    isa.call(kernel)
}

/// Less than 16 bytes as two little-endian numbers, by loads that overlap.
#[inline(always)]
pub(crate) fn words_of(bytes: &[u8]) -> [u64; 2] {
    let length = bytes.len();
    if let (Some(&first), Some(&last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        // The shift is by one to eight bytes, in two parts since a shift by eight is none.
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
