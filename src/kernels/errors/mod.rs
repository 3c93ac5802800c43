//! Errors, however many: to count them, and to find them. An error is a maximal subpart of an ill-formed sequence
//! (Unicode 16, section 3.9, table 3-8). An algorithm of our own, by masks: a bit for each byte, whatever the bytes
//! are, without a branch that depends on them.
//!
//! 1. A byte is followed by a *second* byte if it is a lead byte and the next byte is in the range that it allows; by a
//!    *third* if it announces three or four bytes and the one after that is a continuation byte, too; by a *fourth*
//!    likewise. That takes two lookups in tables, and comparisons with the bytes one, two and three further on.
//! 2. A character is well-formed where all bytes that are announced follow.
//! 3. Bytes that follow another are consumed by it: the three masks, shifted by one, two and three, with a carry from
//!    block to block. No lead byte is among them, so no two sequences overlap, and nothing has to be resolved from left
//!    to right.
//! 4. All other bytes start a character or an error: a character where it is well-formed. So an error has the length
//!    of the maximal subpart by itself.
//!
//! To count, no carry is needed: every byte that is not consumed starts something.
//!
//! Decoding then needs only a bit for each byte where an error starts: a lead byte is never consumed, and a
//! continuation byte starts nothing but an error.

pub(super) mod scalar;
pub(crate) mod sequences;
pub(super) mod vectors;

use sequences::{BLOCK_BYTES, SequenceFinder, Sequences, WINDOW_BYTES};

use super::kernel::{Backend, Kernel, Task};

/// Returns the start of `data` as a window, with zeros after its end, and a bit for each byte of the block in it.
#[inline(always)]
fn partial_window(data: &[u8]) -> ([u8; WINDOW_BYTES], u64) {
    let mut window = [0; WINDOW_BYTES];
    let length = data.len().min(WINDOW_BYTES);
    window[..length].copy_from_slice(&data[..length]);
    (window, u64::MAX.checked_shr(BLOCK_BYTES.saturating_sub(length) as u32).unwrap_or(0))
}

/// Counts over data with errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ErrorCounts {
    /// Well-formed characters.
    pub chars: usize,
    /// Bytes of well-formed characters after their lead bytes.
    pub continuations: usize,
    /// Well-formed characters of four bytes.
    pub four_byte_chars: usize,
    /// Whether a well-formed character is above U+00FF.
    pub beyond_latin1: bool,
    /// Errors.
    pub errors: usize,
}

impl ErrorCounts {
    /// Returns the counts of two pieces together.
    #[inline(always)]
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            chars: self.chars + other.chars,
            continuations: self.continuations + other.continuations,
            four_byte_chars: self.four_byte_chars + other.four_byte_chars,
            beyond_latin1: self.beyond_latin1 || other.beyond_latin1,
            errors: self.errors + other.errors,
        }
    }
}

/// The numbers of errors, characters and UTF-16 code units of some data, with U+FFFD in the place of each error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReplacedCounts {
    pub errors: usize,
    pub chars: usize,
    pub utf16_count: usize,
}

/// Counts errors, and characters and UTF-16 code units with U+FFFD in the place of each error.
pub(crate) struct CountReplaced<'a>(pub &'a [u8]);

impl Kernel for CountReplaced<'_> {
    type Output = ReplacedCounts;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> ReplacedCounts {
        let mut sums = ErrorSums::default();
        let mut rest = self.0;
        while let Some(window) = rest.first_chunk() {
            sums.add(isa, window, u64::MAX);
            rest = &rest[BLOCK_BYTES..];
        }
        while !rest.is_empty() {
            let (window, bytes) = partial_window(rest);
            sums.add(isa, &window, bytes);
            rest = rest.get(BLOCK_BYTES..).unwrap_or_default();
        }
        // All bytes that nothing consumes start a character or an error.
        let chars = self.0.len().saturating_sub(sums.consumed);
        ReplacedCounts {
            errors: chars.saturating_sub(sums.counts.chars),
            chars,
            utf16_count: chars + sums.counts.four_byte_chars,
        }
    }
}

/// Counts over the first blocks of data with errors, as many as `starts` has words, and sets these to a bit for each
/// byte where an error starts.
pub(crate) struct MarkErrors<'a> {
    pub data: &'a [u8],
    pub starts: &'a mut [u64],
    /// A bit for each byte at the start that belongs to a sequence before it.
    pub consumed: u64,
}

impl Kernel for MarkErrors<'_> {
    /// The counts over sequences that start in these blocks, and a bit for each byte after them that belongs to one.
    type Output = (ErrorCounts, u64);

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> (ErrorCounts, u64) {
        let Self { data: mut rest, starts, mut consumed } = self;
        let mut sums = ErrorSums::default();
        let mut errors = 0;
        let mut starts = starts.iter_mut();
        while let Some(window) = rest.first_chunk()
            && let Some(starts) = starts.next()
        {
            *starts = sums.add(isa, window, u64::MAX).errors(&mut consumed);
            errors += ones(*starts);
            rest = &rest[BLOCK_BYTES..];
        }
        for starts in starts {
            let (window, bytes) = partial_window(rest);
            *starts = sums.add(isa, &window, bytes).errors(&mut consumed) & bytes;
            errors += ones(*starts);
            rest = rest.get(BLOCK_BYTES..).unwrap_or_default();
        }
        (sums.counts(errors), consumed)
    }
}

/// Sums over blocks.
#[derive(Default)]
struct ErrorSums {
    /// Counts except errors, and whether there is a character above U+00FF.
    counts: ErrorCounts,
    /// Not 0 if there is a character above U+00FF.
    beyond_latin1: u64,
    /// Bytes of characters and of errors after the first.
    consumed: usize,
}

impl ErrorSums {
    /// Adds the sums of a block, given the bytes after it, too, or zeros after the end; its bytes have a bit in
    /// `bytes`. Returns its sequences.
    #[inline(always)]
    fn add<I: Backend>(&mut self, isa: I, window: &[u8; WINDOW_BYTES], bytes: u64) -> Sequences {
        if let Some(block) = window.first_chunk::<BLOCK_BYTES>()
            && isa.is_ascii(block)
        {
            self.counts.chars += ones(bytes);
            return Sequences { well_formed: u64::MAX, ..Sequences::default() };
        }
        let sequences = I::SequenceFinder::find(isa, window);
        let chars = sequences.without_errors();
        self.counts.chars += ones(chars.well_formed & bytes);
        self.counts.continuations += ones(chars.second) + ones(chars.third) + ones(chars.fourth);
        self.counts.four_byte_chars += ones(chars.fourth);
        self.consumed += ones(sequences.second) + ones(sequences.third) + ones(sequences.fourth);
        self.beyond_latin1 |= chars.beyond_latin1;
        sequences
    }

    /// Returns the counts, with this number of errors.
    #[inline(always)]
    fn counts(&self, errors: usize) -> ErrorCounts {
        ErrorCounts { beyond_latin1: self.beyond_latin1 != 0, errors, ..self.counts }
    }
}

/// Returns the number of bits that are set.
#[inline(always)]
fn ones(bits: u64) -> usize {
    bits.count_ones() as usize
}

/// The errors that start in a block; a bit for each byte, the lowest for the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ErrorBits {
    /// The bytes where an error starts.
    pub errors: u64,
    /// Those whose second byte belongs to the error, too, and other bytes.
    pub two: u64,
    /// Those whose third byte belongs to the error, too, and other bytes.
    pub three: u64,
}

/// Finds the errors that start in the first blocks of some data, where a character or an error starts. Returns the
/// number of bytes of these blocks, up to a character or an error that starts after them.
pub(crate) struct FindErrors<'a> {
    pub data: &'a [u8],
    pub found: &'a mut [ErrorBits],
}

impl Kernel for FindErrors<'_> {
    type Output = usize;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> usize {
        let mut rest = self.data;
        let mut consumed = 0;
        for found in &mut *self.found {
            if rest.is_empty() {
                *found = ErrorBits::default();
                continue;
            }
            let partial;
            let (window, bytes) = match rest.first_chunk() {
                Some(window) => (window, u64::MAX),
                None => {
                    partial = partial_window(rest);
                    (&partial.0, partial.1)
                }
            };
            let sequences = I::SequenceFinder::find(isa, window);
            let errors = sequences.errors(&mut consumed) & bytes;
            *found = ErrorBits { errors, two: sequences.second, three: sequences.third };
            rest = rest.get(BLOCK_BYTES..).unwrap_or_default();
        }
        self.data.len().min(self.found.len() * BLOCK_BYTES) + consumed.trailing_ones() as usize
    }
}
