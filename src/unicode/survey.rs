//! Units that need a closer look, found among many that do not.

use super::classes::Classes;
use crate::kernels::encode::Source;
use crate::kernels::windows::{Outside, WINDOWS, WORD, Window};
use crate::simd::dispatch::Implementation;

/// Goes through units from one that is not plain to the next.
///
/// A [kernel](Outside) leaves those over that lie outside some ranges of plain characters, the windows, and each of
/// these is looked up. If it is plain after all, the windows change, so that they follow the text.
pub(super) struct Survey<'a, U> {
    by: Implementation,
    classes: &'static Classes,
    units: &'a [U],
    windows: [Window; WINDOWS],
    /// The window that changed last. The first stays.
    next: usize,
    /// How many may still change in this block.
    changes: usize,
    /// Which units of a block may not be plain, those not gone to yet.
    words: [u64; LONGEST / WORD],
    /// Where the block begins and ends.
    start: usize,
    end: usize,
}

/// The units in a block, at first and at most: at first the windows are not known to fit.
const SHORTEST: usize = 256;
const LONGEST: usize = 4096;

/// Fewer units are looked up each.
const FEW: usize = 24;

/// So many windows may change in a block.
const CHANGES: usize = WINDOWS - 1;

impl<'a, U: Source> Survey<'a, U> {
    pub(super) fn of(by: Implementation, classes: &'static Classes, units: &'a [U]) -> Self {
        let windows = match units.len() {
            ..FEW => [(0, 0); WINDOWS],
            _ => [classes.plain_around(u32::from('a')); WINDOWS],
        };
        Self { by, classes, units, windows, next: 0, changes: 0, words: [0; _], start: 0, end: 0 }
    }

    /// The first unit from `at` on that is not plain, and its class. `at` must not be less than in an earlier call.
    #[inline]
    pub(super) fn next_from(&mut self, at: usize) -> Option<(usize, u8)> {
        let mut at = at;
        loop {
            while at < self.end {
                let place = at - self.start;
                let word = self.words[place / WORD] >> (place % WORD);
                if word == 0 {
                    at = at - place % WORD + WORD;
                    continue;
                }
                at += word.trailing_zeros() as usize;
                let code_point = self.units[at].value();
                let class = self.classes.class(code_point);
                if !self.classes.is_plain(class) {
                    return Some((at, class));
                }
                self.follow(code_point);
                at += 1;
            }
            if at >= self.units.len() {
                return None;
            }
            self.fill_block(at);
        }
    }

    /// Asks the kernel about the block from `at` on.
    #[inline(never)]
    fn fill_block(&mut self, at: usize) {
        let rest = &self.units[at..];
        let length = (2 * (self.end - self.start)).clamp(SHORTEST, LONGEST).min(rest.len());
        (self.start, self.end) = (at, at + length);
        match length {
            ..FEW => self.words[0] = !(u64::MAX << length),
            _ => {
                let words = &mut self.words[..length.div_ceil(WORD)];
                self.by.run(Outside { units: &rest[..length], windows: &self.windows, words });
            }
        }
        // Nothing follows the last block.
        self.changes = if length < rest.len() { CHANGES } else { 0 };
    }

    /// Has the windows take in a plain character that none of them had.
    #[inline]
    fn follow(&mut self, code_point: u32) {
        let known = |window: &Window| (window.0..=window.1).contains(&code_point);
        if self.changes > 0 && !self.windows.iter().any(known) {
            self.changes -= 1;
            self.next = self.next % CHANGES + 1;
            self.windows[self.next] = self.classes.plain_around(code_point);
        }
    }
}
