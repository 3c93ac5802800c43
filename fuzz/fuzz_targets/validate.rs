#![no_main]

#[path = "../../tests/reference/mod.rs"]
mod reference;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| reference::targets::validate(bytes));
