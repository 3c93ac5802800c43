//! Checking by byte permutes: seven vector operations for 64 bytes and one and a half to keep what they find,
//! where an instruction set can look 128 entries up at once. An algorithm of our own.
//!
//! 1. Every byte from 80 on has an entry in one table. The index is the byte's low seven bits, after ASCII
//!    was lifted to 7F; so ASCII shares its entry with FF, which is looked for by itself: it is the largest
//!    byte there is, and the largest byte is kept anyway.
//! 2. An entry says two things, in pairs of bits, one pair for each of four classes: *continuation byte*,
//!    80 to 8F, 90 to 9F, A0 to BF. The higher bit of a pair tells what the byte *is*, the lower one what
//!    it *refuses* to be followed by; of the first pair the lower bit is set if it does not need a
//!    continuation byte after it. (So a lead byte of E0 needs a continuation, and refuses 80 to 9F.)
//! 3. Moved up by one lane, and added to itself, so that refusals come to stand where the classes do, the
//!    entry of the byte before meets that of the byte: it is wrong for a byte to be what is refused, in
//!    the last three pairs; and in the first pair, to be a continuation where none is needed, or none
//!    where one is. One ternary operation gives all of that, see [`BROKEN`].
//! 4. That leaves the third and fourth bytes, which must be continuation bytes because of the bytes two and
//!    three before. There the entry that was moved up is made 0, which means "needs a continuation byte,
//!    and refuses none". No information is lost: the byte before should be a continuation byte itself,
//!    which has nothing to say beyond that; if it is not, it is wrong by its own check, as in its place one
//!    was needed, too, or, in the second place, as the first byte needs one. (FF alone claims to need none, and
//!    hides what follows it in its third place; but it is wrong itself, and the first to be so.)
//! 5. The entry of the last byte of a block is moved into the next block by the same permute; so a run of
//!    blocks is checked with the blocks' entries handed on, and only its first block looks the bytes before
//!    it up once more.
//!
//! Up to 32 bytes the nibble tables in a vector of half the size take less time, as fewer constants have to be
//! fetched; see [`lookup`](super::lookup).
//!
//! What bounds it on a Zen 4: 5.8 cycles a block, 5 of them for loads, as two of three cross cache lines, and
//! 4.3 for operations of 512 bits, which run there as two halves.
//!
//! Tried and lost, GB/s on Russian text from the second-level cache: the byte before by a load everywhere,
//! and its entry looked up (34 instead of 43); masked lookups instead of the lift, which need no largest byte
//! (38); continuation bytes counted in lanes instead of masks (33 and 34.8 against 35.1). The third and fourth
//! places by masks in general registers are for where nothing may be read before.

use super::blocks::{BEHIND, Checker, CheckerFamily, WINDOW, breaks_off};
use super::nibbles::Nibbles;
use super::rules::Rules;
use crate::kernels::FOUR_BYTE_LEAD;
use crate::kernels::count::{BLOCK, Counts};
use crate::sequence::{Form, is_continuation};
use crate::simd::{Isa, Permute};

/// The bit of an entry for: is a continuation byte.
const CONTINUATION: u8 = 1 << 1;
/// The classes of continuation bytes, and the bit of an entry for each.
const CLASSES: [(u8, u8, u8); 3] = [(0x80, 0x8F, 1 << 3), (0x90, 0x9F, 1 << 5), (0xA0, 0xBF, 1 << 7)];
/// The bits of the classes.
const CLASS_BITS: u8 = 1 << 3 | 1 << 5 | 1 << 7;
/// All bits by which a byte is something; those below them are refusals.
const IS: u8 = CONTINUATION | CLASS_BITS;
/// Set where the byte needs no continuation byte after it; and the refusals of all classes.
const NEEDS_NONE: u8 = CONTINUATION >> 1;
const REFUSES_ALL: u8 = CLASS_BITS >> 1;
/// The entry of ASCII: nothing may continue it.
const ASCII: u8 = NEEDS_NONE | REFUSES_ALL;
/// ASCII is lifted to this before it is looked up.
const LIFTED: u8 = 0x7F;

/// What a byte from 80 on is, and refuses, where these are the forms.
const fn entry(byte: u8, forms: &[Form]) -> u8 {
    if is_continuation(byte) {
        let mut entry = ASCII | CONTINUATION;
        let mut index = 0;
        while index < CLASSES.len() {
            let (first, last, bit) = CLASSES[index];
            if first <= byte && byte <= last {
                entry |= bit;
            }
            index += 1;
        }
        return entry;
    }
    // What leads nothing refuses everything, though it needs a continuation byte.
    let mut refused = REFUSES_ALL;
    let mut row = 1;
    while row < forms.len() {
        let form = &forms[row];
        if *form.lead.start() <= byte && byte <= *form.lead.end() {
            let mut index = 0;
            while index < CLASSES.len() {
                let (first, last, bit) = CLASSES[index];
                if *form.second.start() <= first && last <= *form.second.end() {
                    refused &= !(bit >> 1);
                }
                index += 1;
            }
        }
        row += 1;
    }
    refused
}

const fn table(forms: &[Form]) -> [u8; 128] {
    let mut table = [0; 128];
    let mut byte = 0x80;
    while byte < 0x100 {
        table[byte - 0x80] = entry(byte as u8, forms);
        byte += 1;
    }
    table[LIFTED as usize] = ASCII;
    table
}

/// The ternary operation of refusal (4), being (2) and whether the pair is one of a class (1): wrong is a
/// class that is refused, and a continuation byte just where none is needed.
const BROKEN: i32 = {
    let mut table = 0;
    let mut bits = 0;
    while bits < 8 {
        let (refused, is, class) = (bits & 4 != 0, bits & 2 != 0, bits & 1 != 0);
        if (class && refused && is) || (!class && refused == is) {
            table |= 1 << bits;
        }
        bits += 1;
    }
    table
};

/// The table in vectors, and what it showed.
#[derive(Clone, Copy)]
pub(crate) struct Permutes<I: Permute, R> {
    isa: I,
    _rules: R,
    table: [I::Vector; 2],
    /// Some bits of [`IS`] where an error was seen, and others that mean nothing.
    errors: I::Vector,
    largest: I::Vector,
}

impl<I: Permute, R: Rules> Permutes<I, R> {
    const TABLE: &'static [u8; 128] = &table(R::FORMS);

    /// The entries of some bytes.
    #[inline(always)]
    fn entries(&self, bytes: I::Vector) -> I::Vector {
        self.isa.lookup(self.table, self.isa.max(bytes, self.isa.splat(LIFTED)))
    }

    /// Where the entries of the bytes before, 0 where a third or fourth byte must be, do not go with those
    /// of the bytes: some bits of [`IS`].
    #[inline(always)]
    fn errors(&self, before: I::Vector, here: I::Vector) -> I::Vector {
        let refusals = self.isa.add(before, before);
        self.isa.ternary::<BROKEN>(refusals, here, self.isa.splat(CLASS_BITS))
    }

    /// Where neither a third nor a fourth byte must be, by the bytes two and three before.
    #[inline(always)]
    fn free(&self, two_before: I::Vector, three_before: I::Vector) -> I::Mask {
        let isa = self.isa;
        isa.both_below(two_before, isa.splat(0xE0), three_before, isa.splat(0xF0))
    }

    /// The errors of the first bytes of all, and 0 after them.
    #[inline(always)]
    fn errors_at_start(&self, start: I::Vector) -> I::Vector {
        let isa = self.isa;
        let due =
            isa.at_least_bits(start, isa.splat(0xE0)) << 2 | isa.at_least_bits(start, isa.splat(0xF0)) << 3;
        let here = self.entries(start);
        self.errors(isa.prev_where(isa.mask(!due), here, isa.splat(ASCII)), here)
    }

    /// The errors of some bytes, given with those one, two and three before.
    #[inline(always)]
    fn errors_behind(&self, here: I::Vector, before: [I::Vector; BEHIND]) -> I::Vector {
        let free = self.free(before[1], before[2]);
        self.errors(self.isa.retain(free, self.entries(before[0])), self.entries(here))
    }

    #[inline(always)]
    fn see(&mut self, here: I::Vector, errors: I::Vector) {
        self.errors = self.isa.or(self.errors, errors);
        self.largest = self.isa.max(self.largest, here);
    }

    /// A bit for each lane that is broken by itself or by its `errors`.
    #[inline(always)]
    fn lanes(&self, here: I::Vector, errors: I::Vector) -> u64 {
        self.isa.test_bits(errors, self.isa.splat(IS)) | self.isa.at_least_bits(here, self.isa.splat(0xFF))
    }
}

/// The checkers by the table of bytes, for any rules.
pub(crate) struct ByteTableCheckers;

impl<I: Permute> CheckerFamily<I> for ByteTableCheckers {
    type Checker<R: Rules> = Permutes<I, R>;
}

impl<I: Permute, R: Rules> Checker<I> for Permutes<I, R> {
    type Rules = R;

    const COUNTS: bool = true;

    const GROUP: usize = 2 * BLOCK;

    #[inline(always)]
    fn new(isa: I) -> Self {
        Self {
            isa,
            _rules: R::default(),
            table: isa.table(Self::TABLE),
            errors: isa.splat(0),
            largest: isa.splat(0),
        }
    }

    #[inline(always)]
    fn is_tiny_valid(isa: I, data: &[u8]) -> bool {
        if data.len() <= I::Half::WIDTH {
            return Nibbles::<_, R>::new(isa.half()).is_valid(isa.load_partial_half(data), data);
        }
        let start = isa.load_partial(data);
        if !isa.any_non_ascii(start) {
            return true;
        }
        let checker = Self::new(isa);
        let broken = checker.lanes(start, checker.errors_at_start(start)) != 0;
        !(broken | breaks_off(data))
    }

    #[inline(always)]
    fn count_short(isa: I, data: &[u8]) -> Counts {
        let mut counts = Counts::default();
        let mut largest = isa.splat(0);
        let mut rest = data;
        loop {
            let here = if rest.len() < I::WIDTH { isa.load_partial(rest) } else { isa.load(rest, 0) };
            counts.continuations += isa.continuation_bits(here).count_ones() as usize;
            counts.fours += isa.at_least_bits(here, isa.splat(FOUR_BYTE_LEAD)).count_ones() as usize;
            largest = isa.max(largest, here);
            rest = &rest[rest.len().min(I::WIDTH)..];
            if rest.is_empty() {
                break;
            }
        }
        counts.with_largest(isa.reduce_max(largest))
    }

    #[inline(always)]
    fn check_start(&mut self, head: &[u8]) {
        let start = self.isa.load_partial(head);
        self.see(start, self.errors_at_start(start));
    }

    #[inline(always)]
    fn check<const N: usize, const COUNT: bool>(&mut self, run: &[u8; N]) -> usize {
        let isa = self.isa;
        let mut before = self.table[0];
        let mut continuations = 0;
        let mut at = BEHIND;
        while at < N {
            let here = isa.load(run, at);
            let entries = self.entries(here);
            let free = self.free(isa.load(run, at - 2), isa.load(run, at - 3));
            let moved = match at {
                BEHIND => isa.retain(free, self.entries(isa.load(run, at - 1))),
                _ => isa.prev_where(free, entries, before),
            };
            self.see(here, self.errors(moved, entries));
            if COUNT {
                continuations += isa.continuation_bits(here).count_ones() as usize;
            }
            before = entries;
            at += I::WIDTH;
        }
        continuations
    }

    #[inline(always)]
    fn check_some(&mut self, data: &[u8]) {
        let isa = self.isa;
        let here = isa.load_partial(&data[BEHIND..]);
        let before = [isa.load_partial(&data[2..]), isa.load_partial(&data[1..]), isa.load_partial(data)];
        self.see(here, self.errors_behind(here, before));
    }

    #[inline(always)]
    fn failed(&self) -> bool {
        self.lanes(self.largest, self.errors) != 0
    }

    #[inline(always)]
    fn broken_at_start(&self, head: &[u8]) -> u64 {
        let start = self.isa.load_partial(head);
        self.lanes(start, self.errors_at_start(start))
    }

    #[inline(always)]
    fn broken(&self, window: &[u8; WINDOW]) -> u64 {
        let isa = self.isa;
        let here = isa.load(window, BEHIND);
        let before =
            [isa.load(window, BEHIND - 1), isa.load(window, BEHIND - 2), isa.load(window, BEHIND - 3)];
        self.lanes(here, self.errors_behind(here, before))
    }

    #[inline(always)]
    fn take_largest(&mut self) -> u8 {
        self.isa.reduce_max(core::mem::replace(&mut self.largest, self.isa.splat(0)))
    }
}

const _: () = assert!(BLOCK == 64, "a mask of lanes is a word");
