//! A checker by tables of nibbles: John Keiser and Daniel Lemire, "Validating UTF-8 in less than one
//! instruction per byte", Software: Practice and Experience 51 (2021), with loads instead of shuffles.
//!
//! 1. The errors of a byte and the previous one follow from three nibbles: the high and the low one of the previous
//!    byte, and the high one of the byte itself. Each is looked up in a table of error bits; an error is a bit that is
//!    set in all three.
//! 2. That leaves the third and fourth bytes of a sequence. A byte must be a continuation byte if the byte two before
//!    it is E0 or above, or that three before it F0 or above. Two continuation bytes in a row set the bit
//!    [`TWO_CONTINUATIONS`]; they are an error just where they are not required, so that bit is compared with the
//!    requirement.
//! 3. The previous bytes come from loads at one, two and three bytes before, not from shuffles, except at the very
//!    start: the load ports are idle otherwise.
//!
//! Why that suffices: a sequence is well-formed if its second byte is in the range that its first allows, all further
//! ones are continuation bytes, and as many as announced. Step 1 refuses each pair that no well-formed text contains,
//! except that a third or fourth byte makes a pair of continuation bytes; step 2 refuses these where they are not
//! required, and their absence where they are.

use super::blocks::{Checker, LOOKBACK_BYTES, WINDOW_BYTES, is_truncated};
use super::rules::{Rules, allows};
use crate::kernels::count::BLOCK_BYTES;
use crate::kernels::counts::Counts;
use crate::sequence::{FOUR_BYTE_LEAD, Form};
use crate::simd::Lookup;

// The error bits. A bit that is set in all three tables is an error.
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
/// F0 then 80 to 8F: the low nibble distinguishes it from `TOO_LARGE_1000`.
const OVERLONG_4: u8 = 1 << 6;
/// 10______ then 10______.
const TWO_CONTINUATIONS: u8 = 1 << 7;

/// Errors that do not depend on the low nibble of the previous byte.
const CARRY: u8 = TOO_SHORT | TOO_LONG | TWO_CONTINUATIONS;

/// Returns the error bits by the high nibble of the previous byte, for these forms.
const fn prev_high(forms: &[Form]) -> [u8; 16] {
    let mut table = [TOO_LONG; 16]; // 0_______
    table[0x8] = TWO_CONTINUATIONS;
    table[0x9] = TWO_CONTINUATIONS;
    table[0xA] = TWO_CONTINUATIONS;
    table[0xB] = TWO_CONTINUATIONS;
    table[0xC] = TOO_SHORT | OVERLONG_2;
    table[0xD] = TOO_SHORT;
    table[0xE] = TOO_SHORT | OVERLONG_3;
    if !allows(forms, 0xED, 0xA0) {
        table[0xE] |= SURROGATE;
    }
    table[0xF] = TOO_SHORT | TOO_LARGE | TOO_LARGE_1000 | OVERLONG_4;
    table
}

/// The error bits by the low nibble of the previous byte.
const PREV_LOW: [u8; 16] = {
    let mut table = [CARRY | TOO_LARGE | TOO_LARGE_1000; 16]; // _5 to _F
    table[0x0] = CARRY | OVERLONG_3 | OVERLONG_2 | OVERLONG_4;
    table[0x1] = CARRY | OVERLONG_2;
    table[0x2] = CARRY;
    table[0x3] = CARRY;
    table[0x4] = CARRY | TOO_LARGE;
    table[0xD] |= SURROGATE;
    table
};

/// The error bits by the high nibble of the byte itself.
const HERE_HIGH: [u8; 16] = {
    let mut table = [TOO_SHORT; 16]; // 0_______ and 11______
    let any = TOO_LONG | OVERLONG_2 | TWO_CONTINUATIONS;
    table[0x8] = any | OVERLONG_3 | TOO_LARGE_1000 | OVERLONG_4;
    table[0x9] = any | OVERLONG_3 | TOO_LARGE;
    table[0xA] = any | SURROGATE | TOO_LARGE;
    table[0xB] = any | SURROGATE | TOO_LARGE;
    table
};

/// The tables in vectors, and the errors found.
#[derive(Clone, Copy)]
pub(crate) struct Nibbles<I: Lookup, R> {
    isa: I,
    _rules: R,
    prev_high: I::Vector,
    prev_low: I::Vector,
    here_high: I::Vector,
    /// Not 0 where there was an error.
    errors: I::Vector,
}

impl<I: Lookup, R: Rules> Nibbles<I, R> {
    const PREV_HIGH: &'static [u8; 16] = &prev_high(R::FORMS);

    /// Returns lanes that are not 0 where the bytes `here` break a rule together with those one, two and three before.
    #[inline(always)]
    fn errors(&self, here: I::Vector, prev: [I::Vector; LOOKBACK_BYTES]) -> I::Vector {
        let isa = self.isa;
        let pairs = isa.and(
            isa.and(
                isa.lookup(self.prev_high, isa.high_nibbles(prev[0])),
                isa.lookup(self.prev_low, isa.and(prev[0], isa.splat(0x0F))),
            ),
            isa.lookup(self.here_high, isa.high_nibbles(here)),
        );
        // These are 80 or more just from E0 and F0 on.
        let third = isa.saturating_sub(prev[1], isa.splat(0xE0 - 0x80));
        let fourth = isa.saturating_sub(prev[2], isa.splat(0xF0 - 0x80));
        let required = isa.and(isa.or(third, fourth), isa.splat(TWO_CONTINUATIONS));
        isa.xor(required, pairs)
    }

    /// Returns the errors of the vector at `data[at..]`, which follows three bytes.
    #[inline(always)]
    fn errors_at(&self, data: &[u8], at: usize) -> I::Vector {
        let load = |back| self.isa.load(data, at - back);
        self.errors(load(0), [load(1), load(2), load(3)])
    }

    /// Returns the errors of `start`, the first bytes of all and 0 after them.
    #[inline(always)]
    fn errors_at_start(&self, start: I::Vector) -> I::Vector {
        let isa = self.isa;
        self.errors(start, [isa.prev::<1>(start), isa.prev::<2>(start), isa.prev::<3>(start)])
    }

    /// Returns the errors of the bytes at `data[at..]`, which may be fewer than a vector and follow three bytes.
    #[inline(always)]
    fn errors_of_partial(&self, data: &[u8], at: usize) -> I::Vector {
        let load = |back| {
            let bytes = data.get(at - back..).unwrap_or_default();
            self.isa.load_partial(&bytes[..bytes.len().min(I::WIDTH)])
        };
        self.errors(load(0), [load(1), load(2), load(3)])
    }

    /// Returns whether `data`, at most a vector of bytes, is valid; `start` has them, and 0 after them.
    #[inline(always)]
    pub(super) fn is_valid(&self, start: I::Vector, data: &[u8]) -> bool {
        !(self.isa.any(self.errors_at_start(start)) | (data.len() == I::WIDTH && is_truncated(data)))
    }

    /// Calls `see` with the errors of each vector of `head` and where it starts.
    #[inline(always)]
    fn over_start(&self, head: &[u8], mut see: impl FnMut(usize, I::Vector)) {
        let isa = self.isa;
        if let Some(block) = head.first_chunk::<BLOCK_BYTES>() {
            see(0, self.errors_at_start(isa.load(block, 0)));
            let mut at = I::WIDTH;
            while at < BLOCK_BYTES {
                see(at, self.errors_at(block, at));
                at += I::WIDTH;
            }
            return;
        }
        see(0, self.errors_at_start(isa.load_partial(&head[..head.len().min(I::WIDTH)])));
        if head.len() < I::WIDTH + LOOKBACK_BYTES {
            if head.len() > I::WIDTH {
                see(I::WIDTH, self.errors_of_partial(head, I::WIDTH));
            }
            return;
        }
        // The last vector overlaps the one before it.
        let last = head.len() - I::WIDTH;
        let mut at = I::WIDTH;
        while at < last {
            see(at, self.errors_at(head, at));
            at += I::WIDTH;
        }
        see(last, self.errors_at(head, last));
    }
}

impl<I: Lookup, R: Rules> Checker<I> for Nibbles<I, R> {
    type Rules = R;

    const COUNTS: bool = false;

    const GROUP_BYTES: usize = BLOCK_BYTES;

    #[inline(always)]
    fn new(isa: I) -> Self {
        Self {
            isa,
            _rules: R::default(),
            prev_high: isa.table(Self::PREV_HIGH),
            prev_low: isa.table(&PREV_LOW),
            here_high: isa.table(&HERE_HIGH),
            errors: isa.splat(0),
        }
    }

    #[inline(always)]
    fn is_tiny_valid(isa: I, data: &[u8]) -> bool {
        Self::new(isa).is_valid(isa.load_partial(data), data)
    }

    #[inline(always)]
    fn count_short(isa: I, data: &[u8]) -> Counts {
        let (mut continuations, mut four_byte_leads, mut largest) =
            (isa.splat(0), isa.splat(0), isa.splat(0));
        let mut rest = data;
        loop {
            let here = if rest.len() < I::WIDTH { isa.load_partial(rest) } else { isa.load(rest, 0) };
            continuations = isa.count_continuations(continuations, here);
            four_byte_leads = isa.count_at_least(four_byte_leads, here, isa.splat(FOUR_BYTE_LEAD));
            largest = isa.max(largest, here);
            rest = &rest[rest.len().min(I::WIDTH)..];
            if rest.is_empty() {
                break;
            }
        }
        let counts = Counts {
            continuations: isa.reduce_sum(continuations),
            four_byte_leads: isa.reduce_sum(four_byte_leads),
            ..Counts::default()
        };
        counts.with_largest(isa.reduce_max(largest))
    }

    #[inline(always)]
    fn check_start(&mut self, head: &[u8]) {
        let mut errors = self.errors;
        self.over_start(head, |_, more| errors = self.isa.or(errors, more));
        self.errors = errors;
    }

    #[inline(always)]
    fn check<const N: usize, const COUNT: bool, const LINES: bool, const FOUR_BYTE_LEADS: bool>(
        &mut self,
        run: &[u8; N],
        _: &mut Counts,
    ) {
        let mut at = LOOKBACK_BYTES;
        while at < N {
            self.errors = self.isa.or(self.errors, self.errors_at(run, at));
            at += I::WIDTH;
        }
    }

    #[inline(always)]
    fn check_some(&mut self, data: &[u8]) {
        let mut at = LOOKBACK_BYTES;
        while at < data.len() {
            self.errors = self.isa.or(self.errors, self.errors_of_partial(data, at));
            at += I::WIDTH;
        }
    }

    #[inline(always)]
    fn failed(&self) -> bool {
        self.isa.any(self.errors)
    }

    #[inline(always)]
    fn broken_at_start(&self, head: &[u8]) -> u64 {
        let mut broken = 0;
        self.over_start(head, |at, errors| broken |= self.isa.nonzero(errors) << at);
        broken
    }

    #[inline(always)]
    fn broken(&self, window: &[u8; WINDOW_BYTES]) -> u64 {
        let mut broken = 0;
        let mut at = 0;
        while at < BLOCK_BYTES {
            broken |= self.isa.nonzero(self.errors_at(window, LOOKBACK_BYTES + at)) << at;
            at += I::WIDTH;
        }
        broken
    }

    #[inline(always)]
    fn take_largest(&mut self) -> u8 {
        0
    }
}
