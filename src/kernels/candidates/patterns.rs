//! The patterns of three bytes.

/// Patterns of three bytes, a bit for each: the bits of a byte as the first, the second and the third, by its low six
/// bits. The first is a lead byte, so that in valid text the second is a continuation byte, and the third, too, unless
/// it may be any.
pub struct Patterns {
    pub(super) first: [u8; 64],
    pub(super) second: [u8; 64],
    pub(super) third: [u8; 64],
    pub(super) suspects: Suspects,
}

/// What suspects have by four bits of two bytes: a bit that is set in the tables for both halves of the first byte, and
/// in the one for the second.
pub(super) struct Suspects {
    pub(super) first_high: [u8; 16],
    pub(super) first_low: [u8; 16],
    /// By the low four bits of the second byte, where that is less than 80 above [`LOW_SECONDS`], and elsewhere.
    pub(super) second: [[u8; 16]; 2],
    /// By both halves of the third byte, where suspects are looked at again.
    pub(super) third_high: [u8; 16],
    pub(super) third_low: [u8; 16],
}

/// The first byte in one of two tables for second bytes, with the following ones up to 9F.
pub(super) const LOW_SECONDS: u8 = 0x20;

/// Ranges of bytes, both ends included.
type Bytes = &'static [(u8, u8)];

/// A pattern: its first, second and third bytes.
type Pattern = [Bytes; 3];

/// Suspects: the high and the low four bits of first bytes, the second and the third bytes.
type SuspectRow = (&'static [u8], &'static [u8], Bytes, Bytes);

/// All continuation bytes.
const CONTINUATION: Bytes = &[(0x80, 0xBF)];
/// All bytes.
const ANY: Bytes = &[(0x00, 0xFF)];

/// Returns whether ranges have a byte.
const fn has(ranges: Bytes, byte: u8) -> bool {
    let mut at = 0;
    while at < ranges.len() {
        if ranges[at].0 <= byte && byte <= ranges[at].1 {
            return true;
        }
        at += 1;
    }
    false
}

impl Patterns {
    /// Returns the patterns, at most eight, with suspects, which must have at least all of them.
    const fn of(patterns: &[Pattern], suspects: &[SuspectRow]) -> Self {
        assert!(patterns.len() <= 8 && suspects.len() <= 8);
        let mut tables = [[0; 64]; 3];
        let mut byte = 0;
        while byte <= 0xFF {
            let mut number = 0;
            while number < patterns.len() {
                let mut place = 0;
                while place < 3 {
                    if has(patterns[number][place], byte as u8) {
                        tables[place][byte & 0x3F] |= 1 << number;
                    }
                    place += 1;
                }
                number += 1;
            }
            byte += 1;
        }
        let [first, second, third] = tables;
        // Other than lead bytes are looked up as FF.
        assert!(first[0x3F] == 0);
        Self { first, second, third, suspects: Suspects::of(suspects) }
    }

    /// Returns whether three bytes match a pattern. The first may be any byte that is not ASCII.
    #[inline(always)]
    pub(super) fn matches(&self, [first, second, third]: [u8; 3]) -> bool {
        let [first_low, second_low, third_low] =
            [(first & 0x3F) as usize, (second & 0x3F) as usize, (third & 0x3F) as usize];
        first >= 0xC0 && self.first[first_low] & self.second[second_low] & self.third[third_low] != 0
    }
}

impl Suspects {
    const fn of(rows: &[SuspectRow]) -> Self {
        let (mut first_high, mut first_low) = ([0; 16], [0; 16]);
        let (mut third_high, mut third_low) = ([0; 16], [0; 16]);
        let mut second = [[0; 16]; 2];
        let mut number = 0;
        while number < rows.len() {
            let (high, low, seconds, thirds) = rows[number];
            let mut byte = 0;
            while byte <= 0xFF {
                if has(seconds, byte as u8) {
                    second[Self::half(byte as u8)][byte & 0xF] |= 1 << number;
                }
                if has(thirds, byte as u8) {
                    third_high[byte >> 4] |= 1 << number;
                    third_low[byte & 0xF] |= 1 << number;
                }
                byte += 1;
            }
            let mut at = 0;
            while at < high.len() {
                first_high[high[at] as usize] |= 1 << number;
                at += 1;
            }
            at = 0;
            while at < low.len() {
                first_low[low[at] as usize] |= 1 << number;
                at += 1;
            }
            number += 1;
        }
        Self { first_high, first_low, second, third_high, third_low }
    }

    /// Returns the number of the table that has a second byte.
    const fn half(second: u8) -> usize {
        (second.wrapping_sub(LOW_SECONDS) >= 0x80) as usize
    }
}

/// All low four bits.
const ALL: &[u8] = &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0xA, 0xB, 0xC, 0xD, 0xE, 0xF];

/// Characters of private use and from U+C0000 on are in these patterns, too: few texts have them.
const HIDDEN: [Pattern; 7] = [
    // U+0080 to U+009F, U+00AD; U+034F.
    [&[(0xC2, 0xC2), (0xCD, 0xCD)], &[(0x80, 0x9F), (0xAD, 0xAD)], ANY],
    // U+061C.
    [&[(0xD8, 0xD8)], &[(0x9C, 0x9C)], ANY],
    // U+200B to U+200F, U+2028 to U+202E; not U+202F, which French has.
    [&[(0xE2, 0xE2)], &[(0x80, 0x80)], &[(0x8B, 0x8F), (0xA8, 0xAE)]],
    // U+2060 to U+206F; U+180B to U+180F. With letters of Mongolian.
    [&[(0xE1, 0xE2)], &[(0x81, 0x81), (0xA0, 0xA0)], &[(0x8B, 0x8F), (0xA0, 0xAF)]],
    // U+115F, U+1160; U+17B4, U+17B5; U+3164. With letters of Khmer.
    [
        &[(0xE1, 0xE1), (0xE3, 0xE3)],
        &[(0x85, 0x85), (0x9E, 0x9E)],
        &[(0x9F, 0xA0), (0xA4, 0xA4), (0xB4, 0xB5)],
    ],
    // U+F000 to U+F8FF; U+FDD0 to U+FDEF; U+FE00 to U+FE0F; U+FEFF; U+FFA0; U+FFF0 to U+FFFF.
    [&[(0xEF, 0xEF)], &[(0x80, 0xA3), (0xB7, 0xB8), (0xBB, 0xBB), (0xBE, 0xBF)], ANY],
    // U+E000 to U+EFFF; from U+C0000 on.
    [&[(0xEE, 0xEE), (0xF3, 0xF4)], CONTINUATION, ANY],
];
/// U+1BCA0 to U+1BCA3; U+1D173 to U+1D17A; U+1FFFE, U+1FFFF and the like.
const HIDDEN_OF_FOUR_BYTES: Pattern = [
    &[(0xF0, 0xF2)],
    &[(0x8F, 0x8F), (0x9B, 0x9B), (0x9D, 0x9D), (0x9F, 0x9F), (0xAF, 0xAF), (0xBF, 0xBF)],
    &[(0x85, 0x85), (0xB2, 0xB2), (0xBF, 0xBF)],
];
/// All characters of four bytes before U+C0000.
const FOUR_BYTES: Pattern = [&[(0xF0, 0xF2)], CONTINUATION, ANY];

/// Suspects that are controls, but 19 and 1A.
const CONTROLS: SuspectRow = (&[0, 1], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 0xB, 0xC, 0xD, 0xE, 0xF], ANY, ANY);
/// The controls 19 and 1A, and characters from U+C0000 on.
const CONTROLS_AND_LAST: SuspectRow = (&[1, 0xF], &[3, 4, 9, 0xA], ANY, ANY);
const DELETE: SuspectRow = (&[7], &[0xF], ANY, ANY);
/// U+0080 to U+009F, U+00AD; U+034F; U+061C.
const OF_TWO_BYTES: SuspectRow = (&[0xC, 0xD], &[2, 8, 0xD], &[(0x80, 0x9F), (0xAD, 0xAD)], ANY);
/// U+200B to U+200F, U+2028 to U+202E; U+2060 to U+206F; U+180B to U+180F.
const JOINERS: SuspectRow = (&[0xE], &[1, 2], &[(0x80, 0x81), (0xA0, 0xA0)], &[(0x8B, 0x8F), (0xA0, 0xAF)]);
/// Others with the lead bytes E1, E3 and F0 to F2.
const OTHERS: SuspectRow = (
    &[0xE, 0xF],
    &[0, 1, 2, 3],
    &[(0x85, 0x85), (0x8F, 0x8F), (0x9B, 0x9B), (0x9D, 0x9F), (0xAF, 0xAF), (0xBF, 0xBF)],
    &[(0x85, 0x85), (0x9F, 0xA0), (0xA4, 0xA4), (0xB2, 0xB2), (0xB4, 0xB5), (0xBF, 0xBF)],
);
/// Others with the lead byte EF.
const OF_EF: SuspectRow = (&[0xE], &[0xF], &[(0x80, 0xA3), (0xB7, 0xB8), (0xBB, 0xBB), (0xBE, 0xBF)], ANY);
/// U+E000 to U+EFFF.
const OF_EE: SuspectRow = (&[0xE], &[0xE], ANY, ANY);

impl Patterns {
    /// Hidden characters, but reserved code points.
    pub(crate) const HIDDEN: Self = Self::of(
        &with(HIDDEN, HIDDEN_OF_FOUR_BYTES),
        &[CONTROLS, CONTROLS_AND_LAST, DELETE, OF_TWO_BYTES, JOINERS, OTHERS, OF_EF, OF_EE],
    );

    /// Hidden characters, but reserved code points, and all characters of four bytes.
    pub(crate) const HIDDEN_OR_FOUR_BYTES: Self = Self::of(
        &with(HIDDEN, FOUR_BYTES),
        &[
            CONTROLS,
            (&[1, 0xF], &[0, 1, 2, 3, 4, 9, 0xA], ANY, ANY),
            DELETE,
            OF_TWO_BYTES,
            JOINERS,
            OTHERS,
            OF_EF,
            OF_EE,
        ],
    );

    /// All characters that are not ASCII.
    pub(crate) const NON_ASCII: Self = Self::of(
        &[[&[(0xC2, 0xF4)], CONTINUATION, ANY]],
        &[CONTROLS, CONTROLS_AND_LAST, DELETE, (&[0xC, 0xD, 0xE, 0xF], ALL, ANY, ANY)],
    );
}

/// Returns patterns with another one.
const fn with(patterns: [Pattern; 7], last: Pattern) -> [Pattern; 8] {
    let [a, b, c, d, e, f, g] = patterns;
    [a, b, c, d, e, f, g, last]
}

/// Returns whether a byte is a control in ASCII, but a tab or a line feed.
pub(super) const fn is_control(byte: u8) -> bool {
    matches!(byte, ..b' ' | 0x7F) && !matches!(byte, b'\t' | b'\n')
}

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

#[cfg(test)]
mod tests {
    use super::*;

    impl Suspects {
        /// Returns the rows that have the first two bytes.
        fn of_two(&self, first: u8, second: u8) -> u8 {
            let firsts = self.first_high[usize::from(first >> 4)] & self.first_low[usize::from(first & 0xF)];
            firsts & self.second[Self::half(second)][usize::from(second & 0xF)]
        }

        /// Returns the rows that have the third byte.
        fn of_third(&self, third: u8) -> u8 {
            self.third_high[usize::from(third >> 4)] & self.third_low[usize::from(third & 0xF)]
        }
    }

    #[test]
    fn suspects_have_all_controls_and_patterns() {
        for patterns in [&Patterns::HIDDEN, &Patterns::HIDDEN_OR_FOUR_BYTES, &Patterns::NON_ASCII] {
            let suspects = &patterns.suspects;
            for second in 0..=0xFF {
                for byte in (0..0x80).filter(|&byte| is_control(byte)) {
                    assert!(suspects.of_two(byte, second) != 0, "{byte:02X} {second:02X}");
                }
            }
            // Patterns are for valid text, where continuation bytes follow the first of them.
            for code in 0..0x40 << 12 {
                let [first, second, third] =
                    [0xC0 | (code >> 12) as u8, 0x80 | (code >> 6 & 0x3F) as u8, 0x80 | (code & 0x3F) as u8];
                let suspected = suspects.of_two(first, second) & suspects.of_third(third) != 0;
                let matches = patterns.matches([first, second, third]);
                assert!(suspected || !matches, "{first:02X} {second:02X} {third:02X}");
            }
        }
    }
}
