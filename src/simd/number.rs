//! Integers as bytes and back.

/// Types that are nothing but the bits of an integer.
///
/// # Safety
/// The type has no padding, and any bits are a value of it.
pub unsafe trait Number: Copy {}

// SAFETY: an integer.
unsafe impl Number for u8 {}
// SAFETY: an integer.
unsafe impl Number for u16 {}
// SAFETY: an integer, by its layout.
unsafe impl Number for Utf16 {}
// SAFETY: an integer.
unsafe impl Number for u32 {}
// SAFETY: an integer.
unsafe impl Number for u64 {}

/// A code unit of UTF-16, where two surrogates may be one character; a `u16` alone is a unit of UCS-2.
#[derive(Clone, Copy, Debug, Default)]
#[repr(transparent)]
pub struct Utf16(pub u16);

impl From<u8> for Utf16 {
    #[inline(always)]
    fn from(unit: u8) -> Self {
        Self(unit.into())
    }
}

/// Returns units of 16 bits as units of UTF-16.
pub(crate) fn paired(units: &[u16]) -> &[Utf16] {
    // SAFETY: `Utf16` is a `u16` by its layout.
    unsafe { &*(core::ptr::from_ref(units) as *const [Utf16]) }
}

/// Returns the bytes of some numbers, in this machine's order.
#[inline(always)]
pub(crate) fn bytes_of<N: Number>(numbers: &[N]) -> &[u8] {
    // SAFETY: these are the same bytes, all of which have values, for as long; a byte is aligned anywhere.
    unsafe { core::slice::from_raw_parts(numbers.as_ptr().cast(), size_of_val(numbers)) }
}
