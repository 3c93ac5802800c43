//! Encoding: str to UTF-8.

use std::{mem, slice};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction, PyList, PyString};

use leadbyte::bindings::allocation::{Grow, try_extend};
use leadbyte::bindings::encodings::{EncodeReplacement, ErrorHandler, SURROGATES, Scheme};
use leadbyte::bindings::error_iter::ERROR_COST_BYTES;
use leadbyte::bindings::kernels::{Encoded, Source};
use leadbyte::bindings::progress::{Progress, Stopped};
use leadbyte::bindings::sequence::CHUNK_BYTES;
use leadbyte::bindings::simd::{Implementation, MaybeUninit, uninitialised};
use leadbyte::bindings::with_surrogates::{STEP_UNITS, WithSurrogates};

use super::arguments::{Optional, text_argument};
use super::buffer::{SignalPoller, copied_bytes, detached, new_bytes, new_bytes_up_to, searched, supervised};
use super::errors::{UTF8, encode_error};
use super::handlers::{Calls, Codec, Handler, Name, registered};
use super::interpreter::guarded;
use super::list::each;
use super::string::{Units, Utf8OrUnits};
use super::work_error::{WorkError, memory_error};

/// The functions of this file that Python can call.
pub(super) fn exported<'py>(module: &Bound<'py, PyModule>) -> PyResult<Vec<Bound<'py, PyCFunction>>> {
    Ok(vec![wrap_pyfunction!(encode_many, module)?])
}

/// A form to which code points are encoded one by one. It has all of them, except perhaps surrogates.
pub(super) trait Target: Copy + Send + Sync {
    /// Returns the length of `units` in bytes, with three for a surrogate.
    fn length<U: Source>(self, implementation: Implementation, units: &[U]) -> usize;

    /// Encodes `units` into `out`, which has exactly their [`length`](Self::length); surrogates take three bytes.
    fn encode<U: Source>(
        self,
        implementation: Implementation,
        units: &[U],
        out: &mut [MaybeUninit<u8>],
    ) -> Encoded;
}

#[derive(Clone, Copy)]
pub(super) struct Utf8Target;

impl Target for Utf8Target {
    fn length<U: Source>(self, implementation: Implementation, units: &[U]) -> usize {
        implementation.utf8_length(units)
    }

    #[inline]
    fn encode<U: Source>(
        self,
        implementation: Implementation,
        units: &[U],
        out: &mut [MaybeUninit<u8>],
    ) -> Encoded {
        implementation.encode(units, out)
    }
}

/// Returns or raises what `text.encode("utf-8", errors)` does.
pub(super) fn encode<'py>(
    text: &Bound<'py, PyString>,
    errors: Option<&Name>,
) -> PyResult<Bound<'py, PyBytes>> {
    match Utf8OrUnits::of(text)? {
        Utf8OrUnits::Utf8(utf8) => copied_bytes(text.py(), utf8),
        Utf8OrUnits::Latin1(units) => encode_units(text, units, errors),
        Utf8OrUnits::Ucs2(units) => encode_units(text, units, errors),
        Utf8OrUnits::Ucs4(units) => encode_units(text, units, errors),
    }
}

/// Returns the UTF-8 of a short str, or `None` if it is too long, of another type or has surrogates. This path has as
/// few branches as possible, which would take as long as the encoding.
#[inline(always)]
pub(super) fn encode_short<'py>(text: &Bound<'py, PyAny>) -> Option<Bound<'py, PyBytes>> {
    let text = text.cast::<PyString>().ok()?;
    match Utf8OrUnits::of(text).ok()? {
        Utf8OrUnits::Utf8(utf8) => copied_bytes(text.py(), utf8).ok(),
        Utf8OrUnits::Latin1(units) => encode_short_units(text, units),
        Utf8OrUnits::Ucs2(units) => encode_short_units(text, units),
        Utf8OrUnits::Ucs4(units) => encode_short_units(text, units),
    }
}

/// The most units that are encoded without looking for signals.
const MAX_SHORT_UNITS: usize = 8 << 10;
/// The most bytes that units may take to be encoded on the stack: copying the result takes less time than measuring it
/// first. With a page or more, the stack would be probed.
const MAX_STACK_BYTES: usize = 3 << 10;
/// The most of these that may be in the frame of a function that calls handlers.
const MAX_FRAME_BYTES: usize = 256;

#[inline(always)]
pub(super) fn encode_short_units<'py, U: Source>(
    text: &Bound<'py, PyString>,
    units: &[U],
) -> Option<Bound<'py, PyBytes>> {
    if units.len() > MAX_SHORT_UNITS {
        return None;
    }
    let max_bytes = units.len() * U::MAX_BYTES;
    if max_bytes <= MAX_FRAME_BYTES {
        return encode_on_stack::<MAX_FRAME_BYTES, U>(text.py(), units);
    }
    if max_bytes <= MAX_STACK_BYTES {
        return encode_apart(text.py(), units);
    }
    let implementation = Implementation::active();
    let mut scalar = true;
    let fill = |out: &mut [MaybeUninit<u8>]| {
        let encoded = implementation.encode(units, out);
        scalar = encoded.scalar;
        Ok(encoded.written)
    };
    let encoded = match implementation.unmeasured_capacity::<U>(units.len()) {
        // SAFETY: encoders write as many bytes as they return.
        Some(capacity) => unsafe { new_bytes_up_to(text.py(), capacity, fill) },
        // SAFETY: as above.
        None => unsafe { new_bytes(text.py(), implementation.utf8_length(units), fill) },
    };
    encoded.ok().filter(|_| scalar)
}

/// Encodes units that take at most [`MAX_STACK_BYTES`]. Not inlined, as a handler may encode again and again: the
/// buffer would be in the frame of each call.
#[inline(never)]
fn encode_apart<'py, U: Source>(py: Python<'py>, units: &[U]) -> Option<Bound<'py, PyBytes>> {
    encode_on_stack::<MAX_STACK_BYTES, U>(py, units)
}

/// Encodes units that take at most `N` bytes.
#[inline(always)]
fn encode_on_stack<'py, const N: usize, U: Source>(
    py: Python<'py>,
    units: &[U],
) -> Option<Bound<'py, PyBytes>> {
    let mut buffer = [const { mem::MaybeUninit::uninit() }; N];
    // SAFETY: encoders write as many bytes as they return.
    let encoded = Implementation::active().encode(units, unsafe { uninitialised(&mut buffer) });
    // SAFETY: that number of bytes was written.
    let bytes = unsafe { slice::from_raw_parts(buffer.as_ptr().cast(), encoded.written) };
    if encoded.scalar { copied_bytes(py, bytes).ok() } else { None }
}

/// Encode each str of an iterable to UTF-8: a list of encode(item, errors=errors), in one call. None stays None.
///
/// Raises what encode raises, for the first item that cannot be encoded; from Python 3.11 on a note names the item.
/// A str by itself is a TypeError.
///
/// >>> leadbyte.encode_many(['one', None, '\u20ac'])
/// [b'one', None, b'\xe2\x82\xac']
#[pyfunction]
#[pyo3(
    signature = (items, /, *, errors = Optional(None)),
    text_signature = "(items, /, *, errors='strict')"
)]
pub(super) fn encode_many<'py>(
    items: &Bound<'py, PyAny>,
    errors: Optional<'py>,
) -> PyResult<Bound<'py, PyList>> {
    guarded(|| {
        let name = Name::of(errors.0.as_ref(), "encode_many")?;
        each(items, "encode_many", "encoding", "str", |item| {
            let short = if name.is_none() { encode_short(item) } else { None };
            short.map_or_else(|| encode(text_argument(item, "encode", "1")?, name.as_ref()), Ok)
        })
    })
}

/// Returns the length of `encode(text)`, or raises the same exception.
pub(super) fn encoded_length(text: &Bound<'_, PyString>) -> PyResult<usize> {
    match Utf8OrUnits::of(text)? {
        Utf8OrUnits::Utf8(utf8) => Ok(utf8.len()),
        Utf8OrUnits::Latin1(units) => length(text.py(), units, Utf8Target),
        Utf8OrUnits::Ucs2(units) => length_of_scalars(text, units),
        Utf8OrUnits::Ucs4(units) => length_of_scalars(text, units),
    }
}

fn length_of_scalars<U: Source>(text: &Bound<'_, PyString>, units: &[U]) -> PyResult<usize> {
    match first_run(text.py(), units)? {
        Some(run) => Err(encode_error(UTF8, text, run)),
        None => length(text.py(), units, Utf8Target),
    }
}

/// Returns the length of `units` in bytes, with three for a surrogate.
#[inline]
pub(super) fn length<U: Source>(py: Python<'_>, units: &[U], target: impl Target) -> PyResult<usize> {
    let implementation = Implementation::active();
    detached(py, size_of_val(units), |poller| {
        let mut whole = 0;
        for step in units.chunks(CHUNK_BYTES) {
            whole += target.length(implementation, step);
            poller.advance(size_of_val(step))?;
        }
        Ok(whole)
    })
}

/// Returns the start and the end of the first run of surrogates.
pub(super) fn first_run<U: Source>(py: Python<'_>, units: &[U]) -> PyResult<Option<(usize, usize)>> {
    supervised(py, size_of_val(units), |progress| next_run(units, 0, progress))
}

/// Returns the start and the end of the next run of surrogates from `at` on.
fn next_run<U: Source>(
    units: &[U],
    at: usize,
    progress: Progress<'_>,
) -> Result<Option<(usize, usize)>, Stopped> {
    let implementation = Implementation::active();
    let mut start = at;
    for step in units[at..].chunks(CHUNK_BYTES) {
        let scalar = implementation.scalar_up_to(step);
        start += scalar;
        if scalar < step.len() {
            let run = surrogates(&units[start..]).count();
            progress(ERROR_COST_BYTES)?;
            return Ok(Some((start, start + run)));
        }
        progress(size_of_val(step))?;
    }
    Ok(None)
}

/// Returns the surrogates with which some units begin.
pub(super) fn surrogates<U: Source>(units: &[U]) -> impl Iterator<Item = u32> {
    units.iter().map(|unit| unit.value()).take_while(|value| SURROGATES.contains(value))
}

#[inline]
fn encode_units<'py, U: Source>(
    text: &Bound<'py, PyString>,
    units: &[U],
    name: Option<&Name>,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = text.py();
    if let Some(capacity) = Implementation::active().unmeasured_capacity::<U>(units.len())
        && let Some(encoded) = encode_unmeasured(py, units, capacity)?
    {
        return Ok(encoded);
    }
    let length = length(py, units, Utf8Target)?;
    let passes = matches!(name, Some(Name::BuiltIn(ErrorHandler::SurrogatePass)));
    let mut scalar = true;
    let fill = |out: &mut [MaybeUninit<u8>]| {
        let encoded = detached(py, size_of_val(units), |poller| match passes {
            true => encode_steps(units, Utf8Target, out, poller),
            false => encode_scalars(units, out, poller),
        })?;
        scalar = encoded.scalar;
        Ok(encoded.written)
    };
    // SAFETY: encoders write as many bytes as they return.
    let encoded = unsafe { new_bytes(py, length, fill) };
    if scalar { encoded } else { encode_surrogates(text, units, name, length, encoded) }
}

/// Encodes units that have at most `capacity` bytes, or returns `None` if some are surrogates.
fn encode_unmeasured<'py, U: Source>(
    py: Python<'py>,
    units: &[U],
    capacity: usize,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let mut scalar = true;
    let fill = |out: &mut [MaybeUninit<u8>]| {
        let encoded = detached(py, size_of_val(units), |poller| encode_scalars(units, out, poller))?;
        scalar = encoded.scalar;
        Ok(encoded.written)
    };
    // SAFETY: encoders write as many bytes as they return.
    let encoded = unsafe { new_bytes_up_to(py, capacity, fill) }?;
    Ok(scalar.then_some(encoded))
}

/// Encodes units up to the first step with surrogates, as the encoded bytes are of no use then. Each step is longer
/// than the one before.
#[inline]
fn encode_scalars<U: Source>(
    units: &[U],
    out: &mut [MaybeUninit<u8>],
    poller: &mut SignalPoller,
) -> Result<Encoded, WorkError> {
    let mut whole = Encoded { written: 0, scalar: true };
    let (mut rest, mut step_units) = (units, STEP_UNITS);
    while whole.scalar && !rest.is_empty() {
        let step;
        (step, rest) = rest.split_at(rest.len().min(step_units));
        let encoded = encode_steps(step, Utf8Target, &mut out[whole.written..], poller)?;
        whole = Encoded { written: whole.written + encoded.written, scalar: encoded.scalar };
        step_units = CHUNK_BYTES.min(8 * step_units);
    }
    Ok(whole)
}

/// Encodes units one by one.
#[inline]
pub(super) fn encode_steps<U: Source>(
    units: &[U],
    target: impl Target,
    out: &mut [MaybeUninit<u8>],
    poller: &mut SignalPoller,
) -> Result<Encoded, WorkError> {
    let implementation = Implementation::active();
    let mut whole = Encoded { written: 0, scalar: true };
    for step in units.chunks(CHUNK_BYTES) {
        let encoded = target.encode(implementation, step, &mut out[whole.written..]);
        whole.written += encoded.written;
        whole.scalar &= encoded.scalar;
        poller.advance(size_of_val(step))?;
    }
    Ok(whole)
}

/// Encodes a text with surrogates. Its generalized UTF-8 has `length` bytes, and is `passed`, or that is an error if
/// not all of it was encoded.
#[cold]
fn encode_surrogates<'py, U: Source>(
    text: &Bound<'py, PyString>,
    units: &[U],
    name: Option<&Name>,
    length: usize,
    passed: PyResult<Bound<'py, PyBytes>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = text.py();
    match Codec::Utf8Encoder.find(py, name)? {
        Handler::BuiltIn(ErrorHandler::Strict) => match first_run(py, units)? {
            Some(run) => Err(encode_error(UTF8, text, run)),
            None => passed,
        },
        Handler::BuiltIn(ErrorHandler::SurrogatePass) => passed,
        Handler::BuiltIn(handler) => encode_replacing(text, units, handler, length, passed.ok()),
        Handler::Registered(handler) => {
            encode_by_calls(text, units, Calls::of(handler, UTF8), None, Utf8Target)
        }
    }
}

/// Encodes a text with surrogates by a built-in handler. Its generalized UTF-8 has `length` bytes, and is `passed` if
/// known.
fn encode_replacing<'py, U: Source>(
    text: &Bound<'py, PyString>,
    units: &[U],
    handler: ErrorHandler,
    length: usize,
    passed: Option<Bound<'py, PyBytes>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = text.py();
    let implementation = Implementation::active();
    let measured = supervised(py, size_of_val(units), |progress| {
        WithSurrogates::of(implementation, units, length, handler, progress)
    })?;
    let Some(measured) = measured else {
        // "surrogateescape" replaces only surrogates that represent bytes; for others CPython calls it.
        let calls = Calls::of(registered(py, c"surrogateescape")?, UTF8);
        return encode_by_calls(text, units, calls, Some(handler), Utf8Target);
    };
    let passed = passed.as_ref().map(|passed| passed.as_bytes());
    let fill = |out: &mut [MaybeUninit<u8>]| match passed {
        Some(passed) if units.len() <= STEP_UNITS => Ok(measured.replace(passed, out)),
        _ => supervised(py, size_of_val(units), |progress| measured.encode(out, progress)),
    };
    // SAFETY: encoders write as many bytes as they return, and so do replacements.
    unsafe { new_bytes(py, measured.length(), fill) }
}

/// Encodes a text with surrogates by a handler that is called for each run of them, in order. The surrogates at the
/// start of a run that the handler `first` replaces, if it is given, are replaced without a call.
pub(super) fn encode_by_calls<'py, U: Source>(
    text: &Bound<'py, PyString>,
    units: &[U],
    mut calls: Calls<'py>,
    first: Option<ErrorHandler>,
    target: impl Target,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = text.py();
    let mut pieces = vec![];
    let mut at = 0;
    let mut built_in = EncodeReplacement::empty();
    let mut poller = SignalPoller::default();
    while let Some((mut start, end)) =
        searched(py, size_of_val(&units[at..]), |progress| next_run(units, at, progress))?
    {
        poller.advance_attached(py, ERROR_COST_BYTES)?;
        append(py, &mut pieces, &units[at..start], target)?;
        for surrogate in surrogates(&units[start..end]) {
            if !first.is_some_and(|handler| handler.encode(Some(Scheme::Utf8), surrogate, &mut built_in)) {
                break;
            }
            try_extend(&mut pieces, built_in.as_bytes()).map_err(memory_error)?;
            start += 1;
        }
        if start == end {
            at = end;
            continue;
        }
        let replacement;
        (replacement, at) = calls.encoding(text, units.len(), (start, end))?;
        match replacement_bytes(&replacement)? {
            Some(bytes) => try_extend(&mut pieces, bytes).map_err(memory_error)?,
            None => return Err(calls.refuse(text, (start, end))),
        }
    }
    append(py, &mut pieces, &units[at..], target)?;
    copied_bytes(py, &pieces)
}

/// Returns the bytes of what a handler returned: bytes as they are, but a str only if it is ASCII.
pub(super) fn replacement_bytes<'a>(replacement: &'a Bound<'_, PyAny>) -> PyResult<Option<&'a [u8]>> {
    if let Ok(bytes) = replacement.cast::<PyBytes>() {
        return Ok(Some(bytes.as_bytes()));
    }
    match Units::of(replacement.cast::<PyString>()?)? {
        Units::Ascii(ascii) => Ok(Some(ascii)),
        Units::Latin1(_) | Units::Ucs2(_) | Units::Ucs4(_) => Ok(None),
    }
}

/// Appends a run of scalar values.
fn append<U: Source>(py: Python<'_>, pieces: &mut Vec<u8>, run: &[U], target: impl Target) -> PyResult<()> {
    let length = length(py, run, target)?;
    pieces.grow(length).map_err(memory_error)?;
    // SAFETY: encoders write as many bytes as they return.
    let out = unsafe { uninitialised(&mut pieces.spare_capacity_mut()[..length]) };
    let encoded = detached(py, size_of_val(run), |poller| encode_steps(run, target, out, poller))?;
    // SAFETY: that number of bytes was written after the others.
    unsafe { pieces.set_len(pieces.len() + encoded.written) };
    Ok(())
}

/// Returns a str as UTF-8, of a few bytes. Raises UnicodeEncodeError for surrogates.
pub(super) fn utf8_argument(text: &Bound<'_, PyString>) -> PyResult<String> {
    let bytes = encode(text, None)?;
    let text = str::from_utf8(bytes.as_bytes()).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(text.to_owned())
}
