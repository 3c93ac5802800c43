//! Tells the program what it was built from, for its records: `PEERS` (the versions of the crates
//! measured, from Cargo.lock) and `RUSTC`.

use std::{env, fs, process::Command};

const LOCK: &str = "../../Cargo.lock";
const CRATES: [&str; 8] =
    ["leadbyte", "simdutf8", "simdutf", "bytecount", "memchr", "encoding_rs", "string-offsets", "ropey"];

fn main() {
    println!("cargo::rerun-if-changed={LOCK}");
    println!("cargo::rerun-if-changed=build.rs");
    let lock = fs::read_to_string(LOCK).expect("the workspace has a Cargo.lock");
    let versions: Vec<String> =
        CRATES.iter().map(|name| format!("{name} {}", version(&lock, name))).collect();
    println!("cargo::rustc-env=PEERS={}", versions.join(", "));
    let rustc = env::var_os("RUSTC").expect("Cargo sets RUSTC");
    let version = Command::new(rustc).arg("--version").output().expect("rustc runs").stdout;
    println!("cargo::rustc-env=RUSTC={}", String::from_utf8_lossy(&version).trim());
}

/// The version that `lock` has of the crate `name`.
fn version<'a>(lock: &'a str, name: &str) -> &'a str {
    let entry = format!("name = \"{name}\"\nversion = \"");
    let start = lock.find(&entry).unwrap_or_else(|| panic!("{name} is not in {LOCK}")) + entry.len();
    lock[start..].split('"').next().expect("split gives at least one piece")
}
