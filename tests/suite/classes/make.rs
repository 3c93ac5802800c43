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
    let classes = [tables::forms(), tables::foldings(), tables::graphemes()].concat();
    for (folder, tables) in [("src/unicode/classes", classes), ("src/audit/tables", tables::audit())] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for (name, table) in tables {
            fs::write(folder.join(name), table)?;
        }
    }
    Ok(())
}
