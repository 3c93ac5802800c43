//! The fuzz target of nested columns: schemas and arrays of structs, lists and maps, good ones and damaged ones.
//!
//! `columns.rs` makes the types of the columns within, and their arrays.

use std::cell::Cell;
use std::ffi::CString;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::abi::{ArrowArray, ArrowSchema};
use super::export::Array;
use super::fuzzing::{Input, Maker, column_type, memory_of, number_in, read, rows_of};
use super::nested::NestedChunk;
use super::schema::{ColumnType, Field, ListLayout, Schema, Step};
use crate::columns::column::{Context, map};
use crate::columns::errors::ErrorTable;
use crate::columns::operations::Errors;
use crate::simd::dispatch::Implementation;

/// A type that may be nested.
enum Type {
    Column(ColumnType),
    /// Something else, by its format.
    Other(CString),
    Struct(Vec<(CString, Type)>),
    /// Lists; maps are lists of structs.
    Lists(ListLayout, bool, Box<(CString, Type)>),
}

/// How deeply types are nested here.
const MAX_DEPTH: usize = 4;

/// Formats that no column of bytes has, some of which nothing has.
const FORMATS: [&[u8]; 16] = [
    b"",
    b"i",
    b"l",
    b"b",
    b"+",
    b"+r",
    b"+w:",
    b"+w:-1",
    b"+w:99999999999",
    b"w:",
    b"w:-1",
    b"w:2147483648",
    b"+vl",
    b"+ud:0",
    b"tsu:UTC",
    b"\xFF\xFE",
];

fn name(input: &Input<'_>) -> CString {
    let names: [&[u8]; 6] = [b"a", b"b", b"", b"a.b", "\u{43C}".as_bytes(), b"\xFF"];
    CString::new(input.pick(&names)).expect("no name has NUL")
}

fn nested_type(input: &Input<'_>, depth: usize) -> Type {
    let children = |count| (0..count).map(|_| (name(input), nested_type(input, depth + 1))).collect();
    match input.byte() % 8 {
        _ if depth >= MAX_DEPTH => Type::Column(column_type(input)),
        0..3 => Type::Struct(children(input.below(4))),
        3..5 => {
            let layouts = [ListLayout::Offsets32, ListLayout::Offsets64, ListLayout::Fixed(input.below(4))];
            let layout = input.pick(&layouts);
            let child = (name(input), nested_type(input, depth + 1));
            Type::Lists(layout, layout == ListLayout::Offsets32 && input.once_in(2), Box::new(child))
        }
        5 if input.once_in(3) => {
            let own = [input.byte() as u8 | 1, b':', input.byte() as u8 | 1];
            let format = if input.once_in(4) { own.to_vec() } else { input.pick(&FORMATS).to_vec() };
            Type::Other(CString::new(format).expect("it has no NUL"))
        }
        _ => Type::Column(column_type(input)),
    }
}

impl Type {
    fn schema(&self, name: &CString) -> Schema {
        let of = |(name, child): &(CString, Type)| child.schema(name);
        match self {
            Self::Column(column) => column.description(name),
            Self::Other(format) => Schema::new(format.clone(), name),
            Self::Struct(children) => {
                Schema { children: children.iter().map(of).collect(), ..Schema::new(c"+s", name) }
            }
            Self::Lists(layout, is_map, child) => {
                let format = match layout {
                    ListLayout::Offsets32 if *is_map => c"+m".to_owned(),
                    ListLayout::Offsets32 => c"+l".to_owned(),
                    ListLayout::Offsets64 => c"+L".to_owned(),
                    ListLayout::Fixed(width) => CString::new(format!("+w:{width}")).expect("it has no NUL"),
                };
                Schema { children: vec![of(child)], ..Schema::new(format, name) }
            }
        }
    }

    /// Adds the columns: their names after the names of the structs around them, and the way to each.
    fn columns<'a>(&'a self, name: Option<String>, path: &[Step], all: &mut Vec<NamedColumn<'a>>) {
        match self {
            Self::Column(column) => all.push((name, path.to_vec(), Some(column))),
            Self::Other(_) => all.push((name, path.to_vec(), None)),
            Self::Struct(children) => {
                for (index, (own, child)) in children.iter().enumerate() {
                    let own = own.to_string_lossy();
                    let full = name.as_ref().map_or_else(|| own.to_string(), |name| format!("{name}.{own}"));
                    child.columns(Some(full), &[path, &[Step::Child(index)]].concat(), all);
                }
            }
            Self::Lists(layout, _, child) => {
                let step = Step::Elements { lists: *layout, name: child.0.clone() };
                child.1.columns(name, &[path, &[step]].concat(), all);
            }
        }
    }

    fn array(&self, maker: &Maker<'_>, (length, offset): (usize, usize)) -> ArrowArray {
        let (input, total) = (maker.input, length + offset);
        // As many rows as there have to be, or more.
        let child = |child: &Type, needed: usize| {
            let start = if input.once_in(2) { input.below(9) } else { 0 };
            child.array(maker, (needed + input.below(3), start))
        };
        match self {
            Self::Column(column) => maker.of(column, (length, offset)),
            Self::Other(_) => maker.array((length, offset), vec![None], vec![], None),
            Self::Struct(children) => {
                let children = children.iter().map(|(_, of)| child(of, total)).collect();
                maker.array((length, offset), vec![maker.validity(total)], children, None)
            }
            Self::Lists(ListLayout::Fixed(width), _, elements) => {
                let elements = child(&elements.1, total * width);
                maker.array((length, offset), vec![maker.validity(total)], vec![elements], None)
            }
            Self::Lists(layout, _, elements) => {
                let width = if *layout == ListLayout::Offsets64 { 8 } else { 4 };
                let mut end = input.below(4);
                let mut offsets = memory_of(end as i64, width);
                for _ in 0..total {
                    end += input.pick(&[0, 0, 1, 2]);
                    let offset = if maker.damages(100) { input.odd() } else { end as i64 };
                    offsets.extend(memory_of(offset, width));
                }
                let elements = child(&elements.1, end);
                maker.array(
                    (length, offset),
                    vec![maker.validity(total), Some(offsets)],
                    vec![elements],
                    None,
                )
            }
        }
    }
}

/// The name of a column, the way to it, and its type; `None` if it is not one of bytes.
type NamedColumn<'a> = (Option<String>, Vec<Step>, Option<&'a ColumnType>);

/// A row: bytes, or a list of rows.
#[derive(Debug, PartialEq)]
enum Value {
    Null,
    Bytes(Vec<u8>),
    List(Vec<Value>),
}

/// Reads rows naively; `None` if their array contradicts itself.
fn values(
    array: *const ArrowArray,
    path: &[Step],
    column: &ColumnType,
    first: usize,
    count: usize,
) -> Option<Vec<Value>> {
    let Some((step, rest)) = path.split_first() else {
        let rows = rows_of(array, column, first, count)?;
        let bytes = |row: Vec<u8>| Value::Bytes(String::from_utf8_lossy(&row).into_owned().into_bytes());
        return Some(rows.into_iter().map(|row| row.map_or(Value::Null, bytes)).collect());
    };
    // SAFETY: the array and what it points to is alive, or null.
    let array = unsafe { array.as_ref() }?;
    array.release?;
    let (length, offset) = (usize::try_from(array.length).ok()?, usize::try_from(array.offset).ok()?);
    (first + count <= length && offset < 1 << 40).then_some(())?;
    ((-1..=array.length).contains(&array.null_count) && (0..100).contains(&array.n_buffers)).then_some(())?;
    let start = offset + first;
    let buffer = |index: usize| {
        let is_there = !array.buffers.is_null() && (index as i64) < array.n_buffers;
        // SAFETY: there are as many pointers.
        is_there.then(|| unsafe { read(array.buffers, index) }).filter(|buffer| !buffer.is_null())
    };
    // SAFETY: there are as many pointers.
    let child = |index: usize| unsafe { read(array.children.cast_const(), index) };
    let index = if let Step::Child(index) = step { *index } else { 0 };
    (!array.children.is_null() && (index as i64) < array.n_children).then_some(())?;
    let has_no_bitmap = array.null_count == 0 || length == 0 || array.n_buffers == 0;
    (has_no_bitmap || !array.buffers.is_null()).then_some(())?;
    let validity = buffer(0).filter(|_| array.null_count != 0);
    (validity.is_some() || array.null_count <= 0).then_some(())?;
    let is_valid = |row: usize| {
        // SAFETY: there is a bit for each row.
        validity.is_none_or(|bits| unsafe { read(bits, (start + row) / 8) } >> ((start + row) % 8) & 1 == 1)
    };
    let or_null = |row, value| if is_valid(row) { value } else { Value::Null };
    let (width, layout) = match step {
        Step::Child(index) => {
            let values = values(child(*index), rest, column, start, count)?;
            return Some(values.into_iter().enumerate().map(|(row, value)| or_null(row, value)).collect());
        }
        Step::Elements { lists: ListLayout::Fixed(width), .. } => (*width, None),
        Step::Elements { lists: ListLayout::Offsets32, .. } => (4, Some(())),
        Step::Elements { lists: ListLayout::Offsets64, .. } => (8, Some(())),
    };
    let bound = |row: usize| match layout {
        None => Some((start + row) * width),
        Some(()) => {
            let at = |byte| (start + row) * width + byte;
            // SAFETY: there is an offset for each row, and one more.
            let bytes: Vec<u8> =
                (0..width).map(|byte| Some(unsafe { read(buffer(1)?, at(byte)) })).collect::<Option<_>>()?;
            usize::try_from(number_in(&bytes, true)).ok()
        }
    };
    if count == 0 {
        // There has to be a child nevertheless.
        let first = if layout.is_none() { start * width } else { 0 };
        return values(child(0), rest, column, first, 0);
    }
    (layout.is_none() || array.n_buffers == 2).then_some(())?;
    let bounds: Vec<usize> = (0..=count).map(bound).collect::<Option<_>>()?;
    bounds.is_sorted().then_some(())?;
    let (from, to) = (bounds[0], bounds[count]);
    let mut elements = values(child(0), rest, column, from, to - from)?.into_iter();
    let lists = bounds.windows(2).enumerate();
    Some(
        lists
            .map(|(row, bounds)| {
                or_null(row, Value::List(elements.by_ref().take(bounds[1] - bounds[0]).collect()))
            })
            .collect(),
    )
}

/// Damages some fields of a schema and its children. Returns what undoes it, as their owner would leak them.
fn damage(schema: &mut ArrowSchema, input: &Input<'_>, undo: &mut Vec<Box<dyn FnOnce()>>) {
    if input.once_in(9) {
        let place: *mut ArrowSchema = schema;
        // SAFETY: a schema has no destructor here, as this copy is not dropped.
        let before = std::mem::ManuallyDrop::new(unsafe { place.read() });
        match input.byte() % 7 {
            0 => schema.format = core::ptr::null(),
            1 => schema.name = core::ptr::null(),
            2 => schema.n_children = input.pick(&[-1, i64::MIN, i64::MAX, 1 << 25]),
            3 => schema.n_children = schema.n_children.saturating_sub(1),
            4 => schema.children = core::ptr::null_mut(),
            5 => schema.dictionary = core::ptr::null_mut(),
            _ => schema.release = None,
        }
        undo.push(Box::new(move || {
            // SAFETY: the schema is still there, and the copy that is overwritten owns nothing.
            unsafe { place.write(std::mem::ManuallyDrop::into_inner(before)) }
        }));
        return;
    }
    for index in 0..schema.n_children as usize {
        // SAFETY: there are as many pointers.
        let child = unsafe { read(schema.children.cast_const(), index) };
        // SAFETY: they point to children, which nothing else uses.
        damage(unsafe { &mut *child }, input, undo);
    }
}

/// Checks that a schema is read as it is meant, if it is not damaged, and that an array of its type is imported, with
/// its rows; that damage does no harm, and each array is released once. Returns whether both are good.
pub fn check(bytes: &[u8]) -> bool {
    let input = &Input(Cell::new(bytes));
    let (damages_schema, damages_array) = (input.once_in(3), input.once_in(2));
    let nested = nested_type(input, 0);
    let wanted = match input.byte() % 4 {
        0 => None,
        1 => Some("a"),
        2 => Some("b"),
        _ => Some("a.b"),
    };
    let mut schema = nested.schema(&c"root".to_owned()).export();
    let mut undo = vec![];
    if damages_schema {
        damage(&mut schema, input, &mut undo);
    }
    let mut columns = vec![];
    nested.columns(None, &[], &mut columns);
    let mut fitting = columns.iter().filter(|(name, ..)| name.as_deref() == wanted);
    let expected = match (fitting.next(), fitting.next()) {
        (Some((_, path, Some(column))), None) => Some((path, *column)),
        _ => None,
    };
    let found = Field::of(&schema, wanted);
    if undo.is_empty() {
        match (&found, expected) {
            (Ok(field), Some((path, column))) => {
                assert_eq!((&field.path, &field.column_type), (path, column))
            }
            (Err(_), None) => {}
            (found, expected) => panic!("{found:?} is not {expected:?}"),
        }
    }
    undo.into_iter().rev().for_each(|undo| undo());

    // An array of the type, also if its schema was damaged, as they need not belong together.
    let Ok(field) = found else { return false };
    let maker = Maker::new(input, damages_array);
    let array = nested.array(&maker, maker.range());
    let count = usize::try_from(array.length).unwrap_or(0);
    let expected = values(&raw const array, &field.path, &field.column_type, 0, count);
    let imported = NestedChunk::import(array, &field);
    let is_good = match (&imported, &expected) {
        (Ok(chunk), _) => check_chunk(chunk, &field, count, expected.as_ref()),
        (Err(error), Some(_)) => panic!("a good array is refused: {error}: {field:?}"),
        (Err(_), None) => false,
    };
    drop(imported);
    assert_eq!(maker.released.load(Ordering::Relaxed), maker.exported.get(), "each array is released once");
    // Runs may end before the last row, and dictionaries be empty.
    let is_plain = matches!(field.column_type, ColumnType::Bytes(_));
    let is_whole = is_plain && !damages_array && !damages_schema;
    assert!(!is_whole || expected.is_some(), "an array that is not damaged is read: {field:?}");
    is_good
}

/// Checks the rows of a chunk, in their lists again.
fn check_chunk(chunk: &NestedChunk, field: &Field, count: usize, expected: Option<&Vec<Value>>) -> bool {
    let mut progress = |_| Ok(());
    let mut context = Context { by: Implementation::active(), threads: 1, progress: &mut progress };
    let replaced = map(&mut context, &chunk.rows, &Errors::REPLACE, true);
    let added = ErrorTable::default().add(&mut context, chunk, 0);
    let Some(expected) = expected else { return false };
    added.expect("the array is good");
    assert_eq!(chunk.row_count(), count);
    let in_lists: Array = chunk.in_lists(replaced.expect("the array is good")).expect("the lists are good");
    let exported = Arc::new(in_lists).export();
    let lists: Vec<Step> =
        field.path.iter().filter(|step| !matches!(step, Step::Child(_))).cloned().collect();
    let lists: Vec<Step> = lists.into_iter().collect();
    let found = values(&raw const exported, &lists, &field.column_type.changed(true), 0, count);
    assert_eq!(found.as_ref(), Some(expected));
    // Rows are in lists in their order.
    let rows: Vec<usize> = (0..chunk.rows.row_count()).map(|row| chunk.row_of(row)).collect();
    assert!(rows.is_sorted() && rows.last().is_none_or(|&last| last < count));
    if lists.is_empty() {
        assert!(rows.into_iter().eq(0..count));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::fuzzing::tests::{check_corpus, random_inputs};
    use super::check;

    #[test]
    fn corpus() {
        check_corpus("import", check);
    }

    #[test]
    fn random_arrays() {
        let (good, count) = random_inputs(check);
        assert!(good >= count / 10 && (count < 100 || good < count), "{good} of {count}");
    }
}
