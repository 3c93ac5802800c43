//! Finding where a text may match: units at some distances that are each in a small set.
//!
//! A set is a pair of values that differ in few bits, as a letter and its capital do, and some ranges. Testing all
//! units of a block for the first set, then for the second some units later, and so on, takes a few operations a set,
//! lane by lane, on any instruction set; compilers vectorise them.

use super::encode::Source;
use super::encode::unit::Lane;
use super::kernel::{Backend, Kernel, Task};
use super::ranges::CodePointRange;

/// The number of units in a block.
pub(crate) const BLOCK_UNITS: usize = 64;

/// The maximum number of sets.
pub(crate) const MAX_SETS: usize = 4;

/// The maximum number of units in a window.
pub(crate) const MAX_WINDOW_UNITS: usize = 16;

/// The maximum number of ranges of a set.
pub(crate) const MAX_SET_RANGES: usize = 4;

/// A set of values.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UnitSet {
    /// The distance from the start of the window to the unit, less than [`MAX_WINDOW_UNITS`].
    pub offset: usize,
    /// Bits that make no difference.
    pub ignored: u32,
    /// The value with these bits set; values that equal it once they are set are in the set.
    pub value: u32,
    /// Ranges of other values.
    pub ranges: [CodePointRange; MAX_SET_RANGES],
    /// The number of ranges.
    pub range_count: usize,
}

impl UnitSet {
    /// Returns whether a value is in the set.
    #[inline(always)]
    fn contains(&self, value: u32) -> bool {
        (value | self.ignored) == self.value
            || self.ranges[..self.range_count].iter().any(|&(first, last)| (first..=last).contains(&value))
    }
}

/// Finds the first block in which a window starts: its units are in the sets, each at its distance. Units after the
/// end are in any set. The values of the sets must fit in units.
pub(crate) struct FindWindow<'a, U> {
    pub units: &'a [U],
    pub sets: &'a [UnitSet],
}

impl<U: Source> Kernel for FindWindow<'_, U> {
    /// The index of the block, or the number of units, and a bit for each unit of the block at which a window starts.
    type Output = (usize, u64);

    const TASK: Task = Task::Further;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> Self::Output {
        let mut at = 0;
        while let Some(units) = self.units.get(at..at + BLOCK_UNITS + MAX_WINDOW_UNITS) {
            let mut bits = u64::MAX;
            for set in self.sets {
                let Some(window) = units[set.offset..].first_chunk::<BLOCK_UNITS>() else { break };
                let (ignored, value) = (U::Lane::of(set.ignored), U::Lane::of(set.value));
                let mut within = window.map(|unit| unit.lane().or(ignored).equals(value));
                for &(first, last) in &set.ranges[..set.range_count] {
                    let (first, span) = (U::Lane::of(first), U::Lane::of(last - first));
                    for (within, unit) in within.iter_mut().zip(window) {
                        *within = within.or(unit.lane().within(first, span));
                    }
                }
                bits &= isa.nonzero_bits(&within.map(|within| within.value() as u8));
                if bits == 0 {
                    break;
                }
            }
            if bits != 0 {
                return (at, bits);
            }
            at += BLOCK_UNITS;
        }
        while at < self.units.len() {
            let end = self.units.len().min(at + BLOCK_UNITS);
            let starts = |at: usize| {
                let unit = |set: &UnitSet| self.units.get(at + set.offset);
                self.sets.iter().all(|set| unit(set).is_none_or(|unit| set.contains(unit.value())))
            };
            let bits = (at..end).fold(0, |bits, start| bits | u64::from(starts(start)) << (start - at));
            if bits != 0 {
                return (at, bits);
            }
            at = end;
        }
        (at, 0)
    }
}
