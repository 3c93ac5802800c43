//! Integers in the forms of UTF-8 and longer ones. They are not characters, so that surrogates are integers as any
//! other.
//!
//! Blocks of generalized UTF-8 are converted by the kernels; others sequence by sequence, by the definition,
//! [`IntegerForms::decode_one`].

use core::fmt;

use super::VariantError;
use crate::count::count_chars;
use crate::progress::{Progress, Stopped, uninterrupted, unobserved};
use crate::sequence::boundary::head;
use crate::sequence::{announced_length, is_continuation};
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::{MaybeUninit, Scratch, filled, put};

/// The forms of UTF-8 and longer ones.
#[derive(Clone, Copy, Debug)]
pub struct IntegerForms {
    /// The name in errors.
    pub name: &'static str,
    /// The length of the longest form in bytes.
    pub longest: usize,
}

/// Integers of up to 31 bits (RFC 2279).
pub const RFC2279: IntegerForms = IntegerForms { name: "rfc2279", longest: 6 };
/// Integers of up to 42 bits.
pub const EXTENDED: IntegerForms = IntegerForms { name: "extended", longest: 8 };

/// An integer and its length in bytes, or the reason why the bytes are malformed and their number.
type DecodedInteger = Result<(u64, usize), (&'static str, usize)>;

/// The number of bytes, and of integers, that are converted at once.
const BLOCK_BYTES: usize = 4 << 10;
const BLOCK_INTEGERS: usize = 1 << 10;

/// An integer that is too large for the longest form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueTooLarge {
    at: usize,
    value: u64,
    largest: u64,
}

impl ValueTooLarge {
    /// Returns the index of the integer.
    pub const fn at(&self) -> usize {
        self.at
    }

    /// Returns the integer.
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

/// Returns the number of bits in a form of `length` bytes.
const fn bits(length: usize) -> usize {
    match length {
        1 => 7,
        // The first byte has one bit less for each byte more, and none from seven bytes on.
        2..7 => 5 * length + 1,
        _ => 6 * (length - 1),
    }
}

/// The length of the shortest form in bytes for each number of bits.
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

/// Returns the length of the shortest form for a value in bytes.
fn shortest(value: u64) -> usize {
    usize::from(SHORTEST[64 - value.leading_zeros() as usize])
}

/// Returns the form of `value` with `length` bytes; the bytes after them are arbitrary.
fn form_of(value: u64, length: usize) -> [u8; 8] {
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

impl IntegerForms {
    /// Returns the largest integer that has a form.
    pub const fn largest(self) -> u64 {
        (1 << bits(self.longest)) - 1
    }

    /// Decodes the start of `bytes`; `None` if there are none.
    pub(crate) fn decode_one(self, bytes: &[u8]) -> Option<DecodedInteger> {
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
            // The first two bytes determine whether the value fits a shorter form.
            if at == 1 && length > 2 && value << (6 * (length - 2)) < 1 << bits(length - 1) {
                return Some(Err(("overlong form", 1)));
            }
        }
        Some(Ok((value, length)))
    }

    /// Returns the number of bytes at the end of `data` that later bytes can complete.
    #[cfg_attr(not(feature = "bindings"), expect(dead_code))]
    pub fn incomplete_suffix(self, data: &[u8]) -> usize {
        let tail = &data[data.len().saturating_sub(self.longest - 1)..];
        let lead = tail.iter().rposition(|&byte| !is_continuation(byte));
        let last = lead.map_or(&[] as &[u8], |at| &tail[at..]);
        match self.decode_one(last) {
            Some(Err(("unexpected end of data", length))) => length,
            _ => 0,
        }
    }

    /// Decodes `data` into `out`, which has the length of the number of bytes other than 80 to BF. Returns the number
    /// of integers written.
    pub fn decode<N: Integer>(
        self,
        by: Implementation,
        data: &[u8],
        out: &mut [MaybeUninit<N>],
        progress: Progress<'_>,
    ) -> Result<Result<usize, VariantError>, Stopped> {
        let (mut at, mut written) = (0, 0);
        while at < data.len() {
            let block = head(&data[at..], BLOCK_BYTES);
            let end = at + block.len();
            if by.is_generalized(block) {
                written += N::fill(by, block, &mut out[written..]);
                at = end;
            }
            while at < end
                && let Some(decoded) = self.decode_one(&data[at..])
            {
                match decoded {
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
            progress(block.len())?;
        }
        Ok(Ok(written))
    }

    /// Returns the length of `values` in bytes, in forms of at least `least` bytes; or the index of one that is too
    /// large.
    pub fn length(self, by: Implementation, values: &[u64], least: usize) -> Result<usize, usize> {
        let mut buffer = [0; BLOCK_INTEGERS];
        let mut length = 0;
        for (index, block) in values.chunks(BLOCK_INTEGERS).enumerate() {
            if let Some(units) = as_in_utf8(block, least, &mut buffer) {
                length += by.utf8_length(units);
                continue;
            }
            if let Some(at) = block.iter().position(|&value| value > self.largest()) {
                return Err(index * BLOCK_INTEGERS + at);
            }
            length += block.iter().map(|&value| shortest(value).max(least)).sum::<usize>();
        }
        Ok(length)
    }

    /// Encodes `values`, which are not too large, in forms of at least `least` bytes into `out`, which has exactly
    /// their [`length`](Self::length). Returns the number of bytes written.
    pub fn encode(
        self,
        by: Implementation,
        values: &[u64],
        least: usize,
        out: &mut [MaybeUninit<u8>],
    ) -> usize {
        let mut buffer = [0; BLOCK_INTEGERS];
        let mut written = 0;
        for block in values.chunks(BLOCK_INTEGERS) {
            if let Some(units) = as_in_utf8(block, least, &mut buffer) {
                written += by.encode(units, &mut out[written..]).written;
                continue;
            }
            for &value in block {
                let length = shortest(value).max(least);
                written += put(&mut out[written..], &form_of(value, length)[..length]);
            }
        }
        written
    }

    /// Decodes all of `data`.
    pub(super) fn decode_all<N: Integer>(
        self,
        by: Implementation,
        data: &[u8],
    ) -> Result<Vec<N>, VariantError> {
        let mut outcome = Ok(0);
        let values = filled(count_chars(data), |out| {
            outcome = uninterrupted(self.decode(by, data, out, &mut unobserved));
            outcome.unwrap_or(0)
        });
        outcome.map(|_| values)
    }

    /// Encodes all `values`.
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

/// Returns the integers as UTF-32 with surrogates if they are code points and are encoded in their shortest forms.
fn as_in_utf8<'a>(values: &[u64], least: usize, buffer: &'a mut [u32; BLOCK_INTEGERS]) -> Option<&'a [u32]> {
    // The bits of all together may exceed the largest integer; then the integers are encoded one by one.
    if least > 1 || values.iter().fold(0, |bits, &value| bits | value) > 0x10_FFFF {
        return None;
    }
    for (unit, &value) in buffer.iter_mut().zip(values) {
        *unit = value as u32;
    }
    Some(&buffer[..values.len()])
}

/// An integer that is decoded to.
pub trait Integer: Copy + Default {
    /// Returns the integer with this value, which fits.
    fn of(value: u64) -> Self;

    /// Writes the code points of `block`, valid generalized UTF-8. Returns their number.
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
        let mut units = Scratch::<u32, BLOCK_BYTES>::uninit();
        let units = units.filled(block.len(), |out| by.fill(block, out));
        for (place, &unit) in out.iter_mut().zip(units) {
            place.write(unit.into());
        }
        units.len()
    }
}
