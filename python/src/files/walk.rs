//! The files of the given paths: directories are searched recursively, in the order of names.

use std::ffi::{OsStr, OsString};
use std::fs::{self, FileType};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{io, vec};

use super::open::NOT_REGULAR;
use super::patterns::{Patterns, names};
use super::rules::{IgnoreRules, REPOSITORY, is_hidden};

const VERSION_CONTROL: [&str; 8] = [".git", ".hg", ".svn", ".bzr", ".jj", ".pijul", "_darcs", "CVS"];

/// The path that means standard input.
pub(super) const STANDARD_INPUT: &str = "-";

/// Which entries of directories are files to read.
pub(crate) struct Selection {
    /// Whether directories are searched; else they are files that cannot be read.
    pub(crate) directories: bool,
    /// Whether `.gitignore` and `.ignore` count.
    pub(crate) ignore: bool,
    /// Whether entries whose names begin with a dot are included.
    pub(crate) hidden: bool,
    /// Patterns, as in `.gitignore`, of entries that are left out.
    pub(crate) exclude: Vec<OsString>,
    /// Whether directories that are tables of a lake are reported as such, and not searched.
    pub(crate) tables: bool,
}

impl Selection {
    /// Checks the patterns; returns the message of an invalid one.
    pub(crate) fn check(&self) -> Result<(), String> {
        Patterns::from_lines(Path::new(""), &self.exclude).map(|_| ())
    }
}

/// What a walk finds.
pub(crate) enum WalkEntry {
    /// A path that was given, whatever it is.
    Named(PathBuf),
    /// A regular file below a directory.
    File(PathBuf),
    /// An entry of a directory that is left out, for a reason.
    Skipped(PathBuf, &'static str),
    /// A directory that is a table of a lake: its log decides which of the files belong to it.
    Table(PathBuf),
    /// A directory that cannot be listed, or an entry whose type is unknown.
    Failed(PathBuf, io::Error),
}

/// The entry of a directory; its type is not always known.
struct DirectoryEntry {
    name: OsString,
    file_type: io::Result<FileType>,
}

/// A directory that is being searched.
struct Directory {
    /// As reported.
    path: PathBuf,
    /// For patterns.
    absolute: PathBuf,
    entries: vec::IntoIter<DirectoryEntry>,
    rules: Option<Arc<IgnoreRules>>,
}

/// Iterates over the files of the given paths.
pub(crate) struct Walk {
    paths: vec::IntoIter<PathBuf>,
    selection: Selection,
    /// The patterns of `selection.exclude`, below the path that is being searched.
    exclude: Patterns,
    /// The directories from that path down to the current one.
    pending: Vec<Directory>,
}

impl Walk {
    pub(crate) fn new(paths: Vec<PathBuf>, selection: Selection) -> Self {
        Self { paths: paths.into_iter(), selection, exclude: Patterns::default(), pending: vec![] }
    }

    /// Begins to search the directory of a path that was given.
    fn enter_top(&mut self, path: PathBuf) -> Option<WalkEntry> {
        let absolute = match fs::canonicalize(&path) {
            Ok(absolute) => absolute,
            Err(error) => return Some(WalkEntry::Failed(path, error)),
        };
        let rules = if self.selection.ignore { IgnoreRules::above(&absolute) } else { None };
        // `Selection::check` has refused invalid patterns.
        self.exclude = Patterns::from_lines(&absolute, &self.selection.exclude).unwrap_or_default();
        self.enter(path, absolute, rules)
    }

    /// Begins to search a directory; returns the entry to report for it.
    fn enter(
        &mut self,
        path: PathBuf,
        absolute: PathBuf,
        above: Option<Arc<IgnoreRules>>,
    ) -> Option<WalkEntry> {
        let entries = match list(&path) {
            Ok(entries) => entries,
            Err(error) => return Some(WalkEntry::Failed(path, error)),
        };
        if self.selection.tables && is_table(&path, &entries) {
            return Some(WalkEntry::Table(path));
        }
        let rules = if self.selection.ignore {
            let has = |name: &str| {
                entries.binary_search_by(|entry| entry.name.as_os_str().cmp(OsStr::new(name))).is_ok()
            };
            IgnoreRules::of(&absolute, above, has)
        } else {
            None
        };
        self.pending.push(Directory { path, absolute, entries: entries.into_iter(), rules });
        None
    }

    /// Returns why an entry of the current directory is left out, if it is.
    fn reason(
        &self,
        directory: &Directory,
        name: &OsStr,
        path: &Path,
        is_directory: bool,
    ) -> Option<&'static str> {
        let names = names(path);
        let excluded = self.exclude.decide(&names, is_directory);
        if excluded == Some(true) {
            return Some("excluded");
        }
        let ignored = excluded.or_else(|| directory.rules.as_ref()?.decide(&names, is_directory));
        match ignored {
            Some(true) => Some("ignored"),
            // A pattern with an exclamation mark includes hidden entries too.
            None if !self.selection.hidden && is_hidden(name) => Some("hidden"),
            _ => None,
        }
    }
}

impl Iterator for Walk {
    type Item = WalkEntry;

    fn next(&mut self) -> Option<WalkEntry> {
        loop {
            let Some(directory) = self.pending.last_mut() else {
                let path = self.paths.next()?;
                let searched =
                    self.selection.directories && path.as_os_str() != STANDARD_INPUT && path.is_dir();
                let found = if searched { self.enter_top(path) } else { Some(WalkEntry::Named(path)) };
                match found {
                    None => continue,
                    found => return found,
                }
            };
            let Some(entry) = directory.entries.next() else {
                self.pending.pop();
                continue;
            };
            let path = directory.path.join(&entry.name);
            let file_type = match entry.file_type {
                Ok(file_type) => file_type,
                Err(error) => return Some(WalkEntry::Failed(path, error)),
            };
            let is_managed = VERSION_CONTROL.iter().any(|name| entry.name == *name);
            if is_managed && (file_type.is_dir() || entry.name == REPOSITORY) {
                continue;
            }
            let Some(directory) = self.pending.last() else { continue };
            let absolute = directory.absolute.join(&entry.name);
            if let Some(reason) = self.reason(directory, &entry.name, &absolute, file_type.is_dir()) {
                return Some(WalkEntry::Skipped(path, reason));
            }
            if file_type.is_dir() {
                let rules = directory.rules.clone();
                if let Some(found) = self.enter(path, absolute, rules) {
                    return Some(found);
                }
            } else if file_type.is_file() {
                return Some(WalkEntry::File(path));
            } else {
                let reason = if file_type.is_symlink() { "link" } else { NOT_REGULAR };
                return Some(WalkEntry::Skipped(path, reason));
            }
        }
    }
}

/// Returns whether a directory with these entries is a table of Delta or Iceberg.
fn is_table(path: &Path, entries: &[DirectoryEntry]) -> bool {
    let has = |name: &str| {
        let found = entries.binary_search_by(|entry| entry.name.as_os_str().cmp(OsStr::new(name)));
        let entry = found.ok().and_then(|index| entries.get(index));
        entry.is_some_and(|entry| entry.file_type.as_ref().is_ok_and(FileType::is_dir))
    };
    has("_delta_log")
        || (has("metadata")
            && list(&path.join("metadata")).is_ok_and(|logs| {
                logs.iter().any(|entry| is_iceberg_metadata(&entry.name.to_string_lossy()))
            }))
}

/// Returns whether a name is one of a version's metadata, as `v3.metadata.json` or `00003-<UUID>.metadata.json`: by the
/// same rule as `VERSION` of `leadbyte/_files/lake.py`.
fn is_iceberg_metadata(name: &str) -> bool {
    let Some(version) = name.strip_suffix(".metadata.json") else { return false };
    let version = version.strip_suffix(".gz").unwrap_or(version);
    let digits = version.strip_prefix('v').unwrap_or(version);
    let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < digits.len() && (rest.is_empty() || rest.starts_with('-') && !rest.contains('.'))
}

/// Returns the entries of a directory, sorted by name.
fn list(directory: &Path) -> io::Result<Vec<DirectoryEntry>> {
    let mut entries = fs::read_dir(directory)?
        .map(|entry| {
            entry.map(|entry| DirectoryEntry { name: entry.file_name(), file_type: entry.file_type() })
        })
        .collect::<io::Result<Vec<_>>>()?;
    entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}
