//! The code units to decode to, and the kernels that decode.

use super::decoder::{Decoder, ErrorUnits};
use crate::kernels::counts::Counts;
use crate::kernels::errors::sequences::ErrorStarts;
use crate::kernels::kernel::{Backend, Kernel, Task};
use crate::kernels::validate::validator::Validator;
use crate::sequence::LATIN1;
use crate::simd::Number;
use crate::simd::uninit::{MaybeUninit, put_bytes};

/// A code unit to decode to: `u8` for Latin-1, `u16` for UTF-16 (and UCS-2), `u32` for UTF-32.
pub trait CodeUnit: Number + Send + Sync + 'static {
    /// Decodes with the instruction set's [`Decoder`]. Without `ANY_LENGTH` the data is longer than a vector.
    fn decode<I: Backend, const ANY_LENGTH: bool>(
        isa: I,
        data: &[u8],
        out: &mut [MaybeUninit<Self>],
    ) -> usize;

    /// Decodes as [`DecodeChecked`] with the instruction set's [`Decoder`].
    fn decode_checked<I: Backend>(isa: I, data: &[u8], out: &mut [MaybeUninit<Self>]) -> Option<usize>;

    /// Decodes as [`DecodeWithErrors`] with the instruction set's [`Decoder`].
    fn decode_with_errors<I: Backend>(
        isa: I,
        data: &[u8],
        starts: ErrorStarts<'_>,
        out: &mut [MaybeUninit<Self>],
        units: ErrorUnits,
    ) -> usize;

    /// Returns the number of units of `length` bytes with these counts, if the form has all characters.
    fn needed(length: usize, counts: &Counts) -> Option<usize>;

    /// Returns the units of a character, one or two; bits that do not fit are dropped.
    fn of(scalar: u32) -> (Self, Option<Self>);

    /// Returns the unit of a character that takes one; bits that do not fit are dropped.
    fn of_narrow(scalar: u32) -> Self;

    /// Writes eight ASCII characters.
    fn widen(ascii: [u8; 8], places: &mut [MaybeUninit<Self>; 8]);
}

/// Forwards to the decoder of the instruction set.
macro_rules! forward_to_decoder {
    () => {
        #[inline(always)]
        fn decode<I: Backend, const ANY_LENGTH: bool>(
            isa: I,
            data: &[u8],
            out: &mut [MaybeUninit<Self>],
        ) -> usize {
            I::Decoder::decode::<ANY_LENGTH>(isa, data, out)
        }

        #[inline(always)]
        fn decode_checked<I: Backend>(isa: I, data: &[u8], out: &mut [MaybeUninit<Self>]) -> Option<usize> {
            I::Decoder::decode_checked(isa, data, out)
        }

        #[inline(always)]
        fn decode_with_errors<I: Backend>(
            isa: I,
            data: &[u8],
            starts: ErrorStarts<'_>,
            out: &mut [MaybeUninit<Self>],
            units: ErrorUnits,
        ) -> usize {
            I::Decoder::decode_with_errors(isa, data, starts, out, units)
        }
    };
}

impl CodeUnit for u8 {
    forward_to_decoder!();

    #[inline(always)]
    fn needed(length: usize, counts: &Counts) -> Option<usize> {
        (counts.largest <= LATIN1).then_some(length - counts.continuations)
    }

    #[inline(always)]
    fn of(scalar: u32) -> (u8, Option<u8>) {
        (scalar as u8, None)
    }

    #[inline(always)]
    fn of_narrow(scalar: u32) -> u8 {
        scalar as u8
    }

    #[inline(always)]
    fn widen(ascii: [u8; 8], places: &mut [MaybeUninit<u8>; 8]) {
        put_bytes(places, ascii);
    }
}

impl CodeUnit for u16 {
    forward_to_decoder!();

    #[inline(always)]
    fn needed(length: usize, counts: &Counts) -> Option<usize> {
        Some(length - counts.continuations + counts.four_byte_leads)
    }

    #[inline(always)]
    fn of(scalar: u32) -> (u16, Option<u16>) {
        match scalar.checked_sub(0x1_0000) {
            None => (scalar as u16, None),
            Some(beyond) => (0xD800 | (beyond >> 10) as u16, Some(0xDC00 | (beyond & 0x3FF) as u16)),
        }
    }

    #[inline(always)]
    fn of_narrow(scalar: u32) -> u16 {
        scalar as u16
    }

    #[inline(always)]
    fn widen(ascii: [u8; 8], places: &mut [MaybeUninit<u16>; 8]) {
        for (four, places) in ascii.as_chunks().0.iter().zip(places.as_chunks_mut::<4>().0) {
            put_bytes(places, widened_to_16(*four));
        }
    }
}

impl CodeUnit for u32 {
    forward_to_decoder!();

    #[inline(always)]
    fn needed(length: usize, counts: &Counts) -> Option<usize> {
        Some(length - counts.continuations)
    }

    #[inline(always)]
    fn of(scalar: u32) -> (u32, Option<u32>) {
        (scalar, None)
    }

    #[inline(always)]
    fn of_narrow(scalar: u32) -> u32 {
        scalar
    }

    #[inline(always)]
    fn widen(ascii: [u8; 8], places: &mut [MaybeUninit<u32>; 8]) {
        *places = ascii.map(|byte| MaybeUninit::new(byte.into()));
    }
}

/// Returns the bytes of units of 16 bits, in this machine's order, with the values of four bytes. (As an array of
/// units, compilers would move them to vector registers one by one.)
#[inline(always)]
fn widened_to_16(four: [u8; 4]) -> [u8; 8] {
    let word = u64::from(u32::from_ne_bytes(four));
    let pairs = (word | word << 16) & 0x0000_FFFF_0000_FFFF;
    ((pairs | pairs << 8) & 0x00FF_00FF_00FF_00FF).to_ne_bytes()
}

/// Decodes valid UTF-8 into `out`, and returns the number of units written: all of `out`, if it has just the length of
/// the text. In a shorter output it stops early. Without `ANY_LENGTH` the data is longer than a vector.
pub(crate) struct Decode<'a, U, const ANY_LENGTH: bool> {
    pub data: &'a [u8],
    pub out: &'a mut [MaybeUninit<U>],
}

impl<U: CodeUnit, const ANY_LENGTH: bool> Kernel for Decode<'_, U, ANY_LENGTH> {
    type Output = usize;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> usize {
        U::decode::<I, ANY_LENGTH>(isa, self.data, self.out)
    }
}

/// Validates and decodes into `out`, and returns the number of units written; `None`, with nothing written, if the data
/// is invalid, the form lacks one of its characters, or `out` is too short.
pub(crate) struct DecodeChecked<'a, U> {
    pub data: &'a [u8],
    pub out: &'a mut [MaybeUninit<U>],
}

impl<U: CodeUnit> Kernel for DecodeChecked<'_, U> {
    type Output = Option<usize>;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> Option<usize> {
        U::decode_checked(isa, self.data, self.out)
    }
}

/// Decodes as [`DecodeChecked`], in two passes: one that validates and measures, and one that decodes.
#[inline(always)]
pub(crate) fn decode_in_two_passes<I: Backend, U: CodeUnit>(
    isa: I,
    data: &[u8],
    out: &mut [MaybeUninit<U>],
) -> Option<usize> {
    let counts = I::Validator::measure::<true>(isa, data)?;
    let needed = U::needed(data.len(), &counts)?;
    Some(U::decode::<I, true>(isa, data, out.get_mut(..needed)?))
}

/// Decodes UTF-8 with errors into `out`, and returns the number of units written: all of `out`, if it has just the
/// length of the text. In a shorter output it stops early.
pub(crate) struct DecodeWithErrors<'a, U> {
    pub data: &'a [u8],
    pub starts: ErrorStarts<'a>,
    pub out: &'a mut [MaybeUninit<U>],
    pub units: ErrorUnits,
}

impl<U: CodeUnit> Kernel for DecodeWithErrors<'_, U> {
    type Output = usize;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> usize {
        U::decode_with_errors(isa, self.data, self.starts, self.out, self.units)
    }
}
