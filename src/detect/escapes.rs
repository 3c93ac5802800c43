//! Encodings of seven bits: ASCII with sequences that switch to character sets of two bytes a character, and back:
//! ISO-2022-JP (RFC 1468, 1554 and 2237, JIS X 0213), ISO-2022-KR (RFC 1557) and HZ (RFC 1843).

use encoding_rs::{DecoderResult, EUC_JP, EUC_KR, Encoding, GBK};

use super::validity::Ending;
use crate::language::LanguageScore;
use crate::progress::{Poll, Stopped};
use crate::sequence::boundary::CHUNK_BYTES;

/// An encoding of seven bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Escapes {
    family: Family,
    name: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Japanese,
    Korean,
    Hz,
}

/// A character set. Those with a table here are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CharacterSet {
    Ascii,
    Katakana,
    Jis0208,
    Jis0212,
    Gb2312,
    Ksx1001,
    /// JIS X 0213: its first plane of 2000 and of 2004, and its second.
    Jis0213,
    Jis0213Of2004,
    Jis0213Second,
    /// The right halves of ISO 8859-1 and 8859-7, and the sequence before a character of them.
    Latin1,
    Greek,
    SingleShift,
    /// What follows an incomplete sequence at the end, or another one.
    Incomplete,
    Unknown,
}

const ESC: u8 = 0x1B;
const SHIFT_OUT: u8 = 0x0E;
const SHIFT_IN: u8 = 0x0F;
/// At the start of ISO-2022-KR.
const KOREAN_HEADER: &[u8] = b"\x1B$)C";

/// What follows ESC in ISO-2022-JP, and the set to which it switches.
const DESIGNATIONS: [(&[u8], CharacterSet); 14] = [
    (b"(B", CharacterSet::Ascii),
    (b"(J", CharacterSet::Ascii),
    (b"(I", CharacterSet::Katakana),
    (b"$@", CharacterSet::Jis0208),
    (b"$B", CharacterSet::Jis0208),
    (b"$(D", CharacterSet::Jis0212),
    (b"$A", CharacterSet::Gb2312),
    (b"$(C", CharacterSet::Ksx1001),
    (b"$(O", CharacterSet::Jis0213),
    (b"$(Q", CharacterSet::Jis0213Of2004),
    (b"$(P", CharacterSet::Jis0213Second),
    (b".A", CharacterSet::Latin1),
    (b".F", CharacterSet::Greek),
    (b"N", CharacterSet::SingleShift),
];

/// Python's codecs for ISO-2022-JP, the most usual first, and the sets that they have beside ASCII and JIS X 0208.
const JAPANESE: [(&str, &[CharacterSet]); 5] = [
    ("iso2022_jp", &[]),
    ("iso2022_jp_ext", &[CharacterSet::Katakana, CharacterSet::Jis0212]),
    (
        "iso2022_jp_2",
        &[
            CharacterSet::Jis0212,
            CharacterSet::Gb2312,
            CharacterSet::Ksx1001,
            CharacterSet::Latin1,
            CharacterSet::Greek,
            CharacterSet::SingleShift,
        ],
    ),
    ("iso2022_jp_3", &[CharacterSet::Jis0213, CharacterSet::Jis0213Second]),
    ("iso2022_jp_2004", &[CharacterSet::Jis0213Of2004, CharacterSet::Jis0213Second]),
];
const KOREAN: &str = "iso2022_kr";
const HZ: &str = "hz";

impl Escapes {
    pub(super) const NAMES: [&str; 7] =
        [JAPANESE[0].0, JAPANESE[1].0, JAPANESE[2].0, JAPANESE[3].0, JAPANESE[4].0, KOREAN, HZ];

    /// Examines ASCII; `None` if nothing switches to another character set.
    pub(super) fn of(data: &[u8]) -> Option<Self> {
        if memchr::memchr(ESC, data).is_none() {
            let found = Self { family: Family::Hz, name: HZ };
            return found.is_probable_hz(data).then_some(found);
        }
        let before_shift = memchr::memchr(SHIFT_OUT, data).map_or(data, |end| &data[..end]);
        if memchr::memmem::find(before_shift, KOREAN_HEADER).is_some() {
            return Some(Self { family: Family::Korean, name: KOREAN });
        }
        let mut used: Vec<CharacterSet> = vec![];
        for (set, _) in Runs::of(Family::Japanese, data) {
            if !used.contains(&set) {
                used.push(set);
            }
        }
        let usual = [CharacterSet::Ascii, CharacterSet::Jis0208, CharacterSet::Incomplete];
        let switches = |set: &CharacterSet| !matches!(set, CharacterSet::Ascii | CharacterSet::Incomplete);
        if used.contains(&CharacterSet::Unknown) || !used.iter().any(switches) {
            return None;
        }
        let has_all =
            |sets: &[CharacterSet]| used.iter().all(|set| usual.contains(set) || sets.contains(set));
        let (name, _) = JAPANESE.iter().find(|(_, sets)| has_all(sets)).unwrap_or(&JAPANESE[0]);
        Some(Self { family: Family::Japanese, name })
    }

    /// Returns the name of Python's codec.
    pub(super) fn name(self) -> &'static str {
        self.name
    }

    /// Returns the BCP 47 tag of the language for which an encoding of seven bits was made.
    pub fn language(name: &str) -> Option<&'static str> {
        match name {
            KOREAN => Some("ko"),
            HZ => Some("zh-Hans"),
            _ => Self::NAMES.contains(&name).then_some("ja"),
        }
    }

    /// Returns how far Python's codec decodes the data.
    pub(super) fn ending(self, data: &[u8], poll: Poll<'_>) -> Result<Ending, Stopped> {
        let (mut ending, mut done) = (Ending::Complete, 0);
        // In ISO-2022-JP, controls are in all sets.
        let is_control = |byte: &u8| self.family == Family::Japanese && *byte < b' ';
        let runs = Runs::of(self.family, data)
            .flat_map(|(set, run)| run.split(is_control).map(move |run| (set, run)));
        for (set, run) in runs {
            if ending != Ending::Complete {
                return Ok(Ending::Malformed);
            }
            for part in run.chunks(CHUNK_BYTES) {
                ending = set.ending(part);
                if ending == Ending::Malformed {
                    return Ok(ending);
                }
                done += part.len();
                if done >= CHUNK_BYTES {
                    done = 0;
                    poll()?;
                }
            }
            match set {
                CharacterSet::Ascii => ending = self.family.ascii_ending(run),
                CharacterSet::Incomplete => ending = Ending::Truncated,
                _ if self.has(set) && set.is_checked() => {}
                _ => ending = Ending::Malformed,
            }
        }
        Ok(ending)
    }

    /// Returns whether Python's codec has a set.
    fn has(self, set: CharacterSet) -> bool {
        let of_japanese = JAPANESE.iter().find(|(name, _)| *name == self.name);
        of_japanese.is_none_or(|(_, sets)| set == CharacterSet::Jis0208 || sets.contains(&set))
    }

    /// Returns whether ASCII has text between `~{` and `~}` that is more probable as Chinese.
    fn is_probable_hz(self, data: &[u8]) -> bool {
        let Some((_, run)) = Runs::of(self.family, data).find(|(set, _)| *set == CharacterSet::Gb2312) else {
            return false;
        };
        let run = &run[..run.len().min(2 * SAMPLE_PAIRS)];
        let bits = |text: &mut dyn Iterator<Item = char>| {
            let mut score = LanguageScore::new();
            text.for_each(|character| score.add_char(character));
            score.bits()
        };
        let pairs: Vec<u8> = run.iter().map(|byte| byte | 0x80).collect();
        let (chinese, _) = GBK.decode_without_bom_handling(&pairs);
        run.len() >= 2 && bits(&mut chinese.chars()) < bits(&mut run.iter().map(|&byte| char::from(byte)))
    }
}

impl Family {
    /// Returns how far Python's codec decodes a run of ASCII.
    fn ascii_ending(self, run: &[u8]) -> Ending {
        let rest = match self {
            Self::Japanese => None,
            Self::Korean => memchr::memchr_iter(ESC, run)
                .map(|start| &run[start..])
                .find(|rest| !rest.starts_with(KOREAN_HEADER)),
            Self::Hz => lone_tilde(run).map(|start| &run[start..]),
        };
        let is_cut = |rest: &[u8]| KOREAN_HEADER.starts_with(rest) || rest == b"~";
        rest.map_or(Ending::Complete, |rest| if is_cut(rest) { Ending::Truncated } else { Ending::Malformed })
    }
}

/// Returns the place of the first tilde in HZ that is neither doubled nor before a line feed.
fn lone_tilde(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr(b'~', &text[at..])?;
        match text.get(at + 1) {
            Some(b'~' | b'\n') => at += 2,
            _ => return Some(at),
        }
    }
}

/// The number of characters from which HZ is recognized.
const SAMPLE_PAIRS: usize = 256;

/// Divides data into runs of one character set.
struct Runs<'a> {
    family: Family,
    rest: &'a [u8],
}

impl<'a> Runs<'a> {
    fn of(family: Family, data: &'a [u8]) -> Self {
        Self { family, rest: data }
    }

    /// Takes bytes up to the first of `ends`, or all.
    fn take_until(&mut self, end: Option<usize>) -> &'a [u8] {
        let (run, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        run
    }

    /// Takes a prefix; returns whether it was there.
    fn take(&mut self, prefix: &[u8]) -> bool {
        self.rest.strip_prefix(prefix).map(|rest| self.rest = rest).is_some()
    }
}

impl<'a> Iterator for Runs<'a> {
    /// A set, and bytes in it without the sequences around them.
    type Item = (CharacterSet, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let family = self.family;
        let set = match family {
            Family::Japanese if self.take(&[ESC]) => {
                let rest = self.rest;
                match DESIGNATIONS.iter().find(|(sequence, _)| self.take(sequence)) {
                    Some(&(_, set)) => set,
                    None if DESIGNATIONS.iter().any(|(sequence, _)| sequence.starts_with(rest)) => {
                        CharacterSet::Incomplete
                    }
                    None => CharacterSet::Unknown,
                }
            }
            Family::Korean if self.take(&[SHIFT_OUT]) => CharacterSet::Ksx1001,
            Family::Hz if self.take(b"~{") => CharacterSet::Gb2312,
            _ => CharacterSet::Ascii,
        };
        let rest = self.rest;
        let end = match (self.family, set) {
            (Family::Japanese, _) => memchr::memchr(ESC, rest),
            (Family::Korean, CharacterSet::Ascii) => memchr::memchr(SHIFT_OUT, rest),
            (Family::Korean, _) => memchr::memchr2(SHIFT_IN, b'\n', rest),
            (Family::Hz, CharacterSet::Ascii) => {
                lone_tilde(rest).filter(|&at| rest[at + 1..].starts_with(b"{"))
            }
            // The second byte of a pair can be a tilde.
            (Family::Hz, _) => {
                let is_end = |pair: &[u8]| matches!(pair, [b'~' | b'\n', ..]);
                rest.chunks(2).position(is_end).map(|pairs| 2 * pairs)
            }
        };
        let run = self.take_until(end);
        match (self.family, set) {
            (Family::Korean, CharacterSet::Ksx1001) => drop(self.take(&[SHIFT_IN])),
            (Family::Hz, CharacterSet::Gb2312) if !self.rest.is_empty() && !self.take(b"~}") => {
                return Some((CharacterSet::Unknown, run));
            }
            _ => {}
        }
        Some((set, run))
    }
}

impl CharacterSet {
    /// Returns whether there is a table of the set here.
    fn is_checked(self) -> bool {
        matches!(
            self,
            Self::Ascii | Self::Katakana | Self::Jis0208 | Self::Jis0212 | Self::Gb2312 | Self::Ksx1001
        )
    }

    /// Returns how far bytes are characters of the set.
    fn ending(self, run: &[u8]) -> Ending {
        let lead = |encoding, prefix: &'static [u8]| self.pairs_ending(run, encoding, prefix);
        match self {
            Self::Ascii | Self::Incomplete => Ending::Complete,
            Self::Katakana if run.iter().all(|byte| (0x21..0x60).contains(byte)) => Ending::Complete,
            Self::Jis0208 => lead(EUC_JP, &[]),
            Self::Jis0212 => lead(EUC_JP, &[0x8F]),
            Self::Gb2312 => lead(GBK, &[]),
            Self::Ksx1001 => lead(EUC_KR, &[]),
            _ => Ending::Malformed,
        }
    }

    /// Returns how far pairs of bytes, in an encoding that sets their high bits, are characters of the set.
    fn pairs_ending(self, run: &[u8], encoding: &'static Encoding, prefix: &[u8]) -> Ending {
        let pairs = run.chunks_exact(2);
        let odd = !pairs.remainder().is_empty();
        let mut units = [0; PAIRS_AT_ONCE + 2];
        let mut bytes = Vec::with_capacity(PAIRS_AT_ONCE * 3);
        for part in run[..run.len() - usize::from(odd)].chunks(2 * PAIRS_AT_ONCE) {
            bytes.clear();
            for pair in part.chunks_exact(2) {
                let &[lead, trail] = pair else { continue };
                if !self.has(lead, trail) {
                    return Ending::Malformed;
                }
                bytes.extend_from_slice(prefix);
                bytes.extend([lead | 0x80, trail | 0x80]);
            }
            let mut decoder = encoding.new_decoder_without_bom_handling();
            let (result, ..) = decoder.decode_to_utf16_without_replacement(&bytes, &mut units, true);
            if result != DecoderResult::InputEmpty {
                return Ending::Malformed;
            }
        }
        if odd { Ending::Truncated } else { Ending::Complete }
    }

    /// Returns whether a pair is not one of those that only the Encoding Standard has.
    fn has(self, lead: u8, trail: u8) -> bool {
        let last = match (self, lead) {
            (Self::Jis0208, 0x2D | 0x79..=0x7C) => 0,
            (Self::Gb2312, 0x21 | 0x23 | 0x30..=0x56 | 0x58..=0x77) => 0x7E,
            (Self::Gb2312, 0x24) => 0x73,
            (Self::Gb2312, 0x25) => 0x76,
            (Self::Gb2312, 0x57) => 0x79,
            (Self::Gb2312, _) => 0,
            _ => 0x7E,
        };
        (0x21..0x7F).contains(&lead) && (0x21..=last).contains(&trail)
    }
}

/// The number of characters that are checked at once.
const PAIRS_AT_ONCE: usize = 1 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn found(data: &[u8]) -> Option<(&'static str, Ending)> {
        let escapes = Escapes::of(data)?;
        Some((escapes.name(), escapes.ending(data, &mut || Ok(())).ok()?))
    }

    #[test]
    fn sequences_name_the_codec() {
        for (data, name) in [
            (b"\x1B$B0!\x1B(B" as &[u8], "iso2022_jp"),
            (b"\x1B$@0!\r\n0!", "iso2022_jp"),
            (b"\x1B(I6@\x1B(B", "iso2022_jp_ext"),
            (b"\x1B$(D0!\x1B(B", "iso2022_jp_ext"),
            (b"\x1B$A0!\x1B$B0!\x1B(B", "iso2022_jp_2"),
            (b"\x1B$(C0!\x1B(B", "iso2022_jp_2"),
            (b"\x1B$)C\n\x0E0!\x0F, \x0E0!\x0F", "iso2022_kr"),
            (b"This is ~{VPND~}.", "hz"),
            (b"~~{ is ~\n~~~{VPND~}.", "hz"),
        ] {
            assert_eq!(found(data), Some((name, Ending::Complete)), "{data:?}");
        }
    }

    #[test]
    fn what_cannot_be_checked_is_malformed() {
        for (data, name) in [
            (b"\x1B$(Q0!\x1B(B" as &[u8], "iso2022_jp_2004"),
            (b"\x1B$(O\x1B$@", "iso2022_jp_3"),
            (b"\x1B$A\x1B(I", "iso2022_jp"),
            (b"\x1B$(P0!\x1B$(O0!\x1B(B", "iso2022_jp_3"),
            (b"\x1B.A\x1BNA", "iso2022_jp_2"),
            (b"\x1B$B-!\x1B(B", "iso2022_jp"),
            (b"\x1B$B0\x1B(B", "iso2022_jp"),
            (b"~{VPND~} ~a", "hz"),
            (b"~{VPND~}~{~a", "hz"),
            (b"\x1B$)C\x0E()\x0Fd, \x0E\x15)\x0F ", "iso2022_kr"),
            (b"\x1B$)C\x0E0!\x0F\x1B(B", "iso2022_kr"),
        ] {
            assert_eq!(found(data), Some((name, Ending::Malformed)), "{data:?}");
        }
    }

    #[test]
    fn incomplete_ends_are_recognized() {
        for data in [
            b"\x1B$B0!0" as &[u8],
            b"\x1B$@0!\n0",
            b"\x1B$B0!\x1B",
            b"\x1B$B0!\x1B(",
            b"\x1B$)C\x0E0!0",
            b"\x1B$)C\x1B",
            b"~{VPND~} ~",
        ] {
            assert_eq!(found(data).map(|(_, ending)| ending), Some(Ending::Truncated), "{data:?}");
        }
    }

    #[test]
    fn other_sequences_are_ascii() {
        for data in
            [b"\x1B[31mred\x1B[0m" as &[u8], b"\x1B(B", b"~{name~}", b"~/.config", b"a~{", b"~~{VPND~}"]
        {
            assert_eq!(found(data), None, "{data:?}");
        }
    }
}
