//! UTF-8 to a single-byte encoding.

use core::mem::MaybeUninit;

use super::super::page::{MISSING, Tables};
use super::super::{Kernel, Task};
use super::Unit;
use crate::boundary::steps;
use crate::room::{put, unfilled};
use crate::simd::Isa;

/// About so many bytes are decoded before they are looked up.
const STEP: usize = 512;

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
        let Self { page, data, out } = self;
        let mut units = [0; STEP];
        let (mut written, mut any) = (0, 0);
        for step in steps(data, STEP) {
            let room = out.get_mut(written..).unwrap_or_default();
            if step.is_ascii() {
                written += put(room, step);
                continue;
            }
            let length = u16::decode::<I, true>(isa, step, unfilled(&mut units));
            for (&unit, place) in units[..length].iter().zip(room) {
                let byte = page.byte(unit);
                any |= byte;
                place.write(byte as u8);
                written += 1;
            }
        }
        (written, any & MISSING == 0)
    }
}
