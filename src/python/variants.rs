//! The relatives of UTF-8: to str, from it, and whether bytes are one.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use super::arguments::text_argument;
use super::buffer::{Buffer, copied_bytes, detached, new_bytes, snapshot};
use super::decode::{SHORT, Stop, decode_by_calls, short_text_of, text_of};
use super::encode::{Target, Utf8, encode_by_calls, encode_short_units, encode_steps, length};
use super::handlers::{BuiltIn, Calls, Handler, Name, registered};
use super::interpreter::guarded;
use super::string::{Fill, Kind, Units, new_str};
use crate::Implementation;
use crate::boundary::{CHUNK_BYTES, cut, head};
use crate::kernels::decode::Unit;
use crate::kernels::encode::{Encoded, Source};
use crate::simd::uninit::{MaybeUninit, try_append};
use crate::variants::surrogates::{CESU8, MUTF8, Survey, Variant, WTF8, encode_wtf8, wtf8_length};

/// The variant of this name.
fn named(name: &str) -> PyResult<Variant> {
    let known = [CESU8, MUTF8, WTF8].into_iter().find(|variant| variant.name == name);
    known.ok_or_else(|| PyValueError::new_err(format!("no variant of UTF-8: {name:?}")))
}

/// Whether the bytes are of a variant of UTF-8.
#[pyfunction]
#[pyo3(signature = (variant, data, /))]
pub(super) fn _is_valid_variant(variant: &str, data: &Bound<'_, PyAny>) -> PyResult<bool> {
    guarded(|| {
        let variant = named(variant)?;
        let buffer = Buffer::of(data)?;
        let bytes = buffer.as_slice();
        detached(data.py(), bytes.len(), |poller| {
            variant.is_valid(Implementation::active(), bytes, |work| poller.advance(work))
        })
    })
}

/// The text that bytes of a variant of UTF-8 hold.
#[pyfunction]
#[pyo3(signature = (variant, data, errors = None, /))]
pub(super) fn _decode_variant<'py>(
    variant: &str,
    data: &Bound<'py, PyAny>,
    errors: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyString>> {
    guarded(|| Ok(decode(named(variant)?, data, errors, true)?.0))
}

/// The same, and how many bytes it stands for: unless they are the last, what is unfinished at their end is left.
#[pyfunction]
#[pyo3(signature = (variant, data, errors = None, last = false, /))]
pub(super) fn _decode_variant_prefix<'py>(
    variant: &str,
    data: &Bound<'py, PyAny>,
    errors: Option<&Bound<'py, PyAny>>,
    last: bool,
) -> PyResult<(Bound<'py, PyString>, usize)> {
    guarded(|| decode(named(variant)?, data, errors, last))
}

/// The text as bytes of a variant of UTF-8.
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

/// The handler that only the codecs of UTF know: here it works without being called.
#[derive(Clone, Copy)]
struct SurrogatePass;

impl BuiltIn for SurrogatePass {
    fn fixed(_: &[u8]) -> Option<Self> {
        None
    }

    fn looked_up(name: &[u8]) -> Option<(Self, &'static str)> {
        (name == b"surrogatepass").then_some((Self, "surrogatepass"))
    }
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
    if let (Some(text), Stop::End(end)) = decode_run(py, variant, bytes.as_bytes(), 0, last)? {
        return Ok((text, end));
    }
    let (variant, handler) = match SurrogatePass::find(py, name.as_ref())? {
        Handler::BuiltIn(_) => (variant.with_surrogates(), registered(py, c"surrogatepass")?),
        Handler::Registered(handler) => (variant, handler),
    };
    let calls = Calls::of(handler, variant.name);
    decode_by_calls(&bytes, calls, |data, at| decode_run(py, variant, data, at, last))
}

/// The text that a few bytes hold if they are UTF-8 and mean the same there.
#[inline]
fn decode_short<'py>(variant: Variant, bytes: &Bound<'py, PyBytes>) -> Option<Bound<'py, PyString>> {
    let data = bytes.as_bytes();
    if data.len() > SHORT {
        return None;
    }
    let measure = variant.measure_plain(Implementation::active(), data)?;
    short_text_of(bytes.py(), data, &measure).ok()
}

/// The text that `data[at..]` begin with, and what ends it; unless they are the `last`, what is unfinished at their
/// end is left. They must not change.
fn decode_run<'py>(
    py: Python<'py>,
    variant: Variant,
    data: &[u8],
    at: usize,
    last: bool,
) -> PyResult<(Option<Bound<'py, PyString>>, Stop)> {
    let finished = if last { data.len() } else { data.len() - variant.unfinished(data) };
    let survey = detached(py, data.len() - at, |poller| {
        variant.survey(Implementation::active(), data, at, finished, |work| poller.advance(work))
    })?;
    let Survey { measure, plain, end, error } = survey;
    let run = &data[at..end];
    let text = if plain {
        text_of(py, run, &measure)?
    } else {
        let kind = Kind::of_measured(&measure);
        let join = variant.joins() && kind == Kind::Ucs4;
        new_str(py, measure.chars, kind, Valid { py, variant, data: run, join })?
    };
    Ok((Some(text), error.map_or(Stop::End(end), |error| Stop::Error(error.into()))))
}

/// A text that is known to be valid.
struct Valid<'py, 'a> {
    py: Python<'py>,
    variant: Variant,
    data: &'a [u8],
    /// Whether pairs of surrogates are to be joined.
    join: bool,
}

// SAFETY: decoders write as many units as they return.
unsafe impl Fill for Valid<'_, '_> {
    type Failure = PyErr;

    fn fill<U: Unit>(self, out: &mut [MaybeUninit<U>]) -> PyResult<usize> {
        let Self { py, variant, data, join } = self;
        detached(py, data.len(), |poller| {
            variant.fill(Implementation::active(), data, join, out, |work| poller.advance(work))
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

/// So few units are looked through before they are encoded by a shorter way.
const FEW: usize = 8 << 10;

fn encode_units<'py, U: Source>(
    variant: Variant,
    text: &Bound<'py, PyString>,
    units: &[U],
    name: Option<&Name>,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = text.py();
    if units.len() <= FEW
        && variant.has_all(Implementation::active(), units)
        && let Some(bytes) = encode_short_units(text, units)
    {
        return Ok(bytes);
    }
    let length = length(py, units, variant)?;
    let mut scalar = true;
    let fill = |out: &mut [MaybeUninit<u8>]| {
        detached(py, size_of_val(units), |poller| {
            // Without characters beyond U+FFFF it usually is as in UTF-8, which shows in the length.
            let mut encoded = Encoded { written: 0, scalar };
            if !(variant.joins() && size_of::<U>() == 4) {
                encoded = encode_steps(units, Utf8, out, poller)?;
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
    match SurrogatePass::find(py, name)? {
        Handler::BuiltIn(_) => Ok(passed),
        Handler::Registered(handler) => {
            encode_by_calls(text, units, Calls::of(handler, variant.name), None, variant)
        }
    }
}

/// The WTF-8 of what was encoded like UTF-8, pairs of surrogates as two characters.
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

/// Generalized UTF-8 in steps, of which none ends with a high surrogate but the last.
fn steps_between_pairs(data: &[u8]) -> impl Iterator<Item = &[u8]> {
    cut(data, |rest| match head(rest, CHUNK_BYTES) {
        [step @ .., 0xED, 0xA0..=0xAF, _] if rest.len() > CHUNK_BYTES => step,
        step => step,
    })
}

/// The UTF-16 code units of generalized UTF-8.
fn decode_utf16(data: &[u8], units: &mut Vec<u16>) -> PyResult<()> {
    units.clear();
    let implementation = Implementation::active();
    try_append(units, crate::count_utf16(data), |out| Some(implementation.fill(data, out)))?;
    Ok(())
}
