//! Which wrong readings a text went through: those are sought that leave the most likely text.
//!
//! Good text is likely by itself. Damaged text is unlikely, but what it was is likely, and damage happens now and
//! then: so the reading is believed whose text has the fewest bits, those of the damage added. That UTF-8 comes
//! out at all tells more the more sequences there are, and the bits say so: by chance they would not also make sense.

use std::borrow::Cow;
use std::collections::HashSet;

use super::Reading;
use super::charset::{COUNT, Charset, Set, row};
use super::glance::Suspicion;
use super::judge::judge;
use super::undo::{Layer, Undone, Written};
use crate::allocation::{AllocError, Grow, try_push, try_push_str};
use crate::language::Language;

/// At most so many readings one after another; from the third on only of UTF-8.
const DEEPEST: usize = 4;

/// So many of the texts at one depth are looked behind.
const BEAM: usize = 6;

/// More bits a character has no text that makes sense. (What came of UTF-8 need not, if nothing else was tried.)
const SENSELESS: f32 = 9.0;

/// So many bits a character takes at most in a text that may make sense.
const SENSIBLE: f32 = 5.5;

/// So many characters before and after decide about a space.
const AROUND: usize = 24;

/// What damage costs in bits: that there is any; each reading; one that is rare; one of another encoding than UTF-8
/// among several; that not all of the text went through it, and each character that did not; and each letter that would
/// be none.
///
/// In 28,000 good sentences of 54 languages that are not ASCII, the usual readings would save at most 12 bits and the
/// rare ones 23 without being right; a single é that is read as Ã© costs 20 and more.
const DAMAGE: f32 = 9.0;
const READING: f32 = 7.5;
const RARE: f32 = 13.0;
const PAGE: f32 = 2.0;
const MIXED: f32 = 8.0;
const LEFT: f32 = 2.0;
const SPOILED: f32 = 12.0;

/// At most so many bits are saved by what is no longer odd; or so many are not.
const RELIEF: f32 = 8.0;
const BURDEN: f32 = 20.0;

/// What UTF-8 is mostly read as.
const USUAL_FOR_UTF8: [Charset; 5] = [
    Charset::WINDOWS_1252,
    Charset::WINDOWS_1251,
    Charset::WINDOWS_1250,
    Charset::WINDOWS_1253,
    Charset::WINDOWS_1254,
];

/// Readings other than of UTF-8: what was written, and what it was read as.
const USUAL: [(Charset, Charset); 20] = {
    use Charset as C;
    [
        (C::WINDOWS_1252, C::WINDOWS_1252), // Latin-1, with controls for what only Windows has
        (C::WINDOWS_1251, C::WINDOWS_1252),
        (C::WINDOWS_1251, C::KOI8_R),
        (C::WINDOWS_1251, C::IBM866),
        (C::WINDOWS_1251, C::MAC_CYRILLIC),
        (C::KOI8_R, C::WINDOWS_1252),
        (C::KOI8_R, C::WINDOWS_1251),
        (C::KOI8_U, C::WINDOWS_1251),
        (C::KOI8_R, C::IBM866),
        (C::IBM866, C::WINDOWS_1252),
        (C::IBM866, C::WINDOWS_1251),
        (C::IBM866, C::KOI8_R),
        (C::MAC_CYRILLIC, C::WINDOWS_1251),
        (C::WINDOWS_1250, C::WINDOWS_1252),
        (C::WINDOWS_1252, C::WINDOWS_1250),
        (C::WINDOWS_1252, C::WINDOWS_1251),
        (C::ISO_8859_2, C::WINDOWS_1252),
        (C::ISO_8859_2, C::WINDOWS_1250),
        (C::WINDOWS_1253, C::WINDOWS_1252),
        (C::WINDOWS_1254, C::WINDOWS_1252),
    ]
};
const UNUSUAL: [(Charset, Charset); 18] = {
    use Charset as C;
    [
        (C::WINDOWS_1255, C::WINDOWS_1252),
        (C::WINDOWS_1256, C::WINDOWS_1252),
        (C::WINDOWS_1257, C::WINDOWS_1252),
        (C::WINDOWS_1252, C::WINDOWS_1253),
        (C::WINDOWS_1252, C::WINDOWS_1257),
        (C::WINDOWS_1250, C::ISO_8859_2),
        (C::WINDOWS_1250, C::WINDOWS_1251),
        (C::MAC_CYRILLIC, C::WINDOWS_1252),
        (C::MAC_ROMAN, C::WINDOWS_1252),
        (C::WINDOWS_1252, C::MAC_ROMAN),
        (C::WINDOWS_1251, C::MAC_ROMAN),
        (C::CP437, C::WINDOWS_1252),
        (C::WINDOWS_1252, C::CP437),
        (C::CP850, C::WINDOWS_1252),
        (C::WINDOWS_1252, C::CP850),
        (C::CP852, C::WINDOWS_1250),
        (C::WINDOWS_1250, C::CP852),
        (C::CP852, C::WINDOWS_1252),
    ]
};

/// Wrong readings, the last one first: in the order in which they are undone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Path(pub Vec<Layer>);

/// What a text is if it went through some readings.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub path: Path,
    pub text: String,
    pub sequences: usize,
    pub left: usize,
    pub language: Language,
    /// The bits of the text, and of what did not go through the readings.
    pub bits: f32,
    /// See [`Verdict::doubt`](super::judge::Verdict::doubt).
    doubt: f32,
}

impl Candidate {
    /// The text as it is.
    pub(super) fn unchanged(text: String) -> Self {
        Self::judged(Path::default(), Undone { text, ..Default::default() })
    }

    fn judged(path: Path, undone: Undone) -> Self {
        let verdict = judge(&undone.text);
        let mixed = if undone.left == 0 { 0.0 } else { MIXED + LEFT * undone.left as f32 };
        let Undone { text, sequences, left, spoiled, .. } = undone;
        Self {
            path,
            text,
            sequences,
            left,
            language: verdict.language,
            bits: verdict.bits + mixed,
            doubt: verdict.doubt + SPOILED * spoiled as f32,
        }
    }

    /// What stands behind one more reading, which was undone.
    fn behind(&self, layer: Layer, undone: Undone) -> Result<Self, AllocError> {
        let before = Undone { sequences: self.sequences, left: self.left, ..Default::default() };
        let mut path = self.path.clone();
        path.0.push(layer);
        Ok(Self::judged(path, undone.after(&before)?))
    }

    /// Its bits, those of what is odd about it but not about the text as it is added.
    pub(super) fn bits(&self, unchanged: &Self) -> f32 {
        // Sequences of UTF-8 are no accident: then it counts, within limits, if what was odd is gone.
        let simple = self.path.is_simple() && self.left <= self.sequences;
        if !simple && self.bits > SENSELESS * self.text.chars().count() as f32 {
            return f32::INFINITY;
        }
        let doubt = self.doubt - unchanged.doubt;
        // What the model saves on it does not count then, since good text may be odd.
        let odd = if self.sequences > 0 {
            doubt.max(-RELIEF)
        } else {
            doubt.max(0.0) + (-doubt).clamp(0.0, BURDEN)
        };
        self.bits + odd
    }

    /// Its bits and those of the damage.
    fn cost(&self, unchanged: &Self) -> f32 {
        self.bits(unchanged) + self.path.cost()
    }
}

impl Undone {
    /// The same, with what is known of the readings that were undone before.
    fn after(mut self, before: &Self) -> Result<Self, AllocError> {
        self.settle_spaces()?;
        self.sequences += before.sequences;
        self.left += before.left;
        Ok(self)
    }

    /// Where a space may have followed the one that was taken, decides whether that leaves the more likely text.
    fn settle_spaces(&mut self) -> Result<(), AllocError> {
        for at in std::mem::take(&mut self.spaces).into_iter().rev() {
            let mut characters = self.text[at..].chars();
            let (Some(taken), Some(next)) = (characters.next(), characters.next()) else { continue };
            let end = at + taken.len_utf8();
            // Portuguese has àquele, àquela and àquilo.
            let portuguese = taken == 'à'
                && ["quel", "quil", "s "].iter().any(|start| self.text[end..].starts_with(start));
            if !taken.is_alphabetic() || !next.is_alphabetic() || portuguese {
                continue;
            }
            let start = self.text[..at].char_indices().rev().nth(AROUND).map_or(0, |(start, _)| start);
            let stop =
                self.text[end..].char_indices().nth(AROUND).map_or(self.text.len(), |(stop, _)| end + stop);
            let (before, after) = (&self.text[start..end], &self.text[end..stop]);
            if judge(&format!("{before} {after}")).bits < judge(&format!("{before}{after}")).bits {
                self.text.grow(1)?;
                self.text.insert(end, ' ');
            }
        }
        Ok(())
    }
}

impl Path {
    /// Whether it is UTF-8 that was always read in the same encoding.
    fn is_simple(&self) -> bool {
        self.is_utf8() && self.0.windows(2).all(|pair| pair[0] == pair[1])
    }

    fn is_utf8(&self) -> bool {
        self.0.iter().all(|layer| layer.wrote == Written::Utf8)
    }

    /// The bits of such damage.
    pub(super) fn cost(&self) -> f32 {
        let readings: f32 = self.0.iter().map(|layer| READING + layer.rareness()).sum();
        let pages = self.0.iter().filter(|layer| layer.wrote != Written::Utf8).count();
        let mixed = if self.0.len() > 1 { PAGE * pages as f32 } else { 0.0 };
        if self.0.is_empty() { 0.0 } else { DAMAGE + readings + mixed }
    }

    /// What the text is behind these readings, as far as they are in it.
    pub(super) fn undo(&self, text: &str) -> Result<Candidate, AllocError> {
        let mut all = Undone::default();
        try_push_str(&mut all.text, text)?;
        for &layer in &self.0 {
            if let Some(undone) = layer.undo(&all.text)? {
                all = undone.after(&all)?;
            }
        }
        Ok(Candidate::judged(self.clone(), all))
    }
}

impl Path {
    /// The readings by name, if they led to this text.
    pub(super) fn readings(&self, text: &str) -> Result<Vec<Reading>, AllocError> {
        let mut text = Cow::Borrowed(text);
        let mut readings = vec![];
        for layer in &self.0 {
            let encoding = match layer.wrote {
                Written::Utf8 => "utf-8",
                Written::In(charset) => charset.name(),
            };
            try_push(&mut readings, Reading { encoding, misread_as: layer.read.name_for(&text) })?;
            if let Some(undone) = layer.undo(&text)? {
                text = Cow::Owned(undone.text);
            }
        }
        Ok(readings)
    }
}

impl Layer {
    /// What it costs more than a usual one.
    fn rareness(self) -> f32 {
        match (self.wrote, self.read) {
            (Written::Utf8, Charset::MAC_ROMAN) => 5.5,
            // Few letters are others in these two, so that there is little to see.
            (Written::In(Charset::WINDOWS_1250), Charset::WINDOWS_1252) => -3.0,
            (Written::Utf8, read) if USUAL_FOR_UTF8.contains(&read) => 0.0,
            (Written::In(wrote), read) if USUAL.contains(&(wrote, read)) => 0.0,
            (Written::Utf8, _) => RARE,
            _ => 1.5 * RARE,
        }
    }

    /// Whether this one and the one undone before it are like a single one.
    fn continues(self, before: Option<&Self>) -> bool {
        // A control of Latin-1 and what Windows has in its place are the same byte anyway.
        before.is_some_and(|before| {
            before.wrote == Written::In(self.read) || before.wrote == Written::In(before.read)
        })
    }
}

/// The readings that may have led to a text: those of UTF-8, in some encodings, whose sequences it has, and if that may
/// be, others.
fn layers(text: &str, utf8: Set, pages: bool) -> impl Iterator<Item = Layer> {
    let (sequences, fitting) = readings(text, pages);
    let utf8 = Charset::of_set(sequences & utf8).map(|read| Layer { wrote: Written::Utf8, read });
    // No word is in two alphabets.
    let mut words = text.split(|character: char| character.is_ascii() && !character.is_ascii_alphabetic());
    let any = fitting != 0 && words.any(|word| word.len() > 3 && !word.bytes().any(|byte| byte.is_ascii()));
    let pages = USUAL
        .iter()
        .chain(&UNUSUAL)
        .filter(move |(wrote, read)| fitting & read.set() != 0 && (any || wrote.is_latin()));
    utf8.chain(pages.map(|&(wrote, read)| Layer { wrote: Written::In(wrote), read }))
}

/// The encodings in which sequences of UTF-8 may be in a text, and those that have most of its characters, if these are
/// asked for.
fn readings(text: &str, pages: bool) -> (Set, Set) {
    let mut sequences = 0;
    let (mut all, mut had) = (0, [0_usize; COUNT]);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character.is_ascii() {
            continue;
        }
        let row = row(character);
        if pages {
            all += 1;
            Charset::of_set(row.all).for_each(|charset| had[charset.index()] += 1);
        }
        sequences |= match characters.peek() {
            Some(' ' | '-' | '?' | &char::REPLACEMENT_CHARACTER) => row.leads,
            Some(&next) => row.leads & self::row(next).continues,
            None => 0,
        };
    }
    let fitting = Charset::all().filter(|charset| 3 * had[charset.index()] > 2 * all);
    (sequences, fitting.fold(0, |set, charset| set | charset.set()))
}

/// The most likely of all texts behind one that is suspicious: the text itself if none is more likely.
pub(super) fn search(unchanged: &Candidate, suspicion: Suspicion) -> Result<Candidate, AllocError> {
    // What is behind UTF-8 is more likely than that, whatever it is. But what makes no sense, and is all but ASCII, may
    // have been read wrongly twice, and make none in between.
    let (mut chars, mut ascii) = (0, 0);
    for character in unchanged.text.chars() {
        chars += 1;
        ascii += usize::from(character.is_ascii());
    }
    let twice = unchanged.bits > SENSIBLE * chars as f32 && 2 * ascii < chars;
    let mut best = unchanged.clone();
    let mut known = HashSet::from([unchanged.text.clone()]);
    let mut front = vec![unchanged.clone()];
    for depth in 0..DEEPEST {
        let mut next: Vec<Candidate> = vec![];
        let (utf8, pages) = match depth {
            0 if !suspicion.odd => (suspicion.sequences, false),
            _ => (Set::MAX, depth < 2),
        };
        for candidate in &front {
            let before = candidate.path.0.last();
            for layer in layers(&candidate.text, utf8, pages) {
                if !layer.continues(before)
                    && let Some(undone) = layer.undo(&candidate.text)?
                    && known.insert(undone.text.clone())
                {
                    next.push(candidate.behind(layer, undone)?);
                }
            }
        }
        next.sort_by(|a, b| a.cost(unchanged).total_cmp(&b.cost(unchanged)));
        if let Some(first) = next.first()
            && first.cost(unchanged) < best.cost(unchanged)
        {
            best = first.clone();
        }
        next.retain(|candidate| match candidate.path.is_utf8() {
            true => candidate.bits < unchanged.bits,
            false => depth == 0 && twice,
        });
        next.truncate(BEAM);
        front = next;
    }
    Ok(best)
}
