//! Case folding of common scripts.
//!
//! In these scripts a letter and its folding are mostly a fixed distance apart: 32 in ASCII, Latin-1, Greek and
//! Cyrillic, 1 where capital and small letters alternate. Comparisons with ranges and additions, lane by lane, fold many
//! units at once on any instruction set; compilers vectorise them. Blocks with units that the ranges do not cover are
//! left to the caller.

use super::decode::Unit;
use super::encode::Source;
use super::encode::length::Lane;
use super::{Backend, Kernel, Task};
use crate::simd::uninit::MaybeUninit;

/// The number of units in a block.
pub(crate) const BLOCK_UNITS: usize = 64;

/// The first and the last code point of ranges whose foldings the kernel knows.
const COVERED: &[(u32, u32)] = &[
    (0x0000, 0x00B4),
    (0x00B6, 0x00DE),
    (0x00E0, 0x012F),
    (0x014A, 0x0177),
    (0x0391, 0x03AF),
    (0x03B1, 0x03CE),
    (0x0400, 0x045F),
    (0x0588, 0x109F),
    (0x1EA0, 0x1EFF),
    (0x2000, 0x20FF),
    (0x2E00, 0xA63F),
    (0xAC00, 0xFAFF),
    (0x1F000, u32::MAX),
];

/// Ranges of capital letters among these, and the distance to their foldings.
const CAPITALS: &[(u32, u32, u32)] = &[
    (0x0041, 0x005A, 32),
    (0x00C0, 0x00D6, 32),
    (0x00D8, 0x00DE, 32),
    (0x0391, 0x03A1, 32),
    (0x03A3, 0x03AB, 32),
    (0x03C2, 0x03C2, 1), // final sigma
    (0x0400, 0x040F, 80),
    (0x0410, 0x042F, 32),
];

/// Ranges among these where each even code point is a capital letter and the next its folding; U+0130 is not.
const ALTERNATING: &[(u32, u32)] = &[(0x0100, 0x012F), (0x014A, 0x0177), (0x1EA0, 0x1EFF)];

/// Folds blocks of units, up to the first that has units which are not covered. Returns the number of units written.
pub(crate) struct FoldCommon<'a, U, O> {
    pub units: &'a [U],
    pub out: &'a mut [MaybeUninit<O>],
}

impl<U: Source, O: Unit> Kernel for FoldCommon<'_, U, O> {
    type Output = usize;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, _: I) -> usize {
        let (blocks, _) = self.units.as_chunks::<BLOCK_UNITS>();
        let (places, _) = self.out.as_chunks_mut::<BLOCK_UNITS>();
        let mut written = 0;
        for (block, places) in blocks.iter().zip(places) {
            let lanes = block.map(U::lane);
            if !are_covered(&lanes) {
                break;
            }
            for (place, lane) in places.iter_mut().zip(folded(&lanes)) {
                place.write(O::of(lane.value()).0);
            }
            written += BLOCK_UNITS;
        }
        written
    }
}

/// Measures the folding of blocks of units, up to the first that has units which are not covered.
pub(crate) struct CommonFoldings<'a, U>(pub &'a [U]);

/// What [`CommonFoldings`] measures.
pub(crate) struct Survey {
    /// The number of units processed.
    pub units: usize,
    /// The bitwise or of their foldings.
    pub bits: u32,
    /// Whether one of them is not its own folding.
    pub changed: bool,
}

impl<U: Source> Kernel for CommonFoldings<'_, U> {
    type Output = Survey;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, _: I) -> Survey {
        let (blocks, _) = self.0.as_chunks::<BLOCK_UNITS>();
        let mut survey = Survey { units: 0, bits: 0, changed: false };
        for block in blocks {
            let lanes = block.map(U::lane);
            if !are_covered(&lanes) {
                break;
            }
            let (mut bits, mut difference) = (U::Lane::default(), U::Lane::default());
            for (lane, folded) in lanes.iter().zip(folded(&lanes)) {
                bits = bits.or(folded);
                difference = difference.or(folded.xor(*lane));
            }
            survey.units += BLOCK_UNITS;
            survey.bits |= bits.value();
            survey.changed |= difference.value() != 0;
        }
        survey
    }
}

/// Returns the first value of a range and the distance to its last, if lanes can have that value.
#[inline(always)]
fn span<L: Lane>(first: u32, last: u32) -> Option<(L, L)> {
    let most = L::MAX.value();
    (first <= most).then(|| (L::of(first), L::of(last.min(most) - first)))
}

/// Returns whether all lanes are in the ranges that are covered.
#[inline(always)]
fn are_covered<L: Lane>(lanes: &[L; BLOCK_UNITS]) -> bool {
    let mut covered = [L::default(); BLOCK_UNITS];
    for &(first, last) in COVERED {
        let Some((first, span)) = span(first, last) else { continue };
        for (covered, lane) in covered.iter_mut().zip(lanes) {
            *covered = covered.or(lane.within(first, span));
        }
    }
    covered.iter().fold(L::of(1), |all, covered| all.and(*covered)) != L::default()
}

/// Returns the foldings of lanes that are covered.
#[inline(always)]
fn folded<L: Lane>(lanes: &[L; BLOCK_UNITS]) -> [L; BLOCK_UNITS] {
    let mut folded = *lanes;
    for &(first, last, distance) in CAPITALS {
        let Some((first, span)) = span(first, last) else { continue };
        for (folded, lane) in folded.iter_mut().zip(lanes) {
            *folded = folded.plus_if(lane.within(first, span), L::of(distance));
        }
    }
    for &(first, last) in ALTERNATING {
        let Some((first, span)) = span(first, last) else { continue };
        for (folded, lane) in folded.iter_mut().zip(lanes) {
            *folded = folded.or(lane.within(first, span));
        }
    }
    folded
}
