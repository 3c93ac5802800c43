//! Single-byte encodings, as kernels look them up: a byte below 80 is ASCII, any other a character of at most
//! U+FFFF, or nothing. What they are is told from outside; see
//! [`SingleByteEncoding`](crate::transcode::SingleByteEncoding).

use crate::simd::{Lookup, Planes};

/// The lead byte of characters of three bytes, the least there is; and what stands for that of a byte that means
/// nothing.
pub(crate) const THREE_BYTES: u8 = 0xE0;
pub(crate) const NO_LEAD: u8 = 0xFF;

/// The characters that share all but seven bits.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Window {
    /// Their bytes, or 0 for those that are not there.
    pub bytes: [u8; WINDOW],
    /// The upper byte of their units of UCS-2.
    pub high: u8,
    /// What flips the highest bit of the lower byte, if that is not set, so that it is.
    pub flip: u8,
}

/// So many characters.
const WINDOW: usize = 128;

/// A page.
///
/// Tables for vectors stand first, and so that no vector is in two lines of the cache.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Tables {
    /// The bytes in UTF-8 of what each byte from 80 on means: the first and the last; that between them, or 0.
    pub lead: [u8; 128],
    pub middle: [u8; 128],
    pub last: [u8; 128],
    /// How many bytes these are but the first; [`NO_LEAD`] for none.
    pub more: [u8; 128],
    /// The bytes in UTF-8 of what any byte means, and in the last place how many.
    pub spelled: [[u8; 4]; 256],
    /// Where the characters are: first those windows where most are, and last ASCII.
    pub windows: Vec<Window>,
    /// For the upper bits of every unit of UCS-2 the index of its window, or one of none.
    window_of: [u8; 0x1_0000 / WINDOW],
}

impl Tables {
    /// The page whose bytes from 80 on are these. `None` if a character is ASCII, or beyond U+FFFF.
    pub(crate) fn new(characters: &[Option<char>; 128]) -> Option<Self> {
        let [mut lead, mut middle, mut last, mut more] = [[0; 128]; 4];
        let mut windows: Vec<Window> = vec![];
        let mut spelled = [[NO_LEAD, NO_LEAD, 0, 3]; 256];
        for byte in 0..0x80 {
            spelled[usize::from(byte)] = [byte, 0, 0, 1];
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
            enter(&mut windows, unit, 0x80 + index as u8);
        }
        for (sequence, index) in spelled[0x80..].iter_mut().zip(0..) {
            *sequence = match middle[index] {
                0 => [lead[index], last[index], 0, 2],
                middle => [lead[index], middle, last[index], 3],
            };
        }
        windows.sort_by_key(|window| window.bytes.iter().filter(|&&byte| byte == 0).count());
        // ASCII is looked up only character by character.
        (0..0x80).for_each(|byte| enter(&mut windows, byte.into(), byte));
        let mut window_of = [u8::MAX; _];
        for (window, number) in windows.iter().zip(0..) {
            window_of[window.number()] = number;
        }
        Some(Self { lead, middle, last, more, spelled, windows, window_of })
    }

    /// What a byte means, if anything.
    pub(crate) fn character(&self, byte: u8) -> Option<char> {
        let [bytes @ .., length] = &self.spelled[usize::from(byte)];
        str::from_utf8(bytes.get(..usize::from(*length))?).ok()?.chars().next()
    }

    /// The byte for a unit of UCS-2, if there is one.
    #[inline(always)]
    pub(crate) fn byte(&self, unit: u16) -> Option<u8> {
        let window = self.windows.get(usize::from(self.window_of[usize::from(unit) / WINDOW]))?;
        let byte = window.bytes[usize::from(unit) % WINDOW];
        ((byte != 0) | (unit == 0)).then_some(byte)
    }
}

impl Window {
    /// The upper bits of its units.
    fn number(&self) -> usize {
        2 * usize::from(self.high) + usize::from(self.flip == 0)
    }
}

/// Enters the byte for a unit of UCS-2.
fn enter(windows: &mut Vec<Window>, unit: u16, byte: u8) {
    let number = usize::from(unit) / WINDOW;
    let place = windows.iter().position(|window| window.number() == number).unwrap_or_else(|| {
        let [low, high] = unit.to_le_bytes();
        windows.push(Window { bytes: [0; WINDOW], high, flip: !low & 0x80 });
        windows.len() - 1
    });
    windows[place].bytes[usize::from(unit) % WINDOW] = byte;
}

/// What each table has for the bytes of `v` from 80 on, and 0 for those of ASCII.
#[inline(always)]
pub(crate) fn lookup_high<I: Planes, const TABLES: usize>(
    isa: I,
    tables: [&[u8; 128]; TABLES],
    v: I::Vector,
) -> [I::Vector; TABLES] {
    let mut all = isa.lookup_seven(tables, v);
    let mut table = 0;
    while table < TABLES {
        all[table] = isa.only(isa.non_ascii(v), all[table]);
        table += 1;
    }
    all
}

/// As [`LookupSeven::lookup_seven`](crate::simd::LookupSeven::lookup_seven), by tables of sixteen: all are looked up by the
/// lower four bits, and the upper ones pick among them, a bit at a time.
#[inline(always)]
pub(crate) fn lookup_seven<I: Lookup + Planes, const TABLES: usize>(
    isa: I,
    tables: [&[u8; 128]; TABLES],
    v: I::Vector,
) -> [I::Vector; TABLES] {
    let index = Planes::and(isa, v, isa.splat(0x0F));
    let bits = [isa.non_ascii(isa.up::<3>(v)), isa.non_ascii(isa.up::<2>(v)), isa.non_ascii(isa.up::<1>(v))];
    let mut all = [v; TABLES];
    let mut table = 0;
    while table < TABLES {
        let mut found = [v; 8];
        let mut sixteen = 0;
        while sixteen < 8 {
            found[sixteen] = isa.lookup(isa.table(&tables[table].as_chunks().0[sixteen]), index);
            sixteen += 1;
        }
        let mut bit = 0;
        while bit < 3 {
            let mut pair = 0;
            while pair < 4 >> bit {
                found[pair] = isa.pick(bits[bit], found[2 * pair + 1], found[2 * pair]);
                pair += 1;
            }
            bit += 1;
        }
        all[table] = found[0];
        table += 1;
    }
    all
}
