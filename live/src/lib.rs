//! What the live page calls: bytes in, JSON out.
//!
//! The page writes the bytes at [`input`], calls [`explain`], and reads as many bytes of JSON at [`output`] as that
//! returned. No function takes an address, so that nothing here depends on what the page passes; the page checks the
//! addresses that it gets against the memory.

mod json;
mod report;
mod rows;

use std::cell::RefCell;

/// The most bytes that are explained at once.
const MAX_BYTES: usize = 1 << 16;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Returns the most bytes that [`input`] takes.
#[unsafe(no_mangle)]
pub extern "C" fn max_bytes() -> usize {
    MAX_BYTES
}

/// Returns the address of `length` bytes to write the input to, valid until the next call; null if they are too many.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    if length > MAX_BYTES {
        return core::ptr::null_mut();
    }
    INPUT.with_borrow_mut(|data| {
        data.clear();
        data.resize(length, 0);
        data.as_mut_ptr()
    })
}

/// Explains the input, and returns the length of the report in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn explain() -> usize {
    let report = INPUT.with_borrow(|data| report::report(data));
    let length = report.len();
    OUTPUT.set(report);
    length
}

/// Returns the address of the report, valid until the next call of [`explain`].
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    OUTPUT.with_borrow(|report| report.as_ptr())
}
