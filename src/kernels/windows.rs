//! Finding the units outside a few ranges, which may need a slower path.
//!
//! The characters of a text mostly are in a few ranges: its script's letters, ASCII, a block of punctuation. If these
//! are known to need nothing, one or two comparisons a range, lane by lane, test many units at once on any instruction
//! set; compilers vectorise them. A larger set than some ranges would take lookups, and only the newest instruction
//! sets have tables that are wide enough.

use super::encode::Source;
use super::encode::length::Lane;
use super::{Backend, Kernel, Task};

/// Units that share a word of the result.
pub(crate) const WORD: usize = 64;

/// The number of ranges.
pub(crate) const WINDOWS: usize = 6;

/// The first and the last number of a range.
pub(crate) type Window = (u32, u32);

/// Sets a bit for every unit that is in none of the windows, the lowest of the first word for the first unit. There is
/// a word for every 64 units; bits beyond the last unit are 0.
pub(crate) struct Outside<'a, U> {
    pub units: &'a [U],
    pub windows: &'a [Window; WINDOWS],
    pub words: &'a mut [u64],
}

impl<U: Source> Kernel for Outside<'_, U> {
    type Output = ();

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) {
        let windows = spans::<U::Lane>(self.windows);
        let (blocks, rest) = self.units.as_chunks::<WORD>();
        let mut words = self.words.iter_mut();
        for (block, word) in blocks.iter().zip(&mut words) {
            *word = isa.nonzero_bits(&outside(&windows, &block.map(U::lane)));
        }
        if let (Some(last), Some(word)) = (WORD.checked_sub(1 + rest.len()), words.next()) {
            let mut lanes = [U::Lane::default(); WORD];
            for (lane, unit) in lanes.iter_mut().zip(rest) {
                *lane = unit.lane();
            }
            *word = isa.nonzero_bits(&outside(&windows, &lanes)) & (u64::MAX >> 1 >> last);
        }
    }
}

/// Returns the first value of each window and the distance to its last. A window beyond the largest value of a lane is
/// replaced by the first window.
#[inline(always)]
fn spans<L: Lane>(windows: &[Window; WINDOWS]) -> [(L, L); WINDOWS] {
    let most = L::MAX.value();
    windows.map(|window| {
        let (first, last) = if window.0 <= most { window } else { windows[0] };
        (L::of(first), L::of(last.min(most) - first))
    })
}

/// Returns 1 for each lane that is in none of the windows, 0 for the others.
#[inline(always)]
fn outside<L: Lane>(windows: &[(L, L); WINDOWS], lanes: &[L; WORD]) -> [u8; WORD] {
    let mut outside = [0; WORD];
    for (flag, &lane) in outside.iter_mut().zip(lanes) {
        let mut within = L::default();
        for &(first, span) in windows {
            within = within.max(lane.within(first, span));
        }
        *flag = 1 - within.value() as u8;
    }
    outside
}
