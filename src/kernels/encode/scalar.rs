//! Encoding character by character, without vectors.

use super::encoder::{Encoded, Encoder};
use super::length::length;
use super::unit::SourceUnit;
use crate::simd::uninit::MaybeUninit;

/// Encodes character by character.
pub(crate) struct ScalarEncoder;

impl<I, U: SourceUnit> Encoder<I, U> for ScalarEncoder {
    #[inline(always)]
    fn encode(_: I, units: &[U], out: &mut [MaybeUninit<u8>]) -> Encoded {
        one_by_one(units, out)
    }

    #[inline(always)]
    fn length_of_few(_: I, units: &[U]) -> usize {
        length::<U, false>(units)
    }
}

/// Units that are tested for ASCII at once, and encoded one by one if they are not.
pub(super) const RUN_UNITS: usize = 8;

/// Returns the first `N` places of `out[at..]`, if it has as many.
#[inline(always)]
pub(super) fn first_places<const N: usize>(
    out: &mut [MaybeUninit<u8>],
    at: usize,
) -> Option<&mut [MaybeUninit<u8>; N]> {
    out.get_mut(at..).unwrap_or_default().first_chunk_mut()
}

/// Encodes character by character.
#[inline(always)]
pub(super) fn one_by_one<U: SourceUnit>(units: &[U], out: &mut [MaybeUninit<u8>]) -> Encoded {
    let mut rest = units;
    let mut written = 0;
    let mut scalar = true;
    'units: loop {
        while let Some((run, after)) = rest.split_first_chunk()
            && let Some(places) = first_places(out, written)
            && write_ascii(run, places)
        {
            rest = after;
            written += RUN_UNITS;
        }
        for _ in 0..RUN_UNITS {
            let Some((value, taken)) = U::first(rest) else { break 'units };
            let (bytes, length) = sequence(value);
            if !write_sequence(bytes, length, out, written) {
                break 'units;
            }
            scalar &= char::from_u32(value).is_some();
            written += length;
            rest = rest.get(taken..).unwrap_or_default();
        }
    }
    Encoded { written, scalar }
}

/// Writes the first `length` bytes of four to `out[at..]`, and returns whether `out` has space for them. The places
/// after them may be overwritten.
#[inline(always)]
pub(super) fn write_sequence(bytes: [u8; 4], length: usize, out: &mut [MaybeUninit<u8>], at: usize) -> bool {
    let bytes = bytes.map(MaybeUninit::new);
    if let Some(places) = first_places(out, at) {
        *places = bytes;
        return true;
    }
    match out.get_mut(at..).and_then(|places| places.get_mut(..length)) {
        Some([one]) => *one = bytes[0],
        Some([one, two]) => [*one, *two] = [bytes[0], bytes[1]],
        Some([one, two, three]) => [*one, *two, *three] = [bytes[0], bytes[1], bytes[2]],
        _ => return false,
    }
    true
}

/// Writes units if all are ASCII, and returns whether they are.
#[inline(always)]
pub(super) fn write_ascii<U: SourceUnit>(
    units: &[U; RUN_UNITS],
    places: &mut [MaybeUninit<u8>; RUN_UNITS],
) -> bool {
    let mut any = 0;
    for unit in units {
        any |= unit.value();
    }
    if any >= 0x80 {
        return false;
    }
    for (unit, place) in units.iter().zip(places) {
        place.write(unit.value() as u8);
    }
    true
}

/// Returns the bytes of a code point and their number; the other bytes are unspecified. Without a branch, since lengths
/// are hard to predict.
#[inline(always)]
fn sequence(value: u32) -> ([u8; 4], usize) {
    let length = value.continuations() as usize + 1;
    // Six bits a byte, the last ones lowest; then the leading bits of the lead byte above those that are there.
    let spread = value >> 18 << 24 | (value >> 12 & 0x3F) << 16 | (value >> 6 & 0x3F) << 8 | value & 0x3F;
    let marked = (spread | 0x0080_8080) << (8 * (4 - length)) | LEADING_BITS[length - 1];
    let word = if length == 1 { value << 24 } else { marked };
    (word.to_be_bytes(), length)
}

/// The leading bits of lead bytes, by the number of bytes.
const LEADING_BITS: [u32; 4] = [0, 0xC0 << 24, 0xE0 << 24, 0xF0 << 24];
