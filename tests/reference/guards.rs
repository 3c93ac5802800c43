//! Memory between pages that cannot be read or written.

use std::{io, ptr, slice};

/// At least `length` bytes, in whole pages, with a page on either side that cannot be read. They stay
/// for as long as the process does.
pub fn between_guards(length: usize) -> &'static mut [u8] {
    // SAFETY: this asks for a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    let length = length.next_multiple_of(page);
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: this takes memory where nothing is yet.
    let first = unsafe { libc::mmap(ptr::null_mut(), length + 2 * page, libc::PROT_NONE, flags, -1, 0) };
    assert_ne!(first, libc::MAP_FAILED, "{}", io::Error::last_os_error());
    let start = first.wrapping_byte_add(page);
    // SAFETY: these pages were just taken, and nothing is in them.
    let outcome = unsafe { libc::mprotect(start, length, libc::PROT_READ | libc::PROT_WRITE) };
    assert_eq!(outcome, 0, "{}", io::Error::last_os_error());
    // SAFETY: `length` zeros that can be read and written, of which nobody else knows.
    unsafe { slice::from_raw_parts_mut(start.cast(), length) }
}
