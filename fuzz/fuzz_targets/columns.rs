#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    leadbyte::check_columns(bytes);
});
