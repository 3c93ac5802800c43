//! Python's codec of a legacy encoding: how far it decodes some data, and by which name it has all characters.

use encoding_rs::{BIG5, DecoderResult, EUC_JP, Encoding, GB18030};

use super::legacy::{Candidate, Definition};
use super::validity::Ending;
use crate::encodings::johab;
use crate::progress::{Poll, Stopped};
use crate::sequence::boundary::CHUNK_BYTES;

impl Candidate {
    /// Returns how far Python's codec decodes the data.
    pub(super) fn ending(&self, data: &[u8], poll: Poll<'_>) -> Result<Ending, Stopped> {
        if self.is_whatwg_only(data) {
            return Ok(Ending::Malformed);
        }
        let mut check = self.check();
        for step in data.chunks(CHUNK_BYTES) {
            if !check.update(step) {
                return Ok(Ending::Malformed);
            }
            poll()?;
        }
        Ok(if check.is_finished() { Ending::Complete } else { Ending::Truncated })
    }

    fn check(&self) -> Check {
        match self.definition {
            Definition::MultiByte(encoding) => Check::multi_byte(encoding),
            Definition::Johab => Check::Johab(johab::Decoder::default()),
            Definition::Ebcdic(table) => Check::undefined((0..=u8::MAX).zip(table.chars())),
            Definition::SingleByte(high) => Check::undefined((0x80..=u8::MAX).zip(high.python_chars())),
        }
    }

    /// Returns whether the data has a byte that is a euro sign in the Encoding Standard and undefined in Python.
    fn is_whatwg_only(&self, data: &[u8]) -> bool {
        self.standard() == Some(GB18030)
            && memchr::memchr(0x80, data).is_some()
            && leads(data).any(|(lead, _)| lead == 0x80)
    }

    /// Returns the name of the codec of the family that has the characters of the data, and whether it has all of them:
    /// Python lacks some of Hong Kong's, and some that NEC and IBM added to Japan's.
    pub(super) fn name_for(&self, data: &[u8]) -> (&'static str, bool) {
        if self.standard() == Some(BIG5) && is_hkscs(data) {
            return ("big5hkscs", false);
        }
        if self.standard() == Some(BIG5) {
            let lacking = |pair| matches!(pair, (0xA3, 0xC0..=0xE0 | 0xE2..) | (0xC7, 0xFD..) | (0xC8, _));
            return (self.name, !leads(data).any(lacking));
        }
        if self.standard() == Some(EUC_JP) && leads(data).any(|(lead, _)| matches!(lead, 0xAD | 0xF9..)) {
            return ("euc_jis_2004", false);
        }
        (self.name, true)
    }
}

/// Returns whether Big5 data has characters that only Big5-HKSCS has, or kana and Cyrillic where that has them: in C6E7
/// to C8FE, two dozen places after their bytes in the older layout.
fn is_hkscs(data: &[u8]) -> bool {
    let (mut older, mut newer, mut other) = (0, 0, 0);
    for (lead, trail) in leads(data) {
        match u16::from_be_bytes([lead, trail]) {
            0xA100..0xC6A1 | 0xC900..0xF9D6 => {}
            0xC6A1..0xC6E7 => older += 1,
            0xC6E7..0xC77B | 0xC7F3..0xC900 => newer += 1,
            0xC77B..0xC7F3 => {}
            _ => other += 1,
        }
    }
    other > 0 || newer > 4 * older
}

/// Returns the lead and trail bytes of all two-byte characters.
fn leads(mut data: &[u8]) -> impl Iterator<Item = (u8, u8)> {
    core::iter::from_fn(move || {
        let at = data.iter().position(|byte| !byte.is_ascii())?;
        let pair = (data[at], data.get(at + 1).copied().unwrap_or_default());
        data = data.get(at + 2..).unwrap_or_default();
        Some(pair)
    })
}

/// A check, piece by piece, of whether Python's codec decodes some data.
enum Check {
    /// The undefined bytes of a single-byte encoding.
    SingleByte(Vec<u8>),
    MultiByte {
        decoder: Box<encoding_rs::Decoder>,
        out: Box<[u16; 4096]>,
    },
    Johab(johab::Decoder),
}

impl Check {
    /// Creates the check of a single-byte encoding from its bytes and their characters.
    fn undefined(chars: impl Iterator<Item = (u8, Option<char>)>) -> Self {
        Self::SingleByte(chars.filter(|(_, known)| known.is_none()).map(|(byte, _)| byte).collect())
    }

    /// Creates the check of a multi-byte encoding.
    fn multi_byte(encoding: &'static Encoding) -> Self {
        Self::MultiByte {
            decoder: Box::new(encoding.new_decoder_without_bom_handling()),
            out: Box::new([0; 4096]),
        }
    }

    /// Takes the next bytes. Returns whether they are valid.
    fn update(&mut self, step: &[u8]) -> bool {
        match self {
            Self::SingleByte(undefined) => match undefined[..] {
                [] => true,
                [only] => memchr::memchr(only, step).is_none(),
                _ => {
                    let mut seen = [false; 256];
                    for &byte in step {
                        seen[usize::from(byte)] = true;
                    }
                    !undefined.iter().any(|&byte| seen[usize::from(byte)])
                }
            },
            Self::Johab(decoder) => step.iter().all(|&byte| decoder.push(byte) != johab::Step::Malformed),
            Self::MultiByte { decoder, out } => {
                let mut rest = step;
                loop {
                    let (result, read, _) =
                        decoder.decode_to_utf16_without_replacement(rest, &mut out[..], false);
                    if matches!(result, DecoderResult::Malformed(..)) {
                        return false;
                    }
                    rest = &rest[read..];
                    if result == DecoderResult::InputEmpty {
                        return true;
                    }
                }
            }
        }
    }

    /// Returns whether the data does not end inside a character.
    fn is_finished(&mut self) -> bool {
        match self {
            Self::SingleByte(_) => true,
            Self::Johab(decoder) => decoder.is_finished(),
            Self::MultiByte { decoder, out, .. } => {
                let (result, ..) = decoder.decode_to_utf16_without_replacement(b"", &mut out[..], true);
                result == DecoderResult::InputEmpty
            }
        }
    }
}
