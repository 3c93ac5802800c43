//! Room for results: as it is handed to kernels, not filled yet.

use core::mem::MaybeUninit;

use crate::allocation::{AllocError, Grow};
use crate::simd::Number;

/// The same room as one that need not be filled.
pub(crate) fn unfilled<T: Copy>(room: &mut [T]) -> &mut [MaybeUninit<T>] {
    // SAFETY: both have the same layout; whoever fills such room puts nothing but values into it.
    unsafe { &mut *(core::ptr::from_mut(room) as *mut [MaybeUninit<T>]) }
}

/// Copies `values` to the start of `room`, which must have the room for them, and returns how many these are.
#[inline]
pub(crate) fn put<T: Copy>(room: &mut [MaybeUninit<T>], values: &[T]) -> usize {
    // SAFETY: both have the same layout, and what is filled can be taken for what need not be.
    let values = unsafe { &*(core::ptr::from_ref(values) as *const [MaybeUninit<T>]) };
    room[..values.len()].copy_from_slice(values);
    values.len()
}

/// Room on the stack, of which only what is filled is touched.
pub(crate) struct Scratch<T, const N: usize>([MaybeUninit<T>; N]);

impl<T: Copy, const N: usize> Scratch<T, N> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self([const { MaybeUninit::uninit() }; N])
    }

    /// The values that `fill` writes, from the start on; it returns how many these are.
    #[inline(always)]
    pub(crate) fn filled(&mut self, fill: impl FnOnce(&mut [MaybeUninit<T>]) -> usize) -> &[T] {
        let written = fill(&mut self.0);
        // SAFETY: so many were written, from the start on, and a value has the same layout as room for it.
        unsafe { &*(core::ptr::from_ref(&self.0[..written]) as *const [T]) }
    }
}

/// Room for `length` values, as far as `fill` fills it: it returns how many values it wrote, from the start on.
pub(crate) fn filled<T>(length: usize, fill: impl FnOnce(&mut [MaybeUninit<T>]) -> usize) -> Vec<T> {
    let mut values = Vec::with_capacity(length);
    append(&mut values, length, |room| Some(fill(room)));
    values
}

/// Appends values that `fill` writes, at most `length` of them, and tells whether there are any to append: it returns how
/// many it wrote, from the start on, or `None`.
#[inline]
pub(crate) fn append<T>(
    values: &mut Vec<T>,
    length: usize,
    fill: impl FnOnce(&mut [MaybeUninit<T>]) -> Option<usize>,
) -> bool {
    values.reserve(length);
    let Some(written) = fill(&mut values.spare_capacity_mut()[..length]) else { return false };
    assert!(written <= length);
    // SAFETY: so many were written behind the others, where there is room for them.
    unsafe { values.set_len(values.len() + written) };
    true
}

/// As [`append`], but fails if there is no memory.
#[cfg_attr(not(feature = "unicode"), expect(dead_code))]
pub(crate) fn try_append<T>(
    values: &mut Vec<T>,
    length: usize,
    fill: impl FnOnce(&mut [MaybeUninit<T>]) -> Option<usize>,
) -> Result<bool, AllocError> {
    values.grow(length)?;
    Ok(append(values, length, fill))
}

/// The numbers that `bytes` are, if they stand where such numbers may stand, and are whole ones.
#[cfg_attr(not(feature = "python"), expect(dead_code))]
pub(crate) fn as_numbers<N: Number>(bytes: &[u8]) -> Option<&[N]> {
    // SAFETY: a number is nothing but its bits, whichever these are.
    let (before, numbers, after) = unsafe { bytes.align_to() };
    (before.is_empty() && after.is_empty()).then_some(numbers)
}

/// Room for numbers that `out` is, if they may stand there, and nothing is left over.
#[cfg_attr(not(feature = "python"), expect(dead_code))]
pub(crate) fn as_room<N: Number>(out: &mut [MaybeUninit<u8>]) -> Option<&mut [MaybeUninit<N>]> {
    // SAFETY: what need not be filled is nothing at all, and every byte of a number has a value.
    let (before, room, after) = unsafe { out.align_to_mut() };
    (before.is_empty() && after.is_empty()).then_some(room)
}
