//! Errors of conversions between encodings.

use core::fmt;

use crate::encodings::surrogates::SURROGATES;
use crate::error::Utf8Error;

/// Why a conversion between encodings failed, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TranscodeError {
    /// The data is not UTF-8.
    Invalid(Utf8Error),
    /// The target encoding does not have a character.
    Unmappable {
        /// The offset of the character in bytes.
        at: usize,
        /// The character.
        character: char,
    },
    /// The source encoding defines no character for a byte.
    Undefined {
        /// The offset of the byte.
        at: usize,
        /// The byte.
        byte: u8,
    },
    /// A code unit is neither a scalar value nor part of a surrogate pair: it is a lone surrogate or beyond U+10FFFF.
    NotScalar {
        /// The index of the code unit.
        at: usize,
        /// The value of the code unit.
        value: u32,
    },
    /// The output buffer is too small; nothing was written.
    BufferTooSmall {
        /// The required length in code units of the output.
        needed: usize,
    },
}

impl fmt::Display for TranscodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(error) => error.fmt(f),
            Self::Unmappable { at, character } => {
                write!(f, "U+{:04X} at byte {at} is not in the target encoding", u32::from(*character))
            }
            Self::Undefined { at, byte } => {
                write!(f, "byte {byte:02X} at {at} is undefined in the source encoding")
            }
            Self::NotScalar { at, value } if SURROGATES.contains(value) => {
                write!(f, "lone surrogate U+{value:04X} at code unit {at}")
            }
            Self::NotScalar { at, value } => write!(f, "U+{value:04X} at code unit {at} is beyond U+10FFFF"),
            Self::BufferTooSmall { needed } => write!(f, "the output buffer is too small: {needed} needed"),
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
