//! Some rows of a chunk, in any order, for runs that are split.

use std::sync::Arc;

use super::bitmap::{Bitmap, is_null};
use super::changes::{Aligned, Offset};
use super::error::ColumnError::{self, Malformed, Overflow};
use super::interface::export::Array;
use super::interface::import::{BytesChunk, Chunk, DictionaryChunk};
use super::interface::schema::{BytesLayout, BytesType, ColumnType, Field};
use super::layout::Layout;
use super::memory::{collected, with_capacity};
use crate::allocation::try_extend;

/// Returns a chunk of the rows of these numbers; `None` is null. Rows of the same length and nulls get offsets, which
/// changed rows of them have, too.
pub(super) fn gathered(chunk: &Chunk, rows: &[Option<usize>]) -> Result<Chunk, ColumnError> {
    let (array, column_type) = match chunk {
        Chunk::Bytes(chunk) => of_bytes(chunk, rows)?,
        Chunk::Dictionary(chunk) => of_dictionary(chunk, rows)?,
        Chunk::RunEnds(_) => return Err(Malformed("runs within runs")),
    };
    Chunk::import(Arc::new(array).export(), &Field { name: c"".into(), column_type, path: vec![] })
}

fn of_bytes(chunk: &BytesChunk, rows: &[Option<usize>]) -> Result<(Array, ColumnType), ColumnError> {
    let valid_rows = || rows.iter().map(|row| row.filter(|&row| !chunk.is_null(row)));
    let is_valid = valid_rows().map(|row| row.is_some());
    let mut array = Array::new(rows.len(), Some(Bitmap::from_bits(is_valid)?));
    let all_rows = chunk.rows()?;
    let layout = match &all_rows {
        Layout::Views { views, .. } => {
            let view = |row: &Option<usize>| row.and_then(|row| views.get(row)).map_or([0; 16], |&view| view);
            array.push(collected(rows.iter().map(|row| Aligned(view(row))), rows.len())?);
            let (shared, owner) = chunk.shared_buffers()?;
            array.share(shared.into_iter().skip(1), owner)?;
            BytesLayout::Views
        }
        Layout::Offsets64 { .. } => {
            push_texts::<i64>(&mut array, &all_rows, valid_rows())?;
            BytesLayout::Offsets64
        }
        Layout::Offsets32 { .. } | Layout::Fixed { .. } => {
            push_texts::<i32>(&mut array, &all_rows, valid_rows())?;
            BytesLayout::Offsets32
        }
    };
    Ok((array, ColumnType::Bytes(BytesType { layout, is_text: false })))
}

/// Adds the offsets and the bytes of some rows.
fn push_texts<O: Offset>(
    array: &mut Array,
    layout: &Layout<'_>,
    rows: impl ExactSizeIterator<Item = Option<usize>>,
) -> Result<(), ColumnError> {
    let (mut offsets, mut text) = (with_capacity::<O>(rows.len() + 1)?, vec![]);
    offsets.push(O::of(0));
    for row in rows {
        if let Some(row) = row {
            try_extend(&mut text, layout.row(row)?)?;
        }
        if text.len() > O::MAX {
            return Err(Overflow);
        }
        offsets.push(O::of(text.len()));
    }
    array.push(offsets);
    array.push(text);
    Ok(())
}

fn of_dictionary(
    chunk: &DictionaryChunk,
    rows: &[Option<usize>],
) -> Result<(Array, ColumnType), ColumnError> {
    let is_valid = |row: &Option<usize>| row.is_some_and(|row| !is_null(chunk.validity.as_ref(), row));
    let mut array = Array::new(rows.len(), Some(Bitmap::from_bits(rows.iter().map(is_valid))?));
    let indices = collected(chunk.indices()?, chunk.len())?;
    // An index that is outside of any dictionary stays so.
    let index = |row: &Option<usize>| row.map_or(0, |row| indices[row].unwrap_or(usize::MAX));
    let gathered = rows.iter().map(index);
    match chunk.indices.bytes {
        1 => array.push(collected(gathered.map(|index| index as u8), rows.len())?),
        2 => array.push(collected(gathered.map(|index| index as u16), rows.len())?),
        4 => array.push(collected(gathered.map(|index| index as u32), rows.len())?),
        _ => array.push(collected(gathered.map(|index| index as u64), rows.len())?),
    }
    let values = &chunk.values;
    let mut dictionary = Array::new(values.len(), values.validity.clone());
    let (shared, owner) = values.shared_buffers()?;
    dictionary.share(shared, owner)?;
    array.set_dictionary(dictionary);
    let values = BytesType { layout: values.layout, is_text: false };
    Ok((array, ColumnType::Dictionary { indices: chunk.indices, is_ordered: false, values }))
}
