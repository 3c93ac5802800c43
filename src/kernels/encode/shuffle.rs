//! Encoding by shuffles, where bytes of a vector can be brought into another order by a table.
//!
//! 1. Each unit gets the bytes of the longest form that its block needs: two in 16 bits, three in 32.
//! 2. Of eight units, or four, those bits that say how long each is number one of 256 shuffles, which brings the
//!    bytes that are needed together. So each unit costs less the more of them are in a block.
//! 3. In UTF-16 each surrogate of a pair gives two of the four bytes, and is like any other unit of two bytes,
//!    once the two bits that the second needs of the first have been put before its own.
//! 4. UTF-32 is narrowed to 16 bits; blocks that do not fit into them go character by character.
//! 5. What is less than a block, or has less room, is encoded elsewhere and copied.
//!
//! The tables are as those of Daniel Lemire and Wojciech Muła, "Transcoding billions of Unicode characters per
//! second with SIMD instructions", Software: Practice and Experience 52 (2022).

use super::single_byte::{Paging, SingleByteEncoder, single_byte_length};
use super::{
    Encoded, Encoder, Halfword, Pairs, Widest, Writer, by_writer, encode_by, encode_some, first_room,
    one_by_one,
};
use crate::kernels::single_byte::{THREE_BYTES, Tables, lookup_high};
use crate::simd::uninit::MaybeUninit;
use crate::simd::{Lanes16, Number, Planes, bytes_of};

/// Lanes16 in a block, of Latin-1 and of all else; and in one that is ASCII.
const BYTES: usize = 32;
const UNITS: usize = 16;
const ASCII: usize = 64;

/// As many bytes as those of a block are written to: 64 at most, or 48 in pieces of 16 that overlap.
const ROOM: usize = 64;

/// The same for one vector of bytes of a page, and for a block of these, one or two vectors.
const ROOM_OF_VECTOR: usize = 2 * ROOM;
const ROOM_OF_PAGE: usize = 3 * ROOM;

/// A block has at most so many vectors.
const MOST: usize = 2;

/// A shuffle of 16 bytes for each mask; what is not needed comes last.
type Shuffles = [[u8; 16]; 256];

/// Of eight units of two bytes those that are short keep only the second. If they are short, it comes first: it is
/// the only one that ASCII has.
const OF_TWO: Shuffles = shuffles(2);
/// Of four units in four bytes those whose lower bit is set keep only the third byte, and those whose higher bit
/// is set not the first.
const OF_THREE: Shuffles = shuffles(4);

const fn shuffles(size: usize) -> Shuffles {
    let mut all = [[0; 16]; 256];
    let mut mask = 0;
    while mask < 256 {
        let mut to = 0;
        let mut unit = 0;
        while unit < 16 / size {
            let first = (size * unit) as u8;
            let is_short = mask >> unit & 1 != 0;
            if size == 2 {
                all[mask][to] = first;
                to += 1;
                if !is_short {
                    all[mask][to] = first + 1;
                    to += 1;
                }
            } else {
                if mask >> (4 + unit) & 1 == 0 {
                    all[mask][to] = first;
                    to += 1;
                }
                if !is_short {
                    all[mask][to] = first + 1;
                    to += 1;
                }
                all[mask][to] = first + 2;
                to += 1;
            }
            unit += 1;
        }
        mask += 1;
    }
    all
}

/// What has been seen.
struct Shuffling<I: Lanes16> {
    isa: I,
    /// Not 0 where something stood that must not.
    broken: I::Vector,
    /// The same, by itself.
    lone: bool,
    /// The last units with a surrogate, and whether the very last was the first half of a pair.
    before: I::Vector,
    open: bool,
}

/// What the units of a vector are, and the vector made ready.
struct Ready<I: Lanes16> {
    /// All units, with the bits for the two bytes of halves of pairs in place.
    units: I::Vector,
    /// All bits of a lane set where it is below 80, and below 800 or half a pair.
    short: I::Vector,
    shorter: I::Vector,
    /// The marks of halves of pairs, as they differ from those of other units.
    marks: I::Vector,
}

impl<I: Lanes16> Shuffling<I> {
    #[inline(always)]
    fn encode<U, const N: usize, const A: usize>(isa: I, units: &[U], out: &mut [MaybeUninit<u8>]) -> Encoded
    where
        Self: Writer<U, N, A, ROOM>,
    {
        let mut all = Self::new(isa);
        let written = encode_by(&mut all, units, out);
        all.finish(written)
    }

    /// The same for a few units.
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
        let written = encode_some(&mut all, units, out);
        all.finish(written)
    }

    #[inline(always)]
    fn new(isa: I) -> Self {
        let zero = isa.splat(0);
        Self { isa, broken: zero, lone: false, before: zero, open: false }
    }

    #[inline(always)]
    fn finish(&self, written: usize) -> Encoded {
        Encoded { written, scalar: !(self.lone | self.open | self.isa.any(self.broken)) }
    }

    /// Lanes16 of 16 bits in a vector.
    const LANES: usize = I::WIDTH / 2;

    /// Two vectors of units of 32 bits, which fit into 16, as one.
    #[inline(always)]
    fn narrowed32_at(&self, bytes: &[u8], at: usize) -> I::Vector {
        self.isa.narrow32(self.isa.load(bytes, at), self.isa.load(bytes, at + I::WIDTH))
    }

    /// Writes two bytes for each unit, or the first of them if it is short.
    #[inline(always)]
    fn put_twos(&self, ready: &Ready<I>, out: &mut [MaybeUninit<u8>; ROOM], at: usize) -> usize {
        let isa = self.isa;
        let second = isa.and(isa.shl16::<8>(ready.units), isa.splat16(0x3F00));
        let words = isa.or(isa.or(self.firsts(ready), second), isa.splat16(0x8000));
        let words = isa.select16(ready.short, ready.units, words);
        let short = isa.mask_bits16(ready.short);
        let mut part = 0;
        while part < I::WIDTH / 16 {
            let mask = (short >> (16 * part)) as u8;
            let from = at + 16 * part - Self::ones_before(short, part);
            isa.store_shuffled(words, part, &OF_TWO[usize::from(mask)], out, from);
            part += 1;
        }
        at + 16 * part - Self::ones_before(short, part)
    }

    /// How many bits are set for the first parts.
    #[inline(always)]
    fn ones_before(bits: u32, parts: usize) -> usize {
        // The compiler knows how many there can be in all of an integer.
        let ones = match parts {
            0 => 0,
            1 => (bits as u16).count_ones(),
            _ => bits.count_ones(),
        };
        ones as usize
    }

    /// The first of two bytes for units that have two.
    #[inline(always)]
    fn firsts(&self, ready: &Ready<I>) -> I::Vector {
        let isa = self.isa;
        isa.xor(isa.or(isa.shr16::<6>(ready.units), isa.splat16(0xC0)), ready.marks)
    }

    /// Writes three bytes for each unit, or the last two or one.
    #[inline(always)]
    fn put_threes(&self, ready: &Ready<I>, out: &mut [MaybeUninit<u8>; ROOM], at: usize) -> usize {
        let isa = self.isa;
        // The first two bytes, or in the second place the first of two; then the last.
        let first = isa.or(isa.shr16::<12>(ready.units), isa.splat16(0x80E0));
        let second = isa.and(isa.shl16::<2>(ready.units), isa.splat16(0x3F00));
        let starts = isa.select16(ready.shorter, isa.shl16::<8>(self.firsts(ready)), isa.or(first, second));
        let lasts = isa.or(isa.and(ready.units, isa.splat16(0x3F)), isa.splat16(0x80));
        let lasts = isa.select16(ready.short, ready.units, lasts);
        self.put_starts_and_lasts(starts, lasts, [ready.short, ready.shorter], out, at)
    }

    /// The same, with what is written: the first two bytes, or in the second place the first of two, and the last.
    #[inline(always)]
    fn put_starts_and_lasts<const ROOM: usize>(
        &self,
        starts: I::Vector,
        lasts: I::Vector,
        [short, shorter]: [I::Vector; 2],
        out: &mut [MaybeUninit<u8>; ROOM],
        at: usize,
    ) -> usize {
        let isa = self.isa;
        let [lower, upper] = isa.interleave16(starts, lasts);
        let masks = isa.mask_bits16_pair(short, shorter);
        let mut part = 0;
        while part < I::WIDTH / 16 {
            let [lower_mask, upper_mask] = ((masks >> (16 * part)) as u16).to_le_bytes();
            let from = at + 24 * part - Self::ones_before(masks, part);
            isa.store_shuffled(lower, part, &OF_THREE[usize::from(lower_mask)], out, from);
            let from = from + 12 - lower_mask.count_ones() as usize;
            isa.store_shuffled(upper, part, &OF_THREE[usize::from(upper_mask)], out, from);
            part += 1;
        }
        at + 24 * part - Self::ones_before(masks, part)
    }

    /// Looks at some units, without surrogates.
    #[inline(always)]
    fn ready(&self, v: I::Vector) -> Ready<I> {
        let isa = self.isa;
        let zero = isa.splat(0);
        Ready {
            units: v,
            short: isa.equal16(isa.and(v, isa.splat16(0xFF80)), zero),
            shorter: isa.equal16(isa.and(v, isa.splat16(0xF800)), zero),
            marks: zero,
        }
    }

    /// Looks at some units, with surrogates.
    #[inline(always)]
    fn ready_pairs(&mut self, v: I::Vector) -> Ready<I> {
        let isa = self.isa;
        let halves = isa.and(v, isa.splat16(0xFC00));
        let is_first = isa.equal16(halves, isa.splat16(0xD800));
        let is_second = isa.equal16(halves, isa.splat16(0xDC00));
        let one_before = isa.prev16(v, self.before);
        self.before = v;
        let due = isa.equal16(isa.and(one_before, isa.splat16(0xFC00)), isa.splat16(0xD800));
        self.broken = isa.or(self.broken, isa.xor(is_second, due));
        // 10000 added to what the pair stands for, and all but two bits of the first half's for the first bytes.
        let first = isa.shr16::<2>(isa.add16(v, isa.splat16(0x40u16.wrapping_sub(0xD800))));
        // Those two bits, before those of the second half.
        let second =
            isa.and(isa.or(isa.and(v, isa.splat16(0x3FF)), isa.shl16::<10>(one_before)), isa.splat16(0xFFF));
        let Ready { short, shorter, .. } = self.ready(v);
        Ready {
            units: isa.select16(is_first, first, isa.select16(is_second, second, v)),
            short,
            shorter: isa.or(shorter, isa.or(is_first, is_second)),
            // F0 and 80 instead of C0.
            marks: isa.or(isa.and(is_first, isa.splat16(0x30)), isa.and(is_second, isa.splat16(0x40))),
        }
    }

    /// Writes a block of units of 16 bits, of which `last` is the last.
    #[inline(always)]
    fn put_units<U: Halfword, const ONE: bool>(
        &mut self,
        block: [I::Vector; MOST],
        last: u32,
        out: &mut [MaybeUninit<u8>; ROOM],
    ) -> (usize, Widest) {
        let isa = self.isa;
        let vectors = &block[..UNITS / Self::LANES];
        let (mut any, mut high, mut surrogate) = (isa.splat(0), isa.splat(0), isa.splat(0));
        for &v in vectors {
            let bits = isa.and(v, isa.splat16(0xF800));
            any = isa.or(any, v);
            high = isa.or(high, bits);
            surrogate = isa.or(surrogate, isa.equal16(bits, isa.splat16(0xD800)));
        }
        let mut at = 0;
        if !isa.any(high) {
            self.close();
            if ONE && !isa.any(isa.and(any, isa.splat16(0xFF80))) {
                // The lower half of this is all there is with vectors of twice as many units.
                isa.store(isa.narrow16(block[0], block[1]), out, 0);
                return (UNITS, Widest::One);
            }
            for &v in vectors {
                at = self.put_twos(&self.ready(v), out, at);
            }
            return (at, Widest::Two);
        }
        if !U::PAIRS {
            self.broken = isa.or(self.broken, surrogate);
        } else if isa.any(surrogate) {
            for &v in vectors {
                let ready = self.ready_pairs(v);
                at = self.put_threes(&ready, out, at);
            }
            self.open = last & 0xFC00 == 0xD800;
            return (at, Widest::More);
        }
        self.close();
        for &v in vectors {
            at = self.put_threes(&self.ready(v), out, at);
        }
        (at, Widest::More)
    }

    /// Writes bytes as they are.
    #[inline(always)]
    fn put_bytes<const N: usize>(&self, bytes: &[u8; N], out: &mut [MaybeUninit<u8>]) {
        let mut at = 0;
        while at < N {
            self.isa.store(self.isa.load(bytes, at), out, at);
            at += I::WIDTH;
        }
    }
}

/// Writes some units, less than a block or where there is not the room for one.
#[inline(always)]
fn put_part<W, U, const N: usize, const A: usize, const ROOM: usize>(
    writer: &mut W,
    units: &[U],
    out: &mut [MaybeUninit<u8>],
) -> usize
where
    W: Writer<U, N, A, ROOM>,
    U: Number + Default,
{
    let mut block = [U::default(); N];
    copy_few(units, block.get_mut(..units.len()).unwrap_or_default());
    let mut room = [MaybeUninit::new(0); ROOM];
    let (bytes, _) = writer.put_block::<false>(&block, &mut room);
    // What was filled up is a byte each.
    let length = bytes.wrapping_sub(N - units.len()).min(ROOM).min(out.len());
    copy_few(&room[..length], &mut out[..length]);
    length
}

/// Copies less than 128 of something, faster than what can copy any number.
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

/// Copies the first `N` and the last `N`, if there are so many.
#[inline(always)]
fn copy_ends<T: Copy, const N: usize>(from: &[T], to: &mut [T]) -> bool {
    let (Some(first), Some(last)) = (from.first_chunk::<N>(), from.last_chunk::<N>()) else { return false };
    let Some(place) = to.first_chunk_mut() else { return false };
    *place = *first;
    let Some(place) = to.last_chunk_mut() else { return false };
    *place = *last;
    true
}

impl<I: Lanes16> Pairs for Shuffling<I> {
    #[inline(always)]
    fn close(&mut self) {
        self.lone |= self.open;
        self.open = false;
    }
}

impl<I: Lanes16> Writer<u8, BYTES, ASCII, ROOM> for Shuffling<I> {
    const SOME: usize = BYTES;

    const LOOKS: bool = false;

    #[inline(always)]
    fn put_ascii(&self, block: &[u8; ASCII], out: &mut [MaybeUninit<u8>; ASCII]) -> bool {
        let ascii = self.isa.is_ascii(block);
        if ascii {
            self.put_bytes(block, out);
        }
        ascii
    }

    #[inline(always)]
    fn put_block<const ONE: bool>(
        &mut self,
        block: &[u8; BYTES],
        out: &mut [MaybeUninit<u8>; ROOM],
    ) -> (usize, Widest) {
        let mut written = 0;
        let mut at = 0;
        while at < BYTES {
            let v = self.isa.load_widened(block, at);
            written = self.put_twos(&self.ready(v), out, written);
            at += Self::LANES;
        }
        (written, Widest::Two)
    }

    #[inline(always)]
    fn put_some(&mut self, units: &[u8], out: &mut [MaybeUninit<u8>]) -> usize {
        put_part(self, units, out)
    }
}

impl<I: Lanes16, U: Halfword + Default> Writer<U, UNITS, ASCII, ROOM> for Shuffling<I> {
    const SOME: usize = UNITS;

    const LOOKS: bool = true;

    #[inline(always)]
    fn put_ascii(&self, block: &[U; ASCII], out: &mut [MaybeUninit<u8>; ASCII]) -> bool {
        let isa = self.isa;
        let bytes = bytes_of(block);
        let ascii = !isa.any(isa.and(isa.or_all(bytes), isa.splat16(0xFF80)));
        if ascii {
            let mut at = 0;
            while at < ASCII {
                let narrowed = isa.narrow16(isa.load(bytes, 2 * at), isa.load(bytes, 2 * at + I::WIDTH));
                isa.store(narrowed, out, at);
                at += I::WIDTH;
            }
        }
        ascii
    }

    #[inline(always)]
    fn put_block<const ONE: bool>(
        &mut self,
        block: &[U; UNITS],
        out: &mut [MaybeUninit<u8>; ROOM],
    ) -> (usize, Widest) {
        let bytes = bytes_of(block);
        let vectors = [self.isa.load(bytes, 0), self.isa.load(bytes, bytes.len() - I::WIDTH)];
        self.put_units::<U, ONE>(vectors, block[UNITS - 1].value(), out)
    }

    #[inline(always)]
    fn put_some(&mut self, units: &[U], out: &mut [MaybeUninit<u8>]) -> usize {
        put_part(self, units, out)
    }
}

impl<I: Lanes16> Writer<u32, UNITS, ASCII, ROOM> for Shuffling<I> {
    const SOME: usize = UNITS;

    const LOOKS: bool = true;

    #[inline(always)]
    fn put_ascii(&self, block: &[u32; ASCII], out: &mut [MaybeUninit<u8>; ASCII]) -> bool {
        let isa = self.isa;
        let bytes = bytes_of(block);
        let ascii = !isa.any(isa.and(isa.or_all(bytes), isa.splat32(!0x7F)));
        if ascii {
            let mut at = 0;
            while at < ASCII {
                let narrowed = isa.narrow16(
                    self.narrowed32_at(bytes, 4 * at),
                    self.narrowed32_at(bytes, 4 * at + 2 * I::WIDTH),
                );
                isa.store(narrowed, out, at);
                at += I::WIDTH;
            }
        }
        ascii
    }

    #[inline(always)]
    fn put_block<const ONE: bool>(
        &mut self,
        block: &[u32; UNITS],
        out: &mut [MaybeUninit<u8>; ROOM],
    ) -> (usize, Widest) {
        let isa = self.isa;
        let bytes = bytes_of(block);
        if isa.any(isa.and(isa.or_all(bytes), isa.splat32(0xFFFF_0000))) {
            let encoded = one_by_one(block, out);
            self.lone |= !encoded.scalar;
            return (encoded.written, Widest::More);
        }
        let vectors = [self.narrowed32_at(bytes, 0), self.narrowed32_at(bytes, bytes.len() - 2 * I::WIDTH)];
        self.put_units::<u16, ONE>(vectors, 0, out)
    }

    #[inline(always)]
    fn put_some(&mut self, units: &[u32], out: &mut [MaybeUninit<u8>]) -> usize {
        put_part(self, units, out)
    }
}

/// Encodes by shuffles.
pub(crate) struct ShuffleEncoder;

impl<I: Lanes16> Encoder<I, u8> for ShuffleEncoder {
    by_writer!(Shuffling, u8);
}

impl<I: Lanes16, U: Halfword + Default> Encoder<I, U> for ShuffleEncoder {
    by_writer!(Shuffling, U);
}

impl<I: Lanes16> Encoder<I, u32> for ShuffleEncoder {
    by_writer!(Shuffling, u32);
}

impl<I: Lanes16 + Planes> Writer<u8, BYTES, ASCII, ROOM_OF_PAGE> for Paging<'_, I, Shuffling<I>> {
    const SOME: usize = BYTES;

    const LOOKS: bool = true;

    #[inline(always)]
    fn put_ascii(&self, block: &[u8; ASCII], out: &mut [MaybeUninit<u8>; ASCII]) -> bool {
        self.writer.put_ascii(block, out)
    }

    #[inline(always)]
    fn put_block<const ONE: bool>(
        &mut self,
        block: &[u8; BYTES],
        out: &mut [MaybeUninit<u8>; ROOM_OF_PAGE],
    ) -> (usize, Widest) {
        if ONE && self.writer.isa.is_ascii(block) {
            self.writer.put_bytes(block, out);
            return (BYTES, Widest::One);
        }
        let mut widest = Widest::Two;
        let mut written = 0;
        let mut at = 0;
        while at < BYTES {
            if let Some(room) = first_room(out, written) {
                let (bytes, longer) = self.put_vector(self.writer.isa.load(block, at), room);
                if longer {
                    widest = Widest::More;
                }
                written += bytes;
            }
            at += I::WIDTH;
        }
        (written, widest)
    }

    #[inline(always)]
    fn put_some(&mut self, data: &[u8], out: &mut [MaybeUninit<u8>]) -> usize {
        put_part(self, data, out)
    }
}

impl<I: Lanes16 + Planes> Paging<'_, I, Shuffling<I>> {
    /// Writes the bytes of `v`. Tells how many bytes these are then, and whether there were characters of three.
    #[inline(always)]
    fn put_vector(&mut self, v: I::Vector, out: &mut [MaybeUninit<u8>; ROOM_OF_VECTOR]) -> (usize, bool) {
        let isa = self.writer.isa;
        let long = isa.non_ascii(v);
        let [lead, last] = lookup_high(isa, [&self.tables.lead, &self.tables.last], v);
        let longer = isa.at_least(lead, isa.splat(THREE_BYTES));
        if isa.bits(longer) == 0 {
            let pairs = isa.interleave(isa.blend(long, lead, v), last);
            let short = !isa.bits(long) as u32;
            let mut at = 0;
            let mut part = 0;
            while part < I::WIDTH / 8 {
                let [mask, ..] = (short >> (8 * part)).to_le_bytes();
                let (half, order) = (pairs[part / (I::WIDTH / 16)], &OF_TWO[usize::from(mask)]);
                isa.store_shuffled(half, part % (I::WIDTH / 16), order, out, at);
                at += 16 - mask.count_ones() as usize;
                part += 1;
            }
            return (at, false);
        }
        self.highest = isa.max(self.highest, lead);
        let (zero, ones) = (isa.splat(0), isa.splat(0xFF));
        let short = isa.blend(long, zero, ones);
        let shorter = isa.blend(longer, zero, ones);
        let [middle] = lookup_high(isa, [&self.tables.middle], v);
        let starts = isa.interleave(lead, isa.blend(longer, middle, lead));
        let lasts = isa.interleave(isa.blend(long, last, v), zero);
        let (short, shorter) = (isa.interleave(short, short), isa.interleave(shorter, shorter));
        let mut at = 0;
        for half in 0..2 {
            let lengths = [short[half], shorter[half]];
            at = self.writer.put_starts_and_lasts(starts[half], lasts[half], lengths, out, at);
        }
        (at, true)
    }
}

impl<I: Lanes16 + Planes> SingleByteEncoder<I> for ShuffleEncoder {
    #[inline(always)]
    fn encode_single_byte(isa: I, tables: &Tables, data: &[u8], out: &mut [MaybeUninit<u8>]) -> Encoded {
        Paging::encode(isa, tables, Shuffling::new(isa), data, out)
    }

    #[inline(always)]
    fn single_byte_length(isa: I, tables: &Tables, data: &[u8]) -> Option<usize> {
        single_byte_length(isa, tables, data)
    }
}
