//! Validation, and counting in the same pass.

pub(super) mod automaton;
pub(super) mod blocks;
#[cfg(target_arch = "x86_64")]
pub(super) mod byte_table;
pub(super) mod nibbles;
pub(crate) mod rules;

use rules::{Rules, Utf8};

use super::count::{Ascii, Counts, Measure};
use super::{Backend, Kernel, Task, run_separately};
use crate::sequence::boundary::floor_boundary;
use crate::simd::dispatch::Implementation;

/// An algorithm that validates.
pub(crate) trait Validator<I> {
    /// Returns whether `data` is valid by these rules. Without `ANY_LENGTH` it is longer than a vector.
    fn is_valid<R: Rules, const ANY_LENGTH: bool>(isa: I, data: &[u8]) -> bool;

    /// Returns counts over `data` except newlines, if it is valid. Without `ANY_LENGTH` it is longer than a vector.
    fn measure<const ANY_LENGTH: bool>(isa: I, data: &[u8]) -> Option<Counts>;

    /// Returns counts over `data` except newlines, valid or not.
    fn counts(isa: I, data: &[u8]) -> Counts;

    /// Returns the number of bytes that break no rule, as [`Findings::valid`], where an error is likely.
    fn valid_up_to(isa: I, data: &[u8]) -> usize;

    /// Validates by these rules.
    fn validate<R: Rules, const MEASURE: bool, const LINES: bool>(isa: I, data: &[u8]) -> Findings;
}

/// Validates bytes by some rules; with `MEASURE` it counts in the same pass, and with `LINES` newlines, too.
pub(crate) struct Validate<'a, R, const MEASURE: bool, const LINES: bool>(&'a [u8], R);

impl<R: Rules, const MEASURE: bool, const LINES: bool> Kernel for Validate<'_, R, MEASURE, LINES> {
    type Output = Findings;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> Findings {
        I::Validator::validate::<R, MEASURE, LINES>(isa, self.0)
    }
}

/// Tests whether bytes are valid by some rules. Without `ANY_LENGTH` they are more than a vector.
pub(crate) struct IsValid<'a, R, const ANY_LENGTH: bool>(pub &'a [u8], pub R);

impl<R: Rules, const ANY_LENGTH: bool> Kernel for IsValid<'_, R, ANY_LENGTH> {
    type Output = bool;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> bool {
        I::Validator::is_valid::<R, ANY_LENGTH>(isa, self.0)
    }
}

/// Counts over bytes, except newlines, if they are valid. Without `ANY_LENGTH` they are more than a vector.
pub(crate) struct CountsIfValid<'a, const ANY_LENGTH: bool>(pub &'a [u8]);

impl<const ANY_LENGTH: bool> Kernel for CountsIfValid<'_, ANY_LENGTH> {
    type Output = Option<Counts>;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> Option<Counts> {
        I::Validator::measure::<ANY_LENGTH>(isa, self.0)
    }
}

/// Counts over bytes, except newlines, valid or not.
pub(crate) struct CountsOf<'a>(pub &'a [u8]);

impl Kernel for CountsOf<'_> {
    type Output = Counts;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> Counts {
        I::Validator::counts(isa, self.0)
    }
}

/// Counts the bytes that break no rule, as [`Findings::valid`], in a few bytes that are likely to hold an error.
pub(crate) struct ValidUpTo<'a>(pub &'a [u8]);

impl Kernel for ValidUpTo<'_> {
    type Output = usize;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> usize {
        I::Validator::valid_up_to(isa, self.0)
    }
}

/// Validates by some rules, without counting.
pub(crate) fn check<R: Rules>(data: &[u8], rules: R) -> Validate<'_, R, false, false> {
    Validate(data, rules)
}

/// Validates and counts, except newlines.
pub(crate) fn survey(data: &[u8]) -> Validate<'_, Utf8, true, false> {
    Validate(data, Utf8)
}

/// Validates and counts.
pub(crate) fn scan(data: &[u8]) -> Validate<'_, Utf8, true, true> {
    Validate(data, Utf8)
}

/// The result of a validating pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Findings {
    /// The number of bytes that break no rule together with those before them: all, or the offset of the first byte
    /// that does, or a few less. If the data ends in a truncated sequence, its last byte counts as one that breaks a
    /// rule. An error starts at most three bytes before.
    pub valid: usize,
    /// The number of these bytes over which there are counts: all, or fewer if there is an error.
    pub counted: usize,
    /// Counts over them, if requested.
    pub counts: Counts,
}

/// Returns the boundary from which to search character by character for the error that a pass over `data` found after
/// `valid` bytes. All bytes before it are valid.
pub(crate) fn search_start(data: &[u8], valid: usize) -> usize {
    floor_boundary(data, valid.saturating_sub(1))
}

#[doc(hidden)]
impl Implementation {
    #[inline]
    pub fn is_valid(self, data: &[u8]) -> bool {
        self.run(IsValid::<_, true>(data, Utf8))
    }

    /// Measures `data`; `None` if it is not UTF-8.
    pub fn measure(self, data: &[u8]) -> Option<Measure> {
        Some(Measure::of(data, self.run(CountsIfValid::<true>(data))?))
    }

    /// Measures `data` that is known to be valid.
    pub(crate) fn measure_valid(self, data: &[u8]) -> Measure {
        Measure::of(data, self.run(CountsOf(data)))
    }

    pub fn is_ascii(self, data: &[u8]) -> bool {
        self.run(Ascii(data))
    }
}
