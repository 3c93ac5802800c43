//! Text of runs of characters of one length, short and long, after each other: where an algorithm changes from one way
//! of processing to another; valid, and with an error.

use super::reference;

use reference::encode::{LATIN1, UCS2, UTF16, UTF32};
use reference::{BOUNDARY_BYTES, Random, all_or_fewer, check_all, decode, in_parallel};

/// The first and the last character of each kind.
const KINDS: [[char; 2]; 8] = [
    ['\0', '\x7F'],
    ['\u{80}', '\u{FF}'],
    ['\u{100}', '\u{7FF}'],
    ['\u{800}', '\u{FFF}'],
    ['\u{4E00}', '\u{9FFF}'],
    ['\u{D000}', '\u{D7FF}'],
    ['\u{E000}', '\u{FFFF}'],
    ['\u{10000}', '\u{10FFFF}'],
];

/// The most characters of a run.
const MAX_RUNS: [usize; 5] = [1, 3, 10, 40, 150];

/// Returns text of the first kinds, as many as `kinds`.
fn text_of(random: &mut Random, kinds: usize, bytes: usize) -> String {
    let mut text = String::new();
    while text.len() < bytes {
        let [first, last] = KINDS[random.below(kinds)].map(u32::from);
        let longest = MAX_RUNS[random.below(MAX_RUNS.len())];
        for _ in 0..=random.below(longest) {
            let point = first + random.below((last - first + 1) as usize) as u32;
            text.push(char::from_u32(point).expect("no kind has surrogates"));
        }
    }
    text
}

#[test]
fn runs_of_all_lengths_after_each_other() {
    in_parallel(all_or_fewer(40_000, 4_000, "runs: fewer texts"), |index| {
        let mut random = Random(index as u64);
        // Kinds up to Latin-1's, two, three and four bytes.
        let kinds = [2, 3, 7, 8][index % 4];
        let bytes = [70, 200, 900][random.below(3)];
        let text = text_of(&mut random, kinds, bytes);
        decode::check(&text);
        UTF16.check(&text.encode_utf16().collect::<Vec<_>>());
        UTF32.check(&text.chars().map(u32::from).collect::<Vec<_>>());
        match kinds {
            2 => LATIN1.check(&text.chars().map(|char| char as u32 as u8).collect::<Vec<_>>()),
            3 | 7 => UCS2.check(&text.chars().map(|char| char as u32 as u16).collect::<Vec<_>>()),
            _ => {}
        }
        check_all(text.as_bytes());
        let mut data = text.into_bytes();
        let place = random.below(data.len());
        match random.below(3) {
            0 => data[place] = BOUNDARY_BYTES[random.below(BOUNDARY_BYTES.len())],
            1 => data.truncate(place),
            _ => drop(data.remove(place)),
        }
        check_all(&data);
    });
}
