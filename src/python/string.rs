//! How CPython stores a str: the one place that knows.
//!
//! The characters stand behind the object's head, in the narrowest of three kinds that holds all of them: one,
//! two or four bytes each (PEP 393). Pure ASCII has a shorter head. A str whose kind is not the narrowest
//! compares unequal to its like, so a kind is chosen before anything is written.

use std::slice;

use pyo3::exceptions::{PyImportError, PyMemoryError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::buffer::{copy, detached, incomplete};
use super::memory;
use crate::allocation::Grow;
use crate::boundary::CHUNK_BYTES;
use crate::kernels::decode::Unit;
use crate::kernels::encode::Source;
use crate::simd::uninit::{MaybeUninit, unfilled};
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

/// Checks that new strs are stored as this file has it, by writing characters through CPython and looking where they
/// are. Raises ImportError if they are elsewhere, as in a version of CPython that stores them in another way.
pub(super) fn check_layout(py: Python<'_>) -> PyResult<()> {
    for kind in [Kind::Ascii, Kind::Latin1, Kind::Ucs2, Kind::Ucs4] {
        if !is_stored_as_expected(py, kind)? {
            let message =
                "leadbyte does not know how this version of Python stores a str; install a newer leadbyte";
            return Err(PyImportError::new_err(message));
        }
    }
    Ok(())
}

fn is_stored_as_expected(py: Python<'_>, kind: Kind) -> PyResult<bool> {
    /// Half of them are compared, which lie within the object even if its head is of another size.
    const LENGTH: usize = 64;
    let (text, start) = blank(py, LENGTH, kind)?;
    for index in 0..LENGTH.cast_signed() {
        // SAFETY: `text` is a live str that nobody else knows yet; CPython checks the index and the character.
        if unsafe { ffi::PyUnicode_WriteChar(text.as_ptr(), index, kind.largest()) } != 0 {
            return Err(PyErr::fetch(py));
        }
    }
    // SAFETY: `text` is a live str, and ready.
    let data = unsafe { ffi::PyUnicode_DATA(text.as_ptr()) };
    let expected: Vec<u8> = match kind {
        Kind::Ascii | Kind::Latin1 => vec![kind.largest() as u8; LENGTH / 2],
        Kind::Ucs2 => (kind.largest() as u16).to_ne_bytes().repeat(LENGTH / 2),
        Kind::Ucs4 => kind.largest().to_ne_bytes().repeat(LENGTH / 2),
    };
    // SAFETY: `data` is at the start of the characters, or off by the difference of two heads; either way as many
    // bytes as these are within the object, and all of it was written by now.
    let stored = unsafe { slice::from_raw_parts(data.cast::<u8>(), expected.len()) };
    Ok(data.cast::<u8>() == start && stored == expected && Units::of(&text)?.kind() == kind)
}

impl Units<'_> {
    fn kind(&self) -> Kind {
        match self {
            Self::Ascii(_) => Kind::Ascii,
            Self::Latin1(_) => Kind::Latin1,
            Self::Ucs2(_) => Kind::Ucs2,
            Self::Ucs4(_) => Kind::Ucs4,
        }
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
///
/// # Safety
/// [`fill`](Self::fill) writes as many units as it returns, from the start on.
pub(super) unsafe trait Fill {
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
    copy(py, ascii, unsafe { room(start, ascii.len()) })?;
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
    memory::advise_huge_pages(start, length * size_of::<U>());
    // SAFETY: the caller promises this.
    unsafe { slice::from_raw_parts_mut(start.cast(), length) }
}

/// A str that is made of pieces, of which each may be of another kind.
pub(super) struct Builder {
    kind: Kind,
    units: Storage,
}

/// Characters in units of a width that they fit in.
enum Storage {
    Narrow(Vec<u8>),
    Ucs2(Vec<u16>),
    Ucs4(Vec<u32>),
}

impl Builder {
    pub(super) fn new() -> Self {
        Self { kind: Kind::Ascii, units: Storage::Narrow(vec![]) }
    }

    pub(super) fn push(&mut self, text: &Bound<'_, PyString>) -> PyResult<()> {
        let py = text.py();
        let piece = Units::of(text)?;
        self.kind = self.kind.max(piece.kind());
        self.units.widen(py, self.kind)?;
        match (&mut self.units, piece) {
            (Storage::Narrow(all), Units::Ascii(units) | Units::Latin1(units)) => extend(py, all, units),
            (Storage::Ucs2(all), Units::Ascii(units) | Units::Latin1(units)) => extend(py, all, units),
            (Storage::Ucs2(all), Units::Ucs2(units)) => extend(py, all, units),
            (Storage::Ucs4(all), Units::Ascii(units) | Units::Latin1(units)) => extend(py, all, units),
            (Storage::Ucs4(all), Units::Ucs2(units)) => extend(py, all, units),
            (Storage::Ucs4(all), Units::Ucs4(units)) => extend(py, all, units),
            (Storage::Narrow(_) | Storage::Ucs2(_), _) => Err(incomplete(0, text.len()?)),
        }
    }

    pub(super) fn finish(self, py: Python<'_>) -> PyResult<Bound<'_, PyString>> {
        let Self { kind, units } = self;
        match (kind, &units) {
            (Kind::Ascii, Storage::Narrow(ascii)) => new_ascii(py, ascii),
            (_, Storage::Narrow(units)) => new_str(py, units.len(), kind, Copied { py, units }),
            (_, Storage::Ucs2(units)) => new_str(py, units.len(), kind, Copied { py, units }),
            (_, Storage::Ucs4(units)) => new_str(py, units.len(), kind, Copied { py, units }),
        }
    }
}

impl Storage {
    /// Makes the units wide enough for a kind.
    fn widen(&mut self, py: Python<'_>, kind: Kind) -> PyResult<()> {
        *self = match (&*self, kind) {
            (Self::Narrow(units), Kind::Ucs2) => Self::Ucs2(widened(py, units)?),
            (Self::Narrow(units), Kind::Ucs4) => Self::Ucs4(widened(py, units)?),
            (Self::Ucs2(units), Kind::Ucs4) => Self::Ucs4(widened(py, units)?),
            _ => return Ok(()),
        };
        Ok(())
    }
}

fn widened<U: Copy + Sync, W: From<U> + Send>(py: Python<'_>, units: &[U]) -> PyResult<Vec<W>> {
    let mut wide = vec![];
    extend(py, &mut wide, units)?;
    Ok(wide)
}

/// Appends units to wider ones, or to some of the same width.
fn extend<U: Copy + Sync, W: From<U> + Send>(py: Python<'_>, all: &mut Vec<W>, units: &[U]) -> PyResult<()> {
    all.grow(units.len())?;
    detached(py, size_of_val(units), |poller| {
        for step in units.chunks(CHUNK_BYTES) {
            all.extend(step.iter().map(|&unit| W::from(unit)));
            poller.advance(size_of_val(step))?;
        }
        Ok(())
    })
}

/// Units that are written as they are, into a str of the kind that they need.
struct Copied<'py, 'a, S> {
    py: Python<'py>,
    units: &'a [S],
}

// SAFETY: each unit that is counted was written.
unsafe impl<S: Source> Fill for Copied<'_, '_, S> {
    type Failure = PyErr;

    fn fill<U: Unit>(self, out: &mut [MaybeUninit<U>]) -> PyResult<usize> {
        detached(self.py, size_of_val(self.units), |poller| {
            let mut written = 0;
            for step in self.units.chunks(CHUNK_BYTES) {
                for (place, unit) in out[written..].iter_mut().zip(step) {
                    place.write(U::of(unit.value()).0);
                    written += 1;
                }
                poller.advance(size_of_val(step))?;
            }
            Ok(written)
        })
    }
}

/// Whether the units of a str that is not compact are ASCII. Instances of subclasses are not: their units are not behind
/// their head.
#[cold]
fn is_ascii_elsewhere(units: &[u8]) -> bool {
    crate::is_ascii(units)
}
