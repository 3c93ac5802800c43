//! Results, read back as values: what [`export`](super::export) describes to other libraries.

use core::ops::Range;
use std::sync::Arc;

use super::abi::ArrowSchema;
use super::export::Array;
use super::import::{ArrayNode, Chunk};
use super::nested::Lists;
use super::schema::{ColumnType, IndexType, ListLayout, Schema, children, format_of, name_of};
use crate::columns::bitmap::Bitmap;
use crate::columns::column::ValueRows;
use crate::columns::error::ColumnError::{self, Malformed};
use crate::columns::memory::collected;

/// The values of an array.
pub struct Values {
    /// The number of rows.
    pub length: usize,
    validity: Option<Bitmap>,
    kind: Kind,
}

enum Kind {
    Booleans(Bitmap),
    Integers(Vec<i64>),
    Floats(Vec<f64>),
    Bytes { rows: ValueRows, is_text: bool },
    Struct(Vec<(String, Values)>),
    Lists { lists: Lists, elements: Box<Values> },
}

/// The values of some rows, for each type.
pub trait Visitor {
    /// A value, or many.
    type Values;
    /// The error.
    type Error: From<ColumnError>;

    /// Returns booleans; `None` for null.
    fn booleans(&mut self, values: Vec<Option<bool>>) -> Result<Self::Values, Self::Error>;
    /// Returns integers.
    fn integers(&mut self, values: Vec<Option<i64>>) -> Result<Self::Values, Self::Error>;
    /// Returns floating-point numbers.
    fn floats(&mut self, values: Vec<Option<f64>>) -> Result<Self::Values, Self::Error>;
    /// Returns bytes, or text whose bytes should be UTF-8.
    fn bytes(&mut self, values: Vec<Option<&[u8]>>, is_text: bool) -> Result<Self::Values, Self::Error>;
    /// Returns structs, given the names of their fields and the values of each.
    fn structs(
        &mut self,
        is_valid: Vec<bool>,
        fields: Vec<(&str, Self::Values)>,
    ) -> Result<Self::Values, Self::Error>;
    /// Returns lists, given the elements of all lists and the range of each.
    fn lists(
        &mut self,
        ranges: Vec<Option<Range<usize>>>,
        elements: Self::Values,
    ) -> Result<Self::Values, Self::Error>;
}

impl Values {
    /// Reads a result of the type that `schema` describes.
    pub fn of(array: &Arc<Array>, schema: &Schema) -> Result<Self, ColumnError> {
        Self::of_node(ArrayNode::imported(array.export())?, &schema.export())
    }

    fn of_node(node: ArrayNode, schema: &ArrowSchema) -> Result<Self, ColumnError> {
        let length = node.length;
        let of_values = |kind| Ok(Self { length, validity: node.validity()?, kind });
        let format = format_of(schema)?.to_bytes();
        if let Some(layout) = ListLayout::of(schema)? {
            let [of_elements] = children(schema)?[..] else {
                return Err(Malformed("a list without one child"));
            };
            let lists = Lists::of(&node, layout)?;
            let elements = Box::new(Self::of_node(lists.elements(&node)?, of_elements)?);
            return of_values(Kind::Lists { lists: lists.starting_at_zero(), elements });
        }
        match format {
            b"b" => of_values(Kind::Booleans(node.booleans()?)),
            b"g" => {
                node.require_buffers(2)?;
                let items: &[[u8; 8]] = node.items(1, node.offset, length)?;
                of_values(Kind::Floats(collected(
                    items.iter().map(|&item| f64::from_ne_bytes(item)),
                    length,
                )?))
            }
            b"+s" => {
                let mut fields = vec![];
                for (index, child) in children(schema)?.into_iter().enumerate() {
                    let mut values = node.child(index)?;
                    values.slice(node.offset, length)?;
                    fields
                        .push((name_of(child).to_string_lossy().into_owned(), Self::of_node(values, child)?));
                }
                of_values(Kind::Struct(fields))
            }
            _ if schema.dictionary.is_null()
                && let Some(IndexType { bytes, .. }) = IndexType::of(schema)? =>
            {
                node.require_buffers(2)?;
                let numbers = match bytes {
                    4 => {
                        let items: &[[u8; 4]] = node.items(1, node.offset, length)?;
                        collected(items.iter().map(|&item| i32::from_ne_bytes(item).into()), length)?
                    }
                    8 => {
                        let items: &[[u8; 8]] = node.items(1, node.offset, length)?;
                        collected(items.iter().map(|&item| i64::from_ne_bytes(item)), length)?
                    }
                    _ => return Err(Malformed("numbers of a size that no result has")),
                };
                of_values(Kind::Integers(numbers))
            }
            _ => {
                let column_type = ColumnType::of(schema)?;
                let rows = ValueRows::of(&Chunk::of(node, &column_type)?)?;
                // The rows that are null are among them.
                let kind = Kind::Bytes { rows, is_text: column_type.values().is_text };
                Ok(Self { length, validity: None, kind })
            }
        }
    }

    /// Returns what a visitor makes of some rows.
    pub fn visit<V: Visitor>(&self, rows: Range<usize>, visitor: &mut V) -> Result<V::Values, V::Error> {
        let is_valid = |row: usize| self.validity.as_ref().is_none_or(|validity| validity.get(row));
        let (count, each) = (rows.len(), rows.clone());
        match &self.kind {
            Kind::Booleans(values) => {
                let values = each.map(|row| is_valid(row).then(|| values.get(row)));
                visitor.booleans(collected(values, count)?)
            }
            Kind::Integers(values) => {
                let values = each.map(|row| values.get(row).copied().filter(|_| is_valid(row)));
                visitor.integers(collected(values, count)?)
            }
            Kind::Floats(values) => {
                let values = each.map(|row| values.get(row).copied().filter(|_| is_valid(row)));
                visitor.floats(collected(values, count)?)
            }
            Kind::Bytes { rows: of_rows, is_text } => {
                let layout = of_rows.values.rows()?;
                let mut values = collected(core::iter::empty(), count)?;
                for value in of_rows.rows.get(rows).unwrap_or_default() {
                    values.push(value.map(|value| layout.row(value)).transpose()?);
                }
                visitor.bytes(values, *is_text)
            }
            Kind::Struct(fields) => {
                let mut visited = vec![];
                for (name, values) in fields {
                    visited.push((name.as_str(), values.visit(rows.clone(), visitor)?));
                }
                visitor.structs(collected(each.map(is_valid), count)?, visited)
            }
            Kind::Lists { lists, elements } => {
                let first = lists.start(rows.start);
                let found = elements.visit(first..lists.start(rows.end), visitor)?;
                let ranges = each.map(|row| {
                    let Range { start, end } = lists.range(row);
                    is_valid(row).then(|| start - first..end - first)
                });
                visitor.lists(collected(ranges, count)?, found)
            }
        }
    }
}
