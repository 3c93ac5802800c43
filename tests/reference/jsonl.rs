//! JSON lines: a naive search that reads each line byte by byte, and the checks that it allows.

use leadbyte::Implementation;
use leadbyte::bindings::jsonl::{JsonLines, Replacement};

use super::on_every_implementation;

/// A finding: its kind, start, end, line and column, and where it is.
pub type Found = (&'static str, u64, u64, u64, u64, Option<String>);

/// The findings in pieces, and the repaired text.
pub fn found(by: Implementation, pieces: &[&[u8]], replacement: &str) -> (Vec<Found>, Vec<u8>) {
    let data = pieces.concat();
    let replacement = Replacement::new(replacement).unwrap().unwrap();
    let (mut all, mut text, mut done) = (vec![], vec![], 0);
    let mut lines = JsonLines::new(by);
    let mut records = vec![];
    for piece in pieces.iter().map(|piece| Some(*piece)).chain([None]) {
        let mut take = |finding: &_, record: &leadbyte::bindings::jsonl::Record| {
            let finding: &leadbyte::bindings::jsonl::Finding = finding;
            let pointer = record.pointer()?;
            if finding.kind.name() != "truncated_record" {
                assert_eq!(finding.bytes(), &data[finding.start as usize..finding.end as usize]);
            }
            all.push((
                finding.kind.name(),
                finding.start,
                finding.end,
                finding.line,
                finding.column,
                pointer,
            ));
            records.push(finding.record_start);
            if let Some(instead) = replacement.of(finding) {
                text.extend_from_slice(&data[done..finding.start as usize]);
                text.extend_from_slice(instead);
                done = finding.end as usize;
            }
            Ok(())
        };
        match piece {
            Some(piece) => lines.update(piece, &mut take).unwrap(),
            None => lines.finish(&mut take).unwrap(),
        }
    }
    text.extend_from_slice(&data[done..]);
    assert_eq!((lines.searched(), lines.waiting()), (data.len() as u64, &[][..]));
    assert_eq!(lines.finding_count(), all.len() as u64);
    records.dedup();
    assert_eq!(lines.invalid_record_count(), records.len() as u64);
    (all, text)
}

/// The kinds and starts of the findings in whole lines, byte by byte.
pub fn naive(data: &[u8]) -> Vec<(&'static str, u64)> {
    let mut all: Vec<(&str, u64)> =
        leadbyte::iter_errors(data).map(|e| (e.kind().name(), e.start())).collect();
    let mut start = 0;
    for line in data.split_inclusive(|&byte| byte == b'\n') {
        let mut in_string = false;
        // What each string consists of: code units of escapes, or 0xFFFF for anything else.
        let mut units: Vec<(u32, usize)> = vec![];
        let mut at = if line.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        if at > 0 {
            all.push(("bom", start as u64));
            while line[at..].starts_with(b"\xEF\xBB\xBF") {
                all.push(("bom", (start + at) as u64));
                at += 3;
            }
        }
        while at < line.len() {
            let hex = line.get(at + 2..at + 6).and_then(|digits| {
                let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.contains('+'))?;
                u32::from_str_radix(digits, 16).ok()
            });
            let length = match (line[at], line.get(at + 1), hex) {
                (b'"', ..) => {
                    in_string = !in_string;
                    1
                }
                (0, ..) => {
                    all.push(("nul", (start + at) as u64));
                    1
                }
                (b'\\', Some(b'u'), Some(unit)) if in_string => {
                    units.push((unit, start + at));
                    at += 6;
                    continue;
                }
                (b'\\', Some(b'u'), None) if in_string => 2,
                (b'\\', Some(b' '..=b'~'), _) if in_string => 2,
                _ => 1,
            };
            units.push((0xFFFF, start + at));
            at += length;
        }
        units.push((0xFFFF, start + at));
        let mut number = 0;
        while number < units.len() {
            let (unit, at) = units[number];
            let next = units.get(number + 1).map_or(0, |next| next.0);
            match unit {
                0xD800..=0xDBFF if (0xDC00..=0xDFFF).contains(&next) => number += 1,
                0xD800..=0xDFFF => all.push(("lone_surrogate", at as u64)),
                0 => all.push(("nul", at as u64)),
                _ => {}
            }
            number += 1;
        }
        start += line.len();
    }
    all.sort_by_key(|&(_, start)| start);
    all
}

/// What matters, and some plain text.
pub const PARTS: &[&[u8]] = &[
    b"\"",
    b"\"",
    b"\"",
    b"\\",
    b"\\",
    b"\\u",
    b"\\ud83d",
    b"\\ude00",
    b"\\uDBFF",
    b"\\u0000",
    b"\\u0430",
    b"u",
    b"d",
    b"0",
    b"8",
    b"\n",
    b"\n",
    b"\0",
    b"\xEF\xBB\xBF",
    b"\xFF",
    b"\xE2\x82",
    b"\xED\xA0\x80",
    "\u{e9}\u{20AC}\u{1F600}".as_bytes(),
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b" ",
    b"true",
    b"1.",
    b"\"a/~\":",
    b"\\n",
    b"{\"k\":[\"",
    b"\"]}\n",
    b"some plain text that is longer than the others, as most of it is, in one block or two",
];

/// Checks that a repaired text has no findings but a truncated record, and is not changed by another repair.
pub fn check_repair(data: &[u8], replacement: &str) {
    let (all, repaired) = found(Implementation::active(), &[data], replacement);
    let (left, again) = found(Implementation::active(), &[&repaired], replacement);
    let kinds = |all: &[Found]| all.iter().map(|found| found.0).collect::<Vec<_>>();
    let truncated = kinds(&all).into_iter().filter(|&kind| kind == "truncated_record");
    assert_eq!(kinds(&left), truncated.collect::<Vec<_>>());
    assert_eq!(again, repaired);
}

/// Checks findings on every implementation against the naive search, in whole lines; and that cuts change nothing.
pub fn check(data: &[u8], pieces: &[&[u8]], replacement: &str) {
    let lines = [data, b"\n"].concat();
    let expected = naive(&lines);
    let whole = found(Implementation::active(), &[data], replacement);
    on_every_implementation(|by| {
        let (all, _) = found(by, &[&lines], replacement);
        let kinds: Vec<_> = all.iter().map(|&(kind, start, ..)| (kind, start)).collect();
        assert_eq!(kinds, expected, "{}", data.escape_ascii());
        assert_eq!(found(by, pieces, replacement), whole, "{}", data.escape_ascii());
    });
    check_repair(data, replacement);
}
