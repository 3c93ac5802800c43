//! Validation of data that arrives in chunks, cut anywhere.

use crate::error::Utf8Error;
use crate::sequence::ErrorKind;
use crate::sequence::{Sequence, decode_one};
use crate::simd::dispatch::Implementation;

/// Validates text that arrives in chunks.
///
/// ```
/// let mut validator = leadbyte::IncrementalValidator::new();
/// assert!(validator.update(b"\xE2\x82")); // the start of a character
/// assert_eq!(validator.pending(), b"\xE2\x82");
/// assert!(validator.update(b"\xAC"));
/// assert!(validator.finish());
///
/// assert!(!validator.update(b"\xFF"));
/// assert_eq!(validator.error().unwrap().start(), 3);
/// ```
#[derive(Clone, Debug, Default)]
pub struct IncrementalValidator {
    /// The number of bytes validated.
    taken: u64,
    /// The last of them, if they are the start of a character that is not complete.
    pending: [u8; Utf8Error::MAX_BYTES],
    pending_length: usize,
    error: Option<Utf8Error>,
}

impl IncrementalValidator {
    /// Returns a validator that has seen no data.
    pub fn new() -> Self {
        Self::default()
    }

    /// Validates the next bytes; returns whether all bytes so far can be the start of a valid text. After an error,
    /// further bytes are ignored.
    pub fn update(&mut self, data: &[u8]) -> bool {
        let mut rest = data;
        // An incomplete character continues byte by byte, by at most three bytes.
        while self.pending_length > 0
            && self.error.is_none()
            && let Some((&next, after)) = rest.split_first()
        {
            let mut start = [0; Utf8Error::MAX_BYTES + 1];
            start[..self.pending_length].copy_from_slice(self.pending());
            start[self.pending_length] = next;
            match decode_one(&start[..=self.pending_length]) {
                Some(Sequence::Malformed(ErrorKind::Truncated, length)) => {
                    self.pending = [start[0], start[1], start[2]];
                    self.pending_length = length;
                }
                Some(Sequence::Malformed(kind, length)) => {
                    let first = self.taken - self.pending_length as u64;
                    self.error = Some(Utf8Error::new(first, kind, &start[..length]));
                    self.pending_length = 0;
                    break;
                }
                _ => self.pending_length = 0,
            }
            self.taken += 1;
            rest = after;
        }
        if self.error.is_none() && !rest.is_empty() {
            let error = Implementation::active().first_error(rest);
            match error.map(|error| error.moved(self.taken)) {
                Some(error) if error.kind() == ErrorKind::Truncated => {
                    self.pending_length = error.bytes().len();
                    self.pending[..self.pending_length].copy_from_slice(error.bytes());
                    self.taken += rest.len() as u64;
                }
                None => self.taken += rest.len() as u64,
                broken => self.error = broken,
            }
        }
        self.error.is_none()
    }

    /// Returns whether all bytes so far are valid; an incomplete character at their end is an error now.
    pub fn finish(&mut self) -> bool {
        if self.error.is_none() && self.pending_length > 0 {
            let start = self.taken - self.pending_length as u64;
            self.error = Some(Utf8Error::new(start, ErrorKind::Truncated, self.pending()));
        }
        self.error.is_none()
    }

    /// Returns the first error, if there is one; its offsets count from the start of the first chunk, in bytes.
    pub fn error(&self) -> Option<Utf8Error> {
        self.error
    }

    /// Returns a validator in a state: the number of bytes validated, the pending ones among them, and the first error.
    /// `None` if no validator has that state.
    #[cfg(feature = "bindings")]
    pub fn from_state(taken: u64, pending: &[u8], error: Option<Utf8Error>) -> Option<Self> {
        let truncated = Some(Sequence::Malformed(ErrorKind::Truncated, pending.len()));
        let is_start = pending.is_empty() || decode_one(pending) == truncated;
        let first = taken.checked_sub(pending.len() as u64)?;
        // Bytes before an error in its own chunk were not counted, but bytes of the error in the previous chunk were.
        let earliest = taken.saturating_sub(Utf8Error::MAX_BYTES as u64);
        let (start, end) = error.map_or((first, taken), |error| (error.start(), error.end()));
        // So small that no sum overflows.
        let is_small = i64::try_from(taken.max(end)).is_ok();
        if !(is_start && is_small && start >= earliest) {
            return None;
        }
        let mut validator = Self { taken, pending_length: pending.len(), error, ..Self::default() };
        validator.pending[..pending.len()].copy_from_slice(pending);
        Some(validator)
    }

    /// Returns the number of bytes validated.
    #[cfg(feature = "bindings")]
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Returns the last bytes, up to three, if they are the start of a character that is not complete.
    pub fn pending(&self) -> &[u8] {
        &self.pending[..self.pending_length]
    }
}
