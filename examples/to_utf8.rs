//! Converts files of unknown encodings to UTF-8: `cargo run --release --features detect --example to_utf8 < FILE`
//!
//! [`leadbyte::detect()`] detects the encoding, and the crate encoding_rs decodes it.

use std::borrow::Cow;
use std::io::{self, Read, Write};

use leadbyte::Detection;

/// Returns the decoded text and the detection.
fn to_utf8(data: &[u8]) -> Result<(Cow<'_, str>, Detection), String> {
    let found = leadbyte::detect(data);
    let name = found.encoding.ok_or_else(|| format!("not text, but {}", found.kind))?;
    let encoding = found.standard().ok_or_else(|| format!("{name} is not in the Encoding Standard"))?;
    Ok((encoding.decode(data).0, found))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut data = vec![];
    io::stdin().read_to_end(&mut data)?;
    let (text, found) = to_utf8(&data)?;
    eprintln!("{}, {}% sure", found.encoding.unwrap_or_default(), found.percent);
    io::stdout().write_all(text.as_bytes())?;
    Ok(())
}

#[test]
fn an_old_russian_text() {
    let old = b"\xD1\xFA\xE5\xF8\xFC \xE6\xE5 \xE5\xF9\xB8 \xFD\xF2\xE8\xF5 \xEC\xFF\xE3\xEA\xE8\xF5 \xE1\xF3\xEB\xEE\xEA";
    let (text, found) = to_utf8(old).unwrap();
    assert_eq!((&*text, found.encoding), ("Съешь же ещё этих мягких булок", Some("windows-1251")));
    assert_eq!(to_utf8(b"\xEF\xBB\xBFcaf\xC3\xA9").unwrap().0, "café");
    assert!(to_utf8(b"\x1F\x8B\x08\0\0\0\0\0").is_err());
}
