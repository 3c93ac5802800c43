//! What fails in columns.

use core::fmt;

use crate::allocation::AllocError;
use crate::error::Utf8Error;

/// Why a column cannot be processed.
#[derive(Debug)]
pub(crate) enum ColumnError {
    /// The column is of another type than bytes or strings, or is not there.
    Type(String),
    /// The array contradicts itself.
    Malformed(&'static str),
    /// A chunk of the result would need offsets of more than 32 bits.
    Overflow,
    /// A row is not UTF-8.
    Row(Box<RowError>),
    Alloc(AllocError),
    /// The caller stopped the work, and knows why.
    Interrupted,
}

/// A row that is not UTF-8, and its first error.
#[derive(Debug)]
pub(crate) struct RowError {
    /// The number of the row, from 0 on.
    pub row: usize,
    pub data: Vec<u8>,
    pub error: Utf8Error,
}

impl From<AllocError> for ColumnError {
    fn from(error: AllocError) -> Self {
        Self::Alloc(error)
    }
}

impl ColumnError {
    /// Returns the error of a row with its number in the whole column.
    pub(crate) fn in_chunk_at(mut self, first_row: usize) -> Self {
        if let Self::Row(error) = &mut self {
            error.row = error.row.saturating_add(first_row);
        }
        self
    }
}

impl fmt::Display for ColumnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type(message) => f.write_str(message),
            Self::Malformed(problem) => write!(f, "malformed Arrow data: {problem}"),
            Self::Overflow => f.write_str(
                "the text of a chunk exceeds 2 GiB, the limit of offsets of 32 bits; cast the column to large_binary \
                 or large_string, or split the chunk",
            ),
            Self::Row(error) => write!(f, "row {}: {}", error.row, error.error),
            Self::Alloc(_) => f.write_str("out of memory"),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}
