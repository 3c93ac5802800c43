//! The tables of classes that `src/unicode` looks characters up in: what the crates of ICU4X say, character by
//! character.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use flate2::read::GzDecoder;
use icu_casemap::CaseMapper;
use icu_normalizer::properties::{
    CanonicalCombiningClassMap, CanonicalComposition, CanonicalDecomposition, Decomposed,
};
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
use icu_properties::props::{
    BidiControl, CanonicalCombiningClass, DefaultIgnorableCodePoint, Emoji, EmojiModifier,
    ExtendedPictographic, GeneralCategory, GeneralCategoryGroup, GraphemeClusterBreak, IndicConjunctBreak,
    IndicSyllabicCategory, JoiningType, LineBreak, NoncharacterCodePoint, Script, UnifiedIdeograph,
    VariationSelector,
};
use icu_properties::{CodePointMapData, CodePointSetData};

/// The number of code points in a block.
const BLOCK: u32 = 64;

/// A table: the number of its block for every 64 code points up to the last that are not of class 0, then the
/// classes in each block.
fn table(class: impl Fn(u32) -> u8) -> Vec<u8> {
    let mut numbers = BTreeMap::from([([0; BLOCK as usize], 0u8)]);
    let mut index = vec![];
    let mut blocks = vec![[0; BLOCK as usize]];
    for first in (0..=u32::from(char::MAX)).step_by(BLOCK as usize) {
        let block = std::array::from_fn(|at| class(first + at as u32));
        let number = *numbers.entry(block).or_insert_with(|| {
            blocks.push(block);
            u8::try_from(blocks.len() - 1).expect("a block has a number of one byte")
        });
        index.push(number);
    }
    let used = index.iter().rposition(|&number| number != 0).map_or(0, |last| last + 1);
    index.truncate(used);
    let length = u16::try_from(used).expect("the number of blocks fits in two bytes");
    [&length.to_le_bytes()[..], &index, blocks.as_flattened()].concat()
}

/// The tables, by the names of their files.
pub type Tables = Vec<(&'static str, Vec<u8>)>;

/// What a character alone becomes.
type Normalize<'a> = &'a dyn Fn(char) -> Vec<char>;

/// The classes of `kernels`' neighbour `unicode::classes`, for a form that composes, or else does not.
fn forms_class(
    code_point: u32,
    normalize: Normalize,
    nfd: Normalize,
    seconds: Option<&BTreeSet<char>>,
) -> u8 {
    // Surrogates are not characters: nothing changes them or is changed by them.
    let Some(character) = char::from_u32(code_point) else { return 0 };
    let combining = CanonicalCombiningClassMap::new();
    let is_second = |character: &char| seconds.is_some_and(|seconds| seconds.contains(character));
    let (normal, parts) = (normalize(character), nfd(character));
    let is_start = |first: char| combining.get_u8(first) == 0 && !is_second(&first);
    match (normal == [character], combining.get_u8(character)) {
        _ if is_second(&character) && parts == [character] => 1,
        (true, 1..) if !is_second(&character) => 3 + combining.get_u8(character),
        (same, _) if is_start(normal[0]) && is_start(parts[0]) => {
            if same {
                0
            } else {
                2
            }
        }
        _ => 3,
    }
}

/// Returns the classes of the normalization forms.
pub fn forms() -> Tables {
    let (decomposition, composition) = (CanonicalDecomposition::new(), CanonicalComposition::new());
    let seconds = (char::MIN..=char::MAX)
        .filter_map(|character| match decomposition.decompose(character) {
            Decomposed::Expansion(first, second) => composition.compose(first, second).map(|_| second),
            Decomposed::Default | Decomposed::Singleton(_) => None,
        })
        .collect::<BTreeSet<_>>();
    let composed = |form: ComposingNormalizerBorrowed<'static>| {
        move |character| form.normalize_iter([character].into_iter()).collect::<Vec<_>>()
    };
    let decomposed = |form: DecomposingNormalizerBorrowed<'static>| {
        move |character| form.normalize_iter([character].into_iter()).collect::<Vec<_>>()
    };
    let nfd = decomposed(DecomposingNormalizerBorrowed::new_nfd());
    let nfkd = decomposed(DecomposingNormalizerBorrowed::new_nfkd());
    let nfc = composed(ComposingNormalizerBorrowed::new_nfc());
    let nfkc = composed(ComposingNormalizerBorrowed::new_nfkc());
    vec![
        ("nfc", table(|code_point| forms_class(code_point, &nfc, &nfd, Some(&seconds)))),
        ("nfd", table(|code_point| forms_class(code_point, &nfd, &nfd, None))),
        ("nfkc", table(|code_point| forms_class(code_point, &nfkc, &nfd, Some(&seconds)))),
        ("nfkd", table(|code_point| forms_class(code_point, &nfkd, &nfd, None))),
    ]
}

/// Returns the distances to case foldings, their classes, and foldings to several characters.
pub fn foldings() -> Tables {
    /// The class of characters that fold to several.
    const EXPANDS: u8 = 255;
    let mapper = CaseMapper::new();
    let (mut distances, mut expansions) = (vec![0_u32], vec![]);
    let classes: Vec<u8> = (0..=u32::from(char::MAX))
        .map(|code_point| {
            let Some(character) = char::from_u32(code_point) else { return 0 };
            let folded = mapper.fold_string(character.encode_utf8(&mut [0; 4])).into_owned();
            let folded: Vec<u32> = folded.chars().map(u32::from).collect();
            if let [folded] = folded[..] {
                let distance = folded.wrapping_sub(code_point);
                let class = distances.iter().position(|known| *known == distance).unwrap_or_else(|| {
                    distances.push(distance);
                    distances.len() - 1
                });
                return u8::try_from(class).ok().filter(|class| *class < EXPANDS).expect("few distances");
            }
            let mut row = [code_point, 0, 0, 0];
            row[1..=folded.len()].copy_from_slice(&folded);
            expansions.push(row);
            EXPANDS
        })
        .collect();
    let expansions = expansions.as_flattened().iter().flat_map(|value| value.to_le_bytes());
    vec![
        ("folding", table(|code_point| classes.get(code_point as usize).copied().unwrap_or_default())),
        ("folding_distances", distances.iter().flat_map(|distance| distance.to_le_bytes()).collect()),
        ("folding_expansions", expansions.collect()),
    ]
}

/// Returns the classes of grapheme clusters.
pub fn graphemes() -> Tables {
    use GraphemeClusterBreak as Break;
    use IndicConjunctBreak as Conjunct;
    let breaks = CodePointMapData::<Break>::new();
    let conjuncts = CodePointMapData::<Conjunct>::new();
    let pictures = CodePointSetData::new::<ExtendedPictographic>();
    // Their order is the same as in `src/unicode/clusters.rs`.
    let rows = [
        (Break::Other, Conjunct::None, false),
        (Break::Other, Conjunct::Consonant, false),
        (Break::Other, Conjunct::None, true),
        (Break::Control, Conjunct::None, false),
        (Break::LF, Conjunct::None, false),
        (Break::LV, Conjunct::None, false),
        (Break::LVT, Conjunct::None, false),
        (Break::CR, Conjunct::None, false),
        (Break::Extend, Conjunct::None, false),
        (Break::Extend, Conjunct::Extend, false),
        (Break::Extend, Conjunct::Linker, false),
        (Break::ZWJ, Conjunct::Extend, false),
        (Break::SpacingMark, Conjunct::None, false),
        (Break::Prepend, Conjunct::None, false),
        (Break::Other, Conjunct::Linker, false),
        (Break::RegionalIndicator, Conjunct::None, false),
        (Break::L, Conjunct::None, false),
        (Break::V, Conjunct::None, false),
        (Break::T, Conjunct::None, false),
    ];
    let class = |code_point| {
        let properties =
            (breaks.get32(code_point), conjuncts.get32(code_point), pictures.contains32(code_point));
        let row = rows.iter().position(|row| *row == properties);
        row.unwrap_or_else(|| panic!("U+{code_point:04X} needs a class of its own")) as u8
    };
    vec![("graphemes", table(class))]
}

/// The rows of a file of Unicode's that is kept compressed: their code points.
fn sequences(file: &[u8]) -> Vec<Vec<u32>> {
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).expect("the file is whole");
    let rows = text.lines().map(|line| line.split(['#', ';']).next().unwrap_or_default());
    let number = |number| u32::from_str_radix(number, 16).expect("a number in hex");
    rows.map(|row| row.split_whitespace().map(number).collect())
        .filter(|row: &Vec<u32>| !row.is_empty())
        .collect()
}

/// The kinds of `src/audit/properties.rs`, in the same order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Visible,
    Nul,
    Control,
    BidiControl,
    Tag,
    Invisible,
    VariationSelector,
    Noncharacter,
    PrivateUse,
    Unassigned,
    LineSeparator,
    Newline,
    Bom,
}

// The properties of `src/audit/properties.rs`.
const EMOJI: u16 = 1 << 0;
const MODIFIER: u16 = 1 << 1;
const EMOJI_VARIANTS: u16 = 1 << 2;
const JOINS_NEXT: u16 = 1 << 3;
const JOINS_PREVIOUS: u16 = 1 << 4;
const MARK: u16 = 1 << 5;
const REORDERED: u16 = 1 << 6;
const VIRAMA: u16 = 1 << 7;
const LETTER: u16 = 1 << 8;
const DEPENDENT_VOWEL: u16 = 1 << 9;
const COMPLEX: u16 = 1 << 10;
const IDEOGRAPH: u16 = 1 << 11;
const MONGOLIAN: u16 = 1 << 12;

/// The number of code points in a block of the properties, and in a page of blocks.
const PROPERTY_BLOCK: usize = 16;
const PAGE: usize = 1024;

/// Returns the kinds and properties of characters that `src/audit` looks up, and variation sequences.
pub fn audit() -> Tables {
    let emoji_variants: BTreeSet<u32> =
        sequences(include_bytes!("../../vectors/unicode/emoji-variation-sequences.txt.gz"))
            .iter()
            .map(|sequence| sequence[0])
            .collect();
    let mut variants: Vec<u32> =
        sequences(include_bytes!("../../vectors/unicode/StandardizedVariants.txt.gz"))
            .iter()
            .map(|sequence| sequence[0] << 8 | sequence[1] & 0xFF)
            .collect();
    variants.sort_unstable();
    vec![
        ("properties", properties(&emoji_variants)),
        ("variants", variants.iter().flat_map(|variant| variant.to_le_bytes()).collect()),
    ]
}

/// Returns the table of properties: the number of classes and the kind and the properties of each; the number of pages,
/// the page of every 1024 code points, the blocks of each page; and the classes of each block.
fn properties(emoji_variants: &BTreeSet<u32>) -> Vec<u8> {
    let categories = CodePointMapData::<GeneralCategory>::new();
    let scripts = CodePointMapData::<Script>::new();
    let combining = CodePointMapData::<CanonicalCombiningClass>::new();
    let joining = CodePointMapData::<JoiningType>::new();
    let syllabic = CodePointMapData::<IndicSyllabicCategory>::new();
    let breaks = CodePointMapData::<LineBreak>::new();
    let bidi = CodePointSetData::new::<BidiControl>();
    let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    let nonchars = CodePointSetData::new::<NoncharacterCodePoint>();
    let selectors = CodePointSetData::new::<VariationSelector>();
    let ideographs = CodePointSetData::new::<UnifiedIdeograph>();
    let emoji = CodePointSetData::new::<Emoji>();
    let modifiers = CodePointSetData::new::<EmojiModifier>();
    let pictures = CodePointSetData::new::<ExtendedPictographic>();
    let is_virama = |code_point| combining.get32(code_point) == CanonicalCombiningClass::Virama;
    let code_points = 0..=u32::from(char::MAX);
    let mut with_virama: Vec<Script> = code_points
        .clone()
        .filter(|&code_point| is_virama(code_point))
        .map(|code_point| scripts.get32(code_point))
        .collect();
    with_virama.dedup();
    let with_marks = [
        Script::Arabic,
        Script::Syriac,
        Script::Inherited,
        Script::Mongolian,
        Script::Nko,
        Script::Mandaic,
        Script::HanifiRohingya,
        Script::Adlam,
    ];
    let kind = |code_point| match (code_point, categories.get32(code_point)) {
        (0, _) => Kind::Nul,
        (0x0B..=0x0D | 0x85, _) => Kind::Newline,
        (0x09 | 0x0A, _) => Kind::Visible,
        (0x2028 | 0x2029, _) => Kind::LineSeparator,
        (0xFEFF, _) => Kind::Bom,
        (0xE0000..=0xE007F, _) => Kind::Tag,
        // Interlinear annotations.
        (0xFFF9..=0xFFFB, _) => Kind::Invisible,
        _ if nonchars.contains32(code_point) => Kind::Noncharacter,
        _ if selectors.contains32(code_point) => Kind::VariationSelector,
        _ if bidi.contains32(code_point) => Kind::BidiControl,
        _ if ignorable.contains32(code_point) => Kind::Invisible,
        (_, GeneralCategory::Control) => Kind::Control,
        (_, GeneralCategory::PrivateUse) => Kind::PrivateUse,
        (_, GeneralCategory::Unassigned) => Kind::Unassigned,
        _ => Kind::Visible,
    };
    let class = |code_point| {
        let (kind, category) = (kind(code_point), categories.get32(code_point));
        let script = scripts.get32(code_point);
        let brahmic = with_virama.contains(&script);
        let joins = joining.get32(code_point);
        let visible = kind == Kind::Visible;
        let is_mark = category == GeneralCategory::NonspacingMark && !is_virama(code_point);
        let is_letter = GeneralCategoryGroup::Letter.contains(category);
        let flags = [
            (EMOJI, emoji.contains32(code_point) && pictures.contains32(code_point)),
            (MODIFIER, modifiers.contains32(code_point)),
            (EMOJI_VARIANTS, emoji_variants.contains(&code_point)),
            (
                JOINS_NEXT,
                visible
                    && [JoiningType::DualJoining, JoiningType::LeftJoining, JoiningType::JoinCausing]
                        .contains(&joins),
            ),
            (
                JOINS_PREVIOUS,
                visible
                    && [JoiningType::DualJoining, JoiningType::RightJoining, JoiningType::JoinCausing]
                        .contains(&joins),
            ),
            (MARK, visible && is_mark && (brahmic || with_marks.contains(&script))),
            (
                REORDERED,
                visible
                    && is_mark
                    && brahmic
                    && combining.get32(code_point) != CanonicalCombiningClass::NotReordered,
            ),
            (VIRAMA, visible && is_virama(code_point)),
            (LETTER, visible && is_letter && brahmic),
            (
                DEPENDENT_VOWEL,
                visible && brahmic && syllabic.get32(code_point) == IndicSyllabicCategory::VowelDependent,
            ),
            (COMPLEX, breaks.get32(code_point) == LineBreak::ComplexContext),
            (IDEOGRAPH, ideographs.contains32(code_point)),
            (MONGOLIAN, visible && is_letter && script == Script::Mongolian),
        ];
        let flags = flags.iter().fold(0, |all, &(flag, is_set)| if is_set { all | flag } else { all });
        (kind as u8, flags)
    };
    let mut classes = vec![];
    let mut blocks: Vec<[u8; PROPERTY_BLOCK]> = vec![];
    let mut numbers = BTreeMap::new();
    let mut pages: Vec<Vec<u16>> = vec![];
    let mut index = vec![];
    for first in code_points.step_by(PAGE) {
        let mut page = vec![];
        for block in (0..PAGE / PROPERTY_BLOCK).map(|block| first + (block * PROPERTY_BLOCK) as u32) {
            let block = std::array::from_fn(|at| {
                let class = class(block + at as u32);
                let number = classes.iter().position(|known| *known == class).unwrap_or_else(|| {
                    classes.push(class);
                    classes.len() - 1
                });
                u8::try_from(number).expect("a class has a number of one byte")
            });
            page.push(*numbers.entry(block).or_insert_with(|| {
                blocks.push(block);
                u16::try_from(blocks.len() - 1).expect("a block has a number of two bytes")
            }));
        }
        let number = pages.iter().position(|known| *known == page).unwrap_or_else(|| {
            pages.push(page);
            pages.len() - 1
        });
        index.push(u8::try_from(number).expect("a page has a number of one byte"));
    }
    let mut table = vec![u8::try_from(classes.len()).expect("few classes")];
    table.extend(classes.iter().flat_map(|&(kind, flags)| [kind, flags as u8, (flags >> 8) as u8]));
    table.push(u8::try_from(pages.len()).expect("few pages"));
    table.extend(index);
    table.extend(pages.concat().iter().flat_map(|number| number.to_le_bytes()));
    table.extend(blocks.as_flattened());
    table
}
