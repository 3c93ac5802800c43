//! Detection of encodings: of each row, and of a whole column by a sample of its rows.

use core::ffi::CStr;
use core::ops::Range;

use super::bitmap::Bitmap;
use super::column::{Context, ValueRows};
use super::error::ColumnError;
use super::errors::Strings;
use super::interface::export::Array;
use super::interface::import::Chunk;
use super::interface::schema::Schema;
use super::invalid::{ROW_BYTES, is_valid};
use super::memory::collected;
use crate::allocation::{AllocError, try_extend, try_push};
use crate::detect::{Detection, Encodings, Query, TextEnd, language, rank_with};
use crate::progress::{Poll, Progress};
use crate::sequence::boundary::CHUNK_BYTES;

/// Returns the type of the detections of rows: a struct of `encoding`, `language` and `confidence`.
pub fn schema(name: &CStr) -> Schema {
    Schema {
        children: vec![
            Schema::new(c"u", c"encoding"),
            Schema::new(c"u", c"language"),
            Schema { flags: 0, ..Schema::new(c"g", c"confidence") },
        ],
        ..Schema::new(c"+s", name)
    }
}

/// Detects the encoding of each row, among some encodings; null for null.
pub fn detections(
    context: &mut Context<'_>,
    chunk: &Chunk,
    encodings: &Encodings,
) -> Result<Array, ColumnError> {
    let rows = ValueRows::of(chunk)?;
    let layout = rows.values.rows()?;
    let used = rows.used.as_ref();
    let of_values = context.in_ranges(rows.values.len(), |_, range: Range<usize>, progress| {
        let mut found = vec![];
        for value in range {
            let bytes = layout.row(value)?;
            let is_wanted = !rows.values.is_null(value) && used.is_none_or(|used| used.get(value));
            try_push(&mut found, is_wanted.then(|| detect(bytes, encodings, progress)).transpose()?)?;
            progress(bytes.len() + ROW_BYTES)?;
        }
        Ok(found)
    })?;
    let of_values = collected(of_values.into_iter().flatten(), rows.values.len())?;
    let detected =
        |row: usize| rows.rows.get(row).copied().flatten().and_then(|value| *of_values.get(value)?);
    structs(chunk.row_count(), Some(rows.validity()?), &detected)
}

/// Returns the array of the detections of some rows.
fn structs(
    count: usize,
    validity: Option<Bitmap>,
    detected: &dyn Fn(usize) -> Option<Detection>,
) -> Result<Array, ColumnError> {
    let found = || (0..count).map(detected);
    let column = |text: fn(Detection) -> Option<&'static str>| {
        let mut strings = Strings::default();
        for text in found().map(|found| found.and_then(text)) {
            strings.push(text.unwrap_or_default().as_bytes())?;
        }
        let is_known = found().map(|found| found.and_then(text).is_some());
        strings.into_array(Some(Bitmap::from_bits(is_known)?))
    };
    let mut confidences = Array::new(count, None);
    let confidence = |found: Option<Detection>| found.map_or(0.0, |found| found.confidence());
    confidences.push(collected(found().map(confidence), count)?);
    let mut array = Array::new(count, validity);
    for child in [column(|found| found.encoding)?, column(|found| found.language)?, confidences] {
        array.push_child(child);
    }
    Ok(array)
}

fn detect(data: &[u8], encodings: &Encodings, progress: Progress<'_>) -> Result<Detection, ColumnError> {
    let poll: Poll<'_> = &mut || progress(CHUNK_BYTES);
    let found = rank_with(data, Query::of(encodings), poll)?.first;
    Ok(Detection { language: language::of(&found, data), ..found })
}

/// Rows of a column in which its encoding is detected: those that are ASCII, those that are UTF-8 otherwise, and the
/// others.
#[derive(Default)]
pub struct RowSample {
    ascii: Kept,
    utf8: Kept,
    others: Kept,
}

/// A sample of the rows of one kind, at equal distances.
#[derive(Default)]
struct Kept {
    bytes: Vec<u8>,
    /// Where each row ends.
    ends: Vec<usize>,
    /// The number of rows of which one is kept, as its binary logarithm.
    rate: u32,
    /// The number of all rows.
    count: usize,
}

/// The most bytes of several rows that are kept.
const MAX_KEPT_BYTES: usize = 64 << 10;

/// The least number of rows that are UTF-8 for each other row in a column that is UTF-8: a row in another encoding that
/// is not ASCII seldom is UTF-8 by chance.
const UTF8_ROWS_PER_OTHER: usize = 9;

impl RowSample {
    /// Adds the rows of a chunk.
    pub fn add(&mut self, context: &mut Context<'_>, chunk: &Chunk) -> Result<(), ColumnError> {
        let by = context.by;
        ValueRows::of(chunk)?.each(context.progress, |_, bytes, _| {
            let kind = match bytes {
                bytes if by.is_ascii(bytes) => &mut self.ascii,
                bytes if is_valid(by, bytes) => &mut self.utf8,
                _ => &mut self.others,
            };
            Ok(kind.add(bytes)?)
        })
    }

    /// Detects the encoding of the column, among some encodings, and returns it with the text that it is detected in.
    ///
    /// The column is UTF-8 if nine of ten rows that are not ASCII are.
    pub fn detect(
        self,
        context: &mut Context<'_>,
        encodings: &Encodings,
    ) -> Result<(Detection, Vec<u8>), ColumnError> {
        let Self { ascii, utf8, others } = self;
        let (valid, invalid) = (utf8.count, others.count);
        let is_utf8 = valid / UTF8_ROWS_PER_OTHER >= invalid;
        let kept = match (is_utf8, valid) {
            (true, 0) => ascii,
            (true, _) => utf8,
            (false, _) => others,
        };
        let poll: Poll<'_> = &mut || (context.progress)(CHUNK_BYTES);
        let text = kept.text()?;
        let query = Query { end: TextEnd::Complete, ..Query::of(encodings) };
        let mut found = rank_with(&text, query, poll)?.first;
        if invalid > 0 && found.valid_utf8 {
            found.valid_utf8 = false;
            found.percent = (usize::from(found.percent) * valid / (valid + invalid)) as u8;
        }
        Ok((found, text))
    }
}

/// Returns the detection of a column, whose sample is `text`, as an array of one row.
pub fn detection(found: Detection, text: &[u8]) -> Result<Array, ColumnError> {
    let found = Detection { language: language::of(&found, text), ..found };
    structs(1, None, &|_| Some(found))
}

impl Kept {
    fn add(&mut self, row: &[u8]) -> Result<(), AllocError> {
        let is_kept = self.count.trailing_zeros() >= self.rate;
        self.count += 1;
        if !is_kept {
            return Ok(());
        }
        try_extend(&mut self.bytes, row)?;
        try_push(&mut self.ends, self.bytes.len())?;
        while self.bytes.len() > MAX_KEPT_BYTES && self.ends.len() > 1 {
            self.keep_every_other();
        }
        Ok(())
    }

    fn keep_every_other(&mut self) {
        self.rate += 1;
        let (mut from, mut to, mut rows) = (0, 0, 0);
        for row in 0..self.ends.len() {
            let end = self.ends[row];
            if row % 2 == 0 {
                self.bytes.copy_within(from..end, to);
                to += end - from;
                self.ends[rows] = to;
                rows += 1;
            }
            from = end;
        }
        self.bytes.truncate(to);
        self.ends.truncate(rows);
    }

    /// Returns whether the rows may have code units of two bytes.
    fn may_be_wide(&self) -> bool {
        self.ends.iter().all(|end| end % 2 == 0)
    }

    /// Returns the rows with ends of lines between them; without these if they would be of another width.
    fn text(&self) -> Result<Vec<u8>, AllocError> {
        let wide = self.may_be_wide();
        let mut text = vec![];
        let mut start = 0;
        for (row, &end) in self.ends.iter().enumerate() {
            if row > 0 && !wide {
                try_push(&mut text, b'\n')?;
            }
            try_extend(&mut text, self.bytes.get(start..end).unwrap_or_default())?;
            start = end;
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_at_equal_distances_are_kept() {
        let mut kept = Kept::default();
        for row in 0..200_000_u32 {
            kept.add(&row.to_be_bytes()).unwrap();
        }
        assert!(kept.bytes.len() <= MAX_KEPT_BYTES && kept.bytes.len() > MAX_KEPT_BYTES / 4);
        let step = 1 << kept.rate;
        let rows = (0..200_000).step_by(step);
        assert!(kept.bytes.chunks(4).eq(rows.map(u32::to_be_bytes)));
        assert!(kept.ends.iter().copied().eq((1..=kept.ends.len()).map(|row| 4 * row)));
        let mut long = Kept::default();
        for length in [1 << 20, 5, 1 << 20, 1 << 19] {
            long.add(&vec![b'a'; length]).unwrap();
            assert_eq!(long.ends, [1 << 20]);
        }
    }

    #[test]
    fn rows_are_lines_unless_code_units_may_be_wide() {
        let text = |rows: &[&str]| {
            let mut kept = Kept::default();
            rows.iter().for_each(|row| kept.add(row.as_bytes()).unwrap());
            kept.text().unwrap()
        };
        assert_eq!(text(&["a", "", "bc"]), b"a\n\nbc");
        assert_eq!(text(&["ab", "", "cd"]), b"abcd");
        assert_eq!(text(&[]), b"");
    }
}
