//! What a normalization form changes in a text (UAX 15).
//!
//! Most characters are plain: of combining class 0, changed by nothing, and nothing that stands before them is combined
//! with them. So a form changes nothing in a run of them, and what stands on either side of one is normalized by
//! itself, in a composing form together with the one before it. What is most frequent among the others is told by
//! the classes, too: a character that becomes some others, marks in their order, a mark that composes with the
//! letter before it. What single characters become is asked of the crate icu_normalizer.
//!
//! Tried and lost: to write a text in one pass, into memory that is measured only then: no faster where memory is at hand,
//! and a third slower where its pages are fresh. Eight windows instead of six: a fifth slower on all but Hindi, and there
//! no faster once they are chosen by what a text has.

use std::ops::Range;

use super::classes::{Classes, NFD};
use super::form::{Form, composed};
use super::survey::Survey;
use crate::allocation::{AllocError, try_extend, try_push};
use crate::kernels::encode::Source;
use crate::simd::dispatch::Implementation;

// Classes of characters, beside that of plain ones; marks that stay as they are have 3 and their combining class.
/// It may compose with what stands before it.
const SECOND: u8 = 1;
/// It becomes others, of which the first is plain or becomes others like this.
const EXPANDS: u8 = 2;
/// Whatever else.
const OTHER: u8 = 3;

/// Where a character of this class begins what no character before it changes.
#[inline(always)]
pub(super) fn is_start(class: u8) -> bool {
    matches!(class, 0 | EXPANDS)
}

/// Whether characters of this class are marks that stay as they are: they have a combining class.
#[inline(always)]
pub(super) fn is_mark(class: u8) -> bool {
    class > OTHER
}

/// Tells `edit` what `form` has in the place of which units, in order, until that returns false. Returns whether it never
/// did.
///
/// Tells `worked` how much was done in long stretches, in bytes. An error of it ends the search and is returned.
#[inline(always)]
pub(super) fn edits<U: Source, E: From<AllocError>>(
    by: Implementation,
    form: Form,
    units: &[U],
    worked: &mut impl FnMut(usize) -> Result<(), E>,
    mut edit: impl FnMut(Range<usize>, &[u32]) -> bool,
) -> Result<bool, E> {
    let classes = form.classes();
    let class_at = |at: usize| units.get(at).map_or(0, |unit| classes.class(unit.value()));
    let mut survey = Survey::of(by, classes, units);
    let mut lately = Lately::of(form, units.len());
    let mut at = 0; // what stands before is done with, and begins nothing that goes on
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
                    worked(BLOCK * size_of::<U>())?;
                }
            }
        }
        if is_start(next) && class != OTHER {
            at = end;
            if class == EXPANDS && !edit(found..end, lately.alone.of(units[found].value())) {
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
                worked(BLOCK * size_of::<U>())?;
            }
        }
        at = end;
        let start = match found.checked_sub(1) {
            Some(before) if class != EXPANDS && char::from_u32(units[before].value()).is_some() => before,
            _ => found,
        };
        let stretch = &units[start..end];
        if !(start < found && lately.is_composed(classes, stretch)?) {
            lately.normalize(stretch, worked)?;
        }
        let text = &lately.text[..];
        if !stretch.iter().map(|unit| unit.value()).eq(text.iter().copied()) && !edit(start..end, text) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// So many characters of a stretch are gone through at once.
const BLOCK: usize = 16 << 10;

/// Marks are sorted by insertion if they are no more than this.
const FEW_MARKS: usize = 16;

/// Normalizes stretches, and keeps what characters became lately: the crate takes some ten times as long to tell.
struct Lately {
    form: Form,
    kept: usize,
    /// What characters become that stand alone, and what they are decomposed to.
    alone: Expansions,
    parts: Expansions,
    /// What two become, in a place that both code points tell.
    pairs: Vec<Pair>,
    /// The stretch, and room to sort marks.
    text: Vec<u32>,
    marks: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Pair {
    of: [u32; 2],
    composed: Option<u32>,
}

/// So many are kept of each kind, or a few in short texts: powers of two.
const KEPT: usize = 256;
const FEW_KEPT: usize = 16;
const SHORT: usize = 1024;

/// No code point.
const NONE: u32 = u32::MAX;

impl Lately {
    /// For a text of this length.
    fn of(form: Form, length: usize) -> Self {
        let kept = if length < SHORT { FEW_KEPT } else { KEPT };
        let [alone, parts] = [form, form.decomposing()].map(|form| Expansions::keeping(kept, form));
        Self { form, kept, alone, parts, pairs: vec![], text: vec![], marks: vec![] }
    }

    /// Decomposes a stretch, puts its marks in order and, if the form is one that composes, composes it (UAX 15, 1.3).
    ///
    /// The crate would do so, too, but in memory that it aborts without, and of marks any number may follow each other.
    fn normalize<U: Source, E: From<AllocError>>(
        &mut self,
        stretch: &[U],
        worked: &mut impl FnMut(usize) -> Result<(), E>,
    ) -> Result<(), E> {
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
            worked(size_of_val(block))?;
        }
        self.order(worked)?;
        if self.form.composes() { self.compose(worked) } else { Ok(()) }
    }

    /// Sorts marks between two characters of class 0 by their class; those of one class stay in their order (D109).
    fn order<E: From<AllocError>>(
        &mut self,
        worked: &mut impl FnMut(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let class = |mark: &u32| NFD.class(*mark);
        for marks in self.text.split_mut(|code_point| class(code_point) == 0) {
            if marks.is_sorted_by_key(class) {
                continue;
            }
            if marks.len() <= FEW_MARKS {
                for end in 1..marks.len() {
                    let place = marks[..end].partition_point(|mark| class(mark) <= class(&marks[end]));
                    marks[place..=end].rotate_right(1);
                }
                continue;
            }
            let mut places = [0; 256];
            for block in marks.chunks(BLOCK) {
                block.iter().for_each(|mark| places[usize::from(class(mark))] += 1);
                worked(size_of_val(block))?;
            }
            let mut before = 0;
            for place in &mut places {
                before += std::mem::replace(place, before);
            }
            self.marks.clear();
            try_extend(&mut self.marks, marks)?;
            for block in self.marks.chunks(BLOCK) {
                for mark in block {
                    let place = &mut places[usize::from(class(mark))];
                    marks[*place] = *mark;
                    *place += 1;
                }
                worked(size_of_val(block))?;
            }
        }
        Ok(())
    }

    /// Composes each character with the last one of class 0, if it is not blocked from that (D115, D117).
    fn compose<E>(&mut self, worked: &mut impl FnMut(usize) -> Result<(), E>) -> Result<(), E> {
        // The last character of class 0, and the class of what is kept after it.
        let (mut starter, mut last) = (None, 0);
        let mut written = 0;
        for at in 0..self.text.len() {
            if at % BLOCK == BLOCK - 1 {
                worked(BLOCK * size_of::<u32>())?;
            }
            let code_point = self.text[at];
            let class = NFD.class(code_point);
            if let Some(place) = starter
                && (last == 0 || last < class)
                && let Some(composed) = self.pair(self.text[place], code_point)
            {
                self.text[place] = composed;
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

    /// Composes in one pass a character that has no parts and marks that are in their order; otherwise returns false.
    #[inline(always)]
    fn is_composed<U: Source>(&mut self, classes: &Classes, stretch: &[U]) -> Result<bool, AllocError> {
        let mut units = stretch.iter().map(|unit| unit.value());
        let Some(mut first) = units.next().filter(|&first| NFD.class(first) == 0) else { return Ok(false) };
        self.text.clear();
        try_push(&mut self.text, first)?;
        // The class of the mark before, and of the last one that stays: it bars others of its class.
        let (mut last, mut bar) = (OTHER, OTHER);
        for mark in units {
            let class = NFD.class(mark);
            if class < last || !is_mark(class) || classes.class(mark) == OTHER {
                return Ok(false);
            }
            last = class;
            match self.pair(first, mark) {
                Some(composed) if class > bar => first = composed,
                _ => {
                    try_push(&mut self.text, mark)?;
                    bar = class;
                }
            }
        }
        self.text[0] = first;
        Ok(true)
    }

    /// What two characters are composed to, if they are.
    #[inline(always)]
    fn pair(&mut self, first: u32, second: u32) -> Option<u32> {
        let place = (first ^ second << 4) as usize & (self.kept - 1);
        if let Some(pair) = self.pairs.get(place)
            && pair.of == [first, second]
        {
            return pair.composed;
        }
        self.pairs.resize(self.kept, Pair { of: [NONE; 2], composed: None });
        let composed = composed(first, second);
        self.pairs[place] = Pair { of: [first, second], composed };
        composed
    }
}

/// What characters alone become in a form, those asked for lately.
pub(super) struct Expansions {
    form: Form,
    kept: usize,
    /// What some become each, in a place that the code point tells.
    expansions: Vec<Expansion>,
    /// What the last one becomes that is in no place.
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
        Self::keeping(KEPT, form)
    }

    /// Keeps so many, a power of two.
    fn keeping(kept: usize, form: Form) -> Self {
        Self { form, kept, expansions: vec![], other: vec![] }
    }

    /// What a character becomes.
    #[inline(always)]
    pub(super) fn of(&mut self, code_point: u32) -> &[u32] {
        let place = code_point as usize & (self.kept - 1);
        if self.expansions.get(place).is_none_or(|expansion| expansion.of != code_point) {
            self.ask(code_point);
        }
        let expansion = &self.expansions[place];
        if expansion.of == code_point { &expansion.text[..expansion.length] } else { &self.other }
    }

    /// Asks the crate.
    #[cold]
    fn ask(&mut self, code_point: u32) {
        self.other.clear();
        self.form.append(char::from_u32(code_point), &mut self.other);
        self.expansions.resize(self.kept, Expansion { of: NONE, length: 0, text: [0; 4] });
        let kept = &mut self.expansions[code_point as usize & (self.kept - 1)];
        if let Some(text) = kept.text.get_mut(..self.other.len()) {
            text.copy_from_slice(&self.other);
            (kept.of, kept.length) = (code_point, text.len());
        }
    }
}
