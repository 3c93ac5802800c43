//! Offset maps of texts that are edited, against a text that is edited as a whole.

use super::reference;

use leadbyte::{EditableOffsetMap, Newlines, OffsetError, Unit};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use reference::offsets::{UNITS, check_edited};
use reference::strategies::cases;
use reference::with_every_implementation_active;

/// Bytes that make chars of all lengths, line ends and errors.
const DENSE: &[u8] = b"a\n\r\x80\xBF\xC3\xE2\xED\xF0\xFF";

/// Numbers of a linear congruential generator.
struct Noise(u64);

impl Noise {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }

    fn bytes(&mut self, alphabet: &[u8], length: usize) -> Vec<u8> {
        (0..length).map(|_| alphabet[self.below(alphabet.len())]).collect()
    }
}

/// Many edits, so that the tree becomes deep, is compacted, and shrinks again.
#[test]
fn many_edits() {
    with_every_implementation_active(|| {
        for (seed, alphabet) in [(1, DENSE), (2, b"\r\n".as_slice()), (3, "Привет, мир 😀\r\n".as_bytes())]
        {
            let newlines = if seed == 3 { Newlines::Lf } else { Newlines::Universal };
            let mut noise = Noise(seed);
            let original = noise.bytes(alphabet, 60_000);
            let mut map = EditableOffsetMap::with_newlines(&original[..], newlines);
            let mut text = original.clone();
            for edit in 0..1500 {
                let start = noise.below(text.len() + 1);
                // Towards the end most of the text is removed.
                let longest = match (edit, noise.below(40)) {
                    (1300.., _) => 800,
                    (_, 0) => 3000,
                    _ => 6,
                };
                let end = (start + noise.below(longest)).min(text.len());
                let length = match noise.below(40) {
                    0 if edit < 1300 => noise.below(20_000),
                    1..=4 => noise.below(1500),
                    _ => noise.below(6),
                };
                let data = noise.bytes(alphabet, length);
                assert_eq!(map.replace(start, end, &data), Ok(()));
                text.splice(start..end, data);
                assert_eq!(map.byte_count(), text.len());
                if edit % 500 == 499 {
                    check_edited(&map, &text, newlines, 1 + text.len() / 12);
                }
            }
            assert_eq!(map.replace(0, text.len(), b"\n"), Ok(()));
            check_edited(&map, b"\n", newlines, 1);
            assert_eq!(map.replace(0, 1, b""), Ok(()));
            check_edited(&map, b"", newlines, 1);
        }
    });
}

/// Keys typed one after the other, deleted again, and a text that is inserted at once.
#[test]
fn typing_and_pasting() {
    let original = "first line\r\nsecond line\r\n".repeat(300).into_bytes();
    let mut map = EditableOffsetMap::new(&original[..]);
    let mut text = original.clone();
    for key in 0..5000 {
        let (at, byte) = (3000 + key, b"ab\r\n\xC3\xA9"[key % 6]);
        assert_eq!(map.replace(at, at, &[byte]), Ok(()));
        text.insert(at, byte);
    }
    check_edited(&map, &text, Newlines::Universal, 997);
    for key in (1000..5000).rev() {
        assert_eq!(map.replace(3000 + key, 3001 + key, b""), Ok(()));
        text.remove(3000 + key);
    }
    check_edited(&map, &text, Newlines::Universal, 997);
    let pasted = "😀 много текста\r".repeat(20_000).into_bytes();
    assert_eq!(map.replace(2000, 2001, &pasted), Ok(()));
    text.splice(2000..2001, pasted);
    check_edited(&map, &text, Newlines::Universal, 150_001);
    assert_eq!(map.replace(1000, text.len() - 1000, b""), Ok(()));
    text.splice(1000..text.len() - 1000, []);
    check_edited(&map, &text, Newlines::Universal, 97);
}

/// CR and LF from either side, by inserting between them and by joining them again.
#[test]
fn line_ends_that_are_cut() {
    with_every_implementation_active(|| {
        for original in [b"a\r\nb".as_slice(), b"\r\n", b"a\rb\nc", b"\r\r\n\n"] {
            // Long pieces stay in the original text, short ones are copied.
            for around in [0, 300] {
                let original = [vec![b'x'; around], original.to_vec(), vec![b'y'; around]].concat();
                for newlines in [Newlines::Universal, Newlines::Lf] {
                    for at in around..=original.len() - around {
                        for data in [b"".as_slice(), b"-", b"\r", b"\n", b"\r\n", b"\n\r"] {
                            let mut map = EditableOffsetMap::with_newlines(&original[..], newlines);
                            let mut text = original.clone();
                            for (start, end, data) in [(at, at, data), (at, at + data.len(), b"".as_slice())]
                            {
                                assert_eq!(map.replace(start, end, data), Ok(()));
                                text.splice(start..end, data.iter().copied());
                                check_edited(&map, &text, newlines, 1 + text.len() / 9);
                            }
                        }
                    }
                }
            }
        }
    });
}

#[test]
fn a_range_out_of_order_or_beyond_the_end_changes_nothing() {
    let mut map = EditableOffsetMap::new(b"text".as_slice());
    let error = |offset, count| Err(OffsetError::OutOfRange { offset, unit: Unit::Byte, count });
    assert_eq!(map.replace(0, 5, b"x"), error(5, 4));
    assert_eq!(map.replace(5, 5, b"x"), error(5, 4));
    assert_eq!(map.replace(3, 2, b"x"), error(3, 2));
    assert_eq!(map.to_bytes(), b"text");
}

/// A text that is another one every time, as a buffer that is written meanwhile.
struct Changing {
    texts: Vec<Vec<u8>>,
    reads: std::cell::Cell<usize>,
}

impl AsRef<[u8]> for Changing {
    fn as_ref(&self) -> &[u8] {
        let read = self.reads.get();
        self.reads.set(read + 1);
        &self.texts[read % self.texts.len()]
    }
}

#[test]
fn a_text_that_changes_gives_offsets_within_the_one_indexed() {
    with_every_implementation_active(|| {
        for seed in 1..10 {
            let mut noise = Noise(seed);
            let mut texts: Vec<Vec<u8>> = [5000, 0, 300, 40_000, 4000, 7]
                .iter()
                .flat_map(|&length| [noise.bytes(DENSE, length), vec![0x80; length], vec![0xF0; length]])
                .collect();
            let first = noise.below(texts.len());
            texts.rotate_left(first);
            let mut map = EditableOffsetMap::new(Changing { texts, reads: 0.into() });
            for _ in 0..200 {
                let start = noise.below(map.byte_count() + 1);
                let end = (start + noise.below(100)).min(map.byte_count());
                let length = noise.below(60);
                let data = noise.bytes(DENSE, length);
                let expected = map.byte_count() - (end - start) + data.len();
                assert_eq!(map.replace(start, end, &data), Ok(()));
                assert_eq!((map.byte_count(), map.to_bytes().len()), (expected, expected));
                let byte = noise.below(map.byte_count() + 1);
                for unit in UNITS {
                    let count = match unit {
                        Unit::Byte => map.byte_count(),
                        Unit::Char => map.char_count(),
                        Unit::Utf16 => map.utf16_count(),
                    };
                    let offset = byte.min(count);
                    assert!(map.convert(offset, unit, Unit::Byte).is_ok_and(|byte| byte <= map.byte_count()));
                    let _ = map.convert_strict(offset, unit, Unit::Char);
                    let position = map.position(offset, unit, Unit::Utf16).expect("it is not beyond the end");
                    let _ = map.offset(position, unit, Unit::Utf16);
                    assert!(map.slice(offset / 2, offset, unit).is_ok());
                }
            }
        }
    });
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn random_edits(
        original in vec(select(DENSE), 0..700),
        edits in vec((any::<[Index; 2]>(), vec(select(DENSE), 0..150), any::<bool>()), 1..30),
        lf in any::<bool>(),
    ) {
        let newlines = if lf { Newlines::Lf } else { Newlines::Universal };
        with_every_implementation_active(|| {
            let mut map = EditableOffsetMap::with_newlines(&original[..], newlines);
            let mut text = original.clone();
            let mut copy = (map.clone(), text.clone());
            for (number, (ends, data, small)) in edits.iter().enumerate() {
                if number == edits.len() / 2 {
                    copy = (map.clone(), text.clone());
                }
                let [start, end] = ends.map(|end| end.index(text.len() + 1));
                let (start, end) = (start.min(end), start.max(end));
                let end = if *small { end.min(start + 3) } else { end };
                assert_eq!(map.replace(start, end, data), Ok(()));
                text.splice(start..end, data.iter().copied());
                assert_eq!(map.to_bytes(), text);
            }
            check_edited(&map, &text, newlines, 1 + text.len() / 40);
            // A copy has nothing of the edits after it.
            check_edited(&copy.0, &copy.1, newlines, 1 + copy.1.len() / 40);
        });
    }
}
