//! The fold: the state of a piece of data, so that neighbouring pieces merge exactly.
//!
//! A cut may be anywhere, also inside a character, an error or a byte order mark. It leaves at most three bytes on
//! either side undecided:
//!
//! * the *head*: up to three continuation bytes at the start of a piece, which may belong to a character before it
//!   (further ones cannot: at most three follow a lead byte);
//! * the *tail*: the start of a character at the end of a piece, valid so far.
//!
//! Everything between them is settled, whatever is around the piece, because a byte that is not a continuation byte
//! always starts a new sequence. So a piece keeps its first and its last bytes, and a merge decodes the tail of one and
//! the head of the next again, by the definition in [`sequence`](crate::sequence). Streaming is this fold over time,
//! threads are a tree of merges over one buffer, a cluster is that tree over files.

use core::fmt;
use std::borrow::Cow;

use crate::error::Utf8Error;
use crate::error_iter::ErrorIter;
use crate::kernels::count::All;
use crate::kernels::counts::Counts;
use crate::kernels::validate;
use crate::location::{self, Location, LocationCounter, line_start};
use crate::sequence::ErrorKind;
use crate::sequence::FOUR_BYTE_LEAD;
use crate::sequence::{Sequence, decode_one, is_continuation};
use crate::simd::dispatch::Implementation;

/// The maximum number of continuation bytes that can belong to a lead byte before the cut.
const MAX_HEAD_BYTES: usize = 3;

/// Up to `N` bytes at or next to one end of a span.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Edge<const N: usize> {
    length: u8,
    bytes: [u8; N],
}

/// The number of bytes of context that an error keeps before and after it.
const CONTEXT_BYTES: usize = 8;
/// The number of bytes that a piece keeps of its start and of its end: a context beside a head or a tail.
pub(crate) const END_BYTES: usize = CONTEXT_BYTES + MAX_HEAD_BYTES;

impl<const N: usize> Edge<N> {
    /// Returns the first bytes of `data`.
    pub(crate) fn first(data: &[u8]) -> Self {
        let mut edge = Self { length: 0, bytes: [0; N] };
        edge.append(data);
        edge
    }

    /// Returns the last bytes of `data`.
    fn last(data: &[u8]) -> Self {
        Self::first(&data[data.len().saturating_sub(N)..])
    }

    /// Returns the bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    /// Returns whether the capacity allows no more bytes.
    fn is_full(&self) -> bool {
        usize::from(self.length) == N
    }

    /// Adds the bytes that follow, as far as the capacity allows.
    pub(crate) fn append(&mut self, following: &[u8]) {
        let used = usize::from(self.length);
        let added = following.len().min(N - used);
        self.bytes[used..used + added].copy_from_slice(&following[..added]);
        self.length += added as u8;
    }

    /// Adds the bytes that precede, as far as the capacity allows.
    fn prepend(&mut self, preceding: &[u8]) {
        let capacity = N - usize::from(self.length);
        let mut edge = Self::first(&preceding[preceding.len().saturating_sub(capacity)..]);
        edge.append(self.as_slice());
        *self = edge;
    }
}

impl<const N: usize> Default for Edge<N> {
    fn default() -> Self {
        Self::first(&[])
    }
}

impl<const N: usize> fmt::Debug for Edge<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02x?}", self.as_slice())
    }
}

/// An error with its location and context.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LocatedError {
    /// The error.
    pub error: Utf8Error,
    /// Where it starts.
    pub location: Location,
    /// The bytes before it, at most eight.
    pub before: Edge<CONTEXT_BYTES>,
    /// The bytes after it, at most eight.
    pub after: Edge<CONTEXT_BYTES>,
}

impl LocatedError {
    /// Creates the error of `data` with its location.
    fn of(error: Utf8Error, location: Location, data: &[u8]) -> Self {
        let (start, end) = (error.start() as usize, error.end() as usize);
        Self { error, location, before: Edge::last(&data[..start]), after: Edge::first(&data[end..]) }
    }
}

/// The counts and errors of the undecided bytes at a cut.
#[derive(Default)]
struct Seam {
    errors: Vec<LocatedError>,
    /// The number of characters, with U+FFFD in the place of each error.
    chars: u64,
    /// The number of their UTF-16 code units.
    utf16_count: u64,
}

/// The state of a piece of data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    pub bytes: u64,
    /// The number of lead bytes.
    pub chars: u64,
    /// The number of lead bytes of four-byte sequences.
    pub four_byte_leads: u64,
    pub newlines: u64,
    /// The largest byte from 80 on, but F0 for any from there on; 0 if there is none.
    pub largest: u8,
    /// The number of characters between head and tail, with U+FFFD in the place of each error.
    pub replaced_chars: u64,
    /// The number of them since the last newline, or since the head if there is none.
    pub line_chars: u64,
    /// The number of their UTF-16 code units.
    pub line_utf16_count: u64,
    /// The first bytes.
    pub opening: Edge<END_BYTES>,
    /// The last bytes.
    pub closing: Edge<END_BYTES>,
    /// The number of errors between head and tail.
    pub error_count: u64,
    /// The first errors between head and tail.
    pub errors: Vec<LocatedError>,
    /// The maximum number of errors to keep.
    pub limit: usize,
    /// Whether this is the start or the end of all data, which no sequence crosses, rather than a piece.
    pub sealed: bool,
}

impl Summary {
    /// Returns an empty piece that keeps up to `limit` errors.
    pub fn empty(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Returns the state of `data`, with up to `limit` errors.
    pub fn of(implementation: Implementation, data: &[u8], limit: usize) -> Self {
        let mut piece = Self {
            bytes: data.len() as u64,
            opening: Edge::first(data),
            closing: Edge::last(data),
            ..Self::empty(limit)
        };
        let start = piece.head().len();
        // If the memory changes meanwhile, head and tail may overlap.
        let settled = start..(data.len() - piece.tail().len()).max(start);
        let mut counts = Counts::default();
        for open in [&data[..settled.start], &data[settled.end..]] {
            if !open.is_empty() {
                counts = counts.plus(implementation.run(All(open)));
            }
        }
        let findings = implementation.run(validate::scan(&data[settled.clone()]));
        counts = counts.plus(findings.counts);
        let mut strays = 0;
        if findings.valid < settled.len() {
            // Counting needs no validity, so errors are searched for separately.
            counts =
                counts.plus(implementation.run(All(&data[settled.start + findings.counted..settled.end])));
            // The bytes before the settled ones are counted by the merge.
            let mut counter = LocationCounter::starting_at(settled.start as u64);
            let mut errors = ErrorIter::starting_at(implementation, data, settled.start);
            errors.skip_valid(findings.valid);
            while piece.errors.len() < limit
                && let Some(error) = errors.next_error()
                && error.start() < settled.end as u64
            {
                counter.advance_valid(implementation, counter.rest(data, error.start()));
                piece.errors.push(LocatedError::of(error, counter.location(), data));
                counter.advance_error(&error);
                strays += usize::from(error.kind() == ErrorKind::UnexpectedContinuation);
            }
            let [others, other_strays] = errors.count_until(settled.end);
            piece.error_count = (piece.errors.len() + others) as u64;
            strays += other_strays;
        }
        piece.chars = data.len().saturating_sub(counts.continuations) as u64;
        piece.four_byte_leads = counts.four_byte_leads as u64;
        piece.newlines = counts.newlines as u64;
        piece.largest = counts.largest;
        let tail_chars = u64::from(settled.end < data.len());
        // An error has one lead byte unless it is a stray continuation byte.
        piece.replaced_chars = (piece.chars + strays as u64).saturating_sub(tail_chars);
        let settled = &data[settled];
        // A search for the last newline takes about as long as the scan if there is none.
        let line = if counts.newlines > 0 { &settled[line_start(settled)..] } else { settled };
        (piece.line_chars, piece.line_utf16_count) = if piece.error_count > 0 {
            location::count(implementation, line)
        } else if line.len() < settled.len() {
            location::count_valid(implementation, line)
        } else {
            let tail_utf16_count = tail_chars + u64::from(piece.tail().first() >= Some(&FOUR_BYTE_LEAD));
            let utf16_count = piece.chars + piece.four_byte_leads;
            (piece.replaced_chars, utf16_count.saturating_sub(tail_utf16_count))
        };
        piece
    }

    /// Returns the continuation bytes at the start that may belong to a character before the piece.
    fn head(&self) -> &[u8] {
        let opening = self.opening.as_slice();
        let length = opening.iter().take(MAX_HEAD_BYTES).take_while(|&&byte| is_continuation(byte)).count();
        &opening[..length]
    }

    /// Returns whether nothing is settled, because the whole piece is its head.
    fn is_all_head(&self) -> bool {
        !self.sealed && self.head().len() as u64 == self.bytes
    }

    /// Returns the start of a character at the end that may continue in the next piece.
    fn tail(&self) -> &[u8] {
        let closing = self.closing.as_slice();
        let last = &closing[closing.len().saturating_sub(MAX_HEAD_BYTES)..];
        let start = last.iter().rposition(|&byte| !is_continuation(byte)).unwrap_or(last.len());
        match decode_one(&last[start..]) {
            Some(Sequence::Malformed(ErrorKind::Truncated, _)) => &last[start..],
            _ => &[],
        }
    }

    /// Returns the number of bytes at the start that may belong to a character before the piece.
    pub fn head_bytes(&self) -> u64 {
        self.head().len() as u64
    }

    /// Returns the number of bytes between head and tail, whatever these are.
    pub fn settled_bytes(&self) -> u64 {
        self.bytes.saturating_sub(self.head_bytes() + self.tail().len() as u64)
    }

    /// Returns whether the piece ends inside a character.
    pub fn has_tail(&self) -> bool {
        !self.tail().is_empty()
    }

    /// Merges the piece that follows into this one. Counts saturate.
    pub fn merge(&mut self, next: &Self) {
        if self.bytes == 0 && !self.sealed && self.limit == next.limit {
            self.clone_from(next);
            return;
        }
        let Seam { errors: seam, chars: seam_chars, utf16_count: seam_utf16_count } = self.seam_with(next);
        let line_chars = self.line_chars.saturating_add(seam_chars);
        let line_utf16_count = self.line_utf16_count.saturating_add(seam_utf16_count);
        let replaced_chars = self.replaced_chars.saturating_add(seam_chars);
        // The context of an error is complete before the context of a later one.
        for located in self.errors.iter_mut().rev().take_while(|located| !located.after.is_full()) {
            located.after.append(next.opening.as_slice());
        }
        let moved = next.errors.iter().map(|located| {
            let mut moved = located.clone();
            moved.error = located.error.moved(self.bytes);
            let Location { line, column, utf16_column, char_offset, byte_offset } = &mut moved.location;
            if *line == 1 {
                *column = column.saturating_add(line_chars);
                *utf16_column = utf16_column.saturating_add(line_utf16_count);
            }
            *line = line.saturating_add(self.newlines);
            *char_offset = char_offset.saturating_add(replaced_chars);
            *byte_offset = byte_offset.saturating_add(self.bytes);
            moved.before.prepend(self.closing.as_slice());
            moved
        });
        let capacity = self.limit.saturating_sub(self.errors.len());
        let seam_count = seam.len() as u64;
        self.errors.extend(seam.into_iter().chain(moved).take(capacity));
        self.replaced_chars = replaced_chars.saturating_add(next.replaced_chars);
        (self.line_chars, self.line_utf16_count) = match next.newlines {
            0 => (
                line_chars.saturating_add(next.line_chars),
                line_utf16_count.saturating_add(next.line_utf16_count),
            ),
            _ => (next.line_chars, next.line_utf16_count),
        };
        for (sum, more) in [
            (&mut self.bytes, next.bytes),
            (&mut self.chars, next.chars),
            (&mut self.four_byte_leads, next.four_byte_leads),
            (&mut self.newlines, next.newlines),
            (&mut self.error_count, next.error_count.saturating_add(seam_count)),
        ] {
            *sum = sum.saturating_add(more);
        }
        self.largest = self.largest.max(next.largest);
        self.opening.append(next.opening.as_slice());
        let closing = self.closing;
        self.closing = next.closing;
        self.closing.prepend(closing.as_slice());
    }

    /// Returns the counts and errors of the bytes that the cut between `self` and `next` left undecided.
    fn seam_with(&self, next: &Self) -> Seam {
        let (closing, opening) = (self.closing.as_slice(), next.opening.as_slice());
        let (tail, head) = (self.tail().len(), next.head().len());
        let mut seam = Seam::default();
        if tail + head == 0 {
            return seam;
        }
        let around = [closing, opening].concat();
        let offset = self.bytes - closing.len() as u64;
        let end = closing.len() + head;
        let mut at = closing.len() - tail;
        if self.is_all_head() {
            // The head of both together stays undecided.
            at = end.min(closing.len() + MAX_HEAD_BYTES - self.head().len());
        }
        while let Some(sequence) = decode_one(&around[at..end]) {
            let after = at + sequence.length();
            if let Sequence::Malformed(kind, _) = sequence {
                let kind = match kind {
                    ErrorKind::Truncated if next.is_all_head() => break,
                    ErrorKind::Truncated if !next.sealed => ErrorKind::MissingContinuation,
                    kind => kind,
                };
                let error = Utf8Error::new(offset.saturating_add(at as u64), kind, &around[at..after]);
                let location = Location {
                    line: self.newlines.saturating_add(1),
                    column: self.line_chars.saturating_add(seam.chars).saturating_add(1),
                    utf16_column: self.line_utf16_count.saturating_add(seam.utf16_count).saturating_add(1),
                    char_offset: self.replaced_chars.saturating_add(seam.chars),
                    byte_offset: error.start(),
                };
                let (before, after) = (Edge::last(&around[..at]), Edge::first(&around[after..]));
                seam.errors.push(LocatedError { error, location, before, after });
            }
            seam.chars += 1;
            seam.utf16_count += sequence.utf16_length();
            at = after;
        }
        seam
    }

    /// Returns the state of the piece as the whole of the data: with nothing before it and nothing after it.
    pub fn finished(&self) -> Cow<'_, Self> {
        if self.head().is_empty() && !self.has_tail() {
            return Cow::Borrowed(self);
        }
        let bound = Self { sealed: true, ..Self::empty(self.limit) };
        let mut whole = bound.clone();
        whole.merge(self);
        whole.merge(&bound);
        Cow::Owned(whole)
    }
}
