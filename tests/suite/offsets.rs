//! Offset maps against an oracle that walks over the text.

use super::reference;

use leadbyte::{Newlines, OffsetError, OffsetMap, Position, Unit};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use reference::offsets::{UNITS, Walk, check_map};
use reference::strategies::{self, cases};
use reference::{all_or_fewer, with_every_implementation_active};

/// The sizes of a block and of a super block of the index.
const BLOCK_BYTES: usize = 256;
const SUPER_BYTES: usize = 32 << 10;

/// Bytes that make chars of all lengths, line ends and errors.
const DENSE: &[u8] = b"a\n\r\x80\xBF\xC3\xE2\xED\xF0\xFF";

fn check(text: &[u8]) {
    for newlines in [Newlines::Universal, Newlines::Lf] {
        check_map(text, newlines, 1, 1);
    }
}

/// Noise of some bytes: a linear congruential generator, which needs no seed to be kept.
fn noise(alphabet: &[u8], length: usize) -> Vec<u8> {
    let mut state = length as u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        alphabet[(state >> 33) as usize % alphabet.len()]
    };
    (0..length).map(|_| next()).collect()
}

#[test]
fn short_texts_of_every_length() {
    let step = all_or_fewer(3, 19, "texts of every nineteenth length");
    with_every_implementation_active(|| {
        for length in (0..=600).step_by(step).chain([1, 2, 63, 64, 65, 127, 128, 129, 255, 256, 257]) {
            for alphabet in [DENSE, b"\r\n"] {
                check_map(&noise(alphabet, length), Newlines::Universal, 1, 1 + length / 40);
            }
        }
    });
}

#[test]
fn one_byte_everywhere() {
    with_every_implementation_active(|| {
        for byte in [b'a', b'\n', b'\r', 0x80, 0xC3, 0xF0] {
            for length in [0, 1, 127, 128, 300] {
                check_map(&vec![byte; length], Newlines::Universal, 1, 29);
            }
        }
    });
}

/// A pair of bytes at the edge of a chunk, a block and a super block.
#[test]
fn pairs_at_edges() {
    with_every_implementation_active(|| {
        for edge in [64, 128, BLOCK_BYTES, SUPER_BYTES] {
            for pair in [b"\r\n", b"\n\r", b"\r\r", b"\xF0\x9F", b"\xF0\xF0", b"\x80a"] {
                for before in 0..=2 {
                    let mut text = vec![b'x'; edge + BLOCK_BYTES];
                    text[edge - before..edge - before + 2].copy_from_slice(pair);
                    let map = OffsetMap::new(&text);
                    let walk = Walk::new(&text, Newlines::Universal);
                    for unit in UNITS {
                        for byte in edge - 4..edge + 5 {
                            let offset = walk.convert(byte, Unit::Byte, unit);
                            assert_eq!(map.convert(byte, Unit::Byte, unit), Ok(offset));
                            assert_eq!(map.convert(offset, unit, Unit::Byte), Ok(walk.byte(offset, unit).0));
                            let position = walk.position(byte, Unit::Byte, unit);
                            assert_eq!(map.position(byte, Unit::Byte, unit), Ok(position));
                            let offset = walk.offset(position, Unit::Byte, unit);
                            assert_eq!(map.offset(position, Unit::Byte, unit), Ok(offset));
                        }
                    }
                }
            }
        }
    });
}

/// Line ends that are dense in one super block and missing in others, so that samples are many super blocks apart.
#[test]
fn uneven_texts() {
    let mut text = vec![0x80; 12 * SUPER_BYTES];
    text[3 * SUPER_BYTES..][..SUPER_BYTES].fill(b'\n');
    text[11 * SUPER_BYTES + 5] = 0xF0;
    with_every_implementation_active(|| {
        let map = OffsetMap::new(&text);
        // Each stray byte is an error of its own.
        assert_eq!((map.char_count(), map.utf16_count()), (text.len(), text.len()));
        assert_eq!(map.line_count(), SUPER_BYTES + 1);
        for n in [1, 2, 1000, SUPER_BYTES - 1] {
            assert_eq!(map.convert(n, Unit::Utf16, Unit::Byte), Ok(n));
            let start = map.offset(Position { line: n, character: 0 }, Unit::Byte, Unit::Char);
            assert_eq!(start, Ok(3 * SUPER_BYTES + n));
        }
        let last = text.len() - 1;
        let position = map.position(last, Unit::Byte, Unit::Char);
        assert_eq!(position, Ok(Position { line: SUPER_BYTES, character: last - 4 * SUPER_BYTES }));
    });
}

/// Lead bytes of four bytes are errors of one code unit each where nothing continues them.
#[test]
fn the_densest_text() {
    let text = vec![0xF0; 2 * SUPER_BYTES + 100];
    with_every_implementation_active(|| {
        let map = OffsetMap::new(&text);
        for byte in (0..text.len()).step_by(997) {
            assert_eq!(map.convert(byte, Unit::Byte, Unit::Utf16), Ok(byte));
            assert_eq!(map.convert_strict(byte, Unit::Utf16, Unit::Byte), Ok(byte));
        }
    });
}

fn long_text() -> Vec<u8> {
    let line = "Длинный текст, 長い文章 😀, and some ASCII\r\n";
    let mut text = line.repeat(3 * (1 << 20) / line.len()).into_bytes();
    let noisy = noise(DENSE, 3000);
    for at in [SUPER_BYTES - 1500, (1 << 20) - 1500, 2_000_000] {
        text[at..at + noisy.len()].copy_from_slice(&noisy);
    }
    text
}

#[test]
fn threads_build_the_same_index() {
    let text = long_text();
    with_every_implementation_active(|| {
        let one = OffsetMap::new(&text);
        for threads in [0, 2, 5] {
            let map = OffsetMap::with_threads(&text, Newlines::Universal, threads);
            assert_eq!((map.line_count(), map.utf16_count()), (one.line_count(), one.utf16_count()));
            for offset in (0..map.char_count()).step_by(9973) {
                let byte = one.convert(offset, Unit::Char, Unit::Byte);
                assert_eq!(map.convert(offset, Unit::Char, Unit::Byte), byte);
                let position = |map: &OffsetMap<_>| map.position(offset, Unit::Char, Unit::Utf16);
                assert_eq!(position(&map), position(&one));
            }
        }
    });
}

#[test]
fn offsets_of_a_long_text() {
    let text = long_text();
    let expected = |byte: usize| {
        let before = String::from_utf8_lossy(&text[..byte]);
        (leadbyte::count_chars(before.as_bytes()), leadbyte::count_utf16(before.as_bytes()))
    };
    with_every_implementation_active(|| {
        let map = OffsetMap::new(&text);
        assert!(map.index_bytes() * 1000 <= text.len() * 26);
        let bytes: Vec<usize> =
            (0..3000).map(|at| leadbyte::floor_boundary(&text, at * 7919 * 37 % text.len())).collect();
        let bytes: Vec<usize> = bytes.into_iter().filter(|&byte| text[byte] & 0xC0 != 0x80).collect();
        let (mut chars, mut units) = (vec![0; bytes.len()], vec![0; bytes.len()]);
        assert_eq!(map.convert_many(&bytes, Unit::Byte, Unit::Char, &mut chars), Ok(()));
        assert_eq!(map.convert_many(&bytes, Unit::Byte, Unit::Utf16, &mut units), Ok(()));
        for at in (0..bytes.len()).step_by(10) {
            assert_eq!((chars[at], units[at]), expected(bytes[at]));
        }
        let mut back = vec![0; bytes.len()];
        for (unit, offsets) in [(Unit::Char, &chars), (Unit::Utf16, &units)] {
            assert_eq!(map.convert_many_strict(offsets, unit, Unit::Byte, &mut back), Ok(()));
            assert_eq!(back, bytes);
        }
        assert_eq!(map.convert_many(&chars, Unit::Char, Unit::Utf16, &mut back), Ok(()));
        assert_eq!(back, units);
    });
}

#[test]
fn strict_batches_name_the_first_offset_inside_a_character() {
    let text = "ab😀cd€".as_bytes();
    with_every_implementation_active(|| {
        let map = OffsetMap::new(text);
        let inside = |offsets: &[usize], unit| {
            map.convert_many_strict(offsets, unit, Unit::Char, &mut vec![0; offsets.len()]).unwrap_err()
        };
        let emoji = OffsetError::InsideChar { offset: 3, unit: Unit::Byte, start: 2, char: Some('😀') };
        assert_eq!(inside(&[0, 3, 4], Unit::Byte), emoji);
        let emoji = OffsetError::InsideChar { offset: 3, unit: Unit::Utf16, start: 2, char: Some('😀') };
        assert_eq!(inside(&[6, 3, 9, 1][..2], Unit::Utf16), emoji);
        assert_eq!(map.convert_many_strict(&[0, 1, 5], Unit::Char, Unit::Byte, &mut [0; 3]), Ok(()));
    });
}

#[test]
fn errors_name_the_offset_and_the_character() {
    let map = OffsetMap::new("a€😀\u{301}".as_bytes());
    let message = |offset, unit| map.convert_strict(offset, unit, Unit::Byte).unwrap_err().to_string();
    assert_eq!(message(3, Unit::Byte), "byte 3 is inside the character U+20AC \"€\" that starts at byte 1");
    assert_eq!(
        message(3, Unit::Utf16),
        "UTF-16 code unit 3 is inside the character U+1F600 \"😀\" that starts at UTF-16 code unit 2"
    );
    assert_eq!(message(5, Unit::Char), "char offset 5 is out of range: the text has 4 chars");
    // A truncated sequence is one error; each byte of a surrogate is one, as is a continuation byte by itself.
    let map = OffsetMap::new(b"\xE2\x82a\xED\xA0\x80\x80");
    let error = OffsetError::InsideChar { offset: 1, unit: Unit::Byte, start: 0, char: None };
    assert_eq!(map.convert_strict(1, Unit::Byte, Unit::Char), Err(error));
    for byte in 3..7 {
        assert_eq!(map.convert_strict(byte, Unit::Byte, Unit::Char), Ok(byte - 1));
    }
    let error = map.convert_strict(1, Unit::Byte, Unit::Char).unwrap_err();
    assert_eq!(error.to_string(), "byte 1 is inside the malformed sequence that starts at byte 0");
}

#[test]
fn slices_are_between_characters() {
    let map = OffsetMap::new("a€😀!".as_bytes());
    assert_eq!(map.slice(1, 3, Unit::Char), Ok("€😀".as_bytes()));
    assert_eq!(map.slice(2, 9, Unit::Byte), Ok("€😀!".as_bytes()));
    assert_eq!(map.slice(3, 4, Unit::Utf16), Ok("😀".as_bytes()));
    assert_eq!(map.slice(3, 1, Unit::Char), Ok(&[][..]));
    assert!(map.slice(0, 5, Unit::Char).is_err());
    assert_eq!(OffsetMap::new(b"\x80\x80a").slice(0, 1, Unit::Char), Ok(&b"\x80"[..]));
}

/// A text that is another one every time, as a buffer that is written meanwhile.
struct Changing<'a> {
    texts: &'a [Vec<u8>],
    reads: std::cell::Cell<usize>,
}

impl AsRef<[u8]> for Changing<'_> {
    fn as_ref(&self) -> &[u8] {
        let read = self.reads.get();
        self.reads.set(read + 1);
        &self.texts[read % self.texts.len()]
    }
}

#[test]
fn a_text_that_changes_gives_offsets_within_the_one_indexed() {
    let lengths = [1000, 0, 130, 70_000, 40_000, 300, 5];
    let texts: Vec<Vec<u8>> = lengths
        .iter()
        .flat_map(|&length| {
            [noise(DENSE, length), vec![0x80; length], vec![0xF0; length], vec![b'\n'; length]]
        })
        .collect();
    with_every_implementation_active(|| {
        for first in 0..texts.len() {
            let mut texts = texts.clone();
            texts.rotate_left(first);
            let map = OffsetMap::new(Changing { texts: &texts, reads: 0.into() });
            let count = |unit| match unit {
                Unit::Byte => map.byte_count(),
                Unit::Char => map.char_count(),
                Unit::Utf16 => map.utf16_count(),
            };
            for source in UNITS {
                let offsets: Vec<usize> = (0..=20).map(|part| count(source) * part / 20).collect();
                for target in UNITS {
                    for &offset in &offsets {
                        let result = map.convert(offset, source, target);
                        assert!(result.is_ok_and(|offset| offset <= count(target)));
                        let position =
                            map.position(offset, source, target).expect("it is not beyond the end");
                        assert!(position.line < map.line_count());
                        let result = map.offset(position, source, target);
                        assert!(result.is_ok_and(|offset| offset <= count(source)));
                        assert!(map.slice(offset / 2, offset, source).is_ok());
                        let _ = map.convert_strict(offset, source, target);
                    }
                    let mut out = vec![0; offsets.len()];
                    assert_eq!(map.convert_many(&offsets, source, target, &mut out), Ok(()));
                    assert!(out.iter().all(|&offset| offset <= count(target)));
                }
            }
        }
    });
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn random_texts(text in strategies::data(), dense in vec(select(DENSE), 0..300)) {
        with_every_implementation_active(|| {
            check(&dense);
            check_map(&text, Newlines::Universal, 1, 1 + text.len() / 50);
        });
    }
}
