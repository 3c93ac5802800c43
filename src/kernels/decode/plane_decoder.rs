//! Decoding by planes: the two passes, by blocks of vectors.

use core::marker::PhantomData;

use super::decoder::{Decoder, ErrorUnits, SingleByteDecoder};
use super::kernels::{CodeUnit, Decode, decode_in_two_passes};
use super::planes::{Bytes, Extract, LOOKAHEAD_BYTES, UnitSink, all_lanes};
use super::with_errors::{ErrorState, ExtractWithErrors};
use crate::kernels::errors::sequences::ErrorStarts;
use crate::kernels::kernel::{Backend, run_separately};
use crate::kernels::single_byte::SingleByteTables;
use crate::kernels::validate::rules::Utf8;
use crate::kernels::validate::validator::Validator;
use crate::sequence::FOUR_BYTE_LEAD;
use crate::simd::uninit::MaybeUninit;
use crate::simd::{Planes, StoreUnits};

/// Windows that are looked up without a test, which takes less time than a mispredicted branch; without characters of
/// the second one, or of any, with AVX2 a tenth more.
const UNTESTED_WINDOWS: usize = 2;

/// The bytes of a single-byte encoding.
struct SingleByte<'a>(PhantomData<&'a SingleByteTables>);

/// The encoding, and a number that is not 0 if it lacks a character.
struct SingleByteState<'a> {
    tables: &'a SingleByteTables,
    missing: u64,
}

impl<'a> Extract for SingleByte<'a> {
    type Unit = u8;

    type State = SingleByteState<'a>;

    // None is there.
    const FOUR_BYTE_LEADS: bool = false;

    #[inline(always)]
    fn extract<I: StoreUnits<u8>, const FOUR_BYTE_LEADS: bool>(
        bytes: Bytes<I>,
        state: &mut SingleByteState<'a>,
        out: impl UnitSink<I, u8>,
    ) -> usize {
        let isa = bytes.isa;
        let [low, high] = bytes.units_of_three();
        // ASCII stays as it is. Other characters are found where the byte is not ASCII then.
        let mut found = isa.and(bytes.here, isa.splat(0x7F));
        let wanted = bytes.leads & isa.bits(isa.non_ascii(bytes.here));
        let mut left = wanted;
        for (index, window) in state.tables.windows.iter().enumerate() {
            if index >= UNTESTED_WINDOWS && left == 0 {
                break;
            }
            let half = isa.non_ascii(isa.add(low, isa.splat(window.flip)));
            let within = isa.and_flags(isa.equal(high, isa.splat(window.high)), half);
            let [looked_up] = isa.lookup128([&window.bytes], low);
            found = isa.blend(within, looked_up, found);
            left = wanted & !isa.bits(isa.non_ascii(found));
        }
        state.missing |= left | bytes.four_byte_leads();
        out.put(isa, bytes.leads, [found])
    }
}

/// Memory that may be too short: all units are stored, or none.
struct AllOrNone<'a, U>(&'a mut [MaybeUninit<U>]);

impl<I, U> UnitSink<I, U> for AllOrNone<'_, U> {
    #[inline(always)]
    fn put<const PLANES: usize>(self, isa: I, kept: u64, planes: [I::Vector; PLANES]) -> usize
    where
        I: StoreUnits<U>,
    {
        let units = kept.count_ones() as usize;
        let Some(out) = self.0.get_mut(..units) else { return 0 };
        isa.store_compressed_partial(kept, planes, out);
        units
    }
}

/// A pass over the data.
struct DecodePass<'a, I: Planes, G: Extract> {
    isa: I,
    data: &'a [u8],
    out: &'a mut [MaybeUninit<G::Unit>],
    at: usize,
    written: usize,
    state: G::State,
}

impl<I: StoreUnits<G::Unit>, G: Extract> DecodePass<'_, I, G> {
    /// Decodes more than fits into a vector, by vectors of `WIDTH` bytes, the width of `I`.
    #[inline(always)]
    fn run_all<const WIDTH: usize, const WINDOW: usize, const GROUP: usize, const GROUP_WINDOW: usize>(
        &mut self,
    ) {
        const {
            assert!(
                WIDTH == I::WIDTH
                    && WINDOW == WIDTH + LOOKAHEAD_BYTES
                    && GROUP_WINDOW == GROUP + LOOKAHEAD_BYTES
            )
        };
        self.run::<WIDTH, GROUP, GROUP_WINDOW>();
        self.run::<WIDTH, WIDTH, WINDOW>();
        while self.at < self.data.len() && self.written < self.out.len() {
            self.step();
        }
    }

    /// Decodes blocks of `LENGTH` bytes, as long as the output has space for as many units; a `WINDOW` has the bytes
    /// after them, too.
    #[inline(always)]
    fn run<const WIDTH: usize, const LENGTH: usize, const WINDOW: usize>(&mut self) {
        let isa = self.isa;
        while let Some(window) = self.data.get(self.at..).and_then(<[u8]>::first_chunk::<WINDOW>)
            && let Some(out) = self.out.get_mut(self.written..)
            && let Some(out) = out.first_chunk_mut::<LENGTH>()
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
                    if let Some(out) = out[at..].first_chunk_mut::<WIDTH>() {
                        isa.store_widened(isa.load(window, at), out);
                    }
                    at += WIDTH;
                }
                G::skip(&mut self.state, LENGTH);
                self.written += LENGTH;
            } else if G::FOUR_BYTE_LEADS
                && (isa.bits(isa.at_least(largest, isa.splat(FOUR_BYTE_LEAD))) != 0
                    || G::is_open(&self.state))
            {
                self.written +=
                    extract::<I, G, true, WIDTH, LENGTH, WINDOW>(isa, window, &mut self.state, out);
            } else {
                self.written +=
                    extract::<I, G, false, WIDTH, LENGTH, WINDOW>(isa, window, &mut self.state, out);
            }
            self.at += LENGTH;
        }
    }

    /// Decodes at most a vector of bytes, and only as many units as the output has space for.
    #[inline(always)]
    fn step(&mut self) {
        let bytes = Bytes::start(self.isa, self.data, self.at);
        self.written += bytes.decode::<G>(&mut self.state, &mut self.out[self.written..]);
        self.at += I::WIDTH;
    }
}

/// Decodes the blocks of a window.
#[inline(always)]
fn extract<
    I: StoreUnits<G::Unit>,
    G: Extract,
    const FOUR_BYTE_LEADS: bool,
    const WIDTH: usize,
    const LENGTH: usize,
    const WINDOW: usize,
>(
    isa: I,
    window: &[u8; WINDOW],
    state: &mut G::State,
    out: &mut [MaybeUninit<G::Unit>; LENGTH],
) -> usize {
    let mut written = 0;
    let mut at = 0;
    while at < LENGTH {
        let here = isa.load(window, at);
        let next = [isa.load(window, at + 1), isa.load(window, at + 2), isa.load(window, at + 3)];
        let bytes = Bytes { isa, here, next, lanes: all_lanes(WIDTH), leads: isa.lead_bits(here) };
        if let Some(out) = out.get_mut(written..)
            && let Some(out) = out.first_chunk_mut::<WIDTH>()
        {
            written += G::extract::<I, FOUR_BYTE_LEADS>(bytes, state, out);
        }
        at += WIDTH;
    }
    written
}

/// Decodes by planes, by vectors of `WIDTH` bytes, the width of the instruction set, and tests `GROUP` bytes at a time
/// for ASCII; each window has the three bytes that follow, too.
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
    U: CodeUnit + Extract<Unit = U, State: Default>,
{
    #[inline(always)]
    fn decode<const ANY_LENGTH: bool>(isa: I, data: &[u8], out: &mut [MaybeUninit<U>]) -> usize {
        let mut pass = DecodePass::<I, U> { isa, data, out, at: 0, written: 0, state: U::State::default() };
        match (ANY_LENGTH, data.len() <= WIDTH) {
            (true, true) => {
                if !data.is_empty() {
                    pass.step();
                }
            }
            (true, false) => return run_separately(isa, Decode::<U, false> { data, out: pass.out }),
            (false, _) => pass.run_all::<WIDTH, WINDOW, GROUP, GROUP_WINDOW>(),
        }
        pass.written
    }

    /// Decodes as [`DecodeChecked`](super::DecodeChecked). What fits into a vector is not measured.
    #[inline(always)]
    fn decode_checked(isa: I, data: &[u8], out: &mut [MaybeUninit<U>]) -> Option<usize> {
        if data.len() > I::WIDTH {
            return decode_in_two_passes(isa, data, out);
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

    #[inline(always)]
    fn decode_with_errors(
        isa: I,
        data: &[u8],
        starts: ErrorStarts<'_>,
        out: &mut [MaybeUninit<U>],
        units: ErrorUnits,
    ) -> usize {
        let state = ErrorState::of(starts, units);
        if units == ErrorUnits::Escapes {
            let mut pass =
                DecodePass::<I, ExtractWithErrors<'_, U, true>> { isa, data, out, at: 0, written: 0, state };
            pass.run_all::<WIDTH, WINDOW, GROUP, GROUP_WINDOW>();
            pass.written
        } else {
            let mut pass =
                DecodePass::<I, ExtractWithErrors<'_, U, false>> { isa, data, out, at: 0, written: 0, state };
            pass.run_all::<WIDTH, WINDOW, GROUP, GROUP_WINDOW>();
            pass.written
        }
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
        tables: &SingleByteTables,
        data: &[u8],
        out: &mut [MaybeUninit<u8>],
    ) -> (usize, bool) {
        let state = SingleByteState { tables, missing: 0 };
        let mut pass = DecodePass::<I, SingleByte<'_>> { isa, data, out, at: 0, written: 0, state };
        pass.run_all::<WIDTH, WINDOW, GROUP, GROUP_WINDOW>();
        (pass.written, pass.state.missing == 0)
    }
}
