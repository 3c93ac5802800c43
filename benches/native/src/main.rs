//! leadbyte beside its peers, in one run:
//!
//! ```text
//! LEADBYTE_TEXTS=DIR cargo run --profile dist -p leadbyte-benches -- [FILTER... | --record]
//! ```
//!
//! A row is one function on one text at one size, `validate/russian/64KiB` say; filters are words
//! that a row's name must hold, all of them. `--record` writes the results of a whole run to `../record/`.
//!
//! This is a harness of our own, and not criterion or divan, because those measure one function to
//! the end before they start the next. On a machine that is shared, or changes its clock, only
//! ratios of neighbouring moments hold, so here the contestants take turns in many short rounds.

mod contestants;
mod jobs;
mod pool;
mod read;
mod record;
mod row;
mod targets;
mod timing;

use std::io::Write;
use std::process::ExitCode;
use std::{env, fs, io};

use jobs::{Job, RANDOM};
use pool::{Pool, Random};
use row::Row;

/// How many random bytes there are.
const RANDOM_BYTES: usize = 1 << 20;

const NO_TEXTS: &str = "LEADBYTE_TEXTS names no directory with .txt files. Make one and name it:
    python benches/texts.py DIR
    LEADBYTE_TEXTS=DIR cargo run --profile dist -p leadbyte-benches";

/// What the command line asks for.
struct Request {
    filters: Vec<String>,
    record: bool,
}

impl Request {
    fn wants(&self, row: &str) -> bool {
        self.filters.iter().all(|filter| row.contains(filter.as_str()))
    }
}

fn main() -> ExitCode {
    let (flags, filters) = env::args().skip(1).partition::<Vec<_>, _>(|word| word.starts_with("--"));
    let record = !flags.is_empty();
    if flags.iter().any(|flag| flag != "--record") || (record && !filters.is_empty()) {
        eprintln!("usage: leadbyte-benches [FILTER... | --record]");
        return ExitCode::from(2);
    }
    let request = Request { filters, record };
    let Some(mut texts) = texts() else {
        eprintln!("{NO_TEXTS}");
        return ExitCode::from(2);
    };
    let mut random = Random(0);
    texts.push((RANDOM.to_owned(), (0..RANDOM_BYTES).map(|_| random.below(256) as u8).collect()));
    let rows: Vec<Row> = jobs::all().flat_map(|job| run(&request, &texts, job)).collect();
    let targets = targets::judge(&rows);
    println!();
    for target in &targets {
        println!("{target}");
    }
    if request.record {
        let csv: String = rows.iter().map(Row::csv).collect();
        let csv = format!("{}{csv}", Row::CSV_HEADER);
        match record::write("native", targets.iter().map(ToString::to_string), &csv) {
            Ok(path) => println!("\nrecorded in {}", path.display()),
            Err(error) => {
                eprintln!("the record could not be written: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

/// The texts by name, in order; `None` without any.
fn texts() -> Option<Vec<(String, Vec<u8>)>> {
    let mut texts = vec![];
    for entry in fs::read_dir(env::var_os("LEADBYTE_TEXTS")?).ok()?.flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            let name = path.file_stem()?.to_string_lossy().into_owned();
            let text = fs::read(&path).ok()?;
            if let Err(error) = std::str::from_utf8(&text) {
                eprintln!("{}: {error}; the benchmarks take valid texts", path.display());
                return None;
            }
            texts.push((name, text));
        }
    }
    texts.retain(|(_, text)| !text.is_empty());
    texts.sort();
    (!texts.is_empty()).then_some(texts)
}

/// Measures one function on every text and size that is wanted, and prints its table.
fn run(request: &Request, texts: &[(String, Vec<u8>)], job: &Job) -> Vec<Row> {
    let mut rows = vec![];
    for &(size, shape) in job.sizes {
        for (text, bytes) in texts.iter().filter(|(text, _)| (job.takes)(text)) {
            if !request.wants(&format!("{}/{text}/{size}", job.function)) {
                continue;
            }
            let row = Row::measure(job, text, size, (job.contestants)(Pool::new(bytes, shape)));
            if rows.is_empty() {
                println!("{}", row.header());
            }
            println!("{row}");
            // A table of minutes is of no use if it shows only at the end.
            let _ = io::stdout().flush();
            rows.push(row);
        }
    }
    rows
}
