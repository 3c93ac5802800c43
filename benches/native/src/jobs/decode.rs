//! From UTF-8 to Latin-1, UTF-16 and UTF-32: of bytes known to be valid into a buffer of exactly the right length, and
//! complete, with validation and the length computed first.

use std::rc::Rc;

use leadbyte::{Implementation, transcode};

use super::job::{Job, SIZES};
use crate::contestants::{Contestant, Conversion, Convert};
use crate::pool::{Pool, Shape};

/// From a word to more than the second-level cache holds.
const WHOLE_SIZES: &[(&str, Shape)] = &[
    ("8B", Shape::Short(8, 8)),
    ("16B", Shape::Short(16, 16)),
    ("32B", Shape::Short(32, 32)),
    ("64B", Shape::Short(64, 64)),
    ("128B", Shape::Short(128, 128)),
    ("256B", Shape::Short(256, 256)),
    ("512B", Shape::Short(512, 512)),
    ("1KiB", Shape::Slices(1 << 10)),
    ("4KiB", Shape::Slices(4 << 10)),
    ("16KiB", Shape::Slices(16 << 10)),
    ("64KiB", Shape::Slices(64 << 10)),
    ("1MiB", Shape::Slices(1 << 20)),
];

pub const LATIN1: Job = Job {
    takes: mostly_latin1,
    ..Job::new("to-latin1", SIZES, |pool| {
        lineup(
            in_latin1(&pool),
            latin1_with_std,
            |data, output| Implementation::active().fill_latin1(data, output),
            Implementation::fill_latin1,
            &[
                // SAFETY: `data` is valid, and `output` has the length of the result.
                ("simdutf valid", |data, output| unsafe {
                    simdutf::convert_valid_utf8_to_latin1(data.as_ptr(), data.len(), output.as_mut_ptr())
                }),
                ("simdutf", simdutf_latin1),
            ],
        )
    })
};

pub const UTF16: Job = Job::new("to-utf16", SIZES, |pool| {
    lineup(
        pool,
        utf16_with_std,
        |data, output| Implementation::active().fill_utf16(data, output),
        Implementation::fill_utf16,
        &[
            // SAFETY: `data` is valid, and `output` has the length of the result.
            ("simdutf valid", |data, output| unsafe {
                simdutf::convert_valid_utf8_to_utf16(data.as_ptr(), data.len(), output.as_mut_ptr())
            }),
            ("simdutf", simdutf_utf16),
        ],
    )
});

pub const UTF32: Job = Job::new("to-utf32", SIZES, |pool| {
    lineup(
        pool,
        utf32_with_std,
        |data, output| Implementation::active().fill_utf32(data, output),
        Implementation::fill_utf32,
        &[
            // SAFETY: `data` is valid, and `output` has the length of the result.
            ("simdutf valid", |data, output| unsafe {
                simdutf::convert_valid_utf8_to_utf32(data.as_ptr(), data.len(), output.as_mut_ptr())
            }),
            ("simdutf", simdutf_utf32),
        ],
    )
});

pub const WHOLE_LATIN1: Job = Job {
    takes: mostly_latin1,
    ..Job::new("decode-latin1", WHOLE_SIZES, |pool| {
        lineup(
            in_latin1(&pool),
            latin1_with_std,
            |data, output| transcode::utf8_to_latin1(data, output).unwrap_or(0),
            |implementation, data, output| implementation.utf8_to_latin1(data, output).unwrap_or(0),
            &[("simdutf", |data, output| match simdutf::latin1_length_from_utf8(data) {
                length if length <= output.len() => simdutf_latin1(data, output),
                _ => 0,
            })],
        )
    })
};

pub const WHOLE_UTF16: Job = Job::new("decode-utf16", WHOLE_SIZES, |pool| {
    lineup(
        pool,
        utf16_with_std,
        |data, output| transcode::utf8_to_utf16(data, output).unwrap_or(0),
        |implementation, data, output| implementation.utf8_to_utf16(data, output).unwrap_or(0),
        &[("simdutf", |data, output| match simdutf::utf16_length_from_utf8(data) {
            length if length <= output.len() => simdutf_utf16(data, output),
            _ => 0,
        })],
    )
});

pub const WHOLE_UTF32: Job = Job::new("decode-utf32", WHOLE_SIZES, |pool| {
    lineup(
        pool,
        utf32_with_std,
        |data, output| transcode::utf8_to_utf32(data, output).unwrap_or(0),
        |implementation, data, output| implementation.utf8_to_utf32(data, output).unwrap_or(0),
        &[("simdutf", |data, output| match simdutf::utf32_length_from_utf8(data) {
            length if length <= output.len() => simdutf_utf32(data, output),
            _ => 0,
        })],
    )
});

fn lineup<U: Copy + Default + PartialEq + 'static>(
    pool: Pool,
    expected: fn(&[u8]) -> Vec<U>,
    public: Convert<u8, U>,
    on: fn(Implementation, &[u8], &mut [U]) -> usize,
    peers: &[(&str, Convert<u8, U>)],
) -> Vec<Contestant> {
    let bytes = pool.bytes;
    let to = Rc::new(pool.map(expected));
    let conversion = Conversion::new(&Rc::new(pool), &to, bytes);
    let mut all = conversion.ours(public, on);
    all.extend(peers.iter().map(|&(name, call)| conversion.one(name, call)));
    all
}

/// Returns whether most of the text of that name is in Latin-1.
fn mostly_latin1(name: &str) -> bool {
    ["ascii", "english", "french"].contains(&name)
}

/// Removes the characters that are not in Latin-1 from all slices.
fn in_latin1(pool: &Pool) -> Pool {
    pool.map(|slice| {
        let text = String::from_utf8_lossy(slice);
        text.chars().filter(|&character| character <= '\u{FF}').collect::<String>().into_bytes()
    })
}

fn latin1_with_std(data: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(data).chars().map(|character| character as u8).collect()
}

pub fn utf16_with_std(data: &[u8]) -> Vec<u16> {
    String::from_utf8_lossy(data).encode_utf16().collect()
}

pub fn utf32_with_std(data: &[u8]) -> Vec<u32> {
    String::from_utf8_lossy(data).chars().map(u32::from).collect()
}

fn simdutf_latin1(data: &[u8], output: &mut [u8]) -> usize {
    // SAFETY: `output` has the length of the result.
    unsafe { simdutf::convert_utf8_to_latin1(data.as_ptr(), data.len(), output.as_mut_ptr()) }
}

pub fn simdutf_utf16(data: &[u8], output: &mut [u16]) -> usize {
    // SAFETY: `output` has the length of the result.
    unsafe { simdutf::convert_utf8_to_utf16(data.as_ptr(), data.len(), output.as_mut_ptr()) }
}

pub fn simdutf_utf32(data: &[u8], output: &mut [u32]) -> usize {
    // SAFETY: `output` has the length of the result.
    unsafe { simdutf::convert_utf8_to_utf32(data.as_ptr(), data.len(), output.as_mut_ptr()) }
}
