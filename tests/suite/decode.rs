//! Decoding to Latin-1, UTF-16 and UTF-32, against the standard library; and invalid data is decoded to
//! something, but nothing is written outside of its buffer.

use super::reference;

use leadbyte::transcode::TranscodeError;
use proptest::collection::vec;
use proptest::prelude::*;
use reference::decode::{Form, block, check, check_any, check_called};
use reference::strategies::{cases, data};
use reference::{BOUNDARY_BYTES, all_or_fewer, in_parallel, on_every_implementation};

/// Text of one or more widths, over and over.
const FILLS: [&str; 10] = [
    "a",
    "é",
    "€",
    "😀",
    "aé",
    "a€é",
    "😀a",
    "é€😀a",
    "plain text, ",
    "a\nб€😀é plain ASCII, again and again; ",
];

/// The most bytes that are asked at once what they hold, and a bit.
const LONGEST: usize = 4 * 128 + 70;

#[test]
fn every_length_at_every_offset() {
    let step = all_or_fewer(1, 13, "decoding: every 13th length at every offset");
    for fill in FILLS {
        let text = fill.repeat(LONGEST / fill.len() + 1);
        let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        for &end in &starts {
            check(&text[..end]);
        }
        for &start in starts.iter().take_while(|&&start| start <= 64) {
            for &end in starts.iter().filter(|&&end| end >= start).step_by(step) {
                // In place, where alignment differs.
                check_in_place::<u8>(&text[start..end]);
                check_in_place::<u16>(&text[start..end]);
                check_in_place::<u32>(&text[start..end]);
            }
        }
    }
}

fn check_in_place<U: Form>(text: &str) {
    let Some(expected) = U::expected(text) else { return };
    on_every_implementation(|implementation| {
        // The buffer begins where it may, too.
        let mut buffer = block::<U>(expected.len() + 2);
        let written = U::fill(implementation, text.as_bytes(), &mut buffer[1..=expected.len()]);
        let name = implementation.name();
        assert_eq!((written, &buffer[1..=expected.len()]), (expected.len(), &*expected), "{name}, {text:?}");
        assert_eq!((buffer[0], buffer[expected.len() + 1]), (U::default(), U::default()), "{name}, {text:?}");
    });
}

#[test]
fn every_character_at_some_places() {
    let step = all_or_fewer(1, 61, "decoding: every 61st character");
    const CHARACTERS: usize = 0x11_0000;
    const PARTS: usize = 0x110;
    in_parallel(PARTS, |part| {
        let part = CHARACTERS / PARTS * part..CHARACTERS / PARTS * (part + 1);
        let characters: String =
            part.step_by(step).filter_map(|value| char::from_u32(value as u32)).collect();
        // One after another they come to stand at every place of a block, as their number is odd at times.
        for around in ["", "a", "é", "€x", "😀"] {
            check(&format!("{around}{characters}"));
            let apart: String = characters.chars().flat_map(|character| [character, 'b']).collect();
            check(&format!("{around}{apart}"));
        }
    });
}

#[test]
fn every_character_at_the_end() {
    let step = all_or_fewer(7, 1009, "decoding: every 1009th character at the end");
    for value in (0..0x11_0000).step_by(step) {
        let Some(character) = char::from_u32(value) else { continue };
        for before in [0, 5, 31, 61, 63] {
            check(&format!("{}{character}", "x".repeat(before)));
        }
    }
}

#[test]
fn each_width_at_each_place() {
    for background in ["a", "é", "€", "😀"] {
        let background: Vec<char> = background.chars().cycle().take(LONGEST / background.len()).collect();
        for character in ['a', 'ÿ', '\u{7FF}', '\u{800}', '\u{FFFF}', '\u{10000}', '\u{10FFFF}'] {
            for place in 0..background.len() {
                let mut text = background.clone();
                text[place] = character;
                check(&String::from_iter(text));
            }
        }
    }
}

#[test]
fn a_short_buffer_is_filled_or_left() {
    for fill in FILLS {
        let text = fill.repeat(300 / fill.len());
        for capacity in 0..text.len() {
            check_any(text.as_bytes(), capacity);
        }
    }
}

#[test]
fn what_is_not_valid_is_decoded_within_its_space() {
    for byte in BOUNDARY_BYTES {
        for length in 0..300 {
            let data = vec![byte; length];
            for capacity in [0, 1, length / 2, length, length + 1, 2 * length] {
                check_any(&data, capacity);
            }
        }
    }
}

#[test]
fn errors_are_reported() {
    let mut buffer = [0; 200];
    for length in [0, 3, 31, 64, 150] {
        let mut data = vec![b'a'; length];
        data.extend(b"\xE2\x82");
        on_every_implementation(|implementation| {
            let error = implementation.utf8_to_utf16(&data, &mut buffer).unwrap_err();
            let TranscodeError::Invalid(error) = error else { panic!("{error} for an invalid text") };
            assert_eq!((error.start(), error.end()), (length as u64, length as u64 + 2));
        });
    }
    for character in ['\u{100}', '€', '😀'] {
        for at in [0, 3, 31, 64, 150] {
            let text = "é".repeat(at) + &character.to_string() + "é";
            let error = TranscodeError::Unmappable { at: 2 * at, character };
            on_every_implementation(|implementation| {
                assert_eq!(implementation.utf8_to_latin1(text.as_bytes(), &mut [0; 200]), Err(error));
            });
        }
    }
}

#[test]
fn without_space_nothing_is_written() {
    fn check<U: Form>(text: &str) {
        let Some(expected) = U::expected(text) else { return };
        let needed = expected.len();
        on_every_implementation(|implementation| {
            for length in 0..needed {
                let mut out = vec![U::OTHER; length];
                let outcome = U::decode_on(implementation, text.as_bytes(), &mut out);
                assert_eq!(outcome, Err(TranscodeError::BufferTooSmall { needed }));
                assert!(out.iter().all(|&unit| unit == U::OTHER));
            }
            let mut buffer = vec![U::OTHER; needed + 3];
            assert_eq!(U::decode_on(implementation, text.as_bytes(), &mut buffer), Ok(needed));
            assert_eq!(buffer[..needed], expected);
            assert!(buffer[needed..].iter().all(|&unit| unit == U::OTHER));
        });
    }
    for fill in FILLS {
        for times in [1, 2, 7, 30] {
            let text = fill.repeat(times);
            check::<u8>(&text);
            check::<u16>(&text);
            check::<u32>(&text);
        }
    }
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn any_text(text in ".{0,400}|[a-zà-ÿ]{0,400}|[ -~]{0,300}[а-я]{0,100}[ -~]{0,200}[😀-😎]{0,9}") {
        check(&text);
    }

    #[test]
    fn any_bytes(data in data(), capacity in 0..2_000usize) {
        check_any(&data, capacity);
        if let Ok(text) = str::from_utf8(&data) {
            check(text);
        }
    }

    #[test]
    fn any_edges(data in vec(proptest::sample::select(&BOUNDARY_BYTES[..]), 0..200), capacity in 0..300usize) {
        check_any(&data, capacity);
    }

    #[test]
    fn as_called(data in data()) {
        check_called(&data);
    }
}
