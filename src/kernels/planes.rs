//! Decoding by byte planes: every lead byte gathers the bits of its character, all lanes at once. An algorithm
//! of our own.
//!
//! 1. Beside each byte are laid those one, two and three after it, by loads that overlap. So a lead byte has all
//!    of its character before it, and hardly anything is carried from block to block.
//! 2. Of these the last two bytes of the character are picked by the class of the lead. Their bits make the low
//!    byte of the unit and the first four bits of the next; what is left of the lead makes the others. Each byte of the
//!    units is a vector of its own, a plane. Continuation bytes gather nonsense.
//! 3. The planes are squeezed to the lanes that own a unit, the lead bytes, and zipped. How that is best done
//!    depends on the instruction set; see [`Put`].
//! 4. In UTF-16 a character of four bytes takes two units. The second byte owns the second one: what it gathers
//!    is laid out as if it led three bytes. Only there a bit is carried over to the next block.
//! 5. Whole vectors are read and written as long as there is room for as many units as bytes; the rest by
//!    loads and stores that leave off where data and output do.

use core::mem::MaybeUninit;

use super::FOUR;
use super::decode::Unit;
use crate::simd::{Planes, Put};

/// How far ahead a lead byte looks.
const AHEAD: usize = 3;

/// The first byte values that lead sequences of two and three bytes.
const TWO: u8 = 0xC0;
const THREE: u8 = 0xE0;
/// The bits that a continuation byte brings.
const BROUGHT: u8 = 0x3F;
const LOW_NIBBLE: u8 = 0x0F;

/// Some bytes, and those after them.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<I: Planes> {
    isa: I,
    here: I::Vector,
    next: [I::Vector; AHEAD],
    /// A bit for each lane that is one of the data.
    lanes: u64,
}

/// Where the units of a block go.
pub(crate) trait Room<I, U> {
    /// Writes those units whose lanes own one; of each the lowest bytes are given, lane by lane, the others are 0.
    /// Returns how many were written.
    fn put<const PLANES: usize>(self, isa: I, owners: u64, planes: [I::Vector; PLANES]) -> usize
    where
        I: Put<U>;
}

/// Room for all that a block can hold.
impl<I, U, const N: usize> Room<I, U> for &mut [MaybeUninit<U>; N] {
    #[inline(always)]
    fn put<const PLANES: usize>(self, isa: I, owners: u64, planes: [I::Vector; PLANES]) -> usize
    where
        I: Put<U>,
    {
        isa.put(owners, planes, self);
        owners.count_ones() as usize
    }
}

/// All the room that there is.
impl<I, U> Room<I, U> for &mut [MaybeUninit<U>] {
    #[inline(always)]
    fn put<const PLANES: usize>(self, isa: I, owners: u64, planes: [I::Vector; PLANES]) -> usize
    where
        I: Put<U>,
    {
        isa.put_some(owners, planes, self)
    }
}

/// A code unit that is gathered from planes.
pub(crate) trait Gathered: Unit {
    /// Decodes a block, and returns how many units were written. `open` is whether the byte before it leads four
    /// bytes, and then whether its own last byte does, where that matters.
    fn gather<I: Put<Self>>(bytes: Bytes<I>, open: &mut u64, room: impl Room<I, Self>) -> usize;
}

impl Gathered for u8 {
    #[inline(always)]
    fn gather<I: Put<u8>>(bytes: Bytes<I>, _: &mut u64, room: impl Room<I, u8>) -> usize {
        let Bytes { isa, here, next: [next, ..], .. } = bytes;
        let low = isa.pick(isa.at_least(here, isa.splat(TWO)), bytes.low(here, next), here);
        room.put(isa, bytes.leads(), [low])
    }
}

impl Gathered for u16 {
    #[inline(always)]
    fn gather<I: Put<u16>>(bytes: Bytes<I>, open: &mut u64, room: impl Room<I, u16>) -> usize {
        let fours = bytes.fours();
        if fours | *open == 0 {
            return room.put(bytes.isa, bytes.leads(), bytes.units_of_three());
        }
        let seconds = fours << 1 | *open;
        *open = fours >> (I::WIDTH - 1);
        room.put(bytes.isa, (bytes.leads() | seconds) & bytes.lanes, bytes.surrogates(seconds))
    }
}

impl Gathered for u32 {
    #[inline(always)]
    fn gather<I: Put<u32>>(bytes: Bytes<I>, _: &mut u64, room: impl Room<I, u32>) -> usize {
        match bytes.fours() {
            0 => room.put(bytes.isa, bytes.leads(), bytes.units_of_three()),
            _ => room.put(bytes.isa, bytes.leads(), bytes.units_of_four()),
        }
    }
}

impl<I: Planes> Bytes<I> {
    /// A bit for each lane that leads a character.
    #[inline(always)]
    fn leads(self) -> u64 {
        self.isa.leads(self.here) & self.lanes
    }

    /// A bit for each lane that leads four bytes.
    #[inline(always)]
    fn fours(self) -> u64 {
        self.isa.bits(self.isa.at_least(self.here, self.isa.splat(FOUR)))
    }

    /// The low byte, from a character's last two.
    #[inline(always)]
    fn low(self, last_but_one: I::Vector, last: I::Vector) -> I::Vector {
        let isa = self.isa;
        isa.mix(isa.splat(BROUGHT), last, isa.up::<6>(last_but_one))
    }

    /// The next byte: four bits of the last but one byte, and four of what stands before it.
    #[inline(always)]
    fn high(self, last_but_one: I::Vector, before: I::Vector) -> I::Vector {
        let isa = self.isa;
        isa.mix(isa.splat(LOW_NIBBLE), isa.down::<2>(last_but_one), isa.up::<4>(before))
    }

    /// The planes of characters of up to three bytes.
    #[inline(always)]
    fn units_of_three(self) -> [I::Vector; 2] {
        let Self { isa, here, next: [one, two, _], .. } = self;
        let (twos, threes) = (isa.at_least(here, isa.splat(TWO)), isa.at_least(here, isa.splat(THREE)));
        let last_but_one = isa.pick(threes, one, here);
        let last = isa.pick(threes, two, one);
        let low = isa.pick(twos, self.low(last_but_one, last), here);
        [low, self.high(isa.only(twos, last_but_one), isa.only(threes, here))]
    }

    /// The planes of characters of up to four bytes.
    #[inline(always)]
    fn units_of_four(self) -> [I::Vector; 3] {
        let Self { isa, here, next: [one, two, three], .. } = self;
        let (twos, threes) = (isa.at_least(here, isa.splat(TWO)), isa.at_least(here, isa.splat(THREE)));
        let fours = isa.at_least(here, isa.splat(FOUR));
        let before = isa.pick(fours, one, isa.only(threes, here));
        let last_but_one = isa.pick(fours, two, isa.pick(threes, one, here));
        let last = isa.pick(fours, three, isa.pick(threes, two, one));
        let low = isa.pick(twos, self.low(last_but_one, last), here);
        let high = self.high(isa.only(twos, last_but_one), before);
        let lead = isa.add(here, isa.splat(0u8.wrapping_sub(FOUR)));
        let top = isa.mix(isa.splat(0x03), isa.down::<4>(one), isa.up::<2>(lead));
        [low, high, isa.only(fours, top)]
    }

    /// The planes of units of UTF-16, where these bytes are the second ones of four.
    #[inline(always)]
    fn surrogates(self, seconds: u64) -> [I::Vector; 2] {
        let Self { isa, here, next: [one, two, _], .. } = self;
        let seconds = isa.flags(seconds);
        let (twos, threes) = (isa.at_least(here, isa.splat(TWO)), isa.at_least(here, isa.splat(THREE)));
        let fours = isa.at_least(here, isa.splat(FOUR));
        let (two_or_more, three_or_more) = (isa.either(twos, seconds), isa.either(threes, seconds));
        // Low surrogates (DC00 and ten bits) beside units of up to three bytes.
        let last_but_one = isa.pick(three_or_more, one, here);
        let last = isa.pick(three_or_more, two, one);
        let low = isa.pick(two_or_more, self.low(last_but_one, last), here);
        let high = self.high(isa.only(two_or_more, last_but_one), isa.only(threes, here));
        let high = isa.or(high, isa.only(seconds, isa.splat(0xDC)));
        // High ones: D800 and the bits from the tenth on, less the 0x40 that stand for 0x10000.
        let bits = isa.mix(isa.splat(0xFC), isa.up::<2>(one), isa.down::<4>(two));
        let low = isa.pick(fours, isa.add(bits, isa.splat(0xC0)), low);
        let not_borrowed = isa.only(isa.at_least(one, isa.splat(0x90)), isa.splat(1));
        let top = isa.add(isa.add(here, isa.splat(0xD7u8.wrapping_sub(FOUR))), not_borrowed);
        [low, isa.pick(fours, top, high)]
    }
}

/// Decodes by vectors of `WIDTH` bytes, which is that of `I`; a `WINDOW` is a vector and what it looks ahead.
#[inline(always)]
pub(crate) fn decode<I: Put<U>, U: Gathered, const WIDTH: usize, const WINDOW: usize>(
    isa: I,
    data: &[u8],
    out: &mut [MaybeUninit<U>],
) -> usize {
    const { assert!(WIDTH == I::WIDTH && WINDOW == WIDTH + AHEAD) };
    let mut at = 0;
    let mut written = 0;
    let mut open = 0;
    while let Some(window) = data.get(at..).and_then(<[u8]>::first_chunk::<WINDOW>)
        && let Some(room) = out.get_mut(written..).and_then(<[MaybeUninit<U>]>::first_chunk_mut::<WIDTH>)
    {
        let here = isa.load(window, 0);
        if isa.any_non_ascii(here) {
            let next = [isa.load(window, 1), isa.load(window, 2), isa.load(window, 3)];
            let lanes = u64::MAX >> (64 - WIDTH);
            written += U::gather(Bytes { isa, here, next, lanes }, &mut open, room);
        } else {
            isa.widen(here, room);
            open = 0;
            written += WIDTH;
        }
        at += WIDTH;
    }
    while let Some(rest) = data.get(at..)
        && let length @ 1.. = rest.len()
        && let Some(room @ [_, ..]) = out.get_mut(written..)
    {
        let ahead = |by: usize| rest.get(by..).unwrap_or_default();
        let next = [isa.load_some(ahead(1)), isa.load_some(ahead(2)), isa.load_some(ahead(3))];
        let lanes = u64::MAX >> (64 - WIDTH.min(length));
        written += U::gather(Bytes { isa, here: isa.load_some(rest), next, lanes }, &mut open, room);
        at += WIDTH;
    }
    written
}
