//! The likelihood of a text: the measure by which correctly decoded Russian beats the same bytes in another encoding.
//!
//! It is the product of the likelihoods of each letter after the one before ([`letters`]), of each ideograph
//! ([`ideographs`]), and of the use of symbols, capitals and scripts in any language ([`shape`]). Costs are negative
//! binary logarithms, in bits, so that decodings of the same bytes can be compared even if one has twice as many
//! characters as another. The costs of a pair of letters in all languages of a script are adjacent and added at once.
//!
//! Words of several scripts in one text each count in the best language of their script.

mod ideographs;
mod known;
mod letters;
mod packed;
mod script;
mod shape;
mod sign;

pub(crate) use known::Languages;
pub(crate) use script::Script;
pub(crate) use sign::Sign;

use core::ops::Range;

use letters::{LANES, LATIN_LANGUAGES, PLACES, PairTables, named};
use packed::UNITS_PER_BIT;
use shape::{Classes, ShapeState};

/// The cost of another language from the next word on, in eighths of a bit.
const OTHER_LANGUAGE: u32 = 8 * 8;
/// The cost of another language than those that a text is known to be in, in bits.
const UNKNOWN_LANGUAGE_BITS: f32 = 12.0;
/// The cost of a letter in text of no language, in bits.
const NO_LANGUAGE_BITS: f32 = 10.0;
/// The lead in bits over the next language of the same script from which on a language is reported.
const MIN_LEAD_BITS: f32 = 3.0;
/// The number of Latin letters beside which a letter of another script decides on the language.
const WEIGHT_BESIDE_LATIN: u64 = 3;

/// The likelihood of a text in its most likely language.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fit {
    /// The negative binary logarithm of the likelihood of the whole text.
    pub bits: f32,
    pub language: Language,
}

/// A language of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Language(Option<u8>);

impl Language {
    /// Returns the BCP 47 tag; `und` if no letter indicates a language.
    pub(crate) fn code(self) -> &'static str {
        self.0.map_or("und", |lane| PairTables::get().code(usize::from(lane)))
    }

    /// Returns whether no letter indicates a language.
    pub(crate) fn is_unknown(self) -> bool {
        self.0.is_none()
    }
}

/// Returns the BCP 47 tag that equals `code`, if a language of the model has it.
#[cfg(feature = "bindings")]
pub fn known_code(code: &str) -> Option<&'static str> {
    (0..LANES).map(|lane| PairTables::get().code(lane)).find(|&known| known == code)
}

/// Returns the likelihood of a text in its most likely language.
#[cfg(test)]
fn fit(text: impl IntoIterator<Item = char>) -> Fit {
    let mut score = LanguageScore::new();
    for character in text {
        score.add_char(character);
    }
    score.fit(Languages::default())
}

/// Returns the cost of a letter after another in the most likely language of their script, in bits; of a letter at the
/// start or the end of a word beside any other character.
pub(crate) fn pair_bits(first: char, second: char) -> f32 {
    let pairs = PairTables::get();
    let [first, second] = [first, second].map(|character| Sign::of(character).0);
    let script = if first.script == Script::None { second.script } else { first.script };
    let least = |row: &[u8]| row[..PLACES[script as usize].len()].iter().copied().min();
    let cost = match script.few() {
        Some(index) => least(pairs.few(index, first.letter, second.letter)),
        None if script == Script::Latin => least(pairs.latin(first.letter, second.letter)),
        None => None,
    };
    f32::from(cost.unwrap_or(0)) / UNITS_PER_BIT
}

/// Returns whether text may have a character: it is assigned, and neither a control nor for private use.
pub(crate) fn is_text(character: char) -> bool {
    if character.is_control() {
        matches!(character, '\n' | '\t' | '\r')
    } else {
        Classes::get().is_text(Sign::of(character).0.class)
    }
}

/// The pairs of Latin letters in a text, to compare it with others that differ in letters beyond ASCII only.
pub(crate) struct LatinPairs {
    /// The different characters beyond ASCII, up to a number, each with the number of its occurrences.
    characters: Vec<(char, u32)>,
    /// The pairs with such characters: their letters, and their places among them.
    pairs: Vec<[(u8, u8); 2]>,
    /// The costs of the other pairs in each language, in eighths of a bit.
    plain: [u32; LATIN_LANGUAGES],
}

/// The costs of the Latin letters of a text in bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LatinCosts {
    /// The costs in each language.
    languages: [u32; LATIN_LANGUAGES],
    /// The cost in a language that the model does not have, where letters beyond ASCII are usual.
    unknown: f32,
}

impl LatinCosts {
    /// Returns by how many bits another text, which has other letters beyond ASCII, costs less in its most likely
    /// language than this one in the same language, and in an unknown one.
    pub(crate) fn savings(&self, other: &LatinPairs) -> (f32, f32) {
        let costs = other.in_languages();
        let best = named(Script::Latin as usize).min_by_key(|&lane| costs[lane]).unwrap_or(0);
        let [before, after] = [self.languages[best], costs[best]].map(|cost| cost as f32 / UNITS_PER_BIT);
        (before - after, self.unknown - after)
    }
}

/// A letter of a pair: its number, which is 0 for others, and its place among the characters beyond ASCII.
type PairLetter = (u8, u8);

/// Returns the number of a Latin letter; 0 for other characters.
#[inline]
fn latin_letter(character: char) -> u8 {
    let sign = Sign::of(character).0;
    if sign.script == Script::Latin { sign.letter } else { 0 }
}

/// Returns whether a character is a letter, but not a Latin one of the model.
fn is_other_letter(character: char) -> bool {
    latin_letter(character) == 0 && character.is_alphabetic() && character != 'µ'
}

/// The costs of some pairs in each language of the Latin script, in eighths of a bit: of those settled, and of some
/// recent ones in sixteen bits.
struct LatinSums {
    settled: [u32; LATIN_LANGUAGES],
    recent: [u16; LATIN_LANGUAGES],
    added: u32,
}

impl LatinSums {
    fn new() -> Self {
        Self { settled: [0; LATIN_LANGUAGES], recent: [0; LATIN_LANGUAGES], added: 0 }
    }

    /// Adds a letter after another.
    #[inline]
    fn add(&mut self, tables: &PairTables, first: u8, second: u8) {
        add_row(&mut self.recent, tables.latin(first, second));
        self.added += 1;
        if self.added.is_multiple_of(LanguageScore::MAX_ROWS) {
            settle(&mut self.settled, &mut self.recent);
        }
    }

    fn finish(mut self) -> [u32; LATIN_LANGUAGES] {
        settle(&mut self.settled, &mut self.recent);
        self.settled
    }
}

impl LatinPairs {
    /// The most different characters, and the most pairs: of longer texts only the start counts.
    pub(crate) const MAX_CHARACTERS: usize = 32;
    const MAX_PAIRS: usize = 1 << 10;
    /// The most bits that a letter beyond ASCII, or a letter after it, costs in an unknown language.
    pub(crate) const MAX_UNKNOWN_BITS: f32 = 8.0;
    /// The place of a character that is ASCII.
    const ASCII: u8 = u8::MAX;

    /// Collects the pairs of a text.
    pub(crate) fn of(text: &str) -> Self {
        let (mut characters, mut pairs) = (Vec::with_capacity(8), Vec::with_capacity(32));
        let tables = PairTables::get();
        let mut plain = LatinSums::new();
        let mut last = (0, Self::ASCII);
        for character in text.chars().chain([' ']) {
            let (letter, place) = if let Some(&letter) = tables.ascii.get(character as usize) {
                (letter, Self::ASCII)
            } else {
                let known = characters.iter().position(|&(each, _)| each == character);
                let index = known.unwrap_or(characters.len());
                if index == Self::MAX_CHARACTERS {
                    break;
                }
                match known {
                    Some(index) => characters[index].1 += 1,
                    None => characters.push((character, 1)),
                }
                (latin_letter(character), index as u8)
            };
            if place & last.1 != Self::ASCII {
                pairs.push([last, (letter, place)]);
            } else if last.0 | letter != 0 {
                plain.add(tables, last.0, letter);
            }
            if pairs.len() + plain.added as usize == Self::MAX_PAIRS {
                break;
            }
            last = (letter, place);
        }
        Self { characters, pairs, plain: plain.finish() }
    }

    /// Returns the costs of all pairs in each language, in eighths of a bit.
    fn in_languages(&self) -> [u32; LATIN_LANGUAGES] {
        let (mut own, tables) = (LatinSums::new(), PairTables::get());
        self.pairs.iter().for_each(|&[(first, _), (second, _)]| own.add(tables, first, second));
        let own = own.finish();
        core::array::from_fn(|lane| self.plain[lane] + own[lane])
    }

    /// Returns the costs of the letters. Letters of another script are not of an unknown language.
    pub(crate) fn costs(&self) -> LatinCosts {
        let lane = named(Script::Latin as usize).end;
        let mut unknown = if self.characters.iter().any(|&(character, _)| is_other_letter(character)) {
            f32::NEG_INFINITY
        } else {
            self.plain[lane] as f32 / UNITS_PER_BIT
        };
        for &[(first, _), (second, _)] in &self.pairs {
            let cost = PairTables::get().latin(first, second)[lane];
            unknown += (f32::from(cost) / UNITS_PER_BIT).min(Self::MAX_UNKNOWN_BITS);
        }
        LatinCosts { languages: self.in_languages(), unknown }
    }

    /// Returns whether the letters beyond ASCII are in the model, and each pair with one costs less than `rare` bits in
    /// the language in which the other pairs are most likely.
    pub(crate) fn are_usual(&self, rare: f32) -> bool {
        if self.characters.iter().any(|&(character, _)| is_other_letter(character)) {
            return false;
        }
        let best = self.likeliest();
        self.pairs.iter().all(|&[(first, _), (second, _)]| {
            f32::from(PairTables::get().latin(first, second)[best]) < rare * UNITS_PER_BIT
        })
    }

    /// Returns whether all Latin letters beyond ASCII are letters of a language.
    pub(crate) fn are_of(&self, language: Language) -> bool {
        let tables = PairTables::get();
        let Some(lane) = language.0.map(usize::from).filter(|&lane| lane < LATIN_LANGUAGES) else {
            return false;
        };
        let is_own = |letter| letter == 0 || tables.latin(0, letter)[lane] != letters::FOREIGN;
        self.characters.iter().all(|&(character, _)| is_own(latin_letter(character)))
    }

    /// Returns the language in which the pairs of ASCII are most likely.
    fn likeliest(&self) -> usize {
        named(Script::Latin as usize).min_by_key(|&lane| self.plain[lane]).unwrap_or(0)
    }

    /// Returns the different characters beyond ASCII, each with the number of its occurrences.
    pub(crate) fn characters(&self) -> &[(char, u32)] {
        &self.characters
    }

    /// Prepares the comparison with other letters for the same bytes.
    pub(crate) fn comparison(&self) -> LatinComparison<'_> {
        let named = named(Script::Latin as usize);
        let mut likeliest = [(u32::MAX, named.end); COMPARED_LANGUAGES + 1];
        for lane in named {
            let mut next = (self.plain[lane], lane);
            for place in &mut likeliest[..COMPARED_LANGUAGES] {
                if next < *place {
                    core::mem::swap(place, &mut next);
                }
            }
        }
        let lanes = likeliest.map(|(_, lane)| lane);
        let mut comparison = LatinComparison { pairs: self, lanes, before: 0 };
        comparison.before = comparison.least(|(letter, _)| letter);
        comparison
    }
}

/// The number of languages that letters are compared in.
const COMPARED_LANGUAGES: usize = 4;

/// The comparison of the letters of a text with others for the same bytes, in the languages that are most likely by the
/// pairs of ASCII, and as letters of no language.
pub(crate) struct LatinComparison<'a> {
    pairs: &'a LatinPairs,
    lanes: [usize; COMPARED_LANGUAGES + 1],
    /// The cost of the letters as they are, in the most likely of these languages, in eighths of a bit.
    before: u32,
}

impl LatinComparison<'_> {
    /// Returns the cost of the letters in the most likely language, where `letter` is in place of each.
    fn least(&self, letter: impl Fn(PairLetter) -> u8) -> u32 {
        let tables = PairTables::get();
        let mut sums = self.lanes.map(|lane| self.pairs.plain[lane]);
        for &pair in &self.pairs.pairs {
            let [first, second] = pair.map(&letter);
            let row = tables.latin(first, second);
            sums.iter_mut().zip(self.lanes).for_each(|(sum, lane)| *sum += u32::from(row[lane]));
        }
        sums.into_iter().min().unwrap_or(0)
    }

    /// Returns by how many bits the letters cost less with `others` in place of the characters beyond ASCII; `None` if
    /// a letter in a word becomes a capital one or no letter.
    pub(crate) fn saving(&self, others: &[char; LatinPairs::MAX_CHARACTERS]) -> Option<f32> {
        let mut letters = [0; LatinPairs::MAX_CHARACTERS];
        let mut spoiled = [false; LatinPairs::MAX_CHARACTERS];
        for (index, &(character, _)) in self.pairs.characters.iter().enumerate() {
            let other = others[index];
            letters[index] = latin_letter(other);
            spoiled[index] = latin_letter(character) != 0 && letters[index] == 0 && other != '’'
                || character.is_lowercase() && other.is_uppercase();
        }
        let is_spoiled = |&[(first, _), (_, place)]: &[PairLetter; 2]| {
            place != LatinPairs::ASCII && first != 0 && spoiled[usize::from(place)]
        };
        if self.pairs.pairs.iter().any(is_spoiled) {
            return None;
        }
        let after = self.least(|(letter, place)| match place {
            LatinPairs::ASCII => letter,
            _ => letters[usize::from(place)],
        });
        Some((self.before as f32 - after as f32) / UNITS_PER_BIT)
    }
}

/// The cost of a text so far: a fold that keeps the last character.
#[derive(Clone)]
pub(crate) struct LanguageScore {
    pairs: &'static PairTables,
    classes: &'static Classes,
    /// The cost of the letters in each language, and the part of it that was added since sixteen bits could last have
    /// overflowed.
    languages: [u32; LANES],
    recent: [u16; LANES],
    shape: i32,
    signs: [u32; Script::COUNT],
    added: u32,
    last: CharContext,
}

/// The context before a character.
#[derive(Clone, Copy)]
pub(crate) struct CharContext {
    sign: Sign,
    state: ShapeState,
    /// The script of the last letter.
    script: Script,
}

impl CharContext {
    /// The start of a text, which is as after a space.
    pub(crate) const START: Self = Self { sign: Sign::SPACE, state: ShapeState::START, script: Script::None };

    /// A character without known context of its own.
    pub(crate) fn only(sign: Sign) -> Self {
        Self { sign, state: Classes::get().then(ShapeState::START, sign.class).1, script: sign.script }
    }
}

impl LanguageScore {
    /// The number of rows that can be added in sixteen bits.
    const MAX_ROWS: u32 = u16::MAX as u32 / u8::MAX as u32;

    /// Creates the score of an empty text.
    pub(crate) fn new() -> Self {
        Self {
            pairs: PairTables::get(),
            classes: Classes::get(),
            languages: [0; LANES],
            recent: [0; LANES],
            shape: 0,
            signs: [0; Script::COUNT],
            added: 0,
            last: CharContext::START,
        }
    }

    /// Creates the score of an empty text that is rather in these languages than in others of their scripts, which cost
    /// `bits` more.
    pub(crate) fn rather_in(languages: Languages, bits: f32) -> Self {
        let mut score = Self::new();
        for script in 0..Script::COUNT {
            languages.costs(script, bits).for_each(|(lane, cost)| score.languages[lane] = cost);
        }
        score
    }

    /// Adds a character; a Vietnamese letter with a tone mark counts as two.
    #[inline]
    pub(crate) fn add_char(&mut self, character: char) {
        let (letter, tone) = Sign::of(character);
        self.add(letter);
        if let Some(tone) = tone {
            self.add(tone);
        }
    }

    /// Adds a character by its properties.
    #[inline]
    pub(crate) fn add(&mut self, sign: Sign) {
        let CharContext { sign: last, state, mut script } = self.last;
        let sign = if (last.script, sign.script) == (Script::Cyrillic, Script::Latin) {
            sign.after_cyrillic(self.pairs)
        } else {
            sign
        };
        let (cost, state) = self.classes.then(state, sign.class);
        if sign.script != Script::None {
            self.shape += i32::from(script.then(sign.script));
            script = sign.script;
        }
        self.last = CharContext { sign, state, script };
        self.shape += i32::from(cost);
        self.shape += i32::from(if sign.script != Script::None || sign.class != last.class {
            sign.cost
        } else if sign.letter == last.letter {
            self.classes.same(sign.class)
        } else {
            sign.cost + self.classes.other(sign.class)
        });
        self.signs[sign.script as usize] += 1;
        if sign.script == last.script {
            self.pair(sign.script, last.letter, sign.letter);
        } else {
            self.pair(last.script, last.letter, 0);
            self.pair(sign.script, 0, sign.letter);
        }
        if sign.script == Script::Ideographs {
            let place = PLACES[Script::Ideographs as usize].clone();
            add_row(&mut self.recent[place], &sign.costs);
        }
        self.added += 1;
        if self.added.is_multiple_of(Self::MAX_ROWS) {
            self.settle(0..LANES);
        }
    }

    #[inline]
    fn pair(&mut self, script: Script, first: u8, second: u8) {
        if script == Script::Latin {
            add_row(&mut self.recent, self.pairs.latin(first, second));
        } else if let Some(index) = script.few() {
            let start = PLACES[script as usize].start;
            let row = self.pairs.few(index, first, second);
            add_row(&mut self.recent[start..start + row.len()], row);
        }
    }

    /// Adds the recent costs in some languages to the costs before.
    fn settle(&mut self, place: Range<usize>) {
        settle(&mut self.languages[place.clone()], &mut self.recent[place]);
    }

    /// Adds a text, after each word of which the language may be another one. (Not inlined into each kind of poll.)
    #[inline(never)]
    pub(crate) fn add_words(&mut self, text: &str, languages: Languages) {
        for (at, character) in text.char_indices() {
            if character == SOFT_HYPHEN && is_hyphenated(&text[..at], &text[at + SOFT_HYPHEN.len_utf8()..]) {
                continue;
            }
            let before = self.last.sign.script;
            self.add_char(character);
            let now = self.last.sign.script;
            if before != now && before != Script::None {
                self.end_word(before, languages);
            }
        }
    }

    /// Lets the language of a script be another one from here on, for a cost.
    fn end_word(&mut self, script: Script, languages: Languages) {
        let place = PLACES[script as usize].clone();
        self.settle(place.clone());
        let cost = |(lane, cost)| self.languages[lane] + cost;
        let least = if languages.is_empty() {
            self.languages[place.clone()].iter().copied().min()
        } else {
            languages.costs(script as usize, UNKNOWN_LANGUAGE_BITS).map(cost).min()
        };
        let least = least.unwrap_or(0);
        for sum in &mut self.languages[place] {
            *sum = (least + OTHER_LANGUAGE).min(*sum);
        }
    }

    /// Returns the context for the next character.
    pub(crate) fn last(&self) -> CharContext {
        self.last
    }

    /// Replaces the context for the next character.
    pub(crate) fn resume(&mut self, before: CharContext) {
        self.last = before;
    }

    /// Adds the cost of another part of the text.
    pub(crate) fn add_part(&mut self, part: &Self) {
        for (sum, (settled, &recent)) in
            self.languages.iter_mut().zip(part.languages.iter().zip(&part.recent))
        {
            *sum += settled + u32::from(recent);
        }
        for (sum, number) in self.signs.iter_mut().zip(part.signs) {
            *sum += number;
        }
        self.shape += part.shape;
    }

    /// Returns the cost of the letters in a language.
    fn lane(&self, lane: usize) -> u32 {
        self.languages[lane] + u32::from(self.recent[lane])
    }

    /// Returns the cost of the whole text in bits, in the languages of the model.
    pub(crate) fn bits(&self) -> f32 {
        self.sum(|script| named(script).map(|lane| self.lane(lane)).min())
    }

    /// Returns the BCP 47 tag of the most likely language, if the others of its script cost at least
    /// [`MIN_LEAD_BITS`] more, and its own letters less than letters of no language.
    ///
    /// Letters of other scripts count more than Latin ones, which markup and names have, too.
    pub fn language(&self) -> Option<&'static str> {
        const LATIN: usize = Script::Latin as usize;
        let weight = |script| if script == LATIN { 1 } else { WEIGHT_BESIDE_LATIN };
        let most = (1..Script::COUNT).max_by_key(|&script| weight(script) * u64::from(self.signs[script]))?;
        let cost = |lane| self.lane(lane);
        let best = named(most).min_by_key(|&lane| cost(lane))?;
        if cost(best) as f32 >= NO_LANGUAGE_BITS * UNITS_PER_BIT * self.signs[most] as f32 {
            return None;
        }
        let next = named(most).filter(|&lane| lane != best).map(cost).min();
        let lead = next.map_or(f32::INFINITY, |next| (next - cost(best)) as f32 / UNITS_PER_BIT);
        (lead >= MIN_LEAD_BITS).then(|| self.pairs.code(best))
    }

    /// Returns the cost in bits of the shape and of the letters of each script that the text has.
    fn sum(&self, letters: impl Fn(usize) -> Option<u32>) -> f32 {
        let used = (0..Script::COUNT).filter(|&script| self.signs[script] > 0);
        let letters: u32 = used.map(|script| letters(script).unwrap_or(0)).sum();
        (i64::from(self.shape) + i64::from(letters)) as f32 / UNITS_PER_BIT
    }

    /// Returns the likelihood of the text so far, which may be in these languages.
    pub(crate) fn fit(&self, languages: Languages) -> Fit {
        let most = (1..Script::COUNT).max_by_key(|&script| self.signs[script]).unwrap_or(0);
        let costs = |script| {
            let costs = languages.costs(script, UNKNOWN_LANGUAGE_BITS);
            costs.map(|(lane, cost)| (self.lane(lane) + cost, lane))
        };
        let language = match (self.signs[most], languages.is_empty()) {
            (0, _) => None,
            (_, true) => named(most).min_by_key(|&lane| self.lane(lane)),
            (_, false) => costs(most).min().map(|(_, lane)| lane),
        };
        let bits = self.sum(|script| costs(script).min().map(|(cost, _)| cost));
        Fit { bits, language: Language(language.map(|lane| lane as u8)) }
    }
}

const SOFT_HYPHEN: char = '\u{AD}';

/// Returns whether a word may have a soft hyphen here, where it is not seen: after a small letter, or before a capital.
fn is_hyphenated(before: &str, after: &str) -> bool {
    before.ends_with(char::is_lowercase) || after.starts_with(char::is_uppercase)
}

/// Adds a row of costs. The sums are read before and written after the additions, so that the compiler may vectorize
/// these however they are inlined.
#[inline]
fn add_row<const WIDTH: usize>(sums: &mut [u16], row: &[u8; WIDTH]) {
    let Some(sums) = sums.first_chunk_mut::<WIDTH>() else { return };
    *sums = core::array::from_fn(|lane| sums[lane] + u16::from(row[lane]));
}

/// Adds recent costs to those before, and clears them.
fn settle(sums: &mut [u32], recent: &mut [u16]) {
    for (sum, recent) in sums.iter_mut().zip(recent) {
        *sum += u32::from(core::mem::take(recent));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use encoding_rs::{
        BIG5, EUC_JP, EUC_KR, Encoding, GBK, IBM866, ISO_8859_7, KOI8_R, SHIFT_JIS, WINDOWS_1250,
    };
    use encoding_rs::{WINDOWS_874, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1255, WINDOWS_1256};

    const RUSSIAN: &str = "Съешь ещё этих мягких французских булок, да выпей чаю";
    const UKRAINIAN: &str = "Жебракують філософи при ґанку церкви в Гадячі";
    const POLISH: &str = "Zażółć gęślą jaźń, powiedział Łukasz";
    const ENGLISH: &str = "“It’s here,” she said – but I don’t think so…";
    const GREEK: &str = "Η Ελλάδα είναι χώρα της νοτιοανατολικής Ευρώπης";

    #[test]
    fn likely_readings_cost_less() {
        for (text, language, wrote, read) in [
            (RUSSIAN, "ru", WINDOWS_1251, &[KOI8_R, IBM866, WINDOWS_1252, WINDOWS_1250, GBK] as &[_]),
            (UKRAINIAN, "uk", WINDOWS_1251, &[KOI8_R, IBM866, WINDOWS_1252]),
            (POLISH, "pl", WINDOWS_1250, &[WINDOWS_1251, WINDOWS_1252, KOI8_R]),
            (ENGLISH, "en", WINDOWS_1252, &[WINDOWS_1250, WINDOWS_1251, IBM866, KOI8_R]),
            (GREEK, "el", WINDOWS_1253, &[ISO_8859_7, WINDOWS_1252, WINDOWS_1251]),
            ("שלום לכולם, מה שלומכם היום?", "he", WINDOWS_1255, &[WINDOWS_1252, WINDOWS_1251]),
            ("القاهرة عاصمة مصر وأكبر مدنها", "ar", WINDOWS_1256, &[WINDOWS_1252, WINDOWS_1251]),
            ("ประเทศไทยมีกรุงเทพมหานครเป็นเมืองหลวง", "th", WINDOWS_874, &[WINDOWS_1252, GBK]),
            ("日本の首都は東京です。", "ja", SHIFT_JIS, &[WINDOWS_1252, GBK]),
            ("日本の首都は東京です。", "ja", EUC_JP, &[GBK, EUC_KR, BIG5]),
            ("中华人民共和国的首都是北京", "zh-Hans", GBK, &[BIG5, EUC_KR, EUC_JP, WINDOWS_1252]),
            ("臺灣是一個島嶼國家", "zh-Hant", BIG5, &[GBK, EUC_KR, WINDOWS_1252]),
            ("대한민국의 수도는 서울이다", "ko", EUC_KR, &[GBK, BIG5, EUC_JP, WINDOWS_1252]),
        ] as [(_, _, &'static Encoding, _); 13]
        {
            let (bytes, _, _) = wrote.encode(text);
            let right = fit(text.chars());
            assert_eq!(right.language.code(), language, "{text}");
            for wrong in read {
                let (other, _) = wrong.decode_without_bom_handling(&bytes);
                assert!(other == text || right.bits < fit(other.chars()).bits, "{text} {other}");
            }
        }
    }

    #[test]
    fn what_is_no_text_fits_nothing() {
        assert_eq!(fit([]).bits, 0.0);
        assert_eq!(fit("2026-11-22".chars()).language.code(), "und");
        assert!(fit((0..=0xFF).map(char::from)).bits > 10.0 * 256.0);
    }

    #[test]
    fn vietnamese_is_the_same_with_its_tones_apart() {
        let fit = |text: &str| fit(text.chars());
        let (whole, apart) =
            (fit("Việt Nam là một quốc gia nằm ở cực Đông"), fit("Viê\u{323}t Nam la\u{300} mô\u{323}t"));
        assert_eq!([whole.language.code(), apart.language.code()], ["vi", "vi"]);
        assert_eq!(fit("Việt").bits, fit("Viê\u{323}t").bits);
    }
}
