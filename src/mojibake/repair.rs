//! The result of a repair: the text, and the repaired stretches with their readings.

use core::ops::{Range, RangeInclusive};
use std::borrow::Cow;

/// A repaired text, with its repaired stretches.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair<'a> {
    /// The repaired text, or the given one if there is nothing to repair.
    pub text: Cow<'a, str>,
    /// The repaired stretches, in order.
    pub stretches: Vec<Stretch>,
}

/// Consecutive lines, or a part of a line, with the same damage.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// The range in the given text in bytes.
    pub bytes: Range<usize>,
    /// The numbers of its lines, from 1.
    pub lines: RangeInclusive<usize>,
    /// The wrong decodings in the order in which they are reversed: the last one first.
    pub readings: Vec<Reading>,
    /// The number of UTF-8 sequences that were restored.
    pub sequences: usize,
    /// The number of undamaged non-ASCII characters, which stay as they are.
    pub undamaged: usize,
    /// The BCP 47 tag of the language of the repaired text; `None` if others are about as likely.
    pub language: Option<&'static str>,
    /// The cost (negative binary logarithm of the likelihood) in bits before and after the repair.
    pub bits: (f32, f32),
}

impl Stretch {
    pub(super) fn empty(at: usize, line: usize) -> Self {
        let (sequences, undamaged, bits) = (0, 0, (0.0, 0.0));
        let (bytes, lines, readings) = (at..at, line..=line, vec![]);
        Self { bytes, lines, readings, sequences, undamaged, language: None, bits }
    }
}

/// A wrong decoding.
///
/// Both names have Python's meaning. A name has the prefix `whatwg:` if the text has characters that the WHATWG
/// Encoding Standard defines for bytes that are undefined in Python's codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The right encoding of the text.
    pub encoding: &'static str,
    /// The encoding that it was decoded with by mistake.
    pub misread_as: &'static str,
}
