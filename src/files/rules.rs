//! Which entries of a directory are ignored, by the patterns of `.gitignore` and `.ignore`.
//!
//! The patterns are those of the crate `ignore`, with ripgrep's precedence: a pattern of `.ignore` outranks all others,
//! one of `.gitignore` those of `.git/info/exclude` and of Git's configuration; of one kind the innermost counts.
//! The crate's own walk does not report what it leaves out, which the command counts.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, Glob};

/// The file of patterns for all programs, and that of Git.
const IGNORE_FILE: &str = ".ignore";
const GITIGNORE_FILE: &str = ".gitignore";
/// The entry that marks the root of a repository; a file in worktrees and submodules.
const REPOSITORY: &str = ".git";

/// The patterns of a directory and of those above it.
pub(super) struct Rules {
    above: Option<Arc<Rules>>,
    ignore: Gitignore,
    gitignore: Gitignore,
    exclude: Gitignore,
    /// Whether Git's patterns of the directories above do not count.
    repository: bool,
    /// Whether these are the patterns of Git's configuration, which count in every repository.
    is_global: bool,
}

impl Rules {
    /// Returns the patterns that apply in `top`, an absolute path, by the directories above it and Git's configuration.
    ///
    /// `.gitignore` files above `top` count in a repository only.
    pub(super) fn above(top: &Path) -> Option<Arc<Self>> {
        let (global, _) = GitignoreBuilder::new(top).build_global();
        let mut rules = (!global.is_empty())
            .then(|| Arc::new(Self { exclude: global, is_global: true, ..Self::empty() }));
        let directories: Vec<&Path> = top.ancestors().skip(1).collect();
        let root = directories.iter().position(|directory| directory.join(REPOSITORY).exists());
        for (depth, directory) in directories.into_iter().enumerate().rev() {
            let with_git = root.is_some_and(|root| depth <= root);
            let has = |name| (name == IGNORE_FILE || with_git) && directory.join(name).exists();
            rules = Self::of(directory, rules, has);
        }
        rules
    }

    /// Returns no patterns.
    fn empty() -> Self {
        Self {
            above: None,
            ignore: Gitignore::empty(),
            gitignore: Gitignore::empty(),
            exclude: Gitignore::empty(),
            repository: false,
            is_global: false,
        }
    }

    /// Returns the patterns that apply in `directory`, an absolute path, in which `has` returns whether there is an
    /// entry of a name.
    pub(super) fn of(
        directory: &Path,
        above: Option<Arc<Self>>,
        has: impl Fn(&'static str) -> bool,
    ) -> Option<Arc<Self>> {
        let read = |name: &'static str, present: bool| {
            // A file that cannot be read, or a pattern that is none, ignores nothing.
            if present { from_file(directory, name) } else { Gitignore::empty() }
        };
        let repository = has(REPOSITORY);
        let rules = Self {
            ignore: read(IGNORE_FILE, has(IGNORE_FILE)),
            gitignore: read(GITIGNORE_FILE, has(GITIGNORE_FILE)),
            exclude: read(".git/info/exclude", repository),
            repository,
            ..Self::empty()
        };
        if !repository && rules.ignore.is_empty() && rules.gitignore.is_empty() {
            return above;
        }
        Some(Arc::new(Self { above, ..rules }))
    }

    /// Returns whether the entry of an absolute path is ignored; None if no pattern decides.
    pub(super) fn decide(&self, path: &Path, is_directory: bool) -> Option<bool> {
        let (mut ignore, mut gitignore, mut exclude) = (None, None, None);
        let mut git_counts = true;
        let mut next = Some(self);
        while let Some(rules) = next {
            next = rules.above.as_deref();
            ignore = ignore.or_else(|| decision(&rules.ignore.matched(path, is_directory)));
            if git_counts || rules.is_global {
                gitignore = gitignore.or_else(|| decision(&rules.gitignore.matched(path, is_directory)));
                exclude = exclude.or_else(|| decision(&rules.exclude.matched(path, is_directory)));
            }
            git_counts &= !rules.repository;
        }
        ignore.or(gitignore).or(exclude)
    }
}

/// Returns the patterns in a file, for the entries below `directory`.
fn from_file(directory: &Path, name: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new(directory);
    builder.add(directory.join(name));
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Returns the patterns of these lines, for the entries below `directory`; the message of a line that is no pattern.
pub(super) fn from_lines(directory: &Path, lines: &[String]) -> Result<Gitignore, String> {
    let mut builder = GitignoreBuilder::new(directory);
    for line in lines {
        builder.add_line(None, line).map_err(|error| error.to_string())?;
    }
    builder.build().map_err(|error| error.to_string())
}

/// Returns what a match decides: whether the entry is ignored.
pub(super) fn decision(found: &Match<&Glob>) -> Option<bool> {
    match found {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

/// Returns whether an entry is hidden, by its name.
pub(super) fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}
