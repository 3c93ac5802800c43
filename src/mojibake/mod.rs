//! Mojibake: the repair of text that was encoded in one encoding and decoded in another.
//!
//! ```
//! use leadbyte::mojibake;
//! assert_eq!(mojibake::repair("РџСЂРёРІРµС‚, РјРёСЂ!"), "Привет, мир!");
//! assert_eq!(mojibake::repair("Ïðèâåò, ìèð!"), "Привет, мир!");
//! assert_eq!(mojibake::repair("Привет, мир!"), "Привет, мир!");
//! ```

mod beam_search;
mod blocks;
mod charset;
mod column;
mod knowledge;
mod lines;
mod mixed;
mod prefilter;
mod repair;
mod score;
mod undo;
mod usual;

use std::borrow::Cow;

use crate::progress::{Poll, Stopped, uninterrupted, unpolled};

#[cfg(feature = "arrow")]
#[doc(hidden)]
pub use column::Column;
pub use column::repair_many;
#[doc(hidden)]
pub use knowledge::Knowledge;
pub use knowledge::UnknownLanguage;
#[cfg(feature = "bindings")]
#[doc(hidden)]
pub use lines::Blocks;
#[doc(hidden)]
pub use mixed::read_mixed_with;
#[cfg(feature = "bindings")]
#[doc(hidden)]
pub use mixed::{Fallback, LineEncoding};
pub use mixed::{MixedLine, read_mixed, read_mixed_as};
pub use repair::{Reading, Repair, Stretch};

/// Repairs text that was decoded in a wrong encoding, once or several times.
pub fn repair(text: &str) -> Cow<'_, str> {
    explain(text).text
}

/// Repairs as [`repair`] does a text that may be in the languages of these BCP 47 tags.
///
/// The languages decide between readings that are ambiguous without them: in Turkish `ý` is the `ı` of Windows-1254,
/// and in Hungarian `õ` the `ő` of Windows-1250. Returns an error for a tag of no language of the model.
///
/// ```
/// use leadbyte::mojibake::{repair, repair_in};
/// assert_eq!(repair("Ýstanbul"), "Ýstanbul");
/// assert_eq!(repair_in("Ýstanbul", &["tr"]).unwrap(), "İstanbul");
/// assert!(repair_in("", &["tlh"]).is_err());
/// ```
pub fn repair_in<'a>(text: &'a str, languages: &[&str]) -> Result<Cow<'a, str>, UnknownLanguage> {
    let knowledge = Knowledge::of_languages(languages)?;
    Ok(uninterrupted(explain_with(text, &knowledge, &mut unpolled)).text)
}

/// Repairs as [`repair`] does, and reports the repaired stretches.
pub fn explain(text: &str) -> Repair<'_> {
    uninterrupted(explain_with(text, &Knowledge::default(), &mut unpolled))
}

/// Repairs as [`explain`] does. Calls `poll` before each line that is searched, and on a long one after each
/// `POLL_INTERVAL_BYTES` of work. Stops if that returns an error.
#[doc(hidden)]
pub fn explain_with<'a>(text: &'a str, knowledge: &Knowledge, poll: Poll<'_>) -> Result<Repair<'a>, Stopped> {
    lines::explain(text, knowledge, poll)
}

#[cfg(test)]
mod tests {
    use encoding_rs::{IBM866, KOI8_R, WINDOWS_1251, WINDOWS_1252};

    use super::blocks::POLL_INTERVAL_BYTES;
    use super::*;

    const RUSSIAN: &str = "Съешь ещё этих мягких французских булок, да выпей чаю";
    const GERMAN: &str = "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich";

    fn read(text: &[u8], encoding: &'static encoding_rs::Encoding) -> String {
        encoding.decode_without_bom_handling(text).0.into_owned()
    }

    #[test]
    fn wrong_decodings_are_reported_and_reversed() {
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
    fn successive_wrong_decodings_are_reversed() {
        let mut text = GERMAN.to_owned();
        for times in 1..=3 {
            text = read(text.as_bytes(), WINDOWS_1252);
            let repair = explain(&text);
            assert_eq!(repair.text, GERMAN);
            assert_eq!(repair.stretches[0].readings.len(), times);
        }
    }

    #[test]
    fn lines_are_reported_by_their_numbers_and_ranges() {
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
    fn doubtful_originals_are_not_chosen() {
        for text in [
            // Hebrew, and nearly as likely in Cyrillic.
            "ñåã ëøèéñ",
            // The question mark was one before, too.
            "Voulez-vous un cafÚá?",
            // Lists of letters, which are not words in any encoding.
            "[äöüÄÖÜß]",
            "ŒœŠšŽž",
            "grep \"[А-яЁё]\"",
            "типЦП",
            // Small Cyrillic letters, abbreviations and units.
            "\"её\": 28033,",
            r"\fIтип\fP",
            r"\fIсписок\fP",
            "мРНК",
            "60 дБ",
            // Columns, bars of signs, and factors.
            "│foo│bar│baz│",
            "r'–––•–––––'",
            "ROWS×COLUMNS",
            // A letter beside no words, and lists of letters.
            "\"=r ŕ\"",
            "[àáâãäå] [ÈÉÊË] [ìíîï]",
            "âêîôû ÂÊÎÔÛ",
            "äëïöü ÄËÏÖÜ",
        ] {
            assert_eq!(repair(text), text);
        }
    }

    #[test]
    fn lines_do_not_follow_few_others() {
        // A Croatian word with a slip is taken for damage by itself. The model does not have the Pinyin beside it.
        let mut text = String::from("Mađjarski\n");
        for first in "bpmfl".chars() {
            "wbpm".chars().for_each(|second| text += &format!("{first}ě {second}ě\n"));
        }
        assert_ne!(repair("Mađjarski"), "Mađjarski");
        assert_eq!(repair(&text), text);
        let cells: Vec<&str> = text.lines().collect();
        assert_eq!(repair_many(&cells)[1..], cells[1..]);
    }

    #[test]
    fn a_line_among_many_needs_more() {
        // Italian è, as č is in text of one language only.
        let damaged = "Il file non č leggibile\n";
        assert_ne!(repair(damaged), damaged);
        let text = format!("{}{damaged}", "Dvě kočky a čtyři psi čekají večer\n".repeat(100));
        assert_eq!(repair(&text), text);
    }

    #[test]
    fn typed_signs_follow_lines_beside_them_only() {
        let (damaged, polish) =
            ("Proszê podaæ has³o i nazwê u¿ytkownika.", "Proszę podać hasło i nazwę użytkownika.");
        let french = "Voilà la fenêtre où l’été a été déjà très agréable, près de l’hôtel.";
        let lines = |first, last| format!("{first}\n{french}\n{last}");
        assert_eq!(repair(&lines(damaged, "za godzin¹")), lines(polish, "za godzin¹"));
        assert_eq!(repair(&format!("{damaged}\nza godzin¹")), format!("{polish}\nza godziną"));
    }

    #[test]
    fn rare_cyrillic_needs_more_evidence() {
        let text = "счётчик циклов";
        assert_eq!(repair(&read(&IBM866.encode(text).0, WINDOWS_1251)), text);
    }

    #[test]
    fn good_text_is_not_copied() {
        for text in ["", "plain", RUSSIAN, GERMAN, "«É… VOCÊ™»", "\u{FEFF}\0\u{10FFFF}"] {
            assert!(matches!(repair(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn no_controls_come_out() {
        for damaged in ["Ã¢â€šÂ¬Âƒ", "Ã©tÃ©Âƒ"] {
            assert!(!repair(damaged).contains('\u{83}'), "{damaged}");
        }
    }

    #[test]
    fn it_stops_when_poll_fails() {
        let damaged = read(RUSSIAN.as_bytes(), WINDOWS_1252);
        let stop = Stopped::Interrupted;
        assert_eq!(explain_with(&damaged, &Knowledge::default(), &mut || Err(stop)), Err(stop));
    }

    #[test]
    fn equal_lines_are_searched_once() {
        let polls = |count: usize| {
            let (mut polls, text) = (0, "ЌЋЂ Љубав, Њива\n".repeat(count));
            let repair = explain_with(&text, &Knowledge::default(), &mut || {
                polls += 1;
                Ok(())
            });
            assert!(repair.is_ok());
            polls
        };
        assert!(polls(100) < polls(1) + 2 * 99);
    }

    #[test]
    fn each_part_of_the_work_on_a_long_line_polls() {
        // No ASCII character divides it.
        let damaged = read("же".repeat(POLL_INTERVAL_BYTES).as_bytes(), WINDOWS_1252);
        assert!(damaged.len() >= 8 * POLL_INTERVAL_BYTES && !damaged.bytes().any(|byte| byte.is_ascii()));
        let mut polls = 0;
        let repair = explain_with(&damaged, &Knowledge::default(), &mut || {
            polls += 1;
            Ok(())
        });
        assert_eq!(repair.unwrap().stretches.len(), 1);
        // At least the search for traces, the score before, and the repair for text and for names; and the score after,
        // of half as many bytes.
        let between = |bytes: usize| bytes / POLL_INTERVAL_BYTES - 1;
        assert!(polls >= 4 * between(damaged.len()) + between(damaged.len() / 2), "{polls}");
        let stop = Stopped::Interrupted;
        for last in 0..polls {
            let mut left = last;
            let stopped = explain_with(&damaged, &Knowledge::default(), &mut || {
                left = left.checked_sub(1).ok_or(stop)?;
                Ok(())
            });
            assert_eq!(stopped, Err(stop), "{last} of {polls}");
        }
    }
}
