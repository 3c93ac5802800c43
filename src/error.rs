//! Errors in bytes that should be UTF-8.

use core::fmt;

/// Why a byte sequence is not UTF-8, judged from its first two bytes.
///
/// The first row of this table that fits gives the kind:
///
/// | bytes | kind |
/// |---|---|
/// | 80–BF as lead | [`UnexpectedContinuation`](Self::UnexpectedContinuation) |
/// | C0, C1 | [`Overlong`](Self::Overlong) |
/// | F5–F7 | [`TooLarge`](Self::TooLarge) |
/// | F8–FF | [`InvalidStart`](Self::InvalidStart) |
/// | E0 then 80–9F, F0 then 80–8F | [`Overlong`](Self::Overlong) |
/// | ED then A0–BF | [`Surrogate`](Self::Surrogate) |
/// | F4 then 90–BF | [`TooLarge`](Self::TooLarge) |
/// | end of data inside a good start | [`Truncated`](Self::Truncated) |
/// | anything else | [`MissingContinuation`](Self::MissingContinuation) |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// A continuation byte where a character should start.
    UnexpectedContinuation,
    /// A longer form of a character that has a shorter one.
    Overlong,
    /// A value beyond U+10FFFF.
    TooLarge,
    /// A byte that never occurs in UTF-8 (F8–FF).
    InvalidStart,
    /// A surrogate, U+D800 to U+DFFF, which is not a character.
    Surrogate,
    /// The end of the data inside a sequence that is valid so far.
    Truncated,
    /// A byte that is not a continuation byte inside a sequence that is valid so far.
    MissingContinuation,
}

impl ErrorKind {
    /// Every kind, in the order of the table above.
    pub const ALL: [Self; 7] = [
        Self::UnexpectedContinuation,
        Self::Overlong,
        Self::TooLarge,
        Self::InvalidStart,
        Self::Surrogate,
        Self::Truncated,
        Self::MissingContinuation,
    ];

    /// Returns the name of the kind in `snake_case`, as in the Python package.
    ///
    /// ```
    /// assert_eq!(leadbyte::ErrorKind::TooLarge.name(), "too_large");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnexpectedContinuation => "unexpected_continuation",
            Self::Overlong => "overlong",
            Self::TooLarge => "too_large",
            Self::InvalidStart => "invalid_start",
            Self::Surrogate => "surrogate",
            Self::Truncated => "truncated",
            Self::MissingContinuation => "missing_continuation",
        }
    }
}

/// One error: a maximal subpart of an ill-formed sequence (Unicode 16, section 3.9, table 3-8).
///
/// Its span `start..end` is the one that `bytes.decode` of CPython and
/// [`str::from_utf8`](core::str::from_utf8) report: one to three bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Utf8Error {
    start: u64,
    kind: ErrorKind,
    length: u8,
    /// The invalid bytes, padded with zeros.
    bytes: [u8; 4],
}

impl Utf8Error {
    /// The maximum length of a span, in bytes: a four-byte sequence without its last byte.
    pub const LONGEST: usize = 3;

    /// Returns the error `kind` of `bytes`, at most three, which are at offset `start`.
    pub(crate) fn new(start: u64, kind: ErrorKind, bytes: &[u8]) -> Self {
        // As one number, as copying a few bytes takes longer than all the rest.
        let first = bytes.iter().take(Self::LONGEST);
        let kept = first.rev().fold(0u32, |number, &byte| number << 8 | u32::from(byte));
        Self { start, kind, length: bytes.len().min(Self::LONGEST) as u8, bytes: kept.to_le_bytes() }
    }

    /// Returns the offset of the first invalid byte.
    pub const fn start(&self) -> u64 {
        self.start
    }

    /// Returns the offset after the last invalid byte.
    pub const fn end(&self) -> u64 {
        self.start.saturating_add(self.length as u64)
    }

    /// Returns the kind of error.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the invalid bytes, one to three.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    /// Returns CPython's reason, as in `UnicodeDecodeError.reason`.
    ///
    /// ```
    /// let error = leadbyte::validate(b"caf\xe9").unwrap_err();
    /// assert_eq!(error.reason(), "unexpected end of data");
    /// ```
    pub const fn reason(&self) -> &'static str {
        match (self.kind, self.bytes[0]) {
            (ErrorKind::Truncated, _) => "unexpected end of data",
            // The lead bytes of the table of well-formed sequences.
            (_, 0xC2..=0xF4) => "invalid continuation byte",
            _ => "invalid start byte",
        }
    }

    /// Returns the error as part of data that `before` bytes precede.
    pub(crate) const fn moved(self, before: u64) -> Self {
        Self { start: self.start.saturating_add(before), ..self }
    }
}

impl fmt::Debug for Utf8Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Utf8Error")
            .field("start", &self.start)
            .field("end", &self.end())
            .field("kind", &self.kind)
            .field("bytes", &format_args!("{:02x?}", self.bytes()))
            .finish()
    }
}

impl fmt::Display for Utf8Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "invalid UTF-8 at byte {}: {}",
            self.start,
            crate::sequence::describe(self.bytes(), self.kind)
        )
    }
}

impl core::error::Error for Utf8Error {}
