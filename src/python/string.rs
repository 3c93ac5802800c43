//! How CPython stores a str: the one place that knows.
//!
//! The characters stand behind the object's head, in the narrowest of three kinds that holds all of them: one,
//! two or four bytes each (PEP 393). Pure ASCII has a shorter head. A str whose kind is not the narrowest
//! compares unequal to its like, so a kind is chosen before anything is written.

use std::mem::MaybeUninit;
use std::slice;

use pyo3::exceptions::PyMemoryError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use super::buffer::incomplete;
use super::memory;
use crate::kernels::decode::Unit;
use crate::room::{put, unfilled};
use crate::validate::Measure;

/// The size of the head before the characters of a compact str: of ASCII, and of others.
const ASCII_HEAD: usize = size_of::<ffi::PyASCIIObject>();
const COMPACT_HEAD: usize = size_of::<ffi::PyCompactUnicodeObject>();

/// The characters of a str, as they are stored: two are equal if all characters are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Units<'a> {
    /// All are below U+0080.
    Ascii(&'a [u8]),
    Latin1(&'a [u8]),
    Ucs2(&'a [u16]),
    Ucs4(&'a [u32]),
}

impl<'a> Units<'a> {
    #[inline(always)] // a short call is not to wait for results that go through memory
    pub(super) fn of(text: &'a Bound<'_, PyString>) -> PyResult<Self> {
        let object = text.as_ptr();
        // SAFETY: `object` is a live str. (From 3.12 on every str is ready.)
        if unsafe { ffi::PyUnicode_READY(object) } != 0 {
            return Err(PyErr::fetch(text.py()));
        }
        // SAFETY: `object` is a live str, and ready.
        let length = unsafe { ffi::PyUnicode_GET_LENGTH(object) }.cast_unsigned();
        // SAFETY: as above.
        let data = unsafe { ffi::PyUnicode_DATA(object) };
        // SAFETY: as above.
        let kind = unsafe { ffi::PyUnicode_KIND(object) };
        Ok(match kind {
            ffi::PyUnicode_1BYTE_KIND => {
                // SAFETY: a str never changes, and of this kind it has `length` bytes at `data` while it lives.
                let units = unsafe { slice::from_raw_parts(data.cast(), length) };
                let head = data.addr().wrapping_sub(object.addr());
                let ascii = head == ASCII_HEAD || (head != COMPACT_HEAD && is_ascii_elsewhere(units));
                if ascii { Self::Ascii(units) } else { Self::Latin1(units) }
            }
            ffi::PyUnicode_2BYTE_KIND => {
                // SAFETY: as above; of this kind it has two bytes each, which are aligned.
                Self::Ucs2(unsafe { slice::from_raw_parts(data.cast(), length) })
            }
            _ => {
                // SAFETY: as above; of this kind it has four bytes each, which are aligned.
                Self::Ucs4(unsafe { slice::from_raw_parts(data.cast(), length) })
            }
        })
    }
}

/// The kinds of a str, from the narrowest to the widest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Ascii,
    Latin1,
    Ucs2,
    Ucs4,
}

impl Kind {
    /// The narrowest kind for a code point.
    pub(super) fn of(code_point: u32) -> Self {
        match code_point {
            0x00..=0x7F => Self::Ascii,
            0x80..=0xFF => Self::Latin1,
            0x100..=0xFFFF => Self::Ucs2,
            _ => Self::Ucs4,
        }
    }

    /// The narrowest kind for code points that together have these bits: a kind has all numbers of some bits.
    pub(super) fn of_bits(bits: u32) -> Self {
        Self::of(bits.min(u32::from(char::MAX)))
    }

    /// The largest code point of the kind that is the next narrower one, if there is one.
    pub(super) fn most_below(self) -> u32 {
        match self {
            Self::Ascii => 0,
            Self::Latin1 => Self::Ascii.largest(),
            Self::Ucs2 => Self::Latin1.largest(),
            Self::Ucs4 => Self::Ucs2.largest(),
        }
    }

    /// The narrowest kind for what was measured.
    #[inline]
    pub(super) fn of_measured(measure: &Measure) -> Self {
        match measure.largest {
            0x00..=0x7F => Self::Ascii,
            0x80..=0xC3 => Self::Latin1,
            0xC4..=0xEF => Self::Ucs2,
            0xF0..=0xFF => Self::Ucs4,
        }
    }

    /// The largest code point of the kind.
    fn largest(self) -> ffi::Py_UCS4 {
        match self {
            Self::Ascii => 0x7F,
            Self::Latin1 => 0xFF,
            Self::Ucs2 => 0xFFFF,
            Self::Ucs4 => 0x10_FFFF,
        }
    }
}

/// What fills a new str.
pub(super) trait Fill {
    /// What may come between.
    type Failure: Into<PyErr>;

    /// Fills `out`, all of it, with units that fit the kind that was asked for, and at least one that fits no
    /// narrower kind. Returns how many were written, from the start on.
    fn fill<U: Unit>(self, out: &mut [MaybeUninit<U>]) -> Result<usize, Self::Failure>;
}

/// A new str of ASCII.
#[inline(always)]
pub(super) fn new_ascii<'py>(py: Python<'py>, ascii: &[u8]) -> PyResult<Bound<'py, PyString>> {
    if let [] | [_] = ascii {
        return one_or_none(py, ascii.first().copied().map(u32::from));
    }
    let (text, start) = blank(py, ascii.len(), Kind::Ascii)?;
    // SAFETY: there is room for as many bytes, and nobody else knows the str yet.
    put(unsafe { room(start, ascii.len()) }, ascii);
    Ok(text)
}

/// A new str of `length` characters and of `kind`, which must be the narrowest for what `fill` writes.
#[inline(always)] // a short call is not to wait for results that go through memory
pub(super) fn new_str<F: Fill>(
    py: Python<'_>,
    length: usize,
    kind: Kind,
    fill: F,
) -> PyResult<Bound<'_, PyString>> {
    if length <= 1 {
        return shared(py, length, fill);
    }
    let (text, start) = blank(py, length, kind)?;
    let written = match kind {
        // SAFETY: there is room for `length` bytes, and nobody else knows the object yet.
        Kind::Ascii | Kind::Latin1 => fill.fill(unsafe { room::<u8>(start, length) }),
        // SAFETY: as above; there are two bytes for each, and they are aligned.
        Kind::Ucs2 => fill.fill(unsafe { room::<u16>(start, length) }),
        // SAFETY: as above, with four bytes.
        Kind::Ucs4 => fill.fill(unsafe { room::<u32>(start, length) }),
    };
    match written {
        Ok(written) if written == length => Ok(text),
        Ok(written) => Err(incomplete(written, length)),
        Err(failure) => Err(failure.into()),
    }
}

/// A new str with room for `length` characters, and where that starts.
#[inline(always)]
fn blank(py: Python<'_>, length: usize, kind: Kind) -> PyResult<(Bound<'_, PyString>, *mut u8)> {
    let size = isize::try_from(length).map_err(|_| PyMemoryError::new_err(()))?;
    // SAFETY: the thread is attached; `size` is not negative, and the largest code point is one.
    let object = unsafe { ffi::PyUnicode_New(size, kind.largest()) };
    let text = owned(py, object)?;
    let head = if kind == Kind::Ascii { ASCII_HEAD } else { COMPACT_HEAD };
    // SAFETY: the units of a new str stand behind its head.
    Ok((text, unsafe { object.cast::<u8>().add(head) }))
}

/// The text as an exact str: the same object, unless it is an instance of a subclass.
#[inline]
pub(super) fn exact<'py>(text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
    if let Ok(text) = text.cast_exact::<PyString>() {
        return Ok(text.clone());
    }
    // SAFETY: `text` is a live str, and the thread is attached.
    owned(text.py(), unsafe { ffi::PyUnicode_FromObject(text.as_ptr()) })
}

/// A str of at most one character, which are often shared.
#[inline(never)]
fn shared<F: Fill>(py: Python<'_>, length: usize, fill: F) -> PyResult<Bound<'_, PyString>> {
    let mut only = [0u32];
    let written = fill.fill(unfilled(&mut only[..length])).map_err(Into::into)?;
    if written != length {
        return Err(incomplete(written, length));
    }
    one_or_none(py, only[..length].first().copied())
}

/// The str of one character.
#[inline]
pub(super) fn character(py: Python<'_>, code_point: u32) -> PyResult<Bound<'_, PyString>> {
    one_or_none(py, Some(code_point))
}

/// The str without characters, or one of a single character: CPython shares those below U+0100.
fn one_or_none(py: Python<'_>, only: Option<u32>) -> PyResult<Bound<'_, PyString>> {
    match only {
        // SAFETY: the thread is attached.
        None => owned(py, unsafe { ffi::PyUnicode_New(0, 0) }),
        // SAFETY: as above; what is no code point is refused.
        Some(code_point) => owned(py, unsafe { ffi::PyUnicode_FromOrdinal(code_point.cast_signed()) }),
    }
}

/// What a function gave that returns a new str, or null with an exception set.
#[inline]
fn owned(py: Python<'_>, object: *mut ffi::PyObject) -> PyResult<Bound<'_, PyString>> {
    // SAFETY: `object` is a new reference, or null.
    let text = unsafe { Bound::from_owned_ptr_or_err(py, object)? };
    // SAFETY: its type is str.
    Ok(unsafe { text.cast_into_unchecked() })
}

/// The room for `length` units at `start`.
///
/// # Safety
/// There is such room, aligned, for as long as the slice is used, and nothing else points there.
#[inline(always)]
unsafe fn room<'a, U>(start: *mut u8, length: usize) -> &'a mut [MaybeUninit<U>] {
    memory::expect_much(start, length * size_of::<U>());
    // SAFETY: the caller promises this.
    unsafe { slice::from_raw_parts_mut(start.cast(), length) }
}

/// All `pieces` as one str.
pub(super) fn join<'py>(py: Python<'py>, pieces: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyString>> {
    let nothing = PyString::new(py, "");
    // SAFETY: both are live objects, and the thread is attached.
    let text = owned(py, unsafe { ffi::PyUnicode_Join(nothing.as_ptr(), pieces.as_ptr()) })?;
    // A lone piece comes back as it is, and need not be the one that CPython shares.
    match Units::of(&text)? {
        Units::Ascii(&[unit]) | Units::Latin1(&[unit]) => one_or_none(py, Some(unit.into())),
        _ => Ok(text),
    }
}

/// Whether the units of a str that is not compact are ASCII. Instances of subclasses are not: their units are not behind
/// their head.
#[cold]
fn is_ascii_elsewhere(units: &[u8]) -> bool {
    crate::is_ascii(units)
}
