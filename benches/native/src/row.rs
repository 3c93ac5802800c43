//! One function on one text at one size: what came out, as a line of a table.

use core::fmt;

use crate::contestants::{Contestant, OURS};
use crate::jobs::{Job, Unit};
use crate::timing::{self, Times};

/// The least width of a column.
const WIDTH: usize = 8;

pub struct Row {
    pub function: &'static str,
    pub text: String,
    pub size: &'static str,
    pub results: Vec<Measured>,
    unit: Unit,
    reference: Option<&'static str>,
}

/// What one contestant took.
pub struct Measured {
    pub tool: String,
    pub times: Times,
    bytes: usize,
    calls: usize,
}

impl Measured {
    pub fn gigabytes_a_second(&self, time: f64) -> f64 {
        self.bytes as f64 / time
    }

    pub fn speed(&self) -> f64 {
        self.gigabytes_a_second(self.times.best)
    }

    pub fn nanoseconds_a_call(&self) -> f64 {
        self.times.best / self.calls as f64
    }
}

impl Row {
    /// Lets all contestants run.
    pub fn measure(job: &Job, text: &str, size: &'static str, contestants: Vec<Contestant>) -> Self {
        let times = timing::interleaved(&contestants);
        let results =
            contestants.into_iter().zip(times).map(|(Contestant { name, bytes, calls, .. }, times)| {
                Measured { tool: name, times, bytes, calls }
            });
        Self {
            function: job.function,
            text: text.to_owned(),
            size,
            results: results.collect(),
            unit: job.unit,
            reference: job.reference,
        }
    }

    /// The header of the lines of CSV.
    pub const CSV_HEADER: &str = "function,text,size,tool,best_gb_s,median_gb_s,best_ns_a_call\n";

    /// A line of CSV for each result.
    pub fn csv(&self) -> String {
        let line = |result: &Measured| {
            format!(
                "{},{},{},{},{:.3},{:.3},{:.2}\n",
                self.function,
                self.text,
                self.size,
                result.tool,
                result.gigabytes_a_second(result.times.best),
                result.gigabytes_a_second(result.times.median),
                result.nanoseconds_a_call(),
            )
        };
        self.results.iter().map(line).collect()
    }

    pub fn result(&self, tool: &str) -> Option<&Measured> {
        self.results.iter().find(|result| result.tool == tool)
    }

    /// How many times as fast as the fastest of `others` `tool` is, if it ran and one of them did.
    pub fn ratio(&self, tool: &str, others: impl Fn(&str) -> bool) -> Option<f64> {
        let others = self.results.iter().filter(|result| others(&result.tool));
        let best = others.map(Measured::speed).max_by(f64::total_cmp)?;
        Some(self.result(tool)?.speed() / best)
    }

    /// The ratio to whom the job compares with.
    fn ratio_to_reference(&self, tool: &str) -> Option<f64> {
        self.ratio(tool, |other| {
            self.reference.map_or(!other.starts_with(OURS), |reference| other == reference)
        })
    }

    /// The lines above the rows of a job.
    pub fn header(&self) -> String {
        let unit = match self.unit {
            Unit::Gigabytes => "GB/s",
            Unit::Nanoseconds => "ns a call",
            Unit::MillionCalls => "million a second",
            Unit::Share => "GB/s and share of what the first reaches",
        };
        let names: String = self.results.iter().map(|result| format!(" {:>WIDTH$}", result.tool)).collect();
        let (legend, ratio) = match self.ratio_to_reference(OURS) {
            Some(_) => {
                let against = self.reference.unwrap_or("its best peer");
                (format!("; ratio is {OURS}'s speed to the speed of {against}"), "   ratio")
            }
            None => (String::new(), ""),
        };
        format!("\n{}: {unit}, best round{legend}\n{:26}{names}{ratio}", self.function, "")
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:14}{:>12}", self.text, self.size)?;
        for result in &self.results {
            let cell = match self.unit {
                Unit::Gigabytes => format!("{:.2}", result.speed()),
                Unit::Nanoseconds => format!("{:.2}", result.nanoseconds_a_call()),
                Unit::MillionCalls => format!("{:.1}", 1e3 / result.nanoseconds_a_call()),
                Unit::Share => {
                    let share = self.ratio_to_reference(&result.tool);
                    format!("{:.1} {:.2}", result.speed(), share.unwrap_or_default())
                }
            };
            write!(f, " {cell:>width$}", width = result.tool.len().max(WIDTH))?;
        }
        match self.ratio_to_reference(OURS) {
            Some(ratio) => write!(f, " {ratio:7.2}"),
            None => Ok(()),
        }
    }
}
