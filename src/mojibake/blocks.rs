//! Blocks of a long text, between which the work on it may be stopped.

use crate::progress::{Poll, Stopped};
use crate::sequence::boundary::head;

/// The number of bytes of a text that are processed between two calls of `poll`.
pub(super) const POLL_INTERVAL_BYTES: usize = 64 << 10;

/// Divides a text into blocks of about [`POLL_INTERVAL_BYTES`]. Calls `poll` between them, and yields an error of it.
pub(super) fn blocks<'a>(text: &'a str, poll: Poll<'_>) -> impl Iterator<Item = Result<&'a str, Stopped>> {
    let mut rest = text;
    core::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if rest.len() < text.len()
            && let Err(error) = poll()
        {
            return Some(Err(error));
        }
        let block;
        (block, rest) = rest.split_at(head(rest.as_bytes(), POLL_INTERVAL_BYTES).len());
        Some(Ok(block))
    })
}
