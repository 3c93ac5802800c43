//! Numbers of each row: characters, UTF-16 code units, grapheme clusters.

use core::ops::Range;

use super::bitmap::Bitmap;
use super::column::{Context, ValueRows};
use super::error::ColumnError::{self, Overflow};
use super::interface::export::Array;
use super::interface::import::{BytesChunk, Chunk};
use super::invalid::{BLOCK_ROWS, ROW_BYTES, is_valid, next_block};
use super::joined::JoinedTexts;
use super::layout::{Bounds, Every, Layout, OUTSIDE};
use super::memory::{collected, with_capacity};
use super::operations::{own_text, row_error};
use crate::kernels::ranks::{CountRows, LeadMarks, MAX_RANKED_BYTES};
use crate::kernels::views::{CountViews, SurveyViews, View, ViewSurvey, view_word};
use crate::progress::Progress;
use crate::simd::dispatch::Implementation;
use crate::unicode::count_in_text;

/// The unit of a count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CountUnit {
    /// Lead bytes.
    Char,
    /// Lead bytes; a four-byte lead counts twice.
    Utf16,
    /// Extended grapheme clusters of UTF-8.
    Grapheme,
}

/// The counts of rows: of 32 bits, or of 64 where a row may have more than 2 GiB.
enum RowCounts {
    Small(Vec<i32>),
    Large(Vec<i64>),
}

impl RowCounts {
    fn with_capacity(count: usize, large: bool) -> Result<Self, ColumnError> {
        Ok(if large { Self::Large(with_capacity(count)?) } else { Self::Small(with_capacity(count)?) })
    }

    fn push(&mut self, count: usize) -> Result<(), ColumnError> {
        match self {
            Self::Small(counts) => counts.push(count.try_into().map_err(|_| Overflow)?),
            Self::Large(counts) => counts.push(count.try_into().map_err(|_| Overflow)?),
        }
        Ok(())
    }

    /// Adds the counts of rows of a block, which are small.
    fn extend(&mut self, more: &[u32]) {
        match self {
            Self::Small(counts) => counts.extend(more.iter().map(|&count| count as i32)),
            Self::Large(counts) => counts.extend(more.iter().map(|&count| i64::from(count))),
        }
    }

    /// Adds the counts of the following rows, of the same size, for which there is memory.
    fn append(&mut self, more: Self) {
        match (self, more) {
            (Self::Small(counts), Self::Small(more)) => counts.extend(more),
            (Self::Large(counts), Self::Large(more)) => counts.extend(more),
            (Self::Small(_), Self::Large(_)) | (Self::Large(_), Self::Small(_)) => {
                unreachable!("counts of one size")
            }
        }
    }

    /// Returns the counts of rows that are some of these, or 0.
    fn of_rows(&self, rows: &[Option<usize>]) -> Result<Self, ColumnError> {
        fn of<N: Copy + Default>(counts: &[N], rows: &[Option<usize>]) -> Result<Vec<N>, ColumnError> {
            let count = |value: &Option<usize>| value.and_then(|value| counts.get(value).copied());
            collected(rows.iter().map(|value| count(value).unwrap_or_default()), rows.len())
        }
        Ok(match self {
            Self::Small(counts) => Self::Small(of(counts, rows)?),
            Self::Large(counts) => Self::Large(of(counts, rows)?),
        })
    }

    fn push_to(self, array: &mut Array) {
        match self {
            Self::Small(counts) => array.push(counts),
            Self::Large(counts) => array.push(counts),
        }
    }
}

/// Returns the number of units of each row, of 64 bits if the rows are `large`; null for null.
pub fn counts(
    context: &mut Context<'_>,
    chunk: &Chunk,
    unit: CountUnit,
    large: bool,
) -> Result<Array, ColumnError> {
    let (counts, validity) = match chunk {
        Chunk::Bytes(chunk) => (counts_of_values(context, chunk, None, unit, large)?, chunk.validity.clone()),
        Chunk::Dictionary(_) | Chunk::RunEnds(_) => {
            let rows = ValueRows::of(chunk)?;
            let of_values = match counts_of_values(context, &rows.values, rows.used.as_ref(), unit, large) {
                Err(ColumnError::Row(_)) => {
                    let by = context.by;
                    return Err(rows.first_error(|row| {
                        if is_valid(by, row) { Ok(()) } else { Err(row_error(by, 0, row)?) }
                    }));
                }
                counts => counts?,
            };
            (of_values.of_rows(&rows.rows)?, Some(rows.validity()?))
        }
    };
    let mut array = Array::new(chunk.row_count(), validity);
    counts.push_to(&mut array);
    Ok(array)
}

fn counts_of_values(
    context: &mut Context<'_>,
    chunk: &BytesChunk,
    used: Option<&Bitmap>,
    unit: CountUnit,
    large: bool,
) -> Result<RowCounts, ColumnError> {
    let layout = chunk.rows()?;
    let mut parts = context.in_ranges(chunk.len(), |by, rows, progress| {
        let mut counts = RowCounts::with_capacity(rows.len(), large)?;
        let counter = RowCounter { by, unit, counts: &mut counts, progress };
        match (unit, &layout) {
            (CountUnit::Grapheme, layout) => {
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
    if parts.len() == 1
        && let Some(counts) = parts.pop()
    {
        return Ok(counts);
    }
    let mut counts = RowCounts::with_capacity(chunk.len(), large)?;
    parts.into_iter().for_each(|part| counts.append(part));
    Ok(counts)
}

/// Counts rows into `counts`.
struct RowCounter<'a, 'p> {
    by: Implementation,
    unit: CountUnit,
    counts: &'a mut RowCounts,
    progress: Progress<'p>,
}

impl RowCounter<'_, '_> {
    /// Returns the count of a single row.
    fn count(&self, bytes: &[u8]) -> usize {
        if self.unit == CountUnit::Utf16 { self.by.count_utf16(bytes) } else { self.by.count_chars(bytes) }
    }

    /// Counts rows of a text, given where they end, with `counts` for them.
    fn count_rows(
        &mut self,
        text: &[u8],
        ends: &[u32],
        marks: &mut LeadMarks,
        counts: &mut [u32; BLOCK_ROWS],
    ) {
        if self.by.is_ascii(text) {
            let starts = [0].into_iter().chain(ends.iter().copied());
            let lengths = ends.iter().zip(starts).map(|(end, start)| end.wrapping_sub(start));
            counts.iter_mut().zip(lengths).for_each(|(count, length)| *count = length);
        } else {
            match self.unit {
                CountUnit::Utf16 => self.by.run(CountRows::<true> { text, marks, ends, counts }),
                _ => self.by.run(CountRows::<false> { text, marks, ends, counts }),
            }
        }
        self.counts.extend(&counts[..ends.len()]);
    }

    fn count_text<B: Bounds>(
        mut self,
        bounds: B,
        values: &[u8],
        rows: Range<usize>,
    ) -> Result<(), ColumnError> {
        let mut marks = LeadMarks::new();
        let (mut positions, mut counts) = ([0; BLOCK_ROWS + 1], [0; BLOCK_ROWS]);
        let mut start = rows.start;
        while start < rows.end {
            let (end, text) = next_block(bounds, values, start, rows.end)?;
            let count = end - start;
            if count == 1 {
                let count = self.count(text);
                self.counts.push(count)?;
            } else {
                bounds.positions(start, &mut positions[..=count]);
                self.count_rows(text, &positions[1..=count], &mut marks, &mut counts);
            }
            (self.progress)(text.len() + count * ROW_BYTES)?;
            start = end;
        }
        Ok(())
    }

    fn count_views(
        mut self,
        views: &[View],
        buffers: &[&[u8]],
        rows: Range<usize>,
    ) -> Result<(), ColumnError> {
        let (mut marks, mut joined, mut survey) = (LeadMarks::new(), JoinedTexts::new(), ViewSurvey::new());
        let mut counts = [0; BLOCK_ROWS];
        let views = views.get(rows).ok_or(OUTSIDE)?;
        for views in views.chunks(BLOCK_ROWS) {
            self.by.run(SurveyViews { views, survey: &mut survey });
            match compact_text(&survey, buffers) {
                Some(text) => self.count_compact(views, &survey, text, &mut marks, &mut counts),
                None => self.count_joined(views, buffers, &mut joined, &mut marks, &mut counts)?,
            }
            (self.progress)(survey.long_bytes() + views.len() * ROW_BYTES)?;
        }
        Ok(())
    }

    /// Counts a block of views whose long texts are close together.
    fn count_compact(
        &mut self,
        views: &[View],
        survey: &ViewSurvey,
        text: &[u8],
        marks: &mut LeadMarks,
        counts: &mut [u32; BLOCK_ROWS],
    ) {
        if survey.is_short_ascii() {
            let lengths = views.iter().map(|view| view_word(view, 0) as u32);
            counts.iter_mut().zip(lengths).for_each(|(count, length)| *count = length);
        } else {
            match self.unit {
                CountUnit::Utf16 => self.by.run(CountViews::<true> { views, survey, text, marks, counts }),
                _ => self.by.run(CountViews::<false> { views, survey, text, marks, counts }),
            }
        }
        self.counts.extend(&counts[..views.len()]);
    }

    /// Counts a block of views by copies of their texts.
    fn count_joined(
        &mut self,
        mut views: &[View],
        buffers: &[&[u8]],
        joined: &mut JoinedTexts,
        marks: &mut LeadMarks,
        counts: &mut [u32; BLOCK_ROWS],
    ) -> Result<(), ColumnError> {
        while !views.is_empty() {
            let texts = joined.next(views, buffers)?;
            match texts.ends() {
                [_] => self.counts.push(self.count(texts.text))?,
                ends => self.count_rows(texts.text, ends, marks, counts),
            }
            views = views.get(texts.ends().len()..).unwrap_or_default();
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
            self.counts.push(count)?;
            (self.progress)(ROW_BYTES)?;
        }
        Ok(())
    }
}

/// Returns the text that has all long texts of a block, if they are close together.
fn compact_text<'a>(survey: &ViewSurvey, buffers: &[&'a [u8]]) -> Option<&'a [u8]> {
    let Some(span) = survey.span() else { return Some(&[]) };
    let text = buffers.get(span.buffer?)?.get(span.bytes)?;
    Some(text).filter(|text| text.len() <= (2 * survey.long_bytes()).min(MAX_RANKED_BYTES))
}
