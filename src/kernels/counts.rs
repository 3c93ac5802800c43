//! Counts over bytes that are validated or counted.

use crate::sequence::FOUR_BYTE_LEAD;

/// Counts that need no validity and add up over any cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Continuation bytes, 80 to BF.
    pub continuations: usize,
    /// Lead bytes of four, F0 to FF, each of which takes two UTF-16 code units.
    pub four_byte_leads: usize,
    /// Line feeds, 0A.
    pub newlines: usize,
    /// The largest byte from 80 on, but F0 for any from there on; 0 if there is none.
    pub largest: u8,
}

impl Counts {
    /// Returns these counts with the largest of all bytes, below 80 and above F0, too.
    #[inline(always)]
    pub(super) fn with_largest(self, largest: u8) -> Self {
        let largest = if largest.is_ascii() { 0 } else { largest.min(FOUR_BYTE_LEAD) };
        Self { largest, ..self }
    }

    /// Returns the counts of two pieces together.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        Self {
            continuations: self.continuations + other.continuations,
            four_byte_leads: self.four_byte_leads + other.four_byte_leads,
            newlines: self.newlines + other.newlines,
            largest: self.largest.max(other.largest),
        }
    }
}

/// The size of a text in other encodings, and its widest character.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measure {
    /// The number of characters.
    pub chars: usize,
    /// The number of UTF-16 code units.
    pub utf16_count: usize,
    /// The largest byte from 80 on, but F0 for any from there on; 0 if there is none. It determines the width of the
    /// widest character; C4 or more means that there is one above U+00FF.
    pub largest: u8,
}

impl Measure {
    #[inline]
    pub(super) fn of(data: &[u8], counts: Counts) -> Self {
        let chars = data.len() - counts.continuations;
        Self { chars, utf16_count: chars + counts.four_byte_leads, largest: counts.largest }
    }

    /// Returns the measure of a text and the next one together.
    #[doc(hidden)]
    pub fn plus(self, next: Self) -> Self {
        Self {
            chars: self.chars + next.chars,
            utf16_count: self.utf16_count + next.utf16_count,
            largest: self.largest.max(next.largest),
        }
    }
}
