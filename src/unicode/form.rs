//! The four normalization forms, and the normalization of single characters by the crate icu_normalizer.

use icu_normalizer::properties::{CanonicalComposition, CanonicalCompositionBorrowed};
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

use super::classes::{self, Classes};

/// A normalization form (UAX 15): a unique representation of canonically, or compatibility, equivalent texts.
///
/// ```
/// use leadbyte::unicode::{Form, normalize};
///
/// assert_eq!(normalize(Form::Nfc, "u\u{308}"), "\u{FC}");
/// assert_eq!(normalize(Form::Nfd, "\u{FC}"), "u\u{308}");
/// assert_eq!(normalize(Form::Nfkc, "ﬁ²"), "fi2");
/// assert_eq!(Form::from_name("NFX"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Canonical composition: ü is one character, U+00FC.
    Nfc,
    /// Canonical decomposition: ü is two, U+0075 and U+0308.
    Nfd,
    /// Compatibility decomposition, then canonical composition: ﬁ becomes fi, ² becomes 2, ü is one character.
    Nfkc,
    /// Compatibility decomposition: ﬁ becomes fi, ² becomes 2, ü is two characters.
    Nfkd,
}

impl Form {
    /// All four forms.
    pub const ALL: [Self; 4] = [Self::Nfc, Self::Nfd, Self::Nfkc, Self::Nfkd];

    /// Returns the form of a name, "NFC", "NFD", "NFKC" or "NFKD"; `None` for another.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "NFC" => Self::Nfc,
            "NFD" => Self::Nfd,
            "NFKC" => Self::Nfkc,
            "NFKD" => Self::Nfkd,
            _ => return None,
        })
    }

    /// Returns the name of the form, in capitals.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nfc => "NFC",
            Self::Nfd => "NFD",
            Self::Nfkc => "NFKC",
            Self::Nfkd => "NFKD",
        }
    }

    /// Returns the classes of characters for this form.
    pub(super) fn classes(self) -> &'static Classes {
        match self {
            Self::Nfc => &classes::NFC,
            Self::Nfd => &classes::NFD,
            Self::Nfkc => &classes::NFKC,
            Self::Nfkd => &classes::NFKD,
        }
    }

    /// Returns whether the form composes after decomposing.
    pub(super) fn composes(self) -> bool {
        matches!(self, Self::Nfc | Self::Nfkc)
    }

    /// Returns the form of the decomposition that this form starts with.
    pub(super) fn decomposing(self) -> Self {
        match self {
            Self::Nfc | Self::Nfd => Self::Nfd,
            Self::Nfkc | Self::Nfkd => Self::Nfkd,
        }
    }

    /// Appends the normalization of a character by the crate.
    pub(super) fn append(self, character: Option<char>, to: &mut Vec<u32>) {
        let characters = character.into_iter();
        const NFC: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfc();
        const NFD: DecomposingNormalizerBorrowed<'static> = DecomposingNormalizerBorrowed::new_nfd();
        const NFKC: ComposingNormalizerBorrowed<'static> = ComposingNormalizerBorrowed::new_nfkc();
        const NFKD: DecomposingNormalizerBorrowed<'static> = DecomposingNormalizerBorrowed::new_nfkd();
        match self {
            Self::Nfc => to.extend(NFC.normalize_iter(characters).map(u32::from)),
            Self::Nfd => to.extend(NFD.normalize_iter(characters).map(u32::from)),
            Self::Nfkc => to.extend(NFKC.normalize_iter(characters).map(u32::from)),
            Self::Nfkd => to.extend(NFKD.normalize_iter(characters).map(u32::from)),
        }
    }
}

/// The first of some characters of Hangul, and their number (The Unicode Standard, section 3.12). The first place of
/// trailing consonants has none.
const LEADING: (u32, u32) = (0x1100, 19);
const VOWELS: (u32, u32) = (0x1161, 21);
const TRAILING: (u32, u32) = (0x11A7, 28);
const SYLLABLES: (u32, u32) = (0xAC00, LEADING.1 * VOWELS.1 * TRAILING.1);

/// Returns the index of a character in such a range.
#[inline]
fn index_in((first, count): (u32, u32), code_point: u32) -> Option<u32> {
    Some(code_point.wrapping_sub(first)).filter(|&index| index < count)
}

/// Returns the syllable of Hangul that two characters compose to, if they do: a consonant and a vowel, or a syllable
/// without a trailing consonant and one.
#[inline]
pub(super) fn composed_hangul(first: u32, second: u32) -> Option<u32> {
    if let Some(vowel) = index_in(VOWELS, second) {
        return Some(SYLLABLES.0 + (index_in(LEADING, first)? * VOWELS.1 + vowel) * TRAILING.1);
    }
    let trailing = index_in(TRAILING, second).filter(|&trailing| trailing > 0)?;
    (index_in(SYLLABLES, first)? % TRAILING.1 == 0).then_some(first + trailing)
}

/// Returns the consonant, the vowel and the trailing consonant, or 0, of a syllable of Hangul.
#[inline]
pub(super) fn decomposed_hangul(code_point: u32) -> Option<[u32; 3]> {
    let index = index_in(SYLLABLES, code_point)?;
    let (syllable, trailing) = (index / TRAILING.1, index % TRAILING.1);
    let trailing = if trailing > 0 { TRAILING.0 + trailing } else { 0 };
    Some([LEADING.0 + syllable / VOWELS.1, VOWELS.0 + syllable % VOWELS.1, trailing])
}

/// Returns the primary composite of two characters, if there is one.
#[inline]
pub(super) fn composed(first: u32, second: u32) -> Option<u32> {
    const COMPOSITION: CanonicalCompositionBorrowed<'static> = CanonicalComposition::new();
    COMPOSITION.compose(char::from_u32(first)?, char::from_u32(second)?).map(u32::from)
}
