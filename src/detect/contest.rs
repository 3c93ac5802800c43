//! The most likely legacy encoding of some bytes.
//!
//! A sample is decoded in each, and the likelihoods of the texts are compared (see [`language`](crate::language)). Two
//! things make that fast. ASCII is the same in all encodings and is scored once; and after a few bytes most encodings
//! are so far behind that they are dropped.
//!
//! Tried and lost: the crate chardetng 1.0. It decodes 64 % of the samples of `benches/detection.py` correctly, and
//! 80 % where the encoding is usual for the language; this algorithm 94 to 97 %, and 98 to 99 %, and is not slower.

use core::array;
use std::sync::LazyLock;

use super::legacy::{Candidate, Definition, EBCDIC, MULTI_BYTE, MultiByte, SINGLE_BYTE, is_possible_ebcdic};
use super::sample::ascii_length;
use crate::encodings::ebcdic;
use crate::language::{CharContext, LanguageScore, Script, Sign};

/// The score of an encoding's text of the sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guess {
    pub candidate: Candidate,
    /// The cost of the text and of the encoding in bits.
    pub bits: f32,
}

/// The characters of all bytes in the single-byte encodings, in the order of [`SINGLE_BYTE`].
struct SignTables {
    ascii: [Sign; 128],
    /// The model's classes of the bytes 80 to FF.
    signs: Vec<[Sign; 128]>,
    /// The characters of the bytes 80 to FF, and whether they are letters.
    chars: Vec<[char; 128]>,
    letters: Vec<[bool; 128]>,
    /// The scores of no text in the languages for which the encodings were made.
    scores: Vec<LanguageScore>,
}

impl SignTables {
    fn get() -> &'static Self {
        static TABLES: LazyLock<SignTables> = LazyLock::new(SignTables::make);
        &TABLES
    }

    fn make() -> Self {
        let sign = |character: char| Sign::of(blank_control(character)).0;
        let chars: Vec<[char; 128]> = SINGLE_BYTE
            .iter()
            .filter_map(|candidate| match candidate.definition {
                Definition::SingleByte(high) => Some(high.python_chars()),
                _ => None,
            })
            .map(|chars| chars.map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER)))
            .collect();
        Self {
            ascii: array::from_fn(|byte| sign(char::from(byte as u8))),
            signs: chars
                .iter()
                .map(|chars| {
                    chars.map(|character| match character {
                        // Some texts have them between all words, which would cost more than letters.
                        NO_BREAK_SPACE => sign(' '),
                        // The pages of Arabic on a Mac have signs of ASCII a second time, written from right to left.
                        _ if character.is_ascii() => sign(character).among(Script::Arabic),
                        _ => sign(character),
                    })
                })
                .collect(),
            letters: chars.iter().map(|chars| chars.map(is_letter)).collect(),
            chars,
            scores: SINGLE_BYTE
                .iter()
                .map(|candidate| LanguageScore::rather_in(candidate.languages(), OTHER_LANGUAGE_BITS))
                .collect(),
        }
    }

    /// Returns the single-byte encodings that decode a sample differently, by their index, with their bits: of those
    /// that give the same text the most frequent.
    fn different(
        &self,
        evidence: &NonAscii,
        bits_of: impl Fn(&Candidate) -> Option<f32>,
    ) -> Vec<(usize, f32)> {
        let bits = |(index, candidate): (usize, &Candidate)| {
            Some(
                bits_of(candidate)?
                    + evidence.misplaced_bits(candidate.name, &self.chars[index], &self.letters[index]),
            )
        };
        different(SINGLE_BYTE.iter().enumerate().map(bits), |one, other| {
            evidence.bytes.iter().all(|&(at, _)| self.chars[one][at] == self.chars[other][at])
        })
    }

    /// Returns the bytes for which the encodings have different characters; `None` if one is a multi-byte encoding.
    fn ambiguous(&self, contestants: &[Contestant]) -> Option<Ambiguous> {
        let tables: Vec<_> = contestants
            .iter()
            .map(|contestant| match contestant.reader {
                Reader::SingleByte(index) => Some(&self.chars[index]),
                Reader::MultiByte(_) | Reader::Ebcdic(_) => None,
            })
            .collect::<Option<_>>()?;
        let (first, others) = tables.split_first()?;
        Some(array::from_fn(|byte| {
            byte.checked_sub(0x80)
                .is_some_and(|index| others.iter().any(|table| table[index] != first[index]))
        }))
    }
}

/// Returns whether a character is a letter of words.
fn is_letter(character: char) -> bool {
    character.is_alphabetic() && !matches!(character, 'ª' | 'º' | 'µ' | 'ƒ')
}

/// Sorts the few readings of a text, the most likely first; equal ones keep their order. Takes quadratic time, but the
/// sort of the standard library takes 6 kB of code for each type.
pub(super) fn sort_by_bits<T>(readings: &mut [T], bits: impl Fn(&T) -> f32) {
    for end in 1..readings.len() {
        let mut at = end;
        while at > 0 && bits(&readings[at - 1]).total_cmp(&bits(&readings[at])).is_gt() {
            readings.swap(at - 1, at);
            at -= 1;
        }
    }
}

/// Returns the candidates with bits that decode a sample differently, by their index: of those that give the same text
/// the most frequent.
fn different(
    bits: impl Iterator<Item = Option<f32>>,
    is_same: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, f32)> {
    let tried = bits.enumerate().filter_map(|(index, bits)| Some((index, bits?)));
    let mut tried: Vec<(usize, f32)> = tried.collect();
    sort_by_bits(&mut tried, |&(_, bits)| bits);
    let mut kept: Vec<(usize, f32)> = vec![];
    for (index, bits) in tried {
        if !kept.iter().any(|&(other, _)| is_same(index, other)) {
            kept.push((index, bits));
        }
    }
    kept
}

/// The characters of all bytes in EBCDIC, in the order of [`EBCDIC`].
struct EbcdicTables {
    signs: Vec<[Sign; 256]>,
    chars: Vec<[char; 256]>,
}

impl EbcdicTables {
    fn get() -> &'static Self {
        static TABLES: LazyLock<EbcdicTables> = LazyLock::new(EbcdicTables::make);
        &TABLES
    }

    fn make() -> Self {
        let chars: Vec<[char; 256]> = EBCDIC
            .iter()
            .filter_map(|candidate| match candidate.definition {
                Definition::Ebcdic(table) => Some(table.chars()),
                _ => None,
            })
            .map(|chars| chars.map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER)))
            .collect();
        let sign = |chars: &[char; 256], byte: usize| {
            Sign::of(match chars[byte] {
                ebcdic::NEW_LINE => '\n',
                character if character as usize == byte => blank_control(character),
                character => character,
            })
            .0
        };
        let signs = chars.iter().map(|chars| array::from_fn(|byte| sign(chars, byte))).collect();
        Self { signs, chars }
    }

    /// Returns the encodings that decode the sample differently, as [`different`] does.
    fn different(&self, sample: &[u8], bits_of: impl Fn(&Candidate) -> Option<f32>) -> Vec<(usize, f32)> {
        different(EBCDIC.iter().map(bits_of), |one, other| {
            sample
                .iter()
                .all(|&byte| self.chars[one][usize::from(byte)] == self.chars[other][usize::from(byte)])
        })
    }
}

/// Returns a space instead of a control of ASCII, which all encodings have, but EBCDIC some at other bytes. Whether
/// there are too many for a text is decided before; among the few bytes that are read in full, one would make a text
/// of any length improbable.
fn blank_control(character: char) -> char {
    if character.is_ascii_control() && !matches!(character, '\t' | '\n' | '\r') { ' ' } else { character }
}

/// A run of non-ASCII bytes and up to two ASCII bytes after it, whose cost depends on the encoding: the first may be
/// the second byte of a character, and the next is its neighbour.
struct Run<'a> {
    bytes: &'a [u8],
    before: CharContext,
    /// Whether other bytes are between the previous run and this one.
    apart: bool,
    /// Whether it is of one byte between two that enclose it.
    enclosed: bool,
}

/// Returns whether a byte is ASCII that encloses what is between two of them: a quotation mark, a bracket, a comma.
fn is_enclosing(byte: Option<&u8>) -> bool {
    byte.is_some_and(|&byte| byte.is_ascii() && byte != b' ' && !byte.is_ascii_alphabetic())
}

/// A part of the sample: its runs, and the cost of the rest, which is the same in every encoding.
struct SamplePart<'a> {
    bytes: &'a [u8],
    plain: LanguageScore,
    runs: Vec<Run<'a>>,
}

/// For each byte value whether the remaining encodings disagree about its character.
type Ambiguous = [bool; 256];

/// The number of ASCII bytes before an ambiguous run that are scored as its context.
const CONTEXT_BYTES: usize = 16;

impl<'a> SamplePart<'a> {
    /// Divides bytes into runs: all of them, or only those with ambiguous bytes.
    fn of(bytes: &'a [u8], ambiguous: Option<&Ambiguous>, tables: &SignTables) -> Self {
        let (mut plain, mut runs, mut rest) = (LanguageScore::new(), vec![], bytes);
        let before = |byte: Option<&u8>| match byte {
            Some(&byte) if byte.is_ascii() => CharContext::only(tables.ascii[usize::from(byte)]),
            _ => CharContext::START,
        };
        while !rest.is_empty() {
            let (gap, after) = rest.split_at(ascii_length(rest));
            let end = after.iter().position(u8::is_ascii).map_or(after.len(), |at| {
                at + after[at..].iter().take(2).take_while(|byte| byte.is_ascii()).count()
            });
            let (run, after) = after.split_at(end);
            rest = after;
            if ambiguous.is_none_or(|ambiguous| run.iter().any(|&byte| ambiguous[usize::from(byte)])) {
                let skipped = if ambiguous.is_some() { gap.len().saturating_sub(CONTEXT_BYTES) } else { 0 };
                let (skipped, gap) = gap.split_at(skipped);
                if !skipped.is_empty() {
                    plain.resume(before(skipped.last()));
                }
                for &byte in gap {
                    plain.add(tables.ascii[usize::from(byte)]);
                }
                let apart = !(skipped.is_empty() && gap.is_empty());
                let enclosed = is_enclosing(gap.last()) && is_enclosing(run.get(1));
                runs.push(Run { bytes: run, before: plain.last(), apart, enclosed });
            }
            plain.resume(before(run.last()));
        }
        Self { bytes, plain, runs }
    }

    /// Adds the cost of the part in a single-byte encoding to a score, perhaps without enclosed bytes.
    fn add_single_byte(
        &self,
        score: &mut LanguageScore,
        high: &[Sign; 128],
        tables: &SignTables,
        with_enclosed: bool,
    ) {
        for run in self.runs.iter().filter(|run| with_enclosed || !run.enclosed) {
            score.resume(run.before);
            for &byte in run.bytes {
                let sign = match byte.checked_sub(0x80) {
                    Some(index) => high[usize::from(index)],
                    None => tables.ascii[usize::from(byte)],
                };
                score.add(sign);
            }
        }
        score.add_part(&self.plain);
    }
}

/// The number of non-ASCII bytes that the first round reads in every encoding. Each later round reads twice as many in
/// the encodings that are left.
const FIRST_ROUND_BYTES: usize = 4;
/// The fewest bytes that are read in full, if the sample has as many: one unusual word does not make a text improbable.
const MIN_READ_BYTES: usize = 32;
/// The number of bits behind the best at which an encoding is dropped.
const MAX_BITS_BEHIND: f32 = 32.0;

/// How the non-ASCII bytes of a sample are distributed.
struct NonAscii {
    /// Whether two are adjacent.
    adjacent: bool,
    /// Whether one is beside an ASCII letter.
    in_words: bool,
    /// The number of runs of them, and where each is, by the number from 80 on.
    runs: u32,
    bytes: Vec<(usize, Places)>,
    /// A byte that occurs [`REPEATED`] times in a row, and one that occurs twice as many times, and how often they do.
    repeated: [Option<(u8, u8)>; 2],
    /// How often [`COPYRIGHT`] is beside a year or after the word.
    copyrights: u8,
}

/// Where a non-ASCII byte is in a sample.
#[derive(Clone, Copy, Debug, Default)]
struct Places {
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

/// The cost in bits of another language of the Latin script than those for which an encoding was made.
const OTHER_LANGUAGE_BITS: f32 = 5.0;

/// The byte of © in Latin-1 and most single-byte encodings, and the cost in bits of an encoding in which it is a letter
/// where © is usual: it would be a word of one letter.
const COPYRIGHT: u8 = 0xA9;
const COPYRIGHT_BITS: f32 = 16.0;

/// The cost in bits of a multi-byte encoding if no two non-ASCII bytes are adjacent, as they are in its text.
const APART_BITS: f32 = 15.0;
/// The most different non-ASCII bytes that indicate no encoding if each is alone between spaces or punctuation; and
/// the cost in bits of any encoding but the default then: less of those of text in English, and hardly any if the
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
const NO_BREAK_SPACE: char = '\u{A0}';
/// The cost in bits of a no-break space beside the cost of a space, and the most that count: some texts have them
/// between all words.
const SPACE_BITS: f32 = 12.0;
const MAX_SPACES: u32 = 2;
/// The most bits by which the best encoding leads, for its confidence, if it is the default one then, or where letters
/// stand alone.
const ALONE_LEAD: f32 = 8.0;
/// The default encoding of the web, and others of text in English, which has signs rather than letters.
const DEFAULT: &str = "windows-1252";
const OF_SIGNS: [&str; 4] = [DEFAULT, "macintosh", "cp437", "cp850"];

impl NonAscii {
    fn of(sample: &[u8]) -> Self {
        let mut found = Self {
            adjacent: false,
            in_words: false,
            runs: 0,
            bytes: vec![],
            repeated: [None; 2],
            copyrights: copyrights(sample),
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
    fn are_single_letters(&self, candidate: &Candidate) -> bool {
        let alone = self.bytes.iter().filter(|(_, places)| places.alone > 0);
        let letters = alone.filter(|&&(index, _)| candidate.has_letter(0x80 | index as u8));
        2 * letters.map(|(_, places)| places.alone).sum::<u32>() > self.runs
    }

    /// Returns whether more different bytes than indicate no encoding are enclosed, as in a list of letters.
    fn has_many_enclosed(&self) -> bool {
        self.bytes.iter().filter(|(_, places)| places.enclosed).count() > MAX_ALONE
    }

    /// Returns whether the few bytes indicate no encoding.
    fn is_alone(&self) -> bool {
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

    /// Returns the bits that these bytes cost in an encoding, beside the costs of the encoding and of the text.
    fn bits_against(&self, candidate: &Candidate) -> f32 {
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
        if self.copyrights > 0 && candidate.has_letter(COPYRIGHT) {
            bits += COPYRIGHT_BITS * f32::from(self.copyrights);
        }
        if self.is_alone() && !matches!(candidate.definition, Definition::SingleByte(_)) {
            bits += ALONE_BITS;
        }
        bits
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

/// Returns how often [`COPYRIGHT`] is before a year, or after the word, in a sample.
fn copyrights(sample: &[u8]) -> u8 {
    let is_usual = |&at: &usize| {
        let after = sample[at + 1..].strip_prefix(b" ").unwrap_or(&sample[at + 1..]);
        let year = matches!(after, [b'1', b'9', ..] | [b'2', b'0', ..]);
        let before = sample[..at].strip_suffix(b" ").unwrap_or(&sample[..at]);
        sample[..at].last().is_none_or(u8::is_ascii)
            && (year || before.len() >= 9 && before[before.len() - 9..].eq_ignore_ascii_case(b"copyright"))
    };
    memchr::memchr_iter(COPYRIGHT, sample).filter(is_usual).take(u8::MAX.into()).count() as u8
}

/// The outcome of decoding a sample in all encodings.
pub(super) struct Contest {
    /// The encodings that are left, the most likely first. Of those that give the same text only the most
    /// frequent is in it.
    pub guesses: Vec<Guess>,
    /// The number of bytes that were read in full, and their cost in the most likely encoding in bits.
    pub read: usize,
    pub cost: f32,
    /// The most bits by which the best may be ahead of the next.
    pub max_lead: f32,
}

impl Contest {
    /// Decodes a sample in all encodings for which `bits_of` returns the cost of the encoding itself, in bits.
    pub(super) fn of(sample: &[u8], bits_of: impl Fn(&Candidate) -> Option<f32>) -> Self {
        let tables = SignTables::get();
        let evidence = NonAscii::of(sample);
        let bits_of = |candidate: &Candidate| Some(bits_of(candidate)? + evidence.bits_against(candidate));
        let contestant = |candidate, reader, own_bits| Contestant {
            candidate,
            score: match reader {
                Reader::SingleByte(index) => tables.scores[index].clone(),
                Reader::MultiByte(_) | Reader::Ebcdic(_) => LanguageScore::new(),
            },
            reader,
            own_bits,
            bits: own_bits,
        };
        let single_byte = tables
            .different(&evidence, bits_of)
            .into_iter()
            .map(|(index, bits)| contestant(SINGLE_BYTE[index], Reader::SingleByte(index), bits));
        let multi_byte = MULTI_BYTE.iter().filter_map(|&candidate| {
            Some(contestant(candidate, Reader::MultiByte(candidate.multi_byte()?), bits_of(&candidate)?))
        });
        let ebcdic =
            if is_possible_ebcdic(sample) { EbcdicTables::get().different(sample, bits_of) } else { vec![] };
        let ebcdic =
            ebcdic.into_iter().map(|(index, bits)| contestant(EBCDIC[index], Reader::Ebcdic(index), bits));
        let mut left: Vec<Contestant> = single_byte.chain(multi_byte).chain(ebcdic).collect();
        let (mut rest, mut length, mut ambiguous) = (sample, FIRST_ROUND_BYTES, None);
        let (mut read, mut cost) = (0, 0.0);
        let with_enclosed = evidence.has_many_enclosed();
        // A single encoding is the caller's choice.
        let min_read = if left.len() > 1 { MIN_READ_BYTES } else { 1 };
        while !rest.is_empty() && (left.len() > 1 || read < min_read) {
            let part;
            (part, rest) = rest.split_at(round(rest, length));
            length *= 2;
            let part = SamplePart::of(part, ambiguous.as_ref(), tables);
            for contestant in &mut left {
                contestant.read(&part, tables, with_enclosed);
            }
            let best = left.iter().map(|contestant| contestant.bits).fold(f32::INFINITY, f32::min);
            left.retain(|contestant| contestant.bits < best + MAX_BITS_BEHIND);
            if ambiguous.is_none() {
                (read, cost) = (read + part.bytes.len(), best);
                if read >= MIN_READ_BYTES {
                    ambiguous = tables.ambiguous(&left);
                }
            }
        }
        let mut guesses: Vec<Guess> =
            left.iter().map(|one| Guess { candidate: one.candidate, bits: one.bits }).collect();
        sort_by_bits(&mut guesses, |guess| guess.bits);
        let is_weak = evidence.is_alone()
            || guesses.first().is_some_and(|best| evidence.are_single_letters(&best.candidate));
        let max_lead = if is_weak { ALONE_LEAD } else { f32::INFINITY };
        Self { guesses, read, cost, max_lead }
    }
}

/// Returns the length of a round with at least `length` non-ASCII bytes, which ends after an ASCII byte if one is near.
fn round(sample: &[u8], length: usize) -> usize {
    let mut non_ascii = 0;
    sample
        .iter()
        .position(|byte| {
            non_ascii += usize::from(!byte.is_ascii());
            non_ascii > length && byte.is_ascii() || non_ascii > 2 * length
        })
        .map_or(sample.len(), |at| at + 1)
}

struct Contestant {
    candidate: Candidate,
    reader: Reader,
    score: LanguageScore,
    /// The cost of the encoding itself, and with its text so far, in bits.
    own_bits: f32,
    bits: f32,
}

enum Reader {
    /// The index in [`SINGLE_BYTE`].
    SingleByte(usize),
    MultiByte(MultiByte),
    /// The index in [`EBCDIC`].
    Ebcdic(usize),
}

impl Contestant {
    fn read(&mut self, part: &SamplePart<'_>, tables: &SignTables, with_enclosed: bool) {
        match &mut self.reader {
            Reader::SingleByte(index) => {
                let signs = &tables.signs[*index];
                part.add_single_byte(&mut self.score, signs, tables, with_enclosed);
            }
            Reader::MultiByte(decoder) => {
                for run in &part.runs {
                    if run.apart {
                        self.score.resume(run.before);
                    }
                    decoder.decode(run.bytes, |character| self.score.add_char(blank_control(character)));
                }
                self.score.add_part(&part.plain);
            }
            Reader::Ebcdic(index) => {
                for &byte in part.bytes {
                    self.score.add(EbcdicTables::get().signs[*index][usize::from(byte)]);
                }
            }
        }
        self.bits = self.score.bits() + self.own_bits;
    }
}
