//! Code units of more than one byte, to and from UTF-8, in any byte order.

use crate::boundary::chunks;
use crate::kernels::decode::Unit;
use crate::kernels::encode::{Encoded, Source, Utf16, is_first_half};
use crate::kernels::order::{self, Order, Read, Write};
use crate::simd::dispatch::Implementation;
use crate::simd::paired;
use crate::simd::uninit::{MaybeUninit, as_numbers, as_room, unfilled};

/// So many code units are put into order at once: few enough for the first cache.
const SOME: usize = 4096;

/// A code unit of more than one byte.
pub(crate) trait Word: order::Word + Unit + Default {
    /// The same as a part of a text.
    type Text: Source;

    /// The same units as a text.
    fn text(units: &[Self]) -> &[Self::Text];

    /// Whether it may be half a character, the other half of which follows.
    fn opens(self) -> bool;
}

impl Word for u16 {
    type Text = Utf16;

    fn text(units: &[Self]) -> &[Utf16] {
        paired(units)
    }

    fn opens(self) -> bool {
        is_first_half(self.into())
    }
}

impl Word for u32 {
    type Text = u32;

    fn text(units: &[Self]) -> &[u32] {
        units
    }

    fn opens(self) -> bool {
        false
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
    for step in chunks(text, SOME) {
        let count = by.fill(step, unfilled(&mut some));
        let length = count * size_of::<U>();
        by.run(Write { from: &some[..count], order, to: &mut out[written..][..length] });
        written += length;
    }
    written
}
