//! Finding the units outside a few ranges, which may need a slower path.
//!
//! The characters of a text mostly are in a few ranges: its script's letters, ASCII, a block of punctuation. If these
//! are known to need nothing, one or two comparisons a range, lane by lane, test many units at once on any instruction
//! set; compilers vectorise them. A larger set than some ranges would take lookups, and only the newest instruction
//! sets have tables that are wide enough.

use super::encode::Source;
use super::encode::unit::Lane;
use super::kernel::{Backend, Kernel, Task};

/// Units that share a word of the result.
pub(crate) const WORD_UNITS: usize = 64;

/// The number of ranges.
pub(crate) const MAX_RANGES: usize = 6;

/// The first and the last number of a range.
pub(crate) type CodePointRange = (u32, u32);

/// Sets a bit for every unit that is in none of the ranges, the lowest of the first word for the first unit. There is
/// a word for every 64 units; bits beyond the last unit are 0.
pub(crate) struct Outside<'a, U> {
    pub units: &'a [U],
    pub ranges: &'a [CodePointRange; MAX_RANGES],
    pub words: &'a mut [u64],
}

impl<U: Source> Kernel for Outside<'_, U> {
    type Output = ();

    const TASK: Task = Task::Further;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) {
        let ranges = spans::<U::Lane>(self.ranges);
        let (blocks, rest) = self.units.as_chunks::<WORD_UNITS>();
        let mut words = self.words.iter_mut();
        for (block, word) in blocks.iter().zip(&mut words) {
            *word = isa.nonzero_bits(&outside(&ranges, &block.map(U::lane)));
        }
        if let (Some(last), Some(word)) = (WORD_UNITS.checked_sub(1 + rest.len()), words.next()) {
            let mut lanes = [U::Lane::default(); WORD_UNITS];
            for (lane, unit) in lanes.iter_mut().zip(rest) {
                *lane = unit.lane();
            }
            *word = isa.nonzero_bits(&outside(&ranges, &lanes)) & (u64::MAX >> 1 >> last);
        }
    }
}

/// Returns the first value of each range and the distance to its last. A range beyond the largest value of a lane is
/// replaced by the first range.
#[inline(always)]
fn spans<L: Lane>(ranges: &[CodePointRange; MAX_RANGES]) -> [(L, L); MAX_RANGES] {
    let most = L::MAX.value();
    ranges.map(|range| {
        let (first, last) = if range.0 <= most { range } else { ranges[0] };
        (L::of(first), L::of(last.min(most) - first))
    })
}

/// Returns 1 for each lane that is in none of the ranges, 0 for the others.
#[inline(always)]
fn outside<L: Lane>(ranges: &[(L, L); MAX_RANGES], lanes: &[L; WORD_UNITS]) -> [u8; WORD_UNITS] {
    let mut outside = [0; WORD_UNITS];
    for (flag, &lane) in outside.iter_mut().zip(lanes) {
        let mut within = L::default();
        for &(first, span) in ranges {
            within = within.max(lane.within(first, span));
        }
        *flag = 1 - within.value() as u8;
    }
    outside
}
