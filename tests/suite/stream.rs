//! Text in pieces: for every cut, the validator returns the result for the whole.

use super::reference;

use leadbyte::IncrementalValidator;
use proptest::prelude::*;
use reference::pieces::check_validator as check;
use reference::strategies::{self, cases};

/// Whatever can stand in a text: characters of every width, and all ways to break them.
const SEQUENCES: [&[u8]; 12] = [
    b"a",
    "ß".as_bytes(),
    "€".as_bytes(),
    "😀".as_bytes(),
    b"\x80",
    b"\xC0\xB1",
    b"\xE2\x82",
    b"\xED\xA0\x80",
    b"\xF0\x90\x80",
    b"\xF0\x8F",
    b"\xF4\x90\x80\x80",
    b"\xFF",
];

#[test]
fn every_cut_of_every_two_sequences() {
    for first in SEQUENCES {
        for second in SEQUENCES {
            let data = [first, second].concat();
            for one in 0..=data.len() {
                for two in one..=data.len() {
                    check(&[&data[..one], &data[one..two], &data[two..]]);
                }
            }
            check(&data.chunks(1).collect::<Vec<_>>());
        }
    }
}

#[test]
fn pieces_of_nothing() {
    check(&[]);
    check(&[b"", b"\xE2", b"", b"\x82", b"", b"\xAC", b""]);
}

#[test]
fn offsets_count_from_the_start() {
    let mut validator = IncrementalValidator::new();
    let text = "Привет, мир! ".repeat(1000);
    for piece in text.as_bytes().chunks(7) {
        assert!(validator.update(piece));
    }
    assert!(!validator.update(b"\xE2\x82"[..1].repeat(2).as_slice()));
    let error = validator.error().expect("there is one");
    assert_eq!((error.start(), error.bytes()), (text.len() as u64, b"\xE2".as_slice()));
    assert!(!validator.update(b"fine"), "an error stays");
    assert_eq!(validator.error(), Some(error));
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn any_cut(data in prop_oneof![strategies::data(), strategies::dense_errors()], size in 1_usize..40) {
        check(&data.chunks(size).collect::<Vec<_>>());
    }
}

#[test]
fn an_error_at_the_end_stays() {
    let mut validator = IncrementalValidator::new();
    assert!(validator.update(b"\xE2\x82"));
    assert!(!validator.finish());
    let error = validator.error();
    assert!(!validator.update(b"A"));
    assert_eq!((validator.error(), validator.pending()), (error, b"\xE2\x82".as_slice()));
}
