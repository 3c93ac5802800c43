//! How far data is well-formed in an encoding.

use super::wide;
use crate::encodings::scheme::Scheme;
use crate::error_iter::ErrorIter;
use crate::progress::{Poll, Stopped};
use crate::sequence::ErrorKind;
use crate::sequence::boundary::CHUNK_BYTES;
use crate::simd::dispatch::Implementation;

/// The validity of data as UTF-8.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Utf8Validity {
    Valid,
    /// Valid except for this number of bytes at the end, which start a character.
    Truncated(usize),
    Invalid,
}

impl Utf8Validity {
    pub(super) fn of(data: &[u8], poll: Poll<'_>) -> Result<Self, Stopped> {
        let error = ErrorIter::new(Implementation::active(), data).next_error_with(poll)?;
        Ok(match error {
            None => Self::Valid,
            Some(error) if error.kind() == ErrorKind::Truncated => Self::Truncated(error.bytes().len()),
            Some(_) => Self::Invalid,
        })
    }

    pub(super) fn ending(self) -> Ending {
        match self {
            Self::Valid => Ending::Complete,
            Self::Truncated(_) => Ending::Truncated,
            Self::Invalid => Ending::Malformed,
        }
    }
}

/// How far data is well-formed in an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Complete,
    /// Up to an incomplete character at the end.
    Truncated,
    Malformed,
}

/// Returns how far data is well-formed in UTF-16 or UTF-32.
pub(super) fn wide_ending(scheme: Scheme, data: &[u8], poll: Poll<'_>) -> Result<Ending, Stopped> {
    let complete = wide::complete(scheme, data);
    for step in scheme.chunks(complete, CHUNK_BYTES) {
        if !wide::is_well_formed(scheme, step) {
            return Ok(Ending::Malformed);
        }
        poll()?;
    }
    Ok(if complete.len() == data.len() { Ending::Complete } else { Ending::Truncated })
}
