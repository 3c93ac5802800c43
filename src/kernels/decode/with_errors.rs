//! Decoding of data with errors, which become units of their own or nothing.
//!
//! [`MarkErrors`](crate::kernels::errors::MarkErrors) found where errors start while it counted. By planes, such a byte
//! is one more lead byte, whose unit is given: it is decoded as the character U+0000, and the planes of its unit are
//! exchanged before they are compressed. So neither the number of errors nor what they are makes a difference to the
//! time.
//!
//! Tried and lost: to find the errors a second time instead of reading the bits (half as fast).

use core::marker::PhantomData;

use super::decoder::{ErrorUnits, escape};
use super::planes::{Bytes, Extract, UnitSink};
use crate::kernels::errors::sequences::ErrorStarts;
use crate::simd::{Isa, StoreUnits};

/// An encoding form that is extracted by planes, where errors become units; with `ESCAPES` one for each byte.
pub struct ExtractWithErrors<'a, G, const ESCAPES: bool>(PhantomData<&'a G>);

/// The state between blocks.
pub struct ErrorState<'a, S> {
    form: S,
    starts: ErrorStarts<'a>,
    /// All bits if errors become units, else none.
    kept: u64,
    /// The unit of errors.
    unit: u16,
    /// Whether the last byte is the first of an error, and the second.
    open: [u64; 2],
}

impl<'a, S: Default> ErrorState<'a, S> {
    /// Returns the state at the start.
    #[inline(always)]
    pub(super) fn of(starts: ErrorStarts<'a>, units: ErrorUnits) -> Self {
        let (kept, unit) = match units {
            ErrorUnits::None => (0, 0),
            ErrorUnits::Each(unit) => (u64::MAX, unit),
            ErrorUnits::Escapes => (u64::MAX, escape(0)),
        };
        Self { form: S::default(), starts, kept, unit, open: [0; 2] }
    }
}

impl<'a, G: Extract, const ESCAPES: bool> Extract for ExtractWithErrors<'a, G, ESCAPES> {
    type Unit = G::Unit;

    type State = ErrorState<'a, G::State>;

    const FOUR_BYTE_LEADS: bool = G::FOUR_BYTE_LEADS;

    #[inline(always)]
    fn is_open(state: &Self::State) -> bool {
        G::is_open(&state.form)
    }

    #[inline(always)]
    fn skip(state: &mut Self::State, ascii: usize) {
        G::skip(&mut state.form, ascii);
        state.starts = state.starts.after(ascii);
        state.open = [0; 2];
    }

    #[inline(always)]
    fn extract<I: StoreUnits<G::Unit>, const FOUR_BYTE_LEADS: bool>(
        bytes: Bytes<I>,
        state: &mut Self::State,
        out: impl UnitSink<I, G::Unit>,
    ) -> usize {
        let Bytes { isa, here, lanes, leads, .. } = bytes;
        let mut errors = state.starts.block(0) & lanes;
        state.starts = state.starts.after(I::WIDTH);
        if ESCAPES {
            // Continuation bytes after the first byte of an error are its second and its third.
            let others = lanes & !(leads | errors);
            let [first, second] = state.open;
            let seconds = (errors << 1 | first) & others;
            let thirds = (seconds << 1 | second) & others;
            state.open = [errors, seconds].map(|bits| bits >> (I::WIDTH - 1));
            errors |= seconds | thirds;
        }
        let leads = leads & !errors | errors & state.kept;
        let errors = isa.flags(errors);
        let [low, high] = state.unit.to_le_bytes();
        let low = if ESCAPES { here } else { isa.splat(low) };
        let out = WithUnits { errors, unit: [low, isa.splat(high)], out };
        let bytes = Bytes { here: isa.blend(errors, isa.splat(0), here), leads, ..bytes };
        match FOUR_BYTE_LEADS {
            // Perhaps only errors have such bytes.
            true => bytes.decode::<G>(&mut state.form, out),
            false => G::extract::<I, false>(bytes, &mut state.form, out),
        }
    }
}

/// Memory for the units of a block, including the units of errors.
struct WithUnits<I: Isa, F, S> {
    /// The lanes where an error starts.
    errors: F,
    /// The planes of its unit.
    unit: [I::Vector; 2],
    out: S,
}

impl<I: StoreUnits<U>, U, S: UnitSink<I, U>> UnitSink<I, U> for WithUnits<I, I::Flags, S> {
    #[inline(always)]
    fn put<const PLANES: usize>(self, isa: I, kept: u64, mut planes: [I::Vector; PLANES]) -> usize {
        for (plane, byte) in planes.iter_mut().zip(self.unit) {
            *plane = isa.blend(self.errors, byte, *plane);
        }
        self.out.put(isa, kept, planes)
    }
}
