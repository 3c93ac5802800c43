//! The place in a record: whether it is in a string, and the keys and indices that lead there.

use super::escape::{Escape, code_units, unicode_escape};
use crate::allocation::{AllocError, Grow, try_extend, try_push};

/// The maximum number of nested arrays and objects whose keys and indices are kept.
const MAX_DEPTH: usize = 1000;
/// The maximum number of bytes of the keys that are kept.
const MAX_KEY_BYTES: usize = 4 << 10;
/// The length of the longest literal, `-Infinity`, which some programs write.
const MAX_LITERAL_BYTES: usize = 9;

/// An array or an object.
#[derive(Clone, Copy, Debug)]
enum Frame {
    /// An array, at an index.
    Array(u64),
    /// An object: where its current key starts among all bytes of keys.
    Object { key_start: usize, state: State },
}

/// The state of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before a key, or in it.
    Key,
    /// After a key.
    Value,
}

/// The place in a record up to which it has been read.
#[derive(Debug, Default)]
pub struct Record {
    frames: Vec<Frame>,
    /// The keys, as they are written.
    keys: Vec<u8>,
    /// The number of arrays and objects in the innermost one that is kept.
    deeper: u64,
    /// The number of arrays and objects down to the one whose key was not kept.
    overflowed: Option<usize>,
    in_string: bool,
    literal: Literal,
}

/// A number, `true` or the like that is the whole record.
#[derive(Clone, Copy, Debug, Default)]
struct Literal {
    start: [u8; MAX_LITERAL_BYTES],
    length: usize,
    last: u8,
    ended: bool,
}

impl Literal {
    fn push(&mut self, byte: u8) {
        if self.ended {
            *self = Self::default();
        }
        if let Some(place) = self.start.get_mut(self.length) {
            *place = byte;
        }
        self.length += 1;
        self.last = byte;
    }

    /// Returns whether it is incomplete: the start of a literal, or a number that ends with what digits must follow.
    fn is_truncated(&self) -> bool {
        let start = &self.start[..self.length.min(MAX_LITERAL_BYTES)];
        let literals: [&[u8]; 6] = [b"true", b"false", b"null", b"NaN", b"Infinity", b"-Infinity"];
        let is_number = start.first().is_some_and(|first| matches!(first, b'-' | b'0'..=b'9'));
        let is_start = literals.iter().any(|literal| literal.starts_with(start) && *literal != start);
        !self.ended
            && self.length > 0
            && (is_start && self.length <= MAX_LITERAL_BYTES
                || is_number && matches!(self.last, b'-' | b'+' | b'.' | b'e' | b'E'))
    }
}

impl Record {
    /// Returns a copy.
    pub(super) fn try_clone(&self) -> Result<Self, AllocError> {
        let mut copy = Self { frames: vec![], keys: vec![], ..*self };
        try_extend(&mut copy.frames, &self.frames)?;
        try_extend(&mut copy.keys, &self.keys)?;
        Ok(copy)
    }

    /// Starts a record, with the memory of another one.
    pub(super) fn restart(&mut self) {
        self.frames.clear();
        self.keys.clear();
        (self.deeper, self.overflowed, self.in_string) = (0, None, false);
        self.literal = Literal::default();
    }

    /// Returns whether it is in a string.
    pub(super) fn in_string(&self) -> bool {
        self.in_string
    }

    /// Returns whether it is in a key of an object.
    pub fn in_key(&self) -> bool {
        let is_key = matches!(self.frames.last(), Some(Frame::Object { state: State::Key, .. }));
        self.in_string && self.deeper == 0 && is_key
    }

    /// Returns whether it ends within a value.
    pub(super) fn is_truncated(&self) -> bool {
        self.in_string || !self.frames.is_empty() || self.literal.is_truncated()
    }

    /// Takes a quotation mark that starts a string or ends it.
    pub(super) fn take_quotation_mark(&mut self) {
        self.in_string = !self.in_string;
        self.literal = Literal::default();
        if self.in_key()
            && let Some(&Frame::Object { key_start, .. }) = self.frames.last()
        {
            self.keys.truncate(key_start);
        }
    }

    /// Takes bytes of a string.
    pub(super) fn take_text(&mut self, text: &[u8]) -> Result<(), AllocError> {
        if !self.in_key() || self.overflowed.is_some() {
            return Ok(());
        }
        if self.keys.len() + text.len() > MAX_KEY_BYTES {
            self.overflowed = Some(self.frames.len());
            return Ok(());
        }
        try_extend(&mut self.keys, text)
    }

    /// Takes a byte outside strings other than a quotation mark.
    #[inline]
    pub(super) fn take(&mut self, byte: u8) -> Result<(), AllocError> {
        match byte {
            b'{' => self.open(Frame::Object { key_start: self.keys.len(), state: State::Key })?,
            b'[' => self.open(Frame::Array(0))?,
            b'}' | b']' => self.close(),
            b',' | b':' if self.deeper > 0 => {}
            b',' => match self.frames.last_mut() {
                Some(Frame::Array(index)) => *index += 1,
                Some(Frame::Object { key_start, state }) => {
                    *state = State::Key;
                    self.keys.truncate(*key_start);
                    self.overflowed = self.overflowed.filter(|&depth| depth < self.frames.len());
                }
                None => self.literal.push(byte),
            },
            b':' => match self.frames.last_mut() {
                Some(Frame::Object { state, .. }) => *state = State::Value,
                Some(Frame::Array(_)) => {}
                None => self.literal.push(byte),
            },
            // A NUL counts as the space that replaces it.
            b' ' | b'\t' | b'\r' | 0 => self.literal.ended |= self.literal.length > 0,
            _ if self.frames.is_empty() => self.literal.push(byte),
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, frame: Frame) -> Result<(), AllocError> {
        self.literal = Literal::default();
        if self.frames.len() < MAX_DEPTH {
            return try_push(&mut self.frames, frame);
        }
        self.deeper += 1;
        Ok(())
    }

    fn close(&mut self) {
        self.literal = Literal::default();
        if let Some(fewer) = self.deeper.checked_sub(1) {
            self.deeper = fewer;
            return;
        }
        if let Some(Frame::Object { key_start, .. }) = self.frames.pop() {
            self.keys.truncate(key_start);
        }
        self.overflowed = self.overflowed.filter(|&depth| depth <= self.frames.len());
    }

    /// Returns the place as a JSON Pointer (RFC 6901): of the value, and in a key of the object; the empty text is the
    /// record itself. `None` in more than 1,000 arrays and objects, or after more than 4 KiB of keys.
    ///
    /// In keys each lone surrogate and each error of UTF-8 is U+FFFD.
    pub fn pointer(&self) -> Result<Option<String>, AllocError> {
        let in_long_key = self.in_key() && self.overflowed == Some(self.frames.len());
        if self.deeper > 0 || self.overflowed.is_some() && !in_long_key {
            return Ok(None);
        }
        let mut pointer = String::new();
        for (number, frame) in self.frames.iter().enumerate() {
            match *frame {
                Frame::Array(index) => {
                    pointer.grow(MAX_INDEX_BYTES)?;
                    pointer.push('/');
                    pointer.push_str(&index.to_string());
                }
                Frame::Object { key_start, state: State::Value } => {
                    let mut later = self.frames[number + 1..].iter();
                    let end = later.find_map(|frame| match frame {
                        Frame::Object { key_start, .. } => Some(*key_start),
                        Frame::Array(_) => None,
                    });
                    let end = end.unwrap_or(self.keys.len());
                    push_key(&mut pointer, self.keys.get(key_start..end).unwrap_or_default())?;
                }
                Frame::Object { state: State::Key, .. } => {}
            }
        }
        Ok(Some(pointer))
    }
}

/// The length of a slash and the largest index.
const MAX_INDEX_BYTES: usize = 21;

/// Appends a key, as it is written, to a JSON Pointer.
fn push_key(pointer: &mut String, key: &[u8]) -> Result<(), AllocError> {
    // Each byte becomes at most three.
    pointer.grow(1 + 3 * key.len())?;
    pointer.push('/');
    let mut rest = key;
    while let Some(&first) = rest.first() {
        if first != b'\\' {
            let text = memchr::memchr(b'\\', rest).map_or(rest, |end| &rest[..end]);
            for chunk in text.utf8_chunks() {
                push_all(pointer, chunk.valid().chars());
                if !chunk.invalid().is_empty() {
                    pointer.push(char::REPLACEMENT_CHARACTER);
                }
            }
            rest = &rest[text.len()..];
        } else if unicode_escape(rest).is_ok() {
            let (units, length) = code_units(rest);
            let characters = char::decode_utf16(units);
            push_all(pointer, characters.map(|found| found.unwrap_or(char::REPLACEMENT_CHARACTER)));
            rest = &rest[length..];
        } else {
            let length = match Escape::at_start(rest) {
                Escape::Other(length) => length.min(rest.len()),
                _ => 1,
            };
            let character = match rest.get(1).filter(|_| length > 1) {
                Some(b'b') => '\u{8}',
                Some(b'f') => '\u{C}',
                Some(b'n') => '\n',
                Some(b'r') => '\r',
                Some(b't') => '\t',
                Some(&byte) => char::from(byte),
                None => '\\',
            };
            push_all(pointer, [character]);
            rest = &rest[length..];
        }
    }
    Ok(())
}

/// Appends characters of a key to a JSON Pointer.
fn push_all(pointer: &mut String, characters: impl IntoIterator<Item = char>) {
    for character in characters {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            _ => pointer.push(character),
        }
    }
}
