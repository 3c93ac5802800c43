//! Encoding to UTF-8 from every other form, beside the standard library: the output, its length, the first unit that is
//! not a scalar value, and that nothing else is touched.

use super::reference;

use std::fmt::Debug;

use proptest::collection::vec;
use proptest::prelude::*;
use reference::encode::{Form, LATIN1, UCS2, UNTOUCHED, UTF16, UTF32};
use reference::{all_or_fewer, in_parallel, on_every_implementation, strategies};

/// Texts of every width, and of all of them alternating.
const TEXTS: [&str; 7] = [
    "a",
    "é",
    "€",
    "😀",
    "aé",
    "plain ASCII, a few words of it, и немного по-русски, and more of the plain; 汉字, and then ünd",
    "aé€😀\u{10FFFF}\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}",
];

/// A text over and over.
fn chars(text: &str) -> impl Iterator<Item = char> {
    text.chars().cycle()
}

fn utf16(text: &str, units: usize) -> Vec<u16> {
    chars(text).flat_map(|char| char.encode_utf16(&mut [0; 2]).to_vec()).take(units).collect()
}

fn utf32(text: &str, units: usize) -> Vec<u32> {
    chars(text).map(u32::from).take(units).collect()
}

fn latin1(text: &str, units: usize) -> Vec<u8> {
    chars(text).map(|char| char as u32 as u8).take(units).collect()
}

#[test]
fn every_length() {
    for text in TEXTS {
        for length in 0..=300 {
            LATIN1.check(&latin1(text, length));
            UCS2.check(&utf16(text, length));
            UTF16.check(&utf16(text, length));
            UTF32.check(&utf32(text, length));
        }
    }
}

#[test]
fn every_alignment() {
    fn check<U: Copy + Debug>(form: &Form<U>, units: &[U]) {
        for length in [1, 15, 16, 17, 31, 33, 64, 100, 200] {
            for from in 0..=64 {
                let mut place = vec![UNTOUCHED; 64 + 4 * length];
                let units = &units[from..from + length];
                form.check_in_place(units, |length, test| test(&mut vec![UNTOUCHED; length]));
                let expected = (form.expected)(units);
                on_every_implementation(|implementation| {
                    place.fill(UNTOUCHED);
                    (form.encode)(implementation, units, &mut place[from..from + expected.length]);
                    assert!(place[..from].iter().all(|&byte| byte == UNTOUCHED));
                    assert!(place[from + expected.length..].iter().all(|&byte| byte == UNTOUCHED));
                });
            }
        }
    }
    for text in &TEXTS[4..] {
        check(&LATIN1, &latin1(text, 300));
        check(&UCS2, &utf16(text, 300));
        check(&UTF16, &utf16(text, 300));
        check(&UTF32, &utf32(text, 300));
    }
}

/// In a row, so that each is encoded together with units like it, and alone among others.
#[test]
fn every_scalar_value() {
    let all: String = ('\0'..=char::MAX).collect();
    LATIN1.check_long(&(0..=255).collect::<Vec<_>>());
    UCS2.check_long(&(0..=u16::MAX).collect::<Vec<_>>());
    UTF16.check_long(&all.encode_utf16().collect::<Vec<_>>());
    UTF32.check_long(&all.chars().map(u32::from).collect::<Vec<_>>());
    let step = TEXTS.len() * all_or_fewer(1, 61, "scalar values among others: every 61st");
    in_parallel(TEXTS.len(), |index| {
        for (number, char) in ('\0'..=char::MAX).skip(index).step_by(step).enumerate() {
            let mut units = utf32(TEXTS[index], 70);
            units[number % 70] = u32::from(char);
            UTF32.check_long(&units);
            let text: String = units.into_iter().filter_map(char::from_u32).collect();
            UTF16.check_long(&text.encode_utf16().collect::<Vec<_>>());
        }
    });
}

/// Inserted units: surrogates alone, the wrong way round, and in a pair.
const SURROGATES: [&[u16]; 9] = [
    &[0xD800],
    &[0xDBFF],
    &[0xDC00],
    &[0xDFFF],
    &[0xD800, 0xD800],
    &[0xDC00, 0xD800],
    &[0xDBFF, 0xDC00],
    &[0xD83D, 0xDE00, 0xDE00],
    &[0xD83D, 0xD83D, 0xDE00],
];

const NOT_SCALAR: [u32; 6] = [0xD800, 0xDFFF, 0x11_0000, 0x7FFF_FFFF, 0x8000_0000, u32::MAX];

#[test]
fn surrogates_at_every_place() {
    let lengths = [1, 2, 15, 16, 17, 31, 32, 33, 47, 64, 65, 130, 200];
    in_parallel(TEXTS.len(), |index| {
        for length in lengths {
            for place in 0..length {
                for surrogates in SURROGATES {
                    let mut units = utf16(TEXTS[index], length);
                    let end = length.min(place + surrogates.len());
                    units[place..end].copy_from_slice(&surrogates[..end - place]);
                    UCS2.check(&units);
                    UTF16.check(&units);
                }
                for unit in NOT_SCALAR {
                    let mut units = utf32(TEXTS[index], length);
                    units[place] = unit;
                    UTF32.check(&units);
                }
            }
        }
    });
    UTF32.check_long(&NOT_SCALAR.repeat(60));
}

/// Half a pair, and then ASCII for long.
#[test]
fn surrogates_far_from_each_other() {
    for fill in ["a", "é", "€", "😀"] {
        for before in 0..70 {
            for between in [0, 1, 31, 32, 64, 100, 129, 300] {
                let mut units = utf16(fill, 2 * before);
                units.push(0xD83D);
                units.extend(utf16("a", between));
                units.push(0xDE00);
                units.extend(utf16(fill, 40));
                UTF16.check(&units);
            }
        }
    }
}

/// How long stretches of one kind are taken for granted depends on what came before.
#[test]
fn stretches_of_every_kind() {
    for one in TEXTS {
        for other in TEXTS {
            for length in [40, 100, 333, 700, 1500] {
                let mut units = utf16(one, 2 * length);
                units.extend(utf16(other, length));
                units.extend(utf16(one, length + 100));
                UTF16.check_long(&units);
                UCS2.check_long(&units);
                let mut units = utf32(one, length);
                units.extend(utf32(other, length));
                UTF32.check_long(&units.repeat(3));
                LATIN1.check_long(&[latin1(one, length), latin1(other, length)].concat().repeat(3));
            }
        }
    }
}

/// Runs of units of one kind, the surrogates alone among them.
fn runs() -> impl Strategy<Value = Vec<u32>> {
    let unit = prop_oneof![
        8 => 0..0x80u32,
        4 => 0x80..0x800u32,
        4 => 0x800..0xD800u32,
        2 => 0xE000..0x1_0000u32,
        4 => 0x1_0000..0x11_0000u32,
        1 => 0xD800..0xE000u32,
    ];
    vec((unit, 1..40usize), 0..20).prop_map(|runs| {
        let run = |(unit, length)| (0..length as u32).map(move |more| unit ^ more & 0x0F);
        runs.into_iter().flat_map(run).collect()
    })
}

proptest! {
    #![proptest_config(strategies::cases(2000))]

    #[test]
    fn random_runs(units in runs()) {
        UTF32.check(&units);
        let halves = |&unit: &u32| match char::from_u32(unit) {
            Some(char) => char.encode_utf16(&mut [0; 2]).to_vec(),
            None => vec![unit as u16],
        };
        let in_utf16: Vec<u16> = units.iter().flat_map(halves).collect();
        UTF16.check(&in_utf16);
        UCS2.check(&in_utf16);
        LATIN1.check(&units.iter().map(|&unit| unit as u8).collect::<Vec<_>>());
    }

    #[test]
    fn random_units(bytes in vec(any::<u8>(), 0..300), halves in vec(any::<u16>(), 0..300)) {
        LATIN1.check(&bytes);
        UCS2.check(&halves);
        UTF16.check(&halves);
    }
}

/// Units right before and right after memory that cannot be read, and buffer right before and after memory that cannot
/// be written.
#[cfg(unix)]
#[test]
fn nothing_is_touched_before_or_after() {
    use reference::guards::between_guards;

    fn check<U: Copy + Debug>(form: &Form<U>, all: &[U], place: &mut [U], buffer: &mut [u8]) {
        let lengths = (0..=140).chain([255, 256, 257, 1000]);
        let buffer = std::cell::RefCell::new(buffer);
        for length in lengths {
            for start in [0, place.len() - length] {
                let units = &mut place[start..start + length];
                units.copy_from_slice(&all[..length]);
                form.check_in_place(units, |length, test| {
                    let mut buffer = buffer.borrow_mut();
                    for start in [0, buffer.len() - length] {
                        test(&mut buffer[start..start + length]);
                    }
                });
            }
        }
    }
    let (place, buffer) = (between_guards(4096), between_guards(4096));
    for text in TEXTS {
        check(&LATIN1, &latin1(text, 1000), place, buffer);
        // SAFETY: bytes make integers of any kind; bytes that do not fit at the ends are left out.
        let (_, place, _) = unsafe { place.align_to_mut::<u32>() };
        check(&UTF32, &utf32(text, 1000), place, buffer);
        // SAFETY: as above.
        let (_, place, _) = unsafe { place.align_to_mut::<u16>() };
        check(&UCS2, &utf16(text, 1000), place, buffer);
        check(&UTF16, &utf16(text, 1000), place, buffer);
    }
}
