//! Facts about encodings, each in one place: names, byte order marks, tables of characters, encoding schemes, and what
//! CPython's error handlers do.
//!
//! [`transcode`](crate::transcode), detection, [`mojibake`](crate::mojibake) and the bindings are built on this module;
//! it is built on the kernels only.

pub(crate) mod bom;
#[cfg(feature = "detect")]
mod code_units;
// Only the bindings convert by tables of another implementation.
#[cfg(feature = "bindings")]
pub mod double_byte;
#[cfg(feature = "detect")]
pub(crate) mod ebcdic;
#[cfg(feature = "arrow")]
pub mod error_handler;
#[cfg(feature = "legacy")]
pub(crate) mod high_half;
#[cfg(feature = "detect")]
pub(crate) mod johab;
#[cfg(feature = "arrow")]
pub mod registry;
#[cfg(feature = "detect")]
pub(crate) mod scheme;
mod single_byte;
pub mod surrogates;

pub use single_byte::SingleByteEncoding;

/// A part of the input that cannot be decoded or encoded.
#[cfg(feature = "arrow")]
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// The offset of its first byte.
    pub start: usize,
    /// The offset after its last byte.
    pub end: usize,
    /// CPython's reason.
    pub reason: &'static str,
}

#[cfg(feature = "arrow")]
impl From<crate::error::Utf8Error> for Fault {
    fn from(error: crate::error::Utf8Error) -> Self {
        Self { start: error.start() as usize, end: error.end() as usize, reason: error.reason() }
    }
}
