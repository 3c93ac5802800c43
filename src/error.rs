//! Errors of UTF-8 and where they are.

use core::fmt;

use crate::allocation::{or_raise, written};
use crate::sequence::{
    ErrorKind, MAX_ANNOUNCED_BYTES, MAX_INCOMPLETE_BYTES, announced_length, is_continuation,
    write_description,
};

/// An error of UTF-8: a maximal subpart of an ill-formed sequence (Unicode 16, section 3.9, table 3-8).
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
    /// The length of the longest span in bytes: a sequence of four without its last byte.
    pub const MAX_BYTES: usize = MAX_INCOMPLETE_BYTES;

    /// Creates the error of `bytes` at the offset `start`.
    #[doc(hidden)]
    #[inline(always)]
    pub fn new(start: u64, kind: ErrorKind, bytes: &[u8]) -> Self {
        // As one integer, since a copy of few bytes takes longer than all the rest.
        let byte = |index| bytes.get(index).map_or(0, |&byte| u32::from(byte));
        let kept = byte(0) | byte(1) << 8 | byte(2) << 16;
        Self { start, kind, length: bytes.len().min(Self::MAX_BYTES) as u8, bytes: kept.to_le_bytes() }
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

    /// Returns the sentence for people about the malformed character that the error starts. `following` are the bytes
    /// after it, of which those count that its lead byte announces; it may be empty.
    ///
    /// ```
    /// let data = b"1 \xC0\xB1";
    /// let error = leadbyte::validate(data).unwrap_err();
    /// assert_eq!(error.message(&data[error.end() as usize..]), "overlong encoding of U+0031 \"1\"");
    /// assert_eq!(error.message(b""), "C0 never occurs in UTF-8 (would start an overlong encoding)");
    /// ```
    pub fn message(&self, following: &[u8]) -> String {
        or_raise(written(|out| self.write_message(out, following)))
    }

    /// Writes the [`message`](Self::message).
    #[doc(hidden)]
    pub fn write_message(&self, out: &mut dyn fmt::Write, following: &[u8]) -> fmt::Result {
        let mut bytes = [0; MAX_ANNOUNCED_BYTES];
        let mut length = 0;
        for &byte in self.bytes().iter().chain(self.continued(following)) {
            bytes[length] = byte;
            length += 1;
        }
        write_description(out, &bytes[..length], self.kind)
    }

    /// Returns the continuation bytes at the start of `following` that the lead byte of the error announces.
    pub fn continued<'a>(&self, following: &'a [u8]) -> &'a [u8] {
        let missing = announced_length(self.bytes[0]).saturating_sub(self.bytes().len());
        let present = following.iter().take(missing).take_while(|&&byte| is_continuation(byte)).count();
        &following[..present]
    }

    /// Returns the error as part of data that `before` bytes precede.
    #[doc(hidden)]
    pub const fn moved(self, before: u64) -> Self {
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
        write!(f, "invalid UTF-8 at byte {}: {}", self.start, self.message(&[]))
    }
}

impl core::error::Error for Utf8Error {}
