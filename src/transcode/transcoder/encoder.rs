//! From generalized UTF-8 to an encoding.

use super::context::{BUFFER_BYTES, CHAR_CAPACITY, Faults, ILLEGAL, Pace, StepContext, Stop};
use crate::allocation::{Grow, try_extend};
use crate::encodings::Fault;
use crate::encodings::error_handler::EncodeReplacement;
use crate::encodings::registry::Mapping;
use crate::encodings::scheme::{Scheme, UNDEFINED};
use crate::kernels::decode::first;
use crate::sequence::boundary::head;
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::try_append;

/// The encoding half of a conversion.
pub(super) enum TargetEncoder {
    Scheme(Scheme),
    /// An encoder with its state.
    Legacy(encoding_rs::Encoder),
    /// Gives generalized UTF-8.
    Generalized,
}

impl TargetEncoder {
    pub(super) fn new(mapping: Option<Mapping>) -> Self {
        match mapping {
            Some(Mapping::Scheme(scheme)) => Self::Scheme(scheme),
            Some(Mapping::Legacy(encoding)) => Self::Legacy(encoding.new_encoder()),
            None => Self::Generalized,
        }
    }

    /// Returns the scheme, if it has no state.
    pub(super) fn scheme(&self) -> Option<Scheme> {
        match self {
            Self::Scheme(scheme) => Some(*scheme),
            Self::Legacy(_) => None,
            Self::Generalized => Some(Scheme::Utf8),
        }
    }

    /// Appends `text` in the encoding to `out`. Returns the fault at which it stopped, if any.
    pub(super) fn encode(
        &mut self,
        text: &[u8],
        out: &mut Vec<u8>,
        context: &mut StepContext<'_>,
    ) -> Result<Option<Fault>, Stop> {
        match self {
            Self::Scheme(scheme) => encode(*scheme, text, out, context),
            Self::Legacy(encoder) => encode_legacy(encoder, text, out, context),
            Self::Generalized => {
                try_extend(out, text)?;
                Ok(None)
            }
        }
    }
}

fn encode(
    scheme: Scheme,
    text: &[u8],
    out: &mut Vec<u8>,
    context: &mut StepContext<'_>,
) -> Result<Option<Fault>, Stop> {
    let by = Implementation::active();
    let mut replacement = EncodeReplacement::empty();
    let mut pace = Pace::default();
    let mut at = 0;
    while at < text.len() {
        if at >= pace.single_until {
            let step = head(&text[at..], pace.step);
            (context.progress)(step.len())?;
            let append = |part: &[u8]| match scheme.length(by, part) {
                Some(length) => try_append(out, length, |out| scheme.fill(by, part, out)),
                None => Ok(false),
            };
            let done = pace.convert(step, append, |step| scheme.mappable_up_to(by, step))?;
            at += done;
            if done == step.len() {
                continue;
            }
        }
        let (value, length) = first(&text[at..]);
        out.grow(CHAR_CAPACITY)?;
        let encoded = char::from_u32(value).is_some_and(|character| scheme.encode_one(character, out));
        if !encoded {
            if !context.handler.encode(Some(scheme), value, &mut replacement) {
                let fault = unmappable(scheme, context.faults, text, at);
                if let Some(fault) = context.faults.take(fault)? {
                    return Ok(Some(fault));
                }
            } else if replacement.is_text {
                out.grow(replacement.as_bytes().len() * scheme.unit_bytes())?;
                for &byte in replacement.as_bytes() {
                    scheme.encode_one(byte.into(), out);
                }
            } else {
                try_extend(out, replacement.as_bytes())?;
            }
            pace.restart(at);
        }
        at += length;
    }
    Ok(None)
}

/// Returns the fault of the code point at `text[start..]`. As in CPython, an exception is about all that follow for the
/// same reason; faults that are collected are about one code point each.
#[cold]
fn unmappable(scheme: Scheme, faults: &Faults, text: &[u8], start: usize) -> Fault {
    let (_, length) = first(&text[start..]);
    let mut end = start + length;
    while matches!(faults, Faults::Stop) && scheme.unit_bytes() == 1 && end < text.len() {
        let (value, length) = first(&text[end..]);
        if scheme.has(value) {
            break;
        }
        end += length;
    }
    let reason = match scheme {
        Scheme::Ascii => "ordinal not in range(128)",
        Scheme::Latin1 => "ordinal not in range(256)",
        Scheme::SingleByte(_) => UNDEFINED,
        Scheme::Utf8 | Scheme::Utf16(_) | Scheme::Utf32(_) => "surrogates not allowed",
    };
    Fault { start, end, reason }
}

/// Appends text as [`encode`] does. After the last a stateful encoding returns to its initial state.
fn encode_legacy(
    encoder: &mut encoding_rs::Encoder,
    text: &[u8],
    out: &mut Vec<u8>,
    context: &mut StepContext<'_>,
) -> Result<Option<Fault>, Stop> {
    let &mut StepContext { handler, last, .. } = context;
    let mut buffer = [0; BUFFER_BYTES];
    let mut put = |part: &str, last, out: &mut Vec<u8>| -> Result<usize, Stop> {
        let mut at = 0;
        loop {
            let (result, read, written) =
                encoder.encode_from_utf8_without_replacement(&part[at..], &mut buffer, last);
            at += read;
            try_extend(out, &buffer[..written])?;
            (context.progress)(read)?;
            match result {
                encoding_rs::EncoderResult::InputEmpty => return Ok(at),
                encoding_rs::EncoderResult::OutputFull => {}
                // The character that was read last; encoding_rs reports U+FFFD for ESC, SO and SI in ISO-2022-JP.
                encoding_rs::EncoderResult::Unmappable(_) => {
                    return Ok(at - part[..at].chars().next_back().map_or(0, char::len_utf8));
                }
            }
        }
    };
    let mut replacement = EncodeReplacement::empty();
    let mut at = 0;
    let mut part = "";
    loop {
        if part.is_empty() {
            part = well_formed_start(&text[at..]);
        }
        let whole = at + part.len() == text.len();
        let done = put(part, last && whole, out)?;
        at += done;
        part = &part[done..];
        if at == text.len() {
            return Ok(None);
        }
        let (value, length) = first(&text[at..]);
        if !handler.encode(None, value, &mut replacement) {
            let fault = Fault { start: at, end: at + length, reason: ILLEGAL };
            if let Some(fault) = context.faults.take(fault)? {
                return Ok(Some(fault));
            }
        } else if replacement.is_text {
            put(str::from_utf8(replacement.as_bytes()).unwrap_or_default(), false, out)?;
        } else {
            try_extend(out, replacement.as_bytes())?;
        }
        at += length;
        part = part.get(length..).unwrap_or_default();
    }
}

/// Returns the text before the first surrogate.
fn well_formed_start(text: &[u8]) -> &str {
    let end = str::from_utf8(text).map_or_else(|error| error.valid_up_to(), str::len);
    str::from_utf8(&text[..end]).unwrap_or_default()
}
