//! Decoding character by character, without vectors.

use super::decoder::{Decoder, ErrorUnits, escape};
use super::kernels::{CodeUnit, decode_in_two_passes};
use crate::kernels::errors::sequences::{BLOCK_BYTES, ErrorStarts};
use crate::kernels::kernel::Backend;
use crate::sequence::is_continuation;
use crate::simd::uninit::MaybeUninit;
use crate::simd::{Isa, Scalar};

/// Decodes character by character.
pub(crate) struct ScalarDecoder;

impl<I: Backend, U: CodeUnit> Decoder<I, U> for ScalarDecoder {
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
        one_by_one_with_errors(data, starts, out, units)
    }
}

/// Bytes of ASCII that are decoded at once.
const RUN_BYTES: usize = 8;

/// Decodes character by character, except for runs of ASCII.
#[inline(always)]
pub(crate) fn one_by_one<U: CodeUnit>(data: &[u8], out: &mut [MaybeUninit<U>]) -> usize {
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
fn decode_first<U: CodeUnit>(data: &[u8], out: &mut [MaybeUninit<U>]) -> (usize, usize) {
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

/// Decodes character by character, except for runs of ASCII, and errors as units.
#[inline(always)]
pub(crate) fn one_by_one_with_errors<U: CodeUnit>(
    data: &[u8],
    starts: ErrorStarts<'_>,
    out: &mut [MaybeUninit<U>],
    units: ErrorUnits,
) -> usize {
    let (mut at, mut written) = (0, 0);
    while at < data.len() {
        let (block, errors) = (at, starts.block(at));
        while at - block < BLOCK_BYTES
            && let Some(rest) = data.get(at..)
            && let Some(&byte) = rest.first()
        {
            let out = out.get_mut(written..).unwrap_or_default();
            let starts_error = errors >> (at - block) & 1 != 0;
            // A continuation byte that is met is the second or third byte of an error.
            let (length, decoded) = if starts_error || is_continuation(byte) {
                let unit = match units {
                    ErrorUnits::Each(unit) if starts_error => Some(unit),
                    ErrorUnits::Escapes => Some(escape(byte)),
                    _ => None,
                };
                let decoded =
                    unit.zip(out.first_mut()).map(|(unit, place)| place.write(U::of(unit.into()).0));
                (1, usize::from(decoded.is_some()))
            } else {
                decode_first(rest, out)
            };
            at += length;
            written += decoded;
        }
    }
    written
}
