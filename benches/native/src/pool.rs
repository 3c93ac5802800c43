//! The inputs: many different slices of a text, so that no predictor learns them.

use core::ops::Range;

/// All slices together. They come from L2 or L3, then. Less would fit into L2 as a whole, but a Zen 4
/// learns the branches of 512 KiB of text by heart: simdutf seems three times as fast then.
const TOTAL: usize = 4 << 20;
/// At least and at most so many slices; so many are enough of small ones.
const SLICES: (usize, usize) = (2, 16_384);

/// Slices of one text in one buffer, in the order in which they are walked.
pub struct Pool {
    buffer: Vec<u8>,
    ranges: Vec<Range<usize>>,
}

impl Pool {
    /// Slices of about `size` bytes, cut between characters at random places of `text`, which is
    /// repeated as often as it takes; with `spoiled` the last byte of each is FF, never valid.
    pub fn new(text: &[u8], size: usize, spoiled: bool) -> Self {
        let slices = (TOTAL / size).clamp(SLICES.0, SLICES.1);
        let mut buffer = Vec::with_capacity(slices * size);
        let mut ranges = Vec::with_capacity(slices);
        let mut random = Random(text.len() as u64);
        for _ in 0..slices {
            let start = buffer.len();
            let from = floor(text, random.below(text.len()));
            buffer.extend(text[from..].iter().chain(text.iter().cycle()).take(size + 1));
            let end = floor(&buffer, start + size);
            buffer.truncate(end);
            if spoiled {
                buffer[end - 1] = 0xFF;
            }
            ranges.push(start..end);
        }
        Self { buffer, ranges }
    }

    pub fn slices(&self) -> impl Iterator<Item = &[u8]> {
        self.ranges.iter().map(|range| &self.buffer[range.clone()])
    }

    /// The bytes of all slices together.
    pub fn bytes(&self) -> usize {
        self.buffer.len()
    }
}

/// The start of the character that the byte at `index` belongs to.
fn floor(text: &[u8], index: usize) -> usize {
    (0..=index).rev().find(|&index| text[index] & 0xC0 != 0x80).unwrap_or(0)
}

/// SplitMix64: the same numbers every time.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) as usize % bound
    }
}
