//! Decoding without vectors.
//!
//! 1. Blocks of 64 bytes: a bit for each lead byte, by arithmetic on eight bytes at once. Characters are then decoded
//!    one after another without a branch that depends on them: as of one or two bytes, or of up to three or four where
//!    the block has such. Their number ends the loop, so that only this is hard to predict.
//! 2. Where characters beyond ASCII are far apart, ASCII is written up to the next one, which is decoded alone.
//! 3. Eight characters of three bytes in a row, as in Chinese, are decoded two at a time.
//!
//! Compilers make branches of plain conditions here, which are mispredicted once a word, hence `select_unpredictable`.
//!
//! Tried and lost: to find runs of ASCII and of characters of one length in the bits, and decode four at a time (half
//! as fast for Russian, as run lengths are hard to predict); character by character with branches (a third as fast).

use core::hint::select_unpredictable;

use super::decoder::{Decoder, ErrorUnits, escape};
use super::kernels::{CodeUnit, decode_in_two_passes};
use crate::kernels::errors::sequences::{BLOCK_BYTES, ErrorStarts};
use crate::kernels::kernel::Backend;
use crate::kernels::triples::{TRIPLES_BYTES, other_than_triples};
use crate::sequence::{FOUR_BYTE_LEAD, THREE_BYTE_LEAD, is_continuation};
use crate::simd::uninit::MaybeUninit;
use crate::simd::{Isa, Scalar};

/// Decodes without vectors.
pub(crate) struct ScalarDecoder;

impl<I: Backend, U: CodeUnit> Decoder<I, U> for ScalarDecoder {
    #[inline(always)]
    fn decode<const ANY_LENGTH: bool>(_: I, data: &[u8], out: &mut [MaybeUninit<U>]) -> usize {
        decode_valid(data, out)
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

/// Bytes of a block with those after it that its characters may have, and that words may reach.
const WINDOW_BYTES: usize = BLOCK_BYTES + RUN_BYTES;
/// Bytes of ASCII that are decoded at once.
const RUN_BYTES: usize = 16;
/// The mean length of runs of ASCII, in bytes, from which characters beyond are decoded alone.
const SPARSE_BYTES: usize = 12;
/// The most continuation bytes of a block after which runs are expected to be that long.
const SPARSE_CONTINUATIONS: usize = 5;

/// Decodes valid UTF-8. (Not inlined, as it takes about a thousand instructions.)
#[inline(never)]
pub(super) fn decode_valid<U: CodeUnit>(data: &[u8], out: &mut [MaybeUninit<U>]) -> usize {
    let (mut rest, mut places) = (data, out);
    let space = places.len();
    let mut gap = SPARSE_BYTES;
    let mut after_triples = false;
    while let Some(window) = rest.first_chunk::<WINDOW_BYTES>() {
        let (taken, written);
        if gap >= SPARSE_BYTES
            && let Some(places) = places.first_chunk_mut::<WINDOW_BYTES>()
        {
            let ascii;
            (taken, written, ascii) = decode_sparse(window, places);
            gap = (gap + ascii) / 2;
        } else if size_of::<U>() > 1
            && other_than_triples(window, 0) == 0
            && let Some(places) = places.first_chunk_mut::<{ TRIPLES_BYTES / 3 }>()
        {
            decode_triples(window, places);
            (taken, written) = (TRIPLES_BYTES, TRIPLES_BYTES / 3);
            after_triples = true;
        } else if after_triples {
            // More are likely to follow soon.
            (taken, written, _) = decode_block::<U, TRIPLES_BYTES>(window, u64::MAX, places);
            after_triples = false;
        } else {
            let continuations;
            (taken, written, continuations) = decode_block::<U, BLOCK_BYTES>(window, u64::MAX, places);
            gap = if continuations <= SPARSE_CONTINUATIONS { BLOCK_BYTES } else { 0 };
        }
        rest = &rest[taken..];
        places = &mut places[written..];
    }
    while !rest.is_empty() {
        let mut window = [0; WINDOW_BYTES];
        window[..rest.len()].copy_from_slice(rest);
        let bytes = u64::MAX.checked_shr(BLOCK_BYTES.saturating_sub(rest.len()) as u32).unwrap_or(0);
        let (taken, written, _) = decode_block::<U, BLOCK_BYTES>(&window, bytes, places);
        rest = rest.get(taken..).unwrap_or_default();
        places = &mut places[written..];
    }
    space - places.len()
}

/// Decodes ASCII and the characters beyond ASCII after it. Returns the numbers of bytes, of units written, and of bytes
/// of ASCII.
#[inline(always)]
fn decode_sparse<U: CodeUnit>(
    window: &[u8; WINDOW_BYTES],
    places: &mut [MaybeUninit<U>; WINDOW_BYTES],
) -> (usize, usize, usize) {
    let mut at = 0;
    let mut beyond = 2 * u64::BITS;
    while at < BLOCK_BYTES {
        let [one, two] = [0, 8].map(|word| Scalar.non_ascii(Scalar.load(window, at + word)));
        write_ascii(window, places, at);
        if one | two != 0 {
            let second = two.trailing_zeros() + u64::BITS;
            beyond = select_unpredictable(one != 0, one.trailing_zeros(), second);
            break;
        }
        at += RUN_BYTES;
    }
    if at == BLOCK_BYTES {
        return (at, at, at);
    }
    at += beyond as usize / 8;
    let ascii = at;
    let mut written = at;
    while at < BLOCK_BYTES
        && let lead = window[at]
        && !lead.is_ascii()
    {
        let (scalar, length) = match lead {
            FOUR_BYTE_LEAD.. => (decode_one::<4>(window, at), 4),
            THREE_BYTE_LEAD.. => (decode_one::<3>(window, at), 3),
            _ => (decode_one::<2>(window, at), 2),
        };
        written += write_character(scalar, places.get_mut(written..).unwrap_or_default());
        at += length;
    }
    (at, written, ascii)
}

/// Writes the bytes of a run, of which only ASCII counts, at their offset.
#[inline(always)]
fn write_ascii<U: CodeUnit>(
    window: &[u8; WINDOW_BYTES],
    places: &mut [MaybeUninit<U>; WINDOW_BYTES],
    at: usize,
) {
    let (words, _) = window[at..at + RUN_BYTES].as_chunks();
    let (places, _) = places[at..at + RUN_BYTES].as_chunks_mut();
    for (word, places) in words.iter().zip(places) {
        U::widen(*word, places);
    }
}

/// Writes the units of a character, as many as there is space for, and returns their number.
#[inline(always)]
fn write_character<U: CodeUnit>(scalar: u32, places: &mut [MaybeUninit<U>]) -> usize {
    let (unit, second) = U::of(scalar);
    match (places, second) {
        ([one, two, ..], Some(second)) => {
            one.write(unit);
            two.write(second);
            2
        }
        ([one, ..], _) => {
            one.write(unit);
            1
        }
        _ => 0,
    }
}

/// Decodes the characters that start in the first `BYTES` bytes and have a bit in `bytes`. Returns the number of bytes
/// up to their end, of the units written, as many as there is space for, and of continuation bytes.
#[inline(always)]
fn decode_block<U: CodeUnit, const BYTES: usize>(
    window: &[u8; WINDOW_BYTES],
    bytes: u64,
    places: &mut [MaybeUninit<U>],
) -> (usize, usize, usize) {
    let (mut continuations, mut from_three, mut from_four) = (0, 0, 0);
    for at in (0..BYTES).step_by(8) {
        let word = Scalar.load(window, at);
        continuations |= Scalar.high_bits(word & !(word << 1)) << at;
        if size_of::<U>() > 1 {
            let three = word & word << 1 & word << 2;
            from_three |= three;
            from_four |= three & word << 3;
        }
    }
    let leads = !continuations & bytes & u64::MAX >> (BLOCK_BYTES - BYTES);
    let written = match [from_three, from_four].map(|words| Scalar.any_non_ascii(words)) {
        [_, true] => decode_characters::<U, 4>(window, leads, places),
        [true, false] => decode_characters::<U, 3>(window, leads, places),
        [false, false] => decode_characters::<U, 2>(window, leads, places),
    };
    let last = (u64::BITS - 1 - (leads | 1).leading_zeros()) as usize;
    let end = last + (window[last].leading_ones() as usize).clamp(1, 4);
    (end, written, continuations.count_ones() as usize)
}

/// Decodes the characters of at most `LENGTH` bytes whose lead bytes have a bit in `leads`. Returns the number of units
/// written, as many as there is space for.
#[inline(always)]
fn decode_characters<U: CodeUnit, const LENGTH: usize>(
    window: &[u8; WINDOW_BYTES],
    mut leads: u64,
    places: &mut [MaybeUninit<U>],
) -> usize {
    let characters = leads.count_ones() as usize;
    let mut next = || {
        let at = leads.trailing_zeros() as usize;
        leads &= leads.wrapping_sub(1);
        decode_one::<LENGTH>(window, at)
    };
    if LENGTH < 4 || size_of::<U>() == 4 {
        let written = characters.min(places.len());
        for place in &mut places[..written] {
            place.write(U::of_narrow(next()));
        }
        return written;
    }
    let mut written = 0;
    for _ in 0..characters {
        written += write_character(next(), places.get_mut(written..).unwrap_or_default());
    }
    written
}

/// Decodes the character of at most `LENGTH` bytes at an offset.
#[inline(always)]
fn decode_one<const LENGTH: usize>(window: &[u8; WINDOW_BYTES], at: usize) -> u32 {
    let byte = |index| u32::from(window[at + index]);
    let lead = byte(0);
    // Six bits of each byte; then the bits that indicate what the bytes are, together, are subtracted.
    let two = (lead << 6) + byte(1);
    let mut scalar = select_unpredictable(lead < 0x80, lead, two.wrapping_sub(0x3080));
    if LENGTH > 2 {
        let three = (two << 6) + byte(2);
        let is_wide = lead >= THREE_BYTE_LEAD.into();
        scalar = select_unpredictable(is_wide, three.wrapping_sub(0xE_2080), scalar);
        if LENGTH > 3 {
            let four = (three << 6).wrapping_add(byte(3));
            let is_wide = lead >= FOUR_BYTE_LEAD.into();
            scalar = select_unpredictable(is_wide, four.wrapping_sub(0x3C8_2080), scalar);
        }
    }
    scalar
}

/// Decodes eight characters of three bytes.
#[inline(always)]
fn decode_triples<U: CodeUnit>(
    window: &[u8; WINDOW_BYTES],
    places: &mut [MaybeUninit<U>; TRIPLES_BYTES / 3],
) {
    for (index, [one, two]) in places.as_chunks_mut().0.iter_mut().enumerate() {
        let word = Scalar.load(window, 6 * index);
        // Four, six and six bits, in both at once: a character takes 24 bits.
        let [high, middle, low] = [0x0F, 0x3F00, 0x3F_0000].map(|bits| word & (bits | bits << 24));
        let scalars = high << 12 | middle >> 2 | low >> 16;
        one.write(U::of_narrow(scalars as u32 & 0xFFFF));
        two.write(U::of_narrow((scalars >> 24) as u32 & 0xFFFF));
    }
}

/// Bytes of ASCII that are decoded at once among errors.
const FEW_BYTES: usize = 8;

/// Decodes the first character, or a run of ASCII. Returns the number of its bytes and of the units written, as many as
/// there is space for.
#[inline(always)]
fn decode_first<U: CodeUnit>(data: &[u8], out: &mut [MaybeUninit<U>]) -> (usize, usize) {
    if let Some(run) = data.first_chunk::<FEW_BYTES>()
        && run[0].is_ascii()
        && !Scalar.any_non_ascii(u64::from_le_bytes(*run))
        && let Some(places) = out.first_chunk_mut::<FEW_BYTES>()
    {
        for (place, &byte) in places.iter_mut().zip(run) {
            place.write(U::of(u32::from(byte)).0);
        }
        return (FEW_BYTES, FEW_BYTES);
    }
    let (scalar, length) = first(data);
    (length.min(data.len()), write_character(scalar, out))
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
