//! AVX2: x86-64 from Haswell (2013) and Excavator (2015) on; 32 bytes at once.

use core::arch::x86_64::*;

use super::sse42::Sse42;
use super::uninit::MaybeUninit;
use super::{Count, Isa, Lanes16, Lookup, Planes, Shuffle, Simd, Work, operations, partial_words};

/// Proof that this CPU has AVX2, BMI1, BMI2 and LZCNT, and what [`Sse42`] proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx2 {
    /// The token for vectors of half the size.
    sse42: Sse42,
}

impl Avx2 {
    /// Returns the token if the CPU has these features.
    pub fn detect() -> Option<Self> {
        let sse42 = Sse42::detect()?;
        (is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt"))
        .then_some(Self { sse42 })
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
fn trampoline<W: Work<Avx2>>(isa: Avx2, work: W) -> W::Output {
    work.run(isa)
}

impl Isa for Avx2 {
    type Vector = __m256i;

    const WIDTH: usize = 32;

    const NAME: &'static str = "avx2";

    type Counter = Self;

    #[inline(always)]
    fn counter(self) -> Self {
        self
    }

    type Further = Self;

    #[inline(always)]
    fn further(self) -> Self {
        self
    }

    #[inline]
    fn call<W: Work<Self>>(self, work: W) -> W::Output {
        // SAFETY: `self` proves that the CPU has what the trampoline enables.
        unsafe { trampoline(self, work) }
    }

    #[inline(always)]
    fn load(self, bytes: &[u8], at: usize) -> __m256i {
        let lanes = &bytes[at..at + Self::WIDTH];
        // SAFETY: `self` proves AVX2; `lanes` is `WIDTH` readable bytes, and this load needs no alignment.
        unsafe { _mm256_loadu_si256(lanes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn prefetch<T>(self, values: &[T], at: usize) {
        // SAFETY: a prefetch reads nothing and cannot fault, wherever it points.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(values.as_ptr().wrapping_add(at).cast()) }
    }

    operations! { "bmi1,bmi2":
        // (On Zen 1 and 2 the deposit is microcode, and slow.)
        fn nth_bit(bits: u64, n: u32) -> u32 = _tzcnt_u64(_pdep_u64(1 << (n & 63), bits)) as u32;
    }

    operations! { "avx2":
        fn splat(byte: u8) -> __m256i = _mm256_set1_epi8(byte as i8);
        fn and(a: __m256i, b: __m256i) -> __m256i = _mm256_and_si256(a, b);
        fn or(a: __m256i, b: __m256i) -> __m256i = _mm256_or_si256(a, b);
        fn add(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi8(a, b);
        fn max(a: __m256i, b: __m256i) -> __m256i = _mm256_max_epu8(a, b);
        fn any_non_ascii(v: __m256i) -> bool = _mm256_movemask_epi8(v) != 0;
        fn reduce_max(v: __m256i) -> u8 = {
            let half = _mm_max_epu8(_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v));
            // The smallest of the complements, in two steps: bytes to pairs, pairs by instruction.
            let complement = _mm_xor_si128(half, _mm_set1_epi8(-1));
            let pairs = _mm_min_epu8(complement, _mm_srli_epi16::<8>(complement));
            !(_mm_cvtsi128_si32(_mm_minpos_epu16(pairs)) as u8)
        };
        fn nonzero(v: __m256i) -> u64 =
            u64::from(!_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_setzero_si256())) as u32);
        fn reduce_sum(v: __m256i) -> usize = {
            let quarters = _mm256_sad_epu8(v, _mm256_setzero_si256());
            let (low, high) = (_mm256_castsi256_si128(quarters), _mm256_extracti128_si256::<1>(quarters));
            let halves = _mm_add_epi64(low, high);
            (_mm_cvtsi128_si64(halves) + _mm_extract_epi64::<1>(halves)) as usize
        };
    }
}

impl Count for Avx2 {
    operations! { "avx2":
        // A comparison gives -1 where it holds. As signed numbers, 80 to BF are the lowest.
        fn count_continuations(counts: __m256i, v: __m256i) -> __m256i =
            _mm256_sub_epi8(counts, _mm256_cmpgt_epi8(_mm256_set1_epi8(0xC0u8 as i8), v));
        fn count_equal(counts: __m256i, v: __m256i, byte: __m256i) -> __m256i =
            _mm256_sub_epi8(counts, _mm256_cmpeq_epi8(v, byte));
        fn count_at_least(counts: __m256i, v: __m256i, bound: __m256i) -> __m256i =
            _mm256_sub_epi8(counts, _mm256_cmpeq_epi8(_mm256_max_epu8(v, bound), v));
    }

    #[inline(always)]
    fn load_partial(self, bytes: &[u8]) -> __m256i {
        match (bytes.first_chunk(), bytes.last_chunk()) {
            (Some(first), Some(last)) => {
                // The last sixteen bytes are shifted so that those come first that the first sixteen do not have.
                let moves = MOVES_DOWN[Self::WIDTH - bytes.len()..].first_chunk().unwrap_or(&[0x80; 16]);
                // SAFETY: `self` proves that the CPU has AVX2.
                unsafe { halves(first, last, moves) }
            }
            _ => {
                let [low, high] = partial_words(bytes);
                // SAFETY: `self` proves that the CPU has AVX2.
                unsafe { _mm256_set_epi64x(0, 0, high as i64, low as i64) }
            }
        }
    }
}

impl Simd for Avx2 {
    operations! { "avx2":
        fn saturating_sub(a: __m256i, b: __m256i) -> __m256i = _mm256_subs_epu8(a, b);
    }
}

impl Lookup for Avx2 {
    #[inline(always)]
    fn table(self, entries: &[u8; 16]) -> __m256i {
        // SAFETY: `entries` is 16 readable bytes, and this load needs no alignment.
        let half = unsafe { _mm_loadu_si128(entries.as_ptr().cast()) };
        // SAFETY: `self` proves that the CPU has AVX2.
        unsafe { _mm256_broadcastsi128_si256(half) }
    }

    operations! { "avx2":
        fn lookup(table: __m256i, index: __m256i) -> __m256i = _mm256_shuffle_epi8(table, index);
        fn lookup_or_zero(table: __m256i, index: __m256i) -> __m256i = _mm256_shuffle_epi8(table, index);
        fn high_nibbles(v: __m256i) -> __m256i =
            _mm256_and_si256(_mm256_srli_epi16::<4>(v), _mm256_set1_epi8(0x0F));
        fn xor(a: __m256i, b: __m256i) -> __m256i = _mm256_xor_si256(a, b);
        fn and_not(a: __m256i, b: __m256i) -> __m256i = _mm256_andnot_si256(b, a);
        fn equal_lanes(a: __m256i, b: __m256i) -> __m256i = _mm256_cmpeq_epi8(a, b);
        fn below_signed(v: __m256i, bound: __m256i) -> __m256i = _mm256_cmpgt_epi8(bound, v);
        fn min_signed(a: __m256i, b: __m256i) -> __m256i = _mm256_min_epi8(a, b);
        fn any(v: __m256i) -> bool = _mm256_testz_si256(v, v) == 0;
        fn prev<const N: usize>(v: __m256i) -> __m256i = {
            // Each half is shifted separately, together with the half before it.
            let halves_before = _mm256_permute2x128_si256::<0x08>(v, v);
            match N {
                1 => _mm256_alignr_epi8::<15>(v, halves_before),
                2 => _mm256_alignr_epi8::<14>(v, halves_before),
                _ => _mm256_alignr_epi8::<13>(v, halves_before),
            }
        };
    }
}

/// From `n` on the indices for a shift down by `n` bytes; the highest bit makes zeros.
const MOVES_DOWN: [u8; 32] = {
    let mut moves = [0x80; 32];
    let mut lane = 0;
    while lane < 16 {
        moves[lane] = lane as u8;
        lane += 1;
    }
    moves
};

/// Returns a vector of the low half, and the high one shuffled by `moves`.
#[inline]
#[target_feature(enable = "avx2")]
fn halves(low: &[u8; 16], high: &[u8; 16], moves: &[u8; 16]) -> __m256i {
    // SAFETY: `low` is 16 readable bytes, and this load needs no alignment.
    let low = unsafe { _mm_loadu_si128(low.as_ptr().cast()) };
    // SAFETY: so is `high`.
    let high = unsafe { _mm_loadu_si128(high.as_ptr().cast()) };
    // SAFETY: so is `moves`.
    let moves = unsafe { _mm_loadu_si128(moves.as_ptr().cast()) };
    _mm256_set_m128i(_mm_shuffle_epi8(high, moves), low)
}

impl Lanes16 for Avx2 {
    operations! { "avx2":
        fn splat16(unit: u16) -> __m256i = _mm256_set1_epi16(unit as i16);
        fn splat32(unit: u32) -> __m256i = _mm256_set1_epi32(unit as i32);
        fn equal16(a: __m256i, b: __m256i) -> __m256i = _mm256_cmpeq_epi16(a, b);
        fn equal32(a: __m256i, b: __m256i) -> __m256i = _mm256_cmpeq_epi32(a, b);
        fn add16(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi16(a, b);
        fn shl16<const N: i32>(v: __m256i) -> __m256i = _mm256_slli_epi16::<N>(v);
        fn shr16<const N: i32>(v: __m256i) -> __m256i = _mm256_srli_epi16::<N>(v);
        fn shl32<const N: i32>(v: __m256i) -> __m256i = _mm256_slli_epi32::<N>(v);
        fn shr32<const N: i32>(v: __m256i) -> __m256i = _mm256_srli_epi32::<N>(v);
        fn select16(mask: __m256i, a: __m256i, b: __m256i) -> __m256i = _mm256_blendv_epi8(b, a, mask);
        fn mask_bits16(v: __m256i) -> u32 =
            _mm256_movemask_epi8(_mm256_packs_epi16(v, _mm256_setzero_si256())) as u32;
        fn mask_bits16_pair(a: __m256i, b: __m256i) -> u32 =
            _mm256_movemask_epi8(_mm256_shuffle_epi32::<0b11_01_10_00>(_mm256_packs_epi16(a, b))) as u32;
        fn interleave(a: __m256i, b: __m256i) -> [__m256i; 2] = {
            // Each half is interleaved separately.
            let (lower, upper) = (_mm256_unpacklo_epi8(a, b), _mm256_unpackhi_epi8(a, b));
            [
                _mm256_permute2x128_si256::<0x20>(lower, upper),
                _mm256_permute2x128_si256::<0x31>(lower, upper),
            ]
        };
        fn interleave16(a: __m256i, b: __m256i) -> [__m256i; 2] =
            [_mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b)];
        fn narrow16(a: __m256i, b: __m256i) -> __m256i =
            _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi16(a, b));
        fn narrow32(a: __m256i, b: __m256i) -> __m256i =
            _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(a, b));
        // (Each half is narrowed separately.)
        fn saturate16(a: __m256i, b: __m256i) -> __m256i = _mm256_packus_epi16(a, b);
        fn saturate32(a: __m256i, b: __m256i) -> __m256i = _mm256_packus_epi32(a, b);
        fn prev16(v: __m256i, before: __m256i) -> __m256i =
            _mm256_alignr_epi8::<14>(v, _mm256_permute2x128_si256::<0x21>(before, v));
    }

    #[inline(always)]
    fn store(self, v: __m256i, out: &mut [MaybeUninit<u8>], at: usize) {
        let lanes = &mut out[at..at + Self::WIDTH];
        // SAFETY: `self` proves AVX2; `lanes` is `WIDTH` writable bytes, and this store needs no alignment.
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), v) }
    }

    #[inline(always)]
    fn store_shuffled(
        self,
        v: __m256i,
        part: usize,
        order: &[u8; 16],
        out: &mut [MaybeUninit<u8>],
        at: usize,
    ) {
        let lanes = &mut out[at..at + 16];
        // SAFETY: `self` proves that the CPU has AVX2.
        let shuffled = unsafe { shuffled(v, part, order) };
        // SAFETY: `lanes` is 16 writable bytes, and this store needs no alignment.
        unsafe { _mm_storeu_si128(lanes.as_mut_ptr().cast(), shuffled) }
    }
}

/// Returns the bytes of the lower half, or with `part` the upper one, in the given order.
#[inline]
#[target_feature(enable = "avx2")]
fn shuffled(v: __m256i, part: usize, order: &[u8; 16]) -> __m128i {
    // SAFETY: `order` is 16 readable bytes, and this load needs no alignment.
    let order = unsafe { _mm_loadu_si128(order.as_ptr().cast()) };
    let half = if part == 0 { _mm256_castsi256_si128(v) } else { _mm256_extracti128_si256::<1>(v) };
    _mm_shuffle_epi8(half, order)
}

impl Planes for Avx2 {
    type Flags = __m256i;

    #[inline(always)]
    fn load_partial_at(self, bytes: &[u8], at: usize) -> __m256i {
        let bytes = bytes.get(at..).unwrap_or_default();
        self.load_partial(&bytes[..bytes.len().min(Self::WIDTH)])
    }

    operations! { "avx2":
        fn at_least(v: __m256i, bound: __m256i) -> __m256i = _mm256_cmpeq_epi8(_mm256_max_epu8(v, bound), v);
        // As signed numbers, 80 to BF are the lowest, and other bytes of 80 or more are below ASCII.
        fn at_least_or_ascii(v: __m256i, bound: __m256i) -> __m256i =
            _mm256_cmpgt_epi8(v, _mm256_sub_epi8(bound, _mm256_set1_epi8(1)));
        fn non_ascii(v: __m256i) -> __m256i = v;
        fn lead_bits(v: __m256i) -> u64 =
            u64::from(_mm256_movemask_epi8(_mm256_cmpgt_epi8(v, _mm256_set1_epi8(0xBFu8 as i8))) as u32);
        fn bits(flags: __m256i) -> u64 = u64::from(_mm256_movemask_epi8(flags) as u32);
        fn flags(bits: u64) -> __m256i = {
            // The byte that has the bit of each lane, and the bit in it.
            const ONES: i64 = 0x0101_0101_0101_0101;
            let places = _mm256_set_epi64x(3 * ONES, 2 * ONES, ONES, 0);
            let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(bits as i32), places);
            let own = _mm256_set1_epi64x(0x8040_2010_0804_0201u64 as i64);
            _mm256_cmpeq_epi8(_mm256_and_si256(bytes, own), own)
        };
        fn equal(a: __m256i, b: __m256i) -> __m256i = _mm256_cmpeq_epi8(a, b);
        fn and_flags(a: __m256i, b: __m256i) -> __m256i = _mm256_and_si256(a, b);
        fn or_flags(a: __m256i, b: __m256i) -> __m256i = _mm256_or_si256(a, b);
        fn blend(flags: __m256i, yes: __m256i, no: __m256i) -> __m256i = _mm256_blendv_epi8(no, yes, flags);
        fn retain(flags: __m256i, v: __m256i) -> __m256i = _mm256_blendv_epi8(_mm256_setzero_si256(), v, flags);
        fn select_bits(mask: __m256i, a: __m256i, b: __m256i) -> __m256i =
            _mm256_or_si256(_mm256_and_si256(mask, a), _mm256_andnot_si256(mask, b));
        fn shl<const N: i32>(v: __m256i) -> __m256i = _mm256_slli_epi16::<N>(v);
        fn shr<const N: i32>(v: __m256i) -> __m256i = _mm256_srli_epi16::<N>(v);
    }
}

impl Shuffle for Avx2 {
    type Vector16 = Sse42;

    #[inline(always)]
    fn vector16(self) -> Sse42 {
        self.sse42
    }

    operations! { "avx2":
        fn eight_lanes(v: __m256i, at: usize) -> __m128i = {
            let half = if at < 16 { _mm256_castsi256_si128(v) } else { _mm256_extracti128_si256::<1>(v) };
            if at % 16 < 8 { half } else { _mm_srli_si128::<8>(half) }
        };
        fn interleave_eight(a: __m256i, b: __m256i, at: usize) -> __m128i = {
            // Each half is interleaved separately.
            let interleaved = if at % 16 < 8 { _mm256_unpacklo_epi8(a, b) } else { _mm256_unpackhi_epi8(a, b) };
            if at < 16 { _mm256_castsi256_si128(interleaved) } else { _mm256_extracti128_si256::<1>(interleaved) }
        };
    }
}
