//! The contents of the extension module `leadbyte._leadbyte`: arguments in, results and exceptions out.

mod arguments;
mod arrow;
mod arrow_items;
mod audit;
mod buffer;
mod calls;
mod census;
mod column_errors;
mod decode;
mod detect;
mod double_byte;
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
mod shared;
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

/// Fills the module, in this order: nothing that PyO3 keeps for the whole process may be created in an interpreter that
/// is refused.
///
/// # Errors
/// ImportError in a subinterpreter, for an unknown layout of str, and for an unknown instruction set in LEADBYTE_ISA.
pub fn fill(module: &Bound<'_, PyModule>) -> PyResult<()> {
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
    module.add("_ArrowItems", module.py().get_type::<arrow_items::Items>())?;
    module.add("_ArrowStream", module.py().get_type::<arrow::Stream>())?;
    module.add_class::<audit::AuditSearch>()?;
    module.add_class::<detect::Detection>()?;
    module.add_class::<detect::Detector>()?;
    module.add_class::<double_byte::DoubleByteDecoder>()?;
    module.add_class::<double_byte::DoubleByteEncoder>()?;
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

/// The functions that are not in the table of `fastcall.rs`: each file lists its own.
fn add_functions(module: &Bound<'_, PyModule>) -> PyResult<()> {
    for exported in [
        arrow::exported,
        census::exported,
        decode::exported,
        detect::exported,
        encode::exported,
        file_reader::exported,
        functions::exported,
        integers::exported,
        mojibake::exported,
        repair::exported,
        split::exported,
        stream::exported,
        transcode::exported,
        truncate::exported,
        unicode::exported,
        variants::exported,
    ] {
        exported(module)?.into_iter().try_for_each(|function| module.add_function(function))?;
    }
    #[cfg(feature = "panic-injection")]
    module.add_function(wrap_pyfunction!(interpreter::injection::_panic_in_next_call, module)?)?;
    Ok(())
}
