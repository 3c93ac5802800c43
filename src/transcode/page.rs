//! Single-byte encodings.

#[cfg(feature = "legacy")]
use std::sync::{Mutex, PoisonError};

#[cfg(feature = "legacy")]
use encoding_rs::Encoding;

use super::TranscodeError;
use crate::boundary::{CHUNK_BYTES, chunks};
use crate::kernels::decode::page::DecodePage;
use crate::kernels::encode::Encoded;
use crate::kernels::encode::page::{EncodePage, PageLength};
use crate::kernels::page::Tables;
use crate::sequence::{Sequence, decode_one};
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::{MaybeUninit, unfilled};
use crate::validate::Measure;

/// A single-byte encoding whose bytes below 80 are ASCII, and whose others are characters of at most U+FFFF, or
/// nothing: Windows-1251, KOI8-R, ISO 8859-7 and many more.
///
/// ```
/// use leadbyte::transcode::{Page, TranscodeError};
///
/// // Latin-1 with the euro, and with a byte that means nothing.
/// let mut high = std::array::from_fn(|index| char::from_u32(0x80 + index as u32));
/// (high[0x24], high[0x7F]) = (Some('€'), None);
/// let page = Page::new(&high).unwrap();
///
/// let mut room = [0; 5];
/// assert_eq!(page.to_utf8(b"5 \xA4", &mut room), Ok(5));
/// assert_eq!(&room, "5 €".as_bytes());
/// assert_eq!(page.from_utf8("5 €".as_bytes(), &mut room), Ok(3));
/// assert_eq!(&room[..3], b"5 \xA4");
///
/// let error = page.from_utf8("5 ₽".as_bytes(), &mut room).unwrap_err();
/// assert_eq!(error, TranscodeError::NotInForm { at: 2, character: '₽' });
/// let error = page.to_utf8(b"5 \xFF", &mut room).unwrap_err();
/// assert_eq!(error, TranscodeError::Undefined { at: 2, byte: 0xFF });
/// ```
#[derive(Debug)]
pub struct Page {
    tables: Tables,
}

/// What the first one of something is sought in at once.
const NEAR: usize = 1024;

impl Page {
    /// The encoding whose bytes from 80 on are these characters. `None` if one of them is ASCII, or beyond U+FFFF.
    ///
    /// A character that stands there twice is encoded as the last of these bytes.
    pub fn new(high: &[Option<char>; 128]) -> Option<Self> {
        Some(Self { tables: Tables::new(high)? })
    }

    /// What the WHATWG's Encoding Standard has under this name, if it is such an encoding.
    ///
    /// ```
    /// use leadbyte::transcode::Page;
    /// let page = Page::of(encoding_rs::KOI8_R).unwrap();
    /// assert_eq!(page.char_of(0xCD), Some('м'));
    /// assert!(Page::of(encoding_rs::SHIFT_JIS).is_none());
    /// ```
    #[cfg(feature = "legacy")]
    pub fn of(encoding: &'static Encoding) -> Option<&'static Self> {
        if !encoding.is_single_byte() {
            return None;
        }
        Self::shared(&core::array::from_fn(|index| {
            let byte = [0x80 + index as u8];
            let text = encoding.decode_without_bom_handling_and_without_replacement(&byte)?;
            text.chars().next()
        }))
    }

    /// As [`new`](Self::new), but each page is made once, and stays.
    #[cfg(feature = "legacy")]
    pub(crate) fn shared(high: &[Option<char>; 128]) -> Option<&'static Self> {
        type Made = (Box<[Option<char>; 128]>, &'static Page);
        static MADE: Mutex<Vec<Made>> = Mutex::new(vec![]);
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, page)) = made.iter().find(|(other, _)| **other == *high) {
            return Some(page);
        }
        let page = Box::leak(Box::new(Self::new(high)?));
        made.push((Box::new(*high), page));
        Some(page)
    }

    /// How many bytes `data` take in UTF-8, or the largest number if they are more; `None` if a byte means nothing.
    pub fn utf8_length(&self, data: &[u8]) -> Option<usize> {
        self.utf8_length_by(Implementation::active(), data)
    }

    /// Encodes bytes of this encoding to UTF-8. Returns how many bytes there are then.
    pub fn to_utf8(&self, data: &[u8], out: &mut [u8]) -> Result<usize, TranscodeError> {
        self.to_utf8_by(Implementation::active(), data, out)
    }

    /// Decodes UTF-8 to bytes of this encoding. Returns how many there are: one for each character.
    pub fn from_utf8(&self, text: &[u8], out: &mut [u8]) -> Result<usize, TranscodeError> {
        self.from_utf8_by(Implementation::active(), text, out)
    }

    /// The byte that a character is, if there is one.
    pub fn byte_of(&self, character: char) -> Option<u8> {
        self.tables.byte(u16::try_from(u32::from(character)).ok()?)
    }

    /// The character that a byte is, unless it means nothing.
    pub fn char_of(&self, byte: u8) -> Option<char> {
        self.tables.character(byte)
    }

    /// The first byte that means nothing.
    pub(crate) fn first_undefined(&self, by: Implementation, data: &[u8]) -> Option<usize> {
        let mut steps = data.chunks(NEAR).enumerate();
        let (step, bytes) = steps.find(|(_, bytes)| self.utf8_length_by(by, bytes).is_none())?;
        let within = bytes.iter().position(|&byte| self.char_of(byte).is_none())?;
        Some(step * NEAR + within)
    }

    /// Where the first character of `text`, which is valid, starts that this encoding does not have, and which it is.
    pub(crate) fn first_missing(&self, by: Implementation, text: &[u8]) -> Option<(usize, char)> {
        let mut room = [MaybeUninit::new(0); NEAR];
        let mut at = 0;
        for step in chunks(text, NEAR) {
            let mut rest = if self.fill(by, step, &mut room).1 { &[] } else { step };
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

    /// Encodes `data` into `out`, which has just the room for it. Tells how many bytes were written, and whether each
    /// byte meant something; what was written for others means nothing, and is three bytes.
    pub(crate) fn fill_utf8(
        &self,
        by: Implementation,
        data: &[u8],
        out: &mut [MaybeUninit<u8>],
    ) -> (usize, bool) {
        let Encoded { written, scalar } = by.run(EncodePage { page: &self.tables, data, out });
        (written, scalar)
    }

    /// Decodes `text`, which is valid, into `out`, which has just the room for it. Tells how many bytes were written,
    /// and whether each character was in this encoding; what was written for others means nothing.
    pub(crate) fn fill(&self, by: Implementation, text: &[u8], out: &mut [MaybeUninit<u8>]) -> (usize, bool) {
        by.run(DecodePage { page: &self.tables, data: text, out })
    }
}

#[doc(hidden)]
impl Page {
    /// The kernel alone: how many bytes were written, and whether every byte meant something.
    pub fn fill_utf8_by(&self, by: Implementation, data: &[u8], out: &mut [u8]) -> (usize, bool) {
        self.fill_utf8(by, data, unfilled(out))
    }

    /// The kernel alone: how many bytes were written, and whether every character was there.
    pub fn fill_by(&self, by: Implementation, text: &[u8], out: &mut [u8]) -> (usize, bool) {
        self.fill(by, text, unfilled(out))
    }

    pub fn utf8_length_by(&self, by: Implementation, data: &[u8]) -> Option<usize> {
        // Three times as many bytes may be more than there can be, where pointers have 32 bits.
        let mut steps = data.chunks(CHUNK_BYTES);
        steps.try_fold(0_usize, |length, data| {
            Some(length.saturating_add(by.run(PageLength { page: &self.tables, data })?))
        })
    }

    pub fn to_utf8_by(
        &self,
        by: Implementation,
        data: &[u8],
        out: &mut [u8],
    ) -> Result<usize, TranscodeError> {
        // Three bytes are the most that one becomes: with so much room nothing need be measured.
        if out.len() / 3 >= data.len()
            && let (written, true) = self.fill_utf8(by, data, unfilled(out))
        {
            return Ok(written);
        }
        let Some(needed) = self.utf8_length_by(by, data) else {
            let at = self.first_undefined(by, data).unwrap_or(data.len());
            return Err(TranscodeError::Undefined { at, byte: data.get(at).copied().unwrap_or_default() });
        };
        let room = out.get_mut(..needed).ok_or(TranscodeError::NoRoom { needed })?;
        Ok(self.fill_utf8(by, data, unfilled(room)).0)
    }

    pub fn from_utf8_by(
        &self,
        by: Implementation,
        text: &[u8],
        out: &mut [u8],
    ) -> Result<usize, TranscodeError> {
        let Some(Measure { chars: needed, .. }) = by.measure(text) else {
            return by.validate(text).map(|_| 0).map_err(TranscodeError::Invalid);
        };
        let room = out.get_mut(..needed).ok_or(TranscodeError::NoRoom { needed })?;
        let (written, all) = self.fill(by, text, unfilled(room));
        match if all { None } else { self.first_missing(by, text) } {
            Some((at, character)) => Err(TranscodeError::NotInForm { at, character }),
            None => Ok(written),
        }
    }
}
