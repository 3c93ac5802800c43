//! Single-byte encodings, as kernels look them up: a byte below 80 is ASCII, any other a character of at most
//! U+FFFF, or nothing. What they are is told from outside; see [`transcode::Page`](crate::transcode::Page).

/// What a byte that means nothing has for a unit of UCS-2: a surrogate, which is no character.
const NOTHING: u16 = 0xDC00;

/// Units of UCS-2 that share their upper bits, so many, are in a row.
const ROW: usize = 64;

/// What stands for a character that the page does not have; all others are below.
pub(crate) const MISSING: u16 = 0x100;

/// A page.
#[derive(Debug)]
pub(crate) struct Tables {
    /// The unit of UCS-2 for every byte.
    units: [u16; 256],
    /// For the upper bits of every unit the number of its row.
    row_of: [u8; 0x1_0000 / ROW],
    /// Rows of bytes for units; there may be fewer, but for any number is one.
    rows: Box<[[u16; ROW]; 256]>,
}

impl Tables {
    /// The page whose bytes from 80 on are these. `None` if a character is ASCII, or beyond U+FFFF.
    pub(crate) fn new(high: &[Option<char>; 128]) -> Option<Self> {
        let mut units = [NOTHING; 256];
        for byte in 0..0x80u8 {
            units[usize::from(byte)] = byte.into();
        }
        for (unit, character) in units[0x80..].iter_mut().zip(high) {
            if let Some(character) = character {
                *unit = u16::try_from(u32::from(*character)).ok().filter(|&unit| unit >= 0x80)?;
            }
        }
        let mut row_of = [0; 0x1_0000 / ROW];
        // The first one has no character, and there are 130 others at most.
        let mut rows = vec![[MISSING; ROW]; 256];
        let mut last = 0;
        for (byte, &unit) in units.iter().enumerate().filter(|&(_, &unit)| unit != NOTHING) {
            let row = &mut row_of[usize::from(unit) / ROW];
            if *row == 0 {
                last += 1;
                *row = last;
            }
            rows[usize::from(*row)][usize::from(unit) % ROW] = byte as u16;
        }
        Some(Self { units, row_of, rows: rows.into_boxed_slice().try_into().ok()? })
    }

    /// The unit of UCS-2 for a byte; a surrogate if it means nothing.
    #[inline(always)]
    pub(crate) fn unit(&self, byte: u8) -> u16 {
        self.units[usize::from(byte)]
    }

    /// The byte for a unit of UCS-2, or [`MISSING`].
    #[inline(always)]
    pub(crate) fn byte(&self, unit: u16) -> u16 {
        self.rows[usize::from(self.row_of[usize::from(unit) / ROW])][usize::from(unit) % ROW]
    }
}
