//! The tables of classes that `src/unicode` looks characters up in: what the crates of ICU4X say, character by
//! character.

use std::collections::{BTreeMap, BTreeSet};

use icu_casemap::CaseMapper;
use icu_normalizer::properties::{
    CanonicalCombiningClassMap, CanonicalComposition, CanonicalDecomposition, Decomposed,
};
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
use icu_properties::props::{ExtendedPictographic, GraphemeClusterBreak, IndicConjunctBreak};
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
