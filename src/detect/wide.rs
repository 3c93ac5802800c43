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

/// Returns the cost of a text in bits per byte of its data.
fn bits_per_byte(chars: impl Iterator<Item = char>, data: &[u8]) -> f32 {
    let (mut score, mut doubled) = (LanguageScore::new(), 0.0);
    for character in chars {
        if is_doubled(character) { doubled += DOUBLED_BITS } else { score.add_char(character) }
    }
    (score.bits() + doubled) / data.len() as f32
}

/// The cost in bits of a character of which both bytes are the same printable one of ASCII. Data with many of these is
/// padded with spaces, or has lines of hyphens.
const DOUBLED_BITS: f32 = 20.0;

fn is_doubled(character: char) -> bool {
    u16::try_from(u32::from(character))
        .is_ok_and(|unit| matches!(unit.to_be_bytes(), [high, low @ b' '..=b'~'] if high == low))
}

/// The number of bytes at the start, and in the middle, from which the scheme is guessed.
const SAMPLE_BYTES: usize = 256;
/// The highest cost of a text in bits per code unit. A wrong scheme costs more than any letter.
const MAX_BITS_PER_UNIT: f32 = 13.0;

/// Returns the scheme that gives the most likely text of data without a byte order mark, and its cost in bits per byte;
/// `None` if none gives a text, or the bytes themselves are a more likely one.
pub(super) fn guess(data: &[u8]) -> Option<(Scheme, f32)> {
    let length = data.len().min(SAMPLE_BYTES);
    let middle = data.len() / 2 / 4 * 4;
    let parts = [&data[..length], &data[middle..data.len().min(middle + length)]];
    let of_bytes = parts.map(|part| bits_per_byte(part.iter().map(|&byte| char::from(byte)), part));
    Scheme::WIDE
        .into_iter()
        .filter(|scheme| data.len() >= 2 * scheme.unit_bytes())
        .filter_map(|scheme| {
            let unit_bytes = scheme.unit_bytes();
            let of_units = parts.map(|part| {
                let units = &part[..part.len() - part.len() % unit_bytes];
                let chars =
                    scheme.chars(units).map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER));
                bits_per_byte(chars, units)
            });
            let bits = of_units[0].max(of_units[1]);
            let is_text = bits * (unit_bytes as f32) < MAX_BITS_PER_UNIT
                && of_units[0] < of_bytes[0]
                && of_units[1] < of_bytes[1]
                && is_well_formed(scheme, complete(scheme, &data[..length]));
            is_text.then_some((scheme, bits))
        })
        .min_by(|(_, one), (_, other)| one.total_cmp(other))
}
