//! Units that need a closer look, found among many that do not.

use std::cmp::Reverse;

use super::classes::Classes;
use crate::kernels::encode::Source;
use crate::kernels::ranges::{CodePointRange, MAX_RANGES, Outside, WORD_UNITS};
use crate::simd::dispatch::Implementation;

/// Goes through units from one that is not plain to the next.
///
/// A [kernel](Outside) leaves those over that lie outside some ranges of plain characters, the windows, and each of
/// these is looked up. If too many are plain after all, other windows are chosen, so that they follow the text.
pub(super) struct Survey<'a, U> {
    by: Implementation,
    classes: &'static Classes,
    units: &'a [U],
    windows: [CodePointRange; MAX_RANGES],
    /// How many of a block were plain that the windows did not have.
    missed: usize,
    /// Which units of a block may not be plain.
    words: [u64; LONGEST / WORD_UNITS],
    /// Where the block begins and ends.
    start: usize,
    end: usize,
}

/// The units in a block, at first and at most.
const SHORTEST: usize = 256;
const LONGEST: usize = 4096;

/// Fewer units are looked up each.
const FEW: usize = 96;

/// If more than one unit of so many is plain and not in the windows, these do not fit.
const RARELY: usize = 32;

/// Windows are chosen by looking at one unit of so many, or more in long blocks, and by counting how many of these are in each
/// of so many ranges.
const STRIDE: usize = 8;
const SAMPLES: usize = 96;
const RANGES: usize = 16;

impl<'a, U: Source> Survey<'a, U> {
    pub(super) fn of(by: Implementation, classes: &'static Classes, units: &'a [U]) -> Self {
        // Nothing was seen of the text yet, so no windows fit.
        Self { by, classes, units, windows: [(0, 0); _], missed: RARELY, words: [0; _], start: 0, end: 0 }
    }

    /// The first unit from `at` on that is not plain, and its class. `at` must not be less than in an earlier call.
    #[inline(always)] // a call costs as much as the rest
    pub(super) fn next_from(&mut self, at: usize) -> Option<(usize, u8)> {
        let mut at = at;
        loop {
            while at < self.end {
                let place = at - self.start;
                let word = self.words[place / WORD_UNITS] >> (place % WORD_UNITS);
                if word == 0 {
                    at = at - place % WORD_UNITS + WORD_UNITS;
                    continue;
                }
                at += word.trailing_zeros() as usize;
                let class = self.classes.class(self.units[at].value());
                if !self.classes.is_plain(class) {
                    return Some((at, class));
                }
                self.missed += 1;
                at += 1;
            }
            let rest = self.units.get(at..)?;
            if rest.len() < FEW {
                let mut classes = rest.iter().map(|unit| self.classes.class(unit.value())).zip(at..);
                return classes
                    .find(|&(class, _)| !self.classes.is_plain(class))
                    .map(|(class, at)| (at, class));
            }
            self.fill_block(at);
        }
    }

    /// Asks the kernel about the block from `at` on.
    #[inline(never)]
    fn fill_block(&mut self, at: usize) {
        let rest = &self.units[at..];
        let last = self.end - self.start;
        let block = &rest[..(2 * last).clamp(SHORTEST, LONGEST).min(rest.len())];
        (self.start, self.end) = (at, at + block.len());
        if self.missed * RARELY > last {
            self.windows = self.windows_for(block);
        }
        let words = &mut self.words[..block.len().div_ceil(WORD_UNITS)];
        self.by.run(Outside { units: block, ranges: &self.windows, words });
        self.missed = 0;
    }

    /// The ranges that most of the plain characters of a block are in.
    fn windows_for(&self, block: &[U]) -> [CodePointRange; MAX_RANGES] {
        let mut ranges = [((0, 0), 0); RANGES];
        let mut known = 0;
        for unit in block.iter().step_by(STRIDE.max(block.len() / SAMPLES)) {
            let code_point = unit.value();
            let has = |&((first, last), _): &(CodePointRange, usize)| (first..=last).contains(&code_point);
            match ranges[..known].iter_mut().find(|range| has(range)) {
                Some((_, count)) => *count += 1,
                None if known < RANGES && self.classes.is_plain(self.classes.class(code_point)) => {
                    ranges[known] = (self.classes.plain_around(code_point), 1);
                    known += 1;
                }
                None => {}
            }
        }
        ranges.sort_by_key(|&(_, count)| Reverse(count));
        std::array::from_fn(|number| ranges[number].0)
    }
}
