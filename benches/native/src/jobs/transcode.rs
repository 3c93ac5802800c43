//! UTF-8 to UTF-16 and UTF-32 and back, all of it: is it valid, how long will it be, room for that, and the result.
//!
//! Everyone takes new room each time, and does not clear it. Speeds are those of the bytes in UTF-8, and so are sizes.

use std::rc::Rc;
use std::slice;

use leadbyte::Implementation;

use super::Job;
use super::decode::{simdutf_utf16, simdutf_utf32, utf16_with_std, utf32_with_std};
use super::encode::{length_with_simdutf, utf16_with_simdutf, utf32_with_simdutf};
use crate::contestants::{Contestant, Function, Question};
use crate::pool::{Pool, Shape};

const SIZES: &[(&str, Shape)] =
    &[("1KiB", Shape::Slices(1 << 10)), ("64KiB", Shape::Slices(64 << 10)), ("1MiB", Shape::Slices(1 << 20))];

pub const TO_UTF16: Job = Job::new("utf8-to-utf16", SIZES, |pool| {
    from_utf8(
        pool,
        utf16_with_std,
        |data| utf16_with_ours(Implementation::active(), data),
        utf16_with_ours,
        &[
            ("simdutf valid", |data| {
                assert!(simdutf::validate_utf8(data));
                // SAFETY: `data` are valid, and the room is what they take.
                allocated(simdutf::utf16_length_from_utf8(data), |room| unsafe {
                    simdutf::convert_valid_utf8_to_utf16(data.as_ptr(), data.len(), room.as_mut_ptr())
                })
            }),
            ("simdutf", |data| {
                allocated(simdutf::utf16_length_from_utf8(data), |room| simdutf_utf16(data, room))
            }),
        ],
    )
});

pub const TO_UTF32: Job = Job::new("utf8-to-utf32", SIZES, |pool| {
    from_utf8(
        pool,
        utf32_with_std,
        |data| utf32_with_ours(Implementation::active(), data),
        utf32_with_ours,
        &[
            ("simdutf valid", |data| {
                assert!(simdutf::validate_utf8(data));
                // SAFETY: `data` are valid, and the room is what they take.
                allocated(simdutf::utf32_length_from_utf8(data), |room| unsafe {
                    simdutf::convert_valid_utf8_to_utf32(data.as_ptr(), data.len(), room.as_mut_ptr())
                })
            }),
            ("simdutf", |data| {
                allocated(simdutf::utf32_length_from_utf8(data), |room| simdutf_utf32(data, room))
            }),
        ],
    )
});

pub const FROM_UTF16: Job = Job::new("utf16-to-utf8", SIZES, |pool| {
    to_utf8(
        pool,
        utf16_with_std,
        |units| String::from_utf16_lossy(units).into_bytes(),
        |units| utf16_by_ours(Implementation::active(), units),
        utf16_by_ours,
        &[
            ("simdutf valid", |units| {
                assert!(simdutf::validate_utf16(units));
                // SAFETY: `units` are valid, and the room is what they take.
                allocated(length_with_simdutf(units), |room| unsafe {
                    simdutf::convert_valid_utf16_to_utf8(units.as_ptr(), units.len(), room.as_mut_ptr())
                })
            }),
            ("simdutf", |units| {
                allocated(length_with_simdutf(units), |room| utf16_with_simdutf(units, room))
            }),
        ],
    )
});

pub const FROM_UTF32: Job = Job::new("utf32-to-utf8", SIZES, |pool| {
    to_utf8(
        pool,
        utf32_with_std,
        |units| units.iter().filter_map(|&unit| char::from_u32(unit)).collect::<String>().into_bytes(),
        |units| utf32_by_ours(Implementation::active(), units),
        utf32_by_ours,
        &[
            ("simdutf valid", |units| {
                assert!(simdutf::validate_utf32(units));
                // SAFETY: `units` are valid, and the room is what they take.
                allocated(simdutf::utf8_length_from_utf32(units), |room| unsafe {
                    simdutf::convert_valid_utf32_to_utf8(units.as_ptr(), units.len(), room.as_mut_ptr())
                })
            }),
            ("simdutf", |units| {
                allocated(simdutf::utf8_length_from_utf32(units), |room| utf32_with_simdutf(units, room))
            }),
        ],
    )
});

fn from_utf8<T: PartialEq + std::fmt::Debug + 'static>(
    pool: Pool,
    expected: Function<T>,
    public: Function<T>,
    on: fn(Implementation, &[u8]) -> T,
    peers: &[(&str, Function<T>)],
) -> Vec<Contestant> {
    let question = Question::new(&Rc::new(pool), expected);
    let mut all = question.ours(public, on);
    all.extend(question.peers(peers));
    all
}

fn to_utf8<U: 'static>(
    pool: Pool,
    form: fn(&[u8]) -> Vec<U>,
    expected: Function<Vec<u8>, U>,
    public: Function<Vec<u8>, U>,
    on: fn(Implementation, &[U]) -> Vec<u8>,
    peers: &[(&str, Function<Vec<u8>, U>)],
) -> Vec<Contestant> {
    let question = Question::about(&Rc::new(pool.map(form)), expected, pool.bytes);
    let mut all = question.ours(public, on);
    all.extend(question.peers(peers));
    all
}

/// New values, `length` of them at most, as `fill` writes them: it tells how many these are, from the start on.
fn allocated<V>(length: usize, fill: impl FnOnce(&mut [V]) -> usize) -> Vec<V> {
    let mut values = Vec::with_capacity(length);
    // SAFETY: there is room for so many integers, and nobody reads them before they are written.
    let written = fill(unsafe { slice::from_raw_parts_mut(values.as_mut_ptr(), length) });
    // SAFETY: so many were written.
    unsafe { values.set_len(written.min(length)) };
    values
}

fn utf16_with_ours(set: Implementation, data: &[u8]) -> Vec<u16> {
    let units = set.measure(data).map_or(0, |measure| measure.utf16_count);
    allocated(units, |room| set.fill_utf16(data, room))
}

fn utf32_with_ours(set: Implementation, data: &[u8]) -> Vec<u32> {
    let units = set.measure(data).map_or(0, |measure| measure.chars);
    allocated(units, |room| set.fill_utf32(data, room))
}

fn utf16_by_ours(set: Implementation, units: &[u16]) -> Vec<u8> {
    allocated(set.utf8_length_of_utf16(units), |room| checked(set.encode_utf16(units, room)))
}

fn utf32_by_ours(set: Implementation, units: &[u32]) -> Vec<u8> {
    allocated(set.utf8_length_of_utf32(units), |room| checked(set.encode_utf32(units, room)))
}

/// All that was written, if every unit was part of a scalar value.
fn checked((written, scalar): (usize, bool)) -> usize {
    if scalar { written } else { 0 }
}
