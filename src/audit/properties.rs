//! The kinds and properties of all code points: tables made from the data of ICU4X and of Unicode by
//! `tests/suite/classes/make.rs`.

use super::policy::Kind;

// Properties of characters, each a bit.
/// An emoji that can be an element of a ZWJ sequence.
pub(super) const EMOJI: u16 = 1 << 0;
/// A skin tone.
pub(super) const MODIFIER: u16 = 1 << 1;
/// It has an emoji presentation sequence and a text presentation sequence.
pub(super) const EMOJI_VARIANTS: u16 = 1 << 2;
/// A letter that joins the next one: `Joining_Type` L, D or C.
pub(super) const JOINS_NEXT: u16 = 1 << 3;
/// A letter that joins the previous one: `Joining_Type` R, D or C.
pub(super) const JOINS_PREVIOUS: u16 = 1 << 4;
/// A mark that the contexts of joiners skip.
pub(super) const MARK: u16 = 1 << 5;
/// A mark whose `Canonical_Combining_Class` is not 0.
pub(super) const REORDERED: u16 = 1 << 6;
/// `Canonical_Combining_Class` is `Virama`.
pub(super) const VIRAMA: u16 = 1 << 7;
/// A letter of a script with a virama.
pub(super) const LETTER: u16 = 1 << 8;
/// `Indic_Syllabic_Category` is `Vowel_Dependent`.
pub(super) const DEPENDENT_VOWEL: u16 = 1 << 9;
/// Of a script whose words are not separated by spaces: `Line_Break` is `Complex_Context`.
pub(super) const COMPLEX: u16 = 1 << 10;
/// A `Unified_Ideograph`.
pub(super) const IDEOGRAPH: u16 = 1 << 11;
/// A letter of the Mongolian script.
pub(super) const MONGOLIAN: u16 = 1 << 12;

/// The kinds of characters in the table; the first has none.
const KINDS: [Option<Kind>; 13] = [
    None,
    Some(Kind::Nul),
    Some(Kind::Control),
    Some(Kind::BidiControl),
    Some(Kind::Tag),
    Some(Kind::Invisible),
    Some(Kind::VariationSelector),
    Some(Kind::Noncharacter),
    Some(Kind::PrivateUse),
    Some(Kind::Unassigned),
    Some(Kind::LineSeparator),
    Some(Kind::ConfusableNewline),
    Some(Kind::InnerBom),
];

/// The kind of a character, whether it is a finding or not, and its properties.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Properties {
    pub kind: Option<Kind>,
    bits: u16,
}

impl Properties {
    /// Returns whether it has one of some properties.
    pub fn has(self, properties: u16) -> bool {
        self.bits & properties != 0
    }
}

/// The number of code points in a block, and in a page of blocks.
const BLOCK: usize = 16;
const PAGE: usize = 1024;
/// The size of a class in the table: its kind and the two bytes of its properties.
const CLASS_BYTES: usize = 3;
/// The number of pages of all code points.
const INDEX: usize = 0x110000 / PAGE;

struct Table {
    classes: &'static [[u8; CLASS_BYTES]],
    /// For every 1024 code points the number of their page.
    index: &'static [u8],
    /// For every 16 code points of a page the number of their block.
    pages: &'static [[[u8; 2]; PAGE / BLOCK]],
    blocks: &'static [[u8; BLOCK]],
}

static TABLE: Table = {
    let Some((&count, rest)) = include_bytes!("tables/properties").split_first() else {
        panic!("no classes")
    };
    let (classes, rest) = rest.split_at(count as usize * CLASS_BYTES);
    let Some((&count, rest)) = rest.split_first() else { panic!("no pages") };
    let (index, rest) = rest.split_at(INDEX);
    let (pages, blocks) = rest.split_at(count as usize * PAGE / BLOCK * 2);
    Table {
        classes: classes.as_chunks().0,
        index,
        pages: pages.as_chunks().0.as_chunks().0,
        blocks: blocks.as_chunks().0,
    }
};

/// Returns the kind and the properties of a code point.
#[inline]
pub(super) fn properties(code_point: u32) -> Properties {
    let code_point = code_point as usize;
    let Some(&page) = TABLE.index.get(code_point / PAGE) else { return Properties::default() };
    let block = u16::from_le_bytes(TABLE.pages[usize::from(page)][code_point % PAGE / BLOCK]);
    let class = TABLE.blocks[usize::from(block)][code_point % BLOCK];
    let [kind, low, high] = TABLE.classes[usize::from(class)];
    Properties { kind: KINDS[usize::from(kind)], bits: u16::from_le_bytes([low, high]) }
}

/// The standardized variation sequences without the emoji sequences, in order: the character from bit 8 on, and the low
/// eight bits of its variation selector.
static VARIANTS: &[[u8; 4]] = include_bytes!("tables/variants").as_chunks().0;

/// Returns whether a character and a variation selector are a standardized variation sequence.
pub(super) fn is_standardized(character: u32, selector: u32) -> bool {
    let sequence = character << 8 | selector & 0xFF;
    VARIANTS.binary_search_by_key(&sequence, |&bytes| u32::from_le_bytes(bytes)).is_ok()
}
