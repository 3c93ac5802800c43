//! Writes the tables of classes into the sources, after a change of the version of Unicode:
//!
//! ```text
//! cargo test --test make_classes
//! ```

use std::fs;
use std::io::Result;
use std::path::Path;

mod tables;

fn main() -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/unicode/classes");
    for (name, table) in [tables::forms(), tables::foldings(), tables::graphemes()].concat() {
        fs::write(folder.join(name), table)?;
    }
    Ok(())
}
