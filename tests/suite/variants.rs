//! CESU-8, Modified UTF-8 and WTF-8 against a naive oracle, on every implementation.

use super::reference;

use leadbyte::variants::{cesu8, mutf8, wtf8};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use reference::strategies::cases;
use reference::variants::{Oracle, VARIANTS, Variant, check, check_against, check_units, encode};
use reference::{BOUNDARY_BYTES, all_or_fewer, in_parallel};

#[test]
fn sequences_of_up_to_three_bytes() {
    let bytes =
        &all_or_fewer((0..=255).collect(), BOUNDARY_BYTES.to_vec(), "sequences: of boundary bytes only");
    check(&[]);
    in_parallel(bytes.len(), |index| {
        let first = bytes[index];
        let oracles = VARIANTS.map(|variant| (variant, Oracle::of(variant)));
        let check = |data: &[u8]| {
            for (variant, oracle) in &oracles {
                check_against(&oracle.decode(data), *variant, data);
            }
        };
        check(&[first]);
        for &second in bytes {
            check(&[first, second]);
            for &third in bytes {
                check(&[first, second, third]);
            }
        }
    });
}

/// Bytes that a pair may have, and those just beyond them.
const SECONDS: [u8; 9] = [0x41, 0x7F, 0x80, 0x9F, 0xA0, 0xAF, 0xB0, 0xBF, 0xC0];
const THIRDS: [u8; 5] = [0x41, 0x7F, 0x80, 0xBF, 0xC0];
const LEADS: [u8; 5] = [0xEC, 0xED, 0xEE, 0xF0, 0x80];

#[test]
fn pairs_and_what_is_nearly_one() {
    in_parallel(SECONDS.len(), |index| {
        let second = SECONDS[index];
        for third in THIRDS {
            for lead in LEADS {
                for fifth in SECONDS {
                    for sixth in THIRDS {
                        let sequence = [0xED, second, third, lead, fifth, sixth];
                        (1..=sequence.len()).for_each(|length| check(&sequence[..length]));
                        check(&[&sequence[..], b"\xED\xB0\x80"].concat());
                    }
                }
            }
        }
    });
}

#[test]
fn every_pair() {
    in_parallel(0x400, |high| {
        for low in (0..0x400).step_by(all_or_fewer(1, 31, "pairs: every 31st second half")) {
            let units = [0xD800 + high as u16, 0xDC00 + low as u16];
            let bytes = encode(Variant::Cesu8, &units).expect("it is a pair");
            assert_eq!(cesu8::decode(&bytes).as_deref(), Ok(&units[..]));
            assert_eq!(mutf8::encode(&units), bytes);
        }
    });
}

/// Text that is nothing but UTF-8, about this many bytes.
fn filling(fill: &str, length: usize) -> Vec<u8> {
    let mut text = fill.repeat(length / fill.len());
    text.extend(std::iter::repeat_n('a', length - text.len()));
    text.into_bytes()
}

const ERRORS: [&[u8]; 12] = [
    b"\xED\xA0\xBD\xED\xB8\x80",
    b"\xED\xA0\xBD",
    b"\xED\xB8\x80",
    b"\xED\xA0\xBD\xED\xA0\xBD\xED\xB8\x80",
    b"\xC0\x80",
    b"\xC0\x80\xC0\x80\xC0\x81",
    b"\0",
    b"\xF0\x9F\x98\x80",
    b"\xF4\x90\x80\x80",
    b"\xE2\x82",
    b"\xFF",
    b"\xED",
];

#[test]
fn errors_at_the_edges_of_blocks_and_spans() {
    let edges = [0usize, 64, 128, 1024, 4096, 8192, 65536, 65536 + 4096];
    let step = all_or_fewer(1, 3, "edges: every third place");
    in_parallel(edges.len(), |index| {
        for fill in ["a", "é", "€", "plain text and ünïcödé; "] {
            for place in (edges[index].saturating_sub(8)..edges[index] + 4).step_by(step) {
                for error in ERRORS {
                    let text = filling(fill, place);
                    check(&[&text, error].concat());
                    check(&[&text[..], error, b"and more \xC3\xA9", error].concat());
                }
            }
        }
    });
}

/// Units of UTF-16 of which many are surrogates, or 0.
fn units() -> impl Strategy<Value = Vec<u16>> {
    let unit = prop_oneof![
        4 => 0x20..0x7Fu16,
        2 => any::<u16>(),
        2 => 0xD800..0xE000u16,
        1 => Just(0),
    ];
    let emoji = vec(Just([0xD83D, 0xDE00]), 0..40).prop_map(|pairs| pairs.concat());
    let run = (any::<u16>(), 0..1500usize).prop_map(|(unit, length)| vec![unit; length]);
    vec(prop_oneof![4 => vec(unit, 0..40), 2 => emoji, 1 => run], 0..6).prop_map(|pieces| pieces.concat())
}

/// The bytes of such units, some of them broken.
fn data() -> impl Strategy<Value = Vec<u8>> {
    let changes = vec((any::<Index>(), select(&BOUNDARY_BYTES[..])), 0..3);
    (units(), select(&VARIANTS[..]), changes).prop_map(|(units, variant, changes)| {
        let mut data = encode(variant, &units).unwrap_or_else(|| String::from_utf16_lossy(&units).into());
        for (index, byte) in changes {
            if !data.is_empty() {
                let at = index.index(data.len());
                data[at] = byte;
            }
        }
        data
    })
}

proptest! {
    #![proptest_config(cases(3000))]

    #[test]
    fn random_units(units in units()) {
        check_units(&units);
    }

    #[test]
    fn random_bytes(data in data()) {
        check(&data);
    }

    #[test]
    fn dense_errors(data in reference::strategies::dense_errors()) {
        check(&data);
    }

    #[test]
    fn what_is_utf8(data in reference::strategies::data()) {
        check(&data);
    }
}

#[test]
fn errors_report_where_and_why() {
    let error = wtf8::decode(b"abc\xED\xA0\xBD\xED\xB8\x80").unwrap_err();
    assert_eq!(error.to_string(), "invalid wtf-8 at byte 3: surrogate pair");
    let error = cesu8::encode(&[0xDC00]).unwrap_err();
    assert_eq!(error.to_string(), "lone surrogate U+DC00 at code unit 0");
}
