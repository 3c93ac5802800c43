//! Detection in data that arrives in pieces.
//!
//! The data is detected each time that twice as much is there, until the result is sure, or 64 KiB are known. Only the
//! number of bytes before these points decides, not how they are cut into pieces. ASCII beyond is skipped until a byte
//! above 7F follows, as it is the same in every encoding.

use super::confidence::{ALMOST, SURE};
use super::decision::{Query, TextEnd, rank};
use super::sample::ascii_length;
use super::{Detection, Encodings, TEXT, language};

/// The numbers of bytes after which a detection is tried first, and at last.
const FIRST_CHECK_BYTES: usize = 1 << 10;
const MAX_KEPT_BYTES: usize = 64 << 10;
/// The number of bytes that are kept of the start, which can declare an encoding, and before the first byte above 7F.
const START_BYTES: usize = 1 << 10;
const CONTEXT_BYTES: usize = 32;
/// The fewest bytes above 7F in text that is sure to be in an encoding.
const MIN_NON_ASCII_BYTES: usize = 16;

/// Detects the encoding of data that arrives in pieces, cut anywhere, in constant memory.
///
/// The result does not depend on how the data is cut. It is the result of [`detect`](crate::detect) for the bytes
/// before the point at which it was [done](Self::is_done), or for all of them; of 64 KiB of ASCII or more before
/// another byte only the first KiB and the last 32 bytes count.
///
/// ```
/// use leadbyte::Detector;
///
/// let mut detector = Detector::new();
/// for piece in "Съешь ещё этих мягких булок".as_bytes().chunks(3) {
///     if detector.update(piece) {
///         break;
///     }
/// }
/// assert_eq!(detector.finish().encoding, Some("utf-8"));
/// ```
#[derive(Clone, Debug)]
pub struct Detector {
    encodings: Encodings,
    /// The bytes that are detected: the first, or from the first byte above 7F on, with some before it.
    kept: Vec<u8>,
    /// The last bytes of skipped ASCII, while it is skipped.
    skipped: Option<Vec<u8>>,
    done: bool,
    /// Whether bytes follow those that are kept.
    more: bool,
}

impl Default for Detector {
    fn default() -> Self {
        Self::new()
    }
}

impl Detector {
    /// Creates a detector among all encodings.
    pub fn new() -> Self {
        Self::among(Encodings::ALL)
    }

    /// Creates a detector among some encodings.
    pub fn among(encodings: Encodings) -> Self {
        Self { encodings, kept: vec![], skipped: None, done: false, more: false }
    }

    /// Takes the next bytes. Returns whether the result is known, so that further bytes are ignored.
    pub fn update(&mut self, data: &[u8]) -> bool {
        self.update_after_ascii(data, ascii_length(data))
    }

    /// Takes the next bytes, of which the first `ascii` are ASCII.
    #[doc(hidden)]
    pub fn update_after_ascii(&mut self, data: &[u8], ascii: usize) -> bool {
        let mut rest = data;
        while !rest.is_empty() && !self.done {
            rest = match self.skipped.take() {
                Some(context) => self.skip(context, rest, ascii.saturating_sub(data.len() - rest.len())),
                None => self.keep(rest),
            };
        }
        self.more |= !rest.is_empty();
        self.done
    }

    /// Skips ASCII up to the first other byte; returns the bytes from there on.
    fn skip<'a>(&mut self, mut context: Vec<u8>, rest: &'a [u8], ascii: usize) -> &'a [u8] {
        let (skipped, rest) = rest.split_at(ascii.min(rest.len()));
        let last = &skipped[skipped.len().saturating_sub(CONTEXT_BYTES)..];
        let excess = (context.len() + last.len()).saturating_sub(CONTEXT_BYTES);
        context.drain(..excess.min(context.len()));
        context.extend_from_slice(last);
        if rest.is_empty() {
            self.skipped = Some(context);
        } else {
            self.kept.truncate(START_BYTES);
            self.kept.extend_from_slice(&context);
        }
        rest
    }

    /// Keeps bytes up to the next check; returns the others.
    fn keep<'a>(&mut self, rest: &'a [u8]) -> &'a [u8] {
        let next_check = (self.kept.len() + 1).next_power_of_two().max(FIRST_CHECK_BYTES);
        let (kept, rest) = rest.split_at(rest.len().min(next_check - self.kept.len()));
        self.kept.extend_from_slice(kept);
        if self.kept.len() == next_check {
            let found = self.found(TextEnd::More);
            let is_ascii = self.kept.is_ascii();
            let is_plain = is_ascii && found.kind == TEXT && found.percent == SURE;
            self.done = !is_plain && (next_check == MAX_KEPT_BYTES || self.is_sure(&found, is_ascii));
            if is_plain && next_check == MAX_KEPT_BYTES {
                let context = self.kept[MAX_KEPT_BYTES - CONTEXT_BYTES..].to_vec();
                self.skipped = Some(context);
            }
        }
        rest
    }

    fn is_sure(&self, found: &Detection, is_ascii: bool) -> bool {
        let non_ascii = self.kept.iter().filter(|byte| !byte.is_ascii()).count();
        found.percent >= ALMOST
            && (found.bom || found.kind != TEXT || is_ascii || non_ascii >= MIN_NON_ASCII_BYTES)
    }

    /// Returns the detection of the bytes kept, without the language.
    fn found(&self, end: TextEnd) -> Detection {
        rank(&self.kept, Query { end, ..Query::of(&self.encodings) }).first
    }

    /// Returns whether the result is known: further bytes are ignored.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// Returns the result for the bytes so far.
    pub fn finish(&self) -> Detection {
        let (found, kept) = self.finish_with_sample(TextEnd::Unknown);
        Detection { language: language::of(&found, kept), ..found }
    }

    /// Returns the result without the language, and the bytes that it is about, given the end of the data so far.
    #[doc(hidden)]
    pub fn finish_with_sample(&self, end: TextEnd) -> (Detection, &[u8]) {
        (self.found(if self.more { TextEnd::More } else { end }), &self.kept)
    }

    /// Returns the names of the encodings to choose from, unless they are all.
    #[doc(hidden)]
    #[cfg(feature = "bindings")]
    pub fn encodings(&self) -> Option<&[&'static str]> {
        self.encodings.names()
    }

    /// Returns the state.
    #[doc(hidden)]
    #[cfg(feature = "bindings")]
    pub fn state(&self) -> DetectorState<'_> {
        let skipped = self.skipped.as_deref();
        DetectorState { kept: &self.kept, skipped, done: self.done, more: self.more }
    }

    /// Returns the detector of a state; `None` if no detector has that state.
    #[doc(hidden)]
    #[cfg(feature = "bindings")]
    pub fn from_state(encodings: Encodings, state: &DetectorState<'_>) -> Option<Self> {
        let &DetectorState { kept, skipped, done, more } = state;
        let is_full = kept.len() >= MAX_KEPT_BYTES;
        let is_known = kept.len() <= MAX_KEPT_BYTES
            && skipped.is_none_or(|skipped| skipped.len() <= CONTEXT_BYTES)
            && (done || skipped.is_some() || !is_full);
        is_known.then(|| Self { encodings, kept: kept.into(), skipped: skipped.map(Into::into), done, more })
    }
}

/// The state of a [`Detector`] beside its encodings, as that has it.
#[cfg(feature = "bindings")]
pub struct DetectorState<'a> {
    /// The bytes that will be looked at.
    pub kept: &'a [u8],
    /// The last bytes that were skipped, if any were.
    pub skipped: Option<&'a [u8]>,
    /// Whether more bytes cannot change the result.
    pub done: bool,
    /// Whether there is more data than is looked at.
    pub more: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the result for data in pieces of a length, and whether it was known before the end.
    fn in_pieces(data: &[u8], length: usize) -> (Detection, bool) {
        let mut detector = Detector::new();
        for piece in data.chunks(length) {
            assert_eq!(detector.update(piece), detector.is_done());
        }
        (detector.finish(), detector.is_done())
    }

    #[test]
    fn pieces_make_no_difference() {
        let russian = "Съешь ещё этих мягких французских булок, да выпей чаю.\n".repeat(2000);
        let koi8 = encoding_rs::KOI8_R.encode(&russian).0.into_owned();
        let ascii = b"a line of plain text\n".repeat(9000);
        let wide: Vec<u8> = "text\n".repeat(999).encode_utf16().flat_map(u16::to_le_bytes).collect();
        for (data, encoding, done) in [
            (russian.as_bytes().to_vec(), Some("utf-8"), true),
            (koi8.clone(), Some("koi8-r"), true),
            (ascii.clone(), Some("ascii"), false),
            ([&ascii[..], &koi8].concat(), Some("koi8-r"), true),
            ([&ascii[..], "Съешь ещё".as_bytes()].concat(), Some("utf-8"), false),
            ([&ascii[..], &koi8[..40]].concat(), Some("koi8-r"), false),
            (wide, Some("utf-16-le"), true),
            (b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR".repeat(99), None, true),
            (b"caf\xE9".to_vec(), Some("windows-1252"), false),
            ([&ascii[..300], b"caf\xE9"].concat(), Some("utf-8"), false),
            (vec![], Some("utf-8"), false),
        ] {
            let whole = in_pieces(&data, usize::MAX);
            assert_eq!((whole.0.encoding, whole.1), (encoding, done));
            for length in [1, 2, 3, 7, 1000, 1023, 1024, 1025, 65_535, 65_536, 65_537] {
                assert_eq!(in_pieces(&data, length), whole, "{encoding:?} {length}");
            }
            if data.len() <= MAX_KEPT_BYTES && !done {
                assert_eq!(whole.0, crate::detect(&data));
            }
        }
    }

    #[test]
    fn characters_that_continue_are_not_truncated() {
        let data = "€".repeat(9000);
        assert!(!in_pieces(data.as_bytes(), 1).0.truncated);
        // 1,024 bytes end inside a character.
        assert!(in_pieces(&data.as_bytes()[..1024], 5).0.truncated);
        assert!(!in_pieces(&data.as_bytes()[..1025], 5).0.truncated);
    }
}
