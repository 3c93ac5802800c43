//! Encoding by shuffles, where the bytes of a vector can be reordered by a table.
//!
//! 1. Each unit is widened to the longest sequence that its block needs: two bytes in 16 bits, or three in 32. Latin-1
//!    is interleaved with its lead bytes.
//! 2. The bits that say how long the sequences of eight units, or four, are select one of 256 shuffles, which brings
//!    the bytes that are needed together. So a unit costs less the more of them are in a block.
//! 3. In UTF-16 each surrogate of a pair gives two of the four bytes, and is like any other unit of two bytes, once the
//!    two bits that the low surrogate's bytes need of the high one have been put before its own.
//! 4. UTF-32 is narrowed to 16 bits. In blocks that do not fit into them, each unit is widened to four bytes in its
//!    lane, of which a shuffle keeps those that are needed.
//! 5. Less than a block, or a block where the output may be too short, is encoded in a buffer on the stack and copied.
//!
//! The tables are like the ones in Daniel Lemire and Wojciech Muła, "Transcoding billions of Unicode characters per
//! second with SIMD instructions", Software: Practice and Experience 52 (2022).

use super::blocks::{Out, Sizes, SurrogateState, UnitWriter, Widest, Writer, WriterFamily, places};
use super::encoder::Encoded;
use super::length::{length, length_by_table};
use super::single_byte::SingleByteWriter;
use super::unit::Halfword;
use crate::kernels::single_byte::lookup_high;
use crate::sequence::THREE_BYTE_LEAD;
use crate::simd::uninit::MaybeUninit;
use crate::simd::{Lanes16, Number, Planes, bytes_of};

/// Units in a block, of single bytes and of all others.
const BLOCK_BYTES: usize = 32;
const BLOCK_UNITS: usize = 16;

/// Units in a block of ASCII.
const ASCII_UNITS: usize = 64;

/// Bytes of output that a block may write to: 64, or 48 in pieces of 16 that overlap.
const OUT_BYTES: usize = 64;

/// Bytes of output that a block of a single-byte encoding, one or two vectors, may write to; and one vector of it.
const SINGLE_BYTE_OUT_BYTES: usize = 3 * OUT_BYTES;
const VECTOR_OUT_BYTES: usize = 2 * OUT_BYTES;

/// The largest number of vectors in a block.
const MAX_VECTORS: usize = 2;

/// The sizes of Latin-1, of units of 16 and 32 bits, and of single-byte encodings.
const SIZES_OF_LATIN1: Sizes = Sizes { tests_ascii: false, ..sizes(BLOCK_BYTES, OUT_BYTES) };
const SIZES_OF_UNITS: Sizes = sizes(BLOCK_UNITS, OUT_BYTES);
const SIZES_OF_SINGLE_BYTE: Sizes = sizes(BLOCK_BYTES, SINGLE_BYTE_OUT_BYTES);

const fn sizes(block_units: usize, out_bytes: usize) -> Sizes {
    Sizes {
        block_units,
        ascii_units: ASCII_UNITS,
        out_bytes,
        min_units: 0,
        partial_units: block_units,
        tests_ascii: true,
    }
}

/// For each mask the order of 16 bytes in which those that are not needed come last.
type Shuffles = [[u8; 16]; 256];

/// Shuffles of eight units of two bytes. A bit of each means that only the first is needed, which is the only byte that
/// ASCII has.
static SHUFFLES_OF_TWO: Shuffles = shuffles(&[0b11, 0b01], 2, 1, 8);
/// Shuffles of four units in four bytes. In the lower half of the mask, a bit of each means that only the third is
/// needed, and in the upper half, that the first is not needed. The fourth never is.
static SHUFFLES_OF_THREE: Shuffles = shuffles(&[0b111, 0b101, 0b110, 0b100], 4, 1, 4);
/// Shuffles of four units of four bytes. Two bits of each are the number of its first bytes that are not needed.
static SHUFFLES_OF_FOUR: Shuffles = shuffles(&[0b1111, 0b1110, 0b1100, 0b1000], 4, 2, 1);

/// Returns the shuffles of units of `size` bytes, of which those are needed that have a bit in `needed`, at the index
/// whose bits the mask has: the lower one of each unit `step` bits after the lower one of the previous unit, the higher
/// one `distance` bits after the lower one.
const fn shuffles(needed: &[u8], size: usize, step: usize, distance: usize) -> Shuffles {
    let mut all = [[0; 16]; 256];
    let mut mask = 0;
    while mask < 256 {
        let mut to = 0;
        let mut from = 0;
        while from < 16 {
            let lower = from / size * step;
            let index = mask >> lower & 1 | (mask >> (lower + distance) & 1) << 1;
            if needed[index] >> (from % size) & 1 != 0 {
                all[mask][to] = from as u8;
                to += 1;
            }
            from += 1;
        }
        mask += 1;
    }
    all
}

/// The writers by shuffles.
pub(crate) struct ShuffleWriters;

impl<I: Lanes16 + Planes> WriterFamily<I> for ShuffleWriters {
    type Writer = ShuffleWriter<I>;
}

/// A writer, with what it has seen.
pub(crate) struct ShuffleWriter<I: Lanes16> {
    isa: I,
    /// Not 0 where a unit was not a scalar value or part of one.
    errors: I::Vector,
    /// Whether a unit was not a scalar value or part of one, as found outside of vectors.
    failed: bool,
    /// The last vector with a surrogate, and whether its last unit is a high surrogate.
    before: I::Vector,
    open: bool,
}

/// The classified units of a vector.
struct ClassifiedUnits<I: Lanes16> {
    /// All units; of surrogates in pairs the bits for their two bytes, in place.
    units: I::Vector,
    /// All bits of each lane of one byte.
    one_byte: I::Vector,
    /// All bits of each lane of one or two bytes, surrogates in pairs included.
    up_to_two_bytes: I::Vector,
    /// The differences of the leading bits of surrogates in pairs from the leading bits of other units of two bytes.
    marks: I::Vector,
}

impl<I: Lanes16> UnitWriter<I> for ShuffleWriter<I> {
    #[inline(always)]
    fn new(isa: I) -> Self {
        let zero = isa.splat(0);
        Self { isa, errors: zero, failed: false, before: zero, open: false }
    }

    #[inline(always)]
    fn finish(&self, written: usize) -> Encoded {
        Encoded { written, scalar: !(self.failed | self.open | self.isa.any(self.errors)) }
    }
}

impl<I: Lanes16> SurrogateState for ShuffleWriter<I> {
    #[inline(always)]
    fn end_pair(&mut self) {
        self.failed |= self.open;
        self.open = false;
    }
}

impl<I: Lanes16> ShuffleWriter<I> {
    /// Units of 16 bits in a vector.
    const LANES: usize = I::WIDTH / 2;

    /// Returns two vectors of units of 32 bits, which fit into 16, as one.
    #[inline(always)]
    fn load_narrow32(&self, bytes: &[u8], at: usize) -> I::Vector {
        self.isa.narrow32(self.isa.load(bytes, at), self.isa.load(bytes, at + I::WIDTH))
    }

    /// Writes one or two bytes for each unit to `out[at..]`, and returns where they end.
    #[inline(always)]
    fn write_twos(&self, units: &ClassifiedUnits<I>, out: &mut Out, at: usize) -> usize {
        let isa = self.isa;
        let second = isa.and(isa.shl16::<8>(units.units), isa.splat16(0x3F00));
        let words = isa.or(isa.or(self.firsts(units), second), isa.splat16(0x8000));
        let words = isa.select16(units.one_byte, units.units, words);
        let short = isa.mask_bits16(units.one_byte);
        let mut part = 0;
        while part < I::WIDTH / 16 {
            let mask = (short >> (16 * part)) as u8;
            let from = at + 16 * part - Self::ones_before(short, part);
            isa.store_shuffled(words, part, &SHUFFLES_OF_TWO[usize::from(mask)], out, from);
            part += 1;
        }
        at + 16 * part - Self::ones_before(short, part)
    }

    /// Returns the number of bits that are set for the first parts.
    #[inline(always)]
    fn ones_before(bits: u32, parts: usize) -> usize {
        // The compiler knows the largest number of ones in all of an integer.
        let ones = match parts {
            0 => 0,
            1 => (bits as u16).count_ones(),
            _ => bits.count_ones(),
        };
        ones as usize
    }

    /// Returns the first of two bytes for units that have two.
    #[inline(always)]
    fn firsts(&self, units: &ClassifiedUnits<I>) -> I::Vector {
        let isa = self.isa;
        isa.xor(isa.or(isa.shr16::<6>(units.units), isa.splat16(0xC0)), units.marks)
    }

    /// Writes one to three bytes for each unit to `out[at..]`, and returns where they end.
    #[inline(always)]
    fn write_threes(&self, units: &ClassifiedUnits<I>, out: &mut Out, at: usize) -> usize {
        let isa = self.isa;
        let first = isa.or(isa.shr16::<12>(units.units), isa.splat16(0x80E0));
        let second = isa.and(isa.shl16::<2>(units.units), isa.splat16(0x3F00));
        let starts =
            isa.select16(units.up_to_two_bytes, isa.shl16::<8>(self.firsts(units)), isa.or(first, second));
        let lasts = isa.or(isa.and(units.units, isa.splat16(0x3F)), isa.splat16(0x80));
        let lasts = isa.select16(units.one_byte, units.units, lasts);
        self.write_starts_and_lasts(starts, lasts, [units.one_byte, units.up_to_two_bytes], out, at)
    }

    /// Writes one to three bytes for each unit to `out[at..]`, and returns where they end. In each lane of `starts` are
    /// the first two bytes, or in the second place the first of two, and in the lane of `lasts` is the last.
    #[inline(always)]
    fn write_starts_and_lasts(
        &self,
        starts: I::Vector,
        lasts: I::Vector,
        [one_byte, up_to_two_bytes]: [I::Vector; 2],
        out: &mut Out,
        at: usize,
    ) -> usize {
        let isa = self.isa;
        let [lower, upper] = isa.interleave16(starts, lasts);
        let masks = isa.mask_bits16_pair(one_byte, up_to_two_bytes);
        let mut part = 0;
        while part < I::WIDTH / 16 {
            let [lower_mask, upper_mask] = ((masks >> (16 * part)) as u16).to_le_bytes();
            let from = at + 24 * part - Self::ones_before(masks, part);
            isa.store_shuffled(lower, part, &SHUFFLES_OF_THREE[usize::from(lower_mask)], out, from);
            let from = from + 12 - lower_mask.count_ones() as usize;
            isa.store_shuffled(upper, part, &SHUFFLES_OF_THREE[usize::from(upper_mask)], out, from);
            part += 1;
        }
        at + 24 * part - Self::ones_before(masks, part)
    }

    /// Writes one to four bytes for each unit of 32 bits to `out[at..]`, and returns where they end.
    #[inline(always)]
    fn write_fours(&mut self, v: I::Vector, out: &mut Out, at: usize) -> usize {
        let isa = self.isa;
        let zero = isa.splat(0);
        let above_11_bits = isa.and(v, isa.splat32(!0x7FF));
        let planes = isa.shr32::<16>(v);
        // The sign bit of a lane of 16 bits is set from 0x11 to 0x7FFF + 0x11, or it has been set before.
        let beyond = isa.or(planes, isa.add16(planes, isa.splat32(0x8000 - 0x11)));
        let beyond = isa.and(beyond, isa.splat32(0x8000));
        self.errors = isa.or(self.errors, isa.or(beyond, isa.equal32(above_11_bits, isa.splat32(0xD800))));

        let one_byte = isa.equal32(isa.and(v, isa.splat32(!0x7F)), zero);
        let up_to_two_bytes = isa.equal32(above_11_bits, zero);
        let up_to_three_bytes = isa.equal32(planes, zero);
        // Six bits a byte, the last ones in the last byte; then the leading bits.
        let first_two = isa.or(isa.shr32::<18>(v), isa.and(isa.shr32::<4>(v), isa.splat32(0x3F00)));
        let last_two = isa.or(
            isa.and(isa.shl32::<10>(v), isa.splat32(0x3F_0000)),
            isa.and(isa.shl32::<24>(v), isa.splat32(0x3F00_0000)),
        );
        let [of_two, of_three, of_four] = [0x80C0_0000, 0x8080_E000, 0x8080_80F0];
        let marks = isa.xor(
            isa.xor(isa.splat32(of_four), isa.and(up_to_three_bytes, isa.splat32(of_four ^ of_three))),
            isa.and(up_to_two_bytes, isa.splat32(of_three ^ of_two)),
        );
        let bytes = isa.or(isa.or(first_two, last_two), marks);
        let bytes = isa.select16(one_byte, isa.shl32::<24>(v), bytes);

        // For each lane two bits: the number of bytes that are not needed.
        let odd = isa.xor(isa.xor(one_byte, up_to_two_bytes), up_to_three_bytes);
        let masks = isa.mask_bits16(isa.select16(isa.splat32(0xFFFF), odd, up_to_two_bytes));
        let mut at = at;
        for part in 0..I::WIDTH / 16 {
            let mask = (masks >> (16 * part)) as u8;
            isa.store_shuffled(bytes, part, &SHUFFLES_OF_FOUR[usize::from(mask)], out, at);
            at += 16 - (mask.count_ones() + (mask & 0xAA).count_ones()) as usize;
        }
        at
    }

    /// Classifies units, none of which is part of a pair.
    #[inline(always)]
    fn classify(&self, v: I::Vector) -> ClassifiedUnits<I> {
        let isa = self.isa;
        let zero = isa.splat(0);
        ClassifiedUnits {
            units: v,
            one_byte: isa.equal16(isa.and(v, isa.splat16(0xFF80)), zero),
            up_to_two_bytes: isa.equal16(isa.and(v, isa.splat16(0xF800)), zero),
            marks: zero,
        }
    }

    /// Classifies units, some of which are surrogates in pairs.
    #[inline(always)]
    fn classify_pairs(&mut self, v: I::Vector) -> ClassifiedUnits<I> {
        let isa = self.isa;
        let prefixes = isa.and(v, isa.splat16(0xFC00));
        let is_high = isa.equal16(prefixes, isa.splat16(0xD800));
        let is_low = isa.equal16(prefixes, isa.splat16(0xDC00));
        let prev = isa.prev16(v, self.before);
        self.before = v;
        let due = isa.equal16(isa.and(prev, isa.splat16(0xFC00)), isa.splat16(0xD800));
        self.errors = isa.or(self.errors, isa.xor(is_low, due));
        // 0x10000 is added to the value of the pair; the first two bytes have all but two bits of the high surrogate's.
        let high = isa.shr16::<2>(isa.add16(v, isa.splat16(0x40u16.wrapping_sub(0xD800))));
        // Those two bits come before the bits of the low surrogate.
        let low = isa.and(isa.or(isa.and(v, isa.splat16(0x3FF)), isa.shl16::<10>(prev)), isa.splat16(0xFFF));
        let ClassifiedUnits { one_byte, up_to_two_bytes, .. } = self.classify(v);
        ClassifiedUnits {
            units: isa.select16(is_high, high, isa.select16(is_low, low, v)),
            one_byte,
            up_to_two_bytes: isa.or(up_to_two_bytes, isa.or(is_high, is_low)),
            // F0 and 80 instead of C0.
            marks: isa.or(isa.and(is_high, isa.splat16(0x30)), isa.and(is_low, isa.splat16(0x40))),
        }
    }

    /// Writes a block of units of 16 bits, of which `last` is the last.
    #[inline(always)]
    fn write_units<U: Halfword, const TEST_ASCII: bool>(
        &mut self,
        block: [I::Vector; MAX_VECTORS],
        last: u32,
        out: &mut Out,
    ) -> (usize, Widest) {
        let isa = self.isa;
        let vectors = &block[..BLOCK_UNITS / Self::LANES];
        let (mut any, mut high, mut surrogate) = (isa.splat(0), isa.splat(0), isa.splat(0));
        for &v in vectors {
            let bits = isa.and(v, isa.splat16(0xF800));
            any = isa.or(any, v);
            high = isa.or(high, bits);
            surrogate = isa.or(surrogate, isa.equal16(bits, isa.splat16(0xD800)));
        }
        let mut at = 0;
        if !isa.any(high) {
            self.end_pair();
            if TEST_ASCII && !isa.any(isa.and(any, isa.splat16(0xFF80))) {
                // Where a vector is a whole block, only the lower half of this is.
                isa.store(isa.narrow16(block[0], block[1]), out, 0);
                return (BLOCK_UNITS, Widest::OneByte);
            }
            for &v in vectors {
                at = self.write_twos(&self.classify(v), out, at);
            }
            return (at, Widest::TwoBytes);
        }
        if !U::PAIRS {
            self.errors = isa.or(self.errors, surrogate);
        } else if isa.any(surrogate) {
            for &v in vectors {
                let units = self.classify_pairs(v);
                at = self.write_threes(&units, out, at);
            }
            self.open = last & 0xFC00 == 0xD800;
            return (at, Widest::MoreBytes);
        }
        self.end_pair();
        for &v in vectors {
            at = self.write_threes(&self.classify(v), out, at);
        }
        (at, Widest::MoreBytes)
    }

    /// Copies a whole number of vectors.
    #[inline(always)]
    fn copy(&self, bytes: &[u8], out: &mut Out) {
        let mut at = 0;
        while at < bytes.len() {
            self.isa.store(self.isa.load(bytes, at), out, at);
            at += I::WIDTH;
        }
    }
}

/// Writes less than a block of `BLOCK` units, or a block where `out` may be shorter than the `OUT` bytes it may write
/// to.
#[inline(always)]
fn write_by_copy<I, U, W: Writer<I, U>, const BLOCK: usize, const OUT: usize>(
    writer: &mut W,
    units: &[U],
    out: &mut Out,
) -> usize
where
    U: Number + Default,
{
    const { assert!(BLOCK == W::SIZES.block_units && OUT == W::SIZES.out_bytes) };
    let mut block = [U::default(); BLOCK];
    copy_few(units, block.get_mut(..units.len()).unwrap_or_default());
    let mut bytes = [MaybeUninit::new(0); OUT];
    let (written, _) = writer.write_block::<false>(&block, &mut bytes);
    // Each unit of the padding takes a byte.
    let length = written.wrapping_sub(BLOCK - units.len()).min(OUT).min(out.len());
    copy_few(&bytes[..length], &mut out[..length]);
    length
}

/// Copies fewer than 128 values, faster than a copy of any number.
#[inline(always)]
fn copy_few<T: Copy>(from: &[T], to: &mut [T]) {
    let _ = copy_ends::<T, 64>(from, to)
        || copy_ends::<T, 32>(from, to)
        || copy_ends::<T, 16>(from, to)
        || copy_ends::<T, 8>(from, to)
        || copy_ends::<T, 4>(from, to)
        || copy_ends::<T, 2>(from, to)
        || copy_ends::<T, 1>(from, to);
}

/// Copies the first `N` and the last `N` values if there are as many, and returns whether there are.
#[inline(always)]
fn copy_ends<T: Copy, const N: usize>(from: &[T], to: &mut [T]) -> bool {
    let (Some(first), Some(last)) = (from.first_chunk::<N>(), from.last_chunk::<N>()) else { return false };
    let Some(place) = to.first_chunk_mut() else { return false };
    *place = *first;
    let Some(place) = to.last_chunk_mut() else { return false };
    *place = *last;
    true
}

impl<I: Lanes16 + Planes> ShuffleWriter<I> {
    /// Writes each lane of `v` that is ASCII, and for each other one the lanes of `lead` and `last`. Returns the number
    /// of bytes.
    #[inline(always)]
    fn write_ones_and_twos(&self, v: I::Vector, lead: I::Vector, last: I::Vector, out: &mut Out) -> usize {
        let isa = self.isa;
        let multibyte = isa.non_ascii(v);
        let pairs = isa.interleave(isa.blend(multibyte, lead, v), last);
        let short = !isa.bits(multibyte) as u32;
        let mut at = 0;
        let mut part = 0;
        while part < I::WIDTH / 8 {
            let [mask, ..] = (short >> (8 * part)).to_le_bytes();
            let (half, order) = (pairs[part / (I::WIDTH / 16)], &SHUFFLES_OF_TWO[usize::from(mask)]);
            isa.store_shuffled(half, part % (I::WIDTH / 16), order, out, at);
            at += 16 - mask.count_ones() as usize;
            part += 1;
        }
        at
    }
}

impl<I: Lanes16 + Planes> Writer<I, u8> for ShuffleWriter<I> {
    const SIZES: Sizes = SIZES_OF_LATIN1;

    #[inline(always)]
    fn write_ascii(&self, bytes: &[u8], out: &mut Out) -> bool {
        let is_ascii = !self.isa.any_non_ascii(self.isa.or_all(bytes));
        if is_ascii {
            self.copy(bytes, out);
        }
        is_ascii
    }

    #[inline(always)]
    fn write_block<const TEST_ASCII: bool>(&mut self, bytes: &[u8], out: &mut Out) -> (usize, Widest) {
        let isa = self.isa;
        let mut written = 0;
        let mut at = 0;
        while at < bytes.len() {
            let v = isa.load(bytes, at);
            // The lead byte is C2 or C3.
            let lead = isa.or(isa.and(isa.shr::<6>(v), isa.splat(0x03)), isa.splat(0xC0));
            if let Some(out) = out.get_mut(written..) {
                written += self.write_ones_and_twos(v, lead, isa.and(v, isa.splat(0xBF)), out);
            }
            at += I::WIDTH;
        }
        (written, Widest::TwoBytes)
    }

    #[inline(always)]
    fn write_partial(&mut self, bytes: &[u8], out: &mut Out) -> usize {
        write_by_copy::<_, _, _, BLOCK_BYTES, OUT_BYTES>(self, bytes, out)
    }
}

impl<I: Lanes16, U: Halfword + Default> Writer<I, U> for ShuffleWriter<I> {
    const SIZES: Sizes = SIZES_OF_UNITS;

    #[inline(always)]
    fn write_ascii(&self, units: &[U], out: &mut Out) -> bool {
        let isa = self.isa;
        let bytes = bytes_of(units);
        let is_ascii = !isa.any(isa.and(isa.or_all(bytes), isa.splat16(0xFF80)));
        if is_ascii {
            let mut at = 0;
            while at < units.len() {
                let narrow = isa.narrow16(isa.load(bytes, 2 * at), isa.load(bytes, 2 * at + I::WIDTH));
                isa.store(narrow, out, at);
                at += I::WIDTH;
            }
        }
        is_ascii
    }

    #[inline(always)]
    fn write_block<const TEST_ASCII: bool>(&mut self, units: &[U], out: &mut Out) -> (usize, Widest) {
        let bytes = bytes_of(units);
        let vectors = [self.isa.load(bytes, 0), self.isa.load(bytes, bytes.len() - I::WIDTH)];
        self.write_units::<U, TEST_ASCII>(vectors, units[BLOCK_UNITS - 1].value(), out)
    }

    #[inline(always)]
    fn write_partial(&mut self, units: &[U], out: &mut Out) -> usize {
        write_by_copy::<_, _, _, BLOCK_UNITS, OUT_BYTES>(self, units, out)
    }

    #[inline(always)]
    fn length(isa: I, units: &[U]) -> usize {
        if U::PAIRS { length::<U, false>(units) } else { length_by_table(isa, units) }
    }
}

impl<I: Lanes16> Writer<I, u32> for ShuffleWriter<I> {
    const SIZES: Sizes = SIZES_OF_UNITS;

    #[inline(always)]
    fn write_ascii(&self, units: &[u32], out: &mut Out) -> bool {
        let isa = self.isa;
        let bytes = bytes_of(units);
        let is_ascii = !isa.any(isa.and(isa.or_all(bytes), isa.splat32(!0x7F)));
        if is_ascii {
            let mut at = 0;
            while at < units.len() {
                let narrow = isa.narrow16(
                    self.load_narrow32(bytes, 4 * at),
                    self.load_narrow32(bytes, 4 * at + 2 * I::WIDTH),
                );
                isa.store(narrow, out, at);
                at += I::WIDTH;
            }
        }
        is_ascii
    }

    #[inline(always)]
    fn write_block<const TEST_ASCII: bool>(&mut self, units: &[u32], out: &mut Out) -> (usize, Widest) {
        let isa = self.isa;
        let bytes = bytes_of(units);
        if isa.any(isa.and(isa.or_all(bytes), isa.splat32(0xFFFF_0000))) {
            let mut written = 0;
            let mut at = 0;
            while at < bytes.len() {
                written = self.write_fours(isa.load(bytes, at), out, written);
                at += I::WIDTH;
            }
            return (written, Widest::MoreBytes);
        }
        let vectors = [self.load_narrow32(bytes, 0), self.load_narrow32(bytes, bytes.len() - 2 * I::WIDTH)];
        self.write_units::<u16, TEST_ASCII>(vectors, 0, out)
    }

    #[inline(always)]
    fn write_partial(&mut self, units: &[u32], out: &mut Out) -> usize {
        write_by_copy::<_, _, _, BLOCK_UNITS, OUT_BYTES>(self, units, out)
    }

    #[inline(always)]
    fn length(isa: I, units: &[u32]) -> usize {
        length_by_table(isa, units)
    }
}

impl<I: Lanes16 + Planes> Writer<I, u8> for SingleByteWriter<'_, I, ShuffleWriter<I>> {
    const SIZES: Sizes = SIZES_OF_SINGLE_BYTE;

    #[inline(always)]
    fn write_ascii(&self, bytes: &[u8], out: &mut Out) -> bool {
        Writer::<I, u8>::write_ascii(&self.writer, bytes, out)
    }

    #[inline(always)]
    fn write_block<const TEST_ASCII: bool>(&mut self, bytes: &[u8], out: &mut Out) -> (usize, Widest) {
        let isa = self.writer.isa;
        if TEST_ASCII && !isa.any_non_ascii(isa.or_all(bytes)) {
            self.writer.copy(bytes, out);
            return (BLOCK_BYTES, Widest::OneByte);
        }
        let mut widest = Widest::TwoBytes;
        let mut written = 0;
        let mut at = 0;
        while at < bytes.len() {
            if let Some(out) = places(out, written, VECTOR_OUT_BYTES) {
                let (length, any_threes) = self.write_vector(isa.load(bytes, at), out);
                if any_threes {
                    widest = Widest::MoreBytes;
                }
                written += length;
            }
            at += I::WIDTH;
        }
        (written, widest)
    }

    #[inline(always)]
    fn write_partial(&mut self, bytes: &[u8], out: &mut Out) -> usize {
        write_by_copy::<_, _, _, BLOCK_BYTES, SINGLE_BYTE_OUT_BYTES>(self, bytes, out)
    }
}

impl<I: Lanes16 + Planes> SingleByteWriter<'_, I, ShuffleWriter<I>> {
    /// Writes the characters of the bytes of `v`. Returns the number of bytes in UTF-8, and whether there are
    /// three-byte sequences.
    #[inline(always)]
    fn write_vector(&mut self, v: I::Vector, out: &mut Out) -> (usize, bool) {
        let isa = self.writer.isa;
        let [lead, last] = lookup_high(isa, [&self.tables.lead, &self.tables.last], v);
        let threes = isa.at_least(lead, isa.splat(THREE_BYTE_LEAD));
        if isa.bits(threes) == 0 {
            return (self.writer.write_ones_and_twos(v, lead, last, out), false);
        }
        self.highest = isa.max(self.highest, lead);
        let multibyte = isa.non_ascii(v);
        let (zero, ones) = (isa.splat(0), isa.splat(0xFF));
        let one_byte = isa.blend(multibyte, zero, ones);
        let up_to_two_bytes = isa.blend(threes, zero, ones);
        let [middle] = lookup_high(isa, [&self.tables.middle], v);
        let starts = isa.interleave(lead, isa.blend(threes, middle, lead));
        let lasts = isa.interleave(isa.blend(multibyte, last, v), zero);
        let one_byte = isa.interleave(one_byte, one_byte);
        let up_to_two_bytes = isa.interleave(up_to_two_bytes, up_to_two_bytes);
        let mut at = 0;
        for half in 0..2 {
            let lengths = [one_byte[half], up_to_two_bytes[half]];
            at = self.writer.write_starts_and_lasts(starts[half], lasts[half], lengths, out, at);
        }
        (at, true)
    }
}
