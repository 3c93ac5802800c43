//! Results: a line of a table, and a CSV file that says where they come from.

use core::fmt;
use core::time::Duration;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fs, io};

use leadbyte::Implementation;

use crate::contestants::OURS;
use crate::timing::Times;

/// Where records are kept: `../record`.
const DIRECTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../record");

/// One function on one text at one size.
pub struct Row {
    pub function: &'static str,
    pub text: String,
    pub size: &'static str,
    /// Bytes in one walk of the pool.
    pub bytes: usize,
    /// Calls in one walk of the pool.
    pub calls: usize,
    pub times: Vec<(String, Times)>,
}

impl Row {
    fn gigabytes_a_second(&self, time: Duration) -> f64 {
        self.bytes as f64 / time.as_nanos() as f64
    }

    /// How many times as fast as the fastest peer ours is.
    fn ratio(&self) -> f64 {
        let best = |ours: bool| {
            let wanted = |name: &str| if ours { name == OURS } else { !name.starts_with(OURS) };
            let times = self.times.iter().filter(|(name, _)| wanted(name));
            times.map(|(_, times)| times.best).min().unwrap_or_default().as_secs_f64()
        };
        best(false) / best(true)
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:17}{:>7}", self.text, self.size)?;
        for (_, times) in &self.times {
            write!(f, " {:16.2}", self.gigabytes_a_second(times.best))?;
        }
        write!(f, " {:7.2}", self.ratio())
    }
}

/// All rows of a run.
#[derive(Default)]
pub struct Record {
    pub rows: Vec<Row>,
}

impl Record {
    /// Writes the rows as CSV, after lines that begin with `# ` and tell what was measured where.
    pub fn write(&self) -> io::Result<PathBuf> {
        let (cpu, today) = (cpu(), today());
        let mut csv = format!(
            "# date: {today}\n# cpu: {cpu}\n# system: {} {}\n# isa: {}\n# rustc: {}\n# versions: {}\n",
            env::consts::OS,
            env::consts::ARCH,
            Implementation::active().name(),
            env!("RUSTC"),
            env!("PEERS"),
        );
        csv += "function,text,size,tool,best_gb_s,median_gb_s,best_ns_a_call\n";
        for row in &self.rows {
            for (tool, times) in &row.times {
                csv += &format!(
                    "{},{},{},{tool},{:.3},{:.3},{:.2}\n",
                    row.function,
                    row.text,
                    row.size,
                    row.gigabytes_a_second(times.best),
                    row.gigabytes_a_second(times.median),
                    times.best.as_nanos() as f64 / row.calls as f64,
                );
            }
        }
        let path = Path::new(DIRECTORY).join(format!("{today}-{}-native.csv", slug(&cpu)));
        fs::create_dir_all(DIRECTORY)?;
        fs::write(&path, csv)?;
        fs::canonicalize(path)
    }
}

/// The CPU's name, where the system tells it in a file.
fn cpu() -> String {
    let told = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = told.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or("unknown CPU", |(_, name)| name).trim().to_owned()
}

/// `text` as part of a file's name.
fn slug(text: &str) -> String {
    let words = text.split(|char: char| !char.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

/// The date (UTC) as year-month-day, by Howard Hinnant's `civil_from_days`.
fn today() -> String {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let days = since_epoch.as_secs() / 86_400 + 719_468; // since 1 March of the year 0
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02}")
}
