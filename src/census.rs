//! The number of occurrences of each character of a text, and its script (UAX 24).

use icu_properties::props::Script;
use icu_properties::{CodePointMapData, PropertyNamesLong};

use crate::allocation::{AllocError, try_push};

/// The number of code points whose counts are one block, allocated when the first of them occurs.
const BLOCK: usize = 256;
const CODE_POINT_COUNT: usize = 0x11_0000;

/// The number of occurrences of each code point.
pub struct Census {
    /// For each block of code points its index in `blocks`, from 1; 0 if it is not allocated.
    index: [u16; CODE_POINT_COUNT / BLOCK],
    blocks: Vec<[u64; BLOCK]>,
}

/// A code point, the number of its occurrences, and the name of its script.
pub type Entry = (u32, u64, &'static str);

impl Census {
    /// Returns a census of nothing.
    pub fn empty() -> Self {
        Self { index: [0; _], blocks: vec![] }
    }

    /// Counts more code points; values above U+10FFFF are ignored.
    pub fn add<U: Copy + Into<u32>>(&mut self, code_points: &[U]) -> Result<(), AllocError> {
        for &code_point in code_points {
            let place = code_point.into() as usize;
            let Some(number) = self.index.get_mut(place / BLOCK) else { continue };
            if *number == 0 {
                try_push(&mut self.blocks, [0; BLOCK])?;
                *number = self.blocks.len() as u16;
            }
            self.blocks[usize::from(*number) - 1][place % BLOCK] += 1;
        }
        Ok(())
    }

    /// Returns the code points that occurred, in ascending order.
    pub fn entries(&self) -> Result<Vec<Entry>, AllocError> {
        let scripts = CodePointMapData::<Script>::new();
        let names = PropertyNamesLong::<Script>::new();
        let mut entries = Vec::new();
        for (&number, first) in self.index.iter().zip((0..).step_by(BLOCK)) {
            let block = usize::from(number).checked_sub(1).map(|number| &self.blocks[number]);
            for (&count, code_point) in block.into_iter().flatten().zip(first..) {
                if count > 0 {
                    let script = names.get(scripts.get32(code_point)).unwrap_or("Unknown");
                    try_push(&mut entries, (code_point, count, script))?;
                }
            }
        }
        Ok(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::Census;

    #[test]
    fn counts_code_points_and_knows_their_scripts() {
        let mut census = Census::empty();
        census.add("aя€a".chars().collect::<Vec<_>>().as_slice()).unwrap();
        census.add(&[0x10_FFFF_u32, 0x11_0000, u32::MAX]).unwrap();
        census.add(b"a").unwrap();
        let expected =
            [(0x61, 3, "Latin"), (0x44F, 1, "Cyrillic"), (0x20AC, 1, "Common"), (0x10_FFFF, 1, "Unknown")];
        assert_eq!(census.entries().unwrap(), expected);
    }
}
