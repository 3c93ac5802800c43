//! A finding, and its kind.

use super::escape::UNICODE_ESCAPE_BYTES;
use crate::sequence::ErrorKind;

/// The kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bytes that are not UTF-8.
    Invalid(ErrorKind),
    /// An escape of a surrogate without its other half.
    LoneSurrogate,
    /// An escape of U+0000, or the byte 00.
    Nul,
    /// U+FEFF at the start of a record.
    Bom,
    /// A last record that is not complete.
    TruncatedRecord,
}

impl Kind {
    /// Returns the name in `snake_case`, as in the Python package.
    pub fn name(self) -> &'static str {
        match self {
            Self::Invalid(kind) => kind.name(),
            Self::LoneSurrogate => "lone_surrogate",
            Self::Nul => "nul",
            Self::Bom => "bom",
            Self::TruncatedRecord => "truncated_record",
        }
    }
}

/// Something in a record that programs refuse to load.
#[derive(Clone, Copy, Debug)]
pub struct Finding {
    /// Its kind.
    pub kind: Kind,
    /// The offset of its first byte in the text.
    pub start: u64,
    /// The offset after its last byte.
    pub end: u64,
    /// The line, from 1.
    pub line: u64,
    /// The column in characters, from 1, with one for each error.
    pub column: u64,
    /// The offset of the first byte of the record.
    pub record_start: u64,
    pub(super) place: Place,
    pub(super) bytes: [u8; UNICODE_ESCAPE_BYTES],
}

/// Where a finding is, as far as its replacement depends on that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Outside strings.
    Outside,
    /// In a string.
    String,
    /// In a string, after the first bytes of an escape, which the text after it must not complete.
    AfterUnfinished,
}

impl Finding {
    /// Returns its bytes; of a record that is not complete, none.
    pub fn bytes(&self) -> &[u8] {
        match self.kind {
            Kind::TruncatedRecord => &[],
            _ => self.bytes.get(..(self.end - self.start) as usize).unwrap_or(&self.bytes),
        }
    }

    /// Returns whether it is written as an escape.
    pub fn is_escape(&self) -> bool {
        self.bytes[0] == b'\\'
    }
}
