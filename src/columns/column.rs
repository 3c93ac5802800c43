//! Operations on whole chunks: over ranges of rows, on one thread or several, and over the values of dictionaries and
//! runs, once for each value.

use core::cell::RefCell;
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};

use super::bitmap::{Bitmap, is_null};
use super::changes::{Changes, changed};
use super::error::ColumnError::{self, Malformed};
use super::gather::gathered;
use super::interface::export::Array;
use super::interface::import::{BytesChunk, Chunk, DictionaryChunk, RunEndChunk};
use super::invalid::{ROW_BYTES, RowCallback, each_invalid, each_non_ascii, is_valid};
use super::layout::CHANGED;
use super::memory::collected;
use super::operations::{Affects, Operation, RowOutcome, row_error};
use crate::allocation::{Grow, try_push};
use crate::progress::{Poll, Progress};
use crate::simd::dispatch::Implementation;
use crate::threads;

/// How columns are processed.
pub struct Context<'a> {
    /// The instruction set to use.
    pub by: Implementation,
    /// The number of threads; 0 means one for each core.
    pub threads: usize,
    /// The callback that takes the number of bytes processed.
    pub progress: Progress<'a>,
}

/// The number of rows that a thread processes at once.
const ROWS_AT_ONCE: usize = 16 << 10;

impl Context<'_> {
    /// Returns the results of `work` on ranges of rows, in order. If some fail, the error of the first one is returned.
    pub(super) fn in_ranges<T: Send>(
        &mut self,
        rows: usize,
        work: impl Fn(Implementation, Range<usize>, Progress<'_>) -> Result<T, ColumnError> + Sync,
    ) -> Result<Vec<T>, ColumnError> {
        let by = self.by;
        let ranges = rows.div_ceil(ROWS_AT_ONCE);
        if self.threads == 1 || ranges <= 1 {
            return work(by, 0..rows, self.progress).map(|result| vec![result]);
        }
        let next = AtomicUsize::new(0);
        let take = || {
            let range = next.fetch_add(1, Ordering::Relaxed);
            if range >= ranges {
                return None;
            }
            let start = range * ROWS_AT_ONCE;
            let result = work(by, start..rows.min(start + ROWS_AT_ONCE), &mut |_| Ok(()));
            if result.is_err() {
                // All ranges before this one are taken, and no others are needed.
                next.fetch_max(ranges, Ordering::Relaxed);
            }
            Some((range, result))
        };
        let poll: Poll<'_> = &mut || (self.progress)(ROWS_AT_ONCE * ROW_BYTES);
        threads::in_order(threads::collect(self.threads, ranges, take, poll)?).collect()
    }
}

/// Returns the rows that are not null and not UTF-8, as a bitmap of those that are UTF-8 or null.
fn valid_rows(context: &mut Context<'_>, chunk: &BytesChunk) -> Result<Bitmap, ColumnError> {
    let layout = chunk.rows()?;
    let invalid = context.in_ranges(chunk.len(), |by, rows, progress| {
        let mut invalid = vec![];
        each_invalid(by, &layout, rows, progress, &mut |row, _| {
            if chunk.is_null(row) { Ok(()) } else { Ok(try_push(&mut invalid, row)?) }
        })?;
        Ok(invalid)
    })?;
    let mut valid = Bitmap::ones(chunk.len())?;
    invalid.iter().flatten().for_each(|&row| valid.clear(row));
    Ok(valid)
}

/// Returns whether each row is UTF-8; null for null.
pub fn is_valid_utf8(context: &mut Context<'_>, chunk: &Chunk) -> Result<Array, ColumnError> {
    let (valid, validity) = match chunk {
        Chunk::Bytes(chunk) => (valid_rows(context, chunk)?, chunk.validity.clone()),
        Chunk::Dictionary(_) | Chunk::RunEnds(_) => {
            let rows = ValueRows::of(chunk)?;
            let of_values = valid_rows(context, &rows.values)?;
            let valid = rows.rows.iter().map(|value| value.is_none_or(|value| of_values.get(value)));
            (Bitmap::from_bits(valid)?, Some(rows.validity()?))
        }
    };
    let mut array = Array::new(chunk.row_count(), validity);
    array.push(valid.into_bytes());
    Ok(array)
}

/// The rows of a dictionary or of runs: for each one, which value it is.
pub(super) struct ValueRows {
    /// `None` for null.
    pub rows: Vec<Option<usize>>,
    pub values: BytesChunk,
    /// The values that are not null and that some row refers to; `None` if all are.
    pub used: Option<Bitmap>,
}

impl ValueRows {
    pub fn of(chunk: &Chunk) -> Result<Self, ColumnError> {
        match chunk {
            Chunk::Bytes(chunk) => {
                let rows = (0..chunk.len()).map(|row| (!chunk.is_null(row)).then_some(row));
                Ok(Self { rows: collected(rows, chunk.len())?, values: chunk.clone(), used: None })
            }
            Chunk::Dictionary(chunk) => Self::of_dictionary(chunk),
            Chunk::RunEnds(chunk) => {
                let runs = Self::of(&chunk.values)?;
                let mut rows = vec![];
                rows.grow(chunk.ends.last().copied().unwrap_or(0))?;
                let Some(value_of_run) = &chunk.value_of_run else {
                    chunk.ends.iter().zip(&runs.rows).for_each(|(&end, &value)| rows.resize(end, value));
                    return Ok(Self { rows, ..runs });
                };
                for (&end, run) in chunk.ends.iter().zip(value_of_run) {
                    rows.resize(end, run.and_then(|run| runs.rows.get(run).copied().flatten()));
                }
                let used = used_values(&rows, runs.values.len())?;
                Ok(Self { rows, used, ..runs })
            }
        }
    }

    fn of_dictionary(chunk: &DictionaryChunk) -> Result<Self, ColumnError> {
        let values = &chunk.values;
        let count = values.len();
        let mut rows = vec![];
        rows.grow(chunk.len())?;
        for (row, index) in chunk.indices()?.enumerate() {
            if is_null(chunk.validity.as_ref(), row) {
                rows.push(None);
                continue;
            }
            let index = index.filter(|&index| index < count);
            let index = index.ok_or(Malformed("an index outside of its dictionary"))?;
            rows.push((!values.is_null(index)).then_some(index));
        }
        let used = used_values(&rows, count)?;
        Ok(Self { rows, values: values.clone(), used })
    }

    /// Returns the error that `check` returns for the first row that has one.
    #[cold]
    pub fn first_error(&self, check: impl Fn(&[u8]) -> Result<(), ColumnError>) -> ColumnError {
        let found = || {
            let layout = self.values.rows()?;
            let mut unknown = Bitmap::ones(self.values.len())?;
            for (row, value) in self.rows.iter().enumerate() {
                let Some(value) = value.filter(|&value| unknown.get(value)) else { continue };
                check(layout.row(value)?).map_err(|error| error.with_row(|_| row))?;
                unknown.clear(value);
            }
            Ok(CHANGED)
        };
        found().unwrap_or_else(|error| error)
    }

    /// Calls `visit` with each row that is not null, and its bytes.
    pub fn each(
        &self,
        progress: Progress<'_>,
        mut visit: impl FnMut(usize, &[u8], Progress<'_>) -> Result<(), ColumnError>,
    ) -> Result<(), ColumnError> {
        let layout = self.values.rows()?;
        for (row, value) in self.rows.iter().enumerate() {
            if let Some(value) = *value {
                let bytes = layout.row(value)?;
                visit(row, bytes, progress)?;
                progress(bytes.len() + ROW_BYTES)?;
            }
        }
        Ok(())
    }

    /// Returns which rows are not null.
    pub fn validity(&self) -> Result<Bitmap, ColumnError> {
        Ok(Bitmap::from_bits(self.rows.iter().map(Option::is_some))?)
    }
}

/// Returns which of `count` values some row refers to; `None` if all are.
fn used_values(rows: &[Option<usize>], count: usize) -> Result<Option<Bitmap>, ColumnError> {
    let mut used = vec![];
    used.grow(count)?;
    used.resize(count, false);
    rows.iter().flatten().for_each(|&value| used[value] = true);
    Ok(if used.contains(&false) { Some(Bitmap::from_bits(used.into_iter())?) } else { None })
}

impl BytesChunk {
    /// Returns whether a row is null.
    #[inline]
    pub fn is_null(&self, row: usize) -> bool {
        is_null(self.validity.as_ref(), row)
    }
}

/// Returns the rows after an operation. With `to_text` the result is declared to be UTF-8.
pub fn map(
    context: &mut Context<'_>,
    chunk: &Chunk,
    operation: &dyn Operation,
    to_text: bool,
) -> Result<Array, ColumnError> {
    match chunk {
        Chunk::Bytes(chunk) => map_bytes(context, chunk, operation, to_text),
        Chunk::Dictionary(dictionary) => map_dictionary(context, chunk, dictionary, operation, to_text),
        Chunk::RunEnds(runs) => map_runs(context, runs, operation, to_text),
    }
}

fn map_bytes(
    context: &mut Context<'_>,
    chunk: &BytesChunk,
    operation: &dyn Operation,
    to_text: bool,
) -> Result<Array, ColumnError> {
    let changes = changes(context, chunk, None, operation, to_text)?;
    let mut validity = chunk.validity.clone();
    if changes.iter().any(|changes| !changes.nulls().is_empty()) {
        let mut bits = validity.map_or_else(|| Bitmap::ones(chunk.len()), Ok)?;
        changes.iter().flat_map(Changes::nulls).for_each(|&row| bits.clear(row));
        validity = Some(bits);
    }
    changed(chunk, validity, &changes, context.progress)
}

/// Returns the changes of an operation. Rows that are not `used` neither fail nor become null.
fn changes(
    context: &mut Context<'_>,
    chunk: &BytesChunk,
    used: Option<&Bitmap>,
    operation: &dyn Operation,
    to_text: bool,
) -> Result<Vec<Changes>, ColumnError> {
    let layout = chunk.rows()?;
    context.in_ranges(chunk.len(), |by, rows, progress| {
        let (mut changes, mut copy) = (Changes::default(), vec![]);
        let mut visit = |row: usize, bytes: &[u8], progress: Progress<'_>| {
            if chunk.is_null(row) || used.is_some_and(|used| !used.get(row)) {
                // Consumers take all bytes of strings for UTF-8, also those that are not to be read.
                return if to_text && !is_valid(by, bytes) { Ok(changes.change(row)?) } else { Ok(()) };
            }
            let outcome = operation.outcome(by, bytes, &mut copy, changes.text(), progress);
            match outcome.map_err(|error| error.with_row(|_| row))? {
                RowOutcome::Same => Ok(()),
                RowOutcome::Changed => Ok(changes.change(row)?),
                RowOutcome::Null => Ok(changes.make_null(row)?),
                RowOutcome::Invalid => Err(row_error(by, row, bytes)?),
            }
        };
        // A single row may be long, too.
        let shared = RefCell::new(progress);
        let progress: Progress<'_> = &mut |bytes| (shared.borrow_mut())(bytes);
        let found: RowCallback<'_> =
            &mut |row, bytes| visit(row, bytes, &mut |bytes| (shared.borrow_mut())(bytes));
        match operation.affects() {
            Affects::Invalid => each_invalid(by, &layout, rows, progress, found)?,
            Affects::NonAscii => each_non_ascii(by, &layout, rows, progress, found)?,
            Affects::All => {
                for row in rows {
                    let bytes = layout.row(row)?;
                    found(row, bytes)?;
                    progress(bytes.len() + ROW_BYTES)?;
                }
            }
        }
        Ok(changes)
    })
}

fn map_dictionary(
    context: &mut Context<'_>,
    chunk: &Chunk,
    dictionary: &DictionaryChunk,
    operation: &dyn Operation,
    to_text: bool,
) -> Result<Array, ColumnError> {
    let rows = ValueRows::of(chunk)?;
    let values = &rows.values;
    let changes = match changes(context, values, rows.used.as_ref(), operation, to_text) {
        Err(ColumnError::Row(_) | ColumnError::Conversion(_)) => {
            return Err(rows.first_error(|row| check(operation, context.by, row)));
        }
        changes => changes?,
    };
    // Rows become null instead of their value.
    let mut kept = Bitmap::ones(values.len())?;
    changes.iter().flat_map(Changes::nulls).for_each(|&value| kept.clear(value));
    let is_valid = rows.rows.iter().map(|value| value.is_some_and(|value| kept.get(value)));
    let mut array = Array::new(chunk.row_count(), Some(Bitmap::from_bits(is_valid)?));
    let (indices, owner) = dictionary.shared_indices();
    array.share([indices], owner)?;
    array.set_dictionary(changed(values, values.validity.clone(), &changes, context.progress)?);
    Ok(array)
}

fn map_runs(
    context: &mut Context<'_>,
    runs: &RunEndChunk,
    operation: &dyn Operation,
    to_text: bool,
) -> Result<Array, ColumnError> {
    // Maps the number of a run to the number of its first row.
    let first_row =
        |run: usize| run.checked_sub(1).and_then(|before| runs.ends.get(before).copied()).unwrap_or(0);
    let values = match &runs.value_of_run {
        Some(value_of_run) => &gathered(&runs.values, value_of_run)?,
        None => &*runs.values,
    };
    let values = map(context, values, operation, to_text).map_err(|error| error.with_row(first_row))?;
    let mut ends = Array::new(runs.ends.len(), None);
    let numbers = runs.ends.iter();
    match runs.end_bytes {
        2 => ends.push(collected(numbers.map(|&end| end as i16), runs.ends.len())?),
        4 => ends.push(collected(numbers.map(|&end| end as i32), runs.ends.len())?),
        _ => ends.push(collected(numbers.map(|&end| end as i64), runs.ends.len())?),
    }
    Ok(Array::parent(runs.ends.last().copied().unwrap_or(0), false, vec![ends, values]))
}

/// Returns the error of an operation on a row, whose number is unknown.
fn check(operation: &dyn Operation, by: Implementation, row: &[u8]) -> Result<(), ColumnError> {
    let is_affected = match operation.affects() {
        Affects::Invalid => !is_valid(by, row),
        Affects::NonAscii => !by.is_ascii(row),
        Affects::All => true,
    };
    if is_affected
        && operation.outcome(by, row, &mut vec![], &mut vec![], &mut |_| Ok(()))? == RowOutcome::Invalid
    {
        return Err(row_error(by, 0, row)?);
    }
    Ok(())
}
