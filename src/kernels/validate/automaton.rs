//! Validation byte by byte, for CPUs without table lookups: a finite automaton whose state is a
//! shift count.
//!
//! 1. Words of ASCII are skipped while the automaton is between characters, and groups of eight after them.
//! 2. The row of a byte is a 64-bit word that holds, for each state, the next state in six bits, at the bit offset that
//!    is the state's number. So a step is `row[byte] >> state`: steps wait only for one shift after another, since the
//!    rows can be loaded ahead (Per Vognsen, "Branchless UTF-8 decoding with a shift-based DFA", 2021; the automaton is
//!    Björn Höhrmann's, 2009).
//! 3. The failed state is never left, so it is tested once a block.
//!
//! The rows are computed from the forms of some [`Rules`].

use super::observer::{Observer, Unobserved};
use super::rules::{Rules, Utf8};
use super::validator::{Findings, Validator};
use crate::kernels::count::RunningCounts;
use crate::kernels::counts::Counts;
use crate::sequence::{Form, is_continuation};
use crate::simd::{Isa, Scalar};

/// Failed. As it is 0, every step without a rule leads to it.
const FAILED: u32 = 0;
/// Between characters.
const START: u32 = 6;
/// By the number of missing continuation bytes, any of 80 to BF.
const MISSING: [u32; 4] = [START, 12, 18, 24];
/// The first state after a lead byte whose second byte has a narrower range.
const SPECIAL: u32 = 30;

/// Returns the rows for these forms.
const fn rows(forms: &[Form]) -> [u64; 256] {
    let mut rows = [0u64; 256];
    let mut special = SPECIAL;
    let mut row = 0;
    while row < forms.len() {
        let form = &forms[row];
        let plain = *form.second.start() == 0x80 && *form.second.end() == 0xBF;
        let after_lead = if plain { MISSING[form.length - 1] } else { special };
        let mut lead = *form.lead.start() as usize;
        while lead <= *form.lead.end() as usize {
            rows[lead] |= (after_lead as u64) << START;
            lead += 1;
        }
        if !plain {
            let mut second = *form.second.start() as usize;
            while second <= *form.second.end() as usize {
                rows[second] |= (MISSING[form.length - 2] as u64) << special;
                second += 1;
            }
            special += 6;
        }
        row += 1;
    }
    let mut byte = 0;
    while byte < 256 {
        if is_continuation(byte as u8) {
            let mut missing = 1;
            while missing < MISSING.len() {
                rows[byte] |= (MISSING[missing - 1] as u64) << MISSING[missing];
                missing += 1;
            }
        }
        byte += 1;
    }
    rows
}

/// The rows for some rules.
trait Rows: Rules {
    const ROWS: &'static [u64; 256] = &rows(Self::FORMS);
}

impl<R: Rules> Rows for R {}

/// Bytes that are skipped at once after the first word of ASCII.
const ASCII_BYTES: usize = 64;
/// Bytes after which the state is tested, and which are counted while they are in the cache.
const BLOCK_BYTES: usize = 1024;

/// Validates by the automaton.
pub(crate) struct Automaton;

impl<I: Isa> Validator<I> for Automaton {
    #[inline(always)]
    fn is_valid<R: Rules, const ANY_LENGTH: bool>(isa: I, data: &[u8]) -> bool {
        Self::validate::<R, false, false>(isa, data).valid == data.len()
    }

    #[inline(always)]
    fn measure<const ANY_LENGTH: bool>(isa: I, data: &[u8]) -> Option<Counts> {
        let found = Self::validate::<Utf8, true, false>(isa, data);
        (found.valid == data.len()).then_some(found.counts)
    }

    #[inline(always)]
    fn counts(isa: I, data: &[u8]) -> Counts {
        let mut counter = RunningCounts::new(isa.counter());
        counter.add::<false>(data);
        counter.counts()
    }

    #[inline(always)]
    fn valid_up_to(_: I, data: &[u8]) -> usize {
        broken_byte::<Utf8>(START, data).unwrap_or(data.len())
    }

    #[inline(always)]
    fn validate<R: Rules, const MEASURE: bool, const LINES: bool>(isa: I, data: &[u8]) -> Findings {
        pass_over::<I, R, _, MEASURE, LINES>(isa, data, &mut Unobserved)
    }

    #[cfg(feature = "unicode")]
    #[inline(always)]
    fn observe<O: Observer<I>>(isa: I, data: &[u8], observer: &mut O) -> Findings {
        pass_over::<I, Utf8, O, false, false>(isa, data, observer)
    }
}

/// Validates and counts, while an observer sees the bytes, until that has enough.
#[inline(always)]
fn pass_over<I: Isa, R: Rules, O: Observer<I>, const MEASURE: bool, const LINES: bool>(
    isa: I,
    data: &[u8],
    observer: &mut O,
) -> Findings {
    let mut valid = 0;
    let mut counter = RunningCounts::new(isa.counter());
    let mut state = START;
    for block in data.chunks(BLOCK_BYTES) {
        let before = state;
        state = walk::<R>(state, block);
        let last = valid + block.len() == data.len();
        if state == FAILED || (last && state != START) {
            let broken = broken_byte::<R>(before, block).unwrap_or(block.len() - 1);
            return Findings { valid: valid + broken, counted: valid, counts: counter.counts() };
        }
        observer.see(isa, data, valid, valid + block.len());
        valid += block.len();
        if MEASURE {
            counter.add::<LINES>(block);
        }
        if observer.has_enough() {
            break;
        }
    }
    Findings { valid, counted: valid, counts: counter.counts() }
}

/// Returns the offset of the first byte of `block` that continues no sequence, or of the last byte if a sequence is
/// truncated.
#[inline(always)]
fn broken_byte<R: Rules>(state: u32, block: &[u8]) -> Option<usize> {
    let mut state = u64::from(state);
    for (index, &byte) in block.iter().enumerate() {
        state = step::<R>(state, byte);
        if at(state) == FAILED {
            return Some(index);
        }
    }
    (at(state) != START).then(|| block.len() - 1)
}

/// Returns the state after `block`.
#[inline(always)]
fn walk<R: Rules>(state: u32, block: &[u8]) -> u32 {
    let mut state = u64::from(state);
    let mut rest = block;
    while let Some((word, after)) = rest.split_first_chunk::<8>() {
        rest = after;
        if at(state) == START && Scalar.is_ascii(word) {
            while let Some((group, after)) = rest.split_first_chunk::<ASCII_BYTES>()
                && Scalar.is_ascii(group)
            {
                rest = after;
            }
            continue;
        }
        for &byte in word {
            state = step::<R>(state, byte);
        }
    }
    at(rest.iter().fold(state, |state, &byte| step::<R>(state, byte)))
}

/// Returns the next state in the low six bits; the bits above belong to other states.
#[inline(always)]
fn step<R: Rules>(state: u64, byte: u8) -> u64 {
    R::ROWS[usize::from(byte)] >> (state & 63)
}

/// Returns the state alone.
#[inline(always)]
fn at(state: u64) -> u32 {
    (state & 63) as u32
}
