//! Decoding: UTF-8 to str.

use std::convert::Infallible;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction, PyList, PyString};

use leadbyte::Utf8Error;
use leadbyte::bindings::allocation::{product, sum};
use leadbyte::bindings::encodings::{
    ESCAPE_SEQUENCE_BYTES, ErrorHandler, Fault, Scheme, escape_sequence, utf8_is_incomplete,
};
use leadbyte::bindings::error_iter::{ERROR_COST_BYTES, ErrorIter, first_error};
use leadbyte::bindings::kernels::{CodeUnit, End, ErrorUnits, Measure, OnePass};
use leadbyte::bindings::newlines::universal_newlines;
use leadbyte::bindings::progress::Poll;
use leadbyte::bindings::sequence::{CHUNK_BYTES, chunks};
use leadbyte::bindings::simd::{Implementation, MaybeUninit, Scratch};
use leadbyte::bindings::with_errors::{Division, WithErrors};

use super::arguments::Optional;
use super::buffer::{SignalPoller, detached, incomplete, polled, searched, snapshot, supervised};
use super::errors::UTF8;
use super::handlers::{Calls, Codec, Handler, Name, raised_after};
use super::interpreter::guarded;
use super::list::each;
use super::string::{Builder, Fill, Kind, Unfinished, new_ascii, new_str};
use super::work_error::{WorkError, memory_error};

/// The functions of this file that Python can call.
pub(super) fn exported<'py>(module: &Bound<'py, PyModule>) -> PyResult<Vec<Bound<'py, PyCFunction>>> {
    Ok(vec![wrap_pyfunction!(_decode_universal, module)?, wrap_pyfunction!(decode_many, module)?])
}

/// Returns or raises what `bytes(data).decode("utf-8", errors)` does.
pub(super) fn decode<'py>(data: &Bound<'py, PyAny>, errors: Option<&Name>) -> PyResult<Bound<'py, PyString>> {
    let bytes = snapshot(data)?;
    match decode_valid(data.py(), bytes.as_bytes())? {
        Some(text) => Ok(text),
        None => Ok(decode_invalid(&bytes, errors, true)?.0),
    }
}

/// Returns the text of short `bytes`, or `None` if they are too long, of another type or not valid. This path has as
/// few branches as possible, which would take as long as the decoding.
#[inline(always)]
pub(super) fn decode_short<'py>(bytes: &Bound<'py, PyAny>) -> Option<Bound<'py, PyString>> {
    let py = bytes.py();
    let data = bytes.cast_exact::<PyBytes>().ok()?.as_bytes();
    let implementation = Implementation::active();
    if data.len() > MAX_SHORT_BYTES {
        return None;
    }
    if implementation.decodes_in_one_pass(data.len()) {
        return decode_in_one_pass(py, data).ok().flatten();
    }
    if implementation.decodes_short(data.len())
        && let Some(text) = decode_first(py, data)
    {
        return text.ok();
    }
    let measure = implementation.measure(data)?;
    short_text_of(py, data, &measure).ok()
}

/// Returns the text of short data, decoded before the kind of its str is known; `None` if it is not valid, or has
/// characters above U+FFFF. (Not inlined, so that callers do not have its buffer on their stack.)
#[inline(never)]
fn decode_first<'py>(py: Python<'py>, data: &[u8]) -> Option<PyResult<Bound<'py, PyString>>> {
    if data.is_ascii() {
        return Some(new_ascii(py, data));
    }
    let mut buffer = Scratch::<u16, { OnePass::MAX_SHORT_BYTES }>::uninit();
    let mut length = None;
    let units = buffer.filled(data.len(), |places| {
        length = OnePass::decode_short(data, places);
        length.unwrap_or_default()
    });
    length?;
    let bits = units.iter().fold(0, |bits, unit| bits | unit);
    Some(new_str(py, units.len(), Kind::of_bits(bits.into()), Narrowed(units)))
}

/// Characters that are decoded already.
struct Narrowed<'a>(&'a [u16]);

// SAFETY: as many units are written as are returned.
unsafe impl Fill for Narrowed<'_> {
    type Failure = Infallible;

    #[inline(always)]
    fn fill<U: CodeUnit>(self, out: &mut [MaybeUninit<U>]) -> Result<usize, Infallible> {
        for (place, &unit) in out.iter_mut().zip(self.0) {
            place.write(U::of_narrow(unit.into()));
        }
        Ok(self.0.len().min(out.len()))
    }
}

/// Returns the text of short, valid data.
#[inline(always)]
pub(super) fn short_text_of<'py>(
    py: Python<'py>,
    data: &[u8],
    measure: &Measure,
) -> PyResult<Bound<'py, PyString>> {
    text_by(py, data, measure, Short(data))
}

/// Returns the text of valid `data`, as `fill` writes it.
#[inline(always)]
fn text_by<'py>(
    py: Python<'py>,
    data: &[u8],
    measure: &Measure,
    fill: impl Fill,
) -> PyResult<Bound<'py, PyString>> {
    match Kind::of_largest(measure.largest) {
        Kind::Ascii => new_ascii(py, data),
        kind => new_str(py, measure.chars, kind, fill),
    }
}

/// The most bytes that are decoded without looking for signals.
pub(super) const MAX_SHORT_BYTES: usize = 16 << 10;

/// Short, valid data.
struct Short<'a>(&'a [u8]);

// SAFETY: decoders write as many units as they return.
unsafe impl Fill for Short<'_> {
    type Failure = Infallible;

    #[inline(always)]
    fn fill<U: CodeUnit>(self, out: &mut [MaybeUninit<U>]) -> Result<usize, Infallible> {
        Ok(Implementation::active().fill(self.0, out))
    }
}

/// Return the text of data with universal newlines, or None if data is not UTF-8.
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(super) fn _decode_universal<'py>(data: &Bound<'py, PyBytes>) -> PyResult<Option<Bound<'py, PyString>>> {
    guarded(|| {
        let (py, bytes) = (data.py(), data.as_bytes());
        let translated = supervised(py, bytes.len(), |progress| universal_newlines(bytes, progress))?;
        // Invalid data stays invalid without its CRs, as each leaves an LF.
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

/// Returns or raises what `codecs.utf_8_decode(data, errors, final)` does: the text and the number of bytes decoded.
pub(super) fn decode_prefix<'py>(
    data: &Bound<'py, PyAny>,
    errors: Option<&Bound<'py, PyAny>>,
    last: bool,
) -> PyResult<(Bound<'py, PyString>, usize)> {
    let name = Name::of(errors.filter(|errors| !errors.is_none()), "utf_8_decode")?;
    let bytes = snapshot(data)?;
    let all = bytes.as_bytes();
    let complete = if last { all.len() } else { all.len() - Scheme::Utf8.incomplete_suffix(all) };
    match decode_valid(data.py(), &all[..complete])? {
        Some(text) => Ok((text, complete)),
        None => {
            let (text, end) = decode_invalid(&bytes, name.as_ref(), last)?;
            // A handler may have exchanged the bytes; CPython counts the new ones only if more follow.
            Ok((text, if last { complete } else { end }))
        }
    }
}

/// Returns the text of `data`, which must not change, or `None` if it is not valid.
pub(super) fn decode_valid<'py>(py: Python<'py>, data: &[u8]) -> PyResult<Option<Bound<'py, PyString>>> {
    if Implementation::active().decodes_in_one_pass(data.len()) {
        return decode_in_one_pass(py, data);
    }
    let Some(measure) = detached(py, data.len(), |poller| measure(data, poller))? else {
        return Ok(None);
    };
    text_of(py, data, &measure).map(Some)
}

/// Returns the text of `data`, which must not change, or `None` if it is not valid, without measuring it first.
fn decode_in_one_pass<'py>(py: Python<'py>, data: &[u8]) -> PyResult<Option<Bound<'py, PyString>>> {
    let mut rest = data;
    let kind = |rest: &[u8]| rest.first().map_or(Kind::Ascii, |&lead| Kind::of_largest(lead));
    let mut text = Unfinished::new(py, data.len(), kind(rest))?;
    let mut decoder = OnePass::default();
    loop {
        let mut end = End::Data;
        let largest_lead = text.kind().largest_byte();
        text.append(Rest { py, data: &mut rest, decoder: &mut decoder, largest_lead, end: &mut end })?;
        match end {
            End::Data => return text.finish().map(Some),
            End::Error => return Ok(None),
            End::Large => text = text.widened(kind(rest))?,
        }
    }
}

/// Data that may be valid, and is decoded up to an error or a character that the kind of the str lacks.
struct Rest<'py, 'a, 'b> {
    py: Python<'py>,
    /// The bytes that are not decoded yet.
    data: &'b mut &'a [u8],
    decoder: &'b mut OnePass,
    largest_lead: u8,
    /// Why decoding ended.
    end: &'b mut End,
}

// SAFETY: decoders write as many units as they return.
unsafe impl Fill for Rest<'_, '_, '_> {
    type Failure = PyErr;

    fn fill<U: CodeUnit>(self, out: &mut [MaybeUninit<U>]) -> PyResult<usize> {
        let Self { py, data, decoder, largest_lead, end } = self;
        detached(py, data.len(), |poller| {
            let mut written = 0;
            for step in chunks(data, CHUNK_BYTES) {
                let decoded = decoder.decode(step, &mut out[written..], largest_lead);
                written += decoded.units;
                *data = &data[decoded.bytes..];
                *end = decoded.end;
                if decoded.end != End::Data {
                    break;
                }
                poller.advance(step.len())?;
            }
            Ok(written)
        })
    }
}

/// Returns the text of valid `data`.
pub(super) fn text_of<'py>(
    py: Python<'py>,
    data: &[u8],
    measure: &Measure,
) -> PyResult<Bound<'py, PyString>> {
    text_by(py, data, measure, ValidData { py, data })
}

/// Returns the measure of `data`, or `None` if it is not valid.
fn measure(data: &[u8], poller: &mut SignalPoller) -> Result<Option<Measure>, WorkError> {
    let implementation = Implementation::active();
    let mut whole = Measure::default();
    for step in chunks(data, CHUNK_BYTES) {
        let Some(measure) = implementation.measure(step) else { return Ok(None) };
        whole = whole.plus(measure);
        poller.advance(step.len())?;
    }
    Ok(Some(whole))
}

/// Valid data.
struct ValidData<'py, 'a> {
    py: Python<'py>,
    data: &'a [u8],
}

// SAFETY: decoders write as many units as they return.
unsafe impl Fill for ValidData<'_, '_> {
    type Failure = PyErr;

    fn fill<U: CodeUnit>(self, out: &mut [MaybeUninit<U>]) -> PyResult<usize> {
        detached(self.py, self.data.len(), |poller| fill_valid(self.data, out, poller))
    }
}

/// Writes the characters of valid `data` to the start of `out`. Returns their number.
fn fill_valid<U: CodeUnit>(
    data: &[u8],
    out: &mut [MaybeUninit<U>],
    poller: &mut SignalPoller,
) -> Result<usize, WorkError> {
    let implementation = Implementation::active();
    let mut written = 0;
    for step in chunks(data, CHUNK_BYTES) {
        written += implementation.fill(step, &mut out[written..]);
        poller.advance(step.len())?;
    }
    Ok(written)
}

/// Returns the text of generalized UTF-8, which may have surrogates.
pub(super) fn decode_generalized<'py>(bytes: &Bound<'py, PyBytes>) -> PyResult<Bound<'py, PyString>> {
    Ok(decode_passing_surrogates(bytes, true)?.0)
}

/// Decodes bytes with an error. Unless they are the `last`, an incomplete character at their end is left. Returns the
/// text, and the end of it in the bytes that were decoded last.
#[cold]
fn decode_invalid<'py>(
    bytes: &Bound<'py, PyBytes>,
    name: Option<&Name>,
    last: bool,
) -> PyResult<(Bound<'py, PyString>, usize)> {
    let py = bytes.py();
    match Codec::Utf8Decoder.find(py, name)? {
        Handler::BuiltIn(handler) => decode_replacing(bytes, handler, last),
        Handler::Registered(handler) => {
            decode_by_calls(bytes, Calls::of(handler, UTF8), |data, at| decode_run(py, data, at, last))
        }
    }
}

/// Returns whether an error may be none once more bytes follow `data`.
fn is_incomplete(data: &[u8], error: &Utf8Error) -> bool {
    utf8_is_incomplete(error.kind(), data.len() - error.start() as usize)
}

/// What errors become.
#[derive(Clone, Copy)]
enum Substitute {
    Units(ErrorUnits),
    /// An escape sequence for each byte.
    EscapeSequences,
}

/// Decodes bytes with errors by a built-in handler. Unless they are the `last`, an incomplete character at their end is
/// left. Returns the text and its end in the bytes.
fn decode_replacing<'py>(
    bytes: &Bound<'py, PyBytes>,
    handler: ErrorHandler,
    last: bool,
) -> PyResult<(Bound<'py, PyString>, usize)> {
    let substitute = match handler {
        ErrorHandler::SurrogatePass => return decode_passing_surrogates(bytes, last),
        ErrorHandler::Ignore => Substitute::Units(ErrorUnits::None),
        ErrorHandler::Replace => Substitute::Units(ErrorUnits::Each(char::REPLACEMENT_CHARACTER as u16)),
        ErrorHandler::SurrogateEscape => Substitute::Units(ErrorUnits::Escapes),
        ErrorHandler::BackslashReplace => Substitute::EscapeSequences,
        ErrorHandler::Strict | ErrorHandler::XmlCharRefReplace | ErrorHandler::NameReplace(_) => {
            return Err(refusal(bytes, handler));
        }
    };
    let py = bytes.py();
    let data = bytes.as_bytes();
    let end = if last { data.len() } else { data.len() - Scheme::Utf8.incomplete_suffix(data) };
    let measured = supervised(py, end, |progress| {
        WithErrors::of(Implementation::active(), &data[..end], Division::DECODED, progress)
    })?;
    let counts = measured.counts();
    let kind = match counts {
        _ if counts.four_byte_chars > 0 => Kind::Ucs4,
        _ if counts.beyond_latin1 => Kind::Ucs2,
        _ if counts.continuations > 0 => Kind::Latin1,
        _ => Kind::Ascii,
    };
    let (substitutes, widest) = match substitute {
        Substitute::Units(ErrorUnits::None) => (0, Kind::Ascii),
        Substitute::Units(ErrorUnits::Each(unit)) => (counts.errors, Kind::of(unit.into())),
        Substitute::Units(ErrorUnits::Escapes) => (measured.error_bytes(), Kind::Ucs2),
        Substitute::EscapeSequences => {
            (product(measured.error_bytes(), ESCAPE_SEQUENCE_BYTES).map_err(memory_error)?, Kind::Ascii)
        }
    };
    let kind = if substitutes > 0 { kind.max(widest) } else { kind };
    let length = sum(counts.chars, substitutes).map_err(memory_error)?;
    Ok((new_str(py, length, kind, SubstitutedData { py, data: &measured, substitute })?, end))
}

/// Data with errors that are substituted.
struct SubstitutedData<'py, 'a> {
    py: Python<'py>,
    data: &'a WithErrors<'a>,
    substitute: Substitute,
}

// SAFETY: decoders write as many units as they return.
unsafe impl Fill for SubstitutedData<'_, '_> {
    type Failure = PyErr;

    fn fill<U: CodeUnit>(self, out: &mut [MaybeUninit<U>]) -> PyResult<usize> {
        let Self { py, data, substitute } = self;
        supervised(py, data.length(), |progress| match substitute {
            Substitute::Units(units) => data.decode(units, out, progress),
            Substitute::EscapeSequences => data.decode_escaped(escape_sequence, out, progress),
        })
    }
}

/// Decodes bytes with errors where surrogates are passed. Unless they are the `last`, an incomplete character at their
/// end is left. Returns the text and its end in the bytes.
fn decode_passing_surrogates<'py>(
    bytes: &Bound<'py, PyBytes>,
    last: bool,
) -> PyResult<(Bound<'py, PyString>, usize)> {
    let py = bytes.py();
    let data = bytes.as_bytes();
    let end = if last { data.len() } else { data.len() - Scheme::Utf8.incomplete_suffix(data) };
    match detached(py, end, |poller| measure_generalized(&data[..end], poller))? {
        Some(measure) => Ok((text_of(py, &data[..end], &measure)?, end)),
        None => Err(refusal(bytes, ErrorHandler::SurrogatePass)),
    }
}

/// Returns the measure of generalized UTF-8, or `None` if `data` is not.
fn measure_generalized(data: &[u8], poller: &mut SignalPoller) -> Result<Option<Measure>, WorkError> {
    let implementation = Implementation::active();
    let mut whole = Measure::default();
    for step in chunks(data, CHUNK_BYTES) {
        if !implementation.is_generalized(step) {
            return Ok(None);
        }
        whole = whole.plus(implementation.measure_valid(step));
        poller.advance(step.len())?;
    }
    Ok(Some(whole))
}

/// Returns the exception for the first error that the handler does not replace.
#[cold]
fn refusal(bytes: &Bound<'_, PyBytes>, handler: ErrorHandler) -> PyErr {
    let data = bytes.as_bytes();
    let mut errors = ErrorIter::new(Implementation::active(), data);
    let search = |poll: Poll<'_>| {
        let (mut first, mut at) = (None, 0);
        while let Some(error) = errors.next_error_with(poll)? {
            let start = error.start() as usize;
            // The second and third byte of a surrogate are errors of their own, but were passed with it.
            if start < at {
                continue;
            }
            let first = *first.get_or_insert(error);
            match handler.decode(Some(Scheme::Utf8), &data[start..], error.bytes().len()) {
                Some(replacement) => at = start + replacement.consumed,
                None => return Ok(Some((first, error))),
            }
        }
        Ok(None)
    };
    match polled(bytes.py(), data.len(), search) {
        Ok(Some((first, error))) => raised_after(bytes, first.into(), error.into()),
        Ok(None) => incomplete(0, data.len()),
        Err(raised) => raised,
    }
}

/// The end of a run of valid bytes.
pub(super) enum RunEnd {
    Error(Fault),
    /// The end of the data, or the start of an incomplete character before it.
    End(usize),
}

/// Returns the text at the start of `data[at..]`, and what ends it. Unless the data is the `last`, an incomplete
/// character at its end is left.
fn decode_run<'py>(
    py: Python<'py>,
    data: &[u8],
    at: usize,
    last: bool,
) -> PyResult<(Option<Bound<'py, PyString>>, RunEnd)> {
    let error = searched(py, data.len() - at, |progress| {
        first_error(Implementation::active(), &data[at..], &mut || progress(CHUNK_BYTES))
    })?;
    let error = error.map(|error| error.moved(at as u64));
    let end = error.map_or(data.len(), |error| error.start() as usize);
    let stop = match error {
        Some(error) if last || !is_incomplete(data, &error) => RunEnd::Error(error.into()),
        _ => RunEnd::End(end),
    };
    Ok((decode_valid(py, &data[at..end])?, stop))
}

/// Decodes bytes with errors by a handler that is called for each, in order. `decode_run` decodes the runs between
/// them.
pub(super) fn decode_by_calls<'py>(
    bytes: &Bound<'py, PyBytes>,
    mut calls: Calls<'py>,
    decode_run: impl Fn(&[u8], usize) -> PyResult<(Option<Bound<'py, PyString>>, RunEnd)>,
) -> PyResult<(Bound<'py, PyString>, usize)> {
    let mut pieces = Builder::new();
    // The handler may exchange the bytes.
    let mut bytes = bytes.clone();
    let mut at = 0;
    let mut poller = SignalPoller::default();
    loop {
        // Python handles signals, and lets other threads run, only between instructions of its own.
        poller.advance_attached(bytes.py(), ERROR_COST_BYTES)?;
        let (text, stop) = decode_run(bytes.as_bytes(), at)?;
        if let Some(text) = text {
            pieces.push(&text)?;
        }
        match stop {
            RunEnd::Error(fault) => {
                let replacement;
                (replacement, bytes, at) = calls.decoding(&bytes, fault)?;
                pieces.push(&replacement)?;
            }
            RunEnd::End(end) => return Ok((pieces.finish(bytes.py())?, end)),
        }
    }
}
