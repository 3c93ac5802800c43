//! The beam search for the wrong decodings of a text: those whose reversal gives the most likely text.
//!
//! Good text is likely by itself. Damaged text is unlikely, but the original is likely, and damage occurs with some
//! probability: so the decodings are chosen whose original has the lowest cost, the cost of the damage included. Each
//! sequence of UTF-8 that results is evidence, which the costs reflect: random sequences do not give a likely text.

use std::borrow::Cow;
use std::collections::HashSet;

use super::charset::{COUNT, Charset, CharsetBits, row};
use super::prefilter::Suspicion;
use super::repair::Reading;
use super::score::score;
use super::undo::{Layer, OriginalEncoding, Undone};
use crate::allocation::{AllocError, Grow, try_push, try_push_str};
use crate::language::{Language, Languages};

/// The most successive wrong decodings; from the third on only of UTF-8.
const MAX_DEPTH: usize = 4;

/// The number of texts that are followed at each depth.
const BEAM_WIDTH: usize = 6;

/// The highest cost of an original in bits per character, unless it results from UTF-8 alone.
const MAX_BITS_PER_CHAR: f32 = 9.0;

/// The highest cost in bits per character of a text that can be good.
const MAX_GOOD_BITS_PER_CHAR: f32 = 5.5;

/// The number of characters before and after a space that are scored with and without it.
const CONTEXT_CHARS: usize = 24;

/// The costs of damage in bits: of any damage; of each wrong decoding; of a rare one; of one from another encoding than
/// UTF-8 among several; of a text that was damaged in part only, and of each undamaged character; and of each letter
/// that results from another character.
///
/// In 28,000 good non-ASCII sentences of 54 languages, wrong repairs of usual decodings save at most 12 bits, and of
/// rare ones 23; a single é decoded as Ã© costs 20 and more.
const DAMAGE: f32 = 9.0;
const READING: f32 = 7.5;
const RARE: f32 = 13.0;
const SINGLE_BYTE: f32 = 2.0;
const MIXED: f32 = 8.0;
const UNDAMAGED: f32 = 2.0;
const SPOILED: f32 = 12.0;

/// The highest cost in bits per visible character of a text that is likely by itself: in Latin letters, and in others,
/// of which short texts may have some bits more. And the additional cost of each bit above it where no UTF-8 is
/// evidence: letters of a language without a model look like damaged letters of another.
const MAX_LIKELY_LATIN: f32 = 4.9;
const MAX_LIKELY_OTHER: f32 = 5.2;
const MAX_LIKELY_SHORT: f32 = 8.0;
const STRANGE: f32 = 3.0;

/// The bits that a language saves that is known to be possible.
const KNOWN_LANGUAGE: f32 = 8.0;

/// The bits that a character saves which is not used inside words and became a letter there, and the most such
/// characters that count.
const INSIDE: f32 = 12.0;
const MAX_INSIDE: usize = 3;

/// The most bits that a repair saves by removing odd features, and the most that it does not save.
const RELIEF: f32 = 8.0;
const BURDEN: f32 = 20.0;

/// The encodings in which UTF-8 is usually decoded by mistake.
const USUAL_FOR_UTF8: [Charset; 5] = [
    Charset::WINDOWS_1252,
    Charset::WINDOWS_1251,
    Charset::WINDOWS_1250,
    Charset::WINDOWS_1253,
    Charset::WINDOWS_1254,
];

/// Wrong decodings of other encodings than UTF-8: the encoding of the text, and the one it was decoded in.
const USUAL: [(Charset, Charset); 24] = {
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
        (C::CP437, C::WINDOWS_1252),
        (C::WINDOWS_1252, C::CP437),
        (C::CP850, C::WINDOWS_1252),
        (C::WINDOWS_1252, C::CP850),
    ]
};
const UNUSUAL: [(Charset, Charset); 14] = {
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
        (C::CP852, C::WINDOWS_1250),
        (C::WINDOWS_1250, C::CP852),
        (C::CP852, C::WINDOWS_1252),
    ]
};

/// Wrong decodings between encodings that share most letters, so that one wrong letter in a line is usual.
const SIMILAR: [(Charset, Charset); 3] = [
    (Charset::WINDOWS_1250, Charset::WINDOWS_1252),
    (Charset::ISO_8859_2, Charset::WINDOWS_1252),
    (Charset::ISO_8859_2, Charset::WINDOWS_1250),
];

/// Wrong decodings in the order in which they are reversed: the last one first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Path(pub Vec<Layer>);

/// The original of a text if it went through some wrong decodings.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub path: Path,
    pub text: String,
    pub sequences: usize,
    pub undamaged: usize,
    pub language: Language,
    /// The languages that the text may be in.
    languages: Languages,
    /// The cost of the text in bits, including the cost of its undamaged characters.
    pub bits: f32,
    /// The number of characters.
    chars: usize,
    /// See [`Undone::inside`].
    inside: usize,
    /// The additional cost in bits if no UTF-8 is evidence: of an unlikely text, less what a known language saves.
    strange: f32,
    /// See [`Score::doubt`](super::score::Score::doubt).
    doubt: f32,
}

impl Candidate {
    /// Creates the candidate of the text as it is.
    pub(super) fn unchanged<E>(
        text: String,
        languages: Languages,
        poll: &mut impl FnMut() -> Result<(), E>,
    ) -> Result<Self, E> {
        Self::scored(Path::default(), Undone { text, ..Default::default() }, languages, poll)
    }

    fn scored<E>(
        path: Path,
        undone: Undone,
        languages: Languages,
        poll: &mut impl FnMut() -> Result<(), E>,
    ) -> Result<Self, E> {
        let score = score(&undone.text, languages, poll)?;
        let mixed = if undone.undamaged == 0 { 0.0 } else { MIXED + UNDAMAGED * undone.undamaged as f32 };
        let Undone { text, sequences, undamaged, spoiled, inside, .. } = undone;
        let chars = text.chars().count();
        let strange = if path.is_utf8() || sequences > 0 {
            0.0
        } else {
            let visible = chars - text.bytes().filter(u8::is_ascii_whitespace).count();
            let known = if languages.have(score.language) { KNOWN_LANGUAGE } else { 0.0 };
            STRANGE * (score.bits - path.max_likely_bits(visible)).max(0.0) - known
        };
        Ok(Self {
            path,
            text,
            sequences,
            undamaged,
            language: score.language,
            languages,
            bits: score.bits + mixed,
            chars,
            inside,
            strange,
            doubt: score.doubt + SPOILED * spoiled as f32,
        })
    }

    /// Returns the candidate after the reversal of one more decoding.
    fn behind<E: From<AllocError>>(
        &self,
        layer: Layer,
        undone: Undone,
        poll: &mut impl FnMut() -> Result<(), E>,
    ) -> Result<Self, E> {
        let before = Undone { sequences: self.sequences, undamaged: self.undamaged, ..Default::default() };
        let mut path = self.path.clone();
        path.0.push(layer);
        Self::scored(path, undone.after(&before, self.languages, poll)?, self.languages, poll)
    }

    /// Returns its cost in bits, including the cost of odd features that the unchanged text does not have.
    pub(super) fn bits(&self, unchanged: &Self) -> f32 {
        // Sequences of UTF-8 are not an accident, so that the removal of odd features counts, within limits.
        let simple = self.path.is_simple() && self.undamaged <= self.sequences;
        if !simple && self.bits > MAX_BITS_PER_CHAR * self.chars as f32 {
            return f32::INFINITY;
        }
        let doubt = self.doubt - unchanged.doubt;
        let odd = if self.sequences > 0 {
            doubt.max(-RELIEF)
        } else if self.inside > 0 {
            doubt.max(-RELIEF) - INSIDE * self.inside.min(MAX_INSIDE) as f32
        } else {
            // Else it does not count, since good text may be odd.
            doubt.max(0.0) + (-doubt).clamp(0.0, BURDEN)
        };
        self.bits + odd + self.strange
    }

    /// Returns its cost in bits, including the cost of the damage. (Not inlined into each comparison of a sort.)
    #[inline(never)]
    fn cost(&self, unchanged: &Self) -> f32 {
        self.bits(unchanged) + self.path.cost()
    }
}

impl Undone {
    /// Adds the counts of the decodings that were reversed before.
    fn after<E: From<AllocError>>(
        mut self,
        before: &Self,
        languages: Languages,
        poll: &mut impl FnMut() -> Result<(), E>,
    ) -> Result<Self, E> {
        self.settle_spaces(languages, poll)?;
        self.sequences += before.sequences;
        self.undamaged += before.undamaged;
        Ok(self)
    }

    /// Inserts a space after each one that became part of a character, where that is more likely.
    fn settle_spaces<E: From<AllocError>>(
        &mut self,
        languages: Languages,
        poll: &mut impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
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
            let start = self.text[..at].char_indices().rev().nth(CONTEXT_CHARS).map_or(0, |(start, _)| start);
            let stop = self.text[end..]
                .char_indices()
                .nth(CONTEXT_CHARS)
                .map_or(self.text.len(), |(stop, _)| end + stop);
            let (before, after) = (&self.text[start..end], &self.text[end..stop]);
            let [apart, together] = [format!("{before} {after}"), format!("{before}{after}")];
            if score(&apart, languages, poll)?.bits < score(&together, languages, poll)?.bits {
                self.text.grow(1)?;
                self.text.insert(end, ' ');
            }
        }
        Ok(())
    }
}

impl Path {
    /// Returns the highest cost in bits of a likely text of this number of visible characters.
    fn max_likely_bits(&self, visible: usize) -> f32 {
        match self.0.last() {
            // Controls are evidence.
            Some(&Layer { wrote: OriginalEncoding::In(wrote), read }) if wrote == read => f32::INFINITY,
            Some(&Layer { wrote: OriginalEncoding::In(wrote), .. }) if wrote.is_latin() => {
                MAX_LIKELY_LATIN * visible as f32
            }
            _ => MAX_LIKELY_OTHER * visible as f32 + MAX_LIKELY_SHORT,
        }
    }

    /// Returns whether it is UTF-8 that was always decoded in the same encoding.
    fn is_simple(&self) -> bool {
        self.is_utf8() && self.0.windows(2).all(|pair| pair[0] == pair[1])
    }

    fn is_utf8(&self) -> bool {
        self.0.iter().all(|layer| layer.wrote == OriginalEncoding::Utf8)
    }

    /// Returns the cost of the damage in bits.
    pub(super) fn cost(&self) -> f32 {
        let readings: f32 = self.0.iter().map(|layer| READING + layer.rareness()).sum();
        let count = self.0.iter().filter(|layer| layer.wrote != OriginalEncoding::Utf8).count();
        let mixed = if self.0.len() > 1 { SINGLE_BYTE * count as f32 } else { 0.0 };
        if self.0.is_empty() { 0.0 } else { DAMAGE + readings + mixed }
    }

    /// Reverses these decodings in a text, as far as they occur in it.
    pub(super) fn undo<E: From<AllocError>>(
        &self,
        text: &str,
        languages: Languages,
        poll: &mut impl FnMut() -> Result<(), E>,
    ) -> Result<Candidate, E> {
        let mut all = Undone::default();
        try_push_str(&mut all.text, text)?;
        for &layer in &self.0 {
            if let Some(undone) = layer.undo(&all.text, poll)? {
                all = undone.after(&all, languages, poll)?;
            }
        }
        Candidate::scored(self.clone(), all, languages, poll)
    }
}

impl Path {
    /// Returns the names of the encodings of the decodings that led to this text.
    pub(super) fn readings<E: From<AllocError>>(
        &self,
        text: &str,
        poll: &mut impl FnMut() -> Result<(), E>,
    ) -> Result<Vec<Reading>, E> {
        let mut text = Cow::Borrowed(text);
        let mut readings = vec![];
        for layer in &self.0 {
            let encoding = match layer.wrote {
                OriginalEncoding::Utf8 => "utf-8",
                OriginalEncoding::In(charset) => charset.name(),
            };
            try_push(&mut readings, Reading { encoding, misread_as: layer.read.name_for(&text) })?;
            if let Some(undone) = layer.undo(&text, poll)? {
                text = Cow::Owned(undone.text);
            }
        }
        Ok(readings)
    }
}

impl Layer {
    /// Returns the additional cost over a usual decoding in bits.
    fn rareness(self) -> f32 {
        match (self.wrote, self.read) {
            (OriginalEncoding::Utf8, Charset::MAC_ROMAN) => 5.5,
            // Small letters are the same in these two, except one.
            (OriginalEncoding::In(Charset::WINDOWS_1251), Charset::MAC_CYRILLIC) => 4.0,
            // These two differ in few letters, so that there is little evidence.
            (OriginalEncoding::In(Charset::WINDOWS_1250), Charset::WINDOWS_1252) => -1.5,
            (OriginalEncoding::Utf8, read) if USUAL_FOR_UTF8.contains(&read) => 0.0,
            (OriginalEncoding::In(wrote), read) if USUAL.contains(&(wrote, read)) => 0.0,
            (OriginalEncoding::Utf8, _) => RARE,
            _ => 1.5 * RARE,
        }
    }

    /// Returns whether this decoding and the one reversed before it are equivalent to a single one.
    fn continues(self, before: Option<&Self>) -> bool {
        // C1 controls and the characters of Windows code pages in their place are equivalent.
        before.is_some_and(|before| {
            before.wrote == OriginalEncoding::In(self.read)
                || before.wrote == OriginalEncoding::In(before.read)
        })
    }
}

/// The wrong decodings of other encodings than UTF-8 that are searched.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SingleByteSearch {
    None,
    /// Only in encodings that share most letters.
    Similar,
    All,
}

/// Returns the wrong decodings that may have led to a text: of UTF-8 in encodings in which the text has sequences, and
/// of other encodings as far as they are searched.
fn layers(text: &str, utf8: CharsetBits, single_byte: SingleByteSearch) -> impl Iterator<Item = Layer> {
    let (sequences, fitting) = readings(text, single_byte != SingleByteSearch::None);
    let utf8 = Charset::of_set(sequences & utf8).map(|read| Layer { wrote: OriginalEncoding::Utf8, read });
    // No word is in two alphabets.
    let mut words = text.split(|character: char| character.is_ascii() && !character.is_ascii_alphabetic());
    let any = fitting != 0 && words.any(|word| word.len() > 3 && !word.bytes().any(|byte| byte.is_ascii()));
    let others: [&[_]; 2] = match single_byte {
        SingleByteSearch::Similar => [&SIMILAR, &[]],
        _ => [&USUAL, &UNUSUAL],
    };
    let others = others
        .into_iter()
        .flatten()
        .filter(move |(wrote, read)| fitting & read.set() != 0 && (any || wrote.is_latin()));
    utf8.chain(others.map(|&(wrote, read)| Layer { wrote: OriginalEncoding::In(wrote), read }))
}

/// Returns the encodings in which a text may have sequences of UTF-8, and with `single_byte` those that have most of
/// its characters.
fn readings(text: &str, single_byte: bool) -> (CharsetBits, CharsetBits) {
    let mut sequences = 0;
    let (mut all, mut had) = (0, [0_usize; COUNT]);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character.is_ascii() {
            continue;
        }
        let row = row(character);
        if single_byte {
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

/// Sorts candidates by their cost. (Not a part of the search, of which there is a copy for each kind of poll.)
fn sort_by_cost(candidates: &mut [Candidate], unchanged: &Candidate) {
    candidates.sort_by(|a, b| a.cost(unchanged).total_cmp(&b.cost(unchanged)));
}

/// Returns the most likely original of a suspicious text, which is the text itself if none is more likely.
pub(super) fn beam_search<E: From<AllocError>>(
    unchanged: &Candidate,
    suspicion: Suspicion,
    poll: &mut impl FnMut() -> Result<(), E>,
) -> Result<Candidate, E> {
    // Reversing a decoding of UTF-8 always lowers the cost. But an unlikely text that is mostly not ASCII may have been
    // decoded wrongly twice, with another unlikely text in between.
    let (mut chars, mut ascii) = (0, 0);
    for character in unchanged.text.chars() {
        chars += 1;
        ascii += usize::from(character.is_ascii());
    }
    let twice = unchanged.bits > MAX_GOOD_BITS_PER_CHAR * chars as f32 && 2 * ascii < chars;
    let mut best = unchanged.clone();
    let mut known = HashSet::from([unchanged.text.clone()]);
    let mut front = vec![unchanged.clone()];
    for depth in 0..MAX_DEPTH {
        let mut next: Vec<Candidate> = vec![];
        let (utf8, single_byte) = match depth {
            0 if suspicion.odd => (CharsetBits::MAX, SingleByteSearch::All),
            0 if suspicion.unusual => (suspicion.sequences, SingleByteSearch::Similar),
            0 => (suspicion.sequences, SingleByteSearch::None),
            1 => (CharsetBits::MAX, SingleByteSearch::All),
            _ => (CharsetBits::MAX, SingleByteSearch::None),
        };
        for candidate in &front {
            let before = candidate.path.0.last();
            for layer in layers(&candidate.text, utf8, single_byte) {
                if !layer.continues(before)
                    && let Some(undone) = layer.undo(&candidate.text, poll)?
                    && known.insert(undone.text.clone())
                {
                    next.push(candidate.behind(layer, undone, poll)?);
                }
            }
        }
        sort_by_cost(&mut next, unchanged);
        if let Some(first) = next.first()
            && first.cost(unchanged) < best.cost(unchanged)
        {
            best = first.clone();
        }
        next.retain(|candidate| match candidate.path.is_utf8() {
            true => candidate.bits < unchanged.bits,
            false => depth == 0 && twice,
        });
        next.truncate(BEAM_WIDTH);
        front = next;
    }
    Ok(best)
}
