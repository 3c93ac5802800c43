//! Numbers of each row: characters, UTF-16 code units, grapheme clusters.

use core::ops::Range;

use super::bitmap::Bitmap;
use super::column::{Context, ValueRows, collected, with_capacity};
use super::error::ColumnError::{self, Overflow};
use super::interface::export::Array;
use super::interface::import::{BytesChunk, Chunk};
use super::invalid::{BLOCK_ROWS, ROW_BYTES, is_valid, next_block};
use super::layout::{Bounds, Every, INLINE_BYTES, Layout, OUTSIDE, View, view_bytes, view_word};
use super::operations::{own_text, row_error};
use crate::allocation::Grow;
use crate::kernels::ranks::{CountRows, MAX_RANKED_BYTES, Marks};
use crate::kernels::views::{CountViews, Survey, SurveyViews};
use crate::progress::Progress;
use crate::simd::dispatch::Implementation;
use crate::unicode::count_in_text;

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Lead bytes.
    Char,
    /// Lead bytes, those of four bytes twice.
    Utf16,
    /// Extended grapheme clusters of UTF-8.
    Grapheme,
}

/// A number of the result: of 32 bits, or of 64 where a row may have more than 2 GiB.
pub(crate) trait Number: Copy + Default + Send + Sync + 'static {
    fn of(count: usize) -> Result<Self, ColumnError>;

    /// Returns the count of a row of a block, which is small.
    fn of_small(count: u32) -> Self;
}

impl Number for i32 {
    #[inline(always)]
    fn of(count: usize) -> Result<Self, ColumnError> {
        Self::try_from(count).map_err(|_| Overflow)
    }

    #[inline(always)]
    fn of_small(count: u32) -> Self {
        count as Self
    }
}

impl Number for i64 {
    #[inline(always)]
    fn of(count: usize) -> Result<Self, ColumnError> {
        Self::try_from(count).map_err(|_| Overflow)
    }

    #[inline(always)]
    fn of_small(count: u32) -> Self {
        count as Self
    }
}

/// Returns the number of units of each row, of 64 bits if the rows are `large`; null for null.
pub(crate) fn counts(
    context: &mut Context<'_>,
    chunk: &Chunk,
    unit: Unit,
    large: bool,
) -> Result<Array, ColumnError> {
    if large { counts_as::<i64>(context, chunk, unit) } else { counts_as::<i32>(context, chunk, unit) }
}

fn counts_as<N: Number>(context: &mut Context<'_>, chunk: &Chunk, unit: Unit) -> Result<Array, ColumnError> {
    let (counts, validity) = match chunk {
        Chunk::Bytes(chunk) => (counts_of_values::<N>(context, chunk, None, unit)?, chunk.validity.clone()),
        Chunk::Dictionary(_) | Chunk::RunEnds(_) => {
            let rows = ValueRows::of(chunk)?;
            let of_values = match counts_of_values::<N>(context, &rows.values, rows.used.as_ref(), unit) {
                Err(ColumnError::Row(_)) => {
                    let by = context.by;
                    return Err(rows.first_error(|row| {
                        if is_valid(by, row) { Ok(()) } else { Err(row_error(by, 0, row)?) }
                    }));
                }
                counts => counts?,
            };
            let count = |value: &Option<usize>| value.and_then(|value| of_values.get(value).copied());
            let counts = rows.rows.iter().map(|value| count(value).unwrap_or_default());
            (collected(counts, chunk.len())?, rows.validity()?)
        }
    };
    let mut array = Array::new(chunk.len(), validity);
    array.push(counts);
    Ok(array)
}

fn counts_of_values<N: Number>(
    context: &mut Context<'_>,
    chunk: &BytesChunk,
    used: Option<&Bitmap>,
    unit: Unit,
) -> Result<Vec<N>, ColumnError> {
    let layout = chunk.rows()?;
    let parts = context.in_ranges(chunk.len(), |by, rows, progress| {
        let mut counts = with_capacity(rows.len())?;
        let counter = Counter { by, unit, counts: &mut counts, progress };
        match (unit, &layout) {
            (Unit::Grapheme, layout) => {
                let is_counted = |row| !chunk.is_null(row) && used.is_none_or(|used| used.get(row));
                counter.count_graphemes(layout, rows, is_counted)?;
            }
            (_, Layout::Offsets32 { offsets, values }) => counter.count_text(*offsets, values, rows)?,
            (_, Layout::Offsets64 { offsets, values }) => counter.count_text(*offsets, values, rows)?,
            (_, Layout::Fixed { width, values, .. }) => counter.count_text(Every(*width), values, rows)?,
            (_, Layout::Views { views, buffers }) => counter.count_views(views, buffers, rows)?,
        }
        Ok(counts)
    })?;
    let mut parts = parts.into_iter();
    let mut counts = parts.next().unwrap_or_default();
    counts.grow(chunk.len() - counts.len())?;
    parts.for_each(|part| counts.extend(part));
    Ok(counts)
}

/// Counts rows into `counts`.
struct Counter<'a, 'p, N> {
    by: Implementation,
    unit: Unit,
    counts: &'a mut Vec<N>,
    progress: Progress<'p>,
}

impl<N: Number> Counter<'_, '_, N> {
    /// Returns the count of a single row.
    fn count(&self, bytes: &[u8]) -> usize {
        if self.unit == Unit::Utf16 { self.by.count_utf16(bytes) } else { self.by.count_chars(bytes) }
    }

    fn count_text<B: Bounds>(self, bounds: B, values: &[u8], rows: Range<usize>) -> Result<(), ColumnError> {
        let mut marks = Marks::new();
        let (mut positions, mut counts) = ([0; BLOCK_ROWS + 1], [0; BLOCK_ROWS]);
        let mut start = rows.start;
        while start < rows.end {
            let (end, text) = next_block(bounds, values, start, rows.end)?;
            let count = end - start;
            if count == 1 {
                let count = self.count(text);
                self.counts.push(N::of(count)?);
            } else {
                bounds.positions(start, &mut positions[..=count]);
                let (ends, counts, marks) = (&positions[1..=count], &mut counts, &mut marks);
                match self.unit {
                    Unit::Utf16 => self.by.run(CountRows::<true> { text, marks, ends, counts }),
                    _ => self.by.run(CountRows::<false> { text, marks, ends, counts }),
                }
                self.counts.extend(counts[..count].iter().map(|&count| N::of_small(count)));
            }
            (self.progress)(text.len() + count * ROW_BYTES)?;
            start = end;
        }
        Ok(())
    }

    fn count_views(self, views: &[View], buffers: &[&[u8]], rows: Range<usize>) -> Result<(), ColumnError> {
        let (mut marks, mut survey) = (Marks::new(), Survey::new());
        let mut counts = [0; BLOCK_ROWS];
        let views = views.get(rows).ok_or(OUTSIDE)?;
        for views in views.chunks(BLOCK_ROWS) {
            self.by.run(SurveyViews { views, survey: &mut survey });
            let text = compact_text(&survey, buffers);
            let (survey, marks, counts) = (&survey, &mut marks, &mut counts);
            match self.unit {
                Unit::Utf16 => self.by.run(CountViews::<true> { views, survey, text, marks, counts }),
                _ => self.by.run(CountViews::<false> { views, survey, text, marks, counts }),
            }
            let counts = views.iter().zip(counts);
            if text.is_some() {
                self.counts.extend(counts.map(|(_, &mut count)| N::of_small(count)));
            } else {
                for (view, &mut count) in counts {
                    let count = match view_word(view, 0) {
                        ..=INLINE_BYTES => count as usize,
                        _ => self.count(view_bytes(view, buffers).ok_or(OUTSIDE)?),
                    };
                    self.counts.push(N::of(count)?);
                }
            }
            (self.progress)(survey.long_bytes() + views.len() * ROW_BYTES)?;
        }
        Ok(())
    }

    fn count_graphemes(
        self,
        layout: &Layout<'_>,
        rows: Range<usize>,
        is_counted: impl Fn(usize) -> bool,
    ) -> Result<(), ColumnError> {
        let mut copy = vec![];
        for row in rows {
            let bytes = layout.row(row)?;
            let count = if !is_counted(row) {
                0
            } else {
                match own_text(self.by, bytes, &mut copy)? {
                    Some(text) => count_in_text(self.by, text, &mut *self.progress)?,
                    None => return Err(row_error(self.by, row, bytes)?),
                }
            };
            self.counts.push(N::of(count)?);
            (self.progress)(ROW_BYTES)?;
        }
        Ok(())
    }
}

/// Returns the text that has all long texts of a block, if they are close together.
fn compact_text<'a>(survey: &Survey, buffers: &[&'a [u8]]) -> Option<&'a [u8]> {
    let Some(span) = survey.span() else { return Some(&[]) };
    let text = buffers.get(span.buffer?)?.get(span.bytes)?;
    Some(text).filter(|text| text.len() <= (2 * survey.long_bytes()).min(MAX_RANKED_BYTES))
}
