//! Cluster boundaries near an offset, and a number of clusters at either end, without segmenting the rest of the text.
//!
//! Whether there is a boundary depends on the characters before it: flags are pairs of regional indicators, and an
//! emoji or an Indic conjunct may be of any length. Between most characters, however, nothing before matters after it.
//! So a walk towards an offset starts at the last such place before it, or where the walk ended before, whichever is
//! nearer: all walks to offsets in ascending order together take linear time, whatever the text. Progress is counted in
//! stored units.

use super::clusters::{GRAPHEMES, JOINS, START, STEPS, are_apart};
use crate::progress::{Progress, Stopped};
use crate::sequence::characters::Characters;

/// A walk through the characters of a text, in one direction.
#[derive(Clone, Copy, Debug)]
pub struct ClusterWalk {
    /// The end of the last character.
    at: usize,
    /// The state of the automaton after it.
    state: u8,
    /// The start of its cluster; `None` if that is before the text.
    start: Option<usize>,
}

impl ClusterWalk {
    /// Returns a walk that begins where a cluster starts.
    pub fn starting_at(at: usize) -> Self {
        Self { at, state: START, start: Some(at) }
    }

    /// Returns a walk that continues one through the text before, in a state; without one, at the start.
    #[cfg_attr(not(feature = "bindings"), expect(dead_code))]
    pub fn continuing(state: Option<u8>) -> Self {
        let known = state.filter(|&state| usize::from(state) < STEPS.len());
        Self { at: 0, state: known.unwrap_or(START), start: None }
    }

    /// Returns the state for [`continuing`](Self::continuing).
    #[cfg_attr(not(feature = "bindings"), expect(dead_code))]
    pub fn state(&self) -> u8 {
        self.state & !JOINS
    }

    /// Returns the start of the cluster of the last character; `None` if that is before the text.
    #[cfg_attr(not(feature = "bindings"), expect(dead_code))]
    pub fn start(&self) -> Option<usize> {
        self.start
    }

    /// Returns the last cluster boundary up to `to`, a boundary between characters that is not before the last one;
    /// `None` if it is before the text.
    pub fn floor(
        &mut self,
        text: impl Characters,
        to: usize,
        progress: Progress<'_>,
    ) -> Result<Option<usize>, Stopped> {
        if to >= text.length() {
            return Ok(Some(text.length()));
        }
        self.approach(text, to, progress)?;
        Ok(if self.joins_next(text) { self.start } else { Some(to) })
    }

    /// Returns the first cluster boundary from `to` on, a boundary between characters that is not before the last one.
    pub(crate) fn ceil(
        &mut self,
        text: impl Characters,
        to: usize,
        progress: Progress<'_>,
    ) -> Result<usize, Stopped> {
        if to >= text.length() {
            return Ok(text.length());
        }
        self.approach(text, to, progress)?;
        while self.joins_next(text) {
            self.step(text, progress)?;
        }
        Ok(self.at)
    }

    /// Walks to `to`, from as near before it as possible.
    fn approach(&mut self, text: impl Characters, to: usize, progress: Progress<'_>) -> Result<(), Stopped> {
        if let Some(start) = independent_start(text, self.at, to, progress)? {
            *self = Self::starting_at(start);
        }
        while self.at < to && self.step(text, progress)? {}
        Ok(())
    }

    /// Returns whether the next character, if there is one, belongs to the cluster of the last.
    fn joins_next(&self, text: impl Characters) -> bool {
        let next = text.next(self.at);
        next.is_some_and(|(character, _)| step(self.state, character) & JOINS != 0)
    }

    /// Walks through a character, if there is one.
    fn step(&mut self, text: impl Characters, progress: Progress<'_>) -> Result<bool, Stopped> {
        let Some((character, end)) = text.next(self.at) else { return Ok(false) };
        self.state = step(self.state, character);
        if self.state & JOINS == 0 {
            self.start = Some(self.at);
        }
        progress(end - self.at)?;
        self.at = end;
        Ok(true)
    }
}

/// Returns the state after a character, with [`JOINS`] if there is no boundary before it.
#[inline(always)]
fn step(state: u8, character: u32) -> u8 {
    STEPS[usize::from(state & !JOINS)][usize::from(GRAPHEMES.class(character))]
}

/// Returns the last offset up to `to`, but after `from`, where a cluster starts whatever is before it. `to` is a
/// boundary between characters.
pub fn independent_start(
    text: impl Characters,
    from: usize,
    to: usize,
    progress: Progress<'_>,
) -> Result<Option<usize>, Stopped> {
    let Some((following, _)) = text.next(to) else { return Ok(None) };
    let (mut at, mut class) = (to, GRAPHEMES.class(following));
    while at > from
        && let Some((character, start)) = text.previous(at)
    {
        let last = GRAPHEMES.class(character);
        if are_apart(last, class) {
            return Ok(Some(at));
        }
        progress(at - start)?;
        (at, class) = (start, last);
    }
    Ok(None)
}

/// Returns the end of the first `limit` clusters from `start` on, where one starts, and how many are missing.
pub(crate) fn first_clusters(
    text: impl Characters,
    start: usize,
    limit: usize,
    progress: Progress<'_>,
) -> Result<(usize, usize), Stopped> {
    let (mut at, mut missing, mut state) = (start, limit, START);
    while let Some((character, end)) = text.next(at) {
        state = step(state, character);
        if state & JOINS == 0 {
            let Some(fewer) = missing.checked_sub(1) else { break };
            missing = fewer;
        }
        progress(end - at)?;
        at = end;
    }
    Ok((at, missing))
}

/// Returns the start of the last `limit` clusters, and how many are missing.
///
/// Clusters are counted in pieces from the end, each of which starts where nothing before matters.
pub(crate) fn last_clusters<T: Characters>(
    text: T,
    limit: usize,
    progress: Progress<'_>,
) -> Result<(usize, usize), Stopped> {
    let (mut end, mut missing, mut size) = (text.length(), limit, FIRST_PIECE_UNITS);
    while end > 0 && missing > 0 {
        let near = text.floor(end.saturating_sub(size));
        let start = independent_start(text, 0, near, progress)?.unwrap_or(0);
        let piece = Prefix { text, end };
        let count = usize::MAX - first_clusters(piece, start, usize::MAX, progress)?.1;
        match count.checked_sub(missing) {
            Some(others) => return Ok((first_clusters(piece, start, others, progress)?.0, 0)),
            None => missing -= count,
        }
        (end, size) = (start, size.saturating_mul(2));
    }
    Ok((end, missing))
}

/// The length of the last piece; each is twice as long as the one after it.
const FIRST_PIECE_UNITS: usize = 64;

/// The characters before an offset.
#[derive(Clone, Copy)]
struct Prefix<T> {
    text: T,
    end: usize,
}

impl<T: Characters> Characters for Prefix<T> {
    fn length(self) -> usize {
        self.end
    }

    #[inline(always)]
    fn next(self, at: usize) -> Option<(u32, usize)> {
        if at < self.end { self.text.next(at) } else { None }
    }

    fn previous(self, at: usize) -> Option<(u32, usize)> {
        self.text.previous(at)
    }

    fn floor(self, at: usize) -> usize {
        self.text.floor(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So that a walk may begin at any boundary.
    #[test]
    fn nothing_before_a_boundary_matters_after_it() {
        let mut reachable = vec![START];
        let mut at = 0;
        while let Some(&state) = reachable.get(at) {
            for (class, &next) in STEPS[usize::from(state)].iter().enumerate() {
                if next & JOINS == 0 {
                    assert_eq!(next, STEPS[usize::from(START)][class]);
                }
                if !reachable.contains(&(next & !JOINS)) {
                    reachable.push(next & !JOINS);
                }
            }
            at += 1;
        }
        assert!(reachable.len() > 10);
    }
}
