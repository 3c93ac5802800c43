//! Converts byte offsets to lines and UTF-16 columns: `cargo run --example positions -- FILE BYTE...`
//!
//! The Language Server Protocol counts lines from 0 and columns in UTF-16 code units; parsers count bytes.

use std::error::Error;

use leadbyte::{OffsetError, OffsetMap, Position, Unit};

/// Returns the line and the column of a byte offset, both from 0, columns in UTF-16 code units.
fn position<T: AsRef<[u8]>>(map: &OffsetMap<T>, byte: usize) -> Result<Position, OffsetError> {
    map.position(byte, Unit::Byte, Unit::Utf16)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, bytes @ ..] = &arguments[..] else { return Err("usage: positions FILE BYTE...".into()) };
    let map = OffsetMap::new(std::fs::read(path)?);
    for byte in bytes {
        let byte = byte.parse()?;
        let char = map.convert(byte, Unit::Byte, Unit::Char)?;
        let Position { line, character } = position(&map, byte)?;
        println!("byte {byte}: character {char}; LSP: line {line}, UTF-16 code unit {character}");
    }
    Ok(())
}

#[test]
fn columns_are_utf16_units() {
    let text = "первая\n😀 мир";
    let map = OffsetMap::new(text);
    let byte = text.len() - "мир".len();
    let expected = Ok(Position { line: 1, character: 3 }); // the emoji takes two code units
    assert_eq!(position(&map, byte), expected);
    assert_eq!(position(&map, byte + 1), expected); // in the middle of a character: its start
    assert!(position(&map, text.len() + 1).is_err());
}
