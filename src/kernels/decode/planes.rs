//! Decoding by byte planes: every lead byte extracts the bits of its character, all lanes at once. An algorithm of our
//! own.
//!
//! 1. The bytes one, two and three after each are loaded, too. So a lead byte has all bytes of its character in its
//!    lane of four vectors, and hardly anything is carried from block to block.
//! 2. Of these the last two bytes of the character are selected by the class of the lead byte. Their bits make the low
//!    byte of the unit and the first four bits of the next; the lead byte's make the others. Each byte of the units is
//!    a vector of its own, a plane. In the lanes of continuation bytes it is unspecified.
//! 3. The planes are compressed to the lanes that have a unit, the lead bytes, and interleaved. How that is done
//!    depends on the instruction set; see [`StoreUnits`].
//! 4. In UTF-16 a character of four bytes takes two units. The lane of the second byte has the second one, and is
//!    treated like a lead byte of three. Only there a bit is carried over to the next block.
//! 5. Some vectors at a time are tested for ASCII, and for characters of four bytes.
//! 6. Whole vectors are read and written as long as the output has space for a unit per byte; the rest by partial loads
//!    and stores. What fits into one vector has a path of its own.
//!
//! The limits on a Zen 4 with AVX-512: some 20 vector operations for 64 bytes, four of them to compress two planes, and
//! stores that overlap. With AVX2: some 50 instructions of any kind for 32 bytes.
//!
//! Tried and lost, to UTF-16 with AVX-512: a test for characters of four bytes at each vector (12 % slower), or after
//! 1 KB, which is then decoded again (30 %, as the end of each run is mispredicted); four vectors tested at once
//! (French 3 % faster, English 3 % slower; with AVX2 eight vectors: 10 % slower); bits moved by GFNI's matrices
//! (nothing gained); prefetching (nothing gained).

use crate::sequence::{FOUR_BYTE_LEAD, LATIN1, THREE_BYTE_LEAD};
use crate::simd::uninit::MaybeUninit;
use crate::simd::{Planes, StoreUnits};

/// Bytes after a lead byte that its character may have.
pub(super) const LOOKAHEAD_BYTES: usize = 3;

/// The bits of a continuation byte that are the character's.
const PAYLOAD: u8 = 0x3F;
const LOW_NIBBLE: u8 = 0x0F;

/// A vector of bytes, and those one, two and three after each.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<I: Planes> {
    pub isa: I,
    pub here: I::Vector,
    pub next: [I::Vector; LOOKAHEAD_BYTES],
    /// A bit for each lane that has a byte of the data.
    pub lanes: u64,
    /// A bit for each lane that is a lead byte.
    pub leads: u64,
}

/// Memory for the units of a block.
pub(crate) trait UnitSink<I, U> {
    /// Stores the units whose lanes have a bit in `kept`, given by planes, the lowest first. Returns the number of
    /// units stored.
    fn put<const PLANES: usize>(self, isa: I, kept: u64, planes: [I::Vector; PLANES]) -> usize
    where
        I: StoreUnits<U>;
}

/// Memory for as many units as a block can have.
impl<I, U, const N: usize> UnitSink<I, U> for &mut [MaybeUninit<U>; N] {
    #[inline(always)]
    fn put<const PLANES: usize>(self, isa: I, kept: u64, planes: [I::Vector; PLANES]) -> usize
    where
        I: StoreUnits<U>,
    {
        isa.store_compressed(kept, planes, self);
        kept.count_ones() as usize
    }
}

/// Memory that may be too short: the first units are stored.
impl<I, U> UnitSink<I, U> for &mut [MaybeUninit<U>] {
    #[inline(always)]
    fn put<const PLANES: usize>(self, isa: I, kept: u64, planes: [I::Vector; PLANES]) -> usize
    where
        I: StoreUnits<U>,
    {
        let units = self.len().min(kept.count_ones() as usize);
        isa.store_compressed_partial(kept, planes, &mut self[..units]);
        units
    }
}

/// An encoding form that is extracted by planes.
pub(crate) trait Extract {
    /// Its code unit.
    type Unit;

    /// The state between blocks.
    type State;

    /// Whether characters of four bytes are extracted by other operations.
    const FOUR_BYTE_LEADS: bool;

    /// Returns whether a character of four bytes continues in the next block.
    #[inline(always)]
    fn is_open(_: &Self::State) -> bool {
        false
    }

    /// Notes that the next bytes, of this number, are ASCII.
    #[inline(always)]
    fn skip(_: &mut Self::State, _ascii: usize) {}

    /// Returns whether the form has all these characters.
    #[inline(always)]
    fn has<I: Planes>(_: Bytes<I>) -> bool {
        true
    }

    /// Decodes a block, and returns the number of units stored. Without `FOUR_BYTE_LEADS` there are no characters of
    /// four bytes.
    fn extract<I: StoreUnits<Self::Unit>, const FOUR_BYTE_LEADS: bool>(
        bytes: Bytes<I>,
        state: &mut Self::State,
        out: impl UnitSink<I, Self::Unit>,
    ) -> usize;
}

impl Extract for u8 {
    type Unit = u8;

    type State = ();

    const FOUR_BYTE_LEADS: bool = false;

    #[inline(always)]
    fn has<I: Planes>(Bytes { isa, here, .. }: Bytes<I>) -> bool {
        isa.bits(isa.at_least(here, isa.splat(LATIN1 + 1))) == 0
    }

    #[inline(always)]
    fn extract<I: StoreUnits<u8>, const FOUR_BYTE_LEADS: bool>(
        bytes: Bytes<I>,
        _: &mut (),
        out: impl UnitSink<I, u8>,
    ) -> usize {
        out.put(bytes.isa, bytes.leads, [bytes.unit_of_two()])
    }
}

impl Extract for u16 {
    type Unit = u16;

    /// 1 if the last byte is a lead byte of four.
    type State = u64;

    const FOUR_BYTE_LEADS: bool = true;

    #[inline(always)]
    fn is_open(open: &u64) -> bool {
        *open != 0
    }

    #[inline(always)]
    fn skip(open: &mut u64, _ascii: usize) {
        *open = 0;
    }

    #[inline(always)]
    fn extract<I: StoreUnits<u16>, const FOUR_BYTE_LEADS: bool>(
        bytes: Bytes<I>,
        open: &mut u64,
        out: impl UnitSink<I, u16>,
    ) -> usize {
        if !FOUR_BYTE_LEADS {
            return out.put(bytes.isa, bytes.leads, bytes.units_of_three());
        }
        let four_byte_leads = bytes.four_byte_leads();
        let seconds = (four_byte_leads << 1 | *open) & all_lanes(I::WIDTH);
        *open = four_byte_leads >> (I::WIDTH - 1);
        out.put(bytes.isa, bytes.leads | seconds, bytes.units_of_utf16(seconds))
    }
}

impl Extract for u32 {
    type Unit = u32;

    type State = ();

    const FOUR_BYTE_LEADS: bool = true;

    #[inline(always)]
    fn extract<I: StoreUnits<u32>, const FOUR_BYTE_LEADS: bool>(
        bytes: Bytes<I>,
        _: &mut (),
        out: impl UnitSink<I, u32>,
    ) -> usize {
        match FOUR_BYTE_LEADS {
            false => out.put(bytes.isa, bytes.leads, bytes.units_of_three()),
            true => out.put(bytes.isa, bytes.leads, bytes.units_of_four()),
        }
    }
}

/// Returns a bit for each of the first `lanes` lanes.
#[inline(always)]
pub(super) fn all_lanes(lanes: usize) -> u64 {
    u64::MAX >> (64 - lanes)
}

impl<I: Planes> Bytes<I> {
    /// Loads as many of `data[at..]` as there are lanes, at least one.
    #[inline(always)]
    pub(super) fn start(isa: I, data: &[u8], at: usize) -> Self {
        let here = isa.load_partial_at(data, at);
        let next = [
            isa.load_partial_at(data, at + 1),
            isa.load_partial_at(data, at + 2),
            isa.load_partial_at(data, at + 3),
        ];
        let lanes = all_lanes((data.len() - at).min(I::WIDTH));
        Self { isa, here, next, lanes, leads: isa.lead_bits(here) & lanes }
    }

    /// Decodes them, with characters of four bytes if there are any.
    #[inline(always)]
    pub(super) fn decode<G: Extract>(self, state: &mut G::State, out: impl UnitSink<I, G::Unit>) -> usize
    where
        I: StoreUnits<G::Unit>,
    {
        match G::FOUR_BYTE_LEADS && (self.four_byte_leads() != 0 || G::is_open(state)) {
            true => G::extract::<I, true>(self, state, out),
            false => G::extract::<I, false>(self, state, out),
        }
    }

    /// Returns a bit for each lane that is a lead byte of four.
    #[inline(always)]
    pub(super) fn four_byte_leads(self) -> u64 {
        self.isa.bits(self.isa.at_least(self.here, self.isa.splat(FOUR_BYTE_LEAD)))
    }

    /// Returns the low byte of the units, from the characters' last two bytes.
    #[inline(always)]
    fn low(self, last_but_one: I::Vector, last: I::Vector) -> I::Vector {
        let isa = self.isa;
        let extracted = isa.select_bits(isa.splat(PAYLOAD), last, isa.shl::<6>(last_but_one));
        isa.blend(isa.non_ascii(self.here), extracted, self.here)
    }

    /// Returns the next byte of the units: four bits of the last but one byte, and the four of the one before it.
    #[inline(always)]
    fn high(self, last_but_one: I::Vector, four: I::Vector) -> I::Vector {
        let isa = self.isa;
        let low = isa.and(isa.splat(LOW_NIBBLE), isa.shr::<2>(last_but_one));
        isa.retain(isa.non_ascii(self.here), isa.or(low, isa.shl::<4>(four)))
    }

    /// Returns the plane of characters of up to two bytes, as far as they fit into one byte.
    #[inline(always)]
    fn unit_of_two(self) -> I::Vector {
        self.low(self.here, self.next[0])
    }

    /// Returns the planes of characters of up to three bytes.
    #[inline(always)]
    pub(super) fn units_of_three(self) -> [I::Vector; 2] {
        let Self { isa, here, next: [one, two, _], .. } = self;
        let three_byte_leads = isa.at_least_or_ascii(here, isa.splat(THREE_BYTE_LEAD));
        let last_but_one = isa.blend(three_byte_leads, one, here);
        let last = isa.blend(three_byte_leads, two, one);
        [
            self.low(last_but_one, last),
            self.high(last_but_one, isa.saturating_sub(here, isa.splat(THREE_BYTE_LEAD))),
        ]
    }

    /// Returns the planes of characters of up to four bytes.
    #[inline(always)]
    fn units_of_four(self) -> [I::Vector; 3] {
        let Self { isa, here, next: [one, two, three], .. } = self;
        let three_byte_leads = isa.at_least_or_ascii(here, isa.splat(THREE_BYTE_LEAD));
        let four_byte_leads = isa.at_least(here, isa.splat(FOUR_BYTE_LEAD));
        let before = isa.blend(four_byte_leads, one, isa.retain(three_byte_leads, here));
        let four = isa.and(before, isa.splat(LOW_NIBBLE));
        let last_but_one = isa.blend(four_byte_leads, two, isa.blend(three_byte_leads, one, here));
        let last = isa.blend(four_byte_leads, three, isa.blend(three_byte_leads, two, one));
        let lead = isa.add(here, isa.splat(0u8.wrapping_sub(FOUR_BYTE_LEAD)));
        let top = isa.select_bits(isa.splat(0x03), isa.shr::<4>(one), isa.shl::<2>(lead));
        [self.low(last_but_one, last), self.high(last_but_one, four), isa.retain(four_byte_leads, top)]
    }

    /// Returns the planes of UTF-16 code units, where `seconds` are the second bytes of four.
    #[inline(always)]
    fn units_of_utf16(self, seconds: u64) -> [I::Vector; 2] {
        let Self { isa, here, next: [one, two, _], .. } = self;
        let seconds = isa.flags(seconds);
        let three_byte_leads = isa.at_least_or_ascii(here, isa.splat(THREE_BYTE_LEAD));
        let four_byte_leads = isa.at_least(here, isa.splat(FOUR_BYTE_LEAD));
        // Low surrogates (DC00 and ten bits) beside units of up to three bytes.
        let like_threes = isa.or_flags(three_byte_leads, seconds);
        let last_but_one = isa.blend(like_threes, one, here);
        let last = isa.blend(like_threes, two, one);
        let low = self.low(last_but_one, last);
        let four = isa.and(isa.saturating_sub(here, isa.splat(THREE_BYTE_LEAD)), isa.splat(LOW_NIBBLE));
        let high = self.high(last_but_one, four);
        let high = isa.or(high, isa.retain(seconds, isa.splat(0xDC)));
        // High surrogates: D800 and the bits from the tenth on, less 0x40, which is 0x10000 >> 10.
        let bits = isa.select_bits(isa.splat(0xFC), isa.shl::<2>(one), isa.shr::<4>(two));
        let low = isa.blend(four_byte_leads, isa.add(bits, isa.splat(0xC0)), low);
        let not_borrowed = isa.retain(isa.at_least_or_ascii(one, isa.splat(0x90)), isa.splat(1));
        let top = isa.add(isa.add(here, isa.splat(0xD7u8.wrapping_sub(FOUR_BYTE_LEAD))), not_borrowed);
        [low, isa.blend(four_byte_leads, top, high)]
    }
}
