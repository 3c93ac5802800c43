//! The encodings among which detection decides.

use super::decision::{Query, rank};
use super::{Detection, language};

/// The encodings among which [`detect`](crate::detect) decides: all that it knows, or some of them.
///
/// ```
/// use leadbyte::Encodings;
///
/// let cyrillic = Encodings::of(["windows-1251", "koi8-r"]).unwrap();
/// assert_eq!(cyrillic.detect(b"\xF0\xD2\xC9\xD7\xC5\xD4").encoding, Some("koi8-r"));
/// assert_eq!(cyrillic.detect(b"text").encoding, Some("windows-1251"));
/// assert!(Encodings::of(["unheard-of"]).is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Encodings(Option<Vec<&'static str>>);

impl Encodings {
    /// All encodings.
    pub const ALL: Self = Self(None);

    /// Returns the encodings of these names, as [`Detection::encodings`] has them; `None` if one is not there, or if
    /// no name is given.
    pub fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let known = |name| Detection::encodings().find(|&known| known == name);
        let names = names.into_iter().map(known).collect::<Option<Vec<_>>>()?;
        (!names.is_empty()).then_some(Self(Some(names)))
    }

    /// Detects as [`detect`](crate::detect) does, among these encodings. The encoding is `None` if the data is text in
    /// none of them.
    pub fn detect(&self, data: &[u8]) -> Detection {
        let found = rank(data, Query::of(self)).first;
        Detection { language: language::of(&found, data), ..found }
    }

    /// Detects as [`detect_all`](crate::detect_all) does, among these encodings.
    pub fn detect_all(&self, data: &[u8]) -> Vec<Detection> {
        let ranking = rank(data, Query { all: true, ..Query::of(self) });
        let with_language = |found| Detection { language: language::of(&found, data), ..found };
        ranking.into_iter().map(with_language).collect()
    }

    /// Returns the names, unless these are all encodings.
    pub(crate) fn names(&self) -> Option<&[&'static str]> {
        self.0.as_deref()
    }

    /// Returns whether an encoding is among these.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.as_ref().is_none_or(|names| names.contains(&name))
    }

    /// Returns the first of some names for the same text that is among these.
    pub(super) fn pick(&self, names: impl IntoIterator<Item = &'static str>) -> Option<&'static str> {
        names.into_iter().find(|name| self.has(name))
    }
}
