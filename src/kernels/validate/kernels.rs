//! The kernels that validate.

use super::rules::{Rules, Utf8};
use super::validator::{Findings, Validator};
use crate::kernels::counts::Counts;
use crate::kernels::kernel::{Backend, Kernel, Task};

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
pub struct IsValid<'a, R, const ANY_LENGTH: bool>(pub &'a [u8], pub R);

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

/// Validates where an error is likely soon, and counts some of the bytes except newlines if they are `measured`.
pub(crate) struct ValidateWary<'a> {
    pub data: &'a [u8],
    pub measured: bool,
    pub mostly_ascii: bool,
}

impl Kernel for ValidateWary<'_> {
    type Output = Findings;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> Findings {
        I::Validator::validate_wary(isa, self.data, self.measured, self.mostly_ascii)
    }
}

impl<'a> ValidateWary<'a> {
    /// Validates without counting.
    pub(crate) fn check(data: &'a [u8]) -> Self {
        Self { data, measured: false, mostly_ascii: false }
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
