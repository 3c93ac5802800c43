//! The code units of another form to UTF-8: the bits of each character, laid out into bytes.
//!
//! Surrogates are found on the way. Whatever the units are, nothing is written outside the output, and what is
//! said to be written is.

use length::{Lane, length};

use super::{Backend, Kernel, Task};
use crate::simd::uninit::MaybeUninit;
use crate::simd::{Number, Utf16};

pub(super) mod blocks;
#[cfg(target_arch = "x86_64")]
pub(super) mod compress;
pub(crate) mod length;
pub(super) mod scalar;
pub(super) mod shuffle;
pub(crate) mod single_byte;

/// What became of some units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Encoded {
    /// How many bytes were written: all of the output, if it has just the room that the text takes. In too
    /// little room it stops early.
    pub written: usize,
    /// Whether every unit that there was room for was, or was part of, a scalar value. If not, the surrogates
    /// of UCS-2 and UTF-32 were written by the form of three bytes; what was written for lone ones of UTF-16,
    /// and for values beyond U+10FFFF, means nothing.
    pub scalar: bool,
}

/// What can be encoded: `u8` is Latin-1, `u16` UCS-2 (each surrogate stands alone), [`Utf16`] has pairs, and
/// `u32` is UTF-32.
pub(crate) trait Source: Number + Send + Sync + 'static {
    /// Whether two surrogates may be one character.
    const PAIRS: bool = false;

    /// The integer that it is; numbers of bytes are added up in such lanes.
    type Lane: Lane;

    /// Encodes by the algorithm of the instruction set.
    fn encode<I: Backend>(isa: I, units: &[Self], out: &mut [MaybeUninit<u8>]) -> Encoded;

    /// Encodes at most [`MAX_FEW_UNITS`] units by the algorithm of the instruction set.
    fn encode_few<I: Backend>(isa: I, units: &[Self], out: &mut [MaybeUninit<u8>]) -> Encoded;

    /// Measures at most [`length::MAX_FEW_UNITS`] units by the algorithm of the instruction set.
    fn length_of_few<I: Backend>(isa: I, units: &[Self]) -> usize;

    /// The unit as an integer.
    fn lane(self) -> Self::Lane;

    /// How many bytes the unit takes but the first, were it alone.
    fn more_bytes(self) -> Self::Lane;

    /// The unit as a number.
    #[inline(always)]
    fn value(self) -> u32 {
        self.lane().value()
    }

    /// The code point at the start of some units, and how many of these it takes.
    #[inline(always)]
    fn first(units: &[Self]) -> Option<(u32, usize)> {
        Some((units.first()?.value(), 1))
    }
}

/// Units of 16 bits.
pub(crate) trait Halfword: Source {}

impl Halfword for u16 {}

impl Halfword for Utf16 {}

/// An algorithm to encode by.
pub(crate) trait Encoder<I, U: Source> {
    fn encode(isa: I, units: &[U], out: &mut [MaybeUninit<u8>]) -> Encoded;

    /// Encodes at most [`MAX_FEW_UNITS`] units.
    #[inline(always)]
    fn encode_few(isa: I, units: &[U], out: &mut [MaybeUninit<u8>]) -> Encoded {
        Self::encode(isa, units, out)
    }

    /// Measures at most [`length::MAX_FEW_UNITS`] units.
    #[inline(always)]
    fn length_of_few(_: I, units: &[U]) -> usize {
        length::<U, false>(units)
    }
}

/// What a source asks the encoder of the instruction set.
macro_rules! by_encoder {
    () => {
        #[inline(always)]
        fn encode<I: Backend>(isa: I, units: &[Self], out: &mut [MaybeUninit<u8>]) -> Encoded {
            I::Encoder::encode(isa, units, out)
        }

        #[inline(always)]
        fn encode_few<I: Backend>(isa: I, units: &[Self], out: &mut [MaybeUninit<u8>]) -> Encoded {
            I::Encoder::encode_few(isa, units, out)
        }

        #[inline(always)]
        fn length_of_few<I: Backend>(isa: I, units: &[Self]) -> usize {
            I::Encoder::length_of_few(isa, units)
        }
    };
}

impl Source for u8 {
    type Lane = u8;

    by_encoder!();

    #[inline(always)]
    fn lane(self) -> Self {
        self
    }

    #[inline(always)]
    fn more_bytes(self) -> u8 {
        u8::from(self >= 0x80)
    }
}

impl Source for u16 {
    type Lane = u16;

    by_encoder!();

    #[inline(always)]
    fn lane(self) -> Self {
        self
    }

    #[inline(always)]
    fn more_bytes(self) -> u16 {
        u16::from(self >= 0x80) + u16::from(self >= 0x800)
    }
}

impl Source for Utf16 {
    const PAIRS: bool = true;

    type Lane = u16;

    by_encoder!();

    #[inline(always)]
    fn lane(self) -> u16 {
        self.0
    }

    #[inline(always)]
    fn more_bytes(self) -> u16 {
        self.0.more_bytes()
    }

    #[inline(always)]
    fn first(units: &[Utf16]) -> Option<(u32, usize)> {
        let first = units.first()?.value();
        let pair = units.get(1).and_then(|second| pair(first, second.value()));
        Some(pair.map_or((first, 1), |joined| (joined, 2)))
    }
}

impl Source for u32 {
    type Lane = u32;

    by_encoder!();

    #[inline(always)]
    fn lane(self) -> Self {
        self
    }

    #[inline(always)]
    fn more_bytes(self) -> u32 {
        u32::from(self >= 0x80) + u32::from(self >= 0x800) + u32::from(self >= 0x1_0000)
    }
}

/// Whether a unit is the first half of a pair.
#[inline(always)]
pub(crate) fn is_first_half(unit: u32) -> bool {
    unit & !0x3FF == 0xD800
}

/// Whether two units are the halves of a pair.
#[inline(always)]
fn is_pair(high: u32, low: u32) -> bool {
    is_first_half(high) & (low & !0x3FF == 0xDC00)
}

/// The character that two units are the halves of, if they are.
#[inline(always)]
pub(crate) fn pair(high: u32, low: u32) -> Option<u32> {
    is_pair(high, low).then(|| 0x1_0000 + ((high & 0x3FF) << 10 | low & 0x3FF))
}

/// Up to so many units are encoded on a way of their own.
pub(crate) const MAX_FEW_UNITS: usize = 32;

/// Encodes `units` into `out`. There are at most [`MAX_FEW_UNITS`] units, or any number.
pub(crate) struct Encode<'a, U, const ANY: bool> {
    pub units: &'a [U],
    pub out: &'a mut [MaybeUninit<u8>],
}

impl<U: Source, const ANY: bool> Kernel for Encode<'_, U, ANY> {
    type Output = Encoded;

    const TASK: Task = Task::Transform;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> Encoded {
        if ANY { U::encode(isa, self.units, self.out) } else { U::encode_few(isa, self.units, self.out) }
    }
}
