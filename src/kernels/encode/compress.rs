//! Encoding by compression, where an instruction set extracts bit fields into bytes, and drops the bytes of a mask.
//!
//! 1. The bits of a character are extracted, six to a byte, and the leading bits of lead and continuation bytes are
//!    set: two bytes for each of 32 units, or three of four for each of 16.
//! 2. Shorter characters use the last of these bytes; a compression drops the others. Its mask comes from comparisons,
//!    each unit's bit deposited at the place of its byte.
//! 3. Where all units of a block are below 80 or below 800, less is to be done.
//! 4. In UTF-16 each surrogate of a pair gives two of the four bytes. So both are units of two bytes like any other,
//!    once the two bits that the low surrogate's bytes need of the high one have been put before its own.
//! 5. UTF-32 is narrowed to 16 bits wherever it fits into them.
//! 6. As long as the output has space for whole vectors, these are stored; after that, only the bytes encoded.
//!
//! Tried and lost: a store of two units_of_pairs (compilers make one of it); a test whether a masked store is needed
//! (masked ones take no longer).

use super::blocks::{Out, Sizes, SurrogateState, UnitWriter, Widest, Writer, WriterFamily};
use super::encoder::{Encoded, MAX_FEW_UNITS};
use super::single_byte::SingleByteWriter;
use super::unit::Halfword;
use crate::kernels::single_byte::lookup_high;
use crate::sequence::THREE_BYTE_LEAD;
use crate::simd::{Compress, Planes, bytes_of};

/// Units of 16 bits in a vector, or of 32 in two.
const VECTOR_UNITS: usize = 32;
const _: () = assert!(MAX_FEW_UNITS == VECTOR_UNITS);

/// The sizes of units of 16 and 32 bits, of Latin-1, and of single-byte encodings, a block of which gives two or four
/// vectors. The last half of a block ends at most a vector after it.
const SIZES_OF_UNITS: Sizes = Sizes {
    block_units: VECTOR_UNITS,
    ascii_units: 64,
    out_bytes: 128,
    min_units: 128,
    partial_units: VECTOR_UNITS,
    tests_ascii: true,
};
const SIZES_OF_LATIN1: Sizes =
    Sizes { block_units: 64, ascii_units: 128, tests_ascii: false, ..SIZES_OF_UNITS };
const SIZES_OF_SINGLE_BYTE: Sizes = Sizes { out_bytes: 256, partial_units: 64, ..SIZES_OF_LATIN1 };

/// Bits of lanes of 8 within 16, and within 32.
const EVERY_SECOND: u64 = 0x5555_5555_5555_5555;
const EVERY_FOURTH: u64 = 0x1111_1111_1111_1111;

/// The offsets of the bits of each byte: for characters of two bytes in lanes of 16 bits, and for characters of three
/// and four bytes in lanes of 32.
const OFFSETS_OF_TWO: [u8; 64] = offsets([6, 0, 22, 16]);
const OFFSETS_OF_THREE: [u8; 64] = offsets([12, 6, 0, 0]);
const OFFSETS_OF_FOUR: [u8; 64] = offsets([18, 12, 6, 0]);

const fn offsets(of_word: [u8; 4]) -> [u8; 64] {
    let mut all = [0; 64];
    let mut byte = 0;
    while byte < 64 {
        all[byte] = of_word[byte % 4] + (byte as u8 & 4) * 8;
        byte += 1;
    }
    all
}

/// Indices for permutes of 16 bits: each unit of the lower half twice, and each of the upper; the lower half of each 32
/// bits; and the previous lanes.
const LOWER: [u8; 64] = lanes(0, 1, 2);
const UPPER: [u8; 64] = lanes(16, 1, 2);
const EVEN: [u8; 64] = lanes(0, 2, 1);
const PREVIOUS: [u8; 64] = lanes(31, 1, 1);

/// Indices for permutes of bytes: the lower one of each 16 bits.
const EVEN_BYTES: [u8; 64] = {
    let mut all = [0; 64];
    let mut byte = 0;
    while byte < 64 {
        all[byte] = 2 * byte as u8;
        byte += 1;
    }
    all
};

/// Returns indices of lanes from `first` on, each `same` times, and then the one `step` further.
const fn lanes(first: u8, step: u8, same: u8) -> [u8; 64] {
    let mut all = [0; 64];
    let mut lane = 0;
    while lane < 32 {
        all[2 * lane as usize] = first + lane / same * step;
        lane += 1;
    }
    all
}

/// The first surrogate.
const FIRST_SURROGATE: u16 = 0xD800;

/// The ternary operation `(a & b) | c`.
const AND_OR: i32 = 0b1110_1010;
/// `b` where `a` has bits, and else `c`.
const SELECT: i32 = 0b1100_1010;

/// The writers by compression.
pub(crate) struct CompressWriters;

impl<I: Compress> WriterFamily<I> for CompressWriters {
    type Writer = CompressWriter<I>;
}

/// The classes of the units of a vector, a bit for each unit.
#[derive(Clone, Copy)]
struct UnitClasses {
    /// At least 80.
    long: u32,
    /// At least 800, and no surrogate of a pair.
    longer: u32,
    /// High surrogates of pairs.
    high: u32,
    /// Low surrogates of pairs.
    low: u32,
}

/// A writer, with what it has seen.
pub(crate) struct CompressWriter<I: Compress> {
    isa: I,
    /// The lowest units less D800, where surrogates are not found otherwise: below 800 if there was one.
    lowest: I::Vector,
    /// Not 0 if a unit was not a scalar value or part of one, as far as that is tested unit by unit.
    errors: u32,
    /// The last vector with a surrogate, and 1 if its last unit is a high surrogate.
    before: I::Vector,
    open: u32,
}

impl<I: Compress> UnitWriter<I> for CompressWriter<I> {
    #[inline(always)]
    fn new(isa: I) -> Self {
        Self { isa, lowest: isa.splat16(u16::MAX), errors: 0, before: isa.splat(0), open: 0 }
    }

    #[inline(always)]
    fn finish(&self, written: usize) -> Encoded {
        let lone = self.isa.at_least16(self.lowest, self.isa.splat16(0x800)) != u32::MAX;
        Encoded { written, scalar: !lone & (self.errors | self.open == 0) }
    }
}

impl<I: Compress> SurrogateState for CompressWriter<I> {
    #[inline(always)]
    fn end_pair(&mut self) {
        self.errors |= self.open;
        self.open = 0;
    }
}

impl<I: Compress> CompressWriter<I> {
    /// Writes the bytes of `v` that have a bit in `kept` to `out[at..]`, and returns where they end. A whole vector is
    /// written, but with `EXACT` only these bytes where `out` is too short for one.
    #[inline(always)]
    fn write<const EXACT: bool>(&self, kept: u64, v: I::Vector, out: &mut Out, at: usize) -> usize {
        let compressed = self.isa.compress(kept, v);
        let length = kept.count_ones() as usize;
        if EXACT && out.len() < at + I::WIDTH {
            return at + self.write_start(compressed, length, out.get_mut(at..).unwrap_or_default());
        }
        self.isa.store(compressed, out, at);
        at + length
    }

    /// Writes the first `length` bytes, or as many as `out` holds, and returns their number.
    #[inline(always)]
    fn write_start(&self, v: I::Vector, length: usize, out: &mut Out) -> usize {
        let length = length.min(out.len());
        self.isa.store_partial(v, &mut out[..length]);
        length
    }

    /// Encodes the first `units` of 16 bits in `v`; in the lanes after them is 0.
    #[inline(always)]
    fn write_units<U: Halfword, const EXACT: bool, const TEST_ASCII: bool>(
        &mut self,
        v: I::Vector,
        units: usize,
        out: &mut Out,
    ) -> (usize, Widest) {
        let isa = self.isa;
        let long = isa.at_least16(v, isa.splat16(0x80));
        let longer = isa.at_least16(v, isa.splat16(0x800));
        let classes = UnitClasses { long, longer, high: 0, low: 0 };
        if longer == 0 {
            self.end_pair();
            if TEST_ASCII && long == 0 {
                isa.store(isa.permute8_pair(v, isa.load(&EVEN_BYTES, 0), v), out, 0);
                return (units, Widest::OneByte);
            }
            return (self.write_twos::<EXACT, false>(v, classes, units, out, 0), Widest::TwoBytes);
        }
        let above = isa.add16(v, isa.splat16(FIRST_SURROGATE.wrapping_neg()));
        if !U::PAIRS {
            self.lowest = isa.min16(self.lowest, above);
            return (self.write_threes::<EXACT, false>(v, classes, units, out), Widest::MoreBytes);
        }
        let surrogates = !isa.at_least16(above, isa.splat16(0x800));
        if surrogates == 0 {
            self.end_pair();
            return (self.write_threes::<EXACT, false>(v, classes, units, out), Widest::MoreBytes);
        }
        let low = surrogates & isa.at_least16(above, isa.splat16(0x400));
        let high = surrogates & !low;
        self.errors |= low ^ (high << 1 | self.open);
        self.open = high >> (units - 1) & 1;
        // 0x10000 is added to the value of the pair; the first two bytes have all but two bits of the high surrogate's.
        let units_of_pairs = isa.add16(v, isa.splat16(0x40u16.wrapping_sub(FIRST_SURROGATE)));
        let units_of_pairs = isa.shr16_where::<2>(high, units_of_pairs, v);
        // Those two bits come before the bits of the low surrogate.
        let prev = isa.permute16_pair(self.before, isa.load(&PREVIOUS, 0), v);
        let joined = isa.ternary::<SELECT>(isa.splat16(0x0C00), isa.shl16::<10>(prev), v);
        let units_of_pairs = isa.select16(low, joined, units_of_pairs);
        self.before = v;
        let classes = UnitClasses { long, longer: longer & !surrogates, high, low };
        if classes.longer == 0 {
            return (
                self.write_twos::<EXACT, true>(units_of_pairs, classes, units, out, 0),
                Widest::MoreBytes,
            );
        }
        (self.write_threes::<EXACT, true>(units_of_pairs, classes, units, out), Widest::MoreBytes)
    }

    /// Writes units of at most two bytes; with `PAIRS` units_of_pairs of pairs may be among them.
    #[inline(always)]
    fn write_twos<const EXACT: bool, const PAIRS: bool>(
        &self,
        v: I::Vector,
        classes: UnitClasses,
        units: usize,
        out: &mut Out,
        at: usize,
    ) -> usize {
        let isa = self.isa;
        let extracted = isa.multishift(isa.load(&OFFSETS_OF_TWO, 0), v);
        let mut bytes = isa.ternary::<AND_OR>(extracted, isa.splat16(0x3F3F), isa.splat16(0x80C0));
        if PAIRS {
            bytes = isa.add16_where(classes.high, bytes, isa.splat16(0xF0 - 0xC0));
            bytes = isa.add16_where(classes.low, bytes, isa.splat16(0x40u16.wrapping_neg()));
        }
        bytes = isa.shl16_where::<8>(!classes.long, v, bytes);
        let mut kept = isa.deposit_bits(u64::from(classes.long), EVERY_SECOND) | EVERY_SECOND << 1;
        if EXACT {
            kept &= lowest_bits(2 * units);
        }
        self.write::<EXACT>(kept, bytes, out, at)
    }

    /// Writes units of at most three bytes; with `PAIRS` units_of_pairs of pairs may be among them.
    #[inline(always)]
    fn write_threes<const EXACT: bool, const PAIRS: bool>(
        &self,
        v: I::Vector,
        classes: UnitClasses,
        units: usize,
        out: &mut Out,
    ) -> usize {
        let lower = self.isa.permute16(self.isa.load(&LOWER, 0), v);
        let at = self.write_half::<EXACT, PAIRS>(lower, classes, units, out, 0);
        let classes = UnitClasses {
            long: classes.long >> 16,
            longer: classes.longer >> 16,
            high: classes.high >> 16,
            low: classes.low >> 16,
        };
        let upper = self.isa.permute16(self.isa.load(&UPPER, 0), v);
        self.write_half::<EXACT, PAIRS>(upper, classes, units.saturating_sub(VECTOR_UNITS / 2), out, at)
    }

    /// Writes half a vector of units of at most three bytes, each of which is twice in `twice`, to `out[at..]`, and
    /// returns where they end.
    #[inline(always)]
    fn write_half<const EXACT: bool, const PAIRS: bool>(
        &self,
        twice: I::Vector,
        classes: UnitClasses,
        units: usize,
        out: &mut Out,
        at: usize,
    ) -> usize {
        let isa = self.isa;
        let extracted = isa.multishift(isa.load(&OFFSETS_OF_THREE, 0), twice);
        let mut bytes = isa.ternary::<AND_OR>(extracted, isa.splat32(0x003F_3F0F), isa.splat32(0x0080_80E0));
        // The second byte has the leading bits of a continuation byte now, like the second byte of a low surrogate.
        bytes = isa.or32_where(!(classes.longer | classes.low) as u16, bytes, isa.splat32(0x4000));
        if PAIRS {
            bytes = isa.or32_where(classes.high as u16, bytes, isa.splat32(0x7000));
        }
        bytes = isa.shl32_where::<16>(!classes.long as u16, twice, bytes);
        let mut kept = isa.deposit_bits(u64::from(classes.longer), EVERY_FOURTH)
            | isa.deposit_bits(u64::from(classes.long), EVERY_FOURTH << 1)
            | EVERY_FOURTH << 2;
        if EXACT {
            kept &= lowest_bits(4 * units);
        }
        self.write::<EXACT>(kept, bytes, out, at)
    }

    /// Writes the first `units` of 32 bits in `v`; in the lanes after them is 0.
    #[inline(always)]
    fn write_fours<const EXACT: bool>(
        &mut self,
        v: I::Vector,
        units: usize,
        out: &mut Out,
        at: usize,
    ) -> usize {
        let isa = self.isa;
        let [long, longer, longest, beyond] = [
            isa.at_least32(v, isa.splat32(0x80)),
            isa.at_least32(v, isa.splat32(0x800)),
            isa.at_least32(v, isa.splat32(0x1_0000)),
            isa.at_least32(v, isa.splat32(0x11_0000)),
        ];
        let above = isa.add32(v, isa.splat32(u32::from(FIRST_SURROGATE).wrapping_neg()));
        self.errors |= u32::from(beyond | !isa.at_least32(above, isa.splat32(0x800)));
        let extracted = isa.multishift(isa.load(&OFFSETS_OF_FOUR, 0), v);
        let mut bytes = isa.ternary::<AND_OR>(extracted, isa.splat32(0x3F3F_3F07), isa.splat32(0x8080_80F0));
        bytes = isa.or32_where(!longest, bytes, isa.splat32(0x6000));
        bytes = isa.or32_where(!longer, bytes, isa.splat32(0x40_0000));
        bytes = isa.shl32_where::<24>(!long, v, bytes);
        let mut kept = isa.deposit_bits(u64::from(longest), EVERY_FOURTH)
            | isa.deposit_bits(u64::from(longer), EVERY_FOURTH << 1)
            | isa.deposit_bits(u64::from(long), EVERY_FOURTH << 2)
            | EVERY_FOURTH << 3;
        if EXACT {
            kept &= lowest_bits(4 * units);
        }
        self.write::<EXACT>(kept, bytes, out, at)
    }

    /// Writes up to 32 units of 32 bits, the first ones in `a`; in the lanes after them is 0.
    #[inline(always)]
    fn write_words<const EXACT: bool, const TEST_ASCII: bool>(
        &mut self,
        [a, b]: [I::Vector; 2],
        units: usize,
        out: &mut Out,
    ) -> (usize, Widest) {
        let isa = self.isa;
        if isa.at_least32(isa.or(a, b), isa.splat32(0x1_0000)) == 0 {
            let narrowed = isa.permute16_pair(a, isa.load(&EVEN, 0), b);
            return self.write_units::<u16, EXACT, TEST_ASCII>(narrowed, units, out);
        }
        let at = self.write_fours::<EXACT>(a, units, out, 0);
        (self.write_fours::<EXACT>(b, units.saturating_sub(VECTOR_UNITS / 2), out, at), Widest::MoreBytes)
    }

    /// Writes two vectors of units of 16 bits if all are ASCII, and returns whether they are.
    #[inline(always)]
    fn write_narrow_ascii(&self, [a, b]: [I::Vector; 2], out: &mut Out) -> bool {
        let isa = self.isa;
        let ascii = isa.at_least16(isa.or(a, b), isa.splat16(0x80)) == 0;
        if ascii {
            isa.store(isa.permute8_pair(a, isa.load(&EVEN_BYTES, 0), b), out, 0);
        }
        ascii
    }
}

/// Returns this number of the lowest bits, at most all.
#[inline(always)]
fn lowest_bits(bits: usize) -> u64 {
    if bits < 64 { (1 << bits) - 1 } else { u64::MAX }
}

impl<I: Compress> Writer<I, u8> for CompressWriter<I> {
    const SIZES: Sizes = SIZES_OF_LATIN1;

    #[inline(always)]
    fn write_ascii(&self, bytes: &[u8], out: &mut Out) -> bool {
        let isa = self.isa;
        let (a, b) = (isa.load(bytes, 0), isa.load(bytes, 64));
        let is_ascii = !isa.any_non_ascii(isa.or(a, b));
        if is_ascii {
            isa.store(a, out, 0);
            isa.store(b, out, 64);
        }
        is_ascii
    }

    #[inline(always)]
    fn write_block<const TEST_ASCII: bool>(&mut self, bytes: &[u8], out: &mut Out) -> (usize, Widest) {
        let isa = self.isa;
        let v = isa.load(bytes, 0);
        let long = isa.at_least_bits(v, isa.splat(0x80));
        let classes = |long: u32| UnitClasses { long, longer: 0, high: 0, low: 0 };
        let (lower, upper) = (classes(long as u32), classes((long >> 32) as u32));
        let at = self.write_twos::<false, false>(isa.load_widened(bytes, 0), lower, VECTOR_UNITS, out, 0);
        let v = isa.load_widened(bytes, 32);
        (self.write_twos::<false, false>(v, upper, VECTOR_UNITS, out, at), Widest::TwoBytes)
    }

    #[inline(always)]
    fn write_partial(&mut self, bytes: &[u8], out: &mut Out) -> usize {
        let v = self.isa.load_partial_widened(bytes);
        self.write_units::<u16, true, false>(v, bytes.len(), out).0
    }

    #[inline(always)]
    fn length_of_few(isa: I, bytes: &[u8]) -> usize {
        let mut length = bytes.len();
        for part in bytes.chunks(I::WIDTH) {
            length += isa.at_least_bits(isa.load_partial(part), isa.splat(0x80)).count_ones() as usize;
        }
        length
    }
}

impl<I: Compress, U: Halfword> Writer<I, U> for CompressWriter<I> {
    const SIZES: Sizes = SIZES_OF_UNITS;

    #[inline(always)]
    fn write_ascii(&self, units: &[U], out: &mut Out) -> bool {
        let bytes = bytes_of(units);
        self.write_narrow_ascii([self.isa.load(bytes, 0), self.isa.load(bytes, 64)], out)
    }

    #[inline(always)]
    fn write_block<const TEST_ASCII: bool>(&mut self, units: &[U], out: &mut Out) -> (usize, Widest) {
        let v = self.isa.load(bytes_of(units), 0);
        self.write_units::<U, false, TEST_ASCII>(v, VECTOR_UNITS, out)
    }

    #[inline(always)]
    fn write_partial(&mut self, units: &[U], out: &mut Out) -> usize {
        let v = self.isa.load_partial(bytes_of(units));
        self.write_units::<U, true, false>(v, units.len(), out).0
    }

    #[inline(always)]
    fn length_of_few(isa: I, units: &[U]) -> usize {
        let mut bytes = units.len();
        let mut open = 0;
        for part in units.chunks(VECTOR_UNITS) {
            let v = isa.load_partial(bytes_of(part));
            let long = isa.at_least16(v, isa.splat16(0x80));
            let longer = isa.at_least16(v, isa.splat16(0x800));
            bytes += (long.count_ones() + longer.count_ones()) as usize;
            if U::PAIRS {
                let above = isa.add16(v, isa.splat16(FIRST_SURROGATE.wrapping_neg()));
                let low_or_none = isa.at_least16(above, isa.splat16(0x400));
                let low = low_or_none & !isa.at_least16(above, isa.splat16(0x800));
                let high = !low_or_none;
                bytes -= 2 * ((high << 1 | open) & low).count_ones() as usize;
                open = high >> (VECTOR_UNITS - 1);
            }
        }
        bytes
    }
}

impl<I: Compress> Writer<I, u32> for CompressWriter<I> {
    const SIZES: Sizes = SIZES_OF_UNITS;

    #[inline(always)]
    fn write_ascii(&self, units: &[u32], out: &mut Out) -> bool {
        let isa = self.isa;
        let bytes = bytes_of(units);
        let [a, b] = [isa.load(bytes, 0), isa.load(bytes, 64)];
        let [c, d] = [isa.load(bytes, 128), isa.load(bytes, 192)];
        if isa.at_least32(isa.or(isa.or(a, b), isa.or(c, d)), isa.splat32(0x80)) != 0 {
            return false;
        }
        let even = isa.load(&EVEN, 0);
        self.write_narrow_ascii([isa.permute16_pair(a, even, b), isa.permute16_pair(c, even, d)], out)
    }

    #[inline(always)]
    fn write_block<const TEST_ASCII: bool>(&mut self, units: &[u32], out: &mut Out) -> (usize, Widest) {
        let bytes = bytes_of(units);
        let words = [self.isa.load(bytes, 0), self.isa.load(bytes, 64)];
        self.write_words::<false, TEST_ASCII>(words, VECTOR_UNITS, out)
    }

    #[inline(always)]
    fn write_partial(&mut self, units: &[u32], out: &mut Out) -> usize {
        let (lower, upper) = units.split_at(units.len().min(VECTOR_UNITS / 2));
        let isa = self.isa;
        let words = [isa.load_partial(bytes_of(lower)), isa.load_partial(bytes_of(upper))];
        self.write_words::<true, false>(words, units.len(), out).0
    }

    #[inline(always)]
    fn length_of_few(isa: I, units: &[u32]) -> usize {
        let mut bytes = units.len();
        for part in units.chunks(VECTOR_UNITS / 2) {
            let v = isa.load_partial(bytes_of(part));
            let long = isa.at_least32(v, isa.splat32(0x80));
            let longer = isa.at_least32(v, isa.splat32(0x800));
            let longest = isa.at_least32(v, isa.splat32(0x1_0000));
            bytes += (long.count_ones() + longer.count_ones() + longest.count_ones()) as usize;
        }
        bytes
    }
}

impl<I: Compress + Planes> SingleByteWriter<'_, I, CompressWriter<I>> {
    /// Encodes the first `length` bytes of a page in `v`; in the lanes after them is 0.
    #[inline(always)]
    fn write_vector<const EXACT: bool>(
        &mut self,
        v: I::Vector,
        length: usize,
        out: &mut Out,
    ) -> (usize, Widest) {
        let isa = self.writer.isa;
        let [lead, last] = lookup_high(isa, [&self.tables.lead, &self.tables.last], v);
        let last = isa.blend(isa.non_ascii(v), last, v);
        let long = isa.bits(isa.non_ascii(v));
        let longer = isa.at_least_bits(lead, isa.splat(THREE_BYTE_LEAD));
        let pairs = isa.interleave(lead, last);
        if longer == 0 {
            let at = self.write_pairs::<EXACT>(pairs[0], long as u32, length, out, 0);
            let length = length.saturating_sub(VECTOR_UNITS);
            return (
                self.write_pairs::<EXACT>(pairs[1], (long >> 32) as u32, length, out, at),
                Widest::TwoBytes,
            );
        }
        self.highest = isa.max(self.highest, lead);
        let [middle] = lookup_high(isa, [&self.tables.middle], v);
        let planes = [lead, middle, last];
        let mut at = 0;
        let mut quarter = 0;
        while quarter < 4 {
            let kept = isa.deposit_bits(long >> (16 * quarter) & 0xFFFF, EVERY_FOURTH)
                | isa.deposit_bits(longer >> (16 * quarter) & 0xFFFF, EVERY_FOURTH << 1)
                | EVERY_FOURTH << 2;
            let kept = if EXACT { kept & lowest_bits(4 * length.saturating_sub(16 * quarter)) } else { kept };
            at = self.writer.write::<EXACT>(kept, isa.interleave3(planes, quarter), out, at);
            quarter += 1;
        }
        (at, Widest::MoreBytes)
    }

    /// Writes characters of two bytes, which are given, or of the second one of them.
    #[inline(always)]
    fn write_pairs<const EXACT: bool>(
        &self,
        pairs: I::Vector,
        long: u32,
        length: usize,
        out: &mut Out,
        at: usize,
    ) -> usize {
        let kept = self.writer.isa.deposit_bits(u64::from(long), EVERY_SECOND) | EVERY_SECOND << 1;
        let kept = if EXACT { kept & lowest_bits(2 * length) } else { kept };
        self.writer.write::<EXACT>(kept, pairs, out, at)
    }
}

impl<I: Compress + Planes> Writer<I, u8> for SingleByteWriter<'_, I, CompressWriter<I>> {
    const SIZES: Sizes = SIZES_OF_SINGLE_BYTE;

    #[inline(always)]
    fn write_ascii(&self, bytes: &[u8], out: &mut Out) -> bool {
        Writer::<I, u8>::write_ascii(&self.writer, bytes, out)
    }

    #[inline(always)]
    fn write_block<const TEST_ASCII: bool>(&mut self, bytes: &[u8], out: &mut Out) -> (usize, Widest) {
        let v = self.writer.isa.load(bytes, 0);
        self.write_vector::<false>(v, bytes.len(), out)
    }

    #[inline(always)]
    fn write_partial(&mut self, bytes: &[u8], out: &mut Out) -> usize {
        let v = self.writer.isa.load_partial(bytes);
        self.write_vector::<true>(v, bytes.len(), out).0
    }
}
