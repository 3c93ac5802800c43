//! The clock: contestants take turns, round by round.

use core::hint::black_box;
use core::time::Duration;
use std::time::Instant;

use crate::contestants::Contestant;
use crate::pool::{Pool, Random};

/// About how long one contestant runs in one round, unless one walk of the pool takes longer.
const TURN: Duration = Duration::from_micros(250);
/// About how long all rounds of a row take together.
const BUDGET: Duration = Duration::from_millis(250);
/// The fewest and the most rounds.
const ROUNDS: (usize, usize) = (3, 301);

/// The times that one contestant took to walk the pool once.
pub struct Times {
    pub best: Duration,
    pub median: Duration,
}

/// Lets all contestants walk the pool in turns, in another order each round, since what ran before
/// leaves its mark on caches and predictors.
pub fn interleaved<T>(contestants: &[Contestant<T>], pool: &Pool) -> Vec<Times> {
    // The first walk warms up, and tells how many walks make a turn.
    let walks: Vec<u32> = contestants
        .iter()
        .map(|contestant| {
            let once = walk(contestant, pool, 1).max(Duration::from_nanos(1));
            TURN.div_duration_f64(once).clamp(1.0, 1e6) as u32
        })
        .collect();
    let mut times: Vec<Vec<Duration>> = vec![vec![]; contestants.len()];
    let mut order: Vec<usize> = (0..contestants.len()).collect();
    let mut random = Random(0);
    let begun = Instant::now();
    for round in 0..ROUNDS.1 {
        for last in (1..order.len()).rev() {
            order.swap(last, random.below(last + 1));
        }
        for &index in &order {
            times[index].push(walk(&contestants[index], pool, walks[index]) / walks[index]);
        }
        if round + 1 >= ROUNDS.0 && begun.elapsed() > BUDGET {
            break;
        }
    }
    times
        .into_iter()
        .map(|mut times| {
            times.sort_unstable();
            Times { best: times[0], median: times[times.len() / 2] }
        })
        .collect()
}

fn walk<T>(contestant: &Contestant<T>, pool: &Pool, times: u32) -> Duration {
    let begun = Instant::now();
    for _ in 0..times {
        for slice in pool.slices() {
            black_box((contestant.call)(black_box(slice)));
        }
    }
    begun.elapsed()
}
