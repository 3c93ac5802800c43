//! Mojibake: text that was written in one encoding and read in another, and how that is undone.
//!
//! ```
//! use leadbyte::mojibake;
//! assert_eq!(mojibake::repair("РџСЂРёРІРµС‚, РјРёСЂ!"), "Привет, мир!");
//! assert_eq!(mojibake::repair("Ïðèâåò, ìèð!"), "Привет, мир!");
//! assert_eq!(mojibake::repair("Привет, мир!"), "Привет, мир!");
//! ```

mod charset;
mod glance;
mod judge;
mod lines;
mod mixed;
mod search;
mod undo;

use core::ops::{Range, RangeInclusive};
use std::borrow::Cow;

use crate::allocation::{AllocError, or_raise};

#[cfg(feature = "python")]
pub(crate) use mixed::read_mixed_with;
pub use mixed::{MixedLine, read_mixed};

/// A text that was damaged, mended, and what was done.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair<'a> {
    /// The text as it was before the damage; that which was given if nothing is to be done.
    pub text: Cow<'a, str>,
    /// What was mended, from the start on.
    pub stretches: Vec<Stretch>,
}

/// Lines, or parts of a line, that all went through the same wrong readings.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// Where it is in the text that was given, in bytes.
    pub bytes: Range<usize>,
    /// The numbers of its lines, from 1 on.
    pub lines: RangeInclusive<usize>,
    /// The wrong readings, in the order in which they are undone: the last one first.
    pub readings: Vec<Reading>,
    /// How many sequences of UTF-8 were put together.
    pub sequences: usize,
    /// How many characters that are not ASCII went through none of it, and are left.
    pub left: usize,
    /// The language that the text is most likely in, by its BCP 47 code.
    pub language: &'static str,
    /// How unlikely it was before and is now, in bits.
    pub bits: (f32, f32),
}

impl Stretch {
    fn empty(at: usize, line: usize, language: &'static str) -> Self {
        let (sequences, left, bits) = (0, 0, (0.0, 0.0));
        Self { bytes: at..at, lines: line..=line, readings: vec![], sequences, left, language, bits }
    }
}

/// A wrong reading.
///
/// Both names mean what Python means by them; `whatwg:` stands before one where the Encoding Standard has characters for
/// bytes that mean nothing in Python's table, and the text has these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The right encoding of the text.
    pub encoding: &'static str,
    /// The encoding that it was decoded with by mistake.
    pub misread_as: &'static str,
}

/// The text without the damage of encodings that were mistaken for others, once or several times.
pub fn repair(text: &str) -> Cow<'_, str> {
    explain(text).text
}

/// As [`repair`], with what was done.
pub fn explain(text: &str) -> Repair<'_> {
    or_raise(explain_with(text, || Ok(())))
}

/// As [`explain`]; calls `poll` from time to time.
pub(crate) fn explain_with<E: From<AllocError>>(
    text: &str,
    poll: impl FnMut() -> Result<(), E>,
) -> Result<Repair<'_>, E> {
    lines::explain(text, poll)
}

#[cfg(test)]
mod tests {
    use encoding_rs::{IBM866, KOI8_R, WINDOWS_1251, WINDOWS_1252};

    use super::*;

    const RUSSIAN: &str = "Съешь ещё этих мягких французских булок, да выпей чаю";
    const GERMAN: &str = "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich";

    fn read(text: &[u8], encoding: &'static encoding_rs::Encoding) -> String {
        encoding.decode_without_bom_handling(text).0.into_owned()
    }

    #[test]
    fn what_was_read_wrongly_is_told_and_undone() {
        let windows = WINDOWS_1251.encode(RUSSIAN).0;
        for (damaged, encoding, misread_as) in [
            (read(RUSSIAN.as_bytes(), WINDOWS_1252), "utf-8", "whatwg:windows-1252"),
            (read(RUSSIAN.as_bytes(), WINDOWS_1251), "utf-8", "windows-1251"),
            (read(&windows, WINDOWS_1252), "windows-1251", "windows-1252"),
            (read(&windows, KOI8_R), "windows-1251", "koi8-r"),
            (read(&windows, IBM866), "windows-1251", "ibm866"),
            (read(&KOI8_R.encode(RUSSIAN).0, WINDOWS_1251), "koi8-r", "windows-1251"),
        ] {
            let repair = explain(&damaged);
            assert_eq!(repair.text, RUSSIAN, "{damaged}");
            assert_eq!(repair.stretches.len(), 1);
            assert_eq!(repair.stretches[0].readings, [Reading { encoding, misread_as }]);
            assert_eq!(repair.stretches[0].bytes, 0..damaged.len());
        }
    }

    #[test]
    fn readings_one_after_another_are_undone() {
        let mut text = GERMAN.to_owned();
        for times in 1..=3 {
            text = read(text.as_bytes(), WINDOWS_1252);
            let repair = explain(&text);
            assert_eq!(repair.text, GERMAN);
            assert_eq!(repair.stretches[0].readings.len(), times);
        }
    }

    #[test]
    fn lines_are_told_by_their_numbers_and_places() {
        let damaged = read(GERMAN.as_bytes(), WINDOWS_1252);
        let text = format!("one\n{RUSSIAN}\n{damaged}\n{RUSSIAN}\n{damaged}");
        let repair = explain(&text);
        assert_eq!(repair.text, format!("one\n{RUSSIAN}\n{GERMAN}\n{RUSSIAN}\n{GERMAN}"));
        // The line between has nothing to undo.
        let [stretch] = &repair.stretches[..] else { panic!("{:?}", repair.stretches) };
        assert_eq!(stretch.lines, 3..=5);
        assert_eq!(&text[stretch.bytes.clone()], format!("{damaged}\n{RUSSIAN}\n{damaged}"));
    }

    #[test]
    fn good_text_is_not_copied() {
        for text in ["", "plain", RUSSIAN, GERMAN, "«É… VOCÊ™»", "\u{FEFF}\0\u{10FFFF}"] {
            assert!(matches!(repair(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn it_stops_when_it_is_told_to() {
        let damaged = read(RUSSIAN.as_bytes(), WINDOWS_1252);
        let stop = AllocError::CapacityOverflow;
        assert_eq!(explain_with(&damaged, || Err(stop)), Err(stop));
    }
}
