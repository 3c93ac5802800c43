//! The clock: contestants take turns, round by round.

use core::time::Duration;
use std::time::Instant;

use crate::contestants::Contestant;
use crate::pool::Random;

/// About how long one contestant runs in one round, unless one walk of its pool takes longer.
const TURN: Duration = Duration::from_micros(250);
/// About how long all rounds of a row take together.
const BUDGET: Duration = Duration::from_millis(400);
/// The fewest and the most rounds.
const ROUNDS: (usize, usize) = (7, 301);

/// How many nanoseconds one contestant took to walk its pool once.
pub struct Times {
    pub best: f64,
    pub median: f64,
}

/// Lets all contestants walk their pools in turns, in another order each round, since what ran before
/// leaves its mark on caches and predictors.
pub fn interleaved(contestants: &[Contestant]) -> Vec<Times> {
    // The first walk warms up, and its time gives the number of walks in a turn.
    let walks: Vec<u32> = contestants
        .iter()
        .map(|contestant| {
            let once = nanoseconds(contestant, 1).max(1.0);
            (TURN.as_nanos() as f64 / once).clamp(1.0, 1e6) as u32
        })
        .collect();
    let mut times: Vec<Vec<f64>> = vec![vec![]; contestants.len()];
    let mut order: Vec<usize> = (0..contestants.len()).collect();
    let mut random = Random(0);
    let start = Instant::now();
    for round in 0..ROUNDS.1 {
        for last in (1..order.len()).rev() {
            order.swap(last, random.below(last + 1));
        }
        for &index in &order {
            times[index].push(nanoseconds(&contestants[index], walks[index]));
        }
        if round + 1 >= ROUNDS.0 && start.elapsed() > BUDGET {
            break;
        }
    }
    times
        .into_iter()
        .map(|mut times| {
            times.sort_unstable_by(f64::total_cmp);
            Times { best: times[0], median: times[times.len() / 2] }
        })
        .collect()
}

/// The time of one walk, as the mean of some.
fn nanoseconds(contestant: &Contestant, walks: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..walks {
        contestant.walk();
    }
    start.elapsed().as_nanos() as f64 / f64::from(walks)
}
