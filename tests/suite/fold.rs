//! The fold: pieces, cut anywhere and merged in any order, give what the whole gives, and the whole
//! gives what the oracle returns.

use super::reference;
use crate::progress::Stopped;

use leadbyte::{Scanner, Unit, locate, scan, scan_with_threads};
use proptest::prelude::*;
use proptest::{collection::vec, sample::Index};
use reference::pieces::{check_against_oracle, check_pieces, check_single_cuts, merged, scanner};
use reference::strategies::{self, cases};
use reference::{BOUNDARY_BYTES, Facts, Note, all_or_fewer, in_parallel, with_every_implementation_active};

/// `scan_with_threads` takes steps of this many bytes.
const CHUNK_BYTES: usize = 1 << 20;

#[test]
fn long_ascii_gives_the_same_scanner_however_it_is_cut() {
    let data = "plain\n".repeat(2000).into_bytes();
    let whole = scanner(&data, 1);
    for cut in (0..data.len()).step_by(7) {
        assert_eq!(merged(&scanner(&data[..cut], 1), &scanner(&data[cut..], 1)), whole, "{cut}");
    }
}

fn check_every_way_to_cut(data: &[u8], limit: usize) {
    // Each bit is whether to cut after a byte.
    for cuts in 0..1u32 << data.len().saturating_sub(1) {
        let mut pieces = vec![];
        let mut start = 0;
        for end in 1..=data.len() {
            if end == data.len() || cuts >> (end - 1) & 1 == 1 {
                pieces.push(&data[start..end]);
                start = end;
            }
        }
        check_pieces(&pieces, limit);
    }
}

fn for_every_string(alphabet: &[u8], length: usize, check: impl Fn(&[u8]) + Sync) {
    in_parallel(alphabet.len(), |first| {
        for mut index in 0..alphabet.len().pow(length as u32 - 1) {
            let mut string = vec![alphabet[first]];
            string.resize_with(length, || {
                let byte = alphabet[index % alphabet.len()];
                index /= alphabet.len();
                byte
            });
            check(&string);
        }
    });
}

#[test]
fn every_cut_of_every_string_of_boundary_bytes() {
    let longest = all_or_fewer(4, 3, "cuts: strings of at most three boundary bytes");
    with_every_implementation_active(|| {
        for length in 1..=longest {
            for_every_string(&BOUNDARY_BYTES, length, |string| {
                check_against_oracle(string, 9);
                check_single_cuts(string, 9);
            });
        }
    });
}

/// Longer than a head and a tail together, over one byte of each kind.
#[test]
fn every_cut_of_every_longer_string() {
    let longest = all_or_fewer(8, 6, "cuts: longer strings of at most six bytes");
    with_every_implementation_active(|| {
        for length in 5..=longest {
            for_every_string(b"\n\x80\xC2\xE1\xF1", length, |string| {
                check_against_oracle(string, 2);
                check_single_cuts(string, 2);
            });
        }
    });
}

/// Checks the induction of `check_single_cuts` directly.
#[test]
fn every_way_to_cut_and_merge() {
    let (longest, length_of_few) =
        all_or_fewer((3, 6), (2, 5), "merges: strings of two boundary bytes, of five of a few bytes");
    with_every_implementation_active(|| {
        for length in 1..=longest {
            for_every_string(&BOUNDARY_BYTES, length, |string| check_every_way_to_cut(string, 1));
        }
        for_every_string(b"a\x80\xE1\xF1", length_of_few, |string| check_every_way_to_cut(string, 3));
    });
}

#[test]
fn a_byte_order_mark_may_be_cut() {
    let mark = "\u{FEFF}".as_bytes();
    with_every_implementation_active(|| {
        for before in [b"".as_slice(), b"a", b"\n", b"\x80", b"\xEF", b"\xEF\xBB"] {
            for after in [b"".as_slice(), b"a", b"\x80\x80", b"\xFF\n", "\u{FEFF}".as_bytes()] {
                let data = [before, mark, after].concat();
                check_against_oracle(&data, 9);
                check_every_way_to_cut(&data, 9);
                assert_eq!(scan(&data).bom, before.is_empty());
            }
        }
    });
}

#[test]
fn empty_pieces_change_nothing() {
    check_pieces(&[], 1);
    check_pieces(&[b"", b"\xE2", b"", b"\x82", b"", b"", b"\xAC", b""], 1);
}

#[test]
fn merging_with_itself_is_the_same_data_twice() {
    with_every_implementation_active(|| {
        for_every_string(b"\n\x80\xBB\xEF\xF1", 4, |string| {
            let once = scanner(string, 9);
            assert_eq!(merged(&once, &once), scanner(&string.repeat(2), 9), "{string:02x?}");
        });
    });
}

#[test]
fn only_as_many_errors_are_kept_as_asked_for() {
    for limit in 0..5 {
        let mut scanner = Scanner::keeping(limit);
        for _ in 0..4 {
            scanner.update(b"\xFF\xC3");
        }
        // At least one, which a scan gives.
        assert_eq!((scanner.errors().len(), scanner.limit()), (limit.max(1), limit.max(1)));
        assert_eq!(scanner.finish().error_count, 8);
    }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn random_pieces(data in strategies::data(), cuts in vec(any::<Index>(), 0..9), limit in 1..20usize) {
        with_every_implementation_active(|| {
            check_against_oracle(&data, limit);
            check_pieces(&pieces(&data, &cuts), limit);
        });
    }

    #[test]
    fn random_pieces_of_errors(
        data in strategies::dense_errors(),
        cuts in vec(any::<Index>(), 0..20),
        limit in 1..5usize,
    ) {
        with_every_implementation_active(|| {
            check_against_oracle(&data, limit);
            check_single_cuts(&data, limit);
            check_pieces(&pieces(&data, &cuts), limit);
        });
    }

    #[test]
    fn errors_stand_where_locate_finds_them(data in strategies::data()) {
        with_every_implementation_active(|| {
            for noted in scanner(&data, 50).errors() {
                let place = locate(&data, noted.error.start() as usize, Unit::Byte);
                assert_eq!((noted.location.line, noted.location.column), (place.line, place.column));
            }
        });
    }
}

fn pieces<'a>(data: &'a [u8], cuts: &[Index]) -> Vec<&'a [u8]> {
    let mut ends = cuts.iter().map(|cut| cut.index(data.len() + 1)).collect::<Vec<_>>();
    ends.sort_unstable();
    ends.push(data.len());
    let mut start = 0;
    ends.into_iter().map(|end| &data[std::mem::replace(&mut start, end)..end]).collect()
}

/// Four steps and a bit, with something at every cut between them.
fn long_data(at_cuts: &[u8], shift: usize) -> Vec<u8> {
    let mut data = "Длинный текст, 長い文章 😀\n".repeat(5 * CHUNK_BYTES / 50).into_bytes();
    data.truncate(4 * CHUNK_BYTES + 12345);
    for cut in 1..=4 {
        let at = cut * CHUNK_BYTES - shift;
        data[at..at + at_cuts.len()].copy_from_slice(at_cuts);
        data[at - CHUNK_BYTES / 2] = 0xFF;
    }
    data
}

#[test]
fn threads_find_what_one_finds() {
    with_every_implementation_active(|| {
        for (at_cuts, shift) in [
            ("😀".as_bytes(), 1),
            ("a😀a".as_bytes(), 3),
            (b"a\xE2\x82a", 2),
            (b"\xF1\x80\x80\x80\x80\x80\x80\x80\x80", 5),
            (b"\n\n\xC3", 3),
        ] {
            let data = long_data(at_cuts, shift);
            let facts = Facts::of(&data);
            let notes = reference::notes(&data, 30);
            for threads in [0, 1, 2, 3, 8] {
                assert_eq!(Facts::from(scan_with_threads(&data, threads)), facts, "{threads} threads");
                let mut scanner = Scanner::keeping(30);
                scanner.update_with(&data, threads, &mut || Ok(())).expect("nothing stops it");
                assert_eq!(scanner.errors().iter().map(Note::from).collect::<Vec<_>>(), notes);
            }
        }
    });
}

#[test]
fn threads_for_little_data() {
    for threads in [0, 1, 2, 8] {
        assert_eq!(scan_with_threads(b"", threads), scan(b""));
        assert_eq!(scan_with_threads(b"caf\xE9", threads), scan(b"caf\xE9"));
    }
}

#[test]
fn a_failed_poll_leaves_the_scanner_as_it_was() {
    let data = long_data("😀".as_bytes(), 1);
    for threads in [0, 1, 2, 8] {
        let mut scanner = scanner(b"before \xE2\x82", 3);
        let before = scanner.clone();
        let mut polls = 0;
        let outcome = scanner.update_with(&data, threads, &mut || {
            polls += 1;
            Err(Stopped::Interrupted)
        });
        // Others may have taken every step before this thread came to one.
        assert_eq!(outcome.is_err(), polls > 0);
        if polls > 0 {
            assert_eq!(scanner, before);
        }
    }
    let mut polls = 0;
    let outcome = scanner(b"", 1).update_with(&data, 1, &mut || {
        polls += 1;
        if polls < 3 { Ok(()) } else { Err(Stopped::Interrupted) }
    });
    assert_eq!((outcome, polls), (Err(Stopped::Interrupted), 3));
}

/// Scanners whose states hold everything that a state can hold.
fn scanners() -> Vec<Scanner> {
    [
        b"".as_slice(),
        b"text\n",
        b"\x80\x80",
        b"\xE2\x82",
        b"\n\xF0\x9F\x98",
        b"\xEF\xBB\xBFa\xC0\xB1\n\xED\xA0\x80 and \xFF more\xE2",
        b"\x80\x80\x80\x80\x80\xF4\x90\x80\x80\n\xF1\x80\x80 \xF8",
    ]
    .map(|data| scanner(data, 3))
    .to_vec()
}

#[test]
fn a_state_gives_its_scanner_back() {
    for scanner in scanners() {
        assert_eq!(Scanner::from_state(&scanner.state()), Some(scanner));
    }
}

#[test]
fn part_of_a_state_gives_none() {
    for state in scanners().iter().map(Scanner::state) {
        for length in 0..state.len() {
            assert_eq!(Scanner::from_state(&state[..length]), None, "{length} of {state:02x?}");
        }
        assert_eq!(Scanner::from_state(&[&state[..], b"\0"].concat()), None, "{state:02x?}");
    }
}

/// A state that something else has written gives no scanner, or one that can be used.
#[test]
fn a_damaged_state_does_no_harm() {
    let scanners = scanners();
    for state in scanners.iter().map(Scanner::state) {
        for at in 0..state.len() {
            for byte in [0, 1, 2, 7, 12, 13, 0x7F, 0x80, 0xE2, 0xFF] {
                let mut damaged = state.clone();
                damaged[at] = byte;
                let Some(scanner) = Scanner::from_state(&damaged) else { continue };
                for other in &scanners {
                    for merged in [merged(&scanner, other), merged(other, &scanner)] {
                        merged.finish();
                        merged.errors();
                        assert_eq!(Scanner::from_state(&merged.state()), Some(merged));
                    }
                }
            }
        }
    }
}

/// No number in a state is too large.
#[test]
fn a_state_of_huge_numbers_does_no_harm() {
    let state = scanner(b"more than twelve bytes\n", 1).state();
    // The bytes, the chars among them, and so on: the first numbers after the version.
    for numbers in 1..=7 {
        for top in [0x00, 0x0F, 0x7F, 0xFF] {
            let mut huge = state.clone();
            for number in huge[1..].chunks_exact_mut(8).take(numbers) {
                number.fill(0xFF);
                number[7] = top;
            }
            if let Some(scanner) = Scanner::from_state(&huge) {
                merged(&scanner, &scanner).finish();
            }
        }
    }
}
