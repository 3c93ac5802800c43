//! The beam search for the wrong decodings of a text: those whose reversal gives the most likely text.
//!
//! Good text is likely by itself. Damaged text is unlikely, but the original is likely, and damage occurs with some
//! probability: so the decodings are chosen whose original has the lowest cost, the cost of the damage included. Each
//! sequence of UTF-8 that results is evidence, which the costs reflect: random sequences do not give a likely text.

use std::borrow::Cow;
use std::collections::HashSet;

use super::charset::{CharProperties, Charset, CharsetBits, Row, Shares, alphabet, row};
use super::prefilter::{Suspicion, suspicion};
use super::repair::Reading;
use super::score::{Alphabet, score};
use super::undo::{Layer, OriginalEncoding, Undone};
use super::usual::{DAMAGE, UNUSUAL, USUAL, USUAL_FOR_UTF8};
use crate::allocation::{Grow, try_push, try_push_str};
use crate::language::{self, Language, Languages, LatinCosts, LatinPairs};
use crate::progress::{Poll, Stopped};

/// The most successive wrong decodings; from the third on only of UTF-8.
const MAX_DEPTH: usize = 4;

/// The number of texts that are followed at each depth.
const BEAM_WIDTH: usize = 6;

/// The highest cost in bits per character of a text that can be good.
const MAX_GOOD_BITS_PER_CHAR: f32 = 5.5;

/// The number of characters before and after a space that are scored with and without it.
const CONTEXT_CHARS: usize = 12;

/// The cost of each further wrong decoding in bits: who decodes wrongly once does so again.
const AGAIN: f32 = 2.0;
/// The cost in bits of each word that the wrong decoding cannot have made, or of each such character inside a word.
const UNDAMAGED: f32 = 9.0;
/// The cost in bits of the damage where a Latin text became another Latin one, and at most of each letter that became
/// another: languages that the model does not have use other letters.
const LATIN_DAMAGE: f32 = 2.0;
const EXCHANGED: f32 = 2.0;
/// The cost in bits of changes of characters that are often typed.
const TYPED: f32 = 5.0;
/// The bits that one language has to save in a text more than an unknown one so that exchanged letters cost nothing.
const UNKNOWN_LANGUAGE: f32 = 14.0;
/// The bits that a column has to save more if letters became others: all of its cells may be in one unknown language.
const UNKNOWN_IN_COLUMN: f32 = 40.0;
/// The most bits per character of the words beyond ASCII of an original of which no UTF-8 is evidence: lists of letters
/// and drawings are as unlikely in all encodings. One of a thousand words in message catalogues costs more.
const MAX_WORD_BITS_PER_CHAR: f32 = 6.5;
/// The bits that the best original has to save more than any other, since a text stays that may be two.
const MARGIN: f32 = 3.0;
/// The bits that it has to save less against the text as it is, unless it was UTF-8; and those that it has to save more
/// there if letters became others, and the language another one, though it had these letters.
const LESS_AGAINST_TEXT: f32 = 2.0;
const ANOTHER_LANGUAGE: f32 = 4.0;
/// The bits that it has to save more there if its words beyond ASCII are short, as in a list of letters.
const SHORT_WORDS: f32 = 4.0;
/// The bits that it has to save if it is a rare wrong decoding, in no language of the model or unlikely in any, and
/// more than one in another alphabet.
const RARE_MARGIN: f32 = 8.0;
/// The bits that a known path on which nothing is undamaged has to save so that no other is searched.
pub(super) const CLEAR_BITS: f32 = 20.0;
/// The bits that a line has to cost more on the path of the line before so that it is left as it is, though it may be
/// damaged.
pub(super) const LEFT_BITS: f32 = 10.0;
/// The bits that a line has to save more if the line before it stays as it is, though the same path would change it.
pub(super) const AFTER_UNCHANGED: f32 = 4.0;
/// The fewest sequences of three bytes that are not a chance if a text has nothing else beyond ASCII.
const MIN_LONG_SEQUENCES: usize = 2;
/// The bits that a language saves that is known to be possible.
const KNOWN_LANGUAGE: f32 = 8.0;

/// Wrong decodings in the order in which they are reversed: the last one first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Path(pub Vec<Layer>);

/// The original of a text if it went through some wrong decodings.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub path: Path,
    pub text: String,
    pub sequences: usize,
    pub undamaged: usize,
    /// See [`Undone::apart`].
    apart: usize,
    /// See [`Undone::exchanged`].
    exchanged: usize,
    /// See [`Undone::typed`].
    typed: bool,
    /// The costs of the letters of the text as it is, if that is known.
    pub letters: Option<LatinCosts>,
    /// See [`Undone::doubtful`].
    pub doubtful: bool,
    pub language: Language,
    /// The languages that the text may be in.
    languages: Languages,
    /// The cost of the text in bits, including the cost of its undamaged characters.
    pub bits: f32,
}

impl Candidate {
    /// Creates the candidate of the text as it is; with the costs of its letters but in a column.
    pub(super) fn unchanged(
        text: String,
        in_column: bool,
        languages: Languages,
        poll: Poll<'_>,
    ) -> Result<Self, Stopped> {
        let letters = (!in_column).then(|| LatinPairs::of(&text).costs());
        Self::scored(Path::default(), Undone { text, ..Default::default() }, letters, languages, poll)
    }

    fn scored(
        path: Path,
        undone: Undone,
        letters: Option<LatinCosts>,
        languages: Languages,
        poll: Poll<'_>,
    ) -> Result<Self, Stopped> {
        let score = score(&undone.text, languages, poll)?;
        let Undone { text, sequences, undamaged, apart, exchanged, typed, doubtful, .. } = undone;
        let known = languages.have(score.language) && !path.0.is_empty();
        let bits = score.bits
            + UNDAMAGED * apart as f32
            + path.cost_of_exchange(exchanged, &text, letters)
            + if typed { TYPED } else { 0.0 }
            - if known { KNOWN_LANGUAGE } else { 0.0 };
        let language = score.language;
        Ok(Self {
            path,
            text,
            sequences,
            undamaged,
            apart,
            exchanged,
            typed,
            letters,
            doubtful,
            language,
            languages,
            bits,
        })
    }

    /// Returns the candidate after the reversal of one more decoding.
    fn behind(&self, layer: Layer, undone: Undone, poll: Poll<'_>) -> Result<Self, Stopped> {
        let before = Undone {
            sequences: self.sequences,
            undamaged: self.undamaged,
            apart: self.apart,
            exchanged: self.exchanged,
            typed: self.typed,
            doubtful: self.doubtful,
            ..Default::default()
        };
        let mut path = self.path.clone();
        path.0.push(layer);
        let undone = undone.after(&before, self.languages, poll)?;
        Self::scored(path, undone, self.letters, self.languages, poll)
    }

    /// Returns whether it can be text where the unchanged text is: it has no control, unassigned or private character
    /// that this does not have. Unless it was UTF-8, it also has no new İ, which the model has as i, but in the
    /// languages that write it, and not more changes between alphabets inside words, or so few that somebody may have
    /// typed them.
    pub(super) fn is_text(&self, unchanged: &Self) -> bool {
        let strange = |&character: &char| {
            !character.is_ascii() && !language::is_text(character)
                || character == 'İ' && !self.path.is_utf8() && !matches!(self.language.code(), "az" | "tr")
        };
        self.text.chars().filter(strange).all(|character| unchanged.text.contains(character))
            && (self.path.is_utf8()
                || mixtures(&self.text)
                    <= mixtures(&unchanged.text) + self.text.chars().count() / MIXTURE_CHARS)
    }

    /// Returns whether it may be an original by chance, however unlikely the unchanged text is: it is doubtful, or it
    /// was not UTF-8, and its words beyond ASCII, without all else, cost more than [`MAX_WORD_BITS_PER_CHAR`]; or it
    /// has none, and no controls became signs.
    fn is_chance(&self, poll: Poll<'_>) -> Result<bool, Stopped> {
        if self.doubtful || self.path.is_utf8() {
            return Ok(self.doubtful);
        }
        let mut words = String::new();
        for word in self.words().filter(|word| !word.is_ascii()) {
            try_push_str(&mut words, word)?;
            try_push_str(&mut words, " ")?;
        }
        let most = MAX_WORD_BITS_PER_CHAR * words.chars().count() as f32;
        Ok(match words.is_empty() {
            true => !self.path.0.iter().any(|layer| layer.is_of_controls()),
            false => score(&words, self.languages, poll)?.bits > most,
        })
    }

    /// Returns the runs of letters in it.
    fn words(&self) -> impl Iterator<Item = &str> {
        self.text.split(|character| !CharProperties::of(character).is_letter)
    }

    /// Returns by how many bits it may cost more than the unchanged text if it is a text between two wrong decodings:
    /// each sequence may have become a letter of another alphabet in a word.
    fn between(&self) -> f32 {
        if self.undamaged <= self.sequences { 2.0 * UNDAMAGED * self.sequences as f32 } else { 0.0 }
    }

    /// Returns whether nearly all of its characters beyond ASCII are letters of another alphabet than the Latin one.
    fn is_in_other_alphabet(&self) -> bool {
        let (mut letters, mut others) = (0, 0);
        for character in self.text.chars().filter(|character| !character.is_ascii()) {
            match alphabet(character) {
                Alphabet::None | Alphabet::Latin => others += 1,
                _ => letters += 1,
            }
        }
        letters >= MIN_LETTERS * others
    }

    /// Returns whether an original is good text: it would not be changed again.
    fn is_good(&self, poll: Poll<'_>) -> Result<bool, Stopped> {
        let Some(traces) = suspicion(&self.text, self.languages, poll)? else { return Ok(true) };
        let again = Self::unchanged(self.text.clone(), self.letters.is_none(), self.languages, poll)?;
        Ok(search(&again, traces, poll)?.path.0.is_empty())
    }

    /// Returns its first alphabet that is not the Latin one.
    fn other_alphabet(&self) -> Option<Alphabet> {
        let is_other = |letter: &Alphabet| !matches!(letter, Alphabet::None | Alphabet::Latin);
        self.text.chars().map(alphabet).find(is_other)
    }

    /// Returns whether it has a word of two letters or more that are all Latin ones beyond ASCII.
    fn has_accented_word(&self) -> bool {
        self.words().any(|word| {
            let accented = |character: char| !character.is_ascii() && alphabet(character) == Alphabet::Latin;
            word.chars().all(accented) && word.chars().count() > 1
        })
    }

    /// Returns whether its words beyond ASCII are short: Latin ones of a letter, but in prose with one beside a space,
    /// and others of some.
    fn has_short_words_only(&self) -> bool {
        let is_prose = |word: &&str| {
            word.len() >= MIN_PROSE_LETTERS && word.bytes().all(|byte| byte.is_ascii_lowercase())
        };
        let is_short = |word: &str| {
            let mut letters = word.chars();
            let most = if letters.clone().all(|letter| alphabet(letter) == Alphabet::Latin) { 1 } else { 3 };
            letters.nth(most).is_none()
        };
        let is_beyond = |letter: char| !letter.is_ascii() && CharProperties::of(letter).is_letter;
        let is_beside_space = |part: &str| part.starts_with(is_beyond) || part.ends_with(is_beyond);
        self.words().filter(|word| !word.is_ascii()).all(is_short)
            && (self.words().filter(is_prose).count() < MIN_PROSE_WORDS
                || !self.text.split_whitespace().any(is_beside_space))
    }

    /// Returns whether it is a list of letters: each word beyond ASCII has them in the order of their code points,
    /// which words by chance are not.
    fn is_list_of_letters(&self) -> bool {
        let mut orders = 1.0;
        for word in self.words().filter(|word| !word.is_ascii()) {
            if !word.chars().is_sorted_by(|letter, next| letter < next) {
                return false;
            }
            orders *= (1..=word.chars().count()).map(|count| count as f32).product::<f32>();
        }
        orders >= MIN_ORDERS
    }

    /// Returns whether it is Cyrillic with unlikely neighbours, but was not UTF-8.
    fn is_odd_cyrillic(&self, poll: Poll<'_>) -> Result<bool, Stopped> {
        let is_cyrillic = self.path.is_other_alphabet() && self.other_alphabet() == Some(Alphabet::Cyrillic);
        Ok(is_cyrillic && self.languages.is_empty() && is_odd(self, poll)?)
    }

    /// Returns the bits that it has to save more than any other original, and more than the unchanged text.
    fn margins(&self, unchanged: &Self, poll: Poll<'_>) -> Result<(f32, f32), Stopped> {
        let is_utf8 = self.path.is_utf8();
        let is_short = !is_utf8 && self.has_short_words_only();
        let is_rare = self.path.is_rare()
            || self.language.is_unknown()
            || is_utf8 && self.has_accented_word()
            || is_short
            || self.is_odd_cyrillic(poll)?;
        let margin = if is_rare { RARE_MARGIN } else { MARGIN };
        let is_another = self.exchanged > 0
            && self.language != unchanged.language
            && LatinPairs::of(&unchanged.text).are_of(unchanged.language);
        let more = match is_utf8 {
            true => 0.0,
            false if is_short => SHORT_WORDS,
            false => -LESS_AGAINST_TEXT,
        };
        Ok((margin, margin + more + if is_another { ANOTHER_LANGUAGE } else { 0.0 }))
    }

    /// Returns its cost in bits, including the cost of the damage.
    fn cost(&self) -> f32 {
        self.bits + self.path.cost()
    }
}

/// The number of orders of the letters of some words from which on one is hardly by chance.
const MIN_ORDERS: f32 = 500.0;

/// The fewest words in prose beside one of a single letter, and the fewest letters of each.
const MIN_PROSE_WORDS: usize = 2;
const MIN_PROSE_LETTERS: usize = 3;

/// The number of signs beyond ASCII that any text may have.
const MAX_SIGNS: usize = 8;

/// The fewest letters of another alphabet for each other character beyond ASCII in a text between two wrong decodings
/// from one alphabet to another.
const MIN_LETTERS: usize = 8;

/// The number of characters for each change between alphabets inside words that a text may have, for instance as
/// Ukrainian is typed with a Latin i.
const MIXTURE_CHARS: usize = 10;

/// Returns how often a Latin letter is beside one of an alphabet whose words do not have any. (Korean and Thai endings
/// follow Latin names.)
fn mixtures(text: &str) -> usize {
    let apart = |alphabet| {
        matches!(alphabet, Alphabet::Cyrillic | Alphabet::Greek | Alphabet::Hebrew | Alphabet::Arabic)
    };
    let (mut found, mut last) = (0, Alphabet::None);
    for character in text.chars() {
        let alphabet = alphabet(character);
        found += usize::from(match (last, alphabet) {
            (Alphabet::Latin, other) | (other, Alphabet::Latin) => apart(other),
            _ => false,
        });
        last = alphabet;
    }
    found
}

impl Undone {
    /// Adds the counts of the decodings that were reversed before.
    fn after(mut self, before: &Self, languages: Languages, poll: Poll<'_>) -> Result<Self, Stopped> {
        self.settle_spaces(languages, poll)?;
        self.sequences += before.sequences;
        self.undamaged = self.undamaged.max(before.undamaged);
        self.apart = self.apart.max(before.apart);
        self.exchanged += before.exchanged;
        self.typed |= before.typed;
        self.doubtful |= before.doubtful;
        Ok(self)
    }

    /// Inserts a space after each one that became part of a character, where that is more likely.
    fn settle_spaces(&mut self, languages: Languages, poll: Poll<'_>) -> Result<(), Stopped> {
        for at in std::mem::take(&mut self.spaces).into_iter().rev() {
            let mut characters = self.text[at..].chars();
            let (Some(taken), Some(next)) = (characters.next(), characters.next()) else { continue };
            let end = at + taken.len_utf8();
            // Portuguese has àquele, àquela and àquilo.
            let portuguese = taken == 'à'
                && ["quel", "quil", "s "].iter().any(|start| self.text[end..].starts_with(start));
            if !taken.is_alphabetic() || !next.is_alphabetic() || portuguese {
                continue;
            }
            let start = self.text[..at].char_indices().rev().nth(CONTEXT_CHARS).map_or(0, |(start, _)| start);
            let stop = self.text[end..]
                .char_indices()
                .nth(CONTEXT_CHARS)
                .map_or(self.text.len(), |(stop, _)| end + stop);
            let (before, after) = (&self.text[start..end], &self.text[end..stop]);
            let [apart, together] = [format!("{before} {after}"), format!("{before}{after}")];
            if score(&apart, languages, poll)?.bits < score(&together, languages, poll)?.bits {
                self.text.grow(1)?;
                self.text.insert(end, ' ');
            }
        }
        Ok(())
    }
}

impl Path {
    pub(super) fn is_utf8(&self) -> bool {
        self.0.iter().all(|layer| layer.wrote == OriginalEncoding::Utf8)
    }

    /// Returns the cost of the damage in bits.
    pub(super) fn cost(&self) -> f32 {
        let mut before: Option<&Layer> = None;
        let mut cost = 0.0;
        for layer in &self.0 {
            cost += layer.rareness();
            cost += match (before, layer.wrote) {
                (Some(before), OriginalEncoding::Utf8) if before.read == layer.read => AGAIN,
                (Some(_), _) if layer.is_of_controls() => AGAIN,
                // One letter of a Latin text is soon another.
                (Some(_), OriginalEncoding::In(wrote)) if wrote.is_latin() => 3.0 * DAMAGE,
                (Some(before), OriginalEncoding::In(_)) if before.read == layer.read => AGAIN,
                (None, OriginalEncoding::In(wrote)) if wrote.is_latin() => LATIN_DAMAGE,
                _ => DAMAGE,
            };
            before = Some(layer);
        }
        cost
    }

    /// Returns the cost in bits of letters that became others in a text: at most as much as the text costs more in its
    /// most likely language than in an unknown one, if the letters that it has now are of this language.
    fn cost_of_exchange(&self, exchanged: usize, text: &str, letters: Option<LatinCosts>) -> f32 {
        let most = EXCHANGED * exchanged as f32;
        match letters {
            Some(letters) if exchanged > 0 && !self.is_rare() => {
                let (by_letters, in_all) = letters.savings(&LatinPairs::of(text));
                let own = by_letters >= LatinPairs::MAX_UNKNOWN_BITS * exchanged as f32;
                if own { (UNKNOWN_LANGUAGE - in_all).clamp(0.0, most) } else { most }
            }
            _ => most,
        }
    }

    /// Returns whether a rare wrong decoding is among them.
    fn is_rare(&self) -> bool {
        self.0.iter().any(|layer| layer.is_rare())
    }

    /// Returns the cost in bits of the damage in a column: its cells may all be in one language that the model does not
    /// have.
    pub(super) fn cost_in_column(&self) -> f32 {
        let latin = |layer: &Layer| matches!(layer.wrote, OriginalEncoding::In(wrote) if wrote.is_latin());
        self.cost() + if self.0.iter().any(latin) { UNKNOWN_IN_COLUMN } else { 0.0 }
    }

    /// Returns whether the original was in an encoding of another alphabet than the Latin one.
    fn is_other_alphabet(&self) -> bool {
        let other = |layer: &Layer| matches!(layer.wrote, OriginalEncoding::In(wrote) if !wrote.is_latin());
        !self.0.is_empty() && self.0.iter().all(other)
    }

    /// Returns whether no other decoding of UTF-8 would explain all of the text nearly as well, by [`CLEAR_BITS`], nor
    /// one more before these, in the encodings in which the text has sequences.
    pub(super) fn is_only(
        &self,
        unchanged: &Candidate,
        undone: &Candidate,
        sequences: CharsetBits,
        poll: Poll<'_>,
    ) -> Result<bool, Stopped> {
        let [last, ..] = self.0[..] else { return Ok(true) };
        if is_odd(undone, poll)? {
            return Ok(false);
        }
        if self.0.len() == 1 {
            for read in Charset::of_set(sequences & !last.read.set()) {
                let layer = Layer { wrote: OriginalEncoding::Utf8, read };
                if let Some(other) = layer.undo(&unchanged.text, poll)?
                    && other.undamaged == 0
                    && other.text != undone.text
                    && unchanged.behind(layer, other, poll)?.bits < undone.bits + CLEAR_BITS
                {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Reverses these decodings in a text, as far as they occur in it. `letters` has the costs of its letters, if
    /// known.
    pub(super) fn undo(
        &self,
        text: &str,
        letters: Option<LatinCosts>,
        languages: Languages,
        poll: Poll<'_>,
    ) -> Result<Candidate, Stopped> {
        let mut all = Undone::default();
        try_push_str(&mut all.text, text)?;
        for &layer in &self.0 {
            if let Some(undone) = layer.undo(&all.text, poll)? {
                all = undone.after(&all, languages, poll)?;
            }
        }
        Candidate::scored(self.clone(), all, letters, languages, poll)
    }

    /// Returns the names of the encodings of the decodings that led to this text.
    pub(super) fn readings(&self, text: &str, poll: Poll<'_>) -> Result<Vec<Reading>, Stopped> {
        let mut text = Cow::Borrowed(text);
        let mut readings = vec![];
        for layer in &self.0 {
            let encoding = match layer.wrote {
                OriginalEncoding::Utf8 => "utf-8",
                OriginalEncoding::In(charset) => charset.name(),
            };
            try_push(&mut readings, Reading { encoding, misread_as: layer.read.name_for(&text) })?;
            if let Some(undone) = layer.undo(&text, poll)? {
                text = Cow::Owned(undone.text);
            }
        }
        Ok(readings)
    }
}

impl Layer {
    /// Returns whether it is of Latin-1, with controls for what only the Windows code page has.
    fn is_of_controls(self) -> bool {
        self.wrote == OriginalEncoding::In(self.read)
    }

    /// Returns whether this decoding and the one reversed before it are equivalent to a single one.
    fn continues(self, before: Option<&Self>) -> bool {
        // C1 controls and the characters of Windows code pages in their place are equivalent.
        before
            .is_some_and(|before| before.wrote == OriginalEncoding::In(self.read) || before.is_of_controls())
    }
}

/// Returns the wrong decodings that may have led to a text: of UTF-8 in encodings in which the text has sequences, and
/// of other encodings as far as they are searched.
fn layers(text: &str, utf8: CharsetBits, single_byte: bool) -> impl Iterator<Item = Layer> {
    let (sequences, fitting) = readings(text, single_byte);
    let utf8 = Charset::of_set(sequences & utf8).map(|read| Layer { wrote: OriginalEncoding::Utf8, read });
    // No word is in two alphabets.
    let mut words = text.split(|character: char| character.is_ascii() && !character.is_ascii_alphabetic());
    let any = fitting != 0 && words.any(|word| word.len() > 3 && !word.bytes().any(|byte| byte.is_ascii()));
    let beyond: Vec<&Row> = if fitting == 0 {
        vec![]
    } else {
        text.chars().filter(|character| !character.is_ascii()).map(row).collect()
    };
    // Latin text is mostly ASCII; of other text that is beyond ASCII, most is letters. Some may be signs.
    let is_latin = beyond.len() <= 2 * text.bytes().filter(u8::is_ascii).count() + MAX_SIGNS;
    let others = USUAL.iter().chain(&UNUSUAL).filter(move |(wrote, read)| {
        fitting & read.set() != 0
            && if wrote.is_latin() {
                is_latin || wrote.has_drawings()
            } else {
                any && beyond.len() <= wrote.letters(*read, &beyond) * 5 / 4 + MAX_SIGNS
            }
    });
    utf8.chain(others.map(|&(wrote, read)| Layer { wrote: OriginalEncoding::In(wrote), read }))
}

/// Returns whether a candidate has unlikely neighbours.
fn is_odd(candidate: &Candidate, poll: Poll<'_>) -> Result<bool, Stopped> {
    Ok(suspicion(&candidate.text, candidate.languages, poll)?.is_some_and(|found| found.odd))
}

/// Returns the encodings in which a text may have sequences of UTF-8, and with `single_byte` those that have most of
/// its characters.
fn readings(text: &str, single_byte: bool) -> (CharsetBits, CharsetBits) {
    let mut sequences = 0;
    let mut shares = Shares::default();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character.is_ascii() {
            continue;
        }
        let row = row(character);
        if single_byte {
            shares.add(row.all, 1);
        }
        sequences |= match characters.peek() {
            Some(' ' | '-' | '?' | &char::REPLACEMENT_CHARACTER) => row.leads,
            Some(&next) => row.leads & self::row(next).continues,
            None => 0,
        };
    }
    (sequences, shares.most())
}

/// Inserts a candidate after those that cost as much as it or less.
fn insert(candidates: &mut Vec<Candidate>, candidate: Candidate) {
    let place = candidates.partition_point(|other| other.cost() <= candidate.cost());
    candidates.insert(place, candidate);
}

/// Returns the most likely original of a suspicious text, which is the text itself if none is more likely, or if the
/// original is not good text either.
pub(super) fn beam_search(
    unchanged: &Candidate,
    traces: Suspicion,
    poll: Poll<'_>,
) -> Result<Candidate, Stopped> {
    let best = search(unchanged, traces, poll)?;
    Ok(if best.path.0.is_empty() || best.is_good(poll)? { best } else { unchanged.clone() })
}

/// Returns the most likely original of a suspicious text, whatever that is.
fn search(unchanged: &Candidate, traces: Suspicion, poll: Poll<'_>) -> Result<Candidate, Stopped> {
    // Reversing the last decoding of UTF-8 lowers the cost. But an unlikely text that is mostly not ASCII may have been
    // decoded wrongly from one alphabet to another twice, with another unlikely text in between.
    let (mut chars, mut ascii) = (0, 0);
    for character in unchanged.text.chars() {
        chars += 1;
        ascii += usize::from(character.is_ascii());
    }
    let unlikely = unchanged.bits > MAX_GOOD_BITS_PER_CHAR * chars as f32;
    let twice = unlikely && 2 * ascii < chars;
    let (mut best, mut second) = (unchanged.clone(), f32::INFINITY);
    let mut known = HashSet::from([unchanged.text.clone()]);
    let mut front = vec![unchanged.clone()];
    for depth in 0..MAX_DEPTH {
        let mut next: Vec<Candidate> = vec![];
        for candidate in &front {
            let before = candidate.path.0.last();
            let (utf8, single_byte) = match depth {
                0 if traces.odd || unlikely => (CharsetBits::MAX, true),
                0 => (traces.sequences, false),
                // The text between two wrong decodings is searched as a line is.
                1 => (CharsetBits::MAX, is_odd(candidate, poll)? || candidate.has_accented_word()),
                _ => (CharsetBits::MAX, false),
            };
            for layer in layers(&candidate.text, utf8, single_byte) {
                if !layer.continues(before)
                    && let Some(undone) = layer.undo(&candidate.text, poll)?
                    && known.insert(undone.text.clone())
                {
                    insert(&mut next, candidate.behind(layer, undone, poll)?);
                }
            }
        }
        // Not by chance is all that is not ASCII a sequence.
        let is_all = |candidate: &Candidate| {
            candidate.undamaged == 0 && !candidate.doubtful && candidate.path.is_utf8()
        };
        let is_usual =
            |candidate: &Candidate| candidate.path.0.iter().all(|layer| USUAL_FOR_UTF8.contains(&layer.read));
        let is_long = |candidate: &Candidate| {
            candidate.sequences >= MIN_LONG_SEQUENCES && chars - ascii >= 3 * candidate.sequences
        };
        if next.iter().any(|candidate| is_all(candidate) && (is_usual(candidate) || is_long(candidate))) {
            next.retain(is_all);
        }
        let likelier = next.iter().take_while(|candidate| candidate.cost() < unchanged.bits);
        for candidate in likelier.filter(|candidate| candidate.is_text(unchanged)).take(2) {
            let cost = candidate.cost();
            if cost < best.cost() && !candidate.is_chance(poll)? {
                if !best.path.0.is_empty() {
                    second = second.min(best.cost());
                }
                best = candidate.clone();
            } else {
                second = second.min(cost);
            }
        }
        // How usual the damage is does not decide between alphabets.
        let is_as_likely = |other: &Candidate| {
            other.bits < best.bits + RARE_MARGIN
                && other.path.is_other_alphabet()
                && other.other_alphabet() != best.other_alphabet()
                && other.is_text(unchanged)
        };
        if depth == 0 && best.path.is_other_alphabet() && next.iter().any(is_as_likely) {
            second = best.cost();
        }
        next.retain(|candidate| match candidate.path.is_utf8() {
            true => candidate.bits < unchanged.bits + if depth == 0 { candidate.between() } else { 0.0 },
            false => depth == 0 && twice && candidate.is_in_other_alphabet(),
        });
        next.truncate(BEAM_WIDTH);
        front = next;
    }
    let (cost, (margin, margin_of_text)) = (best.cost(), best.margins(unchanged, poll)?);
    let is_clear = cost + margin <= second
        && cost + margin_of_text <= unchanged.bits
        && (best.path.is_utf8() || !unchanged.is_list_of_letters());
    Ok(if is_clear { best } else { unchanged.clone() })
}
