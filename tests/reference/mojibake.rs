//! Mojibake: what holds for every repair, whatever the text.

use std::collections::HashMap;

use encoding_rs::{Encoding, WINDOWS_1252};
use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;
use leadbyte::mojibake::{MixedLine, Reading, Stretch, explain, read_mixed, repair, repair_many};

/// Checks the repair of a text: it is the one that is explained, brings no strange characters, changes only the
/// stretches that it reports, has nothing left to repair, and becomes the text again by the wrong decodings that it
/// reports.
pub fn check(text: &str) {
    let repaired = explain(text);
    assert_eq!(repair(text), repaired.text, "{text:?}");
    assert_eq!(repaired.stretches.is_empty(), repaired.text == text, "{text:?}");
    check_strange(text, &repaired.text);
    let (mut at, mut between) = (0, vec![]);
    for stretch in &repaired.stretches {
        let range = stretch.bytes.clone();
        let what = format!("{stretch:?} {text:?}");
        assert!(at <= range.start && range.start < range.end, "{what}");
        between.push(&text[at..range.start]);
        at = range.end;
        let line = |end: usize| 1 + text[..end].bytes().filter(|&byte| byte == b'\n').count();
        assert_eq!(*stretch.lines.start(), line(range.start), "{what}");
        assert!((line(range.start)..=line(range.end)).contains(stretch.lines.end()), "{what}");
        assert!(stretch.bits.0 > stretch.bits.1 && !stretch.readings.is_empty(), "{what}");
    }
    let Some((first, further)) = between.split_first() else { return };
    let mut rest = repaired.text.strip_prefix(first).and_then(|rest| rest.strip_suffix(&text[at..]));
    if let ([stretch], Some(now)) = (&repaired.stretches[..], rest) {
        check_garbled_again(stretch, &text[stretch.bytes.clone()], now);
    }
    for between in further {
        rest = rest.and_then(|rest| rest.find(between).map(|place| &rest[place + between.len()..]));
    }
    assert!(rest.is_some(), "other parts of {text:?} were changed: {repaired:?}");
}

/// Checks that a second repair changes nothing.
pub fn check_twice(text: &str) {
    let once = repair(text);
    assert_eq!(repair(&once), once, "{text:?}");
}

/// Checks lines, as the cells of a column.
pub fn check_cells(text: &str) {
    let cells: Vec<&str> = text.lines().collect();
    let repaired = repair_many(&cells);
    assert_eq!(repaired.len(), cells.len());
    for (cell, repaired) in cells.iter().zip(&repaired) {
        check_strange(cell, repaired);
    }
}

/// Checks data whose lines are in several encodings: those that are UTF-8 stay, and the others are reported.
pub fn check_mixed(data: &[u8]) {
    let (text, others) = read_mixed(data);
    let mut others = others.into_iter().peekable();
    let mut lines = text.split_inclusive('\n');
    for (number, bytes) in (1..).zip(data.split_inclusive(|&byte| byte == b'\n')) {
        let line = lines.next().expect("there are as many lines");
        match others.next_if(|other| other.line == number) {
            None => assert_eq!(line.as_bytes(), bytes),
            Some(MixedLine { encoding, in_parts, .. }) => {
                assert!(str::from_utf8(bytes).is_err());
                let encoding = encoding_of(encoding).expect("the usual ones are in the standard");
                let decode = |bytes| encoding.decode_without_bom_handling(bytes).0;
                let expected = match in_parts {
                    false => decode(bytes).into_owned(),
                    true => {
                        bytes.utf8_chunks().map(|it| it.valid().to_owned() + &decode(it.invalid())).collect()
                    }
                };
                assert_eq!(line, expected, "{bytes:02x?}");
            }
        }
    }
    assert_eq!((lines.next(), others.next()), (None, None));
}

/// Checks that a repair brings no control, private or unassigned character that the text did not have.
fn check_strange(text: &str, repaired: &str) {
    let category = CodePointMapData::<GeneralCategory>::new();
    let is_strange = |character: &char| {
        use GeneralCategory::{Control, PrivateUse, Unassigned};
        matches!(category.get(*character), Control | PrivateUse | Unassigned)
    };
    let new = repaired.chars().filter(is_strange).find(|&character| !text.contains(character));
    assert_eq!(new, None, "{text:?} to {repaired:?}");
}

/// The encoding of a name, if the Encoding Standard has it.
fn encoding_of(name: &str) -> Option<&'static Encoding> {
    Encoding::for_label(match name.strip_prefix("whatwg:").unwrap_or(name) {
        "mac-roman" => b"macintosh",
        "mac-cyrillic" => b"x-mac-cyrillic",
        name => name.as_bytes(),
    })
}

/// The character of a byte in an encoding of this name.
fn character(name: &str, byte: u8) -> Option<char> {
    if name == "iso8859-1" {
        return Some(byte.into());
    }
    let byte = [byte];
    let decoded = encoding_of(name)?.decode_without_bom_handling(&byte).0;
    decoded.chars().next().filter(|&character| character != char::REPLACEMENT_CHARACTER)
}

/// Wrong decodings, one after the other, of a text that was right; `None` if one is not in the Encoding Standard.
fn garbled(text: &str, readings: &[Reading]) -> Option<String> {
    let mut text = text.to_owned();
    for reading in readings.iter().rev() {
        let bytes = if reading.encoding == "utf-8" {
            text.into_bytes()
        } else {
            encoding_of(reading.encoding)?;
            let of_chars: HashMap<_, _> =
                (0..=u8::MAX).filter_map(|byte| Some((character(reading.encoding, byte)?, byte))).collect();
            text.chars().map(|character| of_chars.get(&character).copied()).collect::<Option<_>>()?
        };
        text = bytes.into_iter().map(|byte| character(reading.misread_as, byte)).collect::<Option<_>>()?;
    }
    Some(text)
}

/// The longest text that is repaired in one piece, or less.
const MAX_PIECE_BYTES: usize = 1000;

/// Checks that the lines of a stretch that were changed become what they were by the wrong decodings, if none of their
/// characters is undamaged.
fn check_garbled_again(stretch: &Stretch, was: &str, now: &str) {
    if stretch.undamaged > 0 || was.len() > MAX_PIECE_BYTES {
        return;
    }
    assert_eq!(was.split('\n').count(), now.split('\n').count(), "{was:?} to {now:?}");
    for (was, now) in was.split('\n').zip(now.split('\n')).filter(|(was, now)| was != now) {
        let Some(again) = garbled(now, &stretch.readings) else { continue };
        let misread_as = stretch.readings[0].misread_as;
        // Several wrong decodings hide which characters were replaced between them.
        let is_lossy =
            |character: char| matches!(character, ' ' | '-' | '?' | '\u{FFFD}' | '\u{80}'..'\u{A0}');
        if stretch.readings.len() > 1 && was.chars().any(is_lossy) {
            continue;
        }
        let are_equal = was.chars().count() == again.chars().count()
            && was.chars().zip(again.chars()).all(|(was, again)| {
                was == again
                    || match was {
                        ' ' => again == '\u{A0}',
                        '-' => again == '\u{AD}',
                        '?' | '\u{FFFD}' => !again.is_ascii(),
                        // What a code page lacks is read as Latin-1, or as Windows-1252.
                        _ => (0x80_u8..0xA0).any(|byte| {
                            let bytes = [byte];
                            let windows = WINDOWS_1252.decode_without_bom_handling(&bytes).0;
                            character(misread_as, byte) == Some(again)
                                && (was == char::from(byte) || windows.starts_with(was))
                        }),
                    }
            });
        assert!(are_equal, "{now:?} becomes {again:?} again, not {was:?}: {:?}", stretch.readings);
    }
}
