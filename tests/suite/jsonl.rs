//! JSON lines, on every implementation and cut anywhere, by a naive search that reads each line byte by byte.

#![cfg(feature = "bindings")]

use leadbyte::Implementation;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::reference::jsonl::{PARTS, check_repair, found, naive};
use super::reference::on_every_implementation;
use super::reference::strategies::cases;

/// Texts of these.
fn texts() -> impl Strategy<Value = Vec<u8>> {
    vec(select(PARTS), 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn findings_are_those_of_a_naive_search(data in texts()) {
        let mut data = data;
        data.push(b'\n');
        let expected = naive(&data);
        on_every_implementation(|by| {
            let (all, _) = found(by, &[&data], "\u{FFFD}");
            let kinds: Vec<_> = all.iter().map(|&(kind, start, ..)| (kind, start)).collect();
            assert_eq!(kinds, expected);
        });
    }

    #[test]
    fn cuts_make_no_difference(data in texts(), cuts in vec(any::<prop::sample::Index>(), 0..4)) {
        let whole = found(Implementation::active(), &[&data], "?");
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(data.len() + 1)).collect();
        cuts.sort_unstable();
        let mut pieces = vec![];
        let mut rest = &data[..];
        for &cut in cuts.iter().rev() {
            let (before, after) = rest.split_at(cut);
            pieces.insert(0, after);
            rest = before;
        }
        pieces.insert(0, rest);
        on_every_implementation(|by| assert_eq!(found(by, &pieces, "?"), whole));
        let single: Vec<&[u8]> = data.chunks(1).collect();
        assert_eq!(found(Implementation::active(), &single, "?"), whole);
    }

    #[test]
    fn repaired_text_has_no_findings_but_a_truncated_record(
        data in texts(),
        replacement in select(vec!["\u{FFFD}", "", "?", "d800", "0", "u0000", "😀"]),
    ) {
        check_repair(&data, replacement);
    }
}

fn pointers(data: &[u8]) -> Vec<Option<String>> {
    let (all, _) = found(Implementation::active(), &[data], "");
    all.into_iter().map(|found| found.5).collect()
}

#[test]
fn pointers_lead_to_the_value() {
    let text = br#"{"items": [1, [2], {"te/xt~": "\ud800"}], "a": {"\u0430\ud83d\ude00\n\"": "\udc00"}, "k\ud800": "\u0000"}"#;
    let expected = ["/items/2/te~1xt~0", "/a/а😀\n\"", "", "/k\u{FFFD}"];
    assert_eq!(pointers(text), expected.map(|pointer| Some(pointer.to_owned())));
    assert_eq!(pointers(b"\"\\ud800\""), [Some(String::new())]);
    assert_eq!(pointers(b"[\"\xFF\", {\"\xFF\": {\"\xFF\": 1}}]")[2], Some("/1/\u{FFFD}".to_owned()));
}

#[test]
fn pointers_are_bounded() {
    let nested =
        |depth: usize| ["[".repeat(depth).as_bytes(), b"\"\\ud800\"", "]".repeat(depth).as_bytes()].concat();
    assert_eq!(pointers(&nested(1000)), [Some("/0".repeat(1000))]);
    assert_eq!(pointers(&nested(1001)), [None]);
    assert_eq!(pointers(&[&nested(5000)[..], b", \"\\ud800\""].concat()), [None, Some(String::new())]);
    let key = "k".repeat(4 << 10);
    let long = format!(
        "{{\"{key}\": \"\\ud800\", \"{key}k\": [\"\\ud800\", {{\"a\\ud800\": \"\\ud800\"}}], \"b\": \"\\ud800\"}}"
    );
    let expected = [Some(format!("/{key}")), None, None, None, Some("/b".to_owned())];
    assert_eq!(pointers(long.as_bytes()), expected);
}

#[test]
fn the_last_record_may_be_truncated() {
    let is_truncated = |text: &[u8]| {
        let (all, _) = found(Implementation::active(), &[b"1\n", text], "");
        match &all[..] {
            [] => false,
            [("truncated_record", 2, end, 2, 1, _)] => *end == 2 + text.len() as u64,
            _ => panic!("{all:?}"),
        }
    };
    for complete in [
        "",
        " ",
        "{}",
        "{\"a\": [1]} \r",
        "\"a\"",
        "1",
        "-1.5e3",
        "true",
        "null ",
        "-Infinity",
        "nul\n",
        "word",
    ] {
        assert!(!is_truncated(complete.as_bytes()), "{complete}");
    }
    for truncated in [
        "{",
        "[1, 2",
        "\"a",
        "\"\\",
        "\"\\ud83d",
        "\"\\ud83d\\u",
        "tru",
        "f",
        "-",
        "1.",
        "1e",
        "1e+",
        "-Inf",
        "{}[",
        "{\"a\": 1",
    ] {
        assert!(is_truncated(truncated.as_bytes()), "{truncated}");
    }
}
