//! Memory for results, which may be uninitialised.
//!
//! A kernel gets places to write to and returns the number that it wrote. That number is not trusted: the places were
//! initialised before, by this module or by the caller, and a [`MaybeUninit`] of this module is only written with
//! values. (Only the bindings to Python pass memory that is not initialised; their functions state what they rely on.)
//! Zeros cost little: new pages have them, and short blocks are in cache.

use core::mem;
use core::ops::Range;

use super::number::Number;
use crate::allocation::{AllocError, Grow};

/// A place that may be uninitialised, as [`core::mem::MaybeUninit`]. It can only be written with values, so an
/// initialised place stays initialised.
#[repr(transparent)]
pub struct MaybeUninit<T>(mem::MaybeUninit<T>);

impl<T: Copy> Clone for MaybeUninit<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Copy> Copy for MaybeUninit<T> {}

impl<T> MaybeUninit<T> {
    /// Returns a place with a value.
    #[inline(always)]
    pub const fn new(value: T) -> Self {
        Self(mem::MaybeUninit::new(value))
    }

    /// Sets the value.
    #[inline(always)]
    pub const fn write(&mut self, value: T) {
        self.0 = mem::MaybeUninit::new(value);
    }
}

/// Returns initialised values as places to write to.
#[inline(always)]
pub fn unfilled<T: Copy>(values: &mut [T]) -> &mut [MaybeUninit<T>] {
    // SAFETY: both have the same layout, and nothing but values can be written to such places.
    unsafe { &mut *(core::ptr::from_mut(values) as *mut [MaybeUninit<T>]) }
}

/// Returns memory that is not initialised as places to write to.
///
/// # Safety
/// The caller reads only places that were written: it relies on a number that a kernel returns only if that kernel is
/// known to have written as many.
#[cfg_attr(not(feature = "bindings"), expect(dead_code))]
#[inline(always)]
pub unsafe fn uninitialised<T: Copy>(memory: &mut [mem::MaybeUninit<T>]) -> &mut [MaybeUninit<T>] {
    // SAFETY: both have the same layout.
    unsafe { &mut *(core::ptr::from_mut(memory) as *mut [MaybeUninit<T>]) }
}

/// Copies `values` to the start of `out` and returns their number. Panics if `out` is shorter.
#[inline]
pub fn put<T: Copy>(out: &mut [MaybeUninit<T>], values: &[T]) -> usize {
    // SAFETY: both have the same layout, and a value may be taken for a place that has one.
    let places = unsafe { &*(core::ptr::from_ref(values) as *const [MaybeUninit<T>]) };
    out[..values.len()].copy_from_slice(places);
    values.len()
}

/// Copies `bytes[run]` to the start of `out` and returns their number. Panics if `out` is shorter. If they are at most
/// `N`, other bytes may be written to the places after them, up to `N` in all.
#[inline(always)]
pub(crate) fn put_run<const N: usize>(out: &mut [MaybeUninit<u8>], bytes: &[u8], run: Range<usize>) -> usize {
    if run.len() <= N
        && let Some(places) = first_places::<_, N>(out, 0)
        && let Some(block) = bytes[run.start..].first_chunk::<N>()
    {
        put(places, block);
        return run.len();
    }
    put(out, &bytes[run])
}

/// Returns the first `N` places of `out[at..]`, if it has as many.
#[inline(always)]
pub(crate) fn first_places<T, const N: usize>(
    out: &mut [MaybeUninit<T>],
    at: usize,
) -> Option<&mut [MaybeUninit<T>; N]> {
    out.get_mut(at..).unwrap_or_default().first_chunk_mut()
}

/// Writes numbers that are given by their bytes, in this machine's order.
#[inline(always)]
pub(crate) fn put_bytes<T: Number, const N: usize, const BYTES: usize>(
    out: &mut [MaybeUninit<T>; N],
    bytes: [u8; BYTES],
) {
    const { assert!(size_of::<[T; N]>() == BYTES) };
    // SAFETY: there are as many bytes, any bits are a number, and a byte is aligned anywhere.
    unsafe { core::ptr::from_mut(out).cast::<[u8; BYTES]>().write(bytes) };
}

/// A buffer on the stack, of which only the needed part is touched.
pub struct Scratch<T, const N: usize> {
    places: [mem::MaybeUninit<T>; N],
    /// The number of places, from the start on, that were initialised.
    initialised: usize,
}

impl<T: Copy + Default, const N: usize> Scratch<T, N> {
    /// Returns uninitialised memory.
    #[inline(always)]
    pub fn uninit() -> Self {
        Self { places: [const { mem::MaybeUninit::uninit() }; N], initialised: 0 }
    }

    /// Calls `fill` with `length` places, at most `N`, and returns the first values, as many as it reports to have
    /// written.
    #[inline(always)]
    pub fn filled(&mut self, length: usize, fill: impl FnOnce(&mut [MaybeUninit<T>]) -> usize) -> &[T] {
        let length = length.min(N);
        if let Some(places) = self.places.get_mut(self.initialised..length) {
            for place in places {
                place.write(T::default());
            }
            self.initialised = length;
        }
        // SAFETY: at least the first `length` places were initialised, now or before.
        let values = unsafe { &mut *(core::ptr::from_mut(&mut self.places[..length]) as *mut [T]) };
        let written = fill(unfilled(values)).min(values.len());
        &values[..written]
    }
}

/// Calls `fill` with `length` places and returns the first values, as many as it reports to have written.
pub(crate) fn filled<T: Copy + Default>(
    length: usize,
    fill: impl FnOnce(&mut [MaybeUninit<T>]) -> usize,
) -> Vec<T> {
    // Not by `vec!`: glibc's allocator takes longer to return short memory if zeros are requested.
    let mut values = Vec::with_capacity(length);
    append(&mut values, length, |out| Some(fill(out)));
    values
}

/// Appends the values that `fill` writes, at most `length`. It returns the number of values written from the start on,
/// or `None`; returns whether it was a number.
#[inline]
pub(crate) fn append<T: Copy + Default>(
    values: &mut Vec<T>,
    length: usize,
    fill: impl FnOnce(&mut [MaybeUninit<T>]) -> Option<usize>,
) -> bool {
    let start = values.len();
    values.resize(start + length, T::default());
    let written = fill(unfilled(&mut values[start..]));
    values.truncate(start + written.unwrap_or(0));
    written.is_some()
}

/// Appends as [`append`], but returns an error if there is no memory.
#[cfg_attr(not(any(feature = "detect", feature = "unicode")), expect(dead_code))]
pub fn try_append<T: Copy + Default>(
    values: &mut Vec<T>,
    length: usize,
    fill: impl FnOnce(&mut [MaybeUninit<T>]) -> Option<usize>,
) -> Result<bool, AllocError> {
    values.grow(length)?;
    Ok(append(values, length, fill))
}

/// Returns `bytes` as numbers, if they are aligned and a whole number of them.
#[cfg_attr(not(feature = "detect"), expect(dead_code))]
pub(crate) fn as_numbers<N: Number>(bytes: &[u8]) -> Option<&[N]> {
    // SAFETY: any bits are a number.
    let (before, numbers, after) = unsafe { bytes.align_to() };
    (before.is_empty() && after.is_empty()).then_some(numbers)
}

/// Returns uninitialised memory of bytes as memory of numbers, if it is aligned and a whole number of them.
#[cfg_attr(not(feature = "detect"), expect(dead_code))]
pub fn as_numbers_mut<N: Number>(out: &mut [MaybeUninit<u8>]) -> Option<&mut [MaybeUninit<N>]> {
    // SAFETY: any bits are a number, and all bytes of a number have values.
    let (before, places, after) = unsafe { out.align_to_mut() };
    (before.is_empty() && after.is_empty()).then_some(places)
}

#[cfg(test)]
mod tests {
    use super::{MaybeUninit, Scratch, append, filled, put};

    /// Writes one value and claims to have written `claimed`.
    fn write_one(claimed: usize) -> impl FnOnce(&mut [MaybeUninit<u16>]) -> usize {
        move |out| {
            out[0].write(7);
            claimed
        }
    }

    #[test]
    fn what_was_not_written_is_zero() {
        assert_eq!(filled(3, write_one(1)), [7]);
        assert_eq!(filled(3, write_one(3)), [7, 0, 0]);
        let mut scratch = Scratch::<u16, 8>::uninit();
        assert_eq!(scratch.filled(3, write_one(1)), [7]);
        assert_eq!(scratch.filled(8, write_one(8)), [7, 0, 0, 0, 0, 0, 0, 0]);
        let mut values = vec![1, 2];
        assert!(append(&mut values, 2, |out| Some(write_one(2)(out))));
        assert_eq!(values, [1, 2, 7, 0]);
    }

    #[test]
    fn no_more_is_returned_than_there_is() {
        assert_eq!(filled(2, write_one(9)), [7, 0]);
        let mut values = vec![1];
        assert!(append(&mut values, 1, |out| Some(write_one(9)(out))));
        assert_eq!(values, [1, 7]);
        assert_eq!(Scratch::<u16, 8>::uninit().filled(2, write_one(9)), [7, 0]);
        // The capacity limits the number of places.
        assert_eq!(Scratch::<u16, 8>::uninit().filled(9, |out| out.len()), [0; 8]);
    }

    #[test]
    fn without_a_result_nothing_is_appended() {
        let mut values = vec![1, 2];
        assert!(!append(&mut values, 5, |out| {
            write_one(1)(out);
            None
        }));
        assert_eq!(values, [1, 2]);
    }

    #[test]
    #[should_panic(expected = "out of range")]
    fn no_part_is_put_of_what_does_not_fit() {
        filled(3, |out| put(out, &[1, 2]) + put(&mut out[2..], &[3, 4]));
    }
}
