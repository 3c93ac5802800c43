//! Normalization of a text: its units are copied, except for the edits.

use std::borrow::Cow;
use std::ops::Range;

use super::edits::edits;
use super::form::Form;
use super::pieces::{TextPieces, decoded};
use crate::allocation::{AllocError, Grow, sum, try_extend};
use crate::kernels::decode::CodeUnit;
use crate::kernels::encode::Source;
use crate::progress::{Progress, Stopped, uninterrupted, unobserved};
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::{MaybeUninit, filled, try_append};

/// Returns the text in a normalization form (UAX 15); borrowed if it is in that form already.
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

/// Returns whether the text is in a normalization form.
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
        let normalized = uninterrupted(normalize_text(self, form, text, &mut unobserved));
        // SAFETY: it consists of parts of a `str` that end at boundaries, and of encoded scalar values.
        normalized
            .map_or(Cow::Borrowed(text), |bytes| Cow::Owned(unsafe { String::from_utf8_unchecked(bytes) }))
    }

    pub fn is_normalized(self, form: Form, text: &str) -> bool {
        uninterrupted(is_normalized_text(self, form, text, &mut unobserved))
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
        let change = uninterrupted(NormalizedSize::of(self, form, units, u32::MAX, &mut unobserved));
        let same = uninterrupted(is_normalized_units(self, form, units, &mut unobserved));
        let mut at_once = vec![];
        let changes = uninterrupted(rewrite(self, form, units, &mut at_once, &mut unobserved));
        assert_eq!(changes, change.is_some());
        assert_eq!(change.is_none(), same);
        change.map(|change| {
            let measured =
                filled(change.length, |out| uninterrupted(write(self, form, units, out, &mut unobserved)));
            assert_eq!(at_once, measured);
            measured
        })
    }
}

/// Appends `units` in `form` to `to`, unless they are in it already; returns whether they are not.
pub fn rewrite<U: Source>(
    by: Implementation,
    form: Form,
    units: &[U],
    to: &mut Vec<u32>,
    progress: Progress<'_>,
) -> Result<bool, Stopped> {
    let mut add = |same: &[U], text: &[u32]| {
        to.grow(sum(same.len(), text.len())?)?;
        to.extend(same.iter().map(|unit| unit.value()));
        to.extend_from_slice(text);
        Ok::<_, AllocError>(())
    };
    let (mut done, mut added) = (None, Ok(()));
    edits(by, form, units, progress, &mut |range, text| {
        added = add(&units[done.unwrap_or(0)..range.start], text);
        done = Some(range.end);
        added.is_ok()
    })?;
    added?;
    add(&units[done.unwrap_or(units.len())..], &[])?;
    Ok(done.is_some())
}

/// The size and the new characters of a text in another form.
#[derive(Clone, Copy, Debug)]
pub struct NormalizedSize {
    /// The length of the result in characters, saturating at a number that cannot be allocated.
    pub length: usize,
    /// The bitwise or of the new characters.
    pub bits: u32,
    /// Whether a character above the limit is replaced.
    pub loses: bool,
}

impl NormalizedSize {
    /// Measures the change of `units` to `form`; `None` if they are in it already.
    pub fn of<U: Source>(
        by: Implementation,
        form: Form,
        units: &[U],
        limit: u32,
        progress: Progress<'_>,
    ) -> Result<Option<Self>, Stopped> {
        let mut change = Self { length: units.len(), bits: 0, loses: false };
        let mut changes = false;
        let mut pieces = TextPieces::of(form.classes(), units);
        while let Some((_, piece)) = pieces.next(progress)? {
            edits(by, form, piece, progress, &mut |range, text| {
                changes = true;
                change.length = (change.length - range.len()).saturating_add(text.len());
                change.bits |= all_bits(text);
                change.loses |= piece[range].iter().any(|unit| unit.value() > limit);
                true
            })?;
            progress(size_of_val(piece))?;
        }
        Ok(changes.then_some(change))
    }
}

/// Returns the bitwise or of the units that `form` does not change; if it exceeds the limit, perhaps of only a part of
/// them.
#[cfg_attr(not(feature = "bindings"), expect(dead_code))]
pub fn unchanged_bits<U: Source>(
    by: Implementation,
    form: Form,
    units: &[U],
    limit: u32,
    progress: Progress<'_>,
) -> Result<u32, Stopped> {
    let mut bits = 0;
    let mut pieces = TextPieces::of(form.classes(), units);
    while let Some((_, piece)) = pieces.next(progress)? {
        let mut done = 0;
        let mut keep = |range: Range<usize>| {
            bits |= all_bits(&piece[done..range.start]);
            done = range.end;
            bits <= limit
        };
        let fits = edits(by, form, piece, progress, &mut |range, _| keep(range))?;
        if !(fits && keep(piece.len()..piece.len())) {
            break;
        }
        progress(size_of_val(piece))?;
    }
    Ok(bits)
}

fn all_bits<U: Source>(units: &[U]) -> u32 {
    units.iter().fold(0, |bits, unit| bits | unit.value())
}

/// Writes `units` in `form` into `out`, which has exactly the length of the result, in units that all of its characters
/// fit in. Returns the number of units written.
pub fn write<U: Source, O: CodeUnit>(
    by: Implementation,
    form: Form,
    units: &[U],
    out: &mut [MaybeUninit<O>],
    progress: Progress<'_>,
) -> Result<usize, Stopped> {
    let mut written = 0;
    let mut pieces = TextPieces::of(form.classes(), units);
    while let Some((_, piece)) = pieces.next(progress)? {
        let mut done = 0;
        edits(by, form, piece, progress, &mut |range, text| {
            written += copy(&piece[done..], range.start - done, &mut out[written..]);
            let rest = &mut out[written..];
            written += text.len();
            for (slot, &code_point) in rest.iter_mut().zip(text) {
                slot.write(O::of(code_point).0);
            }
            done = range.end;
            true
        })?;
        written += copy(&piece[done..], piece.len() - done, &mut out[written..]);
        progress(size_of_val(piece))?;
    }
    Ok(written)
}

/// The number of units that are copied at once where both slices are that long.
const COPY_UNITS: usize = 32;

/// Copies the first `length` units to `out` and returns `length`. Units after them in `out` may be overwritten.
#[inline(always)]
fn copy<U: Source, O: CodeUnit>(units: &[U], length: usize, out: &mut [MaybeUninit<O>]) -> usize {
    let mut at = 0;
    while at < length {
        let (from, to) = (&units[at..], &mut out[at..]);
        match (from.first_chunk::<COPY_UNITS>(), to.first_chunk_mut::<COPY_UNITS>()) {
            (Some(chunk), Some(copied)) => {
                *copied = chunk.map(|unit| MaybeUninit::new(O::of(unit.value()).0))
            }
            _ => {
                for (slot, unit) in to.iter_mut().zip(&from[..length - at]) {
                    slot.write(O::of(unit.value()).0);
                }
                break;
            }
        }
        at += COPY_UNITS;
    }
    length
}

/// Returns whether `units` are in `form`.
pub fn is_normalized_units<U: Source>(
    by: Implementation,
    form: Form,
    units: &[U],
    progress: Progress<'_>,
) -> Result<bool, Stopped> {
    let mut pieces = TextPieces::of(form.classes(), units);
    while let Some((_, piece)) = pieces.next(progress)? {
        if !edits(by, form, piece, progress, &mut |_, _| false)? {
            return Ok(false);
        }
        progress(size_of_val(piece))?;
    }
    Ok(true)
}

/// Returns `text` in `form`, as UTF-8; `None` if it is in it already.
pub fn normalize_text(
    by: Implementation,
    form: Form,
    text: &str,
    progress: Progress<'_>,
) -> Result<Option<Vec<u8>>, Stopped> {
    let (mut buffer, mut edited, mut out) = (Vec::<u32>::new(), Vec::<u32>::new(), None::<Vec<u8>>);
    let mut pieces = TextPieces::of(form.classes(), text);
    while let Some((start, piece)) = pieces.next(progress)? {
        edited.clear();
        let changes = !by.is_ascii(piece.as_bytes())
            && rewrite(by, form, decoded(by, piece, &mut buffer, progress)?, &mut edited, progress)?;
        if changes {
            let out = out.get_or_insert_default();
            if out.is_empty() {
                try_extend(out, &text.as_bytes()[..start])?;
            }
            try_append(out, by.utf8_length(&edited), |out| Some(by.encode(&edited, out).written))?;
        } else if let Some(out) = &mut out {
            try_extend(out, piece.as_bytes())?;
        }
        progress(piece.len())?;
    }
    Ok(out)
}

/// Returns whether `text` is in `form`.
pub fn is_normalized_text(
    by: Implementation,
    form: Form,
    text: &str,
    progress: Progress<'_>,
) -> Result<bool, Stopped> {
    let mut units = Vec::<u32>::new();
    let mut pieces = TextPieces::of(form.classes(), text);
    while let Some((_, piece)) = pieces.next(progress)? {
        if !by.is_ascii(piece.as_bytes())
            && !edits(by, form, decoded(by, piece, &mut units, progress)?, progress, &mut |_, _| false)?
        {
            return Ok(false);
        }
        progress(piece.len())?;
    }
    Ok(true)
}
