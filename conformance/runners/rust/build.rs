//! Passes versions to the program, as environment variables: of the compiler, and of crates in Cargo.lock.

use std::{env, fs, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=Cargo.lock");
    let lock = fs::read_to_string("Cargo.lock").expect("Cargo writes Cargo.lock");
    let version = |name: &str| {
        let entry = format!("name = \"{name}\"\nversion = \"");
        let rest = lock.split_once(&entry).expect("a dependency is locked").1;
        rest.split('"').next().unwrap_or_default().to_owned()
    };
    let rustc = env::var_os("RUSTC").expect("Cargo sets RUSTC");
    let output = Command::new(rustc).arg("--version").output().expect("rustc runs").stdout;
    let compiler = String::from_utf8_lossy(&output);
    let compiler = compiler.split(' ').nth(1).expect("rustc has a version");
    println!("cargo::rustc-env=RUST={compiler}");
    println!("cargo::rustc-env=ENCODING_RS={}", version("encoding_rs"));
    println!("cargo::rustc-env=SIMDUTF={}", version("simdutf"));
}
