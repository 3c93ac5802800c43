//! The likelihood of a text by the language model, whose language may be another from word to word.

use super::blocks::blocks;
use crate::language::{Language, LanguageScore, Languages};
use crate::progress::{Poll, Stopped};

/// The score of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Score {
    /// Its cost in bits.
    pub bits: f32,
    pub language: Language,
}

/// The correction in bits for U+FFFD, which is in no good text, but replaces a character.
const REPLACEMENT_BITS: f32 = -16.0;

/// An alphabet. Words do not mix them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
            'ª' | 'º' | 'µ' | 'ﬀ'..='ﬆ' | 'À'..='ʯ' | 'Ḁ'..='ỿ' => Self::Latin,
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

/// Returns the score of a text that may be in these languages.
pub(super) fn score(text: &str, languages: Languages, poll: Poll<'_>) -> Result<Score, Stopped> {
    let (mut score, mut lost) = (LanguageScore::new(), 0);
    for block in blocks(text, poll) {
        let block = block?;
        score.add_words(block, languages);
        lost += block.matches(char::REPLACEMENT_CHARACTER).count();
    }
    // The end of the last word.
    score.add_words(" ", languages);
    let fit = score.fit(languages);
    Ok(Score { bits: fit.bits + REPLACEMENT_BITS * lost as f32, language: fit.language })
}
