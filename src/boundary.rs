//! Where characters start: from any byte, the nearest start is at most three steps away.

use crate::sequence::is_continuation;

/// The farthest that a byte of a character can be from its lead byte.
const FARTHEST: usize = 3;

/// Whether a character starts at byte `offset`: it is a lead byte, or the end of `data`. Beyond the end none starts.
///
/// ```
/// assert!(leadbyte::is_boundary("1€".as_bytes(), 1));
/// assert!(!leadbyte::is_boundary("1€".as_bytes(), 2));
/// ```
pub fn is_boundary(data: &[u8], offset: usize) -> bool {
    data.get(offset).map_or(offset == data.len(), |&byte| !is_continuation(byte))
}

/// The nearest boundary at or before byte `offset`, at most three bytes back; the end of `data` if `offset` is beyond
/// it. Where there is none, `offset` is among stray continuation bytes, each of which stands for itself, and comes back.
///
/// ```
/// assert_eq!(leadbyte::floor_boundary("1€".as_bytes(), 3), 1);
/// assert_eq!(leadbyte::floor_boundary(b"\x80\x80\x80\x80\x80", 4), 4);
/// assert_eq!(leadbyte::floor_boundary("1€".as_bytes(), 9), 4);
/// ```
pub fn floor_boundary(data: &[u8], offset: usize) -> usize {
    let offset = offset.min(data.len());
    let lowest = offset.saturating_sub(FARTHEST);
    (lowest..=offset).rev().find(|&at| is_boundary(data, at)).unwrap_or(offset)
}

/// The nearest boundary at or after byte `offset`, at most three bytes ahead; the end of `data` if `offset` is beyond
/// it. Where there is none, `offset` is among stray continuation bytes, each of which stands for itself, and comes back.
///
/// ```
/// assert_eq!(leadbyte::ceil_boundary("1€".as_bytes(), 2), 4);
/// assert_eq!(leadbyte::ceil_boundary("1€".as_bytes(), 9), 4);
/// ```
pub fn ceil_boundary(data: &[u8], offset: usize) -> usize {
    let offset = offset.min(data.len());
    let highest = data.len().min(offset + FARTHEST);
    (offset..=highest).find(|&at| is_boundary(data, at)).unwrap_or(offset)
}

/// Long data is taken in steps of about this many bytes, between which a caller can stop.
pub(crate) const CHUNK_BYTES: usize = 1 << 20;

/// The first bytes of `data`, about `length` of them: they end where a character starts. Data without such a
/// place within three bytes are not UTF-8 on either side of the cut.
pub(crate) fn head(data: &[u8], length: usize) -> &[u8] {
    if data.len() <= length { data } else { &data[..floor_boundary(data, length)] }
}

/// `data` in pieces of about `length` bytes, more than three; each but the first begins where a character does.
pub(crate) fn chunks(data: &[u8], length: usize) -> impl Iterator<Item = &[u8]> {
    cut(data, move |rest| head(rest, length))
}

/// `data` in the pieces that `head` takes off what is left.
#[inline]
pub(crate) fn cut<'a, T>(data: &'a [T], head: impl Fn(&'a [T]) -> &'a [T]) -> impl Iterator<Item = &'a [T]> {
    let mut rest = data;
    core::iter::from_fn(move || {
        let step;
        (step, rest) = rest.split_at(head(rest).len());
        (!step.is_empty()).then_some(step)
    })
}
