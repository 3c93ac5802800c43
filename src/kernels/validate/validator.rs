//! What an algorithm that validates offers.

#[cfg(feature = "unicode")]
use super::observer::Observer;
use super::rules::Rules;
use crate::kernels::counts::Counts;
use crate::simd::Isa;

/// An algorithm that validates.
pub trait Validator<I: Isa> {
    /// Returns whether `data` is valid by these rules. Without `ANY_LENGTH` it is longer than a vector.
    fn is_valid<R: Rules, const ANY_LENGTH: bool>(isa: I, data: &[u8]) -> bool;

    /// Returns counts over `data` except newlines, if it is valid. Without `ANY_LENGTH` it is longer than a vector.
    fn measure<const ANY_LENGTH: bool>(isa: I, data: &[u8]) -> Option<Counts>;

    /// Returns counts over `data` except newlines, valid or not.
    fn counts(isa: I, data: &[u8]) -> Counts;

    /// Validates by the rules of UTF-8, where an error is likely soon, and counts some of the bytes except newlines if
    /// they are to be `measured`.
    fn validate_wary(isa: I, data: &[u8], measured: bool, mostly_ascii: bool) -> Findings;

    /// Validates by these rules.
    fn validate<R: Rules, const MEASURE: bool, const LINES: bool>(isa: I, data: &[u8]) -> Findings;

    /// Validates by the rules of UTF-8 while an observer sees the bytes, until it has seen enough: then the result is
    /// as if there were an error after them. The counted bytes are those that it saw.
    #[cfg(feature = "unicode")]
    fn observe<O: Observer<I>>(isa: I, data: &[u8], observer: &mut O) -> Findings;
}

/// The result of a validating pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The number of bytes that break no rule together with those before them: all, or the offset of the first byte
    /// that does, or a few less. If the data ends in a truncated sequence, its last byte counts as one that breaks a
    /// rule. An error starts at most three bytes before.
    pub valid: usize,
    /// The number of these bytes over which there are counts: all, or fewer if there is an error.
    pub counted: usize,
    /// Counts over them, if requested.
    pub counts: Counts,
}
