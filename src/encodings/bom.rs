//! Byte order marks: U+FEFF at the start of a text, in each encoding that has it (Unicode 16, section 23.8).

/// The byte order mark in UTF-8.
pub const BOM: [u8; 3] = [0xEF, 0xBB, 0xBF];

pub(crate) const UTF_16_LE: &[u8] = b"\xFF\xFE";
pub(crate) const UTF_16_BE: &[u8] = b"\xFE\xFF";
/// Begins with the byte order mark of UTF-16-LE.
pub(crate) const UTF_32_LE: &[u8] = b"\xFF\xFE\0\0";
pub(crate) const UTF_32_BE: &[u8] = b"\0\0\xFE\xFF";
pub(crate) const GB18030: &[u8] = b"\x84\x31\x95\x33";
