//! From an encoding to generalized UTF-8.

use super::context::{BUFFER_BYTES, CHAR_CAPACITY, Failure, ILLEGAL, MALFORMED, Pace, StepContext, Stop};
use crate::allocation::{Grow, try_extend};
use crate::encodings::Fault;
use crate::encodings::error_handler::{DecodeReplacement, ErrorHandler};
use crate::encodings::registry::Mapping;
use crate::encodings::scheme::{DecodedChar, Malformed, Scheme};
use crate::encodings::surrogates;
use crate::progress::unobserved;
use crate::repair::{MeasuredRepair, REPLACEMENT, Replacement};
use crate::sequence::boundary::head;
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::try_append;

/// The decoding half of a conversion.
pub(super) enum SourceDecoder {
    Scheme(Scheme),
    /// A decoder with its state, and the last bytes of the previous pieces.
    Legacy(encoding_rs::Decoder, Vec<u8>),
    /// Takes generalized UTF-8.
    Generalized,
}

/// The most bytes of a malformed sequence of a legacy encoding with those that `encoding_rs` read after it.
const MAX_CARRY_BYTES: usize = 8;

impl SourceDecoder {
    pub(super) fn new(mapping: Option<Mapping>) -> Self {
        match mapping {
            Some(Mapping::Scheme(scheme)) => Self::Scheme(scheme),
            Some(Mapping::Legacy(encoding)) => {
                Self::Legacy(encoding.new_decoder_without_bom_handling(), vec![])
            }
            None => Self::Generalized,
        }
    }

    /// Returns the scheme, if it has no state.
    pub(super) fn scheme(&self) -> Option<Scheme> {
        match self {
            Self::Scheme(scheme) => Some(*scheme),
            Self::Legacy(..) => None,
            Self::Generalized => Some(Scheme::Utf8),
        }
    }

    /// Returns whether what it decodes next depends on what it has decoded.
    pub(super) fn has_state(&self) -> bool {
        matches!(self, Self::Legacy(..))
    }

    /// Returns the last bytes of the previous pieces if a malformed sequence can start among them.
    pub(super) fn carry(&self) -> &[u8] {
        match self {
            Self::Legacy(_, carry) => carry,
            Self::Scheme(_) | Self::Generalized => &[],
        }
    }

    /// Returns the first bytes of `data` to decode at once.
    pub fn head<'a>(&self, data: &'a [u8], length: usize) -> &'a [u8] {
        match self {
            Self::Scheme(scheme) => scheme.head(data, length),
            Self::Legacy(..) => data,
            Self::Generalized => head(data, length),
        }
    }

    /// Appends the text of `data` to `text`. Returns the number of bytes read.
    pub(super) fn decode(
        &mut self,
        data: &[u8],
        text: &mut Vec<u8>,
        context: &mut StepContext<'_>,
    ) -> Result<usize, Stop> {
        match self {
            Self::Scheme(scheme) => decode(*scheme, data, text, context),
            Self::Legacy(decoder, carry) => decode_legacy(decoder, carry, data, text, context),
            Self::Generalized => {
                try_extend(text, data)?;
                Ok(data.len())
            }
        }
    }
}

fn decode(
    scheme: Scheme,
    data: &[u8],
    text: &mut Vec<u8>,
    context: &mut StepContext<'_>,
) -> Result<usize, Stop> {
    let by = Implementation::active();
    let &mut StepContext { handler, last, .. } = context;
    let end = if last { data.len() } else { data.len() - scheme.incomplete_suffix(data) };
    if matches!(scheme, Scheme::Utf8)
        && let Some(replacement) = repairs_with(handler)
    {
        let repair = MeasuredRepair::of(by, &data[..end], Replacement::by(replacement), context.progress)?;
        try_append(text, repair.length(), |out| repair.write(out, &mut unobserved).ok())?;
        return Ok(end);
    }
    let mut pace = Pace::default();
    let mut at = 0;
    while at < end {
        if at >= pace.single_until {
            let step = scheme.head(&data[at..end], pace.step);
            (context.progress)(step.len())?;
            let append = |part: &[u8]| scheme.append_utf8(by, part, text);
            let done = pace.convert(step, append, |step| scheme.well_formed_up_to(by, step))?;
            at += done;
            if done == step.len() {
                continue;
            }
        }
        text.grow(CHAR_CAPACITY)?;
        match scheme.decode_one(&data[at..end]) {
            DecodedChar::Char(character, length) => {
                Scheme::Utf8.encode_one(character, text);
                at += length;
            }
            DecodedChar::Malformed(Malformed { is_incomplete: true, .. }) if !last => break,
            DecodedChar::Malformed(Malformed { length, reason, .. }) => {
                if let Some(replacement) = handler.decode(Some(scheme), &data[at..end], length) {
                    push(&replacement, text);
                    at += replacement.consumed;
                } else {
                    if let Some(fault) = context.faults.take(Fault { start: at, end: at + length, reason })? {
                        return Err(Failure::Malformed(fault).into());
                    }
                    text.push(MALFORMED);
                    at += length;
                }
                pace.restart(at);
            }
        }
    }
    Ok(at)
}

/// Returns the text that a handler replaces each error of UTF-8 with, if it always is the same.
fn repairs_with(handler: ErrorHandler) -> Option<&'static [u8]> {
    match handler {
        ErrorHandler::Ignore => Some(b""),
        ErrorHandler::Replace => Some(REPLACEMENT.as_bytes()),
        _ => None,
    }
}

/// Appends the code points of a replacement.
fn push(replacement: &DecodeReplacement, text: &mut Vec<u8>) {
    for &code_point in replacement.code_points() {
        match char::from_u32(code_point.into()) {
            Some(character) => {
                Scheme::Utf8.encode_one(character, text);
            }
            None => text.extend_from_slice(&surrogates::encode_utf8(code_point)),
        }
    }
}

fn decode_legacy(
    decoder: &mut encoding_rs::Decoder,
    carry: &mut Vec<u8>,
    data: &[u8],
    text: &mut Vec<u8>,
    context: &mut StepContext<'_>,
) -> Result<usize, Stop> {
    let mut buffer = [0; BUFFER_BYTES];
    let mut at = 0;
    loop {
        let (result, read, written) =
            decoder.decode_to_utf8_without_replacement(&data[at..], &mut buffer, context.last);
        at += read;
        try_extend(text, &buffer[..written])?;
        (context.progress)(read)?;
        match result {
            encoding_rs::DecoderResult::InputEmpty => break,
            encoding_rs::DecoderResult::OutputFull => {}
            encoding_rs::DecoderResult::Malformed(length, after) => {
                let (length, after) = (usize::from(length), usize::from(after));
                let recent = [carry.as_slice(), &data[at.saturating_sub(MAX_CARRY_BYTES)..at]].concat();
                let malformed = &recent[recent.len() - after - length..recent.len() - after];
                text.grow(CHAR_CAPACITY)?;
                match context.handler.decode(None, malformed, length) {
                    Some(replacement) if replacement.consumed == length => push(&replacement, text),
                    _ => {
                        let end = carry.len() + at - after;
                        let fault = Fault { start: end - length, end, reason: ILLEGAL };
                        if let Some(fault) = context.faults.take(fault)? {
                            return Err(Failure::Malformed(fault).into());
                        }
                        text.push(MALFORMED);
                    }
                }
            }
        }
    }
    carry.extend_from_slice(&data[data.len().saturating_sub(MAX_CARRY_BYTES)..]);
    carry.drain(..carry.len().saturating_sub(MAX_CARRY_BYTES));
    Ok(data.len())
}
