//! UTF-8 to UTF-16 and UTF-32 and back, complete: validation, the length of the result, a buffer, and the result.
//!
//! Each call allocates a new buffer, without clearing it. Speeds and sizes count the bytes in UTF-8.

use std::rc::Rc;
use std::slice;

use leadbyte::Implementation;

use super::decode::{simdutf_utf16, simdutf_utf32, utf16_with_std, utf32_with_std};
use super::encode::{length_with_simdutf, utf16_with_simdutf, utf32_with_simdutf};
use super::job::Job;
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
                // SAFETY: `data` is valid, and `output` has the length of the result.
                allocated(simdutf::utf16_length_from_utf8(data), |output| unsafe {
                    simdutf::convert_valid_utf8_to_utf16(data.as_ptr(), data.len(), output.as_mut_ptr())
                })
            }),
            ("simdutf", |data| {
                allocated(simdutf::utf16_length_from_utf8(data), |output| simdutf_utf16(data, output))
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
                // SAFETY: `data` is valid, and `output` has the length of the result.
                allocated(simdutf::utf32_length_from_utf8(data), |output| unsafe {
                    simdutf::convert_valid_utf8_to_utf32(data.as_ptr(), data.len(), output.as_mut_ptr())
                })
            }),
            ("simdutf", |data| {
                allocated(simdutf::utf32_length_from_utf8(data), |output| simdutf_utf32(data, output))
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
                // SAFETY: `units` are valid, and `output` has the length of the result.
                allocated(length_with_simdutf(units), |output| unsafe {
                    simdutf::convert_valid_utf16_to_utf8(units.as_ptr(), units.len(), output.as_mut_ptr())
                })
            }),
            ("simdutf", |units| {
                allocated(length_with_simdutf(units), |output| utf16_with_simdutf(units, output))
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
                // SAFETY: `units` are valid, and `output` has the length of the result.
                allocated(simdutf::utf8_length_from_utf32(units), |output| unsafe {
                    simdutf::convert_valid_utf32_to_utf8(units.as_ptr(), units.len(), output.as_mut_ptr())
                })
            }),
            ("simdutf", |units| {
                allocated(simdutf::utf8_length_from_utf32(units), |output| utf32_with_simdutf(units, output))
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

/// Returns a vector of at most `length` values; `fill` writes them from the start on and returns their number.
fn allocated<V>(length: usize, fill: impl FnOnce(&mut [V]) -> usize) -> Vec<V> {
    let mut values = Vec::with_capacity(length);
    // SAFETY: the capacity is at least `length` integers, and none is read before it is written.
    let written = fill(unsafe { slice::from_raw_parts_mut(values.as_mut_ptr(), length) });
    // SAFETY: `fill` has written these.
    unsafe { values.set_len(written.min(length)) };
    values
}

fn utf16_with_ours(set: Implementation, data: &[u8]) -> Vec<u16> {
    let units = set.measure(data).map_or(0, |measure| measure.utf16_count);
    allocated(units, |output| set.fill_utf16(data, output))
}

fn utf32_with_ours(set: Implementation, data: &[u8]) -> Vec<u32> {
    let units = set.measure(data).map_or(0, |measure| measure.chars);
    allocated(units, |output| set.fill_utf32(data, output))
}

fn utf16_by_ours(set: Implementation, units: &[u16]) -> Vec<u8> {
    allocated(set.utf8_length_of_utf16(units), |output| checked(set.encode_utf16(units, output)))
}

fn utf32_by_ours(set: Implementation, units: &[u32]) -> Vec<u8> {
    allocated(set.utf8_length_of_utf32(units), |output| checked(set.encode_utf32(units, output)))
}

/// Returns the number of bytes written if every unit was part of a scalar value, 0 otherwise.
fn checked((written, scalar): (usize, bool)) -> usize {
    if scalar { written } else { 0 }
}
