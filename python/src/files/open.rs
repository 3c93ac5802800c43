//! Files that are opened without ever blocking, and read block by block.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// The number of bytes that are searched for a NUL, which text does not contain.
const BINARY_PREFIX_BYTES: usize = 8 << 10;

pub(super) const NOT_REGULAR: &str = "not a regular file";
pub(super) const BINARY: &str = "binary";

/// A file that is open, and its length in bytes when it was opened.
pub(super) struct Opened {
    pub(super) file: File,
    pub(super) byte_count: u64,
}

/// Opens a regular file; None if it is not one. A file below a directory may have been replaced since that was listed:
/// a FIFO must not block, and a link is not followed.
pub(super) fn open(path: &Path, named: bool) -> io::Result<Option<Opened>> {
    if named && !path.metadata()?.is_file() {
        return Ok(None);
    }
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let no_follow = if named { 0 } else { libc::O_NOFOLLOW };
        options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | no_follow);
    }
    let file = options.open(path)?;
    let status = file.metadata()?;
    Ok(status.is_file().then_some(Opened { file, byte_count: status.len() }))
}

/// Reads until `block` is full or the file ends; returns the number of bytes read.
pub(super) fn fill(file: &File, block: &mut [u8]) -> io::Result<usize> {
    fill_with(block, |rest, _| (&*file).read(rest))
}

/// Reads at an offset until `block` is full or the file ends; returns the number of bytes read.
pub(super) fn fill_at(file: &File, block: &mut [u8], offset: u64) -> io::Result<usize> {
    fill_with(block, |rest, filled| read_at(file, rest, offset + filled as u64))
}

fn fill_with(
    block: &mut [u8],
    mut read: impl FnMut(&mut [u8], usize) -> io::Result<usize>,
) -> io::Result<usize> {
    let mut filled = 0;
    while filled < block.len() {
        match read(&mut block[filled..], filled) {
            Ok(0) => break,
            Ok(length) => filled += length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(unix)]
fn read_at(file: &File, block: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, block, offset)
}

#[cfg(windows)]
fn read_at(file: &File, block: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, block, offset)
}

/// Returns whether a file that begins with these bytes is considered binary.
pub(super) fn is_binary(start: &[u8]) -> bool {
    memchr::memchr(0, &start[..start.len().min(BINARY_PREFIX_BYTES)]).is_some()
}
