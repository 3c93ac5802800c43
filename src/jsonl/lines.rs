//! The search in JSON lines, piece by piece.

use core::ops::Range;

use super::escape::{Escape, UNICODE_ESCAPE_BYTES};
use super::finding::{Finding, Kind, Place};
use super::record::Record;
use crate::allocation::AllocError;
use crate::encodings::bom::BOM;
use crate::error::Utf8Error;
use crate::error_iter::ErrorIter;
use crate::kernels::json_escapes::FindJsonEscapes;
use crate::sequence::incomplete_suffix;
use crate::simd::dispatch::Implementation;

/// The maximum number of bytes that wait for what follows them: the first of a pair of escapes, without the last, and
/// of a character.
const MAX_CARRY_BYTES: usize = 16;

/// Is called with each finding, in order, and with its place in the record.
pub type Found<'a> = &'a mut dyn FnMut(&Finding, &Record) -> Result<(), AllocError>;

/// A search in JSON lines that arrive in pieces of any size, cut anywhere; what it finds does not depend on the cuts.
#[derive(Debug)]
pub struct JsonLines {
    by: Implementation,
    /// The number of bytes that were searched.
    offset: u64,
    /// The bytes after these that wait for the next piece.
    carry: [u8; MAX_CARRY_BYTES],
    carry_length: usize,
    /// The number of lines that ended.
    lines: u64,
    /// The characters of the record that were counted.
    chars: u64,
    record: Record,
    record_start: u64,
    /// The offset up to which nothing but byte order marks precede in the record.
    text_start: u64,
    /// The offset after the last escape that is not finished.
    unfinished_end: u64,
    /// Whether a record has started whose line has not ended.
    in_record: bool,
    /// Whether something was found in the record.
    has_finding: bool,
    findings: u64,
    invalid_records: u64,
    is_truncated: bool,
}

/// Bytes that are searched, and their errors of UTF-8.
struct Text<'a> {
    bytes: &'a [u8],
    /// Where the character starts that others have to complete.
    end: usize,
    errors: ErrorIter<'a>,
    next_error: Option<Utf8Error>,
    /// Whether no more bytes follow.
    is_last: bool,
    /// The number of its bytes among the characters that were counted.
    counted: usize,
}

impl Text<'_> {
    /// Returns the offset of the next error, or a bound if that is less.
    fn error_or(&self, bound: usize) -> usize {
        self.next_error.map_or(bound, |error| bound.min(error.start() as usize))
    }
}

impl JsonLines {
    /// Returns a copy.
    pub fn try_clone(&self) -> Result<Self, AllocError> {
        Ok(Self { record: self.record.try_clone()?, ..*self })
    }

    /// Starts a search.
    pub fn new(by: Implementation) -> Self {
        Self {
            by,
            offset: 0,
            carry: [0; MAX_CARRY_BYTES],
            carry_length: 0,
            lines: 0,
            chars: 0,
            record: Record::default(),
            record_start: 0,
            text_start: 0,
            unfinished_end: 0,
            in_record: false,
            has_finding: false,
            findings: 0,
            invalid_records: 0,
            is_truncated: false,
        }
    }

    /// Returns the number of findings.
    pub fn finding_count(&self) -> u64 {
        self.findings
    }

    /// Returns the number of records in which something was found.
    pub fn invalid_record_count(&self) -> u64 {
        self.invalid_records
    }

    /// Returns whether the last record is not complete.
    pub fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    /// Returns the number of bytes that were searched, which are all but those that wait for the next piece.
    pub fn searched(&self) -> u64 {
        self.offset
    }

    /// Returns the bytes that wait for the next piece.
    pub fn waiting(&self) -> &[u8] {
        &self.carry[..self.carry_length]
    }

    /// Searches the piece that follows.
    pub fn update(&mut self, piece: &[u8], found: Found<'_>) -> Result<(), AllocError> {
        let mut piece = piece;
        if self.carry_length > 0 {
            // What the carry starts ends within as many bytes again.
            let mut joined = [0; 2 * MAX_CARRY_BYTES];
            let start = &piece[..piece.len().min(MAX_CARRY_BYTES)];
            let length = self.carry_length + start.len();
            joined[..self.carry_length].copy_from_slice(self.waiting());
            joined[self.carry_length..length].copy_from_slice(start);
            let searched = self.search(&joined[..length], false, found)?;
            let Some(more) = searched.checked_sub(self.carry_length) else {
                self.keep(&joined[searched..length]);
                return Ok(());
            };
            self.carry_length = 0;
            piece = &piece[more..];
        }
        let searched = self.search(piece, false, found)?;
        self.keep(&piece[searched..]);
        Ok(())
    }

    /// Ends the text, whose last record may be incomplete.
    pub fn finish(&mut self, found: Found<'_>) -> Result<(), AllocError> {
        let carry = self.carry;
        let length = core::mem::take(&mut self.carry_length);
        self.search(&carry[..length], true, found)?;
        if self.in_record && self.record.is_truncated() {
            self.is_truncated = true;
            self.count_finding();
            let finding = Finding {
                kind: Kind::TruncatedRecord,
                start: self.record_start,
                end: self.offset,
                line: self.lines + 1,
                column: 1,
                record_start: self.record_start,
                place: Place::Outside,
                bytes: [0; UNICODE_ESCAPE_BYTES],
            };
            found(&finding, &self.record)?;
        }
        self.in_record = false;
        Ok(())
    }

    /// Lets bytes wait for the next piece.
    fn keep(&mut self, bytes: &[u8]) {
        debug_assert!(bytes.len() <= MAX_CARRY_BYTES);
        let length = bytes.len().min(MAX_CARRY_BYTES);
        self.carry[..length].copy_from_slice(&bytes[..length]);
        self.carry_length = length;
    }

    /// Searches bytes, up to those for which others have to follow; returns the number of bytes before these.
    fn search(&mut self, bytes: &[u8], is_last: bool, found: Found<'_>) -> Result<usize, AllocError> {
        let end = if is_last { bytes.len() } else { bytes.len() - incomplete_suffix(bytes) };
        let mut errors = ErrorIter::new(self.by, bytes);
        let next_error = errors.next_error();
        let mut text = Text { bytes, end, errors, next_error, is_last, counted: 0 };
        let mut at = 0;
        if self.in_record {
            at = self.read_record(&mut text, 0, found)?;
        }
        if !self.in_record {
            at = self.search_lines(&mut text, at, found)?;
            if at < end {
                at = self.read_record(&mut text, at, found)?;
            }
        }
        if self.in_record {
            self.count_chars(&mut text, at);
        }
        self.offset += at as u64;
        Ok(at)
    }

    /// Searches the lines of the text from `at` on that end in it; returns the offset after them.
    fn search_lines(
        &mut self,
        text: &mut Text<'_>,
        from: usize,
        found: Found<'_>,
    ) -> Result<usize, AllocError> {
        let mut at = from;
        let end = memchr::memrchr(b'\n', &text.bytes[at..]).map_or(at, |last| at + last + 1);
        let lines = &text.bytes[..end];
        let mut suspects = Suspects { block: at, next: at, bits: 0 };
        let mut suspect = suspects.next(self.by, lines, at);
        loop {
            let first = text.error_or(suspect.unwrap_or(end));
            if first >= end {
                break;
            }
            let start = memchr::memrchr(b'\n', &lines[at..first]).map_or(at, |last| at + last + 1);
            self.lines += self.by.count_newlines(&lines[at..start]) as u64;
            at = self.read_record(text, start, found)?;
            if suspect.is_some_and(|suspect| suspect < at) {
                suspect = suspects.next(self.by, lines, at);
            }
        }
        self.lines += self.by.count_newlines(&lines[at..]) as u64;
        Ok(end)
    }

    /// Reads a record, or the rest of one, up to the end of its line or of the text; returns the offset after that, or
    /// of the bytes for which others have to follow.
    fn read_record(
        &mut self,
        text: &mut Text<'_>,
        from: usize,
        found: Found<'_>,
    ) -> Result<usize, AllocError> {
        let bytes = text.bytes;
        if !self.in_record {
            self.record.restart();
            self.record_start = self.offset + from as u64;
            self.text_start = self.record_start;
            (self.in_record, self.has_finding) = (true, false);
            (self.chars, text.counted) = (0, from);
        }
        let line_feed = memchr::memchr(b'\n', &bytes[from..]).map(|length| from + length);
        let end = line_feed.unwrap_or(text.end);
        let at = self.read(text, from, end, found)?;
        if line_feed == Some(at) {
            self.in_record = false;
            self.lines += 1;
            return Ok(end + 1);
        }
        Ok(at)
    }

    /// Reads the bytes of a record from `from` to `end`; returns the offset of those for which others have to follow.
    fn read(
        &mut self,
        text: &mut Text<'_>,
        from: usize,
        end: usize,
        found: Found<'_>,
    ) -> Result<usize, AllocError> {
        let mut at = from;
        while at < end {
            let stop = text.error_or(end);
            let length = if at == stop {
                self.read_error(text, at, found)?
            } else if self.record.in_string() {
                self.read_in_string(text, at..stop, found)?
            } else {
                self.read_outside(text, at..stop, found)?
            };
            if length == 0 {
                break;
            }
            at += length;
        }
        Ok(at)
    }

    /// Reads an error of UTF-8; returns its length.
    #[cold]
    fn read_error(&mut self, text: &mut Text<'_>, at: usize, found: Found<'_>) -> Result<usize, AllocError> {
        let length = self.report_error(text, found)?;
        self.record.take_text(&text.bytes[at..at + length])?;
        if !self.record.in_string() {
            self.record.take(text.bytes[at])?;
        }
        Ok(length)
    }

    /// Reads some of the bytes of a range outside of strings; returns their number.
    #[inline(always)]
    fn read_outside(
        &mut self,
        text: &mut Text<'_>,
        range: Range<usize>,
        found: Found<'_>,
    ) -> Result<usize, AllocError> {
        let at = range.start;
        let part = &text.bytes[range];
        if self.text_start == self.offset + at as u64 && part.starts_with(&BOM) {
            self.report(text, Kind::Bom, at, BOM.len(), found)?;
            self.text_start += BOM.len() as u64;
            return Ok(BOM.len());
        }
        for (length, &byte) in part.iter().enumerate() {
            match byte {
                b'"' => {
                    self.record.take_quotation_mark();
                    return Ok(length + 1);
                }
                0 => {
                    self.report(text, Kind::Nul, at + length, 1, found)?;
                    self.record.take(0)?;
                    return Ok(length + 1);
                }
                _ => self.record.take(byte)?,
            }
        }
        Ok(part.len())
    }

    /// Reads some of the bytes of a range within a string; returns their number, 0 if others have to follow.
    #[inline(always)]
    fn read_in_string(
        &mut self,
        text: &mut Text<'_>,
        range: Range<usize>,
        found: Found<'_>,
    ) -> Result<usize, AllocError> {
        let at = range.start;
        let part = &text.bytes[range];
        let length = match part.first() {
            Some(b'"') => {
                self.record.take_quotation_mark();
                return Ok(1);
            }
            Some(b'\\') => match two_byte_escapes(part) {
                Some(escapes) => escapes,
                None => self.read_escape(text, at, found)?,
            },
            Some(0) => {
                self.report(text, Kind::Nul, at, 1, found)?;
                1
            }
            _ => memchr::memchr3(b'"', b'\\', 0, part).unwrap_or(part.len()),
        };
        self.record.take_text(&text.bytes[at..at + length])?;
        Ok(length)
    }

    /// Reports what an escape sequence has to be reported for; returns its length, 0 if others have to follow.
    fn read_escape(&mut self, text: &mut Text<'_>, at: usize, found: Found<'_>) -> Result<usize, AllocError> {
        let rest = &text.bytes[at..];
        let escape = Escape::at_start(rest);
        let length = escape.length(rest);
        match escape {
            Escape::LoneSurrogate => self.report(text, Kind::LoneSurrogate, at, length, found)?,
            Escape::Nul => self.report(text, Kind::Nul, at, length, found)?,
            Escape::Unknown if !text.is_last => return Ok(0),
            Escape::Unfinished(_) => self.unfinished_end = self.offset + (at + length) as u64,
            Escape::Unknown | Escape::Other(_) => {}
        }
        Ok(length)
    }

    /// Reports the next error of UTF-8; returns its length.
    #[cold]
    fn report_error(&mut self, text: &mut Text<'_>, found: Found<'_>) -> Result<usize, AllocError> {
        let Some(error) = text.next_error else { return Ok(1) };
        text.next_error = text.errors.next_error();
        let (start, length) = (error.start() as usize, error.bytes().len());
        self.report(text, Kind::Invalid(error.kind()), start, length, found)?;
        self.chars += 1;
        text.counted = start + length;
        Ok(length)
    }

    /// Reports a finding of `length` bytes.
    #[cold]
    fn report(
        &mut self,
        text: &mut Text<'_>,
        kind: Kind,
        start: usize,
        length: usize,
        found: Found<'_>,
    ) -> Result<(), AllocError> {
        self.count_chars(text, start);
        self.count_finding();
        let mut bytes = [0; UNICODE_ESCAPE_BYTES];
        for (place, &byte) in bytes.iter_mut().zip(&text.bytes[start..start + length]) {
            *place = byte;
        }
        let start = self.offset + start as u64;
        let place = match self.record.in_string() {
            true if self.unfinished_end == start => Place::AfterUnfinished,
            true => Place::String,
            false => Place::Outside,
        };
        let (line, column) = (self.lines + 1, self.chars + 1);
        let (end, record_start) = (start + length as u64, self.record_start);
        found(&Finding { kind, start, end, line, column, record_start, place, bytes }, &self.record)
    }

    fn count_finding(&mut self) {
        self.findings += 1;
        self.invalid_records += u64::from(!self.has_finding);
        self.has_finding = true;
    }

    /// Counts the characters of the record before `end`, which are valid.
    fn count_chars(&mut self, text: &mut Text<'_>, end: usize) {
        let bytes = text.bytes.get(text.counted..end).unwrap_or_default();
        self.chars += self.by.count_chars(bytes) as u64;
        text.counted = text.counted.max(end);
    }
}

/// Where whole lines may have a finding, but for errors of UTF-8.
struct Suspects {
    /// The block that was searched, and where the next one starts.
    block: usize,
    next: usize,
    /// A bit for each byte of the block.
    bits: u64,
}

impl Suspects {
    /// Returns the offset of the next one from `from` on.
    fn next(&mut self, by: Implementation, lines: &[u8], from: usize) -> Option<usize> {
        let mut from = from;
        loop {
            while self.bits != 0 {
                let at = self.block + self.bits.trailing_zeros() as usize;
                self.bits &= self.bits - 1;
                if at < from {
                    continue;
                }
                let rest = &lines[at..];
                if rest.first() != Some(&b'\\') {
                    if rest.first() == Some(&0) || rest.starts_with(&BOM) {
                        return Some(at);
                    }
                    continue;
                }
                if at > from && lines[at - 1] == b'\\' && is_escaped(lines, at) {
                    continue;
                }
                match Escape::at_start(rest) {
                    Escape::Other(length) => {
                        // It may be two escapes, the next of which is done, too.
                        from = at + length;
                        let done = (from - self.block).min(u64::BITS as usize);
                        self.bits &= u64::MAX.checked_shl(done as u32).unwrap_or_default();
                    }
                    Escape::Unfinished(_) => {}
                    Escape::LoneSurrogate | Escape::Nul | Escape::Unknown => return Some(at),
                }
            }
            if self.next >= lines.len() {
                return None;
            }
            (self.block, self.bits) =
                by.run(FindJsonEscapes { data: lines, from: self.next.max(from), lead: BOM[0] });
            self.next = self.block + u64::BITS as usize;
        }
    }
}

/// Returns the number of bytes of the escapes of two bytes with which `data` starts; `None` without any.
#[inline]
fn two_byte_escapes(data: &[u8]) -> Option<usize> {
    let pairs = data.as_chunks::<2>().0;
    let is_escape = |pair: &&[u8; 2]| pair[0] == b'\\' && pair[1] != b'u' && matches!(pair[1], b' '..=b'~');
    Some(2 * pairs.iter().take_while(is_escape).count()).filter(|&length| length > 0)
}

/// Returns whether the backslash at an offset is escaped by one before it: whether an odd number of them precedes.
fn is_escaped(data: &[u8], at: usize) -> bool {
    data[..at].iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}
