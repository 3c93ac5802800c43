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

    /// Returns the index in [`FEW_LANGUAGES`](Self::FEW_LANGUAGES).
    #[inline]
    pub(super) fn few(self) -> Option<usize> {
        (self as usize)
            .checked_sub(Self::Cyrillic as usize)
            .filter(|&index| index < Self::FEW_LANGUAGES.len())
    }

    /// Returns the cost of adjacent letters of two scripts, in eighths of a bit.
    #[inline]
    pub(super) fn beside(self, other: Self) -> u8 {
        match (self, other) {
            (Self::None, _) | (_, Self::None) => 0,
            (Self::Thai | Self::Ideographs, _) | (_, Self::Thai | Self::Ideographs) => 4 * 8,
            _ => 14 * 8,
        }
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

    /// Returns the cost of a letter that no language of the model has, in bits.
    pub(super) const fn unknown(self) -> u8 {
        match self {
            Self::None => 6,
            _ => 16,
        }
    }

    /// Returns the script of a letter.
    pub(super) fn of(code: u32) -> Self {
        match code {
            0x41..=0x24F | 0x1E00..=0x1EFF | 0x300..=0x36F => Self::Latin,
            0x370..=0x3FF | 0x1F00..=0x1FFF => Self::Greek,
            0x400..=0x52F => Self::Cyrillic,
            0x590..=0x5FF => Self::Hebrew,
            0x600..=0x6FF | 0xFB50..=0xFDFF | 0xFE70..=0xFEFF => Self::Arabic,
            0xE00..=0xE7F => Self::Thai,
            _ => Self::None,
        }
    }
}
