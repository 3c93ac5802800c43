//! The likelihood of a text: by the language model, and by rules about alphabets, boxes and lost characters.

use std::sync::LazyLock;

use super::blocks::blocks;
use crate::language::{self, Fit, Language, Languages};

/// The score of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Score {
    /// Its cost in bits.
    pub bits: f32,
    /// The additional cost in bits of a repaired text. Good text may have such features, so that they are not evidence
    /// of damage.
    pub doubt: f32,
    pub language: Language,
}

/// The cost in bits of letters of two alphabets in one word.
const MIXED_WORD_BITS: f32 = 16.0;
/// The cost in bits of each alphabet after the first.
const ALPHABET_BITS: f32 = 4.0;
/// The cost in bits of a box-drawing character.
const BOX_BITS: f32 = 12.0;
/// The additional cost in bits of a letter that no language of the model has.
const UNKNOWN_BITS: f32 = 8.0;
/// The correction in bits for U+FFFD, which is a control to the model, but replaces a character.
const REPLACEMENT_BITS: f32 = -16.0;

/// An alphabet. Words do not mix them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// Not a letter of an alphabet.
    None,
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    Thai,
    Hangul,
    /// An alphabet that no language of the model has.
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

/// Letters that are commonly typed in place of others in Hungarian, Romanian and Turkish: the letters typed, those that
/// were meant, and the other non-ASCII letters of the language. Such text is not damaged, unless the language is known.
static SUBSTITUTES: [[&str; 3]; 3] =
    [["õûÕÛ", "őűŐŰ", "áéíóöúüÁÉÍÓÖÚÜ"], ["ãþÃÞ", "ăţĂŢ", "âîşÂÎŞ"], ["ýþðÝÞÐ", "ışğİŞĞ", "çöüâîûÇÖÜÂÎÛ"]];
/// The languages of these.
static SUBSTITUTING: [&str; 3] = ["hu", "ro", "tr"];

/// The number of characters in `SUBSTITUTES_OF`, from U+0000 on.
const CHARACTERS: usize = 0x180;
/// For each character the set of languages in which it is a substitute, and the set of languages that have it, with a
/// bit for each language.
static SUBSTITUTES_OF: LazyLock<[(u8, u8); CHARACTERS]> = LazyLock::new(|| {
    core::array::from_fn(|code| {
        let character = char::from_u32(code as u32).unwrap_or_default();
        let languages = |has: fn(&[&str; 3], char) -> bool| {
            SUBSTITUTES.iter().rev().fold(0, |set, letters| set << 1 | u8::from(has(letters, character)))
        };
        let own = languages(|letters, character| letters.iter().any(|some| some.contains(character)));
        let any = if character.is_ascii() || !character.is_alphabetic() { u8::MAX } else { own };
        (languages(|letters, character| letters[0].contains(character)), any)
    })
});

/// Returns the languages that have all letters of a text, at least one of them a substitute; without the known ones.
fn substituted(text: &str, known: Languages) -> impl Iterator<Item = &'static [&'static str; 3]> {
    let (mut some, mut all) = (0, u8::MAX);
    for character in text.chars().filter(|character| !character.is_ascii()) {
        let (substitutes, own) = match SUBSTITUTES_OF.get(character as usize) {
            Some(sets) => *sets,
            None => (0, if character.is_alphabetic() { 0 } else { u8::MAX }),
        };
        some |= substitutes;
        all &= own;
        if all == 0 {
            break;
        }
    }
    SUBSTITUTES
        .iter()
        .enumerate()
        .filter(move |&(place, _)| some & all & 1 << place != 0 && !known.contain(SUBSTITUTING[place]))
        .map(|(_, letters)| letters)
}

/// Returns the likelihood of a text whose characters are replaced by `letter`.
fn fit<E>(
    text: &str,
    letter: impl Fn(char) -> char,
    languages: Languages,
    poll: &mut impl FnMut() -> Result<(), E>,
) -> Result<Fit, E> {
    let mut score = language::LanguageScore::new();
    for block in blocks(text, poll) {
        block?.chars().for_each(|character| score.add_char(letter(character)));
    }
    Ok(score.fit(languages))
}

/// Returns the likelihood of a text with its substitutes replaced by those that were meant, if that is more
/// likely.
fn fit_as_meant<E>(
    text: &str,
    languages: Languages,
    poll: &mut impl FnMut() -> Result<(), E>,
) -> Result<Fit, E> {
    let mut best = fit(text, |character| character, languages, poll)?;
    for [written, meant, _] in substituted(text, languages) {
        let letters = || written.chars().zip(meant.chars());
        let letter = |character| letters().find(|pair| pair.0 == character).map_or(character, |pair| pair.1);
        let other = fit(text, letter, languages, poll)?;
        if other.bits < best.bits {
            best = other;
        }
    }
    Ok(best)
}

/// Returns the score of a text that may be in these languages.
pub(super) fn score<E>(
    text: &str,
    languages: Languages,
    poll: &mut impl FnMut() -> Result<(), E>,
) -> Result<Score, E> {
    let fit = fit_as_meant(text, languages, poll)?;
    let (mut bits, mut doubt) = (fit.bits, 0.0);
    let mut last = Alphabet::None;
    let mut met = [false; Alphabet::Other as usize + 1];
    for block in blocks(text, poll) {
        for character in block?.chars() {
            let alphabet = Alphabet::of(character);
            met[alphabet as usize] = true;
            if alphabet != last && alphabet != Alphabet::None && last != Alphabet::None {
                doubt += MIXED_WORD_BITS;
            }
            match character {
                _ if alphabet == Alphabet::Other => bits += UNKNOWN_BITS,
                // Marks of such letters, and unassigned code points.
                '\u{700}'..='\u{8FF}' | '\u{1980}'..='\u{1CFF}' => bits += UNKNOWN_BITS,
                char::REPLACEMENT_CHARACTER => bits += REPLACEMENT_BITS,
                '\u{2500}'..='\u{259F}' => doubt += BOX_BITS,
                _ => {}
            }
            // A lost character does not end a word.
            if character != char::REPLACEMENT_CHARACTER {
                last = alphabet;
            }
        }
    }
    let alphabets = met[1..].iter().filter(|&&met| met).count();
    doubt += ALPHABET_BITS * alphabets.saturating_sub(1) as f32;
    Ok(Score { bits, doubt, language: fit.language })
}
