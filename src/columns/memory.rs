//! Memory for the results of operations on columns, whose allocation may fail.

use super::error::ColumnError;
use crate::allocation::Grow;
use crate::simd::huge_pages;

/// Returns an empty vector with memory for some items.
pub(super) fn with_capacity<T>(count: usize) -> Result<Vec<T>, ColumnError> {
    let mut items = Vec::<T>::new();
    items.grow(count)?;
    huge_pages::advise(items.as_mut_ptr().cast(), items.capacity() * size_of::<T>());
    Ok(items)
}

/// Returns some items, `count` at most, as a vector.
pub(super) fn collected<T>(items: impl Iterator<Item = T>, count: usize) -> Result<Vec<T>, ColumnError> {
    let mut collected = with_capacity(count)?;
    collected.extend(items);
    Ok(collected)
}
