//! Normalization forms, case folding, grapheme clusters, and canonical equivalence: on the storage of a str, and on
//! UTF-8.

use std::convert::Infallible;
use std::ffi::CStr;

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction, PyList, PyString, PyTuple};

use leadbyte::bindings::kernels::{CodeUnit, Source};
use leadbyte::bindings::progress::unobserved;
use leadbyte::bindings::simd::{Implementation, MaybeUninit};
use leadbyte::bindings::unicode::{
    FoldedSize, Form, Ignore, Needle, NormalizedSize, clusters, count_in_text, count_in_units, folding,
    is_normalized_text, is_normalized_units, normalize_text, rewrite, unchanged_bits, write,
};

use super::arguments::{Optional, text_argument};
use super::buffer::{SignalPoller, copied_bytes, new_bytes, snapshot, supervised};
use super::decode::decode;
use super::functions::{offset_argument, valid_text};
use super::interpreter::guarded;
use super::list::{Int, tuple_of};
use super::string::{Fill, Kind, Units, character, exact, new_str};
use super::work_error::WorkError;

/// The functions of this file that Python can call.
pub(super) fn exported<'py>(module: &Bound<'py, PyModule>) -> PyResult<Vec<Bound<'py, PyCFunction>>> {
    Ok(vec![
        wrap_pyfunction!(search, module)?,
        wrap_pyfunction!(graphemes, module)?,
        wrap_pyfunction!(is_equivalent, module)?,
    ])
}

pub(super) const NORMALIZE_DOC: &CStr = c"normalize(form, text_or_data, /)
--

Return the text in a normalization form (UAX 15), as a str or bytes, whichever was given; the same object if nothing
changes, unless it is an instance of a subclass.

form: 'NFC', 'NFD', 'NFKC' or 'NFKD', as in unicodedata.normalize; raises ValueError for another. text_or_data: a str,
in which lone surrogates stay as they are, or a bytes-like object that is UTF-8; raises UnicodeDecodeError if it is
not. The version of Unicode is leadbyte.unidata_version.

>>> leadbyte.normalize('NFC', 'u\\u0308') == '\\xfc'
True
>>> leadbyte.normalize('NFX', 'u')
Traceback (most recent call last):
ValueError: invalid normalization form
";

pub(super) const IS_NORMALIZED_DOC: &CStr = c"is_normalized(form, text_or_data, /)
--

Return whether the text is in a normalization form: whether normalize(form, text_or_data) == text_or_data.

The arguments and exceptions are the same as for normalize.

>>> leadbyte.is_normalized('NFC', '\\xfc'), leadbyte.is_normalized('NFD', '\\xfc')
(True, False)
";

pub(super) const CASEFOLD_DOC: &CStr = c"casefold(text_or_data, /)
--

Return the text with full case folding, for caseless comparison, as a str or bytes, whichever was given; the same
object if nothing changes, unless it is an instance of a subclass.

text_or_data: a str, in which lone surrogates stay as they are, or a bytes-like object that is UTF-8; raises
UnicodeDecodeError if it is not. The result is the same as of str.casefold, by the characters of Unicode
leadbyte.unidata_version (CaseFolding.txt, status C and F). Equivalent texts may have different foldings: normalize
them, or use search with ignore_case=True.

>>> leadbyte.casefold('Stra\\xdfe'), leadbyte.casefold('\\xc4'.encode()).decode()
('strasse', '\\xe4')
>>> leadbyte.casefold(b'\\xff')
Traceback (most recent call last):
UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte
";

pub(super) const COUNT_GRAPHEMES_DOC: &CStr = c"count_graphemes(text_or_data, /)
--

Return the number of extended grapheme clusters (UAX 29), the characters as readers perceive them.

text_or_data: a str, or a bytes-like object that is UTF-8; raises UnicodeDecodeError if it is not. A lone surrogate
counts as a character.

>>> leadbyte.count_graphemes('u\\u0308\\r\\n')
2
>>> len('u\\u0308\\r\\n')
4
";

/// The text of an argument: a str, or bytes that are UTF-8.
enum TextArgument<'a, 'py> {
    Str(&'a Bound<'py, PyString>),
    Utf8(Bound<'py, PyBytes>),
}

impl<'a, 'py> TextArgument<'a, 'py> {
    /// Takes a str as it is; bytes-like objects other than bytes are copied, as they may change.
    fn of(argument: &'a Bound<'py, PyAny>) -> PyResult<Self> {
        match argument.cast::<PyString>() {
            Ok(text) => Ok(Self::Str(text)),
            Err(_) => snapshot(argument).map(Self::Utf8),
        }
    }
}

/// Evaluates `$work` with the `$units` of a str of any kind.
macro_rules! with_units {
    ($units:ident of $text:expr => $work:expr) => {
        match Units::of($text)? {
            Units::Ascii($units) | Units::Latin1($units) => $work,
            Units::Ucs2($units) => $work,
            Units::Ucs4($units) => $work,
        }
    };
}

/// Returns the form that an argument names; raises ValueError for an unknown name.
pub(super) fn form_argument(form: &Bound<'_, PyAny>, function: &str, argument: &str) -> PyResult<Form> {
    let named = match Units::of(text_argument(form, function, argument)?)? {
        Units::Ascii(name) => str::from_utf8(name).ok().and_then(Form::from_name),
        _ => None,
    };
    named.ok_or_else(|| PyValueError::new_err("invalid normalization form"))
}

/// Returns whether a str is in a form by its kind alone: ASCII is in all forms, Latin-1 in NFC.
fn is_trivially_normalized(form: Form, units: &Units<'_>) -> bool {
    match units {
        Units::Ascii(_) => true,
        Units::Latin1(_) => form == Form::Nfc,
        Units::Ucs2(_) | Units::Ucs4(_) => false,
    }
}

pub(super) fn normalize<'py>(
    form: &Bound<'py, PyAny>,
    text_or_data: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    normalized(form_argument(form, "normalize", "1")?, text_or_data)
}

fn normalized<'py>(form: Form, text_or_data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = text_or_data.py();
    match TextArgument::of(text_or_data)? {
        TextArgument::Str(text) => {
            let changed = match Units::of(text)? {
                units if is_trivially_normalized(form, &units) => None,
                Units::Ascii(units) | Units::Latin1(units) => changed(py, form, units, Kind::Latin1)?,
                Units::Ucs2(units) => changed(py, form, units, Kind::Ucs2)?,
                Units::Ucs4(units) => changed(py, form, units, Kind::Ucs4)?,
            };
            Ok(changed.map_or_else(|| exact(text), Ok)?.into_any())
        }
        TextArgument::Utf8(data) => {
            let text = valid_text(&data)?;
            let normalized = supervised(py, text.len(), |progress| {
                normalize_text(Implementation::active(), form, text, progress)
            })?;
            Ok(match normalized {
                Some(normalized) => copied_bytes(py, &normalized)?,
                None => data,
            }
            .into_any())
        }
    }
}

/// The maximum number of units that are normalized into a buffer and copied, rather than measured first.
const MAX_BUFFERED_UNITS: usize = 512;

/// Returns the `units` of a str of this kind in a form; `None` if they are in it.
fn changed<'py, U: Source>(
    py: Python<'py>,
    form: Form,
    units: &[U],
    kind: Kind,
) -> PyResult<Option<Bound<'py, PyString>>> {
    let by = Implementation::active();
    if units.len() <= MAX_BUFFERED_UNITS {
        let mut normalized = vec![];
        let changes = rewrite(by, form, units, &mut normalized, &mut unobserved).map_err(WorkError::from)?;
        return changes.then(|| narrowest(py, &normalized)).transpose();
    }
    let limit = kind.largest_of_narrower();
    let change =
        supervised(py, size_of_val(units), |progress| NormalizedSize::of(by, form, units, limit, progress))?;
    let Some(change) = change else { return Ok(None) };
    let stays = match change {
        NormalizedSize { loses: false, .. } => kind,
        NormalizedSize { bits, .. } if bits > limit => kind,
        _ => Kind::of_bits(supervised(py, size_of_val(units), |progress| {
            unchanged_bits(by, form, units, limit, progress)
        })?),
    };
    let kind = Kind::of_bits(change.bits).max(stays);
    new_str(py, change.length, kind, Normalized { py, form, units }).map(Some)
}

/// Units to be written in a form.
struct Normalized<'a, 'py, U> {
    py: Python<'py>,
    form: Form,
    units: &'a [U],
}

// SAFETY: `write` writes as many units as it returns.
unsafe impl<S: Source> Fill for Normalized<'_, '_, S> {
    type Failure = PyErr;

    fn fill<U: CodeUnit>(self, out: &mut [MaybeUninit<U>]) -> PyResult<usize> {
        supervised(self.py, size_of_val(self.units), |progress| {
            write(Implementation::active(), self.form, self.units, out, progress)
        })
    }
}

/// Returns the str of these code points.
#[inline]
fn narrowest<'py, U: Source>(py: Python<'py>, units: &[U]) -> PyResult<Bound<'py, PyString>> {
    if let [only] = units {
        return character(py, only.value());
    }
    let bits = units.iter().fold(0, |bits, unit| bits | unit.value());
    new_str(py, units.len(), Kind::of_bits(bits), Narrowed(units))
}

/// Code points that fit into units of the kind of the str.
struct Narrowed<'a, U>(&'a [U]);

// SAFETY: `out` has one slot for each unit, as `narrowest` passes their number.
unsafe impl<S: Source> Fill for Narrowed<'_, S> {
    type Failure = Infallible;

    fn fill<U: CodeUnit>(self, out: &mut [MaybeUninit<U>]) -> Result<usize, Infallible> {
        for (slot, unit) in out.iter_mut().zip(self.0) {
            slot.write(U::of(unit.value()).0);
        }
        Ok(self.0.len())
    }
}

pub(super) fn is_normalized(form: &Bound<'_, PyAny>, text_or_data: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = text_or_data.py();
    let by = Implementation::active();
    let form = form_argument(form, "is_normalized", "1")?;
    match TextArgument::of(text_or_data)? {
        TextArgument::Str(text) if is_trivially_normalized(form, &Units::of(text)?) => Ok(true),
        TextArgument::Str(text) => {
            with_units!(units of text => supervised(py, size_of_val(units), |progress| { is_normalized_units(by, form, units, progress) }))
        }
        TextArgument::Utf8(data) => {
            let text = valid_text(&data)?;
            supervised(py, text.len(), |progress| is_normalized_text(by, form, text, progress))
        }
    }
}

pub(super) fn casefold<'py>(text_or_data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = text_or_data.py();
    let by = Implementation::active();
    match TextArgument::of(text_or_data)? {
        TextArgument::Str(text) => {
            let folded = with_units!(units of text => folded(py, units)?);
            Ok(folded.map_or_else(|| exact(text), Ok)?.into_any())
        }
        TextArgument::Utf8(data) => {
            let text = valid_text(&data)?;
            if by.is_ascii(text.as_bytes()) {
                return Ok(folded_ascii(py, text.as_bytes())?.unwrap_or(data).into_any());
            }
            let folded = supervised(py, text.len(), |progress| folding::fold_text(by, text, progress))?;
            Ok(match folded {
                Some(folded) => copied_bytes(py, &folded)?,
                None => data,
            }
            .into_any())
        }
    }
}

/// Returns the folding of the `units` of a str; `None` if it changes nothing.
fn folded<'py, U: Source>(py: Python<'py>, units: &[U]) -> PyResult<Option<Bound<'py, PyString>>> {
    let size = folded_size(py, units)?;
    size.map(|size| new_str(py, size.length, Kind::of_bits(size.bits), CaseFolded { py, units })).transpose()
}

/// Returns the folding of ASCII; `None` if it changes nothing.
fn folded_ascii<'py>(py: Python<'py>, ascii: &[u8]) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let size = folded_size(py, ascii)?;
    // SAFETY: `fill` writes as many bytes as it returns.
    size.map(|size| unsafe { new_bytes(py, size.length, |out| CaseFolded { py, units: ascii }.fill(out)) })
        .transpose()
}

fn folded_size<U: Source>(py: Python<'_>, units: &[U]) -> PyResult<Option<FoldedSize>> {
    supervised(py, size_of_val(units), |progress| FoldedSize::of(Implementation::active(), units, progress))
}

/// Units to be written with full case folding.
struct CaseFolded<'a, 'py, U> {
    py: Python<'py>,
    units: &'a [U],
}

// SAFETY: `write` writes as many units as it returns.
unsafe impl<S: Source> Fill for CaseFolded<'_, '_, S> {
    type Failure = PyErr;

    fn fill<U: CodeUnit>(self, out: &mut [MaybeUninit<U>]) -> PyResult<usize> {
        supervised(self.py, size_of_val(self.units), |progress| {
            folding::write(Implementation::active(), self.units, out, progress)
        })
    }
}

pub(super) fn count_graphemes(text_or_data: &Bound<'_, PyAny>) -> PyResult<usize> {
    let py = text_or_data.py();
    let by = Implementation::active();
    match TextArgument::of(text_or_data)? {
        TextArgument::Str(text) => {
            with_units!(units of text => supervised(py, size_of_val(units), |progress| { count_in_units(by, units, progress) }))
        }
        TextArgument::Utf8(data) => {
            let text = valid_text(&data)?;
            supervised(py, text.len(), |progress| count_in_text(by, text, progress))
        }
    }
}

/// Return a list of the extended grapheme clusters (UAX 29), each a str, or bytes for bytes. Joined they are the text.
///
/// The argument and exceptions are the same as for count_graphemes.
///
/// >>> leadbyte.graphemes('fu\u0308r') == ['f', 'u\u0308', 'r']
/// True
/// >>> leadbyte.graphemes(b'r\r\n')
/// [b'r', b'\r\n']
#[pyfunction]
#[pyo3(signature = (text_or_data, /))]
pub(super) fn graphemes<'py>(text_or_data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    guarded(|| {
        let py = text_or_data.py();
        let by = Implementation::active();
        let found = PyList::empty(py);
        let mut poller = SignalPoller::default();
        match TextArgument::of(text_or_data)? {
            TextArgument::Str(text) => {
                with_units!(units of text => clusters::each_in_units(by, units, |cluster| {
                    poller.advance(OBJECT_COST_BYTES)?;
                    found.append(narrowest(py, &units[cluster])?)
                }))?
            }
            TextArgument::Utf8(data) => clusters::each_in_text(by, valid_text(&data)?, |cluster| {
                poller.advance(OBJECT_COST_BYTES)?;
                found.append(copied_bytes(py, cluster.as_bytes())?).map_err(WorkError::from)
            })?,
        }
        Ok(found)
    })
}

/// The number of bytes whose processing takes about as long as a new object.
const OBJECT_COST_BYTES: usize = 256;

/// Return whether two texts are equal in a normalization form; a str may be compared to bytes.
///
/// a, b: each a str, or a bytes-like object that is UTF-8; raises UnicodeDecodeError if it is not. form: 'NFC' or 'NFD'
/// for canonical equivalence, 'NFKC' or 'NFKD' for compatibility equivalence, which also ignores ligatures, width and
/// the like; raises ValueError for another.
///
/// >>> leadbyte.is_equivalent('\xfc', 'u\u0308'), '\xfc' == 'u\u0308'
/// (True, False)
#[pyfunction]
#[pyo3(signature = (a, b, /, form = Optional(None)), text_signature = "(a, b, /, form='NFC')")]
pub(super) fn is_equivalent(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    form: Optional<'_>,
) -> PyResult<bool> {
    guarded(|| {
        let form = form.0.map_or(Ok(Form::Nfc), |form| form_argument(&form, "is_equivalent", "'form'"))?;
        let (a, b) = (text_in(form, a)?, text_in(form, b)?);
        Ok(Units::of(&a)? == Units::of(&b)?)
    })
}

/// Returns a text in a form, as str.
fn text_in<'py>(form: Form, text_or_data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    match normalized(form, text_or_data)?.cast_into() {
        Ok(text) => Ok(text),
        Err(data) => decode(&data.into_inner(), None),
    }
}

/// Return the span (start, end) of the first occurrence of needle in text_or_data, up to canonical equivalence, or
/// None.
///
/// text_or_data, needle: each a str, or a bytes-like object that is UTF-8; raises UnicodeDecodeError if it is not.
/// Offsets count characters of a str, and bytes of bytes-like objects. start: where an occurrence starts at the
/// earliest; raises IndexError if it is out of range. The time is linear in both lengths. An occurrence consists of
/// whole characters: 'u' does not occur in '\xfc', composed or not, nor a Hangul syllable in one with another final
/// consonant; a needle that begins with a mark, or with a vowel sign or jamo that may compose, occurs only at the start
/// of a text.
///
/// ignore_case: find canonical caseless matches (the Unicode Standard, D145), also of whole characters only, so that
/// 'ss' matches '\xdf', and 's' does not. ignore_marks: ignore characters with a combining class
/// (unicodedata.combining) on both sides after decomposition; then 'u' does occur.
///
/// >>> leadbyte.search('f\xfcr', 'u\u0308'), leadbyte.search('fu\u0308r', '\xfc')
/// ((1, 2), (1, 3))
/// >>> leadbyte.search('fu\u0308r', 'u'), leadbyte.search('fu\u0308r', 'u', ignore_marks=True)
/// (None, (1, 3))
/// >>> leadbyte.search('Stra\xdfe', 'ASSE', ignore_case=True)
/// (3, 6)
/// >>> leadbyte.search('ab ab', 'ab', 1)
/// (3, 5)
#[pyfunction]
#[pyo3(
    signature = (text_or_data, needle, /, start = Optional(None), *, ignore_case = false, ignore_marks = false),
    text_signature = "(text_or_data, needle, /, start=0, *, ignore_case=False, ignore_marks=False)"
)]
pub(super) fn search<'py>(
    text_or_data: &Bound<'py, PyAny>,
    needle: &Bound<'_, PyAny>,
    start: Optional<'_>,
    ignore_case: bool,
    ignore_marks: bool,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    guarded(|| {
        let py = text_or_data.py();
        let by = Implementation::active();
        let ignore = Ignore { case: ignore_case, marks: ignore_marks };
        let needle = match TextArgument::of(needle)? {
            TextArgument::Str(needle) => {
                with_units!(units of needle => supervised(py, size_of_val(units), |progress| {
                    Needle::of_units(by, units, ignore, progress)
                }))?
            }
            TextArgument::Utf8(needle) => {
                let text = valid_text(&needle)?;
                supervised(py, text.len(), |progress| Needle::of_text(by, text, ignore, progress))?
            }
        };
        let first = |length, whole| {
            start.0.as_ref().map_or(Ok(0), |start| offset_argument("start", start, length, whole))
        };
        let found = match TextArgument::of(text_or_data)? {
            TextArgument::Str(text) => with_units!(units of text => {
                let first = first(units.len(), "text")?;
                supervised(py, size_of_val(units), |progress| {
                    needle.find_in_units(by, units, first, progress)
                })
            }),
            TextArgument::Utf8(data) => {
                let text = valid_text(&data)?;
                let first = first(text.len(), "data")?;
                supervised(py, text.len(), |progress| needle.find_in_text(by, text, first, progress))
            }
        };
        let integer = |offset: usize| Int(offset as u64).into_bound_py_any(py);
        found?.map(|span| tuple_of(py, [integer(span.start)?, integer(span.end)?])).transpose()
    })
}
