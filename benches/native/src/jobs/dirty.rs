//! Text with errors in it: where the first one is, how many there are, and each of them.

use std::rc::Rc;

use super::job::{Job, RANDOM, Unit};
use crate::contestants::{Contestant, Question};
use crate::pool::{Pool, Shape};

/// What ours is compared with: the same text without errors.
const CLEAN: &str = "clean";

/// The name of a size is where the first error is; about as much follows.
pub const FIRST_ERROR: Job = Job {
    reference: Some(CLEAN),
    ..Job::new(
        "first-error",
        &[
            ("4KiB", Shape::Dirty { bytes: 8 << 10, gap: 4 << 10 }),
            ("64KiB", Shape::Dirty { bytes: 128 << 10, gap: 64 << 10 }),
            ("1MiB", Shape::Dirty { bytes: 2 << 20, gap: 1 << 20 }),
        ],
        |mut pool| {
            let clean = pool.map(|slice| slice[..valid_up_to(slice).unwrap_or(slice.len())].to_vec());
            pool.bytes = clean.bytes; // nobody need look at what follows an error
            let pool = Rc::new(pool);
            let question = Question::new(&pool, valid_up_to);
            let mut all = question.ours(
                |data| leadbyte::validate(data).err().map(|error| error.start() as usize),
                |implementation, data| {
                    implementation.validate(data).err().map(|error| error.start() as usize)
                },
            );
            all.push(Question::new(&Rc::new(clean), |_| true).one(CLEAN, leadbyte::is_valid));
            all.extend(question.peers(&[
                ("std", valid_up_to),
                ("simdutf8 compat", |data| {
                    simdutf8::compat::from_utf8(data).err().map(|error| error.valid_up_to())
                }),
                ("simdutf", |data| {
                    let result = simdutf::validate_utf8_with_errors(data);
                    (result.error != simdutf::ErrorCode::Success).then_some(result.count)
                }),
            ]));
            all
        },
    )
};

fn valid_up_to(data: &[u8]) -> Option<usize> {
    std::str::from_utf8(data).err().map(|error| error.valid_up_to())
}

pub const ERROR_COUNT: Job = Job {
    reference: Some(CLEAN),
    ..Job::new(
        "error-count",
        &[
            ("every-1000B", Shape::Dirty { bytes: 64 << 10, gap: 1000 }),
            ("every-100B", Shape::Dirty { bytes: 64 << 10, gap: 100 }),
        ],
        |pool| {
            let pool = Rc::new(pool);
            let question = Question::new(&pool, errors_with_std);
            let mut all = question.ours(
                |data| leadbyte::scan(data).error_count as usize,
                |implementation, data| implementation.scan(data).error_count as usize,
            );
            let clean = pool.map(|slice| slice.utf8_chunks().flat_map(|run| run.valid().bytes()).collect());
            let scan = |data: &[u8]| leadbyte::scan(data).error_count;
            all.push(Question::new(&Rc::new(clean), |_| 0).one(CLEAN, scan));
            all.push(question.one("std", errors_with_std));
            all
        },
    )
};

pub const REPAIR: Job =
    Job::new("repair", &[("every-1000B", Shape::Dirty { bytes: 64 << 10, gap: 1000 })], |pool| {
        let question = Question::new(&Rc::new(pool), lossy_with_std);
        let mut all = question.ours(
            |data| leadbyte::repair(data).into_owned(),
            |implementation, data| implementation.repair(data).into_owned(),
        );
        all.extend(question.peers(&[
            ("std", lossy_with_std),
            ("encoding_rs", |data| encoding_rs::UTF_8.decode_without_bom_handling(data).0.into_owned()),
        ]));
        all
    });

fn lossy_with_std(data: &[u8]) -> String {
    String::from_utf8_lossy(data).into_owned()
}

/// A call is one error here.
pub const ERRORS: Job = Job {
    unit: Unit::MillionCalls,
    ..Job::new(
        "iter-errors",
        &[
            ("every-100B", Shape::Dirty { bytes: 64 << 10, gap: 100 }),
            ("every-10B", Shape::Dirty { bytes: 64 << 10, gap: 10 }),
        ],
        each_error,
    )
};

pub const RANDOM_ERRORS: Job =
    Job { sizes: &[("64KiB", Shape::Slices(64 << 10))], takes: |name| name == RANDOM, ..ERRORS };

fn each_error(mut pool: Pool) -> Vec<Contestant> {
    pool.calls = pool.slices().map(errors_with_std).sum();
    let pool = Rc::new(pool);
    let question = Question::new(&pool, errors_with_std);
    let mut all = question.ours(
        |data| leadbyte::iter_errors(data).count(),
        |implementation, data| implementation.iter_errors(data).count(),
    );
    all.push(question.one("std", errors_with_std));
    all
}

fn errors_with_std(data: &[u8]) -> usize {
    data.utf8_chunks().filter(|run| !run.invalid().is_empty()).count()
}
