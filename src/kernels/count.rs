//! Counting bytes of a kind.
//!
//! 1. Every comparison leaves 0 or 1 in a lane; lanes are added up as bytes, for as long as they
//!    cannot overflow, and summed then.
//! 2. Several vectors at a time, four accumulators, so that the additions do not wait for each other.
//! 3. The end is counted eight bytes at a time by arithmetic, the last of them filled up with zeros,
//!    which are never counted here.
//!
//! Characters are counted by their lead bytes, that is as bytes that are not continuation bytes,
//! without decoding (the observation is old; see Pike and Thompson, "Hello World", 1993).

use super::{Backend, FOUR_BYTE_LEAD, Kernel, Task};
use crate::simd::{Count, Isa, Scalar, partial_words};

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

/// A kind of bytes to count.
trait Matcher<I: Count>: Copy {
    /// Adds 1 to the lanes of `counts` where `v` has such a byte.
    fn count(self, isa: I, counts: I::Vector, v: I::Vector) -> I::Vector;
}

/// Continuation bytes.
#[derive(Clone, Copy)]
struct Continuation;

impl<I: Count> Matcher<I> for Continuation {
    #[inline(always)]
    fn count(self, isa: I, counts: I::Vector, v: I::Vector) -> I::Vector {
        isa.count_continuations(counts, v)
    }
}

/// A byte other than 0.
#[derive(Clone, Copy)]
struct Equal(u8);

impl<I: Count> Matcher<I> for Equal {
    #[inline(always)]
    fn count(self, isa: I, counts: I::Vector, v: I::Vector) -> I::Vector {
        isa.count_equal(counts, v, isa.splat(self.0))
    }
}

/// A byte of 80 or more, and those above it.
#[derive(Clone, Copy)]
struct AtLeast(u8);

impl<I: Count> Matcher<I> for AtLeast {
    #[inline(always)]
    fn count(self, isa: I, counts: I::Vector, v: I::Vector) -> I::Vector {
        isa.count_at_least(counts, v, isa.splat(self.0))
    }
}

/// Bytes in a step of the main loop: four vectors of the widest instruction set.
const STEP_BYTES: usize = 256;

/// Returns the number of bytes of a kind.
#[inline(always)]
fn count<I: Count, M: Matcher<I> + Matcher<Scalar>>(isa: I, data: &[u8], matcher: M) -> usize {
    let zero = isa.splat(0);
    let mut total = 0;
    let (steps, rest) = data.as_chunks::<STEP_BYTES>();
    // Each step adds at most this to a lane of each accumulator.
    for group in steps.chunks(255 / (STEP_BYTES / I::WIDTH / 4)) {
        let mut sums = [zero; 4];
        for step in group {
            let mut at = 0;
            while at < STEP_BYTES {
                for sum in &mut sums {
                    *sum = matcher.count(isa, *sum, isa.load(step, at));
                    at += I::WIDTH;
                }
            }
        }
        let [a, b, c, d] = sums;
        total += isa.reduce_sum(a) + isa.reduce_sum(b) + isa.reduce_sum(c) + isa.reduce_sum(d);
    }
    let mut sum = zero;
    let (blocks, rest) = rest.as_chunks::<64>();
    for block in blocks {
        let mut at = 0;
        while at < 64 {
            sum = matcher.count(isa, sum, isa.load(block, at));
            at += I::WIDTH;
        }
    }
    if !blocks.is_empty() {
        total += isa.reduce_sum(sum);
    }
    total + count_words(rest, matcher)
}

/// Returns the number of bytes of a kind in less than 64 bytes, eight at a time.
#[inline(always)]
fn count_words<M: Matcher<Scalar>>(data: &[u8], matcher: M) -> usize {
    let (words, rest) = data.as_chunks::<8>();
    let mut sum = 0;
    for word in words {
        sum = matcher.count(Scalar, sum, Scalar.load(word, 0));
    }
    let [last, _] = partial_words(rest);
    Scalar.reduce_sum(matcher.count(Scalar, sum, last))
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
            self.counts.four_byte_leads += count(self.isa, data, AtLeast(FOUR_BYTE_LEAD));
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
        self.counts.newlines += count(self.isa, data, Equal(b'\n'));
    }

    #[inline(always)]
    pub(super) fn counts(self) -> Counts {
        self.counts.with_largest(self.counts.largest)
    }
}

/// Counts continuation bytes.
pub(crate) struct Continuations<'a>(pub &'a [u8]);

impl Kernel for Continuations<'_> {
    type Output = usize;

    const TASK: Task = Task::Count;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> usize {
        count(isa.counter(), self.0, Continuation)
    }
}

/// Counts bytes at or above a bound, which must be 80 or more.
pub(crate) struct AtOrAbove<'a>(pub &'a [u8], pub u8);

impl Kernel for AtOrAbove<'_> {
    type Output = usize;

    const TASK: Task = Task::Count;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> usize {
        count(isa.counter(), self.0, AtLeast(self.1))
    }
}

/// Counts a byte other than 0.
pub(crate) struct Occurrences<'a>(pub &'a [u8], pub u8);

impl Kernel for Occurrences<'_> {
    type Output = usize;

    const TASK: Task = Task::Count;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> usize {
        count(isa.counter(), self.0, Equal(self.1))
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
