//! The fuzz target of columns: arrays of any content, read naively and by all operations.
//!
//! Their buffers are heap blocks of exactly the length on which the interface lets a consumer rely, so that
//! AddressSanitizer sees each access beyond. `fuzz/` calls [`check`] with generated inputs, a test with those that are
//! kept for it, and with random ones.

use std::cell::Cell;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::abi::ArrowArray;
use super::export::Array;
use super::nested::NestedChunk;
use super::schema::{BytesLayout, BytesType, ColumnType, Field, IndexType, Schema, Step};
use crate::columns::column::{Context, is_valid_utf8, map};
use crate::columns::detect::{RowSample, detections};
use crate::columns::error::ColumnError;
use crate::columns::errors::ErrorTable;
use crate::columns::measure::{CountUnit, counts};
use crate::columns::mojibake::{RepairMojibake, add_rows};
use crate::columns::operations::{Errors, NormalizeRows, Operation, TruncateRows};
use crate::columns::transcode::{ConversionErrors, TranscodeRows};
use crate::cut::limit::LimitUnit;
use crate::cut::truncate::{Limit, Side};
use crate::detect::Encodings;
use crate::encodings::error_handler::ErrorHandler;
use crate::encodings::registry::Encoding;
use crate::mojibake::{Column, Knowledge};
use crate::simd::dispatch::{Implementation, implementations};
use crate::transcode::transcoder::BomPolicy;
use crate::unicode::Form;

/// Numbers from an input; zeros after its end.
pub(super) struct Input<'a>(pub Cell<&'a [u8]>);

impl Input<'_> {
    pub fn byte(&self) -> usize {
        let (&first, rest) = self.0.get().split_first().unwrap_or((&0, &[]));
        self.0.set(rest);
        first.into()
    }

    /// Returns a number below a limit.
    pub fn below(&self, limit: usize) -> usize {
        (self.byte() | self.byte() << 8) % limit.max(1)
    }

    /// Returns whether something happens that happens once in `times`.
    pub fn once_in(&self, times: usize) -> bool {
        self.byte() % times == times - 1
    }

    pub fn pick<T: Copy>(&self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// Returns an integer that no good array has, or that is somewhat wrong.
    pub fn odd(&self) -> i64 {
        self.pick(&[
            -1,
            -2,
            1,
            2,
            3,
            4,
            13,
            99,
            1 << 20,
            i64::MIN,
            i64::MAX,
            i64::MAX / 16,
            i32::MAX as i64 + 1,
        ])
    }
}

/// Pieces of the bytes of rows.
const PIECES: [&[u8]; 24] = [
    b"a",
    b" plain text ",
    "é".as_bytes(),
    "мир".as_bytes(),
    "€".as_bytes(),
    "日本語".as_bytes(),
    "😀".as_bytes(),
    "e\u{301}".as_bytes(),
    "Ð¿Ñ€Ð¸Ð²ÐµÑ‚".as_bytes(),
    b"\n",
    b"\0",
    b"\x80",
    b"\xBF\xBF",
    b"\xC3",
    b"\xC0\x80",
    b"\xE2\x82",
    b"\xED\xA0\x80",
    b"\xF0\x9F",
    b"\xF0\x9F\x98",
    b"\xF4\x90\x80\x80",
    b"\xFF",
    b"\xE9t\xE9",
    b"\x1B$B",
    b"abcdefghijklm",
];

/// Returns bytes of a row.
fn text(input: &Input<'_>) -> Vec<u8> {
    let length = if input.once_in(16) { 40 } else { 4 };
    (0..input.below(length)).flat_map(|_| input.pick(&PIECES)).copied().collect()
}

/// Returns the low bytes of a number, in the machine's order.
pub(super) fn memory_of(number: i64, width: usize) -> Vec<u8> {
    let bytes = number.to_ne_bytes();
    if cfg!(target_endian = "big") { bytes[8 - width..].into() } else { bytes[..width].into() }
}

/// Returns the number that bytes in the machine's order are.
pub(super) fn number_in(bytes: &[u8], is_signed: bool) -> i64 {
    let join = |value: i64, &byte: &u8| value << 8 | i64::from(byte);
    let value = if cfg!(target_endian = "big") {
        bytes.iter().fold(0, join)
    } else {
        bytes.iter().rev().fold(0, join)
    };
    let unused = 64 - 8 * bytes.len();
    if is_signed { value << unused >> unused } else { value }
}

/// What an array points to. Its release is counted.
struct Owned {
    _buffers: Vec<Option<Box<[u8]>>>,
    pointers: Box<[*const u8]>,
    _children: Vec<Option<Box<ArrowArray>>>,
    child_pointers: Box<[*mut ArrowArray]>,
    dictionary: Option<Box<ArrowArray>>,
    released: Arc<AtomicUsize>,
}

/// Makes arrays, and counts them.
pub(super) struct Maker<'a> {
    pub input: &'a Input<'a>,
    /// Whether some are damaged.
    has_damage: bool,
    pub exported: Cell<usize>,
    pub released: Arc<AtomicUsize>,
}

impl<'a> Maker<'a> {
    pub fn new(input: &'a Input<'a>, has_damage: bool) -> Self {
        Self { input, has_damage, exported: Cell::new(0), released: Arc::default() }
    }

    /// Returns whether something is damaged that is damaged once in `times`.
    pub fn damages(&self, times: usize) -> bool {
        self.input.once_in(times) && self.has_damage
    }

    pub fn array(
        &self,
        (length, offset): (usize, usize),
        buffers: Vec<Option<Vec<u8>>>,
        children: Vec<ArrowArray>,
        dictionary: Option<ArrowArray>,
    ) -> ArrowArray {
        unsafe extern "C" fn release(array: *mut ArrowArray) {
            // SAFETY: the consumer releases a live array.
            let array = unsafe { &mut *array };
            // SAFETY: this is the box from below, given back once, since `release` is cleared then.
            let owned = unsafe { Box::from_raw(array.private_data.cast::<Owned>()) };
            owned.released.fetch_add(1, Ordering::Relaxed);
            array.release = None;
        }
        let input = self.input;
        let odd = |usual: usize| if self.damages(60) { input.odd() } else { usual as i64 };
        let buffers: Vec<_> = buffers
            .into_iter()
            .map(|buffer| buffer.filter(|_| !self.damages(120)).map(Vec::into_boxed_slice))
            .collect();
        let mut n_buffers = odd(buffers.len());
        let address =
            |buffer: &Option<Box<[u8]>>| buffer.as_ref().map_or(core::ptr::null(), |it| it.as_ptr());
        let mut pointers: Vec<_> = buffers.iter().map(address).collect();
        // As many pointers as are announced, unless that is impossible.
        match usize::try_from(n_buffers) {
            // Bytes would be taken for the lengths of buffers of views, which nobody can see.
            Ok(count) if (4..buffers.len()).contains(&count) => n_buffers = buffers.len() as i64,
            Ok(count) if count < 100 => pointers.resize(count, core::ptr::null()),
            Ok(_) if n_buffers <= i32::MAX.into() => n_buffers = buffers.len() as i64,
            _ => {}
        }
        let n_children = match odd(children.len()) {
            more if more > children.len() as i64 => children.len() as i64,
            fewer => fewer,
        };
        let mut children: Vec<_> = children.into_iter().map(|child| Some(Box::new(child))).collect();
        children.iter_mut().filter(|_| self.damages(60)).for_each(|child| *child = None);
        let child_address = |child: &mut Option<Box<ArrowArray>>| {
            child.as_mut().map_or(core::ptr::null_mut(), |child| &raw mut **child)
        };
        let child_pointers = children.iter_mut().map(child_address).collect();
        let dictionary = dictionary.map(Box::new);
        let released = self.released.clone();
        self.exported.set(self.exported.get() + 1);
        let mut owned = Box::new(Owned {
            _buffers: buffers,
            pointers: pointers.into(),
            _children: children,
            child_pointers,
            dictionary,
            released,
        });
        let number = |usual: usize| match odd(usual) {
            // A longer array than there is would be a lie that nobody can see.
            more if (usual as i64..i64::MAX / 16 - 200).contains(&more) => usual as i64,
            other => other,
        };
        let nulls = if input.once_in(4) { 0 } else { -1 };
        ArrowArray {
            length: number(length),
            null_count: if self.damages(40) { input.odd() } else { nulls },
            offset: number(offset),
            n_buffers,
            n_children,
            buffers: if self.damages(120) { core::ptr::null() } else { owned.pointers.as_ptr() },
            children: owned.child_pointers.as_mut_ptr(),
            dictionary: owned.dictionary.as_mut().map_or(core::ptr::null_mut(), |array| &raw mut **array),
            release: Some(release),
            private_data: Box::into_raw(owned).cast(),
        }
    }

    /// Returns a length and an offset.
    pub fn range(&self) -> (usize, usize) {
        let length = if self.input.once_in(8) { 700 } else { 40 };
        (self.input.below(length), if self.input.once_in(2) { self.input.below(20) } else { 0 })
    }

    pub fn validity(&self, total: usize) -> Option<Vec<u8>> {
        let byte = || if self.input.once_in(3) { self.input.byte() as u8 } else { 0xFF };
        (!self.input.once_in(3)).then(|| (0..total.div_ceil(8)).map(|_| byte()).collect())
    }

    pub fn of(&self, column_type: &ColumnType, range: (usize, usize)) -> ArrowArray {
        let (input, total) = (self.input, range.0 + range.1);
        match column_type {
            ColumnType::Bytes(bytes) => self.bytes(*bytes, range),
            ColumnType::Dictionary { indices, values, .. } => {
                let known = self.range();
                let index = || if self.damages(200) { input.odd() } else { input.below(known.0) as i64 };
                let items = (0..total).flat_map(|_| memory_of(index(), indices.bytes)).collect();
                let values = self.bytes(*values, known);
                self.array(range, vec![self.validity(total), Some(items)], vec![], Some(values))
            }
            ColumnType::RunEnds { end_bytes, values } => {
                let mut ends = vec![];
                while ends.last().is_none_or(|&last| last < total as i64) && ends.len() < 100 {
                    let before = ends.last().copied().unwrap_or(0);
                    ends.push(if self.damages(100) {
                        input.odd()
                    } else {
                        before + 1 + input.below(9) as i64
                    });
                }
                if total == 0 && input.once_in(2) {
                    ends.clear();
                }
                let start = input.below(3);
                let ends_in_memory = ends.iter().flat_map(|&end| memory_of(end, *end_bytes));
                let items = vec![0; start * end_bytes].into_iter().chain(ends_in_memory).collect();
                let children = vec![
                    self.array((ends.len(), start), vec![None, Some(items)], vec![], None),
                    self.of(values, (ends.len(), input.below(3))),
                ];
                self.array(range, vec![], children, None)
            }
        }
    }

    fn bytes(&self, bytes: BytesType, range: (usize, usize)) -> ArrowArray {
        let (input, total) = (self.input, range.0 + range.1);
        let mut buffers = vec![self.validity(total)];
        match bytes.layout {
            BytesLayout::Nulls => buffers.truncate(input.below(2)),
            BytesLayout::Fixed(width) => {
                let content = (0..).flat_map(|_| [text(input), vec![b' ']].concat());
                buffers.push(Some(content.take(total * width).collect()));
            }
            BytesLayout::Offsets32 | BytesLayout::Offsets64 => {
                let mut content = vec![b'>'; input.below(9)];
                let mut offsets = vec![content.len() as i64];
                for _ in 0..total {
                    content.extend(text(input));
                    offsets.push(content.len() as i64);
                }
                // The last offset is what the length of the buffer is known by.
                let used = offsets[total] as usize;
                for offset in offsets.iter_mut().take(total) {
                    if self.damages(200) {
                        *offset = input.odd();
                    }
                }
                content.truncate(used);
                let width = if bytes.layout == BytesLayout::Offsets64 { 8 } else { 4 };
                buffers.push(Some(offsets.iter().flat_map(|&offset| memory_of(offset, width)).collect()));
                buffers.push(Some(content));
            }
            BytesLayout::Views => {
                let mut contents = vec![vec![]; 1 + input.below(3)];
                let mut views = vec![];
                for _ in 0..total {
                    let row = text(input);
                    let mut view = [0; 16];
                    view[..4].copy_from_slice(&(row.len() as i32).to_ne_bytes());
                    if row.len() <= 12 {
                        view[4..][..row.len()].copy_from_slice(&row);
                    } else {
                        let number = input.below(contents.len());
                        view[4..8].copy_from_slice(&row[..4]);
                        view[8..12].copy_from_slice(&(number as i32).to_ne_bytes());
                        view[12..].copy_from_slice(&(contents[number].len() as i32).to_ne_bytes());
                        contents[number].extend(row);
                        if input.once_in(9) {
                            contents[number].extend(text(input));
                        }
                    }
                    if self.damages(300) {
                        let word = 4 * input.pick(&[0, 2, 3]);
                        view[word..][..4].copy_from_slice(&(input.odd() as i32).to_ne_bytes());
                    }
                    views.extend(view);
                }
                buffers.push(Some(views));
                let length = |content: &Vec<u8>| if self.damages(99) { -1 } else { content.len() as i64 };
                let lengths = contents.iter().flat_map(|content| length(content).to_ne_bytes()).collect();
                buffers.extend(contents.into_iter().map(Some));
                buffers.push(Some(lengths));
            }
        }
        self.array(range, buffers, vec![], None)
    }
}

pub(super) fn column_type(input: &Input<'_>) -> ColumnType {
    let bytes = || {
        let widths = [0, 1, 3, 20];
        let fixed = BytesLayout::Fixed(input.pick(&widths));
        if input.once_in(16) {
            return BytesType { layout: BytesLayout::Nulls, is_text: true };
        }
        let layouts = [BytesLayout::Offsets32, BytesLayout::Offsets64, BytesLayout::Views, fixed];
        let layout = input.pick(&layouts);
        BytesType { layout, is_text: layout != fixed && input.once_in(2) }
    };
    let flat = || match input.byte() % 3 {
        0 => {
            let indices = IndexType { bytes: input.pick(&[1, 2, 4, 8]), is_signed: input.once_in(2) };
            ColumnType::Dictionary { indices, is_ordered: input.once_in(2), values: bytes() }
        }
        _ => ColumnType::Bytes(bytes()),
    };
    if input.once_in(4) {
        return ColumnType::RunEnds { end_bytes: input.pick(&[2, 4, 8]), values: Box::new(flat()) };
    }
    flat()
}

/// Reads an item of memory.
///
/// # Safety
/// There must be as many items.
pub(super) unsafe fn read<T: Copy>(items: *const T, index: usize) -> T {
    // SAFETY: as the caller promises.
    let item = unsafe { items.add(index) };
    // SAFETY: as above; it need not be aligned.
    unsafe { item.read_unaligned() }
}

/// Returns the items of a buffer of a result.
fn buffer_of<T>(array: &ArrowArray, index: usize, count: usize) -> &[T] {
    // SAFETY: results have the buffers of their types.
    let buffer = unsafe { read(array.buffers, index) };
    // SAFETY: these have an item for each row.
    unsafe { core::slice::from_raw_parts(buffer.cast(), count) }
}

/// The rows of an array; `None` for null.
type Rows = Vec<Option<Vec<u8>>>;

/// Reads an array naively, some of its rows; `None` if it contradicts itself.
pub(super) fn rows_of(
    array: *const ArrowArray,
    column_type: &ColumnType,
    first: usize,
    count: usize,
) -> Option<Rows> {
    // SAFETY: the array and what it points to is alive, or null.
    let array = unsafe { array.as_ref() }?;
    array.release?;
    (0..=i32::MAX.into()).contains(&array.n_buffers).then_some(())?;
    let own_length = usize::try_from(array.length).ok()?;
    let own_offset = usize::try_from(array.offset).ok()?;
    own_length.checked_add(own_offset).filter(|&total| total < 1 << 40)?;
    if first + count > own_length || !(-1..=array.length).contains(&array.null_count) {
        return None;
    }
    let has_buffers = match column_type {
        ColumnType::Bytes(BytesType { layout: BytesLayout::Nulls, .. }) | ColumnType::RunEnds { .. } => false,
        ColumnType::Bytes(_) | ColumnType::Dictionary { .. } => true,
    };
    (!has_buffers || !array.buffers.is_null()).then_some(())?;
    let start = own_offset + first;
    let buffer = |index: usize| {
        let has_it = !array.buffers.is_null() && usize::try_from(array.n_buffers).is_ok_and(|n| index < n);
        // SAFETY: there are as many pointers.
        has_it.then(|| unsafe { read(array.buffers, index) }).filter(|address| !address.is_null())
    };
    let byte = |index: usize, at: usize| {
        // SAFETY: the callers stay within what the interface promises, and so within the buffer.
        buffer(index).map(|address| unsafe { read(address, at) })
    };
    let number = |index: usize, at: usize, width: usize, is_signed: bool| {
        let bytes: Option<Vec<_>> = (at * width..(at + 1) * width).map(|at| byte(index, at)).collect();
        Some(number_in(&bytes?, is_signed))
    };
    let is_valid = |row: usize| match byte(0, (start + row) / 8) {
        _ if array.null_count == 0 || own_length == 0 => Some(true),
        None if array.null_count > 0 => None,
        None => Some(true),
        Some(bits) => Some(bits >> ((start + row) % 8) & 1 == 1),
    };
    let null_or = |value: &dyn Fn(usize) -> Option<Vec<u8>>| -> Option<Rows> {
        (0..count).map(|row| value(row).and_then(|text| Some(is_valid(row)?.then_some(text)))).collect()
    };
    match column_type {
        ColumnType::Bytes(BytesType { layout: BytesLayout::Nulls, .. }) => Some(vec![None; count]),
        ColumnType::Bytes(BytesType { layout: BytesLayout::Fixed(width), .. }) => {
            let value = |row| (0..*width).map(|at| byte(1, (start + row) * width + at)).collect();
            (array.n_buffers == 2).then(|| null_or(&value))?
        }
        ColumnType::Bytes(BytesType { layout: BytesLayout::Views, .. }) => {
            let lengths = array.n_buffers.wrapping_sub(1) as usize;
            let value = |row| {
                let word = |word| number(1, 4 * (start + row) + word, 4, true);
                let length = usize::try_from(word(0)?).ok()?;
                if length <= 12 {
                    return (0..length).map(|at| byte(1, 16 * (start + row) + 4 + at)).collect();
                }
                let (index, from) = (usize::try_from(word(2)?).ok()?, usize::try_from(word(3)?).ok()?);
                let limit = number(lengths, (index + 3 <= lengths).then_some(index)?, 8, true)?;
                (from + length <= usize::try_from(limit).ok()?).then_some(())?;
                (from..from + length).map(|at| byte(2 + index, at)).collect()
            };
            (array.n_buffers >= 2).then(|| null_or(&value))?
        }
        ColumnType::Bytes(BytesType { layout, .. }) => {
            let width = if *layout == BytesLayout::Offsets64 { 8 } else { 4 };
            let value = |row| {
                let offset = |row| usize::try_from(number(1, start + row, width, true)?).ok();
                let (from, to, last) = (offset(row)?, offset(row + 1)?, offset(count)?);
                (from <= to && to <= last).then_some(())?;
                (from..to).map(|at| byte(2, at)).collect()
            };
            (array.n_buffers == 3).then(|| null_or(&value))?
        }
        ColumnType::Dictionary { indices, values, .. } => {
            // SAFETY: as above.
            let known = unsafe { array.dictionary.as_ref() }?.length;
            let known = usize::try_from(known).ok()?;
            let values = rows_of(array.dictionary, &ColumnType::Bytes(*values), 0, known)?;
            let value = |row: usize| {
                let index = number(1, start + row, indices.bytes, indices.is_signed)?;
                values.get(usize::try_from(index).ok()?)
            };
            let row = |row| if is_valid(row)? { Some(value(row)?.clone()) } else { Some(None) };
            (array.n_buffers == 2).then(|| (0..count).map(row).collect())?
        }
        ColumnType::RunEnds { end_bytes, values } => {
            (array.n_children == 2 && !array.children.is_null()).then_some(())?;
            // SAFETY: there are two pointers.
            let [ends, runs] = unsafe { *array.children.cast::<[*const ArrowArray; 2]>() };
            // SAFETY: as above.
            let ends = unsafe { ends.as_ref() }?;
            let count_of_runs = usize::try_from(ends.length).ok()?;
            (ends.offset >= 0 && ends.offset < 1 << 40 && ends.n_buffers == 2 && !ends.buffers.is_null())
                .then_some(())?;
            (ends.null_count <= 0 && ends.null_count >= -1 && ends.release.is_some()).then_some(())?;
            // SAFETY: there are two buffers.
            let items = unsafe { read(ends.buffers, 1) };
            (!items.is_null() || count_of_runs == 0).then_some(())?;
            let end = |run: usize| {
                let at = (ends.offset as usize + run) * end_bytes;
                // SAFETY: there is an end for each run.
                let bytes: Vec<_> = (at..at + end_bytes).map(|at| unsafe { read(items, at) }).collect();
                number_in(&bytes, true)
            };
            // SAFETY: as above.
            (unsafe { runs.as_ref() }?.length == ends.length).then_some(())?;
            let values = rows_of(runs, values, 0, count_of_runs)?;
            let mut rows: Rows = vec![];
            for (run, value) in values.into_iter().enumerate() {
                (end(run) > rows.len() as i64 && end(run) < 1 << 20).then_some(())?;
                rows.resize(end(run) as usize, value);
            }
            Some(rows.get(start..start + count)?.to_vec())
        }
    }
}

/// Returns the rows of a result, of which there must be as many as were given.
fn rows_of_result(array: Array, column_type: &ColumnType, count: usize) -> Rows {
    let exported = Arc::new(array).export();
    let rows = rows_of(&raw const exported, column_type, 0, count).expect("results are not malformed");
    assert_eq!(exported.length, count as i64);
    if !matches!(column_type, ColumnType::RunEnds { .. }) {
        assert!(exported.null_count >= 0);
        let validity_nulls = rows.iter().filter(|row| row.is_none()).count();
        assert_eq!(exported.null_count, validity_nulls as i64);
    }
    rows
}

fn assert_rows<T: PartialEq + Debug>(found: &[T], expected: &[T], what: &str, by: Implementation) {
    for (row, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(found, expected, "{what}, row {row}, {}", by.name());
    }
    assert_eq!(found.len(), expected.len(), "{what}");
}

/// Checks all operations on an array, which the bytes of an input describe, on each instruction set. Returns whether
/// the array is good.
pub fn check(bytes: &[u8]) -> bool {
    let mut is_good = false;
    for &by in implementations() {
        let input = &Input(Cell::new(bytes));
        let maker = Maker::new(input, true);
        let column_type = column_type(input);
        let range = maker.range();
        let mut array = maker.of(&column_type, range);
        let is_struct = input.once_in(4);
        let mut expected = None;
        if is_struct {
            // Some rows of structs, of which some are null.
            let first = input.below(range.0 + 1);
            let count = range.0 - first;
            array = maker.array((count, first), vec![maker.validity(range.0)], vec![array], None);
            // SAFETY: there is a pointer, if there are children.
            let child = (array.n_children == 1).then(|| unsafe { *array.children });
            if array.length == count as i64
                && array.offset == first as i64
                && (-1..1).contains(&array.null_count)
            {
                expected = child.and_then(|child| rows_of(child, &column_type, first, count));
                hide_null_structs(&array, expected.as_mut());
            }
        } else if let Ok(count) = usize::try_from(array.length) {
            expected = rows_of(&raw const array, &column_type, 0, count);
        }
        let path = is_struct.then_some(Step::Child(0)).into_iter().collect();
        let field = Field { path, ..described(&column_type) };
        let imported = NestedChunk::import(array, &field);
        is_good = expected.is_some() && imported.is_ok();
        if let Ok(chunk) = &imported {
            let threads = 1 + input.below(2);
            run(by, threads, chunk, &column_type, expected.as_ref());
        }
        drop(imported);
        assert_eq!(
            maker.released.load(Ordering::Relaxed),
            maker.exported.get(),
            "each array is released once"
        );
    }
    is_good
}

/// Makes those rows null that are null structs.
fn hide_null_structs(structs: &ArrowArray, rows: Option<&mut Rows>) {
    if structs.null_count == 0 || structs.n_buffers < 1 || structs.buffers.is_null() {
        return;
    }
    // SAFETY: there is a pointer.
    let validity = unsafe { read(structs.buffers, 0) };
    for (row, value) in (structs.offset as usize..).zip(rows.into_iter().flatten()) {
        // SAFETY: if there is a bitmap, it has a bit for each row.
        if !validity.is_null() && unsafe { read(validity, row / 8) } >> (row % 8) & 1 == 0 {
            *value = None;
        }
    }
}

/// Returns the type as it is read from its description.
fn described(column_type: &ColumnType) -> Field {
    let field = Field::of(&column_type.description(c"a").export(), None).expect("own types are known");
    assert_eq!(field.column_type, *column_type);
    let table = Schema { children: vec![column_type.description(c"a")], ..Schema::new(c"+s", c"") };
    assert_eq!(Field::of(&table.export(), Some("a")).expect("it is there").path, [Step::Child(0)]);
    field
}

fn run(
    by: Implementation,
    threads: usize,
    nested: &NestedChunk,
    column_type: &ColumnType,
    expected: Option<&Rows>,
) {
    let chunk = &nested.rows;
    let count = chunk.row_count();
    let mut progress = |_| Ok(());
    let mut context = Context { by, threads, progress: &mut progress };
    let is_utf8 = |row: &Option<Vec<u8>>| row.as_ref().is_none_or(|row| str::from_utf8(row).is_ok());
    if let Some(rows) = expected {
        assert_eq!(rows.len(), count);
    }

    let valid = is_valid_utf8(&mut context, chunk);
    if let Some(rows) = expected {
        let valid = Arc::new(valid.expect("the array is good")).export();
        let bits: &[u8] = buffer_of(&valid, 1, count.div_ceil(8));
        for (row, expected) in rows.iter().enumerate().filter(|(_, expected)| expected.is_some()) {
            assert_eq!(bits[row / 8] >> (row % 8) & 1 == 1, is_utf8(expected), "row {row}, {}", by.name());
        }
    }

    for unit in [CountUnit::Char, CountUnit::Utf16, CountUnit::Grapheme] {
        let counted = counts(&mut context, chunk, unit, true);
        let Some(rows) = expected.filter(|rows| unit != CountUnit::Grapheme || rows.iter().all(is_utf8))
        else {
            continue;
        };
        let counted = Arc::new(counted.expect("the array is good")).export();
        let counts: &[i64] = buffer_of(&counted, 1, count);
        let leads = |row: &Vec<u8>| row.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        let count = |row: &Vec<u8>| match unit {
            CountUnit::Char => leads(row),
            CountUnit::Utf16 => leads(row) + row.iter().filter(|&&byte| byte >= 0xF0).count(),
            CountUnit::Grapheme => crate::unicode::count_graphemes(str::from_utf8(row).unwrap_or_default()),
        };
        for (counted, row) in counts.iter().zip(rows).filter(|(_, row)| row.is_some()) {
            assert_eq!(Some(*counted), row.as_ref().map(|row| count(row) as i64), "{}", by.name());
        }
    }

    let replaced = |replacement: &str, row: &Vec<u8>| {
        let part = |chunk: std::str::Utf8Chunk<'_>| {
            let end = if chunk.invalid().is_empty() { "" } else { replacement };
            [chunk.valid(), end].concat()
        };
        row.utf8_chunks().map(part).collect::<String>().into_bytes()
    };
    let escaped = |row: &Vec<u8>| {
        let part = |chunk: std::str::Utf8Chunk<'_>| {
            let escape = |byte: &u8| format!("\\x{byte:02x}");
            chunk.valid().to_owned() + &chunk.invalid().iter().map(escape).collect::<String>()
        };
        row.utf8_chunks().map(part).collect::<String>().into_bytes()
    };
    type Naive<'a> = &'a dyn Fn(&Vec<u8>) -> Option<Vec<u8>>;
    let valid_only = |row: &Vec<u8>| str::from_utf8(row).is_ok().then(|| row.clone());
    let to_utf16 = |row: &Vec<u8>| {
        let text = String::from_utf8_lossy(row);
        Some(text.encode_utf16().flat_map(u16::to_le_bytes).collect())
    };
    let [utf8, utf16, gb18030] = ["utf-8", "utf-16-le", "gb18030"]
        .map(|name| Encoding::unicode(name).or(Encoding::whatwg(name)).unwrap());
    let replace = ConversionErrors::Handler(ErrorHandler::Replace);
    let transcode =
        |source, target, errors| TranscodeRows { source, target, errors, bom: BomPolicy::Default };
    let kept = |unit| Limit { kept: 5, reserved: 0, unit, side: Side::End, whole_graphemes: false };
    let truncate = |unit, is_text| TruncateRows { limit: kept(unit), ellipsis: "", is_text };
    let mut evidence = Column::new(Knowledge::default());
    let _ = add_rows(&mut context, chunk, &mut evidence);
    let knowledge = crate::columns::mojibake::knowledge(&mut context, evidence).expect("nothing stops it");
    let operations: &[(&dyn Operation, bool, Option<Naive<'_>>)] = &[
        (&Errors::REPLACE, true, Some(&|row| Some(replaced("\u{FFFD}", row)))),
        (&Errors::Replace(""), false, Some(&|row| Some(replaced("", row)))),
        (&Errors::Escape, true, Some(&|row| Some(escaped(row)))),
        (&Errors::Null, true, Some(&valid_only)),
        (&Errors::Strict, true, None),
        (&NormalizeRows(Form::Nfc), false, None),
        (&NormalizeRows(Form::Nfkd), true, None),
        (&truncate(LimitUnit::Byte, false), false, None),
        (&truncate(LimitUnit::Char, true), true, None),
        (&transcode(&utf8, &utf16, replace), false, Some(&to_utf16)),
        (&transcode(&utf16, &utf8, ConversionErrors::Null), true, None),
        (&transcode(&gb18030, &utf8, replace), true, None),
        (&transcode(&utf8, &gb18030, ConversionErrors::Handler(ErrorHandler::Strict)), false, None),
        (&RepairMojibake(&knowledge), false, None),
    ];
    for (number, (operation, to_text, naive)) in operations.iter().enumerate() {
        let result = map(&mut context, chunk, *operation, *to_text);
        let changed = column_type.changed(*to_text);
        let what = format!("operation {number}");
        match (result, expected, naive) {
            (Ok(result), Some(rows), naive) => {
                let found = rows_of_result(result, &changed, count);
                if *to_text {
                    assert!(found.iter().all(is_utf8), "{what}");
                }
                if let Some(naive) = naive {
                    let wanted: Vec<_> = rows.iter().map(|row| row.as_ref().and_then(naive)).collect();
                    assert_rows(&found, &wanted, &what, by);
                }
            }
            (Err(ColumnError::Row(error)), Some(rows), None) => {
                assert_eq!(rows[error.row].as_deref(), Some(&*error.data), "{what}");
                assert!(!is_utf8(&rows[error.row]), "{what}");
                assert!(number != 4 || rows[..error.row].iter().all(is_utf8), "{what}");
            }
            (Err(ColumnError::Conversion(error)), Some(rows), None) => {
                assert!(error.row < rows.len() && error.fault.end <= error.data.len(), "{what}");
            }
            (Err(error), Some(_), _) => panic!("{what}: {error}"),
            // A malformed array need not be noticed, but memory that is not read is not returned, either.
            (_, None, _) => {}
        }
    }

    // Detection takes long, and has few branches that depend on the instruction set.
    if implementations().last() == Some(&by) {
        let _ = detections(&mut context, chunk, &Encodings::ALL);
        let mut sample = RowSample::default();
        if sample.add(&mut context, chunk).is_ok() {
            let _ = sample.detect(&mut context, &Encodings::ALL);
        }
    }
    let mut table = ErrorTable::default();
    let added = table.add(&mut context, nested, 0);
    if let Some(rows) = expected {
        added.expect("the array is good");
        let errors = rows.iter().flatten().flat_map(|row| row.utf8_chunks());
        let errors = errors.filter(|chunk| !chunk.invalid().is_empty()).count();
        assert_eq!(table.finish().expect("it is small").length, errors);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::Path;
    use std::{env, fs, iter};

    use super::check;

    /// Checks the inputs that are kept for a target, many of which describe good arrays.
    pub fn check_corpus(target: &str, check: fn(&[u8]) -> bool) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
        if !folder.exists() {
            println!("skipped: the published crate has no corpora");
            return;
        }
        let files = fs::read_dir(&folder).expect("it can be read");
        let inputs: Vec<_> = files.map(|file| fs::read(file.unwrap().path()).unwrap()).collect();
        assert!(!inputs.is_empty(), "a run that tests nothing must not pass");
        assert!(inputs.iter().filter(|input| check(input)).count() > inputs.len() / 4);
    }

    /// Checks random inputs; returns the number of good ones, and of all.
    pub fn random_inputs(check: fn(&[u8]) -> bool) -> (usize, usize) {
        let count = if cfg!(miri) {
            1
        } else if env::var_os("LEADBYTE_TESTS").is_some() {
            150
        } else {
            20_000
        };
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        };
        let mut good = 0;
        for number in 0..count {
            let input: Vec<u8> = iter::repeat_with(&mut next).take(100 + number % 4000).collect();
            good += usize::from(check(&input));
        }
        (good, count)
    }

    #[test]
    fn corpus() {
        check_corpus("columns", check);
    }

    #[test]
    fn random_arrays() {
        let (good, count) = random_inputs(check);
        assert!(good >= count / 4 && (count < 100 || good < count), "{good} of {count}");
    }
}
