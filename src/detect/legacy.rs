//! The most likely legacy encoding of some bytes.
//!
//! All encodings of the WHATWG Encoding Standard are tried, and a few more. A sample is decoded in each, and the
//! likelihoods of the texts are compared (see [`language`](crate::language)). Two things make that fast. ASCII is
//! the same in all encodings and is scored once; and after a few bytes most encodings are so far behind that they are
//! dropped.
//!
//! Tried and lost: the crate chardetng 1.0. It decodes 64 % of the samples of `benches/detection.py` correctly, and
//! 80 % where the encoding is usual for the language; this algorithm 94 to 97 %, and 98 to 99 %, and is not slower.

use std::sync::LazyLock;

use encoding_rs::{
    BIG5, CoderResult, DecoderResult, EUC_JP, EUC_KR, Encoding, GB18030, IBM866, ISO_8859_2, ISO_8859_3,
    ISO_8859_4, ISO_8859_5, ISO_8859_6, ISO_8859_7, ISO_8859_8, ISO_8859_10, ISO_8859_13, ISO_8859_14,
    ISO_8859_15, ISO_8859_16, KOI8_R, KOI8_U, MACINTOSH, SHIFT_JIS, UTF_8, WINDOWS_874, WINDOWS_1250,
    WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255, WINDOWS_1256, WINDOWS_1257,
    WINDOWS_1258, X_MAC_CYRILLIC,
};

use super::sample::ascii_length;
use crate::encodings::ebcdic::{self, Ebcdic};
use crate::encodings::high_half::HighHalf;
use crate::encodings::johab;
use crate::language::{CharContext, LanguageScore, Script, Sign};

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
    single("hp-roman8", HighHalf::HP_ROMAN8, 12.0),
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

impl Candidate {
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
    fn has_letter(&self, byte: u8) -> bool {
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
    fn multi_byte(&self) -> Option<MultiByte> {
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
enum MultiByte {
    Standard(encoding_rs::Decoder),
    Johab(johab::Decoder),
}

impl MultiByte {
    /// Calls `each` with the characters of the next bytes, U+FFFD for malformed bytes.
    fn decode(&mut self, mut data: &[u8], mut each: impl FnMut(char)) {
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

/// The score of an encoding's text of the sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guess {
    pub candidate: Candidate,
    /// The cost of the text and of the encoding in bits.
    pub bits: f32,
}

/// The characters of all bytes in the single-byte encodings, in the order of [`SINGLE_BYTE`].
struct SignTables {
    ascii: [Sign; 128],
    /// The model's classes of the bytes 80 to FF.
    signs: Vec<[Sign; 128]>,
    /// The characters of the bytes 80 to FF.
    chars: Vec<[char; 128]>,
}

impl SignTables {
    fn get() -> &'static Self {
        static TABLES: LazyLock<SignTables> = LazyLock::new(SignTables::make);
        &TABLES
    }

    fn make() -> Self {
        let sign = |character: char| Sign::of(character).0;
        let chars: Vec<[char; 128]> = SINGLE_BYTE
            .iter()
            .filter_map(|candidate| match candidate.definition {
                Definition::SingleByte(high) => Some(high.python_chars()),
                _ => None,
            })
            .map(|chars| chars.map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER)))
            .collect();
        Self {
            ascii: core::array::from_fn(|byte| sign(char::from(byte as u8))),
            signs: chars
                .iter()
                .map(|chars| {
                    chars.map(|character| match character.is_ascii() {
                        // The pages of Arabic on a Mac have signs of ASCII a second time, written from right to left.
                        true => sign(character).among(Script::Arabic),
                        false => sign(character),
                    })
                })
                .collect(),
            chars,
        }
    }

    /// Returns the single-byte encodings that decode the sample differently, by their index, with their bits: of those
    /// that give the same text the most frequent.
    fn different(&self, sample: &[u8], bits_of: impl Fn(&Candidate) -> Option<f32>) -> Vec<(usize, f32)> {
        let mut seen = [false; 128];
        for byte in sample {
            if let Some(index) = byte.checked_sub(0x80) {
                seen[usize::from(index)] = true;
            }
        }
        let bytes: Vec<usize> = (0..128).filter(|&index| seen[index]).collect();
        different(&SINGLE_BYTE, bits_of, |one, other| {
            bytes.iter().all(|&at| self.chars[one][at] == self.chars[other][at])
        })
    }

    /// Returns the bytes for which the encodings have different characters; `None` if one is a multi-byte encoding.
    fn ambiguous(&self, contestants: &[Contestant]) -> Option<Ambiguous> {
        let tables: Vec<_> = contestants
            .iter()
            .map(|contestant| match contestant.reader {
                Reader::SingleByte(index) => Some(&self.chars[index]),
                Reader::MultiByte(_) | Reader::Ebcdic(_) => None,
            })
            .collect::<Option<_>>()?;
        let (first, others) = tables.split_first()?;
        Some(core::array::from_fn(|byte| {
            byte.checked_sub(0x80)
                .is_some_and(|index| others.iter().any(|table| table[index] != first[index]))
        }))
    }
}

/// Sorts the few readings of a text, the most likely first; equal ones keep their order. Takes quadratic time, but the
/// sort of the standard library takes 6 kB of code for each type.
pub(super) fn sort_by_bits<T>(readings: &mut [T], bits: impl Fn(&T) -> f32) {
    for end in 1..readings.len() {
        let mut at = end;
        while at > 0 && bits(&readings[at - 1]).total_cmp(&bits(&readings[at])).is_gt() {
            readings.swap(at - 1, at);
            at -= 1;
        }
    }
}

/// Returns candidates that decode a sample differently, by their index, with their bits: of those that give the same
/// text the most frequent.
fn different(
    candidates: &[Candidate],
    bits_of: impl Fn(&Candidate) -> Option<f32>,
    is_same: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, f32)> {
    let bits = candidates.iter().map(bits_of).enumerate();
    let mut tried: Vec<(usize, f32)> = bits.filter_map(|(index, bits)| Some((index, bits?))).collect();
    sort_by_bits(&mut tried, |&(_, bits)| bits);
    let mut kept: Vec<(usize, f32)> = vec![];
    for (index, bits) in tried {
        if !kept.iter().any(|&(other, _)| is_same(index, other)) {
            kept.push((index, bits));
        }
    }
    kept
}

/// The characters of all bytes in EBCDIC, in the order of [`EBCDIC`].
struct EbcdicTables {
    signs: Vec<[Sign; 256]>,
    chars: Vec<[char; 256]>,
}

impl EbcdicTables {
    fn get() -> &'static Self {
        static TABLES: LazyLock<EbcdicTables> = LazyLock::new(EbcdicTables::make);
        &TABLES
    }

    fn make() -> Self {
        let chars: Vec<[char; 256]> = EBCDIC
            .iter()
            .filter_map(|candidate| match candidate.definition {
                Definition::Ebcdic(table) => Some(table.chars()),
                _ => None,
            })
            .map(|chars| chars.map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER)))
            .collect();
        let sign = |character: char| Sign::of(if character == ebcdic::NEW_LINE { '\n' } else { character }).0;
        Self { signs: chars.iter().map(|chars| chars.map(sign)).collect(), chars }
    }

    /// Returns the encodings that decode the sample differently, as [`different`] does.
    fn different(&self, sample: &[u8], bits_of: impl Fn(&Candidate) -> Option<f32>) -> Vec<(usize, f32)> {
        different(&EBCDIC, bits_of, |one, other| {
            sample
                .iter()
                .all(|&byte| self.chars[one][usize::from(byte)] == self.chars[other][usize::from(byte)])
        })
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

/// A run of non-ASCII bytes and up to two ASCII bytes after it, whose cost depends on the encoding: the first may be
/// the second byte of a character, and the next is its neighbour.
struct Run<'a> {
    bytes: &'a [u8],
    before: CharContext,
    /// Whether other bytes are between the previous run and this one.
    apart: bool,
}

/// A part of the sample: its runs, and the cost of the rest, which is the same in every encoding.
struct SamplePart<'a> {
    bytes: &'a [u8],
    plain: LanguageScore,
    runs: Vec<Run<'a>>,
}

/// For each byte value whether the remaining encodings disagree about its character.
type Ambiguous = [bool; 256];

/// The number of ASCII bytes before an ambiguous run that are scored as its context.
const CONTEXT_BYTES: usize = 16;

impl<'a> SamplePart<'a> {
    /// Divides bytes into runs: all of them, or only those with ambiguous bytes.
    fn of(bytes: &'a [u8], ambiguous: Option<&Ambiguous>, tables: &SignTables) -> Self {
        let (mut plain, mut runs, mut rest) = (LanguageScore::new(), vec![], bytes);
        let before = |byte: Option<&u8>| match byte {
            Some(&byte) if byte.is_ascii() => CharContext::only(tables.ascii[usize::from(byte)]),
            _ => CharContext::START,
        };
        while !rest.is_empty() {
            let (gap, after) = rest.split_at(ascii_length(rest));
            let end = after.iter().position(u8::is_ascii).map_or(after.len(), |at| {
                at + after[at..].iter().take(2).take_while(|byte| byte.is_ascii()).count()
            });
            let (run, after) = after.split_at(end);
            rest = after;
            if ambiguous.is_none_or(|ambiguous| run.iter().any(|&byte| ambiguous[usize::from(byte)])) {
                let skipped = if ambiguous.is_some() { gap.len().saturating_sub(CONTEXT_BYTES) } else { 0 };
                let (skipped, gap) = gap.split_at(skipped);
                if !skipped.is_empty() {
                    plain.resume(before(skipped.last()));
                }
                for &byte in gap {
                    plain.add(tables.ascii[usize::from(byte)]);
                }
                let apart = !(skipped.is_empty() && gap.is_empty());
                runs.push(Run { bytes: run, before: plain.last(), apart });
            }
            plain.resume(before(run.last()));
        }
        Self { bytes, plain, runs }
    }

    /// Adds the cost of the part in a single-byte encoding to a score.
    fn add_single_byte(&self, score: &mut LanguageScore, high: &[Sign; 128], tables: &SignTables) {
        for run in &self.runs {
            score.resume(run.before);
            for &byte in run.bytes {
                let sign = match byte.checked_sub(0x80) {
                    Some(index) => high[usize::from(index)],
                    None => tables.ascii[usize::from(byte)],
                };
                score.add(sign);
            }
        }
        score.add_part(&self.plain);
    }
}

/// The number of non-ASCII bytes that the first round reads in every encoding. Each later round reads twice as many in
/// the encodings that are left.
const FIRST_ROUND_BYTES: usize = 4;
/// The number of bits behind the best at which an encoding is dropped.
const MAX_BITS_BEHIND: f32 = 32.0;

/// How the non-ASCII bytes of a sample are distributed.
#[derive(Clone, Copy, Debug, Default)]
struct NonAscii {
    /// Whether two are adjacent.
    adjacent: bool,
    /// Whether one is beside an ASCII letter.
    in_words: bool,
    count: usize,
    /// A byte that occurs [`REPEATED`] times in a row.
    repeated: Option<u8>,
}

/// The number of equal bytes that are rather a line than letters; and the cost in bits of an encoding in which they are
/// letters.
const REPEATED: usize = 4;
const REPEATED_BITS: f32 = 40.0;
/// The byte of the ideographic space, twice, in multi-byte encodings.
const IDEOGRAPHIC_SPACE: u8 = 0xA1;

/// The cost in bits of a multi-byte encoding if no two non-ASCII bytes are adjacent, as they are in its text.
const APART_BITS: f32 = 15.0;
/// The most non-ASCII bytes that indicate no encoding if each is alone between spaces or punctuation; and the cost in
/// bits of any encoding but the default then.
const MAX_ALONE: usize = 2;
const ALONE_BITS: f32 = 24.0;
/// The lead in bits that the default encoding has then, for its confidence.
const ALONE_LEAD: f32 = 8.0;
/// The default encoding of the web.
const DEFAULT: &str = "windows-1252";

impl NonAscii {
    fn of(sample: &[u8]) -> Self {
        let mut found = Self::default();
        let (mut last, mut equal) = (b' ', 0);
        for &byte in sample {
            equal = if byte == last { equal + 1 } else { 1 };
            if equal == REPEATED && !byte.is_ascii() {
                found.repeated = Some(byte);
            }
            let (before, now) = (!last.is_ascii(), !byte.is_ascii());
            found.count += usize::from(now);
            found.adjacent |= before && now;
            found.in_words |= before && byte.is_ascii_alphabetic() || now && last.is_ascii_alphabetic();
            last = byte;
        }
        found
    }

    /// Returns whether the few bytes indicate no encoding.
    fn is_alone(self) -> bool {
        (1..=MAX_ALONE).contains(&self.count) && !self.adjacent && !self.in_words
    }

    /// Returns the bits that these bytes cost in an encoding, beside the costs of the encoding and of the text.
    fn bits_against(self, candidate: &Candidate) -> f32 {
        let is_multi_byte = matches!(candidate.definition, Definition::MultiByte(_) | Definition::Johab);
        let mut bits = 0.0;
        if is_multi_byte && !self.adjacent {
            bits += APART_BITS;
        }
        if let Some(byte) = self.repeated
            && candidate.has_letter(byte)
        {
            bits += REPEATED_BITS;
        }
        if self.is_alone() && candidate.name != DEFAULT {
            bits += ALONE_BITS;
        }
        bits
    }
}

/// The outcome of decoding a sample in all encodings.
pub(super) struct Contest {
    /// The encodings that are left, the most likely first. Of those that give the same text only the most
    /// frequent is in it.
    pub guesses: Vec<Guess>,
    /// The number of bytes that were read in full, and their cost in the most likely encoding in bits.
    pub read: usize,
    pub cost: f32,
    /// The most bits by which the best may be ahead of the next.
    pub max_lead: f32,
}

impl Contest {
    /// Decodes a sample in all encodings for which `bits_of` returns the cost of the encoding itself, in bits.
    pub(super) fn of(sample: &[u8], bits_of: impl Fn(&Candidate) -> Option<f32>) -> Self {
        let tables = SignTables::get();
        let evidence = NonAscii::of(sample);
        let bits_of = |candidate: &Candidate| Some(bits_of(candidate)? + evidence.bits_against(candidate));
        let contestant = |candidate, reader, own_bits| Contestant {
            candidate,
            reader,
            score: LanguageScore::new(),
            own_bits,
            bits: own_bits,
        };
        let single_byte = tables
            .different(sample, bits_of)
            .into_iter()
            .map(|(index, bits)| contestant(SINGLE_BYTE[index], Reader::SingleByte(index), bits));
        let multi_byte = MULTI_BYTE.iter().filter_map(|&candidate| {
            Some(contestant(candidate, Reader::MultiByte(candidate.multi_byte()?), bits_of(&candidate)?))
        });
        let ebcdic =
            if is_possible_ebcdic(sample) { EbcdicTables::get().different(sample, bits_of) } else { vec![] };
        let ebcdic =
            ebcdic.into_iter().map(|(index, bits)| contestant(EBCDIC[index], Reader::Ebcdic(index), bits));
        let mut left: Vec<Contestant> = single_byte.chain(multi_byte).chain(ebcdic).collect();
        let (mut rest, mut length, mut ambiguous) = (sample, FIRST_ROUND_BYTES, None);
        let (mut read, mut cost) = (0, 0.0);
        while !rest.is_empty() && (left.len() > 1 || read == 0) {
            let part;
            (part, rest) = rest.split_at(round(rest, length));
            length *= 2;
            let part = SamplePart::of(part, ambiguous.as_ref(), tables);
            for contestant in &mut left {
                contestant.read(&part, tables);
            }
            let best = left.iter().map(|contestant| contestant.bits).fold(f32::INFINITY, f32::min);
            left.retain(|contestant| contestant.bits < best + MAX_BITS_BEHIND);
            if ambiguous.is_none() {
                (read, cost) = (read + part.bytes.len(), best);
                ambiguous = tables.ambiguous(&left);
            }
        }
        let mut guesses: Vec<Guess> =
            left.iter().map(|one| Guess { candidate: one.candidate, bits: one.bits }).collect();
        sort_by_bits(&mut guesses, |guess| guess.bits);
        let max_lead = if evidence.is_alone() { ALONE_LEAD } else { f32::INFINITY };
        Self { guesses, read, cost, max_lead }
    }
}

/// Returns the length of a round with at least `length` non-ASCII bytes, which ends after an ASCII byte if one is near.
fn round(sample: &[u8], length: usize) -> usize {
    let mut non_ascii = 0;
    sample
        .iter()
        .position(|byte| {
            non_ascii += usize::from(!byte.is_ascii());
            non_ascii > length && byte.is_ascii() || non_ascii > 2 * length
        })
        .map_or(sample.len(), |at| at + 1)
}

struct Contestant {
    candidate: Candidate,
    reader: Reader,
    score: LanguageScore,
    /// The cost of the encoding itself, and with its text so far, in bits.
    own_bits: f32,
    bits: f32,
}

enum Reader {
    /// The index in [`SINGLE_BYTE`].
    SingleByte(usize),
    MultiByte(MultiByte),
    /// The index in [`EBCDIC`].
    Ebcdic(usize),
}

impl Contestant {
    fn read(&mut self, part: &SamplePart<'_>, tables: &SignTables) {
        match &mut self.reader {
            Reader::SingleByte(index) => {
                part.add_single_byte(&mut self.score, &tables.signs[*index], tables);
            }
            Reader::MultiByte(decoder) => {
                for run in &part.runs {
                    if run.apart {
                        self.score.resume(run.before);
                    }
                    decoder.decode(run.bytes, |character| self.score.add_char(character));
                }
                self.score.add_part(&part.plain);
            }
            Reader::Ebcdic(index) => {
                for &byte in part.bytes {
                    self.score.add(EbcdicTables::get().signs[*index][usize::from(byte)]);
                }
            }
        }
        self.bits = self.score.bits() + self.own_bits;
    }
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

/// A check, piece by piece, of whether Python's codec decodes some data.
pub(super) enum Check {
    /// The undefined bytes of a single-byte encoding.
    SingleByte(Vec<u8>),
    MultiByte {
        decoder: Box<encoding_rs::Decoder>,
        out: Box<[u16; 4096]>,
    },
    Johab(johab::Decoder),
}

impl Candidate {
    pub(super) fn check(&self) -> Check {
        match self.definition {
            Definition::MultiByte(encoding) => Check::multi_byte(encoding),
            Definition::Johab => Check::Johab(johab::Decoder::default()),
            Definition::Ebcdic(table) => Check::undefined((0..=u8::MAX).zip(table.chars())),
            Definition::SingleByte(high) => Check::undefined((0x80..=u8::MAX).zip(high.python_chars())),
        }
    }

    /// Returns whether the data has a byte that is a euro sign in the Encoding Standard and undefined in Python.
    pub(super) fn is_whatwg_only(&self, data: &[u8]) -> bool {
        self.standard() == Some(GB18030)
            && memchr::memchr(0x80, data).is_some()
            && leads(data).any(|(lead, _)| lead == 0x80)
    }

    /// Returns the name of the codec of the family that has the characters of the data, and whether it has all of them:
    /// Python lacks some of Hong Kong's, and some that NEC and IBM added to Japan's.
    pub(super) fn name_for(&self, data: &[u8]) -> (&'static str, bool) {
        if self.standard() == Some(BIG5) && is_hkscs(data) {
            return ("big5hkscs", false);
        }
        if self.standard() == Some(BIG5) {
            let lacking = |pair| matches!(pair, (0xA3, 0xC0..=0xE0 | 0xE2..) | (0xC7, 0xFD..) | (0xC8, _));
            return (self.name, !leads(data).any(lacking));
        }
        if self.standard() == Some(EUC_JP) && leads(data).any(|(lead, _)| matches!(lead, 0xAD | 0xF9..)) {
            return ("euc_jis_2004", false);
        }
        (self.name, true)
    }
}

/// Returns whether Big5 data has characters that only Big5-HKSCS has, or kana and Cyrillic where that has them: in C6E7
/// to C8FE, two dozen places after their bytes in the older layout.
fn is_hkscs(data: &[u8]) -> bool {
    let (mut older, mut newer, mut other) = (0, 0, 0);
    for (lead, trail) in leads(data) {
        match u16::from_be_bytes([lead, trail]) {
            0xA100..0xC6A1 | 0xC900..0xF9D6 => {}
            0xC6A1..0xC6E7 => older += 1,
            0xC6E7..0xC77B | 0xC7F3..0xC900 => newer += 1,
            0xC77B..0xC7F3 => {}
            _ => other += 1,
        }
    }
    other > 0 || newer > 4 * older
}

/// Returns the lead and trail bytes of all two-byte characters.
fn leads(mut data: &[u8]) -> impl Iterator<Item = (u8, u8)> {
    core::iter::from_fn(move || {
        let at = data.iter().position(|byte| !byte.is_ascii())?;
        let pair = (data[at], data.get(at + 1).copied().unwrap_or_default());
        data = data.get(at + 2..).unwrap_or_default();
        Some(pair)
    })
}

impl Check {
    /// Creates the check of a single-byte encoding from its bytes and their characters.
    fn undefined(chars: impl Iterator<Item = (u8, Option<char>)>) -> Self {
        Self::SingleByte(chars.filter(|(_, known)| known.is_none()).map(|(byte, _)| byte).collect())
    }

    /// Creates the check of a multi-byte encoding.
    pub(super) fn multi_byte(encoding: &'static Encoding) -> Self {
        Self::MultiByte {
            decoder: Box::new(encoding.new_decoder_without_bom_handling()),
            out: Box::new([0; 4096]),
        }
    }

    /// Takes the next bytes. Returns whether they are valid.
    pub(super) fn update(&mut self, step: &[u8]) -> bool {
        match self {
            Self::SingleByte(undefined) => match undefined[..] {
                [] => true,
                [only] => memchr::memchr(only, step).is_none(),
                _ => {
                    let mut seen = [false; 256];
                    for &byte in step {
                        seen[usize::from(byte)] = true;
                    }
                    !undefined.iter().any(|&byte| seen[usize::from(byte)])
                }
            },
            Self::Johab(decoder) => step.iter().all(|&byte| decoder.push(byte) != johab::Step::Malformed),
            Self::MultiByte { decoder, out } => {
                let mut rest = step;
                loop {
                    let (result, read, _) =
                        decoder.decode_to_utf16_without_replacement(rest, &mut out[..], false);
                    if matches!(result, DecoderResult::Malformed(..)) {
                        return false;
                    }
                    rest = &rest[read..];
                    if result == DecoderResult::InputEmpty {
                        return true;
                    }
                }
            }
        }
    }

    /// Returns whether the data does not end inside a character.
    pub(super) fn is_finished(&mut self) -> bool {
        match self {
            Self::SingleByte(_) => true,
            Self::Johab(decoder) => decoder.is_finished(),
            Self::MultiByte { decoder, out, .. } => {
                let (result, ..) = decoder.decode_to_utf16_without_replacement(b"", &mut out[..], true);
                result == DecoderResult::InputEmpty
            }
        }
    }
}
