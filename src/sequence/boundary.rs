//! Character boundaries: from any byte, the nearest one is at most three bytes away.

use super::{Sequence, decode_one, is_continuation};

/// The maximum distance in bytes from a byte of a character to its lead byte.
pub const MAX_BYTES_TO_LEAD: usize = 3;

/// Returns whether byte `offset` is a boundary: a lead byte, or the end of `data`. Beyond the end there is none.
///
/// ```
/// assert!(leadbyte::is_boundary("1€".as_bytes(), 1));
/// assert!(!leadbyte::is_boundary("1€".as_bytes(), 2));
/// ```
pub fn is_boundary(data: &[u8], offset: usize) -> bool {
    data.get(offset).map_or(offset == data.len(), |&byte| !is_continuation(byte))
}

/// Returns the nearest boundary at or before byte `offset`, at most three bytes back.
///
/// That is the end of `data` if `offset` is beyond it, and `offset` itself if no boundary is near: there it is among
/// stray continuation bytes, each of which is an error by itself.
///
/// ```
/// assert_eq!(leadbyte::floor_boundary("1€".as_bytes(), 3), 1);
/// assert_eq!(leadbyte::floor_boundary(b"\x80\x80\x80\x80\x80", 4), 4);
/// assert_eq!(leadbyte::floor_boundary("1€".as_bytes(), 9), 4);
/// ```
pub fn floor_boundary(data: &[u8], offset: usize) -> usize {
    let offset = offset.min(data.len());
    let lowest = offset.saturating_sub(MAX_BYTES_TO_LEAD);
    (lowest..=offset).rev().find(|&at| is_boundary(data, at)).unwrap_or(offset)
}

/// Returns the nearest boundary at or after byte `offset`, at most three bytes ahead.
///
/// That is the end of `data` if `offset` is beyond it. If no boundary is near, stray continuation bytes follow, each of
/// which is an error by itself: then it is the end of the character that byte `offset` is within, or else `offset`.
///
/// ```
/// assert_eq!(leadbyte::ceil_boundary("1€".as_bytes(), 2), 4);
/// assert_eq!(leadbyte::ceil_boundary(b"1\xC3\xA9\x80\x80\x80", 2), 3);
/// assert_eq!(leadbyte::ceil_boundary("1€".as_bytes(), 9), 4);
/// ```
pub fn ceil_boundary(data: &[u8], offset: usize) -> usize {
    let offset = offset.min(data.len());
    let highest = data.len().min(offset + MAX_BYTES_TO_LEAD);
    (offset..=highest).find(|&at| is_boundary(data, at)).unwrap_or_else(|| {
        let start = floor_boundary(data, offset);
        match decode_one(&data[start..]) {
            Some(Sequence::Char(_, length)) => offset.max(start + length),
            _ => offset,
        }
    })
}

/// The size in bytes of the chunks that long data is processed in; between them a caller can stop.
pub const CHUNK_BYTES: usize = 1 << 20;

/// Returns about the first `length` bytes of `data`, up to a boundary.
///
/// Data without a boundary within three bytes is not UTF-8 on either side of the cut.
pub fn head(data: &[u8], length: usize) -> &[u8] {
    if data.len() <= length { data } else { &data[..floor_boundary(data, length)] }
}

/// Returns valid data that was cut anywhere without the sequence that is truncated at its end, if there is one.
#[cfg(feature = "unicode")]
pub(crate) fn without_truncated(data: &[u8]) -> &[u8] {
    let start = floor_boundary(data, data.len().saturating_sub(1));
    match decode_one(&data[start..]) {
        Some(Sequence::Malformed(..)) => &data[..start],
        _ => data,
    }
}

/// Splits `data` into chunks of about `length` bytes, which must be more than three; each but the first starts at a
/// boundary.
pub fn chunks(data: &[u8], length: usize) -> impl Iterator<Item = &[u8]> {
    cut(data, move |rest| head(rest, length))
}

/// Splits `data` into chunks: `head` returns the next one, given the rest.
#[inline]
pub fn cut<'a, T>(data: &'a [T], head: impl Fn(&'a [T]) -> &'a [T]) -> impl Iterator<Item = &'a [T]> {
    let mut rest = data;
    core::iter::from_fn(move || {
        let chunk;
        (chunk, rest) = rest.split_at(head(rest).len());
        (!chunk.is_empty()).then_some(chunk)
    })
}
