//! Text with surrogates as UTF-8: measured first, then encoded into just the memory that it needs.
//!
//! All surrogates have replacements of the same length, so measuring is counting. Text is encoded in steps that stay in
//! the first-level cache between the encoding and the replacement of surrogates.

use crate::allocation::{product, sum};
use crate::encodings::error_handler::{
    ErrorHandler, QUESTION_MARK, surrogate_reference, unit_escape_sequence,
};
use crate::encodings::surrogates::{ESCAPED, SURROGATES, UTF8_BYTES};
use crate::kernels::encode::Source;
use crate::kernels::encode::encoder::DropSurrogates;
use crate::kernels::encode::with_surrogates::{ReplaceSurrogates, SpliceSurrogates};
use crate::progress::{Progress, Stopped};
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::{MaybeUninit, Scratch};

/// Units that are encoded at once, and the most bytes that each takes.
pub const STEP_UNITS: usize = 1024;
const UNIT_BYTES: usize = 4;
const STEP_BYTES: usize = STEP_UNITS * UNIT_BYTES;

/// What replaces every surrogate.
#[derive(Clone, Copy)]
enum Replacement {
    Nothing,
    QuestionMark,
    Unescaped,
    EscapeSequence,
    CharacterReference,
}

impl Replacement {
    /// Returns what `handler` replaces surrogates by, if it replaces all of them; they are all `escaped`, or not.
    fn of(handler: ErrorHandler, escaped: bool) -> Option<Self> {
        match handler {
            ErrorHandler::Ignore => Some(Self::Nothing),
            ErrorHandler::Replace => Some(Self::QuestionMark),
            ErrorHandler::SurrogateEscape => escaped.then_some(Self::Unescaped),
            // No surrogate has a name.
            ErrorHandler::BackslashReplace | ErrorHandler::NameReplace(_) => Some(Self::EscapeSequence),
            ErrorHandler::XmlCharRefReplace => Some(Self::CharacterReference),
            ErrorHandler::Strict | ErrorHandler::SurrogatePass => None,
        }
    }

    /// Returns its length in bytes.
    fn length(self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::QuestionMark | Self::Unescaped => 1,
            Self::EscapeSequence => unit_escape_sequence(0).len(),
            Self::CharacterReference => surrogate_reference(0).len(),
        }
    }
}

/// Text with surrogates that an error handler replaces, measured.
pub struct WithSurrogates<'a, U> {
    implementation: Implementation,
    units: &'a [U],
    replacement: Replacement,
    /// The mean distance of surrogates in units.
    distance: usize,
    /// The number of bytes of the result.
    length: usize,
}

impl<'a, U: Source> WithSurrogates<'a, U> {
    /// Measures `units`, whose generalized UTF-8 has `length` bytes. Returns `None` if `handler` does not replace all
    /// of the surrogates.
    pub fn of(
        implementation: Implementation,
        units: &'a [U],
        length: usize,
        handler: ErrorHandler,
        progress: Progress<'_>,
    ) -> Result<Option<Self>, Stopped> {
        let (mut surrogates, mut escaped) = (0, 0);
        for step in units.chunks(STEP_UNITS) {
            surrogates += count_surrogates(implementation, step);
            if matches!(handler, ErrorHandler::SurrogateEscape) {
                escaped += count_escaped(implementation, step);
            }
            progress(size_of_val(step))?;
        }
        let Some(replacement) = Replacement::of(handler, escaped == surrogates) else { return Ok(None) };
        let distance = units.len() / surrogates.max(1);
        let scalars = length - surrogates * UTF8_BYTES;
        let length = sum(scalars, product(surrogates, replacement.length())?)?;
        Ok(Some(Self { implementation, units, replacement, distance, length }))
    }

    /// Returns the number of bytes that [`encode`](Self::encode) writes.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Encodes the text into `out`, which has its [`length`](Self::length), and returns the number of bytes written.
    pub fn encode(&self, out: &mut [MaybeUninit<u8>], progress: Progress<'_>) -> Result<usize, Stopped> {
        let by = self.implementation;
        let (mut units, mut bytes) =
            (Scratch::<U, STEP_UNITS>::uninit(), Scratch::<u8, STEP_BYTES>::uninit());
        let mut written = 0;
        // Of nothing but surrogates, nothing may be left.
        for step in if self.length > 0 { self.units } else { &[] }.chunks(STEP_UNITS) {
            let out = &mut out[written..];
            written += match self.replacement {
                // Without surrogates the step is encoded as other text is; a test for them takes time, too.
                _ if self.distance >= STEP_UNITS && count_surrogates(by, step) == 0 => {
                    by.encode(step, out).written
                }
                Replacement::QuestionMark => {
                    let unit = QUESTION_MARK.into();
                    let replace = |out: &mut [_]| by.run(ReplaceSurrogates { units: step, out, unit });
                    let scalars = units.filled(step.len(), replace);
                    by.encode(scalars, out).written
                }
                _ => {
                    let passed = bytes.filled(UNIT_BYTES * step.len(), |out| by.encode(step, out).written);
                    self.replace(passed, out)
                }
            };
            progress(size_of_val(step))?;
        }
        Ok(written)
    }

    /// Writes generalized UTF-8 into `out` with its surrogates replaced, and returns the number of bytes written.
    pub fn replace(&self, data: &[u8], out: &mut [MaybeUninit<u8>]) -> usize {
        let Self { implementation: by, distance, .. } = *self;
        match self.replacement {
            Replacement::Nothing => by.run(DropSurrogates { data, out, unescape: false, distance }),
            Replacement::QuestionMark => {
                by.run(SpliceSurrogates { data, out, replacement: |_| [QUESTION_MARK] })
            }
            Replacement::Unescaped => by.run(DropSurrogates { data, out, unescape: true, distance }),
            Replacement::EscapeSequence => {
                by.run(SpliceSurrogates { data, out, replacement: unit_escape_sequence })
            }
            Replacement::CharacterReference => {
                by.run(SpliceSurrogates { data, out, replacement: surrogate_reference })
            }
        }
    }
}

/// Returns the number of surrogates.
fn count_surrogates<U: Source>(implementation: Implementation, units: &[U]) -> usize {
    implementation.count_within::<U, { *SURROGATES.start() }, { *SURROGATES.end() }>(units)
}

/// Returns the number of surrogates that represent bytes.
fn count_escaped<U: Source>(implementation: Implementation, units: &[U]) -> usize {
    implementation.count_within::<U, { *ESCAPED.start() }, { *ESCAPED.end() }>(units)
}
