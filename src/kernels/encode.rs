//! The code units of another form to UTF-8: the bits of each character, laid out into bytes.
//!
//! Surrogates are found on the way. Whatever the units are, nothing is written outside the output, and what is
//! said to be written is.

use core::mem::MaybeUninit;

use super::{Kernel, Task};
use crate::simd::Isa;

/// What became of some units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Encoded {
    /// How many bytes were written: all of the output, if it has just the room that the text takes. In too
    /// little room it stops early.
    pub written: usize,
    /// Whether every unit was, or was part of, a scalar value. If not, lone surrogates were written by the
    /// form of three bytes; what is written for values beyond U+10FFFF means nothing.
    pub scalar: bool,
}

/// What can be encoded: `u8` is Latin-1, `u16` UCS-2 (each surrogate stands alone), [`Utf16`] has pairs, and
/// `u32` is UTF-32.
pub(crate) trait Source: Copy + Send + Sync + 'static {
    /// Encodes by the algorithm of the instruction set.
    fn encode<I: Isa>(isa: I, units: &[Self], out: &mut [MaybeUninit<u8>]) -> Encoded;

    /// Measures by the algorithm of the instruction set.
    fn length<I: Isa>(isa: I, units: &[Self]) -> usize;

    /// The code point at the start of some units, and how many of these it takes.
    fn first(units: &[Self]) -> Option<(u32, usize)>;
}

/// A code unit of UTF-16, where pairs of surrogates are one character.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct Utf16(pub u16);

impl Source for u8 {
    #[inline(always)]
    fn encode<I: Isa>(isa: I, units: &[u8], out: &mut [MaybeUninit<u8>]) -> Encoded {
        isa.encode_latin1(units, out)
    }

    #[inline(always)]
    fn length<I: Isa>(isa: I, units: &[u8]) -> usize {
        isa.length_of_latin1(units)
    }

    #[inline(always)]
    fn first(units: &[u8]) -> Option<(u32, usize)> {
        Some((u32::from(*units.first()?), 1))
    }
}

impl Source for u16 {
    #[inline(always)]
    fn encode<I: Isa>(isa: I, units: &[u16], out: &mut [MaybeUninit<u8>]) -> Encoded {
        isa.encode_ucs2(units, out)
    }

    #[inline(always)]
    fn length<I: Isa>(isa: I, units: &[u16]) -> usize {
        isa.length_of_ucs2(units)
    }

    #[inline(always)]
    fn first(units: &[u16]) -> Option<(u32, usize)> {
        Some((u32::from(*units.first()?), 1))
    }
}

impl Source for Utf16 {
    #[inline(always)]
    fn encode<I: Isa>(isa: I, units: &[Utf16], out: &mut [MaybeUninit<u8>]) -> Encoded {
        isa.encode_utf16(units, out)
    }

    #[inline(always)]
    fn length<I: Isa>(isa: I, units: &[Utf16]) -> usize {
        isa.length_of_utf16(units)
    }

    #[inline(always)]
    fn first(units: &[Utf16]) -> Option<(u32, usize)> {
        let high = u32::from(units.first()?.0);
        match units.get(1).map(|second| u32::from(second.0)) {
            Some(low) if high & 0xFC00 == 0xD800 && low & 0xFC00 == 0xDC00 => {
                Some((0x1_0000 + ((high & 0x3FF) << 10 | low & 0x3FF), 2))
            }
            _ => Some((high, 1)),
        }
    }
}

impl Source for u32 {
    #[inline(always)]
    fn encode<I: Isa>(isa: I, units: &[u32], out: &mut [MaybeUninit<u8>]) -> Encoded {
        isa.encode_utf32(units, out)
    }

    #[inline(always)]
    fn length<I: Isa>(isa: I, units: &[u32]) -> usize {
        isa.length_of_utf32(units)
    }

    #[inline(always)]
    fn first(units: &[u32]) -> Option<(u32, usize)> {
        Some((*units.first()?, 1))
    }
}

/// Encodes `units` into `out`.
pub(crate) struct Encode<'a, U> {
    pub units: &'a [U],
    pub out: &'a mut [MaybeUninit<u8>],
}

impl<U: Source> Kernel for Encode<'_, U> {
    type Output = Encoded;

    const TASK: Task = Task::Validate;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Encoded {
        U::encode(isa, self.units, self.out)
    }
}

/// How many bytes [`Encode`] writes; lone surrogates count three.
pub(crate) struct Length<'a, U>(pub &'a [U]);

impl<U: Source> Kernel for Length<'_, U> {
    type Output = usize;

    const TASK: Task = Task::Count;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        U::length(isa, self.0)
    }
}

/// How many of the first units are scalar values: all, or those before the first that is not.
pub(crate) struct ScalarUpTo<'a, U>(pub &'a [U]);

impl<U: Source> Kernel for ScalarUpTo<'_, U> {
    type Output = usize;

    const TASK: Task = Task::Count;

    #[inline(always)]
    fn run<I: Isa>(self, _: I) -> usize {
        let mut at = 0;
        while let Some((scalar, units)) = U::first(&self.0[at..]) {
            if char::from_u32(scalar).is_none() {
                break;
            }
            at += units;
        }
        at
    }
}

/// How many bytes a code point takes.
#[inline(always)]
fn width(scalar: u32) -> usize {
    match scalar {
        0x0000..=0x007F => 1,
        0x0080..=0x07FF => 2,
        0x0800..=0xFFFF => 3,
        _ => 4,
    }
}

/// Encodes character by character.
#[inline(always)]
pub(crate) fn one_by_one<U: Source>(units: &[U], out: &mut [MaybeUninit<u8>]) -> Encoded {
    let mut at = 0;
    let mut written = 0;
    let mut all_scalar = true;
    while let Some((scalar, taken)) = U::first(&units[at..]) {
        at += taken;
        all_scalar &= char::from_u32(scalar).is_some();
        let length = width(scalar);
        let Some(place) = out.get_mut(written..written + length) else { break };
        let Some((lead, continuations)) = place.split_first_mut() else { break };
        let mut value = scalar;
        for byte in continuations.iter_mut().rev() {
            byte.write(0x80 | (value & 0x3F) as u8);
            value >>= 6;
        }
        lead.write(if length == 1 { value as u8 } else { !(0xFF >> length) | value as u8 });
        written += length;
    }
    Encoded { written, scalar: all_scalar }
}

/// Measures character by character.
#[inline(always)]
pub(crate) fn length_one_by_one<U: Source>(units: &[U]) -> usize {
    let mut at = 0;
    let mut bytes = 0;
    while let Some((scalar, taken)) = U::first(&units[at..]) {
        at += taken;
        bytes += width(scalar);
    }
    bytes
}
