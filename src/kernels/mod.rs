//! The algorithms, each written once over the operations of [`Isa`](crate::simd::Isa). No intrinsics and no `unsafe`
//! here.
//!
//! A function of the crate is a [`Kernel`](kernel::Kernel). [`backend`] names the algorithm of each instruction set for
//! it; no module imports it.

mod backend;
#[cfg(feature = "unicode")]
pub(crate) mod candidates;
#[cfg(feature = "unicode")]
pub(crate) mod casefold;
pub(crate) mod count;
pub mod counts;
pub(crate) mod decode;
pub(crate) mod encode;
pub mod errors;
#[cfg(feature = "bindings")]
pub(crate) mod json_escapes;
mod kernel;
#[cfg(feature = "bindings")]
pub(crate) mod marks;
pub(crate) mod offsets;
#[cfg(feature = "detect")]
pub(crate) mod order;
#[cfg(feature = "unicode")]
pub(crate) mod ranges;
#[cfg(feature = "arrow")]
pub(crate) mod ranks;
pub(crate) mod single_byte;
mod triples;
pub(crate) mod validate;
#[cfg(feature = "arrow")]
pub(crate) mod views;
#[cfg(feature = "unicode")]
pub(crate) mod window;

pub(crate) use kernel::run;
