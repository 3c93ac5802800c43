//! What the forms of five bytes and more have in common: integers, not characters, so that surrogates are nothing
//! special.
//!
//! Blocks that are as in UTF-8, but for surrogates, are handled by its kernels; others sequence by sequence, by the
//! definition, [`Long::first`].

use core::convert::Infallible;
use core::fmt;

use super::VariantError;
use crate::boundary::head;
use crate::kernels::validate::IsValid;
use crate::kernels::validate::rules::Generalized;
use crate::sequence::{announced_length, is_continuation};
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::{MaybeUninit, Scratch, filled, put};

/// UTF-8 with longer forms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Long {
    /// Its name, as errors tell it.
    pub name: &'static str,
    /// The length of its longest form in bytes.
    pub longest: usize,
}

pub(crate) const RFC2279: Long = Long { name: "rfc2279", longest: 6 };
pub(crate) const EXTENDED: Long = Long { name: "extended", longest: 8 };

/// An integer and its length in bytes, or what is wrong and over how many bytes.
type First = Result<(u64, usize), (&'static str, usize)>;

/// Blocks of so many bytes, or integers, are handled at once.
const BLOCK: usize = 4 << 10;
const UNITS: usize = 1 << 10;

/// An integer that no form is long enough for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueTooLarge {
    at: usize,
    value: u64,
    largest: u64,
}

impl ValueTooLarge {
    /// The integer's index.
    pub const fn at(&self) -> usize {
        self.at
    }

    /// The integer.
    pub const fn value(&self) -> u64 {
        self.value
    }
}

impl fmt::Display for ValueTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#X} at index {} is beyond {:#X}", self.value, self.at, self.largest)
    }
}

impl core::error::Error for ValueTooLarge {}

/// How many bits a form of so many bytes holds.
const fn bits(length: usize) -> usize {
    match length {
        1 => 7,
        // One bit less in the first byte for each byte more; from seven bytes on it has none.
        2..7 => 5 * length + 1,
        _ => 6 * (length - 1),
    }
}

/// The length of the shortest form for a value of so many bits.
const SHORTEST: [u8; 65] = {
    let mut lengths = [8; 65];
    let mut length = 7;
    while length > 0 {
        let mut fits = 0;
        while fits <= bits(length) {
            lengths[fits] = length as u8;
            fits += 1;
        }
        length -= 1;
    }
    lengths
};

/// The length of the shortest form for a value.
fn shortest(value: u64) -> usize {
    usize::from(SHORTEST[64 - value.leading_zeros() as usize])
}

/// The form of so many bytes that spells `value`; what comes after them means nothing.
fn spelled(value: u64, length: usize) -> [u8; 8] {
    if length == 1 {
        return (value << 56).to_be_bytes();
    }
    let mut spread = 0x8080_8080_8080_8080;
    for byte in 0..8 {
        spread |= (value >> (6 * byte) & 0x3F) << (8 * byte);
    }
    let mark = 0xFF00 >> length & 0xFF;
    ((spread | mark << (8 * (length - 1))) << (8 * (8 - length))).to_be_bytes()
}

impl Long {
    /// The largest integer that there is a form for.
    pub(crate) const fn largest(self) -> u64 {
        (1 << bits(self.longest)) - 1
    }

    /// What `bytes` begin with; `None` if there are none.
    pub(crate) fn first(self, bytes: &[u8]) -> Option<First> {
        let &lead = bytes.first()?;
        let length = announced_length(lead);
        if length == 1 {
            return Some(Ok((lead.into(), 1)));
        }
        if length == 0 || length > self.longest {
            return Some(Err(("invalid start byte", 1)));
        }
        let mut value = u64::from(lead) & (0x7F >> length);
        if length == 2 && value < 2 {
            return Some(Err(("overlong form", 1)));
        }
        for at in 1..length {
            let Some(&byte) = bytes.get(at) else { return Some(Err(("unexpected end of data", at))) };
            if !is_continuation(byte) {
                return Some(Err(("invalid continuation byte", at)));
            }
            value = value << 6 | u64::from(byte & 0x3F);
            // The first two bytes tell whether the value fits a shorter form, whatever follows.
            if at == 1 && length > 2 && value << (6 * (length - 2)) < 1 << bits(length - 1) {
                return Some(Err(("overlong form", 1)));
            }
        }
        Some(Ok((value, length)))
    }

    /// How many bytes at the end of `data` may go on to be something else after them.
    #[cfg_attr(not(feature = "python"), expect(dead_code))]
    pub(crate) fn unfinished(self, data: &[u8]) -> usize {
        let tail = &data[data.len().saturating_sub(self.longest - 1)..];
        let lead = tail.iter().rposition(|&byte| !is_continuation(byte));
        let last = lead.map_or(&[] as &[u8], |at| &tail[at..]);
        match self.first(last) {
            Some(Err(("unexpected end of data", length))) => length,
            _ => 0,
        }
    }

    /// Decodes `data` into `out`, which has room for as many integers as there are bytes other than 80 to BF. Returns
    /// how many were written. Tells `worked` how much was done, in bytes, and stops if that returns an error.
    pub(crate) fn decode<N: Integer, E>(
        self,
        by: Implementation,
        data: &[u8],
        out: &mut [MaybeUninit<N>],
        mut worked: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Result<usize, VariantError>, E> {
        let (mut at, mut written) = (0, 0);
        while at < data.len() {
            let block = head(&data[at..], BLOCK);
            let end = at + block.len();
            if by.run(IsValid::<_, true>(block, Generalized)) {
                written += N::fill(by, block, &mut out[written..]);
                at = end;
            }
            while at < end
                && let Some(first) = self.first(&data[at..])
            {
                match first {
                    Ok((value, length)) => {
                        written += put(&mut out[written..], &[N::of(value)]);
                        at += length;
                    }
                    Err((reason, length)) => {
                        let (variant, end) = (self.name, at + length);
                        return Ok(Err(VariantError { variant, start: at, end, reason }));
                    }
                }
            }
            worked(block.len())?;
        }
        Ok(Ok(written))
    }

    /// How many bytes `values` take in forms of at least so many; or the index of one that there is no form for.
    pub(crate) fn length(self, by: Implementation, values: &[u64], least: usize) -> Result<usize, usize> {
        let mut room = [0; UNITS];
        let mut length = 0;
        for (index, block) in values.chunks(UNITS).enumerate() {
            if let Some(units) = as_in_utf8(block, least, &mut room) {
                length += by.utf8_length(units);
                continue;
            }
            if let Some(at) = block.iter().position(|&value| value > self.largest()) {
                return Err(index * UNITS + at);
            }
            length += block.iter().map(|&value| shortest(value).max(least)).sum::<usize>();
        }
        Ok(length)
    }

    /// Encodes `values`, which there are forms for, in such of at least so many bytes into just the room that it
    /// takes. Returns how many bytes were written.
    pub(crate) fn encode(
        self,
        by: Implementation,
        values: &[u64],
        least: usize,
        out: &mut [MaybeUninit<u8>],
    ) -> usize {
        let mut room = [0; UNITS];
        let mut written = 0;
        for block in values.chunks(UNITS) {
            if let Some(units) = as_in_utf8(block, least, &mut room) {
                written += by.encode(units, &mut out[written..]).written;
                continue;
            }
            for &value in block {
                let length = shortest(value).max(least);
                written += put(&mut out[written..], &spelled(value, length)[..length]);
            }
        }
        written
    }

    /// All integers of `data`.
    pub(super) fn decode_all<N: Integer>(
        self,
        by: Implementation,
        data: &[u8],
    ) -> Result<Vec<N>, VariantError> {
        let mut outcome = Ok(0);
        let values = filled(crate::count_chars(data), |out| {
            let Ok(decoded) = self.decode(by, data, out, |_| Ok::<(), Infallible>(()));
            outcome = decoded;
            decoded.unwrap_or(0)
        });
        outcome.map(|_| values)
    }

    /// The bytes of all `values`.
    pub(super) fn encode_all(
        self,
        by: Implementation,
        values: &[u64],
        least: usize,
    ) -> Result<Vec<u8>, ValueTooLarge> {
        assert!((1..=self.longest).contains(&least), "a form has 1 to {} bytes, not {least}", self.longest);
        match self.length(by, values, least) {
            Ok(length) => Ok(filled(length, |out| self.encode(by, values, least, out))),
            Err(at) => Err(ValueTooLarge { at, value: values[at], largest: self.largest() }),
        }
    }
}

/// The integers as UTF-32 with surrogates, if that is what they are, and may be encoded in their shortest forms.
fn as_in_utf8<'a>(values: &[u64], least: usize, room: &'a mut [u32; UNITS]) -> Option<&'a [u32]> {
    // Together they have more bits than the largest, perhaps; then they are encoded one by one, which is right, too.
    if least > 1 || values.iter().fold(0, |bits, &value| bits | value) > 0x10_FFFF {
        return None;
    }
    for (unit, &value) in room.iter_mut().zip(values) {
        *unit = value as u32;
    }
    Some(&room[..values.len()])
}

/// What is decoded to.
pub(crate) trait Integer: Copy + Default {
    /// The integer with this value, which it has.
    fn of(value: u64) -> Self;

    /// Writes the code points of `block`, which is UTF-8 with surrogates, and returns how many there are.
    fn fill(by: Implementation, block: &[u8], out: &mut [MaybeUninit<Self>]) -> usize;
}

impl Integer for u32 {
    fn of(value: u64) -> Self {
        value as Self
    }

    fn fill(by: Implementation, block: &[u8], out: &mut [MaybeUninit<Self>]) -> usize {
        by.fill(block, &mut out[..by.measure_valid(block).chars])
    }
}

impl Integer for u64 {
    fn of(value: u64) -> Self {
        value
    }

    fn fill(by: Implementation, block: &[u8], out: &mut [MaybeUninit<Self>]) -> usize {
        let mut units = Scratch::<u32, BLOCK>::new();
        let units = units.filled(block.len(), |out| by.fill(block, out));
        for (place, &unit) in out.iter_mut().zip(units) {
            place.write(unit.into());
        }
        units.len()
    }
}
