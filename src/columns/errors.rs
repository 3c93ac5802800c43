//! The errors in the rows of a column: as a table, or as a list for each row.

use core::cell::RefCell;
use core::ffi::CStr;

use super::bitmap::Bitmap;
use super::column::{Context, ValueRows};
use super::error::ColumnError::{self, Overflow};
use super::interface::export::Array;
use super::interface::import::Chunk;
use super::interface::nested::NestedChunk;
use super::interface::schema::Schema;
use super::invalid::each_invalid;
use super::memory::collected;
use crate::allocation::{Grow, try_extend, try_push};
use crate::error::Utf8Error;
use crate::error_iter::ErrorIter;

/// Returns the type of the table: a struct of `row`, `offset`, `kind`, `reason` and `data`.
pub fn schema() -> Schema {
    let fields = [field(c"l", c"row")].into_iter().chain(ErrorFields::schemas()).collect();
    struct_of(c"", fields)
}

/// Returns the type of [`ErrorLists`]: for each row a list of structs of `offset`, `kind`, `reason` and `data`.
pub fn lists_schema(name: &CStr) -> Schema {
    let errors = struct_of(c"item", ErrorFields::schemas().into());
    Schema { children: vec![errors], ..Schema::new(c"+L", name) }
}

pub(super) fn struct_of(name: &CStr, fields: Vec<Schema>) -> Schema {
    Schema { children: fields, flags: 0, ..Schema::new(c"+s", name) }
}

pub(super) fn field(format: &CStr, name: &CStr) -> Schema {
    Schema { flags: 0, ..Schema::new(format, name) }
}

/// The errors found so far.
#[derive(Default)]
pub struct ErrorTable {
    rows: Vec<i64>,
    errors: ErrorFields,
}

/// Errors as columns.
#[derive(Default)]
struct ErrorFields {
    offsets: Vec<i64>,
    kinds: Strings,
    reasons: Strings,
    data: Strings,
}

impl ErrorFields {
    fn schemas() -> [Schema; 4] {
        [field(c"l", c"offset"), field(c"u", c"kind"), field(c"u", c"reason"), field(c"z", c"data")]
    }

    fn push(&mut self, error: &Utf8Error) -> Result<(), ColumnError> {
        try_push(&mut self.offsets, error.start() as i64)?;
        self.kinds.push(error.kind().name().as_bytes())?;
        self.reasons.push(error.reason().as_bytes())?;
        self.data.push(error.bytes())
    }

    fn into_arrays(self) -> Result<[Array; 4], ColumnError> {
        let Self { offsets, kinds, reasons, data } = self;
        Ok([numbers(offsets), kinds.into_array(None)?, reasons.into_array(None)?, data.into_array(None)?])
    }
}

pub(super) fn numbers(numbers: Vec<i64>) -> Array {
    let mut array = Array::new(numbers.len(), None);
    array.push(numbers);
    array
}

/// Strings, one after another.
#[derive(Default)]
pub(super) struct Strings {
    ends: Vec<i32>,
    bytes: Vec<u8>,
}

impl Strings {
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), ColumnError> {
        try_extend(&mut self.bytes, bytes)?;
        Ok(try_push(&mut self.ends, i32::try_from(self.bytes.len()).map_err(|_| Overflow)?)?)
    }

    pub fn into_array(self, validity: Option<Bitmap>) -> Result<Array, ColumnError> {
        let mut array = Array::new(self.ends.len(), validity);
        array.push(collected([0].into_iter().chain(self.ends.iter().copied()), self.ends.len() + 1)?);
        array.push(self.bytes);
        Ok(array)
    }
}

impl ErrorTable {
    /// Adds the errors of a chunk that starts at row `first_row`.
    pub fn add(
        &mut self,
        context: &mut Context<'_>,
        chunk: &NestedChunk,
        first_row: usize,
    ) -> Result<(), ColumnError> {
        each_error(context, &chunk.rows, |row, error| {
            try_push(&mut self.rows, (first_row + chunk.row_of(row)) as i64)?;
            self.errors.push(error)
        })
    }

    /// Returns the table.
    pub fn finish(self) -> Result<Array, ColumnError> {
        let count = self.rows.len();
        let children = [numbers(self.rows)].into_iter().chain(self.errors.into_arrays()?).collect();
        Ok(Array::parent(count, true, children))
    }
}

/// The errors of each row as a list; null for null. All chunks become one array, as old versions of Polars read only
/// the first chunk of lists.
#[derive(Default)]
pub struct ErrorLists {
    /// Of each row, where its list starts.
    starts: Vec<i64>,
    /// The rows that are null.
    nulls: Vec<usize>,
    errors: ErrorFields,
}

impl ErrorLists {
    /// Adds the rows of a chunk.
    pub fn add(&mut self, context: &mut Context<'_>, chunk: &Chunk) -> Result<(), ColumnError> {
        let Self { starts, nulls, errors } = self;
        let before = starts.len();
        let end = before + chunk.row_count();
        starts.grow(chunk.row_count())?;
        each_error(context, chunk, |row, error| {
            starts.resize(starts.len().max(before + row + 1), errors.offsets.len() as i64);
            errors.push(error)
        })?;
        starts.resize(end, errors.offsets.len() as i64);
        let validity = match chunk {
            Chunk::Bytes(chunk) => chunk.validity.clone(),
            Chunk::Dictionary(_) | Chunk::RunEnds(_) => Some(ValueRows::of(chunk)?.validity()?),
        };
        if let Some(validity) = validity {
            (before..end)
                .filter(|row| !validity.get(row - before))
                .try_for_each(|row| try_push(nulls, row))?;
        }
        Ok(())
    }

    /// Returns the lists.
    pub fn finish(self) -> Result<Array, ColumnError> {
        let Self { mut starts, nulls, errors } = self;
        let (rows, found) = (starts.len(), errors.offsets.len());
        let mut validity = Bitmap::ones(rows)?;
        nulls.iter().for_each(|&row| validity.clear(row));
        try_push(&mut starts, found as i64)?;
        let mut array = Array::new(rows, Some(validity));
        array.push(starts);
        array.push_child(Array::parent(found, true, errors.into_arrays()?.into()));
        Ok(array)
    }
}

/// What an error costs, in bytes, as progress counts it.
const ERROR_BYTES: usize = 64;

/// Calls `found` with each error and the number of its row, in order.
fn each_error(
    context: &mut Context<'_>,
    chunk: &Chunk,
    mut found: impl FnMut(usize, &Utf8Error) -> Result<(), ColumnError>,
) -> Result<(), ColumnError> {
    let by = context.by;
    // A single row may have many errors, too.
    let shared = RefCell::new(&mut *context.progress);
    let progress = |bytes| (shared.borrow_mut())(bytes);
    let mut each_of_row = |row, bytes: &[u8]| {
        ErrorIter::new(by, bytes).try_for_each(|error| {
            found(row, &error)?;
            Ok(progress(ERROR_BYTES)?)
        })
    };
    if let Chunk::Bytes(chunk) = chunk {
        return each_invalid(
            by,
            &chunk.rows()?,
            0..chunk.len(),
            &mut |bytes| progress(bytes),
            &mut |row, bytes| {
                if chunk.is_null(row) { Ok(()) } else { each_of_row(row, bytes) }
            },
        );
    }
    ValueRows::of(chunk)?.each(&mut |bytes| progress(bytes), |row, bytes, _| each_of_row(row, bytes))
}
