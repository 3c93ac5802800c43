//! A naive oracle for the relatives of UTF-8: rows of byte ranges, allowed or not, as their definitions have them.

use std::ops::RangeInclusive;

use leadbyte::Implementation;
use leadbyte::transcode::TranscodeError;
use leadbyte::variants::VariantError;

use super::{RULES, TAIL, on_every_implementation};

const HIGH: RangeInclusive<u8> = 0xA0..=0xAF;
const LOW: RangeInclusive<u8> = 0xB0..=0xBF;
const ED: RangeInclusive<u8> = 0xED..=0xED;

/// Both surrogates of a pair, and a single one.
const PAIR: [RangeInclusive<u8>; 6] = [ED, HIGH, TAIL, ED, LOW, TAIL];
const LONE: [RangeInclusive<u8>; 3] = [ED, 0xA0..=0xBF, TAIL];

/// A form, and why it is not allowed.
type Row = (&'static [RangeInclusive<u8>], Option<&'static str>);

const FOUR: Option<&str> = Some("four-byte form");

/// One of the relatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Variant {
    Cesu8,
    Mutf8,
    Wtf8,
}

pub const VARIANTS: [Variant; 3] = [Variant::Cesu8, Variant::Mutf8, Variant::Wtf8];

impl Variant {
    /// The first row that fits counts.
    fn rows(self) -> Vec<Row> {
        let narrow = RULES[..6].iter().map(|&rule| (rule, None));
        let four = |reason| RULES[6..].iter().map(move |&rule| (rule, reason));
        match self {
            Self::Cesu8 => [(&PAIR[..], None), (&LONE[..], Some("lone surrogate"))]
                .into_iter()
                .chain(narrow)
                .chain(four(FOUR))
                .collect(),
            Self::Mutf8 => [
                (&PAIR[..], None),
                (&LONE[..], None),
                (&[0x00..=0x00], Some("null byte")),
                (&[0xC0..=0xC0, 0x80..=0x80], None),
            ]
            .into_iter()
            .chain(narrow)
            .chain(four(FOUR))
            .collect(),
            Self::Wtf8 => [(&PAIR[..], Some("surrogate pair")), (&LONE[..], None)]
                .into_iter()
                .chain(narrow)
                .chain(four(None))
                .collect(),
        }
    }
}

/// An error: from where, to where, and why.
pub type Error = (usize, usize, &'static str);

/// The oracle of one variant.
pub struct Oracle(Vec<Row>);

impl Oracle {
    pub fn of(variant: Variant) -> Self {
        Self(variant.rows())
    }

    /// What `rest` begins with, and its length.
    fn first(&self, rest: &[u8]) -> (usize, Result<(), &'static str>) {
        let matched = |row: &[RangeInclusive<u8>]| {
            row.iter().zip(rest).take_while(|(range, byte)| range.contains(byte)).count()
        };
        if let Some((row, reason)) = self.0.iter().find(|(row, _)| matched(row) == row.len()) {
            return (row.len(), reason.map_or(Ok(()), Err));
        }
        // A lone surrogate is encoded by itself.
        let singles = self.0.iter().filter(|(row, _)| row.len() < PAIR.len());
        match singles.map(|(row, _)| matched(row)).max().unwrap_or(0) {
            0 => (1, Err("invalid start byte")),
            length if length == rest.len() => (length, Err("unexpected end of data")),
            length => (length, Err("invalid continuation byte")),
        }
    }

    /// The UTF-16 of `data`, or the first error.
    pub fn decode(&self, data: &[u8]) -> Result<Vec<u16>, Error> {
        let mut units = vec![];
        let mut at = 0;
        while at < data.len() {
            let (length, found) = self.first(&data[at..]);
            let bytes = &data[at..at + length];
            found.map_err(|reason| (at, at + length, reason))?;
            match bytes {
                [_, _, _, _, _, _] => {
                    units.extend([spelled(&bytes[..3]), spelled(&bytes[3..])].map(|n| n as u16))
                }
                [_, _, _, _] => {
                    let beyond = spelled(bytes) - 0x1_0000;
                    units.extend([0xD800 + (beyond / 0x400) as u16, 0xDC00 + (beyond % 0x400) as u16]);
                }
                _ => units.push(spelled(bytes) as u16),
            }
            at += length;
        }
        Ok(units)
    }
}

/// The number that a sequence spells.
fn spelled(bytes: &[u8]) -> u32 {
    let lead = u32::from(bytes[0]);
    let payload = match bytes.len() {
        1 => lead,
        length => lead % (1 << (7 - length)),
    };
    bytes[1..].iter().fold(payload, |number, &byte| number * 64 + u32::from(byte % 64))
}

/// The three bytes of half a pair.
fn half(unit: u16) -> [u8; 3] {
    [0xED, 0x80 + (unit / 64 % 64) as u8, 0x80 + (unit % 64) as u8]
}

/// The bytes of UTF-16; `None` where the variant has none for it.
pub fn encode(variant: Variant, units: &[u16]) -> Option<Vec<u8>> {
    let mut bytes = vec![];
    for part in char::decode_utf16(units.iter().copied()) {
        match (part, variant) {
            (Ok('\0'), Variant::Mutf8) => bytes.extend([0xC0, 0x80]),
            (Ok(character @ '\u{10000}'..), Variant::Cesu8 | Variant::Mutf8) => {
                bytes.extend(character.encode_utf16(&mut [0; 2]).iter().flat_map(|&unit| half(unit)));
            }
            (Ok(character), _) => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            (Err(_), Variant::Cesu8) => return None,
            (Err(error), _) => bytes.extend(half(error.unpaired_surrogate())),
        }
    }
    Some(bytes)
}

pub fn is_valid_on(on: Implementation, variant: Variant, data: &[u8]) -> bool {
    match variant {
        Variant::Cesu8 => on.is_valid_cesu8(data),
        Variant::Mutf8 => on.is_valid_mutf8(data),
        Variant::Wtf8 => on.is_valid_wtf8(data),
    }
}

pub fn decode_on(on: Implementation, variant: Variant, data: &[u8]) -> Result<Vec<u16>, VariantError> {
    match variant {
        Variant::Cesu8 => on.decode_cesu8(data),
        Variant::Mutf8 => on.decode_mutf8(data),
        Variant::Wtf8 => on.decode_wtf8(data),
    }
}

pub fn encode_on(on: Implementation, variant: Variant, units: &[u16]) -> Result<Vec<u8>, TranscodeError> {
    match variant {
        Variant::Cesu8 => on.encode_cesu8(units),
        Variant::Mutf8 => Ok(on.encode_mutf8(units)),
        Variant::Wtf8 => Ok(on.encode_wtf8(units)),
    }
}

pub fn reported(error: VariantError) -> Error {
    (error.start(), error.end(), error.reason())
}

/// Checks `data` against what the oracle returns.
pub fn check_against(expected: &Result<Vec<u16>, Error>, variant: Variant, data: &[u8]) {
    on_every_implementation(|on| {
        let name = on.name();
        assert_eq!(is_valid_on(on, variant, data), expected.is_ok(), "{name} {variant:?} {data:02x?}");
        let decoded = decode_on(on, variant, data).map_err(reported);
        assert_eq!(&decoded, expected, "{name} {variant:?} {data:02x?}");
        if let Ok(units) = decoded {
            assert_eq!(encode_on(on, variant, &units).as_deref(), Ok(data), "{name} {variant:?}");
        }
    });
}

pub fn check(data: &[u8]) {
    for variant in VARIANTS {
        check_against(&Oracle::of(variant).decode(data), variant, data);
    }
}

pub fn check_units(units: &[u16]) {
    for variant in VARIANTS {
        let expected = encode(variant, units);
        on_every_implementation(|on| {
            let name = on.name();
            let encoded = encode_on(on, variant, units);
            assert_eq!(encoded.ok(), expected, "{name} {variant:?} {units:04x?}");
            if let Some(bytes) = &expected {
                assert_eq!(decode_on(on, variant, bytes).as_deref(), Ok(units), "{name} {variant:?}");
            }
        });
    }
}
