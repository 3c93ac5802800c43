//! The forms of RFC 2279 and longer ones against a naive definition, on every implementation.

use super::reference;

use std::fmt::Debug;

use leadbyte::variants::{VariantError, extended, rfc2279};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use reference::strategies::cases;
use reference::{all_or_fewer, in_parallel, on_every_implementation};

/// For each length of a form its lead bytes, and the integers that it is the shortest for (RFC 2279, section 2).
const FORMS: [(u8, u8, u64, u64); 8] = [
    (0x00, 0x7F, 0, 0x7F),
    (0xC0, 0xDF, 0x80, 0x7FF),
    (0xE0, 0xEF, 0x800, 0xFFFF),
    (0xF0, 0xF7, 0x1_0000, 0x1F_FFFF),
    (0xF8, 0xFB, 0x20_0000, 0x3FF_FFFF),
    (0xFC, 0xFD, 0x400_0000, 0x7FFF_FFFF),
    (0xFE, 0xFE, 0x8000_0000, 0xF_FFFF_FFFF),
    (0xFF, 0xFF, 0x10_0000_0000, 0x3FF_FFFF_FFFF),
];

/// The form of this many bytes that encodes `value`.
fn form(value: u64, length: usize) -> Vec<u8> {
    let (mut bytes, mut left) = (vec![], value);
    for _ in 1..length {
        bytes.insert(0, 0x80 + (left % 64) as u8);
        left /= 64;
    }
    bytes.insert(0, FORMS[length - 1].0 + left as u8);
    bytes
}

fn shortest(value: u64) -> usize {
    1 + FORMS.iter().position(|&(.., last)| value <= last).expect("there is a form")
}

fn encoded(values: &[u64], least: usize) -> Vec<u8> {
    values.iter().flat_map(|&value| form(value, shortest(value).max(least))).collect()
}

type Error = (usize, usize, &'static str);

/// The integers of `data` in forms of at most this many bytes.
fn decoded(data: &[u8], longest: usize) -> Result<Vec<u64>, Error> {
    let mut values = vec![];
    let mut at = 0;
    while at < data.len() {
        let rest = &data[at..];
        let fits = |&(first, last, ..): &(u8, u8, u64, u64)| (first..=last).contains(&rest[0]);
        let Some(index) = FORMS[..longest].iter().position(fits) else {
            return Err((at, at + 1, "invalid start byte"));
        };
        let (lead, _, least, _) = FORMS[index];
        let length = index + 1;
        let there = 1 + rest[1..].iter().take(index).take_while(|&&byte| byte & 0xC0 == 0x80).count();
        // The largest integer that begins like this decides whether all are too small.
        let continued = rest[1..there].iter().map(|&byte| u64::from(byte % 64)).chain([63; 7]).take(index);
        let largest = continued.fold(u64::from(rest[0] - lead), |value, bits| value * 64 + bits);
        if largest < least {
            return Err((at, at + 1, "overlong form"));
        }
        if there < length {
            let reason = match there == rest.len() {
                true => "unexpected end of data",
                false => "invalid continuation byte",
            };
            return Err((at, at + there, reason));
        }
        values.push(largest);
        at += length;
    }
    Ok(values)
}

fn reported<T>(outcome: Result<Vec<T>, VariantError>) -> Result<Vec<u64>, Error>
where
    T: Into<u64>,
{
    match outcome {
        Ok(values) => Ok(values.into_iter().map(Into::into).collect()),
        Err(error) => Err((error.start(), error.end(), error.reason())),
    }
}

fn check(data: &[u8]) {
    let (narrow, wide) = (decoded(data, 6), decoded(data, 8));
    on_every_implementation(|on| {
        let name = on.name();
        assert_eq!(reported(on.decode_rfc2279(data)), narrow, "{name} {data:02x?}");
        assert_eq!(reported(on.decode_extended(data)), wide, "{name} {data:02x?}");
    });
    if let Ok(values) = wide {
        check_values(&values, 1);
    }
}

fn check_values(values: &[u64], least: usize) {
    let expected = encoded(values, least);
    let narrow =
        values.iter().all(|&value| value <= rfc2279::MAX_VALUE.into()) && least <= rfc2279::MAX_BYTES;
    on_every_implementation(|on| {
        let name = on.name();
        assert_same(on.encode_extended(values, least), &expected, name);
        if narrow {
            assert_same(on.encode_rfc2279(values, least), &expected, name);
        }
        if least == 1 {
            assert_eq!(reported(on.decode_extended(&expected)).as_deref(), Ok(values), "{name}");
        }
    });
}

fn assert_same<E: Debug + PartialEq>(outcome: Result<Vec<u8>, E>, expected: &[u8], name: &str) {
    assert_eq!(outcome.as_deref(), Ok(expected), "{name}");
}

#[test]
fn edges_of_all_forms() {
    let edges = FORMS.iter().flat_map(|&(_, _, first, last)| [first, first + 1, last - 1, last]);
    for value in edges {
        for least in 1..=8 {
            check_values(&[value], least);
            check_values(&[value; 100], least);
        }
        for length in shortest(value)..=8 {
            let bytes = form(value, length);
            (0..=length).for_each(|end| check(&bytes[..end]));
            check(&[&bytes[..], b"a"].concat());
            check(&[b"\xC3\xA9", &bytes[..]].concat());
        }
    }
}

#[test]
fn every_start_of_a_form() {
    in_parallel(256, |lead| {
        for second in 0..=255 {
            let step = all_or_fewer(1, 7, "starts: every seventh third byte");
            for third in [0x41, 0x7F, 0x80, 0xBF, 0xC0, 0xFF].into_iter().step_by(step) {
                let sequence = [lead as u8, second, third, 0x80, 0xBF, 0x80, 0x80, 0x81, 0x80];
                (1..=sequence.len()).for_each(|end| check(&sequence[..end]));
            }
        }
    });
}

#[test]
fn forms_over_the_edges_of_blocks() {
    for value in [0x20_0000, 0x7FFF_FFFF, 1 << 35, 1 << 41, 0xD800] {
        for before in 4080..4100 {
            let mut data = vec![b'a'; before];
            data.extend(form(value, shortest(value)));
            data.extend(b"\xE2\x82\xAC and ASCII again".repeat(10));
            check(&data);
        }
    }
}

#[test]
fn too_large_values() {
    on_every_implementation(|on| {
        let mut values = vec![0x31; 3000];
        values[2500] = 1 << 31;
        let error = on.encode_rfc2279(&values, 1).unwrap_err();
        assert_eq!((error.at(), error.value()), (2500, 1 << 31));
        assert_eq!(on.encode_extended(&[extended::MAX_VALUE + 1], 3).unwrap_err().at(), 0);
        assert_eq!(on.encode_extended(&[u64::MAX], 1).unwrap_err().value(), u64::MAX);
    });
}

#[test]
#[should_panic(expected = "a form has 1 to 6 bytes, not 7")]
fn no_form_of_seven_bytes() {
    let _ = rfc2279::encode(&[1], 7);
}

/// Integers of any size up to 42 bits, and runs of one size.
fn values() -> impl Strategy<Value = Vec<u64>> {
    let value = (0..42u32, any::<u64>()).prop_map(|(bits, value)| value & ((2 << bits) - 1));
    let run = (0..0x11_0000u64, 0..2000usize).prop_map(|(value, length)| vec![value; length]);
    vec(prop_oneof![4 => vec(value, 0..30), 1 => run], 0..5).prop_map(|runs| runs.concat())
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn random_values(values in values(), least in 1..9usize) {
        check_values(&values, least);
    }

    #[test]
    fn random_bytes(mut data in values().prop_map(|values| encoded(&values, 1)), at in any::<usize>(), byte in any::<u8>()) {
        if !data.is_empty() {
            let at = at % data.len();
            data[at] = byte;
        }
        check(&data);
    }

    #[test]
    fn dense_errors(data in vec(select(&[0x41u8, 0x80, 0x81, 0x82, 0xBF, 0xC1, 0xE0, 0xF0, 0xF8, 0xFC, 0xFE, 0xFF][..]), 0..30)) {
        check(&data);
    }
}
