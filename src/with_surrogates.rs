//! Text with surrogates as UTF-8: measured first, then encoded into just the memory that it needs.
//!
//! All surrogates have replacements of the same length, so that measuring is counting. Text is encoded in steps whose
//! generalized UTF-8 stays in the first-level cache, where surrogates are replaced; steps without any are encoded as
//! other text is.

use crate::allocation::{AllocError, product, sum};
use crate::encodings::error_handler::{ErrorHandler, surrogate_reference, unit_escape_sequence};
use crate::encodings::surrogates::{ESCAPED, SURROGATES, UTF8_BYTES};
use crate::kernels::encode::Source;
use crate::kernels::encode::with_surrogates::{ReplaceSurrogates, SpliceSurrogates, SurrogateBytes};
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::{MaybeUninit, Scratch};

/// Units that are encoded at once, and the most bytes that they take.
const STEP_UNITS: usize = 1024;
const STEP_BYTES: usize = 4 * STEP_UNITS;

/// Text with surrogates that an error handler replaces, measured.
pub(crate) struct WithSurrogates<'a, U> {
    implementation: Implementation,
    units: &'a [U],
    replacement: Replacement,
    /// The number of bytes of the result.
    length: usize,
}

/// The replacement of every surrogate.
#[derive(Clone, Copy)]
enum Replacement {
    Bytes(SurrogateBytes),
    EscapeSequence,
    CharacterReference,
}

impl Replacement {
    /// Returns what an error handler replaces surrogates by, if it replaces all that are `escaped` or not.
    fn of(handler: ErrorHandler, escaped: bool) -> Option<Self> {
        match handler {
            ErrorHandler::Ignore => Some(Self::Bytes(SurrogateBytes::None)),
            ErrorHandler::Replace => Some(Self::Bytes(SurrogateBytes::Each(b'?'))),
            ErrorHandler::SurrogateEscape => escaped.then_some(Self::Bytes(SurrogateBytes::Unescaped)),
            // No surrogate has a name.
            ErrorHandler::BackslashReplace | ErrorHandler::NameReplace(_) => Some(Self::EscapeSequence),
            ErrorHandler::XmlCharRefReplace => Some(Self::CharacterReference),
            ErrorHandler::Strict | ErrorHandler::SurrogatePass => None,
        }
    }

    /// Returns its length in bytes.
    fn length(self) -> usize {
        match self {
            Self::Bytes(SurrogateBytes::None) => 0,
            Self::Bytes(_) => 1,
            Self::EscapeSequence => unit_escape_sequence(0).len(),
            Self::CharacterReference => surrogate_reference(0).len(),
        }
    }
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
            surrogates += count_surrogates(implementation, step);
            escaped += implementation
                .count_within::<U, { *ESCAPED.start() }, { *ESCAPED.end() }>(step);
            progress(size_of_val(step))?;
        }
        let Some(replacement) = Replacement::of(handler, escaped == surrogates) else { return Ok(None) };
        let scalars = length - surrogates * UTF8_BYTES;
        let length = sum(scalars, product(surrogates, replacement.length())?)?;
        Ok(Some(Self { implementation, units, replacement, length }))
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
        let mut scratch = Scratch::<u8, STEP_BYTES>::new();
        let mut written = 0;
        for step in self.units.chunks(STEP_UNITS) {
            written += self.encode_step(step, &mut scratch, &mut out[written..]);
            progress(size_of_val(step))?;
        }
        Ok(written)
    }

    fn encode_step(
        &self,
        units: &[U],
        scratch: &mut Scratch<u8, STEP_BYTES>,
        out: &mut [MaybeUninit<u8>],
    ) -> usize {
        let by = self.implementation;
        if count_surrogates(by, units) == 0 {
            return by.encode(units, out).written;
        }
        let data = scratch.filled(STEP_BYTES, |out| by.encode(units, out).written);
        match self.replacement {
            Replacement::Bytes(bytes) => by.run(ReplaceSurrogates { data, out, bytes }),
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
