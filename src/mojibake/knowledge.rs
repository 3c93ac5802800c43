//! The knowledge about a text before it is repaired.

use core::fmt;
use std::error::Error;

use super::beam_search::Path;
use crate::language::{Language, Languages};

/// The knowledge about a text before it is repaired.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    /// The languages that it may be in.
    pub(super) languages: Languages,
    /// The damage of other texts of its column.
    pub(super) damages: Vec<Damage>,
}

/// Damage by some wrong decodings.
#[derive(Clone, Debug)]
pub(super) struct Damage {
    pub path: Path,
    /// The cost in bits if it begins in a line.
    pub cost: f32,
}

impl Damage {
    /// Creates one that is as usual as in any text.
    pub(super) fn new(path: Path) -> Self {
        let cost = path.cost();
        Self { path, cost }
    }
}

impl Knowledge {
    /// Returns the knowledge of the languages of BCP 47 tags.
    pub fn of_languages<T: AsRef<str>>(tags: &[T]) -> Result<Self, UnknownLanguage> {
        let mut languages = Languages::default();
        match tags.iter().find(|tag| !languages.add(tag.as_ref())) {
            Some(tag) => Err(UnknownLanguage(tag.as_ref().into())),
            None => Ok(Self { languages, damages: vec![] }),
        }
    }

    /// Returns whether texts without traces of damage can be damaged.
    #[cfg(feature = "bindings")]
    pub fn has_damage(&self) -> bool {
        !self.damages.is_empty()
    }
}

/// The error for a language tag that the language model does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLanguage(String);

impl fmt::Display for UnknownLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut known: Vec<_> = Languages::all().map(Language::code).collect();
        known.sort_unstable();
        write!(f, "languages must be BCP 47 tags of {}; not {:?}", known.join(", "), self.0)
    }
}

impl Error for UnknownLanguage {}
