//! The sequences that a validator accepts: a table of forms, from which every algorithm computes its own tables.

use crate::sequence::{Form, WELL_FORMED, form};

/// A table of forms. Algorithms rely on this: it differs from the table of UTF-8 only in whether it has surrogates.
pub trait Rules: Copy + Default {
    /// The forms; each lead byte is in at most one of them.
    const FORMS: &'static [Form];
}

/// UTF-8.
#[derive(Clone, Copy, Default)]
pub struct Utf8;

impl Rules for Utf8 {
    const FORMS: &'static [Form] = &WELL_FORMED;
}

/// Generalized UTF-8, as the specification of WTF-8 defines it: UTF-8 with each surrogate encoded like a character.
#[derive(Clone, Copy, Default)]
pub struct Generalized;

impl Rules for Generalized {
    const FORMS: &'static [Form] = &[
        form(0x00..=0x7F, 0x80..=0xBF, 1),
        form(0xC2..=0xDF, 0x80..=0xBF, 2),
        form(0xE0..=0xE0, 0xA0..=0xBF, 3),
        form(0xE1..=0xEF, 0x80..=0xBF, 3),
        form(0xF0..=0xF0, 0x90..=0xBF, 4),
        form(0xF1..=0xF3, 0x80..=0xBF, 4),
        form(0xF4..=0xF4, 0x80..=0x8F, 4),
    ];
}

/// Returns whether `second` may follow `lead`.
pub(super) const fn allows(forms: &[Form], lead: u8, second: u8) -> bool {
    let mut row = 0;
    while row < forms.len() {
        let Form { lead: leads, second: seconds, length } = &forms[row];
        if *leads.start() <= lead && lead <= *leads.end() {
            return *length > 1 && *seconds.start() <= second && second <= *seconds.end();
        }
        row += 1;
    }
    false
}
