//! Universal newlines: what ends a line, LF, CR LF or CR, becomes LF.

use memchr::memchr_iter;

use crate::allocation::{AllocError, Grow};

/// `data` with LF in the place of each CR LF and of each other CR.
/// An error if there is no memory for it.
pub(crate) fn universal_newlines(data: &[u8]) -> Result<Vec<u8>, AllocError> {
    let mut text = Vec::new();
    text.grow(data.len())?;
    let mut start = 0;
    for end in memchr_iter(b'\r', data) {
        text.extend_from_slice(&data[start..end]);
        start = end + 1;
        // That of a CR LF is there already: the next stretch begins with it.
        if data.get(start) != Some(&b'\n') {
            text.push(b'\n');
        }
    }
    text.extend_from_slice(&data[start..]);
    Ok(text)
}
