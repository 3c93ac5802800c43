//! Bitmaps: a bit for each row, the lowest bit of a byte first.

use crate::allocation::{AllocError, Grow, try_push};

/// A bitmap, whose first bit belongs to the first row. Bits after the last row are 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bitmap {
    bytes: Vec<u8>,
    length: usize,
}

/// Returns whether a row is null, given which rows are not; without that none is.
#[inline]
pub(super) fn is_null(validity: Option<&Bitmap>, row: usize) -> bool {
    validity.is_some_and(|validity| !validity.get(row))
}

impl Bitmap {
    /// Returns a bitmap with all bits set.
    pub fn ones(length: usize) -> Result<Self, AllocError> {
        let mut bitmap = Self::filled(length, 0xFF)?;
        bitmap.clear_rest();
        Ok(bitmap)
    }

    /// Returns a bitmap with no bit set.
    pub fn zeros(length: usize) -> Result<Self, AllocError> {
        Self::filled(length, 0)
    }

    fn filled(length: usize, byte: u8) -> Result<Self, AllocError> {
        let mut bytes = Vec::new();
        bytes.grow(length.div_ceil(8))?;
        bytes.resize(length.div_ceil(8), byte);
        Ok(Self { bytes, length })
    }

    /// Returns a copy of `length` bits, from bit `first` of the first byte on. `bytes` must have as many.
    pub fn copy(bytes: &[u8], first: usize, length: usize) -> Result<Self, AllocError> {
        let mut copied = Vec::new();
        copied.grow(length.div_ceil(8))?;
        let following = bytes.iter().skip(1).chain([&0]);
        let shifted =
            bytes.iter().zip(following).map(|(&low, &high)| (u16::from_le_bytes([low, high]) >> first) as u8);
        copied.extend(shifted.take(length.div_ceil(8)));
        let mut bitmap = Self { bytes: copied, length };
        bitmap.clear_rest();
        Ok(bitmap)
    }

    fn clear_rest(&mut self) {
        if let (Some(last), bits @ 1..) = (self.bytes.last_mut(), self.length % 8) {
            *last &= (1 << bits) - 1;
        }
    }

    #[inline]
    pub fn get(&self, row: usize) -> bool {
        self.bytes.get(row / 8).is_some_and(|byte| byte >> (row % 8) & 1 == 1)
    }

    #[inline]
    pub fn clear(&mut self, row: usize) {
        if let Some(byte) = self.bytes.get_mut(row / 8) {
            *byte &= !(1 << (row % 8));
        }
    }

    /// Clears the bits that are not set in another bitmap of the same length.
    pub fn intersect(&mut self, other: &Self) {
        for (byte, other) in self.bytes.iter_mut().zip(&other.bytes) {
            *byte &= other;
        }
    }

    /// Returns the rows whose bits are not set.
    pub fn unset(&self) -> impl Iterator<Item = usize> {
        let bytes = self.bytes.iter().enumerate().filter(|&(_, &byte)| byte != u8::MAX);
        let bits = |(index, &byte): (usize, &u8)| {
            (0..8).filter(move |bit| byte >> bit & 1 == 0).map(move |bit| 8 * index + bit)
        };
        bytes.flat_map(bits).take_while(|&row| row < self.length)
    }

    /// Returns the number of bits that are not set.
    pub fn count_zeros(&self) -> usize {
        self.length - self.bytes.iter().map(|byte| byte.count_ones() as usize).sum::<usize>()
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns the bitmap of some bits.
    pub fn from_bits(bits: impl Iterator<Item = bool>) -> Result<Self, AllocError> {
        let (mut bytes, mut length) = (Vec::new(), 0);
        for bit in bits {
            if length % 8 == 0 {
                try_push(&mut bytes, 0)?;
            }
            if let Some(last) = bytes.last_mut() {
                *last |= u8::from(bit) << (length % 8);
            }
            length += 1;
        }
        Ok(Self { bytes, length })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_start_at_any_bit() {
        let bytes: Vec<u8> = (0..40_u8).map(|byte| byte.wrapping_mul(151) ^ 0x5A).collect();
        let bit = |index: usize| bytes[index / 8] >> (index % 8) & 1 == 1;
        for first in 0..8 {
            for length in 0..100_usize {
                let copied = Bitmap::copy(&bytes[..(first + length).div_ceil(8)], first, length).unwrap();
                let bits = (first..first + length).map(bit);
                assert_eq!(copied, Bitmap::from_bits(bits.clone()).unwrap());
                assert_eq!(copied.count_zeros(), bits.filter(|bit| !bit).count());
            }
        }
    }

    #[test]
    fn bits_are_cleared() {
        for length in 0..40 {
            let mut bitmap = Bitmap::ones(length).unwrap();
            assert_eq!((bitmap.count_zeros(), bitmap.length), (0, length));
            let rows: Vec<_> = (0..length).filter(|row| row % 3 == 1).collect();
            rows.iter().for_each(|&row| bitmap.clear(row));
            assert!((0..length).all(|row| bitmap.get(row) == (row % 3 != 1)));
            assert_eq!(bitmap.count_zeros(), rows.len());
            assert_eq!(bitmap.unset().collect::<Vec<_>>(), rows);
            let mut all = Bitmap::ones(length).unwrap();
            all.intersect(&bitmap);
            assert_eq!(all, bitmap);
        }
    }
}
