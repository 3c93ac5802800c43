//! Decoding: UTF-8 to the code units of another encoding form.
//!
//! The data is assumed to be valid, but memory safety never depends on it. Whatever the data is, nothing is written
//! outside the output, and as many units are written as reported.

pub(crate) mod decoder;
mod kernels;
#[cfg_attr(not(feature = "bindings"), allow(dead_code))]
#[doc(hidden)]
pub mod one_pass;
pub(super) mod plane_decoder;
mod planes;
pub(super) mod scalar;
pub(crate) mod single_byte;
mod with_errors;

pub use decoder::ErrorUnits;
#[cfg(feature = "arrow")]
pub(crate) use decoder::escape;
pub use kernels::*;
#[cfg(feature = "arrow")]
pub(crate) use scalar::first;
pub(crate) use scalar::one_by_one_with_errors;

use crate::simd::dispatch::Implementation;
use crate::simd::uninit::MaybeUninit;

impl Implementation {
    /// Decodes `data`, which must be valid, into `out`, which has just its length. Returns the number of units written
    /// at the start of `out`, whatever the data is.
    #[doc(hidden)]
    #[inline]
    pub fn fill<U: CodeUnit>(self, data: &[u8], out: &mut [MaybeUninit<U>]) -> usize {
        self.run(Decode::<U, true> { data, out })
    }
}
