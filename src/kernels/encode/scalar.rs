//! Encoding without vectors.
//!
//! Eight units at a time, by the longest of their sequences, in words of 64 bits with lanes of 16 or 32: ASCII is
//! narrowed; units below U+0800, and below U+10000, become sequences in all lanes at once without a branch, as lengths
//! are hard to predict, and are stored one after another, each over the unused bytes of the one before. Eight sequences
//! of three bytes, as of Chinese, have known places. Where there are units beyond U+FFFF, which come in rows, each unit
//! takes a branch.
//!
//! Compilers make branches of plain conditions here, hence `select_unpredictable`.
//!
//! Tried and lost: sequences of any length by shifts that depend on it (a third as fast); to write three-byte sequences
//! up to the first other unit, and continue after it (0.9 times as fast for Chinese).

use core::hint::select_unpredictable;

use super::encoder::{Encoded, Encoder};
use super::length::length;
use super::unit::SourceUnit;
use crate::simd::uninit::{MaybeUninit, first_places, put_bytes};

/// Encodes without vectors.
pub(crate) struct ScalarEncoder;

impl<I, U: SourceUnit> Encoder<I, U> for ScalarEncoder {
    #[inline(always)]
    fn encode(_: I, units: &[U], out: &mut [MaybeUninit<u8>]) -> Encoded {
        encode_units(units, out)
    }

    #[inline(always)]
    fn length(_: I, units: &[U]) -> usize {
        length::<U, false>(units)
    }
}

/// Units that are tested for ASCII at once, and encoded one by one if they are not.
pub(super) const RUN_UNITS: usize = 8;

/// The most bytes of a run, and those that may be overwritten after them.
const RUN_BYTES: usize = 4 * RUN_UNITS + 3;

/// The places that a run may write to.
type Places = [MaybeUninit<u8>; RUN_BYTES];

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
            if !write_sequence(bytes.to_le_bytes(), length, out, written) {
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
fn encode_run<U: SourceUnit>(run: &[U; RUN_UNITS], places: &mut Places) -> Option<(usize, bool)> {
    let written = match U::any_bits(run) {
        0..0x80 => {
            put(U::narrowed(run), places, 0);
            RUN_UNITS
        }
        0x80..0x800 => write_two_bytes(U::halfwords(run), places),
        0x800..0x1_0000 => {
            let words = U::halfwords(run);
            let is_scalar = words.iter().all(|&word| within_0x800(word, 0xD800) == 0);
            if U::PAIRS && !is_scalar {
                return None;
            }
            let [one, two] = words.map(|word| (word, within_0x800(word, 0)));
            let written = if one.1 | two.1 == 0 {
                write_triples(words, places)
            } else if beyond_ascii(one) | beyond_ascii(two) == 0 {
                write_three_bytes::<false>(words, places)
            } else {
                write_three_bytes::<true>(words, places)
            };
            return Some((written, is_scalar));
        }
        _ => {
            let is_scalar = run.iter().all(|unit| char::from_u32(unit.value()).is_some());
            return Some((write_four_bytes(run, places), is_scalar));
        }
    };
    Some((written, true))
}

/// Returns the highest bit of each lane of 16 bits that has the same five highest bits as `first`.
#[inline(always)]
fn within_0x800(word: u64, first: u16) -> u64 {
    let others = word ^ splat_16(first);
    !(((others & splat_16(0x7800)) + splat_16(0x7800)) | others) & splat_16(0x8000)
}

/// Returns the highest bits of the lanes with one in `below_0x800` whose unit is beyond ASCII.
#[inline(always)]
fn beyond_ascii((word, below_0x800): (u64, u64)) -> u64 {
    ((word & splat_16(0x7F80)) + splat_16(0x7F80)) & below_0x800
}

/// Writes a run of units below U+0800, and returns the number of bytes.
#[inline(always)]
fn write_two_bytes(words: [u64; 2], places: &mut Places) -> usize {
    let mut written = 0;
    for word in words {
        let two = word >> 6 & splat_16(0x1F) | word << 8 & splat_16(0x3F00) | splat_16(0x80C0);
        let is_long = (word + splat_16(0x8000 - 0x80)) >> 15 & splat_16(1);
        let bytes = word ^ (word ^ two) & (is_long * 0xFFFF);
        // In each lane how many are long up to it.
        let long = is_long.wrapping_mul(splat_16(1));
        for (lane, long_before) in [0, long, long >> 16, long >> 32].into_iter().enumerate() {
            // (The mask shows that there is space.)
            let at = written + lane + (long_before & 3) as usize;
            put(((bytes >> (16 * lane)) as u16).to_le_bytes(), places, at);
        }
        written += 4 + (long >> 48) as usize;
    }
    written
}

/// Writes a run of units below U+10000, and returns the number of bytes. Some may have two bytes if `TWO`.
#[inline(always)]
fn write_three_bytes<const TWO: bool>(words: [u64; 2], places: &mut Places) -> usize {
    let mut written = 0;
    for pair in pairs(words) {
        let beyond = |first: u32| (pair + splat_32(0x1_0000 - first)) >> 16 & splat_32(1);
        let is_three = beyond(0x800);
        let mut bytes = pair;
        let mut longer = is_three;
        if TWO {
            longer = beyond(0x80);
            bytes ^= (bytes ^ doubles(pair)) & (longer * 0xFFFF);
        }
        bytes ^= (bytes ^ triples(pair)) & (is_three * 0xFF_FFFF);
        let lengths = splat_32(1) + longer + is_three;
        let second = written + (lengths & 3) as usize;
        put((bytes as u32).to_le_bytes(), places, written);
        put(((bytes >> 32) as u32).to_le_bytes(), places, second);
        written = second + (lengths >> 32) as usize;
    }
    written
}

/// Writes a run of sequences of three bytes, and returns the number of bytes.
#[inline(always)]
fn write_triples(words: [u64; 2], places: &mut Places) -> usize {
    for (index, pair) in pairs(words).into_iter().enumerate() {
        let bytes = triples(pair);
        put((bytes & 0xFF_FFFF | bytes >> 8 & !0xFF_FFFF).to_le_bytes(), places, 6 * index);
    }
    3 * RUN_UNITS
}

/// Writes a run of any units but surrogates of UTF-16, and returns the number of bytes.
#[inline(always)]
fn write_four_bytes<U: SourceUnit>(run: &[U; RUN_UNITS], places: &mut Places) -> usize {
    let mut written = 0;
    for unit in run {
        let value = unit.value();
        let (bytes, length) = match value {
            0..0x80 => (value, 1),
            0x80..0x1_0000 => sequence::<3>(value),
            _ => (four_bytes(value), 4),
        };
        put(bytes.to_le_bytes(), places, written);
        written += length;
    }
    written
}

/// Returns units of 16 bits in lanes of 32.
#[inline(always)]
fn pairs(words: [u64; 2]) -> [u64; 4] {
    let pair = |word: u64| word & 0xFFFF | word << 16 & 0xFFFF << 32;
    let [one, two] = words;
    [one, one >> 32, two, two >> 32].map(pair)
}

/// Returns the sequences of two bytes of two units.
#[inline(always)]
const fn doubles(pair: u64) -> u64 {
    pair >> 6 & splat_32(0x1F) | pair << 8 & splat_32(0x3F00) | splat_32(0x80C0)
}

/// Returns the sequences of three bytes of two units.
#[inline(always)]
const fn triples(pair: u64) -> u64 {
    pair >> 12 & splat_32(0xF)
        | pair << 2 & splat_32(0x3F00)
        | pair << 16 & splat_32(0x3F_0000)
        | splat_32(0x80_80E0)
}

/// Returns a value in each lane of 16 bits.
#[inline(always)]
const fn splat_16(value: u16) -> u64 {
    value as u64 * 0x0001_0001_0001_0001
}

/// Returns a value in each lane of 32 bits.
#[inline(always)]
const fn splat_32(value: u32) -> u64 {
    value as u64 * 0x1_0000_0001
}

/// Writes bytes to places from `at` on, if there are as many.
#[inline(always)]
fn put<const N: usize>(bytes: [u8; N], places: &mut [MaybeUninit<u8>], at: usize) {
    if let Some(places) = first_places(places, at) {
        put_bytes::<_, N, _>(places, bytes);
    }
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

/// Returns the bytes of a code point, whose sequence has at most `LENGTH` bytes, the first one lowest, and their
/// number; the other bytes are unspecified. Without a branch, since lengths are hard to predict.
#[inline(always)]
fn sequence<const LENGTH: usize>(value: u32) -> (u32, usize) {
    let [two, three] = [doubles, triples].map(|sequences| sequences(value.into()) as u32);
    let mut bytes = select_unpredictable(value < 0x80, value, two);
    bytes = select_unpredictable(value < 0x800, bytes, three);
    let mut length = 1 + usize::from(value >= 0x80) + usize::from(value >= 0x800);
    if LENGTH > 3 {
        bytes = select_unpredictable(value < 0x1_0000, bytes, four_bytes(value));
        length += usize::from(value >= 0x1_0000);
    }
    (bytes, length)
}

/// Returns the sequence of four bytes of a code point, the first byte lowest.
#[inline(always)]
const fn four_bytes(value: u32) -> u32 {
    value >> 18 | value >> 4 & 0x3F00 | value << 10 & 0x3F_0000 | value << 24 & 0x3F00_0000 | 0x8080_80F0
}
