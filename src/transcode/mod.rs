//! UTF-8 to and from UTF-16, UTF-32, Latin-1 and other single-byte encodings, between buffers of the caller.
//!
//! The exact length of a result is known beforehand: [`count_chars`](crate::count_chars) returns it for Latin-1 and
//! UTF-32, [`count_utf16`](crate::count_utf16) for UTF-16, and the functions `utf8_length_of_…` for UTF-8.
//!
//! ```
//! use leadbyte::transcode;
//!
//! let text = "Hello мир 𐍈".as_bytes();
//! let mut units = vec![0; leadbyte::count_utf16(text)];
//! assert_eq!(transcode::utf8_to_utf16(text, &mut units), Ok(units.len()));
//! assert!(units.iter().copied().eq("Hello мир 𐍈".encode_utf16()));
//!
//! let mut bytes = vec![0; transcode::utf8_length_of_utf16(&units)];
//! assert_eq!(transcode::utf16_to_utf8(&units, &mut bytes), Ok(bytes.len()));
//! assert_eq!(bytes, text);
//! ```

mod decode;
mod encode;
mod error;
mod single_byte;
// Without the bindings, no conversion comes in pieces.
#[cfg(feature = "arrow")]
#[cfg_attr(not(feature = "bindings"), allow(dead_code))]
#[doc(hidden)]
pub mod transcoder;

pub use decode::{utf8_to_latin1, utf8_to_utf16, utf8_to_utf16_lossy, utf8_to_utf32, utf8_to_utf32_lossy};
pub use encode::{
    latin1_to_utf8, utf8_length_of_latin1, utf8_length_of_utf16, utf8_length_of_utf32, utf16_to_utf8,
    utf32_to_utf8,
};
pub use error::TranscodeError;

pub use crate::encodings::SingleByteEncoding;
