//! The edges of vectors, blocks, stretches, counters and steps: every length and every place around them.

use super::reference;

use reference::{all_or_fewer, check_all, check_counting, check_in_place, on_every_implementation};

/// Short inputs, and the longest runs of blocks, have up to this many bytes.
const MAX_SHORT_BYTES: usize = 1024;

/// Long data is taken in steps of this many bytes.
const CHUNK_BYTES: usize = 1 << 20;

/// Text that fills a buffer: of every width, so that errors fall on and between characters, and with
/// stretches of ASCII that are skipped in blocks.
fn fills() -> [String; 6] {
    let mixed = "a\nб€😀".repeat(7) + &"plain ASCII\n".repeat(30);
    ["a".into(), "\n".into(), "é".into(), "€".into(), "😀".into(), mixed]
}

/// `length` bytes of `fill` over and over; the last character may be cut off.
fn filled(fill: &str, length: usize) -> Vec<u8> {
    fill.bytes().cycle().take(length).collect()
}

/// Inserted bytes: characters of every width and all ways to break them.
const INSERTS: [&[u8]; 14] = [
    "ß".as_bytes(),
    "€".as_bytes(),
    "😀".as_bytes(),
    b"\n",
    b"\x80",
    b"\xC0\xB1",
    b"\xE2\x82",
    b"\xE0\x9F\xBF",
    b"\xED\xA0\x80",
    b"\xF0\x90\x80",
    b"\xF0\x8F\xBF\xBF",
    b"\xF4\x90\x80\x80",
    b"\xF1\x80\x80\x80\x80\x80\x80\x80",
    b"\xFF",
];

#[test]
fn every_length() {
    for fill in fills() {
        let data = filled(&fill, 2 * MAX_SHORT_BYTES + 40);
        for length in 0..=data.len() {
            check_all(&data[..length]);
        }
    }
}

#[test]
fn every_offset_in_a_vector() {
    let data = filled(&fills()[5], MAX_SHORT_BYTES);
    for offset in 0..=64 {
        for length in [0, 1, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 131, 132, 260, 515, 700] {
            // Not by way of `check_all`, which moves the bytes to a place of their own.
            check_in_place(&data[offset..offset + length]);
        }
    }
}

#[test]
fn everything_at_every_place_of_short_data() {
    for fill in ["a", "é", "😀"] {
        for length in [1, 7, 8, 9, 31, 32, 33, 64, 127, 128, 129, 131, 132, 160, 255, 256, 257, 260, 388] {
            let data = filled(fill, length);
            for place in 0..length {
                for insert in INSERTS {
                    let mut data = data.clone();
                    let buffer = insert.len().min(length - place);
                    data[place..place + buffer].copy_from_slice(&insert[..buffer]);
                    check_all(&data);
                }
            }
        }
    }
}

/// Dense text goes by stretches that grow up to 16 KB, so all their edges are within the first 40 KB.
#[test]
fn an_error_at_every_place_of_long_data() {
    let step = all_or_fewer(1, 7, "long data: broken at every seventh place past 8 KB");
    reference::in_parallel(fills().len(), |index| {
        let fill = &fills()[index];
        let data = filled(fill, 40 << 10);
        for place in (0..8 << 10).chain((8 << 10..data.len()).step_by(step)) {
            // Enough after the error that nobody sees the end.
            let mut data = data[..data.len().min(place + (5 << 10))].to_vec();
            data[place] = 0xFF;
            let expected = reference::foreign_first_span(&data);
            on_every_implementation(|implementation| {
                let name = implementation.name();
                let span = |error: reference::Error| (error.start, error.end);
                let found = implementation.validate(&data).err().map(|error| span(error.into()));
                assert_eq!(found, expected, "{name}, {fill:?}, {place}");
            });
        }
    });
}

/// Stretches that are surveyed grow with the way up to them, so the longest come after some 30 KB. Only a
/// character that is truncated is not seen by itself, but from what follows it.
#[test]
fn a_character_breaks_off_at_every_place_of_long_sparse_text() {
    let step = all_or_fewer(1, 7, "long sparse text: broken at every seventh place");
    let mut data = filled("plain ASCII\n", 56 << 10);
    for place in (300..data.len()).step_by(457) {
        data[place..place + 2].copy_from_slice("é".as_bytes());
    }
    reference::in_parallel(2, |half| {
        let places = 8 << 10..48 << 10;
        for place in places.skip(half).step_by(2 * step).filter(|&place| data[place].is_ascii()) {
            let mut data = data.clone();
            data[place] = 0xE2;
            let expected = reference::foreign_first_span(&data);
            on_every_implementation(|implementation| {
                let found = implementation.validate(&data).err().map(reference::Error::from);
                let name = implementation.name();
                assert_eq!(found.map(|error| (error.start, error.end)), expected, "{name}, {place}");
            });
        }
    });
}

/// ASCII with a few characters is surveyed by stretches, from the first of them on, and only the blocks
/// that are not ASCII are looked at. Something broken must show wherever a stretch or a block ends.
#[test]
fn everything_at_every_place_of_sparse_text() {
    let length = 9000;
    // Prime, so that every place in a block has its turn.
    let step = all_or_fewer(1, 7, "sparse text: broken at every seventh place");
    reference::in_parallel(INSERTS.len(), |index| {
        for (first, more) in [(300, None), (1, Some(4000)), (4095, Some(4200))] {
            let mut data = filled("plain ASCII\n", length);
            for place in [Some(first), more].into_iter().flatten() {
                data[place..place + 2].copy_from_slice("é".as_bytes());
            }
            let insert = INSERTS[index];
            for place in (first + 2..length - insert.len()).step_by(step) {
                let kept = data[place..place + insert.len()].to_vec();
                data[place..place + insert.len()].copy_from_slice(insert);
                let spans = reference::foreign_spans(&data);
                let chars = data.iter().filter(|&&byte| byte as i8 >= -0x40).count();
                on_every_implementation(|implementation| {
                    let scan = implementation.scan(&data);
                    let found = scan.error.map(|error| (error.start() as usize, error.end() as usize));
                    let expected = (spans.first().copied(), spans.len() as u64, chars as u64);
                    let name = implementation.name();
                    assert_eq!((found, scan.error_count, scan.char_count), expected, "{name}, {place}");
                    assert_eq!(implementation.is_valid(&data), spans.is_empty(), "{name}, {place}");
                });
                data[place..place + insert.len()].copy_from_slice(&kept);
            }
        }
    });
}

/// A character that is truncated before ASCII, where a kernel goes over from one to the other. The longer
/// stretch of ASCII makes it empty its counters on the way.
#[test]
fn dense_text_broken_off_before_ascii() {
    for dense in 100..400 {
        for broken in [b"\xC3".as_slice(), b"\xE2\x82", b"\xF0\x9F\x98"] {
            for ascii in [600, 80 * 128] {
                check_all(&[&filled("é", dense), broken, &filled("a\n", ascii), "é".as_bytes()].concat());
            }
        }
    }
}

#[test]
fn every_byte_value_in_any_number() {
    for byte in 0..=255 {
        for length in [0, 1, 7, 8, 63, 64, 65, 255, 256, 257, 511, 640] {
            check_all(&vec![byte; length]);
        }
    }
}

/// Counters of one byte a lane must be emptied before they overflow.
#[test]
fn counters_do_not_overflow() {
    for byte in 0..=255 {
        let data = vec![byte; 300_000];
        check_counting(&data);
    }
    let every_value: Vec<u8> = (0..300_000).map(|at: u32| (at % 256) as u8).collect();
    check_counting(&every_value);
}

/// Checks the counters of a scan in the same way, which go through dense text and skipped ASCII.
#[test]
fn counters_of_a_scan_do_not_overflow() {
    let mut texts = fills().map(|fill| fill.repeat(200_000 / fill.len())).to_vec();
    // Stretches of every length, so that counters are as full as can be when one follows the other.
    for blocks in 1..70 {
        texts.push(("\n".repeat(128 * blocks) + &"😀".repeat(20 * 128)).repeat(3));
        texts.push(("\n".repeat(128 * 40) + &"\n\n\u{10FFFF}".repeat(20 * blocks)).repeat(3));
    }
    for text in texts {
        let facts = reference::Facts::with_errors(text.as_bytes(), &[]);
        on_every_implementation(|implementation| {
            let found = reference::Facts::from(implementation.scan(text.as_bytes()));
            assert_eq!(found, facts, "{}, {} bytes", implementation.name(), text.len());
        });
    }
}

/// Error lists go in steps that are cut at characters, scans in steps that are cut anywhere.
#[test]
fn everything_across_the_cut_between_steps() {
    let data = "é".repeat((2 * CHUNK_BYTES + 1000) / 2).into_bytes();
    for insert in INSERTS {
        for place in CHUNK_BYTES - 10..CHUNK_BYTES + 3 {
            let mut data = data.clone();
            data[place..place + insert.len()].copy_from_slice(insert);
            let errors = errors_around(&data, place);
            on_every_implementation(|implementation| {
                let found = implementation.iter_errors(&data).map(reference::Error::from);
                assert!(
                    found.eq(errors.iter().copied()),
                    "{}, {insert:02x?} at {place}",
                    implementation.name()
                );
                assert_eq!(implementation.scan(&data).error_count, errors.len() as u64);
            });
        }
    }
}

/// The naive errors of data known to be good but for a stretch at `place`.
fn errors_around(data: &[u8], place: usize) -> Vec<reference::Error> {
    // Even, as all of the text is characters of two bytes.
    let start = (place - 20) & !1;
    let moved = |error: reference::Error| reference::Error {
        start: error.start + start,
        end: error.end + start,
        ..error
    };
    reference::errors(&data[start..start + 40]).into_iter().map(moved).collect()
}
