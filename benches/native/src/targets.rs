//! Targets for the figures, and whether they are met: each is a bound for some rows.

use core::fmt;

use leadbyte::Implementation;

use crate::contestants::{OURS, on_set};
use crate::jobs::variants::UTF8;
use crate::row::Row;

/// The texts of long characters, for which a vector implementation is made.
const FIVE: &[&str] = &["french", "russian", "chinese", "hindi", "emoji"];
/// Validators, in the rows of validation and of short inputs.
const VALIDATORS: &[&str] = &["std", "simdutf8 basic", "simdutf8 compat", "simdutf"];
/// Validators, in the rows of functions that do more than validate.
const MERE_VALIDATORS: &[&str] = &["valid: std", "valid: simdutf8 basic", "valid: simdutf"];
/// Peers that decode.
const CONVERTERS: &[&str] = &["simdutf", "simdutf valid"];
/// Short inputs of less than a vector, of some of them, and of a few more.
const TINY: &[&str] = &["8B", "16B", "32B"];
const SMALL: &[&str] = &["64B", "96B", "128B", "192B"];
const MIDDLING: &[&str] = &["256B", "512B"];
/// Short inputs of all lengths.
const MIXED: &str = "1-600B";

/// A bound, and the measured values with their places.
pub struct Target {
    name: String,
    bound: Bound,
    values: Vec<(String, f64)>,
}

#[derive(Clone, Copy)]
enum Bound {
    /// What the geometric mean must reach.
    Mean(f64),
    /// What every value must reach.
    Least(f64),
    /// What no value may exceed.
    Most(f64),
}

impl Target {
    fn mean(&self) -> f64 {
        let logarithms: f64 = self.values.iter().map(|(_, value)| value.ln()).sum();
        (logarithms / self.values.len() as f64).exp()
    }

    /// The value that is furthest from the bound, and its place.
    fn worst(&self) -> &(String, f64) {
        let ascending = |one: &&(String, f64), other: &&(String, f64)| one.1.total_cmp(&other.1);
        let values = self.values.iter();
        let worst = match self.bound {
            Bound::Mean(_) | Bound::Least(_) => values.min_by(ascending),
            Bound::Most(_) => values.max_by(ascending),
        };
        worst.expect("targets without values are left out")
    }

    fn met(&self) -> bool {
        match self.bound {
            Bound::Mean(least) => self.mean() >= least,
            Bound::Least(least) => self.worst().1 >= least,
            Bound::Most(most) => self.worst().1 <= most,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bound, verdict) = match self.bound {
            Bound::Mean(least) => (format!("mean >= {least}"), format!("mean {:.2}, ", self.mean())),
            Bound::Least(least) => (format!(">= {least}"), String::new()),
            Bound::Most(most) => (format!("<= {most}"), String::new()),
        };
        let (place, worst) = self.worst();
        let outcome = if self.met() { "PASS" } else { "FAIL" };
        write!(f, "target {} {bound}: {outcome}; {verdict}worst {worst:.2} ({place})", self.name)
    }
}

/// Targets, as they are made from the rows.
struct Judge<'a> {
    rows: &'a [Row],
    targets: Vec<Target>,
}

impl Judge<'_> {
    /// Adds a target for what `value` finds in the rows of a function, or of all whose names end like `-this`, at a
    /// size and on the texts that `texts` names, or on all if it names none. Without such rows there is no target.
    fn expect(
        &mut self,
        what: &str,
        (function, size): (&str, &str),
        texts: &[&str],
        bound: Bound,
        value: impl Fn(&Row) -> Option<f64>,
    ) {
        let rows = self.rows.iter().filter(|row| {
            (row.function == function || function.starts_with('-') && row.function.ends_with(function))
                && row.size == size
                && (texts.is_empty() || texts.contains(&row.text.as_str()))
        });
        let values: Vec<_> = rows.filter_map(|row| Some((row.text.clone(), value(row)?))).collect();
        if !values.is_empty() {
            let of = match texts {
                [] => "all texts",
                [text] => text,
                _ if texts.len() < FIVE.len() => "most of the five",
                _ => "the five",
            };
            self.targets.push(Target { name: format!("{what}, {function}/{size}, {of},"), bound, values });
        }
    }
}

/// Returns how many times as fast as the best of `others` a tool is.
fn over<'a>(tool: &'a str, others: &'a [&str]) -> impl Fn(&Row) -> Option<f64> + 'a {
    move |row| row.ratio(tool, |other| others.contains(&other))
}

/// Returns the result for each target that the rows cover.
pub fn judge(rows: &[Row]) -> Vec<Target> {
    let mut judge = Judge { rows, targets: vec![] };
    if Implementation::active().name() == "avx512" {
        avx512(&mut judge);
        encoding(&mut judge);
        avx512_decoding(&mut judge);
        transcoding(&mut judge);
        pages(&mut judge, OURS, [12.0, 4.0]);
    }
    pages(&mut judge, &on_set("avx2"), [2.0, 4.0]);
    older_sets(&mut judge);
    any_set(&mut judge);
    judge.targets
}

/// Adds the targets of validation on AVX-512, beside peers on the best instruction set that they have.
fn avx512(judge: &mut Judge<'_>) {
    let validate = ("validate", "64KiB");
    for (texts, bound) in [
        (FIVE, Bound::Mean(2.0)),
        (FIVE, Bound::Least(1.0)),
        (&["english"], Bound::Least(1.25)),
        (&["ascii"], Bound::Least(1.0)),
    ] {
        judge.expect("avx512 / peers", validate, texts, bound, over(OURS, VALIDATORS));
    }
    for (function, least) in [("measure", 1.7), ("scan", 1.3)] {
        let bound = Bound::Mean(least);
        judge.expect(
            "avx512 / mere validation",
            (function, "64KiB"),
            FIVE,
            bound,
            over(OURS, MERE_VALIDATORS),
        );
    }
    let mut short = |size, texts, least| {
        judge.expect("avx512 / peers", ("short", size), texts, Bound::Mean(least), over(OURS, VALIDATORS))
    };
    TINY.iter().for_each(|size| short(size, &[], 1.2));
    SMALL.iter().for_each(|size| short(size, &[], 1.0));
    for size in MIDDLING {
        short(size, &["english"], 0.9);
        short(size, FIVE, 1.15);
    }
    short(MIXED, &[], 1.25);
}

/// Adds the targets of encoding, beside the fastest that simdutf has for this CPU.
fn encoding(judge: &mut Judge<'_>) {
    let simdutf = &["simdutf"][..];
    let (avx2, large) = (on_set("avx2"), "64KiB");
    for (tool, function, texts, bound) in [
        (OURS, "from-utf16", FIVE, Bound::Mean(1.4)),
        (&avx2, "from-utf16", FIVE, Bound::Mean(0.95)),
        (OURS, "from-utf32", &FIVE[..4], Bound::Mean(1.15)),
        (OURS, "from-utf32", &["emoji"], Bound::Least(5.0)),
        (OURS, "from-latin1", &["french"], Bound::Least(1.0)),
        (OURS, "utf8-length", FIVE, Bound::Mean(1.0)),
    ] {
        let what = format!("{tool} / simdutf");
        judge.expect(&what, (function, large), texts, bound, over(tool, simdutf));
    }
}

/// Adds the targets of decoding UTF-8 on AVX-512.
fn avx512_decoding(judge: &mut Judge<'_>) {
    let mut expect = |row, texts, least| {
        judge.expect("avx512 / peers", row, texts, Bound::Mean(least), over(OURS, CONVERTERS));
    };
    expect(("to-utf16", "64KiB"), FIVE, 2.5);
    expect(("to-utf32", "64KiB"), FIVE, 1.8);
    expect(("to-latin1", "64KiB"), &["french"], 1.3);
    for function in ["decode-utf16", "decode-utf32"] {
        for (sizes, least) in [
            (&["8B", "16B", "32B"][..], 1.5),
            (&["64B", "128B", "256B", "512B", "1KiB", "4KiB"], 1.15),
            (&["16KiB", "64KiB", "1MiB"], 1.8),
        ] {
            sizes.iter().for_each(|size| expect((function, size), FIVE, least));
        }
    }
    MIDDLING.iter().for_each(|size| expect(("decode-latin1", size), &["french"], 1.0));
}

/// Adds the targets of complete conversions, with the allocation of the result.
fn transcoding(judge: &mut Judge<'_>) {
    for function in ["utf8-to-utf16", "utf8-to-utf32", "utf16-to-utf8", "utf32-to-utf8"] {
        judge.expect("avx512 / simdutf", (function, "64KiB"), FIVE, Bound::Mean(1.5), over(OURS, CONVERTERS));
    }
}

/// Adds the targets of single-byte encodings, to UTF-8 and from it.
fn pages(judge: &mut Judge<'_>, tool: &str, least: [f64; 2]) {
    for (function, least) in ["-to-utf8", "-from-utf8"].into_iter().zip(least) {
        let what = format!("{tool} / encoding_rs");
        judge.expect(&what, (function, "64KiB"), &[], Bound::Mean(least), over(tool, &["encoding_rs"]));
    }
}

/// Ours on what older CPUs have, each beside a peer that has no more.
fn older_sets(judge: &mut Judge<'_>) {
    let validate = ("validate", "64KiB");
    for (set, peer, bound) in [
        ("avx2", "simdutf8/avx2", Bound::Mean(1.05)),
        ("sse42", "simdutf8/sse42", Bound::Mean(1.0)),
        ("scalar", "std", Bound::Mean(1.3)),
        ("scalar", "std", Bound::Least(0.9)),
    ] {
        judge.expect(&format!("{set} / {peer}"), validate, FIVE, bound, over(&on_set(set), &[peer]));
    }
    let to_utf16 = ("to-utf16", "64KiB");
    judge.expect("avx2 / peers", to_utf16, FIVE, Bound::Mean(2.0), over(&on_set("avx2"), CONVERTERS));
    let mut short = |size, least| {
        judge.expect(
            "avx2 / peers",
            ("short", size),
            &[],
            Bound::Mean(least),
            over(&on_set("avx2"), VALIDATORS),
        );
    };
    TINY.iter().for_each(|size| short(size, 1.2));
    SMALL.iter().chain(MIDDLING).chain([&MIXED]).for_each(|size| short(size, 0.9));
}

/// Ours on the best set that there is.
fn any_set(judge: &mut Judge<'_>) {
    for (size, least) in [("16KiB-L1", 1.1), ("512KiB-L2", 1.0)] {
        let bound = Bound::Least(least);
        judge.expect("counting / peers", ("count", size), &[], bound, over(OURS, &["bytecount", "simdutf"]));
    }
    for (tool, least) in [("is_valid", 0.9), ("count_chars", 0.9), ("scan", 0.75)] {
        let bound = Bound::Least(least);
        judge.expect(&format!("{tool} / read"), ("stream", "1GiB"), &[], bound, over(tool, &["read"]));
    }
    // Text without surrogates: all but emoji.
    for function in ["cesu8-valid", "wtf8-valid"] {
        for size in ["64B", "128B", "256B", "1KiB", "4KiB", "64KiB", "1MiB"] {
            let time = |row: &Row| Some(1.0 / over(OURS, &[UTF8])(row)?);
            judge.expect("time / is_valid", (function, size), &FIVE[..4], Bound::Most(1.5), time);
        }
    }
    for size in ["4KiB", "64KiB", "1MiB"] {
        let time = |row: &Row| Some(1.0 / over(OURS, &["clean"])(row)?);
        judge.expect("time / time of the clean part", ("first-error", size), &[], Bound::Most(1.1), time);
    }
    let repair = ("repair", "every-1000B");
    judge.expect("repair / peers", repair, FIVE, Bound::Mean(1.4), over(OURS, &["std", "encoding_rs"]));
    let every_1000 = ("error-count", "every-1000B");
    judge.expect("speed / clean", every_1000, &[], Bound::Least(0.333), over(OURS, &["clean"]));
    let speed = |row: &Row| Some(row.result(OURS)?.speed());
    judge.expect("GB/s", ("error-count", "every-100B"), &[], Bound::Least(3.0), speed);
    for size in ["every-100B", "every-10B", "64KiB"] {
        let errors = |row: &Row| Some(1e3 / row.result(OURS)?.nanoseconds_a_call());
        judge.expect("million errors a second", ("iter-errors", size), &[], Bound::Least(30.0), errors);
    }
}
