//! Where an occurrence of a needle may start: a filter of the text as it is, before it is decomposed.
//!
//! As long as each character of an occurrence becomes a single one by decomposition and folding, the first units of the
//! occurrence are known but for a few variants: the letter, its capital, rarely a third. A character that becomes
//! several matters only if the needle continues with the second of these, and the window ends with it.

use std::sync::OnceLock;

use super::Form;
use super::classes::NFD;
use super::edits::Expansions;
use super::folding::{FOLDING, fold};
use super::search::is_start;
use crate::kernels::encode::Source;
use crate::kernels::encode::length::Lane;
use crate::kernels::ranges::CodePointRange;
use crate::kernels::window::{BLOCK_UNITS, FindWindow, MAX_SET_RANGES, MAX_SETS, MAX_WINDOW_UNITS, UnitSet};
use crate::sequence::boundary::CHUNK_BYTES;
use crate::simd::dispatch::Implementation;

/// Finds the places in a text where an occurrence may start.
pub(super) struct Prefilter {
    sets: [UnitSet; MAX_SETS],
    /// The number of sets.
    count: usize,
}

/// A character that becomes others by decomposition and perhaps folding, with the first two of these; the second is 0
/// if there is only one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Variant {
    first: u32,
    second: u32,
    character: u32,
}

/// The characters that become others, except for Hangul syllables, in the order of their first: by decomposition, and
/// by decomposition and folding. They are found when a long text is searched for the first time.
static VARIANTS: [OnceLock<Vec<Variant>>; 2] = [OnceLock::new(), OnceLock::new()];

const HANGUL_SYLLABLES: CodePointRange = (0xAC00, 0xD7A3);

/// Returns the Hangul syllables that a decomposition may start with: of a consonant and a vowel, and with the final
/// consonant after these (the Unicode Standard, section 3.12).
fn syllables(decomposition: &[u32]) -> impl Iterator<Item = u32> {
    let index = |at: usize, first: u32, count: u32| {
        decomposition.get(at).and_then(|part| part.checked_sub(first)).filter(|&index| index < count)
    };
    let open = index(0, 0x1100, 19)
        .zip(index(1, 0x1161, 21))
        .map(|(consonant, vowel)| HANGUL_SYLLABLES.0 + (consonant * 21 + vowel) * 28);
    let closed = open.zip(index(2, 0x11A8, 27)).map(|(open, last)| open + 1 + last);
    open.into_iter().chain(closed)
}

/// Returns the characters that become `first` and perhaps others.
fn variants(ignore_case: bool, first: u32) -> &'static [Variant] {
    let all = VARIANTS[usize::from(ignore_case)].get_or_init(|| all_variants(ignore_case));
    let start = all.partition_point(|variant| variant.first < first);
    let length = all[start..].partition_point(|variant| variant.first == first);
    &all[start..start + length]
}

#[cold]
fn all_variants(ignore_case: bool) -> Vec<Variant> {
    let mut variants = vec![];
    let mut parts = Expansions::new(Form::Nfd);
    for character in NFD.code_points().chain(FOLDING.code_points().filter(|_| ignore_case)) {
        let is_syllable = (HANGUL_SYLLABLES.0..=HANGUL_SYLLABLES.1).contains(&character);
        if is_syllable || char::from_u32(character).is_none() {
            continue;
        }
        let mut symbols = [0; 2];
        let mut count = 0;
        for &part in parts.decomposition(&[character]) {
            let mut add = |symbol| {
                if let Some(slot) = symbols.get_mut(count) {
                    *slot = symbol;
                    count += 1;
                }
            };
            if ignore_case { fold(part, add) } else { add(part) }
        }
        let [first, second] = symbols;
        if symbols != [character, 0] {
            variants.push(Variant { first, second, character });
        }
    }
    variants.sort_unstable();
    variants.dedup();
    variants
}

impl Prefilter {
    /// Returns the filter for units of a type.
    pub(super) fn of<U: Source>(needle: &[u32], ignore_case: bool, ignore_marks: bool) -> Self {
        let most = U::Lane::MAX.value();
        let mut sets = [UnitSet::default(); MAX_WINDOW_UNITS];
        let mut length = 0;
        for (at, &symbol) in needle.iter().enumerate().take(MAX_WINDOW_UNITS) {
            if at > 0 && !is_start(symbol) {
                break; // marks of the text may be in another order
            }
            let next = needle.get(at + 1).copied();
            let continues = |variant: &Variant| {
                next.is_some_and(|next| !is_start(next) || next == variant.second) || ignore_marks
            };
            let (mut values, mut last) = (Values::default(), ignore_marks);
            if symbol <= most {
                values.add((symbol, symbol));
            }
            for variant in variants(ignore_case, symbol) {
                let fits = variant.character <= most;
                if fits && (variant.second == 0 || continues(variant)) {
                    values.add((variant.character, variant.character));
                    last |= variant.second != 0;
                }
            }
            if HANGUL_SYLLABLES.1 <= most {
                for syllable in syllables(&needle[at..]) {
                    values.add((syllable, syllable));
                    last = true;
                }
            }
            sets[at] = UnitSet { offset: at, ..values.into_set() };
            length = at + 1;
            if last {
                break;
            }
        }
        // Neighbouring letters depend on each other more than distant ones do.
        let count = length.min(MAX_SETS);
        let spread = |number: usize| sets[number * length.saturating_sub(1) / (count - 1).max(1)];
        Self {
            sets: std::array::from_fn(|number| if number < count { spread(number) } else { sets[0] }),
            count,
        }
    }

    /// Returns the number of units before the next place where an occurrence may start.
    ///
    /// Calls `progress` with the number of bytes processed since the last call; an error of it is returned at once.
    pub(super) fn next<U: Source, E>(
        &self,
        by: Implementation,
        units: &[U],
        mut may_start: impl FnMut(&[U]) -> bool,
        progress: &mut impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<usize>, E> {
        let sets = &self.sets[..self.count];
        let mut at = 0;
        while at < units.len() {
            let end = units.len().min(at + CHUNK_BYTES);
            // A window may continue in the next chunk.
            let chunk = &units[at..units.len().min(end + MAX_WINDOW_UNITS)];
            let (found, mut bits) = by.run(FindWindow { units: chunk, sets });
            while bits != 0 {
                let place = at + found + bits.trailing_zeros() as usize;
                if may_start(&units[place..]) {
                    return Ok(Some(place));
                }
                bits &= bits - 1;
            }
            let passed = (found + BLOCK_UNITS).min(end - at);
            progress(passed * size_of::<U>())?;
            at += passed;
        }
        Ok(None)
    }
}

/// Values to be put into a set.
#[derive(Default)]
struct Values {
    ranges: [CodePointRange; MAX_SET_RANGES],
    count: usize,
}

impl Values {
    /// Adds a range; where there are too many, the last one is extended to it.
    fn add(&mut self, range: CodePointRange) {
        if let Some(known) = self.ranges[..self.count].iter_mut().find(|known| {
            known.0 <= range.1.saturating_add(1) && range.0 <= known.1.saturating_add(1) && self.count > 1
        }) {
            *known = (known.0.min(range.0), known.1.max(range.1));
        } else if let Some(free) = self.ranges.get_mut(self.count) {
            *free = range;
            self.count += 1;
        } else if let Some(last) = self.ranges.last_mut() {
            *last = (last.0.min(range.0), last.1.max(range.1));
        }
    }

    /// Returns the set of these values, or a larger one.
    fn into_set(self) -> UnitSet {
        let mut set = UnitSet { value: u32::MAX, ..UnitSet::default() };
        let ranges = &self.ranges[..self.count];
        let rest = match ranges {
            &[(a, b), (c, d), ref rest @ ..] if a == b && c == d => {
                (set.ignored, set.value) = (a ^ c, a | c);
                rest
            }
            &[(a, b), ref rest @ ..] if a == b => {
                set.value = a;
                rest
            }
            rest => rest,
        };
        set.range_count = rest.len();
        set.ranges[..rest.len()].copy_from_slice(rest);
        set
    }
}
