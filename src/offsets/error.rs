//! Why an offset cannot be converted.

use core::fmt;

use super::Unit;
use crate::sequence::Named;

/// Why an offset cannot be converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OffsetError {
    /// The offset is beyond the end of the text.
    OutOfRange {
        /// The offset.
        offset: usize,
        /// What it counts.
        unit: Unit,
        /// The number of such units in the text, which is the highest offset.
        count: usize,
    },
    /// The text has no such line.
    NoSuchLine {
        /// The line, from 0.
        line: usize,
        /// The number of lines.
        count: usize,
    },
    /// The offset is inside a character, and rounding down was not asked for.
    InsideChar {
        /// The offset.
        offset: usize,
        /// What it counts.
        unit: Unit,
        /// The offset at which the character starts.
        start: usize,
        /// The character; `None` if its bytes are not valid UTF-8.
        char: Option<char>,
    },
}

impl OffsetError {
    /// Returns an error if an offset is beyond `count`.
    #[inline]
    pub(super) fn beyond(offset: usize, unit: Unit, count: usize) -> Result<(), Self> {
        if offset > count { Err(Self::OutOfRange { offset, unit, count }) } else { Ok(()) }
    }

    /// Returns an error if a line is not below `count`.
    #[inline]
    pub(super) fn no_such_line(line: usize, count: usize) -> Result<(), Self> {
        if line >= count { Err(Self::NoSuchLine { line, count }) } else { Ok(()) }
    }
}

impl fmt::Display for OffsetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        match *self {
            Self::OutOfRange { offset, unit, count } => {
                let unit = unit.noun();
                write!(
                    f,
                    "{unit} offset {offset} is out of range: the text has {count} {unit}{}",
                    plural(count)
                )
            }
            Self::NoSuchLine { line, count } => {
                let last = count.saturating_sub(1);
                write!(
                    f,
                    "line {line} is out of range: the text has {count} line{}, 0 to {last}",
                    plural(count)
                )
            }
            Self::InsideChar { offset, unit, start, char } => {
                let unit = unit.noun();
                write!(f, "{unit} {offset} is inside ")?;
                match char {
                    Some(char) => write!(f, "the character {}", Named(u64::from(char)))?,
                    None => f.write_str("the malformed sequence")?,
                }
                write!(f, " that starts at {unit} {start}")
            }
        }
    }
}

impl core::error::Error for OffsetError {}
