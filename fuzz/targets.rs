//! All fuzz targets in one program, as each would compile the same checks. The environment variable `TARGET` has the
//! name of the one that runs.

#![no_main]

#[path = "../tests/reference/mod.rs"]
mod reference;

use std::env;
use std::sync::LazyLock;

use reference::targets::TARGETS;

static CHECK: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = env::var("TARGET").expect("TARGET is the name of a target");
    // These are in the crate, as nothing outside of it can call what they check.
    let inner: [(&str, fn(&[u8])); 2] = [
        ("columns", |bytes| _ = leadbyte::check_columns(bytes)),
        ("import", |bytes| _ = leadbyte::check_import(bytes)),
    ];
    let found = TARGETS.iter().copied().chain(inner).find(|&(target, _)| target == name);
    found.unwrap_or_else(|| panic!("no target is named {name}")).1
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| CHECK(bytes));
