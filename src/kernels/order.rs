//! Byte order: code units as bytes, in this machine's order or the other. Compilers vectorise such loops for any
//! instruction set.

use super::kernel::{Backend, Kernel, Task};
use crate::simd::Number;
use crate::simd::uninit::MaybeUninit;

/// Which byte of a code unit comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The least significant one.
    Little,
    /// The most significant one.
    Big,
}

impl Order {
    /// This machine's.
    pub(crate) const NATIVE: Self = if cfg!(target_endian = "little") { Self::Little } else { Self::Big };

    /// Returns the bytes of a code unit in this order, given the most significant first.
    pub(crate) fn of<const N: usize>(self, mut bytes: [u8; N]) -> [u8; N] {
        if self == Self::Little {
            bytes.reverse();
        }
        bytes
    }

    /// Returns the code unit of 16 bits that these bytes are.
    pub(crate) fn u16(self, bytes: [u8; 2]) -> u16 {
        u16::from_be_bytes(self.of(bytes))
    }

    /// Returns the code unit of 32 bits that these bytes are.
    pub(crate) fn u32(self, bytes: [u8; 4]) -> u32 {
        u32::from_be_bytes(self.of(bytes))
    }
}

/// A code unit of more than one byte.
pub(crate) trait Word: Number {
    /// Reads as many units as `to` holds.
    fn read(from: &[u8], order: Order, to: &mut [Self]);

    /// Writes the bytes of as many units as `to` holds.
    fn write(from: &[Self], order: Order, to: &mut [MaybeUninit<u8>]);
}

macro_rules! words {
    ($($unit:ty)*) => {$(
        impl Word for $unit {
            #[inline(always)]
            fn read(from: &[u8], order: Order, to: &mut [Self]) {
                let (from, _) = from.as_chunks();
                match order {
                    Order::Little => from.iter().zip(to).for_each(|(&bytes, unit)| *unit = Self::from_le_bytes(bytes)),
                    Order::Big => from.iter().zip(to).for_each(|(&bytes, unit)| *unit = Self::from_be_bytes(bytes)),
                }
            }

            #[inline(always)]
            fn write(from: &[Self], order: Order, to: &mut [MaybeUninit<u8>]) {
                let (to, _) = to.as_chunks_mut();
                match order {
                    Order::Little => {
                        from.iter().zip(to).for_each(|(unit, place)| *place = unit.to_le_bytes().map(MaybeUninit::new));
                    }
                    Order::Big => {
                        from.iter().zip(to).for_each(|(unit, place)| *place = unit.to_be_bytes().map(MaybeUninit::new));
                    }
                }
            }
        }
    )*};
}
words!(u16 u32);

/// Reads units from bytes.
pub(crate) struct Read<'a, U> {
    pub from: &'a [u8],
    pub order: Order,
    pub to: &'a mut [U],
}

impl<U: Word> Kernel for Read<'_, U> {
    type Output = ();

    const TASK: Task = Task::Count;

    #[inline(always)]
    fn run<I: Backend>(self, _: I) {
        U::read(self.from, self.order, self.to);
    }
}

/// Writes units as bytes.
pub(crate) struct Write<'a, U> {
    pub from: &'a [U],
    pub order: Order,
    pub to: &'a mut [MaybeUninit<u8>],
}

impl<U: Word> Kernel for Write<'_, U> {
    type Output = ();

    const TASK: Task = Task::Count;

    #[inline(always)]
    fn run<I: Backend>(self, _: I) {
        U::write(self.from, self.order, self.to);
    }
}
