//! Validation by arithmetic on eight bytes at once, for CPUs without table lookups ("SIMD within a register").
//!
//! 1. The high bit of each byte of a word indicates what the byte is: a lead byte, a lead byte of three or four, or a
//!    continuation byte. Words that start one, two and three bytes earlier indicate what precedes it, so nothing is
//!    carried from word to word, and compilers may use vectors where every CPU of the architecture has them, as SSE2.
//! 2. A byte must be a continuation byte if and only if a lead byte one, two or three bytes before announces it. Of two
//!    bytes, C0 and C1 have no bit of 1E. Of three, the low four bits of the lead byte and the highest payload bit of
//!    the second byte form a number that is not 0 (E0) and not 27 (ED); of four, the low four bits and the two highest
//!    payload bits one from 1 to 16.
//! 3. A block is checked as one of characters of at most two bytes, three or four: as the block before, of three if
//!    that fails, and then of four.
//! 4. Runs of 24 bytes of three-byte characters, as Chinese has, are compared with their form.
//! 5. After some blocks of ASCII, others are skipped. At the start and at the end of the data, characters beyond ASCII
//!    are checked one by one.
//! 6. Where a block is invalid, the [automaton](super::automaton) finds the place.

use core::hint::select_unpredictable;
use core::mem;

use super::automaton::{broken_byte, character};
#[cfg(feature = "unicode")]
use super::observer::Observer;
use super::rules::{Rules, Utf8, allows};
use super::validator::{Findings, Validator};
use crate::kernels::count::{RunningCounts, count_newlines};
use crate::kernels::counts::Counts;
use crate::kernels::triples::{TRIPLES_BYTES, other_than_triples, repeated};
#[cfg(feature = "unicode")]
use crate::sequence::boundary::without_truncated;
use crate::sequence::{FOUR_BYTE_LEAD, MAX_INCOMPLETE_BYTES, THREE_BYTE_LEAD, is_continuation};
use crate::simd::{Isa, Scalar, partial_words};

/// Bytes that are checked together.
const BLOCK_BYTES: usize = 64;
/// Bytes in a block with those before it.
const WINDOW_BYTES: usize = MAX_INCOMPLETE_BYTES + BLOCK_BYTES;
/// Bytes of ASCII that are skipped at once at the start and at the end.
const RUN_BYTES: usize = 16;
/// Blocks of ASCII that are checked before others are skipped, as it is hard to predict whether more follow.
const MAX_ASCII_BLOCKS: u32 = 3;
/// Bytes that an observer sees at once.
#[cfg(feature = "unicode")]
const STRETCH_BYTES: usize = 1024;

/// Validates by words.
pub(crate) struct Words;

impl<I: Isa> Validator<I> for Words {
    #[inline(always)]
    fn is_valid<R: Rules, const ANY_LENGTH: bool>(_: I, data: &[u8]) -> bool {
        walk::<R, false>(data).is_valid
    }

    #[inline(always)]
    fn measure<const ANY_LENGTH: bool>(_: I, data: &[u8]) -> Option<Counts> {
        let walked = walk::<Utf8, true>(data);
        walked.is_valid.then_some(walked.counts)
    }

    #[inline(always)]
    fn counts(isa: I, data: &[u8]) -> Counts {
        let mut counter = RunningCounts::new(isa.counter());
        counter.add::<false>(data);
        counter.counts()
    }

    #[inline(always)]
    fn validate_wary(isa: I, data: &[u8], measured: bool, _: bool) -> Findings {
        match measured {
            true => Self::validate::<Utf8, true, false>(isa, data),
            false => Self::validate::<Utf8, false, false>(isa, data),
        }
    }

    #[inline(always)]
    fn validate<R: Rules, const MEASURE: bool, const LINES: bool>(isa: I, data: &[u8]) -> Findings {
        let Walked { checked, mut counts, is_valid } = walk::<R, MEASURE>(data);
        let rest = &data[checked..];
        let broken = if is_valid { None } else { broken_byte::<R>(rest) };
        if LINES {
            counts.newlines = count_newlines(isa.counter(), &data[..checked]);
        }
        Findings { valid: checked + broken.unwrap_or(rest.len()), counted: checked, counts }
    }

    #[cfg(feature = "unicode")]
    #[inline(always)]
    fn observe<O: Observer<I>>(isa: I, data: &[u8], observer: &mut O) -> Findings {
        let mut start = 0;
        while start < data.len() && !observer.has_enough() {
            let rest = &data[start..];
            let stretch = rest.get(..STRETCH_BYTES).map_or(rest, without_truncated);
            let found = Self::validate::<Utf8, false, false>(isa, stretch);
            if found.valid < stretch.len() {
                return Findings { valid: start + found.valid, counted: start, ..found };
            }
            let end = start + stretch.len();
            observer.see(isa, data, start, end);
            start = end;
        }
        Findings { valid: start, counted: start, ..Findings::default() }
    }
}

/// The result of a walk.
struct Walked {
    /// The number of valid bytes, up to the start of a character: all, or not all before the first error.
    checked: usize,
    /// Counts over them except newlines; the largest byte only if requested.
    counts: Counts,
    is_valid: bool,
}

/// Validates `data`. (Not inlined, as it takes about a thousand instructions.)
#[inline(never)]
fn walk<R: Rules, const MEASURE: bool>(data: &[u8]) -> Walked {
    let mut counts = Counts::default();
    let (mut at, mut widest, mut ascii_blocks, mut after_triples) = (0_usize, 2, 0, false);
    loop {
        let before = at.checked_sub(MAX_INCOMPLETE_BYTES);
        let window = before.and_then(|start| data.get(start..)?.first_chunk::<WINDOW_BYTES>());
        let Some(window) = window else {
            // The start or the end of the data.
            if widest == 2 {
                at = counts.without_incomplete(data, at);
            }
            match skip_ascii_and_check::<R>(data, at, &mut counts) {
                Run::End => return Walked { checked: data.len(), counts, is_valid: true },
                Run::Failed(at) => return Walked { checked: at, counts, is_valid: false },
                Run::Checked(next) => at = next,
            }
            continue;
        };
        if widest == 3 && are_triples::<R>(window) {
            counts.continuations += TRIPLES_BYTES / 3 * 2;
            if MEASURE && counts.largest < FOUR_BYTE_LEAD - 1 {
                let leads = window[MAX_INCOMPLETE_BYTES..].iter().step_by(3).take(TRIPLES_BYTES / 3);
                counts.largest = leads.fold(counts.largest, |largest, &lead| largest.max(lead));
            }
            at += TRIPLES_BYTES;
            after_triples = true;
            continue;
        }
        let triples = window.first_chunk::<{ MAX_INCOMPLETE_BYTES + TRIPLES_BYTES }>();
        let checked = match (widest, triples) {
            // More are likely to follow soon.
            (3, Some(window)) if mem::take(&mut after_triples) => {
                check::<R, 3, MEASURE, _>(window, &mut counts)
            }
            (2, _) => check::<R, 2, MEASURE, _>(window, &mut counts),
            (3, _) => check::<R, 3, MEASURE, _>(window, &mut counts),
            _ => check::<R, 4, MEASURE, _>(window, &mut counts),
        };
        match checked {
            Some(checked) => {
                at += checked.bytes;
                widest = checked.widest;
                ascii_blocks = select_unpredictable(checked.continuations == 0, ascii_blocks + 1, 0);
                // After ASCII alone, and not a lead byte, a character starts.
                if ascii_blocks > MAX_ASCII_BLOCKS && window[WINDOW_BYTES - 1].is_ascii() {
                    at += skip_blocks(data, at);
                }
            }
            None => {
                if widest == 2 {
                    at = counts.without_incomplete(data, at);
                }
                widest += 1;
                if widest > 4 {
                    return Walked { checked: at, counts, is_valid: false };
                }
            }
        }
    }
}

impl Counts {
    /// Returns the start of the character that ends after `at`, or `at`, and counts its bytes no more. It has at most
    /// three bytes.
    #[inline(always)]
    fn without_incomplete(&mut self, data: &[u8], at: usize) -> usize {
        let incomplete = data.get(..at).and_then(|before| before.last_chunk()).map_or(0, incomplete);
        // Saturating, as the memory may change meanwhile.
        self.continuations = self.continuations.saturating_sub(incomplete.saturating_sub(1));
        at - incomplete
    }
}

/// Returns the number of the last bytes that start a character which is not complete.
#[inline(always)]
fn incomplete([third_last, second_last, last]: &[u8; MAX_INCOMPLETE_BYTES]) -> usize {
    let three = select_unpredictable(*third_last >= FOUR_BYTE_LEAD, 3, 0);
    let two = select_unpredictable(*second_last >= THREE_BYTE_LEAD, 2, three);
    select_unpredictable(*last >= 0xC0, 1, two)
}

/// Returns the number of bytes in the blocks of ASCII from `at` on.
#[inline(always)]
fn skip_blocks(data: &[u8], at: usize) -> usize {
    let blocks = data.get(at..).unwrap_or_default().as_chunks::<BLOCK_BYTES>().0;
    BLOCK_BYTES * blocks.iter().take_while(|block| Scalar.is_ascii(block)).count()
}

/// What follows some ASCII.
enum Run {
    /// The end of the data.
    End,
    /// A character that is not valid, at this offset.
    Failed(usize),
    /// Valid characters up to this offset.
    Checked(usize),
}

/// Skips ASCII from `start` on, where a character starts, and checks the characters beyond ASCII after it.
#[inline(always)]
fn skip_ascii_and_check<R: Rules>(data: &[u8], start: usize, counts: &mut Counts) -> Run {
    let mut at = start;
    loop {
        let rest = data.get(at..).unwrap_or_default();
        let [one, two] = match rest.first_chunk::<RUN_BYTES>() {
            Some(run) => [Scalar.load(run, 0), Scalar.load(run, 8)],
            None => partial_words(rest),
        };
        let [one, two] = [one, two].map(|word| Scalar.non_ascii(word));
        if one | two != 0 {
            let [first, second] = [one, two].map(|bits| bits.trailing_zeros() as usize / 8);
            at += select_unpredictable(one != 0, first, second + 8);
            break;
        }
        at += RUN_BYTES;
        if at >= data.len() {
            return Run::End;
        }
        if at == start + BLOCK_BYTES {
            at += skip_blocks(data, at);
        }
    }
    let mut rest = data.get(at..).unwrap_or_default();
    // At the start a block is checked as soon as there are bytes before it.
    let end = at + MAX_INCOMPLETE_BYTES;
    while let Some(&lead) = rest.first()
        && !lead.is_ascii()
        && at < end
    {
        let length = match *rest {
            [0xC2..=0xDF, second, ..] if is_continuation(second) => 2,
            _ => match character::<R>(rest) {
                Some(length) => length,
                None => return Run::Failed(at),
            },
        };
        counts.continuations += length - 1;
        counts.four_byte_leads += usize::from(length == 4);
        counts.largest = counts.largest.max(lead.min(FOUR_BYTE_LEAD));
        at += length;
        rest = data.get(at..).unwrap_or_default();
    }
    Run::Checked(at)
}

/// Returns whether a block starts with eight valid characters of three bytes.
#[inline(always)]
fn are_triples<R: Rules>(window: &[u8; WINDOW_BYTES]) -> bool {
    const LEADS: u64 = repeated([0xFF, 0, 0]);
    const SECONDS: u64 = repeated([0x01, 0, 0]);
    let mut ranges = u64::MAX;
    for word in 0..TRIPLES_BYTES / 8 {
        // Three characters, of which the last word has only two.
        let leads = Scalar.load(window, MAX_INCOMPLETE_BYTES + 9 * word);
        let key = (leads & Scalar.splat(0x0F) & LEADS) << 1 | leads >> 13 & SECONDS;
        let after = if word == 2 { u64::MAX << 48 } else { 0 };
        ranges &= in_range_of_three::<R>(key) | after;
    }
    let highs = Scalar.splat(0x80) & LEADS;
    other_than_triples(window, MAX_INCOMPLETE_BYTES) == 0 && ranges & highs == highs
}

/// Returns the high bit of each lane unless it is 0, or 27 where surrogates are not allowed; lanes are below 80.
#[inline(always)]
fn in_range_of_three<R: Rules>(key: u64) -> u64 {
    let not_short = key + Scalar.splat(0x7F);
    if allows(R::FORMS, 0xED, 0xA0) {
        not_short
    } else {
        not_short & ((key ^ Scalar.splat(27)) + Scalar.splat(0x7F))
    }
}

/// A block that was checked.
struct Checked {
    /// Its bytes, without a character that continues after it.
    bytes: usize,
    /// The most bytes of a character that are expected in the next block.
    widest: usize,
    /// Continuation bytes in it.
    continuations: usize,
}

/// Checks a block of characters of at most `WIDEST` bytes; where they may have more than two, it starts with a
/// character, and the counts are of those that are complete. Returns `None` if it is not valid, or has wider ones.
#[inline(always)]
fn check<R: Rules, const WIDEST: usize, const MEASURE: bool, const WINDOW: usize>(
    window: &[u8; WINDOW],
    counts: &mut Counts,
) -> Option<Checked> {
    let high_bits = Scalar.splat(0x80);
    let (mut errors, mut continuations, mut larger, mut wide, mut four_byte_leads) = (0, 0, 0, 0, 0);
    let bound = match counts.largest {
        FOUR_BYTE_LEAD.. => Scalar.splat(0xFF),
        largest => Scalar.splat(largest.max(0x7F) + 1),
    };
    for word in 0..(WINDOW - MAX_INCOMPLETE_BYTES) / 8 {
        let at = MAX_INCOMPLETE_BYTES + 8 * word;
        let here = Scalar.load(window, at);
        let prev = Scalar.load(window, at - 1);
        let continuation = here & !(here << 1);
        let after_lead = prev & prev << 1;
        let not_short = (prev & Scalar.splat(0x1E)) + Scalar.splat(0x7E);
        if WIDEST == 2 {
            errors |= continuation ^ after_lead | after_lead & (!not_short | prev << 2);
        } else {
            let prev2 = Scalar.load(window, at - 2);
            let mut expected = after_lead | prev2 & prev2 << 1 & prev2 << 2;
            let after_three = after_lead & prev << 2;
            errors |= after_lead & !after_three & !not_short;
            let key = (prev & Scalar.splat(0x0F)) << 1 | here >> 5 & Scalar.splat(0x01);
            let mut not_in_range = after_three & !in_range_of_three::<R>(key);
            let mut widest_here = after_three;
            if WIDEST == 4 {
                let prev3 = Scalar.load(window, at - 3);
                expected |= prev3 & prev3 << 1 & prev3 << 2 & prev3 << 3;
                let after_four = after_three & prev << 3;
                let key = (prev & Scalar.splat(0x0F)) << 2 | here >> 4 & Scalar.splat(0x03);
                let in_range = (key + Scalar.splat(0x7F)) & !(key + Scalar.splat(0x6F));
                not_in_range = not_in_range & !after_four | after_four & !in_range;
                four_byte_leads += after_four >> 7 & Scalar.splat(0x01);
                widest_here = after_four;
            } else {
                not_in_range |= after_three & prev << 3;
            }
            errors |= continuation ^ expected | not_in_range;
            wide |= widest_here;
        }
        continuations += continuation >> 7 & Scalar.splat(0x01);
        if MEASURE {
            larger |= Scalar.at_least(prev, bound);
        }
    }
    if errors & high_bits != 0 {
        return None;
    }
    let continuations = Scalar.reduce_sum(continuations);
    let incomplete = match window.last_chunk() {
        Some(last) if WIDEST > 2 => incomplete(last),
        _ => 0,
    };
    counts.continuations += continuations.saturating_sub(incomplete.saturating_sub(1));
    if WIDEST == 4 {
        let is_counted = incomplete > 1 && window[WINDOW - incomplete] >= FOUR_BYTE_LEAD;
        counts.four_byte_leads += Scalar.reduce_sum(four_byte_leads).saturating_sub(is_counted.into());
    }
    if MEASURE && larger & high_bits != 0 {
        // A lead byte counts in the block of its second byte.
        let block = &window[MAX_INCOMPLETE_BYTES - 1..WINDOW - incomplete.max(1)];
        counts.largest =
            block.iter().fold(counts.largest, |largest, &byte| largest.max(byte)).min(FOUR_BYTE_LEAD);
    }
    let widest = if WIDEST == 2 || wide & high_bits != 0 { WIDEST } else { WIDEST - 1 };
    Some(Checked { bytes: WINDOW - MAX_INCOMPLETE_BYTES - incomplete, widest, continuations })
}
