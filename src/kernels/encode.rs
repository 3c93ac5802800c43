//! The code units of another form to UTF-8: the bits of each character, laid out into bytes.
//!
//! Surrogates are found on the way. Whatever the units are, nothing is written outside the output, and what is
//! said to be written is.

use core::mem::MaybeUninit;

use super::{Kernel, Task};
use crate::simd::{Isa, Number};

pub(crate) mod shuffle;
#[cfg(target_arch = "x86_64")]
pub(crate) mod squeeze;

/// What became of some units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Encoded {
    /// How many bytes were written: all of the output, if it has just the room that the text takes. In too
    /// little room it stops early.
    pub written: usize,
    /// Whether every unit was, or was part of, a scalar value. If not, the surrogates of UCS-2 and UTF-32 were
    /// written by the form of three bytes; what was written for lone ones of UTF-16, and for values beyond
    /// U+10FFFF, means nothing.
    pub scalar: bool,
}

/// What can be encoded: `u8` is Latin-1, `u16` UCS-2 (each surrogate stands alone), [`Utf16`] has pairs, and
/// `u32` is UTF-32.
pub(crate) trait Source: Number + Send + Sync + 'static {
    /// Encodes by the algorithm of the instruction set.
    fn encode<I: Isa>(isa: I, units: &[Self], out: &mut [MaybeUninit<u8>]) -> Encoded;

    /// The code point at the start of some units, and how many of these it takes.
    fn first(units: &[Self]) -> Option<(u32, usize)>;

    /// The unit as a number.
    fn value(self) -> u32;
}

/// A code unit of UTF-16, where pairs of surrogates are one character.
#[derive(Clone, Copy, Debug, Default)]
#[repr(transparent)]
pub(crate) struct Utf16(pub u16);

/// Units of 16 bits.
pub(crate) trait Halfword: Source {
    /// Whether two surrogates may be one character.
    const PAIRS: bool;
}

impl Halfword for u16 {
    const PAIRS: bool = false;
}

impl Halfword for Utf16 {
    const PAIRS: bool = true;
}

/// An algorithm to encode by.
pub(crate) trait Encoder<I> {
    fn latin1(isa: I, units: &[u8], out: &mut [MaybeUninit<u8>]) -> Encoded;

    fn ucs2(isa: I, units: &[u16], out: &mut [MaybeUninit<u8>]) -> Encoded;

    fn utf16(isa: I, units: &[Utf16], out: &mut [MaybeUninit<u8>]) -> Encoded;

    fn utf32(isa: I, units: &[u32], out: &mut [MaybeUninit<u8>]) -> Encoded;
}

impl Source for u8 {
    #[inline(always)]
    fn encode<I: Isa>(isa: I, units: &[u8], out: &mut [MaybeUninit<u8>]) -> Encoded {
        I::Encoder::latin1(isa, units, out)
    }

    #[inline(always)]
    fn first(units: &[u8]) -> Option<(u32, usize)> {
        Some((units.first()?.value(), 1))
    }

    #[inline(always)]
    fn value(self) -> u32 {
        u32::from(self)
    }
}

impl Source for u16 {
    #[inline(always)]
    fn encode<I: Isa>(isa: I, units: &[u16], out: &mut [MaybeUninit<u8>]) -> Encoded {
        I::Encoder::ucs2(isa, units, out)
    }

    #[inline(always)]
    fn first(units: &[u16]) -> Option<(u32, usize)> {
        Some((units.first()?.value(), 1))
    }

    #[inline(always)]
    fn value(self) -> u32 {
        u32::from(self)
    }
}

impl Source for u32 {
    #[inline(always)]
    fn encode<I: Isa>(isa: I, units: &[u32], out: &mut [MaybeUninit<u8>]) -> Encoded {
        I::Encoder::utf32(isa, units, out)
    }

    #[inline(always)]
    fn first(units: &[u32]) -> Option<(u32, usize)> {
        Some((units.first()?.value(), 1))
    }

    #[inline(always)]
    fn value(self) -> u32 {
        self
    }
}

impl Source for Utf16 {
    #[inline(always)]
    fn encode<I: Isa>(isa: I, units: &[Utf16], out: &mut [MaybeUninit<u8>]) -> Encoded {
        I::Encoder::utf16(isa, units, out)
    }

    #[inline(always)]
    fn first(units: &[Utf16]) -> Option<(u32, usize)> {
        let high = units.first()?.value();
        match units.get(1).map(|second| second.value()) {
            Some(low) if high & 0xFC00 == 0xD800 && low & 0xFC00 == 0xDC00 => {
                Some((0x1_0000 + ((high & 0x3FF) << 10 | low & 0x3FF), 2))
            }
            _ => Some((high, 1)),
        }
    }

    #[inline(always)]
    fn value(self) -> u32 {
        u32::from(self.0)
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
    fn run<I: Isa>(self, _: I) -> usize {
        length_one_by_one(self.0)
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

/// So many blocks are encoded, at most, before it is asked again whether there is less to do.
const LONGEST: usize = 16;
/// After so many bytes of ASCII there may be more soon.
const LONG_RUN: usize = 256;

/// What keeps in mind half a pair of surrogates.
trait Pairs {
    /// What follows is no second half.
    fn close(&mut self);
}

/// Writes units block by block: `N` units, or `A` if they are ASCII.
trait Writer<U, const N: usize, const A: usize, const ROOM: usize>: Pairs {
    /// As many units go into `put_some`.
    const SOME: usize;

    /// Writes the block if it is ASCII, and tells whether it is.
    fn put_ascii(&self, block: &[U; A], out: &mut [MaybeUninit<u8>; A]) -> bool;

    /// Writes a block. Tells how many bytes it is, and whether there are characters of three bytes in it; with
    /// `LONGER` some are expected.
    fn put_block<const LONGER: bool>(
        &mut self,
        block: &[U; N],
        out: &mut [MaybeUninit<u8>; ROOM],
    ) -> (usize, bool);

    /// Writes some units, at least one, and nothing beyond their bytes. Tells how many these are.
    fn put_some(&mut self, units: &[U], out: &mut [MaybeUninit<u8>]) -> usize;
}

/// Encodes with a writer: whole blocks as long as there is room for all that one may take, then some units at a
/// time. Tells how many bytes there are.
///
/// A wrong guess costs as much as a block. So it is not asked before each what is in it: the longer there was no
/// ASCII, or always something longer, the longer that is taken for granted.
#[inline(always)]
fn encode_by<W, U, const N: usize, const A: usize, const ROOM: usize>(
    writer: &mut W,
    units: &[U],
    out: &mut [MaybeUninit<u8>],
) -> usize
where
    W: Writer<U, N, A, ROOM>,
{
    let mut written = 0;
    let mut rest = units;
    let (mut burst, mut stretch) = (1, 1);
    'blocks: loop {
        let mut ascii = 0;
        while let Some((block, after)) = rest.split_first_chunk()
            && let Some(room) = first_room(out, written)
            && writer.put_ascii(block, room)
        {
            ascii += A;
            written += A;
            rest = after;
        }
        if ascii > 0 {
            writer.close();
        }
        burst = if ascii >= LONG_RUN { 1 } else { LONGEST.min(2 * burst) };
        for _ in 0..burst {
            let Some((block, after)) = rest.split_first_chunk() else { break 'blocks };
            let Some(room) = first_room(out, written) else { break 'blocks };
            let (bytes, longer) = writer.put_block::<false>(block, room);
            written += bytes;
            rest = after;
            if !longer {
                continue;
            }
            let mut seen = 0;
            for _ in 0..stretch {
                let Some((block, after)) = rest.split_first_chunk() else { break 'blocks };
                let Some(room) = first_room(out, written) else { break 'blocks };
                let (bytes, longer) = writer.put_block::<true>(block, room);
                written += bytes;
                rest = after;
                seen += usize::from(longer);
            }
            stretch = if 4 * seen >= stretch { LONGEST.min(2 * stretch) } else { 1 };
        }
    }
    while !rest.is_empty() {
        let (some, after) = rest.split_at(rest.len().min(W::SOME));
        written += writer.put_some(some, out.get_mut(written..).unwrap_or_default());
        rest = after;
    }
    written
}

/// The first places of `out[at..]`, if there are so many.
#[inline(always)]
fn first_room<const N: usize>(out: &mut [MaybeUninit<u8>], at: usize) -> Option<&mut [MaybeUninit<u8>; N]> {
    out.get_mut(at..).unwrap_or_default().first_chunk_mut()
}

/// Encodes character by character.
pub(crate) struct OneByOne;

impl<I> Encoder<I> for OneByOne {
    #[inline(always)]
    fn latin1(_: I, units: &[u8], out: &mut [MaybeUninit<u8>]) -> Encoded {
        one_by_one(units, out)
    }

    #[inline(always)]
    fn ucs2(_: I, units: &[u16], out: &mut [MaybeUninit<u8>]) -> Encoded {
        one_by_one(units, out)
    }

    #[inline(always)]
    fn utf16(_: I, units: &[Utf16], out: &mut [MaybeUninit<u8>]) -> Encoded {
        one_by_one(units, out)
    }

    #[inline(always)]
    fn utf32(_: I, units: &[u32], out: &mut [MaybeUninit<u8>]) -> Encoded {
        one_by_one(units, out)
    }
}

#[inline(always)]
fn one_by_one<U: Source>(units: &[U], out: &mut [MaybeUninit<u8>]) -> Encoded {
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
