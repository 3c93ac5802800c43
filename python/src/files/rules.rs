//! Which entries of a directory are ignored, by the patterns of `.gitignore` and `.ignore`.
//!
//! Their precedence is the same as in ripgrep: a pattern of `.ignore` outranks all others, one of `.gitignore` the
//! patterns of `.git/info/exclude` and of Git's configuration; of one kind the innermost counts.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::git_config;
use super::patterns::{Links, Names, Patterns, read};

/// The file of patterns for all programs, and Git's own.
const IGNORE_FILE: &str = ".ignore";
const GITIGNORE_FILE: &str = ".gitignore";
/// The entry that marks the root of a repository; a file in worktrees and submodules.
pub(super) const REPOSITORY: &str = ".git";

/// The patterns of a directory and of those above it.
pub(super) struct IgnoreRules {
    above: Option<Arc<IgnoreRules>>,
    ignore: Patterns,
    gitignore: Patterns,
    exclude: Patterns,
    /// Whether Git's patterns of the directories above do not count.
    repository: bool,
    /// Whether these are the patterns of Git's configuration, which count in every repository.
    is_global: bool,
}

impl IgnoreRules {
    /// Returns the patterns that apply in `top`, an absolute path, by the directories above it and Git's configuration.
    ///
    /// `.gitignore` files above `top` count in a repository only.
    pub(super) fn above(top: &Path) -> Option<Arc<Self>> {
        let is_repository = |directory: &Path| directory.join(REPOSITORY).exists();
        let directories: Vec<&Path> = top.ancestors().skip(1).collect();
        let root = directories.iter().position(|directory| is_repository(directory));
        let global = git_config::excludes_file().map_or_else(Patterns::default, |file| {
            let root = root.filter(|_| !is_repository(top)).map_or(top, |root| directories[root]);
            Patterns::from_file(root, &root.join(file), Links::Followed)
        });
        let mut rules = (!global.is_empty())
            .then(|| Arc::new(Self { exclude: global, is_global: true, ..Self::empty() }));
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
            ignore: Patterns::default(),
            gitignore: Patterns::default(),
            exclude: Patterns::default(),
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
        let read = |name: &'static str, present: bool, links| {
            if present {
                Patterns::from_file(directory, &directory.join(name), links)
            } else {
                Patterns::default()
            }
        };
        let exclude = || {
            let file = git_directory(&directory.join(REPOSITORY)).join("info/exclude");
            Patterns::from_file(directory, &file, Links::Followed)
        };
        let repository = has(REPOSITORY);
        let rules = Self {
            ignore: read(IGNORE_FILE, has(IGNORE_FILE), Links::Followed),
            gitignore: read(GITIGNORE_FILE, has(GITIGNORE_FILE), Links::NotFollowed),
            exclude: repository.then(exclude).unwrap_or_default(),
            repository,
            ..Self::empty()
        };
        if !repository && rules.ignore.is_empty() && rules.gitignore.is_empty() {
            return above;
        }
        Some(Arc::new(Self { above, ..rules }))
    }

    /// Returns whether the entry with these names, from the root, is ignored; None if no pattern decides.
    pub(super) fn decide(&self, names: &Names, is_directory: bool) -> Option<bool> {
        let (mut ignore, mut gitignore, mut exclude) = (None, None, None);
        let mut git_counts = true;
        let mut next = Some(self);
        while let Some(rules) = next {
            next = rules.above.as_deref();
            ignore = ignore.or_else(|| rules.ignore.decide(names, is_directory));
            // The patterns of Git's configuration come last: a repository was passed, or there is none.
            if git_counts != rules.is_global {
                gitignore = gitignore.or_else(|| rules.gitignore.decide(names, is_directory));
                exclude = exclude.or_else(|| rules.exclude.decide(names, is_directory));
            }
            git_counts &= !rules.repository;
        }
        ignore.or(gitignore).or(exclude)
    }
}

/// Returns the directory of a repository with what all of its worktrees share, by gitrepository-layout(5).
fn git_directory(entry: &Path) -> PathBuf {
    /// Returns the path that a file consists of, after a prefix.
    fn path_in(file: &Path, prefix: &str) -> Option<PathBuf> {
        let content = String::from_utf8(read(file, Links::Followed).ok()?).ok()?;
        let path = content.strip_prefix(prefix)?.trim_end();
        (!path.is_empty()).then(|| file.with_file_name("").join(path))
    }
    let own = path_in(entry, "gitdir: ").unwrap_or_else(|| entry.into());
    path_in(&own.join("commondir"), "").unwrap_or(own)
}

/// Returns whether an entry is hidden, by its name.
pub(super) fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}
