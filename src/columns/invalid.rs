//! The rows that are not UTF-8, and those that are not ASCII.
//!
//! A block of rows is validated as one text while it is in the first-level cache. If it is valid and no row starts with
//! a continuation byte, each row is valid: a character cut by the end of a row would be an error, or continue in the
//! next row. If the block has errors, and no row starts within a character, the row of each error is found by a binary
//! search, and validation continues after that row.
//!
//! Views in the order of their texts are validated likewise, where they are; the texts of others, and of a block with
//! errors, are copied one after another before.
//!
//! Tried and lost (outside, see the record): validating the whole column before its bounds (reads memory twice, and for
//! each slice all of the buffer); one call for each row (5 times slower for rows of 50 bytes).

use core::ops::Range;

use super::error::ColumnError;
use super::joined::JoinedTexts;
use super::layout::{Bounds, Every, Layout, OUTSIDE};
use crate::error_iter::ErrorIter;
use crate::kernels::validate::IsValid;
use crate::kernels::validate::rules::Utf8;
use crate::kernels::views::{BLOCK_VIEWS, InlineTexts, Span, SurveyViews, View, ViewSurvey};
use crate::progress::Progress;
use crate::sequence::is_continuation;
use crate::simd::dispatch::Implementation;

/// The most rows in a block.
pub(super) const BLOCK_ROWS: usize = BLOCK_VIEWS;
/// The most bytes in a block of several rows.
const BLOCK_BYTES: usize = 32 << 10;
/// What a row costs besides its bytes, in bytes, as progress counts it.
pub(super) const ROW_BYTES: usize = 16;

/// Is called with the number of a row, and its bytes.
pub(super) type RowCallback<'a> = &'a mut dyn FnMut(usize, &[u8]) -> Result<(), ColumnError>;

#[inline]
pub(super) fn is_valid(by: Implementation, bytes: &[u8]) -> bool {
    by.run(IsValid::<_, true>(bytes, Utf8))
}

/// Calls `found` with each row of a range that is not UTF-8, whether it is null or not, and its bytes.
pub(super) fn each_invalid(
    by: Implementation,
    layout: &Layout<'_>,
    rows: Range<usize>,
    progress: Progress<'_>,
    found: RowCallback<'_>,
) -> Result<(), ColumnError> {
    match *layout {
        Layout::Offsets32 { offsets, values } => each_of_text(by, offsets, values, rows, progress, found),
        Layout::Offsets64 { offsets, values } => each_of_text(by, offsets, values, rows, progress, found),
        Layout::Fixed { width, values, .. } => each_of_text(by, Every(width), values, rows, progress, found),
        Layout::Views { views, ref buffers } => each_of_views(by, views, buffers, rows, progress, found),
    }
}

/// Returns the block of rows that starts at `start`: its end, and its bytes.
#[inline]
pub(super) fn next_block<B: Bounds>(
    bounds: B,
    values: &[u8],
    start: usize,
    end: usize,
) -> Result<(usize, &[u8]), ColumnError> {
    let mut end = end.min(start + BLOCK_ROWS);
    if !bounds.ascend(start..end) {
        return Err(OUTSIDE);
    }
    let first = bounds.at(start);
    // Bounds that are negative are outside of the values, whatever their difference.
    let length = |row| bounds.at(row).wrapping_sub(first);
    if length(end) > BLOCK_BYTES {
        let rows = partition_point(start + 1..end + 1, |row| length(row) <= BLOCK_BYTES);
        end = (rows - 1).max(start + 1);
    }
    let block = values.get(first..bounds.at(end)).ok_or(OUTSIDE)?;
    Ok((end, block))
}

/// Returns the first number of a range for which `holds` is false; it is true for all before that.
fn partition_point(range: Range<usize>, holds: impl Fn(usize) -> bool) -> usize {
    let Range { mut start, mut end } = range;
    while start < end {
        let middle = start + (end - start) / 2;
        if holds(middle) { start = middle + 1 } else { end = middle }
    }
    start
}

/// Calls `found` with each row of a range that is not ASCII, whether it is null or not, and its bytes.
pub(super) fn each_non_ascii(
    by: Implementation,
    layout: &Layout<'_>,
    rows: Range<usize>,
    progress: Progress<'_>,
    found: RowCallback<'_>,
) -> Result<(), ColumnError> {
    let (mut survey, mut texts) = (ViewSurvey::new(), InlineTexts::new());
    let mut start = rows.start;
    while start < rows.end {
        let ascii_bytes = |text: &[u8]| by.is_ascii(text).then_some(text.len());
        let text_block = |(end, text)| (end, ascii_bytes(text));
        let (end, ascii_bytes) = match *layout {
            Layout::Offsets32 { offsets, values } => {
                text_block(next_block(offsets, values, start, rows.end)?)
            }
            Layout::Offsets64 { offsets, values } => {
                text_block(next_block(offsets, values, start, rows.end)?)
            }
            Layout::Fixed { width, values, .. } => {
                text_block(next_block(Every(width), values, start, rows.end)?)
            }
            Layout::Views { views, ref buffers } => {
                let end = rows.end.min(start + BLOCK_ROWS);
                let views = views.get(start..end).ok_or(OUTSIDE)?;
                by.run(SurveyViews { views, survey: &mut survey });
                let long = match survey.span() {
                    Some(span) => long_text(&survey, &span, buffers)?,
                    None => Some(&[][..]),
                };
                (end, long.filter(|_| is_inline_ascii(&survey, views, &mut texts)).and_then(ascii_bytes))
            }
        };
        match ascii_bytes {
            Some(bytes) => progress(bytes + (end - start) * ROW_BYTES)?,
            None => {
                for row in start..end {
                    let bytes = layout.row(row)?;
                    if !by.is_ascii(bytes) {
                        found(row, bytes)?;
                    }
                    progress(bytes.len() + ROW_BYTES)?;
                }
            }
        }
        start = end;
    }
    Ok(())
}

fn each_of_text<B: Bounds>(
    by: Implementation,
    bounds: B,
    values: &[u8],
    rows: Range<usize>,
    progress: Progress<'_>,
    found: RowCallback<'_>,
) -> Result<(), ColumnError> {
    let mut start = rows.start;
    while start < rows.end {
        let (end, block) = next_block(bounds, values, start, rows.end)?;
        each_of_block(by, bounds, block, start..end, found)?;
        progress(block.len() + (end - start) * ROW_BYTES)?;
        start = end;
    }
    Ok(())
}

/// Calls `found` with each row of a block that is not UTF-8.
fn each_of_block<B: Bounds>(
    by: Implementation,
    bounds: B,
    block: &[u8],
    rows: Range<usize>,
    found: RowCallback<'_>,
) -> Result<(), ColumnError> {
    if rows.len() == 1 {
        return if is_valid(by, block) { Ok(()) } else { found(rows.start, block) };
    }
    if by.is_ascii(block) {
        return Ok(());
    }
    let first = bounds.at(rows.start);
    let is_cut = |row| block.get(bounds.at(row) - first).is_some_and(|&byte| is_continuation(byte));
    // Validation comes first, as it loads the block from memory in the order of its bytes.
    let is_valid_block = is_valid(by, block);
    if rows.clone().fold(false, |any, row| any | is_cut(row)) {
        for row in rows {
            let bytes = block.get(bounds.at(row) - first..bounds.at(row + 1) - first).ok_or(OUTSIDE)?;
            if !is_valid(by, bytes) {
                found(row, bytes)?;
            }
        }
        return Ok(());
    }
    if is_valid_block { Ok(()) } else { each_of_errors(by, bounds, block, rows, found) }
}

/// Finds the rows of a block with errors, none of which starts within a character.
#[cold]
fn each_of_errors<B: Bounds>(
    by: Implementation,
    bounds: B,
    block: &[u8],
    rows: Range<usize>,
    found: RowCallback<'_>,
) -> Result<(), ColumnError> {
    let first = bounds.at(rows.start);
    let (mut at, mut next) = (0, rows.start);
    while let Some(error) = ErrorIter::starting_at(by, block, at).next_error() {
        let error = error.start() as usize;
        let row = partition_point(next..rows.end - 1, |row| bounds.at(row + 1) - first <= error);
        let (start, end) = (bounds.at(row) - first, bounds.at(row + 1) - first);
        found(row, block.get(start..end).ok_or(OUTSIDE)?)?;
        (at, next) = (end, row + 1);
        if next >= rows.end {
            break;
        }
    }
    Ok(())
}

fn each_of_views(
    by: Implementation,
    views: &[View],
    buffers: &[&[u8]],
    rows: Range<usize>,
    progress: Progress<'_>,
    found: RowCallback<'_>,
) -> Result<(), ColumnError> {
    let (mut survey, mut inline, mut joined) = (ViewSurvey::new(), InlineTexts::new(), JoinedTexts::new());
    let views = views.get(rows.clone()).ok_or(OUTSIDE)?;
    for (block, views) in views.chunks(BLOCK_ROWS).enumerate() {
        by.run(SurveyViews { views, survey: &mut survey });
        if !is_surely_valid(by, views, buffers, &survey, &mut inline)? {
            let (mut start, mut left) = (rows.start + block * BLOCK_ROWS, views);
            while !left.is_empty() {
                let texts = joined.next(left, buffers)?;
                let count = texts.ends().len();
                each_of_block(by, texts.bounds_from(start), texts.text, start..start + count, found)?;
                (start, left) = (start + count, left.get(count..).unwrap_or_default());
            }
        }
        progress(survey.long_bytes() + views.len() * ROW_BYTES)?;
    }
    Ok(())
}

/// Long texts are read as one if they are not much further apart than they are long.
const MAX_GAP_BYTES: usize = 4096;

/// Returns the span of the long texts of a survey, if they are in one buffer and close together.
fn long_text<'a>(
    survey: &ViewSurvey,
    span: &Span,
    buffers: &[&'a [u8]],
) -> Result<Option<&'a [u8]>, ColumnError> {
    let Some(buffer) = span.buffer else { return Ok(None) };
    if span.bytes.len() > 2 * survey.long_bytes() + MAX_GAP_BYTES {
        return Ok(None);
    }
    buffers.get(buffer).and_then(|buffer| buffer.get(span.bytes.clone())).map(Some).ok_or(OUTSIDE)
}

/// Returns whether all short texts of a block of views are ASCII, with `texts` for copies of them.
fn is_inline_ascii(survey: &ViewSurvey, views: &[View], texts: &mut InlineTexts) -> bool {
    survey.is_short_ascii() || {
        texts.copy(views, survey);
        texts.is_ascii()
    }
}

/// Returns whether all texts of a block of views are valid for sure.
fn is_surely_valid(
    by: Implementation,
    views: &[View],
    buffers: &[&[u8]],
    survey: &ViewSurvey,
    texts: &mut InlineTexts,
) -> Result<bool, ColumnError> {
    // Texts in views end with zeros, and follow four of them, so none continues another.
    if !is_inline_ascii(survey, views, texts) && !is_valid(by, texts.as_bytes()) {
        return Ok(false);
    }
    let Some(span) = survey.span() else { return Ok(true) };
    let Some(text) = long_text(survey, &span, buffers)? else { return Ok(false) };
    if by.is_ascii(text) {
        return Ok(true);
    }
    let is_within = |&at: &u32| {
        text.get((at as usize).wrapping_sub(span.bytes.start)).is_some_and(|&byte| is_continuation(byte))
    };
    let (starts, ends) = survey.bounds();
    let any_within = |bounds: &[u32]| bounds.iter().fold(false, |any, at| any | is_within(at));
    Ok(is_valid(by, text) && !any_within(starts) && !any_within(ends))
}
