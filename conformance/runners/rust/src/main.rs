//! Rust's standard library, encoding_rs and simdutf; the first argument chooses.

use std::env;
use std::io::{self, BufRead, BufWriter, Write};

use encoding_rs::UTF_8;

type Operation = fn(&[u8]) -> Option<String>;

const STD: [(&str, Operation); 2] = [
    ("str::from_utf8", |data| str::from_utf8(data).ok().map(Into::into)),
    ("String::from_utf8_lossy", |data| Some(String::from_utf8_lossy(data).into())),
];

const ENCODING_RS: [(&str, Operation); 2] = [
    ("decode_without_bom_handling_and_without_replacement", |data| {
        UTF_8.decode_without_bom_handling_and_without_replacement(data).map(Into::into)
    }),
    ("decode_without_bom_handling", |data| Some(UTF_8.decode_without_bom_handling(data).0.into())),
];

const SIMDUTF: [(&str, Operation); 2] = [
    ("validate_utf8", |data| simdutf::validate_utf8(data).then(|| String::from_utf8_lossy(data).into())),
    ("convert_utf8_to_utf16le", |data| {
        let mut units = vec![0; data.len()];
        // SAFETY: a character has at least as many bytes as UTF-16 code units.
        let length = unsafe { simdutf::convert_utf8_to_utf16le(data.as_ptr(), data.len(), units.as_mut_ptr()) };
        (length > 0 || data.is_empty()).then(|| String::from_utf16_lossy(&units[..length]))
    }),
];

fn main() -> io::Result<()> {
    let (program, version, operations) = match env::args().nth(1).as_deref() {
        Some("std") => ("Rust", env!("RUST"), STD),
        Some("encoding_rs") => ("encoding_rs", env!("ENCODING_RS"), ENCODING_RS),
        _ => ("simdutf", env!("SIMDUTF"), SIMDUTF),
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let names = operations.map(|(name, _)| format!("\"{name}\"")).join(", ");
    writeln!(out, "{{\"program\": \"{program}\", \"version\": \"{version}\", \"operations\": [{names}]}}")?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let byte = |at| u8::from_str_radix(&line[at..at + 2], 16).expect("hex digits");
        let data: Vec<u8> = (0..line.len()).step_by(2).map(byte).collect();
        let hex = |text: String| text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
        let cells = operations.map(|(_, operation)| operation(&data).map_or("-".into(), hex));
        writeln!(out, "{}", cells.join("\t"))?;
    }
    out.flush()
}
