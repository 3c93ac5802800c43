//! Peers of `leadbyte.transcode`, for benches/transcode.py to call through ctypes: bytes to bytes, each result in memory
//! of its own, which is given back at once as a Python loop gives back its results.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::slice::from_raw_parts;

use encoding_rs::Encoding;

/// A result.
enum Output {
    /// Memory of so many bytes, of which so many are written.
    Raw(*mut u8, Layout, usize),
    Owned(Vec<u8>),
}

impl Output {
    /// Allocates room for `length` units and has it filled; `fill` returns how many it has written.
    fn of<Unit>(length: usize, fill: impl FnOnce(*mut Unit) -> usize) -> Self {
        let layout = Layout::array::<Unit>(length.max(1)).expect("a length that fits in memory");
        // SAFETY: the layout has at least one unit.
        let room = unsafe { alloc(layout) };
        if room.is_null() {
            handle_alloc_error(layout);
        }
        Self::Raw(room, layout, fill(room.cast()) * size_of::<Unit>())
    }

    fn bytes(&self) -> &[u8] {
        match self {
            // SAFETY: so many bytes have been written there.
            Self::Raw(room, _, length) => unsafe { from_raw_parts(*room, *length) },
            Self::Owned(bytes) => bytes,
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Self::Raw(room, layout, _) = self {
            // SAFETY: it was allocated with this layout.
            unsafe { dealloc(*room, *layout) }
        }
    }
}

/// The units that `data` are; a Python's bytes stand at a multiple of eight.
fn units<Unit>(data: &[u8]) -> &[Unit] {
    let start = data.as_ptr().cast::<Unit>();
    assert!(start.is_aligned());
    // SAFETY: they are aligned, and within `data`.
    unsafe { from_raw_parts(start, data.len() / size_of::<Unit>()) }
}

/// The length first, then a conversion that checks.
macro_rules! checked {
    ($data:expr, $length:ident, $convert:ident) => {{
        let data = $data;
        // SAFETY: there is room for what the length tells, which is the result's if it is valid.
        Output::of(simdutf::$length(data), |room| unsafe {
            simdutf::$convert(data.as_ptr(), data.len(), room)
        })
    }};
}

/// Validity and length first, then a conversion that trusts them.
macro_rules! trusting {
    ($data:expr, $valid:ident, $length:ident, $convert:ident) => {{
        let data = $data;
        assert!(simdutf::$valid(data));
        checked!(data, $length, $convert)
    }};
}

/// Converts `data` by the peer of this number, for a label that it knows.
fn converted(peer: u32, label: &[u8], data: &[u8]) -> Output {
    match peer {
        0 => checked!(data, utf16_length_from_utf8, convert_utf8_to_utf16le),
        1 => trusting!(data, validate_utf8, utf16_length_from_utf8, convert_valid_utf8_to_utf16le),
        2 => checked!(data, utf32_length_from_utf8, convert_utf8_to_utf32),
        3 => trusting!(data, validate_utf8, utf32_length_from_utf8, convert_valid_utf8_to_utf32),
        4 => checked!(units(data), utf8_length_from_utf16le, convert_utf16le_to_utf8),
        5 => {
            trusting!(units(data), validate_utf16le, utf8_length_from_utf16le, convert_valid_utf16le_to_utf8)
        }
        6 => checked!(units(data), utf8_length_from_utf32, convert_utf32_to_utf8),
        7 => trusting!(units(data), validate_utf32, utf8_length_from_utf32, convert_valid_utf32_to_utf8),
        8 => {
            let encoding = Encoding::for_label(label).expect("a label");
            let text =
                encoding.decode_without_bom_handling_and_without_replacement(data).expect("valid data");
            Output::Owned(text.into_owned().into_bytes())
        }
        _ => {
            let encoding = Encoding::for_label(label).expect("a label");
            let text = str::from_utf8(data).expect("valid data");
            let (bytes, _, lacking) = encoding.encode(text);
            assert!(!lacking);
            Output::Owned(bytes.into_owned())
        }
    }
}

/// A piece of data.
#[repr(C)]
pub struct Piece {
    start: *const u8,
    length: usize,
}

/// Converts so many pieces, so many times, by a peer. Returns how many bytes the results of one walk were.
///
/// # Safety
/// `label` and `pieces` point to as much as is told, and each piece to its bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walk(
    peer: u32,
    label: *const u8,
    label_length: usize,
    pieces: *const Piece,
    count: usize,
    walks: usize,
) -> usize {
    // SAFETY: so the caller says.
    let (label, pieces) = unsafe { (from_raw_parts(label, label_length), from_raw_parts(pieces, count)) };
    let mut total = 0;
    for _ in 0..walks {
        total = 0;
        for piece in pieces {
            // SAFETY: so the caller says.
            let data = unsafe { from_raw_parts(piece.start, piece.length) };
            total += converted(peer, label, data).bytes().len();
        }
    }
    total
}

/// Converts one piece by a peer and puts the result at `out`, if that has the room. Returns how many bytes it has.
///
/// # Safety
/// `label` and `data` point to as much as is told, and `out` to `room` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn convert(
    peer: u32,
    label: *const u8,
    label_length: usize,
    data: *const u8,
    length: usize,
    out: *mut u8,
    room: usize,
) -> usize {
    // SAFETY: so the caller says.
    let (label, data) = unsafe { (from_raw_parts(label, label_length), from_raw_parts(data, length)) };
    let output = converted(peer, label, data);
    let bytes = output.bytes();
    if bytes.len() <= room {
        // SAFETY: so the caller says.
        unsafe { out.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) }
    }
    bytes.len()
}
