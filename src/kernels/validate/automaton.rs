//! The place of an error, byte by byte: a finite automaton whose state is a shift count.
//!
//! The row of a byte is a 64-bit word that holds, for each state, the next state in six bits, at the bit offset that is
//! the state's number. So a step is `row[byte] >> state` (Per Vognsen, "Branchless UTF-8 decoding with a shift-based
//! DFA", 2021; the automaton is Björn Höhrmann's, 2009).
//!
//! The rows are computed from the forms of some [`Rules`].
//!
//! Tried and lost: to validate all data by it (a third to a half of the speed of [`words`](super::words)).

use super::rules::Rules;
use crate::sequence::{Form, is_continuation};

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

/// Returns the offset of the first byte of `data`, which starts between characters, that continues no sequence, or of
/// the last byte if a sequence is truncated; `None` if there is no such byte.
#[inline(always)]
pub(super) fn broken_byte<R: Rules>(data: &[u8]) -> Option<usize> {
    let mut state = u64::from(START);
    for (index, &byte) in data.iter().enumerate() {
        state = step::<R>(state, byte);
        if at(state) == FAILED {
            return Some(index);
        }
    }
    (at(state) != START).then(|| data.len() - 1)
}

/// Returns the length of the character at the start of `data`, if it is valid.
#[inline(always)]
pub(super) fn character<R: Rules>(data: &[u8]) -> Option<usize> {
    let mut state = u64::from(START);
    for (index, &byte) in data.iter().enumerate() {
        state = step::<R>(state, byte);
        match at(state) {
            FAILED => return None,
            START => return Some(index + 1),
            _ => {}
        }
    }
    None
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
