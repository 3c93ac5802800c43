//! The parts of the packed model, read one after another.

/// Costs are in eighths of a bit.
pub(super) const UNITS_PER_BIT: f32 = 8.0;

/// Removes the first `N` bytes, and returns them.
pub(super) fn take<const N: usize>(packed: &mut &'static [u8]) -> &'static [u8; N] {
    let (taken, rest) = packed.split_first_chunk().expect("the model is whole");
    *packed = rest;
    taken
}

/// Removes the first `length` bytes, and returns them.
pub(super) fn take_some(packed: &mut &'static [u8], length: usize) -> &'static [u8] {
    let (taken, rest) = packed.split_at(length);
    *packed = rest;
    taken
}

/// Removes the first number of 16 bits, and returns it.
pub(super) fn take_u16(packed: &mut &'static [u8]) -> u16 {
    u16::from_le_bytes(*take(packed))
}
