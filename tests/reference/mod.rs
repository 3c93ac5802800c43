//! A naive oracle: what every function should say, written straight from RFC 3629 and from the table of
//! error kinds, slowly and without a line in common with `src`. Spans have a second, foreign oracle in
//! the standard library. Below it are the checks that several test files share.

#![allow(dead_code)] // every test file uses a part of this

#[cfg(feature = "unicode")]
pub mod audit;
pub mod decode;
#[cfg(feature = "detect")]
pub mod detect;
pub mod encode;
#[cfg(all(unix, not(fuzzing)))]
pub mod guards;
#[cfg(feature = "bindings")]
pub mod jsonl;
#[cfg(all(feature = "detect", feature = "unicode"))]
pub mod mojibake;
pub mod offsets;
pub mod pieces;
pub mod single_byte;
#[cfg(not(fuzzing))]
pub mod strategies;
pub mod targets;
pub mod variants;

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::{env, ops::RangeInclusive, thread};

use leadbyte::{ErrorKind, Implementation, LocatedError, Measure, Scan, Utf8Error, implementations, set_isa};

/// UTF8-tail of the ABNF in RFC 3629, section 4.
const TAIL: RangeInclusive<u8> = 0x80..=0xBF;

/// UTF8-1 to UTF8-4 of the same, one alternative a row.
const RULES: [&[RangeInclusive<u8>]; 9] = [
    &[0x00..=0x7F],
    &[0xC2..=0xDF, TAIL],
    &[0xE0..=0xE0, 0xA0..=0xBF, TAIL],
    &[0xE1..=0xEC, TAIL, TAIL],
    &[0xED..=0xED, 0x80..=0x9F, TAIL],
    &[0xEE..=0xEF, TAIL, TAIL],
    &[0xF0..=0xF0, 0x90..=0xBF, TAIL, TAIL],
    &[0xF1..=0xF3, TAIL, TAIL, TAIL],
    &[0xF4..=0xF4, 0x80..=0x8F, TAIL, TAIL],
];

/// Bytes on either side of every distinction that UTF-8 makes, and the two ends of a line.
pub const BOUNDARY_BYTES: [u8; 27] = [
    0x00, 0x0A, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC,
    0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8, 0xFF,
];

/// Random numbers by SplitMix64, from a seed.
pub struct Random(pub u64);

impl Random {
    /// Returns a number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.number() >> 16) as usize % bound
    }
}

/// Returns `all`, or `fewer` where that would take too long, as on an emulated CPU: if the environment variable
/// `LEADBYTE_TESTS` is `boundary`. The description of the reduced cases is printed.
pub fn all_or_fewer<T>(all: T, fewer: T, description: &str) -> T {
    match env::var_os("LEADBYTE_TESTS") {
        None => all,
        Some(value) => {
            assert_eq!(value, "boundary", "LEADBYTE_TESTS must be boundary or unset");
            println!("reduced: {description}");
            fewer
        }
    }
}

/// A character, or an error's span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    pub start: usize,
    pub end: usize,
    pub content: Result<char, ErrorKind>,
}

/// All of `data`, in order.
pub fn parts(data: &[u8]) -> impl Iterator<Item = Part> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = data.get(start..).filter(|rest| !rest.is_empty())?;
        let (length, content) = first_part(rest);
        let part = Part { start, end: start + length, content };
        start = part.end;
        Some(part)
    })
}

fn first_part(rest: &[u8]) -> (usize, Result<char, ErrorKind>) {
    let Some(rule) = RULES.iter().find(|rule| rule[0].contains(&rest[0])) else {
        return (1, Err(kind(rest, 1)));
    };
    let matched = rule.iter().zip(rest).take_while(|(range, byte)| range.contains(byte)).count();
    if matched == rule.len() {
        return (matched, Ok(spelled(&rest[..matched])));
    }
    // The maximal subpart: as much as begins what the rule asks for.
    (matched, Err(kind(rest, matched)))
}

/// The kind of error at the start of `rest`, row by row as in the table of the public interface.
fn kind(rest: &[u8], length: usize) -> ErrorKind {
    match (rest[0], rest.get(1)) {
        (0x80..=0xBF, _) => ErrorKind::UnexpectedContinuation,
        (0xC0..=0xC1, _) => ErrorKind::Overlong,
        (0xF5..=0xF7, _) => ErrorKind::TooLarge,
        (0xF8..=0xFF, _) => ErrorKind::InvalidStart,
        (0xE0, Some(0x80..=0x9F)) | (0xF0, Some(0x80..=0x8F)) => ErrorKind::Overlong,
        (0xED, Some(0xA0..=0xBF)) => ErrorKind::Surrogate,
        (0xF4, Some(0x90..=0xBF)) => ErrorKind::TooLarge,
        _ if length == rest.len() => ErrorKind::Truncated,
        _ => ErrorKind::MissingContinuation,
    }
}

/// The character that a well-formed sequence spells (RFC 3629, section 3).
fn spelled(bytes: &[u8]) -> char {
    let above = |byte: u8, base: u8| u32::from(byte - base);
    let number = match *bytes {
        [a] => above(a, 0),
        [a, b] => above(a, 0xC0) * 64 + above(b, 0x80),
        [a, b, c] => above(a, 0xE0) * 4096 + above(b, 0x80) * 64 + above(c, 0x80),
        [a, b, c, d] => {
            above(a, 0xF0) * 262_144 + above(b, 0x80) * 4096 + above(c, 0x80) * 64 + above(d, 0x80)
        }
        _ => unreachable!("no rule is longer"),
    };
    char::from_u32(number).expect("the rules let nothing else through")
}

/// An error as the oracle gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Error {
    pub start: usize,
    pub end: usize,
    pub kind: ErrorKind,
}

impl From<Utf8Error> for Error {
    fn from(error: Utf8Error) -> Self {
        Self { start: error.start() as usize, end: error.end() as usize, kind: error.kind() }
    }
}

/// All errors of `data`.
pub fn errors(data: &[u8]) -> Vec<Error> {
    let error = |part: Part| part.content.err().map(|kind| Error { start: part.start, end: part.end, kind });
    parts(data).filter_map(error).collect()
}

/// The spans of all errors, by the standard library.
pub fn foreign_spans(data: &[u8]) -> Vec<(usize, usize)> {
    let mut at = 0;
    let mut spans = vec![];
    for chunk in data.utf8_chunks() {
        let start = at + chunk.valid().len();
        at = start + chunk.invalid().len();
        if at > start {
            spans.push((start, at));
        }
    }
    spans
}

/// The first error's span, by the standard library.
pub fn foreign_first_span(data: &[u8]) -> Option<(usize, usize)> {
    let error = std::str::from_utf8(data).err()?;
    let start = error.valid_up_to();
    Some((start, error.error_len().map_or(data.len(), |length| start + length)))
}

/// `bytes.decode`'s reason for an error of `kind` that `lead` starts.
pub fn reason(kind: ErrorKind, lead: u8) -> &'static str {
    match kind {
        ErrorKind::UnexpectedContinuation | ErrorKind::InvalidStart => "invalid start byte",
        ErrorKind::Overlong if lead < 0xE0 => "invalid start byte",
        ErrorKind::TooLarge if lead > 0xF4 => "invalid start byte",
        ErrorKind::Truncated => "unexpected end of data",
        _ => "invalid continuation byte",
    }
}

/// Bytes that announce sequences of one, two, three and four.
pub fn widths(data: &[u8]) -> [usize; 4] {
    let mut widths = [0; 4];
    for byte in data {
        match byte {
            0x00..=0x7F => widths[0] += 1,
            0x80..=0xBF => {}
            0xC0..=0xDF => widths[1] += 1,
            0xE0..=0xEF => widths[2] += 1,
            0xF0..=0xFF => widths[3] += 1,
        }
    }
    widths
}

/// Bytes that are not continuation bytes.
pub fn leads(data: &[u8]) -> usize {
    widths(data).iter().sum()
}

/// UTF-16 code units, by lead bytes.
/// The text with U+FFFD in the place of each error.
pub fn replaced(data: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(data)
}

pub fn utf16_count(data: &[u8]) -> usize {
    leads(data) + widths(data)[3]
}

pub fn newlines(data: &[u8]) -> usize {
    data.iter().filter(|&&byte| byte == b'\n').count()
}

/// What it takes to hold `data` in other forms, which must be valid.
pub fn measure(data: &[u8]) -> Measure {
    let highest = data.iter().copied().filter(|&byte| byte >= 0x80).max();
    let widths = widths(data);
    let chars = widths.iter().sum();
    Measure { chars, utf16_count: chars + widths[3], largest: highest.map_or(0, |byte| byte.min(0xF0)) }
}

/// What a scan should find.
#[derive(Debug, PartialEq)]
pub struct Facts {
    pub byte_count: usize,
    pub chars: usize,
    pub utf16_count: usize,
    pub newlines: usize,
    pub ascii: bool,
    pub max_char_width: usize,
    pub bom: bool,
    pub valid: bool,
    pub error: Option<Error>,
    pub error_count: usize,
}

impl Facts {
    pub fn of(data: &[u8]) -> Self {
        Self::with_errors(data, &errors(data))
    }

    /// Returns the findings for data whose errors are known.
    pub fn with_errors(data: &[u8], errors: &[Error]) -> Self {
        let widths = widths(data);
        let chars = widths.iter().sum();
        Self {
            byte_count: data.len(),
            chars,
            utf16_count: chars + widths[3],
            newlines: newlines(data),
            ascii: data.is_ascii(),
            max_char_width: widths.iter().rposition(|&count| count > 0).map_or(0, |index| index + 1),
            bom: data.starts_with("\u{FEFF}".as_bytes()),
            valid: errors.is_empty(),
            error: errors.first().copied(),
            error_count: errors.len(),
        }
    }
}

impl From<Scan> for Facts {
    fn from(scan: Scan) -> Self {
        Self {
            byte_count: scan.byte_count as usize,
            chars: scan.char_count as usize,
            utf16_count: scan.utf16_count as usize,
            newlines: scan.newline_count as usize,
            ascii: scan.ascii,
            max_char_width: scan.max_char_width.into(),
            bom: scan.bom,
            valid: scan.valid,
            error: scan.error.map(Error::from),
            error_count: scan.error_count as usize,
        }
    }
}

/// An error and its location.
#[derive(Debug, PartialEq)]
pub struct Note {
    pub error: Error,
    pub bytes: Vec<u8>,
    pub line: usize,
    pub column: usize,
    pub before: Vec<u8>,
    pub after: Vec<u8>,
}

impl From<&LocatedError> for Note {
    fn from(noted: &LocatedError) -> Self {
        Self {
            error: noted.error.into(),
            bytes: noted.error.bytes().to_vec(),
            line: noted.location.line as usize,
            column: noted.location.column as usize,
            before: noted.before.as_slice().to_vec(),
            after: noted.after.as_slice().to_vec(),
        }
    }
}

/// The first `limit` errors of `data`, with line, column and eight bytes on either side.
pub fn notes(data: &[u8], limit: usize) -> Vec<Note> {
    let note = |error: Error| {
        let (before, after) = (&data[..error.start], &data[error.end..]);
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        Note {
            error,
            bytes: data[error.start..error.end].to_vec(),
            line: newlines(before) + 1,
            column: replaced(&before[line_start..]).chars().count() + 1,
            before: before[before.len().saturating_sub(8)..].to_vec(),
            after: after[..after.len().min(8)].to_vec(),
        }
    };
    errors(data).into_iter().take(limit).map(note).collect()
}

/// Runs `test` on every implementation, of which there must be some. Where the CPU is emulated, they are reduced to
/// the best one: the others are for simpler CPUs.
pub fn on_every_implementation(test: impl FnMut(Implementation)) {
    static TESTED: OnceLock<&[Implementation]> = OnceLock::new();
    let tested = TESTED.get_or_init(|| {
        let all = implementations();
        assert!(!all.is_empty(), "a run that tests nothing must not pass");
        if env::var_os("LEADBYTE_EXPECTED").is_none() {
            return all;
        }
        println!("reduced: the best implementation only");
        &all[all.len() - 1..]
    });
    tested.iter().copied().for_each(test);
}

/// Runs `test` with every implementation as the active one, for functions that always use that.
pub fn with_every_implementation_active(mut test: impl FnMut()) {
    static ACTIVE: Mutex<()> = Mutex::new(());
    // A test that failed has left nothing behind that the next one could mind.
    let _guard = ACTIVE.lock().unwrap_or_else(PoisonError::into_inner);
    on_every_implementation(|implementation| {
        set_isa(implementation.name()).expect("it was just listed");
        assert_eq!(Implementation::active(), implementation);
        test();
    });
}

/// Does `work` for every number below `count`, on all cores.
pub fn in_parallel(count: usize, work: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&index| index < count);
                std::iter::from_fn(take).for_each(&work);
            });
        }
    });
}

/// Checks every function that takes bytes alone, on every implementation.
///
/// The bytes are put into a heap block of just their length, so that AddressSanitizer, which sees the
/// ends of such blocks, sees any read beyond them.
pub fn check_all(data: &[u8]) {
    check_in_place(&Box::<[u8]>::from(data));
}

/// Checks bytes where they are in memory.
pub fn check_in_place(data: &[u8]) {
    let errors = errors(data);
    let spans = errors.iter().map(|error| (error.start, error.end)).collect::<Vec<_>>();
    assert_eq!(spans, foreign_spans(data), "the oracles disagree about {data:02x?}");
    let facts = Facts::with_errors(data, &errors);
    check_finding(data, &errors);
    check_counting(data);
    check_lossy(data);
    on_every_implementation(|implementation| {
        assert_eq!(Facts::from(implementation.scan(data)), facts, "{} {data:02x?}", implementation.name());
    });
}

/// Checks all that finds errors.
pub fn check_finding(data: &[u8], errors: &[Error]) {
    let measured = errors.is_empty().then(|| measure(data));
    let lossy = String::from_utf8_lossy(data);
    on_every_implementation(|implementation| {
        let name = implementation.name();
        assert_eq!(implementation.is_valid(data), errors.is_empty(), "{name} {data:02x?}");
        match implementation.validate(data) {
            Ok(text) => assert!(errors.is_empty() && text.as_bytes() == data, "{name} {data:02x?}"),
            Err(error) => assert_eq!(Some(&Error::from(error)), errors.first(), "{name} {data:02x?}"),
        }
        let found = implementation.iter_errors(data).map(Error::from);
        assert!(found.eq(errors.iter().copied()), "{name} {data:02x?}");
        assert_eq!(implementation.measure(data), measured, "{name} {data:02x?}");
        let repaired = implementation.repair(data);
        assert!(repaired == lossy, "{name} {data:02x?}");
        assert_eq!(matches!(repaired, Cow::Borrowed(_)), errors.is_empty(), "{name} {data:02x?}");
    });
}

/// Checks decoding with U+FFFD for each error.
fn check_lossy(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let in_utf16: Vec<u16> = text.encode_utf16().collect();
    let in_utf32: Vec<u32> = text.chars().map(u32::from).collect();
    on_every_implementation(|implementation| {
        let name = implementation.name();
        let mut utf16 = vec![0; data.len()];
        let written = implementation.utf8_to_utf16_lossy(data, &mut utf16);
        assert_eq!(written.map(|written| &utf16[..written]), Ok(&*in_utf16), "{name} {data:02x?}");
        let mut utf32 = vec![0; data.len()];
        let written = implementation.utf8_to_utf32_lossy(data, &mut utf32);
        assert_eq!(written.map(|written| &utf32[..written]), Ok(&*in_utf32), "{name} {data:02x?}");
    });
}

/// Checks all that counts.
pub fn check_counting(data: &[u8]) {
    let widths = widths(data);
    let chars = widths.iter().sum::<usize>();
    let newlines = newlines(data);
    on_every_implementation(|implementation| {
        let name = implementation.name();
        assert_eq!(implementation.count_widths(data), widths, "{name} {data:02x?}");
        assert_eq!(implementation.count_chars(data), chars, "{name} {data:02x?}");
        assert_eq!(implementation.count_utf16(data), chars + widths[3], "{name} {data:02x?}");
        assert_eq!(implementation.count_newlines(data), newlines, "{name} {data:02x?}");
        assert_eq!(implementation.is_ascii(data), data.is_ascii(), "{name} {data:02x?}");
    });
}
