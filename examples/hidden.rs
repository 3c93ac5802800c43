//! Reports hidden characters in source code:
//! `cargo run --release --features unicode --example hidden -- FILE...`

use std::fs;
use std::process::ExitCode;

use leadbyte::Unit;
use leadbyte::audit::{Policy, audit};

/// Returns a line for each finding: the line, the column, and why it is one.
fn report(data: &[u8]) -> Vec<String> {
    audit(data, Policy::SOURCE_CODE)
        .map(|found| {
            let location = leadbyte::locate(data, found.start, Unit::Byte);
            let (line, column, kind) = (location.line, location.column, found.kind.name());
            format!("{line}:{column}: U+{:04X} {} ({kind})", found.code_point, found.why(data))
        })
        .collect()
}

fn main() -> ExitCode {
    let mut good = true;
    for path in std::env::args_os().skip(1) {
        match fs::read(&path).map(|data| report(&data)) {
            Ok(lines) => {
                good &= lines.is_empty();
                lines.iter().for_each(|line| println!("{}:{line}", path.display()));
            }
            Err(error) => {
                good = false;
                eprintln!("{}: {error}", path.display());
            }
        }
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[test]
fn a_trojan_source_is_reported() {
    let lines = report("fine\n/*\u{202E} } \u{2066}if (isAdmin)\u{2069} */ 👩\u{200D}🚀".as_bytes());
    assert_eq!(
        lines,
        [
            "2:3: U+202E changes the direction of the text after it, and is not closed on its line (bidi_control)"
        ]
    );
}
