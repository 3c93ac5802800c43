//! Splitting bytes into pieces: parts of about equal sizes, and chunks of at most some size.
//!
//! Cuts are searched for near the offsets where they should be, in ascending order, and nothing else is read. Where a
//! line or a cluster is longer than a piece, a search continues where the one before ended, so that all together take
//! linear time.

use crate::allocation::{Grow, sum};
#[cfg(feature = "unicode")]
use crate::cut::limit::Utf8Text;
use crate::progress::{Progress, Stopped, uninterrupted, unobserved};
use crate::sequence::boundary::{CHUNK_BYTES, floor_boundary};
#[cfg(feature = "unicode")]
use crate::unicode::cluster_walk::ClusterWalk;

/// Where bytes may be cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Boundary {
    /// Between characters, by [`floor_boundary`](crate::floor_boundary).
    #[default]
    Char,
    /// After line feeds, so that CR LF stays whole; a CR alone ends no line.
    Line,
    /// Between extended grapheme clusters. An error counts as U+FFFD does.
    #[cfg(feature = "unicode")]
    Grapheme,
}

/// Returns `n + 1` offsets that split `data` into `n` pieces of about equal sizes, from 0 to the length, in ascending
/// order. Pieces may be empty.
///
/// Cuts are those nearest to equal parts: the character or the cluster at that offset starts the next piece, the rest
/// of the line belongs to the one before. `data` need not be valid.
///
/// # Panics
/// If `n` is 0, or there is no memory for as many offsets.
///
/// ```
/// use leadbyte::{Boundary, split_points};
///
/// assert_eq!(split_points("абвг".as_bytes(), 3, Boundary::Char), [0, 2, 4, 8]);
/// assert_eq!(split_points(b"one\ntwo\nthree\n", 2, Boundary::Line), [0, 8, 14]);
/// ```
pub fn split_points(data: &[u8], n: usize, boundary: Boundary) -> Vec<usize> {
    assert!(n > 0, "n must be at least 1");
    uninterrupted(points(data, n, boundary, &mut unobserved))
}

/// Returns the offsets of [`split_points`]; `n` is not 0.
pub fn points(
    data: &[u8],
    n: usize,
    boundary: Boundary,
    progress: Progress<'_>,
) -> Result<Vec<usize>, Stopped> {
    let mut points = vec![];
    points.grow(sum(n, 1)?)?;
    #[cfg(feature = "unicode")]
    let mut walk = ClusterWalk::starting_at(0);
    let mut last = 0;
    for number in 0..=n {
        let equal = (data.len() as u128 * number as u128 / n as u128) as usize;
        let point = match boundary {
            Boundary::Char => floor_boundary(data, equal),
            // The line that contains the offset ends there, too.
            Boundary::Line if equal <= last => last,
            Boundary::Line => line_end(data, equal - 1, progress)?,
            #[cfg(feature = "unicode")]
            Boundary::Grapheme => {
                walk.floor(Utf8Text(data), floor_boundary(data, equal), progress)?.unwrap_or(0)
            }
        };
        // Memory that changes meanwhile may have boundaries anywhere.
        last = point.clamp(last, data.len());
        points.push(last);
        progress(size_of::<usize>())?;
    }
    Ok(points)
}

/// Returns the end of the line that contains the byte at `from`.
fn line_end(data: &[u8], from: usize, progress: Progress<'_>) -> Result<usize, Stopped> {
    let mut at = from;
    for block in data[from..].chunks(CHUNK_BYTES) {
        if let Some(newline) = memchr::memchr(b'\n', block) {
            return Ok(at + newline + 1);
        }
        at += block.len();
        progress(block.len())?;
    }
    Ok(at)
}

/// The minimum size of chunks: the longest character.
pub const MIN_CHUNK_BYTES: usize = 4;

/// Splits `data` into chunks of at most `max_bytes`, each as long as possible, without copying.
///
/// A line or a cluster that is longer is cut between characters. `data` need not be valid, though chunks with errors
/// may be shorter; joined, the chunks are `data`.
///
/// # Panics
/// If `max_bytes` is less than 4.
///
/// ```
/// use leadbyte::{Boundary, chunks};
///
/// let mut lines = chunks(b"one\ntwo\nthree\n", 9, Boundary::Line);
/// assert_eq!(lines.next(), Some(b"one\ntwo\n".as_slice()));
/// assert_eq!(lines.next(), Some(b"three\n".as_slice()));
/// assert_eq!(lines.next(), None);
/// ```
pub fn chunks(data: &[u8], max_bytes: usize, boundary: Boundary) -> Chunks<'_> {
    assert!(max_bytes >= MIN_CHUNK_BYTES, "max_bytes must be at least 4");
    Chunks { data, cutter: ChunkCutter::new(max_bytes, boundary) }
}

/// The iterator that [`chunks`] returns.
#[derive(Clone, Debug)]
pub struct Chunks<'a> {
    data: &'a [u8],
    cutter: ChunkCutter,
}

impl<'a> Iterator for Chunks<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.cutter.start();
        let end = uninterrupted(self.cutter.next(self.data, &mut unobserved))?;
        Some(&self.data[start..end])
    }
}

impl core::iter::FusedIterator for Chunks<'_> {}

/// Finds the ends of chunks, in ascending order.
#[derive(Clone, Copy, Debug)]
pub struct ChunkCutter {
    max_bytes: usize,
    boundary: Boundary,
    start: usize,
    #[cfg(feature = "unicode")]
    walk: ClusterWalk,
}

impl ChunkCutter {
    /// Returns a cutter that has found nothing; `max_bytes` is at least [`MIN_CHUNK_BYTES`].
    pub fn new(max_bytes: usize, boundary: Boundary) -> Self {
        Self {
            max_bytes,
            boundary,
            start: 0,
            #[cfg(feature = "unicode")]
            walk: ClusterWalk::starting_at(0),
        }
    }

    /// Returns the start of the next chunk.
    pub fn start(&self) -> usize {
        self.start
    }

    /// Returns the maximum size of a chunk.
    #[cfg_attr(not(feature = "bindings"), expect(dead_code))]
    pub fn max_bytes(&self) -> usize {
        self.max_bytes
    }

    /// Returns the end of the next chunk; `None` at the end of the data.
    pub fn next(&mut self, data: &[u8], progress: Progress<'_>) -> Result<Option<usize>, Stopped> {
        let start = self.start;
        let Some(rest) = data.get(start..).filter(|rest| !rest.is_empty()) else { return Ok(None) };
        if rest.len() <= self.max_bytes {
            self.start = data.len();
            return Ok(Some(self.start));
        }
        let limit = start + self.max_bytes;
        let last_char = floor_boundary(data, limit);
        let found = match self.boundary {
            Boundary::Char => last_char,
            Boundary::Line => {
                let last = memchr::memrchr(b'\n', &rest[..self.max_bytes]);
                last.map_or(last_char, |newline| start + newline + 1)
            }
            #[cfg(feature = "unicode")]
            Boundary::Grapheme => {
                let cluster = self.walk.floor(Utf8Text(data), last_char, progress)?;
                cluster.filter(|&end| end > start).unwrap_or(last_char)
            }
        };
        progress(self.max_bytes)?;
        // Memory that changes meanwhile may have boundaries anywhere.
        self.start = found.clamp(start + 1, limit);
        Ok(Some(self.start))
    }
}
