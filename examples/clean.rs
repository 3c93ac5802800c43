//! Cleans a text corpus: `cargo run --release --features detect,unicode --example clean < FILE > NEW`
//!
//! Replaces invalid UTF-8 by U+FFFD, repairs mojibake, and normalizes to NFC.

use std::io::{self, Read, Write};

use leadbyte::unicode::{Form, count_graphemes, normalize};
use leadbyte::{mojibake, repair};

fn clean(data: &[u8]) -> String {
    let text = repair(data);
    let text = mojibake::repair(&text);
    normalize(Form::Nfc, &text).into_owned()
}

fn main() -> io::Result<()> {
    let mut data = vec![];
    io::stdin().read_to_end(&mut data)?;
    let text = clean(&data);
    eprintln!("{} bytes read, {} user-perceived characters", data.len(), count_graphemes(&text));
    io::stdout().write_all(text.as_bytes())
}

#[test]
fn three_kinds_of_dirt() {
    assert_eq!(clean("schÃ¶n, dass es geht\n".as_bytes()), "schön, dass es geht\n");
    assert_eq!(clean("u\u{308}ber \u{41F}\n".as_bytes()), "über П\n");
    assert_eq!(clean(b"a\xFFb"), "a\u{FFFD}b");
}
