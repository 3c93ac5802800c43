//! The interface of an algorithm that finds candidates, and the sizes that it works on.

use super::patterns::{BLOCK_BYTES, PatternSet, WINDOW_BYTES};

/// Finds candidates in a block.
pub trait CandidateFinder<I> {
    /// Returns a bit for each byte of the block that a candidate may start at; the lowest bit is for
    /// the first byte.
    fn find<P: PatternSet>(isa: I, window: &[u8; WINDOW_BYTES]) -> u64;

    /// Returns whether the bytes of a group may have candidates.
    fn has_candidates<P: PatternSet>(isa: I, window: &[u8; GROUP_WINDOW_BYTES]) -> bool;

    /// Returns whether the bytes of a group are ASCII.
    fn is_ascii(isa: I, group: &[u8; GROUP_BYTES]) -> bool;

    /// Returns whether the bytes of a group are plain: ASCII, and no controls but tabs and line feeds.
    fn is_plain(isa: I, group: &[u8; GROUP_BYTES]) -> bool;
}

/// The number of blocks, and of bytes, in a group.
pub(super) const GROUP_BLOCKS: usize = 4;
pub const GROUP_BYTES: usize = GROUP_BLOCKS * BLOCK_BYTES;
/// Bytes in a group with those after it that its bits depend on.
pub const GROUP_WINDOW_BYTES: usize = GROUP_BYTES + WINDOW_BYTES - BLOCK_BYTES;
