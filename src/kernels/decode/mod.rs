//! Decoding: UTF-8 to the code units of another encoding form.
//!
//! The data is assumed to be valid, but memory safety never depends on it. Whatever the data is, nothing is written
//! outside the output, and as many units are written as reported.

pub(super) mod planes;
pub(crate) mod single_byte;
pub(crate) mod with_errors;

use with_errors::ErrorUnits;

use super::count::Counts;
use super::errors::ErrorStarts;
use super::validate::Validator;
use super::{Backend, Kernel, Task};
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::MaybeUninit;
use crate::simd::{Isa, Scalar};

/// The largest byte of Latin-1's characters in UTF-8: C3 leads U+00C0 to U+00FF.
pub(crate) const LATIN1: u8 = 0xC3;

/// An algorithm that decodes.
pub(crate) trait Decoder<I, U> {
    /// Decodes as [`Decode`].
    fn decode<const ANY_LENGTH: bool>(isa: I, data: &[u8], out: &mut [MaybeUninit<U>]) -> usize;

    /// Decodes as [`DecodeChecked`].
    fn decode_checked(isa: I, data: &[u8], out: &mut [MaybeUninit<U>]) -> Option<usize>;

    /// Decodes as [`DecodeWithErrors`](with_errors::DecodeWithErrors).
    fn decode_with_errors(
        isa: I,
        data: &[u8],
        starts: ErrorStarts<'_>,
        out: &mut [MaybeUninit<U>],
        units: ErrorUnits,
    ) -> usize;
}

/// A code unit to decode to: `u8` for Latin-1, `u16` for UTF-16 (and UCS-2), `u32` for UTF-32.
pub(crate) trait Unit: Copy + Send + Sync + 'static {
    /// Decodes with the instruction set's [`Decoder`]. Without `ANY_LENGTH` the data is longer than a vector.
    fn decode<I: Backend, const ANY_LENGTH: bool>(
        isa: I,
        data: &[u8],
        out: &mut [MaybeUninit<Self>],
    ) -> usize;

    /// Decodes as [`DecodeChecked`] with the instruction set's [`Decoder`].
    fn decode_checked<I: Backend>(isa: I, data: &[u8], out: &mut [MaybeUninit<Self>]) -> Option<usize>;

    /// Decodes as [`DecodeWithErrors`](with_errors::DecodeWithErrors) with the instruction set's [`Decoder`].
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
}

impl Unit for u8 {
    #[inline(always)]
    fn decode<I: Backend, const ANY_LENGTH: bool>(isa: I, data: &[u8], out: &mut [MaybeUninit<u8>]) -> usize {
        I::Decoder::decode::<ANY_LENGTH>(isa, data, out)
    }

    #[inline(always)]
    fn decode_checked<I: Backend>(isa: I, data: &[u8], out: &mut [MaybeUninit<u8>]) -> Option<usize> {
        I::Decoder::decode_checked(isa, data, out)
    }

    #[inline(always)]
    fn decode_with_errors<I: Backend>(
        isa: I,
        data: &[u8],
        starts: ErrorStarts<'_>,
        out: &mut [MaybeUninit<u8>],
        units: ErrorUnits,
    ) -> usize {
        I::Decoder::decode_with_errors(isa, data, starts, out, units)
    }

    #[inline(always)]
    fn needed(length: usize, counts: &Counts) -> Option<usize> {
        (counts.largest <= LATIN1).then_some(length - counts.continuations)
    }

    #[inline(always)]
    fn of(scalar: u32) -> (u8, Option<u8>) {
        (scalar as u8, None)
    }
}

impl Unit for u16 {
    #[inline(always)]
    fn decode<I: Backend, const ANY_LENGTH: bool>(
        isa: I,
        data: &[u8],
        out: &mut [MaybeUninit<u16>],
    ) -> usize {
        I::Decoder::decode::<ANY_LENGTH>(isa, data, out)
    }

    #[inline(always)]
    fn decode_checked<I: Backend>(isa: I, data: &[u8], out: &mut [MaybeUninit<u16>]) -> Option<usize> {
        I::Decoder::decode_checked(isa, data, out)
    }

    #[inline(always)]
    fn decode_with_errors<I: Backend>(
        isa: I,
        data: &[u8],
        starts: ErrorStarts<'_>,
        out: &mut [MaybeUninit<u16>],
        units: ErrorUnits,
    ) -> usize {
        I::Decoder::decode_with_errors(isa, data, starts, out, units)
    }

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
}

impl Unit for u32 {
    #[inline(always)]
    fn decode<I: Backend, const ANY_LENGTH: bool>(
        isa: I,
        data: &[u8],
        out: &mut [MaybeUninit<u32>],
    ) -> usize {
        I::Decoder::decode::<ANY_LENGTH>(isa, data, out)
    }

    #[inline(always)]
    fn decode_checked<I: Backend>(isa: I, data: &[u8], out: &mut [MaybeUninit<u32>]) -> Option<usize> {
        I::Decoder::decode_checked(isa, data, out)
    }

    #[inline(always)]
    fn decode_with_errors<I: Backend>(
        isa: I,
        data: &[u8],
        starts: ErrorStarts<'_>,
        out: &mut [MaybeUninit<u32>],
        units: ErrorUnits,
    ) -> usize {
        I::Decoder::decode_with_errors(isa, data, starts, out, units)
    }

    #[inline(always)]
    fn needed(length: usize, counts: &Counts) -> Option<usize> {
        Some(length - counts.continuations)
    }

    #[inline(always)]
    fn of(scalar: u32) -> (u32, Option<u32>) {
        (scalar, None)
    }
}

/// Decodes valid UTF-8 into `out`, and returns the number of units written: all of `out`, if it has just the length of
/// the text. In a shorter output it stops early. Without `ANY_LENGTH` the data is longer than a vector.
pub(crate) struct Decode<'a, U, const ANY_LENGTH: bool> {
    pub data: &'a [u8],
    pub out: &'a mut [MaybeUninit<U>],
}

impl<U: Unit, const ANY_LENGTH: bool> Kernel for Decode<'_, U, ANY_LENGTH> {
    type Output = usize;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> usize {
        U::decode::<I, ANY_LENGTH>(isa, self.data, self.out)
    }
}

impl Implementation {
    /// Decodes `data`, which must be valid, into `out`, which has just its length. Returns the number of units written
    /// at the start of `out`, whatever the data is.
    #[inline]
    pub(crate) fn fill<U: Unit>(self, data: &[u8], out: &mut [MaybeUninit<U>]) -> usize {
        self.run(Decode::<U, true> { data, out })
    }
}

/// Validates and decodes into `out`, and returns the number of units written; `None`, with nothing written, if the data
/// is invalid, the form lacks one of its characters, or `out` is too short.
pub(crate) struct DecodeChecked<'a, U> {
    pub data: &'a [u8],
    pub out: &'a mut [MaybeUninit<U>],
}

impl<U: Unit> Kernel for DecodeChecked<'_, U> {
    type Output = Option<usize>;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> Option<usize> {
        U::decode_checked(isa, self.data, self.out)
    }
}

/// Decodes as [`DecodeChecked`], in two passes: one that validates and measures, and one that decodes.
#[inline(always)]
pub(crate) fn decode_in_two_passes<I: Backend, U: Unit>(
    isa: I,
    data: &[u8],
    out: &mut [MaybeUninit<U>],
) -> Option<usize> {
    let counts = I::Validator::measure::<true>(isa, data)?;
    let needed = U::needed(data.len(), &counts)?;
    Some(U::decode::<I, true>(isa, data, out.get_mut(..needed)?))
}

/// Decodes character by character.
pub(crate) struct ScalarDecoder;

impl<I: Backend, U: Unit> Decoder<I, U> for ScalarDecoder {
    #[inline(always)]
    fn decode<const ANY_LENGTH: bool>(_: I, data: &[u8], out: &mut [MaybeUninit<U>]) -> usize {
        one_by_one(data, out)
    }

    #[inline(always)]
    fn decode_checked(isa: I, data: &[u8], out: &mut [MaybeUninit<U>]) -> Option<usize> {
        decode_in_two_passes(isa, data, out)
    }

    #[inline(always)]
    fn decode_with_errors(
        _: I,
        data: &[u8],
        starts: ErrorStarts<'_>,
        out: &mut [MaybeUninit<U>],
        units: ErrorUnits,
    ) -> usize {
        with_errors::one_by_one(data, starts, out, units)
    }
}

/// Bytes of ASCII that are decoded at once.
const RUN_BYTES: usize = 8;

/// Decodes character by character, except for runs of ASCII.
#[inline(always)]
pub(crate) fn one_by_one<U: Unit>(data: &[u8], out: &mut [MaybeUninit<U>]) -> usize {
    let (mut at, mut written) = (0, 0);
    while at < data.len() && written < out.len() {
        let (length, decoded) = decode_first(&data[at..], &mut out[written..]);
        at += length;
        written += decoded;
    }
    written
}

/// Decodes the first character, or a run of ASCII. Returns the number of its bytes and of the units written, as many as
/// there is space for.
#[inline(always)]
fn decode_first<U: Unit>(data: &[u8], out: &mut [MaybeUninit<U>]) -> (usize, usize) {
    if let Some(run) = data.first_chunk::<RUN_BYTES>()
        && run[0].is_ascii()
        && !Scalar.any_non_ascii(u64::from_le_bytes(*run))
        && let Some(places) = out.first_chunk_mut::<RUN_BYTES>()
    {
        for (place, &byte) in places.iter_mut().zip(run) {
            place.write(U::of(u32::from(byte)).0);
        }
        return (RUN_BYTES, RUN_BYTES);
    }
    let (scalar, length) = first(data);
    let (unit, second) = U::of(scalar);
    let mut written = 0;
    if let Some(place) = out.first_mut() {
        place.write(unit);
        written = 1;
    }
    if let Some(second) = second
        && let Some(place) = out.get_mut(1)
    {
        place.write(second);
        written = 2;
    }
    (length.min(data.len()), written)
}

/// Returns the first character, and the number of bytes that it takes; missing bytes are taken for zeros, and a
/// surrogate for a character of three bytes.
#[inline(always)]
pub(crate) fn first(data: &[u8]) -> (u32, usize) {
    let [lead, one, two, three] = match data.first_chunk() {
        Some(&four) => four,
        None => match *data {
            [lead, one, two] => [lead, one, two, 0],
            [lead, one] => [lead, one, 0, 0],
            [lead] => [lead, 0, 0, 0],
            _ => [0; 4],
        },
    };
    let bits = |byte: u8| u32::from(byte) & 0x3F;
    let above = |least: u8| u32::from(lead - least);
    match lead {
        0x00..=0xBF => (u32::from(lead), 1),
        0xC0..=0xDF => (above(0xC0) << 6 | bits(one), 2),
        0xE0..=0xEF => (above(0xE0) << 12 | bits(one) << 6 | bits(two), 3),
        0xF0..=0xFF => (above(0xF0) << 18 | bits(one) << 12 | bits(two) << 6 | bits(three), 4),
    }
}
