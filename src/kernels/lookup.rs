//! Validation by table lookup: John Keiser and Daniel Lemire, "Validating UTF-8 in less than one
//! instruction per byte", Software: Practice and Experience 51 (2021), with changes of our own.
//!
//! 1. What can be wrong with a byte and the one before it is seen from three nibbles: the high and
//!    the low one of the byte before, and the high one of the byte itself. Each is looked up in a
//!    table of error bits; an error is a bit that all three tables agree on.
//! 2. That leaves the third and fourth bytes of a sequence. A byte must be a continuation if two
//!    bytes before stands E0 or above, or three bytes before F0 or above. Two continuation bytes in
//!    a row set the bit [`TWO_CONTINUATIONS`]; they are an error just where they need not be, so
//!    that bit is compared with what must be.
//! 3. The earlier bytes come from loads at one, two and three bytes before, not from shuffles: the
//!    load ports have nothing else to do.
//! 4. ASCII is skipped four vectors at a time. After a stretch that is not, blocks are checked in
//!    bursts without asking for ASCII, since on dense text the question costs a sixth of the time:
//!    one by one at first, so that a lone block costs one unforeseen branch, then half as many as
//!    have come since the last ASCII.
//! 5. Errors are looked at only after each burst, so an error is known to within 4 KB.
//! 6. What is counted is counted after each burst, while it is in the first-level cache.

use super::tally::{BLOCK, Tally, is_ascii};
use super::{Counts, Findings};
use crate::simd::Lookup;

/// How far back a byte's check looks.
const BEHIND: usize = 3;
/// A block with the bytes before it.
const WINDOW: usize = BEHIND + BLOCK;
/// Blocks in the longest burst.
const LONGEST_BURST: usize = 32;
/// So many bytes of ASCII end a dense stretch.
const CALM: usize = 3 * BLOCK;

// The error bits. A bit of the same name in all three tables means that error.
/// A lead byte without its continuation: 11______ then 0_______ or 11______.
const TOO_SHORT: u8 = 1 << 0;
/// A continuation byte after ASCII: 0_______ then 10______.
const TOO_LONG: u8 = 1 << 1;
/// E0 then 80 to 9F.
const OVERLONG_3: u8 = 1 << 2;
/// F4 then 90 to BF, or F5 to FF then 90 to BF.
const TOO_LARGE: u8 = 1 << 3;
/// ED then A0 to BF.
const SURROGATE: u8 = 1 << 4;
/// C0 or C1 then 80 to BF.
const OVERLONG_2: u8 = 1 << 5;
/// F5 to FF then 80 to 8F.
const TOO_LARGE_1000: u8 = 1 << 6;
/// F0 then 80 to 8F: the low nibble tells it from `TOO_LARGE_1000`.
const OVERLONG_4: u8 = 1 << 6;
/// 10______ then 10______.
const TWO_CONTINUATIONS: u8 = 1 << 7;

/// Errors that the low nibble of the byte before has no say in.
const CARRY: u8 = TOO_SHORT | TOO_LONG | TWO_CONTINUATIONS;

/// By the high nibble of the byte before.
const BEFORE_HIGH: [u8; 16] = {
    let mut table = [TOO_LONG; 16]; // 0_______
    table[0x8] = TWO_CONTINUATIONS;
    table[0x9] = TWO_CONTINUATIONS;
    table[0xA] = TWO_CONTINUATIONS;
    table[0xB] = TWO_CONTINUATIONS;
    table[0xC] = TOO_SHORT | OVERLONG_2;
    table[0xD] = TOO_SHORT;
    table[0xE] = TOO_SHORT | OVERLONG_3 | SURROGATE;
    table[0xF] = TOO_SHORT | TOO_LARGE | TOO_LARGE_1000 | OVERLONG_4;
    table
};

/// By the low nibble of the byte before.
const BEFORE_LOW: [u8; 16] = {
    let mut table = [CARRY | TOO_LARGE | TOO_LARGE_1000; 16]; // _5 to _F
    table[0x0] = CARRY | OVERLONG_3 | OVERLONG_2 | OVERLONG_4;
    table[0x1] = CARRY | OVERLONG_2;
    table[0x2] = CARRY;
    table[0x3] = CARRY;
    table[0x4] = CARRY | TOO_LARGE;
    table[0xD] |= SURROGATE;
    table
};

/// By the high nibble of the byte itself.
const HERE_HIGH: [u8; 16] = {
    let mut table = [TOO_SHORT; 16]; // 0_______ and 11______
    let any = TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS;
    table[0x8] = any | OVERLONG_3 | TOO_LARGE_1000 | OVERLONG_4;
    table[0x9] = any | OVERLONG_3 | TOO_LARGE;
    table[0xA] = any | SURROGATE | TOO_LARGE;
    table[0xB] = any | SURROGATE | TOO_LARGE;
    table
};

/// The lookups, ready in vectors.
#[derive(Clone, Copy)]
struct Tables<I: Lookup> {
    isa: I,
    before_high: I::Vector,
    before_low: I::Vector,
    here_high: I::Vector,
}

impl<I: Lookup> Tables<I> {
    #[inline(always)]
    fn new(isa: I) -> Self {
        Self {
            isa,
            before_high: isa.table(&BEFORE_HIGH),
            before_low: isa.table(&BEFORE_LOW),
            here_high: isa.table(&HERE_HIGH),
        }
    }

    /// Non-zero where the bytes at `window[at..]` break a rule together with those before them.
    #[inline(always)]
    fn errors<const N: usize>(&self, window: &[u8; N], at: usize) -> I::Vector {
        let isa = self.isa;
        let here = isa.load(window, at);
        let before = isa.load(window, at - 1);
        let pairs = isa.and(
            isa.and(
                isa.lookup(self.before_high, isa.high_nibbles(before)),
                isa.lookup(self.before_low, isa.and(before, isa.splat(0x0F))),
            ),
            isa.lookup(self.here_high, isa.high_nibbles(here)),
        );
        // These reach 80 just from E0 and F0 on.
        let third = isa.saturating_sub(isa.load(window, at - 2), isa.splat(0xE0 - 0x80));
        let fourth = isa.saturating_sub(isa.load(window, at - 3), isa.splat(0xF0 - 0x80));
        let must_continue = isa.and(isa.or(third, fourth), isa.splat(TWO_CONTINUATIONS));
        isa.xor(must_continue, pairs)
    }
}

/// A pass on its way through the data.
struct Pass<I: Lookup, const MEASURE: bool> {
    tables: Tables<I>,
    /// Non-zero where an error was seen.
    errors: I::Vector,
    /// How many bytes stand behind, all valid, and what they hold.
    valid: usize,
    tally: Tally<I>,
}

impl<I: Lookup, const MEASURE: bool> Pass<I, MEASURE> {
    /// Checks the first `length` bytes of the block in a window.
    #[inline(always)]
    fn check(&mut self, window: &[u8; WINDOW], length: usize) {
        let mut at = BEHIND;
        while at < BEHIND + length {
            self.errors = self.tables.isa.or(self.errors, self.tables.errors(window, at));
            at += I::WIDTH;
        }
    }

    /// Checks `bytes`, at most a block, which follow `before`, by way of a padded copy.
    #[inline(always)]
    fn check_copy(&mut self, before: &[u8], bytes: &[u8]) {
        let mut window = [0; WINDOW];
        window[BEHIND - before.len()..BEHIND].copy_from_slice(before);
        window[BEHIND..BEHIND + bytes.len()].copy_from_slice(bytes);
        self.check(&window, bytes.len());
    }

    /// Accepts the bytes checked since the last time, or says that there is an error in them.
    #[inline(always)]
    fn settle(&mut self, checked: &[u8]) -> bool {
        if self.tables.isa.any(self.errors) {
            return false;
        }
        self.valid += checked.len();
        if MEASURE {
            self.tally.add(checked);
        }
        true
    }

    /// Skips the ASCII blocks that `rest` goes on with after its first three bytes, and returns how
    /// many bytes they are: none if a character is still open there. Leaves more than nothing.
    #[inline(always)]
    fn skip_ascii(&mut self, rest: &[u8]) -> usize {
        let isa = self.tables.isa;
        let mut ahead = rest;
        if breaks_off(&rest[..BEHIND]) {
            return 0;
        }
        while ahead.len() > WINDOW
            && let Some(window) = ahead.first_chunk::<WINDOW>()
        {
            if MEASURE {
                if !self.tally.add_if_ascii(window) {
                    break;
                }
            } else {
                let mut all = isa.load(window, BEHIND);
                let mut at = BEHIND + I::WIDTH;
                while at < WINDOW {
                    all = isa.or(all, isa.load(window, at));
                    at += I::WIDTH;
                }
                if isa.any_non_ascii(all) {
                    break;
                }
            }
            ahead = &ahead[BLOCK..];
        }
        let skipped = rest.len() - ahead.len();
        self.valid += skipped;
        skipped
    }

    #[inline(always)]
    fn findings(self) -> Findings {
        Findings { valid: self.valid, counts: if MEASURE { self.tally.counts() } else { Counts::default() } }
    }
}

/// Whether a sequence that starts in the last three bytes needs more bytes than there are.
#[inline(always)]
fn breaks_off(last: &[u8]) -> bool {
    match *last {
        [.., a, b, c] => (a >= 0xF0) | (b >= 0xE0) | (c >= 0xC0),
        [b, c] => (b >= 0xE0) | (c >= 0xC0),
        [c] => c >= 0xC0,
        [] => false,
    }
}

#[inline(always)]
pub(crate) fn validate<I: Lookup, const MEASURE: bool>(isa: I, data: &[u8]) -> Findings {
    if !MEASURE && data.len() <= BLOCK && is_ascii(isa, data) {
        return Findings { valid: data.len(), counts: Counts::default() };
    }
    let mut pass = Pass::<I, MEASURE> {
        tables: Tables::new(isa),
        errors: isa.splat(0),
        valid: 0,
        tally: Tally::new(isa),
    };
    // The first block has nothing before it, and nothing may be read there.
    let (head, _) = data.split_at(data.len().min(BLOCK));
    pass.check_copy(&[], head);
    if head.len() == data.len() {
        if !breaks_off(head) {
            pass.settle(head);
        }
        return pass.findings();
    }
    if !pass.settle(head) {
        return pass.findings();
    }

    // `rest` starts three bytes before what is not yet checked, and never runs quite empty: the last
    // bytes are left for the tail.
    let mut rest = &data[BLOCK - BEHIND..];
    let mut dense = 0;
    while rest.len() > WINDOW {
        let skipped = pass.skip_ascii(rest);
        if skipped > 0 {
            rest = &rest[skipped..];
            // Not by a branch, which nobody could foresee.
            dense *= usize::from(skipped < CALM);
        }
        let start = rest;
        let burst = (dense / 2).clamp(1, LONGEST_BURST);
        for _ in 0..burst {
            match rest.first_chunk::<WINDOW>() {
                Some(window) if rest.len() > WINDOW => {
                    pass.check(window, BLOCK);
                    rest = &rest[BLOCK..];
                }
                _ => break,
            }
        }
        if !pass.settle(&start[BEHIND..BEHIND + start.len() - rest.len()]) {
            return pass.findings();
        }
        dense += burst;
    }
    let (before, tail) = rest.split_at(BEHIND);
    pass.check_copy(before, tail);
    if !breaks_off(&rest[rest.len() - BEHIND..]) {
        pass.settle(tail);
    }
    pass.findings()
}
