//! Large new objects: in huge pages, where the kernel gives these only to who asks.
//!
//! A page that is touched for the first time is a fault, and a fault of 4 KiB bounds a fresh result of 100 MB at
//! about 2 GB/s. glibc gives memory back to the kernel once twice the largest block freed so far lies free at
//! its end, so that from a few MiB on results are often fresh. Where they are not, asking costs nothing to speak
//! of.

use std::sync::OnceLock;

/// From so many bytes on results may well be fresh.
pub(super) const FRESH: usize = 4 << 20;

/// The environment variable that switches huge pages off.
const VARIABLE: &str = "LEADBYTE_HUGEPAGES";

/// Tells the kernel that `length` bytes from `start` on, just allocated, will be filled.
#[inline]
pub(super) fn expect_much(start: *mut u8, length: usize) {
    if length >= FRESH && wanted() {
        advise(start, length);
    }
}

fn wanted() -> bool {
    static WANTED: OnceLock<bool> = OnceLock::new();
    *WANTED.get_or_init(|| std::env::var_os(VARIABLE).is_none_or(|value| value != "0"))
}

#[cfg(target_os = "linux")]
#[cold]
fn advise(start: *mut u8, length: usize) {
    // SAFETY: asks for a number.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
    let to_page = start.align_offset(page);
    let whole = length.saturating_sub(to_page) / page * page;
    // SAFETY: these pages lie within the allocation, and the advice changes nothing but how they are mapped. If
    // it cannot be followed, nothing is lost.
    unsafe { libc::madvise(start.wrapping_add(to_page).cast(), whole, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn advise(_: *mut u8, _: usize) {}
