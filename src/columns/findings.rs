//! The hidden characters in the rows of a column, as a table.

use super::column::{Context, ValueRows};
use super::error::ColumnError;
use super::errors::{Strings, field, numbers, struct_of};
use super::interface::export::Array;
use super::interface::nested::NestedChunk;
use super::interface::schema::Schema;
use crate::allocation::{try_push, written};
use crate::audit::{Audit, Policy};

/// Returns the type of the table: a struct of `row`, `offset`, `kind`, `why` and `data`.
pub fn schema() -> Schema {
    let fields = [
        field(c"l", c"row"),
        field(c"l", c"offset"),
        field(c"u", c"kind"),
        field(c"u", c"why"),
        field(c"z", c"data"),
    ];
    struct_of(c"", fields.into())
}

/// The findings so far, as columns.
#[derive(Default)]
pub struct FindingTable {
    rows: Vec<i64>,
    offsets: Vec<i64>,
    kinds: Strings,
    reasons: Strings,
    data: Strings,
}

impl FindingTable {
    /// Adds what a policy finds in a chunk that starts at row `first_row`.
    pub fn add(
        &mut self,
        context: &mut Context<'_>,
        chunk: &NestedChunk,
        first_row: usize,
        policy: Policy,
    ) -> Result<(), ColumnError> {
        let by = context.by;
        ValueRows::of(&chunk.rows)?.each(context.progress, |row, bytes, progress| {
            let mut audit = Audit::of(by, policy);
            while let Some(finding) = audit.next(bytes, progress)? {
                try_push(&mut self.rows, (first_row + chunk.row_of(row)) as i64)?;
                try_push(&mut self.offsets, finding.start as i64)?;
                self.kinds.push(finding.kind.name().as_bytes())?;
                self.reasons.push(written(|out| finding.write_why(out, bytes))?.as_bytes())?;
                self.data.push(bytes.get(finding.start..finding.end).unwrap_or_default())?;
            }
            Ok(())
        })
    }

    /// Returns the table.
    pub fn finish(self) -> Result<Array, ColumnError> {
        let Self { rows, offsets, kinds, reasons, data } = self;
        let count = rows.len();
        let children = vec![
            numbers(rows),
            numbers(offsets),
            kinds.into_array(None)?,
            reasons.into_array(None)?,
            data.into_array(None)?,
        ];
        Ok(Array::parent(count, true, children))
    }
}
