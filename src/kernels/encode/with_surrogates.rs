//! Replacing surrogates, before the text is encoded or after.
//!
//! 1. If a character replaces them, it does so before.
//! 2. Other replacements are made in generalized UTF-8 (WTF-8, section 3.2), where a surrogate is ED, A0 to BF, 80 to
//!    BF, and nothing else has these bytes. So there is one algorithm for all sources, and its output may be any bytes.
//! 3. Where surrogates are dense, those that become at most a byte do so in the first of the three, and the other bytes
//!    are dropped by compression of whole vectors. So the number of surrogates makes no difference to the time.
//! 4. Other replacements are put one by one. The text before each of them is copied as a whole block, the end of which
//!    is overwritten, since a length that is hard to predict would cost more.

use super::blocks::BlockEncoder;
use super::encoder::{DropSurrogates, SurrogateDropper};
use super::scalar::ScalarEncoder;
use super::unit::{Lane, SourceUnit};
use crate::kernels::kernel::{Backend, Kernel, Task};
use crate::simd::uninit::{MaybeUninit, first_places, put, put_run};
use crate::simd::{Count, Scalar, StoreUnits};

/// The number of surrogates.
const SURROGATES: u32 = 0x800;

/// The number of bytes of a surrogate.
const SURROGATE_BYTES: usize = 3;
/// The lead byte of surrogates, and of U+D000 to U+D7FF.
const SURROGATE_LEAD: u8 = 0xED;
/// The lowest second byte of surrogates.
const MIN_SECOND: u8 = 0xA0;

/// Bytes in a block, and with those after it that it depends on.
const BLOCK_BYTES: usize = 64;
const WINDOW_BYTES: usize = BLOCK_BYTES + SURROGATE_BYTES - 1;

/// Writes `units` with each surrogate replaced by `unit` into `out`, which has the same length. Returns the length.
pub(crate) struct ReplaceSurrogates<'a, U> {
    pub units: &'a [U],
    pub out: &'a mut [MaybeUninit<U>],
    pub unit: U,
}

impl<U: SourceUnit> Kernel for ReplaceSurrogates<'_, U> {
    type Output = usize;

    const TASK: Task = Task::Count;

    #[inline(always)]
    fn run<I: Backend>(self, _: I) -> usize {
        for (place, &unit) in self.out.iter_mut().zip(self.units) {
            let is_surrogate = unit.lane().above_surrogates() < U::Lane::of(SURROGATES);
            place.write(if is_surrogate { self.unit } else { unit });
        }
        self.units.len().min(self.out.len())
    }
}

impl Kernel for DropSurrogates<'_> {
    type Output = usize;

    const TASK: Task = Task::General;

    #[inline(always)]
    fn run<I: Backend>(self, isa: I) -> usize {
        I::Encoder::drop_surrogates(isa, self)
    }
}

/// Writes generalized UTF-8 into `out` with each surrogate replaced by what `replacement` returns. Returns the number
/// of bytes written: all of `out`, if it has just the length of the result. Panics if it is shorter.
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

impl SurrogateDropper<Scalar> for ScalarEncoder {
    #[inline(always)]
    fn drop_surrogates(isa: Scalar, work: DropSurrogates) -> usize {
        drop_one_by_one(isa, work)
    }
}

impl<I: StoreUnits<u8>, F> SurrogateDropper<I> for BlockEncoder<F> {
    #[inline(always)]
    fn drop_surrogates(isa: I, work: DropSurrogates) -> usize {
        // Where a vector is shorter than a block, it is compressed in parts of eight bytes.
        let max_distance = if I::WIDTH == BLOCK_BYTES { 64 } else { 16 };
        if work.distance > max_distance {
            return drop_one_by_one(isa.counter(), work);
        }
        let DropSurrogates { data, out, unescape, .. } = work;
        let kept = if unescape { u64::MAX } else { 0 };
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
                // The byte of B2 80 to B2 BF is the last of them, and the byte of B3 80 to B3 BF has another bit.
                let byte = isa.or(third, isa.and(isa.shl::<6>(second), isa.splat(0x40)));
                let replaced = [isa.blend(leads, byte, here)];
                let count = left.count_ones() as usize;
                match first_places::<_, BLOCK_BYTES>(out, written) {
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

/// Does the work of the kernel without compression.
#[inline(always)]
fn drop_one_by_one<I: Count>(isa: I, work: DropSurrogates) -> usize {
    match work.unescape {
        true => splice(isa, work.data, work.out, |surrogate| [surrogate as u8]),
        false => splice(isa, work.data, work.out, |_| []),
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
            written += put_run::<BLOCK_BYTES>(&mut out[written..], data, from..at + place);
            let [second, third] = [window[place + 1], window[place + 2]].map(|byte| u16::from(byte & 0x3F));
            written += put(&mut out[written..], &replacement(0xD000 | second << 6 | third));
            from = at + place + SURROGATE_BYTES;
        }
        let end = data.len().min(at + BLOCK_BYTES);
        if from < end {
            written += put_run::<BLOCK_BYTES>(&mut out[written..], data, from..end);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::dispatch::implementations;
    use crate::simd::uninit::unfilled;

    /// As many bytes as four of the largest vectors have, and some more.
    const MAX_BYTES: usize = 4 * BLOCK_BYTES + 5;

    /// Characters that share bytes with surrogates, of every length.
    const CHARS: [u32; 7] = [0x61, 0xED, 0x7ED, 0xD000, 0xD7FF, 0xE000, 0x1_0000];

    /// Returns code points, one in `distance` of them a surrogate, any or one that represents a byte.
    fn code_points(distance: usize, escaped: bool) -> Vec<u32> {
        let surrogate = |at: usize| if escaped { 0xDC80 + at * 7 % 0x80 } else { 0xD800 + at * 211 % 0x800 };
        (0..MAX_BYTES)
            .map(|at| if at % distance == 0 { surrogate(at) as u32 } else { CHARS[at % CHARS.len()] })
            .collect()
    }

    /// Returns generalized UTF-8 with each surrogate as `replacement` returns it.
    fn encoded(code_points: &[u32], replacement: impl Fn(u16) -> Vec<u8>) -> Vec<u8> {
        let one = |&value: &u32| match char::from_u32(value) {
            Some(char) => char.encode_utf8(&mut [0; 4]).as_bytes().to_vec(),
            None => replacement(value as u16),
        };
        code_points.iter().flat_map(one).collect()
    }

    fn generalized(surrogate: u16) -> Vec<u8> {
        vec![0xED, 0x80 | (surrogate >> 6 & 0x3F) as u8, 0x80 | (surrogate & 0x3F) as u8]
    }

    /// Checks what `run` writes, at each of the first offsets of a vector, into memory of just the length, and no more.
    fn check(run: impl Fn(&[u8], &mut [MaybeUninit<u8>]) -> usize, data: &[u8], expected: &[u8]) {
        let mut place = vec![0; BLOCK_BYTES + MAX_BYTES * 4];
        let mut out = vec![0xEE; 2 * BLOCK_BYTES + expected.len()];
        for offset in [0, 1, 2, 31, 63] {
            place[offset..][..data.len()].copy_from_slice(data);
            out.fill(0xEE);
            let end = offset + expected.len();
            let written = run(&place[offset..][..data.len()], unfilled(&mut out[offset..end]));
            assert_eq!((written, &out[offset..end]), (expected.len(), expected));
            assert!(out[..offset].iter().chain(&out[end..]).all(|&byte| byte == 0xEE));
        }
    }

    /// Calls `test` with text of every length, from every char on.
    fn for_each_text(escaped: bool, test: impl Fn(&[u32])) {
        for distance in [1, 2, 3, 9, 40, 1000] {
            let all = code_points(distance, escaped);
            (0..=all.len()).for_each(|length| test(&all[..length]));
            (0..=all.len()).for_each(|start| test(&all[start..]));
        }
    }

    #[test]
    fn surrogates_are_dropped() {
        for &implementation in implementations() {
            for distance in [1, 1000] {
                let run = |unescape| {
                    move |data: &[u8], out: &mut [MaybeUninit<u8>]| {
                        implementation.run(DropSurrogates { data, out, unescape, distance })
                    }
                };
                for_each_text(true, |text| {
                    let data = encoded(text, generalized);
                    check(run(true), &data, &encoded(text, |surrogate| vec![surrogate as u8]));
                });
                for_each_text(false, |text| {
                    check(run(false), &encoded(text, generalized), &encoded(text, |_| vec![]));
                });
            }
        }
    }

    #[test]
    fn surrogates_are_spliced() {
        fn splice_all<const N: usize>(replacement: fn(u16) -> [u8; N]) {
            for &implementation in implementations() {
                for_each_text(false, |text| {
                    let expected = encoded(text, |surrogate| replacement(surrogate).to_vec());
                    let run = |data: &[u8], out: &mut [MaybeUninit<u8>]| {
                        implementation.run(SpliceSurrogates { data, out, replacement })
                    };
                    check(run, &encoded(text, generalized), &expected);
                });
            }
        }
        splice_all(|_| [b'?']);
        splice_all::<8>(|surrogate| [surrogate.to_le_bytes(); 4].concat().try_into().unwrap());
    }

    #[test]
    fn surrogates_are_replaced_before() {
        fn check<U: SourceUnit + PartialEq + core::fmt::Debug>(text: &[u32], unit: fn(u32) -> U) {
            let units: Vec<U> = text.iter().map(|&value| unit(value)).collect();
            let is_surrogate = |value: u32| (0xD800..=0xDFFF).contains(&value);
            let expected: Vec<U> = units
                .iter()
                .map(|&unit| if is_surrogate(unit.value()) { b'?'.into() } else { unit })
                .collect();
            for &implementation in implementations() {
                let mut out = vec![U::from(0xEE); units.len()];
                let task = ReplaceSurrogates { units: &units, out: unfilled(&mut out), unit: b'?'.into() };
                assert_eq!((implementation.run(task), &out), (units.len(), &expected));
            }
        }
        for_each_text(false, |text| {
            check(text, |value| value as u16);
            check(text, |value| value);
        });
    }
}
