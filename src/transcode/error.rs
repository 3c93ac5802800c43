//! Why a text cannot be had in another form.

use core::fmt;

use crate::Utf8Error;

/// Why a text cannot be had in another form, or not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TranscodeError {
    /// The bytes are not UTF-8.
    Invalid(Utf8Error),
    /// The form does not have this character, at this offset in bytes.
    NotInForm {
        /// Where the character starts.
        at: usize,
        /// The character.
        character: char,
    },
    /// The byte at this index means nothing in its encoding.
    Undefined {
        /// The index of the byte.
        at: usize,
        /// The byte.
        byte: u8,
    },
    /// The unit at this index is no scalar value and no half of one: a lone surrogate, or beyond U+10FFFF.
    NotScalar {
        /// The index of the unit.
        at: usize,
        /// The unit's value.
        value: u32,
    },
    /// There is less room than the result takes; nothing was written.
    NoRoom {
        /// How many units, or bytes, it takes.
        needed: usize,
    },
}

impl fmt::Display for TranscodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(error) => error.fmt(f),
            Self::NotInForm { at, character } => {
                write!(f, "U+{:04X} at byte {at} is not in this encoding", u32::from(*character))
            }
            Self::Undefined { at, byte } => {
                write!(f, "byte {byte:02X} at {at} means nothing in this encoding")
            }
            Self::NotScalar { at, value: value @ 0xD800..=0xDFFF } => {
                write!(f, "lone surrogate U+{value:04X} at unit {at}")
            }
            Self::NotScalar { at, value } => write!(f, "U+{value:04X} at unit {at} is beyond U+10FFFF"),
            Self::NoRoom { needed } => write!(f, "the result takes room for {needed}"),
        }
    }
}

impl core::error::Error for TranscodeError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Invalid(error) => Some(error),
            _ => None,
        }
    }
}
