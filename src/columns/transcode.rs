//! Rows in other encodings.

use core::mem;
use std::borrow::Cow;

use super::error::{ColumnError, ConversionError};
use super::operations::{Affects, Operation, RowOutcome};
use crate::allocation::try_extend;
use crate::encodings::Fault;
use crate::encodings::error_handler::ErrorHandler;
use crate::encodings::registry::{Encoding, Mapping};
use crate::encodings::scheme::Scheme;
use crate::progress::Progress;
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::try_append;
use crate::transcode::transcoder::{BomPolicy, Failure, Faults, Stop, Transcoder};

/// What happens to rows that are malformed, or have characters that the target lacks.
#[derive(Clone, Copy)]
pub enum ConversionErrors {
    /// Null for a row with an error.
    Null,
    /// A handler that gives no surrogates.
    Handler(ErrorHandler),
}

/// A conversion of rows, each of which is a whole text.
pub struct TranscodeRows<'a> {
    /// The encoding of the rows.
    pub source: &'a Encoding,
    /// The encoding of the result.
    pub target: &'a Encoding,
    /// The error handler.
    pub errors: ConversionErrors,
    /// The policy for byte order marks.
    pub bom: BomPolicy,
}

impl TranscodeRows<'_> {
    /// Returns whether the results are UTF-8.
    pub fn gives_text(&self) -> bool {
        matches!(self.target.mapping, Mapping::Scheme(Scheme::Utf8))
    }

    fn convert(
        &self,
        transcoder: &mut Transcoder<'_>,
        data: &[u8],
        out: &mut Vec<u8>,
        progress: Progress<'_>,
    ) -> Result<(), Stop> {
        let (bom, start) = transcoder.start(data, true).unwrap_or((b"", 0));
        try_extend(out, bom)?;
        let text = data.get(start..).unwrap_or_default();
        if let Some(direct) = transcoder.direct() {
            let length = direct.length(text, progress)?;
            let mut outcome = Ok(None);
            if let Some(length) = length
                && try_append(out, length, |out| {
                    outcome = direct.fill(text, out, progress);
                    outcome.as_ref().ok().copied().flatten()
                })?
            {
                return Ok(());
            }
            outcome?;
        }
        transcoder.convert(text, true, out, progress).map(|_| ()).map_err(|stop| match stop {
            Stop::Failed(Failure::Malformed(Fault { start: from, end, reason })) => {
                Failure::Malformed(Fault { start: from + start, end: end + start, reason }).into()
            }
            other => other,
        })
    }
}

/// Returns whether ASCII characters are the same bytes.
fn contains_ascii(mapping: Mapping) -> bool {
    match mapping {
        Mapping::Scheme(scheme) => scheme.unit_bytes() == 1,
        Mapping::Legacy(encoding) => encoding.is_ascii_compatible(),
    }
}

impl Operation for TranscodeRows<'_> {
    fn affects(&self) -> Affects {
        let adds_bom = match self.bom {
            BomPolicy::Default => self.target.has_signature,
            BomPolicy::Add => true,
            BomPolicy::Keep | BomPolicy::Strip => false,
        };
        if !adds_bom && contains_ascii(self.source.mapping) && contains_ascii(self.target.mapping) {
            return Affects::NonAscii;
        }
        Affects::All
    }

    fn outcome(
        &self,
        _: Implementation,
        row: &[u8],
        copy: &mut Vec<u8>,
        changes: &mut Vec<u8>,
        progress: Progress<'_>,
    ) -> Result<RowOutcome, ColumnError> {
        let before = changes.len();
        // A copy, as the borrowed row might change between the passes of a conversion.
        copy.clear();
        try_extend(copy, row)?;
        let handler = match self.errors {
            ConversionErrors::Null => ErrorHandler::Strict,
            ConversionErrors::Handler(handler) => handler,
        };
        let [source, target] = [self.source, self.target].map(|encoding| Some(Cow::Borrowed(encoding)));
        let mut transcoder = Transcoder::new(source, target, handler, self.bom, Faults::Stop);
        let (encoding, data, is_unmappable, fault) =
            match self.convert(&mut transcoder, copy, changes, progress) {
                Ok(()) if changes.get(before..) == Some(copy) => {
                    changes.truncate(before);
                    return Ok(RowOutcome::Same);
                }
                Ok(()) => return Ok(RowOutcome::Changed),
                Err(Stop::Early(stopped)) => return Err(stopped.into()),
                Err(_) if matches!(self.errors, ConversionErrors::Null) => {
                    changes.truncate(before);
                    return Ok(RowOutcome::Null);
                }
                Err(Stop::Failed(Failure::Malformed(fault))) => {
                    (transcoder.source_exception_name(), mem::take(copy), false, fault)
                }
                Err(Stop::Failed(Failure::Unmappable(text, fault))) => {
                    (transcoder.target_exception_name(), text, true, fault)
                }
            };
        let encoding = encoding.to_owned();
        Err(ColumnError::Conversion(Box::new(ConversionError {
            row: 0,
            encoding,
            data,
            is_unmappable,
            fault,
        })))
    }
}
