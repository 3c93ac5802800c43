//! Validation and counts in one pass: over a slice, over a stream, on several threads.

mod fold;
mod state;

use core::sync::atomic::{AtomicUsize, Ordering};

use crate::encodings::bom::BOM;
use crate::error::Utf8Error;
use crate::location::Location;
use crate::progress::{Poll, Stopped, uninterrupted, unpolled};
use crate::sequence::boundary::CHUNK_BYTES;
use crate::simd::dispatch::Implementation;
use crate::threads;

use self::fold::Summary;
pub use self::fold::{Edge, LocatedError};

/// What [`scan`] finds: counts, validity and the first error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scan {
    /// The length in bytes.
    pub byte_count: u64,
    /// The number of characters, counted by their lead bytes, as by [`count_chars`](crate::count_chars), also in data
    /// that is not UTF-8, where [`error_location`](Self::error_location) counts a U+FFFD for each error.
    pub char_count: u64,
    /// The number of UTF-16 code units, as counted by [`count_utf16`](crate::count_utf16).
    pub utf16_count: u64,
    /// The number of line feeds.
    pub newline_count: u64,
    /// Whether every byte is below 80.
    pub ascii: bool,
    /// The maximum length in bytes that a lead byte announces, 1 to 4; 0 if there is no lead byte.
    pub max_char_width: u8,
    /// Whether the bytes begin with a byte order mark, EF BB BF.
    pub bom: bool,
    /// Whether the bytes are UTF-8.
    pub valid: bool,
    /// The first error.
    pub error: Option<Utf8Error>,
    /// The location of the first error, as [`locate`](crate::locate) returns it.
    pub error_location: Option<Location>,
    /// The number of errors.
    pub error_count: u64,
}

impl Scan {
    fn of(whole: &Summary) -> Self {
        Self {
            byte_count: whole.bytes,
            char_count: whole.chars,
            utf16_count: whole.chars.saturating_add(whole.four_byte_leads),
            newline_count: whole.newlines,
            ascii: whole.largest < 0x80,
            max_char_width: match whole.largest {
                0xF0.. => 4,
                0xE0.. => 3,
                0xC0.. => 2,
                // ASCII characters are counted, as continuation bytes may be larger.
                _ => u8::from(whole.chars > 0),
            },
            bom: whole.opening.as_slice().starts_with(&BOM),
            valid: whole.error_count == 0,
            error: whole.errors.first().map(|located| located.error),
            error_location: whole.errors.first().map(|located| located.location),
            error_count: whole.error_count,
        }
    }
}

/// Validates `data`, counts its characters, UTF-16 code units and newlines, and finds its errors, in one pass.
///
/// ```
/// let scan = leadbyte::scan("Hello мир\n".as_bytes());
/// assert!(scan.valid);
/// assert_eq!((scan.byte_count, scan.char_count, scan.newline_count, scan.max_char_width), (13, 10, 1, 2));
///
/// let scan = leadbyte::scan(b"caf\xE9 \xFF");
/// assert_eq!((scan.error_count, scan.error.unwrap().start()), (2, 3));
/// assert_eq!(scan.error_location.unwrap().column, 4);
/// ```
pub fn scan(data: &[u8]) -> Scan {
    Implementation::active().scan(data)
}

/// Scans `data` as [`scan`] does, on several threads; 0 means one for each core.
///
/// ```
/// let data = "мир ".repeat(1000);
/// assert_eq!(leadbyte::scan_with_threads(data.as_bytes(), 2), leadbyte::scan(data.as_bytes()));
/// ```
pub fn scan_with_threads(data: &[u8], threads: usize) -> Scan {
    let mut scanner = Scanner::new();
    uninterrupted(scanner.update_with(data, threads, &mut unpolled));
    scanner.finish()
}

/// A mergeable fold: takes data in chunks of any size, cut anywhere, and returns the [`Scan`] of the whole.
///
/// Scanners of neighbouring data [`merge`](Self::merge), so that parts can be scanned in parallel.
///
/// ```
/// use leadbyte::Scanner;
/// let mut left = Scanner::new();
/// left.update(b"5 \xE2\x82"); // cut inside the euro sign
/// let mut right = Scanner::new();
/// right.update(b"\xAC");
/// left.merge(&right);
/// assert!(left.finish().valid);
/// assert!(!right.finish().valid); // by itself the second chunk is not UTF-8
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scanner {
    piece: Summary,
}

impl Default for Scanner {
    fn default() -> Self {
        Self::new()
    }
}

impl Scanner {
    /// Returns a scanner that has seen no data.
    pub fn new() -> Self {
        Self::keeping(1)
    }

    #[doc(hidden)]
    /// Returns a scanner that keeps the first `errors` errors, with their locations.
    pub fn keeping(errors: usize) -> Self {
        Self { piece: Summary::empty(errors.max(1)) }
    }

    /// Scans the data that follows.
    pub fn update(&mut self, data: &[u8]) {
        self.piece.merge(&Summary::of(Implementation::active(), data, self.piece.limit));
    }

    #[doc(hidden)]
    /// Scans the data that follows on `threads` threads (0: one for each core), this one included, and calls `poll` on
    /// this one after every mebibyte. If `poll` returns an error, the scanner is left unchanged.
    ///
    /// The threads end with the call, so a process may fork before and after.
    pub fn update_with(&mut self, data: &[u8], threads: usize, poll: Poll<'_>) -> Result<(), Stopped> {
        let implementation = Implementation::active();
        let limit = self.piece.limit;
        if data.len() <= CHUNK_BYTES {
            self.piece.merge(&Summary::of(implementation, data, limit));
            return Ok(());
        }
        let chunks = data.len().div_ceil(CHUNK_BYTES);
        let next = AtomicUsize::new(0);
        // A thread that is free takes the next chunk, until none is left.
        let take = || {
            let index = next.fetch_add(1, Ordering::Relaxed);
            (index < chunks).then(|| {
                let start = index * CHUNK_BYTES;
                (index, Summary::of(implementation, &data[start..data.len().min(start + CHUNK_BYTES)], limit))
            })
        };
        for piece in threads::in_order(threads::collect(threads, chunks, take, poll)?) {
            self.piece.merge(&piece);
        }
        Ok(())
    }

    /// Merges what `next` has scanned, as the data that follows.
    pub fn merge(&mut self, next: &Self) {
        self.piece.merge(&next.piece);
    }

    #[doc(hidden)]
    /// Returns the maximum number of errors that are kept.
    pub fn limit(&self) -> usize {
        self.piece.limit
    }

    /// Serializes the scanner, to be stored or sent to another process of the same version.
    ///
    /// ```
    /// use leadbyte::Scanner;
    /// let mut scanner = Scanner::new();
    /// scanner.update("мир".as_bytes());
    /// assert_eq!(Scanner::from_state(&scanner.state()), Some(scanner));
    /// assert_eq!(Scanner::from_state(b"something else"), None);
    /// ```
    pub fn state(&self) -> Vec<u8> {
        state::write(&self.piece)
    }

    /// Restores the scanner that returned this [`state`](Self::state); `None` if the bytes are not a state.
    pub fn from_state(state: &[u8]) -> Option<Self> {
        state::read(state).map(|piece| Self { piece })
    }

    /// Returns the number of bytes scanned so far.
    pub fn byte_count(&self) -> u64 {
        self.piece.bytes
    }

    /// Returns the [`Scan`] of all data so far, as if it ended here.
    pub fn finish(&self) -> Scan {
        Scan::of(&self.piece.finished())
    }

    #[doc(hidden)]
    /// Returns the errors kept, as if the data ended here.
    pub fn errors(&self) -> Vec<LocatedError> {
        self.piece.finished().errors.clone()
    }
}

#[doc(hidden)]
impl Implementation {
    pub fn scan(self, data: &[u8]) -> Scan {
        Scan::of(&Summary::of(self, data, 1).finished())
    }
}
