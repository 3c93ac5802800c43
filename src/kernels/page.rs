//! Single-byte encodings, as kernels look them up: a byte below 80 is ASCII, any other a character of at most
//! U+FFFF, or nothing. What they are is told from outside; see [`transcode::Page`](crate::transcode::Page).

use crate::simd::Lookup;

/// The lead byte of characters of three bytes, the least there is; and what stands for that of a byte that means
/// nothing.
pub(crate) const THREE_BYTES: u8 = 0xE0;
pub(crate) const NO_LEAD: u8 = 0xFF;

/// Units of UCS-2 that share their upper bits, so many, are in a row.
const ROW: usize = 64;

/// What stands for the byte of a character that the page does not have; all others are below.
pub(crate) const MISSING: u16 = 0x100;

/// A page.
#[derive(Debug)]
pub(crate) struct Tables {
    /// The bytes in UTF-8 of what each byte from 80 on means: the first and the last; that between them, or 0.
    pub lead: [u8; 128],
    pub middle: [u8; 128],
    pub last: [u8; 128],
    /// How many bytes these are but the first; [`NO_LEAD`] for none.
    pub more: [u8; 128],
    /// The bytes in UTF-8 of what any byte means, and in the last place how many.
    pub spelled: [[u8; 4]; 256],
    /// For the upper bits of every unit the number of its row.
    row_of: [u8; 0x1_0000 / ROW],
    /// Rows of bytes for units; there may be fewer, but for any number is one.
    rows: Box<[[u16; ROW]; 256]>,
}

impl Tables {
    /// The page whose bytes from 80 on are these. `None` if a character is ASCII, or beyond U+FFFF.
    pub(crate) fn new(characters: &[Option<char>; 128]) -> Option<Self> {
        let [mut lead, mut middle, mut last, mut more] = [[0; 128]; 4];
        let mut row_of = [0; 0x1_0000 / ROW];
        // The first one has no character, and there are 130 others at most.
        let mut rows = vec![[MISSING; ROW]; 256];
        let mut number = 0;
        let mut enter = |unit: u16, byte: u16| {
            let row = &mut row_of[usize::from(unit) / ROW];
            if *row == 0 {
                number += 1;
                *row = number;
            }
            rows[usize::from(*row)][usize::from(unit) % ROW] = byte;
        };
        let mut spelled = [[NO_LEAD, NO_LEAD, 0, 3]; 256];
        for byte in 0..0x80 {
            spelled[usize::from(byte)] = [byte as u8, 0, 0, 1];
            enter(byte, byte);
        }
        for (index, character) in characters.iter().enumerate() {
            let Some(character) = character else {
                (lead[index], middle[index], more[index]) = (NO_LEAD, NO_LEAD, NO_LEAD);
                continue;
            };
            let unit = u16::try_from(u32::from(*character)).ok()?;
            match *character.encode_utf8(&mut [0; 3]).as_bytes() {
                [first, second] => (lead[index], last[index], more[index]) = (first, second, 1),
                [first, second, third] => {
                    (lead[index], middle[index], last[index], more[index]) = (first, second, third, 2);
                }
                _ => return None,
            }
            enter(unit, 0x80 + index as u16);
        }
        for (sequence, index) in spelled[0x80..].iter_mut().zip(0..) {
            *sequence = match middle[index] {
                0 => [lead[index], last[index], 0, 2],
                middle => [lead[index], middle, last[index], 3],
            };
        }
        let rows = rows.into_boxed_slice().try_into().ok()?;
        Some(Self { lead, middle, last, more, spelled, row_of, rows })
    }

    /// What a byte means, if anything.
    pub(crate) fn character(&self, byte: u8) -> Option<char> {
        let [bytes @ .., length] = &self.spelled[usize::from(byte)];
        str::from_utf8(bytes.get(..usize::from(*length))?).ok()?.chars().next()
    }

    /// The byte for a unit of UCS-2, or [`MISSING`].
    #[inline(always)]
    pub(crate) fn byte(&self, unit: u16) -> u16 {
        self.rows[usize::from(self.row_of[usize::from(unit) / ROW])][usize::from(unit) % ROW]
    }
}

/// As [`LookupHigh::lookup_high`](crate::simd::LookupHigh::lookup_high), by eight tables, each for the bytes that
/// share their upper four bits.
#[inline(always)]
pub(crate) fn lookup_high<I: Lookup>(isa: I, table: &[u8; 128], v: I::Vector) -> I::Vector {
    let mut all = isa.splat(0);
    let mut upper = 0x80;
    for entries in table.as_chunks().0 {
        // Below 16 only where these are the upper bits.
        let index = isa.xor(v, isa.splat(upper));
        all = isa.or(all, isa.lookup_or_zero(isa.table(entries), index));
        upper = upper.wrapping_add(0x10);
    }
    all
}
