//! Texts compared and searched by what they mean: however their characters are composed.

use std::ops::Range;

use super::Form;
use super::classes::{NFC, NFD};
use super::edits::{self, Expansions, edits, is_mark};
use super::normalize::normalize;
use super::pieces::{Pieces, decoded};
use crate::allocation::{AllocError, Grow, or_raise, unobserved};
use crate::kernels::encode::Source;
use crate::simd::dispatch::Implementation;

/// Whether two texts are the same in a normalization form. By NFC or NFD those are which are canonically equivalent; by
/// NFKC or NFKD also those that differ by ligatures, width, and the like.
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

/// Where a text holds another, or what is canonically equivalent to it: the bytes of the first such place.
///
/// It begins and ends where nothing goes on: u is not found in ü, composed or not. With `ignore_marks` characters with a
/// combining class are ignored on both sides, and it is. It takes time linear in the lengths of both texts.
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

/// What is searched for, by the algorithm of Knuth, Morris and Pratt (1977): a character of the text is compared to more
/// than one of the needle only as often as others were equal before it.
///
/// Where the needle may begin and end is told by the characters alone: what one is decomposed to begins with a start
/// if and only if the character [is one](is_start), and has no other.
pub(crate) struct Needle {
    /// Its canonical decomposition, perhaps without marks.
    text: Vec<u32>,
    /// For each of its beginnings the length of the longest other one that it ends with.
    borders: Vec<usize>,
    /// Whether it begins with what is found only at the start of a text.
    anchored: bool,
    ignore_marks: bool,
}

impl Needle {
    /// Tells `worked` of the progress, in bytes.
    #[cfg_attr(not(feature = "python"), expect(dead_code))]
    pub(crate) fn of_units<U: Source, E: From<AllocError>>(
        by: Implementation,
        units: &[U],
        ignore_marks: bool,
        mut worked: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut needle = Self::nothing_yet(ignore_marks);
        let mut pieces = Pieces::of(&NFC, units);
        while let Some((_, piece)) = pieces.next(&mut worked)? {
            decompose(by, piece, &mut needle, &mut worked)?;
        }
        needle.find_borders(worked)
    }

    /// Tells `worked` of the progress, in bytes.
    pub(crate) fn of_text<E: From<AllocError>>(
        by: Implementation,
        text: &str,
        ignore_marks: bool,
        mut worked: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut needle = Self::nothing_yet(ignore_marks);
        let mut room = vec![];
        let mut pieces = Pieces::of(&NFC, text);
        while let Some((_, piece)) = pieces.next(&mut worked)? {
            decompose(by, decoded(by, piece, &mut room, &mut worked)?, &mut needle, &mut worked)?;
        }
        needle.find_borders(worked)
    }

    fn nothing_yet(ignore_marks: bool) -> Self {
        Self { text: vec![], borders: vec![], anchored: false, ignore_marks }
    }

    /// The same with all that is told of its decomposition.
    fn find_borders<E: From<AllocError>>(
        mut self,
        mut worked: impl FnMut(usize) -> Result<(), E>,
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
                worked(BLOCK * size_of::<u32>())?;
            }
        }
        Ok(self)
    }

    /// How many of its first characters end with this one that comes after `matched` of them.
    #[inline(always)]
    fn longer(&self, mut matched: usize, code_point: u32) -> usize {
        while self.text.get(matched) != Some(&code_point) {
            let Some(last) = matched.checked_sub(1) else { return 0 };
            matched = self.borders[last];
        }
        matched + 1
    }

    /// Where it is in `units`. Tells `worked` of the progress, in bytes.
    #[cfg_attr(not(feature = "python"), expect(dead_code))]
    pub(crate) fn find_in_units<U: Source, E: From<AllocError>>(
        &self,
        by: Implementation,
        units: &[U],
        mut worked: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<Range<usize>>, E> {
        if self.text.is_empty() {
            return Ok(Some(0..0));
        }
        let mut search = Search::of(self);
        let end = 'search: {
            let mut pieces = Pieces::of(&NFC, units);
            while let Some((start, piece)) = pieces.next(&mut worked)? {
                if !decompose(by, piece, &mut search, &mut worked)? {
                    break 'search search.end.map(|end| start + end);
                }
            }
            search.is_complete().then_some(units.len())
        };
        let Some(end) = end else { return Ok(None) };
        let before = units[..end].iter().enumerate().rev().map(|(at, unit)| (at, unit.value()));
        self.start_of(before, worked).map(|start| Some(start..end))
    }

    /// Where it is in `text`, in bytes. Tells `worked` of the progress, in bytes.
    pub(crate) fn find_in_text<E: From<AllocError>>(
        &self,
        by: Implementation,
        text: &str,
        mut worked: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<Range<usize>>, E> {
        if self.text.is_empty() {
            return Ok(Some(0..0));
        }
        let mut search = Search::of(self);
        let mut room = vec![];
        let end = 'search: {
            let mut pieces = Pieces::of(&NFC, text);
            while let Some((start, piece)) = pieces.next(&mut worked)? {
                if !decompose(by, decoded(by, piece, &mut room, &mut worked)?, &mut search, &mut worked)? {
                    let mut offsets = piece.char_indices().map(|(offset, _)| start + offset);
                    break 'search search.end.and_then(|end| offsets.nth(end));
                }
            }
            search.is_complete().then_some(text.len())
        };
        let Some(end) = end else { return Ok(None) };
        let before = text[..end].char_indices().rev().map(|(at, character)| (at, u32::from(character)));
        self.start_of(before, worked).map(|start| Some(start..end))
    }

    /// Where it starts, given the characters before its end and their places, from the last one on.
    fn start_of<E>(
        &self,
        before: impl Iterator<Item = (usize, u32)>,
        mut worked: impl FnMut(usize) -> Result<(), E>,
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
            worked(size_of::<u32>())?;
        }
        Ok(0)
    }

    /// Whether a character of a decomposition counts.
    #[inline(always)]
    fn counts(&self, code_point: u32) -> bool {
        !(self.ignore_marks && is_mark(NFD.class(code_point)))
    }
}

/// Whether a character begins what no character before it is a part of, however it is written.
#[inline(always)]
fn is_start(code_point: u32) -> bool {
    // Two subjoined letters of Tibetan are the second part of others, though they do not compose.
    edits::is_start(NFC.class(code_point)) && !matches!(code_point, 0xFB5 | 0xFB7)
}

/// So many characters are handed over at once.
const BLOCK: usize = 64 << 10;

/// What a canonical decomposition is handed over to.
trait Sink {
    /// Takes the next part of it, and returns whether it wants more. `first` tells the place of the first character, and
    /// each other of it that is a start stands as far behind that.
    fn take<U: Source>(&mut self, first: usize, part: &[U]) -> Result<bool, AllocError>;
}

/// Hands the canonical decomposition of `units` over, until no more is wanted. Returns whether it still is. Tells `worked`
/// of the progress, in bytes.
fn decompose<U: Source, E: From<AllocError>>(
    by: Implementation,
    units: &[U],
    sink: &mut impl Sink,
    worked: &mut impl FnMut(usize) -> Result<(), E>,
) -> Result<bool, E> {
    let mut done = 0;
    let mut more = Ok(true);
    edits(by, Form::Nfd, units, worked, |range, text| {
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
        worked(size_of_val(block))?;
    }
    worked(size_of_val(&units[..done]))?;
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
    /// How many of its first characters are the last ones that came.
    matched: usize,
    /// The place of the start behind what was found.
    end: Option<usize>,
}

impl<'a> Search<'a> {
    fn of(needle: &'a Needle) -> Self {
        Self { needle, matched: 0, end: None }
    }

    /// Whether the last characters that came are the needle.
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
                && let Some(&wanted) = needle.text.first()
            {
                let Some(found) = position(&part[at..], wanted) else { break };
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

/// Where a code point occurs first.
#[inline(always)]
fn position<U: Source>(units: &[U], code_point: u32) -> Option<usize> {
    const LANES: usize = 32;
    let (blocks, _) = units.as_chunks::<LANES>();
    let without =
        |block: &&[U; LANES]| block.iter().fold(true, |without, unit| without & (unit.value() != code_point));
    let passed = blocks.iter().take_while(without).count() * LANES;
    let found = units[passed..].iter().position(|unit| unit.value() == code_point)?;
    Some(passed + found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_character_is_decomposed_to_tells_whether_it_is_a_start() {
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
