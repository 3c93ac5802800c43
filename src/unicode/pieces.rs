//! Long texts in pieces, cut where what stands on one side is nothing to the other.

use super::classes::Classes;
use crate::allocation::{AllocError, Grow};
use crate::boundary::{STEP, ceil_boundary};
use crate::kernels::encode::Source;
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::unfilled;

/// So many bytes of UTF-8 are decoded at once.
const PIECE: usize = 8 << 10;

/// `units` in pieces, and where each starts.
pub(super) fn of_units<'a, U: Source>(
    classes: &'static Classes,
    units: &'a [U],
) -> impl Iterator<Item = (usize, &'a [U])> {
    let apart = |pair: &[U]| (classes.apart)(classes.class(pair[0].value()), classes.class(pair[1].value()));
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = &units[start..];
        let pair = rest.get(STEP..).and_then(|far| far.windows(2).position(apart));
        let piece = &rest[..pair.map_or(rest.len(), |pair| STEP + pair + 1)];
        start += piece.len();
        (!piece.is_empty()).then_some((start - piece.len(), piece))
    })
}

/// `text` in pieces, and where each starts.
pub(super) fn of_text<'a>(
    classes: &'static Classes,
    text: &'a str,
) -> impl Iterator<Item = (usize, &'a str)> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = &text[start..];
        let far = ceil_boundary(rest.as_bytes(), PIECE.min(rest.len()));
        let mut last = None;
        let place = rest[far..].char_indices().find(|&(_, character)| {
            let class = classes.class(character.into());
            last.replace(class).is_some_and(|last| (classes.apart)(last, class))
        });
        let piece = &rest[..place.map_or(rest.len(), |(place, _)| far + place)];
        start += piece.len();
        (!piece.is_empty()).then_some((start - piece.len(), piece))
    })
}

/// The code points of a text, in room that may have been used before.
pub(super) fn decoded<'a>(
    by: Implementation,
    text: &str,
    room: &'a mut Vec<u32>,
) -> Result<&'a [u32], AllocError> {
    if room.len() < text.len() {
        room.grow(text.len() - room.len())?;
        room.resize(text.len(), 0);
    }
    let length = by.fill(text.as_bytes(), unfilled(room));
    Ok(&room[..length])
}
