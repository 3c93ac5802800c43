//! Truncation: a text that is too long without its end, its start or its middle.

use core::fmt;
use std::borrow::Cow;

use super::limit::{Cut, LimitUnit, Measurable, StrUnit, StrUnits, Utf8Text};
use crate::progress::{Progress, Stopped, uninterrupted, unobserved};
use crate::simd::dispatch::Implementation;
#[cfg(feature = "unicode")]
use crate::unicode::cluster_walk::ClusterWalk;

/// The side of a text that is removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Side {
    /// The end.
    #[default]
    End,
    /// The start.
    Start,
    /// The middle: of the text that is kept, the first part is at most half, rounded up, and the last part the rest
    /// that fits.
    Middle,
}

/// Returns the longest start of a text that is at most `limit` units long, without cutting a character.
///
/// The text is a `str`, or a `[u8]`, valid or not: characters are counted by their lead bytes, and a limit in bytes
/// falls on the [`floor_boundary`](crate::floor_boundary). Nothing beyond the limit is read. [`Truncation`] can add an
/// ellipsis, remove another side, and keep grapheme clusters whole.
///
/// ```
/// use leadbyte::{LimitUnit, truncate};
///
/// assert_eq!(truncate("naïve", 3, LimitUnit::Byte), "na"); // ï takes two bytes
/// assert_eq!(truncate("😀😀", 3, LimitUnit::Utf16), "😀");
/// assert_eq!(truncate(b"caf\xC3\xA9".as_slice(), 4, LimitUnit::Byte), b"caf");
/// ```
pub fn truncate<T: Truncate + ?Sized>(text: &T, limit: usize, unit: LimitUnit) -> &T {
    let data = text.bytes();
    let cut = uninterrupted(Utf8Text(data).prefix(Implementation::active(), unit, 0, limit, &mut unobserved));
    text.first(cut.at)
}

/// A truncation to a limit: its unit, the side that is removed, and the ellipsis that replaces it.
///
/// ```
/// use leadbyte::{LimitUnit, Side, Truncation};
///
/// let truncation = Truncation::new(6, LimitUnit::Char).ellipsis("…").side(Side::Middle);
/// assert_eq!(truncation.apply("leadbyte").unwrap(), "lea…te");
/// assert_eq!(truncation.apply("short").unwrap(), "short");
/// assert!(Truncation::new(2, LimitUnit::Byte).ellipsis("…").apply("text").is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Truncation<'a> {
    limit: usize,
    unit: LimitUnit,
    side: Side,
    ellipsis: &'a str,
    #[cfg(feature = "unicode")]
    whole_graphemes: bool,
}

impl<'a> Truncation<'a> {
    /// Returns the truncation to at most `limit` units that removes the end, without an ellipsis.
    pub const fn new(limit: usize, unit: LimitUnit) -> Self {
        Self {
            limit,
            unit,
            side: Side::End,
            ellipsis: "",
            #[cfg(feature = "unicode")]
            whole_graphemes: false,
        }
    }

    /// Sets the side that is removed.
    pub const fn side(self, side: Side) -> Self {
        Self { side, ..self }
    }

    /// Sets what replaces the side that is removed, whose length counts.
    pub const fn ellipsis(self, ellipsis: &'a str) -> Self {
        Self { ellipsis, ..self }
    }

    /// Keeps extended grapheme clusters whole, as a limit in clusters always does. Less than a cluster is nothing.
    /// An error in bytes counts as U+FFFD does.
    ///
    /// ```
    /// use leadbyte::{LimitUnit, Truncation};
    ///
    /// let truncation = Truncation::new(3, LimitUnit::Char);
    /// assert_eq!(truncation.apply("o👩‍💻").unwrap(), "o👩\u{200D}");
    /// assert_eq!(truncation.whole_graphemes().apply("o👩‍💻").unwrap(), "o");
    /// ```
    #[cfg(feature = "unicode")]
    pub const fn whole_graphemes(self) -> Self {
        Self { whole_graphemes: true, ..self }
    }

    /// Returns the text, truncated if it is longer than the limit: a `str` or a `[u8]`, valid or not.
    ///
    /// # Errors
    /// If the ellipsis is longer than the limit, whether it is needed or not.
    pub fn apply<'t, T>(&self, text: &'t T) -> Result<Cow<'t, T>, EllipsisError>
    where
        T: Truncate + ToOwned + ?Sized,
    {
        Implementation::active().truncate(self, text)
    }

    fn measured(&self, by: Implementation) -> Result<Limit, EllipsisError> {
        let ellipsis = Utf8Text(self.ellipsis.as_bytes());
        let length = uninterrupted(ellipsis.length_in(by, self.unit, &mut unobserved));
        let Some(kept) = self.limit.checked_sub(length) else {
            return Err(EllipsisError { length, limit: self.limit });
        };
        Ok(Limit {
            kept,
            reserved: length,
            unit: self.unit,
            side: self.side,
            #[cfg(feature = "unicode")]
            whole_graphemes: self.whole_graphemes,
        })
    }
}

/// The ellipsis is longer than the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EllipsisError {
    length: usize,
    limit: usize,
}

impl fmt::Display for EllipsisError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the ellipsis has {} units, more than the limit of {}", self.length, self.limit)
    }
}

impl core::error::Error for EllipsisError {}

/// A text that can be truncated: `str` or `[u8]`.
pub trait Truncate: sealed::Parts {}

impl Truncate for str {}

impl Truncate for [u8] {}

mod sealed {
    /// Parts of a text.
    pub trait Parts {
        /// Returns the bytes.
        fn bytes(&self) -> &[u8];

        /// Returns the text before a boundary.
        fn first(&self, end: usize) -> &Self;

        /// Returns the text before one boundary and after another, with `ellipsis` between them.
        fn join(&self, end: usize, ellipsis: &str, start: usize) -> <Self as ToOwned>::Owned
        where
            Self: ToOwned;
    }

    impl Parts for str {
        fn bytes(&self) -> &[u8] {
            self.as_bytes()
        }

        fn first(&self, end: usize) -> &Self {
            &self[..end]
        }

        fn join(&self, end: usize, ellipsis: &str, start: usize) -> String {
            [&self[..end], ellipsis, &self[start..]].concat()
        }
    }

    impl Parts for [u8] {
        fn bytes(&self) -> &[u8] {
            self
        }

        fn first(&self, end: usize) -> &Self {
            &self[..end]
        }

        fn join(&self, end: usize, ellipsis: &str, start: usize) -> Vec<u8> {
            [&self[..end], ellipsis.as_bytes(), &self[start..]].concat()
        }
    }
}

/// A limit, once the ellipsis is measured.
#[derive(Clone, Copy)]
pub struct Limit {
    /// The maximum length of the text that is kept beside the ellipsis.
    pub kept: usize,
    /// The length of the ellipsis.
    pub reserved: usize,
    /// The unit of the limit.
    pub unit: LimitUnit,
    /// Where something is cut off.
    pub side: Side,
    /// Whether no grapheme cluster is cut.
    #[cfg(feature = "unicode")]
    pub whole_graphemes: bool,
}

/// The part of a text to remove, from `start` to `end`, in stored units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Removed {
    /// The offset of the first byte that is left.
    pub start: usize,
    /// The offset after the last byte that is left.
    pub end: usize,
}

impl Limit {
    /// Returns which part of a text is to be removed; `None` if it is not too long.
    /// Progress is counted in stored units.
    #[inline]
    pub fn removed(
        &self,
        by: Implementation,
        text: impl Measurable,
        progress: Progress<'_>,
    ) -> Result<Option<Removed>, Stopped> {
        let Self { kept, reserved, unit, side, .. } = *self;
        let length = text.length();
        let fits = text.fits(by, unit, kept + reserved, progress)?;
        if fits == Some(true) {
            return Ok(None);
        }
        let first = match side {
            Side::End => kept,
            Side::Start => 0,
            Side::Middle => kept - kept / 2,
        };
        let head = match side {
            Side::Start => Cut { at: 0, left: 0 },
            _ => text.prefix(by, unit, 0, first, progress)?,
        };
        let rest = head.left + (kept - first) + reserved;
        if fits.is_none() && text.prefix(by, unit, head.at, rest, progress)?.at == length {
            return Ok(None);
        }
        let (start, left) = (head.at, head.left + (kept - first));
        #[cfg(feature = "unicode")]
        let mut walk = self.whole_graphemes.then(|| ClusterWalk::starting_at(0));
        #[cfg(feature = "unicode")]
        let (start, left) = match &mut walk {
            Some(walk) => {
                let whole = walk.floor(text, start, progress)?.unwrap_or(0).min(start);
                (whole, left.saturating_add(text.part(whole..start).length_in(by, unit, progress)?))
            }
            None => (start, left),
        };
        if side == Side::End {
            return Ok(Some(Removed { start, end: length }));
        }
        let end = text.suffix(by, unit, left, progress)?.at;
        #[cfg(feature = "unicode")]
        let end = match &mut walk {
            Some(walk) => walk.ceil(text, end, progress)?,
            None => end,
        };
        // Memory that changes meanwhile may have any lengths.
        Ok(Some(Removed { start, end: end.clamp(start, length) }))
    }
}

#[doc(hidden)]
impl Implementation {
    pub fn truncate<'t, T: Truncate + ToOwned + ?Sized>(
        self,
        truncation: &Truncation<'_>,
        text: &'t T,
    ) -> Result<Cow<'t, T>, EllipsisError> {
        let limit = truncation.measured(self)?;
        let removed = uninterrupted(limit.removed(self, Utf8Text(text.bytes()), &mut unobserved));
        Ok(match removed {
            None => Cow::Borrowed(text),
            Some(removed) => Cow::Owned(text.join(removed.start, truncation.ellipsis, removed.end)),
        })
    }

    pub fn removed_of_latin1(
        self,
        truncation: &Truncation<'_>,
        units: &[u8],
    ) -> Result<Option<(usize, usize)>, EllipsisError> {
        self.removed(truncation, units)
    }

    pub fn removed_of_ucs2(
        self,
        truncation: &Truncation<'_>,
        units: &[u16],
    ) -> Result<Option<(usize, usize)>, EllipsisError> {
        self.removed(truncation, units)
    }

    pub fn removed_of_utf32(
        self,
        truncation: &Truncation<'_>,
        units: &[u32],
    ) -> Result<Option<(usize, usize)>, EllipsisError> {
        self.removed(truncation, units)
    }

    fn removed<U: StrUnit>(
        self,
        truncation: &Truncation<'_>,
        units: &[U],
    ) -> Result<Option<(usize, usize)>, EllipsisError> {
        let limit = truncation.measured(self)?;
        let removed = uninterrupted(limit.removed(self, StrUnits(units), &mut unobserved));
        Ok(removed.map(|removed| (removed.start, removed.end)))
    }
}
