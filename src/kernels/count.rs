//! Counting bytes of a kind.
//!
//! 1. Every comparison leaves 0 or 1 in a lane; lanes are added up as bytes, for as long as they
//!    cannot overflow, and summed then.
//! 2. Several vectors at a time, four accumulators, so that the additions do not wait for each other. They are added up
//!    lane by lane, so that there is one sum of lanes in about 8 KB, and one for short data.
//! 3. The end is counted by a vector that overlaps the one before it, without the lanes counted already; less than a
//!    vector by one that is filled up with zeros, which are never counted here.
//! 4. Several kinds of bytes are counted in one pass.
//!
//! Characters are counted by their lead bytes, that is as bytes that are not continuation bytes,
//! without decoding (the observation is old; see Pike and Thompson, "Hello World", 1993).

use super::{Backend, FOUR_BYTE_LEAD, Kernel, Task};
use crate::simd::{Count, Isa, Scalar};

/// Counts that need no validity and add up over any cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Continuation bytes, 80 to BF.
    pub continuations: usize,
    /// Lead bytes of four, F0 to FF, each of which takes two UTF-16 code units.
    pub four_byte_leads: usize,
    /// Line feeds, 0A.
    pub newlines: usize,
    /// The largest byte from 80 on, but F0 for any from there on; 0 if there is none.
    pub largest: u8,
}

impl Counts {
    /// Returns these counts with the largest of all bytes, below 80 and above F0, too.
    #[inline(always)]
    pub(super) fn with_largest(self, largest: u8) -> Self {
        let largest = if largest.is_ascii() { 0 } else { largest.min(FOUR_BYTE_LEAD) };
        Self { largest, ..self }
    }

    /// Returns the counts of two pieces together.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        Self {
            continuations: self.continuations + other.continuations,
            four_byte_leads: self.four_byte_leads + other.four_byte_leads,
            newlines: self.newlines + other.newlines,
            largest: self.largest.max(other.largest),
        }
    }
}

/// The size of a text in other encodings, and its widest character.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measure {
    /// The number of characters.
    pub chars: usize,
    /// The number of UTF-16 code units.
    pub utf16_count: usize,
    /// The largest byte from 80 on, but F0 for any from there on; 0 if there is none. It determines the width of the
    /// widest character; C4 or more means that there is one above U+00FF.
    pub largest: u8,
}

impl Measure {
    #[inline]
    pub(super) fn of(data: &[u8], counts: Counts) -> Self {
        let chars = data.len() - counts.continuations;
        Self { chars, utf16_count: chars + counts.four_byte_leads, largest: counts.largest }
    }

    /// Returns the measure of a text and the next one together.
    pub(crate) fn plus(self, next: Self) -> Self {
        Self {
            chars: self.chars + next.chars,
            utf16_count: self.utf16_count + next.utf16_count,
            largest: self.largest.max(next.largest),
        }
    }
}

/// Bytes in a step of the main loop.
const STEP_BYTES: usize = 256;

/// Returns the number of bytes of each kind: `add` adds 1 to the lanes of the counts of each kind where a vector has such
/// a byte, which is never 0.
#[inline(always)]
fn count<I: Count, const KINDS: usize>(
    isa: I,
    data: &[u8],
    add: impl Fn([I::Vector; KINDS], I::Vector) -> [I::Vector; KINDS],
) -> [usize; KINDS] {
    let zero = [isa.splat(0); KINDS];
    if data.len() < I::WIDTH {
        return add(zero, isa.load_partial(data)).map(|sum| isa.reduce_sum(sum));
    }
    // The bytes of the most steps over which no lane overflows.
    let group_bytes = 255 / (STEP_BYTES / I::WIDTH) * STEP_BYTES;
    let mut totals = [0; KINDS];
    let mut rest = data;
    while rest.len() > group_bytes {
        let (group, after) = rest.split_at(group_bytes);
        add_totals(isa, &mut totals, sums_of_steps::<_, STEP_BYTES, _>(isa, group.as_chunks().0, &add));
        rest = after;
    }
    // One to as many bytes as a step, a block or a vector has are left, so that the end is always counted alike.
    let (steps, _) = rest[..rest.len() - 1].as_chunks();
    let mut sums = sums_of_steps::<_, STEP_BYTES, _>(isa, steps, &add);
    rest = &rest[size_of_val(steps)..];
    if I::WIDTH < BLOCK_BYTES / 2 {
        let (blocks, _) = rest[..rest.len() - 1].as_chunks();
        let of_blocks = sums_of_steps::<_, BLOCK_BYTES, _>(isa, blocks, &add);
        sums = core::array::from_fn(|kind| isa.add(sums[kind], of_blocks[kind]));
        rest = &rest[size_of_val(blocks)..];
    }
    while rest.len() > I::WIDTH {
        sums = add(sums, isa.load(rest, 0));
        rest = &rest[I::WIDTH..];
    }
    add_totals(isa, &mut totals, add(sums, isa.load_last(data, rest.len())));
    totals
}

/// Returns the counts over some steps, lane by lane.
#[inline(always)]
fn sums_of_steps<I: Count, const STEP: usize, const KINDS: usize>(
    isa: I,
    steps: &[[u8; STEP]],
    add: &impl Fn([I::Vector; KINDS], I::Vector) -> [I::Vector; KINDS],
) -> [I::Vector; KINDS] {
    let mut sums = [[isa.splat(0); KINDS]; 4];
    for step in steps {
        let mut at = 0;
        while at < STEP {
            for sum in &mut sums[..const { if KINDS < 4 { 4 / KINDS } else { 1 } }] {
                *sum = add(*sum, isa.load(step, at));
                at += I::WIDTH;
            }
        }
    }
    let [a, b, c, d] = sums;
    core::array::from_fn(|kind| isa.add(isa.add(a[kind], b[kind]), isa.add(c[kind], d[kind])))
}

/// Adds the sums of lanes.
#[inline(always)]
fn add_totals<I: Isa, const KINDS: usize>(isa: I, totals: &mut [usize; KINDS], sums: [I::Vector; KINDS]) {
    for (total, sum) in totals.iter_mut().zip(sums) {
        *total += isa.reduce_sum(sum);
    }
}

/// Returns the number of line feeds.
#[inline(always)]
fn count_newlines<I: Count>(isa: I, data: &[u8]) -> usize {
    let [newlines] = count(isa, data, |[counts], v| [isa.count_equal(counts, v, isa.splat(b'\n'))]);
    newlines
}

/// Returns the number of lead bytes of four.
#[inline(always)]
fn count_four_byte_leads<I: Count>(isa: I, data: &[u8]) -> usize {
    let [leads] = count(isa, data, |[counts], v| [isa.count_at_least(counts, v, isa.splat(FOUR_BYTE_LEAD))]);
    leads
}

/// Bytes in a block: a cache line.
pub(super) const BLOCK_BYTES: usize = 64;

/// Counts block by block, lane by lane.
pub(super) struct Lanes<I: Count> {
    isa: I,
    continuations: I::Vector,
    four_byte_leads: I::Vector,
    largest: I::Vector,
}

impl<I: Count> Lanes<I> {
    #[inline(always)]
    pub(super) fn new(isa: I) -> Self {
        let zero = isa.splat(0);
        Self { isa, continuations: zero, four_byte_leads: zero, largest: zero }
    }

    /// Adds a block: with `FOUR_BYTE_LEADS` its four-byte leads are counted, otherwise its largest byte is found.
    /// (Where there are four-byte leads, the largest byte is known.)
    #[inline(always)]
    pub(super) fn add<const FOUR_BYTE_LEADS: bool>(&mut self, block: &[u8; BLOCK_BYTES]) {
        let isa = self.isa;
        let mut at = 0;
        while at < BLOCK_BYTES {
            let v = isa.load(block, at);
            self.continuations = isa.count_continuations(self.continuations, v);
            if FOUR_BYTE_LEADS {
                self.four_byte_leads = isa.count_at_least(self.four_byte_leads, v, isa.splat(FOUR_BYTE_LEAD));
            } else {
                self.largest = isa.max(self.largest, v);
            }
            at += I::WIDTH;
        }
    }
}

/// Adds the newlines of a block, lane by lane.
#[inline(always)]
pub(super) fn add_newlines<I: Count, const N: usize>(
    isa: I,
    mut newlines: I::Vector,
    block: &[u8; N],
) -> I::Vector {
    let mut at = 0;
    while at < N {
        newlines = isa.count_equal(newlines, isa.load(block, at), isa.splat(b'\n'));
        at += I::WIDTH;
    }
    newlines
}

/// Counts all of [`Counts`], piece by piece.
///
/// Separate from validation: one loop that does both needs more vectors than there are registers, and a second pass
/// over bytes that are in the first-level cache costs less.
pub(super) struct Counter<I: Count> {
    isa: I,
    counts: Counts,
    four_byte_leads_expected: bool,
}

impl<I: Count> Counter<I> {
    /// The largest number of bytes in whole blocks over which no lane can overflow.
    const MAX_PIECE_BYTES: usize = 255 / (BLOCK_BYTES / I::WIDTH) * BLOCK_BYTES;

    #[inline(always)]
    pub(super) fn new(isa: I) -> Self {
        Self { isa, counts: Counts::default(), four_byte_leads_expected: false }
    }

    /// Counts `data`, which should be in the first-level cache; newlines with `LINES`.
    #[inline(always)]
    pub(super) fn add<const LINES: bool>(&mut self, data: &[u8]) {
        for piece in data.chunks(Self::MAX_PIECE_BYTES) {
            // Four-byte leads are rare or frequent. They are counted with the rest where the previous piece had some,
            // and otherwise in a second pass if there are some.
            let newlines = if self.four_byte_leads_expected {
                let (lanes, newlines) = self.lanes_of::<true, LINES>(piece);
                let four_byte_leads = self.isa.reduce_sum(lanes.four_byte_leads);
                self.counts.four_byte_leads += four_byte_leads;
                self.counts.continuations += self.isa.reduce_sum(lanes.continuations);
                self.four_byte_leads_expected = four_byte_leads > 0;
                newlines
            } else {
                let (lanes, newlines) = self.lanes_of::<false, LINES>(piece);
                self.add_lanes(&lanes, piece);
                newlines
            };
            if LINES {
                self.add_newlines(newlines);
            }
        }
    }

    #[inline(always)]
    fn lanes_of<const FOUR_BYTE_LEADS: bool, const LINES: bool>(
        &self,
        piece: &[u8],
    ) -> (Lanes<I>, I::Vector) {
        let isa = self.isa;
        let mut lanes = Lanes::new(isa);
        let mut newlines = isa.splat(0);
        let (blocks, rest) = piece.as_chunks::<BLOCK_BYTES>();
        let mut filled_up = [0; BLOCK_BYTES];
        filled_up[..rest.len()].copy_from_slice(rest);
        let last = if rest.is_empty() { None } else { Some(&filled_up) };
        for block in blocks.iter().chain(last) {
            lanes.add::<FOUR_BYTE_LEADS>(block);
            if LINES {
                newlines = add_newlines(isa, newlines, block);
            }
        }
        (lanes, newlines)
    }

    /// Adds the counts over all blocks of `data` that are not ASCII, which have no four-byte leads yet.
    #[inline(always)]
    pub(super) fn add_lanes(&mut self, lanes: &Lanes<I>, data: &[u8]) {
        self.add_known(self.isa.reduce_sum(lanes.continuations), self.isa.reduce_max(lanes.largest), data);
    }

    /// Adds the number of continuation bytes of `data`, and its largest byte. Counts four-byte leads if that shows that
    /// there are some.
    #[inline(always)]
    pub(super) fn add_known(&mut self, continuations: usize, largest: u8, data: &[u8]) {
        self.counts.continuations += continuations;
        self.counts.largest = self.counts.largest.max(largest);
        self.four_byte_leads_expected = largest >= FOUR_BYTE_LEAD;
        if self.four_byte_leads_expected {
            self.counts.four_byte_leads += count_four_byte_leads(self.isa, data);
        }
    }

    /// Adds newlines that were counted lane by lane.
    #[inline(always)]
    pub(super) fn add_newlines(&mut self, newlines: I::Vector) {
        self.counts.newlines += self.isa.reduce_sum(newlines);
    }

    /// Counts the newlines of `data`.
    #[inline(always)]
    pub(super) fn add_newlines_of(&mut self, data: &[u8]) {
        self.counts.newlines += count_newlines(self.isa, data);
    }

    #[inline(always)]
    pub(super) fn counts(self) -> Counts {
        self.counts.with_largest(self.counts.largest)
    }
}

/// Counts characters, by their lead bytes.
pub(crate) struct Chars<'a>(pub &'a [u8]);

impl Kernel for Chars<'_> {
    type Output = usize;

    const TASK: Task = Task::Count;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> usize {
        let isa = isa.counter();
        let [continuations] = count(isa, self.0, |[counts], v| [isa.count_continuations(counts, v)]);
        self.0.len() - continuations
    }
}

/// Counts UTF-16 code units.
pub(crate) struct Utf16Units<'a>(pub &'a [u8]);

impl Kernel for Utf16Units<'_> {
    type Output = usize;

    const TASK: Task = Task::Count;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> usize {
        let isa = isa.counter();
        let [continuations, four_byte_leads] = count(isa, self.0, |[continuations, leads], v| {
            [
                isa.count_continuations(continuations, v),
                isa.count_at_least(leads, v, isa.splat(FOUR_BYTE_LEAD)),
            ]
        });
        self.0.len() - continuations + four_byte_leads
    }
}

/// Counts lead bytes by the length in bytes that they announce, 1 to 4.
pub(crate) struct Widths<'a>(pub &'a [u8]);

impl Kernel for Widths<'_> {
    type Output = [usize; 4];

    const TASK: Task = Task::Count;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> [usize; 4] {
        let isa = isa.counter();
        let [continuations, two, three, four] = count(isa, self.0, |[continuations, two, three, four], v| {
            [
                isa.count_continuations(continuations, v),
                isa.count_at_least(two, v, isa.splat(0xC0)),
                isa.count_at_least(three, v, isa.splat(0xE0)),
                isa.count_at_least(four, v, isa.splat(FOUR_BYTE_LEAD)),
            ]
        });
        [self.0.len() - continuations - two, two - three, three - four, four]
    }
}

/// Counts line feeds.
pub(crate) struct Newlines<'a>(pub &'a [u8]);

impl Kernel for Newlines<'_> {
    type Output = usize;

    const TASK: Task = Task::Count;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> usize {
        count_newlines(isa.counter(), self.0)
    }
}

/// Counts all of [`Counts`].
pub(crate) struct All<'a>(pub &'a [u8]);

impl Kernel for All<'_> {
    type Output = Counts;

    const TASK: Task = Task::Count;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> Counts {
        let mut counter = Counter::new(isa.counter());
        counter.add::<true>(self.0);
        counter.counts()
    }
}

/// Tests whether every byte is below 80.
pub(crate) struct Ascii<'a>(pub &'a [u8]);

impl Kernel for Ascii<'_> {
    type Output = bool;

    const TASK: Task = Task::Count;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> bool {
        is_ascii(isa, self.0)
    }
}

/// Returns whether every byte is below 80.
#[inline(always)]
pub(super) fn is_ascii<I: Isa>(isa: I, data: &[u8]) -> bool {
    let (steps, rest) = data.as_chunks::<STEP_BYTES>();
    for step in steps {
        if !isa.is_ascii(step) {
            return false;
        }
    }
    let (words, rest) = rest.as_chunks::<8>();
    let all = words.iter().fold(0, |all, word| all | Scalar.load(word, 0));
    !Scalar.any_non_ascii(all) && rest.is_ascii()
}
