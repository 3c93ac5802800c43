//! UTF-8 at the speed of the hardware: whether bytes are valid, where they are not, and how many
//! characters they hold.
//!
//! ```
//! let data = "Hello мир".as_bytes();
//! assert!(leadbyte::is_valid(data));
//! assert_eq!(leadbyte::count_chars(data), 9);
//!
//! let error = leadbyte::validate(b"1 \xC0\xB1").unwrap_err();
//! assert_eq!((error.start(), error.kind()), (2, leadbyte::ErrorKind::Overlong));
//! ```
//!
//! [`scan`] finds everything in one pass; [`Scanner`] does so over pieces that are cut anywhere.
//! [`sequence`] is the definition of UTF-8 itself, to read and to learn from.

mod boundary;
#[cfg(feature = "python")]
mod census;
mod count;
#[cfg(feature = "detect")]
mod detect;
mod error;
mod fold;
// Where there are no vectors, what serves them lies idle.
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(dead_code, unused_imports, unused_macros)
)]
mod kernels;
#[cfg(feature = "detect")]
mod language;
mod location;
#[cfg(feature = "detect")]
pub mod mojibake;
#[cfg(feature = "python")]
mod newlines;
#[cfg(feature = "python")]
mod python;
mod repair;
mod room;
mod runs;
mod scan;
pub mod sequence;
// Where there are no vectors, what serves them lies idle.
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(dead_code, unused_imports, unused_macros)
)]
mod simd;
mod state;
mod stream;
pub mod transcode;
#[cfg(feature = "unicode")]
pub mod unicode;
mod validate;
pub mod variants;

pub use boundary::{ceil_boundary, floor_boundary, is_boundary};
pub use count::{count_chars, count_newlines, count_utf16, count_widths};
#[cfg(feature = "detect")]
pub use detect::{Detection, detect};
pub use error::{ErrorKind, Utf8Error};
#[doc(hidden)]
pub use fold::{Edge, NotedError};
pub use location::{Location, locate};
#[doc(hidden)]
pub use repair::repair;
pub use runs::{Runs, iter_errors};
pub use scan::{BOM, Scan, Scanner, scan, scan_with_threads};
pub use sequence::sequence_length;
pub use simd::dispatch::{CpuInfo, Implementation, IsaError, cpu_info, implementations, set_isa};
pub use stream::IncrementalValidator;
#[doc(hidden)]
pub use validate::Measure;
pub use validate::{is_ascii, is_valid, validate};
