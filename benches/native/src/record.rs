//! A record: a CSV file of all rows, with the machine and the versions measured.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fs, io};

use leadbyte::Implementation;

/// Where records are kept: `../record`.
const DIRECTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../record");

/// Writes a record of a kind: lines that begin with `# ` and state the versions and the machine measured, and the
/// results for the targets, then the rows of CSV with their header.
pub fn write(kind: &str, targets: impl Iterator<Item = String>, rows: &str) -> io::Result<PathBuf> {
    let (cpu, today) = (cpu(), today());
    let mut csv = format!(
        "# date: {today}\n# cpu: {cpu}\n# system: {} {}\n# isa: {}\n# rustc: {}\n# versions: {}\n",
        env::consts::OS,
        env::consts::ARCH,
        Implementation::active().name(),
        env!("RUSTC"),
        env!("PEERS"),
    );
    csv.extend(targets.map(|target| format!("# {target}\n")));
    csv += rows;
    let path = Path::new(DIRECTORY).join(format!("{today}-{}-{kind}.csv", slug(&cpu)));
    fs::create_dir_all(DIRECTORY)?;
    fs::write(&path, csv)?;
    fs::canonicalize(path)
}

/// Returns the name of the CPU, where the system has it in a file.
fn cpu() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
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
