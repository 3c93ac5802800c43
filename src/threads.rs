//! Work on several threads, which end with the call, so a process may fork before and after.

use crate::progress::{Poll, Stopped};
use core::num::NonZeroUsize;
use core::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Calls `take` again and again, on `threads` threads (0: one for each core) but at most on `limit`, this one included,
/// until it returns `None`, and returns its results in any order.
///
/// Calls `poll` on this thread after each result; if it returns an error, all threads stop.
pub(crate) fn collect<T: Send>(
    threads: usize,
    limit: usize,
    take: impl Fn() -> Option<T> + Sync,
    poll: Poll<'_>,
) -> Result<Vec<T>, Stopped> {
    let stopped = AtomicBool::new(false);
    let take = || if stopped.load(Ordering::Relaxed) { None } else { take() };
    let mut outcome = Ok(());
    let mut results = vec![];
    let mut take_here = |results: &mut Vec<T>| {
        while let Some(result) = take() {
            results.push(result);
            outcome = poll();
            if outcome.is_err() {
                stopped.store(true, Ordering::Relaxed);
            }
        }
    };
    let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = if threads == 0 { cores() } else { threads }.min(limit);
    if threads <= 1 {
        take_here(&mut results);
        return outcome.map(|()| results);
    }
    thread::scope(|scope| {
        let mut others = vec![];
        for _ in 1..threads {
            // If no thread can be started, the present ones do the work.
            match thread::Builder::new().spawn_scoped(scope, || core::iter::from_fn(take).collect::<Vec<_>>())
            {
                Ok(other) => others.push(other),
                Err(_) => break,
            }
        }
        take_here(&mut results);
        for other in others {
            match other.join() {
                Ok(more) => results.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    outcome.map(|()| results)
}

/// Returns results by their numbers, which are those from 0 on. (A sort takes 6 kB of code for each type.)
pub(crate) fn in_order<T>(results: Vec<(usize, T)>) -> impl Iterator<Item = T> {
    let mut ordered: Vec<Option<T>> = core::iter::repeat_with(|| None).take(results.len()).collect();
    for (number, result) in results {
        ordered[number] = Some(result);
    }
    ordered.into_iter().flatten()
}
