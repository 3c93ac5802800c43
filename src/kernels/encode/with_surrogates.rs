//! Replacing surrogates, which have been encoded in three bytes each as generalized UTF-8 (WTF-8, section 3.2): ED, A0
//! to BF, 80 to BF. Nothing else has these bytes.
//!
//! 1. Replacements of at most a byte take the place of the first of the three: 64 bytes, or as many as a vector has,
//!    lose the other bytes by compression. So the number of surrogates makes no difference to the time.
//! 2. Longer replacements are put one by one. The text before each of them is copied as a whole block, the end of which
//!    is overwritten, since a length that is hard to predict would cost more.
//!
//! On generalized UTF-8 this is the same for all sources, whose units can become bytes of any number.

use super::blocks::BlockEncoder;
use super::scalar::{ScalarEncoder, first_places};
use crate::kernels::{Backend, Kernel, Task};
use crate::simd::uninit::{MaybeUninit, put};
use crate::simd::{Count, Scalar, StoreUnits};

/// The number of bytes of a surrogate.
const SURROGATE_BYTES: usize = 3;
/// The lead byte of surrogates, and of U+D000 to U+D7FF.
const SURROGATE_LEAD: u8 = 0xED;
/// The lowest second byte of surrogates.
const MIN_SECOND: u8 = 0xA0;

/// Bytes in a block, and with those after it that it depends on.
const BLOCK_BYTES: usize = 64;
const WINDOW_BYTES: usize = BLOCK_BYTES + SURROGATE_BYTES - 1;

/// What surrogates become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SurrogateBytes {
    /// Nothing.
    None,
    /// A byte.
    Each(u8),
    /// The byte that a surrogate from U+DC80 to U+DCFF stands for (PEP 383); for others it is unspecified.
    Unescaped,
}

/// Writes generalized UTF-8 into `out` with surrogates replaced by at most a byte each. Returns the number of bytes
/// written: all of `out`, if it has just the length of the result. Panics if it is shorter.
pub(crate) struct ReplaceSurrogates<'a> {
    pub data: &'a [u8],
    pub out: &'a mut [MaybeUninit<u8>],
    pub bytes: SurrogateBytes,
}

impl Kernel for ReplaceSurrogates<'_> {
    type Output = usize;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> usize {
        I::Encoder::replace_surrogates(isa, self.data, self.out, self.bytes)
    }
}

/// Writes generalized UTF-8 into `out` with each surrogate replaced by what `replacement` returns. Returns the number of
/// bytes written: all of `out`, if it has just the length of the result. Panics if it is shorter.
pub(crate) struct SpliceSurrogates<'a, F> {
    pub data: &'a [u8],
    pub out: &'a mut [MaybeUninit<u8>],
    pub replacement: F,
}

impl<const N: usize, F: Fn(u16) -> [u8; N]> Kernel for SpliceSurrogates<'_, F> {
    type Output = usize;

    const TASK: Task = Task::Count;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> usize {
        splice(isa.counter(), self.data, self.out, self.replacement)
    }
}

/// An algorithm that replaces surrogates by at most a byte each.
pub(crate) trait SurrogateReplacer<I> {
    /// Replaces as [`ReplaceSurrogates`].
    fn replace_surrogates(isa: I, data: &[u8], out: &mut [MaybeUninit<u8>], bytes: SurrogateBytes) -> usize;
}

impl SurrogateReplacer<Scalar> for ScalarEncoder {
    #[inline(always)]
    fn replace_surrogates(
        isa: Scalar,
        data: &[u8],
        out: &mut [MaybeUninit<u8>],
        bytes: SurrogateBytes,
    ) -> usize {
        match bytes {
            SurrogateBytes::None => splice(isa, data, out, |_| []),
            SurrogateBytes::Each(byte) => splice(isa, data, out, |_| [byte]),
            SurrogateBytes::Unescaped => splice(isa, data, out, |surrogate| [surrogate as u8]),
        }
    }
}

impl<I: StoreUnits<u8>, F> SurrogateReplacer<I> for BlockEncoder<F> {
    #[inline(always)]
    fn replace_surrogates(isa: I, data: &[u8], out: &mut [MaybeUninit<u8>], bytes: SurrogateBytes) -> usize {
        // Bits of the second byte, once shifted, and of the third, and others that a replacement has.
        let (bits, kept) = match bytes {
            SurrogateBytes::None => ([0, 0, 0], 0),
            SurrogateBytes::Each(byte) => ([0, 0, byte], u64::MAX),
            // The byte of B2 80 to B2 BF is the last of them, and that of B3 80 to B3 BF has another bit.
            SurrogateBytes::Unescaped => ([0x40, 0xFF, 0], u64::MAX),
        };
        let [second_bits, third_bits, byte] = bits.map(|bits| isa.splat(bits));
        let mut partial = [0; WINDOW_BYTES];
        let (mut written, mut carry) = (0, 0);
        for at in (0..data.len()).step_by(BLOCK_BYTES) {
            let window = window(&data[at..], &mut partial);
            let bytes = u64::MAX >> BLOCK_BYTES.saturating_sub(data.len() - at);
            let mut lane = 0;
            while lane < BLOCK_BYTES {
                let here = isa.load(window, lane);
                let [second, third] = [isa.load(window, lane + 1), isa.load(window, lane + 2)];
                let leads = isa.equal(here, isa.splat(SURROGATE_LEAD));
                let leads = isa.and_flags(leads, isa.at_least(second, isa.splat(MIN_SECOND)));
                let starts = isa.bits(leads);
                let dropped = starts & !kept | starts << 1 | starts << 2 | carry;
                carry = starts >> (I::WIDTH - 1) | starts >> (I::WIDTH - 2);
                let left = !dropped & bytes >> lane & u64::MAX >> (BLOCK_BYTES - I::WIDTH);
                let second = isa.and(isa.shl::<6>(second), second_bits);
                let replaced = isa.or(isa.or(second, isa.and(third, third_bits)), byte);
                let replaced = [isa.blend(leads, replaced, here)];
                let count = left.count_ones() as usize;
                match first_places::<BLOCK_BYTES>(out, written) {
                    Some(places) => isa.store_compressed(left, replaced, places),
                    None => isa.store_compressed_partial(left, replaced, &mut out[written..written + count]),
                }
                written += count;
                lane += I::WIDTH;
            }
        }
        written
    }
}

/// Returns the start of `rest` with zeros after its end, which `partial` is to hold.
#[inline(always)]
fn window<'a>(rest: &'a [u8], partial: &'a mut [u8; WINDOW_BYTES]) -> &'a [u8; WINDOW_BYTES] {
    match rest.first_chunk() {
        Some(window) => window,
        None => {
            *partial = [0; WINDOW_BYTES];
            partial[..rest.len()].copy_from_slice(rest);
            partial
        }
    }
}

/// Replaces surrogates by what `replacement` returns.
#[inline(always)]
fn splice<I: Count, const N: usize>(
    isa: I,
    data: &[u8],
    out: &mut [MaybeUninit<u8>],
    replacement: impl Fn(u16) -> [u8; N],
) -> usize {
    let mut partial = [0; WINDOW_BYTES];
    let (mut written, mut from) = (0, 0);
    for at in (0..data.len()).step_by(BLOCK_BYTES) {
        let window = window(&data[at..], &mut partial);
        let mut starts = starts(isa, window);
        while starts != 0 {
            let place = starts.trailing_zeros() as usize;
            starts &= starts - 1;
            written += put_run(&mut out[written..], data, from, at + place);
            let [second, third] = [window[place + 1], window[place + 2]].map(|byte| u16::from(byte & 0x3F));
            written += put(&mut out[written..], &replacement(0xD000 | second << 6 | third));
            from = at + place + SURROGATE_BYTES;
        }
        let end = data.len().min(at + BLOCK_BYTES);
        if from < end {
            written += put_run(&mut out[written..], data, from, end);
            from = end;
        }
    }
    written
}

/// Returns a bit for each byte where a surrogate starts, the lowest for the first.
#[inline(always)]
fn starts<I: Count>(isa: I, window: &[u8; WINDOW_BYTES]) -> u64 {
    let mut all = 0;
    let mut at = 0;
    while at < BLOCK_BYTES {
        // Both conditions count.
        let counts = isa.count_equal(isa.splat(0), isa.load(window, at), isa.splat(SURROGATE_LEAD));
        let counts = isa.count_at_least(counts, isa.load(window, at + 1), isa.splat(MIN_SECOND));
        all |= isa.nonzero(isa.count_equal(isa.splat(0), counts, isa.splat(2))) << at;
        at += I::WIDTH;
    }
    all
}

/// Copies at most a block, `data[from..to]`, to the start of `out`, and returns its length. The places after it may be
/// overwritten.
#[inline(always)]
fn put_run(out: &mut [MaybeUninit<u8>], data: &[u8], from: usize, to: usize) -> usize {
    match (first_places::<BLOCK_BYTES>(out, 0), data[from..].first_chunk::<BLOCK_BYTES>()) {
        (Some(places), Some(block)) => {
            put(places, block);
            to - from
        }
        _ => put(out, &data[from..to]),
    }
}
