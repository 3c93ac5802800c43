//! A checker by a table of bytes: seven vector operations for 64 bytes and one and a half to keep the result, where an
//! instruction set looks 128 entries up at once. An algorithm of our own.
//!
//! 1. Every byte from 80 on has an entry in one table. The index is the byte's low seven bits, after ASCII was raised
//!    to 7F; so ASCII shares its entry with FF, which is found separately: it is the largest possible byte, and the
//!    largest byte is kept anyway.
//! 2. An entry has pairs of bits, one pair for each of four classes: *continuation byte*, 80 to 8F, 90 to 9F, A0 to BF.
//!    The higher bit of a pair is set if the byte *is* of the class, the lower one if it *refuses* to be followed by
//!    it; the lower bit of the first pair is set if it does not require a continuation byte after it. (So the lead byte
//!    E0 requires a continuation byte, and refuses 80 to 9F.)
//! 3. The entry of the previous byte is moved up by one lane and added to itself, so that refusals are at the bits of
//!    the classes, and combined with the entry of the byte. In the last three pairs a byte must not be of a class that
//!    is refused; in the first pair it must not be a continuation byte where none is required, or the reverse. One
//!    ternary operation does all of that, see [`BROKEN`].
//! 4. That leaves the third and fourth bytes, which must be continuation bytes because of the bytes two and three
//!    before. There the entry that was moved up is replaced by 0: it requires a continuation byte, and refuses none. No
//!    information is lost: the previous byte should be a continuation byte, whose entry requires nothing else; if it is
//!    not, it is an error by its own check, since one was required in its place, too, by the byte before or by the
//!    first. (FF alone does not require one, and hides the byte after it in its third place; but it is an error itself,
//!    and the first one.)
//! 5. The entry of the last byte of a block is moved into the next block by the same permute; so a run of blocks passes
//!    the entries on, and only its first block looks the previous bytes up once more.
//!
//! Up to 32 bytes the tables of nibbles in a vector of half the size take less time, as fewer constants are loaded; see
//! [`nibbles`](super::nibbles).
//!
//! Counts are made by masks in the same pass: also the counts of newlines, and of four-byte leads where they are
//! expected (scans of dense text are faster by an eighth, of emoji by a quarter, than by more passes in the first-level
//! cache).
//!
//! The limits on a Zen 4: 5.8 cycles a block, 5 of them for loads, as two of three cross cache lines, and 4.3 for
//! operations of 512 bits, which run there as two halves.
//!
//! Tried and lost, GB/s on Russian text from the second-level cache: the previous byte by a load everywhere, and its
//! entry looked up (34 instead of 43); masked lookups instead of raising ASCII, which need no largest byte (38);
//! continuation bytes counted in lanes instead of masks (33 and 34.8 against 35.1). Masks in general registers for the
//! third and fourth places serve only where nothing may be read before the data.

use super::blocks::{Checker, CheckerFamily, LOOKBACK_BYTES, WINDOW_BYTES, is_truncated};
use super::nibbles::Nibbles;
use super::rules::Rules;
use crate::kernels::count::BLOCK_BYTES;
use crate::kernels::counts::Counts;
use crate::sequence::{FOUR_BYTE_LEAD, Form, is_continuation};
use crate::simd::{Isa, Permute};

/// The bit of an entry that is set for continuation bytes.
const CONTINUATION: u8 = 1 << 1;
/// The classes of continuation bytes, first and last, and the bit of an entry for each.
const CLASSES: [(u8, u8, u8); 3] = [(0x80, 0x8F, 1 << 3), (0x90, 0x9F, 1 << 5), (0xA0, 0xBF, 1 << 7)];
/// The bits of the classes.
const CLASS_BITS: u8 = 1 << 3 | 1 << 5 | 1 << 7;
/// All bits of classes that a byte is in; those below them are refusals.
const IS: u8 = CONTINUATION | CLASS_BITS;
/// The bit that is set where a byte requires no continuation byte; and the refusals of all classes.
const REQUIRES_NONE: u8 = CONTINUATION >> 1;
const REFUSES_ALL: u8 = CLASS_BITS >> 1;
/// The entry of ASCII: no continuation byte may follow.
const ASCII: u8 = REQUIRES_NONE | REFUSES_ALL;
/// The index that ASCII is raised to before the lookup.
const ASCII_INDEX: u8 = 0x7F;

/// Returns the entry of a byte from 80 on, for these forms.
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
    // A byte that leads no sequence refuses all classes, though it requires a continuation byte.
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
    table[ASCII_INDEX as usize] = ASCII;
    table
}

/// The truth table of refusal (4), being of the class (2) and whether the pair is one of the last three (1): a class
/// that is refused is an error, and in the first pair a continuation byte just where none is required.
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

/// The table in vectors, and the errors found.
#[derive(Clone, Copy)]
pub(crate) struct ByteTable<I: Permute, R> {
    isa: I,
    _rules: R,
    table: [I::Vector; 2],
    /// Bits of [`IS`] where there was an error; other bits are unspecified.
    errors: I::Vector,
    largest: I::Vector,
}

impl<I: Permute, R: Rules> ByteTable<I, R> {
    const TABLE: &'static [u8; 128] = &table(R::FORMS);

    /// Returns the entries of some bytes.
    #[inline(always)]
    fn entries(&self, bytes: I::Vector) -> I::Vector {
        self.isa.lookup(self.table, self.isa.max(bytes, self.isa.splat(ASCII_INDEX)))
    }

    /// Returns bits of [`IS`] where the entries of the bytes contradict the entries of the previous bytes, which are 0
    /// where a third or fourth byte is required.
    #[inline(always)]
    fn errors(&self, before: I::Vector, here: I::Vector) -> I::Vector {
        let refusals = self.isa.add(before, before);
        self.isa.ternary::<BROKEN>(refusals, here, self.isa.splat(CLASS_BITS))
    }

    /// Returns the lanes where neither a third nor a fourth byte is required, by the bytes two and three before.
    #[inline(always)]
    fn free(&self, two_before: I::Vector, three_before: I::Vector) -> I::Mask {
        let isa = self.isa;
        isa.both_below(two_before, isa.splat(0xE0), three_before, isa.splat(0xF0))
    }

    /// Returns the errors of `start`, the first bytes of all and 0 after them.
    #[inline(always)]
    fn errors_at_start(&self, start: I::Vector) -> I::Vector {
        let isa = self.isa;
        let required =
            isa.at_least_bits(start, isa.splat(0xE0)) << 2 | isa.at_least_bits(start, isa.splat(0xF0)) << 3;
        let here = self.entries(start);
        self.errors(isa.prev_where(isa.mask(!required), here, isa.splat(ASCII)), here)
    }

    /// Returns the errors of some bytes, given with those one, two and three before.
    #[inline(always)]
    fn errors_after(&self, here: I::Vector, before: [I::Vector; LOOKBACK_BYTES]) -> I::Vector {
        let free = self.free(before[1], before[2]);
        self.errors(self.isa.retain(free, self.entries(before[0])), self.entries(here))
    }

    /// Keeps errors, and the largest byte.
    #[inline(always)]
    fn add(&mut self, here: I::Vector, errors: I::Vector) {
        self.errors = self.isa.or(self.errors, errors);
        self.largest = self.isa.max(self.largest, here);
    }

    /// Returns a bit for each lane that is FF or has `errors`.
    #[inline(always)]
    fn lanes(&self, here: I::Vector, errors: I::Vector) -> u64 {
        self.isa.test_bits(errors, self.isa.splat(IS)) | self.isa.at_least_bits(here, self.isa.splat(0xFF))
    }
}

/// The checkers by the table of bytes, for any rules.
pub(crate) struct ByteTableCheckers;

impl<I: Permute> CheckerFamily<I> for ByteTableCheckers {
    type Checker<R: Rules> = ByteTable<I, R>;
}

impl<I: Permute, R: Rules> Checker<I> for ByteTable<I, R> {
    type Rules = R;

    const COUNTS: bool = true;

    const GROUP_BYTES: usize = 2 * BLOCK_BYTES;

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
        !(broken | is_truncated(data))
    }

    #[inline(always)]
    fn count_short(isa: I, data: &[u8]) -> Counts {
        let mut counts = Counts::default();
        let mut largest = isa.splat(0);
        let mut rest = data;
        loop {
            let here = if rest.len() < I::WIDTH { isa.load_partial(rest) } else { isa.load(rest, 0) };
            counts.continuations += isa.continuation_bits(here).count_ones() as usize;
            counts.four_byte_leads +=
                isa.at_least_bits(here, isa.splat(FOUR_BYTE_LEAD)).count_ones() as usize;
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
        self.add(start, self.errors_at_start(start));
    }

    #[inline(always)]
    fn check<const N: usize, const COUNT: bool, const LINES: bool, const FOUR_BYTE_LEADS: bool>(
        &mut self,
        run: &[u8; N],
        counts: &mut Counts,
    ) {
        let isa = self.isa;
        let mut before = self.table[0];
        let mut at = LOOKBACK_BYTES;
        while at < N {
            let here = isa.load(run, at);
            let entries = self.entries(here);
            let free = self.free(isa.load(run, at - 2), isa.load(run, at - 3));
            let moved = match at {
                LOOKBACK_BYTES => isa.retain(free, self.entries(isa.load(run, at - 1))),
                _ => isa.prev_where(free, entries, before),
            };
            self.add(here, self.errors(moved, entries));
            if COUNT {
                counts.continuations += isa.continuation_bits(here).count_ones() as usize;
            }
            if FOUR_BYTE_LEADS {
                let leads = isa.at_least_bits(here, isa.splat(FOUR_BYTE_LEAD));
                counts.four_byte_leads += leads.count_ones() as usize;
            }
            if LINES {
                counts.newlines += isa.equal_bits(here, isa.splat(b'\n')).count_ones() as usize;
            }
            before = entries;
            at += I::WIDTH;
        }
    }

    #[inline(always)]
    fn check_some(&mut self, data: &[u8]) {
        let isa = self.isa;
        let here = isa.load_partial(&data[LOOKBACK_BYTES..]);
        let before = [isa.load_partial(&data[2..]), isa.load_partial(&data[1..]), isa.load_partial(data)];
        self.add(here, self.errors_after(here, before));
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
    fn broken(&self, window: &[u8; WINDOW_BYTES]) -> u64 {
        let isa = self.isa;
        let here = isa.load(window, LOOKBACK_BYTES);
        let before = [
            isa.load(window, LOOKBACK_BYTES - 1),
            isa.load(window, LOOKBACK_BYTES - 2),
            isa.load(window, LOOKBACK_BYTES - 3),
        ];
        self.lanes(here, self.errors_after(here, before))
    }

    #[inline(always)]
    fn take_largest(&mut self) -> u8 {
        self.isa.reduce_max(core::mem::replace(&mut self.largest, self.isa.splat(0)))
    }
}

const _: () = assert!(BLOCK_BYTES == 64, "a mask of lanes is a word");
