//! UTF-8 to a single-byte encoding.
//!
//! Where characters are decoded by [`planes`](super::planes), their bytes are looked up there, window by window: those
//! with most characters come first, and rarely is more than one needed.

use super::decoder::SingleByteDecoder;
use super::scalar::{ScalarDecoder, decode_valid};
use crate::kernels::kernel::{Backend, Kernel, Task};
use crate::kernels::single_byte::SingleByteTables;
use crate::sequence::boundary::chunks;
use crate::simd::uninit::{MaybeUninit, unfilled};

/// Decodes valid UTF-8 into bytes of a single-byte encoding, as [`Decode`](super::Decode) does; returns also whether
/// the encoding has all of its characters.
pub(crate) struct DecodeSingleByte<'a> {
    pub tables: &'a SingleByteTables,
    pub data: &'a [u8],
    pub out: &'a mut [MaybeUninit<u8>],
}

impl Kernel for DecodeSingleByte<'_> {
    type Output = (usize, bool);

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> (usize, bool) {
        I::Decoder::decode_single_byte(isa, self.tables, self.data, self.out)
    }
}

/// Bytes, about, that are decoded before their characters are looked up.
const STEP_BYTES: usize = 512;

impl<I> SingleByteDecoder<I> for ScalarDecoder {
    #[inline(always)]
    fn decode_single_byte(
        _: I,
        tables: &SingleByteTables,
        data: &[u8],
        out: &mut [MaybeUninit<u8>],
    ) -> (usize, bool) {
        let mut units = [0u16; STEP_BYTES];
        let (mut written, mut all) = (0, true);
        for step in chunks(data, STEP_BYTES) {
            let length = decode_valid(step, unfilled(&mut units));
            let places = out.get_mut(written..).unwrap_or_default();
            for (&unit, place) in units.iter().take(length).zip(places) {
                let byte = tables.byte(unit);
                all &= byte.is_some();
                place.write(byte.unwrap_or_default());
                written += 1;
            }
        }
        (written, all)
    }
}
