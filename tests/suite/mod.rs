//! The tests of the crate: each module compares a part of it with an oracle, on every implementation.

#[path = "../reference/mod.rs"]
mod reference;

mod audit;
#[cfg(not(kernels_only))]
mod classes;
mod conformance;
mod corpus;
mod cut;
mod decode;
mod edges;
mod edited_offsets;
mod encode;
mod exhaustive;
mod fold;
mod guard;
mod integers;
mod jsonl;
mod mutation;
mod offsets;
mod properties;
mod runs;
mod sequence;
mod single_byte;
mod stream;
mod tiers;
#[cfg(not(kernels_only))]
mod unicode;
mod variants;
