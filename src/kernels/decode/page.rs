//! UTF-8 to a single-byte encoding.
//!
//! Where characters are decoded by [`planes`](crate::kernels::planes), their bytes are looked up there, window by
//! window: those where most are come first, and hardly ever is more than one needed.

use crate::boundary::chunks;
use crate::kernels::page::Tables;
use crate::kernels::{Kernel, Task};
use crate::simd::Isa;
use crate::simd::uninit::{MaybeUninit, unfilled};

/// Decodes valid UTF-8 into bytes of a page, as [`Decode`](super::Decode) does; tells also whether the page has all
/// of its characters.
pub(crate) struct DecodePage<'a> {
    pub page: &'a Tables,
    pub data: &'a [u8],
    pub out: &'a mut [MaybeUninit<u8>],
}

impl Kernel for DecodePage<'_> {
    type Output = (usize, bool);

    const TASK: Task = Task::Validate;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> (usize, bool) {
        isa.decode_page(self.page, self.data, self.out)
    }
}

/// About so many bytes are decoded before they are looked up.
const STEP: usize = 512;

/// Decodes character by character.
#[inline(always)]
pub(crate) fn one_by_one(page: &Tables, data: &[u8], out: &mut [MaybeUninit<u8>]) -> (usize, bool) {
    let mut units = [0u16; STEP];
    let (mut written, mut all) = (0, true);
    for step in chunks(data, STEP) {
        let length = super::one_by_one(step, unfilled(&mut units));
        let room = out.get_mut(written..).unwrap_or_default();
        for (&unit, place) in units.iter().take(length).zip(room) {
            let byte = page.byte(unit);
            all &= byte.is_some();
            place.write(byte.unwrap_or_default());
            written += 1;
        }
    }
    (written, all)
}
