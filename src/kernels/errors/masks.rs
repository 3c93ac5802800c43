//! Errors by masks: a bit for each byte, whatever the bytes are, without a branch that depends on them. An algorithm of
//! our own.
//!
//! 1. A byte is followed by a *second* byte if it is a lead byte and the next byte is in the range that it allows; by a
//!    *third* if it announces three or four bytes and the one after that is a continuation byte, too; by a *fourth*
//!    likewise. That takes two lookups in tables, and comparisons with the bytes one, two and three further on.
//! 2. A character is well-formed where all bytes that are announced follow.
//! 3. Bytes that follow another are consumed by it: the three masks, shifted by one, two and three, with a carry from
//!    block to block. No lead byte is among them, so no two sequences overlap, and nothing has to be resolved from left
//!    to right.
//! 4. All other bytes start a character or an error: a character where it is well-formed. So an error has the length
//!    of the maximal subpart by itself.
//!
//! To count, no carry is needed: every byte that is not consumed starts something.

use super::{BLOCK_BYTES, ErrorBits, ErrorCounts, ErrorFinder};
use crate::kernels::decode::LATIN1;
use crate::kernels::{FOUR_BYTE_LEAD, THREE_BYTE_LEAD};
use crate::simd::{ByteClasses, Planes};

/// Bytes after a byte that its bits depend on.
const LOOKAHEAD_BYTES: usize = 3;
/// Bytes in a block with those after it.
const WINDOW_BYTES: usize = BLOCK_BYTES + LOOKAHEAD_BYTES;

// The bits of lead bytes and of their second bytes, by the range of the second bytes: any, or some sixteenths.
/// D0 to DF and any continuation byte.
const ANY: u8 = 1 << 0;
/// C2 to CF, E2 to EF and 80 to 9F.
const BELOW_A0: u8 = 1 << 1;
/// C2 to CF and A0 to BF.
const FROM_A0: u8 = 1 << 2;
/// E0 to EF except ED, and A0 to BF.
const FROM_A0_OF_THREE: u8 = 1 << 3;
/// E1 and 80 to 9F.
const BELOW_A0_OF_E1: u8 = 1 << 4;
/// F0 to F3 and 90 to BF.
const FROM_90: u8 = 1 << 5;
/// F1 to F4 and 80 to 8F.
const BELOW_90: u8 = 1 << 6;

/// The bits of lead bytes.
const LEADS: ByteClasses = {
    let mut high = [0; 16];
    high[0xC] = BELOW_A0 | FROM_A0;
    high[0xD] = ANY;
    high[0xE] = BELOW_A0 | FROM_A0_OF_THREE | BELOW_A0_OF_E1;
    high[0xF] = FROM_90 | BELOW_90;
    let mut low = [ANY | BELOW_A0 | FROM_A0 | FROM_A0_OF_THREE; 16];
    low[0x0] = ANY | FROM_A0_OF_THREE | FROM_90;
    low[0x1] = ANY | FROM_A0_OF_THREE | BELOW_A0_OF_E1 | FROM_90 | BELOW_90;
    low[0x2] |= FROM_90 | BELOW_90;
    low[0x3] |= FROM_90 | BELOW_90;
    low[0x4] |= BELOW_90;
    low[0xD] = ANY | BELOW_A0 | FROM_A0;
    ByteClasses::by_nibbles(high, Some(low))
};

/// The bits of second bytes.
const SECONDS: ByteClasses = {
    let mut high = [0; 16];
    high[0x8] = ANY | BELOW_A0 | BELOW_A0_OF_E1 | BELOW_90;
    high[0x9] = ANY | BELOW_A0 | BELOW_A0_OF_E1 | FROM_90;
    high[0xA] = ANY | FROM_A0 | FROM_A0_OF_THREE | FROM_90;
    high[0xB] = high[0xA];
    ByteClasses::by_nibbles(high, None)
};

/// The sequences that start at some bytes; a bit for each byte, the lowest for the first.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sequences {
    /// A second byte follows.
    pub second: u64,
    /// A third byte follows, too.
    pub third: u64,
    /// A fourth byte follows, too.
    pub fourth: u64,
    /// All bytes that are announced follow.
    pub well_formed: u64,
}

impl Sequences {
    /// Returns the sequences that start in the lanes of `here`, given the bytes one, two and three after each. There are
    /// as many bits as lanes.
    #[inline(always)]
    pub(crate) fn of<I: Planes>(isa: I, here: I::Vector, next: [I::Vector; LOOKAHEAD_BYTES]) -> Self {
        let pairs = isa.and(isa.lookup_classes(&LEADS, here), isa.lookup_classes(&SECONDS, next[0]));
        let second = isa.nonzero(pairs);
        let from_three = isa.bits(isa.at_least(here, isa.splat(THREE_BYTE_LEAD)));
        let from_four = isa.bits(isa.at_least(here, isa.splat(FOUR_BYTE_LEAD)));
        let third = second & from_three & !isa.lead_bits(next[1]);
        let fourth = third & from_four & !isa.lead_bits(next[2]);
        let ascii = !isa.bits(isa.non_ascii(here)) & (u64::MAX >> (64 - I::WIDTH));
        let well_formed = ascii | second & !from_three | third & !from_four | fourth;
        Self { second, third, fourth, well_formed }
    }

    /// Returns the sequences that start in a block, given the bytes after it, too.
    #[inline(always)]
    fn of_block<I: Planes>(isa: I, window: &[u8; WINDOW_BYTES]) -> Self {
        let mut all = Self::default();
        let mut at = 0;
        while at < BLOCK_BYTES {
            let next = [isa.load(window, at + 1), isa.load(window, at + 2), isa.load(window, at + 3)];
            let some = Self::of(isa, isa.load(window, at), next);
            all.second |= some.second << at;
            all.third |= some.third << at;
            all.fourth |= some.fourth << at;
            all.well_formed |= some.well_formed << at;
            at += I::WIDTH;
        }
        all
    }

    /// Returns the bytes that follow another of the same sequence, of `bytes` bytes, and sets `carry`, which holds those
    /// at the start of these bytes, to those at the start of the next.
    #[inline(always)]
    pub(crate) fn consumed(&self, bytes: usize, carry: &mut u64) -> u64 {
        let Self { second, third, fourth, .. } = *self;
        let consumed = second << 1 | third << 2 | fourth << 3 | *carry;
        *carry = second >> (bytes - 1) | third >> (bytes - 2) | fourth >> (bytes - 3);
        consumed
    }

    /// Returns only the bytes that well-formed characters consume, as the other bytes of errors are treated one by one.
    #[inline(always)]
    pub(crate) fn without_errors(self) -> Self {
        let well_formed = self.well_formed;
        Self { second: self.second & well_formed, third: self.third & well_formed, ..self }
    }
}

/// Returns the start of `data` as a window, with zeros after its end.
#[inline(always)]
fn partial_window(data: &[u8]) -> [u8; WINDOW_BYTES] {
    let mut window = [0; WINDOW_BYTES];
    let length = data.len().min(WINDOW_BYTES);
    window[..length].copy_from_slice(&data[..length]);
    window
}

/// Counts and finds errors by masks.
pub(crate) struct Masks;

impl<I: Planes> ErrorFinder<I> for Masks {
    #[inline(always)]
    fn count(isa: I, data: &[u8]) -> ErrorCounts {
        let mut sums = Sums::default();
        let mut rest = data;
        while let Some(window) = rest.first_chunk::<WINDOW_BYTES>() {
            if let Some(block) = window.first_chunk::<BLOCK_BYTES>()
                && isa.is_ascii(block)
            {
                sums.chars += BLOCK_BYTES;
            } else {
                sums.add(isa, window, u64::MAX);
            }
            rest = &rest[BLOCK_BYTES..];
        }
        while !rest.is_empty() {
            let length = rest.len().min(BLOCK_BYTES);
            sums.add(isa, &partial_window(rest), u64::MAX >> (BLOCK_BYTES - length));
            rest = &rest[length..];
        }
        ErrorCounts {
            chars: sums.chars,
            continuations: sums.continuations,
            four_byte_chars: sums.four_byte_chars,
            beyond_latin1: sums.beyond_latin1 != 0,
            // All bytes that nothing consumes start a character or an error.
            errors: data.len() - sums.consumed - sums.chars,
        }
    }

    #[inline(always)]
    fn find(isa: I, data: &[u8]) -> ErrorBits {
        let sequences = match data.first_chunk() {
            Some(window) => Sequences::of_block(isa, window),
            None => Sequences::of_block(isa, &partial_window(data)),
        };
        let length = data.len().min(BLOCK_BYTES);
        let bytes = u64::MAX.checked_shr((BLOCK_BYTES - length) as u32).unwrap_or(0);
        let mut carry = 0;
        let errors = !sequences.consumed(BLOCK_BYTES, &mut carry) & !sequences.well_formed & bytes;
        let following = carry.trailing_ones() as usize;
        ErrorBits { errors, two: sequences.second, three: sequences.third, length: length + following }
    }
}

/// Sums over blocks.
#[derive(Default)]
struct Sums {
    chars: usize,
    /// Bytes of characters after the first.
    continuations: usize,
    four_byte_chars: usize,
    /// Not 0 if a character is above U+00FF.
    beyond_latin1: u64,
    /// Bytes of characters and of errors after the first.
    consumed: usize,
}

impl Sums {
    /// Adds what starts at the bytes of a block that have a bit in `bytes`; the others are 0.
    #[inline(always)]
    fn add<I: Planes>(&mut self, isa: I, window: &[u8; WINDOW_BYTES], bytes: u64) {
        let ones = |bits: u64| bits.count_ones() as usize;
        let all = Sequences::of_block(isa, window);
        let chars = all.without_errors();
        self.chars += ones(chars.well_formed & bytes);
        self.continuations += ones(chars.second) + ones(chars.third) + ones(chars.fourth);
        self.four_byte_chars += ones(chars.fourth);
        self.consumed += ones(all.second) + ones(all.third) + ones(all.fourth);
        let mut at = 0;
        while at < BLOCK_BYTES {
            let above = isa.bits(isa.at_least(isa.load(window, at), isa.splat(LATIN1 + 1)));
            self.beyond_latin1 |= chars.second & above << at;
            at += I::WIDTH;
        }
    }
}
