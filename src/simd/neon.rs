//! NEON: all aarch64; 16 bytes at once.

use core::arch::aarch64::*;

use super::uninit::MaybeUninit;
use super::{Count, Isa, Lanes16, Lookup, Planes, Shuffle, Simd, Vector16, Work, operations, partial_words};

/// Proof that this CPU has NEON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Neon {
    /// Private, so that only [`Neon::detect`] makes a token.
    _detected: (),
}

impl Neon {
    /// Returns the token if the CPU has these features.
    pub fn detect() -> Option<Self> {
        std::arch::is_aarch64_feature_detected!("neon").then_some(Self { _detected: () })
    }
}

#[target_feature(enable = "neon")]
#[inline(never)]
fn trampoline<W: Work<Neon>>(isa: Neon, work: W) -> W::Output {
    work.run(isa)
}

impl Isa for Neon {
    type Vector = uint8x16_t;

    const WIDTH: usize = 16;

    const NAME: &'static str = "neon";

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
    fn load(self, bytes: &[u8], at: usize) -> uint8x16_t {
        let lanes = &bytes[at..at + Self::WIDTH];
        // SAFETY: `self` proves NEON; `lanes` is `WIDTH` readable bytes, and this load needs no alignment.
        unsafe { vld1q_u8(lanes.as_ptr()) }
    }

    operations! { "neon":
        fn splat(byte: u8) -> uint8x16_t = vdupq_n_u8(byte);
        fn and(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vandq_u8(a, b);
        fn or(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vorrq_u8(a, b);
        fn add(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vaddq_u8(a, b);
        fn max(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vmaxq_u8(a, b);
        fn any_non_ascii(v: uint8x16_t) -> bool = vmaxvq_u8(v) >= 0x80;
        fn reduce_max(v: uint8x16_t) -> u8 = vmaxvq_u8(v);
        fn nonzero(v: uint8x16_t) -> u64 = bits_of(vtstq_u8(v, v));
        fn reduce_sum(v: uint8x16_t) -> usize = usize::from(vaddlvq_u8(v));
    }
}

impl Count for Neon {
    operations! { "neon":
        // A comparison gives -1 where it holds. As signed numbers, 80 to BF are the lowest.
        fn count_continuations(counts: uint8x16_t, v: uint8x16_t) -> uint8x16_t =
            vsubq_u8(counts, vcltq_s8(vreinterpretq_s8_u8(v), vdupq_n_s8(0xC0u8 as i8)));
        fn count_equal(counts: uint8x16_t, v: uint8x16_t, byte: uint8x16_t) -> uint8x16_t =
            vsubq_u8(counts, vceqq_u8(v, byte));
        fn count_at_least(counts: uint8x16_t, v: uint8x16_t, bound: uint8x16_t) -> uint8x16_t =
            vsubq_u8(counts, vcgeq_u8(v, bound));
    }

    #[inline(always)]
    fn load_partial(self, bytes: &[u8]) -> uint8x16_t {
        match bytes.first_chunk::<16>() {
            Some(all) => self.load(all, 0),
            None => {
                let [low, high] = partial_words(bytes);
                // SAFETY: `self` proves that the CPU has NEON.
                unsafe { from_words(low, high) }
            }
        }
    }
}

impl Simd for Neon {
    operations! { "neon":
        fn saturating_sub(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vqsubq_u8(a, b);
    }
}

impl Lookup for Neon {
    #[inline(always)]
    fn table(self, entries: &[u8; 16]) -> uint8x16_t {
        self.load(entries, 0)
    }

    operations! { "neon":
        fn lookup(table: uint8x16_t, index: uint8x16_t) -> uint8x16_t = vqtbl1q_u8(table, index);
        fn lookup_or_zero(table: uint8x16_t, index: uint8x16_t) -> uint8x16_t =
            vqtbl1q_u8(table, vandq_u8(index, vdupq_n_u8(0x8F)));
        fn high_nibbles(v: uint8x16_t) -> uint8x16_t = vshrq_n_u8::<4>(v);
        fn xor(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = veorq_u8(a, b);
        fn and_not(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vbicq_u8(a, b);
        fn equal_lanes(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vceqq_u8(a, b);
        fn below_signed(v: uint8x16_t, bound: uint8x16_t) -> uint8x16_t =
            vcltq_s8(vreinterpretq_s8_u8(v), vreinterpretq_s8_u8(bound));
        fn min_signed(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t =
            vreinterpretq_u8_s8(vminq_s8(vreinterpretq_s8_u8(a), vreinterpretq_s8_u8(b)));
        fn any(v: uint8x16_t) -> bool = vmaxvq_u8(v) != 0;
        fn prev<const N: usize>(v: uint8x16_t) -> uint8x16_t = match N {
            1 => vextq_u8::<15>(vdupq_n_u8(0), v),
            2 => vextq_u8::<14>(vdupq_n_u8(0), v),
            _ => vextq_u8::<13>(vdupq_n_u8(0), v),
        };
    }
}

/// The bit of each lane in the byte of its eight lanes.
const LANE_BITS: u64 = 0x8040_2010_0804_0201;

/// Returns a bit for each lane of which all bits are set; the others must be 0.
#[inline]
#[target_feature(enable = "neon")]
fn bits_of(flags: uint8x16_t) -> u64 {
    // The bits of eight lanes added up to a byte.
    let own = vandq_u8(flags, vreinterpretq_u8_u64(vdupq_n_u64(LANE_BITS)));
    u64::from(vaddv_u8(vget_low_u8(own))) | u64::from(vaddv_u8(vget_high_u8(own))) << 8
}

/// Returns a vector of two little-endian words.
#[inline]
#[target_feature(enable = "neon")]
fn from_words(low: u64, high: u64) -> uint8x16_t {
    vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(high)))
}

impl Lanes16 for Neon {
    operations! { "neon":
        fn splat16(unit: u16) -> uint8x16_t = vreinterpretq_u8_u16(vdupq_n_u16(unit));
        fn splat32(unit: u32) -> uint8x16_t = vreinterpretq_u8_u32(vdupq_n_u32(unit));
        fn equal16(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t =
            vreinterpretq_u8_u16(vceqq_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
        fn equal32(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t =
            vreinterpretq_u8_u32(vceqq_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
        fn add16(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t =
            vreinterpretq_u8_u16(vaddq_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
        fn shl16<const N: i32>(v: uint8x16_t) -> uint8x16_t =
            vreinterpretq_u8_u16(vshlq_n_u16::<N>(vreinterpretq_u16_u8(v)));
        fn shr16<const N: i32>(v: uint8x16_t) -> uint8x16_t =
            vreinterpretq_u8_u16(vshrq_n_u16::<N>(vreinterpretq_u16_u8(v)));
        fn shl32<const N: i32>(v: uint8x16_t) -> uint8x16_t =
            vreinterpretq_u8_u32(vshlq_n_u32::<N>(vreinterpretq_u32_u8(v)));
        fn shr32<const N: i32>(v: uint8x16_t) -> uint8x16_t =
            vreinterpretq_u8_u32(vshrq_n_u32::<N>(vreinterpretq_u32_u8(v)));
        fn select16(mask: uint8x16_t, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vbslq_u8(mask, a, b);
        fn mask_bits16(v: uint8x16_t) -> u32 = {
            // The bit of each lane, added up.
            let bits = vcreate_u8(0x8040_2010_0804_0201);
            u32::from(vaddv_u8(vand_u8(vmovn_u16(vreinterpretq_u16_u8(v)), bits)))
        };
        fn mask_bits16_pair(a: uint8x16_t, b: uint8x16_t) -> u32 = {
            // The lower four bits for `a`, and the higher ones for `b`; each half of four lanes added up.
            let a = vand_u8(vmovn_u16(vreinterpretq_u16_u8(a)), vcreate_u8(0x0804_0201_0804_0201));
            let b = vand_u8(vmovn_u16(vreinterpretq_u16_u8(b)), vcreate_u8(0x8040_2010_8040_2010));
            let sums = vpaddl_u16(vpaddl_u8(vorr_u8(a, b)));
            vget_lane_u32::<0>(sums) | vget_lane_u32::<1>(sums) << 8
        };
        fn interleave(a: uint8x16_t, b: uint8x16_t) -> [uint8x16_t; 2] = [vzip1q_u8(a, b), vzip2q_u8(a, b)];
        fn interleave16(a: uint8x16_t, b: uint8x16_t) -> [uint8x16_t; 2] = {
            let (a, b) = (vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b));
            [vreinterpretq_u8_u16(vzip1q_u16(a, b)), vreinterpretq_u8_u16(vzip2q_u16(a, b))]
        };
        fn narrow16(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vuzp1q_u8(a, b);
        fn narrow32(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t =
            vreinterpretq_u8_u16(vuzp1q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
        fn saturate16(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t =
            vqmovn_high_u16(vqmovn_u16(vreinterpretq_u16_u8(a)), vreinterpretq_u16_u8(b));
        fn saturate32(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vreinterpretq_u8_u16(vqmovn_high_u32(
            vqmovn_u32(vreinterpretq_u32_u8(a)),
            vreinterpretq_u32_u8(b),
        ));
        fn prev16(v: uint8x16_t, before: uint8x16_t) -> uint8x16_t = vextq_u8::<14>(before, v);
    }

    #[inline(always)]
    fn store(self, v: uint8x16_t, out: &mut [MaybeUninit<u8>], at: usize) {
        let lanes = &mut out[at..at + Self::WIDTH];
        // SAFETY: `self` proves NEON; `lanes` is `WIDTH` writable bytes, and this store needs no alignment.
        unsafe { vst1q_u8(lanes.as_mut_ptr().cast(), v) }
    }

    #[inline(always)]
    fn store_shuffled(
        self,
        v: uint8x16_t,
        _: usize,
        order: &[u8; 16],
        out: &mut [MaybeUninit<u8>],
        at: usize,
    ) {
        self.store(self.lookup(v, self.load(order, 0)), out, at);
    }
}

impl Planes for Neon {
    type Flags = uint8x16_t;

    #[inline(always)]
    fn load_partial_at(self, bytes: &[u8], at: usize) -> uint8x16_t {
        self.load_partial(bytes.get(at..).unwrap_or_default())
    }

    operations! { "neon":
        fn at_least(v: uint8x16_t, bound: uint8x16_t) -> uint8x16_t = vcgeq_u8(v, bound);
        fn at_least_or_ascii(v: uint8x16_t, bound: uint8x16_t) -> uint8x16_t = vcgeq_u8(v, bound);
        fn non_ascii(v: uint8x16_t) -> uint8x16_t = vcltzq_s8(vreinterpretq_s8_u8(v));
        // As signed numbers, 80 to BF are the lowest.
        fn lead_bits(v: uint8x16_t) -> u64 = bits_of(vcgtq_s8(vreinterpretq_s8_u8(v), vdupq_n_s8(0xBFu8 as i8)));
        fn bits(flags: uint8x16_t) -> u64 = bits_of(flags);
        fn flags(bits: u64) -> uint8x16_t = {
            let bytes = vcombine_u8(vdup_n_u8(bits as u8), vdup_n_u8((bits >> 8) as u8));
            vtstq_u8(bytes, vreinterpretq_u8_u64(vdupq_n_u64(LANE_BITS)))
        };
        fn equal(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vceqq_u8(a, b);
        fn and_flags(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vandq_u8(a, b);
        fn or_flags(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vorrq_u8(a, b);
        fn blend(flags: uint8x16_t, yes: uint8x16_t, no: uint8x16_t) -> uint8x16_t = vbslq_u8(flags, yes, no);
        fn retain(flags: uint8x16_t, v: uint8x16_t) -> uint8x16_t = vandq_u8(flags, v);
        fn select_bits(mask: uint8x16_t, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vbslq_u8(mask, a, b);
        fn shl<const N: i32>(v: uint8x16_t) -> uint8x16_t = vshlq_n_u8::<N>(v);
        fn shr<const N: i32>(v: uint8x16_t) -> uint8x16_t = vshrq_n_u8::<N>(v);
    }
}

impl Shuffle for Neon {
    type Vector16 = Self;

    #[inline(always)]
    fn vector16(self) -> Self {
        self
    }

    operations! { "neon":
        fn eight_lanes(v: uint8x16_t, at: usize) -> uint8x16_t = if at == 0 { v } else { vextq_u8::<8>(v, v) };
        fn interleave_eight(a: uint8x16_t, b: uint8x16_t, at: usize) -> uint8x16_t =
            if at == 0 { vzip1q_u8(a, b) } else { vzip2q_u8(a, b) };
    }
}

impl Vector16 for Neon {
    #[inline(always)]
    fn store_units<U>(self, v: uint8x16_t, out: &mut [MaybeUninit<U>]) {
        assert!(size_of_val(out) == Self::WIDTH);
        // SAFETY: `self` proves NEON; `out` is `WIDTH` bytes that may be written, and this store needs no
        // alignment.
        unsafe { vst1q_u8(out.as_mut_ptr().cast(), v) };
    }

    #[inline(always)]
    fn store_half(self, v: uint8x16_t, out: &mut [MaybeUninit<u8>; 8]) {
        // SAFETY: `self` proves that the CPU has NEON.
        let half = unsafe { vget_low_u8(v) };
        // SAFETY: `self` proves NEON; `out` is eight bytes that may be written, and this store needs no
        // alignment.
        unsafe { vst1_u8(out.as_mut_ptr().cast(), half) };
    }
}
