//! Johab (KS X 1001, annex 3): the bits of a pair of bytes are the letters of a hangul syllable.
//!
//! A pair from 8441 is a 1 and three numbers of five bits: the initial, the vowel and the final. Pairs from D931 are
//! the symbols and hanja of KS X 1001, two rows for each first byte. The mapping is the same as in CPython's codec.

use encoding_rs::EUC_KR;

/// What a byte of Johab completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Nothing: it is the first byte of a pair.
    Lead,
    Char(char),
    Malformed,
}

/// A decoder of Johab, byte by byte.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decoder {
    lead: Option<u8>,
}

impl Decoder {
    /// Takes the next byte.
    pub(crate) fn push(&mut self, byte: u8) -> Step {
        let character = match self.lead.take() {
            Some(lead) => char_of(lead, byte),
            None if byte.is_ascii() => Some(char::from(byte)),
            None => {
                self.lead = Some(byte);
                return Step::Lead;
            }
        };
        character.map_or(Step::Malformed, Step::Char)
    }

    /// Returns whether the data does not end inside a character.
    pub(crate) fn is_finished(&self) -> bool {
        self.lead.is_none()
    }
}

/// The letters as they are alone, U+31xx: initials and finals, in the order of their numbers in Unicode; 0 for none.
const INITIALS: [u8; 19] = [
    0x31, 0x32, 0x34, 0x37, 0x38, 0x39, 0x41, 0x42, 0x43, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4A, 0x4B, 0x4C,
    0x4D, 0x4E,
];
const FINALS: [u8; 28] = [
    0, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x39, 0x3A, 0x3B, 0x3C, 0x3D, 0x3E, 0x3F, 0x40, 0x41, 0x42,
    0x44, 0x45, 0x46, 0x47, 0x48, 0x4A, 0x4B, 0x4C, 0x4D, 0x4E,
];
const FIRST_VOWEL: u8 = 0x4F;

/// Returns the character of a pair of bytes.
fn char_of(lead: u8, trail: u8) -> Option<char> {
    match lead {
        0x84..=0xD7 => hangul(u16::from_be_bytes([lead, trail])),
        0xD9..=0xDE | 0xE0..=0xF9 => ks_x_1001(lead, trail),
        _ => None,
    }
}

/// Returns the hangul syllable, or the letter alone, of a pair.
fn hangul(pair: u16) -> Option<char> {
    let number = |shift: u32| u32::from(pair) >> shift & 0x1F;
    // Each part is `None` where the syllable lacks it.
    let initial = match number(10) {
        1 => None,
        number @ 2..=20 => Some(number - 2),
        _ => return None,
    };
    let vowel = match number(5) {
        2 => None,
        number @ (3..=7 | 10..=15 | 18..=23 | 26..=29) => Some(number - 3 - number / 8 * 2),
        _ => return None,
    };
    let last = match number(0) {
        1 => None,
        number @ 2..=17 => Some(number - 1),
        number @ 19..=29 => Some(number - 2),
        _ => return None,
    };
    let alone = |low: &u8| char::from_u32(0x3100 + u32::from(*low));
    match (initial, vowel, last) {
        (Some(initial), Some(vowel), last) => {
            char::from_u32(0xAC00 + (initial * 21 + vowel) * 28 + last.unwrap_or(0))
        }
        (Some(initial), None, None) => INITIALS.get(initial as usize).and_then(alone),
        (None, Some(vowel), None) => char::from_u32(0x3100 + u32::from(FIRST_VOWEL) + vowel),
        (None, None, Some(last)) => FINALS.get(last as usize).and_then(alone),
        (None, None, None) => Some('\u{3000}'),
        _ => None,
    }
}

/// Returns the symbol or hanja of a pair, from the same place in EUC-KR.
fn ks_x_1001(lead: u8, trail: u8) -> Option<char> {
    let index = match trail {
        0x31..=0x7E => trail - 0x31,
        0x91..=0xFE => trail - 0x43,
        _ => return None,
    };
    // The hangul letters are above.
    if lead == 0xDA && (0xA1..=0xD3).contains(&trail) {
        return None;
    }
    let first_row = if lead < 0xE0 { 2 * (lead - 0xD9) } else { 2 * (lead - 0xE0) + 41 };
    let euc = [0xA1 + first_row + index / 94, 0xA1 + index % 94];
    let (text, _, malformed) = EUC_KR.decode(&euc);
    text.chars().next().filter(|_| !malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(data: &[u8]) -> Vec<Step> {
        let mut decoder = Decoder::default();
        data.iter().map(|&byte| decoder.push(byte)).filter(|&step| step != Step::Lead).collect()
    }

    #[test]
    fn syllables_letters_symbols_and_hanja_are_decoded() {
        for (pair, character) in [
            (0x8861_u16, '가'),
            (0xD3B7, '힝'),
            (0xD065, '한'),
            (0x8841, 'ㄱ'),
            (0x8461, 'ㅏ'),
            (0x8444, 'ㄳ'),
            (0xD931, '\u{3000}'),
            (0xE031, '伽'),
            (0xF9FE, '詰'),
        ] {
            assert_eq!(decode(&pair.to_be_bytes()), [Step::Char(character)], "{pair:04X}");
        }
        assert_eq!(decode(b"A\xD0\x65"), [Step::Char('A'), Step::Char('한')]);
    }

    #[test]
    fn every_syllable_has_one_pair() {
        let mut syllables: Vec<char> = (0x8441..=0xD3FF_u16)
            .filter_map(hangul)
            .filter(|character| ('가'..='힣').contains(character))
            .collect();
        syllables.sort_unstable();
        assert!(syllables.into_iter().eq('가'..='힣'));
    }

    #[test]
    fn other_pairs_are_malformed() {
        for pair in [0x8041_u16, 0x8462, 0xD841, 0xDF31, 0xFA31, 0xD97F, 0xDAA1, 0xFFFF] {
            assert_eq!(decode(&pair.to_be_bytes()), [Step::Malformed], "{pair:04X}");
        }
        let mut decoder = Decoder::default();
        assert_eq!((decoder.push(0xD0), decoder.is_finished()), (Step::Lead, false));
    }
}
