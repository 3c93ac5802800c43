//! Universal newlines: what ends a line, LF, CR LF or CR, becomes LF.

use memchr::memchr_iter;

use crate::allocation::{AllocError, Grow};
use crate::boundary::CHUNK_BYTES;

/// `data` with LF in the place of each CR LF and of each other CR. Tells `worked` how much was done, in bytes, and stops
/// if that returns an error.
pub(crate) fn universal_newlines<E: From<AllocError>>(
    data: &[u8],
    mut worked: impl FnMut(usize) -> Result<(), E>,
) -> Result<Vec<u8>, E> {
    let mut text = Vec::new();
    text.grow(data.len())?;
    let (mut start, mut offset) = (0, 0);
    for step in data.chunks(CHUNK_BYTES) {
        for index in memchr_iter(b'\r', step) {
            let end = offset + index;
            text.extend_from_slice(&data[start..end]);
            start = end + 1;
            // That of a CR LF is there already: the next stretch begins with it.
            if data.get(start) != Some(&b'\n') {
                text.push(b'\n');
            }
        }
        offset += step.len();
        text.extend_from_slice(&data[start..offset]);
        start = offset;
        worked(step.len())?;
    }
    Ok(text)
}
