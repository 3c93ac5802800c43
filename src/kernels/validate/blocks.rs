//! The way of a validating pass through the data, whatever checks the blocks.
//!
//! 1. The first block has nothing before it, and nothing may be read there; the last bytes are checked
//!    once more, with those before them, as a whole block. Nothing is copied. In between, blocks are cache
//!    lines, unless the first of these is hardly after the start.
//! 2. ASCII is skipped by 128 bytes. From the first that is not, a stretch is surveyed: a flag for each group
//!    of one or two blocks says whether it is ASCII, and those that are not are checked one after another.
//!    Whoever asks and checks group by group instead waits for two unforeseen branches at each lone word
//!    that is not English; here it is two a stretch. Only after much ASCII a group is checked at once.
//! 3. If most flags are set, all blocks are checked, and the stretches after it too without being
//!    surveyed, as long as they do not begin with ASCII: on dense text the survey costs a sixth. Such
//!    stretches grow while the text stays dense, since English with a Greek quotation is not.
//! 4. Errors are looked at after each run of sixteen blocks, or each stretch of flagged ones; if there is one,
//!    only these are read again, block by block. A stretch is short as long as the way up to it is.
//! 5. What the checker does not count on its way is counted after each stretch, while that is in the
//!    first-level cache; newlines with the survey, and what is not ASCII with the checks, where these
//!    pick blocks.
//! 6. Up to 1 KB there is a shorter way without surveys, and for what fits into a vector one without any
//!    loop. Where an error was just found, the next is looked for block by block.
//!
//! Tried and lost: errors looked at after 2, 4 and 8 blocks (on dense text 20, 8 and 3 % slower than after
//! 16); prefetching the next stretch (slower by a tenth); no skip after a sparse stretch (nothing gained);
//! ASCII asked for once more within short inputs (English the same, others slower); the first errors after an
//! error by shorter vectors than the rest (nothing gained).

use core::marker::PhantomData;

use super::rules::{Rules, Utf8};
use super::{Findings, IsValid, Measure, Validator, run_separately};
use crate::kernels::Backend;
use crate::kernels::count::{BLOCK, Counter, Counts, Lanes, add_newlines, is_ascii};
use crate::simd::Isa;

/// How far back a byte's check looks.
pub(super) const BEHIND: usize = 3;
/// A block with the bytes before it.
pub(super) const WINDOW: usize = BEHIND + BLOCK;
/// So many bytes are checked before errors are looked at.
const RUN: usize = 16 * BLOCK;
/// Two blocks: ASCII is skipped, and short inputs are checked, by so many bytes.
const PAIR: usize = 2 * BLOCK;
/// Groups in the shortest stretch that is surveyed and in the longest: their flags, and one for the group
/// after them, fit into a word.
const STRETCH: (usize, usize) = (4, 60);
/// A stretch is at most this part of the way up to it, so that an error in it is found without much ado.
const PART: usize = 4;
/// Bytes in the shortest stretch that is not surveyed and in the longest: they should stay in the first-level
/// cache.
const DENSE_STRETCH: (usize, usize) = (4 * BLOCK, 8 * RUN);
/// What ends so much ASCII is checked directly: it is likely to stand alone, or to be an error.
const DIRECT: usize = 4 * PAIR;
/// If more of a stretch's blocks than this share are not ASCII, it takes less time to check them all.
const DENSE: (usize, usize) = (2, 3);
/// So many bytes tell whether a dense stretch is followed by another.
const PROBE: usize = 256;

/// A way to check blocks, with its memory of what it saw.
pub(crate) trait Checker<I: Isa>: Copy {
    /// By which it checks.
    type Rules: Rules;

    /// Whether [`check`](Self::check) counts continuation bytes and keeps the largest byte.
    const COUNTS: bool;

    /// How many bytes have a flag in a survey: a block, or two where flags cost more than checks.
    const GROUP: usize;

    fn new(isa: I) -> Self;

    /// Whether all there is, at most a vector of bytes, is valid.
    fn is_tiny_valid(isa: I, data: &[u8]) -> bool;

    /// Counts a few bytes, [`SHORT`] at most, newlines left out.
    fn count_short(isa: I, data: &[u8]) -> Counts;

    /// Checks the first bytes of all, 1 to 64. It need not see if a character breaks off at their end.
    fn check_start(&mut self, head: &[u8]);

    /// Checks whole blocks that follow three bytes; with `COUNT`, and if it can, returns how many
    /// continuation bytes they have.
    fn check<const N: usize, const COUNT: bool>(&mut self, run: &[u8; N]) -> usize;

    /// Checks what follows three bytes, at most 63 bytes, and sees if a character breaks off.
    fn check_some(&mut self, data: &[u8]);

    /// Whether an error was seen.
    fn failed(&self) -> bool;

    /// A bit for each of the first bytes of all, 1 to 64, that breaks a rule; perhaps one for the byte after
    /// them if a character breaks off.
    fn broken_at_start(&self, head: &[u8]) -> u64;

    /// A bit for each byte of the block in a window that breaks a rule together with those before it.
    fn broken(&self, window: &[u8; WINDOW]) -> u64;

    /// The largest byte seen since this was last asked; 0 if it does not keep it.
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
    fn valid_up_to(isa: I, data: &[u8]) -> usize {
        valid_up_to::<I, F::Checker<Utf8>>(isa, data)
    }

    #[inline(always)]
    fn validate<R: Rules, const MEASURE: bool, const LINES: bool>(isa: I, data: &[u8]) -> Findings {
        validate::<I, F::Checker<R>, MEASURE, LINES>(isa, data)
    }
}

/// A pass on its way through the data.
struct Pass<I: Isa, C: Checker<I>, const MEASURE: bool, const LINES: bool> {
    isa: I,
    checker: C,
    /// Whether most blocks of the last stretch were not ASCII, or the first block was not.
    dense: bool,
    counter: Counter<I::Counter>,
}

/// Where a stretch has an error: not before this offset.
struct Failed(usize);

impl<I: Isa, C: Checker<I>, const MEASURE: bool, const LINES: bool> Pass<I, C, MEASURE, LINES> {
    /// As many bytes of ASCII as the lanes for newlines can hold.
    const LONGEST_SKIP: usize = 255 / (PAIR / I::Counter::WIDTH) * PAIR;

    /// The longest stretch to survey, in groups; newlines are counted in lanes, too.
    const LONGEST_STRETCH: usize = {
        let lanes = 255 / (C::GROUP / I::Counter::WIDTH);
        if lanes < STRETCH.1 { lanes } else { STRETCH.1 }
    };

    /// Counts bytes that were checked without being counted.
    #[inline(always)]
    fn count(&mut self, checked: &[u8]) {
        if MEASURE {
            self.counter.add::<LINES>(checked);
        }
    }

    /// Accepts the ASCII that follows the first three bytes of `rest`, by [`PAIR`] bytes, and returns
    /// how many bytes it is; none if a character is still open.
    #[inline(always)]
    fn skip_ascii(&mut self, rest: &[u8]) -> usize {
        let (isa, counter) = (self.isa, self.isa.counter());
        let (before, bytes) = rest.split_at(BEHIND);
        if breaks_off(before) {
            return 0;
        }
        let mut newlines = counter.splat(0);
        let mut skipped = 0;
        let (blocks, _) = bytes[..bytes.len().min(Self::LONGEST_SKIP)].as_chunks::<PAIR>();
        for block in blocks {
            let more = if LINES { add_newlines(counter, newlines, block) } else { newlines };
            if !isa.is_ascii(block) {
                break;
            }
            newlines = more;
            skipped += PAIR;
        }
        if LINES {
            self.counter.add_newlines(newlines);
        }
        skipped
    }

    /// Checks and counts the blocks of a stretch, which follow its first three bytes.
    #[inline(always)]
    fn pass_sparse<const GROUP: usize, const SPAN: usize>(&mut self, stretch: &[u8]) -> Result<(), Failed> {
        let (isa, counter) = (self.isa, self.isa.counter());
        let (before, bytes) = stretch.split_at(BEHIND);
        let mut newlines = counter.splat(0);
        let mut flags = 0;
        let (groups, _) = bytes.as_chunks::<GROUP>();
        for (index, group) in groups.iter().enumerate() {
            flags |= u64::from(!isa.is_ascii(group)) << index;
            if LINES {
                newlines = add_newlines(counter, newlines, group);
            }
        }
        self.dense = flags.count_ones() as usize * DENSE.1 > groups.len() * DENSE.0;
        if self.dense {
            return self.pass_dense(stretch);
        }
        let mut lanes = Lanes::new(counter);
        let mut continuations = 0;
        let mut open = u64::from(breaks_off(before));
        let mut left = flags;
        while left != 0 {
            let index = left.trailing_zeros() as usize;
            let Some(span) = stretch.get(index * GROUP..).and_then(<[u8]>::first_chunk) else { break };
            continuations += self.checker.check::<SPAN, MEASURE>(span);
            if MEASURE && !C::COUNTS {
                let (_, group) = span.split_at(BEHIND);
                group.as_chunks().0.iter().for_each(|block| lanes.add::<false>(block));
            }
            left &= left - 1;
            open |= u64::from(breaks_off(span)) << (index + 1);
        }
        // A character must not be open where ASCII follows; the block after the stretch is the next
        // one's.
        let cut_off = open & !flags & ((1 << groups.len()) - 1);
        if self.checker.failed() || cut_off != 0 {
            return Err(Failed(self.first_broken(stretch, flags | cut_off)));
        }
        if MEASURE {
            let largest = self.checker.take_largest();
            match C::COUNTS {
                true => self.counter.add_known(continuations, largest, bytes),
                false => self.counter.add_lanes(&lanes, bytes),
            }
            self.counter.add_newlines(newlines);
        }
        Ok(())
    }

    /// The same, without asking what is ASCII.
    #[inline(always)]
    fn pass_dense(&mut self, stretch: &[u8]) -> Result<(), Failed> {
        let mut continuations = 0;
        let mut ahead = stretch;
        while let Some(run) = ahead.first_chunk::<{ BEHIND + RUN }>() {
            continuations += self.checker.check::<{ BEHIND + RUN }, MEASURE>(run);
            if self.checker.failed() {
                return Err(Failed(stretch.len() - ahead.len()));
            }
            ahead = &ahead[RUN..];
        }
        let last = stretch.len() - ahead.len();
        while let Some(window) = ahead.first_chunk::<WINDOW>() {
            continuations += self.checker.check::<WINDOW, MEASURE>(window);
            ahead = &ahead[BLOCK..];
        }
        if self.checker.failed() {
            return Err(Failed(last));
        }
        let (_, bytes) = stretch.split_at(BEHIND);
        if MEASURE && C::COUNTS {
            self.counter.add_known(continuations, self.checker.take_largest(), bytes);
            if LINES {
                self.counter.add_newlines_of(bytes);
            }
        } else {
            self.count(bytes);
        }
        Ok(())
    }

    /// The place of the first block that holds an error, in groups of a stretch that have a bit here.
    #[inline(always)]
    fn first_broken(&self, stretch: &[u8], mut groups: u64) -> usize {
        while groups != 0 {
            let group = groups.trailing_zeros() as usize * C::GROUP;
            for at in (group..group + C::GROUP).step_by(BLOCK) {
                let window = stretch.get(at..).and_then(<[u8]>::first_chunk);
                if window.is_some_and(|window| self.checker.broken(window) != 0) {
                    return at;
                }
            }
            groups &= groups - 1;
        }
        0
    }

    /// Reads a stretch that `failed` again. Returns which byte after its first three breaks a rule, and
    /// how many bytes were counted.
    #[inline(always)]
    fn broken_byte(&mut self, stretch: &[u8], Failed(mut at): Failed) -> (usize, usize) {
        let (_, bytes) = stretch.split_at(BEHIND);
        let mut broken = 0;
        while let Some(window) = stretch[at..].first_chunk::<WINDOW>() {
            broken = self.checker.broken(window);
            if broken != 0 {
                break;
            }
            at += BLOCK;
        }
        self.count(&bytes[..at]);
        (at + broken.trailing_zeros() as usize % BLOCK, at)
    }

    /// What was found, if the first `counted` bytes were counted and `valid` break no rule.
    #[inline(always)]
    fn findings(self, valid: usize, counted: usize) -> Findings {
        Findings { valid, counted, counts: if MEASURE { self.counter.counts() } else { Counts::default() } }
    }
}

/// Whether a sequence that starts in the last three bytes needs more bytes than there are.
#[inline(always)]
pub(super) fn breaks_off(data: &[u8]) -> bool {
    let last = match data.last_chunk() {
        Some(&last) => u32::from_le_bytes(last),
        None => data.iter().fold(0, |last, &byte| last >> 8 | u32::from(byte) << 24),
    };
    // From F0, E0 and C0 on a carry gets into the high bit.
    ((last & 0x7F7F_7F7F) + 0x4020_1000) & last & 0x8080_8000 != 0
}

/// Whether `data` are valid. Three ways, each compiled by itself, so that the shorter ones are not held up by
/// what the longer ones need.
#[inline(always)]
fn is_valid<I: Backend, C: Checker<I>, const ANY_LENGTH: bool>(isa: I, data: &[u8]) -> bool {
    match (ANY_LENGTH, data.len() <= I::WIDTH) {
        (true, true) => C::is_tiny_valid(isa, data),
        (true, false) => run_separately(isa, IsValid::<_, false>(data, C::Rules::default())),
        (false, _) => is_longer_valid::<I, C>(isa, data),
    }
}

/// Up to so many bytes are checked block by block, by the shortest way.
const SHORT: usize = 1024;

/// What `data` hold, newlines left out, if they are valid. Short ones are checked and then counted, since it takes
/// longer to be ready for doing both at once.
#[inline(always)]
fn measure<I: Backend, C: Checker<I>, const ANY_LENGTH: bool>(isa: I, data: &[u8]) -> Option<Counts> {
    let valid = match (ANY_LENGTH, data.len() <= I::WIDTH) {
        (true, true) => {
            // ASCII needs no check.
            let counts = C::count_short(isa, data);
            return (counts.largest == 0 || C::is_tiny_valid(isa, data)).then_some(counts);
        }
        (true, false) => return run_separately(isa, Measure::<false>(data)),
        (false, _) if data.len() <= SHORT => is_longer_valid::<I, C>(isa, data),
        (false, _) => {
            let found = run_separately(isa, super::survey(data));
            return (found.valid == data.len()).then_some(found.counts);
        }
    };
    valid.then(|| C::count_short(isa, data))
}

/// What `data` hold, newlines left out, valid or not.
#[inline(always)]
fn counts<I: Isa, C: Checker<I>>(isa: I, data: &[u8]) -> Counts {
    let mut counts = Counts::default();
    for piece in data.chunks(SHORT) {
        counts = counts.plus(C::count_short(isa, piece));
    }
    counts
}

/// The same for more than a vector of bytes.
#[inline(always)]
fn is_longer_valid<I: Backend, C: Checker<I>>(isa: I, data: &[u8]) -> bool {
    let mut rest = data;
    if let Some(last) = data.last_chunk::<BLOCK>() {
        while let Some(pair) = rest.first_chunk::<PAIR>()
            && isa.is_ascii(pair)
        {
            rest = &rest[PAIR..];
        }
        // Two blocks that overlap hold what is left after that.
        let first = rest.first_chunk::<BLOCK>().unwrap_or(last);
        if rest.len() < PAIR && isa.is_ascii(last) && isa.is_ascii(first) {
            return true;
        }
        if rest.len() <= I::WIDTH {
            return run_separately(isa, IsValid::<_, true>(rest, C::Rules::default()));
        }
        if rest.len() > SHORT {
            return run_separately(isa, super::check(rest, C::Rules::default())).valid == rest.len();
        }
    }
    let mut checker = C::new(isa);
    let (head, after) = rest.split_at(rest.len().min(BLOCK));
    checker.check_start(head);
    if !after.is_empty() {
        let mut ahead = &rest[BLOCK - BEHIND..];
        while ahead.len() > BEHIND + PAIR
            && let Some(run) = ahead.first_chunk::<{ BEHIND + PAIR }>()
        {
            checker.check::<{ BEHIND + PAIR }, false>(run);
            ahead = &ahead[PAIR..];
        }
        while ahead.len() > WINDOW
            && let Some(window) = ahead.first_chunk::<WINDOW>()
        {
            checker.check::<WINDOW, false>(window);
            ahead = &ahead[BLOCK..];
        }
        match rest.last_chunk::<WINDOW>() {
            Some(window) => _ = checker.check::<WINDOW, false>(window),
            None => checker.check_some(rest),
        }
    }
    !(checker.failed() | breaks_off(rest))
}

/// The byte of the first block that breaks a rule; perhaps the last byte if a character breaks off.
#[inline(always)]
fn broken_in_head<I: Isa, C: Checker<I>>(checker: &C, head: &[u8]) -> Option<usize> {
    match checker.broken_at_start(head) {
        0 => None,
        broken => Some((broken.trailing_zeros() as usize).min(head.len() - 1)),
    }
}

/// The same for the last block of more than one; everything before it was checked.
#[inline(always)]
fn broken_in_tail<I: Isa, C: Checker<I>>(checker: &mut C, data: &[u8]) -> Option<usize> {
    // What stands before the tail makes it a whole block.
    let broken = match data.last_chunk() {
        Some(window) => Some(checker.broken(window))
            .filter(|&broken| broken != 0)
            .map(|broken| data.len() - BLOCK + broken.trailing_zeros() as usize),
        None => {
            checker.check_some(data);
            // The tail has two bytes at most, so this is near enough.
            checker.failed().then_some(BLOCK)
        }
    };
    broken.or(breaks_off(data).then(|| data.len() - 1))
}

/// How many bytes of `data` break no rule, as in [`Findings::valid`], where some are expected to: each block is
/// looked at as it comes.
#[inline(always)]
fn valid_up_to<I: Isa, C: Checker<I>>(isa: I, data: &[u8]) -> usize {
    if data.is_empty() {
        return 0;
    }
    let mut checker = C::new(isa);
    let (head, after) = data.split_at(data.len().min(BLOCK));
    if let Some(broken) = broken_in_head(&checker, head) {
        return broken;
    }
    if after.is_empty() {
        return if breaks_off(data) { data.len() - 1 } else { data.len() };
    }
    let mut at = BLOCK;
    if !breaks_off(head) {
        while let Some(group) = data.get(at..).and_then(<[u8]>::first_chunk::<PAIR>)
            && isa.is_ascii(group)
        {
            at += PAIR;
        }
    }
    while let Some(window) = data.get(at - BEHIND..).and_then(<[u8]>::first_chunk) {
        let broken = checker.broken(window);
        if broken != 0 {
            return at + broken.trailing_zeros() as usize;
        }
        at += BLOCK;
    }
    broken_in_tail(&mut checker, data).unwrap_or(data.len())
}

/// Where `data` break a rule, and what they hold up to there.
#[inline(always)]
fn validate<I: Isa, C: Checker<I>, const MEASURE: bool, const LINES: bool>(isa: I, data: &[u8]) -> Findings {
    if data.is_empty() {
        return Findings::default();
    }
    let mut pass = Pass::<I, C, MEASURE, LINES> {
        isa,
        checker: C::new(isa),
        dense: false,
        counter: Counter::new(isa.counter()),
    };
    let (head, after) = data.split_at(data.len().min(BLOCK));
    pass.checker.check_start(head);
    if pass.checker.failed() || after.is_empty() && breaks_off(head) {
        let broken = broken_in_head(&pass.checker, head).unwrap_or(head.len() - 1);
        return pass.findings(broken, 0);
    }
    if after.is_empty() {
        pass.count(head);
        return pass.findings(data.len(), data.len());
    }
    // From here on whole cache lines are read, if they can be, and the end of the head once more.
    let first = match data.as_ptr().addr().wrapping_neg() % BLOCK {
        ..BEHIND => BLOCK,
        first => first,
    };
    pass.count(&head[..first]);
    // Text is usually like its beginning.
    pass.dense = !is_ascii(isa, head);
    // `rest` starts three bytes before what is not yet checked, and never runs quite empty: the last
    // bytes are left for the end.
    let mut rest = &data[first - BEHIND..];
    // How long a stretch is checked without being surveyed grows with the dense text seen.
    let mut trust = DENSE_STRETCH.0;
    while rest.len() > WINDOW {
        let mut skipped = 0;
        if !pass.dense {
            skipped = pass.skip_ascii(&rest[..rest.len() - 1]);
            rest = &rest[skipped..];
            if skipped == Pass::<I, C, MEASURE, LINES>::LONGEST_SKIP {
                continue;
            }
        }
        let left = rest.len() - BEHIND - 1;
        let bytes = &rest[BEHIND..];
        let passed;
        let length;
        if !MEASURE && skipped >= DIRECT && left >= PAIR {
            length = PAIR;
            passed = pass.pass_dense(&rest[..BEHIND + length]);
        } else if left < C::GROUP || pass.dense && !is_ascii(isa, &bytes[..bytes.len().min(PROBE)]) {
            length = (left - left % BLOCK).min(trust);
            trust = (2 * trust).min(DENSE_STRETCH.1);
            passed = pass.pass_dense(&rest[..BEHIND + length]);
        } else {
            trust = DENSE_STRETCH.0;
            let longest = ((data.len() - rest.len()) / PART / C::GROUP)
                .clamp(STRETCH.0, Pass::<I, C, MEASURE, LINES>::LONGEST_STRETCH);
            length = (left / C::GROUP).min(longest) * C::GROUP;
            let stretch = &rest[..BEHIND + length];
            passed = match C::GROUP {
                BLOCK => pass.pass_sparse::<BLOCK, WINDOW>(stretch),
                _ => pass.pass_sparse::<{ PAIR }, { BEHIND + PAIR }>(stretch),
            };
        }
        if let Err(failed) = passed {
            let before = data.len() - (rest.len() - BEHIND);
            let (broken, counted) = pass.broken_byte(&rest[..BEHIND + length], failed);
            return pass.findings(before + broken, before + counted);
        }
        rest = &rest[length..];
    }
    let (_, tail) = rest.split_at(BEHIND);
    if let Some(broken) = broken_in_tail(&mut pass.checker, data) {
        return pass.findings(broken, data.len() - tail.len());
    }
    pass.count(tail);
    pass.findings(data.len(), data.len())
}
