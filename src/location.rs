//! From a byte offset to line, column and character.

use crate::count::chars_since_newline;
use crate::sequence::{decode_one, is_continuation};
use crate::simd::dispatch::Implementation;

/// Where a byte stands.
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

/// Line, column and character of byte `offset`; the end of `data` has a place too.
///
/// A byte inside a character, or inside an error's span, has the place of its first byte.
///
/// # Panics
/// If `offset` is beyond the end.
///
/// ```
/// let place = leadbyte::locate("один\nдва".as_bytes(), 11);
/// assert_eq!((place.line, place.column, place.char), (2, 2, 6));
/// ```
pub fn locate(data: &[u8], offset: usize) -> Location {
    let mut place = Place::default();
    place.advance(Implementation::active(), &data[..sequence_start(data, offset)]);
    place.location(offset as u64)
}

/// How far one has come through some data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    /// Newlines passed.
    pub newlines: u64,
    /// Characters passed.
    pub chars: u64,
    /// Characters passed since the last newline.
    pub line_chars: u64,
}

impl Place {
    /// Passes `data`.
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

    /// The location of what comes next, at `byte_offset`.
    pub fn location(&self, byte_offset: u64) -> Location {
        Location { line: self.newlines + 1, column: self.line_chars + 1, char: self.chars, byte_offset }
    }
}

/// Where the character or error span begins that byte `offset` belongs to.
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
