//! How CPython stores a str: no other file depends on it.
//!
//! The characters follow the object's header, in the narrowest of three kinds that can hold all of them: one, two or
//! four bytes each (PEP 393). Pure ASCII has a shorter header. A str whose kind is not the narrowest compares unequal
//! to the same text in the narrowest, so a kind is chosen before anything is written.
//!
//! The header of any other str also points to its UTF-8, once something has asked CPython for it. That is read where it
//! is, but nothing here makes CPython keep it: it takes memory for as long as the str lives.

use std::ffi::c_char;
use std::slice;
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::exceptions::{PyImportError, PyMemoryError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;

use leadbyte::bindings::allocation::Grow;
use leadbyte::bindings::kernels::{CodeUnit, Source};
use leadbyte::bindings::sequence::CHUNK_BYTES;
use leadbyte::bindings::simd::{MaybeUninit, huge_pages, unfilled};

use super::buffer::{copy, detached, incomplete};
use super::work_error::memory_error;

/// The size in bytes of the header of a compact str of ASCII.
const ASCII_HEADER_BYTES: usize = size_of::<ffi::PyASCIIObject>();
/// The size in bytes of the header of other compact strs.
const COMPACT_HEADER_BYTES: usize = size_of::<ffi::PyCompactUnicodeObject>();

/// The characters of a str, as they are stored: two are equal if and only if all characters are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Units<'a> {
    /// All characters are below U+0080.
    Ascii(&'a [u8]),
    Latin1(&'a [u8]),
    Ucs2(&'a [u16]),
    Ucs4(&'a [u32]),
}

impl<'a> Units<'a> {
    /// Borrows the characters of a str.
    #[inline(always)] // so that the results of a short call stay in registers
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
                let header = data.addr().wrapping_sub(object.addr());
                let ascii = header == ASCII_HEADER_BYTES
                    || (header != COMPACT_HEADER_BYTES && is_ascii_elsewhere(units));
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

/// The UTF-8 of a str, if it is in memory, else the characters, as they are stored.
#[derive(Clone, Copy)]
pub(super) enum Utf8OrUnits<'a> {
    /// The characters themselves if all are ASCII, else the form that CPython keeps.
    Utf8(&'a [u8]),
    Latin1(&'a [u8]),
    Ucs2(&'a [u16]),
    Ucs4(&'a [u32]),
}

impl<'a> Utf8OrUnits<'a> {
    /// Borrows the UTF-8 or the characters of a str.
    #[inline(always)] // so that the results of a short call stay in registers
    pub(super) fn of(text: &'a Bound<'_, PyString>) -> PyResult<Self> {
        let units = Units::of(text)?;
        if let Units::Ascii(ascii) = units {
            return Ok(Self::Utf8(ascii));
        }
        // SAFETY: the str is ready, and not compact ASCII.
        Ok(match (unsafe { kept_utf8(text) }, units) {
            (Some(utf8), _) | (None, Units::Ascii(utf8)) => Self::Utf8(utf8),
            (None, Units::Latin1(units)) => Self::Latin1(units),
            (None, Units::Ucs2(units)) => Self::Ucs2(units),
            (None, Units::Ucs4(units)) => Self::Ucs4(units),
        })
    }
}

/// Borrows the UTF-8 that CPython keeps of a str, if it does.
///
/// # Safety
/// The str is ready. It is not compact ASCII, whose header is shorter.
#[inline(always)]
unsafe fn kept_utf8<'a>(text: &'a Bound<'_, PyString>) -> Option<&'a [u8]> {
    let header = text.as_ptr().cast::<ffi::PyCompactUnicodeObject>();
    // SAFETY: the caller promises that the object starts with this header.
    let field = unsafe { &raw mut (*header).utf8 };
    // SAFETY: the field is aligned, and lives as long as the object. Another thread may set it meanwhile, but only
    // without the GIL, and then by an atomic operation.
    let utf8: &AtomicPtr<c_char> = unsafe { AtomicPtr::from_ptr(field) };
    let start = utf8.load(Ordering::Acquire);
    if start.is_null() {
        return None;
    }
    // SAFETY: as above. Without the GIL, CPython writes the length before the pointer, which was acquired; with it, the
    // other thread has written both.
    let length = unsafe { (*header).utf8_length };
    // SAFETY: there are `length` bytes at `start`, which neither change nor move while the str lives.
    Some(unsafe { slice::from_raw_parts(start.cast(), length.cast_unsigned()) })
}

/// Checks that new strs are stored as this file assumes, by writing characters through CPython and comparing memory.
///
/// Raises ImportError if they are not, as in a version of CPython with another layout.
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
    /// The length in characters. Half of them are compared, which are within the object even if its header has another
    /// size.
    const LENGTH: usize = 64;
    let (text, start) = blank(py, LENGTH, kind)?;
    for index in 0..LENGTH.cast_signed() {
        // SAFETY: `text` is a live str without other references; CPython checks the index and the character.
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
    // SAFETY: `data` is the start of the characters, or off by the difference of two headers; either way
    // `expected.len()` bytes from there are within the object and initialised.
    let stored = unsafe { slice::from_raw_parts(data.cast::<u8>(), expected.len()) };
    let expected = data.cast::<u8>() == start && stored == expected && Units::of(&text)?.kind() == kind;
    Ok(expected && (kind == Kind::Ascii || is_utf8_kept_as_expected(&text)?))
}

/// Returns whether the UTF-8 of a new str that is not ASCII is found if and only if CPython keeps it.
fn is_utf8_kept_as_expected(text: &Bound<'_, PyString>) -> PyResult<bool> {
    // SAFETY: the str is ready, and its characters do not follow the shorter header of compact ASCII.
    let early = unsafe { kept_utf8(text) }.is_some();
    let mut length = 0;
    // SAFETY: `text` is a live str, and `length` can be written to.
    let start = unsafe { ffi::PyUnicode_AsUTF8AndSize(text.as_ptr(), &raw mut length) };
    if start.is_null() {
        return Err(PyErr::fetch(text.py()));
    }
    // SAFETY: as above.
    let kept = unsafe { kept_utf8(text) };
    Ok(!early
        && kept.is_some_and(|utf8| (utf8.as_ptr(), utf8.len()) == (start.cast(), length.cast_unsigned())))
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
    /// Returns the narrowest kind for a code point.
    pub(super) fn of(code_point: u32) -> Self {
        match code_point {
            0x00..=0x7F => Self::Ascii,
            0x80..=0xFF => Self::Latin1,
            0x100..=0xFFFF => Self::Ucs2,
            _ => Self::Ucs4,
        }
    }

    /// Returns the narrowest kind for code points whose bitwise or is `bits`: a kind holds all numbers of some width.
    pub(super) fn of_bits(bits: u32) -> Self {
        Self::of(bits.min(u32::from(char::MAX)))
    }

    /// Returns the largest code point of the next narrower kind; 0 if there is none.
    pub(super) fn largest_of_narrower(self) -> u32 {
        match self {
            Self::Ascii => 0,
            Self::Latin1 => Self::Ascii.largest(),
            Self::Ucs2 => Self::Latin1.largest(),
            Self::Ucs4 => Self::Ucs2.largest(),
        }
    }

    /// Returns the narrowest kind for a text whose largest byte from 80 on is `largest`, or that has none.
    #[inline]
    pub(super) fn of_largest(largest: u8) -> Self {
        match largest {
            0x00..=0x7F => Self::Ascii,
            0x80..=0xC3 => Self::Latin1,
            0xC4..=0xEF => Self::Ucs2,
            0xF0..=0xFF => Self::Ucs4,
        }
    }

    /// Returns the largest byte that a text of this kind may have.
    pub(super) fn largest_byte(self) -> u8 {
        match self {
            Self::Ascii => 0x7F,
            Self::Latin1 => 0xC3,
            Self::Ucs2 => 0xEF,
            Self::Ucs4 => 0xFF,
        }
    }

    /// Returns the number of bytes of a unit.
    fn unit_bytes(self) -> usize {
        match self {
            Self::Ascii | Self::Latin1 => 1,
            Self::Ucs2 => 2,
            Self::Ucs4 => 4,
        }
    }

    /// Returns the largest code point of the kind.
    fn largest(self) -> ffi::Py_UCS4 {
        match self {
            Self::Ascii => 0x7F,
            Self::Latin1 => 0xFF,
            Self::Ucs2 => 0xFFFF,
            Self::Ucs4 => 0x10_FFFF,
        }
    }
}

/// A source of the units of a new str.
///
/// # Safety
/// [`fill`](Self::fill) writes as many units as it returns, from the start on.
pub(super) unsafe trait Fill {
    /// The error that may interrupt it.
    type Failure: Into<PyErr>;

    /// Writes units that fit the kind of the str to the start of `out`. Returns their number.
    fn fill<U: CodeUnit>(self, out: &mut [MaybeUninit<U>]) -> Result<usize, Self::Failure>;
}

/// A text that becomes a str. Raises MemoryError where PyO3's own conversion would panic.
pub(super) struct Text<T>(pub T);

impl<'py, T: AsRef<str>> IntoPyObject<'py> for Text<T> {
    type Target = PyString;
    type Output = Bound<'py, PyString>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        PyString::from_bytes(py, self.0.as_ref().as_bytes())
    }
}

/// Returns a new str of ASCII characters.
#[inline(always)]
pub(super) fn new_ascii<'py>(py: Python<'py>, ascii: &[u8]) -> PyResult<Bound<'py, PyString>> {
    if let [] | [_] = ascii {
        return one_or_none(py, ascii.first().copied().map(u32::from));
    }
    let (text, start) = blank(py, ascii.len(), Kind::Ascii)?;
    // SAFETY: the str has that many bytes from `start` on, and no other reference to it exists yet.
    copy(py, ascii, unsafe { units_mut(start, ascii.len()) })?;
    Ok(text)
}

/// Returns a new str of `length` characters and of `kind`, which must be the narrowest for what `fill` writes: all.
///
/// Raises SystemError if `fill` writes fewer units, MemoryError if memory is exhausted.
#[inline(always)] // so that the results of a short call stay in registers
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
    // SAFETY: the str has `length` units from `start` on, and no other reference to it exists yet.
    let written = unsafe { fill_units(start, length, kind, fill) };
    match written {
        Ok(written) if written == length => Ok(text),
        Ok(written) => Err(incomplete(written, length)),
        Err(failure) => Err(failure.into()),
    }
}

/// Writes to a str of `kind` that has `length` units from `start` on.
///
/// # Safety
/// The str has as many, and no other reference to it exists.
#[inline(always)]
unsafe fn fill_units<F: Fill>(
    start: *mut u8,
    length: usize,
    kind: Kind,
    fill: F,
) -> Result<usize, F::Failure> {
    match kind {
        // SAFETY: the caller promises `length` bytes.
        Kind::Ascii | Kind::Latin1 => fill.fill(unsafe { units_mut::<u8>(start, length) }),
        // SAFETY: as above; there are two bytes for each, and they are aligned.
        Kind::Ucs2 => fill.fill(unsafe { units_mut::<u16>(start, length) }),
        // SAFETY: as above, with four bytes.
        Kind::Ucs4 => fill.fill(unsafe { units_mut::<u32>(start, length) }),
    }
}

/// Returns a new, uninitialised str of `length` characters, and the address of the first.
#[inline(always)]
fn blank(py: Python<'_>, length: usize, kind: Kind) -> PyResult<(Bound<'_, PyString>, *mut u8)> {
    let size = isize::try_from(length).map_err(|_| PyMemoryError::new_err(()))?;
    // SAFETY: the thread is attached; `size` is not negative, and the largest code point is one.
    let object = unsafe { ffi::PyUnicode_New(size, kind.largest()) };
    let text = owned(py, object)?;
    let header = if kind == Kind::Ascii { ASCII_HEADER_BYTES } else { COMPACT_HEADER_BYTES };
    // SAFETY: the units of a new str follow its header within the object.
    Ok((text, unsafe { object.cast::<u8>().add(header) }))
}

/// A str that is written before its length and its kind are known.
pub(super) struct Unfinished<'py> {
    text: Bound<'py, PyString>,
    /// The address of the first character.
    start: *mut u8,
    /// The narrowest kind for the characters written.
    kind: Kind,
    capacity: usize,
    /// The number of characters written.
    length: usize,
}

impl<'py> Unfinished<'py> {
    /// Returns an empty text with space for `capacity` characters of a kind: at least two, as CPython shares shorter
    /// ones.
    pub(super) fn new(py: Python<'py>, capacity: usize, kind: Kind) -> PyResult<Self> {
        let (text, start) = blank(py, capacity, kind)?;
        Ok(Self { text, start, kind, capacity, length: 0 })
    }

    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    /// Appends what `fill` writes, which is to fit the kind, and not only a narrower one.
    pub(super) fn append<F: Fill>(&mut self, fill: F) -> PyResult<()> {
        let start = self.start.wrapping_add(self.length * self.kind.unit_bytes());
        let space = self.capacity - self.length;
        // SAFETY: the str has `capacity` units, and no other reference to it exists yet.
        let written = unsafe { fill_units(start, space, self.kind, fill) };
        self.length += written.map_err(Into::into)?.min(space);
        Ok(())
    }

    /// Returns the units that were written.
    ///
    /// # Safety
    /// They are the units of the kind.
    unsafe fn written<U>(&self) -> &[U] {
        // SAFETY: as many were written, and the caller promises their size.
        unsafe { slice::from_raw_parts(self.start.cast(), self.length) }
    }

    /// Returns the same text in a wider kind.
    pub(super) fn widened(self, kind: Kind) -> PyResult<Self> {
        let py = self.text.py();
        let mut wide = Self::new(py, self.capacity, kind)?;
        match self.kind {
            Kind::Ascii | Kind::Latin1 => {
                // SAFETY: a unit has one byte.
                let units = unsafe { self.written::<u8>() };
                wide.append(Copied { py, units })?;
            }
            Kind::Ucs2 => {
                // SAFETY: a unit has two bytes.
                let units = unsafe { self.written::<u16>() };
                wide.append(Copied { py, units })?;
            }
            Kind::Ucs4 => {
                // SAFETY: a unit has four bytes.
                let units = unsafe { self.written::<u32>() };
                wide.append(Copied { py, units })?;
            }
        }
        Ok(wide)
    }

    /// Returns the text, of at least two characters.
    ///
    /// Raises MemoryError if memory is exhausted.
    pub(super) fn finish(self) -> PyResult<Bound<'py, PyString>> {
        let py = self.text.py();
        let mut object = self.text.into_ptr();
        // SAFETY: `object` is a new str, to which no other reference exists, and the length is not negative. CPython
        // leaves a reference there even if it fails.
        let status = unsafe { ffi::PyUnicode_Resize(&raw mut object, self.length.cast_signed()) };
        let text = owned(py, object)?;
        if status == 0 { Ok(text) } else { Err(PyErr::fetch(py)) }
    }
}

/// Returns the text as an exact str: the same object, unless it is an instance of a subclass.
#[inline]
pub(super) fn exact<'py>(text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
    if let Ok(text) = text.cast_exact::<PyString>() {
        return Ok(text.clone());
    }
    // SAFETY: `text` is a live str, and the thread is attached.
    owned(text.py(), unsafe { ffi::PyUnicode_FromObject(text.as_ptr()) })
}

/// Returns a str of at most one character, which CPython often shares.
#[inline(never)]
fn shared<F: Fill>(py: Python<'_>, length: usize, fill: F) -> PyResult<Bound<'_, PyString>> {
    let mut only = [0u32];
    let written = fill.fill(unfilled(&mut only[..length])).map_err(Into::into)?;
    if written != length {
        return Err(incomplete(written, length));
    }
    one_or_none(py, only[..length].first().copied())
}

/// Returns the str of one character.
#[inline]
pub(super) fn character(py: Python<'_>, code_point: u32) -> PyResult<Bound<'_, PyString>> {
    one_or_none(py, Some(code_point))
}

/// Returns the empty str, or the str of a single character: CPython shares those below U+0100.
fn one_or_none(py: Python<'_>, only: Option<u32>) -> PyResult<Bound<'_, PyString>> {
    match only {
        // SAFETY: the thread is attached.
        None => owned(py, unsafe { ffi::PyUnicode_New(0, 0) }),
        // SAFETY: as above; CPython refuses numbers that are not code points.
        Some(code_point) => owned(py, unsafe { ffi::PyUnicode_FromOrdinal(code_point.cast_signed()) }),
    }
}

/// Takes what a function of the C API returned: a new reference to a str, or null with an exception set.
#[inline]
fn owned(py: Python<'_>, object: *mut ffi::PyObject) -> PyResult<Bound<'_, PyString>> {
    // SAFETY: `object` is a new reference, or null.
    let text = unsafe { Bound::from_owned_ptr_or_err(py, object)? };
    // SAFETY: its type is str.
    Ok(unsafe { text.cast_into_unchecked() })
}

/// Returns the uninitialised memory of `length` units at `start`.
///
/// # Safety
/// The memory is valid for writes of `length` units and aligned for as long as the slice is used, and nothing else
/// accesses it.
#[inline(always)]
unsafe fn units_mut<'a, U>(start: *mut u8, length: usize) -> &'a mut [MaybeUninit<U>] {
    huge_pages::advise(start, length * size_of::<U>());
    // SAFETY: the caller promises this.
    unsafe { slice::from_raw_parts_mut(start.cast(), length) }
}

/// Builds a str from parts, each of which may be of another kind.
pub(super) struct Builder {
    kind: Kind,
    units: Storage,
}

/// Characters in units of a width that all fit in.
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
    /// Widens the units to the units of a kind.
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

/// Appends units to units at least as wide.
fn extend<U: Copy + Sync, W: From<U> + Send>(py: Python<'_>, all: &mut Vec<W>, units: &[U]) -> PyResult<()> {
    all.grow(units.len()).map_err(memory_error)?;
    detached(py, size_of_val(units), |poller| {
        for chunk in units.chunks(CHUNK_BYTES) {
            all.extend(chunk.iter().map(|&unit| W::from(unit)));
            poller.advance(size_of_val(chunk))?;
        }
        Ok(())
    })
}

/// Returns a new str of code points up to U+FFFF.
pub(super) fn str_of_units<'py>(py: Python<'py>, units: &[u16]) -> PyResult<Bound<'py, PyString>> {
    let bits = units.iter().fold(0, |bits, unit| bits | unit);
    new_str(py, units.len(), Kind::of_bits(bits.into()), Copied { py, units })
}

/// Units that are copied into a str of the kind that they need.
struct Copied<'py, 'a, S> {
    py: Python<'py>,
    units: &'a [S],
}

// SAFETY: `write_units` writes as many units as it returns.
unsafe impl<S: Source> Fill for Copied<'_, '_, S> {
    type Failure = PyErr;

    fn fill<U: CodeUnit>(self, out: &mut [MaybeUninit<U>]) -> PyResult<usize> {
        write_units(self.py, self.units, out)
    }
}

/// Writes code points to the start of `out`, whose units they fit. Returns their number.
#[inline]
pub(super) fn write_units<S: Source, U: CodeUnit>(
    py: Python<'_>,
    units: &[S],
    out: &mut [MaybeUninit<U>],
) -> PyResult<usize> {
    detached(py, size_of_val(units), |poller| {
        let mut written = 0;
        for chunk in units.chunks(CHUNK_BYTES) {
            for (slot, unit) in out[written..].iter_mut().zip(chunk) {
                slot.write(U::of(unit.value()).0);
                written += 1;
            }
            poller.advance(size_of_val(chunk))?;
        }
        Ok(written)
    })
}

/// Returns whether the units of a str that is not compact are ASCII. Instances of subclasses are not compact: their
/// units do not follow their header.
#[cold]
fn is_ascii_elsewhere(units: &[u8]) -> bool {
    leadbyte::is_ascii(units)
}
