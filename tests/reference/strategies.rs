//! Random data of the kind that is hard to get right.

use std::ops::RangeInclusive;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::Config;

use super::{BOUNDARY_BYTES, all_or_fewer};

/// How many cases to try. Failing ones are not kept: they become tests of their own.
pub fn cases(cases: u32) -> Config {
    let cases = all_or_fewer(cases, cases / 5, "random data: a fifth of the cases");
    Config { cases, failure_persistence: None, ..Config::default() }
}

/// Up to a few kilobytes of valid text of all widths, noise, truncated characters and long stretches of
/// ASCII, in which single bytes are then changed.
pub fn data() -> impl Strategy<Value = Vec<u8>> {
    let changes = vec((any::<Index>(), select(&BOUNDARY_BYTES[..])), 0..3);
    (vec(fragment(), 0..10), changes).prop_map(|(fragments, changes)| {
        let mut data = fragments.concat();
        for (index, byte) in changes {
            if !data.is_empty() {
                let at = index.index(data.len());
                data[at] = byte;
            }
        }
        data
    })
}

/// A few bytes, nearly each of which is an edge of something.
pub fn dense_errors() -> impl Strategy<Value = Vec<u8>> {
    vec(select(&BOUNDARY_BYTES[..]), 0..40)
}

fn fragment() -> impl Strategy<Value = Vec<u8>> {
    let ascii = ("[a-z\n]{1,9}", 1..150usize).prop_map(|(text, times)| text.repeat(times).into_bytes());
    let truncated = (text('\u{80}'..=char::MAX, 1), 1..4usize)
        .prop_map(|(bytes, length)| bytes[..length.min(bytes.len() - 1)].to_vec());
    prop_oneof![
        ascii,
        text('\u{80}'..='\u{7FF}', 300),
        text('\u{800}'..='\u{FFFF}', 200),
        text('\u{10000}'..=char::MAX, 150),
        text('\0'..=char::MAX, 100),
        truncated,
        vec(any::<u8>(), 1..30),
        vec(select(&BOUNDARY_BYTES[..]), 1..12),
    ]
}

fn text(chars: RangeInclusive<char>, most: usize) -> impl Strategy<Value = Vec<u8>> {
    let char_in = proptest::char::range(*chars.start(), *chars.end());
    vec(char_in, 1..=most).prop_map(|chars| String::from_iter(chars).into_bytes())
}
