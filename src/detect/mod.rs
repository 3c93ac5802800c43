//! Detection: whether data is text, in which encoding, or another format.
//!
//! The checks are in the order of their certainty: a byte order mark, the signature of a binary format, UTF-16 and
//! UTF-32 by their structure, UTF-8 and ASCII by their validity, ISO-2022-JP by its escape sequences, and finally the
//! most likely legacy encoding.

mod candidates;
mod confidence;
mod contest;
mod decision;
mod declared;
mod detector;
mod escapes;
pub mod language;
mod legacy;
mod magic;
mod non_ascii;
mod python_codec;
mod sample;
mod usual_signs;
mod validity;
mod wide;

use crate::encodings::scheme::Scheme;
use escapes::Escapes;

pub use candidates::Encodings;
pub use decision::{Query, TextEnd, rank_with};
pub use declared::DeclaredEncoding;
pub use detector::Detector;

#[cfg(feature = "bindings")]
pub use detector::DetectorState;
#[cfg(feature = "bindings")]
pub use sample::ascii_length;

/// The outcome of [`detect`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Detection {
    /// The name of the encoding in Python, if the data is text.
    pub encoding: Option<&'static str>,
    /// The BCP 47 tag of the language of the text; `None` if nothing indicates one.
    pub language: Option<&'static str>,
    /// The encoding that the text declares: in HTML, XML, CSS, or a comment for Python, Emacs or Vim.
    pub declared: Option<DeclaredEncoding>,
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
    Encodings::ALL.detect(data)
}

/// Returns all encodings in which data is likely to be text, the most likely first, as [`detect`] returns it.
///
/// Of several encodings that give the same text only the most frequent is among them. A certain result is the only one,
/// and so is the result for data that is not text.
///
/// ```
/// use leadbyte::detect_all;
///
/// let found = detect_all(b"\xCF\xF0\xE8\xE2\xE5\xF2");
/// assert_eq!(found[0].encoding, Some("windows-1251"));
/// assert!(found.len() > 1);
/// assert_eq!(detect_all("мир".as_bytes()).len(), 1);
/// ```
pub fn detect_all(data: &[u8]) -> Vec<Detection> {
    Encodings::ALL.detect_all(data)
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

    /// Returns the encoding of the Encoding Standard that decodes the data, if it has one; its
    /// [`decode`](encoding_rs::Encoding::decode) removes a byte order mark, which in UTF-16 decides on the order of
    /// bytes.
    ///
    /// ```
    /// let marked = leadbyte::detect(b"\xEF\xBB\xBFcaf\xC3\xA9");
    /// assert_eq!(marked.encoding, Some("utf-8-sig"));
    /// assert_eq!(marked.standard(), Some(encoding_rs::UTF_8));
    /// ```
    pub fn standard(&self) -> Option<&'static encoding_rs::Encoding> {
        match self.encoding? {
            "ascii" | "utf-8" | "utf-8-sig" => Some(encoding_rs::UTF_8),
            "utf-16" | "utf-16-le" => Some(encoding_rs::UTF_16LE),
            "utf-16-be" => Some(encoding_rs::UTF_16BE),
            "iso2022_jp" => Some(encoding_rs::ISO_2022_JP),
            name => legacy::standard_of(name),
        }
    }

    /// Returns the confidence from 0 to 1.
    pub fn confidence(&self) -> f64 {
        f64::from(self.percent) / 100.0
    }
}

#[cfg(test)]
mod tests {
    use super::confidence::EVEN;
    use super::decision::{Query, TextEnd, rank_with};
    use super::*;
    use crate::progress::Stopped;

    const GB18030: &str = "gb18030";
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
    fn complete_text_is_not_cut_unless_other_characters_are_utf8() {
        let found = |data: &[u8]| {
            let query = Query { end: TextEnd::Complete, ..Query::of(&Encodings::ALL) };
            let found = rank_with(data, query, &mut || Ok(())).unwrap().first;
            (found.encoding, found.truncated)
        };
        for text in [&b"caf\xE9"[..], b"caf\xE9\xEA", b"\xE9"] {
            assert_eq!(found(text), (Some("windows-1252"), false), "{text:?}");
        }
        // "ёж" and "đź" would be the start of a character of four bytes.
        assert_eq!(found(b"<meta charset=ibm866>text \xF1\xA6"), (Some("ibm866"), false));
        assert_eq!(found(b"<meta charset=windows-1250>text \xF0\x9F"), (Some("windows-1250"), false));
        assert_eq!(found(b"<meta charset=utf-8>plain text that was cut at \xE2\x82"), (Some("utf-8"), true));
        assert_eq!(found(b"plain text that was cut at \xE2\x82"), (Some("utf-8"), true));
        assert_eq!(found(b"caf\xC3\xA9 \xE2\x82"), (Some("utf-8"), true));
        assert_eq!(found("日本語".as_bytes()), (Some("utf-8"), false));
    }

    #[test]
    fn short_text_is_whole() {
        for (text, name) in [
            (&b"caf\xE9"[..], "windows-1252"),
            (b"Type to search\xC9", "macintosh"),
            (b"Il client SSO \x8A stato modificato.", "cp437"),
            (b"Verschn\x94rkelt", "cp437"),
            (b"Not\xA0a\xA0word\xA0more, nor\xA0less", "windows-1252"),
            (b"24 \xD7 80 \xD7 2", "windows-1252"),
        ] {
            let found = detect(text);
            assert_eq!((found.encoding, found.truncated), (Some(name), false), "{text:?}");
        }
        let long = [b"a line of plain text\n".repeat(20), b"caf\xE9".to_vec()].concat();
        assert_eq!((detect(&long).encoding, detect(&long).truncated), (Some("utf-8"), true));
        let utf8 = Encodings::of(["utf-8", "koi8-r"]).unwrap();
        assert_eq!(utf8.detect(b"caf\xE9").encoding, Some("utf-8"));
    }

    #[test]
    fn the_first_of_all_is_what_is_detected() {
        for text in [RUSSIAN, "Voix ambiguë d’un cœur", "日本の首都は東京です。", "text", ""] {
            for candidate in legacy::candidates() {
                let Some(standard) = candidate.standard() else { continue };
                let (data, _, _) = standard.encode(text);
                for data in [&data[..], &data[..data.len().saturating_sub(1)]] {
                    let all = detect_all(data);
                    assert_eq!(all[0], detect(data));
                    assert!(all.windows(2).all(|pair| pair[0].percent >= pair[1].percent));
                }
            }
        }
    }

    #[test]
    fn some_encodings_exclude_the_others() {
        for candidate in legacy::candidates() {
            let only = Encodings::of([candidate.name]).unwrap();
            for data in [&b""[..], b"text", "Grüße".as_bytes(), b"\xCF\xF0\xE8\xE2\xE5\xF2"] {
                assert!(only.detect(data).encoding.is_none_or(|name| name == candidate.name));
            }
        }
        assert_eq!(Encodings::of(["utf-16-le"]).unwrap().detect(b"text").encoding, None);
    }

    #[test]
    fn declarations_decide_between_likely_encodings() {
        let declare = |label: &str, text: &[u8]| {
            let data = [b"<meta charset=", label.as_bytes(), b">", text].concat();
            detect(&data).encoding
        };
        assert_eq!(declare("iso-8859-2", b"\xA9koda"), Some("iso-8859-2"));
        assert_eq!(declare("windows-1252", b"\xA9koda"), Some("windows-1252"));
        let russian = encoding_rs::KOI8_R.encode(RUSSIAN).0;
        assert_eq!(declare("windows-1252", &russian), Some("koi8-r"));
        assert_eq!(declare("koi8-r", RUSSIAN.as_bytes()), Some("utf-8"));
        assert_eq!(declare("windows-1252", b"caf\xE9"), Some("windows-1252"));
    }

    #[test]
    fn the_language_is_that_of_the_text() {
        for (text, language) in [
            (RUSSIAN, Some("ru")),
            ("Voix ambiguë d’un cœur qui, au zéphyr, préfère les jattes", Some("fr")),
            ("日本の首都は東京です。", Some("ja")),
            ("2026-11-22", None),
            ("a", None),
        ] {
            assert_eq!(detect(text.as_bytes()).language, language, "{text}");
            let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            assert_eq!(detect(&[b"\xFF\xFE", &wide[..]].concat()).language, language, "{text}");
        }
        assert_eq!(detect(&encoding_rs::KOI8_R.encode(RUSSIAN).0).language, Some("ru"));
    }

    #[test]
    fn work_stops_when_poll_fails() {
        let data = RUSSIAN.as_bytes().repeat(1 << 15);
        assert!(rank_with(&data, Query::of(&Encodings::ALL), &mut || Err(Stopped::Interrupted)).is_err());
    }
}
