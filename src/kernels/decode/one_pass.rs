//! Decoding without vectors in the pass that validates, where the output may be longer than the text.
//!
//! 1. ASCII is written by words up to the next character beyond it, which is checked and decoded alone. After one of
//!    three bytes, up to four more are decoded at once, as Chinese has them; after one of four, more of four.
//! 2. Where short words of such characters alternate with spaces, as in Russian or Korean, it is hard to predict where
//!    they end. So if many characters beyond ASCII are decoded alone, a longer stretch is validated and decoded in two
//!    passes, without such branches ([`words`](crate::kernels::validate::words), [`scalar`](super::scalar)), and a
//!    short one in one pass indicates whether others follow.
//!
//! Short text is decoded to units of 16 bits before the kind of its str is known, and then copied, since for so few
//! characters measuring takes as long as decoding.
//!
//! Two passes alone take 1.2 to 2 times as long for Chinese, and where ASCII is frequent. Other ways are compared in
//! `benches/record/2026-11-28-intel-xeon-one-pass.md`.

use core::mem;

use super::kernels::CodeUnit;
use super::scalar::decode_valid;
use crate::kernels::validate::validator::Validator;
use crate::kernels::validate::words::Words;
use crate::sequence::FOUR_BYTE_LEAD;
use crate::sequence::boundary::head;
use crate::simd::dispatch::Implementation;
use crate::simd::uninit::MaybeUninit;
use crate::simd::{Isa, Scalar};

impl Implementation {
    /// Returns whether text of `length` bytes is best decoded by [`OnePass`], rather than measured first.
    #[doc(hidden)]
    #[inline(always)]
    pub fn decodes_in_one_pass(self, length: usize) -> bool {
        !self.has_vectors() && (MIN_BYTES..=MAX_BYTES).contains(&length)
    }

    /// Returns whether text of `length` bytes is best decoded by [`OnePass::decode_short`], rather than measured first.
    #[doc(hidden)]
    #[inline(always)]
    pub fn decodes_short(self, length: usize) -> bool {
        !self.has_vectors() && length <= OnePass::MAX_SHORT_BYTES
    }
}

/// A decoder that validates text in the same pass, piece by piece.
pub struct OnePass {
    /// The bytes of the next stretch in two passes; 0 if they take longer.
    two_pass_bytes: usize,
    /// The bytes of the stretch in one pass after it.
    one_pass_bytes: usize,
}

/// The decoded part of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The number of bytes, up to a character's end.
    pub bytes: usize,
    /// The number of units written.
    pub units: usize,
    /// Why it ends there.
    pub end: End,
}

/// Why decoding ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// All is decoded.
    Data,
    /// The next character is larger than the largest that may be written.
    Large,
    /// The next bytes are an error.
    Error,
}

/// The least bytes for which a result that is too long, and widened, takes less time than to measure first.
const MIN_BYTES: usize = 1024;
/// The largest lead byte of characters up to U+FFFF.
const LARGEST_LEAD_OF_16_BITS: u8 = FOUR_BYTE_LEAD - 1;
/// The most bytes for which a result may be allocated that is up to four times too long.
const MAX_BYTES: usize = 64 << 20;
/// Bytes of a stretch in one pass, after which it is decided how to continue.
const STRETCH_BYTES: usize = 8192;
/// Bytes of such a stretch after one in two passes.
const PROBE_BYTES: usize = 256;
/// Bytes of the first stretch in two passes.
const MIN_STRETCH_BYTES: usize = 4096;
/// The most bytes of a stretch in two passes; each has twice as many as the one before.
const MAX_STRETCH_BYTES: usize = 16 << 10;
/// Words of ASCII after which whole blocks are expected.
const WORDS_BEFORE_BLOCKS: usize = 8;
/// Bytes of ASCII that are written at once where more follows.
const BLOCK_BYTES: usize = 64;
/// Two passes take less time if fewer bytes than this are decoded for each character that is decoded alone.
const BYTES_FOR_EACH_ALONE: usize = 4;
/// The bytes of four characters of three, with those that words may reach.
const PAIRS_BYTES: usize = 14;
/// The number of such characters that one of three bytes counts for.
const COST_OF_THREE: usize = 2;

impl Default for OnePass {
    fn default() -> Self {
        Self { two_pass_bytes: 0, one_pass_bytes: PROBE_BYTES }
    }
}

impl OnePass {
    /// The most bytes of text for which decoding to another place, and then copying, takes less time than measuring.
    pub const MAX_SHORT_BYTES: usize = 384;

    /// Decodes short text of characters up to U+FFFF, and returns the number of units; `None` if it has an error or
    /// others.
    ///
    /// Panics if `out` has fewer places than `data` has bytes.
    pub fn decode_short(data: &[u8], out: &mut [MaybeUninit<u16>]) -> Option<usize> {
        let (decoded, _) = in_one_pass(data, data.len(), &mut out[..data.len()], LARGEST_LEAD_OF_16_BITS);
        (decoded.end == End::Data).then_some(decoded.units)
    }

    /// Decodes the characters of `data` up to an error, or to one with a lead byte above `largest_lead`; each must take
    /// one unit, so with units of 16 bits `largest_lead` is at most EF.
    ///
    /// Panics if `out` has fewer places than `data` has bytes.
    pub fn decode<U: CodeUnit>(
        &mut self,
        data: &[u8],
        out: &mut [MaybeUninit<U>],
        largest_lead: u8,
    ) -> Decoded {
        let out = &mut out[..data.len()];
        let (mut bytes, mut units) = (0, 0);
        loop {
            let dense = head(&data[bytes..], self.two_pass_bytes);
            let mut length = self.one_pass_bytes;
            match in_two_passes(dense, &mut out[units..], largest_lead) {
                Some(written) => {
                    bytes += dense.len();
                    units += written;
                }
                // The end is somewhere in it.
                None => length = dense.len(),
            }
            let (stretch, alone) = in_one_pass(&data[bytes..], length, &mut out[units..], largest_lead);
            bytes += stretch.bytes;
            units += stretch.units;
            if stretch.end != End::Data || bytes >= data.len() {
                return Decoded { bytes, units, ..stretch };
            }
            (self.two_pass_bytes, self.one_pass_bytes) = match alone * BYTES_FOR_EACH_ALONE > stretch.bytes {
                true => ((2 * self.two_pass_bytes).clamp(MIN_STRETCH_BYTES, MAX_STRETCH_BYTES), PROBE_BYTES),
                false => (0, STRETCH_BYTES),
            };
        }
    }
}

/// Decodes text in two passes, and returns the number of units; `None`, with nothing written, if it has an error or a
/// lead byte above `largest_lead`.
fn in_two_passes<U: CodeUnit>(data: &[u8], out: &mut [MaybeUninit<U>], largest_lead: u8) -> Option<usize> {
    let counts = Words::measure::<true>(Scalar, data).filter(|counts| counts.largest <= largest_lead)?;
    Some(decode_valid(data, &mut out[..data.len() - counts.continuations]))
}

/// Decodes the characters that start in the first `length` bytes, as [`OnePass::decode`]. Returns also the number of
/// characters that were decoded alone. (Not inlined, as it takes about five hundred instructions.)
#[inline(never)]
fn in_one_pass<U: CodeUnit>(
    data: &[u8],
    length: usize,
    out: &mut [MaybeUninit<U>],
    largest_lead: u8,
) -> (Decoded, usize) {
    let places = out.len();
    let mut text = Text { rest: data, places: out, alone: 0 };
    let end = text.decode(data.len().saturating_sub(length), largest_lead);
    (Decoded { bytes: data.len() - text.rest.len(), units: places - text.places.len(), end }, text.alone)
}

/// Text that is being decoded.
struct Text<'a, U> {
    /// The bytes that are not decoded yet.
    rest: &'a [u8],
    /// The places for their units.
    places: &'a mut [MaybeUninit<U>],
    /// The number of characters of two bytes that were decoded alone, and more for one of three.
    alone: usize,
}

impl<U: CodeUnit> Text<'_, U> {
    /// Decodes until at most `left` bytes are left.
    #[inline(always)]
    fn decode(&mut self, left: usize, largest_lead: u8) -> End {
        loop {
            self.decode_ascii(left);
            if self.rest.len() <= left {
                return End::Data;
            }
            if let Err(end) = self.decode_beyond_ascii(largest_lead) {
                return end;
            }
        }
    }

    /// Decodes ASCII up to another character, or until at most `left` bytes are left.
    #[inline(always)]
    fn decode_ascii(&mut self, left: usize) {
        loop {
            for _ in 0..WORDS_BEFORE_BLOCKS {
                let Some((word, places)) = self.next() else {
                    return self.decode_last_ascii();
                };
                U::widen(*word, places);
                let beyond = Scalar.non_ascii(u64::from_le_bytes(*word));
                if beyond != 0 {
                    let ascii = beyond.trailing_zeros() as usize / 8;
                    return self.advance(ascii, ascii);
                }
                self.advance(8, 8);
            }
            while self.rest.len() > left
                && let Some((block, places)) = self.next::<BLOCK_BYTES, BLOCK_BYTES>()
                && Scalar.is_ascii(block)
            {
                for (word, places) in block.as_chunks().0.iter().zip(places.as_chunks_mut().0) {
                    U::widen(*word, places);
                }
                self.advance(BLOCK_BYTES, BLOCK_BYTES);
            }
            if self.rest.len() <= left {
                return;
            }
        }
    }

    /// Returns the next `BYTES` bytes and places for `PLACES` units, if there are as many.
    #[inline(always)]
    fn next<const BYTES: usize, const PLACES: usize>(
        &mut self,
    ) -> Option<(&[u8; BYTES], &mut [MaybeUninit<U>; PLACES])> {
        Some((self.rest.first_chunk()?, self.places.first_chunk_mut()?))
    }

    /// Continues after bytes and units.
    #[inline(always)]
    fn advance(&mut self, bytes: usize, units: usize) {
        self.rest = &self.rest[bytes..];
        self.places = &mut mem::take(&mut self.places)[units..];
    }

    /// Decodes ASCII where few bytes are left.
    #[cold]
    fn decode_last_ascii(&mut self) {
        while let Some((&[byte], [place])) = self.next()
            && byte.is_ascii()
        {
            place.write(U::of_narrow(byte.into()));
            self.advance(1, 1);
        }
    }

    /// Decodes characters beyond ASCII, of which the first is one, up to ASCII.
    #[inline(always)]
    fn decode_beyond_ascii(&mut self, largest_lead: u8) -> Result<(), End> {
        while let Some(word) = self.next_four()
            && word & 0x80 != 0
        {
            let Some((scalar, bytes)) = checked(word) else { return Err(End::Error) };
            if word as u8 > largest_lead {
                return Err(End::Large);
            }
            let Some(place) = self.places.first_mut() else { return Err(End::Error) };
            place.write(U::of_narrow(scalar));
            self.advance(bytes, 1);
            match bytes {
                2 => self.alone += 1,
                3 => {
                    self.alone += COST_OF_THREE;
                    self.decode_triples();
                }
                _ => self.decode_fours(),
            }
        }
        Ok(())
    }

    /// Returns the next four bytes, with zeros beyond the end; `None` at the end.
    #[inline(always)]
    fn next_four(&self) -> Option<u32> {
        match self.rest.first_chunk() {
            Some(four) => Some(u32::from_le_bytes(*four)),
            None => last_bytes(self.rest),
        }
    }

    /// Decodes characters of three bytes, four at once, and at most three where a run ends.
    #[inline(always)]
    fn decode_triples(&mut self) {
        while let Some((bytes, places)) = self.next::<PAIRS_BYTES, 4>()
            && let words = [0, 6].map(|at| Scalar.load(bytes, at))
            && let Some(pairs) = triples(words)
        {
            for (place, scalar) in places.iter_mut().zip(pairs.as_flattened()) {
                place.write(U::of_narrow(*scalar));
            }
            self.advance(12, 4);
        }
        if let Some((word, places)) = self.next::<8, 2>()
            && let Some([pair]) = triples([u64::from_le_bytes(*word)])
        {
            for (place, scalar) in places.iter_mut().zip(pair) {
                place.write(U::of_narrow(scalar));
            }
            self.advance(6, 2);
        }
    }

    /// Decodes characters of four bytes.
    #[inline(always)]
    fn decode_fours(&mut self) {
        while let Some((bytes, [place])) = self.next::<4, 1>()
            && let word = u32::from_le_bytes(*bytes)
            && is_four(word)
        {
            place.write(U::of_narrow(four(word)));
            self.advance(4, 1);
        }
    }
}

/// Returns at most three bytes, with zeros beyond the end; `None` if there is none.
#[cold]
fn last_bytes(rest: &[u8]) -> Option<u32> {
    let mut four = [0; 4];
    four[..rest.len()].copy_from_slice(rest);
    (!rest.is_empty()).then_some(u32::from_le_bytes(four))
}

/// Returns a character beyond ASCII and the number of its bytes, which are the lowest of a word; `None` if it is not
/// valid.
#[inline(always)]
fn checked(word: u32) -> Option<(u32, usize)> {
    if word & 0xC0E0 == 0x80C0 {
        let scalar = (word & 0x1F) << 6 | word >> 8 & 0x3F;
        (scalar >= 0x80).then_some((scalar, 2))
    } else if word & 0xC0_C0F0 == 0x80_80E0 {
        let scalar = (word & 0x0F) << 12 | word >> 2 & 0xFC0 | word >> 16 & 0x3F;
        (scalar >= 0x800 && scalar & 0xF800 != 0xD800).then_some((scalar, 3))
    } else {
        is_four(word).then(|| (four(word), 4))
    }
}

/// Returns whether the lowest bytes of a word are a valid character of four bytes.
#[inline(always)]
fn is_four(word: u32) -> bool {
    word & 0xC0C0_C0F8 == 0x8080_80F0 && (0x1_0000..0x11_0000).contains(&four(word))
}

/// Returns the character of four bytes that are the lowest of a word.
#[inline(always)]
fn four(word: u32) -> u32 {
    (word & 0x07) << 18 | word << 4 & 0x3_F000 | word >> 10 & 0xFC0 | word >> 24 & 0x3F
}

/// Returns the two characters of three bytes each that are the lowest bytes of each word, if all are valid.
#[inline(always)]
fn triples<const PAIRS: usize>(words: [u64; PAIRS]) -> Option<[[u32; 2]; PAIRS]> {
    let both = |bits: u64| bits | bits << 24;
    let (mut other, mut in_range) = (0, u64::MAX);
    let pairs = words.map(|word| {
        other |= word & both(0xC0_C0F0) ^ both(0x80_80E0);
        let scalars = (word & both(0x0F)) << 12 | word >> 2 & both(0xFC0) | word >> 16 & both(0x3F);
        // Bit 16 of each is set unless the highest five bits are 0, or as in surrogates.
        let highest = scalars & both(0xF800);
        in_range &= (highest + both(0xFFFF)) & ((highest ^ both(0xD800)) + both(0xFFFF));
        [scalars as u32 & 0xFFFF, (scalars >> 24) as u32 & 0xFFFF]
    });
    let is_valid = other == 0 && in_range & both(0x1_0000) == both(0x1_0000);
    is_valid.then_some(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::uninit::unfilled;
    use core::fmt::Debug;

    /// The largest lead bytes of the kinds of a str.
    const LARGEST_LEADS: [u8; 4] = [0x7F, 0xC3, 0xEF, 0xFF];

    /// Returns the valid characters at the start of `data` that have no larger lead byte, and why they end.
    fn expected(data: &[u8], largest_lead: u8) -> (&str, End) {
        let (valid, end) = match core::str::from_utf8(data) {
            Ok(text) => (text, End::Data),
            Err(error) => (core::str::from_utf8(&data[..error.valid_up_to()]).unwrap(), End::Error),
        };
        match valid.bytes().position(|byte| byte > largest_lead) {
            Some(at) => (&valid[..at], End::Large),
            None => (valid, end),
        }
    }

    fn check_as<U: CodeUnit + PartialEq + Debug>(data: &[u8], largest_lead: u8, decoder: &mut OnePass) {
        let mut out = vec![U::of_narrow(0); data.len()];
        let decoded = decoder.decode(data, unfilled(&mut out), largest_lead);
        let (text, end) = expected(data, largest_lead);
        let units: Vec<U> = text.chars().map(|char| U::of_narrow(char.into())).collect();
        assert_eq!(decoded, Decoded { bytes: text.len(), units: units.len(), end }, "{data:02X?}");
        assert!(out[..units.len()] == units, "{data:02X?} as {out:X?}");
    }

    /// Checks data in all kinds, from the start on and where short runs are expected.
    fn check(data: &[u8]) {
        let mut out = vec![0; data.len()];
        let units = OnePass::decode_short(data, unfilled(&mut out)).map(|length| &out[..length]);
        let (text, end) = expected(data, LARGEST_LEAD_OF_16_BITS);
        let expected: Vec<u16> = text.encode_utf16().collect();
        assert!(units == (end == End::Data).then_some(&expected[..]), "{data:02X?}");
        for largest_lead in LARGEST_LEADS {
            for two_pass_bytes in [0, MIN_STRETCH_BYTES] {
                let mut decoder = OnePass { two_pass_bytes, ..OnePass::default() };
                match largest_lead {
                    0x7F | 0xC3 => check_as::<u8>(data, largest_lead, &mut decoder),
                    0xEF => check_as::<u16>(data, largest_lead, &mut decoder),
                    _ => check_as::<u32>(data, largest_lead, &mut decoder),
                }
            }
        }
    }

    /// Bytes at the ends of the ranges that the standard names.
    const BYTES: [u8; 24] = [
        0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xC3, 0xC4, 0xDF, 0xE0, 0xE1,
        0xEC, 0xED, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5,
    ];

    #[test]
    fn every_sequence_of_boundary_bytes() {
        for before in ["", "a", "é", "€", "€€€", "😀"] {
            for number in 0..BYTES.len().pow(3) {
                let sequence = [0, 1, 2].map(|place| BYTES[number / BYTES.len().pow(place) % BYTES.len()]);
                let fourth = if number % 2 == 0 { 0xBF } else { 0x80 };
                for after in ["", "a text after it", "€€€€€€"] {
                    check(&[before.as_bytes(), &sequence, &[fourth], after.as_bytes()].concat());
                }
                check(&[before.as_bytes(), &sequence].concat());
            }
        }
    }

    #[test]
    fn every_character() {
        let all: String = (0..=char::MAX as u32).filter_map(char::from_u32).collect();
        check(all.as_bytes());
        for step in [3, 61] {
            let some: String = all.chars().step_by(step).flat_map(|char| [char, ' ']).collect();
            check(some.as_bytes());
        }
    }

    #[test]
    fn every_length_of_text_and_an_error_or_another_character_after_it() {
        for fill in ["plain ", "é", "мир ", "€", "한국 ", "a😀", "naïve text of a word or two, "] {
            let text = fill.repeat(STRETCH_BYTES * 3 / fill.len());
            let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let near = |at: usize| {
                at < 150
                    || [PROBE_BYTES, MIN_STRETCH_BYTES, STRETCH_BYTES].iter().any(|&end| at.abs_diff(end) < 9)
            };
            for at in starts.into_iter().filter(|&at| near(at)) {
                for next in [&b""[..], b"\xFF", b"\xE2\x82", "é".as_bytes(), "€".as_bytes(), "😀".as_bytes()]
                {
                    check(&[&text.as_bytes()[..at], next, &text.as_bytes()[..at.min(20)]].concat());
                }
            }
        }
    }
}
