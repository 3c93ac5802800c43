//! Ranks of many positions in a short text: the number of lead bytes, or of UTF-16 code units, before each one.
//!
//! The lead bytes of all chunks are found first, so that a rank is a population count, whatever the distance to the one
//! before: counting each row by itself costs a call and partial vectors for each.

use super::{Backend, FOUR_BYTE_LEAD, Kernel, Task};

/// The most bytes of a text.
pub(crate) const MAX_RANKED_BYTES: usize = 64 << 10;
const CHUNK_BYTES: usize = 64;
const CHUNKS: usize = MAX_RANKED_BYTES / CHUNK_BYTES;
/// A byte that is not counted.
const ABSENT: u8 = 0x80;

/// The lead bytes of a text, in memory that is used for many texts.
pub(crate) struct Marks {
    leads: [u64; CHUNKS + 1],
    four_byte_leads: [u64; CHUNKS + 1],
    /// The number of units before each chunk.
    before: [u32; CHUNKS + 1],
}

impl Marks {
    pub fn new() -> Self {
        Self { leads: [0; CHUNKS + 1], four_byte_leads: [0; CHUNKS + 1], before: [0; CHUNKS + 1] }
    }
}

/// Replaces positions in a text of at most [`MAX_RANKED_BYTES`] by their ranks; those beyond the end get that of the
/// end. With `UTF16` each lead byte of four counts twice.
pub(crate) struct Ranks<'a, const UTF16: bool> {
    pub text: &'a [u8],
    pub marks: &'a mut Marks,
    pub positions: [&'a mut [u32]; 2],
}

impl<const UTF16: bool> Kernel for Ranks<'_, UTF16> {
    type Output = ();

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) {
        let Self { text, marks, positions } = self;
        let (chunks, rest) = text.as_chunks::<CHUNK_BYTES>();
        let chunks = chunks.get(..CHUNKS).unwrap_or(chunks);
        let mut last = [ABSENT; CHUNK_BYTES];
        last[..rest.len()].copy_from_slice(rest);
        let mut count = 0;
        let places = marks.leads.iter_mut().zip(&mut marks.four_byte_leads).zip(&mut marks.before);
        for (chunk, ((leads, four_byte_leads), before)) in chunks.iter().chain([&last]).zip(places) {
            *before = count;
            *leads = isa.leads(chunk);
            count += leads.count_ones();
            if UTF16 {
                *four_byte_leads = isa.at_least_in(chunk, FOUR_BYTE_LEAD);
                count += four_byte_leads.count_ones();
            }
        }
        let end = text.len().min(MAX_RANKED_BYTES);
        for positions in positions {
            for position in positions {
                let at = (*position as usize).min(end);
                let chunk = at / CHUNK_BYTES;
                let below = (1_u64 << (at % CHUNK_BYTES)) - 1;
                let mut rank = marks.before[chunk] + (marks.leads[chunk] & below).count_ones();
                if UTF16 {
                    rank += (marks.four_byte_leads[chunk] & below).count_ones();
                }
                *position = rank;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::implementations;

    #[test]
    fn ranks_are_those_of_a_naive_count() {
        let pattern = "a é€😀\n".as_bytes();
        let pattern: Vec<_> = pattern.iter().copied().chain([0x80, 0xFF, 0xC3, 0xF4, 0x00]).collect();
        let long: Vec<_> = pattern.iter().copied().cycle().take(MAX_RANKED_BYTES + 100).collect();
        let lengths = (0..200).chain([MAX_RANKED_BYTES - 1, MAX_RANKED_BYTES, MAX_RANKED_BYTES + 100]);
        let mut marks = Marks::new();
        for length in lengths {
            let text = &long[..length];
            let step = 1 + length / 300;
            let positions: Vec<u32> = (0..=length as u32 + 2).step_by(step).chain([u32::MAX]).collect();
            let count = |position: u32, is_wide: bool| {
                let before = &text[..(position as usize).min(length).min(MAX_RANKED_BYTES)];
                let leads = before.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
                let more = before.iter().filter(|&&byte| byte >= 0xF0).count();
                (leads + if is_wide { more } else { 0 }) as u32
            };
            for &by in implementations() {
                let mut ranks = positions.clone();
                by.run(Ranks::<false> { text, marks: &mut marks, positions: [&mut ranks, &mut []] });
                assert!(ranks.iter().eq(&positions.iter().map(|&at| count(at, false)).collect::<Vec<_>>()));
                ranks.clone_from(&positions);
                by.run(Ranks::<true> { text, marks: &mut marks, positions: [&mut ranks, &mut []] });
                assert!(ranks.iter().eq(&positions.iter().map(|&at| count(at, true)).collect::<Vec<_>>()));
            }
        }
    }
}
