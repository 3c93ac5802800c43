//! Offsets in bytes, characters and UTF-16 code units, lines and columns: every answer by walking over the text.

use leadbyte::{Newlines, Position, Unit};

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
