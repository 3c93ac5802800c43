//! Counting: the number of characters of bytes that need not be valid, and the number of line feeds.

use std::rc::Rc;

use leadbyte::Implementation;

use super::job::Job;
use crate::contestants::Question;
use crate::pool::Shape;

/// Also from one cache alone: counting does not branch on what it counts.
const SIZES: &[(&str, Shape)] = &[
    ("16B", Shape::Slices(16)),
    ("64B", Shape::Slices(64)),
    ("256B", Shape::Slices(256)),
    ("1KiB", Shape::Slices(1 << 10)),
    ("4KiB", Shape::Slices(4 << 10)),
    ("16KiB-L1", Shape::One(16 << 10)),
    ("64KiB", Shape::Slices(64 << 10)),
    ("512KiB-L2", Shape::One(512 << 10)),
    ("16MiB", Shape::Slices(16 << 20)),
];

pub const CHARS: Job = Job::new("count", SIZES, |pool| {
    let pool = Rc::new(pool);
    let question = Question::new(&pool, chars_with_std);
    let mut all = question.ours(leadbyte::count_chars, Implementation::count_chars);
    all.extend(question.peers(&[
        ("naive", |data| data.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()),
        ("bytecount", bytecount::num_chars),
        ("simdutf", simdutf::count_utf8),
    ]));
    all
});

pub fn chars_with_std(data: &[u8]) -> usize {
    std::str::from_utf8(data).map_or(0, |text| text.chars().count())
}

pub const NEWLINES: Job = Job::new("newlines", SIZES, |pool| {
    let pool = Rc::new(pool);
    let question = Question::new(&pool, |data| data.split(|&byte| byte == b'\n').count() - 1);
    let mut all = question.ours(leadbyte::count_newlines, Implementation::count_newlines);
    all.extend(question.peers(&[
        ("naive", |data| data.iter().filter(|&&byte| byte == b'\n').count()),
        ("bytecount", |data| bytecount::count(data, b'\n')),
        ("memchr", |data| memchr::memchr_iter(b'\n', data).count()),
    ]));
    all
});
