//! The interface of an algorithm that finds candidates, and the sizes that it works on.

use super::patterns::{BLOCK_BYTES, PatternSet, WINDOW_BYTES};

/// Finds candidates.
pub trait CandidateFinder<I> {
    /// Returns a bit for each byte of the block that a candidate may start at; the lowest bit is for
    /// the first byte.
    fn find<P: PatternSet>(isa: I, window: &[u8; WINDOW_BYTES]) -> u64;

    /// Returns a bit for each block of the group that may have candidates, the lowest for the first. It takes less
    /// time than to find these, and has more blocks.
    fn suspects<P: PatternSet>(isa: I, window: &[u8; GROUP_WINDOW_BYTES]) -> u64;

    /// Returns whether some blocks are plain: ASCII, and no controls but tabs and line feeds.
    fn is_plain<const N: usize>(isa: I, blocks: &[u8; N]) -> bool;
}

/// The number of blocks, and of bytes, in a group.
pub(super) const GROUP_BLOCKS: usize = 4;
pub const GROUP_BYTES: usize = GROUP_BLOCKS * BLOCK_BYTES;
/// Bytes in a group with those after it that its bits depend on.
pub const GROUP_WINDOW_BYTES: usize = GROUP_BYTES + WINDOW_BYTES - BLOCK_BYTES;
/// A bit for each block of a group.
pub(super) const ALL_BLOCKS: u64 = (1 << GROUP_BLOCKS) - 1;
