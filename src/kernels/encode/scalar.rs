//! Encoding without vectors.
//!
//! Eight units at a time, by the longest of their sequences: ASCII is narrowed; else each is encoded without a branch
//! that depends on it, as lengths are hard to predict, and takes the places that the one before left. Eight sequences
//! of three bytes, as of Chinese, have known places.
//!
//! Compilers make branches of plain conditions here, hence `select_unpredictable`.
//!
//! Tried and lost: sequences of any length by shifts that depend on it (a third as fast).

use core::hint::select_unpredictable;

use super::encoder::{Encoded, Encoder};
use super::length::length;
use super::unit::SourceUnit;
use crate::simd::uninit::{MaybeUninit, put_bytes};

/// Encodes without vectors.
pub(crate) struct ScalarEncoder;

impl<I, U: SourceUnit> Encoder<I, U> for ScalarEncoder {
    #[inline(always)]
    fn encode(_: I, units: &[U], out: &mut [MaybeUninit<u8>]) -> Encoded {
        encode_units(units, out)
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

/// The most bytes of a run, and those that may be overwritten after them.
const RUN_BYTES: usize = 4 * RUN_UNITS + 3;

/// Encodes run by run. (Not inlined, as it takes some hundred instructions.)
#[inline(never)]
pub(super) fn encode_units<U: SourceUnit>(units: &[U], out: &mut [MaybeUninit<u8>]) -> Encoded {
    let mut rest = units;
    let mut written = 0;
    let mut scalar = true;
    'units: loop {
        while let Some((run, after)) = rest.split_first_chunk()
            && let Some(places) = first_places(out, written)
            && let Some((length, all)) = encode_run(run, places)
        {
            rest = after;
            written += length;
            scalar &= all;
        }
        for _ in 0..RUN_UNITS {
            let Some((value, taken)) = U::first(rest) else { break 'units };
            let (bytes, length) = sequence::<4>(value);
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

/// Encodes a run. Returns the number of bytes and whether all units are scalar values, or `None` if some may be halves
/// of pairs.
#[inline(always)]
fn encode_run<U: SourceUnit>(
    run: &[U; RUN_UNITS],
    places: &mut [MaybeUninit<u8>; RUN_BYTES],
) -> Option<(usize, bool)> {
    let any = U::any_bits(run);
    let written = match any {
        0..0x80 => {
            if let Some(places) = places.first_chunk_mut() {
                put_bytes::<_, RUN_UNITS, _>(places, U::narrowed(run));
            }
            RUN_UNITS
        }
        0x80..0x800 => write_sequences::<U, 2>(run, places),
        _ => {
            let [short, surrogate] = U::any_short_and_surrogate(run);
            if U::PAIRS && surrogate {
                return None;
            }
            let written = match any {
                0x1_0000.. => write_sequences::<U, 4>(run, places),
                _ if short => write_sequences::<U, 3>(run, places),
                _ => write_triples(run, places),
            };
            let beyond = any > char::MAX.into() && run.iter().any(|unit| unit.value() > char::MAX.into());
            return Some((written, !surrogate && !beyond));
        }
    };
    Some((written, true))
}

/// Writes a run of sequences of at most `LENGTH` bytes, and returns their length.
#[inline(always)]
fn write_sequences<U: SourceUnit, const LENGTH: usize>(
    run: &[U; RUN_UNITS],
    places: &mut [MaybeUninit<u8>; RUN_BYTES],
) -> usize {
    let mut written = 0;
    for unit in run {
        let (bytes, length) = sequence::<LENGTH>(unit.value());
        if let Some(places) = first_places(places, written) {
            *places = bytes.map(MaybeUninit::new);
        }
        written += length;
    }
    written
}

/// Writes a run of sequences of three bytes, and returns their length.
#[inline(always)]
fn write_triples<U: SourceUnit>(run: &[U; RUN_UNITS], places: &mut [MaybeUninit<u8>; RUN_BYTES]) -> usize {
    for (index, [one, two]) in run.as_chunks().0.iter().enumerate() {
        let [one, two] = [one, two].map(|unit| u64::from(three_bytes(unit.value())));
        let bytes = (one | two << 24).to_le_bytes().map(MaybeUninit::new);
        places[6 * index..6 * index + 8].copy_from_slice(&bytes);
    }
    3 * RUN_UNITS
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
    let is_ascii = U::any_bits(units) < 0x80;
    if is_ascii {
        put_bytes(places, U::narrowed(units));
    }
    is_ascii
}

/// Returns the bytes of a code point, whose sequence has at most `LENGTH` bytes, and their number; the other bytes are
/// unspecified. Without a branch, since lengths are hard to predict.
#[inline(always)]
fn sequence<const LENGTH: usize>(value: u32) -> ([u8; 4], usize) {
    let mut bytes = select_unpredictable(value < 0x80, value, two_bytes(value));
    let mut length = 1 + usize::from(value >= 0x80);
    if LENGTH > 2 {
        bytes = select_unpredictable(value < 0x800, bytes, three_bytes(value));
        length += usize::from(value >= 0x800);
    }
    if LENGTH > 3 {
        bytes = select_unpredictable(value < 0x1_0000, bytes, four_bytes(value));
        length += usize::from(value >= 0x1_0000);
    }
    (bytes.to_le_bytes(), length)
}

/// Returns the sequence of two bytes of a code point, the first byte lowest.
#[inline(always)]
const fn two_bytes(value: u32) -> u32 {
    value >> 6 | value << 8 & 0x3F00 | 0x80C0
}

/// Returns the sequence of three bytes of a code point, the first byte lowest.
#[inline(always)]
const fn three_bytes(value: u32) -> u32 {
    value >> 12 | value << 2 & 0x3F00 | value << 16 & 0x3F_0000 | 0x80_80E0
}

/// Returns the sequence of four bytes of a code point, the first byte lowest.
#[inline(always)]
const fn four_bytes(value: u32) -> u32 {
    value >> 18 | value >> 4 & 0x3F00 | value << 10 & 0x3F_0000 | value << 24 & 0x3F00_0000 | 0x8080_80F0
}
