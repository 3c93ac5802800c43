//! The patterns of three bytes.

use crate::simd::ByteClasses;

/// Bytes in a block: a bit for each in a word.
pub const BLOCK_BYTES: usize = 64;
/// Bytes in a block with those after it that its bits depend on.
pub const WINDOW_BYTES: usize = BLOCK_BYTES + 2;

/// Patterns of three bytes, a bit for each: the bits of a byte as the first, the second and the third. The first is a
/// lead byte, so that in valid text the second is a continuation byte, and the third, too, unless it may be any.
pub struct Patterns {
    pub(super) first: ByteClasses,
    pub(super) second: ByteClasses,
    pub(super) third: ByteClasses,
    /// The patterns of two bytes only, which any byte may follow.
    pub(super) of_two: u8,
}

/// What suspects have by four bits of two bytes: a bit that is set in all three tables.
pub struct Suspects {
    pub(super) first_high: [u8; 16],
    pub(super) first_low: [u8; 16],
    pub(super) second_low: [u8; 16],
}

impl Suspects {
    /// Returns the tables of suspects that have a row: by the high and the low four bits of the first byte, and by the
    /// low ones of the second.
    const fn of(rows: &[[&[u8]; 3]; 8]) -> Self {
        let mut tables = [[0; 16]; 3];
        let mut number = 0;
        while number < rows.len() {
            let mut place = 0;
            while place < 3 {
                let mut at = 0;
                while at < rows[number][place].len() {
                    tables[place][rows[number][place][at] as usize] |= 1 << number;
                    at += 1;
                }
                place += 1;
            }
            number += 1;
        }
        let [first_high, first_low, second_low] = tables;
        Self { first_high, first_low, second_low }
    }
}

/// A set of bytes from 80 on: all with one of some high four bits and one of some low four bits.
type Product = (&'static [u8], &'static [u8]);

/// A pattern: sets of its first, second and third byte; any third byte if that set is empty.
type Pattern = [Product; 3];

/// All low four bits.
const ALL: &[u8] = &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
/// All continuation bytes.
const CONTINUATION: Product = (&[8, 9, 0xA, 0xB], ALL);
/// Any third byte.
const ANY: Product = (&[], &[]);

impl Patterns {
    /// Returns the patterns, at most eight.
    const fn of(patterns: &[Pattern]) -> Self {
        assert!(patterns.len() <= 8);
        let (mut of_two, mut number) = (0, 0);
        while number < patterns.len() {
            if patterns[number][2].0.is_empty() {
                of_two |= 1 << number;
            }
            number += 1;
        }
        Self {
            first: classes(patterns, 0),
            second: classes(patterns, 1),
            third: classes(patterns, 2),
            of_two,
        }
    }
}

/// Returns the bits of each byte at a place of patterns.
const fn classes(patterns: &[Pattern], place: usize) -> ByteClasses {
    let (mut high, mut low) = ([0; 16], [0; 16]);
    let mut number = 0;
    while number < patterns.len() {
        let product = patterns[number][place];
        let mut at = 0;
        while at < product.0.len() {
            high[product.0[at] as usize] |= 1 << number;
            at += 1;
        }
        at = 0;
        while at < product.1.len() {
            low[product.1[at] as usize] |= 1 << number;
            at += 1;
        }
        number += 1;
    }
    ByteClasses::by_nibbles(high, Some(low))
}

/// Patterns that are searched for together. A type, so that each has a kernel of its own.
pub trait PatternSet {
    const PATTERNS: &'static [&'static Patterns];

    /// The suspects by four bits of bytes, if there are fewer than by all bits of them.
    const SUSPECTS: Option<&'static Suspects> = None;
}

/// Hidden characters, but private use, characters of four bytes and reserved code points.
pub(crate) struct Hidden;

/// Hidden characters, but reserved code points.
pub(crate) struct HiddenOrPrivate;

/// All characters that are not ASCII, and controls.
pub(crate) struct NonAscii;

impl PatternSet for Hidden {
    const PATTERNS: &'static [&'static Patterns] = &[&Patterns::HIDDEN];
    const SUSPECTS: Option<&'static Suspects> = Some(&Suspects::HIDDEN);
}

impl PatternSet for HiddenOrPrivate {
    const PATTERNS: &'static [&'static Patterns] = &[&Patterns::HIDDEN, &Patterns::PRIVATE_AND_FOUR];
}

impl PatternSet for NonAscii {
    const PATTERNS: &'static [&'static Patterns] = &[&Patterns::NON_ASCII];
}

impl Suspects {
    /// The suspects of [`Patterns::HIDDEN`]. Without more tables, all characters of four bytes are suspects.
    const HIDDEN: Self = Self::of(&[
        // Controls without the next two rows, and characters of four bytes.
        [&[0, 1, 0xF], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 0xB, 0xC, 0xD, 0xE, 0xF], ALL],
        [&[1], &[9, 0xA], ALL],
        [&[7], &[0xF], ALL],
        // U+0080 to U+00BF; U+034F; U+061C.
        [&[0xC], &[2], ALL],
        [&[0xC], &[0xD], &[0xF]],
        [&[0xD], &[8], &[0xC]],
        // U+1140 and the like, U+2000 to U+207F, and the like, but not Chinese punctuation.
        [&[0xE], &[1, 2], &[0, 1, 5, 0xE]],
        [&[0xE], &[3, 0xF], &[5, 7, 8, 0xB, 0xE, 0xF]],
    ]);
}

impl Patterns {
    /// Hidden characters that are not ASCII, but private use and reserved code points.
    const HIDDEN: Self = Self::of(&[
        // U+0080 to U+009F.
        [(&[0xC], &[2]), (&[8, 9], ALL), ANY],
        // U+00AD; U+034F.
        [(&[0xC], &[2, 0xD]), (&[8, 0xA], &[0xD, 0xF]), ANY],
        // U+061C.
        [(&[0xD], &[8]), (&[9], &[0xC]), ANY],
        // U+200B to U+200F; U+180B to U+180F; U+FEFF.
        [(&[0xE], &[1, 2, 0xF]), (&[8, 0xA, 0xB], &[0, 1, 0xB]), (&[8, 0xB], &[0xB, 0xC, 0xD, 0xE, 0xF])],
        // U+2028 to U+202E; U+2060 to U+206F.
        [(&[0xE], &[2]), (&[8], &[0, 1]), (&[0xA], ALL)],
        // U+115F, U+1160; U+17B4, U+17B5; U+3164; U+FDD0 to U+FDEF; U+FE00 to U+FE0F; U+FFA0; U+FFF0 to U+FFFF.
        [(&[0xE], &[1, 3, 0xF]), (&[8, 9, 0xA, 0xB], &[5, 7, 8, 0xE, 0xF]), CONTINUATION],
        // U+E0000 to U+E0FFF; U+1BCA0 to U+1BCA3; U+1D173 to U+1D17A.
        [(&[0xF], &[0, 3]), (&[8, 9, 0xA, 0xB], &[0, 1, 2, 3, 0xB, 0xD]), CONTINUATION],
        // U+1FFFE, U+1FFFF and the like.
        [(&[0xF], &[0, 1, 2, 3, 4]), (&[8, 9, 0xA, 0xB], &[0xF]), (&[0xB], &[0xF])],
    ]);

    /// Characters of private use, and in planes 1 and on.
    const PRIVATE_AND_FOUR: Self = Self::of(&[
        // U+E000 to U+EFFF.
        [(&[0xE], &[0xE]), CONTINUATION, ANY],
        // U+F000 to U+F8FF.
        [(&[0xE], &[0xF]), (&[8, 9, 0xA], ALL), ANY],
        // From U+10000 on.
        [(&[0xF], &[0, 1, 2, 3, 4]), CONTINUATION, ANY],
    ]);

    /// All characters that are not ASCII.
    const NON_ASCII: Self = Self::of(&[
        [(&[0xC, 0xD, 0xE, 0xF], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]), CONTINUATION, ANY],
        [(&[0xC, 0xD, 0xE], ALL), CONTINUATION, ANY],
    ]);
}

/// Returns whether a byte is a control in ASCII, but a tab or a line feed.
pub(super) const fn is_control(byte: u8) -> bool {
    matches!(byte, ..b' ' | 0x7F) && !matches!(byte, b'\t' | b'\n')
}

/// Bits by the high and by the low four bits of a byte: a control, but a tab and a line feed, has one in both.
pub(super) const CONTROLS_BY_HIGH: [u8; 16] = [1, 2, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0];
pub(super) const CONTROLS_BY_LOW: [u8; 16] = [3, 3, 3, 3, 3, 3, 3, 3, 3, 2, 2, 3, 3, 3, 3, 7];
const _: () = {
    let mut byte = 0;
    while byte < 0x80 {
        let bits = CONTROLS_BY_HIGH[byte >> 4] & CONTROLS_BY_LOW[byte & 0xF];
        assert!((bits != 0) == is_control(byte as u8));
        byte += 1;
    }
};

/// For the low six bits of a byte of ASCII what sets bit 7 if it is added to a control, and else clears it.
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
pub(super) const CONTROL_SUMS: [u8; 64] = {
    let mut sums = [0; 64];
    let mut low = 0;
    while low < 64 {
        let (first, second) = (is_control(low), is_control(low + 0x40));
        sums[low as usize] = match (first, second) {
            // The sums are C0 and, modulo 256, 0.
            (true, false) => 0xC0 - low,
            (false, true) => 0x80 - (low + 0x40),
            (false, false) => 0,
            (true, true) => panic!("two controls have the same low six bits"),
        };
        low += 1;
    }
    sums
};
