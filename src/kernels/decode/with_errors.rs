//! Decoding of data with errors, which become units of their own or nothing.
//!
//! By planes, a byte where an error starts is one more lead byte, whose unit is given; see
//! [`errors::masks`](crate::kernels::errors::masks) for how these bytes are found. The error is decoded as the
//! character U+0000, and the planes of its unit are exchanged before they are compressed. So neither the number of
//! errors nor what they are makes a difference to the time.
//!
//! On a Zen 4 with AVX-512, 64 random bytes take some 40 vector operations.

use core::marker::PhantomData;

use super::Unit;
use super::planes::{Bytes, Extract, Sink};
use crate::kernels::errors::masks::Sequences;
use crate::kernels::errors::scalar::{State, Step, WORD_BYTES};
use crate::kernels::{Backend, Kernel, Task};
use crate::sequence::{announced_length, is_continuation, payload_mask};
use crate::simd::uninit::MaybeUninit;
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

/// Returns the low surrogate that stands for a byte from 80 on that could not be decoded (PEP 383).
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
        let sequences = Sequences::of(isa, here, next);
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

/// Decodes byte by byte, except for runs of ASCII.
#[inline(always)]
pub(super) fn one_by_one<U: Unit>(data: &[u8], out: &mut [MaybeUninit<U>], units: ErrorUnits) -> usize {
    let (kept, unit) = match units {
        ErrorUnits::None => (0, 0),
        ErrorUnits::Each(unit) => (1, unit),
        ErrorUnits::Escapes => return walk::<U, true>(data, Writer::new(out, 0, 0)),
    };
    walk::<U, false>(data, Writer::new(out, kept, unit))
}

/// Decodes `data` into `writer`, and returns the number of units written.
#[inline(always)]
fn walk<U: Unit, const ESCAPES: bool>(data: &[u8], mut writer: Writer<'_, U, ESCAPES>) -> usize {
    let mut state = State::START;
    let mut rest = data;
    while let Some((word, after)) = rest.split_first_chunk::<WORD_BYTES>() {
        rest = after;
        if state.is_start() && Scalar.is_ascii(word) {
            writer.write_ascii(word);
        } else {
            word.iter().for_each(|&byte| writer.write(byte, state.step(byte)));
        }
    }
    rest.iter().for_each(|&byte| writer.write(byte, state.step(byte)));
    if !state.is_start() {
        writer.write_last_error();
    }
    writer.written.min(writer.out.len())
}

/// Units that are written byte by byte. Those that do not fit into the output are dropped.
struct Writer<'a, U, const ESCAPES: bool> {
    out: &'a mut [MaybeUninit<U>],
    /// The number of units written so far, without those of an open sequence.
    written: usize,
    /// The code point, as far as it is known.
    scalar: u32,
    /// The number of bytes of an open sequence that are escaped so far.
    escaped: usize,
    /// The number of units of an error.
    kept: usize,
    unit: U,
}

impl<'a, U: Unit, const ESCAPES: bool> Writer<'a, U, ESCAPES> {
    #[inline(always)]
    fn new(out: &'a mut [MaybeUninit<U>], kept: usize, unit: u16) -> Self {
        Self { out, written: 0, scalar: 0, escaped: 0, kept, unit: U::of(u32::from(unit)).0 }
    }

    #[inline(always)]
    fn put(&mut self, at: usize, unit: U) {
        if let Some(place) = self.out.get_mut(at) {
            place.write(unit);
        }
    }

    /// Writes what ends with a byte. All units that it may be are written, and as many counted as it is.
    #[inline(always)]
    fn write(&mut self, byte: u8, step: Step) {
        self.scalar = match is_continuation(byte) {
            true => self.scalar << 6 | u32::from(byte & 0x3F),
            false => u32::from(PAYLOADS[usize::from(byte)]),
        };
        if ESCAPES {
            // The bytes of an open sequence turn out to be an error with the byte after them.
            self.written += if step.errors > 0 { self.escaped } else { 0 };
            self.escaped = if step.errors > 0 { 0 } else { self.escaped };
            self.put(self.written + self.escaped, U::of(u32::from(escape(byte))).0);
            self.escaped = if step.is_open { self.escaped + 1 } else { 0 };
            self.written += usize::from(!step.is_open && !step.ends_char);
        } else {
            self.put(self.written, self.unit);
            self.put(self.written + 1, self.unit);
            self.written += step.errors * self.kept;
        }
        let (unit, second) = U::of(self.scalar);
        if step.ends_char || !ESCAPES {
            self.put(self.written, unit);
        }
        self.written += usize::from(step.ends_char);
        if step.ends_char
            && let Some(second) = second
        {
            self.put(self.written, second);
            self.written += 1;
        }
    }

    /// Writes the error that the data ends with.
    #[inline(always)]
    fn write_last_error(&mut self) {
        if !ESCAPES {
            self.put(self.written, self.unit);
        }
        self.written += if ESCAPES { self.escaped } else { self.kept };
    }

    /// Writes a run of ASCII.
    #[inline(always)]
    fn write_ascii(&mut self, run: &[u8; WORD_BYTES]) {
        for (place, &byte) in self.out.iter_mut().skip(self.written).zip(run) {
            place.write(U::of(u32::from(byte)).0);
        }
        self.written += WORD_BYTES;
    }
}

/// The bits of each lead byte that are the character's.
static PAYLOADS: [u8; 256] = {
    let mut payloads = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let lead = byte as u8;
        payloads[byte] = lead & payload_mask(announced_length(lead)) as u8;
        byte += 1;
    }
    payloads
};
