//! Errors, however many: to count them, and to find them. An error is a maximal subpart of an ill-formed sequence
//! (Unicode 16, section 3.9, table 3-8).

pub(super) mod masks;
pub(super) mod scalar;

use super::{Backend, Kernel, Task};

/// Counts over data with errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ErrorCounts {
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

/// The errors that start in a block; a bit for each byte, the lowest for the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ErrorBits {
    /// The bytes where an error starts.
    pub errors: u64,
    /// Those whose second byte belongs to the error, too, and other bytes.
    pub two: u64,
    /// Those whose third byte belongs to the error, too, and other bytes.
    pub three: u64,
    /// The bytes in the block: up to a character or an error that starts after it.
    pub length: usize,
}

/// Bytes in a block whose errors are found at once: a bit for each in a word.
pub(crate) const BLOCK_BYTES: usize = 64;

/// An algorithm that counts and finds errors.
pub(crate) trait ErrorFinder<I> {
    /// Counts over `data`.
    fn count(isa: I, data: &[u8]) -> ErrorCounts;

    /// Finds the errors that start in the first block of `data`, where a character or an error starts.
    fn find(isa: I, data: &[u8]) -> ErrorBits;
}

/// Counts over data with errors.
pub(crate) struct CountErrors<'a>(pub &'a [u8]);

impl Kernel for CountErrors<'_> {
    type Output = ErrorCounts;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> ErrorCounts {
        I::ErrorFinder::count(isa, self.0)
    }
}

/// Finds the errors that start in the first block of some data, where a character or an error starts.
pub(crate) struct FindErrors<'a>(pub &'a [u8]);

impl Kernel for FindErrors<'_> {
    type Output = ErrorBits;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> ErrorBits {
        I::ErrorFinder::find(isa, self.0)
    }
}
