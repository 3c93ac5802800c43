//! Expressions for Polars: the symbols of its plugins, version 0.1, without a crate of Polars and without Python.
//!
//! Polars loads this library once more, and looks for `_polars_plugin_NAME`, which computes, and
//! `_polars_plugin_field_NAME`, which returns the type of the result. Options with a few choices are parts of names.
//! Others arrive as a second column, a literal string, of which only the first row counts; Polars has arguments of its
//! own, but pickles them. A third column has the keys of rows, which messages name.
//!
//! The receiver of a [`SeriesExport`] releases it, and also each array, as the release of the series only frees the
//! memory of the structs. If nothing is written to `out`, Polars asks for the message of the error, on the same thread.
//!
//! Sources: the crates polars-ffi (`version_0.rs`) and polars-plan (`plugin.rs`).

use core::ffi::{CStr, c_char, c_void};
use core::{mem, ptr};
use std::cell::RefCell;
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use leadbyte::bindings::allocation::try_push;
use leadbyte::bindings::columns::{
    Array, ArrowArray, ArrowSchema, BytesLayout, BytesType, Chunk, ColumnError, ColumnType, Context,
    ConversionErrors, CountUnit, ErrorLists, Errors, Field, NormalizeRows, Operation, RepairMojibake,
    RowError, RowSample, Schema, TranscodeRows, TruncateRows, add_rows, counts, detect, detection,
    detections, flattened, is_valid_utf8, knowledge, lists_schema, map, name_of,
};
use leadbyte::bindings::detect::Encodings;
use leadbyte::bindings::encodings::registry::Encoding;
use leadbyte::bindings::simd::Implementation;
use leadbyte::bindings::transcode::BomPolicy;
use leadbyte::bindings::unicode::Form;
use leadbyte::mojibake::{self, Knowledge};

use super::arrow::CONVERSION_ERRORS;
use super::interpreter::panic_message;
use super::transcode::{bom_policy, encoding_of};
use super::truncate::Utf8Truncation;

/// A column, as Polars passes it and takes it back.
#[repr(C)]
struct SeriesExport {
    field: *const ArrowSchema,
    arrays: *const *mut ArrowArray,
    array_count: usize,
    release: Option<unsafe extern "C" fn(*mut Self)>,
    private_data: *mut c_void,
}

impl Drop for SeriesExport {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: it is not released yet, and nothing uses it afterwards.
            unsafe { release(self) }
        }
    }
}

/// A column that Polars passed. It yields its arrays, and releases those that are left when it is dropped.
struct Input {
    series: SeriesExport,
    next: usize,
}

impl Input {
    /// # Safety
    /// `series` must be one that Polars passed, and is used only once.
    unsafe fn take(series: *const SeriesExport) -> Self {
        // SAFETY: as the caller promised; Polars forgets it.
        Self { series: unsafe { ptr::read(series) }, next: 0 }
    }

    fn schema(&self) -> Result<&ArrowSchema, ColumnError> {
        // SAFETY: the series owns its field.
        unsafe { self.series.field.as_ref() }.ok_or(ColumnError::Malformed("a series without a field"))
    }

    /// Returns the number of rows of the arrays that are left.
    fn row_count(&self) -> usize {
        let array = |index| {
            // SAFETY: there are as many pointers.
            unsafe { *self.series.arrays.wrapping_add(index) }
        };
        // SAFETY: each one points to an array, which is not moved out yet.
        let row_count = |index| unsafe { (*array(index)).row_count() };
        (self.next..self.series.array_count).map(row_count).fold(0, usize::saturating_add)
    }
}

impl Iterator for Input {
    type Item = ArrowArray;

    fn next(&mut self) -> Option<ArrowArray> {
        let index = self.next;
        if index >= self.series.array_count {
            return None;
        }
        self.next += 1;
        // SAFETY: there are as many pointers.
        let array = unsafe { *self.series.arrays.wrapping_add(index) };
        // SAFETY: each one points to an array, which is moved out once, as the release of the series expects.
        Some(unsafe { ptr::read(array) })
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        self.for_each(drop);
    }
}

/// What a series for Polars points to.
struct ExportedSeries {
    field: ArrowSchema,
    arrays: Vec<ArrowArray>,
    pointers: Vec<*mut ArrowArray>,
}

impl SeriesExport {
    /// Returns a series of arrays. Polars requires that `private_data` is not null.
    fn new(field: ArrowSchema, arrays: Vec<ArrowArray>) -> Result<Self, ColumnError> {
        unsafe extern "C" fn release(series: *mut SeriesExport) {
            // SAFETY: Polars releases a live series.
            let series = unsafe { &mut *series };
            // SAFETY: this is the box from below, given back once, since `release` is cleared then.
            let exported = unsafe { Box::from_raw(series.private_data.cast::<ExportedSeries>()) };
            // Polars has moved the arrays out.
            exported.arrays.into_iter().for_each(mem::forget);
            series.release = None;
        }
        let mut exported = Box::new(ExportedSeries { field, arrays, pointers: vec![] });
        let ExportedSeries { field, arrays, pointers } = &mut *exported;
        for array in arrays {
            try_push(pointers, ptr::from_mut(array))?;
        }
        Ok(Self {
            field,
            arrays: pointers.as_ptr(),
            array_count: pointers.len(),
            release: Some(release),
            private_data: Box::into_raw(exported).cast(),
        })
    }
}

/// The function that is computed for each row.
enum Expression {
    IsValid,
    Errors,
    Count(CountUnit),
    Decode(Errors<'static>),
    /// The detection of the column. The option names the encodings to choose from.
    Detect,
    /// The detection of each row. The option names the encodings to choose from.
    DetectRows,
    Normalize(Form),
    /// The option is the replacement.
    Repair,
    /// The option names the languages.
    RepairMojibake,
    /// The option is what [`conversion`] reads.
    Transcode {
        /// Whether the target is UTF-8.
        to_text: bool,
    },
    /// The option is what [`truncation`] reads.
    Truncate,
}

impl Expression {
    /// Returns the type of the result.
    fn schema(&self, name: &CStr, rows: &ColumnType) -> Schema {
        match self {
            Self::IsValid => Schema::new(c"b", name),
            Self::Errors => lists_schema(name),
            Self::Detect | Self::DetectRows => detect::schema(name),
            // As all lengths in Polars, without a sign.
            Self::Count(_) => Schema::new(c"I", name),
            Self::Decode(_) => changed(rows, true).description(name),
            Self::Transcode { to_text } => changed(rows, *to_text).description(name),
            Self::Normalize(_) | Self::Repair | Self::RepairMojibake | Self::Truncate => {
                changed(rows, rows.values().is_text).description(name)
            }
        }
    }

    /// Returns the result for a column, in one or several arrays.
    fn apply(&self, column: &mut SeriesColumn, option: Option<&str>) -> Result<Vec<ArrowArray>, ColumnError> {
        let is_text = column.field.column_type.values().is_text;
        match (self, option) {
            (Self::IsValid, _) => column.map(&is_valid_utf8),
            (Self::Errors, _) => {
                let mut lists = ErrorLists::default();
                column.for_each(&mut |context, chunk| lists.add(context, chunk))?;
                one(lists.finish()?)
            }
            (Self::Count(unit), _) => column.map(&|context, chunk| counts(context, chunk, *unit, false)),
            (Self::Decode(errors), _) => column.changed(errors, true),
            (Self::Normalize(form), _) => column.changed(&NormalizeRows(*form), is_text),
            (Self::Repair, Some(replacement)) => column.changed(&Errors::Replace(replacement), is_text),
            (Self::RepairMojibake, languages) => {
                let tags: Vec<_> = languages.unwrap_or_default().split_whitespace().collect();
                let of_languages = Knowledge::of_languages(&tags)
                    .map_err(|unknown| ColumnError::Type(unknown.to_string()))?;
                let mut evidence = mojibake::Column::new(of_languages);
                let mut chunks = vec![];
                column.for_each(&mut |context, chunk| {
                    try_push(&mut chunks, chunk.clone())?;
                    add_rows(context, chunk, &mut evidence)
                })?;
                with_context(&mut |context| {
                    let knowledge = knowledge(context, mem::take(&mut evidence))?;
                    let operation = RepairMojibake(&knowledge);
                    let mut results = vec![];
                    for chunk in &chunks {
                        let result = mapped(&column.field, context, chunk, &operation, is_text)?;
                        try_push(&mut results, Arc::new(result).export())?;
                    }
                    Ok(results)
                })
            }
            (Self::Detect, names) => {
                let encodings = encodings(names.unwrap_or_default())?;
                let mut sample = RowSample::default();
                column.for_each(&mut |context, chunk| sample.add(context, chunk))?;
                with_context(&mut |context| {
                    let (found, text) = mem::take(&mut sample).detect(context, &encodings)?;
                    one(detection(found, &text)?)
                })
            }
            (Self::DetectRows, names) => {
                let encodings = encodings(names.unwrap_or_default())?;
                column.map(&|context, chunk| detections(context, chunk, &encodings))
            }
            (Self::Transcode { to_text }, Some(arguments)) => {
                let ([source, target], errors, bom) = conversion(arguments)
                    .ok_or_else(|| ColumnError::Type("a conversion with unknown options".into()))?;
                let operation = TranscodeRows { source: &source, target: &target, errors, bom };
                column.changed(&operation, *to_text)
            }
            (Self::Truncate, Some(arguments)) => {
                let Utf8Truncation { limit, ellipsis } = truncation(arguments)
                    .ok_or_else(|| ColumnError::Type("a truncation with unknown options".into()))?;
                column.changed(&TruncateRows { limit, ellipsis: &ellipsis, is_text }, is_text)
            }
            // In an empty frame the literal has no rows, either.
            (_, None) => {
                let field = column.field.clone();
                let to_text = match self {
                    Self::Transcode { to_text } => *to_text,
                    _ => is_text,
                };
                column.map(&|context, chunk| match chunk.row_count() {
                    0 => mapped(&field, context, chunk, &Errors::Strict, to_text),
                    _ => Err(ColumnError::Type("rows without options".into())),
                })
            }
        }
    }

    /// Returns the result for a column, with its type.
    fn call(&self, column: Input, options: Option<Input>) -> Result<SeriesExport, ColumnError> {
        let option = options.map(option).transpose()?.flatten();
        let mut column = SeriesColumn { field: column_of(column.schema()?)?, arrays: column };
        let arrays = self.apply(&mut column, option.as_deref())?;
        SeriesExport::new(self.schema(&column.field.name, &column.field.column_type).export(), arrays)
    }
}

/// Returns an array as the only one of a result.
fn one(array: Array) -> Result<Vec<ArrowArray>, ColumnError> {
    let mut arrays = vec![];
    try_push(&mut arrays, Arc::new(array).export())?;
    Ok(arrays)
}

/// Returns the type of rows with other texts. The rows of a dictionary, as in Categorical and Enum, become views.
fn changed(rows: &ColumnType, is_text: bool) -> ColumnType {
    match rows {
        ColumnType::Bytes(_) => rows.changed(is_text),
        _ => ColumnType::Bytes(BytesType { layout: BytesLayout::Views, is_text }),
    }
}

/// Returns the result of `work`, which runs on this thread and is not interrupted.
fn with_context<T>(
    work: &mut dyn FnMut(&mut Context<'_>) -> Result<T, ColumnError>,
) -> Result<T, ColumnError> {
    let mut progress = |_| Ok(());
    work(&mut Context { by: Implementation::active(), threads: 1, progress: &mut progress })
}

/// A column of binary values or strings.
struct SeriesColumn {
    field: Field,
    arrays: Input,
}

impl SeriesColumn {
    fn for_each(
        &mut self,
        work: &mut dyn FnMut(&mut Context<'_>, &Chunk) -> Result<(), ColumnError>,
    ) -> Result<(), ColumnError> {
        with_context(&mut |context| {
            let mut first_row = 0;
            for array in &mut self.arrays {
                let chunk = Chunk::import(array, &self.field)?;
                work(context, &chunk).map_err(|error| error.in_chunk_at(first_row))?;
                first_row += chunk.row_count();
            }
            Ok(())
        })
    }

    /// Returns the results of `work` on each chunk.
    fn map(
        &mut self,
        work: &dyn Fn(&mut Context<'_>, &Chunk) -> Result<Array, ColumnError>,
    ) -> Result<Vec<ArrowArray>, ColumnError> {
        let mut results = vec![];
        self.for_each(&mut |context, chunk| {
            let result = Arc::new(work(context, chunk)?);
            Ok(try_push(&mut results, result.export())?)
        })?;
        Ok(results)
    }

    /// Returns the rows after an operation.
    fn changed(&mut self, operation: &dyn Operation, to_text: bool) -> Result<Vec<ArrowArray>, ColumnError> {
        let field = self.field.clone();
        self.map(&|context, chunk| mapped(&field, context, chunk, operation, to_text))
    }
}

/// Returns the rows of a chunk after an operation, in the layout of [`changed`].
fn mapped(
    field: &Field,
    context: &mut Context<'_>,
    chunk: &Chunk,
    operation: &dyn Operation,
    to_text: bool,
) -> Result<Array, ColumnError> {
    let result = map(context, chunk, operation, to_text)?;
    if matches!(chunk, Chunk::Bytes(_)) {
        return Ok(result);
    }
    let field = Field { column_type: field.column_type.changed(to_text), ..field.clone() };
    flattened(&Chunk::import(Arc::new(result).export(), &field)?)
}

/// Returns a column of binary values or strings.
fn column_of(schema: &ArrowSchema) -> Result<Field, ColumnError> {
    let field = Field::of_column(schema)?;
    match field.column_type.values().layout {
        // Polars has no type of rows of the same length: these are pointers to Python objects.
        BytesLayout::Fixed(_) => Err(ColumnError::objects()),
        _ => Ok(field),
    }
}

/// Returns the first row of a column of options; `None` if it has no rows.
fn option(column: Input) -> Result<Option<String>, ColumnError> {
    let Some(row) = row_of(column, 0)? else { return Ok(None) };
    String::from_utf8(row).map(Some).map_err(|_| ColumnError::Malformed("options that are not UTF-8"))
}

/// Returns a row of a column; `None` if it has no such row, or it is null.
fn row_of(column: Input, mut row: usize) -> Result<Option<Vec<u8>>, ColumnError> {
    let field = column_of(column.schema()?)?;
    for array in column {
        let chunk = Chunk::import(array, &field)?;
        let Chunk::Bytes(rows) = &chunk else { return Ok(None) };
        match row.checked_sub(rows.len()) {
            Some(later) => row = later,
            None if rows.is_null(row) => return Ok(None),
            None => return Ok(Some(rows.rows()?.row(row)?.to_vec())),
        }
    }
    Ok(None)
}

/// Returns the encodings of some names; all if there are none.
fn encodings(names: &str) -> Result<Encodings, ColumnError> {
    if names.is_empty() {
        return Ok(Encodings::ALL);
    }
    Encodings::of(names.split_whitespace()).ok_or_else(|| ColumnError::Type("an unknown encoding".into()))
}

/// Returns the conversion with some arguments: the error handler, the policy for byte order marks or "", and the
/// definitions of both encodings, separated by line feeds.
fn conversion(arguments: &str) -> Option<([Encoding; 2], ConversionErrors, BomPolicy)> {
    let mut arguments = arguments.split('\n');
    let [errors, bom, source, target] = [(); 4].map(|()| arguments.next());
    let errors = CONVERSION_ERRORS.iter().find(|(name, _)| errors == Some(name))?.1;
    let bom = bom_policy(bom.filter(|bom| !bom.is_empty())).ok()?;
    Some(([encoding_of(source?)?, encoding_of(target?)?], errors, bom))
}

/// Returns the truncation with some arguments, of which the ellipsis is the last one: `5 char grapheme end ...`.
fn truncation(arguments: &str) -> Option<Utf8Truncation> {
    let mut arguments = arguments.splitn(5, ' ');
    let limit = arguments.next()?.parse().ok()?;
    let [unit, boundary, side, ellipsis] = [(); 4].map(|()| arguments.next());
    Utf8Truncation::named(limit, unit?, boundary?, side?, ellipsis?)
}

/// Runs a computation whose result is written to `out`. The message of an error or a panic is kept for Polars.
///
/// # Safety
/// `out` must point to memory for a value, which holds nothing that must be dropped.
unsafe fn guarded<T>(
    out: *mut T,
    name: &CStr,
    keys: Option<Input>,
    compute: impl FnOnce() -> Result<T, ColumnError>,
) {
    let compute = || {
        #[cfg(feature = "panic-injection")]
        super::interpreter::injection::panic_if_requested();
        compute()
    };
    match catch_unwind(AssertUnwindSafe(compute)) {
        // SAFETY: as the caller promised.
        Ok(Ok(value)) => unsafe { ptr::write(out, value) },
        Ok(Err(error)) => keep(name, failure(error, keys)),
        Err(payload) => keep(name, panic_message(payload.as_ref())),
    }
}

/// Returns the message of an error.
fn failure(error: ColumnError, keys: Option<Input>) -> String {
    match error {
        ColumnError::Row(error) => {
            let RowError { row, data, error } = &*error;
            let value = shown(data, error.start() as usize, error.end() as usize);
            let advice = "utf8.errors() lists all errors, utf8.repair() replaces them";
            format!("{}: {error}, in {value}; {advice}", place(*row, keys))
        }
        ColumnError::Conversion(error) => {
            let value = shown(&error.data, error.fault.start, error.fault.end);
            format!("{}: {error}, in {value}", place(error.row, keys))
        }
        error => error.to_string(),
    }
}

/// Keeps the message about a column for Polars.
fn keep(name: &CStr, message: String) {
    let message = match name.to_bytes() {
        b"" => message, // Polars does not name the columns of groups
        _ => format!("column {:?}: {message}", name.to_string_lossy()),
    };
    LAST_ERROR.set(CString::new(message.replace('\0', "\u{fffd}")).unwrap_or_default());
}

/// Returns the number of a row, and its key if there is one, for messages.
fn place(row: usize, keys: Option<Input>) -> String {
    let number = format!("row {row} of the batch");
    // One value is the key of all rows.
    let key = |keys: Input| {
        let row = if keys.row_count() == 1 { 0 } else { row };
        row_of(keys, row).ok().flatten()
    };
    match keys.and_then(key) {
        Some(key) => format!("{number}, key {}", String::from_utf8_lossy(&key)),
        None => number,
    }
}

/// Returns the bytes of a value around an error, for messages.
fn shown(data: &[u8], start: usize, end: usize) -> String {
    const CONTEXT_BYTES: usize = 20;
    let part = start.saturating_sub(CONTEXT_BYTES)..data.len().min(end.saturating_add(CONTEXT_BYTES));
    let [before, after] =
        [part.start > 0, part.end < data.len()].map(|is_cut| if is_cut { "..." } else { "" });
    format!("{before}b\"{}\"{after}", data.get(part).unwrap_or_default().escape_ascii())
}

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Returns the version of the interface: 0 in the upper half, 1 in the lower one.
#[unsafe(no_mangle)]
extern "C" fn _polars_plugin_get_version() -> u32 {
    1
}

/// Returns the message of the last error on this thread, which lives until the next one.
#[unsafe(no_mangle)]
extern "C" fn _polars_plugin_get_last_error_message() -> *const c_char {
    LAST_ERROR.with_borrow(|message| message.as_ptr())
}

/// Writes the result of an expression to `out`.
///
/// # Safety
/// Polars must pass `count` series, and memory for another.
unsafe fn call(expression: &Expression, series: *const SeriesExport, count: usize, out: *mut SeriesExport) {
    let mut inputs = [None, None, None];
    for index in 0..count {
        // SAFETY: there are as many series, each of which is taken once.
        let input = unsafe { Input::take(series.wrapping_add(index)) };
        if let Some(place) = inputs.get_mut(index) {
            *place = Some(input);
        }
    }
    let [column, options, keys] = inputs;
    let rows = column.as_ref().map_or(0, Input::row_count);
    // Others are not the keys of these rows.
    let keys = keys.filter(|keys| [1, rows].contains(&keys.row_count()));
    let name = column.as_ref().and_then(|column| column.schema().ok()).map_or(c"".into(), name_of_column);
    let compute = || expression.call(column.ok_or_else(no_column)?, options);
    // SAFETY: as the caller promised.
    unsafe { guarded(out, &name, keys, compute) }
}

/// Writes the type of the result of an expression to `out`.
///
/// # Safety
/// Polars must pass `count` fields, and memory for another.
unsafe fn call_field(
    expression: &Expression,
    fields: *const ArrowSchema,
    count: usize,
    out: *mut ArrowSchema,
) {
    // SAFETY: as the caller promised; the fields stay Polars' own.
    let field = if count == 0 { None } else { unsafe { fields.as_ref() } };
    let name = field.map_or(c"".into(), name_of_column);
    let compute = || {
        let field = column_of(field.ok_or_else(no_column)?)?;
        Ok(expression.schema(&field.name, &field.column_type).export())
    };
    // SAFETY: as the caller promised.
    unsafe { guarded(out, &name, None, compute) }
}

fn name_of_column(schema: &ArrowSchema) -> CString {
    name_of(schema).to_owned()
}

fn no_column() -> ColumnError {
    ColumnError::Type("a column is needed".into())
}

/// Defines the symbols of an expression.
macro_rules! symbols {
    ($($call:ident, $field:ident: $expression:expr;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $call(
            series: *const SeriesExport,
            count: usize,
            _arguments: *const u8,
            _arguments_length: usize,
            out: *mut SeriesExport,
            _context: *const c_void,
        ) {
            // SAFETY: Polars passes that.
            unsafe { call(&$expression, series, count, out) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $field(
            fields: *const ArrowSchema,
            count: usize,
            out: *mut ArrowSchema,
            _arguments: *const u8,
            _arguments_length: usize,
        ) {
            // SAFETY: Polars passes that.
            unsafe { call_field(&$expression, fields, count, out) }
        }
    )*};
}

symbols! {
    _polars_plugin_is_valid, _polars_plugin_field_is_valid: Expression::IsValid;
    _polars_plugin_errors, _polars_plugin_field_errors: Expression::Errors;
    _polars_plugin_count_chars, _polars_plugin_field_count_chars: Expression::Count(CountUnit::Char);
    _polars_plugin_count_utf16, _polars_plugin_field_count_utf16: Expression::Count(CountUnit::Utf16);
    _polars_plugin_count_graphemes, _polars_plugin_field_count_graphemes: Expression::Count(CountUnit::Grapheme);
    _polars_plugin_decode_strict, _polars_plugin_field_decode_strict: Expression::Decode(Errors::Strict);
    _polars_plugin_decode_replace, _polars_plugin_field_decode_replace: Expression::Decode(Errors::REPLACE);
    _polars_plugin_decode_ignore, _polars_plugin_field_decode_ignore: Expression::Decode(Errors::Replace(""));
    _polars_plugin_decode_null, _polars_plugin_field_decode_null: Expression::Decode(Errors::Null);
    _polars_plugin_decode_backslashreplace, _polars_plugin_field_decode_backslashreplace:
        Expression::Decode(Errors::Escape);
    _polars_plugin_normalize_nfc, _polars_plugin_field_normalize_nfc: Expression::Normalize(Form::Nfc);
    _polars_plugin_normalize_nfd, _polars_plugin_field_normalize_nfd: Expression::Normalize(Form::Nfd);
    _polars_plugin_normalize_nfkc, _polars_plugin_field_normalize_nfkc: Expression::Normalize(Form::Nfkc);
    _polars_plugin_normalize_nfkd, _polars_plugin_field_normalize_nfkd: Expression::Normalize(Form::Nfkd);
    _polars_plugin_repair, _polars_plugin_field_repair: Expression::Repair;
    _polars_plugin_repair_mojibake, _polars_plugin_field_repair_mojibake: Expression::RepairMojibake;
    _polars_plugin_detect, _polars_plugin_field_detect: Expression::Detect;
    _polars_plugin_detect_rows, _polars_plugin_field_detect_rows: Expression::DetectRows;
    _polars_plugin_transcode, _polars_plugin_field_transcode: Expression::Transcode { to_text: true };
    _polars_plugin_transcode_to_bytes, _polars_plugin_field_transcode_to_bytes:
        Expression::Transcode { to_text: false };
    _polars_plugin_truncate, _polars_plugin_field_truncate: Expression::Truncate;
}
