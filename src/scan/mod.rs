//! Everything about some bytes in one pass: of a slice, of a stream, on several threads.

mod fold;
mod state;

use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use crate::boundary::CHUNK_BYTES;
use crate::error::Utf8Error;
use crate::simd::dispatch::Implementation;

use self::fold::Piece;
pub use self::fold::{Edge, NotedError};

/// What [`scan`] finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scan {
    /// The length in bytes.
    pub byte_count: u64,
    /// The number of characters: of lead bytes, as [`count_chars`](crate::count_chars) counts them.
    pub char_count: u64,
    /// The number of UTF-16 code units, as [`count_utf16`](crate::count_utf16) counts them.
    pub utf16_count: u64,
    /// The number of line feeds.
    pub newline_count: u64,
    /// Whether every byte is below 80.
    pub ascii: bool,
    /// The most bytes that any lead byte announces, 1 to 4; 0 if there is no lead byte.
    pub max_char_width: u8,
    /// Whether the bytes begin with a byte order mark, EF BB BF.
    pub bom: bool,
    /// Whether the bytes are UTF-8.
    pub valid: bool,
    /// The first error.
    pub error: Option<Utf8Error>,
    /// The number of errors.
    pub error_count: u64,
}

/// The byte order mark: U+FEFF in UTF-8.
pub const BOM: [u8; 3] = [0xEF, 0xBB, 0xBF];

impl Scan {
    fn of(whole: &Piece) -> Self {
        Self {
            byte_count: whole.bytes,
            char_count: whole.chars,
            utf16_count: whole.chars.saturating_add(whole.fours),
            newline_count: whole.newlines,
            ascii: whole.largest < 0x80,
            max_char_width: match whole.largest {
                0xF0.. => 4,
                0xE0.. => 3,
                0xC0.. => 2,
                // Continuation bytes say nothing of the ASCII characters beside them.
                _ => u8::from(whole.chars > 0),
            },
            bom: whole.opening.as_slice().starts_with(&BOM),
            valid: whole.error_count == 0,
            error: whole.errors.first().map(|noted| noted.error),
            error_count: whole.error_count,
        }
    }
}

/// Validates and counts in one pass.
///
/// ```
/// let scan = leadbyte::scan("Hello мир\n".as_bytes());
/// assert!(scan.valid);
/// assert_eq!((scan.byte_count, scan.char_count, scan.newline_count, scan.max_char_width), (13, 10, 1, 2));
///
/// let scan = leadbyte::scan(b"caf\xE9 \xFF");
/// assert_eq!((scan.error_count, scan.error.unwrap().start()), (2, 3));
/// ```
pub fn scan(data: &[u8]) -> Scan {
    Implementation::active().scan(data)
}

/// [`scan`] on several threads; 0 means one for each core.
///
/// ```
/// let data = "мир ".repeat(1000);
/// assert_eq!(leadbyte::scan_with_threads(data.as_bytes(), 2), leadbyte::scan(data.as_bytes()));
/// ```
pub fn scan_with_threads(data: &[u8], threads: usize) -> Scan {
    let mut scanner = Scanner::new();
    match scanner.update_with(data, threads, || Ok::<(), core::convert::Infallible>(())) {
        Ok(()) => scanner.finish(),
        Err(never) => match never {},
    }
}

/// The fold: takes data in pieces of any size, cut anywhere, and gives the [`Scan`] of the whole.
///
/// Scanners of neighbouring data [`merge`](Self::merge), so that pieces can be read at the same time.
///
/// ```
/// use leadbyte::Scanner;
/// let mut left = Scanner::new();
/// left.update(b"5 \xE2\x82"); // cut inside the euro sign
/// let mut right = Scanner::new();
/// right.update(b"\xAC");
/// left.merge(&right);
/// assert!(left.finish().valid);
/// assert!(!right.finish().valid); // by itself the second piece is not UTF-8
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scanner {
    piece: Piece,
}

impl Default for Scanner {
    fn default() -> Self {
        Self::new()
    }
}

impl Scanner {
    /// A scanner of no data yet.
    pub fn new() -> Self {
        Self::keeping(1)
    }

    #[doc(hidden)]
    /// A scanner that keeps the first `errors` errors, with the place where they stand.
    pub fn keeping(errors: usize) -> Self {
        Self { piece: Piece::empty(errors.max(1)) }
    }

    /// Takes the data that follow.
    pub fn update(&mut self, data: &[u8]) {
        self.piece.merge(&Piece::of(Implementation::active(), data, self.piece.limit));
    }

    #[doc(hidden)]
    /// Takes the data that follow on `threads` threads (0: one for each core), this one included, and
    /// calls `poll` on this one after every mebibyte. If it returns an error, the scanner is left as
    /// it was.
    ///
    /// Threads are started for the call alone, so a process may fork before and after.
    pub fn update_with<E>(
        &mut self,
        data: &[u8],
        threads: usize,
        mut poll: impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        let implementation = Implementation::active();
        let limit = self.piece.limit;
        if data.len() <= CHUNK_BYTES {
            self.piece.merge(&Piece::of(implementation, data, limit));
            return Ok(());
        }
        let steps = data.len().div_ceil(CHUNK_BYTES);
        let next = AtomicUsize::new(0);
        let stopped = AtomicBool::new(false);
        // Whoever is free takes the next step, until none is left.
        let take = || {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let open = index < steps && !stopped.load(Ordering::Relaxed);
            open.then(|| {
                let start = index * CHUNK_BYTES;
                (index, Piece::of(implementation, &data[start..data.len().min(start + CHUNK_BYTES)], limit))
            })
        };
        let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let threads = if threads == 0 { cores() } else { threads };
        let mut outcome = Ok(());
        let mut pieces: Vec<(usize, Piece)> = thread::scope(|scope| {
            let mut others = vec![];
            for _ in 1..threads.min(steps) {
                // Without a thread to be had, this one does the work.
                match thread::Builder::new()
                    .spawn_scoped(scope, || core::iter::from_fn(take).collect::<Vec<_>>())
                {
                    Ok(other) => others.push(other),
                    Err(_) => break,
                }
            }
            let mut pieces = vec![];
            while let Some(piece) = take() {
                pieces.push(piece);
                outcome = poll();
                if outcome.is_err() {
                    stopped.store(true, Ordering::Relaxed);
                }
            }
            for other in others {
                match other.join() {
                    Ok(more) => pieces.extend(more),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            pieces
        });
        outcome?;
        pieces.sort_unstable_by_key(|&(index, _)| index);
        for (_, piece) in &pieces {
            self.piece.merge(piece);
        }
        Ok(())
    }

    /// Takes what `next` has taken, as the data that follow.
    pub fn merge(&mut self, next: &Self) {
        self.piece.merge(&next.piece);
    }

    #[doc(hidden)]
    /// How many errors are kept.
    pub fn limit(&self) -> usize {
        self.piece.limit
    }

    /// The scanner as bytes, to be stored or sent to another process of the same version.
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

    /// The scanner that gave this [`state`](Self::state), or `None` if none did.
    pub fn from_state(state: &[u8]) -> Option<Self> {
        state::read(state).map(|piece| Self { piece })
    }

    /// How many bytes were taken so far.
    pub fn byte_count(&self) -> u64 {
        self.piece.bytes
    }

    /// The [`Scan`] of all data taken, as if they ended here.
    pub fn finish(&self) -> Scan {
        Scan::of(&self.piece.finished())
    }

    #[doc(hidden)]
    /// The errors kept of all data taken, as if they ended here.
    pub fn errors(&self) -> Vec<NotedError> {
        self.piece.finished().errors.clone()
    }
}

#[doc(hidden)]
impl Implementation {
    pub fn scan(self, data: &[u8]) -> Scan {
        Scan::of(&Piece::of(self, data, 1).finished())
    }
}
