//! Conversions between encodings, bytes to bytes.

use std::borrow::Cow;

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyUnicodeDecodeError, PyUnicodeEncodeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction, PyString, PyTuple};

use leadbyte::bindings::allocation::{AllocError, Grow, sum, try_extend, try_push};
use leadbyte::bindings::encodings::{ErrorHandler, Fault, registry};
use leadbyte::bindings::simd::{MaybeUninit, put};
use leadbyte::bindings::transcode::{BomPolicy, Direct, Failure, Faults, Stop, transcoder};

use super::buffer::{copied_bytes, detached, new_bytes, snapshot, supervised};
use super::decode::decode_generalized;
use super::handlers::name_of;
use super::interpreter::guarded;
use super::list::list_of;
use super::shared::Exclusive;
use super::string::Text;
use super::work_error::memory_error;

/// The functions of this file that Python can call.
pub(super) fn exported<'py>(module: &Bound<'py, PyModule>) -> PyResult<Vec<Bound<'py, PyCFunction>>> {
    Ok(vec![wrap_pyfunction!(_transcode, module)?])
}

/// An encoding that the engine converts without Python's codecs.
#[pyclass(frozen, module = "leadbyte._leadbyte", name = "_Encoding")]
pub(super) struct Encoding {
    encoding: registry::Encoding,
    /// How it was found, for [`Encoding::of_definition`].
    definition: String,
}

#[pymethods]
impl Encoding {
    /// Return the encoding of Python's codec of this name if it is a Unicode encoding scheme, ASCII or Latin-1.
    #[staticmethod]
    fn unicode(name: &str) -> PyResult<Option<Self>> {
        guarded(|| Ok(Self::of_definition(format!("unicode {name}"))))
    }

    /// Return the single-byte encoding whose bytes 80 to FF are these characters, U+FFFE for undefined ones; None if
    /// one of them is ASCII or beyond U+FFFF.
    #[staticmethod]
    fn single_byte(name: &str, high: &Bound<'_, PyString>) -> PyResult<Option<Self>> {
        guarded(|| Ok(Self::of_definition(format!("table {name} {}", high.to_cow()?))))
    }

    /// Return the encoding that the WHATWG Encoding Standard has for a label, or None.
    #[staticmethod]
    fn whatwg(label: &str) -> PyResult<Option<Self>> {
        guarded(|| Ok(Self::of_definition(format!("whatwg {label}"))))
    }

    /// The name.
    #[getter]
    fn name(&self) -> Text<&str> {
        Text(&self.encoding.name)
    }

    /// The definition, which finds the same encoding in another process or copy of this library.
    #[getter]
    fn definition(&self) -> Text<&str> {
        Text(&self.definition)
    }

    /// The byte order mark that is written; empty if the encoding has none.
    #[getter]
    fn bom<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        copied_bytes(py, self.encoding.bom())
    }

    /// The byte order marks with which a text may begin.
    #[getter]
    fn boms<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        guarded(|| PyTuple::new(py, self.encoding.boms().into_iter().map(|(bom, _)| PyBytes::new(py, bom))))
    }
}

impl Encoding {
    fn of_definition(definition: String) -> Option<Self> {
        Some(Self { encoding: encoding_of(&definition)?, definition })
    }

    /// Returns the encoding itself.
    pub(super) fn encoding(&self) -> &registry::Encoding {
        &self.encoding
    }
}

/// Returns the encoding of a definition: a kind and a name, and of a table the characters of the bytes 80 to FF.
pub(super) fn encoding_of(definition: &str) -> Option<registry::Encoding> {
    let (kind, name) = definition.split_once(' ')?;
    match kind {
        "unicode" => registry::Encoding::unicode(name),
        "whatwg" => registry::Encoding::whatwg(name),
        _ => {
            let (name, high) = name.split_once(' ')?;
            let high: Vec<Option<char>> =
                high.chars().map(|character| (character != '\u{FFFE}').then_some(character)).collect();
            registry::Encoding::single_byte(name, &high.try_into().ok()?)
        }
    }
}

/// A conversion of a text that comes in pieces. Without a source it takes generalized UTF-8, without a target it gives
/// generalized UTF-8. If it collects faults it does not raise them, but continues after each, and writes FF for
/// malformed bytes.
#[pyclass(frozen, module = "leadbyte._leadbyte", name = "_Transcoder")]
pub(super) struct Transcoder(Exclusive<TranscoderState<'static>>);

struct TranscoderState<'e> {
    transcoder: transcoder::Transcoder<'e>,
    /// The bytes of an incomplete character at the end of the previous pieces.
    pending: Vec<u8>,
    /// The number of bytes before them.
    position: usize,
}

/// A part of the input that could not be converted: its offset in bytes, its bytes, and CPython's reason.
type Collected<'py> = (usize, Bound<'py, PyBytes>, &'static str);

#[pymethods]
impl Transcoder {
    #[new]
    #[pyo3(signature = (source, target, errors, bom, /, *, collect_faults = false))]
    fn new(
        source: Option<&Encoding>,
        target: Option<&Encoding>,
        errors: &str,
        bom: Option<&str>,
        collect_faults: bool,
    ) -> PyResult<Self> {
        guarded(|| {
            let faults = if collect_faults { Faults::Collect(vec![]) } else { Faults::Stop };
            let [source, target] =
                [source, target].map(|encoding| encoding.map(|it| Cow::Owned(it.encoding.clone())));
            TranscoderState::new(source, target, errors, bom, faults).map(|state| Self(Exclusive::new(state)))
        })
    }

    /// Return the conversion of the next bytes. After the last, and after an exception, no more are taken.
    #[pyo3(signature = (data, /, *, last))]
    fn feed<'py>(&self, data: &Bound<'py, PyAny>, last: bool) -> PyResult<Bound<'py, PyBytes>> {
        guarded(|| Ok(self.advance(data, last)?.0))
    }

    /// Return the conversion of the next bytes, and the faults in them.
    #[pyo3(signature = (data, /, *, last))]
    fn feed_with_faults<'py>(&self, data: &Bound<'py, PyAny>, last: bool) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| {
            let (bytes, faults) = self.advance(data, last)?;
            (bytes, list_of(data.py(), faults)?).into_bound_py_any(data.py())
        })
    }
}

impl Transcoder {
    fn advance<'py>(
        &self,
        data: &Bound<'py, PyAny>,
        last: bool,
    ) -> PyResult<(Bound<'py, PyBytes>, Vec<Collected<'py>>)> {
        let bytes = snapshot(data)?;
        let unusable = "this Transcoder has finished, has failed, or is at work";
        self.0.advance(data.py(), unusable, |mut state| {
            let converted = state.feed(&bytes, last)?;
            Ok((converted, (!last).then_some(state)))
        })
    }
}

/// Return data in one encoding converted to another.
#[pyfunction]
#[pyo3(signature = (data, source, target, errors, bom, /))]
pub(super) fn _transcode<'py>(
    data: &Bound<'py, PyAny>,
    source: &Encoding,
    target: &Encoding,
    errors: &str,
    bom: Option<&str>,
) -> PyResult<Bound<'py, PyBytes>> {
    guarded(|| {
        let [source, target] = [source, target].map(|encoding| Some(Cow::Borrowed(&encoding.encoding)));
        let mut state = TranscoderState::new(source, target, errors, bom, Faults::Stop)?;
        Ok(state.feed(&snapshot(data)?, true)?.0)
    })
}

impl<'e> TranscoderState<'e> {
    fn new(
        source: Option<Cow<'e, registry::Encoding>>,
        target: Option<Cow<'e, registry::Encoding>>,
        errors: &str,
        bom: Option<&str>,
        faults: Faults,
    ) -> PyResult<Self> {
        let handler = ErrorHandler::from_name(errors.as_bytes(), name_of)
            .ok_or_else(|| PyValueError::new_err(format!("not a built-in error handler: {errors:?}")))?;
        let transcoder = transcoder::Transcoder::new(source, target, handler, bom_policy(bom)?, faults);
        Ok(Self { transcoder, pending: vec![], position: 0 })
    }

    fn feed<'py>(
        &mut self,
        data: &Bound<'py, PyBytes>,
        last: bool,
    ) -> PyResult<(Bound<'py, PyBytes>, Vec<Collected<'py>>)> {
        let py = data.py();
        let data = match self.pending.is_empty() {
            true => data.clone(),
            false => joined(py, &self.pending, data.as_bytes())?,
        };
        self.pending.clear();
        let all = data.as_bytes();
        let Some((bom, start)) = self.transcoder.start(all, last) else {
            try_extend(&mut self.pending, all).map_err(memory_error)?;
            return Ok((copied_bytes(py, b"")?, vec![]));
        };
        let rest = &all[start..];
        if let Some(direct) = self.transcoder.direct() {
            let complete = if last { rest } else { direct.complete(rest) };
            if let Some(converted) = convert_directly(py, direct, complete, bom)? {
                self.advance(all, start + complete.len()).map_err(memory_error)?;
                return Ok((converted, vec![]));
            }
        } else if last
            && let Some((text, direct)) = self.transcoder.decode_short(rest).map_err(memory_error)?
            && let Some(converted) = convert_directly(py, direct, &text, bom)?
        {
            self.advance(all, start + rest.len()).map_err(memory_error)?;
            return Ok((converted, vec![]));
        }
        let mut carry = vec![];
        try_extend(&mut carry, self.transcoder.carry()).map_err(memory_error)?;
        // Most conversions that are not direct are between encodings of about the same length.
        let mut out = vec![];
        out.grow(sum(bom.len(), rest.len()).map_err(memory_error)?).map_err(memory_error)?;
        try_extend(&mut out, bom).map_err(memory_error)?;
        let converted = detached(py, rest.len(), |poller| {
            poller.supervised(|progress| match self.transcoder.convert(rest, last, &mut out, progress) {
                Ok(read) => Ok(Ok(read)),
                Err(Stop::Failed(failure)) => Ok(Err(failure)),
                Err(Stop::Early(stopped)) => Err(stopped),
            })
        })?;
        match converted {
            Ok(read) => {
                let collected = match self.transcoder.take_faults() {
                    faults if faults.is_empty() => vec![],
                    faults => collected(py, faults, self.position + start, &carry, rest)?,
                };
                self.advance(all, start + read).map_err(memory_error)?;
                Ok((copied_bytes(py, &out)?, collected))
            }
            Err(failure) => Err(self.exception(&data, start, failure)),
        }
    }

    /// Records that the first `read` bytes of `data` were converted.
    fn advance(&mut self, data: &[u8], read: usize) -> Result<(), AllocError> {
        self.position = self.position.saturating_add(read);
        match &data[read..] {
            [] => Ok(()),
            rest => try_extend(&mut self.pending, rest),
        }
    }

    /// Returns the exception for a conversion of `data[from..]` that failed.
    #[cold]
    fn exception(&self, data: &Bound<'_, PyBytes>, from: usize, failure: Failure) -> PyErr {
        let py = data.py();
        match failure {
            Failure::Malformed(_) if !self.transcoder.error_handler().handles_decoding() => {
                PyTypeError::new_err("don't know how to handle UnicodeDecodeError in error callback")
            }
            Failure::Malformed(Fault { start, end, reason }) => {
                let name = self.transcoder.source_exception_name().to_owned();
                let object = match self.transcoder.carry() {
                    [] => Ok(data.clone()),
                    carry => joined(py, carry, data.as_bytes()),
                };
                match object {
                    Ok(object) => PyUnicodeDecodeError::new_err((
                        name,
                        object.unbind(),
                        from + start,
                        from + end,
                        reason,
                    )),
                    Err(error) => error,
                }
            }
            Failure::Unmappable(text, fault) => {
                unmappable(py, self.transcoder.target_exception_name(), &text, fault)
            }
        }
    }
}

/// Returns the exception for a part of a text in generalized UTF-8 that an encoding, by its name in exceptions, lacks.
#[cold]
pub(super) fn unmappable(py: Python<'_>, name: &str, text: &[u8], fault: Fault) -> PyErr {
    let chars = |end| text.get(..end).map_or(0, leadbyte::count_chars);
    match copied_bytes(py, text).and_then(|bytes| decode_generalized(&bytes)) {
        Ok(object) => PyUnicodeEncodeError::new_err((
            name.to_owned(),
            object.unbind(),
            chars(fault.start),
            chars(fault.end),
            fault.reason,
        )),
        Err(error) => error,
    }
}

/// Returns the policy for byte order marks of a name.
pub(super) fn bom_policy(name: Option<&str>) -> PyResult<BomPolicy> {
    Ok(match name {
        None => BomPolicy::Default,
        Some("keep") => BomPolicy::Keep,
        Some("strip") => BomPolicy::Strip,
        Some("add") => BomPolicy::Add,
        Some(other) => {
            return Err(PyValueError::new_err(format!("not a policy for byte order marks: {other:?}")));
        }
    })
}

/// Returns faults with their bytes and their offsets in all data. Their own offsets count from the start of `carry`,
/// which precedes `data`; `position` bytes precede that.
#[cold]
fn collected<'py>(
    py: Python<'py>,
    faults: Vec<Fault>,
    position: usize,
    carry: &[u8],
    data: &[u8],
) -> PyResult<Vec<Collected<'py>>> {
    let mut collected = vec![];
    for Fault { start, end, reason } in faults {
        let bytes = match start.checked_sub(carry.len()) {
            Some(start) => copied_bytes(py, data.get(start..end - carry.len()).unwrap_or_default())?,
            None => copied_bytes(py, &[carry, data].concat()[start..end])?,
        };
        try_push(&mut collected, (position + start - carry.len(), bytes, reason)).map_err(memory_error)?;
    }
    Ok(collected)
}

/// Returns a byte order mark and the conversion of `data`, or `None` if `data` has malformed or unmappable parts.
fn convert_directly<'py>(
    py: Python<'py>,
    direct: Direct,
    data: &[u8],
    bom: &[u8],
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let measured = supervised(py, data.len(), |progress| direct.length(data, progress))?;
    let Some(length) = measured else { return Ok(None) };
    let mut stopped = false;
    let fill = |out: &mut [MaybeUninit<u8>]| {
        let start = put(out, bom);
        let filled = supervised(py, data.len(), |progress| direct.fill(data, &mut out[start..], progress))?;
        stopped = filled.is_none();
        Ok(start + filled.unwrap_or(0))
    };
    // SAFETY: `put` writes as many bytes as it returns, and so does a conversion.
    let bytes = unsafe { new_bytes(py, sum(bom.len(), length).map_err(memory_error)?, fill) };
    if stopped { Ok(None) } else { bytes.map(Some) }
}

/// Returns new bytes: `first`, then `second`.
fn joined<'py>(py: Python<'py>, first: &[u8], second: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let fill = |out: &mut [MaybeUninit<u8>]| {
        let start = put(out, first);
        Ok(start + put(&mut out[start..], second))
    };
    // SAFETY: `put` writes as many bytes as it returns.
    unsafe { new_bytes(py, sum(first.len(), second.len()).map_err(memory_error)?, fill) }
}
