//! CESU-8, Modified UTF-8 and WTF-8: the variants of UTF-8 with surrogates in three bytes each.
//!
//! 1. Most text is plain UTF-8, and is converted as such in long spans.
//! 2. In other spans blocks are validated by the same kernels with tables that allow surrogates. The decoders of UTF-8
//!    decode these to UTF-16 unchanged, and the kernels for UTF-16 find which are pairs. So no byte is examined by
//!    itself, however many surrogates there are.
//! 3. Only a block with an error is walked sequence by sequence, by the definition, `Variant::decode_one`.
//! 4. For encoding, characters beyond U+FFFF become two UTF-16 code units, and these three bytes each. U+0000 as C0 80
//!    is inserted or removed between runs that are converted without it.
//!
//! Tried and lost: counting what takes more bytes than in UTF-8 in a separate pass (encoding 8 to 12 % slower); spans
//! of 64 KiB, in which the search for bytes 00 misses the first-level cache (Modified UTF-8 5 % slower).

use memchr::{memchr, memchr_iter};

use super::VariantError;
use crate::encodings::surrogates;
use crate::error::Utf8Error;
use crate::kernels::counts::Measure;
use crate::kernels::decode::CodeUnit;
use crate::kernels::encode::unit::SourceUnit;
use crate::kernels::encode::{Encoded, Source};
use crate::progress::{Progress, Stopped, uninterrupted, unobserved};
use crate::sequence::ErrorKind;
use crate::sequence::boundary;
use crate::sequence::{FOUR_BYTE_LEAD, Sequence, decode_one, is_continuation};
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::{MaybeUninit, Scratch, filled, put};
use crate::simd::{Utf16, paired};

/// The differences of a variant from UTF-8.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// The name of the encoding in Python.
    pub name: &'static str,
    /// The form of characters beyond U+FFFF.
    supplementary: Supplementary,
    /// Whether lone surrogates are allowed.
    lone: bool,
    /// Whether U+0000 is C0 80 instead of 00.
    long_null: bool,
}

/// The form of supplementary characters, those beyond U+FFFF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Supplementary {
    /// Four bytes, as in UTF-8.
    FourBytes,
    /// A surrogate pair of three bytes each.
    Pair,
    /// Four bytes; but a surrogate pair of three bytes each is decoded as two surrogates.
    FourBytesOrSurrogates,
}

/// CESU-8 (UTR 26).
pub const CESU8: Variant =
    Variant { name: "cesu-8", supplementary: Supplementary::Pair, lone: false, long_null: false };
/// Modified UTF-8, of Java.
pub const MUTF8: Variant =
    Variant { name: "mutf-8", supplementary: Supplementary::Pair, lone: true, long_null: true };
/// WTF-8.
pub const WTF8: Variant =
    Variant { name: "wtf-8", supplementary: Supplementary::FourBytes, lone: true, long_null: false };

/// The number of bytes that are converted at once if they are plain UTF-8.
const SPAN_BYTES: usize = 16 << 10;
/// The number of bytes, and of code units, that are converted at once if they are not.
const BLOCK_BYTES: usize = 4 << 10;
const BLOCK_UNITS: usize = 1 << 10;
/// The number of bytes in which an error is searched sequence by sequence.
const WALK_BYTES: usize = 128;

/// The start of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecodedCodePoint {
    /// A code point and its length in bytes.
    Point(u32, usize),
    /// The reason why bytes are malformed, and their number: a complete form that is not allowed, or the maximal
    /// subpart of one.
    Malformed(&'static str, usize),
}

/// The properties of data up to the first error, or to the end.
pub struct VariantSurvey {
    /// The counts.
    pub measure: Measure,
    /// Whether all of it is plain UTF-8.
    pub plain: bool,
    /// The start of the error, or the end of the data.
    pub end: usize,
    /// The first error.
    pub error: Option<VariantError>,
}

impl VariantSurvey {
    /// Adds the measure of the next `length` bytes.
    fn add(&mut self, measure: Measure, length: usize) {
        self.measure = self.measure.plus(measure);
        self.end += length;
    }
}

const TRUNCATED: &str = "unexpected end of data";
const INVALID_CONTINUATION: &str = "invalid continuation byte";

/// Returns whether `data` is UTF-8 without characters beyond U+FFFF.
fn is_narrow(by: Implementation, data: &[u8]) -> bool {
    by.measure(data).is_some_and(|measure| measure.largest < FOUR_BYTE_LEAD)
}

/// Returns the surrogate that `bytes` begin with.
fn surrogate(bytes: &[u8]) -> Option<u32> {
    surrogates::decode_utf8(bytes).map(u32::from)
}

impl Variant {
    /// Returns the variant that also allows surrogates everywhere.
    pub fn with_surrogates(self) -> Self {
        let supplementary = match self.supplementary {
            Supplementary::FourBytes => Supplementary::FourBytesOrSurrogates,
            other => other,
        };
        Self { supplementary, lone: true, ..self }
    }

    /// Decodes the start of `bytes`; `None` if there are none.
    pub(crate) fn decode_one(self, bytes: &[u8]) -> Option<DecodedCodePoint> {
        Some(match (decode_one(bytes)?, bytes) {
            (_, [0x00, ..]) if self.long_null => DecodedCodePoint::Malformed("null byte", 1),
            (_, [0xC0, 0x80, ..]) if self.long_null => DecodedCodePoint::Point(0, 2),
            (_, [0xC0]) if self.long_null => DecodedCodePoint::Malformed(TRUNCATED, 1),
            (_, [0xC0, ..]) if self.long_null => DecodedCodePoint::Malformed(INVALID_CONTINUATION, 1),
            (Sequence::Char(_, 4), _) if self.supplementary == Supplementary::Pair => {
                DecodedCodePoint::Malformed("four-byte form", 4)
            }
            (Sequence::Char(character, length), _) => DecodedCodePoint::Point(character.into(), length),
            (Sequence::Malformed(ErrorKind::Surrogate, _), [_, _]) => {
                DecodedCodePoint::Malformed(TRUNCATED, 2)
            }
            (Sequence::Malformed(ErrorKind::Surrogate, _), [_, _, after @ ..]) => match surrogate(bytes) {
                Some(unit) => self.decode_surrogate(unit, &after[1..]),
                None => DecodedCodePoint::Malformed(INVALID_CONTINUATION, 2),
            },
            (Sequence::Malformed(kind, length), _) => {
                DecodedCodePoint::Malformed(Utf8Error::new(0, kind, &bytes[..length]).reason(), length)
            }
        })
    }

    /// Decodes the start of bytes that are a surrogate and those `after` it.
    fn decode_surrogate(self, unit: u32, after: &[u8]) -> DecodedCodePoint {
        match (surrogate(after).and_then(|low| surrogates::decode_pair(unit, low)), self.supplementary) {
            (Some(point), Supplementary::Pair) => DecodedCodePoint::Point(point, 6),
            (Some(_), Supplementary::FourBytes) => DecodedCodePoint::Malformed("surrogate pair", 6),
            _ if self.lone => DecodedCodePoint::Point(unit, 3),
            _ => DecodedCodePoint::Malformed("lone surrogate", 3),
        }
    }

    /// Returns the number of bytes at the end of `data` that later bytes can complete: 0 to 5.
    pub fn incomplete_suffix(self, data: &[u8]) -> usize {
        let tail = &data[data.len().saturating_sub(5)..];
        let starts = (0..tail.len()).filter(|&at| !is_continuation(tail[at]));
        let open = |bytes: &[u8]| match self.decode_one(bytes) {
            Some(DecodedCodePoint::Malformed(TRUNCATED, length)) => length == bytes.len(),
            // A low surrogate may follow.
            _ => {
                surrogate(bytes).is_some_and(surrogates::is_high)
                    && matches!(bytes[3..], [] | [0xED] | [0xED, 0xB0..=0xBF])
            }
        };
        starts.map(|at| &tail[at..]).find(|bytes| open(bytes)).map_or(0, <[u8]>::len)
    }

    /// Returns whether these bytes are plain UTF-8.
    #[inline]
    fn is_plain(self, by: Implementation, data: &[u8]) -> bool {
        match self.supplementary {
            Supplementary::Pair => self.measure_plain(by, data).is_some(),
            _ => by.is_valid(data) && !self.has_null(data),
        }
    }

    /// Returns whether these bytes have a null that the variant encodes otherwise.
    #[inline]
    fn has_null(self, data: &[u8]) -> bool {
        self.long_null && memchr(0, data).is_some()
    }

    /// Returns the measure of these bytes if they are plain UTF-8.
    #[inline]
    pub fn measure_plain(self, by: Implementation, data: &[u8]) -> Option<Measure> {
        let measure = by.measure(data)?;
        let same = self.supplementary != Supplementary::Pair || measure.largest < FOUR_BYTE_LEAD;
        (same && !self.has_null(data)).then_some(measure)
    }

    /// Returns the measure of a block; `None` if it has an error.
    #[inline(never)]
    fn measure(self, by: Implementation, block: &[u8]) -> Option<Measure> {
        if self.has_null(block) {
            return None;
        }
        let mut buffer = Scratch::uninit();
        let block = self.with_nulls(block, &mut buffer);
        if !by.is_generalized(block) {
            return None;
        }
        let mut measure = by.measure_valid(block);
        if self.supplementary == Supplementary::FourBytesOrSurrogates {
            return Some(measure);
        }
        let mut units = Scratch::<u16, BLOCK_BYTES>::uninit();
        let units = units.filled(block.len(), |out| by.fill(block, out));
        // In UTF-8 pairs have four bytes, and lone surrogates three.
        let spared = block.len().saturating_sub(by.utf8_length(paired(units)));
        match self.supplementary {
            Supplementary::Pair if measure.largest >= FOUR_BYTE_LEAD => return None,
            Supplementary::Pair if !self.lone && by.count_within::<_, 0xD800, 0xDFFF>(units) != spared => {
                return None;
            }
            Supplementary::Pair if spared > 0 => {
                measure.chars = measure.chars.saturating_sub(spared / 2);
                measure.largest = FOUR_BYTE_LEAD;
            }
            Supplementary::FourBytes if spared > 0 => return None,
            _ => {}
        }
        Some(measure)
    }

    /// Returns the bytes with C0 80 replaced by 00, if the variant has that; up to another C0, which is an error.
    fn with_nulls<'a>(self, block: &'a [u8], buffer: &'a mut Scratch<u8, BLOCK_BYTES>) -> &'a [u8] {
        if !self.long_null || memchr(0xC0, block).is_none() {
            return block;
        }
        buffer.filled(block.len(), |out| {
            let (mut at, mut written) = (0, 0);
            for start in memchr_iter(0xC0, block).take_while(|&start| block.get(start + 1) == Some(&0x80)) {
                written += put(&mut out[written..], &block[at..start]);
                written += put(&mut out[written..], &[0]);
                at = start + 2;
            }
            written + put(&mut out[written..], &block[at..])
        })
    }

    /// Returns the first bytes of `data`, about `length` of them, which do not end inside a valid character.
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

    /// Returns whether `data` is valid.
    #[inline]
    pub fn is_valid(self, by: Implementation, data: &[u8], progress: Progress<'_>) -> Result<bool, Stopped> {
        // Separate from the rest, which uses much of the stack.
        if data.len() <= SPAN_BYTES && self.is_plain(by, data) {
            return Ok(true);
        }
        self.is_valid_by_spans(by, data, progress)
    }

    #[cold]
    #[inline(never)]
    fn is_valid_by_spans(
        self,
        by: Implementation,
        data: &[u8],
        progress: Progress<'_>,
    ) -> Result<bool, Stopped> {
        let mut rest = data;
        while !rest.is_empty() {
            let span;
            (span, rest) = rest.split_at(Self::head(rest, SPAN_BYTES).len());
            if !self.is_plain(by, span) {
                let mut rest = span;
                while !rest.is_empty() {
                    let block;
                    (block, rest) = rest.split_at(Self::head(rest, BLOCK_BYTES).len());
                    if !self.is_plain(by, block) && self.measure(by, block).is_none() {
                        return Ok(false);
                    }
                }
            }
            progress(span.len())?;
        }
        Ok(true)
    }

    /// Examines `data[from..end]`. An error at its end may depend on the bytes after it.
    pub fn survey(
        self,
        by: Implementation,
        data: &[u8],
        from: usize,
        end: usize,
        progress: Progress<'_>,
    ) -> Result<VariantSurvey, Stopped> {
        let mut survey = VariantSurvey { measure: Measure::default(), plain: true, end: from, error: None };
        // Errors seldom come alone.
        let mut length = if from == 0 { SPAN_BYTES } else { WALK_BYTES };
        while survey.end < end && survey.error.is_none() {
            let before = survey.end;
            let span = Self::head(&data[before..end], length);
            if let Some(measure) = self.measure_plain(by, span) {
                survey.add(measure, span.len());
                length = SPAN_BYTES.min(4 * length);
            } else {
                survey.plain = false;
                let block = Self::head(span, BLOCK_BYTES);
                match self.measure(by, block) {
                    Some(measure) => survey.add(measure, block.len()),
                    None if block.len() <= WALK_BYTES => self.walk(data, before + block.len(), &mut survey),
                    None => {}
                }
                length = if survey.end > before { BLOCK_BYTES } else { WALK_BYTES };
            }
            progress(survey.end - before)?;
        }
        Ok(survey)
    }

    /// Continues sequence by sequence, to an error or to `end`.
    fn walk(self, data: &[u8], end: usize, survey: &mut VariantSurvey) {
        while survey.end < end
            && let Some(decoded) = self.decode_one(&data[survey.end..])
        {
            match decoded {
                DecodedCodePoint::Point(point, length) => {
                    let units = 1 + usize::from(point > 0xFFFF);
                    let largest =
                        if length == 6 { FOUR_BYTE_LEAD } else { data[survey.end].min(FOUR_BYTE_LEAD) };
                    let largest = if largest < 0x80 || point == 0 { 0 } else { largest };
                    survey.add(Measure { chars: 1, utf16_count: units, largest }, length);
                }
                DecodedCodePoint::Malformed(reason, length) => {
                    let (variant, start) = (self.name, survey.end);
                    survey.error = Some(VariantError { variant, start, end: start + length, reason });
                    return;
                }
            }
        }
    }

    /// Returns whether lone surrogates are allowed.
    pub fn has_surrogates(self) -> bool {
        self.lone
    }

    /// Returns whether characters have six bytes, which have to be distinguished from two surrogates.
    pub fn joins(self) -> bool {
        self.supplementary == Supplementary::Pair
    }

    /// Decodes valid `data` into `out`, which has exactly the length of the text; with `join` surrogate pairs become
    /// one code point. Returns the number of units written.
    pub fn fill<U: CodeUnit>(
        self,
        by: Implementation,
        data: &[u8],
        join: bool,
        out: &mut [MaybeUninit<U>],
        progress: Progress<'_>,
    ) -> Result<usize, Stopped> {
        let mut written = 0;
        let mut rest = data;
        let (mut without_nulls, mut bytes) = (Scratch::uninit(), Scratch::<u8, BLOCK_BYTES>::uninit());
        let mut units = Scratch::<u16, BLOCK_BYTES>::uninit();
        while !rest.is_empty() {
            let block;
            (block, rest) = rest.split_at(Self::head(rest, BLOCK_BYTES).len());
            let block = self.with_nulls(block, &mut without_nulls);
            let out = &mut out[written..];
            if join && !is_narrow(by, block) {
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
            progress(block.len())?;
        }
        Ok(written)
    }

    /// Returns the length of `units` in bytes, encoded one by one; three for a surrogate.
    pub fn length<U: Source>(self, by: Implementation, units: &[U]) -> usize {
        let length = match self.long_null {
            true => by.utf8_length_with_long_nulls(units),
            false => by.utf8_length(units),
        };
        match self.supplementary {
            Supplementary::Pair if size_of::<U>() == 4 => {
                length + 2 * by.count_within::<_, 0x1_0000, { u32::MAX }>(units)
            }
            _ => length,
        }
    }

    /// Returns whether `units` are encoded as in UTF-8.
    pub fn has_all<U: Source>(self, by: Implementation, units: &[U]) -> bool {
        let has_pairs = self.supplementary == Supplementary::Pair
            && size_of::<U>() == 4
            && by.count_within::<_, 0x1_0000, { u32::MAX }>(units) > 0;
        !(has_pairs || self.long_null && by.count_within::<_, 0, 0>(units) > 0)
    }

    /// Returns whether ASCII is encoded as in UTF-8.
    pub fn has_all_ascii(self, ascii: &[u8]) -> bool {
        !self.long_null || memchr(0, ascii).is_none()
    }

    /// Encodes `units` one by one into `out`, which has exactly their [`length`](Self::length).
    pub fn encode<U: Source>(self, by: Implementation, units: &[U], out: &mut [MaybeUninit<u8>]) -> Encoded {
        let mut whole = Encoded { written: 0, scalar: true };
        let mut bytes = Scratch::<u8, { 4 * BLOCK_UNITS }>::uninit();
        let mut utf16 = Scratch::<u16, { 2 * BLOCK_UNITS }>::uninit();
        for block in units.chunks(BLOCK_UNITS) {
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
            let utf16 = utf16.filled(2 * block.len(), |out| by.fill(utf8, out));
            whole.written += self.encode_utf16_units(by, utf16, out);
        }
        whole
    }

    /// Encodes UTF-16 code units one by one.
    fn encode_utf16_units(self, by: Implementation, units: &[u16], out: &mut [MaybeUninit<u8>]) -> usize {
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

// Without progress reports.
impl Variant {
    #[inline]
    pub(super) fn is_valid_at_once(self, by: Implementation, data: &[u8]) -> bool {
        uninterrupted(self.is_valid(by, data, &mut unobserved))
    }

    pub(super) fn decode_to_utf16(self, by: Implementation, data: &[u8]) -> Result<Vec<u16>, VariantError> {
        let survey = uninterrupted(self.survey(by, data, 0, data.len(), &mut unobserved));
        match survey.error {
            Some(error) => Err(error),
            None => Ok(filled(survey.measure.utf16_count, |out| {
                uninterrupted(self.fill(by, data, false, out, &mut unobserved))
            })),
        }
    }

    pub(super) fn encode_utf16(self, by: Implementation, units: &[u16]) -> Vec<u8> {
        filled(self.length(by, units), |out| self.encode(by, units, out).written)
    }
}

/// Returns the length of potentially ill-formed UTF-16 in WTF-8 in bytes.
pub fn wtf8_length(by: Implementation, units: &[u16]) -> usize {
    by.utf8_length(paired(units))
}

/// Encodes potentially ill-formed UTF-16 to WTF-8, with pairs as one character, into `out`, which has exactly the
/// [length](wtf8_length). Returns the number of bytes written.
pub fn encode_wtf8(by: Implementation, units: &[u16], out: &mut [MaybeUninit<u8>]) -> usize {
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

/// Writes the code points of UTF-16, one unit for each. Returns their number.
fn write_joined<U: CodeUnit>(units: &[Utf16], out: &mut [MaybeUninit<U>]) -> usize {
    let mut rest = units;
    let mut written = 0;
    while let Some((point, taken)) = Utf16::first(rest) {
        out[written].write(U::of(point).0);
        written += 1;
        rest = rest.get(taken..).unwrap_or_default();
    }
    written
}
