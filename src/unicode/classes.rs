//! What kind of character each code point is: tables made from the data of ICU4X by `tests/suite/classes.rs`.

use super::clusters;
use crate::kernels::ranges::CodePointRange;

/// The class of every code point.
pub(super) struct Classes {
    /// For every 64 code points the number of their block; those beyond are of class 0.
    index: &'static [u8],
    blocks: &'static [[u8; BLOCK]],
    /// The last of the classes whose characters need nothing, if what stands beside them is of these classes, too.
    plain: u8,
    /// Whether a character of a class is nothing to those before it, the last of which is of another, nor these to it.
    pub(super) apart: fn(u8, u8) -> bool,
}

/// So many code points share a block.
const BLOCK: usize = 64;

impl Classes {
    /// The table that a file holds: the length of the index in two bytes, the index, the blocks.
    const fn of(file: &'static [u8], plain: u8, apart: fn(u8, u8) -> bool) -> Self {
        let Some((&[low, high], rest)) = file.split_first_chunk() else { panic!("no index") };
        let (index, blocks) = rest.split_at(u16::from_le_bytes([low, high]) as usize);
        Self { index, blocks: blocks.as_chunks().0, plain, apart }
    }

    /// The class of a code point.
    #[inline(always)]
    pub(super) fn class(&self, code_point: u32) -> u8 {
        let block = self.index.get(code_point as usize / BLOCK).copied().unwrap_or_default();
        self.blocks[usize::from(block)][code_point as usize % BLOCK]
    }

    /// Whether the characters of a class need nothing, if neither do their neighbours.
    #[inline(always)]
    pub(super) fn is_plain(&self, class: u8) -> bool {
        class <= self.plain
    }

    /// The range of plain characters that a plain one is in, or what of it is found soon.
    #[cold]
    pub(super) fn plain_around(&self, code_point: u32) -> CodePointRange {
        const SIZE: u32 = BLOCK as u32;
        let is_plain =
            |code_point| code_point <= u32::from(char::MAX) && self.is_plain(self.class(code_point));
        // The first block has nothing but characters of class 0.
        let is_plain_block =
            |first: u32| first.is_multiple_of(SIZE) && self.index.get(first as usize / BLOCK) == Some(&0);
        let (mut first, mut end) = (code_point, code_point + 1);
        for _ in 0..SOON {
            match first.checked_sub(1) {
                Some(before) if first >= SIZE && is_plain_block(first - SIZE) => first = before + 1 - SIZE,
                Some(before) if is_plain(before) => first = before,
                _ => break,
            }
        }
        for _ in 0..SOON {
            match end {
                _ if is_plain_block(end) => end += SIZE,
                _ if is_plain(end) => end += 1,
                _ => break,
            }
        }
        (first, end - 1)
    }
}

/// So many steps are gone to either side in search of the end of a range.
const SOON: usize = 1024;

/// The table of a form.
const fn of_form(file: &'static [u8]) -> Classes {
    Classes::of(file, 0, |_, next| next == 0)
}

pub(super) static NFC: Classes = of_form(include_bytes!("classes/nfc"));
pub(super) static NFD: Classes = of_form(include_bytes!("classes/nfd"));
pub(super) static NFKC: Classes = of_form(include_bytes!("classes/nfkc"));
pub(super) static NFKD: Classes = of_form(include_bytes!("classes/nfkd"));
pub(super) static GRAPHEMES: Classes =
    Classes::of(include_bytes!("classes/graphemes"), clusters::LAST_PLAIN, clusters::are_apart);
