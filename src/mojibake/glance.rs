//! A quick look, which tells good text from what is to be looked at closely.
//!
//! It looks for what wrong readings leave behind: sequences of UTF-8, letters beside signs that do not go with letters,
//! letters of two alphabets in one word, and letters that hardly follow each other in any language.

use std::sync::LazyLock;

use super::charset::{Charset, Set, row};
use super::judge::Alphabet;
use crate::language::fit;

/// What is suspicious about a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Suspicion {
    /// The encodings in which it has sequences of UTF-8.
    pub sequences: Set,
    /// Whether its characters are odd neighbours.
    pub odd: bool,
}

/// Between its neighbours a letter mostly costs no more bits than this. So many bits more make a line odd.
const USUAL: u32 = 8;
const ENOUGH: u32 = 16;

/// Characters up to here stand in a table.
const NEAR: usize = 0x2600;

/// What a character is to the look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Kind {
    /// ASCII that is no letter, and all that nothing is known of.
    Plain,
    /// A small letter of ASCII, and a capital.
    Common,
    CommonCapital,
    Small,
    Capital,
    /// A sign that may stand behind a letter.
    Sign,
    /// One that does not stand beside letters.
    Odd,
    Control,
}

#[derive(Clone, Copy, Debug)]
struct Seen {
    /// Where it leads a sequence of two bytes, of more, and where it continues one.
    two: Set,
    more: Set,
    continues: Set,
    kind: Kind,
    cyrillic: bool,
    /// Its number among the letters of its alphabet; 0 for what is no letter.
    letter: u8,
}

const NOTHING: Seen = Seen { two: 0, more: 0, continues: 0, kind: Kind::Plain, cyrillic: false, letter: 0 };

/// The letters that are looked at, both sizes of each one being one.
const LATIN: &str = "abcdefghijklmnopqrstuvwxyzßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįıĵķĺļľłńņňŋōőœŕŗřśŝşšţťŧũūŭůűųŵŷźżžșțơưªº";
const CYRILLIC: &str = "абвгдежзийклмнопрстуфхцчшщъыьэюяѐёђѓєѕіїјљњћќѝўџґ";
const LETTERS: usize = 128;

struct Letters {
    near: Vec<Seen>,
    /// What a letter costs after another, in bits, in the language that likes it best.
    latin: Box<[[u8; LETTERS]; LETTERS]>,
    cyrillic: Box<[[u8; LETTERS]; LETTERS]>,
}

impl Letters {
    fn get() -> &'static Self {
        static LETTERS: LazyLock<Letters> = LazyLock::new(|| Letters {
            near: (0..NEAR as u32).map(|code| char::from_u32(code).map_or(NOTHING, Seen::of)).collect(),
            latin: pairs(LATIN),
            cyrillic: pairs(CYRILLIC),
        });
        &LETTERS
    }

    #[inline]
    fn see(&self, character: char) -> Seen {
        match self.near.get(character as usize) {
            Some(seen) => *seen,
            // MacRoman has some there.
            None if matches!(character, 'ﬁ' | 'ﬂ' | '\u{F8FF}') => Seen::of(character),
            // It may stand for anything.
            None if character == char::REPLACEMENT_CHARACTER => Seen { continues: Set::MAX, ..NOTHING },
            None => NOTHING,
        }
    }
}

/// What each of some letters costs after each other.
fn pairs(letters: &str) -> Box<[[u8; LETTERS]; LETTERS]> {
    let mut costs = Box::new([[0; LETTERS]; LETTERS]);
    let letters: Vec<char> = core::iter::once(' ').chain(letters.chars()).collect();
    for (row, &first) in costs.iter_mut().zip(&letters) {
        let alone = fit([first]).bits;
        for (cost, &second) in row.iter_mut().zip(&letters) {
            *cost = (fit([first, second]).bits - alone).max(0.0) as u8;
        }
    }
    costs
}

impl Seen {
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
            'a'..='z' => Kind::Common,
            'A'..='Z' => Kind::CommonCapital,
            '\0'..='\x7F' => Kind::Plain,
            '\u{80}'..='\u{9F}' => Kind::Control,
            _ if alphabet != Alphabet::None && small != character => Kind::Capital,
            _ if alphabet != Alphabet::None => Kind::Small,
            // These stand beside letters.
            '•' | '°' | '§' | '©' | '®' | '€' | '£' | '²' => Kind::Sign,
            '\u{A0}'
            | '«'
            | '»'
            | '–'..='”'
            | '„'
            | '…'
            | '·'
            | '™'
            | '\u{AD}'
            | '\u{300}'..='\u{36F}'
            | '\u{200C}'..='\u{200F}'
            | '،'
            | '؛'
            | '؟' => Kind::Plain,
            _ if row.all != 0 => Kind::Odd,
            _ => Kind::Plain,
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
        // In KOI8-R only ё is a letter that continues something, and is met behind all that lead something.
        let koi8 = if cyrillic { Charset::KOI8_R.set() } else { 0 };
        let continues = row.continues & !koi8;
        Self { two: leads(0xC2, 0xE0), more: leads(0xE0, 0xF5), continues, kind, cyrillic, letter }
    }
}

/// Whether a byte that leads sequences is worth a look: not where such pairs are met in good text, but the characters
/// that they would be are not.
fn usually_leads(charset: Charset, character: char, byte: u8) -> bool {
    match (charset, byte) {
        // Phonetic letters, Armenian, Syriac and others that have few readers.
        (_, 0xC6..0xCB | 0xCD | 0xD2..0xD7 | 0xDC..0xE0) => false,
        (Charset::WINDOWS_1256, 0xC4..0xD8) => false,
        // In these all small letters lead or continue something.
        (Charset::IBM866 | Charset::KOI8_U, _) => !character.is_alphabetic(),
        _ => true,
    }
}

/// What is suspicious about a line, if anything.
pub(super) fn suspicion(line: &str) -> Option<Suspicion> {
    let letters = Letters::get();
    let mut found = Suspicion::default();
    let (mut last, mut before) = (NOTHING, NOTHING);
    // What the last letter costs where it stands; how many Cyrillic letters there were, and what these cost.
    let (mut cost, mut excess, mut latin) = (0, 0, 0);
    let (mut cyrillic, mut bits, mut mixed) = (0_u32, 0_u32, false);
    for character in line.chars() {
        let seen = letters.see(character);
        found.sequences |= (last.two | before.more & last.continues) & seen.continues;
        if seen.cyrillic | last.cyrillic {
            if seen.cyrillic {
                cyrillic += 1;
                bits += u32::from(
                    letters.cyrillic[usize::from(last.letter) % LETTERS][usize::from(seen.letter) % LETTERS],
                );
            }
            found.odd |= last.kind == Kind::Small && seen.kind == Kind::Capital;
            mixed |= last.cyrillic != seen.cyrillic && seen.kind.is_letter() && last.kind.is_letter();
        } else if seen.letter != 0 && last.letter != 0 {
            let next = u32::from(
                letters.latin[usize::from(last.letter) % LETTERS][usize::from(seen.letter) % LETTERS],
            );
            if matches!(last.kind, Kind::Small | Kind::Capital) {
                excess += (cost + next).saturating_sub(USUAL);
                latin += 1;
            }
            cost = next;
        } else {
            cost = 0;
        }
        found.odd |= match (last.kind, seen.kind) {
            (_, Kind::Control) | (Kind::Sign, Kind::Small) | (Kind::Common, Kind::Capital) => true,
            (Kind::Odd, other) | (other, Kind::Odd) => other.is_letter() || other == Kind::Odd,
            _ => false,
        };
        (before, last) = (last, seen);
    }
    found.odd |= excess >= ENOUGH && excess >= 2 * latin;
    // A few Latin letters among others are mistakes of the hand; a few Cyrillic ones were something else.
    found.odd |= mixed && 4 * (cyrillic as usize) < line.len();
    // In tenths of a bit.
    found.odd |= 10 * bits > (33 * cyrillic + 140).max(42 * cyrillic);
    (found != Suspicion::default()).then_some(found)
}

impl Kind {
    fn is_letter(self) -> bool {
        matches!(self, Self::Common | Self::CommonCapital | Self::Small | Self::Capital)
    }
}
