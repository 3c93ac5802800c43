//! Truncation and splitting, compared with a search through all offsets, on every implementation.

use super::reference;

use leadbyte::{
    Boundary, Implementation, LimitUnit, Side, Truncation, chunks, floor_boundary, is_boundary, split_points,
    truncate,
};
use proptest::prelude::*;
use proptest::sample::select;
use reference::on_every_implementation;
use reference::strategies::{self, cases};

const SIDES: [Side; 3] = [Side::End, Side::Start, Side::Middle];
const ELLIPSES: [&str; 3] = ["", "…", "<😀>"];

fn is_lead(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

/// The length of data in a unit that needs no validity.
fn size(data: &[u8], unit: LimitUnit) -> usize {
    let chars = data.iter().filter(|&&byte| is_lead(byte)).count();
    match unit {
        LimitUnit::Byte => data.len(),
        LimitUnit::Char => chars,
        LimitUnit::Utf16 => chars + data.iter().filter(|&&byte| byte >= 0xF0).count(),
        #[cfg(feature = "unicode")]
        LimitUnit::Grapheme => clusters(data).len() - 1,
    }
}

/// The offsets of all cluster boundaries; an error counts as U+FFFD.
#[cfg(feature = "unicode")]
fn clusters(data: &[u8]) -> Vec<usize> {
    let (mut text, mut starts, mut at) = (String::new(), vec![], 0);
    while let Some(sequence) = leadbyte::sequence::decode_one(&data[at..]) {
        starts.push((text.len(), at));
        text.push(match sequence {
            leadbyte::sequence::Sequence::Char(character, _) => character,
            leadbyte::sequence::Sequence::Malformed(..) => char::REPLACEMENT_CHARACTER,
        });
        at += sequence.length();
    }
    starts.push((text.len(), at));
    let mut offsets = vec![0];
    let mut end = 0;
    for cluster in leadbyte::unicode::graphemes(&text) {
        end += cluster.len();
        let place = starts.binary_search_by_key(&end, |&(offset, _)| offset).expect("a boundary");
        offsets.push(starts[place].1);
    }
    offsets
}

/// The offsets at which data may be cut.
fn offsets(data: &[u8], unit: LimitUnit) -> Vec<usize> {
    match unit {
        #[cfg(feature = "unicode")]
        LimitUnit::Grapheme => clusters(data),
        _ => (0..=data.len()).filter(|&at| is_boundary(data, at)).collect(),
    }
}

/// The removed part, by the definition.
fn naive(
    data: &[u8],
    limit: usize,
    unit: LimitUnit,
    side: Side,
    ellipsis: &str,
    whole: bool,
) -> Option<(usize, usize)> {
    if size(data, unit) <= limit {
        return None;
    }
    let kept = limit - size(ellipsis.as_bytes(), unit);
    let (offsets, bytes) = (offsets(data, unit), unit == LimitUnit::Byte);
    let first = if side == Side::End { kept } else { kept.div_ceil(2) };
    let start = match side {
        Side::Start => 0,
        _ if bytes => floor_boundary(data, first),
        _ => {
            let fitting = |&&at: &&usize| size(&data[..at], unit) <= first;
            offsets.iter().filter(fitting).max().copied().unwrap_or(0)
        }
    };
    #[cfg(feature = "unicode")]
    let start = match whole {
        true => clusters(data).into_iter().filter(|&at| at <= start).max().unwrap_or(0),
        false => start,
    };
    #[cfg(not(feature = "unicode"))]
    assert!(!whole);
    let left = kept - size(&data[..start], unit);
    let end = match side {
        Side::End => data.len(),
        _ if bytes => leadbyte::ceil_boundary(data, data.len() - left),
        _ => offsets.into_iter().find(|&at| size(&data[at..], unit) <= left).expect("the end fits"),
    };
    #[cfg(feature = "unicode")]
    let end = match whole {
        true => clusters(data).into_iter().find(|&at| at >= end).expect("the end is a boundary"),
        false => end,
    };
    Some((start, end))
}

fn units() -> Vec<LimitUnit> {
    vec![
        LimitUnit::Byte,
        LimitUnit::Char,
        LimitUnit::Utf16,
        #[cfg(feature = "unicode")]
        LimitUnit::Grapheme,
    ]
}

/// The truncations to compare, with what else the naive one takes.
fn truncations(
    limit: usize,
    ellipsis: &str,
) -> impl Iterator<Item = (Truncation<'_>, LimitUnit, Side, bool)> {
    let all = units().into_iter().flat_map(move |unit| SIDES.map(|side| (unit, side)));
    all.flat_map(move |(unit, side)| {
        let chars = Truncation::new(limit, unit).side(side).ellipsis(ellipsis);
        [
            Some((chars, unit, side, false)),
            #[cfg(feature = "unicode")]
            Some((chars.whole_graphemes(), unit, side, true)),
        ]
        .into_iter()
        .flatten()
    })
}

fn check_bytes(data: &[u8], limit: usize, ellipsis: &str) {
    for (truncation, unit, side, whole) in truncations(limit, ellipsis) {
        let described = || format!("{truncation:?} of {data:02X?}");
        if size(ellipsis.as_bytes(), unit) > limit {
            assert!(truncation.apply(data).is_err(), "{}", described());
            continue;
        }
        let wanted = match naive(data, limit, unit, side, ellipsis, whole) {
            None => data.to_vec(),
            Some((start, end)) => [&data[..start], ellipsis.as_bytes(), &data[end..]].concat(),
        };
        on_every_implementation(|on| {
            let found = on.truncate(&truncation, data).expect("the ellipsis fits");
            assert_eq!(found, wanted, "{} {}", on.name(), described());
            if let Ok(text) = str::from_utf8(data) {
                let found = on.truncate(&truncation, text).expect("the ellipsis fits");
                assert_eq!(found.as_bytes(), wanted, "{} {}", on.name(), described());
            }
        });
    }
}

/// Compares the units of a str with its UTF-8.
fn check_units(text: &str, limit: usize) {
    let offset_of = |chars: usize| text.char_indices().nth(chars).map_or(text.len(), |(offset, _)| offset);
    let units: Vec<u32> = text.chars().map(u32::from).collect();
    let narrow: Option<Vec<u16>> = units.iter().map(|&unit| unit.try_into().ok()).collect();
    let latin1: Option<Vec<u8>> = units.iter().map(|&unit| unit.try_into().ok()).collect();
    for (truncation, unit, side, whole) in truncations(limit, "") {
        let wanted = naive(text.as_bytes(), limit, unit, side, "", whole);
        let check = |on: Implementation, found: Option<(usize, usize)>| {
            let found = found.map(|(start, end)| (offset_of(start), offset_of(end)));
            assert_eq!(found, wanted, "{} {truncation:?} of {text:?}", on.name());
        };
        on_every_implementation(|on| {
            check(on, on.removed_of_utf32(&truncation, &units).expect("no ellipsis"));
            if let Some(units) = &narrow {
                check(on, on.removed_of_ucs2(&truncation, units).expect("no ellipsis"));
            }
            if let Some(units) = &latin1 {
                check(on, on.removed_of_latin1(&truncation, units).expect("no ellipsis"));
            }
        });
    }
}

/// Text with clusters of several characters, or of one kind.
fn texts() -> impl Strategy<Value = String> {
    let part =
        select(&["a", "é", "€", "😀", "\u{301}", "👩\u{200D}", "🇺", "क\u{94D}", "\r\n", "\u{600}"][..]);
    let run = (part.clone(), 1..60_usize).prop_map(|(part, times)| part.repeat(times));
    let mixed = prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat());
    prop::collection::vec(prop_oneof![run, mixed], 0..3).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn truncation_of_text(text in texts(), limit in 0..200_usize, ellipsis in select(&ELLIPSES[..])) {
        check_bytes(text.as_bytes(), limit, ellipsis);
    }

    #[test]
    fn truncation_of_any_bytes(
        data in strategies::dense_errors(),
        limit in 0..100_usize,
        ellipsis in select(&ELLIPSES[..]),
    ) {
        check_bytes(&data[..data.len().min(150)], limit, ellipsis);
    }

    #[test]
    fn truncation_of_units(text in texts(), limit in 0..200_usize) {
        check_units(&text, limit);
        check_units(&text.replace(|character| character > '\u{FFFF}', "é"), limit);
        check_units(&text.replace(|character| character > '\u{FF}', "é"), limit);
    }

    #[test]
    fn pieces_of_any_bytes(data in strategies::data(), n in 1..20_usize, max_bytes in 4..500_usize) {
        check_pieces(&data, n, max_bytes);
    }

    #[test]
    fn pieces_of_text(text in texts(), n in 1..20_usize, max_bytes in 4..50_usize) {
        check_pieces(text.as_bytes(), n, max_bytes);
    }
}

fn boundaries() -> Vec<Boundary> {
    vec![
        Boundary::Char,
        Boundary::Line,
        #[cfg(feature = "unicode")]
        Boundary::Grapheme,
    ]
}

fn check_pieces(data: &[u8], n: usize, max_bytes: usize) {
    #[cfg(feature = "unicode")]
    let clusters = clusters(data);
    let lines: Vec<usize> = (1..=data.len()).filter(|&at| data[at - 1] == b'\n').collect();
    for boundary in boundaries() {
        let wanted = (0..=n).map(|number| {
            let equal = data.len() * number / n;
            match boundary {
                Boundary::Char => floor_boundary(data, equal),
                Boundary::Line if equal == 0 => 0,
                Boundary::Line => lines.iter().copied().find(|&at| at >= equal).unwrap_or(data.len()),
                #[cfg(feature = "unicode")]
                Boundary::Grapheme => {
                    let last = floor_boundary(data, equal);
                    clusters.iter().copied().filter(|&at| at <= last).max().unwrap_or(0)
                }
            }
        });
        assert!(split_points(data, n, boundary).into_iter().eq(wanted), "{boundary:?} {n} {data:02X?}");

        let mut start = 0;
        for chunk in chunks(data, max_bytes, boundary) {
            assert!(!chunk.is_empty() && chunk.len() <= max_bytes);
            assert_eq!(chunk, &data[start..start + chunk.len()]);
            let last = floor_boundary(data, start + max_bytes);
            let within = |at: &usize| (start + 1..=start + max_bytes).contains(at) && *at <= last;
            let end = match boundary {
                _ if start + max_bytes >= data.len() => data.len(),
                Boundary::Char => last,
                Boundary::Line => lines
                    .iter()
                    .copied()
                    .filter(|&at| at > start && at <= start + max_bytes)
                    .max()
                    .unwrap_or(last),
                #[cfg(feature = "unicode")]
                Boundary::Grapheme => clusters.iter().copied().filter(within).max().unwrap_or(last),
            };
            assert!(within(&end) || end == data.len() || boundary == Boundary::Line);
            start += chunk.len();
            assert_eq!(start, end, "{boundary:?} {max_bytes} {data:02X?}");
        }
        assert_eq!(start, data.len());
    }
}

#[test]
fn limits_around_blocks() {
    on_every_implementation(|on| {
        for (filler, bytes, utf16) in [("a", 1, 1), ("é", 2, 1), ("€", 3, 1), ("😀", 4, 2)] {
            let text = filler.repeat(700);
            for kept in (0..300).chain([511, 512, 513, 699, 700]) {
                for (unit, length) in
                    [(LimitUnit::Byte, bytes), (LimitUnit::Char, 1), (LimitUnit::Utf16, utf16)]
                {
                    for limit in [kept * length, kept * length + length - 1] {
                        let truncation = Truncation::new(limit, unit);
                        for side in [Side::End, Side::Start] {
                            let found = on.truncate(&truncation.side(side), &*text).expect("no ellipsis");
                            assert_eq!(found.len(), kept * bytes, "{} {truncation:?} {filler}", on.name());
                        }
                    }
                }
            }
        }
    });
}

#[test]
fn the_shorter_form_is_the_active_implementation_s() {
    for unit in units() {
        for limit in 0..20 {
            for data in ["naïve 😀 e\u{301}".as_bytes(), b"\x80a\xFF\xE2\x82", b""] {
                let truncation = Truncation::new(limit, unit);
                assert_eq!(truncate(data, limit, unit), &*truncation.apply(data).expect("no ellipsis"));
            }
        }
    }
}

#[test]
fn a_character_before_stray_bytes_is_not_cut() {
    let data = b"abc\xC2\x80\x80\x80\x80\x80";
    for limit in 0..data.len() {
        check_bytes(data, limit, "");
    }
    let truncation = Truncation::new(5, LimitUnit::Byte).side(Side::Start);
    assert_eq!(*truncation.apply(data.as_slice()).expect("no ellipsis"), data[5..]);
}

#[test]
fn an_ellipsis_that_is_too_long_is_an_error() {
    let error = Truncation::new(2, LimitUnit::Byte).ellipsis("…").apply("").expect_err("three bytes");
    assert_eq!(error.to_string(), "the ellipsis has 3 units, more than the limit of 2");
}

#[test]
#[should_panic(expected = "n must be at least 1")]
fn no_parts() {
    split_points(b"", 0, Boundary::Char);
}

#[test]
#[should_panic(expected = "max_bytes must be at least 4")]
fn chunks_that_are_too_small() {
    let _ = chunks(b"", 3, Boundary::Char);
}

#[test]
#[cfg(feature = "unicode")]
fn stray_bytes_weigh_and_part_as_they_do_alone() {
    let truncation = Truncation::new(2, LimitUnit::Utf16);
    assert_eq!(&*truncation.apply(b"\xF0\xF0".as_slice()).unwrap(), b"\xF0");
    let truncation = Truncation::new(2, LimitUnit::Byte).whole_graphemes();
    assert_eq!(&*truncation.apply(b"\n\x80\xCC\x81".as_slice()).unwrap(), b"\n");
}
