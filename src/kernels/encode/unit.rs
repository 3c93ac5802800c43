//! The code units to encode.

use crate::simd::{Number, Utf16, bytes_of};

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

    /// The most bytes that a unit takes.
    const MAX_BYTES: usize;

    /// The integer that it is, in which lengths are added up lane by lane.
    type Lane: Lane;

    /// Returns the unit as an integer.
    fn lane(self) -> Self::Lane;

    /// Returns the number of bytes that the unit takes but the first; each surrogate takes three bytes.
    fn continuations(self) -> Self::Lane;

    /// Returns the bits that any of some units has.
    #[inline(always)]
    fn any_bits(units: &[Self; 8]) -> u32 {
        match size_of::<Self>() {
            1 => any_bits_of_8(word(bytes_of(units))),
            2 => any_bits_of_16(words(units)),
            _ => units.iter().fold(0, |bits, unit| bits | unit.value()),
        }
    }

    /// Returns units below U+10000 in lanes of 16 bits, the first one lowest.
    #[inline(always)]
    fn halfwords(units: &[Self; 8]) -> [u64; 2] {
        match size_of::<Self>() {
            1 => {
                let word = u64::from_le_bytes(word(bytes_of(units)).to_ne_bytes());
                [word as u32, (word >> 32) as u32].map(widened_to_16)
            }
            2 if cfg!(target_endian = "little") => words(units),
            _ => {
                let (one, two) = units.split_at(4);
                [one, two].map(|units| {
                    units.iter().rev().fold(0, |word, unit| word << 16 | u64::from(unit.value()))
                })
            }
        }
    }

    /// Returns ASCII units as bytes.
    #[inline(always)]
    fn narrowed(units: &[Self; 8]) -> [u8; 8] {
        match size_of::<Self>() {
            1 => word(bytes_of(units)).to_ne_bytes(),
            2 => narrowed_from_16(words(units)),
            _ => units.map(|unit| unit.value() as u8),
        }
    }

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
    const MAX_BYTES: usize = 2;

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
    const MAX_BYTES: usize = 3;

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

    const MAX_BYTES: usize = 3;

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
    const MAX_BYTES: usize = 4;

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

/// Returns eight bytes as a word, in this machine's order.
#[inline(always)]
fn word(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_ne_bytes(*bytes))
}

/// Returns the bytes of eight units of 16 bits as words, in this machine's order.
#[inline(always)]
fn words<U: Number>(units: &[U; 8]) -> [u64; 2] {
    let (one, two) = units.split_at(4);
    [one, two].map(|units| word(bytes_of(units)))
}

/// Returns the bits that any unit of eight bits in a word has.
#[inline(always)]
fn any_bits_of_8(word: u64) -> u32 {
    let pairs = any_bits_of_16([word, 0]);
    (pairs | pairs >> 8) & 0xFF
}

/// Returns the bits that any unit of 16 bits in two words has.
#[inline(always)]
fn any_bits_of_16([one, two]: [u64; 2]) -> u32 {
    let pairs = one | two;
    let pair = (pairs | pairs >> 32) as u32;
    (pair | pair >> 16) & 0xFFFF
}

/// Returns four bytes in lanes of 16 bits.
#[inline(always)]
fn widened_to_16(bytes: u32) -> u64 {
    let pairs = u64::from(bytes);
    let pairs = (pairs | pairs << 16) & 0x0000_FFFF_0000_FFFF;
    (pairs | pairs << 8) & 0x00FF_00FF_00FF_00FF
}

/// Returns the bytes of ASCII units of 16 bits in two words. (As an array of units, compilers would move them to vector
/// registers one by one.)
#[inline(always)]
fn narrowed_from_16([one, two]: [u64; 2]) -> [u8; 8] {
    let narrowed = |word: u64| {
        let pairs = (word | word >> 8) & 0x0000_FFFF_0000_FFFF;
        ((pairs | pairs >> 16) as u32).to_ne_bytes()
    };
    let ([a, b, c, d], [e, f, g, h]) = (narrowed(one), narrowed(two));
    [a, b, c, d, e, f, g, h]
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
