//! The repair of the cells of a column, which support each other: a short cell has too little evidence of its own.
//!
//! The damage that occurs in a column is searched first, in a sample of the suspicious cells: in each one, and in those
//! without clear evidence together. A kind of damage whose repair saves more bits in all cells than it costs is known
//! from then on: it costs the less in a cell, the larger its share of the column (the negative binary logarithm of it).
//! Different cells count; repeated ones are not evidence, but part of the share. The sample consists of the texts whose
//! hash is divisible by a power of two (M. Wegman's adaptive sampling; P. Flajolet, "On adaptive sampling", 1990).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::explain_with;
use super::knowledge::{Damage, Knowledge};
use super::lines::{Evidence, LinePiece, least, piece};
use super::prefilter::{Suspicion, suspicion};
use crate::allocation::{Grow, try_push};
use crate::progress::{Poll, Stopped, uninterrupted, unpolled};

/// The most bytes of suspicious lines in the sample.
const MAX_SAMPLE_BYTES: usize = 64 << 10;

/// The most bytes of lines that are searched together.
const MAX_GROUP_BYTES: usize = 512;

/// The most bits that a line counts for or against a kind of damage.
const MAX_EVIDENCE_BITS: f32 = 32.0;

/// The least cost in bits of damage in a cell.
const MIN_COST: f32 = 2.0;

/// The most kinds of damage that are known.
const MAX_DAMAGES: usize = 4;

/// A suspicious line of some cells.
struct Suspect {
    suspicion: Suspicion,
    /// The number of its occurrences.
    count: usize,
}

/// The cells of a column, before they are repaired.
#[derive(Default)]
pub struct Column {
    knowledge: Knowledge,
    /// The number of cells with suspicious lines.
    suspicious: usize,
    /// The sample of these lines, by their text; the number of its bytes; and of lines that are not suspicious.
    sample: BTreeMap<String, Suspect>,
    sample_bytes: usize,
    others: usize,
    /// The binary logarithm of the share of lines that are not in the sample.
    rate: u32,
}

impl Column {
    /// Creates an empty column of which this is known.
    #[cfg(feature = "arrow")]
    #[cfg_attr(not(feature = "bindings"), allow(dead_code))]
    pub fn new(knowledge: Knowledge) -> Self {
        Self { knowledge, ..Self::default() }
    }

    /// Adds a cell. Returns whether it has traces of damage. Calls `poll` on long cells, and stops if that returns an
    /// error.
    pub fn add(&mut self, cell: &str, poll: Poll<'_>) -> Result<bool, Stopped> {
        let (mut rest, mut found) = (cell, false);
        while !rest.is_empty() {
            let line = piece(rest);
            rest = &rest[line.len()..];
            if line.is_ascii() {
                continue;
            }
            let suspicion = suspicion(line, self.knowledge.languages, poll)?;
            found |= suspicion.is_some();
            if self.is_sampled(line) {
                match suspicion {
                    Some(suspicion) => self.add_suspect(line, suspicion),
                    None => self.others += 1,
                }
            }
        }
        self.suspicious += usize::from(found);
        Ok(found)
    }

    fn is_sampled(&self, line: &str) -> bool {
        let mut hasher = DefaultHasher::new();
        line.hash(&mut hasher);
        hasher.finish().trailing_zeros() >= self.rate
    }

    fn add_suspect(&mut self, line: &str, suspicion: Suspicion) {
        // A line without an end is at most as long as a cell.
        let line = line.trim_end_matches('\n');
        if line.len() > MAX_SAMPLE_BYTES {
            return;
        }
        if let Some(suspect) = self.sample.get_mut(line) {
            suspect.count += 1;
            return;
        }
        self.sample.insert(line.to_owned(), Suspect { suspicion, count: 1 });
        self.sample_bytes += line.len();
        while self.sample_bytes > MAX_SAMPLE_BYTES {
            self.rate += 1;
            self.others /= 2;
            let mut sample = std::mem::take(&mut self.sample);
            sample.retain(|line, _| self.is_sampled(line));
            self.sample_bytes = sample.keys().map(String::len).sum();
            self.sample = sample;
        }
    }

    /// Returns the knowledge about each cell, after all cells were added.
    pub fn finish(mut self, poll: Poll<'_>) -> Result<Knowledge, Stopped> {
        // A single cell is not evidence for others.
        if self.suspicious > 1 {
            self.knowledge.damages = self.damages(poll)?;
        }
        Ok(self.knowledge)
    }

    /// Returns the damage of the cells.
    fn damages(&self, poll: Poll<'_>) -> Result<Vec<Damage>, Stopped> {
        let languages = self.knowledge.languages;
        let mut damages = vec![];
        let mut pieces = vec![];
        for (line, suspect) in &self.sample {
            let mut piece = LinePiece::in_column(line, suspect.suspicion);
            piece.search(&mut damages, languages, poll)?;
            try_push(&mut pieces, piece)?;
        }
        for group in self.groups(&mut pieces, &damages, poll)? {
            LinePiece::in_column(&group.0, group.1).search(&mut damages, languages, poll)?;
        }
        let mut saved = vec![0.0; damages.len()];
        let mut counts = vec![0; damages.len()];
        let mut evidence = vec![Evidence::default(); damages.len()];
        for (piece, suspect) in pieces.iter_mut().zip(self.sample.values()) {
            piece.score(&damages, languages, poll)?;
            let saving = |bits: f32| (piece.bits[0] - bits).clamp(-MAX_EVIDENCE_BITS, MAX_EVIDENCE_BITS);
            match least(piece.bits.iter().copied()) {
                (0, _) => {
                    for (saved, &bits) in saved.iter_mut().zip(&piece.bits[1..]) {
                        *saved += saving(bits);
                    }
                }
                (best, bits) => {
                    saved[best - 1] += saving(bits);
                    counts[best - 1] += suspect.count;
                    evidence[best - 1].add_changed(piece);
                }
            }
        }
        let all = self.others + self.sample.values().map(|suspect| suspect.count).sum::<usize>();
        // The most frequent ones first.
        let mut known: Vec<(Damage, usize)> = vec![];
        for (((damage, saved), count), evidence) in damages.into_iter().zip(saved).zip(counts).zip(evidence) {
            // Sequences of UTF-8 are evidence in all languages.
            let is_evident = damage.path.is_utf8() || evidence.is_enough();
            if is_evident && saved > damage.path.cost_in_column() {
                let place = known.partition_point(|&(_, other)| other >= count);
                known.insert(place, (damage, count));
            }
        }
        known.truncate(MAX_DAMAGES);
        let known = known.into_iter().map(|(damage, count)| {
            let cost = MIN_COST + ((all + 1) as f32 / (count as f32 + 0.5)).log2();
            Damage { cost: cost.min(damage.cost), ..damage }
        });
        Ok(known.collect())
    }

    /// Returns groups of the lines that no known damage explains, with their traces.
    fn groups(
        &self,
        pieces: &mut [LinePiece<'_>],
        damages: &[Damage],
        poll: Poll<'_>,
    ) -> Result<Vec<(String, Suspicion)>, Stopped> {
        let mut groups: Vec<(String, Suspicion)> = vec![];
        for (piece, suspect) in pieces.iter_mut().zip(self.sample.values()) {
            piece.score(damages, self.knowledge.languages, poll)?;
            if least(piece.bits.iter().copied()).0 > 0 {
                continue;
            }
            match groups.last_mut() {
                Some((group, traces)) if group.len() + piece.text.len() < MAX_GROUP_BYTES => {
                    group.push('\n');
                    group.push_str(piece.text);
                    traces.sequences |= suspect.suspicion.sequences;
                    traces.odd |= suspect.suspicion.odd;
                }
                _ => groups.push((piece.text.to_owned(), suspect.suspicion)),
            }
        }
        Ok(groups)
    }
}

/// Repairs the cells of a column, which support each other: short ones are repaired as their neighbours show.
///
/// ```
/// use leadbyte::mojibake::repair_many;
/// let cells = ["Â£5", "Ãœber", "10Ã—15", "â‚¬ 20", "plain", "Größe"];
/// assert_eq!(repair_many(&cells), ["£5", "Über", "10×15", "€ 20", "plain", "Größe"]);
/// assert_eq!(repair_many(&["10 Å—", "Größe"]), ["10 Å—", "Größe"]);
/// ```
pub fn repair_many<'a>(cells: &[&'a str]) -> Vec<Cow<'a, str>> {
    uninterrupted(repair_cells(cells, &mut unpolled))
}

fn repair_cells<'a>(cells: &[&'a str], poll: Poll<'_>) -> Result<Vec<Cow<'a, str>>, Stopped> {
    let mut column = Column::default();
    for cell in cells {
        column.add(cell, poll)?;
    }
    let knowledge = column.finish(poll)?;
    let mut repaired = vec![];
    repaired.grow(cells.len())?;
    for cell in cells {
        repaired.push(explain_with(cell, &knowledge, poll)?.text);
    }
    Ok(repaired)
}

#[cfg(test)]
mod tests {
    use encoding_rs::WINDOWS_1252;

    use super::*;

    fn read(text: &str) -> String {
        WINDOWS_1252.decode_without_bom_handling(text.as_bytes()).0.into_owned()
    }

    fn damage<'a>(cells: impl IntoIterator<Item = &'a str>) -> usize {
        let mut column = Column::default();
        for cell in cells {
            uninterrupted(column.add(cell, &mut unpolled));
        }
        uninterrupted(column.finish(&mut unpolled)).damages.len()
    }

    #[test]
    fn damage_is_known_from_different_cells() {
        let cells = ["£5", "Über", "10×15", "café"].map(read);
        let cells = || cells.iter().map(String::as_str);
        assert_eq!(damage(cells()), 1);
        // Each one alone, and repeated, is too little evidence.
        for cell in cells() {
            assert_eq!(damage([cell]), 0);
        }
        assert_eq!(damage(["10 Å—"; 99]), 0);
        assert_eq!(damage(["─────", "É…", "VOCÊ…", "■ 製品", "Größe"]), 0);
    }

    #[test]
    fn large_columns_are_sampled() {
        let cells: Vec<_> = (0..9000).map(|number| read(&format!("{number} été"))).collect();
        let mut poll = || Ok(());
        let mut column = Column::default();
        for cell in &cells {
            assert_eq!(column.add(cell, &mut poll), Ok(true));
        }
        assert!(column.rate > 0 && column.sample_bytes <= MAX_SAMPLE_BYTES);
        assert_eq!(column.finish(&mut poll).unwrap().damages.len(), 1);
    }

    #[test]
    fn it_stops_when_poll_fails() {
        let cells = ["£5", "Über", "10×15", "café"].map(read);
        let stop = Stopped::Interrupted;
        let mut column = Column::default();
        for cell in &cells {
            column.add(cell, &mut || Ok(())).unwrap();
        }
        assert!(matches!(column.finish(&mut || Err(stop)), Err(error) if error == stop));
    }
}
