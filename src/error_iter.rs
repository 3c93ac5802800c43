//! The errors of some bytes, in order: the basis of error lists, error handlers and repairs.

use core::iter::FusedIterator;

use crate::error::Utf8Error;
use crate::kernels::errors::sequences::BLOCK_BYTES;
use crate::kernels::errors::{CountReplaced, ErrorBits, FindErrors};
use crate::kernels::validate::rules::Utf8;
use crate::kernels::validate::{ValidateWary, check, search_start};
use crate::progress::{Poll, Stopped, uninterrupted, unpolled};
use crate::sequence::boundary::{CHUNK_BYTES, head};
use crate::sequence::{first_malformed, malformed_kind};
use crate::simd::dispatch::Implementation;

/// The number of blocks whose errors are found at once.
const BLOCKS: usize = 8;
/// The size in bytes of the first chunk that is searched after an error, as errors seldom come alone.
const WARY_CHUNK_BYTES: usize = 1024;
/// Valid bytes before an error after which no other error is expected.
const ALONE_BYTES: usize = 768;
#[cfg(feature = "bindings")]
/// The number of valid bytes whose validation takes about as long as one error.
pub const ERROR_COST_BYTES: usize = 64;

/// The state of a search for errors, without the data: every call gets the same.
#[derive(Clone, Copy, Debug)]
pub struct ErrorSearch {
    implementation: Implementation,
    /// The offset up to which the data was searched; a character or an error ends there.
    at: usize,
    /// The blocks before it, whose errors are still to come.
    blocks: [ErrorBits; BLOCKS],
    /// The index of the first of them that may have errors.
    block: usize,
    /// The offset where it starts.
    block_start: usize,
    /// Whether another error is expected soon.
    wary: bool,
    /// Whether an error is expected in the next blocks.
    expected: bool,
    /// Whether the error that is expected there is far from the one before, so that no other one is.
    alone: bool,
}

impl ErrorSearch {
    /// Starts a search at an offset where a character or an error starts.
    pub fn starting_at(implementation: Implementation, at: usize) -> Self {
        Self {
            implementation,
            at,
            blocks: [ErrorBits::default(); BLOCKS],
            block: 0,
            block_start: at,
            wary: false,
            expected: false,
            alone: false,
        }
    }

    /// Returns the next error of `data`.
    #[inline(always)]
    pub fn next(&mut self, data: &[u8], poll: Poll<'_>) -> Result<Option<Utf8Error>, Stopped> {
        if !self.is_next_known() && !self.find_blocks(data, poll)? {
            return Ok(None);
        }
        let block = &mut self.blocks[self.block];
        let bit = block.errors & block.errors.wrapping_neg();
        let start = self.block_start + block.errors.trailing_zeros() as usize;
        block.errors ^= bit;
        let length = 1 + usize::from(block.two & bit != 0) + usize::from(block.three & bit != 0);
        Ok(Some(error_at(data, start, length)))
    }

    /// Returns whether the next error is known already, and continues with its block.
    #[inline(always)]
    pub fn is_next_known(&mut self) -> bool {
        while self.blocks[self.block].errors == 0 {
            if self.block + 1 == BLOCKS {
                return false;
            }
            self.block += 1;
            self.block_start += BLOCK_BYTES;
        }
        true
    }

    /// Finds the next blocks with errors, and returns whether there are any.
    #[inline(never)]
    fn find_blocks(&mut self, data: &[u8], poll: Poll<'_>) -> Result<bool, Stopped> {
        while self.at < data.len() {
            let rest = &data[self.at..];
            if self.expected {
                let block = if self.alone { BLOCKS - 1 } else { 0 };
                (self.block, self.block_start) = (block, self.at);
                let found = &mut self.blocks[block..];
                self.at += self.implementation.run(FindErrors { data: rest, found });
                self.expected = !self.alone;
                if self.is_next_known() {
                    self.wary = !self.alone;
                    return Ok(true);
                }
                self.expected = false;
                continue;
            }
            let (chunk, valid);
            if self.wary {
                chunk = head(rest, WARY_CHUNK_BYTES);
                valid = self.implementation.run(ValidateWary::check(chunk)).valid;
            } else {
                chunk = head(rest, CHUNK_BYTES);
                valid = self.implementation.run(check(chunk, Utf8)).valid;
            }
            if valid == chunk.len() {
                self.at += valid;
                if !self.wary {
                    poll()?;
                }
                self.wary = false;
            } else {
                self.skip_valid(data, valid);
                self.expected = true;
                self.alone = valid >= ALONE_BYTES;
            }
        }
        Ok(false)
    }

    /// Skips what a validation pass found valid in the next bytes, up to the start of the last character.
    #[inline]
    fn skip_valid(&mut self, data: &[u8], valid: usize) {
        let broken = self.at + valid;
        if valid > 0 {
            // The error may start in the character before.
            self.at = search_start(data, broken).max(self.at);
        }
    }

    /// Returns the offset in bytes up to which errors were searched for.
    pub fn searched(&self) -> usize {
        let mut blocks = (self.block_start..).step_by(BLOCK_BYTES).zip(&self.blocks[self.block..]);
        let next = blocks.find(|(_, block)| block.errors != 0);
        next.map_or(self.at, |(start, block)| start + block.errors.trailing_zeros() as usize)
    }
}

/// Returns the first error of `data`.
///
/// Finding the errors of whole blocks, as [`ErrorSearch`] does, would take longer than this where only one is needed.
pub fn first_error(
    implementation: Implementation,
    data: &[u8],
    poll: Poll<'_>,
) -> Result<Option<Utf8Error>, Stopped> {
    let mut at = 0;
    while at < data.len() {
        let chunk = head(&data[at..], CHUNK_BYTES);
        let valid = implementation.run(check(chunk, Utf8)).valid;
        if valid == chunk.len() {
            at += valid;
            poll()?;
            continue;
        }
        let end = at + chunk.len();
        let start = if valid == 0 { at } else { search_start(data, at + valid).max(at) };
        match first_malformed(data, start..end) {
            Ok(next) => at = next,
            Err((at, _, length)) => return Ok(Some(error_at(data, at, length))),
        }
    }
    Ok(None)
}

/// An iterator over the errors of some bytes.
#[derive(Clone, Debug)]
pub struct ErrorIter<'a> {
    data: &'a [u8],
    search: ErrorSearch,
}

impl<'a> ErrorIter<'a> {
    /// Returns the errors of `data`.
    #[doc(hidden)]
    pub fn new(implementation: Implementation, data: &'a [u8]) -> Self {
        Self::starting_at(implementation, data, 0)
    }

    /// Iterates over the errors of `data[at..]`; offsets still count from the start of `data`.
    pub(crate) fn starting_at(implementation: Implementation, data: &'a [u8], at: usize) -> Self {
        Self { data, search: ErrorSearch::starting_at(implementation, at) }
    }

    /// Returns the next error, or `None` if the rest is valid.
    #[inline(always)]
    pub(crate) fn next_error(&mut self) -> Option<Utf8Error> {
        uninterrupted(self.next_error_with(&mut unpolled))
    }

    /// Returns the next error.
    #[doc(hidden)]
    #[inline(always)]
    pub fn next_error_with(&mut self, poll: Poll<'_>) -> Result<Option<Utf8Error>, Stopped> {
        self.search.next(self.data, poll)
    }

    /// Returns the data.
    pub(crate) fn data(&self) -> &'a [u8] {
        self.data
    }

    /// Returns the implementation that searches.
    pub(crate) fn implementation(&self) -> Implementation {
        self.search.implementation
    }

    /// Skips what a validation pass found valid in the next bytes, up to the start of the last character.
    pub(crate) fn skip_valid(&mut self, valid: usize) {
        self.search.skip_valid(self.data, valid);
    }

    /// Counts the other errors of `data[..end]`, where no character or error crosses the end, and among them the stray
    /// continuation bytes.
    pub(crate) fn count_until(self, end: usize) -> [usize; 2] {
        let ErrorSearch { implementation, .. } = self.search;
        let mut rest = self.data.get(self.searched()..end).unwrap_or_default();
        let (mut count, mut strays) = (0, 0);
        while !rest.is_empty() {
            let mut search = ErrorSearch::starting_at(implementation, 0);
            let found = uninterrupted(search.find_blocks(rest, &mut unpolled));
            rest = if found { &rest[search.block_start..] } else { &[] };
            // More errors are likely near the first.
            let mut errors = usize::from(found);
            while errors > 0 {
                let chunk = head(rest, WARY_CHUNK_BYTES);
                let counts = implementation.run(CountReplaced(chunk));
                errors = counts.errors;
                count += errors;
                // All others have one lead byte.
                strays += counts.chars.saturating_sub(implementation.count_chars(chunk));
                rest = &rest[chunk.len()..];
            }
        }
        [count, strays]
    }

    /// Returns the offset in bytes up to which errors were searched for.
    #[doc(hidden)]
    pub fn searched(&self) -> usize {
        self.search.searched()
    }
}

/// Returns the error of `length` bytes at `data[start..]`.
// Inlined, as an error that is moved through memory in parts takes several times as long.
#[inline(always)]
fn error_at(data: &[u8], start: usize, length: usize) -> Utf8Error {
    let rest = &data[start..];
    let kind = malformed_kind(rest, length);
    Utf8Error::new(start as u64, kind, &rest[..length])
}

impl Iterator for ErrorIter<'_> {
    type Item = Utf8Error;

    #[inline]
    fn next(&mut self) -> Option<Utf8Error> {
        self.next_error()
    }
}

impl FusedIterator for ErrorIter<'_> {}

/// Returns a lazy iterator over the errors of `data`, with the spans of CPython and of [`str::from_utf8`].
///
/// ```
/// let errors: Vec<_> = leadbyte::iter_errors(b"a\xFFb\xC0\xB1").map(|error| error.start()).collect();
/// assert_eq!(errors, [1, 3, 4]);
/// assert_eq!(leadbyte::iter_errors("fine".as_bytes()).next(), None);
/// ```
pub fn iter_errors(data: &[u8]) -> ErrorIter<'_> {
    Implementation::active().iter_errors(data)
}

impl Implementation {
    /// Returns the first error of `data`.
    #[doc(hidden)]
    pub fn first_error(self, data: &[u8]) -> Option<Utf8Error> {
        uninterrupted(first_error(self, data, &mut unpolled))
    }
}

#[doc(hidden)]
impl Implementation {
    pub fn iter_errors(self, data: &[u8]) -> ErrorIter<'_> {
        ErrorIter::new(self, data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::implementations;
    use crate::sequence::MAX_INCOMPLETE_BYTES;

    /// The distance in bytes, at most, of what a pass finds valid from the error after it.
    const PASS_PRECISION_BYTES: usize = 8;

    /// Where a pass stops earlier, the errors are the same, but more is searched for them again.
    #[test]
    fn passes_stop_near_the_first_error() {
        let check_passes = |data: &[u8], start: usize| {
            for implementation in implementations() {
                let checked = implementation.run(check(data, Utf8)).valid;
                for valid in [implementation.run(ValidateWary::check(data)).valid, checked] {
                    let within = start.saturating_sub(PASS_PRECISION_BYTES)..=start + MAX_INCOMPLETE_BYTES;
                    assert!(within.contains(&valid), "{}: {valid}, not {start}", implementation.name());
                }
            }
        };
        for fill in ["a", "é", "€", "😀", "a\né€😀, "] {
            let text = fill.repeat(1500 / fill.len());
            for broken in [&b"\xFF"[..], b"\x80", b"\xE2\x82", b"\xED\xA0\x80", b"\xF4\x90"] {
                for (start, _) in text.char_indices().step_by(5) {
                    let (before, after) = text.as_bytes().split_at(start);
                    check_passes(&[before, broken].concat(), start);
                    check_passes(&[before, broken, after].concat(), start);
                }
            }
        }
    }
}
