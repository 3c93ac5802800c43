//! Signs of Windows-1252 where they are usual in any language, or in English, and no letters of another encoding.

use core::array;

/// A sign of Latin-1 or Windows-1252 that is between some ASCII characters.
pub(super) struct UsualSign {
    pub byte: u8,
    pub sign: char,
    /// The cost in bits of an encoding in which the byte is another character.
    pub bits: f32,
    /// Whether it is usual after and before these bytes.
    is_usual: fn(&[u8], &[u8]) -> bool,
}

/// © beside a year or after the word, ’ in English contractions and genitives, ® after words, and signs of quantities
/// and numbers.
pub(super) static USUAL_SIGNS: [UsualSign; 8] = [
    UsualSign { byte: 0xA9, sign: '©', bits: SURE_BITS, is_usual: is_copyright },
    UsualSign { byte: 0x92, sign: '’', bits: SURE_BITS, is_usual: is_contraction },
    UsualSign { byte: 0x92, sign: '’', bits: OTHERS_BITS, is_usual: is_genitive },
    UsualSign { byte: 0xAE, sign: '®', bits: OTHERS_BITS, is_usual: is_trademark },
    UsualSign { byte: 0xB2, sign: '²', bits: SURE_BITS, is_usual: is_power },
    UsualSign { byte: 0xB3, sign: '³', bits: SURE_BITS, is_usual: is_power },
    UsualSign { byte: 0xB5, sign: 'µ', bits: SURE_BITS, is_usual: is_micro },
    UsualSign { byte: 0xBA, sign: 'º', bits: SURE_BITS, is_usual: is_number },
];
const SURE_BITS: f32 = 16.0;
const OTHERS_BITS: f32 = 8.0;

/// Returns how often each of [`USUAL_SIGNS`] is where it often is, between ASCII characters.
pub(super) fn usual_signs(sample: &[u8]) -> [u8; USUAL_SIGNS.len()] {
    array::from_fn(|index| {
        let UsualSign { byte, is_usual, .. } = USUAL_SIGNS[index];
        let is_usual = |&at: &usize| {
            let (before, after) = (&sample[..at], &sample[at + 1..]);
            before.last().is_none_or(u8::is_ascii) && is_usual(before, after)
        };
        memchr::memchr_iter(byte, sample).filter(is_usual).take(u8::MAX.into()).count() as u8
    })
}

/// Returns whether © is usual between these bytes: before a year, or after the word.
fn is_copyright(before: &[u8], after: &[u8]) -> bool {
    let after = after.strip_prefix(b" ").unwrap_or(after);
    let year = matches!(after, [b'1', b'9', ..] | [b'2', b'0', ..]);
    let before = before.strip_suffix(b" ").unwrap_or(before);
    year || before.len() >= 9 && before[before.len() - 9..].eq_ignore_ascii_case(b"copyright")
}

/// Returns whether ’ is usual between these bytes, in English verbs: `don’t`, `I’m`, `we’re`, `we’ve`, `we’ll`.
fn is_contraction(before: &[u8], after: &[u8]) -> bool {
    let length = after.iter().take(3).take_while(|&&byte| is_letter(byte)).count();
    before.last().is_some_and(u8::is_ascii_alphabetic)
        && match &after[..length] {
            b"re" | b"ve" | b"ll" => true,
            b"t" => NEGATIVES.iter().any(|verb| {
                before.len().checked_sub(verb.len()).is_some_and(|at| before[at..].eq_ignore_ascii_case(verb))
            }),
            b"m" => matches!(before, [.., before, b'I'] if !is_letter(*before)) || before == b"I",
            _ => false,
        }
}

/// Returns whether ’ is usual between these bytes, in English genitives: `user’s`, but not in the place of í after a
/// vowel, as in `país`.
fn is_genitive(before: &[u8], after: &[u8]) -> bool {
    let is_vowel = |byte: &u8| matches!(byte.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u');
    before.last().is_some_and(|byte| byte.is_ascii_alphabetic() && !is_vowel(byte))
        && after.strip_prefix(b"s").is_some_and(|after| !starts_word(after))
}

/// The ends of English verbs that are negative with ’t.
const NEGATIVES: [&[u8]; 8] = [b"can", b"don", b"won", b"sn", b"dn", b"aren", b"eren", b"aven"];

/// Returns whether ® is usual between these bytes: after a word, but not as a closing quotation mark of MS-DOS.
fn is_trademark(before: &[u8], after: &[u8]) -> bool {
    let letters = before.iter().rev().take(MIN_MARK_LETTERS).take_while(|&&byte| is_letter(byte)).count();
    let line = before.iter().rev().take_while(|&&byte| byte != b'\n');
    letters == MIN_MARK_LETTERS && !starts_word(after) && !line.take(MAX_QUOTED).any(|&byte| byte == OPENING)
}

/// The fewest letters of a word before ®; the byte of » in MS-DOS, and the most bytes between it and «.
const MIN_MARK_LETTERS: usize = 3;
const OPENING: u8 = 0xAF;
const MAX_QUOTED: usize = 100;

/// Returns whether ² and ³ are usual after these bytes: `m²`, `cm³`.
fn is_power(before: &[u8], after: &[u8]) -> bool {
    let letters = before.iter().rev().take(3).take_while(|&&byte| is_letter(byte)).count();
    matches!(&before[before.len() - letters..], b"m" | b"km" | b"cm" | b"mm" | b"dm") && !starts_word(after)
}

/// Returns whether µ is usual between these bytes: `5 µm`, `10µF`.
fn is_micro(before: &[u8], after: &[u8]) -> bool {
    let number = before.strip_suffix(b" ").unwrap_or(before);
    number.last().is_some_and(u8::is_ascii_digit)
        && after
            .split_first()
            .is_some_and(|(unit, after)| b"mslLgAFVWHMCS".contains(unit) && !starts_word(after))
}

/// Returns whether º is usual between these bytes: `nº 5`.
fn is_number(before: &[u8], after: &[u8]) -> bool {
    let after = after.strip_prefix(b" ").unwrap_or(after);
    matches!(before, [b'n' | b'N'] | [.., b' ' | b'(' | b',' | b';' | b'\t' | b'\n', b'n' | b'N'])
        && after.first().is_some_and(u8::is_ascii_digit)
}

/// Returns whether a byte may be a letter.
fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || !byte.is_ascii()
}

/// Returns whether bytes start with what may be a letter.
fn starts_word(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|&byte| is_letter(byte))
}
