//! Columns nested in structs and lists: the elements of all lists are the rows of one chunk, whose results go back into
//! the same lists.

use core::ops::Range;

use super::abi::ArrowArray;
use super::export::Array;
use super::import::{ArrayNode, Chunk};
use super::schema::{Field, ListLayout, Step};
use crate::allocation::{AllocError, Grow};
use crate::columns::bitmap::Bitmap;
use crate::columns::error::ColumnError::{self, Malformed};
use crate::columns::memory::collected;

/// A chunk of a column, and the lists that its rows are elements of.
#[derive(Clone)]
pub struct NestedChunk {
    /// The rows, of which those in null structs and lists are null.
    pub rows: Chunk,
    /// The outer ones first.
    lists: Vec<Lists>,
}

/// Consecutive lists of one level.
#[derive(Clone)]
pub(super) struct Lists {
    layout: ListLayout,
    /// Where each list starts in the elements, and the last one ends.
    bounds: Vec<usize>,
    validity: Option<Bitmap>,
}

impl NestedChunk {
    /// Checks an array that has the column of a field, as [`Chunk::import`] does.
    pub fn import(array: ArrowArray, field: &Field) -> Result<Self, ColumnError> {
        let mut node = ArrayNode::imported(array)?;
        // The rows of a level that are not in null structs and lists.
        let mut visible: Option<Bitmap> = None;
        let mut lists = vec![];
        for step in &field.path {
            let validity = both(node.validity()?, visible);
            (node, visible) = match step {
                Step::Child(index) => {
                    let mut child = node.child(*index)?;
                    child.slice(node.offset, node.length)?;
                    (child, validity)
                }
                Step::Elements { lists: layout, .. } => {
                    let level = Lists { validity, ..Lists::of(&node, *layout)? };
                    let elements = level.elements(&node)?;
                    let visible = level.visible()?;
                    lists.push(level.starting_at_zero());
                    (elements, visible)
                }
            };
        }
        let mut rows = Chunk::of(node, &field.column_type)?;
        if let Some(visible) = visible {
            rows.mask(visible)?;
        }
        Ok(Self { rows, lists })
    }

    /// Returns the number of rows of the array.
    pub fn row_count(&self) -> usize {
        self.lists.first().map_or_else(|| self.rows.row_count(), Lists::len)
    }

    /// Returns the row of the array that one of `rows` is in.
    pub fn row_of(&self, row: usize) -> usize {
        self.lists.iter().rev().fold(row, |element, lists| lists.list_of(element))
    }

    /// Returns the results of the rows in their lists.
    pub fn in_lists(&self, results: Array) -> Result<Array, ColumnError> {
        self.lists.iter().rev().try_fold(results, |elements, lists| lists.with(elements))
    }
}

impl Lists {
    /// Reads the bounds of the lists of an array.
    pub fn of(node: &ArrayNode, layout: ListLayout) -> Result<Self, ColumnError> {
        const DESCENDING: ColumnError = Malformed("offsets of lists that descend");
        let (first, count) = (node.offset, node.length);
        let mut bounds = Vec::new();
        bounds.grow(count + 1)?;
        match layout {
            ListLayout::Fixed(width) => {
                (first + count).checked_mul(width).ok_or(DESCENDING)?;
                bounds.extend((first..=first + count).map(|row| row * width));
            }
            _ if count == 0 => bounds.push(0),
            ListLayout::Offsets32 => {
                node.require_buffers(2)?;
                let offsets: &[[u8; 4]] = node.items(1, first, count + 1)?;
                bounds.extend(offsets.iter().map(|&offset| i32::from_ne_bytes(offset) as isize as usize));
            }
            ListLayout::Offsets64 => {
                node.require_buffers(2)?;
                let offsets: &[[u8; 8]] = node.items(1, first, count + 1)?;
                bounds.extend(offsets.iter().map(|&offset| i64::from_ne_bytes(offset) as usize));
            }
        }
        if bounds.last().is_none_or(|&end| end > isize::MAX as usize) || !bounds.is_sorted() {
            return Err(DESCENDING);
        }
        Ok(Self { layout, bounds, validity: None })
    }

    fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    /// Returns the array of the elements, from the first to the last.
    pub fn elements(&self, node: &ArrayNode) -> Result<ArrayNode, ColumnError> {
        let mut elements = node.child(0)?;
        let (first, last) = (self.bounds[0], self.bounds[self.len()]);
        elements.slice(first, last - first)?;
        Ok(elements)
    }

    /// Returns the same lists, whose elements start at 0.
    pub fn starting_at_zero(mut self) -> Self {
        let first = self.bounds[0];
        self.bounds.iter_mut().for_each(|bound| *bound -= first);
        self
    }

    /// Returns where a list starts; for the number of lists, where the last one ends.
    pub fn start(&self, list: usize) -> usize {
        self.bounds[list]
    }

    /// Returns the elements of a list.
    pub fn range(&self, list: usize) -> Range<usize> {
        self.bounds[list]..self.bounds[list + 1]
    }

    fn list_of(&self, element: usize) -> usize {
        self.bounds.partition_point(|&bound| bound <= element).saturating_sub(1)
    }

    /// Returns which elements are not in null lists; `None` if no list is null.
    fn visible(&self) -> Result<Option<Bitmap>, AllocError> {
        let Some(validity) = &self.validity else { return Ok(None) };
        let first = self.bounds[0];
        let mut visible = Bitmap::ones(self.bounds[self.len()] - first)?;
        for list in (0..self.len()).filter(|&list| !validity.get(list)) {
            self.range(list).for_each(|element| visible.clear(element - first));
        }
        Ok(Some(visible))
    }

    /// Returns the array of these lists with other elements.
    fn with(&self, elements: Array) -> Result<Array, ColumnError> {
        let mut array = Array::new(self.len(), self.validity.clone());
        let bounds = self.bounds.iter();
        match self.layout {
            ListLayout::Fixed(_) => {}
            ListLayout::Offsets32 => {
                array.push(collected(bounds.map(|&bound| bound as i32), self.bounds.len())?);
            }
            ListLayout::Offsets64 => {
                array.push(collected(bounds.map(|&bound| bound as i64), self.bounds.len())?);
            }
        }
        array.push_child(elements);
        Ok(array)
    }
}

/// Returns the rows that are in both bitmaps, of which `None` has all.
fn both(one: Option<Bitmap>, other: Option<Bitmap>) -> Option<Bitmap> {
    match (one, other) {
        (Some(mut one), Some(other)) => {
            one.intersect(&other);
            Some(one)
        }
        (one, other) => one.or(other),
    }
}
