//! The length of UTF-8, and the first unit that cannot be encoded.
//!
//! This takes comparisons and additions, lane by lane, which compilers vectorise for any instruction set.

use super::kernels::Source;
use super::unit::{Lane, SourceUnit, is_pair};
use crate::kernels::kernel::{Backend, Kernel, Task};
use crate::simd::{Lanes16, bytes_of};

/// The largest number of units that are measured by a kernel of their own.
pub(crate) const MAX_FEW_UNITS: usize = 256;

/// Units in a block, and in a block of the rest.
const BLOCK_UNITS: usize = 32;
const SHORT_BLOCK_UNITS: usize = 8;

/// Blocks over which no lane overflows.
const GROUP_BLOCKS: usize = 127;

/// Computes the number of bytes that [`Encode`](super::Encode) writes; lone surrogates take three. There are at most
/// [`MAX_FEW_UNITS`] units, or any number.
pub(crate) struct Length<'a, U, const ANY: bool>(pub &'a [U]);

impl<U: Source, const ANY: bool> Kernel for Length<'_, U, ANY> {
    type Output = usize;

    const TASK: Task = if ANY { Task::Count } else { Task::General };

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> usize {
        if ANY { U::length(isa, self.0) } else { U::length_of_few(isa, self.0) }
    }
}

/// Computes the length of UTF-8 with two bytes for U+0000; lone surrogates take three.
pub(crate) struct LengthWithLongNulls<'a, U>(pub &'a [U]);

impl<U: Source> Kernel for LengthWithLongNulls<'_, U> {
    type Output = usize;

    const TASK: Task = Task::Count;

    #[inline(always)]
    fn run<I: Backend>(self, _: I) -> usize {
        length::<U, true>(self.0)
    }
}

/// Returns the length of any number of units; with `NULLS` 0 takes two bytes.
#[inline(always)]
pub(super) fn length<U: SourceUnit, const NULLS: bool>(units: &[U]) -> usize {
    let mut bytes = units.len();
    let (blocks, rest) = units.as_chunks::<BLOCK_UNITS>();
    let mut at = 0;
    for group in blocks.chunks(GROUP_BLOCKS) {
        let sum = Sum::of::<U, NULLS, _>(group.iter());
        bytes += sum.bytes;
        let end = at + BLOCK_UNITS * group.len();
        if U::PAIRS && sum.surrogates {
            // A pair may begin with the last unit.
            bytes -= 2 * pairs(units.get(at..end + 1).unwrap_or(&units[at..]));
        }
        at = end;
    }
    let (blocks, last) = rest.as_chunks::<SHORT_BLOCK_UNITS>();
    // A loop over any number of blocks would have code for many at once, two to five times as long, which never runs.
    let mut sum =
        Sum::of::<U, NULLS, _>((0..BLOCK_UNITS / SHORT_BLOCK_UNITS - 1).filter_map(|at| blocks.get(at)));
    match units.last_chunk::<SHORT_BLOCK_UNITS>() {
        Some(chunk) => sum.add_last::<U, NULLS, _>(chunk, last.len()),
        None => sum.add_each::<U, NULLS>(last),
    }
    bytes += sum.bytes;
    if U::PAIRS && sum.surrogates {
        bytes -= 2 * pairs(rest);
    }
    bytes
}

/// Returns the length of any number of units of 16 or 32 bits, of which no two are a character.
///
/// The bits of a unit but the lowest ones, narrowed to a byte, are below 8 for ASCII, below 128 for two bytes, and not
/// for more. So what such a byte saves is found in a table of 16 entries once the values from 8 to 127 are the same:
/// for 32 units of 16 bits 6 operations, where comparisons and additions take 12 with AVX2.
#[inline(always)]
pub(super) fn length_by_table<I: Lanes16, U: SourceUnit>(isa: I, units: &[U]) -> usize {
    let (whole, rest) = units.split_at(units.len() - units.len() % I::WIDTH);
    let mut saved = 0;
    for group in whole.chunks(255 / MOST_SAVED * I::WIDTH) {
        let mut lanes = isa.splat(0);
        for units in group.chunks_exact(I::WIDTH) {
            lanes = add_saved::<I, U>(isa, lanes, bytes_of(units));
        }
        saved += isa.reduce_sum(lanes);
    }
    U::MAX_BYTES * whole.len() - saved + length::<U, false>(rest)
}

/// The most bytes that a character has less than the longest, as ASCII has.
const MOST_SAVED: usize = 3;

/// Adds to the lanes the number of bytes that each unit has less than the longest, in any order.
#[inline(always)]
fn add_saved<I: Lanes16, U: SourceUnit>(isa: I, lanes: I::Vector, bytes: &[u8]) -> I::Vector {
    let mut lanes = lanes;
    let [a, b] = [0, bytes.len() / 2].map(|at| {
        if size_of::<U>() == 2 {
            return isa.shr16::<4>(isa.load(bytes, at));
        }
        let [a, b] = [at, at + I::WIDTH].map(|at| isa.shr32::<3>(isa.load(bytes, at)));
        // Below 0x1000 up to U+FFFF.
        isa.shr16::<1>(isa.saturate32(a, b))
    });
    if size_of::<U>() > 2 {
        let planes = isa.saturate16(isa.shr16::<12>(a), isa.shr16::<12>(b));
        lanes = isa.count_equal(lanes, planes, isa.splat(0));
    }
    // As a signed number, what has three bytes or more is the smaller one.
    let class = isa.min_signed(isa.saturate16(a, b), isa.splat(8));
    let saved = isa.table(&[2, 2, 2, 2, 2, 2, 2, 2, 1, 0, 0, 0, 0, 0, 0, 0]);
    isa.add(lanes, isa.lookup_or_zero(saved, class))
}

/// The sums over some blocks.
struct Sum {
    /// The number of bytes but the first of each unit; each surrogate takes three bytes.
    bytes: usize,
    /// Whether there may be surrogates.
    surrogates: bool,
}

impl Sum {
    #[inline(always)]
    fn of<'a, U: SourceUnit, const NULLS: bool, const N: usize>(
        blocks: impl Iterator<Item = &'a [U; N]>,
    ) -> Self {
        let mut bytes = [U::Lane::default(); N];
        let mut surrogates = [U::Lane::MAX; N];
        for block in blocks {
            for lane in 0..N {
                bytes[lane] = bytes[lane].plus(continuations::<U, NULLS>(block[lane]));
                surrogates[lane] = surrogates[lane].min(block[lane].lane().above_surrogates());
            }
        }
        Self { bytes: total(bytes), surrogates: U::PAIRS && any_surrogate(surrogates) }
    }

    /// Adds the last units of a chunk.
    #[inline(always)]
    fn add_last<U: SourceUnit, const NULLS: bool, const N: usize>(&mut self, chunk: &[U; N], units: usize) {
        let mut bytes = [U::Lane::default(); N];
        let mut surrogates = [U::Lane::MAX; N];
        for lane in 0..N {
            surrogates[lane] = chunk[lane].lane().above_surrogates();
            if lane + units >= N {
                bytes[lane] = continuations::<U, NULLS>(chunk[lane]);
            }
        }
        self.bytes += total(bytes);
        self.surrogates |= U::PAIRS && any_surrogate(surrogates);
    }

    #[inline(always)]
    fn add_each<U: SourceUnit, const NULLS: bool>(&mut self, units: &[U]) {
        for unit in units {
            self.bytes += continuations::<U, NULLS>(*unit).value() as usize;
            self.surrogates |= U::PAIRS && any_surrogate([unit.lane().above_surrogates()]);
        }
    }
}

/// Returns the number of bytes that a unit takes but the first.
#[inline(always)]
fn continuations<U: SourceUnit, const NULLS: bool>(unit: U) -> U::Lane {
    let continuations = unit.continuations();
    if NULLS {
        continuations.plus(unit.lane().within(U::Lane::default(), U::Lane::default()))
    } else {
        continuations
    }
}

/// Returns the sum of all lanes.
#[inline(always)]
fn total<L: Lane, const N: usize>(lanes: [L; N]) -> usize {
    let mut total = 0;
    for lane in lanes {
        total += lane.value();
    }
    total as usize
}

/// Returns whether any unit was a surrogate, given the distances from the first surrogate.
#[inline(always)]
fn any_surrogate<L: Lane, const N: usize>(above: [L; N]) -> bool {
    let mut least = u32::MAX;
    for lane in above {
        least = least.min(lane.value());
    }
    least < 0x800
}

/// Returns the number of surrogate pairs.
#[inline(always)]
fn pairs<U: SourceUnit>(units: &[U]) -> usize {
    let Some((_, seconds)) = units.split_first() else { return 0 };
    let mut lanes = [0; BLOCK_UNITS];
    let (blocks, _) = units.as_chunks::<BLOCK_UNITS>();
    let (next_blocks, rest) = seconds.as_chunks::<BLOCK_UNITS>();
    for (block, next) in blocks.iter().zip(next_blocks) {
        for lane in 0..BLOCK_UNITS {
            lanes[lane] += u16::from(is_pair(block[lane].value(), next[lane].value()));
        }
    }
    let mut pairs = total(lanes);
    for (&first, &second) in units[seconds.len() - rest.len()..].iter().zip(rest) {
        pairs += usize::from(is_pair(first.value(), second.value()));
    }
    pairs
}

/// Counts the units before the first that is not a scalar value or part of one.
pub(crate) struct ScalarUpTo<'a, U>(pub &'a [U]);

impl<U: SourceUnit> Kernel for ScalarUpTo<'_, U> {
    type Output = usize;

    const TASK: Task = Task::Count;

    #[inline(always)]
    fn run<I: Backend>(self, _: I) -> usize {
        let units = self.0;
        let mut at = scalar_blocks::<U, BLOCK_UNITS>(units);
        // Without vectors a minimum of so few units takes longer than to look at each.
        if I::WIDTH > size_of::<u64>() {
            at += scalar_blocks::<U, SHORT_BLOCK_UNITS>(&units[at..]);
        }
        while let Some((scalar, taken)) = units.get(at..).and_then(U::first) {
            if char::from_u32(scalar).is_none() {
                break;
            }
            at += taken;
        }
        at
    }
}

/// Returns the number of units in the first blocks without a surrogate, paired or not, and without integers beyond
/// U+10FFFF.
#[inline(always)]
fn scalar_blocks<U: SourceUnit, const N: usize>(units: &[U]) -> usize {
    let mut at = 0;
    for block in units.as_chunks::<N>().0 {
        let (mut least_above, mut most) = (U::Lane::MAX, U::Lane::default());
        for unit in block {
            least_above = least_above.min(unit.lane().above_surrogates());
            most = most.max(unit.lane());
        }
        if any_surrogate([least_above]) || most.value() > u32::from(char::MAX) {
            break;
        }
        at += N;
    }
    at
}

/// Counts the units from `FIRST` to `LAST`, both values of a unit.
pub(crate) struct Within<'a, U, const FIRST: u32, const LAST: u32>(pub &'a [U]);

impl<U: SourceUnit, const FIRST: u32, const LAST: u32> Kernel for Within<'_, U, FIRST, LAST> {
    type Output = usize;

    const TASK: Task = Task::Count;

    #[inline(always)]
    fn run<I: Backend>(self, _: I) -> usize {
        let within = |unit: &U| unit.lane().within(U::Lane::of(FIRST), U::Lane::of(LAST - FIRST));
        let mut total = 0;
        // No lane of 8 bits overflows, and a sum in lanes of the units' own size is what compilers do best.
        for group in self.0.chunks(if size_of::<U>() == 1 { 255 } else { 16 << 10 }) {
            let mut lane = U::Lane::default();
            for unit in group {
                lane = lane.plus(within(unit));
            }
            total += lane.value() as usize;
        }
        total
    }
}
