//! The bytes to look for marks in.

use super::{ABSENT, CHUNK_BYTES};
use crate::sequence::boundary::{MAX_BYTES_TO_LEAD, ceil_boundary, floor_boundary};
use crate::sequence::{Sequence, decode_one};

/// The byte in the place of the first one of an error: one character, one UTF-16 code unit, no line end.
const ERROR: u8 = 0x01;

/// A text, which may be changed meanwhile. If it is not valid, its bytes are not accessible but by
/// [`copy_to`](Self::copy_to), which puts one lead byte in the place of each error.
#[derive(Clone, Copy)]
pub(crate) struct Text<'a> {
    /// The text if it is valid, or none of it.
    pub(super) valid: &'a [u8],
    /// The text if it is not valid, or none of it.
    broken: &'a [u8],
}

impl<'a> Text<'a> {
    /// Returns a text whose lead bytes are its characters.
    #[inline(always)]
    pub fn valid(bytes: &'a [u8]) -> Self {
        Self { valid: bytes, broken: &[] }
    }

    /// Returns a text with errors, each of which is a character.
    #[inline]
    pub fn broken(bytes: &'a [u8]) -> Self {
        Self { valid: &[], broken: bytes }
    }

    /// Returns whether its bytes are accessible.
    #[inline(always)]
    pub fn is_valid(self) -> bool {
        self.broken.is_empty()
    }

    /// Returns the length in bytes.
    pub fn len(self) -> usize {
        self.valid.len() + self.broken.len()
    }

    /// Returns the chunks from `at` on of a text with errors, if these are elsewhere, as `is_valid` shows.
    #[cold]
    #[inline(never)]
    pub fn valid_chunks<const N: usize>(
        self,
        at: usize,
        is_valid: impl FnOnce(&'a [u8]) -> bool,
    ) -> Option<&'a [[u8; CHUNK_BYTES]; N]> {
        let text = self.broken;
        let chunks = text.get(at..)?.as_chunks().0.first_chunk()?;
        let window = floor_boundary(text, at)..ceil_boundary(text, at + N * CHUNK_BYTES);
        is_valid(&text[window]).then_some(chunks)
    }

    /// Copies the bytes from `at` on to the start of `out`, as many as there are, up to its length.
    pub fn copy_to(self, at: usize, out: &mut [u8]) {
        if self.is_valid() {
            let rest = self.valid.get(at..).unwrap_or_default();
            let copied = &rest[..out.len().min(rest.len())];
            out[..copied.len()].copy_from_slice(copied);
        } else {
            copy_without_errors(self.broken, at, out);
        }
    }
}

/// Copies the bytes from `at` on to the start of `out`, but for each error a lead byte, and continuation bytes for its
/// other bytes.
fn copy_without_errors(text: &[u8], at: usize, out: &mut [u8]) {
    let end = text.len().min(at.saturating_add(out.len()));
    if at >= end {
        return;
    }
    // Bytes before a lead byte have no influence on it, nor have more than three on any other byte.
    let start = floor_boundary(text, at);
    let window = &text[start..text.len().min(end + MAX_BYTES_TO_LEAD)];
    let wanted = end - start;
    let valid = match core::str::from_utf8(window) {
        Ok(_) => wanted,
        // A sequence that is incomplete at the end of the window may be complete in the text, where it starts after the
        // end.
        Err(error) => error.valid_up_to().min(wanted),
    };
    let (before, mut place) = (at - start, valid);
    if let Some(copied) = window.get(before..valid) {
        out[..copied.len()].copy_from_slice(copied);
    }
    while place < wanted
        && let Some(sequence) = decode_one(&window[place..])
    {
        let next = place + sequence.length();
        for byte in place.max(before)..next.min(wanted) {
            out[byte - before] = match sequence {
                Sequence::Char(..) => window[byte],
                Sequence::Malformed(..) if byte == place => ERROR,
                Sequence::Malformed(..) => ABSENT,
            };
        }
        place = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequence::is_continuation;

    #[test]
    fn each_error_is_one_lead_byte() {
        let samples: [&[u8]; 9] = [
            b"\xB8\xB8 x \xFF",
            b"\xE2\x82",
            b"\xE2\x82\xAC\xAC\x80\x80\x80",
            b"\xF0\x9F\x98a\xF0\x9F\x98\x80\x80",
            b"\xED\xA0\x80\xC0\x80\xF5\x80\x80\x80",
            b"\x80\x80\x80\x80\x80\x80\xC3\xA9",
            b"\xF4\x90\x80\x80\n\r\n\xC3",
            "caf\u{e9} \u{1F600}".as_bytes(),
            b"",
        ];
        for sample in samples {
            let shown = String::from_utf8_lossy(sample);
            for at in 0..=sample.len() {
                for length in 0..=sample.len() + 1 - at.min(sample.len()) {
                    let mut all = vec![ABSENT; sample.len()];
                    Text::broken(sample).copy_to(0, &mut all);
                    let mut part = vec![ABSENT; length];
                    Text::broken(sample).copy_to(at, &mut part);
                    let rest = &all[at..];
                    assert_eq!(part[..length.min(rest.len())], rest[..length.min(rest.len())]);
                    let leads = all.iter().filter(|&&byte| !is_continuation(byte)).count();
                    let twice = all.iter().filter(|&&byte| byte >= 0xF0).count();
                    assert_eq!(leads, shown.chars().count());
                    assert_eq!(leads + twice, shown.encode_utf16().count());
                }
            }
        }
    }
}
