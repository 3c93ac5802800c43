//! Ranks of positions in a short text: the number of lead bytes, or of UTF-16 code units, before each one. The count of
//! a row is the difference of two ranks.
//!
//! The lead bytes of chunks are found first, so that a rank is a population count, whatever the distance to the one
//! before: counting each row by itself costs a call and partial vectors for each. Rows are ranked in small groups, so
//! that the CPU loads chunks of the next group from memory meanwhile.
//!
//! Tried and lost: prefetching chunks of the next group (1.1 to 1.4 times slower for columns in memory).

use super::kernel::{Backend, Kernel, Task};
use crate::sequence::FOUR_BYTE_LEAD;

/// The most bytes of a text: all positions have 16 bits.
pub(crate) const MAX_RANKED_BYTES: usize = u16::MAX as usize;
/// The most rows that [`CountRows`] counts at once.
pub(crate) const MAX_RANKED_ROWS: usize = 256;
const CHUNK_BYTES: usize = 64;
const CHUNKS: usize = 1 + MAX_RANKED_BYTES / CHUNK_BYTES;
/// The number of rows whose chunks are searched for lead bytes at once.
pub(super) const GROUP_ROWS: usize = 64;
/// A byte that is not counted.
const ABSENT: u8 = 0x80;

/// The lead bytes of a text, in memory that is used for many texts.
pub(crate) struct LeadMarks {
    leads: [u64; CHUNKS],
    four_byte_leads: [u64; CHUNKS],
    /// The number of units before each chunk.
    before: [u32; CHUNKS],
}

impl LeadMarks {
    pub fn new() -> Self {
        Self { leads: [0; CHUNKS], four_byte_leads: [0; CHUNKS], before: [0; CHUNKS] }
    }

    /// Returns the rank of a position whose chunk is marked.
    #[inline(always)]
    pub(super) fn rank<const UTF16: bool>(&self, position: u32) -> u32 {
        let position = usize::from(position as u16);
        let (chunk, below) = (position / CHUNK_BYTES, (1 << (position % CHUNK_BYTES)) - 1);
        let rank = self.before[chunk] + (self.leads[chunk] & below).count_ones();
        rank + if UTF16 { (self.four_byte_leads[chunk] & below).count_ones() } else { 0 }
    }
}

/// Marks a text of at most [`MAX_RANKED_BYTES`] piece by piece.
pub(super) struct Marker<'a> {
    pub marks: &'a mut LeadMarks,
    /// The chunks that are not marked yet, and the bytes after the last one.
    left: &'a [[u8; CHUNK_BYTES]],
    rest: &'a [u8],
    marked: usize,
    /// The number of units in the marked chunks.
    units: u32,
}

impl<'a> Marker<'a> {
    #[inline(always)]
    pub fn new(marks: &'a mut LeadMarks, text: &'a [u8]) -> Self {
        let (left, rest) = text.as_chunks();
        Self { marks, left, rest, marked: 0, units: 0 }
    }

    /// Marks all chunks up to the chunk of a position.
    #[inline(always)]
    pub fn mark_to<const UTF16: bool, I: Backend>(&mut self, isa: I, position: u32) {
        let needed = (position as usize / CHUNK_BYTES + 1).saturating_sub(self.marked);
        let (chunks, left) = self.left.split_at(needed.min(self.left.len()));
        self.left = left;
        self.mark::<UTF16, _>(isa, chunks);
        if needed > chunks.len() {
            // Only here, as the end of the text may not have been loaded from memory before.
            let mut last = [ABSENT; CHUNK_BYTES];
            last[..self.rest.len()].copy_from_slice(self.rest);
            self.mark::<UTF16, _>(isa, &[last]);
            self.rest = &[];
        }
    }

    #[inline(always)]
    fn mark<const UTF16: bool, I: Backend>(&mut self, isa: I, chunks: &[[u8; CHUNK_BYTES]]) {
        let LeadMarks { leads, four_byte_leads, before } = &mut *self.marks;
        let leads = leads.get_mut(self.marked..).unwrap_or_default();
        let four_byte_leads = four_byte_leads.get_mut(self.marked..).unwrap_or_default();
        let before = before.get_mut(self.marked..).unwrap_or_default();
        let mut units = self.units;
        let places = leads.iter_mut().zip(four_byte_leads).zip(before);
        for (chunk, ((leads, four_byte_leads), before)) in chunks.iter().zip(places) {
            *before = units;
            *leads = isa.leads(chunk);
            units += leads.count_ones();
            if UTF16 {
                *four_byte_leads = isa.at_least_in(chunk, FOUR_BYTE_LEAD);
                units += four_byte_leads.count_ones();
            }
        }
        self.units = units;
        self.marked += chunks.len();
    }
}

/// Counts the lead bytes, or with `UTF16` the UTF-16 code units, of at most [`MAX_RANKED_ROWS`] rows of a text, which
/// follow one another from its start on. The text has at most [`MAX_RANKED_BYTES`].
pub(crate) struct CountRows<'a, const UTF16: bool> {
    pub text: &'a [u8],
    pub marks: &'a mut LeadMarks,
    /// Where rows end in the text, in ascending order.
    pub ends: &'a [u32],
    pub counts: &'a mut [u32; MAX_RANKED_ROWS],
}

impl<const UTF16: bool> Kernel for CountRows<'_, UTF16> {
    type Output = ();

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) {
        let Self { text, marks, ends, counts } = self;
        let mut marker = Marker::new(marks, text);
        let mut rank = 0;
        for (ends, counts) in ends.chunks(GROUP_ROWS).zip(counts.chunks_mut(GROUP_ROWS)) {
            marker.mark_to::<UTF16, _>(isa, ends.last().copied().unwrap_or(0));
            for (end, count) in ends.iter().zip(counts) {
                let before = rank;
                rank = marker.marks.rank::<UTF16>(*end);
                *count = rank.wrapping_sub(before);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::implementations;

    #[test]
    fn counts_are_those_of_a_naive_count() {
        let pattern = "a é€😀\n".as_bytes();
        let pattern: Vec<_> = pattern.iter().copied().chain([0x80, 0xFF, 0xC3, 0xF4, 0x00]).collect();
        let long: Vec<_> = pattern.iter().copied().cycle().take(MAX_RANKED_BYTES).collect();
        let (mut marks, mut counts) = (LeadMarks::new(), [0; MAX_RANKED_ROWS]);
        for length in (0..200).chain([4095, 4096, 4097, MAX_RANKED_BYTES - 1, MAX_RANKED_BYTES]) {
            let text = &long[..length];
            for rows in [1, 2, GROUP_ROWS - 1, GROUP_ROWS, GROUP_ROWS + 1, MAX_RANKED_ROWS] {
                // Short and long rows, and some that are empty.
                let ends = (1..=rows).map(|row| (length * row / rows + row * row % 7).min(length) as u32);
                let mut ends: Vec<_> = ends.collect();
                ends.sort_unstable();
                let starts = [0].into_iter().chain(ends.iter().copied());
                let naive: Vec<_> = starts
                    .zip(&ends)
                    .map(|(start, &end)| {
                        let row = &text[start as usize..end as usize];
                        let leads = row.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
                        (leads as u32, (leads + row.iter().filter(|&&byte| byte >= 0xF0).count()) as u32)
                    })
                    .collect();
                for &by in implementations() {
                    let marks = &mut marks;
                    by.run(CountRows::<true> { text, marks, ends: &ends, counts: &mut counts });
                    assert!(naive.iter().map(|(_, utf16)| utf16).eq(&counts[..rows]), "{}", by.name());
                    by.run(CountRows::<false> { text, marks, ends: &ends, counts: &mut counts });
                    assert!(naive.iter().map(|(chars, _)| chars).eq(&counts[..rows]), "{}", by.name());
                }
            }
        }
    }

    #[test]
    fn positions_outside_of_the_text_are_harmless() {
        let (mut marks, mut counts) = (LeadMarks::new(), [0; MAX_RANKED_ROWS]);
        for &by in implementations() {
            for ends in [&[u32::MAX, 0, 70_000, 5][..], &[1, 2, u32::MAX]] {
                by.run(CountRows::<true> { text: b"abc", marks: &mut marks, ends, counts: &mut counts });
            }
            let text = &vec![b'a'; 2 * MAX_RANKED_BYTES];
            let ends = &[u32::MAX; MAX_RANKED_ROWS];
            by.run(CountRows::<true> { text, marks: &mut marks, ends, counts: &mut counts });
        }
    }
}
