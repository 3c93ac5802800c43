//! The extension module `leadbyte._leadbyte`: arguments in, results and exceptions out.

mod buffer;
mod census;
mod decode;
mod detect;
mod encode;
mod errors;
mod fastcall;
mod fields;
mod files;
mod functions;
mod handlers;
mod interpreter;
mod list;
mod location;
mod long;
mod memory;
mod mojibake;
mod repair;
mod scan;
mod stream;
mod string;
mod transcode;
mod unicode;
mod variants;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _leadbyte {
    use pyo3::exceptions::PyImportError;
    use pyo3::prelude::*;
    use pyo3::types::PyBytes;

    #[pymodule_export]
    use super::census::_census;
    #[pymodule_export]
    use super::decode::{_decode_universal, decode_many};
    #[pymodule_export]
    use super::detect::{Detection, detect};
    #[pymodule_export]
    use super::encode::encode_many;
    #[pymodule_export]
    use super::errors::{ErrorIterator, ErrorSpan};
    #[pymodule_export]
    use super::files::_read;
    #[pymodule_export]
    use super::functions::{
        _announced_length, _describe, add_bom, ceil_boundary, count_newlines, count_utf16, count_widths,
        cpu_info, floor_boundary, has_bom, is_ascii, is_boundary, iter_errors, locate, sequence_length,
        strip_bom, validate,
    };
    #[pymodule_export]
    use super::location::Location;
    #[pymodule_export]
    use super::long::{_decode_long, _encode_long};
    #[pymodule_export]
    use super::mojibake::{_read_mixed, _undo_mojibake};
    #[pymodule_export]
    use super::repair::{_repair_prefix, repair, to_well_formed};
    #[pymodule_export]
    use super::scan::{Scan, Scanner};
    #[pymodule_export]
    use super::stream::{_decode_prefix, IncrementalValidator};
    #[pymodule_export]
    use super::transcode::{_transcode, Converter, Encoding};
    #[pymodule_export]
    use super::unicode::{find_text, graphemes, same_text};
    #[pymodule_export]
    use super::variants::{_decode_variant, _decode_variant_prefix, _encode_variant, _is_valid_variant};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::interpreter::claim(module.py())?;
        if let Err(error) = crate::cpu_info().requested {
            return Err(PyImportError::new_err(format!("{}: {error}", crate::simd::dispatch::VARIABLE)));
        }
        super::fastcall::add_to(module)?;
        module.add("BOM", PyBytes::new(module.py(), &crate::BOM))?;
        module.add("unicode_version", crate::unicode::UNICODE_VERSION)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
