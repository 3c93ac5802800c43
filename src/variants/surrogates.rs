//! What CESU-8, Modified UTF-8 and WTF-8 have in common: sequences of three bytes that spell surrogates.
//!
//! 1. Most text is UTF-8 and nothing else, and is handled as that, by long spans.
//! 2. In a span that is not, blocks are checked by the same kernels with tables that let surrogates through. Taken
//!    for UTF-8, these decode to UTF-16 as they stand; there it is a matter of the kernels for UTF-16 whether
//!    each is one of a pair. So no byte is looked at by itself, however many surrogates there are.
//! 3. Only a block with an error is gone through one sequence after another, by the definition,
//!    [`Variant::first`].
//! 4. The other way, characters beyond U+FFFF become two units of UTF-16, and these three bytes each. U+0000 as
//!    C0 80 is put in, or taken out, between runs that are handled without it.
//!
//! Tried and lost: what takes more bytes than in UTF-8 counted by a pass of its own (encoding 8 to 12 % slower); spans
//! of 64 KB, where bytes 00 are looked for out of the first-level cache (Modified UTF-8 5 % slower).

use core::convert::Infallible;

use memchr::{memchr, memchr_iter};

use super::VariantError;
use crate::boundary;
use crate::encodings::surrogates;
use crate::error::Utf8Error;
use crate::kernels::IsValid;
use crate::kernels::decode::Unit;
use crate::kernels::encode::{Encoded, Source, Utf16};
use crate::kernels::rules::{Generalized, Narrow, Utf8};
use crate::sequence::ErrorKind;
use crate::sequence::{Sequence, decode_one, is_continuation};
use crate::simd::dispatch::Implementation;
use crate::simd::paired;
use crate::simd::uninit::{MaybeUninit, Scratch, filled, put};
use crate::validate::Measure;

/// What sets a variant apart from UTF-8.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variant {
    /// Its name as an encoding of Python.
    pub name: &'static str,
    /// How a character beyond U+FFFF is written.
    beyond: Beyond,
    /// Whether a surrogate may stand alone.
    lone: bool,
    /// Whether U+0000 is C0 80, and not 00.
    long_null: bool,
}

/// How a character beyond U+FFFF is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beyond {
    /// As in UTF-8.
    FourBytes,
    /// As two surrogates of three bytes each.
    Pair,
    /// As in UTF-8, but two surrogates are let through as what they are.
    FourBytesOrHalves,
}

pub(crate) const CESU8: Variant =
    Variant { name: "cesu-8", beyond: Beyond::Pair, lone: false, long_null: false };
pub(crate) const MUTF8: Variant =
    Variant { name: "mutf-8", beyond: Beyond::Pair, lone: true, long_null: true };
pub(crate) const WTF8: Variant =
    Variant { name: "wtf-8", beyond: Beyond::FourBytes, lone: true, long_null: false };

/// What is UTF-8 and nothing else is looked for in so many bytes.
const SPAN: usize = 16 << 10;
/// Blocks of so many bytes are handled where it is not, and of so many units.
const BLOCK: usize = 4 << 10;
const UNITS: usize = 1 << 10;
/// In so many bytes an error is looked for sequence by sequence.
const NEAR: usize = 128;

/// What stands at the start of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum First {
    /// A code point and its length in bytes.
    Point(u32, usize),
    /// What is wrong, and over how many bytes: a form that would be whole but for not being allowed; else as much as
    /// could have been the start of one.
    Broken(&'static str, usize),
}

/// What was found up to the first error, or to the end.
pub(crate) struct Survey {
    pub measure: Measure,
    /// Whether all of it is UTF-8 that means the same.
    pub plain: bool,
    /// Where the error starts, or the end.
    pub end: usize,
    pub error: Option<VariantError>,
}

impl Survey {
    /// Adds what the next bytes hold, so many of them.
    fn add(&mut self, measure: Measure, length: usize) {
        self.measure = self.measure.plus(measure);
        self.end += length;
    }
}

const UNFINISHED: &str = "unexpected end of data";
const NOT_CONTINUED: &str = "invalid continuation byte";

/// Returns the surrogate that `bytes` begin with.
fn surrogate(bytes: &[u8]) -> Option<u32> {
    surrogates::decode_utf8(bytes).map(u32::from)
}

impl Variant {
    /// The same, but that surrogates are let through wherever they stand.
    #[cfg_attr(not(feature = "python"), expect(dead_code))]
    pub(crate) fn with_surrogates(self) -> Self {
        let beyond = match self.beyond {
            Beyond::FourBytes => Beyond::FourBytesOrHalves,
            other => other,
        };
        Self { beyond, lone: true, ..self }
    }

    /// What `bytes` begin with; `None` if there are none.
    pub(crate) fn first(self, bytes: &[u8]) -> Option<First> {
        Some(match (decode_one(bytes)?, bytes) {
            (_, [0x00, ..]) if self.long_null => First::Broken("null byte", 1),
            (_, [0xC0, 0x80, ..]) if self.long_null => First::Point(0, 2),
            (_, [0xC0]) if self.long_null => First::Broken(UNFINISHED, 1),
            (_, [0xC0, ..]) if self.long_null => First::Broken(NOT_CONTINUED, 1),
            (Sequence::Char(_, 4), _) if self.beyond == Beyond::Pair => First::Broken("four-byte form", 4),
            (Sequence::Char(character, length), _) => First::Point(character.into(), length),
            (Sequence::Broken(ErrorKind::Surrogate, _), [_, _]) => First::Broken(UNFINISHED, 2),
            (Sequence::Broken(ErrorKind::Surrogate, _), [_, _, after @ ..]) => match surrogate(bytes) {
                Some(unit) => self.first_of_surrogate(unit, &after[1..]),
                None => First::Broken(NOT_CONTINUED, 2),
            },
            (Sequence::Broken(kind, length), _) => {
                First::Broken(Utf8Error::new(0, kind, &bytes[..length]).reason(), length)
            }
        })
    }

    /// What some bytes begin with that are a surrogate and those `after` it.
    fn first_of_surrogate(self, unit: u32, after: &[u8]) -> First {
        match (surrogate(after).and_then(|low| surrogates::decode_pair(unit, low)), self.beyond) {
            (Some(point), Beyond::Pair) => First::Point(point, 6),
            (Some(_), Beyond::FourBytes) => First::Broken("surrogate pair", 6),
            _ if self.lone => First::Point(unit, 3),
            _ => First::Broken("lone surrogate", 3),
        }
    }

    /// How many bytes at the end of `data` may go on to be something else after them: 0 to 5.
    #[cfg_attr(not(feature = "python"), expect(dead_code))]
    pub(crate) fn unfinished(self, data: &[u8]) -> usize {
        let tail = &data[data.len().saturating_sub(5)..];
        let starts = (0..tail.len()).filter(|&at| !is_continuation(tail[at]));
        let open = |bytes: &[u8]| match self.first(bytes) {
            Some(First::Broken(UNFINISHED, length)) => length == bytes.len(),
            // The second half may be missing.
            _ => {
                surrogate(bytes).is_some_and(surrogates::is_high)
                    && matches!(bytes[3..], [] | [0xED] | [0xED, 0xB0..=0xBF])
            }
        };
        starts.map(|at| &tail[at..]).find(|bytes| open(bytes)).map_or(0, <[u8]>::len)
    }

    /// Whether these bytes are UTF-8 and mean the same there.
    #[inline]
    fn is_plain(self, by: Implementation, data: &[u8]) -> bool {
        let valid = match self.beyond {
            Beyond::Pair => by.run(IsValid::<_, true>(data, Narrow)),
            _ => by.run(IsValid::<_, true>(data, Utf8)),
        };
        valid && !(self.long_null && memchr(0, data).is_some())
    }

    /// What these bytes hold, if they are UTF-8 and mean the same there.
    #[inline]
    pub(crate) fn measure_plain(self, by: Implementation, data: &[u8]) -> Option<Measure> {
        let measure = by.measure(data)?;
        let same = self.beyond != Beyond::Pair || measure.largest < 0xF0;
        (same && !(self.long_null && memchr(0, data).is_some())).then_some(measure)
    }

    /// What a block holds; `None` if there is an error.
    #[inline(never)]
    fn measure(self, by: Implementation, block: &[u8]) -> Option<Measure> {
        if self.long_null && memchr(0, block).is_some() {
            return None;
        }
        let mut room = Scratch::new();
        let block = self.with_nulls(block, &mut room);
        if !by.run(IsValid::<_, true>(block, Generalized)) {
            return None;
        }
        let mut measure = by.measure_valid(block);
        if self.beyond == Beyond::FourBytesOrHalves {
            return Some(measure);
        }
        let mut room = Scratch::<u16, BLOCK>::new();
        let units = room.filled(block.len(), |out| by.fill(block, out));
        // Pairs are four bytes there, lone surrogates three.
        let spared = block.len().saturating_sub(by.utf8_length(paired(units)));
        match self.beyond {
            Beyond::Pair if measure.largest >= 0xF0 => return None,
            Beyond::Pair if !self.lone && by.count_within::<_, 0xD800, 0xDFFF>(units) != spared => {
                return None;
            }
            Beyond::Pair if spared > 0 => {
                measure.chars = measure.chars.saturating_sub(spared / 2);
                measure.largest = 0xF0;
            }
            Beyond::FourBytes if spared > 0 => return None,
            _ => {}
        }
        Some(measure)
    }

    /// The bytes with 00 for C0 80, if that is how they are written.
    fn with_nulls<'a>(self, block: &'a [u8], room: &'a mut Scratch<u8, BLOCK>) -> &'a [u8] {
        if !self.long_null || memchr(0xC0, block).is_none() {
            return block;
        }
        room.filled(block.len(), |out| {
            let (mut at, mut written) = (0, 0);
            for start in memchr_iter(0xC0, block).filter(|&start| block.get(start + 1) == Some(&0x80)) {
                written += put(&mut out[written..], &block[at..start]);
                written += put(&mut out[written..], &[0]);
                at = start + 2;
            }
            written + put(&mut out[written..], &block[at..])
        })
    }

    /// The first bytes of `data`, about `length` of them: nothing that is valid is cut in two.
    fn head(data: &[u8], length: usize) -> &[u8] {
        let head = boundary::head(data, length);
        match head {
            [before @ .., _, _, _]
                if surrogates::ends_with_high(head) && head.len() < data.len() && !before.is_empty() =>
            {
                before
            }
            _ => head,
        }
    }

    /// Whether `data` are valid. Tells `worked` how much was done, in bytes, and stops if that returns an error.
    #[inline]
    pub(crate) fn is_valid<E>(
        self,
        by: Implementation,
        data: &[u8],
        worked: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<bool, E> {
        // Apart from the rest, which needs much room on the stack.
        if data.len() <= SPAN && self.is_plain(by, data) {
            return Ok(true);
        }
        self.is_valid_by_spans(by, data, worked)
    }

    #[cold]
    #[inline(never)]
    fn is_valid_by_spans<E>(
        self,
        by: Implementation,
        data: &[u8],
        mut worked: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<bool, E> {
        let mut rest = data;
        while !rest.is_empty() {
            let span;
            (span, rest) = rest.split_at(Self::head(rest, SPAN).len());
            if !self.is_plain(by, span) {
                let mut rest = span;
                while !rest.is_empty() {
                    let block;
                    (block, rest) = rest.split_at(Self::head(rest, BLOCK).len());
                    if !self.is_plain(by, block) && self.measure(by, block).is_none() {
                        return Ok(false);
                    }
                }
            }
            worked(span.len())?;
        }
        Ok(true)
    }

    /// What stands in `data[from..end]`. What is wrong at its end is told by the bytes behind it, too.
    pub(crate) fn survey<E>(
        self,
        by: Implementation,
        data: &[u8],
        from: usize,
        end: usize,
        mut worked: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Survey, E> {
        let mut survey = Survey { measure: Measure::default(), plain: true, end: from, error: None };
        // Errors seldom come alone.
        let mut length = if from == 0 { SPAN } else { NEAR };
        while survey.end < end && survey.error.is_none() {
            let before = survey.end;
            let span = Self::head(&data[before..end], length);
            if let Some(measure) = self.measure_plain(by, span) {
                survey.add(measure, span.len());
                length = SPAN.min(4 * length);
            } else {
                survey.plain = false;
                let block = Self::head(span, BLOCK);
                match self.measure(by, block) {
                    Some(measure) => survey.add(measure, block.len()),
                    None if block.len() <= NEAR => self.walk(data, before + block.len(), &mut survey),
                    None => {}
                }
                length = if survey.end > before { BLOCK } else { NEAR };
            }
            worked(survey.end - before)?;
        }
        Ok(survey)
    }

    /// Goes on sequence by sequence, to an error or to `end`.
    fn walk(self, data: &[u8], end: usize, survey: &mut Survey) {
        while survey.end < end
            && let Some(first) = self.first(&data[survey.end..])
        {
            match first {
                First::Point(point, length) => {
                    let units = 1 + usize::from(point > 0xFFFF);
                    let largest = if length == 6 { 0xF0 } else { data[survey.end].min(0xF0) };
                    let largest = if largest < 0x80 || point == 0 { 0 } else { largest };
                    survey.add(Measure { chars: 1, utf16_units: units, largest }, length);
                }
                First::Broken(reason, length) => {
                    let (variant, start) = (self.name, survey.end);
                    survey.error = Some(VariantError { variant, start, end: start + length, reason });
                    return;
                }
            }
        }
    }

    /// Whether surrogates may stand alone.
    #[cfg_attr(not(feature = "python"), expect(dead_code))]
    pub(crate) fn has_surrogates(self) -> bool {
        self.lone
    }

    /// Whether there are characters of six bytes that have to be told from two surrogates.
    #[cfg_attr(not(feature = "python"), expect(dead_code))]
    pub(crate) fn joins(self) -> bool {
        self.beyond == Beyond::Pair
    }

    /// Decodes `data`, which are valid, into `out`, which has just the room for it; with `JOIN` pairs of
    /// surrogates become one unit. Returns how many units were written.
    pub(crate) fn fill<U: Unit, E>(
        self,
        by: Implementation,
        data: &[u8],
        join: bool,
        out: &mut [MaybeUninit<U>],
        mut worked: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<usize, E> {
        let mut written = 0;
        let mut rest = data;
        let (mut room, mut bytes) = (Scratch::new(), Scratch::<u8, BLOCK>::new());
        let mut units = Scratch::<u16, BLOCK>::new();
        while !rest.is_empty() {
            let block;
            (block, rest) = rest.split_at(Self::head(rest, BLOCK).len());
            let block = self.with_nulls(block, &mut room);
            let out = &mut out[written..];
            if join && !by.run(IsValid::<_, true>(block, Narrow)) {
                let units = paired(units.filled(block.len(), |out| by.fill(block, out)));
                let mut scalar = true;
                let utf8 = bytes.filled(block.len(), |out| {
                    let encoded = by.encode(units, out);
                    scalar = encoded.scalar;
                    encoded.written
                });
                written += if scalar { by.fill(utf8, out) } else { write_joined(units, out) };
            } else {
                written += by.fill(block, out);
            }
            worked(block.len())?;
        }
        Ok(written)
    }

    /// How many bytes `units` take, each for itself; three for a surrogate.
    pub(crate) fn length<U: Source>(self, by: Implementation, units: &[U]) -> usize {
        let length = match self.long_null {
            true => by.utf8_length_with_long_nulls(units),
            false => by.utf8_length(units),
        };
        match self.beyond {
            Beyond::Pair if size_of::<U>() == 4 => {
                length + 2 * by.count_within::<_, 0x1_0000, { u32::MAX }>(units)
            }
            _ => length,
        }
    }

    /// Whether `units` are encoded as in UTF-8.
    pub(crate) fn has_all<U: Source>(self, by: Implementation, units: &[U]) -> bool {
        let beyond = self.beyond == Beyond::Pair
            && size_of::<U>() == 4
            && by.count_within::<_, 0x1_0000, { u32::MAX }>(units) > 0;
        !(beyond || self.long_null && by.count_within::<_, 0, 0>(units) > 0)
    }

    /// The same of ASCII.
    #[cfg_attr(not(feature = "python"), expect(dead_code))]
    pub(crate) fn has_all_ascii(self, ascii: &[u8]) -> bool {
        !self.long_null || memchr(0, ascii).is_none()
    }

    /// Encodes `units`, each for itself, into `out`, which has just the room for it.
    pub(crate) fn encode<U: Source>(
        self,
        by: Implementation,
        units: &[U],
        out: &mut [MaybeUninit<u8>],
    ) -> Encoded {
        let mut whole = Encoded { written: 0, scalar: true };
        let mut bytes = Scratch::<u8, { 4 * UNITS }>::new();
        let mut halves = Scratch::<u16, { 2 * UNITS }>::new();
        for block in units.chunks(UNITS) {
            let out = &mut out[whole.written..];
            if self.has_all(by, block) {
                let encoded = by.encode(block, out);
                whole.written += encoded.written;
                whole.scalar &= encoded.scalar;
                continue;
            }
            let utf8 = bytes.filled(4 * block.len(), |out| {
                let encoded = by.encode(block, out);
                whole.scalar &= encoded.scalar;
                encoded.written
            });
            let halves = halves.filled(2 * block.len(), |out| by.fill(utf8, out));
            whole.written += self.encode_halves(by, halves, out);
        }
        whole
    }

    /// Encodes units of UTF-16, each for itself.
    fn encode_halves(self, by: Implementation, units: &[u16], out: &mut [MaybeUninit<u8>]) -> usize {
        if !self.long_null || by.count_within::<_, 0, 0>(units) == 0 {
            return by.encode(units, out).written;
        }
        let mut written = 0;
        for run in units.split_inclusive(|&unit| unit == 0) {
            let (run, null) = match run {
                [run @ .., 0] => (run, &[0xC0, 0x80][..]),
                run => (run, &[][..]),
            };
            written += by.encode(run, &mut out[written..]).written;
            written += put(&mut out[written..], null);
        }
        written
    }
}

// Without anybody who may want to stop.
impl Variant {
    #[inline]
    pub(super) fn is_valid_patiently(self, by: Implementation, data: &[u8]) -> bool {
        let Ok(valid) = self.is_valid(by, data, patient);
        valid
    }

    pub(super) fn decode_to_utf16(self, by: Implementation, data: &[u8]) -> Result<Vec<u16>, VariantError> {
        let Ok(survey) = self.survey(by, data, 0, data.len(), patient);
        match survey.error {
            Some(error) => Err(error),
            None => Ok(filled(survey.measure.utf16_units, |out| {
                let Ok(written) = self.fill(by, data, false, out, patient);
                written
            })),
        }
    }

    pub(super) fn encode_utf16(self, by: Implementation, units: &[u16]) -> Vec<u8> {
        filled(self.length(by, units), |out| self.encode(by, units, out).written)
    }
}

fn patient(_: usize) -> Result<(), Infallible> {
    Ok(())
}

/// How many bytes UTF-16 that may be ill-formed takes in WTF-8.
pub(crate) fn wtf8_length(by: Implementation, units: &[u16]) -> usize {
    by.utf8_length(paired(units))
}

/// Encodes UTF-16 that may be ill-formed to WTF-8, into just the room that it takes: pairs are joined.
pub(crate) fn encode_wtf8(by: Implementation, units: &[u16], out: &mut [MaybeUninit<u8>]) -> usize {
    let mut written = 0;
    let mut rest = units;
    loop {
        let (run, after) = rest.split_at(by.scalar_up_to(paired(rest)));
        written += by.encode(paired(run), &mut out[written..]).written;
        let Some((lone, after)) = after.split_first() else { return written };
        written += by.encode(core::slice::from_ref(lone), &mut out[written..]).written;
        rest = after;
    }
}

/// Writes the code points of UTF-16, one unit for each.
fn write_joined<U: Unit>(units: &[Utf16], out: &mut [MaybeUninit<U>]) -> usize {
    let mut rest = units;
    let mut written = 0;
    while let Some((point, taken)) = Utf16::first(rest) {
        out[written].write(U::of(point).0);
        written += 1;
        rest = rest.get(taken..).unwrap_or_default();
    }
    written
}
