//! A text in a normalization form: its units as they are, but for the edits.

use std::borrow::Cow;
use std::ops::Range;

use super::edits::edits;
use super::form::Form;
use super::pieces::{Pieces, decoded};
use crate::allocation::{AllocError, Grow, or_raise, sum, try_extend, unobserved};
use crate::kernels::decode::Unit;
use crate::kernels::encode::Source;
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::{MaybeUninit, filled, try_append};

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
        let normalized = or_raise(normalize_text(self, form, text, unobserved));
        // SAFETY: it is made of parts of a text between characters, and of what characters were encoded to.
        normalized
            .map_or(Cow::Borrowed(text), |bytes| Cow::Owned(unsafe { String::from_utf8_unchecked(bytes) }))
    }

    pub fn is_normalized(self, form: Form, text: &str) -> bool {
        or_raise(is_normalized_text(self, form, text, unobserved))
    }

    pub fn normalize_latin1(self, form: Form, units: &[u8]) -> Option<Vec<u32>> {
        self.rewritten(form, units)
    }

    pub fn normalize_ucs2(self, form: Form, units: &[u16]) -> Option<Vec<u32>> {
        self.rewritten(form, units)
    }

    pub fn normalize_utf32(self, form: Form, units: &[u32]) -> Option<Vec<u32>> {
        self.rewritten(form, units)
    }

    fn rewritten<U: Source>(self, form: Form, units: &[U]) -> Option<Vec<u32>> {
        let change = or_raise(Change::of(self, form, units, u32::MAX, unobserved));
        let same = or_raise(is_normalized_units(self, form, units, unobserved));
        let mut at_once = vec![];
        let changes = or_raise(rewrite(self, form, units, &mut at_once, &mut unobserved));
        assert_eq!(changes, change.is_some());
        assert_eq!(change.is_none(), same);
        change.map(|change| {
            let measured = filled(change.length, |room| or_raise(write(self, form, units, room, unobserved)));
            assert_eq!(at_once, measured);
            measured
        })
    }
}

/// Appends what `units` are in `form`, if they are not that already, and tells whether it does. Tells `worked` how much
/// was done in long stretches, in bytes.
pub(crate) fn rewrite<U: Source, E: From<AllocError>>(
    by: Implementation,
    form: Form,
    units: &[U],
    to: &mut Vec<u32>,
    worked: &mut impl FnMut(usize) -> Result<(), E>,
) -> Result<bool, E> {
    let mut add = |same: &[U], text: &[u32]| {
        to.grow(sum(same.len(), text.len())?)?;
        to.extend(same.iter().map(|unit| unit.value()));
        to.extend_from_slice(text);
        Ok::<_, AllocError>(())
    };
    let (mut done, mut added) = (None, Ok(()));
    edits(by, form, units, worked, |range, text| {
        added = add(&units[done.unwrap_or(0)..range.start], text);
        done = Some(range.end);
        added.is_ok()
    })?;
    added?;
    add(&units[done.unwrap_or(units.len())..], &[])?;
    Ok(done.is_some())
}

/// What changes in a text to bring it into a form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    /// How many characters it then has, or a number that there is no memory for if they are too many to count.
    pub length: usize,
    /// The bits that any of the new ones has.
    pub bits: u32,
    /// Whether a character goes that is above the limit.
    pub loses: bool,
}

impl Change {
    /// What changes in `units`; `None` if nothing does. Tells `worked` of its progress, in bytes.
    pub(crate) fn of<U: Source, E: From<AllocError>>(
        by: Implementation,
        form: Form,
        units: &[U],
        limit: u32,
        mut worked: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<Self>, E> {
        let mut change = Self { length: units.len(), bits: 0, loses: false };
        let mut changes = false;
        let mut pieces = Pieces::of(form.classes(), units);
        while let Some((_, piece)) = pieces.next(&mut worked)? {
            edits(by, form, piece, &mut worked, |range, text| {
                changes = true;
                change.length = (change.length - range.len()).saturating_add(text.len());
                change.bits |= all_bits(text);
                change.loses |= piece[range].iter().any(|unit| unit.value() > limit);
                true
            })?;
            worked(size_of_val(piece))?;
        }
        Ok(changes.then_some(change))
    }
}

/// The bits that any unit has which stays in `form`, or some of them, if one is above the limit. Tells `worked` of its
/// progress, in bytes.
#[cfg_attr(not(feature = "python"), expect(dead_code))]
pub(crate) fn bits_that_stay<U: Source, E: From<AllocError>>(
    by: Implementation,
    form: Form,
    units: &[U],
    limit: u32,
    mut worked: impl FnMut(usize) -> Result<(), E>,
) -> Result<u32, E> {
    let mut bits = 0;
    let mut pieces = Pieces::of(form.classes(), units);
    while let Some((_, piece)) = pieces.next(&mut worked)? {
        let mut done = 0;
        let mut stay = |range: Range<usize>| {
            bits |= all_bits(&piece[done..range.start]);
            done = range.end;
            bits <= limit
        };
        let fits = edits(by, form, piece, &mut worked, |range, _| stay(range))?;
        if !(fits && stay(piece.len()..piece.len())) {
            break;
        }
        worked(size_of_val(piece))?;
    }
    Ok(bits)
}

fn all_bits<U: Source>(units: &[U]) -> u32 {
    units.iter().fold(0, |bits, unit| bits | unit.value())
}

/// Writes `units` in `form` into `out`, which has just the room for it, in units that all of it fits into. Returns how many
/// were written. Tells `worked` of its progress, in bytes.
pub(crate) fn write<U: Source, O: Unit, E: From<AllocError>>(
    by: Implementation,
    form: Form,
    units: &[U],
    out: &mut [MaybeUninit<O>],
    mut worked: impl FnMut(usize) -> Result<(), E>,
) -> Result<usize, E> {
    let mut written = 0;
    let mut pieces = Pieces::of(form.classes(), units);
    while let Some((_, piece)) = pieces.next(&mut worked)? {
        let mut done = 0;
        edits(by, form, piece, &mut worked, |range, text| {
            written += copy(&piece[done..], range.start - done, &mut out[written..]);
            let room = &mut out[written..];
            written += text.len();
            for (place, &code_point) in room.iter_mut().zip(text) {
                place.write(O::of(code_point).0);
            }
            done = range.end;
            true
        })?;
        written += copy(&piece[done..], piece.len() - done, &mut out[written..]);
        worked(size_of_val(piece))?;
    }
    Ok(written)
}

/// So many units are copied at once, if there are so many, and there is room for them.
const CHUNK: usize = 32;

/// Copies the first of some units to `out`, which has room for them, and returns how many these are. What is after them is
/// written over later.
#[inline(always)]
fn copy<U: Source, O: Unit>(units: &[U], length: usize, out: &mut [MaybeUninit<O>]) -> usize {
    let mut at = 0;
    while at < length {
        let (from, to) = (&units[at..], &mut out[at..]);
        match (from.first_chunk::<CHUNK>(), to.first_chunk_mut::<CHUNK>()) {
            (Some(chunk), Some(room)) => *room = chunk.map(|unit| MaybeUninit::new(O::of(unit.value()).0)),
            _ => {
                for (place, unit) in to.iter_mut().zip(&from[..length - at]) {
                    place.write(O::of(unit.value()).0);
                }
                break;
            }
        }
        at += CHUNK;
    }
    length
}

/// Whether `units` are in `form`. Tells `worked` of its progress, in bytes.
pub(crate) fn is_normalized_units<U: Source, E: From<AllocError>>(
    by: Implementation,
    form: Form,
    units: &[U],
    mut worked: impl FnMut(usize) -> Result<(), E>,
) -> Result<bool, E> {
    let mut pieces = Pieces::of(form.classes(), units);
    while let Some((_, piece)) = pieces.next(&mut worked)? {
        if !edits(by, form, piece, &mut worked, |_, _| false)? {
            return Ok(false);
        }
        worked(size_of_val(piece))?;
    }
    Ok(true)
}

/// What `text` is in `form`, as UTF-8; `None` if it is that already. Tells `worked` of its progress, in bytes.
pub(crate) fn normalize_text<E: From<AllocError>>(
    by: Implementation,
    form: Form,
    text: &str,
    mut worked: impl FnMut(usize) -> Result<(), E>,
) -> Result<Option<Vec<u8>>, E> {
    let (mut room, mut edited, mut out) = (vec![], Vec::<u32>::new(), None::<Vec<u8>>);
    let mut pieces = Pieces::of(form.classes(), text);
    while let Some((start, piece)) = pieces.next(&mut worked)? {
        edited.clear();
        let changes = !by.is_ascii(piece.as_bytes())
            && rewrite(by, form, decoded(by, piece, &mut room, &mut worked)?, &mut edited, &mut worked)?;
        if changes {
            let out = out.get_or_insert_default();
            if out.is_empty() {
                try_extend(out, &text.as_bytes()[..start])?;
            }
            try_append(out, by.utf8_length(&edited), |room| Some(by.encode(&edited, room).written))?;
        } else if let Some(out) = &mut out {
            try_extend(out, piece.as_bytes())?;
        }
        worked(piece.len())?;
    }
    Ok(out)
}

/// Whether `text` is in `form`. Tells `worked` of its progress, in bytes.
pub(crate) fn is_normalized_text<E: From<AllocError>>(
    by: Implementation,
    form: Form,
    text: &str,
    mut worked: impl FnMut(usize) -> Result<(), E>,
) -> Result<bool, E> {
    let mut units = vec![];
    let mut pieces = Pieces::of(form.classes(), text);
    while let Some((_, piece)) = pieces.next(&mut worked)? {
        if !by.is_ascii(piece.as_bytes())
            && !edits(by, form, decoded(by, piece, &mut units, &mut worked)?, &mut worked, |_, _| false)?
        {
            return Ok(false);
        }
        worked(piece.len())?;
    }
    Ok(true)
}
