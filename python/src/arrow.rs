//! Columns of other libraries, through the Arrow PyCapsule interface.

use core::ffi::CStr;
use std::ffi::CString;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyCFunction, PyCapsule, PyList, PyString, PyTuple};

use leadbyte::bindings::columns::{
    ArrowArray, ArrowArrayStream, ArrowSchema, BytesLayout, Chunk, ColumnError, Context, ConversionErrors,
    CountUnit, ErrorTable, Errors, Field, FindingTable, NestedChunk, NormalizeRows, Operation,
    RepairMojibake, RowSample, SanitizeRows, Schema, TranscodeRows, TruncateRows, add_rows, counts, detect,
    detections, errors, export, findings, is_valid_utf8, knowledge, map, stream,
};
use leadbyte::bindings::encodings::ErrorHandler;
use leadbyte::bindings::simd::Implementation;
use leadbyte::mojibake;

use super::arguments::{Optional, choice_argument, text_argument};
use super::arrow_items::{self as items, Items};
use super::audit::{policy_argument, replacement_argument};
use super::buffer::{SignalPoller, detached};
use super::column_errors::exception;
use super::detect::{Detection, encodings_argument};
use super::encode::utf8_argument;
use super::interpreter::guarded;
use super::list::Int;
use super::mojibake::knowledge as mojibake_knowledge;
use super::scan::threads_argument;
use super::string::Text;
use super::transcode::{Encoding, bom_policy};
use super::truncate::Utf8Truncation;
use super::type_errors::type_error;
use super::unicode::form_argument;
use super::work_error::WorkError;

/// The functions of this file that Python can call.
pub(super) fn exported<'py>(module: &Bound<'py, PyModule>) -> PyResult<Vec<Bound<'py, PyCFunction>>> {
    Ok(vec![
        wrap_pyfunction!(_arrow_audit, module)?,
        wrap_pyfunction!(_arrow_count, module)?,
        wrap_pyfunction!(_arrow_decode, module)?,
        wrap_pyfunction!(_arrow_detect, module)?,
        wrap_pyfunction!(_arrow_detect_rows, module)?,
        wrap_pyfunction!(_arrow_errors, module)?,
        wrap_pyfunction!(_arrow_is_valid, module)?,
        wrap_pyfunction!(_arrow_normalize, module)?,
        wrap_pyfunction!(_arrow_repair, module)?,
        wrap_pyfunction!(_arrow_repair_mojibake, module)?,
        wrap_pyfunction!(_arrow_sanitize, module)?,
        wrap_pyfunction!(_arrow_transcode, module)?,
        wrap_pyfunction!(_arrow_truncate, module)?,
    ])
}

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// A column of another library, which is consumed.
struct ImportedColumn {
    field: Field,
    source: ColumnSource,
}

enum ColumnSource {
    Array(ArrowArray),
    Stream(ArrowArrayStream),
}

impl ImportedColumn {
    /// Takes the column from an object that speaks the interface, or the named one from a table or struct array.
    fn of(object: &Bound<'_, PyAny>, name: Option<&str>) -> PyResult<Self> {
        let py = object.py();
        if let Some(method) = object.getattr_opt(intern!(py, "__arrow_c_array__"))? {
            let pair = method.call0()?;
            let (schema, array) = pair.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
            let schema = take(&schema, SCHEMA, |at| {
                // SAFETY: a capsule of this name points to a schema, and no other thread takes it from there meanwhile.
                unsafe { ArrowSchema::take(at) }
            })?;
            let field = Field::of(&schema, name).map_err(|error| exception(py, error))?;
            let array = take(&array, ARRAY, |at| {
                // SAFETY: as above, to an array.
                unsafe { ArrowArray::take(at) }
            })?;
            return Ok(Self { field, source: ColumnSource::Array(array) });
        }
        let Some(method) = object.getattr_opt(intern!(py, "__arrow_c_stream__"))? else {
            return Err(type_error(object, |name| {
                format!(
                    "an object with the Arrow PyCapsule interface is needed, as a column of pyarrow, Polars or \
                     DuckDB, not {name}"
                )
            }));
        };
        let mut stream = take(&method.call0()?, STREAM, |at| {
            // SAFETY: as above, to a stream.
            unsafe { ArrowArrayStream::take(at) }
        })?;
        let schema = py.detach(|| stream.schema()).map_err(stream_error)?;
        let field = Field::of(&schema, name).map_err(|error| exception(py, error))?;
        let is_fixed = matches!(field.column_type.values().layout, BytesLayout::Fixed(_));
        if is_fixed && is_of_polars(object)? {
            // Polars has no type of rows of the same length: these are pointers to Python objects.
            return Err(exception(py, ColumnError::objects()));
        }
        Ok(Self { field, source: ColumnSource::Stream(stream) })
    }

    /// Calls `work` with each chunk and the number of rows before it. Returns whether it was a stream.
    fn for_each(
        self,
        py: Python<'_>,
        threads: usize,
        work: &mut (dyn FnMut(&mut Context<'_>, &NestedChunk, usize) -> Result<(), ColumnError> + Send),
    ) -> PyResult<bool> {
        let Self { field, source } = self;
        let mut work = |chunk: ArrowArray, first_row: &mut usize, poller: &mut SignalPoller| {
            with_context(poller, threads, |context| {
                let chunk = NestedChunk::import(chunk, &field)?;
                work(context, &chunk, *first_row)
                    .map_err(|error| error.with_row(|row| chunk.row_of(row).saturating_add(*first_row)))?;
                *first_row += chunk.row_count();
                Ok(())
            })
        };
        let mut first_row = 0;
        match source {
            ColumnSource::Array(array) => {
                detached(py, usize::MAX, |poller| work(array, &mut first_row, poller)).map(|()| false)
            }
            ColumnSource::Stream(mut stream) => detached(py, usize::MAX, |poller| {
                while let Some(array) = stream.next_array().map_err(stream_error)? {
                    work(array, &mut first_row, poller)?;
                    poller.poll()?;
                }
                Ok(true)
            }),
        }
    }

    /// Returns the column of the results of `work` on each chunk, whose type `schema` describes.
    fn map<'py>(
        self,
        py: Python<'py>,
        threads: usize,
        schema: Schema,
        work: &(dyn Fn(&mut Context<'_>, &Chunk) -> Result<export::Array, ColumnError> + Send + Sync),
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut chunks = vec![];
        let schema = self.field.described(schema);
        let is_stream = self.for_each(py, threads, &mut |context, chunk, _| {
            chunks.push(Arc::new(chunk.in_lists(work(context, &chunk.rows)?)?));
            Ok(())
        })?;
        result(py, is_stream, schema, chunks)
    }
}

/// Returns the result of `work` on a column, which polls for signals. The thread must be detached.
fn with_context<T>(
    poller: &mut SignalPoller,
    threads: usize,
    work: impl FnOnce(&mut Context<'_>) -> Result<T, ColumnError>,
) -> Result<T, WorkError> {
    poller.supervised_with(
        |progress| work(&mut Context { by: Implementation::active(), threads, progress }),
        |error| Python::attach(|py| exception(py, error)),
    )
}

/// Returns the result as an array if an array was given, and as a stream otherwise.
fn result<'py>(
    py: Python<'py>,
    is_stream: bool,
    schema: Schema,
    mut chunks: Vec<Arc<export::Array>>,
) -> PyResult<Bound<'py, PyAny>> {
    if !is_stream && let Some(array) = chunks.pop() {
        return Ok(Bound::new(py, Array { schema, array })?.into_any());
    }
    Ok(Bound::new(py, Stream { schema, chunks })?.into_any())
}

/// Returns whether the class of an object, or one that it is derived from, is one of Polars.
fn is_of_polars(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    for class in object.get_type().mro() {
        let module = class.getattr(intern!(object.py(), "__module__"))?;
        if module.cast::<PyString>().is_ok_and(|module| module.to_string_lossy().starts_with("polars.")) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Moves the struct out of a capsule.
fn take<T>(capsule: &Bound<'_, PyAny>, name: &CStr, take: impl FnOnce(*mut T) -> Option<T>) -> PyResult<T> {
    let capsule = capsule.cast::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(name)).map_err(|_| {
        PyValueError::new_err(format!("malformed Arrow data: a capsule that is not named {name:?}"))
    })?;
    with_critical_section(capsule, || take(pointer.cast().as_ptr()))
        .ok_or_else(|| PyValueError::new_err("malformed Arrow data: the capsule is already consumed"))
}

fn stream_error(message: CString) -> PyErr {
    PyValueError::new_err(format!("the Arrow stream failed: {}", message.to_string_lossy()))
}

/// An array in Arrow's layout, which other libraries read without a copy.
///
/// Functions of leadbyte.arrow return it for an array. Pass it to pyarrow.array, polars.Series, nanoarrow.Array or
/// anything that takes objects with the Arrow PyCapsule interface. It can be read any number of times.
#[pyclass(frozen, module = "leadbyte.arrow")]
pub(super) struct Array {
    schema: Schema,
    array: Arc<export::Array>,
}

#[pymethods]
impl Array {
    fn __len__(&self) -> PyResult<usize> {
        guarded(|| Ok(self.array.length))
    }

    /// The number of rows that are null; as Arrow counts, 0 for runs, whose values are null instead.
    #[getter]
    fn null_count(&self) -> Int {
        self.array.null_count.into()
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        guarded(|| Text(format!("<leadbyte.arrow.Array of {} rows>", self.array.length)).into_pyobject(py))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        guarded(|| PyCapsule::new_with_value(py, self.schema.export(), SCHEMA))
    }

    /// Return the rows as a list: bool, int, float, bytes, str, dicts for structs, lists for lists, and None for null.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        guarded(|| items::list(py, &self.schema, core::slice::from_ref(&self.array)))
    }

    /// Return the rows as an array of pyarrow, which shares the memory.
    fn to_pyarrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| consumer(slf.as_any(), intern!(slf.py(), "to_pyarrow")))
    }

    /// Return the rows as a series of Polars, which shares the memory where Polars has the layout.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| series(slf.as_any(), &slf.get().schema))
    }

    fn __iter__(&self) -> PyResult<Items> {
        guarded(|| Ok(Items::new(&self.schema, vec![self.array.clone()])))
    }

    /// Return capsules of the type and the array. requested_schema is ignored, as the interface allows.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        guarded(|| {
            let schema = PyCapsule::new_with_value(py, self.schema.export(), SCHEMA)?;
            PyTuple::new(py, [schema, PyCapsule::new_with_value(py, self.array.export(), ARRAY)?])
        })
    }

    /// Return a capsule of a stream of this array. requested_schema is ignored, as the interface allows.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        guarded(|| {
            PyCapsule::new_with_value(py, stream(&self.schema, core::slice::from_ref(&self.array)), STREAM)
        })
    }
}

/// Arrays of one type in Arrow's layout, one after another, which other libraries read without a copy.
///
/// Functions of leadbyte.arrow return it for a stream or a column in chunks. Pass it to pyarrow.chunked_array,
/// polars.Series or anything that takes streams with the Arrow PyCapsule interface. It can be read any number of times.
#[pyclass(frozen, module = "leadbyte.arrow")]
pub(super) struct Stream {
    schema: Schema,
    chunks: Vec<Arc<export::Array>>,
}

impl Stream {
    fn length(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.length).sum()
    }
}

#[pymethods]
impl Stream {
    fn __len__(&self) -> PyResult<usize> {
        guarded(|| Ok(self.length()))
    }

    /// The number of arrays.
    #[getter]
    fn num_chunks(&self) -> Int {
        self.chunks.len().into()
    }

    /// The number of rows that are null; as Arrow counts, 0 for runs, whose values are null instead.
    #[getter]
    fn null_count(&self) -> Int {
        self.chunks.iter().map(|chunk| chunk.null_count).sum::<usize>().into()
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        guarded(|| {
            let (rows, chunks) = (self.length(), self.chunks.len());
            Text(format!("<leadbyte.arrow.Stream of {rows} rows in {chunks} chunks>")).into_pyobject(py)
        })
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        guarded(|| PyCapsule::new_with_value(py, self.schema.export(), SCHEMA))
    }

    /// Return the rows as a list: bool, int, float, bytes, str, dicts for structs, lists for lists, and None for null.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        guarded(|| items::list(py, &self.schema, &self.chunks))
    }

    /// Return the rows as a chunked array of pyarrow, which shares the memory.
    fn to_pyarrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| consumer(slf.as_any(), intern!(slf.py(), "to_pyarrow")))
    }

    /// Return the rows as a series of Polars, which shares the memory where Polars has the layout.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| series(slf.as_any(), &slf.get().schema))
    }

    fn __iter__(&self) -> PyResult<Items> {
        guarded(|| Ok(Items::new(&self.schema, self.chunks.clone())))
    }

    /// Return a capsule of a stream of the arrays. requested_schema is ignored, as the interface allows.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        guarded(|| PyCapsule::new_with_value(py, stream(&self.schema, &self.chunks), STREAM))
    }
}

/// Returns what a function of `leadbyte._consumers` makes of a result.
fn consumer<'py>(result: &Bound<'py, PyAny>, function: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
    result.py().import(intern!(result.py(), "leadbyte._consumers"))?.call_method1(function, (result,))
}

/// Returns a result as a series of Polars.
fn series<'py>(result: &Bound<'py, PyAny>, schema: &Schema) -> PyResult<Bound<'py, PyAny>> {
    let py = result.py();
    consumer(result, if schema.has_runs() { intern!(py, "runs_to_polars") } else { intern!(py, "to_polars") })
}

/// Extracts the name of a column.
fn name_argument<'a>(
    name: Option<&'a Bound<'_, PyAny>>,
    function: &str,
) -> PyResult<Option<std::borrow::Cow<'a, str>>> {
    let name = name.map(|name| text_argument(name, function, "'column'")).transpose()?;
    Ok(name.map(|name| name.to_string_lossy()))
}

/// Return whether each row is UTF-8.
#[pyfunction]
#[pyo3(signature = (values, column, threads, /))]
pub(super) fn _arrow_is_valid<'py>(
    values: &Bound<'py, PyAny>,
    column: Option<&Bound<'py, PyAny>>,
    threads: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| {
        let column = ImportedColumn::of(values, name_argument(column, "is_valid_utf8")?.as_deref())?;
        let schema = Schema::new(c"b", &column.field.name);
        column.map(values.py(), threads_argument(threads)?, schema, &is_valid_utf8)
    })
}

/// Return a table of the errors.
#[pyfunction]
#[pyo3(signature = (values, column, /))]
pub(super) fn _arrow_errors<'py>(
    values: &Bound<'py, PyAny>,
    column: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| {
        let py = values.py();
        let column = ImportedColumn::of(values, name_argument(column, "errors")?.as_deref())?;
        let mut table = ErrorTable::default();
        let is_stream =
            column.for_each(py, 1, &mut |context, chunk, first_row| table.add(context, chunk, first_row))?;
        let table = table.finish().map_err(|error| exception(py, error))?;
        result(py, is_stream, errors::schema(), vec![Arc::new(table)])
    })
}

/// Return a table of what a policy finds.
#[pyfunction]
#[pyo3(signature = (values, column, policy, /))]
pub(super) fn _arrow_audit<'py>(
    values: &Bound<'py, PyAny>,
    column: Option<&Bound<'py, PyAny>>,
    policy: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| {
        let py = values.py();
        let policy = policy_argument(policy, "audit")?;
        let column = ImportedColumn::of(values, name_argument(column, "audit")?.as_deref())?;
        let mut table = FindingTable::default();
        let is_stream = column
            .for_each(py, 1, &mut |context, chunk, first_row| table.add(context, chunk, first_row, policy))?;
        let table = table.finish().map_err(|error| exception(py, error))?;
        result(py, is_stream, findings::schema(), vec![Arc::new(table)])
    })
}

/// Return the rows with another text for what a policy finds.
#[pyfunction]
#[pyo3(signature = (values, column, threads, policy, replacement, /))]
pub(super) fn _arrow_sanitize<'py>(
    values: &Bound<'py, PyAny>,
    column: Option<&Bound<'py, PyAny>>,
    threads: &Bound<'py, PyAny>,
    policy: &Bound<'py, PyAny>,
    replacement: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| {
        let policy = policy_argument(policy, "sanitize")?;
        let replacement = replacement_argument(replacement, "sanitize", policy)?;
        let operation = SanitizeRows { policy, replacement: &replacement };
        mapped(values, column, "sanitize", threads_argument(threads)?, &operation, None)
    })
}

/// Return the number of units of each row.
#[pyfunction]
#[pyo3(signature = (values, column, threads, unit, /))]
pub(super) fn _arrow_count<'py>(
    values: &Bound<'py, PyAny>,
    column: Option<&Bound<'py, PyAny>>,
    threads: &Bound<'py, PyAny>,
    unit: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    const UNITS: [(&str, CountUnit); 3] =
        [("char", CountUnit::Char), ("utf16", CountUnit::Utf16), ("grapheme", CountUnit::Grapheme)];
    guarded(|| {
        let unit = choice_argument(unit, "count", "unit", &UNITS)?;
        let column = ImportedColumn::of(values, name_argument(column, "count")?.as_deref())?;
        let is_large = column.field.column_type.values().layout == BytesLayout::Offsets64;
        let schema = Schema::new(if is_large { c"l" } else { c"i" }, &column.field.name);
        column.map(values.py(), threads_argument(threads)?, schema, &|context, chunk| {
            counts(context, chunk, unit, is_large)
        })
    })
}

const DECODE_ERRORS: [(&str, Errors<'static>); 5] = [
    ("strict", Errors::Strict),
    ("replace", Errors::REPLACE),
    ("ignore", Errors::Replace("")),
    ("null", Errors::Null),
    ("backslashreplace", Errors::Escape),
];

/// Return the rows as strings.
#[pyfunction]
#[pyo3(signature = (values, column, threads, errors, /))]
pub(super) fn _arrow_decode<'py>(
    values: &Bound<'py, PyAny>,
    column: Option<&Bound<'py, PyAny>>,
    threads: &Bound<'py, PyAny>,
    errors: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| {
        let errors = choice_argument(errors, "decode", "errors", &DECODE_ERRORS)?;
        mapped(values, column, "decode", threads_argument(threads)?, &errors, Some(true))
    })
}

/// Return the rows with another text for each error.
#[pyfunction]
#[pyo3(signature = (values, column, threads, replacement, /))]
pub(super) fn _arrow_repair<'py>(
    values: &Bound<'py, PyAny>,
    column: Option<&Bound<'py, PyAny>>,
    threads: &Bound<'py, PyAny>,
    replacement: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| {
        let replacement = text_argument(replacement, "repair", "'replacement'")?;
        let replacement = utf8_argument(replacement)?;
        mapped(values, column, "repair", threads_argument(threads)?, &Errors::Replace(&replacement), None)
    })
}

/// Return the rows with at most limit units.
#[pyfunction]
#[pyo3(signature = (values, column, threads, limit, /, *, unit, boundary = Optional(None), ellipsis = Optional(None), side = Optional(None)))]
#[expect(clippy::too_many_arguments)]
pub(super) fn _arrow_truncate<'py>(
    values: &Bound<'py, PyAny>,
    column: Option<&Bound<'py, PyAny>>,
    threads: &Bound<'py, PyAny>,
    limit: &Bound<'py, PyAny>,
    unit: &Bound<'py, PyAny>,
    boundary: Optional<'py>,
    ellipsis: Optional<'py>,
    side: Optional<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| {
        let threads = threads_argument(threads)?;
        let Utf8Truncation { limit, ellipsis } = Utf8Truncation::of(limit, unit, boundary, ellipsis, side)?;
        let py = values.py();
        let column = ImportedColumn::of(values, name_argument(column, "truncate")?.as_deref())?;
        let is_text = column.field.column_type.values().is_text;
        let operation = TruncateRows { limit, ellipsis: &ellipsis, is_text };
        column.mapped(py, threads, &operation, is_text)
    })
}

/// Return the rows in a normalization form.
#[pyfunction]
#[pyo3(signature = (form, values, column, threads, /))]
pub(super) fn _arrow_normalize<'py>(
    form: &Bound<'py, PyAny>,
    values: &Bound<'py, PyAny>,
    column: Option<&Bound<'py, PyAny>>,
    threads: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| {
        mapped(
            values,
            column,
            "normalize",
            threads_argument(threads)?,
            &NormalizeRows(form_argument(form, "normalize", "1")?),
            None,
        )
    })
}

/// The error handlers of conversions by their names.
pub(super) const CONVERSION_ERRORS: [(&str, ConversionErrors); 6] = [
    ("strict", ConversionErrors::Handler(ErrorHandler::Strict)),
    ("replace", ConversionErrors::Handler(ErrorHandler::Replace)),
    ("ignore", ConversionErrors::Handler(ErrorHandler::Ignore)),
    ("null", ConversionErrors::Null),
    ("backslashreplace", ConversionErrors::Handler(ErrorHandler::BackslashReplace)),
    ("xmlcharrefreplace", ConversionErrors::Handler(ErrorHandler::XmlCharRefReplace)),
];

/// Return the rows converted from one encoding to another.
#[pyfunction]
#[pyo3(signature = (values, column, threads, source, target, errors, bom, /))]
pub(super) fn _arrow_transcode<'py>(
    values: &Bound<'py, PyAny>,
    column: Option<&Bound<'py, PyAny>>,
    threads: &Bound<'py, PyAny>,
    source: &Encoding,
    target: &Encoding,
    errors: &Bound<'py, PyAny>,
    bom: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| {
        let errors = choice_argument(errors, "transcode", "errors", &CONVERSION_ERRORS)?;
        let [source, target] = [source, target].map(Encoding::encoding);
        let operation = TranscodeRows { source, target, errors, bom: bom_policy(bom)? };
        let to_text = Some(operation.gives_text());
        mapped(values, column, "transcode", threads_argument(threads)?, &operation, to_text)
    })
}

/// Return the detections of a sample of the rows.
#[pyfunction]
#[pyo3(signature = (values, column, threads, encodings, /))]
pub(super) fn _arrow_detect(
    values: &Bound<'_, PyAny>,
    column: Option<&Bound<'_, PyAny>>,
    threads: &Bound<'_, PyAny>,
    encodings: Option<&Bound<'_, PyAny>>,
) -> PyResult<Detection> {
    guarded(|| {
        let py = values.py();
        let encodings = encodings_argument(encodings)?;
        threads_argument(threads)?; // a sample needs one thread only
        let mut sample = RowSample::default();
        let column = ImportedColumn::of(values, name_argument(column, "detect")?.as_deref())?;
        column.for_each(py, 1, &mut |context, chunk, _| sample.add(context, &chunk.rows))?;
        let (found, text) = detached(py, usize::MAX, |poller| {
            with_context(poller, 1, |context| sample.detect(context, &encodings))
        })?;
        Ok(Detection::with_sample(found, &text))
    })
}

/// Return the detection of each row.
#[pyfunction]
#[pyo3(signature = (values, column, threads, encodings, /))]
pub(super) fn _arrow_detect_rows<'py>(
    values: &Bound<'py, PyAny>,
    column: Option<&Bound<'py, PyAny>>,
    threads: &Bound<'py, PyAny>,
    encodings: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| {
        let encodings = encodings_argument(encodings)?;
        let threads = threads_argument(threads)?;
        let column = ImportedColumn::of(values, name_argument(column, "detect")?.as_deref())?;
        let schema = detect::schema(&column.field.name);
        column.map(values.py(), threads, schema, &|context, chunk| detections(context, chunk, &encodings))
    })
}

/// Return the rows with wrong decodings undone, as cells of one column.
#[pyfunction]
#[pyo3(signature = (values, column, threads, languages, /))]
pub(super) fn _arrow_repair_mojibake<'py>(
    values: &Bound<'py, PyAny>,
    column: Option<&Bound<'py, PyAny>>,
    threads: &Bound<'py, PyAny>,
    languages: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    const FUNCTION: &str = "repair_mojibake";
    guarded(|| {
        let py = values.py();
        let threads = threads_argument(threads)?;
        let mut evidence = mojibake::Column::new(mojibake_knowledge(languages, FUNCTION)?);
        let column = ImportedColumn::of(values, name_argument(column, FUNCTION)?.as_deref())?;
        let is_text = column.field.column_type.values().is_text;
        let schema = column.field.column_type.changed(is_text).description(&column.field.name);
        let schema = column.field.described(schema);
        let mut chunks = vec![];
        let is_stream = column.for_each(py, 1, &mut |context, chunk, _| {
            chunks.push(chunk.clone());
            add_rows(context, &chunk.rows, &mut evidence)
        })?;
        let repaired = detached(py, usize::MAX, |poller| {
            let knowledge = with_context(poller, threads, |context| knowledge(context, evidence))?;
            let operation = RepairMojibake(&knowledge);
            let repair = |chunk: &NestedChunk| {
                with_context(poller, threads, |context| {
                    chunk.in_lists(map(context, &chunk.rows, &operation, is_text)?)
                })
                .map(Arc::new)
            };
            chunks.iter().map(repair).collect()
        })?;
        result(py, is_stream, schema, repaired)
    })
}

/// Returns a column after an operation. With `to_text` it becomes strings; otherwise it keeps its type.
fn mapped<'py>(
    values: &Bound<'py, PyAny>,
    column: Option<&Bound<'py, PyAny>>,
    function: &str,
    threads: usize,
    operation: &(dyn Operation + Send),
    to_text: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let column = ImportedColumn::of(values, name_argument(column, function)?.as_deref())?;
    let to_text = to_text.unwrap_or_else(|| column.field.column_type.values().is_text);
    column.mapped(values.py(), threads, operation, to_text)
}

impl ImportedColumn {
    fn mapped<'py>(
        self,
        py: Python<'py>,
        threads: usize,
        operation: &(dyn Operation + Send),
        to_text: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let schema = self.field.column_type.changed(to_text).description(&self.field.name);
        self.map(py, threads, schema, &|context, chunk| map(context, chunk, operation, to_text))
    }
}
