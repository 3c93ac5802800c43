//! Encoding by blocks, for all vector instruction sets. Writers write a block of units, or the last partial one.

use core::marker::PhantomData;

use super::encoder::{Encoded, Encoder, MAX_FEW_UNITS};
use super::length::length;
use super::unit::SourceUnit;
use crate::simd::Utf16;
use crate::simd::uninit::MaybeUninit;

/// The largest number of blocks that are encoded before the next test for shorter units.
const MAX_BURST_BLOCKS: usize = 16;
/// Units of ASCII after which more are likely soon.
const LONG_ASCII_UNITS: usize = 256;

/// The longest sequence in a block, as far as that matters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Widest {
    OneByte,
    TwoBytes,
    MoreBytes,
}

/// Places for bytes of UTF-8.
pub(crate) type Out = [MaybeUninit<u8>];

/// The numbers of units and bytes that a writer takes.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    /// Units in a block.
    pub block_units: usize,
    /// Units in a block of ASCII.
    pub ascii_units: usize,
    /// Bytes of output that a block may write to.
    pub out_bytes: usize,
    /// The smallest number of units that are encoded by blocks. In fewer, tests for shorter units would cost more than
    /// they save.
    pub min_units: usize,
    /// The largest number of units that [`Writer::write_partial`] takes.
    pub partial_units: usize,
    /// Whether [`Writer::write_block`] tests for ASCII.
    pub tests_ascii: bool,
}

/// Remembers a high surrogate.
pub(crate) trait SurrogateState {
    /// Notes that no low surrogate follows.
    fn end_pair(&mut self);
}

/// Writes units of one source to UTF-8, and remembers whether all were scalar values.
pub(crate) trait Writer<I, U>: SurrogateState {
    /// The numbers of units and bytes that it takes.
    const SIZES: Sizes;

    /// Writes [`Sizes::ascii_units`] units to as many bytes if they are ASCII, and returns whether they are.
    fn write_ascii(&self, units: &[U], out: &mut Out) -> bool;

    /// Writes [`Sizes::block_units`] units to [`Sizes::out_bytes`] bytes. Returns the number of bytes that they take,
    /// and the longest sequence; without `TEST_ASCII` there is no test whether all units are ASCII.
    fn write_block<const TEST_ASCII: bool>(&mut self, units: &[U], out: &mut Out) -> (usize, Widest);

    /// Writes 1 to [`Sizes::partial_units`] units, and nothing beyond their bytes. Returns the number of bytes.
    fn write_partial(&mut self, units: &[U], out: &mut Out) -> usize;

    /// Returns the number of bytes that units take.
    #[inline(always)]
    fn length(_: I, units: &[U]) -> usize
    where
        U: SourceUnit,
    {
        length::<U, false>(units)
    }

    /// Returns the number of bytes that at most [`MAX_FEW_UNITS`](super::length::MAX_FEW_UNITS) units take.
    #[inline(always)]
    fn length_of_few(_: I, units: &[U]) -> usize
    where
        U: SourceUnit,
    {
        length::<U, false>(units)
    }
}

/// A writer of all sources.
pub(crate) trait UnitWriter<I>: Sized {
    /// Returns a writer that has seen nothing.
    fn new(isa: I) -> Self;

    /// Returns the result, where `written` bytes were written.
    fn finish(&self, written: usize) -> Encoded;
}

/// The writers of one algorithm.
pub(crate) trait WriterFamily<I> {
    type Writer: UnitWriter<I> + Writer<I, u8> + Writer<I, u16> + Writer<I, Utf16> + Writer<I, u32>;
}

/// Encodes by blocks with the writers of a family.
pub(crate) struct BlockEncoder<F>(PhantomData<F>);

impl<I: Copy, U: SourceUnit, F: WriterFamily<I>> Encoder<I, U> for BlockEncoder<F>
where
    F::Writer: Writer<I, U>,
{
    #[inline(always)]
    fn encode(isa: I, units: &[U], out: &mut Out) -> Encoded {
        let mut writer = F::Writer::new(isa);
        let written = write_blocks(&mut writer, units, out);
        writer.finish(written)
    }

    #[inline(always)]
    fn encode_few(isa: I, units: &[U], out: &mut Out) -> Encoded {
        let mut writer = F::Writer::new(isa);
        let written = match units {
            [] => 0,
            _ if F::Writer::SIZES.partial_units >= MAX_FEW_UNITS => writer.write_partial(units, out),
            _ => write_partials(&mut writer, units, out),
        };
        writer.finish(written)
    }

    #[inline(always)]
    fn length(isa: I, units: &[U]) -> usize {
        F::Writer::length(isa, units)
    }

    #[inline(always)]
    fn length_of_few(isa: I, units: &[U]) -> usize {
        F::Writer::length_of_few(isa, units)
    }
}

/// Writes whole blocks as long as the output can hold all that one may take, then the rest in parts. Returns the number
/// of bytes.
///
/// A mispredicted branch costs more than a block of ASCII or of two-byte sequences. So within two-byte sequences the
/// tests for ASCII become the rarer the longer these last; and larger blocks are tested for ASCII only where there is
/// much of it.
///
/// Tried and lost: three-byte sequences taken for granted for a while after each (a third less on Chinese and Hindi
/// pages with AVX2, a tenth with AVX-512), as branch predictors follow markup.
#[inline(always)]
pub(super) fn write_blocks<I, U, W: Writer<I, U>>(writer: &mut W, units: &[U], out: &mut Out) -> usize {
    let mut written = 0;
    let mut rest = units;
    let mut burst = 1;
    'blocks: while units.len() >= W::SIZES.min_units {
        let mut ascii = 0;
        while let Some((block, after)) = rest.split_at_checked(W::SIZES.ascii_units)
            && let Some(places) = places(out, written, W::SIZES.ascii_units)
            && writer.write_ascii(block, places)
        {
            ascii += W::SIZES.ascii_units;
            written += W::SIZES.ascii_units;
            rest = after;
        }
        if ascii > 0 {
            writer.end_pair();
        }
        if ascii >= LONG_ASCII_UNITS {
            burst = 1;
        }
        ascii = 0;
        while ascii < W::SIZES.ascii_units {
            let Some((block, after)) = rest.split_at_checked(W::SIZES.block_units) else { break 'blocks };
            let Some(places) = places(out, written, W::SIZES.out_bytes) else { break 'blocks };
            let (bytes, widest) = writer.write_block::<true>(block, places);
            written += bytes;
            rest = after;
            ascii = if widest == Widest::OneByte { ascii + W::SIZES.block_units } else { 0 };
            if widest != Widest::TwoBytes {
                continue;
            }
            for _ in 0..burst {
                let Some((block, after)) = rest.split_at_checked(W::SIZES.block_units) else { break 'blocks };
                let Some(places) = self::places(out, written, W::SIZES.out_bytes) else { break 'blocks };
                let (bytes, widest) = writer.write_block::<false>(block, places);
                written += bytes;
                rest = after;
                if widest == Widest::MoreBytes {
                    break;
                }
            }
            burst = MAX_BURST_BLOCKS.min(2 * burst);
            if !W::SIZES.tests_ascii {
                break;
            }
        }
    }
    written + write_partials(writer, rest, out.get_mut(written..).unwrap_or_default())
}

/// Writes units in parts. Returns the number of bytes.
#[inline(always)]
fn write_partials<I, U, W: Writer<I, U>>(writer: &mut W, units: &[U], out: &mut Out) -> usize {
    let mut written = 0;
    for part in units.chunks(W::SIZES.partial_units) {
        written += writer.write_partial(part, out.get_mut(written..).unwrap_or_default());
    }
    written
}

/// Returns the first `length` places of `out[at..]`, if it has as many.
#[inline(always)]
pub(super) fn places(out: &mut Out, at: usize, length: usize) -> Option<&mut Out> {
    // With `?` the compiler would store by an indexed address, which is 5 % slower on ASCII with AVX-512.
    out.get_mut(at..).unwrap_or_default().get_mut(..length)
}
