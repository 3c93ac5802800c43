//! From one encoding to another, piece by piece: by way of UTF-8, wherever a piece is cut.

use encoding::{Encoding, Kind};
use handling::{Handling, Instead};
use scheme::{Broken, First, Scheme, UNDEFINED};

use crate::allocation::{AllocError, Grow, sum, try_extend};
use crate::boundary::{CHUNK_BYTES, head};
use crate::kernels::decode::first;
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::{MaybeUninit, try_append};

pub(crate) mod encoding;
pub(crate) mod handling;
mod scheme;
mod words;

/// What is to become of a byte order mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marking {
    /// What the encodings say.
    Natural,
    /// If there is one, one is written.
    Keep,
    /// None is written.
    Strip,
    /// One is written.
    Add,
}

/// Why a conversion stops.
pub(crate) enum Stop<E> {
    /// What stands at `start..end` of the data, or of what was [lately](Pipe::lately) and the data, is no character.
    Broken { start: usize, end: usize, reason: &'static str },
    /// The target lacks what stands at `start..end` of this text, which is in generalized UTF-8.
    Lacking { text: Vec<u8>, start: usize, end: usize, reason: &'static str },
    /// Whoever was told of the progress wants it, or there is no memory.
    Wanted(E),
}

impl<E: From<AllocError>> From<AllocError> for Stop<E> {
    fn from(error: AllocError) -> Self {
        Self::Wanted(error.into())
    }
}

impl<E> Stop<E> {
    /// The same in data that `before` bytes precede.
    fn moved(self, before: usize) -> Self {
        match self {
            Self::Broken { start, end, reason } => {
                Self::Broken { start: start + before, end: end + before, reason }
            }
            other => other,
        }
    }

    /// Whether it is wanted to stop, whatever else there is.
    fn only_wanted(self) -> Result<usize, Self> {
        if matches!(self, Self::Wanted(_)) { Err(self) } else { Ok(0) }
    }
}

/// A conversion that goes straight, UTF-8 being at one end.
#[derive(Clone, Copy)]
pub(crate) enum Way {
    ToUtf8(Scheme),
    FromUtf8(Scheme),
}

impl Way {
    /// The scheme that it starts with.
    fn source(self) -> Scheme {
        match self {
            Self::ToUtf8(scheme) => scheme,
            Self::FromUtf8(_) => Scheme::Utf8,
        }
    }

    /// The part of `data` that does not end within a character.
    pub(crate) fn whole(self, data: &[u8]) -> &[u8] {
        &data[..data.len() - self.source().unfinished(data)]
    }

    /// How many bytes become of `data`; perhaps `None` if something stops it. Tells `worked` of its progress.
    pub(crate) fn length<E: From<AllocError>>(
        self,
        data: &[u8],
        mut worked: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<usize>, E> {
        let by = Implementation::active();
        let mut length = 0;
        for step in self.source().steps(data, CHUNK_BYTES) {
            let some = match self {
                Self::ToUtf8(scheme) => scheme.utf8_length(by, step),
                Self::FromUtf8(scheme) => scheme.length(by, step),
            };
            let Some(some) = some else { return Ok(None) };
            length = sum(length, some)?;
            worked(step.len())?;
        }
        Ok(Some(length))
    }

    /// Converts `data` into `out`, which has the room that [`length`](Self::length) tells. Returns how many bytes these
    /// are; `None` if something stops it. Tells `worked` of its progress.
    pub(crate) fn fill<E>(
        self,
        data: &[u8],
        out: &mut [MaybeUninit<u8>],
        mut worked: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Option<usize>, E> {
        let by = Implementation::active();
        let mut written = 0;
        for step in self.source().steps(data, CHUNK_BYTES) {
            let room = &mut out[written..];
            let some = match self {
                Self::ToUtf8(scheme) => scheme.fill_utf8(by, step, room),
                Self::FromUtf8(scheme) => scheme.fill(by, step, room),
            };
            let Some(some) = some else { return Ok(None) };
            written += some;
            worked(step.len())?;
        }
        Ok(Some(written))
    }
}

/// A conversion of a text that comes in pieces.
pub(crate) struct Pipe {
    source: Encoding,
    target: Encoding,
    handling: Handling,
    marking: Marking,
    /// Whether the start of the text has been seen.
    begun: bool,
    reader: Reader,
    writer: Writer,
}

/// What reads the source.
enum Reader {
    Scheme(Scheme),
    /// And the last bytes it got, as an error may have begun there.
    Legacy(encoding_rs::Decoder, Vec<u8>),
}

/// What writes the target.
enum Writer {
    Scheme(Scheme),
    Legacy(encoding_rs::Encoder),
}

impl Reader {
    fn of(kind: Kind) -> Self {
        match kind {
            Kind::Scheme(scheme) => Self::Scheme(scheme),
            Kind::Legacy(encoding) => Self::Legacy(encoding.new_decoder_without_bom_handling(), vec![]),
        }
    }

    fn scheme(&self) -> Option<Scheme> {
        match self {
            Self::Scheme(scheme) => Some(*scheme),
            Self::Legacy(..) => None,
        }
    }
}

impl Writer {
    fn of(kind: Kind) -> Self {
        match kind {
            Kind::Scheme(scheme) => Self::Scheme(scheme),
            Kind::Legacy(encoding) => Self::Legacy(encoding.new_encoder()),
        }
    }

    fn scheme(&self) -> Option<Scheme> {
        match self {
            Self::Scheme(scheme) => Some(*scheme),
            Self::Legacy(_) => None,
        }
    }
}

/// So much is converted at once if nothing stops it,
const MUCH: usize = 64 << 10;
/// and so much after what stopped it, each time twice as much,
const SOME: usize = 64;
/// when so much has been gone through character by character.
const NEAR: usize = 16;
/// At most so many bytes an encoder or a decoder of `encoding_rs` writes at once.
const ROOM: usize = 8 << 10;
/// No sequence of a legacy encoding is longer.
const LONGEST: usize = 8;

impl Pipe {
    pub(crate) fn new(source: Encoding, target: Encoding, handling: Handling, marking: Marking) -> Self {
        let (reader, writer) = (Reader::of(source.kind), Writer::of(target.kind));
        Self { source, target, handling, marking, begun: false, reader, writer }
    }

    pub(crate) fn target(&self) -> &Encoding {
        &self.target
    }

    /// The name of the source's encoding in exceptions.
    pub(crate) fn source_told(&self) -> String {
        let told = &self.source.told;
        match self.reader {
            Reader::Scheme(Scheme::Utf16(order) | Scheme::Utf32(order)) if self.source.marked => {
                format!("{told}-{}", order.suffix())
            }
            _ => told.to_string(),
        }
    }

    /// The last bytes that came before, if a sequence that is not finished may begin there.
    pub(crate) fn lately(&self) -> &[u8] {
        match &self.reader {
            Reader::Scheme(_) => &[],
            Reader::Legacy(_, lately) => lately,
        }
    }

    pub(crate) fn handling(&self) -> Handling {
        self.handling
    }

    /// Looks for a byte order mark, if this is the start of the text. Returns the mark to be written, and how many bytes
    /// of `data` are one; `None` if they are too few to tell.
    pub(crate) fn begin(&mut self, data: &[u8], last: bool) -> Option<(&'static [u8], usize)> {
        if self.begun {
            return Some((b"", 0));
        }
        let mut found = None;
        if self.source.marked || self.marking != Marking::Natural {
            for (mark, kind) in self.source.marks() {
                if data.starts_with(mark) {
                    found = Some(mark.len());
                    self.reader = Reader::of(kind);
                } else if !last && mark.starts_with(data) {
                    return None;
                }
            }
        }
        self.begun = true;
        let wanted = match self.marking {
            Marking::Natural => self.target.marked,
            Marking::Keep => found.is_some(),
            Marking::Strip => false,
            Marking::Add => true,
        };
        Some((if wanted { self.target.mark() } else { b"" }, found.unwrap_or(0)))
    }

    /// The straight way, if there is one.
    pub(crate) fn way(&self) -> Option<Way> {
        match (self.reader.scheme()?, self.writer.scheme()?) {
            (source, Scheme::Utf8) => Some(Way::ToUtf8(source)),
            (Scheme::Utf8, target) => Some(Way::FromUtf8(target)),
            _ => None,
        }
    }

    /// Converts `data`, which do not start with a mark, and appends what becomes of them to `out`. Returns how many they
    /// are; unless they are the last, what is unfinished at their end is left. Tells `worked` of its progress, in
    /// bytes.
    pub(crate) fn convert<E: From<AllocError>>(
        &mut self,
        data: &[u8],
        last: bool,
        out: &mut Vec<u8>,
        mut worked: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<usize, Stop<E>> {
        let (mut read, mut before) = (0, 0);
        let mut text = vec![];
        loop {
            // What has a state goes on to the end; else the text of a step is still in the cache when it is encoded.
            let step = match &self.reader {
                Reader::Scheme(scheme) => scheme.head(&data[read..], MUCH),
                Reader::Legacy(..) => data,
            };
            let ending = last && read + step.len() == data.len();
            text.clear();
            let done = match &mut self.reader {
                Reader::Scheme(scheme) => {
                    decode(*scheme, self.handling, step, ending, &mut text, &mut worked)
                }
                Reader::Legacy(decoder, lately) => {
                    decode_legacy(decoder, lately, self.handling, step, ending, &mut text, &mut worked)
                }
            };
            let done = done.map_err(|stop| stop.moved(read))?;
            let written = match &mut self.writer {
                Writer::Scheme(scheme) => encode(*scheme, self.handling, &text, out, &mut worked),
                Writer::Legacy(encoder) => {
                    encode_legacy(encoder, self.handling, &text, ending, out, &mut worked)
                }
            };
            if let Some(Lack { start, end, reason }) = written? {
                if let Reader::Scheme(scheme) = self.reader {
                    text.clear();
                    decode(scheme, self.handling, data, last, &mut text, &mut worked)
                        .or_else(Stop::only_wanted)?;
                }
                let (start, end) = (sum(before, start)?, sum(before, end)?);
                return Err(Stop::Lacking { text, start, end, reason });
            }
            before = sum(before, text.len())?;
            read += done;
            if done < step.len() || read == data.len() {
                return Ok(read);
            }
        }
    }
}

/// What a target lacks of a text, and why.
struct Lack {
    start: usize,
    end: usize,
    reason: &'static str,
}

/// How much is converted at once: where something stops a conversion, there may soon be more.
struct Pace {
    /// Up to here it goes character by character,
    near: usize,
    /// and then by so many bytes.
    reach: usize,
}

impl Default for Pace {
    fn default() -> Self {
        Self { near: 0, reach: MUCH }
    }
}

impl Pace {
    /// Converts a step, or what of it comes before something that stops `append`, as `up_to` tells; returns how much that
    /// is.
    fn convert(
        &mut self,
        step: &[u8],
        mut append: impl FnMut(&[u8]) -> Result<bool, AllocError>,
        up_to: impl FnOnce(&[u8]) -> usize,
    ) -> Result<usize, AllocError> {
        if append(step)? {
            self.reach = MUCH.min(2 * self.reach);
            return Ok(step.len());
        }
        let before = up_to(step);
        Ok(if append(&step[..before])? { before } else { 0 })
    }

    /// Something has stopped the conversion at `at`.
    fn stopped(&mut self, at: usize) {
        *self = Self { near: at + NEAR, reach: SOME };
    }
}

/// Room for at least what is written for a character or for what is broken.
const PATCH: usize = 128;

/// Decodes to generalized UTF-8. Returns how many bytes were read.
fn decode<E: From<AllocError>>(
    scheme: Scheme,
    handling: Handling,
    data: &[u8],
    last: bool,
    text: &mut Vec<u8>,
    worked: &mut impl FnMut(usize) -> Result<(), E>,
) -> Result<usize, Stop<E>> {
    let by = Implementation::active();
    let end = if last { data.len() } else { data.len() - scheme.unfinished(data) };
    let mut pace = Pace::default();
    let mut at = 0;
    while at < end {
        if at >= pace.near {
            let step = scheme.head(&data[at..end], pace.reach);
            worked(step.len()).map_err(Stop::Wanted)?;
            let append = |part: &[u8]| append_utf8(by, scheme, part, text);
            let done = pace.convert(step, append, |step| scheme.well_formed_up_to(by, step))?;
            at += done;
            if done == step.len() {
                continue;
            }
        }
        text.grow(PATCH)?;
        match scheme.first(&data[at..end]) {
            First::Char(character, length) => {
                Scheme::Utf8.push(character.into(), false, text);
                at += length;
            }
            First::Broken(Broken { waits: true, .. }) if !last => break,
            First::Broken(broken) => {
                let Some(length) = handling.decode(Some(scheme), &data[at..end], broken, text) else {
                    return Err(Stop::Broken { start: at, end: at + broken.length, reason: broken.reason });
                };
                at += length;
                pace.stopped(at);
            }
        }
    }
    Ok(at)
}

/// Encodes generalized UTF-8, up to what the scheme lacks, if that has to be raised.
fn encode<E: From<AllocError>>(
    scheme: Scheme,
    handling: Handling,
    text: &[u8],
    out: &mut Vec<u8>,
    worked: &mut impl FnMut(usize) -> Result<(), E>,
) -> Result<Option<Lack>, Stop<E>> {
    let by = Implementation::active();
    let mut instead = vec![];
    let mut pace = Pace::default();
    let mut at = 0;
    while at < text.len() {
        if at >= pace.near {
            let step = head(&text[at..], pace.reach);
            worked(step.len()).map_err(Stop::Wanted)?;
            let append = |part: &[u8]| append_from_utf8(by, scheme, part, out);
            let done = pace.convert(step, append, |step| scheme.has_up_to(by, step))?;
            at += done;
            if done == step.len() {
                continue;
            }
        }
        let (value, length) = first(&text[at..]);
        out.grow(PATCH)?;
        if !scheme.push(value, false, out) {
            match handling.encode(Some(scheme), value, &mut instead) {
                Some(Instead::Text) => {
                    out.grow(instead.len() * scheme.unit())?;
                    for &byte in &instead {
                        scheme.push(byte.into(), false, out);
                    }
                }
                Some(Instead::Bytes) => try_extend(out, &instead)?,
                None => return Ok(Some(lack(scheme, text, at))),
            }
            pace.stopped(at);
        }
        at += length;
    }
    Ok(None)
}

/// Why the code point at `text[at..]` cannot be encoded: with it comes what follows for the same reason.
#[cold]
fn lack(scheme: Scheme, text: &[u8], start: usize) -> Lack {
    let (_, length) = first(&text[start..]);
    let mut end = start + length;
    let mut unwanted = vec![];
    while scheme.unit() == 1 && end < text.len() {
        let (value, length) = first(&text[end..]);
        if scheme.push(value, false, &mut unwanted) {
            break;
        }
        end += length;
    }
    let reason = match scheme {
        Scheme::Ascii => "ordinal not in range(128)",
        Scheme::Latin1 => "ordinal not in range(256)",
        Scheme::Page(_) => UNDEFINED,
        Scheme::Utf8 | Scheme::Utf16(_) | Scheme::Utf32(_) => "surrogates not allowed",
    };
    Lack { start, end, reason }
}

/// Appends the UTF-8 of `data`, if they are well-formed.
fn append_utf8(
    by: Implementation,
    scheme: Scheme,
    data: &[u8],
    text: &mut Vec<u8>,
) -> Result<bool, AllocError> {
    let Some(length) = scheme.utf8_length(by, data) else { return Ok(false) };
    try_append(text, length, |room| scheme.fill_utf8(by, data, room))
}

/// Appends `text`, if it is valid UTF-8 that the scheme has.
fn append_from_utf8(
    by: Implementation,
    scheme: Scheme,
    text: &[u8],
    out: &mut Vec<u8>,
) -> Result<bool, AllocError> {
    let Some(length) = scheme.length(by, text) else { return Ok(false) };
    try_append(out, length, |room| scheme.fill(by, text, room))
}

/// What is wrong in a legacy encoding of several bytes, in CPython's words.
const ILLEGAL: &str = "illegal multibyte sequence";

/// Decodes to generalized UTF-8; `before` are the last bytes that came before. Returns how many bytes were read.
fn decode_legacy<E: From<AllocError>>(
    decoder: &mut encoding_rs::Decoder,
    before: &mut Vec<u8>,
    handling: Handling,
    data: &[u8],
    last: bool,
    text: &mut Vec<u8>,
    worked: &mut impl FnMut(usize) -> Result<(), E>,
) -> Result<usize, Stop<E>> {
    let mut room = [0; ROOM];
    let mut at = 0;
    loop {
        let (result, read, written) =
            decoder.decode_to_utf8_without_replacement(&data[at..], &mut room, last);
        at += read;
        try_extend(text, &room[..written])?;
        worked(read).map_err(Stop::Wanted)?;
        match result {
            encoding_rs::DecoderResult::InputEmpty => break,
            encoding_rs::DecoderResult::OutputFull => {}
            encoding_rs::DecoderResult::Malformed(length, after) => {
                let (length, after) = (usize::from(length), usize::from(after));
                let lately = [before.as_slice(), &data[at.saturating_sub(LONGEST)..at]].concat();
                let bad = &lately[lately.len() - after - length..lately.len() - after];
                let broken = Broken { length, reason: ILLEGAL, waits: false };
                text.grow(PATCH)?;
                if handling.decode(None, bad, broken, text) != Some(length) {
                    let end = before.len() + at - after;
                    return Err(Stop::Broken { start: end - length, end, reason: ILLEGAL });
                }
            }
        }
    }
    before.extend_from_slice(&data[data.len().saturating_sub(LONGEST)..]);
    before.drain(..before.len().saturating_sub(LONGEST));
    Ok(data.len())
}

/// Encodes generalized UTF-8, as [`encode`]; after the `last` an encoding with a state goes back to where it began.
fn encode_legacy<E: From<AllocError>>(
    encoder: &mut encoding_rs::Encoder,
    handling: Handling,
    text: &[u8],
    last: bool,
    out: &mut Vec<u8>,
    worked: &mut impl FnMut(usize) -> Result<(), E>,
) -> Result<Option<Lack>, Stop<E>> {
    let mut room = [0; ROOM];
    let mut put = |part: &str, last, out: &mut Vec<u8>| -> Result<usize, Stop<E>> {
        let mut at = 0;
        loop {
            let (result, read, written) =
                encoder.encode_from_utf8_without_replacement(&part[at..], &mut room, last);
            at += read;
            try_extend(out, &room[..written])?;
            worked(read).map_err(Stop::Wanted)?;
            match result {
                encoding_rs::EncoderResult::InputEmpty => return Ok(at),
                encoding_rs::EncoderResult::OutputFull => {}
                encoding_rs::EncoderResult::Unmappable(character) => return Ok(at - character.len_utf8()),
            }
        }
    };
    let mut instead = vec![];
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
        match handling.encode(None, value, &mut instead) {
            Some(Instead::Text) => {
                put(str::from_utf8(&instead).unwrap_or_default(), false, out)?;
            }
            Some(Instead::Bytes) => try_extend(out, &instead)?,
            None => return Ok(Some(Lack { start: at, end: at + length, reason: ILLEGAL })),
        }
        at += length;
        part = part.get(length..).unwrap_or_default();
    }
}

/// What stands before the first surrogate.
fn well_formed_start(text: &[u8]) -> &str {
    let end = str::from_utf8(text).map_or_else(|error| error.valid_up_to(), str::len);
    str::from_utf8(&text[..end]).unwrap_or_default()
}
