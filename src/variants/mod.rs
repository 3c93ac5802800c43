//! Variants of UTF-8: encodings with the same bit patterns that are not UTF-8.
//!
//! | module | encoding | used by | defined by |
//! |---|---|---|---|
//! | [`cesu8`] | UTF-16, each code unit encoded as a character | databases | Unicode Technical Report 26 |
//! | [`mutf8`] | CESU-8 with U+0000 as `C0 80`, and lone surrogates | Java: class files, JNI | `java.io.DataInput` |
//! | [`wtf8`] | UTF-8 with lone surrogates | Windows file names | the WTF-8 specification |
//! | [`rfc2279`] | forms of up to 6 bytes, for integers to 7FFFFFFF | old software | RFC 2279 |
//! | [`extended`] | forms of up to 8 bytes, for integers to 3FFFFFFFFFF | Perl and others | none |
//!
//! The functions at the crate's root accept UTF-8 only.
//!
//! ```
//! use leadbyte::variants::{cesu8, mutf8};
//!
//! let emoji = b"\xED\xA0\xBD\xED\xB8\x80"; // D83D DE00, three bytes each
//! assert_eq!(cesu8::decode(emoji), Ok("😀".encode_utf16().collect()));
//! assert!(mutf8::is_valid(emoji));
//! assert!(!leadbyte::is_valid(emoji));
//! ```

pub mod cesu8;
mod error;
pub mod extended;
pub(crate) mod integers;
pub mod mutf8;
pub mod rfc2279;
#[doc(hidden)]
pub mod surrogates;
pub mod wtf8;

pub use error::VariantError;
pub use integers::ValueTooLarge;
