//! What a character is to the model.

use std::sync::LazyLock;

use super::ideographs;
use super::letters::Pairs;
use super::shape::Kind;

/// The scripts whose languages the model knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Script {
    /// No letter, or one of another script.
    None,
    Latin,
    Cyrillic,
    Greek,
    Hebrew,
    Arabic,
    Thai,
    /// Han, kana and hangul.
    Ideographs,
}

impl Script {
    pub(super) const COUNT: usize = Self::Ideographs as usize + 1;
    /// The scripts of few languages, whose letters follow each other.
    pub(super) const FEW_LANGUAGES: [Self; 5] =
        [Self::Cyrillic, Self::Greek, Self::Hebrew, Self::Arabic, Self::Thai];

    /// Its place among these.
    #[inline]
    pub(super) fn few(self) -> Option<usize> {
        (self as usize)
            .checked_sub(Self::Cyrillic as usize)
            .filter(|&index| index < Self::FEW_LANGUAGES.len())
    }

    /// What it costs that letters of two scripts stand side by side, in eighths of a bit.
    #[inline]
    pub(super) fn beside(self, other: Self) -> u8 {
        match (self, other) {
            (Self::None, _) | (_, Self::None) => 0,
            (Self::Thai | Self::Ideographs, _) | (_, Self::Thai | Self::Ideographs) => 4 * 8,
            _ => 14 * 8,
        }
    }

    /// What a letter of another script costs after this one's, wherever it stands, in eighths of a bit.
    #[inline]
    pub(super) fn then(self, next: Self) -> u8 {
        match (self, next) {
            (Self::None, _) => 0,
            (Self::Ideographs, _) | (_, Self::Ideographs) => {
                if self == next {
                    0
                } else {
                    3 * 8
                }
            }
            _ => {
                if self == next {
                    0
                } else {
                    8 * 8
                }
            }
        }
    }

    /// The cost of a letter that no language of the model has.
    const fn unknown(self) -> u8 {
        match self {
            Self::None => 6,
            _ => 16,
        }
    }

    /// The script of a letter.
    fn of(code: u32) -> Self {
        match code {
            0x41..=0x24F | 0x1E00..=0x1EFF | 0x300..=0x36F => Self::Latin,
            0x370..=0x3FF | 0x1F00..=0x1FFF => Self::Greek,
            0x400..=0x52F => Self::Cyrillic,
            0x590..=0x5FF => Self::Hebrew,
            0x600..=0x6FF | 0xFB50..=0xFDFF | 0xFE70..=0xFEFF => Self::Arabic,
            0xE00..=0xE7F => Self::Thai,
            _ => Self::None,
        }
    }
}

/// What a character is to the model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sign {
    pub(super) script: Script,
    pub(super) kind: Kind,
    /// What it costs by itself, in eighths of a bit: letters of the model nothing.
    pub(super) cost: u8,
    /// Its number in the script; 0 if it is none of its letters.
    pub(super) letter: u8,
    /// Its costs in the languages of ideographs, in eighths of a bit.
    pub(super) costs: [u8; 4],
}

impl Sign {
    /// A space, and what stands before a text.
    pub(super) const SPACE: Self = Self::other(Kind::Space, 0.5);

    const fn other(kind: Kind, bits: f32) -> Self {
        Self { script: Script::None, kind, cost: (bits * 8.0) as u8, letter: 0, costs: [0; 4] }
    }

    /// What a character is, and the tone that stands on a Vietnamese one.
    #[inline]
    pub(crate) fn of(character: char) -> (Self, Option<Self>) {
        let signs = Signs::get();
        let code = u32::from(character);
        if let Some(sign) = signs.near.get(code as usize) {
            return (*sign, None);
        }
        if let Some((letter, tone)) = signs.toned(code) {
            return (letter, Some(tone));
        }
        (far(code), None)
    }
}

/// The signs of the alphabets, and of the Vietnamese letters with tones.
struct Signs {
    near: Vec<Sign>,
    toned: Vec<(Sign, Sign)>,
}

/// Beyond them.
const NEAR: u32 = 0x700;
/// From here on stand the Vietnamese letters with tones.
const TONED: u32 = 0x1EA0;
/// Their small ones: letter and tone. Capitals stand before each.
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
        let near: Vec<Sign> = (0..NEAR).map(far).collect();
        let toned = VIETNAMESE
            .iter()
            .flat_map(|pair| {
                let mut chars = pair.chars();
                let (letter, tone) = (chars.next().unwrap_or(' '), chars.next().unwrap_or(' '));
                let sign = |character: char| near[character as usize];
                let capital = Sign { kind: Kind::Upper, ..sign(letter) };
                [(capital, sign(tone)), (sign(letter), sign(tone))]
            })
            .collect();
        Self { near, toned }
    }

    fn toned(&self, code: u32) -> Option<(Sign, Sign)> {
        self.toned.get(code.checked_sub(TONED)? as usize).copied()
    }
}

/// What a character is, by the rules.
fn far(code: u32) -> Sign {
    if let Some(costs) = ideographs::costs(code) {
        let costs = costs.map(|bits| bits * 8);
        return Sign { script: Script::Ideographs, kind: Kind::Plain, cost: 0, letter: 0, costs };
    }
    let Some(character) = char::from_u32(code) else { return Sign::other(Kind::Control, 24.0) };
    let (kind, bits) = symbol(character);
    let script = Script::of(code);
    if kind != Kind::Plain {
        // Marks, and the digits and the like of such a script, stand with its letters.
        let own = kind == Kind::Mark || matches!(script, Script::Hebrew | Script::Arabic | Script::Thai);
        return Sign { script: if own { script } else { Script::None }, ..Sign::other(kind, bits) };
    }
    let small = match character {
        'İ' => 'i',
        _ => character.to_lowercase().next().unwrap_or(character),
    };
    let kind = match character {
        '\u{300}'..='\u{36F}' => Kind::Mark,
        _ if small != character => Kind::Upper,
        _ if character.is_lowercase() => Kind::Lower,
        _ => Kind::Plain,
    };
    let place = Pairs::get().letters(script).iter().position(|&letter| letter == small);
    match place {
        Some(place) => Sign { script, kind, cost: 0, letter: place as u8 + 1, costs: [0; 4] },
        None => Sign { script: Script::None, kind, cost: script.unknown() * 8, letter: 0, costs: [0; 4] },
    }
}

/// What a character is that is no letter, and how many bits it costs; `Plain` if it is one.
fn symbol(character: char) -> (Kind, f32) {
    use Kind::*;
    match character {
        ' ' => (Space, 0.5),
        '\n' => (Space, 4.0),
        '\t' | '\r' => (Space, 5.0),
        '\x0C' | '\x1A' => (Control, 10.0),
        '\x1B' => (Control, 14.0),
        '\0'..='\x1F' | '\x7F' => (Control, 20.0),
        '0'..='9' => (Digit, 4.5),
        ',' | '.' => (Closing, 3.5),
        '(' | '[' | '{' => (Opening, 6.0),
        ')' | ']' | '}' | '!' | '?' | ';' | ':' => (Closing, 6.0),
        '-' | '\'' | '"' | '/' => (Joiner, 5.0),
        '!'..='@' | '['..='`' | '{'..='~' => (Symbol, 6.5),
        '\u{80}'..='\u{9F}' => (Control, 24.0),
        '\u{A0}' => (Space, 9.0),
        '\u{AD}' => (Joiner, 12.0),
        '¡' | '¿' => (Opening, 7.5),
        '«' | '“' | '„' => (Opening, 6.0),
        '‘' | '‚' | '‹' => (Opening, 9.0),
        '»' | '”' => (Closing, 6.0),
        '›' | '…' => (Closing, 8.0),
        '’' => (Joiner, 6.0),
        '–' | '—' => (Joiner, 6.0),
        '‐' | '‑' | '―' => (Joiner, 10.0),
        '·' => (Joiner, 11.0),
        '´' => (Joiner, 10.0),
        '•' | '№' => (Symbol, 8.0),
        '€' | '£' | '§' | '°' | '©' => (Odd, 8.5),
        '®' | '™' => (Raised, 8.0),
        '×' | '±' | '½' | '¼' | '¾' | '÷' => (Odd, 11.0),
        'ª' | 'º' => (Raised, 9.0),
        '¹' | '²' | '³' => (Raised, 10.0),
        'µ' | '¥' | '¢' | '¶' | '†' | '‰' => (Odd, 12.0),
        '‡' | '¤' | '¦' | '¨' | '¬' | '¯' | '¸' | 'ˆ' | '˜' | 'ƒ' | '\u{2D8}'..='\u{2DD}' | 'ˇ' => {
            (Odd, 15.0)
        }
        '\u{384}' | '\u{385}' => (Odd, 14.0),
        '\u{483}'..='\u{489}' => (Mark, 14.0),
        '\u{591}'..='\u{5C7}' => (Mark, 9.0),
        '\u{5F3}' | '\u{5F4}' => (Joiner, 10.0),
        '،' | '؛' | '؟' | '۔' => (Closing, 5.0),
        '٪' | '٫' | '٬' | '٭' => (Symbol, 12.0),
        'ـ' => (Plain, 0.0),
        '\u{64B}'..='\u{65F}' | '\u{670}' => (Mark, 8.0),
        '٠'..='٩' | '۰'..='۹' => (Digit, 6.0),
        '๐'..='๙' => (Digit, 8.0),
        '฿' | '๏' | '๚' | '๛' => (Odd, 13.0),
        '\u{200C}' => (Joiner, 5.0),
        '\u{200B}' | '\u{200D}'..='\u{200F}' => (Joiner, 13.0),
        '\u{2500}'..='\u{259F}' => (Box, 4.0),
        '\u{2000}'..='\u{206F}' => (Odd, 13.0),
        '\u{20A0}'..='\u{20CF}' | '\u{2100}'..='\u{2BFF}' => (Odd, 13.0),
        '、' | '。' | '，' => (Closing, 5.0),
        '「' | '『' | '《' | '【' | '（' => (Opening, 7.0),
        '」' | '』' | '》' | '】' | '）' | '！' | '？' | '；' | '：' => (Closing, 7.0),
        '・' | 'ー' | '々' => (Symbol, 7.0),
        '０'..='９' => (Digit, 6.0),
        'Ａ'..='Ｚ' | 'ａ'..='ｚ' => (Symbol, 10.0),
        '\u{3000}' => (Space, 6.0),
        '\u{FF61}'..='\u{FF9F}' => (Symbol, 15.0),
        '\u{3000}'..='\u{33FF}' | '\u{FF00}'..='\u{FFEF}' => (Symbol, 12.0),
        '\u{3400}'..='\u{4DBF}' | '\u{A000}'..='\u{A4CF}' | '\u{F900}'..='\u{FAFF}' => (Symbol, 20.0),
        '\u{1F000}'..='\u{1FAFF}' => (Symbol, 11.0),
        '\u{E000}'..='\u{F8FF}' | '\u{FFF0}'..='\u{FFFF}' | '\u{FE00}'..='\u{FE6F}' => (Control, 24.0),
        '\u{20000}'.. => (Symbol, 22.0),
        _ => (Plain, 0.0),
    }
}
