//! The tables of a single-byte encoding for kernels: a byte below 80 is ASCII, any other a character of at most U+FFFF,
//! or undefined. The characters come from the caller; see [`SingleByteEncoding`](crate::encodings::SingleByteEncoding).

use crate::simd::Planes;

/// Replaces the lead byte of the character of an undefined byte.
pub(crate) const NO_LEAD: u8 = 0xFF;

/// The bytes of 128 characters that share all but seven bits.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct CharWindow {
    /// The byte of each character, 0 for those that the encoding does not have.
    pub bytes: [u8; WINDOW_CHARS],
    /// The upper byte of their UCS-2 code units.
    pub high: u8,
    /// 80 if the highest bit of the lower byte is clear in all of them, else 0.
    pub flip: u8,
}

/// Characters in a window.
const WINDOW_CHARS: usize = 128;

/// The tables of an encoding.
///
/// Tables for vectors come first, so that no vector is in two cache lines.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct SingleByteTables {
    /// The UTF-8 bytes of the character of each byte from 80 on: the first, the second of three or 0, and the last.
    pub lead: [u8; 128],
    pub middle: [u8; 128],
    pub last: [u8; 128],
    /// The number of these bytes but the first; [`NO_LEAD`] for an undefined byte.
    pub continuations: [u8; 128],
    /// The UTF-8 bytes of the character of any byte, and as the last element their number.
    pub sequences: [[u8; 4]; 256],
    /// The windows that have characters: first those that have most, and last ASCII.
    pub windows: Vec<CharWindow>,
    /// For the upper bits of every UCS-2 code unit the index of its window, or an index past the last window.
    window_of: [u8; 0x1_0000 / WINDOW_CHARS],
}

impl SingleByteTables {
    /// Returns the tables for these characters of the bytes from 80 on. `None` if one is ASCII, or beyond U+FFFF.
    pub(crate) fn new(characters: &[Option<char>; 128]) -> Option<Self> {
        let [mut lead, mut middle, mut last, mut continuations] = [[0; 128]; 4];
        let mut windows: Vec<CharWindow> = vec![];
        let mut sequences = [[NO_LEAD, NO_LEAD, 0, 3]; 256];
        for byte in 0..0x80 {
            sequences[usize::from(byte)] = [byte, 0, 0, 1];
        }
        for (index, character) in characters.iter().enumerate() {
            let Some(character) = character else {
                (lead[index], middle[index], continuations[index]) = (NO_LEAD, NO_LEAD, NO_LEAD);
                continue;
            };
            let unit = u16::try_from(u32::from(*character)).ok()?;
            match *character.encode_utf8(&mut [0; 3]).as_bytes() {
                [first, second] => (lead[index], last[index], continuations[index]) = (first, second, 1),
                [first, second, third] => {
                    (lead[index], middle[index], last[index], continuations[index]) =
                        (first, second, third, 2);
                }
                _ => return None,
            }
            enter(&mut windows, unit, 0x80 + index as u8);
        }
        for (sequence, index) in sequences[0x80..].iter_mut().zip(0..) {
            *sequence = match middle[index] {
                0 => [lead[index], last[index], 0, 2],
                middle => [lead[index], middle, last[index], 3],
            };
        }
        windows.sort_by_cached_key(|window| window.bytes.iter().filter(|&&byte| byte == 0).count());
        // ASCII is looked up only character by character.
        (0..0x80).for_each(|byte| enter(&mut windows, byte.into(), byte));
        let mut window_of = [u8::MAX; _];
        for (window, number) in windows.iter().zip(0..) {
            window_of[window.number()] = number;
        }
        Some(Self { lead, middle, last, continuations, sequences, windows, window_of })
    }

    /// Returns the character of a byte, unless it is undefined.
    pub(crate) fn character(&self, byte: u8) -> Option<char> {
        let [bytes @ .., length] = &self.sequences[usize::from(byte)];
        str::from_utf8(bytes.get(..usize::from(*length))?).ok()?.chars().next()
    }

    /// Returns the byte of a UCS-2 code unit, if there is one.
    #[inline(always)]
    pub(crate) fn byte(&self, unit: u16) -> Option<u8> {
        let window = self.windows.get(usize::from(self.window_of[usize::from(unit) / WINDOW_CHARS]))?;
        let byte = window.bytes[usize::from(unit) % WINDOW_CHARS];
        ((byte != 0) | (unit == 0)).then_some(byte)
    }
}

impl CharWindow {
    /// Returns the upper bits of its code units.
    fn number(&self) -> usize {
        2 * usize::from(self.high) + usize::from(self.flip == 0)
    }
}

/// Enters the byte of a UCS-2 code unit.
fn enter(windows: &mut Vec<CharWindow>, unit: u16, byte: u8) {
    let number = usize::from(unit) / WINDOW_CHARS;
    let place = windows.iter().position(|window| window.number() == number).unwrap_or_else(|| {
        let [low, high] = unit.to_le_bytes();
        windows.push(CharWindow { bytes: [0; WINDOW_CHARS], high, flip: !low & 0x80 });
        windows.len() - 1
    });
    windows[place].bytes[usize::from(unit) % WINDOW_CHARS] = byte;
}

/// Returns the entry of each table for each byte of `v` from 80 on, and 0 for ASCII.
#[inline(always)]
pub(crate) fn lookup_high<I: Planes, const TABLES: usize>(
    isa: I,
    tables: [&[u8; 128]; TABLES],
    v: I::Vector,
) -> [I::Vector; TABLES] {
    let mut all = isa.lookup128(tables, v);
    let mut table = 0;
    while table < TABLES {
        all[table] = isa.retain(isa.non_ascii(v), all[table]);
        table += 1;
    }
    all
}
