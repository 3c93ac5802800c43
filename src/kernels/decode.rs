//! UTF-8 to the code units of another form: the bits of each character, gathered.
//!
//! What is decoded is taken for valid; it is never trusted with memory. Whatever the data hold, nothing is
//! written outside the output, and what is said to be written is.

use core::mem::MaybeUninit;

use super::{Kernel, Task};
use crate::simd::Isa;

/// A form's code unit: `u8` for Latin-1, `u16` for UTF-16 (and UCS-2), `u32` for UTF-32.
pub(crate) trait Unit: Copy + Send + Sync + 'static {
    /// Decodes by the algorithm of the instruction set.
    fn decode<I: Isa>(isa: I, data: &[u8], out: &mut [MaybeUninit<Self>]) -> usize;

    /// The units of a character, one or two; what the form cannot hold is cut off.
    fn of(scalar: u32) -> (Self, Option<Self>);
}

impl Unit for u8 {
    #[inline(always)]
    fn decode<I: Isa>(isa: I, data: &[u8], out: &mut [MaybeUninit<u8>]) -> usize {
        isa.decode_latin1(data, out)
    }

    #[inline(always)]
    fn of(scalar: u32) -> (u8, Option<u8>) {
        (scalar as u8, None)
    }
}

impl Unit for u16 {
    #[inline(always)]
    fn decode<I: Isa>(isa: I, data: &[u8], out: &mut [MaybeUninit<u16>]) -> usize {
        isa.decode_utf16(data, out)
    }

    #[inline(always)]
    fn of(scalar: u32) -> (u16, Option<u16>) {
        match scalar.checked_sub(0x1_0000) {
            None => (scalar as u16, None),
            Some(beyond) => (0xD800 | (beyond >> 10) as u16, Some(0xDC00 | (beyond & 0x3FF) as u16)),
        }
    }
}

impl Unit for u32 {
    #[inline(always)]
    fn decode<I: Isa>(isa: I, data: &[u8], out: &mut [MaybeUninit<u32>]) -> usize {
        isa.decode_utf32(data, out)
    }

    #[inline(always)]
    fn of(scalar: u32) -> (u32, Option<u32>) {
        (scalar, None)
    }
}

/// Decodes valid UTF-8 into `out`, and returns how many units were written: all of `out`, if it has just the
/// room that the text takes. In too little room it stops early.
pub(crate) struct Decode<'a, U> {
    pub data: &'a [u8],
    pub out: &'a mut [MaybeUninit<U>],
}

impl<U: Unit> Kernel for Decode<'_, U> {
    type Output = usize;

    const TASK: Task = Task::Validate;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        U::decode(isa, self.data, self.out)
    }
}

/// Decodes character by character.
#[inline(always)]
pub(crate) fn one_by_one<U: Unit>(data: &[u8], out: &mut [MaybeUninit<U>]) -> usize {
    let mut rest = data;
    let mut written = 0;
    while let Some((&lead, after)) = rest.split_first() {
        let bits = |at: usize| u32::from(after.get(at).copied().unwrap_or(0)) & 0x3F;
        let first = u32::from(lead);
        let (scalar, length) = match lead {
            0x00..=0xBF => (first, 1),
            0xC0..=0xDF => ((first & 0x1F) << 6 | bits(0), 2),
            0xE0..=0xEF => ((first & 0x0F) << 12 | bits(0) << 6 | bits(1), 3),
            0xF0..=0xFF => ((first & 0x07) << 18 | bits(0) << 12 | bits(1) << 6 | bits(2), 4),
        };
        rest = &rest[length.min(rest.len())..];
        let (unit, second) = U::of(scalar);
        let Some(place) = out.get_mut(written) else { break };
        place.write(unit);
        written += 1;
        if let Some(second) = second {
            let Some(place) = out.get_mut(written) else { break };
            place.write(second);
            written += 1;
        }
    }
    written
}
