//! Arrays of other libraries, checked before they are believed.

use core::{ptr, slice};
use std::sync::Arc;

use super::abi::ArrowArray;
use super::schema::{BytesLayout, BytesType, ColumnType, Field, IndexType};
use crate::allocation::{AllocError, Grow, try_push};
use crate::columns::bitmap::Bitmap;
use crate::columns::error::ColumnError::{self, Malformed};
use crate::columns::layout::{Layout, view_bytes};
use crate::columns::memory::collected;
use crate::kernels::views::View;

/// A chunk of a column, which keeps the memory of its array alive.
#[derive(Clone)]
pub enum Chunk {
    /// Rows of bytes.
    Bytes(BytesChunk),
    /// Rows that are indices of values.
    Dictionary(DictionaryChunk),
    /// Runs of equal rows.
    RunEnds(RunEndChunk),
}

/// Rows of bytes.
#[derive(Clone)]
pub struct BytesChunk {
    node: ArrayNode,
    pub layout: BytesLayout,
    /// The rows that are not null; `None` if no row is null.
    pub validity: Option<Bitmap>,
    /// The views, if one of a null row, which may be anything, points outside of its buffer: then it is empty here.
    views: Option<Arc<Vec<View>>>,
}

/// Rows that are indices of a dictionary.
#[derive(Clone)]
pub struct DictionaryChunk {
    node: ArrayNode,
    pub indices: IndexType,
    pub validity: Option<Bitmap>,
    pub values: BytesChunk,
}

/// Rows in runs of equal values.
#[derive(Clone)]
pub struct RunEndChunk {
    /// The ends of the runs, counted from the first row on; the last one is the number of rows.
    pub ends: Vec<usize>,
    /// The size of an end in bytes.
    pub end_bytes: usize,
    pub values: Box<Chunk>,
    /// Of each run, which value it has, and `None` where a struct or list around it is null; without it, each run has
    /// the value of its number.
    pub value_of_run: Option<Vec<Option<usize>>>,
}

impl Chunk {
    /// Checks an array of the field's type, in which it is not nested: its numbers and pointers, but nothing in its
    /// buffers except the ends of runs.
    pub fn import(array: ArrowArray, field: &Field) -> Result<Self, ColumnError> {
        Self::of(ArrayNode::imported(array)?, &field.column_type)
    }

    pub(super) fn of(node: ArrayNode, column_type: &ColumnType) -> Result<Self, ColumnError> {
        Ok(match column_type {
            ColumnType::Bytes(bytes) => Self::Bytes(BytesChunk::of(node, *bytes)?),
            ColumnType::Dictionary { indices, values, .. } => {
                node.require_buffers(2)?;
                Self::Dictionary(DictionaryChunk {
                    validity: node.validity()?,
                    values: BytesChunk::of(node.dictionary()?, *values)?,
                    indices: *indices,
                    node,
                })
            }
            ColumnType::RunEnds { end_bytes, values } => {
                Self::RunEnds(RunEndChunk::of(node, *end_bytes, values)?)
            }
        })
    }

    /// Returns the number of rows.
    pub fn row_count(&self) -> usize {
        match self {
            Self::Bytes(chunk) => chunk.len(),
            Self::Dictionary(chunk) => chunk.len(),
            Self::RunEnds(chunk) => chunk.ends.last().copied().unwrap_or(0),
        }
    }

    /// Makes rows null that are not valid in a struct or list around them.
    pub(super) fn mask(&mut self, validity: Bitmap) -> Result<(), ColumnError> {
        match self {
            Self::Bytes(chunk) => {
                intersect(&mut chunk.validity, validity);
                chunk.empty_null_views()?;
            }
            Self::Dictionary(chunk) => intersect(&mut chunk.validity, validity),
            Self::RunEnds(chunk) => chunk.mask(&validity)?,
        }
        Ok(())
    }
}

/// Makes rows null that are not valid in another bitmap.
fn intersect(of_column: &mut Option<Bitmap>, validity: Bitmap) {
    match of_column {
        Some(of_column) => of_column.intersect(&validity),
        None => *of_column = Some(validity),
    }
}

impl BytesChunk {
    fn of(node: ArrayNode, BytesType { layout, .. }: BytesType) -> Result<Self, ColumnError> {
        match layout {
            BytesLayout::Offsets32 | BytesLayout::Offsets64 => node.require_buffers(3)?,
            BytesLayout::Fixed(_) => node.require_buffers(2)?,
            // Some producers leave out the lengths of no buffers.
            BytesLayout::Views if node.array().n_buffers < 2 => {
                return Err(Malformed("a wrong number of buffers"));
            }
            BytesLayout::Views => node.require_pointers()?,
            // The type has no buffers, but some producers pass one for the bitmap.
            BytesLayout::Nulls => {}
        }
        let validity = match layout {
            BytesLayout::Nulls => Some(Bitmap::zeros(node.length)?).filter(|_| node.length > 0),
            _ => node.validity()?,
        };
        let mut chunk = Self { validity, node, layout, views: None };
        chunk.rows()?;
        chunk.empty_null_views()?;
        Ok(chunk)
    }

    /// Returns whether views of null rows are empty here that are not in the array.
    pub fn has_emptied_views(&self) -> bool {
        self.views.is_some()
    }

    /// Makes the views of null rows empty if one of them points outside of its buffer.
    fn empty_null_views(&mut self) -> Result<(), ColumnError> {
        let Some(validity) = &self.validity else { return Ok(()) };
        let Layout::Views { views, buffers } = self.rows()? else { return Ok(()) };
        let is_outside =
            |&row: &usize| views.get(row).is_some_and(|view| view_bytes(view, &buffers).is_none());
        if validity.unset().any(|row| is_outside(&row)) {
            let mut emptied = collected(views.iter().copied(), views.len())?;
            validity.unset().filter(is_outside).for_each(|row| emptied[row] = View::default());
            self.views = Some(Arc::new(emptied));
        }
        Ok(())
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.node.length
    }

    /// Returns where the bytes of the rows are.
    pub fn rows(&self) -> Result<Layout<'_>, ColumnError> {
        let node = &self.node;
        let (first, count) = (node.offset, node.length);
        Ok(match self.layout {
            BytesLayout::Offsets32 if count == 0 => Layout::Offsets32 { offsets: &[[0; 4]], values: &[] },
            BytesLayout::Offsets32 => {
                let offsets: &[[u8; 4]] = node.items(1, first, count + 1)?;
                let end = offsets.last().map_or(0, |&end| i32::from_ne_bytes(end));
                Layout::Offsets32 { offsets, values: node.bytes(2, end.into())? }
            }
            BytesLayout::Offsets64 if count == 0 => Layout::Offsets64 { offsets: &[[0; 8]], values: &[] },
            BytesLayout::Offsets64 => {
                let offsets: &[[u8; 8]] = node.items(1, first, count + 1)?;
                let end = offsets.last().map_or(0, |&end| i64::from_ne_bytes(end));
                Layout::Offsets64 { offsets, values: node.bytes(2, end)? }
            }
            BytesLayout::Fixed(width) => {
                let start = first.checked_mul(width).ok_or(Malformed(TOO_LONG))?;
                let end = (first + count).checked_mul(width).and_then(|end| i64::try_from(end).ok());
                let values = if count == 0 { &[] } else { node.bytes(1, end.ok_or(Malformed(TOO_LONG))?)? };
                Layout::Fixed { width, count, values: values.get(start..).unwrap_or_default() }
            }
            BytesLayout::Views => {
                let views: &[View] = match &self.views {
                    Some(views) => views,
                    None => node.items(1, first, count)?,
                };
                Layout::Views { views, buffers: self.view_buffers()? }
            }
            BytesLayout::Nulls => Layout::Fixed { width: 0, count, values: &[] },
        })
    }

    /// Returns the buffers that views point into.
    fn view_buffers(&self) -> Result<Vec<&[u8]>, ColumnError> {
        let count = usize::try_from(self.node.array().n_buffers - 3).unwrap_or(0);
        if count == 0 || self.node.length == 0 {
            return Ok(vec![]);
        }
        // The last buffer has the lengths of those before it.
        let lengths = self.node.buffer(2 + count);
        if lengths.is_null() {
            return Err(Malformed("buffers without lengths"));
        }
        let mut buffers = Vec::new();
        buffers.grow(count)?;
        for index in 0..count {
            // SAFETY: there is a length for each buffer.
            let length = unsafe { lengths.cast::<i64>().add(index) };
            // SAFETY: as above.
            let length = unsafe { length.read_unaligned() };
            buffers.push(self.node.bytes(2 + index, length)?);
        }
        Ok(buffers)
    }

    /// Returns the pointers to the offsets or views from the first row on, and to all further buffers, which the same
    /// rows have as strings.
    pub fn shared_buffers(&self) -> Result<(Vec<*const u8>, Arc<ArrowArray>), AllocError> {
        let node = &self.node;
        let count = node.array().n_buffers as usize;
        let item_bytes = match self.layout {
            BytesLayout::Offsets32 => size_of::<i32>(),
            BytesLayout::Offsets64 => size_of::<i64>(),
            BytesLayout::Fixed(width) => width,
            BytesLayout::Views => size_of::<View>(),
            BytesLayout::Nulls => return Ok((vec![], node.owner.clone())),
        };
        let first = node.buffer(1);
        // Without rows there may be no offsets, or fewer.
        let first = if node.length == 0 { first } else { first.wrapping_add(node.offset * item_bytes) };
        let mut shared = Vec::new();
        shared.grow(count)?;
        shared.push(first);
        shared.extend((2..count).map(|index| node.buffer(index)));
        if shared.len() == 1 && self.layout == BytesLayout::Views {
            shared.push(ptr::null()); // the lengths of no buffers, which consumers expect
        }
        Ok((shared, node.owner.clone()))
    }
}

impl DictionaryChunk {
    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.node.length
    }

    /// Returns the index of each row in the values; the index of a null row may be anything.
    pub fn indices(&self) -> Result<impl Iterator<Item = Option<usize>> + '_, ColumnError> {
        let IndexType { bytes, is_signed } = self.indices;
        let node = &self.node;
        let (first, count) = (node.offset * bytes, node.length * bytes);
        let items: &[[u8; 1]] = node.items(1, first, count)?;
        Ok(items.as_flattened().chunks_exact(bytes).map(move |item| {
            let mut value = [0; 8];
            let low = if cfg!(target_endian = "little") { 0 } else { 8 - bytes };
            value[low..][..bytes].copy_from_slice(item);
            let value = u64::from_ne_bytes(value);
            let is_negative = is_signed && value >> (8 * bytes - 1) & 1 == 1;
            usize::try_from(value).ok().filter(|_| !is_negative)
        }))
    }

    /// Returns the pointer to the indices from the first row on.
    pub fn shared_indices(&self) -> (*const u8, Arc<ArrowArray>) {
        let first = self.node.buffer(1);
        let first =
            if self.len() == 0 { first } else { first.wrapping_add(self.node.offset * self.indices.bytes) };
        (first, self.node.owner.clone())
    }
}

impl RunEndChunk {
    fn of(node: ArrayNode, end_bytes: usize, values: &ColumnType) -> Result<Self, ColumnError> {
        let (ends, mut value_node) = (node.child(0)?, node.child(1)?);
        ends.require_buffers(2)?;
        if ends.length != value_node.length {
            return Err(Malformed("numbers of runs and of their values that differ"));
        }
        if ends.validity()?.is_some() {
            return Err(Malformed("a run without an end"));
        }
        let items: &[[u8; 1]] = ends.items(1, ends.offset * end_bytes, ends.length * end_bytes)?;
        let item = |item: &[u8]| match *item {
            [a, b] => i16::from_ne_bytes([a, b]).into(),
            [a, b, c, d] => i32::from_ne_bytes([a, b, c, d]).into(),
            [a, b, c, d, e, f, g, h] => i64::from_ne_bytes([a, b, c, d, e, f, g, h]),
            _ => 0,
        };
        let mut kept = Vec::new();
        kept.grow(ends.length)?;
        let (mut first_run, mut before) = (0, 0);
        let end_of_rows = node.offset + node.length;
        for (run, end) in items.as_flattened().chunks_exact(end_bytes).map(item).enumerate() {
            let end = usize::try_from(end).ok().filter(|&end| end > before);
            let end = end.ok_or(Malformed("ends of runs that do not ascend"))?;
            before = end;
            if end <= node.offset {
                first_run = run + 1;
            } else if kept.last().is_none_or(|&last| last < node.length) {
                kept.push(end.min(end_of_rows) - node.offset);
            }
        }
        if node.length == 0 {
            kept.clear();
        } else if kept.last().is_none_or(|&last| last < node.length) {
            return Err(Malformed("runs that end before the last row"));
        }
        value_node.slice(first_run.min(value_node.length), kept.len())?;
        let values = Box::new(Chunk::of(value_node, values)?);
        Ok(Self { ends: kept, end_bytes, values, value_of_run: None })
    }

    /// Splits runs where rows of them become null.
    fn mask(&mut self, validity: &Bitmap) -> Result<(), AllocError> {
        let (mut ends, mut values) = (vec![], vec![]);
        let mut start = 0;
        for (run, &end) in self.ends.iter().enumerate() {
            for row in start..end {
                let value = validity.get(row).then_some(run);
                match ends.last_mut() {
                    Some(last) if values.last() == Some(&value) => *last = row + 1,
                    _ => {
                        try_push(&mut ends, row + 1)?;
                        try_push(&mut values, value)?;
                    }
                }
            }
            start = end;
        }
        (self.ends, self.value_of_run) = (ends, Some(values));
        Ok(())
    }
}

/// An array within an imported one, or that itself.
#[derive(Clone)]
pub(super) struct ArrayNode {
    owner: Arc<ArrowArray>,
    /// Within what `owner` owns.
    array: *const ArrowArray,
    pub length: usize,
    pub offset: usize,
}

// SAFETY: the arrays are only read, and live as long as their owner, which any thread may release.
unsafe impl Send for ArrayNode {}
// SAFETY: as above.
unsafe impl Sync for ArrayNode {}

const TOO_LONG: &str = "an array longer than memory";

impl ArrayNode {
    /// Takes an array.
    pub fn imported(array: ArrowArray) -> Result<Self, ColumnError> {
        let owner = Arc::new(array);
        Self::of(owner.clone(), &raw const *owner)
    }

    /// Checks the numbers of an array that `owner` owns.
    fn of(owner: Arc<ArrowArray>, array: *const ArrowArray) -> Result<Self, ColumnError> {
        /// No item is larger.
        const MAX_ITEM_BYTES: usize = 16;
        // SAFETY: the owner keeps the array alive.
        let numbers = unsafe { array.as_ref() }.ok_or(Malformed("a child that is null"))?;
        let length = usize::try_from(numbers.length).map_err(|_| Malformed("a negative length"))?;
        let offset = usize::try_from(numbers.offset).map_err(|_| Malformed("a negative offset"))?;
        if numbers.release.is_none() {
            return Err(Malformed("an array that is released"));
        }
        // A view has the number of its buffer in 32 bits.
        if !(0..=i32::MAX.into()).contains(&numbers.n_buffers) {
            return Err(Malformed("an impossible number of buffers"));
        }
        let end = length.checked_add(offset).filter(|&end| end < isize::MAX as usize / MAX_ITEM_BYTES);
        end.ok_or(Malformed(TOO_LONG))?;
        if !(-1..=numbers.length).contains(&numbers.null_count) {
            return Err(Malformed("an impossible number of nulls"));
        }
        Ok(Self { owner, array, length, offset })
    }

    fn array(&self) -> &ArrowArray {
        // SAFETY: the owner keeps it alive, and nothing changes it.
        unsafe { &*self.array }
    }

    /// Limits the array to some of its rows.
    pub fn slice(&mut self, first: usize, length: usize) -> Result<(), ColumnError> {
        let end = first.checked_add(length).filter(|&end| end <= self.length);
        end.ok_or(Malformed("a child that is shorter than its parent"))?;
        (self.offset, self.length) = (self.offset + first, length);
        Ok(())
    }

    pub fn child(&self, index: usize) -> Result<Self, ColumnError> {
        let array = self.array();
        if array.children.is_null() || usize::try_from(array.n_children).map_or(true, |count| count <= index)
        {
            return Err(Malformed("a child is missing"));
        }
        // SAFETY: there are as many pointers.
        let child = unsafe { array.children.add(index) };
        // SAFETY: as above.
        Self::of(self.owner.clone(), unsafe { *child })
    }

    fn dictionary(&self) -> Result<Self, ColumnError> {
        Self::of(self.owner.clone(), self.array().dictionary)
    }

    pub fn require_buffers(&self, count: i64) -> Result<(), ColumnError> {
        if self.array().n_buffers != count {
            return Err(Malformed("a wrong number of buffers"));
        }
        self.require_pointers()
    }

    fn require_pointers(&self) -> Result<(), ColumnError> {
        if self.array().buffers.is_null() { Err(Malformed("buffers without pointers")) } else { Ok(()) }
    }

    /// Returns the pointer of a buffer, which must be one of `n_buffers`.
    fn buffer(&self, index: usize) -> *const u8 {
        debug_assert!((index as i64) < self.array().n_buffers);
        // SAFETY: there are as many pointers, and `require_pointers` was called.
        let buffer = unsafe { self.array().buffers.add(index) };
        // SAFETY: as above.
        unsafe { *buffer }
    }

    /// Returns `count` items of `N` bytes, not aligned, from item `first` of a buffer on.
    pub fn items<const N: usize>(
        &self,
        buffer: usize,
        first: usize,
        count: usize,
    ) -> Result<&[[u8; N]], ColumnError> {
        let items = self.buffer(buffer).cast::<[u8; N]>();
        match (count, items.is_null()) {
            (0, _) => Ok(&[]),
            (_, true) => Err(Malformed("rows without a buffer")),
            (_, false) => {
                // SAFETY: the producer has an item for each row up to `offset + length`, which is less than memory.
                let items = unsafe { items.add(first) };
                // SAFETY: as above.
                Ok(unsafe { slice::from_raw_parts(items, count) })
            }
        }
    }

    /// Returns the first bytes of a buffer.
    fn bytes(&self, buffer: usize, length: i64) -> Result<&[u8], ColumnError> {
        let length = usize::try_from(length).ok().filter(|&length| length <= isize::MAX as usize);
        let length = length.ok_or(Malformed("a negative length of a buffer"))?;
        let bytes = self.buffer(buffer);
        match (length, bytes.is_null()) {
            (0, _) => Ok(&[]),
            (_, true) => Err(Malformed("bytes without a buffer")),
            // SAFETY: that the buffer is as long is the producer's word.
            (_, false) => Ok(unsafe { slice::from_raw_parts(bytes, length) }),
        }
    }

    /// Returns the rows that are not null; `None` if no row is null.
    pub fn validity(&self) -> Result<Option<Bitmap>, ColumnError> {
        let array = self.array();
        if array.null_count == 0 || self.length == 0 || array.n_buffers == 0 {
            return Ok(None);
        }
        self.require_pointers()?;
        let bits = self.buffer(0);
        if bits.is_null() {
            return if array.null_count > 0 { Err(Malformed("nulls without a bitmap")) } else { Ok(None) };
        }
        let bitmap = self.bits(bits)?;
        Ok(Some(bitmap).filter(|bitmap| bitmap.count_zeros() > 0))
    }

    /// Returns the values of an array of booleans.
    pub fn booleans(&self) -> Result<Bitmap, ColumnError> {
        self.require_buffers(2)?;
        match self.buffer(1) {
            _ if self.length == 0 => Ok(Bitmap::zeros(0)?),
            bits if bits.is_null() => Err(Malformed("rows without a buffer")),
            bits => self.bits(bits),
        }
    }

    /// Returns the bit of each row in a buffer.
    fn bits(&self, bits: *const u8) -> Result<Bitmap, ColumnError> {
        let bit = self.offset % 8;
        // SAFETY: the buffer has a bit for each row up to `offset + length`.
        let first = unsafe { bits.add(self.offset / 8) };
        // SAFETY: as above.
        let bytes = unsafe { slice::from_raw_parts(first, (bit + self.length).div_ceil(8)) };
        Ok(Bitmap::copy(bytes, bit, self.length)?)
    }
}
