//! Encoding: the code units of another encoding form to UTF-8.
//!
//! Surrogates are found in the same pass. Whatever the units are, nothing is written outside the output, and as many
//! bytes are written as reported.

use length::{Lane, Length, LengthWithLongNulls, ScalarUpTo, Within, length};

use super::{Backend, Kernel, Task};
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::MaybeUninit;
use crate::simd::{Number, Utf16};

pub(super) mod blocks;
#[cfg(target_arch = "x86_64")]
pub(super) mod compress;
pub(crate) mod length;
pub(super) mod scalar;
pub(super) mod shuffle;
pub(crate) mod single_byte;
// Only the bindings replace surrogates.
#[cfg_attr(not(feature = "python"), allow(dead_code))]
pub(crate) mod with_surrogates;

/// The result of encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Encoded {
    /// The number of bytes written: all of the output, if it has just the length of the text in UTF-8. In a shorter
    /// output encoding stops early.
    pub written: usize,
    /// Whether every unit that was encoded is, or is part of, a scalar value. If not, surrogates of UCS-2 and UTF-32
    /// are encoded in three bytes each; the bytes of lone surrogates of UTF-16, and of values beyond U+10FFFF, are
    /// unspecified.
    pub scalar: bool,
}

/// A code unit to encode: `u8` of Latin-1, `u16` of UCS-2 (each surrogate is lone), [`Utf16`] of UTF-16, and `u32` of
/// UTF-32.
pub(crate) trait Source: Number + Default + From<u8> + Send + Sync + 'static {
    /// Whether two surrogates may be one character.
    const PAIRS: bool = false;

    /// The integer that it is, in which lengths are added up lane by lane.
    type Lane: Lane;

    /// Encodes with the instruction set's [`Encoder`].
    fn encode<I: Backend>(isa: I, units: &[Self], out: &mut [MaybeUninit<u8>]) -> Encoded;

    /// Encodes at most [`MAX_FEW_UNITS`] units with the instruction set's [`Encoder`].
    fn encode_few<I: Backend>(isa: I, units: &[Self], out: &mut [MaybeUninit<u8>]) -> Encoded;

    /// Measures at most [`length::MAX_FEW_UNITS`] units with the instruction set's [`Encoder`].
    fn length_of_few<I: Backend>(isa: I, units: &[Self]) -> usize;

    /// Returns the unit as an integer.
    fn lane(self) -> Self::Lane;

    /// Returns the number of bytes that the unit takes but the first; each surrogate takes three bytes.
    fn continuations(self) -> Self::Lane;

    /// Returns the unit as a number.
    #[inline(always)]
    fn value(self) -> u32 {
        self.lane().value()
    }

    /// Returns the code point at the start of `units`, and the number of units that it takes.
    #[inline(always)]
    fn first(units: &[Self]) -> Option<(u32, usize)> {
        Some((units.first()?.value(), 1))
    }
}

/// Units of 16 bits.
pub(crate) trait Halfword: Source {}

impl Halfword for u16 {}

impl Halfword for Utf16 {}

/// An algorithm that encodes.
pub(crate) trait Encoder<I, U: Source> {
    /// Encodes any number of units.
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

/// Forwards to the encoder of the instruction set.
macro_rules! forward_to_encoder {
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

    forward_to_encoder!();

    #[inline(always)]
    fn lane(self) -> Self {
        self
    }

    #[inline(always)]
    fn continuations(self) -> u8 {
        u8::from(self >= 0x80)
    }
}

impl Source for u16 {
    type Lane = u16;

    forward_to_encoder!();

    #[inline(always)]
    fn lane(self) -> Self {
        self
    }

    #[inline(always)]
    fn continuations(self) -> u16 {
        u16::from(self >= 0x80) + u16::from(self >= 0x800)
    }
}

impl Source for Utf16 {
    const PAIRS: bool = true;

    type Lane = u16;

    forward_to_encoder!();

    #[inline(always)]
    fn lane(self) -> u16 {
        self.0
    }

    #[inline(always)]
    fn continuations(self) -> u16 {
        self.0.continuations()
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

    forward_to_encoder!();

    #[inline(always)]
    fn lane(self) -> Self {
        self
    }

    #[inline(always)]
    fn continuations(self) -> u32 {
        u32::from(self >= 0x80) + u32::from(self >= 0x800) + u32::from(self >= 0x1_0000)
    }
}

/// Returns whether a unit is a high surrogate.
#[inline(always)]
pub(crate) fn is_high_surrogate(unit: u32) -> bool {
    unit & !0x3FF == 0xD800
}

/// Returns whether two units are a surrogate pair.
#[inline(always)]
fn is_pair(high: u32, low: u32) -> bool {
    is_high_surrogate(high) & (low & !0x3FF == 0xDC00)
}

/// Returns the character of a surrogate pair, if two units are one.
#[inline(always)]
pub(crate) fn pair(high: u32, low: u32) -> Option<u32> {
    is_pair(high, low).then(|| 0x1_0000 + ((high & 0x3FF) << 10 | low & 0x3FF))
}

/// The largest number of units that are encoded by a kernel of their own.
pub(crate) const MAX_FEW_UNITS: usize = 32;

/// Encodes `units` into `out`. There are at most [`MAX_FEW_UNITS`] units, or any number.
pub(crate) struct Encode<'a, U, const ANY: bool> {
    pub units: &'a [U],
    pub out: &'a mut [MaybeUninit<u8>],
}

impl<U: Source, const ANY: bool> Kernel for Encode<'_, U, ANY> {
    type Output = Encoded;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> Encoded {
        if ANY { U::encode(isa, self.units, self.out) } else { U::encode_few(isa, self.units, self.out) }
    }
}

impl Implementation {
    /// Returns the number of bytes that [`encode`](Self::encode) writes for `units`.
    #[inline]
    pub(crate) fn utf8_length<U: Source>(self, units: &[U]) -> usize {
        match units.len() {
            ..=length::MAX_FEW_UNITS => self.run(Length::<_, false>(units)),
            _ => self.run(Length::<_, true>(units)),
        }
    }

    /// Returns the number of bytes that `units` take in UTF-8 with two bytes for U+0000.
    #[inline]
    pub(crate) fn utf8_length_with_long_nulls<U: Source>(self, units: &[U]) -> usize {
        self.run(LengthWithLongNulls(units))
    }

    /// Encodes `units` into `out`, which has just their length in UTF-8.
    #[inline]
    pub(crate) fn encode<U: Source>(self, units: &[U], out: &mut [MaybeUninit<u8>]) -> Encoded {
        match units.len() {
            ..=MAX_FEW_UNITS => self.run(Encode::<_, false> { units, out }),
            _ => self.run(Encode::<_, true> { units, out }),
        }
    }

    /// Returns the number of units from `FIRST` to `LAST`.
    #[inline]
    pub(crate) fn count_within<U: Source, const FIRST: u32, const LAST: u32>(self, units: &[U]) -> usize {
        self.run(Within::<_, FIRST, LAST>(units))
    }

    /// Returns the number of units before the first that is not a scalar value or part of one.
    #[inline]
    pub(crate) fn scalar_up_to<U: Source>(self, units: &[U]) -> usize {
        self.run(ScalarUpTo(units))
    }
}
