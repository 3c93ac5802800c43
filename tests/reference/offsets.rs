//! Offsets in bytes, characters and UTF-16 code units, lines and columns: every answer by walking over the text.

use leadbyte::{EditableOffsetMap, Newlines, OffsetError, OffsetMap, Position, Unit};

pub const UNITS: [Unit; 3] = [Unit::Byte, Unit::Char, Unit::Utf16];

/// A text and where its characters and lines are.
pub struct Walk<'a> {
    text: &'a [u8],
    /// The text with one lead byte in the place of each error.
    chars: Vec<u8>,
    /// The first byte of each line, and the end of its content.
    pub lines: Vec<(usize, usize)>,
    newlines: Newlines,
}

impl<'a> Walk<'a> {
    pub fn new(text: &'a [u8], newlines: Newlines) -> Self {
        let mut lines = vec![];
        let (mut start, mut at) = (0, 0);
        while at < text.len() {
            let length = match (newlines, text[at], text.get(at + 1)) {
                (Newlines::Universal, b'\r', Some(b'\n')) => 2,
                (Newlines::Universal, b'\r', _) | (_, b'\n', _) => 1,
                _ => 0,
            };
            if length > 0 {
                lines.push((start, at));
                start = at + length;
            }
            at += length.max(1);
        }
        lines.push((start, text.len()));
        let chars = text.utf8_chunks().flat_map(|chunk| {
            let length = chunk.invalid().len();
            let error = [&b"?\x80\x80"[..length]].concat();
            [chunk.valid().as_bytes(), &error].concat()
        });
        Self { text, chars: chars.collect(), lines, newlines }
    }

    fn is_lead(&self, byte: usize) -> bool {
        !(0x80..0xC0).contains(&self.chars[byte])
    }

    /// The number of units that begin with a byte.
    fn weight(&self, byte: usize, unit: Unit) -> usize {
        match (unit, self.is_lead(byte)) {
            (Unit::Byte, _) => 1,
            (_, false) => 0,
            (Unit::Char, true) => 1,
            (Unit::Utf16, true) => 1 + usize::from(self.chars[byte] >= 0xF0),
        }
    }

    /// The number of units between two bytes.
    fn units(&self, start: usize, end: usize, unit: Unit) -> usize {
        (start..end).map(|byte| self.weight(byte, unit)).sum()
    }

    pub fn count(&self, unit: Unit) -> usize {
        self.units(0, self.text.len(), unit)
    }

    /// The start of the character that a byte belongs to.
    pub fn floor(&self, byte: usize) -> usize {
        if byte == self.text.len() {
            return byte;
        }
        (0..=byte).rev().find(|&at| self.is_lead(at)).unwrap_or(0)
    }

    /// The byte of an offset, rounded down, and whether it is inside a character.
    pub fn byte(&self, offset: usize, unit: Unit) -> (usize, bool) {
        if unit == Unit::Byte {
            return (self.floor(offset), self.floor(offset) != offset);
        }
        if offset == 0 {
            return (0, false);
        }
        let mut left = offset;
        for byte in 0..self.text.len() {
            let weight = self.weight(byte, unit);
            if left < weight {
                return (byte, left > 0);
            }
            left -= weight;
        }
        (self.text.len(), false)
    }

    pub fn convert(&self, offset: usize, source: Unit, target: Unit) -> usize {
        self.units(0, self.byte(offset, source).0, target)
    }

    pub fn position(&self, offset: usize, unit: Unit, column_unit: Unit) -> Position {
        let mut byte = self.byte(offset, unit).0;
        let around = (byte.checked_sub(1).map(|before| self.text[before]), self.text.get(byte));
        if self.newlines == Newlines::Universal && around == (Some(b'\r'), Some(&b'\n')) {
            byte -= 1;
        }
        let line =
            self.lines.iter().rposition(|&(start, _)| start <= byte).expect("the first line starts at 0");
        Position { line, character: self.units(self.lines[line].0, byte, column_unit) }
    }

    pub fn offset(&self, position: Position, unit: Unit, column_unit: Unit) -> usize {
        let (start, end) = self.lines[position.line];
        let byte = match (column_unit, position.character) {
            (_, 0) if start == 0 => 0,
            (Unit::Byte, column) => self.floor(start.saturating_add(column).min(end)),
            (_, column) => {
                let mut left = column;
                let inside = |byte: &usize| {
                    let weight = self.weight(*byte, column_unit);
                    let found = left < weight;
                    left = left.saturating_sub(weight);
                    found
                };
                (start..end).find(inside).unwrap_or(end)
            }
        };
        self.units(0, byte, unit)
    }
}

/// Compares all answers of a map about some offsets with the answers of the oracle, on the active implementation.
pub fn check_map(text: &[u8], newlines: Newlines, threads: usize, every: usize) {
    let walk = Walk::new(text, newlines);
    let map = OffsetMap::with_threads(text, newlines, threads);
    assert_eq!(map.line_count(), walk.lines.len());
    assert_eq!([map.byte_count(), map.char_count(), map.utf16_count()], UNITS.map(|unit| walk.count(unit)));
    for source in UNITS {
        let count = walk.count(source);
        let offsets: Vec<usize> = (0..=count).step_by(every).chain([count]).collect();
        for target in UNITS {
            let expected: Vec<usize> =
                offsets.iter().map(|&offset| walk.convert(offset, source, target)).collect();
            for (&offset, &expected) in offsets.iter().zip(&expected) {
                assert_eq!(
                    map.convert(offset, source, target),
                    Ok(expected),
                    "{offset}, {source:?} to {target:?}"
                );
                let strict = map.convert_strict(offset, source, target);
                match walk.byte(offset, source) {
                    (_, false) => assert_eq!(strict, Ok(expected)),
                    (start, true) => {
                        check_inside(strict, offset, source, walk.convert(start, Unit::Byte, source))
                    }
                }
            }
            let mut out = vec![usize::MAX; offsets.len()];
            assert_eq!(map.convert_many(&offsets, source, target, &mut out), Ok(()));
            assert_eq!(out, expected, "{source:?} to {target:?}");
            let beyond = [0, count + 1];
            let error = OffsetError::OutOfRange { offset: count + 1, unit: source, count };
            assert_eq!(map.convert(count + 1, source, target), Err(error));
            assert_eq!(map.convert_many(&beyond, source, target, &mut [0; 2]), Err(error));
        }
        for &offset in &offsets {
            for column_unit in UNITS {
                let position = walk.position(offset, source, column_unit);
                assert_eq!(map.position(offset, source, column_unit), Ok(position), "{source:?} {offset}");
                for character in [position.character, position.character + 7, 0, 255, 256, 257, usize::MAX] {
                    let position = Position { character, ..position };
                    let expected = walk.offset(position, source, column_unit);
                    assert_eq!(map.offset(position, source, column_unit), Ok(expected), "{position:?}");
                }
            }
        }
        let error = map.position(count + 1, source, Unit::Char);
        assert_eq!(error, Err(OffsetError::OutOfRange { offset: count + 1, unit: source, count }));
    }
    let line = walk.lines.len();
    let error = map.offset(Position { line, character: 0 }, Unit::Byte, Unit::Char);
    assert_eq!(error, Err(OffsetError::NoSuchLine { line, count: line }));
}

fn check_inside(result: Result<usize, OffsetError>, offset: usize, unit: Unit, start: usize) {
    match result {
        Err(OffsetError::InsideChar { offset: of, unit: in_unit, start: from, .. }) => {
            assert_eq!((of, in_unit, from), (offset, unit, start));
        }
        other => panic!("{offset} is inside a character, but the result is {other:?}"),
    }
}

/// Compares answers of an edited map about every few offsets with the answers of the oracle.
pub fn check_edited(map: &EditableOffsetMap<&[u8]>, text: &[u8], newlines: Newlines, every: usize) {
    assert!(map.to_bytes() == text, "the texts differ");
    let walk = Walk::new(text, newlines);
    assert_eq!(map.line_count(), walk.lines.len());
    assert_eq!([map.byte_count(), map.char_count(), map.utf16_count()], UNITS.map(|unit| walk.count(unit)));
    for source in UNITS {
        let count = walk.count(source);
        for offset in (0..=count).step_by(every).chain([count]) {
            let (start, inside) = walk.byte(offset, source);
            for target in UNITS {
                let expected = walk.convert(offset, source, target);
                assert_eq!(
                    map.convert(offset, source, target),
                    Ok(expected),
                    "{source:?} {offset} to {target:?}"
                );
                match map.convert_strict(offset, source, target) {
                    Err(OffsetError::InsideChar { offset: of, unit, start: from, .. }) => {
                        let from_expected = walk.convert(start, Unit::Byte, source);
                        assert_eq!((inside, of, unit, from), (true, offset, source, from_expected));
                    }
                    strict => assert_eq!((inside, strict), (false, Ok(expected))),
                }
                let position = walk.position(offset, source, target);
                assert_eq!(map.position(offset, source, target), Ok(position), "{source:?} {offset}");
                for character in [position.character, position.character + 1, 0, usize::MAX] {
                    let position = Position { character, ..position };
                    let expected = walk.offset(position, source, target);
                    assert_eq!(map.offset(position, source, target), Ok(expected), "{position:?}");
                }
            }
            let end = (offset + 300).min(count);
            let range = start..walk.byte(end, source).0;
            assert_eq!(map.slice(offset, end, source).as_deref(), Ok(&text[range]));
        }
        let beyond = OffsetError::OutOfRange { offset: count + 1, unit: source, count };
        assert_eq!(map.convert(count + 1, source, Unit::Byte), Err(beyond));
        assert_eq!(map.position(count + 1, source, Unit::Byte), Err(beyond));
    }
    let line = walk.lines.len();
    let error = map.offset(Position { line, character: 0 }, Unit::Byte, Unit::Char);
    assert_eq!(error, Err(OffsetError::NoSuchLine { line, count: line }));
}
