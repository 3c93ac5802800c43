//! A long file, read and scanned by several threads, block by block.
//!
//! A thread that is free takes the next block; the scanners of blocks are merged in order. The file is not mapped into
//! memory, so it may shrink meanwhile: it ends with the first block that is short.

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use leadbyte::Scanner;

use super::BLOCK_BYTES;
use super::in_order::InOrder;
use super::open::fill_at;

/// The minimum size in bytes of a file that several threads scan.
pub(super) const MIN_SHARED_BYTES: u64 = 4 * BLOCK_BYTES as u64;

/// How long a thread waits for another one before it looks for work again.
const WAIT: Duration = Duration::from_millis(10);

struct SharedScan {
    file: File,
    /// The offset of the first block.
    start: u64,
    errors: usize,
    next_block: AtomicUsize,
    stopped: AtomicBool,
    merged: Mutex<Merged>,
    merged_more: Condvar,
    byte_count: Arc<AtomicU64>,
}

/// The blocks that are merged, and those that wait for one before them.
struct Merged {
    scanner: Scanner,
    /// The scanner and the length of each.
    waiting: InOrder<(Scanner, usize)>,
    outcome: Option<io::Result<()>>,
}

/// Returns a scanner that has scanned a file from `start` on, on `threads` threads, this one included.
///
/// It adds the number of bytes read to `byte_count`, and calls `poll` now and then; if that returns an error, the other
/// threads are not waited for, as a disk may not answer.
pub(super) fn scan<E>(
    file: File,
    start: u64,
    errors: usize,
    threads: usize,
    byte_count: &Arc<AtomicU64>,
    mut poll: impl FnMut() -> Result<(), E>,
) -> Result<io::Result<Scanner>, E> {
    let shared = Arc::new(SharedScan {
        file,
        start,
        errors,
        next_block: AtomicUsize::new(0),
        stopped: AtomicBool::new(false),
        merged: Mutex::new(Merged {
            scanner: Scanner::keeping(errors),
            waiting: InOrder::default(),
            outcome: None,
        }),
        merged_more: Condvar::new(),
        byte_count: Arc::clone(byte_count),
    });
    for _ in 1..threads {
        let helper = Arc::clone(&shared);
        // If no thread can be started, the present ones do the work.
        if thread::Builder::new().spawn(move || helper.work(|| Ok::<_, ()>(()))).is_err() {
            break;
        }
    }
    let outcome = shared.work(&mut poll);
    shared.stopped.store(true, Ordering::Relaxed);
    outcome?;
    let mut merged = shared.lock();
    let scanner = merged.scanner.clone();
    Ok(merged.outcome.take().unwrap_or(Ok(())).map(|()| scanner))
}

/// Ends the scan if its thread panics, as others wait for its block.
struct PanicReport<'a>(&'a SharedScan);

impl Drop for PanicReport<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let error = io::Error::other("a thread that scans the file has panicked");
            self.0.lock().outcome.get_or_insert(Err(error));
            self.0.stopped.store(true, Ordering::Relaxed);
            self.0.merged_more.notify_all();
        }
    }
}

impl SharedScan {
    fn lock(&self) -> MutexGuard<'_, Merged> {
        self.merged.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Scans one block after another until the file ends.
    fn work<E>(&self, mut poll: impl FnMut() -> Result<(), E>) -> Result<(), E> {
        let _report = PanicReport(self);
        let mut block = vec![0; BLOCK_BYTES];
        while !self.stopped.load(Ordering::Relaxed) {
            let index = self.next_block.fetch_add(1, Ordering::Relaxed);
            let read = fill_at(&self.file, &mut block, self.start + index as u64 * BLOCK_BYTES as u64);
            let mut scanner = Scanner::keeping(self.errors);
            let length = *read.as_ref().unwrap_or(&0);
            scanner.update(&block[..length]);
            self.byte_count.fetch_add(length as u64, Ordering::Relaxed);
            let mut merged = self.lock();
            match read {
                Ok(_) => merged.add(index, scanner, length),
                Err(error) => {
                    merged.outcome.get_or_insert(Err(error));
                }
            }
            if merged.outcome.is_some() {
                self.stopped.store(true, Ordering::Relaxed);
            } else if length == 0 {
                // The blocks before the end are with other threads.
                drop(self.merged_more.wait_timeout(merged, WAIT));
            }
            self.merged_more.notify_all();
            poll()?;
        }
        Ok(())
    }
}

impl Merged {
    /// Adds the scanner of a block, and merges the scanners of the next blocks, as far as they are scanned.
    fn add(&mut self, index: usize, scanner: Scanner, length: usize) {
        self.waiting.add(index, (scanner, length));
        while self.outcome.is_none()
            && let Some((scanner, length)) = self.waiting.take()
        {
            self.scanner.merge(&scanner);
            if length < BLOCK_BYTES {
                self.outcome = Some(Ok(()));
            }
        }
    }
}
