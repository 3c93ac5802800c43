//! What an algorithm that decodes offers.

use crate::kernels::errors::sequences::ErrorStarts;
use crate::kernels::single_byte::SingleByteTables;
use crate::simd::uninit::MaybeUninit;

/// An algorithm that decodes.
pub trait Decoder<I, U> {
    /// Decodes as [`Decode`](super::Decode).
    fn decode<const ANY_LENGTH: bool>(isa: I, data: &[u8], out: &mut [MaybeUninit<U>]) -> usize;

    /// Decodes as [`DecodeChecked`](super::DecodeChecked).
    fn decode_checked(isa: I, data: &[u8], out: &mut [MaybeUninit<U>]) -> Option<usize>;

    /// Decodes as [`DecodeWithErrors`](super::DecodeWithErrors).
    fn decode_with_errors(
        isa: I,
        data: &[u8],
        starts: ErrorStarts<'_>,
        out: &mut [MaybeUninit<U>],
        units: ErrorUnits,
    ) -> usize;
}

/// An algorithm that decodes to a single-byte encoding.
pub trait SingleByteDecoder<I> {
    /// Decodes as [`DecodeSingleByte`](super::single_byte::DecodeSingleByte).
    fn decode_single_byte(
        isa: I,
        tables: &SingleByteTables,
        data: &[u8],
        out: &mut [MaybeUninit<u8>],
    ) -> (usize, bool);
}

/// The units that errors become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorUnits {
    /// None.
    None,
    /// A unit for each error.
    Each(u16),
    /// A low surrogate for each byte of an error, as [`escape`] returns it (PEP 383).
    Escapes,
}

/// Returns the low surrogate that represents a byte from 80 on that could not be decoded (PEP 383).
#[inline(always)]
pub(crate) const fn escape(byte: u8) -> u16 {
    (ESCAPE_HIGH as u16) << 8 | byte as u16
}

/// The high byte of [`escape`].
const ESCAPE_HIGH: u8 = 0xDC;
