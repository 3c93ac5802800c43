//! A single-byte encoding to UTF-8.

use core::mem::MaybeUninit;

use super::super::page::Tables;
use super::super::{Kernel, Task};
use super::{Encoded, Source, first_room};
use crate::room::put;
use crate::simd::Isa;

/// So many bytes are looked up before they are encoded.
const STEP: usize = 512;

/// So many bytes are looked at for ASCII at once.
const ASCII: usize = 64;

/// Encodes bytes of a page into `out`, as [`Encode`](super::Encode) does; bytes that mean nothing are no scalar
/// values, and count three bytes.
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
        let Self { page, data, out } = self;
        let mut units = [0; STEP];
        let mut all = Encoded { written: 0, scalar: true };
        let mut rest = data;
        while !rest.is_empty() {
            while let Some((block, after)) = rest.split_first_chunk::<ASCII>()
                && let Some(room) = first_room::<ASCII>(out, all.written)
                && isa.is_ascii(block)
            {
                all.written += put(room, block);
                rest = after;
            }
            let (step, after) = rest.split_at(rest.len().min(STEP));
            for (unit, &byte) in units.iter_mut().zip(step) {
                *unit = page.unit(byte);
            }
            let room = out.get_mut(all.written..).unwrap_or_default();
            let encoded = u16::encode(isa, &units[..step.len()], room);
            all.written += encoded.written;
            all.scalar &= encoded.scalar;
            rest = after;
        }
        all
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
    fn run<I: Isa>(self, _: I) -> Option<usize> {
        let mut bytes = self.data.len();
        let mut scalar = true;
        for &byte in self.data {
            let unit = self.page.unit(byte);
            bytes += usize::from(unit.more_bytes());
            scalar &= char::from_u32(unit.into()).is_some();
        }
        scalar.then_some(bytes)
    }
}
