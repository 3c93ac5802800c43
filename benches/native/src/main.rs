//! leadbyte beside its peers, in one run:
//!
//! ```text
//! LEADBYTE_TEXTS=DIR cargo run --release -p leadbyte-benches -- [FILTER... | --record]
//! ```
//!
//! A row is one function on one text at one size, `validate/russian/64KiB` say; filters are words
//! that a row's name must hold, all of them. `--record` writes the results of a whole run to `../record/`.
//!
//! This is a harness of our own, and not criterion or divan, because those measure one function to
//! the end before they start the next. On a machine that is shared, or changes its clock, only
//! ratios of neighbouring moments hold, so here the contestants take turns in many short rounds.

mod contestants;
mod pool;
mod record;
mod timing;

use std::process::ExitCode;
use std::{env, fs, io};

use contestants::{Contestant, Job};
use pool::Pool;
use record::{Record, Row};

const SIZES: [(&str, usize); 8] = [
    ("16B", 16),
    ("64B", 64),
    ("256B", 256),
    ("1KiB", 1 << 10),
    ("4KiB", 4 << 10),
    ("64KiB", 64 << 10),
    ("1MiB", 1 << 20),
    ("64MiB", 64 << 20),
];

const NO_TEXTS: &str = "LEADBYTE_TEXTS names no directory with .txt files. Make one and name it:
    python benches/texts.py DIR
    LEADBYTE_TEXTS=DIR cargo run --release -p leadbyte-benches";

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
    let Some(texts) = texts() else {
        eprintln!("{NO_TEXTS}");
        return ExitCode::from(2);
    };
    let mut record = Record::default();
    run(&request, &texts, &contestants::validate(), &mut record);
    run(&request, &texts, &contestants::count(), &mut record);
    run(&request, &texts, &contestants::scan(), &mut record);
    run(&request, &texts, &contestants::first_error(), &mut record);
    if request.record {
        match record.write() {
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
fn run<T: PartialEq + core::fmt::Debug>(
    request: &Request,
    texts: &[(String, Vec<u8>)],
    job: &Job<T>,
    record: &mut Record,
) {
    let mut headed = false;
    for (size_name, size) in SIZES {
        for (text_name, text) in texts {
            if !request.wants(&format!("{}/{text_name}/{size_name}", job.function)) {
                continue;
            }
            if !headed {
                headed = true;
                println!("{}", header(job));
            }
            let pool = Pool::new(text, size, job.spoiled);
            job.check(&pool);
            let times = timing::interleaved(&job.contestants, &pool);
            let row = Row {
                function: job.function,
                text: text_name.clone(),
                size: size_name,
                bytes: pool.bytes(),
                calls: pool.slices().count(),
                times: job.contestants.iter().map(|contestant| contestant.name.clone()).zip(times).collect(),
            };
            println!("{row}");
            record.rows.push(row);
            // A table of minutes is of no use if it shows only at the end.
            let _ = io::Write::flush(&mut io::stdout());
        }
    }
}

fn header<T>(job: &Job<T>) -> String {
    let names: String =
        job.contestants.iter().map(|Contestant { name, .. }| format!(" {name:>16}")).collect();
    format!(
        "\n{}: GB/s, best round; then leadbyte's ratio to its best peer\n{:24}{names} {:>7}",
        job.function, "", "ratio"
    )
}
