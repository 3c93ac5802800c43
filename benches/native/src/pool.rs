//! The inputs: many different slices of a text, so that no predictor learns them.

use core::ops::Range;

/// The size of all slices together, which are then read from L2 or L3. Less would fit into L2 as a whole, but the
/// branch predictor of a Zen 4 learns 512 KiB of text: simdutf appears three times as fast.
const TOTAL_BYTES: usize = 4 << 20;
/// The minimum and the maximum number of slices.
const SLICES: (usize, usize) = (2, 16_384);
/// The number of slices of a few bytes: the keys and words of a program are in the first-level or second-level cache.
const SHORT_SLICES: usize = 4096;
/// The errors of dirty slices: a byte that is never valid, a continuation without a start,
/// the start of an overlong form and a truncated sequence.
const ERRORS: [&[u8]; 4] = [b"\xFF", b"\x80", b"\xC1", b"\xE2\x82"];

/// How a text becomes slices. All are cut between characters, so lengths are those at most.
#[derive(Clone, Copy)]
pub enum Shape {
    /// Slices of this many bytes from random places.
    Slices(usize),
    /// One slice of this many bytes, always from the cache: for functions that do not branch on it.
    One(usize),
    /// `SHORT_SLICES` slices, each of a random length from the first to the second.
    Short(usize, usize),
    /// Slices of `bytes` bytes, and in each an error after every `gap` bytes.
    Dirty { bytes: usize, gap: usize },
    /// The whole text, repeated to this many bytes.
    Whole(usize),
}

/// Slices of one text in one buffer, in the order in which they are walked.
pub struct Pool<U = u8> {
    buffer: Vec<U>,
    ranges: Vec<Range<usize>>,
    /// The bytes, or other units, to look at in one walk.
    pub bytes: usize,
    /// The answers to get in one walk.
    pub calls: usize,
}

impl<U> Default for Pool<U> {
    fn default() -> Self {
        Self { buffer: vec![], ranges: vec![], bytes: 0, calls: 0 }
    }
}

impl Pool {
    /// `text` in that shape, repeated as often as it takes; the same one every time.
    pub fn new(text: &[u8], shape: Shape) -> Self {
        let slices = |bytes: usize| (TOTAL_BYTES / bytes).clamp(SLICES.0, SLICES.1);
        match shape {
            Shape::Slices(bytes) => Self::cut(text, slices(bytes), (bytes, bytes)),
            Shape::One(bytes) => Self::cut(text, 1, (bytes, bytes)),
            Shape::Short(least, most) => Self::cut(text, SHORT_SLICES, (least, most)),
            Shape::Dirty { bytes, gap } => Self::broken(text, slices(bytes).max(ERRORS.len()), bytes, gap),
            Shape::Whole(bytes) => {
                let mut pool = Self::default();
                pool.slice(|buffer| *buffer = text.repeat(bytes / text.len()));
                pool
            }
        }
    }

    /// Slices from random places.
    fn cut(text: &[u8], slices: usize, (least, most): (usize, usize)) -> Self {
        let mut pool = Self::default();
        let mut random = Random(text.len() as u64);
        for _ in 0..slices {
            let from = floor(text, random.below(text.len()));
            let bytes = least + random.below(most - least + 1);
            pool.slice(|buffer| {
                append(buffer, text, from, bytes);
            });
        }
        pool
    }

    /// Slices from random places with an error, each of another kind, after every `gap` bytes.
    fn broken(text: &[u8], slices: usize, bytes: usize, gap: usize) -> Self {
        let mut pool = Self::default();
        let mut random = Random(text.len() as u64);
        for slice in 0..slices {
            let mut from = floor(text, random.below(text.len()));
            pool.slice(|buffer| {
                for run in 0..bytes / gap {
                    from = append(buffer, text, from, gap);
                    buffer.extend(ERRORS[(slice + run) % ERRORS.len()]);
                }
            });
        }
        pool
    }
}

impl<U> Pool<U> {
    /// Returns a pool of what `change` makes of each slice.
    pub fn map<V>(&self, change: impl Fn(&[U]) -> Vec<V>) -> Pool<V> {
        let mut pool = Pool::default();
        for slice in self.slices() {
            pool.slice(|buffer| buffer.extend(change(slice)));
        }
        pool
    }

    /// Adds the slice that `write` appends to the buffer.
    fn slice(&mut self, write: impl FnOnce(&mut Vec<U>)) {
        let start = self.buffer.len();
        write(&mut self.buffer);
        self.ranges.push(start..self.buffer.len());
        self.bytes = self.buffer.len();
        self.calls = self.ranges.len();
    }

    pub fn slices(&self) -> impl Iterator<Item = &[U]> {
        self.ranges.iter().map(|range| &self.buffer[range.clone()])
    }
}

/// Appends whole characters of `text` from `from` on, `bytes` bytes at most; returns the offset of their end in `text`.
fn append(buffer: &mut Vec<u8>, text: &[u8], from: usize, bytes: usize) -> usize {
    let start = buffer.len();
    buffer.extend(text[from..].iter().chain(text.iter().cycle()).take(bytes + 1));
    let end = floor(buffer, start + bytes).max(start);
    buffer.truncate(end);
    (from + end - start) % text.len()
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
