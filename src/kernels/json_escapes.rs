//! Finding where JSON may have something that loaders refuse: escapes of surrogates and of U+0000, NULs, and U+FEFF at
//! the start of a line.
//!
//! Nearly all text has none of these, also text full of escapes as `\u0430`. So each block is compared with the few
//! bytes that all of them start with, and only where it has one with the bytes after it. Escapes of emoji are pairs of
//! surrogates: those within a block are left out, unless a backslash precedes. The caller decides which of the others
//! are escapes without their other half.

use core::hint::black_box;

use super::kernel::{Backend, Kernel, Task};

/// Bytes that a bit each is for.
const BLOCK_BYTES: usize = 64;
/// The length of `\u0000`.
const ESCAPE_BYTES: u32 = 6;
/// Bytes in a block with those after it that its bits depend on: `\u0000` starts with the last byte of the block.
const WINDOW_BYTES: usize = BLOCK_BYTES + 5;

/// Finds the first block of `data[from..]` where something may be refused: `\ud`, `\uD`, `\u0000`, 00, or a byte that
/// starts a line.
pub(crate) struct FindJsonEscapes<'a> {
    pub data: &'a [u8],
    pub from: usize,
    /// The byte that is searched for where lines start, not ASCII.
    pub lead: u8,
}

impl Kernel for FindJsonEscapes<'_> {
    /// The offset of the block, or the length of `data`, and a bit for each byte where one may start; the lowest is for
    /// the first byte.
    type Output = (usize, u64);

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> (usize, u64) {
        let Self { data, from, lead } = self;
        let mut at = from;
        while let Some(rest) = data.get(at..).filter(|rest| !rest.is_empty()) {
            let last = at.checked_sub(1).and_then(|last| data.get(last)).copied().unwrap_or(b'\n');
            let bits = match rest.first_chunk() {
                Some(window) => find(isa, window, lead, last),
                None => {
                    let mut window = [b' '; WINDOW_BYTES];
                    window[..rest.len()].copy_from_slice(rest);
                    find(isa, &window, lead, last)
                }
            };
            if bits != 0 {
                return (at, bits);
            }
            at += BLOCK_BYTES;
        }
        (data.len(), 0)
    }
}

/// Returns the bits of a block.
#[inline(always)]
fn find<I: Backend>(isa: I, window: &[u8; WINDOW_BYTES], lead: u8, last: u8) -> u64 {
    let block = from::<0>(window);
    let mut bits = equal(isa, block, 0);
    let backslashes = equal(isa, block, b'\\');
    if backslashes != 0 {
        let escapes = backslashes & equal(isa, from::<1>(window), b'u');
        if escapes != 0 {
            let digits = from::<2>(window);
            let of_d = escapes & (equal(isa, digits, b'd') | equal(isa, digits, b'D'));
            if of_d != 0 {
                let escaped = backslashes << 1 | u64::from(last == b'\\');
                bits |= unpaired(isa, window, of_d, escaped);
            }
            let zeros = escapes & equal(isa, digits, b'0') & equal(isa, from::<3>(window), b'0');
            if zeros != 0 {
                bits |= zeros & equal(isa, from::<4>(window), b'0') & equal(isa, from::<5>(window), b'0');
            }
        }
    }
    if !isa.is_ascii(block) {
        let leads = equal(isa, block, lead);
        if leads != 0 {
            bits |= leads & (equal(isa, block, b'\n') << 1 | u64::from(last == b'\n'));
        }
    }
    bits
}

/// Returns which of the escapes of U+D000 to U+DFFF in a block are of surrogates, but for pairs of which no backslash
/// is escaped by another.
#[inline(always)]
fn unpaired<I: Backend>(isa: I, window: &[u8; WINDOW_BYTES], escapes: u64, escaped: u64) -> u64 {
    // Compilers vectorise these; not all instruction sets compare ASCII by order.
    let digits = from::<3>(window);
    let high = digits.map(|digit| is_within(digit, b'8', 2) | is_within(digit | CASE, b'a', 2));
    let low = digits.map(|digit| is_within(digit | CASE, b'c', 4));
    let (high, low) = (escapes & nonzero(isa, &high), escapes & nonzero(isa, &low));
    if low == 0 {
        return high;
    }
    let is_digit = |digit: u8| is_within(digit, b'0', 10) | is_within(digit | CASE, b'a', 6);
    let (third, fourth) = (from::<4>(window).map(is_digit), from::<5>(window).map(is_digit));
    let complete = nonzero(isa, &third) & nonzero(isa, &fourth);
    let pairs = high & complete & !escaped & (low & complete) >> ESCAPE_BYTES;
    (high | low) & !(pairs | pairs << ESCAPE_BYTES)
}

/// Returns a bit for each byte of the block that is this one.
#[inline(always)]
fn equal<I: Backend>(isa: I, block: &[u8; BLOCK_BYTES], byte: u8) -> u64 {
    as_word::<I>(isa.equal_in(block, byte))
}

/// Returns a bit for each byte that is not 0.
#[inline(always)]
fn nonzero<I: Backend>(isa: I, bytes: &[u8; BLOCK_BYTES]) -> u64 {
    as_word::<I>(isa.nonzero_bits(bytes))
}

/// Returns bits of comparisons, which compilers then keep as such.
///
/// LLVM 22 would keep their lanes from one branch to the next, each in a register or in memory of its own, but where a
/// block is a vector: with AVX2 text full of escapes took up to seven times as long.
#[inline(always)]
fn as_word<I: Backend>(bits: u64) -> u64 {
    if I::WIDTH < BLOCK_BYTES { black_box(bits) } else { bits }
}

/// The bit in which a letter of ASCII differs from its capital.
const CASE: u8 = 0x20;

/// Returns 1 for one of `count` bytes from `first` on, 0 for another.
#[inline(always)]
fn is_within(byte: u8, first: u8, count: u8) -> u8 {
    u8::from(byte.wrapping_sub(first) < count)
}

/// Returns the block that starts at byte `AT` of the window.
#[inline(always)]
fn from<const AT: usize>(window: &[u8; WINDOW_BYTES]) -> &[u8; BLOCK_BYTES] {
    window[AT..].first_chunk().unwrap_or(&[0; BLOCK_BYTES])
}
