//! Variants of UTF-8: validation, decoding and encoding.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction, PyString};

use leadbyte::bindings::encodings::{UTF8_BYTES, surrogates};
use leadbyte::bindings::kernels::{CodeUnit, Encoded, Source};
use leadbyte::bindings::sequence::{CHUNK_BYTES, cut, head};
use leadbyte::bindings::simd::{Implementation, MaybeUninit, try_append};
use leadbyte::bindings::variants::{CESU8, MUTF8, Variant, VariantSurvey, WTF8, encode_wtf8, wtf8_length};

use super::arguments::text_argument;
use super::buffer::{Buffer, copied_bytes, detached, new_bytes, searched, snapshot, supervised};
use super::decode::{MAX_SHORT_BYTES, RunEnd, decode_by_calls, short_text_of, text_of};
use super::encode::{Target, Utf8Target, encode_by_calls, encode_short_units, encode_steps, length};
use super::handlers::{Calls, Codec, Handler, Name, registered};
use super::interpreter::guarded;
use super::string::{Fill, Kind, Units, new_str};
use super::work_error::memory_error;

/// The functions of this file that Python can call.
pub(super) fn exported<'py>(module: &Bound<'py, PyModule>) -> PyResult<Vec<Bound<'py, PyCFunction>>> {
    Ok(vec![
        wrap_pyfunction!(_decode_variant, module)?,
        wrap_pyfunction!(_decode_variant_prefix, module)?,
        wrap_pyfunction!(_encode_variant, module)?,
        wrap_pyfunction!(_is_valid_variant, module)?,
    ])
}

/// Returns the variant of this name.
fn named(name: &str) -> PyResult<Variant> {
    let known = [CESU8, MUTF8, WTF8].into_iter().find(|variant| variant.name == name);
    known.ok_or_else(|| PyValueError::new_err(format!("no variant of UTF-8: {name:?}")))
}

/// Return whether data is valid in a variant of UTF-8.
#[pyfunction]
#[pyo3(signature = (variant, data, /))]
pub(super) fn _is_valid_variant(variant: &str, data: &Bound<'_, PyAny>) -> PyResult<bool> {
    guarded(|| {
        let variant = named(variant)?;
        let buffer = Buffer::of(data)?;
        let bytes = buffer.as_slice();
        supervised(data.py(), bytes.len(), |progress| {
            variant.is_valid(Implementation::active(), bytes, progress)
        })
    })
}

/// Return the text of data in a variant of UTF-8.
#[pyfunction]
#[pyo3(signature = (variant, data, errors = None, /))]
pub(super) fn _decode_variant<'py>(
    variant: &str,
    data: &Bound<'py, PyAny>,
    errors: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyString>> {
    guarded(|| Ok(decode(named(variant)?, data, errors, true)?.0))
}

/// Return the text of data in a variant of UTF-8, and the number of bytes decoded. Unless they are the last, an
/// incomplete character at their end is left.
#[pyfunction]
#[pyo3(signature = (variant, data, errors = None, last = false, /))]
pub(super) fn _decode_variant_prefix<'py>(
    variant: &str,
    data: &Bound<'py, PyAny>,
    errors: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = PyAnyMethods::is_truthy)] last: bool,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| decode(named(variant)?, data, errors, last)?.into_bound_py_any(data.py()))
}

/// Return text in a variant of UTF-8.
#[pyfunction]
#[pyo3(signature = (variant, text, errors = None, /))]
pub(super) fn _encode_variant<'py>(
    variant: &str,
    text: &Bound<'py, PyAny>,
    errors: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    guarded(|| {
        let text = text_argument(text, "encode", "1")?;
        let name = Name::of(errors, "encode")?;
        let variant = named(variant)?;
        match Units::of(text)? {
            Units::Ascii(units) if variant.has_all_ascii(units) => copied_bytes(text.py(), units),
            Units::Ascii(units) | Units::Latin1(units) => encode_units(variant, text, units, name.as_ref()),
            Units::Ucs2(units) => encode_units(variant, text, units, name.as_ref()),
            Units::Ucs4(units) => encode_units(variant, text, units, name.as_ref()),
        }
    })
}

fn decode<'py>(
    variant: Variant,
    data: &Bound<'py, PyAny>,
    errors: Option<&Bound<'py, PyAny>>,
    last: bool,
) -> PyResult<(Bound<'py, PyString>, usize)> {
    let py = data.py();
    if let Ok(bytes) = data.cast_exact::<PyBytes>()
        && errors.is_none_or(PyAnyMethods::is_instance_of::<PyString>)
        && let Some(text) = decode_short(variant, bytes)
    {
        return Ok((text, bytes.as_bytes().len()));
    }
    let name = Name::of(errors, "decode")?;
    let bytes = snapshot(data)?;
    if let (Some(text), RunEnd::End(end)) = decode_run(py, variant, bytes.as_bytes(), 0, last)? {
        return Ok((text, end));
    }
    let (variant, handler) = match Codec::Variant.find(py, name.as_ref())? {
        Handler::BuiltIn(_) => (variant.with_surrogates(), registered(py, c"surrogatepass")?),
        Handler::Registered(handler) => (variant, handler),
    };
    let calls = Calls::of(handler, variant.name);
    decode_by_calls(&bytes, calls, |data, at| decode_run(py, variant, data, at, last))
}

/// Returns the text of short data if it is plain UTF-8.
#[inline]
fn decode_short<'py>(variant: Variant, bytes: &Bound<'py, PyBytes>) -> Option<Bound<'py, PyString>> {
    let data = bytes.as_bytes();
    if data.len() > MAX_SHORT_BYTES {
        return None;
    }
    let measure = variant.measure_plain(Implementation::active(), data)?;
    short_text_of(bytes.py(), data, &measure).ok()
}

/// Returns the text at the start of `data[at..]`, which must not change, and what ends it. Unless the data is the
/// `last`, an incomplete character at its end is left.
fn decode_run<'py>(
    py: Python<'py>,
    variant: Variant,
    data: &[u8],
    at: usize,
    last: bool,
) -> PyResult<(Option<Bound<'py, PyString>>, RunEnd)> {
    let complete = if last { data.len() } else { data.len() - variant.incomplete_suffix(data) };
    let survey = searched(py, data.len() - at, |progress| {
        variant.survey(Implementation::active(), data, at, complete, progress)
    })?;
    let VariantSurvey { measure, plain, end, error } = survey;
    let run = &data[at..end];
    let text = if plain {
        text_of(py, run, &measure)?
    } else {
        let kind = Kind::of_largest(measure.largest);
        let join = variant.joins() && kind == Kind::Ucs4;
        new_str(py, measure.chars, kind, ValidVariantData { py, variant, data: run, join })?
    };
    Ok((Some(text), error.map_or(RunEnd::End(end), |error| RunEnd::Error(error.into()))))
}

/// Valid data.
struct ValidVariantData<'py, 'a> {
    py: Python<'py>,
    variant: Variant,
    data: &'a [u8],
    /// Whether surrogate pairs become one character.
    join: bool,
}

// SAFETY: decoders write as many units as they return.
unsafe impl Fill for ValidVariantData<'_, '_> {
    type Failure = PyErr;

    fn fill<U: CodeUnit>(self, out: &mut [MaybeUninit<U>]) -> PyResult<usize> {
        let Self { py, variant, data, join } = self;
        supervised(py, data.len(), |progress| {
            variant.fill(Implementation::active(), data, join, out, progress)
        })
    }
}

impl Target for Variant {
    fn length<U: Source>(self, implementation: Implementation, units: &[U]) -> usize {
        self.length(implementation, units)
    }

    fn encode<U: Source>(
        self,
        implementation: Implementation,
        units: &[U],
        out: &mut [MaybeUninit<u8>],
    ) -> Encoded {
        self.encode(implementation, units, out)
    }
}

/// The most units that are examined first, to encode them as plain UTF-8.
const MAX_SHORT_UNITS: usize = 8 << 10;

fn encode_units<'py, U: Source>(
    variant: Variant,
    text: &Bound<'py, PyString>,
    units: &[U],
    name: Option<&Name>,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = text.py();
    if units.len() <= MAX_SHORT_UNITS
        && variant.has_all(Implementation::active(), units)
        && let Some(bytes) = encode_short_units(text, units)
    {
        return Ok(bytes);
    }
    let length = length(py, units, variant)?;
    let mut scalar = true;
    let fill = |out: &mut [MaybeUninit<u8>]| {
        detached(py, size_of_val(units), |poller| {
            // Without characters beyond U+FFFF the text is usually plain UTF-8, which the length shows.
            let mut encoded = Encoded { written: 0, scalar };
            if !(variant.joins() && size_of::<U>() == 4) {
                encoded = encode_steps(units, Utf8Target, out, poller)?;
            }
            if encoded.written < length {
                encoded = encode_steps(units, variant, out, poller)?;
            }
            scalar = encoded.scalar;
            Ok(encoded.written)
        })
    };
    // SAFETY: encoders write as many bytes as they return.
    let passed = unsafe { new_bytes(py, length, fill) }?;
    if scalar {
        return Ok(passed);
    }
    if variant.has_surrogates() {
        return if variant.joins() { Ok(passed) } else { with_pairs_joined(&passed) };
    }
    match Codec::Variant.find(py, name)? {
        Handler::BuiltIn(_) => Ok(passed),
        Handler::Registered(handler) => {
            encode_by_calls(text, units, Calls::of(handler, variant.name), None, variant)
        }
    }
}

/// Returns the WTF-8 of generalized UTF-8 in which surrogate pairs are two code points.
#[cold]
fn with_pairs_joined<'py>(passed: &Bound<'py, PyBytes>) -> PyResult<Bound<'py, PyBytes>> {
    let (py, data) = (passed.py(), passed.as_bytes());
    let implementation = Implementation::active();
    let mut units = vec![];
    let length = detached(py, data.len(), |poller| {
        let mut length = 0;
        for step in steps_between_pairs(data) {
            decode_utf16(step, &mut units)?;
            length += wtf8_length(implementation, &units);
            poller.advance(step.len())?;
        }
        Ok(length)
    })?;
    let fill = |out: &mut [MaybeUninit<u8>]| {
        detached(py, data.len(), |poller| {
            let mut written = 0;
            for step in steps_between_pairs(data) {
                decode_utf16(step, &mut units)?;
                written += encode_wtf8(implementation, &units, &mut out[written..]);
                poller.advance(step.len())?;
            }
            Ok(written)
        })
    };
    // SAFETY: encoders write as many bytes as they return.
    unsafe { new_bytes(py, length, fill) }
}

/// Divides generalized UTF-8 into steps of which only the last ends with a high surrogate.
fn steps_between_pairs(data: &[u8]) -> impl Iterator<Item = &[u8]> {
    cut(data, |rest| {
        let step = head(rest, CHUNK_BYTES);
        let end = if surrogates::ends_with_high(step) && rest.len() > CHUNK_BYTES { UTF8_BYTES } else { 0 };
        &step[..step.len() - end]
    })
}

/// Decodes generalized UTF-8 to UTF-16 code units.
fn decode_utf16(data: &[u8], units: &mut Vec<u16>) -> PyResult<()> {
    units.clear();
    let implementation = Implementation::active();
    try_append(units, leadbyte::count_utf16(data), |out| Some(implementation.fill(data, out)))
        .map_err(memory_error)?;
    Ok(())
}
