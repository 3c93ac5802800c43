//! The algorithms, each written once over [`Isa`]. No intrinsics and no `unsafe` here.

pub(crate) mod automaton;
pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod lookup;
#[cfg(feature = "detect")]
pub(crate) mod order;
pub(crate) mod page;
pub(crate) mod pass;
#[cfg(target_arch = "x86_64")]
pub(crate) mod permute;
pub(crate) mod planes;
pub(crate) mod rules;
pub(crate) mod shuffle;
pub(crate) mod tally;
#[cfg(feature = "unicode")]
pub(crate) mod windows;

use rules::{Rules, Utf8};

use crate::simd::Isa;

/// Work that can run on any instruction set.
pub(crate) trait Kernel {
    /// What it computes.
    type Output;

    /// What kind of work it is.
    const TASK: Task;

    /// Does the work. Must be `#[inline(always)]`, like all that it calls, to be compiled for `isa`.
    fn run<I: Isa>(self, isa: I) -> Self::Output;
}

/// Kinds of work, for each of which an instruction set may leave the field to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Whatever depends on validity.
    Validate,
    /// Bytes of some kind are counted or looked for.
    Count,
}

/// Validation by some rules and by the algorithm of the instruction set; with `MEASURE` it counts in the same pass,
/// and newlines with `LINES`, too.
pub(crate) struct Validate<'a, R, const MEASURE: bool, const LINES: bool>(&'a [u8], R);

impl<R: Rules, const MEASURE: bool, const LINES: bool> Kernel for Validate<'_, R, MEASURE, LINES> {
    type Output = Findings;

    const TASK: Task = Task::Validate;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Findings {
        isa.validate::<R, MEASURE, LINES>(self.0)
    }
}

/// Is it valid by these rules? Without `ANY` it is known to be too much for one vector.
pub(crate) struct IsValid<'a, R, const ANY: bool>(pub &'a [u8], pub R);

impl<R: Rules, const ANY: bool> Kernel for IsValid<'_, R, ANY> {
    type Output = bool;

    const TASK: Task = Task::Validate;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> bool {
        isa.is_valid::<R, ANY>(self.0)
    }
}

/// What does it hold, if it is valid, newlines left out? Without `ANY` it is known to be too much for one vector.
pub(crate) struct Measure<'a, const ANY: bool>(pub &'a [u8]);

impl<const ANY: bool> Kernel for Measure<'_, ANY> {
    type Output = Option<Counts>;

    const TASK: Task = Task::Validate;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Option<Counts> {
        isa.measure::<ANY>(self.0)
    }
}

/// What does it hold, newlines left out, valid or not?
pub(crate) struct CountsOf<'a>(pub &'a [u8]);

impl Kernel for CountsOf<'_> {
    type Output = Counts;

    const TASK: Task = Task::Validate;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Counts {
        isa.counts(self.0)
    }
}

/// How much of it breaks no rule? For some bytes that are expected to hold an error, as [`Findings::valid`].
pub(crate) struct ValidUpTo<'a>(pub &'a [u8]);

impl Kernel for ValidUpTo<'_> {
    type Output = usize;

    const TASK: Task = Task::Validate;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        isa.valid_up_to(self.0)
    }
}

/// Is it valid by these rules, and where not?
pub(crate) fn check<R: Rules>(data: &[u8], rules: R) -> Validate<'_, R, false, false> {
    Validate(data, rules)
}

/// And how many characters and UTF-16 units, and the widest?
fn survey(data: &[u8]) -> Validate<'_, Utf8, true, false> {
    Validate(data, Utf8)
}

/// And how many lines?
pub(crate) fn scan(data: &[u8]) -> Validate<'_, Utf8, true, true> {
    Validate(data, Utf8)
}

/// What a validating pass found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Findings {
    /// How many bytes break no rule together with those before them: all, or as many as stand before the
    /// first that does, or a few less. If a character breaks off at the end of the data, the last byte
    /// counts as one that breaks a rule. An error starts at most three bytes before.
    pub valid: usize,
    /// Over how many of these bytes there are counts: all, or less if there is an error.
    pub counted: usize,
    /// Counts over them, if they were asked for.
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
    /// The same with the largest byte found among all, also below 80 and above F0.
    #[inline(always)]
    fn with_largest(self, found: u8) -> Self {
        let largest = if found.is_ascii() { 0 } else { found.min(FOUR) };
        Self { largest, ..self }
    }

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
