//! An observer of a validating pass, which sees the bytes while they are in the first-level cache.

use crate::simd::Isa;

/// An observer of a validating pass.
pub trait Observer<I: Isa> {
    /// Returns whether a block is ASCII that the observer need not see.
    fn is_plain<const N: usize>(isa: I, block: &[u8; N]) -> bool;

    /// Sees the bytes from `start` to `end`, which are valid but for a sequence that may be truncated at the end. Those
    /// after them are not yet checked.
    fn see(&mut self, isa: I, data: &[u8], start: usize, end: usize);

    /// Sees groups of `GROUP` bytes, of which the first is at `start`, that have a bit in `groups`, the lowest for the
    /// first.
    fn see_groups<const GROUP: usize>(&mut self, isa: I, data: &[u8], start: usize, groups: u64);

    /// Returns whether it has seen enough: the pass ends after the stretch. Where that is in the first 64 bytes, it
    /// sees more.
    fn has_enough(&self) -> bool;

    /// Returns what the pass kept that ended where this one starts.
    fn state(&self) -> PassState;

    /// Keeps a state for the pass that continues where this one ends.
    fn keep(&mut self, state: PassState);
}

/// What a pass knows of the text before it.
#[derive(Clone, Copy, Debug, Default)]
pub struct PassState {
    /// The length of stretches without a survey of ASCII; 0 if the text was not dense.
    pub(super) dense_bytes: usize,
    /// The number of bytes since the last error, by passes one after another.
    pub(super) passed: usize,
}

/// No observer.
pub(super) struct Unobserved;

impl<I: Isa> Observer<I> for Unobserved {
    #[inline(always)]
    fn is_plain<const N: usize>(isa: I, block: &[u8; N]) -> bool {
        isa.is_ascii(block)
    }

    #[inline(always)]
    fn see(&mut self, _: I, _: &[u8], _: usize, _: usize) {}

    #[inline(always)]
    fn see_groups<const GROUP: usize>(&mut self, _: I, _: &[u8], _: usize, _: u64) {}

    #[inline(always)]
    fn has_enough(&self) -> bool {
        false
    }

    #[inline(always)]
    fn state(&self) -> PassState {
        PassState::default()
    }

    #[inline(always)]
    fn keep(&mut self, _: PassState) {}
}
