//! Whether the bytes are UTF-8.

use std::rc::Rc;

use leadbyte::Implementation;

use super::job::{Job, SIZES, Unit};
use crate::contestants::{Contestant, Function, Question};
use crate::pool::{Pool, Shape};

pub const VALIDATE: Job = Job::new("validate", SIZES, |pool| {
    let compat: Function<bool> = |data| simdutf8::compat::from_utf8(data).is_ok();
    lineup(pool, &[&PEERS[..], &[("simdutf8 compat", compat)], &on_one_set()].concat())
});

pub const SHORT_INPUTS: Job = Job {
    unit: Unit::Nanoseconds,
    ..Job::new(
        "short",
        &[
            ("4B", Shape::Short(4, 4)),
            ("8B", Shape::Short(8, 8)),
            ("16B", Shape::Short(16, 16)),
            ("32B", Shape::Short(32, 32)),
            ("64B", Shape::Short(64, 64)),
            ("96B", Shape::Short(96, 96)),
            ("128B", Shape::Short(128, 128)),
            ("192B", Shape::Short(192, 192)),
            ("256B", Shape::Short(256, 256)),
            ("512B", Shape::Short(512, 512)),
            ("1-600B", Shape::Short(1, 600)),
        ],
        |pool| lineup(pool, &PEERS),
    )
};

const PEERS: [(&str, Function<bool>); 3] = [
    ("std", with_std),
    ("simdutf8 basic", |data| simdutf8::basic::from_utf8(data).is_ok()),
    ("simdutf", simdutf::validate_utf8),
];

/// The peers that do no more than to validate, for rows of who does more.
pub fn merely(pool: &Rc<Pool>) -> Vec<Contestant> {
    let mut all = Question::new(pool, with_std).peers(&PEERS);
    for Contestant { name, .. } in &mut all {
        *name = format!("valid: {name}");
    }
    all
}

fn lineup(pool: Pool, peers: &[(&str, Function<bool>)]) -> Vec<Contestant> {
    let question = Question::new(&Rc::new(pool), with_std);
    let mut all = question.ours(leadbyte::is_valid, Implementation::is_valid);
    all.extend(question.peers(peers));
    all
}

fn with_std(data: &[u8]) -> bool {
    std::str::from_utf8(data).is_ok()
}

/// simdutf8 without its choice of an instruction set: peers for our implementations that are not the
/// best on this CPU.
#[cfg(target_arch = "x86_64")]
fn on_one_set() -> Vec<(&'static str, Function<bool>)> {
    use simdutf8::basic::imp::x86;
    // SAFETY: called only where the CPU has SSE 4.2.
    let sse42: Function<bool> = |data| unsafe { x86::sse42::validate_utf8(data) }.is_ok();
    // SAFETY: called only where the CPU has AVX2.
    let avx2: Function<bool> = |data| unsafe { x86::avx2::validate_utf8(data) }.is_ok();
    let all = [
        is_x86_feature_detected!("sse4.2").then_some(("simdutf8/sse42", sse42)),
        is_x86_feature_detected!("avx2").then_some(("simdutf8/avx2", avx2)),
    ];
    all.into_iter().flatten().collect()
}

/// Elsewhere it has no choice.
#[cfg(not(target_arch = "x86_64"))]
fn on_one_set() -> Vec<(&'static str, Function<bool>)> {
    vec![]
}
