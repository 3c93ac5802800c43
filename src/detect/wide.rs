//! UTF-16 and UTF-32 without a byte order mark, by their structure.

use crate::encodings::scheme::Scheme;
use crate::language::LanguageScore;
use crate::simd::dispatch::Implementation;

/// Returns whether `data`, which may begin and end between any code units, is well-formed.
pub(super) fn is_well_formed(scheme: Scheme, data: &[u8]) -> bool {
    scheme.well_formed_up_to(Implementation::active(), data) == data.len()
}

/// Returns the part of `data` before a character that is incomplete at its end.
pub(super) fn complete(scheme: Scheme, data: &[u8]) -> &[u8] {
    &data[..data.len() - scheme.incomplete_suffix(data)]
}

/// Returns the cost of the text of `data` in bits.
fn bits(scheme: Scheme, data: &[u8]) -> f32 {
    let mut score = LanguageScore::new();
    for character in scheme.chars(data) {
        score.add_char(character.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    score.bits()
}

/// The number of bytes at the start, and in the middle, from which the scheme is guessed.
const SAMPLE_BYTES: usize = 256;
/// The highest cost of a text in bits per code unit. A wrong scheme costs more than any letter.
const MAX_BITS_PER_UNIT: f32 = 13.0;

/// Returns the scheme that gives the most likely text of data without a byte order mark, and its cost in bits per byte;
/// `None` if none gives a text.
pub(super) fn guess(data: &[u8]) -> Option<(Scheme, f32)> {
    let length = data.len().min(SAMPLE_BYTES);
    let middle = data.len() / 2 / 4 * 4;
    let parts = [&data[..length], &data[middle..data.len().min(middle + length)]];
    Scheme::WIDE
        .into_iter()
        .filter(|scheme| data.len() >= 2 * scheme.unit_bytes())
        .filter_map(|scheme| {
            let unit_bytes = scheme.unit_bytes();
            let [first, second] =
                parts.map(|part| bits(scheme, part) / (part.len() - part.len() % unit_bytes) as f32);
            let bits = first.max(second);
            let is_text = bits * (unit_bytes as f32) < MAX_BITS_PER_UNIT
                && is_well_formed(scheme, complete(scheme, &data[..length]));
            is_text.then_some((scheme, bits))
        })
        .min_by(|(_, one), (_, other)| one.total_cmp(other))
}
