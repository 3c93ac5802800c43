//! The prefilter: a fast pass that separates good text from text that needs the beam search.
//!
//! It searches for the traces of wrong decoding: sequences of UTF-8, letters beside symbols that are not used with
//! letters, letters of two alphabets in one word, and letters that are rare in the language of the line.

use core::mem;
use std::sync::LazyLock;

use super::blocks::blocks;
use super::charset::{Charset, CharsetBits, row};
use super::score::Alphabet;
use super::usual::may_be_misread;
use crate::language::{Languages, pair_bits};
use crate::progress::{Poll, Stopped};

/// The traces of wrong decoding in a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Suspicion {
    /// The encodings in which the line has sequences of UTF-8.
    pub sequences: CharsetBits,
    /// Whether it has unlikely neighbours.
    pub odd: bool,
}

/// The number of Latin letters in a row that are not ASCII which no language has.
const ODD_RUN: usize = 3;

/// The number of middle dots between letters from which on they may be in place of spaces.
const DOTTED: usize = 3;

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
    latin: bool,
    /// Its number among the Cyrillic letters, from 1; 0 if it is not one.
    letter: u8,
}

const NOTHING: Properties = Properties {
    two: 0,
    more: 0,
    continues: 0,
    kind: PrefilterKind::Plain,
    cyrillic: false,
    greek: false,
    latin: false,
    letter: 0,
};

/// The Cyrillic letters whose pairs are scored, without their capitals.
const CYRILLIC: &str = "абвгдежзийклмнопрстуфхцчшщъыьэюяѐёђѓєѕіїјљњћќѝўџґ";
const LETTERS: usize = 64;

struct Letters {
    near: Vec<Properties>,
    /// The cost of a Cyrillic letter after another in bits, in the most likely language.
    cyrillic: Box<[[u8; LETTERS]; LETTERS]>,
}

impl Letters {
    fn get() -> &'static Self {
        static LETTERS: LazyLock<Letters> = LazyLock::new(|| Letters {
            near: (0..TABLE_END as u32)
                .map(|code| char::from_u32(code).map_or(NOTHING, Properties::of))
                .collect(),
            cyrillic: cyrillic_pairs(),
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

/// Returns the costs of all pairs of Cyrillic letters in bits.
fn cyrillic_pairs() -> Box<[[u8; LETTERS]; LETTERS]> {
    let mut costs = Box::new([[0; LETTERS]; LETTERS]);
    let letters: Vec<char> = core::iter::once(' ').chain(CYRILLIC.chars()).collect();
    for (row, &first) in costs.iter_mut().zip(&letters) {
        for (cost, &second) in row.iter_mut().zip(&letters) {
            *cost = pair_bits(first, second) as u8;
        }
    }
    costs
}

impl Properties {
    fn of(character: char) -> Self {
        let row = row(character);
        let alphabet = Alphabet::of(character);
        let small = character.to_lowercase().next().unwrap_or(character);
        let cyrillic = alphabet == Alphabet::Cyrillic;
        let place = CYRILLIC.chars().position(|letter| letter == small);
        let letter = place.map_or(0, |place| place as u8 + 1);
        let kind = match character {
            'a'..='z' => PrefilterKind::Common,
            'A'..='Z' => PrefilterKind::CommonCapital,
            '\0'..='\x7F' => PrefilterKind::Plain,
            '‗' | 'ˆ' => PrefilterKind::Odd,
            '\u{80}'..='\u{9F}' => PrefilterKind::Control,
            // Not a letter of words.
            'µ' => PrefilterKind::Symbol,
            _ if alphabet != Alphabet::None && small != character => PrefilterKind::Capital,
            _ if alphabet != Alphabet::None => PrefilterKind::Small,
            // Symbols that are used beside letters.
            '•' | '°' | '§' | '©' | '®' | '€' | '£' | '²' => PrefilterKind::Symbol,
            '‚' | '“'..='„' | '«' | '»' | '…' => PrefilterKind::Quote,
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
            return Self { kind, ..NOTHING };
        }
        // In KOI8-R ё is the only letter whose byte continues a sequence, and it follows any of those that lead one.
        let koi8 = if cyrillic { Charset::KOI8_R.set() } else { 0 };
        let continues = row.continues & !koi8;
        let (greek, latin) = (alphabet == Alphabet::Greek, alphabet == Alphabet::Latin && kind.is_letter());
        Self {
            two: leads(0xC2, 0xE0),
            more: leads(0xE0, 0xF5),
            continues,
            kind,
            cyrillic,
            greek,
            latin,
            letter,
        }
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
pub(super) fn suspicion(
    line: &str,
    languages: Languages,
    poll: Poll<'_>,
) -> Result<Option<Suspicion>, Stopped> {
    let letters = Letters::get();
    let mut found = Suspicion { odd: !languages.is_empty(), ..Suspicion::default() };
    let (mut last, mut before) = (NOTHING, NOTHING);
    // The character before the last one, and the last one.
    let (mut previous, mut sign) = ('\0', '\0');
    // The number of Latin letters in a row that are not ASCII; whether there are any, and too many in a row.
    let (mut run, mut accented, mut odd_run) = (0, false, false);
    // The number of equal symbols in a row. Three are a drawn line, not letters.
    let (mut row, mut drawn) = (0, false);
    // Whether a Spanish exclamation or question starts.
    let mut opened = false;
    // The number of middle dots between letters.
    let mut dots = 0;
    // The number of Cyrillic letters, and their cost.
    let (mut cyrillic, mut bits, mut mixed) = (0_u32, 0_u32, false);
    for block in blocks(line, poll) {
        let block = block?;
        let mut chars = block.chars();
        while let Some(character) = chars.next() {
            let seen = letters.see(character);
            // A word starts after these letters.
            if !character.is_ascii()
                && last.kind.is_ascii_letter()
                && seen.kind.is_letter()
                && ends_with_directive(&block[..block.len() - chars.as_str().len() - character.len_utf8()])
            {
                last = NOTHING;
            }
            found.sequences |= (last.two | before.more & last.continues) & seen.continues;
            // Two superscript digits at the end of a syllable are a tone.
            drawn |= matches!(sign, '¹' | '²' | '³') && sign == previous && !seen.kind.is_letter();
            if seen.kind == PrefilterKind::Odd {
                row = if character == sign && last.kind == PrefilterKind::Odd { row + 1 } else { 1 };
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
            }
            let is_within = before.kind.is_letter() && seen.kind.is_letter();
            // A sign, which is not inside words.
            found.odd |= is_within && matches!(last.kind, PrefilterKind::Quote | PrefilterKind::Symbol);
            // Quotation marks that are low precede words, one at each.
            found.odd |= matches!(character, '‚' | '„') && (last.kind.is_letter() || character == sign);
            found.odd |= match sign {
                // Uzbek has g‘ and o‘, Catalan l·l, Franco-Provençal ch·.
                '‘' => is_within && !matches!(previous, 'g' | 'G' | 'o' | 'O'),
                '™' => is_within && character.is_lowercase(),
                '·' => {
                    dots += usize::from(is_within);
                    is_within && character.is_lowercase() && !matches!(previous, 'l' | 'L' | 'h')
                }
                _ => false,
            };
            previous = mem::replace(&mut sign, character);
            // Code page 437 has some Greek letters.
            found.odd |= last.greek != seen.greek && seen.kind.is_letter() && last.kind.is_letter();
            found.odd |= match (last.kind, seen.kind) {
                (_, PrefilterKind::Control)
                | (PrefilterKind::Symbol, PrefilterKind::Small)
                | (PrefilterKind::Common, PrefilterKind::Capital) => true,
                (PrefilterKind::Odd, other)
                    if other.is_letter() && matches!(previous, '¡' | '¿') && !before.kind.is_letter() =>
                {
                    opened = true;
                    false
                }
                (PrefilterKind::Odd, other) | (other, PrefilterKind::Odd) => {
                    other.is_letter() || other == PrefilterKind::Odd
                }
                _ => false,
            };
            run = if seen.latin { run + 1 } else { 0 };
            accented |= seen.latin;
            odd_run |= run == ODD_RUN;
            (before, last) = (last, seen);
            if character.is_ascii() && previous.is_ascii() {
                chars = before_beyond_ascii(chars.as_str()).chars();
            }
        }
    }
    found.odd |= opened && !line.contains(['!', '?']);
    found.odd |= accented && !found.odd && may_be_misread(line, odd_run);
    // A few Latin letters among Cyrillic ones are typing errors; a few Cyrillic ones among others are damage.
    found.odd |= mixed && 4 * (cyrillic as usize) < line.len();
    // Dots in place of spaces.
    drawn |= dots >= DOTTED && dots > line.matches(' ').count();
    // In tenths of a bit.
    found.odd |= 10 * bits > (33 * cyrillic + 60).max(40 * cyrillic);
    found.odd &= !drawn;
    Ok((found != Suspicion::default()).then_some(found))
}

/// Returns whether a text ends with the letters of a format directive or of an escape: `%s`, `%02d`, `%li`, `\n`.
fn ends_with_directive(text: &str) -> bool {
    let before = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let letters = &text[before.len()..];
    match letters.as_bytes() {
        [_] if before.ends_with('\\') => true,
        [.., _] if letters[..letters.len() - 1].bytes().all(|byte| matches!(byte, b'h' | b'l' | b'z')) => {
            let flag = |character: char| {
                character.is_ascii_digit() || matches!(character, '.' | '-' | '+' | '#' | '$' | '*')
            };
            before.trim_end_matches(flag).ends_with('%')
        }
        _ => false,
    }
}

/// Returns a text from the two characters on that precede the first one beyond ASCII, or from its start on: ASCII is a
/// trace beside others only.
#[inline]
fn before_beyond_ascii(text: &str) -> &str {
    let beyond = text.bytes().position(|byte| !byte.is_ascii()).unwrap_or(text.len());
    &text[beyond.saturating_sub(2)..]
}

impl PrefilterKind {
    fn is_ascii_letter(self) -> bool {
        matches!(self, Self::Common | Self::CommonCapital)
    }

    fn is_letter(self) -> bool {
        matches!(self, Self::Common | Self::CommonCapital | Self::Small | Self::Capital)
    }
}
