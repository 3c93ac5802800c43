//! The reversal of one wrong decoding: characters are encoded to the bytes they came from, and these are decoded
//! correctly.

use core::ops::RangeInclusive;

use super::blocks::{POLL_INTERVAL_BYTES, blocks};
use super::charset::{CharProperties, Charset};
use super::score::Alphabet;
use crate::allocation::{AllocError, Grow, try_push};
use crate::encodings::surrogates;
use crate::progress::{Poll, Stopped};
use crate::sequence::{Sequence, decode_one, sequence_length};

/// The original encoding of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum OriginalEncoding {
    Utf8,
    In(Charset),
}

/// A wrong decoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Layer {
    pub wrote: OriginalEncoding,
    pub read: Charset,
}

/// A text after the reversal of a wrong decoding, as far as it was possible.
#[derive(Debug, Default)]
pub(super) struct Undone {
    pub text: String,
    /// The number of multi-byte sequences that were restored, without those that took a space or a question mark: the
    /// more, the less likely by chance.
    pub sequences: usize,
    /// The number of undamaged non-ASCII characters: those that cannot result from such a decoding, and stay as they
    /// are.
    pub undamaged: usize,
    /// The number of words of undamaged characters, of such characters in words with others, and of words that were
    /// split.
    pub apart: usize,
    /// The number of letters that became others, or blanks, where both texts are Latin; at least one if signs became
    /// letters, but none within a word.
    pub exchanged: usize,
    /// Whether characters that are often typed were changed.
    pub typed: bool,
    /// Whether it may be a chance, though it competes with other originals: most letters that were changed have no
    /// letter beside them, and are or were not Latin, or only a few different parts of drawings were changed, none of
    /// them within a word, or some that frame Latin words.
    pub doubtful: bool,
    /// The number of undamaged characters in the last word, and whether it has others.
    pub word: (usize, bool),
    /// The offsets in `text` of characters that took a space for a no-break space.
    pub spaces: Vec<usize>,
}

/// The numbers of letters in abbreviations, in which letters may be in any order: of capitals, and with a small one
/// before them.
const ABBREVIATION: RangeInclusive<usize> = 2..=5;
const MIXED_ABBREVIATION: RangeInclusive<usize> = 2..=4;

/// The fewest different parts of drawings, if nothing else was changed.
const MIN_DRAWN: u32 = 12;

/// The fewest changed characters for each undamaged one where a whole text was in another encoding.
const MIN_CHANGED: usize = 4;

/// The no-break space and the soft hyphen in Windows code pages.
const NO_BREAK_SPACE: u8 = 0xA0;
const SOFT_HYPHEN: u8 = 0xAD;
const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

impl Layer {
    /// Reverses the decoding in a text. Returns `None` if nothing changes.
    pub(super) fn undo(self, text: &str, poll: Poll<'_>) -> Result<Option<Undone>, Stopped> {
        match self.wrote {
            OriginalEncoding::Utf8 => undo_utf8(text, self.read, poll),
            OriginalEncoding::In(wrote) => undo_single_byte(text, wrote, self.read, poll),
        }
    }
}

impl Undone {
    /// Creates an empty result with capacity for a text of this length.
    fn of(length: usize) -> Result<Self, AllocError> {
        let mut undone = Self::default();
        undone.text.grow(length)?;
        Ok(undone)
    }

    /// Counts an undamaged character.
    fn leave(&mut self) {
        self.undamaged += 1;
        self.word.0 += 1;
    }

    /// Ends a word before a space.
    fn end_word(&mut self) {
        let (undamaged, changed) = core::mem::take(&mut self.word);
        self.apart += if changed { undamaged } else { undamaged.min(1) };
    }

    fn push(&mut self, character: char) -> Result<(), AllocError> {
        self.text.grow(character.len_utf8())?;
        self.text.push(character);
        Ok(())
    }
}

fn undo_single_byte(
    text: &str,
    wrote: Charset,
    read: Charset,
    poll: Poll<'_>,
) -> Result<Option<Undone>, Stopped> {
    let mut undone = Undone::of(text.len())?;
    let mut changes = Changes::default();
    for block in blocks(text, poll) {
        let mut characters = block?.chars();
        while let Some(character) = characters.next() {
            let (now, byte) = read.look_up(character);
            let was = match byte {
                Some(byte) => match wrote.character(byte) {
                    // French has such a space before these.
                    Some(letter)
                        if character == '\u{A0}'
                            && Alphabet::of(letter) == Alphabet::Latin
                            && characters.as_str().starts_with([':', ';', '!', '?', '»', '%']) =>
                    {
                        return Ok(None);
                    }
                    // No text was read as letters that was a drawing.
                    Some(drawn) if is_drawing(drawn) && now.is_letter => return Ok(None),
                    // Nor as letters that was an accent by itself.
                    Some('ˇ' | '˘' | '˙' | '˛' | '˝' | '¸') if now.is_letter => return Ok(None),
                    // A soft hyphen is rare, and many letters of other encodings have its byte.
                    Some('\u{AD}') if character != '\u{AD}' => return Ok(None),
                    // It is a capital, though the model has it as i.
                    Some('İ') if character != 'İ' && undone.text.ends_with(char::is_lowercase) => {
                        return Ok(None);
                    }
                    Some(character) => character,
                    // The byte is undefined in the original encoding.
                    None => return Ok(None),
                },
                None => {
                    undone.leave();
                    character
                }
            };
            let before = if was == character { now } else { CharProperties::of(was) };
            changes.opens = character == '¡' && opens_exclamation(&undone.text, characters.as_str());
            let is_after_letter = now.is_letter && changes.last_is_letter;
            if is_after_letter && !before.is_letter && !may_follow_letter(was)
                || changes.last_is_quote && (before.is_letter || is_quotation_mark(was))
            {
                return Ok(None);
            }
            changes.add(character, now, was, before, &undone.text);
            undone.word.1 |= was != character;
            if before.is_space {
                undone.end_word();
            }
            undone.push(was)?;
        }
    }
    undone.end_word();
    changes.end();
    undone.apart += changes.split;
    undone.exchanged = if wrote.is_latin() { changes.exchanged() } else { 0 };
    undone.typed = changes.typed > 0 || changes.has_footnote;
    undone.doubtful = changes.are_doubtful(wrote) || !changes.are_likely();
    Ok((changes.all > 0 && MIN_CHANGED * undone.undamaged <= changes.all).then_some(undone))
}

/// The characters of a text that were changed.
#[derive(Default)]
struct Changes {
    all: usize,
    /// Whether a letter was changed, or a control: other symbols are not evidence, nor are letters of one alphabet in
    /// place of letters of another that look the same.
    any: bool,
    /// Whether the text had letters, and whether others than abbreviations, which are words of a few capitals, and than
    /// signs beside no letter were changed.
    had_letters: bool,
    spelled: bool,
    /// Whether others than parts of drawings were changed, or one between two letters that does not separate columns;
    /// and the different parts, a bit for each of 128 code points, which the last 32 share with the first.
    written: bool,
    drawn: u128,
    /// The number of letters that became others, or blanks; of another alphabet each counts twice.
    replaced: usize,
    /// Whether a sign became a letter, and whether one did between two letters.
    new: bool,
    within: bool,
    /// The number of changed characters that are or were letters; and of single ones, which have no letter beside them,
    /// without Latin letters in place of others.
    letters: usize,
    single: usize,
    /// The number of parts of drawings that became letters beside no other.
    frames: usize,
    /// The number of changed characters that are often typed: signs, and Greek letters in or beside Latin words; and
    /// the number of others that are evidence, or of letters after such marks that show these to be letters of a word.
    typed: usize,
    others: usize,
    /// Whether a footnote mark was changed after fewer letters than [`MIN_BEFORE_FOOTNOTE`].
    has_footnote: bool,
    /// The number of letters since the last other character, whether any was changed, and the number of small ones.
    word: usize,
    word_is_changed: bool,
    word_small: usize,
    /// Whether the word that results so far had a letter, and a sign that was changed.
    had_letter: bool,
    had_sign: bool,
    /// Whether a small letter is before capitals in the word so far that are not Latin.
    word_is_mixed: bool,
    /// The number of words that were two, with a no-break space between them: a letter within a word is rarely one.
    split: usize,
    /// Whether the last character was a part of a drawing that was changed, and after a letter; is a letter now; and is
    /// such a single one.
    last_is_drawn: bool,
    last_is_within: bool,
    last_is_letter: bool,
    last_is_single: bool,
    /// Whether the last character was a sign, and became a letter after a letter.
    last_is_new: bool,
    /// Whether the last character was an accent, and counts as evidence.
    last_is_accent: bool,
    /// Whether an exclamation starts: see [`opens_exclamation`].
    opens: bool,
    /// Whether the last character counts as evidence, if it was an inverted exclamation mark.
    last_inverted: Option<bool>,
    /// The last character, if it was changed and may be a symbol.
    last_symbol: Option<char>,
    /// The number of letters before the last mark in its word, and of small ones after it so far.
    around: Option<usize>,
    /// Whether the last character was such a mark, after letters as of a word.
    last_is_end: bool,
    /// Whether the last character became a letter, and was a quotation mark after a letter, or a no-break space after
    /// some.
    last_is_quote: bool,
    last_is_space: bool,
}

impl Changes {
    /// Adds a character, and the one that it was, changed or not, after the text that was before.
    fn add(&mut self, character: char, now: CharProperties, was: char, before: CharProperties, text: &str) {
        let (letter, was_letter) = (now.is_letter, before.is_letter);
        let is_latin = now.alphabet == Alphabet::Latin;
        let is_changed = was != character;
        self.all += usize::from(is_changed);
        self.any |= is_changed && (was_letter || letter || character.is_control()) && !looks_latin(character);
        self.had_letters |= letter;
        if is_changed && is_drawing(character) {
            self.drawn |= 1 << (u32::from(character) % u128::BITS);
        }
        self.written |= is_changed && !is_drawing(character) || self.last_is_within && letter;
        let either = letter || was_letter;
        self.frames += usize::from(self.last_is_single && self.last_is_drawn && !either);
        self.letters += usize::from(is_changed && either);
        self.single -= usize::from(self.last_is_single && either);
        let exchanged = is_latin && before.alphabet == Alphabet::Latin;
        let is_beside = self.word > 0 || self.last_is_letter;
        self.last_is_single = is_changed && either && !is_beside && !exchanged;
        self.single += usize::from(self.last_is_single);
        self.within |= self.last_is_new && was_letter;
        if is_changed && letter && (was_letter || matches!(was, '\u{A0}' | '\u{AD}')) {
            self.replaced += if is_latin { 1 } else { 2 };
        }
        self.new |= was_letter && !letter;
        self.last_is_new = was_letter && !letter && self.last_is_letter;
        let is_greek = now.alphabet == Alphabet::Greek;
        let is_twice = now.is_uppercase && character != 'Δ' && self.last_symbol == Some(character);
        let is_symbol = is_greek && is_symbol(character) && !is_twice && !self.word_is_spelled_out(text);
        self.last_symbol = is_symbol.then_some(character);
        let is_mark =
            is_changed && (is_mark(character, self.word) || is_symbol || self.word == 0 && is_greek);
        // The quotation marks of East Asian encodings: `don¡¯t`.
        let is_pair = self.last_inverted.is_some() && ('¡'..='ÿ').contains(&character) && !letter;
        let is_typed = is_mark || is_changed && (is_typed(character) || self.opens || is_pair);
        // A letter that became a sign shows nothing.
        let is_evidence = is_changed && (was_letter || !letter) && !is_typed && character != '…';
        self.typed += usize::from(is_typed);
        self.has_footnote |= is_changed && !is_mark && is_footnote(character);
        self.others += usize::from(self.last_is_end && !letter && !was_letter);
        self.last_is_end =
            is_mark && !is_symbol && may_end_word(character) && self.word_small >= MIN_BEFORE_LAST;
        self.around = match self.around {
            // A unit: MΩcm.
            _ if character == 'Ω' && self.word == 1 && text.ends_with(['k', 'M', 'm', 'G']) => None,
            // Abbreviations have symbols, too: RORγt.
            _ if is_symbol => (self.word_small > 0 || self.word == 1).then_some(self.word),
            _ if is_mark => may_be_within(character, self.word).then_some(self.word),
            Some(letters) if letter && !is_changed && !now.is_uppercase => Some(letters + 1),
            _ => None,
        };
        self.others += usize::from(
            is_evidence || !is_mark && self.around.is_some_and(|letters| letters >= MIN_AROUND_MARK),
        );
        // As programs extract ö from documents made by TeX: `Lepist¨o`.
        let is_accented = self.last_is_accent && letter && !is_changed;
        let is_no_evidence = is_accented || is_pair && self.last_inverted == Some(true);
        self.others -= usize::from(is_no_evidence);
        self.typed += usize::from(is_no_evidence);
        self.last_is_accent = is_evidence && character == '¨';
        self.last_inverted = (is_changed && character == '¡').then_some(is_evidence);
        self.split += usize::from(self.last_is_space && was_letter);
        self.last_is_quote = letter && self.last_is_letter && is_quotation_mark(was);
        self.last_is_space = letter && self.last_is_letter && was == '\u{A0}' && self.word > 1;
        self.last_is_letter = was_letter;
        self.last_is_drawn = is_changed && is_drawing(character);
        self.last_is_within = self.last_is_drawn && self.word > 0 && !matches!(character, '│' | '║');
        self.add_to_result(letter, was_letter, is_changed && !letter && !matches!(character, '®' | '™'));
        if letter {
            self.word += 1;
            self.word_is_changed |= is_changed;
            self.word_is_mixed |= now.is_uppercase && self.word_small > 0 && !is_latin;
            self.word_small += usize::from(!now.is_uppercase);
        } else {
            self.end_word();
            self.spelled |= character.is_control() && is_changed;
        }
    }

    /// Adds a character to the word that results.
    fn add_to_result(&mut self, letter: bool, was_letter: bool, is_sign: bool) {
        if letter || was_letter {
            self.had_letter |= letter;
            self.had_sign |= is_sign;
        } else {
            (self.had_letter, self.had_sign) = (false, false);
        }
        self.spelled |= self.had_letter && self.had_sign;
    }

    /// Ends a word.
    fn end_word(&mut self) {
        let is_abbreviation = match self.word_small {
            0 => ABBREVIATION.contains(&self.word),
            1 => self.word_is_mixed && MIXED_ABBREVIATION.contains(&self.word),
            _ => false,
        };
        self.spelled |= self.word_is_changed && !is_abbreviation;
        (self.word, self.word_is_changed, self.word_small, self.word_is_mixed) = (0, false, 0, false);
    }

    /// Ends the text.
    fn end(&mut self) {
        self.end_word();
        self.others += usize::from(self.last_is_end);
    }

    /// Returns whether the word so far, with which the text ends, is neither the name of a function nor an abbreviation
    /// as of a gene, after which a Greek letter is a symbol.
    fn word_is_spelled_out(&self, text: &str) -> bool {
        self.word >= MIN_SPELLED_OUT
            && self.word_small + usize::from(self.word > MIN_SPELLED_OUT) >= self.word
            && !FUNCTIONS.iter().any(|function| text.ends_with(function))
    }

    /// Returns the number of Latin letters of which languages that the model does not have may have others: see
    /// [`Undone::exchanged`].
    fn exchanged(&self) -> usize {
        self.replaced.max(usize::from(self.new && !self.within))
    }

    /// Returns whether they may be a chance: see [`Undone::doubtful`].
    fn are_doubtful(&self, wrote: Charset) -> bool {
        // Latin words of one letter are few.
        let framed = self.frames > 1;
        let typed = match wrote.is_latin() {
            true => self.typed > 0 && self.others == 0,
            // Nearly all letters are evidence.
            false => self.others <= self.typed,
        };
        typed
            || wrote.is_latin() && framed
            || 2 * self.single > self.letters
            || !self.written && self.drawn.count_ones() < MIN_DRAWN
    }

    /// Returns whether a wrong decoding may have made them.
    fn are_likely(&self) -> bool {
        self.any && self.had_letters && self.spelled
    }
}

/// The fewest letters of a word around a mark that is in the place of another, and before one that is in the place of
/// the last.
const MIN_AROUND_MARK: usize = 2;
const MIN_BEFORE_LAST: usize = 3;

/// The fewest letters of a word that is not an abbreviation, and names of functions that are written before a letter.
const MIN_SPELLED_OUT: usize = 3;
const FUNCTIONS: [&str; 6] = ["sin", "cos", "tan", "cot", "log", "exp"];

/// The fewest letters of a word before a footnote mark.
const MIN_BEFORE_FOOTNOTE: usize = 3;

/// Returns whether a sign is often typed after this number of letters, as a footnote mark is, or in quantities and
/// formulas: `m²`, `10 kΩ ± 2 %`, `√x`.
fn is_mark(character: char, letters: usize) -> bool {
    match character {
        '²' | '³' | '˚' | '¶' | 'Ω' | 'µ' | '°' | '±' | '≤' | '≥' | '√' | 'ⁿ' | '½' | '¼' | '÷' | '∞'
        | '≈' | '≡' | '‰' | '×' => true,
        _ => is_footnote(character) && letters >= MIN_BEFORE_FOOTNOTE,
    }
}

/// Returns whether a sign is a footnote mark.
fn is_footnote(character: char) -> bool {
    matches!(character, '¹' | '†' | '‡')
}

/// Returns whether a sign that is often typed may be in the place of the last letter of a word: it is not typed after
/// words, as footnote marks, exponents and degrees are.
fn may_end_word(sign: char) -> bool {
    !is_footnote(sign) && !matches!(sign, '²' | '³' | '¶' | '°' | '˚')
}

/// Returns whether a sign that is often typed, after this number of letters, may be in the place of another.
fn may_be_within(sign: char, letters: usize) -> bool {
    sign != '²' && (sign != 'µ' || letters > 0)
}

/// Returns whether a Greek letter is one of the symbols that are written beside Latin letters: `TNFα`, `ΔT`, `cosφ`.
fn is_symbol(letter: char) -> bool {
    matches!(letter, '\u{391}'..='\u{3A9}' | '\u{3B1}'..='\u{3C9}')
}

/// Returns whether a character is often typed: between words, as an apostrophe, or as a long vowel in languages that
/// the model does not have (`Tōkyō`).
fn is_typed(character: char) -> bool {
    matches!(character, '\u{A0}' | '·' | '´' | 'ā' | 'ē' | 'ī' | 'ō' | 'ū' | 'Ā' | 'Ē' | 'Ī' | 'Ō' | 'Ū')
}

/// Returns whether an exclamation may start between two texts, as in Spanish, though it may end in another line, or
/// nowhere: `¡hola`, but not `l'¡ndex` or `¡ndice`.
fn opens_exclamation(before: &str, after: &str) -> bool {
    let is_vowel = |letter| matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u');
    let word = before.strip_suffix(['\'', '’']).unwrap_or(before);
    let no_start = after.strip_prefix(['m', 'n']).is_some_and(|rest| {
        rest.starts_with(|letter: char| letter.is_ascii_lowercase() && !is_vowel(letter))
    });
    !word.ends_with(char::is_alphabetic) && !no_start
}

/// Returns whether a character is part of a drawing: of lines, or shades.
fn is_drawing(character: char) -> bool {
    matches!(character, '\u{2500}'..='\u{259F}')
}

/// Returns whether a character is a quotation mark, but not one that may be an apostrophe.
fn is_quotation_mark(character: char) -> bool {
    matches!(character, '«' | '»' | '“'..='„' | '‹' | '›')
}

/// Returns whether a character that is not a letter may follow one.
fn may_follow_letter(character: char) -> bool {
    character.is_ascii()
        || matches!(
            character,
            '\u{A0}' | '\u{AD}' | '«' | '»' | '–'
                ..='„' | '…' | '‹' | '›' | '№' | '°' | '·' | '־' | '׳' | '״'
        )
}

/// Returns whether a character is a Cyrillic or Greek letter that looks as a Latin one, or is typed for another: ε for
/// ɛ, Γ for Ɣ, μ for µ, and an acute accent for an apostrophe.
fn looks_latin(character: char) -> bool {
    matches!(
        character,
        'а' | 'е'
            | 'і'
            | 'ј'
            | 'о'
            | 'р'
            | 'с'
            | 'у'
            | 'х'
            | 'ѕ'
            | 'А'
            | 'В'
            | 'Е'
            | 'Ѕ'
            | 'І'
            | 'Ј'
            | 'К'
            | 'М'
            | 'Н'
            | 'О'
            | 'Р'
            | 'С'
            | 'Т'
            | 'Х'
            | 'ε'
            | '´'
            | 'Γ'
            | 'μ'
            | 'Α'
            | 'Β'
            | 'Ε'
            | 'Ζ'
            | 'Η'
            | 'Ι'
            | 'Κ'
            | 'Μ'
            | 'Ν'
            | 'Ο'
            | 'Ρ'
            | 'Τ'
            | 'Υ'
            | 'Χ'
            | 'ν'
            | 'ο'
    )
}

/// The possible byte of a character in a sequence.
#[derive(Clone, Copy)]
enum Byte {
    Sure(u8),
    /// This byte, whose character many programs replace: a no-break space by a space, a soft hyphen by a hyphen.
    Soft(u8),
    /// Unknown: the character was replaced by U+FFFD or a question mark.
    Lost,
    No,
}

fn undo_utf8(text: &str, read: Charset, poll: Poll<'_>) -> Result<Option<Undone>, Stopped> {
    let mut undone = Undone::of(text.len())?;
    // Not by `blocks`, as a sequence may go beyond the end of one.
    let (mut rest, mut polled) = (text, text.len());
    let (mut before, mut changed, mut all_alone) = ([' '; 2], false, true);
    while let Some(character) = rest.chars().next() {
        if polled - rest.len() >= POLL_INTERVAL_BYTES {
            poll()?;
            polled = rest.len();
        }
        if let Some((was, length, space)) = sequence(rest, character, read) {
            let is_soft = rest.as_bytes()[..length].iter().any(u8::is_ascii);
            if space {
                try_push(&mut undone.spaces, undone.text.len())?;
            }
            if is_soft {
                // Romance languages have à and í often, where others are not evidence, nor is Γ or Θ before a space.
                if character == 'Ã' {
                    undone.sequences += 1;
                    all_alone = false;
                }
            } else if !is_end_of_capitals(before, &rest[..length], &rest[length..])
                && !is_quoted(before[1], &rest[..length])
                && !is_word(before[1], &rest[..length], &rest[length..], was)
                && !is_small_cyrillic(before[1], &rest[..length], &rest[length..], was)
            {
                undone.sequences += 1;
                all_alone &= is_single_capital(before[1], &rest[..length], &rest[length..], was);
            }
            undone.word.1 = true;
            changed = true;
            undone.push(was)?;
            before = [before[1], ' '];
            rest = &rest[length..];
        } else {
            if !character.is_ascii() {
                undone.leave();
            }
            if CharProperties::of(character).is_space {
                undone.end_word();
            }
            undone.push(character)?;
            before = [before[1], character];
            rest = &rest[character.len_utf8()..];
        }
    }
    undone.end_word();
    undone.doubtful = all_alone;
    Ok(changed.then_some(undone))
}

/// Returns whether a sequence may as well be the last letter of a word, and two signs of punctuation.
fn is_quoted(before: char, sequence: &str) -> bool {
    let mut signs = sequence.chars().skip(1);
    before.is_ascii_alphabetic()
        && signs.clone().count() == 2
        && signs.all(|sign| matches!(sign, '´' | '‘'..='”' | '…' | '–' | '—'))
}

/// Returns whether good text has a sequence, too: ohms times another unit, or a difference of degrees; or alone the
/// root of a number or of a unit, square or cubic ångströms, or a word of small letters whose bytes are the UTF-8 of a
/// sign, as ред and a danda have the same bytes.
fn is_word(before: char, sequence: &str, after: &str, was: char) -> bool {
    let is_letter = |character| CharProperties::of(character).is_letter;
    let is_formula = matches!(sequence, "√π" | "√µ" | "√Ω" | "Å²" | "Å³");
    sequence == "Ω·"
        || sequence == "Δ°" && !after.trim_start_matches(['C', 'F', 'K']).starts_with(is_letter)
        || !is_letter(before)
            && !after.starts_with(is_letter)
            && (is_formula || !was.is_alphabetic() && sequence.chars().all(char::is_lowercase))
}

/// Returns whether a sequence may as well be small Cyrillic letters, if it is not a letter of a Latin word.
fn is_small_cyrillic(before: char, sequence: &str, after: &str, was: char) -> bool {
    let is_small =
        |letter: char| letter.is_lowercase() && CharProperties::of(letter).alphabet == Alphabet::Cyrillic;
    let is_beside =
        before.is_ascii_alphabetic() || after.starts_with(|next: char| next.is_ascii_alphabetic());
    sequence.chars().all(is_small) && !(CharProperties::of(was).alphabet == Alphabet::Latin && is_beside)
}

/// Returns whether a sequence may as well be a Cyrillic capital that stands alone, and a sign or another capital after
/// it: `20 С°`, `ЧЁ`. (The letters of Latin-1 are words by themselves in several languages.)
fn is_single_capital(before: char, sequence: &str, after: &str, was: char) -> bool {
    let is_letter = |character| CharProperties::of(character).is_letter;
    let is_capital = |first| {
        let properties = CharProperties::of(first);
        properties.is_uppercase && properties.alphabet == Alphabet::Cyrillic
    };
    let mut characters = sequence.chars();
    was > '\u{FF}'
        && characters.next().is_some_and(is_capital)
        && characters.next().is_some_and(|sign| !sign.is_lowercase() && !sign.is_control())
        && characters.next().is_none()
        && !is_letter(before)
        && !after.starts_with(is_letter)
}

/// Returns whether a sequence may as well be the last of some capitals, and a sign after them; or a capital in the
/// English genitive.
fn is_end_of_capitals(before: [char; 2], sequence: &str, after: &str) -> bool {
    let mut characters = sequence.chars();
    let (first, sign) = (characters.next().unwrap_or(' '), characters.next().unwrap_or(' '));
    let ends_word = |rest: &str| !rest.starts_with(char::is_alphabetic);
    CharProperties::of(first).is_uppercase
        && (sign == '’' && after.strip_prefix('s').is_some_and(ends_word)
            || before.into_iter().all(char::is_uppercase)
                && !sign.is_alphanumeric()
                && !sign.is_control()
                && (sign == '\u{A0}' && after.starts_with(char::is_uppercase) || ends_word(after)))
}

/// Returns the character whose UTF-8 is at the start of `text`, the number of bytes of `text` that it takes, and
/// whether a space is among them.
fn sequence(text: &str, first: char, read: Charset) -> Option<(char, usize, bool)> {
    if first.is_ascii() {
        return None;
    }
    let lead = read.byte(first)?;
    let length = sequence_length(lead).filter(|&length| length > 1)?;
    let mut bytes = [lead, 0, 0, 0];
    let mut taken = first.len_utf8();
    let (mut soft, mut lost, mut sure) = (None, None, 0);
    for (place, byte) in bytes[..length].iter_mut().enumerate().skip(1) {
        let character = text[taken..].chars().next()?;
        *byte = match byte_within(character, read) {
            Byte::Sure(byte) => {
                sure += 1;
                byte
            }
            Byte::Soft(byte) if soft.is_none() && lost.is_none() => {
                soft = Some(byte);
                byte
            }
            // Most question marks are not replacements.
            Byte::Lost if character != '?' || sure > 0 || matches!(lead, 0xC2 | 0xC3) => {
                if lost.is_some() && sure == 0 {
                    return None;
                }
                lost = Some(place);
                read.only_hole().filter(|_| character == REPLACEMENT).unwrap_or(0)
            }
            _ => return None,
        };
        taken += character.len_utf8();
    }
    let bytes = &mut bytes[..length];
    // € is a byte of punctuation in Windows-1252, and here of arrows that are rare.
    if read == Charset::ISO_8859_15 && bytes.starts_with(&[0xE2, 0xA4]) {
        return None;
    }
    if let Some(place) = lost
        && bytes[place] == 0
    {
        return Some((REPLACEMENT, taken, false));
    }
    match decode_one(bytes) {
        // A hyphen is not a part of a letter that no language of the model has.
        Some(Sequence::Char(character, _))
            if soft == Some(SOFT_HYPHEN) && Alphabet::of(character) == Alphabet::Other =>
        {
            None
        }
        Some(Sequence::Char(character, _)) => Some((character, taken, soft == Some(NO_BREAK_SPACE))),
        _ => surrogate_pair(bytes, &text[taken..], read)
            .map(|(character, more)| (character, taken + more, false)),
    }
}

/// Returns the possible byte of a character after a lead byte.
fn byte_within(character: char, read: Charset) -> Byte {
    match character {
        ' ' if read.has_soft() => Byte::Soft(NO_BREAK_SPACE),
        '-' if read.has_soft() => Byte::Soft(SOFT_HYPHEN),
        '?' | REPLACEMENT => Byte::Lost,
        _ => match read.byte(character) {
            Some(byte @ 0x80..0xC0) => Byte::Sure(byte),
            _ => Byte::No,
        },
    }
}

/// Returns the character of a surrogate pair of three bytes each, as in CESU-8: the high one is `high`, the low one is
/// at the start of `text`. Returns also the number of bytes of `text` that it takes.
fn surrogate_pair(high: &[u8], text: &str, read: Charset) -> Option<(char, usize)> {
    let mut characters = text.chars();
    let mut taken = 0;
    let mut low = [0; 3];
    for byte in &mut low {
        let character = characters.next()?;
        taken += character.len_utf8();
        *byte = read.byte(character)?;
    }
    let [high, low] = [surrogates::decode_utf8(high)?, surrogates::decode_utf8(&low)?].map(u32::from);
    let character = char::from_u32(surrogates::decode_pair(high, low)?)?;
    Some((character, taken))
}
