//! The properties of characters by which the model scores them.

use std::sync::LazyLock;

use super::ideographs;
use super::letters::PairTables;
use super::script::Script;
use super::shape::{Class, Classes};

/// The properties of a character by which the model scores it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sign {
    pub(super) script: Script,
    pub(super) class: Class,
    /// Its own cost in eighths of a bit; 0 for letters of the model.
    pub(super) cost: u8,
    /// Its number in the script, from 1; of characters whose pairs are not scored the last byte of the code point, by
    /// which it is compared with the one before; of white space 0.
    pub(super) letter: u8,
    /// Its costs in the languages with ideographs, in eighths of a bit.
    pub(super) costs: [u8; 4],
}

impl Sign {
    /// A space, which also precedes a text.
    pub(super) const SPACE: Self =
        Self { script: Script::None, class: Class::SPACE, cost: 0, letter: 0, costs: [0; 4] };

    /// Returns the properties of a character, and the properties of the tone mark if it is a Vietnamese letter with
    /// one.
    #[inline]
    pub(crate) fn of(character: char) -> (Self, Option<Self>) {
        let signs = Signs::get();
        let code = u32::from(character);
        if code >= TONED
            && let Some((letter, tone)) = signs.toned(code)
        {
            return (letter, Some(tone));
        }
        (signs.near.get(code as usize).copied().unwrap_or_else(|| far(code)), None)
    }

    /// Returns the properties of a sign that is for words of one script only.
    pub(crate) fn among(self, script: Script) -> Self {
        Self { script, letter: 0, ..self }
    }

    /// Returns the properties of a Latin letter after a Cyrillic one: i is often typed for і, which many keyboards
    /// lack.
    #[inline]
    pub(super) fn after_cyrillic(self, pairs: &PairTables) -> Self {
        let [latin, cyrillic] = pairs.i;
        if self.letter != latin {
            return self;
        }
        Self { script: Script::Cyrillic, letter: cyrillic, cost: LOOK_ALIKE, ..self }
    }
}

/// The cost of a letter of another script that looks the same, in eighths of a bit.
const LOOK_ALIKE: u8 = 3 * 8;

/// The properties of characters below [`NEAR_END`], and of Vietnamese letters with tone marks.
struct Signs {
    near: Vec<Sign>,
    toned: Vec<(Sign, Sign)>,
}

/// The end of the code points in the table: it covers the letters and signs of single-byte encodings.
const NEAR_END: u32 = 0x2700;
/// The first Vietnamese letter with a tone mark.
const TONED: u32 = 0x1EA0;
/// The small Vietnamese letters with tone marks, decomposed. In Unicode the capital precedes each.
const VIETNAMESE: [&str; 45] = [
    "a\u{323}",
    "a\u{309}",
    "â\u{301}",
    "â\u{300}",
    "â\u{309}",
    "â\u{303}",
    "â\u{323}",
    "ă\u{301}",
    "ă\u{300}",
    "ă\u{309}",
    "ă\u{303}",
    "ă\u{323}",
    "e\u{323}",
    "e\u{309}",
    "e\u{303}",
    "ê\u{301}",
    "ê\u{300}",
    "ê\u{309}",
    "ê\u{303}",
    "ê\u{323}",
    "i\u{309}",
    "i\u{323}",
    "o\u{323}",
    "o\u{309}",
    "ô\u{301}",
    "ô\u{300}",
    "ô\u{309}",
    "ô\u{303}",
    "ô\u{323}",
    "ơ\u{301}",
    "ơ\u{300}",
    "ơ\u{309}",
    "ơ\u{303}",
    "ơ\u{323}",
    "u\u{323}",
    "u\u{309}",
    "ư\u{301}",
    "ư\u{300}",
    "ư\u{309}",
    "ư\u{303}",
    "ư\u{323}",
    "y\u{300}",
    "y\u{323}",
    "y\u{309}",
    "y\u{303}",
];

impl Signs {
    fn get() -> &'static Self {
        static SIGNS: LazyLock<Signs> = LazyLock::new(Signs::make);
        &SIGNS
    }

    fn make() -> Self {
        let near: Vec<Sign> = (0..NEAR_END).map(far).collect();
        let capital = near['A' as usize].class;
        let toned = VIETNAMESE
            .iter()
            .flat_map(|pair| {
                let mut chars = pair.chars();
                let (letter, tone) = (chars.next().unwrap_or(' '), chars.next().unwrap_or(' '));
                let sign = |character: char| near[character as usize];
                let capital = Sign { class: capital, ..sign(letter) };
                [(capital, sign(tone)), (sign(letter), sign(tone))]
            })
            .collect();
        Self { near, toned }
    }

    fn toned(&self, code: u32) -> Option<(Sign, Sign)> {
        self.toned.get(code.checked_sub(TONED)? as usize).copied()
    }
}

/// The letters of the Arabic presentation forms from U+FE80, in order, each with the number of its forms.
#[rustfmt::skip]
const ARABIC_FORMS: [(char, u32); 36] = [
    ('ء', 1), ('آ', 2), ('أ', 2), ('ؤ', 2), ('إ', 2), ('ئ', 4), ('ا', 2), ('ب', 4), ('ة', 2), ('ت', 4), ('ث', 4),
    ('ج', 4), ('ح', 4), ('خ', 4), ('د', 2), ('ذ', 2), ('ر', 2), ('ز', 2), ('س', 4), ('ش', 4), ('ص', 4), ('ض', 4),
    ('ط', 4), ('ظ', 4), ('ع', 4), ('غ', 4), ('ف', 4), ('ق', 4), ('ك', 4), ('ل', 4), ('م', 4), ('ن', 4), ('ه', 4),
    ('و', 2), ('ى', 2), ('ي', 4),
];
const FIRST_ARABIC_FORM: u32 = 0xFE80;
/// The cost of a character that is scored as another one, in eighths of a bit: letters are usual.
const FORM: u8 = 4;
/// The first of the ligatures of lam and alef, which follow; they are scored as lam.
const LAM_ALEF: core::ops::RangeInclusive<u32> = 0xFEF5..=0xFEFC;

/// Returns the character as which another one is scored: the letter of an Arabic presentation form, and the quotation
/// mark that is typed for a modifier letter of Uzbek or Ukrainian; of others the character itself.
fn scored_as(code: u32) -> u32 {
    match code {
        0x02BB => return '‘'.into(),
        0x02BC => return '’'.into(),
        _ if LAM_ALEF.contains(&code) => return 'ل'.into(),
        _ => {}
    }
    let Some(mut index) = code.checked_sub(FIRST_ARABIC_FORM) else { return code };
    for (letter, forms) in ARABIC_FORMS {
        match index.checked_sub(forms) {
            Some(rest) => index = rest,
            None => return letter.into(),
        }
    }
    code
}

/// Returns the properties of a character without the tables.
fn far(code: u32) -> Sign {
    let other = scored_as(code);
    if other != code {
        return Sign { cost: FORM, ..far(other) };
    }
    if let (Some(costs), Some(ideograph)) = (ideographs::costs(code), char::from_u32(code)) {
        let (class, costs) = (Classes::get().of(ideograph), costs.map(|bits| bits * 8));
        return Sign { script: Script::Ideographs, class, cost: 0, letter: 0, costs };
    }
    let classes = Classes::get();
    let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    let class = classes.of(character);
    let script = classes.script(class);
    let sign = Sign { script, class, cost: classes.cost(class, character), letter: 0, costs: [0; 4] };
    if script == Script::None {
        let white = matches!(character, ' ' | '\n' | '\t' | '\r');
        return Sign { letter: if white { 0 } else { code as u8 }, ..sign };
    }
    let letters = PairTables::get().letters(script);
    let small = match character {
        'İ' => 'i',
        _ => character.to_lowercase().next().unwrap_or(character),
    };
    match letters.iter().position(|&letter| letter == small) {
        Some(place) => Sign { cost: 0, letter: place as u8 + 1, ..sign },
        None => Sign { letter: letters.len() as u8 + 1, ..sign },
    }
}
