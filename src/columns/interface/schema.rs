//! The types of columns: read from other libraries, and described to them.

use core::ffi::{CStr, c_char};
use core::ptr;
use std::ffi::CString;

use super::abi::{ArrowSchema, DICTIONARY_ORDERED, NULLABLE};
use crate::columns::error::ColumnError::{self, Malformed};

/// Where the bytes of rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BytesLayout {
    /// One after another, with offsets of 32 bits.
    Offsets32,
    /// One after another, with offsets of 64 bits.
    Offsets64,
    /// One after another, all of this length.
    Fixed(usize),
    /// Anywhere in some buffers, or in the view itself.
    Views,
    /// Nowhere: all rows are null, as in a column of which no value is known yet.
    Nulls,
}

/// A type of bytes or strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BytesType {
    /// How the values lie in memory.
    pub layout: BytesLayout,
    /// Whether the bytes are declared to be UTF-8.
    pub is_text: bool,
}

/// The type of a column of bytes or strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Rows of bytes.
    Bytes(BytesType),
    /// Indices of values.
    Dictionary {
        /// The type of the indices.
        indices: IndexType,
        /// Whether the order of the values has a meaning.
        is_ordered: bool,
        /// The type of the values.
        values: BytesType,
    },
    /// Runs of equal values; their ends are numbers of as many bytes.
    RunEnds {
        /// The size in bytes of the end of a run.
        end_bytes: usize,
        /// The type of the values.
        values: Box<ColumnType>,
    },
}

/// The type of the indices of a dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexType {
    pub bytes: usize,
    pub is_signed: bool,
}

/// A column, possibly nested in others.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name of the column; of those nested in structs, only the last one.
    pub name: CString,
    /// The type of the column.
    pub column_type: ColumnType,
    /// The way to the column from the array that has it.
    pub path: Vec<Step>,
}

/// A step into a nested type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The child of this number in a struct.
    Child(usize),
    /// The elements of lists.
    Elements {
        /// How the lists lie in memory.
        lists: ListLayout,
        /// The name of the elements.
        name: CString,
    },
}

/// Where the elements of lists are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListLayout {
    /// One after another, with offsets of 32 bits.
    Offsets32,
    /// One after another, with offsets of 64 bits.
    Offsets64,
    /// One after another, this number in each list.
    Fixed(usize),
}

/// The format that the interface gives each integer, by its size in bytes: signed and unsigned.
const INTEGERS: [(usize, u8, u8); 4] = [(1, b'c', b'C'), (2, b's', b'S'), (4, b'i', b'I'), (8, b'l', b'L')];

impl Field {
    /// Reads the type of a column, or of the one of this name in a struct: `a.b` is the column `b` of the struct `a`.
    /// Lists have the name of their elements.
    pub fn of(schema: &ArrowSchema, column: Option<&str>) -> Result<Self, ColumnError> {
        let mut search = Search { wanted: column, names: vec![], path: vec![], found: vec![] };
        search.visit(schema, None, name_of(schema))?;
        let Search { names, mut found, .. } = search;
        let is_struct = format_of(schema)?.to_bytes() == b"+s";
        match (found.pop(), found.is_empty()) {
            (Some(field), true) => Ok(field),
            (Some(_), false) => {
                Err(ColumnError::Type(format!("there are several columns {:?}", column.unwrap_or_default())))
            }
            (None, _) if names.is_empty() && column.is_some() && !is_struct => {
                Err(ColumnError::Type("a column can be named only in a table or a struct array".into()))
            }
            (None, _) => Err(unnamed(column, &names)),
        }
    }

    /// Reads the type of a column that is not nested.
    pub fn of_column(schema: &ArrowSchema) -> Result<Self, ColumnError> {
        Ok(Self { name: name_of(schema).to_owned(), column_type: ColumnType::of(schema)?, path: vec![] })
    }

    /// Returns the description of the results of rows: the results of elements are in the same lists.
    pub fn described(&self, rows: Schema) -> Schema {
        self.path.iter().rev().fold(rows, |rows, step| match step {
            Step::Child(_) => rows,
            Step::Elements { lists, name } => Schema {
                children: vec![Schema { name: name.clone(), ..rows }],
                ..Schema::new(lists.format(), &self.name)
            },
        })
    }
}

/// A search for a column of a name in nested types.
struct Search<'a> {
    /// `None` for the one that has no name, as it is in no struct.
    wanted: Option<&'a str>,
    /// The names of all columns in structs.
    names: Vec<String>,
    path: Vec<Step>,
    found: Vec<Field>,
}

impl Search<'_> {
    /// Visits a type, given its name after the names of the structs around it, and its own, which elements share.
    fn visit(&mut self, schema: &ArrowSchema, name: Option<&str>, own: &CStr) -> Result<(), ColumnError> {
        const MAX_DEPTH: usize = 64;
        if self.path.len() > MAX_DEPTH {
            return Err(ColumnError::Type("a type is nested too deeply".into()));
        }
        if format_of(schema)?.to_bytes() == b"+s" {
            for (index, child) in children(schema)?.into_iter().enumerate() {
                let own = name_of(child);
                let last = own.to_string_lossy();
                let full = name.map_or_else(|| last.to_string(), |name| format!("{name}.{last}"));
                self.path.push(Step::Child(index));
                self.visit(child, Some(&full), own)?;
                self.path.pop();
            }
            return Ok(());
        }
        if let Some(lists) = ListLayout::of(schema)? {
            let [elements] = children(schema)?[..] else { return Err(Malformed("a list without one child")) };
            self.path.push(Step::Elements { lists, name: name_of(elements).to_owned() });
            self.visit(elements, name, own)?;
            self.path.pop();
            return Ok(());
        }
        self.names.extend(name.map(str::to_owned));
        if name == self.wanted {
            let column_type = ColumnType::of(schema)?;
            self.found.push(Field { name: own.to_owned(), column_type, path: self.path.clone() });
        }
        Ok(())
    }
}

impl ListLayout {
    /// Returns `None` if it is not a type of lists. Maps are lists of structs.
    pub fn of(schema: &ArrowSchema) -> Result<Option<Self>, ColumnError> {
        Ok(match format_of(schema)?.to_bytes() {
            b"+l" | b"+m" => Some(Self::Offsets32),
            b"+L" => Some(Self::Offsets64),
            [b'+', b'w', b':', width @ ..] => Some(Self::Fixed(number(width)?)),
            _ => None,
        })
    }

    fn format(self) -> CString {
        match self {
            Self::Offsets32 => c"+l".to_owned(),
            Self::Offsets64 => c"+L".to_owned(),
            Self::Fixed(width) => CString::new(format!("+w:{width}")).unwrap_or_default(),
        }
    }
}

/// Returns the number of a format, which is not negative.
fn number(digits: &[u8]) -> Result<usize, ColumnError> {
    let number = str::from_utf8(digits).ok().and_then(|digits| digits.parse::<i32>().ok());
    number.and_then(|number| usize::try_from(number).ok()).ok_or(Malformed("a width that is not a number"))
}

/// Returns the error that no column of a table is named.
fn unnamed(column: Option<&str>, names: &[String]) -> ColumnError {
    let wanted = match column {
        Some(name) => format!("there is no column {name:?}"),
        None => "name the column of the table, as in column=\"name\"".to_owned(),
    };
    const SHOWN: usize = 8;
    let mut shown: Vec<_> = names.iter().take(SHOWN).map(|name| format!("{name:?}")).collect();
    if names.len() > SHOWN {
        shown.push("...".to_owned());
    }
    ColumnError::Type(match shown[..] {
        [] => format!("{wanted}; the table has no columns"),
        _ => format!("{wanted}; its columns are {}", shown.join(", ")),
    })
}

impl ColumnType {
    /// Reads the type of a column.
    pub fn of(schema: &ArrowSchema) -> Result<Self, ColumnError> {
        if format_of(schema)?.to_bytes() != b"+r" {
            return Self::without_runs(schema);
        }
        let [ends, values] = children(schema)?[..] else {
            return Err(Malformed("a run-end encoded type without two children"));
        };
        let ends = IndexType::of(ends)?.filter(|ends| ends.is_signed && ends.bytes > 1);
        let IndexType { bytes: end_bytes, .. } = ends.ok_or(Malformed("run ends that are not integers"))?;
        Ok(Self::RunEnds { end_bytes, values: Box::new(Self::without_runs(values)?) })
    }

    fn without_runs(schema: &ArrowSchema) -> Result<Self, ColumnError> {
        // SAFETY: the schema owns its dictionary, if it has one.
        let Some(dictionary) = (unsafe { schema.dictionary.as_ref() }) else {
            return BytesType::of(schema).map(Self::Bytes);
        };
        let indices =
            IndexType::of(schema)?.ok_or(Malformed("a dictionary whose indices are not integers"))?;
        let is_ordered = schema.flags & DICTIONARY_ORDERED != 0;
        Ok(Self::Dictionary { indices, is_ordered, values: BytesType::of(dictionary)? })
    }

    /// Returns the type of the values.
    pub fn values(&self) -> BytesType {
        match self {
            Self::Bytes(values) | Self::Dictionary { values, .. } => *values,
            Self::RunEnds { values, .. } => values.values(),
        }
    }

    /// Returns the type of the rows with other texts. Rows of a fixed size get offsets, as their sizes may change, and
    /// so do nulls, which have no type of texts yet.
    pub fn changed(&self, is_text: bool) -> Self {
        let changed = |values: &BytesType| match values.layout {
            BytesLayout::Fixed(_) | BytesLayout::Nulls => {
                BytesType { layout: BytesLayout::Offsets32, is_text }
            }
            layout => BytesType { layout, is_text },
        };
        match self {
            Self::Bytes(values) => Self::Bytes(changed(values)),
            Self::Dictionary { indices, is_ordered, values } => {
                Self::Dictionary { indices: *indices, is_ordered: *is_ordered, values: changed(values) }
            }
            Self::RunEnds { end_bytes, values } => {
                Self::RunEnds { end_bytes: *end_bytes, values: Box::new(values.changed(is_text)) }
            }
        }
    }

    /// Returns its description for other libraries.
    pub fn description(&self, name: &CStr) -> Schema {
        match self {
            Self::Bytes(bytes) => Schema::new(bytes.format(), name),
            Self::Dictionary { indices, is_ordered, values } => Schema {
                dictionary: Some(Box::new(Schema::new(values.format(), c""))),
                flags: NULLABLE | if *is_ordered { DICTIONARY_ORDERED } else { 0 },
                ..Schema::new(integer_format(indices.bytes, indices.is_signed), name)
            },
            Self::RunEnds { end_bytes, values } => Schema {
                children: vec![
                    Schema { flags: 0, ..Schema::new(integer_format(*end_bytes, true), c"run_ends") },
                    values.description(c"values"),
                ],
                ..Schema::new(c"+r".to_owned(), name)
            },
        }
    }
}

impl IndexType {
    /// Returns `None` if it is not a type of integers.
    pub fn of(schema: &ArrowSchema) -> Result<Option<Self>, ColumnError> {
        let format = format_of(schema)?.to_bytes();
        Ok(INTEGERS.iter().find_map(|&(bytes, signed, unsigned)| {
            let is_signed = format == [signed];
            (is_signed || format == [unsigned]).then_some(Self { bytes, is_signed })
        }))
    }
}

impl BytesType {
    /// Reads the type of a column, or of the values of a dictionary, which must not be nested any deeper.
    fn of(schema: &ArrowSchema) -> Result<Self, ColumnError> {
        if !schema.dictionary.is_null() {
            return Err(ColumnError::Type("a dictionary of dictionaries is not supported".into()));
        }
        let (layout, is_text) = match format_of(schema)?.to_bytes() {
            b"z" => (BytesLayout::Offsets32, false),
            b"u" => (BytesLayout::Offsets32, true),
            b"Z" => (BytesLayout::Offsets64, false),
            b"U" => (BytesLayout::Offsets64, true),
            b"vz" => (BytesLayout::Views, false),
            b"vu" => (BytesLayout::Views, true),
            // As strings, which other libraries make of them, too.
            b"n" => (BytesLayout::Nulls, true),
            [b'w', b':', width @ ..] => (BytesLayout::Fixed(number(width)?), false),
            other => {
                return Err(ColumnError::Type(format!(
                    "a column of binary or string values is needed, not one of {}",
                    type_name(other)
                )));
            }
        };
        Ok(Self { layout, is_text })
    }

    fn format(self) -> CString {
        let format = match (self.layout, self.is_text) {
            (BytesLayout::Offsets32, false) => c"z",
            (BytesLayout::Offsets32, true) => c"u",
            (BytesLayout::Offsets64, false) => c"Z",
            (BytesLayout::Offsets64, true) => c"U",
            (BytesLayout::Views, false) => c"vz",
            (BytesLayout::Views, true) => c"vu",
            (BytesLayout::Nulls, _) => c"n",
            (BytesLayout::Fixed(width), _) => return CString::new(format!("w:{width}")).unwrap_or_default(),
        };
        format.to_owned()
    }
}

fn integer_format(bytes: usize, is_signed: bool) -> CString {
    let found = INTEGERS.iter().find(|&&(size, ..)| size == bytes);
    let letter = found.map_or(0, |&(_, signed, unsigned)| if is_signed { signed } else { unsigned });
    CString::new([letter]).unwrap_or_default()
}

/// Returns how Arrow calls the type of a format, for messages.
fn type_name(format: &[u8]) -> String {
    let name = match format {
        b"b" => "booleans",
        b"c" | b"C" | b"s" | b"S" | b"i" | b"I" | b"l" | b"L" => "integers",
        b"e" | b"f" | b"g" => "floating-point numbers",
        b"+s" => "structs",
        b"+l" | b"+L" => "lists",
        b"+vl" | b"+vL" => "views of lists",
        b"+m" => "maps",
        b"+r" => "runs within runs or dictionaries",
        [b'+', b'w', b':', ..] => "lists",
        [b'+', b'u', b'd' | b's', b':', ..] => "unions",
        // Types of Polars, which Arrow does not have.
        b"_pli128" | b"_plu128" => "integers",
        [b't', ..] => "dates or times",
        [b'd', ..] => "decimals",
        other => return format!("Arrow's format {:?}", String::from_utf8_lossy(other)),
    };
    name.to_owned()
}

pub fn format_of(schema: &ArrowSchema) -> Result<&CStr, ColumnError> {
    if schema.release.is_none() {
        return Err(Malformed("a schema that is released"));
    }
    c_str(schema, schema.format).ok_or(Malformed("a schema without a format"))
}

/// Returns the name of a column; "" if it has none.
pub fn name_of(schema: &ArrowSchema) -> &CStr {
    c_str(schema, schema.name).unwrap_or_default()
}

/// Returns a string that a schema owns; `None` for none, or if the schema is released.
fn c_str(owner: &ArrowSchema, string: *const c_char) -> Option<&CStr> {
    if owner.release.is_none() || string.is_null() {
        return None;
    }
    // SAFETY: by the interface it ends with NUL, and lives until its owner is released.
    Some(unsafe { CStr::from_ptr(string) })
}

pub fn children(schema: &ArrowSchema) -> Result<Vec<&ArrowSchema>, ColumnError> {
    const MAX_CHILDREN: i64 = 1 << 24;
    if !(0..=MAX_CHILDREN).contains(&schema.n_children) {
        return Err(Malformed("an impossible number of children"));
    }
    if schema.n_children > 0 && schema.children.is_null() {
        return Err(Malformed("children without pointers"));
    }
    let child = |index| {
        // SAFETY: there are as many pointers.
        let child = unsafe { schema.children.add(index) };
        // SAFETY: as above.
        let child = unsafe { *child };
        // SAFETY: the schema owns its children.
        unsafe { child.as_ref() }.ok_or(Malformed("a child that is null"))
    };
    (0..schema.n_children as usize).map(child).collect()
}

/// A type to be described to other libraries.
#[derive(Clone, Debug)]
pub struct Schema {
    /// The type, in the format strings of the interface.
    pub format: CString,
    /// The name of the column.
    pub name: CString,
    /// The flags of the interface.
    pub flags: i64,
    /// The schemas of the children.
    pub children: Vec<Schema>,
    /// The schema of the values of a dictionary.
    pub dictionary: Option<Box<Schema>>,
}

/// What an exported schema points to.
struct ExportedSchema {
    schema: Schema,
    /// At addresses that do not change, as it gets no others.
    children: Vec<ArrowSchema>,
    child_pointers: Vec<*mut ArrowSchema>,
    dictionary: Option<Box<ArrowSchema>>,
}

impl Schema {
    /// Returns the description of a nullable type without children.
    pub fn new(format: impl Into<CString>, name: &CStr) -> Self {
        Self {
            format: format.into(),
            name: name.to_owned(),
            flags: NULLABLE,
            children: vec![],
            dictionary: None,
        }
    }

    /// Returns whether the type has runs, or one that it contains.
    pub fn has_runs(&self) -> bool {
        &*self.format == c"+r" || self.children.iter().any(Self::has_runs)
    }

    /// Returns the struct for other libraries. Polars requires that its `private_data` is not null.
    pub fn export(&self) -> ArrowSchema {
        unsafe extern "C" fn release(schema: *mut ArrowSchema) {
            // SAFETY: the consumer releases a live schema.
            let schema = unsafe { &mut *schema };
            // SAFETY: this is the box from below, given back once, since `release` is cleared then.
            drop(unsafe { Box::from_raw(schema.private_data.cast::<ExportedSchema>()) });
            schema.release = None;
        }
        let mut children: Vec<_> = self.children.iter().map(Self::export).collect();
        let child_pointers = children.iter_mut().map(ptr::from_mut).collect();
        let dictionary = self.dictionary.as_ref().map(|dictionary| Box::new(dictionary.export()));
        let mut exported =
            Box::new(ExportedSchema { schema: self.clone(), children, child_pointers, dictionary });
        ArrowSchema {
            format: exported.schema.format.as_ptr(),
            name: exported.schema.name.as_ptr(),
            metadata: ptr::null(),
            flags: exported.schema.flags,
            n_children: exported.children.len() as i64,
            children: exported.child_pointers.as_mut_ptr(),
            dictionary: exported
                .dictionary
                .as_mut()
                .map_or(ptr::null_mut(), |schema| ptr::from_mut(&mut **schema)),
            release: Some(release),
            private_data: Box::into_raw(exported).cast(),
        }
    }
}
