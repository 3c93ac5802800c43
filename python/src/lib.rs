//! The extension module `leadbyte._leadbyte`: arguments in, results and exceptions out.

mod arguments;
mod arrow;
mod audit;
mod buffer;
mod census;
mod decode;
mod detect;
mod editable_offsets;
mod encode;
mod encode_into;
mod errors;
mod fastcall;
mod fields;
mod file_reader;
mod files;
mod functions;
mod handlers;
mod integers;
mod interpreter;
mod jsonl;
mod lines;
mod list;
mod location;
mod mojibake;
mod offsets;
mod polars;
mod repair;
mod scan;
mod split;
mod stream;
mod string;
mod transcode;
mod truncate;
mod type_errors;
mod unicode;
mod variants;
mod work_error;

use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Initialises the module. It is a function because of its order: nothing that PyO3 keeps for the whole process may be
/// created in an interpreter that is refused.
#[pymodule(gil_used = false)]
fn _leadbyte(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    interpreter::require_main(py)?;
    string::check_layout(py)?;
    if let Err(error) = leadbyte::cpu_info().requested {
        return Err(PyImportError::new_err(format!("{}: {error}", leadbyte::bindings::simd::VARIABLE)));
    }
    fastcall::add_to(module)?;
    add_classes(module)?;
    fastcall::add_lookups(py)?;
    fastcall::speed_up_lines(py);
    add_functions(module)?;
    module.add("BOM", PyBytes::new(py, &leadbyte::BOM))?;
    module.add("unidata_version", leadbyte::bindings::unicode::UNICODE_VERSION)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}

fn add_classes(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("_ArrowArray", module.py().get_type::<arrow::Array>())?;
    module.add("_ArrowStream", module.py().get_type::<arrow::Stream>())?;
    module.add_class::<audit::AuditSearch>()?;
    module.add_class::<detect::Detection>()?;
    module.add_class::<detect::Detector>()?;
    module.add_class::<editable_offsets::EditableOffsetMap>()?;
    module.add_class::<errors::ErrorIterator>()?;
    module.add_class::<errors::ErrorSpan>()?;
    module.add_class::<file_reader::FileReader>()?;
    module.add_class::<jsonl::JsonLinesSearch>()?;
    module.add_class::<lines::LineIterator>()?;
    module.add_class::<mojibake::MojibakeBlocks>()?;
    module.add_class::<location::Location>()?;
    module.add_class::<offsets::OffsetMap>()?;
    module.add_class::<offsets::Position>()?;
    module.add_class::<scan::Scan>()?;
    module.add_class::<scan::Scanner>()?;
    module.add_class::<split::ChunkIterator>()?;
    module.add_class::<stream::IncrementalValidator>()?;
    module.add_class::<transcode::Transcoder>()?;
    module.add_class::<transcode::Encoding>()
}

/// The functions that are not in the table of `fastcall.rs`.
fn add_functions(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let functions = [
        wrap_pyfunction!(arrow::_arrow_audit, module)?,
        wrap_pyfunction!(arrow::_arrow_count, module)?,
        wrap_pyfunction!(arrow::_arrow_decode, module)?,
        wrap_pyfunction!(arrow::_arrow_detect, module)?,
        wrap_pyfunction!(arrow::_arrow_detect_rows, module)?,
        wrap_pyfunction!(arrow::_arrow_errors, module)?,
        wrap_pyfunction!(arrow::_arrow_is_valid, module)?,
        wrap_pyfunction!(arrow::_arrow_normalize, module)?,
        wrap_pyfunction!(arrow::_arrow_repair, module)?,
        wrap_pyfunction!(arrow::_arrow_repair_mojibake, module)?,
        wrap_pyfunction!(arrow::_arrow_sanitize, module)?,
        wrap_pyfunction!(arrow::_arrow_transcode, module)?,
        wrap_pyfunction!(arrow::_arrow_truncate, module)?,
        wrap_pyfunction!(census::_census, module)?,
        wrap_pyfunction!(decode::_decode_universal, module)?,
        wrap_pyfunction!(decode::decode_many, module)?,
        wrap_pyfunction!(detect::_detectable_encodings, module)?,
        wrap_pyfunction!(detect::detect, module)?,
        wrap_pyfunction!(detect::detect_all, module)?,
        wrap_pyfunction!(encode::encode_many, module)?,
        wrap_pyfunction!(file_reader::_read, module)?,
        wrap_pyfunction!(functions::_announced_length, module)?,
        wrap_pyfunction!(functions::add_bom, module)?,
        wrap_pyfunction!(functions::ceil_boundary, module)?,
        wrap_pyfunction!(functions::count_newlines, module)?,
        wrap_pyfunction!(functions::count_utf16, module)?,
        wrap_pyfunction!(functions::count_widths, module)?,
        wrap_pyfunction!(functions::cpu_info, module)?,
        wrap_pyfunction!(functions::floor_boundary, module)?,
        wrap_pyfunction!(functions::has_bom, module)?,
        wrap_pyfunction!(functions::is_ascii, module)?,
        wrap_pyfunction!(functions::is_boundary, module)?,
        wrap_pyfunction!(functions::iter_errors, module)?,
        wrap_pyfunction!(functions::locate, module)?,
        wrap_pyfunction!(functions::sequence_length, module)?,
        wrap_pyfunction!(functions::strip_bom, module)?,
        wrap_pyfunction!(functions::validate, module)?,
        wrap_pyfunction!(integers::_decode_integers, module)?,
        wrap_pyfunction!(integers::_encode_integers, module)?,
        wrap_pyfunction!(mojibake::_read_mixed, module)?,
        wrap_pyfunction!(mojibake::_undo_mojibake, module)?,
        wrap_pyfunction!(mojibake::_undo_mojibake_of_column, module)?,
        wrap_pyfunction!(repair::_repair_prefix, module)?,
        wrap_pyfunction!(repair::repair, module)?,
        wrap_pyfunction!(repair::to_well_formed, module)?,
        wrap_pyfunction!(split::_floor_cluster, module)?,
        wrap_pyfunction!(split::_split_points, module)?,
        wrap_pyfunction!(split::chunks, module)?,
        wrap_pyfunction!(stream::_decode_prefix, module)?,
        wrap_pyfunction!(transcode::_transcode, module)?,
        wrap_pyfunction!(truncate::truncate, module)?,
        wrap_pyfunction!(truncate::truncate_many, module)?,
        wrap_pyfunction!(unicode::search, module)?,
        wrap_pyfunction!(unicode::graphemes, module)?,
        wrap_pyfunction!(unicode::is_equivalent, module)?,
        wrap_pyfunction!(variants::_decode_variant, module)?,
        wrap_pyfunction!(variants::_decode_variant_prefix, module)?,
        wrap_pyfunction!(variants::_encode_variant, module)?,
        wrap_pyfunction!(variants::_is_valid_variant, module)?,
    ];
    functions.iter().try_for_each(|function| module.add_function(function.clone()))?;
    #[cfg(feature = "panic-injection")]
    module.add_function(wrap_pyfunction!(interpreter::injection::_panic_in_next_call, module)?)?;
    Ok(())
}
