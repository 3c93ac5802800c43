//! What a normalization form changes in a text (UAX 15).
//!
//! Most characters are plain: of combining class 0, changed by nothing, and nothing that stands before them is combined
//! with them. So a form changes nothing in a run of them, and what stands on either side of one is normalized by
//! itself, in a composing form together with the one before it. What is most frequent among the others is told by
//! the classes, too: a character that becomes some others, marks in their order, a mark that composes with the
//! letter before it. For all that is left there is the crate icu_normalizer.
//!
//! Tried and lost: to write a text in one pass, into memory that is measured only then: no faster where memory is at hand,
//! and a third slower where its pages are fresh. Eight windows instead of six: a fifth slower on all but Hindi, and there
//! no faster once they are chosen by what a text has.

use std::ops::Range;

use super::classes::{Classes, NFD};
use super::form::{Form, composed};
use super::survey::Survey;
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

/// Tells `edit` what `form` has in the place of which units, in order.
///
/// What `edit` returns as an error ends the search and is returned.
#[inline(always)]
pub(super) fn edits<U: Source, E>(
    by: Implementation,
    form: Form,
    units: &[U],
    mut edit: impl FnMut(Range<usize>, &[u32]) -> Result<(), E>,
) -> Result<(), E> {
    let classes = form.classes();
    let class_at = |at: usize| units.get(at).map_or(0, |unit| classes.class(unit.value()));
    let mut survey = Survey::of(by, classes, units);
    let mut lately = Lately::of(form, units.len());
    let mut text = vec![];
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
            }
        }
        if is_start(next) && class != OTHER {
            at = end;
            if class == EXPANDS {
                edit(found..end, lately.expansion(units[found].value()))?;
            }
            if class != SECOND {
                continue;
            }
        }
        while !is_start(next) {
            end += 1;
            next = class_at(end);
        }
        at = end;
        let start = match found.checked_sub(1) {
            Some(before) if class != EXPANDS && char::from_u32(units[before].value()).is_some() => before,
            _ => found,
        };
        let stretch = &units[start..end];
        if !(start < found && lately.composes(classes, stretch, &mut text)) {
            text.clear();
            form.append(stretch.iter().filter_map(|unit| char::from_u32(unit.value())), &mut text);
        }
        if !stretch.iter().map(|unit| unit.value()).eq(text.iter().copied()) {
            edit(start..end, &text)?;
        }
    }
    Ok(())
}

/// What characters become, those asked for lately: the crate takes some ten times as long to tell.
struct Lately {
    form: Form,
    kept: usize,
    /// What some become each, in a place that the code point tells.
    expansions: Vec<Expansion>,
    /// One that is too long to be kept.
    long: Vec<u32>,
    /// What two become, in a place that both code points tell.
    pairs: Vec<Pair>,
}

#[derive(Clone, Copy)]
struct Expansion {
    of: u32,
    length: usize,
    text: [u32; 4],
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
        Self { form, kept, expansions: vec![], long: vec![], pairs: vec![] }
    }

    /// What a character becomes.
    #[inline(always)]
    fn expansion(&mut self, code_point: u32) -> &[u32] {
        let place = code_point as usize & (self.kept - 1);
        if self.expansions.get(place).is_none_or(|expansion| expansion.of != code_point) {
            self.ask(code_point);
        }
        let expansion = &self.expansions[place];
        if expansion.of == code_point { &expansion.text[..expansion.length] } else { &self.long }
    }

    /// Asks the crate.
    #[cold]
    fn ask(&mut self, code_point: u32) {
        self.long.clear();
        self.form.append(char::from_u32(code_point).into_iter(), &mut self.long);
        self.expansions.resize(self.kept, Expansion { of: NONE, length: 0, text: [0; 4] });
        let kept = &mut self.expansions[code_point as usize & (self.kept - 1)];
        if let Some(text) = kept.text.get_mut(..self.long.len()) {
            text.copy_from_slice(&self.long);
            (kept.of, kept.length) = (code_point, text.len());
        }
    }

    /// Composes, as UAX 15 says (D117), a character that has no parts and marks that are in their order, by `text`; otherwise
    /// returns false.
    #[inline(always)]
    fn composes<U: Source>(&mut self, classes: &Classes, stretch: &[U], text: &mut Vec<u32>) -> bool {
        let mut units = stretch.iter().map(|unit| unit.value());
        let Some(mut first) = units.next().filter(|&first| NFD.class(first) == 0) else { return false };
        text.clear();
        text.push(first);
        // The class of the mark before, and of the last one that stays: it bars others of its class.
        let (mut last, mut bar) = (OTHER, OTHER);
        for mark in units {
            let class = NFD.class(mark);
            if class < last || !is_mark(class) || classes.class(mark) == OTHER {
                return false;
            }
            last = class;
            match self.pair(first, mark) {
                Some(composed) if class > bar => first = composed,
                _ => {
                    text.push(mark);
                    bar = class;
                }
            }
        }
        text[0] = first;
        true
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
