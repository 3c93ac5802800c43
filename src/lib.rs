//! UTF-8 at the speed of the hardware: validate bytes, locate errors, and count characters.
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
//! [`OffsetMap`] converts offsets among bytes, characters, UTF-16 code units, and lines and columns;
//! [`EditableOffsetMap`] does so while the text is edited.
//!
//! [`scan`] validates and counts in one pass; [`Scanner`] does so over chunks that are cut anywhere. [`truncate`] and
//! [`chunks`] cut between characters. [`transcode`]
//! converts to UTF-16, UTF-32 and Latin-1 and back, [`variants`] holds the relatives of UTF-8, and [`sequence`] is the
//! definition of UTF-8 itself.
//!
//! The best instruction set of the CPU is chosen when the first function is called: AVX-512 (with VBMI2), AVX2 or
//! SSE 4.2 on x86-64, NEON on aarch64, and scalar code elsewhere. [`cpu_info`] returns which, and the environment
//! variable `LEADBYTE_ISA` chooses another that the CPU has: `scalar`, `sse42`, `avx2`, `avx512` or `neon`.
//!
//! # Features
//! None is on by default; without any the only dependency is `memchr`.
//!
//! | feature | what it adds | crates |
//! |---|---|---|
//! | `legacy` | single-byte encodings of the Encoding Standard, as a [`transcode::SingleByteEncoding`] | encoding_rs |
//! | `detect` | `detect`: detection of encodings; `mojibake`: repair of mojibake | encoding_rs |
//! | `unicode` | `unicode`: normalization, graphemes; `audit`: hidden characters | icu_normalizer, icu_properties |
//! | `arrow` | columns in Arrow's layouts, for the Python package; nothing for Rust yet | as `detect` and `unicode` |
//! | `bindings` | what the Python package uses; nothing for Rust | as `arrow` |
//!
//! `detect` adds 130 KB of tables, `unicode` the tables of ICU4X.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod allocation;
#[cfg(feature = "unicode")]
#[cfg_attr(not(feature = "bindings"), allow(dead_code))]
pub mod audit;
#[cfg(feature = "bindings")]
#[doc(hidden)]
pub mod bindings;
#[cfg(feature = "bindings")]
mod census;
// Without the bindings, no column arrives.
#[cfg(feature = "arrow")]
#[cfg_attr(not(feature = "bindings"), allow(dead_code))]
mod columns;
mod count;
mod cut;
#[cfg(feature = "detect")]
mod detect;
// Without the bindings no encoding is looked up by name.
#[cfg_attr(not(feature = "bindings"), allow(dead_code))]
mod encodings;
mod error;
mod error_iter;
#[cfg(feature = "bindings")]
mod jsonl;
// Without vector instructions, their support code is unused.
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(dead_code, unused_imports, unused_macros)
)]
mod kernels;
#[cfg(feature = "detect")]
mod language;
#[cfg(feature = "bindings")]
mod lines;
mod location;
#[cfg(feature = "detect")]
pub mod mojibake;
#[cfg(feature = "bindings")]
mod newlines;
mod offsets;
mod progress;
mod repair;
mod scan;
pub mod sequence;
// Without vector instructions, their support code is unused.
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(dead_code, unused_imports, unused_macros)
)]
mod simd;
mod stream;
mod substitution;
mod threads;
pub mod transcode;
#[cfg(feature = "unicode")]
pub mod unicode;
mod validate;
pub mod variants;
mod with_errors;
#[cfg(feature = "bindings")]
mod with_surrogates;

// The tests of the crate, which call it as its users do. They are compiled with it: apart, what they instantiate would
// be compiled once more.
#[cfg(test)]
extern crate self as leadbyte;
#[cfg(test)]
#[path = "../tests/suite/mod.rs"]
mod suite;

#[cfg(fuzzing)]
#[doc(hidden)]
pub use columns::interface::{fuzzing::check as check_columns, import_fuzzing::check as check_import};
pub use count::*;
pub use cut::limit::LimitUnit;
pub use cut::split::{Boundary, Chunks, chunks, split_points};
pub use cut::truncate::{EllipsisError, Side, Truncate, Truncation, truncate};
#[cfg(feature = "detect")]
pub use detect::{DeclaredEncoding, Detection, Detector, Encodings, detect, detect_all};
pub use encodings::bom::BOM;
pub use error::Utf8Error;
pub use error_iter::{ErrorIter, iter_errors};
#[doc(hidden)]
pub use kernels::counts::Measure;
pub use location::{LocatedErrorIter, Location, locate};
pub use offsets::{EditableOffsetMap, Newlines, OffsetError, OffsetMap, Position, Unit, UnknownName};
pub use repair::{repair, repair_with};
#[doc(hidden)]
pub use scan::{Edge, LocatedError};
pub use scan::{Scan, Scanner, scan, scan_with_threads};
pub use sequence::boundary::{ceil_boundary, floor_boundary, is_boundary};
pub use sequence::{ErrorKind, sequence_length};
pub use simd::dispatch::{CpuInfo, Implementation, IsaError, cpu_info, implementations, set_isa};
pub use stream::IncrementalValidator;
pub use substitution::Substitution;
pub use validate::*;
