//! The likelihood of a letter after another, in each language of its script.
//!
//! `model/letters.bin` has a table for each language, of its own letters only. They are unpacked once into one table
//! per script: for each pair of letters a row of costs, one for each language. Letter 0 is any character that is not a
//! letter, so that the pairs with it are the starts and the ends of words.

use core::ops::Range;
use std::sync::LazyLock;

use super::ideographs;
use super::packed::{UNITS_PER_BIT, take, take_some, take_u16};
use super::script::Script;
use super::shape::Classes;

/// Made by `model/make.py` from lingua's language models and the names of CLDR.
static PACKED: &[u8] = include_bytes!("model/letters.bin");

/// The number of languages of the Latin script, and the most of any other script, each with one for text in another
/// language, padded for vectors.
pub(super) const LATIN_LANGUAGES: usize = 48;
const OTHER_LANGUAGES: usize = 16;

/// The number of languages, and the range of each script's languages. Of letters the last one is for other
/// languages.
pub(super) const LANES: usize = LATIN_LANGUAGES + 5 * OTHER_LANGUAGES + 8;
pub(super) const PLACES: [Range<usize>; Script::COUNT] =
    [0..0, 0..48, 48..57, 64..66, 80..82, 96..100, 112..114, 128..132];

/// Returns the range of the languages of a script that the model has.
pub(super) fn named(script: usize) -> Range<usize> {
    let Range { start, end } = PLACES[script];
    let has_rest = script != Script::None as usize && script != Script::Ideographs as usize;
    start..end - usize::from(has_rest)
}

/// The cost of a letter that a language does not have, in eighths of a bit.
pub(super) const FOREIGN: u8 = 18 * 8;
/// The cost of another letter after such a letter, in eighths of a bit.
const AFTER_FOREIGN: u8 = 6 * 8;

/// The share of the likelihood of a letter anywhere in the likelihood of a letter after another in no language.
const ANYWHERE: f32 = 0.1;

/// The tables of all scripts.
pub(super) struct PairTables {
    latin: PairTable<LATIN_LANGUAGES>,
    others: [PairTable<OTHER_LANGUAGES>; 5],
    codes: [&'static str; LANES],
    /// The numbers of the Latin letters in ASCII; 0 for other characters.
    pub(super) ascii: [u8; 1 << 7],
    /// The numbers of the Latin and of the Cyrillic letter i.
    pub(super) i: [u8; 2],
}

impl PairTables {
    pub(super) fn get() -> &'static Self {
        static PAIRS: LazyLock<PairTables> = LazyLock::new(PairTables::unpack);
        &PAIRS
    }

    fn unpack() -> Self {
        let mut packed = PACKED;
        let mut codes = ["und"; LANES];
        let latin = PairTable::unpack(&mut packed, Script::Latin, &mut codes);
        let others = Script::FEW_LANGUAGES.map(|script| {
            PairTable::unpack(&mut packed, script, &mut codes[PLACES[script as usize].start..])
        });
        codes[PLACES[Script::Ideographs as usize].clone()].copy_from_slice(&ideographs::LANGUAGES);
        let number = |letters: &[char], letter| {
            letters.iter().position(|&other| other == letter).map_or(0, |place| place as u8 + 1)
        };
        let i = [number(&latin.letters, 'i'), number(&others[0].letters, 'і')];
        let ascii =
            core::array::from_fn(|code| number(&latin.letters, (code as u8).to_ascii_lowercase().into()));
        Self { latin, others, codes, ascii, i }
    }

    /// Returns the small letters of a script, from number 1.
    pub(super) fn letters(&self, script: Script) -> &[char] {
        match script.few() {
            Some(index) => &self.others[index].letters,
            None if script == Script::Latin => &self.latin.letters,
            None => &[],
        }
    }

    /// Returns the costs of a pair of Latin letters in each language, in eighths of a bit.
    #[inline]
    pub(super) fn latin(&self, first: u8, second: u8) -> &[u8; LATIN_LANGUAGES] {
        self.latin.row(first, second)
    }

    /// Returns the costs of a pair of letters in each language of a script, in eighths of a bit. `index` is the
    /// script's in [`Script::FEW_LANGUAGES`].
    #[inline]
    pub(super) fn few(&self, index: usize, first: u8, second: u8) -> &[u8; OTHER_LANGUAGES] {
        self.others[index].row(first, second)
    }

    /// Returns the BCP 47 tag of a language.
    pub(super) fn code(&self, lane: usize) -> &'static str {
        self.codes[lane]
    }
}

struct PairTable<const WIDTH: usize> {
    letters: Vec<char>,
    rows: Vec<[u8; WIDTH]>,
}

impl<const WIDTH: usize> PairTable<WIDTH> {
    fn unpack(packed: &mut &'static [u8], script: Script, codes: &mut [&'static str]) -> Self {
        let &[size, languages] = take(packed);
        let size = usize::from(size);
        let letters = (1..size).filter_map(|_| char::from_u32(take_u16(packed).into())).collect();
        let mut rows = vec![[FOREIGN; WIDTH]; (size + 1) * (size + 1)];
        for (language, code) in codes.iter_mut().enumerate().take(usize::from(languages)) {
            let name: &[u8; 7] = take(packed);
            *code = core::str::from_utf8(name).unwrap_or_default().trim_end_matches('\0');
            let &[own] = take(packed);
            let own = take_some(packed, own.into());
            for first in 0..=size {
                for &second in own {
                    rows[first * (size + 1) + usize::from(second)][language] = AFTER_FOREIGN;
                }
            }
            for &first in own {
                for (&second, &cost) in own.iter().zip(take_some(packed, own.len())) {
                    rows[usize::from(first) * (size + 1) + usize::from(second)][language] = cost;
                }
            }
        }
        let mut table = Self { letters, rows };
        table.add_no_language(languages.into(), Classes::get().strange(script));
        table
    }

    /// Adds the costs of letters in no language of the model: the mean likelihood in those that have the first letter,
    /// and with less weight in any.
    fn add_no_language(&mut self, lane: usize, strange: u8) {
        let size = self.letters.len() + 1;
        let likelihoods: [f32; 1 << 8] = core::array::from_fn(|cost| (-(cost as f32) / UNITS_PER_BIT).exp2());
        let mean = |row: &[u8; WIDTH]| {
            row[..lane].iter().map(|&cost| likelihoods[usize::from(cost)]).sum::<f32>() / lane as f32
        };
        let mut anywhere = vec![0.0; size];
        for (index, row) in self.rows.iter().enumerate() {
            let (first, second) = (index / (size + 1), index % (size + 1));
            if first < size && second < size {
                anywhere[second] += mean(row) / size as f32;
            }
        }
        for (index, row) in self.rows.iter_mut().enumerate() {
            let (first, second) = (index / (size + 1), index % (size + 1));
            row[lane] = if second == size {
                strange
            } else {
                let own = if first == size { anywhere[second] } else { mean(row) };
                let likelihood = (1.0 - ANYWHERE) * own + ANYWHERE * anywhere[second];
                (-likelihood.log2() * UNITS_PER_BIT).clamp(1.0, 255.0) as u8
            };
        }
    }

    #[inline]
    fn row(&self, first: u8, second: u8) -> &[u8; WIDTH] {
        &self.rows[usize::from(first) * (self.letters.len() + 2) + usize::from(second)]
    }
}
