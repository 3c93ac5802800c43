//! Which encoding other than Unicode's makes the best text of some bytes.
//!
//! All encodings of the WHATWG's Encoding Standard are tried, and a few more, and the likelihood of what they
//! make of a sample is compared (see [`language`](crate::language)). Two things make that fast. What is ASCII
//! is the same in all, so that it is counted once; and after a few bytes most encodings are so far behind
//! that they need not go on.
//!
//! Tried and lost: the crate chardetng 1.0. It makes the right text of 64 % of the samples of
//! `benches/detection.py`, and of 80 % where the encoding is usual for the language; this does so of 94 to
//! 97 %, and of 98 to 99 %, and is no slower.

use core::slice::from_ref;
use std::sync::LazyLock;

use encoding_rs::{
    BIG5, CoderResult, DecoderResult, EUC_JP, EUC_KR, Encoding, GB18030, IBM866, ISO_8859_2, ISO_8859_3,
    ISO_8859_4, ISO_8859_5, ISO_8859_6, ISO_8859_7, ISO_8859_8, ISO_8859_10, ISO_8859_13, ISO_8859_14,
    ISO_8859_15, ISO_8859_16, KOI8_R, KOI8_U, MACINTOSH, SHIFT_JIS, UTF_8, WINDOWS_874, WINDOWS_1250,
    WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255, WINDOWS_1256, WINDOWS_1257,
    WINDOWS_1258, X_MAC_CYRILLIC,
};

use super::pages;
use super::sample::ascii_length;
use crate::language::{Before, Score, Sign};

/// An encoding that text may be in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// A name that Python knows.
    pub name: &'static str,
    pub source: Source,
    /// How seldom it is met, in bits: decides where two give the same text.
    pub seldom: f32,
}

/// Where an encoding is told.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    Standard(&'static Encoding),
    /// By the characters of the bytes from 80 on.
    Listed(&'static str),
    /// ISO 8859-1, of which the Standard makes Windows-1252.
    CodePoints,
}

const fn rare(name: &'static str, encoding: &'static Encoding, seldom: f32) -> Candidate {
    Candidate { name, source: Source::Standard(encoding), seldom }
}

/// Those of a byte a character.
pub(super) static PAGES: [Candidate; 33] = [
    rare("windows-1252", WINDOWS_1252, 0.0),
    rare("windows-1251", WINDOWS_1251, 0.0),
    rare("windows-1250", WINDOWS_1250, 1.0),
    rare("windows-1253", WINDOWS_1253, 1.0),
    rare("windows-1254", WINDOWS_1254, 2.0),
    rare("windows-1255", WINDOWS_1255, 1.0),
    rare("windows-1256", WINDOWS_1256, 1.0),
    rare("windows-1257", WINDOWS_1257, 2.0),
    rare("windows-1258", WINDOWS_1258, 3.0),
    rare("cp874", WINDOWS_874, 1.0),
    rare("koi8-r", KOI8_R, 1.0),
    rare("koi8-u", KOI8_U, 2.0),
    rare("ibm866", IBM866, 3.0),
    rare("iso-8859-2", ISO_8859_2, 3.0),
    rare("iso-8859-3", ISO_8859_3, 7.0),
    rare("iso-8859-4", ISO_8859_4, 7.0),
    rare("iso-8859-5", ISO_8859_5, 4.0),
    rare("iso-8859-6", ISO_8859_6, 3.0),
    rare("iso-8859-7", ISO_8859_7, 2.0),
    rare("iso-8859-8", ISO_8859_8, 2.0),
    rare("iso-8859-10", ISO_8859_10, 7.0),
    rare("iso-8859-13", ISO_8859_13, 5.0),
    rare("iso-8859-14", ISO_8859_14, 8.0),
    rare("iso-8859-15", ISO_8859_15, 4.0),
    rare("iso-8859-16", ISO_8859_16, 6.0),
    rare("macintosh", MACINTOSH, 5.0),
    rare("mac-cyrillic", X_MAC_CYRILLIC, 5.0),
    Candidate { name: "iso-8859-1", source: Source::CodePoints, seldom: 6.0 },
    Candidate { name: "cp437", source: Source::Listed(pages::CP437), seldom: 8.0 },
    Candidate { name: "cp850", source: Source::Listed(pages::CP850), seldom: 8.0 },
    Candidate { name: "cp852", source: Source::Listed(pages::CP852), seldom: 8.0 },
    Candidate { name: "cp855", source: Source::Listed(pages::CP855), seldom: 8.0 },
    Candidate { name: "mac-latin2", source: Source::Listed(pages::MAC_LATIN2), seldom: 8.0 },
];

/// Those of several.
pub(super) static WIDE: [Candidate; 6] = [
    rare("utf-8", UTF_8, 0.0),
    rare("gb18030", GB18030, 1.0),
    rare("cp950", BIG5, 1.0),
    rare("cp932", SHIFT_JIS, 1.0),
    rare("euc-jp", EUC_JP, 2.0),
    rare("cp949", EUC_KR, 1.0),
];

impl Candidate {
    /// The encoding, if it is one of the Standard's.
    pub(super) fn standard(&self) -> Option<&'static Encoding> {
        match self.source {
            Source::Standard(encoding) => Some(encoding),
            _ => None,
        }
    }

    /// The characters that Python's codec has for the bytes from 80 on.
    fn chars(&self) -> [Option<char>; 128] {
        match self.source {
            Source::CodePoints => core::array::from_fn(|index| Some(char::from(index as u8 | 0x80))),
            Source::Listed(chars) => {
                let mut chars = chars.chars();
                core::array::from_fn(|_| chars.next())
            }
            Source::Standard(encoding) => {
                // Where Windows' pages have nothing, the Standard has a control; and one Hebrew point, which
                // Python lacks.
                let windows = self.name.starts_with("windows") || self.name == "cp874";
                core::array::from_fn(|index| {
                    let byte = index as u8 | 0x80;
                    let text =
                        encoding.decode_without_bom_handling_and_without_replacement(from_ref(&byte))?;
                    let lacking = |&character: &char| {
                        windows && (character == char::from(byte) && byte < 0xA0 || character == '\u{5BA}')
                    };
                    text.chars().next().filter(|character| !lacking(character))
                })
            }
        }
    }
}

/// How an encoding's text of the sample is judged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guess {
    pub candidate: Candidate,
    /// The bits that the text and the encoding cost.
    pub bits: f32,
}

/// What each byte is in each of the pages; first ASCII.
struct Tables {
    ascii: [Sign; 128],
    pages: Vec<[Sign; 128]>,
    /// And what character.
    chars: Vec<[char; 128]>,
    /// The pages, those first that are met most.
    by_use: Vec<usize>,
}

impl Tables {
    fn get() -> &'static Self {
        static TABLES: LazyLock<Tables> = LazyLock::new(Tables::make);
        &TABLES
    }

    fn make() -> Self {
        let sign = |character: char| Sign::of(character).0;
        let chars: Vec<[char; 128]> = PAGES
            .iter()
            .map(|page| page.chars().map(|known| known.unwrap_or(char::REPLACEMENT_CHARACTER)))
            .collect();
        let mut by_use: Vec<usize> = (0..PAGES.len()).collect();
        by_use.sort_by(|&one, &other| PAGES[one].seldom.total_cmp(&PAGES[other].seldom));
        Self {
            ascii: core::array::from_fn(|byte| sign(char::from(byte as u8))),
            pages: chars.iter().map(|page| page.map(sign)).collect(),
            chars,
            by_use,
        }
    }

    /// Of the pages that make the same text of the sample, the one that is met most.
    fn different(&self, sample: &[u8]) -> impl Iterator<Item = usize> {
        let mut seen = [false; 128];
        for byte in sample {
            if let Some(index) = byte.checked_sub(0x80) {
                seen[usize::from(index)] = true;
            }
        }
        let bytes: Vec<usize> = (0..128).filter(|&index| seen[index]).collect();
        let mut kept: Vec<usize> = vec![];
        for &page in &self.by_use {
            let same = |&other: &usize| bytes.iter().all(|&at| self.chars[page][at] == self.chars[other][at]);
            if !kept.iter().any(same) {
                kept.push(page);
            }
        }
        kept.into_iter()
    }

    /// The bytes that the encodings have different characters for; `None` if not all have one for each byte.
    fn doubtful(&self, contestants: &[Contestant]) -> Option<Doubtful> {
        let pages: Vec<_> = contestants
            .iter()
            .map(|contestant| match contestant.reader {
                Reader::Page(page) => Some(&self.chars[page]),
                Reader::Wide(_) => None,
            })
            .collect::<Option<_>>()?;
        let (first, others) = pages.split_first()?;
        Some(core::array::from_fn(|byte| {
            byte.checked_sub(0x80).is_some_and(|index| others.iter().any(|page| page[index] != first[index]))
        }))
    }
}

/// Bytes that are not ASCII, and those after them that what they are can change: the first may be the second
/// byte of a character, the next has that for its neighbour.
struct Run<'a> {
    bytes: &'a [u8],
    before: Before,
    /// Whether the one before is not just before it.
    apart: bool,
}

/// A part of the sample: its runs, and what all the rest costs in any encoding.
struct Part<'a> {
    bytes: &'a [u8],
    plain: Score,
    runs: Vec<Run<'a>>,
}

/// The bytes that not all encodings left have the same character for.
type Doubtful = [bool; 256];

/// So much of the ASCII before a doubtful byte tells in what it stands.
const CONTEXT: usize = 16;

impl<'a> Part<'a> {
    /// All of some bytes, or only what stands around doubtful ones.
    fn of(bytes: &'a [u8], doubtful: Option<&Doubtful>, tables: &Tables) -> Self {
        let (mut plain, mut runs, mut rest) = (Score::new(), vec![], bytes);
        let before = |byte: Option<&u8>| match byte {
            Some(&byte) if byte.is_ascii() => Before::only(tables.ascii[usize::from(byte)]),
            _ => Before::START,
        };
        while !rest.is_empty() {
            let (gap, after) = rest.split_at(ascii_length(rest));
            let end = after.iter().position(u8::is_ascii).map_or(after.len(), |at| {
                at + after[at..].iter().take(2).take_while(|byte| byte.is_ascii()).count()
            });
            let (run, after) = after.split_at(end);
            rest = after;
            if doubtful.is_none_or(|doubtful| run.iter().any(|&byte| doubtful[usize::from(byte)])) {
                let skipped = if doubtful.is_some() { gap.len().saturating_sub(CONTEXT) } else { 0 };
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

    /// What the part costs in a page, added to what is before it.
    fn add_page(&self, score: &mut Score, page: &[Sign; 128], tables: &Tables) {
        for run in &self.runs {
            score.resume(run.before);
            for &byte in run.bytes {
                let sign = match byte.checked_sub(0x80) {
                    Some(index) => page[usize::from(index)],
                    None => tables.ascii[usize::from(byte)],
                };
                score.add(sign);
            }
        }
        score.add_part(&self.plain);
    }
}

/// So many bytes of the sample that are not ASCII are read in every encoding, then twice as many in those
/// that are not hopeless, and so on. Hopeless are those that are so many bits behind.
const ROUND: usize = 4;
const HOPELESS: f32 = 40.0;

/// What the encodings make of a sample.
pub(super) struct Contest {
    /// The encodings that may be meant, the likeliest first: at least one. Of those that give the same text
    /// only the one that is met most is told.
    pub guesses: Vec<Guess>,
    /// How many bytes were read in full, and what they cost in the likeliest.
    pub read: usize,
    pub cost: f32,
}

impl Contest {
    /// Tries all encodings.
    pub(super) fn of(sample: &[u8]) -> Self {
        let tables = Tables::get();
        let pages = tables.different(sample).map(|page| (PAGES[page], Reader::Page(page)));
        let wide = WIDE.iter().filter_map(|&candidate| {
            let decoder = candidate.standard()?.new_decoder_without_bom_handling();
            Some((candidate, Reader::Wide(decoder)))
        });
        let mut left: Vec<Contestant> = pages
            .chain(wide)
            .map(|(candidate, reader)| Contestant {
                candidate,
                reader,
                score: Score::new(),
                bits: candidate.seldom,
            })
            .collect();
        let (mut rest, mut length, mut doubtful) = (sample, ROUND, None);
        let (mut read, mut cost) = (0, 0.0);
        while !rest.is_empty() && left.len() > 1 {
            let part;
            (part, rest) = rest.split_at(round(rest, length));
            length *= 2;
            let part = Part::of(part, doubtful.as_ref(), tables);
            for contestant in &mut left {
                contestant.read(&part, tables);
            }
            let best = left.iter().map(|contestant| contestant.bits).fold(f32::INFINITY, f32::min);
            left.retain(|contestant| contestant.bits < best + HOPELESS);
            if doubtful.is_none() {
                (read, cost) = (read + part.bytes.len(), best);
                doubtful = tables.doubtful(&left);
            }
        }
        let mut guesses: Vec<Guess> =
            left.iter().map(|one| Guess { candidate: one.candidate, bits: one.bits }).collect();
        guesses.sort_by(|one, other| one.bits.total_cmp(&other.bits));
        Self { guesses, read, cost }
    }
}

/// Where a round ends: soon after so many bytes that are not ASCII, if possible behind one that is.
fn round(sample: &[u8], length: usize) -> usize {
    let mut telling = 0;
    sample
        .iter()
        .position(|byte| {
            telling += usize::from(!byte.is_ascii());
            telling > length && byte.is_ascii() || telling > 2 * length
        })
        .map_or(sample.len(), |at| at + 1)
}

struct Contestant {
    candidate: Candidate,
    reader: Reader,
    score: Score,
    /// What the encoding and its text cost so far.
    bits: f32,
}

enum Reader {
    /// A page, by its number.
    Page(usize),
    Wide(encoding_rs::Decoder),
}

impl Contestant {
    fn read(&mut self, part: &Part<'_>, tables: &Tables) {
        match &mut self.reader {
            Reader::Page(page) => part.add_page(&mut self.score, &tables.pages[*page], tables),
            Reader::Wide(decoder) => {
                for run in &part.runs {
                    if run.apart {
                        self.score.resume(run.before);
                    }
                    let (mut units, mut rest) = ([0; 64], run.bytes);
                    loop {
                        let (result, read, written, _) = decoder.decode_to_utf16(rest, &mut units, false);
                        for character in char::decode_utf16(units[..written].iter().copied()) {
                            self.score.add_char(character.unwrap_or(char::REPLACEMENT_CHARACTER));
                        }
                        rest = &rest[read..];
                        if result == CoderResult::InputEmpty {
                            break;
                        }
                    }
                }
                self.score.add_part(&part.plain);
            }
        }
        self.bits = self.score.bits() + self.candidate.seldom;
    }
}

/// The candidate of a name.
pub(super) fn candidate(name: &str) -> Option<&'static Candidate> {
    PAGES.iter().chain(&WIDE).find(|candidate| candidate.name == name)
}

/// Every name that is ever told, but those of Unicode.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let others = ["big5hkscs", "euc_jis_2004"];
    PAGES.iter().chain(&WIDE).map(|candidate| candidate.name).chain(others)
}

/// Whether data in steps are right in an encoding, as Python's codec has it.
pub(super) enum Reading {
    /// The bytes that mean nothing.
    Page(Vec<u8>),
    Wide {
        decoder: Box<encoding_rs::Decoder>,
        out: Box<[u16; 4096]>,
    },
}

impl Candidate {
    pub(super) fn reading(&self) -> Reading {
        match self.standard() {
            Some(encoding) if !encoding.is_single_byte() => Reading::wide(encoding),
            _ => {
                let missing = (0x80..=0xFF).zip(self.chars()).filter(|(_, known)| known.is_none());
                Reading::Page(missing.map(|(byte, _)| byte).collect())
            }
        }
    }

    /// Whether the data have a byte of which the Standard makes a euro, and Python nothing.
    pub(super) fn is_browsers(&self, data: &[u8]) -> bool {
        self.standard() == Some(GB18030)
            && memchr::memchr(0x80, data).is_some()
            && leads(data).any(|(lead, _)| lead == 0x80)
    }

    /// The name of the codec of the family that has the characters of the data, and whether that has all of
    /// them: Python lacks some of Hong Kong's, and some that NEC and IBM added to Japan's.
    pub(super) fn name_for(&self, data: &[u8]) -> (&'static str, bool) {
        if self.standard() == Some(BIG5) && is_hong_kongs(data) {
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

/// Whether some Big5 has characters where only Hong Kong's has any, or kana and Cyrillic where that has them:
/// in C6E7 to C8FE, two dozen places behind those of the older layout.
fn is_hong_kongs(data: &[u8]) -> bool {
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

/// The first and second bytes of the characters of two bytes.
fn leads(mut data: &[u8]) -> impl Iterator<Item = (u8, u8)> {
    core::iter::from_fn(move || {
        let at = data.iter().position(|byte| !byte.is_ascii())?;
        let pair = (data[at], data.get(at + 1).copied().unwrap_or_default());
        data = data.get(at + 2..).unwrap_or_default();
        Some(pair)
    })
}

impl Reading {
    /// Of an encoding of several bytes a character.
    pub(super) fn wide(encoding: &'static Encoding) -> Self {
        Self::Wide {
            decoder: Box::new(encoding.new_decoder_without_bom_handling()),
            out: Box::new([0; 4096]),
        }
    }

    /// Whether all is well with what follows.
    pub(super) fn goes_on(&mut self, step: &[u8]) -> bool {
        match self {
            Self::Page(missing) => match missing[..] {
                [] => true,
                [only] => memchr::memchr(only, step).is_none(),
                _ => {
                    let mut seen = [false; 256];
                    for &byte in step {
                        seen[usize::from(byte)] = true;
                    }
                    !missing.iter().any(|&byte| seen[usize::from(byte)])
                }
            },
            Self::Wide { decoder, out } => {
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

    /// Whether nothing is left unfinished.
    pub(super) fn is_finished(&mut self) -> bool {
        match self {
            Self::Page(_) => true,
            Self::Wide { decoder, out, .. } => {
                let (result, ..) = decoder.decode_to_utf16_without_replacement(b"", &mut out[..], true);
                result == DecoderResult::InputEmpty
            }
        }
    }
}
