//! The code units of another form to UTF-8: the bits of each character, laid out into bytes.
//!
//! Surrogates are found on the way. Whatever the units are, nothing is written outside the output, and what is
//! said to be written is.

use length::{Lane, length};

use super::{Backend, Kernel, Task};
use crate::simd::uninit::MaybeUninit;
use crate::simd::{Number, Utf16};

#[cfg(target_arch = "x86_64")]
pub(super) mod compress;
pub(crate) mod length;
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

    /// Encodes at most [`FEW`] units by the algorithm of the instruction set.
    fn encode_few<I: Backend>(isa: I, units: &[Self], out: &mut [MaybeUninit<u8>]) -> Encoded;

    /// Measures at most [`length::FEW`] units by the algorithm of the instruction set.
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

    /// Encodes at most [`FEW`] units.
    #[inline(always)]
    fn encode_few(isa: I, units: &[U], out: &mut [MaybeUninit<u8>]) -> Encoded {
        Self::encode(isa, units, out)
    }

    /// Measures at most [`length::FEW`] units.
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
pub(crate) const FEW: usize = 32;

/// Encodes `units` into `out`. There are at most [`FEW`] units, or any number.
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

/// So many blocks are encoded, at most, before it is asked again whether there is less to do.
const LONGEST: usize = 16;
/// After so many bytes of ASCII there may be more soon.
const LONG_RUN: usize = 256;

/// What keeps in mind half a pair of surrogates.
trait Pairs {
    /// What follows is no second half.
    fn close(&mut self);
}

/// The most bytes that a unit has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Widest {
    One,
    Two,
    More,
}

/// Writes units block by block: `N` units, or `A` if they are ASCII.
trait Writer<U, const N: usize, const A: usize, const ROOM: usize>: Pairs {
    /// Fewer units go into `put_some` at once: nothing is looked for in them, as that costs more than it spares.
    const SHORT: usize = 0;

    /// As many units go into `put_some`.
    const SOME: usize;

    /// Whether `put_block` looks for ASCII where it is told to.
    const LOOKS: bool;

    /// Writes the block if it is ASCII, and tells whether it is.
    fn put_ascii(&self, block: &[U; A], out: &mut [MaybeUninit<u8>; A]) -> bool;

    /// Writes a block. Tells how many bytes it is, and its widest character as far as that mattered: without
    /// `ONE` it is not asked whether all is ASCII.
    fn put_block<const ONE: bool>(
        &mut self,
        block: &[U; N],
        out: &mut [MaybeUninit<u8>; ROOM],
    ) -> (usize, Widest);

    /// Writes some units, at least one, and nothing beyond their bytes. Tells how many these are.
    fn put_some(&mut self, units: &[U], out: &mut [MaybeUninit<u8>]) -> usize;
}

/// What an encoder of `$unit` asks its writer.
macro_rules! by_writer {
    ($writer:ident, $unit:ty) => {
        #[inline(always)]
        fn encode(isa: I, units: &[$unit], out: &mut [MaybeUninit<u8>]) -> Encoded {
            $writer::encode(isa, units, out)
        }

        #[inline(always)]
        fn encode_few(isa: I, units: &[$unit], out: &mut [MaybeUninit<u8>]) -> Encoded {
            $writer::encode_few(isa, units, out)
        }
    };
}
use by_writer;

/// Encodes with a writer: whole blocks as long as there is room for all that one may take, then some units at a
/// time. Tells how many bytes there are.
///
/// A wrong guess costs more than a block of ASCII or of two bytes. So among units of two bytes it is not asked each
/// time whether there are some, the less often the longer there were; and ASCII is only looked for in larger
/// blocks where there is much of it.
///
/// Tried and lost: three bytes taken for granted for a while wherever there were some (a third less on Chinese and
/// Hindi pages with AVX2, a tenth with AVX-512), as predictors find their way through markup.
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
    let mut burst = 1;
    'blocks: while units.len() >= W::SHORT {
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
        if ascii >= LONG_RUN {
            burst = 1;
        }
        ascii = 0;
        while ascii < A {
            let Some((block, after)) = rest.split_first_chunk() else { break 'blocks };
            let Some(room) = first_room(out, written) else { break 'blocks };
            let (bytes, widest) = writer.put_block::<true>(block, room);
            written += bytes;
            rest = after;
            ascii = if widest == Widest::One { ascii + N } else { 0 };
            if widest != Widest::Two {
                continue;
            }
            for _ in 0..burst {
                let Some((block, after)) = rest.split_first_chunk() else { break 'blocks };
                let Some(room) = first_room(out, written) else { break 'blocks };
                let (bytes, widest) = writer.put_block::<false>(block, room);
                written += bytes;
                rest = after;
                if widest == Widest::More {
                    break;
                }
            }
            burst = LONGEST.min(2 * burst);
            if !W::LOOKS {
                break;
            }
        }
    }
    written + encode_some(writer, rest, out.get_mut(written..).unwrap_or_default())
}

/// Encodes some units at a time. Tells how many bytes there are.
#[inline(always)]
fn encode_some<W, U, const N: usize, const A: usize, const ROOM: usize>(
    writer: &mut W,
    units: &[U],
    out: &mut [MaybeUninit<u8>],
) -> usize
where
    W: Writer<U, N, A, ROOM>,
{
    let mut written = 0;
    for some in units.chunks(W::SOME) {
        written += writer.put_some(some, out.get_mut(written..).unwrap_or_default());
    }
    written
}

/// The first places of `out[at..]`, if there are so many.
#[inline(always)]
fn first_room<const N: usize>(out: &mut [MaybeUninit<u8>], at: usize) -> Option<&mut [MaybeUninit<u8>; N]> {
    out.get_mut(at..).unwrap_or_default().first_chunk_mut()
}

/// Encodes character by character.
pub(crate) struct ScalarEncoder;

impl<I, U: Source> Encoder<I, U> for ScalarEncoder {
    #[inline(always)]
    fn encode(_: I, units: &[U], out: &mut [MaybeUninit<u8>]) -> Encoded {
        one_by_one(units, out)
    }
}

/// Units that are looked at for ASCII at once, and are gone through one by one if they are not.
const EIGHT: usize = 8;

#[inline(always)]
fn one_by_one<U: Source>(units: &[U], out: &mut [MaybeUninit<u8>]) -> Encoded {
    let mut rest = units;
    let mut written = 0;
    let mut scalar = true;
    'units: loop {
        while let Some((eight, after)) = rest.split_first_chunk()
            && let Some(room) = first_room(out, written)
            && put_eight(eight, room)
        {
            rest = after;
            written += EIGHT;
        }
        for _ in 0..EIGHT {
            let Some((value, taken)) = U::first(rest) else { break 'units };
            let (bytes, length) = spelled(value);
            if !put_spelled(bytes, length, out, written) {
                break 'units;
            }
            scalar &= char::from_u32(value).is_some();
            written += length;
            rest = rest.get(taken..).unwrap_or_default();
        }
    }
    Encoded { written, scalar }
}

/// Writes the first bytes of four, so many, to `out[at..]`, and tells whether there was room. What is after them may be
/// written over.
#[inline(always)]
fn put_spelled(bytes: [u8; 4], length: usize, out: &mut [MaybeUninit<u8>], at: usize) -> bool {
    let bytes = bytes.map(MaybeUninit::new);
    if let Some(room) = first_room(out, at) {
        *room = bytes;
        return true;
    }
    match out.get_mut(at..).and_then(|room| room.get_mut(..length)) {
        Some([one]) => *one = bytes[0],
        Some([one, two]) => [*one, *two] = [bytes[0], bytes[1]],
        Some([one, two, three]) => [*one, *two, *three] = [bytes[0], bytes[1], bytes[2]],
        _ => return false,
    }
    true
}

/// Writes units that are all ASCII, and tells whether they are.
#[inline(always)]
fn put_eight<U: Source>(units: &[U; EIGHT], room: &mut [MaybeUninit<u8>; EIGHT]) -> bool {
    let mut any = 0;
    for unit in units {
        any |= unit.value();
    }
    if any >= 0x80 {
        return false;
    }
    for (unit, place) in units.iter().zip(room) {
        place.write(unit.value() as u8);
    }
    true
}

/// The bytes of a code point, and how many they are; what comes after these means nothing. Without a branch, as
/// lengths are hard to foresee.
#[inline(always)]
fn spelled(value: u32) -> ([u8; 4], usize) {
    let length = value.more_bytes() as usize + 1;
    // Six bits a byte, the last ones lowest, and then the first ones' mark in the place of what is not there.
    let spread = value >> 18 << 24 | (value >> 12 & 0x3F) << 16 | (value >> 6 & 0x3F) << 8 | value & 0x3F;
    let marked = (spread | 0x0080_8080) << (8 * (4 - length)) | MARKS[length - 1];
    let word = if length == 1 { value << 24 } else { marked };
    (word.to_be_bytes(), length)
}

/// The marks of first bytes, by the number of bytes.
const MARKS: [u32; 4] = [0, 0xC0 << 24, 0xE0 << 24, 0xF0 << 24];
