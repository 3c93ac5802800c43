//! The prefilter: a fast pass that separates good text from text that needs the beam search.
//!
//! It searches for the traces of wrong decoding: sequences of UTF-8, letters beside symbols that are not used with
//! letters, letters of two alphabets in one word, and pairs of letters that are rare in every language.

use std::sync::LazyLock;

use super::blocks::blocks;
use super::charset::{Charset, CharsetBits, row};
use super::score::Alphabet;
use super::usual::may_be_misread;
use crate::language::{Languages, latin_usual, pair_bits};

/// The traces of wrong decoding in a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Suspicion {
    /// The encodings in which the line has sequences of UTF-8.
    pub sequences: CharsetBits,
    /// Whether it has unlikely neighbours.
    pub odd: bool,
}

/// The cost in bits of a Latin letter after another from which on the pair is rare in a language. A word with rare
/// pairs in each language is searched for what may have been misread.
const RARE_BITS: f32 = 9.0;

/// The number of Latin letters in a row that are not ASCII which no language has.
const ODD_RUN: usize = 3;

/// The end of the code points whose properties are in a table.
const TABLE_END: usize = 0x2600;

/// The kind of a character in the prefilter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum PrefilterKind {
    /// ASCII that is not a letter, and any character without a rule.
    Plain,
    /// A small ASCII letter, and a capital one.
    Common,
    CommonCapital,
    Small,
    Capital,
    /// A symbol that can follow a letter.
    Symbol,
    /// A symbol that is not beside letters.
    Odd,
    /// A quotation mark or an ellipsis, which is not inside words.
    Quote,
    Control,
}

#[derive(Clone, Copy, Debug)]
struct Properties {
    /// The encodings in which its byte leads a sequence of two bytes, of more, and in which it continues one.
    two: CharsetBits,
    more: CharsetBits,
    continues: CharsetBits,
    kind: PrefilterKind,
    cyrillic: bool,
    greek: bool,
    /// Its number among the letters of its alphabet, from 1; 0 if it is not one.
    letter: u8,
}

const NOTHING: Properties = Properties {
    two: 0,
    more: 0,
    continues: 0,
    kind: PrefilterKind::Plain,
    cyrillic: false,
    greek: false,
    letter: 0,
};

/// The letters whose pairs are scored, without their capitals.
const LATIN: &str = "abcdefghijklmnopqrstuvwxyz\
    ßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ\
    āăąćĉċčďđēĕėęěĝğġģĥħĩīĭįıĵķĺļľłńņňŋōőœŕŗřśŝşšţťŧũūŭůűųŵŷźżžșțơưªº";
const CYRILLIC: &str = "абвгдежзийклмнопрстуфхцчшщъыьэюяѐёђѓєѕіїјљњћќѝўџґ";
const LETTERS: usize = 128;

struct Letters {
    near: Vec<Properties>,
    /// The cost of a letter after another in bits, in the most likely language.
    latin: Box<[[u32; LETTERS]; LETTERS]>,
    cyrillic: Box<[[u8; LETTERS]; LETTERS]>,
}

impl Letters {
    fn get() -> &'static Self {
        static LETTERS: LazyLock<Letters> = LazyLock::new(|| Letters {
            near: (0..TABLE_END as u32)
                .map(|code| char::from_u32(code).map_or(NOTHING, Properties::of))
                .collect(),
            latin: pairs(LATIN, |first, second| latin_usual(first, second, RARE_BITS)),
            cyrillic: pairs(CYRILLIC, |first, second| pair_bits(first, second) as u8),
        });
        &LETTERS
    }

    #[inline]
    fn see(&self, character: char) -> Properties {
        match self.near.get(character as usize) {
            Some(seen) => *seen,
            // Mac Roman has these beyond the table.
            None if matches!(character, 'ﬁ' | 'ﬂ' | '\u{F8FF}') => Properties::of(character),
            // It can replace any byte.
            None if character == char::REPLACEMENT_CHARACTER => {
                Properties { continues: CharsetBits::MAX, ..NOTHING }
            }
            None => NOTHING,
        }
    }
}

/// Returns the costs of all pairs of letters in bits.
fn pairs<T: Copy + Default>(letters: &str, of: impl Fn(char, char) -> T) -> Box<[[T; LETTERS]; LETTERS]> {
    let mut costs = Box::new([[T::default(); LETTERS]; LETTERS]);
    let letters: Vec<char> = core::iter::once(' ').chain(letters.chars()).collect();
    for (row, &first) in costs.iter_mut().zip(&letters) {
        for (cost, &second) in row.iter_mut().zip(&letters) {
            *cost = of(first, second);
        }
    }
    costs
}

impl Properties {
    fn of(character: char) -> Self {
        let row = row(character);
        let alphabet = Alphabet::of(character);
        let small = character.to_lowercase().next().unwrap_or(character);
        let place = |letters: &str| {
            letters.chars().position(|letter| letter == small).map_or(0, |place| place as u8 + 1)
        };
        let cyrillic = alphabet == Alphabet::Cyrillic;
        let letter = match alphabet {
            Alphabet::Latin => place(LATIN),
            Alphabet::Cyrillic => place(CYRILLIC),
            _ => 0,
        };
        let kind = match character {
            'a'..='z' => PrefilterKind::Common,
            'A'..='Z' => PrefilterKind::CommonCapital,
            '\0'..='\x7F' => PrefilterKind::Plain,
            '\u{80}'..='\u{9F}' => PrefilterKind::Control,
            // Not a letter of words.
            'µ' => PrefilterKind::Symbol,
            _ if alphabet != Alphabet::None && small != character => PrefilterKind::Capital,
            _ if alphabet != Alphabet::None => PrefilterKind::Small,
            // Symbols that are used beside letters.
            '•' | '°' | '§' | '©' | '®' | '€' | '£' | '²' => PrefilterKind::Symbol,
            '‚' | '“'..='„' | '«' | '»' | '…' => PrefilterKind::Quote,
            '‗' => PrefilterKind::Odd,
            '\u{A0}'
            | '–'..='’'
            | '·'
            | '™'
            | '\u{AD}'
            | '\u{300}'..='\u{36F}'
            | '\u{200C}'..='\u{200F}'
            | '،'
            | '؛'
            | '؟' => PrefilterKind::Plain,
            _ if row.all != 0 => PrefilterKind::Odd,
            _ => PrefilterKind::Plain,
        };
        let leads = |from, to| {
            let leads = |charset: &Charset| {
                let byte = charset.byte(character).filter(|byte| (from..to).contains(byte));
                byte.is_some_and(|byte| usually_leads(*charset, character, byte))
            };
            Charset::all().filter(leads).fold(0, |set, charset| set | charset.set())
        };
        if character.is_ascii() {
            return Self { kind, letter, ..NOTHING };
        }
        // In KOI8-R ё is the only letter whose byte continues a sequence, and it follows any of those that lead one.
        let koi8 = if cyrillic { Charset::KOI8_R.set() } else { 0 };
        let continues = row.continues & !koi8;
        let greek = alphabet == Alphabet::Greek;
        Self { two: leads(0xC2, 0xE0), more: leads(0xE0, 0xF5), continues, kind, cyrillic, greek, letter }
    }
}

/// Returns whether a lead byte indicates UTF-8: not if good text has the character in such pairs more often than the
/// characters that the sequences encode.
fn usually_leads(charset: Charset, character: char, byte: u8) -> bool {
    match (charset, byte) {
        // Phonetic letters, Armenian, Syriac and other scripts that are rare.
        (_, 0xC6..0xCB | 0xCD | 0xD2..0xD7 | 0xDC..0xE0) => false,
        (Charset::WINDOWS_1256, 0xC4..0xD8) => false,
        // Here the bytes of all small letters lead or continue sequences.
        (Charset::IBM866 | Charset::KOI8_U, _) => !character.is_alphabetic(),
        _ => true,
    }
}

/// Returns the traces of wrong decoding in a line that is not ASCII, if there are any. All are suspicious where the
/// languages are known, as good text of others is not text of these.
pub(super) fn suspicion<E>(
    line: &str,
    languages: Languages,
    poll: &mut impl FnMut() -> Result<(), E>,
) -> Result<Option<Suspicion>, E> {
    let letters = Letters::get();
    let mut found = Suspicion { odd: !languages.is_empty(), ..Suspicion::default() };
    let (mut last, mut before) = (NOTHING, NOTHING);
    // The number of Latin letters in a row that are not ASCII.
    let mut run = 0;
    // The number of equal symbols in a row. Three are a drawn line, not letters.
    let (mut symbol, mut row, mut drawn) = ('\0', 0, false);
    // The cost of the last letter after the one before; the number of Cyrillic letters, and their cost.
    let (mut word, mut line_usual, mut accented, mut odd_run) = (u32::MAX, u32::MAX, false, false);
    let (mut cyrillic, mut bits, mut mixed) = (0_u32, 0_u32, false);
    for block in blocks(line, poll) {
        for character in block?.chars() {
            let seen = letters.see(character);
            found.sequences |= (last.two | before.more & last.continues) & seen.continues;
            if seen.kind == PrefilterKind::Odd {
                row = if character == symbol && last.kind == PrefilterKind::Odd { row + 1 } else { 1 };
                symbol = character;
                drawn |= row == 3;
            }
            if seen.cyrillic | last.cyrillic {
                if seen.cyrillic {
                    cyrillic += 1;
                    bits += u32::from(
                        letters.cyrillic[usize::from(last.letter) % LETTERS]
                            [usize::from(seen.letter) % LETTERS],
                    );
                }
                found.odd |= last.kind == PrefilterKind::Small && seen.kind == PrefilterKind::Capital;
                mixed |= last.cyrillic != seen.cyrillic && seen.kind.is_letter() && last.kind.is_letter();
            } else if (seen.letter | last.letter) != 0 {
                word &= letters.latin[usize::from(last.letter) % LETTERS][usize::from(seen.letter) % LETTERS];
                accented |= seen.letter != 0 && seen.kind.is_accented();
                if seen.letter == 0 {
                    line_usual &= if accented { word } else { u32::MAX };
                    found.odd |= odd_run && word == 0;
                    (word, accented, odd_run) = (u32::MAX, false, false);
                }
            }
            found.odd |=
                last.kind == PrefilterKind::Quote && before.kind.is_letter() && seen.kind.is_letter();
            // Code page 437 has some Greek letters.
            found.odd |= last.greek != seen.greek && seen.kind.is_letter() && last.kind.is_letter();
            // A sign inside a word.
            found.odd |=
                last.kind == PrefilterKind::Symbol && before.kind.is_letter() && seen.kind.is_letter();
            found.odd |= match (last.kind, seen.kind) {
                (_, PrefilterKind::Control)
                | (PrefilterKind::Symbol, PrefilterKind::Small)
                | (PrefilterKind::Common, PrefilterKind::Capital) => true,
                (PrefilterKind::Odd, other) | (other, PrefilterKind::Odd) => {
                    other.is_letter() || other == PrefilterKind::Odd
                }
                _ => false,
            };
            let is_accented = matches!(seen.kind, PrefilterKind::Small | PrefilterKind::Capital)
                && seen.letter != 0
                && !seen.cyrillic;
            run = if is_accented { run + 1 } else { 0 };
            odd_run |= run == ODD_RUN;
            (before, last) = (last, seen);
        }
    }
    line_usual &= if accented { word } else { u32::MAX };
    found.odd |= odd_run && word == 0;
    found.odd |= line_usual == 0 && !found.odd && may_be_misread(line);
    // A few Latin letters among Cyrillic ones are typing errors; a few Cyrillic ones among others are damage.
    found.odd |= mixed && 4 * (cyrillic as usize) < line.len();
    // In tenths of a bit.
    found.odd |= 10 * bits > (33 * cyrillic + 60).max(40 * cyrillic);
    found.odd &= !drawn;
    Ok((found != Suspicion::default()).then_some(found))
}

impl PrefilterKind {
    fn is_accented(self) -> bool {
        matches!(self, Self::Small | Self::Capital)
    }

    fn is_letter(self) -> bool {
        matches!(self, Self::Common | Self::CommonCapital | Self::Small | Self::Capital)
    }
}
