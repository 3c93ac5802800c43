//! Universal newlines: the line ends LF, CR LF and CR all become LF.

use memchr::memchr_iter;

use crate::allocation::Grow;
use crate::progress::{Progress, Stopped};
use crate::sequence::boundary::CHUNK_BYTES;

/// Returns `data` with each CR LF and each other CR replaced by LF.
pub fn universal_newlines(data: &[u8], progress: Progress<'_>) -> Result<Vec<u8>, Stopped> {
    let mut text = Vec::new();
    text.grow(data.len())?;
    let (mut start, mut offset) = (0, 0);
    for chunk in data.chunks(CHUNK_BYTES) {
        for index in memchr_iter(b'\r', chunk) {
            let end = offset + index;
            text.extend_from_slice(&data[start..end]);
            start = end + 1;
            // The LF of a CR LF is in the data: it is the first byte of the next copy.
            if data.get(start) != Some(&b'\n') {
                text.push(b'\n');
            }
        }
        offset += chunk.len();
        text.extend_from_slice(&data[start..offset]);
        start = offset;
        progress(chunk.len())?;
    }
    Ok(text)
}
