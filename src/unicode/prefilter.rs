//! Where an occurrence of a needle may start: a filter of the text as it is, before it is decomposed.
//!
//! As long as each character of an occurrence becomes a single one by decomposition and folding, its units are known
//! but for a few variants: the letter, its capital, rarely a third. Some units in a row, the window, are searched for.
//! It ends with a character that may become several, or whose variants differ in length, as k and U+212A do in UTF-8;
//! if these are at the start of the needle, the window is after them, and an occurrence starts some units before it.

use std::mem;
use std::sync::OnceLock;

use super::classes::{NFC, NFD};
use super::edits::{self, Expansions};
use super::folding::{FOLDING, fold};
use super::form::{composed, composed_hangul, decomposed_hangul};
use super::{Form, Ignore};
use crate::kernels::encode::Source;
use crate::kernels::encode::unit::Lane;
use crate::kernels::ranges::CodePointRange;
use crate::kernels::window::{BLOCK_UNITS, FindWindow, MAX_SET_RANGES, MAX_SETS, MAX_WINDOW_UNITS, UnitSet};
use crate::progress::{Progress, Stopped};
use crate::sequence::boundary::CHUNK_BYTES;
use crate::simd::dispatch::Implementation;

/// Returns whether no equivalent text composes the character, or a part of it, with a character before it.
#[inline(always)]
pub(super) fn is_start(code_point: u32) -> bool {
    // Two subjoined letters of Tibetan are the second part of decompositions, though they do not compose.
    edits::is_start(NFC.class(code_point)) && !matches!(code_point, 0xFB5 | 0xFB7)
}

/// Returns whether a character of a decomposition belongs to the one before it: it does not [start](is_start) anything,
/// and is a mark, or composes with that one. Between others, as some vowel signs of Indic scripts after most letters,
/// an occurrence may end; and after a control or the end of a line, to which no mark belongs (UAX 29, GB4).
pub(super) fn continues(previous: u32, code_point: u32) -> bool {
    !is_start(code_point)
        && !matches!(previous, 0..=0x1F | 0x7F..=0x9F | 0x200B | 0x2028 | 0x2029)
        && (edits::is_mark(NFD.class(code_point))
            || !is_start(previous)
            || matches!(code_point, 0xFB5 | 0xFB7)
            || composed(previous, code_point).is_some())
}

/// Finds the places in a text where an occurrence may start.
pub(super) struct Prefilter {
    sets: [UnitSet; MAX_SETS],
    /// The number of sets.
    count: usize,
    /// The fewest and the most units of an occurrence before the window.
    before: (usize, usize),
}

/// A character that becomes others by decomposition and perhaps folding, with the first two of these; the second is 0
/// if there is only one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Decomposable {
    first: u32,
    second: u32,
    character: u32,
    /// The number of the others.
    count: usize,
}

/// The characters that become others, except for Hangul syllables, in the order of their first: by decomposition, and
/// by decomposition and folding. They are found when a long text is searched for the first time.
static VARIANTS: [OnceLock<Vec<Decomposable>>; 2] = [OnceLock::new(), OnceLock::new()];

/// The maximum number of units of a character.
const MAX_UNITS: usize = 4;

/// The maximum number of starts but one that are tried for each place of the window.
const MAX_DISTANCES: usize = 16;

/// Returns the Hangul syllables that a decomposition may start with: of a consonant and a vowel, and with the final
/// consonant after these.
fn syllables(decomposition: &[u32]) -> impl Iterator<Item = u32> {
    let part = |at: usize| decomposition.get(at).copied();
    let open = part(0).zip(part(1)).and_then(|(consonant, vowel)| composed_hangul(consonant, vowel));
    let closed = open.zip(part(2)).and_then(|(open, last)| composed_hangul(open, last));
    open.into_iter().chain(closed)
}

/// Returns the characters that become `first` and perhaps others.
fn variants(ignore_case: bool, first: u32) -> &'static [Decomposable] {
    let all = VARIANTS[usize::from(ignore_case)].get_or_init(|| all_variants(ignore_case));
    let start = all.partition_point(|variant| variant.first < first);
    let length = all[start..].partition_point(|variant| variant.first == first);
    &all[start..start + length]
}

#[cold]
fn all_variants(ignore_case: bool) -> Vec<Decomposable> {
    let mut variants = vec![];
    let mut parts = Expansions::new(Form::Nfd);
    for character in NFD.code_points().chain(FOLDING.code_points().filter(|_| ignore_case)) {
        if decomposed_hangul(character).is_some() || char::from_u32(character).is_none() {
            continue;
        }
        let mut symbols = [0; 2];
        let mut count = 0;
        for &part in parts.decomposition(&[character]) {
            let mut add = |symbol| {
                if let Some(slot) = symbols.get_mut(count) {
                    *slot = symbol;
                }
                count += 1;
            };
            if ignore_case { fold(part, add) } else { add(part) }
        }
        let [first, second] = symbols;
        if symbols != [character, 0] {
            variants.push(Decomposable { first, second, character, count });
        }
    }
    variants.sort_unstable();
    variants.dedup();
    variants
}

/// Calls `add` with the characters that an occurrence may have where the rest of a needle starts, each with the number
/// of the needle's symbols that it is compared as, or more.
fn candidates(rest: &[u32], ignore: Ignore, mut add: impl FnMut(u32, usize)) {
    let [symbol, ref after @ ..] = *rest else { return };
    let next = after.first().copied();
    let any = ignore.marks || next.is_some_and(|next| !is_start(next));
    add(symbol, 1);
    for variant in variants(ignore.case, symbol) {
        if variant.second == 0 || any || next == Some(variant.second) {
            add(variant.character, variant.count);
        }
    }
    for (count, syllable) in (2..).zip(syllables(rest)) {
        add(syllable, count);
    }
}

impl Prefilter {
    /// Returns the filter for units of a type.
    pub(super) fn of_units<U: Source>(needle: &[u32], ignore: Ignore) -> Self {
        Self::of(needle, ignore, |character| {
            let fits = character <= U::Lane::MAX.value();
            ([character, 0, 0, 0], usize::from(fits))
        })
    }

    /// Returns the filter for UTF-8, unless it would find too many places.
    pub(super) fn of_utf8(needle: &[u32], ignore: Ignore) -> Option<Self> {
        let filter = Self::of(needle, ignore, |character| {
            let mut bytes = [0; MAX_UNITS];
            let length =
                char::from_u32(character).map_or(0, |character| character.encode_utf8(&mut bytes).len());
            (bytes.map(u32::from), length)
        });
        (filter.count > 1).then_some(filter)
    }

    /// Returns the filter for an encoding: `encode` returns the units of a character, and their number, which is 0 if
    /// there is no such character in the text.
    fn of(needle: &[u32], ignore: Ignore, encode: impl Fn(u32) -> ([u32; MAX_UNITS], usize)) -> Self {
        let (mut best, mut window) = (NeedleWindow::default(), NeedleWindow::default());
        let mut before = (0, 0);
        // The symbols so far that a character before may be compared as, too.
        let mut joined = 0;
        for at in 0..needle.len().min(MAX_WINDOW_UNITS) {
            let mut values = [Values::default(); MAX_UNITS];
            let (mut fewest, mut most, mut symbols) = (MAX_UNITS, 0, 1);
            // U+0345 folds to a letter, but among marks of the text its place is another.
            let mut in_place = true;
            candidates(&needle[at..], ignore, |character, count| {
                let (units, length) = encode(character);
                if length > 0 {
                    (fewest, most) = (fewest.min(length), most.max(length));
                    symbols = symbols.max(count);
                    in_place &= window.length > 0 || is_start(character);
                    for (values, &unit) in values.iter_mut().zip(&units[..length]) {
                        values.add((unit, unit));
                    }
                }
            });
            if most == 0 {
                (fewest, most) = (1, 1); // in no text
            }
            let starts = at == 0 || (at >= joined && in_place);
            joined = joined.max(at + symbols);
            if starts {
                if window.length + fewest > MAX_WINDOW_UNITS {
                    break;
                }
                if window.length == 0 {
                    window.before = before;
                }
                window.add(&values[..fewest], fewest == most);
                before.0 += fewest;
            }
            before.1 += most;
            if ignore.marks || before.1 - before.0 > MAX_DISTANCES {
                break;
            }
            let next_starts = needle.get(at + 1).is_some_and(|&next| is_start(next));
            if !(starts && symbols == 1 && fewest == most && next_starts) {
                best = best.or_better(mem::take(&mut window));
            }
        }
        best.or_better(window).into_filter()
    }

    /// Returns the index of the next unit that an occurrence may start with, as far as `may_start` knows.
    pub(super) fn next<U: Source>(
        &self,
        by: Implementation,
        units: &[U],
        mut may_start: impl FnMut(usize) -> bool,
        progress: Progress<'_>,
    ) -> Result<Option<usize>, Stopped> {
        let sets = &self.sets[..self.count];
        let (fewest, most) = self.before;
        let mut at = 0;
        while at < units.len() {
            let end = units.len().min(at + CHUNK_BYTES);
            // A window may continue in the next chunk.
            let chunk = &units[at..units.len().min(end + MAX_WINDOW_UNITS)];
            let (found, mut bits) = by.run(FindWindow { units: chunk, sets });
            while bits != 0 {
                let place = at + found + bits.trailing_zeros() as usize;
                let mut starts = place.saturating_sub(most)..=place.saturating_sub(fewest);
                if let Some(start) = starts.find(|&start| may_start(start)) {
                    return Ok(Some(start));
                }
                bits &= bits - 1;
            }
            let passed = (found + BLOCK_UNITS).min(end - at);
            progress(passed * size_of::<U>())?;
            at += passed;
        }
        // The window may be in what follows.
        Ok((units.len().saturating_sub(most)..units.len()).find(|&start| may_start(start)))
    }
}

/// Units in a row that each occurrence has.
#[derive(Default)]
struct NeedleWindow {
    /// The fewest and the most units of an occurrence before them.
    before: (usize, usize),
    length: usize,
    /// The larger, the fewer places they are found at: 2 for each whole character, 1 for the start of one.
    score: usize,
    /// The sets for the last units of characters, in which the characters of a script differ most.
    last_units: Vec<UnitSet>,
    /// The sets for the others.
    other_units: Vec<UnitSet>,
}

impl NeedleWindow {
    /// Adds the first units of a character, or all of them.
    fn add(&mut self, units: &[Values], whole: bool) {
        self.score += 1 + usize::from(whole);
        for (at, values) in units.iter().enumerate() {
            let set = UnitSet { offset: self.length, ..values.into_set() };
            if at + 1 == units.len() {
                self.last_units.push(set)
            } else {
                self.other_units.push(set)
            }
            self.length += 1;
        }
    }

    /// Returns the better of this window and a later one. That must be better by more than a whole character, as
    /// several starts are tried for each place where it is found.
    fn or_better(self, later: Self) -> Self {
        if self.length == 0 || later.score > self.score + 2 { later } else { self }
    }

    /// Returns the filter by some of these units.
    fn into_filter(self) -> Prefilter {
        let mut sets = self.last_units;
        if sets.len() < MAX_SETS {
            sets.extend(self.other_units);
            sets.truncate(MAX_SETS);
        }
        // Neighbouring letters depend on each other more than distant ones do.
        let count = sets.len().min(MAX_SETS);
        let spread = |number: usize| sets[number * (sets.len() - 1) / (count - 1).max(1)];
        Prefilter {
            sets: std::array::from_fn(|number| spread(number.min(count - 1))),
            count,
            before: self.before,
        }
    }
}

/// Values to be put into a set.
#[derive(Clone, Copy, Default)]
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
