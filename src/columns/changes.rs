//! Rows that get another text: what an operation changes, and the array with these changes.

use core::ops::Range;
use core::{iter, mem};

use super::bitmap::Bitmap;
use super::error::ColumnError::{self, Overflow};
use super::interface::export::Array;
use super::interface::import::BytesChunk;
use super::interface::schema::BytesLayout;
use super::layout::{Bounds, Every, Layout, OUTSIDE};
use super::memory::{collected, with_capacity};
use crate::allocation::{AllocError, sum, try_extend, try_push};
use crate::kernels::views::{INLINE_BYTES, View};
use crate::progress::Progress;

/// A row that gets another text.
#[derive(Clone, Copy)]
struct Change {
    row: usize,
    /// Where its new text ends in [`Changes::text`]; it starts at the end of the previous change's text.
    end: usize,
}

/// The changes of some consecutive rows.
#[derive(Default)]
pub(super) struct Changes {
    changes: Vec<Change>,
    text: Vec<u8>,
    /// Rows that become null.
    nulls: Vec<usize>,
}

impl Changes {
    /// Returns the buffer to which the new text of the next row is appended.
    pub fn text(&mut self) -> &mut Vec<u8> {
        &mut self.text
    }

    /// Records the text appended last as the new text of a row.
    pub fn change(&mut self, row: usize) -> Result<(), AllocError> {
        try_push(&mut self.changes, Change { row, end: self.text.len() })
    }

    /// Records that a row becomes null and its text empty.
    pub fn make_null(&mut self, row: usize) -> Result<(), AllocError> {
        self.change(row)?;
        try_push(&mut self.nulls, row)
    }

    /// Returns the rows that become null.
    pub fn nulls(&self) -> &[usize] {
        &self.nulls
    }

    /// Returns the rows with their new texts.
    fn iter(&self) -> impl Iterator<Item = (usize, &[u8])> + '_ {
        let mut start = 0;
        self.changes.iter().map(move |change| {
            let text = self.text.get(mem::replace(&mut start, change.end)..change.end);
            (change.row, text.unwrap_or_default())
        })
    }
}

/// Returns the rows of a chunk with some changes, in the order of rows. Without changes all buffers are shared. Rows of
/// the same length and nulls get offsets.
pub(super) fn changed(
    chunk: &BytesChunk,
    validity: Option<Bitmap>,
    changes: &[Changes],
    progress: Progress<'_>,
) -> Result<Array, ColumnError> {
    let length = chunk.len();
    let mut array = Array::new(length, validity);
    // Without rows there may be no buffers, which consumers expect.
    let has_buffers = length > 0 && chunk.layout != BytesLayout::Nulls;
    let is_unchanged = changes.iter().all(|changes| changes.changes.is_empty());
    // Some consumers look at views of null rows.
    let is_same = has_buffers && is_unchanged && !chunk.has_emptied_views();
    match chunk.rows()? {
        Layout::Fixed { width, count, .. } if is_same => {
            i32::try_from(Every(width).at(count)).map_err(|_| Overflow)?;
            array.push(collected((0..=count).map(|row| Every(width).at(row) as i32), count + 1)?);
            share(&mut array, chunk)?;
        }
        _ if is_same => share(&mut array, chunk)?,
        Layout::Fixed { width, count, values } => {
            rewrite::<i32, _>(&mut array, Every(width), values, count, changes, progress)?;
        }
        Layout::Offsets32 { offsets, values } => {
            rewrite::<i32, _>(&mut array, offsets, values, length, changes, progress)?;
        }
        Layout::Offsets64 { offsets, values } => {
            rewrite::<i64, _>(&mut array, offsets, values, length, changes, progress)?;
        }
        Layout::Views { views, buffers } => rewrite_views(&mut array, chunk, views, &buffers, changes)?,
    }
    Ok(array)
}

fn share(array: &mut Array, chunk: &BytesChunk) -> Result<(), AllocError> {
    let (buffers, owner) = chunk.shared_buffers()?;
    array.share(buffers, owner)
}

/// An offset in bytes.
pub(super) trait Offset: Copy + Send + Sync + 'static {
    const MAX: usize;

    /// Returns a number that is at most `MAX`.
    fn of(offset: usize) -> Self;
}

impl Offset for i32 {
    const MAX: usize = i32::MAX as usize;

    #[inline(always)]
    fn of(offset: usize) -> Self {
        offset as Self
    }
}

impl Offset for i64 {
    const MAX: usize = i64::MAX as usize;

    #[inline(always)]
    fn of(offset: usize) -> Self {
        offset as Self
    }
}

/// Adds new offsets, and a buffer of the bytes with the changes.
fn rewrite<O: Offset, B: Bounds>(
    array: &mut Array,
    bounds: B,
    values: &[u8],
    count: usize,
    changes: &[Changes],
    progress: Progress<'_>,
) -> Result<(), ColumnError> {
    let (first, last) = (bounds.at(0), bounds.at(count));
    let mut length = last.checked_sub(first).ok_or(OUTSIDE)?;
    for (row, text) in changes.iter().flat_map(Changes::iter) {
        let row_bytes = bounds.row(values, row).ok_or(OUTSIDE)?.len();
        length = sum(length.checked_sub(row_bytes).ok_or(OUTSIDE)?, text.len())?;
    }
    if length > O::MAX {
        return Err(Overflow);
    }
    let (mut offsets, mut text) = (with_capacity::<O>(count + 1)?, with_capacity::<u8>(length)?);
    offsets.push(O::of(0));
    let mut next = 0;
    let mut keep = |rows: Range<usize>, offsets: &mut Vec<O>, text: &mut Vec<u8>| {
        let from = bounds.at(rows.start);
        let kept = values.get(from..bounds.at(rows.end)).ok_or(OUTSIDE)?;
        let to = text.len();
        offsets.extend(rows.map(|row| O::of(bounds.at(row + 1).wrapping_sub(from).wrapping_add(to))));
        // glibc copies some KiB and more by `rep movsb`, which is 3 times slower on AMD's Zen 4 if the target is not
        // aligned and lies just after the source, modulo a page.
        let to_aligned = text.spare_capacity_mut().as_ptr().align_offset(ALIGNMENT);
        let (head, rest) = kept.split_at(to_aligned.min(kept.len()));
        for piece in iter::once(head).chain(rest.chunks(COPIED_BYTES)) {
            try_extend(text, piece)?;
            progress(piece.len())?;
        }
        Ok::<_, ColumnError>(())
    };
    for (row, new) in changes.iter().flat_map(Changes::iter) {
        keep(next..row, &mut offsets, &mut text)?;
        try_extend(&mut text, new)?;
        offsets.push(O::of(text.len()));
        next = row + 1;
    }
    keep(next..count, &mut offsets, &mut text)?;
    array.push(offsets);
    array.push(text);
    Ok(())
}

/// What long copies are aligned to, in bytes.
const ALIGNMENT: usize = 64;

/// The number of bytes that are copied between calls of `progress`.
const COPIED_BYTES: usize = 1 << 20;

/// A view, aligned as consumers expect it.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(super) struct Aligned(pub View);

/// Adds a copy of the views with the changes, the chunk's buffers, and the buffers of new long texts.
fn rewrite_views(
    array: &mut Array,
    chunk: &BytesChunk,
    views: &[View],
    buffers: &[&[u8]],
    changes: &[Changes],
) -> Result<(), ColumnError> {
    let mut copied = collected(views.iter().map(|&view| Aligned(view)), views.len())?;
    let mut added: Vec<Vec<u8>> = vec![];
    for (row, text) in changes.iter().flat_map(Changes::iter) {
        let new = new_view(text, buffers.len(), &mut added)?;
        if let Some(view) = copied.get_mut(row) {
            *view = Aligned(new);
        }
    }
    array.push(copied);
    let (shared, owner) = chunk.shared_buffers()?;
    array.share(shared.into_iter().skip(1).take(buffers.len()), owner)?;
    let lengths = buffers.iter().map(|buffer| buffer.len()).chain(added.iter().map(Vec::len));
    let lengths = collected(lengths.map(|length| length as i64), buffers.len() + added.len())?;
    added.into_iter().for_each(|buffer| array.push(buffer));
    array.push(lengths);
    Ok(())
}

/// Returns the view of a text. If it is long, it is appended to the last of the `added` buffers, which come after
/// `before` others.
pub(super) fn new_view(text: &[u8], before: usize, added: &mut Vec<Vec<u8>>) -> Result<View, ColumnError> {
    const MAX_BUFFER_BYTES: usize = i32::MAX as usize;
    let mut view: View = [0; 16];
    let length = i32::try_from(text.len()).map_err(|_| Overflow)?;
    view[..4].copy_from_slice(&length.to_ne_bytes());
    if text.len() <= INLINE_BYTES {
        view[4..][..text.len()].copy_from_slice(text);
        return Ok(view);
    }
    if added.last().is_none_or(|buffer| buffer.len() + text.len() > MAX_BUFFER_BYTES) {
        try_push(added, vec![])?;
    }
    let number = i32::try_from(before + added.len() - 1).map_err(|_| Overflow)?;
    let Some(buffer) = added.last_mut() else { return Err(Overflow) };
    view[4..8].copy_from_slice(&text[..4]);
    view[8..12].copy_from_slice(&number.to_ne_bytes());
    view[12..].copy_from_slice(&(buffer.len() as i32).to_ne_bytes());
    try_extend(buffer, text)?;
    Ok(view)
}
