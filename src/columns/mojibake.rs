//! The repair of mojibake in columns, whose cells support each other.

use super::column::{Context, ValueRows};
use super::error::ColumnError;
use super::interface::import::Chunk;
use super::operations::{Affects, Operation, RowOutcome, own_text, row_error};
use crate::allocation::try_extend;
use crate::mojibake::{Column, Knowledge, explain_with};
use crate::progress::{Poll, Progress};
use crate::sequence::boundary::CHUNK_BYTES;
use crate::simd::dispatch::Implementation;

/// Adds the rows of a chunk, which must be UTF-8, to the evidence of their column.
pub fn add_rows(context: &mut Context<'_>, chunk: &Chunk, column: &mut Column) -> Result<(), ColumnError> {
    let by = context.by;
    let mut copy = vec![];
    ValueRows::of(chunk)?.each(context.progress, |row, bytes, progress| {
        if by.is_ascii(bytes) {
            return Ok(());
        }
        let Some(text) = own_text(by, bytes, &mut copy)? else { return Err(row_error(by, row, bytes)?) };
        let poll: Poll<'_> = &mut || progress(CHUNK_BYTES);
        column.add(text, poll)?;
        Ok(())
    })
}

/// Returns the knowledge about each row, after all rows were added.
pub fn knowledge(context: &mut Context<'_>, column: Column) -> Result<Knowledge, ColumnError> {
    let poll: Poll<'_> = &mut || (context.progress)(CHUNK_BYTES);
    Ok(column.finish(poll)?)
}

/// Repairs rows, which must be UTF-8.
pub struct RepairMojibake<'a>(pub &'a Knowledge);

impl Operation for RepairMojibake<'_> {
    fn affects(&self) -> Affects {
        Affects::NonAscii
    }

    fn outcome(
        &self,
        by: Implementation,
        row: &[u8],
        copy: &mut Vec<u8>,
        changes: &mut Vec<u8>,
        progress: Progress<'_>,
    ) -> Result<RowOutcome, ColumnError> {
        let Some(text) = own_text(by, row, copy)? else { return Ok(RowOutcome::Invalid) };
        let poll: Poll<'_> = &mut || progress(CHUNK_BYTES);
        let repair = explain_with(text, self.0, poll)?;
        if repair.stretches.is_empty() {
            return Ok(RowOutcome::Same);
        }
        try_extend(changes, repair.text.as_bytes())?;
        Ok(RowOutcome::Changed)
    }
}
