//! Text with surrogates as UTF-8: measured first, then encoded into just the memory that it needs.
//!
//! All surrogates have replacements of the same length, so that measuring is counting. Text is encoded in steps that stay
//! in the first-level cache between the encoding and the replacement of surrogates.

use crate::allocation::{AllocError, product, sum};
use crate::encodings::error_handler::{
    ErrorHandler, QUESTION_MARK, surrogate_reference, unit_escape_sequence,
};
use crate::encodings::surrogates::{ESCAPED, SURROGATES, UTF8_BYTES};
use crate::kernels::encode::Source;
use crate::kernels::encode::with_surrogates::{
    CompressSurrogates, ReplaceSurrogates, SpliceSurrogates, ignored, unescaped,
};
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::{MaybeUninit, Scratch, put};

/// Units that are encoded at once, and the most bytes that each takes.
const STEP_UNITS: usize = 1024;
const UNIT_BYTES: usize = 4;
const STEP_BYTES: usize = STEP_UNITS * UNIT_BYTES;

/// The most units for each surrogate, on average, among which surrogates are dropped by compression.
const DENSE_UNITS: usize = 16;

/// What replaces every surrogate.
#[derive(Clone, Copy)]
enum Replacement {
    /// A character, before the text is encoded.
    QuestionMark,
    /// Bytes, after that.
    Bytes(SurrogateBytes),
}

#[derive(Clone, Copy)]
enum SurrogateBytes {
    None,
    Unescaped,
    EscapeSequence,
    CharacterReference,
}

impl Replacement {
    /// Returns what `handler` replaces surrogates by, if it replaces all of them; they are all `escaped`, or not.
    fn of(handler: ErrorHandler, escaped: bool) -> Option<Self> {
        Some(Self::Bytes(match handler {
            ErrorHandler::Replace => return Some(Self::QuestionMark),
            ErrorHandler::Ignore => SurrogateBytes::None,
            ErrorHandler::SurrogateEscape if escaped => SurrogateBytes::Unescaped,
            // No surrogate has a name.
            ErrorHandler::BackslashReplace | ErrorHandler::NameReplace(_) => SurrogateBytes::EscapeSequence,
            ErrorHandler::XmlCharRefReplace => SurrogateBytes::CharacterReference,
            ErrorHandler::Strict | ErrorHandler::SurrogatePass | ErrorHandler::SurrogateEscape => {
                return None;
            }
        }))
    }

    /// Returns its length in bytes.
    fn length(self) -> usize {
        match self {
            Self::Bytes(SurrogateBytes::None) => 0,
            Self::Bytes(SurrogateBytes::Unescaped) | Self::QuestionMark => 1,
            Self::Bytes(SurrogateBytes::EscapeSequence) => unit_escape_sequence(0).len(),
            Self::Bytes(SurrogateBytes::CharacterReference) => surrogate_reference(0).len(),
        }
    }
}

/// Text with surrogates that an error handler replaces, measured.
pub(crate) struct WithSurrogates<'a, U> {
    implementation: Implementation,
    units: &'a [U],
    replacement: Replacement,
    /// Whether there are many surrogates.
    dense: bool,
    /// The number of bytes of the result.
    length: usize,
}

impl<'a, U: Source> WithSurrogates<'a, U> {
    /// Measures `units`, whose generalized UTF-8 has `length` bytes. Returns `None` if `handler` does not replace all
    /// of the surrogates.
    ///
    /// Calls `progress` with the number of bytes processed since the last call; an error of it is returned at once.
    pub(crate) fn of<E: From<AllocError>>(
        implementation: Implementation,
        units: &'a [U],
        length: usize,
        handler: ErrorHandler,
        mut progress: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<Self>, E> {
        let (mut surrogates, mut escaped) = (0, 0);
        for step in units.chunks(STEP_UNITS) {
            surrogates += count::<U, { *SURROGATES.start() }, { *SURROGATES.end() }>(implementation, step);
            if matches!(handler, ErrorHandler::SurrogateEscape) {
                escaped += count::<U, { *ESCAPED.start() }, { *ESCAPED.end() }>(implementation, step);
            }
            progress(size_of_val(step))?;
        }
        let Some(replacement) = Replacement::of(handler, escaped == surrogates) else { return Ok(None) };
        let dense = surrogates >= units.len() / DENSE_UNITS;
        let scalars = length - surrogates * UTF8_BYTES;
        let length = sum(scalars, product(surrogates, replacement.length())?)?;
        Ok(Some(Self { implementation, units, replacement, dense, length }))
    }

    /// Returns the number of bytes that [`encode`](Self::encode) writes.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// Encodes the text into `out`, which has its [`length`](Self::length), and returns the number of bytes written.
    ///
    /// Calls `progress` with the number of bytes processed since the last call; an error of it is returned at once.
    pub(crate) fn encode<E>(
        &self,
        out: &mut [MaybeUninit<u8>],
        mut progress: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<usize, E> {
        let mut written = 0;
        let mut scratch = (Scratch::new(), Scratch::new());
        // Of nothing but surrogates, nothing may be left.
        for step in if self.length > 0 { self.units } else { &[] }.chunks(STEP_UNITS) {
            let out = &mut out[written..];
            written += match self.replacement {
                Replacement::QuestionMark => self.encode_replaced(step, &mut scratch.0, out),
                Replacement::Bytes(bytes) => self.encode_and_replace(step, bytes, &mut scratch.1, out),
            };
            progress(size_of_val(step))?;
        }
        Ok(written)
    }

    /// Encodes units with a question mark for each surrogate, and returns the number of bytes written.
    fn encode_replaced(
        &self,
        units: &[U],
        scratch: &mut Scratch<U, STEP_UNITS>,
        out: &mut [MaybeUninit<u8>],
    ) -> usize {
        let by = self.implementation;
        let unit = U::from(QUESTION_MARK);
        let scalars = scratch.filled(units.len(), |out| by.run(ReplaceSurrogates { units, out, unit }));
        by.encode(scalars, out).written
    }

    /// Encodes units and replaces surrogates by bytes, and returns the number of bytes written.
    fn encode_and_replace(
        &self,
        units: &[U],
        bytes: SurrogateBytes,
        scratch: &mut Scratch<u8, STEP_BYTES>,
        out: &mut [MaybeUninit<u8>],
    ) -> usize {
        let by = self.implementation;
        let mut scalar = true;
        let data = scratch.filled(UNIT_BYTES * units.len(), |out| {
            let encoded = by.encode(units, out);
            scalar = encoded.scalar;
            encoded.written
        });
        if scalar {
            return put(out, data);
        }
        match bytes {
            SurrogateBytes::None if self.dense => by.run(CompressSurrogates { data, out, unescape: false }),
            SurrogateBytes::None => by.run(SpliceSurrogates { data, out, replacement: ignored }),
            SurrogateBytes::Unescaped if self.dense => {
                by.run(CompressSurrogates { data, out, unescape: true })
            }
            SurrogateBytes::Unescaped => by.run(SpliceSurrogates { data, out, replacement: unescaped }),
            SurrogateBytes::EscapeSequence => {
                by.run(SpliceSurrogates { data, out, replacement: unit_escape_sequence })
            }
            SurrogateBytes::CharacterReference => {
                by.run(SpliceSurrogates { data, out, replacement: surrogate_reference })
            }
        }
    }
}

/// Returns the number of units from `FIRST` to `LAST`.
fn count<U: Source, const FIRST: u32, const LAST: u32>(implementation: Implementation, units: &[U]) -> usize {
    implementation.count_within::<U, FIRST, LAST>(units)
}
