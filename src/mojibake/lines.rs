//! A text line by line: neighbours mostly went through the same.

use std::borrow::Cow;
use std::collections::HashSet;

use memchr::memchr;

use super::glance::{Suspicion, suspicion};
use super::search::{Candidate, Path, search};
use super::{Repair, Stretch};
use crate::boundary::head;
use crate::count_newlines;

/// Lines are cut that are longer, in bytes.
const LONG: usize = 1 << 10;

/// About so many bytes are judged together.
const BLOCK: usize = 64 << 10;

/// At most so many paths are weighed against each other.
const PATHS: usize = 8;

/// If a path that was met before saves so many bits, no other is looked for.
const CLEARLY: f32 = 16.0;

/// A line, or a part of a long one, that is suspicious.
struct Piece<'a> {
    text: &'a str,
    /// Where it starts in the whole text.
    at: usize,
    /// Whether good text stands between it and the one before.
    apart: bool,
    suspicion: Suspicion,
    /// What of it is judged, as it is.
    unchanged: Candidate,
    /// The bits of this, and behind each of the paths.
    bits: Vec<f32>,
}

/// What goes on from block to block.
struct Lines<'a> {
    whole: &'a str,
    /// The paths that were found.
    paths: Vec<Path>,
    /// The one that the last piece went, and its number plus one; 0 for none.
    last: usize,
    pieces: Vec<Piece<'a>>,
    /// What is mended, up to `taken`.
    text: String,
    taken: usize,
    stretches: Vec<Stretch>,
    /// The line that stands at a place.
    line: usize,
    counted: usize,
}

pub(super) fn explain<E>(text: &str, mut poll: impl FnMut() -> Result<(), E>) -> Result<Repair<'_>, E> {
    let mut lines = Lines {
        whole: text,
        paths: vec![],
        last: 0,
        pieces: vec![],
        text: String::new(),
        taken: 0,
        stretches: vec![],
        line: 1,
        counted: 0,
    };
    let (mut at, mut judged, mut apart) = (0, 0, false);
    while at < text.len() {
        let piece = piece(&text[at..]);
        match if piece.is_ascii() { None } else { suspicion(piece) } {
            Some(suspicion) => {
                lines.pieces.push(Piece::new(piece, at, apart, suspicion));
                apart = false;
            }
            None => apart |= !piece.is_ascii(),
        }
        at += piece.len();
        if at == text.len() || at - judged >= BLOCK && piece.ends_with('\n') {
            lines.mend(&mut poll)?;
            judged = at;
        }
    }
    Ok(lines.finish())
}

/// The first line, or as much of it as is judged at once.
fn piece(text: &str) -> &str {
    let whole = memchr(b'\n', text.as_bytes()).map_or(text.len(), |end| end + 1);
    if whole <= LONG {
        return &text[..whole];
    }
    let longest = &text[..head(text.as_bytes(), LONG).len()];
    longest.rfind(' ').map_or(longest, |space| &longest[..=space])
}

impl<'a> Piece<'a> {
    fn new(text: &'a str, at: usize, apart: bool, suspicion: Suspicion) -> Self {
        let unchanged = Candidate::unchanged(&evidence(text));
        let bits = vec![unchanged.bits];
        Self { text, at, apart, suspicion, unchanged, bits }
    }

    /// Weighs it behind all paths that it was not weighed behind yet.
    fn weigh(&mut self, paths: &[Path]) {
        for path in &paths[self.bits.len() - 1..] {
            self.bits.push(path.undo(&self.unchanged.text).bits(&self.unchanged));
        }
    }
}

/// What of a text is evidence: what is said twice is so only once.
fn evidence(text: &str) -> Cow<'_, str> {
    let mut met = HashSet::new();
    let words: Vec<&str> = text.split(' ').collect();
    let new: Vec<&str> = words.iter().copied().filter(|word| word.is_empty() || met.insert(*word)).collect();
    if new.len() == words.len() { text.into() } else { new.join(" ").into() }
}

impl<'a> Lines<'a> {
    /// Mends the pieces, and is then ready for others.
    fn mend<E>(&mut self, poll: &mut impl FnMut() -> Result<(), E>) -> Result<(), E> {
        poll()?;
        let mut pieces = std::mem::take(&mut self.pieces);
        for piece in &mut pieces {
            poll()?;
            piece.weigh(&self.paths);
            let least = piece.bits.iter().copied().fold(f32::INFINITY, f32::min);
            if least + CLEARLY > piece.bits[0] && self.paths.len() < PATHS {
                let found = search(&piece.unchanged, piece.suspicion);
                if !found.path.0.is_empty() && !self.paths.contains(&found.path) {
                    self.paths.push(found.path);
                }
            }
        }
        if self.paths.is_empty() {
            return Ok(());
        }
        for piece in &mut pieces {
            poll()?;
            piece.weigh(&self.paths);
        }
        let way = self.way(&pieces);
        self.last = way.last().copied().unwrap_or(self.last);
        let mut rest = &pieces[..];
        for states in way.chunk_by(|a, b| a == b) {
            let run;
            (run, rest) = rest.split_at(states.len());
            if let Some(path) = states[0].checked_sub(1) {
                let path = self.paths[path].clone();
                run.chunk_by(|_, next| !next.apart).for_each(|run| self.stretch(run, &path));
            }
        }
        Ok(())
    }

    /// Mends neighbours that all went the same path.
    fn stretch(&mut self, pieces: &[Piece<'_>], path: &Path) {
        let mut stretch: Option<Stretch> = None;
        for piece in pieces {
            let candidate = path.undo(piece.text);
            if candidate.text == piece.text {
                continue;
            }
            let end = piece.at + piece.text.len();
            let line = self.line_at(piece.at);
            let stretch =
                stretch.get_or_insert_with(|| Stretch::empty(piece.at, line, candidate.language.code()));
            stretch.bytes.end = end;
            stretch.lines = *stretch.lines.start()..=line;
            stretch.sequences += candidate.sequences;
            stretch.left += candidate.left;
            stretch.bits.0 += Candidate::unchanged(piece.text).bits;
            stretch.bits.1 += candidate.bits;
            self.text.push_str(&self.whole[self.taken..piece.at]);
            self.text.push_str(&candidate.text);
            self.taken = end;
        }
        if let Some(mut stretch) = stretch {
            stretch.readings = path.readings(&self.whole[stretch.bytes.clone()]);
            self.stretches.push(stretch);
        }
    }

    /// The number of the line at a place, which is behind the last one that was asked for.
    fn line_at(&mut self, at: usize) -> usize {
        self.line += count_newlines(&self.whole.as_bytes()[self.counted..at]);
        self.counted = at;
        self.line
    }

    /// The way through all pieces, each as it is (0) or behind a path (its number plus one), that has the fewest bits
    /// in all. To stay on a path costs nothing, to turn to it what such damage costs (Viterbi, 1967).
    fn way(&self, pieces: &[Piece<'_>]) -> Vec<usize> {
        let turning: Vec<f32> = core::iter::once(0.0).chain(self.paths.iter().map(Path::cost)).collect();
        let mut costs = turning.clone();
        costs[self.last] = 0.0;
        let mut came_from: Vec<Vec<usize>> = vec![];
        for piece in pieces {
            let before = costs.clone();
            let (cheapest, least) = least(&before);
            let mut came = vec![];
            for (state, cost) in costs.iter_mut().enumerate() {
                let turned = least + turning[state];
                let turns = turned < *cost;
                came.push(if turns { cheapest } else { state });
                *cost = turned.min(*cost) + piece.bits[state];
            }
            came_from.push(came);
        }
        let (mut state, _) = least(&costs);
        let mut way = vec![0; pieces.len()];
        for (at, came) in came_from.iter().enumerate().rev() {
            way[at] = state;
            state = came[state];
        }
        way
    }

    fn finish(mut self) -> Repair<'a> {
        if self.stretches.is_empty() {
            return Repair { text: self.whole.into(), stretches: vec![] };
        }
        self.text.push_str(&self.whole[self.taken..]);
        Repair { text: self.text.into(), stretches: self.stretches }
    }
}

/// The first of the least numbers, and where it stands.
fn least(numbers: &[f32]) -> (usize, f32) {
    let better = |best: (usize, f32), next: (usize, f32)| if next.1 < best.1 { next } else { best };
    numbers.iter().copied().enumerate().fold((0, f32::INFINITY), better)
}
