//! Decoding of data with errors, which become units of their own or nothing.
//!
//! By planes, a byte where an error starts is one more lead byte, whose unit is given; see
//! [`errors`](crate::kernels::errors) for how these bytes are found. The error is decoded as the
//! character U+0000, and the planes of its unit are exchanged before they are compressed. So neither the number of
//! errors nor what they are makes a difference to the time.
//!
//! On a Zen 4 with AVX-512, 64 random bytes take some 40 vector operations.

use core::marker::PhantomData;

use super::Unit;
use super::planes::{Bytes, Extract, Sink};
use crate::kernels::errors::vectors::sequences_of;
use crate::kernels::errors::{BLOCK_BYTES, BlockVisitor, SequenceFinder, WINDOW_BYTES, visit_blocks};
use crate::kernels::{Backend, Kernel, Task};
use crate::simd::uninit::{MaybeUninit, put};
use crate::simd::{Isa, Scalar, StoreUnits};

/// The units that errors become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorUnits {
    /// None.
    None,
    /// A unit for each error.
    Each(u16),
    /// A low surrogate for each byte of an error, as [`escape`] returns it (PEP 383).
    Escapes,
}

impl ErrorUnits {
    /// Writes the units of an error into `out`, given its bytes, and returns their number.
    pub(crate) fn write<U: Unit>(self, error: &[u8], out: &mut [MaybeUninit<U>]) -> usize {
        let mut written = 0;
        let mut write = |unit: u16| {
            written += put(&mut out[written..], &[U::of(unit.into()).0]);
        };
        match self {
            Self::None => {}
            Self::Each(unit) => write(unit),
            Self::Escapes => error.iter().for_each(|&byte| write(escape(byte))),
        }
        written
    }
}

/// Returns the low surrogate that represents a byte from 80 on that could not be decoded (PEP 383).
#[inline(always)]
pub(crate) const fn escape(byte: u8) -> u16 {
    (ESCAPE_HIGH as u16) << 8 | byte as u16
}

/// The high byte of [`escape`].
const ESCAPE_HIGH: u8 = 0xDC;

/// Decodes UTF-8 with errors into `out`, and returns the number of units written: all of `out`, if it has just the
/// length of the text. In a shorter output it stops early.
pub(crate) struct DecodeWithErrors<'a, U> {
    pub data: &'a [u8],
    pub out: &'a mut [MaybeUninit<U>],
    pub units: ErrorUnits,
}

impl<U: Unit> Kernel for DecodeWithErrors<'_, U> {
    type Output = usize;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> usize {
        U::decode_with_errors(isa, self.data, self.out, self.units)
    }
}

/// An encoding form that is extracted by planes, where errors become units; with `ESCAPES` one for each byte.
pub(super) struct WithErrors<G, const ESCAPES: bool>(PhantomData<G>);

/// The state between blocks.
pub(super) struct ErrorState<S> {
    form: S,
    /// A bit for each byte at the start of the next block that belongs to a sequence before it.
    consumed: u64,
    /// All bits if errors become units, else none.
    kept: u64,
    /// The unit of errors.
    unit: u16,
}

impl<S: Default> ErrorState<S> {
    /// Returns the state at the start.
    #[inline(always)]
    pub(super) fn of(units: ErrorUnits) -> Self {
        let (kept, unit) = match units {
            ErrorUnits::None => (0, 0),
            ErrorUnits::Each(unit) => (u64::MAX, unit),
            ErrorUnits::Escapes => (u64::MAX, escape(0)),
        };
        Self { form: S::default(), consumed: 0, kept, unit }
    }
}

impl<G: Extract, const ESCAPES: bool> Extract for WithErrors<G, ESCAPES> {
    type Unit = G::Unit;

    type State = ErrorState<G::State>;

    // Well-formed ones are looked for below, as errors may have such lead bytes, too.
    const FOUR_BYTE_LEADS: bool = false;

    #[inline(always)]
    fn close(state: &mut Self::State) {
        G::close(&mut state.form);
        state.consumed = 0;
    }

    #[inline(always)]
    fn extract<I: StoreUnits<G::Unit>, const FOUR_BYTE_LEADS: bool>(
        bytes: Bytes<I>,
        state: &mut Self::State,
        out: impl Sink<I, G::Unit>,
    ) -> usize {
        let Bytes { isa, here, next, lanes, .. } = bytes;
        let sequences = sequences_of(isa, here, next);
        let sequences = if ESCAPES { sequences.without_errors() } else { sequences };
        let starts = !sequences.consumed(I::WIDTH, &mut state.consumed) & lanes;
        let leads = starts & (sequences.well_formed | state.kept);
        let errors = isa.flags(starts & !sequences.well_formed);
        let [low, high] = state.unit.to_le_bytes();
        let low = if ESCAPES { here } else { isa.splat(low) };
        let out = WithUnits { errors, unit: [low, isa.splat(high)], out };
        let bytes = Bytes { here: isa.blend(errors, isa.splat(0), here), leads, ..bytes };
        match G::FOUR_BYTE_LEADS && (sequences.fourth != 0 || G::is_open(&state.form)) {
            true => G::extract::<I, true>(bytes, &mut state.form, out),
            false => G::extract::<I, false>(bytes, &mut state.form, out),
        }
    }
}

/// Memory for the units of a block, those of errors among them.
struct WithUnits<I: Isa, F, S> {
    /// The lanes where an error starts.
    errors: F,
    /// The planes of its unit.
    unit: [I::Vector; 2],
    out: S,
}

impl<I: StoreUnits<U>, U, S: Sink<I, U>> Sink<I, U> for WithUnits<I, I::Flags, S> {
    #[inline(always)]
    fn put<const PLANES: usize>(self, isa: I, kept: u64, mut planes: [I::Vector; PLANES]) -> usize {
        for (plane, byte) in planes.iter_mut().zip(self.unit) {
            *plane = isa.blend(self.errors, byte, *plane);
        }
        self.out.put(isa, kept, planes)
    }
}

/// Decodes character by character, except for blocks of ASCII.
#[inline(always)]
pub(super) fn one_by_one<I: Backend, U: Unit>(
    isa: I,
    data: &[u8],
    out: &mut [MaybeUninit<U>],
    units: ErrorUnits,
) -> usize {
    let state = ErrorState::of(units);
    let mut pass = OneByOne { out, written: 0, state, escapes: units == ErrorUnits::Escapes };
    visit_blocks(isa, data, &mut pass);
    pass.written
}

/// Bytes of ASCII that are decoded at once.
const RUN_BYTES: usize = 8;
/// A bit for each of them.
const RUN_BITS: u64 = (1 << RUN_BYTES) - 1;

/// Writes ASCII.
#[inline(always)]
fn write_ascii<U: Unit, const N: usize>(ascii: &[u8; N], out: &mut [MaybeUninit<U>; N]) {
    for (place, &byte) in out.iter_mut().zip(ascii) {
        place.write(U::of(byte.into()).0);
    }
}

/// A pass over the data.
struct OneByOne<'a, U> {
    out: &'a mut [MaybeUninit<U>],
    written: usize,
    state: ErrorState<()>,
    escapes: bool,
}

impl<I: Backend, U: Unit> BlockVisitor<I> for &mut OneByOne<'_, U> {
    #[inline(always)]
    fn visit(&mut self, isa: I, window: &[u8; WINDOW_BYTES], bytes: u64) {
        let out = self.out.get_mut(self.written..).unwrap_or_default();
        if bytes == u64::MAX
            && let Some(block) = window.first_chunk::<BLOCK_BYTES>()
            && isa.is_ascii(block)
            && let Some(out) = out.first_chunk_mut::<BLOCK_BYTES>()
        {
            write_ascii(block, out);
            self.written += BLOCK_BYTES;
            self.state.consumed = 0;
            return;
        }
        let sequences = I::SequenceFinder::find(isa, window);
        let sequences = if self.escapes { sequences.without_errors() } else { sequences };
        let starts = !sequences.consumed(BLOCK_BYTES, &mut self.state.consumed) & bytes;
        let mut left = starts & (sequences.well_formed | self.state.kept);
        let mut written = 0;
        while left != 0 {
            let at = left.trailing_zeros() as usize;
            // Eight characters or errors of one byte each, perhaps ASCII.
            if left >> at & RUN_BITS == RUN_BITS
                && let Some(run) = window[at & (BLOCK_BYTES - 1)..].first_chunk::<RUN_BYTES>()
                && Scalar.is_ascii(run)
                && let Some(out) = out.get_mut(written..).and_then(<[_]>::first_chunk_mut::<RUN_BYTES>)
            {
                write_ascii(run, out);
                left &= !(RUN_BITS << at);
                written += RUN_BYTES;
                continue;
            }
            left &= left - 1;
            let Some(&four) = window[at & (BLOCK_BYTES - 1)..].first_chunk() else { break };
            let error = if self.escapes { escape(four[0]) } else { self.state.unit };
            let is_char = sequences.well_formed >> at & 1 != 0;
            let (unit, second) = U::of(if is_char { character(four) } else { error.into() });
            let Some(place) = out.get_mut(written) else { break };
            place.write(unit);
            written += 1;
            if let Some(second) = second {
                let Some(place) = out.get_mut(written) else { break };
                place.write(second);
                written += 1;
            }
        }
        self.written += written;
    }
}

/// Returns the code point of the well-formed character at the start of four bytes.
#[inline(always)]
fn character(bytes: [u8; 4]) -> u32 {
    let length = usize::from(LENGTHS[usize::from(bytes[0] >> 4)]);
    let [lead, one, two, three] = bytes.map(u32::from);
    let bits = (lead & 0x7F >> (length & 7)) << 18 | (one & 0x3F) << 12 | (two & 0x3F) << 6 | three & 0x3F;
    // ASCII has seven bits of its own.
    if length < 2 { lead } else { bits >> (6 * (4 - length)) }
}

/// The lengths of characters in bytes, by the high four bits of the lead byte.
const LENGTHS: [u8; 16] = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4];
