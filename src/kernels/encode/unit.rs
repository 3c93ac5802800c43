//! The code units to encode.

use crate::simd::{Number, Utf16};

/// An integer in a lane.
pub trait Lane: Copy + Default + Ord {
    /// Returns the sum.
    fn plus(self, other: Self) -> Self;

    /// Returns the sum if `condition` is 1, the integer itself if that is 0.
    #[cfg(feature = "unicode")]
    fn plus_if(self, condition: Self, other: Self) -> Self;

    /// Returns the bits that both have.
    #[cfg(feature = "unicode")]
    fn and(self, other: Self) -> Self;

    /// Returns the bits that either has.
    #[cfg(feature = "unicode")]
    fn or(self, other: Self) -> Self;

    /// Returns the bits that only one has.
    #[cfg(feature = "unicode")]
    fn xor(self, other: Self) -> Self;

    /// Returns 1 if both are equal, else 0.
    #[cfg(feature = "unicode")]
    fn equals(self, other: Self) -> Self;

    /// Returns the value.
    fn value(self) -> u32;

    /// The largest value.
    const MAX: Self;

    /// Returns the distance from the first surrogate, which wraps around below.
    fn above_surrogates(self) -> Self;

    /// Returns the integer with this value, which must fit.
    fn of(value: u32) -> Self;

    /// Returns 1 if it is `first`, or above it by at most `span`, else 0.
    fn within(self, first: Self, span: Self) -> Self;
}

macro_rules! lanes {
    ($($integer:ty)*) => {$(
        impl Lane for $integer {
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }

            #[cfg(feature = "unicode")]
            #[inline(always)]
            fn plus_if(self, condition: Self, other: Self) -> Self {
                self.wrapping_add(if condition == 0 { 0 } else { other })
            }

            #[cfg(feature = "unicode")]
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }

            #[cfg(feature = "unicode")]
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }

            #[cfg(feature = "unicode")]
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }

            #[cfg(feature = "unicode")]
            #[inline(always)]
            fn equals(self, other: Self) -> Self {
                Self::from(self == other)
            }

            #[inline(always)]
            fn value(self) -> u32 {
                self as u32
            }

            const MAX: Self = <$integer>::MAX;

            #[inline(always)]
            fn above_surrogates(self) -> Self {
                self.wrapping_sub(0xD800u32 as $integer)
            }

            #[inline(always)]
            fn of(value: u32) -> Self {
                value as Self
            }

            #[inline(always)]
            fn within(self, first: Self, span: Self) -> Self {
                Self::from(self.wrapping_sub(first) <= span)
            }
        }
    )*};
}
lanes!(u8 u16 u32);

/// A code unit to encode: `u8` of Latin-1, `u16` of UCS-2 (each surrogate is lone), [`Utf16`] of UTF-16, and `u32` of
/// UTF-32.
pub trait SourceUnit: Number + Default + From<u8> + Send + Sync + 'static {
    /// Whether two surrogates may be one character.
    const PAIRS: bool = false;

    /// The integer that it is, in which lengths are added up lane by lane.
    type Lane: Lane;

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

impl SourceUnit for u8 {
    type Lane = u8;

    #[inline(always)]
    fn lane(self) -> Self {
        self
    }

    #[inline(always)]
    fn continuations(self) -> u8 {
        u8::from(self >= 0x80)
    }
}

impl SourceUnit for u16 {
    type Lane = u16;

    #[inline(always)]
    fn lane(self) -> Self {
        self
    }

    #[inline(always)]
    fn continuations(self) -> u16 {
        u16::from(self >= 0x80) + u16::from(self >= 0x800)
    }
}

impl SourceUnit for Utf16 {
    const PAIRS: bool = true;

    type Lane = u16;

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

impl SourceUnit for u32 {
    type Lane = u32;

    #[inline(always)]
    fn lane(self) -> Self {
        self
    }

    #[inline(always)]
    fn continuations(self) -> u32 {
        u32::from(self >= 0x80) + u32::from(self >= 0x800) + u32::from(self >= 0x1_0000)
    }
}

/// Units of 16 bits.
pub(crate) trait Halfword: SourceUnit {}

impl Halfword for u16 {}

impl Halfword for Utf16 {}

/// Returns whether a unit is a high surrogate.
#[inline(always)]
pub(crate) fn is_high_surrogate(unit: u32) -> bool {
    unit & !0x3FF == 0xD800
}

/// Returns whether two units are a surrogate pair.
#[inline(always)]
pub(super) fn is_pair(high: u32, low: u32) -> bool {
    is_high_surrogate(high) & (low & !0x3FF == 0xDC00)
}

/// Returns the character of a surrogate pair, if two units are one.
#[inline(always)]
pub fn pair(high: u32, low: u32) -> Option<u32> {
    is_pair(high, low).then(|| 0x1_0000 + ((high & 0x3FF) << 10 | low & 0x3FF))
}
