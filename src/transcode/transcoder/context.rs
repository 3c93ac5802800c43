//! What the decoding and the encoding of a conversion share: the faults, and the pace.

use crate::allocation::{AllocError, try_push};
use crate::encodings::Fault;
use crate::encodings::error_handler::ErrorHandler;
use crate::progress::{Progress, Stopped};

/// Why a conversion fails.
pub enum Failure {
    /// A malformed sequence, which the error handler does not replace. The fault's offsets count from the start of the
    /// [carry](super::Transcoder::carry).
    Malformed(Fault),
    /// The target does not have code points of this text, which is in generalized UTF-8, and the error handler does not
    /// replace them. The fault's offsets are in the text.
    Unmappable(Vec<u8>, Fault),
}

/// Why a conversion stops.
pub enum Stop {
    /// Not all of the input can be converted.
    Failed(Failure),
    /// The caller stopped the work, or there is no memory.
    Early(Stopped),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// Returns a fault in input that starts `offset` bytes earlier.
pub(super) fn shifted(fault: Fault, offset: usize) -> Fault {
    Fault { start: fault.start + offset, end: fault.end + offset, ..fault }
}

impl From<Stopped> for Stop {
    fn from(stopped: Stopped) -> Self {
        Self::Early(stopped)
    }
}

impl From<AllocError> for Stop {
    fn from(error: AllocError) -> Self {
        Self::Early(error.into())
    }
}

/// The policy for faults: stop at the first, or collect them all and continue after each.
pub enum Faults {
    /// The first error ends the work.
    Stop,
    /// Errors are replaced, and collected.
    Collect(Vec<Fault>),
}

impl Faults {
    /// Takes a fault. Returns it if the conversion stops there.
    pub(super) fn take(&mut self, fault: Fault) -> Result<Option<Fault>, AllocError> {
        match self {
            Self::Stop => Ok(Some(fault)),
            Self::Collect(faults) => try_push(faults, fault).map(|()| None),
        }
    }

    pub(super) fn shift_since(&mut self, count: usize, offset: usize) {
        if let Self::Collect(faults) = self {
            faults[count..].iter_mut().for_each(|fault| *fault = shifted(*fault, offset));
        }
    }

    pub(super) fn count(&self) -> usize {
        match self {
            Self::Stop => 0,
            Self::Collect(faults) => faults.len(),
        }
    }
}

/// The byte for a malformed sequence in the generalized UTF-8 of a conversion that collects faults. It never occurs in
/// generalized UTF-8.
pub(crate) const MALFORMED: u8 = 0xFF;

/// The most bytes that are converted at once: an intermediate text of this length stays in the second-level cache.
pub(super) const STEP_BYTES: usize = 64 << 10;

/// What the decoding and the encoding of a step have in common.
pub struct StepContext<'a> {
    pub(super) handler: ErrorHandler,
    /// Whether it is the last step.
    pub(super) last: bool,
    pub(super) faults: &'a mut Faults,
    pub(super) progress: Progress<'a>,
}

/// The length of the next step: where a fault was, there may soon be another.
pub(super) struct Pace {
    /// Up to this offset the conversion goes character by character.
    pub(super) single_until: usize,
    /// The length of the next step in bytes.
    pub(super) step: usize,
}

/// The number of bytes that are converted character by character after a fault, and the first step after them.
pub(super) const SINGLE_BYTES: usize = 16;
pub(super) const FIRST_STEP_BYTES: usize = 64;

impl Default for Pace {
    fn default() -> Self {
        Self { single_until: 0, step: STEP_BYTES }
    }
}

impl Pace {
    /// Converts a step, or its part before the first fault, whose offset `up_to` returns. Returns the length of that.
    pub(super) fn convert(
        &mut self,
        step: &[u8],
        mut append: impl FnMut(&[u8]) -> Result<bool, AllocError>,
        up_to: impl FnOnce(&[u8]) -> usize,
    ) -> Result<usize, AllocError> {
        if append(step)? {
            self.step = STEP_BYTES.min(2 * self.step);
            return Ok(step.len());
        }
        let before = up_to(step);
        Ok(if append(&step[..before])? { before } else { 0 })
    }

    /// Continues after a fault at `at`.
    pub(super) fn restart(&mut self, at: usize) {
        *self = Self { single_until: at + SINGLE_BYTES, step: FIRST_STEP_BYTES };
    }
}

/// The capacity for the output of one character, or of one replacement in generalized UTF-8.
pub(super) const CHAR_CAPACITY: usize = 128;
/// The size of the buffers into which decoders and encoders of `encoding_rs` write.
pub(super) const BUFFER_BYTES: usize = 8 << 10;
/// CPython's reason for malformed and unmappable sequences of multi-byte encodings.
pub(super) const ILLEGAL: &str = "illegal multibyte sequence";
