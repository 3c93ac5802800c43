//! How often each character of a text occurs, and which script it belongs to (UAX 24).

use icu_properties::props::Script;
use icu_properties::{CodePointMapData, PropertyNamesLong};

/// Code points are counted in blocks of so many, which are made when they are first met.
const BLOCK: usize = 256;
const CODE_POINTS: usize = 0x11_0000;

/// How often each code point occurred.
pub(crate) struct Census {
    blocks: Vec<Option<Box<[u64; BLOCK]>>>,
}

/// A code point, how often it occurred, and the name of its script.
pub(crate) type Entry = (u32, u64, &'static str);

impl Census {
    pub(crate) fn new() -> Self {
        Self { blocks: vec![None; CODE_POINTS / BLOCK] }
    }

    /// Counts these as well. What is no code point counts for none.
    pub(crate) fn add<U: Copy + Into<u32>>(&mut self, code_points: &[U]) {
        for &code_point in code_points {
            let place = code_point.into() as usize;
            if let Some(block) = self.blocks.get_mut(place / BLOCK) {
                block.get_or_insert_with(|| Box::new([0; BLOCK]))[place % BLOCK] += 1;
            }
        }
    }

    /// All that occurred, in the order of code points.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        let scripts = CodePointMapData::<Script>::new();
        let names = PropertyNamesLong::<Script>::new();
        let mut entries = Vec::new();
        for (block, first) in self.blocks.iter().zip((0..).step_by(BLOCK)) {
            for (&count, code_point) in block.iter().flat_map(|block| block.iter()).zip(first..) {
                if count > 0 {
                    let script = names.get(scripts.get32(code_point)).unwrap_or("Unknown");
                    entries.push((code_point, count, script));
                }
            }
        }
        entries
    }
}

#[cfg(test)]
mod tests {
    use super::Census;

    #[test]
    fn counts_code_points_and_knows_their_scripts() {
        let mut census = Census::new();
        census.add("aя€a".chars().collect::<Vec<_>>().as_slice());
        census.add(&[0x10_FFFF_u32, 0x11_0000, u32::MAX]);
        census.add(b"a");
        let expected =
            [(0x61, 3, "Latin"), (0x44F, 1, "Cyrillic"), (0x20AC, 1, "Common"), (0x10_FFFF, 1, "Unknown")];
        assert_eq!(census.entries(), expected);
    }
}
