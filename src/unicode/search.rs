//! Comparison and search of texts up to canonical equivalence.

use std::ops::Range;

use super::Form;
use super::classes::{NFC, NFD};
use super::edits::{self, Expansions, edits, is_mark};
use super::normalize::normalize;
use super::pieces::{Pieces, decoded};
use crate::allocation::{AllocError, Grow, or_raise, unobserved};
use crate::kernels::encode::Source;
use crate::simd::dispatch::Implementation;

/// Returns whether two texts are equal in a normalization form: canonically equivalent by NFC or NFD, compatibility
/// equivalent, which also ignores ligatures, width and the like, by NFKC or NFKD.
///
/// ```
/// use leadbyte::unicode::{Form, is_equivalent};
///
/// assert!(is_equivalent("\u{FC}", "u\u{308}", Form::Nfc));
/// assert!(!is_equivalent("\u{FC}", "u", Form::Nfc));
/// assert!(is_equivalent("ﬁ", "fi", Form::Nfkc));
/// ```
pub fn is_equivalent(a: &str, b: &str, form: Form) -> bool {
    a == b || normalize(form, a) == normalize(form, b)
}

/// Returns the range in bytes of the first occurrence of `needle` in `text`, up to canonical equivalence.
///
/// An occurrence consists of whole characters: u does not occur in ü, composed or not. With `ignore_marks` characters
/// with a combining class are ignored on both sides after decomposition, and it does. The time is linear in both
/// lengths.
///
/// ```
/// use leadbyte::unicode::search;
///
/// assert_eq!(search("f\u{FC}r", "u\u{308}", false), Some(1..3));
/// assert_eq!(search("fu\u{308}r", "u", false), None);
/// assert_eq!(search("fu\u{308}r", "u", true), Some(1..4));
/// ```
pub fn search(text: &str, needle: &str, ignore_marks: bool) -> Option<Range<usize>> {
    let by = Implementation::active();
    let found = Needle::of_text(by, needle, ignore_marks, unobserved)
        .and_then(|needle| needle.find_in_text(by, text, unobserved));
    or_raise(found)
}

/// A needle, prepared for the algorithm of Knuth, Morris and Pratt (1977), whose number of comparisons is linear.
///
/// Single characters determine where an occurrence may start and end: the decomposition of a character begins with a
/// start if and only if the character [is one](is_start), and contains no other start.
pub(crate) struct Needle {
    /// The canonical decomposition, perhaps without marks.
    text: Vec<u32>,
    /// For each prefix of the text the length of its longest border: a shorter prefix that it ends with.
    borders: Vec<usize>,
    /// Whether it begins with a character that is not a start, so that it can occur only at the start of a text.
    anchored: bool,
    ignore_marks: bool,
}

impl Needle {
    /// Prepares the needle.
    ///
    /// Calls `progress` with the number of bytes processed since the last call; an error of it is returned at once.
    #[cfg_attr(not(feature = "python"), expect(dead_code))]
    pub(crate) fn of_units<U: Source, E: From<AllocError>>(
        by: Implementation,
        units: &[U],
        ignore_marks: bool,
        mut progress: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut needle = Self::empty(ignore_marks);
        let mut pieces = Pieces::of(&NFC, units);
        while let Some((_, piece)) = pieces.next(&mut progress)? {
            decompose(by, piece, &mut needle, &mut progress)?;
        }
        needle.find_borders(progress)
    }

    /// Prepares the needle.
    ///
    /// Calls `progress` with the number of bytes processed since the last call; an error of it is returned at once.
    pub(crate) fn of_text<E: From<AllocError>>(
        by: Implementation,
        text: &str,
        ignore_marks: bool,
        mut progress: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut needle = Self::empty(ignore_marks);
        let mut buffer = vec![];
        let mut pieces = Pieces::of(&NFC, text);
        while let Some((_, piece)) = pieces.next(&mut progress)? {
            decompose(by, decoded(by, piece, &mut buffer, &mut progress)?, &mut needle, &mut progress)?;
        }
        needle.find_borders(progress)
    }

    fn empty(ignore_marks: bool) -> Self {
        Self { text: vec![], borders: vec![], anchored: false, ignore_marks }
    }

    /// Completes the needle with the borders of its decomposition.
    ///
    /// Calls `progress` with the number of bytes processed since the last call; an error of it is returned at once.
    fn find_borders<E: From<AllocError>>(
        mut self,
        mut progress: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Self, E> {
        self.anchored = self.text.first().is_some_and(|&first| !is_start(first));
        self.borders.grow(self.text.len())?;
        let mut border = 0;
        for (at, &code_point) in self.text.iter().enumerate() {
            if at > 0 {
                border = self.longer(border, code_point);
            }
            self.borders.push(border);
            if at % BLOCK == BLOCK - 1 {
                progress(BLOCK * size_of::<u32>())?;
            }
        }
        Ok(self)
    }

    /// Returns the length of the longest prefix that matches once `code_point` follows a match of `matched` characters.
    #[inline(always)]
    fn longer(&self, mut matched: usize, code_point: u32) -> usize {
        while self.text.get(matched) != Some(&code_point) {
            let Some(last) = matched.checked_sub(1) else { return 0 };
            matched = self.borders[last];
        }
        matched + 1
    }

    /// Returns the range of the first occurrence in `units`.
    ///
    /// Calls `progress` with the number of bytes processed since the last call; an error of it is returned at once.
    #[cfg_attr(not(feature = "python"), expect(dead_code))]
    pub(crate) fn find_in_units<U: Source, E: From<AllocError>>(
        &self,
        by: Implementation,
        units: &[U],
        mut progress: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<Range<usize>>, E> {
        if self.text.is_empty() {
            return Ok(Some(0..0));
        }
        let mut search = Search::of(self);
        let end = 'search: {
            let mut pieces = Pieces::of(&NFC, units);
            while let Some((start, piece)) = pieces.next(&mut progress)? {
                if !decompose(by, piece, &mut search, &mut progress)? {
                    break 'search search.end.map(|end| start + end);
                }
            }
            search.is_complete().then_some(units.len())
        };
        let Some(end) = end else { return Ok(None) };
        let before = units[..end].iter().enumerate().rev().map(|(at, unit)| (at, unit.value()));
        self.start_of(before, progress).map(|start| Some(start..end))
    }

    /// Returns the range in bytes of the first occurrence in `text`.
    ///
    /// Calls `progress` with the number of bytes processed since the last call; an error of it is returned at once.
    pub(crate) fn find_in_text<E: From<AllocError>>(
        &self,
        by: Implementation,
        text: &str,
        mut progress: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<Range<usize>>, E> {
        if self.text.is_empty() {
            return Ok(Some(0..0));
        }
        let mut search = Search::of(self);
        let mut buffer = vec![];
        let end = 'search: {
            let mut pieces = Pieces::of(&NFC, text);
            while let Some((start, piece)) = pieces.next(&mut progress)? {
                if !decompose(
                    by,
                    decoded(by, piece, &mut buffer, &mut progress)?,
                    &mut search,
                    &mut progress,
                )? {
                    let mut offsets = piece.char_indices().map(|(offset, _)| start + offset);
                    break 'search search.end.and_then(|end| offsets.nth(end));
                }
            }
            search.is_complete().then_some(text.len())
        };
        let Some(end) = end else { return Ok(None) };
        let before = text[..end].char_indices().rev().map(|(at, character)| (at, u32::from(character)));
        self.start_of(before, progress).map(|start| Some(start..end))
    }

    /// Returns the start of an occurrence, given the characters before its end with their indices, last one first.
    ///
    /// Calls `progress` with the number of bytes processed since the last call; an error of it is returned at once.
    fn start_of<E>(
        &self,
        before: impl Iterator<Item = (usize, u32)>,
        mut progress: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<usize, E> {
        let mut parts = Expansions::new(Form::Nfd);
        let mut left = self.text.len();
        for (at, code_point) in before {
            let class = NFD.class(code_point);
            let length = match class {
                _ if is_mark(class) => usize::from(!self.ignore_marks),
                _ if NFD.is_plain(class) => 1,
                _ => parts.of(code_point).iter().filter(|&&part| self.counts(part)).count(),
            };
            left = left.saturating_sub(length);
            if left == 0 {
                return Ok(at);
            }
            progress(size_of::<u32>())?;
        }
        Ok(0)
    }

    /// Returns whether a character of a decomposition takes part in the comparison.
    #[inline(always)]
    fn counts(&self, code_point: u32) -> bool {
        !(self.ignore_marks && is_mark(NFD.class(code_point)))
    }
}

/// Returns whether no equivalent text composes the character, or a part of it, with a character before it.
#[inline(always)]
fn is_start(code_point: u32) -> bool {
    // Two subjoined letters of Tibetan are the second part of decompositions, though they do not compose.
    edits::is_start(NFC.class(code_point)) && !matches!(code_point, 0xFB5 | 0xFB7)
}

/// The maximum number of characters that are passed to a sink at once.
const BLOCK: usize = 64 << 10;

/// A receiver of a canonical decomposition.
trait Sink {
    /// Takes the next part, and returns whether it needs more. `first` is the index of the first character in the text,
    /// and starts among the others are as far after that as in the part.
    fn take<U: Source>(&mut self, first: usize, part: &[U]) -> Result<bool, AllocError>;
}

/// Passes the canonical decomposition of `units` to a sink, until it needs no more. Returns whether it needs more.
///
/// Calls `progress` with the number of bytes processed since the last call; an error of it is returned at once.
fn decompose<U: Source, E: From<AllocError>>(
    by: Implementation,
    units: &[U],
    sink: &mut impl Sink,
    progress: &mut impl FnMut(usize) -> Result<(), E>,
) -> Result<bool, E> {
    let mut done = 0;
    let mut more = Ok(true);
    edits(by, Form::Nfd, units, progress, |range, text| {
        more = sink.take(done, &units[done..range.start]);
        if more == Ok(true) {
            more = sink.take(range.start, text);
        }
        done = range.end;
        more == Ok(true)
    })?;
    if !more? {
        return Ok(false);
    }
    for (number, block) in units[done..].chunks(BLOCK).enumerate() {
        if !sink.take(done + number * BLOCK, block)? {
            return Ok(false);
        }
        progress(size_of_val(block))?;
    }
    progress(size_of_val(&units[..done]))?;
    Ok(true)
}

impl Sink for Needle {
    fn take<U: Source>(&mut self, _: usize, part: &[U]) -> Result<bool, AllocError> {
        self.text.grow(part.len())?;
        let ignore_marks = self.ignore_marks;
        let values = part.iter().map(|unit| unit.value());
        self.text.extend(values.filter(|&value| !(ignore_marks && is_mark(NFD.class(value)))));
        Ok(true)
    }
}

/// A search for a needle.
struct Search<'a> {
    needle: &'a Needle,
    /// The length of the longest prefix of the needle that the text so far ends with.
    matched: usize,
    /// The index of the first start after the occurrence, once it was found.
    end: Option<usize>,
}

impl<'a> Search<'a> {
    fn of(needle: &'a Needle) -> Self {
        Self { needle, matched: 0, end: None }
    }

    /// Returns whether the text so far ends with the needle.
    fn is_complete(&self) -> bool {
        self.matched == self.needle.text.len()
    }
}

impl Sink for Search<'_> {
    #[inline]
    fn take<U: Source>(&mut self, first: usize, part: &[U]) -> Result<bool, AllocError> {
        let needle = self.needle;
        let mut at = 0;
        while at < part.len() {
            if self.matched == 0
                && !needle.anchored
                && let Some(&initial) = needle.text.first()
            {
                let Some(found) = position(&part[at..], initial) else { break };
                at += found;
            }
            let code_point = part[at].value();
            if needle.counts(code_point) {
                if self.is_complete() && is_start(code_point) {
                    self.end = Some(first + at);
                    return Ok(false);
                }
                let before = self.matched;
                self.matched = needle.longer(before, code_point);
                if needle.anchored && self.matched <= before {
                    return Ok(false);
                }
            } else if needle.anchored && self.matched == 0 {
                return Ok(false);
            }
            at += 1;
        }
        Ok(true)
    }
}

/// Returns the index of the first occurrence of a code point.
#[inline(always)]
fn position<U: Source>(units: &[U], code_point: u32) -> Option<usize> {
    const LANES: usize = 32;
    let (blocks, _) = units.as_chunks::<LANES>();
    let without =
        |block: &&[U; LANES]| block.iter().fold(true, |without, unit| without & (unit.value() != code_point));
    let skipped = blocks.iter().take_while(without).count() * LANES;
    let found = units[skipped..].iter().position(|unit| unit.value() == code_point)?;
    Some(skipped + found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decomposition_begins_with_a_start_if_the_character_is_one() {
        let mut parts = Expansions::new(Form::Nfd);
        for code_point in 0..=u32::from(char::MAX) {
            let class = NFD.class(code_point);
            let alone = [code_point];
            let parts = if NFD.is_plain(class) || is_mark(class) { &alone } else { parts.of(code_point) };
            let starts = parts.iter().map(|&part| is_start(part));
            let first_only = (0..parts.len()).map(|at| at == 0 && is_start(code_point));
            assert!(starts.eq(first_only), "U+{code_point:04X}");
        }
    }
}
