//! Repair of text that was decoded in the wrong encoding.

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use super::arguments::text_argument;
use super::buffer::{copied_bytes, detached, snapshot};
use super::decode::decode_generalized;
use super::encode::{Utf8, encode_steps, length};
use super::interpreter::guarded;
use super::list::list_of;
use super::string::{Units, exact};
use crate::allocation::{AllocError, try_extend, try_push};
use crate::kernels::encode::Source;
use crate::mojibake::{Stretch, explain_with, read_mixed_with};
use crate::simd::uninit::try_append;
use crate::{count_chars, count_newlines};

/// A repaired stretch: its start and end in characters; its first and last line; the encodings of the wrong decodings;
/// the number of sequences and of undamaged characters; the language; the cost in bits before and after.
type StretchFields = (
    (usize, usize),
    (usize, usize),
    Vec<(&'static str, &'static str)>,
    (usize, usize),
    &'static str,
    (f32, f32),
);

/// Return the repaired text and the fields of each repaired stretch; the text itself if there is none.
#[pyfunction]
#[pyo3(signature = (text, function, /))]
pub(super) fn _undo_mojibake<'py>(
    text: &Bound<'py, PyAny>,
    function: &str,
) -> PyResult<(Bound<'py, PyString>, Bound<'py, PyList>)> {
    guarded(|| {
        let text = text_argument(text, function, "1")?;
        match Units::of(text)? {
            Units::Ascii(_) => Ok((exact(text)?, PyList::empty(text.py()))),
            Units::Latin1(units) => undo(text, units),
            Units::Ucs2(units) => undo(text, units),
            Units::Ucs4(units) => undo(text, units),
        }
    })
}

fn undo<'py, U: Source>(
    text: &Bound<'py, PyString>,
    units: &[U],
) -> PyResult<(Bound<'py, PyString>, Bound<'py, PyList>)> {
    let py = text.py();
    let length = length(py, units, Utf8)?;
    let repaired = detached(py, length, |poller| {
        let mut bytes = vec![];
        let mut encoded = Ok(());
        try_append(&mut bytes, length, |out| {
            let written = encode_steps(units, Utf8, out, poller).map(|encoded| encoded.written);
            written.map_err(|error| encoded = Err(error)).ok()
        })?;
        encoded?;
        Repaired::of(&bytes, || poller.poll())
    })?;
    if repaired.stretches.is_empty() {
        return Ok((exact(text)?, PyList::empty(py)));
    }
    Ok((decode_generalized(&copied_bytes(py, &repaired.bytes)?)?, list_of(py, repaired.stretches)?))
}

/// A repaired text in generalized UTF-8.
#[derive(Default)]
struct Repaired {
    bytes: Vec<u8>,
    stretches: Vec<StretchFields>,
    /// The number of characters and lines so far.
    chars: usize,
    lines: usize,
}

impl Repaired {
    /// Repairs the parts of a text between surrogates.
    fn of(bytes: &[u8], mut poll: impl FnMut() -> PyResult<()>) -> PyResult<Self> {
        let mut repaired = Self::default();
        for chunk in bytes.utf8_chunks() {
            let text = chunk.valid();
            let repair = explain_with(text, &mut poll)?;
            try_extend(&mut repaired.bytes, repair.text.as_bytes())?;
            try_extend(&mut repaired.bytes, chunk.invalid())?;
            let mut at = 0;
            for stretch in &repair.stretches {
                repaired.advance(&text[at..stretch.bytes.start]);
                let start = (repaired.chars, repaired.lines);
                repaired.advance(&text[stretch.bytes.clone()]);
                at = stretch.bytes.end;
                repaired.add(stretch, start)?;
            }
            repaired.advance(&text[at..]);
            // The three bytes of a surrogate are three chunks.
            repaired.chars += usize::from(chunk.invalid().first() == Some(&0xED));
        }
        Ok(repaired)
    }

    fn advance(&mut self, text: &str) {
        self.chars += count_chars(text.as_bytes());
        self.lines += count_newlines(text.as_bytes());
    }

    fn add(&mut self, stretch: &Stretch, (start, lines): (usize, usize)) -> Result<(), AllocError> {
        let last = lines + stretch.lines.end() - stretch.lines.start();
        let mut readings = vec![];
        for reading in &stretch.readings {
            try_push(&mut readings, (reading.encoding, reading.misread_as))?;
        }
        let fields = (
            (start, self.chars),
            (lines + 1, last + 1),
            readings,
            (stretch.sequences, stretch.undamaged),
            stretch.language,
            stretch.bits,
        );
        try_push(&mut self.stretches, fields)
    }
}

/// Return the text of data whose lines are UTF-8 or in other encodings, and the numbers and encodings of the others.
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(super) fn _read_mixed<'py>(
    data: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyString>, Bound<'py, PyList>)> {
    guarded(|| {
        let py = data.py();
        let bytes = snapshot(data)?;
        let bytes = bytes.as_bytes();
        let (text, others) = detached(py, bytes.len(), |poller| read_mixed_with(bytes, || poller.poll()))?;
        let others = list_of(py, others.into_iter().map(|other| (other.line, other.encoding)))?;
        Ok((decode_generalized(&copied_bytes(py, text.as_bytes())?)?, others))
    })
}
