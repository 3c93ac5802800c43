//! Encodings of one or two bytes a character (Shift_JIS, EUC, GBK, Big5): tables of the characters that another
//! implementation has for them, and back.
//!
//! ASCII is ASCII in them, and it is converted by blocks. Whatever a table lacks ends a conversion: malformed bytes,
//! longer sequences, characters that depend on others. From there on the other implementation converts.

use crate::allocation::{AllocError, Grow};
use crate::simd::uninit::{MaybeUninit, first_places, put};

/// What a table has where there is no character, or no bytes.
pub const ABSENT: u16 = 0xFFFF;

/// Single bytes, and the pairs of two bytes.
const BYTES: usize = 1 << 8;
const PAIRS: usize = 1 << 16;

/// ASCII that is converted at once.
const BLOCK: usize = 16;

/// The characters of single bytes and of pairs, by the numbers of big-endian order.
pub struct DoubleByteDecoder {
    singles: Box<[u16; BYTES]>,
    pairs: Box<[u16; PAIRS]>,
}

impl DoubleByteDecoder {
    /// Returns a decoder by tables of characters up to U+FFFE; `None` if they have other lengths, or ASCII is not
    /// ASCII.
    pub fn new(singles: &[u16], pairs: &[u16]) -> Result<Option<Self>, AllocError> {
        let is_ascii = (0..0x80).all(|byte| singles.get(byte) == Some(&(byte as u16)));
        let (Some(singles), Some(pairs)) = (table(singles)?, table(pairs)?) else { return Ok(None) };
        Ok(is_ascii.then_some(Self { singles, pairs }))
    }

    /// Decodes the start of `data` to the start of `out`, up to the end of one of them, or to a character that the
    /// tables lack. Returns the numbers of bytes read and of units written.
    pub fn decode(&self, data: &[u8], out: &mut [MaybeUninit<u16>]) -> (usize, usize) {
        let (mut at, mut written) = (0, 0);
        loop {
            while let Some(&[lead, trail]) = data.get(at..).and_then(|rest| rest.first_chunk())
                && let unit = self.pairs[usize::from(u16::from_be_bytes([lead, trail]))]
                && unit != ABSENT
                && let Some(place) = out.get_mut(written)
            {
                place.write(unit);
                (at, written) = (at + 2, written + 1);
            }
            let (Some(&byte), Some(place)) = (data.get(at), out.get_mut(written)) else { break };
            let unit = self.singles[usize::from(byte)];
            if unit == ABSENT {
                break;
            }
            place.write(unit);
            (at, written) = (at + 1, written + 1);
            while data.get(at).is_some_and(u8::is_ascii) // fails early where it is a space between words
                && let (Some(block), Some(places)) = (block_at(data, at), first_places::<_, BLOCK>(out, written))
                && block.is_ascii()
            {
                put(places, &block.map(u16::from));
                (at, written) = (at + BLOCK, written + BLOCK);
            }
        }
        (at, written)
    }
}

/// The bytes of characters up to U+FFFF: one, or two as a number in big-endian order.
pub struct DoubleByteEncoder(Box<[u16; PAIRS]>);

impl DoubleByteEncoder {
    /// Returns an encoder by a table of the bytes of each character; `None` if it has another length, or ASCII is not
    /// ASCII.
    pub fn new(bytes: &[u16]) -> Result<Option<Self>, AllocError> {
        let is_ascii = (0..0x80).all(|byte| bytes.get(byte) == Some(&(byte as u16)));
        Ok(table(bytes)?.filter(|_| is_ascii).map(Self))
    }

    /// Encodes the start of `units`, which are code points, to the start of `out`, which has twice as many places, up
    /// to a character that the table lacks. Returns the numbers of units read and of bytes written.
    pub fn encode<U: Copy + Into<u32>>(&self, units: &[U], out: &mut [MaybeUninit<u8>]) -> (usize, usize) {
        let (mut at, mut written) = (0, 0);
        for block in units.chunks(BLOCK) {
            if let (Ok(block), Some(places)) =
                (<&[U; BLOCK]>::try_from(block), first_places::<_, BLOCK>(out, written))
                && block.iter().fold(0, |bits, &unit| bits | unit.into()) < 0x80
            {
                put(places, &block.map(|unit| unit.into() as u8));
                (at, written) = (at + BLOCK, written + BLOCK);
                continue;
            }
            for &unit in block {
                let bytes = self.0.get(unit.into() as usize).copied().unwrap_or(ABSENT);
                if bytes == ABSENT {
                    return (at, written);
                }
                // After a single byte another is written, which is overwritten.
                let is_single = bytes < BYTES_AS_UNIT;
                let pair = if is_single { bytes << 8 } else { bytes };
                put(&mut out[written..], &pair.to_be_bytes());
                (at, written) = (at + 1, written + if is_single { 1 } else { 2 });
            }
        }
        (at, written)
    }
}

/// The first number of two bytes.
const BYTES_AS_UNIT: u16 = BYTES as u16;

/// Returns a table on the heap; `None` for another length.
fn table<const N: usize>(entries: &[u16]) -> Result<Option<Box<[u16; N]>>, AllocError> {
    let mut all = vec![];
    all.grow(entries.len())?;
    all.extend_from_slice(entries);
    Ok(all.into_boxed_slice().try_into().ok())
}

fn block_at<T>(values: &[T], at: usize) -> Option<&[T; BLOCK]> {
    values.get(at..)?.first_chunk()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::uninit::unfilled;

    /// ASCII, the single byte A1, and the pairs 81 40 and 81 41, of which a character is beyond Latin-1.
    fn tables() -> (Vec<u16>, Vec<u16>) {
        let mut singles = vec![ABSENT; BYTES];
        for (byte, unit) in singles.iter_mut().enumerate().take(0x80) {
            *unit = byte as u16;
        }
        singles[0xA1] = 0xFF61;
        let mut pairs = vec![ABSENT; PAIRS];
        (pairs[0x8140], pairs[0x8141]) = (0x4E00, 0xE9);
        (singles, pairs)
    }

    #[test]
    fn characters_up_to_one_that_is_absent() {
        let (singles, pairs) = tables();
        let decoder = DoubleByteDecoder::new(&singles, &pairs).unwrap().unwrap();
        let ascii = b"sixteen letters and more";
        for before in 0..=ascii.len() {
            for (rest, expected) in [
                (&b"\x81\x40\xA1\x81\x41a"[..], &[0x4E00, 0xFF61, 0xE9, 0x61][..]),
                (b"\x81\x40\x81", &[0x4E00]),
                (b"\xA1\x81\x42\x81\x40", &[0xFF61]),
                (b"\x80a", &[]),
            ] {
                let data = [&ascii[..before], rest].concat();
                let mut units = vec![0; data.len()];
                let (read, written) = decoder.decode(&data, unfilled(&mut units));
                let expected: Vec<u16> =
                    ascii[..before].iter().map(|&byte| byte.into()).chain(expected.iter().copied()).collect();
                assert_eq!(units[..written], expected);
                let is_whole = rest.ends_with(b"a") && rest[0] == 0x81;
                assert_eq!(read == data.len(), is_whole);
                // A shorter output ends it as well.
                for capacity in 0..written {
                    let (read, written) = decoder.decode(&data, unfilled(&mut units[..capacity]));
                    assert_eq!((units[..written].len(), read <= data.len()), (capacity, true));
                }
            }
        }
    }

    #[test]
    fn bytes_of_characters() {
        let mut bytes = vec![ABSENT; PAIRS];
        for (byte, entry) in bytes.iter_mut().enumerate().take(0x80) {
            *entry = byte as u16;
        }
        (bytes[0x4E00], bytes[0xFF61]) = (0x8140, 0xA1);
        let encoder = DoubleByteEncoder::new(&bytes).unwrap().unwrap();
        for ascii in 0..40 {
            let mut units = vec![0x61_u32; ascii];
            units.extend([0x4E00, 0xFF61, 0x62, 0x1_4E00, 0x63]);
            let mut out = vec![0; 2 * units.len()];
            let (read, written) = encoder.encode(&units, unfilled(&mut out));
            assert_eq!(read, ascii + 3);
            assert_eq!(out[..written], [&vec![0x61; ascii][..], b"\x81\x40\xA1b"].concat());
        }
    }

    #[test]
    fn tables_that_are_none() {
        let (mut singles, pairs) = tables();
        assert!(DoubleByteDecoder::new(&singles, &pairs[1..]).unwrap().is_none());
        assert!(DoubleByteDecoder::new(&singles[1..], &pairs).unwrap().is_none());
        assert!(DoubleByteEncoder::new(&pairs).unwrap().is_none());
        singles[0x5C] = 0xA5;
        assert!(DoubleByteDecoder::new(&singles, &pairs).unwrap().is_none());
    }
}
