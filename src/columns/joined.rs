//! Texts of views that are far apart, or of which some are not UTF-8, copied one after another: then they are processed
//! as rows with offsets.
//!
//! The copies do not depend on each other, so that the CPU waits for several of them at a time. Tried and lost: one
//! call for each text, where it is (1.3 to 2 times slower for validation in random order).

use core::ops::Range;

use super::error::ColumnError;
use super::layout::{Bounds, OUTSIDE, view_bytes};
use crate::allocation::{AllocError, Grow};
use crate::kernels::views::BLOCK_VIEWS;
use crate::kernels::views::{INLINE_BYTES, View, view_word};
use crate::simd::prefetch;

/// The most bytes that are copied before they are processed.
const MAX_BYTES: usize = 16 << 10;
/// The longest text that is copied: a longer one is worth a call of its own.
const MAX_TEXT_BYTES: usize = 512;
/// How many views before its copy the first cache line of a text is prefetched.
const PREFETCHED_VIEWS: usize = 16;
/// The number of bytes of short texts that are copied, where there are as many.
const COPIED_BYTES: usize = 64;

/// Copied texts, in memory that is used for many blocks.
pub(super) struct JoinedTexts {
    /// Empty until it is needed.
    text: Vec<u8>,
    /// Where texts start, and the last one ends.
    bounds: [u32; BLOCK_VIEWS + 1],
}

/// The texts of consecutive views, one after another.
pub(super) struct Joined<'a> {
    pub text: &'a [u8],
    /// Where texts start, and the last one ends.
    bounds: &'a [u32],
}

/// Where rows start in joined texts, by their numbers in the column.
#[derive(Clone, Copy)]
pub(super) struct JoinedBounds<'a> {
    first_row: usize,
    bounds: &'a [u32],
}

impl JoinedTexts {
    pub fn new() -> Self {
        Self { text: vec![], bounds: [0; BLOCK_VIEWS + 1] }
    }

    /// Returns the texts of some first views, at most [`BLOCK_VIEWS`]: copies, or a long one where it is.
    pub fn next<'a>(
        &'a mut self,
        views: &'a [View],
        buffers: &[&'a [u8]],
    ) -> Result<Joined<'a>, ColumnError> {
        let count = self.fill(views, buffers)?;
        if count > 0 {
            let bounds = &self.bounds[..=count];
            return Ok(Joined { text: &self.text[..bounds[count] as usize], bounds });
        }
        let text = views.first().and_then(|view| view_bytes(view, buffers)).ok_or(OUTSIDE)?;
        self.bounds[1] = text.len() as u32;
        Ok(Joined { text, bounds: &self.bounds[..2] })
    }

    /// Copies the texts of some first views. Returns their number, 0 if the first text is long.
    fn fill(&mut self, views: &[View], buffers: &[&[u8]]) -> Result<usize, ColumnError> {
        self.reserve()?;
        let mut end = 0;
        for (row, view) in views.iter().take(BLOCK_VIEWS).enumerate() {
            if let Some(ahead) = views.get(row + PREFETCHED_VIEWS)
                && view_word(ahead, 0) > INLINE_BYTES
                && let Some(buffer) = buffers.get(view_word(ahead, 2))
            {
                prefetch(buffer.as_ptr().wrapping_add(view_word(ahead, 3)));
            }
            let length = view_word(view, 0);
            if length > MAX_TEXT_BYTES.min(MAX_BYTES - end) {
                return Ok(row);
            }
            let Some((_, to)) = self.text.split_at_mut_checked(end) else { return Ok(row) };
            if length <= INLINE_BYTES {
                let (_, from) = view.split_at(4);
                to[..INLINE_BYTES].copy_from_slice(from);
            } else {
                let from =
                    buffers.get(view_word(view, 2)).and_then(|buffer| buffer.get(view_word(view, 3)..));
                copy(from.filter(|from| from.len() >= length).ok_or(OUTSIDE)?, length, to);
            }
            end += length;
            self.bounds[row + 1] = end as u32;
        }
        Ok(views.len().min(BLOCK_VIEWS))
    }

    /// Makes memory for the texts, and for the bytes that are copied beyond the last one.
    #[inline]
    fn reserve(&mut self) -> Result<(), AllocError> {
        if self.text.is_empty() {
            self.text.grow(MAX_BYTES + COPIED_BYTES)?;
            self.text.resize(MAX_BYTES + COPIED_BYTES, 0);
        }
        Ok(())
    }
}

impl<'a> Joined<'a> {
    /// Returns where texts end.
    pub fn ends(&self) -> &'a [u32] {
        &self.bounds[1..]
    }

    /// Returns where the texts of rows from this one on start.
    pub fn bounds_from(&self, first_row: usize) -> JoinedBounds<'a> {
        JoinedBounds { first_row, bounds: self.bounds }
    }
}

impl Bounds for JoinedBounds<'_> {
    #[inline(always)]
    fn at(self, row: usize) -> usize {
        self.bounds[row - self.first_row] as usize
    }

    #[inline(always)]
    fn ascend(self, _: Range<usize>) -> bool {
        true
    }
}

/// Copies the first bytes of a slice; if they are few, with those after them, as a copy of always the same length is
/// faster.
#[inline(always)]
fn copy(from: &[u8], length: usize, to: &mut [u8]) {
    if length <= COPIED_BYTES
        && let (Some(from), Some(to)) = (from.first_chunk::<COPIED_BYTES>(), to.first_chunk_mut())
    {
        *to = *from;
    } else {
        to[..length].copy_from_slice(&from[..length]);
    }
}
