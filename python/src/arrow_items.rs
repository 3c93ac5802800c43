//! The rows of results as Python objects.

use core::ops::Range;
use std::sync::Arc;

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use leadbyte::bindings::allocation::{Grow, try_push};
use leadbyte::bindings::columns::{ColumnError, Schema, Values, Visitor, export};

use super::buffer::{SignalPoller, copied_bytes};
use super::column_errors::exception;
use super::decode::decode;
use super::interpreter::guarded;
use super::list::{Int, list_of};
use super::shared::Exclusive;
use super::work_error::{WorkError, memory_error};

/// The number of rows that become objects at once.
const BATCH_ROWS: usize = 1 << 10;

/// The approximate size of an object in bytes, as progress counts it.
const OBJECT_BYTES: usize = 64;

/// Returns the rows of chunks as a list.
pub(super) fn list<'py>(
    py: Python<'py>,
    schema: &Schema,
    chunks: &[Arc<export::Array>],
) -> PyResult<Bound<'py, PyList>> {
    let mut objects = vec![];
    objects.grow(chunks.iter().map(|chunk| chunk.length).sum()).map_err(memory_error)?;
    let mut rows = Batches::new(schema.clone(), chunks.to_vec());
    let mut poller = SignalPoller::default();
    while let Some(batch) = rows.next(py, &mut poller)? {
        objects.extend(batch.iter());
    }
    list_of(py, objects)
}

/// The chunks of a result, and how much of them was read.
struct Batches {
    schema: Schema,
    chunks: std::vec::IntoIter<Arc<export::Array>>,
    /// The values of the chunk that is read, and the number of its rows that were.
    current: Option<(Values, usize)>,
}

impl Batches {
    fn new(schema: Schema, chunks: Vec<Arc<export::Array>>) -> Self {
        Self { schema, chunks: chunks.into_iter(), current: None }
    }

    /// Returns the next rows; `None` after the last.
    fn next<'py>(
        &mut self,
        py: Python<'py>,
        poller: &mut SignalPoller,
    ) -> PyResult<Option<Bound<'py, PyList>>> {
        loop {
            if let Some((values, row)) = &mut self.current
                && *row < values.length
            {
                let rows = *row..values.length.min(*row + BATCH_ROWS);
                let end = rows.end;
                let objects = values.visit(rows, &mut Objects { py, poller })?;
                *row = end;
                return Ok(Some(objects));
            }
            let Some(chunk) = self.chunks.as_slice().first() else { return Ok(None) };
            let values = Values::of(chunk, &self.schema).map_err(|error| exception(py, error))?;
            self.chunks.next();
            self.current = Some((values, 0));
        }
    }
}

/// An iterator over the rows of a result.
#[pyclass(frozen, module = "leadbyte._leadbyte", name = "_ArrowItems")]
pub(super) struct Items(Exclusive<ItemState>);

struct ItemState {
    batches: Batches,
    /// The rows that were made, and the number of those that were returned.
    batch: Option<(Py<PyList>, usize)>,
    poller: SignalPoller,
}

impl Items {
    pub(super) fn new(schema: &Schema, chunks: Vec<Arc<export::Array>>) -> Self {
        let batches = Batches::new(schema.clone(), chunks);
        Self(Exclusive::new(ItemState { batches, batch: None, poller: SignalPoller::default() }))
    }
}

#[pymethods]
impl Items {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        guarded(|| {
            self.0.with(py, |state| {
                if let Some((batch, at)) = &mut state.batch
                    && let Ok(item) = batch.bind(py).get_item(*at)
                {
                    *at += 1;
                    return Ok(Some(item));
                }
                state.batch = None;
                let Some(batch) = state.batches.next(py, &mut state.poller)? else { return Ok(None) };
                let first = batch.get_item(0)?;
                state.batch = Some((batch.unbind(), 1));
                Ok(Some(first))
            })
        })
    }
}

/// Makes lists of Python objects.
struct Objects<'py, 'a> {
    py: Python<'py>,
    poller: &'a mut SignalPoller,
}

impl<'py> Objects<'py, '_> {
    /// Returns a list of what `object` makes of each value, and None for null.
    fn list_of<T>(
        &mut self,
        values: Vec<Option<T>>,
        object: impl Fn(Python<'py>, T) -> PyResult<Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyList>, WorkError> {
        let py = self.py;
        let mut objects = vec![];
        objects.grow(values.len())?;
        for value in values {
            let made = value.map(|value| object(py, value)).transpose()?;
            try_push(&mut objects, made.unwrap_or_else(|| py.None().into_bound(py)))?;
            self.poller.advance_attached(py, OBJECT_BYTES)?;
        }
        Ok(list_of(py, objects)?)
    }
}

impl From<ColumnError> for WorkError {
    fn from(error: ColumnError) -> Self {
        Python::attach(|py| exception(py, error)).into()
    }
}

impl<'py> Visitor for Objects<'py, '_> {
    type Values = Bound<'py, PyList>;
    type Error = WorkError;

    fn booleans(&mut self, values: Vec<Option<bool>>) -> Result<Self::Values, WorkError> {
        self.list_of(values, |py, value| value.into_bound_py_any(py))
    }

    fn integers(&mut self, values: Vec<Option<i64>>) -> Result<Self::Values, WorkError> {
        // Counts, lengths and offsets are not negative.
        self.list_of(values, |py, value| Int(value as u64).into_bound_py_any(py))
    }

    fn floats(&mut self, values: Vec<Option<f64>>) -> Result<Self::Values, WorkError> {
        self.list_of(values, |py, value| value.into_bound_py_any(py))
    }

    fn bytes(&mut self, values: Vec<Option<&[u8]>>, is_text: bool) -> Result<Self::Values, WorkError> {
        self.list_of(values, |py, value| {
            // A copy, as nothing else keeps others from changing the memory.
            let bytes = copied_bytes(py, value)?.into_any();
            if is_text { Ok(decode(&bytes, None)?.into_any()) } else { Ok(bytes) }
        })
    }

    fn structs(
        &mut self,
        is_valid: Vec<bool>,
        fields: Vec<(&str, Self::Values)>,
    ) -> Result<Self::Values, WorkError> {
        let py = self.py;
        let template = PyDict::new(py);
        for (name, _) in &fields {
            template.set_item(name, py.None())?;
        }
        let rows = is_valid.into_iter().enumerate();
        let rows = rows.map(|(row, is_valid)| is_valid.then_some(row)).collect();
        self.list_of(rows, |_, row| {
            let item = template.copy()?;
            for (name, values) in &fields {
                item.set_item(name, values.get_item(row)?)?;
            }
            Ok(item.into_any())
        })
    }

    fn lists(
        &mut self,
        ranges: Vec<Option<Range<usize>>>,
        elements: Self::Values,
    ) -> Result<Self::Values, WorkError> {
        self.list_of(ranges, |_, range| Ok(elements.get_slice(range.start, range.end).into_any()))
    }
}
