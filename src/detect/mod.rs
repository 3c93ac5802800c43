//! What bytes are: text, and in which encoding, or something else.
//!
//! The order of judgement is that of certainty: a byte order mark, the signature of a format that is no text,
//! UTF-16 and UTF-32 by their structure, UTF-8 and ASCII by being valid, ISO-2022-JP by its escapes, and at
//! last the likeliest of the legacy encodings.

mod escapes;
mod legacy;
mod magic;
mod pages;
mod sample;
mod unicode;

use crate::boundary::CHUNK_BYTES;
use crate::error_iter::ErrorIter;
use crate::{BOM, ErrorKind, Implementation};
use escapes::Escapes;
use legacy::{Candidate, Contest, Reading};
use unicode::Form;

/// What bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Detection {
    /// The encoding, by a name that Python knows, if they are text.
    pub encoding: Option<&'static str>,
    /// Whether they begin with a byte order mark.
    pub bom: bool,
    /// Whether they are UTF-8.
    pub valid_utf8: bool,
    /// Whether they are right in their encoding but for an unfinished character at the end.
    pub truncated: bool,
    /// How sure that is, in hundredths.
    pub percent: u8,
    /// `text`, `empty`, `binary`, or a format by its name.
    pub kind: &'static str,
}

/// The kinds that no signature tells.
const TEXT: &str = "text";
const EMPTY: &str = "empty";
const BINARY: &str = "binary";

/// What the data are.
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

/// As [`detect`]; calls `poll` about every mebibyte, and stops if that returns an error.
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
    if let Some((name, mark)) = mark_of(data) {
        let rest = &data[mark..];
        let ending = match Form::ALL.into_iter().find(|form| data[..mark] == *form.mark()) {
            Some(form) => form.ending(rest, &mut poll)?,
            None if name == GB18030 => {
                legacy::candidate(GB18030).map_or(Ok(Ending::Broken), |it| it.ending(rest, &mut poll))?
            }
            None => utf8.ending(),
        };
        return Ok(Detection { bom: true, ..answer(TEXT, Some(name), SURE) }.ending(ending));
    }
    if let Some(kind) = magic::kind_of(data) {
        return Ok(answer(kind, None, ALMOST));
    }
    let head = &data[..data.len().min(HEAD)];
    let controls = head.iter().filter(|&&byte| is_control(byte)).count();
    if controls > 0
        && let Some((form, _)) = unicode::guess(data)
    {
        let ending = form.ending(data, &mut poll)?;
        return Ok(answer(TEXT, Some(form.name()), ALMOST).ending(ending));
    }
    match utf8 {
        _ if controls * MANY > head.len() => return Ok(answer(BINARY, None, LIKELY)),
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
        Utf8::Broken => {}
    }
    let sample = sample::of(data);
    let Contest { guesses, read, cost } = Contest::of(&sample);
    let Some(best) = guesses.first() else { return Ok(answer(BINARY, None, EVEN)) };
    let read = read as f32;
    if cost > POOR * read
        && let Some((form, bits)) = unicode::guess(data)
        && bits * read < cost
    {
        let ending = form.ending(data, &mut poll)?;
        return Ok(answer(TEXT, Some(form.name()), LIKELY).ending(ending));
    }
    if cost > if controls > 0 { NOISE } else { CLEAN_NOISE } * read + SLACK {
        return Ok(answer(BINARY, None, LIKELY));
    }
    let ahead = guesses.get(1).map_or(f32::INFINITY, |other| other.bits - best.bits);
    let percent = (100.0 * (1.0 - (-ahead / DOUBT).exp2())) as u8;
    let percent = percent.clamp(1, if cost > POOR * read { EVEN } else { ALMOST });
    for guess in guesses.iter().take_while(|guess| guess.bits < best.bits + CLOSE) {
        let ending = guess.candidate.ending(data, &mut poll)?;
        if ending != Ending::Broken {
            let (name, known) = guess.candidate.name_for(data);
            let percent = if known { percent } else { percent.min(EVEN) };
            return Ok(answer(TEXT, Some(name), percent).ending(ending));
        }
    }
    Ok(answer(TEXT, Some(best.candidate.name), percent).ending(Ending::Broken))
}

/// How sure one can be, in hundredths.
const SURE: u8 = 100;
const ALMOST: u8 = 99;
const LIKELY: u8 = 90;
const EVEN: u8 = 50;

/// So much is looked through for controls; one in so many bytes is too many for a text.
const HEAD: usize = 4 << 10;
const MANY: usize = 20;

/// Bits a byte: of a text that fits no language, and of noise, but for a little; of noise that has no
/// controls there is hardly any.
const POOR: f32 = 6.5;
const NOISE: f32 = 7.5;
const CLEAN_NOISE: f32 = 11.0;
const SLACK: f32 = 24.0;

/// So many bits ahead halve the doubt; and so many behind may win where the likeliest is broken.
const DOUBT: f32 = 6.0;
const CLOSE: f32 = 12.0;

const GB18030: &str = "gb18030";

/// Whether a byte is a control that no text has. Those that move the cursor and change colours are in texts.
pub(crate) fn is_control(byte: u8) -> bool {
    (byte < 0x20 && !matches!(byte, b'\t'..=b'\r' | 0x1A | 0x1B)) || byte == 0x7F
}

/// The encoding that a byte order mark tells, and the mark's length.
fn mark_of(data: &[u8]) -> Option<(&'static str, usize)> {
    if data.starts_with(&BOM) {
        return Some(("utf-8-sig", BOM.len()));
    }
    if data.starts_with(b"\x84\x31\x95\x33") {
        return Some((GB18030, 4));
    }
    let form = Form::ALL.into_iter().find(|form| {
        // UTF-16 may go on with U+0000.
        data.starts_with(form.mark())
            && (form.width == 2 || form.is_valid(&data[..form.finished(&data[..data.len().min(HEAD)])]))
    })?;
    Some((if form.width == 2 { "utf-16" } else { "utf-32" }, form.mark().len()))
}

/// Whether the data are UTF-8.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Utf8 {
    Valid,
    /// But for so many bytes at the end.
    Truncated(usize),
    Broken,
}

impl Utf8 {
    fn of<E>(data: &[u8], poll: impl FnMut() -> Result<(), E>) -> Result<Self, E> {
        let error = ErrorIter::new(Implementation::active(), data).next_error_with(poll)?;
        Ok(match error {
            None => Self::Valid,
            Some(error) if error.kind() == ErrorKind::Truncated => Self::Truncated(error.bytes().len()),
            Some(_) => Self::Broken,
        })
    }

    fn ending(self) -> Ending {
        match self {
            Self::Valid => Ending::Whole,
            Self::Truncated(_) => Ending::Truncated,
            Self::Broken => Ending::Broken,
        }
    }
}

/// How far the data are right in an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Whole,
    /// Up to an unfinished character at the end.
    Truncated,
    /// Not everywhere.
    Broken,
}

impl Detection {
    /// Every encoding that is ever told.
    pub fn encodings() -> impl Iterator<Item = &'static str> {
        let others = ["ascii", "utf-8-sig", "utf-16", "utf-32"];
        let forms = Form::ALL.map(Form::name);
        others.into_iter().chain(forms).chain(Escapes::NAMES).chain(legacy::names())
    }

    /// Every kind that is ever told; formats may be told by several signatures.
    pub fn kinds() -> impl Iterator<Item = &'static str> {
        [TEXT, EMPTY, BINARY].into_iter().chain(magic::kinds())
    }

    /// How sure that is, from 0 to 1.
    pub fn confidence(&self) -> f64 {
        f64::from(self.percent) / 100.0
    }

    fn ending(self, ending: Ending) -> Self {
        let percent = if ending == Ending::Broken { self.percent.min(EVEN) } else { self.percent };
        Self { truncated: ending == Ending::Truncated, percent, ..self }
    }
}

impl Form {
    fn ending<E>(self, data: &[u8], poll: &mut impl FnMut() -> Result<(), E>) -> Result<Ending, E> {
        let finished = self.finished(data);
        let mut rest = &data[..finished];
        while !rest.is_empty() {
            let step;
            (step, rest) = rest.split_at(self.finished(&rest[..rest.len().min(CHUNK_BYTES)]).max(self.width));
            if !self.is_valid(step) {
                return Ok(Ending::Broken);
            }
            poll()?;
        }
        Ok(if finished == data.len() { Ending::Whole } else { Ending::Truncated })
    }
}

impl Candidate {
    /// How far Python's codec takes the data.
    fn ending<E>(&self, data: &[u8], poll: &mut impl FnMut() -> Result<(), E>) -> Result<Ending, E> {
        if self.is_browsers(data) {
            return Ok(Ending::Broken);
        }
        self.reading().ending(data, poll)
    }
}

impl Escapes {
    /// How far Python's codec takes the data.
    fn ending<E>(self, data: &[u8], poll: &mut impl FnMut() -> Result<(), E>) -> Result<Ending, E> {
        if self.is_browsers() {
            Ok(Ending::Broken)
        } else {
            Reading::wide(encoding_rs::ISO_2022_JP).ending(data, poll)
        }
    }
}

impl Reading {
    fn ending<E>(mut self, data: &[u8], poll: &mut impl FnMut() -> Result<(), E>) -> Result<Ending, E> {
        for step in data.chunks(CHUNK_BYTES) {
            if !self.goes_on(step) {
                return Ok(Ending::Broken);
            }
            poll()?;
        }
        Ok(if self.is_finished() { Ending::Whole } else { Ending::Truncated })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUSSIAN: &str = "Съешь ещё этих мягких французских булок, да выпей чаю";

    #[test]
    fn every_page_is_told_from_the_others() {
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
    fn what_python_lacks_is_told_with_half_the_confidence() {
        let mut data = encoding_rs::WINDOWS_1251.encode(RUSSIAN).0.into_owned();
        assert!(detect(&data).percent > EVEN);
        data.push(0x98);
        let found = detect(&data);
        assert_eq!((found.encoding, found.percent), (Some("windows-1251"), EVEN));
    }

    #[test]
    fn unfinished_ends_are_told() {
        let (japanese, _, _) = encoding_rs::SHIFT_JIS.encode("日本の首都は東京です。");
        let found = detect(&japanese[..japanese.len() - 1]);
        assert_eq!((found.encoding, found.truncated), (Some("cp932"), true));
        let found = detect(&RUSSIAN.as_bytes()[..RUSSIAN.len() - 1]);
        assert_eq!((found.encoding, found.truncated, found.valid_utf8), (Some("utf-8"), true, false));
    }

    #[test]
    fn work_stops_when_it_is_told_to() {
        let data = RUSSIAN.as_bytes().repeat(1 << 15);
        assert_eq!(detect_with(&data, || Err("stop")), Err("stop"));
    }
}
