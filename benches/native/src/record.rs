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
    let today = today();
    let [cpu, family, model] = ["model name", "cpu family", "model"].map(of_cpu);
    let mut csv = format!(
        "# date: {today}\n# cpu: {cpu}\n# cpu family, model: {family}, {model}\n# system: {} {}\n# isa: {}\n\
         # rustc: {}\n# versions: {}\n",
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

/// Returns what the system's file about the CPU has under a name.
fn of_cpu(name: &str) -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let mut facts = info.lines().filter_map(|line| line.split_once(':'));
    facts.find(|(key, _)| key.trim() == name).map_or("unknown", |(_, value)| value).trim().to_owned()
}

/// The name of a CPU as part of a file's name.
fn slug(cpu: &str) -> String {
    let name =
        ["(R)", "(TM)", "Processor"].into_iter().fold(cpu.to_owned(), |name, part| name.replace(part, ""));
    let words = name.split(|char: char| !char.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
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
