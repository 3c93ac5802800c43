//! The kernels of the crate, and how they are run.

#[cfg(feature = "unicode")]
use super::candidates::finder::CandidateFinder;
use super::decode::decoder::{Decoder, SingleByteDecoder};
use super::encode::encoder::{Encoder, SingleByteEncoder, SurrogateDropper};
use super::errors::sequences::SequenceFinder;
use super::validate::validator::Validator;
use crate::simd::dispatch::{Implementation, with_token};
use crate::simd::{Isa, Masks, Utf16, Work};

/// An instruction set with the algorithms that are fastest on it.
pub trait Backend: Masks {
    /// Validates, and counts while validating.
    type Validator: Validator<Self>;

    /// Decodes UTF-8.
    type Decoder: Decoder<Self, u8> + Decoder<Self, u16> + Decoder<Self, u32> + SingleByteDecoder<Self>;

    /// Finds the sequences of data with errors.
    type SequenceFinder: SequenceFinder<Self>;

    /// Finds candidates for hidden characters.
    #[cfg(feature = "unicode")]
    type CandidateFinder: CandidateFinder<Self>;

    /// Encodes to UTF-8.
    type Encoder: Encoder<Self, u8>
        + Encoder<Self, u16>
        + Encoder<Self, Utf16>
        + Encoder<Self, u32>
        + SingleByteEncoder<Self>
        + SurrogateDropper<Self>;
}

/// Work that can run on any instruction set.
pub trait Kernel {
    /// Its result.
    type Output;

    /// The kind of work.
    const TASK: Task;

    /// Does the work. Must be `#[inline(always)]`, like all that it calls, to be compiled for `isa`.
    fn run<I: Backend>(self, isa: I) -> Self::Output;
}

/// Kinds of work.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Work that an instruction set does itself.
    General,
    /// Work of comparisons and additions, which an instruction set leaves to its [`Isa::Counter`].
    Count,
    /// Case folding, normalization, clusters, searches, audits and positions, which an instruction set leaves to its
    /// [`Isa::Further`].
    Further,
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
    #[doc(hidden)]
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        // Conditions that are known before code is generated: of a `match` all arms would be compiled.
        with_token!(isa of self => if const { matches!(K::TASK, Task::Count) } {
            isa.counter().call(kernel)
        } else if const { matches!(K::TASK, Task::Further) } {
            isa.further().call(kernel)
        } else {
            isa.call(kernel)
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
