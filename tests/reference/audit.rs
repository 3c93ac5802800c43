//! Hidden characters: a naive search that looks at every character, and the checks that it allows.

use leadbyte::Implementation;
use leadbyte::audit::{Kind, Kinds, Policy, sanitize};

use super::on_every_implementation;

/// The findings by a policy, as kinds and spans.
pub fn found(by: Implementation, data: &[u8], policy: Policy) -> Vec<(Kind, usize, usize)> {
    by.audit(data, policy).map(|found| (found.kind, found.start, found.end)).collect()
}

/// All kinds of characters, but characters of four bytes.
pub fn hidden() -> Policy {
    let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(|&kind| kind != Kind::FourByte).collect();
    Policy::of(Kinds::of(&kinds))
}

/// The kinds of which there are few characters.
pub fn shown() -> Policy {
    Policy::of(Kinds::of(&[
        Kind::Nul,
        Kind::Control,
        Kind::BidiControl,
        Kind::Tag,
        Kind::Invisible,
        Kind::VariationSelector,
        Kind::Noncharacter,
        Kind::InnerBom,
        Kind::LineSeparator,
        Kind::ConfusableNewline,
    ]))
}

/// What each character is by itself, however it is found: looked up alone, so that no other one is near.
pub fn naive(data: &[u8], policy: Policy) -> Vec<(Kind, usize, usize)> {
    let by = leadbyte::implementations()[0];
    let mut all: Vec<_> = leadbyte::iter_errors(data)
        .map(|error| (Kind::Invalid, error.start() as usize, error.end() as usize))
        .collect();
    let mut at = 0;
    for chunk in data.utf8_chunks() {
        for (start, character) in chunk.valid().char_indices() {
            let alone = ['a', character].iter().collect::<String>();
            for (kind, from, to) in found(by, alone.as_bytes(), policy) {
                all.push((kind, at + start + from - 1, at + start + to - 1));
            }
        }
        at += chunk.valid().len() + chunk.invalid().len();
    }
    all.sort_by_key(|&(_, start, _)| start);
    all
}

/// Checks the findings that do not depend on their context against the naive search; and, by each policy, that all
/// implementations find the same, and that nothing is found after these were replaced.
pub fn check(data: &[u8]) {
    let mut expected = naive(data, hidden());
    // A carriage return before a line feed is not a finding, nor is U+FEFF at the start.
    expected.retain(|&(kind, start, _)| {
        !data[start..].starts_with(b"\r\n") && (kind, start) != (Kind::InnerBom, 0)
    });
    on_every_implementation(|by| {
        assert_eq!(found(by, data, hidden()), expected, "{} {}", by.name(), data.escape_ascii());
    });
    for (name, policy) in Policy::NAMED {
        let expected = found(Implementation::active(), data, policy);
        on_every_implementation(|by| {
            assert_eq!(found(by, data, policy), expected, "{name} {} {}", by.name(), data.escape_ascii());
        });
        for replacement in ["", "?", "\u{FFFD}"] {
            let text = sanitize(data, policy, replacement).expect("no policy finds it");
            let left = found(Implementation::active(), text.as_bytes(), policy);
            assert_eq!(left, [], "{name} {replacement:?} {}", data.escape_ascii());
            let kept = expected.is_empty().then_some(data);
            assert!(kept.is_none_or(|kept| kept == text.as_bytes()), "{name} {}", data.escape_ascii());
        }
    }
}
