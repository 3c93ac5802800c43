//! UTF-16 and UTF-32, by their marks and by their structure.

use crate::language::Score;

/// A form of Unicode other than UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    /// Bytes a unit: 2 or 4.
    pub width: usize,
    pub big: bool,
}

impl Form {
    /// The longer ones first: UTF-32's mark begins with UTF-16's.
    pub(super) const ALL: [Self; 4] = [
        Self { width: 4, big: false },
        Self { width: 4, big: true },
        Self { width: 2, big: false },
        Self { width: 2, big: true },
    ];

    pub(super) fn name(self) -> &'static str {
        match (self.width, self.big) {
            (4, false) => "utf-32-le",
            (4, true) => "utf-32-be",
            (_, false) => "utf-16-le",
            (_, true) => "utf-16-be",
        }
    }

    pub(super) fn mark(self) -> &'static [u8] {
        match (self.width, self.big) {
            (4, false) => b"\xFF\xFE\0\0",
            (4, true) => b"\0\0\xFE\xFF",
            (_, false) => b"\xFF\xFE",
            (_, true) => b"\xFE\xFF",
        }
    }

    /// The units, without what is less than one at the end.
    fn units(self, data: &[u8]) -> impl Iterator<Item = u32> {
        data.chunks_exact(self.width).map(move |unit| {
            let fold = |value: u32, &byte: &u8| value << 8 | u32::from(byte);
            if self.big { unit.iter().fold(0, fold) } else { unit.iter().rev().fold(0, fold) }
        })
    }

    /// The characters, `None` where there is none, and the length of what is unfinished at the end.
    fn characters(self, data: &[u8]) -> impl Iterator<Item = Option<char>> {
        let wide = (self.width == 4).then(|| self.units(data).map(char::from_u32));
        let narrow = (self.width == 2).then(|| {
            let units = self.units(data).map(|unit| unit as u16);
            char::decode_utf16(units).map(Result::ok)
        });
        wide.into_iter().flatten().chain(narrow.into_iter().flatten())
    }

    /// How many bytes there are before the last character, if that is unfinished.
    pub(super) fn finished(self, data: &[u8]) -> usize {
        let whole = data.len() - data.len() % self.width;
        let last = whole.checked_sub(self.width).and_then(|at| self.units(&data[at..whole]).next());
        if self.width == 2 && last.is_some_and(|unit| (0xD800..0xDC00).contains(&unit)) {
            whole - 2
        } else {
            whole
        }
    }

    /// Whether some bytes that may begin and end anywhere between units are right.
    pub(super) fn is_valid(self, data: &[u8]) -> bool {
        self.characters(data).all(|character| character.is_some())
    }

    /// The bits that a text costs if the data are in this form.
    pub(super) fn bits(self, data: &[u8]) -> f32 {
        let mut score = Score::new();
        for character in self.characters(data) {
            score.add_char(character.unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        score.bits()
    }
}

/// So much of the data is read to tell whether they are in such a form.
const HEAD: usize = 256;
/// What a text costs at most, in bits a unit.
const MOST: f32 = 12.0;

/// The form that makes the best text of the data without a mark, and its bits a byte; `None` if all make
/// none.
pub(super) fn guess(data: &[u8]) -> Option<(Form, f32)> {
    let length = data.len().min(HEAD);
    // Any part of a text is one.
    let middle = data.len() / 2 / 4 * 4;
    let parts = [&data[..length], &data[middle..data.len().min(middle + length)]];
    Form::ALL
        .into_iter()
        .filter(|form| data.len() >= 2 * form.width)
        .filter_map(|form| {
            let [bits, other] =
                parts.map(|part| form.bits(part) / (part.len() - part.len() % form.width) as f32);
            let bits = bits.max(other);
            // One that is wrong costs more than any letter.
            (bits * (form.width as f32) < MOST && form.is_valid(&data[..form.finished(&data[..length])]))
                .then_some((form, bits))
        })
        .min_by(|(_, one), (_, other)| one.total_cmp(other))
}
