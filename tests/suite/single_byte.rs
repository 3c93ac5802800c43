//! Single-byte encodings beside encoding_rs, which has their tables: every byte, every character, what they do
//! not have, and that nothing else is touched.

use super::reference;

use leadbyte::transcode::{SingleByteEncoding, TranscodeError};
use proptest::collection::vec;
use proptest::prelude::*;
use reference::single_byte::{Both, LABELS, byte_of, char_of};
use reference::{all_or_fewer, in_parallel, on_every_implementation, strategies};

#[test]
fn every_byte_and_every_character() {
    in_parallel(LABELS.len(), |index| {
        let both = Both::new(LABELS[index]);
        for byte in 0..=255 {
            assert_eq!(both.encoding.char_of(byte), char_of(both.oracle, byte), "{} {byte:02x}", both.name);
            both.check_to_utf8(&[byte]);
        }
        let step = all_or_fewer(1, 61, "characters one by one: every 61st");
        for character in ('\0'..='\u{FFFF}').step_by(step).chain(['\u{10000}', char::MAX]) {
            let byte = byte_of(both.oracle, character);
            assert_eq!(both.encoding.byte_of(character), byte, "{} {character:?}", both.name);
            both.check_from_utf8(&String::from_iter([character]));
        }
    });
}

/// Text whose output depends on the text before: long stretches of one kind, and of another.
fn stretches(both: &Both) -> impl Iterator<Item = Vec<u8>> {
    let kinds = [b"plain ASCII, ".repeat(120), both.bytes(false, 1500), both.bytes(true, 1500)];
    let lengths = [1, 40, 100, 333, 700, 1500];
    (0..kinds.len() * kinds.len() * lengths.len()).map(move |index| {
        let length = lengths[index / 9];
        [&kinds[index / 3 % 3][..length], &kinds[index % 3], &kinds[index / 3 % 3][..length]].concat()
    })
}

#[test]
fn every_length() {
    in_parallel(LABELS.len(), |index| {
        let both = Both::new(LABELS[index]);
        for length in 0..=300 {
            both.check(&both.bytes(false, length));
            both.check(&both.bytes(true, length));
            both.check(&[vec![b'a'; length / 2], both.bytes(false, length - length / 2)].concat());
        }
        stretches(&both).for_each(|data| both.check(&data));
    });
}

/// Every byte at every place of the vectors, among ASCII and among others.
#[test]
fn every_byte_at_every_place() {
    let step = all_or_fewer(1, 7, "bytes at every place: every seventh");
    in_parallel(LABELS.len(), |index| {
        let both = Both::new(LABELS[index]);
        for fill in [vec![b'a'; 140], both.bytes(false, 140)] {
            for byte in (0x7F..=0xFF).step_by(step) {
                for place in [0, 1, 15, 16, 31, 32, 63, 64, 100, 127, 128, 139] {
                    let mut data = fill.clone();
                    data[place] = byte;
                    both.check(&data);
                }
            }
        }
    });
}

/// A byte that means nothing, and a character that is not there, at every place.
#[test]
fn what_is_not_there_at_every_place() {
    for label in ["windows-874", "windows-1253", "windows-1255", "windows-1257", "iso-8859-3", "iso-8859-8"] {
        let both = Both::new(label);
        let nothing =
            (0x80..=0xFF).find(|&byte| both.encoding.char_of(byte).is_none()).expect("there is one");
        for place in 0..200 {
            let mut data = both.bytes(place % 2 == 0, 200);
            data[place] = nothing;
            both.check(&data);
        }
    }
    for label in ["windows-1251", "windows-1252", "ibm866", "x-user-defined"] {
        let both = Both::new(label);
        let text = both.in_utf8(&both.bytes(true, 200)).expect("all mean something");
        for (place, missing) in
            text.char_indices().zip(['\u{7FF}', '\u{FFFD}', '😀', 'ÿ', '�'].iter().cycle())
        {
            let (before, after) = text.split_at(place.0);
            both.check_from_utf8(&format!("{before}{missing}{after}"));
        }
    }
}

#[test]
fn what_is_not_there_far_from_the_start() {
    let both = Both::new("windows-1253");
    let data = both.bytes(true, 5000);
    for place in [0, 1022, 1023, 1024, 1025, 2047, 2048, 4999] {
        let mut data = data.clone();
        data[place] = 0xFF;
        both.check(&data);
        let mut text: Vec<char> =
            both.in_utf8(&both.bytes(true, 5000)).expect("all mean something").chars().collect();
        text[place] = '\u{7FF}';
        both.check_from_utf8(&String::from_iter(text));
    }
}

#[test]
fn what_is_not_utf8_is_reported_first() {
    let both = Both::new("windows-1251");
    on_every_implementation(|implementation| {
        let mut buffer = [0; 100];
        for at in 0..100 {
            let mut data = "€".repeat(50).into_bytes();
            data[at] = 0xFF;
            let given = both.encoding.from_utf8_by(implementation, &data, &mut buffer);
            let Err(TranscodeError::Invalid(error)) = given else { panic!("{given:?}") };
            assert_eq!((error.start() + 1) as usize, at / 3 * 3 + 1);
        }
    });
}

#[test]
fn only_characters_of_the_first_plane_that_are_not_ascii_are_taken() {
    let mut high = [Some('é'); 128];
    let encoding = SingleByteEncoding::new(&high).expect("a character may stand there twice");
    assert_eq!((encoding.byte_of('é'), encoding.char_of(0x80)), (Some(0xFF), Some('é')));
    for refused in ['a', '\u{10000}', char::MAX] {
        high[127] = Some(refused);
        assert!(SingleByteEncoding::new(&high).is_none());
    }
    let empty = SingleByteEncoding::new(&[None; 128]).expect("nothing need be there");
    assert_eq!((empty.char_of(0xFF), empty.char_of(0x7F), empty.byte_of('é')), (None, Some('\u{7F}'), None));
}

#[cfg(feature = "legacy")]
#[test]
fn encodings_of_encoding_rs() {
    for label in LABELS {
        let both = Both::new(label);
        let encoding = SingleByteEncoding::of(both.oracle).expect("it is such an encoding");
        assert!((0..=255).all(|byte| encoding.char_of(byte) == both.encoding.char_of(byte)));
        assert!(std::ptr::eq(encoding, SingleByteEncoding::of(both.oracle).expect("it was made before")));
    }
    assert!(
        SingleByteEncoding::of(encoding_rs::UTF_8).is_none()
            && SingleByteEncoding::of(encoding_rs::GB18030).is_none()
    );
}

/// Runs of ASCII, of single bytes and of any bytes.
fn runs() -> impl Strategy<Value = Vec<u8>> {
    let run = prop_oneof![
        "[a-z\n]{1,200}".prop_map(String::into_bytes),
        vec(0x80..=0xFFu8, 1..150),
        (0x80..=0xFFu8, 1..100usize).prop_map(|(byte, times)| vec![byte; times]),
        vec(any::<u8>(), 1..100),
    ];
    vec(run, 0..8).prop_map(|runs| runs.concat())
}

proptest! {
    #![proptest_config(strategies::cases(1000))]

    #[test]
    fn random_runs(index in 0..LABELS.len(), mut data in runs()) {
        let both = Both::new(LABELS[index]);
        both.check(&data);
        data.retain(|&byte| both.encoding.char_of(byte).is_some());
        both.check(&data);
    }

    #[test]
    fn random_text(index in 0..LABELS.len(), data in runs(), text in ".{0,3}", at in any::<prop::sample::Index>()) {
        let both = Both::new(LABELS[index]);
        let mut known: Vec<char> = data.into_iter().filter_map(|byte| both.encoding.char_of(byte)).collect();
        let at = at.index(known.len() + 1);
        known.splice(at..at, text.chars());
        both.check_from_utf8(&String::from_iter(known));
    }
}

/// Data right before and right after memory that cannot be read, and buffer right before and after memory that cannot
/// be written.
#[cfg(unix)]
#[test]
fn nothing_is_touched_before_or_after() {
    use reference::guards::between_guards;

    let (place, buffer) = (between_guards(4096), between_guards(3 * 4096));
    let mut convert = |data: &[u8], length: usize, call: &dyn Fn(&[u8], &mut [u8])| {
        for start in [0, place.len() - data.len()] {
            let place = &mut place[start..start + data.len()];
            place.copy_from_slice(data);
            for start in [0, buffer.len() - length] {
                call(place, &mut buffer[start..start + length]);
            }
        }
    };
    for label in ["windows-1251", "windows-1252", "ibm866", "windows-874"] {
        let both = Both::new(label);
        for length in (0..=300).chain([1000]) {
            for data in
                [both.bytes(false, length), both.bytes(true, length), vec![0xDB; length], vec![b'a'; length]]
            {
                let Ok(text) = both.in_utf8(&data) else { continue };
                on_every_implementation(|implementation| {
                    convert(&data, text.len(), &|data, out| {
                        assert_eq!(both.encoding.utf8_length_by(implementation, data), Some(out.len()));
                        assert_eq!(both.encoding.to_utf8_by(implementation, data, out), Ok(out.len()));
                    });
                    convert(text.as_bytes(), length, &|text, out| {
                        assert_eq!(both.encoding.from_utf8_by(implementation, text, out), Ok(out.len()));
                    });
                });
            }
        }
    }
}
