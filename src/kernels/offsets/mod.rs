//! Offset maps: rank and select over the lead bytes, UTF-16 code units and line ends of a text.
//!
//! A character is counted at its lead byte, that is at every byte but 80 to BF. A lead byte from F0 on has two UTF-16
//! code units. A line end is marked at its last byte: LF, or CR that no LF follows. So an offset in one unit is the
//! number of *marks* before a byte (its rank), and the byte of an offset is the byte of a mark (select). In text that
//! is not valid each error is one character, as in what [`String::from_utf8_lossy`] returns: all bytes are then taken
//! from [`Text`] by the path for missing ones, which puts other bytes in the place of errors.
//!
//! 1. The index holds the number of marks before every *block* of 256 bytes, relative to its *super block* of 32 KiB,
//!    as 16 bits, and those before every super block; 2.5 % of the text for all three kinds. (Two levels as in Guy
//!    Jacobson, "Space-efficient static trees and graphs", 1989; the sizes as in Dong Zhou, David Andersen, Michael
//!    Kaminsky, "Space-efficient, high-performance rank and select structures on uncompressed bit sequences", 2013. The
//!    bits of marks are not stored: comparing the bytes of the text gives them.)
//! 2. Rank starts at the nearest edge of a block, forwards or backwards, and counts the marks of at most 128 bytes.
//! 3. Select finds the super block by samples of marks at equal distances, the block by comparing all its numbers, and
//!    the byte by masks: the number of marks in each 64 bytes, then the position of one bit by a deposit (`pdep`) where
//!    the CPU has it (Sebastiano Vigna, "Broadword implementation of rank/select queries", 2008, does so by
//!    arithmetic).
//! 4. In the usual case no branch depends on the text or on the index: one that is mispredicted while its data comes
//!    from memory ends the overlap with the next lookup (6 instead of 13 ns for a rank in 10 MB).
//! 5. Lines and columns are found in the 256 bytes next to the offset, or by the index in longer lines.
//! 6. Lookups of many offsets fetch from memory ahead, in stages.
//!
//! The text is not part of the index. If it is another one, shorter, or changes meanwhile, numbers are wrong, but no
//! access is: each block is taken from the text with a check, and bytes that are missing are not marks.

mod batch;
mod index;
mod lookup;
mod owned;
mod position;
mod text;

pub(crate) use batch::ConvertMany;
pub(crate) use index::{FillIndex, Index, SUPER_BYTES};
pub(crate) use lookup::{Convert, Ranks, Select};
pub(crate) use owned::{CountMarks, FindMark};
pub(crate) use position::{FindPosition, OffsetOf};
pub(crate) use text::Text;

use crate::sequence::FOUR_BYTE_LEAD;
use crate::simd::Masks;

/// The kind of marks: lead bytes.
pub(crate) const CHARS: usize = 0;
/// The kind of marks: UTF-16 code units.
pub(crate) const UTF16: usize = 1;
/// The kind of marks: line ends.
pub(crate) const LINES: usize = 2;
/// The number of kinds of marks that are indexed.
pub(crate) const KINDS: usize = 3;
/// The kind of marks: bytes, which need no index.
pub(crate) const BYTES: usize = 3;

/// The size of a chunk: as many bytes as a mask has bits.
const CHUNK_BYTES: usize = 64;
/// The size of a block: the distance in bytes of the numbers in the index.
const BLOCK_BYTES: usize = 256;
/// The number of chunks of a block.
const BLOCK_CHUNKS: usize = BLOCK_BYTES / CHUNK_BYTES;

/// A byte that is not a mark of any kind, in the place of one that is missing.
pub(crate) const ABSENT: u8 = 0x80;

/// Returns `N` chunks of the text from byte `at` on, if it is valid and has as many.
#[inline(always)]
fn chunks<const N: usize>(text: Text<'_>, at: usize) -> Option<&[[u8; CHUNK_BYTES]; N]> {
    text.valid.get(at..)?.as_chunks().0.first_chunk()
}

/// Returns `N` chunks of the text from byte `at` on, filled up with bytes that are not marks.
#[cold]
#[inline(never)]
fn partial_chunks<const N: usize>(text: Text<'_>, at: usize) -> [[u8; CHUNK_BYTES]; N] {
    let mut chunks = [[ABSENT; CHUNK_BYTES]; N];
    text.copy_to(at, chunks.as_flattened_mut());
    chunks
}

/// Returns the byte at `at`; one that is not a mark beyond the end.
#[inline(always)]
pub(crate) fn byte_at(text: Text<'_>, at: usize) -> u8 {
    match text.valid.get(at) {
        Some(&byte) => byte,
        None if text.is_valid() => ABSENT,
        None => other_byte(text, at),
    }
}

/// Returns the byte at `at` of text that is not valid.
#[cold]
#[inline(never)]
fn other_byte(text: Text<'_>, at: usize) -> u8 {
    let mut byte = [ABSENT];
    text.copy_to(at, &mut byte);
    byte[0]
}

/// Returns a bit for each of the first `count` bytes of a chunk; all bits from 64 on.
#[inline(always)]
fn first_bits(count: usize) -> u64 {
    if count < CHUNK_BYTES { (1 << count) - 1 } else { u64::MAX }
}

/// The marks of a chunk: a bit for each byte that is one.
#[derive(Clone, Copy, Default)]
struct ChunkMarks {
    /// Bytes that are a mark.
    once: u64,
    /// Bytes that are another one: lead bytes with two UTF-16 code units.
    again: u64,
}

impl ChunkMarks {
    /// Returns the marks at the given bytes.
    #[inline(always)]
    fn among(self, bytes: u64) -> Self {
        Self { once: self.once & bytes, again: self.again & bytes }
    }

    #[inline(always)]
    fn count(self) -> usize {
        (self.once.count_ones() + self.again.count_ones()) as usize
    }
}

/// The bytes that end lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineEnds {
    /// CR; or LF, where CR ends no line, so that it is compared with LF twice.
    carriage_return: u8,
}

impl LineEnds {
    /// LF, CR LF and CR.
    pub const UNIVERSAL: Self = Self { carriage_return: b'\r' };
    /// LF.
    pub const LF: Self = Self { carriage_return: b'\n' };

    /// Returns whether `byte` and `next` are a line end of two bytes.
    #[inline(always)]
    pub fn is_pair(self, byte: u8, next: u8) -> bool {
        self.is_carriage_return(byte) && next == b'\n'
    }

    /// Returns whether `byte` ends a line unless LF follows.
    #[inline(always)]
    pub fn is_carriage_return(self, byte: u8) -> bool {
        byte == b'\r' && self.carriage_return == b'\r'
    }

    /// Returns the bytes of a chunk that end a line by themselves or with others.
    #[inline(always)]
    fn within<I: Masks>(self, isa: I, chunk: &[u8; CHUNK_BYTES]) -> u64 {
        isa.equal_in(chunk, b'\n') | isa.equal_in(chunk, self.carriage_return)
    }

    /// Returns the last bytes of line ends in a chunk, given the byte after it.
    #[inline(always)]
    fn last_bytes<I: Masks>(self, isa: I, chunk: &[u8; CHUNK_BYTES], next: u8) -> u64 {
        let line_feeds = isa.equal_in(chunk, b'\n');
        let followed = line_feeds >> 1 | u64::from(next == b'\n') << 63;
        line_feeds | isa.equal_in(chunk, self.carriage_return) & !followed
    }
}

/// Returns the marks of a kind in chunk `index` of `chunks`, which the byte `next` follows.
#[inline(always)]
fn marks<I: Masks, const KIND: usize, const N: usize>(
    isa: I,
    line_ends: LineEnds,
    chunks: &[[u8; CHUNK_BYTES]; N],
    index: usize,
    next: u8,
) -> ChunkMarks {
    let chunk = &chunks[index];
    match KIND {
        CHARS => ChunkMarks { once: isa.leads(chunk), again: 0 },
        UTF16 => ChunkMarks { once: isa.leads(chunk), again: isa.at_least_in(chunk, FOUR_BYTE_LEAD) },
        LINES => {
            let next = chunks.get(index + 1).map_or(next, |following| following[0]);
            ChunkMarks { once: line_ends.last_bytes(isa, chunk, next), again: 0 }
        }
        _ => ChunkMarks { once: u64::MAX, again: 0 },
    }
}

/// The place of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MarkPlace {
    /// The offset in bytes.
    pub byte: usize,
    /// Whether it is the second mark of its byte: a low surrogate.
    pub second: bool,
}

/// Returns the place of mark `n`, from 0, in some chunks; `None` if there are fewer.
#[inline(always)]
fn nth_mark<I: Masks, const N: usize>(isa: I, chunks: [ChunkMarks; N], n: usize) -> Option<MarkPlace> {
    let (mut index, mut before, mut total) = (0, 0, 0);
    for chunk in chunks {
        total += chunk.count();
        index += usize::from(n >= total);
        before = if n >= total { total } else { before };
    }
    let place = nth_of_chunk(isa, *chunks.get(index)?, (n - before) as u32);
    Some(MarkPlace { byte: index * CHUNK_BYTES + place.byte, ..place })
}

/// Returns the place of mark `n` of a chunk that has more.
#[inline(always)]
fn nth_of_chunk<I: Masks>(isa: I, ChunkMarks { once, again }: ChunkMarks, n: u32) -> MarkPlace {
    // The second mark of a byte is put at the next one, a continuation byte in valid text.
    let seconds = again << 1;
    if seconds & once != 0 {
        return nth_by_one(once, again, n);
    }
    let all = once | seconds;
    if n >= all.count_ones() {
        return MarkPlace { byte: CHUNK_BYTES - 1, second: true };
    }
    let bit = isa.nth_bit(all, n);
    let second = seconds >> bit & 1;
    MarkPlace { byte: bit as usize - second as usize, second: second != 0 }
}

/// Returns the place of mark `n`, one byte after the other, for text that is not valid.
#[cold]
#[inline(never)]
fn nth_by_one(once: u64, again: u64, n: u32) -> MarkPlace {
    let (mut rest, mut left) = (once, n);
    loop {
        let byte = rest.trailing_zeros();
        let marks = 1 + (again.checked_shr(byte).unwrap_or(0) & 1) as u32;
        if left < marks || rest == 0 {
            return MarkPlace { byte: byte.min(63) as usize, second: left != 0 };
        }
        left -= marks;
        rest &= rest - 1;
    }
}
