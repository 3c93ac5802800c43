//! Repair: what replaces a finding.

use super::finding::{Finding, Kind, Place};
use crate::allocation::{AllocError, Grow, sum, try_extend};
use crate::repair::REPLACEMENT;

/// The text that replaces findings in strings.
#[derive(Clone, Debug)]
pub struct Replacement {
    text: String,
    /// As an escape, or as ASCII.
    escaped: String,
}

/// U+FFFD as an escape.
const ESCAPED_REPLACEMENT: &str = r"\ufffd";

impl Replacement {
    /// Returns the replacement; `None` for a text that has a quotation mark, a backslash or a control character.
    pub fn new(text: &str) -> Result<Option<Self>, AllocError> {
        if text.chars().any(|character| matches!(character, '"' | '\\' | '\0'..' ')) {
            return Ok(None);
        }
        let (mut copy, mut escaped) = (String::new(), String::new());
        copy.grow(text.len())?;
        copy.push_str(text);
        escaped.grow(text.len() * ESCAPED_REPLACEMENT.len())?;
        for character in text.chars() {
            if character.is_ascii() {
                escaped.push(character);
                continue;
            }
            for unit in character.encode_utf16(&mut [0; 2]) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        }
        Ok(Some(Self { text: copy, escaped }))
    }

    /// Returns what replaces a finding; `None` for a record that is not complete.
    ///
    /// The bytes after a replacement are read as they were before it, so that nothing new is found in them.
    pub fn of(&self, finding: &Finding) -> Option<&[u8]> {
        Some(match (finding.kind, finding.place) {
            (Kind::TruncatedRecord, _) => return None,
            (Kind::Bom, _) => b"",
            (Kind::Nul, Place::Outside) => b" ",
            (_, Place::Outside) => REPLACEMENT.as_bytes(),
            (_, Place::AfterUnfinished) if finding.is_escape() => ESCAPED_REPLACEMENT.as_bytes(),
            (_, Place::AfterUnfinished) => REPLACEMENT.as_bytes(),
            (_, Place::String) if finding.is_escape() => self.escaped.as_bytes(),
            (_, Place::String) => self.text.as_bytes(),
        })
    }
}

/// A part of a text, from a start to an end, and the text that takes its place.
pub type Edit<'a> = (usize, usize, &'a [u8]);

/// Returns the first `length` bytes of two parts of a text, one after the other, edited.
pub fn edited(parts: [&[u8]; 2], length: usize, edits: &[Edit<'_>]) -> Result<Vec<u8>, AllocError> {
    let mut text = vec![];
    text.grow(edits.iter().try_fold(length, |length, edit| sum(length, edit.2.len()))?)?;
    let copy = |text: &mut Vec<u8>, start: usize, end: usize| {
        let [first, second] = parts;
        let cut = first.len();
        try_extend(text, first.get(start.min(cut)..end.min(cut)).unwrap_or_default())?;
        let second = second.get(start.saturating_sub(cut)..end.saturating_sub(cut));
        try_extend(text, second.unwrap_or_default())
    };
    let mut done = 0;
    for &(start, end, instead) in edits {
        copy(&mut text, done, start)?;
        try_extend(&mut text, instead)?;
        done = end;
    }
    copy(&mut text, done, length)?;
    Ok(text)
}
