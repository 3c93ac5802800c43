//! Reading of files.

use pyo3::exceptions::PyOSError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::buffer::{copied_bytes, new_bytes};
use super::interpreter::call_python;
use super::interpreter::guarded;
use crate::sequence::boundary::CHUNK_BYTES;
use crate::simd::uninit::{MaybeUninit, put};

/// Return the next length bytes of a raw file, or fewer at its end, as file.read(length) does.
///
/// The result is in huge pages if it is large, as page faults would take longer than reading.
#[pyfunction]
#[pyo3(signature = (file, length, /))]
pub(super) fn _read<'py>(file: &Bound<'py, PyAny>, length: usize) -> PyResult<Bound<'py, PyBytes>> {
    guarded(|| {
        let py = file.py();
        let mut read = 0;
        let fill = |out: &mut [MaybeUninit<u8>]| {
            while read < length {
                let size = CHUNK_BYTES.min(length - read);
                let piece = call_python(|| file.call_method1(intern!(py, "read"), (size,)))?;
                let piece = piece.cast::<PyBytes>()?.as_bytes();
                if piece.is_empty() {
                    // The file has become shorter.
                    out[read..].fill(MaybeUninit::new(0));
                    break;
                }
                if piece.len() > length - read {
                    return Err(PyOSError::new_err("read() returned more bytes than it was asked for"));
                }
                read += put(&mut out[read..], piece);
            }
            Ok(length)
        };
        // SAFETY: `put` writes as many bytes as it returns, and the rest is filled with zeros.
        let bytes = unsafe { new_bytes(py, length, fill) }?;
        if read == length { Ok(bytes) } else { copied_bytes(py, &bytes.as_bytes()[..read]) }
    })
}
