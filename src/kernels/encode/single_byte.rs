//! A single-byte encoding to UTF-8.
//!
//! 1. Where bytes can be looked up all at once, what becomes of each is looked up byte by byte of the result.
//!    Characters are then written as those of other forms are.
//! 2. Bytes that mean nothing are taken for characters of three bytes, with a lead byte that there is none of. So
//!    nothing need be looked for but where there are such characters.

use super::Encoded;
use super::blocks::Pairs;
use super::scalar::{EIGHT, ScalarEncoder, first_places, put_eight, put_spelled};
use crate::kernels::single_byte::{NO_LEAD, Tables, lookup_high};
use crate::kernels::{Backend, Kernel, Task};
use crate::simd::uninit::MaybeUninit;
use crate::simd::{Isa, Planes};

/// An algorithm to encode by.
pub(crate) trait SingleByteEncoder<I> {
    /// As [`EncodeSingleByte`] says.
    fn encode_single_byte(isa: I, tables: &Tables, data: &[u8], out: &mut [MaybeUninit<u8>]) -> Encoded;

    /// As [`SingleByteLength`] says.
    fn single_byte_length(isa: I, tables: &Tables, data: &[u8]) -> Option<usize>;
}

/// Writes bytes of a single-byte encoding with the writer of an algorithm.
pub(crate) struct SingleByteWriter<'a, I: Isa, W> {
    pub tables: &'a Tables,
    pub writer: W,
    /// The highest lead bytes of three-byte sequences.
    pub highest: I::Vector,
}

impl<'a, I: Isa, W> SingleByteWriter<'a, I, W> {
    #[inline(always)]
    pub fn new(isa: I, tables: &'a Tables, writer: W) -> Self {
        Self { tables, writer, highest: isa.splat(0) }
    }

    /// Returns the result, where so many bytes were written.
    #[inline(always)]
    pub fn finish(&self, isa: I, written: usize) -> Encoded {
        Encoded { written, scalar: isa.reduce_max(self.highest) < NO_LEAD }
    }
}

impl<I: Isa, W> Pairs for SingleByteWriter<'_, I, W> {
    /// Does nothing: there are no surrogates.
    #[inline(always)]
    fn end_pair(&mut self) {}
}

/// Encodes bytes of a page into `out`, as [`Encode`](super::Encode) does; bytes that mean nothing are no scalar
/// values, and take three bytes.
pub(crate) struct EncodeSingleByte<'a> {
    pub tables: &'a Tables,
    pub data: &'a [u8],
    pub out: &'a mut [MaybeUninit<u8>],
}

impl Kernel for EncodeSingleByte<'_> {
    type Output = Encoded;

    const TASK: Task = Task::Transform;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> Encoded {
        I::Encoder::encode_single_byte(isa, self.tables, self.data, self.out)
    }
}

/// How many bytes [`EncodeSingleByte`] writes, if all mean something.
pub(crate) struct SingleByteLength<'a> {
    pub tables: &'a Tables,
    pub data: &'a [u8],
}

impl Kernel for SingleByteLength<'_> {
    type Output = Option<usize>;

    const TASK: Task = Task::Transform;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> Option<usize> {
        I::Encoder::single_byte_length(isa, self.tables, self.data)
    }
}

/// So many vectors are added up before a lane overflows; a byte has two more than the first at most.
const GROUP: usize = 127;

/// The length by looking up how many bytes more than one there are.
#[inline(always)]
pub(super) fn single_byte_length<I: Planes>(isa: I, tables: &Tables, data: &[u8]) -> Option<usize> {
    let mut bytes = data.len();
    let mut any = isa.splat(0);
    for group in data.chunks(GROUP * I::WIDTH) {
        let mut tally = isa.splat(0);
        let mut rest = group;
        while let Some((block, after)) = rest.split_at_checked(I::WIDTH) {
            let [more] = lookup_high(isa, [&tables.more], isa.load(block, 0));
            (tally, any) = (isa.add(tally, more), isa.or(any, more));
            rest = after;
        }
        let [more] = lookup_high(isa, [&tables.more], isa.load_partial_at(rest, 0));
        (tally, any) = (isa.add(tally, more), isa.or(any, more));
        bytes += isa.reduce_sum(tally);
    }
    (!isa.any_non_ascii(any)).then_some(bytes)
}

impl<I> SingleByteEncoder<I> for ScalarEncoder {
    #[inline(always)]
    fn encode_single_byte(_: I, tables: &Tables, data: &[u8], out: &mut [MaybeUninit<u8>]) -> Encoded {
        let mut rest = data;
        let mut written = 0;
        let mut highest = 0;
        'bytes: loop {
            while let Some((eight, after)) = rest.split_first_chunk()
                && let Some(room) = first_places(out, written)
                && put_eight(eight, room)
            {
                rest = after;
                written += EIGHT;
            }
            for _ in 0..EIGHT {
                let Some((&byte, after)) = rest.split_first() else { break 'bytes };
                let bytes @ [lead, .., length] = tables.spelled[usize::from(byte)];
                if !put_spelled(bytes, length.into(), out, written) {
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
    fn single_byte_length(_: I, tables: &Tables, data: &[u8]) -> Option<usize> {
        let (mut bytes, mut highest) = (0, 0);
        for &byte in data {
            let [lead, .., length] = tables.spelled[usize::from(byte)];
            bytes += usize::from(length);
            highest = highest.max(lead);
        }
        (highest < NO_LEAD).then_some(bytes)
    }
}
