//! Single-byte encodings: a table of characters, and the kernels that look them up.

#[cfg(feature = "legacy")]
use std::sync::{Mutex, PoisonError};

#[cfg(feature = "legacy")]
use encoding_rs::Encoding;

use crate::kernels::decode::single_byte::DecodeSingleByte;
use crate::kernels::encode::Encoded;
use crate::kernels::encode::single_byte::{EncodeSingleByte, SingleByteLength};
use crate::kernels::single_byte::SingleByteTables;
use crate::sequence::boundary::{CHUNK_BYTES, chunks};
use crate::sequence::{Sequence, decode_one};
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::MaybeUninit;

/// A single-byte encoding: bytes 00 to 7F are ASCII, each other byte is a character of at most U+FFFF or undefined.
/// Windows-1251, KOI8-R and ISO 8859-7 are such encodings.
///
/// ```
/// use leadbyte::transcode::{SingleByteEncoding, TranscodeError};
///
/// // Latin-1 with the euro sign at A4 and without a character at FF.
/// let mut high = std::array::from_fn(|index| char::from_u32(0x80 + index as u32));
/// (high[0x24], high[0x7F]) = (Some('€'), None);
/// let encoding = SingleByteEncoding::new(&high).unwrap();
///
/// let mut buffer = [0; 5];
/// assert_eq!(encoding.to_utf8(b"5 \xA4", &mut buffer), Ok(5));
/// assert_eq!(&buffer, "5 €".as_bytes());
/// assert_eq!(encoding.from_utf8("5 €".as_bytes(), &mut buffer), Ok(3));
/// assert_eq!(&buffer[..3], b"5 \xA4");
///
/// let error = encoding.from_utf8("5 ₽".as_bytes(), &mut buffer).unwrap_err();
/// assert_eq!(error, TranscodeError::Unmappable { at: 2, character: '₽' });
/// let error = encoding.to_utf8(b"5 \xFF", &mut buffer).unwrap_err();
/// assert_eq!(error, TranscodeError::Undefined { at: 2, byte: 0xFF });
/// ```
#[derive(Clone, Debug)]
pub struct SingleByteEncoding {
    tables: SingleByteTables,
}

/// The number of bytes in which the first undefined byte or unmappable character is searched at once.
const SEARCH_BYTES: usize = 1024;

impl SingleByteEncoding {
    /// Creates the encoding whose bytes 80 to FF are these characters. Returns `None` if one of them is ASCII or beyond
    /// U+FFFF.
    ///
    /// A character that occurs twice is encoded as the last of its bytes.
    pub fn new(high: &[Option<char>; 128]) -> Option<Self> {
        Some(Self { tables: SingleByteTables::new(high)? })
    }

    /// Returns the single-byte encoding that the WHATWG Encoding Standard defines under this name, or `None` if the
    /// encoding has several bytes a character.
    ///
    /// ```
    /// use leadbyte::transcode::SingleByteEncoding;
    /// let encoding = SingleByteEncoding::of(encoding_rs::KOI8_R).unwrap();
    /// assert_eq!(encoding.char_of(0xCD), Some('м'));
    /// assert!(SingleByteEncoding::of(encoding_rs::SHIFT_JIS).is_none());
    /// ```
    #[cfg(feature = "legacy")]
    pub fn of(encoding: &'static Encoding) -> Option<&'static Self> {
        if !encoding.is_single_byte() {
            return None;
        }
        Self::shared(&super::high_half::of_standard(encoding))
    }

    /// Returns [`new`](Self::new)'s encoding. Each is made once and lives as long as the process.
    #[cfg(feature = "legacy")]
    pub(crate) fn shared(high: &[Option<char>; 128]) -> Option<&'static Self> {
        type Made = (Box<[Option<char>; 128]>, &'static SingleByteEncoding);
        static MADE: Mutex<Vec<Made>> = Mutex::new(vec![]);
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, encoding)) = made.iter().find(|(other, _)| **other == *high) {
            return Some(encoding);
        }
        let encoding = Box::leak(Box::new(Self::new(high)?));
        made.push((Box::new(*high), encoding));
        Some(encoding)
    }

    /// Returns the byte of a character, or `None` if the encoding does not have it.
    pub fn byte_of(&self, character: char) -> Option<u8> {
        self.tables.byte(u16::try_from(u32::from(character)).ok()?)
    }

    /// Returns the character of a byte, or `None` if the byte is undefined.
    pub fn char_of(&self, byte: u8) -> Option<char> {
        self.tables.character(byte)
    }

    /// Returns the number of bytes that `data` takes in UTF-8, or the largest number there is if that is less. Returns
    /// `None` if a byte is undefined.
    pub(crate) fn length_in_utf8(&self, by: Implementation, data: &[u8]) -> Option<usize> {
        // On 32-bit targets the length may be beyond the address space.
        let mut steps = data.chunks(CHUNK_BYTES);
        steps.try_fold(0_usize, |length, data| {
            Some(length.saturating_add(by.run(SingleByteLength { tables: &self.tables, data })?))
        })
    }

    /// Returns the offset of the first undefined byte.
    pub(crate) fn first_undefined(&self, by: Implementation, data: &[u8]) -> Option<usize> {
        let mut steps = data.chunks(SEARCH_BYTES).enumerate();
        let (step, bytes) = steps.find(|(_, bytes)| self.length_in_utf8(by, bytes).is_none())?;
        let within = bytes.iter().position(|&byte| self.char_of(byte).is_none())?;
        Some(step * SEARCH_BYTES + within)
    }

    /// Returns the byte offset and the value of the first character of `text`, valid UTF-8, that the encoding does not
    /// have.
    pub(crate) fn first_unmappable(&self, by: Implementation, text: &[u8]) -> Option<(usize, char)> {
        let mut buffer = [MaybeUninit::new(0); SEARCH_BYTES];
        let mut at = 0;
        for step in chunks(text, SEARCH_BYTES) {
            let mut rest = if self.fill(by, step, &mut buffer).1 { &[] } else { step };
            while let Some(Sequence::Char(character, length)) = decode_one(rest) {
                if self.byte_of(character).is_none() {
                    return Some((at + step.len() - rest.len(), character));
                }
                rest = &rest[length..];
            }
            at += step.len();
        }
        None
    }

    /// Writes `data` as UTF-8 into `out`, which has exactly its length. Returns the number of bytes written, and
    /// whether each byte is defined; an undefined byte is written as three arbitrary ones.
    pub(crate) fn fill_utf8(
        &self,
        by: Implementation,
        data: &[u8],
        out: &mut [MaybeUninit<u8>],
    ) -> (usize, bool) {
        let Encoded { written, scalar } = by.run(EncodeSingleByte { tables: &self.tables, data, out });
        (written, scalar)
    }

    /// Writes `text`, valid UTF-8, in this encoding into `out`, which has a byte for each character. Returns the number
    /// of bytes written, and whether the encoding has each character; the others are written as arbitrary bytes.
    pub(crate) fn fill(&self, by: Implementation, text: &[u8], out: &mut [MaybeUninit<u8>]) -> (usize, bool) {
        by.run(DecodeSingleByte { tables: &self.tables, data: text, out })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::implementations;

    /// Where a kernel reports a character as unmappable that is not, the result is the same, but takes longer.
    #[test]
    fn kernels_report_only_characters_that_the_encoding_lacks() {
        let high =
            core::array::from_fn(|index| char::from_u32([0xA0, 0x400, 0x2500][index % 3] + index as u32));
        let encoding = SingleByteEncoding::new(&high).unwrap();
        let characters = (0..=u8::MAX).map(|byte| encoding.char_of(byte).unwrap());
        for length in 0..300 {
            let text: String = characters.clone().cycle().skip(length).take(length).collect();
            for &implementation in implementations() {
                let mut out = vec![MaybeUninit::new(0); length + 1];
                let complete = encoding.fill(implementation, text.as_bytes(), &mut out[..length]);
                assert_eq!(complete, (length, true), "{}", implementation.name());
                let lacking = encoding.fill(implementation, format!("{text}😀").as_bytes(), &mut out);
                assert_eq!(lacking, (length + 1, false), "{}", implementation.name());
            }
        }
    }
}
