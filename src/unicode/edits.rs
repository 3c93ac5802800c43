//! What a normalization form changes in a text (UAX 15).
//!
//! Most characters are plain: of combining class 0, changed by nothing, and nothing that stands before them is combined
//! with them. So a form changes nothing in a run of them, and what stands on either side of one is normalized by
//! itself, in a composing form together with the one before it. What is most frequent among the others is told by
//! the classes, too: a character that becomes some others, marks in their order, a mark that composes with the
//! letter before it. For all that is left there is the crate icu_normalizer.
//!
//! Tried and lost: the crate alone, as fast as CPython's own on Latin text. TODO figures

use std::ops::Range;

use super::classes::NFD;
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
    let mut expansions = Expansions::of(form);
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
        if is_start(next) {
            at = end;
            match class {
                EXPANDS => {
                    edit(found..end, expansions.of_character(units[found].value()))?;
                    continue;
                }
                SECOND if found > 0 && NFD.class(units[found - 1].value()) == 0 => {
                    let first = found - 1;
                    if let Some(composed) = composed(units[first].value(), units[found].value()) {
                        edit(first..end, &[composed])?;
                    }
                    continue;
                }
                SECOND | OTHER => {}
                _ => continue,
            }
        }
        let start = match found.checked_sub(1) {
            Some(before) if class != EXPANDS && char::from_u32(units[before].value()).is_some() => before,
            _ => found,
        };
        while !is_start(next) {
            end += 1;
            next = class_at(end);
        }
        let stretch = || units[start..end].iter().map(|unit| unit.value());
        text.clear();
        form.append(stretch().filter_map(char::from_u32), &mut text);
        if !stretch().eq(text.iter().copied()) {
            edit(start..end, &text)?;
        }
        at = end;
    }
    Ok(())
}

/// What characters become that each become others: those asked for lately.
struct Expansions {
    form: Form,
    lately: Vec<Expansion>,
    /// One that is too long to be kept.
    long: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Expansion {
    of: u32,
    length: usize,
    text: [u32; 4],
}

impl Expansions {
    /// So many are kept, each in a place that its code point tells.
    const KEPT: usize = 256;

    fn of(form: Form) -> Self {
        Self { form, lately: vec![], long: vec![] }
    }

    #[inline(always)]
    fn of_character(&mut self, code_point: u32) -> &[u32] {
        let place = code_point as usize % Self::KEPT;
        if self.lately.get(place).is_none_or(|expansion| expansion.of != code_point) {
            self.ask(code_point);
        }
        let expansion = &self.lately[place];
        if expansion.of == code_point { &expansion.text[..expansion.length] } else { &self.long }
    }

    /// Asks the crate.
    #[cold]
    fn ask(&mut self, code_point: u32) {
        self.long.clear();
        self.form.append(char::from_u32(code_point).into_iter(), &mut self.long);
        if self.lately.is_empty() {
            self.lately = vec![Expansion { of: u32::MAX, length: 0, text: [0; 4] }; Self::KEPT];
        }
        let kept = &mut self.lately[code_point as usize % Self::KEPT];
        if let Some(text) = kept.text.get_mut(..self.long.len()) {
            text.copy_from_slice(&self.long);
            (kept.of, kept.length) = (code_point, text.len());
        }
    }
}
