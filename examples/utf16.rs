//! Converts UTF-16 files, for instance from Windows, to UTF-8: `cargo run --release --example utf16 < FILE > NEW`
//!
//! The byte order mark determines the byte order, by default little-endian.

use std::error::Error;
use std::io::{self, Read, Write};

use leadbyte::transcode::{TranscodeError, utf8_length_of_utf16, utf16_to_utf8};

fn to_utf8(data: &[u8]) -> Result<Vec<u8>, TranscodeError> {
    let (from, data) = match data {
        [0xFE, 0xFF, rest @ ..] => (u16::from_be_bytes as fn([u8; 2]) -> u16, rest),
        [0xFF, 0xFE, rest @ ..] => (u16::from_le_bytes as fn([u8; 2]) -> u16, rest),
        all => (u16::from_le_bytes as fn([u8; 2]) -> u16, all),
    };
    let units: Vec<u16> = data.chunks_exact(2).map(|pair| from([pair[0], pair[1]])).collect();
    let mut text = vec![0; utf8_length_of_utf16(&units)];
    utf16_to_utf8(&units, &mut text)?;
    Ok(text)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut data = vec![];
    io::stdin().read_to_end(&mut data)?;
    if data.len() % 2 == 1 {
        return Err("UTF-16 needs an even number of bytes".into());
    }
    io::stdout().write_all(&to_utf8(&data)?)?;
    Ok(())
}

#[test]
fn both_orders_and_pairs() {
    assert_eq!(to_utf8(b"\xFE\xFF\x04\x3C\xD8\x00\xDF\x48").unwrap(), "м𐍈".as_bytes());
    assert_eq!(to_utf8(b"\x3C\x04").unwrap(), "м".as_bytes());
    assert!(to_utf8(b"\x00\xD8").is_err()); // lone surrogate
}
