//! A text line by line: neighbours mostly went through the same.

use std::collections::HashSet;

use memchr::{memchr, memrchr};

use super::glance::{Suspicion, suspicion};
use super::search::{Candidate, Path, search};
use super::{Repair, Stretch};
use crate::allocation::{AllocError, try_push, try_push_str};
use crate::boundary::head;
use crate::count_newlines;

/// Lines are cut that are longer, in bytes.
const LONG: usize = 1 << 10;

/// About so many bytes are judged together, or so many of a line that does not end.
const BLOCK: usize = 64 << 10;
const LONG_BLOCK: usize = 256 << 10;

/// At most so many paths are weighed against each other.
const PATHS: usize = 8;

/// If a path that was met before saves so many bits, no other is looked for.
const CLEARLY: f32 = 16.0;

/// So many bytes are evidence enough.
const ENOUGH: usize = 4 << 10;

/// So many words of ASCII tell the language, and no longer ones.
const PLAIN_WORDS: usize = 24;
const LONG_WORD: usize = 24;

/// A line, or a part of a long one, that is not ASCII.
struct Piece<'a> {
    text: &'a str,
    /// Where it starts in the whole text.
    at: usize,
    suspicion: Option<Suspicion>,
    /// What of it is judged, as it is, and the bits of this and of what is behind each of the paths; once they are asked
    /// for.
    unchanged: Option<Candidate>,
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

pub(super) fn explain<E: From<AllocError>>(
    text: &str,
    mut poll: impl FnMut() -> Result<(), E>,
) -> Result<Repair<'_>, E> {
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
    let (mut at, mut judged) = (0, 0);
    while at < text.len() {
        let piece = piece(&text[at..]);
        if !piece.is_ascii() {
            let suspicion = suspicion(piece);
            lines.pieces.push(Piece { text: piece, at, suspicion, unchanged: None, bits: vec![] });
        }
        at += piece.len();
        let pending = at - judged;
        if at == text.len() || pending >= LONG_BLOCK || pending >= BLOCK && piece.ends_with('\n') {
            lines.mend(&mut poll)?;
            judged = at;
        }
    }
    lines.finish()
}

/// The first line, or as much of it as is judged at once: not to within a word, if that ends before long, and not to
/// within what may be a sequence.
fn piece(text: &str) -> &str {
    let whole = memchr(b'\n', text.as_bytes()).map_or(text.len(), |end| end + 1);
    let line = &text[..whole];
    if whole <= LONG {
        return line;
    }
    let bytes = line.as_bytes();
    let space = memrchr(b' ', &bytes[..LONG]);
    let end = space.or_else(|| bytes[LONG..].iter().position(u8::is_ascii).map(|place| LONG + place));
    end.map_or(line, |end| &line[..=end])
}

impl Piece<'_> {
    /// Weighs it behind all paths that it was not weighed behind yet.
    fn weigh(&mut self, paths: &[Path]) -> Result<&Candidate, AllocError> {
        let unchanged = self.unchanged.get_or_insert_with(|| Candidate::unchanged(evidence(self.text)));
        if self.bits.is_empty() {
            self.bits.push(unchanged.bits);
        }
        for path in &paths[self.bits.len() - 1..] {
            self.bits.push(path.undo(&unchanged.text)?.bits(unchanged));
        }
        Ok(unchanged)
    }
}

/// What of a text is evidence: what is said twice is so only once, and of what is in ASCII some words will do to tell
/// the language by.
fn evidence(text: &str) -> String {
    let mut met = HashSet::new();
    let mut plain = 0;
    let words = text.split(' ').filter(|&word| {
        plain += usize::from(word.is_ascii());
        met.insert(word) && (!word.is_ascii() || plain <= PLAIN_WORDS && word.len() <= LONG_WORD)
    });
    let mut evidence = String::new();
    for (number, word) in words.enumerate() {
        if number > 0 {
            evidence.push(' ');
        }
        evidence.push_str(&word[..head(word.as_bytes(), ENOUGH).len()]);
        if evidence.len() >= ENOUGH {
            break;
        }
    }
    evidence.truncate(head(evidence.as_bytes(), ENOUGH).len());
    evidence
}

impl<'a> Lines<'a> {
    /// Mends the pieces, and is then ready for others.
    fn mend<E: From<AllocError>>(&mut self, poll: &mut impl FnMut() -> Result<(), E>) -> Result<(), E> {
        poll()?;
        let mut pieces = std::mem::take(&mut self.pieces);
        for piece in &mut pieces {
            let Some(suspicion) = piece.suspicion else { continue };
            poll()?;
            piece.weigh(&self.paths)?;
            let (_, least) = least(&piece.bits);
            if least + CLEARLY > piece.bits[0] && self.paths.len() < PATHS {
                let found = search(piece.weigh(&self.paths)?, suspicion)?;
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
            piece.weigh(&self.paths)?;
        }
        let way = self.way(&pieces);
        self.last = way.last().copied().unwrap_or(self.last);
        let mut rest = &pieces[..];
        for states in way.chunk_by(|a, b| a == b) {
            let run;
            (run, rest) = rest.split_at(states.len());
            if let Some(path) = states[0].checked_sub(1) {
                let path = self.paths[path].clone();
                self.stretch(run, &path)?;
            }
        }
        Ok(())
    }

    /// Mends neighbours that all went the same path.
    fn stretch(&mut self, pieces: &[Piece<'_>], path: &Path) -> Result<(), AllocError> {
        let mut stretch: Option<Stretch> = None;
        for piece in pieces {
            let candidate = path.undo(piece.text)?;
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
            stretch.bits.0 += match &piece.unchanged {
                Some(unchanged) if unchanged.text == piece.text => unchanged.bits,
                _ => Path::default().undo(piece.text)?.bits,
            };
            stretch.bits.1 += candidate.bits;
            try_push_str(&mut self.text, &self.whole[self.taken..piece.at])?;
            try_push_str(&mut self.text, &candidate.text)?;
            self.taken = end;
        }
        if let Some(mut stretch) = stretch {
            stretch.readings = path.readings(&self.whole[stretch.bytes.clone()])?;
            try_push(&mut self.stretches, stretch)?;
        }
        Ok(())
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

    fn finish<E: From<AllocError>>(mut self) -> Result<Repair<'a>, E> {
        if self.stretches.is_empty() {
            return Ok(Repair { text: self.whole.into(), stretches: vec![] });
        }
        try_push_str(&mut self.text, &self.whole[self.taken..])?;
        Ok(Repair { text: self.text.into(), stretches: self.stretches })
    }
}

/// The first of the least numbers, and where it stands.
fn least(numbers: &[f32]) -> (usize, f32) {
    let better = |best: (usize, f32), next: (usize, f32)| if next.1 < best.1 { next } else { best };
    numbers.iter().copied().enumerate().fold((0, f32::INFINITY), better)
}
