//! Normalization forms and grapheme clusters, held to Unicode's own tests of the same version and, for all characters
//! and for long random texts, to the crates of ICU4X; on str and on units of every width, on every implementation.

#![cfg(feature = "unicode")]

use super::reference;

use std::io::Read;
use std::ops::Range;
use std::sync::LazyLock;
use std::{iter, str};

use flate2::read::GzDecoder;
use icu_casemap::CaseMapper;
use icu_normalizer::properties::{CanonicalCombiningClassMap, CanonicalDecomposition, Decomposed};
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
use icu_properties::CodePointMapData;
use icu_properties::props::GraphemeClusterBreak;
use icu_segmenter::GraphemeClusterSegmenter;
use leadbyte::Implementation;
use leadbyte::unicode::{Form, Ignore, UNICODE_VERSION, casefold, is_equivalent, search};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use reference::strategies::cases;
use reference::{all_or_fewer, in_parallel, on_every_implementation, with_every_implementation_active};

/// A file of Unicode's.
fn unpacked(file: &[u8]) -> String {
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).expect("the file is whole");
    text
}

static NORMALIZATION: LazyLock<String> =
    LazyLock::new(|| unpacked(include_bytes!("../vectors/unicode/NormalizationTest.txt.gz")));
static GRAPHEMES: LazyLock<String> =
    LazyLock::new(|| unpacked(include_bytes!("../vectors/unicode/GraphemeBreakTest.txt.gz")));

#[test]
fn the_tests_are_of_the_reported_version() {
    for (text, name) in [(&NORMALIZATION, "NormalizationTest"), (&GRAPHEMES, "GraphemeBreakTest")] {
        assert_eq!(text.lines().next(), Some(&*format!("# {name}-{UNICODE_VERSION}.txt")));
    }
    // One of the characters that came with this version.
    assert_eq!(UNICODE_VERSION, "18.0.0");
}

/// The lines without comments.
fn rows(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()).filter(|row| !row.is_empty())
}

/// The text that code points in hex spell.
fn spelled(numbers: &str) -> String {
    let number = |number| u32::from_str_radix(number, 16).expect("a number in hex");
    numbers.split_whitespace().map(|hex| char::from_u32(number(hex)).expect("a character")).collect()
}

/// The characters of a text in narrower units, if they fit.
fn units<U: TryFrom<u32>>(text: &str) -> Option<Vec<U>> {
    text.chars().map(|character| U::try_from(character.into()).ok()).collect()
}

/// Checks that a text becomes another in a form, however it is stored.
fn check_normalized(on: Implementation, form: Form, text: &str, wanted: &str) {
    let described = || format!("{} {} of {text:?}", on.name(), form.name());
    assert_eq!(on.normalize(form, text), wanted, "{}", described());
    assert_eq!(on.is_normalized(form, text), text == wanted, "{}", described());
    let wanted = (text != wanted).then(|| wanted.chars().map(u32::from).collect::<Vec<_>>());
    assert_eq!(
        units::<u32>(text).map(|units| on.normalize_utf32(form, &units)),
        Some(wanted.clone()),
        "{}",
        described()
    );
    if let Some(units) = units::<u16>(text) {
        assert_eq!(on.normalize_ucs2(form, &units), wanted, "{}", described());
    }
    if let Some(units) = units::<u8>(text) {
        assert_eq!(on.normalize_latin1(form, &units), wanted, "{}", described());
    }
}

#[test]
fn the_normalization_test_of_unicode_passes() {
    let rows = rows(&NORMALIZATION).filter(|row| !row.starts_with('@')).collect::<Vec<_>>();
    assert!(rows.len() > 20_000);
    let rows = all_or_fewer(
        rows.clone(),
        rows.into_iter().step_by(20).collect(),
        "every 20th line of Unicode's tests",
    );
    in_parallel(rows.len(), |row| {
        let columns: Vec<_> = rows[row].split(';').take(5).map(spelled).collect();
        let [source, nfc, nfd, nfkc, nfkd] = &columns[..] else { panic!("not five columns: {}", rows[row]) };
        on_every_implementation(|on| {
            for text in [source, nfc, nfd] {
                check_normalized(on, Form::Nfc, text, nfc);
                check_normalized(on, Form::Nfd, text, nfd);
            }
            for text in [nfkc, nfkd] {
                check_normalized(on, Form::Nfc, text, nfkc);
                check_normalized(on, Form::Nfd, text, nfkd);
            }
            for text in &columns {
                check_normalized(on, Form::Nfkc, text, nfkc);
                check_normalized(on, Form::Nfkd, text, nfkd);
            }
        });
    });
}

/// What the crate makes of a text.
fn foreign(form: Form, text: &str) -> String {
    match form {
        Form::Nfc => ComposingNormalizerBorrowed::new_nfc().normalize(text),
        Form::Nfd => DecomposingNormalizerBorrowed::new_nfd().normalize(text),
        Form::Nfkc => ComposingNormalizerBorrowed::new_nfkc().normalize(text),
        Form::Nfkd => DecomposingNormalizerBorrowed::new_nfkd().normalize(text),
    }
    .into_owned()
}

/// Where the crate ends clusters, in bytes.
fn foreign_ends(text: &str) -> Vec<usize> {
    GraphemeClusterSegmenter::new_neo().segment_str(text).skip(1).collect()
}

/// The neighbours of every character in turn: characters that compose, marks that do not, and characters that are not
/// marks.
const BESIDE: [&str; 14] = [
    "", "a", "\u{300}", "\u{338}", "\u{323}", "\u{3099}", "\u{93C}", "\u{94D}", "\u{1161}", "\u{11A8}",
    "\u{AC00}", "\u{345}", "\u{200D}", "\u{FB1}",
]; // fmt: skip

#[test]
fn every_character_alone_and_beside_others_is_what_the_crates_say() {
    let all = (char::MIN..=char::MAX).collect::<Vec<_>>();
    let combining = CanonicalCombiningClassMap::new();
    let breaks = CodePointMapData::<GraphemeClusterBreak>::new();
    // Most do nothing to their neighbours, nor do most Hangul syllables differ from each other.
    let matters = |character: &char| {
        let is_syllable = ('\u{AC00}'..='\u{D7A3}').contains(character);
        let changes = foreign(Form::Nfkd, &character.to_string()) != character.to_string()
            || breaks.get(*character) != GraphemeClusterBreak::Other;
        combining.get_u8(*character) != 0
            || if is_syllable { u32::from(*character) % 11 == 0 } else { changes }
    };
    let step = all_or_fewer(1, 9, "every 9th character");
    let chunks = all.chunks(512).collect::<Vec<_>>();
    in_parallel(chunks.len(), |chunk| {
        let alone = || chunks[chunk].iter().step_by(step);
        let some = alone().filter(|character| matters(character)).collect::<Vec<_>>();
        for beside in BESIDE {
            // Each stands apart from the next by what changes nothing.
            let around = |character: &char| format!("x{beside}{character}{beside}x");
            let text: String = match beside {
                "" => alone().map(around).collect(),
                _ => some.iter().copied().map(around).collect(),
            };
            for form in Form::ALL {
                let wanted = foreign(form, &text);
                on_every_implementation(|on| check_normalized(on, form, &text, &wanted));
            }
            check_clusters_by_the_crate(&text);
        }
    });
}

/// The sums of the first ones, for each.
fn running(lengths: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut end = 0;
    lengths
        .map(|length| {
            end += length;
            end
        })
        .collect()
}

/// Checks that clusters end where they should, in bytes, however the text is stored.
fn check_clusters(on: Implementation, text: &str, ends: &[usize]) {
    let starts = iter::once(0).chain(ends.iter().copied());
    let clusters: Vec<_> = starts.zip(ends).map(|(start, &end)| &text[start..end]).collect();
    let described = || format!("{} {text:?}", on.name());
    assert_eq!(on.graphemes(text), clusters, "{}", described());
    assert_eq!(on.count_graphemes(text), clusters.len(), "{}", described());
    let lengths = clusters.iter().map(|cluster| cluster.chars().count());
    let ends = running(lengths);
    assert_eq!(
        units::<u32>(text).map(|units| on.cluster_ends_of_utf32(&units)).as_ref(),
        Some(&ends),
        "{}",
        described()
    );
    if let Some(units) = units::<u16>(text) {
        assert_eq!(on.cluster_ends_of_ucs2(&units), ends, "{}", described());
    }
    if let Some(units) = units::<u8>(text) {
        assert_eq!(on.cluster_ends_of_latin1(&units), ends, "{}", described());
    }
}

fn check_clusters_by_the_crate(text: &str) {
    let ends = foreign_ends(text);
    on_every_implementation(|on| check_clusters(on, text, &ends));
}

#[test]
fn the_grapheme_break_test_of_unicode_passes() {
    let mut tested = 0;
    for row in rows(&GRAPHEMES) {
        let clusters =
            row.split('÷').map(|cluster| spelled(&cluster.replace('×', ""))).filter(|text| !text.is_empty());
        let clusters: Vec<_> = clusters.collect();
        let ends: Vec<_> = running(clusters.iter().map(String::len));
        let text = clusters.concat();
        assert_eq!(foreign_ends(&text), ends, "the oracles disagree about {row}");
        on_every_implementation(|on| check_clusters(on, &text, &ends));
        tested += 1;
    }
    assert!(tested > 800, "only {tested} rows");
}

/// Characters of every class that a form or the rules of clusters know, more often those that meet others.
fn difficult() -> impl Strategy<Value = char> {
    let some = "aué\u{C5}\u{1E69}\u{1EC7}\u{212B}\u{2126}\u{FB01}²ﾊﾞ가각각\u{300}\u{301}\u{307}\u{308}\u{323}\u{338}\u{345}\
        \u{344}\u{F73}\u{F71}\u{F72}\u{F43}\u{F42}\u{FB7}\u{93C}\u{94D}कड़\u{958}\u{1CF5}\u{200C}\u{200D}\u{FE0F}👩💻🏽🇺🇦\r\n\u{600}\u{903}\u{9C7}\u{9BE}\
        \u{9D7}\u{B95}\u{BC6}\u{BBE}\u{CC6}\u{CC2}\u{CD5}\u{1161}\u{11A8}\u{11099}\u{110BA}\u{1D15E}\u{1D165}\u{1D16E}\u{2F800}\u{FDFA}\u{16D63}\u{16D67}\u{113C2}\u{113B8}";
    prop_oneof![
        4 => select(some.chars().collect::<Vec<_>>()),
        1 => any::<char>(),
        1 => proptest::char::range('\u{80}', '\u{1FFF}'),
    ]
}

/// Long runs of plain characters, and now and then some of the others.
fn text() -> impl Strategy<Value = String> {
    let run = (select(vec!["a", "é", "ж", "中", "क", "😀", "한"]), 0..150usize)
        .prop_map(|(unit, times)| unit.repeat(times));
    let marks = vec(difficult(), 0..8).prop_map(String::from_iter);
    vec((run, marks), 0..8).prop_map(|parts| parts.iter().flat_map(|(run, marks)| [&**run, marks]).collect())
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn runs_of_plain_characters_with_others_between_are_normalized_as_the_crate_does(text in text()) {
        for form in Form::ALL {
            let wanted = foreign(form, &text);
            on_every_implementation(|on| check_normalized(on, form, &text, &wanted));
        }
        check_clusters_by_the_crate(&text);
    }

    #[test]
    fn difficult_characters_are_treated_as_the_crates_do(text in vec(difficult(), 0..12)) {
        let text = String::from_iter(text);
        for form in Form::ALL {
            let wanted = foreign(form, &text);
            on_every_implementation(|on| check_normalized(on, form, &text, &wanted));
        }
        check_clusters_by_the_crate(&text);
    }

    #[test]
    fn a_text_is_found_where_an_equivalent_one_stands(
        filler in 0..90_usize,
        text in vec(difficult(), 0..12),
        needle in vec(difficult(), 1..3),
        (case, marks) in any::<(bool, bool)>(),
    ) {
        // The first units are not filtered.
        let text = "~".repeat(filler) + &String::from_iter(text);
        let needle = String::from_iter(needle);
        let ignore = Ignore { case, marks };
        let wanted = naive_find(&text, &needle, ignore);
        with_every_implementation_active(|| {
            assert_eq!(search(&text, &needle, ignore), wanted, "{text:?} {needle:?} {ignore:?}");
        });
    }

    #[test]
    fn a_part_is_found_however_it_is_written(
        before in text(), part in vec(difficult(), 1..4), after in text(), decomposed: bool
    ) {
        // With starters on either side it is sure to have ends.
        let part = format!("q{}q", String::from_iter(part));
        let form = if decomposed { Form::Nfd } else { Form::Nfc };
        let text = format!("{before}x{}x{after}", foreign(form, &part));
        let found = search(&text, &part, Ignore::default()).expect("it is there");
        prop_assert!(found.start <= before.len() + 1);
        prop_assert_eq!(foreign(Form::Nfd, &text[found]), foreign(Form::Nfd, &part));
    }
}

/// The folding of a text by the crate.
fn foreign_folding(text: &str) -> String {
    CaseMapper::new().fold_string(text).into_owned()
}

/// Checks the folding of a text, however it is stored.
fn check_folding(on: Implementation, text: &str) {
    let wanted = foreign_folding(text);
    assert_eq!(on.casefold(text), wanted, "{} of {text:?}", on.name());
    let wanted = (text != wanted).then(|| wanted.chars().map(u32::from).collect::<Vec<_>>());
    assert_eq!(units::<u32>(text).and_then(|units| on.casefold_utf32(&units)), wanted);
    if let Some(units) = units::<u16>(text) {
        assert_eq!(on.casefold_ucs2(&units), wanted);
    }
    if let Some(units) = units::<u8>(text) {
        assert_eq!(on.casefold_latin1(&units), wanted);
    }
}

#[test]
fn every_character_is_folded_as_by_the_crate() {
    let all: Vec<char> = (char::MIN..=char::MAX).collect();
    on_every_implementation(|on| {
        for part in all.chunks(200) {
            check_folding(on, &String::from_iter(part));
        }
        for character in (char::MIN..='\u{24FF}').chain('\u{A640}'..='\u{ABFF}') {
            let filler = if character < '\u{100}' { "x" } else { "ж" };
            check_folding(on, &format!("{}{character}{0}", filler.repeat(40)));
            check_folding(on, &String::from(character));
        }
    });
    assert_eq!(casefold("\u{1E9E}"), "ss");
}

/// Text is folded run by run: of ASCII, of characters of up to three bytes, and of others.
#[test]
fn runs_of_any_length_are_folded() {
    let parts = ["a", "A", "é", "ẞ", "ΐ", "😀", "𐐀"];
    on_every_implementation(|on| {
        for first in parts {
            for second in parts {
                for length in [1, 63, 126, 127, 128, 129, 250, 260, 8190, 8193] {
                    let text = format!("{}{second}{}", first.repeat(length / first.len()), first.repeat(130));
                    assert_eq!(on.casefold(&text), foreign_folding(&text), "{} of {text:?}", on.name());
                }
            }
        }
    });
}

/// The first place where some part of a text, from a boundary to another, is canonically equivalent.
fn naive_find(text: &str, needle: &str, ignore: Ignore) -> Option<Range<usize>> {
    let combining = CanonicalCombiningClassMap::new();
    let plain = |text: &str| -> String {
        let decomposed = foreign(Form::Nfd, text);
        let kept: String =
            decomposed.chars().filter(|&mark| !ignore.marks || combining.get_u8(mark) == 0).collect();
        if ignore.case { foreign(Form::Nfd, &foreign_folding(&kept)) } else { kept }
    };
    let places = || text.char_indices().map(|(at, _)| at).chain([text.len()]);
    // Text after a boundary is normalized by itself, whatever is before it.
    let is_boundary = |at: usize| {
        let next = text[at..].chars().next();
        at == 0
            || next.is_none_or(|next| {
                let first = foreign(Form::Nfd, next.encode_utf8(&mut [0; 4])).chars().next().unwrap_or(next);
                combining.get_u8(first) == 0 && ![first, next].into_iter().any(is_a_second_part)
            })
    };
    // Nor does text after an end compose with the character before it.
    let is_end = |at: usize| {
        let first = |text: &str| foreign(Form::Nfd, text).chars().next();
        let last = foreign(Form::Nfd, &text[..at]).chars().next_back();
        let (Some(last), Some(next)) = (last, first(&text[at..])) else { return true };
        is_boundary(at)
            || combining.get_u8(next) == 0
                && combining.get_u8(last) == 0
                && !is_a_second_part(last)
                && !['\u{FB5}', '\u{FB7}'].contains(&next)
                && foreign(Form::Nfc, &format!("{last}{next}")).chars().eq([last, next])
    };
    let after_marks = |at: usize| {
        let is_mark = |&mark: &char| ignore.marks && combining.get_u8(mark) > 0;
        at + text[at..].chars().take_while(is_mark).map(char::len_utf8).sum::<usize>()
    };
    let wanted = plain(needle);
    if wanted.is_empty() {
        return Some(0..0);
    }
    let may_begin = |start: usize| {
        let first = text[start..].get(..first_length(&text[start..])).unwrap_or_default();
        is_boundary(start) && !(ignore.marks && plain(first).is_empty())
    };
    places().filter(|&start| may_begin(start)).find_map(|start| {
        let ends = places().filter(|&end| end > start && plain(&text[start..end]) == wanted);
        ends.map(after_marks).find(|&end| is_end(end)).map(|end| start..end)
    })
}

/// How many bytes the first character takes.
fn first_length(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

/// Whether a character is the second of some pair that another is decomposed to.
fn is_a_second_part(character: char) -> bool {
    static SECONDS: LazyLock<Vec<char>> = LazyLock::new(|| {
        let decomposition = CanonicalDecomposition::new();
        (char::MIN..=char::MAX)
            .filter_map(|character| match decomposition.decompose(character) {
                Decomposed::Expansion(_, second) => Some(second),
                _ => None,
            })
            .collect()
    });
    SECONDS.contains(&character)
}

#[test]
fn texts_are_the_same_if_one_form_of_them_is() {
    with_every_implementation_active(|| {
        for (a, b, form, same) in [
            ("\u{FC}", "u\u{308}", Form::Nfc, true),
            ("\u{FC}", "u\u{308}", Form::Nfd, true),
            ("\u{FC}", "u", Form::Nfd, false),
            ("ﬁ", "fi", Form::Nfc, false),
            ("ﬁ", "fi", Form::Nfkd, true),
            ("q\u{307}\u{323}", "q\u{323}\u{307}", Form::Nfc, true),
            ("", "", Form::Nfc, true),
        ] {
            assert_eq!(is_equivalent(a, b, form), same, "{a:?} {b:?}");
        }
    });
}

#[test]
fn long_texts_are_cut_where_nothing_is_changed_by_it() {
    // Pieces of 8 KiB of UTF-8, and of a million units, end near these places.
    let filler = "x".repeat(8185);
    for marks in 0..20 {
        let text = format!("{filler}e{}z{filler}", "\u{301}\u{323}".repeat(marks));
        for form in Form::ALL {
            let wanted = foreign(form, &text);
            on_every_implementation(|on| check_normalized(on, form, &text, &wanted));
        }
        check_clusters_by_the_crate(&text);
        assert_eq!(search(&text, "z", Ignore::default()), text.find('z').map(|at| at..at + 1));
    }
    let filler = "x".repeat((1 << 20) - 6);
    let text = format!("{filler}e\u{301}\u{323}e\u{301}\u{323}e\u{301}\u{323}z{filler}");
    for form in Form::ALL {
        let wanted = foreign(form, &text);
        check_normalized(Implementation::active(), form, &text, &wanted);
    }
    check_clusters(Implementation::active(), &text, &foreign_ends(&text));
    assert_eq!(
        search(&text, "\u{1EB9}\u{301}z", Ignore::default()),
        Some(filler.len() + 10..filler.len() + 16)
    );
}

#[test]
fn a_million_marks_take_no_long_time() {
    let decomposing = format!("a{}", "\u{344}\u{323}\u{345}".repeat(300_000));
    for text in ["\u{301}\u{323}".repeat(500_000), format!("a{}", "\u{301}".repeat(1_000_000)), decomposing] {
        for form in Form::ALL {
            assert_eq!(Implementation::active().normalize(form, &text), foreign(form, &text));
        }
        assert_eq!(Implementation::active().count_graphemes(&text), 1);
        assert_eq!(search(&text, &foreign(Form::Nfc, &text), Ignore::default()), Some(0..text.len()));
        assert_eq!(search(&text, "\u{301}", Ignore::default()), None);
    }
}
