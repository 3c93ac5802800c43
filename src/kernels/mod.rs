//! The algorithms, each written once over [`Isa`]. No intrinsics and no `unsafe` here.

pub(crate) mod automaton;
pub(crate) mod lookup;
pub(crate) mod tally;

use crate::simd::Isa;

/// Work that can run on any instruction set.
pub(crate) trait Kernel {
    /// What it computes.
    type Output;

    /// Does the work. Must be `#[inline(always)]`, like all that it calls, to be compiled for `isa`.
    fn run<I: Isa>(self, isa: I) -> Self::Output;
}

/// Validation, by the algorithm of the instruction set; with `MEASURE` it counts in the same pass.
pub(crate) struct Validate<'a, const MEASURE: bool>(pub &'a [u8]);

impl<const MEASURE: bool> Kernel for Validate<'_, MEASURE> {
    type Output = Findings;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Findings {
        isa.validate::<MEASURE>(self.0)
    }
}

/// What a validating pass found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Findings {
    /// How many bytes hold no error: all of them, or as many as stand before the block where an
    /// error showed. That error's span may start up to three bytes earlier, but ends no earlier.
    pub valid: usize,
    /// Counts over those bytes, if they were asked for.
    pub counts: Counts,
}

/// Counts that need no validity and add up over any cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Bytes 80 to BF.
    pub continuations: usize,
    /// Bytes F0 to FF, each of which takes two UTF-16 units.
    pub fours: usize,
    /// Bytes 0A.
    pub newlines: usize,
    /// The largest byte from 80 on, but F0 for any from there on; 0 if there is none.
    pub largest: u8,
}

impl Counts {
    /// The counts of two pieces together.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        Self {
            continuations: self.continuations + other.continuations,
            fours: self.fours + other.fours,
            newlines: self.newlines + other.newlines,
            largest: self.largest.max(other.largest),
        }
    }
}

/// The first byte value that leads a sequence of four bytes.
const FOUR: u8 = 0xF0;
