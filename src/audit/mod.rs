//! Hidden characters: found with their place, removed by policy.
//!
//! Text that looks harmless may have characters that are not seen: marks of direction that show code in another order
//! than it runs (Trojan Source, CVE-2021-42574), tags and variation selectors that carry instructions for a language
//! model, joiners of no width, and characters that a database or a format refuses. A [`Policy`] is a set of kinds of
//! them; most policies leave out what belongs to the text, as joiners in Persian and emoji.
//!
//! ```
//! use leadbyte::audit::{Policy, audit, sanitize};
//!
//! let line = "if access_level != \"user\u{202E} \u{2066}// Check if admin\u{2069} \u{2066}\" {";
//! let found: Vec<_> = audit(line.as_bytes(), Policy::SOURCE_CODE).map(|found| found.start).collect();
//! assert_eq!(found, [24, 52]);
//! assert_eq!(sanitize("a\u{200B}b".as_bytes(), Policy::SOURCE_CODE, "").unwrap(), "ab");
//! assert!(audit("می\u{200C}خواهم 👩\u{200D}🚀 ☂\u{FE0F}".as_bytes(), Policy::SOURCE_CODE).next().is_none());
//! ```

mod bidi;
mod context;
mod finding;
mod policy;
mod properties;
mod sanitize;
mod scan;
mod syntax;

use core::iter::FusedIterator;

pub use finding::Finding;
pub use policy::{Kind, Kinds, Policy};
pub use sanitize::{ReplacementError, sanitize};
#[cfg(feature = "arrow")]
#[doc(hidden)]
pub use sanitize::{Sanitized, sanitize_with};
#[doc(hidden)]
pub use scan::Audit;
#[cfg(feature = "bindings")]
pub use syntax::Syntax;

use crate::progress::{uninterrupted, unobserved};
use crate::simd::dispatch::Implementation;

/// Returns the hidden characters of `data`, and the bytes that are not UTF-8, in order, by a policy.
///
/// ```
/// use leadbyte::audit::{Kind, Policy, audit};
///
/// let found: Vec<_> = audit(b"a\0b\xFF", Policy::POSTGRESQL).collect();
/// assert_eq!((found[0].kind, found[0].start), (Kind::Nul, 1));
/// assert_eq!((found[1].kind, found[1].start, found[1].end), (Kind::Invalid, 3, 4));
/// assert_eq!(audit("«дом»".as_bytes(), Policy::SOURCE_CODE).next(), None);
/// ```
pub fn audit(data: &[u8], policy: Policy) -> Findings<'_> {
    Implementation::active().audit(data, policy)
}

#[doc(hidden)]
impl Implementation {
    pub fn audit(self, data: &[u8], policy: Policy) -> Findings<'_> {
        Findings { data, audit: Audit::of(self, policy) }
    }
}

/// An iterator over the findings in some bytes: see [`audit()`].
#[derive(Clone, Debug)]
pub struct Findings<'a> {
    data: &'a [u8],
    audit: Audit,
}

impl Iterator for Findings<'_> {
    type Item = Finding;

    fn next(&mut self) -> Option<Finding> {
        uninterrupted(self.audit.next(self.data, &mut unobserved))
    }
}

impl FusedIterator for Findings<'_> {}
