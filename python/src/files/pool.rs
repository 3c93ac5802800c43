//! Threads that read the files of a walk, each file on one thread; the results come in the order of the walk.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;
use std::{thread, vec};

use leadbyte::{Detection, Scanner};

use super::BLOCK_BYTES;
use super::in_order::InOrder;
use super::open::{BINARY, NOT_REGULAR, fill, is_binary, open};
use super::shared::{self, MIN_SHARED_BYTES};
use super::tables::TableFormats;
use super::walk::{STANDARD_INPUT, Walk, WalkEntry};

/// The number of files that a thread takes at once.
const BATCH_FILES: usize = 32;
/// The number of batches for each thread that may be done before the first of them is asked for.
const BATCHES_AHEAD: usize = 4;
/// How often the caller polls while it waits.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The reason why a directory is not searched that is a table of a lake.
const TABLE: &str = "table";

/// The work on each file.
#[derive(Clone, Copy)]
pub(crate) enum FileTask {
    /// Nothing: the caller reads it.
    List,
    /// Scan it and keep this many errors; neighbouring files that are valid are only counted, with `fold`.
    Scan { errors: usize, binary: bool, fold: bool },
    /// Detect its encoding.
    Detect,
}

/// The result for a file.
pub(crate) enum FileOutcome {
    /// The caller is to read it: standard input, a device, a FIFO, a file with columns, or by the task.
    Unread,
    Scanned(Scanner),
    /// Several valid files, and the sums of their bytes and characters.
    Valid {
        files: u64,
        byte_count: u64,
        char_count: u64,
    },
    Detected(Detection),
    Skipped(&'static str),
    Failed(io::Error),
    /// It is long, and all threads are to scan it when its turn comes.
    Long,
}

/// A path of the walk, whether it was given as such, and the result.
pub(crate) struct PoolItem {
    pub(crate) path: PathBuf,
    pub(crate) named: bool,
    pub(crate) outcome: FileOutcome,
}

/// Iterates over the files of a walk, with the result of a task for each.
pub(crate) struct Pool {
    shared: Arc<PoolState>,
    jobs: usize,
    started: bool,
    threads: usize,
    ready: vec::IntoIter<PoolItem>,
}

struct PoolState {
    task: FileTask,
    tables: TableFormats,
    walk: Mutex<Walk>,
    batches: Mutex<Batches>,
    changed: Condvar,
    max_ahead: usize,
    stopped: AtomicBool,
    byte_count: Arc<AtomicU64>,
}

/// The batches, by number.
#[derive(Default)]
struct Batches {
    done: InOrder<Vec<PoolItem>>,
    started: usize,
    end: Option<usize>,
    panicked: bool,
}

/// Reports a panic of a thread, so that the caller does not wait for it.
struct PanicReport<'a>(&'a PoolState);

impl Drop for PanicReport<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.lock().panicked = true;
            self.0.changed.notify_all();
        }
    }
}

impl Pool {
    /// Scans leave `tables` to the caller: those that were named, and the others with `binary`, or if they are to.
    pub(crate) fn new(walk: Walk, task: FileTask, tables: TableFormats, jobs: usize) -> Self {
        let shared = PoolState {
            task,
            tables,
            walk: Mutex::new(walk),
            batches: Mutex::default(),
            changed: Condvar::new(),
            max_ahead: BATCHES_AHEAD * jobs,
            stopped: AtomicBool::new(false),
            byte_count: Arc::default(),
        };
        Self { shared: Arc::new(shared), jobs, started: false, threads: 0, ready: vec![].into_iter() }
    }

    /// Returns the counter of the bytes that are read.
    pub(crate) fn byte_count(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.shared.byte_count)
    }

    /// Returns the next file if its result is known.
    pub(crate) fn next_ready(&mut self) -> Option<PoolItem> {
        match self.ready.as_slice().first()?.outcome {
            FileOutcome::Long => None,
            _ => self.ready.next(),
        }
    }

    /// Returns the next file, None at the end; calls `poll` while it waits, and returns its error.
    pub(crate) fn next<E>(&mut self, mut poll: impl FnMut() -> Result<(), E>) -> Result<Option<PoolItem>, E> {
        loop {
            let Some(mut item) = self.ready.next() else {
                match self.next_batch(&mut poll)? {
                    Some(batch) => self.ready = batch.into_iter(),
                    None => return Ok(None),
                }
                continue;
            };
            if let FileOutcome::Long = item.outcome {
                item.outcome = self.scan_long(&item.path, item.named, &mut poll)?;
            }
            return Ok(Some(item));
        }
    }

    /// Returns the next batch.
    fn next_batch<E>(
        &mut self,
        poll: &mut impl FnMut() -> Result<(), E>,
    ) -> Result<Option<Vec<PoolItem>>, E> {
        if let FileTask::List = self.shared.task {
            // One file at a time, as the caller may change files while it walks.
            return Ok(self.shared.take(1).map(|(_, batch)| batch));
        }
        self.start();
        let mut block = vec![];
        loop {
            let mut batches = self.shared.lock();
            if let Some(batch) = batches.done.take() {
                self.shared.changed.notify_all();
                return Ok(Some(batch));
            }
            if batches.end.is_some_and(|end| batches.done.taken() >= end) {
                return Ok(None);
            }
            assert!(!batches.panicked, "a thread that reads files has panicked");
            if self.threads == 0 {
                drop(batches);
                block.resize(BLOCK_BYTES, 0);
                self.shared.work_once(&mut block);
            } else {
                drop(self.shared.changed.wait_timeout(batches, POLL_INTERVAL));
            }
            poll()?;
        }
    }

    /// Starts the threads; if none can be started, the caller's does the work.
    fn start(&mut self) {
        if self.started {
            return;
        }
        self.started = true;
        for _ in 0..self.jobs {
            let shared = Arc::clone(&self.shared);
            let work = move || {
                let _report = PanicReport(&shared);
                let mut block = vec![0; BLOCK_BYTES];
                while shared.work_once(&mut block) {}
            };
            if thread::Builder::new().spawn(work).is_err() {
                break;
            }
            self.threads += 1;
        }
    }

    /// Returns the result of a long file, or of one that was long.
    fn scan_long<E>(
        &self,
        path: &Path,
        named: bool,
        poll: &mut impl FnMut() -> Result<(), E>,
    ) -> Result<FileOutcome, E> {
        let FileTask::Scan { errors, .. } = self.shared.task else { return Ok(FileOutcome::Unread) };
        let scan =
            |file, start, poll| shared::scan(file, start, errors, self.jobs, &self.shared.byte_count, poll);
        if path.as_os_str() == STANDARD_INPUT {
            let Ok((mut file, start)) = standard_input() else { return Ok(FileOutcome::Unread) };
            let Ok(duplicate) = file.try_clone() else { return Ok(FileOutcome::Unread) };
            return Ok(match scan(duplicate, start, poll)? {
                // As if it had been read in order: another process may read the rest.
                Ok(scanner) => match file.seek(SeekFrom::Start(start + scanner.byte_count())) {
                    Ok(_) => FileOutcome::Scanned(scanner),
                    Err(error) => FileOutcome::Failed(error),
                },
                Err(error) => FileOutcome::Failed(error),
            });
        }
        Ok(match open(path, named) {
            Ok(Some(opened)) => match scan(opened.file, 0, poll)? {
                Ok(scanner) => FileOutcome::Scanned(scanner),
                Err(error) => FileOutcome::Failed(error),
            },
            Ok(None) => unreadable(named),
            Err(error) => FileOutcome::Failed(error),
        })
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // The threads are not waited for, as a disk may not answer.
        self.shared.stopped.store(true, Ordering::Relaxed);
        self.shared.changed.notify_all();
    }
}

impl PoolState {
    fn lock(&self) -> MutexGuard<'_, Batches> {
        self.batches.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Takes up to `files` files of the walk, when the caller is not too far behind; None at the end.
    fn take(&self, files: usize) -> Option<(usize, Vec<PoolItem>)> {
        let mut walk = self.walk.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut batches = self.lock();
        let too_far = |batches: &mut Batches| {
            !self.stopped.load(Ordering::Relaxed) && batches.started - batches.done.taken() >= self.max_ahead
        };
        if !matches!(self.task, FileTask::List) {
            batches =
                self.changed.wait_while(batches, too_far).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        if self.stopped.load(Ordering::Relaxed) || batches.end.is_some() {
            return None;
        }
        let index = batches.started;
        batches.started += 1;
        drop(batches);
        let batch: Vec<PoolItem> = walk.by_ref().take(files).map(PoolItem::from).collect();
        if batch.is_empty() {
            self.lock().end = Some(index);
            self.changed.notify_all();
            return None;
        }
        Some((index, batch))
    }

    /// Reads the files of the next batch; returns whether there was one.
    fn work_once(&self, block: &mut [u8]) -> bool {
        let Some((index, mut batch)) = self.take(BATCH_FILES) else { return false };
        for item in &mut batch {
            if self.stopped.load(Ordering::Relaxed) {
                return false;
            }
            if let FileOutcome::Unread = item.outcome {
                item.outcome = self.read(&item.path, item.named, block).unwrap_or_else(FileOutcome::Failed);
            }
        }
        if let FileTask::Scan { fold: true, .. } = self.task {
            batch = fold(batch);
        }
        self.lock().done.add(index, batch);
        self.changed.notify_all();
        true
    }

    /// Reads a file, unless the caller is to do that.
    fn read(&self, path: &Path, named: bool, block: &mut [u8]) -> io::Result<FileOutcome> {
        if path.as_os_str() == STANDARD_INPUT {
            let is_long = standard_input().is_ok_and(|(file, start)| {
                file.metadata().is_ok_and(|status| {
                    status.is_file() && status.len().saturating_sub(start) >= MIN_SHARED_BYTES
                })
            });
            return Ok(if is_long { FileOutcome::Long } else { FileOutcome::Unread });
        }
        let Some(opened) = open(path, named)? else { return Ok(unreadable(named)) };
        match self.task {
            FileTask::List => Ok(FileOutcome::Unread),
            FileTask::Scan { errors, binary, .. } => {
                let length = fill_first(&opened.file, block, opened.byte_count)?;
                let by_columns = named || binary || self.tables.below_directories;
                if by_columns && self.tables.include(path, &block[..length]) {
                    return Ok(FileOutcome::Unread);
                }
                if !named && !binary && is_binary(&block[..length]) {
                    return Ok(FileOutcome::Skipped(BINARY));
                }
                if opened.byte_count >= MIN_SHARED_BYTES {
                    return Ok(FileOutcome::Long);
                }
                self.scan(&opened.file, block, length, errors).map(FileOutcome::Scanned)
            }
            FileTask::Detect => {
                if opened.byte_count > BLOCK_BYTES as u64 {
                    return Ok(FileOutcome::Unread);
                }
                let length = fill(&opened.file, block)?;
                if length == block.len() {
                    return Ok(FileOutcome::Unread);
                }
                self.byte_count.fetch_add(length as u64, Ordering::Relaxed);
                Ok(FileOutcome::Detected(leadbyte::detect(&block[..length])))
            }
        }
    }

    /// Returns a scanner that has scanned a file, of which `block` has the first `length` bytes.
    fn scan(&self, file: &File, block: &mut [u8], mut length: usize, errors: usize) -> io::Result<Scanner> {
        let mut scanner = Scanner::keeping(errors);
        loop {
            scanner.update(&block[..length]);
            self.byte_count.fetch_add(length as u64, Ordering::Relaxed);
            if length < block.len() || self.stopped.load(Ordering::Relaxed) {
                return Ok(scanner);
            }
            length = fill(file, block)?;
        }
    }
}

impl From<WalkEntry> for PoolItem {
    fn from(found: WalkEntry) -> Self {
        match found {
            WalkEntry::Named(path) => Self { path, named: true, outcome: FileOutcome::Unread },
            WalkEntry::File(path) => Self { path, named: false, outcome: FileOutcome::Unread },
            WalkEntry::Skipped(path, reason) => {
                Self { path, named: false, outcome: FileOutcome::Skipped(reason) }
            }
            WalkEntry::Table(path) => Self { path, named: false, outcome: FileOutcome::Skipped(TABLE) },
            WalkEntry::Failed(path, error) => {
                Self { path, named: false, outcome: FileOutcome::Failed(error) }
            }
        }
    }
}

/// Reads the first block of a file; a short file of the length that its status has is not asked for more.
fn fill_first(file: &File, block: &mut [u8], byte_count: u64) -> io::Result<usize> {
    let expected = usize::try_from(byte_count).unwrap_or(usize::MAX);
    if expected == 0 || expected >= block.len() {
        return fill(file, block);
    }
    fill(file, &mut block[..expected])
}

/// Returns the result for a file that is not regular: one that was given is read by the caller, who may wait for it.
fn unreadable(named: bool) -> FileOutcome {
    if named { FileOutcome::Unread } else { FileOutcome::Skipped(NOT_REGULAR) }
}

/// Returns standard input and the offset from which on it is to be read.
fn standard_input() -> io::Result<(File, u64)> {
    #[cfg(unix)]
    let duplicate = std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned()?;
    #[cfg(windows)]
    let duplicate = std::os::windows::io::AsHandle::as_handle(&io::stdin()).try_clone_to_owned()?;
    let mut file = File::from(duplicate);
    let start = file.stream_position()?;
    Ok((file, start))
}

/// Replaces neighbouring files that are valid by their number and sums.
fn fold(batch: Vec<PoolItem>) -> Vec<PoolItem> {
    let mut folded: Vec<PoolItem> = vec![];
    for mut item in batch {
        if let FileOutcome::Scanned(scanner) = &item.outcome {
            let scan = scanner.finish();
            if scan.valid {
                if let Some(PoolItem {
                    outcome: FileOutcome::Valid { files, byte_count, char_count }, ..
                }) = folded.last_mut()
                {
                    *files += 1;
                    *byte_count += scan.byte_count;
                    *char_count += scan.char_count;
                    continue;
                }
                item.outcome =
                    FileOutcome::Valid { files: 1, byte_count: scan.byte_count, char_count: scan.char_count };
            }
        }
        folded.push(item);
    }
    folded
}
