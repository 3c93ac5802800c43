//! Encoding character by character, without vectors.

use super::{Encoded, Encoder, Source};
use crate::simd::uninit::MaybeUninit;

/// Encodes character by character.
pub(crate) struct ScalarEncoder;

impl<I, U: Source> Encoder<I, U> for ScalarEncoder {
    #[inline(always)]
    fn encode(_: I, units: &[U], out: &mut [MaybeUninit<u8>]) -> Encoded {
        one_by_one(units, out)
    }
}

/// Units that are looked at for ASCII at once, and are gone through one by one if they are not.
pub(super) const EIGHT: usize = 8;

/// Returns the first places of `out[at..]`, if there are so many.
#[inline(always)]
pub(super) fn first_places<const N: usize>(
    out: &mut [MaybeUninit<u8>],
    at: usize,
) -> Option<&mut [MaybeUninit<u8>; N]> {
    out.get_mut(at..).unwrap_or_default().first_chunk_mut()
}

/// Encodes character by character.
#[inline(always)]
pub(super) fn one_by_one<U: Source>(units: &[U], out: &mut [MaybeUninit<u8>]) -> Encoded {
    let mut rest = units;
    let mut written = 0;
    let mut scalar = true;
    'units: loop {
        while let Some((eight, after)) = rest.split_first_chunk()
            && let Some(room) = first_places(out, written)
            && put_eight(eight, room)
        {
            rest = after;
            written += EIGHT;
        }
        for _ in 0..EIGHT {
            let Some((value, taken)) = U::first(rest) else { break 'units };
            let (bytes, length) = spelled(value);
            if !put_spelled(bytes, length, out, written) {
                break 'units;
            }
            scalar &= char::from_u32(value).is_some();
            written += length;
            rest = rest.get(taken..).unwrap_or_default();
        }
    }
    Encoded { written, scalar }
}

/// Writes the first bytes of four, so many, to `out[at..]`, and tells whether there was room. What is after them may be
/// written over.
#[inline(always)]
pub(super) fn put_spelled(bytes: [u8; 4], length: usize, out: &mut [MaybeUninit<u8>], at: usize) -> bool {
    let bytes = bytes.map(MaybeUninit::new);
    if let Some(room) = first_places(out, at) {
        *room = bytes;
        return true;
    }
    match out.get_mut(at..).and_then(|room| room.get_mut(..length)) {
        Some([one]) => *one = bytes[0],
        Some([one, two]) => [*one, *two] = [bytes[0], bytes[1]],
        Some([one, two, three]) => [*one, *two, *three] = [bytes[0], bytes[1], bytes[2]],
        _ => return false,
    }
    true
}

/// Writes units that are all ASCII, and tells whether they are.
#[inline(always)]
pub(super) fn put_eight<U: Source>(units: &[U; EIGHT], room: &mut [MaybeUninit<u8>; EIGHT]) -> bool {
    let mut any = 0;
    for unit in units {
        any |= unit.value();
    }
    if any >= 0x80 {
        return false;
    }
    for (unit, place) in units.iter().zip(room) {
        place.write(unit.value() as u8);
    }
    true
}

/// The bytes of a code point, and how many they are; what comes after these means nothing. Without a branch, as
/// lengths are hard to foresee.
#[inline(always)]
fn spelled(value: u32) -> ([u8; 4], usize) {
    let length = value.more_bytes() as usize + 1;
    // Six bits a byte, the last ones lowest, and then the first ones' mark in the place of what is not there.
    let spread = value >> 18 << 24 | (value >> 12 & 0x3F) << 16 | (value >> 6 & 0x3F) << 8 | value & 0x3F;
    let marked = (spread | 0x0080_8080) << (8 * (4 - length)) | MARKS[length - 1];
    let word = if length == 1 { value << 24 } else { marked };
    (word.to_be_bytes(), length)
}

/// The marks of first bytes, by the number of bytes.
const MARKS: [u32; 4] = [0, 0xC0 << 24, 0xE0 << 24, 0xF0 << 24];
