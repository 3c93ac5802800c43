//! Comparison and search of texts up to canonical equivalence.

use std::ops::Range;

use super::Form;
use super::classes::{NFC, NFD};
use super::edits::{Expansions, edits, is_mark};
use super::folding::{MAX_FOLDED, fold};
use super::normalize::normalize;
use super::pieces::{TextPieces, decoded};
use super::prefilter::{Prefilter, continues, is_start};
use crate::allocation::{AllocError, Grow, sum};
use crate::kernels::encode::Source;
use crate::progress::{Progress, Stopped, uninterrupted, unobserved};
use crate::sequence::boundary::ceil_boundary;
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

/// What a search ignores; by default nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ignore {
    /// Case: texts match if they are a canonical caseless match (the Unicode Standard, D145).
    pub case: bool,
    /// Characters with a combining class, on both sides after decomposition.
    pub marks: bool,
}

/// Returns the range in bytes of the first occurrence of `needle` in `text`, up to canonical equivalence and to the
/// ignored differences.
///
/// An occurrence consists of whole characters: u does not occur in ü, composed or not, unless marks are ignored, nor s
/// in ß, though that matches ss if case is ignored; a needle that begins with a mark, or with a vowel sign or jamo that
/// may compose, occurs only at the start of a text. The time is linear in both lengths.
///
/// ```
/// use leadbyte::unicode::{Ignore, search};
///
/// let (exact, case) = (Ignore::default(), Ignore { case: true, marks: false });
/// assert_eq!(search("f\u{FC}r", "u\u{308}", exact), Some(1..3));
/// assert_eq!(search("f\u{FC}r", "U\u{308}R", case), Some(1..4));
/// assert_eq!(search("fu\u{308}r", "u", exact), None);
/// assert_eq!(search("fu\u{308}r", "u", Ignore { case: false, marks: true }), Some(1..4));
/// ```
pub fn search(text: &str, needle: &str, ignore: Ignore) -> Option<Range<usize>> {
    let by = Implementation::active();
    let found = Needle::of_text(by, needle, ignore, &mut unobserved)
        .and_then(|needle| needle.find_in_text(by, text, 0, &mut unobserved));
    uninterrupted(found)
}

/// A needle, prepared for the algorithm of Knuth, Morris and Pratt (1977), whose number of comparisons is linear.
///
/// Single characters determine where an occurrence may start: the decomposition of a character begins with a start if
/// and only if the character [is one](is_start), and contains no other start. It may end before each start, and before
/// other characters that do not [continue](continues) the one before.
pub struct Needle {
    /// The canonical decomposition, perhaps without marks and folded.
    text: Vec<u32>,
    /// For each prefix of the text the length of its longest border: a shorter prefix that it ends with.
    borders: Vec<usize>,
    /// Whether it begins with a character that is not a start, so that it can occur only at the start of a text.
    anchored: bool,
    ignore: Ignore,
}

impl Needle {
    /// Prepares the needle.
    #[doc(hidden)]
    #[cfg_attr(not(feature = "bindings"), expect(dead_code))]
    pub fn of_units<U: Source>(
        by: Implementation,
        units: &[U],
        ignore: Ignore,
        progress: Progress<'_>,
    ) -> Result<Self, Stopped> {
        let mut needle = Self::empty(ignore);
        let mut pieces = TextPieces::of(&NFC, units);
        while let Some((_, piece)) = pieces.next(progress)? {
            decompose(by, piece, &mut needle, progress)?;
        }
        needle.find_borders(progress)
    }

    /// Prepares the needle.
    #[doc(hidden)]
    pub fn of_text(
        by: Implementation,
        text: &str,
        ignore: Ignore,
        progress: Progress<'_>,
    ) -> Result<Self, Stopped> {
        let mut needle = Self::empty(ignore);
        let mut buffer = Vec::<u32>::new();
        let mut pieces = TextPieces::of(&NFC, text);
        while let Some((_, piece)) = pieces.next(progress)? {
            decompose(by, decoded(by, piece, &mut buffer, progress)?, &mut needle, progress)?;
        }
        needle.find_borders(progress)
    }

    fn empty(ignore: Ignore) -> Self {
        Self { text: vec![], borders: vec![], anchored: false, ignore }
    }

    /// Completes the needle with the borders of its decomposition.
    fn find_borders(mut self, progress: Progress<'_>) -> Result<Self, Stopped> {
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

    /// Returns the range of the first occurrence in `units` that starts at the index `first` or later.
    #[doc(hidden)]
    pub fn find_in_units<U: Source>(
        &self,
        by: Implementation,
        units: &[U],
        first: usize,
        progress: Progress<'_>,
    ) -> Result<Option<Range<usize>>, Stopped> {
        if self.text.is_empty() {
            return Ok(Some(first..first));
        }
        let later = units[first..].iter().position(|unit| first == 0 || is_start(unit.value()));
        let first = first + later.unwrap_or_default();
        if later.is_none() || (first > 0 && self.anchored) {
            return Ok(None);
        }
        let units = &units[first..];
        let mut search = Search::of(self)?;
        let end = match search.pass(by, units, progress)? {
            Passed::End if search.is_complete() => Some(units.len()),
            Passed::End | Passed::Nothing => None,
            Passed::Found(end) => Some(end),
        };
        let Some(end) = end else { return Ok(None) };
        let before = units[..end].iter().enumerate().rev().map(|(at, unit)| (at, unit.value()));
        self.start_of(before, progress).map(|start| Some(first + start..first + end))
    }

    /// Returns the range in bytes of the first occurrence in `text` that starts at the byte offset `first` or later.
    #[doc(hidden)]
    pub fn find_in_text(
        &self,
        by: Implementation,
        text: &str,
        first: usize,
        progress: Progress<'_>,
    ) -> Result<Option<Range<usize>>, Stopped> {
        let first = ceil_boundary(text.as_bytes(), first);
        if self.text.is_empty() || by.is_ascii(text.as_bytes()) {
            return self.find_in_units(by, text.as_bytes(), first, progress);
        }
        let later = text[first..].char_indices().find(|&(_, char)| first == 0 || is_start(char.into()));
        let first = first + later.map_or(0, |(at, _)| at);
        if later.is_none() || (first > 0 && self.anchored) {
            return Ok(None);
        }
        let text = &text[first..];
        let mut search = Search::of(self)?;
        let mut buffer = Vec::<u32>::new();
        let end = 'search: {
            let mut pieces = TextPieces::growing(&NFC, text);
            let mut prefilter = None;
            loop {
                let mut skipped = 0;
                if search.may_skip()
                    && let Some(filter) =
                        prefilter.get_or_insert_with(|| Prefilter::of_utf8(&self.text, self.ignore))
                {
                    let rest = pieces.rest();
                    let may_start = |start| {
                        rest.get(start..).is_some_and(|text| self.may_start_with(text, &mut search.parts))
                    };
                    let place = filter.next(by, rest.as_bytes(), may_start, progress)?;
                    let Some(place) = place else { break 'search None };
                    skipped = place;
                }
                pieces.skip(skipped);
                let Some((start, piece)) = pieces.next(progress)? else { break };
                let units = decoded(by, piece, &mut buffer, progress)?;
                match search.pass(by, units, progress)? {
                    Passed::End => {}
                    Passed::Nothing => break 'search None,
                    Passed::Found(end) => {
                        let mut offsets = piece.char_indices().map(|(offset, _)| start + offset);
                        break 'search offsets.nth(end);
                    }
                }
            }
            search.is_complete().then_some(text.len())
        };
        let Some(end) = end else { return Ok(None) };
        let before = text[..end].char_indices().rev().map(|(at, character)| (at, u32::from(character)));
        self.start_of(before, progress).map(|start| Some(first + start..first + end))
    }

    /// Returns the start of an occurrence, given the characters before its end with their indices, last one first.
    fn start_of(
        &self,
        before: impl Iterator<Item = (usize, u32)>,
        progress: Progress<'_>,
    ) -> Result<usize, Stopped> {
        let mut parts = Expansions::new(Form::Nfd);
        let mut left = self.text.len();
        for (at, code_point) in before {
            let length = parts.decomposition(&[code_point]).iter().map(|&part| self.symbol_count(part)).sum();
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
        !(self.ignore.marks && is_mark(NFD.class(code_point)))
    }

    /// Calls `each` with what a character of a decomposition is compared as.
    #[inline(always)]
    fn symbols(&self, code_point: u32, mut each: impl FnMut(u32)) {
        if self.ignore.case { fold(code_point, each) } else { each(code_point) }
    }

    /// Returns the number of characters that a character of a decomposition is compared as.
    fn symbol_count(&self, code_point: u32) -> usize {
        let mut count = 0;
        if self.counts(code_point) {
            self.symbols(code_point, |_| count += 1);
        }
        count
    }

    /// Returns whether an occurrence may start at the start of `text`, by a few characters.
    fn may_start_with(&self, text: &str, parts: &mut Expansions) -> bool {
        let mut units = [0_u32; MAX_TRIED_UNITS + 1];
        let mut length = 0;
        for (unit, character) in units.iter_mut().zip(text.chars()) {
            *unit = character.into();
            length += 1;
        }
        self.may_start(&units[..length], parts)
    }

    /// Returns whether an occurrence may start with the first of `units`, by a few of them.
    #[inline]
    fn may_start<U: Source>(&self, units: &[U], parts: &mut Expansions) -> bool {
        let mut matched = 0;
        for (at, unit) in units.iter().take(MAX_TRIED_UNITS).enumerate() {
            let code_point = unit.value();
            if at == 0 && !is_start(code_point) {
                return false;
            }
            if matched >= self.text.len() {
                return true;
            }
            let class = NFD.class(code_point);
            let ends = || units.get(at + 1).is_some_and(|next| is_start(next.value()));
            if !NFD.is_plain(class) && (is_mark(class) || !ends()) {
                return true; // the canonical order of several marks may be another
            }
            let mut same = true;
            for &part in parts.decomposition(&[code_point]).iter().filter(|&&part| self.counts(part)) {
                self.symbols(part, |symbol| {
                    same &= self.text.get(matched) == Some(&symbol);
                    matched += 1;
                });
            }
            if !same {
                return false;
            }
        }
        true
    }
}

/// The maximum number of units that are compared to decide whether an occurrence may start.
const MAX_TRIED_UNITS: usize = 16;

/// The maximum number of characters that are passed to a sink at once.
const BLOCK: usize = 64 << 10;

/// A receiver of a canonical decomposition.
trait DecompositionSink {
    /// Takes the next part, and returns whether it needs more. `first` is the index of the first character in the text,
    /// and starts among the others are as far after that as in the part.
    fn take<U: Source>(&mut self, first: usize, part: &[U]) -> Result<bool, AllocError>;
}

/// Passes the canonical decomposition of `units` to a sink, until it needs no more. Returns whether it needs more.
fn decompose<U: Source>(
    by: Implementation,
    units: &[U],
    sink: &mut impl DecompositionSink,
    progress: Progress<'_>,
) -> Result<bool, Stopped> {
    let mut done = 0;
    let mut more = Ok(true);
    edits(by, Form::Nfd, units, progress, &mut |range, text| {
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

impl DecompositionSink for Needle {
    fn take<U: Source>(&mut self, _: usize, part: &[U]) -> Result<bool, AllocError> {
        for unit in part {
            if self.counts(unit.value()) {
                self.text.grow(MAX_FOLDED)?;
                let text = &mut self.text;
                if self.ignore.case {
                    fold(unit.value(), |folded| text.push(folded))
                } else {
                    text.push(unit.value())
                }
            }
        }
        Ok(true)
    }
}

/// A search for a needle.
struct Search<'a> {
    needle: &'a Needle,
    /// The length of the longest prefix of the needle that the text so far ends with, and that starts where an
    /// occurrence may.
    matched: usize,
    /// The number of characters compared, or more.
    position: usize,
    /// A bit for each position, modulo the number of bits: whether an occurrence cannot start with this character,
    /// because it is not the first that a character is compared as. Only folding makes such starts of others.
    inner: Vec<u64>,
    /// The filter for the units of the text, once it is needed.
    prefilter: Option<Prefilter>,
    /// The decompositions of what the filter finds.
    parts: Expansions,
    /// The last character of the decomposition so far.
    previous: u32,
    /// The index of the first character after the occurrence, once it was found.
    end: Option<usize>,
}

/// The outcome of a pass over a part of a text.
enum Passed {
    /// The part ended before an occurrence was known to end.
    End,
    /// No occurrence is possible any more.
    Nothing,
    /// An occurrence ends before the unit with this index.
    Found(usize),
}

impl<'a> Search<'a> {
    fn of(needle: &'a Needle) -> Result<Self, AllocError> {
        let mut inner = vec![];
        if needle.ignore.case {
            let words = sum(needle.text.len(), 1)?.div_ceil(64).next_power_of_two();
            inner.grow(words)?;
            inner.resize(words, 0);
        }
        let parts = Expansions::new(Form::Nfd);
        Ok(Self { needle, matched: 0, position: 0, inner, prefilter: None, parts, previous: 0, end: None })
    }

    /// Returns whether an occurrence can only start later in the text.
    fn may_skip(&self) -> bool {
        self.matched == 0 && self.position > 0 && !self.needle.anchored
    }

    /// Returns whether the text so far ends with the needle.
    fn is_complete(&self) -> bool {
        self.matched == self.needle.text.len()
    }

    /// Continues with `units`, all parts of a text being of one type.
    fn pass<U: Source>(
        &mut self,
        by: Implementation,
        units: &[U],
        progress: Progress<'_>,
    ) -> Result<Passed, Stopped> {
        let needle = self.needle;
        let mut pieces = TextPieces::growing(&NFC, units);
        loop {
            let mut skipped = 0;
            if self.may_skip() {
                let filter = self
                    .prefilter
                    .get_or_insert_with(|| Prefilter::of_units::<U>(&needle.text, needle.ignore));
                let (rest, parts) = (pieces.rest(), &mut self.parts);
                let may_start = |start| needle.may_start(&rest[start..], parts);
                let place = filter.next(by, rest, may_start, progress)?;
                let Some(place) = place else { return Ok(Passed::End) };
                skipped = place;
            }
            pieces.skip(skipped);
            let Some((start, piece)) = pieces.next(progress)? else { return Ok(Passed::End) };
            if !decompose(by, piece, self, progress)? {
                return Ok(self.end.map_or(Passed::Nothing, |end| Passed::Found(start + end)));
            }
        }
    }

    /// Compares the next character. `inner` is whether no occurrence can start with it.
    #[inline(always)]
    fn compare(&mut self, symbol: u32, inner: bool) {
        let needle = self.needle;
        if let Some(last) = self.inner.len().checked_sub(1) {
            let word = &mut self.inner[(self.position / 64) & last];
            let bit = 1 << (self.position % 64);
            *word = if inner { *word | bit } else { *word & !bit };
        }
        while needle.text.get(self.matched) != Some(&symbol) || (self.matched == 0 && inner) {
            let Some(last) = self.matched.checked_sub(1) else {
                self.position += 1;
                return;
            };
            self.matched = needle.borders[last];
            while let Some(last) = self.matched.checked_sub(1)
                && self.is_inner(self.position - self.matched)
            {
                self.matched = needle.borders[last];
            }
        }
        self.matched += 1;
        self.position += 1;
    }

    /// Returns whether no occurrence can start at a position of which the needle is not longer than the distance.
    #[inline(always)]
    fn is_inner(&self, position: usize) -> bool {
        let last = self.inner.len().checked_sub(1);
        last.is_some_and(|last| self.inner[(position / 64) & last] >> (position % 64) & 1 != 0)
    }
}

impl DecompositionSink for Search<'_> {
    #[inline]
    fn take<U: Source>(&mut self, first: usize, part: &[U]) -> Result<bool, AllocError> {
        let needle = self.needle;
        for (at, unit) in part.iter().enumerate() {
            let code_point = unit.value();
            if needle.counts(code_point) {
                if self.is_complete() {
                    let previous = at.checked_sub(1).map_or(self.previous, |before| part[before].value());
                    if !continues(previous, code_point) {
                        self.end = Some(first + at);
                        return Ok(false);
                    }
                }
                let before = self.matched;
                if needle.ignore.case {
                    let mut inner = self.position > 0 && !is_start(code_point);
                    fold(code_point, |symbol| {
                        self.compare(symbol, inner);
                        inner = true;
                    });
                } else {
                    self.compare(code_point, false);
                }
                if needle.anchored && self.matched <= before {
                    return Ok(false);
                }
            } else {
                if needle.anchored && self.matched == 0 {
                    return Ok(false);
                }
                self.position = self.position.max(1);
            }
        }
        self.previous = part.last().map_or(self.previous, |last| last.value());
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decomposition_begins_with_a_start_if_the_character_is_one() {
        let mut parts = Expansions::new(Form::Nfd);
        for code_point in 0..=u32::from(char::MAX) {
            let alone = [code_point];
            let parts = parts.decomposition(&alone);
            let starts = parts.iter().map(|&part| is_start(part));
            let first_only = (0..parts.len()).map(|at| at == 0 && is_start(code_point));
            assert!(starts.eq(first_only), "U+{code_point:04X}");
            let mut pairs = parts.windows(2).map(|pair| (pair[0], pair[1]));
            assert!(pairs.all(|(previous, part)| continues(previous, part)), "U+{code_point:04X}");
        }
    }
}
