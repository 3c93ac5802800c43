//! Peers of `leadbyte.transcode`, for benches/transcode.py to call through ctypes: bytes to bytes. Each result is
//! allocated and freed at once, as a Python loop does with its results.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::slice::from_raw_parts;

use encoding_rs::Encoding;

/// A result.
enum Output {
    /// Allocated memory, its layout, and the number of bytes written.
    Raw(*mut u8, Layout, usize),
    Owned(Vec<u8>),
}

impl Output {
    /// Allocates a buffer of `length` units; `fill` writes it and returns the number of units written.
    fn of<Unit>(length: usize, fill: impl FnOnce(*mut Unit) -> usize) -> Self {
        let layout = Layout::array::<Unit>(length.max(1)).expect("a length that fits in memory");
        // SAFETY: the layout has at least one unit.
        let buffer = unsafe { alloc(layout) };
        if buffer.is_null() {
            handle_alloc_error(layout);
        }
        Self::Raw(buffer, layout, fill(buffer.cast()) * size_of::<Unit>())
    }

    fn bytes(&self) -> &[u8] {
        match self {
            // SAFETY: the first `length` bytes are written.
            Self::Raw(buffer, _, length) => unsafe { from_raw_parts(*buffer, *length) },
            Self::Owned(bytes) => bytes,
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Self::Raw(buffer, layout, _) = self {
            // SAFETY: it was allocated with this layout.
            unsafe { dealloc(*buffer, *layout) }
        }
    }
}

/// Returns `data` as units. The data of Python's `bytes` starts at a multiple of eight.
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
        // SAFETY: the buffer has the length that was computed, which is the length of the result if the data is valid.
        Output::of(simdutf::$length(data), |buffer| unsafe {
            simdutf::$convert(data.as_ptr(), data.len(), buffer)
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

/// Converts `data` by the peer of this number; `label` is the label of a single-byte encoding.
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
            let (bytes, _, unmappable) = encoding.encode(text);
            assert!(!unmappable);
            Output::Owned(bytes.into_owned())
        }
    }
}

/// The versions of crates, ended by a NUL.
#[unsafe(no_mangle)]
pub extern "C" fn versions() -> *const u8 {
    concat!(env!("PEERS"), "\0").as_ptr()
}

/// A piece of data.
#[repr(C)]
pub struct Piece {
    start: *const u8,
    length: usize,
}

/// Converts `count` pieces by a peer, `walks` times. Returns the bytes of the results of one walk.
///
/// # Safety
/// `label` points to `label_length` bytes, `pieces` to `count` pieces, and each of these to its bytes, all readable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn walk(
    peer: u32,
    label: *const u8,
    label_length: usize,
    pieces: *const Piece,
    count: usize,
    walks: usize,
) -> usize {
    // SAFETY: the caller guarantees these lengths.
    let (label, pieces) = unsafe { (from_raw_parts(label, label_length), from_raw_parts(pieces, count)) };
    let mut total = 0;
    for _ in 0..walks {
        total = 0;
        for piece in pieces {
            // SAFETY: the caller guarantees the length of each piece.
            let data = unsafe { from_raw_parts(piece.start, piece.length) };
            total += converted(peer, label, data).bytes().len();
        }
    }
    total
}

/// Converts one piece by a peer and writes the result to `out` if it fits into `capacity` bytes. Returns its length in
/// bytes.
///
/// # Safety
/// `label` points to `label_length` and `data` to `length` readable bytes, `out` to `capacity` writable ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn convert(
    peer: u32,
    label: *const u8,
    label_length: usize,
    data: *const u8,
    length: usize,
    out: *mut u8,
    capacity: usize,
) -> usize {
    // SAFETY: the caller guarantees these lengths.
    let (label, data) = unsafe { (from_raw_parts(label, label_length), from_raw_parts(data, length)) };
    let output = converted(peer, label, data);
    let bytes = output.bytes();
    if bytes.len() <= capacity {
        // SAFETY: the result fits into the capacity, which the caller guarantees.
        unsafe { out.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) }
    }
    bytes.len()
}
