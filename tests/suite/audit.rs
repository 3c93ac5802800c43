//! Hidden characters, on every implementation, by a naive search that looks at every character.

#![cfg(feature = "unicode")]

use leadbyte::audit::{Kind, Kinds, Policy};
use proptest::prelude::*;
use proptest::sample::select;

use super::reference::audit::{found, hidden, naive, shown};
use super::reference::on_every_implementation;
use super::reference::strategies::cases;

#[test]
fn every_character_is_found_on_every_implementation() {
    let all: String = ('\u{0}'..=char::MAX).filter(|&character| character != '\n').collect();
    let oracle: Vec<(Kind, usize, usize)> = found(leadbyte::implementations()[0], all.as_bytes(), hidden());
    for kind in Kind::ALL {
        let has = oracle.iter().any(|&(found, ..)| found == kind);
        assert_eq!(has, !matches!(kind, Kind::FourByte | Kind::Surrogate | Kind::Invalid), "{kind:?}");
    }
    // Whichever kernel a policy takes.
    let shown = shown();
    let four = Policy::of(Kinds::of(&[Kind::FourByte, Kind::PrivateUse]));
    let private = Policy::of(Kinds::of(&[Kind::PrivateUse, Kind::Tag]));
    on_every_implementation(|by| {
        assert_eq!(found(by, all.as_bytes(), hidden()), oracle);
        let expected: Vec<_> =
            oracle.iter().filter(|(kind, ..)| shown.kinds().contains(*kind)).copied().collect();
        assert_eq!(found(by, all.as_bytes(), shown), expected);
        assert_eq!(found(by, all.as_bytes(), four).len(), 6400 + 0x100000);
        let expected: Vec<_> =
            oracle.iter().filter(|(kind, ..)| private.kinds().contains(*kind)).copied().collect();
        assert_eq!(found(by, all.as_bytes(), private), expected);
    });
}

#[test]
fn every_character_is_found_within_other_text() {
    let by = leadbyte::implementations()[0];
    let all: Vec<char> = ('\u{0}'..=char::MAX)
        .filter(|&character| character != '\r')
        .filter(|character| !found(by, character.to_string().as_bytes(), shown()).is_empty())
        .collect();
    assert!(all.len() > 4000);
    on_every_implementation(|by| {
        for fill in ["слово ", "中文字", "नमस्ते", "plain "] {
            // One in each group, so that whole groups are passed by or not because of it.
            let fill = fill.repeat(300 / fill.len());
            let text: String = all.iter().map(|character| format!("{fill}{character}")).collect();
            let mut audit = by.audit(text.as_bytes(), shown());
            for (number, character) in all.iter().enumerate() {
                let found = audit.next().map(|found| found.code_point);
                assert_eq!(found, Some(u32::from(*character)), "{number} of {fill}");
            }
            assert_eq!(audit.next(), None);
        }
    });
}

#[test]
fn characters_are_found_at_every_place() {
    on_every_implementation(|by| {
        for fill in ["a", "я", "中", "😀", "«é»"] {
            for hidden in
                ["\0", "\x7F", "\u{9F}", "\u{61C}", "\u{2066}", "\u{FEFF}", "\u{E0041}", "\u{2FFFF}"]
            {
                for place in (240..280).chain([1, 1023]) {
                    let before: String = fill.chars().cycle().take(place).collect();
                    let text = format!("{before}{hidden}{before}");
                    for policy in [super::reference::audit::hidden(), shown()] {
                        let spans: Vec<_> =
                            by.audit(text.as_bytes(), policy).map(|found| found.start).collect();
                        assert_eq!(spans, [before.len()], "{hidden:?} after {place} of {fill}");
                    }
                }
            }
        }
    });
}

/// Stretches of text are searched while they are validated: each place is the end of one, or near it.
#[test]
fn characters_and_errors_are_found_at_every_place_of_long_text() {
    // More than a stretch, and in the last row text that is mostly ASCII.
    for (fill, hidden) in
        [("я", "\u{200B}"), ("中", "\u{E0001}"), ("😀", "\u{AD}"), ("plain text, naïve ", "\u{2066}")]
    {
        let text = fill.repeat(9000 / fill.len());
        let places: Vec<usize> = (0..=text.len()).filter(|&place| text.is_char_boundary(place)).collect();
        on_every_implementation(|by| {
            for &place in &places {
                let (before, after) = text.split_at(place);
                let data = [before, hidden, after].concat();
                let spans: Vec<_> =
                    by.audit(data.as_bytes(), shown()).map(|found| (found.start, found.end)).collect();
                assert_eq!(spans, [(place, place + hidden.len())], "after {place} of {fill}");
                let cut = &hidden.as_bytes()[..hidden.len() - 1];
                let data = [before.as_bytes(), cut, after.as_bytes()].concat();
                let found = found(by, &data, shown());
                assert_eq!(found, [(Kind::Invalid, place, place + cut.len())], "after {place} of {fill}");
            }
        });
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn long_text_with_some_errors(
        parts in prop::collection::vec(
            (select(vec!["я", "中", "a", "😀", "naïve and plain text "]), 0_usize..3000).prop_flat_map(
                |(fill, length)| (
                    Just(fill.repeat(length / fill.len())),
                    select(vec![&b"\0"[..], b"\xE2\x80", "\u{200B}".as_bytes(), "\u{E0001}".as_bytes(), b"\xFF"]),
                ),
            ),
            0..20,
        ),
    ) {
        let mut data = vec![];
        let mut expected = vec![];
        for (fill, part) in &parts {
            data.extend_from_slice(fill.as_bytes());
            let kind = match part {
                [0] => Kind::Nul,
                [0xE2, 0x80, _] => Kind::Invisible,
                [0xF3, ..] => Kind::Tag,
                _ => Kind::Invalid,
            };
            expected.push((kind, data.len(), data.len() + part.len()));
            data.extend_from_slice(part);
        }
        on_every_implementation(|by| assert_eq!(found(by, &data, shown()), expected));
    }

    #[test]
    fn text_and_errors_in_any_order(
        parts in prop::collection::vec(
            select(vec![
                &b"a"[..], b"\0", b"\r", b"\r\n", b"\xFF", b"\xE2\x80", "я".as_bytes(), "\u{200B}".as_bytes(),
                "\u{FFFF}".as_bytes(), "\u{E0001}".as_bytes(), "😀".as_bytes(), b"\xED\xA0\x80",
                b"abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz",
            ]),
            0..200,
        ),
    ) {
        let data: Vec<u8> = parts.concat();
        let mut expected = naive(&data, hidden());
        expected.retain(|&(kind, _, end)| kind != Kind::ConfusableNewline || data.get(end) != Some(&b'\n'));
        let few: Vec<_> = expected
            .iter()
            .filter(|&(kind, ..)| *kind == Kind::Invalid || shown().kinds().contains(*kind))
            .copied()
            .collect();
        on_every_implementation(|by| {
            assert_eq!(found(by, &data, hidden()), expected);
            assert_eq!(found(by, &data, shown()), few);
        });
    }
}

#[test]
fn overflowing_isolates_and_embeddings_end_as_in_uax_9() {
    const LRI: &str = "\u{2066}";
    const LRE: &str = "\u{202A}";
    const RLE: &str = "\u{202B}";
    const PDF: &str = "\u{202C}";
    const PDI: &str = "\u{2069}";
    for (parts, expected) in [
        (vec![(LRI, 63), (RLE, 1), (PDI, 1), (PDF, 1), (PDI, 62)], vec![62, 63, 64, 65]),
        (vec![(LRI, 61), (LRE, 1), (LRI, 1), (RLE, 1), (PDI, 1), (PDF, 1), (PDI, 61)], vec![62, 63, 64]),
        (vec![(LRI, 62), (LRE, 1), (PDI, 1), (RLE, 1), (PDF, 1), (PDI, 61)], vec![62]),
        (vec![(LRI, 61), (LRE, 1), (LRI, 1), (PDF, 1), (PDI, 1), (PDF, 1), (PDI, 61)], vec![62, 63, 64]),
    ] {
        let text: String = parts.into_iter().map(|(control, count)| control.repeat(count)).collect();
        let found = leadbyte::audit::audit(text.as_bytes(), Policy::SOURCE_CODE);
        assert_eq!(found.map(|finding| finding.start / 3).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn what_is_beside_the_end_or_an_error_is_found() {
    let kinds = |data: &[u8], policy| -> Vec<_> {
        leadbyte::audit::audit(data, policy).map(|finding| (finding.kind, finding.start)).collect()
    };
    let found = kinds("\u{202B}a\x1C\u{202C}".as_bytes(), Policy::SOURCE_CODE);
    assert_eq!(found, [(Kind::BidiControl, 0), (Kind::Control, 4), (Kind::BidiControl, 5)]);
    assert_eq!(kinds("\u{915}\u{94D}\u{200D}".as_bytes(), Policy::IDENTIFIER), []);
    assert_eq!(kinds("ก\u{200B}".as_bytes(), Policy::SOURCE_CODE), []);
    let found = kinds(b"\xE0\xB8\x81\xE2\x80\x8B\xFF", Policy::SOURCE_CODE);
    assert_eq!(found, [(Kind::Invisible, 3), (Kind::Invalid, 6)]);
    let found = kinds("😀\u{FE0F}\u{200D}😀".as_bytes(), Policy::SOURCE_CODE);
    assert_eq!(found, [(Kind::VariationSelector, 4), (Kind::Invisible, 7)]);
    let found = kinds(b"\xFF\xE2\x80\x8Ea", Policy::SOURCE_CODE);
    assert_eq!(found, [(Kind::Invalid, 0), (Kind::BidiControl, 1)]);
}
