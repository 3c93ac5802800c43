//! Full case folding: the mappings of status C and F in Unicode's CaseFolding.txt.
//!
//! A kernel folds the letters of common scripts by comparisons; blocks with other letters are looked up character by
//! character in tables made from the data of ICU4X by `tests/suite/classes/make.rs`.

use std::borrow::Cow;
use std::ops::Range;

use super::classes::Classes;
use super::pieces::decoded;
use crate::allocation::{Grow, first_of, product, try_extend};
use crate::kernels::casefold::{CommonFoldings, FoldCommon, Processed};
use crate::kernels::decode::CodeUnit;
use crate::kernels::encode::Source;
use crate::progress::{Progress, Stopped, uninterrupted, unobserved};
use crate::sequence::boundary::{CHUNK_BYTES, ceil_boundary};
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::{MaybeUninit, filled, try_append, unfilled};

/// Returns the text with full case folding (Unicode's CaseFolding.txt, status C and F); borrowed if nothing changes.
///
/// Texts that differ only in case have the same folding: ß and ẞ become ss, ς and Σ become σ. To compare texts whose
/// letters may be composed in different ways, [`search`](super::search) or [`normalize`](super::normalize) them.
///
/// ```
/// use std::borrow::Cow;
/// use leadbyte::unicode::casefold;
///
/// assert_eq!(casefold("Straße ΣΊΣΥΦΟΣ"), "strasse σίσυφοσ");
/// assert!(matches!(casefold("straight"), Cow::Borrowed(_)));
/// // Folding is not normalization.
/// assert_ne!(casefold("\u{DC}"), casefold("U\u{308}"));
/// ```
pub fn casefold(text: &str) -> Cow<'_, str> {
    Implementation::active().casefold(text)
}

#[doc(hidden)]
impl Implementation {
    pub fn casefold(self, text: &str) -> Cow<'_, str> {
        match uninterrupted(fold_text(self, text, &mut unobserved)) {
            None => Cow::Borrowed(text),
            // SAFETY: it consists of parts of a `str` that end at boundaries, of ASCII, and of encoded scalar values.
            Some(bytes) => Cow::Owned(unsafe { String::from_utf8_unchecked(bytes) }),
        }
    }

    pub fn casefold_latin1(self, units: &[u8]) -> Option<Vec<u32>> {
        self.folded(units)
    }

    pub fn casefold_ucs2(self, units: &[u16]) -> Option<Vec<u32>> {
        self.folded(units)
    }

    pub fn casefold_utf32(self, units: &[u32]) -> Option<Vec<u32>> {
        self.folded(units)
    }

    fn folded<U: Source>(self, units: &[U]) -> Option<Vec<u32>> {
        let change = uninterrupted(FoldedSize::of(self, units, &mut unobserved))?;
        let folded = filled(change.length, |out| uninterrupted(write(self, units, out, &mut unobserved)));
        assert_eq!(change.length, folded.len());
        assert_eq!(change.bits, folded.iter().fold(0, |bits, unit| bits | unit));
        Some(folded)
    }
}

pub(super) static FOLDING: Classes = Classes::of(include_bytes!("classes/folding"), 0, |_, _| true);

/// The class of characters that fold to several.
const EXPANDS: u8 = 255;

/// For each class the distance from a character to its folding, which wraps around if that is lower.
static DISTANCES: [u32; 256] = {
    let (rows, _) = include_bytes!("classes/folding_distances").as_chunks();
    let mut distances = [0; 256];
    let mut at = 0;
    while at < rows.len() {
        distances[at] = u32::from_le_bytes(rows[at]);
        at += 1;
    }
    distances
};

/// The maximum number of characters that a character folds to.
pub(super) const MAX_FOLDED: usize = 3;

/// The characters of class [`EXPANDS`] in order, each with its folding, which ends with zeros if it is shorter.
static EXPANSIONS: [[u32; 1 + MAX_FOLDED]; EXPANSION_BYTES.len() / EXPANSION_SIZE] = {
    let (values, _) = EXPANSION_BYTES.as_chunks();
    let mut expansions = [[0; _]; _];
    let mut at = 0;
    while at < values.len() {
        expansions[at / (1 + MAX_FOLDED)][at % (1 + MAX_FOLDED)] = u32::from_le_bytes(values[at]);
        at += 1;
    }
    expansions
};
const EXPANSION_BYTES: &[u8] = include_bytes!("classes/folding_expansions");
const EXPANSION_SIZE: usize = (1 + MAX_FOLDED) * size_of::<u32>();

/// Calls `each` with the characters that a character folds to.
#[inline(always)]
pub(super) fn fold(code_point: u32, mut each: impl FnMut(u32)) {
    let class = FOLDING.class(code_point);
    if class != EXPANDS {
        return each(code_point.wrapping_add(DISTANCES[usize::from(class)]));
    }
    expansion(code_point).iter().for_each(|&folded| each(folded));
}

/// Returns the folding of a character of class [`EXPANDS`].
#[cold]
fn expansion(code_point: u32) -> &'static [u32] {
    let Ok(row) = EXPANSIONS.binary_search_by_key(&code_point, |row| row[0]) else { return &[] };
    let folded = &EXPANSIONS[row][1..];
    &folded[..folded.iter().position(|&part| part == 0).unwrap_or(MAX_FOLDED)]
}

/// Returns the units whose bits are set, the lowest bit being the first unit's.
fn marked<U: Copy>(units: &[U], mut bits: u64) -> impl Iterator<Item = U> {
    std::iter::from_fn(move || {
        let at = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        units.get(at).copied()
    })
}

/// The length and the characters of a folded text.
#[derive(Clone, Copy, Debug)]
pub struct FoldedSize {
    /// The length in characters, saturating at a number that cannot be allocated.
    pub length: usize,
    /// The bitwise or of all characters.
    pub bits: u32,
}

impl FoldedSize {
    /// Measures the folding of `units`; `None` if it changes nothing.
    pub fn of<U: Source>(
        by: Implementation,
        units: &[U],
        progress: Progress<'_>,
    ) -> Result<Option<Self>, Stopped> {
        let mut size = Self { length: 0, bits: 0 };
        let (mut changes, mut script) = (false, 0);
        for chunk in units.chunks(CHUNK_BYTES / size_of::<U>()) {
            let mut at = 0;
            while at < chunk.len() {
                let Processed { units, start, uncovered } = by.run(CommonFoldings {
                    units: &chunk[at..],
                    script: &mut script,
                    bits: &mut size.bits,
                    changed: &mut changes,
                });
                size.length = size.length.saturating_add(units);
                for unit in marked(&chunk[at + start..], uncovered) {
                    let mut first = true;
                    fold(unit.value(), |folded| {
                        size.length = size.length.saturating_add(usize::from(!first));
                        size.bits |= folded;
                        changes |= folded != unit.value();
                        first = false;
                    });
                }
                at += units;
            }
            progress(size_of_val(chunk))?;
        }
        Ok(changes.then_some(size))
    }
}

/// The number of units that the kernel leaves in a block from which on the rest of the block is looked up, too, after a
/// character that folds to several.
const MANY_UNCOVERED: u32 = 4;

/// Writes the folding of `units` into `out`, which has exactly its length, in units that all of its characters fit in.
/// Returns the number of units written.
pub fn write<U: Source, O: CodeUnit>(
    by: Implementation,
    units: &[U],
    out: &mut [MaybeUninit<O>],
    progress: Progress<'_>,
) -> Result<usize, Stopped> {
    let (mut written, mut script) = (0, 0);
    for chunk in units.chunks(CHUNK_BYTES / size_of::<U>()) {
        let mut at = 0;
        while at < chunk.len() {
            let (units, places) = (&chunk[at..], &mut out[written..]);
            let Processed { units: mut processed, start, mut uncovered } = if const { can_fold_to::<U, O>() }
            {
                by.run(FoldCommon { units, out: &mut *places, script: &mut script })
            } else {
                Processed::none(units.len())
            };
            written += processed;
            while uncovered != 0 {
                let place = start + uncovered.trailing_zeros() as usize;
                let mut folded = 0;
                fold(units[place].value(), |code_point| {
                    if let Some(slot) = places.get_mut(place + folded) {
                        slot.write(O::of(code_point).0);
                        folded += 1;
                    }
                });
                if folded != 1 {
                    // The units after it move: they are folded once more.
                    let end = if uncovered.count_ones() < MANY_UNCOVERED { place + 1 } else { processed };
                    let mut next = place + folded;
                    for unit in &units[place + 1..end] {
                        fold(unit.value(), |code_point| {
                            if let Some(slot) = places.get_mut(next) {
                                slot.write(O::of(code_point).0);
                                next += 1;
                            }
                        });
                    }
                    written = written - processed + next;
                    processed = end;
                    break;
                }
                uncovered &= uncovered - 1;
            }
            at += processed;
        }
        progress(size_of_val(chunk))?;
    }
    Ok(written)
}

/// Returns whether the folding of a str of units `U` can have units `O`: no character beyond U+FFFF has a folding
/// below it, nor the reverse, so that no kernel is compiled for that.
const fn can_fold_to<U, O>() -> bool {
    size_of::<U>() == size_of::<O>() || (size_of::<U>() < 4 && size_of::<O>() < 4)
}

/// The length in bytes of the blocks of text that are ASCII or not.
const BLOCK_BYTES: usize = 128;
/// The maximum length in bytes of a run of such blocks.
const MAX_RUN_BYTES: usize = 8 << 10;

/// Returns the first run of blocks of `text` that are all ASCII or all are not, and which of these.
fn first_run(by: Implementation, text: &str) -> (&str, bool) {
    let bytes = text.as_bytes();
    let limit = bytes.len().min(MAX_RUN_BYTES);
    let is_ascii = |start: usize| by.is_ascii(&bytes[start..limit.min(start + BLOCK_BYTES)]);
    let ascii = is_ascii(0);
    let mut starts = (BLOCK_BYTES..limit).step_by(BLOCK_BYTES);
    let end = starts.find(|&start| is_ascii(start) != ascii).unwrap_or(limit);
    (&text[..ceil_boundary(bytes, end)], ascii)
}

/// The folding of a text, run by run.
struct TextFolding<'a> {
    by: Implementation,
    text: &'a str,
    /// The folding of the first bytes, up to the last run that was changed.
    out: Vec<u8>,
    /// The number of these bytes.
    folded: usize,
}

impl TextFolding<'_> {
    /// Folds the next run, of which `units` are the code points. `buffer` may be reused.
    fn fold<U: Source + CodeUnit + PartialEq>(
        &mut self,
        run: Range<usize>,
        units: &[U],
        buffer: &mut Vec<U>,
    ) -> Result<(), Stopped> {
        let places = first_of(buffer, product(units.len(), MAX_FOLDED)?)?;
        let length = write(self.by, units, unfilled(places), &mut unobserved)?;
        let folded = &buffer[..length];
        if folded != units {
            if self.folded == 0 {
                self.out.grow(self.text.len())?;
            }
            try_extend(&mut self.out, &self.text.as_bytes()[self.folded..run.start])?;
            let length = self.by.utf8_length(folded);
            try_append(&mut self.out, length, |out| Some(self.by.encode(folded, out).written))?;
            self.folded = run.end;
        }
        Ok(())
    }
}

/// Returns the folding of `text`, as UTF-8; `None` if it changes nothing.
pub fn fold_text(by: Implementation, text: &str, progress: Progress<'_>) -> Result<Option<Vec<u8>>, Stopped> {
    let mut folding = TextFolding { by, text, out: vec![], folded: 0 };
    let (mut bytes, mut narrow, mut wide) = (vec![], <[Vec<u16>; 2]>::default(), <[Vec<u32>; 2]>::default());
    let mut at = 0;
    while at < text.len() {
        let (run, ascii) = first_run(by, &text[at..]);
        let range = at..at + run.len();
        if ascii {
            folding.fold(range, run.as_bytes(), &mut bytes)?;
        } else if by.count_widths(run.as_bytes())[3] == 0 {
            let [units, buffer] = &mut narrow;
            folding.fold(range, decoded(by, run, units, &mut unobserved)?, buffer)?;
        } else {
            let [units, buffer] = &mut wide;
            folding.fold(range, decoded(by, run, units, &mut unobserved)?, buffer)?;
        }
        at += run.len();
        progress(run.len())?;
    }
    if folding.folded == 0 {
        return Ok(None);
    }
    try_extend(&mut folding.out, &text.as_bytes()[folding.folded..])?;
    Ok(Some(folding.out))
}
