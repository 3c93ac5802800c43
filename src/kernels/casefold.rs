//! Case folding of common scripts.
//!
//! In these scripts a letter and its folding are mostly a fixed distance apart: 32 in ASCII, Latin-1, Greek and
//! Cyrillic, 1 where capital and small letters alternate. Comparisons with ranges and additions, lane by lane, fold
//! many units at once on any instruction set; compilers vectorise them. Other characters are left to the caller.
//!
//! Tried and lost: one list of ranges for all scripts, at a third of the speed. Bytes are processed range by range, as
//! compilers do not vectorise all ranges of a byte at once; wider units unit by unit, which is 2.5 times as fast. AVX2
//! on a CPU with AVX-512: 0.35 to 0.7 of its speed on Russian and English text, before AVX2 folded parts of a block.

use super::decode::CodeUnit;
use super::encode::Source;
use super::encode::unit::Lane;
use super::kernel::{Backend, Kernel, Task};
use crate::simd::uninit::MaybeUninit;

/// The number of units in a block.
const BLOCK_UNITS: usize = 64;

/// What the kernel knows of a script, and of the characters that texts in it have besides.
struct ScriptFoldings {
    /// The first and the last code point of ranges whose foldings it knows.
    covered: &'static [(u32, u32)],
    /// Ranges of capital letters among these, and the distance to their foldings.
    capitals: &'static [(u32, u32, u32)],
    /// Ranges among the covered where each even code point is a capital letter and the next its folding.
    even_capitals: &'static [(u32, u32)],
    /// Ranges among the covered where each odd code point is a capital letter and the next its folding.
    odd_capitals: &'static [(u32, u32)],
}

const ASCII_CAPITALS: (u32, u32, u32) = (0x41, 0x5A, 32);
const PUNCTUATION: (u32, u32) = (0x2000, 0x20FF);

/// The first serves units of eight bits.
const SCRIPTS: [ScriptFoldings; 4] = [LATIN, CYRILLIC, GREEK, OTHERS];

const LATIN: ScriptFoldings = ScriptFoldings {
    covered: &[
        (0x00, 0xB4),
        (0xB6, 0xDE),
        (0xE0, 0x12F), // U+0130 folds to two
        (0x139, 0x148),
        (0x14A, 0x177),
        (0x179, 0x17E),
        (0x1EA0, 0x1EFF),
        PUNCTUATION,
    ],
    capitals: &[ASCII_CAPITALS, (0xC0, 0xD6, 32), (0xD8, 0xDE, 32)],
    even_capitals: &[(0x100, 0x12F), (0x14A, 0x177), (0x1EA0, 0x1EFF)],
    odd_capitals: &[(0x139, 0x148), (0x179, 0x17E)],
};

const CYRILLIC: ScriptFoldings = ScriptFoldings {
    covered: &[(0x00, 0xB4), (0xB6, 0xBF), (0x400, 0x45F), PUNCTUATION],
    capitals: &[ASCII_CAPITALS, (0x400, 0x40F, 80), (0x410, 0x42F, 32)],
    even_capitals: &[],
    odd_capitals: &[],
};

const GREEK: ScriptFoldings = ScriptFoldings {
    covered: &[(0x00, 0xB4), (0xB6, 0xBF), (0x391, 0x3AF), (0x3B1, 0x3CE), PUNCTUATION],
    capitals: &[ASCII_CAPITALS, (0x391, 0x3A1, 32), (0x3A3, 0x3AB, 32), (0x3C2, 0x3C2, 1)],
    even_capitals: &[],
    odd_capitals: &[],
};

/// Scripts without case, and Armenian.
const OTHERS: ScriptFoldings = ScriptFoldings {
    covered: &[
        (0x00, 0xB4),
        (0x530, 0x586), // U+0587 folds to two
        (0x588, 0x109F),
        (0x10CE, 0x13F7),
        (0x1400, 0x1C7F),
        PUNCTUATION,
        (0x2E00, 0xA63F),
        (0xAC00, 0xFAFF),
        (0xFB18, 0xFF20),
        (0xFF3B, 0xFFFF),
        (0x1F000, u32::MAX),
    ],
    capitals: &[ASCII_CAPITALS, (0x531, 0x556, 48)],
    even_capitals: &[],
    odd_capitals: &[],
};

/// The maximum number of units of a block that may be left to the caller before another script is tried.
const MAX_UNCOVERED: u32 = 8;

/// Folds units, up to the end of the first block of which some are left to the caller.
pub(crate) struct FoldCommon<'a, U, O> {
    pub units: &'a [U],
    /// At least as many places as units.
    pub out: &'a mut [MaybeUninit<O>],
    /// The script of the units before, 0 at first.
    pub script: &'a mut usize,
}

/// The number of units processed, and a bit for each unit of the last 64 or fewer of them that is left to the caller.
pub(crate) struct Processed {
    /// The number of units processed.
    pub units: usize,
    /// The index of the first unit that a bit is for.
    pub start: usize,
    /// The lowest bit is for the first unit.
    pub uncovered: u64,
}

impl Processed {
    /// Leaves the first block of `length` units, of which there are some, to the caller.
    pub fn none(length: usize) -> Self {
        let units = length.min(BLOCK_UNITS);
        Self { units, start: 0, uncovered: u64::MAX >> (BLOCK_UNITS - units) }
    }
}

impl<U: Source, O: CodeUnit> Kernel for FoldCommon<'_, U, O> {
    /// Something is written for the units that are left to the caller, too.
    type Output = Processed;

    const TASK: Task = Task::Further;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> Processed {
        each_block(isa, self.units, self.script, &mut FoldingWriter(self.out))
    }
}

/// The places for the foldings of all units.
struct FoldingWriter<'a, O>(&'a mut [MaybeUninit<O>]);

impl<L: Lane, O: CodeUnit> BlockVisitor<L> for FoldingWriter<'_, O> {
    #[inline(always)]
    fn visit(&mut self, at: usize, block: &Block<L>) {
        let places = self.0.get_mut(at..).unwrap_or_default();
        if let Some(places) = places.first_chunk_mut::<BLOCK_UNITS>()
            && block.length == BLOCK_UNITS
        {
            for (place, lane) in places.iter_mut().zip(&block.folded) {
                place.write(O::of(lane.value()).0);
            }
        } else {
            for (place, lane) in places.iter_mut().zip(&block.folded).take(block.length) {
                place.write(O::of(lane.value()).0);
            }
        }
    }
}

/// Measures the folding of units, up to the end of the first block of which some are left to the caller.
pub(crate) struct CommonFoldings<'a, U> {
    pub units: &'a [U],
    /// The script of the units before, 0 at first.
    pub script: &'a mut usize,
    /// Becomes the bitwise or of itself and of the foldings of the units that are not left to the caller.
    pub bits: &'a mut u32,
    /// Is set if one of these is not its own folding.
    pub changed: &'a mut bool,
}

impl<U: Source> Kernel for CommonFoldings<'_, U> {
    type Output = Processed;

    const TASK: Task = Task::Further;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> Processed {
        let mut measured =
            FoldingBits { bits: [U::Lane::default(); _], differences: [U::Lane::default(); _] };
        let processed = each_block(isa, self.units, self.script, &mut measured);
        *self.bits |= measured.bits.iter().fold(0, |bits, lane| bits | lane.value());
        *self.changed |= measured.differences.iter().any(|lane| lane.value() != 0);
        processed
    }
}

/// The bitwise or of the foldings of units, and of their differences from the units, lane by lane.
struct FoldingBits<L> {
    bits: [L; BLOCK_UNITS],
    differences: [L; BLOCK_UNITS],
}

impl<L: Lane> FoldingBits<L> {
    #[inline(always)]
    fn add(&mut self, block: &Block<L>, at: usize) {
        self.bits[at] = self.bits[at].or(block.folded[at]);
        self.differences[at] = self.differences[at].or(block.folded[at].xor(block.lanes[at]));
    }
}

impl<L: Lane> BlockVisitor<L> for FoldingBits<L> {
    #[inline(always)]
    fn visit(&mut self, _: usize, block: &Block<L>) {
        if block.uncovered == 0 {
            for at in 0..BLOCK_UNITS {
                self.add(block, at);
            }
        } else {
            for at in (0..BLOCK_UNITS).filter(|at| block.uncovered >> at & 1 == 0) {
                self.add(block, at);
            }
        }
    }
}

/// Units with their foldings.
struct Block<L> {
    lanes: [L; BLOCK_UNITS],
    folded: [L; BLOCK_UNITS],
    /// The number of units.
    length: usize,
    /// A bit for each unit that is left to the caller.
    uncovered: u64,
}

/// The operation on each block. (No closure, since it would not be compiled for the instruction set.)
trait BlockVisitor<L> {
    /// Visits the block whose first unit has the index `at`. Must be `#[inline(always)]`.
    fn visit(&mut self, at: usize, block: &Block<L>);
}

/// Visits each block; up to the first one with units that are left to the caller.
#[inline(always)]
fn each_block<I: Backend, U: Source>(
    isa: I,
    units: &[U],
    script: &mut usize,
    visitor: &mut impl BlockVisitor<U::Lane>,
) -> Processed {
    let mut at = 0;
    while at < units.len() {
        let rest = &units[at..];
        let (lanes, length) = match rest.first_chunk::<BLOCK_UNITS>() {
            Some(block) => (block.map(U::lane), BLOCK_UNITS),
            None => {
                let mut lanes = [U::Lane::default(); BLOCK_UNITS];
                for (lane, unit) in lanes.iter_mut().zip(rest) {
                    *lane = unit.lane();
                }
                (lanes, rest.len())
            }
        };
        let (mut tried, mut best) = (*script, *script);
        let mut fewest = u32::MAX;
        let mut is_last = U::Lane::MAX.value() <= 0xFF;
        // All scripts after the last one, until one serves; the best one again if none does.
        let (folded, uncovered) = loop {
            let (folded, uncovered) = fold_block::<I, U::Lane>(isa, &lanes, tried);
            let left = uncovered.count_ones();
            if is_last || left <= MAX_UNCOVERED {
                *script = tried;
                break (folded, uncovered);
            }
            if left < fewest {
                (fewest, best) = (left, tried);
            }
            tried = (tried + 1) % SCRIPTS.len();
            if tried == *script {
                (tried, is_last) = (best, true);
            }
        };
        visitor.visit(at, &Block { lanes, folded, length, uncovered });
        let start = at;
        at += length;
        if uncovered != 0 {
            return Processed { units: at, start, uncovered };
        }
    }
    Processed { units: at, start: at, uncovered: 0 }
}

/// Returns the foldings of lanes by a script, and a bit for each lane that it does not cover.
#[inline(always)]
fn fold_block<I: Backend, L: Lane>(
    isa: I,
    lanes: &[L; BLOCK_UNITS],
    script: usize,
) -> ([L; BLOCK_UNITS], u64) {
    if L::MAX.value() <= 0xFF {
        return fold_by::<I, L, 0>(isa, lanes);
    }
    match script {
        0 => fold_by::<I, L, 0>(isa, lanes),
        1 => fold_by::<I, L, 1>(isa, lanes),
        2 => fold_by::<I, L, 2>(isa, lanes),
        _ => fold_by::<I, L, 3>(isa, lanes),
    }
}

/// Returns what [`fold_block`] does for the script of this number.
#[inline(always)]
fn fold_by<I: Backend, L: Lane, const SCRIPT: usize>(
    isa: I,
    lanes: &[L; BLOCK_UNITS],
) -> ([L; BLOCK_UNITS], u64) {
    let script = const { &SCRIPTS[SCRIPT] };
    let most = L::MAX.value();
    let mut folded = *lanes;
    let mut covered = [0; BLOCK_UNITS];
    if most <= 0xFF {
        if isa.is_ascii(&lanes.map(|lane| lane.value() as u8)) {
            let (first, last, distance) = ASCII_CAPITALS;
            for folded in &mut folded {
                *folded = folded.plus_if(within(*folded, first, last), L::of(distance));
            }
            return (folded, 0);
        }
        for &(first, last) in script.covered {
            if first <= most {
                for (covered, lane) in covered.iter_mut().zip(lanes) {
                    *covered |= within(*lane, first, last).value() as u8;
                }
            }
        }
        for &(first, last, distance) in script.capitals {
            if first <= most {
                for (folded, lane) in folded.iter_mut().zip(lanes) {
                    *folded = folded.plus_if(within(*lane, first, last), L::of(distance));
                }
            }
        }
    } else {
        // A vector of AVX2 at a time: of a whole block, LLVM makes scalar code if it optimises the kernel twice.
        if size_of::<L>() == 2 && I::WIDTH < BLOCK_UNITS {
            fold_parts::<L, SCRIPT, 16>(lanes, &mut folded, &mut covered);
        } else {
            fold_parts::<L, SCRIPT, BLOCK_UNITS>(lanes, &mut folded, &mut covered);
        }
    }
    let uncovered = !isa.nonzero_bits(&covered);
    (folded, uncovered)
}

/// Folds lanes by the script of a number, `UNITS` at a time. `covered` becomes 1 for each lane that the script covers.
#[inline(always)]
fn fold_parts<L: Lane, const SCRIPT: usize, const UNITS: usize>(
    lanes: &[L; BLOCK_UNITS],
    folded: &mut [L; BLOCK_UNITS],
    covered: &mut [u8; BLOCK_UNITS],
) {
    let script = const { &SCRIPTS[SCRIPT] };
    let (lanes, _) = lanes.as_chunks::<UNITS>();
    let (folded, _) = folded.as_chunks_mut::<UNITS>();
    let (covered, _) = covered.as_chunks_mut::<UNITS>();
    for ((lanes, folded), bytes) in lanes.iter().zip(folded).zip(covered) {
        let mut covered = [L::default(); UNITS];
        for ((lane, folded), covered) in lanes.iter().zip(folded).zip(&mut covered) {
            for &(first, last) in script.covered {
                *covered = covered.or(within(*lane, first, last));
            }
            for &(first, last, distance) in script.capitals {
                *folded = folded.plus_if(within(*lane, first, last), L::of(distance));
            }
            for &(first, last) in script.even_capitals {
                *folded = folded.or(within(*lane, first, last));
            }
            for &(first, last) in script.odd_capitals {
                *folded = folded.plus(within(*lane, first, last).and(*lane));
            }
        }
        *bytes = covered.map(|covered| covered.value() as u8);
    }
}

/// Returns 1 if the lane is in a range, else 0.
#[inline(always)]
fn within<L: Lane>(lane: L, first: u32, last: u32) -> L {
    let most = L::MAX.value();
    if first > most {
        return L::default();
    }
    lane.within(L::of(first), L::of(last.min(most) - first))
}
