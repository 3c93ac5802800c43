//! The streaming conversion between any two encodings, by way of generalized UTF-8, which can hold surrogates for the
//! error handlers that need them.

mod context;
mod decoder;
mod direct;
mod encoder;

use std::borrow::Cow;

use crate::allocation::{AllocError, sum};
use crate::encodings::Fault;
use crate::encodings::error_handler::ErrorHandler;
use crate::encodings::registry::Encoding;
use crate::encodings::scheme::Scheme;
use crate::progress::Progress;
use crate::simd::dispatch::Implementation;

pub use context::Faults;
pub use context::{Failure, Stop};
use context::{STEP_BYTES, StepContext, shifted};
use decoder::SourceDecoder;
pub use direct::Direct;
use encoder::TargetEncoder;

/// The policy for byte order marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BomPolicy {
    /// What the encodings do by default.
    Default,
    /// Write one if there was one.
    Keep,
    /// Write none.
    Strip,
    /// Write one.
    Add,
}

/// A conversion of a text that comes in pieces. Without a source it takes generalized UTF-8, without a target it gives
/// generalized UTF-8.
pub struct Transcoder<'e> {
    source: Option<Cow<'e, Encoding>>,
    target: Option<Cow<'e, Encoding>>,
    error_handler: ErrorHandler,
    bom_policy: BomPolicy,
    faults: Faults,
    /// Whether the start of the text was examined for a byte order mark.
    started: bool,
    decoder: SourceDecoder,
    encoder: TargetEncoder,
}

/// The most bytes of data that is decoded as a whole, so that the length of the output is known before it is written.
const MAX_SHORT_BYTES: usize = 16 << 10;

impl<'e> Transcoder<'e> {
    /// Returns a transcoder at the start of its data.
    pub fn new(
        source: Option<Cow<'e, Encoding>>,
        target: Option<Cow<'e, Encoding>>,
        error_handler: ErrorHandler,
        bom_policy: BomPolicy,
        faults: Faults,
    ) -> Self {
        let decoder = SourceDecoder::new(source.as_ref().map(|encoding| encoding.mapping));
        let encoder = TargetEncoder::new(target.as_ref().map(|encoding| encoding.mapping));
        Self { source, target, error_handler, bom_policy, faults, started: false, decoder, encoder }
    }

    /// Returns the target's name in exceptions.
    pub fn target_exception_name(&self) -> &str {
        self.target.as_ref().map_or("utf-8", |encoding| &encoding.exception_name)
    }

    /// Returns the source's name in exceptions.
    pub fn source_exception_name(&self) -> &str {
        let Some(encoding) = &self.source else { return "utf-8" };
        // With a signature UTF-16 and UTF-32 are named by their byte order.
        let scheme = if encoding.has_signature { self.decoder.scheme() } else { None };
        scheme.and_then(Scheme::name).unwrap_or(&encoding.exception_name)
    }

    /// Returns the last bytes of the previous pieces if a malformed sequence can start among them.
    pub fn carry(&self) -> &[u8] {
        self.decoder.carry()
    }

    /// Returns the error handler.
    pub fn error_handler(&self) -> ErrorHandler {
        self.error_handler
    }

    /// Returns the faults that were collected since the last call.
    pub fn take_faults(&mut self) -> Vec<Fault> {
        match &mut self.faults {
            Faults::Stop => vec![],
            Faults::Collect(faults) => core::mem::take(faults),
        }
    }

    /// Examines the start of the text for a byte order mark. Returns the one to be written, which may be empty, and the
    /// number of bytes of `data` that are one; `None` if `data` is too short to decide.
    #[inline]
    pub fn start(&mut self, data: &[u8], last: bool) -> Option<(&'static [u8], usize)> {
        if self.started {
            return Some((b"", 0));
        }
        let signature =
            |encoding: &Option<Cow<'_, Encoding>>| encoding.as_ref().is_some_and(|it| it.has_signature);
        let mut found = None;
        if signature(&self.source) || self.bom_policy != BomPolicy::Default {
            let boms = match &self.source {
                Some(encoding) => encoding.boms(),
                None => Encoding::unicode("utf-8").map(|utf8| utf8.boms()).unwrap_or_default(),
            };
            for (bom, mapping) in boms {
                if data.starts_with(bom) {
                    found = Some(bom.len());
                    if self.source.is_some() {
                        self.decoder = SourceDecoder::new(Some(mapping));
                    }
                } else if !last && bom.starts_with(data) {
                    return None;
                }
            }
        }
        self.started = true;
        let wanted = match self.bom_policy {
            BomPolicy::Default => signature(&self.target),
            BomPolicy::Keep => found.is_some(),
            BomPolicy::Strip => false,
            BomPolicy::Add => true,
        };
        let bom = self.target.as_ref().map_or(Scheme::Utf8.bom(), |encoding| encoding.bom());
        Some((if wanted { bom } else { b"" }, found.unwrap_or(0)))
    }

    /// Returns the direct conversion, if one end is UTF-8.
    #[inline]
    pub fn direct(&self) -> Option<Direct> {
        match (self.decoder.scheme()?, self.encoder.scheme()?) {
            (source, Scheme::Utf8) => Some(Direct::ToUtf8(source)),
            (Scheme::Utf8, target) => Some(Direct::FromUtf8(target)),
            _ => None,
        }
    }

    /// Returns the UTF-8 of `data`, which is after a byte order mark, and the direct conversion that is left, if both
    /// encodings have schemes and `data` is short and well-formed.
    #[inline]
    pub fn decode_short(&self, data: &[u8]) -> Result<Option<(Vec<u8>, Direct)>, AllocError> {
        match (self.decoder.scheme(), self.encoder.scheme()) {
            (Some(source), Some(target)) if data.len() <= MAX_SHORT_BYTES => {
                let mut text = vec![];
                let decoded = source.append_utf8(Implementation::active(), data, &mut text)?;
                Ok(decoded.then_some((text, Direct::FromUtf8(target))))
            }
            _ => Ok(None),
        }
    }

    /// Converts `data`, which is after a byte order mark, and appends the result to `out`. Returns the number of bytes
    /// read: unless `data` is the `last` piece, an incomplete character at its end is not read.
    pub fn convert(
        &mut self,
        data: &[u8],
        last: bool,
        out: &mut Vec<u8>,
        progress: Progress<'_>,
    ) -> Result<usize, Stop> {
        let handler = self.error_handler;
        let (mut read, mut before) = (0, 0);
        let mut text = vec![];
        loop {
            let step = self.decoder.head(&data[read..], STEP_BYTES);
            let reaches_end = read + step.len() == data.len();
            let ending = last && reaches_end;
            let mut context = StepContext { handler, last: ending, faults: &mut self.faults, progress };
            text.clear();
            let known = context.faults.count();
            let decoded = self.decoder.decode(step, &mut text, &mut context);
            context.faults.shift_since(known, read);
            let done = decoded.map_err(|stop| match stop {
                Stop::Failed(Failure::Malformed(fault)) => Failure::Malformed(shifted(fault, read)).into(),
                other => other,
            })?;
            let known = context.faults.count();
            let encoded = self.encoder.encode(&text, out, &mut context)?;
            context.faults.shift_since(known, before);
            if let Some(fault) = encoded {
                // The exception holds the text of all data, as far as it can be decoded.
                if !self.decoder.has_state() {
                    text.clear();
                    let mut context = StepContext { handler, last, faults: &mut Faults::Stop, progress };
                    let decoded = self.decoder.decode(data, &mut text, &mut context);
                    if let Err(stop @ Stop::Early(_)) = decoded {
                        return Err(stop);
                    }
                }
                return Err(Failure::Unmappable(text, shifted(fault, before)).into());
            }
            before = sum(before, text.len())?;
            read += done;
            // A step before the end may leave a few bytes, too: of two sequences that are cut short, `head` takes off
            // only the second. The next step begins with the first.
            if reaches_end {
                return Ok(read);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::unobserved;

    /// Converts complete data; without a source it is generalized UTF-8.
    fn convert(
        source: Option<Encoding>,
        target: Option<Encoding>,
        handler: ErrorHandler,
        data: &[u8],
    ) -> Result<Vec<u8>, Stop> {
        let (source, target) = (source.map(Cow::Owned), target.map(Cow::Owned));
        let mut transcoder = Transcoder::new(source, target, handler, BomPolicy::Default, Faults::Stop);
        let mut out = vec![];
        transcoder.convert(data, true, &mut out, &mut unobserved).map(|_| out)
    }

    #[test]
    fn long_text_is_converted_as_a_whole() {
        let (utf8, japanese) = (Encoding::unicode("utf-8"), || Encoding::whatwg("iso-2022-jp"));
        let found = convert(utf8, japanese(), ErrorHandler::Strict, "あ".repeat(40_000).as_bytes());
        let expected = [b"\x1B$B".as_slice(), &b"$\"".repeat(40_000), b"\x1B(B"].concat();
        assert!(found.is_ok_and(|found| found == expected));
        let data = b"\xE3\x81\x82\xED\xA0\x80\xE3\x81\x82";
        let found = convert(None, japanese(), ErrorHandler::Ignore, data);
        assert!(found.is_ok_and(|found| found == b"\x1B$B$\"$\"\x1B(B"));
    }

    #[test]
    fn a_step_that_ends_with_sequences_cut_short_is_not_the_last() {
        let (utf8, utf16) = (|| Encoding::unicode("utf-8"), || Encoding::unicode("utf-16-le"));
        for length in STEP_BYTES - 4..=STEP_BYTES {
            let data = [&b"a".repeat(length), b"\xE9\xE9".as_slice(), &b"b".repeat(STEP_BYTES)].concat();
            let found = convert(utf8(), utf8(), ErrorHandler::Strict, &data);
            let Err(Stop::Failed(Failure::Malformed(fault))) = found else {
                panic!("{length}: E9 is not UTF-8")
            };
            assert_eq!((fault.start, fault.end), (length, length + 1));
            for (handler, replacement) in
                [(ErrorHandler::Replace, "\u{FFFD}"), (ErrorHandler::BackslashReplace, "\\xe9")]
            {
                let found = convert(utf8(), utf8(), handler, &data).ok();
                let expected = ["a".repeat(length), replacement.repeat(2), "b".repeat(STEP_BYTES)].concat();
                assert!(found.is_some_and(|found| found == expected.as_bytes()), "{length}");
            }
        }
        let data =
            [b"a\0".repeat(STEP_BYTES / 2 - 2), b"\x3D\xD8".repeat(2), b"b\0".repeat(STEP_BYTES)].concat();
        let found = convert(utf16(), utf8(), ErrorHandler::Ignore, &data).ok();
        assert_eq!(found.map(|found| found.len()), Some(STEP_BYTES / 2 - 2 + STEP_BYTES));
    }

    #[test]
    fn unmappable_characters_are_found_at_their_offsets() {
        let text = format!("{}é", "a".repeat(100_000));
        let (utf8, ascii) = (Encoding::unicode("utf-8"), Encoding::unicode("ascii"));
        let Err(Stop::Failed(Failure::Unmappable(_, fault))) =
            convert(utf8, ascii, ErrorHandler::Strict, text.as_bytes())
        else {
            panic!("é is in ASCII")
        };
        assert_eq!((fault.start, fault.end), (100_000, 100_002));
    }
}
