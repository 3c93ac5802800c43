//! Long texts in pieces, cut where what stands on one side is nothing to the other.

use super::classes::Classes;
use crate::allocation::{AllocError, Grow, sum};
use crate::boundary::{CHUNK_BYTES, ceil_boundary, chunks};
use crate::kernels::encode::Source;
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::unfilled;

/// So many bytes of UTF-8 are decoded at once.
const PIECE: usize = 8 << 10;

/// A text in pieces.
pub(super) struct Pieces<'a, T: ?Sized> {
    classes: &'static Classes,
    text: &'a T,
    start: usize,
}

impl<'a, T: ?Sized> Pieces<'a, T> {
    pub(super) fn of(classes: &'static Classes, text: &'a T) -> Self {
        Self { classes, text, start: 0 }
    }

    /// Whether what stands before one of these characters is nothing to it, nor it to that, for one after the other. Tells
    /// `worked` now and then that some bytes were looked at.
    fn apart<E>(
        &self,
        worked: &mut impl FnMut(usize) -> Result<(), E>,
    ) -> impl FnMut(u32) -> Result<bool, E> {
        let mut last = None;
        let mut count = 0_usize;
        move |character| {
            count += 1;
            if count.is_multiple_of(PIECE) {
                worked(PIECE * size_of::<u32>())?;
            }
            let class = self.classes.class(character);
            Ok(last.replace(class).is_some_and(|last| (self.classes.apart)(last, class)))
        }
    }
}

impl<'a, U: Source> Pieces<'a, [U]> {
    /// The next piece, and where it starts.
    pub(super) fn next<E>(
        &mut self,
        worked: &mut impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<(usize, &'a [U])>, E> {
        let start = self.start;
        let rest = &self.text[start..];
        let mut end = CHUNK_BYTES.min(rest.len());
        let mut apart = self.apart(worked);
        while let Some(unit) = rest.get(end)
            && !apart(unit.value())?
        {
            end += 1;
        }
        drop(apart);
        self.start += end;
        Ok((end > 0).then_some((start, &rest[..end])))
    }
}

impl<'a> Pieces<'a, str> {
    /// The next piece, and where it starts.
    pub(super) fn next<E>(
        &mut self,
        worked: &mut impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<(usize, &'a str)>, E> {
        let start = self.start;
        let rest = &self.text[start..];
        let mut end = ceil_boundary(rest.as_bytes(), PIECE.min(rest.len()));
        let mut apart = self.apart(worked);
        for character in rest[end..].chars() {
            if apart(character.into())? {
                break;
            }
            end += character.len_utf8();
        }
        drop(apart);
        self.start += end;
        Ok((end > 0).then_some((start, &rest[..end])))
    }
}

/// The code points of a text, in room that may have been used before. Tells `worked` of the progress, in bytes.
pub(super) fn decoded<'a, E: From<AllocError>>(
    by: Implementation,
    text: &str,
    room: &'a mut Vec<u32>,
    worked: &mut impl FnMut(usize) -> Result<(), E>,
) -> Result<&'a [u32], E> {
    let mut length = 0;
    for step in chunks(text.as_bytes(), CHUNK_BYTES) {
        let end = sum(length, step.len())?;
        if room.len() < end {
            room.grow(end - room.len())?;
            room.resize(end, 0);
        }
        length += by.fill(step, unfilled(&mut room[length..end]));
        worked(step.len())?;
    }
    Ok(&room[..length])
}
