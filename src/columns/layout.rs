//! Where the bytes of rows are. Nothing that offsets and views contain is believed: a row outside of its buffer is an
//! error.

use core::ops::Range;

use super::error::ColumnError::{self, Malformed};
use crate::kernels::views::{INLINE_BYTES, View, view_word};

/// The bytes of the rows of a chunk.
#[derive(Clone)]
pub enum Layout<'a> {
    /// Row `i` is from offset `i` to offset `i + 1`.
    Offsets32 {
        offsets: &'a [[u8; 4]],
        values: &'a [u8],
    },
    Offsets64 {
        offsets: &'a [[u8; 8]],
        values: &'a [u8],
    },
    /// All rows have the same length.
    Fixed {
        width: usize,
        count: usize,
        values: &'a [u8],
    },
    Views {
        views: &'a [View],
        buffers: Vec<&'a [u8]>,
    },
}

pub(super) const OUTSIDE: ColumnError = Malformed("a row outside of its buffer, or offsets that descend");
pub(super) const CHANGED: ColumnError = Malformed("bytes that change meanwhile");

impl<'a> Layout<'a> {
    /// Returns the bytes of a row.
    #[inline]
    pub fn row(&self, row: usize) -> Result<&'a [u8], ColumnError> {
        match self {
            Self::Offsets32 { offsets, values } => offsets.row(values, row),
            Self::Offsets64 { offsets, values } => offsets.row(values, row),
            Self::Fixed { width, values, .. } => Every(*width).row(values, row),
            Self::Views { views, buffers } => views.get(row).and_then(|view| view_bytes(view, buffers)),
        }
        .ok_or(OUTSIDE)
    }
}

/// Returns the bytes of a view.
#[inline]
pub(super) fn view_bytes<'a>(view: &'a View, buffers: &[&'a [u8]]) -> Option<&'a [u8]> {
    let length = view_word(view, 0);
    if length <= INLINE_BYTES {
        return view[4..].get(..length);
    }
    buffers.get(view_word(view, 2))?.get(view_word(view, 3)..)?.get(..length)
}

/// Where rows that follow one another start and end.
pub(super) trait Bounds: Copy {
    /// Returns where a row starts; for the number of rows, where the last one ends. A bound that is negative is
    /// larger than any buffer.
    fn at(self, row: usize) -> usize;

    /// Returns whether no row of a range ends before it starts.
    fn ascend(self, rows: Range<usize>) -> bool;

    /// Writes where rows start, from row `first` on, counted from there.
    #[inline]
    fn positions(self, first: usize, positions: &mut [u32]) {
        let start = self.at(first);
        let rows = first..first + positions.len();
        positions.iter_mut().zip(rows).for_each(|(position, row)| *position = (self.at(row) - start) as u32);
    }

    #[inline]
    fn row(self, values: &[u8], row: usize) -> Option<&[u8]> {
        values.get(self.at(row)..self.at(row + 1))
    }
}

impl Bounds for &[[u8; 4]] {
    #[inline(always)]
    fn positions(self, first: usize, positions: &mut [u32]) {
        let start = self.at(first) as i32;
        let offsets = self[first..first + positions.len()].iter();
        let offsets = offsets.map(|&offset| i32::from_ne_bytes(offset).wrapping_sub(start) as u32);
        positions.iter_mut().zip(offsets).for_each(|(position, offset)| *position = offset);
    }

    #[inline(always)]
    fn at(self, row: usize) -> usize {
        i32::from_ne_bytes(self[row]) as isize as usize
    }

    #[inline(always)]
    fn ascend(self, rows: Range<usize>) -> bool {
        let pairs = self[rows.start..=rows.end].windows(2);
        pairs.fold(true, |ascend, pair| ascend & (i32::from_ne_bytes(pair[0]) <= i32::from_ne_bytes(pair[1])))
    }
}

impl Bounds for &[[u8; 8]] {
    #[inline(always)]
    fn positions(self, first: usize, positions: &mut [u32]) {
        let start = self.at(first) as i64;
        let offsets = self[first..first + positions.len()].iter();
        let offsets = offsets.map(|&offset| i64::from_ne_bytes(offset).wrapping_sub(start) as u32);
        positions.iter_mut().zip(offsets).for_each(|(position, offset)| *position = offset);
    }

    #[inline(always)]
    fn at(self, row: usize) -> usize {
        i64::from_ne_bytes(self[row]) as usize
    }

    #[inline(always)]
    fn ascend(self, rows: Range<usize>) -> bool {
        let pairs = self[rows.start..=rows.end].windows(2);
        pairs.fold(true, |ascend, pair| ascend & (i64::from_ne_bytes(pair[0]) <= i64::from_ne_bytes(pair[1])))
    }
}

/// The bounds of rows of the same length.
#[derive(Clone, Copy)]
pub(super) struct Every(pub usize);

impl Bounds for Every {
    #[inline(always)]
    fn at(self, row: usize) -> usize {
        row * self.0
    }

    #[inline(always)]
    fn ascend(self, _: Range<usize>) -> bool {
        true
    }
}
