//! SSE4.2: x86-64 from Nehalem (2008) and Bulldozer (2011) on, all that RHEL 9 and Windows 11 run on; 16
//! bytes at once.

use core::arch::x86_64::*;

use super::uninit::MaybeUninit;
use super::{
    Count, Isa, Lanes16, Lookup, Planes, Scalar, Shuffle, Simd, Vector16, Work, operations, partial_words,
};

/// Proof that this CPU has SSE4.2 and POPCNT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sse42 {
    /// Private, so that only [`Sse42::detect`] makes a token.
    _detected: (),
}

impl Sse42 {
    /// Returns the token if the CPU has these features.
    pub fn detect() -> Option<Self> {
        (is_x86_feature_detected!("sse4.2") && is_x86_feature_detected!("popcnt"))
            .then_some(Self { _detected: () })
    }
}

#[target_feature(enable = "sse4.2,popcnt")]
#[inline(never)]
fn trampoline<W: Work<Sse42>>(isa: Sse42, work: W) -> W::Output {
    work.run(isa)
}

impl Isa for Sse42 {
    type Vector = __m128i;

    const WIDTH: usize = 16;

    const NAME: &'static str = "sse42";

    type Counter = Self;

    #[inline(always)]
    fn counter(self) -> Self {
        self
    }

    // CPUs without AVX2 are few, and their kernels for this were 4 % of all machine code.
    type Further = Scalar;

    #[inline(always)]
    fn further(self) -> Scalar {
        Scalar
    }

    #[inline]
    fn call<W: Work<Self>>(self, work: W) -> W::Output {
        // SAFETY: `self` proves that the CPU has what the trampoline enables.
        unsafe { trampoline(self, work) }
    }

    #[inline(always)]
    fn load(self, bytes: &[u8], at: usize) -> __m128i {
        let lanes = &bytes[at..at + Self::WIDTH];
        // SAFETY: `lanes` is `WIDTH` readable bytes, and this load needs no alignment.
        unsafe { _mm_loadu_si128(lanes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn prefetch<T>(self, values: &[T], at: usize) {
        // SAFETY: a prefetch reads nothing and cannot fault, wherever it points.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(values.as_ptr().wrapping_add(at).cast()) }
    }

    operations! { "sse4.2":
        fn splat(byte: u8) -> __m128i = _mm_set1_epi8(byte as i8);
        fn and(a: __m128i, b: __m128i) -> __m128i = _mm_and_si128(a, b);
        fn or(a: __m128i, b: __m128i) -> __m128i = _mm_or_si128(a, b);
        fn add(a: __m128i, b: __m128i) -> __m128i = _mm_add_epi8(a, b);
        fn max(a: __m128i, b: __m128i) -> __m128i = _mm_max_epu8(a, b);
        fn any_non_ascii(v: __m128i) -> bool = _mm_movemask_epi8(v) != 0;
        fn reduce_max(v: __m128i) -> u8 = {
            // The smallest of the complements, in two steps: bytes to pairs, pairs by instruction.
            let complement = _mm_xor_si128(v, _mm_set1_epi8(-1));
            let pairs = _mm_min_epu8(complement, _mm_srli_epi16::<8>(complement));
            !(_mm_cvtsi128_si32(_mm_minpos_epu16(pairs)) as u8)
        };
        fn nonzero(v: __m128i) -> u64 =
            u64::from(!_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_setzero_si128())) as u16);
        fn reduce_sum(v: __m128i) -> usize = {
            let halves = _mm_sad_epu8(v, _mm_setzero_si128());
            (_mm_cvtsi128_si64(halves) + _mm_extract_epi64::<1>(halves)) as usize
        };
    }
}

impl Count for Sse42 {
    operations! { "sse4.2":
        // A comparison gives -1 where it holds. As signed numbers, 80 to BF are the lowest.
        fn count_continuations(counts: __m128i, v: __m128i) -> __m128i =
            _mm_sub_epi8(counts, _mm_cmpgt_epi8(_mm_set1_epi8(0xC0u8 as i8), v));
        fn count_equal(counts: __m128i, v: __m128i, byte: __m128i) -> __m128i =
            _mm_sub_epi8(counts, _mm_cmpeq_epi8(v, byte));
        fn count_at_least(counts: __m128i, v: __m128i, bound: __m128i) -> __m128i =
            _mm_sub_epi8(counts, _mm_cmpeq_epi8(_mm_max_epu8(v, bound), v));
    }

    #[inline(always)]
    fn load_partial(self, bytes: &[u8]) -> __m128i {
        match bytes.first_chunk::<16>() {
            Some(all) => self.load(all, 0),
            None => {
                let [low, high] = partial_words(bytes);
                // SAFETY: every x86-64 has SSE2.
                unsafe { _mm_set_epi64x(high as i64, low as i64) }
            }
        }
    }
}

impl Simd for Sse42 {
    operations! { "sse4.2":
        fn saturating_sub(a: __m128i, b: __m128i) -> __m128i = _mm_subs_epu8(a, b);
    }
}

impl Lookup for Sse42 {
    #[inline(always)]
    fn table(self, entries: &[u8; 16]) -> __m128i {
        self.load(entries, 0)
    }

    operations! { "sse4.2":
        fn lookup(table: __m128i, index: __m128i) -> __m128i = _mm_shuffle_epi8(table, index);
        fn lookup_or_zero(table: __m128i, index: __m128i) -> __m128i = _mm_shuffle_epi8(table, index);
        fn high_nibbles(v: __m128i) -> __m128i = _mm_and_si128(_mm_srli_epi16::<4>(v), _mm_set1_epi8(0x0F));
        fn xor(a: __m128i, b: __m128i) -> __m128i = _mm_xor_si128(a, b);
        fn and_not(a: __m128i, b: __m128i) -> __m128i = _mm_andnot_si128(b, a);
        fn equal_lanes(a: __m128i, b: __m128i) -> __m128i = _mm_cmpeq_epi8(a, b);
        fn below_signed(v: __m128i, bound: __m128i) -> __m128i = _mm_cmpgt_epi8(bound, v);
        fn min_signed(a: __m128i, b: __m128i) -> __m128i = _mm_min_epi8(a, b);
        fn any(v: __m128i) -> bool = _mm_testz_si128(v, v) == 0;
        fn prev<const N: usize>(v: __m128i) -> __m128i = match N {
            1 => _mm_slli_si128::<1>(v),
            2 => _mm_slli_si128::<2>(v),
            _ => _mm_slli_si128::<3>(v),
        };
    }
}

impl Lanes16 for Sse42 {
    operations! { "sse4.2":
        fn splat16(unit: u16) -> __m128i = _mm_set1_epi16(unit as i16);
        fn splat32(unit: u32) -> __m128i = _mm_set1_epi32(unit as i32);
        fn equal16(a: __m128i, b: __m128i) -> __m128i = _mm_cmpeq_epi16(a, b);
        fn equal32(a: __m128i, b: __m128i) -> __m128i = _mm_cmpeq_epi32(a, b);
        fn add16(a: __m128i, b: __m128i) -> __m128i = _mm_add_epi16(a, b);
        fn shl16<const N: i32>(v: __m128i) -> __m128i = _mm_slli_epi16::<N>(v);
        fn shr16<const N: i32>(v: __m128i) -> __m128i = _mm_srli_epi16::<N>(v);
        fn shl32<const N: i32>(v: __m128i) -> __m128i = _mm_slli_epi32::<N>(v);
        fn shr32<const N: i32>(v: __m128i) -> __m128i = _mm_srli_epi32::<N>(v);
        fn select16(mask: __m128i, a: __m128i, b: __m128i) -> __m128i = _mm_blendv_epi8(b, a, mask);
        fn mask_bits16(v: __m128i) -> u32 =
            _mm_movemask_epi8(_mm_packs_epi16(v, _mm_setzero_si128())) as u32;
        fn mask_bits16_pair(a: __m128i, b: __m128i) -> u32 =
            _mm_movemask_epi8(_mm_shuffle_epi32::<0b11_01_10_00>(_mm_packs_epi16(a, b))) as u32;
        fn interleave(a: __m128i, b: __m128i) -> [__m128i; 2] =
            [_mm_unpacklo_epi8(a, b), _mm_unpackhi_epi8(a, b)];
        fn interleave16(a: __m128i, b: __m128i) -> [__m128i; 2] =
            [_mm_unpacklo_epi16(a, b), _mm_unpackhi_epi16(a, b)];
        fn narrow16(a: __m128i, b: __m128i) -> __m128i = _mm_packus_epi16(a, b);
        fn narrow32(a: __m128i, b: __m128i) -> __m128i = _mm_packus_epi32(a, b);
        fn saturate16(a: __m128i, b: __m128i) -> __m128i = _mm_packus_epi16(a, b);
        fn saturate32(a: __m128i, b: __m128i) -> __m128i = _mm_packus_epi32(a, b);
        fn prev16(v: __m128i, before: __m128i) -> __m128i = _mm_alignr_epi8::<14>(v, before);
    }

    #[inline(always)]
    fn store(self, v: __m128i, out: &mut [MaybeUninit<u8>], at: usize) {
        let lanes = &mut out[at..at + Self::WIDTH];
        // SAFETY: `lanes` is `WIDTH` writable bytes, and this store needs no alignment.
        unsafe { _mm_storeu_si128(lanes.as_mut_ptr().cast(), v) }
    }

    #[inline(always)]
    fn store_shuffled(self, v: __m128i, _: usize, order: &[u8; 16], out: &mut [MaybeUninit<u8>], at: usize) {
        self.store(self.lookup(v, self.load(order, 0)), out, at);
    }
}

impl Planes for Sse42 {
    type Flags = __m128i;

    #[inline(always)]
    fn load_partial_at(self, bytes: &[u8], at: usize) -> __m128i {
        self.load_partial(bytes.get(at..).unwrap_or_default())
    }

    operations! { "sse4.2":
        fn at_least(v: __m128i, bound: __m128i) -> __m128i = _mm_cmpeq_epi8(_mm_max_epu8(v, bound), v);
        // As signed numbers, 80 to BF are the lowest, and other bytes of 80 or more are below ASCII.
        fn at_least_or_ascii(v: __m128i, bound: __m128i) -> __m128i =
            _mm_cmpgt_epi8(v, _mm_sub_epi8(bound, _mm_set1_epi8(1)));
        fn non_ascii(v: __m128i) -> __m128i = v;
        fn lead_bits(v: __m128i) -> u64 =
            u64::from(_mm_movemask_epi8(_mm_cmpgt_epi8(v, _mm_set1_epi8(0xBFu8 as i8))) as u16);
        fn bits(flags: __m128i) -> u64 = u64::from(_mm_movemask_epi8(flags) as u16);
        fn flags(bits: u64) -> __m128i = {
            // The byte that has the bit of each lane, and the bit in it.
            let places = _mm_set_epi64x(0x0101_0101_0101_0101, 0);
            let bytes = _mm_shuffle_epi8(_mm_set1_epi16(bits as i16), places);
            let own = _mm_set1_epi64x(0x8040_2010_0804_0201u64 as i64);
            _mm_cmpeq_epi8(_mm_and_si128(bytes, own), own)
        };
        fn equal(a: __m128i, b: __m128i) -> __m128i = _mm_cmpeq_epi8(a, b);
        fn and_flags(a: __m128i, b: __m128i) -> __m128i = _mm_and_si128(a, b);
        fn or_flags(a: __m128i, b: __m128i) -> __m128i = _mm_or_si128(a, b);
        fn blend(flags: __m128i, yes: __m128i, no: __m128i) -> __m128i = _mm_blendv_epi8(no, yes, flags);
        fn retain(flags: __m128i, v: __m128i) -> __m128i = _mm_blendv_epi8(_mm_setzero_si128(), v, flags);
        fn select_bits(mask: __m128i, a: __m128i, b: __m128i) -> __m128i =
            _mm_or_si128(_mm_and_si128(mask, a), _mm_andnot_si128(mask, b));
        fn shl<const N: i32>(v: __m128i) -> __m128i = _mm_slli_epi16::<N>(v);
        fn shr<const N: i32>(v: __m128i) -> __m128i = _mm_srli_epi16::<N>(v);
    }
}

impl Shuffle for Sse42 {
    type Vector16 = Self;

    #[inline(always)]
    fn vector16(self) -> Self {
        self
    }

    operations! { "sse4.2":
        fn eight_lanes(v: __m128i, at: usize) -> __m128i = if at == 0 { v } else { _mm_srli_si128::<8>(v) };
        fn interleave_eight(a: __m128i, b: __m128i, at: usize) -> __m128i =
            if at == 0 { _mm_unpacklo_epi8(a, b) } else { _mm_unpackhi_epi8(a, b) };
    }
}

impl Vector16 for Sse42 {
    #[inline(always)]
    fn store_units<U>(self, v: __m128i, out: &mut [MaybeUninit<U>]) {
        assert!(size_of_val(out) == Self::WIDTH);
        // SAFETY: `out` is `WIDTH` bytes that may be written, and this store needs no alignment.
        unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), v) };
    }

    #[inline(always)]
    fn store_half(self, v: __m128i, out: &mut [MaybeUninit<u8>; 8]) {
        // SAFETY: `out` is eight bytes that may be written, and this store needs no alignment.
        unsafe { _mm_storel_epi64(out.as_mut_ptr().cast(), v) };
    }
}
