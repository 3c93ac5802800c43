//! A job: one function, and how to measure it.

use crate::contestants::Contestant;
use crate::pool::{Pool, Shape};

/// The name of the data that is not text: bytes drawn at random.
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
    pub const fn new(
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

/// From less than a vector to more than the caches hold.
pub const SIZES: &[(&str, Shape)] = &[
    ("16B", Shape::Slices(16)),
    ("64B", Shape::Slices(64)),
    ("256B", Shape::Slices(256)),
    ("1KiB", Shape::Slices(1 << 10)),
    ("4KiB", Shape::Slices(4 << 10)),
    ("64KiB", Shape::Slices(64 << 10)),
    ("1MiB", Shape::Slices(1 << 20)),
    ("16MiB", Shape::Slices(16 << 20)),
];
