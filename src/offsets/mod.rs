//! Offsets in bytes, characters and UTF-16 code units, lines and columns, and the conversions among them.

mod editable;
mod error;
mod index;
mod map;
mod pieces;
mod unit;

pub use editable::EditableOffsetMap;
pub use error::OffsetError;
pub use map::OffsetMap;
pub use unit::{Newlines, Unit, UnknownName};

#[cfg(feature = "bindings")]
pub use editable::EditableIndex;
pub use index::{OffsetIndex, Validity};

/// A line and a column, both from 0 as in the Language Server Protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column: the number of units between the start of the line and the offset.
    pub character: usize,
}
