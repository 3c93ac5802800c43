//! Detection: whether data is text, in which encoding, or another format.
//!
//! The checks are in the order of their certainty: a byte order mark, the signature of a binary format, UTF-16 and
//! UTF-32 by their structure, UTF-8 and ASCII by their validity, ISO-2022-JP by its escape sequences, and finally the
//! most likely legacy encoding.

mod escapes;
mod legacy;
mod magic;
mod sample;
mod wide;

use crate::ErrorKind;
use crate::encodings::bom;
use crate::encodings::scheme::Scheme;
use crate::error_iter::ErrorIter;
use crate::sequence::boundary::CHUNK_BYTES;
use crate::simd::dispatch::Implementation;
use escapes::Escapes;
use legacy::{Candidate, Check, Contest};

/// The outcome of [`detect`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Detection {
    /// The name of the encoding in Python, if the data is text.
    pub encoding: Option<&'static str>,
    /// Whether the data begins with a byte order mark.
    pub bom: bool,
    /// Whether the data is UTF-8.
    pub valid_utf8: bool,
    /// Whether the data is well-formed in its encoding up to an incomplete character at the end.
    pub truncated: bool,
    /// The confidence in percent.
    pub percent: u8,
    /// `text`, `empty`, `binary`, or the name of a format.
    pub kind: &'static str,
}

/// The kinds without a signature.
const TEXT: &str = "text";
const EMPTY: &str = "empty";
const BINARY: &str = "binary";

/// Detects whether data is text, and its encoding.
///
/// ```
/// use leadbyte::detect;
///
/// assert_eq!(detect("Hello мир".as_bytes()).encoding, Some("utf-8"));
/// assert_eq!(detect(b"\xCF\xF0\xE8\xE2\xE5\xF2, \xEC\xE8\xF0").encoding, Some("windows-1251"));
/// assert_eq!(detect(b"\x1F\x8B\x08\0\0\0\0\0").kind, "gzip");
/// ```
pub fn detect(data: &[u8]) -> Detection {
    match detect_with(data, || Ok::<_, core::convert::Infallible>(())) {
        Ok(detection) => detection,
        Err(never) => match never {},
    }
}

/// Detects as [`detect`] does. Calls `poll` about every mebibyte, and stops if that returns an error.
pub(crate) fn detect_with<E>(data: &[u8], mut poll: impl FnMut() -> Result<(), E>) -> Result<Detection, E> {
    let utf8 = Utf8::of(data, &mut poll)?;
    let answer = |kind, encoding, percent| Detection {
        encoding,
        bom: false,
        valid_utf8: utf8 == Utf8::Valid,
        truncated: false,
        percent,
        kind,
    };
    if data.is_empty() {
        return Ok(answer(EMPTY, Some("utf-8"), SURE));
    }
    if let Some((name, bom)) = bom_of(data) {
        let rest = &data[bom.len()..];
        let ending = match Scheme::WIDE.into_iter().find(|scheme| bom == scheme.bom()) {
            Some(scheme) => wide_ending(scheme, rest, &mut poll)?,
            None if name == GB18030 => {
                legacy::candidate(GB18030).map_or(Ok(Ending::Malformed), |it| it.ending(rest, &mut poll))?
            }
            None => utf8.ending(),
        };
        return Ok(Detection { bom: true, ..answer(TEXT, Some(name), SURE) }.ending(ending));
    }
    if let Some(kind) = magic::kind_of(data) {
        return Ok(answer(kind, None, ALMOST));
    }
    let head = &data[..data.len().min(HEAD_BYTES)];
    let controls = head.iter().filter(|&&byte| is_control(byte)).count();
    if controls > 0
        && let Some((scheme, _)) = wide::guess(data)
    {
        let ending = wide_ending(scheme, data, &mut poll)?;
        return Ok(answer(TEXT, scheme.name(), ALMOST).ending(ending));
    }
    match utf8 {
        _ if controls * BYTES_PER_CONTROL > head.len() => return Ok(answer(BINARY, None, LIKELY)),
        Utf8::Valid if crate::is_ascii(data) => {
            let Some(escapes) = Escapes::of(data) else { return Ok(answer(TEXT, Some("ascii"), SURE)) };
            let ending = escapes.ending(data, &mut poll)?;
            return Ok(answer(TEXT, Some(escapes.name()), ALMOST).ending(ending));
        }
        Utf8::Valid => return Ok(answer(TEXT, Some("utf-8"), SURE)),
        // A lead byte alone could be a letter at the end of a legacy text, too.
        Utf8::Truncated(length) if length == 1 && crate::is_ascii(&data[..data.len() - 1]) => {
            return Ok(answer(TEXT, Some("utf-8"), EVEN).ending(Ending::Truncated));
        }
        Utf8::Truncated(_) => return Ok(answer(TEXT, Some("utf-8"), ALMOST).ending(Ending::Truncated)),
        Utf8::Invalid => {}
    }
    let sample = sample::of(data);
    let Contest { guesses, read, cost } = Contest::of(&sample);
    let Some(best) = guesses.first() else { return Ok(answer(BINARY, None, EVEN)) };
    let read = read as f32;
    if cost > POOR * read
        && let Some((scheme, bits)) = wide::guess(data)
        && bits * read < cost
    {
        let ending = wide_ending(scheme, data, &mut poll)?;
        return Ok(answer(TEXT, scheme.name(), LIKELY).ending(ending));
    }
    if cost > if controls > 0 { NOISE } else { CLEAN_NOISE } * read + SLACK {
        return Ok(answer(BINARY, None, LIKELY));
    }
    let ahead = guesses.get(1).map_or(f32::INFINITY, |other| other.bits - best.bits);
    let percent = (100.0 * (1.0 - (-ahead / DOUBT).exp2())) as u8;
    let percent = percent.clamp(1, if cost > POOR * read { EVEN } else { ALMOST });
    for guess in guesses.iter().take_while(|guess| guess.bits < best.bits + CLOSE) {
        let ending = guess.candidate.ending(data, &mut poll)?;
        if ending != Ending::Malformed {
            let (name, known) = guess.candidate.name_for(data);
            let percent = if known { percent } else { percent.min(EVEN) };
            return Ok(answer(TEXT, Some(name), percent).ending(ending));
        }
    }
    Ok(answer(TEXT, Some(best.candidate.name), percent).ending(Ending::Malformed))
}

/// Confidences in percent.
const SURE: u8 = 100;
const ALMOST: u8 = 99;
const LIKELY: u8 = 90;
const EVEN: u8 = 50;

/// The number of bytes in which controls are counted; and the number of bytes among which text has at most one.
const HEAD_BYTES: usize = 4 << 10;
const BYTES_PER_CONTROL: usize = 20;

/// Costs in bits per byte: of text that fits no language; of noise; of noise without controls, which is rare. [`SLACK`]
/// is added in bits.
const POOR: f32 = 6.5;
const NOISE: f32 = 7.5;
const CLEAN_NOISE: f32 = 11.0;
const SLACK: f32 = 24.0;

/// The lead in bits that halves the doubt; and the number of bits behind the best up to which an encoding is taken if
/// the data is malformed in the best.
const DOUBT: f32 = 6.0;
const CLOSE: f32 = 12.0;

const GB18030: &str = "gb18030";

/// Returns whether a byte is a control that text does not have. Text has those that move the cursor or change colours.
pub(crate) fn is_control(byte: u8) -> bool {
    (byte < 0x20 && !matches!(byte, b'\t'..=b'\r' | 0x1A | 0x1B)) || byte == 0x7F
}

/// Returns the byte order mark at the start of `data` and the name of the encoding that it implies.
fn bom_of(data: &[u8]) -> Option<(&'static str, &'static [u8])> {
    for (name, bom) in [("utf-8-sig", &bom::BOM[..]), (GB18030, bom::GB18030)] {
        if data.starts_with(bom) {
            return Some((name, bom));
        }
    }
    let head = &data[..data.len().min(HEAD_BYTES)];
    let scheme = Scheme::WIDE.into_iter().find(|&scheme| {
        // The mark of UTF-32-LE can also be that of UTF-16-LE and U+0000.
        let is_utf16 = scheme.unit_bytes() == 2;
        head.starts_with(scheme.bom())
            && (is_utf16 || wide::is_well_formed(scheme, wide::complete(scheme, head)))
    })?;
    Some((if scheme.unit_bytes() == 2 { "utf-16" } else { "utf-32" }, scheme.bom()))
}

/// The validity of data as UTF-8.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Utf8 {
    Valid,
    /// Valid except for this number of bytes at the end, which start a character.
    Truncated(usize),
    Invalid,
}

impl Utf8 {
    fn of<E>(data: &[u8], poll: impl FnMut() -> Result<(), E>) -> Result<Self, E> {
        let error = ErrorIter::new(Implementation::active(), data).next_error_with(poll)?;
        Ok(match error {
            None => Self::Valid,
            Some(error) if error.kind() == ErrorKind::Truncated => Self::Truncated(error.bytes().len()),
            Some(_) => Self::Invalid,
        })
    }

    fn ending(self) -> Ending {
        match self {
            Self::Valid => Ending::Complete,
            Self::Truncated(_) => Ending::Truncated,
            Self::Invalid => Ending::Malformed,
        }
    }
}

/// How far data is well-formed in an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Complete,
    /// Up to an incomplete character at the end.
    Truncated,
    Malformed,
}

impl Detection {
    /// Returns the names of all encodings that are reported.
    pub fn encodings() -> impl Iterator<Item = &'static str> {
        let others = ["ascii", "utf-8-sig", "utf-16", "utf-32"];
        let wide = Scheme::WIDE.into_iter().filter_map(Scheme::name);
        others.into_iter().chain(wide).chain(Escapes::NAMES).chain(legacy::names())
    }

    /// Returns all kinds that are reported. A format with several signatures occurs several times.
    pub fn kinds() -> impl Iterator<Item = &'static str> {
        [TEXT, EMPTY, BINARY].into_iter().chain(magic::kinds())
    }

    /// Returns the confidence from 0 to 1.
    pub fn confidence(&self) -> f64 {
        f64::from(self.percent) / 100.0
    }

    fn ending(self, ending: Ending) -> Self {
        let percent = if ending == Ending::Malformed { self.percent.min(EVEN) } else { self.percent };
        Self { truncated: ending == Ending::Truncated, percent, ..self }
    }
}

/// Returns how far data is well-formed in UTF-16 or UTF-32.
fn wide_ending<E>(
    scheme: Scheme,
    data: &[u8],
    poll: &mut impl FnMut() -> Result<(), E>,
) -> Result<Ending, E> {
    let complete = wide::complete(scheme, data);
    for step in scheme.chunks(complete, CHUNK_BYTES) {
        if !wide::is_well_formed(scheme, step) {
            return Ok(Ending::Malformed);
        }
        poll()?;
    }
    Ok(if complete.len() == data.len() { Ending::Complete } else { Ending::Truncated })
}

impl Candidate {
    /// Returns how far Python's codec decodes the data.
    fn ending<E>(&self, data: &[u8], poll: &mut impl FnMut() -> Result<(), E>) -> Result<Ending, E> {
        if self.is_whatwg_only(data) {
            return Ok(Ending::Malformed);
        }
        self.check().ending(data, poll)
    }
}

impl Escapes {
    /// Returns how far Python's codec decodes the data.
    fn ending<E>(self, data: &[u8], poll: &mut impl FnMut() -> Result<(), E>) -> Result<Ending, E> {
        if self.is_whatwg_only() {
            Ok(Ending::Malformed)
        } else {
            Check::multi_byte(encoding_rs::ISO_2022_JP).ending(data, poll)
        }
    }
}

impl Check {
    fn ending<E>(mut self, data: &[u8], poll: &mut impl FnMut() -> Result<(), E>) -> Result<Ending, E> {
        for step in data.chunks(CHUNK_BYTES) {
            if !self.update(step) {
                return Ok(Ending::Malformed);
            }
            poll()?;
        }
        Ok(if self.is_finished() { Ending::Complete } else { Ending::Truncated })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUSSIAN: &str = "Съешь ещё этих мягких французских булок, да выпей чаю";

    #[test]
    fn every_single_byte_encoding_is_distinguished() {
        for (text, name) in [
            (RUSSIAN, "windows-1251"),
            (RUSSIAN, "koi8-r"),
            (RUSSIAN, "ibm866"),
            (RUSSIAN, "iso-8859-5"),
            (RUSSIAN, "mac-cyrillic"),
            ("Příliš žluťoučký kůň úpěl ďábelské ódy", "windows-1250"),
            ("Příliš žluťoučký kůň úpěl ďábelské ódy", "iso-8859-2"),
            ("Ξεσκεπάζω την ψυχοφθόρα βδελυγμία", "windows-1253"),
            ("Voix ambiguë d’un cœur qui, au zéphyr, préfère les jattes", "windows-1252"),
            ("Voix ambiguë d'un cœur qui, au zéphyr, préfère les jattes", "iso-8859-15"),
            ("Voix ambiguë d’un cœur qui, au zéphyr, préfère les jattes", "macintosh"),
            ("Pijamalı hasta yağız şoföre çabucak güvendi", "windows-1254"),
            ("Ąžuolas žydi, šiaurės vėjas pučia į būrę", "windows-1257"),
            ("日本の首都は東京です。", "cp932"),
            ("日本の首都は東京です。", "euc-jp"),
            ("臺灣是一個島嶼國家", "cp950"),
            ("中华人民共和国的首都是北京", GB18030),
            ("대한민국의 수도는 서울이다", "cp949"),
        ] {
            let candidate = legacy::candidate(name).unwrap();
            let (data, _, unmappable) = candidate.standard().unwrap().encode(text);
            assert!(!unmappable, "{text} {name}");
            let found = detect(&data);
            assert_eq!((found.encoding, found.truncated), (Some(name), false), "{text}");
            assert!(Detection::encodings().any(|known| known == name));
        }
    }

    #[test]
    fn what_python_lacks_is_reported_with_half_the_confidence() {
        let mut data = encoding_rs::WINDOWS_1251.encode(RUSSIAN).0.into_owned();
        assert!(detect(&data).percent > EVEN);
        data.push(0x98);
        let found = detect(&data);
        assert_eq!((found.encoding, found.percent), (Some("windows-1251"), EVEN));
    }

    #[test]
    fn incomplete_ends_are_reported() {
        let (japanese, _, _) = encoding_rs::SHIFT_JIS.encode("日本の首都は東京です。");
        let found = detect(&japanese[..japanese.len() - 1]);
        assert_eq!((found.encoding, found.truncated), (Some("cp932"), true));
        let found = detect(&RUSSIAN.as_bytes()[..RUSSIAN.len() - 1]);
        assert_eq!((found.encoding, found.truncated, found.valid_utf8), (Some("utf-8"), true, false));
    }

    #[test]
    fn work_stops_when_poll_fails() {
        let data = RUSSIAN.as_bytes().repeat(1 << 15);
        assert_eq!(detect_with(&data, || Err("stop")), Err("stop"));
    }
}
