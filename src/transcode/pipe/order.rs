//! Byte order: code units as they stand in bytes, in this machine's order or the other.

use core::convert::identity;
use core::mem::MaybeUninit;

use crate::boundary::steps;
use crate::kernels::decode::Unit;
use crate::kernels::encode::{Encoded, Source, Utf16, is_first_half};
use crate::kernels::{Kernel, Task};
use crate::room::{as_numbers, as_room, unfilled};
use crate::simd::dispatch::Implementation;
use crate::simd::{Isa, Number};
use crate::transcode::encode::paired;

/// Which byte of a code unit comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// The least significant one.
    Little,
    /// The most significant one.
    Big,
}

impl Order {
    /// This machine's.
    pub(crate) const NATIVE: Self = if cfg!(target_endian = "little") { Self::Little } else { Self::Big };

    /// What it is called at the end of a name.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Self::Little => "le",
            Self::Big => "be",
        }
    }

    /// The bytes of a code unit in this order, given the most significant first.
    pub(crate) fn of<const N: usize>(self, mut bytes: [u8; N]) -> [u8; N] {
        if self == Self::Little {
            bytes.reverse();
        }
        bytes
    }

    /// The code unit of 16 bits that these bytes are.
    pub(crate) fn u16(self, bytes: [u8; 2]) -> u16 {
        u16::from_be_bytes(self.of(bytes))
    }

    /// The code unit of 32 bits that these bytes are.
    pub(crate) fn u32(self, bytes: [u8; 4]) -> u32 {
        u32::from_be_bytes(self.of(bytes))
    }
}

/// So many code units are put into order at once: few enough for the first cache.
const SOME: usize = 4096;

/// A code unit of more than one byte.
pub(crate) trait Word: Unit + Number + Default {
    /// The same as a part of a text.
    type Text: Source;

    /// The same units as a text.
    fn text(units: &[Self]) -> &[Self::Text];

    /// Whether it may be half a character, the other half of which follows.
    fn opens(self) -> bool;

    /// Reads as many units as `to` has room for.
    fn read(from: &[u8], order: Order, to: &mut [Self]);

    /// Writes the bytes of as many units as `to` has room for.
    fn write(from: &[Self], order: Order, to: &mut [MaybeUninit<u8>]);
}

macro_rules! words {
    ($($unit:ident, $text:ident, $as_text:ident, $opens:expr;)*) => {$(
        impl Word for $unit {
            type Text = $text;

            fn text(units: &[Self]) -> &[$text] {
                $as_text(units)
            }

            fn opens(self) -> bool {
                $opens(self)
            }

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
                        from.iter().zip(to).for_each(|(unit, room)| *room = unit.to_le_bytes().map(MaybeUninit::new));
                    }
                    Order::Big => {
                        from.iter().zip(to).for_each(|(unit, room)| *room = unit.to_be_bytes().map(MaybeUninit::new));
                    }
                }
            }
        }
    )*};
}
words! {
    u16, Utf16, paired, |unit| is_first_half(u32::from(unit));
    u32, u32, identity, |_| false;
}

/// Units to be read from bytes. Compilers make vectors of such loops for any instruction set.
struct Read<'a, U> {
    from: &'a [u8],
    order: Order,
    to: &'a mut [U],
}

impl<U: Word> Kernel for Read<'_, U> {
    type Output = ();

    const TASK: Task = Task::Count;

    #[inline(always)]
    fn run<I: Isa>(self, _: I) {
        U::read(self.from, self.order, self.to);
    }
}

/// Units to be written as bytes.
struct Write<'a, U> {
    from: &'a [U],
    order: Order,
    to: &'a mut [MaybeUninit<u8>],
}

impl<U: Word> Kernel for Write<'_, U> {
    type Output = ();

    const TASK: Task = Task::Count;

    #[inline(always)]
    fn run<I: Isa>(self, _: I) {
        U::write(self.from, self.order, self.to);
    }
}

/// Shows `work` all whole code units in `bytes` as text: at once if they stand there in this machine's order, else some
/// at a time, of which the last is not half a character.
fn read<U: Word>(by: Implementation, bytes: &[u8], order: Order, mut work: impl FnMut(&[U::Text])) {
    if order == Order::NATIVE
        && let Some(units) = as_numbers(bytes)
    {
        return work(U::text(units));
    }
    let mut some = [U::default(); SOME];
    let mut rest = bytes;
    while rest.len() >= size_of::<U>() {
        let mut count = SOME.min(rest.len() / size_of::<U>());
        by.run(Read { from: rest, order, to: &mut some[..count] });
        if count == SOME && some[SOME - 1].opens() {
            count -= 1;
        }
        work(U::text(&some[..count]));
        rest = &rest[count * size_of::<U>()..];
    }
}

/// How many bytes code units in this order take in UTF-8; `None` if they are not whole.
pub(crate) fn utf8_length<U: Word>(by: Implementation, bytes: &[u8], order: Order) -> Option<usize> {
    let mut length = 0;
    read::<U>(by, bytes, order, |units| length += by.utf8_length(units));
    bytes.len().is_multiple_of(size_of::<U>()).then_some(length)
}

/// Encodes code units in this order to UTF-8. Returns how many bytes were written, as many as `out` has if that has just
/// the room, and whether all units were scalar values or parts of such.
pub(crate) fn encode<U: Word>(
    by: Implementation,
    bytes: &[u8],
    order: Order,
    out: &mut [MaybeUninit<u8>],
) -> (usize, bool) {
    let mut all = Encoded { written: 0, scalar: true };
    read::<U>(by, bytes, order, |units| {
        let some = by.encode(units, &mut out[all.written..]);
        all = Encoded { written: all.written + some.written, scalar: all.scalar && some.scalar };
    });
    (all.written, all.scalar)
}

/// How many of the first bytes are scalar values, in code units in this order.
pub(crate) fn well_formed_up_to<U: Word>(by: Implementation, bytes: &[u8], order: Order) -> usize {
    let mut well_formed = 0;
    let mut broken = false;
    read::<U>(by, bytes, order, |units| {
        if !broken {
            let scalar = by.scalar_up_to(units);
            well_formed += scalar * size_of::<U>();
            broken = scalar < units.len();
        }
    });
    well_formed
}

/// Decodes `text`, which is valid UTF-8, to code units in this order. Returns how many bytes were written: as many as
/// `out` has, if that has just the room.
pub(crate) fn decode<U: Word>(
    by: Implementation,
    text: &[u8],
    order: Order,
    out: &mut [MaybeUninit<u8>],
) -> usize {
    if order == Order::NATIVE
        && let Some(room) = as_room::<U>(out)
    {
        return by.fill(text, room) * size_of::<U>();
    }
    let mut some = [U::default(); SOME];
    let mut written = 0;
    for step in steps(text, SOME) {
        let room = (out.len() - written) / size_of::<U>();
        let count = by.fill(step, unfilled(&mut some)).min(room);
        by.run(Write { from: &some[..count], order, to: &mut out[written..] });
        written += count * size_of::<U>();
    }
    written
}
