//! The search for units that are not plain among many that are.

use std::mem::take;

use super::classes::Classes;
use crate::kernels::encode::Source;
use crate::kernels::ranges::{CodePointRange, MAX_RANGES, Outside, WORD_UNITS};
use crate::simd::dispatch::Implementation;

/// Finds the units that are not plain, in order.
///
/// A [kernel](Outside) finds the units outside some ranges of plain characters, the windows, and each of these units is
/// looked up. If too many of them are plain after all, other windows are chosen, so that they follow the text.
pub struct Survey<'a, U> {
    by: Implementation,
    classes: &'static Classes,
    units: &'a [U],
    windows: [CodePointRange; MAX_RANGES],
    /// The number of plain units of a block that were outside the windows.
    missed: usize,
    /// A bit for each unit of a block: whether it is outside the windows.
    words: [u64; MAX_BLOCK_UNITS / WORD_UNITS],
    /// The index of the first unit of the block.
    start: usize,
    /// The index after the last unit of the block.
    end: usize,
}

/// The number of units in the first block.
const MIN_BLOCK_UNITS: usize = 256;
/// The maximum number of units in a block; each is at most twice as long as the one before.
const MAX_BLOCK_UNITS: usize = 4096;

/// The minimum number of units that the kernel runs on; fewer are looked up one by one.
const MIN_KERNEL_UNITS: usize = 96;

/// The windows are replaced if more than one unit in this many was plain and outside of them.
const MISS_RATIO: usize = 32;

/// The distance in units of the samples that windows are chosen by; more in blocks of more than [`SAMPLE_COUNT`] of
/// them.
const SAMPLE_STRIDE: usize = 8;
/// The approximate maximum number of samples.
const SAMPLE_COUNT: usize = 96;
/// The maximum number of ranges that the samples are counted in.
const MAX_SAMPLED_RANGES: usize = 16;

impl<'a, U: Source> Survey<'a, U> {
    pub(super) fn of(by: Implementation, classes: &'static Classes, units: &'a [U]) -> Self {
        // Nothing is known of the text yet, so the first windows are replaced.
        Self { by, classes, units, windows: [(0, 0); _], missed: MISS_RATIO, words: [0; _], start: 0, end: 0 }
    }

    /// Returns the index of the first unit from `at` on that is not plain, and its class. `at` must not decrease
    /// between calls.
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
            if rest.len() < MIN_KERNEL_UNITS {
                let mut classes = rest.iter().map(|unit| self.classes.class(unit.value())).zip(at..);
                return classes
                    .find(|&(class, _)| !self.classes.is_plain(class))
                    .map(|(class, at)| (at, class));
            }
            self.fill_block(at);
        }
    }

    /// Runs the kernel on the block from `at` on.
    #[inline(never)]
    fn fill_block(&mut self, at: usize) {
        let rest = &self.units[at..];
        let last = self.end - self.start;
        let block = &rest[..(2 * last).clamp(MIN_BLOCK_UNITS, MAX_BLOCK_UNITS).min(rest.len())];
        (self.start, self.end) = (at, at + block.len());
        if self.missed * MISS_RATIO > last {
            self.windows = self.windows_for(block);
        }
        let words = &mut self.words[..block.len().div_ceil(WORD_UNITS)];
        self.by.run(Outside { units: block, ranges: &self.windows, words });
        self.missed = 0;
    }

    /// Returns the ranges that hold most of the plain characters of a block.
    fn windows_for(&self, block: &[U]) -> [CodePointRange; MAX_RANGES] {
        let mut ranges = [((0, 0), 0); MAX_SAMPLED_RANGES];
        let mut known = 0;
        for unit in block.iter().step_by(SAMPLE_STRIDE.max(block.len() / SAMPLE_COUNT)) {
            let code_point = unit.value();
            let has = |&((first, last), _): &(CodePointRange, usize)| (first..=last).contains(&code_point);
            match ranges[..known].iter_mut().find(|range| has(range)) {
                Some((_, count)) => *count += 1,
                None if known < MAX_SAMPLED_RANGES
                    && self.classes.is_plain(self.classes.class(code_point)) =>
                {
                    ranges[known] = (self.classes.plain_around(code_point), 1);
                    known += 1;
                }
                None => {}
            }
        }
        std::array::from_fn(|_| {
            let most = ranges.iter_mut().rev().max_by_key(|&&mut (_, count)| count);
            most.map(take).unwrap_or_default().0
        })
    }
}
