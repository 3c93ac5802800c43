//! The checks of the fuzz targets. `fuzz/` calls them with generated inputs, `corpus.rs` with the inputs kept in
//! `fuzz/corpus/`.

use std::borrow::Cow;
use std::sync::LazyLock;

use encoding_rs::{UTF_16LE, mem};
use leadbyte::{EditableOffsetMap, Implementation, Newlines, OffsetError, Unit};

use super::encode::{LATIN1, UCS2, UTF16, UTF32};
use super::offsets::{check_edited, check_map};
use super::pieces::{check_against_oracle, check_pieces, check_single_cuts, check_validator};
use super::single_byte::{Both, LABELS};
use super::{check_all, decode, on_every_implementation, parts, variants, with_every_implementation_active};

/// Panics if the functions disagree on an input.
type Check = fn(&[u8]);

/// The names of the targets, which their corpora share, and their checks.
pub const TARGETS: &[(&str, Check)] = &[
    ("validate", validate),
    ("pieces", pieces),
    ("transcode", transcode),
    ("repair", repair),
    ("variants", variants),
    ("offsets", offsets),
    #[cfg(feature = "detect")]
    ("detect", detect),
    #[cfg(all(feature = "detect", feature = "unicode"))]
    ("mojibake", mojibake),
    #[cfg(feature = "unicode")]
    ("audit", audit),
    #[cfg(feature = "bindings")]
    ("jsonl", jsonl),
];

/// Text to put before and after an input, so that a short input reaches the code for long data.
const FILLERS: [&str; 8] =
    ["a", "\n", "é", "€", "😀", "plain ASCII\n", "a\nб€😀", "é plain ASCII that continues for a while; "];

const MAX_FILLER_BYTES: usize = if cfg!(miri) { 128 } else { 1024 };

/// The filler that the high three bits of `byte` select: by the low five bits up to 16 times, or more bytes.
fn filler(byte: u8) -> String {
    let filler = FILLERS[usize::from(byte / 32)];
    filler.repeat(match usize::from(byte % 32) {
        count @ ..=16 => count,
        steps => (steps - 15) * (MAX_FILLER_BYTES / 16) / filler.len(),
    })
}

/// An input of a target: its first bytes are parameters.
struct Input<'a> {
    seed: u8,
    payload: &'a [u8],
    /// The payload between fillers.
    long: Vec<u8>,
}

impl<'a> Input<'a> {
    fn of(bytes: &'a [u8]) -> Option<Self> {
        let (&[seed, before, after], payload) = bytes.split_first_chunk()?;
        let long = [filler(before).as_bytes(), payload, filler(after).as_bytes()].concat();
        Some(Self { seed, payload, long })
    }
}

/// Each implementation against the definition and the standard library: validity, errors, counts and scan.
pub fn validate(bytes: &[u8]) {
    let Some(input) = Input::of(bytes) else { return };
    check_all(input.payload);
    check_all(&input.long);
}

/// The longest payload that is cut at every byte.
const MAX_CUT_BYTES: usize = 48;

/// Scanners and validators of pieces against scanners and validators of the whole: at every cut and at random cuts.
pub fn pieces(bytes: &[u8]) {
    let Some(Input { seed, payload, long }) = Input::of(bytes) else { return };
    let limit = usize::from(1 + seed % 4);
    let start = &payload[..payload.len().min(MAX_CUT_BYTES)];
    // Small pieces of the payload alone, as many pieces take long.
    let (data, size) = [(payload, 2), (payload, 5), (&*long, 40), (&*long, 700)][usize::from(seed / 4 % 4)];
    let random = random_pieces(data, seed.into(), size);
    with_every_implementation_active(|| {
        check_single_cuts(start, limit);
        check_against_oracle(&long, limit);
        check_pieces(&random, limit);
        check_validator(&random);
        for cut in 0..=start.len() {
            let (left, right) = start.split_at(cut);
            check_validator(&[left, right]);
        }
    });
}

/// Cuts `data` into pieces of at most `size` bytes, by Knuth's linear congruential generator.
fn random_pieces(data: &[u8], seed: u64, size: usize) -> Vec<&[u8]> {
    let (mut state, mut rest, mut pieces) = (seed, data, vec![]);
    while !rest.is_empty() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (piece, after) = rest.split_at(((state >> 33) as usize % (size + 1)).min(rest.len()));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// UTF-8 to and from UTF-16, UTF-32, Latin-1 and single-byte encodings, against the standard library and
/// encoding_rs.
pub fn transcode(bytes: &[u8]) {
    static PAGES: LazyLock<Vec<Both>> = LazyLock::new(|| LABELS.map(Both::new).into());
    let Some(Input { seed, payload, long }) = Input::of(bytes) else { return };
    for data in [payload, &long] {
        decode::check_called(data);
        check_beside_encoding_rs(data);
        if let Ok(text) = str::from_utf8(data) {
            decode::check(text);
        }
    }
    decode::check_any(payload, usize::from(seed) * payload.len() / 64);
    let text = String::from_utf8_lossy(&long);
    UTF16.check_long(&text.encode_utf16().collect::<Vec<_>>());
    UTF32.check_long(&text.chars().map(u32::from).collect::<Vec<_>>());
    LATIN1.check_long(&long);
    let units = utf16(payload);
    UCS2.check(&units);
    UTF16.check(&units);
    UTF32.check(
        &payload.as_chunks().0.iter().map(|&[a, b, c]| u32::from_be_bytes([0, a, b, c])).collect::<Vec<_>>(),
    );
    LATIN1.check(payload);
    let page = &PAGES[usize::from(seed) % PAGES.len()];
    page.check(payload);
    page.check_from_utf8(&String::from_utf8_lossy(payload));
}

/// Pairs of bytes as UTF-16 code units.
fn utf16(bytes: &[u8]) -> Vec<u16> {
    bytes.as_chunks().0.iter().map(|&pair| u16::from_be_bytes(pair)).collect()
}

/// The conversions for which encoding_rs has functions, from data of any kind.
fn check_beside_encoding_rs(data: &[u8]) {
    let mut units = vec![0; data.len() + 1];
    let utf16 =
        mem::convert_utf8_to_utf16_without_replacement(data, &mut units).map(|length| &units[..length]);
    let mut latin1 = vec![0; 2 * data.len()];
    let length = mem::convert_latin1_to_utf8(data, &mut latin1);
    on_every_implementation(|on| {
        let mut buffer = vec![0; data.len()];
        let decoded = on.utf8_to_utf16(data, &mut buffer).map(|length| &buffer[..length]);
        assert_eq!(decoded.ok(), utf16, "{} {data:02x?}", on.name());
        let mut buffer = vec![0; length];
        assert_eq!(on.latin1_to_utf8(data, &mut buffer), Ok(length), "{} {data:02x?}", on.name());
        assert_eq!(buffer, latin1[..length], "{} {data:02x?}", on.name());
        check_utf16_beside_encoding_rs(on, data);
    });
}

/// Pairs of bytes as UTF-16.
fn check_utf16_beside_encoding_rs(on: Implementation, data: &[u8]) {
    let units: Vec<u16> = data.as_chunks().0.iter().map(|&pair| u16::from_le_bytes(pair)).collect();
    let expected = UTF_16LE.decode_without_bom_handling_and_without_replacement(&data[..2 * units.len()]);
    let mut buffer = vec![0; 3 * units.len()];
    let encoded = on.utf16_to_utf8(&units, &mut buffer).map(|length| &buffer[..length]);
    assert_eq!(encoded.ok(), expected.as_deref().map(str::as_bytes), "{} {units:04x?}", on.name());
}

/// Repair against the definition and the standard library, and error spans under other replacements.
pub fn repair(bytes: &[u8]) {
    let Some(input) = Input::of(bytes) else { return };
    for data in [input.payload, &input.long] {
        let lossy = String::from_utf8_lossy(data);
        assert_eq!(repaired(data, "\u{FFFD}"), lossy.as_bytes(), "the oracles disagree about {data:02x?}");
        on_every_implementation(|on| {
            let name = on.name();
            let repaired_text = on.repair(data);
            assert_eq!(repaired_text, lossy, "{name} {data:02x?}");
            assert!(matches!(on.repair(repaired_text.as_bytes()), Cow::Borrowed(_)), "{name} {data:02x?}");
            for replacement in ["", "?", "<é€>"] {
                assert_eq!(
                    replaced(on, data, replacement),
                    repaired(data, replacement),
                    "{name} {data:02x?}"
                );
            }
        });
    }
}

/// `data` with each error replaced, by the definition.
fn repaired(data: &[u8], replacement: &str) -> Vec<u8> {
    let part = |part: super::Part| match part.content {
        Ok(_) => &data[part.start..part.end],
        Err(_) => replacement.as_bytes(),
    };
    parts(data).map(part).collect::<Vec<_>>().concat()
}

/// `data` with each error that an implementation finds replaced.
fn replaced(on: Implementation, data: &[u8], replacement: &str) -> Vec<u8> {
    let (mut out, mut at) = (vec![], 0);
    for error in on.iter_errors(data) {
        out.extend_from_slice(&data[at..error.start() as usize]);
        out.extend_from_slice(replacement.as_bytes());
        at = error.end() as usize;
    }
    out.extend_from_slice(&data[at..]);
    out
}

/// CESU-8, Modified UTF-8 and WTF-8 against their definition.
pub fn variants(bytes: &[u8]) {
    let Some(input) = Input::of(bytes) else { return };
    for data in [input.payload, &input.long] {
        variants::check(data);
        variants::check_units(&utf16(data));
        variants::check_units(&String::from_utf8_lossy(data).encode_utf16().collect::<Vec<_>>());
    }
}

/// The most edits of a text.
const MAX_EDITS: usize = 24;

/// Offset maps of a text, and of one that is edited, against a walk over the text.
pub fn offsets(bytes: &[u8]) {
    let Some(Input { seed, payload, long }) = Input::of(bytes) else { return };
    let newlines = if seed % 2 == 0 { Newlines::Universal } else { Newlines::Lf };
    let edits: Vec<_> = payload.as_chunks().0.iter().take(MAX_EDITS).collect();
    with_every_implementation_active(|| {
        check_map(payload, newlines, 1, 1 + payload.len() / 12);
        check_map(&long, newlines, 2, 1 + long.len() / 3);
        let mut map = EditableOffsetMap::with_newlines(&long[..], newlines);
        let mut text = long.clone();
        for &&[high, low, removed, inserted] in &edits {
            // Sometimes beyond the end, which is an error.
            let start = usize::from(u16::from_be_bytes([high, low])) % (text.len() + 2);
            let removed = usize::from(removed);
            let end = start + if removed < 192 { removed % 16 } else { 16 * (removed - 191) };
            let filler = filler(inserted);
            let data = match payload.get(usize::from(inserted)..) {
                Some(rest) => &rest[..rest.len().min(usize::from(inserted % 5))],
                None => filler.as_bytes(),
            };
            if end > text.len() {
                let offset = if start > text.len() { start } else { end };
                let error = OffsetError::OutOfRange { offset, unit: Unit::Byte, count: text.len() };
                assert_eq!(map.replace(start, end, data), Err(error));
                continue;
            }
            assert_eq!(map.replace(start, end, data), Ok(()));
            text.splice(start..end, data.iter().copied());
            assert_eq!([map.byte_count(), map.to_bytes().len()], [text.len(); 2]);
        }
        check_edited(&map, &text, newlines, 1 + text.len() / 4);
    });
}

/// The length of data that is repeated: work that grows with its square exceeds libFuzzer's time limit.
#[cfg(feature = "detect")]
const LONG_BYTES: usize = if cfg!(miri) { 256 } else { 128 << 10 };

/// The seed with which the payload is repeated.
#[cfg(feature = "detect")]
const LONG_SEED: u8 = 0xFF;

/// Repeats a payload.
#[cfg(feature = "detect")]
fn repeated(payload: &[u8]) -> Vec<u8> {
    payload.repeat(LONG_BYTES.div_ceil(payload.len().max(1)))
}

/// Detection: results that agree and hold for the data, and pieces against the whole.
#[cfg(feature = "detect")]
pub fn detect(bytes: &[u8]) {
    let Some(Input { seed, payload, long }) = Input::of(bytes) else { return };
    if seed == LONG_SEED {
        super::detect::check(&repeated(payload));
    }
    for data in [payload, &long] {
        super::detect::check(data);
        let size = [1, 7, 300, 1500][usize::from(seed % 4)];
        super::detect::check_pieces(&random_pieces(data, seed.into(), size));
    }
}

/// Encodings in which text is read by mistake.
#[cfg(all(feature = "detect", feature = "unicode"))]
const MISREAD_AS: [&encoding_rs::Encoding; 7] = [
    encoding_rs::WINDOWS_1252,
    encoding_rs::WINDOWS_1251,
    encoding_rs::WINDOWS_1250,
    encoding_rs::KOI8_R,
    encoding_rs::IBM866,
    encoding_rs::MACINTOSH,
    encoding_rs::WINDOWS_1254,
];

/// Mojibake: any text, and text that is decoded wrongly once or twice.
#[cfg(all(feature = "detect", feature = "unicode"))]
pub fn mojibake(bytes: &[u8]) {
    let Some(Input { seed, payload, long }) = Input::of(bytes) else { return };
    let read = |data: &[u8]| match MISREAD_AS.get(usize::from(seed / 4 % 8)) {
        None => String::from_utf8_lossy(data).into_owned(),
        Some(encoding) => {
            let once = encoding.decode_without_bom_handling(data).0;
            match seed % 4 {
                0 => MISREAD_AS[usize::from(seed / 32 % 7)]
                    .decode_without_bom_handling(once.as_bytes())
                    .0
                    .into(),
                _ => once.into_owned(),
            }
        }
    };
    if seed == LONG_SEED {
        super::mojibake::check(&read(&repeated(payload)));
    }
    for data in [payload, &long] {
        super::mojibake::check(&read(data));
    }
    super::mojibake::check_twice(&read(payload));
    super::mojibake::check_cells(&read(payload));
    super::mojibake::check_mixed(payload);
}

/// Pieces of texts with hidden characters, beside single bytes.
#[cfg(feature = "unicode")]
const HIDDEN: [&str; 40] = [
    "a",
    "0",
    " ",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "\0",
    "\x0C",
    "\x1B",
    "\x7F",
    "\u{85}",
    "\u{9F}",
    "\u{AD}",
    "я",
    "\u{61C}",
    "\u{200B}",
    "\u{200C}",
    "\u{200D}",
    "\u{200E}",
    "\u{202E}",
    "\u{202C}",
    "\u{2066}",
    "\u{2068}",
    "\u{2069}",
    "\u{2028}",
    "\u{FE0F}",
    "\u{FEFF}",
    "\u{FFFE}",
    "\u{FFF9}",
    "\u{E000}",
    "\u{378}",
    "\u{E0041}",
    "\u{E007F}",
    "\u{E0100}",
    "क\u{94D}",
    "می",
    "👩",
    "☂",
    "🏴",
];

/// Hidden characters: found as they are one by one, and not found any more once they were replaced.
#[cfg(feature = "unicode")]
pub fn audit(bytes: &[u8]) {
    let Some(Input { seed, payload, long }) = Input::of(bytes) else { return };
    let chosen = |&byte: &u8| HIDDEN[usize::from(byte) % HIDDEN.len()].as_bytes();
    match seed % 4 {
        0 => [payload, &long].into_iter().for_each(super::audit::check),
        1 => super::audit::check(
            &[long.as_slice(), &payload.iter().flat_map(chosen).copied().collect::<Vec<_>>()].concat(),
        ),
        _ => super::audit::check(&payload.iter().flat_map(chosen).copied().collect::<Vec<_>>()),
    }
}

/// JSON lines: any bytes, or pieces of records, against a naive search, and cut anywhere.
#[cfg(feature = "bindings")]
pub fn jsonl(bytes: &[u8]) {
    use super::jsonl::{PARTS, check};

    let Some(Input { seed, payload, long }) = Input::of(bytes) else { return };
    let parts = || payload.iter().flat_map(|&byte| PARTS[usize::from(byte) % PARTS.len()]).copied().collect();
    let data: Vec<u8> = match seed % 4 {
        0 => payload.into(),
        1 => long,
        _ => parts(),
    };
    let size = [1, 3, 16, 100][usize::from(seed / 4 % 4)];
    let replacement = ["\u{FFFD}", "", "?", "d800", "0", "u0000", "😀", "<é>"][usize::from(seed / 16 % 8)];
    check(&data, &random_pieces(&data, seed.into(), size), replacement);
}
