//! Where the non-ASCII bytes of a sample are, which indicates its encoding before it is decoded.

use super::legacy::{Candidate, Definition};
use super::usual_signs::{USUAL_SIGNS, usual_signs};

/// How the non-ASCII bytes of a sample are distributed.
pub(super) struct NonAscii {
    /// Whether two are adjacent.
    adjacent: bool,
    /// Whether one is beside an ASCII letter.
    in_words: bool,
    /// The number of runs of them, and where each is, by the number from 80 on.
    runs: u32,
    pub bytes: Vec<(usize, Places)>,
    /// A byte that occurs [`REPEATED`] times in a row, and one that occurs twice as many times, and how often they do.
    repeated: [Option<(u8, u8)>; 2],
    /// How often each of [`USUAL_SIGNS`] is where it often is.
    usual: [u8; USUAL_SIGNS.len()],
}

/// Where a non-ASCII byte is in a sample.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Places {
    count: u32,
    /// How often it is without another one and a letter of ASCII beside it.
    alone: u32,
    /// How often it is between spaces, and whether it is between two bytes that enclose it.
    between_spaces: u32,
    enclosed: bool,
    /// Whether it is between two letters of ASCII, and after a small one at the end of a word.
    in_word: bool,
    at_end: bool,
}

/// The number of equal bytes, or characters of two bytes, that are rather a line than letters; and the cost in bits of
/// an encoding in which they are letters.
const REPEATED: usize = 4;
const REPEATED_BITS: f32 = 40.0;

/// The cost in bits of a multi-byte encoding if no two non-ASCII bytes are adjacent, as they are in its text.
const APART_BITS: f32 = 15.0;
/// The most different non-ASCII bytes that indicate no encoding if each is alone between spaces or punctuation; and
/// the cost in bits of any encoding but the default then: less of encodings of text in English, and hardly any if the
/// characters are words of one letter there.
const MAX_ALONE: usize = 2;
const ALONE_BITS: f32 = 24.0;
const ALONE_BITS_OF_SIGNS: f32 = 12.0;
const ALONE_BITS_OF_WORDS: f32 = 2.0;
/// The cost in bits of characters that are where they hardly ever are, which pairs of characters alone do not show:
/// signs within words, capitals at the end of words, only signs in an encoding for letters, and quotation marks that
/// nothing closes.
const MISPLACED_BITS: f32 = 8.0;
/// The signs that may be between two letters: ’ and ´, ·, dashes, an ellipsis, and what may end a line.
const IN_WORDS: [char; 8] = ['’', '´', '·', '–', '—', '…', NO_BREAK_SPACE, '\u{AD}'];
pub(super) const NO_BREAK_SPACE: char = '\u{A0}';
/// The cost in bits of a no-break space beside the cost of a space, and the most that count: some texts have them
/// between all words.
const SPACE_BITS: f32 = 12.0;
const MAX_SPACES: u32 = 2;
/// The default encoding of the web, and others of text in English, which has signs rather than letters.
const DEFAULT: &str = "windows-1252";
const OF_SIGNS: [&str; 4] = [DEFAULT, "macintosh", "cp437", "cp850"];

impl NonAscii {
    pub(super) fn of(sample: &[u8]) -> Self {
        let mut found = Self {
            adjacent: false,
            in_words: false,
            runs: 0,
            bytes: vec![],
            repeated: [None; 2],
            usual: usual_signs(sample),
        };
        let mut places = [Places::default(); 128];
        let (mut last, mut equal) = (b' ', 0);
        // The length of the run of non-ASCII bytes, and the byte before it.
        let (mut run, mut start) = (0, b' ');
        for &byte in sample.iter().chain(b" ") {
            equal = if byte == last { equal + 1 } else { 1 };
            for (found, length) in found.repeated.iter_mut().zip([REPEATED, 2 * REPEATED]) {
                if equal == length && !byte.is_ascii() {
                    let before = found.filter(|&(repeated, _)| repeated == byte);
                    *found = Some((byte, before.map_or(1, |(_, number)| number.saturating_add(1))));
                }
            }
            let (before, now) = (!last.is_ascii(), !byte.is_ascii());
            found.adjacent |= before && now;
            found.in_words |= before && byte.is_ascii_alphabetic() || now && last.is_ascii_alphabetic();
            if now {
                start = if run == 0 { last } else { start };
                run += 1;
                places[usize::from(byte & 0x7F)].count += 1;
            } else {
                let places = &mut places[usize::from(last & 0x7F)];
                match (start.is_ascii_alphabetic(), byte.is_ascii_alphabetic()) {
                    _ if run != 1 => {}
                    (false, false) => {
                        places.alone += 1;
                        places.between_spaces += u32::from(start == b' ' && byte == b' ');
                        places.enclosed |= is_enclosing(Some(&start)) && is_enclosing(Some(&byte));
                    }
                    (true, true) => places.in_word = true,
                    (true, false) => places.at_end |= start.is_ascii_lowercase(),
                    (false, true) => {}
                }
                found.runs += u32::from(run > 0);
                run = 0;
            }
            last = byte;
        }
        found.bytes.extend(places.into_iter().enumerate().filter(|(_, places)| places.count > 0));
        found
    }

    /// Returns whether most runs are single letters in an encoding, as in a list of letters, which is hardly more
    /// likely in one encoding than in another.
    pub(super) fn are_single_letters(&self, candidate: &Candidate) -> bool {
        let alone = self.bytes.iter().filter(|(_, places)| places.alone > 0);
        let letters = alone.filter(|&&(index, _)| candidate.has_letter(0x80 | index as u8));
        2 * letters.map(|(_, places)| places.alone).sum::<u32>() > self.runs
    }

    /// Returns whether more different bytes than indicate no encoding are enclosed, as in a list of letters.
    pub(super) fn has_many_enclosed(&self) -> bool {
        self.bytes.iter().filter(|(_, places)| places.enclosed).count() > MAX_ALONE
    }

    /// Returns whether the few bytes indicate no encoding.
    pub(super) fn is_alone(&self) -> bool {
        (1..=MAX_ALONE).contains(&self.bytes.len()) && !self.adjacent && !self.in_words
    }

    /// Returns the bits that characters of a single-byte encoding cost where they hardly ever are.
    fn misplaced_bits(&self, name: &str, chars: &[char; 128], are_letters: &[bool; 128]) -> f32 {
        let (mut signs, mut capitals, mut letters, mut spaces) = (false, false, false, 0);
        let (mut opened, mut closed) = (0, 0);
        for &(index, places) in &self.bytes {
            let (character, is_letter) = (chars[index], are_letters[index]);
            letters |= is_letter;
            signs |= places.in_word && !is_letter && !IN_WORDS.contains(&character);
            capitals |= places.at_end && character.is_uppercase();
            if character == NO_BREAK_SPACE {
                spaces = places.count.min(MAX_SPACES);
            }
            let (opens, closes) = quotation(character);
            (opened, closed) = (opened | opens, closed | closes);
        }
        let is_odd = !letters && !OF_SIGNS.contains(&name);
        let is_unclosed = opened & !closed != 0;
        let kinds = u8::from(signs) + u8::from(capitals) + u8::from(is_odd) + u8::from(is_unclosed);
        MISPLACED_BITS * f32::from(kinds) + SPACE_BITS * spaces as f32 + self.alone_bits(name, are_letters)
    }

    /// Returns the bits that bytes which indicate no encoding cost in one.
    fn alone_bits(&self, name: &str, are_letters: &[bool; 128]) -> f32 {
        let is_word =
            |&(index, places): &(usize, Places)| are_letters[index] && places.between_spaces == places.alone;
        match OF_SIGNS.contains(&name) {
            _ if name == DEFAULT || !self.is_alone() => 0.0,
            true if self.bytes.iter().all(is_word) => ALONE_BITS_OF_WORDS,
            true => ALONE_BITS_OF_SIGNS,
            false => ALONE_BITS,
        }
    }

    /// Returns the bits that these bytes cost in an encoding, beside the costs of the encoding and of the text. `page`
    /// has the characters of the bytes 80 to FF in a single-byte encoding, and whether they are letters.
    pub(super) fn bits_against(
        &self,
        candidate: &Candidate,
        page: Option<(&[char; 128], &[bool; 128])>,
    ) -> f32 {
        let is_multi_byte = matches!(candidate.definition, Definition::MultiByte(_) | Definition::Johab);
        let mut bits = 0.0;
        if is_multi_byte && !self.adjacent {
            bits += APART_BITS;
        }
        if let Some((byte, number)) = self.repeated[usize::from(is_multi_byte)]
            && candidate.has_letter(byte)
        {
            bits += REPEATED_BITS * f32::from(number);
        }
        for (sign, &number) in USUAL_SIGNS.iter().zip(&self.usual) {
            if page.is_none_or(|(chars, _)| chars[usize::from(sign.byte & 0x7F)] != sign.sign) {
                bits += sign.bits * f32::from(number);
            }
        }
        bits + match page {
            Some((chars, are_letters)) => self.misplaced_bits(candidate.name, chars, are_letters),
            None if self.is_alone() => ALONE_BITS,
            None => 0.0,
        }
    }
}

/// Returns the quotation that a character opens, and those that it closes, each as a bit.
fn quotation(character: char) -> (u8, u8) {
    match character {
        '‘' => (1, 0),
        '’' => (0, 1),
        '“' => (2, 4),
        '”' => (0, 2 | 4),
        '„' => (4, 0),
        '«' => (8, 0),
        '»' => (0, 8),
        _ => (0, 0),
    }
}

/// Returns whether a byte is a quotation mark, a bracket or other ASCII that encloses a byte between two of them.
pub(super) fn is_enclosing(byte: Option<&u8>) -> bool {
    byte.is_some_and(|&byte| byte.is_ascii() && byte != b' ' && !byte.is_ascii_alphabetic())
}
