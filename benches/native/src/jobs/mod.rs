//! The measurements: functions, their inputs, and the crates that compute them.

mod count;
mod decode;
mod dirty;
mod encode;
mod fused;
mod job;
mod pages;
mod stream;
mod transcode;
mod validate;
pub mod variants;

pub use job::{Job, RANDOM, Unit};

const SINGLE: &[Job] = &[
    validate::VALIDATE,
    validate::SHORT_INPUTS,
    fused::MEASURE,
    fused::SCAN,
    count::CHARS,
    count::NEWLINES,
    dirty::FIRST_ERROR,
    dirty::ERROR_COUNT,
    dirty::REPAIR,
    dirty::ERRORS,
    dirty::RANDOM_ERRORS,
    encode::FROM_UTF16,
    encode::FROM_UTF32,
    encode::FROM_LATIN1,
    encode::LENGTH,
    encode::WHOLE,
    encode::WHOLE_SHORT,
    decode::LATIN1,
    decode::UTF16,
    decode::UTF32,
    decode::WHOLE_LATIN1,
    decode::WHOLE_UTF16,
    decode::WHOLE_UTF32,
    transcode::TO_UTF16,
    transcode::TO_UTF32,
    transcode::FROM_UTF16,
    transcode::FROM_UTF32,
    variants::CESU8,
    variants::MUTF8,
    variants::WTF8,
    stream::STREAM,
];

/// All that is measured.
pub fn all() -> impl Iterator<Item = &'static Job> {
    SINGLE.iter().chain(pages::ALL)
}
