//! Converts byte offsets to lines and UTF-16 columns: `cargo run --example positions -- FILE BYTE`
//!
//! The Language Server Protocol counts lines from 0 and columns in UTF-16 code units; parsers count bytes.

use std::error::Error;

use leadbyte::{count_utf16, floor_boundary, locate};

/// Returns the line and the column of a byte offset, both from 0, columns in UTF-16 code units.
fn position(text: &[u8], byte: usize) -> (u64, usize) {
    let byte = floor_boundary(text, byte);
    let line_start = text[..byte].iter().rposition(|&unit| unit == b'\n').map_or(0, |newline| newline + 1);
    (locate(text, byte).line - 1, count_utf16(&text[line_start..byte]))
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, byte] = &arguments[..] else { return Err("usage: positions FILE BYTE".into()) };
    let text = std::fs::read(path)?;
    let byte: usize = byte.parse()?;
    if byte > text.len() {
        return Err(format!("{path} has only {} bytes", text.len()).into());
    }
    let place = locate(&text, byte);
    println!("line {}, column {}, character {}", place.line, place.column, place.char);
    let (line, unit) = position(&text, byte);
    println!("LSP: line {line}, UTF-16 code unit {unit}");
    Ok(())
}

#[test]
fn columns_are_utf16_units() {
    let text = "первая\n😀 мир".as_bytes();
    let byte = text.len() - "мир".len();
    assert_eq!(position(text, byte), (1, 3)); // the emoji takes two code units
    assert_eq!(position(text, byte + 1), (1, 3)); // in the middle of a character: its start
}
