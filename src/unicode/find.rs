//! Texts compared and searched by what they mean: however their characters are composed.

use std::convert::Infallible;

use memchr::memmem::Finder;

use super::Form;
use super::classes::{NFC, NFD};
use super::edits::{edits, is_mark, is_start};
use super::normalize::normalize;
use super::pieces::{self, decoded};
use crate::kernels::encode::Source;
use crate::simd::bytes_of;
use crate::simd::dispatch::Implementation;

/// Whether two texts are the same in a normalization form. By NFC or NFD those are which are canonically equivalent; by
/// NFKC or NFKD also those that differ by ligatures, width, and the like.
///
/// ```
/// use leadbyte::unicode::{Form, same_text};
///
/// assert!(same_text("\u{FC}", "u\u{308}", Form::Nfc));
/// assert!(!same_text("\u{FC}", "u", Form::Nfc));
/// assert!(same_text("ﬁ", "fi", Form::Nfkc));
/// ```
pub fn same_text(a: &str, b: &str, form: Form) -> bool {
    a == b || normalize(form, a) == normalize(form, b)
}

/// Where a text holds another, or what is canonically equivalent to it: the byte offset of the first such place.
///
/// It begins and ends where nothing goes on: u is not found in ü, composed or not. With `ignore_marks` characters with a
/// combining class are ignored on both sides, and it is.
///
/// ```
/// use leadbyte::unicode::find_text;
///
/// assert_eq!(find_text("f\u{FC}r", "u\u{308}", false), Some(1));
/// assert_eq!(find_text("fu\u{308}r", "u", false), None);
/// assert_eq!(find_text("fu\u{308}r", "u", true), Some(1));
/// ```
pub fn find_text(text: &str, needle: &str, ignore_marks: bool) -> Option<usize> {
    let by = Implementation::active();
    let needle = Needle::of_text(by, needle, ignore_marks);
    let Ok(found) = needle.find_in_text(by, text, |_| Ok::<_, Infallible>(()));
    found
}

/// What is searched for.
pub(crate) struct Needle {
    /// Its canonical decomposition, perhaps without marks.
    text: Vec<u32>,
    ignore_marks: bool,
}

impl Needle {
    pub(crate) fn of_units<U: Source>(by: Implementation, units: &[U], ignore_marks: bool) -> Self {
        let mut decomposed = Decomposed { ignore_marks, ..Decomposed::default() };
        decomposed.add(by, units, |at| at);
        Self { text: decomposed.text, ignore_marks }
    }

    pub(crate) fn of_text(by: Implementation, text: &str, ignore_marks: bool) -> Self {
        Self::of_units(by, decoded(by, text, &mut vec![]), ignore_marks)
    }

    /// Where it begins in `units`. Tells `worked` of the progress, in bytes.
    #[cfg_attr(not(feature = "python"), expect(dead_code))]
    pub(crate) fn find_in_units<U: Source, E>(
        &self,
        by: Implementation,
        units: &[U],
        mut worked: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<usize>, E> {
        if self.text.is_empty() {
            return Ok(Some(0));
        }
        let mut decomposed = self.nothing_yet();
        for (start, piece) in pieces::of_units(&NFC, units) {
            decomposed.add(by, piece, |at| start + at);
            if let Some(found) = decomposed.find(self) {
                return Ok(Some(found));
            }
            worked(size_of_val(piece))?;
        }
        Ok(None)
    }

    /// Where it begins in `text`, in bytes. Tells `worked` of the progress, in bytes.
    pub(crate) fn find_in_text<E>(
        &self,
        by: Implementation,
        text: &str,
        mut worked: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<usize>, E> {
        if self.text.is_empty() {
            return Ok(Some(0));
        }
        let mut decomposed = self.nothing_yet();
        let mut room = vec![];
        for (start, piece) in pieces::of_text(&NFC, text) {
            let mut offsets = piece.char_indices().map(|(offset, _)| start + offset).enumerate();
            let offset = |at| offsets.find(|&(char, _)| char == at).map_or(0, |(_, offset)| offset);
            decomposed.add(by, decoded(by, piece, &mut room), offset);
            if let Some(found) = decomposed.find(self) {
                return Ok(Some(found));
            }
            worked(piece.len())?;
        }
        Ok(None)
    }

    fn nothing_yet(&self) -> Decomposed {
        Decomposed { ignore_marks: self.ignore_marks, ..Decomposed::default() }
    }
}

/// A text's canonical decomposition, and where each part of it comes from.
#[derive(Default)]
struct Decomposed {
    ignore_marks: bool,
    text: Vec<u32>,
    /// For each character the place of that which it begins; [`WITHIN`] if it is another's, or goes on what is before it.
    places: Vec<usize>,
}

/// The place of what begins nothing.
const WITHIN: usize = usize::MAX;

impl Decomposed {
    /// Adds some units, with a boundary before them; `place` tells the place of one after the other, of some.
    fn add<U: Source>(&mut self, by: Implementation, units: &[U], mut place: impl FnMut(usize) -> usize) {
        let mut done = 0;
        let mut begins = |at: usize| {
            let begins = at == 0 || is_start(NFC.class(units[at].value()));
            if begins { place(at) } else { WITHIN }
        };
        let Ok(()) = edits(by, Form::Nfd, units, |range, text| {
            (done..range.start).for_each(|at| self.push(units[at].value(), begins(at)));
            let places = std::iter::once(begins(range.start)).chain(std::iter::repeat(WITHIN));
            text.iter().zip(places).for_each(|(&code_point, place)| self.push(code_point, place));
            done = range.end;
            Ok::<_, Infallible>(())
        });
        (done..units.len()).for_each(|at| self.push(units[at].value(), begins(at)));
    }

    #[inline]
    fn push(&mut self, code_point: u32, place: usize) {
        if !(self.ignore_marks && is_mark(NFD.class(code_point))) {
            self.text.push(code_point);
            self.places.push(place);
        }
    }

    /// The place of the first that is `needle`, from a boundary to the next. What cannot be part of a later one is forgotten.
    fn find(&mut self, needle: &Needle) -> Option<usize> {
        let wanted = needle.text.len();
        let finder = Finder::new(bytes_of(&needle.text));
        let mut from = 0;
        while let Some(found) = finder.find(&bytes_of(&self.text)[from..]) {
            let (at, off) = ((from + found) / size_of::<u32>(), (from + found) % size_of::<u32>());
            if off == 0 && self.is_boundary(at) && self.is_boundary(at + wanted) {
                return Some(self.places[at]);
            }
            from += found + 1;
        }
        let kept = self.text.len().min(wanted.saturating_sub(1));
        self.text.drain(..self.text.len() - kept);
        self.places.drain(..self.places.len() - kept);
        None
    }

    fn is_boundary(&self, at: usize) -> bool {
        self.places.get(at) != Some(&WITHIN)
    }
}
