//! A single-byte encoding to UTF-8.
//!
//! 1. Where vectors can be looked up in tables, the first, second and last byte of the characters are looked up, and
//!    then written like the bytes of other sources.
//! 2. Undefined bytes are taken for characters of three bytes, with FF as lead byte. So they are tested for only where
//!    there are such characters.

use super::blocks::{BlockEncoder, Out, SurrogateState, UnitWriter, Writer, WriterFamily, write_blocks};
use super::encoder::{Encoded, SingleByteEncoder};
use super::scalar::{RUN_UNITS, ScalarEncoder, write_ascii, write_sequence};
use crate::kernels::kernel::{Backend, Kernel, Task};
use crate::kernels::single_byte::{NO_LEAD, SingleByteTables, lookup_high};
use crate::simd::uninit::{MaybeUninit, first_places};
use crate::simd::{Isa, Planes};

/// Writes bytes of a single-byte encoding with the writer of an algorithm.
pub(crate) struct SingleByteWriter<'a, I: Isa, W> {
    pub tables: &'a SingleByteTables,
    pub writer: W,
    /// The highest lead bytes of three-byte sequences.
    pub highest: I::Vector,
}

impl<'a, I: Isa, W> SingleByteWriter<'a, I, W> {
    #[inline(always)]
    pub fn new(isa: I, tables: &'a SingleByteTables, writer: W) -> Self {
        Self { tables, writer, highest: isa.splat(0) }
    }

    /// Returns the result, where `written` bytes were written.
    #[inline(always)]
    pub fn finish(&self, isa: I, written: usize) -> Encoded {
        Encoded { written, scalar: isa.reduce_max(self.highest) < NO_LEAD }
    }
}

impl<I: Isa, W> SurrogateState for SingleByteWriter<'_, I, W> {
    /// Does nothing: there are no surrogates.
    #[inline(always)]
    fn end_pair(&mut self) {}
}

/// Encodes bytes of a single-byte encoding into `out`, as [`Encode`](super::Encode) does; undefined bytes are not
/// scalar values, and take three bytes.
pub(crate) struct EncodeSingleByte<'a> {
    pub tables: &'a SingleByteTables,
    pub data: &'a [u8],
    pub out: &'a mut [MaybeUninit<u8>],
}

impl Kernel for EncodeSingleByte<'_> {
    type Output = Encoded;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> Encoded {
        I::Encoder::encode_single_byte(isa, self.tables, self.data, self.out)
    }
}

/// Computes the number of bytes that [`EncodeSingleByte`] writes, if all bytes are defined.
pub(crate) struct SingleByteLength<'a> {
    pub tables: &'a SingleByteTables,
    pub data: &'a [u8],
}

impl Kernel for SingleByteLength<'_> {
    type Output = Option<usize>;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> Option<usize> {
        I::Encoder::single_byte_length(isa, self.tables, self.data)
    }
}

/// Vectors that are added up before a lane may overflow: a character has at most two continuation bytes.
const GROUP_VECTORS: usize = 127;

/// Returns the length in UTF-8 by looking up the number of continuation bytes.
#[inline(always)]
pub(super) fn single_byte_length<I: Planes>(isa: I, tables: &SingleByteTables, data: &[u8]) -> Option<usize> {
    let mut bytes = data.len();
    let mut any = isa.splat(0);
    for group in data.chunks(GROUP_VECTORS * I::WIDTH) {
        let mut counts = isa.splat(0);
        let mut rest = group;
        while let Some((block, after)) = rest.split_at_checked(I::WIDTH) {
            let [continuations] = lookup_high(isa, [&tables.continuations], isa.load(block, 0));
            (counts, any) = (isa.add(counts, continuations), isa.or(any, continuations));
            rest = after;
        }
        let [continuations] = lookup_high(isa, [&tables.continuations], isa.load_partial_at(rest, 0));
        (counts, any) = (isa.add(counts, continuations), isa.or(any, continuations));
        bytes += isa.reduce_sum(counts);
    }
    (!isa.any_non_ascii(any)).then_some(bytes)
}

impl<I: Planes, F: WriterFamily<I>> SingleByteEncoder<I> for BlockEncoder<F>
where
    for<'a> SingleByteWriter<'a, I, F::Writer>: Writer<I, u8>,
{
    #[inline(always)]
    fn encode_single_byte(isa: I, tables: &SingleByteTables, data: &[u8], out: &mut Out) -> Encoded {
        let mut writer = SingleByteWriter::new(isa, tables, F::Writer::new(isa));
        let written = write_blocks(&mut writer, data, out);
        writer.finish(isa, written)
    }

    #[inline(always)]
    fn single_byte_length(isa: I, tables: &SingleByteTables, data: &[u8]) -> Option<usize> {
        single_byte_length(isa, tables, data)
    }
}

impl<I> SingleByteEncoder<I> for ScalarEncoder {
    #[inline(always)]
    fn encode_single_byte(
        _: I,
        tables: &SingleByteTables,
        data: &[u8],
        out: &mut [MaybeUninit<u8>],
    ) -> Encoded {
        let mut rest = data;
        let mut written = 0;
        let mut highest = 0;
        'bytes: loop {
            while let Some((run, after)) = rest.split_first_chunk()
                && let Some(places) = first_places(out, written)
                && write_ascii(run, places)
            {
                rest = after;
                written += RUN_UNITS;
            }
            for _ in 0..RUN_UNITS {
                let Some((&byte, after)) = rest.split_first() else { break 'bytes };
                let bytes @ [lead, .., length] = tables.sequences[usize::from(byte)];
                if !write_sequence(bytes, length.into(), out, written) {
                    break 'bytes;
                }
                highest = highest.max(lead);
                written += usize::from(length);
                rest = after;
            }
        }
        Encoded { written, scalar: highest < NO_LEAD }
    }

    #[inline(always)]
    fn single_byte_length(_: I, tables: &SingleByteTables, data: &[u8]) -> Option<usize> {
        let (mut bytes, mut highest) = (0, 0);
        for &byte in data {
            let [lead, .., length] = tables.sequences[usize::from(byte)];
            bytes += usize::from(length);
            highest = highest.max(lead);
        }
        (highest < NO_LEAD).then_some(bytes)
    }
}
