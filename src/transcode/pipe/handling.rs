//! Error handlers: what CPython's own ones put in the place of what cannot be decoded or encoded.

use super::scheme::{Broken, Scheme};

/// A built-in error handler, in Python's words.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Handling {
    Strict,
    Ignore,
    Replace,
    BackslashReplace,
    XmlCharRefReplace,
    /// It asks for the names of characters.
    NameReplace(fn(char) -> Option<String>),
    SurrogateEscape,
    SurrogatePass,
}

/// What is written instead of a character.
pub(crate) enum Instead {
    /// These ASCII characters.
    Text,
    /// Just these bytes.
    Bytes,
}

impl Handling {
    /// The handler of this name; `name_of` tells the names of characters.
    pub(crate) fn named(name: &str, name_of: fn(char) -> Option<String>) -> Option<Self> {
        Some(match name {
            "strict" => Self::Strict,
            "ignore" => Self::Ignore,
            "replace" => Self::Replace,
            "backslashreplace" => Self::BackslashReplace,
            "xmlcharrefreplace" => Self::XmlCharRefReplace,
            "namereplace" => Self::NameReplace(name_of),
            "surrogateescape" => Self::SurrogateEscape,
            "surrogatepass" => Self::SurrogatePass,
            _ => return None,
        })
    }

    /// Whether it mends what cannot be decoded; the others only know how to encode.
    pub(crate) fn decodes(self) -> bool {
        !matches!(self, Self::XmlCharRefReplace | Self::NameReplace(_))
    }

    /// Puts into `text` what stands for what is broken at the start of `rest`, in generalized UTF-8, which has
    /// surrogates. Returns how many bytes that stands for; `None` if this handler does not mend it. `scheme` is none
    /// for encodings that have no surrogates.
    pub(crate) fn decode(
        self,
        scheme: Option<Scheme>,
        rest: &[u8],
        broken: Broken,
        text: &mut Vec<u8>,
    ) -> Option<usize> {
        let mut push = |value| Scheme::Utf8.push(value, true, text);
        match self {
            Self::Strict | Self::XmlCharRefReplace | Self::NameReplace(_) => return None,
            Self::Ignore => {}
            Self::Replace => {
                push(char::REPLACEMENT_CHARACTER.into());
            }
            Self::BackslashReplace => {
                for &byte in &rest[..broken.length] {
                    escape(byte.into(), text);
                }
            }
            Self::SurrogateEscape => {
                // As many as CPython's handler takes at once.
                let escaped = rest[..broken.length.min(4)].iter().take_while(|byte| !byte.is_ascii());
                let length = escaped.map(|&byte| push(0xDC00 | u32::from(byte))).count();
                return (length > 0).then_some(length);
            }
            Self::SurrogatePass => {
                let (value, length) = scheme?.surrogate(rest)?;
                push(value);
                return Some(length);
            }
        }
        Some(broken.length)
    }

    /// Puts into `instead` what is written instead of a code point that `scheme` lacks, and tells what that is; `None` if
    /// this handler does not mend it.
    pub(crate) fn encode(self, scheme: Option<Scheme>, value: u32, instead: &mut Vec<u8>) -> Option<Instead> {
        instead.clear();
        match self {
            Self::Strict => return None,
            Self::Ignore => {}
            Self::Replace => instead.push(b'?'),
            Self::BackslashReplace => escape(value, instead),
            Self::XmlCharRefReplace => {
                instead.extend(b"&#");
                digits::<10>(value, 1, instead);
                instead.push(b';');
            }
            Self::NameReplace(name_of) => match char::from_u32(value).and_then(name_of) {
                Some(name) => instead.extend(format!("\\N{{{name}}}").into_bytes()),
                None => escape(value, instead),
            },
            Self::SurrogateEscape => match value {
                0xDC80..=0xDCFF if scheme.is_none_or(|scheme| scheme.unit() == 1) => {
                    instead.push(value as u8);
                    return Some(Instead::Bytes);
                }
                _ => return None,
            },
            Self::SurrogatePass => return scheme?.push(value, true, instead).then_some(Instead::Bytes),
        }
        Some(Instead::Text)
    }
}

/// Writes a code point as Python escapes it.
fn escape(value: u32, out: &mut Vec<u8>) {
    let (letter, width) = match value {
        ..0x100 => (b'x', 2),
        0x100..0x1_0000 => (b'u', 4),
        _ => (b'U', 8),
    };
    out.extend([b'\\', letter]);
    digits::<16>(value, width, out);
}

/// Writes the digits of a number, at least `width` of them.
fn digits<const BASE: u32>(value: u32, width: usize, out: &mut Vec<u8>) {
    let start = out.len();
    let mut rest = value;
    while rest > 0 || out.len() < start + width {
        out.push(b"0123456789abcdef"[(rest % BASE) as usize]);
        rest /= BASE;
    }
    out[start..].reverse();
}
