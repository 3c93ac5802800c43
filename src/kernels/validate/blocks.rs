//! Validation by blocks: the pass over the data, whatever checks the blocks.
//!
//! 1. The first block has nothing before it, and nothing may be read there; the last bytes are checked once more, with
//!    those before them, as a whole block. Nothing is copied. In between, blocks are cache lines, unless the first
//!    cache line starts within three bytes of the start.
//! 2. ASCII is skipped 128 bytes at a time. From the first group that is not ASCII, a stretch is surveyed: a flag for
//!    each group of one or two blocks shows whether it is ASCII, and those that are not are checked one after another.
//!    Testing and checking group by group instead mispredicts two branches at each lone word that is not English; here
//!    it is two a stretch. Only after much ASCII a group is checked at once.
//! 3. If most flags are set, all blocks are checked, and so are the following stretches without a survey, as long as
//!    they do not start with ASCII: on dense text the survey costs a sixth. Such stretches grow while the text stays
//!    dense, since English with a Greek quotation does not.
//! 4. The errors are tested after each run of sixteen blocks, or each stretch of flagged ones; if there is one, only
//!    these are read again, block by block. The length of a stretch is limited by the distance from the start.
//! 5. Counts that the checker does not make are made after each stretch, while it is in the first-level cache; newlines
//!    with the survey, and the other counts of blocks that are not ASCII with their checks.
//! 6. Up to 1 KB there is a shorter path without surveys, and for what fits into a vector one without a loop; counts
//!    need another pass there. After an error, the next one is searched block by block.
//! 7. An [`Observer`] sees each stretch after it was checked, or of one that is mostly ASCII the groups that are not.
//!    The pass ends when it has seen enough.
//!
//! Tried and lost: testing the errors after 2, 4 and 8 blocks (on dense text 20, 8 and 3 % slower than after 16);
//! prefetching the next stretch (slower by a tenth); no skip after a sparse stretch (nothing gained); a second test for
//! ASCII within short inputs (English the same, others slower); surveys of these (English faster by a fifth at 1 KB and
//! AVX2, a server log slower by a fifth at 400 bytes; with AVX-512 nothing gained); the first errors after an error by
//! shorter vectors than the rest (nothing gained).

use core::marker::PhantomData;

use super::kernels::{CountsIfValid, IsValid};
use super::observer::{Observer, PassState, Unobserved};
use super::rules::{Rules, Utf8};
use super::validator::{Findings, Validator};
use crate::kernels::count::{BLOCK_BYTES, CountNewlines, Lanes, RunningCounts, add_newlines, is_ascii};
use crate::kernels::counts::Counts;
use crate::kernels::kernel::{Backend, run_separately};
use crate::simd::Isa;

/// Bytes before a byte that its check depends on.
pub(super) const LOOKBACK_BYTES: usize = 3;
/// Bytes in a block with those before it.
pub(super) const WINDOW_BYTES: usize = LOOKBACK_BYTES + BLOCK_BYTES;
/// Bytes that are checked before the errors are tested.
const RUN_BYTES: usize = 16 * BLOCK_BYTES;
/// Bytes in two blocks, by which ASCII is skipped and short inputs are checked.
const PAIR_BYTES: usize = 2 * BLOCK_BYTES;
/// Bytes in half a block, two of which hold shorter data that is more than a vector.
const HALF_BYTES: usize = BLOCK_BYTES / 2;
/// Groups in the shortest stretch that is surveyed.
const MIN_STRETCH_GROUPS: usize = 4;
/// Groups in the longest: their flags, and one for the group after them, fit into a word.
const MAX_STRETCH_GROUPS: usize = 60;
/// Divides the bytes before a stretch: it has at most the quotient, so that an error in it is found soon.
const STRETCH_DIVISOR: usize = 4;
/// Bytes in the shortest stretch that is not surveyed.
const MIN_DENSE_BYTES: usize = 4 * BLOCK_BYTES;
/// Bytes in the longest: they should stay in the first-level cache, and be counted at once.
const MAX_DENSE_BYTES: usize = 7 * RUN_BYTES;
/// Bytes of ASCII after which a group is checked without a survey: it is likely to be the only one, or an error.
const LONG_ASCII_BYTES: usize = 4 * PAIR_BYTES;
/// The share of groups that are not ASCII, as a fraction, from which it takes less time to check all.
const DENSE_SHARE: (usize, usize) = (2, 3);
/// Bytes that are tested for ASCII at the start of a stretch after a dense one.
const PROBE_BYTES: usize = 256;

/// An algorithm that checks blocks, with what it has seen.
pub(crate) trait Checker<I: Isa>: Copy {
    /// The rules that it checks by.
    type Rules: Rules;

    /// Whether [`check`](Self::check) counts and keeps the largest byte.
    const COUNTS: bool;

    /// Bytes that have a flag in a survey: a block, or two where flags cost more than checks.
    const GROUP_BYTES: usize;

    /// Returns a checker that has seen nothing.
    fn new(isa: I) -> Self;

    /// Returns whether `data`, at most a vector of bytes, is valid.
    fn is_tiny_valid(isa: I, data: &[u8]) -> bool;

    /// Returns counts over at most [`MAX_SHORT_BYTES`], except newlines.
    fn count_short(isa: I, data: &[u8]) -> Counts;

    /// Checks the first bytes of all, 1 to 64. It may ignore a truncated sequence at their end.
    fn check_start(&mut self, head: &[u8]);

    /// Checks whole blocks that follow three bytes. With [`COUNTS`](Self::COUNTS) adds the number of their continuation
    /// bytes to `counts` if `COUNT`, the number of their newlines if `LINES`, and the number of their four-byte leads
    /// if `FOUR_BYTE_LEADS`.
    fn check<const N: usize, const COUNT: bool, const LINES: bool, const FOUR_BYTE_LEADS: bool>(
        &mut self,
        run: &[u8; N],
        counts: &mut Counts,
    );

    /// Checks the start of a stretch, which follows three bytes, if there is a way that takes less than
    /// [`check`](Self::check), for text with an error that is likely soon if `wary`. Returns the number of bytes after
    /// these that are valid, whole blocks. With `COUNT` adds what there is to count of them to `counts`, newlines with
    /// `LINES`.
    #[inline(always)]
    fn check_stretch<const COUNT: bool, const LINES: bool>(
        &mut self,
        stretch: &[u8],
        wary: bool,
        counts: &mut Counts,
    ) -> usize {
        let _ = (stretch, wary, counts);
        0
    }

    /// Checks at most 63 bytes that follow three bytes, and finds a truncated sequence at their end.
    fn check_some(&mut self, data: &[u8]);

    /// Returns whether it has found an error.
    fn failed(&self) -> bool;

    /// Returns a bit for each of the first bytes of all, 1 to 64, that breaks a rule; perhaps one for the byte after
    /// them if the last sequence is truncated.
    fn broken_at_start(&self, head: &[u8]) -> u64;

    /// Returns a bit for each byte of the block in a window that breaks a rule together with those before it.
    fn broken(&self, window: &[u8; WINDOW_BYTES]) -> u64;

    /// Returns the largest byte since the last call; 0 if it does not keep it.
    fn take_largest(&mut self) -> u8;
}

/// The checkers of one algorithm, for any rules.
pub(crate) trait CheckerFamily<I: Isa> {
    type Checker<R: Rules>: Checker<I, Rules = R>;
}

/// Validates by a pass over blocks with the checkers of a family.
pub(crate) struct BlockValidator<F>(PhantomData<F>);

impl<I: Backend, F: CheckerFamily<I>> Validator<I> for BlockValidator<F> {
    #[inline(always)]
    fn is_valid<R: Rules, const ANY_LENGTH: bool>(isa: I, data: &[u8]) -> bool {
        is_valid::<I, F::Checker<R>, ANY_LENGTH>(isa, data)
    }

    #[inline(always)]
    fn measure<const ANY_LENGTH: bool>(isa: I, data: &[u8]) -> Option<Counts> {
        measure::<I, F::Checker<Utf8>, ANY_LENGTH>(isa, data)
    }

    #[inline(always)]
    fn counts(isa: I, data: &[u8]) -> Counts {
        counts::<I, F::Checker<Utf8>>(isa, data)
    }

    #[inline(always)]
    fn validate_wary(isa: I, data: &[u8], measured: bool, mostly_ascii: bool) -> Findings {
        validate_wary::<I, F::Checker<Utf8>>(isa, data, measured, mostly_ascii)
    }

    #[inline(always)]
    fn validate<R: Rules, const MEASURE: bool, const LINES: bool>(isa: I, data: &[u8]) -> Findings {
        validate::<I, F::Checker<R>, MEASURE, LINES>(isa, data)
    }

    #[cfg(feature = "unicode")]
    #[inline(always)]
    fn observe<O: Observer<I>>(isa: I, data: &[u8], observer: &mut O) -> Findings {
        pass_over::<I, F::Checker<Utf8>, O, false, false>(isa, data, observer)
    }
}

/// A pass over the data.
struct ValidatePass<'a, I: Isa, C: Checker<I>, O, const MEASURE: bool, const LINES: bool> {
    isa: I,
    checker: C,
    observer: &'a mut O,
    /// Whether most blocks of the last stretch, or the first block, were not ASCII.
    dense: bool,
    counter: RunningCounts<I::Counter>,
}

/// A stretch has an error, not before this offset.
struct Failed(usize);

/// Flags of all groups of a stretch.
const ALL_GROUPS: u64 = u64::MAX;

impl<I: Isa, C: Checker<I>, O: Observer<I>, const MEASURE: bool, const LINES: bool>
    ValidatePass<'_, I, C, O, MEASURE, LINES>
{
    /// The largest number of bytes over which no lane of newlines overflows.
    const MAX_SKIP_BYTES: usize = 255 / (PAIR_BYTES / I::Counter::WIDTH) * PAIR_BYTES;

    /// Groups in the longest stretch to survey, over which no lane of newlines overflows either.
    const MAX_GROUPS: usize = {
        let lanes = 255 / (C::GROUP_BYTES / I::Counter::WIDTH);
        if lanes < MAX_STRETCH_GROUPS { lanes } else { MAX_STRETCH_GROUPS }
    };

    /// Whether newlines of a block are added up first, see [`add_newlines`]: with AVX-512 English is faster by a sixth,
    /// ASCII by a fifth; with AVX2 ASCII, too, but English is slower by a tenth.
    const NEWLINES_APART: bool = C::COUNTS;

    /// Counts bytes that were checked without being counted.
    #[inline(always)]
    fn count(&mut self, checked: &[u8]) {
        if MEASURE {
            self.counter.add::<LINES>(checked);
        }
    }

    /// Skips the ASCII that follows the first three bytes of `rest` and that the observer need not see, by
    /// [`PAIR_BYTES`], and returns the number of bytes; none if these three end in a truncated sequence.
    #[inline(always)]
    fn skip_ascii(&mut self, rest: &[u8]) -> usize {
        let (isa, counter) = (self.isa, self.isa.counter());
        let (before, bytes) = rest.split_at(LOOKBACK_BYTES);
        if is_truncated(before) {
            return 0;
        }
        let mut newlines = counter.splat(0);
        let mut skipped = 0;
        let (blocks, _) = bytes[..bytes.len().min(Self::MAX_SKIP_BYTES)].as_chunks::<PAIR_BYTES>();
        for block in blocks {
            let more =
                if LINES { add_newlines(counter, newlines, block, Self::NEWLINES_APART) } else { newlines };
            if !O::is_plain(isa, block) {
                break;
            }
            newlines = more;
            skipped += PAIR_BYTES;
        }
        if LINES {
            self.counter.add_newlines(newlines);
        }
        skipped
    }

    /// Checks and counts the blocks of a stretch, which follow its first three bytes. Returns a bit for each group that
    /// the observer has to see.
    #[inline(always)]
    fn check_sparse<const GROUP: usize, const SPAN: usize>(&mut self, stretch: &[u8]) -> Result<u64, Failed> {
        let (isa, counter) = (self.isa, self.isa.counter());
        let (before, bytes) = stretch.split_at(LOOKBACK_BYTES);
        let mut newlines = counter.splat(0);
        let mut flags = 0;
        let (groups, _) = bytes.as_chunks::<GROUP>();
        for (index, group) in groups.iter().enumerate() {
            flags |= u64::from(!O::is_plain(isa, group)) << index;
            if LINES {
                newlines = add_newlines(counter, newlines, group, Self::NEWLINES_APART);
            }
        }
        self.dense = flags.count_ones() as usize * DENSE_SHARE.1 > groups.len() * DENSE_SHARE.0;
        if self.dense {
            return self.check_dense(stretch, true);
        }
        let mut lanes = Lanes::new(counter);
        let mut counts = Counts::default();
        let mut open = u64::from(is_truncated(before));
        let mut left = flags;
        while left != 0 {
            let index = left.trailing_zeros() as usize;
            let Some(span) = stretch.get(index * GROUP..).and_then(<[u8]>::first_chunk) else { break };
            self.checker.check::<SPAN, MEASURE, false, false>(span, &mut counts);
            if MEASURE && !C::COUNTS {
                let (_, group) = span.split_at(LOOKBACK_BYTES);
                group.as_chunks().0.iter().for_each(|block| lanes.add::<false>(block));
            }
            left &= left - 1;
            open |= u64::from(is_truncated(span)) << (index + 1);
        }
        // No sequence may be truncated where ASCII follows; the next stretch has the block after this one.
        let cut_off = open & !flags & ((1 << groups.len()) - 1);
        if self.checker.failed() || cut_off != 0 {
            return Err(Failed(self.first_broken(stretch, flags | cut_off)));
        }
        if MEASURE {
            let largest = self.checker.take_largest();
            match C::COUNTS {
                true => self.counter.add_known(counts.with_largest(largest), bytes),
                false => self.counter.add_lanes(&lanes, bytes),
            }
            self.counter.add_newlines(newlines);
        }
        Ok(flags)
    }

    /// Checks and counts all blocks of a stretch, which follow its first three bytes, without testing for ASCII, in the
    /// fastest way if it is `long`. Returns [`ALL_GROUPS`].
    #[inline(always)]
    fn check_dense(&mut self, stretch: &[u8], long: bool) -> Result<u64, Failed> {
        let (_, bytes) = stretch.split_at(LOOKBACK_BYTES);
        let (mut checked, mut counts) = (0, Counts::default());
        if long {
            checked = self.checker.check_stretch::<MEASURE, LINES>(stretch, false, &mut counts);
        }
        if !(MEASURE && C::COUNTS) {
            self.check_all::<false>(stretch, checked)?;
            self.counter.add_others(counts);
            self.count(&bytes[checked..]);
        } else if self.counter.expects_four_byte_leads() {
            let counts = self.check_all::<true>(stretch, checked)?;
            self.counter.add_counted(counts.with_largest(self.checker.take_largest()));
        } else {
            let counts = self.check_all::<false>(stretch, checked)?;
            self.counter.add_known(counts.with_largest(self.checker.take_largest()), bytes);
        }
        Ok(ALL_GROUPS)
    }

    /// Checks all blocks of a stretch, which follow its first three bytes, but the first `checked` bytes of these, and
    /// returns what the checker counts.
    #[inline(always)]
    fn check_all<const FOUR_BYTE_LEADS: bool>(
        &mut self,
        stretch: &[u8],
        checked: usize,
    ) -> Result<Counts, Failed> {
        let mut counts = Counts::default();
        let mut ahead = &stretch[checked..];
        while let Some(run) = ahead.first_chunk::<{ LOOKBACK_BYTES + RUN_BYTES }>() {
            self.checker.check::<_, MEASURE, LINES, FOUR_BYTE_LEADS>(run, &mut counts);
            if self.checker.failed() {
                return Err(Failed(stretch.len() - ahead.len()));
            }
            ahead = &ahead[RUN_BYTES..];
        }
        let last = stretch.len() - ahead.len();
        while let Some(window) = ahead.first_chunk::<WINDOW_BYTES>() {
            self.checker.check::<_, MEASURE, LINES, FOUR_BYTE_LEADS>(window, &mut counts);
            ahead = &ahead[BLOCK_BYTES..];
        }
        if self.checker.failed() { Err(Failed(last)) } else { Ok(counts) }
    }

    /// Returns the offset of the first block with an error, among the groups of a stretch that have a bit in `groups`.
    #[inline(always)]
    fn first_broken(&self, stretch: &[u8], mut groups: u64) -> usize {
        while groups != 0 {
            let group = groups.trailing_zeros() as usize * C::GROUP_BYTES;
            for at in (group..group + C::GROUP_BYTES).step_by(BLOCK_BYTES) {
                let window = stretch.get(at..).and_then(<[u8]>::first_chunk);
                if window.is_some_and(|window| self.checker.broken(window) != 0) {
                    return at;
                }
            }
            groups &= groups - 1;
        }
        0
    }

    /// Reads a stretch that `failed` again. Returns the offset after its first three bytes of the byte that breaks a
    /// rule, and the number of bytes that were counted.
    #[inline(always)]
    fn broken_byte(&mut self, stretch: &[u8], Failed(mut at): Failed) -> (usize, usize) {
        let (_, bytes) = stretch.split_at(LOOKBACK_BYTES);
        let mut broken = 0;
        while let Some(window) = stretch[at..].first_chunk::<WINDOW_BYTES>() {
            broken = self.checker.broken(window);
            if broken != 0 {
                break;
            }
            at += BLOCK_BYTES;
        }
        self.count(&bytes[..at]);
        (at + broken.trailing_zeros() as usize % BLOCK_BYTES, at)
    }

    /// Has the observer see the groups that have a bit in `groups` of the bytes from `start` to `end`.
    #[inline(always)]
    fn see(&mut self, data: &[u8], start: usize, end: usize, groups: u64) {
        if groups == ALL_GROUPS {
            self.observer.see(self.isa, data, start, end);
            return;
        }
        match C::GROUP_BYTES {
            BLOCK_BYTES => self.observer.see_groups::<BLOCK_BYTES>(self.isa, data, start, groups),
            _ => self.observer.see_groups::<PAIR_BYTES>(self.isa, data, start, groups),
        }
    }

    /// Returns the result, where the first `counted` bytes were counted and `valid` break no rule.
    #[inline(always)]
    fn findings(self, valid: usize, counted: usize) -> Findings {
        Findings { valid, counted, counts: if MEASURE { self.counter.counts() } else { Counts::default() } }
    }
}

/// Returns whether a sequence that starts in the last three bytes is truncated.
#[inline(always)]
pub(super) fn is_truncated(data: &[u8]) -> bool {
    let last = match data.last_chunk() {
        Some(&last) => u32::from_le_bytes(last),
        None => data.iter().fold(0, |last, &byte| last >> 8 | u32::from(byte) << 24),
    };
    // From F0, E0 and C0 on there is a carry into the high bit.
    ((last & 0x7F7F_7F7F) + 0x4020_1000) & last & 0x8080_8000 != 0
}

/// Returns whether `data` is valid. There are three paths, each compiled separately, so that the shorter ones do not
/// set up what the longer ones need.
#[inline(always)]
fn is_valid<I: Backend, C: Checker<I>, const ANY_LENGTH: bool>(isa: I, data: &[u8]) -> bool {
    match (ANY_LENGTH, data.len() <= I::WIDTH) {
        (true, true) => C::is_tiny_valid(isa, data),
        (true, false) => run_separately(isa, IsValid::<_, false>(data, C::Rules::default())),
        (false, _) => after_ascii(isa, data).is_none_or(|rest| is_rest_valid::<I, C>(isa, rest)),
    }
}

/// The largest number of bytes that are checked block by block, by the shortest path.
const MAX_SHORT_BYTES: usize = 1024;

/// Returns counts over `data`, except newlines, if it is valid. Short data is checked and then counted, after the ASCII
/// at its start, since doing both at once takes longer to set up.
#[inline(always)]
fn measure<I: Backend, C: Checker<I>, const ANY_LENGTH: bool>(isa: I, data: &[u8]) -> Option<Counts> {
    match (ANY_LENGTH, data.len() <= I::WIDTH) {
        (true, true) => {
            // ASCII needs no check.
            let counts = C::count_short(isa, data);
            (counts.largest == 0 || C::is_tiny_valid(isa, data)).then_some(counts)
        }
        (true, false) => run_separately(isa, CountsIfValid::<false>(data)),
        (false, _) if data.len() <= MAX_SHORT_BYTES => match after_ascii(isa, data) {
            None => Some(Counts::default()),
            Some(rest) => is_rest_valid::<I, C>(isa, rest).then(|| C::count_short(isa, rest)),
        },
        (false, _) => {
            let found = run_separately(isa, super::kernels::survey(data));
            (found.valid == data.len()).then_some(found.counts)
        }
    }
}

/// Returns counts over `data`, except newlines, valid or not.
#[inline(always)]
fn counts<I: Isa, C: Checker<I>>(isa: I, data: &[u8]) -> Counts {
    // The lanes of a counter take longer to set up, and less for each block.
    if data.len() <= PAIR_BYTES {
        return C::count_short(isa, data);
    }
    let mut counter = RunningCounts::new(isa.counter());
    counter.add::<false>(data);
    counter.counts()
}

/// Returns `data`, more than a vector of bytes, without the ASCII at its start, two blocks again and again; `None` if
/// all is found to be ASCII.
#[inline(always)]
fn after_ascii<I: Isa>(isa: I, data: &[u8]) -> Option<&[u8]> {
    let Some(last) = data.last_chunk::<BLOCK_BYTES>() else {
        // Two halves of a block that overlap hold all.
        return match (data.first_chunk::<HALF_BYTES>(), data.last_chunk::<HALF_BYTES>()) {
            (Some(first), Some(last)) if isa.is_ascii(first) & isa.is_ascii(last) => None,
            _ => Some(data),
        };
    };
    let mut rest = data;
    while rest.len() > PAIR_BYTES
        && let Some(pair) = rest.first_chunk::<PAIR_BYTES>()
        && isa.is_ascii(pair)
    {
        rest = &rest[PAIR_BYTES..];
    }
    // Two blocks that overlap hold the rest.
    let first = rest.first_chunk::<BLOCK_BYTES>().unwrap_or(last);
    if rest.len() <= PAIR_BYTES && isa.is_ascii(last) & isa.is_ascii(first) {
        return None;
    }
    Some(rest)
}

/// Returns whether `rest`, which follows ASCII, is valid.
#[inline(always)]
fn is_rest_valid<I: Backend, C: Checker<I>>(isa: I, rest: &[u8]) -> bool {
    if rest.len() <= I::WIDTH {
        return run_separately(isa, IsValid::<_, true>(rest, C::Rules::default()));
    }
    if rest.len() > MAX_SHORT_BYTES {
        return run_separately(isa, super::kernels::check(rest, C::Rules::default())).valid == rest.len();
    }
    let mut checker = C::new(isa);
    let (head, after) = rest.split_at(rest.len().min(BLOCK_BYTES));
    checker.check_start(head);
    if !after.is_empty() {
        let mut none = Counts::default();
        let mut ahead = &rest[BLOCK_BYTES - LOOKBACK_BYTES..];
        while ahead.len() > LOOKBACK_BYTES + PAIR_BYTES
            && let Some(run) = ahead.first_chunk::<{ LOOKBACK_BYTES + PAIR_BYTES }>()
        {
            checker.check::<{ LOOKBACK_BYTES + PAIR_BYTES }, false, false, false>(run, &mut none);
            ahead = &ahead[PAIR_BYTES..];
        }
        while ahead.len() > WINDOW_BYTES
            && let Some(window) = ahead.first_chunk::<WINDOW_BYTES>()
        {
            checker.check::<WINDOW_BYTES, false, false, false>(window, &mut none);
            ahead = &ahead[BLOCK_BYTES..];
        }
        match rest.last_chunk::<WINDOW_BYTES>() {
            Some(window) => checker.check::<WINDOW_BYTES, false, false, false>(window, &mut none),
            None => checker.check_some(rest),
        }
    }
    !(checker.failed() | is_truncated(rest))
}

/// Returns the offset of the first byte of the first block that breaks a rule; perhaps of the last byte if a sequence
/// is truncated.
#[inline(always)]
fn broken_in_head<I: Isa, C: Checker<I>>(checker: &C, head: &[u8]) -> Option<usize> {
    match checker.broken_at_start(head) {
        0 => None,
        broken => Some((broken.trailing_zeros() as usize).min(head.len() - 1)),
    }
}

/// Returns the offset of the first byte of the last block that breaks a rule, where everything before it was checked;
/// perhaps of the last byte if a sequence is truncated.
#[inline(always)]
fn broken_in_tail<I: Isa, C: Checker<I>>(checker: &mut C, data: &[u8]) -> Option<usize> {
    // The tail is checked as a whole block, with bytes before it.
    let broken = match data.last_chunk() {
        Some(window) => Some(checker.broken(window))
            .filter(|&broken| broken != 0)
            .map(|broken| data.len() - BLOCK_BYTES + broken.trailing_zeros() as usize),
        None => {
            checker.check_some(data);
            // The tail has two bytes at most, so this is close enough.
            checker.failed().then_some(BLOCK_BYTES)
        }
    };
    broken.or(is_truncated(data).then(|| data.len() - 1))
}

/// Returns where `data` breaks a rule, where an error is likely soon: the errors of each block are tested at once. If
/// data is to be `measured`, it is checked by tiers first, if there are, then two blocks together, and counted if the
/// checker counts.
#[inline(always)]
fn validate_wary<I: Backend, C: Checker<I>>(
    isa: I,
    data: &[u8],
    measured: bool,
    mostly_ascii: bool,
) -> Findings {
    if mostly_ascii && !C::COUNTS {
        return run_separately(isa, super::kernels::survey(data));
    }
    let uncounted = |valid| Findings { valid, ..Findings::default() };
    if data.is_empty() {
        return uncounted(0);
    }
    let mut checker = C::new(isa);
    let (head, after) = data.split_at(data.len().min(BLOCK_BYTES));
    if let Some(broken) = broken_in_head(&checker, head) {
        return uncounted(broken);
    }
    if after.is_empty() {
        return uncounted(if is_truncated(data) { data.len() - 1 } else { data.len() });
    }
    let mut at = BLOCK_BYTES;
    if !is_truncated(head) {
        while let Some(group) = data.get(at..).and_then(<[u8]>::first_chunk::<PAIR_BYTES>)
            && isa.is_ascii(group)
        {
            at += PAIR_BYTES;
        }
    }
    let mut counts = if C::COUNTS && measured { C::count_short(isa, head) } else { Counts::default() };
    if measured {
        at +=
            checker.check_stretch::<false, false>(&data[at - LOOKBACK_BYTES..], true, &mut Counts::default());
    }
    while measured && let Some(pair) = data.get(at - LOOKBACK_BYTES..).and_then(<[u8]>::first_chunk) {
        let (before, bytes) = pair.split_at(LOOKBACK_BYTES);
        if mostly_ascii && is_ascii(isa, bytes) && !is_truncated(before) {
            at += PAIR_BYTES;
            continue;
        }
        let (mut next, mut next_counts) = (checker, counts);
        next.check::<{ LOOKBACK_BYTES + PAIR_BYTES }, true, false, true>(pair, &mut next_counts);
        if next.failed() {
            break;
        }
        (checker, counts) = (next, next_counts);
        at += PAIR_BYTES;
    }
    let mut found = Findings { valid: data.len(), ..Findings::default() };
    if C::COUNTS && measured {
        let largest = Counts::default().with_largest(checker.take_largest());
        (found.counted, found.counts) = (at, counts.plus(largest));
    }
    while let Some(window) = data.get(at - LOOKBACK_BYTES..).and_then(<[u8]>::first_chunk) {
        let broken = checker.broken(window);
        if broken != 0 {
            return Findings { valid: at + broken.trailing_zeros() as usize, ..found };
        }
        at += BLOCK_BYTES;
    }
    Findings { valid: broken_in_tail(&mut checker, data).unwrap_or(data.len()), ..found }
}

/// Returns where `data` breaks a rule, and counts up to there.
#[inline(always)]
fn validate<I: Backend, C: Checker<I>, const MEASURE: bool, const LINES: bool>(
    isa: I,
    data: &[u8],
) -> Findings {
    if LINES
        && (BLOCK_BYTES + 1..=MAX_SHORT_BYTES).contains(&data.len())
        && let Some(counts) = run_separately(isa, CountsIfValid::<true>(data))
    {
        let newlines = run_separately(isa, CountNewlines(data));
        return Findings { valid: data.len(), counted: data.len(), counts: Counts { newlines, ..counts } };
    }
    pass_over::<I, C, _, MEASURE, LINES>(isa, data, &mut Unobserved)
}

/// Returns whether the first [`PROBE_BYTES`], or all of fewer, are plain.
#[inline(always)]
fn starts_plain<I: Isa, O: Observer<I>>(isa: I, bytes: &[u8]) -> bool {
    match bytes.first_chunk::<PROBE_BYTES>() {
        Some(probe) => O::is_plain(isa, probe),
        None => is_ascii(isa, bytes),
    }
}

/// Returns where `data` breaks a rule, and counts up to there, while an observer sees it, until that has enough.
#[inline(always)]
fn pass_over<I: Backend, C: Checker<I>, O: Observer<I>, const MEASURE: bool, const LINES: bool>(
    isa: I,
    data: &[u8],
    observer: &mut O,
) -> Findings {
    if data.is_empty() {
        return Findings::default();
    }
    // The length of stretches without a survey grows with the dense text seen.
    let PassState { dense_bytes, passed } = observer.state();
    let mut dense_length = dense_bytes.max(MIN_DENSE_BYTES);
    let mut pass = ValidatePass::<I, C, O, MEASURE, LINES> {
        isa,
        checker: C::new(isa),
        observer,
        dense: false,
        counter: RunningCounts::new(isa.counter()),
    };
    let (head, after) = data.split_at(data.len().min(BLOCK_BYTES));
    pass.checker.check_start(head);
    if pass.checker.failed() || after.is_empty() && is_truncated(head) {
        let broken = broken_in_head(&pass.checker, head).unwrap_or(head.len() - 1);
        return pass.findings(broken, 0);
    }
    if after.is_empty() {
        pass.count(head);
        pass.see(data, 0, data.len(), ALL_GROUPS);
        return pass.findings(data.len(), data.len());
    }
    // From here on whole cache lines are read, if possible, and the end of the head once more.
    let first = match data.as_ptr().addr().wrapping_neg() % BLOCK_BYTES {
        ..LOOKBACK_BYTES => BLOCK_BYTES,
        first => first,
    };
    pass.count(&head[..first]);
    pass.see(data, 0, first, ALL_GROUPS);
    // Text is usually like its start.
    pass.dense = dense_bytes != 0 || !is_ascii(isa, head);
    // `rest` starts three bytes before those that are not yet checked, and is never empty: the last bytes are checked
    // at the end.
    let mut rest = &data[first - LOOKBACK_BYTES..];
    while rest.len() > WINDOW_BYTES {
        let mut skipped = 0;
        if !pass.dense {
            skipped = pass.skip_ascii(&rest[..rest.len() - 1]);
            rest = &rest[skipped..];
            if skipped == ValidatePass::<I, C, O, MEASURE, LINES>::MAX_SKIP_BYTES {
                continue;
            }
        }
        let left = rest.len() - LOOKBACK_BYTES - 1;
        let bytes = &rest[LOOKBACK_BYTES..];
        let outcome;
        let length;
        if !MEASURE && skipped >= LONG_ASCII_BYTES && left >= PAIR_BYTES {
            length = PAIR_BYTES;
            outcome = pass.check_dense(&rest[..LOOKBACK_BYTES + length], false);
        } else if left < C::GROUP_BYTES || pass.dense && !starts_plain::<I, O>(isa, bytes) {
            length = (left - left % BLOCK_BYTES).min(dense_length);
            dense_length = (2 * dense_length).min(MAX_DENSE_BYTES);
            let stretch = &rest[..LOOKBACK_BYTES + length];
            outcome = pass.check_dense(stretch, true);
        } else {
            dense_length = MIN_DENSE_BYTES;
            let longest = ((passed + data.len() - rest.len()) / STRETCH_DIVISOR / C::GROUP_BYTES)
                .clamp(MIN_STRETCH_GROUPS, ValidatePass::<I, C, O, MEASURE, LINES>::MAX_GROUPS);
            length = (left / C::GROUP_BYTES).min(longest) * C::GROUP_BYTES;
            let stretch = &rest[..LOOKBACK_BYTES + length];
            outcome = match C::GROUP_BYTES {
                BLOCK_BYTES => pass.check_sparse::<BLOCK_BYTES, WINDOW_BYTES>(stretch),
                _ => pass.check_sparse::<{ PAIR_BYTES }, { LOOKBACK_BYTES + PAIR_BYTES }>(stretch),
            };
        }
        let before = data.len() - (rest.len() - LOOKBACK_BYTES);
        match outcome {
            Ok(groups) => pass.see(data, before, before + length, groups),
            Err(failed) => {
                let (broken, counted) = pass.broken_byte(&rest[..LOOKBACK_BYTES + length], failed);
                pass.see(data, before, before + counted, ALL_GROUPS);
                pass.observer.keep(PassState::default());
                return pass.findings(before + broken, before + counted);
            }
        }
        if pass.observer.has_enough() {
            let dense_bytes = if pass.dense { dense_length } else { 0 };
            pass.observer.keep(PassState { dense_bytes, passed: passed + before + length });
            return pass.findings(before + length, before + length);
        }
        rest = &rest[length..];
    }
    let (_, tail) = rest.split_at(LOOKBACK_BYTES);
    if let Some(broken) = broken_in_tail(&mut pass.checker, data) {
        return pass.findings(broken, data.len() - tail.len());
    }
    pass.count(tail);
    pass.see(data, data.len() - tail.len(), data.len(), ALL_GROUPS);
    let dense_bytes = if pass.dense { dense_length } else { 0 };
    pass.observer.keep(PassState { dense_bytes, passed: passed + data.len() });
    pass.findings(data.len(), data.len())
}
