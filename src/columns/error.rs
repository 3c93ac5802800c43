//! What fails in columns.

use core::fmt;

use crate::allocation::AllocError;
use crate::encodings::Fault;
use crate::error::Utf8Error;
use crate::progress::Stopped;

/// Why a column cannot be processed.
#[derive(Debug)]
pub enum ColumnError {
    /// The column is of another type than bytes or strings, or is not there.
    Type(String),
    /// The array contradicts itself.
    Malformed(&'static str),
    /// A chunk of the result would need offsets of more than 32 bits.
    Overflow,
    /// A row is not UTF-8.
    Row(Box<RowError>),
    /// A row cannot be converted to another encoding.
    Conversion(Box<ConversionError>),
    /// Memory is exhausted.
    Alloc(AllocError),
    /// The caller stopped the work, and knows why.
    Interrupted,
}

/// A row that is not UTF-8, and its first error.
#[derive(Debug)]
pub struct RowError {
    /// The number of the row, from 0 on.
    pub row: usize,
    /// The bytes of the row.
    pub data: Vec<u8>,
    /// The first error.
    pub error: Utf8Error,
}

/// A row that is malformed in its encoding, or has characters that another encoding lacks.
#[derive(Debug)]
pub struct ConversionError {
    /// The number of the row, from 0 on.
    pub row: usize,
    /// The name of the encoding in Python's exceptions.
    pub encoding: String,
    /// The bytes that are malformed, or the text in generalized UTF-8 that cannot be encoded.
    pub data: Vec<u8>,
    /// Whether the text cannot be encoded.
    pub is_unmappable: bool,
    /// Where in the data.
    pub fault: Fault,
}

impl From<AllocError> for ColumnError {
    fn from(error: AllocError) -> Self {
        Self::Alloc(error)
    }
}

impl From<Stopped> for ColumnError {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Alloc(error) => Self::Alloc(error),
            Stopped::Interrupted => Self::Interrupted,
        }
    }
}

impl ColumnError {
    /// Returns the error for a column of Python objects, which Polars passes as their addresses.
    pub fn objects() -> Self {
        let message = "a column of binary or string values is needed, not one of Python objects (dtype Object): build \
                       it with dtype=polars.Binary or polars.String";
        Self::Type(message.to_owned())
    }

    /// Returns the error of a row with its number in the whole column.
    pub fn in_chunk_at(self, first_row: usize) -> Self {
        self.with_row(|row| row.saturating_add(first_row))
    }

    /// Returns the error of a row with another number.
    pub fn with_row(mut self, number: impl FnOnce(usize) -> usize) -> Self {
        match &mut self {
            Self::Row(error) => error.row = number(error.row),
            Self::Conversion(error) => error.row = number(error.row),
            _ => {}
        }
        self
    }
}

impl fmt::Display for ConversionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, byte {}: {}", self.encoding, self.fault.start, self.fault.reason)
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
            Self::Conversion(error) => write!(f, "row {}: {error}", error.row),
            Self::Alloc(_) => f.write_str("out of memory"),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}
