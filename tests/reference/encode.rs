//! Checks of encoding every other form to UTF-8, against the standard library.

use std::fmt::Debug;

use leadbyte::Implementation;

use super::on_every_implementation;

/// One form: our functions for it, and the expected results.
pub struct Form<U: 'static> {
    pub name: &'static str,
    pub expected: fn(&[U]) -> Expected,
    pub encode: Encode<U>,
    pub length: fn(Implementation, &[U]) -> usize,
    pub scalar_up_to: fn(Implementation, &[U]) -> usize,
}

/// Writes to a buffer; returns the number of bytes, and whether all units are scalar values.
pub type Encode<U> = fn(Implementation, &[U], &mut [u8]) -> (usize, bool);

/// What some units are.
pub struct Expected {
    /// How many bytes; a lone surrogate counts three, and a value beyond U+10FFFF four.
    pub length: usize,
    /// The bytes, where they mean something.
    pub bytes: Option<Vec<u8>>,
    /// How many units stand before the first that is not a scalar value.
    pub scalar_up_to: usize,
}

pub const LATIN1: Form<u8> = Form {
    name: "Latin-1",
    expected: |units| one_by_one(units.iter().map(|&unit| u32::from(unit))),
    encode: Implementation::encode_latin1,
    length: Implementation::utf8_length_of_latin1,
    scalar_up_to: |_, units| units.len(),
};

pub const UCS2: Form<u16> = Form {
    name: "UCS-2",
    expected: |units| one_by_one(units.iter().map(|&unit| u32::from(unit))),
    encode: Implementation::encode_ucs2,
    length: Implementation::utf8_length_of_ucs2,
    scalar_up_to: Implementation::scalar_up_to_of_ucs2,
};

pub const UTF16: Form<u16> = Form {
    name: "UTF-16",
    expected: in_pairs,
    encode: Implementation::encode_utf16,
    length: Implementation::utf8_length_of_utf16,
    scalar_up_to: Implementation::scalar_up_to_of_utf16,
};

pub const UTF32: Form<u32> = Form {
    name: "UTF-32",
    expected: |units| one_by_one(units.iter().copied()),
    encode: Implementation::encode_utf32,
    length: Implementation::utf8_length_of_utf32,
    scalar_up_to: Implementation::scalar_up_to_of_utf32,
};

/// Units that are code points each, by the standard library; it knows no surrogates, so these are spelled here.
pub fn one_by_one(units: impl Iterator<Item = u32> + Clone) -> Expected {
    let mut bytes = vec![];
    let mut beyond = 0;
    for unit in units.clone() {
        match char::from_u32(unit) {
            Some(char) => bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
            None if unit <= 0xDFFF => {
                bytes.extend([0xED, 0x80 | (unit >> 6 & 0x3F) as u8, 0x80 | (unit & 0x3F) as u8]);
            }
            None => beyond += 1,
        }
    }
    let scalar_up_to = units.take_while(|&unit| char::from_u32(unit).is_some()).count();
    let length = bytes.len() + 4 * beyond;
    Expected { length, bytes: (beyond == 0).then_some(bytes), scalar_up_to }
}

/// Returns the expected results for UTF-16 code units.
pub fn in_pairs(units: &[u16]) -> Expected {
    let decoded = || char::decode_utf16(units.iter().copied());
    let scalar = decoded().map_while(Result::ok);
    let scalar_up_to = scalar.map(char::len_utf16).sum();
    let length = decoded().map(|char| char.map_or(3, char::len_utf8)).sum();
    let bytes = String::from_utf16(units).ok().map(String::into_bytes);
    Expected { length, bytes, scalar_up_to }
}

/// What sizes are filled with before.
pub const UNTOUCHED: u8 = 0xEE;

impl<U: Copy + Debug> Form<U> {
    /// Checks all about units that are a heap block of just their length, with buffer that is.
    pub fn check(&self, units: &[U]) {
        self.check_in_place(&Box::<[U]>::from(units), |length, test| {
            test(&mut vec![UNTOUCHED; length].into_boxed_slice());
        });
    }

    /// Checks all about units where they are; `with_buffer` calls what it is given with buffer of a length.
    pub fn check_in_place(&self, units: &[U], with_buffer: impl Fn(usize, &mut dyn FnMut(&mut [u8]))) {
        let expected = (self.expected)(units);
        let all_scalar = expected.scalar_up_to == units.len();
        on_every_implementation(|implementation| {
            let what = || format!("{}, {}, {units:04x?}", self.name, implementation.name());
            assert_eq!((self.length)(implementation, units), expected.length, "{}", what());
            assert_eq!((self.scalar_up_to)(implementation, units), expected.scalar_up_to, "{}", what());
            with_buffer(expected.length, &mut |buffer| {
                let (written, scalar) = (self.encode)(implementation, units, buffer);
                assert!(written <= buffer.len(), "{}", what());
                assert_eq!(scalar, all_scalar, "{}", what());
                if let Some(bytes) = &expected.bytes {
                    assert_eq!(&buffer[..written], bytes, "{}", what());
                }
            });
            // Too little buffer, at every place where that may matter.
            let sizes =
                [1, 2, 3, 15, 16, 33, 63, 64, 65, 127].map(|less| expected.length.saturating_sub(less));
            for buffer in sizes.into_iter().chain([0, 1, expected.length / 2]) {
                let buffer = buffer.min(expected.length);
                with_buffer(buffer, &mut |buffer| {
                    let (written, _) = (self.encode)(implementation, units, buffer);
                    assert!(written <= buffer.len(), "{}", what());
                    if let Some(bytes) = &expected.bytes {
                        assert_eq!(buffer[..written], bytes[..written], "{}", what());
                    }
                });
            }
        });
    }

    /// Checks what ours makes of long units, with just the right buffer.
    pub fn check_long(&self, units: &[U]) {
        let expected = (self.expected)(units);
        on_every_implementation(|implementation| {
            let name = (self.name, implementation.name());
            assert_eq!((self.length)(implementation, units), expected.length, "{name:?}");
            let mut buffer = vec![UNTOUCHED; expected.length];
            let (_, scalar) = (self.encode)(implementation, units, &mut buffer);
            assert_eq!(scalar, expected.scalar_up_to == units.len(), "{name:?}");
            assert!(expected.bytes.as_ref().is_none_or(|bytes| *bytes == buffer), "{name:?}");
        });
    }
}
