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
//! 2. A tier may refuse valid text, and never accepts other text. It is tested after each kilobyte, or after 256 bytes
//!    where an error is likely soon; where it refuses, the next one is chosen by the leads seen so far. What none
//!    holds, errors among it, is left to the tables of nibbles; so there is one search for errors, and it is exact.
//! 3. A tier reads the byte before its first one again, and the one before that if it looks for E0 to EF. It starts
//!    only where no other lead requires continuation bytes. Where it looks for E0 by s2, no E0 is two bytes before the
//!    end of a run, since s2 sees it only in the next one.
//! 4. Only dense stretches of a kilobyte or more use tiers, and text near an error; sparse text stays with the survey
//!    of ASCII, see [`blocks`](super::blocks). The leads in the next 512 bytes choose the first tier. A cheaper one is
//!    chosen after some kilobytes that it would have held. After each choice that was soon refuted, the next takes four
//!    times as long, so that text of alternating scripts does little work twice.
//!
//! 5. Counts are made in the same pass. A tier has compared bytes with C0 for k already, and knows the largest byte, so
//!    that continuation bytes cost one more operation, newlines two, and nothing is loaded; four-byte leads are only at
//!    the end of what a tier holds.
//!
//! AVX2 on an Intel Xeon, slices of 64 KiB, with this / with the tables of nibbles alone, and with this / the best of
//! simdutf8 and simdutf: Greek, Arabic, Hebrew 1.67 and 1.7; Russian, Japanese, French with dashes and quotation marks
//! 1.3 and 1.35 to 1.44; Hindi, Thai 1.24 and 1.3; Chinese, Korean 1.13 and 1.2; mixed scripts 0.98 and 1.0, in slices
//! of 4 KiB 0.90.
//!
//! Tried and lost: a tier chosen one after another without a look ahead (emoji slower by a sixth); all loops in one
//! function, and runs whose length the compiler knows, which it unrolls until registers are spilled (both slower by a
//! tenth to a quarter); tests after 512 bytes (6 % slower); runs of up to 8 KB without a test (Chinese with an emoji
//! in 15 KB slower by a ninth); the tables of nibbles within the tiers (emoji slower by 3 to 5 %); newlines counted by
//! a loop of their own in the last two tiers, whose registers are spilled (nothing gained on Zen 3 with AVX2, with
//! SSE4.2 slower by 6 %).

use super::blocks::{Checker, CheckerFamily, LOOKBACK_BYTES, WINDOW_BYTES};
use super::nibbles::Nibbles;
use super::rules::Rules;
use crate::kernels::counts::Counts;
use crate::sequence::FOUR_BYTE_LEAD;
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

/// Bytes in a step of a loop.
const STEP_BYTES: usize = 128;
/// Bytes after which errors are tested, and a tier may refuse.
const RUN_BYTES: usize = 1024;
/// Bytes in the first run, where a tier does not fit the text, that mostly shows soon; and in all where an error is
/// likely soon.
const SHORT_RUN_BYTES: usize = 256;
/// Bytes of the shortest stretch that is checked by tiers, with those before it.
const MIN_BYTES: usize = LOOKBACK_BYTES + 1024;
/// Bytes by whose leads a tier is chosen.
const PEEK_BYTES: usize = 512;
/// The unit of lengths in the state of [`Tiers`].
const UNIT_BYTES: usize = 512;
/// Units after which a cheaper tier is tried, at first and at most.
const MIN_DELAY: u8 = 16;
const MAX_DELAY: u8 = 128;
/// Units that a tier must have held for its choice to have been right.
const LONG: u8 = 16;

/// The tier in use.
#[derive(Clone, Copy)]
struct Tiers {
    tier: u8,
    /// Units since the tier was chosen, at most 255.
    held: u8,
    /// The last of these units that a cheaper tier would have held, too, or all of them for [`ALL`].
    calm: u8,
    /// The number of such units after which it is tried.
    delay: u8,
}

impl Tiers {
    /// A tier is to be chosen.
    const START: Self = Self { tier: ALL, held: 0, calm: MIN_DELAY, delay: MIN_DELAY };

    /// Returns the fields as a word, which is passed and returned in a register.
    #[inline(always)]
    fn word(self) -> u32 {
        let Self { tier, held, calm, delay } = self;
        u32::from_le_bytes([tier, held, calm, delay])
    }

    /// Returns the fields of a word.
    #[inline(always)]
    fn from_word(word: u32) -> Self {
        let [tier, held, calm, delay] = word.to_le_bytes();
        Self { tier, held, calm, delay }
    }

    /// Uses another tier from now on.
    #[inline(always)]
    fn choose(&mut self, tier: u8) {
        *self = Self { tier, held: 0, calm: 0, ..*self };
    }

    /// Returns whether a stretch of this length is to be checked as any text.
    #[inline(always)]
    fn wait(&mut self, length: usize) -> bool {
        let wait = self.tier == ALL && self.calm < self.delay;
        if wait {
            self.calm = self.calm.saturating_add(units(length)).min(self.delay);
        }
        wait
    }

    /// Waits longer from now on.
    #[inline(always)]
    fn wait_longer(&mut self) {
        self.delay = self.delay.saturating_mul(4).min(MAX_DELAY);
    }

    /// Chooses a tier that would hold the text ahead.
    #[inline(always)]
    fn try_again(&mut self, needed: u8) {
        self.choose(needed);
        if needed == ALL {
            self.wait_longer();
        }
    }

    /// Continues after some bytes that the tier holds, where `needed` would have been enough.
    #[inline(always)]
    fn accept(&mut self, needed: u8, length: usize) {
        self.held = self.held.saturating_add(units(length));
        self.calm =
            if needed < self.tier { self.calm.saturating_add(units(length)).min(self.delay) } else { 0 };
        if self.calm == self.delay {
            self.choose(needed);
        }
    }

    /// Continues where the tier does not hold the text, but perhaps `needed`.
    #[inline(always)]
    fn refuse(&mut self, needed: u8) {
        let soon = self.held < LONG;
        // Text that refutes one choice after another has many scripts.
        let mixed = soon && self.delay > MIN_DELAY;
        if soon {
            self.wait_longer();
        } else {
            self.delay = MIN_DELAY;
        }
        self.choose(if needed > self.tier && !mixed { needed } else { ALL });
    }
}

/// Returns a length in units.
#[inline(always)]
fn units(length: usize) -> u8 {
    (length / UNIT_BYTES).min(255) as u8
}

/// Checks the start of a stretch, which follows three bytes, by tiers. Returns the number of bytes after these that are
/// valid together with those before them, whole blocks, and adds their counts.
///
/// It is the same for all rules, none of which refuses what a tier holds.
#[inline(never)]
fn check_stretch<I: Lookup, const COUNT: bool, const LINES: bool>(
    isa: I,
    stretch: &[u8],
    tiers: u32,
    run_bytes: usize,
    counts: &mut Counts,
) -> (usize, u32) {
    let mut tiers = Tiers::from_word(tiers);
    let mut checked = 0;
    loop {
        let rest = &stretch[checked..];
        let left = rest.len() - LOOKBACK_BYTES;
        let length = left - left % STEP_BYTES;
        if tiers.tier == ALL {
            if tiers.wait(length) || length < PEEK_BYTES {
                break;
            }
            tiers.try_again(run_apart(isa, Peek(&rest[LOOKBACK_BYTES..][..PEEK_BYTES])));
            continue;
        }
        if length == 0 {
            break;
        }
        let ahead = &rest[..LOOKBACK_BYTES + length];
        let Held { bytes, needed, counts: more } = match tiers.tier {
            TWO => run_apart(isa, CheckTier::<TWO, COUNT, LINES>(ahead, run_bytes)),
            THREE => run_apart(isa, CheckTier::<THREE, COUNT, LINES>(ahead, run_bytes)),
            WITH_E0 => run_apart(isa, CheckTier::<WITH_E0, COUNT, LINES>(ahead, run_bytes)),
            _ => run_apart(isa, CheckTier::<WITH_ED, COUNT, LINES>(ahead, run_bytes)),
        };
        *counts = counts.plus(more);
        checked += bytes;
        if bytes == length {
            tiers.accept(needed, bytes);
        } else {
            tiers.held = tiers.held.saturating_add(units(bytes));
            tiers.refuse(needed);
        }
    }
    (checked, tiers.word())
}

/// Runs work compiled separately: loops in one function would compete for registers.
#[inline(never)]
fn run_apart<I: Lookup, W: Work<I>>(isa: I, work: W) -> W::Output {
    isa.call(work)
}

/// Finds the cheapest tier that holds the leads in some bytes, whole vectors.
struct Peek<'a>(&'a [u8]);

impl<I: Lookup> Work<I> for Peek<'_> {
    type Output = u8;

    #[inline(always)]
    fn run(self, isa: I) -> u8 {
        let (mut largest, mut e0) = (isa.splat(0), isa.splat(0));
        for vector in self.0.chunks_exact(I::WIDTH) {
            let bytes = isa.load(vector, 0);
            largest = isa.max(largest, bytes);
            e0 = isa.or(e0, isa.equal_lanes(bytes, isa.splat(0xE0)));
        }
        tier_of(isa.reduce_max(largest), isa.any(e0))
    }
}

/// Returns the cheapest tier that holds leads, or [`ALL`].
#[inline(always)]
fn tier_of(largest: u8, e0: bool) -> u8 {
    match (largest, e0) {
        (0xF0.., _) | (0xED.., true) => ALL,
        (0xED.., _) => WITH_ED,
        (_, true) => WITH_E0,
        (0xE0.., _) => THREE,
        _ => TWO,
    }
}

/// How much of a text a tier holds.
struct Held {
    /// The number of bytes, whole runs or all.
    bytes: usize,
    /// The tier that all of them need; if that is not all of the text, the one that they and the next run may need.
    needed: u8,
    /// Counts over them, as far as they are to be made.
    counts: Counts,
}

/// Checks text, which follows three bytes, by a tier: whole steps, in runs of this length. With `COUNT` it counts all
/// but newlines, and with `LINES` these.
struct CheckTier<'a, const TIER: u8, const COUNT: bool, const LINES: bool>(&'a [u8], usize);

impl<I: Lookup, const TIER: u8, const COUNT: bool, const LINES: bool> Work<I>
    for CheckTier<'_, TIER, COUNT, LINES>
{
    type Output = Held;

    #[inline(always)]
    fn run(self, isa: I) -> Held {
        let Self(text, run_bytes) = self;
        let mut seen = Seen::<I, TIER, COUNT, LINES>::new(isa);
        let (mut counts, mut largest) = (Counts::default(), seen.largest);
        // Leads that require continuation bytes which the tier does not look for.
        let second_from = if TIER == TWO { 0xE0 } else { 0xF0 };
        let pending = text[0] >= 0xF0 || text[1] >= second_from;
        let mut bytes = 0;
        let all = text.len() - LOOKBACK_BYTES;
        while bytes < all && !pending {
            // (Where the compiler knows the length, it unrolls the loop, and runs out of registers.)
            let length = (if bytes == 0 { SHORT_RUN_BYTES } else { run_bytes }).min(all - bytes);
            let run = &text[bytes..][..LOOKBACK_BYTES + length];
            seen.add_steps(run);
            if !seen.holds(run) {
                break;
            }
            bytes += length;
            if COUNT {
                counts = counts.plus(seen.take_counts());
                largest = seen.largest;
            }
        }
        if COUNT && bytes > 0 {
            // The last byte was not seen before another: any lead may be there.
            let last = text[LOOKBACK_BYTES + bytes - 1];
            counts.four_byte_leads = usize::from(last >= FOUR_BYTE_LEAD);
            counts = counts.with_largest(isa.reduce_max(largest).saturating_add(0xC0 - 0x80).max(last));
        }
        Held { bytes, needed: seen.needed(), counts }
    }
}

/// What a tier has seen.
struct Seen<I: Lookup, const TIER: u8, const COUNT: bool, const LINES: bool> {
    isa: I,
    /// Bit 7 is set where there was an error.
    errors: I::Vector,
    /// Bit 5 is set where there was an error, and bit 6 or 7 after the leads in question.
    pairs: I::Vector,
    least: I::Vector,
    least_second: I::Vector,
    largest: I::Vector,
    /// The number of continuation bytes and of newlines since they were taken.
    continuations: I::Vector,
    newlines: I::Vector,
}

impl<I: Lookup, const TIER: u8, const COUNT: bool, const LINES: bool> Seen<I, TIER, COUNT, LINES> {
    /// Whether E0 is looked for among the leads.
    const REFUSES_E0: bool = TIER == THREE || TIER == WITH_ED;

    #[inline(always)]
    fn new(isa: I) -> Self {
        let zero = isa.splat(0);
        Self {
            isa,
            errors: zero,
            pairs: zero,
            least: zero,
            least_second: zero,
            largest: zero,
            continuations: zero,
            newlines: zero,
        }
    }

    /// Returns the number of continuation bytes and of newlines, and starts again.
    #[inline(always)]
    fn take_counts(&mut self) -> Counts {
        const { assert!(RUN_BYTES / I::WIDTH <= 255, "no lane overflows") };
        let isa = self.isa;
        let continuations = isa.reduce_sum(self.continuations);
        let newlines = if LINES { isa.reduce_sum(self.newlines) } else { 0 };
        (self.continuations, self.newlines) = (isa.splat(0), isa.splat(0));
        Counts { continuations, newlines, ..Counts::default() }
    }

    /// Looks at whole steps, which follow three bytes.
    #[inline(always)]
    fn add_steps(&mut self, run: &[u8]) {
        let mut ahead = run;
        while let Some(step) = ahead.first_chunk::<{ LOOKBACK_BYTES + STEP_BYTES }>() {
            let mut at = LOOKBACK_BYTES;
            while at < step.len() {
                self.add(step, at);
                at += I::WIDTH;
            }
            ahead = &ahead[STEP_BYTES..];
        }
    }

    /// Looks at the vector at `step[at..]`.
    #[inline(always)]
    fn add(&mut self, step: &[u8; LOOKBACK_BYTES + STEP_BYTES], at: usize) {
        let isa = self.isa;
        let here = isa.load(step, at);
        let first = isa.load(step, at - 1);
        let s = isa.saturating_sub(first, isa.splat(0xC0 - 0x80));
        let mut required = s;
        if TIER > TWO {
            let s2 = isa.saturating_sub(isa.load(step, at - 2), isa.splat(0xE0 - 0x80));
            required = isa.or(s, s2);
            if Self::REFUSES_E0 {
                self.least_second = isa.min_signed(self.least_second, s2);
            }
        }
        let continuation = isa.below_signed(here, isa.splat(0xC0));
        self.errors = isa.or(self.errors, isa.xor(required, continuation));
        if COUNT {
            // (The same comparison.)
            self.continuations = isa.count_continuations(self.continuations, here);
        }
        if LINES {
            self.newlines = isa.count_equal(self.newlines, here, isa.splat(b'\n'));
        }
        self.least = isa.min_signed(self.least, s);
        self.largest = isa.max(self.largest, s);
        if TIER == WITH_E0 {
            let after = isa.equal_lanes(first, isa.splat(0xE0));
            self.pairs = isa.or(self.pairs, isa.and_not(after, here));
        }
        if TIER == WITH_ED {
            let after = isa.equal_lanes(first, isa.splat(0xED));
            self.pairs = isa.or(self.pairs, isa.and(after, here));
        }
    }

    /// Returns lanes of which one has bit 7 if there was a lead from `lead` on, E0 or above.
    #[inline(always)]
    fn from(&self, lead: u8) -> I::Vector {
        self.isa.saturating_sub(self.largest, self.isa.splat(lead - 0xC0))
    }

    /// Returns lanes of which one has bit 7 if there was E0, where the tier refuses it.
    #[inline(always)]
    fn refused_e0(&self) -> I::Vector {
        self.isa.below_signed(self.least_second, self.isa.splat(0x81))
    }

    /// Returns whether the tier holds all that it has seen; `last` is the end of that.
    #[inline(always)]
    fn holds(&self, last: &[u8]) -> bool {
        let isa = self.isa;
        let mut bad = isa.or(self.errors, isa.below_signed(self.least, isa.splat(0x82)));
        bad = isa.or(bad, self.from([0xE0, 0xED, 0xED, 0xF0][usize::from(TIER)]));
        if Self::REFUSES_E0 {
            bad = isa.or(bad, self.refused_e0());
        }
        if TIER >= WITH_E0 {
            // Bit 5 moves to bit 7.
            let bit = isa.and(self.pairs, isa.splat(0x20));
            let bit = isa.add(bit, bit);
            bad = isa.or(bad, isa.add(bit, bit));
        }
        // E0 two bytes before the end is not seen as such, only the byte after it.
        let unseen = Self::REFUSES_E0 && last[last.len() - 2] == 0xE0;
        !(isa.any_non_ascii(bad) | unseen)
    }

    /// Returns the cheapest tier that holds the leads seen, or [`ALL`].
    #[inline(always)]
    fn needed(&self) -> u8 {
        let isa = self.isa;
        let e0 = match TIER {
            // Bit 6 of a continuation byte is not set.
            WITH_E0 => isa.any_non_ascii(isa.add(self.pairs, self.pairs)),
            _ => Self::REFUSES_E0 && isa.any_non_ascii(self.refused_e0()),
        };
        tier_of(isa.reduce_max(self.largest).saturating_add(0xC0 - 0x80), e0)
    }
}

/// A checker by tiers, and by tables of nibbles where these take less time to set up.
#[derive(Clone, Copy)]
pub(crate) struct Tiered<I: Lookup, R> {
    isa: I,
    nibbles: Nibbles<I, R>,
    /// The state of [`Tiers`].
    tiers: u32,
}

/// The checkers by tiers, for any rules.
pub(crate) struct TieredCheckers;

impl<I: Lookup> CheckerFamily<I> for TieredCheckers {
    type Checker<R: Rules> = Tiered<I, R>;
}

impl<I: Lookup, R: Rules> Checker<I> for Tiered<I, R> {
    type Rules = R;

    /// Tiers count, tables of nibbles do not.
    const COUNTS: bool = false;

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
    fn check_stretch<const COUNT: bool, const LINES: bool>(
        &mut self,
        stretch: &[u8],
        wary: bool,
        counts: &mut Counts,
    ) -> usize {
        if stretch.len() < MIN_BYTES {
            return 0;
        }
        let mut tiers = Tiers::from_word(self.tiers);
        if tiers.wait(stretch.len()) {
            self.tiers = tiers.word();
            return 0;
        }
        let run_bytes = if wary { SHORT_RUN_BYTES } else { RUN_BYTES };
        let (checked, word) =
            check_stretch::<I, COUNT, LINES>(self.isa, stretch, self.tiers, run_bytes, counts);
        self.tiers = word;
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
