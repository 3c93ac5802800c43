//! The likelihood of ideographs, kana and hangul syllables in each language that uses them.

/// The languages, in the order of costs.
pub(super) const LANGUAGES: [&str; 4] = ["zh-Hans", "zh-Hant", "ja", "ko"];

/// Made by `model/make.py` from lingua's language models: half a byte per character, for Han in simplified
/// Chinese, in traditional Chinese and in Japanese, kana in Japanese, and hangul in Korean.
static PACKED: &[u8] = include_bytes!("model/ideographs.bin");

const HAN: u32 = 0x4E00;
const HANS: u32 = 0xA000 - HAN;
const KANA: u32 = 0x3040;
const KANAS: u32 = 0x3100 - KANA;
const HANGUL: u32 = 0xAC00;
const HANGULS: u32 = 0xD7A4 - HANGUL;

/// The cost in bits of a half byte of 0.
const MIN_COST: u8 = 4;
/// The cost in bits of a character that a language does not use.
const FOREIGN: u8 = 20;

/// Returns the costs of a character in each language in bits; `None` for other characters.
pub(super) fn costs(code: u32) -> Option<[u8; 4]> {
    let half = |index: u32| {
        let pair = PACKED.get(index as usize / 2).copied().unwrap_or(u8::MAX);
        MIN_COST + (pair >> (index % 2 * 4) & 0xF)
    };
    Some(if (HAN..HAN + HANS).contains(&code) {
        let index = code - HAN;
        [half(index), half(HANS + index), half(2 * HANS + index), FOREIGN]
    } else if (KANA..KANA + KANAS).contains(&code) {
        [FOREIGN, FOREIGN, half(3 * HANS + code - KANA), FOREIGN]
    } else if (HANGUL..HANGUL + HANGULS).contains(&code) {
        [FOREIGN, FOREIGN, FOREIGN, half(3 * HANS + KANAS + code - HANGUL)]
    } else {
        return None;
    })
}
