//! Scripts.

/// A script with languages of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Script {
    /// Not a letter, or a letter of another script.
    None,
    Latin,
    Cyrillic,
    Greek,
    Hebrew,
    Arabic,
    Thai,
    /// Han, kana and hangul.
    Ideographs,
}

impl Script {
    pub(super) const COUNT: usize = Self::Ideographs as usize + 1;
    /// The alphabets with few languages, whose letters are scored in pairs.
    pub(super) const FEW_LANGUAGES: [Self; 5] =
        [Self::Cyrillic, Self::Greek, Self::Hebrew, Self::Arabic, Self::Thai];

    /// The scripts whose letters are scored in pairs, in the order of the model, from 1.
    pub(super) const PAIRED: [Self; 7] =
        [Self::None, Self::Latin, Self::Cyrillic, Self::Greek, Self::Hebrew, Self::Arabic, Self::Thai];

    /// Returns the index in [`FEW_LANGUAGES`](Self::FEW_LANGUAGES).
    #[inline]
    pub(super) fn few(self) -> Option<usize> {
        (self as usize)
            .checked_sub(Self::Cyrillic as usize)
            .filter(|&index| index < Self::FEW_LANGUAGES.len())
    }

    /// Returns the cost of a change of script from one letter to the next, adjacent or not, in eighths of a bit.
    #[inline]
    pub(super) fn then(self, next: Self) -> u8 {
        match (self, next) {
            (Self::None, _) => 0,
            _ if self == next => 0,
            (Self::Ideographs, _) | (_, Self::Ideographs) => 3 * 8,
            _ => 8 * 8,
        }
    }
}
