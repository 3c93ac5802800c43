//! How likely a text is: by the language model, and by what it does not ask.

use crate::language::{Language, fit};

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

/// How likely a text is.
pub(super) fn judge(text: &str) -> Verdict {
    let fit = fit(text);
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
