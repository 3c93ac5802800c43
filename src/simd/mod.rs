//! Instruction sets: the vector operations that kernels may use, and the choice among them.
//!
//! Each instruction set is a *token*: a type whose only constructor is the check that the CPU has
//! it. So a kernel that holds a token may call its operations, all of them safe. Kernels are generic
//! over [`Isa`] and `#[inline(always)]` throughout; [`Isa::call`] is the trampoline that compiles
//! one with the instruction set switched on.
//!
//! To add an instruction set: one file here, one row in [`dispatch`].

#[cfg(target_arch = "x86_64")]
mod avx2;
pub(crate) mod dispatch;
mod scalar;

pub(crate) use scalar::Scalar;

use crate::kernels::{Findings, Kernel};

/// An instruction set: a vector of bytes and what can be done with it.
pub(crate) trait Isa: Copy {
    /// Some bytes, handled at once.
    type Vector: Copy;

    /// How many bytes a vector holds: a power of two, at most 64.
    const WIDTH: usize;

    /// Runs `kernel` compiled for this instruction set.
    fn call<K: Kernel>(self, kernel: K) -> K::Output;

    /// Validates with the algorithm that suits this instruction set best.
    fn validate<const MEASURE: bool>(self, data: &[u8]) -> Findings;

    /// The vector at `bytes[at..]`. Panics if it would reach past the end; with a constant `at` the
    /// check is made by the compiler.
    fn load<const N: usize>(self, bytes: &[u8; N], at: usize) -> Self::Vector;

    /// `byte` in every lane.
    fn splat(self, byte: u8) -> Self::Vector;

    /// Bitwise or.
    fn or(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// The larger of each two lanes.
    fn max(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// `a - b` in each lane, 0 where `b` is larger.
    fn saturating_sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Whether any lane is 0x80 or more.
    fn any_non_ascii(self, v: Self::Vector) -> bool;

    /// Adds 1 to each lane of `tally` whose lane in `v` is a continuation byte. Lanes wrap at 256.
    fn tally_continuations(self, tally: Self::Vector, v: Self::Vector) -> Self::Vector;

    /// Adds 1 to each lane of `tally` where `v` equals `byte`.
    fn tally_equal(self, tally: Self::Vector, v: Self::Vector, byte: Self::Vector) -> Self::Vector;

    /// Adds 1 to each lane of `tally` where `v` is at least `bound`, which must be 0x80 or more.
    fn tally_at_least(self, tally: Self::Vector, v: Self::Vector, bound: Self::Vector) -> Self::Vector;

    /// The sum of all lanes.
    fn sum(self, v: Self::Vector) -> usize;

    /// The largest lane.
    fn largest(self, v: Self::Vector) -> u8;
}

/// Instruction sets that can look sixteen-entry tables up lane by lane.
pub(crate) trait Lookup: Isa {
    /// A table for [`lookup`](Self::lookup).
    fn table(self, entries: &[u8; 16]) -> Self::Vector;

    /// `table[index]` in each lane; `index` below 16.
    fn lookup(self, table: Self::Vector, index: Self::Vector) -> Self::Vector;

    /// The high four bits of each lane.
    fn high_nibbles(self, v: Self::Vector) -> Self::Vector;

    /// Bitwise and.
    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Bitwise exclusive or.
    fn xor(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Whether any bit is set.
    fn any(self, v: Self::Vector) -> bool;
}
