//! The legacy encodings that are tried: all of the WHATWG Encoding Standard, and a few more.

use encoding_rs::{
    BIG5, CoderResult, EUC_JP, EUC_KR, Encoding, GB18030, IBM866, ISO_8859_2, ISO_8859_3, ISO_8859_4,
    ISO_8859_5, ISO_8859_6, ISO_8859_7, ISO_8859_8, ISO_8859_10, ISO_8859_13, ISO_8859_14, ISO_8859_15,
    ISO_8859_16, KOI8_R, KOI8_U, MACINTOSH, SHIFT_JIS, UTF_8, WINDOWS_874, WINDOWS_1250, WINDOWS_1251,
    WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255, WINDOWS_1256, WINDOWS_1257, WINDOWS_1258,
    X_MAC_CYRILLIC,
};

use crate::encodings::ebcdic::{self, Ebcdic};
use crate::encodings::high_half::HighHalf;
use crate::encodings::johab;
use crate::language::Languages;

/// A legacy encoding that is tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// The name that Python knows.
    pub name: &'static str,
    pub definition: Definition,
    /// How rare it is, in bits: decides where two give the same text.
    pub rarity: f32,
}

/// The definition of a legacy encoding.
#[derive(Clone, Copy, Debug)]
pub(super) enum Definition {
    SingleByte(HighHalf),
    MultiByte(&'static Encoding),
    Johab,
    Ebcdic(Ebcdic),
}

const fn single(name: &'static str, high: HighHalf, rarity: f32) -> Candidate {
    Candidate { name, definition: Definition::SingleByte(high), rarity }
}

const fn standard(name: &'static str, encoding: &'static Encoding, rarity: f32) -> Candidate {
    single(name, HighHalf::Standard(encoding), rarity)
}

const fn multi(name: &'static str, encoding: &'static Encoding, rarity: f32) -> Candidate {
    Candidate { name, definition: Definition::MultiByte(encoding), rarity }
}

const fn ebcdic(name: &'static str, table: Ebcdic, rarity: f32) -> Candidate {
    Candidate { name, definition: Definition::Ebcdic(table), rarity }
}

/// The single-byte encodings.
pub(super) static SINGLE_BYTE: [Candidate; 60] = [
    standard("windows-1252", WINDOWS_1252, 0.0),
    standard("windows-1251", WINDOWS_1251, 0.0),
    standard("windows-1250", WINDOWS_1250, 1.0),
    standard("windows-1253", WINDOWS_1253, 1.0),
    standard("windows-1254", WINDOWS_1254, 2.0),
    standard("windows-1255", WINDOWS_1255, 1.0),
    standard("windows-1256", WINDOWS_1256, 1.0),
    standard("windows-1257", WINDOWS_1257, 2.0),
    standard("windows-1258", WINDOWS_1258, 3.0),
    standard("cp874", WINDOWS_874, 1.0),
    standard("koi8-r", KOI8_R, 1.0),
    standard("koi8-u", KOI8_U, 2.0),
    standard("ibm866", IBM866, 3.0),
    standard("iso-8859-2", ISO_8859_2, 3.0),
    standard("iso-8859-3", ISO_8859_3, 7.0),
    standard("iso-8859-4", ISO_8859_4, 7.0),
    standard("iso-8859-5", ISO_8859_5, 4.0),
    standard("iso-8859-6", ISO_8859_6, 3.0),
    standard("iso-8859-7", ISO_8859_7, 2.0),
    standard("iso-8859-8", ISO_8859_8, 2.0),
    standard("iso-8859-10", ISO_8859_10, 7.0),
    standard("iso-8859-13", ISO_8859_13, 5.0),
    standard("iso-8859-14", ISO_8859_14, 8.0),
    standard("iso-8859-15", ISO_8859_15, 4.0),
    standard("iso-8859-16", ISO_8859_16, 6.0),
    standard("macintosh", MACINTOSH, 5.0),
    standard("mac-cyrillic", X_MAC_CYRILLIC, 5.0),
    single("iso-8859-1", HighHalf::Latin1, 6.0),
    single("cp437", HighHalf::CP437, 8.0),
    single("cp850", HighHalf::CP850, 8.0),
    single("cp852", HighHalf::CP852, 8.0),
    single("cp855", HighHalf::CP855, 8.0),
    single("mac-latin2", HighHalf::MAC_LATIN2, 8.0),
    single("cp720", HighHalf::CP720, 9.0),
    single("cp737", HighHalf::CP737, 9.0),
    single("cp775", HighHalf::CP775, 9.0),
    single("cp856", HighHalf::CP856, 10.0),
    single("cp857", HighHalf::CP857, 9.0),
    single("cp858", HighHalf::CP858, 12.0),
    single("cp860", HighHalf::CP860, 9.0),
    single("cp861", HighHalf::CP861, 9.0),
    single("cp862", HighHalf::CP862, 9.0),
    single("cp863", HighHalf::CP863, 9.0),
    single("cp864", HighHalf::CP864, 11.0),
    single("cp865", HighHalf::CP865, 9.0),
    single("cp869", HighHalf::CP869, 9.0),
    single("cp1006", HighHalf::CP1006, 12.0),
    single("cp1125", HighHalf::CP1125, 11.0),
    single("hp-roman8", HighHalf::HP_ROMAN8, 16.0),
    single("koi8-t", HighHalf::KOI8_T, 14.0),
    single("kz1048", HighHalf::KZ1048, 14.0),
    single("mac-arabic", HighHalf::MAC_ARABIC, 16.0),
    single("mac-croatian", HighHalf::MAC_CROATIAN, 9.0),
    single("mac-farsi", HighHalf::MAC_FARSI, 17.0),
    single("mac-greek", HighHalf::MAC_GREEK, 9.0),
    single("mac-iceland", HighHalf::MAC_ICELAND, 9.0),
    single("mac-romanian", HighHalf::MAC_ROMANIAN, 9.0),
    single("mac-turkish", HighHalf::MAC_TURKISH, 9.0),
    single("ptcp154", HighHalf::PTCP154, 22.0),
    single("palmos", HighHalf::PALMOS, 14.0),
];

/// The multi-byte encodings, and UTF-8 with errors.
pub(super) static MULTI_BYTE: [Candidate; 7] = [
    multi("utf-8", UTF_8, 0.0),
    multi("gb18030", GB18030, 1.0),
    multi("cp950", BIG5, 1.0),
    multi("cp932", SHIFT_JIS, 1.0),
    multi("euc-jp", EUC_JP, 2.0),
    multi("cp949", EUC_KR, 1.0),
    Candidate { name: "johab", definition: Definition::Johab, rarity: 10.0 },
];

/// The encodings that are tried only if the data has the structure of EBCDIC.
pub(super) static EBCDIC: [Candidate; 7] = [
    ebcdic("cp037", Ebcdic::CP037, 10.0),
    ebcdic("cp273", Ebcdic::CP273, 13.0),
    ebcdic("cp424", Ebcdic::CP424, 12.0),
    ebcdic("cp500", Ebcdic::CP500, 11.0),
    ebcdic("cp875", Ebcdic::CP875, 12.0),
    ebcdic("cp1026", Ebcdic::CP1026, 14.0),
    ebcdic("cp1140", Ebcdic::CP1140, 13.0),
];

/// Languages of the Latin script in which text was written on MS-DOS and the Macintosh, without rare ones; and some for
/// which several encodings were made, with English, which is in all.
const MS_DOS_AND_MACINTOSH: &str =
    "af az ca cs cy da de en eo es et eu fi fr ga gl hr hu id is it lt lv nb nl pl pt ro sk sl sq sv tr vi";
const CENTRAL: &str = "cs de en hr hu pl ro sk sl sq";
const BALTIC: &str = "en et lt lv";
const TURKISH: &str = "az en ku tk tr";

/// The byte of the ideographic space, twice, in multi-byte encodings.
const IDEOGRAPHIC_SPACE: u8 = 0xA1;

impl Candidate {
    /// Returns the languages of the Latin script for which it was made, or in which it was used; none for the default
    /// encoding, which has any of them, and for encodings of other scripts.
    pub(super) fn languages(&self) -> Languages {
        let codes = match self.name {
            "cp437" | "cp850" | "cp858" | "macintosh" | "hp-roman8" | "palmos" => MS_DOS_AND_MACINTOSH,
            "windows-1250" | "iso-8859-2" | "cp852" | "mac-latin2" => CENTRAL,
            "windows-1257" | "iso-8859-4" | "iso-8859-13" | "cp775" => BALTIC,
            "windows-1254" | "cp857" | "mac-turkish" => TURKISH,
            "windows-1258" => "en fr vi",
            "iso-8859-3" => "en eo mt",
            "iso-8859-10" => "da en fi fo is nb sv",
            "iso-8859-14" => "br cy en ga gd",
            "iso-8859-16" => "de en fr hr hu it pl ro sl sq",
            "cp860" => "en pt",
            "cp861" => "en is",
            "cp863" => "en fr",
            "cp865" => "da en nb",
            "mac-croatian" => "en hr sl",
            "mac-iceland" => "en fo is",
            "mac-romanian" => "en ro",
            _ => "",
        };
        let mut languages = Languages::default();
        for code in codes.split_ascii_whitespace() {
            languages.add(code);
        }
        languages
    }

    /// Returns the encoding's definition in the Encoding Standard, if it is there.
    pub(super) fn standard(&self) -> Option<&'static Encoding> {
        match self.definition {
            Definition::SingleByte(HighHalf::Standard(encoding)) | Definition::MultiByte(encoding) => {
                Some(encoding)
            }
            Definition::SingleByte(_) | Definition::Johab | Definition::Ebcdic(_) => None,
        }
    }

    /// Returns whether a non-ASCII byte, repeated, is letters.
    pub(super) fn has_letter(&self, byte: u8) -> bool {
        match self.definition {
            Definition::SingleByte(high) => byte
                .checked_sub(0x80)
                .and_then(|index| high.python_chars()[usize::from(index)])
                .is_some_and(char::is_alphabetic),
            Definition::MultiByte(_) | Definition::Johab => byte != IDEOGRAPHIC_SPACE,
            Definition::Ebcdic(_) => false,
        }
    }

    /// Returns the names by which the encoding and its extensions are reported.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        let extension = match self.standard() {
            Some(encoding) if encoding == BIG5 => Some("big5hkscs"),
            Some(encoding) if encoding == EUC_JP => Some("euc_jis_2004"),
            _ => None,
        };
        [self.name].into_iter().chain(extension)
    }

    /// Calls `each` with the characters of data, U+FFFD for malformed bytes.
    pub(super) fn decode(&self, data: &[u8], mut each: impl FnMut(char)) {
        match self.definition {
            Definition::SingleByte(high) => {
                let chars = high.python_chars();
                for &byte in data {
                    each(match byte.checked_sub(0x80) {
                        Some(index) => chars[usize::from(index)].unwrap_or(char::REPLACEMENT_CHARACTER),
                        None => char::from(byte),
                    });
                }
            }
            Definition::Ebcdic(table) => {
                let chars = table.chars();
                for &byte in data {
                    each(chars[usize::from(byte)].unwrap_or(char::REPLACEMENT_CHARACTER));
                }
            }
            Definition::MultiByte(_) | Definition::Johab => {
                if let Some(mut decoder) = self.multi_byte() {
                    decoder.decode(data, each);
                }
            }
        }
    }

    /// Returns a decoder of a multi-byte encoding.
    pub(super) fn multi_byte(&self) -> Option<MultiByte> {
        match self.definition {
            Definition::SingleByte(_) | Definition::Ebcdic(_) => None,
            Definition::MultiByte(encoding) => {
                Some(MultiByte::Standard(encoding.new_decoder_without_bom_handling()))
            }
            Definition::Johab => Some(MultiByte::Johab(johab::Decoder::default())),
        }
    }
}

/// The decoder of a multi-byte encoding.
pub(super) enum MultiByte {
    Standard(encoding_rs::Decoder),
    Johab(johab::Decoder),
}

impl MultiByte {
    /// Calls `each` with the characters of the next bytes, U+FFFD for malformed bytes.
    pub(super) fn decode(&mut self, mut data: &[u8], mut each: impl FnMut(char)) {
        match self {
            Self::Standard(decoder) => {
                let mut units = [0; 64];
                loop {
                    let (result, read, written, _) = decoder.decode_to_utf16(data, &mut units, false);
                    for character in char::decode_utf16(units[..written].iter().copied()) {
                        each(character.unwrap_or(char::REPLACEMENT_CHARACTER));
                    }
                    data = &data[read..];
                    if result == CoderResult::InputEmpty {
                        break;
                    }
                }
            }
            Self::Johab(decoder) => {
                for &byte in data {
                    match decoder.push(byte) {
                        johab::Step::Lead => {}
                        johab::Step::Char(character) => each(character),
                        johab::Step::Malformed => each(char::REPLACEMENT_CHARACTER),
                    }
                }
            }
        }
    }
}

/// The least and the most share of spaces in EBCDIC, the most of controls, and the fewest bytes that show them.
const BYTES_PER_SPACE: usize = 20;
const BYTES_PER_WORD: usize = 2;
const BYTES_PER_EBCDIC_CONTROL: usize = 50;
const MIN_EBCDIC_BYTES: usize = 12;

/// Returns whether the start of data has the spaces of EBCDIC, which are `@` in ASCII, and few bytes below them: the
/// spaces, digits and punctuation of ASCII.
pub(super) fn is_possible_ebcdic(head: &[u8]) -> bool {
    let spaces = memchr::memchr_iter(ebcdic::SPACE, head).count();
    let controls = || head.iter().filter(|&&byte| ebcdic::is_control(byte)).count();
    head.len() >= MIN_EBCDIC_BYTES
        && (spaces * BYTES_PER_SPACE >= head.len() && spaces * BYTES_PER_WORD <= head.len())
        && controls() * BYTES_PER_EBCDIC_CONTROL <= head.len()
}

/// Returns all candidates.
pub(super) fn candidates() -> impl Iterator<Item = &'static Candidate> {
    SINGLE_BYTE.iter().chain(&MULTI_BYTE).chain(&EBCDIC)
}

/// Returns the candidate that is reported by this name.
pub(super) fn candidate(name: &str) -> Option<&'static Candidate> {
    candidates().find(|candidate| candidate.names().any(|known| known == name))
}

/// Returns whether an encoding is EBCDIC.
pub(super) fn is_ebcdic(name: &str) -> bool {
    EBCDIC.iter().any(|candidate| candidate.name == name)
}

/// Returns every name of a legacy encoding that detection reports.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    candidates().flat_map(Candidate::names)
}

/// Returns the encoding of the Encoding Standard that decodes data of an encoding reported by this name.
pub(super) fn standard_of(name: &str) -> Option<&'static Encoding> {
    match name {
        "big5hkscs" => Some(BIG5), // with the characters of Hong Kong
        _ => candidates().find(|candidate| candidate.name == name)?.standard(),
    }
}
