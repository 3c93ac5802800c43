//! A finding, and why it is one.

use core::fmt;

use super::policy::Kind;
use crate::allocation::{or_raise, written};
use crate::error::Utf8Error;
use crate::sequence::{Sequence, decode_one};

/// A hidden character, or bytes that are not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Finding {
    /// Its kind.
    pub kind: Kind,
    /// The offset of its first byte.
    pub start: usize,
    /// The offset after its last byte.
    pub end: usize,
    /// The code point; 0 for invalid bytes.
    pub code_point: u32,
    pub(super) reason: Reason,
}

/// The particular reason of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Reason {
    /// Nothing but its kind.
    Kind,
    /// A control of direction that nothing closes before the end of the line, string or comment.
    Unclosed,
    /// A control of direction that closes nothing.
    Unopened,
    /// A byte order mark at the start, where JSON excludes it.
    Bom,
}

impl Finding {
    /// Returns why it is a finding, as a sentence for people; `data` is the text that it is in.
    ///
    /// ```
    /// use leadbyte::audit::{Policy, audit};
    ///
    /// let text = "a\u{202E}b".as_bytes();
    /// let why = audit(text, Policy::SOURCE_CODE).next().unwrap().why(text);
    /// assert_eq!(why, "changes the direction of the text after it, and is not closed on its line");
    /// ```
    pub fn why(&self, data: &[u8]) -> String {
        or_raise(written(|out| self.write_why(out, data)))
    }

    /// Writes [`why`](Self::why) it is a finding.
    #[doc(hidden)]
    pub fn write_why(&self, out: &mut dyn fmt::Write, data: &[u8]) -> fmt::Result {
        out.write_str(match (self.kind, self.reason) {
            (Kind::Invalid, _) => {
                let bytes = data.get(self.start..).unwrap_or_default();
                match decode_one(bytes) {
                    Some(Sequence::Malformed(kind, length)) => {
                        let (invalid, after) = bytes.split_at(length.min(bytes.len()));
                        return Utf8Error::new(self.start as u64, kind, invalid).write_message(out, after);
                    }
                    _ => "is not UTF-8",
                }
            }
            (_, Reason::Unclosed) => {
                "changes the direction of the text after it, and is not closed on its line"
            }
            (_, Reason::Unopened) => "ends a change of direction that did not start on its line",
            (_, Reason::Bom) => "is a byte order mark, with which the text must not start",
            (Kind::Nul, _) => "ends the text where strings end with a NUL, and databases refuse it",
            (Kind::Control, _) => "is a control, which terminals obey and editors may not show",
            (Kind::BidiControl, _) => "changes the order in which text is shown",
            (Kind::Tag, _) => "is a tag, which is not shown, and is not part of a flag",
            (Kind::Invisible, _) => "is not shown, or only as a space",
            (Kind::VariationSelector, _) => {
                "is not shown, and selects no standardized variant of the character before it"
            }
            (Kind::Noncharacter, _) => "is a noncharacter, which is not for interchange",
            (Kind::PrivateUse, _) => "has no meaning but by private agreement",
            (Kind::Unassigned, _) => "is not assigned by this version of Unicode",
            (Kind::FourByte, _) => "takes four bytes in UTF-8, more than utf8mb3 stores",
            (Kind::InnerBom, _) => "is a byte order mark that is not at the start, and is not shown",
            (Kind::LineSeparator, _) => "ends a line for some programs only",
            (Kind::Surrogate, _) => "is a surrogate, which UTF-8 cannot encode",
            (Kind::ConfusableNewline, _) => "ends a line for some programs only",
        })
    }
}
