//! Single-byte encodings to UTF-8 and from it. What an encoding does not have is left out of the texts.
//!
//! Speeds count the bytes in UTF-8, and so do sizes. Ours validates and computes the length
//! first, and fills a buffer of exactly that length; the peer is given a longer one.

use std::rc::Rc;

use encoding_rs::{DecoderResult, EncoderResult, Encoding};
use leadbyte::transcode::SingleByteEncoding;

use super::job::Job;
use crate::contestants::{Contestant, Conversion};
use crate::pool::{Pool, Shape};

const SIZES: &[(&str, Shape)] =
    &[("1KiB", Shape::Slices(1 << 10)), ("64KiB", Shape::Slices(64 << 10)), ("1MiB", Shape::Slices(1 << 20))];

/// The most bytes of UTF-8 for a byte of these encodings. The peer stops where the rest of its buffer may be too short.
const MAX_BYTES_PER_BYTE: usize = 3;

/// Encodings, each with its jobs in both directions and with the text that it is made for.
macro_rules! pages {
    ($($encoding:ident $to:literal $from:literal $text:literal,)*) => {
        pub const ALL: &[Job] = &[
            $(Job {
                takes: |name| name == $text,
                ..Job::new($to, SIZES, |pool| to_utf8(encoding_rs::$encoding, &pool))
            },)*
            $(Job {
                takes: |name| name == $text,
                ..Job::new($from, SIZES, |pool| from_utf8(encoding_rs::$encoding, &pool))
            },)*
        ];
    };
}
pages! {
    WINDOWS_1252 "windows-1252-to-utf8" "windows-1252-from-utf8" "french",
    ISO_8859_15 "iso-8859-15-to-utf8" "iso-8859-15-from-utf8" "french",
    MACINTOSH "macintosh-to-utf8" "macintosh-from-utf8" "french",
    WINDOWS_1251 "windows-1251-to-utf8" "windows-1251-from-utf8" "russian",
    KOI8_R "koi8-r-to-utf8" "koi8-r-from-utf8" "russian",
    KOI8_U "koi8-u-to-utf8" "koi8-u-from-utf8" "russian",
    IBM866 "ibm866-to-utf8" "ibm866-from-utf8" "russian",
    ISO_8859_5 "iso-8859-5-to-utf8" "iso-8859-5-from-utf8" "russian",
    WINDOWS_1253 "windows-1253-to-utf8" "windows-1253-from-utf8" "greek",
    WINDOWS_1255 "windows-1255-to-utf8" "windows-1255-from-utf8" "hebrew",
    WINDOWS_1256 "windows-1256-to-utf8" "windows-1256-from-utf8" "arabic",
    WINDOWS_874 "windows-874-to-utf8" "windows-874-from-utf8" "thai",
}

/// Returns the slices in an encoding, and in UTF-8.
fn texts(encoding: &'static Encoding, single_byte: &SingleByteEncoding, pool: &Pool) -> [Rc<Pool>; 2] {
    let text = pool.map(|slice| {
        let text = String::from_utf8_lossy(slice);
        let known = text.chars().filter(|&character| single_byte.byte_of(character).is_some());
        known.collect::<String>().into_bytes()
    });
    let in_encoding = text.map(|slice| encoding.encode(&String::from_utf8_lossy(slice)).0.into_owned());
    [in_encoding.into(), text.into()]
}

/// Returns the most bytes that the result of a slice may have.
fn max_length(data: &Pool) -> usize {
    MAX_BYTES_PER_BYTE * data.slices().map(<[u8]>::len).max().unwrap_or(0)
}

fn to_utf8(encoding: &'static Encoding, pool: &Pool) -> Vec<Contestant> {
    let Some(single_byte) = SingleByteEncoding::of(encoding) else { return vec![] };
    let [data, text] = texts(encoding, single_byte, pool);
    let conversion = Conversion::new(&data, &text, text.bytes).with_spare_capacity(max_length(&data));
    let mut all = conversion.ours(
        |data, output| single_byte.to_utf8(data, output).unwrap_or(0),
        |set, data, output| single_byte.to_utf8_by(set, data, output).unwrap_or(0),
    );
    all.push(conversion.one("encoding_rs", |data, output| {
        let mut decoder = encoding.new_decoder_without_bom_handling();
        match decoder.decode_to_utf8_without_replacement(data, output, true) {
            (DecoderResult::InputEmpty, _, written) => written,
            _ => 0,
        }
    }));
    all
}

fn from_utf8(encoding: &'static Encoding, pool: &Pool) -> Vec<Contestant> {
    let Some(single_byte) = SingleByteEncoding::of(encoding) else { return vec![] };
    let [data, text] = texts(encoding, single_byte, pool);
    let conversion = Conversion::new(&text, &data, text.bytes).with_spare_capacity(max_length(&data));
    let mut all = conversion.ours(
        |text, output| single_byte.from_utf8(text, output).unwrap_or(0),
        |set, text, output| single_byte.from_utf8_by(set, text, output).unwrap_or(0),
    );
    all.push(conversion.one("encoding_rs", |text, output| {
        // SAFETY: slices of text are valid, since they are slices of a string.
        let text = unsafe { str::from_utf8_unchecked(text) };
        let mut encoder = encoding.new_encoder();
        match encoder.encode_from_utf8_without_replacement(text, output, true) {
            (EncoderResult::InputEmpty, _, written) => written,
            _ => 0,
        }
    }));
    all
}
