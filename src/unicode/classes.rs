//! The classes of all code points for each algorithm: tables made from the data of ICU4X by
//! `tests/suite/classes/make.rs`.

use crate::kernels::ranges::CodePointRange;

/// The class of every code point.
pub(super) struct Classes {
    /// For every 64 code points the index of their block; those beyond are of class 0.
    index: &'static [u8],
    blocks: &'static [[u8; BLOCK]],
    /// The last of the plain classes: a run of characters of these classes needs no processing.
    plain: u8,
    /// Whether a character of one class and a following one of another never affect each other.
    pub(super) apart: fn(u8, u8) -> bool,
}

/// The number of code points in a block.
const BLOCK: usize = 64;

impl Classes {
    /// Reads the table of a file: the length of the index in two bytes, the index, the blocks.
    pub(super) const fn of(file: &'static [u8], plain: u8, apart: fn(u8, u8) -> bool) -> Self {
        let Some((&[low, high], rest)) = file.split_first_chunk() else { panic!("no index") };
        let (index, blocks) = rest.split_at(u16::from_le_bytes([low, high]) as usize);
        Self { index, blocks: blocks.as_chunks().0, plain, apart }
    }

    /// Returns the class of a code point.
    #[inline(always)]
    pub(super) fn class(&self, code_point: u32) -> u8 {
        let block = self.index.get(code_point as usize / BLOCK).copied().unwrap_or_default();
        self.blocks[usize::from(block)][code_point as usize % BLOCK]
    }

    /// Returns the code points of the blocks that have code points of other classes than 0.
    pub(super) fn code_points(&self) -> impl Iterator<Item = u32> {
        let blocks = self.index.iter().enumerate().filter(|&(_, &block)| block != 0);
        blocks.flat_map(|(number, _)| {
            (number * BLOCK..(number + 1) * BLOCK).map(|code_point| code_point as u32)
        })
    }

    /// Returns whether a class is plain.
    #[inline(always)]
    pub(super) fn is_plain(&self, class: u8) -> bool {
        class <= self.plain
    }

    /// Returns the range of plain characters around a plain one, or a part of it that is found quickly.
    #[cold]
    pub(super) fn plain_around(&self, code_point: u32) -> CodePointRange {
        const SIZE: u32 = BLOCK as u32;
        let is_plain =
            |code_point| code_point <= u32::from(char::MAX) && self.is_plain(self.class(code_point));
        // All characters of the first block are of class 0.
        let is_plain_block =
            |first: u32| first.is_multiple_of(SIZE) && self.index.get(first as usize / BLOCK) == Some(&0);
        let (mut first, mut end) = (code_point, code_point + 1);
        for _ in 0..MAX_RANGE_STEPS {
            match first.checked_sub(1) {
                Some(before) if first >= SIZE && is_plain_block(first - SIZE) => first = before + 1 - SIZE,
                Some(before) if is_plain(before) => first = before,
                _ => break,
            }
        }
        for _ in 0..MAX_RANGE_STEPS {
            match end {
                _ if is_plain_block(end) => end += SIZE,
                _ if is_plain(end) => end += 1,
                _ => break,
            }
        }
        (first, end - 1)
    }
}

/// The maximum number of steps to either side in the search for the ends of a range.
const MAX_RANGE_STEPS: usize = 1024;

/// Reads the table of a form.
const fn of_form(file: &'static [u8]) -> Classes {
    Classes::of(file, 0, |_, next| next == 0)
}

pub(super) static NFC: Classes = of_form(include_bytes!("classes/nfc"));
pub(super) static NFD: Classes = of_form(include_bytes!("classes/nfd"));
pub(super) static NFKC: Classes = of_form(include_bytes!("classes/nfkc"));
pub(super) static NFKD: Classes = of_form(include_bytes!("classes/nfkd"));
