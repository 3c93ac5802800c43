//! Data with errors as text: measured first, then decoded into just the storage that it needs.
//!
//! 1. Measuring divides the data into parts that are valid, which are decoded as any valid data is, and parts with
//!    errors, for which there are kernels of their own. These take up to three times the time, but the same for any
//!    errors; the one that measures also marks where errors start, a bit for each byte, for the one that decodes.
//! 2. A part with errors begins where validation finds one. If that is far from the one before, the part has no more
//!    than a few errors, one right after the other; else it ends after some bytes without any.
//! 3. Short data is one part with errors: to divide it takes longer than validation saves.

use core::iter;

use crate::allocation::{AllocError, Grow, try_push};
use crate::kernels::decode::{CodeUnit, DecodeWithErrors, ErrorUnits, one_by_one_with_errors};
use crate::kernels::errors::sequences::{BLOCK_BYTES, ErrorStarts};
use crate::kernels::errors::{ErrorCounts, MarkErrors};
use crate::kernels::validate::rules::Utf8;
use crate::kernels::validate::validator::Findings;
use crate::kernels::validate::{CountsOf, ValidateWary, check, search_start, survey};
use crate::progress::{Progress, Stopped};
use crate::sequence::LATIN1;
use crate::sequence::boundary::{CHUNK_BYTES, chunks, head};
use crate::sequence::{Sequence, decode_one, first_malformed, is_continuation};
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::{MaybeUninit, put, put_run};

/// What parts are divided by, as decoding valid data takes less time than decoding data with errors, but each part some
/// time of its own.
#[derive(Clone, Copy)]
pub struct Division {
    /// Valid bytes before an error after which another is not expected soon.
    sparse_bytes: usize,
    /// Bytes without an error, among others, after which validation takes over again.
    calm_bytes: usize,
    /// The bytes for each error, at most, among which another is expected soon.
    dense_bytes: usize,
    /// Valid bytes before an error after which another is expected within as many.
    wary_bytes: usize,
    /// Whether characters are counted in valid parts.
    counted: bool,
}

impl Division {
    /// For data to be decoded.
    pub const DECODED: Self =
        Self { sparse_bytes: 768, calm_bytes: 1024, dense_bytes: 1024, wary_bytes: 4096, counted: true };

    /// For data to be copied where it is valid.
    pub(crate) fn copied(implementation: Implementation) -> Self {
        if implementation.has_vectors() {
            Self { sparse_bytes: 384, calm_bytes: 512, dense_bytes: 512, wary_bytes: 4096, counted: false }
        } else {
            Self { sparse_bytes: 128, calm_bytes: 192, dense_bytes: 192, wary_bytes: 1024, counted: false }
        }
    }
}

/// The share of continuation bytes, as a divisor, below which most bytes are ASCII.
const ASCII_DIVISOR: usize = 16;
/// The most bytes with errors that are measured at once.
const MAX_STEP_BYTES: usize = 16 << 10;

/// Data that may have errors, measured.
pub struct WithErrors<'a> {
    implementation: Implementation,
    data: &'a [u8],
    /// The offsets where the parts end but the last: a valid one, one with errors, and so on.
    ends: Vec<usize>,
    /// Where errors start: a bit for each byte of the parts with errors; each part has blocks of its own.
    starts: Vec<u64>,
    counts: ErrorCounts,
    error_bytes: usize,
}

impl<'a> WithErrors<'a> {
    /// Measures `data`, divided for its use.
    pub fn of(
        implementation: Implementation,
        data: &'a [u8],
        division: Division,
        progress: Progress<'_>,
    ) -> Result<Self, Stopped> {
        let Division { sparse_bytes, calm_bytes, dense_bytes, wary_bytes, counted } = division;
        let (counts, error_bytes) = Default::default();
        let mut all = Self { implementation, data, ends: vec![], starts: vec![], counts, error_bytes };
        // Without vectors marking errors takes longer than validation from some hundred bytes on.
        let undivided_bytes = if implementation.has_vectors() { calm_bytes } else { calm_bytes / 8 };
        if data.len() <= undivided_bytes {
            try_push(&mut all.ends, 0)?;
        }
        let (mut at, mut step) = (0, calm_bytes);
        let (mut wary, mut mostly_ascii, mut alone) = (false, false, false);
        // A bit for each byte from `at` on that belongs to a character or an error before it.
        let mut consumed = 0;
        while at < data.len() {
            let start = at;
            let is_valid = all.ends.len().is_multiple_of(2);
            let ended;
            if is_valid {
                let chunk = head(&data[at..], if wary { wary_bytes } else { CHUNK_BYTES });
                let before = all.counts;
                let findings = match (counted, wary) {
                    (measured, true) => {
                        implementation.run(ValidateWary { data: chunk, measured, mostly_ascii })
                    }
                    (true, false) => implementation.run(survey(chunk)),
                    (false, false) => implementation.run(check(chunk, Utf8)),
                };
                let length = valid_part(chunk, findings.valid);
                if counted {
                    all.count_valid(&chunk[..length], &findings);
                }
                at += length;
                ended = length < chunk.len();
                let continuations = all.counts.continuations - before.continuations;
                mostly_ascii = counted && continuations * ASCII_DIVISOR < length;
                let length = at - all.ends.last().unwrap_or(&0);
                alone = length >= sparse_bytes;
                wary = ended && length < wary_bytes;
            } else if alone {
                at += all.mark_few_errors(&data[at..])?;
                ended = true;
            } else {
                let rest = &data[at..];
                let errors = all.mark_errors(rest, step / BLOCK_BYTES, &mut consumed)?;
                let length = step.min(rest.len());
                at += length;
                ended = errors == 0;
                let dense = errors * dense_bytes >= length;
                step = if dense { MAX_STEP_BYTES.min(2 * step) } else { calm_bytes };
                if ended && consumed != 0 {
                    try_push(&mut all.starts, 0)?;
                    at += consumed.trailing_ones() as usize;
                    consumed = 0;
                }
            }
            if ended {
                try_push(&mut all.ends, at)?;
            }
            progress(at - start)?;
        }
        Ok(all)
    }

    /// Counts over valid bytes, some of which were counted when they were validated.
    fn count_valid(&mut self, valid: &[u8], findings: &Findings) {
        let counts = match valid.get(findings.counted..) {
            Some([]) => findings.counts,
            Some(uncounted) => findings.counts.plus(self.implementation.run(CountsOf(uncounted))),
            None => self.implementation.run(CountsOf(valid)),
        };
        self.counts = self.counts.plus(ErrorCounts {
            chars: valid.len() - counts.continuations,
            continuations: counts.continuations,
            four_byte_chars: counts.four_byte_leads,
            beyond_latin1: counts.largest > LATIN1,
            errors: 0,
        });
    }

    /// Counts over the first blocks of `data`, and marks where errors start. Returns the number of errors. Where the
    /// first bytes belong to a sequence before, they have a bit in `consumed`, which is set to those after the blocks.
    fn mark_errors(&mut self, data: &[u8], blocks: usize, consumed: &mut u64) -> Result<usize, AllocError> {
        let marked = self.starts.len();
        let blocks = blocks.min(data.len().div_ceil(BLOCK_BYTES));
        self.starts.grow(blocks)?;
        self.starts.resize(marked + blocks, 0);
        let before = *consumed;
        let counts;
        (counts, *consumed) = self.implementation.run(MarkErrors {
            data,
            starts: &mut self.starts[marked..],
            consumed: before,
        });
        self.counts = self.counts.plus(counts);
        // The sequences that start here end a few bytes after the blocks, as those before do after their start.
        let end = data.len().min(blocks * BLOCK_BYTES) + consumed.count_ones() as usize;
        self.error_bytes += end - before.count_ones() as usize - counts.chars - counts.continuations;
        Ok(counts.errors)
    }

    /// Counts and marks the first errors of `data`, up to a character or as many as are [few](FEW_BYTES). Returns the
    /// number of their bytes.
    fn mark_few_errors(&mut self, data: &[u8]) -> Result<usize, AllocError> {
        let (mut at, mut starts) = (0, 0);
        while let Some(Sequence::Malformed(_, length)) = decode_one(&data[at..])
            && at + length <= FEW_BYTES
        {
            starts |= 1 << at;
            self.counts.errors += 1;
            at += length;
        }
        self.error_bytes += at;
        try_push(&mut self.starts, starts)?;
        Ok(at)
    }

    /// Returns the implementation that measured it.
    pub(crate) fn implementation(&self) -> Implementation {
        self.implementation
    }

    /// Returns the length of the data in bytes.
    pub fn length(&self) -> usize {
        self.data.len()
    }

    /// Returns counts over all of the data; over parts with errors only, if it was not to be counted.
    pub fn counts(&self) -> ErrorCounts {
        self.counts
    }

    /// Returns the number of bytes that belong to no character.
    pub fn error_bytes(&self) -> usize {
        self.error_bytes
    }

    /// Iterates over the parts of the data, each with where its errors start, unless it is valid.
    fn parts(&self) -> impl Iterator<Item = (&'a [u8], Option<ErrorStarts<'_>>)> {
        let starts = iter::once(0).chain(self.ends.iter().copied());
        let ends = self.ends.iter().copied().chain([self.data.len()]);
        let mut blocks = &self.starts[..];
        starts.zip(ends).enumerate().map(move |(index, (start, end))| {
            let part = &self.data[start..end];
            let has_errors = !index.is_multiple_of(2);
            let starts = has_errors.then(|| {
                let own;
                (own, blocks) = blocks.split_at(part.len().div_ceil(BLOCK_BYTES));
                ErrorStarts { blocks: own, offset: 0 }
            });
            (part, starts)
        })
    }

    /// Calls `visit` with each chunk of the data: its offset, its bytes, and where errors start unless it is valid.
    #[inline(always)]
    pub(crate) fn visit_chunks(
        &self,
        progress: Progress<'_>,
        mut visit: impl FnMut(usize, &[u8], Option<ErrorStarts<'_>>),
    ) -> Result<(), Stopped> {
        let mut offset = 0;
        for (part, starts) in self.parts() {
            let mut at = 0;
            for chunk in chunks(part, CHUNK_BYTES) {
                visit(offset, chunk, starts.map(|starts| starts.after(at)));
                at += chunk.len();
                offset += chunk.len();
                progress(chunk.len())?;
            }
        }
        Ok(())
    }

    /// Writes what `write` makes of each chunk of the data into `out`: given its offset, its bytes, and where errors
    /// start unless it is valid. Returns the number of units written.
    #[inline(always)]
    pub(crate) fn write_chunks<U>(
        &self,
        out: &mut [MaybeUninit<U>],
        progress: Progress<'_>,
        write: impl Fn(usize, &[u8], Option<ErrorStarts<'_>>, &mut [MaybeUninit<U>]) -> usize,
    ) -> Result<usize, Stopped> {
        let mut written = 0;
        self.visit_chunks(progress, |offset, chunk, starts| {
            written += write(offset, chunk, starts, &mut out[written..]);
        })?;
        Ok(written)
    }

    /// Decodes the data into `out`, which has the length of the result, and returns the number of units written. Errors
    /// become `units`.
    pub fn decode<U: CodeUnit>(
        &self,
        units: ErrorUnits,
        out: &mut [MaybeUninit<U>],
        progress: Progress<'_>,
    ) -> Result<usize, Stopped> {
        self.write_chunks(out, progress, |_, data, starts, out| match starts {
            None => self.implementation.fill(data, out),
            Some(starts) if data.len() <= FEW_BYTES => one_by_one_with_errors(data, starts, out, units),
            Some(starts) => self.implementation.run(DecodeWithErrors { data, starts, out, units }),
        })
    }

    /// Decodes the data into `out`, which has the length of the result, and returns the number of units written. Each
    /// byte of an error becomes four ASCII characters, which `escape` returns.
    #[cfg(feature = "bindings")]
    pub fn decode_escaped<U: CodeUnit>(
        &self,
        escape: impl Fn(u8) -> [u8; 4],
        out: &mut [MaybeUninit<U>],
        progress: Progress<'_>,
    ) -> Result<usize, Stopped> {
        self.write_chunks(out, progress, |_, data, starts, out| {
            let Some(starts) = starts else { return self.implementation.fill(data, out) };
            let mut buffer = [0; 4 * STEP_BYTES];
            let (mut at, mut written) = (0, 0);
            for step in chunks(data, STEP_BYTES) {
                let length = write_escaped(step, starts.after(at), &escape, &mut buffer);
                written += self.implementation.fill(&buffer[..length], &mut out[written..]);
                at += step.len();
            }
            written
        })
    }
}

/// Bytes that are escaped before they are decoded.
#[cfg(feature = "bindings")]
const STEP_BYTES: usize = 1024;

/// Writes `data` into `out` with each byte of an error escaped, and returns the number of bytes written.
#[cfg(feature = "bindings")]
fn write_escaped(
    data: &[u8],
    starts: ErrorStarts<'_>,
    escape: impl Fn(u8) -> [u8; 4],
    out: &mut [u8; 4 * STEP_BYTES],
) -> usize {
    let mut written = 0;
    let mut in_error = false;
    for (index, block) in data.chunks(BLOCK_BYTES).enumerate() {
        let errors = starts.block(index * BLOCK_BYTES);
        if errors == 0 && !in_error {
            out[written..written + block.len()].copy_from_slice(block);
            written += block.len();
            continue;
        }
        for (index, &byte) in block.iter().enumerate() {
            in_error = errors >> index & 1 != 0 || in_error && is_continuation(byte);
            // Surplus bytes are overwritten by the next unit.
            let Some(place) = out[written..].first_chunk_mut() else { break };
            *place = if in_error { escape(byte) } else { [byte; 4] };
            written += if in_error { 4 } else { 1 };
        }
    }
    written
}

/// Returns the number of bytes of `chunk` before its first error, if a validation pass found one after `valid` bytes
/// that break no rule.
fn valid_part(chunk: &[u8], valid: usize) -> usize {
    if valid == chunk.len() {
        return valid;
    }
    match first_malformed(chunk, search_start(chunk, valid)..chunk.len()) {
        Ok(at) | Err((at, ..)) => at,
    }
}

/// The most bytes of a few errors, which no kernel is called for.
const FEW_BYTES: usize = 8;

/// Calls `visit` with each error of `data`, given where they start: the offset and the length, in bytes.
#[inline(always)]
pub(crate) fn for_each_error(data: &[u8], starts: ErrorStarts<'_>, mut visit: impl FnMut(usize, usize)) {
    for (block, mut errors) in starts.by_block(data.len()) {
        while errors != 0 {
            let start = block + errors.trailing_zeros() as usize;
            errors &= errors - 1;
            // Continuation bytes after it at which no error starts are part of it.
            let mut end = start + 1;
            let mut next = starts.block(end);
            while next & 1 == 0 && data.get(end).is_some_and(|&byte| is_continuation(byte)) {
                next >>= 1;
                end += 1;
            }
            visit(start, end - start);
        }
    }
}

/// The most bytes of a run, or a replacement, that takes one copy of as many bytes.
const RUN_BYTES: usize = 32;

/// Writes `data` into `out` with each error replaced as many times as `replacements` returns for its offset and its
/// length, and returns the number of bytes written.
#[inline(always)]
pub(crate) fn splice(
    data: &[u8],
    starts: ErrorStarts<'_>,
    out: &mut [MaybeUninit<u8>],
    replacement: &[u8],
    replacements: impl Fn(usize, usize) -> usize,
) -> usize {
    let mut padded = [0; RUN_BYTES];
    let padded = match padded.get_mut(..replacement.len()) {
        Some(place) => {
            place.copy_from_slice(replacement);
            &padded[..]
        }
        None => replacement,
    };
    let (mut at, mut written) = (0, 0);
    for_each_error(data, starts, |start, length| {
        written += put_run::<RUN_BYTES>(&mut out[written..], data, at..start);
        for _ in 0..replacements(start, length) {
            written += put_run::<RUN_BYTES>(&mut out[written..], padded, 0..replacement.len());
        }
        at = start + length;
    });
    written + put(&mut out[written..], &data[at..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::{uninterrupted, unobserved};
    use crate::simd::dispatch::implementations;
    use crate::simd::uninit::filled;

    /// Bytes on either side of every distinction that UTF-8 makes.
    const BOUNDARY_BYTES: [u8; 24] = [
        0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xC3, 0xC4, 0xDF, 0xE0, 0xE1, 0xED, 0xEE, 0xEF,
        0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8, 0xFF,
    ];

    /// Returns the code points of `data`, one by one, and the number of errors and of their bytes.
    fn naive(data: &[u8], units: ErrorUnits) -> (Vec<u32>, usize, usize) {
        let (mut points, mut errors, mut error_bytes, mut at) = (vec![], 0, 0, 0);
        while let Some(sequence) = decode_one(&data[at..]) {
            let bytes = &data[at..at + sequence.length()];
            at += bytes.len();
            match sequence {
                Sequence::Char(character, _) => points.push(character.into()),
                Sequence::Malformed(..) => {
                    errors += 1;
                    error_bytes += bytes.len();
                    match units {
                        ErrorUnits::None => {}
                        ErrorUnits::Each(unit) => points.push(unit.into()),
                        ErrorUnits::Escapes => {
                            points.extend(bytes.iter().map(|&byte| 0xDC00 | u32::from(byte)))
                        }
                    }
                }
            }
        }
        (points, errors, error_bytes)
    }

    /// Checks that `data` is decoded to these code points, if they fit: as a whole, and by the kernel alone.
    fn check_units<U: CodeUnit + Default + PartialEq + core::fmt::Debug>(
        data: &WithErrors<'_>,
        units: ErrorUnits,
        points: &[u32],
        largest: u32,
    ) {
        if points.iter().any(|&point| point > largest) {
            return;
        }
        let expected: Vec<U> =
            points.iter().flat_map(|&point| [Some(U::of(point).0), U::of(point).1]).flatten().collect();
        let whole = filled(expected.len(), |out| uninterrupted(data.decode(units, out, &mut unobserved)));
        let alone = filled(expected.len(), |out| {
            let blocks = &mut vec![0; data.data.len().div_ceil(BLOCK_BYTES)];
            data.implementation.run(MarkErrors { data: data.data, starts: blocks, consumed: 0 });
            let starts = ErrorStarts { blocks, offset: 0 };
            data.implementation.run(DecodeWithErrors { data: data.data, starts, out, units })
        });
        assert_eq!((&whole, &alone), (&expected, &expected), "{units:?} {:02x?}", data.data);
    }

    fn check(data: &[u8]) {
        let all_units =
            [ErrorUnits::None, ErrorUnits::Each(0xFFFD), ErrorUnits::Each(0x3F), ErrorUnits::Escapes];
        // Data that is shorter than a calm part is not divided: with short ones it is.
        let divisions = [Division::DECODED, Division { calm_bytes: BLOCK_BYTES, ..Division::DECODED }];
        for (&implementation, division) in
            implementations().iter().flat_map(|each| divisions.map(|division| (each, division)))
        {
            let measured = uninterrupted(WithErrors::of(implementation, data, division, &mut unobserved));
            for units in all_units {
                let (points, errors, error_bytes) = naive(data, units);
                assert_eq!(
                    (measured.counts.errors, measured.error_bytes()),
                    (errors, error_bytes),
                    "{data:02x?}"
                );
                check_units::<u8>(&measured, units, &points, 0xFF);
                check_units::<u16>(&measured, units, &points, 0x10_FFFF);
                check_units::<u32>(&measured, units, &points, 0x10_FFFF);
            }
        }
    }

    /// Four boundary bytes across the end of each vector and block, and at the end of the data.
    #[test]
    fn boundary_bytes_at_the_edges_of_vectors() {
        let step = if std::env::var_os("LEADBYTE_TESTS").is_some() { 5 } else { 1 };
        for (index, first) in BOUNDARY_BYTES.into_iter().enumerate() {
            for second in BOUNDARY_BYTES {
                for third in BOUNDARY_BYTES.into_iter().step_by(step) {
                    let fourth = BOUNDARY_BYTES[(index + usize::from(second) + usize::from(third)) % 24];
                    let inserted = [first, second, third, fourth];
                    check(&inserted);
                    for start in [13, 29, 61, 125] {
                        let mut data = [b'a'; 200];
                        data[start..start + 4].copy_from_slice(&inserted);
                        check(&data[..start + 4]);
                        check(&data);
                    }
                }
            }
        }
    }

    /// Parts with and without errors, longer than the part that is measured at once.
    #[test]
    fn parts_of_any_length() {
        for calm in [0, 1, 60, 1000, 1024, 5000] {
            for dense in [1, 3, 64, 2000, 40_000] {
                let mut data = "мир, 😀 ".repeat(calm / 8).into_bytes();
                for _ in 0..3 {
                    data.extend(b"\xFF\xE2\x82\xF0\x9F\x98a".iter().cycle().take(dense));
                    data.extend("plain, é".repeat(calm / 8).bytes());
                }
                check(&data);
            }
        }
    }
}
