//! Encoding by squeezing, where an instruction set can gather bits into bytes, and squeeze bytes out.
//!
//! 1. The bits of a character are gathered, six to a byte, and the marks of lead and continuation bytes are put
//!    on: two bytes for each of 32 units, or three of four for each of 16.
//! 2. Shorter characters use the last of these bytes; the others are squeezed out. The mask for that comes from
//!    comparisons, each unit's bit deposited where its byte stands.
//! 3. Where units are below 80 or below 800 all together, less is to be done: each block is looked at.
//! 4. In UTF-16 each surrogate of a pair gives two of the four bytes. So both are units of two bytes like any
//!    other, once the two bits that the second needs of the first have been put before its own.
//! 5. UTF-32 is narrowed to 16 bits wherever it fits into them.
//! 6. As long as there is room for whole vectors, these are stored; then, just the bytes that there are.
//!
//! Tried and lost: a store of two halves (compilers make one of it); a test for whether a masked store is needed
//! (masked ones take no longer).

use super::single_byte::{Paging, SingleByteEncoder, single_byte_length};
use super::{Encoded, Encoder, FEW, Halfword, Pairs, Widest, Writer, by_writer, encode_by};
use crate::kernels::single_byte::{THREE_BYTES, Tables, lookup_high};
use crate::simd::uninit::MaybeUninit;
use crate::simd::{Compress, Permute, Planes, bytes_of};

/// Lanes16 of 16 bits in a vector, or of 32 in two.
const UNITS: usize = 32;
const _: () = assert!(FEW == UNITS);

/// Fewer units are encoded as they come.
const SHORT: usize = 128;

/// As many bytes as those of a block are written to: at most the last half of one ends a vector later.
const ROOM: usize = 128;

/// The same for a block of a page, which is two or four vectors then.
const ROOM_OF_PAGE: usize = 256;

/// Bits of lanes of 8 within 16, and within 32.
const EVERY_SECOND: u64 = 0x5555_5555_5555_5555;
const EVERY_FOURTH: u64 = 0x1111_1111_1111_1111;

/// Where the bits of each byte begin: for characters of two bytes in lanes of 16 bits, and for those of three and
/// of four in lanes of 32.
const TWO: [u8; 64] = places([6, 0, 22, 16]);
const THREE: [u8; 64] = places([12, 6, 0, 0]);
const FOUR_BYTE_LEAD: [u8; 64] = places([18, 12, 6, 0]);

const fn places(of_word: [u8; 4]) -> [u8; 64] {
    let mut all = [0; 64];
    let mut byte = 0;
    while byte < 64 {
        all[byte] = of_word[byte % 4] + (byte as u8 & 4) * 8;
        byte += 1;
    }
    all
}

/// For permutes of 16 bits: each unit of the lower half twice, and each of the upper; the lower half of each 32
/// bits; and the lanes one up.
const LOWER: [u8; 64] = lanes(0, 1, 2);
const UPPER: [u8; 64] = lanes(16, 1, 2);
const EVEN: [u8; 64] = lanes(0, 2, 1);
const ONE_UP: [u8; 64] = lanes(31, 1, 1);

/// For permutes of bytes: the lower one of each 16 bits.
const EVEN_BYTES: [u8; 64] = {
    let mut all = [0; 64];
    let mut byte = 0;
    while byte < 64 {
        all[byte] = 2 * byte as u8;
        byte += 1;
    }
    all
};

/// Numbers of lanes from `first` on, each as often as `same` says, and then the one `step` further.
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
const D800: u16 = 0xD800;

/// The ternary operation `(a & b) | c`.
const AND_OR: i32 = 0b1110_1010;
/// `b` where `a` has bits, and else `c`.
const SELECT: i32 = 0b1100_1010;

/// What the units of a vector are: a bit for each.
#[derive(Clone, Copy)]
struct Kinds {
    /// At least 80.
    long: u32,
    /// At least 800, and no part of a pair.
    longer: u32,
    /// The first half of a pair.
    first: u32,
    /// The second half.
    second: u32,
}

/// What has been seen.
struct Squeezing<I: Compress> {
    isa: I,
    /// Lanes16 less D800, the lowest: below 800 if there was a surrogate, where these are not looked at each.
    lowest: I::Vector,
    /// Not 0 if something stood where it must not, as far as that was looked at unit by unit.
    broken: u32,
    /// The last units with a surrogate, and 1 if the very last was the first half of a pair.
    before: I::Vector,
    open: u32,
}

impl<I: Compress> Squeezing<I> {
    #[inline(always)]
    fn encode<U, const N: usize, const A: usize>(isa: I, units: &[U], out: &mut [MaybeUninit<u8>]) -> Encoded
    where
        Self: Writer<U, N, A, ROOM>,
    {
        let mut all = Self::new(isa);
        let written = encode_by(&mut all, units, out);
        all.finish(written)
    }

    /// The same for a few units, all at once.
    #[inline(always)]
    fn encode_few<U, const N: usize, const A: usize>(
        isa: I,
        units: &[U],
        out: &mut [MaybeUninit<u8>],
    ) -> Encoded
    where
        Self: Writer<U, N, A, ROOM>,
    {
        let mut all = Self::new(isa);
        let written = if units.is_empty() { 0 } else { all.put_some(units, out) };
        all.finish(written)
    }

    #[inline(always)]
    fn new(isa: I) -> Self {
        Self { isa, lowest: isa.splat16(u16::MAX), broken: 0, before: isa.splat(0), open: 0 }
    }

    #[inline(always)]
    fn finish(&self, written: usize) -> Encoded {
        let lone = self.isa.at_least16(self.lowest, self.isa.splat16(0x800)) != u32::MAX;
        Encoded { written, scalar: !lone & (self.broken | self.open == 0) }
    }

    /// Writes the bytes of `v` that are kept to `out[at..]`, and tells where they end. A whole vector is written, but
    /// with `EXACT` no more than these where there is no room for one.
    #[inline(always)]
    fn put<const EXACT: bool>(
        &self,
        kept: u64,
        v: I::Vector,
        out: &mut [MaybeUninit<u8>],
        at: usize,
    ) -> usize {
        let squeezed = self.isa.compress(kept, v);
        let length = kept.count_ones() as usize;
        if EXACT && out.len() < at + I::WIDTH {
            return at + self.put_start(squeezed, length, out.get_mut(at..).unwrap_or_default());
        }
        self.isa.store(squeezed, out, at);
        at + length
    }

    /// Writes the first `length` bytes, or as many as `out` has room for, and tells how many.
    #[inline(always)]
    fn put_start(&self, v: I::Vector, length: usize, out: &mut [MaybeUninit<u8>]) -> usize {
        let length = length.min(out.len());
        self.isa.store_partial(v, &mut out[..length]);
        length
    }

    /// Encodes the first `units` of 16 bits in `v`; in the lanes after them is 0.
    #[inline(always)]
    fn put_units<U: Halfword, const EXACT: bool, const ONE: bool>(
        &mut self,
        v: I::Vector,
        units: usize,
        out: &mut [MaybeUninit<u8>],
    ) -> (usize, Widest) {
        let isa = self.isa;
        let long = isa.at_least16(v, isa.splat16(0x80));
        let longer = isa.at_least16(v, isa.splat16(0x800));
        let kinds = Kinds { long, longer, first: 0, second: 0 };
        if longer == 0 {
            self.close();
            if ONE && long == 0 {
                isa.store(isa.permute8_pair(v, isa.load(&EVEN_BYTES, 0), v), out, 0);
                return (units, Widest::One);
            }
            return (self.put_twos::<EXACT, false>(v, kinds, units, out, 0), Widest::Two);
        }
        let above = isa.add16(v, isa.splat16(D800.wrapping_neg()));
        if !U::PAIRS {
            self.lowest = isa.min16(self.lowest, above);
            return (self.put_threes::<EXACT, false>(v, kinds, units, out), Widest::More);
        }
        let surrogates = !isa.at_least16(above, isa.splat16(0x800));
        if surrogates == 0 {
            self.close();
            return (self.put_threes::<EXACT, false>(v, kinds, units, out), Widest::More);
        }
        let second = surrogates & isa.at_least16(above, isa.splat16(0x400));
        let first = surrogates & !second;
        self.broken |= second ^ (first << 1 | self.open);
        self.open = first >> (units - 1) & 1;
        // 10000 added to what the pair stands for, and all but two bits of the first half's for the first bytes.
        let halves = isa.add16(v, isa.splat16(0x40u16.wrapping_sub(D800)));
        let halves = isa.shr16_where::<2>(first, halves, v);
        // Those two bits, before those of the second half.
        let one_before = isa.permute16_pair(self.before, isa.load(&ONE_UP, 0), v);
        let joined = isa.ternary::<SELECT>(isa.splat16(0x0C00), isa.shl16::<10>(one_before), v);
        let halves = isa.select16(second, joined, halves);
        self.before = v;
        let kinds = Kinds { long, longer: longer & !surrogates, first, second };
        if kinds.longer == 0 {
            return (self.put_twos::<EXACT, true>(halves, kinds, units, out, 0), Widest::More);
        }
        (self.put_threes::<EXACT, true>(halves, kinds, units, out), Widest::More)
    }

    /// Writes units of at most two bytes; with `PAIRS` halves of pairs may be among them.
    #[inline(always)]
    fn put_twos<const EXACT: bool, const PAIRS: bool>(
        &self,
        v: I::Vector,
        kinds: Kinds,
        units: usize,
        out: &mut [MaybeUninit<u8>],
        at: usize,
    ) -> usize {
        let isa = self.isa;
        let gathered = isa.multishift(isa.load(&TWO, 0), v);
        let mut bytes = isa.ternary::<AND_OR>(gathered, isa.splat16(0x3F3F), isa.splat16(0x80C0));
        if PAIRS {
            bytes = isa.add16_where(kinds.first, bytes, isa.splat16(0xF0 - 0xC0));
            bytes = isa.add16_where(kinds.second, bytes, isa.splat16(0x40u16.wrapping_neg()));
        }
        bytes = isa.shl16_where::<8>(!kinds.long, v, bytes);
        let mut kept = isa.deposit_bits(u64::from(kinds.long), EVERY_SECOND) | EVERY_SECOND << 1;
        if EXACT {
            kept &= lowest(2 * units);
        }
        self.put::<EXACT>(kept, bytes, out, at)
    }

    /// Writes units of at most three bytes; with `PAIRS` halves of pairs may be among them.
    #[inline(always)]
    fn put_threes<const EXACT: bool, const PAIRS: bool>(
        &self,
        v: I::Vector,
        kinds: Kinds,
        units: usize,
        out: &mut [MaybeUninit<u8>],
    ) -> usize {
        let lower = self.isa.permute16(self.isa.load(&LOWER, 0), v);
        let at = self.put_half::<EXACT, PAIRS>(lower, kinds, units, out, 0);
        let kinds = Kinds {
            long: kinds.long >> 16,
            longer: kinds.longer >> 16,
            first: kinds.first >> 16,
            second: kinds.second >> 16,
        };
        let upper = self.isa.permute16(self.isa.load(&UPPER, 0), v);
        self.put_half::<EXACT, PAIRS>(upper, kinds, units.saturating_sub(UNITS / 2), out, at)
    }

    /// The same for half as many units, each of which `twice` has twice.
    #[inline(always)]
    fn put_half<const EXACT: bool, const PAIRS: bool>(
        &self,
        twice: I::Vector,
        kinds: Kinds,
        units: usize,
        out: &mut [MaybeUninit<u8>],
        at: usize,
    ) -> usize {
        let isa = self.isa;
        let gathered = isa.multishift(isa.load(&THREE, 0), twice);
        let mut bytes = isa.ternary::<AND_OR>(gathered, isa.splat32(0x003F_3F0F), isa.splat32(0x0080_80E0));
        // Now the second byte has the mark of continuation bytes, and so has that of a second half.
        bytes = isa.or32_where(!(kinds.longer | kinds.second) as u16, bytes, isa.splat32(0x4000));
        if PAIRS {
            bytes = isa.or32_where(kinds.first as u16, bytes, isa.splat32(0x7000));
        }
        bytes = isa.shl32_where::<16>(!kinds.long as u16, twice, bytes);
        let mut kept = isa.deposit_bits(u64::from(kinds.longer), EVERY_FOURTH)
            | isa.deposit_bits(u64::from(kinds.long), EVERY_FOURTH << 1)
            | EVERY_FOURTH << 2;
        if EXACT {
            kept &= lowest(4 * units);
        }
        self.put::<EXACT>(kept, bytes, out, at)
    }

    /// Writes the first `units` of 32 bits in `v`; in the lanes after them is 0.
    #[inline(always)]
    fn put_fours<const EXACT: bool>(
        &mut self,
        v: I::Vector,
        units: usize,
        out: &mut [MaybeUninit<u8>],
        at: usize,
    ) -> usize {
        let isa = self.isa;
        let [long, longer, longest, beyond] = [
            isa.at_least32(v, isa.splat32(0x80)),
            isa.at_least32(v, isa.splat32(0x800)),
            isa.at_least32(v, isa.splat32(0x1_0000)),
            isa.at_least32(v, isa.splat32(0x11_0000)),
        ];
        let above = isa.add32(v, isa.splat32(u32::from(D800).wrapping_neg()));
        self.broken |= u32::from(beyond | !isa.at_least32(above, isa.splat32(0x800)));
        let gathered = isa.multishift(isa.load(&FOUR_BYTE_LEAD, 0), v);
        let mut bytes = isa.ternary::<AND_OR>(gathered, isa.splat32(0x3F3F_3F07), isa.splat32(0x8080_80F0));
        bytes = isa.or32_where(!longest, bytes, isa.splat32(0x6000));
        bytes = isa.or32_where(!longer, bytes, isa.splat32(0x40_0000));
        bytes = isa.shl32_where::<24>(!long, v, bytes);
        let mut kept = isa.deposit_bits(u64::from(longest), EVERY_FOURTH)
            | isa.deposit_bits(u64::from(longer), EVERY_FOURTH << 1)
            | isa.deposit_bits(u64::from(long), EVERY_FOURTH << 2)
            | EVERY_FOURTH << 3;
        if EXACT {
            kept &= lowest(4 * units);
        }
        self.put::<EXACT>(kept, bytes, out, at)
    }

    /// Writes up to 32 units of 32 bits, the first ones in `a`; in the lanes after them is 0.
    #[inline(always)]
    fn put_words<const EXACT: bool, const ONE: bool>(
        &mut self,
        [a, b]: [I::Vector; 2],
        units: usize,
        out: &mut [MaybeUninit<u8>],
    ) -> (usize, Widest) {
        let isa = self.isa;
        if isa.at_least32(isa.or(a, b), isa.splat32(0x1_0000)) == 0 {
            let narrowed = isa.permute16_pair(a, isa.load(&EVEN, 0), b);
            return self.put_units::<u16, EXACT, ONE>(narrowed, units, out);
        }
        let at = self.put_fours::<EXACT>(a, units, out, 0);
        (self.put_fours::<EXACT>(b, units.saturating_sub(UNITS / 2), out, at), Widest::More)
    }

    /// Writes two vectors of units of 16 bits if all are ASCII, and tells whether they are.
    #[inline(always)]
    fn put_if_ascii(&self, [a, b]: [I::Vector; 2], out: &mut [MaybeUninit<u8>; 64]) -> bool {
        let isa = self.isa;
        let ascii = isa.at_least16(isa.or(a, b), isa.splat16(0x80)) == 0;
        if ascii {
            isa.store(isa.permute8_pair(a, isa.load(&EVEN_BYTES, 0), b), out, 0);
        }
        ascii
    }
}

impl<I: Compress> Pairs for Squeezing<I> {
    #[inline(always)]
    fn close(&mut self) {
        self.broken |= self.open;
        self.open = 0;
    }
}

/// So many of the lowest bits; all, if there are no more.
#[inline(always)]
fn lowest(bits: usize) -> u64 {
    if bits < 64 { (1 << bits) - 1 } else { u64::MAX }
}

impl<I: Compress> Writer<u8, 64, 128, ROOM> for Squeezing<I> {
    const SHORT: usize = SHORT;

    const SOME: usize = UNITS;

    const LOOKS: bool = false;

    #[inline(always)]
    fn put_ascii(&self, block: &[u8; 128], out: &mut [MaybeUninit<u8>; 128]) -> bool {
        let isa = self.isa;
        let (a, b) = (isa.load(block, 0), isa.load(block, 64));
        let ascii = !isa.any_non_ascii(isa.or(a, b));
        if ascii {
            isa.store(a, out, 0);
            isa.store(b, out, 64);
        }
        ascii
    }

    #[inline(always)]
    fn put_block<const ONE: bool>(
        &mut self,
        block: &[u8; 64],
        out: &mut [MaybeUninit<u8>; ROOM],
    ) -> (usize, Widest) {
        let isa = self.isa;
        let v = isa.load(block, 0);
        let long = isa.at_least_bits(v, isa.splat(0x80));
        let kinds = |long: u32| Kinds { long, longer: 0, first: 0, second: 0 };
        let (lower, upper) = (kinds(long as u32), kinds((long >> 32) as u32));
        let at = self.put_twos::<false, false>(isa.load_widened(block, 0), lower, UNITS, out, 0);
        (self.put_twos::<false, false>(isa.load_widened(block, 32), upper, UNITS, out, at), Widest::Two)
    }

    #[inline(always)]
    fn put_some(&mut self, units: &[u8], out: &mut [MaybeUninit<u8>]) -> usize {
        let v = self.isa.load_partial_widened(units);
        self.put_units::<u16, true, false>(v, units.len(), out).0
    }
}

impl<I: Compress, U: Halfword> Writer<U, UNITS, 64, ROOM> for Squeezing<I> {
    const SHORT: usize = SHORT;

    const SOME: usize = UNITS;

    const LOOKS: bool = true;

    #[inline(always)]
    fn put_ascii(&self, block: &[U; 64], out: &mut [MaybeUninit<u8>; 64]) -> bool {
        let bytes = bytes_of(block);
        self.put_if_ascii([self.isa.load(bytes, 0), self.isa.load(bytes, 64)], out)
    }

    #[inline(always)]
    fn put_block<const ONE: bool>(
        &mut self,
        block: &[U; UNITS],
        out: &mut [MaybeUninit<u8>; ROOM],
    ) -> (usize, Widest) {
        let v = self.isa.load(bytes_of(block), 0);
        self.put_units::<U, false, ONE>(v, UNITS, out)
    }

    #[inline(always)]
    fn put_some(&mut self, units: &[U], out: &mut [MaybeUninit<u8>]) -> usize {
        let v = self.isa.load_partial(bytes_of(units));
        self.put_units::<U, true, false>(v, units.len(), out).0
    }
}

impl<I: Compress> Writer<u32, UNITS, 64, ROOM> for Squeezing<I> {
    const SHORT: usize = SHORT;

    const SOME: usize = UNITS;

    const LOOKS: bool = true;

    #[inline(always)]
    fn put_ascii(&self, block: &[u32; 64], out: &mut [MaybeUninit<u8>; 64]) -> bool {
        let isa = self.isa;
        let bytes = bytes_of(block);
        let [a, b] = [isa.load(bytes, 0), isa.load(bytes, 64)];
        let [c, d] = [isa.load(bytes, 128), isa.load(bytes, 192)];
        if isa.at_least32(isa.or(isa.or(a, b), isa.or(c, d)), isa.splat32(0x80)) != 0 {
            return false;
        }
        let even = isa.load(&EVEN, 0);
        self.put_if_ascii([isa.permute16_pair(a, even, b), isa.permute16_pair(c, even, d)], out)
    }

    #[inline(always)]
    fn put_block<const ONE: bool>(
        &mut self,
        block: &[u32; UNITS],
        out: &mut [MaybeUninit<u8>; ROOM],
    ) -> (usize, Widest) {
        let bytes = bytes_of(block);
        let words = [self.isa.load(bytes, 0), self.isa.load(bytes, 64)];
        self.put_words::<false, ONE>(words, UNITS, out)
    }

    #[inline(always)]
    fn put_some(&mut self, units: &[u32], out: &mut [MaybeUninit<u8>]) -> usize {
        let (lower, upper) = units.split_at(units.len().min(UNITS / 2));
        let isa = self.isa;
        let words = [isa.load_partial(bytes_of(lower)), isa.load_partial(bytes_of(upper))];
        self.put_words::<true, false>(words, units.len(), out).0
    }
}

/// Encodes by squeezing.
pub(crate) struct CompressEncoder;

impl<I: Compress> Encoder<I, u8> for CompressEncoder {
    by_writer!(Squeezing, u8);

    #[inline(always)]
    fn length_of_few(isa: I, units: &[u8]) -> usize {
        let mut bytes = units.len();
        for some in units.chunks(I::WIDTH) {
            bytes += isa.at_least_bits(isa.load_partial(some), isa.splat(0x80)).count_ones() as usize;
        }
        bytes
    }
}

impl<I: Compress, U: Halfword> Encoder<I, U> for CompressEncoder {
    by_writer!(Squeezing, U);

    #[inline(always)]
    fn length_of_few(isa: I, units: &[U]) -> usize {
        let mut bytes = units.len();
        let mut open = 0;
        for some in units.chunks(UNITS) {
            let v = isa.load_partial(bytes_of(some));
            let long = isa.at_least16(v, isa.splat16(0x80));
            let longer = isa.at_least16(v, isa.splat16(0x800));
            bytes += (long.count_ones() + longer.count_ones()) as usize;
            if U::PAIRS {
                let above = isa.add16(v, isa.splat16(D800.wrapping_neg()));
                let second_or_none = isa.at_least16(above, isa.splat16(0x400));
                let second = second_or_none & !isa.at_least16(above, isa.splat16(0x800));
                let first = !second_or_none;
                bytes -= 2 * ((first << 1 | open) & second).count_ones() as usize;
                open = first >> (UNITS - 1);
            }
        }
        bytes
    }
}

impl<I: Compress> Encoder<I, u32> for CompressEncoder {
    by_writer!(Squeezing, u32);

    #[inline(always)]
    fn length_of_few(isa: I, units: &[u32]) -> usize {
        let mut bytes = units.len();
        for some in units.chunks(UNITS / 2) {
            let v = isa.load_partial(bytes_of(some));
            let long = isa.at_least32(v, isa.splat32(0x80));
            let longer = isa.at_least32(v, isa.splat32(0x800));
            let longest = isa.at_least32(v, isa.splat32(0x1_0000));
            bytes += (long.count_ones() + longer.count_ones() + longest.count_ones()) as usize;
        }
        bytes
    }
}

impl<I: Compress + Planes> Paging<'_, I, Squeezing<I>> {
    /// Encodes the first `length` bytes of a page in `v`; in the lanes after them is 0.
    #[inline(always)]
    fn put_bytes<const EXACT: bool>(
        &mut self,
        v: I::Vector,
        length: usize,
        out: &mut [MaybeUninit<u8>],
    ) -> (usize, Widest) {
        let isa = self.writer.isa;
        let [lead, last] = lookup_high(isa, [&self.tables.lead, &self.tables.last], v);
        let last = isa.blend(isa.non_ascii(v), last, v);
        let long = isa.bits(isa.non_ascii(v));
        let longer = isa.at_least_bits(lead, isa.splat(THREE_BYTES));
        let pairs = isa.interleave(lead, last);
        if longer == 0 {
            let at = self.put_pairs::<EXACT>(pairs[0], long as u32, length, out, 0);
            let length = length.saturating_sub(UNITS);
            return (self.put_pairs::<EXACT>(pairs[1], (long >> 32) as u32, length, out, at), Widest::Two);
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
            let kept = if EXACT { kept & lowest(4 * length.saturating_sub(16 * quarter)) } else { kept };
            at = self.writer.put::<EXACT>(kept, isa.interleave3(planes, quarter), out, at);
            quarter += 1;
        }
        (at, Widest::More)
    }

    /// Writes characters of two bytes, which are given, or of the second one of them.
    #[inline(always)]
    fn put_pairs<const EXACT: bool>(
        &self,
        pairs: I::Vector,
        long: u32,
        length: usize,
        out: &mut [MaybeUninit<u8>],
        at: usize,
    ) -> usize {
        let kept = self.writer.isa.deposit_bits(u64::from(long), EVERY_SECOND) | EVERY_SECOND << 1;
        let kept = if EXACT { kept & lowest(2 * length) } else { kept };
        self.writer.put::<EXACT>(kept, pairs, out, at)
    }
}

impl<I: Compress + Planes> Writer<u8, 64, 128, ROOM_OF_PAGE> for Paging<'_, I, Squeezing<I>> {
    const SHORT: usize = SHORT;

    const SOME: usize = 64;

    const LOOKS: bool = false;

    #[inline(always)]
    fn put_ascii(&self, block: &[u8; 128], out: &mut [MaybeUninit<u8>; 128]) -> bool {
        self.writer.put_ascii(block, out)
    }

    #[inline(always)]
    fn put_block<const ONE: bool>(
        &mut self,
        block: &[u8; 64],
        out: &mut [MaybeUninit<u8>; ROOM_OF_PAGE],
    ) -> (usize, Widest) {
        let v = self.writer.isa.load(block, 0);
        self.put_bytes::<false>(v, block.len(), out)
    }

    #[inline(always)]
    fn put_some(&mut self, data: &[u8], out: &mut [MaybeUninit<u8>]) -> usize {
        let v = Permute::load_partial(self.writer.isa, data);
        self.put_bytes::<true>(v, data.len(), out).0
    }
}

impl<I: Compress + Planes> SingleByteEncoder<I> for CompressEncoder {
    #[inline(always)]
    fn encode_single_byte(isa: I, tables: &Tables, data: &[u8], out: &mut [MaybeUninit<u8>]) -> Encoded {
        Paging::encode(isa, tables, Squeezing::new(isa), data, out)
    }

    #[inline(always)]
    fn single_byte_length(isa: I, tables: &Tables, data: &[u8]) -> Option<usize> {
        single_byte_length(isa, tables, data)
    }
}
