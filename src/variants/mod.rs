//! The relatives of UTF-8: forms that look like it, mean something of their own, and are no UTF-8.
//!
//! | module | what | where it is met | defined by |
//! |---|---|---|---|
//! | [`cesu8`] | UTF-16, each unit written as if it were a character | databases | Unicode Technical Report 26 |
//! | [`mutf8`] | the same, and U+0000 is `C0 80` | Java: class files, `DataInput`, JNI | `java.io.DataInput` |
//! | [`wtf8`] | UTF-8 with surrogates that stand alone | file names of Windows | the WTF-8 specification |
//! | [`rfc2279`] | forms of 5 and 6 bytes, for numbers to 7FFFFFFF | old software | RFC 2279 |
//! | [`extended`] | forms of 7 and 8 bytes beyond these | Perl's and others' integers | none |
//!
//! The functions at the crate's root keep refusing all that UTF-8 does not have.
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
pub(crate) mod surrogates;
pub mod wtf8;

pub use error::VariantError;
pub use integers::ValueTooLarge;
