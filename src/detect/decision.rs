//! The decision: the readings of data, the most likely first.

use memchr::memchr;

use super::confidence::{ALMOST, EVEN, Evidence, LIKELY, SURE, shares};
use super::contest::{Contest, Guess, sort_by_bits};
use super::declared::{DeclaredEncoding, declared, is_binding};
use super::escapes::Escapes;
use super::legacy::{self, Candidate};
use super::validity::{Ending, Utf8Validity, wide_ending};
use super::{BINARY, Detection, EMPTY, Encodings, TEXT, magic, sample, wide};
use crate::encodings::bom;
use crate::encodings::scheme::Scheme;
use crate::kernels::order::Order;
use crate::progress::{Poll, Stopped};
use crate::validate::is_ascii;

/// The options of a detection.
#[derive(Clone, Copy)]
pub struct Query<'a> {
    /// The encodings to choose from.
    pub encodings: &'a Encodings,
    /// Whether all readings are wanted, and not only the first.
    pub all: bool,
    /// Whether the text ends where the data does.
    pub end: TextEnd,
}

/// Whether a text ends where the data does, which decides about an incomplete character there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TextEnd {
    /// It may: the character is reported as truncated, unless the text is short and has no other one beyond ASCII.
    Unknown,
    /// More follows: the character is not an error.
    More,
    /// It does: bytes that would cut the only character of UTF-8 are characters of another encoding.
    Complete,
}

impl<'a> Query<'a> {
    /// Returns the query for one of these encodings.
    pub fn of(encodings: &'a Encodings) -> Self {
        Self { encodings, all: false, end: TextEnd::Unknown }
    }

    /// Returns whether some bytes at the end of data would cut its only character beyond ASCII where a text hardly is,
    /// so that they are rather characters of another encoding.
    fn is_cut(&self, data: &[u8], length: usize) -> bool {
        let ends = match self.end {
            TextEnd::Unknown => length == 1 && data.len() < MIN_START_BYTES,
            TextEnd::More => false,
            TextEnd::Complete => true,
        };
        ends && is_ascii(&data[..data.len() - length])
    }
}

/// The readings of data by their likelihood. Their language is not determined yet.
pub struct Ranking {
    pub first: Detection,
    pub others: Vec<Detection>,
}

impl Ranking {
    pub fn into_iter(self) -> impl Iterator<Item = Detection> {
        [self.first].into_iter().chain(self.others)
    }
}

impl From<Detection> for Ranking {
    fn from(first: Detection) -> Self {
        Self { first, others: vec![] }
    }
}

/// Ranks the readings of data.
pub(super) fn rank(data: &[u8], query: Query<'_>) -> Ranking {
    rank_with(data, query, &mut || Ok(())).expect("only the caller stops it")
}

/// Ranks the readings of data. Calls `poll` about every mebibyte, and stops if that returns an error.
pub fn rank_with(data: &[u8], query: Query<'_>, poll: Poll<'_>) -> Result<Ranking, Stopped> {
    let (utf8, cut) = match Utf8Validity::of(data, poll)? {
        Utf8Validity::Truncated(length) if query.is_cut(data, length) => (Utf8Validity::Invalid, length),
        Utf8Validity::Truncated(_) if query.end == TextEnd::More => (Utf8Validity::Valid, 0),
        utf8 => (utf8, 0),
    };
    let decision = Decision { data, query, utf8, cut, declared: declared(data) };
    match decision.certain(poll)? {
        Some(found) => Ok(found.into()),
        None => decision.likely(poll),
    }
}

/// The fewest bytes that are taken for the start of a longer text if only a lead byte at the end is not ASCII. What
/// reads a part of a text reads more; a whole text, such as a name, ends with é or à.
const MIN_START_BYTES: usize = 256;
/// The number of bytes in which a NUL is searched, as the command does.
const NUL_BYTES: usize = 8 << 10;
/// The number of bytes in which controls are counted; and the number of bytes among which text has at most one.
const HEAD_BYTES: usize = 4 << 10;
const BYTES_PER_CONTROL: usize = 20;

/// Costs in bits per byte of noise; and of noise without controls, which is rare. [`SLACK`] is added in bits.
const NOISE: f32 = 7.5;
const CLEAN_NOISE: f32 = 11.0;
const SLACK: f32 = 24.0;

/// The number of bits that data costs more in an encoding in which it is malformed, or ends inside a character.
const MALFORMED_BITS: f32 = 12.0;
const TRUNCATED_BITS: f32 = 8.0;
const CUT_BITS: f32 = 24.0;
/// The cost in bits of an encoding that is declared, if the data is well-formed in it: no matter how rare it is, few
/// declare it that use another one.
const DECLARED_BITS: f32 = -16.0;

const GB18030: &str = "gb18030";

struct Decision<'a> {
    data: &'a [u8],
    query: Query<'a>,
    utf8: Utf8Validity,
    /// The number of bytes of the only character of UTF-8 in a text, if it would be cut where it hardly is, which makes
    /// it invalid; else 0.
    cut: usize,
    declared: Option<DeclaredEncoding>,
}

impl Decision<'_> {
    /// Returns the reading of data that is text in an encoding, or of this kind without one.
    fn answer(&self, kind: &'static str, encoding: Option<&'static str>, percent: u8) -> Detection {
        Detection {
            encoding,
            language: None,
            declared: self.declared,
            bom: false,
            valid_utf8: self.utf8 == Utf8Validity::Valid,
            truncated: false,
            percent,
            kind,
        }
    }

    /// Returns the reading of text that is well-formed so far.
    fn text(&self, encoding: &'static str, percent: u8, ending: Ending) -> Detection {
        let percent = if ending == Ending::Malformed { percent.min(EVEN) } else { percent };
        let truncated = ending == Ending::Truncated && self.query.end != TextEnd::More;
        Detection { truncated, ..self.answer(TEXT, Some(encoding), percent) }
    }

    /// Returns the reading of data of which no other is likely.
    fn certain(&self, poll: Poll<'_>) -> Result<Option<Detection>, Stopped> {
        let (data, among) = (self.data, self.query.encodings);
        if data.is_empty() {
            let encoding = among.pick(["utf-8"]).or_else(|| among.names()?.first().copied());
            return Ok(Some(self.answer(EMPTY, encoding, SURE)));
        }
        if let Some((bom, names, scheme)) = bom_of(data)
            && let Some(name) = among.pick(names)
        {
            let rest = &data[bom.len()..];
            let ending = match scheme {
                Some(Scheme::Utf8) => self.utf8.ending(),
                Some(scheme) => wide_ending(scheme, rest, poll)?,
                None => legacy::candidate(name).map_or(Ok(Ending::Malformed), |it| it.ending(rest, poll))?,
            };
            return Ok(Some(Detection { bom: true, ..self.text(name, SURE, ending) }));
        }
        if let Some(kind) = magic::kind_of(data) {
            return Ok(Some(self.answer(kind, None, ALMOST)));
        }
        if is_ascii(data)
            && let Some(escapes) = Escapes::of(data)
            && let Some(name) = among.pick([escapes.name()])
        {
            return Ok(Some(self.text(name, ALMOST, escapes.ending(data, poll)?)));
        }
        if legacy::is_possible_ebcdic(self.head()) {
            let found = self.likely(poll)?.first;
            if found.encoding.is_some_and(legacy::is_ebcdic) {
                return Ok(Some(found));
            }
        }
        let controls = self.controls();
        if controls > 0
            && let Some((scheme, _)) = wide::guess(data)
            && let Some(name) = among.pick(names_of(scheme))
        {
            return Ok(Some(self.text(name, ALMOST, wide_ending(scheme, data, poll)?)));
        }
        let has_many = controls * BYTES_PER_CONTROL > self.head().len();
        let is_binary = match self.utf8 {
            // All bytes beyond ASCII are hardly UTF-8 by chance.
            Utf8Validity::Valid if !is_ascii(data) => has_many && self.has_nul(),
            Utf8Validity::Invalid => has_many || self.has_nul(),
            _ => has_many,
        };
        if is_binary {
            return Ok(Some(self.answer(self.kind_in_any(poll)?, None, LIKELY)));
        }
        let utf8 = among.pick(UTF8_NAMES);
        match self.utf8 {
            Utf8Validity::Valid if is_ascii(data) => Ok(self.ascii()),
            Utf8Validity::Valid => Ok(utf8.map(|name| self.answer(TEXT, Some(name), SURE))),
            // A lead byte alone could be a letter at the end of a legacy text, too.
            Utf8Validity::Truncated(1) if is_ascii(&data[..data.len() - 1]) => Ok(utf8
                .filter(|_| self.declared_candidate().is_none_or(|declared| declared.name == "utf-8"))
                .map(|name| self.text(name, EVEN, Ending::Truncated))),
            Utf8Validity::Truncated(_) => Ok(utf8.map(|name| self.text(name, ALMOST, Ending::Truncated))),
            Utf8Validity::Invalid => self.bound(poll),
        }
    }

    /// Returns the reading in the encoding that the format of the data binds it to, if it is well-formed in that. What
    /// declares EBCDIC in ASCII was converted since.
    fn bound(&self, poll: Poll<'_>) -> Result<Option<Detection>, Stopped> {
        let is_possible = |candidate: &&Candidate| {
            is_binding(self.data) && !legacy::is_ebcdic(candidate.name) && self.is_among(candidate)
        };
        let Some(candidate) = self.declared_candidate().filter(is_possible) else { return Ok(None) };
        let ending = candidate.ending(self.data, poll)?;
        Ok((ending != Ending::Malformed).then(|| self.reading(candidate, ALMOST, ending)))
    }

    /// Returns whether an encoding is among those to choose from.
    fn is_among(&self, candidate: &Candidate) -> bool {
        candidate.names().any(|name| self.query.encodings.has(name))
    }

    /// Returns the reading of ASCII, which is the same in almost all encodings.
    fn ascii(&self) -> Option<Detection> {
        let among = self.query.encodings;
        let legacy = || legacy::names().filter(|name| !legacy::is_ebcdic(name));
        let others = || UTF8_NAMES.into_iter().chain(legacy()).chain(Escapes::NAMES);
        let name = among.pick(["ascii"]).or_else(|| among.pick(others()));
        name.map(|name| self.answer(TEXT, Some(name), SURE))
    }

    /// Ranks the legacy encodings.
    fn likely(&self, poll: Poll<'_>) -> Result<Ranking, Stopped> {
        let (data, among) = (self.data, self.query.encodings);
        let declared = self.declared_candidate();
        let own_bits = |candidate: &Candidate| match declared {
            Some(declared) if declared.name == candidate.name => DECLARED_BITS,
            _ => candidate.rarity,
        };
        let is_other = || declared.is_some_and(|it| it.name != "utf-8" && self.is_among(it));
        // Of valid or truncated UTF-8, it is decided already.
        let is_utf8 = match self.cut {
            0 => self.utf8 == Utf8Validity::Invalid,
            1 => among.names().is_some() && !is_other(),
            _ => !is_other(),
        };
        let Contest { guesses, read, cost, max_lead } = Contest::of(&sample::of(data), |candidate| {
            ((candidate.name != "utf-8" || is_utf8) && self.is_among(candidate)).then(|| own_bits(candidate))
        });
        let evidence = |lead: f32| Evidence { lead: lead.min(max_lead), read, cost };
        if guesses.is_empty() {
            return Ok(self.answer(self.kind_without_encoding(poll)?, None, EVEN).into());
        }
        if evidence(0.0).is_poor()
            && let Some((scheme, bits)) = wide::guess(data)
            && bits * (read as f32) < cost
            && let Some(name) = among.pick(names_of(scheme))
        {
            return Ok(self.text(name, LIKELY, wide_ending(scheme, data, poll)?).into());
        }
        let noise = if self.controls() > 0 { NOISE } else { CLEAN_NOISE };
        if cost > noise * read as f32 + SLACK {
            return Ok(self.answer(self.kind_without_encoding(poll)?, None, LIKELY).into());
        }
        let mut readings: Vec<LegacyReading<'_>> = vec![];
        for (index, guess) in guesses.iter().enumerate() {
            // The encodings that follow cost at least as much.
            if !self.query.all && readings.iter().any(|reading| reading.bits <= guess.bits) {
                break;
            }
            let ending = guess.candidate.ending(data, poll)?;
            let penalty = match ending {
                Ending::Truncated if self.query.is_cut(data, 1) => CUT_BITS,
                Ending::Malformed => MALFORMED_BITS + guess.candidate.rarity - own_bits(&guess.candidate),
                Ending::Truncated if self.query.end != TextEnd::More => TRUNCATED_BITS,
                _ => 0.0,
            };
            let next = guesses.get(index + 1).map_or(f32::INFINITY, |next| next.bits);
            readings.push(LegacyReading {
                guess,
                bits: guess.bits + penalty,
                lead: next - guess.bits,
                ending,
            });
        }
        sort_by_bits(&mut readings, |reading| reading.bits);
        let first = readings.remove(0);
        readings.retain(|reading| reading.ending != Ending::Malformed);
        let percent = evidence(first.lead).percent();
        let behind: Vec<f32> = readings.iter().map(|reading| reading.bits - first.bits).collect();
        let others = readings.iter().zip(shares(percent, &behind));
        let of = |reading: &LegacyReading<'_>, percent| {
            self.reading(&reading.guess.candidate, percent, reading.ending)
        };
        let others = others.map(|(reading, percent)| of(reading, percent)).collect();
        Ok(Ranking { first: of(&first, percent), others })
    }

    /// Returns the reading in a legacy encoding.
    fn reading(&self, candidate: &Candidate, percent: u8, ending: Ending) -> Detection {
        let (name, known) = candidate.name_for(self.data);
        let names = [name].into_iter().chain(candidate.names());
        let picked = self.query.encodings.pick(names).unwrap_or(name);
        let percent = if known && picked == name { percent } else { percent.min(EVEN) };
        self.text(picked, percent, ending)
    }

    /// Returns the kind of data that is in none of the encodings asked for.
    fn kind_without_encoding(&self, poll: Poll<'_>) -> Result<&'static str, Stopped> {
        if self.utf8 == Utf8Validity::Invalid { self.kind_in_any(poll) } else { Ok(TEXT) }
    }

    /// Returns the kind of data that is binary in the encodings asked for: it may be text in another one.
    fn kind_in_any(&self, poll: Poll<'_>) -> Result<&'static str, Stopped> {
        if self.query.encodings.names().is_none() {
            return Ok(BINARY);
        }
        let any = Query { encodings: &Encodings::ALL, all: false, end: self.query.end };
        Ok(rank_with(self.data, any, poll)?.first.kind)
    }

    fn declared_candidate(&self) -> Option<&'static Candidate> {
        self.declared?.candidate()
    }

    fn head(&self) -> &[u8] {
        &self.data[..self.data.len().min(HEAD_BYTES)]
    }

    /// Returns whether there is a NUL near the start: for git, too, such data is not text.
    fn has_nul(&self) -> bool {
        memchr(0, &self.data[..self.data.len().min(NUL_BYTES)]).is_some()
    }

    /// Returns the number of controls at the start.
    fn controls(&self) -> usize {
        self.head().iter().filter(|&&byte| magic::is_control(byte)).count()
    }
}

/// The data in a legacy encoding.
struct LegacyReading<'a> {
    guess: &'a Guess,
    /// The cost in bits, including the cost of errors.
    bits: f32,
    /// How many bits the next encoding costs more.
    lead: f32,
    ending: Ending,
}

/// The names for UTF-8 without a byte order mark.
const UTF8_NAMES: [&str; 2] = ["utf-8", "utf-8-sig"];

/// Returns the names for UTF-16 or UTF-32 without a byte order mark.
fn names_of(scheme: Scheme) -> impl Iterator<Item = &'static str> {
    let native = match scheme {
        Scheme::Utf16(order) if order == Order::NATIVE => Some("utf-16"),
        Scheme::Utf32(order) if order == Order::NATIVE => Some("utf-32"),
        _ => None,
    };
    scheme.name().into_iter().chain(native)
}

/// Returns the byte order mark at the start of `data`, the names of the encoding that it implies, and its scheme.
fn bom_of(data: &[u8]) -> Option<(&'static [u8], [&'static str; 2], Option<Scheme>)> {
    if data.starts_with(&bom::BOM) {
        return Some((&bom::BOM, ["utf-8-sig", "utf-8"], Some(Scheme::Utf8)));
    }
    if data.starts_with(bom::GB18030) {
        return Some((bom::GB18030, [GB18030; 2], None));
    }
    let head = &data[..data.len().min(HEAD_BYTES)];
    let scheme = Scheme::WIDE.into_iter().find(|&scheme| {
        // The byte order mark of UTF-32-LE can also be the mark of UTF-16-LE and U+0000.
        let is_utf16 = scheme.unit_bytes() == 2;
        head.starts_with(scheme.bom())
            && (is_utf16 || wide::is_well_formed(scheme, wide::complete(scheme, head)))
    })?;
    let name = if scheme.unit_bytes() == 2 { "utf-16" } else { "utf-32" };
    Some((scheme.bom(), [name, scheme.name().unwrap_or(name)], Some(scheme)))
}
