//! Every sequence of up to three bytes and every one of four with a lead of F0 to F7, alone and within
//! a longer buffer, on every implementation.

mod reference;

use std::sync::atomic::{AtomicUsize, Ordering};

use reference::{BOUNDARY_BYTES, Error, in_parallel, on_every_implementation};

/// ASCII with room for one sequence. It lies past the first block of every kernel, so that their main
/// loops meet it and not only what they do with the ends, and across two vectors of 8 to 64 bytes.
struct Frame([u8; 300]);

impl Frame {
    const PLACE: usize = 190;

    fn new() -> Self {
        Self([b'-'; 300])
    }

    fn with<T>(&mut self, sequence: &[u8], use_it: impl FnOnce(&[u8]) -> T) -> T {
        let place = Self::PLACE..Self::PLACE + sequence.len();
        self.0[place.clone()].copy_from_slice(sequence);
        let result = use_it(&self.0);
        self.0[place].fill(b'-');
        result
    }
}

/// Checks one sequence by itself and in a frame, with kinds.
fn check(sequence: &[u8], frame: &mut Frame) {
    let errors = reference::errors(sequence);
    let spans = errors.iter().map(|error| (error.start, error.end));
    assert!(spans.eq(reference::foreign_spans(sequence)), "the oracles disagree about {sequence:02x?}");
    let mut followed = [b'-'; 5];
    followed[..sequence.len()].copy_from_slice(sequence);
    let framed_errors = reference::errors(&followed)
        .into_iter()
        .map(|error| Error { start: error.start + Frame::PLACE, end: error.end + Frame::PLACE, ..error })
        .collect::<Vec<_>>();
    on_every_implementation(|implementation| {
        reference::check_finding(implementation, sequence, &errors);
        frame.with(sequence, |data| {
            assert_eq!(implementation.is_valid(data), framed_errors.is_empty(), "{sequence:02x?}");
            let scan = implementation.scan(data);
            assert_eq!(scan.error.map(Error::from), framed_errors.first().copied(), "{sequence:02x?}");
            assert_eq!(scan.error_count, framed_errors.len() as u64, "{sequence:02x?}");
            let found = implementation.iter_errors(data).map(Error::from);
            assert!(found.eq(framed_errors.iter().copied()), "{sequence:02x?}");
        });
    });
}

#[test]
fn every_sequence_of_up_to_three_bytes() {
    let checked = AtomicUsize::new(1);
    check(&[], &mut Frame::new());
    in_parallel(256, |first| {
        let first = first as u8;
        let frame = &mut Frame::new();
        check(&[first], frame);
        for second in 0..=255 {
            check(&[first, second], frame);
            for third in 0..=255 {
                check(&[first, second, third], frame);
            }
        }
        checked.fetch_add(1 + 256 + 65536, Ordering::Relaxed);
    });
    assert_eq!(checked.into_inner(), 16_843_009);
}

/// The standard library is the oracle here; the naive one would take minutes.
#[test]
fn every_sequence_of_four_bytes_from_f0_to_f7() {
    let checked = AtomicUsize::new(0);
    in_parallel(8 * 256, |index| {
        let (first, second) = (0xF0 + (index / 256) as u8, (index % 256) as u8);
        for last in 0..=u16::MAX {
            let [third, fourth] = last.to_be_bytes();
            let sequence = [first, second, third, fourth];
            let expected = reference::foreign_first_span(&sequence);
            on_every_implementation(|implementation| {
                assert_eq!(implementation.is_valid(&sequence), expected.is_none(), "{sequence:02x?}");
                let found = implementation.validate(&sequence).map_err(Error::from);
                let span = found.err().map(|error| (error.start, error.end));
                assert_eq!(span, expected, "{sequence:02x?}");
            });
        }
        checked.fetch_add(65536, Ordering::Relaxed);
    });
    assert_eq!(checked.into_inner(), 8 << 24);
}

/// Kinds and frames for those of them whose last two bytes stand at a boundary.
#[test]
fn boundary_sequences_of_four_bytes() {
    in_parallel(8 * 256, |index| {
        let (first, second) = (0xF0 + (index / 256) as u8, (index % 256) as u8);
        let frame = &mut Frame::new();
        for third in BOUNDARY_BYTES {
            for fourth in BOUNDARY_BYTES {
                check(&[first, second, third, fourth], frame);
            }
        }
    });
}
