//! Offset maps beside string-offsets and ropey, in one run:
//!
//! ```text
//! LEADBYTE_TEXTS=DIR cargo run --profile dist -p leadbyte-benches --bin offsets -- [--record]
//! ```
//!
//! The text is `mixed.txt`, repeated to 10 MB and 1 GB; edits are of 10 MB and 100 MB. All lookups are of offsets at
//! random places, in random order, that do not wait for each other. string-offsets knows LF alone as a line end, ropey
//! the three of the Language Server Protocol; the text has LF alone, so that all agree.

#[path = "../contestants.rs"]
#[allow(dead_code)]
mod contestants;
#[path = "../pool.rs"]
#[allow(dead_code)]
mod pool;
#[path = "../record.rs"]
mod record;
#[path = "../timing.rs"]
mod timing;

use core::cell::{Cell, RefCell};
use core::hint::black_box;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Instant;
use std::{env, fs};

use contestants::{Contestant, OURS};
use leadbyte::{EditableOffsetMap, Implementation, OffsetMap, Position, Unit, implementations, set_isa};
use pool::Random;
use ropey::Rope;
use string_offsets::{AllConfig, StringOffsets};

/// The sizes of texts for lookups, and for edits.
const SIZES: [(&str, usize); 2] = [("10MB", 10_000_000), ("1GB", 1_000_000_000)];
const EDITED_SIZES: [(&str, usize); 2] = [("10MB", 10_000_000), ("100MB", 100_000_000)];
/// The number of places to look up, more than caches hold, and of lookups in one walk, which continues after the one
/// before.
const PLACES: usize = 1 << 20;
const LOOKUPS: usize = 4096;
/// The number of edits, of keys typed, and of each in a round.
const EDITS: usize = 100_000;
const KEYS: usize = 20_000;
const EDITS_A_ROUND: usize = 5000;
const STRING_OFFSETS: &str = "string-offsets";
const ROPEY: &str = "ropey";

/// A result: nanoseconds for a call, or for a byte if a text is indexed.
struct Result {
    function: &'static str,
    size: &'static str,
    tool: String,
    best: f64,
    median: f64,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let record = arguments == ["--record"];
    let text = env::var_os("LEADBYTE_TEXTS")
        .map(|directory| fs::read_to_string(format!("{}/mixed.txt", directory.to_string_lossy())));
    let (true, Some(Ok(text))) = (record || arguments.is_empty(), text) else {
        eprintln!("usage: LEADBYTE_TEXTS=DIR offsets [--record]; DIR has mixed.txt, of benches/texts.py");
        return ExitCode::from(2);
    };
    let mut results = vec![];
    let mut index_share = 0.0_f64;
    for (size, bytes) in SIZES {
        let maps = Rc::new(Maps::new(&text, bytes));
        index_share = index_share.max(maps.ours.index_bytes() as f64 / maps.text().len() as f64);
        println!("\n{size}: nanoseconds a call, best round (index: nanoseconds for 1,000 bytes)");
        for (function, contestants) in maps.functions() {
            let times = timing::interleaved(&contestants);
            print!("{function:18}");
            for (contestant, times) in contestants.into_iter().zip(times) {
                let calls = contestant.calls as f64;
                let (best, median) = (times.best / calls, times.median / calls);
                let shown = if function == "index" { best * 1e3 } else { best };
                print!("  {} {shown:.1}", contestant.name);
                results.push(Result { function, size, tool: contestant.name, best, median });
            }
            println!();
        }
    }
    for (size, bytes) in EDITED_SIZES {
        println!("\n{size}, edited: nanoseconds");
        let before = results.len();
        edits(&text, size, bytes, &mut results);
        for Result { function, tool, best, .. } in &results[before..] {
            println!("{function:22}{tool:>10} {best:8.0}");
        }
    }
    let targets = targets(&results, index_share);
    println!();
    targets.iter().for_each(|target| println!("{target}"));
    if record {
        let line = |result: &Result| {
            let Result { function, size, tool, best, median } = result;
            format!("{function},mixed,{size},{tool},{best:.3},{median:.3}\n")
        };
        let rows: String = results.iter().map(line).collect();
        let csv = format!("function,text,size,tool,best_ns_a_call,median_ns_a_call\n{rows}");
        match record::write("offsets", targets.into_iter(), &csv) {
            Ok(path) => println!("\nrecorded in {}", path.display()),
            Err(error) => {
                eprintln!("the record could not be written: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

/// Returns about `bytes` bytes of text, whole repetitions.
fn repeated(text: &str, bytes: usize) -> String {
    text.repeat(bytes / text.len() + 1)
}

/// One text, indexed by all.
struct Maps {
    ours: OffsetMap<String>,
    string_offsets: StringOffsets<AllConfig>,
    rope: Rope,
}

/// Offsets in each unit of the same places, and the lines there.
struct Places {
    bytes: Vec<usize>,
    chars: Vec<usize>,
    units: Vec<usize>,
    lines: Vec<usize>,
    /// The columns in UTF-16 code units.
    columns: Vec<usize>,
}

type Functions = Vec<(&'static str, Vec<Contestant>)>;

impl Maps {
    fn new(text: &str, bytes: usize) -> Self {
        let text = repeated(text, bytes);
        let (string_offsets, rope) = (StringOffsets::new(&text), Rope::from_str(&text));
        Self { ours: OffsetMap::new(text), string_offsets, rope }
    }

    fn text(&self) -> &str {
        self.ours.text()
    }

    /// Returns random places, on whose offsets all agree.
    fn places(&self) -> Places {
        let mut random = Random(1);
        let text = self.text();
        let bytes: Vec<usize> =
            (0..PLACES).map(|_| text.floor_char_boundary(random.below(text.len()))).collect();
        let of = |byte: usize, unit| self.ours.convert(byte, Unit::Byte, unit).expect("it is in the text");
        let position =
            |&byte: &usize| self.ours.position(byte, Unit::Byte, Unit::Utf16).expect("it is in the text");
        let positions: Vec<Position> = bytes.iter().map(position).collect();
        let places = Places {
            chars: bytes.iter().map(|&byte| of(byte, Unit::Char)).collect(),
            units: bytes.iter().map(|&byte| of(byte, Unit::Utf16)).collect(),
            lines: positions.iter().map(|position| position.line).collect(),
            columns: positions.iter().map(|position| position.character).collect(),
            bytes,
        };
        for (at, &byte) in places.bytes.iter().enumerate() {
            let (char, unit, line) = (places.chars[at], places.units[at], places.lines[at]);
            let theirs = &self.string_offsets;
            let position = theirs.utf8_to_utf16_pos(byte);
            assert_eq!((char, unit), (theirs.utf8_to_char(byte), theirs.utf8_to_utf16(byte)));
            assert_eq!((line, places.columns[at]), (position.line, position.col));
            assert_eq!(theirs.char_to_utf8(char), byte);
            let rope = &self.rope;
            assert_eq!((char, line), (rope.byte_to_char(byte), rope.byte_to_line(byte)));
            assert_eq!((unit, byte), (rope.char_to_utf16_cu(char), rope.char_to_byte(char)));
        }
        places
    }

    /// Returns all functions, with those who compute them.
    fn functions(self: &Rc<Self>) -> Functions {
        use Unit::{Byte, Char, Utf16};
        let Places { bytes, chars, units, lines, columns } = self.places();
        let convert = |offsets: &Vec<usize>, source, target| {
            self.ours(offsets, move |maps, offset| {
                maps.ours.convert(offset, source, target).unwrap_or_default()
            })
        };
        let many = |offsets: &Vec<usize>, source, target| {
            on_all_sets(LOOKUPS, || {
                let (maps, offsets) = (Rc::clone(self), InTurn::new(offsets));
                let out = RefCell::new([0; LOOKUPS]);
                move || {
                    let mut out = out.borrow_mut();
                    assert!(maps.ours.convert_many(offsets.next(), source, target, &mut out[..]).is_ok());
                    black_box(&out[..]);
                }
            })
        };
        let sorted = |offsets: &Vec<usize>| {
            let mut offsets = offsets.clone();
            offsets.sort_unstable();
            offsets
        };
        let mut index = on_all_sets(self.text().len(), || {
            let maps = Rc::clone(self);
            move || drop(black_box(OffsetMap::new(maps.text())))
        });
        let maps = Rc::clone(self);
        index.push(contestant(STRING_OFFSETS, self.text().len(), move || {
            drop(black_box(StringOffsets::<AllConfig>::new(maps.text())));
        }));
        let maps = Rc::clone(self);
        index
            .push(contestant(ROPEY, self.text().len(), move || drop(black_box(Rope::from_str(maps.text())))));
        let theirs = |offsets: &Vec<usize>, call: fn(&StringOffsets<AllConfig>, usize) -> usize| {
            self.one(STRING_OFFSETS, offsets, move |maps, offset| call(&maps.string_offsets, offset))
        };
        let rope = |offsets: &Vec<usize>, call: fn(&Rope, usize) -> usize| {
            self.one(ROPEY, offsets, move |maps, offset| call(&maps.rope, offset))
        };
        let with = |mut ours: Vec<Contestant>, peers: Vec<Contestant>| {
            ours.extend(peers);
            ours
        };
        let position = self.ours(&bytes, |maps, byte| {
            let position = maps.ours.position(byte, Byte, Utf16).unwrap_or_default();
            position.line ^ position.character
        });
        let line_start = self.ours(&lines, |maps, line| {
            maps.ours.offset(Position { line, character: 0 }, Byte, Utf16).unwrap_or_default()
        });
        let columns = Rc::new(columns);
        let numbers: Vec<usize> = (0..PLACES).collect();
        let from_position = self.ours(&numbers, {
            let lines = Rc::new(lines.clone());
            move |maps, at| {
                let position = Position { line: lines[at], character: columns[at] };
                maps.ours.offset(position, Byte, Utf16).unwrap_or_default()
            }
        });
        vec![
            ("index", index),
            (
                "byte-to-char",
                with(
                    convert(&bytes, Byte, Char),
                    vec![theirs(&bytes, StringOffsets::utf8_to_char), rope(&bytes, Rope::byte_to_char)],
                ),
            ),
            (
                "byte-to-utf16",
                with(
                    convert(&bytes, Byte, Utf16),
                    vec![
                        theirs(&bytes, StringOffsets::utf8_to_utf16),
                        rope(&bytes, |rope, byte| rope.char_to_utf16_cu(rope.byte_to_char(byte))),
                    ],
                ),
            ),
            (
                "byte-to-position",
                with(
                    position,
                    vec![theirs(&bytes, |theirs, byte| {
                        let position = theirs.utf8_to_utf16_pos(byte);
                        position.line ^ position.col
                    })],
                ),
            ),
            (
                "char-to-byte",
                with(
                    convert(&chars, Char, Byte),
                    vec![theirs(&chars, StringOffsets::char_to_utf8), rope(&chars, Rope::char_to_byte)],
                ),
            ),
            (
                "utf16-to-byte",
                with(
                    convert(&units, Utf16, Byte),
                    vec![rope(&units, |rope, unit| rope.char_to_byte(rope.utf16_cu_to_char(unit)))],
                ),
            ),
            (
                "line-to-byte",
                with(
                    line_start,
                    vec![theirs(&lines, StringOffsets::line_to_utf8_begin), rope(&lines, Rope::line_to_byte)],
                ),
            ),
            ("position-to-byte", from_position),
            ("byte-to-char-many", many(&bytes, Byte, Char)),
            ("byte-to-utf16-many", many(&bytes, Byte, Utf16)),
            ("char-to-byte-many", many(&chars, Char, Byte)),
            ("utf16-to-byte-many", many(&units, Utf16, Byte)),
            ("byte-to-char-sorted", many(&sorted(&bytes), Byte, Char)),
            ("char-to-byte-sorted", many(&sorted(&chars), Char, Byte)),
        ]
    }

    /// Returns one who looks up every offset.
    fn one(
        self: &Rc<Self>,
        name: &str,
        offsets: &[usize],
        call: impl Fn(&Self, usize) -> usize + 'static,
    ) -> Contestant {
        contestant(name, LOOKUPS, self.walk(offsets, call))
    }

    /// Returns ours, on every instruction set.
    fn ours(
        self: &Rc<Self>,
        offsets: &[usize],
        call: impl Fn(&Self, usize) -> usize + Clone + 'static,
    ) -> Vec<Contestant> {
        on_all_sets(LOOKUPS, || self.walk(offsets, call.clone()))
    }

    fn walk(
        self: &Rc<Self>,
        offsets: &[usize],
        call: impl Fn(&Self, usize) -> usize + 'static,
    ) -> impl Fn() + 'static {
        let (maps, offsets) = (Rc::clone(self), InTurn::new(offsets));
        move || {
            black_box(offsets.next().iter().fold(0, |all, &offset| all ^ call(&maps, offset)));
        }
    }
}

/// Offsets that are looked up part by part, again and again.
struct InTurn {
    offsets: Vec<usize>,
    at: Cell<usize>,
}

impl InTurn {
    fn new(offsets: &[usize]) -> Self {
        Self { offsets: offsets.to_vec(), at: Cell::new(0) }
    }

    fn next(&self) -> &[usize] {
        let at = self.at.get();
        self.at.set((at + LOOKUPS) % self.offsets.len());
        &self.offsets[at..at + LOOKUPS]
    }
}

fn contestant(name: &str, calls: usize, walk: impl Fn() + 'static) -> Contestant {
    Contestant { name: name.to_owned(), bytes: 0, calls, walk: Box::new(walk) }
}

/// Returns ours as called, then on the other instruction sets.
fn on_all_sets<W: Fn() + 'static>(calls: usize, walk: impl Fn() -> W) -> Vec<Contestant> {
    let active = Implementation::active();
    let mut all = vec![contestant(OURS, calls, walk())];
    for &set in implementations().iter().filter(|&&set| set != active) {
        let walk = walk();
        all.push(contestant(&contestants::on_set(set.name()), calls, move || {
            assert!(set_isa(set.name()).is_ok());
            walk();
            assert!(set_isa(active.name()).is_ok());
        }));
    }
    all
}

/// Edits a text at random places, with lookups afterwards, in turns with ropey.
fn edits(text: &str, size: &'static str, bytes: usize, results: &mut Vec<Result>) {
    let text = repeated(text, bytes);
    let mut map = EditableOffsetMap::new(text.as_bytes());
    let mut rope = Rope::from_str(&text);
    let mut random = Random(2);
    let mut times = [vec![], vec![]];
    for _ in 0..EDITS {
        let start = random.below(map.char_count() - 10);
        let end = start + random.below(10);
        let inserted = &"€ hello"[..[0, 3, 4, 5, 6, 7, 8][random.below(7)]];
        let [from, to] =
            [start, end].map(|char| map.convert(char, Unit::Char, Unit::Byte).unwrap_or_default());
        times[0].push(nanoseconds(|| assert!(map.replace(from, to, inserted.as_bytes()).is_ok())));
        times[1].push(nanoseconds(|| {
            rope.remove(start..end);
            rope.insert(start, inserted);
        }));
    }
    assert!(rope == *String::from_utf8_lossy(&map.to_bytes()), "the texts differ");
    let mut add = |function, tool: &str, mut rounds: Vec<f64>| {
        rounds.sort_unstable_by(f64::total_cmp);
        let (best, median) = (rounds[0], rounds[rounds.len() / 2]);
        results.push(Result { function, size, tool: tool.to_owned(), best, median });
    };
    for (tool, times) in [OURS, ROPEY].into_iter().zip(times) {
        let (mut means, mut slowest) = (vec![], vec![]);
        for round in times.chunks(EDITS_A_ROUND) {
            let mut round = round.to_vec();
            round.sort_unstable_by(f64::total_cmp);
            means.push(round.iter().sum::<f64>() / round.len() as f64);
            slowest.push(round[round.len() * 99 / 100]);
        }
        add("edit-mean", tool, means);
        add("edit-p99", tool, slowest);
    }
    let middle = map.char_count() / 2;
    let start = map.convert(middle, Unit::Char, Unit::Byte).unwrap_or_default();
    let (mut typed, mut theirs) = (vec![], vec![]);
    for first in (0..KEYS).step_by(EDITS_A_ROUND) {
        let keys = first..first + EDITS_A_ROUND;
        let time = nanoseconds(|| {
            keys.clone().for_each(|key| assert!(map.replace(start + key, start + key, b"k").is_ok()));
        });
        typed.push(time / EDITS_A_ROUND as f64);
        let time = nanoseconds(|| keys.for_each(|key| rope.insert(middle + key, "k")));
        theirs.push(time / EDITS_A_ROUND as f64);
    }
    add("typing", OURS, typed);
    add("typing", ROPEY, theirs);
    let chars: Vec<usize> = (0..EDITS).map(|_| random.below(map.char_count())).collect();
    let bytes: Vec<usize> =
        chars.iter().map(|&char| map.convert(char, Unit::Char, Unit::Byte).unwrap_or_default()).collect();
    let lines: Vec<usize> = (0..EDITS).map(|_| random.below(map.line_count())).collect();
    let mut lookup = |function, tool: &str, offsets: &[usize], call: &dyn Fn(usize) -> usize| {
        let round = |offsets: &[usize]| {
            nanoseconds(|| {
                black_box(offsets.iter().fold(0, |all, &offset| all ^ call(offset)));
            }) / offsets.len() as f64
        };
        add(function, tool, offsets.chunks_exact(LOOKUPS).map(round).collect());
    };
    let convert = |source, target| {
        let map = &map;
        move |offset| map.convert(offset, source, target).unwrap_or_default()
    };
    lookup("edited-byte-to-char", OURS, &bytes, &convert(Unit::Byte, Unit::Char));
    lookup("edited-byte-to-char", ROPEY, &bytes, &|byte| rope.byte_to_char(byte));
    lookup("edited-byte-to-utf16", OURS, &bytes, &convert(Unit::Byte, Unit::Utf16));
    lookup("edited-byte-to-utf16", ROPEY, &bytes, &|byte| rope.char_to_utf16_cu(rope.byte_to_char(byte)));
    lookup("edited-char-to-byte", OURS, &chars, &convert(Unit::Char, Unit::Byte));
    lookup("edited-char-to-byte", ROPEY, &chars, &|char| rope.char_to_byte(char));
    lookup("edited-byte-to-position", OURS, &bytes, &|byte| {
        let position = map.position(byte, Unit::Byte, Unit::Utf16).unwrap_or_default();
        position.line ^ position.character
    });
    lookup("edited-position-to-byte", OURS, &lines, &|line| {
        map.offset(Position { line, character: 7 }, Unit::Byte, Unit::Utf16).unwrap_or_default()
    });
}

fn nanoseconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_nanos() as f64
}

/// Returns the result for each target.
fn targets(results: &[Result], index_share: f64) -> Vec<String> {
    let best = |function: &str, size: &str, tool: &str| {
        let found = results.iter().find(|r| (r.function, r.size, r.tool.as_str()) == (function, size, tool));
        found.map(|result| result.best)
    };
    let mut targets = vec![];
    let mut expect = |what: String, value: Option<f64>, least: Option<f64>, most: Option<f64>| {
        let Some(value) = value else { return };
        let met = least.is_none_or(|least| value >= least) && most.is_none_or(|most| value <= most);
        let bound =
            least.map_or_else(|| format!("<= {}", most.unwrap_or_default()), |least| format!(">= {least}"));
        targets.push(format!("target {what} {bound}: {}; {value:.2}", if met { "PASS" } else { "FAIL" }));
    };
    let avx2 = contestants::on_set("avx2");
    let avx512 = contestants::on_set("avx512");
    expect("index, % of the text".to_owned(), Some(index_share * 100.0), None, Some(2.6));
    for (tool, speed, slower) in [(&avx512, 15.0, 1.0), (&avx2, 10.0, 1.5)] {
        let gigabytes = best("index", "1GB", tool).map(|time| 1.0 / time);
        expect(format!("{tool}: index 1GB, GB/s"), gigabytes, Some(speed), None);
        for (function, most) in [
            ("byte-to-char", 15.0),
            ("byte-to-utf16", 15.0),
            ("char-to-byte", 35.0),
            ("utf16-to-byte", 35.0),
            ("line-to-byte", 35.0),
            ("position-to-byte", 100.0),
        ] {
            expect(
                format!("{tool}: {function} 10MB, ns"),
                best(function, "10MB", tool),
                None,
                Some(most * slower),
            );
        }
    }
    for (function, least) in [
        ("byte-to-char-many", 45.0),
        ("byte-to-utf16-many", 45.0),
        ("char-to-byte-many", 20.0),
        ("utf16-to-byte-many", 20.0),
        ("byte-to-char-sorted", 50.0),
        ("char-to-byte-sorted", 35.0),
    ] {
        let millions = best(function, "1GB", &avx512).map(|time| 1e3 / time);
        expect(format!("{function} 1GB, million a second"), millions, Some(least), None);
    }
    let ratio = |function, size, tool| Some(best(function, size, tool)? / best(function, size, OURS)?);
    let logarithms: Vec<f64> =
        SIZES.iter().filter_map(|(size, _)| Some(ratio("index", size, STRING_OFFSETS)?.ln())).collect();
    let mean = (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp();
    expect("index / string-offsets, geometric mean".to_owned(), Some(mean), Some(30.0), None);
    for (size, _) in SIZES {
        for function in ["byte-to-char", "byte-to-utf16", "byte-to-position"] {
            let slower = ratio(function, size, STRING_OFFSETS).map(|ratio| 1.0 / ratio);
            expect(format!("time / string-offsets, {function} {size}"), slower, None, Some(2.5));
        }
    }
    for (size, _) in EDITED_SIZES {
        for (function, most) in [
            ("edit-mean", 2000.0),
            ("edit-p99", 5000.0),
            ("typing", 500.0),
            ("edited-byte-to-char", 1000.0),
            ("edited-char-to-byte", 1000.0),
            ("edited-byte-to-position", 1000.0),
            ("edited-position-to-byte", 1000.0),
        ] {
            expect(format!("{function} {size}, ns"), best(function, size, OURS), None, Some(most));
        }
        let slower = ratio("edit-mean", size, ROPEY).map(|ratio| 1.0 / ratio);
        expect(format!("time / ropey, edit-mean {size}"), slower, None, Some(3.0));
    }
    targets
}
