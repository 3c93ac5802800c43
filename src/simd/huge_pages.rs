//! Huge pages for large new objects, where the kernel gives them only on request.
//!
//! The first access to a page is a page fault, and faults of 4 KiB limit a fresh result of 100 MB to about 2 GB/s.
//! glibc returns memory to the kernel once twice the largest block freed so far is free at the end of the heap, so
//! results of a few MiB and more are often fresh. Where they are not, the request costs next to nothing.

use std::sync::OnceLock;

/// The size in bytes from which on a result is likely to be in fresh pages.
pub const MIN_FRESH_BYTES: usize = 4 << 20;

/// The environment variable that turns huge pages off.
const VARIABLE: &str = "LEADBYTE_HUGEPAGES";

/// Advises the kernel to back `length` bytes from `start` on, just allocated, with huge pages, if they are many.
#[inline]
pub fn advise(start: *mut u8, length: usize) {
    if length >= MIN_FRESH_BYTES && is_enabled() {
        request(start, length);
    }
}

fn is_enabled() -> bool {
    static ENABLED: OnceLock<bool> = OnceLock::new();
    *ENABLED.get_or_init(|| std::env::var_os(VARIABLE).is_none_or(|value| value != "0"))
}

#[cfg(target_os = "linux")]
#[cold]
fn request(start: *mut u8, length: usize) {
    // SAFETY: `sysconf` only returns a number.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
    let to_page = start.align_offset(page);
    let whole = length.saturating_sub(to_page) / page * page;
    // SAFETY: these pages are within the allocation, and the advice changes nothing but how they are mapped. It may
    // fail without harm.
    unsafe { libc::madvise(start.wrapping_add(to_page).cast(), whole, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn request(_: *mut u8, _: usize) {}
