//! Repair of bytes that should be UTF-8: each error is replaced.

use std::borrow::Cow;

use crate::allocation::{product, sum};
use crate::kernels::decode::{DecodeWithErrors, ErrorUnits};
use crate::kernels::encode::{Encode, Source, pair};
use crate::kernels::errors::sequences::ErrorStarts;
use crate::progress::{Progress, Stopped, uninterrupted, unobserved};
use crate::sequence::boundary::chunks;
use crate::sequence::{Sequence, decode_one};
use crate::simd::dispatch::Implementation;
use crate::simd::paired;
use crate::simd::uninit::{MaybeUninit, filled, put, unfilled};
use crate::substitution::Substitution;
use crate::with_errors::{Division, WithErrors, for_each_error, splice};

/// Returns the text of `data` with each error (maximal subpart) replaced by U+FFFD, as [`String::from_utf8_lossy`]
/// does; borrowed if there is none.
///
/// ```
/// use std::borrow::Cow;
/// assert!(matches!(leadbyte::repair(b"fine"), Cow::Borrowed("fine")));
/// assert_eq!(leadbyte::repair(b"caf\xE9 \xE2\x82 5"), "caf\u{FFFD} \u{FFFD} 5");
/// ```
pub fn repair(data: &[u8]) -> Cow<'_, str> {
    Implementation::active().repair(data)
}

/// Returns the text of `data` with its errors replaced by as many U+FFFD as another program has; borrowed if there is
/// none.
///
/// ```
/// use leadbyte::{Substitution, repair_with};
/// assert_eq!(repair_with(b"\xED\xA0\x80", Substitution::Whatwg), "\u{FFFD}\u{FFFD}\u{FFFD}");
/// assert_eq!(repair_with(b"\xED\xA0\x80", Substitution::Java), "\u{FFFD}");
/// ```
pub fn repair_with(data: &[u8], substitution: Substitution) -> Cow<'_, str> {
    Implementation::active().repair_with(data, substitution)
}

#[doc(hidden)]
impl Implementation {
    pub fn repair(self, data: &[u8]) -> Cow<'_, str> {
        self.repair_with(data, Substitution::Whatwg)
    }

    pub fn repair_with(self, data: &[u8], substitution: Substitution) -> Cow<'_, str> {
        let replacement = Replacement { substitution, ..Default::default() };
        let repair = uninterrupted(MeasuredRepair::of(self, data, replacement, &mut unobserved));
        if repair.is_needless() {
            // SAFETY: the search for an error has just gone through all of `data`.
            return Cow::Borrowed(unsafe { str::from_utf8_unchecked(data) });
        }
        let repaired = filled(repair.length(), |out| uninterrupted(repair.write(out, &mut unobserved)));
        // SAFETY: the bytes between errors are valid, and so is what replaces the errors.
        Cow::Owned(unsafe { String::from_utf8_unchecked(repaired) })
    }
}

/// The default replacement of an error: U+FFFD.
pub const REPLACEMENT: &str = "\u{FFFD}";

/// What errors are replaced by.
#[derive(Clone, Copy)]
pub struct Replacement<'a> {
    /// UTF-8, or nothing.
    pub text: &'a [u8],
    /// How many times an error is replaced by it.
    pub substitution: Substitution,
}

impl Default for Replacement<'_> {
    fn default() -> Self {
        Self::by(REPLACEMENT.as_bytes())
    }
}

impl<'a> Replacement<'a> {
    /// Replaces each maximal subpart by `text`.
    pub fn by(text: &'a [u8]) -> Self {
        Self { text, substitution: Substitution::Whatwg }
    }
}

/// A repair that was measured and can be written: the data, what replaces its errors, the length of the result.
pub struct MeasuredRepair<'a> {
    data: WithErrors<'a>,
    /// The data with the bytes before it.
    all: &'a [u8],
    replacement: Replacement<'a>,
    length: usize,
}

impl<'a> MeasuredRepair<'a> {
    /// Measures `data`.
    pub fn of(
        implementation: Implementation,
        data: &'a [u8],
        replacement: Replacement<'a>,
        progress: Progress<'_>,
    ) -> Result<Self, Stopped> {
        Self::after(implementation, data, 0, replacement, progress)
    }

    /// Measures `all[start..]`, where a character or an error starts. Of the bytes before it, the last
    /// [`Substitution::CONTEXT_BYTES`] make a difference.
    pub fn after(
        implementation: Implementation,
        all: &'a [u8],
        start: usize,
        replacement: Replacement<'a>,
        progress: Progress<'_>,
    ) -> Result<Self, Stopped> {
        let data = WithErrors::of(implementation, &all[start..], Division::copied(implementation), progress)?;
        let mut repair = Self { data, all, replacement, length: 0 };
        let replacements = match replacement.substitution {
            Substitution::Whatwg => repair.data.counts().errors,
            _ => repair.count_replacements(progress)?,
        };
        let kept = repair.data.length() - repair.data.error_bytes();
        repair.length = sum(kept, product(replacements, replacement.text.len())?)?;
        Ok(repair)
    }

    /// Returns the number of replacements of all errors.
    fn count_replacements(&self, progress: Progress<'_>) -> Result<usize, Stopped> {
        let mut count = 0;
        self.data.visit_chunks(progress, |offset, chunk, starts| {
            if let Some(starts) = starts {
                for_each_error(chunk, starts, |start, length| {
                    count += self.replacements(offset + start, length)
                });
            }
        })?;
        Ok(count)
    }

    /// Returns the number of replacements of an error: its offset in the data, its length in bytes.
    fn replacements(&self, start: usize, length: usize) -> usize {
        let before = self.all.len() - self.data.length();
        self.replacement.substitution.replacements(self.all, before + start, length)
    }

    /// Returns whether there is no error.
    pub(crate) fn is_needless(&self) -> bool {
        self.data.counts().errors == 0
    }

    /// Returns the length of the repaired text in bytes.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Writes the repaired text into `out`, which has its length, and returns the number of bytes written.
    pub fn write(&self, out: &mut [MaybeUninit<u8>], progress: Progress<'_>) -> Result<usize, Stopped> {
        let Replacement { text, substitution } = self.replacement;
        let units = match text {
            [] => Some(ErrorUnits::None),
            _ if substitution != Substitution::Whatwg => None,
            text => single_unit(text).map(ErrorUnits::Each),
        };
        let implementation = self.data.implementation();
        let dense_bytes = if implementation.has_vectors() { DENSE_BYTES } else { SCALAR_DENSE_BYTES };
        let is_dense = |length, starts: ErrorStarts<'_>| {
            let errors: usize = starts.by_block(length).map(|(_, errors)| errors.count_ones() as usize).sum();
            length < dense_bytes * errors
        };
        self.data.write_chunks(out, progress, |offset, chunk, starts, out| match (starts, units) {
            (None, _) => put(out, chunk),
            (Some(starts), Some(units)) if chunk.len() > SHORT_BYTES && is_dense(chunk.len(), starts) => {
                write_encoded(implementation, chunk, starts, units, out)
            }
            (Some(starts), _) if substitution == Substitution::Whatwg => {
                splice(chunk, starts, out, text, |_, _| 1)
            }
            (Some(starts), _) => {
                splice(chunk, starts, out, text, |start, length| self.replacements(offset + start, length))
            }
        })
    }
}

/// Returns the code point of a character of up to three bytes, if `text` is one.
fn single_unit(text: &[u8]) -> Option<u16> {
    match decode_one(text) {
        Some(Sequence::Char(character, length)) if length == text.len() => {
            u16::try_from(u32::from(character)).ok()
        }
        _ => None,
    }
}

/// The most bytes with errors that are not decoded and encoded again, as that would take longer.
const SHORT_BYTES: usize = 64;

/// The bytes for each error, with vectors and without, below which it takes less time to decode and encode all again
/// than to copy the runs between errors.
const DENSE_BYTES: usize = 12;
const SCALAR_DENSE_BYTES: usize = 2;

/// The size in bytes of the steps in which data with errors is decoded and encoded again.
const STEP_BYTES: usize = 2048;

/// Writes `data` with errors replaced by a unit or nothing: decodes it to UTF-16 and encodes that again.
fn write_encoded(
    by: Implementation,
    data: &[u8],
    starts: ErrorStarts<'_>,
    units: ErrorUnits,
    out: &mut [MaybeUninit<u8>],
) -> usize {
    let mut buffer = [0u16; STEP_BYTES];
    let (mut at, mut written) = (0, 0);
    for data in chunks(data, STEP_BYTES) {
        let (starts, decoded) = (starts.after(at), unfilled(&mut buffer));
        let decoded = by.run(DecodeWithErrors { data, starts, out: decoded, units });
        let out = &mut out[written..];
        written += by.run(Encode::<_, true> { units: paired(&buffer[..decoded]), out }).written;
        at += data.len();
    }
    written
}

/// Yields the scalar values of UTF-16 or UTF-32 code units: surrogate pairs are joined, lone surrogates replaced by
/// U+FFFD.
#[cfg_attr(not(feature = "bindings"), expect(dead_code))]
pub fn well_formed<U: Source>(units: &[U]) -> impl Iterator<Item = u32> {
    let mut rest = units.iter().map(|unit| unit.value()).peekable();
    core::iter::from_fn(move || {
        let unit = rest.next()?;
        let pair = rest.peek().and_then(|&next| pair(unit, next));
        if pair.is_some() {
            rest.next();
            return pair;
        }
        Some(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER).into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocation::AllocError;

    /// With pointers of 32 bits the length overflows.
    #[test]
    fn a_length_that_overflows_is_an_error() {
        let wanted = usize::try_from(1_u64 << 32).map_err(|_| AllocError::CapacityOverflow);
        let (data, replacement) = (vec![0xFF; 1 << 20], [b'?'; 4 << 10]);
        let replacement = Replacement::by(&replacement);
        let repair = MeasuredRepair::of(Implementation::active(), &data, replacement, &mut unobserved);
        assert_eq!(repair.map(|repair| repair.length()), wanted.map_err(Stopped::Alloc));
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn what_does_not_fit_is_not_cut_off() {
        let replacement = Replacement::by(b"???");
        let repair = uninterrupted(MeasuredRepair::of(
            Implementation::active(),
            b"a\xFF",
            replacement,
            &mut unobserved,
        ));
        uninterrupted(repair.write(&mut [MaybeUninit::new(0); 2], &mut unobserved));
    }
}
