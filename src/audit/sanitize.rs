//! Removal or replacement of findings.

use core::fmt;
use std::borrow::Cow;

use super::finding::Finding;
use super::policy::{Kind, Policy};
use super::properties::properties;
use super::scan::Audit;
use crate::allocation::try_extend;
use crate::progress::{Progress, Stopped, uninterrupted, unobserved};
use crate::simd::dispatch::Implementation;

/// A replacement that has characters of a kind that the policy finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplacementError {
    /// The kind of the first of them.
    pub kind: Kind,
    /// That character.
    pub code_point: u32,
}

impl fmt::Display for ReplacementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the replacement has U+{:04X}, which the policy finds ({})",
            self.code_point,
            self.kind.name()
        )
    }
}

impl core::error::Error for ReplacementError {}

impl Policy {
    /// Returns an error if a replacement has a character of a kind that the policy finds.
    pub fn check_replacement(self, replacement: &str) -> Result<(), ReplacementError> {
        for character in replacement.chars() {
            let code_point = u32::from(character);
            let kind = properties(code_point).kind.filter(|&kind| self.kinds.contains(kind));
            let four =
                (character.len_utf8() == 4 && self.kinds.contains(Kind::FourByte)).then_some(Kind::FourByte);
            if let Some(kind) = kind.or(four) {
                return Err(ReplacementError { kind, code_point });
            }
        }
        Ok(())
    }
}

/// Returns the text of `data` without what [`audit`](super::audit()) finds in it: each finding is replaced. Borrowed if
/// there is none. The result has no finding by the same policy, but for controls of direction that a line feed in the
/// replacement has left without their partner.
///
/// # Errors
/// If the replacement has a character of a kind that the policy finds.
///
/// ```
/// use leadbyte::audit::{Policy, sanitize};
///
/// assert_eq!(sanitize(b"a\0b\xFF", Policy::POSTGRESQL, "").unwrap(), "ab");
/// assert_eq!(sanitize("😀!".as_bytes(), Policy::MYSQL_UTF8MB3, "\u{FFFD}").unwrap(), "\u{FFFD}!");
/// assert!(sanitize(b"a", Policy::SOURCE_CODE, "\u{200B}").is_err());
/// ```
pub fn sanitize<'a>(
    data: &'a [u8],
    policy: Policy,
    replacement: &str,
) -> Result<Cow<'a, str>, ReplacementError> {
    policy.check_replacement(replacement)?;
    let mut audit = Audit::of(Implementation::active(), policy);
    let sanitized =
        uninterrupted(sanitize_with(&mut audit, data, replacement.as_bytes(), &mut unobserved, |_| Ok(())));
    Ok(match sanitized.text {
        // SAFETY: the search has gone through all of `data` and found no error.
        None => Cow::Borrowed(unsafe { str::from_utf8_unchecked(data) }),
        // SAFETY: the bytes between findings are valid, and so is what replaces the findings, errors among them.
        Some(text) => Cow::Owned(unsafe { String::from_utf8_unchecked(text) }),
    })
}

/// A text without findings.
pub struct Sanitized {
    /// The text; `None` if it is the data.
    pub text: Option<Vec<u8>>,
    /// The number of findings.
    pub count: usize,
}

/// Returns the text of a piece of data without findings, each of which is passed to `found`.
pub fn sanitize_with(
    audit: &mut Audit,
    data: &[u8],
    replacement: &[u8],
    progress: Progress<'_>,
    mut found: impl FnMut(&Finding) -> Result<(), Stopped>,
) -> Result<Sanitized, Stopped> {
    let (mut text, mut count, mut at) = (vec![], 0, 0);
    while let Some(finding) = audit.next(data, progress)? {
        try_extend(&mut text, data.get(at..finding.start).unwrap_or_default())?;
        try_extend(&mut text, replacement)?;
        found(&finding)?;
        count += 1;
        at = finding.end;
    }
    if count == 0 {
        return Ok(Sanitized { text: None, count });
    }
    try_extend(&mut text, data.get(at..).unwrap_or_default())?;
    Ok(Sanitized { text: Some(text), count })
}
