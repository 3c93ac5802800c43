//! Long texts in pieces, cut where the characters on either side never affect each other.

use super::classes::Classes;
use crate::allocation::{first_of, sum};
use crate::kernels::decode::CodeUnit;
use crate::kernels::encode::Source;
use crate::progress::{Progress, Stopped};
use crate::sequence::boundary::{CHUNK_BYTES, ceil_boundary, chunks};
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::unfilled;

/// The size in bytes of the pieces of UTF-8 that are decoded at once.
const PIECE_BYTES: usize = 8 << 10;

/// The length of short pieces, in units or bytes.
const SHORT_PIECE: usize = 64;

/// A text in pieces.
pub(super) struct TextPieces<'a, T: ?Sized> {
    classes: &'static Classes,
    text: &'a T,
    start: usize,
    /// The length of a piece, unless there is no place to cut soon; one of UTF-8 has at most [`PIECE_BYTES`].
    size: usize,
}

impl<'a, T: ?Sized> TextPieces<'a, T> {
    pub(super) fn of(classes: &'static Classes, text: &'a T) -> Self {
        Self { classes, text, start: 0, size: CHUNK_BYTES }
    }

    /// Returns pieces that are short at first, for [`skip`](Self::skip).
    pub(super) fn growing(classes: &'static Classes, text: &'a T) -> Self {
        Self { size: 0, ..Self::of(classes, text) }
    }

    /// Skips units, or bytes up to a boundary. The next piece is short if there are any, else twice as long as the
    /// last.
    pub(super) fn skip(&mut self, units: usize) {
        self.start += units;
        self.size = if units > 0 { SHORT_PIECE } else { (2 * self.size).clamp(SHORT_PIECE, CHUNK_BYTES) };
    }

    /// Returns a predicate, to be called with consecutive characters: whether the text can be cut before this one.
    fn apart(&self, progress: Progress<'_>) -> impl FnMut(u32) -> Result<bool, Stopped> {
        let mut last = None;
        let mut count = 0_usize;
        move |character| {
            count += 1;
            if count.is_multiple_of(PIECE_BYTES) {
                progress(PIECE_BYTES * size_of::<u32>())?;
            }
            let class = self.classes.class(character);
            Ok(last.replace(class).is_some_and(|last| (self.classes.apart)(last, class)))
        }
    }
}

impl<'a, U: Source> TextPieces<'a, [U]> {
    /// Returns the units that are left.
    pub(super) fn rest(&self) -> &'a [U] {
        &self.text[self.start..]
    }

    /// Returns the next piece and its start.
    pub(super) fn next(&mut self, progress: Progress<'_>) -> Result<Option<(usize, &'a [U])>, Stopped> {
        let start = self.start;
        let rest = &self.text[start..];
        let mut end = self.size.min(rest.len());
        let mut apart = self.apart(progress);
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

impl<'a> TextPieces<'a, str> {
    /// Returns the text that is left.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.start..]
    }

    /// Returns the next piece and its start.
    pub(super) fn next(&mut self, progress: Progress<'_>) -> Result<Option<(usize, &'a str)>, Stopped> {
        let start = self.start;
        let rest = &self.text[start..];
        let mut end = ceil_boundary(rest.as_bytes(), PIECE_BYTES.min(self.size).min(rest.len()));
        let mut apart = self.apart(progress);
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

/// Decodes a text into `buffer`, which may be reused; returns its units: its code points, if they all fit in one.
pub(super) fn decoded<'a, U: CodeUnit + Default>(
    by: Implementation,
    text: &str,
    buffer: &'a mut Vec<U>,
    progress: Progress<'_>,
) -> Result<&'a [U], Stopped> {
    let mut length = 0;
    for chunk in chunks(text.as_bytes(), CHUNK_BYTES) {
        let end = sum(length, chunk.len())?;
        length += by.fill(chunk, unfilled(&mut first_of(buffer, end)?[length..]));
        progress(chunk.len())?;
    }
    Ok(&buffer[..length])
}
