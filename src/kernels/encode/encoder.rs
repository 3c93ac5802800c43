//! What an algorithm that encodes offers.

use super::unit::SourceUnit;
use crate::kernels::single_byte::SingleByteTables;
use crate::simd::uninit::MaybeUninit;

/// The largest number of units that are encoded by a kernel of their own.
pub(crate) const MAX_FEW_UNITS: usize = 32;

/// The result of encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// The number of bytes written: all of the output, if it has just the length of the text in UTF-8. In a shorter
    /// output encoding stops early.
    pub written: usize,
    /// Whether every unit that was encoded is, or is part of, a scalar value. If not, surrogates of UCS-2 and UTF-32
    /// are encoded in three bytes each; the bytes of lone surrogates of UTF-16, and of values beyond U+10FFFF, are
    /// unspecified.
    pub scalar: bool,
}

/// An algorithm that encodes.
pub trait Encoder<I, U: SourceUnit> {
    /// Encodes any number of units.
    fn encode(isa: I, units: &[U], out: &mut [MaybeUninit<u8>]) -> Encoded;

    /// Encodes at most [`MAX_FEW_UNITS`] units.
    #[inline(always)]
    fn encode_few(isa: I, units: &[U], out: &mut [MaybeUninit<u8>]) -> Encoded {
        Self::encode(isa, units, out)
    }

    /// Measures any number of units.
    fn length(isa: I, units: &[U]) -> usize;

    /// Measures at most [`length::MAX_FEW_UNITS`](super::length::MAX_FEW_UNITS) units.
    #[inline(always)]
    fn length_of_few(isa: I, units: &[U]) -> usize {
        Self::length(isa, units)
    }
}

/// An algorithm that encodes from a single-byte encoding.
pub trait SingleByteEncoder<I> {
    /// Encodes as [`EncodeSingleByte`](super::single_byte::EncodeSingleByte).
    fn encode_single_byte(
        isa: I,
        tables: &SingleByteTables,
        data: &[u8],
        out: &mut [MaybeUninit<u8>],
    ) -> Encoded;

    /// Measures as [`SingleByteLength`](super::single_byte::SingleByteLength).
    fn single_byte_length(isa: I, tables: &SingleByteTables, data: &[u8]) -> Option<usize>;
}

/// Writes generalized UTF-8 into `out` without surrogates, or with the bytes that those from U+DC80 to U+DCFF represent
/// (PEP 383), as all of them must be. Returns the number of bytes written: all of `out`, if it has just the length of
/// the result. Panics if it is shorter.
pub struct DropSurrogates<'a> {
    pub data: &'a [u8],
    pub out: &'a mut [MaybeUninit<u8>],
    pub unescape: bool,
    /// The mean distance of surrogates in characters, by which the fastest way is chosen.
    pub distance: usize,
}

/// An algorithm that drops surrogates.
pub trait SurrogateDropper<I> {
    /// Does the work of the kernel.
    fn drop_surrogates(isa: I, work: DropSurrogates) -> usize;
}
