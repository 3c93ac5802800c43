//! One sequence at a time: the definition itself, and where sequences start.

use super::reference;

use std::panic::{AssertUnwindSafe, catch_unwind};

use leadbyte::sequence::{
    Sequence, WELL_FORMED, announced_length, decode_one, describe, encode_one, is_continuation,
};
use leadbyte::{
    BOM, ErrorKind, Unit, ceil_boundary, floor_boundary, is_boundary, iter_errors, locate, sequence_length,
    validate,
};
use reference::{BOUNDARY_BYTES, parts};

#[test]
fn every_char_there_and_back() {
    for c in '\0'..=char::MAX {
        let (mut ours, mut theirs) = ([0; 4], [0; 4]);
        let bytes = encode_one(c, &mut ours);
        assert_eq!(bytes, c.encode_utf8(&mut theirs).as_bytes(), "{c:?}");
        assert_eq!(decode_one(bytes), Some(Sequence::Char(c, c.len_utf8())));
        assert_eq!(sequence_length(bytes[0]), Some(c.len_utf8()));
        assert_eq!(announced_length(bytes[0]), c.len_utf8());
    }
}

#[test]
fn whatever_follows_a_char_is_not_looked_at() {
    assert_eq!(decode_one(b"\xE2\x82\xAC\x80"), Some(Sequence::Char('€', 3)));
    assert_eq!(decode_one(b"a\xFF"), Some(Sequence::Char('a', 1)));
    assert_eq!(decode_one(b""), None);
}

/// As `tests/exhaustive.rs` does for whole buffers, over the boundary bytes.
#[test]
fn decode_one_agrees_with_the_oracle() {
    let check = |bytes: &[u8]| {
        let part = parts(bytes).next();
        let expected = part.map(|part| match part.content {
            Ok(c) => Sequence::Char(c, part.end),
            Err(kind) => Sequence::Malformed(kind, part.end),
        });
        assert_eq!(decode_one(bytes), expected, "{bytes:02x?}");
    };
    for a in 0..=255 {
        check(&[a]);
        for b in 0..=255 {
            check(&[a, b]);
            for c in BOUNDARY_BYTES {
                check(&[a, b, c]);
                BOUNDARY_BYTES.iter().for_each(|&d| check(&[a, b, c, d]));
            }
        }
    }
}

#[test]
fn the_table_is_the_one_in_the_rfc() {
    for first in 0..=255 {
        for second in 0..=255 {
            // More continuation bytes than any sequence needs.
            let bytes = [first, second, 0x80, 0x80];
            let well_formed = parts(&bytes).next().filter(|part| part.content.is_ok());
            let row = WELL_FORMED.iter().find(|row| row.lead.contains(&first));
            let fits = row.filter(|row| row.length == 1 || row.second.contains(&second));
            assert_eq!(fits.map(|row| row.length), well_formed.map(|part| part.end), "{bytes:02x?}");
        }
    }
}

#[test]
fn what_each_byte_indicates_by_itself() {
    for byte in 0..=255 {
        let (length, announced) = match byte {
            0x00..=0x7F => (Some(1), 1),
            0x80..=0xBF => (None, 0),
            0xC0..=0xC1 => (None, 2),
            0xC2..=0xDF => (Some(2), 2),
            0xE0..=0xEF => (Some(3), 3),
            0xF0..=0xF4 => (Some(4), 4),
            0xF5..=0xF7 => (None, 4),
            0xF8..=0xFB => (None, 5),
            0xFC..=0xFD => (None, 6),
            0xFE => (None, 7),
            0xFF => (None, 8),
        };
        assert_eq!(sequence_length(byte), length, "{byte:02X}");
        assert_eq!(announced_length(byte), announced, "{byte:02X}");
        assert_eq!(is_continuation(byte), announced == 0, "{byte:02X}");
    }
}

#[test]
fn errors_are_described() {
    for (bytes, kind, words) in [
        (b"\x80".as_slice(), ErrorKind::UnexpectedContinuation, "unexpected continuation byte 80"),
        (b"\xC0\xB1", ErrorKind::Overlong, "overlong encoding of U+0031 \"1\""),
        (b"\xE0\x80\xB1", ErrorKind::Overlong, "overlong encoding of U+0031 \"1\""),
        (b"\xF0\x80\x80\x8A", ErrorKind::Overlong, "overlong encoding of U+000A"),
        (b"\xC1", ErrorKind::Overlong, "C1 never occurs in UTF-8 (would start an overlong encoding)"),
        (b"\xED\xA0\x80", ErrorKind::Surrogate, "surrogate U+D800 encoded in UTF-8"),
        (b"\xED", ErrorKind::Surrogate, "ED starts an encoded surrogate"),
        (b"\xF4\x90\x80\x80", ErrorKind::TooLarge, "U+110000 is above U+10FFFF"),
        (b"\xF5", ErrorKind::TooLarge, "F5 never occurs in UTF-8 (would start a sequence above U+10FFFF)"),
        (b"\xF8", ErrorKind::InvalidStart, "F8 never occurs in UTF-8 (would start a 5-byte sequence)"),
        (b"\xFD", ErrorKind::InvalidStart, "FD never occurs in UTF-8 (would start a 6-byte sequence)"),
        (b"\xFE", ErrorKind::InvalidStart, "FE never occurs in UTF-8"),
        (b"\xFF", ErrorKind::InvalidStart, "FF never occurs in UTF-8"),
        (
            b"\xE2\x82",
            ErrorKind::Truncated,
            "truncated 3-byte sequence (2 of 3 bytes) at the end of the data",
        ),
        (b"\xF0", ErrorKind::MissingContinuation, "truncated 4-byte sequence (1 of 4 bytes)"),
    ] {
        assert_eq!(describe(bytes, kind), words);
    }
}

/// Whatever the bytes, and whether or not the kind is theirs.
#[test]
fn everything_has_a_description() {
    for kind in ErrorKind::ALL {
        assert!(!describe(b"", kind).is_empty());
        for byte in 0..=255 {
            assert!(!describe(&[byte], kind).is_empty());
            assert!(!describe(&[byte, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80], kind).is_empty());
        }
    }
}

#[test]
fn an_error_describes_itself() {
    for bytes in BOUNDARY_BYTES.iter().flat_map(|&a| BOUNDARY_BYTES.map(|b| [b'-', b'-', a, b])) {
        let Some(expected) = reference::errors(&bytes).first().copied() else { continue };
        let error = validate(&bytes).expect_err("the oracle has an error");
        let span = &bytes[expected.start..expected.end];
        assert_eq!(error.bytes(), span);
        assert_eq!(error.reason(), reference::reason(expected.kind, span[0]), "{bytes:02x?}");
        assert_eq!(
            error.to_string(),
            format!("invalid UTF-8 at byte {}: {}", expected.start, describe(span, expected.kind))
        );
    }
}

#[test]
fn kinds_have_names_of_their_own() {
    let names = ErrorKind::ALL.map(ErrorKind::name);
    assert_eq!(
        names,
        [
            "unexpected_continuation",
            "overlong",
            "too_large",
            "invalid_start",
            "surrogate",
            "truncated",
            "missing_continuation"
        ]
    );
}

#[test]
fn the_byte_order_mark_is_feff() {
    assert_eq!(BOM, *"\u{FEFF}".as_bytes());
}

/// Characters of every width, each followed by stray continuation bytes, and errors.
const ROUGH: &[u8] =
    b"a\xC3\xA9\x80\n\xE2\x82\xAC\x80\xF0\x9F\x98\x80\x80\x80\x80\x80\x80\x80z\xE2\x82\xFF\xF0\x9F\x98";

#[test]
fn boundaries_are_the_nearest_ones() {
    for start in 0..ROUGH.len() {
        let data = &ROUGH[start..];
        let here = |at: usize| data.get(at).is_none_or(|byte| !(0x80..=0xBF).contains(byte));
        for offset in 0..=data.len() {
            assert_eq!(is_boundary(data, offset), here(offset));
            let floor = (0..=3).filter_map(|back| offset.checked_sub(back)).find(|&at| here(at));
            assert_eq!(floor_boundary(data, offset), floor.unwrap_or(offset), "{start} {offset}");
            let ceil = (offset..=data.len()).take(4).find(|&at| here(at));
            let around = parts(data).find(|part| part.start < offset && offset < part.end);
            let ceil = ceil.unwrap_or(around.map_or(offset, |part| part.end));
            assert_eq!(ceil_boundary(data, offset), ceil, "{start} {offset}");
        }
    }
}

#[test]
fn boundaries_of_text_are_those_of_str() {
    let text = "aéб€\n😀𝄞!";
    for offset in 0..=text.len() {
        assert_eq!(is_boundary(text.as_bytes(), offset), text.is_char_boundary(offset));
        let floor = (0..=offset).rev().find(|&at| text.is_char_boundary(at));
        assert_eq!(Some(floor_boundary(text.as_bytes(), offset)), floor);
        let ceil = (offset..=text.len()).find(|&at| text.is_char_boundary(at));
        assert_eq!(Some(ceil_boundary(text.as_bytes(), offset)), ceil);
    }
}

#[test]
fn every_byte_is_located() {
    reference::with_every_implementation_active(|| {
        for offset in 0..=ROUGH.len() {
            let owner = parts(ROUGH).find(|part| (part.start..part.end).contains(&offset));
            let before = &ROUGH[..owner.map_or(offset, |part| part.start)];
            let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
            let place = locate(ROUGH, offset, Unit::Byte);
            let line = reference::replaced(&before[line_start..]);
            assert_eq!(place.line as usize, reference::newlines(before) + 1, "{offset}");
            assert_eq!(place.column as usize, line.chars().count() + 1, "{offset}");
            assert_eq!(place.utf16_column as usize, line.encode_utf16().count() + 1, "{offset}");
            assert_eq!(place.char_offset as usize, reference::replaced(before).chars().count(), "{offset}");
            assert_eq!(place.byte_offset as usize, offset);
        }
    });
}

#[test]
fn every_char_and_code_unit_is_located() {
    reference::with_every_implementation_active(|| {
        for long in [false, true] {
            // So long that the last characters are in another chunk.
            let data = [if long { "я\n".repeat(350_000) } else { String::new() }.as_bytes(), ROUGH].concat();
            let start = data.len() - ROUGH.len();
            let (mut chars, mut units) =
                (reference::leads(&data[..start]), reference::utf16_count(&data[..start]));
            let spans = parts(ROUGH).map(|part| start + part.start..start + part.end);
            for span in spans.chain(std::iter::once(data.len()..data.len())) {
                let place = locate(&data, span.start, Unit::Byte);
                assert_eq!(locate(&data, chars, Unit::Char), place);
                let width = reference::replaced(&data[span]).encode_utf16().count().max(1);
                for unit in units..units + width {
                    assert_eq!(locate(&data, unit, Unit::Utf16), place);
                }
                (chars, units) = (chars + 1, units + width);
            }
            // The end has counted as a character.
            for (offset, unit) in [(chars, Unit::Char), (units, Unit::Utf16), (usize::MAX, Unit::Char)] {
                assert!(catch_unwind(AssertUnwindSafe(|| locate(&data, offset, unit))).is_err());
            }
        }
    });
}

#[test]
fn errors_are_located() {
    reference::with_every_implementation_active(|| {
        let long = [ROUGH, &b"text\n".repeat(300_000), ROUGH].concat();
        for data in [ROUGH, &long] {
            let located: Vec<_> = iter_errors(data).with_locations().collect();
            assert!(located.iter().map(|&(error, _)| error).eq(iter_errors(data)));
            for (error, location) in located {
                assert_eq!(location, locate(data, error.start() as usize, Unit::Byte));
            }
            let mut errors = iter_errors(data);
            errors.next();
            for (error, location) in errors.with_locations() {
                assert_eq!(location, locate(data, error.start() as usize, Unit::Byte));
            }
        }
    });
}

#[test]
fn beyond_the_end_there_are_no_places() {
    for data in [b"".as_slice(), b"text", b"\x80\x80\x80\x80\x80"] {
        for offset in [data.len() + 1, data.len() + 4, usize::MAX] {
            assert!(!is_boundary(data, offset), "{offset}");
            assert_eq!(floor_boundary(data, offset), data.len(), "{offset}");
            assert_eq!(ceil_boundary(data, offset), data.len(), "{offset}");
            assert!(catch_unwind(AssertUnwindSafe(|| locate(data, offset, Unit::Byte))).is_err(), "{offset}");
        }
    }
}
