//! The language of detected text, from a sample of it.

use super::Detection;
use super::escapes::Escapes;
use super::legacy;
use super::sample::is_end;
use crate::encodings::scheme::Scheme;
use crate::language::LanguageScore;

/// The number of bytes at the start, and in the middle, from which the language is determined. A multiple of all code
/// units.
const PART_BYTES: usize = 256;

/// Returns the part of data from which [`of`] determines the language.
pub fn sample(data: &[u8]) -> Box<[u8]> {
    match data.split_at_checked(2 * PART_BYTES) {
        None | Some((_, [])) => data.into(),
        Some((start, _)) => {
            let middle = &data[data.len() / 2 / 4 * 4..];
            [&start[..PART_BYTES], &middle[..PART_BYTES]].concat().into()
        }
    }
}

/// Returns the BCP 47 tag of the language of data in a detected encoding; `None` if nothing indicates a language.
pub fn of(found: &Detection, data: &[u8]) -> Option<&'static str> {
    let encoding = found.encoding?;
    if let Some(language) = Escapes::language(encoding) {
        return Some(language);
    }
    let mut score = LanguageScore::new();
    for (number, part) in sample(data).chunks(PART_BYTES).enumerate() {
        match scheme_of(encoding, data) {
            Some(scheme) => scheme.chars(part).flatten().for_each(|character| score.add_char(character)),
            None => {
                // A part from the middle may start inside a character, but not after the end of a word.
                let start = if number == 0 { None } else { part.iter().position(is_end) };
                let candidate = legacy::candidate(encoding)?;
                candidate.decode(&part[start.unwrap_or(0)..], |character| score.add_char(character));
            }
        }
    }
    score.language()
}

/// Returns the scheme of an encoding with which data was detected; `None` for a legacy encoding.
fn scheme_of(encoding: &str, data: &[u8]) -> Option<Scheme> {
    let by_bom = |bytes| {
        Scheme::WIDE.into_iter().find(|scheme| scheme.unit_bytes() == bytes && data.starts_with(scheme.bom()))
    };
    match encoding {
        "ascii" | "utf-8" | "utf-8-sig" => Some(Scheme::Utf8),
        "utf-16" => by_bom(2),
        "utf-32" => by_bom(4),
        _ => Scheme::WIDE.into_iter().find(|scheme| scheme.name() == Some(encoding)),
    }
}
