//! That the tables of classes in the sources are what the crates of ICU4X say. `make.rs` writes them.

use std::fs;
use std::path::Path;

mod tables;

const CLASSES: &str = "src/unicode/classes";

/// Compares tables to those in a folder of the sources.
fn compare(folder: &str, tables: tables::Tables) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    for (name, table) in tables {
        let kept = fs::read(folder.join(name)).expect("the table is in the sources");
        assert!(kept == table, "{name} is not what the crates say: cargo test --test make_classes");
    }
}

#[test]
fn classes_of_the_normalization_forms_are_those_of_the_crate() {
    compare(CLASSES, tables::forms());
}

#[test]
fn case_foldings_are_those_of_the_crate() {
    compare(CLASSES, tables::foldings());
}

#[test]
fn classes_of_graphemes_are_those_of_the_crate() {
    compare(CLASSES, tables::graphemes());
}

#[test]
fn properties_of_hidden_characters_are_those_of_the_crate() {
    compare("src/audit/tables", tables::audit());
}
