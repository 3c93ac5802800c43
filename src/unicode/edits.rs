//! The edits that bring a text into a normalization form (UAX 15).
//!
//! Most characters are plain: of combining class 0, unchanged by the form, and never composed with a character before
//! them. A form changes nothing in a run of plain characters, and the text between two runs is normalized by itself, in
//! a composing form together with the last character before it. The most frequent cases among the others are known from
//! the classes, too: a character that expands to others, marks in canonical order, a mark that composes with the letter
//! before it. Single characters are normalized by the crate icu_normalizer.
//!
//! Tried and lost: writing the text in one pass into memory of the maximum size: no faster where memory is reused, and
//! a third slower where its pages are fresh. Eight windows instead of six: a fifth slower on all but Hindi, and there
//! no faster once windows follow the text.

use std::ops::Range;

use super::classes::{Classes, NFD};
use super::form::{Form, composed, composed_hangul, decomposed_hangul};
use super::survey::Survey;
use crate::allocation::{AllocError, try_extend, try_push};
use crate::kernels::encode::Source;
use crate::progress::{Progress, Stopped};
use crate::simd::dispatch::Implementation;

// The classes of characters that are not plain (0); marks that the form does not change have 3 plus their combining
// class.
/// The class of characters that may compose with a character before them.
const SECOND: u8 = 1;
/// The class of characters that expand to others, the first of which is plain or expands in turn.
const EXPANDS: u8 = 2;
/// The class of all other characters.
const OTHER: u8 = 3;

/// Returns whether no character before one of this class affects it.
#[inline(always)]
pub(super) fn is_start(class: u8) -> bool {
    matches!(class, 0 | EXPANDS)
}

/// Returns whether characters of this class are marks that the form does not change: they have a combining class.
#[inline(always)]
pub(super) fn is_mark(class: u8) -> bool {
    class > OTHER
}

/// Calls `edit` with each range of units that `form` changes and with their replacement, in order, until it returns
/// false. Returns whether it never did. (A trait object, so that there is one copy of it for each kind of units.)
/// Progress is reported within long stretches only.
pub(super) fn edits<U: Source>(
    by: Implementation,
    form: Form,
    units: &[U],
    progress: Progress<'_>,
    edit: &mut dyn FnMut(Range<usize>, &[u32]) -> bool,
) -> Result<bool, Stopped> {
    let classes = form.classes();
    let class_at = |at: usize| units.get(at).map_or(0, |unit| classes.class(unit.value()));
    let mut survey = Survey::of(by, classes, units);
    let mut normalizer = StretchNormalizer::of(form, units.len());
    let mut at = 0; // everything before is final
    while let Some((found, class)) = survey.next_from(at) {
        let mut end = found + 1;
        let mut next = class_at(end);
        if is_mark(class) {
            let mut last = class;
            while next >= last {
                last = next;
                end += 1;
                next = class_at(end);
                if end.is_multiple_of(BLOCK) {
                    progress(BLOCK * size_of::<U>())?;
                }
            }
        }
        if is_start(next) && class != OTHER {
            at = end;
            if class == EXPANDS && !edit(found..end, normalizer.alone.of(units[found].value())) {
                return Ok(false);
            }
            if class != SECOND {
                continue;
            }
        }
        while !is_start(next) {
            end += 1;
            next = class_at(end);
            if end.is_multiple_of(BLOCK) {
                progress(BLOCK * size_of::<U>())?;
            }
        }
        at = end;
        let start = match found.checked_sub(1) {
            Some(before) if class != EXPANDS && char::from_u32(units[before].value()).is_some() => before,
            _ => found,
        };
        let stretch = &units[start..end];
        if !(start < found && normalizer.is_composed(classes, stretch)?) {
            normalizer.normalize(stretch, progress)?;
        }
        let text = &normalizer.text[..];
        if !stretch.iter().map(|unit| unit.value()).eq(text.iter().copied()) && !edit(start..end, text) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The number of characters of a stretch that are processed between two calls of `progress`.
const BLOCK: usize = 16 << 10;

/// The maximum number of marks that are sorted by insertion.
const MAX_INSERTION_MARKS: usize = 16;

/// Normalizes the stretches between runs of plain characters, with caches of the results of the crate, which takes
/// about ten times as long.
struct StretchNormalizer {
    form: Form,
    /// The number of entries of each cache, a power of two.
    cache_size: usize,
    /// The normalization of single characters.
    alone: Expansions,
    /// The decomposition of single characters.
    parts: Expansions,
    /// The cache of compositions, indexed by a hash of both code points.
    pairs: Vec<Pair>,
    /// The stretch.
    text: Vec<u32>,
    /// A buffer to sort marks.
    marks: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Pair {
    of: [u32; 2],
    composed: Option<u32>,
}

/// The number of entries of each cache.
const CACHE_SIZE: usize = 256;
/// The number of entries of each cache for short texts.
const SHORT_TEXT_CACHE_SIZE: usize = 16;
/// The number of units below which a text is short.
const MIN_LONG_TEXT_UNITS: usize = 1024;

/// A value that is not a code point.
const NONE: u32 = u32::MAX;

impl StretchNormalizer {
    /// Returns a normalizer for a text of this length in units.
    fn of(form: Form, length: usize) -> Self {
        let cache_size = if length < MIN_LONG_TEXT_UNITS { SHORT_TEXT_CACHE_SIZE } else { CACHE_SIZE };
        let [alone, parts] = [form, form.decomposing()].map(|form| Expansions::with_size(cache_size, form));
        Self { form, cache_size, alone, parts, pairs: vec![], text: vec![], marks: vec![] }
    }

    /// Decomposes a stretch, puts its marks in canonical order and, if the form composes, composes it (UAX 15, 1.3).
    ///
    /// The crate could do so, but it aborts if memory is exhausted, and the number of consecutive marks is not limited.
    fn normalize<U: Source>(&mut self, stretch: &[U], progress: Progress<'_>) -> Result<(), Stopped> {
        let classes = self.form.decomposing().classes();
        self.text.clear();
        for block in stretch.chunks(BLOCK) {
            for unit in block {
                let class = classes.class(unit.value());
                if classes.is_plain(class) || is_mark(class) {
                    try_push(&mut self.text, unit.value())?;
                } else {
                    try_extend(&mut self.text, self.parts.of(unit.value()))?;
                }
            }
            progress(size_of_val(block))?;
        }
        self.order(progress)?;
        if self.form.composes() { self.compose(progress) } else { Ok(()) }
    }

    /// Sorts the marks between two characters of class 0 stably by their class (the Canonical Ordering Algorithm,
    /// D109).
    fn order(&mut self, progress: Progress<'_>) -> Result<(), Stopped> {
        let class = |mark: &u32| NFD.class(*mark);
        for marks in self.text.split_mut(|code_point| class(code_point) == 0) {
            if marks.is_sorted_by_key(class) {
                continue;
            }
            if marks.len() <= MAX_INSERTION_MARKS {
                for end in 1..marks.len() {
                    let index = marks[..end].partition_point(|mark| class(mark) <= class(&marks[end]));
                    marks[index..=end].rotate_right(1);
                }
                continue;
            }
            // A counting sort: the next index for each class.
            let mut indices = [0; 256];
            for block in marks.chunks(BLOCK) {
                block.iter().for_each(|mark| indices[usize::from(class(mark))] += 1);
                progress(size_of_val(block))?;
            }
            let mut before = 0;
            for index in &mut indices {
                before += std::mem::replace(index, before);
            }
            self.marks.clear();
            try_extend(&mut self.marks, marks)?;
            for block in self.marks.chunks(BLOCK) {
                for mark in block {
                    let index = &mut indices[usize::from(class(mark))];
                    marks[*index] = *mark;
                    *index += 1;
                }
                progress(size_of_val(block))?;
            }
        }
        Ok(())
    }

    /// Composes each character with the last starter, if it is not blocked from it (the Canonical Composition
    /// Algorithm, D115, D117).
    fn compose(&mut self, progress: Progress<'_>) -> Result<(), Stopped> {
        // The index of the last starter, and the class of the last character kept after it.
        let (mut starter, mut last) = (None, 0);
        let mut written = 0;
        for at in 0..self.text.len() {
            if at % BLOCK == BLOCK - 1 {
                progress(BLOCK * size_of::<u32>())?;
            }
            let code_point = self.text[at];
            let class = NFD.class(code_point);
            if let Some(index) = starter
                && (last == 0 || last < class)
                && let Some(composed) = self.pair(self.text[index], code_point)
            {
                self.text[index] = composed;
                continue;
            }
            if class == 0 {
                starter = Some(written);
            }
            last = class;
            self.text[written] = code_point;
            written += 1;
        }
        self.text.truncate(written);
        Ok(())
    }

    /// Composes a character without a decomposition and marks in canonical order in one pass; returns false for other
    /// stretches.
    #[inline(always)]
    fn is_composed<U: Source>(&mut self, classes: &Classes, stretch: &[U]) -> Result<bool, AllocError> {
        self.text.clear();
        if let Some(syllable) = syllable(stretch) {
            try_push(&mut self.text, syllable)?;
            return Ok(true);
        }
        let mut units = stretch.iter().map(|unit| unit.value());
        let Some(mut first) = units.next().filter(|&first| NFD.class(first) == 0) else { return Ok(false) };
        try_push(&mut self.text, first)?;
        // The class of the mark before, and the class of the last mark kept, which blocks others of its class.
        let (mut last, mut blocking) = (OTHER, OTHER);
        for mark in units {
            let class = NFD.class(mark);
            if class < last || !is_mark(class) || classes.class(mark) == OTHER {
                return Ok(false);
            }
            last = class;
            match self.pair(first, mark) {
                Some(composed) if class > blocking => first = composed,
                _ => {
                    try_push(&mut self.text, mark)?;
                    blocking = class;
                }
            }
        }
        self.text[0] = first;
        Ok(true)
    }

    /// Returns the primary composite of two characters, if there is one.
    #[inline(always)]
    fn pair(&mut self, first: u32, second: u32) -> Option<u32> {
        let index = (first ^ second << 4) as usize & (self.cache_size - 1);
        if let Some(pair) = self.pairs.get(index)
            && pair.of == [first, second]
        {
            return pair.composed;
        }
        self.pairs.resize(self.cache_size, Pair { of: [NONE; 2], composed: None });
        let composed = composed(first, second);
        self.pairs[index] = Pair { of: [first, second], composed };
        composed
    }
}

/// Returns the syllable of Hangul that all of a stretch composes to.
#[inline(always)]
fn syllable<U: Source>(stretch: &[U]) -> Option<u32> {
    let [first, second, trailing @ ..] = stretch else { return None };
    let open = composed_hangul(first.value(), second.value())?;
    match trailing {
        [] => Some(open),
        [trailing] => composed_hangul(open, trailing.value()),
        _ => None,
    }
}

/// A cache of the normalizations of single characters in a form.
pub(super) struct Expansions {
    form: Form,
    /// The number of entries, a power of two.
    size: usize,
    /// The entries, indexed by the low bits of the code point.
    entries: Vec<Expansion>,
    /// The last normalization that is too long for an entry.
    other: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Expansion {
    of: u32,
    length: usize,
    text: [u32; 4],
}

impl Expansions {
    pub(super) fn new(form: Form) -> Self {
        Self::with_size(CACHE_SIZE, form)
    }

    /// Returns a cache of `size` entries, a power of two.
    fn with_size(size: usize, form: Form) -> Self {
        Self { form, size, entries: vec![], other: vec![] }
    }

    /// Returns the normalization of a character.
    #[inline(always)]
    pub(super) fn of(&mut self, code_point: u32) -> &[u32] {
        let index = code_point as usize & (self.size - 1);
        if self.entries.get(index).is_none_or(|entry| entry.of != code_point) {
            self.fetch(code_point);
        }
        let entry = &self.entries[index];
        if entry.of == code_point { &entry.text[..entry.length] } else { &self.other }
    }

    /// Returns the canonical decomposition of the only character of `alone`, most often that itself.
    #[inline(always)]
    pub(super) fn decomposition<'a>(&'a mut self, alone: &'a [u32; 1]) -> &'a [u32] {
        let class = NFD.class(alone[0]);
        if NFD.is_plain(class) || is_mark(class) { alone } else { self.of(alone[0]) }
    }

    /// Normalizes a character by the crate, and caches the result if it fits.
    #[cold]
    fn fetch(&mut self, code_point: u32) {
        self.other.clear();
        match decomposed_hangul(code_point).filter(|_| !self.form.composes()) {
            Some(parts) => self.other.extend(parts.into_iter().filter(|&part| part != 0)),
            None => self.form.append(char::from_u32(code_point), &mut self.other),
        }
        self.entries.resize(self.size, Expansion { of: NONE, length: 0, text: [0; 4] });
        let entry = &mut self.entries[code_point as usize & (self.size - 1)];
        if let Some(text) = entry.text.get_mut(..self.other.len()) {
            text.copy_from_slice(&self.other);
            (entry.of, entry.length) = (code_point, text.len());
        }
    }
}
