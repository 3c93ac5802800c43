//! The sequences of a block, as masks, and what an algorithm that finds them offers.

use crate::simd::ByteClasses;

/// Bytes in a block: a bit for each in a word.
pub(crate) const BLOCK_BYTES: usize = 64;
/// Bytes after a byte that its bits depend on.
pub(super) const LOOKAHEAD_BYTES: usize = 3;
/// Bytes in a block with those after it.
pub(super) const WINDOW_BYTES: usize = BLOCK_BYTES + LOOKAHEAD_BYTES;

// The bits of lead bytes and of their second bytes, by the range of the second bytes: any, or some sixteenths.
/// D0 to DF and any continuation byte.
const ANY: u8 = 1 << 0;
/// C2 to CF, E2 to EF and 80 to 9F.
const BELOW_A0: u8 = 1 << 1;
/// C2 to CF and A0 to BF.
const FROM_A0: u8 = 1 << 2;
/// E0 to EF except ED, and A0 to BF.
const FROM_A0_OF_THREE: u8 = 1 << 3;
/// E1 and 80 to 9F.
const BELOW_A0_OF_E1: u8 = 1 << 4;
/// F0 to F3 and 90 to BF.
const FROM_90: u8 = 1 << 5;
/// F1 to F4 and 80 to 8F.
const BELOW_90: u8 = 1 << 6;

/// The bits of lead bytes.
pub(super) const LEADS: ByteClasses = {
    let mut high = [0; 16];
    high[0xC] = BELOW_A0 | FROM_A0;
    high[0xD] = ANY;
    high[0xE] = BELOW_A0 | FROM_A0_OF_THREE | BELOW_A0_OF_E1;
    high[0xF] = FROM_90 | BELOW_90;
    let mut low = [ANY | BELOW_A0 | FROM_A0 | FROM_A0_OF_THREE; 16];
    low[0x0] = ANY | FROM_A0_OF_THREE | FROM_90;
    low[0x1] = ANY | FROM_A0_OF_THREE | BELOW_A0_OF_E1 | FROM_90 | BELOW_90;
    low[0x2] |= FROM_90 | BELOW_90;
    low[0x3] |= FROM_90 | BELOW_90;
    low[0x4] |= BELOW_90;
    low[0xD] = ANY | BELOW_A0 | FROM_A0;
    ByteClasses::by_nibbles(high, Some(low))
};

/// The bits of second bytes.
pub(super) const SECONDS: ByteClasses = {
    let mut high = [0; 16];
    high[0x8] = ANY | BELOW_A0 | BELOW_A0_OF_E1 | BELOW_90;
    high[0x9] = ANY | BELOW_A0 | BELOW_A0_OF_E1 | FROM_90;
    high[0xA] = ANY | FROM_A0 | FROM_A0_OF_THREE | FROM_90;
    high[0xB] = high[0xA];
    ByteClasses::by_nibbles(high, None)
};

/// The sequences that start at some bytes; a bit for each byte, the lowest for the first.
#[derive(Clone, Copy, Default)]
pub struct Sequences {
    /// A second byte follows.
    pub second: u64,
    /// A third byte follows, too.
    pub third: u64,
    /// A fourth byte follows, too.
    pub fourth: u64,
    /// All bytes that are announced follow.
    pub well_formed: u64,
    /// A second byte follows, and the character is above U+00FF if it is well-formed.
    pub beyond_latin1: u64,
}

impl Sequences {
    /// Adds the sequences that start at bytes from the offset `at` on.
    #[inline(always)]
    pub(super) fn add(&mut self, more: Self, at: usize) {
        self.second |= more.second << at;
        self.third |= more.third << at;
        self.fourth |= more.fourth << at;
        self.well_formed |= more.well_formed << at;
        self.beyond_latin1 |= more.beyond_latin1 << at;
    }

    /// Returns the bytes where an error starts. Sets `consumed`, the bytes at the start of the block that belong to a
    /// sequence before it, to those at the start of the next block.
    #[inline(always)]
    pub fn errors(&self, consumed: &mut u64) -> u64 {
        let Self { second, third, fourth, well_formed, .. } = *self;
        let starts = !(second << 1 | third << 2 | fourth << 3 | *consumed);
        *consumed = second >> (BLOCK_BYTES - 1) | third >> (BLOCK_BYTES - 2) | fourth >> (BLOCK_BYTES - 3);
        starts & !well_formed
    }

    /// Returns the sequences of well-formed characters only, so that errors consume no bytes.
    #[inline(always)]
    pub(super) fn without_errors(self) -> Self {
        let Self { second, third, well_formed, beyond_latin1, .. } = self;
        Self {
            second: second & well_formed,
            third: third & well_formed,
            beyond_latin1: beyond_latin1 & well_formed,
            ..self
        }
    }
}

/// An algorithm that finds sequences.
pub trait SequenceFinder<I> {
    /// Returns the sequences that start in a block, given the bytes after it, too.
    fn find(isa: I, window: &[u8; WINDOW_BYTES]) -> Sequences;
}

/// Where errors start: a bit for each byte of some data, by blocks, and the offset of its first byte in them.
#[derive(Clone, Copy)]
pub struct ErrorStarts<'a> {
    pub blocks: &'a [u64],
    pub offset: usize,
}

impl ErrorStarts<'_> {
    /// Returns a bit for each of the 64 bytes from the offset `at` on where an error starts.
    #[inline(always)]
    pub(crate) fn block(&self, at: usize) -> u64 {
        let at = self.offset + at;
        let word = |index| self.blocks.get(index).copied().unwrap_or_default();
        let (index, shift) = (at / BLOCK_BYTES, at % BLOCK_BYTES);
        word(index) >> shift | word(index + 1) << 1 << (BLOCK_BYTES - 1 - shift)
    }

    /// Iterates over the blocks of the first `length` bytes: the offset, and a bit for each byte where an error starts.
    #[inline(always)]
    pub(crate) fn by_block(self, length: usize) -> impl Iterator<Item = (usize, u64)> {
        let bits = move |at| self.block(at) & u64::MAX >> BLOCK_BYTES.saturating_sub(length - at);
        (0..length).step_by(BLOCK_BYTES).map(move |at| (at, bits(at)))
    }

    /// Returns the sequences of the data from the offset `at` on.
    #[inline(always)]
    pub(crate) fn after(self, at: usize) -> Self {
        Self { offset: self.offset + at, ..self }
    }
}
