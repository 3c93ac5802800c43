//! The algorithms, each written once over the operations of [`Isa`](crate::simd::Isa). No intrinsics and no `unsafe`
//! here.
//!
//! A function of the crate is a [`Kernel`]. [`backend`] names the algorithm of each instruction set for it.

mod backend;
#[cfg(feature = "unicode")]
pub(crate) mod casefold;
pub(crate) mod count;
pub(crate) mod decode;
pub(crate) mod encode;
pub(crate) mod errors;
#[cfg(feature = "python")]
pub(crate) mod marks;
pub(crate) mod offsets;
#[cfg(feature = "detect")]
pub(crate) mod order;
#[cfg(feature = "unicode")]
pub(crate) mod ranges;
#[cfg(feature = "arrow")]
pub(crate) mod ranks;
pub(crate) mod single_byte;
pub(crate) mod validate;
#[cfg(feature = "arrow")]
pub(crate) mod views;
#[cfg(feature = "unicode")]
pub(crate) mod window;

pub(crate) use backend::run;
use backend::{Backend, Kernel, Task, run_separately};

/// The lowest lead byte of a three-byte sequence.
const THREE_BYTE_LEAD: u8 = 0xE0;
/// The lowest lead byte of a four-byte sequence.
const FOUR_BYTE_LEAD: u8 = 0xF0;
