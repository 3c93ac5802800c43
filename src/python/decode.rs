//! Bytes to str.

use std::convert::Infallible;

use pyo3::exceptions::PyMemoryError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyList, PyString};

use super::arguments::{Optional, wrong_type};
use super::buffer::{SignalPoller, detached, snapshot};
use super::errors::{Fault, UTF8};
use super::handlers::{BuiltIn, Calls, Handler, Name, raised_after};
use super::interpreter::call_python;
use super::interpreter::guarded;
use super::list::list_of;
use super::string::{Builder, Fill, Kind, new_ascii, new_str};
use crate::allocation::{Grow, sum, try_push};
use crate::boundary::{CHUNK_BYTES, chunks};
use crate::error_iter::{ERROR_COST_BYTES, ErrorBuffer, ErrorIter};
use crate::kernels::decode::Unit;
use crate::newlines::universal_newlines;
use crate::simd::uninit::{MaybeUninit, put};
use crate::stream::unfinished;
use crate::validate::Measure;
use crate::{ErrorKind, Implementation, Utf8Error};

/// What `bytes(data).decode("utf-8", errors)` gives or raises.
pub(super) fn decode<'py>(data: &Bound<'py, PyAny>, errors: Option<&Name>) -> PyResult<Bound<'py, PyString>> {
    let bytes = snapshot(data)?;
    match decode_valid(data.py(), bytes.as_bytes())? {
        Some(text) => Ok(text),
        None => Ok(decode_broken(&bytes, errors, true)?.0),
    }
}

/// The text that a few `bytes` hold, if they are `bytes`, and few, and all goes well: by a way without turns, since
/// they take no longer than these.
#[inline(always)]
pub(super) fn decode_short<'py>(bytes: &Bound<'py, PyAny>) -> Option<Bound<'py, PyString>> {
    let py = bytes.py();
    let data = bytes.cast_exact::<PyBytes>().ok()?.as_bytes();
    if data.len() > SHORT {
        return None;
    }
    let measure = Implementation::active().measure(data)?;
    short_text_of(py, data, &measure).ok()
}

/// The text that a few bytes hold, which are valid.
#[inline(always)]
pub(super) fn short_text_of<'py>(
    py: Python<'py>,
    data: &[u8],
    measure: &Measure,
) -> PyResult<Bound<'py, PyString>> {
    text_by(py, data, measure, Short(data))
}

/// The text that `data` hold, which are valid, as `fill` writes it.
#[inline(always)]
fn text_by<'py>(
    py: Python<'py>,
    data: &[u8],
    measure: &Measure,
    fill: impl Fill,
) -> PyResult<Bound<'py, PyString>> {
    match Kind::of_measured(measure) {
        Kind::Ascii => new_ascii(py, data),
        kind => new_str(py, measure.chars, kind, fill),
    }
}

/// Up to so many bytes are decoded by the shortest way.
pub(super) const SHORT: usize = 16 << 10;

/// A short text that is known to be valid.
struct Short<'a>(&'a [u8]);

// SAFETY: decoders write as many units as they return.
unsafe impl Fill for Short<'_> {
    type Failure = Infallible;

    #[inline(always)]
    fn fill<U: Unit>(self, out: &mut [MaybeUninit<U>]) -> Result<usize, Infallible> {
        Ok(Implementation::active().fill(self.0, out))
    }
}

/// The text of data with universal newlines, or None if data are not UTF-8.
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(super) fn _decode_universal<'py>(data: &Bound<'py, PyBytes>) -> PyResult<Option<Bound<'py, PyString>>> {
    guarded(|| {
        let (py, bytes) = (data.py(), data.as_bytes());
        let translated =
            detached(py, bytes.len(), |poller| universal_newlines(bytes, |work| poller.advance(work)))?;
        // Without its CR invalid text stays invalid: where one was, there is still a LF.
        decode_valid(py, &translated)
    })
}

/// Decode each bytes-like object of an iterable: a list of decode(item, errors=errors), in one call. None stays None.
///
/// Raises what decode raises, for the first item that cannot be decoded; from Python 3.11 on a note names the item.
/// bytes by themselves are a TypeError.
///
/// >>> leadbyte.decode_many([b'one', None, b'two'])
/// ['one', None, 'two']
#[pyfunction]
#[pyo3(
    signature = (items, /, *, errors = Optional(None)),
    text_signature = "(items, /, *, errors='strict')"
)]
pub(super) fn decode_many<'py>(
    items: &Bound<'py, PyAny>,
    errors: Optional<'py>,
) -> PyResult<Bound<'py, PyList>> {
    guarded(|| {
        let name = Name::of(errors.0.as_ref(), "decode_many")?;
        each(items, "decode_many", "decoding", "bytes-like objects", |item| {
            let short = if name.is_none() { decode_short(item) } else { None };
            short.map_or_else(|| decode(item, name.as_ref()), Ok)
        })
    })
}

/// A new list of what `work` makes of each item but None, for a `function` that takes an iterable of what is `expected`.
/// It may call back into Python, which may change what is iterated over. An error gets a note that it occurred while
/// `doing` that item.
pub(super) fn each<'py, T>(
    items: &Bound<'py, PyAny>,
    function: &str,
    doing: &str,
    expected: &str,
    work: impl Fn(&Bound<'py, PyAny>) -> PyResult<Bound<'py, T>>,
) -> PyResult<Bound<'py, PyList>> {
    let is_one_item = items.is_instance_of::<PyString>()
        || items.is_instance_of::<PyBytes>()
        || items.is_instance_of::<PyByteArray>();
    if is_one_item {
        return Err(wrong_type(items, function, "1", &format!("an iterable of {expected}")));
    }
    let py = items.py();
    let mut iterator = items.try_iter()?;
    let mut results = vec![];
    results.grow(iterator.size_hint().0)?;
    let mut poller = SignalPoller::default();
    while let Some(item) = call_python(|| iterator.next()) {
        let item = item?;
        let result = match item.is_none() {
            true => item,
            false => match work(&item) {
                Ok(result) => result.into_any(),
                Err(error) => {
                    return Err(with_item(py, error, doing, results.len()));
                }
            },
        };
        poller.advance_attached(py, ITEM)?;
        try_push(&mut results, result)?;
    }
    list_of(py, results)
}

/// The work that an item is at most, in bytes, which is not done detached.
const ITEM: usize = 4 << 10;

/// The error with a note that it occurred while `doing` an item. Python 3.10 has no notes, and an error matters more than
/// a note that cannot be added; where memory is exhausted, a note would take some.
#[cold]
fn with_item(py: Python<'_>, error: PyErr, doing: &str, index: usize) -> PyErr {
    if !error.is_instance_of::<PyMemoryError>(py) {
        let note = format!("while {doing} item {index}");
        let _ = error.value(py).call_method1(intern!(py, "add_note"), (note,));
    }
    error
}

/// What `codecs.utf_8_decode(data, errors, final)` gives or raises: a text, and how many bytes it stands for.
pub(super) fn decode_prefix<'py>(
    data: &Bound<'py, PyAny>,
    errors: Option<&Bound<'py, PyAny>>,
    last: bool,
) -> PyResult<(Bound<'py, PyString>, usize)> {
    let name = Name::of(errors.filter(|errors| !errors.is_none()), "utf_8_decode")?;
    let bytes = snapshot(data)?;
    let all = bytes.as_bytes();
    let finished = match all {
        _ if last => all.len(),
        [before @ .., 0xED, 0xA0..=0xBF] => before.len(), // see waits
        _ => all.len() - unfinished(all),
    };
    match decode_valid(data.py(), &all[..finished])? {
        Some(text) => Ok((text, finished)),
        None => {
            let (text, end) = decode_broken(&bytes, name.as_ref(), last)?;
            // A handler may have put other bytes in their place, where CPython goes by the last only if more come.
            Ok((text, if last { finished } else { end }))
        }
    }
}

/// The text that `data` hold, if they are valid. They must not change.
fn decode_valid<'py>(py: Python<'py>, data: &[u8]) -> PyResult<Option<Bound<'py, PyString>>> {
    let Some(measure) = detached(py, data.len(), |poller| measure(data, poller))? else {
        return Ok(None);
    };
    text_of(py, data, &measure).map(Some)
}

/// The text that `data` hold, which are valid.
pub(super) fn text_of<'py>(
    py: Python<'py>,
    data: &[u8],
    measure: &Measure,
) -> PyResult<Bound<'py, PyString>> {
    text_by(py, data, measure, Valid { py, data })
}

/// The measure of `data`; `None` if they are not valid.
fn measure(data: &[u8], poller: &mut SignalPoller) -> PyResult<Option<Measure>> {
    let implementation = Implementation::active();
    let mut whole = Measure::default();
    for step in chunks(data, CHUNK_BYTES) {
        let Some(measure) = implementation.measure(step) else { return Ok(None) };
        whole = whole.plus(measure);
        poller.advance(step.len())?;
    }
    Ok(Some(whole))
}

/// A text that is known to be valid.
struct Valid<'py, 'a> {
    py: Python<'py>,
    data: &'a [u8],
}

// SAFETY: decoders write as many units as they return.
unsafe impl Fill for Valid<'_, '_> {
    type Failure = PyErr;

    fn fill<U: Unit>(self, out: &mut [MaybeUninit<U>]) -> PyResult<usize> {
        detached(self.py, self.data.len(), |poller| fill_valid(self.data, out, poller))
    }
}

/// Fills the start of `out` with the characters of `data`, which are valid; returns how many these are.
fn fill_valid<U: Unit>(
    data: &[u8],
    out: &mut [MaybeUninit<U>],
    poller: &mut SignalPoller,
) -> PyResult<usize> {
    let implementation = Implementation::active();
    let mut written = 0;
    for step in chunks(data, CHUNK_BYTES) {
        written += implementation.fill(step, &mut out[written..]);
        poller.advance(step.len())?;
    }
    Ok(written)
}

/// The measure of `data`, which are valid.
fn measure_valid(data: &[u8], progress: &mut impl FnMut(usize) -> PyResult<()>) -> PyResult<Measure> {
    let implementation = Implementation::active();
    let mut whole = Measure::default();
    for step in chunks(data, CHUNK_BYTES) {
        whole = whole.plus(implementation.measure_valid(step));
        progress(step.len())?;
    }
    Ok(whole)
}

/// The text that generalized UTF-8 holds: among its characters surrogates may stand.
pub(super) fn decode_generalized<'py>(bytes: &Bound<'py, PyBytes>) -> PyResult<Bound<'py, PyString>> {
    match decode_valid(bytes.py(), bytes.as_bytes())? {
        Some(text) => Ok(text),
        None => Ok(mend(bytes, Mending::SurrogatePass, true)?.0),
    }
}

/// Decodes bytes that have an error somewhere; unless they are the `last`, what is unfinished at their end is left.
/// Returns the text, and up to where it goes in the bytes that were decoded last.
#[cold]
fn decode_broken<'py>(
    bytes: &Bound<'py, PyBytes>,
    name: Option<&Name>,
    last: bool,
) -> PyResult<(Bound<'py, PyString>, usize)> {
    let py = bytes.py();
    match Mending::find(py, name)? {
        Handler::BuiltIn(mending) => mend(bytes, mending, last),
        Handler::Registered(handler) => {
            decode_by_calls(bytes, Calls::of(handler, UTF8), |data, at| decode_run(py, data, at, last))
        }
    }
}

/// Whether an error at the end of what has come so far may be none when more comes. CPython waits for the third
/// byte of a surrogate too, since "surrogatepass" needs it.
fn waits(data: &[u8], error: &Utf8Error) -> bool {
    match error.kind() {
        ErrorKind::Truncated => true,
        ErrorKind::Surrogate => error.start() as usize + 2 == data.len(),
        _ => false,
    }
}

/// What the handlers of CPython's codec do on decoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mending {
    Strict,
    Ignore,
    Replace,
    BackslashReplace,
    SurrogateEscape,
    SurrogatePass,
}

impl BuiltIn for Mending {
    fn fixed(name: &[u8]) -> Option<Self> {
        match name {
            b"ignore" => Some(Self::Ignore),
            b"replace" => Some(Self::Replace),
            b"surrogateescape" => Some(Self::SurrogateEscape),
            _ => None,
        }
    }

    fn looked_up(name: &[u8]) -> Option<(Self, &'static str)> {
        match name {
            b"strict" => Some((Self::Strict, "strict_errors")),
            b"backslashreplace" => Some((Self::BackslashReplace, "backslashreplace_errors")),
            b"surrogatepass" => Some((Self::SurrogatePass, "surrogatepass")),
            _ => None,
        }
    }
}

/// What is written instead of an error: at most four code points a byte.
#[derive(Default)]
struct Patch {
    units: [u16; 4 * Utf8Error::LONGEST],
    length: usize,
    /// Where decoding goes on.
    end: usize,
}

impl Patch {
    fn push(&mut self, unit: u16) {
        self.units[self.length] = unit;
        self.length += 1;
    }

    fn units(&self) -> &[u16] {
        &self.units[..self.length]
    }
}

impl Mending {
    /// The patch for an error in `data`, or `None` if it has to be raised.
    #[inline(always)]
    fn patch(self, data: &[u8], error: &Utf8Error) -> Option<Patch> {
        let mut patch = Patch { end: error.end() as usize, ..Patch::default() };
        match self {
            Self::Strict => return None,
            Self::Ignore => {}
            Self::Replace => patch.push(0xFFFD),
            Self::BackslashReplace => {
                for &byte in error.bytes() {
                    let digit = |nibble: u8| u16::from(b"0123456789abcdef"[usize::from(nibble)]);
                    for unit in [u16::from(b'\\'), u16::from(b'x'), digit(byte >> 4), digit(byte & 0xF)] {
                        patch.push(unit);
                    }
                }
            }
            Self::SurrogateEscape => {
                error.bytes().iter().for_each(|&byte| patch.push(0xDC00 | u16::from(byte)));
            }
            Self::SurrogatePass => match data[error.start() as usize..] {
                [0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF, ..] => {
                    patch.push(0xD000 | u16::from(second & 0x3F) << 6 | u16::from(third & 0x3F));
                    patch.end += 2;
                }
                _ => return None,
            },
        }
        Some(patch)
    }
}

/// A text with errors that are mended natively.
struct Mended<'py, 'a> {
    py: Python<'py>,
    data: &'a [u8],
    errors: &'a ErrorBuffer<'a>,
    mending: Mending,
}

// SAFETY: decoders write as many units as they return, and so does `put`.
unsafe impl Fill for Mended<'_, '_> {
    type Failure = PyErr;

    fn fill<U: Unit>(self, out: &mut [MaybeUninit<U>]) -> PyResult<usize> {
        let Self { py, data, errors, mending } = self;
        detached(py, data.len(), |poller| {
            let (mut at, mut written) = (0, 0);
            for error in errors.iter() {
                let start = error.start() as usize;
                // A surrogate's second and third byte are errors by themselves, but were passed with it.
                if start < at {
                    continue;
                }
                if start >= data.len() {
                    break;
                }
                let Some(patch) = mending.patch(data, &error) else { break };
                if at < start {
                    written += fill_valid(&data[at..start], &mut out[written..], poller)?;
                }
                for &unit in patch.units() {
                    written += put(&mut out[written..], &[U::of(unit.into()).0]);
                }
                at = patch.end;
                poller.advance(ERROR_COST_BYTES)?;
            }
            Ok(written + fill_valid(&data[at..], &mut out[written..], poller)?)
        })
    }
}

/// Decodes bytes with errors natively.
fn mend<'py>(
    bytes: &Bound<'py, PyBytes>,
    mending: Mending,
    last: bool,
) -> PyResult<(Bound<'py, PyString>, usize)> {
    let py = bytes.py();
    let data = bytes.as_bytes();
    let implementation = Implementation::active();
    let (mut at, mut end) = (0, data.len());
    let mut whole = Measure::default();
    let mut kind = Kind::Ascii;
    let mut unmended = None;
    let errors = detached(py, data.len(), |poller| {
        let see = |error: &Utf8Error, progress: &mut _| {
            let start = error.start() as usize;
            if start < at {
                return Ok(true);
            }
            let patch = match mending.patch(data, error) {
                _ if !last && waits(data, error) => {
                    end = start;
                    return Ok(false);
                }
                None => {
                    unmended = Some(*error);
                    return Ok(false);
                }
                Some(patch) => patch,
            };
            if at < start {
                whole = whole.plus(measure_valid(&data[at..start], progress)?);
            }
            whole.chars = sum(whole.chars, patch.length)?;
            kind = patch.units().iter().fold(kind, |kind, &unit| kind.max(Kind::of(unit.into())));
            at = patch.end;
            Ok(true)
        };
        ErrorBuffer::of(implementation, data, see, |work| poller.advance(work))
    })?;
    if let Some(error) = unmended {
        return Err(raised_after(bytes, errors.iter().next().unwrap_or(error).into(), error.into()));
    }
    whole = whole.plus(detached(py, end - at, |poller| {
        measure_valid(&data[at..end], &mut |work| poller.advance(work))
    })?);
    kind = kind.max(Kind::of_measured(&whole));
    let mended = Mended { py, data: &data[..end], errors: &errors, mending };
    Ok((new_str(py, whole.chars, kind, mended)?, end))
}

/// What ends a run of valid bytes.
pub(super) enum Stop {
    Error(Fault),
    /// The end, or what is unfinished before it: up to here they were decoded.
    End(usize),
}

/// The text that `data[at..]` begin with, and what ends it; unless they are the `last`, what is unfinished at their
/// end is left.
fn decode_run<'py>(
    py: Python<'py>,
    data: &[u8],
    at: usize,
    last: bool,
) -> PyResult<(Option<Bound<'py, PyString>>, Stop)> {
    let error = detached(py, data.len() - at, |poller| {
        ErrorIter::starting_at(Implementation::active(), data, at).next_error_with(|| poller.poll())
    })?;
    let end = error.map_or(data.len(), |error| error.start() as usize);
    let stop = match error {
        Some(error) if last || !waits(data, &error) => Stop::Error(error.into()),
        _ => Stop::End(end),
    };
    Ok((decode_valid(py, &data[at..end])?, stop))
}

/// Decodes bytes with errors by a handler that is called for each, in order; `decode_run` decodes what stands
/// between them.
pub(super) fn decode_by_calls<'py>(
    bytes: &Bound<'py, PyBytes>,
    mut calls: Calls<'py>,
    decode_run: impl Fn(&[u8], usize) -> PyResult<(Option<Bound<'py, PyString>>, Stop)>,
) -> PyResult<(Bound<'py, PyString>, usize)> {
    let mut pieces = Builder::new();
    // The handler may put other bytes in their place.
    let mut bytes = bytes.clone();
    let mut at = 0;
    let mut poller = SignalPoller::default();
    loop {
        // Python looks for signals, and lets other threads run, only while it runs code of its own.
        poller.advance_attached(bytes.py(), ERROR_COST_BYTES)?;
        let (text, stop) = decode_run(bytes.as_bytes(), at)?;
        if let Some(text) = text {
            pieces.push(&text)?;
        }
        match stop {
            Stop::Error(fault) => {
                let replacement;
                (replacement, bytes, at) = calls.decoding(&bytes, fault)?;
                pieces.push(&replacement)?;
            }
            Stop::End(end) => return Ok((pieces.finish(bytes.py())?, end)),
        }
    }
}
