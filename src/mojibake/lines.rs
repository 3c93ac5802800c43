//! The repair of a text line by line: neighbouring lines usually have the same damage.

use core::ops::RangeInclusive;
use std::collections::{HashMap, HashSet};

use memchr::{memchr, memrchr};

use super::beam_search::{AFTER_UNCHANGED, CLEAR_BITS, Candidate, LEFT_BITS, Path, beam_search};
use super::knowledge::{Damage, Knowledge};
use super::prefilter::{Suspicion, suspicion};
use super::repair::{Repair, Stretch};
use crate::allocation::{AllocError, Grow, product, try_extend, try_push, try_push_str};
use crate::count::count_newlines;
use crate::language::{Language, LanguageScore, Languages};
use crate::progress::{Poll, Stopped};
use crate::sequence::boundary::head;

/// The length in bytes beyond which lines are cut.
const MAX_LINE_BYTES: usize = 1 << 10;

/// The number of bytes after these beyond which a line without ASCII is cut anywhere between two characters.
const MAX_RUN_BYTES: usize = 1 << 20;

/// The number of bytes that are repaired together, if a line ends there; and the most without the end of a line.
const BLOCK_BYTES: usize = 64 << 10;
const MAX_BLOCK_BYTES: usize = 256 << 10;

/// The most lines that a damage changes for each one that shows damage by itself.
const MAX_FOLLOWERS: usize = 4;

/// How often a block is repaired with more and more lines left as they are, before all of them are.
const MAX_ATTEMPTS: usize = 3;

/// The most paths that are compared.
const MAX_PATHS: usize = 8;

/// The most bytes of a piece that are scored, and about the most by which the language of a repaired part is detected.
const MAX_EVIDENCE_BYTES: usize = 4 << 10;

/// The most equal characters in a row that are scored: a sequence of UTF-8 has as many.
const MAX_REPEATED: usize = 3;

/// The most ASCII words that are scored, and their greatest length in bytes.
const MAX_ASCII_WORDS: usize = 24;
const MAX_ASCII_WORD_BYTES: usize = 24;

/// A non-ASCII line, or a part of a long one.
pub(super) struct LinePiece<'a> {
    pub text: &'a str,
    /// The offset in the whole text in bytes.
    at: usize,
    suspicion: Option<Suspicion>,
    /// The scored part of it, as it is, and the costs in bits of this and of its original on each path; computed on
    /// demand.
    unchanged: Option<Candidate>,
    pub bits: Vec<f32>,
    /// Whether each of these may be a chance: see [`Undone::doubtful`](super::undo::Undone::doubtful).
    doubtful: Vec<bool>,
    /// Whether its original on one of these paths is more likely by [`CLEAR_BITS`], so that no other is searched.
    is_clear: bool,
    /// Whether its original was searched in vain.
    is_intact: bool,
    /// Whether it is of a column, whose cells may all be in one language that the model does not have.
    in_column: bool,
}

/// The knowledge from the previous blocks, for a text that is repaired block by block: see [`Blocks::length`].
pub struct Blocks {
    languages: Languages,
    /// The damage that was given, and that was found; and the number of the given ones.
    damages: Vec<Damage>,
    given: usize,
    /// The state of the last piece: the index of its path plus one, or 0 for none.
    last: usize,
    /// The evidence for and against each damage.
    evidence: Vec<Evidence>,
}

/// The evidence of pieces about a damage: how many would be others without it, and how many of these would be likelier;
/// and how many were to be repaired, and how many of these show damage by themselves.
#[derive(Clone, Copy, Default)]
pub(super) struct Evidence {
    others: usize,
    likelier: usize,
    changed: usize,
    showing: usize,
}

impl Evidence {
    /// Adds a piece that is to be repaired.
    pub(super) fn add_changed(&mut self, piece: &LinePiece<'_>) {
        self.changed += 1;
        self.showing += usize::from(piece.shows_damage());
    }

    /// Returns whether enough of the pieces that are to be repaired show damage by themselves.
    pub(super) fn is_enough(self) -> bool {
        self.changed <= MAX_FOLLOWERS * self.showing
    }
}

#[cfg_attr(not(feature = "bindings"), expect(dead_code))]
impl Blocks {
    /// Starts with the knowledge about the text.
    pub fn new(knowledge: &Knowledge) -> Self {
        let (languages, damages) = (knowledge.languages, knowledge.damages.clone());
        Self { languages, given: damages.len(), damages, last: 0, evidence: vec![] }
    }

    /// Returns the length in bytes of the first block of `text`, which is the rest of the text if `is_last`; `None` if
    /// that depends on what follows. Blocks are of whole lines but where these are long.
    pub fn length(text: &str, is_last: bool) -> Option<usize> {
        let mut at = 0;
        while let Some(length) = piece_length(&text[at..]) {
            at += length;
            if is_block(at, &text[at - length..at]) {
                return Some(at);
            }
        }
        (is_last && !text.is_empty()).then_some(text.len())
    }

    /// Counts the pieces that would be others without each damage.
    fn count(&mut self, pieces: &[LinePiece<'_>]) -> Result<(), AllocError> {
        self.evidence.grow(self.damages.len() - self.evidence.len())?;
        self.evidence.resize(self.damages.len(), Evidence::default());
        for piece in pieces {
            for (evidence, &bits) in self.evidence.iter_mut().zip(&piece.bits[1..]) {
                evidence.others += usize::from(bits != piece.bits[0]);
                evidence.likelier += usize::from(bits < piece.bits[0]);
            }
        }
        Ok(())
    }

    /// Returns the costs in bits of the states if they begin in a piece: more for damage without which many pieces
    /// would be others, but few of them likelier.
    fn costs(&self) -> Vec<f32> {
        let damages = self.damages.iter().zip(&self.evidence).enumerate();
        let costs = damages.map(|(index, (damage, evidence))| {
            let rareness = evidence.others.max(1) as f32 / evidence.likelier.max(1) as f32;
            damage.cost + if index < self.given { 0.0 } else { rareness.log2() }
        });
        core::iter::once(0.0).chain(costs).collect()
    }

    /// Repairs the next block.
    pub fn repair<'a>(&mut self, block: &'a str, poll: Poll<'_>) -> Result<Repair<'a>, Stopped> {
        let mut lines = Lines::new(block, self);
        lines.add_all(poll)?;
        lines.repair(poll)?;
        lines.finish()
    }
}

/// Returns whether a block of a length ends with its last piece.
fn is_block(length: usize, piece: &str) -> bool {
    length >= MAX_BLOCK_BYTES || length >= BLOCK_BYTES && piece.ends_with('\n')
}

/// The lines of a text, or of a block of it.
struct Lines<'a, 's> {
    whole: &'a str,
    known: &'s mut Blocks,
    pieces: Vec<LinePiece<'a>>,
    /// Texts, in order, whose originals were searched in vain before.
    intact: &'s [&'s str],
    /// The repaired text of `whole[..taken]`.
    text: String,
    taken: usize,
    stretches: Vec<Stretch>,
    /// The number of the line at the offset `counted`.
    line: usize,
    counted: usize,
}

pub(super) fn explain<'a>(
    text: &'a str,
    knowledge: &Knowledge,
    poll: Poll<'_>,
) -> Result<Repair<'a>, Stopped> {
    let mut known = Blocks::new(knowledge);
    let mut lines = Lines::new(text, &mut known);
    let (mut at, mut judged) = (0, 0);
    while at < text.len() {
        let piece = lines.add(at, poll)?;
        at += piece.len();
        if at == text.len() || is_block(at - judged, piece) {
            lines.repair(poll)?;
            judged = at;
        }
    }
    lines.finish()
}

/// Returns the first line, or the first part of a long one: it ends after a word if one ends soon, and not inside what
/// may be a sequence.
pub(super) fn piece(text: &str) -> &str {
    piece_length(text).map_or(text, |length| &text[..length])
}

/// Returns the length in bytes of the first piece; `None` if the text ends before it does.
fn piece_length(text: &str) -> Option<usize> {
    // The search for the end of a line is bounded, as it starts again for each part.
    let (start, rest) = text.as_bytes().split_at(text.len().min(MAX_LINE_BYTES));
    let (run, further) = rest.split_at(rest.len().min(MAX_RUN_BYTES));
    memchr(b'\n', start)
        .or_else(|| if rest.is_empty() { None } else { memrchr(b' ', start) })
        .or_else(|| run.iter().position(u8::is_ascii).map(|place| MAX_LINE_BYTES + place))
        .map(|last| last + 1)
        .or_else(|| {
            let longest = MAX_LINE_BYTES + MAX_RUN_BYTES;
            if further.is_empty() { None } else { Some(head(text.as_bytes(), longest).len()) }
        })
}

impl<'a> LinePiece<'a> {
    pub(super) fn new(text: &'a str, at: usize, suspicion: Option<Suspicion>) -> Self {
        Self {
            text,
            at,
            suspicion,
            unchanged: None,
            bits: vec![],
            doubtful: vec![],
            is_clear: false,
            is_intact: false,
            in_column: false,
        }
    }

    /// Creates a piece of a column.
    pub(super) fn in_column(text: &'a str, suspicion: Suspicion) -> Self {
        Self { in_column: true, ..Self::new(text, 0, Some(suspicion)) }
    }

    /// Searches its original if it is suspicious, and adds the damage if it is new.
    pub(super) fn search(
        &mut self,
        damages: &mut Vec<Damage>,
        languages: Languages,
        poll: Poll<'_>,
    ) -> Result<(), Stopped> {
        let Some(suspicion) = self.suspicion else { return Ok(()) };
        poll()?;
        self.score(damages, languages, poll)?;
        if !self.is_clear && damages.len() < MAX_PATHS {
            let found = beam_search(self.score(damages, languages, poll)?, suspicion, poll)?;
            self.is_intact = found.path.0.is_empty();
            if !self.is_intact && !damages.iter().any(|damage| damage.path == found.path) {
                damages.push(Damage::new(found.path));
            }
        }
        Ok(())
    }

    /// Takes the outcome of the search and the costs of an equal piece.
    fn judge_as(&mut self, equal: &Self) -> Result<(), AllocError> {
        self.unchanged.clone_from(&equal.unchanged);
        try_extend(&mut self.bits, &equal.bits)?;
        try_extend(&mut self.doubtful, &equal.doubtful)?;
        (self.is_clear, self.is_intact) = (equal.is_clear, equal.is_intact);
        Ok(())
    }

    /// Returns whether it shows damage by itself: its original was searched, and not in vain.
    fn shows_damage(&self) -> bool {
        self.suspicion.is_some() && !self.is_intact
    }

    /// Returns whether a state changes it, and not by what may be a chance.
    fn decides(&self, state: usize) -> bool {
        self.is_changed(state) && !self.doubtful[state]
    }

    /// Returns whether a state other than 0, unchanged, changes it: see [`Lines::best_states`].
    fn is_changed(&self, state: usize) -> bool {
        self.bits[state].is_finite() && self.bits[state] != self.bits[0]
    }

    /// Scores its originals on the paths on which it was not scored yet.
    pub(super) fn score(
        &mut self,
        damages: &[Damage],
        languages: Languages,
        poll: Poll<'_>,
    ) -> Result<&Candidate, Stopped> {
        let unchanged = match self.unchanged.take() {
            Some(unchanged) => unchanged,
            None => Candidate::unchanged(evidence(self.text), self.in_column, languages, poll)?,
        };
        let unchanged = self.unchanged.insert(unchanged);
        if self.bits.is_empty() {
            try_push(&mut self.bits, unchanged.bits)?;
            try_push(&mut self.doubtful, false)?;
        }
        for Damage { path, .. } in &damages[self.bits.len() - 1..] {
            let undone = path.undo(&unchanged.text, unchanged.letters, languages, poll)?;
            let bits = if undone.is_text(unchanged) { undone.bits } else { f32::INFINITY };
            self.is_clear |= undone.undamaged == 0
                && bits + CLEAR_BITS <= unchanged.bits
                && match self.suspicion {
                    Some(found) => path.is_only(unchanged, &undone, found.sequences, poll)?,
                    None => true,
                };
            try_push(&mut self.bits, bits)?;
            try_push(&mut self.doubtful, undone.doubtful)?;
        }
        Ok(unchanged)
    }
}

/// Returns the part of a text that is scored: repeated words once, of the ASCII words some, which indicate the
/// language, and of equal characters in a row the first ones.
fn evidence(text: &str) -> String {
    let mut met = HashSet::new();
    let mut plain = 0;
    let words = text.split(' ').filter(|&word| {
        plain += usize::from(word.is_ascii());
        met.insert(word)
            && (!word.is_ascii() || plain <= MAX_ASCII_WORDS && word.len() <= MAX_ASCII_WORD_BYTES)
    });
    let mut evidence = String::new();
    for (number, word) in words.enumerate() {
        if number > 0 {
            evidence.push(' ');
        }
        let (mut last, mut repeated) = ('\0', 0);
        evidence.extend(word[..head(word.as_bytes(), MAX_EVIDENCE_BYTES).len()].chars().filter(
            |&character| {
                repeated = if character == last { repeated + 1 } else { 0 };
                last = character;
                character.is_ascii() || repeated < MAX_REPEATED
            },
        ));
        if evidence.len() >= MAX_EVIDENCE_BYTES {
            break;
        }
    }
    evidence.truncate(head(evidence.as_bytes(), MAX_EVIDENCE_BYTES).len());
    evidence
}

impl<'a, 's> Lines<'a, 's> {
    fn new(whole: &'a str, known: &'s mut Blocks) -> Self {
        let (pieces, text, stretches) = (vec![], String::new(), vec![]);
        let intact = &[];
        Self { whole, known, pieces, intact, text, taken: 0, stretches, line: 1, counted: 0 }
    }

    /// Adds all pieces.
    fn add_all(&mut self, poll: Poll<'_>) -> Result<(), Stopped> {
        let mut at = 0;
        while at < self.whole.len() {
            at += self.add(at, poll)?.len();
        }
        Ok(())
    }

    /// Adds the piece at an offset in bytes, and returns it.
    fn add(&mut self, at: usize, poll: Poll<'_>) -> Result<&'a str, Stopped> {
        let piece = piece(&self.whole[at..]);
        if !piece.is_ascii() {
            let suspicion = match self.intact {
                [first, rest @ ..] if *first == piece => {
                    self.intact = rest;
                    None
                }
                _ => suspicion(piece, self.known.languages, poll)?,
            };
            try_push(&mut self.pieces, LinePiece::new(piece, at, suspicion))?;
        }
        Ok(piece)
    }

    /// Repairs the pieces, and removes them. Lines that would be repaired again stay as they are.
    fn repair(&mut self, poll: Poll<'_>) -> Result<(), Stopped> {
        let (pieces, mut states) = self.judge(poll)?;
        let [Some(first), Some(last)] = [pieces.first(), pieces.last()] else { return Ok(()) };
        let block = first.at..last.at + last.text.len();
        let (length, taken, count) = (self.text.len(), self.taken, self.stretches.len());
        let (line, counted) = (self.line, self.counted);
        for _ in 0..MAX_ATTEMPTS {
            self.write(&pieces, &states, poll)?;
            if self.stretches.len() == count {
                return Ok(());
            }
            let mut repaired = String::new();
            try_push_str(&mut repaired, &self.text[length + block.start - taken..])?;
            try_push_str(&mut repaired, &self.whole[self.taken..block.end])?;
            let again = self.repaired_again(&repaired, &pieces, poll)?;
            if again.is_empty() {
                return Ok(());
            }
            self.text.truncate(length);
            self.stretches.truncate(count);
            (self.taken, self.line, self.counted) = (taken, line, counted);
            let first = self.line_at(block.start);
            let (mut left, mut rest) = (false, &again[..]);
            for (piece, state) in pieces.iter().zip(&mut states) {
                let number = self.line_at(piece.at) - first + 1;
                while let [lines, further @ ..] = rest
                    && *lines.end() < number
                {
                    rest = further;
                }
                if *state != 0 && rest.first().is_some_and(|lines| lines.contains(&number)) {
                    (*state, left) = (0, true);
                }
            }
            (self.line, self.counted) = (line, counted);
            self.known.last = states.last().copied().unwrap_or(0);
            if !left {
                break;
            }
        }
        Ok(())
    }

    /// Returns the lines of repaired pieces, by number from 1, that would be repaired again.
    fn repaired_again(
        &self,
        repaired: &str,
        pieces: &[LinePiece<'_>],
        poll: Poll<'_>,
    ) -> Result<Vec<RangeInclusive<usize>>, Stopped> {
        let mut intact = vec![];
        for piece in pieces.iter().filter(|piece| piece.is_intact) {
            try_push(&mut intact, piece.text)?;
        }
        let languages = self.known.languages;
        let mut known = Blocks::new(&Knowledge { languages, damages: vec![] });
        let mut lines = Lines { intact: &intact, ..Lines::new(repaired, &mut known) };
        lines.add_all(poll)?;
        let (pieces, states) = lines.judge(poll)?;
        lines.write(&pieces, &states, poll)?;
        let mut again = vec![];
        for stretch in lines.stretches {
            try_push(&mut again, stretch.lines)?;
        }
        Ok(again)
    }

    /// Removes the pieces and returns them, each with the state that is most likely: see [`best_states`].
    ///
    /// [`best_states`]: Self::best_states
    fn judge(&mut self, poll: Poll<'_>) -> Result<(Vec<LinePiece<'a>>, Vec<usize>), Stopped> {
        poll()?;
        let mut pieces = std::mem::take(&mut self.pieces);
        // Logs repeat lines: the index of the first equal one of each that is suspicious.
        let (mut searched, mut first) = (HashMap::new(), vec![]);
        for (index, piece) in pieces.iter_mut().enumerate() {
            let equal = piece.suspicion.map(|_| *searched.entry(piece.text).or_insert(index));
            try_push(&mut first, equal.unwrap_or(index))?;
            if first[index] == index {
                piece.search(&mut self.known.damages, self.known.languages, poll)?;
            }
        }
        if self.known.damages.is_empty() {
            return Ok((vec![], vec![]));
        }
        for (index, &first) in first.iter().enumerate() {
            poll()?;
            let (before, rest) = pieces.split_at_mut(index);
            match before.get(first) {
                Some(equal) => rest[0].judge_as(equal)?,
                None => {
                    rest[0].score(&self.known.damages, self.known.languages, poll)?;
                }
            }
        }
        self.known.count(&pieces)?;
        let mut best = self.best_states(&pieces)?;
        self.leave_unsupported(&pieces, &mut best);
        self.known.last = best.last().copied().unwrap_or(self.known.last);
        Ok((pieces, best))
    }

    /// Leaves the pieces as they are that a damage would change of which too few show damage by themselves: languages
    /// that the model does not have use other letters on each line.
    fn leave_unsupported(&mut self, pieces: &[LinePiece<'_>], states: &mut [usize]) {
        let Blocks { given, evidence, .. } = &mut *self.known;
        for (piece, &state) in pieces.iter().zip(&*states) {
            if let Some(damage) = state.checked_sub(1)
                && piece.is_changed(state)
            {
                evidence[damage].add_changed(piece);
            }
        }
        for state in states {
            if let Some(damage) = state.checked_sub(1)
                && damage >= *given
                && !evidence[damage].is_enough()
            {
                *state = 0;
            }
        }
    }

    /// Repairs the pieces by their states.
    fn write(&mut self, pieces: &[LinePiece<'_>], states: &[usize], poll: Poll<'_>) -> Result<(), Stopped> {
        let mut rest = pieces;
        for states in states.chunk_by(|a, b| a == b) {
            let run;
            (run, rest) = rest.split_at(states.len());
            // Signs that people type follow the lines beside them, as they decide nothing alone.
            if let Some(damage) = states[0].checked_sub(1)
                && run.iter().any(|piece| piece.decides(states[0]))
            {
                let path = self.known.damages[damage].path.clone();
                self.stretch(run, &path, poll)?;
            }
        }
        Ok(())
    }

    /// Repairs adjacent pieces on the same path.
    fn stretch(&mut self, pieces: &[LinePiece<'_>], path: &Path, poll: Poll<'_>) -> Result<(), Stopped> {
        let (length, taken) = (self.text.len(), self.taken);
        let mut stretch: Option<Stretch> = None;
        let (mut sample, mut likeliest) = (LanguageScore::new(), None);
        for piece in pieces {
            let letters = piece.unchanged.as_ref().and_then(|unchanged| unchanged.letters);
            let candidate = path.undo(piece.text, letters, self.known.languages, poll)?;
            if candidate.text == piece.text {
                continue;
            }
            let end = piece.at + piece.text.len();
            let line = self.line_at(piece.at);
            let stretch = stretch.get_or_insert_with(|| Stretch::empty(piece.at, line));
            likeliest.get_or_insert(candidate.language);
            if stretch.bytes.len() < MAX_EVIDENCE_BYTES {
                candidate.text.chars().for_each(|character| sample.add_char(character));
            }
            stretch.bytes.end = end;
            stretch.lines = *stretch.lines.start()..=line;
            stretch.sequences += candidate.sequences;
            stretch.undamaged += candidate.undamaged;
            stretch.bits.0 += match &piece.unchanged {
                Some(unchanged) if unchanged.text == piece.text => unchanged.bits,
                _ => Path::default().undo(piece.text, None, self.known.languages, poll)?.bits,
            };
            stretch.bits.1 += candidate.bits;
            try_push_str(&mut self.text, &self.whole[self.taken..piece.at])?;
            try_push_str(&mut self.text, &candidate.text)?;
            self.taken = end;
        }
        if let Some(mut stretch) = stretch {
            // Only a part of the text may have been scored before.
            if stretch.bits.0 <= stretch.bits.1 {
                self.text.truncate(length);
                self.taken = taken;
                return Ok(());
            }
            let known = likeliest.filter(|&language| self.known.languages.have(language));
            stretch.language = known.map(Language::code).or_else(|| sample.language());
            stretch.readings = path.readings(&self.whole[stretch.bytes.clone()], poll)?;
            try_push(&mut self.stretches, stretch)?;
        }
        Ok(())
    }

    /// Returns the number of the line at an offset, which is not before the last one.
    fn line_at(&mut self, at: usize) -> usize {
        self.line += count_newlines(&self.whole.as_bytes()[self.counted..at]);
        self.counted = at;
        self.line
    }

    /// Returns the states of all pieces with the lowest total cost: 0 for unchanged, or the index of a damage plus one.
    /// A transition to another state costs as much as its damage, staying in it nothing (Viterbi, 1967); one to
    /// unchanged [`LEFT_BITS`] if the piece would be changed as the one before, and one from unchanged
    /// [`AFTER_UNCHANGED`] more if the one before would be changed as the piece.
    fn best_states(&self, pieces: &[LinePiece<'_>]) -> Result<Vec<usize>, AllocError> {
        let entry = self.known.costs();
        let mut costs = entry.clone();
        costs[self.known.last] = 0.0;
        // The states before all states of all pieces.
        let mut came_from: Vec<usize> = vec![];
        came_from.grow(product(pieces.len(), entry.len())?)?;
        let mut last: Option<&LinePiece<'_>> = None;
        for piece in pieces {
            let left = costs
                .iter()
                .enumerate()
                .map(|(state, &cost)| cost + if piece.is_changed(state) { LEFT_BITS } else { 0.0 });
            let left = least(left);
            let unchanged = costs[0];
            let (damage, damaged) = least(costs[1..].iter().copied());
            for (state, cost) in costs.iter_mut().enumerate() {
                let is_late = last.is_some_and(|last| last.is_changed(state));
                let first = unchanged + if is_late { AFTER_UNCHANGED } else { 0.0 };
                let (before, least) = match state {
                    0 => left,
                    _ if first <= damaged => (0, first),
                    _ => (damage + 1, damaged),
                };
                let entered = least + entry[state];
                let enters = entered < *cost;
                came_from.push(if enters { before } else { state });
                *cost = entered.min(*cost) + piece.bits[state];
            }
            last = Some(piece);
        }
        let (mut state, _) = least(costs.iter().copied());
        let mut best = vec![];
        best.grow(pieces.len())?;
        best.resize(pieces.len(), 0);
        for (best, came) in best.iter_mut().zip(came_from.chunks(entry.len())).rev() {
            *best = state;
            state = came[state];
        }
        Ok(best)
    }

    fn finish(mut self) -> Result<Repair<'a>, Stopped> {
        if self.stretches.is_empty() {
            return Ok(Repair { text: self.whole.into(), stretches: vec![] });
        }
        try_push_str(&mut self.text, &self.whole[self.taken..])?;
        Ok(Repair { text: self.text.into(), stretches: self.stretches })
    }
}

/// Returns the index and the value of the least number; of equal ones the first.
pub(super) fn least(numbers: impl IntoIterator<Item = f32>) -> (usize, f32) {
    let better = |best: (usize, f32), next: (usize, f32)| if next.1 < best.1 { next } else { best };
    numbers.into_iter().enumerate().fold((0, f32::INFINITY), better)
}
