//! Validation, and counting in the same pass.

mod automaton;
pub(super) mod blocks;
#[cfg(target_arch = "x86_64")]
pub(super) mod byte_table;
mod kernels;
pub(super) mod nibbles;
pub(crate) mod observer;
pub(crate) mod rules;
pub(super) mod tiers;
pub(crate) mod validator;
pub(super) mod words;

pub use kernels::*;
use rules::{Generalized, Utf8};

use super::count::Ascii;
use super::counts::Measure;
use crate::sequence::boundary::floor_boundary;
use crate::simd::dispatch::Implementation;

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

    /// Returns whether `data` is generalized UTF-8, which also has surrogates.
    pub fn is_generalized(self, data: &[u8]) -> bool {
        self.run(IsValid::<_, true>(data, Generalized))
    }

    /// Measures `data`; `None` if it is not UTF-8.
    pub fn measure(self, data: &[u8]) -> Option<Measure> {
        Some(Measure::of(data, self.run(CountsIfValid::<true>(data))?))
    }

    /// Measures `data` that is known to be valid.
    pub fn measure_valid(self, data: &[u8]) -> Measure {
        Measure::of(data, self.run(CountsOf(data)))
    }

    pub fn is_ascii(self, data: &[u8]) -> bool {
        self.run(Ascii(data))
    }
}
