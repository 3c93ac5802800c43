//! Normalization forms and canonical equivalence (UAX 15), grapheme clusters (UAX 29), and case folding.
//!
//! ü is one character, U+00FC, or two, U+0075 and U+0308: canonically equivalent, but different bytes. Normalize text
//! to one [`Form`], best NFC, wherever it enters.
//!
//! ```
//! use leadbyte::unicode::{Form, count_graphemes, normalize, is_equivalent};
//!
//! let (composed, decomposed) = ("f\u{FC}r", "fu\u{308}r");
//! assert_ne!(composed, decomposed);
//! assert!(is_equivalent(composed, decomposed, Form::Nfc));
//! assert_eq!(normalize(Form::Nfc, decomposed), composed);
//! assert_eq!(count_graphemes(decomposed), 3);
//! ```

mod classes;
pub(crate) mod cluster_walk;
#[doc(hidden)]
pub mod clusters;
mod edits;
#[doc(hidden)]
pub mod folding;
mod form;
pub(crate) mod normalize;
mod pieces;
mod prefilter;
pub(crate) mod search;
mod survey;

#[cfg(feature = "arrow")]
pub(crate) use clusters::count_in_text;
pub use clusters::{count_graphemes, graphemes};
pub use folding::casefold;
pub use form::Form;
#[cfg(feature = "arrow")]
pub(crate) use normalize::normalize_text;
pub use normalize::{is_normalized, normalize};
pub use search::{Ignore, is_equivalent, search};

/// The version of Unicode that this module implements.
///
/// ```
/// assert_eq!(leadbyte::unicode::UNICODE_VERSION.split('.').count(), 3);
/// ```
pub const UNICODE_VERSION: &str = icu_normalizer_data::unicode_tag!();
