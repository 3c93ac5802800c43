//! Encoding into a buffer of the caller.

use pyo3::prelude::*;
use pyo3::types::PyString;

use leadbyte::bindings::encodings::{EncodeReplacement, ErrorHandler, Scheme};
use leadbyte::bindings::error_iter::ERROR_COST_BYTES;
use leadbyte::bindings::kernels::Source;
use leadbyte::bindings::simd::{Implementation, MaybeUninit, Scratch, put};
use leadbyte::floor_boundary;

use super::buffer::{SignalPoller, WritableBuffer, copy, detached};
use super::encode::{replacement_bytes, surrogates};
use super::errors::{UTF8, encode_error};
use super::functions::{count_chars, offset_argument};
use super::handlers::{Calls, Codec, Handler, Name, registered};
use super::string::Utf8OrUnits;
use super::work_error::WorkError;

/// The number of units that are encoded at first, where a surrogate may be near; then twice as many, and so on.
const MIN_STEP_UNITS: usize = 64;

/// The most units that are encoded at a time: they and their UTF-8 fit the first level of cache.
const MAX_STEP_UNITS: usize = 2 << 10;

/// The most bytes that a step takes in UTF-8.
const MAX_STEP_BYTES: usize = MAX_STEP_UNITS * char::MAX.len_utf8();

/// The number of units that are encoded before the interpreter is released, since a surrogate may be near.
const NEAR_UNITS: usize = 16 << 10;

/// Encodes `text` into `buffer` from byte `offset` on, 0 by default, until a character does not fit. Returns the
/// numbers of bytes written and of characters read.
///
/// Raises IndexError for an offset outside the buffer, TypeError for a buffer that is not writable, and what `encode`
/// raises for surrogates.
pub(super) fn encode_into(
    text: &Bound<'_, PyString>,
    buffer: &Bound<'_, PyAny>,
    offset: Option<&Bound<'_, PyAny>>,
    errors: Option<&Name>,
) -> PyResult<(usize, usize)> {
    let mut buffer = WritableBuffer::of(buffer, "encode_into", "2")?;
    let start = match offset {
        Some(offset) => offset_argument("offset", offset, buffer.len(), "buffer in bytes")?,
        None => 0,
    };
    let (end, read) = match Utf8OrUnits::of(text)? {
        Utf8OrUnits::Utf8(utf8) => return copy_chars(text, utf8, buffer.starting_at(start)),
        Utf8OrUnits::Latin1(units) => encode_units(text, units, &mut buffer, start, errors)?,
        Utf8OrUnits::Ucs2(units) => encode_units(text, units, &mut buffer, start, errors)?,
        Utf8OrUnits::Ucs4(units) => encode_units(text, units, &mut buffer, start, errors)?,
    };
    Ok((end - start, read))
}

/// Copies the characters of `text`, whose UTF-8 is `utf8`, that fit into `out`. Returns the numbers of bytes and of
/// characters.
fn copy_chars(
    text: &Bound<'_, PyString>,
    utf8: &[u8],
    out: &mut [MaybeUninit<u8>],
) -> PyResult<(usize, usize)> {
    let (py, chars) = (text.py(), text.len()?);
    let fitting = &utf8[..floor_boundary(utf8, out.len())];
    let written = copy(py, fitting, out)?;
    let read = if fitting.len() == utf8.len() {
        chars
    } else if utf8.len() == chars {
        written
    } else {
        count_chars(py, fitting)?
    };
    Ok((written, read))
}

/// Encodes the units of `text` into `buffer` from byte `start` on. Returns the offset of the end of the output, and the
/// number of units read.
fn encode_units<U: Source>(
    text: &Bound<'_, PyString>,
    units: &[U],
    buffer: &mut WritableBuffer<'_>,
    start: usize,
    errors: Option<&Name>,
) -> PyResult<(usize, usize)> {
    let py = text.py();
    let (mut end, mut at) = (start, 0);
    // Looked up at the first surrogate.
    let mut handler = None;
    let mut replacement = EncodeReplacement::empty();
    let mut poller = SignalPoller::default();
    loop {
        let (written, read) = encode_scalars(py, &units[at..], buffer.starting_at(end))?;
        (end, at) = (end + written, at + read);
        let run = (at, at + surrogates(&units[at..]).count());
        if run.0 == run.1 {
            return Ok((end, at));
        }
        let SurrogateHandler { built_in, calls } = match &mut handler {
            Some(handler) => handler,
            none => none.insert(SurrogateHandler::find(py, errors)?),
        };
        for surrogate in surrogates(&units[at..]) {
            poller.advance_attached(py, ERROR_COST_BYTES)?;
            if !built_in.encode(Some(Scheme::Utf8), surrogate, &mut replacement) {
                break;
            }
            let Some(written) = put_whole(buffer, end, replacement.as_bytes()) else { return Ok((end, at)) };
            (end, at) = (end + written, at + 1);
        }
        if at == run.1 {
            continue;
        }
        let calls = match (calls, *built_in) {
            (Some(calls), _) => calls,
            (None, ErrorHandler::Strict) => return Err(encode_error(UTF8, text, run)),
            // "surrogateescape" replaces only surrogates that represent bytes; for others CPython calls it.
            (none, handler) => none.insert(Calls::of(registered(py, handler.name())?, UTF8)),
        };
        let run = (at, run.1);
        let (returned, next) = calls.encoding(text, units.len(), run)?;
        let Some(bytes) = replacement_bytes(&returned)? else { return Err(calls.refuse(text, run)) };
        let Some(written) = put_whole(buffer, end, bytes) else { return Ok((end, at)) };
        (end, at) = (end + written, next);
    }
}

/// The error handler of one call.
struct SurrogateHandler<'py> {
    /// Replaces surrogates without a call; "strict" replaces none.
    built_in: ErrorHandler,
    /// The function that is called for the surrogates that `built_in` does not replace, if one is known.
    calls: Option<Calls<'py>>,
}

impl<'py> SurrogateHandler<'py> {
    #[cold]
    fn find(py: Python<'py>, errors: Option<&Name>) -> PyResult<Self> {
        Ok(match Codec::Utf8Encoder.find(py, errors)? {
            Handler::BuiltIn(built_in) => Self { built_in, calls: None },
            Handler::Registered(function) => {
                Self { built_in: ErrorHandler::Strict, calls: Some(Calls::of(function, UTF8)) }
            }
        })
    }
}

/// Writes `bytes` from byte `offset` of `buffer` on, if all of them fit. Returns their number.
fn put_whole(buffer: &mut WritableBuffer<'_>, offset: usize, bytes: &[u8]) -> Option<usize> {
    let out = buffer.starting_at(offset);
    (bytes.len() <= out.len()).then(|| put(out, bytes))
}

/// Encodes units into `out` until a surrogate, or until a character does not fit. Returns the numbers of bytes written
/// and of units read.
fn encode_scalars<U: Source>(
    py: Python<'_>,
    units: &[U],
    out: &mut [MaybeUninit<u8>],
) -> PyResult<(usize, usize)> {
    let (near, far) = units.split_at(units.len().min(NEAR_UNITS));
    let (mut written, mut read) = detached(py, size_of_val(near), |poller| encode_steps(near, out, poller))?;
    if read == near.len() && !far.is_empty() {
        let rest = &mut out[written..];
        let more = detached(py, size_of_val(far), |poller| encode_steps(far, rest, poller))?;
        (written, read) = (written + more.0, read + more.1);
    }
    Ok((written, read))
}

/// Encodes as [`encode_scalars`]. Each step is encoded into a scratch buffer, since a kernel may write more than is to
/// remain: surrogates, and a character that does not fit.
fn encode_steps<U: Source>(
    units: &[U],
    out: &mut [MaybeUninit<u8>],
    poller: &mut SignalPoller,
) -> Result<(usize, usize), WorkError> {
    let implementation = Implementation::active();
    let mut scratch = Scratch::uninit();
    let (mut written, mut read, mut step_units) = (0, 0, MIN_STEP_UNITS);
    while read < units.len() {
        let step = &units[read..units.len().min(read + step_units)];
        let mut scalars = step;
        let mut encoded = encode_step(implementation, scalars, &mut scratch);
        if encoded.is_none() {
            scalars = &step[..implementation.scalar_up_to(step)];
            encoded = encode_step(implementation, scalars, &mut scratch);
        }
        let encoded = encoded.unwrap_or_default();
        let fitting = &encoded[..floor_boundary(encoded, out.len() - written)];
        written += put(&mut out[written..], fitting);
        if fitting.len() < encoded.len() {
            read += leadbyte::count_chars(fitting);
            break;
        }
        read += scalars.len();
        if scalars.len() < step.len() {
            break;
        }
        step_units = MAX_STEP_UNITS.min(2 * step_units);
        poller.advance(size_of_val(step))?;
    }
    Ok((written, read))
}

/// Returns the UTF-8 of at most [`MAX_STEP_UNITS`] units, or `None` if there are surrogates among them.
#[inline]
fn encode_step<'a, U: Source>(
    implementation: Implementation,
    units: &[U],
    scratch: &'a mut Scratch<u8, MAX_STEP_BYTES>,
) -> Option<&'a [u8]> {
    let mut scalar = true;
    let encoded = scratch.filled(units.len() * char::MAX.len_utf8(), |out| {
        let encoded = implementation.encode(units, out);
        scalar = encoded.scalar;
        encoded.written
    });
    scalar.then_some(encoded)
}
