//! Dictionaries and runs as plain rows.

use super::changes::{Aligned, new_view};
use super::column::ValueRows;
use super::error::ColumnError;
use super::interface::export::Array;
use super::interface::import::Chunk;
use super::memory::{collected, with_capacity};

/// Returns the rows of a dictionary, or of runs, as views. The bytes of each value are there once.
pub fn flattened(chunk: &Chunk) -> Result<Array, ColumnError> {
    let all = ValueRows::of(chunk)?;
    let validity = all.validity()?;
    let ValueRows { rows, values, .. } = all;
    let layout = values.rows()?;
    let (mut views, mut added) = (with_capacity(values.len())?, vec![]);
    for value in 0..values.len() {
        views.push(Aligned(new_view(layout.row(value)?, 0, &mut added)?));
    }
    let mut array = Array::new(rows.len(), Some(validity));
    let view =
        |row: &Option<usize>| row.and_then(|value| views.get(value).copied()).unwrap_or(Aligned([0; 16]));
    array.push(collected(rows.iter().map(view), rows.len())?);
    let lengths = collected(added.iter().map(|buffer| buffer.len() as i64), added.len())?;
    added.into_iter().for_each(|buffer| array.push(buffer));
    array.push(lengths);
    Ok(array)
}
