//! Times every kernel of two revisions in one process, alternating; `../../kernels.py` builds and runs it.
//!
//! `compare TEXTS ROUNDS` prints a row of CSV for each kernel, instruction set, text and size: the gigabytes of UTF-8
//! a second before and after, and the median over the rounds of after / before. As long as that differs from 1 by more
//! than 2 %, there are more rounds, up to four times as many, since other work on the machine may be the reason.

use std::time::Instant;
use std::{env, fs};

use after::{Buffers, Entry};

/// Bytes of text: a part of the first-level or second-level cache, and of the third-level cache.
const SIZES: [usize; 2] = [64 << 10, 4 << 20];
const TEXTS: [&str; 6] = ["ascii", "english", "french", "russian", "chinese", "emoji"];
/// Seconds that a turn takes at least.
const TURN_SECONDS: f64 = 200e-6;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [directory, rounds] = &arguments[..] else { panic!("usage: compare TEXTS ROUNDS") };
    let rounds: usize = rounds.parse().expect("a number of rounds");
    println!("kernel,instruction set,text,bytes,before GB/s,after GB/s,ratio");
    for text in TEXTS {
        let whole = fs::read_to_string(format!("{directory}/{text}.txt")).expect("a text of texts.py");
        for size in SIZES {
            let part = &whole.repeat(size / whole.len() + 1)[..];
            let part = &part[..part.floor_char_boundary(size)];
            let mut buffers = after::Buffers::new(part);
            for set in after::instruction_sets() {
                for (before, after) in before::kernels(set).iter().zip(&after::kernels(set)) {
                    let result = buffers.call(before);
                    assert_eq!(result, buffers.call(after), "{} on {set} has another result", after.0);
                    if result.is_none() {
                        continue;
                    }
                    let [old, new, ratio] = compare(&mut buffers, before, after, rounds);
                    let speed = |seconds: f64| part.len() as f64 / seconds / 1e9;
                    println!(
                        "{},{set},{text},{size},{:.2},{:.2},{ratio:.3}",
                        after.0,
                        speed(old),
                        speed(new)
                    );
                }
            }
        }
    }
}

/// Returns the median seconds of a call of each, and the median ratio of the speeds.
fn compare(buffers: &mut Buffers, before: &Entry, after: &Entry, rounds: usize) -> [f64; 3] {
    let calls = (TURN_SECONDS / seconds(buffers, before, 1)).ceil().max(1.0) as u32;
    let mut seconds = |kernel| seconds(buffers, kernel, calls);
    let mut times: Vec<[f64; 2]> = vec![];
    while times.len() < rounds || times.len() < 4 * rounds && (median(&times, ratio) - 1.0).abs() > 0.02 {
        times.push(if times.len().is_multiple_of(2) {
            let first = seconds(before);
            [first, seconds(after)]
        } else {
            let first = seconds(after);
            [seconds(before), first]
        });
    }
    [median(&times, |time| time[0]), median(&times, |time| time[1]), median(&times, ratio)]
}

/// Returns the ratio of the speeds, after / before.
fn ratio(time: &[f64; 2]) -> f64 {
    time[0] / time[1]
}

/// Returns the median of a value over all rounds.
fn median(times: &[[f64; 2]], value: impl Fn(&[f64; 2]) -> f64) -> f64 {
    let mut values: Vec<f64> = times.iter().map(value).collect();
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Returns the seconds that a call of a kernel takes, as the mean of some.
fn seconds(buffers: &mut Buffers, kernel: &Entry, calls: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        std::hint::black_box(buffers.call(kernel));
    }
    start.elapsed().as_secs_f64() / f64::from(calls)
}
