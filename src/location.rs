//! From an offset in bytes, characters or UTF-16 code units to line and column, without an index: by counting.

use core::iter::FusedIterator;

use crate::error::Utf8Error;
use crate::error_iter::ErrorIter;
use crate::kernels::count::All;
use crate::kernels::counts::Counts;
use crate::kernels::errors::CountReplaced;
use crate::kernels::validate;
use crate::offsets::Unit;
use crate::progress::{Poll, Stopped, uninterrupted, unpolled};
use crate::sequence::boundary::{CHUNK_BYTES, MAX_BYTES_TO_LEAD, chunks};
use crate::sequence::{decode_one, is_continuation};
use crate::simd::dispatch::Implementation;

/// The location of a character: its line, columns and offsets.
///
/// Characters are counted in the text that [`String::from_utf8_lossy`] returns, with a U+FFFD for each error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// The line, from 1. Lines end with a line feed.
    pub line: u64,
    /// The column in characters, from 1.
    pub column: u64,
    /// The column in UTF-16 code units, from 1.
    pub utf16_column: u64,
    /// The number of characters before it.
    pub char_offset: u64,
    /// The number of bytes before it; for an offset in bytes, that offset.
    pub byte_offset: u64,
}

/// Returns the location of the character at `offset`, counted in a unit from 0; the end of `data` has a location too.
///
/// A byte inside a character, or inside an error's span, has the line and columns of its first byte, a low surrogate
/// the columns of its character. Each error counts as one character, U+FFFD, so lines and columns are those that
/// editors show; [`count_chars`](crate::count_chars), which counts lead bytes, may return fewer characters.
///
/// # Panics
/// If `offset` is beyond the end.
///
/// ```
/// use leadbyte::Unit;
/// let text = "один\n😀 два".as_bytes();
/// let location = leadbyte::locate(text, 14, Unit::Byte);
/// assert_eq!((location.line, location.column, location.utf16_column), (2, 3, 4));
/// assert_eq!(leadbyte::locate(text, 7, Unit::Char), location);
/// assert_eq!(leadbyte::locate(text, 8, Unit::Utf16), location);
/// assert_eq!(leadbyte::locate(b"\xB8\xB8 \xE2\x82!", 5, Unit::Byte).column, 5);
/// ```
///
/// ```should_panic
/// leadbyte::locate(b"text", 5, leadbyte::Unit::Byte);
/// ```
pub fn locate(data: &[u8], offset: usize, unit: Unit) -> Location {
    let implementation = Implementation::active();
    match uninterrupted(locate_with(implementation, data, offset, unit, &mut unpolled)) {
        Ok(location) => location,
        Err(length) => panic!("offset {offset} is beyond the end, at {length}"),
    }
}

/// Returns what [`locate`] returns, or the length of `data` in the unit if `offset` is beyond it.
pub fn locate_with(
    implementation: Implementation,
    data: &[u8],
    offset: usize,
    unit: Unit,
    poll: Poll<'_>,
) -> Result<Result<Location, u64>, Stopped> {
    let start = match unit {
        Unit::Byte if offset > data.len() => return Ok(Err(data.len() as u64)),
        Unit::Byte => sequence_start(data, offset),
        Unit::Char | Unit::Utf16 => offset,
    } as u64;
    let mut counter = LocationCounter::default();
    for chunk in chunks(data, CHUNK_BYTES) {
        let mut next = counter;
        next.advance(implementation, chunk);
        if next.count(unit) > start {
            let before = (start - counter.count(unit)) as usize;
            counter.advance(implementation, &chunk[..start_in(implementation, chunk, before, unit)]);
            break;
        }
        counter = next;
        poll()?;
    }
    let location = counter.location();
    Ok(match unit {
        Unit::Byte => Ok(Location { byte_offset: offset as u64, ..location }),
        Unit::Char | Unit::Utf16 if counter.bytes < data.len() as u64 => Ok(location),
        Unit::Char | Unit::Utf16 if counter.count(unit) == start => Ok(location),
        Unit::Char | Unit::Utf16 => Err(counter.count(unit)),
    })
}

/// The number of bytes among which a character is searched for one by one.
const NEAR_BYTES: usize = 64;

/// Returns the offset in bytes of the character at `offset`, which is below the number of units in `data`.
fn start_in(implementation: Implementation, data: &[u8], mut offset: usize, unit: Unit) -> usize {
    if unit == Unit::Byte {
        return offset;
    }
    let (mut start, mut end) = (0, data.len());
    while end - start > NEAR_BYTES {
        let middle = sequence_start(data, start.midpoint(end));
        let (chars, utf16_count) = count(implementation, &data[start..middle]);
        let count = if unit == Unit::Char { chars } else { utf16_count } as usize;
        if offset < count {
            end = middle;
        } else {
            offset -= count;
            start = middle;
        }
    }
    while let Some(sequence) = decode_one(&data[start..]) {
        let length = if unit == Unit::Utf16 { sequence.utf16_length() as usize } else { 1 };
        let Some(after) = offset.checked_sub(length) else { break };
        offset = after;
        start += sequence.length();
    }
    start
}

/// Counts while data goes by, for the location of what follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LocationCounter {
    bytes: u64,
    chars: u64,
    utf16_count: u64,
    newlines: u64,
    /// The number of characters since the last newline.
    line_chars: u64,
    /// The number of UTF-16 code units since the last newline.
    line_utf16_count: u64,
}

impl LocationCounter {
    /// Returns the counter that is at a location, which must not be beyond a number of bytes; `None` if no counter is.
    #[cfg(feature = "bindings")]
    pub fn at(location: Location, end: u64) -> Option<Self> {
        let Location { line, column, utf16_column, char_offset, byte_offset } = location;
        let counts =
            [line.checked_sub(1)?, column.checked_sub(1)?, utf16_column.checked_sub(1)?, char_offset];
        let possible = byte_offset <= end && counts.iter().all(|&count| count <= byte_offset);
        possible.then_some(Self {
            bytes: location.byte_offset,
            chars: location.char_offset,
            // Not a part of the location, nor is it needed for one.
            utf16_count: 0,
            newlines: location.line.saturating_sub(1),
            line_chars: location.column.saturating_sub(1),
            line_utf16_count: location.utf16_column.saturating_sub(1),
        })
    }

    /// Returns a counter that has counted bytes which belong to no character.
    pub fn starting_at(bytes: u64) -> Self {
        Self { bytes, ..Self::default() }
    }

    /// Counts the characters and lines of `data`, valid or not, which starts and ends where a character or an error
    /// does.
    pub fn advance(&mut self, implementation: Implementation, data: &[u8]) {
        let findings = implementation.run(validate::scan(data));
        if findings.valid >= data.len() {
            self.add_valid(implementation, data, findings.counts);
            return;
        }
        let counts = (count(implementation, data), implementation.count_newlines(data));
        self.add(data, counts, || count(implementation, &data[line_start(data)..]));
    }

    /// Counts the characters and lines of `data`, which is valid, but may be cut anywhere.
    pub fn advance_valid(&mut self, implementation: Implementation, data: &[u8]) {
        self.add_valid(implementation, data, implementation.run(All(data)));
    }

    /// Counts an error.
    pub fn advance_error(&mut self, error: &Utf8Error) {
        self.bytes = self.bytes.max(error.end());
        for count in
            [&mut self.chars, &mut self.utf16_count, &mut self.line_chars, &mut self.line_utf16_count]
        {
            *count += 1;
        }
    }

    fn add_valid(&mut self, implementation: Implementation, data: &[u8], counts: Counts) {
        let counts = (chars_and_utf16(data, counts), counts.newlines);
        self.add(data, counts, || count_valid(implementation, &data[line_start(data)..]));
    }

    fn add(
        &mut self,
        data: &[u8],
        ((chars, utf16_count), newlines): ((u64, u64), usize),
        since_newline: impl FnOnce() -> (u64, u64),
    ) {
        let (line_chars, line_utf16_count) = match newlines {
            0 => (self.line_chars + chars, self.line_utf16_count + utf16_count),
            _ => since_newline(),
        };
        *self = Self {
            bytes: self.bytes + data.len() as u64,
            chars: self.chars + chars,
            utf16_count: self.utf16_count + utf16_count,
            newlines: self.newlines + newlines as u64,
            line_chars,
            line_utf16_count,
        };
    }

    /// Returns the bytes of `data` from those counted so far up to `end`.
    pub fn rest<'a>(&self, data: &'a [u8], end: u64) -> &'a [u8] {
        data.get(self.bytes as usize..end as usize).unwrap_or_default()
    }

    /// Returns the number of units so far.
    fn count(&self, unit: Unit) -> u64 {
        match unit {
            Unit::Byte => self.bytes,
            Unit::Char => self.chars,
            Unit::Utf16 => self.utf16_count,
        }
    }

    /// Returns the location of the next byte.
    pub fn location(&self) -> Location {
        Location {
            line: self.newlines + 1,
            column: self.line_chars + 1,
            utf16_column: self.line_utf16_count + 1,
            char_offset: self.chars,
            byte_offset: self.bytes,
        }
    }
}

/// Returns the numbers of characters and UTF-16 code units of valid data, given counts over it.
fn chars_and_utf16(data: &[u8], counts: Counts) -> (u64, u64) {
    let chars = data.len().saturating_sub(counts.continuations) as u64;
    (chars, chars + counts.four_byte_leads as u64)
}

/// Counts characters and UTF-16 code units of valid data.
pub(crate) fn count_valid(implementation: Implementation, data: &[u8]) -> (u64, u64) {
    chars_and_utf16(data, implementation.run(All(data)))
}

/// Counts characters and UTF-16 code units, with U+FFFD in the place of each error.
pub(crate) fn count(implementation: Implementation, data: &[u8]) -> (u64, u64) {
    let counts = implementation.run(CountReplaced(data));
    (counts.chars as u64, counts.utf16_count as u64)
}

/// Returns the offset after the last line feed; 0 if there is none.
pub(crate) fn line_start(data: &[u8]) -> usize {
    memchr::memrchr(b'\n', data).map_or(0, |newline| newline + 1)
}

/// Returns the offset of the first byte of the character or error span that byte `offset` belongs to; `offset` itself
/// at the end of the data.
pub(crate) fn sequence_start(data: &[u8], offset: usize) -> usize {
    if data.get(offset).is_none_or(|&byte| !is_continuation(byte)) {
        return offset;
    }
    let lead =
        (offset.saturating_sub(MAX_BYTES_TO_LEAD)..offset).rev().find(|&at| !is_continuation(data[at]));
    match lead {
        Some(lead) if decode_one(&data[lead..]).is_some_and(|sequence| lead + sequence.length() > offset) => {
            lead
        }
        _ => offset,
    }
}

/// An iterator over the errors of some bytes and their locations: see [`ErrorIter::with_locations`].
#[derive(Clone, Debug)]
pub struct LocatedErrorIter<'a> {
    errors: ErrorIter<'a>,
    counter: LocationCounter,
}

impl<'a> ErrorIter<'a> {
    /// Returns the other errors, each with the location of its first byte.
    ///
    /// The data between two errors is counted once, so all locations together take about as long as one of the last.
    ///
    /// ```
    /// let data = b"caf\xE9\n\xF0\x9F\x98\x80 \xFF";
    /// let mut errors = leadbyte::iter_errors(data).with_locations();
    /// let (error, location) = errors.nth(1).unwrap();
    /// assert_eq!((error.start(), location.line), (10, 2));
    /// assert_eq!((location.column, location.utf16_column), (3, 4));
    /// assert_eq!(errors.next(), None);
    /// ```
    pub fn with_locations(self) -> LocatedErrorIter<'a> {
        let mut counter = LocationCounter::default();
        counter.advance(self.implementation(), &self.data()[..self.searched()]);
        LocatedErrorIter { errors: self, counter }
    }
}

impl Iterator for LocatedErrorIter<'_> {
    type Item = (Utf8Error, Location);

    fn next(&mut self) -> Option<Self::Item> {
        let error = self.errors.next_error()?;
        let before = self.counter.rest(self.errors.data(), error.start());
        self.counter.advance_valid(self.errors.implementation(), before);
        let location = self.counter.location();
        self.counter.advance_error(&error);
        Some((error, location))
    }
}

impl FusedIterator for LocatedErrorIter<'_> {}
