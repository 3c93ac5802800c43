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
//! 4. ASCII is skipped by 128 bytes. From the first that is not, a stretch of 4 KB is surveyed: a
//!    flag for each block of 64 bytes says whether it is ASCII, and those that are not are checked
//!    one after another. Whoever asks and checks block by block instead waits for two unforeseen
//!    branches at each lone word that is not English; here it is two a stretch.
//! 5. If most flags are set, all blocks are checked, and the stretches after it too without being
//!    surveyed, as long as they do not begin with ASCII: on dense text the survey costs a sixth.
//! 6. Errors are looked at after each stretch, and if there is one, once more block by block.
//! 7. What is counted is counted after each stretch, while it is in the first-level cache; newlines
//!    with the survey, and what is not ASCII with the checks, where these pick blocks.

use super::tally::{BLOCK, Lanes, Tally, add_newlines, any_of, is_ascii};
use super::{Counts, Findings};
use crate::simd::Lookup;

/// How far back a byte's check looks.
const BEHIND: usize = 3;
/// A block with the bytes before it.
const WINDOW: usize = BEHIND + BLOCK;
/// ASCII is skipped by so many bytes, and shorter inputs are first asked whether they are ASCII.
const SKIP: usize = 128;
/// Blocks in a stretch: their flags, and one for the block after them, fit into a word.
const STRETCH: usize = 60;
/// If more of a stretch's blocks than this are not ASCII, it takes less time to check them all.
const DENSE: usize = 40;
/// So many bytes tell whether a dense stretch is followed by another.
const PROBE: usize = 256;

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
    /// Whether most blocks of the last stretch were not ASCII, or the first block was not.
    dense: bool,
    tally: Tally<I>,
}

impl<I: Lookup, const MEASURE: bool> Pass<I, MEASURE> {
    /// As many bytes of ASCII as the lanes for newlines can hold.
    const LONGEST_SKIP: usize = 255 / (SKIP / I::WIDTH) * SKIP;

    /// Checks the first `length` bytes of the block in a window.
    #[inline(always)]
    fn check(&mut self, window: &[u8; WINDOW], length: usize) {
        let mut at = BEHIND;
        while at < BEHIND + length {
            self.errors = self.tables.isa.or(self.errors, self.tables.errors(window, at));
            at += I::WIDTH;
        }
    }

    /// Checks and counts the first bytes, at most a block, by way of a copy with nothing before them;
    /// returns whether they are valid.
    #[inline(always)]
    fn pass_head(&mut self, head: &[u8]) -> bool {
        let mut window = [0; WINDOW];
        match head.first_chunk::<BLOCK>() {
            Some(block) => window[BEHIND..].copy_from_slice(block),
            None => window[BEHIND..BEHIND + head.len()].copy_from_slice(head),
        }
        self.check(&window, head.len());
        self.settle(head)
    }

    /// Checks and counts the tail of `data`, at most a block of more than one; returns whether it is
    /// valid. What stands before it, and was checked already, fills the block up.
    #[inline(always)]
    fn pass_tail(&mut self, data: &[u8], tail: &[u8]) -> bool {
        match data.last_chunk() {
            Some(window) => self.check(window, BLOCK),
            None => {
                let mut window = [0; WINDOW];
                window[WINDOW - data.len()..].copy_from_slice(data);
                self.check(&window, BLOCK);
            }
        }
        self.settle(tail)
    }

    /// Counts `checked`, unless an error was seen; returns whether none was.
    #[inline(always)]
    fn settle(&mut self, checked: &[u8]) -> bool {
        let valid = !self.tables.isa.any(self.errors);
        if valid && MEASURE {
            self.tally.add(checked);
        }
        valid
    }

    /// Accepts the ASCII that follows the first three bytes of `rest`, by [`SKIP`] bytes, and returns
    /// how many bytes it is; none if a character is still open.
    #[inline(always)]
    fn skip_ascii(&mut self, rest: &[u8]) -> usize {
        let isa = self.tables.isa;
        let (before, bytes) = rest.split_at(BEHIND);
        if breaks_off(before) {
            return 0;
        }
        let mut newlines = isa.splat(0);
        let mut skipped = 0;
        let (blocks, _) = bytes[..bytes.len().min(Self::LONGEST_SKIP)].as_chunks::<SKIP>();
        for block in blocks {
            let more = if MEASURE { add_newlines(isa, newlines, block) } else { newlines };
            if isa.any_non_ascii(any_of(isa, block)) {
                break;
            }
            newlines = more;
            skipped += SKIP;
        }
        if MEASURE {
            self.tally.add_newlines(newlines);
        }
        skipped
    }

    /// Checks and counts the blocks of a stretch, at most [`STRETCH`] of them, which follow its first
    /// three bytes; returns whether they are valid.
    #[inline(always)]
    fn pass_stretch(&mut self, stretch: &[u8]) -> bool {
        let isa = self.tables.isa;
        let (before, bytes) = stretch.split_at(BEHIND);
        if self.dense && !is_ascii(isa, &bytes[..bytes.len().min(PROBE)]) {
            return self.pass_dense(stretch);
        }
        let mut newlines = isa.splat(0);
        let mut flags = 0;
        let (blocks, _) = bytes.as_chunks::<BLOCK>();
        let (fours, rest) = blocks.as_chunks::<4>();
        for (index, four) in fours.iter().enumerate() {
            let mut some = 0;
            for (place, block) in four.iter().enumerate() {
                some |= u64::from(isa.any_non_ascii(any_of(isa, block))) << place;
                if MEASURE {
                    newlines = add_newlines(isa, newlines, block);
                }
            }
            flags |= some << (4 * index);
        }
        // These few are checked without being asked.
        for (index, block) in rest.iter().enumerate() {
            flags |= 1 << (4 * fours.len() + index);
            if MEASURE {
                newlines = add_newlines(isa, newlines, block);
            }
        }
        self.dense = flags.count_ones() as usize > DENSE;
        if self.dense {
            return self.pass_dense(stretch);
        }
        let mut lanes = Lanes::new(isa);
        let mut open = u64::from(breaks_off(before));
        let mut left = flags;
        while left != 0 {
            let index = left.trailing_zeros() as usize;
            let Some(window) = stretch[index * BLOCK..].first_chunk::<WINDOW>() else { break };
            self.check(window, BLOCK);
            if MEASURE && let Some(block) = window.last_chunk() {
                lanes.add::<false>(block);
            }
            left &= left - 1;
            open |= u64::from(breaks_off(window)) << (index + 1);
        }
        // A character must not be open where ASCII follows; the block after the stretch is the next
        // one's.
        let cut_off = open & !flags & ((1 << blocks.len()) - 1);
        let valid = !isa.any(self.errors) && cut_off == 0;
        if valid && MEASURE {
            self.tally.add_sparse(lanes, newlines, bytes);
        }
        valid
    }

    /// The same, without asking what is ASCII.
    #[inline(always)]
    fn pass_dense(&mut self, stretch: &[u8]) -> bool {
        let mut ahead = stretch;
        while let Some(window) = ahead.first_chunk::<WINDOW>() {
            self.check(window, BLOCK);
            ahead = &ahead[BLOCK..];
        }
        self.settle(&stretch[BEHIND..])
    }

    /// Counts the blocks of a stretch that stand before an error in it, and returns how many bytes
    /// they are.
    #[inline(always)]
    fn valid_part(&mut self, stretch: &[u8]) -> usize {
        let (_, bytes) = stretch.split_at(BEHIND);
        let mut valid = 0;
        self.errors = self.tables.isa.splat(0);
        while let Some(window) = stretch[valid..].first_chunk::<WINDOW>() {
            self.check(window, BLOCK);
            if self.tables.isa.any(self.errors) {
                break;
            }
            valid += BLOCK;
        }
        if MEASURE {
            self.tally.add(&bytes[..valid]);
        }
        valid
    }

    /// What was found, if `valid` bytes are.
    #[inline(always)]
    fn findings(self, valid: usize) -> Findings {
        Findings { valid, counts: if MEASURE { self.tally.counts() } else { Counts::default() } }
    }
}

/// Whether a sequence that starts in the last three bytes needs more bytes than there are.
#[inline(always)]
fn breaks_off(data: &[u8]) -> bool {
    let last = match data.last_chunk() {
        Some(&last) => u32::from_le_bytes(last),
        None => data.iter().fold(0, |last, &byte| last >> 8 | u32::from(byte) << 24),
    };
    // From F0, E0 and C0 on a carry gets into the high bit.
    ((last & 0x7F7F_7F7F) + 0x4020_1000) & last & 0x8080_8000 != 0
}

#[inline(always)]
pub(crate) fn validate<I: Lookup, const MEASURE: bool>(isa: I, data: &[u8]) -> Findings {
    if !MEASURE && data.len() <= SKIP && is_ascii(isa, data) {
        return Findings { valid: data.len(), counts: Counts::default() };
    }
    let mut pass = Pass::<I, MEASURE> {
        tables: Tables::new(isa),
        errors: isa.splat(0),
        dense: false,
        tally: Tally::new(isa),
    };
    // The first block has nothing before it, and nothing may be read there.
    let (head, after) = data.split_at(data.len().min(BLOCK));
    if after.is_empty() && breaks_off(head) || !pass.pass_head(head) {
        return pass.findings(0);
    }
    if after.is_empty() {
        return pass.findings(data.len());
    }
    // Text is usually like its beginning.
    pass.dense = !is_ascii(isa, head);
    // `rest` starts three bytes before what is not yet checked, and never runs quite empty: the last
    // bytes are left for the tail.
    let mut rest = &data[BLOCK - BEHIND..];
    while rest.len() > WINDOW {
        if !pass.dense {
            let skipped = pass.skip_ascii(&rest[..rest.len() - 1]);
            rest = &rest[skipped..];
            if skipped == Pass::<I, MEASURE>::LONGEST_SKIP {
                continue;
            }
        }
        let blocks = ((rest.len() - BEHIND - 1) / BLOCK).min(STRETCH);
        let (stretch, _) = rest.split_at(BEHIND + blocks * BLOCK);
        if !pass.pass_stretch(stretch) {
            let valid = pass.valid_part(stretch);
            return pass.findings(data.len() - (rest.len() - BEHIND) + valid);
        }
        rest = &rest[blocks * BLOCK..];
    }
    let (_, tail) = rest.split_at(BEHIND);
    let valid = !breaks_off(data) && pass.pass_tail(data, tail);
    pass.findings(if valid { data.len() } else { data.len() - tail.len() })
}
