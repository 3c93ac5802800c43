//! CPython's built-in error handlers: the replacements of malformed bytes and of unmappable characters.
//!
//! A name means one of these only as long as nobody has registered another function under it; see the bindings.

use core::ffi::CStr;

use super::scheme::Scheme;
use super::surrogates;
use crate::kernels::decode::escape;

/// A built-in error handler.
#[derive(Clone, Copy, Debug)]
pub enum ErrorHandler {
    /// `strict`: an exception.
    Strict,
    /// `ignore`: nothing.
    Ignore,
    /// `replace`: U+FFFD, or `?` where it cannot be encoded.
    Replace,
    /// `backslashreplace`: escape sequences of Python.
    BackslashReplace,
    /// `xmlcharrefreplace`: numeric character references.
    XmlCharRefReplace,
    /// Holds the function that returns the name of a character in the Unicode Standard.
    NameReplace(fn(char) -> Option<String>),
    /// `surrogateescape`: a lone surrogate for each byte (PEP 383).
    SurrogateEscape,
    /// `surrogatepass`: surrogates as three bytes.
    SurrogatePass,
}

/// The most bytes of a malformed sequence: a code unit of UTF-32, or a sequence of a legacy encoding.
const MAX_MALFORMED_BYTES: usize = 4;

/// The most code points that replace malformed bytes: `\xff` for each.
const MAX_CODE_POINTS: usize = ESCAPE_SEQUENCE_BYTES * MAX_MALFORMED_BYTES;

/// The most bytes that replace an unmappable character, except by its name: `\U0010ffff`.
const MAX_BYTES: usize = 10;

/// The replacement of malformed bytes.
pub struct DecodeReplacement {
    code_points: [u16; MAX_CODE_POINTS],
    length: usize,
    /// The number of bytes that are replaced.
    pub consumed: usize,
}

impl DecodeReplacement {
    #[inline(always)]
    fn push(&mut self, code_point: u16) {
        self.code_points[self.length] = code_point;
        self.length += 1;
    }

    /// Returns the code points, which may be surrogates.
    #[inline(always)]
    pub(crate) fn code_points(&self) -> &[u16] {
        &self.code_points[..self.length]
    }
}

/// The replacement of a code point that an encoding does not have.
pub struct EncodeReplacement {
    bytes: [u8; MAX_BYTES],
    length: usize,
    /// Takes the place of the bytes if it is not empty.
    name: String,
    /// Whether the bytes are ASCII characters that are still to be encoded, and not encoded already.
    pub is_text: bool,
}

impl EncodeReplacement {
    /// Returns an empty text.
    pub fn empty() -> Self {
        Self { bytes: [0; MAX_BYTES], length: 0, name: String::new(), is_text: true }
    }

    /// Returns the text.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        if self.name.is_empty() { &self.bytes[..self.length] } else { self.name.as_bytes() }
    }

    #[inline]
    fn extend(&mut self, bytes: &[u8]) {
        let end = self.length + bytes.len();
        self.bytes[self.length..end].copy_from_slice(bytes);
        self.length = end;
    }

    /// Appends a code point as an escape sequence of a Python string literal.
    fn extend_escape(&mut self, value: u32) {
        match value {
            ..0x100 => self.extend(&escape_sequence(value as u8)),
            0x100..0x1_0000 => self.extend(&unit_escape_sequence(value as u16)),
            _ => {
                self.extend(b"\\U");
                self.extend(&digits::<16, 8>(value));
            }
        }
    }

    /// Appends a code point as a character reference of XML.
    fn extend_character_reference(&mut self, value: u32) {
        let digits = digits::<10, MAX_DECIMAL_DIGITS>(value);
        let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
        self.extend(b"&#");
        self.extend(&digits[zeros.min(MAX_DECIMAL_DIGITS - 1)..]);
        self.extend(b";");
    }
}

impl ErrorHandler {
    /// Returns the handler of this name, if there is one. `name_of` returns the names of characters.
    #[inline]
    pub fn from_name(name: &[u8], name_of: fn(char) -> Option<String>) -> Option<Self> {
        let handlers = [
            Self::Strict,
            Self::Ignore,
            Self::Replace,
            Self::BackslashReplace,
            Self::XmlCharRefReplace,
            Self::NameReplace(name_of),
            Self::SurrogateEscape,
            Self::SurrogatePass,
        ];
        handlers.into_iter().find(|handler| handler.name().to_bytes() == name)
    }

    /// Returns the name, as the C API takes it.
    #[inline]
    pub const fn name(self) -> &'static CStr {
        match self {
            Self::Strict => c"strict",
            Self::Ignore => c"ignore",
            Self::Replace => c"replace",
            Self::BackslashReplace => c"backslashreplace",
            Self::XmlCharRefReplace => c"xmlcharrefreplace",
            Self::NameReplace(_) => c"namereplace",
            Self::SurrogateEscape => c"surrogateescape",
            Self::SurrogatePass => c"surrogatepass",
        }
    }

    /// Returns whether it handles decoding errors; the others handle encoding errors only.
    pub fn handles_decoding(self) -> bool {
        !matches!(self, Self::XmlCharRefReplace | Self::NameReplace(_))
    }

    /// Returns the replacement of the malformed sequence of `length` bytes at the start of `rest`, or `None` if it is
    /// raised. `scheme` is `None` for encodings that have no form for surrogates.
    #[inline(always)]
    pub fn decode(self, scheme: Option<Scheme>, rest: &[u8], length: usize) -> Option<DecodeReplacement> {
        let mut replacement =
            DecodeReplacement { code_points: [0; MAX_CODE_POINTS], length: 0, consumed: length };
        let malformed = &rest[..length.min(MAX_MALFORMED_BYTES)];
        match self {
            Self::Strict | Self::XmlCharRefReplace | Self::NameReplace(_) => return None,
            Self::Ignore => {}
            Self::Replace => replacement.push(char::REPLACEMENT_CHARACTER as u16),
            Self::BackslashReplace => {
                for escape in malformed.iter().map(|&byte| escape_sequence(byte)) {
                    escape.into_iter().for_each(|character| replacement.push(character.into()));
                }
            }
            Self::SurrogateEscape => {
                for &byte in malformed.iter().take_while(|byte| !byte.is_ascii()) {
                    replacement.push(escape(byte));
                }
                replacement.consumed = replacement.length;
                return (replacement.length > 0).then_some(replacement);
            }
            Self::SurrogatePass => {
                let (surrogate, length) = scheme?.decode_surrogate(rest)?;
                replacement.push(surrogate);
                replacement.consumed = length;
            }
        }
        Some(replacement)
    }

    /// Stores the replacement of a code point that `scheme` does not have. Returns whether there is one; if not, it is
    /// raised. `scheme` is `None` for encodings that have no form for surrogates.
    #[inline]
    pub fn encode(self, scheme: Option<Scheme>, value: u32, replacement: &mut EncodeReplacement) -> bool {
        (replacement.length, replacement.is_text) = (0, true);
        match self {
            Self::Strict => return false,
            Self::Ignore => {}
            Self::Replace => replacement.extend(&[QUESTION_MARK]),
            Self::BackslashReplace => replacement.extend_escape(value),
            Self::XmlCharRefReplace => replacement.extend_character_reference(value),
            Self::NameReplace(name_of) => match char::from_u32(value).and_then(name_of) {
                Some(name) => replacement.name = format!("\\N{{{name}}}"),
                None => {
                    replacement.name.clear();
                    replacement.extend_escape(value);
                }
            },
            Self::SurrogateEscape => {
                replacement.is_text = false;
                match surrogates::unescape(value) {
                    Some(byte) if scheme.is_none_or(|scheme| scheme.unit_bytes() == 1) => {
                        replacement.extend(&[byte]);
                    }
                    _ => return false,
                }
            }
            Self::SurrogatePass => {
                replacement.is_text = false;
                return match (scheme, u16::try_from(value)) {
                    (Some(scheme), Ok(surrogate)) if surrogates::SURROGATES.contains(&value) => {
                        scheme.encode_surrogate(surrogate, |bytes| replacement.extend(bytes))
                    }
                    _ => false,
                };
            }
        }
        true
    }
}

/// The character that "replace" encodes instead of others.
pub(crate) const QUESTION_MARK: u8 = b'?';

/// The length in bytes of an [`escape_sequence`].
pub const ESCAPE_SEQUENCE_BYTES: usize = 4;

/// Returns a byte as an escape sequence of a Python literal: `\xff`.
#[inline(always)]
pub fn escape_sequence(byte: u8) -> [u8; ESCAPE_SEQUENCE_BYTES] {
    [b'\\', b'x', digit(byte >> 4), digit(byte & 0xF)]
}

/// Returns a UTF-16 code unit as an escape sequence of a Python literal: `\ud800`.
#[inline(always)]
pub(crate) fn unit_escape_sequence(unit: u16) -> [u8; 6] {
    let [a, b, c, d] = digits::<16, 4>(unit.into());
    [b'\\', b'u', a, b, c, d]
}

/// Returns a surrogate as a character reference of XML: `&#55296;`.
#[inline(always)]
pub(crate) fn surrogate_reference(surrogate: u16) -> [u8; 8] {
    let [a, b, c, d, e] = digits::<10, 5>(surrogate.into());
    [b'&', b'#', a, b, c, d, e, b';']
}

/// The most decimal digits of a code point.
const MAX_DECIMAL_DIGITS: usize = 7;

/// Returns the last `N` digits of a number.
#[inline(always)]
fn digits<const BASE: u32, const N: usize>(value: u32) -> [u8; N] {
    let mut digits = [0; N];
    let mut rest = value;
    for place in digits.iter_mut().rev() {
        *place = digit((rest % BASE) as u8);
        rest /= BASE;
    }
    digits
}

#[inline(always)]
fn digit(value: u8) -> u8 {
    b"0123456789abcdef"[usize::from(value)]
}
