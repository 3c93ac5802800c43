//! Reports invalid UTF-8 in files: `cargo run --release --example check -- FILE...`
//!
//! Files are read in chunks, so memory does not depend on their size.

use std::fs::File;
use std::io::{self, Read};
use std::process::ExitCode;

use leadbyte::{Scan, Scanner};

fn scan(mut input: impl Read) -> io::Result<Scan> {
    let mut scanner = Scanner::new();
    let mut piece = vec![0; 256 << 10];
    loop {
        match input.read(&mut piece)? {
            0 => return Ok(scanner.finish()),
            length => scanner.update(&piece[..length]),
        }
    }
}

fn main() -> ExitCode {
    let mut good = true;
    for path in std::env::args_os().skip(1) {
        let shown = path.display();
        match File::open(&path).and_then(scan) {
            Ok(Scan { error: None, char_count, .. }) => println!("{shown}: valid, {char_count} chars"),
            Ok(Scan { error: Some(error), error_count, .. }) => {
                good = false;
                println!("{shown}: {error_count} errors, the first: {error}");
            }
            Err(error) => {
                good = false;
                eprintln!("{shown}: {error}");
            }
        }
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[test]
fn the_first_error_is_reported() {
    let scan = scan(&b"fine, then \xC0\xB1"[..]).unwrap();
    assert_eq!((scan.error_count, scan.error.unwrap().start()), (2, 11));
}
