//! Where a limit in some unit falls in a text, from either end.
//!
//! Each stored unit (a byte of UTF-8, or a code unit of a str) has a weight: by how much it makes the text longer in
//! the limit's unit. As many stored units as the limit divided by the largest weight never exceed it, so they are
//! weighed at once, by a counting kernel; what remains of the limit is treated likewise, and becomes shorter by a
//! constant factor each time. The last few are weighed one by one. So nothing is read beyond the limit.

#[cfg(feature = "unicode")]
use core::ops::Range;

use crate::kernels::count::{Chars, Utf16Units};
use crate::kernels::encode::Source;
use crate::kernels::encode::length::Within;
use crate::kernels::encode::unit::Lane;
use crate::progress::{Progress, Stopped};
use crate::sequence::boundary::{CHUNK_BYTES, ceil_boundary, floor_boundary};
use crate::sequence::characters::Characters;
use crate::sequence::{Sequence, decode_one, is_continuation};
use crate::simd::dispatch::Implementation;
#[cfg(feature = "unicode")]
use crate::unicode::cluster_walk::{first_clusters, last_clusters};

/// The unit of a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LimitUnit {
    /// Bytes of UTF-8.
    Byte,
    /// Characters, counted by their lead bytes, as by [`count_chars`](crate::count_chars).
    Char,
    /// UTF-16 code units, as counted by [`count_utf16`](crate::count_utf16).
    Utf16,
    /// Extended grapheme clusters, as counted by [`count_graphemes`](crate::unicode::count_graphemes).
    #[cfg(feature = "unicode")]
    Grapheme,
}

/// The end of a text up to a limit, or the start of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The offset in stored units.
    pub at: usize,
    /// The rest of the limit.
    pub left: usize,
}

/// A text whose length can be measured in each unit.
///
/// Progress is counted in stored units, not in bytes.
pub trait Measurable: Characters {
    /// Returns a part.
    #[cfg(feature = "unicode")]
    fn part(self, range: Range<usize>) -> Self;

    /// Returns whether the text is at most `limit` long; `None` if that is not found quickly.
    fn fits(
        self,
        by: Implementation,
        unit: LimitUnit,
        limit: usize,
        progress: Progress<'_>,
    ) -> Result<Option<bool>, Stopped>;

    /// Returns the end of the longest part from `start` on that is not longer than `limit`.
    fn prefix(
        self,
        by: Implementation,
        unit: LimitUnit,
        start: usize,
        limit: usize,
        progress: Progress<'_>,
    ) -> Result<Cut, Stopped>;

    /// Returns the start of the longest part up to the end that is not longer than `limit`.
    fn suffix(
        self,
        by: Implementation,
        unit: LimitUnit,
        limit: usize,
        progress: Progress<'_>,
    ) -> Result<Cut, Stopped>;

    /// Returns the length in a unit.
    fn length_in(
        self,
        by: Implementation,
        unit: LimitUnit,
        progress: Progress<'_>,
    ) -> Result<usize, Stopped> {
        Ok(usize::MAX - self.prefix(by, unit, 0, usize::MAX, progress)?.left)
    }
}

/// The weights of stored units.
trait Weight<U> {
    /// The largest weight.
    const MAX: usize;

    /// Returns the weight of a unit.
    fn of(unit: U) -> usize;

    /// Returns the weight of all units together.
    fn total(by: Implementation, units: &[U]) -> usize;
}

/// The minimum number of units that are weighed at once.
const MIN_BLOCK_UNITS: usize = 8;

/// Returns the end of the longest part of `units` from `start` on that weighs at most `limit`.
#[inline]
fn first<U: Copy, W: Weight<U>>(
    by: Implementation,
    units: &[U],
    start: usize,
    limit: usize,
    progress: Progress<'_>,
) -> Result<Cut, Stopped> {
    let mut cut = Cut { at: start, left: limit };
    while let rest = &units[cut.at..]
        && let length = rest.len().min(cut.left / W::MAX).min(CHUNK_BYTES)
        && length >= MIN_BLOCK_UNITS
    {
        cut.left = cut.left.saturating_sub(W::total(by, &rest[..length]));
        cut.at += length;
        progress(length)?;
    }
    for block in units[cut.at..].chunks(CHUNK_BYTES) {
        for &unit in block {
            let Some(left) = cut.left.checked_sub(W::of(unit)) else { return Ok(cut) };
            cut = Cut { at: cut.at + 1, left };
        }
        progress(block.len())?;
    }
    Ok(cut)
}

/// Returns the start of the longest part of `units` up to the end that weighs at most `limit`.
#[inline]
fn last<U: Copy, W: Weight<U>>(
    by: Implementation,
    units: &[U],
    limit: usize,
    progress: Progress<'_>,
) -> Result<Cut, Stopped> {
    let mut cut = Cut { at: units.len(), left: limit };
    while let length = cut.at.min(cut.left / W::MAX).min(CHUNK_BYTES)
        && length >= MIN_BLOCK_UNITS
    {
        let start = cut.at - length;
        cut.left = cut.left.saturating_sub(W::total(by, &units[start..cut.at]));
        cut.at = start;
        progress(length)?;
    }
    for block in units[..cut.at].rchunks(CHUNK_BYTES) {
        for &unit in block.iter().rev() {
            let Some(left) = cut.left.checked_sub(W::of(unit)) else { return Ok(cut) };
            cut = Cut { at: cut.at - 1, left };
        }
        progress(block.len())?;
    }
    Ok(cut)
}

/// UTF-8, valid or not. Characters are counted by their lead bytes.
#[derive(Clone, Copy)]
pub struct Utf8Text<'a>(pub &'a [u8]);

/// A lead byte weighs 1, a continuation byte nothing.
struct Utf8Chars;

impl Weight<u8> for Utf8Chars {
    const MAX: usize = 1;

    #[inline(always)]
    fn of(byte: u8) -> usize {
        usize::from(!is_continuation(byte))
    }

    #[inline(always)]
    fn total(by: Implementation, data: &[u8]) -> usize {
        by.run(Chars(data))
    }
}

/// A lead byte weighs 1, or 2 from F0 on, a continuation byte nothing.
struct Utf8Utf16;

impl Weight<u8> for Utf8Utf16 {
    const MAX: usize = 2;

    #[inline(always)]
    fn of(byte: u8) -> usize {
        Utf8Chars::of(byte) + usize::from(byte >= 0xF0)
    }

    #[inline(always)]
    fn total(by: Implementation, data: &[u8]) -> usize {
        by.run(Utf16Units(data))
    }
}

impl Utf8Text<'_> {
    /// Returns the cut, or the next lead byte.
    fn at_lead(self, cut: Cut) -> Cut {
        let continuations = self.0[cut.at..].iter().take_while(|&&byte| is_continuation(byte)).count();
        Cut { at: cut.at + continuations, ..cut }
    }
}

impl Measurable for Utf8Text<'_> {
    #[inline]
    fn fits(
        self,
        _: Implementation,
        unit: LimitUnit,
        limit: usize,
        _: Progress<'_>,
    ) -> Result<Option<bool>, Stopped> {
        let length = self.0.len();
        Ok(match unit {
            LimitUnit::Byte => Some(length <= limit),
            LimitUnit::Utf16 => (length <= limit / Utf8Utf16::MAX).then_some(true),
            _ => (length <= limit).then_some(true),
        })
    }

    #[cfg(feature = "unicode")]
    fn part(self, range: Range<usize>) -> Self {
        Self(&self.0[range])
    }

    #[inline]
    fn prefix(
        self,
        by: Implementation,
        unit: LimitUnit,
        start: usize,
        limit: usize,
        progress: Progress<'_>,
    ) -> Result<Cut, Stopped> {
        match unit {
            LimitUnit::Byte => {
                let at = floor_boundary(self.0, start.saturating_add(limit)).max(start);
                Ok(Cut { at, left: limit - (at - start) })
            }
            LimitUnit::Char => first::<_, Utf8Chars>(by, self.0, start, limit, progress),
            LimitUnit::Utf16 => first::<_, Utf8Utf16>(by, self.0, start, limit, progress),
            #[cfg(feature = "unicode")]
            LimitUnit::Grapheme => {
                first_clusters(self, start, limit, progress).map(|(at, left)| Cut { at, left })
            }
        }
    }

    #[inline]
    fn suffix(
        self,
        by: Implementation,
        unit: LimitUnit,
        limit: usize,
        progress: Progress<'_>,
    ) -> Result<Cut, Stopped> {
        match unit {
            LimitUnit::Byte => {
                let at = ceil_boundary(self.0, self.0.len().saturating_sub(limit));
                Ok(Cut { at, left: limit.saturating_sub(self.0.len() - at) })
            }
            LimitUnit::Char => last::<_, Utf8Chars>(by, self.0, limit, progress).map(|cut| self.at_lead(cut)),
            LimitUnit::Utf16 => {
                last::<_, Utf8Utf16>(by, self.0, limit, progress).map(|cut| self.at_lead(cut))
            }
            #[cfg(feature = "unicode")]
            LimitUnit::Grapheme => last_clusters(self, limit, progress).map(|(at, left)| Cut { at, left }),
        }
    }
}

impl Characters for Utf8Text<'_> {
    fn length(self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    fn next(self, at: usize) -> Option<(u32, usize)> {
        let rest = self.0.get(at..)?;
        match *rest.first()? {
            byte if byte.is_ascii() => Some((byte.into(), at + 1)),
            _ => decode_one(rest).map(|sequence| (code_point(sequence), at + sequence.length())),
        }
    }

    fn previous(self, at: usize) -> Option<(u32, usize)> {
        let before = self.0.get(..at)?;
        let last = at.checked_sub(1)?;
        let start = floor_boundary(before, last);
        // A continuation byte that does not belong to the sequence before it is an error by itself.
        match decode_one(&before[start..]) {
            Some(sequence) if start + sequence.length() == at => Some((code_point(sequence), start)),
            _ => Some((char::REPLACEMENT_CHARACTER.into(), last)),
        }
    }

    fn floor(self, at: usize) -> usize {
        floor_boundary(self.0, at)
    }
}

fn code_point(sequence: Sequence) -> u32 {
    match sequence {
        Sequence::Char(character, _) => character.into(),
        Sequence::Malformed(..) => char::REPLACEMENT_CHARACTER.into(),
    }
}

/// The code units of a str, each a character.
#[derive(Clone, Copy)]
pub struct StrUnits<'a, U>(pub &'a [U]);

/// The number of bytes that the character takes in UTF-8; three for a surrogate.
struct EncodedBytes;

impl<U: Source> Weight<U> for EncodedBytes {
    const MAX: usize = match size_of::<U>() {
        1 => 2,
        2 => 3,
        _ => 4,
    };

    #[inline(always)]
    fn of(unit: U) -> usize {
        1 + unit.continuations().value() as usize
    }

    #[inline(always)]
    fn total(by: Implementation, units: &[U]) -> usize {
        by.utf8_length(units)
    }
}

/// The number of UTF-16 code units of the character.
struct Utf16Length;

impl Weight<u32> for Utf16Length {
    const MAX: usize = 2;

    #[inline(always)]
    fn of(unit: u32) -> usize {
        1 + usize::from(unit > 0xFFFF)
    }

    #[inline(always)]
    fn total(by: Implementation, units: &[u32]) -> usize {
        units.len() + by.run(Within::<_, 0x1_0000, { char::MAX as u32 }>(units))
    }
}

/// A code unit of a str, of which only 32-bit ones may take two code units in UTF-16.
pub trait StrUnit: Source {
    /// Returns the units if they have 32 bits.
    fn wide(units: &[Self]) -> Option<&[u32]>;
}

impl StrUnit for u8 {
    fn wide(_: &[Self]) -> Option<&[u32]> {
        None
    }
}

impl StrUnit for u16 {
    fn wide(_: &[Self]) -> Option<&[u32]> {
        None
    }
}

impl StrUnit for u32 {
    fn wide(units: &[Self]) -> Option<&[u32]> {
        Some(units)
    }
}

impl<U: StrUnit> Measurable for StrUnits<'_, U> {
    #[inline]
    fn fits(
        self,
        by: Implementation,
        unit: LimitUnit,
        limit: usize,
        progress: Progress<'_>,
    ) -> Result<Option<bool>, Stopped> {
        let length = self.0.len();
        let heaviest = match unit {
            LimitUnit::Byte => <EncodedBytes as Weight<U>>::MAX,
            LimitUnit::Utf16 if U::wide(self.0).is_some() => Utf16Length::MAX,
            LimitUnit::Char | LimitUnit::Utf16 => 1,
            #[cfg(feature = "unicode")]
            LimitUnit::Grapheme => return Ok((length <= limit).then_some(true)),
        };
        // No unit weighs nothing, so that not more than the limit is weighed.
        Ok(Some(match length {
            _ if length > limit => false,
            _ if length <= limit / heaviest => true,
            _ => self.length_in(by, unit, progress)? <= limit,
        }))
    }

    #[cfg(feature = "unicode")]
    fn part(self, range: Range<usize>) -> Self {
        Self(&self.0[range])
    }

    #[inline]
    fn prefix(
        self,
        by: Implementation,
        unit: LimitUnit,
        start: usize,
        limit: usize,
        progress: Progress<'_>,
    ) -> Result<Cut, Stopped> {
        match (unit, U::wide(self.0)) {
            (LimitUnit::Byte, _) => first::<_, EncodedBytes>(by, self.0, start, limit, progress),
            (LimitUnit::Utf16, Some(units)) => first::<_, Utf16Length>(by, units, start, limit, progress),
            (LimitUnit::Char | LimitUnit::Utf16, _) => {
                let taken = limit.min(self.0.len() - start);
                Ok(Cut { at: start + taken, left: limit - taken })
            }
            #[cfg(feature = "unicode")]
            (LimitUnit::Grapheme, _) => {
                first_clusters(self, start, limit, progress).map(|(at, left)| Cut { at, left })
            }
        }
    }

    #[inline]
    fn suffix(
        self,
        by: Implementation,
        unit: LimitUnit,
        limit: usize,
        progress: Progress<'_>,
    ) -> Result<Cut, Stopped> {
        match (unit, U::wide(self.0)) {
            (LimitUnit::Byte, _) => last::<_, EncodedBytes>(by, self.0, limit, progress),
            (LimitUnit::Utf16, Some(units)) => last::<_, Utf16Length>(by, units, limit, progress),
            (LimitUnit::Char | LimitUnit::Utf16, _) => {
                let taken = limit.min(self.0.len());
                Ok(Cut { at: self.0.len() - taken, left: limit - taken })
            }
            #[cfg(feature = "unicode")]
            (LimitUnit::Grapheme, _) => {
                last_clusters(self, limit, progress).map(|(at, left)| Cut { at, left })
            }
        }
    }
}

impl<U: Source> Characters for StrUnits<'_, U> {
    fn length(self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    fn next(self, at: usize) -> Option<(u32, usize)> {
        Some((self.0.get(at)?.value(), at + 1))
    }

    #[inline(always)]
    fn previous(self, at: usize) -> Option<(u32, usize)> {
        let before = at.checked_sub(1)?;
        Some((self.0.get(before)?.value(), before))
    }

    fn floor(self, at: usize) -> usize {
        at
    }
}
