//! Errors byte by byte, for CPUs without table lookups: the finite automaton of `validate::automaton`, which goes on
//! after an error instead of failing.
//!
//! The row of a byte is a 64-bit word that holds, for each of eight states, the next state and what ends with the byte:
//! a character, an error before it, the byte itself as an error. Every byte takes the same few instructions, so random
//! bytes, which mispredict every branch, take no longer than others.

use super::{BLOCK_BYTES, ErrorBits, ErrorCounts, ErrorFinder};
use crate::kernels::decode::LATIN1;
use crate::sequence::{Form, Sequence, WELL_FORMED, decode_one, is_continuation};
use crate::simd::{Isa, Scalar};

/// Bytes that are tested for ASCII at once.
pub(in crate::kernels) const WORD_BYTES: usize = 8;

/// Bits of an entry: the number of errors that end before or with the byte, 0 to 2.
const ERRORS: u64 = 0b11;
/// A bit of an entry: a character ends with the byte.
const CHAR: u64 = 1 << 2;
/// Bits of an entry: the bit offset of the next state's entry.
const STATE: u64 = 0b111 << 3;
/// Bits in an entry.
const ENTRY_BITS: u64 = 8;

/// The state between characters.
const START: u64 = 0;
/// The first state after a lead byte whose second byte has a narrower range; 1 to 3 stand for as many missing
/// continuation bytes.
const SPECIAL: u64 = 4;

/// The rows.
static ROWS: [u64; 256] = {
    let mut rows = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        // From the state between characters; also after an error that the byte does not continue.
        let mut fresh = if byte < 0x80 { CHAR } else { 1 };
        let mut special = SPECIAL;
        let mut continued = [None; 8];
        if is_continuation(byte as u8) {
            continued[1] = Some(CHAR);
            continued[2] = Some(ENTRY_BITS);
            continued[3] = Some(2 * ENTRY_BITS);
        }
        let mut row = 1;
        while row < WELL_FORMED.len() {
            let Form { lead, second, length } = &WELL_FORMED[row];
            let missing = *length as u64 - 1;
            let plain = *second.start() == 0x80 && *second.end() == 0xBF;
            if *lead.start() as usize <= byte && byte <= *lead.end() as usize {
                fresh = ENTRY_BITS * if plain { missing } else { special };
            }
            if !plain {
                if *second.start() as usize <= byte && byte <= *second.end() as usize {
                    continued[special as usize] = Some(ENTRY_BITS * (missing - 1));
                }
                special += 1;
            }
            row += 1;
        }
        rows[byte] = fresh;
        let mut state = 1;
        while state < 8 {
            let entry = match continued[state] {
                Some(entry) => entry,
                None => fresh + 1,
            };
            rows[byte] |= entry << (ENTRY_BITS * state as u64);
            state += 1;
        }
        byte += 1;
    }
    rows
};

/// What ends with a byte.
pub(in crate::kernels) struct Step {
    /// The number of errors that end before the byte or with it, 0 to 2.
    pub errors: usize,
    /// Whether a character ends with it.
    pub ends_char: bool,
    /// Whether it belongs to a sequence that the next byte may continue.
    pub is_open: bool,
}

/// The state between two bytes.
#[derive(Clone, Copy)]
pub(in crate::kernels) struct State(u64);

impl State {
    /// The state before the first byte.
    pub(in crate::kernels) const START: Self = Self(START);

    /// Returns whether no character or error is open.
    #[inline(always)]
    pub(in crate::kernels) fn is_start(self) -> bool {
        self.0 & STATE == START
    }

    /// Moves over a byte.
    #[inline(always)]
    pub(in crate::kernels) fn step(&mut self, byte: u8) -> Step {
        self.0 = ROWS[usize::from(byte)] >> (self.0 & STATE);
        Step { errors: (self.0 & ERRORS) as usize, ends_char: self.0 & CHAR != 0, is_open: !self.is_start() }
    }
}

/// Counts and finds errors by the automaton.
pub(crate) struct ErrorAutomaton;

impl<I> ErrorFinder<I> for ErrorAutomaton {
    #[inline(always)]
    fn count(_: I, data: &[u8]) -> ErrorCounts {
        let mut tally = Tally::default();
        let mut state = State::START;
        let mut rest = data;
        while let Some((word, after)) = rest.split_first_chunk::<WORD_BYTES>() {
            rest = after;
            if state.is_start() && Scalar.is_ascii(word) {
                tally.counts.chars += WORD_BYTES;
                continue;
            }
            for &byte in word {
                tally.add(&mut state, byte);
            }
        }
        for &byte in rest {
            tally.add(&mut state, byte);
        }
        let mut counts = tally.counts;
        counts.errors += usize::from(!state.is_start());
        counts.beyond_latin1 = tally.largest_lead > LATIN1;
        counts
    }

    #[inline(always)]
    fn find(_: I, data: &[u8]) -> ErrorBits {
        let mut bits = ErrorBits::default();
        while bits.length < BLOCK_BYTES
            && let Some(sequence) = decode_one(&data[bits.length..])
        {
            if let Sequence::Malformed(_, length) = sequence {
                let bit = 1 << bits.length;
                bits.errors |= bit;
                bits.two |= if length > 1 { bit } else { 0 };
                bits.three |= if length > 2 { bit } else { 0 };
            }
            bits.length += sequence.length();
        }
        bits
    }
}

/// Counts, byte by byte.
#[derive(Default)]
struct Tally {
    counts: ErrorCounts,
    /// The first byte of what is open, or of what ended last.
    lead: u8,
    /// The bytes of what is open.
    open: usize,
    /// The largest lead byte of a character.
    largest_lead: u8,
}

impl Tally {
    #[inline(always)]
    fn add(&mut self, state: &mut State, byte: u8) {
        let Step { errors, ends_char, is_open } = state.step(byte);
        let continues = self.open > 0 && errors == 0;
        self.lead = if continues { self.lead } else { byte };
        let length = if continues { self.open + 1 } else { 1 };
        self.open = if is_open { length } else { 0 };
        self.counts.errors += errors;
        self.counts.chars += usize::from(ends_char);
        self.counts.continuations += if ends_char { length - 1 } else { 0 };
        self.counts.four_byte_chars += usize::from(ends_char && length == 4);
        self.largest_lead = self.largest_lead.max(if ends_char { self.lead } else { 0 });
    }
}
