//! The report about bytes, as JSON.

use core::str;
use std::borrow::Cow;

use encoding_rs::Encoding;
use leadbyte::transcode::SingleByteEncoding;
use leadbyte::{Detection, mojibake, unicode};

use crate::json::Json;
use crate::rows::rows;

/// The most rows that are written.
const MAX_ROWS: usize = 500;
/// The most encodings that are written.
const MAX_ENCODINGS: usize = 5;
/// The most UTF-16 code units of a text that is shown in another encoding.
const MAX_SAMPLE: usize = 400;

/// The single-byte encodings that a text is tried in, by the labels of the Encoding Standard.
const SINGLE_BYTE: [&str; 25] = [
    "windows-1252",
    "windows-1251",
    "windows-1250",
    "windows-1253",
    "windows-1254",
    "windows-1255",
    "windows-1256",
    "windows-1257",
    "windows-1258",
    "iso-8859-2",
    "iso-8859-3",
    "iso-8859-4",
    "iso-8859-5",
    "iso-8859-6",
    "iso-8859-7",
    "iso-8859-8",
    "iso-8859-10",
    "iso-8859-13",
    "iso-8859-14",
    "iso-8859-15",
    "iso-8859-16",
    "koi8-r",
    "koi8-u",
    "ibm866",
    "macintosh",
];

/// Returns the report.
pub(crate) fn report(data: &[u8]) -> String {
    let mut json = Json::default();
    let text = str::from_utf8(data).ok();
    json.object(|json| {
        write_totals(json, data, text);
        json.name("encodings").array(|json| {
            for found in leadbyte::detect_all(data).iter().take(MAX_ENCODINGS) {
                write_detection(json, found, data);
            }
        });
        match text {
            Some(text) => {
                json.name("single_byte").array(|json| write_single_byte(json, text));
                json.name("mojibake");
                write_repair(json, text);
            }
            None => {
                json.name("single_byte").plain("null");
                json.name("mojibake").plain("null");
            }
        }
    });
    json.finish()
}

/// Writes the rows and the totals, with the names of `Explanation.as_dict` of the package.
fn write_totals(json: &mut Json, data: &[u8], text: Option<&str>) {
    let (mut count, mut chars, mut errors, mut units) = (0, 0_u64, 0_u64, 0_u64);
    json.name("rows").array(|json| {
        for row in rows(data) {
            match row.kind() {
                Some(_) => errors += 1,
                None => chars += 1,
            }
            units += row.utf16_count();
            if count < MAX_ROWS {
                row.write(json);
            }
            count += 1;
        }
    });
    json.name("rows_omitted").plain(count.saturating_sub(MAX_ROWS));
    json.name("char_count").plain(chars);
    json.name("error_count").plain(errors);
    json.name("utf8_length").plain(data.len());
    json.name("utf16_length").plain(2 * units);
    json.name("utf32_length").plain(4 * chars);
    json.name("newline_count").plain(leadbyte::count_newlines(data));
    json.name("grapheme_count").optional_plain(text.map(unicode::count_graphemes));
}

fn write_detection(json: &mut Json, found: &Detection, data: &[u8]) {
    json.object(|json| {
        json.name("kind").string(found.kind);
        json.name("encoding").optional(found.encoding);
        json.name("percent").plain(found.percent);
        json.name("language").optional(found.language);
        json.name("text").optional(found.encoding.and_then(|name| sample(name, data)));
    });
}

/// Returns the start of the text of `data` in an encoding, by Python's name; `None` if the Encoding Standard does not
/// have the encoding.
fn sample(name: &str, data: &[u8]) -> Option<String> {
    let label = match name {
        "utf-8-sig" => "utf-8",
        "cp932" => "shift_jis",
        "cp949" => "euc-kr",
        "cp950" => "big5",
        "mac-cyrillic" => "x-mac-cyrillic",
        _ => name,
    };
    // By UTF-16, for which the crate has the decoders anyway.
    let mut decoder = Encoding::for_label(label.as_bytes())?.new_decoder_with_bom_removal();
    let mut units = [0; MAX_SAMPLE];
    let (_, _, written, _) = decoder.decode_to_utf16(data, &mut units, true);
    Some(String::from_utf16_lossy(&units[..written]))
}

/// Writes the single-byte encodings that have all characters of the text.
fn write_single_byte(json: &mut Json, text: &str) {
    for label in SINGLE_BYTE {
        let encoding = Encoding::for_label(label.as_bytes()).and_then(SingleByteEncoding::of);
        let has = |character: char| {
            character.is_ascii() || encoding.is_some_and(|it| it.byte_of(character).is_some())
        };
        if text.chars().all(has) {
            json.string(label);
        }
    }
}

/// Writes the repaired text and the steps of the repair, or `null` if there is nothing to repair.
fn write_repair(json: &mut Json, text: &str) {
    let repair = mojibake::explain(text);
    let Cow::Owned(repaired) = &repair.text else { return json.plain("null") };
    json.object(|json| {
        json.name("text").string(repaired);
        json.name("steps").array(|json| {
            for reading in repair.stretches.iter().flat_map(|stretch| &stretch.readings) {
                json.object(|json| {
                    json.name("encoding").string(reading.encoding);
                    json.name("misread_as").string(reading.misread_as);
                });
            }
        });
    });
}
