//! The extension module `leadbyte._leadbyte`.
//!
//! The bindings are a library below it, which is compiled while the crate is: a module has to wait for all code below.

use pyo3::prelude::*;

/// Initialises the module.
#[pymodule(gil_used = false)]
fn _leadbyte(module: &Bound<'_, PyModule>) -> PyResult<()> {
    leadbyte_python::fill(module)
}
