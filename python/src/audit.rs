//! The search for hidden characters in bytes, and in the generalized UTF-8 of a str, piece by piece.

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

use leadbyte::audit::{Finding, Kind, Kinds, Policy};
use leadbyte::bindings::allocation::written;
use leadbyte::bindings::audit::{Audit, Syntax, sanitize_with};
use leadbyte::bindings::location::LocationCounter;
use leadbyte::bindings::simd::Implementation;
use leadbyte::{ErrorKind, Utf8Error};

use super::arguments::text_argument;
use super::buffer::{copied_bytes, searched, supervised};
use super::encode::utf8_argument;
use super::interpreter::guarded;
use super::list::{Int, list_of, tuple_of};
use super::location::Location;
use super::shared::Exclusive;
use super::string::Text;
use super::type_errors::wrong_type;
use super::work_error::memory_error;

/// Returns the policy that an argument names, or the kinds of which it has the names.
///
/// Raises ValueError for another name.
pub(super) fn policy_argument(policy: &Bound<'_, PyAny>, function: &str) -> PyResult<Policy> {
    if let Ok(name) = policy.cast::<PyString>() {
        let name = name.to_string_lossy();
        let known = Policy::NAMED.iter().find(|(known, _)| *known == name);
        return known.map(|&(_, policy)| policy).ok_or_else(|| {
            let names = Policy::NAMED.map(|(name, _)| format!("'{name}'")).join(", ");
            PyValueError::new_err(format!("policy must be a set of kinds or one of {names}, not {name:?}"))
        });
    }
    let Ok(names) = policy.try_iter() else {
        return Err(wrong_type(policy, function, "'policy'", "str or a set of kinds"));
    };
    let mut kinds = vec![];
    for name in names {
        let name = name?;
        let Ok(text) = name.cast::<PyString>() else {
            return Err(wrong_type(&name, function, "'policy'", "str or a set of str"));
        };
        let text = text.to_string_lossy();
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == text);
        let kind = kind.ok_or_else(|| {
            let names = Kind::ALL.map(|kind| format!("'{}'", kind.name())).join(", ");
            PyValueError::new_err(format!("a kind must be one of {names}, not {text:?}"))
        })?;
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    Ok(Policy::of(Kinds::of(&kinds)))
}

/// Checks a replacement, and returns its UTF-8.
///
/// Raises ValueError if it has characters that the policy finds, UnicodeEncodeError if it has surrogates.
pub(super) fn replacement_argument(
    replacement: &Bound<'_, PyAny>,
    function: &str,
    policy: Policy,
) -> PyResult<String> {
    let replacement = utf8_argument(text_argument(replacement, function, "'replacement'")?)?;
    policy.check_replacement(&replacement).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(replacement)
}

/// A finding: its kind, start and end, its code point, why it is one, and its location.
type Found<'py> = Bound<'py, PyTuple>;

/// A search for hidden characters in a text, whose pieces end with lines.
#[pyclass(frozen, name = "_Audit", module = "leadbyte._leadbyte")]
pub(super) struct AuditSearch {
    policy: Policy,
    /// Whether the text is a str, whose offsets count characters.
    is_str: bool,
    state: Exclusive<State>,
}

#[derive(Clone)]
struct State {
    audit: Audit,
    /// A finding that no call has returned, as an exception came between.
    pending: Option<Finding>,
    counter: LocationCounter,
    /// The bytes of the piece that were counted.
    counted: usize,
    /// The bytes of the pieces before.
    before: u64,
}

impl State {
    /// Counts the bytes of a piece up to an offset.
    fn count(&mut self, data: &[u8], end: usize) {
        let bytes = data.get(self.counted..end).unwrap_or_default();
        self.counter.advance_valid(self.audit.implementation(), bytes);
        self.counted = self.counted.max(end);
    }

    /// Counts the bytes before a finding, and returns its location.
    fn locate(&mut self, data: &[u8], finding: &Finding) -> leadbyte::Location {
        self.count(data, finding.start);
        self.counter.location()
    }

    /// Counts a finding that was located.
    fn count_finding(&mut self, data: &[u8], finding: &Finding) {
        if finding.kind == Kind::Invalid {
            let bytes = data.get(finding.start..finding.end).unwrap_or_default();
            let start = self.before + finding.start as u64;
            self.counter.advance_error(&Utf8Error::new(start, ErrorKind::InvalidStart, bytes));
            self.counted = finding.end;
        } else {
            self.count(data, finding.end);
        }
    }
}

impl AuditSearch {
    /// Returns the next finding as an object, and counts it unless that raises an exception.
    fn found<'py>(
        &self,
        py: Python<'py>,
        state: &mut State,
        data: &[u8],
        finding: &Finding,
    ) -> PyResult<Found<'py>> {
        let location = state.locate(data, finding);
        let (start, end) = match self.is_str {
            true => (location.char_offset, location.char_offset + 1),
            false => (state.before + finding.start as u64, state.before + finding.end as u64),
        };
        // A list of all findings may take all memory.
        let why = written(|out| finding.write_why(out, data)).map_err(memory_error)?;
        let string = |text: &str| Ok::<_, PyErr>(Text(text).into_pyobject(py)?.into_any());
        let integer = |number| Ok::<_, PyErr>(Int(number).into_pyobject(py)?.into_any());
        let items = [
            string(finding.kind.name())?,
            integer(start)?,
            integer(end)?,
            integer(finding.code_point.into())?,
            string(&why)?,
            Bound::new(py, Location::from(location))?.into_any(),
        ];
        let found = tuple_of(py, items)?;
        state.count_finding(data, finding);
        Ok(found)
    }
}

#[pymethods]
impl AuditSearch {
    #[new]
    #[pyo3(signature = (policy, /, *, is_str, extension = None, function = "audit"))]
    fn new(
        policy: &Bound<'_, PyAny>,
        is_str: bool,
        extension: Option<&str>,
        function: &str,
    ) -> PyResult<Self> {
        guarded(|| {
            let policy = policy_argument(policy, function)?;
            let audit = Audit::of(Implementation::active(), policy)
                .with_syntax(extension.and_then(Syntax::of_extension));
            let audit = if is_str { audit.generalized() } else { audit };
            let state =
                State { audit, pending: None, counter: LocationCounter::default(), counted: 0, before: 0 };
            Ok(Self { policy, is_str, state: Exclusive::new(state) })
        })
    }

    /// Return the next finding in a piece; None at its end.
    #[pyo3(signature = (data, /))]
    fn next<'py>(&self, py: Python<'py>, data: &Bound<'py, PyBytes>) -> PyResult<Option<Found<'py>>> {
        guarded(|| {
            let data = data.as_bytes();
            self.state.with(py, |state| {
                if state.pending.is_none() {
                    // Where it is stopped, it continues.
                    searched(py, data.len(), |progress| {
                        state.pending = state.audit.next(data, progress)?;
                        Ok(())
                    })?;
                }
                let Some(finding) = state.pending else { return Ok(None) };
                let found = self.found(py, state, data, &finding)?;
                state.pending = None;
                Ok(Some(found))
            })
        })
    }

    /// Return the number of the other findings in a piece.
    #[pyo3(signature = (data, /))]
    fn count_rest(&self, py: Python<'_>, data: &Bound<'_, PyBytes>) -> PyResult<Int> {
        guarded(|| {
            let data = data.as_bytes();
            self.state.with(py, |state| {
                let mut next = State { pending: None, ..state.clone() };
                let mut count = u64::from(state.pending.is_some());
                supervised(py, data.len(), |progress| {
                    while next.audit.next(data, progress)?.is_some() {
                        count += 1;
                    }
                    Ok(())
                })?;
                *state = next;
                Ok(Int(count))
            })
        })
    }

    /// Return a piece with its findings replaced, None if there are none, and the findings, at most limit of them.
    ///
    /// The search does not advance: next_piece does.
    #[pyo3(signature = (data, replacement, limit, /))]
    fn sanitize<'py>(
        &self,
        data: &Bound<'py, PyBytes>,
        replacement: &Bound<'py, PyAny>,
        limit: usize,
    ) -> PyResult<Bound<'py, PyTuple>> {
        guarded(|| {
            let py = data.py();
            let replacement = replacement_argument(replacement, "sanitize", self.policy)?;
            let bytes = data.as_bytes();
            let mut state = self.state.with(py, |state| Ok(state.clone()))?;
            let mut findings = vec![];
            let sanitized = supervised(py, bytes.len(), |progress| {
                sanitize_with(&mut state.audit, bytes, replacement.as_bytes(), progress, |finding| {
                    if findings.len() < limit {
                        findings.push(*finding);
                    }
                    Ok(())
                })
            })?;
            let found = findings.iter().map(|finding| self.found(py, &mut state, bytes, finding));
            let found = list_of(py, found.collect::<PyResult<Vec<_>>>()?)?;
            let text = sanitized.text.map(|text| copied_bytes(py, &text)).transpose()?;
            let text = text.map_or_else(|| py.None().into_bound(py), Bound::into_any);
            tuple_of(py, [text, Int(sanitized.count as u64).into_bound_py_any(py)?, found.into_any()])
        })
    }

    /// Return the search in the piece after another one, which ends with a line.
    #[pyo3(signature = (data, /))]
    fn next_piece(&self, py: Python<'_>, data: &Bound<'_, PyBytes>) -> PyResult<Self> {
        guarded(|| {
            let data = data.as_bytes();
            let mut state = self.state.with(py, |state| Ok(state.clone()))?;
            supervised(py, data.len(), |_| {
                let rest = data.get(state.counted..).unwrap_or_default();
                state.counter.advance(state.audit.implementation(), rest);
                state.audit.next_piece(data);
                Ok(())
            })?;
            let before = state.before + data.len() as u64;
            let state = State { pending: None, counted: 0, before, ..state };
            Ok(Self { policy: self.policy, is_str: self.is_str, state: Exclusive::new(state) })
        })
    }
}
