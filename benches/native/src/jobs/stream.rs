//! Data larger than all caches: memory is the limit, and the question is which functions reach it.

use std::rc::Rc;

use super::count::chars_with_std;
use super::fused::scan_with_std;
use super::job::{Job, Unit};
use crate::contestants::Question;
use crate::pool::Shape;
use crate::read::read;

pub const STREAM: Job = Job {
    takes: |name| ["english", "russian"].contains(&name),
    unit: Unit::Share,
    reference: Some("read"),
    ..Job::new("stream", &[("1GiB", Shape::Whole(1 << 30))], |pool| {
        let pool = Rc::new(pool);
        let valid = Question::new(&pool, |data| std::str::from_utf8(data).is_ok());
        let chars = Question::new(&pool, chars_with_std);
        let counts = Question::new(&pool, scan_with_std);
        vec![
            Question::new(&pool, read).one("read", read),
            valid.one("is_valid", leadbyte::is_valid),
            chars.one("count_chars", leadbyte::count_chars),
            counts.one("scan", |data| leadbyte::scan(data).into()),
            counts.one("scan threads", |data| leadbyte::scan_with_threads(data, 0).into()),
            valid.one("simdutf8 basic", |data| simdutf8::basic::from_utf8(data).is_ok()),
            valid.one("simdutf", simdutf::validate_utf8),
            chars.one("simdutf count", simdutf::count_utf8),
            chars.one("bytecount", bytecount::num_chars),
        ]
    })
};
