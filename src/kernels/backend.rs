//! The table of algorithms: which instruction set runs which.

#[cfg(all(feature = "unicode", target_arch = "x86_64"))]
use super::candidates::byte_table::ByteTableFinder;
#[cfg(feature = "unicode")]
use super::candidates::{nibbles::NibbleFinder, scalar::ByteFinder};
use super::decode::plane_decoder::PlaneDecoder;
use super::decode::scalar::ScalarDecoder;
use super::encode::blocks::BlockEncoder;
#[cfg(target_arch = "x86_64")]
use super::encode::compress::CompressWriters;
use super::encode::scalar::ScalarEncoder;
use super::encode::shuffle::ShuffleWriters;
use super::errors::scalar::Arithmetic;
use super::errors::vectors::Vectors;
use super::kernel::Backend;
use super::validate::blocks::BlockValidator;
#[cfg(target_arch = "x86_64")]
use super::validate::byte_table::ByteTableCheckers;
use super::validate::tiers::TieredCheckers;
use super::validate::words::Words;
#[cfg(target_arch = "aarch64")]
use crate::simd::Neon;
use crate::simd::Scalar;
#[cfg(target_arch = "x86_64")]
use crate::simd::{Avx2, Avx512, Sse42};

impl Backend for Scalar {
    type Validator = Words;
    type Decoder = ScalarDecoder;
    type SequenceFinder = Arithmetic;
    #[cfg(feature = "unicode")]
    type CandidateFinder = ByteFinder;
    type Encoder = ScalarEncoder;
}

#[cfg(target_arch = "x86_64")]
impl Backend for Sse42 {
    type Validator = BlockValidator<TieredCheckers>;
    type Decoder = PlaneDecoder<16, 19, 64, 67>;
    type SequenceFinder = Vectors;
    #[cfg(feature = "unicode")]
    type CandidateFinder = NibbleFinder;
    type Encoder = BlockEncoder<ShuffleWriters>;
}

#[cfg(target_arch = "x86_64")]
impl Backend for Avx2 {
    type Validator = BlockValidator<TieredCheckers>;
    type Decoder = PlaneDecoder<32, 35, 128, 131>;
    type SequenceFinder = Vectors;
    #[cfg(feature = "unicode")]
    type CandidateFinder = NibbleFinder;
    type Encoder = BlockEncoder<ShuffleWriters>;
}

#[cfg(target_arch = "x86_64")]
impl Backend for Avx512 {
    type Validator = BlockValidator<ByteTableCheckers>;
    type Decoder = PlaneDecoder<64, 67, 128, 131>;
    type SequenceFinder = Vectors;
    #[cfg(feature = "unicode")]
    type CandidateFinder = ByteTableFinder;
    type Encoder = BlockEncoder<CompressWriters>;
}

#[cfg(target_arch = "aarch64")]
impl Backend for Neon {
    type Validator = BlockValidator<TieredCheckers>;
    type Decoder = PlaneDecoder<16, 19, 64, 67>;
    type SequenceFinder = Vectors;
    #[cfg(feature = "unicode")]
    type CandidateFinder = NibbleFinder;
    type Encoder = BlockEncoder<ShuffleWriters>;
}
