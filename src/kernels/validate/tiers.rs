//! Validation in tiers: a run of text gets the cheapest check that fits the characters in it.
//!
//! The lookups of [`nibbles`](super::nibbles) take 16 vector operations for a vector of any text. Text of one script
//! needs less: where no lead byte has a narrower range of second bytes, and none announces four bytes, it is enough
//! that continuation bytes are just where leads require them. An algorithm of our own.
//!
//! With c the byte and p1 and p2 those before it, which are loaded again: s = p1 - 40 and s2 = p2 - 60, both 0 where
//! that is less, so that their high bits are set just if p1 is at least C0, and p2 at least E0; k is all ones if c is a
//! continuation byte.
//!
//! | tier | leads | error (the high bit) | besides | operations |
//! |---|---|---|---|---|
//! | [`TWO`] | C2 to DF | s ^ k | least and largest s | 6 |
//! | [`THREE`] | also E1 to EC | (s or s2) ^ k | and the least s2 | 9 |
//! | [`WITH_E0`] | also E0 | the same | bit 5 of c, not set after E0 | 11 |
//! | [`WITH_ED`] | also ED to EF, without E0 | the same | bit 5 of c, set after ED | 12 |
//!
//! 1. As signed numbers the least s is 80 or 81 if there is C0 or C1, and the least s2 is 80 if there is E0. As an
//!    unsigned number the largest s is at least A0, AD and B0 from E0, ED and F0 on. So a tier finds the leads that it
//!    does not hold by an operation for each vector, and by a test at the end of a run.
//! 2. A tier may refuse valid text, and never accepts other. If it refuses a run, the largest s tells which tier may
//!    hold it. What none holds, errors among it, is left to the checker of all text, a run at a time; so errors are
//!    found in one place.
//! 3. A tier reads what precedes a run, except that a lead may require continuation bytes in the run that it does not
//!    look for; it starts only if there is none.
//! 4. When some runs would have passed a cheaper tier, it is tried again; each time soon after that was in vain, it
//!    takes twice as many. So text that goes back and forth does not do most of its work twice.

use super::blocks::{Checker, CheckerFamily, LOOKBACK_BYTES, WINDOW_BYTES};
use super::nibbles::Nibbles;
use super::rules::Rules;
use crate::kernels::counts::Counts;
use crate::simd::{Lookup, Work};

/// Leads up to DF.
const TWO: u8 = 0;
/// Leads up to EC, without E0.
const THREE: u8 = 1;
/// Leads up to EC.
const WITH_E0: u8 = 2;
/// Leads up to EF, without E0.
const WITH_ED: u8 = 3;
/// All text: not a tier here.
const ALL: u8 = 4;

/// Bytes that are read between two tests for the end of a run.
const STEP_BYTES: usize = 128;
/// The unit of the lengths of runs, and of what is kept about them.
const UNIT_BYTES: usize = 1024;
/// Units in the longest run.
const MAX_RUN_UNITS: u8 = 8;
/// Units after which a cheaper tier is tried, at first and at most.
const MIN_PATIENCE: u8 = 2;
const MAX_PATIENCE: u8 = 64;
/// Units that a tier must have held for its choice to have been right.
const LONG: u8 = 8;

/// The tier in use.
#[derive(Clone, Copy)]
struct Tiers {
    tier: u8,
    /// The tier to try after runs of [`ALL`].
    retried: u8,
    /// The most units in the next run.
    run_units: u8,
    /// Units since the tier was chosen, at most 255.
    held: u8,
    /// The last of these units that a cheaper tier would have held, too, or all of them for [`ALL`].
    calm: u8,
    /// The number of such units after which it is tried.
    patience: u8,
}

impl Tiers {
    /// The cheapest.
    const START: Self =
        Self { tier: TWO, retried: TWO, run_units: 1, held: LONG, calm: 0, patience: MIN_PATIENCE };

    /// Returns the fields as a word, which is passed and returned in a register.
    #[inline(always)]
    fn word(self) -> u64 {
        let Self { tier, retried, run_units, held, calm, patience } = self;
        u64::from_le_bytes([tier, retried, run_units, held, calm, patience, 0, 0])
    }

    /// Returns the fields of a word.
    #[inline(always)]
    fn from_word(word: u64) -> Self {
        let [tier, retried, run_units, held, calm, patience, ..] = word.to_le_bytes();
        Self { tier, retried, run_units, held, calm, patience }
    }

    /// Uses another tier from now on.
    #[inline(always)]
    fn choose(&mut self, tier: u8) {
        *self = Self { tier, run_units: 1, held: 0, calm: 0, ..*self };
    }

    /// Goes on after a run that the tier does not hold.
    #[inline(always)]
    fn refuse(&mut self, needed: u8) {
        self.patience = if self.held < LONG { (2 * self.patience).min(MAX_PATIENCE) } else { MIN_PATIENCE };
        if needed > self.tier && needed < ALL {
            self.choose(needed);
        } else {
            self.retried = self.tier;
            self.choose(ALL);
        }
    }

    /// Goes on after a run of some bytes that needs this tier at least.
    #[inline(always)]
    fn accept(&mut self, needed: u8, length: usize) {
        let units = length.div_ceil(UNIT_BYTES) as u8;
        self.held = self.held.saturating_add(units);
        self.run_units = (2 * self.run_units).min(MAX_RUN_UNITS);
        self.calm = if needed < self.tier { self.calm + units } else { 0 };
        if self.calm >= self.patience {
            self.choose(needed);
        }
    }
}

/// Checks a stretch, which follows three bytes. Returns the number of bytes after these that are valid together with
/// those before them, whole blocks: the last ones, or those that have an error and some before it, are to be checked
/// once more.
#[inline(never)]
fn check_stretch<I: Lookup, R: Rules>(isa: I, stretch: &[u8], tiers: u64) -> (usize, u64) {
    let mut tiers = Tiers::from_word(tiers);
    let mut checked = 0;
    loop {
        let rest = &stretch[checked..];
        let left = rest.len() - LOOKBACK_BYTES;
        let length = (left - left % STEP_BYTES).min(usize::from(tiers.run_units) * UNIT_BYTES);
        if length == 0 {
            break;
        }
        let run = &rest[..LOOKBACK_BYTES + length];
        let result = match tiers.tier {
            TWO => run_apart(isa, Run::<TWO>(run)),
            THREE => run_apart(isa, Run::<THREE>(run)),
            WITH_E0 => run_apart(isa, Run::<WITH_E0>(run)),
            WITH_ED => run_apart(isa, Run::<WITH_ED>(run)),
            _ => {
                if !run_apart(isa, RunOfAny(run, R::default())) {
                    break;
                }
                Ok(tiers.retried)
            }
        };
        match result {
            Ok(needed) => {
                tiers.accept(needed, length);
                checked += length;
            }
            Err(needed) => tiers.refuse(needed),
        }
    }
    (checked, tiers.word())
}

/// Runs work compiled separately: loops in one function would compete for registers.
#[inline(never)]
fn run_apart<I: Lookup, W: Work<I>>(isa: I, work: W) -> W::Output {
    isa.call(work)
}

/// Checks a run of any text, which follows three bytes: whole steps. Its result is whether it is valid; what the last
/// bytes require is for the next run to check.
struct RunOfAny<'a, R>(&'a [u8], R);

impl<I: Lookup, R: Rules> Work<I> for RunOfAny<'_, R> {
    type Output = bool;

    #[inline(always)]
    fn run(self, isa: I) -> bool {
        let mut checker = Nibbles::<I, R>::new(isa);
        let mut ahead = self.0;
        while let Some(step) = ahead.first_chunk::<{ LOOKBACK_BYTES + STEP_BYTES }>() {
            checker.check::<_, false, false, false>(step, &mut Counts::default());
            ahead = &ahead[STEP_BYTES..];
        }
        !checker.failed()
    }
}

/// Checks a run by a tier, see [`check_run`].
struct Run<'a, const TIER: u8>(&'a [u8]);

impl<I: Lookup, const TIER: u8> Work<I> for Run<'_, TIER> {
    type Output = Result<u8, u8>;

    #[inline(always)]
    fn run(self, isa: I) -> Result<u8, u8> {
        check_run::<I, TIER>(isa, self.0)
    }
}

/// Checks a run, which follows three bytes: whole steps. Returns the tier that it needs, as an error if this one does
/// not hold it.
#[inline(always)]
fn check_run<I: Lookup, const TIER: u8>(isa: I, run: &[u8]) -> Result<u8, u8> {
    let zero = isa.splat(0);
    let (mut errors, mut pairs) = (zero, zero);
    let (mut least, mut least_second, mut largest) = (zero, zero, zero);
    let mut ahead = run;
    while let Some(step) = ahead.first_chunk::<{ LOOKBACK_BYTES + STEP_BYTES }>() {
        let mut at = LOOKBACK_BYTES;
        while at < step.len() {
            let here = isa.load(step, at);
            let first = isa.load(step, at - 1);
            let s = isa.saturating_sub(first, isa.splat(0xC0 - 0x80));
            let mut required = s;
            if TIER > TWO {
                let s2 = isa.saturating_sub(isa.load(step, at - 2), isa.splat(0xE0 - 0x80));
                required = isa.or(s, s2);
                if TIER != WITH_E0 {
                    least_second = isa.min_signed(least_second, s2);
                }
            }
            let continuation = isa.below_signed(here, isa.splat(0xC0));
            errors = isa.or(errors, isa.xor(required, continuation));
            least = isa.min_signed(least, s);
            largest = isa.max(largest, s);
            if TIER == WITH_E0 {
                pairs = isa.or(pairs, isa.and_not(isa.equal_lanes(first, isa.splat(0xE0)), here));
            }
            if TIER == WITH_ED {
                pairs = isa.or(pairs, isa.and(isa.equal_lanes(first, isa.splat(0xED)), here));
            }
            at += I::WIDTH;
        }
        ahead = &ahead[STEP_BYTES..];
    }
    // Bit 7 is set from E0, ED and F0 on.
    let from_e0 = isa.saturating_sub(largest, isa.splat(0xE0 - 0xC0));
    let from_ed = isa.saturating_sub(largest, isa.splat(0xED - 0xC0));
    let from_f0 = isa.saturating_sub(largest, isa.splat(0xF0 - 0xC0));
    let mut bad = isa.or(errors, isa.below_signed(least, isa.splat(0x82)));
    bad = isa.or(bad, [from_e0, from_ed, from_ed, from_f0][TIER as usize]);
    let no_e0 = TIER == THREE || TIER == WITH_ED;
    if no_e0 {
        bad = isa.or(bad, isa.below_signed(least_second, isa.splat(0x81)));
    }
    if TIER >= WITH_E0 {
        // Bit 5 in bit 7.
        let bit = isa.and(pairs, isa.splat(0x20));
        bad = isa.or(bad, isa.add(isa.add(bit, bit), isa.add(bit, bit)));
    }
    let (last_three, before) = (run.last_chunk::<2>(), run.first_chunk::<LOOKBACK_BYTES>());
    let second_from = if TIER == TWO { 0xE0 } else { 0xF0 };
    let pending = before.is_none_or(|before| before[0] >= 0xF0 || before[1] >= second_from);
    // After this one there is no s2.
    let unseen = no_e0 && last_three.is_none_or(|last| last[0] == 0xE0);
    let passed = !(isa.any_non_ascii(bad) | pending | unseen);
    if passed {
        let needed = match TIER {
            WITH_ED if isa.any_non_ascii(from_ed) => WITH_ED,
            WITH_E0 if isa.any_non_ascii(isa.add(pairs, pairs)) => WITH_E0,
            TWO => TWO,
            _ if isa.any_non_ascii(from_e0) => THREE,
            _ => TWO,
        };
        return Ok(needed);
    }
    let with_e0 = match TIER {
        WITH_E0 => isa.any_non_ascii(isa.add(pairs, pairs)),
        _ => no_e0 && isa.any_non_ascii(isa.below_signed(least_second, isa.splat(0x81))),
    };
    Err(match (isa.any_non_ascii(from_f0), with_e0, isa.any_non_ascii(from_ed)) {
        (true, ..) | (false, true, true) => ALL,
        (false, true, false) => WITH_E0,
        (false, false, true) => WITH_ED,
        (false, false, false) => {
            if isa.any_non_ascii(from_e0) {
                THREE
            } else {
                TWO
            }
        }
    })
}

/// A checker by tiers, and by tables of nibbles where these take less time to set up.
#[derive(Clone, Copy)]
pub(crate) struct Tiered<I: Lookup, R> {
    isa: I,
    nibbles: Nibbles<I, R>,
    /// The state of [`Tiers`].
    tiers: u64,
}

/// The checkers by tiers, for any rules.
pub(crate) struct TieredCheckers;

impl<I: Lookup> CheckerFamily<I> for TieredCheckers {
    type Checker<R: Rules> = Tiered<I, R>;
}

impl<I: Lookup, R: Rules> Checker<I> for Tiered<I, R> {
    type Rules = R;

    const COUNTS: bool = <Nibbles<I, R> as Checker<I>>::COUNTS;

    const GROUP_BYTES: usize = <Nibbles<I, R> as Checker<I>>::GROUP_BYTES;

    #[inline(always)]
    fn new(isa: I) -> Self {
        Self { isa, nibbles: Nibbles::new(isa), tiers: Tiers::START.word() }
    }

    #[inline(always)]
    fn is_tiny_valid(isa: I, data: &[u8]) -> bool {
        Nibbles::<I, R>::is_tiny_valid(isa, data)
    }

    #[inline(always)]
    fn count_short(isa: I, data: &[u8]) -> Counts {
        Nibbles::<I, R>::count_short(isa, data)
    }

    #[inline(always)]
    fn check_start(&mut self, head: &[u8]) {
        self.nibbles.check_start(head);
    }

    #[inline(always)]
    fn check_stretch(&mut self, stretch: &[u8]) -> usize {
        if stretch.len() < LOOKBACK_BYTES + UNIT_BYTES / 2 {
            return 0;
        }
        let (checked, tiers) = check_stretch::<I, R>(self.isa, stretch, self.tiers);
        self.tiers = tiers;
        checked
    }

    #[inline(always)]
    fn check<const N: usize, const COUNT: bool, const LINES: bool, const FOUR_BYTE_LEADS: bool>(
        &mut self,
        run: &[u8; N],
        counts: &mut Counts,
    ) {
        self.nibbles.check::<N, COUNT, LINES, FOUR_BYTE_LEADS>(run, counts);
    }

    #[inline(always)]
    fn check_some(&mut self, data: &[u8]) {
        self.nibbles.check_some(data);
    }

    #[inline(always)]
    fn failed(&self) -> bool {
        self.nibbles.failed()
    }

    #[inline(always)]
    fn broken_at_start(&self, head: &[u8]) -> u64 {
        self.nibbles.broken_at_start(head)
    }

    #[inline(always)]
    fn broken(&self, window: &[u8; WINDOW_BYTES]) -> u64 {
        self.nibbles.broken(window)
    }

    #[inline(always)]
    fn take_largest(&mut self) -> u8 {
        self.nibbles.take_largest()
    }
}
