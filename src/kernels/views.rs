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
/// A view: the length (4 bytes), then the text itself if it has at most [`INLINE_BYTES`], else its first 4 bytes, the
/// number of a buffer (4) and the offset in it (4). It is not aligned.
pub(crate) type View = [u8; SLOT_BYTES];
/// The size of a view.
const SLOT_BYTES: usize = 16;
/// The length of the longest text that a view itself holds.
pub(crate) const INLINE_BYTES: usize = 12;

/// Where the text of a view starts in it.
const TEXT_START: usize = 4;
/// By the length of a text in a view, which bytes of the view are text.
const TEXT: [u128; INLINE_BYTES + 1] = {
    let mut masks = [0; INLINE_BYTES + 1];
    let mut length = 1;
    while length <= INLINE_BYTES {
        masks[length] = (u128::MAX >> (128 - 8 * length)) << (8 * TEXT_START);
        length += 1;
    }
    masks
};

/// What a block of views consists of.
pub struct ViewSurvey {
    /// The length of each text, 0 if it is long.
    inline_lengths: [u32; BLOCK_VIEWS],
    count: usize,
    /// Where long texts start and end in their buffers; short ones start and end at `low`.
    starts: [u32; BLOCK_VIEWS],
    ends: [u32; BLOCK_VIEWS],
    long_bytes: u64,
    /// The lowest and the highest number of a buffer with long texts.
    buffers: (u32, u32),
    /// The lowest start and the highest end of long texts.
    low: u32,
    high: u64,
    /// Whether all texts are short, and ASCII with what follows them in their views.
    is_short_ascii: bool,
}

/// The number of views that are tested at once.
const STEP_VIEWS: usize = 4;
const STEP_BYTES: usize = SLOT_BYTES * STEP_VIEWS;

/// Returns one of the four words of a view. A negative one is larger than any buffer.
#[inline(always)]
pub(crate) fn view_word(view: &View, word: usize) -> usize {
    let at = 4 * word;
    u32::from_ne_bytes([view[at], view[at + 1], view[at + 2], view[at + 3]]) as usize
}

/// Where the long texts of a block are.
pub(crate) struct Span {
    /// The buffer, if all are in one.
    pub buffer: Option<usize>,
    /// From the lowest start to the highest end.
    pub bytes: Range<usize>,
}

impl ViewSurvey {
    /// Returns an empty survey, which is to be used for many blocks.
    pub fn new() -> Self {
        Self {
            inline_lengths: [0; BLOCK_VIEWS],
            count: 0,
            starts: [0; BLOCK_VIEWS],
            ends: [0; BLOCK_VIEWS],
            long_bytes: 0,
            buffers: (u32::MAX, 0),
            low: u32::MAX,
            high: 0,
            is_short_ascii: false,
        }
    }

    /// Returns whether all texts are short, and ASCII with what follows them in their views. Such a survey has nothing
    /// else.
    pub fn is_short_ascii(&self) -> bool {
        self.is_short_ascii
    }

    /// Returns the number of bytes of long texts.
    pub fn long_bytes(&self) -> usize {
        self.long_bytes as usize
    }

    /// Returns where the long texts are, if there are any.
    pub fn span(&self) -> Option<Span> {
        let (lowest, highest) = self.buffers;
        (self.long_bytes > 0).then(|| Span {
            buffer: (lowest == highest).then_some(lowest as usize),
            bytes: self.low as usize..self.high as usize,
        })
    }

    /// Returns where the text of each view starts in the buffer, and where it ends; a short one starts and ends where a
    /// long one does. An end beyond 4 GiB is wrong; then the span is longer than any buffer.
    pub fn bounds(&self) -> (&[u32], &[u32]) {
        (&self.starts[..self.count], &self.ends[..self.count])
    }
}

/// Surveys a block of at most [`BLOCK_VIEWS`] views.
pub(crate) struct SurveyViews<'a> {
    pub views: &'a [View],
    pub survey: &'a mut ViewSurvey,
}

impl Kernel for SurveyViews<'_> {
    type Output = ();

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, _: I) {
        let Self { views, survey } = self;
        survey.count = views.len().min(BLOCK_VIEWS);
        survey.is_short_ascii = is_short_ascii(views);
        if survey.is_short_ascii {
            survey.long_bytes = 0;
            return;
        }
        // Each loop is simple enough for the compiler to vectorize it.
        let (mut lengths, mut buffers) = ([0_u32; BLOCK_VIEWS], [0_u32; BLOCK_VIEWS]);
        let words = lengths.iter_mut().zip(&mut buffers).zip(&mut survey.starts);
        for (view, ((length, buffer), start)) in views.iter().zip(words) {
            let word = |word| view_word(view, word) as u32;
            (*length, *buffer, *start) = (word(0), word(2), word(3));
        }
        let count = survey.count;
        // All bits for a long text.
        let mut long = [0_u32; BLOCK_VIEWS];
        let places = survey.inline_lengths.iter_mut().zip(&mut long).zip(&mut survey.ends);
        for (((inline_length, long), end), (length, start)) in places.zip(lengths.iter().zip(&survey.starts))
        {
            *long = if *length > INLINE_BYTES as u32 { u32::MAX } else { 0 };
            *inline_length = length & !*long;
            *end = start.wrapping_add(*length);
        }
        let long = &long[..count];
        let (starts, ends) = (&mut survey.starts[..count], &mut survey.ends[..count]);
        let low = lowest(starts, long);
        let beyond = starts.iter().zip(&*ends).zip(long);
        let beyond = beyond.fold(0, |any, ((start, end), long)| any | if end < start { *long } else { 0 });
        survey.high = if beyond == 0 { highest(ends, long).into() } else { u64::MAX };
        survey.buffers = (lowest(&buffers, long), highest(&buffers, long));
        survey.low = low;
        survey.long_bytes = lengths.iter().zip(long).map(|(length, long)| u64::from(length & long)).sum();
        for ((start, end), long) in starts.iter_mut().zip(ends).zip(long) {
            *start = *start & long | low & !long;
            *end = *end & long | low & !long;
        }
    }
}

/// Returns whether all texts are short, and ASCII with what follows them in their views.
#[inline(always)]
fn is_short_ascii(views: &[View]) -> bool {
    let (steps, rest) = views.as_chunks::<STEP_VIEWS>();
    let mut last = [[0; SLOT_BYTES]; STEP_VIEWS];
    last[..rest.len()].copy_from_slice(rest);
    // The rest is first, so that the compiler keeps the result of the loop in registers.
    let mut highest = highest_of(&[0; STEP_BYTES], &last);
    for step in steps {
        highest = highest_of(&highest, step);
    }
    // The lengths are below 256 if their other bytes are 0.
    let low_byte = if cfg!(target_endian = "little") { 0 } else { 3 };
    let (slots, _) = highest.as_chunks::<SLOT_BYTES>();
    slots.iter().fold(true, |all, slot| {
        let length = u32::from_ne_bytes([slot[0], slot[1], slot[2], slot[3]]);
        let is_short = length <= INLINE_BYTES as u32 && u32::from(slot[low_byte]) == length;
        all & is_short & slot[TEXT_START..].is_ascii()
    })
}

/// Returns the highest byte of each place in views, given the highest ones of the views before.
#[inline(always)]
fn highest_of(before: &[u8; STEP_BYTES], views: &[View; STEP_VIEWS]) -> [u8; STEP_BYTES] {
    let bytes = views.as_flattened().first_chunk().unwrap_or(&[0; STEP_BYTES]);
    from_fn(|at| before[at].max(bytes[at]))
}

/// Returns the lowest of the numbers with a mask.
#[inline(always)]
fn lowest(numbers: &[u32], masks: &[u32]) -> u32 {
    numbers.iter().zip(masks).fold(u32::MAX, |lowest, (number, mask)| lowest.min(number | !mask))
}

/// Returns the highest of the numbers with a mask.
#[inline(always)]
fn highest(numbers: &[u32], masks: &[u32]) -> u32 {
    numbers.iter().zip(masks).fold(0, |highest, (number, mask)| highest.max(number & mask))
}

/// The short texts of a block of views.
pub(crate) struct InlineTexts {
    /// For each view 16 bytes: four zeros, then its text if it is short, and zeros.
    slots: [View; BLOCK_VIEWS],
    count: usize,
    /// Whether there is a byte from 80 on.
    any_non_ascii: bool,
}

impl InlineTexts {
    /// Returns memory for texts, which is to be used for many blocks.
    pub fn new() -> Self {
        Self { slots: [[0; SLOT_BYTES]; BLOCK_VIEWS], count: 0, any_non_ascii: false }
    }

    /// Copies the short texts of the views of a survey.
    pub fn copy(&mut self, views: &[View], survey: &ViewSurvey) {
        self.count = survey.count;
        let mut any = 0_u128;
        for ((view, slot), length) in views.iter().zip(&mut self.slots).zip(&survey.inline_lengths) {
            let text = u128::from_le_bytes(*view) & TEXT[(*length as usize).min(INLINE_BYTES)];
            *slot = text.to_le_bytes();
            any |= text;
        }
        self.any_non_ascii = any & (u128::MAX / 0xFF * 0x80) != 0;
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

/// Counts the lead bytes, or with `UTF16` the UTF-16 code units, of each text of the views of a survey, which must not
/// be of short ASCII only. `text` is its span, which has at most
/// [`MAX_RANKED_BYTES`](super::ranks::MAX_RANKED_BYTES).
pub(crate) struct CountViews<'a, const UTF16: bool> {
    pub views: &'a [View],
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
        const SLOTS: usize = 64 / SLOT_BYTES;
        let Self { views, survey, text, marks, counts } = self;
        let mut marker = Marker::new(marks, text);
        let low = survey.low;
        let (lengths, _) = survey.inline_lengths.as_chunks::<GROUP_ROWS>();
        let (starts, _) = survey.starts.as_chunks::<GROUP_ROWS>();
        let (ends, _) = survey.ends.as_chunks::<GROUP_ROWS>();
        let (counts, _) = counts.as_chunks_mut::<GROUP_ROWS>();
        let groups = lengths.iter().zip(starts.iter().zip(ends)).zip(counts);
        for (views, ((lengths, (starts, ends)), counts)) in views.chunks(GROUP_ROWS).zip(groups) {
            let used = ends.get(..views.len()).unwrap_or_default();
            let last = used.iter().fold(0, |last, end| last.max(end.wrapping_sub(low)));
            marker.mark_to::<UTF16, _>(isa, last);
            let (lengths, _) = lengths.as_chunks::<SLOTS>();
            let (starts, _) = starts.as_chunks::<SLOTS>();
            let (ends, _) = ends.as_chunks::<SLOTS>();
            let (counts, _) = counts.as_chunks_mut::<SLOTS>();
            let places = lengths.iter().zip(starts.iter().zip(ends)).zip(counts);
            for (views, ((lengths, (starts, ends)), counts)) in views.chunks(SLOTS).zip(places) {
                let slots = views.first_chunk::<SLOTS>().copied().unwrap_or_else(|| {
                    let mut slots = [[0; SLOT_BYTES]; SLOTS];
                    slots[..views.len()].copy_from_slice(views);
                    slots
                });
                let slots = slots.as_flattened().first_chunk().unwrap_or(&[0; 64]);
                let leads = isa.leads(slots);
                let four_byte_leads = if UTF16 { isa.at_least_in(slots, FOUR_BYTE_LEAD) } else { 0 };
                for (slot, (count, &length)) in counts.iter_mut().zip(lengths).enumerate() {
                    let text = (1 << (length % 64)) - 1;
                    let inline = |mask: u64| (mask >> (slot * SLOT_BYTES + TEXT_START) & text).count_ones();
                    let rank = |position: u32| marker.marks.rank::<UTF16>(position.wrapping_sub(low));
                    let long = rank(ends[slot]).wrapping_sub(rank(starts[slot]));
                    *count = long.wrapping_add(inline(leads) + inline(four_byte_leads));
                }
            }
        }
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
        if length as usize > INLINE_BYTES {
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
                let is_short = |view: &&mut [u8; 16]| view_word(view, 0) <= INLINE_BYTES;
                let short = views.iter_mut().filter(is_short);
                short.for_each(|view| view[TEXT_START..].fill(b'a'));
            }
            let word = |view: &[u8; 16], at: usize| u32::from_ne_bytes(*view[at..].first_chunk().unwrap());
            let long: Vec<_> = views.iter().filter(|view| view_word(view, 0) > INLINE_BYTES).collect();
            let inline: Vec<u8> = views
                .iter()
                .flat_map(|view| {
                    let mut slot = [0; 16];
                    let length = word(view, 0) as usize;
                    if length <= INLINE_BYTES {
                        slot[4..][..length].copy_from_slice(&view[4..][..length]);
                    }
                    slot
                })
                .collect();
            let end = |view: &&[u8; 16]| u64::from(word(view, 12)) + u64::from(word(view, 0));
            let (mut survey, mut texts) = (ViewSurvey::new(), InlineTexts::new());
            for &by in implementations() {
                by.run(SurveyViews { views: &views, survey: &mut survey });
                let is_short_ascii =
                    long.is_empty() && views.iter().all(|view| view[TEXT_START..].is_ascii());
                assert_eq!(survey.is_short_ascii(), is_short_ascii, "{}", by.name());
                if is_short_ascii {
                    assert!(survey.span().is_none() && survey.long_bytes() == 0);
                    continue;
                }
                texts.copy(&views, &survey);
                assert_eq!(texts.as_bytes(), inline, "{}", by.name());
                assert_eq!(texts.is_ascii(), inline.is_ascii());
                let long_bytes: usize = long.iter().map(|view| word(view, 0) as usize).sum();
                assert_eq!(survey.long_bytes(), long_bytes);
                // Short texts are where the first long one is.
                let low = long.iter().map(|view| word(view, 12)).min().unwrap_or(u32::MAX);
                let bounds = views.iter().map(|view| match word(view, 0) {
                    length if length as usize <= INLINE_BYTES => (low, low),
                    _ => (word(view, 12), end(&view) as u32),
                });
                let (starts, ends) = survey.bounds();
                assert!(starts.iter().copied().zip(ends.iter().copied()).eq(bounds.clone()));
                let span = survey.span();
                assert_eq!(span.is_none(), long.is_empty());
                if let Some(span) = span {
                    let buffers: Vec<_> = long.iter().map(|view| word(view, 8) as usize).collect();
                    let is_one = buffers.iter().all(|&buffer| buffer == buffers[0]);
                    assert_eq!(span.buffer, is_one.then_some(buffers[0]));
                    assert_eq!(span.bytes.start, low as usize);
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
        let pattern: Vec<_> = "aé€😀".bytes().chain([0x80, 0xFF, 0xF4, 0x00]).collect();
        let (mut survey, mut marks) = (ViewSurvey::new(), LeadMarks::new());
        let mut counted = 0;
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
                if text.len() > INLINE_BYTES {
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
                by.run(SurveyViews { views: &views, survey: &mut survey });
                let text = survey.span().map_or(Some(&[][..]), |span| values.get(span.bytes));
                let Some(text) = text.filter(|text| text.len() <= MAX_RANKED_BYTES) else { continue };
                if survey.is_short_ascii() {
                    continue;
                }
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
