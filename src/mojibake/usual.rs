//! The wrong decodings that are searched, and how usual each is.

use super::charset::{Charset, Shares, row};
use super::undo::{Layer, OriginalEncoding};
use crate::language::LatinPairs;

/// The cost of any damage in bits: one text of some hundreds is damaged.
pub(super) const DAMAGE: f32 = 8.0;
/// The additional costs in bits of usual, less usual and rare wrong decodings; the most usual ones of UTF-8 have none.
const USUAL_BITS: f32 = 2.0;
const LESS_USUAL_BITS: f32 = 4.0;
const RARE_BITS: f32 = 8.0;
/// The cost in bits of a Latin letter after another from which on the pair is rare in a language: a text is searched
/// if it has any in its most likely language, and if other letters for the same bytes save at least these bits.
const RARE_PAIR_BITS: f32 = 12.0;
const MIN_SAVING_BITS: f32 = 5.0;
/// The encodings in which UTF-8 is usually decoded by mistake.
pub(super) const USUAL_FOR_UTF8: [Charset; 5] = [
    Charset::WINDOWS_1252,
    Charset::WINDOWS_1251,
    Charset::WINDOWS_1250,
    Charset::WINDOWS_1253,
    Charset::WINDOWS_1254,
];

const LESS_USUAL_FOR_UTF8: [Charset; 5] =
    [Charset::KOI8_R, Charset::IBM866, Charset::MAC_ROMAN, Charset::CP437, Charset::CP850];

/// Wrong decodings of other encodings than UTF-8: the encoding of the text, and the one it was decoded in.
pub(super) const USUAL: [(Charset, Charset); 24] = {
    use Charset as C;
    [
        (C::WINDOWS_1252, C::WINDOWS_1252), // Latin-1, with controls for what only Windows has
        (C::WINDOWS_1251, C::WINDOWS_1252),
        (C::WINDOWS_1251, C::KOI8_R),
        (C::WINDOWS_1251, C::IBM866),
        (C::WINDOWS_1251, C::MAC_CYRILLIC),
        (C::KOI8_R, C::WINDOWS_1252),
        (C::KOI8_R, C::WINDOWS_1251),
        (C::KOI8_U, C::WINDOWS_1251),
        (C::KOI8_R, C::IBM866),
        (C::IBM866, C::WINDOWS_1252),
        (C::IBM866, C::WINDOWS_1251),
        (C::IBM866, C::KOI8_R),
        (C::MAC_CYRILLIC, C::WINDOWS_1251),
        (C::WINDOWS_1250, C::WINDOWS_1252),
        (C::WINDOWS_1252, C::WINDOWS_1250),
        (C::WINDOWS_1252, C::WINDOWS_1251),
        (C::ISO_8859_2, C::WINDOWS_1252),
        (C::ISO_8859_2, C::WINDOWS_1250),
        (C::WINDOWS_1253, C::WINDOWS_1252),
        (C::WINDOWS_1254, C::WINDOWS_1252),
        (C::CP437, C::WINDOWS_1252),
        (C::WINDOWS_1252, C::CP437),
        (C::CP850, C::WINDOWS_1252),
        (C::WINDOWS_1252, C::CP850),
    ]
};
pub(super) const UNUSUAL: [(Charset, Charset); 14] = {
    use Charset as C;
    [
        (C::WINDOWS_1255, C::WINDOWS_1252),
        (C::WINDOWS_1256, C::WINDOWS_1252),
        (C::WINDOWS_1257, C::WINDOWS_1252),
        (C::WINDOWS_1252, C::WINDOWS_1253),
        (C::WINDOWS_1252, C::WINDOWS_1257),
        (C::WINDOWS_1250, C::ISO_8859_2),
        (C::WINDOWS_1250, C::WINDOWS_1251),
        (C::MAC_CYRILLIC, C::WINDOWS_1252),
        (C::MAC_ROMAN, C::WINDOWS_1252),
        (C::WINDOWS_1252, C::MAC_ROMAN),
        (C::WINDOWS_1251, C::MAC_ROMAN),
        (C::CP852, C::WINDOWS_1250),
        (C::WINDOWS_1250, C::CP852),
        (C::CP852, C::WINDOWS_1252),
    ]
};

impl Layer {
    /// Returns whether it is one of the usual wrong decodings of other encodings than UTF-8.
    pub(super) fn is_usual(self) -> bool {
        matches!(self.wrote, OriginalEncoding::In(wrote) if USUAL.contains(&(wrote, self.read)))
    }

    /// Returns whether it is a rare wrong decoding.
    pub(super) fn is_rare(self) -> bool {
        self.rareness() >= RARE_BITS
    }

    /// Returns the additional cost in bits.
    pub(super) fn rareness(self) -> f32 {
        match (self.wrote, self.read) {
            (OriginalEncoding::Utf8, read) if USUAL_FOR_UTF8.contains(&read) => 0.0,
            (OriginalEncoding::Utf8, read) if LESS_USUAL_FOR_UTF8.contains(&read) => USUAL_BITS,
            (OriginalEncoding::In(Charset::WINDOWS_1251), Charset::WINDOWS_1252) => USUAL_BITS,
            _ if self.is_usual() => LESS_USUAL_BITS,
            _ => RARE_BITS,
        }
    }
}

/// Returns whether the letters of a Latin text may be misread ones: in the language of its other letters they are rare,
/// and other letters for the same bytes cost less, or they are `odd` in any case.
pub(super) fn may_be_misread(text: &str, odd: bool) -> bool {
    let pairs = LatinPairs::of(text);
    if pairs.are_usual(RARE_PAIR_BITS) {
        return false;
    }
    if odd {
        return true;
    }
    let characters = pairs.characters();
    let mut shares = Shares::default();
    for &(character, number) in characters {
        shares.add(row(character).all, number as usize);
    }
    let fitting = shares.most();
    let comparison = pairs.comparison();
    let mut known: Vec<[char; LatinPairs::MAX_CHARACTERS]> = vec![];
    USUAL.iter().chain(&UNUSUAL).any(|&(wrote, read)| {
        let mut others = ['\0'; LatinPairs::MAX_CHARACTERS];
        if fitting & read.set() == 0 || !wrote.is_latin() {
            return false;
        }
        let mut changes = false;
        for (other, &(character, _)) in others.iter_mut().zip(characters) {
            match read.byte(character).map_or(Some(character), |byte| wrote.character(byte)) {
                Some(original) => *other = original,
                None => return false,
            }
            changes |= *other != character;
        }
        if !changes || known.contains(&others) {
            return false;
        }
        known.push(others);
        comparison.saving(&others).is_some_and(|bits| bits >= MIN_SAVING_BITS)
    })
}
