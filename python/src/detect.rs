//! The functions `detect` and `detect_all`, and the classes `Detection` and `Detector`.

use std::hash::{Hash, Hasher};
use std::sync::{Mutex, OnceLock};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyCFunction, PyDict, PyList, PyString, PyTuple};

use leadbyte::bindings::detect::{
    DeclaredEncoding, DetectorState, Encodings, Query, TextEnd, ascii_length, language, rank_with,
};

use super::buffer::{Buffer, for_each_chunk, polled};
use super::fields::{self, reduced};
use super::interpreter::guarded;
use super::list::{Float, list_of};
use super::string::Text;

/// The functions of this file that Python can call.
pub(super) fn exported<'py>(module: &Bound<'py, PyModule>) -> PyResult<Vec<Bound<'py, PyCFunction>>> {
    Ok(vec![
        wrap_pyfunction!(_detect_whole, module)?,
        wrap_pyfunction!(_detectable_encodings, module)?,
        wrap_pyfunction!(detect, module)?,
        wrap_pyfunction!(detect_all, module)?,
    ])
}

/// Detect whether data is text, in which encoding, or another format. Return a Detection.
///
/// data: any bytes-like object with a contiguous buffer; it is not copied. All of it is validated as UTF-8; a legacy
/// encoding is detected in a sample. TypeError if data is not bytes-like.
/// encodings: the names of those to choose from; all if it is None. They are names for codecs.lookup, labels of the
/// WHATWG Encoding Standard, or numbers of code pages; each means the one that is reported for it: 'shift_jis' for
/// 'cp932'. If the data is text in none of them, the encoding is None; 'utf-8' is also found in text with errors, with
/// a confidence of 0.5 at most. LookupError for the name of another encoding, ValueError if there is none.
///
/// >>> leadbyte.detect('Привет, мир'.encode('koi8-r')).encoding
/// 'koi8-r'
/// >>> leadbyte.detect(b'\x1f\x8b\x08\x00\x00\x00\x00\x00').kind
/// 'gzip'
/// >>> leadbyte.detect(b'caf\xe9 noir', encodings=['utf-8', 'latin-1']).encoding
/// 'iso-8859-1'
/// >>> leadbyte.detect('text')
/// Traceback (most recent call last):
/// TypeError: a bytes-like object is required, not 'str'; leadbyte.encode returns the UTF-8 of a str
#[pyfunction]
#[pyo3(signature = (data, /, *, encodings = None))]
pub(super) fn detect(data: &Bound<'_, PyAny>, encodings: Option<&Bound<'_, PyAny>>) -> PyResult<Detection> {
    guarded(|| detected(data, Query::of(&encodings_argument(encodings)?)))
}

/// Detect the encoding of a text that is known to be complete, as detect otherwise.
///
/// Bytes at the end that would cut its only character of UTF-8 are characters of another encoding.
#[pyfunction]
#[pyo3(signature = (data, encodings = None))]
pub(super) fn _detect_whole(
    data: &Bound<'_, PyAny>,
    encodings: Option<&Bound<'_, PyAny>>,
) -> PyResult<Detection> {
    guarded(|| {
        let encodings = encodings_argument(encodings)?;
        detected(data, Query { end: TextEnd::Complete, ..Query::of(&encodings) })
    })
}

fn detected(data: &Bound<'_, PyAny>, query: Query<'_>) -> PyResult<Detection> {
    let buffer = Buffer::of(data)?;
    let bytes = buffer.as_slice();
    let found = polled(data.py(), bytes.len(), |poll| rank_with(bytes, query, poll))?;
    Ok(Detection::with_sample(found.first, bytes))
}

/// Return a list of Detections: all encodings in which data is likely to be text, the most likely first.
///
/// The first is the result of detect. Of several encodings that give the same text only the most frequent is in the
/// list. A certain result, as for valid UTF-8, is the only one, and so is the result for data that is not text.
///
/// data, encodings: as for detect, with the same exceptions.
///
/// >>> cyrillic = ['cp866', 'cp1251', 'koi8-r']
/// >>> [found.encoding for found in leadbyte.detect_all('Мы'.encode('cp1251'), encodings=cyrillic)]
/// ['windows-1251', 'koi8-r', 'ibm866']
/// >>> [found.encoding for found in leadbyte.detect_all('Привет'.encode())]
/// ['utf-8']
/// >>> leadbyte.detect_all(b'text', encodings=['utf-9'])
/// Traceback (most recent call last):
/// LookupError: unknown encoding: utf-9
#[pyfunction]
#[pyo3(signature = (data, /, *, encodings = None))]
pub(super) fn detect_all<'py>(
    data: &Bound<'py, PyAny>,
    encodings: Option<&Bound<'_, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    guarded(|| {
        let encodings = encodings_argument(encodings)?;
        let buffer = Buffer::of(data)?;
        let bytes = buffer.as_slice();
        let ranking = polled(data.py(), bytes.len(), |poll| {
            rank_with(bytes, Query { all: true, ..Query::of(&encodings) }, poll)
        })?;
        let found = ranking.into_iter().map(|found| Detection::with_sample(found, bytes));
        list_of(data.py(), found.collect::<Vec<_>>())
    })
}

/// Return the names of all encodings that detect reports.
#[pyfunction]
pub(super) fn _detectable_encodings(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    guarded(|| list_of(py, leadbyte::Detection::encodings().map(Text).collect::<Vec<_>>()))
}

/// Extracts the encodings to choose from; None means all.
///
/// Raises LookupError for a name that is never reported, and ValueError if there is no name.
pub(super) fn encodings_argument(encodings: Option<&Bound<'_, PyAny>>) -> PyResult<Encodings> {
    let Some(encodings) = encodings else { return Ok(Encodings::ALL) };
    let module = encodings.py().import("leadbyte._detect")?;
    let names: Vec<String> = module.call_method1("reported_names", (encodings,))?.extract()?;
    let wrong = || PyValueError::new_err("encodings must have a name, or be None for all encodings");
    Encodings::of(names.iter().map(String::as_str)).ok_or_else(wrong)
}

/// The result of detect.
#[pyclass(frozen, eq, hash, module = "leadbyte")]
pub(super) struct Detection {
    /// The result, without the language.
    found: leadbyte::Detection,
    /// The language, which is determined in a sample of the data when it is first asked for.
    language: OnceLock<Option<&'static str>>,
    sample: Box<[u8]>,
}

impl Detection {
    /// Returns a detection whose language is known.
    pub(super) fn of(found: leadbyte::Detection) -> Self {
        Self { found, language: OnceLock::from(found.language), sample: Box::default() }
    }

    /// Returns a detection whose language is determined in a sample of `data`.
    pub(super) fn with_sample(found: leadbyte::Detection, data: &[u8]) -> Self {
        Self { found, language: OnceLock::new(), sample: language::sample(data) }
    }

    /// Returns the result, with the language.
    fn complete(&self) -> leadbyte::Detection {
        leadbyte::Detection { language: self.found_language(), ..self.found }
    }

    fn found_language(&self) -> Option<&'static str> {
        *self.language.get_or_init(|| language::of(&self.found, &self.sample))
    }
}

impl PartialEq for Detection {
    fn eq(&self, other: &Self) -> bool {
        self.complete() == other.complete()
    }
}

impl Eq for Detection {}

impl Hash for Detection {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.complete().hash(state);
    }
}

#[pymethods]
impl Detection {
    /// The name of the encoding in Python; None if the data is not text, or in none of the encodings to choose from.
    #[getter]
    fn encoding(&self) -> Option<Text<&'static str>> {
        self.found.encoding.map(Text)
    }

    /// The BCP 47 tag of the language of the text, from a sample of it; None if nothing indicates one.
    #[getter]
    fn language(&self) -> Option<Text<&'static str>> {
        self.found_language().map(Text)
    }

    /// The encoding that the text declares in HTML, XML, CSS, or a comment for Python, Emacs or Vim; None if it does
    /// not. A name that bytes.decode takes, unless Python does not know it.
    #[getter]
    fn declared(&self) -> Option<Text<String>> {
        self.found.declared.map(|declared| Text(declared.as_str().to_owned()))
    }

    /// Whether the data begins with a byte order mark.
    #[getter]
    fn bom(&self) -> bool {
        self.found.bom
    }

    /// Whether the data is UTF-8.
    #[getter]
    fn valid_utf8(&self) -> bool {
        self.found.valid_utf8
    }

    /// Whether the data is well-formed in its encoding up to an incomplete character at the end.
    #[getter]
    fn truncated(&self) -> bool {
        self.found.truncated
    }

    /// The confidence, from 0.0 to 1.0. Above 0.5, data that is not truncated can be decoded strictly.
    #[getter]
    fn confidence(&self) -> Float {
        Float(self.found.confidence())
    }

    /// 'text', 'empty', 'binary', or a format: 'gzip', 'zip', 'png' and others.
    #[getter]
    fn kind(&self) -> Text<&'static str> {
        Text(self.found.kind)
    }

    /// Return the fields by name.
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        guarded(|| {
            let dict = PyDict::new(py);
            dict.set_item("encoding", self.encoding())?;
            dict.set_item("language", self.language())?;
            dict.set_item("declared", self.declared())?;
            dict.set_item("bom", self.bom())?;
            dict.set_item("valid_utf8", self.valid_utf8())?;
            dict.set_item("truncated", self.truncated())?;
            dict.set_item("confidence", self.confidence())?;
            dict.set_item("kind", self.kind())?;
            Ok(dict)
        })
    }

    #[staticmethod]
    fn _restore(fields: &Bound<'_, PyDict>) -> PyResult<Self> {
        guarded(|| {
            let field = |name| fields.as_any().get_item(name);
            let unknown = || PyValueError::new_err("not the state of a Detection of this version");
            let encoding: Option<String> = field("encoding")?.extract()?;
            let encoding = encoding
                .map(|name| leadbyte::Detection::encodings().find(|known| *known == name).ok_or_else(unknown))
                .transpose()?;
            let language: Option<String> = field("language")?.extract()?;
            let language = language
                .map(|code| leadbyte::bindings::language::known_code(&code).ok_or_else(unknown))
                .transpose()?;
            let declared: Option<String> = field("declared")?.extract()?;
            let declared = declared
                .map(|label| DeclaredEncoding::of(label.as_bytes()).ok_or_else(unknown))
                .transpose()?;
            let kind: String = field("kind")?.extract()?;
            let confidence: f64 = field("confidence")?.extract()?;
            Ok(Self::of(leadbyte::Detection {
                encoding,
                language,
                declared,
                bom: field("bom")?.extract()?,
                valid_utf8: field("valid_utf8")?.extract()?,
                truncated: field("truncated")?.extract()?,
                percent: (confidence * 100.0).round() as u8,
                kind: leadbyte::Detection::kinds().find(|known| *known == kind).ok_or_else(unknown)?,
            }))
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        guarded(|| reduced(slf.getattr("_restore")?, (slf.get().as_dict(slf.py())?,)))
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        guarded(|| fields::repr("Detection", &self.as_dict(py)?))
    }
}

/// Detects the encoding of data that arrives in chunks, cut anywhere, in constant memory.
///
/// update(data) takes the next chunk and returns whether the result is known; finish() returns it, a Detection. How the
/// data is cut makes no difference. The result is known once a byte order mark, a file format or enough text in an
/// encoding was found, at the latest 64 KiB from the first byte above 7F that follows the first 64 KiB, or else at the
/// end. It is the result of detect for the bytes up to there; of 64 KiB of ASCII or more before that byte only the
/// first KiB and the last 32 bytes count. Further data is ignored, so valid_utf8 does not speak of it.
///
/// encodings: those to choose from, as for detect, with the same exceptions.
///
/// >>> detector = leadbyte.Detector()
/// >>> for chunk in (b'<p>caf', b'\xc3', b'\xa9</p>'):
/// ...     if detector.update(chunk):
/// ...         break
/// >>> detector.finish().encoding
/// 'utf-8'
/// >>> detector.update(b'more')
/// Traceback (most recent call last):
/// ValueError: this Detector has finished; start a new one
#[pyclass(frozen, module = "leadbyte")]
pub(super) struct Detector(Mutex<RunningDetector>);

#[derive(Clone)]
struct RunningDetector {
    detector: leadbyte::Detector,
    finished: bool,
}

impl Detector {
    fn with<T>(&self, py: Python<'_>, work: impl FnOnce(&mut RunningDetector) -> T) -> T {
        work(&mut self.0.lock_py_attached(py).unwrap_or_else(|poisoned| poisoned.into_inner()))
    }

    fn finished(&self, py: Python<'_>, end: TextEnd) -> Detection {
        self.with(py, |state| {
            state.finished = true;
            let (found, kept) = state.detector.finish_with_sample(end);
            Detection::with_sample(found, kept)
        })
    }
}

#[pymethods]
impl Detector {
    #[new]
    #[pyo3(signature = (*, encodings = None))]
    fn new(encodings: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        guarded(|| {
            let detector = leadbyte::Detector::among(encodings_argument(encodings)?);
            Ok(Self(Mutex::new(RunningDetector { detector, finished: false })))
        })
    }

    /// Take the next chunk; return whether the result is known, so that further data is ignored.
    ///
    /// Raises ValueError after finish.
    #[pyo3(signature = (data, /))]
    fn update(&self, data: &Bound<'_, PyAny>) -> PyResult<bool> {
        guarded(|| {
            let py = data.py();
            let buffer = Buffer::of(data)?;
            // Before it is locked, as the interpreter may be detached; all else takes little time.
            let mut ascii = 0;
            for_each_chunk(py, buffer.as_slice(), |chunk| {
                let length = ascii_length(chunk);
                ascii += length;
                length == chunk.len()
            })?;
            self.with(py, |state| {
                if state.finished {
                    return Err(PyValueError::new_err("this Detector has finished; start a new one"));
                }
                Ok(state.detector.update_after_ascii(buffer.as_slice(), ascii))
            })
        })
    }

    /// Whether the result is known, so that further data is ignored.
    #[getter]
    fn done(&self, py: Python<'_>) -> bool {
        self.with(py, |state| state.detector.is_done())
    }

    /// Return the Detection. Further data is refused afterwards.
    fn finish(&self, py: Python<'_>) -> PyResult<Detection> {
        guarded(|| Ok(self.finished(py, TextEnd::Unknown)))
    }

    /// Return the Detection of a text that is complete, as _detect_whole does.
    fn _finish_whole(&self, py: Python<'_>) -> PyResult<Detection> {
        guarded(|| Ok(self.finished(py, TextEnd::Complete)))
    }

    #[staticmethod]
    fn _restore(
        encodings: Option<Vec<String>>,
        kept: &[u8],
        skipped: Option<&[u8]>,
        flags: (bool, bool, bool),
    ) -> PyResult<Self> {
        guarded(|| {
            let encodings = match &encodings {
                Some(names) => Encodings::of(names.iter().map(String::as_str)),
                None => Some(Encodings::ALL),
            };
            let (done, more, finished) = flags;
            let state = DetectorState { kept, skipped, done, more };
            let detector = encodings
                .and_then(|encodings| leadbyte::Detector::from_state(encodings, &state))
                .ok_or_else(|| PyValueError::new_err("not the state of a Detector of this version"))?;
            Ok(Self(Mutex::new(RunningDetector { detector, finished })))
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        guarded(|| {
            let py = slf.py();
            let RunningDetector { detector, finished } = slf.get().with(py, |state| state.clone());
            let DetectorState { kept, skipped, done, more } = detector.state();
            let bytes = |bytes: &[u8]| PyBytes::new(py, bytes);
            let arguments = (detector.encodings(), bytes(kept), skipped.map(bytes), (done, more, finished));
            reduced(slf.getattr("_restore")?, arguments)
        })
    }
}
