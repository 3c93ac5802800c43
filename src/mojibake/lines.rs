//! A text line by line: neighbours mostly went through the same.

use std::borrow::Cow;

use memchr::memchr;

use super::glance::suspicious;
use super::search::{Candidate, Path, search};
use super::{Repair, Stretch};
use crate::boundary::head;

/// Lines are cut that are longer, in bytes.
const LONG: usize = 1 << 10;

/// About so many bytes are judged together.
const BLOCK: usize = 64 << 10;

/// At most so many paths are weighed against each other.
const PATHS: usize = 8;

/// If a path that was met before saves so many bits, no other is looked for.
const CLEARLY: f32 = 16.0;

/// A line, or a part of a long one.
struct Piece<'a> {
    text: &'a str,
    /// Where it starts in the whole text, and in which line.
    at: usize,
    line: usize,
    /// As it is; nothing if it is good for certain.
    unchanged: Option<Candidate>,
    /// The bits as it is, and behind each of the paths.
    bits: Vec<f32>,
}

/// What goes on from block to block.
#[derive(Default)]
struct Lines<'a> {
    /// The paths that were found.
    paths: Vec<Path>,
    /// The one that the last piece went, and its number plus one; 0 for none.
    last: usize,
    /// What is mended, up to `taken`.
    text: String,
    taken: usize,
    stretches: Vec<Stretch>,
    pieces: Vec<Piece<'a>>,
}

pub(super) fn explain<E>(text: &str, mut poll: impl FnMut() -> Result<(), E>) -> Result<Repair<'_>, E> {
    let mut lines = Lines::default();
    let (mut at, mut line, mut judged) = (0, 1, 0);
    while at < text.len() {
        let piece = piece(&text[at..]);
        let unchanged = suspicious(piece).then(|| Candidate::unchanged(piece));
        let bits = unchanged.iter().map(|unchanged| unchanged.bits).collect();
        lines.pieces.push(Piece { text: piece, at, line, unchanged, bits });
        at += piece.len();
        let ends = piece.ends_with('\n');
        line += usize::from(ends);
        if at == text.len() || ends && at - judged >= BLOCK {
            lines.mend(text, &mut poll)?;
            judged = at;
        }
    }
    let Lines { text: mut mended, taken, stretches, .. } = lines;
    if stretches.is_empty() {
        return Ok(Repair { text: Cow::Borrowed(text), stretches });
    }
    mended.push_str(&text[taken..]);
    Ok(Repair { text: Cow::Owned(mended), stretches })
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

impl Lines<'_> {
    /// Mends the pieces, and is then ready for others.
    fn mend<E>(&mut self, whole: &str, poll: &mut impl FnMut() -> Result<(), E>) -> Result<(), E> {
        let mut pieces = std::mem::take(&mut self.pieces);
        if pieces.iter().all(|piece| piece.bits.is_empty()) {
            self.last = 0;
            return poll();
        }
        for piece in pieces.iter_mut().filter(|piece| !piece.bits.is_empty()) {
            poll()?;
            self.weigh(piece);
            let least = piece.bits.iter().copied().fold(f32::INFINITY, f32::min);
            if least + CLEARLY <= piece.bits[0] || self.paths.len() == PATHS {
                continue;
            }
            let found = search(piece.text);
            // Alone it may not be worth the damage, but together with others.
            if piece.unchanged.as_ref().is_some_and(|unchanged| found.bits(unchanged) < unchanged.bits)
                && !self.paths.contains(&found.path)
            {
                self.paths.push(found.path);
            }
        }
        for piece in pieces.iter_mut().filter(|piece| !piece.bits.is_empty()) {
            poll()?;
            self.weigh(piece);
        }
        let way = self.way(&pieces);
        let mut rest = &pieces[..];
        for states in way.chunk_by(|a, b| a == b) {
            let run;
            (run, rest) = rest.split_at(states.len());
            if let Some(path) = states[0].checked_sub(1) {
                self.stretch(whole, run, &self.paths[path].clone());
            }
        }
        self.last = way.last().copied().unwrap_or_default();
        Ok(())
    }

    /// Mends neighbours that all went the same path.
    fn stretch(&mut self, whole: &str, pieces: &[Piece<'_>], path: &Path) {
        let mut stretch: Option<Stretch> = None;
        for piece in pieces {
            let candidate = path.undo(piece.text);
            if candidate.text == piece.text {
                continue;
            }
            let language = candidate.language.code();
            let stretch = stretch.get_or_insert_with(|| Stretch::empty(piece.at, piece.line, language));
            stretch.bytes.end = piece.at + piece.text.len();
            stretch.lines = *stretch.lines.start()..=piece.line;
            stretch.sequences += candidate.sequences;
            stretch.left += candidate.left;
            stretch.bits.0 += piece.bits.first().copied().unwrap_or_default();
            stretch.bits.1 += candidate.bits;
            self.text.push_str(&whole[self.taken..piece.at]);
            self.text.push_str(&candidate.text);
            self.taken = stretch.bytes.end;
        }
        if let Some(mut stretch) = stretch {
            stretch.readings = path.readings(&whole[stretch.bytes.clone()]);
            self.stretches.push(stretch);
        }
    }

    /// Weighs a piece behind all paths that it was not weighed behind yet.
    fn weigh(&self, piece: &mut Piece<'_>) {
        let Some(unchanged) = &piece.unchanged else { return };
        for path in &self.paths[piece.bits.len() - 1..] {
            piece.bits.push(path.undo(piece.text).bits(unchanged));
        }
    }

    /// The way through all pieces, each as it is (0) or behind a path (its number plus one), that has the fewest bits
    /// in all. To stay on a path costs nothing, to turn to it what such damage costs (Viterbi, 1967).
    fn way(&self, pieces: &[Piece<'_>]) -> Vec<usize> {
        let turning: Vec<f32> = core::iter::once(0.0).chain(self.paths.iter().map(Path::cost)).collect();
        let mut costs = turning.clone();
        costs[self.last] = 0.0;
        let mut from: Vec<Vec<usize>> = vec![];
        for piece in pieces {
            let cheapest =
                (0..costs.len()).min_by(|&a, &b| costs[a].total_cmp(&costs[b])).unwrap_or_default();
            let mut came = vec![];
            let before = costs.clone();
            for (state, cost) in costs.iter_mut().enumerate() {
                let turned = before[cheapest] + turning[state];
                came.push(if turned < *cost { cheapest } else { state });
                *cost = turned.min(*cost);
                *cost += match piece.bits.get(state) {
                    Some(bits) => *bits,
                    None if state == 0 || piece.text.is_ascii() => 0.0,
                    None => f32::INFINITY,
                };
            }
            from.push(came);
        }
        let mut state = (0..costs.len()).min_by(|&a, &b| costs[a].total_cmp(&costs[b])).unwrap_or_default();
        let mut way = vec![0; pieces.len()];
        for (at, came) in from.iter().enumerate().rev() {
            way[at] = state;
            state = came[state];
        }
        way
    }
}
