//! From a byte offset to line, column and character.

use crate::count::chars_since_newline;
use crate::sequence::{decode_one, is_continuation};
use crate::simd::dispatch::Implementation;

/// The location of a byte: its line, column and character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// The line, from 1. Lines end with a line feed.
    pub line: u64,
    /// The column in characters, from 1.
    pub column: u64,
    /// The index of the character, from 0: the number of characters before it.
    pub char: u64,
    /// The offset in bytes that was asked for.
    pub byte_offset: u64,
}

/// Returns the line, column and character of byte `offset`; the end of `data` has a location too.
///
/// A byte inside a character, or inside an error's span, has the location of its first byte.
///
/// # Panics
/// If `offset` is beyond the end.
///
/// ```
/// let location = leadbyte::locate("один\nдва".as_bytes(), 11);
/// assert_eq!((location.line, location.column, location.char), (2, 2, 6));
/// ```
pub fn locate(data: &[u8], offset: usize) -> Location {
    let mut counter = LocationCounter::default();
    counter.advance(Implementation::active(), &data[..sequence_start(data, offset)]);
    counter.location(offset as u64)
}

/// Counts newlines and characters while data goes by, for the location of what follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct LocationCounter {
    /// The number of newlines so far.
    pub newlines: u64,
    /// The number of characters so far.
    pub chars: u64,
    /// The number of characters since the last newline.
    pub line_chars: u64,
}

impl LocationCounter {
    /// Counts what is in `data`.
    pub fn advance(&mut self, implementation: Implementation, data: &[u8]) {
        let newlines = implementation.count_newlines(data) as u64;
        let chars = implementation.count_chars(data) as u64;
        self.line_chars = match newlines {
            0 => self.line_chars + chars,
            _ => chars_since_newline(implementation, data),
        };
        self.newlines += newlines;
        self.chars += chars;
    }

    /// Returns the location of the next byte, at `byte_offset`.
    pub fn location(&self, byte_offset: u64) -> Location {
        Location { line: self.newlines + 1, column: self.line_chars + 1, char: self.chars, byte_offset }
    }
}

/// Returns the offset of the first byte of the character or error span that byte `offset` belongs to.
pub(crate) fn sequence_start(data: &[u8], offset: usize) -> usize {
    if data[offset..].first().is_none_or(|&byte| !is_continuation(byte)) {
        return offset;
    }
    let lead = (offset.saturating_sub(3)..offset).rev().find(|&at| !is_continuation(data[at]));
    match lead {
        Some(lead) if decode_one(&data[lead..]).is_some_and(|sequence| lead + sequence.length() > offset) => {
            lead
        }
        _ => offset,
    }
}
