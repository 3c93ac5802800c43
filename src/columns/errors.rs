//! A table of the errors in the rows of a column.

use core::ffi::CStr;

use super::column::{Context, ValueRows, collected};
use super::error::ColumnError::{self, Overflow};
use super::interface::export::Array;
use super::interface::import::Chunk;
use super::interface::schema::Schema;
use super::invalid::each_invalid;
use crate::allocation::{try_extend, try_push};
use crate::error_iter::ErrorIter;

/// Returns the type of the table: a struct of `row`, `offset`, `kind`, `reason` and `data`.
pub(crate) fn schema() -> Schema {
    let field = |format: &CStr, name| Schema { flags: 0, ..Schema::new(format, name) };
    Schema {
        children: vec![
            field(c"l", c"row"),
            field(c"l", c"offset"),
            field(c"u", c"kind"),
            field(c"u", c"reason"),
            field(c"z", c"data"),
        ],
        flags: 0,
        ..Schema::new(c"+s", c"")
    }
}

/// The errors found so far.
#[derive(Default)]
pub(crate) struct ErrorTable {
    rows: Vec<i64>,
    offsets: Vec<i64>,
    kinds: Strings,
    reasons: Strings,
    data: Strings,
}

/// Strings, one after another.
#[derive(Default)]
struct Strings {
    ends: Vec<i32>,
    bytes: Vec<u8>,
}

impl Strings {
    fn push(&mut self, bytes: &[u8]) -> Result<(), ColumnError> {
        try_extend(&mut self.bytes, bytes)?;
        Ok(try_push(&mut self.ends, i32::try_from(self.bytes.len()).map_err(|_| Overflow)?)?)
    }

    fn into_array(self) -> Result<Array, ColumnError> {
        let mut array = Array::new(self.ends.len(), None);
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
        chunk: &Chunk,
        first_row: usize,
    ) -> Result<(), ColumnError> {
        let by = context.by;
        if let Chunk::Bytes(chunk) = chunk {
            return each_invalid(by, &chunk.rows()?, 0..chunk.len(), context.progress, &mut |row, bytes| {
                if chunk.is_null(row) {
                    Ok(())
                } else {
                    self.add_row(first_row + row, ErrorIter::new(by, bytes))
                }
            });
        }
        let rows = ValueRows::of(chunk)?;
        let layout = rows.values.rows()?;
        for (row, value) in rows.rows.iter().enumerate() {
            if let Some(value) = *value {
                let bytes = layout.row(value)?;
                self.add_row(first_row + row, ErrorIter::new(by, bytes))?;
                (context.progress)(bytes.len())?;
            }
        }
        Ok(())
    }

    fn add_row(&mut self, row: usize, errors: ErrorIter<'_>) -> Result<(), ColumnError> {
        for error in errors {
            try_push(&mut self.rows, row as i64)?;
            try_push(&mut self.offsets, error.start() as i64)?;
            self.kinds.push(error.kind().name().as_bytes())?;
            self.reasons.push(error.reason().as_bytes())?;
            self.data.push(error.bytes())?;
        }
        Ok(())
    }

    /// Returns the table.
    pub fn finish(self) -> Result<Array, ColumnError> {
        let count = self.rows.len();
        let numbers = |numbers: Vec<i64>| {
            let mut array = Array::new(count, None);
            array.push(numbers);
            array
        };
        let children = vec![
            numbers(self.rows),
            numbers(self.offsets),
            self.kinds.into_array()?,
            self.reasons.into_array()?,
            self.data.into_array()?,
        ];
        Ok(Array::parent(count, true, children))
    }
}
