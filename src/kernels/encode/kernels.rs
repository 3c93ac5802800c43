//! The kernels that encode.

use super::encoder::{Encoded, Encoder};
use super::unit::SourceUnit;
use crate::kernels::kernel::{Backend, Kernel, Task};
use crate::simd::Utf16;
use crate::simd::uninit::MaybeUninit;

/// A code unit to encode, with the instruction set's [`Encoder`].
pub trait Source: SourceUnit {
    /// Encodes with the instruction set's [`Encoder`].
    fn encode<I: Backend>(isa: I, units: &[Self], out: &mut [MaybeUninit<u8>]) -> Encoded;

    /// Encodes at most [`MAX_FEW_UNITS`](super::MAX_FEW_UNITS) units with the instruction set's [`Encoder`].
    fn encode_few<I: Backend>(isa: I, units: &[Self], out: &mut [MaybeUninit<u8>]) -> Encoded;

    /// Measures with the instruction set's [`Encoder`].
    fn length<I: Backend>(isa: I, units: &[Self]) -> usize;

    /// Measures at most [`MAX_FEW_UNITS`](super::length::MAX_FEW_UNITS) units with the instruction set's [`Encoder`].
    fn length_of_few<I: Backend>(isa: I, units: &[Self]) -> usize;
}

/// Forwards to the encoder of the instruction set.
macro_rules! forward_to_encoder {
    () => {
        #[inline(always)]
        fn encode<I: Backend>(isa: I, units: &[Self], out: &mut [MaybeUninit<u8>]) -> Encoded {
            I::Encoder::encode(isa, units, out)
        }

        #[inline(always)]
        fn encode_few<I: Backend>(isa: I, units: &[Self], out: &mut [MaybeUninit<u8>]) -> Encoded {
            I::Encoder::encode_few(isa, units, out)
        }

        #[inline(always)]
        fn length<I: Backend>(isa: I, units: &[Self]) -> usize {
            I::Encoder::length(isa, units)
        }

        #[inline(always)]
        fn length_of_few<I: Backend>(isa: I, units: &[Self]) -> usize {
            I::Encoder::length_of_few(isa, units)
        }
    };
}

impl Source for u8 {
    forward_to_encoder!();
}

impl Source for u16 {
    forward_to_encoder!();
}

impl Source for Utf16 {
    forward_to_encoder!();
}

impl Source for u32 {
    forward_to_encoder!();
}

/// Encodes `units` into `out`. There are at most [`MAX_FEW_UNITS`](super::MAX_FEW_UNITS) units, or any number.
pub(crate) struct Encode<'a, U, const ANY: bool> {
    pub units: &'a [U],
    pub out: &'a mut [MaybeUninit<u8>],
}

impl<U: Source, const ANY: bool> Kernel for Encode<'_, U, ANY> {
    type Output = Encoded;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> Encoded {
        if ANY { U::encode(isa, self.units, self.out) } else { U::encode_few(isa, self.units, self.out) }
    }
}
