//! Code units of UTF-16 and UTF-32 in either byte order, to and from UTF-8.

use super::surrogates;
use crate::kernels::decode::CodeUnit;
use crate::kernels::encode::{Encoded, Source};
use crate::kernels::order::{self, Order, Read, Write};
use crate::sequence::boundary::chunks;
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::{MaybeUninit, as_numbers, as_numbers_mut, unfilled};
use crate::simd::{Utf16, paired};

/// The number of code units whose bytes are swapped at once: few enough for the first-level cache.
const BLOCK_UNITS: usize = 4096;

/// A code unit of more than one byte.
pub trait WideUnit: order::Word + CodeUnit + Default {
    /// The type of a code unit that the encoders read.
    type Text: Source;

    /// Returns the code units as the encoders read them.
    fn text(units: &[Self]) -> &[Self::Text];

    /// Returns whether it is a high surrogate, which the next code unit may complete.
    fn is_high_surrogate(self) -> bool;
}

impl WideUnit for u16 {
    type Text = Utf16;

    fn text(units: &[Self]) -> &[Utf16] {
        paired(units)
    }

    fn is_high_surrogate(self) -> bool {
        surrogates::is_high(self.into())
    }
}

impl WideUnit for u32 {
    type Text = u32;

    fn text(units: &[Self]) -> &[u32] {
        units
    }

    fn is_high_surrogate(self) -> bool {
        false
    }
}

/// Calls `work` with all whole code units of `bytes`: once if they are aligned and in native byte order, else in blocks
/// that do not end inside a surrogate pair.
fn read<U: WideUnit>(by: Implementation, bytes: &[u8], order: Order, mut work: impl FnMut(&[U::Text])) {
    if order == Order::NATIVE
        && let Some(units) = as_numbers(bytes)
    {
        return work(U::text(units));
    }
    let mut block = [U::default(); BLOCK_UNITS];
    let mut rest = bytes;
    while rest.len() >= size_of::<U>() {
        let mut count = BLOCK_UNITS.min(rest.len() / size_of::<U>());
        by.run(Read { from: rest, order, to: &mut block[..count] });
        if count == BLOCK_UNITS && block[BLOCK_UNITS - 1].is_high_surrogate() {
            count -= 1;
        }
        work(U::text(&block[..count]));
        rest = &rest[count * size_of::<U>()..];
    }
}

/// Returns the length of code units in UTF-8 in bytes; `None` if the last one is incomplete.
pub(crate) fn utf8_length<U: WideUnit>(by: Implementation, bytes: &[u8], order: Order) -> Option<usize> {
    let mut length = 0;
    read::<U>(by, bytes, order, |units| length += by.utf8_length(units));
    bytes.len().is_multiple_of(size_of::<U>()).then_some(length)
}

/// Writes code units as UTF-8 into `out`, which has at least their length. Returns the number of bytes written, and
/// whether all code units were scalar values or parts of surrogate pairs.
pub(crate) fn encode<U: WideUnit>(
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

/// Returns the number of bytes before the first code unit that is neither a scalar value nor part of a surrogate pair.
pub(crate) fn well_formed_up_to<U: WideUnit>(by: Implementation, bytes: &[u8], order: Order) -> usize {
    let mut well_formed = 0;
    let mut malformed = false;
    read::<U>(by, bytes, order, |units| {
        if !malformed {
            let scalar = by.scalar_up_to(units);
            well_formed += scalar * size_of::<U>();
            malformed = scalar < units.len();
        }
    });
    well_formed
}

/// Writes `text`, valid UTF-8, as code units into `out`, which has at least their length. Returns the number of bytes
/// written.
pub(crate) fn decode<U: WideUnit>(
    by: Implementation,
    text: &[u8],
    order: Order,
    out: &mut [MaybeUninit<u8>],
) -> usize {
    if order == Order::NATIVE
        && let Some(units) = as_numbers_mut::<U>(out)
    {
        return by.fill(text, units) * size_of::<U>();
    }
    let mut block = [U::default(); BLOCK_UNITS];
    let mut written = 0;
    for step in chunks(text, BLOCK_UNITS) {
        let count = by.fill(step, unfilled(&mut block));
        let length = count * size_of::<U>();
        by.run(Write { from: &block[..count], order, to: &mut out[written..][..length] });
        written += length;
    }
    written
}
