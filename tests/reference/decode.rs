//! Checks of decoding UTF-8 to Latin-1, UTF-16 and UTF-32, against the standard library.

use core::fmt::Debug;

use leadbyte::Implementation;
use leadbyte::transcode::{TranscodeError, utf8_to_latin1, utf8_to_utf16, utf8_to_utf32};

use super::on_every_implementation;

/// A form to decode to.
pub trait Form: Copy + Debug + Default + PartialEq + Sync {
    /// A unit that is not the default.
    const OTHER: Self;

    /// What the standard library decodes `text` to, if the form can hold it.
    fn expected(text: &str) -> Option<Vec<Self>>;

    /// The kernel alone.
    fn fill(on: Implementation, data: &[u8], buffer: &mut [Self]) -> usize;

    /// All of it, by the function that everyone calls.
    fn decode(data: &[u8], buffer: &mut [Self]) -> Result<usize, TranscodeError>;

    /// Decodes as `decode`, on some implementation.
    fn decode_on(on: Implementation, data: &[u8], buffer: &mut [Self]) -> Result<usize, TranscodeError>;
}

impl Form for u8 {
    const OTHER: u8 = u8::MAX;

    fn expected(text: &str) -> Option<Vec<u8>> {
        text.chars().map(|character| u8::try_from(u32::from(character)).ok()).collect()
    }

    fn fill(on: Implementation, data: &[u8], buffer: &mut [u8]) -> usize {
        on.fill_latin1(data, buffer)
    }

    fn decode(data: &[u8], buffer: &mut [u8]) -> Result<usize, TranscodeError> {
        utf8_to_latin1(data, buffer)
    }

    fn decode_on(on: Implementation, data: &[u8], buffer: &mut [u8]) -> Result<usize, TranscodeError> {
        on.utf8_to_latin1(data, buffer)
    }
}

impl Form for u16 {
    const OTHER: u16 = u16::MAX;

    fn expected(text: &str) -> Option<Vec<u16>> {
        Some(text.encode_utf16().collect())
    }

    fn fill(on: Implementation, data: &[u8], buffer: &mut [u16]) -> usize {
        on.fill_utf16(data, buffer)
    }

    fn decode(data: &[u8], buffer: &mut [u16]) -> Result<usize, TranscodeError> {
        utf8_to_utf16(data, buffer)
    }

    fn decode_on(on: Implementation, data: &[u8], buffer: &mut [u16]) -> Result<usize, TranscodeError> {
        on.utf8_to_utf16(data, buffer)
    }
}

impl Form for u32 {
    const OTHER: u32 = u32::MAX;

    fn expected(text: &str) -> Option<Vec<u32>> {
        Some(text.chars().map(u32::from).collect())
    }

    fn fill(on: Implementation, data: &[u8], buffer: &mut [u32]) -> usize {
        on.fill_utf32(data, buffer)
    }

    fn decode(data: &[u8], buffer: &mut [u32]) -> Result<usize, TranscodeError> {
        utf8_to_utf32(data, buffer)
    }

    fn decode_on(on: Implementation, data: &[u8], buffer: &mut [u32]) -> Result<usize, TranscodeError> {
        on.utf8_to_utf32(data, buffer)
    }
}

/// A heap block of just this length: AddressSanitizer sees its ends.
pub fn block<T: Copy + Default>(length: usize) -> Box<[T]> {
    vec![T::default(); length].into()
}

/// Decodes `text` into just the buffer that it takes.
pub fn check_form<U: Form>(text: &str) {
    let Some(expected) = U::expected(text) else { return };
    let data = Box::<[u8]>::from(text.as_bytes());
    on_every_implementation(|implementation| {
        let mut buffer = block::<U>(expected.len());
        let written = U::fill(implementation, &data, &mut buffer);
        let name = implementation.name();
        assert_eq!((written, &*buffer), (expected.len(), &*expected), "{name}, {text:?}");
    });
}

/// Decodes `text` to every form that can hold it.
pub fn check(text: &str) {
    check_form::<u8>(text);
    check_form::<u16>(text);
    check_form::<u32>(text);
}

/// Decodes any data, into a buffer with any content: the reported units are written, and depend on the data alone;
/// nothing else is written.
pub fn check_any_form<U: Form>(data: &[u8], capacity: usize) {
    let data = Box::<[u8]>::from(data);
    on_every_implementation(|implementation| {
        let name = implementation.name();
        let mut one = block::<U>(capacity);
        let written = U::fill(implementation, &data, &mut one);
        let mut other = block::<U>(capacity);
        other.fill(U::OTHER);
        assert_eq!(U::fill(implementation, &data, &mut other), written, "{name}, {data:02x?}");
        assert_eq!(one[..written], other[..written], "{name}, {data:02x?}");
    });
}

/// Calls `check_any_form` for every form.
pub fn check_any(data: &[u8], capacity: usize) {
    check_any_form::<u8>(data, capacity);
    check_any_form::<u16>(data, capacity);
    check_any_form::<u32>(data, capacity);
}

/// Decodes any data by the functions at the crate's root.
pub fn check_called(data: &[u8]) {
    check_called_form::<u8>(data);
    check_called_form::<u16>(data);
    check_called_form::<u32>(data);
}

fn check_called_form<U: Form>(data: &[u8]) {
    let text = str::from_utf8(data);
    let expected = text.ok().and_then(U::expected);
    let mut buffer = block::<U>(data.len());
    match (U::decode(data, &mut buffer), expected) {
        (Ok(written), Some(expected)) => assert_eq!(buffer[..written], expected),
        (Err(TranscodeError::Invalid(error)), None) => {
            assert_eq!(text.map_err(|error| error.valid_up_to() as u64), Err(error.start()));
        }
        (Err(TranscodeError::Unmappable { at, character }), None) => {
            assert!(text.is_ok_and(|text| text[at..].starts_with(character) && character > '\u{FF}'));
        }
        (outcome, expected) => panic!("{outcome:?} instead of {expected:?}"),
    }
}
