//! Detection: whether a result holds for the data, by encoding_rs and the standard library, and pieces against the
//! whole.

use std::collections::HashSet;

use encoding_rs::Encoding;
use leadbyte::{Detection, Detector, Encodings, detect, detect_all};

use super::with_every_implementation_active;

/// The confidence in percent above which data is well-formed in its encoding.
const EVEN: u8 = 50;

/// Checks what does not depend on a model: the results of all functions agree, are among those that are documented, and
/// data that is reported as well-formed is.
pub fn check(data: &[u8]) {
    let found = detect(data);
    with_every_implementation_active(|| assert_eq!(detect(data), found, "{data:02x?}"));
    let all = detect_all(data);
    assert_eq!(all[0], found, "{data:02x?}");
    assert!(all.is_sorted_by(|one, next| one.percent >= next.percent), "{all:?}");
    let names: HashSet<_> = all.iter().map(|found| found.encoding).collect();
    assert_eq!(names.len(), all.len(), "{all:?}");
    for found in all {
        check_detection(&found, data);
    }
    // Among some encodings, there is no other.
    if let Some(name) = found.encoding {
        let only = Encodings::of([name]).expect("its name is known").detect(data);
        assert!(only.encoding.is_none_or(|other| other == name), "{only:?}");
        check_detection(&only, data);
    }
}

fn check_detection(found: &Detection, data: &[u8]) {
    let what = format!("{found:?} {data:02x?}");
    assert!(found.encoding.is_none_or(|name| Detection::encodings().any(|known| known == name)), "{what}");
    assert!(Detection::kinds().any(|known| known == found.kind), "{what}");
    assert!((1..=100).contains(&found.percent), "{what}");
    assert_eq!(found.valid_utf8, str::from_utf8(data).is_ok(), "{what}");
    assert_eq!(found.kind == "empty", data.is_empty(), "{what}");
    assert!(found.kind == "text" || found.kind == "empty" || found.encoding.is_none(), "{what}");
    assert!(!found.bom || found.encoding.is_some(), "{what}");
    if let Some(name) = found.encoding
        && found.percent > EVEN
        && let Some(is_well_formed) = is_well_formed(name, data, found.truncated)
    {
        assert!(is_well_formed, "{what}");
    }
}

/// Returns whether data is well-formed in an encoding, or up to an incomplete character at the end if it is
/// `truncated`; `None` for encodings that encoding_rs does not have.
fn is_well_formed(name: &str, data: &[u8], truncated: bool) -> Option<bool> {
    let is_ended = match name {
        "utf-16" | "utf-16-le" | "utf-16-be" => data.len().is_multiple_of(2),
        "utf-32" | "utf-32-le" | "utf-32-be" => return utf32(name, data, truncated),
        "ascii" => return Some(data.is_ascii()),
        _ => true,
    };
    let standard = match name {
        "utf-8-sig" => "utf-8",
        "utf-16" if data.starts_with(b"\xFE\xFF") => "utf-16be",
        "utf-16" | "utf-16-le" => "utf-16le",
        "utf-16-be" => "utf-16be",
        "cp874" => "windows-874",
        "mac-cyrillic" => "x-mac-cyrillic",
        "cp950" => "big5",
        "cp932" => "shift_jis",
        "cp949" => "euc-kr",
        // By this label encoding_rs has Windows-1252; every byte is a character.
        "iso-8859-1" => return Some(true),
        // Python has extensions of these, in which more is well-formed; and its ISO-2022 differs from the standard's.
        "big5hkscs" | "euc_jis_2004" => return None,
        name if name.starts_with("iso2022") || name == "hz" => return None,
        name => name,
    };
    let encoding = Encoding::for_label_no_replacement(standard.as_bytes())?;
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let length = decoder.max_utf8_buffer_length_without_replacement(data.len())?;
    let mut text = String::with_capacity(length);
    let (result, _) = decoder.decode_to_string_without_replacement(data, &mut text, !truncated);
    Some(result == encoding_rs::DecoderResult::InputEmpty && (is_ended || truncated))
}

fn utf32(name: &str, data: &[u8], truncated: bool) -> Option<bool> {
    let big = name == "utf-32-be" || name == "utf-32" && data.starts_with(b"\0\0\xFE\xFF");
    let read = if big { u32::from_be_bytes } else { u32::from_le_bytes };
    let (units, rest) = data.as_chunks();
    let are_chars = units.iter().all(|&unit| char::from_u32(read(unit)).is_some());
    Some(are_chars && (rest.is_empty() || truncated))
}

/// Checks a detector in pieces against one that gets the whole, and that against a detection of all bytes.
pub fn check_pieces(pieces: &[&[u8]]) {
    let whole = pieces.concat();
    let mut expected = Detector::new();
    let is_done = expected.update(&whole);
    assert_eq!(is_done, expected.is_done());
    let mut detector = Detector::new();
    for piece in pieces {
        detector.update(piece);
    }
    assert_eq!(detector.finish(), expected.finish(), "{pieces:02x?}");
    assert_eq!(detector.is_done(), is_done, "{pieces:02x?}");
    if !is_done {
        assert_eq!(expected.finish(), detect(&whole), "{whole:02x?}");
    }
}
