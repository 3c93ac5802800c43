//! What belongs to a text: characters that are hidden, but needed where they are.
//!
//! Each rule depends on characters near by, none of which is a finding itself. So a character that belongs still does
//! once the findings of the same policy are removed.

use super::policy::Kind;
use super::properties::{
    COMPLEX, DEPENDENT_VOWEL, EMOJI, EMOJI_VARIANTS, IDEOGRAPH, JOINS_NEXT, JOINS_PREVIOUS, LETTER, MARK,
    MODIFIER, MONGOLIAN, Properties, REORDERED, VIRAMA, is_standardized, properties,
};
use crate::sequence::boundary::floor_boundary;
use crate::sequence::{Sequence, decode_one};

const ZERO_WIDTH_SPACE: u32 = 0x200B;
pub(super) const ZWNJ: u32 = 0x200C;
const ZWJ: u32 = 0x200D;
const EMOJI_PRESENTATION: u32 = 0xFE0F;
const MONGOLIAN_VOWEL_SEPARATOR: u32 = 0x180E;
/// The variation selectors of the Ideographic Variation Database, as far as its sequences use them (UTS 37).
const IDEOGRAPHIC_SELECTORS: core::ops::RangeInclusive<u32> = 0xE0100..=0xE011F;
const BLACK_FLAG: char = '\u{1F3F4}';

/// The flags that are tag sequences (`RGI_Emoji_Tag_Sequence`): U+1F3F4, the letters as tags, U+E007F.
const FLAGS: [&[u8; 5]; 3] = [b"gbeng", b"gbsct", b"gbwls"];
/// The length of a tag in bytes, and of a black flag.
const TAG_BYTES: usize = 4;

/// The number of marks that are skipped at most: the limit of the Stream-Safe Text Format (UAX 15).
const MAX_MARKS: usize = 30;

/// A text with an offset in it, to look around at.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub data: &'a [u8],
    pub start: usize,
    pub end: usize,
}

/// A character near by, with its properties.
#[derive(Clone, Copy)]
struct Neighbour {
    code_point: u32,
    properties: Properties,
    start: usize,
    end: usize,
}

impl Neighbour {
    /// Returns the character that starts at an offset; `None` at the end, or if there is none.
    #[inline]
    fn at(data: &[u8], start: usize) -> Option<Self> {
        let rest = data.get(start..)?;
        // Most letters of cursive scripts, without the other cases.
        if let [lead @ 0xC2..=0xDF, continuation @ 0x80..=0xBF, ..] = *rest {
            let code_point = u32::from(lead & 0x1F) << 6 | u32::from(continuation & 0x3F);
            return Some(Self { code_point, properties: properties(code_point), start, end: start + 2 });
        }
        match decode_one(rest)? {
            Sequence::Char(character, length) => {
                let code_point = u32::from(character);
                let (properties, end) = (properties(code_point), start + length);
                Some(Self { code_point, properties, start, end })
            }
            Sequence::Malformed(..) => None,
        }
    }

    /// Returns the character that ends at an offset; `None` at the start, or if there is none.
    #[inline]
    fn before(data: &[u8], end: usize) -> Option<Self> {
        let ending = |start| Self::at(data, start).filter(|character| character.end == end);
        if let Some(start) = end.checked_sub(2)
            && data.get(start).is_some_and(|lead| matches!(lead, 0xC2..=0xDF))
            && let Some(character) = ending(start)
        {
            return Some(character);
        }
        ending(floor_boundary(data, end.checked_sub(1)?))
    }

    fn has(self, properties: u16) -> bool {
        self.properties.has(properties)
    }

    /// Returns whether it is a letter, a mark or a digit, and not a hidden one, as the fillers of Hangul are.
    fn is_word(self) -> bool {
        let is_alphanumeric = || char::from_u32(self.code_point).is_some_and(char::is_alphanumeric);
        self.properties.kind.is_none()
            && (self.has(MARK | LETTER | JOINS_NEXT | JOINS_PREVIOUS) || is_alphanumeric())
    }
}

impl Place<'_> {
    fn next(self) -> Option<Neighbour> {
        Neighbour::at(self.data, self.end)
    }

    fn previous(self) -> Option<Neighbour> {
        Neighbour::before(self.data, self.start)
    }

    /// Returns the next character without any of some properties.
    fn next_without(self, skipped: u16) -> Option<Neighbour> {
        let mut end = self.end;
        for _ in 0..MAX_MARKS {
            let next = Neighbour::at(self.data, end)?;
            if !next.has(skipped) {
                return Some(next);
            }
            end = next.end;
        }
        None
    }

    /// Returns the previous character without any of some properties.
    fn previous_without(self, skipped: u16) -> Option<Neighbour> {
        let mut start = self.start;
        for _ in 0..MAX_MARKS {
            let previous = Neighbour::before(self.data, start)?;
            if !previous.has(skipped) {
                return Some(previous);
            }
            start = previous.start;
        }
        None
    }

    /// Returns whether a character belongs to a text.
    pub(super) fn belongs(self, kind: Kind, code_point: u32) -> bool {
        match code_point {
            ZWJ => self.joins_emoji() || self.joins_text(),
            ZWNJ => self.separates_text(),
            ZERO_WIDTH_SPACE => self.separates_words(),
            MONGOLIAN_VOWEL_SEPARATOR => self.separates_vowel(),
            _ => match kind {
                Kind::VariationSelector => self.selects_variant(code_point),
                Kind::Tag => self.is_in_flag(code_point),
                _ => false,
            },
        }
    }

    /// Returns whether a joiner belongs to an identifier: the contexts A1, A2 and B of UAX 31, section 2.3.
    pub(super) fn joins_identifier(self, code_point: u32) -> bool {
        match code_point {
            ZWNJ => {
                self.joins(JOINS_NEXT, JOINS_PREVIOUS)
                    || self.follows_virama()
                        && self.next_without(REORDERED).is_some_and(|next| next.has(LETTER))
            }
            ZWJ => {
                // Not any hidden character either, as what follows it would follow once it is removed.
                let follows = |next: Neighbour| next.properties.kind.is_none() && !next.has(DEPENDENT_VOWEL);
                self.follows_virama() && (self.end == self.data.len() || self.next().is_some_and(follows))
            }
            _ => false,
        }
    }

    /// Returns whether letters with these properties are before and after, but for marks.
    fn joins(self, before: u16, after: u16) -> bool {
        self.previous_without(MARK).is_some_and(|previous| previous.has(before))
            && self.next_without(MARK).is_some_and(|next| next.has(after))
    }

    /// Returns whether a virama is before, after a letter, but for marks.
    fn follows_virama(self) -> bool {
        let Some(virama) = self.previous_without(REORDERED) else { return false };
        let (start, end) = (virama.start, virama.end);
        let before = Place { start, end, ..self }.previous_without(MARK);
        virama.has(VIRAMA) && before.is_some_and(|letter| letter.has(LETTER))
    }

    /// Returns whether a virama is after, and a letter of its script or a mark before, as in the reph of Bengali.
    fn precedes_virama(self) -> bool {
        self.next().is_some_and(|next| next.has(VIRAMA))
            && self.previous().is_some_and(|previous| previous.has(LETTER | MARK))
    }

    /// Returns whether a ZWJ belongs to the spelling of a word: after or before a virama, or beside a letter of a
    /// script whose letters join, to show how it does.
    fn joins_text(self) -> bool {
        let joins = |neighbour: Option<Neighbour>| {
            neighbour.is_some_and(|neighbour| neighbour.has(JOINS_NEXT | JOINS_PREVIOUS))
        };
        self.follows_virama()
            || self.precedes_virama()
            || joins(self.previous_without(MARK))
            || joins(self.next_without(MARK))
    }

    /// Returns whether a ZWNJ belongs to the spelling of a word: after or before a virama, or within a word beside a
    /// letter of a script whose letters join. Persian also has it after digits, and after letters that do not join.
    pub(super) fn separates_text(self) -> bool {
        let joins = |neighbour: Neighbour| neighbour.has(JOINS_NEXT | JOINS_PREVIOUS);
        // As most are.
        if self.previous().is_some_and(joins) && self.next().is_some_and(joins) {
            return true;
        }
        let within_word = || {
            let (previous, next) = (self.previous_without(MARK), self.next_without(MARK));
            previous.zip(next).is_some_and(|(previous, next)| {
                joins(previous) && next.is_word() || previous.is_word() && joins(next)
            })
        };
        self.follows_virama() || self.precedes_virama() || within_word()
    }

    /// Returns whether a zero width space is beside a word of a script that does not separate them by spaces, and not
    /// beside other hidden characters.
    fn separates_words(self) -> bool {
        let (previous, next) = (self.previous(), self.next());
        let is_visible = |neighbour: Option<Neighbour>, is_end: bool| {
            neighbour.map_or(is_end, |neighbour| neighbour.properties.kind.is_none())
        };
        let has = |neighbour: Option<Neighbour>| neighbour.is_some_and(|neighbour| neighbour.has(COMPLEX));
        is_visible(previous, self.start == 0)
            && is_visible(next, self.end == self.data.len())
            && (has(previous) || has(next))
    }

    /// Returns whether a Mongolian vowel separator is between two letters, one perhaps with a variation selector.
    fn separates_vowel(self) -> bool {
        let letter = match self.previous() {
            Some(selector) if selector.properties.kind == Some(Kind::VariationSelector) => {
                let (start, end) = (selector.start, selector.end);
                let place = Place { start, end, ..self };
                place.previous().filter(|_| place.selects_variant(selector.code_point))
            }
            previous => previous,
        };
        let is_letter = |neighbour: Option<Neighbour>| neighbour.is_some_and(|letter| letter.has(MONGOLIAN));
        is_letter(letter) && is_letter(self.next())
    }

    /// Returns whether a ZWJ is between two elements of an emoji ZWJ sequence (UTS 51, ED-15a and ED-16).
    fn joins_emoji(self) -> bool {
        let Some(previous) = self.previous() else { return false };
        let element = if previous.has(MODIFIER) || previous.code_point == EMOJI_PRESENTATION {
            let (start, end) = (previous.start, previous.end);
            let place = Place { start, end, ..self };
            let selects = previous.has(MODIFIER) || place.selects_variant(EMOJI_PRESENTATION);
            place.previous().filter(|_| selects)
        } else {
            Some(previous)
        };
        element.is_some_and(|element| element.has(EMOJI)) && self.next().is_some_and(|next| next.has(EMOJI))
    }

    /// Returns whether the character before has a standardized variation sequence, of emoji too, with a variation
    /// selector; an ideograph may have one of the Ideographic Variation Database.
    fn selects_variant(self, selector: u32) -> bool {
        let Some(previous) = self.previous() else { return false };
        match selector {
            0xFE0E | EMOJI_PRESENTATION => previous.has(EMOJI_VARIANTS),
            _ if IDEOGRAPHIC_SELECTORS.contains(&selector) => previous.has(IDEOGRAPH),
            0xE0100.. => false,
            _ => is_standardized(previous.code_point, selector),
        }
    }

    /// Returns whether a tag is in one of the flags that are tag sequences.
    fn is_in_flag(self, code_point: u32) -> bool {
        let letter = (code_point & 0x7F) as u8;
        FLAGS.iter().any(|flag| {
            let tags = flag.iter().copied().chain([0x7F]);
            tags.enumerate().filter(|&(_, tag)| tag == letter).any(|(place, _)| {
                let before = (place + 1) * TAG_BYTES;
                let Some(start) = self.start.checked_sub(before) else { return false };
                let mut at = start;
                let characters =
                    [BLACK_FLAG].into_iter().chain(flag.iter().map(|&tag| tag_of(tag))).chain([tag_of(0x7F)]);
                characters.into_iter().all(|character| {
                    let found = Neighbour::at(self.data, at);
                    at += TAG_BYTES;
                    found.is_some_and(|found| found.code_point == u32::from(character))
                })
            })
        })
    }

    /// Returns whether a mark of direction, which has no scope, is after a character that is shown, or starts a line.
    /// Marks in a row may carry hidden data.
    pub(super) fn is_single_mark(self) -> bool {
        self.previous().map_or(self.start == 0, |previous| previous.properties.kind.is_none())
    }

    /// Returns whether nothing is before it on its line.
    pub(super) fn starts_line(self) -> bool {
        let before = self.start.checked_sub(1).map(|at| self.data[at]);
        matches!(before, None | Some(b'\n'))
    }
}

/// Returns the tag of an ASCII character.
fn tag_of(ascii: u8) -> char {
    char::from_u32(0xE0000 + u32::from(ascii)).unwrap_or(char::REPLACEMENT_CHARACTER)
}
