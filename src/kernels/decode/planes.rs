//! Decoding by byte planes: every lead byte gathers the bits of its character, all lanes at once. An
//! algorithm of our own.
//!
//! 1. Beside each byte are laid those one, two and three after it, by loads that overlap. So a lead byte has
//!    all of its character before it, and hardly anything is carried from block to block.
//! 2. Of these the last two bytes of the character are picked by the class of the lead. Their bits make the
//!    low byte of the unit and the first four bits of the next; what is left of the lead makes the others.
//!    Each byte of the units is a vector of its own, a plane. Continuation bytes gather nonsense.
//! 3. The planes are squeezed to the lanes that own a unit, the lead bytes, and zipped. How that is best done
//!    depends on the instruction set; see [`Put`].
//! 4. In UTF-16 a character of four bytes takes two units. The second byte owns the second one: what it
//!    gathers is laid out as if it led three bytes. Only there a bit is carried over to the next block.
//! 5. Some vectors at a time are asked whether they hold nothing but ASCII, and whether they hold characters
//!    of four bytes.
//! 6. Whole vectors are read and written as long as there is room for as many units as bytes; the rest by
//!    loads and stores that leave off where data and output do. What fits into one vector has a way of its
//!    own.
//!
//! What bounds it on a Zen 4 with AVX-512: some 20 vector operations for 64 bytes, four of them to squeeze
//! two planes, and stores that overlap. With AVX2: some 50 instructions of any kind for 32 bytes.
//!
//! Tried and lost, to UTF-16 with AVX-512: whether there are characters of four bytes asked at each vector
//! (12 % slower), or afterwards of 1 KB, which is then decoded anew (30 %, as the end of each run is
//! mispredicted); four vectors asked at once (French 3 % faster, English 3 % slower; with AVX2 eight vectors:
//! 10 % slower); bits moved by GFNI's matrices (nothing gained); prefetching (nothing gained).

use core::marker::PhantomData;

use super::single_byte::SingleByteDecoder;
use super::{Decode, Decoder, LATIN1, Unit, measured};
use crate::kernels::single_byte::Tables;
use crate::kernels::validate::Validator;
use crate::kernels::validate::rules::Utf8;
use crate::kernels::{Backend, FOUR_BYTE_LEAD, THREE_BYTE_LEAD, run_separately};
use crate::simd::uninit::MaybeUninit;
use crate::simd::{Planes, StoreUnits};

/// How far ahead a lead byte looks.
const AHEAD: usize = 3;

/// The bits that a continuation byte brings.
const BROUGHT: u8 = 0x3F;
const LOW_NIBBLE: u8 = 0x0F;

/// Some bytes, and those after them.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<I: Planes> {
    isa: I,
    here: I::Vector,
    next: [I::Vector; AHEAD],
    /// A bit for each lane that leads a character.
    leads: u64,
}

/// Where the units of a block go.
pub(crate) trait Room<I, U> {
    /// Writes those units whose lanes own one; of each the lowest bytes are given, lane by lane, the others
    /// are 0. Returns how many were written.
    fn put<const PLANES: usize>(self, isa: I, kept: u64, planes: [I::Vector; PLANES]) -> usize
    where
        I: StoreUnits<U>;
}

/// Room for all that a block can hold.
impl<I, U, const N: usize> Room<I, U> for &mut [MaybeUninit<U>; N] {
    #[inline(always)]
    fn put<const PLANES: usize>(self, isa: I, kept: u64, planes: [I::Vector; PLANES]) -> usize
    where
        I: StoreUnits<U>,
    {
        isa.store_compressed(kept, planes, self);
        kept.count_ones() as usize
    }
}

/// All the room that there is.
impl<I, U> Room<I, U> for &mut [MaybeUninit<U>] {
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

/// Room that takes all units or none.
struct AllOrNone<'a, U>(&'a mut [MaybeUninit<U>]);

impl<I, U> Room<I, U> for AllOrNone<'_, U> {
    #[inline(always)]
    fn put<const PLANES: usize>(self, isa: I, kept: u64, planes: [I::Vector; PLANES]) -> usize
    where
        I: StoreUnits<U>,
    {
        let units = kept.count_ones() as usize;
        let Some(room) = self.0.get_mut(..units) else { return 0 };
        isa.store_compressed_partial(kept, planes, room);
        units
    }
}

/// A form that is gathered from planes.
pub(crate) trait Gathered {
    /// Its code unit.
    type Unit;

    /// What is kept in mind from block to block.
    type State;

    /// Whether characters of four bytes are gathered in another way.
    const FOURS: bool;

    /// Whether a character of four bytes goes on in the next block.
    #[inline(always)]
    fn is_open(_: &Self::State) -> bool {
        false
    }

    /// The next block is ASCII.
    #[inline(always)]
    fn close(_: &mut Self::State) {}

    /// Whether the form has all these characters.
    #[inline(always)]
    fn has<I: Planes>(_: Bytes<I>) -> bool {
        true
    }

    /// Decodes a block, and returns how many units were written; with `FOURS` there may be characters of four
    /// bytes.
    fn gather<I: StoreUnits<Self::Unit>, const FOURS: bool>(
        bytes: Bytes<I>,
        state: &mut Self::State,
        room: impl Room<I, Self::Unit>,
    ) -> usize;
}

impl Gathered for u8 {
    type Unit = u8;

    type State = ();

    const FOURS: bool = false;

    #[inline(always)]
    fn has<I: Planes>(Bytes { isa, here, .. }: Bytes<I>) -> bool {
        isa.bits(isa.at_least(here, isa.splat(LATIN1 + 1))) == 0
    }

    #[inline(always)]
    fn gather<I: StoreUnits<u8>, const FOURS: bool>(
        bytes: Bytes<I>,
        _: &mut (),
        room: impl Room<I, u8>,
    ) -> usize {
        room.put(bytes.isa, bytes.leads, [bytes.unit_of_two()])
    }
}

impl Gathered for u16 {
    type Unit = u16;

    /// Whether the last byte leads four bytes.
    type State = u64;

    const FOURS: bool = true;

    #[inline(always)]
    fn is_open(open: &u64) -> bool {
        *open != 0
    }

    #[inline(always)]
    fn close(open: &mut u64) {
        *open = 0;
    }

    #[inline(always)]
    fn gather<I: StoreUnits<u16>, const FOURS: bool>(
        bytes: Bytes<I>,
        open: &mut u64,
        room: impl Room<I, u16>,
    ) -> usize {
        if !FOURS {
            return room.put(bytes.isa, bytes.leads, bytes.units_of_three());
        }
        let fours = bytes.fours();
        let seconds = (fours << 1 | *open) & all_lanes(I::WIDTH);
        *open = fours >> (I::WIDTH - 1);
        room.put(bytes.isa, bytes.leads | seconds, bytes.units_of_utf16(seconds))
    }
}

impl Gathered for u32 {
    type Unit = u32;

    type State = ();

    const FOURS: bool = true;

    #[inline(always)]
    fn gather<I: StoreUnits<u32>, const FOURS: bool>(
        bytes: Bytes<I>,
        _: &mut (),
        room: impl Room<I, u32>,
    ) -> usize {
        match FOURS {
            false => room.put(bytes.isa, bytes.leads, bytes.units_of_three()),
            true => room.put(bytes.isa, bytes.leads, bytes.units_of_four()),
        }
    }
}

/// So many windows of a page are looked into at any rate, which takes less than to guess wrong; without characters of
/// the second one, or of any, with AVX2 a tenth more.
const ALWAYS: usize = 2;

/// A single-byte encoding.
struct InPage<'a>(PhantomData<&'a Tables>);

/// The encoding in which characters are sought, and what is not 0 if one was missing.
struct Sought<'a> {
    tables: &'a Tables,
    missing: u64,
}

impl<'a> Gathered for InPage<'a> {
    type Unit = u8;

    type State = Sought<'a>;

    // None is there.
    const FOURS: bool = false;

    #[inline(always)]
    fn gather<I: StoreUnits<u8>, const FOURS: bool>(
        bytes: Bytes<I>,
        state: &mut Sought<'a>,
        room: impl Room<I, u8>,
    ) -> usize {
        let isa = bytes.isa;
        let [low, high] = bytes.units_of_three();
        // ASCII as it is. Of the others those are found that have become what is none.
        let mut found = isa.and(bytes.here, isa.splat(0x7F));
        let sought = bytes.leads & isa.bits(isa.non_ascii(bytes.here));
        let mut left = sought;
        for (index, window) in state.tables.windows.iter().enumerate() {
            if index >= ALWAYS && left == 0 {
                break;
            }
            let half = isa.non_ascii(isa.add(low, isa.splat(window.flip)));
            let within = isa.and_flags(isa.equal(high, isa.splat(window.high)), half);
            let [looked_up] = isa.lookup128([&window.bytes], low);
            found = isa.blend(within, looked_up, found);
            left = sought & !isa.bits(isa.non_ascii(found));
        }
        state.missing |= left | bytes.fours();
        room.put(isa, bytes.leads, [found])
    }
}

/// A bit for each of some lanes.
#[inline(always)]
fn all_lanes(lanes: usize) -> u64 {
    u64::MAX >> (64 - lanes)
}

impl<I: Planes> Bytes<I> {
    /// As many of `data[at..]` as there are lanes, at least one.
    #[inline(always)]
    fn start(isa: I, data: &[u8], at: usize) -> Self {
        let here = isa.load_partial_at(data, at);
        let next = [
            isa.load_partial_at(data, at + 1),
            isa.load_partial_at(data, at + 2),
            isa.load_partial_at(data, at + 3),
        ];
        let leads = isa.lead_bits(here) & all_lanes((data.len() - at).min(I::WIDTH));
        Self { isa, here, next, leads }
    }

    /// Decodes them in the way that they need.
    #[inline(always)]
    fn decode<G: Gathered>(self, state: &mut G::State, room: impl Room<I, G::Unit>) -> usize
    where
        I: StoreUnits<G::Unit>,
    {
        match G::FOURS && (self.fours() != 0 || G::is_open(state)) {
            true => G::gather::<I, true>(self, state, room),
            false => G::gather::<I, false>(self, state, room),
        }
    }

    /// A bit for each lane that leads four bytes.
    #[inline(always)]
    fn fours(self) -> u64 {
        self.isa.bits(self.isa.at_least(self.here, self.isa.splat(FOUR_BYTE_LEAD)))
    }

    /// The low byte, from a character's last two.
    #[inline(always)]
    fn low(self, last_but_one: I::Vector, last: I::Vector) -> I::Vector {
        let isa = self.isa;
        let gathered = isa.select_bits(isa.splat(BROUGHT), last, isa.shl::<6>(last_but_one));
        isa.blend(isa.non_ascii(self.here), gathered, self.here)
    }

    /// The next byte: four bits of the last but one byte, and the four of what stands before it.
    #[inline(always)]
    fn high(self, last_but_one: I::Vector, four: I::Vector) -> I::Vector {
        let isa = self.isa;
        let low = isa.and(isa.splat(LOW_NIBBLE), isa.shr::<2>(last_but_one));
        isa.retain(isa.non_ascii(self.here), isa.or(low, isa.shl::<4>(four)))
    }

    /// The plane of characters of up to two bytes, as far as they fit into one.
    #[inline(always)]
    fn unit_of_two(self) -> I::Vector {
        self.low(self.here, self.next[0])
    }

    /// The planes of characters of up to three bytes.
    #[inline(always)]
    fn units_of_three(self) -> [I::Vector; 2] {
        let Self { isa, here, next: [one, two, _], .. } = self;
        let threes = isa.at_least_or_ascii(here, isa.splat(THREE_BYTE_LEAD));
        let last_but_one = isa.blend(threes, one, here);
        let last = isa.blend(threes, two, one);
        [
            self.low(last_but_one, last),
            self.high(last_but_one, isa.saturating_sub(here, isa.splat(THREE_BYTE_LEAD))),
        ]
    }

    /// The planes of characters of up to four bytes.
    #[inline(always)]
    fn units_of_four(self) -> [I::Vector; 3] {
        let Self { isa, here, next: [one, two, three], .. } = self;
        let threes = isa.at_least_or_ascii(here, isa.splat(THREE_BYTE_LEAD));
        let fours = isa.at_least(here, isa.splat(FOUR_BYTE_LEAD));
        let before = isa.blend(fours, one, isa.retain(threes, here));
        let four = isa.and(before, isa.splat(LOW_NIBBLE));
        let last_but_one = isa.blend(fours, two, isa.blend(threes, one, here));
        let last = isa.blend(fours, three, isa.blend(threes, two, one));
        let lead = isa.add(here, isa.splat(0u8.wrapping_sub(FOUR_BYTE_LEAD)));
        let top = isa.select_bits(isa.splat(0x03), isa.shr::<4>(one), isa.shl::<2>(lead));
        [self.low(last_but_one, last), self.high(last_but_one, four), isa.retain(fours, top)]
    }

    /// The planes of units of UTF-16, where these bytes are the second ones of four.
    #[inline(always)]
    fn units_of_utf16(self, seconds: u64) -> [I::Vector; 2] {
        let Self { isa, here, next: [one, two, _], .. } = self;
        let seconds = isa.flags(seconds);
        let threes = isa.at_least_or_ascii(here, isa.splat(THREE_BYTE_LEAD));
        let fours = isa.at_least(here, isa.splat(FOUR_BYTE_LEAD));
        // Low surrogates (DC00 and ten bits) beside units of up to three bytes.
        let like_threes = isa.or_flags(threes, seconds);
        let last_but_one = isa.blend(like_threes, one, here);
        let last = isa.blend(like_threes, two, one);
        let low = self.low(last_but_one, last);
        let four = isa.and(isa.saturating_sub(here, isa.splat(THREE_BYTE_LEAD)), isa.splat(LOW_NIBBLE));
        let high = self.high(last_but_one, four);
        let high = isa.or(high, isa.retain(seconds, isa.splat(0xDC)));
        // High ones: D800 and the bits from the tenth on, less the 0x40 that stand for 0x10000.
        let bits = isa.select_bits(isa.splat(0xFC), isa.shl::<2>(one), isa.shr::<4>(two));
        let low = isa.blend(fours, isa.add(bits, isa.splat(0xC0)), low);
        let not_borrowed = isa.retain(isa.at_least_or_ascii(one, isa.splat(0x90)), isa.splat(1));
        let top = isa.add(isa.add(here, isa.splat(0xD7u8.wrapping_sub(FOUR_BYTE_LEAD))), not_borrowed);
        [low, isa.blend(fours, top, high)]
    }
}

/// A way through the data.
struct Way<'a, I: Planes, G: Gathered> {
    isa: I,
    data: &'a [u8],
    out: &'a mut [MaybeUninit<G::Unit>],
    at: usize,
    written: usize,
    state: G::State,
}

impl<I: StoreUnits<G::Unit>, G: Gathered> Way<'_, I, G> {
    /// Decodes more than fits into a vector, by vectors of `WIDTH` bytes, which is that of `I`.
    #[inline(always)]
    fn run_all<const WIDTH: usize, const WINDOW: usize, const GROUP: usize, const GROUP_WINDOW: usize>(
        &mut self,
    ) {
        const { assert!(WIDTH == I::WIDTH && WINDOW == WIDTH + AHEAD && GROUP_WINDOW == GROUP + AHEAD) };
        self.run::<WIDTH, GROUP, GROUP_WINDOW>();
        self.run::<WIDTH, WIDTH, WINDOW>();
        while self.at < self.data.len() && self.written < self.out.len() {
            self.step();
        }
    }

    /// Decodes blocks by `LENGTH` bytes, as long as there is room for all that they can hold; a `WINDOW` is
    /// what is looked at then.
    #[inline(always)]
    fn run<const WIDTH: usize, const LENGTH: usize, const WINDOW: usize>(&mut self) {
        let isa = self.isa;
        while let Some(window) = self.data.get(self.at..).and_then(<[u8]>::first_chunk::<WINDOW>)
            && let Some(room) = self.out.get_mut(self.written..)
            && let Some(room) = room.first_chunk_mut::<LENGTH>()
        {
            let mut largest = isa.load(window, 0);
            let mut at = WIDTH;
            while at < LENGTH {
                largest = isa.max(largest, isa.load(window, at));
                at += WIDTH;
            }
            if !isa.any_non_ascii(largest) {
                let mut at = 0;
                while at < LENGTH {
                    if let Some(room) = room[at..].first_chunk_mut::<WIDTH>() {
                        isa.store_widened(isa.load(window, at), room);
                    }
                    at += WIDTH;
                }
                G::close(&mut self.state);
                self.written += LENGTH;
            } else if G::FOURS
                && (isa.bits(isa.at_least(largest, isa.splat(FOUR_BYTE_LEAD))) != 0
                    || G::is_open(&self.state))
            {
                self.written +=
                    gather::<I, G, true, WIDTH, LENGTH, WINDOW>(isa, window, &mut self.state, room);
            } else {
                self.written +=
                    gather::<I, G, false, WIDTH, LENGTH, WINDOW>(isa, window, &mut self.state, room);
            }
            self.at += LENGTH;
        }
    }

    /// Decodes at most a vector of bytes, and those only for which there is room.
    #[inline(always)]
    fn step(&mut self) {
        let bytes = Bytes::start(self.isa, self.data, self.at);
        self.written += bytes.decode::<G>(&mut self.state, &mut self.out[self.written..]);
        self.at += I::WIDTH;
    }
}

/// Decodes the blocks of a window.
#[inline(always)]
fn gather<
    I: StoreUnits<G::Unit>,
    G: Gathered,
    const FOURS: bool,
    const WIDTH: usize,
    const LENGTH: usize,
    const WINDOW: usize,
>(
    isa: I,
    window: &[u8; WINDOW],
    state: &mut G::State,
    room: &mut [MaybeUninit<G::Unit>; LENGTH],
) -> usize {
    let mut written = 0;
    let mut at = 0;
    while at < LENGTH {
        let here = isa.load(window, at);
        let next = [isa.load(window, at + 1), isa.load(window, at + 2), isa.load(window, at + 3)];
        let bytes = Bytes { isa, here, next, leads: isa.lead_bits(here) };
        if let Some(room) = room.get_mut(written..)
            && let Some(room) = room.first_chunk_mut::<WIDTH>()
        {
            written += G::gather::<I, FOURS>(bytes, state, room);
        }
        at += WIDTH;
    }
    written
}

/// Decodes by planes, by vectors of `WIDTH` bytes, which is that of the instruction set, and tests `GROUP` bytes at a
/// time for ASCII; each window has the three bytes that follow, too.
pub(crate) struct PlaneDecoder<
    const WIDTH: usize,
    const WINDOW: usize,
    const GROUP: usize,
    const GROUP_WINDOW: usize,
>;

impl<I, U, const WIDTH: usize, const WINDOW: usize, const GROUP: usize, const GROUP_WINDOW: usize>
    Decoder<I, U> for PlaneDecoder<WIDTH, WINDOW, GROUP, GROUP_WINDOW>
where
    I: Backend + StoreUnits<U>,
    U: Unit + Gathered<Unit = U, State: Default>,
{
    #[inline(always)]
    fn decode<const ANY_LENGTH: bool>(isa: I, data: &[u8], out: &mut [MaybeUninit<U>]) -> usize {
        let mut way = Way::<I, U> { isa, data, out, at: 0, written: 0, state: U::State::default() };
        match (ANY_LENGTH, data.len() <= WIDTH) {
            (true, true) => {
                if !data.is_empty() {
                    way.step();
                }
            }
            (true, false) => return run_separately(isa, Decode::<U, false> { data, out: way.out }),
            (false, _) => way.run_all::<WIDTH, WINDOW, GROUP, GROUP_WINDOW>(),
        }
        way.written
    }

    /// Decodes as [`DecodeChecked`](super::DecodeChecked). What fits into a vector is not measured.
    #[inline(always)]
    fn decode_checked(isa: I, data: &[u8], out: &mut [MaybeUninit<U>]) -> Option<usize> {
        if data.len() > I::WIDTH {
            return measured(isa, data, out);
        }
        if data.is_empty() {
            return Some(0);
        }
        if !I::Validator::is_valid::<Utf8, true>(isa, data) {
            return None;
        }
        let bytes = Bytes::start(isa, data, 0);
        let written =
            if U::has(bytes) { bytes.decode::<U>(&mut U::State::default(), AllOrNone(out)) } else { 0 };
        (written > 0).then_some(written)
    }
}

impl<I, const WIDTH: usize, const WINDOW: usize, const GROUP: usize, const GROUP_WINDOW: usize>
    SingleByteDecoder<I> for PlaneDecoder<WIDTH, WINDOW, GROUP, GROUP_WINDOW>
where
    I: StoreUnits<u8>,
{
    #[inline(always)]
    fn decode_single_byte(
        isa: I,
        tables: &Tables,
        data: &[u8],
        out: &mut [MaybeUninit<u8>],
    ) -> (usize, bool) {
        let state = Sought { tables, missing: 0 };
        let mut way = Way::<I, InPage<'_>> { isa, data, out, at: 0, written: 0, state };
        way.run_all::<WIDTH, WINDOW, GROUP, GROUP_WINDOW>();
        (way.written, way.state.missing == 0)
    }
}
