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

use crate::simd::{Lookup, Work};

use super::blocks::LOOKBACK_BYTES;

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
/// Bytes in the first run after a tier was chosen, and in the longest.
const MIN_RUN_BYTES: usize = 512;
const MAX_RUN_BYTES: usize = 2048;
/// Runs after which a cheaper tier is tried, at first and at most.
const MIN_PATIENCE: u8 = 2;
const MAX_PATIENCE: u8 = 32;
/// Runs that a tier must have held for its choice to have been right.
const LONG: u8 = 8;

/// The tier in use.
#[derive(Clone, Copy)]
pub(super) struct Tiers {
    tier: u8,
    /// The tier to try after runs of [`ALL`].
    retried: u8,
    /// Bytes in the next run.
    run_bytes: usize,
    /// Runs since the tier was chosen, at most 255.
    held: u8,
    /// The last of these runs that a cheaper tier would have held, too, or all of them for [`ALL`].
    calm: u8,
    /// The number of such runs after which it is tried.
    patience: u8,
}

impl Tiers {
    /// The cheapest.
    pub(super) const START: Self = Self {
        tier: TWO,
        retried: TWO,
        run_bytes: MIN_RUN_BYTES,
        held: LONG,
        calm: 0,
        patience: MIN_PATIENCE,
    };

    /// Uses another tier from now on.
    #[inline(always)]
    fn choose(&mut self, tier: u8) {
        *self = Self { tier, run_bytes: MIN_RUN_BYTES, held: 0, calm: 0, ..*self };
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

    /// Goes on after a run that this tier needs at least.
    #[inline(always)]
    fn accept(&mut self, needed: u8) {
        self.held = self.held.saturating_add(1);
        self.run_bytes = (2 * self.run_bytes).min(MAX_RUN_BYTES);
        self.calm = if needed < self.tier { self.calm + 1 } else { 0 };
        if self.calm >= self.patience {
            self.choose(needed);
        }
    }
}

/// Checks the start of a stretch, which follows three bytes. Returns the number of bytes after these that are valid
/// together with those before them, whole blocks; the next ones are to be checked as any text.
#[inline(never)]
pub(super) fn check_start<I: Lookup>(isa: I, stretch: &[u8], tiers: &mut Tiers) -> usize {
    isa.call(CheckStart(stretch, tiers))
}

struct CheckStart<'a>(&'a [u8], &'a mut Tiers);

impl<I: Lookup> Work<I> for CheckStart<'_> {
    type Output = usize;

    #[inline(always)]
    fn run(self, isa: I) -> usize {
        let Self(stretch, tiers) = self;
        let mut checked = 0;
        loop {
            if tiers.tier == ALL {
                if tiers.calm < tiers.patience {
                    tiers.calm += 1;
                    return checked;
                }
                tiers.choose(tiers.retried);
            }
            let rest = &stretch[checked..];
            let left = rest.len() - LOOKBACK_BYTES;
            let length = (left - left % STEP_BYTES).min(tiers.run_bytes);
            if length == 0 {
                return checked;
            }
            let run = &rest[..LOOKBACK_BYTES + length];
            let result = match tiers.tier {
                TWO => check_run::<I, TWO>(isa, run),
                THREE => check_run::<I, THREE>(isa, run),
                WITH_E0 => check_run::<I, WITH_E0>(isa, run),
                _ => check_run::<I, WITH_ED>(isa, run),
            };
            match result {
                Ok(needed) => {
                    tiers.accept(needed);
                    checked += length;
                }
                Err(needed) => tiers.refuse(needed),
            }
        }
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
