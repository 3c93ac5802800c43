//! A text in a normalization form: its units as they are, but for the edits.

use std::borrow::Cow;
use std::convert::Infallible;

use super::edits::edits;
use super::form::Form;
use super::pieces::{self, decoded};
use crate::kernels::encode::Source;
use crate::kernels::encode::length::Lane;
use crate::room::append;
use crate::simd::dispatch::Implementation;

/// The text in a normalization form (UAX 15); borrowed if it is in that form already.
///
/// ```
/// use std::borrow::Cow;
/// use leadbyte::unicode::{Form, normalize};
///
/// assert_eq!(normalize(Form::Nfd, "\u{FC}ber"), "u\u{308}ber");
/// assert!(matches!(normalize(Form::Nfc, "\u{FC}ber"), Cow::Borrowed(_)));
/// // Not even an equal text has equal bytes in another form.
/// assert_ne!(normalize(Form::Nfc, "\u{FC}"), normalize(Form::Nfd, "\u{FC}"));
/// ```
pub fn normalize(form: Form, text: &str) -> Cow<'_, str> {
    Implementation::active().normalize(form, text)
}

/// Whether the text is in a normalization form.
///
/// ```
/// use leadbyte::unicode::{Form, is_normalized};
///
/// assert!(is_normalized(Form::Nfc, "\u{FC}ber"));
/// assert!(!is_normalized(Form::Nfc, "u\u{308}ber"));
/// ```
pub fn is_normalized(form: Form, text: &str) -> bool {
    Implementation::active().is_normalized(form, text)
}

#[doc(hidden)]
impl Implementation {
    pub fn normalize(self, form: Form, text: &str) -> Cow<'_, str> {
        let Ok(normalized) = normalize_text(self, form, text, |_| Ok::<_, Infallible>(()));
        // SAFETY: it is made of parts of a text between characters, and of what characters were encoded to.
        normalized
            .map_or(Cow::Borrowed(text), |bytes| Cow::Owned(unsafe { String::from_utf8_unchecked(bytes) }))
    }

    pub fn is_normalized(self, form: Form, text: &str) -> bool {
        let Ok(normalized) = is_normalized_text(self, form, text, |_| Ok::<_, Infallible>(()));
        normalized
    }
}

/// A character that the units of a result have no room for.
#[derive(Debug)]
pub(crate) struct TooWide;

/// A text that is copied as it is edited.
struct Copy<'a, U, O> {
    units: &'a [U],
    /// How many of the units were copied, or replaced.
    done: usize,
    /// The copy, and room after it.
    out: Vec<O>,
    length: usize,
}

/// So many units are copied at once, if there is room for them.
const CHUNK: usize = 16;

impl<'a, U: Source, O: Lane> Copy<'a, U, O> {
    /// With room that may have been used before.
    fn of(units: &'a [U], out: Vec<O>) -> Self {
        Self { units, done: 0, out, length: 0 }
    }

    /// Whether there was nothing to edit.
    fn is_same(&self) -> bool {
        self.done == 0
    }

    /// Copies the units before `start`, and has `text` in the place of those up to `end`.
    #[inline(always)]
    fn replace(&mut self, start: usize, end: usize, text: &[u32]) -> Result<(), TooWide> {
        self.copy_to(start, text.len());
        self.done = end;
        let room = &mut self.out[self.length..][..text.len()];
        for (place, &code_point) in room.iter_mut().zip(text) {
            if code_point > O::MAX.value() {
                return Err(TooWide);
            }
            *place = O::of(code_point);
        }
        self.length += text.len();
        Ok(())
    }

    /// Copies the units before `end`, and makes room for `more` after them.
    #[inline(always)]
    fn copy_to(&mut self, end: usize, more: usize) {
        let needed = self.length + (end - self.done) + more + CHUNK;
        if needed > self.out.len() {
            self.grow(needed);
        }
        while self.done < end {
            let length = CHUNK.min(end - self.done);
            let out = &mut self.out[self.length..];
            match (self.units[self.done..].first_chunk::<CHUNK>(), out.first_chunk_mut::<CHUNK>()) {
                // What is after the end is written over later.
                (Some(chunk), Some(room)) => {
                    for (place, unit) in room.iter_mut().zip(chunk) {
                        *place = O::of(unit.value());
                    }
                }
                _ => {
                    for (place, unit) in out.iter_mut().zip(&self.units[self.done..end]) {
                        *place = O::of(unit.value());
                    }
                }
            }
            self.done += length;
            self.length += length;
        }
    }

    #[cold]
    fn grow(&mut self, needed: usize) {
        let usual = self.units.len() + self.units.len() / 8;
        self.out.resize(needed.max(usual).max(2 * self.out.len()), O::default());
    }

    /// Copies the rest.
    fn finish(mut self) -> Vec<O> {
        self.copy_to(self.units.len(), 0);
        self.out.truncate(self.length);
        self.out
    }
}

/// What `units` are in `form`; `None` if they are that already. Tells `worked` of its progress, in bytes.
pub(crate) fn normalize_units<U: Source, O: Lane, E>(
    by: Implementation,
    form: Form,
    units: &[U],
    mut worked: impl FnMut(usize) -> Result<(), E>,
) -> Result<Result<Option<Vec<O>>, TooWide>, E> {
    let mut copy = Copy::of(units, vec![]);
    for (start, piece) in pieces::of_units(form.classes(), units) {
        let edited =
            edits(by, form, piece, |range, text| copy.replace(start + range.start, start + range.end, text));
        if let Err(too_wide) = edited {
            return Ok(Err(too_wide));
        }
        worked(size_of_val(piece))?;
    }
    Ok(Ok((!copy.is_same()).then(|| copy.finish())))
}

/// Whether `units` are in `form`. Tells `worked` of its progress, in bytes.
pub(crate) fn is_normalized_units<U: Source, E>(
    by: Implementation,
    form: Form,
    units: &[U],
    mut worked: impl FnMut(usize) -> Result<(), E>,
) -> Result<bool, E> {
    for (_, piece) in pieces::of_units(form.classes(), units) {
        if edits(by, form, piece, |_, _| Err(())).is_err() {
            return Ok(false);
        }
        worked(size_of_val(piece))?;
    }
    Ok(true)
}

/// What `text` is in `form`, as UTF-8; `None` if it is that already. Tells `worked` of its progress, in bytes.
pub(crate) fn normalize_text<E>(
    by: Implementation,
    form: Form,
    text: &str,
    mut worked: impl FnMut(usize) -> Result<(), E>,
) -> Result<Option<Vec<u8>>, E> {
    let (mut room, mut edited, mut out) = (vec![], Vec::<u32>::new(), None::<Vec<u8>>);
    for (start, piece) in pieces::of_text(form.classes(), text) {
        let units = decoded(by, piece, &mut room);
        let mut copy = Copy::of(units, edited);
        let (Ok(()) | Err(TooWide)) =
            edits(by, form, units, |range, text| copy.replace(range.start, range.end, text));
        let same = copy.is_same();
        edited = copy.finish();
        match &mut out {
            None if same => {}
            Some(out) if same => out.extend_from_slice(piece.as_bytes()),
            _ => {
                let out = out.get_or_insert_with(|| text.as_bytes()[..start].to_vec());
                append(out, by.utf8_length(&edited), |room| Some(by.encode(&edited, room).written));
            }
        }
        worked(piece.len())?;
    }
    Ok(out)
}

/// Whether `text` is in `form`. Tells `worked` of its progress, in bytes.
pub(crate) fn is_normalized_text<E>(
    by: Implementation,
    form: Form,
    text: &str,
    mut worked: impl FnMut(usize) -> Result<(), E>,
) -> Result<bool, E> {
    let mut units = vec![];
    for (_, piece) in pieces::of_text(form.classes(), text) {
        if edits(by, form, decoded(by, piece, &mut units), |_, _| Err(())).is_err() {
            return Ok(false);
        }
        worked(piece.len())?;
    }
    Ok(true)
}
