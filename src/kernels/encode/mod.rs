//! Encoding: the code units of another encoding form to UTF-8.
//!
//! Surrogates are found in the same pass. Whatever the units are, nothing is written outside the output, and as many
//! bytes are written as reported.

pub(super) mod blocks;
#[cfg(target_arch = "x86_64")]
pub(super) mod compress;
pub(crate) mod encoder;
mod kernels;
pub(crate) mod length;
pub(super) mod scalar;
pub(super) mod shuffle;
pub(crate) mod single_byte;
pub(crate) mod unit;
// Only the bindings replace surrogates.
#[cfg_attr(not(feature = "bindings"), allow(dead_code))]
pub(crate) mod with_surrogates;

pub use encoder::Encoded;
pub(crate) use encoder::MAX_FEW_UNITS;
pub use kernels::*;
use length::{Length, LengthWithLongNulls, ScalarUpTo, Within};
pub(crate) use unit::is_high_surrogate;
pub use unit::pair;

use core::ops::RangeInclusive;

use crate::simd::dispatch::Implementation;
use crate::simd::uninit::MaybeUninit;

/// The numbers of units that are not measured first without vectors: fewer take less time, more take much memory that
/// their UTF-8 does not need.
const UNMEASURED_UNITS: RangeInclusive<usize> = 512..=16 << 20;
/// With vectors, the most bytes that are allocated without measuring. For more, most allocators take fresh pages from
/// the system at each call (glibc from 128 KiB on), which takes longer than measuring.
const MAX_UNMEASURED_BYTES: usize = 120 << 10;

impl Implementation {
    /// Returns the number of bytes that [`encode`](Self::encode) writes for `units`.
    #[doc(hidden)]
    #[inline]
    pub fn utf8_length<U: Source>(self, units: &[U]) -> usize {
        match units.len() {
            ..=length::MAX_FEW_UNITS => self.run(Length::<_, false>(units)),
            _ => self.run(Length::<_, true>(units)),
        }
    }

    /// Returns the number of bytes that `units` take in UTF-8 with two bytes for U+0000.
    #[inline]
    pub(crate) fn utf8_length_with_long_nulls<U: Source>(self, units: &[U]) -> usize {
        self.run(LengthWithLongNulls(units))
    }

    /// Returns the most bytes that a number of units takes, if it is best not to measure them before they are encoded.
    #[doc(hidden)]
    #[inline]
    pub fn unmeasured_capacity<U: Source>(self, units: usize) -> Option<usize> {
        let capacity = units.checked_mul(U::MAX_BYTES)?;
        let is_better = match self.has_vectors() {
            true => capacity <= MAX_UNMEASURED_BYTES,
            false => UNMEASURED_UNITS.contains(&units),
        };
        is_better.then_some(capacity)
    }

    /// Encodes `units` into `out`, which has at least their length in UTF-8.
    #[doc(hidden)]
    #[inline]
    pub fn encode<U: Source>(self, units: &[U], out: &mut [MaybeUninit<u8>]) -> Encoded {
        match units.len() {
            ..=MAX_FEW_UNITS => self.run(Encode::<_, false> { units, out }),
            _ => self.run(Encode::<_, true> { units, out }),
        }
    }

    /// Returns the number of units from `FIRST` to `LAST`.
    #[inline]
    pub(crate) fn count_within<U: Source, const FIRST: u32, const LAST: u32>(self, units: &[U]) -> usize {
        self.run(Within::<_, FIRST, LAST>(units))
    }

    /// Returns the number of units before the first that is not a scalar value or part of one.
    #[doc(hidden)]
    #[inline]
    pub fn scalar_up_to<U: Source>(self, units: &[U]) -> usize {
        self.run(ScalarUpTo(units))
    }
}
