//! The encodings that texts are wrongly read in, and which byte a character is in each of them.

use std::sync::OnceLock;

use encoding_rs as whatwg;

use crate::encodings::high_half::HighHalf::{self, Standard};

/// A single-byte encoding that text is often read or written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Charset(u8);

/// What stands before a name that is meant as the Encoding Standard has it.
const STANDARD: &str = "whatwg:";

/// All of them, by the names that Python has, and where the Encoding Standard has more characters, so marked.
static ALL: [(&str, HighHalf); COUNT] = [
    ("whatwg:windows-1252", Standard(whatwg::WINDOWS_1252)),
    ("whatwg:windows-1250", Standard(whatwg::WINDOWS_1250)),
    ("whatwg:windows-1251", Standard(whatwg::WINDOWS_1251)),
    ("whatwg:windows-1253", Standard(whatwg::WINDOWS_1253)),
    ("whatwg:windows-1254", Standard(whatwg::WINDOWS_1254)),
    ("whatwg:windows-1255", Standard(whatwg::WINDOWS_1255)),
    ("whatwg:windows-1256", Standard(whatwg::WINDOWS_1256)),
    ("whatwg:windows-1257", Standard(whatwg::WINDOWS_1257)),
    ("iso8859-2", Standard(whatwg::ISO_8859_2)),
    ("koi8-r", Standard(whatwg::KOI8_R)),
    ("koi8-u", Standard(whatwg::KOI8_U)),
    ("ibm866", Standard(whatwg::IBM866)),
    ("mac-roman", Standard(whatwg::MACINTOSH)),
    ("mac-cyrillic", Standard(whatwg::X_MAC_CYRILLIC)),
    ("cp437", HighHalf::CP437),
    ("cp850", HighHalf::CP850),
    ("cp852", HighHalf::CP852),
];

pub(super) const COUNT: usize = 17;

/// One bit for each encoding.
pub(super) type Set = u32;

/// What a character is in each encoding.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// Its byte, or 0.
    bytes: [u8; COUNT],
    /// Where it has one.
    pub all: Set,
    /// Where that leads a sequence of UTF-8.
    pub leads: Set,
    /// Where it is a continuation byte.
    pub continues: Set,
}

/// The characters that the encodings have from 80 on, and all that are none.
struct Tables {
    characters: [[Option<char>; 128]; COUNT],
    /// By the upper byte of a character the block of its rows.
    blocks: [u8; 256],
    /// By the lower byte its row.
    rows_of: Vec<[u16; 256]>,
    rows: Vec<Row>,
}

/// Row 0 is that of a character which no encoding has.
const NONE: Row = Row { bytes: [0; COUNT], all: 0, leads: 0, continues: 0 };

impl Tables {
    fn get() -> &'static Self {
        static TABLES: OnceLock<Tables> = OnceLock::new();
        TABLES.get_or_init(Self::new)
    }

    fn new() -> Self {
        let characters = core::array::from_fn(|index| ALL[index].1.chars());
        let mut tables = Self { characters, blocks: [0; 256], rows_of: vec![[0; 256]], rows: vec![NONE] };
        for charset in Charset::all() {
            // Latin-1 has controls from 80 to 9F. In programs that take it for Windows-1252, and in texts that were
            // damaged more than once, both are met in one text: so a control is its byte in each encoding of Windows.
            if charset.has_controls() {
                (0x80..0xA0).for_each(|byte| tables.enter(charset, byte, char::from(byte)));
            }
            for (character, byte) in characters[charset.index()].iter().zip(0x80..=u8::MAX) {
                if let Some(character) = *character {
                    tables.enter(charset, byte, character);
                }
            }
        }
        tables
    }

    fn enter(&mut self, charset: Charset, byte: u8, character: char) {
        let [.., upper, lower] = u32::from(character).to_be_bytes();
        let block = &mut self.blocks[usize::from(upper)];
        if *block == 0 {
            *block = self.rows_of.len() as u8;
            self.rows_of.push([0; 256]);
        }
        let row = &mut self.rows_of[usize::from(*block)][usize::from(lower)];
        if *row == 0 {
            *row = self.rows.len() as u16;
            self.rows.push(NONE);
        }
        let row = &mut self.rows[usize::from(*row)];
        row.bytes[charset.index()] = byte;
        let set = charset.set();
        row.all |= set;
        match byte {
            0x80..0xC0 => row.continues |= set,
            0xC2..0xF5 => row.leads |= set,
            _ => {}
        }
    }
}

/// What the encodings have for a character that is not ASCII.
#[inline]
pub(super) fn row(character: char) -> &'static Row {
    let tables = Tables::get();
    let [_, plane, upper, lower] = u32::from(character).to_be_bytes();
    let block = if plane == 0 { tables.blocks[usize::from(upper)] } else { 0 };
    &tables.rows[usize::from(tables.rows_of[usize::from(block)][usize::from(lower)])]
}

impl Charset {
    pub(super) const WINDOWS_1252: Self = Self(0);
    pub(super) const WINDOWS_1250: Self = Self(1);
    pub(super) const WINDOWS_1251: Self = Self(2);
    pub(super) const WINDOWS_1253: Self = Self(3);
    pub(super) const WINDOWS_1254: Self = Self(4);
    pub(super) const WINDOWS_1255: Self = Self(5);
    pub(super) const WINDOWS_1256: Self = Self(6);
    pub(super) const WINDOWS_1257: Self = Self(7);
    pub(super) const ISO_8859_2: Self = Self(8);
    pub(super) const KOI8_R: Self = Self(9);
    pub(super) const KOI8_U: Self = Self(10);
    pub(super) const IBM866: Self = Self(11);
    pub(super) const MAC_ROMAN: Self = Self(12);
    pub(super) const MAC_CYRILLIC: Self = Self(13);
    pub(super) const CP437: Self = Self(14);
    pub(super) const CP850: Self = Self(15);
    pub(super) const CP852: Self = Self(16);

    pub(super) fn all() -> impl Iterator<Item = Self> {
        (0..COUNT as u8).map(Self)
    }

    /// Those of a set.
    pub(super) fn of_set(set: Set) -> impl Iterator<Item = Self> {
        let mut rest = set;
        core::iter::from_fn(move || {
            let lowest = rest.trailing_zeros();
            rest &= rest.checked_sub(1)?;
            Some(Self(lowest as u8))
        })
    }

    pub(super) fn index(self) -> usize {
        self.0.into()
    }

    pub(super) fn set(self) -> Set {
        1 << self.0
    }

    /// The name that Python has for it.
    pub(super) fn name(self) -> &'static str {
        let name = ALL[self.index()].0;
        name.strip_prefix(STANDARD).unwrap_or(name)
    }

    /// The name of what a text was read in: this encoding, or one that is the same but for controls.
    pub(super) fn name_for(self, text: &str) -> &'static str {
        let mut controls =
            text.chars().filter(|character| ('\u{80}'..'\u{A0}').contains(character)).peekable();
        if !self.has_controls() || controls.peek().is_none() {
            return self.name();
        }
        let own =
            |character: char| !character.is_ascii() && self.byte(character).is_some_and(|byte| byte < 0xA0);
        let latin1 = self == Self::WINDOWS_1252
            && text.chars().all(|character| character < '\u{A0}' || !own(character));
        if latin1 { "iso8859-1" } else { ALL[self.index()].0 }
    }

    /// Whether its letters are those of the Latin alphabet.
    pub(super) fn is_latin(self) -> bool {
        matches!(
            self,
            Self::WINDOWS_1252
                | Self::WINDOWS_1250
                | Self::WINDOWS_1254
                | Self::WINDOWS_1257
                | Self::ISO_8859_2
                | Self::MAC_ROMAN
                | Self::CP437
                | Self::CP850
                | Self::CP852
        )
    }

    /// Whether it has characters where Latin-1 has controls, but is otherwise like that.
    fn has_controls(self) -> bool {
        self <= Self::ISO_8859_2
    }

    /// Whether A0 is the space that does not break, and AD the soft hyphen.
    pub(super) fn has_soft(self) -> bool {
        self.has_controls()
    }

    /// The byte that a character is.
    #[inline]
    pub(super) fn byte(self, character: char) -> Option<u8> {
        if character.is_ascii() {
            return Some(character as u8);
        }
        Some(row(character).bytes[self.index()]).filter(|&byte| byte != 0)
    }

    /// The character that a byte is.
    #[inline]
    pub(super) fn character(self, byte: u8) -> Option<char> {
        match byte {
            0..0x80 => Some(byte.into()),
            _ => Tables::get().characters[self.index()][usize::from(byte & 0x7F)],
        }
    }

    /// The continuation byte of UTF-8 that has no character, if it is the only one: what was lost is then known.
    pub(super) fn only_hole(self) -> Option<u8> {
        let mut holes = (0x80..0xC0).filter(|&byte| {
            // What the Encoding Standard maps to a control, others replace.
            self.character(byte)
                .is_none_or(|character| self.has_controls() && character == char::from(byte) && byte < 0xA0)
        });
        holes.next().filter(|_| holes.next().is_none())
    }
}
