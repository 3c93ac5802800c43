//! What is measured: functions, their inputs, and who computes them.

mod count;
mod decode;
mod dirty;
mod encode;
mod fused;
mod pages;
mod stream;
mod transcode;
mod validate;
pub mod variants;

use crate::contestants::Contestant;
use crate::pool::{Pool, Shape};

/// The name of the text that is none: bytes drawn at random.
pub const RANDOM: &str = "random-bytes";

/// One function, and how to measure it.
pub struct Job {
    pub function: &'static str,
    pub sizes: &'static [(&'static str, Shape)],
    /// Whether it is measured on the text of that name.
    pub takes: fn(&str) -> bool,
    pub unit: Unit,
    /// Whom ours is compared with; all peers if that is nobody in particular.
    pub reference: Option<&'static str>,
    /// All who compute it from such slices.
    pub contestants: fn(Pool) -> Vec<Contestant>,
}

impl Job {
    /// On every text, in gigabytes a second, beside all peers.
    const fn new(
        function: &'static str,
        sizes: &'static [(&'static str, Shape)],
        contestants: fn(Pool) -> Vec<Contestant>,
    ) -> Self {
        let takes = |name: &str| name != RANDOM;
        Self { function, sizes, takes, unit: Unit::Gigabytes, reference: None, contestants }
    }
}

/// How results are printed.
#[derive(Clone, Copy)]
pub enum Unit {
    Gigabytes,
    Nanoseconds,
    MillionCalls,
    /// Gigabytes, and their share of what the reference reaches.
    Share,
}

const SINGLE: &[Job] = &[
    validate::VALIDATE,
    validate::SHORT_INPUTS,
    fused::MEASURE,
    fused::SCAN,
    count::CHARS,
    count::NEWLINES,
    dirty::FIRST_ERROR,
    dirty::ERROR_COUNT,
    dirty::REPAIR,
    dirty::ERRORS,
    dirty::RANDOM_ERRORS,
    encode::FROM_UTF16,
    encode::FROM_UTF32,
    encode::FROM_LATIN1,
    encode::LENGTH,
    encode::WHOLE,
    encode::WHOLE_SHORT,
    decode::LATIN1,
    decode::UTF16,
    decode::UTF32,
    decode::WHOLE_LATIN1,
    decode::WHOLE_UTF16,
    decode::WHOLE_UTF32,
    transcode::TO_UTF16,
    transcode::TO_UTF32,
    transcode::FROM_UTF16,
    transcode::FROM_UTF32,
    variants::CESU8,
    variants::MUTF8,
    variants::WTF8,
    stream::STREAM,
];

/// All that is measured.
pub fn all() -> impl Iterator<Item = &'static Job> {
    SINGLE.iter().chain(pages::ALL)
}

/// From less than a vector to more than the caches hold.
const SIZES: &[(&str, Shape)] = &[
    ("16B", Shape::Slices(16)),
    ("64B", Shape::Slices(64)),
    ("256B", Shape::Slices(256)),
    ("1KiB", Shape::Slices(1 << 10)),
    ("4KiB", Shape::Slices(4 << 10)),
    ("64KiB", Shape::Slices(64 << 10)),
    ("1MiB", Shape::Slices(1 << 20)),
    ("16MiB", Shape::Slices(16 << 20)),
];
