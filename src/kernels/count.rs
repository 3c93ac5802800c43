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
//! Tried and lost: four vectors at a time in the last 256 bytes of short data (5.9 instead of 3.2 ns for 128 bytes with
//! AVX2, as one more branch depends on the length); one accumulator there with SSE4.2 and without vectors (slower by a
//! third at 255 bytes); a kind as a closure, which is not always inlined, and then not compiled for the instruction set
//! (scans of emoji slower by a tenth).
//!
//! Characters are counted by their lead bytes, that is as bytes that are not continuation bytes,
//! without decoding (the observation is old; see Pike and Thompson, "Hello World", 1993).

use super::counts::Counts;
use super::kernel::{Backend, Kernel, Task};
use crate::sequence::FOUR_BYTE_LEAD;
use crate::simd::{Count, Isa, Scalar, Work};

/// Kinds of bytes to count, never 0.
trait Kinds<const KINDS: usize> {
    /// Adds 1 to the lanes of the counts of each kind where `v` has such a byte.
    fn add<I: Count>(isa: I, counts: [I::Vector; KINDS], v: I::Vector) -> [I::Vector; KINDS];
}

/// Continuation bytes.
struct Continuations;

impl Kinds<1> for Continuations {
    #[inline(always)]
    fn add<I: Count>(isa: I, [continuations]: [I::Vector; 1], v: I::Vector) -> [I::Vector; 1] {
        [isa.count_continuations(continuations, v)]
    }
}

/// Bytes of `BOUND`, 80 or more, and above.
struct AtLeast<const BOUND: u8>;

impl<const BOUND: u8> Kinds<1> for AtLeast<BOUND> {
    #[inline(always)]
    fn add<I: Count>(isa: I, [counts]: [I::Vector; 1], v: I::Vector) -> [I::Vector; 1] {
        [isa.count_at_least(counts, v, isa.splat(BOUND))]
    }
}

/// Line feeds.
struct LineFeeds;

impl Kinds<1> for LineFeeds {
    #[inline(always)]
    fn add<I: Count>(isa: I, [newlines]: [I::Vector; 1], v: I::Vector) -> [I::Vector; 1] {
        [isa.count_equal(newlines, v, isa.splat(b'\n'))]
    }
}

/// Continuation bytes, and lead bytes of four.
struct Utf16Kinds;

impl Kinds<2> for Utf16Kinds {
    #[inline(always)]
    fn add<I: Count>(isa: I, [continuations, leads]: [I::Vector; 2], v: I::Vector) -> [I::Vector; 2] {
        let [continuations] = Continuations::add(isa, [continuations], v);
        let [leads] = AtLeast::<FOUR_BYTE_LEAD>::add(isa, [leads], v);
        [continuations, leads]
    }
}

/// Continuation bytes, and bytes from C0, E0 and F0 on.
struct WidthKinds;

impl Kinds<4> for WidthKinds {
    #[inline(always)]
    fn add<I: Count>(
        isa: I,
        [continuations, two, three, four]: [I::Vector; 4],
        v: I::Vector,
    ) -> [I::Vector; 4] {
        let [continuations] = Continuations::add(isa, [continuations], v);
        let [two] = AtLeast::<0xC0>::add(isa, [two], v);
        let [three] = AtLeast::<0xE0>::add(isa, [three], v);
        let [four] = AtLeast::<FOUR_BYTE_LEAD>::add(isa, [four], v);
        [continuations, two, three, four]
    }
}

/// Bytes in a step of the main loop.
const STEP_BYTES: usize = 256;
/// Accumulators of all kinds together.
const ACCUMULATORS: usize = 4;

/// Returns the number of bytes of each kind.
#[inline(always)]
fn count<I: Count, K: Kinds<KINDS>, const KINDS: usize>(isa: I, data: &[u8]) -> [usize; KINDS] {
    let none = [isa.splat(0); KINDS];
    let mut totals = [0; KINDS];
    if data.len() < I::WIDTH {
        add_totals(isa, &mut totals, K::add(isa, none, isa.load_partial(data)));
        return totals;
    }
    // The bytes of the most steps over which no lane overflows.
    let group_bytes = 255 / (STEP_BYTES / I::WIDTH) * STEP_BYTES;
    let mut rest = data;
    while rest.len() > group_bytes {
        let (sums, _) = add_steps::<I, K, KINDS>(isa, none, &rest[..=group_bytes]);
        add_totals(isa, &mut totals, sums);
        rest = &rest[group_bytes..];
    }
    let (mut sums, mut rest) = add_steps::<I, K, KINDS>(isa, none, rest);
    while rest.len() > I::WIDTH {
        sums = K::add(isa, sums, isa.load(rest, 0));
        rest = &rest[I::WIDTH..];
    }
    add_totals(isa, &mut totals, K::add(isa, sums, isa.load_last(data, rest.len())));
    totals
}

/// Adds the counts over bytes, of which there are some, to `sums`, lane by lane. One to as many bytes as the shortest
/// step has are left and returned, so that the end is always counted alike.
#[inline(always)]
fn add_steps<I: Count, K: Kinds<KINDS>, const KINDS: usize>(
    isa: I,
    mut sums: [I::Vector; KINDS],
    mut data: &[u8],
) -> ([I::Vector; KINDS], &[u8]) {
    if I::WIDTH > size_of::<u64>() || KINDS == 1 {
        (sums, data) = add_steps_of::<I, K, STEP_BYTES, KINDS>(isa, sums, data);
    } else {
        // Several kinds in 32 words are three times the code, and slower.
        (sums, data) = add_steps_of::<I, K, { STEP_BYTES / 2 }, KINDS>(isa, sums, data);
    }
    if I::WIDTH < BLOCK_BYTES / 2 {
        (sums, data) = add_steps_of::<I, K, BLOCK_BYTES, KINDS>(isa, sums, data);
    }
    (sums, data)
}

/// Does what [`add_steps`] does in steps of `N` bytes.
#[inline(always)]
fn add_steps_of<I: Count, K: Kinds<KINDS>, const N: usize, const KINDS: usize>(
    isa: I,
    mut sums: [I::Vector; KINDS],
    data: &[u8],
) -> ([I::Vector; KINDS], &[u8]) {
    let (steps, _) = data[..data.len() - 1].as_chunks::<N>();
    let mut parts = [[isa.splat(0); KINDS]; ACCUMULATORS];
    for step in steps {
        // Accumulators that are not used cost nothing.
        let used = ACCUMULATORS / KINDS;
        for vectors in step.chunks_exact(used * I::WIDTH) {
            for (index, part) in parts[..used].iter_mut().enumerate() {
                *part = K::add(isa, *part, isa.load(vectors, index * I::WIDTH));
            }
        }
    }
    for part in parts {
        for (sum, more) in sums.iter_mut().zip(part) {
            *sum = isa.add(*sum, more);
        }
    }
    (sums, &data[size_of_val(steps)..])
}

/// Adds the sums of lanes.
#[inline(always)]
fn add_totals<I: Isa, const KINDS: usize>(isa: I, totals: &mut [usize; KINDS], sums: [I::Vector; KINDS]) {
    for (total, sum) in totals.iter_mut().zip(sums) {
        *total += isa.reduce_sum(sum);
    }
}

/// Counts lead bytes of four.
struct FourByteLeads<'a>(&'a [u8]);

impl<I: Count> Work<I> for FourByteLeads<'_> {
    type Output = usize;

    #[inline(always)]
    fn run(self, isa: I) -> usize {
        let [leads] = count::<I, AtLeast<FOUR_BYTE_LEAD>, 1>(isa, self.0);
        leads
    }
}

/// Returns the number of lead bytes of four. Compiled separately, since it is rarely called, from loops that need all
/// registers.
#[inline(never)]
fn count_four_byte_leads<I: Count>(isa: I, data: &[u8]) -> usize {
    isa.call(FourByteLeads(data))
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

/// Adds the newlines of a block, lane by lane; with `apart` the newlines of the block are added up first, so that a
/// block waits just once for the one before it.
#[inline(always)]
pub(super) fn add_newlines<I: Count, const N: usize>(
    isa: I,
    newlines: I::Vector,
    block: &[u8; N],
    apart: bool,
) -> I::Vector {
    let mut of_block = if apart { isa.splat(0) } else { newlines };
    let mut at = 0;
    while at < N {
        of_block = isa.count_equal(of_block, isa.load(block, at), isa.splat(b'\n'));
        at += I::WIDTH;
    }
    if apart { isa.add(newlines, of_block) } else { of_block }
}

/// Counts all of [`Counts`], piece by piece.
///
/// Separate from validation by tables: one loop that does both needs more vectors than there are registers, and a
/// second pass over bytes that are in the first-level cache costs less.
pub(super) struct RunningCounts<I: Count> {
    isa: I,
    counts: Counts,
    four_byte_leads_expected: bool,
}

impl<I: Count> RunningCounts<I> {
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
                newlines = add_newlines(isa, newlines, block, false);
            }
        }
        (lanes, newlines)
    }

    /// Adds the counts over all blocks of `data` that are not ASCII, which have no four-byte leads yet.
    #[inline(always)]
    pub(super) fn add_lanes(&mut self, lanes: &Lanes<I>, data: &[u8]) {
        let counts = Counts { continuations: self.isa.reduce_sum(lanes.continuations), ..Counts::default() };
        self.add_known(counts.with_largest(self.isa.reduce_max(lanes.largest)), data);
    }

    /// Adds counts over `data` except four-byte leads, which are counted if the largest byte shows that there are some.
    #[inline(always)]
    pub(super) fn add_known(&mut self, counts: Counts, data: &[u8]) {
        self.counts = self.counts.plus(counts);
        self.four_byte_leads_expected = counts.largest == FOUR_BYTE_LEAD;
        if self.four_byte_leads_expected {
            self.counts.four_byte_leads += count_four_byte_leads(self.isa, data);
        }
    }

    /// Adds counts over bytes that have hardly any four-byte leads, whatever those after them have.
    #[inline(always)]
    pub(super) fn add_others(&mut self, counts: Counts) {
        self.counts = self.counts.plus(counts);
    }

    /// Returns whether four-byte leads should be counted with the rest: where the previous piece had some.
    #[inline(always)]
    pub(super) fn expects_four_byte_leads(&self) -> bool {
        self.four_byte_leads_expected
    }

    /// Adds counts, with four-byte leads.
    #[inline(always)]
    pub(super) fn add_counted(&mut self, counts: Counts) {
        self.counts = self.counts.plus(counts);
        self.four_byte_leads_expected = counts.four_byte_leads > 0;
    }

    /// Adds newlines that were counted lane by lane.
    #[inline(always)]
    pub(super) fn add_newlines(&mut self, newlines: I::Vector) {
        self.counts.newlines += self.isa.reduce_sum(newlines);
    }

    #[inline(always)]
    pub fn counts(self) -> Counts {
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
        let [continuations] = count::<_, Continuations, 1>(isa, self.0);
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
        let [continuations, four_byte_leads] = count::<_, Utf16Kinds, 2>(isa, self.0);
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
        let [continuations, two, three, four] = count::<_, WidthKinds, 4>(isa, self.0);
        [self.0.len() - continuations - two, two - three, three - four, four]
    }
}

/// Counts line feeds.
pub(crate) struct CountNewlines<'a>(pub &'a [u8]);

impl Kernel for CountNewlines<'_> {
    type Output = usize;

    const TASK: Task = Task::Count;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> usize {
        count_newlines(isa.counter(), self.0)
    }
}

/// Returns the number of line feeds.
#[inline(always)]
pub(super) fn count_newlines<I: Count>(isa: I, data: &[u8]) -> usize {
    let [newlines] = count::<_, LineFeeds, 1>(isa, data);
    newlines
}

/// Counts all of [`Counts`].
pub(crate) struct All<'a>(pub &'a [u8]);

impl Kernel for All<'_> {
    type Output = Counts;

    const TASK: Task = Task::Count;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> Counts {
        let mut counter = RunningCounts::new(isa.counter());
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
