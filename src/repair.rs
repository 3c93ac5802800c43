//! Repair of bytes that should be UTF-8: each error is replaced.

use std::borrow::Cow;

use crate::allocation::{AllocError, or_raise, sum, unobserved};
use crate::error_iter::ErrorBuffer;
use crate::kernels::encode::{Source, pair};
use crate::sequence::boundary::CHUNK_BYTES;
use crate::simd::dispatch::Implementation;
#[cfg(any(feature = "python", test))]
use crate::simd::uninit::{MaybeUninit, put};

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

#[doc(hidden)]
impl Implementation {
    pub fn repair(self, data: &[u8]) -> Cow<'_, str> {
        let repair = or_raise(Repair::of(self, data, REPLACEMENT.as_bytes(), unobserved));
        if repair.is_needless() {
            // SAFETY: the search for an error has just gone through all of `data`.
            return Cow::Borrowed(unsafe { str::from_utf8_unchecked(data) });
        }
        let mut repaired = Vec::with_capacity(repair.length());
        or_raise(repair.for_each_part(|part| repaired.extend_from_slice(part), unobserved));
        // SAFETY: the bytes between errors are valid, and so is what replaces the errors.
        Cow::Owned(unsafe { String::from_utf8_unchecked(repaired) })
    }
}

/// The default replacement of an error: U+FFFD.
pub(crate) const REPLACEMENT: &str = "\u{FFFD}";

/// A repair that was measured and can be written: the errors, their replacement, and the length of the result.
pub(crate) struct Repair<'a> {
    data: &'a [u8],
    errors: ErrorBuffer<'a>,
    replacement: &'a [u8],
    length: usize,
}

impl<'a> Repair<'a> {
    /// Finds the errors of `data`.
    ///
    /// Calls `progress` with the number of bytes processed since the last call; an error of it is returned at once.
    pub(crate) fn of<E: From<AllocError>>(
        implementation: Implementation,
        data: &'a [u8],
        replacement: &'a [u8],
        progress: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut length = data.len();
        let errors = ErrorBuffer::of(
            implementation,
            data,
            |error, _| {
                length = sum(length - error.bytes().len(), replacement.len())?;
                Ok(true)
            },
            progress,
        )?;
        Ok(Self { data, errors, replacement, length })
    }

    /// Returns whether there is no error.
    pub(crate) fn is_needless(&self) -> bool {
        self.errors.iter().next().is_none()
    }

    /// Returns the length of the repaired text in bytes.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// Writes the repaired text into `out` and returns its length in bytes.
    ///
    /// Calls `progress` with the number of bytes written since the last call; an error of it is returned at once.
    #[cfg(any(feature = "python", test))]
    pub(crate) fn write<E>(
        &self,
        out: &mut [MaybeUninit<u8>],
        progress: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<usize, E> {
        let mut written = 0;
        self.for_each_part(|part| written += put(&mut out[written..], part), progress)?;
        Ok(written)
    }

    /// Calls `put` with each part of the repaired text, in order, and `progress` with the length of each in bytes; an
    /// error of it is returned at once.
    fn for_each_part<E>(
        &self,
        mut put: impl FnMut(&[u8]),
        mut progress: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut put = |part: &[u8]| {
            part.chunks(CHUNK_BYTES).try_for_each(|chunk| {
                put(chunk);
                progress(chunk.len())
            })
        };
        let mut at = 0;
        for error in self.errors.iter() {
            put(&self.data[at..error.start() as usize])?;
            put(self.replacement)?;
            at = error.end() as usize;
        }
        put(&self.data[at..])
    }
}

/// Yields the scalar values of UTF-16 or UTF-32 code units: surrogate pairs are joined, lone surrogates replaced by
/// U+FFFD.
#[cfg_attr(not(feature = "python"), expect(dead_code))]
pub(crate) fn well_formed<U: Source>(units: &[U]) -> impl Iterator<Item = u32> {
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

    /// With pointers of 32 bits the length overflows.
    #[test]
    fn a_length_that_overflows_is_an_error() {
        let wanted = usize::try_from(1_u64 << 32).map_err(|_| AllocError::CapacityOverflow);
        let (data, replacement) = (vec![0xFF; 1 << 20], [b'?'; 4 << 10]);
        let repair = Repair::of(Implementation::active(), &data, &replacement, unobserved);
        assert_eq!(repair.map(|repair| repair.length()), wanted);
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn what_does_not_fit_is_not_cut_off() {
        let repair = or_raise(Repair::of(Implementation::active(), b"a\xFF", b"???", unobserved));
        or_raise(repair.write(&mut [MaybeUninit::new(0); 2], unobserved));
    }
}
