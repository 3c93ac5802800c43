//! Whether bytes are of a variant of UTF-8, beside whether they are UTF-8. Texts are in the variant; where they hold
//! no character beyond U+FFFF that is the same bytes.

use std::rc::Rc;

use leadbyte::Implementation;
use leadbyte::variants::{cesu8, mutf8, wtf8};

use super::job::Job;
use crate::contestants::{Contestant, Function, Question};
use crate::pool::{Pool, Shape};

/// The name of who validates as UTF-8, the same texts in UTF-8.
pub const UTF8: &str = "is_valid";

const SIZES: &[(&str, Shape)] = &[
    ("64B", Shape::Slices(64)),
    ("128B", Shape::Slices(128)),
    ("256B", Shape::Slices(256)),
    ("1KiB", Shape::Slices(1 << 10)),
    ("4KiB", Shape::Slices(4 << 10)),
    ("64KiB", Shape::Slices(64 << 10)),
    ("1MiB", Shape::Slices(1 << 20)),
];

const fn job(function: &'static str, contestants: fn(Pool) -> Vec<Contestant>) -> Job {
    Job { reference: Some(UTF8), ..Job::new(function, SIZES, contestants) }
}

pub const CESU8: Job = job("cesu8-valid", |pool| {
    let cesu8 = |slice: &[u8]| cesu8::encode(&utf16(slice)).unwrap_or_default();
    lineup(pool.map(cesu8), pool, cesu8::is_valid, Implementation::is_valid_cesu8)
});

pub const MUTF8: Job = job("mutf8-valid", |pool| {
    lineup(
        pool.map(|slice| mutf8::encode(&utf16(slice))),
        pool,
        mutf8::is_valid,
        Implementation::is_valid_mutf8,
    )
});

pub const WTF8: Job = job("wtf8-valid", |pool| {
    lineup(pool.map(<[u8]>::to_vec), pool, wtf8::is_valid, Implementation::is_valid_wtf8)
});

fn utf16(text: &[u8]) -> Vec<u16> {
    String::from_utf8_lossy(text).encode_utf16().collect()
}

fn lineup(
    variant: Pool,
    utf8: Pool,
    public: Function<bool>,
    on: fn(Implementation, &[u8]) -> bool,
) -> Vec<Contestant> {
    // Both walk through as many bytes as their text has in UTF-8.
    let bytes = utf8.bytes;
    let mut all = Question::about(&Rc::new(variant), |_| true, bytes).ours(public, on);
    all.push(Question::about(&Rc::new(utf8), |_| true, bytes).one(UTF8, leadbyte::is_valid));
    all
}
