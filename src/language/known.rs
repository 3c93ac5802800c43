//! Languages that a text is known to be in.

use super::letters::{LANES, PLACES};
use super::{Language, UNITS_PER_BIT};

/// The languages that a text may be in, as far as is known: in a script without a known language all of its languages
/// are possible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Languages([u64; LANES.div_ceil(u64::BITS as usize)]);

impl Languages {
    /// Adds the languages of a BCP 47 tag: the languages of the model that have it, or the longest part of it (RFC
    /// 4647, lookup). Returns whether there are any.
    pub(crate) fn add(&mut self, tag: &str) -> bool {
        let mut range = tag;
        loop {
            let found = Self::all().filter(|language| is_in(language.code(), range));
            let mut added = false;
            for lane in found.filter_map(|language| language.0.map(usize::from)) {
                let (word, bit) = place(lane);
                self.0[word] |= bit;
                added = true;
            }
            match range.rfind('-') {
                Some(end) if !added => range = &range[..end],
                _ => return added,
            }
        }
    }

    /// Returns the languages of the model.
    pub(crate) fn all() -> impl Iterator<Item = Language> {
        let lanes = (0..LANES as u8).map(|lane| Language(Some(lane)));
        lanes.filter(|language| language.code() != Language(None).code())
    }

    /// Returns whether a language is known to be possible.
    pub(crate) fn have(self, language: Language) -> bool {
        language.0.is_some_and(|lane| self.has(lane.into()))
    }

    fn has(self, lane: usize) -> bool {
        let (word, bit) = place(lane);
        self.0[word] & bit != 0
    }

    /// Returns the cost of each language of a script, in eighths of a bit: `others` bits for those that are not known.
    pub(super) fn costs(self, script: usize, others: f32) -> impl Iterator<Item = (usize, u32)> {
        let lanes = PLACES[script].clone();
        let any = lanes.clone().any(|lane| self.has(lane));
        let cost = if any { (others * UNITS_PER_BIT) as u32 } else { 0 };
        lanes.map(move |lane| (lane, if self.has(lane) { 0 } else { cost }))
    }

    /// Returns whether no language is known.
    pub(crate) fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// Returns the place of a language: the index of a word, and the bit in it.
fn place(lane: usize) -> (usize, u64) {
    (lane / u64::BITS as usize, 1 << (lane % u64::BITS as usize))
}

/// Returns whether a tag is a language range, or begins with it and a hyphen.
fn is_in(tag: &str, range: &str) -> bool {
    let (tag, range) = (tag.as_bytes(), range.as_bytes());
    tag.len() >= range.len()
        && tag[..range.len()].eq_ignore_ascii_case(range)
        && matches!(tag.get(range.len()), None | Some(b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(tags: &[&str]) -> Vec<&'static str> {
        let mut languages = Languages::default();
        assert!(tags.iter().all(|tag| languages.add(tag)), "{tags:?}");
        Languages::all().filter(|&language| languages.have(language)).map(Language::code).collect()
    }

    #[test]
    fn tags_name_languages() {
        assert_eq!(codes(&["tr"]), ["tr"]);
        assert_eq!(codes(&["TR-tr", "ru"]), ["tr", "ru"]);
        assert_eq!(codes(&["zh"]), ["zh-Hans", "zh-Hant"]);
        assert_eq!(codes(&["zh-hant-TW"]), ["zh-Hant"]);
        for unknown in ["", "t", "und", "xx", "-tr", "tr_TR"] {
            assert!(!Languages::default().add(unknown), "{unknown}");
        }
    }

    #[test]
    fn all_have_different_codes() {
        let mut codes: Vec<_> = Languages::all().map(Language::code).collect();
        let count = codes.len();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), count);
        assert!(count >= 50);
    }
}
