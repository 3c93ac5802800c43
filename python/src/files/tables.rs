//! Files with columns, which are not scanned as text.

use std::ffi::OsStr;
use std::path::Path;

/// The extensions of their names, and the bytes that they start with.
pub(crate) struct TableFormats {
    pub(crate) extensions: Vec<String>,
    pub(crate) magic: Vec<Vec<u8>>,
    /// Whether those below directories are left to the caller, too.
    pub(crate) below_directories: bool,
}

impl TableFormats {
    /// Returns whether a file with this name, or that begins with these bytes, has columns.
    pub(super) fn include(&self, path: &Path, start: &[u8]) -> bool {
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        self.extensions.iter().any(|known| extension.eq_ignore_ascii_case(known))
            || self.magic.iter().any(|magic| start.starts_with(magic))
    }
}
