//! Checks of single-byte encodings, against encoding_rs.

use std::array;

use encoding_rs::Encoding;
use leadbyte::transcode::{SingleByteEncoding, TranscodeError};

use super::encode::UNTOUCHED;
use super::on_every_implementation;

/// The labels of every single-byte encoding of the Encoding Standard, but for those that are others' tables.
pub const LABELS: [&str; 28] = [
    "ibm866",
    "iso-8859-2",
    "iso-8859-3",
    "iso-8859-4",
    "iso-8859-5",
    "iso-8859-6",
    "iso-8859-7",
    "iso-8859-8",
    "iso-8859-10",
    "iso-8859-13",
    "iso-8859-14",
    "iso-8859-15",
    "iso-8859-16",
    "koi8-r",
    "koi8-u",
    "macintosh",
    "windows-874",
    "windows-1250",
    "windows-1251",
    "windows-1252",
    "windows-1253",
    "windows-1254",
    "windows-1255",
    "windows-1256",
    "windows-1257",
    "windows-1258",
    "x-mac-cyrillic",
    "x-user-defined",
];

/// An encoding: ours, and the one of encoding_rs.
pub struct Both {
    pub name: &'static str,
    pub encoding: SingleByteEncoding,
    pub oracle: &'static Encoding,
}

impl Both {
    pub fn new(name: &'static str) -> Self {
        let oracle = Encoding::for_label(name.as_bytes()).expect("encoding_rs knows it");
        let high = array::from_fn(|index| char_of(oracle, 0x80 + index as u8));
        Self { name, encoding: SingleByteEncoding::new(&high).expect("all are of at most U+FFFF"), oracle }
    }

    /// What `data` are in UTF-8, or the first byte that means nothing.
    pub fn in_utf8(&self, data: &[u8]) -> Result<String, usize> {
        let text = self.oracle.decode_without_bom_handling_and_without_replacement(data);
        let undefined = || data.iter().position(|&byte| char_of(self.oracle, byte).is_none());
        text.map(Into::into).ok_or_else(|| undefined().expect("encoding_rs found one"))
    }

    /// What `text` is in the encoding, or where its first character starts that is not there.
    pub fn in_encoding(&self, text: &str) -> Result<Vec<u8>, usize> {
        let (bytes, _, missing) = self.oracle.encode(text);
        let first = || text.char_indices().find(|&(_, character)| byte_of(self.oracle, character).is_none());
        if missing { Err(first().expect("encoding_rs found one").0) } else { Ok(bytes.into()) }
    }

    /// Bytes that mean something, over and over: some of each row and column, ASCII among them or not.
    pub fn bytes(&self, ascii: bool, length: usize) -> Vec<u8> {
        let all = (0..=255).map(|byte: u8| byte.wrapping_mul(37));
        let some: Vec<u8> =
            all.filter(|&byte| (ascii || byte >= 0x80) && self.encoding.char_of(byte).is_some()).collect();
        some.into_iter().cycle().take(length).collect()
    }

    /// Checks them in both directions.
    pub fn check(&self, data: &[u8]) {
        self.check_to_utf8(data);
        if let Ok(text) = self.in_utf8(data) {
            self.check_from_utf8(&text);
        }
    }

    /// Checks all about bytes that are a heap block of just their length, with buffer that is.
    pub fn check_to_utf8(&self, data: &[u8]) {
        let expected = self.in_utf8(data);
        on_every_implementation(|implementation| {
            let what = || format!("{}, {}, {data:02x?}", self.name, implementation.name());
            let data = &*Box::<[u8]>::from(data);
            let length = expected.as_ref().ok().map(String::len);
            assert_eq!(self.encoding.utf8_length_by(implementation, data), length, "{}", what());
            let needed = length.unwrap_or(3 * data.len());
            let mut out = vec![UNTOUCHED; needed].into_boxed_slice();
            match (&expected, self.encoding.to_utf8_by(implementation, data, &mut out)) {
                (Ok(text), Ok(written)) => assert_eq!(&out[..written], text.as_bytes(), "{}", what()),
                (&Err(at), given) => {
                    assert_eq!(given, Err(TranscodeError::Undefined { at, byte: data[at] }), "{}", what());
                    return;
                }
                (Ok(_), Err(error)) => panic!("{error}: {}", what()),
            }
            if let Some(less) = needed.checked_sub(1) {
                let given = self.encoding.to_utf8_by(implementation, data, &mut out[..less]);
                assert_eq!(given, Err(TranscodeError::BufferTooSmall { needed }), "{}", what());
            }
        });
    }

    /// Checks encoding from UTF-8 in the same way.
    pub fn check_from_utf8(&self, text: &str) {
        let expected = self.in_encoding(text);
        on_every_implementation(|implementation| {
            let what = || format!("{}, {}, {text:?}", self.name, implementation.name());
            let data = &*Box::<[u8]>::from(text.as_bytes());
            let needed = text.chars().count();
            let mut out = vec![UNTOUCHED; needed].into_boxed_slice();
            match (&expected, self.encoding.from_utf8_by(implementation, data, &mut out)) {
                (Ok(bytes), Ok(written)) => assert_eq!(out[..written], *bytes, "{}", what()),
                (&Err(at), Err(TranscodeError::Unmappable { at: given, character })) => {
                    assert_eq!((at, text[at..].chars().next()), (given, Some(character)), "{}", what());
                }
                (_, given) => panic!("{given:?}: {}", what()),
            }
            if let Some(less) = needed.checked_sub(1) {
                let given = self.encoding.from_utf8_by(implementation, data, &mut out[..less]);
                assert_eq!(given, Err(TranscodeError::BufferTooSmall { needed }), "{}", what());
            }
        });
    }
}

pub fn char_of(oracle: &'static Encoding, byte: u8) -> Option<char> {
    oracle.decode_without_bom_handling_and_without_replacement(&[byte])?.chars().next()
}

pub fn byte_of(oracle: &'static Encoding, character: char) -> Option<u8> {
    match oracle.encode(character.encode_utf8(&mut [0; 4])) {
        (bytes, _, false) => Some(bytes[0]),
        _ => None,
    }
}
