//! The encodings in which text is decoded by mistake, and the byte of each character in them.

use std::sync::OnceLock;

use encoding_rs as whatwg;

use super::score::Alphabet;
use crate::encodings::high_half::HighHalf::{self, Standard};

/// A single-byte encoding that is often used, or used by mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Charset(u8);

/// The prefix of names with the meaning of the WHATWG Encoding Standard.
const WHATWG_PREFIX: &str = "whatwg:";

/// The names in Python, and the definitions. A name has the prefix if the Encoding Standard has more characters.
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
    ("whatwg:koi8-u", Standard(whatwg::KOI8_U)),
    ("ibm866", Standard(whatwg::IBM866)),
    ("mac-roman", Standard(whatwg::MACINTOSH)),
    ("mac-cyrillic", Standard(whatwg::X_MAC_CYRILLIC)),
    ("cp437", HighHalf::CP437),
    ("cp850", HighHalf::CP850),
    ("cp852", HighHalf::CP852),
    ("iso8859-15", Standard(whatwg::ISO_8859_15)),
];

/// The characters that Python and RFC 2319 have where the Encoding Standard has `ў` and `Ў`.
const KOI8_U_DRAWINGS: [(char, u8); 2] = [('╝', 0xAE), ('╬', 0xBE)];

pub(super) const COUNT: usize = 18;

/// A set of encodings, one bit for each.
pub(super) type CharsetBits = u32;

/// How many characters of a text each encoding has.
#[derive(Default)]
pub(super) struct Shares {
    all: usize,
    had: [usize; COUNT],
}

impl Shares {
    /// Adds a character that is in these encodings and occurs `number` times.
    pub fn add(&mut self, has: CharsetBits, number: usize) {
        self.all += number;
        Charset::of_set(has).for_each(|charset| self.had[charset.index()] += number);
    }

    /// Returns the encodings that have more than two thirds of the characters.
    pub fn most(&self) -> CharsetBits {
        let most = Charset::all().filter(|charset| 3 * self.had[charset.index()] > 2 * self.all);
        most.fold(0, |set, charset| set | charset.set())
    }
}

/// The properties of a character that show whether a decoding was wrong.
#[derive(Clone, Copy, Debug)]
pub(super) struct CharProperties {
    pub alphabet: Alphabet,
    pub is_letter: bool,
    pub is_uppercase: bool,
    pub is_space: bool,
}

impl CharProperties {
    fn new(character: char) -> Self {
        Self {
            alphabet: Alphabet::of(character),
            is_letter: character.is_alphabetic(),
            is_uppercase: character.is_uppercase(),
            is_space: character.is_whitespace(),
        }
    }

    /// Returns the properties of a character.
    #[inline]
    pub fn of(character: char) -> Self {
        Self::known(character).unwrap_or_else(|| Self::new(character))
    }

    /// Returns the properties of a character that is ASCII or in an encoding.
    #[inline]
    fn known(character: char) -> Option<Self> {
        let tables = CharsetTables::get();
        if let Some(properties) = tables.ascii.get(character as usize) {
            return Some(*properties);
        }
        tables.row(character).known()
    }
}

/// Returns the alphabet of a character.
#[inline]
pub(super) fn alphabet(character: char) -> Alphabet {
    CharProperties::known(character).map_or_else(|| Alphabet::of(character), |known| known.alphabet)
}

/// The byte of a character in each encoding.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// The byte, or 0.
    bytes: [u8; COUNT],
    /// The encodings that have the character.
    pub all: CharsetBits,
    properties: CharProperties,
    /// The encodings in which the byte leads a sequence of UTF-8.
    pub leads: CharsetBits,
    /// The encodings in which it is a continuation byte.
    pub continues: CharsetBits,
}

/// The characters of the bytes 80 to FF in all encodings, and the rows of these characters.
struct CharsetTables {
    ascii: [CharProperties; 128],
    characters: [[Option<char>; 128]; COUNT],
    /// Which of these are letters, a bit for each byte.
    letters: [u128; COUNT],
    /// The block of the rows for the upper byte of a code point.
    blocks: [u8; 256],
    /// The row for the lower byte, in each block.
    rows_of: Vec<[u16; 256]>,
    rows: Vec<Row>,
}

impl Row {
    fn new(character: char) -> Self {
        let properties = CharProperties::new(character);
        Self { bytes: [0; COUNT], all: 0, properties, leads: 0, continues: 0 }
    }

    /// Returns the properties of its character, if an encoding has it.
    #[inline]
    fn known(&self) -> Option<CharProperties> {
        (self.all != 0).then_some(self.properties)
    }

    /// Returns the byte of its character, if the encoding has it.
    #[inline]
    fn byte(&self, charset: Charset) -> Option<u8> {
        Some(self.bytes[charset.index()]).filter(|&byte| byte != 0)
    }
}

impl CharsetTables {
    fn get() -> &'static Self {
        static TABLES: OnceLock<CharsetTables> = OnceLock::new();
        TABLES.get_or_init(Self::new)
    }

    fn new() -> Self {
        let characters: [[Option<char>; 128]; COUNT] = core::array::from_fn(|index| ALL[index].1.chars());
        let letters = characters.map(|half| {
            let is_letter = |character: &Option<char>| character.is_some_and(char::is_alphabetic);
            half.iter().rev().fold(0, |bits, character| bits << 1 | u128::from(is_letter(character)))
        });
        let ascii = core::array::from_fn(|code| CharProperties::new(char::from(code as u8)));
        // Row 0 is of characters that no encoding has.
        let (blocks, rows_of, rows) = ([0; 256], vec![[0; 256]], vec![Row::new('\0')]);
        let mut tables = Self { ascii, characters, letters, blocks, rows_of, rows };
        for charset in Charset::all() {
            // Latin-1 has controls at 80 to 9F. Programs that take it for Windows-1252, and texts that were damaged
            // more than once, mix both: so a control has its byte in each Windows code page.
            if charset.has_controls() {
                (0x80..0xA0).for_each(|byte| tables.enter(charset, byte, char::from(byte)));
            }
            for (character, byte) in characters[charset.index()].iter().zip(0x80..=u8::MAX) {
                if let Some(character) = *character {
                    tables.enter(charset, byte, character);
                }
            }
        }
        for (character, byte) in KOI8_U_DRAWINGS {
            tables.enter(Charset::KOI8_U, byte, character);
        }
        // Some programs read the bytes that a Windows code page leaves undefined as Windows-1252 does.
        for charset in Charset::all().filter(|&charset| charset < Charset::ISO_8859_2) {
            for byte in 0x80..0xA0 {
                let place = usize::from(byte & 0x7F);
                let own = characters[charset.index()][place];
                if own.is_none_or(|own| own == char::from(byte))
                    && let Some(character) = characters[Charset::WINDOWS_1252.index()][place]
                    && tables.row(character).bytes[charset.index()] == 0
                {
                    tables.enter(charset, byte, character);
                }
            }
        }
        tables
    }

    /// Returns the row of a non-ASCII character.
    #[inline]
    fn row(&self, character: char) -> &Row {
        let [_, plane, upper, lower] = u32::from(character).to_be_bytes();
        let block = if plane == 0 { self.blocks[usize::from(upper)] } else { 0 };
        &self.rows[usize::from(self.rows_of[usize::from(block)][usize::from(lower)])]
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
            self.rows.push(Row::new(character));
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

/// Returns the row of a non-ASCII character.
#[inline]
pub(super) fn row(character: char) -> &'static Row {
    CharsetTables::get().row(character)
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
    pub(super) const ISO_8859_15: Self = Self(17);

    pub(super) fn all() -> impl Iterator<Item = Self> {
        (0..COUNT as u8).map(Self)
    }

    /// Returns the encodings of a set.
    pub(super) fn of_set(set: CharsetBits) -> impl Iterator<Item = Self> {
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

    pub(super) fn set(self) -> CharsetBits {
        1 << self.0
    }

    /// Returns the name in Python.
    pub(super) fn name(self) -> &'static str {
        let name = ALL[self.index()].0;
        name.strip_prefix(WHATWG_PREFIX).unwrap_or(name)
    }

    /// Returns the name of the encoding in which a text was decoded: this one, or one that differs in a few characters.
    pub(super) fn name_for(self, text: &str) -> &'static str {
        if self == Self::KOI8_U && text.contains(['ў', 'Ў']) {
            return ALL[self.index()].0;
        }
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

    /// Returns whether it has characters to draw lines and frames.
    pub(super) fn has_drawings(self) -> bool {
        matches!(self, Self::KOI8_R | Self::KOI8_U | Self::IBM866 | Self::CP437 | Self::CP850 | Self::CP852)
    }

    /// Returns how many of these characters beyond ASCII, decoded in `read`, are the bytes of letters in this encoding.
    pub(super) fn letters(self, read: Self, characters: &[&Row]) -> usize {
        let letters = CharsetTables::get().letters[self.index()];
        let is_letter = |row: &&&Row| row.byte(read).is_some_and(|byte| letters >> (byte & 0x7F) & 1 == 1);
        characters.iter().filter(is_letter).count()
    }

    /// Returns whether its letters are Latin.
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
                | Self::ISO_8859_15
        )
    }

    /// Returns whether it is laid out as Latin-1, with characters in the place of controls.
    fn has_controls(self) -> bool {
        self <= Self::ISO_8859_2 || self == Self::ISO_8859_15
    }

    /// Returns whether A0 is the no-break space, and AD the soft hyphen.
    pub(super) fn has_soft(self) -> bool {
        self.has_controls()
    }

    /// Returns the byte of a character, if it has one.
    #[inline]
    pub(super) fn byte(self, character: char) -> Option<u8> {
        if character.is_ascii() { Some(character as u8) } else { row(character).byte(self) }
    }

    /// Returns the properties of a character, and its byte, if it has one.
    #[inline]
    pub(super) fn look_up(self, character: char) -> (CharProperties, Option<u8>) {
        if let Some(properties) = CharsetTables::get().ascii.get(character as usize) {
            return (*properties, Some(character as u8));
        }
        let row = row(character);
        (row.known().unwrap_or_else(|| CharProperties::new(character)), row.byte(self))
    }

    /// Returns the character of a byte, if it is defined.
    #[inline]
    pub(super) fn character(self, byte: u8) -> Option<char> {
        match byte {
            0..0x80 => Some(byte.into()),
            _ => CharsetTables::get().characters[self.index()][usize::from(byte & 0x7F)],
        }
    }

    /// Returns the continuation byte of UTF-8 without a character, if there is only one: it is then the byte that was
    /// lost.
    pub(super) fn only_hole(self) -> Option<u8> {
        let mut holes = (0x80..0xC0).filter(|&byte| {
            // Other decoders replace bytes that the Encoding Standard maps to a control.
            self.character(byte)
                .is_none_or(|character| self.has_controls() && character == char::from(byte) && byte < 0xA0)
        });
        holes.next().filter(|_| holes.next().is_none())
    }
}
