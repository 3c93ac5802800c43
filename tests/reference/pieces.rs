//! Checks of data in pieces: the result for any pieces is the result for the whole.

use leadbyte::{IncrementalValidator, Scanner};

use super::{Facts, Note};

pub fn scanner(data: &[u8], limit: usize) -> Scanner {
    let mut scanner = Scanner::keeping(limit);
    scanner.update(data);
    scanner
}

pub fn merged(left: &Scanner, right: &Scanner) -> Scanner {
    let mut left = left.clone();
    left.merge(right);
    left
}

pub fn check_against_oracle(data: &[u8], limit: usize) {
    let scanner = scanner(data, limit);
    assert_eq!(scanner.byte_count(), data.len() as u64);
    assert_eq!(Facts::from(scanner.finish()), Facts::of(data), "{data:02x?}");
    let notes: Vec<Note> = scanner.errors().iter().map(Note::from).collect();
    assert_eq!(notes, super::notes(data, limit), "{data:02x?}");
}

/// Any one cut gives the same scanner, to the last hidden field, as no cut. If that holds for a string
/// and all its parts, then any tree of merges over any cuts of it gives the same, by induction.
pub fn check_single_cuts(data: &[u8], limit: usize) {
    let whole = scanner(data, limit);
    for cut in 0..=data.len() {
        let (left, right) = data.split_at(cut);
        let merged = merged(&scanner(left, limit), &scanner(right, limit));
        assert_eq!(merged, whole, "{left:02x?} and {right:02x?}");
    }
}

/// Merges from the left, as a stream does, from the right, and as a tree.
pub fn check_pieces(pieces: &[&[u8]], limit: usize) {
    fn tree(pieces: &[Scanner], limit: usize) -> Scanner {
        match pieces {
            [] => Scanner::keeping(limit),
            [one] => one.clone(),
            _ => {
                let (left, right) = pieces.split_at(pieces.len() / 2);
                merged(&tree(left, limit), &tree(right, limit))
            }
        }
    }
    let data = pieces.concat();
    let whole = scanner(&data, limit);
    let scanners = pieces.iter().map(|piece| scanner(piece, limit)).collect::<Vec<_>>();
    let mut stream = Scanner::keeping(limit);
    for piece in pieces {
        stream.update(piece);
        stream = Scanner::from_state(&stream.state()).expect("it is a scanner's state");
    }
    let from_left = scanners.iter().fold(Scanner::keeping(limit), |left, right| merged(&left, right));
    let from_right = scanners.iter().rfold(Scanner::keeping(limit), |right, left| merged(left, &right));
    for found in [stream, from_left, from_right, tree(&scanners, limit)] {
        assert_eq!(found, whole, "{pieces:02x?}");
        assert_eq!(found.finish(), whole.finish(), "{pieces:02x?}");
        assert_eq!(found.errors(), whole.errors(), "{pieces:02x?}");
    }
}

/// Checks what a validator finds in `pieces`, and what it returns after each.
pub fn check_validator(pieces: &[&[u8]]) {
    let mut validator = IncrementalValidator::new();
    let mut so_far = vec![];
    for piece in pieces {
        so_far.extend_from_slice(piece);
        // A text can continue if its only error is its end.
        let first = std::str::from_utf8(&so_far).err();
        let possible = first.is_none_or(|error| error.error_len().is_none());
        assert_eq!(validator.update(piece), possible, "{pieces:02x?}");
        let unfinished =
            first.filter(|_| possible).map_or(&[] as &[u8], |error| &so_far[error.valid_up_to()..]);
        assert_eq!(validator.pending(), unfinished, "{pieces:02x?}");
        assert_eq!(validator.error().is_none(), possible, "{pieces:02x?}");
    }
    let expected = leadbyte::validate(&so_far).err();
    assert_eq!(validator.finish(), expected.is_none(), "{pieces:02x?}");
    assert_eq!(validator.error(), expected, "{pieces:02x?}");
}
