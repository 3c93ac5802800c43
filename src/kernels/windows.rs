//! Which units lie outside a few ranges: those that may need a closer look.
//!
//! A text mostly keeps to a few stretches of Unicode: its script's letters, ASCII, a row of punctuation. If these are
//! known to need nothing, a comparison or two a range, lane by lane, tells it of many units at once, whatever the
//! instruction set; compilers make vectors of it. A larger set than some ranges would take lookups, of which only the
//! newest instruction sets have those that are wide enough.

use super::encode::Source;
use super::encode::length::Lane;
use super::{Backend, Kernel, Task};

/// So many units share a word of the result.
pub(crate) const WORD: usize = 64;

/// So many ranges are compared to.
pub(crate) const WINDOWS: usize = 6;

/// The first and the last number of a range.
pub(crate) type Window = (u32, u32);

/// A bit for every unit that lies in none of the windows, the first unit's the lowest of the first word. There is a word for
/// every 64 units; bits beyond the last unit are 0.
pub(crate) struct Outside<'a, U> {
    pub units: &'a [U],
    pub windows: &'a [Window; WINDOWS],
    pub words: &'a mut [u64],
}

impl<U: Source> Kernel for Outside<'_, U> {
    type Output = ();

    const TASK: Task = Task::Transform;

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

/// Of each window the first lane, and how far the last is above it. Of one that such lanes cannot be in, nothing is left but
/// what the first window has, too.
#[inline(always)]
fn spans<L: Lane>(windows: &[Window; WINDOWS]) -> [(L, L); WINDOWS] {
    let most = L::MAX.value();
    windows.map(|window| {
        let (first, last) = if window.0 <= most { window } else { windows[0] };
        (L::of(first), L::of(last.min(most) - first))
    })
}

/// 1 for each lane that lies in none of the windows, 0 for the others.
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
