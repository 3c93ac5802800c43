//! The serialized state of a scanner, to be stored or sent to another process that merges it.
//!
//! A version byte is followed by numbers of 64 bits, little-endian, and short byte strings with their length. Reading
//! checks the invariants of the fold, so that other bytes are refused.

use super::fold::{END_BYTES, Edge, LocatedError, Summary};
use crate::error::Utf8Error;
use crate::location::Location;
use crate::sequence::ErrorKind;

const VERSION: u8 = 2;

/// Serializes a piece.
pub fn write(piece: &Summary) -> Vec<u8> {
    let mut state = vec![VERSION];
    for number in [
        piece.bytes,
        piece.chars,
        piece.four_byte_leads,
        piece.newlines,
        u64::from(piece.largest),
        piece.replaced_chars,
        piece.line_chars,
        piece.line_utf16_count,
        piece.error_count,
        piece.limit as u64,
        piece.errors.len() as u64,
    ] {
        write_number(&mut state, number);
    }
    write_bytes(&mut state, piece.opening.as_slice());
    write_bytes(&mut state, piece.closing.as_slice());
    for LocatedError { error, location, before, after } in &piece.errors {
        // The index of the kind.
        let kind = ErrorKind::ALL.iter().take_while(|&&kind| kind != error.kind()).count();
        let Location { line, column, utf16_column, char_offset, byte_offset } = *location;
        for number in [byte_offset, kind as u64, line, column, utf16_column, char_offset] {
            write_number(&mut state, number);
        }
        for bytes in [error.bytes(), before.as_slice(), after.as_slice()] {
            write_bytes(&mut state, bytes);
        }
    }
    state
}

fn write_number(state: &mut Vec<u8>, number: u64) {
    state.extend_from_slice(&number.to_le_bytes());
}

fn write_bytes(state: &mut Vec<u8>, bytes: &[u8]) {
    state.push(bytes.len() as u8);
    state.extend_from_slice(bytes);
}

/// Deserializes a piece; `None` if `state` is not one.
pub(crate) fn read(state: &[u8]) -> Option<Summary> {
    let mut rest = state.strip_prefix(&[VERSION])?;
    let rest = &mut rest;
    let mut piece = Summary {
        bytes: read_number(rest)?,
        chars: read_number(rest)?,
        four_byte_leads: read_number(rest)?,
        newlines: read_number(rest)?,
        largest: read_number(rest)?.try_into().ok()?,
        replaced_chars: read_number(rest)?,
        line_chars: read_number(rest)?,
        line_utf16_count: read_number(rest)?,
        error_count: read_number(rest)?,
        limit: read_number(rest)?.try_into().ok()?,
        ..Summary::default()
    };
    let errors = read_number(rest)?;
    piece.opening = read_edge(rest)?;
    piece.closing = read_edge(rest)?;
    for _ in 0..errors {
        let start = read_number(rest)?;
        let kind = *ErrorKind::ALL.get(usize::try_from(read_number(rest)?).ok()?)?;
        let location = Location {
            line: read_number(rest)?,
            column: read_number(rest)?,
            utf16_column: read_number(rest)?,
            char_offset: read_number(rest)?,
            byte_offset: start,
        };
        let bytes = read_bytes(rest)?;
        let fits = (1..=Utf8Error::MAX_BYTES).contains(&bytes.len())
            && start.checked_add(bytes.len() as u64)? <= piece.bytes
            && location.line > 0
            && location.column > 0
            && location.utf16_column >= location.column
            && start.checked_sub(piece.head_bytes()).is_some_and(|chars| location.char_offset <= chars);
        if !fits {
            return None;
        }
        let error = Utf8Error::new(start, kind, bytes);
        piece.errors.push(LocatedError {
            error,
            location,
            before: read_edge(rest)?,
            after: read_edge(rest)?,
        });
    }
    let ends = piece.bytes.min(END_BYTES as u64);
    // The bytes that both ends have.
    let shared = (2 * ends).saturating_sub(piece.bytes) as usize;
    let (opening, closing) = (piece.opening.as_slice(), piece.closing.as_slice());
    let first = opening.len().saturating_sub(shared);
    let sound = rest.is_empty()
        && opening.get(first..) == closing.get(..shared)
        && piece.opening.as_slice().len() as u64 == ends
        && piece.closing.as_slice().len() as u64 == ends
        && piece.chars <= piece.bytes
        && piece.four_byte_leads <= piece.chars
        && piece.newlines <= piece.chars
        && piece.replaced_chars <= piece.settled_bytes()
        && piece.line_chars <= piece.replaced_chars
        && piece.line_utf16_count >= piece.line_chars
        && piece.errors.len() <= piece.limit
        && piece.errors.len() as u64 <= piece.error_count;
    sound.then_some(piece)
}

fn read_number(rest: &mut &[u8]) -> Option<u64> {
    let number;
    (number, *rest) = rest.split_first_chunk()?;
    Some(u64::from_le_bytes(*number))
}

fn read_bytes<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (&length, after) = rest.split_first()?;
    let bytes;
    (bytes, *rest) = after.split_at_checked(usize::from(length))?;
    Some(bytes)
}

fn read_edge<const N: usize>(rest: &mut &[u8]) -> Option<Edge<N>> {
    let bytes = read_bytes(rest)?;
    (bytes.len() <= N).then(|| Edge::first(bytes))
}
