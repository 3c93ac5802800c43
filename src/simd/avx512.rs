//! AVX-512 with byte permutes: x86-64 from Ice Lake (2019) and Zen 4 (2022) on; 64 bytes at once.

use core::arch::x86_64::*;

use super::avx2::Avx2;
use super::uninit::MaybeUninit;
use super::{ByteClasses, Compress, Isa, Lookup128, Permute, Planes, Simd, StoreUnits, Work, operations};

/// Proof that this CPU has AVX-512 F, BW, VL, VBMI and VBMI2, and what [`Avx2`] proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx512 {
    /// The token for operations that are faster with shorter vectors.
    avx2: Avx2,
}

impl Avx512 {
    /// Returns the token if the CPU has these features.
    pub fn detect() -> Option<Self> {
        let avx2 = Avx2::detect()?;
        (is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vbmi2"))
        .then_some(Self { avx2 })
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline(never)]
fn trampoline<W: Work<Avx512>>(isa: Avx512, work: W) -> W::Output {
    work.run(isa)
}

impl Isa for Avx512 {
    type Vector = __m512i;

    const WIDTH: usize = 64;

    const NAME: &'static str = "avx512";

    // Comparisons give masks here, and adding these up takes longer than two vectors of half the size.
    type Counter = Avx2;

    #[inline(always)]
    fn counter(self) -> Avx2 {
        self.avx2
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
    fn load(self, bytes: &[u8], at: usize) -> __m512i {
        let lanes = &bytes[at..at + Self::WIDTH];
        // SAFETY: `self` proves AVX-512; `lanes` is `WIDTH` readable bytes, and this load needs no alignment.
        unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn nth_bit(self, bits: u64, n: u32) -> u32 {
        self.avx2.nth_bit(bits, n)
    }

    #[inline(always)]
    fn prefetch<T>(self, values: &[T], at: usize) {
        self.avx2.prefetch(values, at);
    }

    operations! { "avx512f,avx512bw":
        fn splat(byte: u8) -> __m512i = _mm512_set1_epi8(byte as i8);
        fn and(a: __m512i, b: __m512i) -> __m512i = _mm512_and_si512(a, b);
        fn or(a: __m512i, b: __m512i) -> __m512i = _mm512_or_si512(a, b);
        fn add(a: __m512i, b: __m512i) -> __m512i = _mm512_add_epi8(a, b);
        fn max(a: __m512i, b: __m512i) -> __m512i = _mm512_max_epu8(a, b);
        fn any_non_ascii(v: __m512i) -> bool = _mm512_movepi8_mask(v) != 0;
        fn nonzero(v: __m512i) -> u64 = _mm512_test_epi8_mask(v, v);
    }

    #[inline(always)]
    fn is_ascii<const N: usize>(self, block: &[u8; N]) -> bool {
        self.avx2.is_ascii(block)
    }

    #[inline(always)]
    fn reduce_max(self, v: __m512i) -> u8 {
        // SAFETY: `self` proves that the CPU has AVX-512.
        self.avx2.reduce_max(unsafe { larger_half(v) })
    }

    #[inline(always)]
    fn reduce_sum(self, v: __m512i) -> usize {
        self.avx2.reduce_sum(self.half_of::<0>(v)) + self.avx2.reduce_sum(self.half_of::<1>(v))
    }
}

/// Returns the larger of each lane of the low half and its counterpart of the high one.
#[inline]
#[target_feature(enable = "avx512f,avx2")]
fn larger_half(v: __m512i) -> __m256i {
    _mm256_max_epu8(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64::<1>(v))
}

/// Indices of the previous lanes: the first from the end of the first of two vectors, the others from the second.
const PREVIOUS: [u8; 64] = {
    let mut lanes = [0; 64];
    let mut lane = 0;
    while lane < 64 {
        lanes[lane] = 63 + lane as u8;
        lane += 1;
    }
    lanes
};

impl Simd for Avx512 {
    operations! { "avx512f,avx512bw":
        fn saturating_sub(a: __m512i, b: __m512i) -> __m512i = _mm512_subs_epu8(a, b);
    }
}

impl Permute for Avx512 {
    type Mask = __mmask64;

    type Half = Avx2;

    #[inline(always)]
    fn half(self) -> Avx2 {
        self.avx2
    }

    #[inline(always)]
    fn load_partial_half(self, bytes: &[u8]) -> __m256i {
        let lanes = match bytes.len() {
            0 => return self.avx2.splat(0),
            length => u32::MAX >> (32 - length.min(32)),
        };
        // SAFETY: `self` proves AVX-512 BW and VL; lanes that are masked out are not read, the others are
        // `bytes`.
        unsafe { _mm256_maskz_loadu_epi8(lanes, bytes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn table(self, entries: &[u8; 128]) -> [__m512i; 2] {
        [self.load(entries, 0), self.load(entries, 64)]
    }

    #[inline(always)]
    fn lookup(self, [low, high]: [__m512i; 2], index: __m512i) -> __m512i {
        // SAFETY: `self` proves that the CPU has AVX-512 VBMI.
        unsafe { _mm512_permutex2var_epi8(low, index, high) }
    }

    #[inline(always)]
    fn lookup64(self, table: __m512i, index: __m512i) -> __m512i {
        // SAFETY: `self` proves that the CPU has AVX-512 VBMI.
        unsafe { _mm512_permutexvar_epi8(index, table) }
    }

    #[inline(always)]
    fn load_partial(self, bytes: &[u8]) -> __m512i {
        let lanes = match bytes.len() {
            0 => return self.splat(0),
            length => u64::MAX >> (64 - length.min(64)),
        };
        // SAFETY: `self` proves AVX-512 BW; lanes that are masked out are not read, the others are `bytes`.
        unsafe { _mm512_maskz_loadu_epi8(lanes, bytes.as_ptr().cast()) }
    }

    #[inline(always)]
    fn prev_where(self, kept: __mmask64, v: __m512i, before: __m512i) -> __m512i {
        let places = self.load(&PREVIOUS, 0);
        // SAFETY: `self` proves that the CPU has AVX-512 VBMI.
        unsafe { _mm512_maskz_permutex2var_epi8(kept, before, places, v) }
    }

    operations! { "avx512f,avx512bw":
        fn both_below(a: __m512i, a_bound: __m512i, b: __m512i, b_bound: __m512i) -> __mmask64 =
            _mm512_mask_cmplt_epu8_mask(_mm512_cmplt_epu8_mask(a, a_bound), b, b_bound);
        fn mask(bits: u64) -> __mmask64 = _cvtu64_mask64(bits);
        fn at_least_bits(v: __m512i, bound: __m512i) -> u64 = _mm512_cmpge_epu8_mask(v, bound);
        fn equal_bits(v: __m512i, other: __m512i) -> u64 = _mm512_cmpeq_epi8_mask(v, other);
        fn test_bits(v: __m512i, bits: __m512i) -> u64 = _mm512_test_epi8_mask(v, bits);
        fn continuation_bits(v: __m512i) -> u64 = _mm512_cmplt_epi8_mask(v, _mm512_set1_epi8(0xC0u8 as i8));
        fn retain(kept: __mmask64, v: __m512i) -> __m512i = _mm512_maskz_mov_epi8(kept, v);
        fn ternary<const TABLE: i32>(a: __m512i, b: __m512i, c: __m512i) -> __m512i =
            _mm512_ternarylogic_epi32::<TABLE>(a, b, c);
    }
}

impl Lookup128 for Avx512 {
    #[inline(always)]
    fn lookup128<const TABLES: usize>(self, tables: [&[u8; 128]; TABLES], v: __m512i) -> [__m512i; TABLES] {
        let mut all = [self.splat(0); TABLES];
        let mut table = 0;
        while table < TABLES {
            all[table] = self.lookup(self.table(tables[table]), v);
            table += 1;
        }
        all
    }

    #[inline(always)]
    fn lookup_classes(self, classes: &ByteClasses, v: __m512i) -> __m512i {
        // ASCII becomes 7F, which has the same place in the table as FF.
        self.lookup(self.table(classes.upper()), self.max(v, self.splat(0x7F)))
    }
}

impl Compress for Avx512 {
    operations! { "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi2":
        fn splat16(unit: u16) -> __m512i = _mm512_set1_epi16(unit as i16);
        fn splat32(unit: u32) -> __m512i = _mm512_set1_epi32(unit as i32);
        fn at_least16(v: __m512i, bound: __m512i) -> u32 = _mm512_cmpge_epu16_mask(v, bound);
        fn at_least32(v: __m512i, bound: __m512i) -> u16 = _mm512_cmpge_epu32_mask(v, bound);
        fn add16(a: __m512i, b: __m512i) -> __m512i = _mm512_add_epi16(a, b);
        fn add32(a: __m512i, b: __m512i) -> __m512i = _mm512_add_epi32(a, b);
        fn select16(mask: u32, a: __m512i, b: __m512i) -> __m512i = _mm512_mask_mov_epi16(b, mask, a);
        fn add16_where(mask: u32, a: __m512i, b: __m512i) -> __m512i = _mm512_mask_add_epi16(a, mask, a, b);
        fn min16(a: __m512i, b: __m512i) -> __m512i = _mm512_min_epu16(a, b);
        fn shl16<const N: u32>(v: __m512i) -> __m512i = _mm512_slli_epi16::<N>(v);
        fn shl16_where<const N: u32>(mask: u32, v: __m512i, other: __m512i) -> __m512i =
            _mm512_mask_slli_epi16::<N>(other, mask, v);
        fn shr16_where<const N: u32>(mask: u32, v: __m512i, other: __m512i) -> __m512i =
            _mm512_mask_srli_epi16::<N>(other, mask, v);
        fn shl32_where<const N: u32>(mask: u16, v: __m512i, other: __m512i) -> __m512i =
            _mm512_mask_slli_epi32::<N>(other, mask, v);
        fn or32_where(mask: u16, v: __m512i, bits: __m512i) -> __m512i =
            _mm512_mask_or_epi32(v, mask, v, bits);
        fn multishift(places: __m512i, v: __m512i) -> __m512i = _mm512_multishift_epi64_epi8(places, v);
        fn permute16(index: __m512i, v: __m512i) -> __m512i = _mm512_permutexvar_epi16(index, v);
        fn permute16_pair(a: __m512i, index: __m512i, b: __m512i) -> __m512i =
            _mm512_permutex2var_epi16(a, index, b);
        fn permute8_pair(a: __m512i, index: __m512i, b: __m512i) -> __m512i =
            _mm512_permutex2var_epi8(a, index, b);
        // Into a register: straight into memory it takes a hundred times as long on a Zen 4.
        fn compress(kept: u64, v: __m512i) -> __m512i = _mm512_maskz_compress_epi8(kept, v);
        fn deposit_bits(bits: u64, mask: u64) -> u64 = _pdep_u64(bits, mask);
    }

    #[inline(always)]
    fn interleave(self, a: __m512i, b: __m512i) -> [__m512i; 2] {
        [
            self.permute8_pair(a, self.load(&INTERLEAVED[0], 0), b),
            self.permute8_pair(a, self.load(&INTERLEAVED[1], 0), b),
        ]
    }

    #[inline(always)]
    fn interleave3(self, planes: [__m512i; 3], quarter: usize) -> __m512i {
        u32::interleave(self, &planes, quarter)
    }

    #[inline(always)]
    fn load_widened(self, bytes: &[u8], at: usize) -> __m512i {
        let half = self.avx2.load(bytes, at);
        // SAFETY: `self` proves that the CPU has AVX-512 BW.
        unsafe { _mm512_cvtepu8_epi16(half) }
    }

    #[inline(always)]
    fn load_partial_widened(self, bytes: &[u8]) -> __m512i {
        let half = self.load_partial_half(bytes);
        // SAFETY: `self` proves that the CPU has AVX-512 BW.
        unsafe { _mm512_cvtepu8_epi16(half) }
    }

    #[inline(always)]
    fn store(self, v: __m512i, out: &mut [MaybeUninit<u8>], at: usize) {
        self.store_vector(v, out, at);
    }

    #[inline(always)]
    fn store_partial(self, v: __m512i, out: &mut [MaybeUninit<u8>]) {
        self.store_lanes(v, out);
    }
}

impl Planes for Avx512 {
    type Flags = __mmask64;

    #[inline(always)]
    fn load_partial_at(self, bytes: &[u8], at: usize) -> __m512i {
        let lanes = self.first_lanes(bytes.len().saturating_sub(at));
        let start = bytes.as_ptr().wrapping_add(at);
        // SAFETY: `self` proves AVX-512 BW; lanes that are masked out are not read, the others are in
        // `bytes`.
        unsafe { _mm512_maskz_loadu_epi8(lanes, start.cast()) }
    }

    operations! { "avx512f,avx512bw":
        fn at_least(v: __m512i, bound: __m512i) -> __mmask64 = _mm512_cmpge_epu8_mask(v, bound);
        // As signed numbers, 80 to BF are the lowest, and other bytes of 80 or more are below ASCII.
        fn at_least_or_ascii(v: __m512i, bound: __m512i) -> __mmask64 = _mm512_cmpge_epi8_mask(v, bound);
        fn non_ascii(v: __m512i) -> __mmask64 = _mm512_movepi8_mask(v);
        fn lead_bits(v: __m512i) -> u64 = _mm512_cmpgt_epi8_mask(v, _mm512_set1_epi8(0xBFu8 as i8));
        fn bits(flags: __mmask64) -> u64 = _cvtmask64_u64(flags);
        fn flags(bits: u64) -> __mmask64 = _cvtu64_mask64(bits);
        fn equal(a: __m512i, b: __m512i) -> __mmask64 = _mm512_cmpeq_epi8_mask(a, b);
        fn and_flags(a: __mmask64, b: __mmask64) -> __mmask64 = _kand_mask64(a, b);
        fn or_flags(a: __mmask64, b: __mmask64) -> __mmask64 = _kor_mask64(a, b);
        fn blend(flags: __mmask64, yes: __m512i, no: __m512i) -> __m512i =
            _mm512_mask_blend_epi8(flags, no, yes);
        fn retain(flags: __mmask64, v: __m512i) -> __m512i = _mm512_maskz_mov_epi8(flags, v);
        fn select_bits(mask: __m512i, a: __m512i, b: __m512i) -> __m512i =
            _mm512_ternarylogic_epi32::<SELECT>(mask, a, b);
        fn shl<const N: i32>(v: __m512i) -> __m512i = _mm512_sll_epi16(v, _mm_cvtsi32_si128(N));
        fn shr<const N: i32>(v: __m512i) -> __m512i = _mm512_srl_epi16(v, _mm_cvtsi32_si128(N));
    }
}

/// The truth table of the second bit where the first is set, else the third.
const SELECT: i32 = 0xCA;

/// Indices that interleave the first halves of two vectors, and the second halves.
const INTERLEAVED: [[u8; 64]; 2] = {
    let mut lanes = [[0; 64]; 2];
    let mut lane = 0;
    while lane < 64 {
        let place = lane / 2 % 32 + lane % 2 * 64;
        lanes[0][lane] = place as u8;
        lanes[1][lane] = 32 + place as u8;
        lane += 1;
    }
    lanes
};

/// Indices for each quarter of the lanes: two bytes from the first vector, a half that was interleaved, and one from
/// the second vector.
const QUARTERS: [[u8; 64]; 4] = {
    let mut lanes = [[0; 64]; 4];
    let mut lane = 0;
    while lane < 256 {
        let unit = lane / 4;
        lanes[lane / 64][lane % 64] = match lane % 4 {
            byte @ ..2 => (unit % 32 * 2 + byte) as u8,
            _ => 64 + unit as u8,
        };
        lane += 1;
    }
    lanes
};

/// A bit for each byte but the highest of each lane of 32 bits.
const THREE_OF_FOUR: u64 = 0x7777_7777_7777_7777;

impl Avx512 {
    operations! { "bmi2":
        // Returns a bit for each of the first lanes.
        fn first_lanes(lanes: usize) -> u64 = _bzhi_u64(u64::MAX, lanes.min(64) as u32);
    }

    operations! { "avx512f,avx512vbmi,avx512vbmi2":
        fn permute_without_top(pairs: __m512i, places: __m512i, top: __m512i) -> __m512i =
            _mm512_maskz_permutex2var_epi8(THREE_OF_FOUR, pairs, places, top);
        fn half_of<const N: usize>(v: __m512i) -> __m256i = match N {
            0 => _mm512_castsi512_si256(v),
            _ => _mm512_extracti64x4_epi64::<1>(v),
        };
        fn bytes_as_u16(v: __m256i) -> __m512i = _mm512_cvtepu8_epi16(v);
        fn bytes_as_u32(v: __m128i) -> __m512i = _mm512_cvtepu8_epi32(v);
        fn u16_as_u32(v: __m256i) -> __m512i = _mm512_cvtepu16_epi32(v);
        fn low_quarter(v: __m256i) -> __m128i = _mm256_castsi256_si128(v);
        fn high_quarter(v: __m256i) -> __m128i = _mm256_extracti128_si256::<1>(v);
    }

    /// Stores a vector at `out[at..]`.
    #[inline(always)]
    fn store_vector<U>(self, v: __m512i, out: &mut [MaybeUninit<U>], at: usize) {
        let place = &mut out[at..at + Self::WIDTH / size_of::<U>()];
        // SAFETY: `self` proves AVX-512; `place` is `WIDTH` bytes to write, and this store needs no alignment.
        unsafe { _mm512_storeu_si512(place.as_mut_ptr().cast(), v) };
    }

    /// Writes as much of a vector as there is out for.
    #[inline(always)]
    fn store_lanes<U>(self, v: __m512i, out: &mut [MaybeUninit<U>]) {
        let lanes = self.first_lanes(size_of_val(out));
        // SAFETY: `self` proves AVX-512 BW; lanes that are masked out are not written, the others are `out`.
        unsafe { _mm512_mask_storeu_epi8(out.as_mut_ptr().cast(), lanes, v) };
    }

    #[inline(always)]
    fn compress_all<const PLANES: usize>(
        self,
        kept: u64,
        mut planes: [__m512i; PLANES],
    ) -> [__m512i; PLANES] {
        for plane in &mut planes {
            *plane = Compress::compress(self, kept, *plane);
        }
        planes
    }
}

/// A code unit whose vectors are interleaved from byte planes.
trait Interleave: Sized {
    /// Returns the vector of units with this index; their bytes are given plane by plane, the lowest first.
    fn interleave(isa: Avx512, planes: &[__m512i], index: usize) -> __m512i;
}

impl Interleave for u8 {
    #[inline(always)]
    fn interleave(_: Avx512, planes: &[__m512i], _: usize) -> __m512i {
        planes[0]
    }
}

impl Interleave for u16 {
    #[inline(always)]
    fn interleave(isa: Avx512, planes: &[__m512i], index: usize) -> __m512i {
        match (planes, index) {
            ([low, high, ..], _) => isa.permute8_pair(*low, isa.load(&INTERLEAVED[index], 0), *high),
            (_, 0) => isa.bytes_as_u16(isa.half_of::<0>(planes[0])),
            _ => isa.bytes_as_u16(isa.half_of::<1>(planes[0])),
        }
    }
}

impl Interleave for u32 {
    #[inline(always)]
    fn interleave(isa: Avx512, planes: &[__m512i], index: usize) -> __m512i {
        match planes {
            [_, _, top, ..] => isa.permute_without_top(
                u16::interleave(isa, planes, index / 2),
                isa.load(&QUARTERS[index], 0),
                *top,
            ),
            [_, _] => {
                let pairs = u16::interleave(isa, planes, index / 2);
                isa.u16_as_u32(if index.is_multiple_of(2) {
                    isa.half_of::<0>(pairs)
                } else {
                    isa.half_of::<1>(pairs)
                })
            }
            _ => {
                let half = if index < 2 { isa.half_of::<0>(planes[0]) } else { isa.half_of::<1>(planes[0]) };
                isa.bytes_as_u32(if index.is_multiple_of(2) {
                    isa.low_quarter(half)
                } else {
                    isa.high_quarter(half)
                })
            }
        }
    }
}

impl<U: Interleave> StoreUnits<U> for Avx512 {
    #[inline(always)]
    fn store_widened<const N: usize>(self, v: __m512i, out: &mut [MaybeUninit<U>; N]) {
        let mut at = 0;
        while at < N {
            self.store_vector(U::interleave(self, &[v], at * size_of::<U>() / 64), out, at);
            at += 64 / size_of::<U>();
        }
    }

    #[inline(always)]
    fn store_compressed<const PLANES: usize, const N: usize>(
        self,
        kept: u64,
        planes: [__m512i; PLANES],
        out: &mut [MaybeUninit<U>; N],
    ) {
        let planes = self.compress_all(kept, planes);
        let units = kept.count_ones() as usize;
        let mut at = 0;
        while at < N && (at == 0 || at < units) {
            self.store_vector(U::interleave(self, &planes, at * size_of::<U>() / 64), out, at);
            at += 64 / size_of::<U>();
        }
    }

    #[inline(always)]
    fn store_compressed_partial<const PLANES: usize>(
        self,
        kept: u64,
        planes: [__m512i; PLANES],
        out: &mut [MaybeUninit<U>],
    ) {
        let planes = self.compress_all(kept, planes);
        let mut at = 0;
        while at < 64
            && let Some(out @ [_, ..]) = out.get_mut(at..)
        {
            self.store_lanes(U::interleave(self, &planes, at * size_of::<U>() / 64), out);
            at += 64 / size_of::<U>();
        }
    }
}
