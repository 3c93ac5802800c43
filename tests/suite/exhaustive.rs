//! Every sequence of up to three bytes and every one of four with a lead of F0 to F7, alone and within
//! a longer buffer, on every implementation; or only sequences of boundary bytes, if fewer are asked for.

use super::reference;

use std::sync::atomic::{AtomicUsize, Ordering};

use reference::{BOUNDARY_BYTES, Error, all_or_fewer, in_parallel, on_every_implementation};

/// Text with buffer for one sequence. It lies past the first block, so that the main loop of the vector kernels
/// meets it and not only what they do with the ends, and across two vectors of 8 to 64 bytes, wherever these
/// are counted from.
#[repr(align(64))]
struct Frame([u8; 270]);

impl Frame {
    const PLACE: usize = 126;

    /// Characters of three bytes: few, so that going through them costs little.
    fn new() -> Self {
        let mut frame = [0; 270];
        frame.as_chunks_mut().0.fill(Self::FILL);
        Self(frame)
    }

    const FILL: [u8; 3] = *b"\xE2\x82\xAC";

    fn with(&mut self, sequence: &[u8], check: impl FnOnce(&[u8])) {
        let (buffer, _) = self.0[Self::PLACE..].split_at_mut(2 * Self::FILL.len());
        buffer.fill(b'-');
        buffer[..sequence.len()].copy_from_slice(sequence);
        check(&self.0);
    }
}

/// Checks one sequence by itself and in a frame, with kinds.
fn check(sequence: &[u8], frame: &mut Frame) {
    let errors = reference::errors(sequence);
    let spans = errors.iter().map(|error| (error.start, error.end));
    assert!(spans.eq(reference::foreign_spans(sequence)), "the oracles disagree about {sequence:02x?}");
    reference::check_finding(sequence, &errors);

    let mut followed = [b'-'; 5];
    followed[..sequence.len()].copy_from_slice(sequence);
    let framed = reference::errors(&followed);
    let moved =
        |error: &Error| Error { start: error.start + Frame::PLACE, end: error.end + Frame::PLACE, ..*error };
    frame.with(sequence, |data| {
        on_every_implementation(|implementation| {
            assert_eq!(implementation.is_valid(data), framed.is_empty(), "{sequence:02x?}");
            let scan = implementation.scan(data);
            assert_eq!(scan.error.map(Error::from), framed.first().map(moved), "{sequence:02x?}");
            assert_eq!(scan.error_count, framed.len() as u64, "{sequence:02x?}");
        });
    });
}

/// What sequences are made of.
fn bytes() -> Vec<u8> {
    all_or_fewer((0..=255).collect(), BOUNDARY_BYTES.to_vec(), "sequences: of boundary bytes only")
}

/// The leads of four bytes, and those beyond the last of them that were leads once.
const LEADS_OF_FOUR: [u8; 8] = [0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7];

#[test]
fn sequences_of_up_to_three_bytes() {
    let bytes = &bytes();
    let checked = AtomicUsize::new(1);
    check(&[], &mut Frame::new());
    in_parallel(bytes.len(), |index| {
        let first = bytes[index];
        let frame = &mut Frame::new();
        check(&[first], frame);
        for &second in bytes {
            check(&[first, second], frame);
            for &third in bytes {
                check(&[first, second, third], frame);
            }
        }
        checked.fetch_add(1 + bytes.len() + bytes.len().pow(2), Ordering::Relaxed);
    });
    assert_eq!(checked.into_inner(), (0..=3).map(|length| bytes.len().pow(length)).sum::<usize>());
}

/// Runs `work` for all ways to begin a sequence of four bytes, and checks that it did.
fn for_beginnings_of_four(bytes: &[u8], work: impl Fn(u8, u8) + Sync) {
    let done = AtomicUsize::new(0);
    in_parallel(LEADS_OF_FOUR.len() * bytes.len(), |index| {
        work(LEADS_OF_FOUR[index / bytes.len()], bytes[index % bytes.len()]);
        done.fetch_add(1, Ordering::Relaxed);
    });
    assert_eq!(done.into_inner(), LEADS_OF_FOUR.len() * bytes.len());
}

/// The standard library is the oracle here; the naive one would take minutes.
#[test]
fn sequences_of_four_bytes_from_f0_to_f7() {
    let bytes = &bytes();
    for_beginnings_of_four(bytes, |first, second| {
        for index in 0..bytes.len().pow(2) {
            let sequence = [first, second, bytes[index / bytes.len()], bytes[index % bytes.len()]];
            let expected = reference::foreign_first_span(&sequence);
            on_every_implementation(|implementation| {
                assert_eq!(implementation.is_valid(&sequence), expected.is_none(), "{sequence:02x?}");
                let found = implementation.validate(&sequence).map_err(Error::from);
                let span = found.err().map(|error| (error.start, error.end));
                assert_eq!(span, expected, "{sequence:02x?}");
            });
        }
    });
}

/// Kinds and frames for the sequences whose last two bytes are at a boundary.
#[test]
fn sequences_of_four_bytes_that_end_with_boundary_bytes() {
    for_beginnings_of_four(&bytes(), |first, second| {
        let frame = &mut Frame::new();
        for third in BOUNDARY_BYTES {
            for fourth in BOUNDARY_BYTES {
                check(&[first, second, third, fourth], frame);
            }
        }
    });
}
