//! How likely a text is: by the language model, and by what it does not ask.

use std::sync::LazyLock;

use crate::language::{Fit, Language, fit};

/// A text that was judged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    /// How unlikely it is.
    pub bits: f32,
    /// What more it costs if this is what a text is taken for. Good text may have it, but it is no reason to take it for
    /// damaged.
    pub doubt: f32,
    pub language: Language,
}

/// What letters of two alphabets in one word cost.
const WITHIN_WORD: f32 = 16.0;
/// What each alphabet costs but the first.
const ALPHABET: f32 = 4.0;
/// What a part of a box costs.
const BOX: f32 = 12.0;
/// What a letter costs in addition that no language of the model has.
const UNKNOWN: f32 = 8.0;
/// The model takes U+FFFD for a control character. But where it stands, something stood.
const REPLACEMENT: f32 = -16.0;

/// The alphabets that no word mixes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// No letter of an alphabet.
    None,
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    Thai,
    Hangul,
    /// Any that no language of the model has.
    Other,
}

impl Alphabet {
    pub(super) fn of(character: char) -> Self {
        match character {
            'a'..='z' | 'A'..='Z' => Self::Latin,
            '\0'..='\u{A9}' | '«'..='´' | '¶'..='¹' | '»'..='¿' | '×' | '÷' => Self::None,
            'ª'
            | 'º'
            | 'µ'
            | 'ﬀ'..='ﬆ'
            | 'À'..='ž'
            | 'Ơ'
            | 'ơ'
            | 'Ư'
            | 'ư'
            | 'Ș'..='ț'
            | 'Ǎ'..='ǜ'
            | 'Ạ'..='ỹ' => Self::Latin,
            'Ά' | 'Έ'..='ώ' | 'ἀ'..='\u{1FFE}' => Self::Greek,
            'Ѐ'..='џ' | 'Ґ' | 'ґ' | 'Ғ'..='ӹ' => Self::Cyrillic,
            'א'..='ײ' => Self::Hebrew,
            'ؠ'..='ۓ' => Self::Arabic,
            'ก'..='๎' => Self::Thai,
            '가'..='힣' => Self::Hangul,
            '\u{2000}'..='\u{2BFF}' | '\u{2E80}'..='\u{9FFF}' | '\u{E000}'..'\u{FB00}' | '\u{FB10}'.. => {
                Self::None
            }
            _ if character.is_alphabetic() => Self::Other,
            _ => Self::None,
        }
    }
}

/// What was written for want of better letters, in Hungarian, Romanian and Turkish, and still is: the letters written,
/// those that were meant, and the others of the language. Such text is as people wrote it.
static MAKESHIFT: [[&str; 3]; 3] =
    [["õûÕÛ", "őűŐŰ", "áéíóöúüÁÉÍÓÖÚÜ"], ["ãþÃÞ", "ăţĂŢ", "âîşÂÎŞ"], ["ýþðÝÞÐ", "ışğİŞĞ", "çöüâîûÇÖÜÂÎÛ"]];

/// A character below this may be one of them: a bit for each of the languages in whose makeshift letters it is, and for
/// each of those that have it at all.
const LETTERS: usize = 0x180;
static MAKESHIFT_OF: LazyLock<[(u8, u8); LETTERS]> = LazyLock::new(|| {
    core::array::from_fn(|code| {
        let character = char::from_u32(code as u32).unwrap_or_default();
        let languages = |has: fn(&[&str; 3], char) -> bool| {
            MAKESHIFT.iter().rev().fold(0, |set, letters| set << 1 | u8::from(has(letters, character)))
        };
        let own = languages(|letters, character| letters.iter().any(|some| some.contains(character)));
        let any = if character.is_ascii() || !character.is_alphabetic() { u8::MAX } else { own };
        (languages(|letters, character| letters[0].contains(character)), any)
    })
});

/// The languages in whose letters a text is, some of them makeshift.
fn makeshift(text: &str) -> impl Iterator<Item = &'static [&'static str; 3]> {
    let (mut some, mut all) = (0, u8::MAX);
    for character in text.chars().filter(|character| !character.is_ascii()) {
        let (makeshift, own) = match MAKESHIFT_OF.get(character as usize) {
            Some(sets) => *sets,
            None => (0, if character.is_alphabetic() { 0 } else { u8::MAX }),
        };
        some |= makeshift;
        all &= own;
        if all == 0 {
            break;
        }
    }
    MAKESHIFT
        .iter()
        .enumerate()
        .filter(move |(place, _)| some & all & 1 << place != 0)
        .map(|(_, letters)| letters)
}

/// How well a text fits, or what was meant by it.
fn fit_as_meant(text: &str) -> Fit {
    let meant = |[written, meant, _]: &[&str; 3]| {
        let letters = || written.chars().zip(meant.chars());
        let letter = |character| letters().find(|pair| pair.0 == character).map_or(character, |pair| pair.1);
        fit(text.chars().map(letter))
    };
    makeshift(text)
        .map(meant)
        .fold(fit(text.chars()), |best, other| if other.bits < best.bits { other } else { best })
}

/// How likely a text is.
pub(super) fn judge(text: &str) -> Verdict {
    let fit = fit_as_meant(text);
    let (mut bits, mut doubt) = (fit.bits, 0.0);
    let mut last = Alphabet::None;
    let mut met = [false; Alphabet::Other as usize + 1];
    for character in text.chars() {
        let alphabet = Alphabet::of(character);
        met[alphabet as usize] = true;
        if alphabet != last && alphabet != Alphabet::None && last != Alphabet::None {
            doubt += WITHIN_WORD;
        }
        match character {
            _ if alphabet == Alphabet::Other => bits += UNKNOWN,
            char::REPLACEMENT_CHARACTER => bits += REPLACEMENT,
            '\u{2500}'..='\u{259F}' => doubt += BOX,
            _ => {}
        }
        // What was lost in a word does not end it.
        if character != char::REPLACEMENT_CHARACTER {
            last = alphabet;
        }
    }
    let alphabets = met[1..].iter().filter(|&&met| met).count();
    doubt += ALPHABET * alphabets.saturating_sub(1) as f32;
    Verdict { bits, doubt, language: fit.language }
}
