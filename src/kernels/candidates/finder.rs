//! The interface of an algorithm that finds candidates, and the sizes that it works on.

use core::ops::Range;

use super::patterns::Patterns;

/// Bytes in a block: a bit for each in a word.
pub const BLOCK_BYTES: usize = 64;
/// Bytes after a block, or after a run of blocks, that its bits depend on.
pub const LOOKAHEAD_BYTES: usize = 2;
/// Bytes in a block with those after it.
pub const WINDOW_BYTES: usize = BLOCK_BYTES + LOOKAHEAD_BYTES;

/// Finds candidates.
pub trait CandidateFinder<I> {
    /// Returns a bit for each byte of the block that a candidate may start at; the lowest bit is for
    /// the first byte.
    fn find(isa: I, patterns: &Patterns, window: &[u8; WINDOW_BYTES]) -> u64;

    /// Returns the numbers of the first blocks of a run that may have candidates, at least one; those after them are
    /// not looked at. If no block has candidates, the result is empty, at the end. The run has [`LOOKAHEAD_BYTES`]
    /// after it. It takes less time than to find the candidates.
    fn suspects(isa: I, patterns: &Patterns, run: &[u8]) -> Range<usize>;

    /// Returns whether some blocks are plain: ASCII, and no controls but tabs and line feeds.
    fn is_plain<const N: usize>(isa: I, blocks: &[u8; N]) -> bool;
}
