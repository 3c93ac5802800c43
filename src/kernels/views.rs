//! A survey of a block of string views: the short texts in them side by side, and where the long ones are, so that the
//! texts of a block are validated together.
//!
//! Source: the layout of views is Arrow's "Variable-size Binary View" (T. Neumann and M. Freitag, "Umbra", 2020).
//! Nothing branches on the length of a text: short and long ones alternate at random.

use core::array::from_fn;
use core::ops::Range;

use super::kernel::{Backend, Kernel, Task};
use super::ranks::{GROUP_ROWS, LeadMarks, MAX_RANKED_ROWS, Marker};
use crate::sequence::FOUR_BYTE_LEAD;

/// The most views in a block.
pub(crate) const BLOCK_VIEWS: usize = MAX_RANKED_ROWS;
/// The length of the longest text that a view itself holds.
const INLINE_BYTES: u32 = 12;

/// Where the text of a view starts in it.
const TEXT_START: usize = 4;
/// By the length of a text, which bytes of its view are text; the last one is for all long texts.
const TEXT: [u128; INLINE_BYTES as usize + 2] = {
    let mut masks = [0; INLINE_BYTES as usize + 2];
    let mut length = 1;
    while length <= INLINE_BYTES as usize {
        masks[length] = (u128::MAX >> (128 - 8 * length)) << (8 * TEXT_START);
        length += 1;
    }
    masks
};

/// What a block of views consists of.
#[derive(Clone, Copy)]
pub struct ViewSurvey {
    /// The number of bytes of long texts.
    long_bytes: u64,
    /// The lowest and the highest number of a buffer with long texts.
    buffers: (u32, u32),
    /// The lowest start and the highest end of long texts.
    low: u32,
    high: u64,
    /// Whether short texts and what follows them in their views are ASCII.
    is_inline_ascii: bool,
    /// Whether there are short texts that are not empty.
    has_inline: bool,
}

/// The size of a view.
const SLOT_BYTES: usize = 16;
/// The number of views that are surveyed at once, and of words in them.
const STEP_VIEWS: usize = 4;
const STEP_WORDS: usize = 4 * STEP_VIEWS;
const STEP_BYTES: usize = SLOT_BYTES * STEP_VIEWS;

/// Where the long texts of a block are.
pub(crate) struct Span {
    /// The buffer, if all are in one.
    pub buffer: Option<usize>,
    /// From the lowest start to the highest end.
    pub bytes: Range<usize>,
}

impl ViewSurvey {
    /// Returns the survey of short texts.
    const fn inline(is_inline_ascii: bool) -> Self {
        let (buffers, low, high) = ((u32::MAX, 0), u32::MAX, 0);
        Self { long_bytes: 0, buffers, low, high, is_inline_ascii, has_inline: true }
    }

    /// Returns the number of bytes of long texts.
    pub fn long_bytes(&self) -> usize {
        self.long_bytes as usize
    }

    /// Returns whether all short texts are ASCII; at times false where only what follows them is not.
    pub fn is_inline_ascii(&self) -> bool {
        self.is_inline_ascii
    }

    /// Returns where the long texts are, if there are any. An end beyond 4 GiB is wrong; then the span is longer than
    /// any buffer.
    pub fn span(&self) -> Option<Span> {
        let (lowest, highest) = self.buffers;
        (self.long_bytes > 0).then(|| Span {
            buffer: (lowest == highest).then_some(lowest as usize),
            bytes: self.low as usize..self.high as usize,
        })
    }
}

/// Returns one of the four words of a view.
#[inline(always)]
fn word(view: &[u8; SLOT_BYTES], word: usize) -> u32 {
    let at = 4 * word;
    u32::from_ne_bytes([view[at], view[at + 1], view[at + 2], view[at + 3]])
}

/// Surveys a block of at most [`BLOCK_VIEWS`] views.
pub(crate) struct SurveyViews<'a>(pub &'a [[u8; SLOT_BYTES]]);

impl Kernel for SurveyViews<'_> {
    type Output = ViewSurvey;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, _: I) -> ViewSurvey {
        let (steps, rest) = self.0.as_chunks::<STEP_VIEWS>();
        let mut last = [[0; SLOT_BYTES]; STEP_VIEWS];
        last[..rest.len()].copy_from_slice(rest);
        // The loops are simple enough for the compiler to vectorize them, and end without the rest, so that it keeps
        // what they add up in registers.
        let mut highest_bytes = highest_of(&[0; STEP_BYTES], &last);
        for step in steps {
            highest_bytes = highest_of(&highest_bytes, step);
        }
        // The lengths are below 256 if their other bytes are 0.
        let low_byte = if cfg!(target_endian = "little") { 0 } else { 3 };
        let (slots, _) = highest_bytes.as_chunks::<SLOT_BYTES>();
        let is_short = |slot: &[u8; SLOT_BYTES]| {
            let length = word(slot, 0);
            length <= INLINE_BYTES && u32::from(slot[low_byte]) == length
        };
        if slots.iter().all(is_short) {
            return ViewSurvey::inline(slots.iter().all(|slot| slot[TEXT_START..].is_ascii()));
        }
        let mut sums = Sums::new();
        sums.add(&last);
        for step in steps {
            sums.add(step);
        }
        sums.survey()
    }
}

/// Returns the highest byte of each place in views, given the highest ones of the views before.
#[inline(always)]
fn highest_of(before: &[u8; STEP_BYTES], views: &[[u8; SLOT_BYTES]; STEP_VIEWS]) -> [u8; STEP_BYTES] {
    let bytes = views.as_flattened().first_chunk().unwrap_or(&[0; STEP_BYTES]);
    from_fn(|at| before[at].max(bytes[at]))
}

/// Sums over words of views, of which only some have a meaning: lengths are word 0 of each view, buffers word 2, and
/// starts and ends word 3.
struct Sums {
    lowest: [u32; STEP_WORDS],
    highest: [u32; STEP_WORDS],
    highest_ends: [u32; STEP_WORDS],
    /// All bits if an end is beyond 4 GiB.
    beyond: [u32; STEP_WORDS],
    /// All words of short texts.
    inline: [u32; STEP_WORDS],
    long_bytes: [u64; STEP_VIEWS],
}

impl Sums {
    #[inline(always)]
    fn new() -> Self {
        Self {
            lowest: [u32::MAX; STEP_WORDS],
            highest: [0; STEP_WORDS],
            highest_ends: [0; STEP_WORDS],
            beyond: [0; STEP_WORDS],
            inline: [0; STEP_WORDS],
            long_bytes: [0; STEP_VIEWS],
        }
    }

    #[inline(always)]
    fn add(&mut self, views: &[[u8; SLOT_BYTES]; STEP_VIEWS]) {
        let words: [u32; STEP_WORDS] = from_fn(|at| word(&views[at / 4], at % 4));
        // The length of the text of each word's view, and all bits if it is long.
        let lengths: [u32; STEP_WORDS] = from_fn(|at| words[at / 4 * 4]);
        let long: [u32; STEP_WORDS] = from_fn(|at| if lengths[at] > INLINE_BYTES { u32::MAX } else { 0 });
        let ends: [u32; STEP_WORDS] = from_fn(|at| words[at].wrapping_add(lengths[at]));
        for at in 0..STEP_WORDS {
            self.lowest[at] = self.lowest[at].min(words[at] | !long[at]);
            self.highest[at] = self.highest[at].max(words[at] & long[at]);
            self.highest_ends[at] = self.highest_ends[at].max(ends[at] & long[at]);
            self.beyond[at] |= if ends[at] < words[at] { long[at] } else { 0 };
            self.inline[at] |= words[at] & !long[at];
        }
        for at in 0..STEP_VIEWS {
            self.long_bytes[at] += u64::from(words[4 * at] & long[4 * at]);
        }
    }

    #[inline(always)]
    fn survey(&self) -> ViewSurvey {
        let of_views = |words: &[u32; STEP_WORDS], word: usize| -> [u32; STEP_VIEWS] {
            from_fn(|view| words[4 * view + word])
        };
        let lowest = |word| of_views(&self.lowest, word).into_iter().fold(u32::MAX, u32::min);
        let highest = |words, word| of_views(words, word).into_iter().fold(0, u32::max);
        let all_inline = |word| of_views(&self.inline, word).into_iter().fold(0, |all, word| all | word);
        ViewSurvey {
            long_bytes: self.long_bytes.iter().sum(),
            buffers: (lowest(2), highest(&self.highest, 2)),
            low: lowest(3),
            high: match highest(&self.beyond, 3) {
                0 => highest(&self.highest_ends, 3).into(),
                _ => u64::MAX,
            },
            is_inline_ascii: (all_inline(1) | all_inline(2) | all_inline(3)) & 0x8080_8080 == 0,
            has_inline: all_inline(0) > 0,
        }
    }
}

/// The short texts of a block of views.
pub(crate) struct InlineTexts {
    /// For each view 16 bytes: four zeros, then its text if it is short, and zeros.
    slots: [[u8; SLOT_BYTES]; BLOCK_VIEWS],
    count: usize,
    /// Whether there is a byte from 80 on.
    any_non_ascii: bool,
}

impl InlineTexts {
    /// Returns memory for texts, which is to be used for many blocks.
    pub fn new() -> Self {
        Self { slots: [[0; SLOT_BYTES]; BLOCK_VIEWS], count: 0, any_non_ascii: false }
    }

    /// Returns whether all texts are ASCII.
    pub fn is_ascii(&self) -> bool {
        !self.any_non_ascii
    }

    /// Returns all texts, each after zeros and followed by zeros.
    pub fn as_bytes(&self) -> &[u8] {
        self.slots[..self.count].as_flattened()
    }
}

/// Copies the short texts of a block of at most [`BLOCK_VIEWS`] views.
pub(crate) struct CopyInline<'a> {
    pub views: &'a [[u8; SLOT_BYTES]],
    pub texts: &'a mut InlineTexts,
}

impl Kernel for CopyInline<'_> {
    type Output = ();

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, _: I) {
        let Self { views, texts } = self;
        texts.count = views.len().min(BLOCK_VIEWS);
        let mut any = 0_u128;
        for (view, slot) in views.iter().zip(&mut texts.slots) {
            let text = u128::from_le_bytes(*view) & TEXT[word(view, 0).min(INLINE_BYTES + 1) as usize];
            *slot = text.to_le_bytes();
            any |= text;
        }
        texts.any_non_ascii = any & (u128::MAX / 0xFF * 0x80) != 0;
    }
}

/// Counts the lead bytes, or with `UTF16` the UTF-16 code units, of each text of the views of a survey. `text` is the
/// survey's span, which has at most [`MAX_RANKED_BYTES`](super::ranks::MAX_RANKED_BYTES).
pub(crate) struct CountViews<'a, const UTF16: bool> {
    pub views: &'a [[u8; SLOT_BYTES]],
    pub survey: &'a ViewSurvey,
    pub text: &'a [u8],
    pub marks: &'a mut LeadMarks,
    pub counts: &'a mut [u32; BLOCK_VIEWS],
}

impl<const UTF16: bool> Kernel for CountViews<'_, UTF16> {
    type Output = ();

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) {
        let Self { views, survey, text, marks, counts } = self;
        let mut marker = Marker::new(marks, text);
        for (views, counts) in views.chunks(GROUP_ROWS).zip(counts.chunks_mut(GROUP_ROWS)) {
            // Short texts start and end where the first long one starts.
            let (mut starts, mut ends) = ([0; GROUP_ROWS], [0; GROUP_ROWS]);
            if survey.long_bytes > 0 {
                for (view, (start, end)) in views.iter().zip(starts.iter_mut().zip(&mut ends)) {
                    let (length, from) = (word(view, 0), word(view, 3).wrapping_sub(survey.low));
                    let long = if length > INLINE_BYTES { u32::MAX } else { 0 };
                    (*start, *end) = (from & long, from.wrapping_add(length) & long);
                }
                marker.mark_to::<UTF16, _>(isa, ends.iter().fold(0, |last, end| last.max(*end)));
            }
            let (starts, _) = starts.as_chunks::<STEP_VIEWS>();
            let (ends, _) = ends.as_chunks::<STEP_VIEWS>();
            let (counts, _) = counts.as_chunks_mut::<STEP_VIEWS>();
            let places = starts.iter().zip(ends).zip(counts);
            for (views, ((starts, ends), counts)) in views.chunks(STEP_VIEWS).zip(places) {
                let mut last = [[0; SLOT_BYTES]; STEP_VIEWS];
                let views = views.first_chunk().unwrap_or_else(|| {
                    last[..views.len()].copy_from_slice(views);
                    &last
                });
                let inline = if survey.has_inline {
                    InlineUnits::of::<UTF16, _>(isa, views)
                } else {
                    InlineUnits::NONE
                };
                for (slot, count) in counts.iter_mut().enumerate() {
                    *count = inline.count(slot, word(&views[slot], 0));
                    if survey.long_bytes > 0 {
                        let rank = |position| marker.marks.rank::<UTF16>(position);
                        *count = count.wrapping_add(rank(ends[slot]).wrapping_sub(rank(starts[slot])));
                    }
                }
            }
        }
    }
}

/// A bit for each byte of some views that is a unit, or a second one, if it is of a short text.
struct InlineUnits(u64, u64);

impl InlineUnits {
    const NONE: Self = Self(0, 0);

    #[inline(always)]
    fn of<const UTF16: bool, I: Backend>(isa: I, views: &[[u8; SLOT_BYTES]; STEP_VIEWS]) -> Self {
        let bytes = views.as_flattened().first_chunk().unwrap_or(&[0; STEP_BYTES]);
        Self(isa.leads(bytes), if UTF16 { isa.at_least_in(bytes, FOUR_BYTE_LEAD) } else { 0 })
    }

    /// Returns the number of units of the view in a slot; 0 if its text is long.
    #[inline(always)]
    fn count(&self, slot: usize, length: u32) -> u32 {
        let text = if length > INLINE_BYTES { 0 } else { (1 << (length % 64)) - 1 };
        let units = |mask: u64| (mask >> (slot * SLOT_BYTES + TEXT_START) & text).count_ones();
        units(self.0) + units(self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::implementations;
    use crate::kernels::ranks::MAX_RANKED_BYTES;

    /// Returns a view of a text of this length; the rest of a short one is not zero.
    fn view(length: u32, buffer: u32, start: u32) -> [u8; 16] {
        let mut view = *b"....abc\xC3\xA9f\xF0\x9F\x98\x80kl";
        view[..4].copy_from_slice(&length.to_ne_bytes());
        if length > INLINE_BYTES {
            view[8..12].copy_from_slice(&buffer.to_ne_bytes());
            view[12..].copy_from_slice(&start.to_ne_bytes());
        }
        view
    }

    #[test]
    fn surveys_are_those_of_a_naive_one() {
        let lengths = [0, 1, 3, 4, 5, 11, 12, 13, 14, 99, u32::MAX];
        let mut state = 1_u32;
        let mut below = |limit: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % limit
        };
        let counts = (0..20).chain([63, 64, 65, 255, BLOCK_VIEWS]);
        for count in counts.flat_map(|count| [count; 4]) {
            let known = 1 + below(lengths.len());
            let mut views: Vec<_> = (0..count)
                .map(|_| view(lengths[below(known)], below(3) as u32, [0, 7, 4000, u32::MAX][below(4)]))
                .collect();
            if below(2) == 0 {
                let short = views.iter_mut().filter(|view| word(view, 0) <= INLINE_BYTES);
                short.for_each(|view| view[TEXT_START..].fill(b'a'));
            }
            let long: Vec<_> = views.iter().filter(|view| word(view, 0) > INLINE_BYTES).collect();
            let inline: Vec<u8> = views
                .iter()
                .flat_map(|view| {
                    let mut slot = [0; 16];
                    let length = word(view, 0) as usize;
                    if length <= INLINE_BYTES as usize {
                        slot[4..][..length].copy_from_slice(&view[4..][..length]);
                    }
                    slot
                })
                .collect();
            let end = |view: &&[u8; 16]| u64::from(word(view, 3)) + u64::from(word(view, 0));
            let mut texts = InlineTexts::new();
            // With what follows them in their views.
            let mut short = views.iter().filter(|view| word(view, 0) <= INLINE_BYTES);
            let is_inline_ascii = short.all(|view| view[TEXT_START..].is_ascii());
            for &by in implementations() {
                by.run(CopyInline { views: &views, texts: &mut texts });
                assert_eq!(texts.as_bytes(), inline, "{}", by.name());
                assert_eq!(texts.is_ascii(), inline.is_ascii());
                let survey = by.run(SurveyViews(&views));
                assert_eq!(survey.is_inline_ascii(), is_inline_ascii, "{}", by.name());
                let long_bytes: usize = long.iter().map(|view| word(view, 0) as usize).sum();
                assert_eq!(survey.long_bytes(), long_bytes);
                let span = survey.span();
                assert_eq!(span.is_none(), long.is_empty());
                if let Some(span) = span {
                    let buffers: Vec<_> = long.iter().map(|view| word(view, 2) as usize).collect();
                    let is_one = buffers.iter().all(|&buffer| buffer == buffers[0]);
                    assert_eq!(span.buffer, is_one.then_some(buffers[0]));
                    let low = long.iter().map(|view| word(view, 3)).min();
                    assert_eq!(low, u32::try_from(span.bytes.start).ok());
                    let high = long.iter().map(end).max().filter(|&high| high <= u32::MAX.into());
                    assert_eq!(span.bytes.end as u64, high.unwrap_or(u64::MAX));
                }
            }
        }
    }

    #[test]
    fn counts_are_those_of_a_naive_count() {
        let mut state = 1_u32;
        let mut below = |limit: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % limit
        };
        let mut counted = 0;
        let pattern: Vec<_> = "aé€😀".bytes().chain([0x80, 0xFF, 0xF4, 0x00]).collect();
        let mut marks = LeadMarks::new();
        for count in (0..20).chain([63, 64, 65, 255, BLOCK_VIEWS]) {
            let buffer: Vec<u8> = (0..9000).map(|_| pattern[below(pattern.len())]).collect();
            let texts: Vec<Vec<u8>> = (0..count)
                .map(|_| {
                    let longest = if count < 65 { 1000 } else { 300 };
                    let (start, length) =
                        (below(8000), if below(2) == 0 { below(13) } else { below(longest) });
                    buffer[start..start + length].to_vec()
                })
                .collect();
            let (mut views, mut values) = (vec![], b"before".to_vec());
            for text in &texts {
                let mut view = view(text.len() as u32, 0, values.len() as u32);
                if text.len() > INLINE_BYTES as usize {
                    values.extend(text);
                } else {
                    view[TEXT_START..][..text.len()].copy_from_slice(text);
                }
                views.push(view);
            }
            let naive = texts.iter().map(|text| {
                let leads = text.iter().filter(|&&byte| byte & 0xC0 != 0x80).count() as u32;
                (leads, leads + text.iter().filter(|&&byte| byte >= FOUR_BYTE_LEAD).count() as u32)
            });
            let (mut chars, mut utf16) = ([0; BLOCK_VIEWS], [0; BLOCK_VIEWS]);
            for &by in implementations() {
                let survey = by.run(SurveyViews(&views));
                let text = survey.span().map_or(Some(&[][..]), |span| values.get(span.bytes));
                let Some(text) = text.filter(|text| text.len() <= MAX_RANKED_BYTES) else { continue };
                counted += 1;
                let (views, survey, marks) = (&views, &survey, &mut marks);
                by.run(CountViews::<false> { views, survey, text, marks, counts: &mut chars });
                by.run(CountViews::<true> { views, survey, text, marks, counts: &mut utf16 });
                for (index, counts) in naive.clone().enumerate() {
                    assert_eq!((chars[index], utf16[index]), counts, "{}", by.name());
                }
            }
        }
        assert!(counted > 0);
    }
}
