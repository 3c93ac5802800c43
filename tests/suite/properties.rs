//! Every function on random data against the oracles, and what UTF-8 promises: a damaged byte spoils
//! no character but those it touches.

use super::reference;

use std::str;

use leadbyte::Implementation;
use proptest::prelude::*;
use reference::strategies::{self, cases};
use reference::{BOUNDARY_BYTES, check_all, on_every_implementation, with_every_implementation_active};

proptest! {
    #![proptest_config(cases(10_000))]

    #[test]
    fn everything_agrees_with_the_oracles(data in strategies::data()) {
        check_all(&data);
    }

    #[test]
    fn everything_agrees_about_dense_errors(data in strategies::dense_errors()) {
        check_all(&data);
    }

    #[test]
    fn valid_text_is_valid(text in any::<String>(), times in 1..40usize) {
        check_all(text.repeat(times).as_bytes());
    }

    #[test]
    fn boundaries_are_at_most_three_bytes_away(data in strategies::dense_errors(), at in any::<usize>()) {
        let offset = at % (data.len() + 1);
        let (floor, ceil) = (leadbyte::floor_boundary(&data, offset), leadbyte::ceil_boundary(&data, offset));
        prop_assert!((0..=3).contains(&(offset - floor)) && (0..=3).contains(&(ceil - offset)));
        for found in [floor, ceil] {
            let within = |part: reference::Part| part.start < found && found < part.end;
            prop_assert!(!reference::parts(&data).any(within), "{offset} {found}");
        }
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn the_crate_s_functions_are_those_of_the_active_implementation(data in strategies::data()) {
        with_every_implementation_active(|| {
            let active = Implementation::active();
            assert_eq!(leadbyte::is_valid(&data), active.is_valid(&data));
            assert_eq!(leadbyte::validate(&data), active.validate(&data));
            assert_eq!(leadbyte::is_ascii(&data), active.is_ascii(&data));
            assert_eq!(leadbyte::count_chars(&data), active.count_chars(&data));
            assert_eq!(leadbyte::count_widths(&data), active.count_widths(&data));
            assert_eq!(leadbyte::count_utf16(&data), active.count_utf16(&data));
            assert_eq!(leadbyte::count_newlines(&data), active.count_newlines(&data));
            assert_eq!(leadbyte::scan(&data), active.scan(&data));
            assert!(leadbyte::iter_errors(&data).eq(active.iter_errors(&data)));
        });
    }
}

/// Text in scripts of every width, ASCII among them, long enough for the main loops.
const SCRIPTS: &str = "The quick brown fox. \u{FEFF}Съешь ещё этих мягких булок. Ξεσκεπάζω την ψυχοφθόρα. \
    いろはにほへと ちりぬるを。 다람쥐 헌 쳇바퀴에. नमस्ते दुनिया। שלום עולם، مرحبا بالعالم \
    👩\u{200D}👩\u{200D}👧 𝄞𐍈𒀀 e\u{301} naïve café\n\t\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}\0";

/// The characters that `implementation` finds, and where: the text between the errors.
fn chars_found(implementation: Implementation, data: &[u8]) -> Vec<(usize, char)> {
    let mut found = vec![];
    let mut start = 0;
    let mut add_text = |start: usize, end: usize| {
        let text = str::from_utf8(&data[start..end]).expect("no error is reported here");
        found.extend(text.char_indices().map(|(at, c)| (start + at, c)));
    };
    for error in implementation.iter_errors(data) {
        add_text(start, error.start() as usize);
        start = error.end() as usize;
    }
    add_text(start, data.len());
    found
}

/// Replaces `at..at + removed` of the text by `inserted`; every character that the change is not within
/// must be found where it was, or moved with the bytes around it.
fn check_damage(at: usize, removed: usize, inserted: &[u8]) {
    let text = SCRIPTS.as_bytes();
    let damaged = [&text[..at], inserted, &text[at + removed..]].concat();
    let untouched = SCRIPTS.char_indices().filter_map(|(start, c)| {
        let end = start + c.len_utf8();
        match () {
            () if end <= at => Some((start, c)),
            () if start >= at + removed => Some((start - removed + inserted.len(), c)),
            () => None,
        }
    });
    let untouched = untouched.collect::<Vec<_>>();
    // The damage touches one character, or none if it is between two.
    assert!(SCRIPTS.chars().count() - untouched.len() <= 1);
    on_every_implementation(|implementation| {
        let found = chars_found(implementation, &damaged);
        for place in &untouched {
            assert!(
                found.binary_search(place).is_ok(),
                "{}: {place:?} is lost if {removed} bytes at {at} become {inserted:02x?}",
                implementation.name()
            );
        }
    });
}

#[test]
fn a_deleted_byte_spoils_one_char() {
    (0..SCRIPTS.len()).for_each(|at| check_damage(at, 1, b""));
}

#[test]
fn a_flipped_bit_spoils_one_char() {
    for (at, byte) in SCRIPTS.bytes().enumerate() {
        (0..8).for_each(|bit| check_damage(at, 1, &[byte ^ 1 << bit]));
    }
}

#[test]
fn an_inserted_byte_spoils_at_most_one_char() {
    for at in 0..=SCRIPTS.len() {
        for byte in BOUNDARY_BYTES {
            check_damage(at, 0, &[byte]);
        }
    }
}
