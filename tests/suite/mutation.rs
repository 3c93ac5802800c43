//! Memory that somebody else writes to while it is read, as another process may to a mapped file. Results for the
//! changing part may be old or new, but nothing panics, nothing waits forever, and results for the rest are right.
#![cfg(target_os = "linux")]

use super::reference;

use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{Duration, Instant};

use reference::on_every_implementation;

const LENGTH: usize = 64 << 10;

/// One piece of memory at two places: one to read, one to write to.
struct Mirror {
    seen: *const u8,
    changed: *mut u8,
}

// SAFETY: the memory stays mapped until the process ends, and all writes are atomic.
unsafe impl Sync for Mirror {}

impl Mirror {
    fn new() -> Self {
        // SAFETY: the name is a C string.
        let file = unsafe { libc::memfd_create(c"leadbyte".as_ptr(), 0) };
        assert!(file >= 0, "no memory file");
        // SAFETY: `file` is an open file.
        assert_eq!(unsafe { libc::ftruncate(file, LENGTH as libc::off_t) }, 0);
        let map = |access| {
            // SAFETY: a new mapping of a file of this length, where nothing is mapped yet.
            let address = unsafe { libc::mmap(ptr::null_mut(), LENGTH, access, libc::MAP_SHARED, file, 0) };
            assert_ne!(address, libc::MAP_FAILED, "no mapping");
            address.cast::<u8>()
        };
        Self { seen: map(libc::PROT_READ), changed: map(libc::PROT_READ | libc::PROT_WRITE) }
    }

    fn write(&self, at: usize, byte: u8) {
        assert!(at < LENGTH);
        // SAFETY: `at` is within the mapping.
        let place = unsafe { self.changed.add(at) };
        // SAFETY: it stays mapped, and an `AtomicU8` may stand anywhere.
        unsafe { AtomicU8::from_ptr(place) }.store(byte, Ordering::Relaxed);
    }

    fn read(&self, length: usize) -> &[u8] {
        assert!(length <= LENGTH);
        // SAFETY: within the mapping. That it changes is what the test is about: as for a mapped file.
        unsafe { std::slice::from_raw_parts(self.seen, length) }
    }
}

/// Calls `look` for a while on each implementation, while the byte at `at` is now `one` and now `other`.
fn while_changing(
    mirror: &Mirror,
    at: usize,
    [one, other]: [u8; 2],
    mut look: impl FnMut(leadbyte::Implementation),
) {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                mirror.write(at, one);
                mirror.write(at, other);
            }
        });
        // The writer must stop even if a look panics.
        let looked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            on_every_implementation(|implementation| {
                let started = Instant::now();
                while started.elapsed() < Duration::from_millis(300) {
                    look(implementation);
                }
            });
        }));
        done.store(true, Ordering::Relaxed);
        if let Err(panic) = looked {
            std::panic::resume_unwind(panic);
        }
    });
}

/// Head and tail of a piece are reported from copies that were made one after the other.
#[test]
fn a_tiny_piece_that_changes() {
    let mirror = Mirror::new();
    for (at, byte) in [0x80, 0x80, 0x80, 0x80].into_iter().enumerate() {
        mirror.write(at, byte);
    }
    while_changing(&mirror, 2, [0x80, 0xE2], |implementation| {
        let scan = implementation.scan(mirror.read(4));
        assert_eq!(scan.byte_count, 4);
    });
}

/// An error that is gone when it is looked at must not hide those after it.
#[test]
fn an_error_that_comes_and_goes_before_one_that_stays() {
    let mirror = Mirror::new();
    (0..LENGTH).for_each(|at| mirror.write(at, b'a'));
    mirror.write(60_000, 0xFF);
    while_changing(&mirror, 30_000, [b'a', 0xFF], |implementation| {
        let data = mirror.read(LENGTH);
        let scan = implementation.scan(data);
        assert!(!scan.valid && (1..=2).contains(&scan.error_count), "{}", implementation.name());
        assert!(implementation.validate(data).is_err());
        assert!(!implementation.is_valid(data));
        assert_eq!(implementation.iter_errors(data).last().map(|error| error.start()), Some(60_000));
    });
}

/// Surrogates that come and go must not hide an error that stays.
#[test]
fn a_surrogate_that_comes_and_goes_before_an_error_that_stays() {
    let mirror = Mirror::new();
    (0..LENGTH).step_by(6).for_each(|pair| {
        for (at, byte) in (pair..LENGTH).zip(*b"\xED\xA0\xBD\xED\xB8\x80") {
            mirror.write(at, byte);
        }
    });
    let length = LENGTH - LENGTH % 6;
    mirror.write(length - 1, 0xFF);
    while_changing(&mirror, 30_001, [0xA0, 0x9F], |implementation| {
        let data = mirror.read(length);
        assert!(!implementation.is_valid_cesu8(data), "{}", implementation.name());
        assert!(!implementation.is_valid_mutf8(data), "{}", implementation.name());
        assert!(!implementation.is_valid_wtf8(data), "{}", implementation.name());
    });
}
