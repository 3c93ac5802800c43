//! Who runs: for each function ours (as called, and on the other instruction sets) and its peers.

use core::fmt::Debug;

use leadbyte::{Implementation, implementations};

use crate::pool::Pool;

/// The name of our public function, as everyone calls it.
pub const OURS: &str = "leadbyte";

type Function<T> = fn(&[u8]) -> T;
type Call<T> = dyn Fn(&[u8]) -> T;

/// One way to compute a `T`. All are called through a pointer, so that none is inlined into the
/// loop and all pay the same for the call.
pub struct Contestant<T> {
    pub name: String,
    pub call: Box<Call<T>>,
}

/// One function, and all who compute it.
pub struct Job<T> {
    pub function: &'static str,
    /// Whether each slice shall hold an error.
    pub spoiled: bool,
    pub contestants: Vec<Contestant<T>>,
    /// The answer by the standard library alone.
    pub expected: Function<T>,
}

impl<T: PartialEq + Debug> Job<T> {
    /// Panics unless everyone gives the right answer on every slice.
    pub fn check(&self, pool: &Pool) {
        for slice in pool.slices() {
            let expected = (self.expected)(slice);
            for Contestant { name, call } in &self.contestants {
                assert_eq!(call(slice), expected, "{name} is wrong about {} bytes", slice.len());
            }
        }
    }
}

/// The contestants of one function: ours as called, ours on the other instruction sets, the peers.
/// Not ours on the active one again: the two would train the branch predictor for each other.
fn contestants<T: 'static>(
    ours: Function<T>,
    on: fn(Implementation, &[u8]) -> T,
    peers: &[(&str, Function<T>)],
) -> Vec<Contestant<T>> {
    let named = |name: &str, call: Function<T>| Contestant { name: name.to_owned(), call: Box::new(call) };
    let mut all = vec![named(OURS, ours)];
    let others = implementations().iter().filter(|&&other| other != Implementation::active());
    all.extend(others.map(|&implementation| Contestant {
        name: format!("{OURS}/{}", implementation.name()),
        call: Box::new(move |data| on(implementation, data)),
    }));
    all.extend(peers.iter().map(|&(name, call)| named(name, call)));
    all
}

/// Whether the bytes are UTF-8.
pub fn validate() -> Job<bool> {
    Job {
        function: "validate",
        spoiled: false,
        contestants: contestants(
            leadbyte::is_valid,
            Implementation::is_valid,
            &[
                ("std", |data| std::str::from_utf8(data).is_ok()),
                ("simdutf8 basic", |data| simdutf8::basic::from_utf8(data).is_ok()),
                ("simdutf8 compat", |data| simdutf8::compat::from_utf8(data).is_ok()),
                ("simdutf", simdutf::validate_utf8),
            ],
        ),
        expected: |data| std::str::from_utf8(data).is_ok(),
    }
}

/// The number of characters of bytes that need not be valid.
pub fn count() -> Job<usize> {
    Job {
        function: "count",
        spoiled: false,
        contestants: contestants(
            leadbyte::count_chars,
            Implementation::count_chars,
            &[
                ("naive", |data| data.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()),
                ("bytecount", bytecount::num_chars),
                ("simdutf", simdutf::count_utf8),
            ],
        ),
        expected: |data| std::str::from_utf8(data).map_or(0, |text| text.chars().count()),
    }
}

/// What the fused pass finds and the peers need several passes for.
#[derive(PartialEq, Debug)]
pub struct Tally {
    valid: bool,
    chars: usize,
    utf16_units: usize,
    newlines: usize,
}

impl From<leadbyte::Scan> for Tally {
    fn from(scan: leadbyte::Scan) -> Self {
        let [chars, utf16_units, newlines] =
            [scan.chars, scan.utf16_units, scan.newlines].map(|count| count as usize);
        Self { valid: scan.valid, chars, utf16_units, newlines }
    }
}

/// Validity and all counts.
pub fn scan() -> Job<Tally> {
    Job {
        function: "scan",
        spoiled: false,
        contestants: contestants(
            |data| leadbyte::scan(data).into(),
            |implementation, data| implementation.scan(data).into(),
            &[("std", with_std), ("naive", one_loop), ("best crates", best_crates)],
        ),
        expected: with_std,
    }
}

/// The iterators of the standard library, one after the other.
fn with_std(data: &[u8]) -> Tally {
    let text = std::str::from_utf8(data);
    Tally {
        valid: text.is_ok(),
        chars: text.map_or(0, |text| text.chars().count()),
        utf16_units: text.map_or(0, |text| text.encode_utf16().count()),
        newlines: data.iter().filter(|&&byte| byte == b'\n').count(),
    }
}

/// What one writes first: a loop over the characters.
fn one_loop(data: &[u8]) -> Tally {
    let text = std::str::from_utf8(data);
    let mut tally = Tally { valid: text.is_ok(), chars: 0, utf16_units: 0, newlines: 0 };
    for char in text.unwrap_or_default().chars() {
        tally.chars += 1;
        tally.utf16_units += char.len_utf16();
        tally.newlines += usize::from(char == '\n');
    }
    tally
}

/// For each part the peer that is fastest at it.
fn best_crates(data: &[u8]) -> Tally {
    Tally {
        valid: simdutf8::basic::from_utf8(data).is_ok(),
        chars: bytecount::num_chars(data),
        utf16_units: simdutf::utf16_length_from_utf8(data),
        newlines: bytecount::count(data, b'\n'),
    }
}

/// Where the first error starts.
pub fn first_error() -> Job<Option<u64>> {
    Job {
        function: "first-error",
        spoiled: true,
        contestants: contestants(
            |data| leadbyte::validate(data).err().map(|error| error.start()),
            |implementation, data| implementation.validate(data).err().map(|error| error.start()),
            &[
                ("std", std_error),
                ("simdutf8 compat", |data| {
                    simdutf8::compat::from_utf8(data).err().map(|error| error.valid_up_to() as u64)
                }),
                ("simdutf", |data| {
                    let result = simdutf::validate_utf8_with_errors(data);
                    (result.error != simdutf::ErrorCode::Success).then_some(result.count as u64)
                }),
            ],
        ),
        expected: std_error,
    }
}

fn std_error(data: &[u8]) -> Option<u64> {
    std::str::from_utf8(data).err().map(|error| error.valid_up_to() as u64)
}
