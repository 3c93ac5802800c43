//! The fold: what is known of a piece of data, so that neighbouring pieces merge exactly.
//!
//! A cut may fall anywhere, also inside a character, an error or a byte order mark. What it leaves
//! undecided are at most three bytes on either side of it:
//!
//! * the *head*: up to three continuation bytes at the start of a piece, which may belong to a
//!   character before it (further ones cannot: a lead byte claims at most three);
//! * the *tail*: the start of a character at the end of a piece, good so far.
//!
//! Everything between them is settled, whatever stands around the piece, because a byte that is not
//! a continuation byte always begins something new. So a piece keeps its first and its last bytes,
//! and merging reads the tail of one and the head of the next once more, by the definition in
//! [`sequence`](crate::sequence). Streaming is this fold over time, threads are a tree of merges over
//! one buffer, a cluster is the same tree over files.

use core::fmt;
use std::borrow::Cow;

use crate::count::chars_since_newline;
use crate::error::{ErrorKind, Utf8Error};
use crate::error_iter::ErrorIter;
use crate::kernels::tally::All;
use crate::kernels::{self, Counts};
use crate::location::{Location, Place};
use crate::sequence::{Sequence, decode_one, is_continuation};
use crate::simd::dispatch::Implementation;

/// The most continuation bytes that a lead byte before the cut can claim.
const LONGEST_HEAD: usize = 3;

/// Up to `N` bytes from one end of something, or next to it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Edge<const N: usize> {
    length: u8,
    bytes: [u8; N],
}

/// How many bytes an error keeps of what stands before and after it.
const CONTEXT: usize = 8;
/// How many bytes a piece keeps of its start and its end: a context beside a head or a tail.
pub(crate) const END: usize = CONTEXT + LONGEST_HEAD;

impl<const N: usize> Edge<N> {
    /// The first bytes of `data`.
    pub(crate) fn first(data: &[u8]) -> Self {
        let mut edge = Self { length: 0, bytes: [0; N] };
        edge.append(data);
        edge
    }

    /// The last bytes of `data`.
    fn last(data: &[u8]) -> Self {
        Self::first(&data[data.len().saturating_sub(N)..])
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    /// Adds as many of the bytes that follow as there is room for.
    fn append(&mut self, following: &[u8]) {
        let used = usize::from(self.length);
        let added = following.len().min(N - used);
        self.bytes[used..used + added].copy_from_slice(&following[..added]);
        self.length += added as u8;
    }

    /// Adds as many of the bytes that precede as there is room for.
    fn prepend(&mut self, preceding: &[u8]) {
        let room = N - usize::from(self.length);
        let mut edge = Self::first(&preceding[preceding.len().saturating_sub(room)..]);
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

/// An error with the place where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NotedError {
    /// The error.
    pub error: Utf8Error,
    /// The line and the column where it starts, each from 1; columns are characters.
    pub line: u64,
    /// See `line`.
    pub column: u64,
    /// Bytes before it: as many as are kept, or as there are.
    pub before: Edge<CONTEXT>,
    /// Bytes after it, likewise.
    pub after: Edge<CONTEXT>,
}

/// What is known of a piece of data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Piece {
    pub bytes: u64,
    /// Lead bytes.
    pub chars: u64,
    /// Lead bytes of sequences of four.
    pub fours: u64,
    pub newlines: u64,
    /// The largest byte from 80 on, but F0 for any from there on; 0 if there is none.
    pub largest: u8,
    /// Characters since the last newline, or since the start if there is none.
    pub line_chars: u64,
    /// The first and the last bytes.
    pub opening: Edge<END>,
    pub closing: Edge<END>,
    /// Errors between head and tail: how many, and the first of them.
    pub error_count: u64,
    pub errors: Vec<NotedError>,
    /// How many errors to keep.
    pub limit: usize,
    /// Whether this is not a piece but the start or the end of all data, across which nothing goes.
    pub sealed: bool,
}

impl Piece {
    /// A piece of no bytes that keeps up to `limit` errors.
    pub fn empty(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Reads `data`.
    pub fn of(implementation: Implementation, data: &[u8], limit: usize) -> Self {
        let mut piece = Self {
            bytes: data.len() as u64,
            opening: Edge::first(data),
            closing: Edge::last(data),
            ..Self::empty(limit)
        };
        let start = piece.head().len();
        // If memory changes meanwhile, head and tail may overlap.
        let settled = start..(data.len() - piece.tail().len()).max(start);
        let mut counts = Counts::default();
        for open in [&data[..settled.start], &data[settled.end..]] {
            if !open.is_empty() {
                counts = counts.plus(implementation.run(All(open)));
            }
        }
        let findings = implementation.run(kernels::scan(&data[settled.clone()]));
        counts = counts.plus(findings.counts);
        if findings.valid < settled.len() {
            // Counting needs no validity, so errors are looked for apart from it.
            counts =
                counts.plus(implementation.run(All(&data[settled.start + findings.counted..settled.end])));
            let mut cursor = Cursor { implementation, data, at: 0, place: Place::default() };
            let mut runs = ErrorIter::starting_at(implementation, data, settled.start);
            // If memory changes meanwhile, this one may be gone, but not those after it.
            let mut error = runs.error_after(findings.valid).or_else(|| runs.next_error());
            while let Some(found) = error.filter(|error| error.start() < settled.end as u64) {
                piece.error_count += 1;
                if piece.errors.len() < limit {
                    piece.errors.push(cursor.note(found));
                }
                error = runs.next_error();
            }
        }
        piece.chars = data.len().saturating_sub(counts.continuations) as u64;
        piece.fours = counts.fours as u64;
        piece.newlines = counts.newlines as u64;
        piece.largest = counts.largest;
        piece.line_chars = match piece.newlines {
            0 => piece.chars,
            _ => chars_since_newline(implementation, data),
        };
        piece
    }

    /// Continuation bytes at the start that may belong to what comes before.
    fn head(&self) -> &[u8] {
        let opening = self.opening.as_slice();
        let length = opening.iter().take(LONGEST_HEAD).take_while(|&&byte| is_continuation(byte)).count();
        &opening[..length]
    }

    /// Whether nothing is settled, because all of it is head.
    fn is_all_head(&self) -> bool {
        !self.sealed && self.head().len() as u64 == self.bytes
    }

    /// The start of a character at the end that may go on in what comes next.
    fn tail(&self) -> &[u8] {
        let closing = self.closing.as_slice();
        let last = &closing[closing.len().saturating_sub(LONGEST_HEAD)..];
        let start = last.iter().rposition(|&byte| !is_continuation(byte)).unwrap_or(last.len());
        match decode_one(&last[start..]) {
            Some(Sequence::Broken(ErrorKind::Truncated, _)) => &last[start..],
            _ => &[],
        }
    }

    /// Whether it ends inside a character.
    pub fn has_tail(&self) -> bool {
        !self.tail().is_empty()
    }

    /// Adds the piece that follows. Numbers stop at the largest there is.
    pub fn merge(&mut self, next: &Self) {
        if self.bytes == 0 && !self.sealed && self.limit == next.limit {
            self.clone_from(next);
            return;
        }
        let seam = self.errors_between(next);
        for noted in &mut self.errors {
            noted.after.append(next.opening.as_slice());
        }
        let moved = next.errors.iter().map(|noted| {
            let mut moved = noted.clone();
            moved.error = noted.error.moved(self.bytes);
            moved.line = noted.line.saturating_add(self.newlines);
            if noted.line == 1 {
                moved.column = noted.column.saturating_add(self.line_chars);
            }
            moved.before.prepend(self.closing.as_slice());
            moved
        });
        let room = self.limit.saturating_sub(self.errors.len());
        let seam_count = seam.len() as u64;
        self.errors.extend(seam.into_iter().chain(moved).take(room));
        self.line_chars = match next.newlines {
            0 => self.line_chars.saturating_add(next.line_chars),
            _ => next.line_chars,
        };
        for (sum, more) in [
            (&mut self.bytes, next.bytes),
            (&mut self.chars, next.chars),
            (&mut self.fours, next.fours),
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

    /// The errors among the bytes that the cut between `self` and `next` left open.
    fn errors_between(&self, next: &Self) -> Vec<NotedError> {
        let (closing, opening) = (self.closing.as_slice(), next.opening.as_slice());
        let (tail, head) = (self.tail().len(), next.head().len());
        let mut errors = vec![];
        if tail + head == 0 {
            return errors;
        }
        let around = [closing, opening].concat();
        let offset = self.bytes - closing.len() as u64;
        let end = closing.len() + head;
        let mut at = closing.len() - tail;
        if self.is_all_head() {
            // What is head of both together stays open.
            at = end.min(closing.len() + LONGEST_HEAD - self.head().len());
        }
        while let Some(sequence) = decode_one(&around[at..end]) {
            let after = at + sequence.length();
            if let Sequence::Broken(kind, _) = sequence {
                let kind = match kind {
                    ErrorKind::Truncated if next.is_all_head() => break,
                    ErrorKind::Truncated if !next.sealed => ErrorKind::MissingContinuation,
                    kind => kind,
                };
                // Of the open bytes only the first of the tail is a lead byte.
                let tail_chars = u64::from(at < closing.len());
                errors.push(NotedError {
                    error: Utf8Error::new(offset.saturating_add(at as u64), kind, &around[at..after]),
                    line: self.newlines.saturating_add(1),
                    column: self.line_chars.saturating_sub(tail_chars).saturating_add(1),
                    before: Edge::last(&around[..at]),
                    after: Edge::first(&around[after..]),
                });
            }
            at = after;
        }
        errors
    }

    /// The piece as all there is: with nothing before it and nothing after it.
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

/// Walks from error to error and counts what lies between.
struct Cursor<'a> {
    implementation: Implementation,
    data: &'a [u8],
    at: usize,
    place: Place,
}

impl Cursor<'_> {
    fn note(&mut self, error: Utf8Error) -> NotedError {
        let (start, end) = (error.start() as usize, error.end() as usize);
        self.place.advance(self.implementation, &self.data[self.at..start]);
        self.at = start;
        let Location { line, column, .. } = self.place.location(error.start());
        let (before, after) = (Edge::last(&self.data[..start]), Edge::first(&self.data[end..]));
        NotedError { error, line, column, before, after }
    }
}
