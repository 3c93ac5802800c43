//! Str to bytes.

use std::io::Write;
use std::{fmt, mem, slice};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

use super::arguments::{Optional, text_argument};
use super::buffer::{SignalPoller, copied_bytes, detached, new_bytes};
use super::decode::each;
use super::errors::{UTF8, encode_error};
use super::handlers::{BuiltIn, Calls, Handler, Name, registered};
use super::interpreter::guarded;
use super::string::Units;
use crate::Implementation;
use crate::allocation::{Grow, sum, try_extend};
use crate::boundary::CHUNK_BYTES;
use crate::error_iter::ERROR_COST_BYTES;
use crate::kernels::encode::{Encoded, Source};
use crate::simd::uninit::{MaybeUninit, put, uninitialised};

/// A form that code points are encoded to, each for itself. It has all of them, but perhaps no surrogates.
pub(super) trait Target: Copy + Send + Sync {
    /// How many bytes `units` take, with three for a surrogate.
    fn length<U: Source>(self, implementation: Implementation, units: &[U]) -> usize;

    /// Encodes `units` into `out`, which has just the room for it; surrogates take three bytes.
    fn encode<U: Source>(
        self,
        implementation: Implementation,
        units: &[U],
        out: &mut [MaybeUninit<u8>],
    ) -> Encoded;
}

#[derive(Clone, Copy)]
pub(super) struct Utf8;

impl Target for Utf8 {
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

/// What `text.encode("utf-8", errors)` gives or raises.
pub(super) fn encode<'py>(
    text: &Bound<'py, PyString>,
    errors: Option<&Name>,
) -> PyResult<Bound<'py, PyBytes>> {
    match Units::of(text)? {
        Units::Ascii(units) => copied_bytes(text.py(), units),
        Units::Latin1(units) => encode_units(text, units, errors),
        Units::Ucs2(units) => encode_units(text, units, errors),
        Units::Ucs4(units) => encode_units(text, units, errors),
    }
}

/// A few characters as bytes, if they are a str, and few, and all goes well: by a way without turns, since they take
/// no longer than these.
#[inline(always)]
pub(super) fn encode_short<'py>(text: &Bound<'py, PyAny>) -> Option<Bound<'py, PyBytes>> {
    let text = text.cast::<PyString>().ok()?;
    match Units::of(text).ok()? {
        Units::Ascii(units) => copied_bytes(text.py(), units).ok(),
        Units::Latin1(units) => encode_short_units(text, units),
        Units::Ucs2(units) => encode_short_units(text, units),
        Units::Ucs4(units) => encode_short_units(text, units),
    }
}

/// Up to so many units are encoded by the shortest way, and by one that is shorter still.
const SHORT: usize = 8 << 10;
const FEW: usize = 64;

#[inline(always)]
pub(super) fn encode_short_units<'py, U: Source>(
    text: &Bound<'py, PyString>,
    units: &[U],
) -> Option<Bound<'py, PyBytes>> {
    if units.len() > SHORT {
        return None;
    }
    let implementation = Implementation::active();
    if units.len() <= FEW {
        // To write them twice takes less time than to measure them first.
        let mut room = [const { mem::MaybeUninit::uninit() }; 4 * FEW];
        // SAFETY: encoders write as many bytes as they return.
        let encoded = implementation.encode(units, unsafe { uninitialised(&mut room) });
        // SAFETY: so many bytes were written.
        let bytes = unsafe { slice::from_raw_parts(room.as_ptr().cast(), encoded.written) };
        return if encoded.scalar { copied_bytes(text.py(), bytes).ok() } else { None };
    }
    let mut scalar = true;
    let fill = |out: &mut [MaybeUninit<u8>]| {
        let encoded = implementation.encode(units, out);
        scalar = encoded.scalar;
        Ok(encoded.written)
    };
    // SAFETY: encoders write as many bytes as they return.
    let encoded = unsafe { new_bytes(text.py(), implementation.utf8_length(units), fill) };
    encoded.ok().filter(|_| scalar)
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

/// The length of `encode(text)`, or the exception that it raises.
pub(super) fn encoded_length(text: &Bound<'_, PyString>) -> PyResult<usize> {
    match Units::of(text)? {
        Units::Ascii(units) => Ok(units.len()),
        Units::Latin1(units) => length(text.py(), units, Utf8),
        Units::Ucs2(units) => length_of_scalars(text, units),
        Units::Ucs4(units) => length_of_scalars(text, units),
    }
}

fn length_of_scalars<U: Source>(text: &Bound<'_, PyString>, units: &[U]) -> PyResult<usize> {
    match first_run(text.py(), units)? {
        Some(run) => Err(encode_error(UTF8, text, run)),
        None => length(text.py(), units, Utf8),
    }
}

/// How many bytes `units` take, with three for a surrogate.
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

/// The first run of surrogates: where it starts and ends.
pub(super) fn first_run<U: Source>(py: Python<'_>, units: &[U]) -> PyResult<Option<(usize, usize)>> {
    detached(py, size_of_val(units), |poller| next_run(units, 0, poller))
}

/// The next run of surrogates from `at` on: where it starts and ends.
fn next_run<U: Source>(
    units: &[U],
    at: usize,
    poller: &mut SignalPoller,
) -> PyResult<Option<(usize, usize)>> {
    let implementation = Implementation::active();
    let mut start = at;
    for step in units[at..].chunks(CHUNK_BYTES) {
        let scalar = implementation.scalar_up_to(step);
        start += scalar;
        if scalar < step.len() {
            let run = surrogates(&units[start..]).count();
            poller.advance(ERROR_COST_BYTES)?;
            return Ok(Some((start, start + run)));
        }
        poller.advance(size_of_val(step))?;
    }
    Ok(None)
}

/// The surrogates that some units begin with.
fn surrogates<U: Source>(units: &[U]) -> impl Iterator<Item = u16> {
    let values = units.iter().map(|unit| u16::try_from(unit.value()).ok());
    values.map_while(|value| value.filter(|value| (0xD800..0xE000).contains(value)))
}

#[inline]
fn encode_units<'py, U: Source>(
    text: &Bound<'py, PyString>,
    units: &[U],
    name: Option<&Name>,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = text.py();
    let mut scalar = true;
    let fill = |out: &mut [MaybeUninit<u8>]| {
        detached(py, size_of_val(units), |poller| {
            let encoded = encode_steps(units, Utf8, out, poller)?;
            scalar = encoded.scalar;
            Ok(encoded.written)
        })
    };
    // SAFETY: encoders write as many bytes as they return.
    let encoded = unsafe { new_bytes(py, length(py, units, Utf8)?, fill) }?;
    if scalar { Ok(encoded) } else { encode_surrogates(text, units, name, encoded) }
}

/// Encodes units, each for itself.
#[inline]
pub(super) fn encode_steps<U: Source>(
    units: &[U],
    target: impl Target,
    out: &mut [MaybeUninit<u8>],
    poller: &mut SignalPoller,
) -> PyResult<Encoded> {
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

/// Encodes a text with surrogates; `passed` is what it is with these encoded like characters.
#[cold]
fn encode_surrogates<'py, U: Source>(
    text: &Bound<'py, PyString>,
    units: &[U],
    name: Option<&Name>,
    passed: Bound<'py, PyBytes>,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = text.py();
    match Mending::find(py, name)? {
        Handler::BuiltIn(Mending::Strict) => match first_run(py, units)? {
            Some(run) => Err(encode_error(UTF8, text, run)),
            None => Ok(passed),
        },
        Handler::BuiltIn(Mending::SurrogatePass) => Ok(passed),
        Handler::BuiltIn(mending) => mend(text, units, mending, passed.as_bytes().len()),
        Handler::Registered(handler) => encode_by_calls(text, units, Calls::of(handler, UTF8), None, Utf8),
    }
}

/// What the handlers of CPython's codec do on encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mending {
    Strict,
    Ignore,
    Replace,
    BackslashReplace,
    XmlCharRefReplace,
    SurrogateEscape,
    SurrogatePass,
}

impl BuiltIn for Mending {
    fn fixed(name: &[u8]) -> Option<Self> {
        match name {
            b"ignore" => Some(Self::Ignore),
            b"replace" => Some(Self::Replace),
            b"backslashreplace" => Some(Self::BackslashReplace),
            b"xmlcharrefreplace" => Some(Self::XmlCharRefReplace),
            b"surrogateescape" => Some(Self::SurrogateEscape),
            b"surrogatepass" => Some(Self::SurrogatePass),
            _ => None,
        }
    }

    fn looked_up(name: &[u8]) -> Option<(Self, &'static str)> {
        match name {
            b"strict" => Some((Self::Strict, "strict_errors")),
            // Surrogates have no names, and then it writes what the other writes.
            b"namereplace" => Some((Self::BackslashReplace, "namereplace_errors")),
            _ => None,
        }
    }
}

/// The longest that is written instead of a surrogate: `&#55296;`.
const LONGEST_PATCH: usize = 8;
/// How many bytes a surrogate takes that is encoded like a character.
const SURROGATE: usize = 3;

/// What is written instead of a surrogate.
#[derive(Default)]
struct Patch {
    bytes: [u8; LONGEST_PATCH],
    length: usize,
}

impl Patch {
    fn of(text: fmt::Arguments<'_>) -> Self {
        let mut patch = Self::default();
        let mut room = &mut patch.bytes[..];
        // What would not fit is never asked for.
        let _ = room.write_fmt(text);
        patch.length = LONGEST_PATCH - room.len();
        patch
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl Mending {
    /// The patch for a surrogate, or `None` if it has to be raised.
    fn patch(self, surrogate: u16) -> Option<Patch> {
        match self {
            Self::Ignore => Some(Patch::default()),
            Self::Replace => Some(Patch { bytes: [b'?'; LONGEST_PATCH], length: 1 }),
            Self::BackslashReplace => Some(Patch::of(format_args!("\\u{surrogate:04x}"))),
            Self::XmlCharRefReplace => Some(Patch::of(format_args!("&#{surrogate};"))),
            Self::SurrogateEscape if (0xDC80..=0xDCFF).contains(&surrogate) => {
                Some(Patch { bytes: [surrogate as u8; LONGEST_PATCH], length: 1 })
            }
            Self::Strict | Self::SurrogateEscape | Self::SurrogatePass => None,
        }
    }
}

/// Encodes a text with surrogates natively; with these encoded like characters it would take `length` bytes.
fn mend<'py, U: Source>(
    text: &Bound<'py, PyString>,
    units: &[U],
    mending: Mending,
    mut length: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = text.py();
    let mended = detached(py, size_of_val(units), |poller| {
        let mut at = 0;
        while let Some((start, end)) = next_run(units, at, poller)? {
            for surrogate in surrogates(&units[start..end]) {
                let Some(patch) = mending.patch(surrogate) else { return Ok(false) };
                length = sum(length - SURROGATE, patch.length)?;
            }
            at = end;
        }
        Ok(true)
    })?;
    if !mended {
        // Only surrogates that stand for bytes can be escaped; for others CPython calls the handler.
        let handler = registered(py, c"surrogateescape")?;
        return encode_by_calls(text, units, Calls::of(handler, UTF8), Some(mending), Utf8);
    }
    let fill = |out: &mut [MaybeUninit<u8>]| {
        detached(py, size_of_val(units), |poller| {
            let (mut at, mut written) = (0, 0);
            loop {
                let run = next_run(units, at, poller)?;
                let (start, end) = run.unwrap_or((units.len(), units.len()));
                written += encode_steps(&units[at..start], Utf8, &mut out[written..], poller)?.written;
                for patch in surrogates(&units[start..end]).filter_map(|surrogate| mending.patch(surrogate)) {
                    written += put(&mut out[written..], patch.bytes());
                }
                at = end;
                if run.is_none() {
                    return Ok(written);
                }
            }
        })
    };
    // SAFETY: encoders write as many bytes as they return, and so does `put`.
    unsafe { new_bytes(py, length, fill) }
}

/// Encodes a text with surrogates by a handler that is called for each run of them, in order; with `first` what
/// that can mend at the start of a run is mended natively.
pub(super) fn encode_by_calls<'py, U: Source>(
    text: &Bound<'py, PyString>,
    units: &[U],
    mut calls: Calls<'py>,
    first: Option<Mending>,
    target: impl Target,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = text.py();
    let mut pieces = vec![];
    let mut at = 0;
    let mut poller = SignalPoller::default();
    while let Some((mut start, end)) =
        detached(py, size_of_val(&units[at..]), |poller| next_run(units, at, poller))?
    {
        poller.advance_attached(py, ERROR_COST_BYTES)?;
        append(py, &mut pieces, &units[at..start], target)?;
        for surrogate in surrogates(&units[start..end]) {
            let Some(patch) = first.and_then(|mending| mending.patch(surrogate)) else { break };
            try_extend(&mut pieces, patch.bytes())?;
            start += 1;
        }
        if start == end {
            at = end;
            continue;
        }
        let replacement;
        (replacement, at) = calls.encoding(text, units.len(), (start, end))?;
        if let Ok(bytes) = replacement.cast::<PyBytes>() {
            try_extend(&mut pieces, bytes.as_bytes())?;
            continue;
        }
        match Units::of(replacement.cast::<PyString>()?)? {
            Units::Ascii(units) | Units::Latin1(units) if units.is_ascii() => {
                try_extend(&mut pieces, units)?;
            }
            _ => return Err(calls.refuse(text, (start, end))),
        }
    }
    append(py, &mut pieces, &units[at..], target)?;
    copied_bytes(py, &pieces)
}

/// Appends a run of scalar values.
fn append<U: Source>(py: Python<'_>, pieces: &mut Vec<u8>, run: &[U], target: impl Target) -> PyResult<()> {
    let length = length(py, run, target)?;
    pieces.grow(length)?;
    // SAFETY: encoders write as many bytes as they return.
    let out = unsafe { uninitialised(&mut pieces.spare_capacity_mut()[..length]) };
    let encoded = detached(py, size_of_val(run), |poller| encode_steps(run, target, out, poller))?;
    // SAFETY: so many bytes were written behind the others.
    unsafe { pieces.set_len(pieces.len() + encoded.written) };
    Ok(())
}
