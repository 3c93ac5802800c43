//! The table of algorithms, and how kernels are run.

use super::decode::planes::PlaneDecoder;
use super::decode::single_byte::SingleByteDecoder;
use super::decode::{Decoder, ScalarDecoder};
use super::encode::Encoder;
use super::encode::blocks::BlockEncoder;
#[cfg(target_arch = "x86_64")]
use super::encode::compress::CompressWriters;
use super::encode::scalar::ScalarEncoder;
use super::encode::shuffle::ShuffleWriters;
use super::encode::single_byte::SingleByteEncoder;
use super::encode::with_surrogates::SurrogateDropper;
use super::errors::SequenceFinder;
use super::errors::scalar::Arithmetic;
use super::errors::vectors::Vectors;
use super::validate::Validator;
use super::validate::automaton::Automaton;
use super::validate::blocks::BlockValidator;
#[cfg(target_arch = "x86_64")]
use super::validate::byte_table::ByteTableCheckers;
use super::validate::nibbles::NibbleCheckers;
#[cfg(target_arch = "aarch64")]
use crate::simd::Neon;
use crate::simd::dispatch::{Implementation, with_token};
#[cfg(target_arch = "x86_64")]
use crate::simd::{Avx2, Avx512, Sse42};
use crate::simd::{Isa, Masks, Scalar, Utf16, Work};

/// An instruction set with the algorithms that are fastest on it.
pub(crate) trait Backend: Masks {
    /// Validates, and counts while validating.
    type Validator: Validator<Self>;

    /// Decodes UTF-8.
    type Decoder: Decoder<Self, u8> + Decoder<Self, u16> + Decoder<Self, u32> + SingleByteDecoder<Self>;

    /// Finds the sequences of data with errors.
    type SequenceFinder: SequenceFinder<Self>;

    /// Encodes to UTF-8.
    type Encoder: Encoder<Self, u8>
        + Encoder<Self, u16>
        + Encoder<Self, Utf16>
        + Encoder<Self, u32>
        + SingleByteEncoder<Self>
        + SurrogateDropper<Self>;
}

impl Backend for Scalar {
    type Validator = Automaton;
    type Decoder = ScalarDecoder;
    type SequenceFinder = Arithmetic;
    type Encoder = ScalarEncoder;
}

#[cfg(target_arch = "x86_64")]
impl Backend for Sse42 {
    type Validator = BlockValidator<NibbleCheckers>;
    type Decoder = PlaneDecoder<16, 19, 64, 67>;
    type SequenceFinder = Vectors;
    type Encoder = BlockEncoder<ShuffleWriters>;
}

#[cfg(target_arch = "x86_64")]
impl Backend for Avx2 {
    type Validator = BlockValidator<NibbleCheckers>;
    type Decoder = PlaneDecoder<32, 35, 128, 131>;
    type SequenceFinder = Vectors;
    type Encoder = BlockEncoder<ShuffleWriters>;
}

#[cfg(target_arch = "x86_64")]
impl Backend for Avx512 {
    type Validator = BlockValidator<ByteTableCheckers>;
    type Decoder = PlaneDecoder<64, 67, 128, 131>;
    type SequenceFinder = Vectors;
    type Encoder = BlockEncoder<CompressWriters>;
}

#[cfg(target_arch = "aarch64")]
impl Backend for Neon {
    type Validator = BlockValidator<NibbleCheckers>;
    type Decoder = PlaneDecoder<16, 19, 64, 67>;
    type SequenceFinder = Vectors;
    type Encoder = BlockEncoder<ShuffleWriters>;
}

/// Work that can run on any instruction set.
pub(crate) trait Kernel {
    /// Its result.
    type Output;

    /// The kind of work.
    const TASK: Task;

    /// Does the work. Must be `#[inline(always)]`, like all that it calls, to be compiled for `isa`.
    fn run<I: Backend>(self, isa: I) -> Self::Output;
}

/// Kinds of work.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    /// Work that an instruction set does itself.
    General,
    /// Work of comparisons and additions, which an instruction set leaves to its [`Isa::Counter`].
    Count,
}

impl<I: Backend, K: Kernel> Work<I> for K {
    type Output = K::Output;

    #[inline(always)]
    fn run(self, isa: I) -> K::Output {
        Kernel::run(self, isa)
    }
}

impl Implementation {
    /// Runs `kernel` on this instruction set, or on that which counts for it.
    #[inline]
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        with_token!(isa of self => match K::TASK {
            Task::General => isa.call(kernel),
            Task::Count => isa.counter().call(kernel),
        })
    }
}

/// Runs `kernel` on the active implementation, by the shortest path, for kernels that take a few nanoseconds.
#[inline]
pub(crate) fn run<K: Kernel>(kernel: K) -> K::Output {
    match Implementation::chosen() {
        Some(active) => active.run(kernel),
        None => choose_and_run(kernel),
    }
}

/// Chooses an implementation and runs `kernel` on it. Not inlined, so that the usual path saves no registers for it.
#[cold]
#[inline(never)]
fn choose_and_run<K: Kernel>(kernel: K) -> K::Output {
    Implementation::active().run(kernel)
}

/// Runs a kernel from within another, but compiled separately, so that a short path does not set up what a longer one
/// needs. (`inline(never)` on the trampolines does not keep them apart with rustc 1.95.)
#[inline(never)]
pub(super) fn run_separately<I: Backend, K: Kernel>(isa: I, kernel: K) -> K::Output {
    isa.call(kernel)
}
