//! Truncation of a str, in its own storage, and of bytes-like objects.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction, PyList, PyString};

use leadbyte::bindings::allocation::{AllocError, Grow, sum};
use leadbyte::bindings::cut::{Limit, LimitUnit, Measurable, Removed, Side, StrUnit, StrUnits, Utf8Text};
use leadbyte::bindings::kernels::{CodeUnit, Lane, Source};
use leadbyte::bindings::progress::unobserved;
use leadbyte::bindings::sequence::CHUNK_BYTES;
use leadbyte::bindings::simd::{Implementation, MaybeUninit};

use super::arguments::{Optional, choice_argument, number_argument, text_argument};
use super::buffer::{Buffer, copied_bytes, copy, detached, new_bytes, supervised};
use super::encode::utf8_argument;
use super::encode::{encode, encode_short};
use super::interpreter::guarded;
use super::list::each;
use super::string::{Fill, Kind, Units, exact, new_str, write_units};
use super::work_error::{WorkError, memory_error};

/// The functions of this file that Python can call.
pub(super) fn exported<'py>(module: &Bound<'py, PyModule>) -> PyResult<Vec<Bound<'py, PyCFunction>>> {
    Ok(vec![wrap_pyfunction!(truncate, module)?, wrap_pyfunction!(truncate_many, module)?])
}

const UNITS: [(&str, LimitUnit); 4] = [
    ("byte", LimitUnit::Byte),
    ("char", LimitUnit::Char),
    ("utf16", LimitUnit::Utf16),
    ("grapheme", LimitUnit::Grapheme),
];
const SIDES: [(&str, Side); 3] = [("end", Side::End), ("start", Side::Start), ("middle", Side::Middle)];
/// Whether clusters stay whole.
const BOUNDARIES: [(&str, bool); 2] = [("char", false), ("grapheme", true)];

/// Return the text with at most limit units: the same object if it is not longer, else a str or bytes, whichever was
/// given, without its end, and with the ellipsis there, which counts.
///
/// No character is cut. Nothing is read beyond the limit, and nothing that is removed: a long text takes no longer than
/// a short one, unless its end is to be kept ('start', 'middle') and is in a run of marks, flags or the like, whose
/// clusters are found from the start of the run.
///
/// text_or_data: a str, or any bytes-like object, which need not be UTF-8.
/// limit: the maximum length; raises ValueError if it is negative.
/// unit: what the limit counts. 'byte': bytes of UTF-8, of which a lone surrogate in a str takes three; 'char':
/// characters, in bytes-like objects the lead bytes, as count_chars counts them; 'utf16': UTF-16 code units, as
/// count_utf16 does; 'grapheme': extended grapheme clusters (UAX 29), as count_graphemes does.
/// boundary: 'grapheme' keeps clusters whole, whatever the unit. If not even one fits, none is left.
/// ellipsis: a str; raises ValueError if it is longer than the limit.
/// side: which side is removed, 'end', 'start' or 'middle'. Around the middle the first part gets half of the limit
/// beside the ellipsis, rounded up, and the last part the rest.
///
/// In bytes that are not UTF-8, a limit in bytes falls on floor_boundary or ceil_boundary, and each error counts in
/// clusters as U+FFFD does: as count_graphemes(repair(data)).
///
/// An instance of a subclass, and any bytes-like object but bytes, is copied.
///
/// >>> leadbyte.truncate('na\xefve', 3, unit='byte')  # \xef takes two bytes
/// 'na'
/// >>> leadbyte.truncate('leadbyte', 6, unit='char', ellipsis='...', side='middle')
/// 'le...e'
/// >>> leadbyte.truncate('ou\u0308', 2, unit='char', boundary='grapheme')
/// 'o'
/// >>> leadbyte.truncate('leadbyte', 2, unit='char', ellipsis='...')
/// Traceback (most recent call last):
/// ValueError: ellipsis must not be longer than the limit of 2, but its length is 3
#[pyfunction]
#[pyo3(
    signature = (
        text_or_data, limit, /, *, unit,
        boundary = Optional(None), ellipsis = Optional(None), side = Optional(None)
    ),
    text_signature = "(text_or_data, limit, /, *, unit, boundary='char', ellipsis='', side='end')"
)]
pub(super) fn truncate<'py>(
    text_or_data: &Bound<'py, PyAny>,
    limit: &Bound<'py, PyAny>,
    unit: &Bound<'py, PyAny>,
    boundary: Optional<'py>,
    ellipsis: Optional<'py>,
    side: Optional<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| Truncation::of("truncate", limit, unit, boundary, ellipsis, side)?.apply(text_or_data))
}

/// Truncate each str or bytes-like object of an iterable: a list of truncate(item, limit, ...), in one call. None stays
/// None.
///
/// The arguments are the same as for truncate. Raises what truncate raises, for the first item that cannot be
/// truncated; from Python 3.11 on a note names the item. A str or bytes by itself is a TypeError.
///
/// >>> leadbyte.truncate_many(['one', None, b'three'], 3, unit='byte')
/// ['one', None, b'thr']
/// >>> leadbyte.truncate_many('three', 3, unit='byte')
/// Traceback (most recent call last):
/// TypeError: truncate_many() argument 1 must be an iterable of str or bytes-like objects, not str
#[pyfunction]
#[pyo3(
    signature = (
        items, limit, /, *, unit,
        boundary = Optional(None), ellipsis = Optional(None), side = Optional(None)
    ),
    text_signature = "(items, limit, /, *, unit, boundary='char', ellipsis='', side='end')"
)]
pub(super) fn truncate_many<'py>(
    items: &Bound<'py, PyAny>,
    limit: &Bound<'py, PyAny>,
    unit: &Bound<'py, PyAny>,
    boundary: Optional<'py>,
    ellipsis: Optional<'py>,
    side: Optional<'py>,
) -> PyResult<Bound<'py, PyList>> {
    guarded(|| {
        let truncation = Truncation::of("truncate_many", limit, unit, boundary, ellipsis, side)?;
        each(items, "truncate_many", "truncating", "str or bytes-like objects", |item| truncation.apply(item))
    })
}

/// What both functions do to each text.
struct Truncation<'py> {
    limit: Limit,
    ellipsis: Option<Ellipsis<'py>>,
}

/// A truncation of UTF-8, without Python objects.
pub(super) struct Utf8Truncation {
    pub limit: Limit,
    pub ellipsis: String,
}

impl Utf8Truncation {
    /// Extracts the arguments of `truncate`. Raises UnicodeEncodeError for an ellipsis with surrogates.
    pub(super) fn of<'py>(
        limit: &Bound<'py, PyAny>,
        unit: &Bound<'py, PyAny>,
        boundary: Optional<'py>,
        ellipsis: Optional<'py>,
        side: Optional<'py>,
    ) -> PyResult<Self> {
        let Truncation { limit, ellipsis } =
            Truncation::of("truncate", limit, unit, boundary, ellipsis, side)?;
        let ellipsis = ellipsis.map(|ellipsis| utf8_argument(&ellipsis.text)).transpose()?;
        Ok(Self { limit, ellipsis: ellipsis.unwrap_or_default() })
    }

    /// Returns the truncation with arguments of these names; `None` if one is unknown, or the ellipsis too long.
    pub(super) fn named(
        limit: usize,
        unit: &str,
        boundary: &str,
        side: &str,
        ellipsis: &str,
    ) -> Option<Self> {
        fn choice<T: Copy>(name: &str, choices: &[(&str, T)]) -> Option<T> {
            choices.iter().find(|&&(known, _)| known == name).map(|&(_, value)| value)
        }
        let (unit, side) = (choice(unit, &UNITS)?, choice(side, &SIDES)?);
        let text = Utf8Text(ellipsis.as_bytes());
        let reserved = text.length_in(Implementation::active(), unit, &mut unobserved).ok()?;
        let limit = limit_of(limit, reserved, unit, choice(boundary, &BOUNDARIES)?, side)?;
        Some(Self { limit, ellipsis: ellipsis.to_owned() })
    }
}

/// Returns a limit that includes an ellipsis of the length `reserved`; `None` if that is longer.
fn limit_of(
    limit: usize,
    reserved: usize,
    unit: LimitUnit,
    whole_graphemes: bool,
    side: Side,
) -> Option<Limit> {
    Some(Limit {
        kept: limit.checked_sub(reserved)?,
        reserved,
        unit,
        side,
        // Clusters of clusters are whole anyway.
        whole_graphemes: whole_graphemes && unit != LimitUnit::Grapheme,
    })
}

/// An ellipsis in the forms in which it is written.
struct Ellipsis<'py> {
    text: Bound<'py, PyString>,
    code_points: Vec<u32>,
    /// Its UTF-8, unless it has surrogates.
    utf8: Option<Bound<'py, PyBytes>>,
}

impl<'py> Truncation<'py> {
    fn of(
        function: &str,
        limit: &Bound<'py, PyAny>,
        unit: &Bound<'py, PyAny>,
        boundary: Optional<'py>,
        ellipsis: Optional<'py>,
        side: Optional<'py>,
    ) -> PyResult<Self> {
        let limit = number_argument(limit, "limit", 0)?;
        let unit = choice_argument(unit, function, "unit", &UNITS)?;
        let boundary = boundary.0.map(|name| choice_argument(&name, function, "boundary", &BOUNDARIES));
        let side = side.0.map(|name| choice_argument(&name, function, "side", &SIDES));
        let (whole_graphemes, side) = (boundary.transpose()?, side.transpose()?);
        let ellipsis = ellipsis.0.map(|text| Ellipsis::of(&text, function)).transpose()?;
        let reserved = match &ellipsis {
            Some(ellipsis) => {
                let units = StrUnits(ellipsis.code_points.as_slice());
                units.length_in(Implementation::active(), unit, &mut unobserved).map_err(WorkError::from)?
            }
            None => 0,
        };
        let whole_graphemes = whole_graphemes.unwrap_or_default();
        let Some(limit) = limit_of(limit, reserved, unit, whole_graphemes, side.unwrap_or_default()) else {
            return Err(PyValueError::new_err(format!(
                "ellipsis must not be longer than the limit of {limit}, but its length is {reserved}"
            )));
        };
        Ok(Self { limit, ellipsis: ellipsis.filter(|ellipsis| !ellipsis.code_points.is_empty()) })
    }

    #[inline]
    fn apply(&self, text_or_data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        match text_or_data.cast::<PyString>() {
            Ok(text) => Ok(self.apply_to_str(text)?.into_any()),
            Err(_) => Ok(self.apply_to_bytes(text_or_data)?.into_any()),
        }
    }

    fn apply_to_str(&self, text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
        match Units::of(text)? {
            Units::Ascii(units) if self.limit.unit != LimitUnit::Grapheme => {
                // All units are the same, and a length in characters is known.
                self.apply_to_units(text, units, &Limit { unit: LimitUnit::Char, ..self.limit })
            }
            Units::Ascii(units) | Units::Latin1(units) => self.apply_to_units(text, units, &self.limit),
            Units::Ucs2(units) => self.apply_to_units(text, units, &self.limit),
            Units::Ucs4(units) => self.apply_to_units(text, units, &self.limit),
        }
    }

    #[inline]
    fn apply_to_units<U: StrUnit>(
        &self,
        text: &Bound<'py, PyString>,
        units: &[U],
        limit: &Limit,
    ) -> PyResult<Bound<'py, PyString>> {
        let removed = supervised(text.py(), size_of_val(units), |progress| {
            limit.removed(Implementation::active(), StrUnits(units), &mut |units| {
                progress(units * size_of::<U>())
            })
        })?;
        let Some(Removed { start, end }) = removed else { return exact(text) };
        let ellipsis = self.ellipsis.as_ref().map_or(&[] as &[_], |ellipsis| &ellipsis.code_points);
        joined(text.py(), &units[..start], ellipsis, &units[end..])
    }

    fn apply_to_bytes(&self, data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let py = data.py();
        let buffer = Buffer::of(data)?;
        let bytes = buffer.as_slice();
        let limit = self.limit;
        let removed = supervised(py, bytes.len(), |progress| {
            limit.removed(Implementation::active(), Utf8Text(bytes), progress)
        })?;
        let Some(Removed { start, end }) = removed else {
            return data.cast_exact().map_or_else(|_| copied_bytes(py, bytes), |data| Ok(data.clone()));
        };
        let ellipsis = match &self.ellipsis {
            Some(Ellipsis { utf8: Some(utf8), .. }) => Some(utf8.clone()),
            // Raises what encoding it raises.
            Some(Ellipsis { text, .. }) => Some(encode(text, None)?),
            None => None,
        };
        let parts = [&bytes[..start], ellipsis.as_ref().map_or(&[], |utf8| utf8.as_bytes()), &bytes[end..]];
        let length = sum(sum(parts[0].len(), parts[1].len()).map_err(memory_error)?, parts[2].len())
            .map_err(memory_error)?;
        let fill = |out: &mut [MaybeUninit<u8>]| {
            let mut written = 0;
            for part in parts {
                written += copy(py, part, &mut out[written..])?;
            }
            Ok(written)
        };
        // SAFETY: `copy` writes as many bytes as it returns.
        unsafe { new_bytes(py, length, fill) }
    }
}

impl<'py> Ellipsis<'py> {
    fn of(ellipsis: &Bound<'py, PyAny>, function: &str) -> PyResult<Self> {
        let text = text_argument(ellipsis, function, "'ellipsis'")?;
        let code_points = match Units::of(text)? {
            Units::Ascii(units) | Units::Latin1(units) => code_points(units),
            Units::Ucs2(units) => code_points(units),
            Units::Ucs4(units) => code_points(units),
        }
        .map_err(memory_error)?;
        Ok(Self { text: text.clone(), code_points, utf8: encode_short(ellipsis) })
    }
}

fn code_points<U: Source>(units: &[U]) -> Result<Vec<u32>, AllocError> {
    let mut code_points = vec![];
    code_points.grow(units.len())?;
    code_points.extend(units.iter().map(|unit| unit.value()));
    Ok(code_points)
}

/// Returns the str of three parts.
#[inline]
fn joined<'py, S: Source>(
    py: Python<'py>,
    first: &[S],
    second: &[u32],
    third: &[S],
) -> PyResult<Bound<'py, PyString>> {
    let length =
        sum(sum(first.len(), second.len()).map_err(memory_error)?, third.len()).map_err(memory_error)?;
    let bits = bits(py, first)? | bits(py, second)? | bits(py, third)?;
    new_str(py, length, Kind::of_bits(bits), Joined { py, first, second, third })
}

/// Returns the bitwise or of all code points.
#[inline]
fn bits<S: Source>(py: Python<'_>, units: &[S]) -> PyResult<u32> {
    detached(py, size_of_val(units), |poller| {
        let mut all = S::Lane::default();
        for chunk in units.chunks(CHUNK_BYTES) {
            all = chunk.iter().fold(all, |all, unit| all.or(unit.lane()));
            poller.advance(size_of_val(chunk))?;
        }
        Ok(all.value())
    })
}

/// Parts of a str.
struct Joined<'a, 'py, S> {
    py: Python<'py>,
    first: &'a [S],
    second: &'a [u32],
    third: &'a [S],
}

// SAFETY: `write_units` writes as many units as it returns.
unsafe impl<S: Source> Fill for Joined<'_, '_, S> {
    type Failure = PyErr;

    fn fill<U: CodeUnit>(self, out: &mut [MaybeUninit<U>]) -> PyResult<usize> {
        let mut written = write_units(self.py, self.first, out)?;
        written += write_units(self.py, self.second, &mut out[written..])?;
        written += write_units(self.py, self.third, &mut out[written..])?;
        Ok(written)
    }
}
