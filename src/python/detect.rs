//! The function `detect` and the class `Detection`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::buffer::{Buffer, detached};
use super::fields::{self, Reduced};
use super::interpreter::guarded;

/// Detect whether data is text, in which encoding, or another format. Return a Detection.
///
/// data: any bytes-like object with a contiguous buffer; it is not copied. All of it is validated as UTF-8; a legacy
/// encoding is detected in a sample. TypeError if data is not bytes-like.
///
/// >>> leadbyte.detect('Привет, мир'.encode('koi8-r')).encoding
/// 'koi8-r'
/// >>> leadbyte.detect(b'\x1f\x8b\x08\x00\x00\x00\x00\x00').kind
/// 'gzip'
/// >>> leadbyte.detect('text')
/// Traceback (most recent call last):
/// TypeError: a bytes-like object is required, not 'str'
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(super) fn detect(data: &Bound<'_, PyAny>) -> PyResult<Detection> {
    guarded(|| {
        let buffer = Buffer::of(data)?;
        let bytes = buffer.as_slice();
        let found =
            detached(data.py(), bytes.len(), |poller| crate::detect::detect_with(bytes, || poller.poll()))?;
        Ok(Detection(found))
    })
}

/// The result of detect.
#[pyclass(frozen, eq, hash, module = "leadbyte")]
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Detection(crate::Detection);

impl Detection {
    pub(super) fn of(found: crate::Detection) -> Self {
        Self(found)
    }
}

#[pymethods]
impl Detection {
    /// The name of the encoding in Python; None if the data is not text.
    #[getter]
    fn encoding(&self) -> Option<&'static str> {
        self.0.encoding
    }

    /// Whether the data begins with a byte order mark.
    #[getter]
    fn bom(&self) -> bool {
        self.0.bom
    }

    /// Whether the data is UTF-8.
    #[getter]
    fn valid_utf8(&self) -> bool {
        self.0.valid_utf8
    }

    /// Whether the data is well-formed in its encoding up to an incomplete character at the end.
    #[getter]
    fn truncated(&self) -> bool {
        self.0.truncated
    }

    /// The confidence, from 0.0 to 1.0. Above 0.5, data that is not truncated can be decoded strictly.
    #[getter]
    fn confidence(&self) -> f64 {
        self.0.confidence()
    }

    /// 'text', 'empty', 'binary', or a format: 'gzip', 'zip', 'png' and others.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind
    }

    /// Return the fields by name.
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        guarded(|| {
            let dict = PyDict::new(py);
            dict.set_item("encoding", self.encoding())?;
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
                .map(|name| crate::Detection::encodings().find(|known| *known == name).ok_or_else(unknown))
                .transpose()?;
            let kind: String = field("kind")?.extract()?;
            let confidence: f64 = field("confidence")?.extract()?;
            Ok(Self(crate::Detection {
                encoding,
                bom: field("bom")?.extract()?,
                valid_utf8: field("valid_utf8")?.extract()?,
                truncated: field("truncated")?.extract()?,
                percent: (confidence * 100.0).round() as u8,
                kind: crate::Detection::kinds().find(|known| *known == kind).ok_or_else(unknown)?,
            }))
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (Bound<'py, PyDict>,)> {
        guarded(|| Ok((slf.getattr("_restore")?, (slf.get().as_dict(slf.py())?,))))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        guarded(|| fields::repr("Detection", &self.as_dict(py)?))
    }
}
