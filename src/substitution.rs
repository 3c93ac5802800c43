//! The ways in which programs replace malformed UTF-8: how many replacements an error gets.
//!
//! RFC 3629 and the Unicode Standard leave that open (3.9, "U+FFFD Substitution of Maximal Subparts"). All ways here
//! agree about which bytes belong to characters, so each is a rule for the maximal subparts between characters: the
//! number of replacements of each, from it and up to four bytes before it. `conformance/` has vectors of them, and
//! compares them with the programs.

use crate::sequence::boundary::floor_boundary;
use crate::sequence::{Sequence, announced_length, decode_one};

/// The program whose number of replacements a repair has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Substitution {
    /// One for each maximal subpart, as the [WHATWG Encoding Standard] has it and the Unicode Standard recommends: also
    /// in CPython, Rust's standard library, ICU, Node.js, Polars, and `make_valid_utf8` of Spark.
    ///
    /// [WHATWG Encoding Standard]: https://encoding.spec.whatwg.org/#utf-8-decoder
    #[default]
    Whatwg,
    /// As `Whatwg`, but one for a surrogate (ED, A0 to BF, and a continuation byte if there is one), as Java's
    /// `new String(bytes, UTF_8)` and `CharsetDecoder` do; also `encode` of Spark.
    Java,
    /// One for each lead byte with the continuation bytes that it announces (up to three), and for each other byte, as
    /// `Buffer.readUtf8CodePoint` of [Okio] does; also kotlinx-io.
    ///
    /// [Okio]: https://github.com/square/okio/blob/master/okio/src/commonMain/kotlin/okio/Utf8.kt
    Okio,
    /// One for each byte, as [`range`] over a string of Go and `utf8.DecodeRune` do.
    ///
    /// [`range`]: https://go.dev/ref/spec#For_range
    Go,
    /// One for all bytes between two characters, as [`strings.ToValidUTF8`] of Go does.
    ///
    /// [`strings.ToValidUTF8`]: https://pkg.go.dev/strings#ToValidUTF8
    GoRuns,
}

impl Substitution {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Whatwg, Self::Java, Self::Okio, Self::Go, Self::GoRuns];

    /// The number of bytes before an error that make a difference.
    pub const CONTEXT_BYTES: usize = 4;

    /// Returns the name in Python: `whatwg`, `java`, `okio`, `go` or `go-runs`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Whatwg => "whatwg",
            Self::Java => "java",
            Self::Okio => "okio",
            Self::Go => "go",
            Self::GoRuns => "go-runs",
        }
    }

    /// Returns the number of replacements of the error at `start`, a maximal subpart of this length in bytes.
    #[doc(hidden)]
    #[inline]
    pub fn replacements(self, data: &[u8], start: usize, length: usize) -> usize {
        let continues = match self {
            Self::Whatwg => false,
            Self::Java | Self::Okio => {
                let lead = floor_boundary(data, start);
                let announced = match data.get(lead..).unwrap_or_default() {
                    [0xED, 0xA0..=0xBF, ..] => 3,
                    [lead @ 0xC0..=0xF7, ..] if self == Self::Okio => announced_length(*lead),
                    _ => 1,
                };
                (lead + 1..lead + announced).contains(&start)
            }
            Self::Go => return length,
            Self::GoRuns => start > 0 && !ends_with_character(&data[..start]),
        };
        usize::from(!continues)
    }
}

/// Returns whether data ends with a whole character.
fn ends_with_character(data: &[u8]) -> bool {
    let last = floor_boundary(data, data.len().saturating_sub(1));
    matches!(decode_one(&data[last..]), Some(Sequence::Char(_, length)) if last + length == data.len())
}
