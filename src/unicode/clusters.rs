//! Extended grapheme clusters (UAX 29), the characters as readers perceive them.
//!
//! The rules depend on the classes of two neighbours, and on a few facts about the characters before them: they are an
//! automaton. Between two plain characters there is always a boundary, whatever is before them.

use std::convert::Infallible;
use std::ops::Range;

use super::classes::Classes;
use super::pieces::{TextPieces, decoded};
use super::survey::Survey;
use crate::kernels::encode::Source;
use crate::progress::{Progress, Stopped, uninterrupted, unobserved};
use crate::simd::dispatch::Implementation;

pub(super) static GRAPHEMES: Classes =
    Classes::of(include_bytes!("classes/graphemes"), LAST_PLAIN, are_apart);

/// Counts the extended grapheme clusters in a text (UAX 29), the characters as readers perceive them.
///
/// ```
/// use leadbyte::unicode::count_graphemes;
///
/// assert_eq!(count_graphemes("u\u{308}"), 1);
/// assert_eq!(count_graphemes("👩‍💻🇺🇦"), 2);
/// assert_ne!("👩‍💻🇺🇦".chars().count(), 2);
/// ```
pub fn count_graphemes(text: &str) -> usize {
    Implementation::active().count_graphemes(text)
}

/// Returns the extended grapheme clusters of a text (UAX 29). Joined they are the text.
///
/// ```
/// use leadbyte::unicode::graphemes;
///
/// assert_eq!(graphemes("fu\u{308}r\r\n"), ["f", "u\u{308}", "r", "\r\n"]);
/// assert!(graphemes("").is_empty());
/// ```
pub fn graphemes(text: &str) -> Vec<&str> {
    Implementation::active().graphemes(text)
}

#[doc(hidden)]
impl Implementation {
    pub fn count_graphemes(self, text: &str) -> usize {
        uninterrupted(count_in_text(self, text, &mut unobserved))
    }

    pub fn graphemes(self, text: &str) -> Vec<&str> {
        let mut clusters = vec![];
        uninterrupted(each_in_text(self, text, |cluster| {
            clusters.push(cluster);
            Ok(())
        }));
        clusters
    }

    pub fn cluster_ends_of_latin1(self, units: &[u8]) -> Vec<usize> {
        self.cluster_ends(units)
    }

    pub fn cluster_ends_of_ucs2(self, units: &[u16]) -> Vec<usize> {
        self.cluster_ends(units)
    }

    pub fn cluster_ends_of_utf32(self, units: &[u32]) -> Vec<usize> {
        self.cluster_ends(units)
    }

    fn cluster_ends<U: Source>(self, units: &[U]) -> Vec<usize> {
        let mut ends = vec![];
        let Ok(()) = each_in_units(self, units, |cluster| {
            assert_eq!(cluster.start, ends.last().copied().unwrap_or_default());
            ends.push(cluster.end);
            Ok::<_, Infallible>(())
        });
        assert_eq!(uninterrupted(count_in_units(self, units, &mut unobserved)), ends.len());
        ends
    }
}

// The classes of characters: the values of Grapheme_Cluster_Break, some divided by Indic_Conjunct_Break and
// Extended_Pictographic. The plain ones come first; 0 is Other.
const CONSONANT: u8 = 1;
const PICTURE: u8 = 2;
const CONTROL: u8 = 3;
const LF: u8 = 4;
const LV: u8 = 5;
const LVT: u8 = 6;
const CR: u8 = 7;
const EXTEND: u8 = 8;
const EXTENDER: u8 = 9; // within a conjunct, too
const LINKER: u8 = 10;
const ZWJ: u8 = 11;
const SPACING_MARK: u8 = 12;
const PREPEND: u8 = 13;
const LINKING_LETTER: u8 = 14;
const REGIONAL: u8 = 15;
const L: u8 = 16;
const V: u8 = 17;
const T: u8 = 18;

/// The last of the plain classes.
const LAST_PLAIN: u8 = LVT;

/// The maximum number of classes.
const CLASSES: usize = 32;

/// The state of the automaton: what matters of the characters before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BreakState {
    /// Nothing, except that there is a character.
    Some,
    /// The start of the text, or a control character or line feed.
    Edge,
    Cr,
    Prepend,
    /// An odd number of regional indicators.
    Regional,
    L,
    LvOrV,
    LvtOrT,
    /// A pictographic character, and perhaps characters that extend it.
    Picture,
    /// A pictographic character, perhaps characters that extend it, and a zero width joiner.
    Joined,
}

impl BreakState {
    const ALL: [Self; 10] = [
        Self::Some,
        Self::Edge,
        Self::Cr,
        Self::Prepend,
        Self::Regional,
        Self::L,
        Self::LvOrV,
        Self::LvtOrT,
        Self::Picture,
        Self::Joined,
    ];

    /// Returns the state after a character of this class.
    const fn then(self, class: u8) -> Self {
        match (self, class) {
            (_, CONTROL | LF) => Self::Edge,
            (_, CR) => Self::Cr,
            (_, PREPEND) => Self::Prepend,
            (Self::Regional, REGIONAL) => Self::Some,
            (_, REGIONAL) => Self::Regional,
            (_, L) => Self::L,
            (_, LV | V) => Self::LvOrV,
            (_, LVT | T) => Self::LvtOrT,
            (_, PICTURE) | (Self::Picture, EXTEND | EXTENDER | LINKER) => Self::Picture,
            (Self::Picture, ZWJ) => Self::Joined,
            _ => Self::Some,
        }
    }

    /// Returns whether there is no boundary before a character of this class.
    const fn joins(self, class: u8) -> bool {
        match (self, class) {
            (Self::Cr, LF) => true,                                       // GB3
            (Self::Edge | Self::Cr, _) | (_, CONTROL | LF | CR) => false, // GB1, 4, 5
            (Self::L, L | V | LV | LVT) => true,                          // GB6
            (Self::LvOrV, V | T) | (Self::LvtOrT, T) => true,             // GB7, 8
            (_, EXTEND | EXTENDER | LINKER | ZWJ | SPACING_MARK) => true, // GB9, 9a
            (Self::Prepend, _) | (Self::Joined, PICTURE) => true,         // GB9b, 11
            (Self::Regional, REGIONAL) => true,                           // GB12, 13
            _ => false,                                                   // GB999
        }
    }
}

/// For each state and class of a character, the state after it, and [`JOINS`] if there is no boundary before it.
///
/// A state is a [`BreakState`], and whether the characters before end with a linker, perhaps followed by extenders
/// (GB9c).
pub(super) const STEPS: [[u8; CLASSES]; 2 * BreakState::ALL.len()] = {
    let mut steps = [[0; CLASSES]; _];
    let mut state = 0;
    while state < steps.len() {
        let before = BreakState::ALL[state / 2];
        let linked = state % 2 == 1;
        let mut class = 0;
        while class < T + 1 {
            let links = matches!(class, LINKER | LINKING_LETTER) || linked && matches!(class, EXTENDER | ZWJ);
            let joins = before.joins(class) || linked && class == CONSONANT; // GB9c
            let next = 2 * before.then(class) as u8 + links as u8;
            steps[state][class as usize] = next | if joins { JOINS } else { 0 };
            class += 1;
        }
        state += 1;
    }
    steps
};

/// The bit of a step that means that there is no boundary.
pub(super) const JOINS: u8 = 0x80;

/// The state at the start of a text.
pub(super) const START: u8 = 2 * BreakState::Edge as u8;

/// For each class a bit for each class that may follow: whether there is always a boundary between them, and nothing
/// before it matters after it.
const APART: [u32; CLASSES] = {
    let mut apart = [0; CLASSES];
    let mut last = 0;
    while last <= T as usize {
        let mut class = 0;
        while class <= T as usize {
            let alone = STEPS[START as usize][class];
            let (mut state, mut always) = (0, true);
            while state < STEPS.len() {
                always = always && STEPS[(STEPS[state][last] & !JOINS) as usize][class] == alone;
                state += 1;
            }
            apart[last] |= (always as u32) << class;
            class += 1;
        }
        last += 1;
    }
    apart
};

/// Returns whether there is always a boundary between characters of these classes, and nothing before it matters after
/// it.
pub(super) fn are_apart(last: u8, class: u8) -> bool {
    APART[usize::from(last)] >> class & 1 != 0
}

/// Calls `step` with the index of every unit that is not certain to start a cluster, in order, and with whether it
/// does not. An error of `step` is returned at once.
#[inline(always)]
fn steps<U: Source, E>(
    by: Implementation,
    units: &[U],
    mut step: impl FnMut(usize, bool) -> Result<(), E>,
) -> Result<(), E> {
    let mut survey = Survey::of(by, &GRAPHEMES, units);
    let mut at = 0;
    while let Some((found, mut class)) = survey.next_from(at) {
        let before = found.checked_sub(1).map(|before| GRAPHEMES.class(units[before].value()));
        let mut state = before.map_or(START, |class| STEPS[usize::from(START)][usize::from(class)]);
        at = found;
        loop {
            let next = STEPS[usize::from(state & !JOINS)][usize::from(class)];
            step(at, next & JOINS != 0)?;
            state = next;
            at += 1;
            let Some(unit) = units.get(at) else { return Ok(()) };
            let last = class;
            class = GRAPHEMES.class(unit.value());
            if GRAPHEMES.is_plain(last) && GRAPHEMES.is_plain(class) {
                break;
            }
        }
    }
    Ok(())
}

/// Counts the clusters in `units`.
pub fn count_in_units<U: Source>(
    by: Implementation,
    units: &[U],
    progress: Progress<'_>,
) -> Result<usize, Stopped> {
    let mut count = units.len();
    let mut pieces = TextPieces::of(&GRAPHEMES, units);
    while let Some((_, piece)) = pieces.next(progress)? {
        count -= joined(by, piece);
        progress(size_of_val(piece))?;
    }
    Ok(count)
}

/// Counts the clusters in `text`.
pub fn count_in_text(by: Implementation, text: &str, progress: Progress<'_>) -> Result<usize, Stopped> {
    let (mut buffer, mut count) = (Vec::<u32>::new(), 0);
    let mut pieces = TextPieces::of(&GRAPHEMES, text);
    while let Some((_, piece)) = pieces.next(progress)? {
        let units = decoded(by, piece, &mut buffer, progress)?;
        count += units.len() - joined(by, units);
        progress(piece.len())?;
    }
    Ok(count)
}

/// Counts the units that do not start a cluster.
fn joined<U: Source>(by: Implementation, units: &[U]) -> usize {
    let mut joined = 0;
    let Ok(()) = steps(by, units, |_, joins| {
        joined += usize::from(joins);
        Ok::<_, Infallible>(())
    });
    joined
}

/// Calls `each` with the range of each cluster, in order. An error of `each` is returned at once.
#[inline(always)]
pub fn each_in_units<U: Source, E>(
    by: Implementation,
    units: &[U],
    mut each: impl FnMut(Range<usize>) -> Result<(), E>,
) -> Result<(), E> {
    // The cluster of the last units, so far.
    let mut open = 0..0;
    let mut close = |open: Range<usize>, to: usize| {
        let single = open.end..to;
        if !open.is_empty() {
            each(open)?;
        }
        single.into_iter().try_for_each(|at| each(at..at + 1))
    };
    steps(by, units, |at, joins| {
        let start = at - usize::from(joins);
        if start >= open.end {
            close(open.clone(), start)?;
            open.start = start;
        }
        open.end = at + 1;
        Ok(())
    })?;
    close(open, units.len())
}

/// Calls `each` with the text of each cluster, in order. An error of `each` is returned at once.
pub fn each_in_text<'a, E: From<Stopped>>(
    by: Implementation,
    text: &'a str,
    mut each: impl FnMut(&'a str) -> Result<(), E>,
) -> Result<(), E> {
    let mut buffer = vec![];
    let mut pieces = TextPieces::of(&GRAPHEMES, text);
    while let Some((_, piece)) = pieces.next(&mut unobserved)? {
        let mut rest = piece;
        let units = decoded(by, piece, &mut buffer, &mut unobserved)?;
        each_in_units(by, units, |cluster| {
            let length =
                units[cluster].iter().map(|&unit| char::from_u32(unit).map_or(0, char::len_utf8)).sum();
            let found;
            (found, rest) = rest.split_at(length);
            each(found)
        })?;
    }
    Ok(())
}
