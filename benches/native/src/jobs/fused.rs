//! Validity and counts in one pass, beside peers that need several, and beside mere validation.

use std::rc::Rc;

use leadbyte::{Implementation, Measure, Scan};

use super::job::{Job, SIZES};
use super::validate::merely;
use crate::contestants::Question;

pub const MEASURE: Job = Job::new("measure", SIZES, |pool| {
    let pool = Rc::new(pool);
    let question = Question::new(&pool, measure_with_std);
    let mut all = question.ours(|data| Implementation::active().measure(data), Implementation::measure);
    all.extend(merely(&pool));
    all
});

fn measure_with_std(data: &[u8]) -> Option<Measure> {
    let text = std::str::from_utf8(data).ok()?;
    let beyond_ascii = data.iter().copied().filter(|byte| !byte.is_ascii());
    Some(Measure {
        chars: text.chars().count(),
        utf16_count: text.encode_utf16().count(),
        largest: beyond_ascii.max().map_or(0, |largest| largest.min(0xF0)),
    })
}

pub const SCAN: Job = Job::new("scan", SIZES, |pool| {
    let pool = Rc::new(pool);
    let question = Question::new(&pool, scan_with_std);
    let mut all = question
        .ours(|data| leadbyte::scan(data).into(), |implementation, data| implementation.scan(data).into());
    all.extend(question.peers(&[("std", scan_with_std), ("naive", one_loop), ("best crates", best_crates)]));
    all.extend(merely(&pool));
    all
});

/// The results of the fused pass, for which the peers need several.
#[derive(PartialEq, Debug)]
pub struct Counts {
    valid: bool,
    chars: usize,
    utf16_count: usize,
    newlines: usize,
}

impl From<Scan> for Counts {
    fn from(scan: Scan) -> Self {
        let [chars, utf16_count, newlines] =
            [scan.char_count, scan.utf16_count, scan.newline_count].map(|count| count as usize);
        Self { valid: scan.valid, chars, utf16_count, newlines }
    }
}

/// Uses the iterators of the standard library, one after the other.
pub fn scan_with_std(data: &[u8]) -> Counts {
    let text = std::str::from_utf8(data);
    Counts {
        valid: text.is_ok(),
        chars: text.map_or(0, |text| text.chars().count()),
        utf16_count: text.map_or(0, |text| text.encode_utf16().count()),
        newlines: data.iter().filter(|&&byte| byte == b'\n').count(),
    }
}

/// Uses one loop over the characters, the simplest code.
fn one_loop(data: &[u8]) -> Counts {
    let text = std::str::from_utf8(data);
    let mut counts = Counts { valid: text.is_ok(), chars: 0, utf16_count: 0, newlines: 0 };
    for char in text.unwrap_or_default().chars() {
        counts.chars += 1;
        counts.utf16_count += char.len_utf16();
        counts.newlines += usize::from(char == '\n');
    }
    counts
}

/// Uses the fastest peer for each count.
fn best_crates(data: &[u8]) -> Counts {
    Counts {
        valid: simdutf8::basic::from_utf8(data).is_ok(),
        chars: bytecount::num_chars(data),
        utf16_count: simdutf::utf16_length_from_utf8(data),
        newlines: bytecount::count(data, b'\n'),
    }
}
