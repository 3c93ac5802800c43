//! A single-byte encoding to UTF-8.
//!
//! 1. Where bytes can be looked up all at once, what becomes of each is looked up byte by byte of the result.
//!    Characters are then written as those of other forms are.
//! 2. What a byte means that means nothing is a surrogate, or has a lead byte that there is none of: both are found
//!    out where characters of three bytes are written, which these are taken for.

use core::mem::MaybeUninit;

use super::{EIGHT, Encoded, OneByOne, Pairs, first_room, put_eight, put_spelled};
use crate::kernels::page::{NO_LEAD, THREE_BYTES, Tables};
use crate::kernels::{Kernel, Task};
use crate::simd::{Isa, LookupHigh, Planes};

/// An algorithm to encode by.
pub(crate) trait PageEncoder<I> {
    /// As [`EncodePage`] says.
    fn encode_page(isa: I, page: &Tables, data: &[u8], out: &mut [MaybeUninit<u8>]) -> Encoded;

    /// As [`PageLength`] says.
    fn length_of_page(isa: I, page: &Tables, data: &[u8]) -> Option<usize>;
}

/// A page, and what writes its characters.
pub(super) struct Paging<'a, W> {
    pub page: &'a Tables,
    pub writer: W,
}

impl<W> Pairs for Paging<'_, W> {
    // There are none.
    #[inline(always)]
    fn close(&mut self) {}
}

/// Encodes bytes of a page into `out`, as [`Encode`](super::Encode) does; bytes that mean nothing are no scalar
/// values, and take three bytes.
pub(crate) struct EncodePage<'a> {
    pub page: &'a Tables,
    pub data: &'a [u8],
    pub out: &'a mut [MaybeUninit<u8>],
}

impl Kernel for EncodePage<'_> {
    type Output = Encoded;

    const TASK: Task = Task::Validate;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Encoded {
        I::Encoder::encode_page(isa, self.page, self.data, self.out)
    }
}

/// How many bytes [`EncodePage`] writes, if all mean something.
pub(crate) struct PageLength<'a> {
    pub page: &'a Tables,
    pub data: &'a [u8],
}

impl Kernel for PageLength<'_> {
    type Output = Option<usize>;

    const TASK: Task = Task::Validate;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Option<usize> {
        I::Encoder::length_of_page(isa, self.page, self.data)
    }
}

/// The length by looking up lead bytes.
#[inline(always)]
pub(super) fn length_of_page<I: LookupHigh + Planes>(isa: I, page: &Tables, data: &[u8]) -> Option<usize> {
    let mut length = Length { isa, page, bytes: data.len(), highest: isa.splat(0) };
    let mut rest = data;
    while let Some((block, after)) = rest.split_at_checked(I::WIDTH) {
        length.add(isa.load(block, 0));
        rest = after;
    }
    length.add(isa.load_some(rest, 0));
    (isa.largest(length.highest) < NO_LEAD).then_some(length.bytes)
}

/// What was added up, and the highest lead bytes.
struct Length<'a, I: Isa> {
    isa: I,
    page: &'a Tables,
    bytes: usize,
    highest: I::Vector,
}

impl<I: LookupHigh + Planes> Length<'_, I> {
    #[inline(always)]
    fn add(&mut self, v: I::Vector) {
        let isa = self.isa;
        let lead = isa.lookup_high(&self.page.lead, v);
        let long = isa.bits(isa.non_ascii(v));
        let longer = isa.bits(isa.at_least(lead, isa.splat(THREE_BYTES)));
        self.bytes += (long.count_ones() + longer.count_ones()) as usize;
        self.highest = isa.max(self.highest, lead);
    }
}

impl<I> PageEncoder<I> for OneByOne {
    #[inline(always)]
    fn encode_page(_: I, page: &Tables, data: &[u8], out: &mut [MaybeUninit<u8>]) -> Encoded {
        let mut rest = data;
        let mut written = 0;
        let mut highest = 0;
        'bytes: loop {
            while let Some((eight, after)) = rest.split_first_chunk()
                && let Some(room) = first_room(out, written)
                && put_eight(eight, room)
            {
                rest = after;
                written += EIGHT;
            }
            for _ in 0..EIGHT {
                let Some((&byte, after)) = rest.split_first() else { break 'bytes };
                let bytes @ [lead, .., length] = page.spelled[usize::from(byte)];
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
    fn length_of_page(_: I, page: &Tables, data: &[u8]) -> Option<usize> {
        let (mut bytes, mut highest) = (0, 0);
        for &byte in data {
            let [lead, .., length] = page.spelled[usize::from(byte)];
            bytes += usize::from(length);
            highest = highest.max(lead);
        }
        (highest < NO_LEAD).then_some(bytes)
    }
}
