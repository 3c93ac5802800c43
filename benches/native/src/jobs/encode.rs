//! UTF-8 from Latin-1, UTF-16 and UTF-32: into a buffer of exactly the right length, that length alone, and both.
//!
//! Speeds count the bytes written, sizes the bytes of the text in UTF-8.

use std::rc::Rc;

use leadbyte::Implementation;
use leadbyte::transcode::{utf8_length_of_utf16, utf16_to_utf8};

use super::decode::{utf16_with_std, utf32_with_std};
use super::job::{Job, Unit};
use crate::contestants::{Contestant, Conversion, Question};
use crate::pool::{Pool, Shape};

const SIZES: &[(&str, Shape)] =
    &[("1KiB", Shape::Slices(1 << 10)), ("64KiB", Shape::Slices(64 << 10)), ("1MiB", Shape::Slices(1 << 20))];

const SHORT_SIZES: &[(&str, Shape)] = &[
    ("8B", Shape::Short(8, 8)),
    ("16B", Shape::Short(16, 16)),
    ("32B", Shape::Short(32, 32)),
    ("64B", Shape::Short(64, 64)),
    ("128B", Shape::Short(128, 128)),
    ("256B", Shape::Short(256, 256)),
    ("512B", Shape::Short(512, 512)),
    ("1-600B", Shape::Short(1, 600)),
];

pub const FROM_UTF16: Job = Job::new("from-utf16", SIZES, |pool| {
    let conversion = from(pool, utf16_with_std);
    let mut all = conversion.ours(
        |units, output| Implementation::active().encode_utf16(units, output).0,
        |set, units, output| set.encode_utf16(units, output).0,
    );
    all.push(conversion.one("simdutf", utf16_with_simdutf));
    all
});

pub const FROM_UTF32: Job = Job::new("from-utf32", SIZES, |pool| {
    let conversion = from(pool, utf32_with_std);
    let mut all = conversion.ours(
        |units, output| Implementation::active().encode_utf32(units, output).0,
        |set, units, output| set.encode_utf32(units, output).0,
    );
    all.push(conversion.one("simdutf", utf32_with_simdutf));
    all
});

/// Characters above U+00FF are replaced by others.
pub const FROM_LATIN1: Job = Job {
    takes: |name| ["ascii", "english", "french"].contains(&name),
    ..Job::new("from-latin1", SIZES, |pool| {
        let conversion = from(in_latin1(pool), latin1);
        let mut all = conversion.ours(
            |units, output| Implementation::active().encode_latin1(units, output).0,
            |set, units, output| set.encode_latin1(units, output).0,
        );
        all.push(conversion.one("simdutf", latin1_with_simdutf));
        all
    })
};

pub const LENGTH: Job = Job::new("utf8-length", SIZES, |pool| {
    let units = Rc::new(pool.map(utf16_with_std));
    let question = Question::about(&units, length_with_std, pool.bytes);
    let mut all = question.ours(utf8_length_of_utf16, Implementation::utf8_length_of_utf16);
    all.push(question.one("simdutf", length_with_simdutf));
    all
});

pub const WHOLE: Job = Job::new("encode", SIZES, whole);

pub const WHOLE_SHORT: Job = Job { unit: Unit::Nanoseconds, ..Job::new("encode-short", SHORT_SIZES, whole) };

/// Computes the length and the output, from UTF-16.
fn whole(pool: Pool) -> Vec<Contestant> {
    let conversion = from(pool, utf16_with_std);
    let mut all = conversion.ours(
        |units, output| utf16_to_utf8(units, output).unwrap_or(0),
        |set, units, output| set.utf16_to_utf8(units, output).unwrap_or(0),
    );
    all.push(conversion.one("simdutf", |units, output| {
        assert!(length_with_simdutf(units) <= output.len());
        utf16_with_simdutf(units, output)
    }));
    all
}

/// Returns the conversion to UTF-8 of the slices in another encoding form.
fn from<U: 'static>(pool: Pool, form: fn(&[u8]) -> Vec<U>) -> Conversion<U, u8> {
    let bytes = pool.bytes;
    Conversion::new(&Rc::new(pool.map(form)), &Rc::new(pool), bytes)
}

/// Replaces the characters that are not in Latin-1.
fn in_latin1(pool: Pool) -> Pool {
    pool.map(|slice| {
        text(slice).map(|char| if char <= '\u{FF}' { char } else { 'é' }).collect::<String>().into()
    })
}

fn text(slice: &[u8]) -> impl Iterator<Item = char> {
    std::str::from_utf8(slice).unwrap_or_default().chars()
}

fn latin1(slice: &[u8]) -> Vec<u8> {
    text(slice).map(|char| u8::try_from(char).unwrap_or(b'?')).collect()
}

fn length_with_std(units: &[u16]) -> usize {
    char::decode_utf16(units.iter().copied()).map(|char| char.map_or(3, char::len_utf8)).sum()
}

pub fn length_with_simdutf(units: &[u16]) -> usize {
    simdutf::utf8_length_from_utf16(units)
}

pub fn utf16_with_simdutf(units: &[u16], output: &mut [u8]) -> usize {
    // SAFETY: `output` has the length of the result, which was computed for these units, and they are valid.
    unsafe { simdutf::convert_utf16_to_utf8(units.as_ptr(), units.len(), output.as_mut_ptr()) }
}

pub fn utf32_with_simdutf(units: &[u32], output: &mut [u8]) -> usize {
    // SAFETY: `output` has the length of the result, which was computed for these units, and they are valid.
    unsafe { simdutf::convert_utf32_to_utf8(units.as_ptr(), units.len(), output.as_mut_ptr()) }
}

fn latin1_with_simdutf(units: &[u8], output: &mut [u8]) -> usize {
    // SAFETY: `output` has the length of the result.
    unsafe { simdutf::convert_latin1_to_utf8(units.as_ptr(), units.len(), output.as_mut_ptr()) }
}
